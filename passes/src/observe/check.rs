//! Checks of a function after a pass: that it is valid, and that the pass says the truth about what it left alone.

use frazil_ir::pass::{PassError, PassState};
use frazil_ir::{Block, Function, InstData, Module, Opcode, Operand, Type, verify};

/// Errors of the verifier that are told.
const MOST_ERRORS: usize = 5;

/// Checks that a function is valid and that the graph that it carries is that of its terminators.
pub(crate) fn check_function(module: &Module, function: &Function) -> Result<(), PassError> {
    if let Err(errors) = verify::verify_function(module, function) {
        let errors: Vec<String> = errors.iter().take(MOST_ERRORS).map(ToString::to_string).collect();
        return Err(PassError::new(format!(
            "left an invalid function: {}",
            errors.join("; ")
        )));
    }
    if !has_current_cfg(function) {
        return Err(PassError::new("left predecessors or successors as they were before"));
    }
    Ok(())
}

/// Checks what a pass said: that analyses hold, and that nothing changed if it said so.
pub(crate) fn check_claims(
    before: &Function,
    function: &Function,
    changed: bool,
    state: &PassState,
) -> Result<(), PassError> {
    if let Some(analysis) = state.analyses.find_stale(function) {
        return Err(PassError::new(format!(
            "says that it preserved `{analysis}`, but it did not"
        )));
    }
    if !changed && !same_code(before, function) {
        return Err(PassError::new("says that it changed nothing, but it did"));
    }
    Ok(())
}

/// Whether two functions have the same blocks and instructions, wherever in the pool the operands stand.
fn same_code(left: &Function, right: &Function) -> bool {
    let mut pairs = left.insts().iter().zip(right.insts());
    left.blocks() == right.blocks()
        && left.insts().len() == right.insts().len()
        && pairs.all(|(before, after)| parts(left, before) == parts(right, after))
}

/// An instruction without its places in the pool.
fn parts(function: &Function, data: &InstData) -> (Opcode, Type, u16, u32, Vec<Operand>, Vec<Block>) {
    let (mut operands, mut targets) = (Vec::new(), Vec::new());
    function.for_each_operand(data, |operand| operands.push(operand));
    function.for_each_target(data, |target| targets.push(target));
    (data.op, data.ty, data.flags, data.result, operands, targets)
}

fn has_current_cfg(function: &Function) -> bool {
    let mut anew = function.clone();
    anew.compute_cfg();
    function.block_ids().all(|block| {
        function.cfg().predecessors(block) == anew.cfg().predecessors(block)
            && function.cfg().successors(block) == anew.cfg().successors(block)
    })
}
