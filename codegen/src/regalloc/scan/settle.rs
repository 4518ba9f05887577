//! Consistent registers across branches and loops: at the start of a block whose hottest predecessor is not the block
//! before it in layout, values return to the registers that they have at the end of that predecessor.
//!
//! A linear scan sees blocks in layout order. If a value is moved to another register in one arm of a branch, all
//! blocks that are laid out later would see the new register, even those that are reached from before the branch. Each
//! such edge would then need moves, which is worst for a switch in a loop. So the scan records which parts are in
//! registers at the ends of blocks and at the starts of loops. Where a block is entered mostly from such a place, or
//! ends with the back edge of its loop, parts get the recorded registers before anything else is allocated in that
//! block.
//!
//! Parts may have been split since they were recorded; only what still holds is used.

use super::Scan;
use crate::mfunc::MFunc;
use crate::regalloc::intervals::{NO_PLACE, SLOT};
use crate::regalloc::positions::{NONE, Positions};

/// If no predecessor is executed at least this share of a block's frequency, and the block ends with the back edge of
/// its loop, it is made like the start of the loop.
const MOST: f32 = 0.5;

/// A position at which the scan stops to record or restore registers.
#[derive(Clone, Copy, Debug)]
struct Stop {
    pos: u32,
    what: What,
}

#[derive(Clone, Copy, Debug)]
enum What {
    /// Record the registers at the end of the block before this position.
    RememberEnd(u32),
    /// Restore the registers of this snapshot.
    Settle(u32),
    /// Record the registers at the start of the block at this position.
    RememberStart(u32),
}

/// The parts that were in registers at a position.
#[derive(Clone, Copy, Debug)]
struct Snapshot {
    pos: u32,
    /// The range of [`SettleMemory::parts`].
    parts: (u32, u32),
    /// The value of [`SettleMemory::cuts`] at that time.
    cuts: u32,
}

/// The plan and the snapshots of a function.
#[derive(Debug, Default)]
pub(in crate::regalloc) struct SettleMemory {
    stops: Vec<Stop>,
    next: usize,
    memories: Vec<Snapshot>,
    /// Registers and the parts in them.
    parts: Vec<(u8, u32)>,
    /// By block: the numbers of the snapshots at its end and at its start.
    of_block: Vec<[u32; 2]>,
    wishes: Vec<(u8, u32)>,
    /// How often parts have been split; if it is unchanged, every value is still where a snapshot says.
    pub cuts: u32,
}

impl SettleMemory {
    /// Plans which snapshots are taken and where they are used.
    pub(in crate::regalloc) fn plan(&mut self, func: &MFunc, positions: &Positions, joins: &[u32]) {
        self.stops.clear();
        self.next = 0;
        self.memories.clear();
        self.parts.clear();
        self.cuts = 0;
        self.of_block.clear();
        self.of_block.resize(func.blocks.len(), [NONE; 2]);
        for &block in joins {
            let Some((from, side)) = like(func, positions, block) else {
                continue;
            };
            let entry = &mut self.of_block[from as usize][side];
            if *entry == NONE {
                *entry = self.memories.len() as u32;
                let (pos, what) = if side == 0 {
                    (positions.start(from + 1), What::RememberEnd(*entry))
                } else {
                    (positions.start(from) + 1, What::RememberStart(*entry))
                };
                self.stops.push(Stop { pos, what });
                self.memories.push(Snapshot {
                    pos: pos - 1,
                    parts: (0, 0),
                    cuts: 0,
                });
            }
            self.stops.push(Stop {
                pos: positions.start(block),
                what: What::Settle(*entry),
            });
        }
        let order = |what| match what {
            What::RememberEnd(_) => 0,
            What::Settle(_) => 1,
            What::RememberStart(_) => 2,
        };
        self.stops.sort_by_key(|stop| (stop.pos, order(stop.what)));
    }

    #[inline]
    pub(super) fn next_stop(&self) -> u32 {
        self.stops.get(self.next).map_or(NONE, |stop| stop.pos)
    }
}

