//! The shape of the op table: what a row says and how rows are written.
//!
//! The rows themselves are in [`crate::table`] and `vector_rows`, one line per machine instruction. From a row follow
//! the encoding ([`crate::encode`]), the text ([`crate::print`]) and what shared code sees ([`Row::desc`]). Some rows
//! are sequences, which [`crate::expand`] takes apart into instructions of others.
//!
//! An instruction's word is the row's, with fields filled in: register operands at the places that the form says
//! ([`Form::fields`]), what the size and the width of lanes decide ([`Width`]), and what the form has besides.

use crate::regs::LR;
pub use crate::vector_forms::VectorForm;
use frazil_codegen::desc::SLOTS;
use frazil_codegen::{OpDesc, PRegSet, Reg, RegClass, Role, Text};

/// Where operands are and what there is besides registers. `d`, `n`, `m`, `t` and `s` are the fields of the Arm ARM.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u8)]
pub enum Form {
    /// No operands.
    None,
    /// `imm` at the row's place, so many bits.
    Imm(u8, u8),
    /// `d`, `n`.
    Rr,
    /// `d`, `n`, `m`.
    Rrr,
    /// The same; `m` is shifted: `imm` has the amount in bits 0 to 5 and the kind in bits 6 and 7.
    RrrShift,
    /// The same; `m` is extended: `imm` has the amount in bits 0 to 2 and the kind in bits 3 to 5.
    RrrExtend,
    /// `d`, `n`, and `imm`, which [`crate::immediates::is_sum`] accepts.
    Rri,
    /// `d`, `n`, and a logical immediate, which is in `imm` (low) and `disp` (high).
    RriLogical,
    /// `d`, which is also `a`, `n`, `m`.
    Accumulate,
    /// `d`, `imm` of 16 bits, shifted by `disp`.
    Wide,
    /// `n`, `m`, shifted as in [`Form::RrrShift`].
    CompareShift,
    /// `n`, `m`, extended as in [`Form::RrrExtend`].
    CompareExtend,
    /// `n`, and `imm` as in [`Form::Rri`].
    CompareImm,
    /// `n`, and a logical immediate as in [`Form::RriLogical`].
    CompareLogical,
    /// `d`, `n`, the lowest bit's turn in `imm` and the highest bit in `disp`.
    Bitfield,
    /// `d`, `n`, shifted left by `imm`.
    ShiftLeft,
    /// `d`, `n`, shifted right by `imm`.
    ShiftRight,
    /// `d`, `n`, rotated right by `imm`.
    Rotate,
    /// `d`, `n`, `m`, the lowest bit in `imm`.
    Extract,
    /// `d`, `n`, `m`, a condition.
    Select,
    /// `d`, the inverse of a condition.
    Set,
    /// `n`, `m`, a condition, and the flags in `disp` if it does not hold.
    CompareIf,
    /// `n`, `imm` of 5 bits, a condition, and flags as before.
    CompareImmIf,
    /// `d`, `n`: a copy, by `orr`, or `add` if one of them is the stack pointer.
    Copy,
    /// The same of vector registers.
    CopyFloat,
    /// `d`, and a label.
    AddressLabel,
    /// `d`, and the page of a symbol operand.
    PageRef,
    /// `d`, and 16 bits of the address of a symbol operand: the quarter with the number in `imm`.
    WideRef,
    /// `d`, `n`, and the low 12 bits of the [`frazil_codegen::Ref`] in `imm` plus `disp`.
    SumLow,
    /// The same with the bits above these.
    SumHigh,
    /// A label.
    Branch,
    /// A label and a condition.
    BranchIf,
    /// `t`, and a label.
    BranchZero,
    /// `t`, a bit number in `disp`, and a label.
    BranchBit,
    /// A symbol operand.
    BranchRef,
    /// `n`.
    BranchReg,
    /// A sequence: `n`, by way of a register with which branches may lead to entries that are marked.
    BranchMarked,
    /// A sequence: takes `imm` bytes off the stack and returns.
    ReturnPopping,
    /// The word is the row's: what it branches to is implied.
    BranchFixed,
    /// `t`, and a system register in `imm`.
    ReadSystem,
    /// A system register in `imm`, and `t`.
    WriteSystem,
    /// `t`, and memory.
    Load,
    /// The same; the register is read.
    Store,
    /// A hint in `imm`, and memory.
    Prefetch,
    /// `t`, and memory, whose index is extended from 32 bits: [`aux::SIGNED_INDEX`] says how.
    LoadExtend,
    /// The same; the register is read.
    StoreExtend,
    /// `t`, base, which is written, too: `imm` is added to it before the access.
    LoadBefore,
    StoreBefore,
    /// The same after the access.
    LoadAfter,
    StoreAfter,
    /// `t`, base, the second `t`.
    LoadPair,
    StorePair,
    /// The same as [`Form::LoadBefore`] and so on.
    LoadPairBefore,
    StorePairBefore,
    LoadPairAfter,
    StorePairAfter,
    /// `t`, and the constant or symbol that a symbol operand names, near the instruction.
    LoadLiteral,
    /// `t`, base alone; [`aux::ACQUIRE`] and [`aux::RELEASE`] as far as the row has them.
    LoadOrdered,
    StoreOrdered,
    /// The status, base, `t`.
    StoreExclusive,
    /// `t`, base, the second `t`.
    LoadExclusivePair,
    /// The same; the status is in the encoder's register.
    StoreExclusivePair,
    /// What was in memory, base, operand.
    Modify,
    /// Memory that is exchanged if it is `regs[0]`, base, operand.
    CompareExchange,
    /// Base; the compared pair in `x0` and `x1`, the new one in `x2` and `x3`.
    CompareExchangePair,
    /// `n`, `m` of floats.
    CompareFloat,
    /// `n`, compared with zero.
    CompareFloatZero,
    /// `d`, a float immediate of eight bits in `imm`.
    FloatImm,
    /// A sequence: any constant in `imm` (low) and `disp` (high).
    Constant,
    /// A sequence: the address of a symbol operand.
    SymbolAddress,
    /// The same for a symbol that may be anywhere.
    WholeAddress,
    /// A sequence: the slot of the global offset table of a symbol operand.
    TableSlot,
    /// A sequence: the address of a thread-local symbol operand from the thread pointer.
    ThreadOffset,
    /// A sequence: a call of the descriptor of a symbol operand.
    DescriptorCall,
    /// The last instruction of that.
    DescriptorBranch,
    /// A sequence: the address of a memory operand.
    Address,
    /// A sequence: stores the stack pointer to a memory operand.
    StoreStack,
    /// A sequence: loads the stack pointer from a memory operand.
    LoadStack,
    Vector(VectorForm),
}

