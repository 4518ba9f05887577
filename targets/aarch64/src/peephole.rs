//! Rules for the passes over machine code: which conditions an instruction reads, and which instructions leave flags
//! besides their result.
//!
//! A comparison is a difference whose result nobody gets: `cmp` leaves the flags of `subs`, `cmn` those of `adds`,
//! `tst` those of `ands` (Arm ARM, C6.2). After a comparison with zero, the carry is set and there is no overflow;
//! after `ands`, both are clear. So conditions that ask for the sign and for zero alone hold after any instruction
//! that leaves flags of a result, and those of signed order after `ands`, too.
//!
//! Instructions whose result is the stack pointer have no form that leaves flags.

use crate::cond::Cond;
use crate::ops::Form;
use crate::pairs;
use crate::regs::{SP, XZR};
use crate::table::{Op, ROWS};
use frazil_codegen::pass::MachRules;
use frazil_codegen::{MInst, Reg};

/// The rules of AArch64.
#[derive(Clone, Copy, Debug)]
pub struct AArch64Rules;

/// Conditions that ask for the sign and for zero only.
const OF_RESULT: u16 = 1 << Cond::Eq as u16 | 1 << Cond::Ne as u16 | 1 << Cond::Mi as u16 | 1 << Cond::Pl as u16;

/// Those that hold as well if there is no overflow.
const WITHOUT_OVERFLOW: u16 = OF_RESULT
    | 1 << Cond::Gt as u16
    | 1 << Cond::Le as u16
    | 1 << Cond::Ge as u16
    | 1 << Cond::Lt as u16
    | 1 << Cond::Vs as u16
    | 1 << Cond::Vc as u16;

/// The row of an instruction, unless it is one of all targets.
pub(crate) fn op_of(inst: &MInst) -> Option<Op> {
    Op::ALL.get(usize::from(inst.op)).copied()
}

/// The condition that an instruction has, if its row has one.
pub(crate) fn condition(inst: &MInst) -> Option<Cond> {
    let form = ROWS[op_of(inst)? as usize].code.form;
    let has_condition = matches!(
        form,
        Form::BranchIf | Form::Select | Form::Set | Form::CompareIf | Form::CompareImmIf
    );
    has_condition.then(|| Cond::from_number(inst.condition()))
}

/// The row that leaves flags besides the same result.
fn setting_flags(op: Op) -> Option<Op> {
    Some(match op {
        Op::Add => Op::Adds,
        Op::Sub => Op::Subs,
        Op::And => Op::Ands,
        Op::Bic => Op::Bics,
        Op::AddExt => Op::AddsExt,
        Op::SubExt => Op::SubsExt,
        Op::AddI => Op::AddsI,
        Op::SubI => Op::SubsI,
        Op::AndI => Op::AndsI,
        _ => return None,
    })
}

/// The row whose result a comparison leaves to nobody.
fn compared(op: Op) -> Option<Op> {
    Some(match op {
        Op::Cmp => Op::Sub,
        Op::Cmn => Op::Add,
        Op::Tst => Op::And,
        Op::CmpExt => Op::SubExt,
        Op::CmnExt => Op::AddExt,
        Op::CmpI => Op::SubI,
        Op::CmnI => Op::AddI,
        Op::TstI => Op::AndI,
        _ => return None,
    })
}

/// The conditions about which an instruction that leaves flags says the same as a comparison of its result with zero.
fn known_of_result(op: Op) -> u16 {
    match op {
        Op::Ands | Op::Bics | Op::AndsI => WITHOUT_OVERFLOW,
        _ => OF_RESULT,
    }
}

impl MachRules for AArch64Rules {
    fn conditions(&self, inst: &MInst) -> u16 {
        condition(inst).map_or(u16::MAX, |condition| 1 << condition as u16)
    }

    fn tested(&self, inst: &MInst) -> Option<Reg> {
        let reg = inst.reg(0);
        let is_test = match op_of(inst)? {
            Op::CmpI => inst.imm == 0,
            Op::Cmp => inst.reg(1) == XZR,
            _ => false,
        };
        (is_test && reg != XZR && reg != SP).then_some(reg)
    }

    fn after_test(&self, inst: &MInst) -> MInst {
        let simpler = match condition(inst) {
            Some(Cond::Lt) => Cond::Mi,
            Some(Cond::Ge) => Cond::Pl,
            Some(Cond::Hi) => Cond::Ne,
            Some(Cond::Ls) => Cond::Eq,
            _ => return *inst,
        };
        inst.with_aux(inst.aux & !15 | simpler as u8)
    }

