//! Registers whose lowest byte instructions can name by themselves ([`TargetDesc::byte_registers`]): which bundles get
//! no others.
//!
//! A bundle is one of them for all of its life as soon as one instruction names a byte of it. Only where no such
//! register can be had does it get another one. An instruction that needs a byte of such a register then takes two
//! exchanges more, which the encoder adds: correctness does not depend on what is found here.
//!
//! [`TargetDesc::byte_registers`]: crate::desc::TargetDesc::byte_registers

use super::AllocatorInput;
use super::intervals::Intervals;
use super::positions::NONE;
use crate::desc::Role;
use crate::mfunc::{MFunc, for_each_register, op_desc};
use crate::reg::RegClass;

/// Marks the bundles whose bytes are named.
#[cold]
pub(super) fn mark(func: &MFunc, input: &AllocatorInput<'_>, intervals: &mut Intervals) {
    for inst in &func.insts {
        let desc = op_desc(input.ops, inst.op);
        for_each_register(inst, desc, |slot, reg, role| {
            let is_byte =
                matches!(role, Role::Use | Role::Def | Role::UseDef) && desc.operand_bytes(slot, inst.size) == 1;
            if is_byte && reg.is_virtual() && func.vreg(reg).class == RegClass::Int {
                let bundle = intervals.bundle_of[reg.virtual_index()];
                if bundle != NONE {
                    intervals.bundles[bundle as usize].names_byte = true;
                }
            }
        });
    }
}
