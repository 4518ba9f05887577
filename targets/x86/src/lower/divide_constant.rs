//! Division by constants without a division: shifts for powers of two, multiplications for other divisors.
//!
//! Without a remainder, the quotient is the product with the divisor's inverse modulo the register's range. Otherwise
//! it is the upper part of a product with a scaled reciprocal, rounded up, in 64-bit registers. Both are from Granlund
//! and Montgomery, "Division by Invariant Integers using Multiplication", 1994.

use super::{extend, extended_copy, result, size_of_bits};
use crate::build::*;
use crate::regs::{RAX, RDX};
use crate::table::Op;
use frazil_codegen::{LowerCtx, PRegSet, Reg, RegClass};
use frazil_ir::{InstData, IntFlags, Opcode};

/// What is divided by what.
#[derive(Clone, Copy)]
struct Division {
    bits: u32,
    signed: bool,
    wants_remainder: bool,
    /// Absolute value of the divisor.
    magnitude: u64,
    is_negative: bool,
    /// There is no remainder.
    is_exact: bool,
}

/// Lowers a division of at most 64 bits by `divisor`, a value sign-extended from its width, unless the division
/// instruction is as good or the divisor is zero; says whether it did.
pub fn divide_by_constant<C: LowerCtx>(cx: &mut C, data: &InstData, bits: u32, divisor: i64) -> bool {
    let signed = matches!(data.op, Opcode::Sdiv | Opcode::Srem);
    let wants_remainder = matches!(data.op, Opcode::Urem | Opcode::Srem);
    let magnitude = if signed {
        divisor.unsigned_abs()
    } else {
        divisor.cast_unsigned() & (u64::MAX >> (64 - bits))
    };
    let is_negative = signed && divisor < 0;
    let is_exact = !wants_remainder && IntFlags::from_bits_retain(data.flags).contains(IntFlags::EXACT);
    let division = Division {
        bits,
        signed,
        wants_remainder,
        magnitude,
        is_negative,
        is_exact,
    };
    if magnitude == 1 && wants_remainder {
        let dst = cx.def(result(data), 0);
        cx.emit(mov_imm(8, dst, 0));
    } else if magnitude.is_power_of_two() {
        let log2 = magnitude.trailing_zeros();
        if signed {
            signed_by_power(cx, data, division, log2);
        } else {
            unsigned_by_power(cx, data, division, log2);
        }
    } else if magnitude != 0 && is_exact {
        by_inverse(cx, data, division);
    } else if magnitude != 0 && bits <= 32 {
        by_multiplication(cx, data, division);
    } else if magnitude != 0 {
        by_wide_multiplication(cx, data, division);
    } else {
        return false;
    }
    true
}

