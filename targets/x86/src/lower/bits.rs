//! Counting, finding and reversing bits, with the instructions that every x86-64 processor has, or with better ones
//! where the function may use them.

use super::wide::{Pair, define, extended_high, extended_pair};
use super::{extended_copy, int_bits, result, size_of_bits, word_bits};
use crate::build::*;
use crate::cond::Cond;
use crate::features;
use crate::table::Op;
use frazil_codegen::{CodegenError, LowerCtx, Mem, Reg, RegClass};
use frazil_ir::{InstData, IntFlags, Opcode, Refusal};

/// Every second bit, every second pair of bits, every second half of a byte.
const MASKS: [i64; 3] = [0x5555_5555_5555_5555, 0x3333_3333_3333_3333, 0x0f0f_0f0f_0f0f_0f0f];
/// The lowest bit of every byte.
const BYTE_ONES: i64 = 0x0101_0101_0101_0101;

/// Lowers ctpop, ctlz, cttz, bswap, bitreverse.
pub fn bits<C: LowerCtx>(cx: &mut C, data: &InstData) -> Result<(), CodegenError> {
    let bits = int_bits(cx, data.ty);
    if bits == 0 {
        return Err(CodegenError::unsupported(
            Refusal::Vector,
            format!("{} of vectors", data.op.name()),
        ));
    }
    let has = |feature: u8| cx.view().features.has(feature);
    match (data.op, bits > word_bits::<C>()) {
        (Opcode::Ctpop, false) if has(features::POPCNT) => count_by_instruction(cx, data, bits, Op::PopcntRR),
        (Opcode::Ctlz, false) if has(features::LZCNT) => count_by_instruction(cx, data, bits, Op::LzcntRR),
        (Opcode::Cttz, false) if matches!(bits, 32 | 64) && has(features::BMI) => {
            count_by_instruction(cx, data, bits, Op::TzcntRR);
        }
        (Opcode::Ctpop, false) => count_ones(cx, data, bits),
        (Opcode::Ctpop, true) => count_ones_wide(cx, data, bits),
        (Opcode::Ctlz, false) => leading_zeros(cx, data, bits),
        (Opcode::Ctlz, true) => leading_zeros_wide(cx, data, bits),
        (Opcode::Cttz, false) => trailing_zeros(cx, data, bits),
        (Opcode::Cttz, true) => trailing_zeros_wide(cx, data, bits),
        (_, false) => reverse(cx, data, bits),
        (_, true) => reverse_wide(cx, data, bits),
    }
    Ok(())
}

/// Counts in a register of which the value fills the lower part, with zeros above it.
fn count_by_instruction<C: LowerCtx>(cx: &mut C, data: &InstData, bits: u32, op: Op) {
    let size = size_of_bits(bits).max(4);
    let width = u32::from(size) * 8;
    let value = match bits == width {
        true => cx.use_reg(data.a, 0),
        false => extended_copy(cx, data.a, bits, false, size),
    };
    let dst = cx.def(result(data), 0);
    cx.emit(rr(op, size, dst, value));
    if data.op == Opcode::Ctlz && bits < width {
        cx.emit(ri(Op::SubRI, size, dst, (width - bits).cast_signed()));
    }
}

fn zero_is_poison(data: &InstData) -> bool {
    IntFlags::from_bits_retain(data.flags).contains(IntFlags::POISON_SPECIAL)
}

/// Defines a result of two registers whose high part is zero.
fn define_small<C: LowerCtx>(cx: &mut C, data: &InstData, low: Reg) {
    cx.def_reuse(result(data), 0, low);
    let high = cx.def(result(data), 1);
    cx.emit(mov_imm(C::WORD_BYTES, high, 0));
}

/// A mask as the operand of instructions on `size` bytes.
fn load_mask<C: LowerCtx>(cx: &mut C, size: u8, dst: Reg, mask: i64) {
    cx.emit(mov_imm(size, dst, mask));
}

fn count_ones<C: LowerCtx>(cx: &mut C, data: &InstData, bits: u32) {
    let size = size_of_bits(bits);
    let value = extended_copy(cx, data.a, bits, false, size);
    let (spare, mask) = (cx.temp(RegClass::Int), cx.temp(RegClass::Int));
    ones_by_byte(cx, size, value, spare, mask);
    sum_bytes(cx, size, value, mask);
    cx.def_reuse(result(data), 0, value);
}

fn count_ones_wide<C: LowerCtx>(cx: &mut C, data: &InstData, bits: u32) {
    let value = extended_pair(cx, data.a, bits, false);
    let (spare, mask) = (cx.temp(RegClass::Int), cx.temp(RegClass::Int));
    let word = C::WORD_BYTES;
    ones_by_byte(cx, word, value.low, spare, mask);
    ones_by_byte(cx, word, value.high, spare, mask);
    // At most 16 in each byte, 128 in all: no sum leaves its byte.
    cx.emit(rr(Op::AddRR, word, value.low, value.high));
    sum_bytes(cx, word, value.low, mask);
    define_small(cx, data, value.low);
}

