//! Reloads where they are executed least: for each value that is in its slot at times, chooses anew for each block in
//! which nothing names it whether it is in its register or in its slot there.
//!
//! A linear scan decides when it lacks a register, in layout order, and does not see what that means for edges: a value
//! that only few cases of a switch in a loop need is in a register at the head of the loop, so that each case which
//! took the register reloads it in the end; or a value is stored early for a block that is rarely executed, and
//! reloaded on the path around that block, too, although nothing took its register there.
//!
//! Method: the *stretches* of a bundle are the blocks that it is live through without occurrences or borders of parts,
//! and what comes before the first and after the last of them in other blocks. A stretch can be in the slot or in a
//! register: the one that the scan gave it, or that of a neighboring part if it is free there. The rest of its blocks
//! stays as it is. A loop that the bundle is live through is one stretch, or stays as it is if its register is taken
//! within: moves inside of it could be where the loop is entered and left, which is executed less often. Bundles would
//! otherwise have stretches in all loops within their own, the square of the depth in all. Each way from stretch to
//! stretch costs a reload if the first one is in the slot and the second one in a register, a store in the opposite
//! case, and a move between two registers, weighted by frequency. The cheapest choice for all stretches at once is a
//! minimum cut ([`cut`]; so is the placement of reloads in LLVM's and others' allocators, and of expressions in Cai and
//! Xue, "Optimal and Efficient Speculation-Based Partial Redundancy Elimination", but for the heuristics).
//!
//! Bundles whose places change in no loop are left alone, and those whose reloads, stores and moves are executed so
//! rarely that no choice is worth its time: most of the blocks are those of values with a long life that are reloaded
//! once ([`Reloads::is_worth_it`]).

mod cut;
mod free;

use super::intervals::{Intervals, SLOT, occ};
use super::liveness::{Grouped, Liveness};
use super::occupancy::Occupancy;
use super::positions::{NONE, Positions};
use crate::mfunc::MFunc;
use crate::reg::{PRegSet, Reg};
use cut::Network;
use free::FreeRegisters;

/// The cost of a move between registers, in units of one load or store.
const MOVE: f32 = 0.75;
/// The cost of rematerializing a constant.
const REMATERIALIZE: f32 = 0.4;
/// What a phi move costs more if its source is in the slot.
const LOADED_PHI: f32 = 0.7;
/// How much more a move costs on an edge that needs a block of its own.
const SPLIT_EDGE: f32 = 1.25;
/// Added to all frequencies, so that no place is free.
const PLACE: f32 = 0.02;
/// A choice must save as much to be made.
const LEAST_GAIN: f32 = 0.01;
/// Better choices are looked for if as much is paid for a bundle,
const LEAST_PAID: f32 = 1.0;
/// and as much for each block that it is live into;
const LEAST_PAID_PER_BLOCK: f32 = 0.3;
/// or if its place changes as often in the code,
const LEAST_CHANGES: f32 = 3.0;
/// and as often for each of these blocks.
const LEAST_CHANGES_PER_BLOCK: f32 = 0.17;
/// So many loops around a block are looked at.
const MOST_NESTED: usize = 16;

/// Where a value is at one end of a way.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum End {
    /// In this place, which is not to be chosen.
    Fixed(u8),
    /// In the place of this stretch.
    Stretch(u32),
}

/// A range of positions within a block for which a place is chosen.
#[derive(Clone, Copy, Debug)]
struct Stretch {
    from: u32,
    to: u32,
    /// The place that the scan has given it.
    place: u8,
    /// The register that it can be in.
    reg: u8,
}

/// A way from one stretch, or from what is fixed, to another.
#[derive(Clone, Copy, Debug)]
struct Way {
    from: End,
    to: End,
    freq: f32,
}

/// Where a bundle is at the start and the end of a block; the numbers are those of the bundle for which it is set.
#[derive(Clone, Copy, Debug)]
struct BlockEnds {
    start_of: u32,
    start: End,
    end_of: u32,
    end: End,
}

