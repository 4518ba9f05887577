//! When each register is free, after the scan.

use crate::reg::{PRegSet, Reg};
use crate::regalloc::intervals::{Intervals, SLOT};
use crate::regalloc::occupancy::Occupancy;

/// For each register, the disjoint ranges of positions in which it is occupied, ascending.
#[derive(Debug, Default)]
pub(super) struct FreeRegisters {
    lists: Vec<Vec<(u32, u32)>>,
}

impl FreeRegisters {
    /// Collects where parts are and which registers instructions name.
    pub(super) fn collect(&mut self, intervals: &Intervals, occupancy: &Occupancy) {
        self.lists.resize(Reg::FIRST_VIRTUAL as usize, Vec::new());
        for (reg, list) in self.lists.iter_mut().enumerate() {
            list.clear();
            list.extend(occupancy.fixed_ranges(reg));
        }
        for part in &intervals.parts {
            if part.place < SLOT {
                self.lists[usize::from(part.place)].extend(intervals.spans_of_part(part));
            }
        }
        for list in &mut self.lists {
            list.sort_unstable();
        }
    }

    /// Whether a register is free from one position to another; `clobbers` are the calls and what they overwrite.
    pub(super) fn is_free(&self, reg: u8, from: u32, to: u32, clobbers: &[(u32, PRegSet)]) -> bool {
        let list = &self.lists[usize::from(reg)];
        let next = list.partition_point(|range| range.1 <= from);
        if list.get(next).is_some_and(|range| range.0 < to) {
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
        let next = list.partition_point(|range| range.1 <= from);
        list.insert(next, (from, to));
    }

    /// Frees a register that one part occupies from one position to another.
    pub(super) fn release(&mut self, reg: u8, from: u32, to: u32) {
        let list = &mut self.lists[usize::from(reg)];
        let first = list.partition_point(|range| range.1 <= from);
        let end = first + list[first..].partition_point(|range| range.0 < to);
        let Some(&(start, _)) = list.get(first) else {
            return;
        };
        let last = list[end - 1].1;
        let before = (start < from).then_some((start, from));
        let after = (to < last).then_some((to, last));
        list.splice(first..end, before.into_iter().chain(after));
    }
}
