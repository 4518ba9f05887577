//! `llvm.modf` and `llvm.frexp`: calls of the C library's functions, which give their second result through a pointer.
//!
//! Each call has a slot of its own for it.

use super::super::function::Body;
use crate::build::intrinsics::ByType;
use crate::build::word::Word;
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
    let float = value.ir_type();
    let Some(function) = functions.of(float) else {
        return Ok(false);
    };
    let types: Vec<Type> = build.leaves(result)?.map(|place| build.leaf(place).ir_type).collect();
    // What C has behind the pointer: a number of the same type, or an `int`.
    let second = match function {
        RuntimeFunction::Frexpf | RuntimeFunction::Frexp | RuntimeFunction::Frexpl => Type::I32,
        _ => float,
    };
    if types != [float, second] {
        return Ok(false);
    }
    let bytes: u64 = match second {
        Type::X86_F80 => 16,
        Type::F64 => 8,
        _ => 4,
    };
    let align_log2 = bytes.trailing_zeros();
    build.check_room(2)?;
    let slot = Operand::value(build.function.push_slot(bytes, align_log2 as u8));
    let sig = build.function.push_sig(Signature {
        params: vec![Param::plain(float), Param::plain(Type::PTR)],
        returns: vec![Param::plain(float)],
        fixed_params: 2,
        ..Signature::default()
    });
    let start = build
        .function
        .push_pool(&[Operand::raw(2), Operand::raw(sig.as_u32()), value.operand(), slot]);
    let callee = Operand::symbol(function.symbol(build.module.module.symbols.len()));
    let call = InstData::new(
        Opcode::Call,
        Type::VOID,
        CallFlags::NO_UNWIND.bits(),
        callee,
        Operand::raw(start),
    );
    let first = Operand::value(build.function.push_inst_result(call, float));
    let flags = MemFlags::aligned(align_log2).0;
    let second = build.emit(Opcode::Load, second, flags, slot, Operand::NONE);
    let parts = build.state.parts.len() as u32;
    build.state.parts.extend([first, second]);
    build.define_as(Word::aggregate(parts, result))?;
    Ok(true)
}