const NO_ENDS: BlockEnds = BlockEnds {
    start_of: NONE,
    start: End::Fixed(SLOT),
    end_of: NONE,
    end: End::Fixed(SLOT),
};

/// Memory of the pass, kept from function to function.
#[derive(Debug, Default)]
pub(super) struct ReloadMemory {
    network: Network,
    free: FreeRegisters,
    stretches: Vec<Stretch>,
    ways: Vec<Way>,
    ends: Vec<BlockEnds>,
    /// The blocks at whose start the current bundle is live.
    entered: Vec<u32>,
    /// By block: the places that a bundle has at its start and its end; those of others are of earlier bundles.
    places: Vec<(u8, u8)>,
    /// By bundle: the edges whose moves read it for other bundles.
    left_on: Grouped,
    pairs: Vec<(u32, u32)>,
    /// What each stretch costs more in the slot.
    extra: Vec<f32>,
    chosen: Vec<bool>,
}

/// What the pass reads and changes.
pub(super) struct Reloads<'a> {
    pub func: &'a MFunc,
    pub positions: &'a Positions,
    pub liveness: &'a Liveness,
    pub intervals: &'a mut Intervals,
    pub occupancy: &'a Occupancy,
    /// Positions of calls and the registers that they clobber, ascending.
    pub clobbers: &'a [(u32, PRegSet)],
    pub memory: &'a mut ReloadMemory,
}

/// Where the walk over a bundle's blocks is.
#[derive(Clone, Copy, Debug)]
struct Cursor {
    part: u32,
    before: u32,
    occ: u32,
}

/// The costs of the current bundle.
#[derive(Clone, Copy, Debug)]
struct Costs {
    load: f32,
    moved: f32,
    /// The cost of storing it after each definition.
    definitions: f32,
}

