//! The symbolic checker of register allocations: proves that every use finds its value in the place that it reads.
//!
//! It is an abstract interpretation after Rideau and Leroy, "Validating Register Allocation and Spilling" (2010), and
//! the checker of `regalloc2`. A *name* stands for what the program computes (a virtual register, say), a *place* for
//! where bits are (a physical register, a spill slot). The abstract state maps each place to the set of names whose
//! values it holds. Definitions, moves, calls and edges change it, and each use requires that its name is in the set
//! of its place.
//!
//! ```text
//!          all names                  top: no path to this point has been seen yet
//!         /    |     \
//!   {v1,v2} {v1,v3} {v2,v3}           after v2 = copy v1, a place may hold both
//!      |   \ /   \ /   |
//!      |   / \   / \   |
//!     {v1}   {v2}   {v3}              after a definition
//!         \    |    /
//!            { }                      bottom: clobbered, or nothing in common on the paths that meet
//! ```
//!
//! Where paths meet, a place holds what it holds on all of them: the meet of the lattice is set intersection. The
//! solution is the greatest fixpoint, so that a loop does not destroy what it preserves. A use is wrong if its name is
//! missing in that solution ([`solve`] finds it without iterating).
//!
//! Machine functions with an [`Allocation`] ([`machine`]) and the emitted code of the fast path ([`trace`]) are
//! brought into one form ([`flow`]) and proved by the same algorithm. The checker shares no code with the allocators
//! and knows nothing of how they decide.
//!
//! Not proved: that instructions compute what the program means, that the control flow graph agrees with the branches,
//! where the frame puts slots, and what prologues and epilogues do.

mod describe;
mod error;
pub(crate) mod flow;
mod group;
mod homes;
pub(crate) mod machine;
mod moves;
mod rules;
pub(crate) mod site;
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
