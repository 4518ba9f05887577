//! What is refused before a function is compiled, whatever the context.

use crate::desc::TargetDesc;
use crate::error::CodegenError;
use crate::module_view::ModuleView;
use frazil_ir::module::FunctionHead;
use frazil_ir::{Effects, Function, TypeData};

/// Attributes and module flags that would change the code in ways that are not implemented.
pub(crate) fn refuse_attributes(head: &FunctionHead, view: ModuleView<'_>) -> Result<(), CodegenError> {
    if !head.unsupported.is_empty() {
        let names = view.module.strings.display(head.unsupported);
        return Err(CodegenError::unsupported(format!("function attribute {names}")));
    }
    if head.naked {
        return Err(CodegenError::unsupported("function attribute naked"));
    }
    // LLVM's numbers (`llvm/Support/CodeGen.h`); what is compiled serves the tiny and the small model.
    match view.module.flags.code_model {
        None | Some(0 | 1) => Ok(()),
        Some(2) => Err(CodegenError::unsupported("code model kernel")),
        Some(3) => Err(CodegenError::unsupported("code model medium")),
        Some(4) => Err(CodegenError::unsupported("code model large")),
        Some(other) => Err(CodegenError::unsupported(format!("code model number {other}"))),
    }
}

/// A module whose pointers or byte order are not the target's, as far as the function has to do with memory.
pub(crate) fn refuse_layout(desc: &TargetDesc, function: &Function, view: ModuleView<'_>) -> Result<(), CodegenError> {
    let layout = view.module.data_layout;
    let bits = u32::from(desc.pointer_bytes) * 8;
    if layout.pointer_bits == bits && layout.big_endian != desc.elf.little_endian {
        return Ok(());
    }
    let is_pointer = |ty| matches!(function.types.data(ty), TypeData::Ptr(_));
    let has_memory = function.values.iter().any(|value| is_pointer(value.ty))
        || (function.insts.iter()).any(|data| matches!(data.op.effects(), Effects::Read | Effects::Write));
    if !has_memory {
        return Ok(());
    }
    Err(CodegenError::unsupported(if layout.pointer_bits == bits {
        "the module's byte order".to_owned()
    } else {
        format!("pointers of {} bits", layout.pointer_bits)
    }))
}
