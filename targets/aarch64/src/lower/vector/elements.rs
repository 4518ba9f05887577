//! Elements of vectors, with a constant index.

use super::super::any_float_bytes;
use super::{from_general, on_one, result, to_general};
use crate::build::*;
use crate::table::Op;
use frazil_codegen::{LowerCtx, RegClass, VectorShape};
use frazil_ir::{ConstView, InstData};

/// Whether elements are in vector registers.
fn is_float(shape: VectorShape) -> bool {
    any_float_bytes(shape.element) > 0
}

/// Lowers `extract_element`.
pub fn extract<C: LowerCtx>(cx: &mut C, data: &InstData, shape: VectorShape) {
    let index = shape.lane(cx.func(), data.b).unwrap_or(0);
    if is_float(shape) && index == 0 {
        let src = cx.use_last(data.a, 0);
        cx.def_reuse(result(data), 0, src);
        return;
    }
    let src = cx.use_reg(data.a, 0);
    let dst = cx.def(result(data), 0);
    if is_float(shape) {
        let lane = on_one(Op::LaneScalar, shape.lane_bits, dst, src);
        return cx.emit(lane.with_imm(index.cast_signed()));
    }
    if shape.lane_bits == 128 {
        let high = cx.def(result(data), 1);
        to_general(cx, dst, src, 0);
        return to_general(cx, high, src, 1);
    }
    let mut lane = on_one(Op::Umov, shape.lane_bits, dst, src);
    lane.size = if shape.lane_bits == 64 { 8 } else { 4 };
    cx.emit(lane.with_imm(index.cast_signed()));
}

/// Lowers `insert_element`.
pub fn insert<C: LowerCtx>(cx: &mut C, data: &InstData, shape: VectorShape) {
    let (value, index) = cx.func().ternary(data);
    let index = shape.lane(cx.func(), index).unwrap_or(0);
    if shape.lane_bits == 128 {
        let (low, high) = (cx.use_reg(value, 0), cx.use_reg(value, 1));
        let dst = cx.def(result(data), 0);
        from_general(cx, dst, low);
        return cx.emit(rr(Op::FmovHighFromInt, 8, dst, high));
    }
    let base = data.a.as_const().map(|id| cx.func().constant(id).1);
    // What is in the other lanes does not matter.
    let is_alone = matches!(base, Some(ConstView::Undef | ConstView::Poison));
    if is_float(shape) {
        if is_alone && index == 0 {
            let src = cx.use_last(value, 0);
            cx.def_reuse(result(data), 0, src);
            return;
        }
        let element = cx.use_reg(value, 0);
        if is_alone {
            let dst = cx.def(result(data), 0);
            return cx.emit(on_one(Op::DupLane, shape.lane_bits, dst, element));
        }
        let src = cx.use_last(data.a, 0);
        let dst = cx.def_reuse(result(data), 0, src);
        let lane = on_one(Op::InsLane, shape.lane_bits, dst, element);
        return cx.emit(lane.with_imm(index.cast_signed()));
    }
    let element = if shape.is_mask {
        let bit = cx.use_reg(value, 0);
        let spread = cx.temp(RegClass::Int);
        cx.emit(bitfield(Op::Sbfm, 8, spread, bit, 0, 0));
        spread
    } else {
        cx.use_reg(value, 0)
    };
    if is_alone {
        let dst = cx.def(result(data), 0);
        return cx.emit(on_one(Op::DupGeneral, shape.lane_bits, dst, element));
    }
    let src = cx.use_last(data.a, 0);
    let dst = cx.def_reuse(result(data), 0, src);
    let lane = on_one(Op::InsGeneral, shape.lane_bits, dst, element);
    cx.emit(lane.with_imm(index.cast_signed()));
}
