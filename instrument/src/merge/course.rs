//! What a number has grown by on the ways through a loop, without any code.

use super::Update;
use super::flow::Place;
use frazil_ir::loops::LoopTree;
use frazil_ir::{Block, EntityRef, Function, Loop};
use frazil_support::FxHashMap;

/// A sum on its way: one of the loop's phis and a number.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Sum {
    pub phi: Option<usize>,
    pub amount: i128,
}

/// How a number grows in a loop.
#[derive(Debug)]
pub(crate) struct Course {
    pub id: Loop,
    /// The blocks where different sums meet; the first is the header.
    pub phis: Vec<Block>,
    /// The sum at the end of each block.
    pub ends: FxHashMap<Block, Sum>,
    /// What is added on edges in the loop.
    pub on_edges: FxHashMap<(Block, Block), i128>,
}

impl Course {
    /// The course of a number with these updates, which are all in the loop. `rank` is the number of each block in
    /// reverse postorder.
    pub fn new(
        (f, loops, rank): (&Function, &LoopTree, &[u32]),
        id: Loop,
        updates: &[Update],
        block_of_part: &impl Fn(u32) -> Block,
    ) -> Course {
        let mut in_blocks: FxHashMap<Block, i128> = FxHashMap::default();
        let mut on_edges: FxHashMap<(Block, Block), i128> = FxHashMap::default();
        for update in updates {
            let sum = match update.place {
                Place::Part(part) => in_blocks.entry(block_of_part(part)).or_default(),
                Place::End(block) | Place::Start(block) => in_blocks.entry(block).or_default(),
                Place::Between(from, to) => on_edges.entry((from, to)).or_default(),
            };
            *sum = sum.wrapping_add(update.amount);
        }
        let mut course = Course {
            id,
            phis: Vec::new(),
            ends: FxHashMap::default(),
            on_edges,
        };
        let adds_something = |inner: Loop| {
            let is_edge_inside =
                |&(from, to): &(Block, Block)| loops.contains(inner, from) && loops.contains(inner, to);
            in_blocks.keys().any(|&block| loops.contains(inner, block)) || course.on_edges.keys().any(is_edge_inside)
        };
        let mut blocks = loops.blocks(id).to_vec();
        blocks.sort_unstable_by_key(|block| rank[block.index()]);
        for block in blocks {
            let is_header = block == loops.data(id).header;
            let begun = loops
                .innermost(block)
                .filter(|&inner| loops.data(inner).header == block);
            let mut known: Vec<Sum> = Vec::new();
            for &from in f.predecessors(block) {
                known.extend(course.on_edge(from, block));
            }
            known.dedup();
            let start = match known.as_slice() {
                [same] if !is_header && !begun.is_some_and(adds_something) => *same,
                _ => {
                    course.phis.push(block);
                    Sum {
                        phi: Some(course.phis.len() - 1),
                        amount: 0,
                    }
                }
            };
            let amount = in_blocks.get(&block).copied().unwrap_or(0);
            let amount = start.amount.wrapping_add(amount);
            course.ends.insert(block, Sum { amount, ..start });
        }
        course
    }

    /// The sum on an edge from a block of the loop; in it, that block must come before.
    pub fn on_edge(&self, from: Block, to: Block) -> Option<Sum> {
        let end = self.ends.get(&from)?;
        let amount = self.on_edges.get(&(from, to)).copied().unwrap_or(0);
        Some(Sum {
            amount: end.amount.wrapping_add(amount),
            ..*end
        })
    }

    /// What each round adds, if that is always the same.
    pub fn amount_of_rounds(&self, latches: impl Iterator<Item = Block>) -> Option<i128> {
        let header = *self.phis.first().filter(|_| self.phis.len() == 1)?;
        let mut amount = None;
        for latch in latches {
            let sum = self.on_edge(latch, header)?;
            if sum.phi != Some(0) || *amount.get_or_insert(sum.amount) != sum.amount {
                return None;
            }
        }
        amount
    }
}
