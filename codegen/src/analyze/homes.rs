//! Home registers: a few values and stack slots keep one register for their whole live range. This module has the
//! weights that the analysis walk collects; [`super::home_choice`] makes the choice.
//!
//! The fast context keeps values in memory across block boundaries, which is expensive in loops. So the walk sums up,
//! weighted by loop depth, the uses of each value outside of its block and the loads and stores of each stack slot.
//! The heaviest get one of the registers that the target reserves for this purpose. These are callee-saved, so calls
//! preserve them.
//!
//! A stack slot qualifies if its address is used by nothing but loads and stores of the whole slot with one type. Its
//! memory is then invisible to everyone else and is not allocated at all. Two owners may share a register if their
//! intervals of layout positions do not overlap; the interval of a slot is the whole function.
//!
//! A function that calls something that returns twice (`setjmp`) has no home registers: the second return restores
//! register contents from the time of the first.

use crate::reg::{PRegSet, Reg};
use frazil_ir::{EntityRef, Function, InstData, MemFlags, SlotId, Type, Value};

/// How a stack slot is used.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct SlotUse {
    /// The sum of the weights of its loads and stores.
    pub(super) weight: u32,
    /// The number of loads and stores that qualify: all must, for the slot to get a home register.
    pub(super) accesses: u32,
    pub(super) ty: Type,
}

/// A value or slot that may get a home register; `first` and `last` are layout positions.
#[derive(Clone, Copy, Debug)]
pub(super) struct Candidate {
    pub(super) weight: u32,
    pub(super) owner: HomeOwner,
    pub(super) first: u32,
    pub(super) last: u32,
}

/// The owner of a home register.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum HomeOwner {
    Value(Value),
    Slot(SlotId),
}

/// A home register and its owner, from layout position `first` to `last`.
#[derive(Clone, Copy, Debug)]
pub struct Home {
    pub reg: Reg,
    pub owner: HomeOwner,
    pub(super) last: u32,
    pub(super) first: u32,
}

impl Home {
    /// Whether the register is the owner's at a layout position; and whether that is the first one, where it may not be
    /// so from the beginning on.
    pub fn holds_at(&self, position: u32) -> (bool, bool) {
        ((self.first..=self.last).contains(&position), position == self.first)
    }
}

/// An owner of less weight does not pay for saving and restoring a register.
pub(super) const MIN_WEIGHT: u32 = 6;

/// The choice of home registers and what it is based on; the memory is kept from function to function.
#[derive(Debug, Default)]
pub struct Homes {
    pub chosen: Vec<Home>,
    /// The home registers that were given.
    pub regs: PRegSet,
    /// Registers that must not become home registers in this function.
    pub(super) excluded: PRegSet,
    pub(super) slots: Vec<SlotUse>,
    pub(super) weights: Vec<u32>,
    pub(super) candidates: Vec<Candidate>,
    pub(super) heavy: Vec<Value>,
}

impl Homes {
    /// Starts a function.
    pub(super) fn reset(&mut self, function: &Function) {
        self.chosen.clear();
        self.regs = PRegSet::EMPTY;
        self.slots.clear();
        self.slots.resize(function.slots().len(), SlotUse::default());
        self.weights.clear();
        self.weights.resize(function.values().len(), 0);
        self.heavy.clear();
    }

    /// Adds to the weight of a value, and makes the value a candidate when it is heavy enough.
    #[inline]
    pub(super) fn add(&mut self, value: Value, weight: u32) {
        let sum = &mut self.weights[value.index()];
        let before = *sum;
        *sum = before.saturating_add(weight);
        if before < MIN_WEIGHT && *sum >= MIN_WEIGHT {
            self.heavy.push(value);
        }
    }

    /// Counts a load or store of a whole slot.
    #[inline]
    pub(super) fn note_access(&mut self, slot: SlotId, data: &InstData, weight: u32) {
        let uses = &mut self.slots[slot.index()];
        if MemFlags(data.flags).is_volatile() || (uses.accesses > 0 && uses.ty != data.ty) {
            return;
        }
        uses.ty = data.ty;
        uses.accesses += 1;
        uses.weight = uses.weight.saturating_add(weight);
    }
}
