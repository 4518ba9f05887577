//! Rules about allocations that do not depend on contents: register classes, sizes, which registers are allocatable,
//! where edits may be, which operands may be in memory.

use crate::desc::Role;
use crate::mfunc::{MFunc, Term, VReg, op_desc, pseudo};
use crate::minst::MInst;
use crate::reg::{Reg, RegClass};
use crate::regalloc::{AllocatorInput, Edit, RegOrSlot, SlotData};

/// A register for a virtual one.
pub(super) fn register_fits(input: &AllocatorInput<'_>, vreg: &VReg, reg: Reg) -> Result<(), &'static str> {
    if !reg.is_physical() || RegClass::of(reg) != vreg.class {
        return Err("is in a register of another class");
    }
    if !input.allocatable.contains(reg) {
        return Err("is in a register that may not be allocated");
    }
    Ok(())
}

/// A place for a virtual register.
pub(super) fn place_fits(
    input: &AllocatorInput<'_>,
    vreg: &VReg,
    place: RegOrSlot,
    slots: &[SlotData],
) -> Result<(), &'static str> {
    match place {
        RegOrSlot::Reg(reg) => register_fits(input, vreg, reg),
        RegOrSlot::Slot(slot) => match slots.get(slot.0 as usize) {
            None => Err("is in a slot that does not exist"),
            Some(data) if data.bytes < vreg.bytes.max(4) => Err("is in a slot that is too small"),
            Some(_) => Ok(()),
        },
    }
}

/// A register operand in a spill slot.
pub(super) fn memory_operand_fits(
    input: &AllocatorInput<'_>,
    inst: &MInst,
    operand: usize,
    role: Role,
    bytes: u8,
    slot_bytes: u8,
) -> Result<(), &'static str> {
    let desc = op_desc(input.ops, inst.op);
    let Some(form) = desc.memory_forms.get(operand).copied().flatten() else {
        return Err("is in memory, for which the instruction has no form");
    };
    let form = op_desc(input.ops, form);
    if form.reads_flags != desc.reads_flags || form.writes_flags != desc.writes_flags {
        return Err("is in memory, but that form does other things with the flags");
    }
    if slot_bytes < bytes.max(4) {
        return Err("is in a slot that is too small");
    }
    let accessed = inst.size.max(desc.memory_bytes);
    // A slot may have more bytes than are stored to it for this register.
    if bytes.max(4) < accessed {
        return Err("is in memory, of which the instruction reads more than the register has");
    }
    // In a register, a narrow operation leaves nothing of the old contents that counts; in memory it does.
    if role != Role::Use && accessed < bytes {
        return Err("is in memory, of which the instruction writes a part only");
    }
    Ok(())
}

/// Whether edits may stand at a point: before the branches of a block that has two successors, before a return or the
/// dispatch of a switch, anywhere in other blocks; but not before the arguments are there.
pub(super) fn may_edit(func: &MFunc, block: u32, point: u32) -> bool {
    let block = &func.blocks[block as usize];
    let first = func.insts.get(block.start as usize);
    if first.is_some_and(|inst| inst.op == pseudo::ENTRY) && point <= Edit::before(block.start) {
        return false;
    }
    let last_before = match block.term {
        Term::Branch(None) | Term::Return | Term::Switch | Term::Invoke => block.end.saturating_sub(1),
        Term::Branch(Some(_)) => block.end.saturating_sub(2),
        Term::Jump | Term::Stop => return true,
    };
    point <= Edit::before(last_before.max(block.start))
}
