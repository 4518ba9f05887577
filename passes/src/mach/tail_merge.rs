//! Tail merging: blocks that end with equal instructions and have the same successors share their ends.
//!
//! ```text
//! b1: ..., mov eax, 1, mov [rbx], eax, jump b9        b1: ..., jump b10
//! b2: ..., mov eax, 1, mov [rbx], eax, jump b9   ->   b2: ..., jump b10
//! b9: ...                                             b10: mov eax, 1, mov [rbx], eax, jump b9
//! ```
//!
//! Method (cross-jumping: W. Wulf et al., "The Design of an Optimizing Compiler", 1975): blocks whose control flow ends
//! in the same way (a jump to the same block, a return, a stop) are compared. They are partitioned by the hash of the
//! last instruction. If the blocks of one part have equal instructions at their ends, these are moved to a new block;
//! then the part is partitioned again by the instruction before them. This walks through the tree of the instructions
//! read backward, and visits each common instruction once. A shared end does not start between an instruction that
//! writes flags and one that reads them, nor inside of a group of instructions.
//!
//! Blocks that end with a jump can share their ends for free, since each still has one jump; [`super::branch_opt`] then
//! lets the block that is executed most often fall through. Returns and branches cost an additional jump in each block,
//! so more instructions must be saved.
//!
//! Costs: a sort of the blocks, and a copy of the instructions if anything is shared. Gains: 2 to 5 percent of the
//! text, most of it where several edges have the same moves.

use super::branch_opt::{end_with_a_trap, only_jumps_to};
use super::live::compact;
use frazil_codegen::desc::OpDesc;
use frazil_codegen::mfunc::{MBlock, MEdge, MFunc, Term, op_desc, pseudo};
use frazil_codegen::minst::MInst;
use frazil_codegen::pass::{MachPass, MachPassCx};
use frazil_ir::pass::{Level, Order, PassInfo};
use frazil_support::WordHasher;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

pub const INFO: PassInfo = PassInfo {
    name: "tail-merge",
    summary: "lets blocks that end alike share their ends",
    level: Level::Mach,
    required: false,
    after: &[Order {
        pass: "peephole",
        reason: "it makes instructions of shared ends different",
    }],
    before: &[Order {
        pass: "branch-opt",
        reason: "it leaves blocks that only jump, and shared ends that must be laid out",
    }],
};

/// What a recipe can set for `tail-merge`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields, rename_all = "kebab-case")]
pub struct Options {
    /// How many common instructions returns and branches must have to be shared, since sharing costs a jump; 0 for
    /// never.
    pub shortest_return: u32,
    /// Blocks at a greater loop depth than this are not shared: they would jump in each iteration, and the operations
    /// of an interpreter would share the one indirect jump by whose address the processor predicts them.
    pub deepest_loop: u8,
}

impl Default for Options {
    fn default() -> Options {
        Options {
            shortest_return: 4,
            deepest_loop: 0,
        }
    }
}

/// How many common instructions ends that do not return must have to be shared.
const SHORTEST_STOP: u32 = 2;
/// How many blocks with only a jump are followed to find the target of a jump.
const MOST_STEPS: u32 = 4;
/// The number of no block.
const NONE: u32 = u32::MAX;

/// Lets blocks with equal ends share them.
#[derive(Debug)]
pub struct TailMerge {
    options: Options,
}

/// Makes the pass with the options of a recipe.
pub fn make(options: Options) -> TailMerge {
    TailMerge { options }
}

impl MachPass for TailMerge {
    fn run(&self, func: &mut MFunc, cx: &mut MachPassCx<'_>) -> u64 {
        // Before allocation, equal computations have different virtual registers.
        if !cx.is_allocated || func.blocks.len() < 2 {
            return 0;
        }
        let mut memory: Box<Scratch> = cx.scratch.take();
        memory.collect(func, cx, self.options);
        let mut merger = Merger {
            func,
            cx,
            options: self.options,
            ends: &mut memory.ends,
            tasks: &mut memory.tasks,
            merged: 0,
        };
        merger.run();
        let merged = merger.merged;
        if merged > 0 {
            memory.finish(func);
            end_with_a_trap(func, cx);
        }
        cx.scratch.give_back(memory);
        merged
    }
}