impl Form {
    /// Where the fields of `regs` begin in the word; registers without a field have 32.
    pub const fn fields(self) -> [u8; 3] {
        const NO: u8 = 32;
        match self {
            Form::CompareShift | Form::CompareExtend | Form::CompareIf | Form::CompareFloat => [5, 16, NO],
            Form::CompareImm
            | Form::CompareLogical
            | Form::CompareImmIf
            | Form::BranchReg
            | Form::BranchMarked
            | Form::CompareFloatZero => [5, NO, NO],
            Form::Rotate => [0, 5, NO],
            Form::LoadPair
            | Form::StorePair
            | Form::LoadPairBefore
            | Form::StorePairBefore
            | Form::LoadPairAfter
            | Form::StorePairAfter
            | Form::LoadExclusivePair
            | Form::StoreExclusivePair => [0, 5, 10],
            Form::StoreExclusive | Form::CompareExchange => [16, 5, 0],
            Form::PageRef | Form::WideRef | Form::LoadLiteral | Form::BranchRef => [0, NO, NO],
            Form::Vector(VectorForm::Three) => [0, 16, 10],
            Form::Vector(VectorForm::TableList(_)) => [0, 16, NO],
            _ => [0, 5, 16],
        }
    }

    /// Whether there is a memory operand in `regs[1]` and `regs[2]`.
    pub const fn has_mem(self) -> bool {
        matches!(
            self,
            Form::Load
                | Form::Store
                | Form::Prefetch
                | Form::LoadExtend
                | Form::StoreExtend
                | Form::Address
                | Form::StoreStack
                | Form::LoadStack
        )
    }

