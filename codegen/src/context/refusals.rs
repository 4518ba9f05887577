//! What is refused before a function is compiled, in either context.

use super::clearing::refuse_clearing;
use crate::desc::{ConvDesc, TargetDesc};
use crate::error::CodegenError;
use crate::isa::Isa;
use crate::module_view::{ModuleView, RelocationModel};
use crate::unit::Unit;
use frazil_ir::module::{FunctionHead, ModuleFlags, ReturnSigning};
use frazil_ir::{CallFlags, Effects, Function, InstData, Opcode, Refusal, TypeData};

/// Attributes and module flags that would change the code in ways that are not implemented.
pub(crate) fn refuse_attributes(
    desc: &TargetDesc,
    head: &FunctionHead,
    view: ModuleView<'_>,
) -> Result<(), CodegenError> {
    if let Some((refusal, names)) = head.unsupported {
        let names = view.module.strings.display(names);
        return Err(CodegenError::unsupported(
            refusal,
            format!("function attribute {names}"),
        ));
    }
    match view.module.flags.code_model {
        Some(_) => refuse_code_model(desc, view),
        None => Ok(()),
    }
}

/// Refuses a module whose code model the target has no code for. In the medium model, data that may be far away is
/// marked as such. In the kernel's, everything is as near as in the small one.
///
/// # Errors
/// The name of the model, and of those that there are.
#[cold]
pub fn refuse_code_model(desc: &TargetDesc, view: ModuleView<'_>) -> Result<(), CodegenError> {
    let Some(number) = view.module.flags.code_model else {
        return Ok(());
    };
    let name = |number| match ModuleFlags::code_model_name(number) {
        Some(name) => name.to_owned(),
        None => format!("number {number}"),
    };
    let mut what = format!("code model {}", name(number));
    if !desc.code_models.contains(&number) {
        let others: Vec<String> = desc.code_models.iter().copied().map(name).collect();
        what += &format!("; {} has {}", desc.name, others.join(", "));
    } else if number == ModuleFlags::KERNEL && view.relocation_model == RelocationModel::Pic {
        what += " in code that may be placed anywhere";
    } else {
        return Ok(());
    }
    Err(CodegenError::unsupported(Refusal::CodeModel, what))
}

/// The largest alignment of stacks: a page.
const MAX_STACK_ALIGN: u32 = 4096;

/// What callers and callees align the stack pointer to: as the convention has it, or the module
/// (`override-stack-alignment`). Refuses alignments that frames cannot have.
pub(crate) fn stack_align(desc: &TargetDesc, conv: &ConvDesc, unit: &Unit<'_>) -> Result<u32, CodegenError> {
    let (head, asked) = (unit.head, unit.view.module.flags.stack_align);
    if asked.is_none() && !realigns(head) {
        return Ok(conv.stack_align);
    }
    check_stack_align(desc, asked.unwrap_or(conv.stack_align), head)
}

#[cold]
fn check_stack_align(desc: &TargetDesc, bytes: u32, head: &FunctionHead) -> Result<u32, CodegenError> {
    let is_possible = |bytes: u32| bytes.is_power_of_two() && (8..=MAX_STACK_ALIGN).contains(&bytes);
    let refused = if !is_possible(bytes) {
        format!("a stack alignment of {bytes} bytes (override-stack-alignment)")
    } else if head.stack_align != 0 && !is_possible(head.stack_align.max(8)) {
        format!("a stack alignment of {} bytes (alignstack)", head.stack_align)
    } else if realigns(head) && !desc.pushes_saved_registers {
        "a frame with a stack alignment of its own".to_owned()
    } else {
        return Ok(bytes);
    };
    Err(CodegenError::unsupported(Refusal::Stack, refused))
}

/// Whether a function aligns the stack pointer whatever its frame holds.
#[inline]
pub(crate) fn realigns(head: &FunctionHead) -> bool {
    (head.stack_align != 0 || head.realigns_stack) && !head.naked
}

/// A function of a convention by which it had to save more of vector registers than is saved here.
#[cold]
pub(crate) fn refuse_wide_saves(isa: &impl Isa, conv: &ConvDesc, view: ModuleView<'_>) -> Result<(), CodegenError> {
    if isa.widest_passed_vector(view.features) <= isa.desc().vector_bytes {
        return Ok(());
    }
    let message = format!(
        "a function of the convention {} that may use wider registers",
        conv.name
    );
    Err(CodegenError::unsupported(Refusal::CallingConvention, message))
}

