//! The loops of a function and how they nest.
//!
//! Method: one depth-first walk of the graph finds for each block the header of the innermost loop around it, after
//! Wei, Mao, Zou and Chen, "A New Algorithm for Identifying Loops in Decompilation" (SAS 2007). A block that is met
//! while it is on the walk's path is a header; inner headers are hung below outer ones by their depth on the path.
//! Near linear: the work beyond the walk is the distance in the tree between the loops that an edge leaves.
//!
//! A loop that can be entered elsewhere than at its header is *irreducible*: it is a loop here too, its header the
//! block that the walk found first, so that loop depths are right, but it has no pre-header, and its header does not
//! dominate its blocks. All others are natural loops. Blocks that the entry does not reach are in no loop.

use crate::analysis::Analysis;
use crate::cfg::Cfg;
use crate::entities::{Block, Loop};
use crate::function::Function;
use frazil_support::EntityRef;

const NONE: u32 = u32::MAX;

/// A loop, natural or irreducible, in the tree of loops.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LoopData {
    /// The block where it begins.
    pub header: Block,
    /// The loop around it.
    pub parent: Option<Loop>,
    /// 1 for a loop in no other.
    pub depth: u32,
    /// Whether it can be entered elsewhere than at its header.
    pub irreducible: bool,
    /// The only block outside of the loop from which the header is entered, if it leads nowhere else.
    pub preheader: Option<Block>,
    /// Its blocks, and those of the loops in it, in the list of all.
    blocks: (u32, u32),
}

/// The loops of a function.
#[derive(Debug, Default)]
pub struct LoopTree {
    /// Outer loops before inner ones, in reverse postorder of the headers.
    loops: Vec<LoopData>,
    /// The innermost loop of each block.
    innermost: Vec<u32>,
    /// The blocks of each loop beside one another, those of inner loops after a loop's own.
    blocks: Vec<Block>,
    /// Where each block stands in `blocks`.
    positions: Vec<u32>,
    walk: Walk,
}

impl PartialEq for LoopTree {
    fn eq(&self, other: &LoopTree) -> bool {
        (&self.loops, &self.innermost, &self.blocks) == (&other.loops, &other.innermost, &other.blocks)
    }
}

impl Analysis for LoopTree {
    const NAME: &'static str = "loops";
    const CFG_ONLY: bool = true;

    fn compute(&mut self, function: &Function) {
        LoopTree::compute(self, &function.cfg, function.blocks.len());
    }
}

impl LoopTree {
    /// Finds the loops of a graph of `blocks` blocks, of which block 0 is the entry.
    pub fn compute(&mut self, cfg: &Cfg, blocks: usize) {
        let mut walk = std::mem::take(&mut self.walk);
        walk.run(cfg, blocks);
        self.number(&walk);
        self.collect_blocks(&walk);
        self.find_preheaders(cfg);
        self.walk = walk;
    }

    /// All loops, each before those in it.
    pub fn loops(&self) -> impl DoubleEndedIterator<Item = Loop> + use<> {
        (0..self.loops.len()).map(Loop::new)
    }