/// The instructions at the end of a block that are not shared yet.
#[derive(Clone, Copy, Debug)]
struct End {
    /// A hash of the next instruction to be compared; at first, also of the block's control flow.
    key: u64,
    block: u32,
    /// The end of what still belongs to the block (exclusive).
    end: u32,
    /// The shared block to which the block jumps then, if there is one.
    goes_to: u32,
}

/// A range of [`Scratch::ends`] with the same successors, to be compared further.
#[derive(Clone, Copy, Debug)]
struct Task {
    first: u32,
    last: u32,
    /// How many of their last instructions are the same but too few to be shared.
    depth: u32,
}

#[derive(Debug, Default)]
struct Scratch {
    ends: Vec<End>,
    tasks: Vec<Task>,
    edges: Vec<MEdge>,
}

impl Scratch {
    /// Collects the blocks whose ends may be shared, with their keys.
    fn collect(&mut self, func: &MFunc, cx: &MachPassCx<'_>, options: Options) {
        self.ends.clear();
        for (number, block) in func.blocks.iter().enumerate() {
            let goes_on = matches!(block.term, Term::Jump | Term::Branch(_));
            if goes_on && block.loop_depth > options.deepest_loop {
                continue;
            }
            let start = match block.term {
                Term::Jump => WordHasher::default().with(u64::from(destination(func, block))),
                Term::Branch(_) => (func.edges_of(number as u32))
                    .fold(WordHasher::default().with(1 << 32), |hash, edge| {
                        hash.with(u64::from(func.edges[edge].to))
                    }),
                Term::Return => WordHasher::default().with(2 << 32),
                Term::Stop => WordHasher::default().with(3 << 32),
                Term::Switch | Term::Invoke => continue,
            };
            if block.start == block.end {
                continue;
            }
            let inst = &func.insts[block.end as usize - 1];
            let key = hash_with(start, func, inst, op_desc(cx.hooks.ops(), inst.op));
            self.ends.push(End {
                key,
                block: number as u32,
                end: block.end,
                goes_to: NONE,
            });
        }
    }

    /// Removes the shared instructions from the blocks and makes these jump to the shared blocks.
    fn finish(&mut self, func: &mut MFunc) {
        for &End {
            block, end, goes_to, ..
        } in &self.ends
        {
            if goes_to == NONE {
                continue;
            }
            let data = &mut func.blocks[block as usize];
            func.insts[end as usize..data.end as usize].fill(MInst::new(pseudo::NOP, 0));
            data.term = Term::Jump;
            data.first_edge = func.edges.len() as u32;
            data.edge_count = 1;
            func.edges.push(jump_edge(goes_to));
        }
        compact(func);
        self.edges.clear();
        for (number, block) in func.blocks.iter_mut().enumerate() {
            let range = block.first_edge as usize..(block.first_edge + block.edge_count) as usize;
            block.first_edge = self.edges.len() as u32;
            let from = number as u32;
            self.edges
                .extend(func.edges[range].iter().map(|edge| MEdge { from, ..*edge }));
        }
        std::mem::swap(&mut func.edges, &mut self.edges);
        func.compute_predecessors();
    }
}

struct Merger<'a, 'b> {
    func: &'a mut MFunc,
    cx: &'a MachPassCx<'b>,
    options: Options,
    ends: &'a mut [End],
    tasks: &'a mut Vec<Task>,
    /// How many ends were replaced by a shared one.
    merged: u64,
}

impl Merger<'_, '_> {
    fn run(&mut self) {
        self.tasks.clear();
        self.part(0, self.ends.len(), 0);
        while let Some(Task { first, last, depth }) = self.tasks.pop() {
            let (first, last) = (first as usize, last as usize);
            for index in first..last {
                self.ends[index].key = match self.candidate(self.ends[index], depth) {
                    Some(inst) => hash_with(WordHasher::default(), self.func, inst, self.desc(inst)),
                    // Nothing has the same key, so the end is not shared further.
                    None => u64::from(self.ends[index].block),
                };
            }
            self.part(first, last, depth);
        }
    }

