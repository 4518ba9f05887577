//! What calls have in common in both contexts.

use super::Context;
use crate::error::CodegenError;
use frazil_ir::{CallConv, CallFlags, ConstView, Function, InstData, Operand, Param, Signature, Type, Value};

/// Refuses calls that are not compiled.
pub(crate) fn refuse_call<'a>(cx: &impl Context<'a>, flags: CallFlags, data: &InstData) -> Result<(), CodegenError> {
    if flags.contains(CallFlags::INTRINSIC) {
        let module = cx.module_view().module;
        let name = data
            .a
            .as_symbol()
            .map(|symbol| module.display_name(symbol).into_owned());
        return Err(CodegenError::unsupported(format!(
            "intrinsic {}",
            name.unwrap_or_default()
        )));
    }
    if flags.contains(CallFlags::MUST_TAIL) {
        return Err(CodegenError::unsupported("musttail call"));
    }
    if flags.contains(CallFlags::BUNDLES) {
        return Err(CodegenError::unsupported("operand bundles"));
    }
    Ok(())
}

/// Inline assembly without text and without outputs: a barrier, for which nothing needs to be emitted, since no
/// memory access is moved here.
pub(crate) fn barrier<'a>(cx: &impl Context<'a>, data: &InstData) -> Result<(), CodegenError> {
    let function = cx.function();
    match data.a.as_const().map(|id| function.constant(id).1) {
        Some(ConstView::Asm(asm)) if asm.template.is_empty() && function.result_count(data) == 0 => Ok(()),
        _ => Err(CodegenError::unsupported("inline assembly")),
    }
}

/// The signature of a runtime function.
pub(crate) fn runtime_signature(function: &Function, args: &[(Operand, Type)], result: Option<Value>) -> Signature {
    let returns = result.map(|value| Param::plain(function.value(value).ty));
    Signature {
        params: args.iter().map(|&(_, ty)| Param::plain(ty)).collect(),
        returns: returns.into_iter().collect(),
        call_conv: CallConv::C,
        variadic: false,
        fixed_params: args.len() as u32,
    }
}
