//! Arithmetic that tells overflow, or saturates: computed with more bits than the type has, then compared.

use super::wide::{self, A, B, KEPT, R, Shift, Wide};
use super::{arith, int_bits, part_count, result};
use crate::build::*;
use crate::ops::Op;
use crate::regs::SC;
use frazil_codegen::LowerCtx;
use frazil_ir::{EntityRef, InstData, Opcode as O, Value};

fn is_signed(op: O) -> bool {
    matches!(
        op,
        O::SaddOverflow | O::SsubOverflow | O::SmulOverflow | O::SmulHigh | O::SaddSat | O::SsubSat | O::SshlSat
    )
}

/// Computes the exact sum or difference, with a sign, which those of unsigned numbers have too.
fn exact<C: LowerCtx>(cx: &mut C, data: &InstData, bits: u32) -> Wide {
    let words = part_count(bits + 2);
    let (a, b, r) = (Wide::at(A, words), Wide::at(B, words), Wide::at(R, words));
    wide::read(cx, a, data.a, bits, is_signed(data.op));
    wide::read(cx, b, data.b, bits, is_signed(data.op));
    let is_sum = matches!(
        data.op,
        O::UaddOverflow | O::SaddOverflow | O::UaddSat | O::SaddSat | O::UaddCarry
    );
    sum(cx, is_sum, r, a, b);
    r
}

fn sum<C: LowerCtx>(cx: &mut C, is_sum: bool, r: Wide, a: Wide, b: Wide) {
    if is_sum {
        wide::add(cx, r, a, b);
    } else {
        wide::sub(cx, r, a, b);
    }
}

/// The same with a carry.
fn exact_with_carry<C: LowerCtx>(cx: &mut C, data: &InstData, bits: u32) -> Wide {
    let (right, carry) = cx.func().ternary(data);
    let r = exact(cx, &InstData { b: right, ..*data }, bits);
    let (a, b) = (Wide::at(A, r.words), Wide::at(B, r.words));
    wide::copy(cx, a, r);
    wide::read(cx, b, carry, 1, false);
    sum(cx, data.op == O::UaddCarry, r, a, b);
    r
}

/// Computes the exact product, of up to eight words.
fn exact_product<C: LowerCtx>(cx: &mut C, data: &InstData, bits: u32) -> Wide {
    let words = part_count(bits);
    let (a, b, r) = (Wide::at(0, words), Wide::at(4, words), Wide::at(8, 2 * words));
    let signed = is_signed(data.op);
    wide::read(cx, a, data.a, bits, signed);
    wide::read(cx, b, data.b, bits, signed);
    wide::mul(cx, r, a, b);
    if signed {
        // A negative factor was taken as 2^n more than it is, n being the bits of its words.
        let upper = Wide::at(8 + words, words);
        cx.emit(rri(Op::Srai, KEPT, a.top(), 31));
        cx.emit(rri(Op::Srai, SC, b.top(), 31));
        for word in 0..words {
            cx.emit(rrr(Op::And, b.word(word), b.word(word), KEPT));
            cx.emit(rrr(Op::And, a.word(word), a.word(word), SC));
        }
        wide::sub(cx, upper, upper, b);
        wide::sub(cx, upper, upper, a);
    }
    r
}

/// Lowers the operations with an overflow bit.
pub fn with_overflow<C: LowerCtx>(cx: &mut C, data: &InstData) {
    let bits = int_bits(cx, data.ty);
    let is_product = matches!(data.op, O::UmulOverflow | O::SmulOverflow);
    let r = match data.op {
        _ if is_product => exact_product(cx, data, bits),
        O::UaddCarry | O::UsubBorrow => exact_with_carry(cx, data, bits),
        _ => exact(cx, data, bits),
    };
    let truncated = Wide::at(A, r.words);
    wide::copy(cx, truncated, r);
    wide::extend(cx, truncated, bits, is_signed(data.op));
    let difference = wide::difference(cx, r, truncated);
    cx.emit(rrr(Op::Sltu, KEPT, crate::regs::ZERO, difference));
    wide::write(cx, result(data), bits, truncated);
    wide::write_one(cx, Value::new(data.result as usize + 1), KEPT);
}

/// Lowers the upper half of a product.
pub fn multiply_high<C: LowerCtx>(cx: &mut C, data: &InstData) {
    let bits = int_bits(cx, data.ty);
    let product = exact_product(cx, data, bits);
    let words = part_count(bits);
    let high = match bits {
        // All of it is in the lowest word.
        ..32 => {
            let low = Wide::at(8, 1);
            cx.emit(rri(Op::Srli, low.word(0), low.word(0), bits.cast_signed()));
            low
        }
        _ => {
            debug_assert!(product.words == 2 * words);
            Wide::at(8 + words, words)
        }
    };
    wide::write(cx, result(data), bits, high);
}

/// The least and the greatest number of a type.
fn range(bits: u32, signed: bool) -> (i128, i128) {
    match (signed, bits) {
        (true, 128..) => (i128::MIN, i128::MAX),
        (true, _) => (-(1 << (bits - 1)), (1 << (bits - 1)) - 1),
        // The unsigned maximum of 128 bits cannot be told; see `saturate`.
        (false, 128..) => (0, -1),
        (false, _) => (0, (1 << bits) - 1),
    }
}

/// Replaces a number outside of a type's range by the nearest in it. Uses the place [`A`].
pub(super) fn saturate<C: LowerCtx>(cx: &mut C, number: Wide, bits: u32, signed: bool) {
    let (low, high) = range(bits, signed);
    let bound = Wide::at(A, number.words);
    wide::constant(cx, bound, low);
    let below = wide::less(cx, number, bound, true);
    wide::choose(cx, number, below, bound);
    wide::constant(cx, bound, high);
    if !signed && bits == 128 && number.words == 5 {
        cx.emit(li(bound.top(), 0));
    }
    let above = wide::less(cx, bound, number, true);
    wide::choose(cx, number, above, bound);
}

/// Lowers saturating addition and subtraction.
pub fn saturating<C: LowerCtx>(cx: &mut C, data: &InstData) {
    let bits = int_bits(cx, data.ty);
    let r = exact(cx, data, bits);
    saturate(cx, r, bits, is_signed(data.op));
    wide::write(cx, result(data), bits, r);
}

/// Lowers saturating left shifts: what does not come back when shifted back has lost bits.
pub fn saturating_shift<C: LowerCtx>(cx: &mut C, data: &InstData) {
    let bits = int_bits(cx, data.ty);
    let signed = is_signed(data.op);
    let words = part_count(bits);
    let (a, back, r) = (Wide::at(A, words), Wide::at(B, words), Wide::at(R, words));
    wide::read(cx, a, data.a, bits, signed);
    arith::read_amount(cx, data, bits);
    wide::copy(cx, r, a);
    wide::shift(cx, r, Shift::Left);
    wide::extend(cx, r, bits, signed);
    wide::copy(cx, back, r);
    wide::shift(cx, back, if signed { Shift::RightSigned } else { Shift::Right });
    let difference = wide::difference(cx, back, a);
    cx.emit(rrr(Op::Sltu, KEPT, crate::regs::ZERO, difference));
    let (low, high) = range(bits, signed);
    wide::constant(cx, back, high);
    if signed {
        cx.emit(rri(Op::Srli, SC, a.top(), 31));
        wide::constant(cx, a, low);
        wide::choose(cx, back, SC, a);
    }
    wide::choose(cx, r, KEPT, back);
    wide::write(cx, result(data), bits, r);
}
