//! Dominators of a function's blocks, in any form of it whose blocks are a [`Graph`].
//!
//! Method: semidominators by path compression and nearest common ancestors ("semi-NCA": Georgiadis, "Linear-Time
//! Algorithms for Dominators and Related Problems", 2005), near linear on graphs of any shape; deep nests of loops make
//! the simpler iterative method quadratic. Then the tree is numbered, so that a query is two comparisons.
//! Blocks that the entry does not reach have no dominators and dominate nothing.

use crate::cfg::Cfg;
use crate::entities::Block;
use frazil_support::EntityRef;

const NONE: u32 = u32::MAX;

/// A span that holds no number and begins in no span.
const NOWHERE: (u32, u32) = (NONE, NONE);

/// A control flow graph, whose blocks are numbered.
pub trait Graph {
    /// The block that the edge with this number among those of a block leads to.
    fn successor(&self, block: u32, number: usize) -> Option<u32>;

    /// The blocks that edges into a block come from.
    fn predecessors(&self, block: u32) -> impl Iterator<Item = u32>;
}

impl Graph for Cfg {
    #[inline]
    fn successor(&self, block: u32, number: usize) -> Option<u32> {
        let successors = self.successors(Block::new(block as usize));
        successors.get(number).map(|edge| edge.target.as_u32())
    }

    #[inline]
    fn predecessors(&self, block: u32) -> impl Iterator<Item = u32> {
        let blocks = Cfg::predecessors(self, Block::new(block as usize));
        blocks.iter().map(|from| from.as_u32())
    }
}

/// The dominator tree of a function.
#[derive(Clone, Debug, Default)]
pub struct DomTree {
    /// Immediate dominator by block; the entry's is itself, `NONE` for unreachable blocks.
    parents: Vec<u32>,
    /// Blocks in reverse postorder, unreachable ones left out.
    order: Vec<u32>,
    /// First and one past the last number of a block's subtree in preorder; [`NOWHERE`] for unreachable blocks.
    spans: Vec<(u32, u32)>,
    work: Work,
}

impl PartialEq for DomTree {
    fn eq(&self, other: &DomTree) -> bool {
        (&self.parents, &self.order, &self.spans) == (&other.parents, &other.order, &other.spans)
    }
}

impl DomTree {
    /// Computes the tree for a graph of `blocks` blocks, of which block 0 is the entry.
    pub fn compute(&mut self, graph: &impl Graph, blocks: usize) {
        self.compute_order(graph, blocks);
        self.compute_parents(graph, blocks);
        self.number(blocks);
    }

