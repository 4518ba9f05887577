//! Stack guards (stack smashing protection): which functions have one, and which slots are next to it.
//!
//! A guard is a word between the areas of a frame and the return address and saved frame pointer. Its value is unknown
//! to an attacker and must be unchanged when the function returns. The target's prologue stores it, and its epilogue
//! compares it.
//!
//! Method: a slot whose address is used by anything but loads from it and stores to it may be written beyond its end.
//! LLVM's `StackProtector`, which looks at types, considers fewer slots, so every function that has a guard there has
//! one here. Such slots are placed right below the guard, larger ones first, so that an overflow reaches the guard
//! before other slots.
//!
//! Not done: a comparison before calls that do not return but unwind.

use crate::desc::TargetDesc;
use crate::error::CodegenError;
use crate::module_view::ModuleView;
use frazil_ir::module::{FunctionHead, GuardPlace, StackProtector};
use frazil_ir::{EntityRef, Function, Opcode, Refusal, SlotId};
use frazil_support::sort::sort_by_key;

/// LLVM's default of "stack-protector-buffer-size".
const DEFAULT_BYTES: u32 = 8;

/// The slots of a guarded function in the order of their places from the guard down; none if it has no guard.
///
/// # Errors
/// When the guard is to be where the target does not look for it.
#[cold]
pub(crate) fn guarded_slots(
    head: &FunctionHead,
    function: &Function,
    desc: &TargetDesc,
    view: ModuleView<'_>,
) -> Result<Option<Vec<SlotId>>, CodegenError> {
    let least = match head.stack_protector_bytes {
        0 => DEFAULT_BYTES,
        bytes => bytes,
    };
    let exposed = exposed_slots(function);
    let is_large = |slot: SlotId| function.slots()[slot.index()].size >= u64::from(least);
    let rank = |slot: SlotId| match (exposed[slot.index()], is_large(slot)) {
        (true, true) => 0,
        (true, false) => 1,
        (false, _) => 2,
    };
    let mut slots: Vec<SlotId> = (0..function.slots().len()).map(SlotId::new).collect();
    sort_by_key(&mut slots, |&slot| rank(slot));
    let nearest = slots.first().map_or(2, |&slot| rank(slot));
    let is_dynamic = function.insts().iter().any(|data| data.op == Opcode::StackAlloc);
    let is_guarded = match head.stack_protector {
        StackProtector::None => false,
        StackProtector::Basic => nearest == 0 || is_dynamic,
        StackProtector::Strong => nearest <= 1 || is_dynamic,
        StackProtector::Required => true,
    };
    if !is_guarded {
        return Ok(None);
    }
    if view.module.flags.guard_place == GuardPlace::Variable {
        return Err(CodegenError::unsupported(
            Refusal::Instruction,
            "a stack protector whose guard is a variable",
        ));
    }
    let triple = view.module.strings.display(view.module.triple);
    if !desc.guarded_systems.iter().any(|system| triple.contains(system)) {
        return Err(CodegenError::unsupported(
            Refusal::Instruction,
            format!("a stack protector for {triple}"),
        ));
    }
    Ok(Some(slots))
}

/// By slot: whether its address goes anywhere but into a load from it or a store to it.
fn exposed_slots(function: &Function) -> Vec<bool> {
    let mut exposed = vec![false; function.slots().len()];
    for data in function.insts() {
        let mut pointer = match data.op {
            Opcode::Load => Some(data.a),
            Opcode::Store => Some(data.b),
            _ => None,
        };
        function.for_each_operand(data, |operand| {
            let slot = operand.as_value().and_then(|value| function.slot_of(value));
            if let Some(slot) = slot
                && pointer.take_if(|pointer| *pointer == operand).is_none()
            {
                exposed[slot.index()] = true;
            }
        });
    }
    exposed
}
