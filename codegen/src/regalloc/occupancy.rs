//! Interference: when each physical register is occupied, from the current position of the scan on.
//!
//! For each register, a list holds the ranges in which it is occupied by parts or clobbered by instructions, the
//! nearest range last, because the scan adds and removes near its current position. The ranges of a list are disjoint.
//! Most questions are answered by the nearest range alone, so the nearest ranges of all registers are also kept
//! together in an array.
//!
//! A part may have thousands of spans, and be given a register only to lose it soon, in each case of a switch in a loop
//! for instance. So only its next spans have entries of their own. What follows has one that is *rough*: the part
//! occupies the register in its spans there, and not in between. Entries are made of these when a rough one becomes the
//! nearest, or another part is put into its holes.

use super::intervals::{Intervals, Part, count_first};
use super::positions::NONE;
use crate::reg::{PRegSet, Reg};

/// [`Entry::part`] of a range in which an instruction names or clobbers the physical register.
pub(super) const FIXED: u32 = NONE;
/// The number of no part at all; ignored by [`Occupancy::first_conflict`].
pub(super) const NO_PART: u32 = NONE - 1;

/// A range in which a register is occupied.
#[derive(Clone, Copy, Debug)]
pub(super) struct Entry {
    pub from: u32,
    pub to: u32,
    /// The part that occupies it, or [`FIXED`]; with [`ROUGH`] if it does so in its spans only.
    pub part: u32,
}

/// Set in [`Entry::part`]: the range is occupied in the spans of the part.
const ROUGH: u32 = 1 << 31;
/// So many spans of a part get entries at a time.
const MOST_EXACT: usize = 48;

impl Entry {
    /// The rest of a part from one of its spans on.
    #[inline]
    fn rough(part: u32, from: u32, to: u32) -> Entry {
        let part = part | ROUGH;
        Entry { from, to, part }
    }

    #[inline]
    fn is_rough(&self) -> bool {
        (ROUGH..NO_PART).contains(&self.part)
    }

    /// What occupies the range, roughly or not.
    #[inline]
    fn owner(&self) -> u32 {
        if self.is_rough() { self.part & !ROUGH } else { self.part }
    }

    /// What is occupied first after a position within the range, or at it.
    #[inline]
    fn occupied_after(&self, intervals: &Intervals, pos: u32) -> Option<Entry> {
        if !self.is_rough() {
            return Some(*self);
        }
        let part = self.owner();
        let spans = intervals.whole_spans_of_part(&intervals.parts[part as usize]);
        let span = spans.get(passed(spans, pos.max(self.from)))?;
        (span.0 < self.to).then(|| Entry {
            from: span.0.max(self.from),
            to: span.1.min(self.to),
            part,
        })
    }

    /// Appends entries for the next spans of a rough range to a list, and a rough one for the others, the nearest one
    /// last.
    #[inline(never)]
    fn refine(&self, intervals: &Intervals, list: &mut Vec<Entry>) {
        let part = self.owner();
        let spans = intervals.whole_spans_of_part(&intervals.parts[part as usize]);
        let spans = &spans[passed(spans, self.from)..];
        let near = spans.iter().take(MOST_EXACT);
        let count = near.take_while(|span| span.0 < self.to).count();
        if let Some(span) = spans.get(count)
            && span.0 < self.to
        {
            list.push(Entry::rough(part, span.0, self.to));
        }
        list.extend(spans[..count].iter().rev().map(|span| Entry {
            from: span.0.max(self.from),
            to: span.1.min(self.to),
            part,
        }));
    }
}

/// How many ranges a register's list has room for at first: it would grow in four steps.
const USUAL_RANGES: usize = 32;

/// Gives a list its memory, which is used again for each function.
#[inline]
pub(super) fn make_first_room(list: &mut Vec<Entry>) {
    if list.capacity() == 0 {
        list.reserve_exact(USUAL_RANGES);
    }
}

/// The nearest range of a register that is free from now on.
const NEVER: Entry = Entry {
    from: NONE,
    to: NONE,
    part: NO_PART,
};