    /// Whether there is a symbol operand in `regs[1]` and `regs[2]`.
    pub const fn has_symbol(self) -> bool {
        matches!(
            self,
            Form::PageRef
                | Form::WideRef
                | Form::BranchRef
                | Form::LoadLiteral
                | Form::SymbolAddress
                | Form::WholeAddress
                | Form::TableSlot
                | Form::ThreadOffset
                | Form::DescriptorCall
                | Form::DescriptorBranch
        )
    }

    /// Whether `regs[1]` is a base, with `disp` added to it if there is a field for that.
    pub const fn has_base(self) -> bool {
        if let Form::Vector(form) = self {
            return form.has_base();
        }
        matches!(
            self,
            Form::LoadPair
                | Form::StorePair
                | Form::LoadOrdered
                | Form::StoreOrdered
                | Form::StoreExclusive
                | Form::LoadExclusivePair
                | Form::StoreExclusivePair
                | Form::Modify
                | Form::CompareExchange
                | Form::CompareExchangePair
        )
    }

    /// What instructions of this form do with memory.
    const fn access(self) -> Access {
        match self {
            Form::Load
            | Form::LoadExtend
            | Form::LoadBefore
            | Form::LoadAfter
            | Form::LoadPair
            | Form::LoadPairBefore
            | Form::LoadPairAfter
            | Form::LoadLiteral
            | Form::LoadOrdered
            | Form::LoadExclusivePair
            | Form::TableSlot
            | Form::LoadStack
            | Form::Vector(
                VectorForm::LoadLane | VectorForm::LoadAll | VectorForm::LoadList(_) | VectorForm::LoadListLane(_),
            ) => Access::Read,
            Form::Store
            | Form::StoreExtend
            | Form::StoreBefore
            | Form::StoreAfter
            | Form::StorePair
            | Form::StorePairBefore
            | Form::StorePairAfter
            | Form::StoreOrdered
            | Form::StoreExclusive
            | Form::StoreExclusivePair
            | Form::StoreStack
            | Form::Vector(VectorForm::StoreLane | VectorForm::StoreList(_) | VectorForm::StoreListLane(_)) => {
                Access::Write
            }
            Form::Modify | Form::CompareExchange | Form::CompareExchangePair => Access::Both,
            _ => Access::None,
        }
    }

    /// Whether instructions of this form do nothing but compute registers and flags.
    const fn only_computes(self) -> bool {
        if let Form::Vector(form) = self
            && form.list_len() > 0
        {
            return false;
        }
        !matches!(
            self,
            Form::None
                | Form::Imm(..)
                | Form::Branch
                | Form::BranchIf
                | Form::BranchZero
                | Form::BranchBit
                | Form::BranchRef
                | Form::BranchReg
                | Form::BranchMarked
                | Form::ReturnPopping
                | Form::BranchFixed
                | Form::ReadSystem
                | Form::WriteSystem
                | Form::Prefetch
                | Form::LoadOrdered
                | Form::LoadExclusivePair
                | Form::DescriptorCall
                | Form::DescriptorBranch
                | Form::LoadStack
        ) && matches!(self.access(), Access::None | Access::Read)
    }
}

/// Bits of [`frazil_codegen::MInst::aux`] in instructions that have no condition.
pub mod aux {
    /// Of ordered and atomic accesses: what follows is not done before.
    pub const ACQUIRE: u8 = 1;
    /// What comes before is not done after.
    pub const RELEASE: u8 = 2;
    /// The index is extended with its sign.
    pub const SIGNED_INDEX: u8 = 1;
    /// The displacement of a load or store is the low 12 bits of the address of the reference in `imm`, plus `disp`.
    /// The rules do not make such instructions.
    pub(crate) const LOW: u8 = 2;
    /// The access is one of its own, since the program or the processor counts it.
    pub const EXACT: u8 = 4;
    /// Of vectors: log2 of the bytes of a lane.
    pub const LANE_MASK: u8 = 7;
}

