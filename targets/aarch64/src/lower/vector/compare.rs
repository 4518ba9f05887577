//! Comparisons of vectors; the results are masks.

use super::{bitwise, mask, on, result, temp};
use crate::table::Op;
use frazil_codegen::{LowerCtx, Reg, VectorShape};
use frazil_ir::{InstData, Opcode};

/// Lowers an integer comparison.
pub fn integers<C: LowerCtx>(cx: &mut C, data: &InstData, shape: VectorShape) {
    let (row, is_swapped, is_inverted) = match data.op {
        Opcode::IcmpEq => (Op::CmeqV, false, false),
        Opcode::IcmpNe => (Op::CmeqV, false, true),
        Opcode::IcmpUgt => (Op::CmhiV, false, false),
        Opcode::IcmpUge => (Op::CmhsV, false, false),
        Opcode::IcmpUlt => (Op::CmhiV, true, false),
        Opcode::IcmpUle => (Op::CmhsV, true, false),
        Opcode::IcmpSgt => (Op::CmgtV, false, false),
        Opcode::IcmpSge => (Op::CmgeV, false, false),
        Opcode::IcmpSlt => (Op::CmgtV, true, false),
        _ => (Op::CmgeV, true, false),
    };
    let left = cx.use_reg(data.a, 0);
    let right = cx.use_reg(data.b, 0);
    let dst = cx.def(result(data), 0);
    let (left, right) = if is_swapped { (right, left) } else { (left, right) };
    cx.emit(on(row, shape.lane_bits, [dst, left, right]));
    if is_inverted {
        cx.emit(bitwise(Op::NotV, dst, dst, Reg::NONE));
    }
    mask::resize(cx, dst, shape.lane_bits, mask::lane_bits(shape.lanes));
}

/// Lowers a comparison of floats.
pub fn floats<C: LowerCtx>(cx: &mut C, data: &InstData, shape: VectorShape) {
    let bits = shape.lane_bits;
    let left = cx.use_reg(data.a, 0);
    let right = cx.use_reg(data.b, 0);
    let other = temp(cx);
    let dst = cx.def(result(data), 0);
    // Two comparisons are joined where there is none for it; the first one is written last.
    let (first, second, is_inverted) = match data.op {
        Opcode::FcmpOeq => (Some((Op::FcmeqV, false)), None, false),
        Opcode::FcmpUne => (Some((Op::FcmeqV, false)), None, true),
        Opcode::FcmpOgt => (Some((Op::FcmgtV, false)), None, false),
        Opcode::FcmpUle => (Some((Op::FcmgtV, false)), None, true),
        Opcode::FcmpOge => (Some((Op::FcmgeV, false)), None, false),
        Opcode::FcmpUlt => (Some((Op::FcmgeV, false)), None, true),
        Opcode::FcmpOlt => (Some((Op::FcmgtV, true)), None, false),
        Opcode::FcmpUge => (Some((Op::FcmgtV, true)), None, true),
        Opcode::FcmpOle => (Some((Op::FcmgeV, true)), None, false),
        Opcode::FcmpUgt => (Some((Op::FcmgeV, true)), None, true),
        Opcode::FcmpOne | Opcode::FcmpUeq => {
            let is_inverted = data.op == Opcode::FcmpUeq;
            (Some((Op::FcmgtV, false)), Some((Op::FcmgtV, true)), is_inverted)
        }
        Opcode::FcmpOrd | Opcode::FcmpUno => {
            let is_inverted = data.op == Opcode::FcmpUno;
            (Some((Op::FcmgeV, false)), Some((Op::FcmgtV, true)), is_inverted)
        }
        op => (None, None, op == Opcode::FcmpTrue),
    };
    let compare = |dst, (row, is_swapped)| {
        let (left, right) = if is_swapped { (right, left) } else { (left, right) };
        on(row, bits, [dst, left, right])
    };
    if let Some(second) = second {
        cx.emit(compare(other, second));
    }
    match first {
        Some(first) => cx.emit(compare(dst, first)),
        None => cx.emit(crate::build::r(Op::MoviZero, 16, dst)),
    }
    if second.is_some() {
        cx.emit(bitwise(Op::OrrV, dst, dst, other));
    }
    if is_inverted {
        cx.emit(bitwise(Op::NotV, dst, dst, Reg::NONE));
    }
    mask::resize(cx, dst, bits, mask::lane_bits(shape.lanes));
}
