//! What the scan does with a part that fits into no register as a whole.
//!
//! Method: whoever is without a register from a position on must be loaded again before its next occurrence, at best
//! before the loop that the occurrence is in, and must have been stored once. That cost, weighted by how often the
//! places are executed, divided by the distance to the next occurrence, is the burden of being without a register; the
//! choice with the smallest burden wins. Constants that are computed again cost no store and less to load.

use super::intervals::{Occurrence, Part, occ};
use super::occupancy;
use super::positions::NONE;
use super::scan::{Choice, Scan};
use crate::error::CodegenError;
use crate::reg::{Reg, RegClass};

/// What computing a constant again costs, if a load costs one.
const REMAT: f32 = 0.4;
/// What an operand in memory costs.
const FOLDED: f32 = 0.8;
/// What saving and restoring a register costs.
const SAVE_AND_RESTORE: f32 = 0.5;
/// Added to distances, in positions, so that short ones do not count too much.
const NEAR: f32 = 8.0;
/// How much of a burden a good hint takes away.
const HINTED: f32 = 0.9;
/// How many occurrences behind a call are looked at.
const FEW: usize = 4;

impl Scan<'_> {
    /// Chooses what happens with a part that fits nowhere.
    pub(super) fn choose(&mut self, part: &Part, class: RegClass) -> Result<Choice, CodegenError> {
        let at_start = self.at_start(part);
        let occs = self.intervals.occs_of(part);
        let must = occs[..at_start].iter().any(|o| !self.can_fold(part, o));
        let needed = if must { at_start } else { (at_start + 1).min(occs.len()) };
        let needed_end = occs[needed - 1].end;
        let mut best = None;
        let mut best_burden = f32::INFINITY;
        if !must {
            best = Some(Choice::Wait);
            best_burden = self.burden(part, at_start, part.from, part.from);
        }
        let mut set = self.registers(class);
        while set != 0 {
            let reg = class as u8 * 64 + set.trailing_zeros() as u8;
            set &= set - 1;
            let Some((choice, burden)) = self.offer(part, reg, needed_end) else {
                continue;
            };
            if burden < best_burden {
                (best, best_burden) = (Some(choice), burden);
            }
        }
        best.ok_or_else(|| CodegenError::unsupported("an instruction that needs more registers than there are"))
    }

    /// The best use of a register for a part, and its burden.
    fn offer(&mut self, part: &Part, reg: u8, needed_end: u32) -> Option<(Choice, f32)> {
        let limit = self.limit(reg).min(part.to);
        let list = &mut self.memory.taken[usize::from(reg)];
        occupancy::pass(list, part.from);
        let list = &self.memory.taken[usize::from(reg)];
        let conflict = occupancy::first_conflict(list, self.intervals, part, NONE - 1);
        let free = conflict.map_or(limit, |conflict| conflict.pos.min(limit));
        let saving =
            if self.input.callee_saved.contains(Reg(u32::from(reg))) && !self.given.contains(Reg(u32::from(reg))) {
                SAVE_AND_RESTORE / ((part.to - part.from) as f32 + NEAR)
            } else {
                0.0
            };
        let mut offer = None;
        if free >= needed_end {
            offer = Some((Choice::Until(reg, free), saving + self.rest_burden(part, free)));
        }
        if let Some(conflict) = conflict
            && conflict.pos < limit
            && conflict.part != occupancy::FIXED
            && let Some(victim_burden) = self.victim_burden(conflict.part, conflict.pos)
        {
            let second = occupancy::first_conflict(list, self.intervals, part, conflict.part);
            let free = second.map_or(limit, |conflict| conflict.pos.min(limit));
            let burden = saving + victim_burden + self.rest_burden(part, free);
            if free >= needed_end && offer.is_none_or(|(_, other)| burden < other) {
                offer = Some((Choice::Evict(reg, conflict.part, conflict.pos, free), burden));
            }
        }
        let hint = if self.score(reg) > 0.0 { HINTED } else { 1.0 };
        offer.map(|(choice, burden)| (choice, burden * hint))
    }

    /// The burden of a part that loses its register at `limit`.
    fn rest_burden(&self, part: &Part, limit: u32) -> f32 {
        if limit >= part.to {
            return 0.0;
        }
        self.burden(part, self.kept_before(part, limit), limit, limit)
    }

    /// The burden of taking the register from a part, if that is possible.
    fn victim_burden(&self, number: u32, pos: u32) -> Option<f32> {
        let part = &self.intervals.parts[number as usize];
        let occs = self.intervals.occs_of(part);
        let before = occs.partition_point(|o| o.pos <= pos);
        if before > 0 && occs[before - 1].end > pos {
            return None;
        }
        Some(self.burden(part, before, pos, self.victim_cut(part, pos)))
    }

    /// What it costs that a part is without a register from `pos` to its occurrence `next`, by distance.
    fn burden(&self, part: &Part, next: usize, pos: u32, cut: u32) -> f32 {
        let bundle = &self.intervals.bundles[part.bundle as usize];
        let occs = self.intervals.occs_of(part);
        let load_cost = |o: Option<&Occurrence>| match o {
            _ if bundle.is_remat() => REMAT,
            Some(o) if self.can_fold(part, o) => FOLDED,
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
            // It would be loaded again on the way back to the loop's header.
            load += self.positions.freq(blocks.start) * load_cost(None);
            end = self.positions.start(blocks.end);
        }
        let store = if bundle.is_remat() || bundle.spilled {
            0.0
        } else {
            bundle.def_cost.min(self.positions.freq_at(cut))
        };
        (load + store + 0.001) / ((end.max(pos) - pos) as f32 + NEAR)
    }

    /// Whether a part that lives over calls costs less stored around them than a register that must be saved.
    pub(super) fn is_cheap_around_calls(&self, part: &Part) -> bool {
        let bundle = &self.intervals.bundles[part.bundle as usize];
        let limit = self.memory.first_limit();
        let occs = self.intervals.occs_of(part);
        let behind = &occs[self.kept_before(part, limit)..];
        if limit == u32::MAX || behind.len() > FEW {
            return false;
        }
        let loads: f32 = behind.iter().map(|o| self.positions.freq_at(o.pos)).sum();
        let cost = if bundle.is_remat() {
            loads * REMAT
        } else if bundle.spilled {
            loads
        } else {
            loads + bundle.def_cost
        };
        cost < SAVE_AND_RESTORE
    }
}
