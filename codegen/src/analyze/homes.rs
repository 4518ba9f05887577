//! Home registers: a few values and stack slots keep one register for their whole life.
//!
//! Across blocks the fast context keeps values in memory; for what loops touch most, that costs dearly. The walk adds
//! up, by loop depth, how often each value is used outside its block and how often each stack slot is loaded and
//! stored; the heaviest get one of the registers that the target offers for this (they are callee-saved, so that calls
//! leave them alone). A slot qualifies when its address is only loaded from and stored to, always whole and with one
//! type: then nobody else can see its memory, and there is none. Two owners may share a register when their intervals
//! of layout positions do not meet; a slot's interval is the whole function.
//!
//! A function that calls something returning twice has no homes: a jump back would restore old register contents.

use super::{Analysis, Mark};
use crate::isa::{Isa, Parts};
use crate::reg::{PRegSet, Reg};
use frazil_ir::{EntityRef, Function, InstData, MemFlags, Opcode, Operand, SlotId, Type, Value, ValueKind};

/// How slots are used.
#[derive(Clone, Copy, Debug, Default)]
struct SlotUse {
    /// Loads and stores, weighted.
    weight: u32,
    /// Loads and stores that qualify, counted.
    accesses: u32,
    /// Their type.
    ty: Type,
}

#[derive(Clone, Copy, Debug)]
struct Candidate {
    weight: u32,
    owner: HomeOwner,
    first: u32,
    last: u32,
}

/// What has a home.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum HomeOwner {
    /// A value.
    Value(Value),
    /// A stack slot.
    Slot(SlotId),
}

/// A register given to a value or slot.
#[derive(Clone, Copy, Debug)]
pub struct Home {
    /// The register.
    pub reg: Reg,
    /// Whose it is.
    pub owner: HomeOwner,
    last: u32,
    first: u32,
}

/// Less weight than this does not pay for saving and restoring the register.
const MIN_WEIGHT: u32 = 6;
/// At most this many candidates are looked at.
const MAX_CANDIDATES: usize = 256;

/// The state of the choice, kept from function to function.
#[derive(Debug, Default)]
pub struct Homes {
    /// The homes of the function.
    pub chosen: Vec<Home>,
    /// The registers among them.
    pub regs: PRegSet,
    /// Registers that are not to be homes.
    pub(super) excluded: PRegSet,
    slots: Vec<SlotUse>,
    weights: Vec<u32>,
    candidates: Vec<Candidate>,
    heavy: Vec<Value>,
}

impl Homes {
    /// Starts a function.
    pub(super) fn reset(&mut self, function: &Function) {
        self.chosen.clear();
        self.regs = PRegSet::EMPTY;
        self.slots.clear();
        self.slots.resize(function.slots.len(), SlotUse::default());
        self.weights.clear();
        self.weights.resize(function.values.len(), 0);
        self.heavy.clear();
    }

    /// Adds to the weight of a value.
    #[inline]
    pub(super) fn add(&mut self, value: Value, weight: u32) {
        let sum = &mut self.weights[value.index()];
        let before = *sum;
        *sum = before.saturating_add(weight);
        if before < MIN_WEIGHT && *sum >= MIN_WEIGHT {
            self.heavy.push(value);
        }
    }

    /// Counts a load from or store to a slot.
    #[inline]
    pub(super) fn note_access(&mut self, function: &Function, data: &InstData, weight: u32) {
        let pointer = match data.op {
            Opcode::Load => data.a,
            Opcode::Store => data.b,
            _ => return,
        };
        let Some(slot) = slot_behind(function, pointer) else {
            return;
        };
        let uses = &mut self.slots[slot.index()];
        if MemFlags(data.flags).is_volatile() || (uses.accesses > 0 && uses.ty != data.ty) {
            return;
        }
        uses.ty = data.ty;
        uses.accesses += 1;
        uses.weight = uses.weight.saturating_add(weight);
    }
}

