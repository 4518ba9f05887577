//! The machine instruction: one plain 24-byte struct for all targets.
//!
//! What the fields mean is said by the row of the target's op table (see [`crate::desc::OpDesc`]). The conventions
//! that shared code relies on: a memory operand has its base in slot 1, its index in slot 2, its displacement in `disp`
//! and its scale in the upper bits of `aux`; a symbol operand has its [`Ref`] in slot 2 and the addend in `disp`, as
//! has a memory operand whose base is a register that the reference is counted from; a branch has its target label in
//! `imm`. A second register beside a memory operand is in `imm`, too, which is slot 3 then ([`OpDesc::roles`]); in
//! other rows, nothing may look there for a register.
//!
//! The slots are words that may be registers, marks or references, whose numbers overlap. So nothing but this
//! module sees them: readers get a [`Reg`] that is never a reference ([`MInst::reg`]) or a [`Slot`] that says what it
//! is; what changes registers goes through [`rewrite_registers`], which visits nothing else.

use crate::desc::{OpDesc, Role, SLOTS};
use crate::reference::{Label, Ref};
use crate::reg::Reg;

/// The slot that is in the place of an immediate.
const OF_IMMEDIATE: usize = SLOTS - 1;

/// An instruction of any target, in 24 bytes (contract 9).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(C)]
pub struct MInst {
    /// The row of the target's op table.
    pub op: u16,
    /// Width of the operation in bytes, where the row leaves it open.
    pub size: u8,
    /// Bits 0-3: condition code. Bits 4-5: log2 of the index scale. Bit 7: a reference is counted from the base.
    pub aux: u8,
    /// Registers and marks; the last one is a [`Ref`] if the one before it is [`Reg::SYMBOL`], or if `aux` says so.
    slots: [Reg; 3],
    /// Displacement of the memory operand, or upper half of a 64-bit immediate.
    pub disp: i32,
    /// Immediate or label, or the register of slot 3.
    pub imm: i32,
}

/// In [`Mem::scale_log2`], and above a condition code in [`MInst::aux`]: what is in the place of an index is a [`Ref`],
/// and the base a register that it is counted from.
const BASED: u8 = 8;

/// What stands in a slot of an instruction.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Slot {
    Empty,
    Register(Reg),
    /// The place where a frame pointer would point.
    Frame,
    /// A base that is what the next slot names.
    Symbol,
    /// What an address or a branch refers to.
    Reference(Ref),
}

impl MInst {
    /// An instruction with no operands filled in.
    #[inline]
    pub const fn new(op: u16, size: u8) -> MInst {
        MInst {
            op,
            size,
            aux: 0,
            slots: [Reg::NONE; 3],
            disp: 0,
            imm: 0,
        }
    }

    /// The same of another row.
    #[inline]
    #[must_use]
    pub const fn with_op(mut self, op: u16) -> MInst {
        self.op = op;
        self
    }

    /// The same with an immediate.
    #[inline]
    #[must_use]
    pub const fn with_imm(mut self, imm: i32) -> MInst {
        self.imm = imm;
        self
    }

    /// The same with a label.
    #[inline]
    #[must_use]
    pub const fn with_label(self, label: Label) -> MInst {
        self.with_imm(label.0.cast_signed())
    }

    /// The same with other bits of [`MInst::aux`].
    #[inline]
    #[must_use]
    pub const fn with_aux(mut self, aux: u8) -> MInst {
        self.aux = aux;
        self
    }

    /// The same with registers in its slots.
    #[inline]
    #[must_use]
    pub const fn with_regs(mut self, regs: [Reg; 3]) -> MInst {
        self.slots = regs;
        self
    }

    /// The same with a memory operand.
    #[inline]
    #[must_use]
    pub const fn with_mem(mut self, mem: Mem) -> MInst {
        self.slots[1] = mem.base;
        self.slots[2] = mem.index;
        self.disp = mem.disp;
        self.aux = self.aux & 15 | mem.scale_log2 << 4;
        self
    }

    /// The same with a condition code.
    #[inline]
    #[must_use]
    pub const fn with_condition(mut self, code: u8) -> MInst {
        self.aux |= code;
        self
    }

    /// The register, or the mark that stands for one, in a slot; [`Reg::NONE`] where there is a reference.
    #[inline]
    pub const fn reg(&self, slot: usize) -> Reg {
        match slot {
            2 if self.has_reference() => Reg::NONE,
            OF_IMMEDIATE => Reg(self.imm.cast_unsigned()),
            _ => self.slots[slot],
        }
    }

    /// [`MInst::reg`] of the slots that all rows may have.
    #[inline]
    pub const fn regs(&self) -> [Reg; 3] {
        [self.slots[0], self.slots[1], self.reg(2)]
    }

