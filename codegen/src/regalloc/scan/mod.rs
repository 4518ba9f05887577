//! The linear scan: assigns a register, or the bundle's spill slot, to each part of each bundle.
//!
//! Method: parts are processed in the order of their starts (Wimmer and Mössenböck, "Optimized Interval Splitting in a
//! Linear Scan Register Allocator"). If some register is free for the whole part, it is assigned, hinted registers
//! first. Otherwise the cheapest of three choices is made ([`super::cost`]):
//!
//! * Take a register up to the first conflict, and split the part there.
//! * Evict another part from its register at this position, and split that one.
//! * Stay in the spill slot.
//!
//! What is split off waits in the slot and becomes a new part that starts before its next occurrence (second-chance
//! allocation).
//!
//! Invariant: a part that is reloaded starts after the position at which it was split off, so the scan terminates.

mod settle;

use super::AllocatorInput;
use super::intervals::{Bundle, Intervals, NO_PLACE, Occurrence, Part, SLOT, count_first, occ};
use super::occupancy::Occupancy;
use super::positions::Positions;
use crate::error::CodegenError;
use crate::reg::{PRegSet, Reg, RegClass};
use settle::SettleMemory;
use std::cmp::Reverse;
use std::collections::BinaryHeap;

#[derive(Debug, Default)]
pub(super) struct ScanMemory {
    pub occupancy: Occupancy,
    waiting: BinaryHeap<Reverse<(u32, u32)>>,
    /// By instruction, a bit: whether one of its operands is a memory operand, of which there can be only one.
    pub in_memory: Vec<u64>,
    /// For the current part: positions at which a call clobbers registers for the first time, ascending.
    limits: Vec<(u32, PRegSet)>,
    /// The first call after the start of the previous part; where the next search begins.
    next_clobber: usize,
    pub settle: SettleMemory,
    pub scores: Vec<(u8, f32)>,
}

impl ScanMemory {
    /// The first position in the current part at which a call clobbers any register.
    pub(super) fn first_limit(&self) -> u32 {
        self.limits.first().map_or(u32::MAX, |limit| limit.0)
    }
}

pub(super) struct Scan<'a> {
    pub input: &'a AllocatorInput<'a>,
    pub positions: &'a Positions,
    pub intervals: &'a mut Intervals,
    pub memory: &'a mut ScanMemory,
    /// Registers that values may get, as bits of their bank: by class, and float without those that only some
    /// instructions can name.
    pub sets: [u64; RegClass::COUNT + 1],
    /// Positions of calls and the registers that they clobber, ascending.
    pub clobbers: &'a [(u32, PRegSet)],
    /// All registers that some call clobbers.
    pub clobbered: PRegSet,
    /// Registers that any part has been given.
    pub given: PRegSet,
}

/// What can be done with a part for which no register is free throughout.
#[derive(Clone, Copy, Debug)]
pub(super) enum Choice {
    /// Give it this register up to this position.
    Until(u8, u32),
    /// Evict this part from this register at the first position, and give it the register up to the second position:
    /// `(register, victim, from, to)`.
    Evict(u8, u32, u32, u32),
    /// Leave it in its slot until its next occurrence.
    Wait,
}

