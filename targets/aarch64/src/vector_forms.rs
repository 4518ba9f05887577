//! Forms of instructions on vectors: where operands are and what there is besides registers, like
//! [`crate::ops::Form`], of which they are a part.

/// Forms of vectors that have more than registers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u8)]
pub enum VectorForm {
    /// `d`, `n`; `imm` shifts left.
    ShiftLeft,
    /// `d`, `n`; `imm` shifts right.
    ShiftRight,
    /// `d`, `n`, shifted left by as many bits as a lane of it has.
    ShiftAll,
    /// `d`, `n`, `m`; `imm` is the lane of `m`.
    ByLane,
    /// `d`, `n`; `imm` is the lane of `n`.
    FromLane,
    /// The same, extended with its sign to a general register.
    FromLaneSigned,
    /// `d`, `n`; `imm` is the lane of `d`.
    ToLane,
    /// `d`, `n`, which is a general register.
    FromGeneral,
    /// `d`, `n`; `imm` is the lane of `d` and, from bit 4 on, that of `n`.
    Lanes,
    /// `d`, `n`, `m`; `imm` is the first byte.
    Extract,
    /// `d`; eight bits in `imm`, moved left in each lane by `disp`.
    Modified,
    /// The same, moved by 8 or 16, and ones are moved in.
    ModifiedOnes,
    /// `d`; the float immediate of eight bits in `imm`.
    Float,
    /// `d`; all of its bytes are this one.
    Filled(u8),
    /// `d`, `n`, compared with zero.
    Zero,
    /// The same of floats.
    FloatZero,
    /// `d`, `n`, `m`, turned by `imm` quarters.
    Complex,
    /// `t`, base; `imm` is the lane of `t`.
    LoadLane,
    StoreLane,
    /// `t`, base: one lane for all.
    LoadAll,
    /// `d`, which is also `n`, `m`, `a`.
    Three,
    /// `d`, `n`, `m`; `imm` is the word of `m`.
    ByWord,
    /// `d`, `n`, `m`, turned right by `imm` bits.
    Turned,
    /// Base; so many registers of the list ([`crate::regs::LIST`]).
    LoadList(u8),
    StoreList(u8),
    /// The same; `imm` is the lane of each.
    LoadListLane(u8),
    StoreListLane(u8),
    /// `d`, `m`; the table is so many registers of the list.
    TableList(u8),
}

impl VectorForm {
    /// How many registers of the list there are; 0 if there is no list.
    pub const fn list_len(self) -> u8 {
        match self {
            VectorForm::LoadList(count)
            | VectorForm::StoreList(count)
            | VectorForm::LoadListLane(count)
            | VectorForm::StoreListLane(count)
            | VectorForm::TableList(count) => count,
            _ => 0,
        }
    }

    /// Whether the instruction accesses memory, at a register.
    pub(crate) const fn has_base(self) -> bool {
        matches!(
            self,
            VectorForm::LoadLane
                | VectorForm::StoreLane
                | VectorForm::LoadAll
                | VectorForm::LoadList(_)
                | VectorForm::StoreList(_)
                | VectorForm::LoadListLane(_)
                | VectorForm::StoreListLane(_)
        )
    }
}
