//! The cost model: what to do with a part that fits into no register as a whole.
//!
//! Method: a part without a register from some position on must be stored once and reloaded before its next
//! occurrence, at best in front of the loop that contains the occurrence. This cost, weighted by execution frequency
//! and divided by the distance to the next occurrence, is the *burden* of being without a register. The choice with
//! the smallest burden wins. Constants that can be rematerialized need no store, and their reload is cheaper; arguments
//! that have a home ([`super::homes`]) need no store, since their definition costs none.

use super::intervals::{Occurrence, Part, occ};
use super::occupancy::{Conflict, FIXED, NO_PART};
use super::positions::NONE;
use super::scan::{Choice, Scan};
use crate::error::CodegenError;
use crate::reg::{Reg, RegClass};
use frazil_ir::Refusal;

/// Costs in units of one load or store.
#[derive(Clone, Copy, Debug)]
struct Weights {
    /// The cost of rematerializing a constant.
    remat: f32,
    /// The cost of a memory operand, compared to a register.
    folded: f32,
    /// The cost of saving and restoring a callee-saved register.
    save_and_restore: f32,
}

/// Costs in execution time.
const SPEED: Weights = Weights {
    remat: 0.4,
    folded: 0.8,
    save_and_restore: 0.5,
};
/// Costs in code size: a reload has an opcode and an address, a memory operand only the address.
const SIZE: Weights = Weights {
    remat: 1.0,
    folded: 0.5,
    save_and_restore: 0.8,
};
/// Added to all distances, which are numbers of positions, so that very short ones do not dominate.
const NEAR: f32 = 8.0;
/// The burdens of a choice are multiplied by this if its register is hinted.
const HINTED: f32 = 0.9;
/// With more occurrences than this after the first call, spilling around calls is not considered.
const FEW: usize = 4;

/// The burden of the current part if it loses its register at `from`. Kept because it is the same for many registers,
/// namely those that are free up to the same call.
#[derive(Clone, Copy, Debug)]
struct Rest {
    from: u32,
    burden: f32,
}

