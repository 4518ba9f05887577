//! A validator for passes over the intermediate representation, in the manner of Alive2: an SMT solver proves that a
//! function after a pass does what it did before.
//!
//! To be proved is *refinement*: for all parameters, contents of memory and answers of called functions with which the
//! function before the pass has no undefined behavior, the one after it has none, calls the same functions with the
//! same arguments in the same order, with the same memory, and returns the same values; where a value was poison, it
//! may be any, and where it was undefined, any that it could have been. The specification is the head comment of
//! [`frazil_ir::verify`], and what is refuted is executed by [`frazil_ir::interp`] to be sure ([`confirm`]).
//!
//! Method: both functions are executed symbolically ([`symbolic`]), path by path, up to the next event that others see:
//! a call, a volatile or atomic access, the return. There, operands and memory must agree; what a call answers and
//! leaves in memory is then the same unknown for both, and execution goes on ([`prove`]). Values are terms over bit
//! vectors ([`terms`]); what is not equal as a term, the [`solver`] is asked.
//!
//! What is approximated, so that a proof still is one:
//!
//! * loops are followed for a few iterations; a proof that left something out says so ([`prove::Verdict::Bounded`]);
//! * undefined bits before a pass: a few choices are tried, and if none does, the question is open;
//! * floating-point operations are functions that nothing is known of, in a second attempt those of the solver;
//! * addresses: an object is reached through its own address alone until that address is passed on, and accesses
//!   elsewhere are either allowed or not, for both functions alike;
//! * a pass may not reorder events; parameters are defined or poison ([`prove::Options`] can make one undefined).
//!
//! Not covered, and therefore unproved: integers above 128 bits, indirect jumps.

pub mod confirm;
pub mod faults;
pub mod floats;
pub mod passes;
pub mod prove;
pub mod report;
pub mod solver;
pub mod symbolic;
pub mod terms;
pub mod window;
