//! Calls. Whether one is by name or through an address is decided once the types of all functions are known.

use super::{define, relative};
use crate::pnacl::codes::function as code;
use crate::pnacl::intrinsics::{self, Action};
use crate::pnacl::writer::builder::{Builder, casts};
use crate::pnacl::writer::error::WriteError;
use crate::pnacl::writer::records::{Ref, Word};
use crate::pnacl::writer::types::Kind;
use frazil_ir::{
    CallConv, CallFlags, ConstView, Extension, InstData, Operand, Param, ParamKind, Refusal, Signature, SymbolKind,
};

/// The functions of the run-time library that our reader has for intrinsics, and these.
const LIBRARY: [(&str, &str); 3] = [
    ("__pexe_setjmp", "llvm.nacl.setjmp"),
    ("__pexe_longjmp", "llvm.nacl.longjmp"),
    ("__pexe_thread_pointer", "llvm.nacl.read.tp"),
];

/// What functions of a signature return, and take, with small integers widened.
///
/// # Errors
/// If the ABI cannot pass it.
pub fn types(builder: &Builder<'_>, signature: &Signature) -> Result<(Kind, Vec<Kind>), WriteError> {
    let wrong = |what: &str| Err(WriteError::new(Refusal::CallingConvention, what));
    if !matches!(signature.call_conv, CallConv::C | CallConv::FAST | CallConv::COLD) {
        return wrong("a calling convention other than that of C");
    }
    if signature.variadic {
        return wrong("variable arguments");
    }
    if signature.returns.len() > 1 {
        return wrong("a function that returns several values");
    }
    let mut kinds = Vec::with_capacity(signature.params.len());
    for parameter in &signature.params {
        if !matches!(parameter.kind, ParamKind::Normal | ParamKind::StructReturn) {
            return wrong("a parameter that is copied to the stack, or has a register of its own");
        }
        kinds.push(builder.kind(parameter.ty)?.passed());
    }
    let result = match signature.returns.first() {
        Some(returned) => builder.kind(returned.ty)?.passed(),
        None => Kind::Void,
    };
    Ok((result, kinds))
}

/// A value as it is passed.
pub fn widen(builder: &mut Builder<'_>, value: Ref, parameter: &Param) -> Result<Ref, WriteError> {
    let kind = builder.kind(parameter.ty)?;
    let passed = kind.passed();
    Ok(match parameter.extension {
        _ if kind == passed => value,
        Extension::Sign => builder.cast(casts::SEXT, value, passed),
        _ => builder.cast(casts::ZEXT, value, passed),
    })
}

/// A call of a function, an address, or an intrinsic of the ABI by its name.
pub fn call(builder: &mut Builder<'_>, data: &InstData) -> Result<(), WriteError> {
    let call = builder.function.call(data);
    let flags = CallFlags::from_bits_retain(data.flags);
    if flags.contains(CallFlags::MUST_TAIL) {
        return Err(WriteError::new(Refusal::TailCall, "a call that must be a jump"));
    }
    if flags.contains(CallFlags::BUNDLES) {
        return Err(WriteError::new(Refusal::OperandBundle, "a call with operand bundles"));
    }
    if flags.contains(CallFlags::INLINE_ASM) {
        return assembly(builder, data);
    }
    if let Some(name) = intrinsic_name(builder, call.callee) {
        return intrinsic(builder, data, &name);
    }
    let signature = builder.function.sig(call.sig);
    let (result, kinds) = types(builder, signature)?;
    let callee = builder.operand(call.callee, frazil_ir::Type::PTR)?;
    let result_word = builder.type_word(result);
    // A call of an address is one of an integer.
    builder.type_word(Kind::I32);
    let is_tail = u64::from(flags.contains(CallFlags::TAIL));
    let mut words = vec![Word::Number(is_tail), relative(callee), result_word];
    for (&argument, parameter) in call.args.iter().zip(&signature.params) {
        let argument = builder.operand(argument, parameter.ty)?;
        words.push(relative(widen(builder, argument, parameter)?));
    }
    match callee {
        Ref::Symbol(_) => {
            let ty = builder.shared.types.function(result, &kinds);
            builder.rows.push_call(code::CALL_INDIRECT, &words, ty);
        }
        _ => builder.effect(code::CALL_INDIRECT, &words),
    }
    if let Some(returned) = signature.returns.first() {
        let mut value = builder.counted();
        let kind = builder.kind(returned.ty)?;
        let is_used = data
            .first_result()
            .is_some_and(|value| builder.function.use_count(value) > 0);
        if kind != result && is_used {
            value = builder.cast(casts::TRUNC, value, kind);
        }
        define(builder, data, value)?;
    }
    Ok(())
}