    /// The loops that have no others in them.
    pub fn innermost_loops(&self) -> impl Iterator<Item = Loop> + '_ {
        // A loop with others in it has more blocks than those of which it is the innermost one, which stand first.
        self.loops().filter(|&id| {
            let blocks = self.blocks(id);
            self.innermost(blocks[blocks.len() - 1]) == Some(id)
        })
    }

    /// Header, parent and extent of a loop.
    pub fn data(&self, id: Loop) -> &LoopData {
        &self.loops[id.index()]
    }

    /// The innermost loop that a block is in.
    pub fn innermost(&self, block: Block) -> Option<Loop> {
        let id = self.innermost[block.index()];
        (id != NONE).then(|| Loop::new(id as usize))
    }

    /// How many loops a block is in.
    pub fn depth(&self, block: Block) -> u32 {
        self.innermost(block).map_or(0, |id| self.data(id).depth)
    }

    /// The blocks of a loop, those of the loops in it included; the header is the first.
    pub fn blocks(&self, id: Loop) -> &[Block] {
        let (start, end) = self.data(id).blocks;
        &self.blocks[start as usize..end as usize]
    }

    /// Whether a block is in a loop or in one of the loops in it.
    pub fn contains(&self, id: Loop, block: Block) -> bool {
        let (start, end) = self.data(id).blocks;
        let position = self.positions[block.index()];
        start <= position && position < end
    }

    /// The edges that leave a loop: from which block to which.
    pub fn exits<'a>(&'a self, cfg: &'a Cfg, id: Loop) -> impl Iterator<Item = (Block, Block)> + 'a {
        self.blocks(id).iter().flat_map(move |&from| {
            let targets = cfg.successors(from).iter().map(move |edge| (from, edge.target));
            targets.filter(move |&(_, to)| !self.contains(id, to))
        })
    }

    /// Makes a loop of each header, outer ones first.
    fn number(&mut self, walk: &Walk) {
        self.loops.clear();
        self.innermost.clear();
        self.innermost.resize(walk.headers.len(), NONE);
        for &block in walk.postorder.iter().rev() {
            let around = walk.headers[block as usize];
            // A header comes before its loop's blocks in reverse postorder.
            let parent = if around == NONE {
                NONE
            } else {
                self.innermost[around as usize]
            };
            self.innermost[block as usize] = parent;
            if walk.is_header[block as usize] {
                self.innermost[block as usize] = self.loops.len() as u32;
                let parent = (parent != NONE).then(|| Loop::new(parent as usize));
                self.loops.push(LoopData {
                    header: Block::new(block as usize),
                    parent,
                    depth: parent.map_or(0, |parent| self.loops[parent.index()].depth) + 1,
                    irreducible: walk.is_irreducible[block as usize],
                    preheader: None,
                    blocks: (0, 0),
                });
            }
        }
    }

    /// Sorts the blocks by loop: sizes from the inside out, then places from the outside in.
    fn collect_blocks(&mut self, walk: &Walk) {
        let sizes = |id: u32, loops: &mut [LoopData]| loops[id as usize].blocks.1 += 1;
        self.innermost
            .iter()
            .filter(|&&id| id != NONE)
            .for_each(|&id| sizes(id, &mut self.loops));
        // `next` is where the next block of a loop itself goes; inner loops follow after all of those.
        let mut next: Vec<u32> = self.loops.iter().map(|data| data.blocks.1).collect();
        for index in (0..self.loops.len()).rev() {
            if let Some(parent) = self.loops[index].parent {
                self.loops[parent.index()].blocks.1 += self.loops[index].blocks.1;
            }
        }
        let mut behind_own = vec![0; self.loops.len()];
        let mut behind_all = 0;
        for index in 0..self.loops.len() {
            let data = self.loops[index];
            let free = match data.parent {
                Some(parent) => &mut behind_own[parent.index()],
                None => &mut behind_all,
            };
            let start = *free;
            *free += data.blocks.1;
            self.loops[index].blocks = (start, start + data.blocks.1);
            behind_own[index] = start + next[index];
            next[index] = start;
        }
        self.blocks.clear();
        self.blocks.resize(behind_all as usize, Block::new(0));
        self.positions.clear();
        self.positions.resize(self.innermost.len(), NONE);
        for &block in walk.postorder.iter().rev() {
            let id = self.innermost[block as usize];
            if id != NONE {
                let place = &mut next[id as usize];
                self.blocks[*place as usize] = Block::new(block as usize);
                self.positions[block as usize] = *place;
                *place += 1;
            }
        }
    }

    fn find_preheaders(&mut self, cfg: &Cfg) {
        for index in 0..self.loops.len() {
            let id = Loop::new(index);
            let data = self.loops[index];
            let mut outside = cfg
                .predecessors(data.header)
                .iter()
                .filter(|&&from| !self.contains(id, from));
            let preheader = match (outside.next(), outside.next()) {
                (Some(&only), None) if !data.irreducible && cfg.successors(only).len() == 1 => Some(only),
                _ => None,
            };
            self.loops[index].preheader = preheader;
        }
    }
}

