//! Calls of intrinsics that have no opcode: the target's own. It has a rule for them, or a text of assembly.

use super::Context;
use crate::error::CodegenError;
use crate::isa::Isa;
use frazil_ir::{AsmData, CallFlags, InstData};

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
    let (isa, module) = (cx.isa(), cx.module_view().module);
    isa.lower_intrinsic(cx, &module.display_name(symbol), data)
}

/// The text of assembly that an intrinsic is.
#[cold]
pub(crate) fn text_of_intrinsic<'a>(cx: &impl Context<'a>, data: &InstData) -> Option<AsmData> {
    let symbol = data.a.as_symbol()?;
    let rules = cx.isa().asm_rules()?;
    rules.intrinsic(&cx.module_view().module.display_name(symbol))
}
