//! Arithmetic that saturates.
//!
//! With both operands at the top of their registers, a sum of any width overflows exactly when the instruction's flags
//! say so, and the limits are those of the register, moved down again like the result.

use super::overflow::Sum;
use super::wide::{Pair, compare_pairs, left_justified, result_pair, shift_pair, temporary_pair};
use super::{checked_bits, extended, result, size_of_bits, use_int};
use crate::build::*;
use crate::cond::Cond;
use crate::regs::XZR;
use crate::table::Op;
use frazil_codegen::{CodegenError, LowerCtx, Reg, RegClass};
use frazil_ir::{InstData, Opcode, Operand};

/// The greatest number with a sign.
const MAX: u64 = u64::MAX >> 1;
/// The smallest one.
const MIN: u64 = !MAX;

/// An operand of at most 64 bits at the top of a register that is only read.
fn justified<C: LowerCtx>(cx: &mut C, operand: Operand, bits: u32, size: u8) -> Reg {
    let value = use_int(cx, operand, 0);
    let distance = u32::from(size) * 8 - bits;
    if distance == 0 || value == XZR {
        return value;
    }
    let moved = cx.temp(RegClass::Int);
    cx.emit(shl(size, moved, value, distance));
    moved
}

/// The mask of ones or the greatest number in a register of this size.
fn sized(value: u64, size: u8) -> u64 {
    if size == 8 { value } else { value >> 32 }
}

/// Moves a result down from the top of its register.
fn move_down<C: LowerCtx>(cx: &mut C, dst: Reg, src: Reg, signed: bool, bits: u32, size: u8) {
    let distance = u32::from(size) * 8 - bits;
    if distance > 0 {
        cx.emit(shr(signed, size, dst, src, distance));
    }
}

/// Lowers uadd_sat, sadd_sat, usub_sat, ssub_sat.
pub fn saturating<C: LowerCtx>(cx: &mut C, data: &InstData) -> Result<(), CodegenError> {
    let bits = checked_bits(cx, data, data.ty)?;
    let Some(sum) = Sum::of(data, bits) else {
        unreachable!("the four opcodes are sums");
    };
    if bits > 64 {
        saturating_wide(cx, data, sum);
        return Ok(());
    }
    let size = size_of_bits(bits);
    let a = justified(cx, data.a, bits, size);
    let b = justified(cx, data.b, bits, size);
    let limit = cx.temp(RegClass::Int);
    let dst = cx.def(result(data), 0);
    let op = if sum.op == Opcode::Add { Op::Adds } else { Op::Subs };
    cx.emit(rrr(op, size, dst, a, b));
    match (sum.signed, sum.op) {
        (true, _) => {
            // A sum that overflowed has the wrong sign.
            cx.emit(shr(true, size, limit, dst, u32::from(size) * 8 - 1));
            cx.emit(logical(Op::EorI, size, limit, limit, sized(MIN, size)));
            cx.emit(csel(size, dst, limit, dst, Cond::Vs));
        }
        (false, Opcode::Add) => cx.emit(conditional(Op::Csinv, size, [dst, dst, XZR], Cond::Lo)),
        (false, _) => cx.emit(csel(size, dst, XZR, dst, Cond::Lo)),
    }
    move_down(cx, dst, dst, sum.signed, bits, size);
    Ok(())
}

fn saturating_wide<C: LowerCtx>(cx: &mut C, data: &InstData, sum: Sum) {
    let a = left_justified(cx, data.a, sum.bits);
    let b = left_justified(cx, data.b, sum.bits);
    let limit = temporary_pair(cx);
    let dst = result_pair(cx, data);
    let (low, high) = match sum.op {
        Opcode::Add => (Op::Adds, Op::Adcs),
        _ => (Op::Subs, Op::Sbcs),
    };
    cx.emit(rrr(low, 8, dst.low, a.low, b.low));
    cx.emit(rrr(high, 8, dst.high, a.high, b.high));
    match (sum.signed, sum.op) {
        (true, _) => {
            cx.emit(shr(true, 8, limit.low, dst.high, 63));
            cx.emit(logical(Op::EorI, 8, limit.high, limit.low, MIN));
            choose(cx, dst, limit, Cond::Vs);
        }
        (false, Opcode::Add) => {
            cx.emit(conditional(Op::Csinv, 8, [dst.low, dst.low, XZR], Cond::Lo));
            cx.emit(conditional(Op::Csinv, 8, [dst.high, dst.high, XZR], Cond::Lo));
        }
        (false, _) => choose(cx, dst, Pair { low: XZR, high: XZR }, Cond::Lo),
    }
    move_pair_down(cx, dst, sum.signed, sum.bits);
}