impl Scan<'_> {
    fn weights(&self) -> &'static Weights {
        if self.input.for_size { &SIZE } else { &SPEED }
    }

    /// Chooses the cheapest way to treat a part for which no register is free throughout.
    pub(super) fn choose(&mut self, part: &Part, class: RegClass, mut set: u64) -> Result<Choice, CodegenError> {
        let at_start = self.at_start(part);
        let occs = self.intervals.occs_of(part);
        // An instruction that names it twice has one operand in memory at most.
        let must = at_start > 1 || occs[..at_start].iter().any(|o| !self.can_fold(part, o));
        let needed = if must { at_start } else { (at_start + 1).min(occs.len()) };
        let needed_end = occs[needed - 1].end;
        let mut best = None;
        let mut best_burden = f32::INFINITY;
        if !must {
            best = Some(Choice::Wait);
            best_burden = self.burden(part, at_start, part.from, part.from);
        }
        let mut rest = Rest {
            from: NONE,
            burden: 0.0,
        };
        while set != 0 {
            let reg = class.bank() as u8 * 64 + set.trailing_zeros() as u8;
            set &= set - 1;
            let Some((choice, burden)) = self.offer(part, reg, needed_end, best_burden, &mut rest) else {
                continue;
            };
            if burden < best_burden {
                (best, best_burden) = (Some(choice), burden);
            }
        }
        best.ok_or_else(|| {
            CodegenError::unsupported(
                Refusal::Instruction,
                "an instruction that needs more registers than there are",
            )
        })
    }

    /// The best choice that gives this register to a part, and its burden; `needed_end` is the position up to which a
    /// register is needed at least. `None` if the register is not free, or cannot be made free, that long. Evictions
    /// are not examined any further once they are known to be as bad as a burden of `best`.
    fn offer(&mut self, part: &Part, reg: u8, needed_end: u32, best: f32, rest: &mut Rest) -> Option<(Choice, f32)> {
        let limit = self.limit(reg).min(part.to);
        self.memory.occupancy.pass(self.intervals, usize::from(reg), part.from);
        let conflict = self.conflict(part, reg, NO_PART);
        let free = conflict.map_or(limit, |conflict| conflict.pos.min(limit));
        let saving =
            if self.input.callee_saved.contains(Reg(u32::from(reg))) && !self.given.contains(Reg(u32::from(reg))) {
                self.weights().save_and_restore / ((part.to - part.from) as f32 + NEAR)
            } else {
                0.0
            };
        let hint = if self.score(reg) > 0.0 { HINTED } else { 1.0 };
        let mut offer = None;
        if free >= needed_end {
            offer = Some((Choice::Until(reg, free), saving + self.rest_burden(part, free, rest)));
        }
        if let Some(conflict) = conflict
            && conflict.pos < limit
            && conflict.part != FIXED
            && let Some(victim_burden) = self.victim_burden(conflict.part, conflict.pos)
            && let burden = saving + victim_burden
            && burden * hint < best
        {
            let second = self.conflict(part, reg, conflict.part);
            let free = second.map_or(limit, |conflict| conflict.pos.min(limit));
            if free >= needed_end
                && let burden = burden + self.rest_burden(part, free, rest)
                && offer.is_none_or(|(_, other)| burden < other)
            {
                offer = Some((Choice::Evict(reg, conflict.part, conflict.pos, free), burden));
            }
        }
        offer.map(|(choice, burden)| (choice, burden * hint))
    }

    /// The position up to which a register is free for a part that starts at the scan's current position.
    pub(super) fn free_until(&self, part: &Part, reg: u8) -> u32 {
        let limit = self.limit(reg).min(part.to);
        let conflict = self.conflict(part, reg, NO_PART);
        conflict.map_or(limit, |conflict| conflict.pos.min(limit))
    }

    fn conflict(&self, part: &Part, reg: u8, ignored: u32) -> Option<Conflict> {
        let occupancy = &self.memory.occupancy;
        occupancy.first_conflict(self.intervals, part, usize::from(reg), ignored)
    }

    /// The burden of the current part if it loses its register at `limit`; `known` is that of the previous register.
    fn rest_burden(&self, part: &Part, limit: u32, known: &mut Rest) -> f32 {
        if limit >= part.to {
            return 0.0;
        }
        if limit != known.from {
            *known = Rest {
                from: limit,
                burden: self.burden(part, self.kept_before(part, limit), limit, limit),
            };
        }
        known.burden
    }

    /// The burden of evicting a part from its register at a position; `None` if the part must be in it there.
    fn victim_burden(&mut self, number: u32, pos: u32) -> Option<f32> {
        let before = self.intervals.count_begun(number, pos);
        let part = &self.intervals.parts[number as usize];
        if before > 0 && self.intervals.occs_of(part)[before - 1].end > pos {
            return None;
        }
        Some(self.burden(part, before, pos, self.victim_cut(part, before, pos)))
    }

    /// The burden of a part that has no register from `pos` to its occurrence number `next`: the cost of the store (at
    /// `cut`) and the reload, divided by the distance. See the head comment.
    fn burden(&self, part: &Part, next: usize, pos: u32, cut: u32) -> f32 {
        let bundle = &self.intervals.bundles[part.bundle as usize];
        let occs = self.intervals.occs_of(part);
        let weights = self.weights();
        let load_cost = |o: Option<&Occurrence>| match o {
            _ if bundle.is_remat() => weights.remat,
            Some(o) if self.can_fold(part, o) => weights.folded,
            _ => 1.0,
        };
        let (mut load, mut end) = match occs.get(next) {
            Some(o) if o.has(occ::USE) => {
                let freq = self.positions.freq_at(self.comes_back(o, pos));
                (freq * load_cost(Some(o)), o.pos)
            }
            Some(o) => (0.0, o.pos),
            None => (0.0, part.to),
        };
        if let Some(last) = next.checked_sub(1).map(|index| occs[index].pos)
            && let Some(blocks) = self.positions.common_loop(last, pos)
            && part.from <= self.positions.start(blocks.start)
            && end >= self.positions.start(blocks.end)
            && self
                .intervals
                .range_at(part.bundle, self.positions.start(blocks.end) - 1)
                .is_some()
        {
            // If the part is live throughout the loop, it would be reloaded on the back edge to the header.
            load += self.positions.freq(blocks.start) * load_cost(None);
            end = self.positions.start(blocks.end);
        }
        if let Some(definition) = self.unused_load(part, next) {
            load = (load - definition).max(0.0);
        }
        let store = if bundle.is_remat() || bundle.spilled {
            0.0
        } else {
            bundle.def_cost.min(self.positions.freq_at(cut))
        };
        (load + store + 0.001) / ((end.max(pos) - pos) as f32 + NEAR)
    }

    /// What is saved if a part is in its slot from before its occurrence number `next` on, and is then not loaded at
    /// all, because it is an argument that has a home.
    fn unused_load(&self, part: &Part, next: usize) -> Option<f32> {
        let definition = self.intervals.occs_of(part).first()?;
        let is_unused =
            next == 1 && definition.has(occ::DEF) && self.intervals.bundles[part.bundle as usize].home.is_some();
        is_unused.then(|| self.positions.freq_at(definition.pos))
    }

    /// Whether it is cheaper to spill a part around the calls in its live range than to save a callee-saved register
    /// for it.
    pub(super) fn is_cheap_around_calls(&self, part: &Part) -> bool {
        let bundle = &self.intervals.bundles[part.bundle as usize];
        let limit = self.memory.first_limit();
        let occs = self.intervals.occs_of(part);
        let kept = self.kept_before(part, limit);
        let after = &occs[kept..];
        if limit == u32::MAX || after.len() > FEW {
            return false;
        }
        let loads: f32 = after.iter().map(|o| self.positions.freq_at(o.pos)).sum();
        let weights = self.weights();
        let cost = if bundle.is_remat() {
            loads * weights.remat
        } else if bundle.spilled {
            loads
        } else {
            loads + bundle.def_cost
        };
        let cost = cost - self.unused_load(part, kept).unwrap_or(0.0);
        cost < weights.save_and_restore
    }
}
