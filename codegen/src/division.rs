//! Division by constants without a division, as far as targets do it alike: what is divided by what, and the factors of
//! the multiplications that give the quotients.
//!
//! Without a remainder, the quotient is the product with the divisor's inverse modulo the register's range. Otherwise
//! it is the upper part of a product with a scaled reciprocal, rounded up. Both are from Granlund and Montgomery,
//! "Division by Invariant Integers using Multiplication", 1994.

use frazil_ir::{InstData, IntFlags, Opcode};

/// What is divided by what.
#[derive(Clone, Copy, Debug)]
pub struct ConstantDivision {
    /// Width of the values, at most 64.
    pub bits: u32,
    pub signed: bool,
    pub wants_remainder: bool,
    /// Absolute value of the divisor.
    pub magnitude: u64,
    pub is_negative: bool,
    /// There is no remainder.
    pub is_exact: bool,
}

impl ConstantDivision {
    /// A division of values of so many bits by `divisor`, which is sign-extended from that width.
    pub fn new(data: &InstData, bits: u32, divisor: i64) -> ConstantDivision {
        let signed = matches!(data.op, Opcode::Sdiv | Opcode::Srem);
        let wants_remainder = matches!(data.op, Opcode::Urem | Opcode::Srem);
        let flags = IntFlags::from_bits_retain(data.flags);
        ConstantDivision {
            bits,
            signed,
            wants_remainder,
            magnitude: match signed {
                true => divisor.unsigned_abs(),
                false => divisor.cast_unsigned() & (u64::MAX >> (64 - bits)),
            },
            is_negative: signed && divisor < 0,
            is_exact: !wants_remainder && flags.contains(IntFlags::EXACT),
        }
    }
}

/// The inverse modulo 2^64 of an odd number, by Newton's method: each step doubles the number of correct bits.
#[must_use]
pub fn inverse_of_odd(number: u64) -> u64 {
    // An odd number is its own inverse modulo 8.
    let mut inverse = number;
    for _ in 0..5 {
        inverse = inverse.wrapping_mul(2u64.wrapping_sub(number.wrapping_mul(inverse)));
    }
    inverse
}

/// How to divide a value of at most 32 bits by multiplication in 64 bits.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Reciprocal {
    /// What to multiply by.
    pub factor: u32,
    /// Whether the value itself is to be added to the upper half of the product: the factor is 2^32 larger.
    pub adds_value: bool,
    /// How far the product goes to the right.
    pub shift: u32,
}

impl Reciprocal {
    /// For values of up to `bits` (at most 32) bits and a divisor that is no power of two. Signed values have their
    /// sign in one of the bits.
    pub fn new(magnitude: u64, bits: u32, signed: bool) -> Reciprocal {
        // The divisor lies between 2^log2 and twice that, so the factor lies between 2^31 and 2^32.
        let log2 = magnitude.ilog2();
        let value_bits = if signed { bits - 1 } else { bits };
        if let Some(reciprocal) = Reciprocal::with_shift(magnitude, value_bits, 32 + log2) {
            return reciprocal;
        }
        // Twice as exact, and then always exact enough.
        let factor = (1u128 << (33 + log2)) / u128::from(magnitude) + 1;
        Reciprocal {
            factor: factor as u32,
            adds_value: true,
            shift: log2 + 1,
        }
    }

    /// The same for signed values, if there is one whose factor is positive as a signed number of 32 bits.
    pub fn narrow(magnitude: u64, bits: u32) -> Option<Reciprocal> {
        let found = Reciprocal::with_shift(magnitude, bits - 1, 31 + magnitude.ilog2());
        found.filter(|reciprocal| reciprocal.factor >> 31 == 0)
    }

    /// For unsigned values, the same with a product that fits 32 bits or, if that cannot be, with a factor that is
    /// positive as a signed number of 32 bits.
    pub fn short(magnitude: u64, bits: u32) -> Option<Reciprocal> {
        let in_32_bits = |reciprocal: &Reciprocal| u64::from(reciprocal.factor) << bits <= 1 << 32;
        (bits..32)
            .find_map(|shift| Reciprocal::with_shift(magnitude, bits, shift))
            .filter(in_32_bits)
            .or_else(|| Reciprocal::with_shift(magnitude, bits, 31 + magnitude.ilog2()))
            .filter(|reciprocal| reciprocal.factor >> 31 == 0)
    }

