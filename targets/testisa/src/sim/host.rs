//! Functions of the run-time libraries, done by the host. Arguments and results are where the convention's table says.

use super::{Fault, Machine};
use crate::program::{ArgumentPlaces, read_place, write_place};
use frazil_ir::{RuntimeFunction, Type};

/// The parameters, the result and the meaning of a function of numbers.
type Numeric = (&'static [Type], Type, fn(&[u128]) -> u128);

fn f32_of(bits: u128) -> f32 {
    f32::from_bits(bits as u32)
}

fn f64_of(bits: u128) -> f64 {
    f64::from_bits(bits as u64)
}

macro_rules! unary {
    ($f:expr, f32) => {
        (&[Type::F32], Type::F32, |args| {
            u128::from(($f)(f32_of(args[0])).to_bits())
        })
    };
    ($f:expr, f64) => {
        (&[Type::F64], Type::F64, |args| {
            u128::from(($f)(f64_of(args[0])).to_bits())
        })
    };
}

macro_rules! binary {
    ($f:expr, f32) => {
        (&[Type::F32, Type::F32], Type::F32, |args| {
            u128::from(($f)(f32_of(args[0]), f32_of(args[1])).to_bits())
        })
    };
    ($f:expr, f64) => {
        (&[Type::F64, Type::F64], Type::F64, |args| {
            u128::from(($f)(f64_of(args[0]), f64_of(args[1])).to_bits())
        })
    };
}

const TWO_I64: &[Type] = &[Type::I64, Type::I64];
const TWO_I128: &[Type] = &[Type::I128, Type::I128];

fn signed(value: u128) -> i64 {
    (value as u64).cast_signed()
}

fn wide(value: i64) -> u128 {
    u128::from(value.cast_unsigned())
}

/// The functions of numbers; divisions have been checked for zero.
fn numeric(function: RuntimeFunction) -> Option<Numeric> {
    use RuntimeFunction as F;
    Some(match function {
        F::Divdi3 => (TWO_I64, Type::I64, |args| {
            wide(signed(args[0]).wrapping_div(signed(args[1])))
        }),
        F::Moddi3 => (TWO_I64, Type::I64, |args| {
            wide(signed(args[0]).wrapping_rem(signed(args[1])))
        }),
        F::Udivdi3 => (TWO_I64, Type::I64, |args| args[0] / args[1]),
        F::Umoddi3 => (TWO_I64, Type::I64, |args| args[0] % args[1]),
        F::Udivti3 => (TWO_I128, Type::I128, |args| args[0] / args[1]),
        F::Umodti3 => (TWO_I128, Type::I128, |args| args[0] % args[1]),
        F::Divti3 => (TWO_I128, Type::I128, |args| {
            args[0]
                .cast_signed()
                .wrapping_div(args[1].cast_signed())
                .cast_unsigned()
        }),
        F::Modti3 => (TWO_I128, Type::I128, |args| {
            args[0]
                .cast_signed()
                .wrapping_rem(args[1].cast_signed())
                .cast_unsigned()
        }),
        F::Fixsfti => (&[Type::F32], Type::I128, |args| {
            (f32_of(args[0]) as i128).cast_unsigned()
        }),
        F::Fixdfti => (&[Type::F64], Type::I128, |args| {
            (f64_of(args[0]) as i128).cast_unsigned()
        }),
        F::Fixunssfti => (&[Type::F32], Type::I128, |args| f32_of(args[0]) as u128),
        F::Fixunsdfti => (&[Type::F64], Type::I128, |args| f64_of(args[0]) as u128),
        F::Floattisf => (&[Type::I128], Type::F32, |args| {
            u128::from((args[0].cast_signed() as f32).to_bits())
        }),
        F::Floattidf => (&[Type::I128], Type::F64, |args| {
            u128::from((args[0].cast_signed() as f64).to_bits())
        }),
        F::Floatuntisf => (&[Type::I128], Type::F32, |args| u128::from((args[0] as f32).to_bits())),
        F::Floatuntidf => (&[Type::I128], Type::F64, |args| u128::from((args[0] as f64).to_bits())),
        _ => return floating(function),
    })
}

fn floating(function: RuntimeFunction) -> Option<Numeric> {
    use RuntimeFunction as F;
    Some(match function {
        F::Fmodf => binary!(|x: f32, y: f32| x % y, f32),
        F::Fmod => binary!(|x: f64, y: f64| x % y, f64),
        F::Floorf => unary!(f32::floor, f32),
        F::Floor => unary!(f64::floor, f64),
        F::Ceilf => unary!(f32::ceil, f32),
        F::Ceil => unary!(f64::ceil, f64),
        F::Truncf => unary!(f32::trunc, f32),
        F::Trunc => unary!(f64::trunc, f64),
        F::Rintf | F::Nearbyintf | F::Roundevenf => unary!(f32::round_ties_even, f32),
        F::Rint | F::Nearbyint | F::Roundeven => unary!(f64::round_ties_even, f64),
        F::Roundf => unary!(f32::round, f32),
        F::Round => unary!(f64::round, f64),
        F::Fminf => binary!(f32::min, f32),
        F::Fmin => binary!(f64::min, f64),
        F::Fmaxf => binary!(f32::max, f32),
        F::Fmax => binary!(f64::max, f64),
        F::Fminimumf => binary!(|x, y| minimum(f64::from(x), f64::from(y)) as f32, f32),
        F::Fminimum => binary!(minimum, f64),
        F::Fmaximumf => binary!(|x, y| -minimum(-f64::from(x), -f64::from(y)) as f32, f32),
        F::Fmaximum => binary!(|x: f64, y: f64| -minimum(-x, -y), f64),
        F::Fmaf => (&[Type::F32; 3], Type::F32, |args| {
            u128::from(f32_of(args[0]).mul_add(f32_of(args[1]), f32_of(args[2])).to_bits())
        }),
        F::Fma => (&[Type::F64; 3], Type::F64, |args| {
            u128::from(f64_of(args[0]).mul_add(f64_of(args[1]), f64_of(args[2])).to_bits())
        }),
        _ => return None,
    })
}

/// The smaller number, negative zero before zero, NaN if either is.
fn minimum(x: f64, y: f64) -> f64 {
    if x.is_nan() || y.is_nan() {
        f64::NAN
    } else if x < y || (x == y && x.is_sign_negative()) {
        x
    } else {
        y
    }
}

/// Does the function that `pc` stands at, and returns from it.
pub(super) fn call(machine: &mut Machine, function: RuntimeFunction) -> Result<(), Fault> {
    use RuntimeFunction as F;
    match function {
        F::Memcpy | F::Memmove => {
            let args = arguments(machine, &[Type::PTR, Type::PTR, Type::I32], Type::PTR)?;
            let (to, from, len) = (args[0] as u32, args[1] as u32, args[2] as u32);
            let bytes = machine.memory.slice(from, len)?.to_vec();
            machine.memory.slice_mut(to, len)?.copy_from_slice(&bytes);
            finish(machine, &[Type::PTR, Type::PTR, Type::I32], Type::PTR, args[0])
        }
        F::Memset => {
            let args = arguments(machine, &[Type::PTR, Type::I8, Type::I32], Type::PTR)?;
            machine
                .memory
                .slice_mut(args[0] as u32, args[2] as u32)?
                .fill(args[1] as u8);
            finish(machine, &[Type::PTR, Type::I8, Type::I32], Type::PTR, args[0])
        }
        _ => {
            let (params, returns, compute) =
                numeric(function).ok_or_else(|| Fault::Unknown(function.name().to_owned()))?;
            let args = arguments(machine, params, returns)?;
            let divides = params == TWO_I64 || params == TWO_I128;
            if divides && args[1] == 0 {
                return Err(Fault::DivisionByZero);
            }
            finish(machine, params, returns, compute(&args))
        }
    }
}

fn arguments(machine: &Machine, params: &[Type], returns: Type) -> Result<Vec<u128>, Fault> {
    let places = ArgumentPlaces::plain(params, returns);
    let stack = machine.ints[crate::regs::SP.number() as usize];
    places.args().map(|place| read_place(machine, place, stack)).collect()
}

/// Puts the result in its place, spoils the registers that calls overwrite, and returns.
fn finish(machine: &mut Machine, params: &[Type], returns: Type, result: u128) -> Result<(), Fault> {
    let places = ArgumentPlaces::plain(params, returns);
    let memory = machine.ints[crate::regs::A0.number() as usize];
    spoil(machine);
    for place in places.returns() {
        write_place(machine, place, memory, result)?;
    }
    machine.pc = machine.ints[crate::regs::RA.number() as usize];
    Ok(())
}

/// What a call may overwrite holds rubbish afterwards.
fn spoil(machine: &mut Machine) {
    use crate::regs::{A0, A1, A2, F0, F1, F2, IC, K_COUNT, SC, k};
    for reg in [A0, A1, A2, IC, SC].into_iter().chain((0..K_COUNT).map(k)) {
        machine.ints[reg.number() as usize] = 0xbad0_bad0;
    }
    for reg in [F0, F1, F2] {
        machine.floats[reg.number() as usize] = 0xbad0_bad0_bad0_bad0;
    }
}