impl Reloads<'_> {
    /// Chooses places for all bundles of a function with loops, visiting at most `budget` blocks.
    pub(super) fn run(&mut self, mut budget: usize) {
        let mut is_ready = false;
        self.memory.places.resize(self.func.blocks.len(), (SLOT, SLOT));
        for bundle in 0..self.intervals.bundles.len() as u32 {
            if !self.is_candidate(bundle) {
                continue;
            }
            match budget.checked_sub(self.block_count(bundle)) {
                Some(rest) => budget = rest,
                None => return,
            }
            if !self.is_worth_it(bundle) {
                continue;
            }
            if !is_ready {
                self.prepare();
                is_ready = true;
            }
            self.find_stretches(bundle);
            if self.memory.stretches.is_empty() {
                continue;
            }
            self.connect_blocks(bundle);
            if self.choose(bundle) {
                self.apply(bundle);
            }
        }
    }

    /// Whether a bundle changes between register and slot in a loop.
    fn is_candidate(&self, number: u32) -> bool {
        let bundle = &self.intervals.bundles[number as usize];
        if !bundle.spilled {
            return false;
        }
        let mut part = self.intervals.parts[bundle.first as usize].next;
        while let Some(data) = self.intervals.parts.get(part as usize) {
            if self.positions.innermost_loop(self.positions.block(data.from)) != NONE {
                return true;
            }
            part = data.next;
        }
        false
    }

    fn block_count(&self, bundle: u32) -> usize {
        let ranges = self.intervals.ranges_of(&self.intervals.bundles[bundle as usize]);
        let (from, to) = (ranges[0].from, ranges[ranges.len() - 1].to);
        (self.positions.block(to - 1) - self.positions.block(from)) as usize + 1
    }

    fn prepare(&mut self) {
        let memory = &mut *self.memory;
        memory.free.collect(self.intervals, self.occupancy);
        memory.ends.clear();
        memory.ends.resize(self.func.blocks.len(), NO_ENDS);
        memory.pairs.clear();
        for edge in 0..self.func.edges.len() {
            for phi in self.func.moves_of(edge) {
                let bundle_of = |reg: Reg| self.intervals.bundle_of[reg.virtual_index()];
                let (dst, src) = (bundle_of(phi.dst), bundle_of(phi.src));
                if dst != NONE && src != NONE && dst != src && self.func.vreg(phi.src).constant.is_none() {
                    memory.pairs.push((src, edge as u32));
                }
            }
        }
        memory.left_on.fill(self.intervals.bundles.len(), &memory.pairs);
    }

    /// Whether a bundle changes its place so often, when the code is executed or in the code, that it is worth looking
    /// for better choices.
    fn is_worth_it(&mut self, bundle: u32) -> bool {
        let (paid, changes) = self.changes(bundle);
        let blocks = self.memory.entered.len() as f32;
        paid >= LEAST_PAID.max(blocks * LEAST_PAID_PER_BLOCK)
            || changes >= LEAST_CHANGES.max(blocks * LEAST_CHANGES_PER_BLOCK)
    }

    /// How often a bundle changes its place, in units of one entry into the function, and in how many places: inside of
    /// blocks, and on edges. An edge that moves something else into it may count by mistake. Collects the blocks that
    /// it is live into.
    fn changes(&mut self, bundle: u32) -> (f32, f32) {
        let memory = &mut *self.memory;
        memory.entered.clear();
        let data = &self.intervals.bundles[bundle as usize];
        let mut part = &self.intervals.parts[data.first as usize];
        let mut paid = 0.0;
        let mut changes = 0.0;
        for &(from, to) in &self.intervals.spans[data.spans.0 as usize..data.spans.1 as usize] {
            let last = self.positions.block(to - 1);
            let mut block = self.positions.block(from);
            while part.to <= from {
                part = &self.intervals.parts[part.next as usize];
            }
            if from == self.positions.start(block) {
                memory.places[block as usize].0 = part.place;
                memory.entered.push(block);
            }
            loop {
                let end = self.positions.start(block + 1).min(to);
                while part.to < end {
                    let next = &self.intervals.parts[part.next as usize];
                    if next.place != part.place {
                        paid += self.positions.freq(block);
                        changes += 1.0;
                    }
                    part = next;
                }
                memory.places[block as usize].1 = part.place;
                if block == last {
                    break;
                }
                block += 1;
                if part.to <= end {
                    part = &self.intervals.parts[part.next as usize];
                }
                memory.places[block as usize].0 = part.place;
                memory.entered.push(block);
            }
        }
        for &block in &memory.entered {
            let start = memory.places[block as usize].0;
            for &edge in self.func.pred_edges(block) {
                let edge = &self.func.edges[edge as usize];
                if memory.places[edge.from as usize].1 != start {
                    paid += self.positions.freq(edge.from).min(self.positions.freq(block));
                    changes += 1.0;
                }
            }
        }
        (paid, changes)
    }

    /// Finds a bundle's stretches and the ways between them inside of blocks.
    fn find_stretches(&mut self, bundle: u32) {
        self.memory.stretches.clear();
        self.memory.extra.clear();
        self.memory.ways.clear();
        self.memory.entered.clear();
        let data = self.intervals.bundles[bundle as usize];
        let mut cursor = Cursor {
            part: data.first,
            before: NONE,
            occ: data.occs.0,
        };
        for span in data.spans.0..data.spans.1 {
            let (from, to) = self.intervals.spans[span as usize];
            let last = self.positions.block(to - 1);
            let mut block = self.positions.block(from);
            while block <= last {
                if let Some(after) = self.pass_loop(bundle, block, (from, to), &mut cursor) {
                    block = after;
                    continue;
                }
                let (start, end) = (self.positions.start(block), self.positions.start(block + 1));
                self.visit(bundle, block, (from.max(start), to.min(end)), &mut cursor);
                block += 1;
            }
        }
    }

    /// Makes one stretch of the loop with this header, if a bundle is live through it in one part and without
    /// occurrences, and nothing is to be gained from different places in it. Returns the block after the loop.
    fn pass_loop(&mut self, bundle: u32, header: u32, (from, to): (u32, u32), cursor: &mut Cursor) -> Option<u32> {
        let number = self.positions.loop_of_header(header)?;
        let blocks = self.positions.blocks_of(number);
        let (start, end) = (self.positions.start(blocks.start), self.positions.start(blocks.end));
        if blocks.len() < 2 || from > start || to < end {
            return None;
        }
        let last_occ = self.intervals.bundles[bundle as usize].occs.1;
        if cursor.occ < last_occ && self.intervals.occs[cursor.occ as usize].pos < end {
            return None;
        }
        self.advance(cursor, start);
        let part = &self.intervals.parts[cursor.part as usize];
        if part.to < end || (part.place == SLOT && self.is_free_at_times(number, cursor, (start, end))) {
            return None;
        }
        let place = self.stretch(cursor, start, end);
        self.memory.entered.push(header);
        self.memory.ends[blocks.start as usize..blocks.end as usize].fill(BlockEnds {
            start_of: bundle,
            start: place,
            end_of: bundle,
            end: place,
        });
        Some(blocks.end)
    }

    /// Whether a register that the part at the cursor could be in is free in some of a loop only, and what takes it
    /// there is executed less often than the loop is entered.
    fn is_free_at_times(&mut self, number: u32, cursor: &Cursor, (start, end): (u32, u32)) -> bool {
        for reg in self.neighbors(cursor).into_iter().filter(|&place| place != SLOT) {
            match self.memory.free.conflict(reg, start, end, self.clobbers) {
                None => return false,
                Some(pos) if !self.is_entered_as_often(self.positions.block(pos), number) => return true,
                Some(_) => {}
            }
        }
        false
    }

    /// Whether a block in a loop is executed as often as the loop is entered, and the loops between are entered so.
    fn is_entered_as_often(&self, block: u32, around: u32) -> bool {
        let least = self.entry_freq(around);
        let mut number = self.positions.innermost_loop(block);
        // What is nested more deeply still is executed more often, as far as is known.
        for _ in 0..MOST_NESTED {
            if number == around || number == NONE {
                break;
            }
            if self.entry_freq(number) < least {
                return false;
            }
            number = self.positions.parent_loop(number);
        }
        self.positions.freq(block) >= least
    }

    /// How often a loop is entered.
    fn entry_freq(&self, number: u32) -> f32 {
        let blocks = self.positions.blocks_of(number);
        let preds = self.func.pred_edges(blocks.start).iter();
        let entering = preds.filter(|&&edge| !blocks.contains(&self.func.edges[edge as usize].from));
        entering.map(|&edge| self.edge_freq(edge)).sum()
    }

    /// Finds the stretches of a bundle that is live in this range of a block.
    fn visit(&mut self, bundle: u32, block: u32, (from, to): (u32, u32), cursor: &mut Cursor) {
        let is_live_in = from == self.positions.start(block);
        let is_live_out = to == self.positions.start(block + 1);
        self.advance(cursor, from);
        let first_occ = cursor.occ;
        let occs_end = self.pass_occurrences(bundle, cursor, to);
        let head = *cursor;
        let head_part = self.intervals.parts[head.part as usize];
        let has_occs = cursor.occ != first_occ;
        if is_live_in && is_live_out && !has_occs && head_part.to >= to {
            let end = self.stretch(&head, from, to);
            self.memory.entered.push(block);
            self.memory.ends[block as usize] = BlockEnds {
                start_of: bundle,
                start: end,
                end_of: bundle,
                end,
            };
            return;
        }
        let mut head_end = from;
        let mut start = End::Fixed(head_part.place);
        if is_live_in {
            head_end = self.end_of_head(&head, has_occs.then_some(first_occ), to);
            if head_end > from {
                start = self.stretch(&head, from, head_end);
            }
            self.memory.entered.push(block);
            let ends = &mut self.memory.ends[block as usize];
            (ends.start_of, ends.start) = (bundle, start);
        }
        let mut tail_start = to;
        if is_live_out {
            self.advance(cursor, to - 1);
            let last = self.intervals.parts[cursor.part as usize];
            tail_start = self.positions.gap_from(occs_end.max(from)).max(last.from);
            let is_gap = tail_start < to && self.positions.gap(tail_start) == tail_start;
            let mut end = End::Fixed(last.place);
            if is_gap && tail_start > from {
                end = self.stretch(cursor, tail_start, to);
                let inner = if is_live_in && head_end == tail_start {
                    start
                } else {
                    End::Fixed(self.place_before(cursor, tail_start))
                };
                self.add_way(inner, end, self.positions.freq(block));
            }
            let ends = &mut self.memory.ends[block as usize];
            (ends.end_of, ends.end) = (bundle, end);
        }
        if head_end > from && head_end < to && head_end != tail_start {
            let inner = if head_end == head_part.to {
                head_part.next
            } else {
                head.part
            };
            let place = self.intervals.parts[inner as usize].place;
            self.add_way(start, End::Fixed(place), self.positions.freq(block));
        }
    }

    /// Moves to the part that contains a position.
    fn advance(&self, cursor: &mut Cursor, pos: u32) {
        while self.intervals.parts[cursor.part as usize].to <= pos {
            cursor.before = cursor.part;
            cursor.part = self.intervals.parts[cursor.part as usize].next;
        }
    }

    /// Passes the occurrences before a position; returns where the last one ends.
    fn pass_occurrences(&self, bundle: u32, cursor: &mut Cursor, to: u32) -> u32 {
        let last = self.intervals.bundles[bundle as usize].occs.1;
        let mut end = 0;
        while cursor.occ < last && self.intervals.occs[cursor.occ as usize].pos < to {
            end = end.max(self.intervals.occs[cursor.occ as usize].end);
            cursor.occ += 1;
        }
        end
    }

    /// Where the stretch at the start of a block ends: before the first occurrence, or at the first border. The start
    /// itself if there is no such stretch.
    fn end_of_head(&self, head: &Cursor, first_occ: Option<u32>, to: u32) -> u32 {
        let part = &self.intervals.parts[head.part as usize];
        let start = self.positions.start(self.positions.block(to - 1));
        let mut end = to;
        if let Some(number) = first_occ {
            let occurrence = &self.intervals.occs[number as usize];
            if !occurrence.has(occ::USE) {
                return start;
            }
            end = self.positions.gap(occurrence.pos);
        }
        end = end.min(part.to);
        if end < to && self.positions.gap(end) != end {
            return start;
        }
        end
    }

    /// The place of a bundle before a position in the part at the cursor, or at its start.
    fn place_before(&self, cursor: &Cursor, pos: u32) -> u8 {
        let part = &self.intervals.parts[cursor.part as usize];
        if part.from == pos {
            self.intervals.parts[cursor.before as usize].place
        } else {
            part.place
        }
    }

    /// Makes a stretch of a range in the part at the cursor, if there is a choice for it.
    fn stretch(&mut self, cursor: &Cursor, from: u32, to: u32) -> End {
        let part = self.intervals.parts[cursor.part as usize];
        let reg = if part.place == SLOT {
            let neighbors = self.neighbors(cursor);
            let free = &mut self.memory.free;
            let mut registers = neighbors.into_iter().filter(|&place| place != SLOT);
            registers.find(|&reg| free.is_free(reg, from, to, self.clobbers))
        } else {
            Some(part.place)
        };
        let Some(reg) = reg else {
            return End::Fixed(SLOT);
        };
        self.memory.stretches.push(Stretch {
            from,
            to,
            place: part.place,
            reg,
        });
        self.memory.extra.push(0.0);
        End::Stretch(self.memory.stretches.len() as u32 - 1)
    }

    /// The places of the parts after and before the one at the cursor.
    fn neighbors(&self, cursor: &Cursor) -> [u8; 2] {
        let next = self.intervals.parts[cursor.part as usize].next;
        [next, cursor.before].map(|part| self.intervals.parts.get(part as usize).map_or(SLOT, |part| part.place))
    }

    fn add_way(&mut self, from: End, to: End, freq: f32) {
        let is_chosen = matches!(from, End::Stretch(_)) || matches!(to, End::Stretch(_));
        if is_chosen && from != to {
            let freq = freq + PLACE;
            self.memory.ways.push(Way { from, to, freq });
        }
    }

    /// Finds the ways along edges.
    fn connect_blocks(&mut self, bundle: u32) {
        for index in 0..self.memory.entered.len() {
            let block = self.memory.entered[index];
            let to = self.memory.ends[block as usize].start;
            let preds = self.func.pred_edges(block);
            let phi = self.phi_at(bundle, block);
            for &edge in preds {
                if phi.is_some_and(|vreg| !self.continues(bundle, edge, vreg)) {
                    continue;
                }
                let from = self.func.edges[edge as usize].from;
                let ends = self.memory.ends[from as usize];
                if ends.end_of == bundle {
                    let is_split = preds.len() > 1 && self.func.edges_of(from).len() > 1;
                    let factor = if is_split { SPLIT_EDGE } else { 1.0 };
                    self.add_way(ends.end, to, self.edge_freq(edge) * factor);
                }
            }
        }
        for &edge in self.memory.left_on.of(bundle) {
            let ends = self.memory.ends[self.func.edges[edge as usize].from as usize];
            if let End::Stretch(number) = ends.end
                && ends.end_of == bundle
            {
                self.memory.extra[number as usize] += self.edge_freq(edge) * LOADED_PHI;
            }
        }
    }

    fn edge_freq(&self, edge: u32) -> f32 {
        let edge = &self.func.edges[edge as usize];
        self.positions.freq(edge.from).min(self.positions.freq(edge.to))
    }

    /// The register of a bundle that edges into a block move something into.
    fn phi_at(&self, bundle: u32, block: u32) -> Option<u32> {
        let preds = self.func.pred_edges(block);
        if preds.iter().all(|&edge| self.func.edges[edge as usize].move_count == 0) {
            return None;
        }
        let vreg = self.intervals.range_at(bundle, self.positions.start(block))?.vreg;
        (!self.liveness.phi_moves.of(vreg).is_empty()).then_some(vreg)
    }

    /// Whether what an edge moves into a phi is in the phi's bundle.
    fn continues(&self, bundle: u32, edge: u32, phi: u32) -> bool {
        let moves = self.func.moves_of(edge as usize).iter();
        let mut found = moves.filter(|moved| moved.dst.virtual_index() == phi as usize);
        match found.next() {
            Some(moved) => self.intervals.bundle_of[moved.src.virtual_index()] == bundle,
            None => true,
        }
    }

    /// Chooses for each stretch whether it is in its register; returns whether that is better than what the scan chose.
    fn choose(&mut self, bundle: u32) -> bool {
        let data = &self.intervals.bundles[bundle as usize];
        let is_remat = data.is_remat();
        let costs = Costs {
            load: if is_remat { REMATERIALIZE } else { 1.0 },
            moved: if is_remat { REMATERIALIZE.min(MOVE) } else { MOVE },
            definitions: if is_remat { 0.0 } else { data.def_cost },
        };
        let memory = &mut *self.memory;
        memory.chosen.clear();
        memory
            .chosen
            .extend(memory.stretches.iter().map(|stretch| stretch.place != SLOT));
        let (others, stores) = memory.cost(&costs);
        let paid = others + stores.min(costs.definitions);
        // Either each store is paid for, or all of them are after definitions, as is cheaper now: it hardly ever is the
        // other way round for better choices.
        let store = if stores < costs.definitions { 1.0 } else { 0.0 };
        if !memory.solve(&costs, store) {
            return false;
        }
        let (others, stores) = memory.cost(&costs);
        others + stores.min(costs.definitions) < paid - LEAST_GAIN
    }

    /// Gives the stretches of a bundle their places.
    fn apply(&mut self, bundle: u32) {
        let first = self.intervals.bundles[bundle as usize].first;
        let mut part = first;
        for index in 0..self.memory.stretches.len() {
            let stretch = self.memory.stretches[index];
            let place = if self.memory.chosen[index] { stretch.reg } else { SLOT };
            if place == stretch.place {
                continue;
            }
            while self.intervals.parts[part as usize].to <= stretch.from {
                part = self.intervals.parts[part as usize].next;
            }
            if self.intervals.parts[part as usize].from < stretch.from {
                part = self.split(part, stretch.from);
            }
            if stretch.to < self.intervals.parts[part as usize].to {
                self.split(part, stretch.to);
            }
            self.intervals.parts[part as usize].place = place;
            let free = &mut self.memory.free;
            if place == SLOT {
                free.release(stretch.reg, stretch.from, stretch.to);
            } else {
                free.take(stretch.reg, stretch.from, stretch.to);
            }
        }
        self.merge_parts(first);
    }

    /// Splits a part into two with the same place; returns the second one.
    fn split(&mut self, part: u32, pos: u32) -> u32 {
        let rest = self.intervals.split(part, pos);
        self.intervals.parts[rest as usize].place = self.intervals.parts[part as usize].place;
        rest
    }

    /// Merges adjacent parts in the same place, from a part on.
    fn merge_parts(&mut self, mut part: u32) {
        while part != NONE {
            self.intervals.merge_with_next(part);
            part = self.intervals.parts[part as usize].next;
        }
    }
}