impl Scan<'_> {
    /// Assigns a place to every part.
    pub(super) fn run(&mut self, insts: usize) -> Result<(), CodegenError> {
        self.memory.waiting.clear();
        self.memory.in_memory.clear();
        self.memory.in_memory.resize(insts.div_ceil(64), 0);
        self.memory.next_clobber = 0;
        let initial = self.intervals.parts.len() as u32;
        let mut next = 0;
        loop {
            let from_list = (next < initial).then(|| (self.intervals.parts[next as usize].from, next));
            let from_heap = self.memory.waiting.peek().map(|entry| entry.0);
            let first = from_list.into_iter().chain(from_heap).min();
            let Some((from, part)) = first else {
                return Ok(());
            };
            if self.memory.settle.next_stop() <= from {
                self.stop();
                continue;
            }
            if first == from_list {
                next += 1;
            } else {
                self.memory.waiting.pop();
            }
            self.place(part)?;
        }
    }

    fn place(&mut self, number: u32) -> Result<(), CodegenError> {
        let part = self.intervals.parts[number as usize];
        if part.occs.0 == part.occs.1 {
            self.keep_in_slot(number);
            return Ok(());
        }
        let bundle = &self.intervals.bundles[part.bundle as usize];
        let (class, all) = (bundle.class, self.sets[usize::from(bundle.set)]);
        let registers = self.with_bytes(bundle, all);
        self.find_limits(&part);
        if self.prefers_slot(&part) {
            self.wait_from_start(number);
        } else if let Some(reg) = self.whole_fit(&part, class, registers) {
            self.give(number, reg);
        } else {
            let mut choice = self.choose(&part, class, registers);
            if choice.is_err() && registers != all {
                choice = self.choose(&part, class, all);
            }
            match choice? {
                Choice::Until(reg, limit) => self.give_until(number, reg, limit),
                Choice::Evict(reg, victim, pos, limit) => {
                    self.evict(victim, pos);
                    self.give_until(number, reg, limit);
                }
                Choice::Wait => self.wait_from_start(number),
            }
        }
        Ok(())
    }

    /// Of the registers that a bundle may get, those whose bytes can be named if instructions name its.
    #[inline]
    fn with_bytes(&self, bundle: &Bundle, registers: u64) -> u64 {
        if !bundle.names_byte {
            return registers;
        }
        match registers & self.input.desc.byte_registers.bank(bundle.class.bank()) {
            0 => registers,
            some => some,
        }
    }

    /// Whether the only occurrence of a part is at its start and can be a memory operand, and the bundle has a slot
    /// anyway.
    fn prefers_slot(&self, part: &Part) -> bool {
        let [only] = self.intervals.occs_of(part) else {
            return false;
        };
        self.positions.gap(only.pos) == self.positions.gap(part.from)
            && only.flags & (occ::USE | occ::DEF) == occ::USE
            && self.intervals.bundles[part.bundle as usize].spilled
            && self.can_fold(part, only)
    }

    /// Whether an occurrence can still become a memory operand.
    pub(super) fn can_fold(&self, part: &Part, occurrence: &Occurrence) -> bool {
        occurrence.has(occ::FOLD)
            && !self.intervals.bundles[part.bundle as usize].is_remat()
            && self.memory.in_memory[occurrence.inst as usize / 64] & (1 << (occurrence.inst % 64)) == 0
    }

    /// Finds, for each register, the first call in a part's live range that clobbers it.
    pub(super) fn find_limits(&mut self, part: &Part) {
        let memory = &mut *self.memory;
        memory.limits.clear();
        let mut first = memory.next_clobber;
        while first > 0 && self.clobbers[first - 1].0 >= part.from {
            first -= 1;
        }
        while self.clobbers.get(first).is_some_and(|clobber| clobber.0 < part.from) {
            first += 1;
        }
        memory.next_clobber = first;
        if self.clobbers.get(first).is_none_or(|clobber| clobber.0 >= part.to) {
            return;
        }
        let mut missing = self.clobbered;
        let mut ranges = self.intervals.spans_of_part(part);
        let Some((mut from, mut to)) = ranges.next() else {
            return;
        };
        for (step, &(pos, regs)) in self.clobbers[first..].iter().enumerate() {
            let regs = if step < MAX_CLOBBERS { regs } else { missing };
            while pos >= to {
                match ranges.next() {
                    Some(range) => (from, to) = range,
                    None => return,
                }
            }
            if pos < from && step < MAX_CLOBBERS {
                continue;
            }
            let pos = pos.max(from);
            let hit = regs.intersection(missing);
            if !hit.is_empty() {
                memory.limits.push((pos, hit));
            }
            missing = missing.minus(regs);
            if missing.is_empty() {
                return;
            }
        }
    }

    /// The first position in the current part at which a call clobbers a register, or `u32::MAX`.
    pub(super) fn limit(&self, reg: u8) -> u32 {
        let mut limits = self.memory.limits.iter();
        let found = limits.find(|limit| limit.1.contains(Reg(u32::from(reg))));
        found.map_or(u32::MAX, |limit| limit.0)
    }

    /// A register that is free throughout a part: hinted ones first, then those that need no saving, then callee-saved
    /// ones.
    fn whole_fit(&mut self, part: &Part, class: RegClass, mut registers: u64) -> Option<u8> {
        self.collect_scores(part);
        for (_, overwritten) in &self.memory.limits {
            registers &= !overwritten.bank(class.bank());
        }
        for index in 0..self.memory.scores.len() {
            let reg = self.memory.scores[index].0;
            if registers >> (reg % 64) & 1 != 0 && self.fits(part, reg) {
                return Some(reg);
            }
        }
        let saved = self.input.callee_saved.bank(class.bank());
        let used = self.given.bank(class.bank());
        for set in [registers & !saved, registers & saved & used] {
            if let Some(reg) = self.first_fit(part, class, set) {
                return Some(reg);
            }
        }
        let fresh = self.first_fit(part, class, registers & saved & !used)?;
        (!self.is_cheap_around_calls(part)).then_some(fresh)
    }

    fn first_fit(&mut self, part: &Part, class: RegClass, mut set: u64) -> Option<u8> {
        while set != 0 {
            let reg = class.bank() as u8 * 64 + set.trailing_zeros() as u8;
            set &= set - 1;
            if self.fits(part, reg) {
                return Some(reg);
            }
        }
        None
    }

    fn fits(&mut self, part: &Part, reg: u8) -> bool {
        self.memory.occupancy.fits(self.intervals, part, usize::from(reg))
    }

    /// Collects the hinted registers of a part, the best one first.
    fn collect_scores(&mut self, part: &Part) {
        let scores = &mut self.memory.scores;
        scores.clear();
        let bundle = &self.intervals.bundles[part.bundle as usize];
        let mut add = |reg: u8, weight: f32| match scores.iter_mut().find(|score| score.0 == reg) {
            Some(score) => score.1 += weight,
            None => scores.push((reg, weight)),
        };
        if bundle.last_reg != NO_PLACE {
            add(bundle.last_reg, self.positions.freq_at(part.from));
        }
        let mut hint = bundle.hints;
        for _ in 0..MAX_HINTS {
            let Some(data) = self.intervals.hints.get(hint as usize) else {
                break;
            };
            hint = data.next;
            if data.target.is_physical() {
                add(data.target.0 as u8, data.weight);
            } else {
                let other = self.intervals.bundles[data.target.virtual_index()].last_reg;
                if other != NO_PLACE {
                    add(other, data.weight);
                }
            }
        }
        if scores.len() > 1 {
            scores.sort_by(|a, b| b.1.total_cmp(&a.1));
        }
    }

    /// The weight of the hints for a register; 0 without hint.
    pub(super) fn score(&self, reg: u8) -> f32 {
        let found = self.memory.scores.iter().find(|score| score.0 == reg);
        found.map_or(0.0, |score| score.1)
    }

    /// Assigns a register to a whole part.
    pub(super) fn give(&mut self, number: u32, reg: u8) {
        let part = &mut self.intervals.parts[number as usize];
        part.place = reg;
        let bundle = part.bundle;
        self.intervals.bundles[bundle as usize].last_reg = reg;
        self.given.insert(Reg(u32::from(reg)));
        self.memory.occupancy.take(self.intervals, number, usize::from(reg));
    }

    /// Assigns a register to a part up to the best split position at or before `limit`; the rest waits in the slot.
    pub(super) fn give_until(&mut self, number: u32, reg: u8, limit: u32) {
        let part = self.intervals.parts[number as usize];
        if limit >= part.to {
            self.give(number, reg);
            return;
        }
        let cut = self.cut_before(&part, limit);
        debug_assert!(cut > part.from, "the part keeps something");
        let rest = self.intervals.split(number, cut);
        self.give(number, reg);
        // The conflict is at `limit`: an occurrence across it is reloaded there at the earliest.
        self.wait(rest, limit.max(cut));
    }

    /// How many occurrences of a part can use a register that is lost at `limit`.
    pub(super) fn kept_before(&self, part: &Part, limit: u32) -> usize {
        let occs = self.intervals.occs_of(part);
        let mut kept = count_first(occs, |o| o.end <= limit);
        while kept > 0 && occs.get(kept).is_some_and(|o| o.pos < occs[kept - 1].end) {
            kept -= 1;
        }
        kept
    }

    /// The position at which to split a part that loses its register at `limit`.
    fn cut_before(&self, part: &Part, limit: u32) -> u32 {
        let kept = self.kept_before(part, limit);
        let Some(last) = kept.checked_sub(1) else {
            return self.positions.gap(limit);
        };
        let end = self.intervals.occs_of(part)[last].end;
        self.cut_between(end, limit)
    }

    /// The position at which to split between the end of an occurrence and `limit`.
    fn cut_between(&self, end: u32, limit: u32) -> u32 {
        let low = self.positions.gap_from(end);
        if low > limit {
            return end;
        }
        self.cheapest_cut(low, self.positions.gap(limit))
    }

    /// The cheapest gap between two gaps: the first one, or the first one after a loop that contains it but not the
    /// second.
    pub(super) fn cheapest_cut(&self, low: u32, high: u32) -> u32 {
        match self.positions.loop_between(low, high) {
            Some(blocks) => self.positions.start(blocks.end),
            None => low,
        }
    }

    /// Takes the register from a part from `pos` on; the rest waits in the slot.
    pub(super) fn evict(&mut self, number: u32, pos: u32) {
        let before = self.intervals.count_begun(number, pos);
        let part = self.intervals.parts[number as usize];
        let cut = self.victim_cut(&part, before, pos);
        let occupancy = &mut self.memory.occupancy;
        occupancy.release(self.intervals, number, usize::from(part.place), cut, part.to);
        let rest = if cut <= part.from {
            self.intervals.parts[number as usize].place = NO_PLACE;
            number
        } else {
            let rest = self.intervals.split(number, cut);
            self.intervals.parts[rest as usize].place = NO_PLACE;
            rest
        };
        self.wait(rest, pos);
    }

    /// The position at which to split a part that must leave its register at `pos`, after `before` occurrences.
    pub(super) fn victim_cut(&self, part: &Part, before: usize, pos: u32) -> u32 {
        match before.checked_sub(1) {
            Some(last) => self.cut_between(self.intervals.occs_of(part)[last].end, pos),
            None => part.from,
        }
    }

    /// Leaves a part in its slot from its start on; occurrences at its start become memory operands.
    fn wait_from_start(&mut self, number: u32) {
        let part = self.intervals.parts[number as usize];
        let at_start = self.at_start(&part);
        for index in part.occs.0..part.occs.0 + at_start as u32 {
            self.fold(index);
        }
        self.wait_after(number, part.from, at_start);
    }

    /// How many occurrences overlap the start of a part.
    pub(super) fn at_start(&self, part: &Part) -> usize {
        let occs = self.intervals.occs_of(part);
        if self.positions.gap(occs[0].pos) != self.positions.gap(part.from) {
            return 0;
        }
        let mut count = 1;
        while occs.get(count).is_some_and(|o| o.pos < occs[count - 1].end) {
            count += 1;
        }
        count
    }

    /// Leaves a part in its slot from `pos` until its next occurrence.
    pub(super) fn wait(&mut self, number: u32, pos: u32) {
        self.wait_after(number, pos, 0);
    }

    fn wait_after(&mut self, number: u32, pos: u32, skipped: usize) {
        self.memory.settle.cuts += 1;
        let part = self.intervals.parts[number as usize];
        let Some(&next) = self.intervals.occs_of(&part).get(skipped) else {
            self.keep_in_slot(number);
            return;
        };
        let back = self.comes_back(&next, pos);
        if back <= part.from {
            self.memory.waiting.push(Reverse((part.from, number)));
            return;
        }
        let rest = self.intervals.split(number, back);
        self.keep_in_slot(number);
        self.memory.waiting.push(Reverse((back, rest)));
    }

    /// The position at which a part that is in its slot at `pos` is reloaded for an occurrence: at best before a loop
    /// around it.
    pub(super) fn comes_back(&self, next: &Occurrence, pos: u32) -> u32 {
        if !next.has(occ::USE) {
            return next.pos;
        }
        let gap = self.positions.gap(next.pos);
        match self.positions.loop_between(gap, pos) {
            Some(blocks) if pos < self.positions.start(blocks.start) => self.positions.start(blocks.start),
            _ => gap,
        }
    }

    fn fold(&mut self, index: u32) {
        let occurrence = &mut self.intervals.occs[index as usize];
        occurrence.flags |= occ::MEMORY;
        self.memory.in_memory[occurrence.inst as usize / 64] |= 1 << (occurrence.inst % 64);
    }

    fn keep_in_slot(&mut self, number: u32) {
        let part = &mut self.intervals.parts[number as usize];
        part.place = SLOT;
        self.intervals.bundles[part.bundle as usize].spilled = true;
    }
}

/// The most calls that are examined for a part; after them, all registers count as clobbered.
const MAX_CLOBBERS: usize = 256;
/// The most hints of a bundle that are examined.
const MAX_HINTS: usize = 16;
