//! What is compiled at a time: one function, with what is known around it.

use crate::desc::ConvDesc;
use crate::error::CodegenError;
use crate::isa::Isa;
use crate::module_view::ModuleView;
use frazil_ir::module::FunctionHead;
use frazil_ir::verify::verify_function;
use frazil_ir::{CallConv, Function, Refusal};

/// A function to be compiled.
#[derive(Clone, Copy, Debug)]
pub struct Unit<'a> {
    pub function: &'a Function,
    /// Its attributes.
    pub head: &'a FunctionHead,
    /// The module and the options.
    pub view: ModuleView<'a>,
}

/// Compiles a function, or the copy of it with calls for what the target leaves to functions
/// ([`Isa::with_library_calls`]).
///
/// # Errors
/// As `compile`'s.
#[inline]
pub(crate) fn with_library_calls<I: Isa>(
    isa: &I,
    unit: &Unit<'_>,
    compile: impl FnOnce(&Unit<'_>) -> Result<(), CodegenError>,
) -> Result<(), CodegenError> {
    let Some(function) = isa.with_library_calls(unit.function, unit.view) else {
        return compile(unit);
    };
    debug_assert_eq!(verify_function(unit.view.module, &function), Ok(()));
    compile(&Unit {
        function: &function,
        ..*unit
    })
}

/// The same for operations that rules do not have registers enough for ([`Isa::without_large_rules`]).
#[inline]
pub(crate) fn without_large_rules<I: Isa, E>(
    isa: &I,
    unit: &Unit<'_>,
    compile: impl FnOnce(&Unit<'_>) -> Result<(), E>,
) -> Result<(), E> {
    let Some(function) = isa.without_large_rules(unit.function) else {
        return compile(unit);
    };
    debug_assert_eq!(verify_function(unit.view.module, &function), Ok(()));
    compile(&Unit {
        function: &function,
        ..*unit
    })
}

/// The convention with this number, if the target has it.
pub(crate) fn convention(isa: &impl Isa, conv: CallConv) -> Result<&'static ConvDesc, CodegenError> {
    isa.convention(conv)
        .ok_or_else(|| CodegenError::unsupported(Refusal::CallingConvention, format!("calling convention {conv}")))
}
