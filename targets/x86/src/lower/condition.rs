//! Conditions on the flags, and what comparisons of one and of two registers have in common.

use super::alu::Alu;
use super::{class_of, is_wide, result, top_bit};
use crate::build::*;
use crate::cond::Cond;
use crate::table::Op;
use frazil_codegen::{Join, LowerCtx, Reg, RegClass};
use frazil_ir::{InstData, Opcode};

/// A condition on the flags; two for floating-point equality.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Test {
    pub first: Cond,
    pub second: Option<(Join, Cond)>,
}

impl Test {
    pub(crate) fn one(cond: Cond) -> Test {
        Test {
            first: cond,
            second: None,
        }
    }
}

/// The rows of a comparison.
pub(crate) const COMPARE: Alu = Alu {
    rr: Op::CmpRR,
    rm: Op::CmpRM,
    ri: Op::CmpRI,
};

/// The condition of an integer comparison.
pub(crate) fn icmp_cond(op: Opcode) -> Cond {
    match op {
        Opcode::IcmpEq => Cond::E,
        Opcode::IcmpNe => Cond::Ne,
        Opcode::IcmpUgt => Cond::A,
        Opcode::IcmpUge => Cond::Ae,
        Opcode::IcmpUlt => Cond::B,
        Opcode::IcmpUle => Cond::Be,
        Opcode::IcmpSgt => Cond::G,
        Opcode::IcmpSge => Cond::Ge,
        Opcode::IcmpSlt => Cond::L,
        _ => Cond::Le,
    }
}

/// Widens the byte -1, 0 or 1 in `byte` to the result.
pub(crate) fn finish_three_way<C: LowerCtx>(cx: &mut C, data: &InstData, byte: Reg) {
    cx.emit(rr(Op::MovsxBRR, C::WORD_BYTES, byte, byte));
    let wide_result = is_wide(cx, data.ty);
    let dst = cx.def_reuse(result(data), 0, byte);
    if wide_result {
        let high = cx.def(result(data), 1);
        cx.emit(rr(Op::MovRR, C::WORD_BYTES, high, dst));
        cx.emit(ri(Op::SarRI, C::WORD_BYTES, high, top_bit::<C>()));
    }
    debug_assert!(class_of(data.ty) == RegClass::Int);
}
