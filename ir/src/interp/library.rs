//! Functions of the C library that intrinsics become when they are read: `$sinf` and the like.
//!
//! Those that programs declare themselves are the caller's to answer, and so are these if it knows them. What the last
//! bit of a sine is, no standard says; it is that of the library that Rust's own functions call, as machine code does.
//! The others are exact. Where a result is unspecified, it is undefined; arguments that are undefined or poison make
//! results that are.

use super::value::{Scalar, Value, mask};
use super::{Interpreter, Outcome, Stop};
use crate::function::Function;
use crate::runtime::RuntimeFunction;
use crate::types::Type;

/// A function of one or two numbers, for both formats.
enum Plain {
    One(fn(f32) -> f32, fn(f64) -> f64),
    Two(fn(f32, f32) -> f32, fn(f64, f64) -> f64),
}

/// What a function does; whether its numbers are `float` or `double`, is apart.
enum Kind {
    Plain(Plain),
    /// A power whose exponent is an integer.
    PowerOfInteger,
    /// A product with a power of two.
    Scale,
    /// A number's fraction, and through a pointer, its exponent.
    FractionAndExponent,
    /// What is behind the point, and through a pointer, the rest.
    FractionAndWhole,
    SineAndCosine,
    /// To the nearest integer, of two the one that is farther from zero.
    Round,
    /// To the nearest integer, of two the even one.
    RoundToEven,
}

/// What is known of a function, and whether its numbers are `double`.
fn kind_of(function: RuntimeFunction) -> Option<(Kind, bool)> {
    use RuntimeFunction as F;
    let one = |single, double| Kind::Plain(Plain::One(single, double));
    let two = |single, double| Kind::Plain(Plain::Two(single, double));
    let (kind, double) = match function {
        F::Sinf | F::Sin => (one(f32::sin, f64::sin), F::Sin),
        F::Cosf | F::Cos => (one(f32::cos, f64::cos), F::Cos),
        F::Tanf | F::Tan => (one(f32::tan, f64::tan), F::Tan),
        F::Asinf | F::Asin => (one(f32::asin, f64::asin), F::Asin),
        F::Acosf | F::Acos => (one(f32::acos, f64::acos), F::Acos),
        F::Atanf | F::Atan => (one(f32::atan, f64::atan), F::Atan),
        F::Sinhf | F::Sinh => (one(f32::sinh, f64::sinh), F::Sinh),
        F::Coshf | F::Cosh => (one(f32::cosh, f64::cosh), F::Cosh),
        F::Tanhf | F::Tanh => (one(f32::tanh, f64::tanh), F::Tanh),
        F::Expf | F::Exp => (one(f32::exp, f64::exp), F::Exp),
        F::Exp2f | F::Exp2 => (one(f32::exp2, f64::exp2), F::Exp2),
        F::Logf | F::Log => (one(f32::ln, f64::ln), F::Log),
        F::Log2f | F::Log2 => (one(f32::log2, f64::log2), F::Log2),
        F::Log10f | F::Log10 => (one(f32::log10, f64::log10), F::Log10),
        F::Atan2f | F::Atan2 => (two(f32::atan2, f64::atan2), F::Atan2),
        F::Powf | F::Pow => (two(f32::powf, f64::powf), F::Pow),
        F::Powisf2 | F::Powidf2 => (Kind::PowerOfInteger, F::Powidf2),
        F::Ldexpf | F::Ldexp => (Kind::Scale, F::Ldexp),
        F::Frexpf | F::Frexp => (Kind::FractionAndExponent, F::Frexp),
        F::Modff | F::Modf => (Kind::FractionAndWhole, F::Modf),
        F::Sincosf | F::Sincos => (Kind::SineAndCosine, F::Sincos),
        F::Lroundf | F::Lround => (Kind::Round, F::Lround),
        F::Llroundf | F::Llround => (Kind::Round, F::Llround),
        F::Lrintf | F::Lrint => (Kind::RoundToEven, F::Lrint),
        F::Llrintf | F::Llrint => (Kind::RoundToEven, F::Llrint),
        _ => return None,
    };
    Some((kind, function == double))
}

