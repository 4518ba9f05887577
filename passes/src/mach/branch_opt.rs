//! Lays out the blocks of a machine function so that few branches are needed and few are taken.
//!
//! ```text
//! b0: branch b1 else b4        b0: jump b1
//! b1: jump b2                  b3: ..., jump b1     (the loop's test comes last)
//! b2: branch b5 else b3   ->   b1: branch b3 else b5
//! b3: ..., jump b1             b5: return
//! b4: jump b1
//! b5: return
//! ```
//!
//! Method: edges to blocks that contain only a jump are led to the target of that jump. A branch whose edges then have
//! the same target becomes a jump, and unreachable blocks are removed. The order of the remaining blocks is that of
//! [`super::chains`]. A block whose only predecessor ends with a jump to it, and comes right before it in this order,
//! is merged with that predecessor.
//!
//! Costs: a walk over the blocks, a sort of the edges, and a copy of the instructions. Gains: one jump in each
//! iteration of loops that test at their top, or whose moves on the back edge have been coalesced; and code that never
//! returns is moved out of the fall-through path.

use super::chains::Chains;
use frazil_codegen::mfunc::{MBlock, MEdge, MFunc, Term};
use frazil_codegen::minst::MInst;
use frazil_codegen::pass::{MachPass, MachPassCx};
use frazil_ir::pass::{Level, PassInfo};
use std::ops::Range;

pub const INFO: PassInfo = PassInfo {
    name: "branch-opt",
    summary: "orders blocks so that few branches are needed and few are taken",
    level: Level::Mach,
    required: false,
    after: &[],
    before: &[],
};

/// The most empty blocks that an edge is led past at once.
const MOST_STEPS: u32 = 16;

/// Lays out blocks and folds branches.
#[derive(Debug)]
pub struct BranchOpt;

impl MachPass for BranchOpt {
    fn run(&self, func: &mut MFunc, cx: &mut MachPassCx<'_>) -> u64 {
        // Before allocation, loops must stay contiguous, and edges have moves.
        if !cx.is_allocated || func.blocks.len() < 2 {
            return 0;
        }
        let mut memory: Box<Scratch> = cx.scratch.take();
        let changes = memory.run(func, cx);
        cx.scratch.give_back(memory);
        changes
    }
}

#[derive(Debug, Default)]
struct Scratch {
    /// By block: where a jump to it ends when empty blocks are passed over.
    threaded: Vec<u32>,
    chains: Chains,
    /// By block: its number of incoming edges.
    entries: Vec<u32>,
    /// By block: its number in the new order, or that of the block into which it is merged.
    numbers: Vec<u32>,
    insts: Vec<MInst>,
    origins: Vec<u32>,
    blocks: Vec<MBlock>,
    edges: Vec<MEdge>,
    groups: Vec<Range<u32>>,
}

impl Scratch {
    fn run(&mut self, func: &mut MFunc, cx: &MachPassCx<'_>) -> u64 {
        let mut changes = self.thread(func);
        changes += drop_branches_without_choice(func);
        self.chains.compute(func, |edge| func.edges[edge].to);
        let order = &self.chains.order;
        let moved = order.windows(2).filter(|pair| pair[0] + 1 != pair[1]).count();
        changes += (moved + func.blocks.len() - order.len()) as u64;
        if changes > 0 {
            self.rebuild(func);
            end_with_a_trap(func, cx);
        }
        changes
    }

    /// Leads edges past blocks that contain only a jump; returns how many edges changed.
    fn thread(&mut self, func: &mut MFunc) -> u64 {
        self.threaded.clear();
        self.threaded.extend(0..func.blocks.len() as u32);
        for start in (1..func.blocks.len() as u32).rev() {
            let mut block = start;
            // A cycle of empty blocks is an endless loop, and stays one.
            for _ in 0..MOST_STEPS {
                let Some(next) = only_jumps_to(func, block) else { break };
                let end = self.threaded[next as usize];
                if next == start || end == start || end == block {
                    break;
                }
                block = end;
            }
            self.threaded[start as usize] = block;
        }
        let mut changes = 0;
        for edge in &mut func.edges {
            let to = self.threaded[edge.to as usize];
            changes += u64::from(to != edge.to);
            edge.to = to;
        }
        changes
    }

