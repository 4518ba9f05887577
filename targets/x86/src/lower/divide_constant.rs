//! Division by constants without a division: shifts for powers of two, multiplications for other divisors.
//!
//! The factors are shared code's ([`frazil_codegen::division`]); quotients of up to 32 bits are made of products in
//! 64-bit registers, where there are such, others are in the upper half of a product of two.

use super::arith::times;
use super::{extend, extended_copy, is_32_bit, result, size_of_bits, top_bit, word_bits};
use crate::build::*;
use crate::regs::{RAX, RDX};
use crate::table::Op;
use frazil_codegen::division::{ConstantDivision, Reciprocal, WideReciprocal, inverse_of_odd};
use frazil_codegen::{LowerCtx, PRegSet, Reg, RegClass};
use frazil_ir::InstData;

/// Lowers a division of at most 64 bits by `divisor`, a value sign-extended from its width, unless the division
/// instruction is as good or the divisor is zero; says whether it did.
pub fn divide_by_constant<C: LowerCtx>(cx: &mut C, data: &InstData, bits: u32, divisor: i64) -> bool {
    let division = ConstantDivision::new(data, bits, divisor);
    let ConstantDivision {
        signed,
        wants_remainder,
        magnitude,
        is_exact,
        ..
    } = division;
    if magnitude == 1 && wants_remainder {
        let dst = cx.def(result(data), 0);
        cx.emit(mov_imm(C::WORD_BYTES, dst, 0));
    } else if magnitude.is_power_of_two() {
        let log2 = magnitude.trailing_zeros();
        if signed {
            signed_by_power(cx, data, division, log2);
        } else {
            unsigned_by_power(cx, data, division, log2);
        }
    } else if magnitude != 0 && is_exact {
        by_inverse(cx, data, division);
    } else if magnitude != 0
        && !signed
        && bits <= 32
        && let Some(reciprocal) = Reciprocal::short(magnitude, bits).filter(|by| by.shift < word_bits::<C>())
    {
        by_short_multiplication(cx, data, division, reciprocal);
    } else if magnitude != 0 && bits <= 32 && !is_32_bit::<C>() {
        by_multiplication(cx, data, division);
    } else if magnitude != 0 {
        by_wide_multiplication(cx, data, division);
    } else {
        return false;
    }
    true
}

fn unsigned_by_power<C: LowerCtx>(cx: &mut C, data: &InstData, division: ConstantDivision, log2: u32) {
    let size = size_of_bits(division.bits);
    let src = cx.use_last(data.a, 0);
    let dst = cx.def_reuse(result(data), 0, src);
    if division.wants_remainder {
        extend(cx, dst, dst, log2, false, size);
    } else if log2 > 0 {
        extend(cx, dst, dst, division.bits, false, size);
        cx.emit(ri(Op::ShrRI, size, dst, log2.cast_signed()));
    }
}

/// Shifting rounds down; a negative value is moved up first, so that this is rounding to zero.
fn signed_by_power<C: LowerCtx>(cx: &mut C, data: &InstData, division: ConstantDivision, log2: u32) {
    let size = size_of_bits(division.bits);
    let is_whole = division.bits == u32::from(size) * 8;
    let value = if is_whole {
        cx.use_reg(data.a, 0)
    } else {
        extended_copy(cx, data.a, division.bits, true, size)
    };
    let shift = log2.cast_signed();
    if division.wants_remainder {
        let multiple = cx.temp(RegClass::Int);
        let dst = cx.def(result(data), 0);
        add_bias(cx, size, multiple, value, shift);
        if shift < 32 {
            cx.emit(ri(Op::AndRI, size, multiple, i32::MIN >> (31 - shift)));
        } else {
            cx.emit(ri(Op::ShrRI, size, multiple, shift));
            cx.emit(ri(Op::ShlRI, size, multiple, shift));
        }
        cx.emit(rr(Op::MovRR, size, dst, value));
        cx.emit(rr(Op::SubRR, size, dst, multiple));
        return;
    }
    let dst = cx.def(result(data), 0);
    if shift == 0 || division.is_exact {
        cx.emit(rr(Op::MovRR, size, dst, value));
    } else {
        add_bias(cx, size, dst, value, shift);
    }
    if shift > 0 {
        cx.emit(ri(Op::SarRI, size, dst, shift));
    }
    if division.is_negative {
        cx.emit(r(Op::NegR, size, dst));
    }
}