/// The first position at which a part and something in the register overlap.
#[derive(Clone, Copy, Debug)]
pub(super) struct Conflict {
    pub pos: u32,
    /// The part that is in the register, or [`FIXED`].
    pub part: u32,
}

/// So often, spans of a part and what is in a register may take turns without overlapping, before the register is said
/// to be free no further. Variables of a state machine with thousands of states do that, and are asked for in each.
const MOST_LOOKS: usize = 64;

/// So many entries are looked at one by one, before their list is searched: the next one is near in most cases.
const NEAR: usize = 4;

/// A register's ranges, the nearest one last, without those that end at or before a position.
#[inline]
fn drop_passed(entries: &[Entry], pos: u32) -> &[Entry] {
    let mut end = entries.len();
    for _ in 0..NEAR {
        if end == 0 || entries[end - 1].to > pos {
            return &entries[..end];
        }
        end -= 1;
    }
    &entries[..entries[..end].partition_point(|entry| entry.to > pos)]
}

/// How many spans end at or before a position.
#[inline]
fn passed(spans: &[(u32, u32)], pos: u32) -> usize {
    count_first(spans, |span| span.1 <= pos)
}

#[derive(Debug)]
pub(super) struct Occupancy {
    /// By physical register: its ranges, the nearest one last.
    lists: Vec<Vec<Entry>>,
    /// By physical register: the last entry of its list.
    nearest: [Entry; Reg::FIRST_VIRTUAL as usize],
    /// By physical register: the ranges of instructions that the scan has passed, in their order.
    passed: Vec<Vec<(u32, u32)>>,
    /// Whether anybody will ask for these.
    keeps_passed: bool,
    scratch: Vec<Entry>,
}

impl Default for Occupancy {
    fn default() -> Self {
        Occupancy {
            lists: Vec::new(),
            nearest: [NEVER; Reg::FIRST_VIRTUAL as usize],
            passed: Vec::new(),
            keeps_passed: false,
            scratch: Vec::new(),
        }
    }
}

impl Occupancy {
    /// Starts a function with its fixed ranges; gives the lists of the previous function in exchange, so that their
    /// memory is used again.
    pub(super) fn start(&mut self, fixed: &mut Vec<Vec<Entry>>, allocatable: PRegSet, keeps_passed: bool) {
        std::mem::swap(&mut self.lists, fixed);
        self.keeps_passed = keeps_passed;
        if keeps_passed {
            self.passed.resize(self.lists.len(), Vec::new());
            self.passed.iter_mut().for_each(Vec::clear);
        }
        for reg in allocatable.iter() {
            self.nearest[reg.index()] = self.lists[reg.index()].last().copied().unwrap_or(NEVER);
        }
    }

    #[inline]
    fn find_nearest(&mut self, intervals: &Intervals, reg: usize) {
        let list = &mut self.lists[reg];
        let mut nearest = list.last().copied().unwrap_or(NEVER);
        while nearest.is_rough() {
            list.pop();
            nearest.refine(intervals, list);
            nearest = list.last().copied().unwrap_or(NEVER);
        }
        self.nearest[reg] = nearest;
    }

    /// Removes the ranges of a register that end at or before a position.
    #[inline]
    pub(super) fn pass(&mut self, intervals: &Intervals, reg: usize, pos: u32) {
        if self.nearest[reg].to <= pos {
            self.drop_nearest(intervals, reg, pos);
        }
    }

    fn drop_nearest(&mut self, intervals: &Intervals, reg: usize, pos: u32) {
        while self.nearest[reg].to <= pos {
            let list = &mut self.lists[reg];
            while let Some(entry) = list.last().filter(|entry| entry.to <= pos) {
                if self.keeps_passed && entry.part == FIXED {
                    self.passed[reg].push((entry.from, entry.to));
                }
                list.pop();
            }
            self.find_nearest(intervals, reg);
        }
    }

