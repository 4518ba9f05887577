//! Floating-point operations and conversions on scalars of `f32`, `f64`, `f16` and `bf16`; the other types can only be
//! passed on.

use super::format::Float;
use super::narrow::{Brain, Half, Narrow, rounded};
use super::value::{Scalar, mask, signed};
use super::{Outcome, Stop};
use crate::flags::{FastFlags, IntFlags};
use crate::opcode::Opcode;
use crate::types::TypeData;

macro_rules! float {
    ($ty:ident, $bits_ty:ident, $bits:literal, $mantissa:literal) => {
        impl Float for $ty {
            const BITS: u32 = $bits;
            const MANTISSA_BITS: u32 = $mantissa;

            fn from_bits(bits: u128) -> $ty {
                $ty::from_bits(bits as $bits_ty)
            }

            fn bits(self) -> u128 {
                u128::from(self.to_bits())
            }

            fn is_nan(self) -> bool {
                $ty::is_nan(self)
            }

            fn is_infinite(self) -> bool {
                $ty::is_infinite(self)
            }

            fn arith(op: Opcode, a: $ty, b: $ty, c: $ty) -> Option<$ty> {
                use Opcode as O;
                let any_nan = a.is_nan() || b.is_nan();
                let a_is_less = a < b || (a == b && a.is_sign_negative());
                Some(match op {
                    O::Fadd => a + b,
                    O::Fsub => a - b,
                    O::Fmul => a * b,
                    O::Fdiv => a / b,
                    O::Frem => a % b,
                    O::Fneg => -a,
                    O::Fabs => a.abs(),
                    O::Fsqrt => a.sqrt(),
                    O::Ffloor => a.floor(),
                    O::Fceil => a.ceil(),
                    O::Ftrunc => a.trunc(),
                    O::Frint | O::Fnearbyint | O::Froundeven => a.round_ties_even(),
                    O::Fround => a.round(),
                    O::Fcopysign => a.copysign(b),
                    O::Fminnum => a.min(b),
                    O::Fmaxnum => a.max(b),
                    O::Fminimum | O::Fmaximum if any_nan => $ty::NAN,
                    O::Fminimum => {
                        if a_is_less {
                            a
                        } else {
                            b
                        }
                    }
                    O::Fmaximum => {
                        if a_is_less {
                            b
                        } else {
                            a
                        }
                    }
                    O::Fma => a.mul_add(b, c),
                    O::Fmuladd => a * b + c,
                    _ => return None,
                })
            }
        }
    };
}

float!(f32, u32, 32, 23);
float!(f64, u64, 64, 52);

/// Calls a generic function for the format of a type.
macro_rules! with_format {
    ($ty:expr, $function:ident($($argument:expr),*)) => {
        match $ty {
            TypeData::F32 => $function::<f32>($($argument),*),
            TypeData::F64 => $function::<f64>($($argument),*),
            TypeData::F16 => $function::<Half>($($argument),*),
            TypeData::BF16 => $function::<Brain>($($argument),*),
            other => Err(Stop::Unsupported(format!("floating point in {other:?}"))),
        }
    };
}

/// An operation on defined floating-point operands; comparisons and class tests included.
pub(super) fn float_op(op: Opcode, flags: FastFlags, ty: TypeData, operands: [u128; 3]) -> Outcome<Scalar> {
    with_format!(ty, format_op(op, flags, operands))
}

fn format_op<F: Float>(op: Opcode, flags: FastFlags, operands: [u128; 3]) -> Outcome<Scalar> {
    let [a, b, c] = operands.map(F::from_bits);
    let breaks = |value: F| {
        (flags.contains(FastFlags::NNAN) && value.is_nan()) || (flags.contains(FastFlags::NINF) && value.is_infinite())
    };
    if op == Opcode::IsFpclass {
        return Ok(Scalar::bool(operands[1] >> class(a) & 1 == 1));
    }
    let count = crate::typing::fixed_operand_count(op).unwrap_or(0);
    if [a, b, c].into_iter().take(count).any(breaks) {
        return Ok(Scalar::Poison);
    }
    if op.is_fcmp() {
        return Ok(Scalar::bool(compare(op, a, b)));
    }
    match F::arith(op, a, b, c) {
        Some(result) if breaks(result) => Ok(Scalar::Poison),
        Some(result) => Ok(Scalar::defined(result.bits())),
        None => Err(Stop::Unsupported(format!("opcode {}", op.name()))),
    }
}

fn compare<F: Float>(op: Opcode, a: F, b: F) -> bool {
    use Opcode as O;
    let unordered = a.is_nan() || b.is_nan();
    match op {
        O::FcmpFalse => false,
        O::FcmpOeq => a == b,
        O::FcmpOgt => a > b,
        O::FcmpOge => a >= b,
        O::FcmpOlt => a < b,
        O::FcmpOle => a <= b,
        O::FcmpOne => !unordered && a != b,
        O::FcmpOrd => !unordered,
        O::FcmpUno => unordered,
        O::FcmpUeq => unordered || a == b,
        O::FcmpUgt => unordered || a > b,
        O::FcmpUge => unordered || a >= b,
        O::FcmpUlt => unordered || a < b,
        O::FcmpUle => unordered || a <= b,
        O::FcmpUne => a != b,
        _ => true,
    }
}