    /// Tells apart whether a slot holds a register, the frame, a symbol or nothing (contract 9).
    #[inline]
    pub const fn slot(&self, slot: usize) -> Slot {
        match self.reg(slot) {
            _ if slot == 2 && self.has_reference() => Slot::Reference(Ref(self.slots[2].0)),
            Reg::NONE => Slot::Empty,
            Reg::FRAME => Slot::Frame,
            Reg::SYMBOL => Slot::Symbol,
            reg => Slot::Register(reg),
        }
    }

    /// The slots as numbers, for hashes and keys: equal if the slots are.
    #[inline]
    pub const fn slot_words(&self) -> [u32; 3] {
        [self.slots[0].0, self.slots[1].0, self.slots[2].0]
    }

    /// Puts a register into a slot that has, or will have, no reference.
    #[inline]
    pub fn set_reg(&mut self, slot: usize, reg: Reg) {
        debug_assert!(
            matches!(slot, 0 | OF_IMMEDIATE) || !self.is_symbol(),
            "slot {slot} belongs to a symbol"
        );
        debug_assert!(slot != 2 || !self.is_based(), "the slot belongs to a reference");
        self.put_reg(slot, reg);
    }

    #[inline]
    fn put_reg(&mut self, slot: usize, reg: Reg) {
        match slot {
            OF_IMMEDIATE => self.imm = reg.0.cast_signed(),
            _ => self.slots[slot] = reg,
        }
    }

    /// Whether the address or the target is a reference.
    #[inline]
    pub const fn is_symbol(&self) -> bool {
        self.slots[1].0 == Reg::SYMBOL.0
    }

    /// Whether the address is a reference that is counted from a register, the base.
    #[inline]
    pub const fn is_based(&self) -> bool {
        self.aux & BASED << 4 != 0
    }

    #[inline]
    const fn has_reference(&self) -> bool {
        self.is_symbol() || self.is_based()
    }

    /// Whether an operand is the frame's place, or an address in the frame.
    #[inline]
    pub const fn names_frame(&self) -> bool {
        self.slots[1].0 == Reg::FRAME.0
    }

    /// The reference, if the address or the target is one.
    #[inline]
    pub fn reference(&self) -> Option<Ref> {
        self.has_reference().then_some(Ref(self.slots[2].0))
    }

    /// The immediate, by the instruction's row; 0 where a register is in its place.
    #[inline]
    pub fn immediate(&self, desc: &OpDesc) -> i32 {
        match desc.roles[OF_IMMEDIATE] {
            Role::None => self.imm,
            _ => 0,
        }
    }

    /// The condition code.
    #[inline]
    pub const fn condition(&self) -> u8 {
        self.aux & 15
    }

    /// The memory operand.
    #[inline]
    pub const fn mem(&self) -> Mem {
        Mem {
            base: self.slots[1],
            index: self.slots[2],
            scale_log2: self.aux >> 4,
            disp: self.disp,
        }
    }

    /// The label that a branch names.
    #[inline]
    pub const fn label(&self) -> Label {
        Label(self.imm as u32)
    }
}

/// A register operand of an instruction.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RegisterOperand {
    pub slot: usize,
    /// The register, virtual or physical.
    pub reg: Reg,
    /// What happens to it.
    pub role: Role,
    /// How many of its bytes are read, or written; the others of what is written may be, too.
    pub bytes: u8,
}

/// Calls `visit` with each register operand of an instruction; marks and references are left out.
#[inline]
pub fn visit_registers(inst: &MInst, desc: &OpDesc, mut visit: impl FnMut(RegisterOperand)) {
    for (slot, &role) in desc.roles.iter().enumerate() {
        if role == Role::None {
            continue;
        }
        let reg = inst.reg(slot);
        if reg.is_register() {
            let bytes = desc.operand_bytes(slot, inst.size);
            visit(RegisterOperand { slot, reg, role, bytes });
        }
    }
}

/// Puts what `change` makes of each register operand of an instruction in its place; marks and references stay.
#[inline]
pub fn rewrite_registers(inst: &mut MInst, desc: &OpDesc, mut change: impl FnMut(RegisterOperand) -> Reg) {
    let before = *inst;
    visit_registers(&before, desc, |operand| inst.put_reg(operand.slot, change(operand)));
}

/// A memory operand.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Mem {
    /// Base register, or [`Reg::SYMBOL`], or none.
    base: Reg,
    /// Index register or none; a [`Ref`] when the base is [`Reg::SYMBOL`], or with [`BASED`].
    index: Reg,
    /// Log2 of what the index is multiplied by, or [`BASED`].
    pub scale_log2: u8,
    /// Bytes added.
    pub disp: i32,
}

impl Mem {
    /// `base + disp`.
    #[inline]
    pub const fn base(base: Reg, disp: i32) -> Mem {
        Mem {
            base,
            index: Reg::NONE,
            scale_log2: 0,
            disp,
        }
    }

    /// `base + (index << scale_log2) + disp`.
    #[inline]
    pub const fn indexed(base: Reg, index: Reg, scale_log2: u8, disp: i32) -> Mem {
        Mem {
            base,
            index,
            scale_log2,
            disp,
        }
    }

