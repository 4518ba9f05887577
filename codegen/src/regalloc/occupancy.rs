//! When each physical register is taken, from the scan's position on.
//!
//! A list for each register holds the ranges in which it is taken, by parts or by instructions, the nearest one last:
//! the scan adds and removes near its position, which is the cheap end. Ranges of a list are disjoint.

use super::intervals::{Intervals, Part};
use super::positions::NONE;

/// [`Entry::part`] of ranges that instructions fix.
pub(super) const FIXED: u32 = NONE;

/// A range in which a register is taken.
#[derive(Clone, Copy, Debug)]
pub(super) struct Entry {
    pub from: u32,
    pub to: u32,
    /// By which part.
    pub part: u32,
}

/// Where a part meets something in a register.
#[derive(Clone, Copy, Debug)]
pub(super) struct Conflict {
    pub pos: u32,
    /// With what.
    pub part: u32,
}

/// Forgets ranges that end at or before a position.
#[inline]
pub(super) fn pass(list: &mut Vec<Entry>, pos: u32) {
    while list.last().is_some_and(|entry| entry.to <= pos) {
        list.pop();
    }
}

/// The first position at which a part meets something that `ignored` does not name.
pub(super) fn first_conflict(list: &[Entry], intervals: &Intervals, part: &Part, ignored: u32) -> Option<Conflict> {
    let last = list.last()?;
    if last.from >= part.to {
        return None;
    }
    let mut entries = list.iter().rev();
    let mut entry = entries.next()?;
    for (from, to) in intervals.spans_of_part(part) {
        while entry.to <= from || entry.part == ignored {
            entry = entries.next()?;
        }
        if entry.from < to {
            return Some(Conflict {
                pos: entry.from.max(from),
                part: entry.part,
            });
        }
    }
    None
}

/// Gives the register to a part, which meets nothing in it.
pub(super) fn take(list: &mut Vec<Entry>, intervals: &Intervals, number: u32, scratch: &mut Vec<Entry>) {
    let part = &intervals.parts[number as usize];
    // What lies before the part's last range comes out and is merged with the part's ranges.
    let keep = list.partition_point(|entry| entry.from >= part.to);
    scratch.clear();
    scratch.extend(list.drain(keep..));
    let start = list.len();
    for (from, to) in intervals.spans_of_part(part) {
        while let Some(entry) = scratch.last().filter(|entry| entry.from < from) {
            list.push(*entry);
            scratch.pop();
        }
        list.push(Entry { from, to, part: number });
    }
    while let Some(entry) = scratch.pop() {
        list.push(entry);
    }
    list[start..].reverse();
}

/// Takes the register away from a part from a position on.
pub(super) fn release(list: &mut Vec<Entry>, number: u32, pos: u32, end: u32) {
    let start = list.partition_point(|entry| entry.from >= end);
    let mut write = start;
    for read in start..list.len() {
        let mut entry = list[read];
        if entry.part == number {
            entry.to = entry.to.min(pos);
            if entry.from >= entry.to {
                continue;
            }
        }
        list[write] = entry;
        write += 1;
    }
    list.truncate(write);
}