/// The intrinsic that a function is which the module only declares.
fn intrinsic_name(builder: &Builder<'_>, callee: Operand) -> Option<String> {
    let symbol = callee.as_symbol()?;
    let data = builder.module.symbols.get(symbol)?;
    if data.kind != SymbolKind::FunctionDeclaration {
        return None;
    }
    let name = builder.module.name(symbol);
    let known = LIBRARY.iter().find(|(own, _)| own.as_bytes() == name);
    match known {
        Some((_, intrinsic)) => Some((*intrinsic).to_owned()),
        None if name.starts_with(b"llvm.") => Some(String::from_utf8_lossy(name).into_owned()),
        None => None,
    }
}

/// An intrinsic that is called by name, with the ABI's types; some of its arguments are constants there.
fn intrinsic(builder: &mut Builder<'_>, data: &InstData, name: &str) -> Result<(), WriteError> {
    let call = builder.function.call(data);
    let signature = builder.function.sig(call.sig);
    let unknown = || WriteError::new(Refusal::Intrinsic, format!("the intrinsic {name}"));
    let found = intrinsics::find(name.as_bytes()).ok_or_else(unknown)?;
    let is_plain = matches!(
        found.action,
        Action::Library(_)
            | Action::Setjmp
            | Action::Longjmp
            | Action::Unary(_)
            | Action::StackSave
            | Action::StackRestore
            | Action::Trap
            | Action::FenceAll
    );
    if !is_plain {
        let message = format!("the intrinsic {name} by its name; the IR has an instruction for it");
        return Err(WriteError::new(Refusal::Intrinsic, message));
    }
    let mut arguments = Vec::with_capacity(call.args.len());
    let mut is_same = call.args.len() == found.parameters.len();
    for ((&argument, parameter), &expected) in call.args.iter().zip(&signature.params).zip(found.parameters) {
        is_same &= builder.kind(parameter.ty)? == Kind::from(expected);
        arguments.push(builder.operand(argument, parameter.ty)?);
    }
    let result = match signature.returns.as_slice() {
        [] => Kind::Void,
        [returned] => builder.kind(returned.ty)?,
        _ => return Err(unknown()),
    };
    if !is_same || result != Kind::from(found.result) {
        let message = format!("the intrinsic {name} with other types than the ABI has for it");
        return Err(WriteError::new(Refusal::Intrinsic, message));
    }
    match builder.intrinsic(name, &arguments)? {
        Some(value) => define(builder, data, value),
        None => Ok(()),
    }
}

/// A text without instructions is a fence for all memory; there are no others.
fn assembly(builder: &mut Builder<'_>, data: &InstData) -> Result<(), WriteError> {
    let call = builder.function.call(data);
    let template = call.callee.as_const().map(|id| builder.function.constant(id).1);
    match template {
        Some(ConstView::Asm(text))
            if text.template.is_empty() && call.args.is_empty() && data.first_result().is_none() =>
        {
            builder.intrinsic("llvm.nacl.atomic.fence.all", &[]).map(|_| ())
        }
        _ => Err(WriteError::new(Refusal::InlineAssembly, "inline assembly")),
    }
}