/// Replaces a pair by another one if a condition holds.
fn choose<C: LowerCtx>(cx: &mut C, dst: Pair, other: Pair, cond: Cond) {
    cx.emit(csel(8, dst.low, other.low, dst.low, cond));
    cx.emit(csel(8, dst.high, other.high, dst.high, cond));
}

fn move_pair_down<C: LowerCtx>(cx: &mut C, pair: Pair, signed: bool, bits: u32) {
    if bits < 128 {
        let distance = 128 - bits;
        cx.emit(rrr(Op::Extr, 8, pair.low, pair.high, pair.low).with_imm(distance.cast_signed()));
        cx.emit(shr(signed, 8, pair.high, pair.high, distance));
    }
}

/// Lowers ushl_sat and sshl_sat: what is shifted out is lost unless shifting back gives the operand again.
pub fn shift<C: LowerCtx>(cx: &mut C, data: &InstData) -> Result<(), CodegenError> {
    let bits = checked_bits(cx, data, data.ty)?;
    let signed = data.op == Opcode::SshlSat;
    if bits > 64 {
        shift_wide(cx, data, bits, signed);
        return Ok(());
    }
    let size = size_of_bits(bits);
    let value = justified(cx, data.a, bits, size);
    let count = extended(cx, data.b, bits, false, size);
    let (back, limit) = (cx.temp(RegClass::Int), cx.temp(RegClass::Int));
    let dst = cx.def(result(data), 0);
    cx.emit(rrr(Op::Lslv, size, dst, value, count));
    cx.emit(rrr(if signed { Op::Asrv } else { Op::Lsrv }, size, back, dst, count));
    cx.emit(rr(Op::Cmp, size, back, value));
    if signed {
        cx.emit(shr(true, size, limit, value, u32::from(size) * 8 - 1));
        cx.emit(logical(
            Op::EorI,
            size,
            limit,
            limit,
            if size == 8 { MAX } else { MAX >> 32 },
        ));
        cx.emit(csel(size, dst, dst, limit, Cond::Eq));
    } else {
        cx.emit(conditional(Op::Csinv, size, [dst, dst, XZR], Cond::Eq));
    }
    move_down(cx, dst, dst, signed, bits, size);
    Ok(())
}

fn shift_wide<C: LowerCtx>(cx: &mut C, data: &InstData, bits: u32, signed: bool) {
    let value = left_justified(cx, data.a, bits);
    let count = use_int(cx, data.b, 0);
    let [back, spare, shifted] = [0; 3].map(|_| temporary_pair(cx));
    let dst = result_pair(cx, data);
    shift_pair(cx, Opcode::Shl, (shifted, value), count, spare);
    let op = if signed { Opcode::Ashr } else { Opcode::Lshr };
    shift_pair(cx, op, (back, shifted), count, spare);
    compare_pairs(cx, back, value, Cond::Eq);
    if signed {
        cx.emit(shr(true, 8, spare.high, value.high, 63));
        cx.emit(rrr(Op::Orn, 8, spare.low, XZR, spare.high));
        cx.emit(logical(Op::EorI, 8, spare.high, spare.high, MAX));
        cx.emit(csel(8, dst.low, shifted.low, spare.low, Cond::Eq));
        cx.emit(csel(8, dst.high, shifted.high, spare.high, Cond::Eq));
    } else {
        cx.emit(conditional(Op::Csinv, 8, [dst.low, shifted.low, XZR], Cond::Eq));
        cx.emit(conditional(Op::Csinv, 8, [dst.high, shifted.high, XZR], Cond::Eq));
    }
    move_pair_down(cx, dst, signed, bits);
}
