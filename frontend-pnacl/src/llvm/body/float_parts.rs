//! `llvm.modf`, `llvm.frexp` and `llvm.sincos`: calls of the C library's functions, which give their second result, or
//! both, through pointers.
//!
//! Each result that comes so has a slot of its own. Those of numbers of 16 bits are functions of `float`.

use super::context::Body;
use crate::builder::library_functions::ByType;
use crate::builder::values::Builder;
use crate::builder::word::Word;
use crate::error::ReadError;
use crate::llvm::types::TypeId;
use frazil_ir::{CallFlags, InstData, MemFlags, Opcode, Operand, Param, RuntimeFunction, Signature, Type};

/// The two results of a library function. `Ok(false)` for types that it does not exist for.
pub(super) fn split(
    body: &mut Body<'_, '_>,
    functions: ByType,
    value: Word,
    result: TypeId,
) -> Result<bool, ReadError> {
    let build = &mut body.build;
    let own = value.ir_type();
    let float = computed_as(own);
    let Some(function) = functions.of(float) else {
        return Ok(false);
    };
    let types: Vec<Type> = build.leaves(result)?.map(|place| build.leaf(place).ir_type).collect();
    // What C has after the pointer: a number of the same type, or an `int`.
    let second = if gives_exponent(function) { Type::I32 } else { float };
    if types != [own, if second == float { own } else { second }] {
        return Ok(false);
    }
    build.check_room(5)?;
    let value = extended_word(build, value);
    let (slot, flags) = slot_for(body, second);
    let call = call_of(
        &mut body.build,
        function,
        &[(value, float), (slot, Type::PTR)],
        Some(float),
    );
    let build = &mut body.build;
    let first = Operand::value(build.function.push_inst_result(call, float));
    let mut loaded = build.emit(Opcode::Load, second, flags, slot, Operand::NONE);
    if second == float {
        loaded = narrowed(build, loaded, own);
    }
    let (first, second) = (narrowed(build, first, own), loaded);
    let parts = build.state.parts.len() as u32;
    build.state.parts.extend([first, second]);
    build.define_as(Word::aggregate(parts, result))?;
    Ok(true)
}

/// The two results of a library function, which gives both through pointers. `Ok(false)` for types that it does not
/// exist for.
pub(super) fn both(body: &mut Body<'_, '_>, functions: ByType, value: Word, result: TypeId) -> Result<bool, ReadError> {
    let build = &mut body.build;
    let own = value.ir_type();
    let float = computed_as(own);
    let Some(function) = functions.of(float) else {
        return Ok(false);
    };
    let types: Vec<Type> = build.leaves(result)?.map(|place| build.leaf(place).ir_type).collect();
    if types != [own, own] {
        return Ok(false);
    }
    build.check_room(6)?;
    let value = extended_word(build, value);
    let (first, flags) = slot_for(body, float);
    let (second, _) = slot_for(body, float);
    let arguments = [(value, float), (first, Type::PTR), (second, Type::PTR)];
    let call = call_of(&mut body.build, function, &arguments, None);
    let build = &mut body.build;
    build.function.push_inst(call);
    let loaded = [first, second].map(|slot| {
        let loaded = build.emit(Opcode::Load, float, flags, slot, Operand::NONE);
        narrowed(build, loaded, own)
    });
    let parts = build.state.parts.len() as u32;
    build.state.parts.extend(loaded);
    build.define_as(Word::aggregate(parts, result))?;
    Ok(true)
}

/// Whether the second result of a function is an exponent.
pub(super) fn gives_exponent(function: RuntimeFunction) -> bool {
    use RuntimeFunction as F;
    matches!(function, F::Frexpf | F::Frexp | F::Frexpl | F::Frexpf128)
}

/// The type that the library has functions for: of numbers of 16 bits, a wider one.
pub(super) fn computed_as(ty: Type) -> Type {
    match ty {
        Type::F16 | Type::BF16 => Type::F32,
        ty => ty,
    }
}

/// A value in the type that it is computed as.
pub(super) fn extended_word(build: &mut Builder<'_, '_>, value: Word) -> Operand {
    let ty = value.ir_type();
    match computed_as(ty) == ty {
        true => value.operand(),
        false => {
            let operand = build.typed(value);
            extended(build, operand, ty)
        }
    }
}

/// The same for an operand that carries its type.
pub(super) fn extended(build: &mut Builder<'_, '_>, value: Operand, ty: Type) -> Operand {
    match computed_as(ty) {
        wide if wide != ty => build.emit(Opcode::Fpext, wide, 0, value, Operand::NONE),
        _ => value,
    }
}

/// A result in the type that it has to have, from the one that it was computed as.
pub(super) fn narrowed(build: &mut Builder<'_, '_>, value: Operand, to: Type) -> Operand {
    match computed_as(to) == to {
        true => value,
        false => build.emit(Opcode::Fptrunc, to, 0, value, Operand::NONE),
    }
}

/// A slot for a number, and the flags of its accesses.
pub(super) fn slot_for(body: &mut Body<'_, '_>, ty: Type) -> (Operand, u16) {
    let bytes: u64 = match ty {
        Type::X86_F80 | Type::F128 => 16,
        Type::F64 => 8,
        _ => 4,
    };
    let align_log2 = bytes.trailing_zeros();
    let slot = body.build.function.push_slot(bytes, align_log2 as u8);
    (Operand::value(slot), MemFlags::aligned(align_log2).0)
}

/// A call of a library function that does not unwind.
pub(super) fn call_of(
    build: &mut Builder<'_, '_>,
    function: RuntimeFunction,
    arguments: &[(Operand, Type)],
    result: Option<Type>,
) -> InstData {
    let sig = build.function.push_sig(Signature {
        params: arguments.iter().map(|&(_, ty)| Param::plain(ty)).collect(),
        returns: result.map(Param::plain).into_iter().collect(),
        fixed_params: arguments.len() as u32,
        ..Signature::default()
    });
    let start = build
        .function
        .push_pool(&[Operand::raw(arguments.len() as u32), Operand::raw(sig.as_u32())]);
    for &(operand, _) in arguments {
        build.function.push_pool(&[operand]);
    }
    let callee = Operand::symbol(function.symbol(build.module.module.symbols.len()));
    let flags = CallFlags::NO_UNWIND.bits();
    InstData::new(Opcode::Call, Type::VOID, flags, callee, Operand::raw(start))
}