    /// The reachable blocks in reverse postorder.
    pub fn reverse_postorder(&self) -> impl DoubleEndedIterator<Item = Block> + '_ {
        self.order.iter().map(|&block| Block::new(block as usize))
    }

    /// The reachable blocks in preorder of the tree: each directly before the blocks that it dominates.
    pub fn preorder(&self, order: &mut Vec<Block>) {
        order.clear();
        order.resize(self.order.len(), Block::new(0));
        for &block in &self.order {
            order[self.spans[block as usize].0 as usize] = Block::new(block as usize);
        }
    }

    /// Whether the entry reaches a block.
    pub fn is_reachable(&self, block: Block) -> bool {
        self.parents[block.index()] != NONE
    }

    /// The immediate dominator; `None` for the entry and for unreachable blocks.
    pub fn parent(&self, block: Block) -> Option<Block> {
        let parent = self.parents[block.index()];
        (parent != NONE && parent != block.as_u32()).then(|| Block::new(parent as usize))
    }

    /// Whether every path from the entry to `below` goes through `above`. A reachable block dominates itself.
    #[inline]
    pub fn dominates(&self, above: Block, below: Block) -> bool {
        let (start, end) = self.spans[above.index()];
        let number = self.spans[below.index()].0;
        start <= number && number < end
    }

    /// The numbers, in preorder of the tree, of the blocks that a reachable block dominates; its own is the first.
    pub fn subtree(&self, block: Block) -> std::ops::Range<u32> {
        let (start, end) = self.spans[block.index()];
        start..end
    }

    fn compute_order(&mut self, graph: &impl Graph, blocks: usize) {
        let work = &mut self.work;
        self.order.clear();
        self.order.reserve(blocks);
        work.clear(blocks);
        if blocks == 0 {
            return;
        }
        work.meet(0, 0);
        let (mut block, mut followed) = (0, 0);
        'walk: loop {
            while let Some(target) = graph.successor(block, followed) {
                followed += 1;
                if work.numbers[target as usize] == NONE {
                    work.stack.push((block, followed as u32));
                    work.meet(target, work.numbers[block as usize]);
                    (block, followed) = (target, 0);
                    continue 'walk;
                }
            }
            self.order.push(block);
            match work.stack.pop() {
                Some((above, of_above)) => (block, followed) = (above, of_above as usize),
                None => break,
            }
        }
        self.order.reverse();
    }

    /// Finds the semidominators against the order of the depth-first walk, then the dominators along it: the nearest
    /// ancestor in the tree so far that was numbered no later than the semidominator.
    fn compute_parents(&mut self, graph: &impl Graph, blocks: usize) {
        let work = &mut self.work;
        let count = work.preorder.len() as u32;
        // What stands there before a number is done is not read.
        work.labels.resize(count as usize, 0);
        work.semis.resize(count as usize, 0);
        work.ancestors.clone_from(&work.tree_parents);
        for number in (1..count).rev() {
            let mut semi = work.tree_parents[number as usize];
            for from in graph.predecessors(work.preorder[number as usize]) {
                let from = work.numbers[from as usize];
                if from <= number {
                    semi = semi.min(from);
                } else if from != NONE {
                    semi = semi.min(work.lowest_semi(from, number));
                }
            }
            work.semis[number as usize] = semi;
            work.labels[number as usize] = semi;
        }
        self.parents.clear();
        self.parents.resize(blocks, NONE);
        // From here on `ancestors` holds the immediate dominators.
        work.ancestors.copy_from_slice(&work.tree_parents);
        for number in 0..count as usize {
            let mut parent = work.ancestors[number];
            while parent > work.semis[number] {
                parent = work.ancestors[parent as usize];
            }
            work.ancestors[number] = parent;
            self.parents[work.preorder[number] as usize] = work.preorder[parent as usize];
        }
    }

    /// Numbers the tree in preorder: sizes bottom-up, then starts top-down, both along the reverse postorder.
    fn number(&mut self, blocks: usize) {
        self.spans.clear();
        self.spans.resize(blocks, (0, 0));
        // The second half of a span serves as the size first, then as the next free number.
        for &block in self.order.iter().rev() {
            let index = block as usize;
            self.spans[index].1 += 1;
            let parent = self.parents[index] as usize;
            if parent != index {
                self.spans[parent].1 += self.spans[index].1;
            }
        }
        if self.order.len() < blocks {
            for (span, &parent) in self.spans.iter_mut().zip(&self.parents) {
                if parent == NONE {
                    *span = NOWHERE;
                }
            }
        }
        let next = &mut self.work.labels;
        next.clear();
        next.resize(blocks, 0);
        for &block in &self.order {
            let index = block as usize;
            let parent = self.parents[index] as usize;
            let start = if parent == index { 0 } else { next[parent] };
            let end = start + self.spans[index].1;
            self.spans[index] = (start, end);
            next[parent] = end;
            next[index] = start + 1;
        }
    }
}

/// Working memory, by number in the preorder of the depth-first walk where nothing else is said.
#[derive(Clone, Debug, Default)]
struct Work {
    /// The number of each block; `NONE` for those that are not reached.
    numbers: Vec<u32>,
    /// The block of each number.
    preorder: Vec<u32>,
    tree_parents: Vec<u32>,
    /// An ancestor up to which the path is compressed.
    ancestors: Vec<u32>,
    /// The lowest semidominator on the path there, the ancestor excluded.
    labels: Vec<u32>,
    semis: Vec<u32>,
    /// The blocks above the one where the walk is, and how many of their edges were followed.
    stack: Vec<(u32, u32)>,
    path: Vec<u32>,
}

