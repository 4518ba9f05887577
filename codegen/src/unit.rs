//! What is compiled at a time: one function, with what is known around it.

use crate::desc::ConvDesc;
use crate::error::CodegenError;
use crate::isa::Isa;
use crate::module_view::ModuleView;
use frazil_ir::module::FunctionHead;
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

/// The convention with this number, if the target has it.
pub(crate) fn convention(isa: &impl Isa, conv: CallConv) -> Result<&'static ConvDesc, CodegenError> {
    isa.convention(conv)
        .ok_or_else(|| CodegenError::unsupported(Refusal::CallingConvention, format!("calling convention {conv}")))
}
