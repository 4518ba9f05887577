//! What a pass over functions is: what it says about itself, what it is given, what it returns.
//!
//! The pass manager is the crate `frazil-passes`; passes and the manager agree on this file. A pass is immutable and
//! shared by all workers; memory that it needs while it runs comes from its [`PassCx`] and is used again for the next
//! function.

use crate::analysis::{AnalysisCache, AnalysisSet};
use crate::function::Function;
use crate::module::{FunctionHead, Module};
use crate::opcode::Opcode;
use std::any::{Any, TypeId};
use std::fmt;

/// What a pass works on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Level {
    /// The intermediate representation of one function.
    Function,
    /// The machine code of one function.
    Mach,
}

/// Where a pass must stand beside another one, if both are in a recipe.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Order {
    /// The other pass.
    pub pass: &'static str,
    /// Why, for the message when a recipe breaks it.
    pub reason: &'static str,
}

/// What a pass says about itself.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PassInfo {
    /// Its name in recipes, options, timers and dumps: lower-case words with hyphens, the name of its file.
    pub name: &'static str,
    /// What it does, in one line.
    pub summary: &'static str,
    /// What it works on.
    pub level: Level,
    /// Whether code generation relies on it, so that it cannot be left out.
    pub required: bool,
    /// Passes that must not come later.
    pub after: &'static [Order],
    /// Passes that must not come earlier.
    pub before: &'static [Order],
}

/// What passes may know of the target. Nothing that a pass does for these facts is wrong for another target.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TargetFacts {
    /// Width of an address.
    pub pointer_bits: u32,
    /// Width of the widest integer that has instructions of its own.
    pub native_int_bits: u32,
    /// Log2 scales that the index of an address may have, as a bit mask.
    pub index_scales: u8,
    /// Whether an address with an index may have a displacement as well at no cost.
    pub index_with_displacement: bool,
    /// Whether an instruction reaches a symbol, or a constant beside the code, without its address in a register.
    pub reaches_symbols: bool,
    /// Whether what needs two comparisons takes one instruction for each, and none to join them.
    pub joins_comparisons: bool,
    /// What a wrongly predicted branch costs, in cycles, if choices in loops may become branches; 0 if they stay.
    pub misprediction_cycles: u8,
    /// Which constant integers instructions take at no cost, where that is not every one of 32 bits.
    pub free_immediates: Option<ImmediateRule>,
    pub int_registers: u8,
    /// Registers for floating-point numbers.
    pub float_registers: u8,
}

/// Whether the instruction for an operation of so many bits takes a constant as the operand in this slot, or the
/// constant costs nothing for another reason.
#[derive(Clone, Copy)]
pub struct ImmediateRule(pub fn(op: Opcode, slot: u32, bits: u32, value: i64) -> bool);

impl PartialEq for ImmediateRule {
    fn eq(&self, other: &ImmediateRule) -> bool {
        std::ptr::fn_addr_eq(self.0, other.0)
    }
}

impl Eq for ImmediateRule {}

impl fmt::Debug for ImmediateRule {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("ImmediateRule")
    }
}

/// A pass over one function.
pub trait FunctionPass: Send + Sync {
    /// Changes the function and says what it left as it was.
    ///
    /// # Errors
    /// When the function has something in it that cannot be compiled; that a pass finds nothing to do is no error.
    fn run(&self, function: &mut Function, cx: &mut PassCx<'_>) -> Result<Preserved, PassError>;
}

/// What a pass did.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Preserved {
    changed: bool,
    /// All analyses if nothing changed.
    kept: AnalysisSet,
}

impl Preserved {
    /// Nothing changed.
    pub fn unchanged() -> Preserved {
        Preserved {
            changed: false,
            kept: AnalysisSet::ALL,
        }
    }

    /// Something changed, and no analysis holds.
    pub fn none() -> Preserved {
        Preserved::with(AnalysisSet::NONE)
    }

    /// Instructions changed, but no block and no edge.
    pub fn cfg() -> Preserved {
        Preserved::with(AnalysisSet::CFG)
    }

    /// Something changed, and these analyses hold.
    pub fn with(kept: AnalysisSet) -> Preserved {
        Preserved { changed: true, kept }
    }

    /// Whether anything changed.
    #[inline]
    pub fn changed(self) -> bool {
        self.changed
    }

    /// The analyses that hold as before.
    #[inline]
    pub fn kept(self) -> AnalysisSet {
        self.kept
    }
}

/// Why a pass failed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PassError {
    /// What was found, where, and what was expected.
    pub message: String,
}

impl PassError {
    /// An error with this message.
    pub fn new(message: impl Into<String>) -> PassError {
        PassError {
            message: message.into(),
        }
    }
}

impl fmt::Display for PassError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.message)
    }
}

impl std::error::Error for PassError {}

/// How often passes fired: counts by pass and name, in the order in which they first occurred.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Statistics {
    rows: Vec<(&'static str, &'static str, u64)>,
}

impl Statistics {
    /// Adds to a count.
    pub fn add(&mut self, pass: &'static str, statistic: &'static str, amount: u64) {
        let row = self.rows.iter_mut().find(|row| row.0 == pass && row.1 == statistic);
        match row {
            Some(row) => row.2 += amount,
            None => self.rows.push((pass, statistic, amount)),
        }
    }

    /// Pass, name and count of each row.
    pub fn rows(&self) -> &[(&'static str, &'static str, u64)] {
        &self.rows
    }
}

/// What a worker keeps from pass to pass and from function to function.
#[derive(Debug, Default)]
pub struct PassState {
    /// Analyses of the function that is worked on.
    pub analyses: AnalysisCache,
    /// Counts of all functions so far.
    pub statistics: Statistics,
    scratch: ScratchPool,
}