/// How the operation's size shows in the word.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u8)]
pub enum Width {
    /// Not at all.
    Fixed,
    /// Bit 31 is set for 8 bytes.
    Int,
    /// Bits 31 and 22 are.
    IntTwice,
    /// Bits 31 and 10 are.
    IntReverse,
    /// Bits 22 and 23 say which float it is.
    Float,
    /// The same, and bit 31 is set for 8 bytes.
    FloatInt,
    /// Bits 30 and 31 have log2 of the size.
    Access,
    /// The same of a vector register; bit 23 is set for 16 bytes.
    FloatAccess,
    /// Bit 22 is set for results of 4 bytes.
    Signed,
    /// Bit 30 is set for 8 bytes.
    Exclusive,
    /// Bit 31 is set for 8 bytes, in pairs.
    Pair,
    /// Bits 30 and 31 have log2 of the size less 2, in pairs of vector registers.
    FloatPair,
    /// Bit 30 is set for 16 bytes; bits 22 and 23 have log2 of a lane's bytes. A single lane is a scalar, for which
    /// bits 28 and 30 are set.
    Lanes,
    /// Bit 30 is set for 16 bytes.
    Whole,
    /// Bit 30 is set for 16 bytes, bit 22 for lanes of 8; of halves it is the word of [`Code::half`].
    FloatLanes,
    /// The same but for bit 30, of scalars in vector registers.
    FloatScalar,
    /// Bit 30 is set for 16 bytes, bit 22 for lanes of 4.
    FloatHalf,
    /// Bit 30 is set for 16 bytes; a single lane is a scalar as before. The lanes' width is where the form says it.
    Shift,
    /// Bit 30 is set for 8 bytes, of general registers.
    General,
    /// Bit 30 is set for 16 bytes; bits 10 and 11 have log2 of a lane's bytes.
    All,
}

/// The encoding of a row.
#[derive(Clone, Copy, Debug)]
pub struct Code {
    /// All bits that do not depend on operands.
    pub word: u32,
    /// The same of vectors of halves, or 0.
    pub half: u32,
    /// Where operands are.
    pub form: Form,
    /// What the size does.
    pub width: Width,
    /// How many bytes of memory are accessed; 0 if as many as the size says.
    pub access: u8,
}

impl Code {
    pub(crate) const fn new(word: u32, width: Width) -> Code {
        Code {
            word,
            half: 0,
            form: Form::None,
            width,
            access: 0,
        }
    }

    pub(crate) const fn access(mut self, bytes: u8) -> Code {
        self.access = bytes;
        self
    }

    pub(crate) const fn half(mut self, word: u32) -> Code {
        self.half = word;
        self
    }

    pub(crate) const fn finish(mut self, form: Form) -> Code {
        self.form = form;
        self
    }

    /// Bytes of memory that an instruction of this size accesses at a time.
    pub const fn access_bytes(&self, size: u8) -> u8 {
        if self.access == 0 { size } else { self.access }
    }
}

/// What a register operand is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// A general register of the operation's size; number 31 is the zero register.
    Sized,
    /// The same; number 31 is the stack pointer.
    SizedOrStack,
    /// A general register of this many bytes; number 31 is the zero register.
    General(u8),
    /// The same, of which this many bytes count; its name is that of its lower half.
    Part(u8),
    /// A register of the operation's size whose name is that of its lower half, above which nothing but zeros is
    /// written.
    Cleared,
    /// A float of the operation's size.
    Float,
    /// A float of this many bytes.
    FloatOf(u8),
    /// A vector of the operation's size.
    Vector,
    /// A vector of 16 bytes whose lanes are twice as wide.
    Wide,
    /// A vector of the operation's size whose lanes are twice as wide, and half as many.
    Paired,
    /// A vector of the operation's size, of bytes.
    Bytes,
    /// The same, of halves.
    Halves,
    /// Half of such a vector.
    LowerHalves,
    /// A vector of 16 bytes, of bytes, as a table.
    Table,
    /// A float or an integer as wide as a lane.
    Lane,
    /// The same, twice as wide.
    WideLane,
    /// A vector of which one lane is meant.
    Element,
    /// The upper half of a vector of 16 bytes.
    Upper,
    /// A general register that holds a lane: all of it for lanes of 8 bytes.
    GeneralLane,
}

impl Kind {
    /// Whether it is a vector register.
    pub(crate) const fn is_vector(self) -> bool {
        !matches!(
            self,
            Kind::Sized | Kind::SizedOrStack | Kind::Cleared | Kind::General(_) | Kind::Part(_) | Kind::GeneralLane
        )
    }

    const fn class(self) -> RegClass {
        if self.is_vector() {
            RegClass::Float
        } else {
            RegClass::Int
        }
    }

