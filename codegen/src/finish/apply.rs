//! Applies an allocation: virtual registers become physical ones, moves become instructions, and edges with moves
//! become blocks where necessary.
//!
//! Moves of an edge are placed at the end of its source if that has no other successor; otherwise at the start of its
//! target if that has no other predecessor; otherwise the edge is critical and gets a block of its own. That block
//! follows the source, or stands at the end of the function if the edge leaves a loop or is an unwind edge, so that it
//! does not get in the way of the fall-through.
//!
//! The moves at one point are parallel; [`crate::parallel_move`] puts them into order. A cycle on an edge is broken
//! with the scratch register. A cycle beside an instruction is broken through the frame, because the lowering rule
//! there may hold a value in the scratch register.

use crate::frame::CycleSlots;
use crate::isa::Isa;
use crate::mfunc::{MBlock, MEdge, MFunc, Term, can_rematerialize, op_desc, pseudo};
use crate::minst::{MInst, Mem};
use crate::parallel_move::{Location, Move, ParallelMoves, Source, Step};
use crate::reg::{Reg, RegClass};
use crate::regalloc::{AllocMove, Allocation, MemoryOperand, MoveSource, NO_REG, RegOrSlot};

/// How instructions are numbered in functions whose variables are followed ([`MFunc::identities`]): three numbers for
/// each instruction that was allocated, then one for the moves of each edge.
pub(crate) mod identity {
    /// The moves before an instruction.
    pub const BEFORE: u32 = 0;
    /// The instruction itself.
    pub const ITSELF: u32 = 1;
    /// The moves after it.
    pub const AFTER: u32 = 2;
    /// How many numbers an instruction has.
    pub const COUNT: u32 = 3;
}

/// With at most this many bytes of spill slots, all displacements are short, so the order of slots does not matter.
const FEW_SLOT_BYTES: u32 = 96;

/// The number of no block, and of no instruction.
const NONE: u32 = u32::MAX;

/// Where the moves of an edge are placed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum EdgePlace {
    /// The edge has no moves.
    Nowhere,
    /// At the end of the source block.
    Source,
    /// At the start of the target block.
    Target,
    /// In a block of their own after the source block.
    After,
    /// In a block of their own at the end of the function.
    Far,
}

/// The memory of this stage, kept from function to function.
#[derive(Debug, Default)]
pub(crate) struct ApplyState {
    moves: ParallelMoves<Reg>,
    /// By spill slot: its offset from the frame pointer.
    pub slots: Vec<i32>,
    /// The spill slots in the order in which they are placed; and by slot, how often it is accessed.
    slot_order: Vec<u32>,
    slot_accesses: Vec<u32>,
    /// By virtual register: the instruction that defines it, if it is rematerialized.
    definitions: Vec<u32>,
    /// By edge: the range of its moves in `edge_insts`.
    edge_ranges: Vec<(u32, u32)>,
    edge_places: Vec<EdgePlace>,
    edge_insts: Vec<MInst>,
    /// By block and by edge: the number of the block, or of the edge's own block, in the new function.
    block_numbers: Vec<u32>,
    edge_numbers: Vec<u32>,
}

/// Fills `out` with `func` after allocation. Takes the frame, the sets of registers, places of arguments, tail calls
/// and texts out of `func`. The allocation may have lent the integer scratch register to virtual registers;
/// `counts_from_above` says whether the frame will be addressed from a frame pointer, `is_followed` whether
/// instructions are to have identities ([`identity`]).
pub(crate) fn apply<I: Isa>(
    isa: &I,
    func: &mut MFunc,
    (allocation, lends_scratch): (&Allocation, bool),
    counts_from_above: bool,
    is_followed: bool,
    state: &mut ApplyState,
    out: &mut MFunc,
) {
    out.clear();
    let insts = func.insts.len() + allocation.edits.len() + allocation.edge_moves.len();
    out.insts.reserve(insts);
    out.origins.reserve(insts);
    out.blocks.reserve(func.blocks.len());
    out.edges.reserve(func.edges.len());
    if is_followed {
        let numbers = identity::COUNT as usize * func.insts.len();
        out.identities
            .extend((0..numbers).map(|number| func.origins[number / identity::COUNT as usize]));
        out.identities.resize(numbers + func.edges.len(), 0);
    }
    out.is_strict = func.is_strict;
    std::mem::swap(&mut out.frame, &mut func.frame);
    std::mem::swap(&mut out.sets, &mut func.sets);
    std::mem::swap(&mut out.argument_places, &mut func.argument_places);
    std::mem::swap(&mut out.tail_calls, &mut func.tail_calls);
    std::mem::swap(&mut out.asm_sites, &mut func.asm_sites);
    let mut applier = Applier {
        isa,
        func,
        allocation,
        lends_scratch,
        counts_from_above,
        st: state,
        out,
        cycle_slots: CycleSlots::default(),
        next_edit: 0,
        next_memory: 0,
        next_deleted: 0,
        next_group: 0,
    };
    applier.place_spill_slots();
    applier.find_definitions();
    applier.make_edge_moves();
    applier.number_blocks();
    applier.write_blocks();
    out.compute_predecessors();
}

