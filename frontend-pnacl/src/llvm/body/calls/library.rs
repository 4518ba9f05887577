//! Calls of intrinsics that are calls of the C library's functions, which the type of the first argument selects. For
//! numbers of 16 bits, which have no functions, those for `float` are called.

use super::{Call, define_result};
use crate::builder::class::Class;
use crate::builder::library_functions::ByType;
use crate::builder::signatures;
use crate::builder::values::Builder;
use crate::builder::word::Word;
use crate::error::ReadError;
use crate::llvm::body::context::Body;
use crate::llvm::body::float_parts::{call_of, computed_as, extended_word};
use frazil_ir::{CallConv, CallFlags, InstData, Opcode, Operand, RuntimeFunction, Type, TypeData};

/// A call of the library function for the type of its first argument; `false` if there is none.
pub(super) fn by_library(body: &mut Body<'_, '_>, call: &Call<'_>, functions: ByType) -> Result<bool, ReadError> {
    let Some(ty) = call.arguments.first().map(|first| first.ir_type()) else {
        return Ok(false);
    };
    let computed = computed_as(ty);
    let Some(function) = functions.of(computed) else {
        return Ok(false);
    };
    if computed != ty {
        return call_in_float(body, call, function);
    }
    library_call(body, call, function)?;
    Ok(true)
}

/// Whether a float, or a vector of them, becomes the nearest integer of a type by an instruction.
pub(super) fn is_converted(build: &Builder<'_, '_>, float: Word, result: Type) -> bool {
    let types = build.function.types();
    let lanes = |ty| match types.data(ty) {
        TypeData::Vector { lanes, .. } => lanes,
        _ => 0,
    };
    matches!(
        types.scalar(float.ir_type()),
        Type::F16 | Type::BF16 | Type::F32 | Type::F64
    ) && matches!(types.scalar(result), Type::I32 | Type::I64)
        && lanes(float.ir_type()) == lanes(result)
}

/// A call of a library function with the intrinsic's arguments.
fn library_call(body: &mut Body<'_, '_>, call: &Call<'_>, function: RuntimeFunction) -> Result<(), ReadError> {
    let build = &mut body.build;
    let sig = signatures::of_call(build, call.ty, call.attribute_list, CallConv::C, &[])?;
    build.state.operands.clear();
    for &argument in &call.arguments {
        build.push_parts(argument)?;
    }
    let count = build.state.operands.len() as u32;
    let start = build
        .function
        .push_pool(&[Operand::raw(count), Operand::raw(sig.as_u32())]);
    build.function.push_pool(&build.state.operands);
    let callee = Operand::symbol(function.symbol(build.module.module.symbols.len()));
    let flags = CallFlags::NO_UNWIND.bits();
    let data = InstData::new(Opcode::Call, Type::VOID, flags, callee, Operand::raw(start));
    let result = call.result;
    define_result(body, data, result)
}

/// A call of a library function for `float` with numbers of 16 bits, or with one and an integer.
#[cold]
fn call_in_float(body: &mut Body<'_, '_>, call: &Call<'_>, function: RuntimeFunction) -> Result<bool, ReadError> {
    let build = &mut body.build;
    let Class::Scalar(result) = build.class(call.result)? else {
        return Ok(false);
    };
    build.check_room(call.arguments.len() + 2)?;
    let wide = computed_as(result);
    let arguments = call.arguments.iter();
    let arguments: Vec<(Operand, Type)> = arguments
        .map(|&word| (extended_word(build, word), computed_as(word.ir_type())))
        .collect();
    let mut data = call_of(build, function, &arguments, Some(wide));
    if wide != result {
        let value = Operand::value(build.function.push_inst_result(data, wide));
        data = InstData::new(Opcode::Fptrunc, result, 0, value, Operand::NONE);
    }
    build.define(data, result, call.result)?;
    Ok(true)
}