/// Replaces each byte by the number of its ones.
fn ones_by_byte<C: LowerCtx>(cx: &mut C, size: u8, value: Reg, spare: Reg, mask: Reg) {
    // Of two bits, the number of ones is their value less the upper one.
    cx.emit(rr(Op::MovRR, size, spare, value));
    cx.emit(ri(Op::ShrRI, size, spare, 1));
    load_mask(cx, size, mask, MASKS[0]);
    cx.emit(rr(Op::AndRR, size, spare, mask));
    cx.emit(rr(Op::SubRR, size, value, spare));
    load_mask(cx, size, mask, MASKS[1]);
    cx.emit(rr(Op::MovRR, size, spare, value));
    cx.emit(ri(Op::ShrRI, size, spare, 2));
    cx.emit(rr(Op::AndRR, size, value, mask));
    cx.emit(rr(Op::AndRR, size, spare, mask));
    cx.emit(rr(Op::AddRR, size, value, spare));
    load_mask(cx, size, mask, MASKS[2]);
    cx.emit(rr(Op::MovRR, size, spare, value));
    cx.emit(ri(Op::ShrRI, size, spare, 4));
    cx.emit(rr(Op::AddRR, size, value, spare));
    cx.emit(rr(Op::AndRR, size, value, mask));
}

/// The sum of all bytes: the multiplication collects it in the top one.
fn sum_bytes<C: LowerCtx>(cx: &mut C, size: u8, value: Reg, ones: Reg) {
    load_mask(cx, size, ones, BYTE_ONES);
    cx.emit(rr(Op::ImulRR, size, value, ones));
    cx.emit(ri(Op::ShrRI, size, value, i32::from(size) * 8 - 8));
}

/// `dst` becomes `constant - dst`.
fn subtract_from<C: LowerCtx>(cx: &mut C, size: u8, constant: u32, dst: Reg) {
    cx.emit(r(Op::NegR, size, dst));
    cx.emit(ri(Op::AddRI, size, dst, constant.cast_signed()));
}

/// The width less one less the number of the highest one; -1 stands for the number when there is none.
fn leading_zeros<C: LowerCtx>(cx: &mut C, data: &InstData, bits: u32) {
    // One bit more than the value has, for the one that is put below it.
    let size = size_of_bits(bits + 1);
    if bits == word_bits::<C>() {
        let value = cx.use_reg(data.a, 0);
        let dst = cx.def(result(data), 0);
        if zero_is_poison(data) {
            cx.emit(rr(Op::BsrRR, C::WORD_BYTES, dst, value));
        } else {
            let none = cx.temp(RegClass::Int);
            highest_one(cx, dst, value, none);
        }
        subtract_from(cx, 4, bits - 1, dst);
        return;
    }
    let value = extended_copy(cx, data.a, bits, false, size);
    let dst = cx.def(result(data), 0);
    let doubled = Mem::indexed(value, value, 0, 1);
    cx.emit(rm(Op::LeaRM, size, value, doubled));
    cx.emit(rr(Op::BsrRR, size, dst, value));
    subtract_from(cx, 4, bits, dst);
}

/// The number of the highest one of a whole register, or -1.
fn highest_one<C: LowerCtx>(cx: &mut C, dst: Reg, value: Reg, none: Reg) {
    cx.emit(mov_imm(C::WORD_BYTES, none, -1));
    cx.emit(rr(Op::BsrRR, C::WORD_BYTES, dst, value));
    cx.emit(cmov(Cond::E, C::WORD_BYTES, dst, none));
}

fn leading_zeros_wide<C: LowerCtx>(cx: &mut C, data: &InstData, bits: u32) {
    let low = cx.use_reg(data.a, 0);
    let high = extended_high(cx, data.a, bits, false);
    let (number, spare) = (cx.temp(RegClass::Int), cx.temp(RegClass::Int));
    highest_one(cx, number, low, spare);
    cx.emit(rr(Op::BsrRR, C::WORD_BYTES, spare, high));
    add_word(cx, spare);
    cx.emit(cmov(Cond::Ne, C::WORD_BYTES, number, spare));
    subtract_from(cx, 4, bits - 1, number);
    define_small(cx, data, number);
}

/// Adds the number of a register's bits and leaves the flags alone.
fn add_word<C: LowerCtx>(cx: &mut C, reg: Reg) {
    let bits = word_bits::<C>().cast_signed();
    cx.emit(rm(Op::LeaRM, C::WORD_BYTES, reg, Mem::base(reg, bits)));
}

