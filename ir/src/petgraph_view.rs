//! A function's graph as a graph of `petgraph`, for tests and pictures; code generation does not use it.
//!
//! [`CfgView`] implements the visiting traits on the arrays of [`Cfg`], without copying them. Nodes are blocks, edges
//! stand once each, as in the arrays. `petgraph::dot::Dot` draws it; petgraph's algorithms hash and allocate for each
//! call, which is why they are for checking ours only.

use crate::cfg::{Cfg, Edge};
use crate::entities::Block;
use crate::function::Function;
use frazil_support::EntityRef;
use petgraph::visit::{
    Data, GraphBase, GraphProp, GraphRef, IntoEdgeReferences, IntoNeighbors, IntoNeighborsDirected,
    IntoNodeIdentifiers, IntoNodeReferences, NodeCount, NodeIndexable, Visitable,
};
use petgraph::{Directed, Direction};
use std::collections::HashSet;

/// The blocks and edges of a function whose graph is computed.
#[derive(Clone, Copy, Debug)]
pub struct CfgView<'a> {
    cfg: &'a Cfg,
    blocks: usize,
}

impl<'a> CfgView<'a> {
    /// The graph of a function, as [`Function::compute_cfg`] left it.
    pub fn new(function: &'a Function) -> CfgView<'a> {
        CfgView {
            cfg: &function.cfg,
            blocks: function.blocks.len(),
        }
    }
}

impl GraphBase for CfgView<'_> {
    type NodeId = Block;
    type EdgeId = (Block, Block);
}

impl GraphRef for CfgView<'_> {}

impl Data for CfgView<'_> {
    type NodeWeight = ();
    type EdgeWeight = ();
}

impl GraphProp for CfgView<'_> {
    type EdgeType = Directed;
}

impl NodeCount for CfgView<'_> {
    fn node_count(&self) -> usize {
        self.blocks
    }
}

impl NodeIndexable for CfgView<'_> {
    fn node_bound(&self) -> usize {
        self.blocks
    }

    fn to_index(&self, block: Block) -> usize {
        block.index()
    }

    fn from_index(&self, index: usize) -> Block {
        Block::new(index)
    }
}

impl Visitable for CfgView<'_> {
    type Map = HashSet<Block>;

    fn visit_map(&self) -> HashSet<Block> {
        HashSet::with_capacity(self.blocks)
    }

    fn reset_map(&self, map: &mut HashSet<Block>) {
        map.clear();
    }
}

fn target(edge: &Edge) -> Block {
    edge.target
}

/// The blocks after or before a block.
#[derive(Clone, Debug)]
pub enum Neighbors<'a> {
    /// Targets of these edges.
    Successors(std::slice::Iter<'a, Edge>),
    Predecessors(std::slice::Iter<'a, Block>),
}

impl Iterator for Neighbors<'_> {
    type Item = Block;

    fn next(&mut self) -> Option<Block> {
        match self {
            Neighbors::Successors(edges) => edges.next().map(target),
            Neighbors::Predecessors(blocks) => blocks.next().copied(),
        }
    }
}

impl<'a> IntoNeighbors for CfgView<'a> {
    type Neighbors = Neighbors<'a>;

    fn neighbors(self, block: Block) -> Neighbors<'a> {
        Neighbors::Successors(self.cfg.successors(block).iter())
    }
}

impl<'a> IntoNeighborsDirected for CfgView<'a> {
    type NeighborsDirected = Neighbors<'a>;

    fn neighbors_directed(self, block: Block, direction: Direction) -> Neighbors<'a> {
        match direction {
            Direction::Outgoing => self.neighbors(block),
            Direction::Incoming => Neighbors::Predecessors(self.cfg.predecessors(block).iter()),
        }
    }
}

impl IntoNodeIdentifiers for CfgView<'_> {
    type NodeIdentifiers = std::iter::Map<std::ops::Range<usize>, fn(usize) -> Block>;

    fn node_identifiers(self) -> Self::NodeIdentifiers {
        (0..self.blocks).map(Block::new)
    }
}

impl IntoNodeReferences for CfgView<'_> {
    type NodeRef = (Block, &'static ());
    type NodeReferences = std::iter::Map<std::ops::Range<usize>, fn(usize) -> (Block, &'static ())>;

    fn node_references(self) -> Self::NodeReferences {
        (0..self.blocks).map(|index| (Block::new(index), &()))
    }
}

/// All edges of a graph, by source.
#[derive(Clone, Debug)]
pub struct Edges<'a> {
    view: CfgView<'a>,
    source: usize,
    rest: std::slice::Iter<'a, Edge>,
}

impl Iterator for Edges<'_> {
    type Item = (Block, Block, &'static ());

    fn next(&mut self) -> Option<Self::Item> {
        loop {
            if let Some(edge) = self.rest.next() {
                return Some((Block::new(self.source), edge.target, &()));
            }
            self.source += 1;
            if self.source >= self.view.blocks {
                return None;
            }
            self.rest = self.view.cfg.successors(Block::new(self.source)).iter();
        }
    }
}

impl<'a> IntoEdgeReferences for CfgView<'a> {
    type EdgeRef = (Block, Block, &'static ());
    type EdgeReferences = Edges<'a>;

    fn edge_references(self) -> Edges<'a> {
        let first: &[Edge] = if self.blocks == 0 {
            &[]
        } else {
            self.cfg.successors(Block::new(0))
        };
        Edges {
            view: self,
            source: 0,
            rest: first.iter(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::domtree::DomTree;
    use petgraph::algo::dominators::simple_fast;
    use petgraph::dot::{Config, Dot};

    const TEXT: &str = "func @f(i1) {\nb0: branch v0, b1, b2\nb1: branch v0, b3, b4\nb2: jump b4\nb3: branch v0, b1, b5\n\
        b4: branch v0, b2, b5\nb5: return\nb6: jump b5\n}";

    #[test]
    fn our_dominators_are_those_of_petgraph() {
        let (_, bodies) = crate::text::parse_module(TEXT).expect("parses");
        let function = &bodies[0];
        let mut tree = DomTree::default();
        tree.compute(&function.cfg, function.blocks.len());
        let theirs = simple_fast(CfgView::new(function), Block::new(0));
        for block in function.block_ids() {
            assert_eq!(tree.parent(block), theirs.immediate_dominator(block), "{block:?}");
        }
    }

    #[test]
    fn every_edge_stands_once_and_both_ways() {
        let (_, bodies) = crate::text::parse_module(TEXT).expect("parses");
        let view = CfgView::new(&bodies[0]);
        let edges: Vec<_> = view.edge_references().map(|(from, to, ())| (from, to)).collect();
        assert_eq!(edges.len(), 10);
        for (from, to) in edges {
            assert!(view.neighbors(from).any(|block| block == to));
            assert!(
                view.neighbors_directed(to, Direction::Incoming)
                    .any(|block| block == from)
            );
        }
    }

    #[test]
    fn graphs_can_be_drawn() {
        let (_, bodies) = crate::text::parse_module("func @f() {\nb0: jump b1\nb1: return\n}").expect("parses");
        let config = [Config::NodeIndexLabel, Config::EdgeNoLabel];
        let dot = format!("{:?}", Dot::with_config(CfgView::new(&bodies[0]), &config));
        assert!(dot.contains("0 -> 1"), "{dot}");
    }
}
