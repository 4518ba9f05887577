//! The validator of machine passes (translation validation): proves that the code after a pass does what the code
//! before it did.
//!
//! It shares nothing with the passes and knows nothing of how they decide. Both functions are executed symbolically,
//! in lockstep, over terms ([`terms`], [`machine`]):
//!
//! ```text
//!            before                      after
//!   node  b3, inst 12                 b2, inst 9        what is live: rax = t7, slot[-8] = t9    rbx = t7 ...
//!           | events e1 e2              | events e1 e2   equal operands, the same order
//!           v                           v
//!         branch on t30               branch on t30      equal, or opposite with edges exchanged
//!          /        \                  /        \
//!   node (b4, b3)   node (b7, b9)                        each with the state that the walks have reached
//! ```
//!
//! * A *node* is a pair of positions, one in each function, and what is known there. Nodes are where paths merge or
//!   split in either function, so a pass need not describe which blocks it has split, duplicated, merged or bypassed.
//! * An *event* is something that can be observed from outside or may stop the program: a load, a store, a call, a
//!   return, an instruction without known semantics. Both walks must reach the same events in the same order with
//!   equal operands. The result of an event is a symbol, identified by node and number of the event, so it is the same
//!   in both.
//! * Spill slots are places like registers; any other memory is accessed by events only, but for the places of
//!   arguments to which neither function writes: these hold the same at all times, and may be read at any.
//! * Where paths merge, places hold the same if they do so on every path. The state is a partition of the places of
//!   both functions into classes of equal contents, refined to a fixpoint (`merge.rs`; after B. Alpern, M. Wegman, F.
//!   Zadeck, "Detecting equality of variables in programs", 1988).
//!
//! Where the code before leaves something undefined or insignificant (contract 1, a register that was never written, a
//! phi without a move), the code after may have anything, and something different at each use (`terms/refine.rs`).
//!
//! What is significant for an event before must be so after: a register whose upper half a plain copy or reload left
//! is not accepted as an extended one, even if the machine happens to clear it (contract 9).
//!
//! Unequal terms are a fault only if values of their symbols are found for which they differ (`terms/evaluate.rs`).
//! Without such values, or if more may hold at a merge than is known there, the result is "unproved".
//!
//! Not proved: that something undefined is the same at two uses, not even if it was frozen; that a register is
//! significant after a merge if it is so on one path only; that the code before was right, where the frame puts its
//! parts, what prologue and epilogue do, encodings, and what encoders and linkers' code do to registers that are never
//! allocated. No pass reorders or removes memory accesses, so one that does is refuted even where it would be right.
//!
//! After A. Pnueli, M. Siegel, E. Singerman, "Translation validation" (1998), and G. Necula, "Translation validation
//! for an optimizing compiler" (2000).

mod fault;
mod frames;
mod live;
pub mod machine;
mod merge;
mod product;
pub mod terms;
mod values;
mod walk;

pub use fault::TranslationFault;
pub use machine::{Contents, Machine, Meaning, NoMeaning};
pub use terms::{Bitwise, FunctionKey, Term, Terms, function};

use super::homes::WrittenPlaces;
use crate::desc::OpDesc;
use crate::mfunc::MFunc;
use crate::pass::MachPassCx;
use product::Product;
use values::{Side, followed_bytes};

/// What became of a proof.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Verdict {
    /// The code after does what the code before did.
    Proved,
    /// It does not, or it may be right but is nothing that a pass is meant to do (reordered memory accesses, for
    /// example).
    Refuted(TranslationFault),
    /// Neither was shown: an instruction could not be followed, or all terms that differ contain symbols for values at
    /// merges, of which the validator may know too little, or no values were found that tell them apart.
    Unproved(TranslationFault),
}

/// The validator with its memory, kept from function to function.
#[derive(Debug, Default)]
pub struct Validator {
    before: MFunc,
    is_before_allocated: bool,
    terms: Terms,
    product: Product,
}

impl Validator {
    /// Keeps a function as it is before a pass.
    pub fn keep(&mut self, func: &MFunc, is_allocated: bool) {
        self.before.clone_from(func);
        self.is_before_allocated = is_allocated;
    }

    /// Compares the function that was kept with what a pass has made of it; `cx` is what the pass got.
    pub fn compare(&mut self, after: &MFunc, cx: &MachPassCx<'_>) -> Verdict {
        self.terms.clear();
        let (hooks, is_allocated) = (cx.hooks, cx.is_allocated);
        let (desc, ops) = (hooks.desc(), hooks.ops());
        let homes = kept_places(&self.before, after, ops);
        let bytes = followed_bytes(desc, ops, [&self.before, after]);
        let sides = [
            Side::new(&self.before, desc, ops, &homes, 0, self.is_before_allocated, bytes),
            Side::new(after, desc, ops, &homes, 1, is_allocated, bytes),
        ];
        if let Err(fault) = sides.iter().try_for_each(frames::check) {
            return Verdict::Refuted(fault);
        }
        // Many passes find nothing to do in most functions.
        if self.before == *after && self.is_before_allocated == is_allocated {
            return Verdict::Proved;
        }
        self.product
            .compare(sides, hooks.meaning(), cx.constants, &mut self.terms)
    }
}

/// The places of arguments to which neither of two functions writes.
fn kept_places(before: &MFunc, after: &MFunc, ops: &'static [OpDesc]) -> Vec<(i32, u8)> {
    let mut places = before.argument_places.clone();
    if places != after.argument_places {
        places.clear();
    }
    if places.is_empty() {
        return places;
    }
    let mut written = WrittenPlaces::default();
    for func in [before, after] {
        written.find(func, ops);
        places.retain(|&(place, bytes)| !written.has_part_of(place, bytes));
    }
    places
}