    /// How many bytes are read or written; 0 for as many as the size says.
    const fn bytes(self) -> u8 {
        match self {
            Kind::Sized | Kind::SizedOrStack | Kind::Cleared | Kind::Float => 0,
            Kind::Vector | Kind::Paired | Kind::Bytes | Kind::Halves | Kind::LowerHalves => 0,
            Kind::General(bytes) | Kind::Part(bytes) | Kind::FloatOf(bytes) => bytes,
            Kind::GeneralLane => 8,
            // What is above a scalar is cleared.
            Kind::Lane | Kind::WideLane | Kind::Wide | Kind::Table | Kind::Element | Kind::Upper => 16,
        }
    }
}

/// A register operand: what is done with it and what it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Operand {
    /// Read, written or both.
    pub role: Role,
    /// Which registers it may be.
    pub kind: Kind,
}

/// Short names for operands, as the rows use them: `U` used, `D` defined, `M` both (modified); then the kind.
pub(crate) mod operands {
    use super::{Kind, Operand};
    use frazil_codegen::Role;

    const fn operand(role: Role, kind: Kind) -> Operand {
        Operand { role, kind }
    }

    pub(crate) const U: Operand = operand(Role::Use, Kind::Sized);
    pub(crate) const D: Operand = operand(Role::Def, Kind::Sized);
    pub(crate) const M: Operand = operand(Role::UseDef, Kind::Sized);
    pub(crate) const US: Operand = operand(Role::Use, Kind::SizedOrStack);
    pub(crate) const DS: Operand = operand(Role::Def, Kind::SizedOrStack);
    pub(crate) const U32: Operand = operand(Role::Use, Kind::General(4));
    pub(crate) const U64: Operand = operand(Role::Use, Kind::General(8));
    pub(crate) const DC: Operand = operand(Role::Def, Kind::Cleared);
    pub(crate) const D32: Operand = operand(Role::Def, Kind::General(4));
    pub(crate) const D64: Operand = operand(Role::Def, Kind::General(8));
    pub(crate) const M64: Operand = operand(Role::UseDef, Kind::General(8));
    pub(crate) const U8: Operand = operand(Role::Use, Kind::Part(1));
    pub(crate) const U16: Operand = operand(Role::Use, Kind::Part(2));
    pub(crate) const UF: Operand = operand(Role::Use, Kind::Float);
    pub(crate) const DF: Operand = operand(Role::Def, Kind::Float);
    pub(crate) const MF: Operand = operand(Role::UseDef, Kind::Float);
    pub(crate) const UFH: Operand = operand(Role::Use, Kind::FloatOf(2));
    pub(crate) const UFS: Operand = operand(Role::Use, Kind::FloatOf(4));
    pub(crate) const UFD: Operand = operand(Role::Use, Kind::FloatOf(8));
    pub(crate) const DFH: Operand = operand(Role::Def, Kind::FloatOf(2));
    pub(crate) const DFS: Operand = operand(Role::Def, Kind::FloatOf(4));
    pub(crate) const DFD: Operand = operand(Role::Def, Kind::FloatOf(8));
    pub(crate) const UV: Operand = operand(Role::Use, Kind::Vector);
    pub(crate) const DV: Operand = operand(Role::Def, Kind::Vector);
    pub(crate) const UB: Operand = operand(Role::Use, Kind::Bytes);
    pub(crate) const DB: Operand = operand(Role::Def, Kind::Bytes);
    pub(crate) const MB: Operand = operand(Role::UseDef, Kind::Bytes);
    pub(crate) const MV: Operand = operand(Role::UseDef, Kind::Vector);
    pub(crate) const UW: Operand = operand(Role::Use, Kind::Wide);
    pub(crate) const DW: Operand = operand(Role::Def, Kind::Wide);
    pub(crate) const MW: Operand = operand(Role::UseDef, Kind::Wide);
    pub(crate) const DP: Operand = operand(Role::Def, Kind::Paired);
    pub(crate) const MP: Operand = operand(Role::UseDef, Kind::Paired);
    pub(crate) const UH: Operand = operand(Role::Use, Kind::Halves);
    pub(crate) const ULH: Operand = operand(Role::Use, Kind::LowerHalves);
    pub(crate) const UT: Operand = operand(Role::Use, Kind::Table);
    pub(crate) const UE: Operand = operand(Role::Use, Kind::Element);
    pub(crate) const ME: Operand = operand(Role::UseDef, Kind::Element);
    pub(crate) const UU: Operand = operand(Role::Use, Kind::Upper);
    pub(crate) const MU: Operand = operand(Role::UseDef, Kind::Upper);
    pub(crate) const UG: Operand = operand(Role::Use, Kind::GeneralLane);
    pub(crate) const UQ: Operand = operand(Role::Use, Kind::Float);
    pub(crate) const MQ: Operand = operand(Role::UseDef, Kind::Float);
    pub(crate) const DL: Operand = operand(Role::Def, Kind::Lane);
    pub(crate) const DLW: Operand = operand(Role::Def, Kind::WideLane);
}

