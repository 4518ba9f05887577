//! Reachable blocks numbered in preorder of the dominator tree.
//!
//! In this numbering the blocks that a block dominates are a range that begins with it, so that tables of a walk along
//! the tree are dense arrays, and dominance is two comparisons. The children of a block stand in reverse postorder of
//! the graph.

use frazil_ir::domtree::DomTree;
use frazil_ir::{Block, EntityRef};

/// The number of a block that the entry does not reach.
pub const UNREACHABLE: u32 = u32::MAX;

/// The numbering of a function's blocks.
#[derive(Debug, Default)]
pub struct DomOrder {
    blocks: Vec<Block>,
    ends: Vec<u32>,
    parents: Vec<u32>,
    numbers: Vec<u32>,
}

impl DomOrder {
    /// Numbers the blocks of a function of `blocks` blocks.
    pub fn compute(&mut self, tree: &DomTree, blocks: usize) {
        self.numbers.clear();
        self.numbers.resize(blocks, UNREACHABLE);
        let mut reachable = 0;
        for block in tree.reverse_postorder() {
            self.numbers[block.index()] = tree.subtree(block).start;
            reachable += 1;
        }
        self.blocks.clear();
        self.blocks.resize(reachable, Block::new(0));
        self.ends.resize(reachable, 0);
        self.parents.resize(reachable, 0);
        for block in tree.reverse_postorder() {
            let span = tree.subtree(block);
            let number = span.start as usize;
            self.blocks[number] = block;
            self.ends[number] = span.end;
            self.parents[number] = tree.parent(block).map_or(0, |parent| self.numbers[parent.index()]);
        }
    }

    /// How many blocks have numbers.
    pub fn count(&self) -> u32 {
        self.blocks.len() as u32
    }

    /// The block with a number.
    #[inline]
    pub fn block(&self, number: u32) -> Block {
        self.blocks[number as usize]
    }

    /// The number of a block, or [`UNREACHABLE`].
    #[inline]
    pub fn number(&self, block: Block) -> u32 {
        self.numbers[block.index()]
    }

    /// One past the last number of the blocks that a block dominates.
    #[inline]
    pub fn end(&self, number: u32) -> u32 {
        self.ends[number as usize]
    }

    /// The immediate dominator; the entry's is the entry.
    #[inline]
    pub fn parent(&self, number: u32) -> u32 {
        self.parents[number as usize]
    }

    /// Whether a block dominates another one, or is it.
    #[inline]
    pub fn dominates(&self, above: u32, below: u32) -> bool {
        above <= below && below < self.end(above)
    }
}