fn unsigned_by_power<C: LowerCtx>(cx: &mut C, data: &InstData, division: Division, log2: u32) {
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
fn signed_by_power<C: LowerCtx>(cx: &mut C, data: &InstData, division: Division, log2: u32) {
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
fn by_inverse<C: LowerCtx>(cx: &mut C, data: &InstData, division: Division) {
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

/// The inverse modulo 2^64 of an odd number, by Newton's method: each step doubles the number of correct bits.
fn inverse_of_odd(number: u64) -> u64 {
    // An odd number is its own inverse modulo 8.
    let mut inverse = number;
    for _ in 0..5 {
        inverse = inverse.wrapping_mul(2u64.wrapping_sub(number.wrapping_mul(inverse)));
    }
    inverse
}

/// How to divide by multiplication.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Reciprocal {
    /// What to multiply by.
    factor: u32,
    /// Whether the value itself is to be added to the upper half of the product: the factor is 2^32 larger.
    adds_value: bool,
    /// How far the product goes to the right.
    shift: u32,
}

impl Reciprocal {
    /// For values of up to `bits` (at most 32) bits and a divisor that is no power of two. Signed values have their
    /// sign in one of the bits.
    fn new(magnitude: u64, bits: u32, signed: bool) -> Reciprocal {
        // The divisor lies between 2^log2 and twice that, so this factor lies between 2^31 and 2^32.
        let log2 = magnitude.ilog2();
        let shift = 32 + log2;
        let factor = (1u64 << shift) / magnitude + 1;
        // Too large by this, in units of 2^-shift of the quotient for each unit of the value. All values together must
        // not reach the next quotient, which is a unit of 1 / magnitude away.
        let excess = factor * magnitude - (1u64 << shift);
        let value_bits = if signed { bits - 1 } else { bits };
        if excess <= 1u64 << (shift - value_bits) {
            return Reciprocal {
                factor: factor as u32,
                adds_value: false,
                shift,
            };
        }
        // Twice as exact, and then always exact enough.
        let factor = (1u128 << (shift + 1)) / u128::from(magnitude) + 1;
        Reciprocal {
            factor: factor as u32,
            adds_value: true,
            shift: log2 + 1,
        }
    }
}

fn by_multiplication<C: LowerCtx>(cx: &mut C, data: &InstData, division: Division) {
    let Division {
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

/// `dst` becomes the product that is to be shifted.
fn multiply<C: LowerCtx>(cx: &mut C, dst: Reg, value: Reg, reciprocal: Reciprocal) {
    cx.emit(mov_imm64(dst, i64::from(reciprocal.factor)));
    cx.emit(rr(Op::ImulRR, 8, dst, value));
    if reciprocal.adds_value {
        cx.emit(ri(Op::ShrRI, 8, dst, 32));
        cx.emit(rr(Op::AddRR, 8, dst, value));
    }
}

/// How to divide a value of 64 bits by multiplication.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct WideReciprocal {
    /// What to multiply by.
    factor: u64,
    /// Whether the factor is 2^64 larger than that (as a signed factor: it is negative by its top bit), so that the
    /// value itself is to be added to the upper half of the product.
    adds_value: bool,
    /// How far the upper half goes to the right.
    shift: u32,
}

impl WideReciprocal {
    /// For unsigned values of 64 bits and a divisor that is no power of two; as [`Reciprocal::new`].
    fn unsigned(magnitude: u64) -> WideReciprocal {
        let log2 = magnitude.ilog2();
        let power = 1u128 << (64 + log2);
        let factor = power / u128::from(magnitude) + 1;
        let excess = factor * u128::from(magnitude) - power;
        if excess <= 1u128 << log2 {
            return WideReciprocal {
                factor: factor as u64,
                adds_value: false,
                shift: log2,
            };
        }
        // One bit more, the top one of which is left to an addition; the average of value and product stays in range.
        let double = (power / u128::from(magnitude)) * 2;
        let rest = (power % u128::from(magnitude)) * 2;
        let factor = double + u128::from(rest >= u128::from(magnitude)) + 1;
        WideReciprocal {
            factor: factor as u64,
            adds_value: true,
            shift: log2,
        }
    }

    /// For signed values of 64 bits: a factor of at most 2^64, so that half of it is enough for magnitudes below 2^63.
    fn signed(magnitude: u64) -> WideReciprocal {
        let log2 = magnitude.ilog2();
        let power = 1u128 << (63 + log2);
        let factor = power / u128::from(magnitude) + 1;
        let excess = factor * u128::from(magnitude) - power;
        if excess <= 1u128 << log2 && factor < 1 << 63 {
            return WideReciprocal {
                factor: factor as u64,
                adds_value: false,
                shift: log2 - 1,
            };
        }
        let factor = (power * 2) / u128::from(magnitude) + 1;
        WideReciprocal {
            factor: factor as u64,
            adds_value: factor >> 63 != 0,
            shift: log2,
        }
    }
}

/// The quotient is in the upper half of a product of two registers.
fn by_wide_multiplication<C: LowerCtx>(cx: &mut C, data: &InstData, division: Division) {
    let Division {
        bits,
        signed,
        magnitude,
        ..
    } = division;
    let reciprocal = if signed {
        WideReciprocal::signed(magnitude)
    } else {
        WideReciprocal::unsigned(magnitude)
    };
    cx.claim(PRegSet::of(&[RAX, RDX]));
    let value = if bits == 64 {
        cx.use_copy(data.a, 0)
    } else {
        extended_copy(cx, data.a, bits, signed, 8)
    };
    let quotient = cx.temp(RegClass::Int);
    cx.emit(mov_imm64(RAX, reciprocal.factor.cast_signed()));
    cx.emit(r(if signed { Op::ImulR } else { Op::MulR }, 8, value));
    if signed {
        round_signed(cx, quotient, value, reciprocal);
    } else {
        round_unsigned(cx, quotient, value, reciprocal);
    }
    if division.wants_remainder {
        match i32::try_from(magnitude) {
            Ok(magnitude) => cx.emit(rri(Op::ImulRRI, 8, quotient, quotient, magnitude)),
            Err(_) => {
                cx.emit(mov_imm64(RAX, magnitude.cast_signed()));
                cx.emit(rr(Op::ImulRR, 8, quotient, RAX));
            }
        }
        cx.emit(rr(Op::SubRR, 8, value, quotient));
        cx.def_reuse(result(data), 0, value);
        return;
    }
    if division.is_negative {
        cx.emit(r(Op::NegR, 8, quotient));
    }
    cx.def_reuse(result(data), 0, quotient);
}

/// The quotient from the product's upper half in `rdx`.
fn round_unsigned<C: LowerCtx>(cx: &mut C, quotient: Reg, value: Reg, reciprocal: WideReciprocal) {
    if reciprocal.adds_value {
        // (value + product) / 2 without overflow.
        cx.emit(rr(Op::MovRR, 8, quotient, value));
        cx.emit(rr(Op::SubRR, 8, quotient, RDX));
        cx.emit(ri(Op::ShrRI, 8, quotient, 1));
        cx.emit(rr(Op::AddRR, 8, quotient, RDX));
    } else {
        cx.emit(rr(Op::MovRR, 8, quotient, RDX));
    }
    if reciprocal.shift > 0 {
        cx.emit(ri(Op::ShrRI, 8, quotient, reciprocal.shift.cast_signed()));
    }
}

/// The same for signed values; the shift rounds down, but a quotient is rounded to zero.
fn round_signed<C: LowerCtx>(cx: &mut C, quotient: Reg, value: Reg, reciprocal: WideReciprocal) {
    cx.emit(rr(Op::MovRR, 8, quotient, RDX));
    if reciprocal.adds_value {
        cx.emit(rr(Op::AddRR, 8, quotient, value));
    }
    if reciprocal.shift > 0 {
        cx.emit(ri(Op::SarRI, 8, quotient, reciprocal.shift.cast_signed()));
    }
    cx.emit(rr(Op::MovRR, 8, RDX, value));
    cx.emit(ri(Op::ShrRI, 8, RDX, 63));
    cx.emit(rr(Op::AddRR, 8, quotient, RDX));
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn inverses_of_odd_numbers() {
        for number in [1, 3, 5, 7, 24_693, u64::MAX, u64::MAX / 3, (1 << 63) + 1] {
            assert_eq!(inverse_of_odd(number).wrapping_mul(number), 1, "{number}");
        }
    }

    fn unsigned_quotient(value: u32, reciprocal: Reciprocal) -> u64 {
        let product = u64::from(value).wrapping_mul(u64::from(reciprocal.factor));
        let product = if reciprocal.adds_value {
            (product >> 32) + u64::from(value)
        } else {
            product
        };
        product >> reciprocal.shift
    }

    fn signed_quotient(value: i32, reciprocal: Reciprocal) -> i64 {
        let product = i64::from(value)
            .checked_mul(i64::from(reciprocal.factor))
            .expect("the product fits");
        assert!(!reciprocal.adds_value);
        (product >> reciprocal.shift) + i64::from(value < 0)
    }

    /// Divisors around all powers of two and some others.
    fn divisors(bits: u32) -> impl Iterator<Item = u64> {
        let near_powers = (1..bits).flat_map(|log2| [(1u64 << log2) - 1, (1 << log2) + 1, (1 << log2) * 3 / 2]);
        let others = [
            10,
            100,
            641,
            1000,
            10_007,
            65_521,
            1_000_003,
            0x7fff_fffe,
            u64::from(u32::MAX),
        ];
        near_powers
            .chain(others)
            .filter(move |&divisor| divisor > 2 && !divisor.is_power_of_two() && divisor >> bits == 0)
    }

    /// Values around multiples of the divisor, where rounding shows, the largest ones above all.
    fn values(divisor: u64, limit: u64) -> impl Iterator<Item = u64> {
        let multiples = limit / divisor;
        [0, 1, 2, multiples / 2, multiples.saturating_sub(1), multiples]
            .into_iter()
            .flat_map(move |multiple| {
                let product = multiple.saturating_mul(divisor);
                [product, product.saturating_add(divisor - 1)]
            })
            .chain([limit, limit - 1, limit / 2, limit / 2 + 1])
            .filter(move |&value| value <= limit)
    }

    #[test]
    fn products_give_unsigned_quotients() {
        for bits in [2, 3, 7, 8, 16, 17, 31, 32] {
            for divisor in divisors(bits) {
                let reciprocal = Reciprocal::new(divisor, bits, false);
                for value in values(divisor, u64::MAX >> (64 - bits)) {
                    let quotient = unsigned_quotient(value as u32, reciprocal);
                    assert_eq!(quotient, value / divisor, "{value} / {divisor}, {bits} bits");
                }
            }
        }
    }

    #[test]
    fn products_give_signed_quotients() {
        for bits in [3, 7, 8, 16, 17, 31, 32] {
            for divisor in divisors(bits - 1) {
                let reciprocal = Reciprocal::new(divisor, bits, true);
                for value in values(divisor, 1 << (bits - 1)) {
                    let negative = (-value.cast_signed()) as i32;
                    let quotient = signed_quotient(negative, reciprocal);
                    assert_eq!(
                        quotient,
                        i64::from(negative) / divisor.cast_signed(),
                        "{negative} / {divisor}"
                    );
                    if let Ok(positive) = i32::try_from(value) {
                        let quotient = signed_quotient(positive, reciprocal);
                        assert_eq!(
                            quotient,
                            i64::from(positive) / divisor.cast_signed(),
                            "{positive} / {divisor}"
                        );
                    }
                }
            }
        }
    }

    fn wide_values(divisor: u64) -> impl Iterator<Item = u64> {
        values(divisor, u64::MAX)
            .chain(values(divisor, u64::MAX >> 1))
            .chain([1 << 63, (1 << 63) + 1, (1 << 63) - 1])
    }

    #[test]
    fn wide_products_give_unsigned_quotients() {
        for divisor in divisors(63).chain([3, 7, u64::MAX, u64::MAX - 1, (1 << 63) + 1]) {
            let reciprocal = WideReciprocal::unsigned(divisor);
            for value in wide_values(divisor) {
                let product = ((u128::from(value) * u128::from(reciprocal.factor)) >> 64) as u64;
                let upper = if reciprocal.adds_value {
                    ((value - product) >> 1) + product
                } else {
                    product
                };
                assert_eq!(upper >> reciprocal.shift, value / divisor, "{value} / {divisor}");
            }
        }
    }

    #[test]
    fn wide_products_give_signed_quotients() {
        for divisor in divisors(63).chain([3, 7, (1 << 63) - 1]) {
            let reciprocal = WideReciprocal::signed(divisor);
            for value in wide_values(divisor) {
                let value = value.cast_signed();
                let product = ((i128::from(value) * i128::from(reciprocal.factor.cast_signed())) >> 64) as i64;
                let upper = if reciprocal.adds_value {
                    product.wrapping_add(value)
                } else {
                    product
                };
                let quotient = (upper >> reciprocal.shift) + i64::from(value < 0);
                assert_eq!(
                    quotient,
                    value.wrapping_div(divisor.cast_signed()),
                    "{value} / {divisor}"
                );
            }
        }
    }
}
