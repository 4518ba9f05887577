//! What LLVM 3.0 to 3.7 wrote and later versions did not, read by LLVM's own rules; what LLVM 22 refuses is refused.
//!
//! Most differences are where the same things are read in other versions: forms of records of types, constants, symbols
//! ([`super::globals`]), attributes ([`super::attributes`]), metadata ([`super::metadata`]), and intrinsics with other
//! arguments. What is not there at all any more:
//!
//! * Up to 3.1, operands of instructions are numbers of values and not distances to them (version 0 of the module).
//! * Up to 3.6, most records do not say what is accessed: it is what the pointer points to. The reader does not know
//!   that of each address, because no later version asks. A body with such records is read once more, with the types of
//!   all addresses tracked ([`crate::builder::pointers`]), and so are all after it.
//! * Instructions in records of their own for what others have flags for (`body::old_instructions`).
//! * Switches with ranges of values, which a version between 3.2 and 3.3 wrote (`body::ranges`).
//! * Up to 3.6, landing pads said who unwinds, and not functions (`open`).
//! * Up to 3.4, comdats were implied by the linkage (`comdats`).

use frazil_ir::SymbolId;
use frazil_ir::included::RARE;

/// What is known of old forms of records, from function to function.
#[derive(Debug, Default)]
pub(super) struct OldForms {
    /// Whether the types of addresses are tracked.
    is_tracking: bool,
    /// Whether a record has asked what an address points to that was not tracked.
    pub(super) wants_tracking: bool,
    /// Whether it is only wanted who unwinds the function.
    pub(super) finds_personality: bool,
    pub(super) personality: Option<SymbolId>,
}

impl OldForms {
    /// Whether the types of addresses are tracked.
    #[inline]
    pub(super) fn is_tracking(&self) -> bool {
        RARE && self.is_tracking
    }

    /// Whether types are tracked from now on, because a record has asked for it.
    #[inline]
    pub(super) fn begins_to_track(&mut self) -> bool {
        let begins = self.wants_tracking && !self.is_tracking;
        self.is_tracking |= begins;
        self.wants_tracking = false;
        begins
    }
}