impl Interpreter<'_> {
    /// The results of a library function for arguments of these types; `None` if it is not known.
    pub(super) fn library_call(
        &mut self,
        caller: &Function,
        library: RuntimeFunction,
        arguments: &[Value],
        returns: &[Type],
    ) -> Option<Outcome<Vec<Value>>> {
        let (kind, is_double) = kind_of(library)?;
        Some(self.known_library_call(caller, (kind, is_double), arguments, returns))
    }

    fn known_library_call(
        &mut self,
        caller: &Function,
        (kind, is_double): (Kind, bool),
        arguments: &[Value],
        returns: &[Type],
    ) -> Outcome<Vec<Value>> {
        let float = if is_double { Type::F64 } else { Type::F32 };
        let argument = |index: usize| arguments.get(index).map_or(Scalar::Poison, |value| value.lane(0));
        let number = Number {
            scalar: argument(0),
            is_double,
        };
        let result_bits = returns
            .first()
            .and_then(|&ty| super::value::scalar_bits(caller.types.data(ty), self.pointer_bits()));
        let result = match kind {
            Kind::Plain(Plain::One(single, double)) => number.map(single, double),
            Kind::Plain(Plain::Two(single, double)) => {
                let second = Number {
                    scalar: argument(1),
                    is_double,
                };
                number.with(second.scalar, |_| {
                    let Some(other) = second.value() else {
                        return second.scalar;
                    };
                    number.map(|a| single(a, other as f32), |a| double(a, other))
                })
            }
            Kind::PowerOfInteger => number.with(argument(1), |power| {
                let power = power as u32 as i32;
                number.map(|a| power_f32(a, power), |a| power_f64(a, power))
            }),
            Kind::Scale => number.with(argument(1), |power| {
                let power = power as u32 as i32;
                number.map(
                    |a| scaled_f64(f64::from(a), power.clamp(-500, 500)) as f32,
                    |a| scaled_f64(a, power),
                )
            }),
            Kind::Round => number.to_integer(result_bits, f64::round),
            Kind::RoundToEven => number.to_integer(result_bits, f64::round_ties_even),
            Kind::FractionAndExponent => {
                let (fraction, exponent) = match number.value() {
                    Some(value) => fraction_and_exponent(value),
                    None => (0.0, None),
                };
                let exponent = exponent.map_or(Scalar::undef(32), |exponent| {
                    Scalar::defined(u128::from(exponent.cast_unsigned()))
                });
                let exponent = number.with(Scalar::defined(0), |_| exponent);
                self.put(caller, arguments.get(1), Type::I32, exponent)?;
                number.map(|_| fraction as f32, |_| fraction)
            }
            Kind::FractionAndWhole => {
                self.put(caller, arguments.get(1), float, number.map(f32::trunc, f64::trunc))?;
                number.map(
                    |a| if a.is_infinite() { 0f32 } else { a - a.trunc() }.copysign(a),
                    |a| if a.is_infinite() { 0f64 } else { a - a.trunc() }.copysign(a),
                )
            }
            Kind::SineAndCosine => {
                self.put(caller, arguments.get(1), float, number.map(f32::sin, f64::sin))?;
                self.put(caller, arguments.get(2), float, number.map(f32::cos, f64::cos))?;
                return Ok(Vec::new());
            }
        };
        Ok(vec![Value::Scalar(result)])
    }

    /// Stores a result through a pointer.
    fn put(&mut self, caller: &Function, pointer: Option<&Value>, ty: Type, scalar: Scalar) -> Outcome<()> {
        let address = pointer.and_then(Value::known);
        let address = address.ok_or_else(|| Stop::undefined("a result through a pointer that is not defined"))?;
        self.store(&caller.types, ty, address as u64, &Value::Scalar(scalar))
    }
}

/// A `float` or `double`.
#[derive(Clone, Copy)]
struct Number {
    scalar: Scalar,
    is_double: bool,
}

impl Number {
    fn bits(self) -> u32 {
        if self.is_double { 64 } else { 32 }
    }

    fn value(self) -> Option<f64> {
        let bits = self.scalar.known()?;
        Some(match self.is_double {
            true => f64::from_bits(bits as u64),
            false => f64::from(f32::from_bits(bits as u32)),
        })
    }

