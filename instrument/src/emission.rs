//! Where the updates of numbers in memory are put: what each part of a block pays, and what is paid on edges.
//!
//! Updates that come to the same part become one. An edge gets a block of its own only if neither of its blocks is
//! there for it alone.

use crate::merge::flow::Place;
use crate::merge::{Gathered, Payment, pay};
use frazil_ir::{Block, Editor, EntityRef, Function};
use frazil_support::FxHashMap;

/// The updates of a function, by place.
#[derive(Debug, Default)]
pub(crate) struct Emission {
    /// The first part of each block, and the number of parts.
    first_parts: Vec<u32>,
    of_parts: Vec<Vec<Payment>>,
    /// Blocks on edges, and what is paid there.
    on_edges: Vec<(Block, Vec<Payment>)>,
    by_edge: FxHashMap<(Block, Block), usize>,
}

impl Emission {
    /// No updates yet, for the parts of a function.
    pub fn new(gathered: &Gathered, blocks: usize) -> Emission {
        Emission {
            first_parts: gathered.first_parts(blocks),
            of_parts: vec![Vec::new(); gathered.parts.len()],
            ..Emission::default()
        }
    }

    /// What is paid in a part.
    pub fn of_part(&mut self, part: u32) -> Vec<Payment> {
        std::mem::take(&mut self.of_parts[part as usize])
    }

    /// The parts of a block.
    pub fn parts(&self, block: Block) -> std::ops::Range<u32> {
        self.first_parts[block.index()]..self.first_parts[block.index() + 1]
    }

    /// The blocks that were made, and what is paid in them.
    pub fn take_edges(&mut self) -> Vec<(Block, Vec<Payment>)> {
        std::mem::take(&mut self.on_edges)
    }

    /// What is paid on an edge that is no invoke's; it may get a block of its own.
    pub fn on_edge(&mut self, f: &mut Function, editor: &mut Editor, from: Block, to: Block) -> &mut Vec<Payment> {
        if f.cfg().successors(from).len() == 1 {
            return &mut self.of_parts[self.first_parts[from.index() + 1] as usize - 1];
        }
        if f.predecessors(to).len() == 1 {
            return &mut self.of_parts[self.first_parts[to.index()] as usize];
        }
        self.block_on_edge(f, editor, from, to);
        &mut self.on_edges[self.by_edge[&(from, to)]].1
    }

    /// The block on an edge between blocks that have other edges, too.
    pub fn block_on_edge(&mut self, f: &mut Function, editor: &mut Editor, from: Block, to: Block) -> Block {
        if let Some(&known) = self.by_edge.get(&(from, to)) {
            return self.on_edges[known].0;
        }
        let block = editor.new_block_on_edge(f, from, to);
        self.by_edge.insert((from, to), self.on_edges.len());
        self.on_edges.push((block, Vec::new()));
        block
    }

    /// Notes an update.
    pub fn add(&mut self, f: &mut Function, editor: &mut Editor, place: Place, cell: u32, amount: i128) {
        let payments = match place {
            Place::Part(part) => &mut self.of_parts[part as usize],
            Place::Start(block) => &mut self.of_parts[self.first_parts[block.index()] as usize],
            Place::End(block) => &mut self.of_parts[self.first_parts[block.index() + 1] as usize - 1],
            Place::Between(from, to) => self.on_edge(f, editor, from, to),
        };
        pay(payments, cell, amount, None);
    }
}
