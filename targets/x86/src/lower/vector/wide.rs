//! Vectors of 256 bits, which are only passed: put together of two halves, and halves of them.

use super::super::{result, type_of};
use super::shape;
use crate::build::*;
use crate::regs::WIDE_VECTOR_BYTES;
use crate::table::Op;
use frazil_codegen::vectors::shuffle_index;
use frazil_codegen::{LowerCtx, VectorShape};
use frazil_ir::{Function, InstData, Opcode, Type, TypeTable};

/// Whether a vector is one that is only passed.
pub fn is_wide(types: &TypeTable, ty: Type) -> bool {
    let shape = VectorShape::of(types, ty, WIDE_VECTOR_BYTES);
    let is_whole = |shape: VectorShape| shape.lanes * shape.lane_bits == u32::from(WIDE_VECTOR_BYTES) * 8;
    shape.is_some_and(|shape| is_whole(shape) && !shape.is_mask && shape.lane_bits <= 64)
}

/// Whether an instruction is a shuffle that joins two halves, or takes one.
pub fn is_done(function: &Function, data: &InstData) -> bool {
    if data.op != Opcode::Shuffle {
        return false;
    }
    let is_wide = |ty| is_wide(function.types(), ty);
    is_wide(data.ty) || function.operand_type(data.a).is_some_and(is_wide)
}

/// Lowers what [`is_done`] says yes to. Legalisation makes no others: all lanes in order, from the start of a half on.
pub fn shuffle<C: LowerCtx>(cx: &mut C, data: &InstData) {
    let (second, mask) = cx.func().ternary(data);
    let from = type_of(cx, data.a);
    if !is_wide(cx.func().types(), from) {
        let high = cx.use_reg(second, 0);
        let low = cx.use_reg(data.a, 0);
        let dst = cx.def(result(data), 0);
        return cx.emit(rrri(Op::Vinsertf128RRRI, WIDE_VECTOR_BYTES, dst, low, high, 1));
    }
    let lane_bits = shape(cx.func().types(), data.ty).map_or(0, |shape| shape.lane_bits);
    let first = shuffle_index(cx.func(), mask, 0).unwrap_or(0);
    let src = cx.use_reg(data.a, 0);
    let dst = cx.def(result(data), 0);
    cx.emit(match first * lane_bits {
        0 => rr(Op::MovapRR, 4, dst, src),
        _ => rri(Op::Vextractf128RRI, WIDE_VECTOR_BYTES, dst, src, 1),
    });
}