impl PassState {
    /// Forgets the function before, and says how many instructions the next one has.
    pub fn begin_function(&mut self, instructions: usize) {
        self.analyses.clear();
        self.scratch.begin_function(instructions);
    }
}

/// The size of functions, in instructions, up to which work memory is kept from pass to pass. That of all passes
/// together is several times a function. In a large one, a pass takes so long that it hardly matters whether its memory
/// is new.
const KEPT_INSTRUCTIONS: usize = 2000;
/// How many pieces are kept for a large function: those that were given back last, what edits are collected in above
/// all, which one pass after the other takes.
const KEPT_PIECES: usize = 3;

/// Work memory that is used again and again, one piece for each type and each use at the same time.
#[derive(Debug, Default)]
pub struct ScratchPool {
    pieces: Vec<(TypeId, Box<dyn Any + Send>)>,
    /// Whether few pieces are kept, because the function is large.
    is_large: bool,
}

impl ScratchPool {
    /// Says how many instructions the next function has.
    pub fn begin_function(&mut self, instructions: usize) {
        self.is_large = instructions > KEPT_INSTRUCTIONS;
        self.free_older();
    }

    /// Work memory of this type: what was given back, as it was left, or new.
    pub fn take<T: Default + Send + 'static>(&mut self) -> Box<T> {
        let place = self.pieces.iter().rposition(|(id, _)| *id == TypeId::of::<T>());
        // The order stays that in which they were given back.
        let found = place.and_then(|place| self.pieces.remove(place).1.downcast().ok());
        found.unwrap_or_default()
    }

    /// Gives work memory back.
    pub fn give_back<T: Send + 'static>(&mut self, scratch: Box<T>) {
        self.pieces.push((TypeId::of::<T>(), scratch));
        self.free_older();
    }

    /// Frees the pieces that are not kept for a large function.
    fn free_older(&mut self) {
        if self.is_large {
            let freed = self.pieces.len().saturating_sub(KEPT_PIECES);
            self.pieces.drain(..freed);
        }
    }
}

/// What a pass is given besides the function.
pub struct PassCx<'a> {
    /// The module: symbols, attributes, data.
    pub module: &'a Module,
    /// What the module says about the function.
    pub head: &'a FunctionHead,
    /// What is known of the target.
    pub target: &'a TargetFacts,
    /// Analyses of the function.
    pub analyses: &'a AnalysisCache,
    pass: &'static str,
    statistics: &'a mut Statistics,
    scratch: &'a mut ScratchPool,
}

impl<'a> PassCx<'a> {
    /// What the pass of this name is given.
    pub fn new(
        pass: &'static str,
        module: &'a Module,
        head: &'a FunctionHead,
        target: &'a TargetFacts,
        state: &'a mut PassState,
    ) -> PassCx<'a> {
        PassCx {
            module,
            head,
            target,
            analyses: &state.analyses,
            pass,
            statistics: &mut state.statistics,
            scratch: &mut state.scratch,
        }
    }

    /// Work memory of this type: what a pass has returned, as it was left, or new.
    pub fn take_scratch<T: Default + Send + 'static>(&mut self) -> Box<T> {
        self.scratch.take()
    }

    /// Gives work memory back, for the next function and for other passes.
    pub fn return_scratch<T: Send + 'static>(&mut self, scratch: Box<T>) {
        self.scratch.give_back(scratch);
    }

    /// Adds to a count that `--stats` shows: how often the pass did something. Not for every instruction: a pass sums
    /// up and counts once.
    pub fn count(&mut self, statistic: &'static str, amount: u64) {
        if amount > 0 {
            self.statistics.add(self.pass, statistic, amount);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::text::parse_module;

    #[test]
    fn scratch_memory_comes_back_as_it_was_left_and_counts_add_up() {
        let (module, _) = parse_module("func @f() {\nb0: return\n}").expect("parses");
        let head = module.functions.values().next().expect("a function");
        let facts = TargetFacts {
            pointer_bits: 64,
            native_int_bits: 64,
            index_scales: 0,
            index_with_displacement: true,
            reaches_symbols: true,
            joins_comparisons: false,
            misprediction_cycles: 0,
            free_immediates: None,
            int_registers: 8,
            float_registers: 8,
        };
        let mut state = PassState::default();
        for run in 0..2 {
            let mut cx = PassCx::new("a-pass", &module, head, &facts, &mut state);
            let mut list: Box<Vec<u32>> = cx.take_scratch();
            assert_eq!(list.len(), run);
            list.push(1);
            let other: Box<Vec<u32>> = cx.take_scratch();
            assert!(other.is_empty(), "each has its own");
            cx.return_scratch(list);
            cx.count("removed", 2);
            cx.count("nothing", 0);
        }
        assert_eq!(state.statistics.rows(), [("a-pass", "removed", 4)]);
    }

    #[test]
    fn large_functions_leave_the_scratch_memory_that_was_given_back_last() {
        let mut pool = ScratchPool::default();
        for instructions in [KEPT_INSTRUCTIONS, KEPT_INSTRUCTIONS + 1] {
            pool.begin_function(instructions);
            for _ in 0..2 {
                let pieces: Vec<Box<Vec<u32>>> = (0..5).map(|_| pool.take()).collect();
                for (number, mut piece) in pieces.into_iter().enumerate() {
                    *piece = vec![number as u32];
                    pool.give_back(piece);
                }
            }
            let kept = if instructions > KEPT_INSTRUCTIONS {
                KEPT_PIECES
            } else {
                5
            };
            assert_eq!(pool.pieces.len(), kept);
            assert_eq!(*pool.take::<Vec<u32>>(), [4]);
        }
    }
}