/// Filler that the target has no instructions for, and registers that it cannot clear.
pub(crate) fn refuse_entry(isa: &impl Isa, head: &FunctionHead, view: ModuleView<'_>) -> Result<(), CodegenError> {
    if !head.cleared_registers.is_empty() {
        refuse_clearing(isa, view.module.strings.bytes(head.cleared_registers))?;
    }
    if !isa.desc().protects_returns {
        let asked = [
            (head.marks_branch_targets, "branch-target-enforcement"),
            (head.signs_return != ReturnSigning::None, "sign-return-address"),
            (head.keeps_shadow_stack, "shadowcallstack"),
        ];
        if let Some((_, name)) = asked.iter().find(|row| row.0) {
            let what = format!("function attribute {name}");
            return Err(CodegenError::unsupported(Refusal::FunctionAttribute, what));
        }
    }
    if (head.has_room_for_jump || head.entry_filler.max(head.prefix_filler) > 0) && isa.filler(1).is_none() {
        return Err(CodegenError::unsupported(
            Refusal::FunctionAttribute,
            "function attribute patchable-function-entry",
        ));
    }
    Ok(())
}

/// Functions without prologue and epilogue that hold more than texts of assembly.
#[cold]
pub(crate) fn refuse_naked(function: &Function) -> Result<(), CodegenError> {
    let is_text = |data: &InstData| match data.op {
        Opcode::Nop | Opcode::Unreachable => true,
        Opcode::Call => {
            CallFlags::from_bits_retain(data.flags).contains(CallFlags::INLINE_ASM)
                && function.result_count(data) == 0
                && function
                    .call(data)
                    .args
                    .iter()
                    .all(|operand| operand.as_value().is_none())
        }
        _ => false,
    };
    if function.insts().iter().all(is_text) {
        return Ok(());
    }
    Err(CodegenError::unsupported(
        Refusal::InlineAssembly,
        "a naked function that is more than inline assembly",
    ))
}

/// Personality routines that want code in another form than landing pads, or a target without exceptions.
#[cold]
pub(crate) fn refuse_personality(
    desc: &TargetDesc,
    head: &FunctionHead,
    view: ModuleView<'_>,
) -> Result<(), CodegenError> {
    let name = head.personality.map(|symbol| view.module.display_name(symbol));
    let name = name.unwrap_or_default();
    // What LLVM calls funclet personalities (`llvm/IR/EHPersonalities.h`).
    let wants_funclets = [
        ("__CxxFrameHandler3", Refusal::Funclet),
        ("__C_specific_handler", Refusal::Funclet),
        ("__C_specific_handler_noexcept", Refusal::Funclet),
        ("_except_handler3", Refusal::Funclet),
        ("_except_handler4", Refusal::Funclet),
        ("ProcessCLRException", Refusal::Exception),
        ("__gxx_wasm_personality_v0", Refusal::Exception),
        ("__xlcxx_personality_v1", Refusal::Exception),
    ];
    if let Some(&(_, refusal)) = wants_funclets.iter().find(|row| row.0 == name) {
        return Err(CodegenError::unsupported(
            refusal,
            format!("personality routine {name}"),
        ));
    }
    if desc.exception_registers.is_none() {
        return Err(CodegenError::unsupported(Refusal::Exception, "exception handling"));
    }
    Ok(())
}

/// A module whose pointers or byte order are not the target's, as far as the function has to do with memory.
pub(crate) fn refuse_layout(desc: &TargetDesc, function: &Function, view: ModuleView<'_>) -> Result<(), CodegenError> {
    let layout = view.module.data_layout;
    let bits = u32::from(desc.pointer_bytes) * 8;
    if layout.pointer_bits == bits && layout.big_endian != desc.elf.little_endian {
        return Ok(());
    }
    let is_pointer = |ty| matches!(function.types().data(ty), TypeData::Ptr(_));
    let has_memory = function.values().iter().any(|value| is_pointer(value.ty))
        || (function.insts().iter()).any(|data| matches!(data.op.effects(), Effects::Read | Effects::Write));
    if !has_memory {
        return Ok(());
    }
    Err(CodegenError::unsupported(
        Refusal::DataLayout,
        if layout.pointer_bits == bits {
            "the module's byte order".to_owned()
        } else {
            format!("pointers of {} bits", layout.pointer_bits)
        },
    ))
}
