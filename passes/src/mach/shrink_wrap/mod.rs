//! Shrink wrapping: sets up the frame and saves registers only on the paths that need it, so that early exits run
//! without a prologue.
//!
//! ```text
//! b0: prologue, mov rbx, rdi           b0: test rdi, rdi, branch b2 else b1
//!     test rbx, rbx, branch b2 else b1   b1: prologue, mov rbx, rdi
//! b1: call f, use rbx, epilogue   ->       call f, use rbx, epilogue, return
//! b2: mov eax, 0, epilogue, return     b2: mov eax, 0, return
//! ```
//!
//! Method: a block needs the frame if an instruction in it is a call, or uses the frame, the stack pointer or a
//! callee-saved register. The frame is set up in the nearest block that dominates all of these and is in no loop (F.
//! Chow, "Minimizing register usage penalty at procedure calls", 1988; dominators as in [`frazil_ir::domtree`]).
//! Arguments are often copied to callee-saved registers or spill slots already in the first block. Such copies are
//! moved on, toward the blocks that need them, if the instructions that stay can use the arguments' own registers. The
//! frame is torn down where control leaves the blocks that the set-up dominates: by returns, or at the end of a block.
//! A short return that is also reached without the frame is duplicated.
//!
//! Costs: a walk over the first block of each function with a frame; and if that block does not need the frame, a walk
//! over the function, with its dominators. Gains: saves and restores on early exits.

mod entry_copies;

use super::cycles::Cycles;
use super::live::{Live, effects};
use entry_copies::Copies;
use frazil_codegen::mfunc::{MBlock, MEdge, MFunc, Term, op_desc, pseudo};
use frazil_codegen::minst::MInst;
use frazil_codegen::pass::{MachPass, MachPassCx};
use frazil_codegen::reg::PRegSet;
use frazil_ir::domtree::{DomTree, Graph};
use frazil_ir::pass::{Level, Order, PassInfo};
use frazil_ir::{Block, EntityRef};

pub const INFO: PassInfo = PassInfo {
    name: "shrink-wrap",
    summary: "sets up the frame and saves registers only on the paths that need it",
    level: Level::Mach,
    required: false,
    after: &[
        Order {
            pass: "peephole",
            reason: "it removes copies, and knows nothing of prologues",
        },
        Order {
            pass: "tail-merge",
            reason: "it must not share code with and without a frame",
        },
        Order {
            pass: "branch-opt",
            reason: "it merges blocks",
        },
    ],
    before: &[],
};

/// The number of no block.
const NONE: u32 = u32::MAX;
/// The most blocks that copies are moved out of, one after the other; each step looks at all blocks.
const MOST_STEPS: u32 = 32;
/// Returns with at most this many instructions are duplicated for the paths with a frame.
const MOST_COPIED: u32 = 4;
/// The most blocks, besides returns, that tear down the frame.
const MOST_RESTORES: usize = 2;

/// Delays the prologue until the frame is needed.
#[derive(Debug)]
pub struct ShrinkWrap;

impl MachPass for ShrinkWrap {
    fn run(&self, func: &mut MFunc, cx: &mut MachPassCx<'_>) -> u64 {
        let frame = &func.frame;
        let is_never_wrapped = frame.is_never_wrapped || frame.has_dynamic_stack || frame.calls_returning_twice;
        if !cx.is_allocated || func.blocks.len() < 3 || is_never_wrapped {
            return 0;
        }
        let mut memory: Box<Scratch> = cx.scratch.take();
        let is_wrapped = memory.run(func, &Needs::of(func, cx));
        cx.scratch.give_back(memory);
        u64::from(is_wrapped)
    }
}

/// Which instructions need the frame.
pub(super) struct Needs<'a, 'b> {
    pub cx: &'a MachPassCx<'b>,
    /// The registers that must not be used without it.
    pub registers: PRegSet,
    /// Whether the frame pointer is set up, so that it is not an ordinary register.
    pub has_pointer: bool,
}

impl<'a, 'b> Needs<'a, 'b> {
    fn of(func: &MFunc, cx: &'a MachPassCx<'b>) -> Needs<'a, 'b> {
        let desc = cx.hooks.desc();
        let mut registers = func.frame.callee_saved;
        registers.insert(desc.stack_pointer);
        registers.insert(desc.frame_pointer);
        Needs {
            cx,
            registers,
            has_pointer: func.frame.has_pointer,
        }
    }

