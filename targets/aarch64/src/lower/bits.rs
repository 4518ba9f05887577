//! Counting, finding and reversing bits.
//!
//! Ones are counted in a vector register, where there is an instruction for each byte; trailing zeros are the leading
//! ones of the reversed value.

use super::wide::{extended_high, extended_pair, result_pair, temporary_pair, use_pair};
use super::{checked_bits, extended, result, size_of_bits, use_int};
use crate::build::*;
use crate::cond::Cond;
use crate::regs::XZR;
use crate::table::Op;
use frazil_codegen::{CodegenError, LowerCtx, Reg, RegClass};
use frazil_ir::{InstData, Opcode};

/// Lowers ctpop, ctlz, cttz, bswap, bitreverse.
pub fn bits<C: LowerCtx>(cx: &mut C, data: &InstData) -> Result<(), CodegenError> {
    let bits = checked_bits(cx, data, data.ty)?;
    match (data.op, bits) {
        (Opcode::Ctpop, ..=64) => count_ones(cx, data, bits),
        (Opcode::Ctpop, _) => count_ones_wide(cx, data, bits),
        (Opcode::Ctlz, ..=64) => leading_zeros(cx, data, bits),
        (Opcode::Ctlz, _) => leading_zeros_wide(cx, data, bits),
        (Opcode::Cttz, ..=64) => trailing_zeros(cx, data, bits),
        (Opcode::Cttz, _) => trailing_zeros_wide(cx, data, bits),
        (_, ..=64) => reverse(cx, data, bits),
        _ => reverse_wide(cx, data, bits),
    }
    Ok(())
}

/// Defines the high part of a small result as zero.
fn define_small<C: LowerCtx>(cx: &mut C, data: &InstData) {
    let high = cx.def(result(data), 1);
    cx.emit(mov_imm(8, high, 0));
}

fn count_ones<C: LowerCtx>(cx: &mut C, data: &InstData, bits: u32) {
    let value = extended(cx, data.a, bits, false, 8);
    let ones = cx.temp(RegClass::Float);
    let dst = cx.def(result(data), 0);
    cx.emit(rr(Op::FmovFromInt, 8, ones, value));
    cx.emit(rr(Op::CntV, 8, ones, ones));
    cx.emit(rr(Op::Uaddlv, 8, ones, ones));
    cx.emit(rr(Op::FmovToInt, 4, dst, ones));
}

fn count_ones_wide<C: LowerCtx>(cx: &mut C, data: &InstData, bits: u32) {
    let value = extended_pair(cx, data.a, bits, false);
    let ones = cx.temp(RegClass::Float);
    let dst = cx.def(result(data), 0);
    cx.emit(rr(Op::FmovFromInt, 8, ones, value.low));
    cx.emit(rr(Op::FmovHighFromInt, 8, ones, value.high));
    cx.emit(rr(Op::CntV, 16, ones, ones));
    cx.emit(rr(Op::Uaddlv, 16, ones, ones));
    cx.emit(rr(Op::FmovToInt, 4, dst, ones));
    define_small(cx, data);
}

fn leading_zeros<C: LowerCtx>(cx: &mut C, data: &InstData, bits: u32) {
    let size = size_of_bits(bits);
    let width = u32::from(size) * 8;
    if bits == width {
        let value = use_int(cx, data.a, 0);
        let dst = cx.def(result(data), 0);
        cx.emit(rr(Op::Clz, size, dst, value));
        return;
    }
    // With a one right below the value, all of its bits are counted if there is none in it.
    let value = use_int(cx, data.a, 0);
    let moved = cx.temp(RegClass::Int);
    let dst = cx.def(result(data), 0);
    cx.emit(shl(size, moved, value, width - bits));
    cx.emit(logical(Op::OrrI, size, moved, moved, 1 << (width - bits - 1)));
    cx.emit(rr(Op::Clz, size, dst, moved));
}