    /// Writes the function anew in the order of the chains.
    fn rebuild(&mut self, func: &mut MFunc) {
        self.count_entries(func);
        self.number_blocks(func);
        self.insts.clear();
        self.insts.reserve(func.insts.len());
        self.origins.clear();
        self.origins.reserve(func.insts.len());
        self.blocks.clear();
        self.blocks.reserve(func.blocks.len());
        self.edges.clear();
        self.edges.reserve(func.edges.len());
        self.groups.clear();
        let order = std::mem::take(&mut self.chains.order);
        let mut position = 0;
        while position < order.len() {
            position += self.write_block(func, &order[position..]);
        }
        self.chains.order = order;
        std::mem::swap(&mut func.insts, &mut self.insts);
        std::mem::swap(&mut func.origins, &mut self.origins);
        std::mem::swap(&mut func.blocks, &mut self.blocks);
        std::mem::swap(&mut func.edges, &mut self.edges);
        std::mem::swap(&mut func.groups, &mut self.groups);
        func.compute_predecessors();
    }

    fn count_entries(&mut self, func: &MFunc) {
        self.entries.clear();
        self.entries.resize(func.blocks.len(), 0);
        for &block in &self.chains.order {
            for edge in func.edges_of(block) {
                self.entries[func.edges[edge].to as usize] += 1;
            }
        }
    }

    /// Whether a block and the next one in the order are merged.
    fn joins(&self, func: &MFunc, block: u32, next: u32) -> bool {
        func.blocks[block as usize].term == Term::Jump
            && self.entries[next as usize] == 1
            && func.edges[func.edges_of(block).start].to == next
            && next != block
    }

    fn number_blocks(&mut self, func: &MFunc) {
        self.numbers.clear();
        self.numbers.resize(func.blocks.len(), 0);
        let mut number = 0;
        let order = &self.chains.order;
        for (position, &block) in order.iter().enumerate() {
            self.numbers[block as usize] = number;
            let is_joined = (order.get(position + 1)).is_some_and(|&next| self.joins(func, block, next));
            number += u32::from(!is_joined);
        }
    }

    /// Writes the first block of `order` and those that are merged into it; returns how many blocks these are.
    fn write_block(&mut self, func: &MFunc, order: &[u32]) -> usize {
        let start = self.insts.len() as u32;
        let mut count = 1;
        self.copy_insts(func, order[0]);
        while count < order.len() && self.joins(func, order[count - 1], order[count]) {
            self.copy_insts(func, order[count]);
            count += 1;
        }
        let last = order[count - 1];
        let first_edge = self.edges.len() as u32;
        let number = self.blocks.len() as u32;
        for edge in func.edges_of(last) {
            let edge = func.edges[edge];
            self.edges.push(MEdge {
                from: number,
                to: self.numbers[edge.to as usize],
                ..edge
            });
        }
        self.blocks.push(MBlock {
            start,
            end: self.insts.len() as u32,
            first_edge,
            edge_count: self.edges.len() as u32 - first_edge,
            term: func.blocks[last as usize].term,
            loop_end: number + 1,
            ..func.blocks[order[0] as usize]
        });
        count
    }

    /// Copies the instructions and groups of a block.
    fn copy_insts(&mut self, func: &MFunc, block: u32) {
        let MBlock { start, end, .. } = func.blocks[block as usize];
        let new_start = self.insts.len() as u32;
        self.insts.extend_from_slice(&func.insts[start as usize..end as usize]);
        self.origins
            .extend_from_slice(&func.origins[start as usize..end as usize]);
        let first = func.groups.partition_point(|group| group.start < start);
        let groups = func.groups[first..].iter().take_while(|group| group.start < end);
        self.groups
            .extend(groups.map(|group| group.start - start + new_start..group.end.min(end) - start + new_start));
    }
}

/// The target of a block that contains only a jump.
pub(super) fn only_jumps_to(func: &MFunc, block: u32) -> Option<u32> {
    let data = &func.blocks[block as usize];
    (data.term == Term::Jump && data.start == data.end).then(|| func.edges[data.first_edge as usize].to)
}

/// Replaces two-way branches whose edges have the same target by jumps; returns how many there were.
fn drop_branches_without_choice(func: &mut MFunc) -> u64 {
    let mut changes = 0;
    for number in 0..func.blocks.len() {
        let block = &mut func.blocks[number];
        let Term::Branch(join) = block.term else { continue };
        let first = block.first_edge as usize;
        if func.edges[first].to != func.edges[first + 1].to {
            continue;
        }
        block.term = Term::Jump;
        block.edge_count = 1;
        block.end -= if join.is_some() { 2 } else { 1 };
        changes += 1;
    }
    changes
}

/// Appends a trap if the function ends with unreachable code, so that no call is its last instruction: unwinders would
/// attribute the return address to the next function.
pub(super) fn end_with_a_trap(func: &mut MFunc, cx: &MachPassCx<'_>) {
    let trap = cx.hooks.trap();
    let Some(last) = func.blocks.last_mut() else { return };
    if last.term != Term::Stop || func.insts.last() == Some(&trap) {
        return;
    }
    func.insts.push(trap);
    func.origins.push(func.origins.last().copied().unwrap_or(0));
    last.end += 1;
}