/// The number of a value's class in the mask of `is_fpclass`.
fn class<F: Float>(value: F) -> u32 {
    let bits = value.bits();
    let negative = bits >> (F::BITS - 1) & 1 == 1;
    let mantissa = bits & mask(F::MANTISSA_BITS);
    let exponent = bits >> F::MANTISSA_BITS & mask(F::BITS - 1 - F::MANTISSA_BITS);
    let largest = mask(F::BITS - 1 - F::MANTISSA_BITS);
    match (exponent, mantissa) {
        (exponent, 0) if exponent == largest => {
            if negative {
                2
            } else {
                9
            }
        }
        (exponent, _) if exponent == largest => (mantissa >> (F::MANTISSA_BITS - 1) & 1) as u32,
        (0, 0) => {
            if negative {
                5
            } else {
                6
            }
        }
        (0, _) => {
            if negative {
                4
            } else {
                7
            }
        }
        _ => {
            if negative {
                3
            } else {
                8
            }
        }
    }
}

fn to_f64(ty: TypeData, bits: u128) -> Outcome<f64> {
    match ty {
        TypeData::F32 => Ok(f64::from(f32::from_bits(bits as u32))),
        TypeData::F64 => Ok(f64::from_bits(bits as u64)),
        TypeData::F16 => Ok(Narrow::<10>::from_bits(bits).into()),
        TypeData::BF16 => Ok(Narrow::<7>::from_bits(bits).into()),
        other => Err(Stop::Unsupported(format!("floating point in {other:?}"))),
    }
}

/// Floating point to an integer of `bits` bits.
pub(super) fn to_int(op: Opcode, from: TypeData, value: u128, bits: u32) -> Outcome<Scalar> {
    let truncated = to_f64(from, value)?.trunc();
    let is_signed = matches!(op, Opcode::Fptosi | Opcode::FptosiSat);
    let saturates = matches!(op, Opcode::FptosiSat | Opcode::FptouiSat);
    let power = |exponent: u32| 2f64.powi(exponent as i32);
    let (low, high) = if is_signed {
        (-power(bits - 1), power(bits - 1))
    } else {
        (0.0, power(bits))
    };
    let (lowest, highest) = if is_signed {
        (1u128 << (bits - 1), mask(bits - 1))
    } else {
        (0, mask(bits))
    };
    Ok(if truncated >= low && truncated < high {
        let exact = if is_signed {
            (truncated as i128).cast_unsigned()
        } else {
            truncated as u128
        };
        Scalar::defined(exact & mask(bits))
    } else if !saturates {
        Scalar::Poison
    } else if truncated.is_nan() {
        Scalar::defined(0)
    } else {
        Scalar::defined(if truncated < low { lowest } else { highest })
    })
}

/// Floating point to the nearest integer of `bits` bits, the even one of two; any if it is out of range.
pub(super) fn to_nearest_int(from: TypeData, value: u128, bits: u32) -> Outcome<Scalar> {
    let rounded = to_f64(from, value)?.round_ties_even();
    let limit = 2f64.powi(bits.cast_signed() - 1);
    Ok(match rounded >= -limit && rounded < limit {
        true => Scalar::defined((rounded as i128).cast_unsigned() & mask(bits)),
        false => Scalar::undef(bits),
    })
}

/// An integer of `bits` bits to floating point.
pub(super) fn from_int(op: Opcode, flags: IntFlags, bits: u32, value: u128, to: TypeData) -> Outcome<Scalar> {
    let number = signed(value, bits);
    if flags.contains(IntFlags::NNEG) && number < 0 {
        return Ok(Scalar::Poison);
    }
    let is_signed = op == Opcode::Sitofp;
    let single = if is_signed { number as f32 } else { value as f32 };
    match to {
        TypeData::F32 => Ok(Scalar::defined(u128::from(single.to_bits()))),
        TypeData::F64 => {
            let result = if is_signed { number as f64 } else { value as f64 };
            Ok(Scalar::defined(u128::from(result.to_bits())))
        }
        // Rounded twice, as code generation does it.
        TypeData::F16 | TypeData::BF16 => convert(TypeData::F32, u128::from(single.to_bits()), to),
        other => Err(Stop::Unsupported(format!("floating point in {other:?}"))),
    }
}

/// One format to another.
pub(super) fn convert(from: TypeData, value: u128, to: TypeData) -> Outcome<Scalar> {
    let number = to_f64(from, value)?;
    match to {
        TypeData::F32 => Ok(Scalar::defined(u128::from((number as f32).to_bits()))),
        TypeData::F64 => Ok(Scalar::defined(u128::from(number.to_bits()))),
        TypeData::F16 => Ok(Scalar::defined(rounded(number, Half::MANTISSA_BITS))),
        TypeData::BF16 => Ok(Scalar::defined(rounded(number, Brain::MANTISSA_BITS))),
        other => Err(Stop::Unsupported(format!("floating point in {other:?}"))),
    }
}