    fn sets_flags_like(&self, producer: &MInst, test: &MInst, conditions: u16) -> bool {
        let known = match op_of(producer) {
            Some(
                op @ (Op::Adds
                | Op::Subs
                | Op::Ands
                | Op::Bics
                | Op::AddsExt
                | Op::SubsExt
                | Op::AddsI
                | Op::SubsI
                | Op::AndsI),
            ) => known_of_result(op),
            _ => 0,
        };
        producer.size == test.size && conditions & !known == 0
    }

    fn with_flags(&self, producer: &MInst, test: &MInst, conditions: u16) -> Option<MInst> {
        let op = setting_flags(op_of(producer)?)?;
        let is_known = producer.size == test.size && conditions & !known_of_result(op) == 0;
        (is_known && producer.reg(0) != SP).then(|| producer.with_op(op as u16))
    }

    fn joins_results(&self) -> bool {
        true
    }

    fn has_pairs(&self) -> bool {
        true
    }

    fn paired(&self, first: &MInst, second: &MInst) -> Option<MInst> {
        pairs::paired(first, second)
    }

    fn with_result(&self, compare: &MInst, other: &MInst) -> Option<MInst> {
        let op = op_of(other)?;
        if compared(op_of(compare)?) != Some(op) || compare.size != other.size || other.reg(0) == SP {
            return None;
        }
        let has_same_operands = (compare.reg(0), compare.reg(1)) == (other.reg(1), other.reg(2))
            && (compare.imm, compare.disp) == (other.imm, other.disp);
        let op = setting_flags(op).filter(|_| has_same_operands)?;
        Some(other.with_op(op as u16))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::build::{branch_if, r, ri, rr, rri, rrr};
    use crate::regs::x;
    use frazil_codegen::Label;

    #[test]
    fn a_comparison_takes_the_result_of_the_same_operands() {
        let rules = AArch64Rules;
        let compare = rr(Op::Cmp, 8, x(1), x(2));
        let joined = rules.with_result(&compare, &rrr(Op::Sub, 8, x(0), x(1), x(2)));
        assert_eq!(joined, Some(rrr(Op::Subs, 8, x(0), x(1), x(2))));
        assert_eq!(rules.with_result(&compare, &rrr(Op::Sub, 8, x(0), x(2), x(1))), None);
        assert_eq!(rules.with_result(&compare, &rrr(Op::Sub, 4, x(0), x(1), x(2))), None);
        let shifted = rrr(Op::Sub, 8, x(0), x(1), x(2)).with_imm(3);
        assert_eq!(rules.with_result(&compare, &shifted), None);
        let compare = ri(Op::CmpI, 4, x(1), 1);
        let joined = rules.with_result(&compare, &rri(Op::SubI, 4, x(1), x(1), 1));
        assert_eq!(joined, Some(rri(Op::SubsI, 4, x(1), x(1), 1)));
        assert_eq!(rules.with_result(&compare, &rri(Op::AddI, 4, x(1), x(1), 1)), None);
        assert_eq!(rules.with_result(&compare, &rri(Op::SubI, 4, SP, x(1), 1)), None);
    }

    #[test]
    fn a_result_has_the_flags_of_its_comparison_with_zero_as_far_as_they_are_known() {
        let rules = AArch64Rules;
        let test = ri(Op::CmpI, 8, x(0), 0);
        let of = |cond: Cond| rules.conditions(&rules.after_test(&branch_if(cond, Label(0))));
        let sum = rrr(Op::Add, 8, x(0), x(1), x(2));
        let product = rrr(Op::And, 8, x(0), x(1), x(2));
        for cond in [
            Cond::Eq,
            Cond::Ne,
            Cond::Mi,
            Cond::Pl,
            Cond::Lt,
            Cond::Ge,
            Cond::Hi,
            Cond::Ls,
        ] {
            assert!(rules.with_flags(&sum, &test, of(cond)).is_some(), "{cond:?}");
            assert!(rules.with_flags(&product, &test, of(cond)).is_some(), "{cond:?}");
        }
        for cond in [Cond::Gt, Cond::Le] {
            assert!(rules.with_flags(&sum, &test, of(cond)).is_none(), "{cond:?}");
            assert!(rules.with_flags(&product, &test, of(cond)).is_some(), "{cond:?}");
        }
        for cond in [Cond::Hs, Cond::Lo] {
            assert!(rules.with_flags(&product, &test, of(cond)).is_none(), "{cond:?}");
        }
        assert!(rules.with_flags(&r(Op::Csetm, 8, x(0)), &test, of(Cond::Eq)).is_none());
    }
}
