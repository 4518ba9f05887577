//! Shrink-wrapped functions: no instruction may need the frame where it is not set up.

use super::TranslationFault;
use super::values::Side;
use crate::desc::Role;
use crate::mfunc::{Term, for_each_register, op_desc, pseudo};
use crate::minst::MInst;

/// Checks one function.
///
/// # Errors
/// An instruction that needs a frame that is not there, a block that is reached with and without it, and code that
/// sets it up or tears it down twice.
pub(super) fn check(side: &Side<'_>) -> Result<(), TranslationFault> {
    let func = side.func;
    if !func.frame.is_wrapped {
        return Ok(());
    }
    let mut has_frame: Vec<Option<bool>> = vec![None; func.blocks.len()];
    has_frame[0] = Some(false);
    let mut stack = vec![0u32];
    while let Some(block) = stack.pop() {
        let data = func.blocks[block as usize];
        let mut state = has_frame[block as usize] == Some(true);
        for index in data.start..data.end {
            let inst = &func.insts[index as usize];
            let fault = |message: &str| TranslationFault {
                message: message.to_owned(),
                before: None,
                after: Some((block, index)),
            };
            match inst.op {
                pseudo::PROLOGUE if state => return Err(fault("the frame is set up twice")),
                pseudo::PROLOGUE => state = true,
                pseudo::RESTORE if !state => return Err(fault("a frame is torn down that is not set up")),
                pseudo::RESTORE => state = false,
                _ if !state && needs_frame(side, inst) => {
                    return Err(fault("an instruction needs the frame before it is set up"));
                }
                _ => {}
            }
        }
        if data.term == Term::Stop {
            continue;
        }
        for edge in func.edges_of(block) {
            let to = func.edges[edge].to;
            match has_frame[to as usize] {
                None => {
                    has_frame[to as usize] = Some(state);
                    stack.push(to);
                }
                Some(other) if other != state => {
                    return Err(TranslationFault {
                        message: "a block is reached with and without the frame".to_owned(),
                        before: None,
                        after: Some((to, func.blocks[to as usize].start)),
                    });
                }
                Some(_) => {}
            }
        }
    }
    Ok(())
}

/// Whether an instruction may only be executed while the frame is set up: a call, or one that uses the frame, the
/// stack pointer or a callee-saved register.
fn needs_frame(side: &Side<'_>, inst: &MInst) -> bool {
    let desc = op_desc(side.ops, inst.op);
    if matches!(inst.op, pseudo::ENTRY | pseudo::RETURN) {
        return false;
    }
    if desc.has_sets {
        return true;
    }
    let mut kept = side.func.frame.callee_saved;
    kept.insert(side.desc.stack_pointer);
    let implicit = desc.implicit_uses.union(desc.implicit_defs);
    let names_frame = desc.roles[1] == Role::Base && inst.names_frame();
    let mut needs = names_frame || !implicit.intersection(kept).is_empty();
    for_each_register(inst, desc, |_, reg, _| {
        needs |= reg.is_physical() && kept.contains(reg);
    });
    needs
}
