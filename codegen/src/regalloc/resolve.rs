//! Resolution: turns the places of parts into an [`Allocation`], with the registers of operands and the moves between
//! parts.
//!
//! Method: a *transition* of a bundle is a boundary between two of its parts within a block, or an edge whose ends
//! have different places. A transition from a register to the slot needs a store, unless the bundle is stored at each
//! definition anyway; the cheaper alternative is taken. Arguments in their homes ([`super::homes`]) are never stored. A
//! transition from the slot to a register is a reload or a
//! rematerialization. The phi moves of edges come last.

use super::intervals::{Intervals, NO_PLACE, Occurrence, Part, SLOT, count_first, occ};
use super::liveness::Liveness;
use super::positions::{NONE, Positions};
use super::{
    AllocMove, Allocation, AllocatorInput, EdgeMove, Edit, MemoryOperand, MoveSource, NO_REG, RegOrSlot, SpillSlot,
};
use crate::desc::SLOTS;
use crate::mfunc::{MFunc, Term, for_each_register, op_desc};
use crate::reg::Reg;

/// After this many passes over a bundle's transitions without a fixpoint, all of its parts count as dirty.
const MAX_ROUNDS: usize = 8;

/// Stands for several blocks in [`ResolveMemory::phi_blocks`].
const SEVERAL: u32 = NONE - 1;

/// Where a transition is.
#[derive(Clone, Copy, Debug)]
enum Where {
    /// At a point between instructions.
    Point(u32),
    Edge(u32),
}

/// A transition of a bundle from one part to another.
#[derive(Clone, Copy, Debug)]
struct Transition {
    at: Where,
    vreg: u32,
    /// The numbers of the parts in the bundle's list; `to` is the one that begins.
    from: u32,
    to: u32,
    freq: f32,
}

/// What is needed of a part of a bundle with several parts, for a fast search.
#[derive(Clone, Copy, Debug)]
struct Piece {
    from: u32,
    part: u32,
    place: u8,
}

/// Memory of the resolution, kept from function to function.
#[derive(Debug, Default)]
pub(super) struct ResolveMemory {
    /// The parts of all bundles that have several: those of one bundle are consecutive, in the order of their
    /// positions.
    pieces: Vec<Piece>,
    /// By bundle: the range of its parts in `pieces`; empty for a bundle with a single part.
    spread: Vec<(u32, u32)>,
    transitions: Vec<Transition>,
    /// By part of the current bundle: whether its register may hold another value than the slot, so that leaving the
    /// register needs a store.
    dirty: Vec<bool>,
    /// By bundle: whether it is stored to its slot after each definition.
    stored: Vec<bool>,
    /// By register: the block that it is a phi of, [`NONE`] if it is none, or [`SEVERAL`].
    phi_blocks: Vec<u32>,
    /// By edge: the phi that was examined last, if the edge leads to its block, and the register that the edge moves
    /// into it (or [`NONE`]).
    edge_source: Vec<(u32, u32)>,
    /// By merge point (block with several predecessors): the lowest and the highest position among its start and the
    /// ends of its predecessors. A part that contains both has no transition on these edges.
    reaches: Vec<(u32, u32)>,
}

pub(super) struct Resolution<'a> {
    pub func: &'a MFunc,
    pub input: &'a AllocatorInput<'a>,
    pub positions: &'a Positions,
    pub liveness: &'a Liveness,
    pub intervals: &'a Intervals,
    pub joined: &'a [u32],
    pub memory: &'a mut ResolveMemory,
    pub out: &'a mut Allocation,
}