/// `dst` becomes `value`, plus 2 to the `shift` less 1 if that is negative.
fn add_bias<C: LowerCtx>(cx: &mut C, size: u8, dst: Reg, value: Reg, shift: i32) {
    let width = i32::from(size) * 8;
    cx.emit(rr(Op::MovRR, size, dst, value));
    if shift > 1 {
        cx.emit(ri(Op::SarRI, size, dst, width - 1));
    }
    cx.emit(ri(Op::ShrRI, size, dst, width - shift));
    cx.emit(rr(Op::AddRR, size, dst, value));
}

/// What the divisor has of factors of two is shifted out, what is left is odd and has an inverse.
fn by_inverse<C: LowerCtx>(cx: &mut C, data: &InstData, division: ConstantDivision) {
    let size = size_of_bits(division.bits);
    let value = extended_copy(cx, data.a, division.bits, division.signed, size);
    let inverse = cx.temp(RegClass::Int);
    let log2 = division.magnitude.trailing_zeros();
    if log2 > 0 {
        let op = if division.signed { Op::SarRI } else { Op::ShrRI };
        cx.emit(ri(op, size, value, log2.cast_signed()));
    }
    cx.emit(mov_imm(
        size,
        inverse,
        inverse_of_odd(division.magnitude >> log2).cast_signed(),
    ));
    cx.emit(rr(Op::ImulRR, size, value, inverse));
    if division.is_negative {
        cx.emit(r(Op::NegR, size, value));
    }
    cx.def_reuse(result(data), 0, value);
}

fn by_multiplication<C: LowerCtx>(cx: &mut C, data: &InstData, division: ConstantDivision) {
    let ConstantDivision {
        bits,
        signed,
        magnitude,
        ..
    } = division;
    let reciprocal = Reciprocal::new(magnitude, bits, signed);
    let value = extended_copy(cx, data.a, bits, signed, 8);
    let quotient = cx.temp(RegClass::Int);
    let sign = if signed { Some(cx.temp(RegClass::Int)) } else { None };
    multiply(cx, quotient, value, reciprocal);
    if let Some(sign) = sign {
        // The shift rounded down, but a quotient is rounded to zero.
        cx.emit(rr(Op::MovRR, 8, sign, value));
        cx.emit(ri(Op::ShrRI, 8, sign, 63));
        cx.emit(ri(Op::SarRI, 8, quotient, reciprocal.shift.cast_signed()));
        cx.emit(rr(Op::AddRR, 4, quotient, sign));
    } else {
        cx.emit(ri(Op::ShrRI, 8, quotient, reciprocal.shift.cast_signed()));
    }
    if division.wants_remainder {
        cx.emit(rri(Op::ImulRRI, 4, quotient, quotient, magnitude as i32));
        cx.emit(rr(Op::SubRR, 4, value, quotient));
        cx.def_reuse(result(data), 0, value);
        return;
    }
    if division.is_negative {
        cx.emit(r(Op::NegR, 4, quotient));
    }
    cx.def_reuse(result(data), 0, quotient);
}

/// The factor is an immediate.
fn by_short_multiplication<C: LowerCtx>(cx: &mut C, data: &InstData, division: ConstantDivision, by: Reciprocal) {
    let ConstantDivision { bits, magnitude, .. } = division;
    let size = if by.shift < 32 { 4 } else { 8 };
    let value = extended_copy(cx, data.a, bits, false, size);
    let quotient = cx.temp(RegClass::Int);
    cx.emit(rri(Op::ImulRRI, size, quotient, value, by.factor.cast_signed()));
    cx.emit(ri(Op::ShrRI, size, quotient, by.shift.cast_signed()));
    if !division.wants_remainder {
        cx.def_reuse(result(data), 0, quotient);
        return;
    }
    cx.emit(match magnitude {
        3 | 5 | 9 => rm(Op::LeaRM, 4, quotient, times(quotient, magnitude as i32)),
        _ => rri(Op::ImulRRI, 4, quotient, quotient, magnitude as i32),
    });
    cx.emit(rr(Op::SubRR, 4, value, quotient));
    cx.def_reuse(result(data), 0, value);
}

