//! The validator of machine passes: proves that the code after a pass does what the code before it did.
//!
//! It shares nothing with the passes and knows nothing of how they decide. Both functions are walked at the same time
//! and carried out on terms ([`terms`], [`machine`]):
//!
//! ```text
//!            before                      after
//!   node  b3, inst 12                 b2, inst 9        what is live: rax = t7, slot[-8] = t9    rbx = t7 ...
//!           | events e1 e2              | events e1 e2   equal operands, the same order
//!           v                           v
//!         branch on t30               branch on t30      equal, or opposite with edges exchanged
//!          /        \                  /        \
//!   node (b4, b3)   node (b7, b9)                        each with what the walks left
//! ```
//!
//! * A *node* is a position in each function and what is known there. It lies where paths meet or part in either of the
//!   two, so that a block that was cut, copied, merged or led past needs no description by the pass.
//! * An *event* is what can be seen from outside or may stop the program: a load, a store, a call, a return, an
//!   instruction that nothing is known of. Both walks must come to the same events in the same order with equal
//!   operands. What an event leaves is a symbol of the node and the event's number, so that it is the same in both.
//! * Spill slots are places like registers; any other memory is only touched by events.
//! * Where paths meet, places of either function hold the same if they do on every path: those get a symbol in common
//!   (partitions of places, refined until nothing changes: B. Alpern, M. Wegman, F. Zadeck, "Detecting equality of
//!   variables in programs", 1988, over both functions at once).
//!
//! Where the code before leaves something undefined or insignificant (contract 1, a register that nothing has written,
//! a phi without a move), the code after may have anything, and something else at each use (`terms/refine.rs`).
//!
//! What is significant for an event before must be so after: a register whose upper half a plain copy or reload left
//! is not taken for one that was extended, even if the machine happens to clear it (contract 9).
//!
//! Terms that are not the same are a fault only if values of their symbols are found that tell them apart
//! (`terms/evaluate.rs`). Without such values, or where less is known of merged paths than holds, the result is
//! unproved.
//!
//! What it does not prove: that something undefined is the same at two uses, not even if it was frozen; that a register
//! is significant after all of the paths that meet, if it is after one; that the code before was right, where the
//! frame puts its parts, what prologue and epilogue do, encodings, and what encoders and linkers' code do to registers
//! that are never allocated. Accesses of memory are not reordered or removed by any pass, so a pass that does so is
//! refuted even where it would be right.
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

use crate::mfunc::MFunc;
use crate::pass::MachHooks;
use product::Product;
use values::Side;

/// What became of a proof.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Verdict {
    /// The code after does what the code before did.
    Proved,
    /// It does not, or in a way that no pass is meant to.
    Refuted(TranslationFault),
    /// It could not be found out: something could not be followed, or values differ that are only known by what paths
    /// bring to where they meet, of which too little may be known.
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

    /// Compares the function that was kept with what a pass has made of it.
    pub fn compare(&mut self, after: &MFunc, is_allocated: bool, hooks: &dyn MachHooks) -> Verdict {
        self.terms.clear();
        let (desc, ops) = (hooks.desc(), hooks.ops());
        let sides = [
            Side::new(&self.before, desc, ops, 0, self.is_before_allocated),
            Side::new(after, desc, ops, 1, is_allocated),
        ];
        if let Err(fault) = sides.iter().try_for_each(frames::check) {
            return Verdict::Refuted(fault);
        }
        self.product.compare(sides, hooks.meaning(), &mut self.terms)
    }
}