/// What is done with memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Access {
    /// Nothing: it is only addressed, or hinted at.
    None,
    Read,
    Write,
    /// It is read and written.
    Both,
}

/// What a row does besides its register operands.
#[derive(Clone, Copy, Debug)]
pub struct Effects {
    pub reads_flags: bool,
    pub writes_flags: bool,
    /// Registers read.
    pub uses: PRegSet,
    /// Registers written.
    pub defs: PRegSet,
    /// It rounds, or raises floating-point exceptions.
    pub rounds: bool,
    pub is_call: bool,
    /// It copies a register and does nothing else.
    pub is_move: bool,
    /// It can be done again instead of keeping its result.
    pub is_repeatable: bool,
    /// See [`OpDesc::reload_bytes`].
    pub is_reload: bool,
}

impl Effects {
    pub(crate) const fn uses(mut self, regs: &[Reg]) -> Effects {
        self.uses = PRegSet::of(regs);
        self
    }

    pub(crate) const fn defs(mut self, regs: &[Reg]) -> Effects {
        self.defs = PRegSet::of(regs);
        self
    }

    pub(crate) const fn rounds(mut self) -> Effects {
        self.rounds = true;
        self
    }
}

/// No effect on flags.
pub(crate) const NO: Effects = Effects {
    reads_flags: false,
    writes_flags: false,
    uses: PRegSet::EMPTY,
    defs: PRegSet::EMPTY,
    rounds: false,
    is_call: false,
    is_move: false,
    is_repeatable: false,
    is_reload: false,
};
/// Writes flags.
pub(crate) const FW: Effects = Effects {
    writes_flags: true,
    ..NO
};
/// Reads flags.
pub(crate) const FR: Effects = Effects {
    reads_flags: true,
    ..NO
};
/// Reads and writes flags.
pub(crate) const FRW: Effects = Effects {
    reads_flags: true,
    writes_flags: true,
    ..NO
};
/// Rounds.
pub(crate) const RND: Effects = NO.rounds();
pub(crate) const COPY: Effects = Effects { is_move: true, ..NO };
/// Can be done again.
pub(crate) const AGAIN: Effects = Effects {
    is_repeatable: true,
    ..NO
};
pub(crate) const RELOAD: Effects = Effects { is_reload: true, ..NO };
/// A call, which leaves the return address in the link register.
pub(crate) const CALL: Effects = Effects { is_call: true, ..NO }.defs(&[LR]);

/// Sets of sizes in bytes; the sizes are their own bits.
pub(crate) mod sizes {
    pub(crate) const B1: u8 = 1;
    pub(crate) const H2: u8 = 2;
    pub(crate) const S4: u8 = 4;
    pub(crate) const D8: u8 = 8;
    pub(crate) const Q16: u8 = 16;
    /// Both widths of general registers.
    pub(crate) const WX: u8 = S4 | D8;
    /// Floats that instructions compute with.
    pub(crate) const HSD: u8 = H2 | S4 | D8;
    /// Both widths of vectors.
    pub(crate) const DQ: u8 = D8 | Q16;
    pub(crate) const BHSD: u8 = B1 | HSD;
    pub(crate) const BHSDQ: u8 = BHSD | Q16;
    pub(crate) const SDQ: u8 = S4 | DQ;
    /// Lanes of integers.
    pub(crate) const BHS: u8 = B1 | H2 | S4;
    pub(crate) const HS: u8 = H2 | S4;
    /// Lanes of floats.
    pub(crate) const FLOATS: u8 = HSD;
    /// Among widths of lanes: there must be more than two.
    pub(crate) const FEW: u8 = 128;
    /// A single lane of 8 bytes is allowed, and is a scalar.
    pub(crate) const ONE: u8 = 64;
    /// There are exactly two lanes.
    pub(crate) const TWO: u8 = 32;
    /// The size is that of a general register, which a lane must fit.
    pub(crate) const FIT: u8 = 16;
}

