//! When each register is free, after the scan.

use crate::reg::{PRegSet, Reg};
use crate::regalloc::intervals::{Intervals, SLOT, count_first};
use crate::regalloc::occupancy::Occupancy;

/// A register's ranges.
#[derive(Clone, Debug, Default)]
struct List {
    /// The disjoint ranges of positions in which it is occupied, ascending. Those that were freed are empty, and stay
    /// for the next ones: moving all that come after one that leaves would take a time that grows with the square of
    /// the size.
    ranges: Vec<(u32, u32)>,
    /// What was found last. The next question is about a position near by in most cases.
    last: usize,
}

/// In longer lists, room is made for so many more ranges at a time; and it is looked for as far away.
const ROOM: usize = 16;
/// Lists up to this length are moved apart for one range.
const SHORT: usize = 1 << 10;

/// Inserts a range into a list, where no range after it begins before its end.
fn insert(ranges: &mut Vec<(u32, u32)>, index: usize, range: (u32, u32)) {
    if ranges.len() <= SHORT {
        return ranges.insert(index, range);
    }
    match ranges[index..].iter().take(ROOM).position(|&range| is_empty(range)) {
        Some(distance) => ranges.copy_within(index..index + distance, index + 1),
        None => {
            ranges.splice(index..index, [(range.1, range.1); ROOM]);
        }
    }
    ranges[index] = range;
}

#[inline]
fn is_empty(range: (u32, u32)) -> bool {
    range.0 == range.1
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
    #[inline]
    pub(super) fn is_free(&mut self, reg: u8, from: u32, to: u32, clobbers: &[(u32, PRegSet)]) -> bool {
        self.conflict(reg, from, to, clobbers).is_none()
    }

    /// A position at which a register is not free: the first one at which a part or an instruction has it, or if there
    /// is none, the first call that overwrites it.
    pub(super) fn conflict(&mut self, reg: u8, from: u32, to: u32, clobbers: &[(u32, PRegSet)]) -> Option<u32> {
        let list = &mut self.lists[usize::from(reg)];
        let next = list.count_before(from);
        let mut reached = list.ranges[next..].iter().take_while(|range| range.0 < to);
        if let Some(range) = reached.find(|&&range| !is_empty(range)) {
            return Some(range.0.max(from));
        }
        let first = clobbers.partition_point(|clobber| clobber.0 < from);
        let mut within = clobbers[first..].iter().take_while(|clobber| clobber.0 < to);
        within
            .find(|clobber| clobber.1.contains(Reg(u32::from(reg))))
            .map(|clobber| clobber.0)
    }

    /// Occupies a register that is free.
    pub(super) fn take(&mut self, reg: u8, from: u32, to: u32) {
        let list = &mut self.lists[usize::from(reg)];
        let next = list.count_before(from);
        let ranges = &mut list.ranges;
        let count = ranges[next..].iter().take_while(|range| range.0 < to).count();
        let place = match next.checked_sub(1) {
            Some(before) if is_empty(ranges[before]) => before,
            _ if count > 0 => next,
            _ => return insert(ranges, next, (from, to)),
        };
        ranges[next..next + count].fill((to, to));
        ranges[place] = (from, to);
    }

    /// Frees a register that one part occupies from one position to another.
    pub(super) fn release(&mut self, reg: u8, from: u32, to: u32) {
        let list = &mut self.lists[usize::from(reg)];
        let first = list.count_before(from);
        let ranges = &mut list.ranges;
        for index in first..ranges.len() {
            let (start, end) = ranges[index];
            if start >= to {
                return;
            }
            match (start < from, to < end) {
                (true, true) => {
                    ranges[index].1 = from;
                    return insert(ranges, index + 1, (to, end));
                }
                (true, false) => ranges[index].1 = from,
                (false, true) => ranges[index].0 = to,
                (false, false) => ranges[index].1 = start,
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use frazil_test_support::Random;

    /// Frees and takes random ranges of so many positions, and asks for those.
    fn check(random: &mut Random, positions: usize, longest: usize, steps: usize) {
        let mut occupied = vec![false; positions];
        let mut free = FreeRegisters {
            lists: vec![List::default()],
        };
        for _ in 0..steps {
            let from = random.below(positions - 1);
            let most = 1 + random.below(longest);
            let to = from + 1 + random.below(most.min(positions - from - 1));
            let range = &mut occupied[from..to];
            let is_free = range.iter().all(|&is_occupied| !is_occupied);
            assert_eq!(free.is_free(0, from as u32, to as u32, &[]), is_free);
            if is_free {
                free.take(0, from as u32, to as u32);
                range.fill(true);
            } else if random.below(3) > 0 {
                free.release(0, from as u32, to as u32);
                range.fill(false);
            }
            let ranges = &free.lists[0].ranges;
            assert!(ranges.is_sorted_by_key(|range| range.0) && ranges.is_sorted_by_key(|range| range.1));
        }
    }

    #[test]
    fn what_is_free_is_what_was_freed_and_not_taken() {
        let mut random = Random::new(1);
        for _ in 0..300 {
            check(&mut random, 120, 12, 300);
        }
        for _ in 0..3 {
            check(&mut random, 12 * SHORT, 6, 12 * SHORT);
        }
    }
}