/// The depth-first walk and what it finds.
#[derive(Debug, Default)]
struct Walk {
    /// The header of the innermost loop around each block; for a header, of the loop around its own.
    headers: Vec<u32>,
    is_header: Vec<bool>,
    is_irreducible: Vec<bool>,
    /// Depth on the current path from 1; 0 for a block that is not on it, `NONE` for one not met yet.
    depths: Vec<u32>,
    postorder: Vec<u32>,
    /// The path: blocks and how many of their edges were followed.
    path: Vec<(u32, u32)>,
}

impl Walk {
    fn run(&mut self, cfg: &Cfg, blocks: usize) {
        self.headers.clear();
        self.headers.resize(blocks, NONE);
        self.is_header.clear();
        self.is_header.resize(blocks, false);
        self.is_irreducible.clear();
        self.is_irreducible.resize(blocks, false);
        self.depths.clear();
        self.depths.resize(blocks, NONE);
        self.postorder.clear();
        self.path.clear();
        if blocks == 0 {
            return;
        }
        self.enter(0);
        while let Some(&mut (block, ref mut followed)) = self.path.last_mut() {
            let Some(edge) = cfg.successors(Block::new(block as usize)).get(*followed as usize) else {
                self.leave(block);
                continue;
            };
            *followed += 1;
            let target = edge.target.as_u32();
            if self.depths[target as usize] == NONE {
                self.enter(target);
            } else {
                self.see_again(block, target);
            }
        }
    }

    fn enter(&mut self, block: u32) {
        self.path.push((block, 0));
        self.depths[block as usize] = self.path.len() as u32;
    }

    /// A block is done; the loop around it, if it is open still, is around the block from which it was entered, too.
    fn leave(&mut self, block: u32) {
        self.path.pop();
        self.depths[block as usize] = 0;
        self.postorder.push(block);
        if let Some(&(above, _)) = self.path.last() {
            self.put_into(above, self.headers[block as usize]);
        }
    }

    /// An edge to a block that was met before: back to a header, or into a loop.
    fn see_again(&mut self, block: u32, target: u32) {
        if self.depths[target as usize] > 0 {
            self.is_header[target as usize] = true;
            return self.put_into(block, target);
        }
        // Loops around the target that the walk has left are entered here beside their headers.
        let mut header = self.headers[target as usize];
        while header != NONE && self.depths[header as usize] == 0 {
            self.is_irreducible[header as usize] = true;
            header = self.headers[header as usize];
        }
        self.put_into(block, header);
    }

