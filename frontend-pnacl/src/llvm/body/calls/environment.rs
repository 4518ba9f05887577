//! Intrinsics that read and write the floating-point environment as a whole, or its modes: calls of the C library's
//! functions, by way of memory; and conversions from and to halves that are kept as integers.

use super::Call;
use crate::builder::intrinsics::EnvironmentAccess;
use crate::builder::wide::Extend;
use crate::error::ReadError;
use crate::llvm::body::context::Body;
use crate::llvm::body::float_parts::call_of;
use frazil_ir::platform::FloatEnvironment;
use frazil_ir::{InstData, MemFlags, Opcode, Operand, RuntimeFunction, StrictFlags, Type};

/// All slots, and the words in them.
const ALIGN_LOG2: u32 = 3;

/// Makes a call of an access; `false` if its type is not that of the C library.
#[cold]
pub(super) fn lower(body: &mut Body<'_, '_>, call: &Call<'_>, access: EnvironmentAccess) -> Result<bool, ReadError> {
    use EnvironmentAccess as A;
    let build = &mut body.build;
    let Some(facts) = build.module.platform.and_then(|platform| platform.float_environment) else {
        return Ok(false);
    };
    let FloatEnvironment {
        environment_bytes,
        modes_bytes,
        default_address,
    } = facts;
    let environment_bits = environment_bytes as u32 * u8::BITS;
    build.make_wide_room(24)?;
    let argument = call.arguments.first().copied();
    match (access, argument) {
        (A::GetEnvironment, None) if build.wide_bits(call.result) == Some(environment_bits) => {
            let slot = slot(body, environment_bytes);
            let address = slot;
            access_memory(body, RuntimeFunction::Fegetenv, address);
            let words = (0..environment_bytes / 8)
                .map(|word| {
                    let place = place_of(body, slot, word);
                    let flags = MemFlags::aligned(ALIGN_LOG2).0;
                    body.build.emit(Opcode::Load, Type::I64, flags, place, Operand::NONE)
                })
                .collect();
            let parts = body.build.parts_of(words, environment_bits)?;
            body.build.define_parts(call.result, &parts)?;
        }
        (A::SetEnvironment, Some(value)) if build.wide_value_bits(value) == Some(environment_bits) => {
            let words = build.words_of(value, environment_bits, Extend::Zero)?;
            let slot = slot(body, environment_bytes);
            for (word, index) in words.into_iter().zip(0..) {
                let place = place_of(body, slot, index);
                store(body, Type::I64, word, place);
            }
            access_memory(body, RuntimeFunction::Fesetenv, slot);
        }
        (A::GetModes, None) => {
            let Some(ty @ (Type::I32 | Type::I64)) = scalar(body, call)? else {
                return Ok(false);
            };
            let slot = slot(body, modes_bytes);
            access_memory(body, RuntimeFunction::Fegetmode, slot);
            let data = InstData::new(Opcode::Load, ty, MemFlags::aligned(ALIGN_LOG2).0, slot, Operand::NONE);
            body.build.define(data, ty, call.result)?;
        }
        (A::SetModes, Some(value)) if value.is_operand() && matches!(value.ir_type(), Type::I32 | Type::I64) => {
            let slot = slot(body, modes_bytes);
            store(body, Type::I64, Operand::ZERO, slot);
            store(body, value.ir_type(), value.operand(), slot);
            access_memory(body, RuntimeFunction::Fesetmode, slot);
        }
        (A::ResetEnvironment, None) => reset(body, RuntimeFunction::Fesetenv, default_address),
        (A::ResetModes, None) => reset(body, RuntimeFunction::Fesetmode, default_address),
        _ => return Ok(false),
    }
    Ok(true)
}

/// The type of a call's result, if that is one value.
fn scalar(body: &mut Body<'_, '_>, call: &Call<'_>) -> Result<Option<Type>, ReadError> {
    Ok(match body.build.class(call.result)? {
        crate::builder::class::Class::Scalar(ty) => Some(ty),
        _ => None,
    })
}

fn slot(body: &mut Body<'_, '_>, bytes: u64) -> Operand {
    Operand::value(body.build.function.push_slot(bytes, ALIGN_LOG2 as u8))
}

fn place_of(body: &mut Body<'_, '_>, slot: Operand, word: u64) -> Operand {
    body.build.address_after(slot, Type::PTR, (word * 8).cast_signed())
}

