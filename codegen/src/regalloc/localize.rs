//! A limit for the work on edges: bundles that are in registers only within blocks. Also how recipes without
//! live-range splitting are implemented.
//!
//! For a bundle that changes its place, all edges in its live range must be examined, which for many long-lived
//! bundles would be quadratic in the size of the function. Once a budget is used up, further bundles are taken out of
//! registers at all block boundaries: they are stored at each definition and reloaded in each block, so edges do not
//! matter. Without splitting, each bundle that does not fit into one register is reloaded for every instruction.

use super::intervals::{Intervals, SLOT};
use super::positions::{NONE, Positions};

/// Localizes the bundles for which the budget of examined edges does not suffice. `joins` are the merge points.
pub(super) fn localize(
    intervals: &mut Intervals,
    positions: &Positions,
    joins: &[u32],
    mut budget: usize,
    may_split: bool,
) {
    let extent = if may_split { Extent::Block } else { Extent::Instruction };
    for number in 0..intervals.bundles.len() {
        let bundle = intervals.bundles[number];
        if intervals.parts[bundle.first as usize].next == NONE {
            continue;
        }
        let from = intervals.ranges[bundle.ranges.0 as usize].from;
        let to = intervals.ranges[bundle.ranges.1 as usize - 1].to;
        let before = |pos: u32| joins.partition_point(|&block| positions.start(block) < pos);
        let looks = before(to) - before(from);
        match budget.checked_sub(looks) {
            Some(rest) if may_split => budget = rest,
            _ => localize_bundle(intervals, positions, number, extent),
        }
    }
}

/// How long a localized bundle may stay in a register.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Extent {
    /// For all occurrences in a block.
    Block,
    Instruction,
}

fn localize_bundle(intervals: &mut Intervals, positions: &Positions, number: usize, extent: Extent) {
    let bundle = &mut intervals.bundles[number];
    bundle.spilled = true;
    bundle.is_localized = true;
    let mut part = bundle.first;
    while part != NONE {
        let data = intervals.parts[part as usize];
        if data.place != SLOT {
            localize_part(intervals, positions, part, extent);
        }
        part = data.next;
    }
}

/// Splits a part so that it is in its register only in a piece for each block, or instruction, with occurrences.
fn localize_part(intervals: &mut Intervals, positions: &Positions, mut part: u32, extent: Extent) {
    let data = intervals.parts[part as usize];
    let place = data.place;
    intervals.parts[part as usize].place = SLOT;
    let mut index = data.occs.0;
    while index < data.occs.1 {
        let first = intervals.occs[index as usize];
        let block = positions.block(first.pos);
        let mut end = first.end;
        while index < data.occs.1 {
            let next = intervals.occs[index as usize];
            let belongs = match extent {
                Extent::Block => positions.block(next.pos) == block,
                Extent::Instruction => positions.gap(next.pos) == positions.gap(first.pos),
            };
            if !belongs {
                break;
            }
            end = end.max(next.end);
            index += 1;
        }
        let start = if first.has(super::intervals::occ::USE) {
            positions.gap(first.pos)
        } else {
            first.pos
        };
        let end = positions.gap_from(end).min(positions.start(block + 1));
        if start > intervals.parts[part as usize].from {
            part = intervals.split(part, start);
        }
        intervals.parts[part as usize].place = place;
        if end < intervals.parts[part as usize].to {
            part = intervals.split(part, end);
            intervals.parts[part as usize].place = SLOT;
        }
    }
}