impl Work {
    fn clear(&mut self, blocks: usize) {
        self.numbers.clear();
        self.numbers.resize(blocks, NONE);
        self.preorder.clear();
        self.preorder.reserve(blocks);
        self.tree_parents.clear();
        self.tree_parents.reserve(blocks);
        self.stack.clear();
    }

    /// The walk comes to a block from the one with number `parent`.
    fn meet(&mut self, block: u32, parent: u32) {
        let number = self.preorder.len() as u32;
        self.numbers[block as usize] = number;
        self.preorder.push(block);
        self.tree_parents.push(parent);
    }

    /// The lowest semidominator on the tree's path from `number`, which is after `current`, up to those that are not
    /// done yet, which are the ones up to `current`. Shortens the path for the next time.
    fn lowest_semi(&mut self, number: u32, current: u32) -> u32 {
        let mut at = number;
        while self.ancestors[at as usize] > current {
            self.path.push(at);
            at = self.ancestors[at as usize];
        }
        let top = self.ancestors[at as usize];
        let mut lowest = self.labels[at as usize];
        while let Some(below) = self.path.pop() {
            lowest = lowest.min(self.labels[below as usize]);
            self.labels[below as usize] = lowest;
            self.ancestors[below as usize] = top;
        }
        lowest
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use frazil_test_support::Random;

    /// Checks the tree against the definition: `a` dominates `b` if `b` cannot be reached without `a`.
    fn check(text: &str) {
        let (_, bodies) = crate::text::parse_module(text).expect("parses");
        let function = &bodies[0];
        let blocks = function.blocks.len();
        let mut tree = DomTree::default();
        tree.compute(&function.cfg, blocks);
        let reach = |without: Option<usize>| {
            let mut seen = vec![false; blocks];
            let mut stack = vec![0];
            while let Some(block) = stack.pop() {
                if Some(block) != without && !std::mem::replace(&mut seen[block], true) {
                    let successors = function.cfg.successors(Block::new(block));
                    stack.extend(successors.iter().map(|edge| edge.target.index()));
                }
            }
            seen
        };
        let reachable = reach(None);
        let mut preorder = Vec::new();
        tree.preorder(&mut preorder);
        assert_eq!(preorder.len(), reachable.iter().filter(|&&reached| reached).count());
        for (number, &block) in preorder.iter().enumerate() {
            let below = preorder[number..]
                .iter()
                .take_while(|&&below| tree.dominates(block, below));
            let all = (0..blocks).filter(|&below| tree.dominates(block, Block::new(below)));
            assert_eq!(below.count(), all.count(), "a subtree is one piece");
        }
        for above in 0..blocks {
            let without = reach(Some(above));
            for below in 0..blocks {
                let expected = reachable[above] && reachable[below] && !without[below];
                assert_eq!(
                    tree.dominates(Block::new(above), Block::new(below)),
                    expected,
                    "{above} {below}"
                );
            }
        }
    }

    #[test]
    fn dominance_in_random_graphs() {
        let mut random = Random::new(1);
        let mut below = |bound| random.below(bound);
        for _ in 0..500 {
            let blocks = 2 + below(12);
            let mut text = String::from("func @f(i1) {\n");
            for block in 0..blocks {
                let (first, second) = (1 + below(blocks - 1), 1 + below(blocks - 1));
                text += &match below(4) {
                    0 => format!("b{block}: return\n"),
                    1 => format!("b{block}: jump b{first}\n"),
                    _ => format!("b{block}: branch v0, b{first}, b{second}\n"),
                };
            }
            check(&(text + "}"));
        }
    }

    #[test]
    fn dominance_is_what_its_definition_says() {
        check(
            "func @f(i1) {\nb0: branch v0, b1, b2\nb1: jump b3\nb2: jump b3\nb3: branch v0, b1, b4\nb4: return\nb5: jump b4\n}",
        );
        check("func @f(i1) {\nb0: branch v0, b1, b2\nb1: branch v0, b2, b3\nb2: branch v0, b1, b3\nb3: return\n}");
        check("func @f(i1) {\nb0: jump b4\nb1: jump b2\nb2: branch v0, b4, b3\nb3: return\nb4: branch v0, b1, b3\n}");
    }
}