/// A one put right above the value is found when there is none in it.
/// The number of the lowest one. Where the program says that there is one, `tzcnt` counts as `bsf` does, which
/// processors without it execute instead; others execute it faster, and do not wait for what was in the result's
/// register.
fn trailing_zeros<C: LowerCtx>(cx: &mut C, data: &InstData, bits: u32) {
    let size = size_of_bits(bits + 1);
    if zero_is_poison(data) {
        let value = cx.use_reg(data.a, 0);
        let dst = cx.def(result(data), 0);
        cx.emit(rr(Op::TzcntRR, size_of_bits(bits), dst, value));
        return;
    }
    if bits == word_bits::<C>() {
        let value = cx.use_reg(data.a, 0);
        let dst = cx.def(result(data), 0);
        let none = cx.temp(RegClass::Int);
        cx.emit(mov_imm(4, none, bits.into()));
        cx.emit(rr(Op::BsfRR, C::WORD_BYTES, dst, value));
        cx.emit(cmov(Cond::E, 4, dst, none));
        return;
    }
    let value = cx.use_copy(data.a, 0);
    let dst = cx.def(result(data), 0);
    cx.emit(ri(Op::BtsRI, size, value, bits.cast_signed()));
    cx.emit(rr(Op::BsfRR, size, dst, value));
}

fn trailing_zeros_wide<C: LowerCtx>(cx: &mut C, data: &InstData, bits: u32) {
    let low = cx.use_reg(data.a, 0);
    let high = cx.use_copy(data.a, 1);
    let (number, spare) = (cx.temp(RegClass::Int), cx.temp(RegClass::Int));
    let (word, width) = (C::WORD_BYTES, word_bits::<C>());
    if bits < 2 * width {
        cx.emit(ri(Op::BtsRI, word, high, (bits - width).cast_signed()));
        cx.emit(rr(Op::BsfRR, word, spare, high));
    } else {
        cx.emit(mov_imm(4, number, width.into()));
        cx.emit(rr(Op::BsfRR, word, spare, high));
        cx.emit(cmov(Cond::E, word, spare, number));
    }
    add_word(cx, spare);
    cx.emit(rr(Op::BsfRR, word, number, low));
    cx.emit(cmov(Cond::E, word, number, spare));
    define_small(cx, data, number);
}

/// Reverses bytes or bits of the whole register, then moves the value down from its top.
fn reverse<C: LowerCtx>(cx: &mut C, data: &InstData, bits: u32) {
    let size = size_of_bits(bits);
    let value = cx.use_copy(data.a, 0);
    if data.op == Opcode::Bitreverse {
        let (spare, mask) = (cx.temp(RegClass::Int), cx.temp(RegClass::Int));
        reverse_register(cx, size, value, spare, mask);
    } else {
        cx.emit(r(Op::BswapR, size, value));
    }
    let distance = u32::from(size) * 8 - bits;
    if distance > 0 {
        cx.emit(ri(Op::ShrRI, size, value, distance.cast_signed()));
    }
    cx.def_reuse(result(data), 0, value);
}

fn reverse_wide<C: LowerCtx>(cx: &mut C, data: &InstData, bits: u32) {
    // The parts change places.
    let high = cx.use_copy(data.a, 0);
    let low = cx.use_copy(data.a, 1);
    if data.op == Opcode::Bitreverse {
        let (spare, mask) = (cx.temp(RegClass::Int), cx.temp(RegClass::Int));
        for part in [low, high] {
            reverse_register(cx, C::WORD_BYTES, part, spare, mask);
        }
    } else {
        cx.emit(r(Op::BswapR, C::WORD_BYTES, low));
        cx.emit(r(Op::BswapR, C::WORD_BYTES, high));
    }
    let distance = (2 * word_bits::<C>() - bits).cast_signed();
    if distance > 0 {
        cx.emit(rri(Op::ShrdRRI, C::WORD_BYTES, low, high, distance));
        cx.emit(ri(Op::ShrRI, C::WORD_BYTES, high, distance));
    }
    define(cx, data, Pair { low, high });
}

/// Reverses all bits of a register: its bytes, then halves, pairs and single bits within them.
fn reverse_register<C: LowerCtx>(cx: &mut C, size: u8, value: Reg, spare: Reg, mask: Reg) {
    cx.emit(r(Op::BswapR, size, value));
    for (step, distance) in [(2, 4), (1, 2), (0, 1)] {
        load_mask(cx, size, mask, MASKS[step]);
        cx.emit(rr(Op::MovRR, size, spare, value));
        cx.emit(ri(Op::ShrRI, size, spare, distance));
        cx.emit(rr(Op::AndRR, size, spare, mask));
        cx.emit(rr(Op::AndRR, size, value, mask));
        cx.emit(ri(Op::ShlRI, size, value, distance));
        cx.emit(rr(Op::OrRR, size, value, spare));
    }
}
