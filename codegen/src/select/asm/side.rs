//! Operands in side registers: registers that are never allocated to values, such as x86's MMX and mask registers and
//! the second bytes of its four oldest registers.
//!
//! They need these registers only within the text. Before and after it, their values are in the frame, and the text
//! gets an additional instruction for each, which the assembler reads with it
//! ([`crate::inline_asm::AsmRules::move_side`]). If a side register is part of an allocatable register, that register
//! counts as clobbered.

use super::choose::Choice;
use super::{Pending, out_of_registers};
use crate::error::CodegenError;
use crate::inline_asm::constraints::{Code, Constraint, Purpose};
use crate::inline_asm::{AsmRules, AsmSide, wrong};

/// Gives each operand that may be in any side register of a bank one that no other operand has and the text does not
/// clobber.
pub(super) fn assign(
    pending: &mut [Pending],
    constraints: &[Constraint],
    rules: &dyn AsmRules,
) -> Result<(), CodegenError> {
    let is_side = |one: &Pending| matches!(one.choice, Choice::Side(_) | Choice::AnySide(..));
    if !pending.iter().any(is_side) {
        return Ok(());
    }
    if pending.iter().any(|one| one.purpose == Purpose::Label) {
        return Err(wrong("operands in registers of their own, of a text that jumps"));
    }
    let mut taken = overwritten(constraints, rules);
    for one in pending.iter() {
        if let Choice::Side(side) = one.choice {
            taken.push(side);
        }
    }
    for index in 0..pending.len() {
        let Choice::AnySide(bank, set) = pending[index].choice else {
            continue;
        };
        let number = match pending[index].tied_to {
            Some(output) => match pending[output].choice {
                Choice::Side(side) => side.number,
                _ => return Err(wrong("tied operands of different kinds")),
            },
            None => (0..u32::BITS as u8)
                .filter(|&number| set >> number & 1 != 0)
                .find(|&number| !taken.contains(&AsmSide { bank, number }))
                .ok_or_else(out_of_registers)?,
        };
        let side = AsmSide { bank, number };
        taken.push(side);
        pending[index].choice = Choice::Side(side);
    }
    Ok(())
}

/// The side registers that a text clobbers.
fn overwritten(constraints: &[Constraint], rules: &dyn AsmRules) -> Vec<AsmSide> {
    let clobbers = constraints.iter().filter(|one| one.purpose == Purpose::Clobber);
    let codes = clobbers.flat_map(|one| one.alternatives.iter().flatten());
    codes
        .filter_map(|code| match code {
            Code::Named(name) => rules.side(name),
            _ => None,
        })
        .collect()
}