/// The position whose registers are restored at the start of a block: the end (0) or start (1) of another block.
/// `None` if the registers at the end of the block before it in layout order are right.
fn like(func: &MFunc, positions: &Positions, block: u32) -> Option<(u32, usize)> {
    let mut best = NONE;
    let mut best_freq = 0.0;
    for &edge in func.pred_edges(block) {
        let from = func.edges[edge as usize].from;
        let freq = if from < block { positions.freq(from) } else { 0.0 };
        if freq > best_freq || (freq == best_freq && from + 1 == block) {
            (best, best_freq) = (from, freq);
        }
    }
    let number = positions.innermost_loop(block);
    if best_freq < MOST * positions.freq(block) && number != NONE {
        let header = positions.blocks_of(number).start;
        if header < block && func.edges_of(block).any(|edge| func.edges[edge].to == header) {
            return Some((header, 1));
        }
    }
    (best != NONE && best + 1 != block).then_some((best, 0))
}

impl Scan<'_> {
    /// Carries out the next stop.
    pub(super) fn stop(&mut self) {
        let settle = &mut self.memory.settle;
        let stop = settle.stops[settle.next];
        settle.next += 1;
        match stop.what {
            What::RememberEnd(number) | What::RememberStart(number) => self.remember(number, stop.pos - 1),
            What::Settle(number) => self.settle(number, stop.pos),
        }
    }

    fn remember(&mut self, number: u32, pos: u32) {
        let settle = &mut self.memory.settle;
        let memory = &mut settle.memories[number as usize];
        memory.cuts = settle.cuts;
        memory.parts.0 = settle.parts.len() as u32;
        for reg in self.given.iter() {
            let part = self.memory.occupancy.part_at(self.intervals, reg.index(), pos);
            if part != NONE {
                settle.parts.push((reg.0 as u8, part));
            }
        }
        memory.parts.1 = settle.parts.len() as u32;
    }

    fn settle(&mut self, number: u32, start: u32) {
        let memory = self.memory.settle.memories[number as usize];
        if memory.cuts == self.memory.settle.cuts {
            return;
        }
        let mut wishes = std::mem::take(&mut self.memory.settle.wishes);
        wishes.clear();
        for index in memory.parts.0..memory.parts.1 {
            let (reg, remembered) = self.memory.settle.parts[index as usize];
            if let Some(part) = self.displaced(remembered, reg, memory.pos, start) {
                wishes.push((reg, part));
            }
        }
        for wish in &mut wishes {
            wish.1 = self.take_out(wish.1, start);
        }
        for &(reg, part) in &wishes {
            self.put_back(part, reg, start);
        }
        self.memory.settle.wishes = wishes;
    }

    /// If what was recorded still holds, and the bundle is elsewhere at `start`: the bundle's part at `start`.
    fn displaced(&mut self, remembered: u32, reg: u8, pos: u32, start: u32) -> Option<u32> {
        let data = self.intervals.parts.get(remembered as usize)?;
        if data.place != reg || data.to <= pos || data.to > start {
            return None;
        }
        let bundle = data.bundle;
        let anchor = self.intervals.bundles[bundle as usize].anchor;
        let is_after = self.intervals.parts[anchor as usize].from > start;
        let mut number = if is_after { remembered } else { anchor };
        while self.intervals.parts.get(number as usize)?.to <= start {
            number = self.intervals.parts[number as usize].next;
        }
        self.intervals.bundles[bundle as usize].anchor = number;
        let current = &self.intervals.parts[number as usize];
        // A part that starts here gets its place later, by the scan.
        (current.place != reg && current.from < start && self.intervals.range_at(bundle, start).is_some())
            .then_some(number)
    }

    /// Ends a part's place at a position and returns the rest of the part, which has no place yet.
    fn take_out(&mut self, number: u32, start: u32) -> u32 {
        let part = self.intervals.parts[number as usize];
        if part.place < SLOT {
            let occupancy = &mut self.memory.occupancy;
            occupancy.release(self.intervals, number, usize::from(part.place), start, part.to);
        }
        self.memory.settle.cuts += 1;
        let rest = self.intervals.split(number, start);
        self.intervals.parts[rest as usize].place = NO_PLACE;
        rest
    }

    /// Assigns a register to a part that starts here, up to where it is free; evicts the part that is in it.
    fn put_back(&mut self, number: u32, reg: u8, start: u32) {
        let part = self.intervals.parts[number as usize];
        let occupant = self.memory.occupancy.part_at(self.intervals, usize::from(reg), start);
        if occupant != NONE {
            self.evict(occupant, start);
        }
        self.find_limits(&part);
        let free = self.free_until(&part, reg);
        if free >= part.to {
            self.give(number, reg);
        } else if self.positions.gap(free) > start && (part.occs.0 == part.occs.1 || self.kept_before(&part, free) > 0)
        {
            self.give_until(number, reg, free);
        } else {
            self.wait(number, start);
        }
    }
}