    /// What `reference` names, plus `disp` bytes.
    #[inline]
    pub const fn symbol(reference: Ref, disp: i32) -> Mem {
        Mem {
            base: Reg::SYMBOL,
            index: Reg(reference.0),
            scale_log2: 0,
            disp,
        }
    }

    /// What `reference` names, counted from what a register holds, plus `disp` bytes.
    #[inline]
    pub const fn based(base: Reg, reference: Ref, disp: i32) -> Mem {
        Mem {
            base,
            index: Reg(reference.0),
            scale_log2: BASED,
            disp,
        }
    }

    #[inline]
    const fn has_reference(&self) -> bool {
        self.base.0 == Reg::SYMBOL.0 || self.scale_log2 & BASED != 0
    }

    /// The base register, [`Reg::FRAME`], [`Reg::SYMBOL`] or none.
    #[inline]
    pub const fn base_reg(&self) -> Reg {
        self.base
    }

    /// The index register or none.
    #[inline]
    pub const fn index_reg(&self) -> Reg {
        if self.has_reference() {
            return Reg::NONE;
        }
        self.index
    }

    /// The reference, when the base is a symbol, or a register that it is counted from.
    #[inline]
    pub fn reference(&self) -> Option<Ref> {
        self.has_reference().then_some(Ref(self.index.0))
    }

    /// The same, `bytes` further; `None` when the displacement overflows.
    #[inline]
    pub fn offset(self, bytes: i32) -> Option<Mem> {
        self.disp.checked_add(bytes).map(|disp| Mem { disp, ..self })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::reference::RefKind;

    /// A symbol whose number is that of a register.
    #[test]
    fn a_reference_is_no_register() {
        let reference = Ref::new(RefKind::Symbol, 3);
        let (destination, renamed) = (Reg::physical(0, 3), Reg::physical(0, 7));
        let mut inst = MInst::new(0, 4).with_regs([destination, Reg::NONE, Reg::NONE]);
        inst = inst.with_mem(Mem::symbol(reference, 8));
        assert_eq!(inst.regs(), [destination, Reg::SYMBOL, Reg::NONE]);
        assert_eq!(inst.slot(2), Slot::Reference(reference));
        assert_eq!((inst.reference(), inst.mem().index_reg()), (Some(reference), Reg::NONE));
        let desc = OpDesc {
            roles: [Role::Def, Role::Base, Role::Index, Role::None],
            widths: [0, 8, 8, 0],
            ..OpDesc::plain("load")
        };
        let mut seen = Vec::new();
        rewrite_registers(&mut inst, &desc, |operand| {
            seen.push((operand.slot, operand.reg, operand.bytes));
            renamed
        });
        assert_eq!(seen, [(0, destination, 4)]);
        assert_eq!((inst.reg(0), inst.reference()), (renamed, Some(reference)));
        let mut indexed = MInst::new(0, 4).with_mem(Mem::indexed(Reg::FRAME, destination, 2, 0));
        rewrite_registers(&mut indexed, &desc, |_| renamed);
        assert_eq!(indexed.mem(), Mem::indexed(Reg::FRAME, renamed, 2, 0));
        assert_eq!(visited_bytes(&indexed, &desc), [(2, 8)]);
    }

    /// The register is an operand like any other; the reference after it, with the number of a register, is none.
    #[test]
    fn a_reference_that_is_counted_from_a_register_is_no_index() {
        let reference = Ref::new(RefKind::Symbol, 3);
        let (destination, base, renamed) = (Reg::physical(0, 3), Reg::physical(0, 1), Reg::physical(0, 7));
        let mut inst = MInst::new(0, 4).with_regs([destination, Reg::NONE, Reg::NONE]);
        inst = inst.with_mem(Mem::based(base, reference, 8));
        assert_eq!(inst.regs(), [destination, base, Reg::NONE]);
        assert_eq!(inst.slot(2), Slot::Reference(reference));
        let desc = OpDesc {
            roles: [Role::Def, Role::Base, Role::Index, Role::None],
            widths: [0, 8, 8, 0],
            ..OpDesc::plain("load")
        };
        assert_eq!(visited_bytes(&inst, &desc), [(0, 4), (1, 8)]);
        rewrite_registers(&mut inst, &desc, |_| renamed);
        assert_eq!(inst.mem(), Mem::based(renamed, reference, 8));
        assert_eq!((inst.reference(), inst.mem().index_reg()), (Some(reference), Reg::NONE));
        let elsewhere = inst.with_mem(Mem::base(base, 0));
        assert_eq!((elsewhere.reference(), elsewhere.reg(2)), (None, Reg::NONE));
    }

    fn visited_bytes(inst: &MInst, desc: &OpDesc) -> Vec<(usize, u8)> {
        let mut seen = Vec::new();
        visit_registers(inst, desc, |operand| seen.push((operand.slot, operand.bytes)));
        seen
    }

    #[test]
    fn an_instruction_has_24_bytes() {
        assert_eq!(size_of::<MInst>(), 24);
    }
}
