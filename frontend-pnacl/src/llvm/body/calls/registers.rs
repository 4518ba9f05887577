//! Registers that a program names: `llvm.read_register`, `llvm.read_volatile_register` and `llvm.write_register`, which
//! clang makes of variables such as `register unsigned long stack asm("rsp")`.
//!
//! They become inline assembly, which code generation has in any case. Which registers may be named, and by what text
//! they are read and written, the platform says: as a rule the stack pointer, and the frame pointer of a function that
//! has one, since every other register may hold anything at any time. A function has a frame pointer for certain if
//! its attribute says so.

use super::{Call, emit};
use crate::builder::class::Class;
use crate::builder::word::{NO_TYPE, Word};
use crate::error::ReadError;
use crate::llvm::body::context::Body;
use crate::llvm::metadata::Places;
use frazil_ir::constant::AsmData;
use frazil_ir::module::FramePointer;
use frazil_ir::{Operand, Refusal, SymbolKind, Type};

/// Side effects: reading in another place would give another value.
const HAS_EFFECTS: u8 = 1;

/// Appends what reads or writes the register that a call names.
#[cold]
pub(super) fn access(body: &mut Body<'_, '_>, call: Call<'_>) -> Result<(), ReadError> {
    let registers = body
        .build
        .module
        .platform
        .map_or(&[] as &[_], |platform| platform.named_registers);
    if registers.is_empty() {
        return Err(body.build.unsupported(
            Refusal::Intrinsic,
            "registers by name for this target (intrinsic llvm.read_register)",
        ));
    }
    let name = register_name(body, &call)?;
    let shown = String::from_utf8_lossy(&name).into_owned();
    let Some(register) = registers.iter().find(|register| register.name.as_bytes() == name) else {
        let message = format!("register \"{shown}\" by name (intrinsic llvm.read_register or llvm.write_register)");
        return Err(body.build.unsupported(Refusal::Intrinsic, message));
    };
    if register.is_frame_pointer && !keeps_frame_pointer(body) {
        let message = format!("register \"{shown}\" by name (intrinsic) in a function without frame pointer");
        return Err(body.build.unsupported(Refusal::Intrinsic, message));
    }
    let is_write = body.build.class(call.result)? == Class::Void;
    let accessed = match (call.arguments.as_slice(), body.build.class(call.result)?) {
        ([value], Class::Void) if value.is_operand() => Some(value.ir_type()),
        ([], Class::Scalar(ir_type)) => Some(ir_type),
        _ => None,
    };
    if accessed.and_then(|ir_type| body.build.function.types().int_bits(ir_type)) != Some(register.bits) {
        let message = format!("register \"{shown}\" by name (intrinsic) with another width than its own");
        return Err(body.build.unsupported(Refusal::Intrinsic, message));
    }
    let (template, constraints) = match is_write {
        true => (register.write, "r"),
        false => (register.read, "=r"),
    };
    let text = body.build.function.push_asm(AsmData {
        template: template.into(),
        constraints: constraints.into(),
        flags: HAS_EFFECTS,
    });
    let callee = Word::scalar(Operand::constant(text), Type::PTR, NO_TYPE);
    let call = Call {
        callee,
        symbol: None,
        ..call
    };
    emit(body, call, None)
}

/// The name in the metadata that a call passes.
fn register_name(body: &mut Body<'_, '_>, call: &Call<'_>) -> Result<Vec<u8>, ReadError> {
    let name = match call.metadata {
        Some(node) => body.with_metadata(|places: &mut Places<'_>, cursor, block, record| {
            places.texts(u64::from(node), cursor, block, record)
        })?,
        None => Vec::new(),
    };
    match <[Vec<u8>; 1]>::try_from(name) {
        Ok([name]) => Ok(name),
        Err(_) => Err(body.build.malformed("a call that names no register")),
    }
}

/// Whether the function has a frame pointer whatever is in it.
fn keeps_frame_pointer(body: &Body<'_, '_>) -> bool {
    let module = &body.build.module.module;
    let symbol = body
        .build
        .function
        .symbol()
        .and_then(|symbol| module.symbols.get(symbol));
    let head = match symbol.map(|data| data.kind) {
        Some(SymbolKind::Function(id)) => module.functions.get(id),
        _ => None,
    };
    head.is_some_and(|head| head.frame_pointer == FramePointer::All)
}
