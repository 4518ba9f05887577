//! Registers that only some instructions can name: which bundles may not get them.
//!
//! A bundle is confined to the other registers for all of its life as soon as one instruction names it that cannot name
//! all of them, or if an instruction that is repeated for it cannot. Values that need no such instruction are the great
//! majority in functions that have these registers at all; others are not split for their sake.
//!
//! Texts of inline assembly say which registers they can have by the words of other compilers, so what groups name is
//! confined, too.

use super::AllocatorInput;
use super::intervals::Intervals;
use super::positions::NONE;
use super::walk::Copy;
use crate::mfunc::{MFunc, can_rematerialize, for_each_register, op_desc};
use crate::reg::{Reg, RegClass};

/// The number of the set of float registers without those that only some instructions can name.
pub(super) const CONFINED: u8 = RegClass::COUNT as u8;

/// Marks the bundles that are confined.
pub(super) fn confine(func: &MFunc, input: &AllocatorInput<'_>, copies: &[Copy], intervals: &mut Intervals) {
    // By virtual register: whether what makes its constant cannot name the registers.
    let mut is_repeated = Vec::new();
    let mut next_group = 0;
    for (index, inst) in func.insts.iter().enumerate() {
        while func
            .groups
            .get(next_group)
            .is_some_and(|group| group.end as usize <= index)
        {
            next_group += 1;
        }
        let is_in_group = func
            .groups
            .get(next_group)
            .is_some_and(|group| group.start as usize <= index);
        let desc = op_desc(input.ops, inst.op);
        if !is_in_group && desc.names_upper {
            continue;
        }
        for_each_register(inst, desc, |_, reg, _| confine_one(func, reg, intervals));
        if can_rematerialize(inst, desc) && inst.reg(0).is_virtual() {
            is_repeated.resize(func.vregs.len(), false);
            is_repeated[inst.reg(0).virtual_index()] = true;
        }
    }
    for copy in copies.iter().filter(|copy| copy.src.is_virtual()) {
        let is_made_by_others = match func.vreg(copy.src).constant {
            Some(constant) => {
                let inst = &func.constants[constant as usize];
                !op_desc(input.ops, inst.op).names_upper
            }
            None => is_repeated.get(copy.src.virtual_index()) == Some(&true),
        };
        if is_made_by_others {
            confine_one(func, copy.dst, intervals);
        }
    }
}

fn confine_one(func: &MFunc, reg: Reg, intervals: &mut Intervals) {
    if reg.is_virtual() && func.vreg(reg).class == RegClass::Float {
        let bundle = intervals.bundle_of[reg.virtual_index()];
        if bundle != NONE {
            intervals.bundles[bundle as usize].set = CONFINED;
        }
    }
}