    /// What a function of its format makes of it.
    fn map(self, single: impl Fn(f32) -> f32, double: impl Fn(f64) -> f64) -> Scalar {
        self.with(Scalar::defined(0), |_| {
            let bits = self.scalar.known().unwrap_or(0);
            Scalar::defined(match self.is_double {
                true => u128::from(double(f64::from_bits(bits as u64)).to_bits()),
                false => u128::from(single(f32::from_bits(bits as u32)).to_bits()),
            })
        })
    }

    /// A result if this and another argument, which the function gets, are defined.
    fn with(self, other: Scalar, result: impl Fn(u128) -> Scalar) -> Scalar {
        match (self.scalar, other) {
            (Scalar::Poison, _) | (_, Scalar::Poison) => Scalar::Poison,
            (Scalar::Bits { undef: 0, .. }, Scalar::Bits { undef: 0, value }) => result(value),
            _ => Scalar::undef(self.bits()),
        }
    }

    /// An integer of so many bits that is near; any if it is out of range.
    fn to_integer(self, bits: Option<u32>, round: fn(f64) -> f64) -> Scalar {
        let (Some(bits), Some(value)) = (bits, self.value()) else {
            return match self.scalar {
                Scalar::Poison => Scalar::Poison,
                Scalar::Bits { .. } => Scalar::undef(bits.unwrap_or(0)),
            };
        };
        let (rounded, limit) = (round(value), 2f64.powi(bits.cast_signed() - 1));
        match rounded >= -limit && rounded < limit {
            true => Scalar::defined((rounded as i128).cast_unsigned() & mask(bits)),
            false => Scalar::undef(bits),
        }
    }
}

/// Powers by repeated squares, rounded as the functions of compilers' own libraries round them.
macro_rules! power {
    ($name:ident, $ty:ident) => {
        fn $name(mut base: $ty, exponent: i32) -> $ty {
            let mut rest = exponent.unsigned_abs();
            let mut product = if rest & 1 == 1 { base } else { 1.0 };
            loop {
                rest >>= 1;
                if rest == 0 {
                    break;
                }
                base *= base;
                if rest & 1 == 1 {
                    product *= base;
                }
            }
            if exponent < 0 { 1.0 / product } else { product }
        }
    };
}

power!(power_f32, f32);
power!(power_f64, f64);

/// `value` times two to the `power`, rounded once: what may come below normal numbers is multiplied in steps that stay
/// above, with room for all digits, but for the last.
fn scaled_f64(mut value: f64, mut power: i32) -> f64 {
    for _ in 0..2 {
        if power > 1023 {
            value *= 2f64.powi(1023);
            power -= 1023;
        } else if power < -1022 {
            value *= 2f64.powi(-1022 + 53);
            power += 1022 - 53;
        }
    }
    value * 2f64.powi(power.clamp(-1022, 1023))
}

