//! Homes: an argument that is passed in memory keeps its own place as its spill slot.
//!
//! A bundle whose only definition loads all of its bytes from where an argument was passed has a *home*: that place
//! ([`crate::mfunc::MFunc::argument_places`]). It never changes, so the bundle is in its slot from the beginning,
//! wherever else it is: nothing stores it, and the load goes if the register is not needed before the bundle is read
//! from its home.
//!
//! No place is a home in functions that write to their incoming arguments, which are those with tail calls: arguments
//! that these pass in memory are stored there, before all others have been read. In functions without, only memory that
//! is passed by value is written, or has its address taken, and has bytes of its own.

use super::AllocatorInput;
use super::intervals::{Bundle, Intervals, SLOT, occ};
use super::positions::{NONE, Positions};
use super::walk::Walk;
use crate::mfunc::{MFunc, incoming_reload, op_desc};

/// A bundle that has a home.
#[derive(Clone, Copy, Debug)]
struct Home {
    bundle: u32,
    /// Whether edges move it to phis of other bundles.
    feeds_phis: bool,
}

/// The bundles that have homes; memory that is kept from function to function.
#[derive(Debug, Default)]
pub(super) struct Homes {
    found: Vec<Home>,
}

impl Homes {
    /// Finds the bundles that have homes.
    pub(super) fn find(&mut self, func: &MFunc, input: &AllocatorInput<'_>, walk: &Walk, intervals: &mut Intervals) {
        self.found.clear();
        if walk.names_incoming && !func.tail_calls.is_empty() {
            return;
        }
        for &(vreg, inst) in &walk.arguments {
            let number = intervals.bundle_of[vreg as usize];
            let Some(bundle) = intervals.bundles.get(number as usize) else {
                continue;
            };
            let data = &func.insts[inst as usize];
            let loaded = incoming_reload(data, op_desc(input.ops, data.op));
            let home = loaded.filter(|&(_, bytes)| bytes == slot_bytes(bundle) && is_defined_once(intervals, bundle));
            if let Some((place, bytes)) = home
                && func.argument_places.contains(&(place, bytes))
            {
                intervals.bundles[number as usize].home = Some(place);
                self.found.push(Home {
                    bundle: number,
                    feeds_phis: false,
                });
            }
        }
        if !self.found.is_empty() {
            self.leave_phis(walk, intervals);
        }
    }

    /// Takes the homes of bundles that edges move something else into.
    fn leave_phis(&mut self, walk: &Walk, intervals: &mut Intervals) {
        for copy in walk.copies.iter().filter(|copy| copy.inst == NONE) {
            let bundle_of = |reg: crate::reg::Reg| intervals.bundle_of[reg.virtual_index()];
            let (dst, src) = (bundle_of(copy.dst), bundle_of(copy.src));
            if dst == src {
                continue;
            }
            if let Some(bundle) = intervals.bundles.get_mut(dst as usize) {
                bundle.home = None;
            }
            if intervals
                .bundles
                .get(src as usize)
                .is_some_and(|bundle| bundle.home.is_some())
            {
                let home = self.found.iter_mut().find(|home| home.bundle == src);
                home.into_iter().for_each(|home| home.feeds_phis = true);
            }
        }
        self.found.retain(|home| {
            let bundle = &mut intervals.bundles[home.bundle as usize];
            if bundle.home.is_some() {
                bundle.def_cost = 0.0;
            }
            bundle.home.is_some()
        });
    }

    /// After the scan: has arguments in their homes from their definitions on, if their registers are needed for
    /// nothing but a memory operand. `in_memory` has a bit for each instruction with one.
    pub(super) fn leave_registers(&self, intervals: &mut Intervals, positions: &Positions, in_memory: &mut [u64]) {
        for home in self.found.iter().filter(|home| !home.feeds_phis) {
            let first = intervals.bundles[home.bundle as usize].first;
            let part = intervals.parts[first as usize];
            let occs = intervals.occs_of(&part);
            let is_followed_by_slot = intervals
                .parts
                .get(part.next as usize)
                .is_none_or(|next| next.place == SLOT);
            let (Some(definition), true) = (occs.first(), part.place != SLOT && is_followed_by_slot) else {
                continue;
            };
            let border = positions.gap_from(definition.end);
            if border >= part.to || positions.is_block_start(border) {
                continue;
            }
            if let [_, operand] = occs {
                let (word, bit) = (operand.inst as usize / 64, 1 << (operand.inst % 64));
                let is_rarer = positions.freq_at(operand.pos) <= positions.freq_at(definition.pos);
                let can_fold = operand.has(occ::FOLD) && !operand.has(occ::DEF) && in_memory[word] & bit == 0;
                if !can_fold || !is_rarer || operand.pos < border {
                    continue;
                }
                in_memory[word] |= bit;
                intervals.occs[part.occs.0 as usize + 1].flags |= occ::MEMORY;
            } else if occs.len() > 1 || part.next == NONE {
                continue;
            }
            let rest = intervals.split(first, border);
            intervals.parts[rest as usize].place = SLOT;
            intervals.merge_with_next(rest);
            intervals.bundles[home.bundle as usize].spilled = true;
        }
    }
}

/// The size of a bundle's slot.
pub(super) fn slot_bytes(bundle: &Bundle) -> u8 {
    bundle.bytes.max(4).next_power_of_two()
}

/// Whether only one instruction writes a register of a bundle, copies within the bundle aside.
fn is_defined_once(intervals: &Intervals, bundle: &Bundle) -> bool {
    let occs = &intervals.occs[bundle.occs.0 as usize..bundle.occs.1 as usize];
    occs.iter().filter(|occurrence| occurrence.has(occ::DEF)).count() == 1
}