    /// Whether setting up the frame takes any instruction: for calls, callee-saved registers, a frame pointer or
    /// areas.
    fn cost_something(&self, func: &MFunc) -> bool {
        let writes_saved = |inst: &MInst| {
            let sets = effects(func, inst, op_desc(self.cx.hooks.ops(), inst.op));
            !sets.defs.intersection(func.frame.callee_saved).is_empty()
        };
        let frame = &func.frame;
        frame.has_calls || frame.has_pointer || frame.areas.used_bytes() > 0 || func.insts.iter().any(writes_saved)
    }

    /// Whether an instruction needs the frame to be set up.
    pub fn has(&self, func: &MFunc, inst: &MInst) -> bool {
        let desc = op_desc(self.cx.hooks.ops(), inst.op);
        if inst.op >= pseudo::FIRST && !pseudo::is_asm(inst.op) {
            return matches!(inst.op, pseudo::ARRIVE | pseudo::RELEASE)
                || (inst.op == pseudo::USE && self.registers.contains(inst.reg(0)));
        }
        let sets = effects(func, inst, desc);
        desc.has_sets || inst.names_frame() || !(sets.uses.union(sets.defs)).intersection(self.registers).is_empty()
    }
}

/// The blocks of machine code as a graph.
struct Blocks<'a>(&'a MFunc);

impl Graph for Blocks<'_> {
    fn successor(&self, block: u32, number: usize) -> Option<u32> {
        let edge = self.0.edges_of(block).nth(number)?;
        Some(self.0.edges[edge].to)
    }

    fn predecessors(&self, block: u32) -> impl Iterator<Item = u32> {
        let edges = self.0.pred_edges(block).iter();
        edges.map(|&edge| self.0.edges[edge as usize].from)
    }
}

#[derive(Debug, Default)]
struct Scratch {
    /// The reachable blocks in reverse postorder; and by block, its place in this order.
    order: Vec<u32>,
    places: Vec<u32>,
    tree: DomTree,
    /// By place: the place of the immediate dominator.
    dominators: Vec<u32>,
    /// By place: how many blocks that it dominates need the frame; computed up to the first one that dominates all of
    /// them.
    counts: Vec<u32>,
    /// By block: whether it needs the frame.
    needs: Vec<bool>,
    /// By block: whether the frame is set up in it.
    has_frame: Vec<bool>,
    cycles: Cycles,
    live: Live,
    copies: Copies,
    insts: Vec<MInst>,
    origins: Vec<u32>,
    edges: Vec<MEdge>,
}

impl Scratch {
    fn run(&mut self, func: &mut MFunc, needs: &Needs<'_, '_>) -> bool {
        self.copies.start();
        // Most functions end here, since a call or an access of the frame is in the first block.
        if !self.copies.can_leave(func, needs, 0) {
            return false;
        }
        self.needs.clear();
        let block_needs = |block: &MBlock| {
            let range = block.start as usize..block.end as usize;
            func.insts[range].iter().any(|inst| needs.has(func, inst))
        };
        self.needs.extend(func.blocks.iter().map(block_needs));
        if !self.needs.contains(&true) || !needs.cost_something(func) {
            return false;
        }
        self.find_dominators(func);
        let start = self.find_start(func, needs);
        let is_wrapped = start != 0 && {
            self.mark_blocks(func, start);
            self.is_left_cheaply(func)
        };
        if is_wrapped {
            self.copy_returns(func);
            func.frame.is_wrapped = true;
        } else if self.copies.is_empty() {
            return false;
        }
        self.rebuild(func, if is_wrapped { start } else { NONE });
        is_wrapped
    }

    /// Computes the order of the blocks and their immediate dominators.
    fn find_dominators(&mut self, func: &MFunc) {
        self.tree.compute(&Blocks(func), func.blocks.len());
        self.order.clear();
        self.order.extend(self.tree.reverse_postorder().map(Block::as_u32));
        self.places.clear();
        self.places.resize(func.blocks.len(), NONE);
        for (place, &block) in self.order.iter().enumerate() {
            self.places[block as usize] = place as u32;
        }
        self.dominators.clear();
        let parents = self
            .order
            .iter()
            .map(|&block| self.tree.parent(Block::new(block as usize)));
        let places = parents.map(|parent| parent.map_or(0, |parent| self.places[parent.index()]));
        self.dominators.extend(places);
    }