/// A fraction from 1/2 on and less than 1, and the exponent of two that belongs to it; infinities and NaNs have none.
fn fraction_and_exponent(value: f64) -> (f64, Option<i32>) {
    if value == 0.0 {
        return (value, Some(0));
    }
    if !value.is_finite() {
        return (value, None);
    }
    // Subnormal numbers are made normal.
    let (normal, less) = if value.is_normal() {
        (value, 0)
    } else {
        (value * 2f64.powi(64), 64)
    };
    let exponent = (normal.to_bits() >> 52 & 0x7ff) as i32 - 1022;
    let fraction = f64::from_bits(normal.to_bits() & !(0x7ff << 52) | 1022 << 52);
    (fraction, Some(exponent - less))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::entities::FuncId;
    use crate::interp::Limits;
    use crate::text::parse_module;
    use frazil_support::EntityRef;

    /// What a function does with a number, and what is in eight bytes of memory afterwards.
    fn run(call: &str, argument: Value) -> Outcome<(Value, Value)> {
        let text = format!(
            "func @f(f64) -> (f64, i64) {{\n  v1 = slot 8 align 8\nb0:\n  store align 8 i64 7, v1\n  {call}\n  \
             v3 = load align 8 i64 v1\n  return v2, v3\n}}"
        );
        let (module, functions) = parse_module(&text).unwrap_or_else(|error| panic!("{error}: {text}"));
        let mut interpreter = Interpreter::new(&module, &functions, Limits::default())?;
        let mut results = interpreter.call(FuncId::new(0), vec![argument])?;
        let second = results.remove(1);
        Ok((results.remove(0), second))
    }

    fn first(call: &str, argument: f64) -> Value {
        run(call, Value::f64(argument)).expect("the function is known").0
    }

    #[test]
    fn numbers_are_scaled_with_one_rounding() {
        assert_eq!(scaled_f64(1.0, -1074), 5e-324);
        assert_eq!(scaled_f64(1.5, -1075), 5e-324);
        assert_eq!(scaled_f64(1.0, -1075), 0.0);
        assert_eq!(scaled_f64(5e-324, 2097), 2f64.powi(1023));
        assert_eq!(scaled_f64(1.0, i32::MAX), f64::INFINITY);
        assert_eq!(scaled_f64(-1.0, i32::MIN).to_bits(), (-0.0f64).to_bits());
        // 2^-1074 * (1 + 1/2 + 2^-52) is above the middle, which a number that is rounded before would not be.
        assert_eq!(scaled_f64(1.5 + f64::EPSILON, -1074), 1e-323);
        let scaled = first("v2 = call $ldexp(v0, i32 -3) : (f64, i32) -> f64", 6.0);
        assert_eq!(scaled, Value::f64(0.75));
    }

    #[test]
    fn fractions_have_exponents() {
        assert_eq!(fraction_and_exponent(-6.0), (-0.75, Some(3)));
        assert_eq!(fraction_and_exponent(5e-324), (0.5, Some(-1073)));
        assert_eq!(fraction_and_exponent(0.0), (0.0, Some(0)));
        assert_eq!(fraction_and_exponent(f64::INFINITY), (f64::INFINITY, None));
        let call = "v2 = call $frexp(v0, v1) : (f64, ptr) -> f64";
        assert_eq!(run(call, Value::f64(5.0)), Ok((Value::f64(0.625), Value::bits(3))));
    }

    #[test]
    fn second_results_come_through_pointers() {
        let parts = "v2 = call $modf(v0, v1) : (f64, ptr) -> f64";
        assert_eq!(run(parts, Value::f64(-2.25)), Ok((Value::f64(-0.25), Value::f64(-2.0))));
        let infinite = run(parts, Value::f64(f64::NEG_INFINITY));
        assert_eq!(infinite, Ok((Value::f64(-0.0), Value::f64(f64::NEG_INFINITY))));
        let (value, poison) = run(parts, Value::Scalar(Scalar::Poison)).expect("the function is known");
        assert_eq!([value, poison], [const { Value::Scalar(Scalar::Poison) }; 2]);
        let both = "call $sincos(v0, v1, v1) : (f64, ptr, ptr)\n  v2 = copy f64 v0";
        assert_eq!(run(both, Value::f64(0.0)), Ok((Value::f64(0.0), Value::f64(1.0))));
    }

    #[test]
    fn powers_are_squares_of_squares() {
        assert_eq!(
            (power_f32(3.0, 5), power_f64(2.0, -3), power_f64(7.0, 0)),
            (243.0, 0.125, 1.0)
        );
        assert_eq!(power_f64(-1.0, i32::MIN), 1.0);
        let cube = first("v2 = call $__powidf2(v0, i32 3) : (f64, i32) -> f64", -2.0);
        assert_eq!(cube, Value::f64(-8.0));
    }

    #[test]
    fn integers_out_of_range_are_undefined() {
        let round = |value: f64| {
            let number = Number {
                scalar: Value::f64(value).lane(0),
                is_double: true,
            };
            number.to_integer(Some(64), f64::round)
        };
        assert_eq!(round(-2.5), Scalar::defined(u128::from((-3i64).cast_unsigned())));
        assert_eq!(round(2f64.powi(63)), Scalar::undef(64));
        assert_eq!(round(f64::NAN), Scalar::undef(64));
    }
}
