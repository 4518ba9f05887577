//! Symbolic execution of a function, up to the next event that others see.
//!
//! A [`State`] is a place in a function, with what is known there: values, memory, the conditions of the path that led
//! there, and the conditions under which undefined behavior has been met on it. [`Executor::run`] follows all paths
//! from a state to their next [`Stop`].
//!
//! Undefined values are terms with undef variables; after a pass, each use of an operand gets variables of its own.
//! Where a decision is needed (a branch, an address, a divisor), an undefined value is undefined behavior: before a
//! pass if two of its choices differ, after it unless it is proved that no two do.

mod access;
mod events;
mod floats;
mod ints;
pub mod memory;
mod pure;
mod step;
mod value;

pub use events::Event;
pub use floats::are_alike;
pub use step::Executor;
pub use value::{Lane, Value, shape as shape_of};

use crate::terms::Term;
use frazil_ir::{Block, Function, Module};
use memory::{MemoryId, Objects};

/// One of the two functions.
#[derive(Clone, Copy, Debug)]
pub struct Side<'a> {
    pub module: &'a Module,
    pub function: &'a Function,
    /// Whether it is the one before the pass.
    pub is_before: bool,
    /// The objects that both have.
    pub objects: &'a Objects,
    /// For each slot, the number of its object.
    pub slots: &'a [u32],
}

/// How choices are made that the function before the pass is free in.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Choice {
    /// As the function after it chooses, one after the other.
    Alike,
    Zero,
    /// All ones.
    Ones,
}

/// Every way to choose, in the order in which they are tried.
pub const CHOICES: [Choice; 3] = [Choice::Alike, Choice::Zero, Choice::Ones];

/// A place in a function, and what is known there.
#[derive(Clone, Debug)]
pub struct State {
    pub block: Block,
    /// The position of the next instruction.
    pub position: usize,
    /// Values that are defined.
    pub values: Vec<Option<Value>>,
    pub memory: MemoryId,
    /// The objects whose addresses have been passed on.
    pub escaped: u64,
    /// The objects whose addresses lie in objects.
    pub stored: u64,
    /// What holds on the path since the last event.
    pub path: Vec<Term>,
    /// Each of these means undefined behavior.
    pub undefined: Vec<Term>,
    /// How often each block was entered.
    pub visits: Vec<u8>,
    /// How many free choices were made.
    pub picks: u32,
    /// How many undefined values were decided upon.
    pub decisions: u32,
    /// How many events there were, which may change what may be accessed.
    pub epoch: u32,
    /// Instructions that may still be executed.
    pub steps: u32,
}

/// Where a path stops.
#[derive(Clone, Debug)]
pub enum Stop {
    /// Something that others see.
    Event(Event),
    /// The end, with what is returned.
    Return(Vec<Value>),
    /// Undefined behavior, in any case.
    Undefined,
    /// A loop has been followed long enough.
    Bound,
}

/// Why a function cannot be executed symbolically.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Unsupported(pub String);

/// What is computed, or why it cannot be.
pub type Outcome<T> = Result<T, Unsupported>;

/// An error that names something.
pub fn unsupported<T>(what: impl Into<String>) -> Outcome<T> {
    Err(Unsupported(what.into()))
}