impl Resolution<'_> {
    /// Fills the allocation: first all operands and transitions, bundle by bundle, then coalesced copies and phi
    /// moves.
    pub(super) fn run(&mut self) {
        self.out.regs.resize(self.func.insts.len(), [NO_REG; SLOTS]);
        self.order_parts();
        self.memory.stored.clear();
        self.memory.stored.resize(self.intervals.bundles.len(), false);
        self.memory.edge_source.clear();
        self.memory.edge_source.resize(self.func.edges.len(), (NONE, NONE));
        self.find_phi_blocks();
        self.measure_joins();
        for bundle in 0..self.intervals.bundles.len() as u32 {
            if self.part_count(bundle) == 0 {
                self.set_operands(bundle, self.intervals.bundles[bundle as usize].first);
                continue;
            }
            let unneeded = self.unneeded_definition(bundle);
            self.out.deleted.extend(unneeded);
            for index in u32::from(unneeded.is_some())..self.part_count(bundle) {
                self.set_operands(bundle, self.piece(bundle, index).part);
            }
            self.resolve_bundle(bundle);
        }
        self.finish_joined();
        self.move_phis();
        self.out.edits.sort_by_key(|edit| edit.point);
        self.out.edge_moves.sort_by_key(|edge_move| edge_move.edge);
        self.out.memory_operands.sort_by_key(|operand| operand.inst);
        self.out.deleted.sort_unstable();
    }

    fn order_parts(&mut self) {
        let ResolveMemory { pieces, spread, .. } = &mut *self.memory;
        pieces.clear();
        spread.clear();
        for bundle in &self.intervals.bundles {
            let start = pieces.len() as u32;
            let mut part = bundle.first;
            if self.intervals.parts[part as usize].next != NONE {
                while let Some(data) = self.intervals.parts.get(part as usize) {
                    pieces.push(Piece {
                        from: data.from,
                        part,
                        place: data.place,
                    });
                    part = data.next;
                }
            }
            spread.push((start, pieces.len() as u32));
        }
    }

    fn find_phi_blocks(&mut self) {
        let blocks = &mut self.memory.phi_blocks;
        blocks.clear();
        blocks.resize(self.func.vregs.len(), NONE);
        for (phi, &edge) in self.func.phi_moves.iter().zip(&self.liveness.move_edge) {
            if let Some(edge) = self.func.edges.get(edge as usize) {
                let block = &mut blocks[phi.dst.virtual_index()];
                *block = match *block {
                    known if known == NONE || known == edge.to => edge.to,
                    _ => SEVERAL,
                };
            }
        }
    }

    fn measure_joins(&mut self) {
        self.memory.reaches.clear();
        for &block in &self.liveness.regions.joins {
            let start = self.positions.start(block);
            let ends = self.func.pred_edges(block).iter().map(|&edge| self.end_of_source(edge));
            let reach = ends.fold((start, start), |(first, last), end| (first.min(end), last.max(end)));
            self.memory.reaches.push(reach);
        }
    }

    /// The last position in the block that an edge comes from.
    fn end_of_source(&self, edge: u32) -> u32 {
        self.positions.start(self.func.edges[edge as usize].from + 1) - 1
    }

    /// The number of parts of a bundle; 0 stands for a single one.
    fn part_count(&self, bundle: u32) -> u32 {
        let (start, end) = self.memory.spread[bundle as usize];
        end - start
    }

    fn piece(&self, bundle: u32, index: u32) -> Piece {
        let (start, _) = self.memory.spread[bundle as usize];
        self.memory.pieces[(start + index) as usize]
    }

    fn part(&self, bundle: u32, index: u32) -> &Part {
        &self.intervals.parts[self.piece(bundle, index).part as usize]
    }

    /// The parts of a bundle, if it has several.
    fn pieces(&self, bundle: u32) -> &[Piece] {
        let (start, end) = self.memory.spread[bundle as usize];
        &self.memory.pieces[start as usize..end as usize]
    }

    /// The positions that a part is responsible for, up to the start of the next one; the first part begins at 0 and
    /// the last one never ends.
    fn extent(&self, bundle: u32, index: u32) -> (u32, u32) {
        let pieces = self.pieces(bundle);
        let from = if index == 0 { 0 } else { pieces[index as usize].from };
        (from, pieces.get(index as usize + 1).map_or(NONE, |next| next.from))
    }

    /// The number of the part of a bundle at a position of its live range.
    fn part_at(&self, bundle: u32, pos: u32) -> u32 {
        let next = self.pieces(bundle).partition_point(|piece| piece.from <= pos);
        next.saturating_sub(1) as u32
    }

    /// The same as [`Resolution::part_at`], but tries the part `near` and its neighbors first.
    fn part_near(&self, bundle: u32, pos: u32, near: u32) -> u32 {
        let pieces = self.pieces(bundle);
        let starts_after = |index: usize| pieces.get(index).is_none_or(|piece| piece.from > pos);
        let near = near as usize;
        match (starts_after(near), starts_after(near + 1)) {
            (false, true) => near as u32,
            (true, _) if near > 0 && !starts_after(near - 1) => near as u32 - 1,
            (false, false) if starts_after(near + 2) => near as u32 + 1,
            _ => self.part_at(bundle, pos),
        }
    }

    /// The place of a bundle at a position of its live range.
    fn place_at(&self, bundle: u32, pos: u32) -> u8 {
        let place = if self.part_count(bundle) == 0 {
            self.intervals.parts[self.intervals.bundles[bundle as usize].first as usize].place
        } else {
            self.piece(bundle, self.part_at(bundle, pos)).place
        };
        debug_assert_ne!(place, NO_PLACE, "every part has a place");
        place
    }

    fn slot(&self, bundle: u32) -> SpillSlot {
        SpillSlot(self.intervals.bundles[bundle as usize].slot)
    }

    fn source(&self, bundle: u32, place: u8) -> MoveSource {
        let data = &self.intervals.bundles[bundle as usize];
        if place != SLOT {
            MoveSource::Kept(RegOrSlot::Reg(Reg(u32::from(place))))
        } else if data.is_remat() {
            MoveSource::Rematerialize(Reg::virtual_number(data.remat))
        } else {
            MoveSource::Kept(RegOrSlot::Slot(self.slot(bundle)))
        }
    }

    fn dest(&self, bundle: u32, place: u8) -> RegOrSlot {
        if place == SLOT {
            RegOrSlot::Slot(self.slot(bundle))
        } else {
            RegOrSlot::Reg(Reg(u32::from(place)))
        }
    }

    /// Enters the registers and memory operands of a part's occurrences into the allocation.
    fn set_operands(&mut self, bundle: u32, part: u32) {
        let part = &self.intervals.parts[part as usize];
        if part.place < Reg::FIRST_VIRTUAL as u8 {
            self.out.written.insert(Reg(u32::from(part.place)));
        }
        for occurrence in self.intervals.occs_of(part) {
            if occurrence.has(occ::MEMORY) {
                let slot = self.slot(bundle);
                self.out.memory_operands.push(MemoryOperand {
                    inst: occurrence.inst,
                    operand: occurrence.operand,
                    slot,
                });
            } else {
                debug_assert!(part.place < SLOT, "an operand that is not in memory has a register");
                self.out.regs[occurrence.inst as usize][usize::from(occurrence.operand)] = part.place;
            }
        }
    }

    fn resolve_bundle(&mut self, bundle: u32) {
        let data = &self.intervals.bundles[bundle as usize];
        self.memory.transitions.clear();
        self.memory.dirty.clear();
        self.memory.dirty.resize(self.part_count(bundle) as usize, false);
        self.find_borders(bundle);
        if !data.is_localized {
            self.find_edges(bundle);
        }
        if data.needs_no_store() {
            // It is never dirty.
        } else if data.is_localized && data.slot != NONE {
            self.memory.stored[bundle as usize] = true;
            self.store_definitions(bundle);
        } else if data.slot != NONE {
            self.find_dirty(bundle);
            let stores = self.memory.transitions.iter().filter(|t| self.needs_store(bundle, t));
            let cost: f32 = stores.map(|t| t.freq).sum();
            self.memory.stored[bundle as usize] = cost >= data.def_cost;
            if self.memory.stored[bundle as usize] {
                self.store_definitions(bundle);
            }
        }
        self.emit_transitions(bundle);
    }

    /// Finds the transitions at borders of parts inside of blocks. (Borders at the start of a block with one
    /// predecessor are transitions on its incoming edge.)
    fn find_borders(&mut self, bundle: u32) {
        let data = &self.intervals.bundles[bundle as usize];
        let is_localized = data.is_localized;
        let mut ranges = self.intervals.ranges_of(data);
        for index in 1..self.part_count(bundle) {
            let before = self.piece(bundle, index - 1);
            let border = self.piece(bundle, index).from;
            let gap = border & !1;
            ranges = &ranges[count_first(ranges, |range| range.to <= border)..];
            let Some(range) = ranges.first().filter(|range| range.from <= border) else {
                continue;
            };
            if border == gap && self.positions.is_block_start(border) {
                let (vreg, block) = (range.vreg, self.positions.block(border));
                if self.liveness.regions.joins.binary_search(&block).is_err() && !is_localized {
                    self.find_edges_into(bundle, vreg, block, index);
                }
                continue;
            }
            if range.from >= border {
                continue;
            }
            let mut from = index - 1;
            if border != gap && gap <= before.from {
                // The value leaves its register in the middle of an instruction, so it must be in the slot before that
                // instruction. If the previous border is there already, that one has the transition.
                if range.from >= gap || index < 2 || before.place == SLOT {
                    continue;
                }
                from = index - 2;
            }
            let vreg = range.vreg;
            self.transit(
                Where::Point(Edit::before(self.positions.inst(gap))),
                vreg,
                from,
                index,
                gap,
            );
        }
    }

    fn transit(&mut self, at: Where, vreg: u32, from: u32, to: u32, pos: u32) {
        let freq = self.positions.freq_at(pos);
        self.memory.transitions.push(Transition {
            at,
            vreg,
            from,
            to,
            freq,
        });
    }

    /// Finds the transitions on edges into merge points: those at whose ends the bundle is in different parts.
    fn find_edges(&mut self, bundle: u32) {
        let (first, end) = self.intervals.bundles[bundle as usize].ranges;
        let joins = &self.liveness.regions.joins;
        let start = self.intervals.ranges[first as usize].from;
        let mut next = joins.partition_point(|&block| self.positions.start(block) < start);
        let mut near = 0;
        let mut extent = self.extent(bundle, near);
        for index in first..end {
            let range = self.intervals.ranges[index as usize];
            while self.joins_before(next, range.from) {
                next += 1;
            }
            while self.joins_before(next, range.to) {
                let (first, last) = self.memory.reaches[next];
                if first < extent.0 || last >= extent.1 {
                    near = self.find_edges_into(bundle, range.vreg, joins[next], near);
                    extent = self.extent(bundle, near);
                }
                next += 1;
            }
        }
    }

    /// Whether merge point number `number` starts before a position.
    fn joins_before(&self, number: usize, pos: u32) -> bool {
        let block = self.liveness.regions.joins.get(number);
        block.is_some_and(|&block| self.positions.start(block) < pos)
    }

    /// If the register is a phi of a block, notes for each edge into it which register the edge moves into the phi.
    fn mark_edges(&mut self, vreg: u32, block: u32) {
        let of = self.memory.phi_blocks[vreg as usize];
        if of != block && of != SEVERAL {
            return;
        }
        for &number in self.liveness.phi_moves.of(vreg) {
            let edge = self.liveness.move_edge[number as usize];
            if self.memory.edge_source[edge as usize].0 != vreg {
                for &other in self.func.pred_edges(self.func.edges[edge as usize].to) {
                    self.memory.edge_source[other as usize] = (vreg, NONE);
                }
            }
            let source = self.func.phi_moves[number as usize].src.virtual_index() as u32;
            self.memory.edge_source[edge as usize] = (vreg, source);
        }
    }

    /// Finds the transitions on edges into a block. `near` is a part near the block's start; returns the part at its
    /// start.
    fn find_edges_into(&mut self, bundle: u32, vreg: u32, block: u32, near: u32) -> u32 {
        self.mark_edges(vreg, block);
        let to = self.part_near(bundle, self.positions.start(block), near);
        let mut from = to;
        for &edge in self.func.pred_edges(block) {
            let (phi, source) = self.memory.edge_source[edge as usize];
            if phi == vreg && self.intervals.bundle_of.get(source as usize) != Some(&bundle) {
                continue;
            }
            let from_block = self.func.edges[edge as usize].from;
            let from_end = self.end_of_source(edge);
            from = self.part_near(bundle, from_end, from);
            if from != to {
                let rarer = self.positions.freq(from_block) < self.positions.freq(block);
                let pos = if rarer { from_end } else { self.positions.start(block) };
                self.transit(Where::Edge(edge), vreg, from, to, pos);
            }
        }
        to
    }

    /// Finds the dirty parts: those in registers that have a definition, and those that are reached from one by
    /// transitions between registers.
    fn find_dirty(&mut self, bundle: u32) {
        let mut dirty = std::mem::take(&mut self.memory.dirty);
        for index in 0..self.part_count(bundle) {
            let part = self.part(bundle, index);
            let is_defined = self.intervals.occs_of(part).iter().any(|o| o.has(occ::DEF));
            dirty[index as usize] = part.place != SLOT && (dirty[index as usize] || is_defined);
        }
        self.mark_phis_dirty(bundle, &mut dirty);
        let mut is_changed = true;
        for _ in 0..MAX_ROUNDS {
            is_changed = false;
            for t in &self.memory.transitions {
                if dirty[t.from as usize] && !dirty[t.to as usize] && self.piece(bundle, t.to).place != SLOT {
                    dirty[t.to as usize] = true;
                    is_changed = true;
                }
            }
            if !is_changed {
                break;
            }
        }
        if is_changed {
            dirty.fill(true);
        }
        self.memory.dirty = dirty;
    }

    /// Phis count as defined at the start of their block if an edge moves a register of another bundle into them.
    fn mark_phis_dirty(&self, bundle: u32, dirty: &mut [bool]) {
        let mut last = NONE;
        for range in self.intervals.ranges_of(&self.intervals.bundles[bundle as usize]) {
            let is_other = std::mem::replace(&mut last, range.vreg) != range.vreg;
            // Of the many ranges that a phi may have, one begins its block. (A phi without it is not read.)
            let begins = |block| (range.from..range.to).contains(&self.positions.start(block));
            if !match self.memory.phi_blocks[range.vreg as usize] {
                NONE => false,
                SEVERAL => is_other,
                block => begins(block),
            } {
                continue;
            }
            for &number in self.liveness.phi_moves.of(range.vreg) {
                let source = self.func.phi_moves[number as usize].src.virtual_index();
                if self.intervals.bundle_of[source] != bundle {
                    let edge = self.liveness.move_edge[number as usize];
                    let start = self.positions.start(self.func.edges[edge as usize].to);
                    let part = self.part_at(bundle, start);
                    dirty[part as usize] |= self.piece(bundle, part).place != SLOT;
                }
            }
        }
    }

    /// Whether a transition needs a store, unless the bundle is stored after each definition.
    fn needs_store(&self, bundle: u32, t: &Transition) -> bool {
        let is_in_slot = |index| self.piece(bundle, index).place == SLOT;
        is_in_slot(t.to) && !is_in_slot(t.from) && self.memory.dirty[t.from as usize]
    }

    fn emit_transitions(&mut self, bundle: u32) {
        let needs_no_store = self.intervals.bundles[bundle as usize].needs_no_store();
        let stored = self.memory.stored[bundle as usize];
        for index in 0..self.memory.transitions.len() {
            let t = self.memory.transitions[index];
            let (from, to) = (self.piece(bundle, t.from).place, self.piece(bundle, t.to).place);
            if from == to || (to == SLOT && (needs_no_store || stored || !self.needs_store(bundle, &t))) {
                continue;
            }
            let action = AllocMove {
                vreg: Reg::virtual_number(t.vreg),
                source: self.source(bundle, from),
                dest: self.dest(bundle, to),
            };
            match t.at {
                Where::Point(point) => self.out.edits.push(Edit { point, action }),
                Where::Edge(edge) => self.out.edge_moves.push(EdgeMove { edge, action }),
            }
        }
    }

    /// Stores a bundle to its slot after its definitions; of several definitions in one part and block, only after the
    /// last.
    fn store_definitions(&mut self, bundle: u32) {
        let mut pending: Option<(Occurrence, Part)> = None;
        for index in 0..self.part_count(bundle) {
            let part = *self.part(bundle, index);
            for &occurrence in self.intervals.occs_of(&part) {
                if !occurrence.has(occ::DEF) {
                    continue;
                }
                if let Some((earlier, its_part)) = pending.take()
                    && (its_part.from != part.from
                        || self.positions.block(earlier.pos) != self.positions.block(occurrence.pos))
                {
                    self.store(bundle, &earlier, &its_part);
                }
                pending = (!occurrence.has(occ::MEMORY)).then_some((occurrence, part));
            }
        }
        if let Some((earlier, its_part)) = pending {
            self.store(bundle, &earlier, &its_part);
        }
    }

    fn store(&mut self, bundle: u32, definition: &Occurrence, part: &Part) {
        let Some(range) = self.intervals.range_at(bundle, definition.end - 1) else {
            return;
        };
        if range.to <= definition.end && !self.positions.is_block_start(definition.end) {
            // The value is not read.
            return;
        }
        let last = self.positions.inst(definition.end - 2);
        let block = &self.func.blocks[self.positions.block(definition.pos) as usize];
        if last + 1 == block.end && !matches!(block.term, Term::Jump | Term::Stop) {
            // The definition is a temporary of the code that ends the block, which is not read after it.
            return;
        }
        let action = AllocMove {
            vreg: Reg::virtual_number(range.vreg),
            source: self.source(bundle, part.place),
            dest: RegOrSlot::Slot(self.slot(bundle)),
        };
        self.out.edits.push(Edit {
            point: Edit::after(last),
            action,
        });
    }

    /// The definition of a constant that is rematerialized, or of an argument that has a home, if the register is not
    /// used between the definition and the next part, so that it need not be there.
    fn unneeded_definition(&self, bundle: u32) -> Option<u32> {
        if !self.intervals.bundles[bundle as usize].needs_no_store() {
            return None;
        }
        let (first, second) = (self.part(bundle, 0), self.part(bundle, 1));
        let [definition] = self.intervals.occs_of(first) else {
            return None;
        };
        let is_unneeded = second.place == SLOT
            && second.from <= self.positions.gap_from(definition.end)
            && !self.positions.is_block_start(second.from);
        is_unneeded.then_some(definition.inst)
    }

    /// Gives the copies within bundles the same register twice, or deletes them if the bundle is in its slot.
    fn finish_joined(&mut self) {
        let mut block = 0;
        for &inst in self.joined {
            while self.func.blocks[block as usize].end <= inst {
                block += 1;
            }
            let data = &self.func.insts[inst as usize];
            let desc = op_desc(self.input.ops, data.op);
            let bundle = self.intervals.bundle_of[data.reg(0).virtual_index()];
            let place = self.place_at(bundle, Positions::of_inst(inst, block));
            if place == SLOT {
                self.out.deleted.push(inst);
            } else {
                let regs = &mut self.out.regs[inst as usize];
                for_each_register(data, desc, |index, _, _| regs[index] = place);
            }
        }
    }

    /// Emits the phi moves of edges between different bundles, and those of constants.
    fn move_phis(&mut self) {
        for number in 0..self.func.phi_moves.len() {
            let edge = self.liveness.move_edge[number];
            let phi = self.func.phi_moves[number];
            let bundle = self.intervals.bundle_of[phi.dst.virtual_index()];
            let Some(data) = self.func.edges.get(edge as usize) else {
                continue;
            };
            let start = self.positions.start(data.to);
            if bundle == NONE
                || self
                    .intervals
                    .range_at(bundle, start)
                    .is_none_or(|range| range.vreg as usize != phi.dst.virtual_index())
            {
                continue;
            }
            let source_bundle = self.intervals.bundle_of[phi.src.virtual_index()];
            let source = if self.func.vreg(phi.src).constant.is_some() {
                MoveSource::Rematerialize(phi.src)
            } else if source_bundle == bundle {
                continue;
            } else {
                let end = self.positions.start(data.from + 1) - 1;
                self.source(source_bundle, self.place_at(source_bundle, end))
            };
            let place = self.place_at(bundle, start);
            let is_stored = self.memory.stored[bundle as usize] && place != SLOT;
            for place in [Some(place), is_stored.then_some(SLOT)].into_iter().flatten() {
                let action = AllocMove {
                    vreg: phi.dst,
                    source,
                    dest: self.dest(bundle, place),
                };
                if action.source != MoveSource::Kept(action.dest) {
                    self.out.edge_moves.push(EdgeMove { edge, action });
                }
            }
        }
    }
}
