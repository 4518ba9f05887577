//! Operands on a register stack ([`crate::desc::RegisterStack`]).
//!
//! The stack is empty between instructions (contract 21). So inputs are pushed from memory before the text, the
//! deepest first, and what the text leaves on the stack is popped after it, outputs to memory. What it leaves follows
//! from the constraints: an input whose register is also overwritten, as an output or clobber, has been popped; every
//! other input is still there, below the outputs. So say the GCC manual ("Extended Asm", "x86 Floating-Point asm
//! Operands") and LLVM of the only such stack that they know, x87's. Its name, its size and the instructions that push
//! and pop are the target's.

use super::choose::Choice;
use super::{Pending, SelectCtx, out_of_registers};
use crate::desc::TargetDesc;
use crate::error::CodegenError;
use crate::inline_asm::constraints::{Code, Constraint, Purpose};
use crate::inline_asm::{AsmRules, AsmStack, wrong};
use crate::isa::Isa;

/// What is pushed before a text and popped after it; operands are given by their numbers.
#[derive(Default)]
pub(super) struct StackPlan {
    /// The target's stack, if it has one.
    stack: Option<&'static dyn AsmStack>,
    /// Inputs, in the order in which they are pushed.
    pushed: Vec<usize>,
    /// Outputs, in the order in which they are popped: from the top.
    popped: Vec<usize>,
    /// How many inputs are left below the outputs, to be dropped.
    left: u32,
}

/// A set of registers of the stack: bit 0 is the top.
#[derive(Clone, Copy, Default, PartialEq)]
struct Places(u32);

impl Places {
    /// Whether the set has no gap between the top and its deepest register.
    fn reach_the_top(self) -> bool {
        self.0 & (self.0 + 1) == 0
    }

    fn count(self) -> u32 {
        self.0.count_ones()
    }

    fn insert(&mut self, depth: u8) -> Result<(), CodegenError> {
        let bit = 1 << depth;
        if self.0 & bit != 0 {
            return Err(wrong("two operands in one register of a stack"));
        }
        self.0 |= bit;
        Ok(())
    }
}

impl StackPlan {
    /// Gives operands that may be anywhere on the stack their registers, and plans what is pushed and popped.
    pub(super) fn new(
        pending: &mut [Pending],
        constraints: &[Constraint],
        rules: &dyn AsmRules,
        desc: &TargetDesc,
    ) -> Result<StackPlan, CodegenError> {
        let (Some(stack), Some(registers)) = (rules.stack(), desc.register_stack) else {
            return Ok(StackPlan::default());
        };
        let (mut inputs, mut outputs) = (Places::default(), Places::default());
        for one in pending.iter() {
            let Choice::Stack(depth) = one.choice else { continue };
            match one.result {
                Some(_) => outputs.insert(depth)?,
                None => inputs.insert(depth)?,
            }
        }
        let written = Places(outputs.0 | overwritten(constraints, stack).0);
        let popped_by_text = Places(inputs.0 & written.0);
        let orders = [
            (inputs, "fixed input regs"),
            (outputs, "output regs"),
            (written, "clobbers"),
            (popped_by_text, "implicitly popped regs"),
        ];
        if let Some((_, what)) = orders.iter().find(|(places, _)| !places.reach_the_top()) {
            return Err(wrong(format!("{what} must be last on the {} stack", registers.name)));
        }
        let mut held = inputs.count();
        for one in pending.iter_mut().filter(|one| one.choice == Choice::AnyStack) {
            one.choice = Choice::Stack(held as u8);
            held += 1;
        }
        let left = held - popped_by_text.count();
        if held.max(left + outputs.count()) > u32::from(registers.count) {
            return Err(out_of_registers());
        }
        let depth_of = |index: &usize| match pending[*index].choice {
            Choice::Stack(depth) => depth,
            _ => 0,
        };
        let on_stack = (0..pending.len()).filter(|&index| matches!(pending[index].choice, Choice::Stack(_)));
        let (mut popped, mut pushed): (Vec<usize>, Vec<usize>) =
            on_stack.partition(|&index| pending[index].result.is_some());
        popped.sort_by_key(depth_of);
        pushed.sort_by_key(|index| std::cmp::Reverse(depth_of(index)));
        Ok(StackPlan {
            stack: Some(stack),
            pushed,
            popped,
            left,
        })
    }
}

/// The registers of the stack that a text clobbers.
fn overwritten(constraints: &[Constraint], stack: &dyn AsmStack) -> Places {
    let mut places = Places::default();
    let clobbers = constraints.iter().filter(|one| one.purpose == Purpose::Clobber);
    for code in clobbers.flat_map(|one| one.alternatives.iter().flatten()) {
        if let Code::Named(name) = code
            && let Some(depth) = stack.depth(name)
        {
            places.0 |= 1 << depth;
        }
    }
    places
}

impl<I: Isa> SelectCtx<'_, I> {
    /// Pushes the inputs before a text.
    pub(super) fn fill_stack(&mut self, pending: &[Pending], plan: &StackPlan) {
        let Some(stack) = plan.stack else { return };
        for one in plan.pushed.iter().map(|&index| &pending[index]) {
            let mem = one.mem.expect("operands on the stack have memory");
            self.put(stack.push(one.parts.bytes, mem));
        }
    }

    /// Pops the outputs after a text, then drops the inputs that are left.
    pub(super) fn empty_stack(&mut self, pending: &[Pending], plan: &StackPlan) {
        let Some(stack) = plan.stack else { return };
        for one in plan.popped.iter().map(|&index| &pending[index]) {
            let mem = one.mem.expect("operands on the stack have memory");
            self.put(stack.pop(one.parts.bytes, mem));
        }
        for _ in 0..plan.left {
            self.put(stack.drop_top());
        }
    }
}