struct Applier<'a, I: Isa> {
    isa: &'a I,
    func: &'a MFunc,
    allocation: &'a Allocation,
    /// Whether the integer scratch register is one of those that virtual registers have.
    lends_scratch: bool,
    counts_from_above: bool,
    st: &'a mut ApplyState,
    out: &'a mut MFunc,
    /// The frame slots that break cycles of moves.
    cycle_slots: CycleSlots,
    next_edit: usize,
    next_memory: usize,
    next_deleted: usize,
    next_group: usize,
}

impl<I: Isa> Applier<'_, I> {
    /// Places the spill slots in the frame. Those that are accessed most often are placed next to the register from
    /// which they will be addressed, where displacements are short. Those that are incoming arguments have their place.
    fn place_spill_slots(&mut self) {
        self.out.frame.spills_below = -self.out.frame.areas.used_bytes().cast_signed();
        let slots = &self.allocation.slots;
        self.st.slots.clear();
        self.st.slots.resize(slots.len(), 0);
        self.st.slot_order.clear();
        let mut sum = 0;
        for (number, slot) in slots.iter().enumerate() {
            if let Some(home) = slot.home {
                self.st.slots[number] = home;
            } else {
                self.st.slot_order.push(number as u32);
                sum += u32::from(slot.bytes);
            }
        }
        if sum > FEW_SLOT_BYTES {
            self.sort_slots();
        }
        for &slot in &self.st.slot_order {
            let bytes = u32::from(slots[slot as usize].bytes);
            self.st.slots[slot as usize] = self.out.frame.areas.allocate_slot(bytes);
        }
    }

    /// Sorts the slots by the number of accesses per byte.
    fn sort_slots(&mut self) {
        let Allocation {
            edits,
            edge_moves,
            memory_operands,
            slots,
            ..
        } = self.allocation;
        let ApplyState {
            slot_order,
            slot_accesses,
            ..
        } = &mut *self.st;
        slot_accesses.clear();
        slot_accesses.resize(slots.len(), 0);
        let actions = (edits.iter().map(|edit| edit.action)).chain(edge_moves.iter().map(|edge| edge.action));
        for action in actions {
            if let MoveSource::Kept(RegOrSlot::Slot(slot)) = action.source {
                slot_accesses[slot.0 as usize] += 1;
            }
            if let RegOrSlot::Slot(slot) = action.dest {
                slot_accesses[slot.0 as usize] += 1;
            }
        }
        for operand in memory_operands {
            slot_accesses[operand.slot.0 as usize] += 1;
        }
        // Accesses per 32 bytes, the largest size of a slot.
        let density = |slot: u32| slot_accesses[slot as usize] * 32 / u32::from(slots[slot as usize].bytes.max(1));
        slot_order.sort_unstable_by_key(|&slot| (density(slot), slot));
        if self.counts_from_above {
            slot_order.reverse();
        }
    }

    /// Finds the definitions of the virtual registers that moves rematerialize.
    fn find_definitions(&mut self) {
        self.st.definitions.clear();
        let asks = |action: &AllocMove| matches!(action.source, MoveSource::Rematerialize(_));
        let is_asked = self.allocation.edits.iter().any(|edit| asks(&edit.action))
            || self.allocation.edge_moves.iter().any(|edge| asks(&edge.action));
        if !is_asked {
            return;
        }
        self.st.definitions.resize(self.func.vregs.len(), NONE);
        for (index, inst) in self.func.insts.iter().enumerate() {
            let reg = inst.reg(0);
            if reg.is_virtual() && can_rematerialize(inst, op_desc(self.isa.op_descs(), inst.op)) {
                self.st.definitions[reg.virtual_index()] = index as u32;
            }
        }
    }

    fn location(&self, place: RegOrSlot) -> Location {
        match place {
            RegOrSlot::Reg(reg) => Location::Reg(reg),
            RegOrSlot::Slot(slot) => Location::Frame(self.st.slots[slot.0 as usize]),
        }
    }

    fn collect(&mut self, action: &AllocMove) {
        let vreg = self.func.vreg(action.vreg);
        let source = match action.source {
            MoveSource::Kept(place) => Source::Location(self.location(place)),
            MoveSource::Rematerialize(reg) => Source::Fresh(reg),
        };
        let dest = self.location(action.dest);
        self.st.moves.push(Move {
            source,
            dest,
            class: vreg.class,
            bytes: vreg.bytes.max(4),
            extend: (0, false),
        });
    }

    /// Orders the collected moves and appends them to `insts`. `may_use_scratch` says whether the scratch register may
    /// be overwritten.
    fn perform(&mut self, insts: &mut Vec<MInst>, may_use_scratch: bool) {
        let mut moves = std::mem::take(&mut self.st.moves);
        moves.resolve();
        let through_memory = |step: &Step<Reg>| match step {
            Step::Move(m) => {
                matches!(m.dest, Location::Frame(_)) && !matches!(m.source, Source::Location(Location::Reg(_)))
            }
            Step::Save { .. } => false,
        };
        let scratch_is_free = may_use_scratch && !self.lends_scratch && !moves.steps.iter().any(through_memory);
        for step in &moves.steps {
            match *step {
                Step::Move(m) => self.perform_one(insts, m, scratch_is_free),
                Step::Save { location, class, bytes } => {
                    let dest = self.saved_place(class, bytes, scratch_is_free);
                    let source = Source::Location(location);
                    let save = Move {
                        source,
                        dest,
                        class,
                        bytes,
                        extend: (0, false),
                    };
                    self.perform_one(insts, save, scratch_is_free);
                }
            }
        }
        moves.clear();
        self.st.moves = moves;
    }

    /// The place for the value that is saved to break a cycle.
    fn saved_place(&mut self, class: RegClass, bytes: u8, scratch_is_free: bool) -> Location {
        if scratch_is_free {
            return Location::Reg(self.isa.desc().class(class).scratch);
        }
        let areas = &mut self.out.frame.areas;
        Location::Frame(self.cycle_slots.of(bytes, |bytes| areas.allocate(bytes, 16)))
    }

    fn perform_one(&mut self, insts: &mut Vec<MInst>, m: Move<Reg>, scratch_is_free: bool) {
        if self.lends_scratch && m.class == RegClass::Int && self.perform_without_scratch(insts, &m, scratch_is_free) {
            return;
        }
        let class = m.class;
        let scratch = self.isa.desc().class(class).scratch;
        let source = match m.source {
            Source::Location(location) => Some(location),
            Source::Saved => Some(self.saved_place(m.class, m.bytes, scratch_is_free)),
            Source::Fresh(_) => None,
        };
        let reg = match (m.dest, source) {
            (Location::Reg(dest), _) => dest,
            (_, Some(Location::Reg(source))) => source,
            _ => scratch,
        };
        match (source, m.source) {
            (Some(Location::Reg(source)), _) => {
                if source != reg {
                    insts.push(self.isa.mov(class, m.bytes, reg, source));
                }
            }
            (Some(Location::Frame(offset)), _) => {
                insts.push(self.isa.reload(class, m.bytes, reg, Mem::base(Reg::FRAME, offset)));
            }
            (None, Source::Fresh(vreg)) => {
                let mut inst = self.definition(vreg);
                inst.set_reg(0, reg);
                insts.push(inst);
            }
            (other, _) => debug_assert!(false, "{other:?} is never read"),
        }
        if let Location::Frame(offset) = m.dest {
            insts.push(self.isa.spill(class, m.bytes, reg, Mem::base(Reg::FRAME, offset)));
        }
    }

    /// Performs a move of the integer class into memory, if it would need the scratch register, by that of the other
    /// class. Returns whether it would.
    fn perform_without_scratch(&mut self, insts: &mut Vec<MInst>, m: &Move<Reg>, scratch_is_free: bool) -> bool {
        let Location::Frame(to) = m.dest else { return false };
        let to = Mem::base(Reg::FRAME, to);
        let source = match m.source {
            Source::Location(location) => location,
            Source::Saved => self.saved_place(m.class, m.bytes, scratch_is_free),
            Source::Fresh(vreg) => {
                let isa = self.isa;
                isa.store_definition(&self.definition(vreg), to, |inst| insts.push(inst));
                return true;
            }
        };
        let Location::Frame(from) = source else { return false };
        let through = self.isa.desc().class(RegClass::Float).scratch;
        let from = Mem::base(Reg::FRAME, from);
        insts.push(self.isa.reload(RegClass::Float, m.bytes, through, from));
        insts.push(self.isa.spill(RegClass::Float, m.bytes, through, to));
        true
    }

    /// The instruction that rematerializes a virtual register.
    fn definition(&self, vreg: Reg) -> MInst {
        match self.func.vreg(vreg).constant {
            Some(constant) => self.func.constants[constant as usize],
            None => self.func.insts[self.st.definitions[vreg.virtual_index()] as usize],
        }
    }

    /// Makes the instructions for the moves of every edge and decides where they are placed.
    fn make_edge_moves(&mut self) {
        let edges = self.func.edges.len();
        self.st.edge_ranges.clear();
        self.st.edge_ranges.resize(edges, (0, 0));
        self.st.edge_places.clear();
        self.st.edge_places.resize(edges, EdgePlace::Nowhere);
        let mut insts = std::mem::take(&mut self.st.edge_insts);
        insts.clear();
        let mut rest = &self.allocation.edge_moves[..];
        while let Some(first) = rest.first() {
            let edge = first.edge;
            let count = rest.iter().take_while(|other| other.edge == edge).count();
            for edge_move in &rest[..count] {
                self.collect(&edge_move.action);
            }
            rest = &rest[count..];
            let start = insts.len() as u32;
            self.perform(&mut insts, true);
            let end = insts.len() as u32;
            if end > start {
                self.st.edge_ranges[edge as usize] = (start, end);
                self.st.edge_places[edge as usize] = self.edge_place(edge);
            }
        }
        self.st.edge_insts = insts;
    }

    fn edge_place(&self, edge: u32) -> EdgePlace {
        let MEdge { from, to, .. } = self.func.edges[edge as usize];
        let source = &self.func.blocks[from as usize];
        let unwinds = source.term == Term::Invoke && edge > source.first_edge;
        if source.edge_count == 1 && source.term == Term::Jump {
            EdgePlace::Source
        } else if self.func.pred_edges(to).len() == 1 {
            EdgePlace::Target
        } else if unwinds || self.func.blocks[to as usize].loop_depth < source.loop_depth {
            EdgePlace::Far
        } else {
            EdgePlace::After
        }
    }

    /// Numbers the blocks of the new function, including those of edges.
    fn number_blocks(&mut self) {
        let func = self.func;
        self.st.block_numbers.clear();
        self.st.edge_numbers.clear();
        self.st.edge_numbers.resize(func.edges.len(), NONE);
        let mut next = 0;
        for block in 0..func.blocks.len() as u32 {
            self.st.block_numbers.push(next);
            next += 1;
            for edge in self.edges_in_order(block) {
                if self.st.edge_places[edge] == EdgePlace::After {
                    self.st.edge_numbers[edge] = next;
                    next += 1;
                }
            }
        }
        for edge in 0..func.edges.len() {
            if self.st.edge_places[edge] == EdgePlace::Far {
                self.st.edge_numbers[edge] = next;
                next += 1;
            }
        }
    }

    /// The edges of a block. The one to the next block comes last, so that its own block, if any, falls through.
    fn edges_in_order(&self, block: u32) -> impl Iterator<Item = usize> + use<I> {
        let range = self.func.edges_of(block);
        let first_is_next = range.len() == 2 && self.func.edges[range.start].to == block + 1;
        let (start, end) = (range.start, range.end);
        (start..end).map(move |edge| if first_is_next { start + end - 1 - edge } else { edge })
    }

    fn write_blocks(&mut self) {
        let func = self.func;
        for number in 0..func.blocks.len() as u32 {
            self.write_block(number);
            for edge in self.edges_in_order(number) {
                if self.st.edge_places[edge] == EdgePlace::After {
                    self.write_edge_block(edge);
                }
            }
        }
        for edge in 0..func.edges.len() {
            if self.st.edge_places[edge] == EdgePlace::Far {
                self.write_edge_block(edge);
            }
        }
    }

    fn put(&mut self, inst: MInst, origin: u32) {
        self.out.insts.push(inst);
        self.out.origins.push(origin);
    }

    /// What an instruction that was allocated, or the moves before or after it, is called: the instruction that it
    /// comes from, or its identity.
    fn name(&self, index: u32, part: u32) -> u32 {
        match self.out.identities.is_empty() {
            true => self.func.origins[index as usize],
            false => index * identity::COUNT + part,
        }
    }

    /// Appends the moves of an edge.
    fn put_edge(&mut self, edge: usize, origin: u32) {
        let (start, end) = self.st.edge_ranges[edge];
        let own = (self.func.insts.len() * identity::COUNT as usize + edge) as u32;
        let origin = match self.out.identities.get_mut(own as usize) {
            Some(identity) => {
                *identity = origin;
                own
            }
            None => origin,
        };
        for index in start..end {
            let inst = self.st.edge_insts[index as usize];
            self.put(inst, origin);
        }
    }

    fn write_block(&mut self, number: u32) {
        let func = self.func;
        let block = &func.blocks[number as usize];
        let start = self.out.insts.len() as u32;
        if let [edge] = *func.pred_edges(number)
            && self.st.edge_places[edge as usize] == EdgePlace::Target
        {
            let origin = func.origins.get(block.start as usize).copied().unwrap_or(0);
            self.put_edge(edge as usize, origin);
        }
        for index in block.start..block.end {
            self.write_inst(index);
        }
        let range = func.edges_of(number);
        if range.len() == 1 && self.st.edge_places[range.start] == EdgePlace::Source {
            let origin = block.end.checked_sub(1).map_or(0, |last| func.origins[last as usize]);
            self.put_edge(range.start, origin);
        }
        let first_edge = self.out.edges.len() as u32;
        for edge in range {
            let MEdge { to, label, .. } = func.edges[edge];
            let to = match self.st.edge_numbers[edge] {
                NONE => self.st.block_numbers[to as usize],
                own => own,
            };
            self.put_final_edge(to, label);
        }
        let out = &mut self.out;
        out.blocks.push(MBlock {
            start,
            end: out.insts.len() as u32,
            first_edge,
            edge_count: out.edges.len() as u32 - first_edge,
            loop_end: self.st.block_numbers.get(block.loop_end as usize).copied().unwrap_or(0),
            ..*block
        });
    }

    fn put_final_edge(&mut self, to: u32, label: Option<crate::reference::Label>) {
        self.out.edges.push(MEdge {
            from: self.out.blocks.len() as u32,
            to,
            label,
            first_move: 0,
            move_count: 0,
        });
    }

    fn write_edge_block(&mut self, edge: usize) {
        let MEdge { from, to, .. } = self.func.edges[edge];
        let source = self.func.blocks[from as usize];
        let start = self.out.insts.len() as u32;
        let origin = source
            .end
            .checked_sub(1)
            .map_or(0, |last| self.func.origins[last as usize]);
        self.put_edge(edge, origin);
        let first_edge = self.out.edges.len() as u32;
        self.put_final_edge(self.st.block_numbers[to as usize], None);
        let depth = source.loop_depth.min(self.func.blocks[to as usize].loop_depth);
        let number = self.out.blocks.len() as u32;
        let out = &mut self.out;
        out.blocks.push(MBlock {
            start,
            end: out.insts.len() as u32,
            first_edge,
            edge_count: 1,
            term: Term::Jump,
            loop_depth: depth,
            loop_end: number + 1,
            source: source.source,
        });
    }

    /// Appends the moves before an instruction or after it, whichever `part` says.
    #[inline]
    fn write_edits(&mut self, index: u32, part: u32) {
        let point = index * 2 + u32::from(part == identity::AFTER);
        let edits = &self.allocation.edits;
        if edits.get(self.next_edit).is_some_and(|edit| edit.point == point) {
            self.write_edits_at(point, self.name(index, part));
        }
    }

    fn write_edits_at(&mut self, point: u32, origin: u32) {
        let edits = &self.allocation.edits;
        let begin = self.next_edit;
        while self.next_edit < edits.len() && edits[self.next_edit].point == point {
            self.next_edit += 1;
        }
        for edit in &edits[begin..self.next_edit] {
            self.collect(&edit.action);
        }
        let mut insts = std::mem::take(&mut self.out.insts);
        self.perform(&mut insts, false);
        self.out.insts = insts;
        self.out.origins.resize(self.out.insts.len(), origin);
    }

    fn write_inst(&mut self, index: u32) {
        let func = self.func;
        self.write_edits(index, identity::BEFORE);
        let in_group = func
            .groups
            .get(self.next_group)
            .is_some_and(|group| group.contains(&index));
        if in_group && func.groups[self.next_group].start == index {
            let start = self.out.insts.len() as u32;
            self.out.groups.push(start..start);
        }
        if !self.is_deleted(index) {
            self.write_allocated(index);
        }
        if in_group && func.groups[self.next_group].end == index + 1 {
            self.next_group += 1;
            if let Some(group) = self.out.groups.last_mut() {
                group.end = self.out.insts.len() as u32;
            }
        }
        self.write_edits(index, identity::AFTER);
    }

    fn is_deleted(&mut self, index: u32) -> bool {
        let deleted = &self.allocation.deleted;
        while deleted.get(self.next_deleted).is_some_and(|&other| other < index) {
            self.next_deleted += 1;
        }
        deleted.get(self.next_deleted) == Some(&index)
    }

    fn write_allocated(&mut self, index: u32) {
        let mut inst = self.func.insts[index as usize];
        if matches!(inst.op, pseudo::NOP | pseudo::USE) {
            return;
        }
        for (slot, physical) in self.allocation.regs[index as usize].into_iter().enumerate() {
            if physical != NO_REG {
                inst.set_reg(slot, Reg(u32::from(physical)));
            }
        }
        while self.next_memory < self.allocation.memory_operands.len()
            && self.allocation.memory_operands[self.next_memory].inst < index
        {
            self.next_memory += 1;
        }
        if let Some(&memory) = self.allocation.memory_operands.get(self.next_memory)
            && memory.inst == index
        {
            inst = self.with_memory(inst, memory);
        }
        let desc = op_desc(self.isa.op_descs(), inst.op);
        if desc.is_move && inst.reg(0) == inst.reg(1) {
            return;
        }
        self.put(inst, self.name(index, identity::ITSELF));
    }

    /// The instruction with one of its register operands in a spill slot.
    fn with_memory(&self, inst: MInst, memory: MemoryOperand) -> MInst {
        let desc = op_desc(self.isa.op_descs(), inst.op);
        let operand = usize::from(memory.operand);
        let Some(op) = desc.memory_forms[operand] else {
            debug_assert!(false, "{} has no form for memory", desc.name);
            return inst;
        };
        let mem = Mem::base(Reg::FRAME, self.st.slots[memory.slot.0 as usize]);
        let kept = if operand == 0 { inst.reg(1) } else { inst.reg(0) };
        let folded = inst.with_op(op).with_regs([kept, Reg::NONE, Reg::NONE]);
        let mut folded = folded.with_mem(mem);
        if operand == 2 {
            folded.set_reg(3, inst.reg(1));
        }
        folded
    }
}
