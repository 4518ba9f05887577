//! Liveness of physical registers at the starts and ends of blocks.
//!
//! Method: backward data flow over blocks until nothing changes; a set of registers is two 64-bit words. Flags are
//! never live across a block boundary. Instructions of a group may be skipped or repeated, so their writes end no live
//! range. What each instruction reads and writes is kept for the walk that follows.
//!
//! A pass that moves an instruction past the branch at the end of its block needs to know which registers are live on
//! the other edges ([`Live::live_elsewhere`]).

use frazil_codegen::desc::OpDesc;
use frazil_codegen::mfunc::pseudo::NOP;
use frazil_codegen::mfunc::{MFunc, RegSets, for_each_register, op_desc};
use frazil_codegen::minst::MInst;
use frazil_codegen::reg::PRegSet;
use std::ops::Range;

/// Live registers of a function.
#[derive(Debug, Default)]
pub(super) struct Live {
    /// By block: the registers that are live at its start.
    live_in: Vec<PRegSet>,
    /// By block: the registers that it always writes.
    written: Vec<PRegSet>,
    /// By block: whether an edge leads to it from itself or from a block after it.
    is_reached_back: Vec<bool>,
    /// By instruction: what it reads and writes.
    effects: Vec<RegSets>,
    /// By instruction: whether it is in a group.
    in_group: Vec<bool>,
}

impl Live {
    /// Computes liveness, and which instructions are in groups.
    pub fn compute(&mut self, func: &MFunc, ops: &'static [OpDesc]) {
        self.find_groups(func);
        self.live_in.clear();
        self.live_in.reserve(func.blocks.len());
        self.written.clear();
        self.written.reserve(func.blocks.len());
        self.effects.clear();
        let every = func.insts.iter().map(|inst| effects(func, inst, op_desc(ops, inst.op)));
        self.effects.extend(every);
        for block in &func.blocks {
            let (mut live, mut written) = (PRegSet::EMPTY, PRegSet::EMPTY);
            let range = block.start as usize..block.end as usize;
            let rows = self.effects[range.clone()].iter().zip(&self.in_group[range]);
            for (&RegSets { uses, defs, .. }, &in_group) in rows.rev() {
                if !in_group {
                    live = live.minus(defs);
                    written = written.union(defs);
                }
                live = live.union(uses);
            }
            self.live_in.push(live);
            self.written.push(written);
        }
        self.spread(func);
    }

    /// Makes live at the end of each block, and so at its start unless it is written there, what is live at the starts
    /// of its successors. Blocks come after their successors, but for those at the ends of edges that go back: only
    /// what becomes live at the targets of these is news to blocks that were looked at before.
    fn spread(&mut self, func: &MFunc) {
        self.is_reached_back.clear();
        self.is_reached_back.resize(func.blocks.len(), false);
        for edge in &func.edges {
            self.is_reached_back[edge.to as usize] |= edge.to <= edge.from;
        }
        let mut changed = true;
        while changed {
            changed = false;
            for block in (0..func.blocks.len() as u32).rev() {
                let through = self.live_out(func, block).minus(self.written[block as usize]);
                let live = &mut self.live_in[block as usize];
                let grown = live.union(through);
                changed |= grown != *live && self.is_reached_back[block as usize];
                *live = grown;
            }
        }
    }

    fn find_groups(&mut self, func: &MFunc) {
        self.in_group.clear();
        self.in_group.resize(func.insts.len(), false);
        for group in &func.groups {
            self.in_group[group.start as usize..group.end as usize].fill(true);
        }
    }

    /// The registers that are live at the end of a block.
    pub fn live_out(&self, func: &MFunc, block: u32) -> PRegSet {
        let edges = func.edges_of(block);
        edges.fold(PRegSet::EMPTY, |live, edge| {
            live.union(self.live_in[func.edges[edge].to as usize])
        })
    }

    /// The registers that are live on edges of a block to other blocks than `kept`. If a write is moved from before
    /// the branch to the start of `kept`, it must be to none of them.
    pub fn live_elsewhere(&self, func: &MFunc, block: u32, kept: u32) -> PRegSet {
        let targets = func.edges_of(block).map(|edge| func.edges[edge].to);
        targets
            .filter(|&to| to != kept)
            .fold(PRegSet::EMPTY, |live, to| live.union(self.live_in[to as usize]))
    }

    /// What an instruction, given by its number, reads and writes, explicitly or implicitly.
    #[inline]
    pub fn effects(&self, inst: u32) -> RegSets {
        self.effects[inst as usize]
    }

    /// Puts another instruction in the place of one, whose number is given.
    pub fn replace(&mut self, func: &mut MFunc, ops: &'static [OpDesc], index: u32, inst: MInst) {
        self.effects[index as usize] = effects(func, &inst, op_desc(ops, inst.op));
        func.insts[index as usize] = inst;
    }

    /// Leaves nothing in the place of an instruction, whose number is given, until [`compact`] is called.
    pub fn remove(&mut self, func: &mut MFunc, index: u32) {
        self.effects[index as usize] = RegSets::default();
        func.insts[index as usize] = MInst::new(NOP, 0);
    }

    /// Whether an instruction, given by its number, is in a group.
    #[inline]
    pub fn is_in_group(&self, inst: u32) -> bool {
        self.in_group[inst as usize]
    }
}

/// All physical registers that an instruction reads and writes, explicitly or implicitly.
#[inline]
pub(super) fn effects(func: &MFunc, inst: &MInst, desc: &OpDesc) -> RegSets {
    let mut sets = func.implicit(inst, desc);
    for_each_register(inst, desc, |_, reg, role| {
        if !reg.is_physical() {
            return;
        }
        if role.reads() {
            sets.uses.insert(reg);
        }
        if role.writes() {
            sets.defs.insert(reg);
        }
    });
    sets
}

/// Removes the instructions that have been replaced by [`frazil_codegen::mfunc::pseudo::NOP`].
pub(super) fn compact(func: &mut MFunc) {
    func.groups.retain(|group| !group.is_empty());
    let mut kept = 0;
    let mut next_group = 0;
    for block in 0..func.blocks.len() {
        let (start, end) = (func.blocks[block].start, func.blocks[block].end);
        func.blocks[block].start = kept;
        let mut next = start;
        while next < end {
            let group = func.groups.get(next_group).filter(|group| group.start < end).cloned();
            let until = group.as_ref().map_or(end, |group| group.start);
            kept = keep(func, next..until, kept);
            next = until;
            if let Some(group) = group {
                let first = kept;
                kept = keep(func, group.clone(), kept);
                func.groups[next_group] = first..kept;
                next_group += 1;
                next = group.end;
            }
        }
        func.blocks[block].end = kept;
    }
    func.insts.truncate(kept as usize);
    func.origins.truncate(kept as usize);
}

/// Moves the instructions of a range that are not removed to `to` and what follows; returns where they end.
fn keep(func: &mut MFunc, range: Range<u32>, mut to: u32) -> u32 {
    let mut rest = range;
    while !rest.is_empty() {
        let insts = &func.insts[rest.start as usize..rest.end as usize];
        let count = insts.iter().position(|inst| inst.op == NOP).unwrap_or(insts.len()) as u32;
        if rest.start != to && count > 0 {
            let run = rest.start as usize..(rest.start + count) as usize;
            func.insts.copy_within(run.clone(), to as usize);
            func.origins.copy_within(run, to as usize);
        }
        to += count;
        rest.start = (rest.start + count + 1).min(rest.end);
    }
    to
}