    fn desc(&self, inst: &MInst) -> &'static OpDesc {
        op_desc(self.cx.hooks.ops(), inst.op)
    }

    /// The instruction `depth` positions before the last one of an end, if it may be shared.
    fn candidate(&self, end: End, depth: u32) -> Option<&MInst> {
        let start = self.func.blocks[end.block as usize].start;
        let index = end.end.checked_sub(depth + 1).filter(|&index| index >= start)?;
        let groups = &self.func.groups;
        let next = groups.partition_point(|group| group.end <= index);
        let in_group = groups.get(next).is_some_and(|group| group.contains(&index));
        let inst = &self.func.insts[index as usize];
        // These registers are defined by an edge into the block.
        (!in_group && inst.op != pseudo::ARRIVE).then_some(inst)
    }

    /// Sorts a range of ends by their keys, and shares those with equal keys.
    fn part(&mut self, first: usize, last: usize, depth: u32) {
        self.ends[first..last].sort_unstable_by_key(|end| (end.key, end.block));
        let mut start = first;
        while start < last {
            let key = self.ends[start].key;
            let count = self.ends[start..last].iter().take_while(|end| end.key == key).count();
            if count > 1 {
                self.share(start, start + count, depth);
            }
            start += count;
        }
    }

    /// Shares what the ends of a range, whose keys are equal, have in common from `depth` on.
    fn share(&mut self, first: usize, last: usize, depth: u32) {
        let mut common = depth;
        while self.all_same(first, last, common) {
            common += 1;
        }
        if common == depth || !self.go_on_alike(first, last) {
            return;
        }
        let taken = self.without_flags(self.ends[first], common);
        let is_worth_it = taken >= self.shortest(self.ends[first]);
        if is_worth_it {
            self.take(first, last, taken);
        }
        self.tasks.push(Task {
            first: first as u32,
            last: last as u32,
            depth: if is_worth_it { common - taken } else { common },
        });
    }

    /// Whether the instruction at `depth` is the same in all ends of a range.
    fn all_same(&self, first: usize, last: usize, depth: u32) -> bool {
        let Some(inst) = self.candidate(self.ends[first], depth) else {
            return false;
        };
        (self.ends[first + 1..last].iter()).all(|&end| {
            self.candidate(end, depth)
                .is_some_and(|other| self.is_same(inst, other))
        })
    }

    fn is_same(&self, left: &MInst, right: &MInst) -> bool {
        if left == right {
            return true;
        }
        let without_sets = |inst: &MInst| inst.with_imm(0);
        left.op == right.op
            && self.desc(left).has_sets
            && without_sets(left) == without_sets(right)
            && self.func.sets[left.imm as usize] == self.func.sets[right.imm as usize]
    }

    /// Whether ends with equal keys have the same control flow.
    fn go_on_alike(&self, first: usize, last: usize) -> bool {
        let func = &*self.func;
        let one = self.ends[first];
        let block = &func.blocks[one.block as usize];
        self.ends[first + 1..last].iter().all(|end| {
            let other = &func.blocks[end.block as usize];
            let has_same_edges = || match block.term {
                Term::Jump => destination(func, block) == destination(func, other),
                _ => targets(func, block).eq(targets(func, other)),
            };
            end.goes_to == one.goes_to && (one.goes_to != NONE || (block.term == other.term && has_same_edges()))
        })
    }

    /// How many of the last `count` instructions can be shared so that none of them reads flags that are set before.
    fn without_flags(&self, end: End, count: u32) -> u32 {
        let mut taken = count;
        for distance in (0..count).rev() {
            let desc = self.desc(&self.func.insts[(end.end - 1 - distance) as usize]);
            if desc.reads_flags {
                taken = distance;
            } else if desc.writes_flags {
                break;
            }
        }
        taken
    }

    /// The least number of instructions for which sharing an end pays.
    fn shortest(&self, end: End) -> u32 {
        if end.goes_to != NONE {
            return 1;
        }
        match self.func.blocks[end.block as usize].term {
            Term::Jump => 1,
            Term::Stop => SHORTEST_STOP,
            _ if self.options.shortest_return == 0 => u32::MAX,
            // The branch at the end may be two instructions.
            _ => self.options.shortest_return.max(2),
        }
    }

    /// Moves the last `count` instructions of a range of ends to a block of their own.
    fn take(&mut self, first: usize, last: usize, count: u32) {
        let model = self.ends[first];
        let func = &mut *self.func;
        let block = func.blocks[model.block as usize];
        let first_edge = func.edges.len() as u32;
        let (term, loop_depth) = if model.goes_to == NONE {
            let range = func.edges_of(model.block);
            let mut depth = 0;
            for edge in range {
                let edge = func.edges[edge];
                depth = func.blocks[edge.to as usize].loop_depth.max(depth);
                func.edges.push(edge);
            }
            (block.term, depth)
        } else {
            func.edges.push(jump_edge(model.goes_to));
            (Term::Jump, func.blocks[model.goes_to as usize].loop_depth)
        };
        let start = func.insts.len() as u32;
        let taken = (model.end - count) as usize..model.end as usize;
        func.insts.extend_from_within(taken.clone());
        func.origins.extend_from_within(taken);
        func.renew_identities(start as usize..func.insts.len());
        func.share_identities(start as usize..func.insts.len());
        for end in &self.ends[first..last] {
            func.share_identities((end.end - count) as usize..end.end as usize);
        }
        let number = func.blocks.len() as u32;
        func.blocks.push(MBlock {
            start,
            end: start + count,
            first_edge,
            edge_count: func.edges.len() as u32 - first_edge,
            term,
            loop_depth,
            loop_end: number + 1,
            source: block.source,
        });
        for end in &mut self.ends[first..last] {
            end.end -= count;
            end.goes_to = number;
        }
        self.merged += (last - first) as u64 - 1;
    }
}

