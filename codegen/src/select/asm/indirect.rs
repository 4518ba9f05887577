//! Outputs that a text may leave in a register or write to memory, and whose argument is the address of that memory
//! (`"=*rm"`), with an input that is tied to them.
//!
//! Method: the value of the input says of which type the operand is, so that it takes a register, as in LLVM, and is
//! stored after the text. Texts rely on this: `sub $16,$0` says how wide the operand is only if it is a register.
//! Outputs without an input stay in memory. So do those of texts that jump or unwind, since there is no place after
//! the text that all paths come through.

use super::Pending;
use crate::inline_asm::constraints::{Code, Constraint, Purpose};
use crate::inline_asm::{AsmClass, AsmRules};

/// Has these outputs stored after the text.
pub(super) fn store_afterwards(pending: &mut [Pending], constraints: &mut [Constraint], rules: &dyn AsmRules) {
    if constraints.iter().any(|one| one.purpose == Purpose::Label) {
        return;
    }
    let operands: Vec<usize> = (0..constraints.len())
        .filter(|&index| constraints[index].purpose != Purpose::Clobber)
        .collect();
    for (index, &constraint) in operands.iter().enumerate() {
        if !may_be_in_register(&constraints[constraint], rules) {
            continue;
        }
        let Some(input) = only_tied(index, constraints) else {
            continue;
        };
        let Some(input) = operands.iter().position(|&operand| operand == input) else {
            continue;
        };
        let (ty, parts) = (pending[input].ty, pending[input].parts);
        if parts.count != 1 || parts.float {
            continue;
        }
        constraints[constraint].is_indirect = false;
        let output = &mut pending[index];
        (output.ty, output.parts) = (ty, parts);
        output.is_indirect = false;
        output.stored_to = output.argument.take();
    }
}

/// Whether the constraint is that of an output in memory which could as well be in any general register.
fn may_be_in_register(constraint: &Constraint, rules: &dyn AsmRules) -> bool {
    let [codes] = &constraint.alternatives[..] else {
        return false;
    };
    let is_any_register = |code: &Code| match code {
        Code::Letter(letter) => matches!(rules.class(letter), Some(AsmClass::Register(_, set)) if set.is_empty()),
        _ => false,
    };
    constraint.purpose == Purpose::Output && constraint.is_indirect && codes.iter().any(is_any_register)
}

/// The number of the constraint of the one input that is tied to an output, if there is one and it is a value.
fn only_tied(output: usize, constraints: &[Constraint]) -> Option<usize> {
    let is_tied = |constraint: &Constraint| {
        let mut codes = constraint.alternatives.iter().flatten();
        codes.any(|code| matches!(code, Code::SameAs(number) if *number == output))
    };
    let mut tied = (0..constraints.len()).filter(|&index| is_tied(&constraints[index]));
    let first = tied.next()?;
    (tied.next().is_none() && !constraints[first].is_indirect).then_some(first)
}
