//! When each register is free, after the scan.

use crate::reg::{PRegSet, Reg};
use crate::regalloc::intervals::{Intervals, SLOT, count_first};
use crate::regalloc::occupancy::Occupancy;

/// A register's ranges.
#[derive(Clone, Debug, Default)]
struct List {
    /// The disjoint ranges of positions in which it is occupied, ascending.
    ranges: Vec<(u32, u32)>,
    /// What was found last. The next question is about a position near by in most cases.
    last: usize,
}

impl List {
    /// How many ranges end at or before a position.
    fn count_before(&mut self, pos: u32) -> usize {
        let last = self.last.min(self.ranges.len());
        let (before, after) = self.ranges.split_at(last);
        self.last = if before.last().is_none_or(|range| range.1 <= pos) {
            last + count_first(after, |range| range.1 <= pos)
        } else {
            before.partition_point(|range| range.1 <= pos)
        };
        self.last
    }
}

/// When each register is occupied.
#[derive(Debug, Default)]
pub(super) struct FreeRegisters {
    lists: Vec<List>,
}

impl FreeRegisters {
    /// Collects where parts are and which registers instructions name.
    pub(super) fn collect(&mut self, intervals: &Intervals, occupancy: &Occupancy) {
        self.lists.resize(Reg::FIRST_VIRTUAL as usize, List::default());
        for (reg, list) in self.lists.iter_mut().enumerate() {
            list.ranges.clear();
            list.ranges.extend(occupancy.fixed_ranges(reg));
            list.last = 0;
        }
        for part in &intervals.parts {
            if part.place < SLOT {
                let list = &mut self.lists[usize::from(part.place)];
                list.ranges.extend(intervals.spans_of_part(part));
            }
        }
        for list in &mut self.lists {
            list.ranges.sort_unstable();
        }
    }

    /// Whether a register is free from one position to another; `clobbers` are the calls and what they overwrite.
    pub(super) fn is_free(&mut self, reg: u8, from: u32, to: u32, clobbers: &[(u32, PRegSet)]) -> bool {
        let list = &mut self.lists[usize::from(reg)];
        let next = list.count_before(from);
        if list.ranges.get(next).is_some_and(|range| range.0 < to) {
            return false;
        }
        let first = clobbers.partition_point(|clobber| clobber.0 < from);
        let within = clobbers[first..].iter().take_while(|clobber| clobber.0 < to);
        let mut overwritten = within.map(|clobber| clobber.1);
        !overwritten.any(|regs| regs.contains(Reg(u32::from(reg))))
    }

    /// Occupies a register that is free.
    pub(super) fn take(&mut self, reg: u8, from: u32, to: u32) {
        let list = &mut self.lists[usize::from(reg)];
        let next = list.count_before(from);
        list.ranges.insert(next, (from, to));
    }

    /// Frees a register that one part occupies from one position to another.
    pub(super) fn release(&mut self, reg: u8, from: u32, to: u32) {
        let list = &mut self.lists[usize::from(reg)];
        let first = list.count_before(from);
        let list = &mut list.ranges;
        let end = first + count_first(&list[first..], |range| range.0 < to);
        let Some(&(start, _)) = list.get(first) else {
            return;
        };
        let last = list[end - 1].1;
        let before = (start < from).then_some((start, from));
        let after = (to < last).then_some((to, last));
        list.splice(first..end, before.into_iter().chain(after));
    }
}