    /// The nearest place that dominates all blocks that need the frame; `None` if no block does.
    fn dominator_of_needs(&mut self) -> Option<u32> {
        let needs = |&block: &u32| u32::from(self.needs[block as usize]);
        self.counts.clear();
        self.counts.extend(self.order.iter().map(needs));
        let all: u32 = self.counts.iter().sum();
        // Going backward, a place comes after all places that it dominates.
        for place in (0..self.counts.len()).rev() {
            let count = self.counts[place];
            if count == all {
                return (all > 0).then_some(place as u32);
            }
            self.counts[self.dominators[place] as usize] += count;
        }
        None
    }

    /// The block in which the frame is to be set up; 0 if it must be the first one. Copies that need the frame are
    /// moved along and wait in [`Scratch::copies`].
    fn find_start(&mut self, func: &mut MFunc, needs: &Needs<'_, '_>) -> u32 {
        let Some(mut place) = self.dominator_of_needs() else {
            return 0;
        };
        let mut is_live_known = false;
        for _ in 0..MOST_STEPS {
            let block = self.order[place as usize];
            if func.blocks[block as usize].loop_depth > 0 || !self.copies.can_leave(func, needs, block) {
                break;
            }
            self.needs[block as usize] = false;
            let next = self.dominator_of_needs();
            let Some(step) = next.and_then(|next| self.step_to(func, place, next)) else {
                break;
            };
            let target = self.order[step as usize];
            // Moved copies change liveness only in blocks between here and there, which are not asked about.
            if !is_live_known {
                self.live.compute(func, needs.cx.hooks.ops());
                is_live_known = true;
            }
            if !self.copies.are_only_read_at(func, needs, &self.live, block, target) {
                break;
            }
            self.copies.leave(func, target);
            self.needs[target as usize] = true;
            place = step;
        }
        self.cycles.find(func);
        while self.cycles.has[self.order[place as usize] as usize] {
            place = self.dominators[place as usize];
        }
        self.order[place as usize]
    }

    /// The child of place `from` in the dominator tree that dominates `to`, if its only predecessor is `from`.
    fn step_to(&self, func: &MFunc, from: u32, to: u32) -> Option<u32> {
        let mut step = to;
        while step > from && self.dominators[step as usize] != from {
            step = self.dominators[step as usize];
        }
        let block = self.order[step as usize];
        let comes_from = |edge: u32| func.edges[edge as usize].from == self.order[from as usize];
        let is_direct = matches!(*func.pred_edges(block), [edge] if comes_from(edge));
        (step > from && is_direct).then_some(step)
    }

    /// Marks the blocks that `start` dominates: those with the frame.
    fn mark_blocks(&mut self, func: &MFunc, start: u32) {
        self.has_frame.clear();
        self.has_frame.resize(func.blocks.len(), false);
        for (place, &block) in self.order.iter().enumerate() {
            let dominator = self.order[self.dominators[place] as usize];
            self.has_frame[block as usize] = block == start || (place > 0 && self.has_frame[dominator as usize]);
        }
    }

    /// Whether some path returns without a frame, and only few blocks besides returns must tear the frame down.
    fn is_left_cheaply(&self, func: &MFunc) -> bool {
        let mut restores = 0;
        let mut returns = false;
        for &block in &self.order {
            let data = &func.blocks[block as usize];
            if !self.has_frame[block as usize] {
                returns |= data.term == Term::Return;
                continue;
            }
            for edge in func.edges_of(block) {
                let to = func.edges[edge].to;
                if self.has_frame[to as usize] || is_short_return(func, to) {
                    continue;
                }
                restores += 1;
                // The frame cannot be torn down before the instruction that decides between several edges.
                if data.term != Term::Jump {
                    return false;
                }
            }
        }
        returns && restores <= MOST_RESTORES
    }