/// The slot whose address an operand is.
#[inline]
fn slot_behind(function: &Function, pointer: Operand) -> Option<SlotId> {
    function.slot_of(pointer.as_value()?)
}

impl Analysis {
    /// What one use at a layout position weighs.
    #[inline]
    pub(super) fn weight_at(&self, position: u32) -> u32 {
        let depth = self.layout.loops[self.layout.loop_at[position as usize] as usize].depth;
        1 << (3 * depth.min(5))
    }

    /// Chooses the homes, after the walk.
    pub(super) fn choose_homes<I: Isa>(&mut self, isa: &I, function: &Function) {
        if self.calls_returning_twice || self.claims_homes {
            return;
        }
        let mut homes = std::mem::take(&mut self.homes);
        self.gather(isa, function, &mut homes);
        homes
            .candidates
            .sort_unstable_by_key(|c| (std::cmp::Reverse(c.weight), c.owner));
        homes.candidates.truncate(MAX_CANDIDATES);
        for index in 0..homes.candidates.len() {
            let candidate = homes.candidates[index];
            let parts = owner_parts(isa, function, &homes, candidate.owner);
            let offered = isa
                .desc()
                .home_registers
                .minus(homes.excluded)
                .bank(usize::from(parts.float));
            let taken = homes
                .chosen
                .iter()
                .filter(|home| home.first <= candidate.last && candidate.first <= home.last);
            let taken = taken.fold(PRegSet::EMPTY, |mut set, home| {
                set.insert(home.reg);
                set
            });
            let free = offered & !taken.bank(usize::from(parts.float));
            if free == 0 || (parts.float && self.has_calls) {
                continue;
            }
            let reg = Reg::physical(u8::from(parts.float), free.trailing_zeros() as u8);
            let Candidate { owner, first, last, .. } = candidate;
            homes.chosen.push(Home {
                reg,
                owner,
                first,
                last,
            });
            homes.regs.insert(reg);
        }
        self.homes = homes;
    }

    fn gather<I: Isa>(&self, isa: &I, function: &Function, homes: &mut Homes) {
        homes.candidates.clear();
        let end = self.layout.order.len() as u32 - 1;
        for (index, uses) in homes.slots.iter().enumerate() {
            let slot = SlotId::new(index);
            let total = function.uses[function.slots[index].address.index()];
            if uses.weight < MIN_WEIGHT || uses.accesses != total || !fits(isa, function, slot, uses.ty) {
                continue;
            }
            let owner = HomeOwner::Slot(slot);
            homes.candidates.push(Candidate {
                weight: uses.weight,
                owner,
                first: 0,
                last: end,
            });
        }
        for &value in &homes.heavy {
            let data = function.value(value);
            let live = self.live[value.index()];
            let parts = isa.parts(&function.types, data.ty);
            let crosses = live.last() != live.def || live.is_live_out(live.def);
            if parts.count != 1
                || !crosses
                || matches!(data.kind, ValueKind::Slot | ValueKind::Forward)
                || self.marks[value.index()] == Mark::Place
            {
                continue;
            }
            let (weight, owner) = (homes.weights[value.index()], HomeOwner::Value(value));
            homes.candidates.push(Candidate {
                weight,
                owner,
                first: live.def,
                last: live.last(),
            });
        }
    }
}

/// Whether a slot's whole contents is one register.
fn fits<I: Isa>(isa: &I, function: &Function, slot: SlotId, ty: Type) -> bool {
    let parts = isa.parts(&function.types, ty);
    parts.count == 1 && u64::from(parts.bytes) <= function.slots[slot.index()].size
}

fn owner_parts<I: Isa>(isa: &I, function: &Function, homes: &Homes, owner: HomeOwner) -> Parts {
    let ty = match owner {
        HomeOwner::Value(value) => function.value(value).ty,
        HomeOwner::Slot(slot) => homes.slots[slot.index()].ty,
    };
    isa.parts(&function.types, ty)
}