    /// The factor for this shift, if it is exact enough.
    fn with_shift(magnitude: u64, value_bits: u32, shift: u32) -> Option<Reciprocal> {
        let factor = (1u64 << shift) / magnitude + 1;
        // Too large by this, in units of 2^-shift of the quotient for each unit of the value. All values together must
        // not reach the next quotient, which is a unit of 1 / magnitude away.
        let excess = factor * magnitude - (1u64 << shift);
        (excess <= 1u64 << (shift - value_bits)).then_some(Reciprocal {
            factor: factor as u32,
            adds_value: false,
            shift,
        })
    }
}

/// How to divide a value that fills a register by multiplication.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct WideReciprocal {
    /// What to multiply by.
    pub factor: u64,
    /// Whether the factor is larger than that by 2 to the register's width (as a signed factor: it is negative by its
    /// top bit), so that the value itself is to be added to the upper half of the product.
    pub adds_value: bool,
    /// How far the upper half goes to the right.
    pub shift: u32,
}

impl WideReciprocal {
    /// For unsigned values of `width` bits, 32 or 64, and a divisor that is no power of two; as [`Reciprocal::new`].
    pub fn unsigned(magnitude: u64, width: u32) -> WideReciprocal {
        let log2 = magnitude.ilog2();
        let power = 1u128 << (width + log2);
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
            factor: (factor & ((1 << width) - 1)) as u64,
            adds_value: true,
            shift: log2,
        }
    }

    /// For signed values of `width` bits: a factor of at most 2 to the width, so that half of it is enough for
    /// magnitudes below half the range.
    pub fn signed(magnitude: u64, width: u32) -> WideReciprocal {
        let log2 = magnitude.ilog2();
        let power = 1u128 << (width - 1 + log2);
        let factor = power / u128::from(magnitude) + 1;
        let excess = factor * u128::from(magnitude) - power;
        if excess <= 1u128 << log2 && factor < 1 << (width - 1) {
            return WideReciprocal {
                factor: factor as u64,
                adds_value: false,
                shift: log2 - 1,
            };
        }
        let factor = (power * 2) / u128::from(magnitude) + 1;
        WideReciprocal {
            factor: factor as u64,
            adds_value: factor >> (width - 1) != 0,
            shift: log2,
        }
    }
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
    fn short_products_give_unsigned_quotients() {
        for bits in [2, 3, 7, 8, 12, 16, 31, 32] {
            for divisor in divisors(bits) {
                let Some(reciprocal) = Reciprocal::short(divisor, bits) else {
                    assert!(bits > 16, "{divisor}, {bits} bits");
                    continue;
                };
                assert!(reciprocal.factor.cast_signed() > 0 && !reciprocal.adds_value);
                let limit = u64::MAX >> (64 - bits);
                if reciprocal.shift < 32 {
                    assert!(limit * u64::from(reciprocal.factor) < 1 << 32, "{divisor}, {bits} bits");
                }
                let all = if bits <= 12 { limit } else { 0 };
                for value in (0..=all).chain(values(divisor, limit)) {
                    let quotient = unsigned_quotient(value as u32, reciprocal);
                    assert_eq!(quotient, value / divisor, "{value} / {divisor}, {bits} bits");
                }
            }
        }
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

    /// The sign of the quotient before it is rounded to zero is the value's.
    #[test]
    fn narrow_products_give_signed_quotients() {
        let mut found = 0;
        for bits in [3, 7, 8, 16, 17, 31, 32] {
            for divisor in divisors(bits - 1) {
                let Some(reciprocal) = Reciprocal::narrow(divisor, bits) else {
                    continue;
                };
                found += 1;
                let numbers = values(divisor, (1 << (bits - 1)) - 1).map(u64::cast_signed);
                for value in numbers.flat_map(|value| [value, -value, -1 - value]) {
                    let quotient = (value * i64::from(reciprocal.factor.cast_signed())) >> reciprocal.shift;
                    let quotient = quotient + i64::from(quotient < 0);
                    assert_eq!(quotient, value / divisor.cast_signed(), "{value} / {divisor}");
                }
            }
        }
        assert!(found > 100);
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
