//! The choice of what gets a home register, after the walk: the heaviest first.

use super::facts::{Analysis, Mark};
use super::homes::{Candidate, Home, HomeOwner, Homes, MIN_WEIGHT};
use crate::isa::Isa;
use crate::parts::Parts;
use crate::reg::{PRegSet, Reg};
use frazil_ir::{EntityRef, Function, SlotId, Type, ValueKind};
use frazil_support::sort::sort_by_unique_key;

/// Only this many candidates are examined, the heaviest ones.
const MAX_CANDIDATES: usize = 256;

impl Analysis {
    /// The weight of one use at a layout position: 8 to the power of the loop depth, which counts up to 5.
    #[inline]
    pub(super) fn weight_at(&self, position: u32) -> u32 {
        let depth = self.layout.loops[self.layout.loop_at[position as usize] as usize].depth;
        1 << (3 * depth.min(5))
    }

    /// Chooses the owners of home registers after the walk.
    pub(super) fn choose_homes<I: Isa>(&mut self, isa: &I, function: &Function) {
        if self.calls_returning_twice || self.claims_homes {
            return;
        }
        let mut homes = std::mem::take(&mut self.homes);
        self.gather(isa, function, &mut homes);
        sort_by_unique_key(&mut homes.candidates, |c| (std::cmp::Reverse(c.weight), c.owner));
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
            let total = function.use_count(function.slots()[index].address);
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
            let live = self.values[value.index()].live;
            let parts = isa.parts(function.types(), data.ty);
            let crosses = live.last() != live.def || live.is_live_out(live.def);
            if parts.count != 1
                || parts.is_wide_vector()
                || !crosses
                || matches!(data.kind, ValueKind::Slot | ValueKind::Forward)
                || self.values[value.index()].mark == Mark::Place
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

/// Whether accesses of this type cover a slot's contents as one register, without going beyond the slot.
fn fits<I: Isa>(isa: &I, function: &Function, slot: SlotId, ty: Type) -> bool {
    let parts = isa.parts(function.types(), ty);
    parts.count == 1 && u64::from(parts.bytes) <= function.slots()[slot.index()].size
}

fn owner_parts<I: Isa>(isa: &I, function: &Function, homes: &Homes, owner: HomeOwner) -> Parts {
    let ty = match owner {
        HomeOwner::Value(value) => function.value(value).ty,
        HomeOwner::Slot(slot) => homes.slots[slot.index()].ty,
    };
    isa.parts(function.types(), ty)
}
