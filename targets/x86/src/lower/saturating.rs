//! Arithmetic that stays at the ends of the range.
//!
//! Sums and differences are those of [`super::overflow`], replaced by the nearest limit where they overflowed. The
//! limit is prepared before the operation, while the operand that tells its sign is still there.

use super::overflow::{Sum, checked_bits};
use super::shift::count_to_cl;
use super::wide::{self, Pair, shift_pair, spread_sign};
use super::{result, size_of_bits, word_bits};
use crate::build::*;
use crate::cond::Cond;
use crate::ops::op_size;
use crate::table::Op;
use frazil_codegen::{CodegenError, LowerCtx, Reg, RegClass};
use frazil_ir::{InstData, Opcode};

/// Lowers the saturating operations.
pub fn saturating<C: LowerCtx>(cx: &mut C, data: &InstData) -> Result<(), CodegenError> {
    let bits = checked_bits(cx, data)?;
    match Sum::of(data, bits) {
        Some(sum) if bits > word_bits::<C>() => saturating_sum_wide(cx, data, sum),
        Some(sum) => saturating_sum(cx, data, sum),
        None if bits > word_bits::<C>() => saturating_shift_wide(cx, data, bits),
        None => saturating_shift(cx, data, bits),
    }
    Ok(())
}

fn saturating_sum<C: LowerCtx>(cx: &mut C, data: &InstData, sum: Sum) {
    let operands = sum.operands(cx, data);
    let limit = if sum.signed {
        signed_limit(cx, operands.size, sum.bits, operands.left)
    } else {
        let limit = cx.temp(RegClass::Int);
        cx.emit(mov_imm(
            C::WORD_BYTES,
            limit,
            if sum.op == Opcode::Add { -1 } else { 0 },
        ));
        limit
    };
    let cond = sum.compute(cx, operands);
    cx.emit(cmov(cond, op_size(operands.size), operands.left, limit));
    cx.def_reuse(result(data), 0, operands.left);
}

/// The smallest number of `bits` bits if `value` (of `size` bytes) is negative, else the largest.
fn signed_limit<C: LowerCtx>(cx: &mut C, size: u8, bits: u32, value: Reg) -> Reg {
    let (sign, limit) = (cx.temp(RegClass::Int), cx.temp(RegClass::Int));
    cx.emit(rr(Op::MovRR, op_size(size), sign, value));
    cx.emit(ri(Op::ShrRI, size, sign, i32::from(size) * 8 - 1));
    cx.emit(mov_imm(op_size(size), limit, i64::MAX >> (64 - bits)));
    cx.emit(rr(Op::AddRR, size, limit, sign));
    limit
}

fn saturating_sum_wide<C: LowerCtx>(cx: &mut C, data: &InstData, sum: Sum) {
    let operands = sum.wide_operands(cx, data);
    let limit = pair_of_temporaries(cx);
    if sum.signed {
        // The low part of the largest number is all ones, that of the smallest zero.
        cx.emit(mov_imm(8, limit.low, i64::MAX >> (128 - sum.bits)));
        spread_sign(cx, limit.high, operands.left.high);
        cx.emit(rr(Op::XorRR, 8, limit.high, limit.low));
        spread_sign(cx, limit.low, operands.left.high);
        cx.emit(r(Op::NotR, 8, limit.low));
    } else {
        let fill = if sum.op == Opcode::Add { -1 } else { 0 };
        cx.emit(mov_imm(8, limit.low, fill));
        cx.emit(mov_imm(8, limit.high, fill));
    }
    let cond = sum.compute_wide(cx, operands);
    cx.emit(cmov(cond, 8, operands.left.low, limit.low));
    cx.emit(cmov(cond, 8, operands.left.high, limit.high));
    wide::define(cx, data, operands.left);
}

