//! Conditions on the flags, and what comparisons of one and of two registers have in common.

use super::{int_bits, result};
use crate::build::shr;
use crate::cond::Cond;
use frazil_codegen::{LowerCtx, Reg};
use frazil_ir::{InstData, Opcode};

/// Conditions on the flags, one of which must hold.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Test {
    pub first: Cond,
    pub second: Option<Cond>,
}

impl Test {
    pub(crate) fn one(cond: Cond) -> Test {
        Test {
            first: cond,
            second: None,
        }
    }
}

/// The condition of an integer comparison.
pub(crate) fn icmp_cond(op: Opcode) -> Cond {
    match op {
        Opcode::IcmpEq => Cond::Eq,
        Opcode::IcmpNe => Cond::Ne,
        Opcode::IcmpUgt => Cond::Hi,
        Opcode::IcmpUge => Cond::Hs,
        Opcode::IcmpUlt => Cond::Lo,
        Opcode::IcmpUle => Cond::Ls,
        Opcode::IcmpSgt => Cond::Gt,
        Opcode::IcmpSge => Cond::Ge,
        Opcode::IcmpSlt => Cond::Lt,
        _ => Cond::Le,
    }
}

/// Whether a condition is about numbers with signs.
pub(crate) fn is_signed(cond: Cond) -> bool {
    matches!(cond, Cond::Gt | Cond::Ge | Cond::Lt | Cond::Le)
}

/// The condition for exchanged operands.
pub(crate) fn swapped(cond: Cond) -> Cond {
    cond.swapped().unwrap_or(cond)
}

/// The upper part of a result of 64 bits that is wanted wider.
pub(crate) fn finish_three_way<C: LowerCtx>(cx: &mut C, data: &InstData, low: Reg) {
    if int_bits(cx, data.ty) > 64 {
        let high = cx.def(result(data), 1);
        cx.emit(shr(true, 8, high, low, 63));
    }
}