/// `dst` becomes the product that is to be shifted.
fn multiply<C: LowerCtx>(cx: &mut C, dst: Reg, value: Reg, reciprocal: Reciprocal) {
    cx.emit(mov_imm64(dst, i64::from(reciprocal.factor)));
    cx.emit(rr(Op::ImulRR, 8, dst, value));
    if reciprocal.adds_value {
        cx.emit(ri(Op::ShrRI, 8, dst, 32));
        cx.emit(rr(Op::AddRR, 8, dst, value));
    }
}

/// The quotient is in the upper half of a product of two registers.
fn by_wide_multiplication<C: LowerCtx>(cx: &mut C, data: &InstData, division: ConstantDivision) {
    let ConstantDivision {
        bits,
        signed,
        magnitude,
        ..
    } = division;
    let width = word_bits::<C>();
    let reciprocal = if signed {
        WideReciprocal::signed(magnitude, width)
    } else {
        WideReciprocal::unsigned(magnitude, width)
    };
    cx.claim(PRegSet::of(&[RAX, RDX]));
    let value = if bits == width {
        cx.use_copy(data.a, 0)
    } else {
        extended_copy(cx, data.a, bits, signed, C::WORD_BYTES)
    };
    let quotient = cx.temp(RegClass::Int);
    cx.emit(mov_imm(C::WORD_BYTES, RAX, reciprocal.factor.cast_signed()));
    cx.emit(r(if signed { Op::ImulR } else { Op::MulR }, C::WORD_BYTES, value));
    if signed {
        round_signed(cx, quotient, value, reciprocal);
    } else {
        round_unsigned(cx, quotient, value, reciprocal);
    }
    if division.wants_remainder {
        match i32::try_from(magnitude) {
            Ok(magnitude) => cx.emit(rri(Op::ImulRRI, C::WORD_BYTES, quotient, quotient, magnitude)),
            Err(_) => {
                cx.emit(mov_imm(C::WORD_BYTES, RAX, magnitude.cast_signed()));
                cx.emit(rr(Op::ImulRR, C::WORD_BYTES, quotient, RAX));
            }
        }
        cx.emit(rr(Op::SubRR, C::WORD_BYTES, value, quotient));
        cx.def_reuse(result(data), 0, value);
        return;
    }
    if division.is_negative {
        cx.emit(r(Op::NegR, C::WORD_BYTES, quotient));
    }
    cx.def_reuse(result(data), 0, quotient);
}

/// The quotient from the product's upper half in `rdx`.
fn round_unsigned<C: LowerCtx>(cx: &mut C, quotient: Reg, value: Reg, reciprocal: WideReciprocal) {
    if reciprocal.adds_value {
        // (value + product) / 2 without overflow.
        cx.emit(rr(Op::MovRR, C::WORD_BYTES, quotient, value));
        cx.emit(rr(Op::SubRR, C::WORD_BYTES, quotient, RDX));
        cx.emit(ri(Op::ShrRI, C::WORD_BYTES, quotient, 1));
        cx.emit(rr(Op::AddRR, C::WORD_BYTES, quotient, RDX));
    } else {
        cx.emit(rr(Op::MovRR, C::WORD_BYTES, quotient, RDX));
    }
    if reciprocal.shift > 0 {
        cx.emit(ri(Op::ShrRI, C::WORD_BYTES, quotient, reciprocal.shift.cast_signed()));
    }
}

/// The same for signed values; the shift rounds down, but a quotient is rounded to zero.
fn round_signed<C: LowerCtx>(cx: &mut C, quotient: Reg, value: Reg, reciprocal: WideReciprocal) {
    cx.emit(rr(Op::MovRR, C::WORD_BYTES, quotient, RDX));
    if reciprocal.adds_value {
        cx.emit(rr(Op::AddRR, C::WORD_BYTES, quotient, value));
    }
    if reciprocal.shift > 0 {
        cx.emit(ri(Op::SarRI, C::WORD_BYTES, quotient, reciprocal.shift.cast_signed()));
    }
    cx.emit(rr(Op::MovRR, C::WORD_BYTES, RDX, value));
    cx.emit(ri(Op::ShrRI, C::WORD_BYTES, RDX, top_bit::<C>()));
    cx.emit(rr(Op::AddRR, C::WORD_BYTES, quotient, RDX));
}
