//! Floats of 16 bits: `f16` with 10 bits of fraction and `bf16` with 7, computed with as `f32` and rounded after each
//! operation, as code generation does it.

use super::format::Float;
use crate::opcode::Opcode;
use std::cmp::Ordering;

/// A number of 16 bits with so many bits of fraction.
#[derive(Clone, Copy, Debug)]
pub(super) struct Narrow<const FRACTION: u32>(u16);

pub(super) type Half = Narrow<10>;
pub(super) type Brain = Narrow<7>;

impl<const FRACTION: u32> From<Narrow<FRACTION>> for f64 {
    fn from(number: Narrow<FRACTION>) -> f64 {
        let bits = number.0;
        let (exponent_bits, fraction) = (15 - FRACTION, bits & ((1 << FRACTION) - 1));
        let exponent = i32::from((bits & 0x7fff) >> FRACTION);
        let bias = (1 << (exponent_bits - 1)) - 1;
        let size = match exponent {
            _ if exponent == (1 << exponent_bits) - 1 => match fraction {
                0 => f64::INFINITY,
                _ => f64::NAN,
            },
            0 => f64::from(fraction) * 2f64.powi(1 - bias - FRACTION as i32),
            _ => f64::from(fraction | 1 << FRACTION) * 2f64.powi(exponent - bias - FRACTION as i32),
        };
        if bits >> 15 == 0 { size } else { -size }
    }
}

impl<const FRACTION: u32> Narrow<FRACTION> {
    fn single(self) -> f32 {
        f64::from(self) as f32
    }

    fn of(number: f64) -> Self {
        Narrow(rounded(number, FRACTION) as u16)
    }
}

/// The bits of the nearest number with so many bits of fraction, of two the even one.
pub(super) fn rounded(number: f64, fraction_bits: u32) -> u128 {
    let sign = u128::from(number.is_sign_negative()) << 15;
    let infinity = 0x7fff >> fraction_bits << fraction_bits;
    if number.is_nan() {
        return sign | infinity | 1 << (fraction_bits - 1);
    }
    let size = number.abs();
    let least_exponent = 2 - (1 << (14 - fraction_bits));
    // Of subnormal doubles, which all are rounded to zero, it is not the exponent.
    let exponent = ((size.to_bits() >> 52) as i32 - 1023).max(least_exponent);
    if exponent > 127 {
        return sign | infinity;
    }
    let units = (size * 2f64.powi(fraction_bits as i32 - exponent)).round_ties_even() as u128;
    // A carry out of the fraction goes to the exponent, and that of a normal number counts from one.
    let bits = ((exponent - least_exponent) as u128) << fraction_bits;
    sign | (bits + units).min(infinity)
}

impl<const FRACTION: u32> PartialEq for Narrow<FRACTION> {
    fn eq(&self, other: &Self) -> bool {
        self.single() == other.single()
    }
}

impl<const FRACTION: u32> PartialOrd for Narrow<FRACTION> {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        self.single().partial_cmp(&other.single())
    }
}

impl<const FRACTION: u32> Float for Narrow<FRACTION> {
    const BITS: u32 = 16;
    const MANTISSA_BITS: u32 = FRACTION;

    fn from_bits(bits: u128) -> Self {
        Narrow(bits as u16)
    }

    fn bits(self) -> u128 {
        u128::from(self.0)
    }

    fn is_nan(self) -> bool {
        self.single().is_nan()
    }

    fn is_infinite(self) -> bool {
        self.single().is_infinite()
    }

    fn arith(op: Opcode, a: Self, b: Self, c: Self) -> Option<Self> {
        Some(match op {
            Opcode::Fneg => Narrow(a.0 ^ 0x8000),
            Opcode::Fabs => Narrow(a.0 & 0x7fff),
            Opcode::Fcopysign => Narrow(a.0 & 0x7fff | b.0 & 0x8000),
            // In `f32`, it would be rounded twice.
            Opcode::Fma if FRACTION == 10 => Self::of(f64::from(a).mul_add(b.into(), c.into())),
            Opcode::Fmuladd => {
                let product = Self::arith(Opcode::Fmul, a, b, c)?;
                return Self::arith(Opcode::Fadd, product, c, c);
            }
            op => Self::of(f32::arith(op, a.single(), b.single(), c.single())?.into()),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_rounded_to_themselves() {
        for bits in 0..=0xffff {
            let (half, brain) = (Half::from_bits(bits), Brain::from_bits(bits));
            assert!(half.is_nan() || rounded(half.into(), 10) == bits, "{bits:#x}");
            assert!(brain.is_nan() || rounded(brain.into(), 7) == bits, "{bits:#x}");
        }
    }

    #[test]
    fn ties_go_to_even_numbers() {
        assert_eq!(rounded(1.0 + 2f64.powi(-11), 10), 0x3c00);
        assert_eq!(rounded(1.0 + 3.0 * 2f64.powi(-11), 10), 0x3c02);
        assert_eq!(rounded(65519.9, 10), 0x7bff);
        assert_eq!(rounded(65520.0, 10), 0x7c00);
        assert_eq!(rounded(2f64.powi(-25), 10), 0);
        assert_eq!(rounded(-2f64.powi(-25) * 1.01, 10), 0x8001);
        assert_eq!(rounded(f64::MAX, 7), 0x7f80);
        assert_eq!(rounded(5e-324, 7), 0);
    }
}
