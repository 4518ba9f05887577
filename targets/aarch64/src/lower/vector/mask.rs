//! Masks: between lane widths, as the bits of an integer, and selects by them.

use super::super::compare as scalar_compare;
use super::{bitwise, loaded, on, on_one, result, shape, temp, type_of};
use crate::build::*;
use crate::regs::XZR;
use crate::table::Op;
use frazil_codegen::{CodegenError, LowerCtx, Reg, RegClass, VectorShape};
use frazil_ir::{InstData, Operand};

/// Bits of a mask's lanes in its register, by the number of lanes.
pub(super) fn lane_bits(lanes: u32) -> u32 {
    (128 / lanes.next_power_of_two()).min(64)
}

/// Brings the lanes of a mask, in a register of the rule, to another width. All bits of a lane are alike, so that
/// every second narrow lane is a mask of narrow lanes, and each narrow lane twice one of wide lanes.
pub(super) fn resize<C: LowerCtx>(cx: &mut C, mask: Reg, from_bits: u32, to_bits: u32) {
    let mut bits = from_bits;
    while bits > to_bits {
        bits /= 2;
        cx.emit(on(Op::Uzp1, bits, [mask, mask, mask]));
    }
    while bits < to_bits {
        cx.emit(on(Op::Zip1, bits, [mask, mask, mask]));
        bits *= 2;
    }
}

/// A bit of its own for each lane: of sixteen lanes, for each half of them.
fn own_bits(shape: VectorShape, is_clear_beyond: bool) -> u128 {
    (0..128 / shape.lane_bits).fold(0, |all, lane| {
        let is_beyond = is_clear_beyond && lane >= shape.lanes;
        let bit = if is_beyond { 0 } else { 1u128 << (lane % 8) };
        all | bit << (lane * shape.lane_bits)
    })
}

/// The lanes of a mask as bits of a general register, the first lowest; what is above them is undefined.
pub(super) fn to_bits<C: LowerCtx>(cx: &mut C, dst: Reg, mask: Reg, shape: VectorShape) {
    let sum = temp(cx);
    let bits = loaded(cx, own_bits(shape, true));
    cx.emit(bitwise(Op::AndV, sum, mask, bits));
    match shape.lane_bits {
        8 => {
            // Each lane beside that of the other half.
            cx.emit(bitwise(Op::ExtV, bits, sum, sum).with_imm(8));
            cx.emit(on(Op::Zip1, 8, [sum, sum, bits]));
            cx.emit(on_one(Op::Addv, 16, sum, sum));
        }
        64 => cx.emit(on_one(Op::AddpD, 64, sum, sum)),
        width => cx.emit(on_one(Op::Addv, width, sum, sum)),
    }
    cx.emit(rr(Op::FmovToInt, 4, dst, sum));
}

/// A mask of the low bits of a general register.
pub(super) fn from_bits<C: LowerCtx>(cx: &mut C, dst: Reg, bits: Reg, shape: VectorShape) {
    let tested = loaded(cx, own_bits(shape, false));
    if shape.lane_bits == 8 {
        // The first byte in one half, the second one in the other.
        let halves = loaded(cx, 0x0101_0101_0101_0101 << 64);
        cx.emit(rr(Op::FmovFromInt, 4, dst, bits));
        cx.emit(bitwise(Op::Tbl, dst, dst, halves));
    } else {
        cx.emit(on_one(Op::DupGeneral, shape.lane_bits, dst, bits));
    }
    cx.emit(on(Op::CmtstV, shape.lane_bits, [dst, dst, tested]));
}

/// Lowers `select` of vectors, by one condition or by a mask.
pub fn select<C: LowerCtx>(cx: &mut C, data: &InstData, to: VectorShape) -> Result<(), CodegenError> {
    let (if_true, if_false) = cx.func().ternary(data);
    if let Some(condition) = data.a.as_imm() {
        let src = cx.use_last(if condition != 0 { if_true } else { if_false }, 0);
        cx.def_reuse(result(data), 0, src);
        return Ok(());
    }
    let condition_shape = shape(cx.func().types(), type_of(cx, data.a));
    let Some(from) = condition_shape else {
        return select_by_one(cx, data, if_true, if_false);
    };
    let on_true = cx.use_reg(if_true, 0);
    let on_false = cx.use_reg(if_false, 0);
    if from.lane_bits == to.lane_bits {
        let mask = cx.use_last(data.a, 0);
        let dst = cx.def_reuse(result(data), 0, mask);
        cx.emit(bitwise(Op::BslV, dst, on_true, on_false));
        return Ok(());
    }
    let mask = cx.use_copy(data.a, 0);
    resize(cx, mask, from.lane_bits, to.lane_bits);
    let dst = cx.def_reuse(result(data), 0, mask);
    cx.emit(bitwise(Op::BslV, dst, on_true, on_false));
    Ok(())
}

/// By a condition that is one bit: it is spread over a register.
fn select_by_one<C: LowerCtx>(
    cx: &mut C,
    data: &InstData,
    if_true: Operand,
    if_false: Operand,
) -> Result<(), CodegenError> {
    let on_true = cx.use_reg(if_true, 0);
    let on_false = cx.use_reg(if_false, 0);
    let spread = cx.temp(RegClass::Int);
    let mask = temp(cx);
    let test = scalar_compare::test(cx, data.a)?;
    cx.emit(conditional(Op::Csetm, 8, [spread, Reg::NONE, Reg::NONE], test.first));
    if let Some(second) = test.second {
        // All ones, too, where this one holds.
        cx.emit(conditional(Op::Csinv, 8, [spread, spread, XZR], second.inverse()));
    }
    cx.emit(on_one(Op::DupGeneral, 64, mask, spread));
    let dst = cx.def_reuse(result(data), 0, mask);
    cx.emit(bitwise(Op::BslV, dst, on_true, on_false));
    Ok(())
}
