//! The symbolic checker: proves that an allocation keeps every value where its uses look for it.
//!
//! It is told what each operand of an instruction stands for (a *name*) and where the allocation puts it, follows
//! which names each register and slot holds through moves, calls and control flow, and requires that every use finds
//! its name. It shares no code with the allocators and knows nothing of how they decide. Machine functions with an
//! [`Allocation`] and what the fast path emitted are brought into one form ([`flow`]) and proved by one algorithm
//! ([`solve`]).
//!
//! What it does not prove: that instructions compute what the program means, that blocks are connected as branches
//! say, where the frame puts slots, and what prologue and epilogue do.
//!
//! After Rideau and Leroy, "Validating Register Allocation and Spilling" (2010), and the checker of `regalloc2`.

mod describe;
mod error;
mod flow;
mod group;
mod machine;
mod moves;
mod rules;
mod site;
mod solve;
#[cfg(test)]
mod tests;
mod trace;
pub mod translation;

pub use error::{CheckError, CheckFault, Missing};
pub(crate) use trace::Trace;

use crate::mfunc::MFunc;
use crate::regalloc::{Allocation, AllocatorInput};

/// The checker's memory, kept from function to function.
#[derive(Debug, Default)]
pub struct Checker {
    flow: flow::Flow,
    solver: solve::Solver,
    machine: machine::Scratch,
}

impl Checker {
    /// Proves the allocation of a machine function.
    ///
    /// # Errors
    /// The first place where the allocation is wrong.
    pub fn check_allocation(
        &mut self,
        func: &MFunc,
        input: &AllocatorInput<'_>,
        allocation: &Allocation,
    ) -> Result<(), CheckError> {
        machine::bring(func, input, allocation, &mut self.machine, &mut self.flow)?;
        (self.solver.solve(&self.flow)).map_err(|failure| {
            let sources = &self.machine.sources;
            describe::failure(func, input, &self.flow, sources, &failure)
        })
    }
}

/// Proves one allocation; see [`Checker::check_allocation`].
///
/// # Errors
/// The first place where the allocation is wrong.
pub fn check_allocation(func: &MFunc, input: &AllocatorInput<'_>, allocation: &Allocation) -> Result<(), CheckError> {
    Checker::default().check_allocation(func, input, allocation)
}
