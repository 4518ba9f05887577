//! Predecessors and successors as compressed arrays.
//!
//! Each edge stands once, even when a switch or branch names its target twice. The successor entry of an edge
//! carries its *column*: the index of the edge in the target's predecessor list, which is the index of the phi
//! operands that belong to it. [`crate::cfg_build`] fills them.

use crate::entities::Block;
use frazil_support::{EntityRef, EpochMap};

/// An outgoing edge of a block.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Edge {
    /// Where it leads.
    pub target: Block,
    /// Its index among the target's predecessors.
    pub column: u32,
}

/// The control-flow graph of a function.
#[derive(Clone, Debug, Default)]
pub struct Cfg {
    pub(crate) successor_start: Vec<u32>,
    pub(crate) successors: Vec<Edge>,
    pub(crate) predecessor_start: Vec<u32>,
    pub(crate) predecessors: Vec<Block>,
    pub(crate) indirect_jumps: u32,
    /// Edges that a terminator names once more.
    pub(crate) repeated: Vec<(Block, Block)>,
    pub(crate) seen: EpochMap<()>,
}

impl Cfg {
    /// Forgets the graph but keeps the memory.
    pub fn clear(&mut self) {
        self.successor_start.clear();
        self.successors.clear();
        self.predecessor_start.clear();
        self.predecessors.clear();
        self.indirect_jumps = 0;
        self.repeated.clear();
    }

    /// The predecessors of a block, each once, in block order.
    #[inline]
    pub fn predecessors(&self, block: Block) -> &[Block] {
        let index = block.index();
        &self.predecessors[self.predecessor_start[index] as usize..self.predecessor_start[index + 1] as usize]
    }

    /// The edges out of a block, each target once, in the terminator's order.
    #[inline]
    pub fn successors(&self, block: Block) -> &[Edge] {
        let index = block.index();
        &self.successors[self.successor_start[index] as usize..self.successor_start[index + 1] as usize]
    }

    /// How many blocks end with an `indirect_jump`.
    pub fn indirect_jumps(&self) -> u32 {
        self.indirect_jumps
    }

    /// The edges that terminators name more than once, with source and target, once for each further time. Known
    /// after [`Cfg::compute`].
    pub fn repeated_edges(&self) -> &[(Block, Block)] {
        &self.repeated
    }
}