impl ReloadMemory {
    /// Where an end is under the current choice.
    fn place(&self, end: End) -> u8 {
        match end {
            End::Fixed(place) => place,
            End::Stretch(number) if self.chosen[number as usize] => self.stretches[number as usize].reg,
            End::Stretch(_) => SLOT,
        }
    }

    /// What the current choice costs: reloads and moves, and stores if there are none after definitions.
    fn cost(&self, costs: &Costs) -> (f32, f32) {
        let (mut others, mut stores) = (0.0, 0.0);
        for way in &self.ways {
            match (self.place(way.from), self.place(way.to)) {
                (from, to) if from == to => {}
                (SLOT, _) => others += way.freq * costs.load,
                (_, SLOT) => stores += way.freq,
                _ => others += way.freq * costs.moved,
            }
        }
        for (extra, is_in_register) in self.extra.iter().zip(&self.chosen) {
            others += if *is_in_register { 0.0 } else { extra * costs.load };
        }
        (others, stores)
    }

    /// The register that an end can be in.
    fn register(&self, end: End) -> u8 {
        match end {
            End::Fixed(place) => place,
            End::Stretch(number) => self.stretches[number as usize].reg,
        }
    }

    /// Makes the cheapest choice, where leaving a register costs `store`. Returns false if that takes too long.
    fn solve(&mut self, costs: &Costs, store: f32) -> bool {
        self.network.start(self.stretches.len());
        for way in &self.ways {
            let is_moved = self.register(way.from) != self.register(way.to);
            let moved = if is_moved { way.freq * costs.moved } else { 0.0 };
            let load = way.freq * costs.load;
            let store = way.freq * store;
            match (way.from, way.to) {
                (End::Stretch(from), End::Stretch(to)) => {
                    self.network.connect(from, to, load - moved, store);
                    self.network.add_costs(to, 0.0, moved);
                }
                (End::Fixed(SLOT), End::Stretch(to)) => self.network.add_costs(to, 0.0, load),
                (End::Fixed(_), End::Stretch(to)) => self.network.add_costs(to, store, moved),
                (End::Stretch(from), End::Fixed(SLOT)) => self.network.add_costs(from, 0.0, store),
                (End::Stretch(from), End::Fixed(_)) => self.network.add_costs(from, load, moved),
                (End::Fixed(_), End::Fixed(_)) => {}
            }
        }
        for (number, extra) in self.extra.iter().enumerate() {
            self.network.add_costs(number as u32, extra * costs.load, 0.0);
        }
        if !self.network.solve() {
            return false;
        }
        self.chosen.clear();
        let nodes = 0..self.stretches.len() as u32;
        self.chosen.extend(nodes.map(|node| self.network.is_on_sink_side(node)));
        true
    }
}
