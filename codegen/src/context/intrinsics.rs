//! Calls of target-specific intrinsics, which have no opcode: the target has a rule for them, or an inline assembly
//! text.

use super::Context;
use crate::abi::unsupported_type;
use crate::error::CodegenError;
use crate::included;
use crate::isa::Isa;
use frazil_ir::{AsmData, CallFlags, EntityRef, InstData, Operand};

/// Whether a call is one of an intrinsic that has no opcode.
#[inline]
pub(crate) fn is_intrinsic(data: &InstData) -> bool {
    CallFlags::from_bits_retain(data.flags).contains(CallFlags::INTRINSIC)
}

/// Has the target lower a call of an intrinsic; `false` if it does not know it.
#[cold]
pub(crate) fn lower_intrinsic<'a, C: Context<'a>>(cx: &mut C, data: &InstData) -> Result<bool, CodegenError> {
    let Some(symbol) = data.a.as_symbol() else {
        return Ok(false);
    };
    refuse_types(cx, data)?;
    let (isa, module) = (cx.isa(), cx.module_view().module);
    isa.lower_intrinsic(cx, &module.display_name(symbol), data)
}

/// Refuses operands and results of types that have no registers: rules ask for registers of operands without a look at
/// their types, and where everything that is refused is to be found, what makes the operand may have been refused, too.
fn refuse_types<'a>(cx: &impl Context<'a>, data: &InstData) -> Result<(), CodegenError> {
    let function = cx.func();
    let type_of = |operand: &Operand| match (operand.as_value(), operand.as_const()) {
        (Some(value), _) => Some(function.value(value).ty),
        (_, Some(constant)) => Some(function.consts()[constant.index()].ty),
        _ => None,
    };
    let results = function.results(data).map(|value| function.value(value).ty);
    let mut types = function.call(data).args.iter().filter_map(type_of).chain(results);
    match types.find(|&ty| cx.parts_of(ty).count == 0) {
        Some(ty) => Err(unsupported_type(function.types(), ty)),
        None => Ok(()),
    }
}

#[cold]
pub(crate) fn text_of_intrinsic<'a>(cx: &impl Context<'a>, data: &InstData) -> Option<AsmData> {
    let symbol = data.a.as_symbol()?;
    let rules = cx.isa().asm_rules().filter(|_| included::OPTIMIZING_PATH)?;
    rules.intrinsic(&cx.module_view().module.display_name(symbol))
}