fn store(body: &mut Body<'_, '_>, ty: Type, value: Operand, place: Operand) {
    let data = InstData::new(Opcode::Store, ty, MemFlags::aligned(ALIGN_LOG2).0, value, place);
    body.build.function.push_inst(data);
}

/// Calls a function with an address; what it returns does not matter.
fn access_memory(body: &mut Body<'_, '_>, function: RuntimeFunction, address: Operand) {
    let data = call_of(&mut body.build, function, &[(address, Type::PTR)], Some(Type::I32));
    body.build.function.push_inst_result(data, Type::I32);
}

/// With the address that stands for the default.
fn reset(body: &mut Body<'_, '_>, function: RuntimeFunction, default_address: i64) {
    let default = body.build.function.int_operand(Type::PTR, default_address.into());
    access_memory(body, function, default);
}

/// The words of the number one.
fn one(ty: Type) -> Option<&'static [u64]> {
    Some(match ty {
        Type::F16 => &[0x3c00],
        Type::BF16 => &[0x3f80],
        Type::X86_F80 => &[1 << 63, 16383],
        Type::F128 => &[0, 16383 << 48],
        _ => return None,
    })
}

/// A product with one, which is quiet, of the floats that have a row; `false` for other types.
#[cold]
pub(super) fn canonicalize(body: &mut Body<'_, '_>, call: &Call<'_>) -> Result<bool, ReadError> {
    let &[value] = call.arguments.as_slice() else {
        return Ok(false);
    };
    let ty = value.ir_type();
    let Some(one) = one(ty) else {
        return Ok(false);
    };
    if scalar(body, call)? != Some(ty) {
        return Ok(false);
    }
    let build = &mut body.build;
    let one = Operand::constant(build.function.push_float(ty, one));
    let flags = StrictFlags::of(Opcode::Fmul).0;
    let data = InstData::new(Opcode::StrictBinary, ty, flags, value.operand(), one);
    build.define(data, ty, call.result)?;
    Ok(true)
}

/// A conversion to a half, or from one, that is an integer; `false` for other types. Its bits are the lowest of a float
/// register where the run-time library takes and gives them.
#[cold]
pub(super) fn half(body: &mut Body<'_, '_>, call: &Call<'_>, to_half: bool) -> Result<bool, ReadError> {
    let &[value] = call.arguments.as_slice() else {
        return Ok(false);
    };
    let Some(result) = scalar(body, call)? else {
        return Ok(false);
    };
    let from = value.ir_type();
    if to_half {
        let function = match from {
            Type::F32 => RuntimeFunction::Truncsfhf2,
            Type::F64 => RuntimeFunction::Truncdfhf2,
            Type::X86_F80 => RuntimeFunction::Truncxfhf2,
            _ => return Ok(false),
        };
        if result != Type::I16 {
            return Ok(false);
        }
        let data = call_of(&mut body.build, function, &[(value.operand(), from)], Some(Type::F32));
        let build = &mut body.build;
        let float = Operand::value(build.function.push_inst_result(data, Type::F32));
        let bits = build.emit(Opcode::Bitcast, Type::I32, 0, float, Operand::NONE);
        let data = InstData::new(Opcode::Trunc, Type::I16, 0, bits, Operand::NONE);
        build.define(data, Type::I16, call.result)?;
        return Ok(true);
    }
    if from != Type::I16 || !matches!(result, Type::F32 | Type::F64 | Type::X86_F80) {
        return Ok(false);
    }
    let build = &mut body.build;
    let source = build.typed(value);
    let bits = build.emit(Opcode::Zext, Type::I32, 0, source, Operand::NONE);
    let float = build.emit(Opcode::Bitcast, Type::F32, 0, bits, Operand::NONE);
    let data = call_of(
        &mut body.build,
        RuntimeFunction::Extendhfsf2,
        &[(float, Type::F32)],
        Some(Type::F32),
    );
    let build = &mut body.build;
    if result == Type::F32 {
        build.define(data, Type::F32, call.result)?;
        return Ok(true);
    }
    let single = Operand::value(build.function.push_inst_result(data, Type::F32));
    let data = InstData::new(Opcode::Fpext, result, 0, single, Operand::NONE);
    build.define(data, result, call.result)?;
    Ok(true)
}
