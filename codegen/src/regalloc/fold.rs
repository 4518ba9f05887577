//! Reloads for a single use become memory operands.
//!
//! The scan reloads a part when it expects several uses, and may take the register away again after the first. If a
//! part was reloaded in the middle of a block, is used once, is in its slot again afterwards, and the instruction has
//! a form with that operand in memory, then the reload is dropped and the instruction reads the slot.

use super::intervals::{Intervals, Part, SLOT, occ};
use super::positions::{NONE, Positions};

/// Folds the reloads of all bundles. `in_memory` has a bit for each instruction with a memory operand; there can be
/// only one.
pub(super) fn fold_single_uses(intervals: &mut Intervals, positions: &Positions, in_memory: &mut [u64]) {
    for number in 0..intervals.bundles.len() {
        let bundle = &intervals.bundles[number];
        if !bundle.spilled || bundle.is_remat() {
            continue;
        }
        let mut before = bundle.first;
        while before != NONE {
            let part = intervals.parts[before as usize].next;
            if part == NONE {
                break;
            }
            let is_after_slot = intervals.parts[before as usize].place == SLOT;
            before = part;
            let data = intervals.parts[part as usize];
            if is_after_slot && is_short(intervals, positions, &data) {
                let occurrence = &mut intervals.occs[data.occs.0 as usize];
                let (word, bit) = (occurrence.inst as usize / 64, 1 << (occurrence.inst % 64));
                if in_memory[word] & bit == 0 {
                    in_memory[word] |= bit;
                    occurrence.flags |= occ::MEMORY;
                    intervals.parts[part as usize].place = SLOT;
                }
            }
        }
    }
}

/// Whether a part is reloaded within a block for a single use that can be a memory operand, and is in its slot
/// afterwards.
fn is_short(intervals: &Intervals, positions: &Positions, part: &Part) -> bool {
    let [only] = intervals.occs_of(part) else {
        return false;
    };
    let is_followed_by_slot = match intervals.parts.get(part.next as usize) {
        Some(next) => next.place == SLOT,
        None => true,
    };
    part.place != SLOT
        && only.has(occ::FOLD)
        && !only.has(occ::DEF)
        && positions.gap(only.pos) == part.from
        && !positions.is_block_start(part.from)
        && positions.block(part.from) == positions.block(part.to - 1)
        && is_followed_by_slot
}
