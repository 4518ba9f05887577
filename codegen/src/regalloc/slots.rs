//! Assignment of spill slots: bundles with disjoint live ranges share a slot.
//!
//! Method: bundles are processed in the order of their starts. A slot of the same size whose last owner has ended is
//! reused, the one that has been free for longest, so that the result is deterministic. An argument that has a home
//! ([`super::homes`]) has a slot for itself, which is that place.

use super::SlotData;
use super::homes::slot_bytes;
use super::intervals::{Intervals, SLOT};
use super::positions::NONE;
use std::cmp::Reverse;
use std::collections::BinaryHeap;

/// Scratch memory. By log2 of a slot's size: a heap of the slots and the positions from which on they are free.
#[derive(Debug, Default)]
pub(super) struct SlotMemory {
    free_from: [BinaryHeap<Reverse<(u32, u32)>>; 7],
}

/// Assigns a slot to each bundle that needs one.
pub(super) fn assign(memory: &mut SlotMemory, intervals: &mut Intervals, reuse: bool, slots: &mut Vec<SlotData>) {
    memory.free_from.iter_mut().for_each(BinaryHeap::clear);
    for number in 0..intervals.bundles.len() {
        let bundle = intervals.bundles[number];
        if bundle.is_remat() || !bundle.spilled || !is_in_slot(intervals, bundle.first) {
            continue;
        }
        let bytes = slot_bytes(&bundle);
        if bundle.home.is_some() {
            intervals.bundles[number].slot = slots.len() as u32;
            slots.push(SlotData {
                bytes,
                home: bundle.home,
            });
            continue;
        }
        let from = intervals.ranges[bundle.ranges.0 as usize].from;
        let to = intervals.ranges[bundle.ranges.1 as usize - 1].to;
        let heap = &mut memory.free_from[bytes.trailing_zeros() as usize];
        let slot = match heap.peek() {
            Some(&Reverse((end, slot))) if reuse && end <= from => {
                heap.pop();
                slot
            }
            _ => {
                slots.push(SlotData::of_bytes(bytes));
                slots.len() as u32 - 1
            }
        };
        heap.push(Reverse((to, slot)));
        intervals.bundles[number].slot = slot;
    }
}

/// Whether some part of the list, starting at `part`, is live in the slot.
fn is_in_slot(intervals: &Intervals, mut part: u32) -> bool {
    while part != NONE {
        let data = &intervals.parts[part as usize];
        if data.place == SLOT && intervals.spans_of_part(data).next().is_some() {
            return true;
        }
        part = data.next;
    }
    false
}