/// A jump's edge, whose source is set when the edges are sorted.
fn jump_edge(to: u32) -> MEdge {
    MEdge {
        from: NONE,
        to,
        label: None,
        first_move: 0,
        move_count: 0,
    }
}

/// The target of a block that ends with a jump, past blocks with only a jump.
fn destination(func: &MFunc, block: &MBlock) -> u32 {
    let mut to = func.edges[block.first_edge as usize].to;
    for _ in 0..MOST_STEPS {
        match only_jumps_to(func, to) {
            Some(next) => to = next,
            None => break,
        }
    }
    to
}

fn targets<'a>(func: &'a MFunc, block: &MBlock) -> impl Iterator<Item = u32> + use<'a> {
    let range = block.first_edge as usize..(block.first_edge + block.edge_count) as usize;
    func.edges[range].iter().map(|edge| edge.to)
}

/// A hash of all properties that equal instructions have in common, and of `start`.
fn hash_with(start: WordHasher, func: &MFunc, inst: &MInst, desc: &OpDesc) -> u64 {
    let [first, second, third] = inst.slot_words();
    let own = u64::from(inst.op) << 16 | u64::from(inst.size) << 8 | u64::from(inst.aux);
    let hash = start
        .with(own << 32 | u64::from(first))
        .with(u64::from(second) << 32 | u64::from(third));
    let last = u64::from(inst.disp.cast_unsigned()) << 32;
    if desc.has_sets {
        let sets = func.sets[inst.imm as usize];
        let words = [
            sets.uses.bank(0),
            sets.uses.bank(1),
            sets.defs.bank(0),
            sets.defs.bank(1),
        ];
        return words
            .iter()
            .fold(hash.with(last), |hash, &word| hash.with(word))
            .finish();
    }
    hash.with(last | u64::from(inst.imm.cast_unsigned())).finish()
}