    /// Duplicates short returns that are reached both with and without the frame.
    fn copy_returns(&mut self, func: &mut MFunc) {
        for block in 0..func.blocks.len() as u32 {
            if self.places[block as usize] == NONE || self.has_frame[block as usize] || !is_short_return(func, block) {
                continue;
            }
            let mut copy = NONE;
            for index in 0..func.pred_edges(block).len() {
                let edge = func.pred_edges(block)[index] as usize;
                if !self.has_frame[func.edges[edge].from as usize] {
                    continue;
                }
                if copy == NONE {
                    copy = func.blocks.len() as u32;
                    let data = func.blocks[block as usize];
                    let start = func.insts.len() as u32;
                    let range = data.start as usize..data.end as usize;
                    // The copy comes after all other blocks, so its groups come after all others, too.
                    for index in 0..func.groups.len() {
                        let group = func.groups[index].clone();
                        if !group.is_empty() && group.start >= data.start && group.end <= data.end {
                            let moved = |place: u32| place - data.start + start;
                            func.groups.push(moved(group.start)..moved(group.end));
                        }
                    }
                    func.insts.extend_from_within(range.clone());
                    func.origins.extend_from_within(range);
                    func.blocks.push(MBlock {
                        start,
                        end: func.insts.len() as u32,
                        first_edge: func.edges.len() as u32,
                        loop_end: copy + 1,
                        ..data
                    });
                    self.has_frame.push(true);
                }
                func.edges[edge].to = copy;
            }
        }
    }

    /// Writes the function anew, with the prologue at the start of block `start` ([`NONE`] for none), epilogues where
    /// control leaves the blocks with the frame, and the moved copies at their new place.
    fn rebuild(&mut self, func: &mut MFunc, start: u32) {
        self.insts.clear();
        self.origins.clear();
        self.edges.clear();
        func.groups.retain(|group| !group.is_empty());
        let (mut next_group, mut is_in_group) = (0, false);
        let mut moved = 0..0;
        for number in 0..func.blocks.len() as u32 {
            let block = func.blocks[number as usize];
            let new_start = self.insts.len() as u32;
            let origin = func.origins.get(block.start as usize).copied().unwrap_or(0);
            if number == start {
                self.put(MInst::new(pseudo::PROLOGUE, 0), origin);
            }
            if number == self.copies.holder() {
                moved = self.insts.len()..self.insts.len() + self.copies.insts.len();
                self.insts.extend_from_slice(&self.copies.insts);
                self.origins.extend_from_slice(&self.copies.origins);
            }
            for index in block.start..block.end {
                let place = self.insts.len() as u32;
                if let Some(group) = func.groups.get_mut(next_group) {
                    let (starts, ends) = (group.start == index, group.end == index + 1);
                    if starts && !is_in_group {
                        group.start = place;
                        is_in_group = true;
                    }
                    if ends && is_in_group {
                        group.end = place + 1;
                        is_in_group = false;
                        next_group += 1;
                    }
                }
                let inst = func.insts[index as usize];
                if inst.op != pseudo::NOP {
                    self.put(inst, func.origins[index as usize]);
                }
            }
            if start != NONE && self.leaves_frame(func, number) {
                self.put(MInst::new(pseudo::RESTORE, 0), origin);
            }
            let first_edge = self.edges.len() as u32;
            let edges = &func.edges[func.edges_of(number)];
            self.edges
                .extend(edges.iter().map(|edge| MEdge { from: number, ..*edge }));
            let data = &mut func.blocks[number as usize];
            data.start = new_start;
            data.end = self.insts.len() as u32;
            data.first_edge = first_edge;
        }
        std::mem::swap(&mut func.insts, &mut self.insts);
        std::mem::swap(&mut func.origins, &mut self.origins);
        std::mem::swap(&mut func.edges, &mut self.edges);
        func.move_identities(moved);
        func.compute_predecessors();
    }

    fn put(&mut self, inst: MInst, origin: u32) {
        self.insts.push(inst);
        self.origins.push(origin);
    }

    /// Whether a block with the frame has a successor without it.
    fn leaves_frame(&self, func: &MFunc, block: u32) -> bool {
        let mut edges = func.edges_of(block);
        self.has_frame[block as usize] && edges.any(|edge| !self.has_frame[func.edges[edge].to as usize])
    }
}

/// Whether a block is a short return that may be duplicated. One with a label may not, since a label cannot be bound
/// twice.
fn is_short_return(func: &MFunc, block: u32) -> bool {
    let data = &func.blocks[block as usize];
    let insts = || &func.insts[data.start as usize..data.end as usize];
    data.term == Term::Return
        && data.end - data.start <= MOST_COPIED
        && insts().iter().all(|inst| inst.op != pseudo::LABEL)
}