/// The zeros of the high part, and if it has nothing else, those of the low part, too.
fn leading_zeros_wide<C: LowerCtx>(cx: &mut C, data: &InstData, bits: u32) {
    let low = use_int(cx, data.a, 0);
    let high = extended_high(cx, data.a, bits, false);
    let (of_high, of_low) = (cx.temp(RegClass::Int), cx.temp(RegClass::Int));
    let dst = cx.def(result(data), 0);
    cx.emit(rr(Op::Clz, 8, of_high, high));
    cx.emit(rr(Op::Clz, 8, of_low, low));
    cx.emit(rri(Op::AddI, 8, of_low, of_low, 64));
    cx.emit(rr(Op::Cmp, 8, high, XZR));
    cx.emit(csel(8, dst, of_low, of_high, Cond::Eq));
    if bits < 128 {
        cx.emit(rri(Op::SubI, 8, dst, dst, (128 - bits).cast_signed()));
    }
    define_small(cx, data);
}

/// A one put right above the value is found when there is none in it.
fn trailing_zeros<C: LowerCtx>(cx: &mut C, data: &InstData, bits: u32) {
    let size = size_of_bits(bits);
    let mut value = use_int(cx, data.a, 0);
    let turned = cx.temp(RegClass::Int);
    if bits < u32::from(size) * 8 {
        cx.emit(logical(Op::OrrI, size, turned, value, 1 << bits));
        value = turned;
    }
    let dst = cx.def(result(data), 0);
    cx.emit(rr(Op::Rbit, size, turned, value));
    cx.emit(rr(Op::Clz, size, dst, turned));
}

fn trailing_zeros_wide<C: LowerCtx>(cx: &mut C, data: &InstData, bits: u32) {
    let value = use_pair(cx, data.a);
    let (of_high, of_low) = (cx.temp(RegClass::Int), cx.temp(RegClass::Int));
    let dst = cx.def(result(data), 0);
    if bits < 128 {
        cx.emit(logical(Op::OrrI, 8, of_high, value.high, 1 << (bits - 64)));
        cx.emit(rr(Op::Rbit, 8, of_high, of_high));
    } else {
        cx.emit(rr(Op::Rbit, 8, of_high, value.high));
    }
    cx.emit(rr(Op::Clz, 8, of_high, of_high));
    cx.emit(rri(Op::AddI, 8, of_high, of_high, 64));
    cx.emit(rr(Op::Rbit, 8, of_low, value.low));
    cx.emit(rr(Op::Clz, 8, of_low, of_low));
    cx.emit(rr(Op::Cmp, 8, value.low, XZR));
    cx.emit(csel(8, dst, of_high, of_low, Cond::Eq));
    define_small(cx, data);
}

fn reversing(op: Opcode) -> Op {
    if op == Opcode::Bitreverse { Op::Rbit } else { Op::Rev }
}

/// Reverses bytes or bits of the whole register, then moves the value down from its top.
fn reverse<C: LowerCtx>(cx: &mut C, data: &InstData, bits: u32) {
    let size = size_of_bits(bits);
    let value = use_int(cx, data.a, 0);
    let distance = u32::from(size) * 8 - bits;
    let turned = if distance > 0 {
        cx.temp(RegClass::Int)
    } else {
        Reg::NONE
    };
    let dst = cx.def(result(data), 0);
    if distance == 0 {
        cx.emit(rr(reversing(data.op), size, dst, value));
        return;
    }
    cx.emit(rr(reversing(data.op), size, turned, value));
    cx.emit(shr(false, size, dst, turned, distance));
}

fn reverse_wide<C: LowerCtx>(cx: &mut C, data: &InstData, bits: u32) {
    // The parts change places.
    let value = use_pair(cx, data.a);
    let turned = temporary_pair(cx);
    let dst = result_pair(cx, data);
    cx.emit(rr(reversing(data.op), 8, turned.high, value.low));
    cx.emit(rr(reversing(data.op), 8, turned.low, value.high));
    let distance = 128 - bits;
    cx.emit(rrr(Op::Extr, 8, dst.low, turned.high, turned.low).with_imm(distance.cast_signed()));
    cx.emit(shr(false, 8, dst.high, turned.high, distance));
}