/// Shifts at the top of the register, so that what leaves the value leaves the register: shifting back then does not
/// give the operand.
fn saturating_shift<C: LowerCtx>(cx: &mut C, data: &InstData, bits: u32) {
    let signed = data.op == Opcode::SshlSat;
    let size = size_of_bits(bits);
    let distance = i32::from(size) * 8 - bits.cast_signed();
    count_to_cl(cx, data.b, bits);
    let value = cx.use_copy(data.a, 0);
    let (shifted, back) = (cx.temp(RegClass::Int), cx.temp(RegClass::Int));
    if distance > 0 {
        cx.emit(ri(Op::ShlRI, size, value, distance));
    }
    let limit = if signed {
        signed_limit(cx, size, u32::from(size) * 8, value)
    } else {
        let limit = cx.temp(RegClass::Int);
        cx.emit(mov_imm(C::WORD_BYTES, limit, -1));
        limit
    };
    cx.emit(rr(Op::MovRR, size, shifted, value));
    cx.emit(r(Op::ShlRC, size, shifted));
    cx.emit(rr(Op::MovRR, size, back, shifted));
    cx.emit(r(if signed { Op::SarRC } else { Op::ShrRC }, size, back));
    cx.emit(rr(Op::CmpRR, size, back, value));
    cx.emit(cmov(Cond::Ne, size, shifted, limit));
    if distance > 0 {
        cx.emit(ri(Op::ShrRI, size, shifted, distance));
    }
    cx.def_reuse(result(data), 0, shifted);
}

/// The same in two registers. What shifting back leaves of the operand is collected in `back.low`; then the operand's
/// registers serve for the limit.
fn saturating_shift_wide<C: LowerCtx>(cx: &mut C, data: &InstData, bits: u32) {
    let signed = data.op == Opcode::SshlSat;
    count_to_cl(cx, data.b, bits);
    let value = wide::left_justified(cx, data.a, bits);
    let shifted = pair_of_temporaries(cx);
    let back = pair_of_temporaries(cx);
    let spare = cx.temp(RegClass::Int);
    move_pair(cx, shifted, value);
    shift_pair(cx, Opcode::Shl, shifted, spare);
    move_pair(cx, back, shifted);
    shift_pair(cx, if signed { Opcode::Ashr } else { Opcode::Lshr }, back, spare);
    cx.emit(rr(Op::XorRR, 8, back.low, value.low));
    cx.emit(rr(Op::XorRR, 8, back.high, value.high));
    cx.emit(rr(Op::OrRR, 8, back.low, back.high));
    let limit = Pair {
        low: spare,
        high: value.low,
    };
    if signed {
        spread_sign(cx, limit.low, value.high);
        cx.emit(mov_imm(8, limit.high, i64::MAX));
        cx.emit(rr(Op::XorRR, 8, limit.high, limit.low));
        cx.emit(r(Op::NotR, 8, limit.low));
    } else {
        cx.emit(mov_imm(8, limit.low, -1));
        cx.emit(mov_imm(8, limit.high, -1));
    }
    cx.emit(rr(Op::TestRR, 8, back.low, back.low));
    cx.emit(cmov(Cond::Ne, 8, shifted.low, limit.low));
    cx.emit(cmov(Cond::Ne, 8, shifted.high, limit.high));
    if bits < 128 {
        let distance = (128 - bits).cast_signed();
        cx.emit(rri(Op::ShrdRRI, 8, shifted.low, shifted.high, distance));
        cx.emit(ri(Op::ShrRI, 8, shifted.high, distance));
    }
    wide::define(cx, data, shifted);
}

fn pair_of_temporaries<C: LowerCtx>(cx: &mut C) -> Pair {
    Pair {
        low: cx.temp(RegClass::Int),
        high: cx.temp(RegClass::Int),
    }
}

fn move_pair<C: LowerCtx>(cx: &mut C, dst: Pair, src: Pair) {
    cx.emit(rr(Op::MovRR, 8, dst.low, src.low));
    cx.emit(rr(Op::MovRR, 8, dst.high, src.high));
}