    /// Notes that the loop of `header` is around `block`, in the order of depths among those that are already.
    fn put_into(&mut self, mut block: u32, mut header: u32) {
        if header == NONE || block == header {
            return;
        }
        loop {
            let around = self.headers[block as usize];
            if around == header {
                return;
            }
            if around == NONE {
                self.headers[block as usize] = header;
                return;
            }
            if self.depths[around as usize] < self.depths[header as usize] {
                self.headers[block as usize] = header;
                (block, header) = (header, around);
            } else {
                block = around;
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::domtree::DomTree;
    use frazil_test_support::Random;
    use std::fmt::Write;

    fn function(targets: &[Vec<usize>]) -> Function {
        let mut text = String::from("func @f(i32) {\n");
        for (block, targets) in targets.iter().enumerate() {
            write!(text, "b{block}: ").expect("text grows");
            match targets[..] {
                [] => writeln!(text, "return"),
                [to] => writeln!(text, "jump b{to}"),
                [first, second, ..] => writeln!(text, "switch i32 v0, default b{first}, [0: b{second}]"),
            }
            .expect("text grows");
        }
        crate::text::parse_module(&(text + "}")).expect("parses").1.remove(0)
    }

    fn compute(function: &Function) -> (LoopTree, DomTree) {
        let (mut tree, mut dominators) = (LoopTree::default(), DomTree::default());
        tree.compute(&function.cfg, function.blocks.len());
        dominators.compute(&function.cfg, function.blocks.len());
        (tree, dominators)
    }

    /// The natural loop of a header: what reaches its back edges without passing it.
    fn natural_loop(function: &Function, dominators: &DomTree, header: Block) -> Vec<Block> {
        let mut members = vec![header];
        let mut work: Vec<Block> = function.predecessors(header).to_vec();
        work.retain(|&from| dominators.dominates(header, from));
        if work.is_empty() {
            return Vec::new();
        }
        while let Some(block) = work.pop() {
            if !members.contains(&block) {
                members.push(block);
                work.extend(
                    function
                        .predecessors(block)
                        .iter()
                        .filter(|&&from| dominators.is_reachable(from)),
                );
            }
        }
        members.sort_unstable();
        members
    }

    fn check(targets: &[Vec<usize>]) -> bool {
        let function = function(targets);
        let (tree, dominators) = compute(&function);
        for id in tree.loops() {
            let data = tree.data(id);
            assert_eq!(tree.blocks(id)[0], data.header);
            assert_eq!(tree.innermost(data.header), Some(id), "{targets:?}");
            for &block in tree.blocks(id) {
                assert!(tree.contains(id, block) && tree.depth(block) >= data.depth);
                assert!(
                    data.irreducible || dominators.dominates(data.header, block),
                    "{targets:?}"
                );
            }
            if let Some(parent) = data.parent {
                assert!(tree.contains(parent, data.header) && tree.data(parent).depth + 1 == data.depth);
            }
            for (from, to) in tree.exits(&function.cfg, id) {
                assert!(tree.contains(id, from) && !tree.contains(id, to));
            }
        }
        let irreducible = tree.loops().any(|id| tree.data(id).irreducible);
        for header in function.block_ids().filter(|_| !irreducible) {
            let expected = natural_loop(&function, &dominators, header);
            let id = tree.loops().find(|&id| tree.data(id).header == header);
            let mut found = id.map_or(Vec::new(), |id| tree.blocks(id).to_vec());
            found.sort_unstable();
            assert_eq!(found, expected, "loop of {header:?} in {targets:?}");
        }
        irreducible
    }

    #[test]
    fn reducible_loops_are_the_natural_ones_and_others_are_marked() {
        let mut random = Random::new(1);
        let mut below = |bound| random.below(bound);
        let mut irreducible = 0;
        for _ in 0..3000 {
            let count = 2 + below(9);
            let targets: Vec<Vec<usize>> = (0..count)
                .map(|_| (0..below(3)).map(|_| 1 + below(count - 1)).collect())
                .collect();
            irreducible += usize::from(check(&targets));
        }
        assert!((100..2000).contains(&irreducible), "{irreducible} of 3000");
    }

    #[test]
    fn preheaders_lead_nowhere_else() {
        let function = function(&[vec![1], vec![2, 5], vec![3], vec![3, 4], vec![2, 1], vec![]]);
        let (tree, _) = compute(&function);
        let rows: Vec<_> = tree
            .loops()
            .map(|id| tree.data(id))
            .map(|data| (data.header.index(), data.depth, data.preheader))
            .collect();
        let block = |index| Some(Block::new(index));
        assert_eq!(rows, [(1, 1, block(0)), (2, 2, None), (3, 3, block(2))]);
    }

    #[test]
    fn deep_nests_take_linear_time() {
        // Headers 1 to n, then their latches from the inside out; each latch leaves its loop.
        let depth = 100_000;
        let mut targets: Vec<Vec<usize>> = (0..=depth).map(|block| vec![block + 1]).collect();
        for inner in (1..=depth).rev() {
            targets.push(vec![inner, targets.len() + 1]);
        }
        targets.push(vec![]);
        let function = function(&targets);
        let mut tree = LoopTree::default();
        tree.compute(&function.cfg, function.blocks.len());
        assert_eq!(tree.depth(Block::new(depth)), depth as u32);
    }
}