/// A row of the op table.
#[derive(Clone, Copy, Debug)]
pub struct Row {
    /// Its name, that of the [`Op`](crate::table::Op).
    pub name: Text,
    pub mnemonic: Text,
    /// Allowed sizes, a set of bits 1, 2, 4, 8 and 16. The size is the operation's width in bytes, where it matters.
    pub sizes: u8,
    /// The widths of lanes in bytes that vectors may have, as such a set; 0 for rows without lanes.
    /// Other bits restrict how many there are: see [`Row::has_lanes`].
    pub lanes: u8,
    /// Encoding.
    pub code: Code,
    /// Register operands in `regs[0]` and on, besides those of a memory operand with an index.
    pub operands: [Option<Operand>; 3],
    /// The rest.
    pub effects: Effects,
}

impl Row {
    /// Whether vectors of so many bytes may have lanes of `1 << log2` bytes.
    pub const fn has_lanes(&self, size: u8, log2: u8) -> bool {
        let count_log2 = (size >> log2).trailing_zeros();
        if self.lanes >> log2 & 1 == 0 || log2 > 3 || size >> log2 == 0 {
            return false;
        }
        if self.lanes & sizes::FIT != 0 {
            // Lanes that are extended are narrower; others that fill the register are as wide as it.
            return match self.code.form {
                Form::Vector(VectorForm::FromLaneSigned) => 1 << log2 < size,
                _ => (log2 == 3) == (size == 8),
            };
        }
        if self.lanes & sizes::TWO != 0 {
            return count_log2 == 1;
        }
        // Less than the lower half of a register is a scalar.
        if size < 8 && count_log2 > 0 {
            return false;
        }
        if self.lanes & sizes::FEW != 0 {
            return count_log2 > 1;
        }
        count_log2 > 0 || self.lanes & sizes::ONE != 0
    }

    /// The row as shared code sees it.
    pub(crate) const fn desc(&'static self) -> OpDesc {
        let form = self.code.form;
        let (mut roles, mut classes, mut widths) = ([Role::None; SLOTS], [None; SLOTS], [0; SLOTS]);
        let mut slot = 0;
        while slot < 3 {
            if let Some(operand) = self.operands[slot] {
                roles[slot] = operand.role;
                classes[slot] = Some(operand.kind.class());
                widths[slot] = operand.kind.bytes();
            }
            slot += 1;
        }
        if form.has_mem() || form.has_symbol() || form.has_base() {
            roles[1] = Role::Base;
            classes[1] = Some(RegClass::Int);
            widths[1] = 8;
        }
        if form.has_mem() || form.has_symbol() {
            roles[2] = Role::Index;
            classes[2] = Some(RegClass::Int);
            widths[2] = match form {
                Form::LoadExtend | Form::StoreExtend => 4,
                _ => 8,
            };
        }
        let access = form.access();
        let effects = self.effects;
        OpDesc {
            name: self.name,
            roles,
            classes,
            widths,
            reads_flags: effects.reads_flags,
            writes_flags: effects.writes_flags,
            implicit_uses: effects.uses,
            implicit_defs: effects.defs,
            is_move: effects.is_move,
            has_sets: effects.is_call,
            rounds: effects.rounds,
            is_rematerializable: effects.is_repeatable,
            reload_bytes: if effects.is_reload { Some(0) } else { None },
            reads_memory: matches!(access, Access::Read | Access::Both),
            writes_memory: matches!(access, Access::Write | Access::Both),
            is_pure: form.only_computes() && !effects.is_call,
            ..OpDesc::plain("")
        }
    }
}

/// At most three operands as an array with room for three.
pub(crate) const fn pad(operands: &[Operand]) -> [Option<Operand>; 3] {
    let mut padded = [None; 3];
    let mut index = 0;
    while index < operands.len() {
        padded[index] = Some(operands[index]);
        index += 1;
    }
    padded
}