    /// The ranges in which instructions name or clobber a register.
    pub(super) fn fixed_ranges(&self, reg: usize) -> impl Iterator<Item = (u32, u32)> + use<'_> {
        let ahead = self.lists[reg].iter().filter(|entry| entry.part == FIXED);
        let passed = self.passed[reg].iter().copied();
        passed.chain(ahead.map(|entry| (entry.from, entry.to)))
    }

    /// The part that is in a register at the scan's position; [`NONE`] (that is, [`FIXED`]) if there is no part.
    pub(super) fn part_at(&mut self, intervals: &Intervals, reg: usize, pos: u32) -> u32 {
        self.pass(intervals, reg, pos);
        let nearest = self.nearest[reg];
        if nearest.from <= pos && nearest.part != NO_PART {
            nearest.part
        } else {
            NONE
        }
    }

    /// Whether a part overlaps nothing in a register.
    #[inline]
    pub(super) fn fits(&mut self, intervals: &Intervals, part: &Part, reg: usize) -> bool {
        self.pass(intervals, reg, part.from);
        self.nearest[reg].from >= part.to
            || (!intervals.is_one_span(part) && self.first_conflict(intervals, part, reg, NO_PART).is_none())
    }

    /// The first overlap of a part with something in a register other than the part `ignored`.
    pub(super) fn first_conflict(
        &self,
        intervals: &Intervals,
        part: &Part,
        reg: usize,
        ignored: u32,
    ) -> Option<Conflict> {
        if self.nearest[reg].from >= part.to {
            return None;
        }
        let mut entries = self.lists[reg].as_slice();
        let mut spans = intervals.whole_spans_of_part(part);
        // Where the last range of the part to ignore ends.
        let mut seen = part.from;
        for _ in 0..MOST_LOOKS {
            let from = spans.first()?.0.max(seen);
            entries = drop_passed(entries, from);
            let Some(entry) = entries.last()?.occupied_after(intervals, from) else {
                entries = &entries[..entries.len() - 1];
                continue;
            };
            if entry.from >= part.to {
                return None;
            }
            spans = &spans[passed(spans, entry.from)..];
            let from = spans.first()?.0.max(part.from);
            if from >= part.to {
                return None;
            }
            if entry.part == ignored {
                seen = entry.to;
            } else if entry.to > from {
                return Some(Conflict {
                    pos: entry.from.max(from),
                    part: entry.part,
                });
            }
        }
        Some(Conflict {
            pos: spans.first()?.0.max(part.from),
            part: FIXED,
        })
    }

    /// Gives a register to a part, which must overlap nothing in it.
    pub(super) fn take(&mut self, intervals: &Intervals, number: u32, reg: usize) {
        let part = &intervals.parts[number as usize];
        let list = &mut self.lists[reg];
        make_first_room(list);
        if self.nearest[reg].from >= part.to {
            let Part { from, to, .. } = *part;
            list.push(match intervals.is_one_span(part) {
                true => Entry { from, to, part: number },
                false => Entry::rough(number, from, to),
            });
        } else {
            // Takes the entries before the part's end out of the list and merges them with the part's ranges.
            let keep = list.partition_point(|entry| entry.from >= part.to);
            self.scratch.clear();
            self.scratch.extend(list.drain(keep..));
            for (from, to) in intervals.spans_of_part(part) {
                while let Some(entry) = self.scratch.pop_if(|entry| entry.from < from) {
                    if entry.is_rough() {
                        entry.refine(intervals, &mut self.scratch);
                    } else {
                        list.push(entry);
                    }
                }
                if self.scratch.is_empty() {
                    list.push(Entry::rough(number, from, part.to));
                    break;
                }
                list.push(Entry { from, to, part: number });
            }
            list.extend(self.scratch.drain(..).rev());
            list[keep..].reverse();
        }
        self.find_nearest(intervals, reg);
    }

    /// Ends the occupation of a register by a part at `pos`; `end` is the end of the part.
    pub(super) fn release(&mut self, intervals: &Intervals, number: u32, reg: usize, pos: u32, end: u32) {
        let list = &mut self.lists[reg];
        let start = list.partition_point(|entry| entry.from >= end);
        let mut write = start;
        for read in start..list.len() {
            let mut entry = list[read];
            if entry.owner() == number {
                entry.to = entry.to.min(pos);
                if entry.from >= entry.to {
                    continue;
                }
            }
            list[write] = entry;
            write += 1;
        }
        list.truncate(write);
        self.find_nearest(intervals, reg);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::reg::RegClass;
    use crate::regalloc::intervals::{Bundle, NO_PLACE};
    use frazil_test_support::Random;

    /// Ranges that do not meet, from a position on.
    fn ranges(random: &mut Random, start: u32, most: usize) -> Vec<(u32, u32)> {
        let mut pos = start;
        let mut made = Vec::new();
        for _ in 0..1 + random.below(most) {
            pos += random.below(4) as u32;
            let end = pos + 1 + random.below(5) as u32;
            made.push((pos, end));
            pos = end;
        }
        made
    }

    /// A bundle with spans, and a part of it.
    fn part_of(spans: Vec<(u32, u32)>, from: u32, to: u32) -> (Intervals, Part) {
        let mut bundle = Bundle::new(RegClass::Int);
        bundle.spans = (0, spans.len() as u32);
        let part = Part {
            bundle: 0,
            from,
            to,
            span: spans.partition_point(|span| span.1 <= from) as u32,
            occs: (0, 0),
            passed: 0,
            next: NONE,
            place: NO_PLACE,
        };
        let intervals = Intervals {
            bundles: vec![bundle],
            spans,
            ..Intervals::default()
        };
        (intervals, part)
    }

    fn occupied(entries: &[(u32, u32)], owner: impl Fn(usize) -> u32) -> Occupancy {
        let owned = entries.iter().enumerate().rev();
        let list = owned
            .map(|(index, &(from, to))| Entry {
                from,
                to,
                part: owner(index),
            })
            .collect();
        let mut occupancy = Occupancy {
            lists: vec![list],
            ..Occupancy::default()
        };
        occupancy.find_nearest(&Intervals::default(), 0);
        occupancy
    }

    #[test]
    fn the_first_conflict_is_that_of_all_pairs() {
        let mut random = Random::new(1);
        for _ in 0..20_000 {
            let spans = ranges(&mut random, 10, 30);
            let first = spans[random.below(spans.len())].0;
            let last = spans[spans.len() - 1].1;
            let to = first + 1 + random.below((last - first) as usize) as u32;
            let (intervals, part) = part_of(spans, first, to);
            let begin = random.below(60) as u32;
            let entries = ranges(&mut random, begin, 30);
            let occupancy = occupied(&entries, |index| index as u32 % 5);
            for ignored in [NO_PART, 0, 3] {
                let pairs = intervals.spans_of_part(&part).flat_map(|(from, to)| {
                    let others = entries
                        .iter()
                        .enumerate()
                        .filter(move |(index, _)| *index as u32 % 5 != ignored);
                    others
                        .filter(move |(_, entry)| entry.0 < to && from < entry.1)
                        .map(move |(index, entry)| (entry.0.max(from), index as u32 % 5))
                });
                let found = occupancy.first_conflict(&intervals, &part, 0, ignored);
                assert_eq!(found.map(|conflict| (conflict.pos, conflict.part)), pairs.min());
            }
        }
    }

    #[test]
    fn those_that_take_turns_too_often_are_free_up_to_a_position() {
        let count = 10 * MOST_LOOKS as u32;
        let turns = |offset: u32| (0..count).map(move |turn| (4 * turn + offset, 4 * turn + offset + 2));
        let (intervals, part) = part_of(turns(0).collect(), 0, 4 * count);
        let occupancy = occupied(&turns(2).collect::<Vec<_>>(), |_| 7);
        let conflict = occupancy
            .first_conflict(&intervals, &part, 0, NO_PART)
            .expect("it is given up");
        assert_eq!(conflict.part, FIXED);
        assert_eq!(conflict.pos, 4 * MOST_LOOKS as u32);
    }

    /// What is in a register by position, for a test of every operation.
    struct Simple {
        parts: Vec<u32>,
    }

    impl Simple {
        fn set(&mut self, intervals: &Intervals, number: u32, (from, to): (u32, u32), value: u32) {
            for (start, end) in intervals.spans_of_part(&intervals.parts[number as usize]) {
                for pos in start.max(from)..end.min(to) {
                    self.parts[pos as usize] = value;
                }
            }
        }

        fn first_conflict(&self, intervals: &Intervals, part: &Part, ignored: u32) -> Option<(u32, u32)> {
            let mut positions = intervals.spans_of_part(part).flat_map(|(from, to)| from..to);
            let found = positions.find(|&pos| ![NO_PART, ignored].contains(&self.parts[pos as usize]));
            found.map(|pos| (pos, self.parts[pos as usize]))
        }
    }

    /// Bundles of up to 400 spans, most of them with holes for others, and a part of each.
    fn many_parts(random: &mut Random, count: usize) -> Intervals {
        let mut intervals = Intervals::default();
        for number in 0..count {
            let start = random.below(1000) as u32;
            let most = [3, 60, 400][random.below(3)];
            let spans = ranges(random, start, most);
            let stretch = [1, 1, 2, 6][random.below(4)];
            let mut bundle = Bundle::new(RegClass::Int);
            bundle.spans.0 = intervals.spans.len() as u32;
            let far = spans
                .iter()
                .map(|span| (span.0 * stretch, span.0 * stretch + span.1 - span.0));
            intervals.spans.extend(far);
            bundle.spans.1 = intervals.spans.len() as u32;
            let from = intervals.spans[bundle.spans.0 as usize].0;
            let end = intervals.spans[bundle.spans.1 as usize - 1].1;
            let to = if random.below(2) == 0 {
                end
            } else {
                from + 1 + random.below((end - from) as usize) as u32
            };
            intervals.parts.push(Part {
                bundle: number as u32,
                from,
                to,
                span: bundle.spans.0,
                occs: (0, 0),
                passed: 0,
                next: NONE,
                place: NO_PLACE,
            });
            intervals.bundles.push(bundle);
        }
        intervals.parts.sort_by_key(|part| part.from);
        intervals
    }

    #[test]
    fn parts_are_given_and_taken_as_in_a_table_of_all_positions() {
        let mut random = Random::new(3);
        for _ in 0..300 {
            let intervals = many_parts(&mut random, 40);
            let mut occupancy = occupied(&[], |_| FIXED);
            let mut simple = Simple {
                parts: vec![NO_PART; 50_000],
            };
            let mut inside: Vec<u32> = Vec::new();
            for number in 0..intervals.parts.len() as u32 {
                let part = intervals.parts[number as usize];
                let pos = part.from;
                inside.retain(|&other| intervals.parts[other as usize].to > pos);
                let found = occupancy.part_at(&intervals, 0, pos);
                let expected = simple.parts[pos as usize];
                assert_eq!(found, if expected == NO_PART { NONE } else { expected });
                for ignored in [NO_PART, inside.last().copied().unwrap_or(NO_PART)] {
                    let found = occupancy.first_conflict(&intervals, &part, 0, ignored);
                    let expected = simple.first_conflict(&intervals, &part, ignored);
                    match found {
                        // It was given up.
                        Some(conflict) if conflict.part == FIXED => {
                            assert!(expected.is_none_or(|(pos, _)| pos >= conflict.pos));
                        }
                        _ => assert_eq!(found.map(|conflict| (conflict.pos, conflict.part)), expected),
                    }
                }
                while let Some((_, other)) = simple.first_conflict(&intervals, &part, NO_PART) {
                    let end = intervals.parts[other as usize].to;
                    let cut = pos + random.below(3) as u32;
                    occupancy.release(&intervals, other, 0, cut.min(end), end);
                    simple.set(&intervals, other, (cut.min(end), end), NO_PART);
                    if cut > pos {
                        break;
                    }
                    inside.retain(|&inside| inside != other);
                }
                if simple.first_conflict(&intervals, &part, NO_PART).is_none() {
                    occupancy.take(&intervals, number, 0);
                    simple.set(&intervals, number, (0, NONE), number);
                    inside.push(number);
                }
            }
        }
    }
}
