//! Dominators of a function's blocks.
//!
//! Method: the iterative algorithm on reverse postorder, then numbering of the tree, so that a query is two
//! comparisons. Blocks that the entry does not reach have no dominators and dominate nothing.

use crate::cfg::Cfg;
use crate::entities::Block;
use frazil_support::EntityRef;

const NONE: u32 = u32::MAX;

/// The dominator tree of a function.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct DomTree {
    /// Immediate dominator by block; the entry's is itself, `NONE` for unreachable blocks.
    parents: Vec<u32>,
    /// Blocks in reverse postorder, unreachable ones left out.
    order: Vec<u32>,
    /// Position in `order` by block.
    positions: Vec<u32>,
    /// First and one past the last number of a block's subtree in preorder.
    spans: Vec<(u32, u32)>,
}

impl DomTree {
    /// Computes the tree for a graph of `blocks` blocks, of which block 0 is the entry.
    pub fn compute(&mut self, cfg: &Cfg, blocks: usize) {
        self.compute_order(cfg, blocks);
        self.compute_parents(cfg, blocks);
        self.number(blocks);
    }

    /// The reachable blocks in reverse postorder.
    pub fn reverse_postorder(&self) -> impl DoubleEndedIterator<Item = Block> + '_ {
        self.order.iter().map(|&block| Block::new(block as usize))
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

    /// Whether every way from the entry to `below` goes through `above`. A reachable block dominates itself.
    pub fn dominates(&self, above: Block, below: Block) -> bool {
        let (start, end) = self.spans[above.index()];
        let number = self.spans[below.index()].0;
        self.is_reachable(above) && self.is_reachable(below) && start <= number && number < end
    }

    fn compute_order(&mut self, cfg: &Cfg, blocks: usize) {
        self.order.clear();
        self.positions.clear();
        self.positions.resize(blocks, NONE);
        if blocks == 0 {
            return;
        }
        // `positions` serves as the visited mark; the stack holds a block and how many of its successors were seen.
        let mut stack = vec![(0u32, 0usize)];
        self.positions[0] = 0;
        while let Some((block, seen)) = stack.last_mut() {
            let successors = cfg.successors(Block::new(*block as usize));
            let Some(edge) = successors.get(*seen) else {
                self.order.push(*block);
                stack.pop();
                continue;
            };
            *seen += 1;
            let target = edge.target.as_u32();
            if self.positions[target as usize] == NONE {
                self.positions[target as usize] = 0;
                stack.push((target, 0));
            }
        }
        self.order.reverse();
        for (position, &block) in self.order.iter().enumerate() {
            self.positions[block as usize] = position as u32;
        }
    }

    fn compute_parents(&mut self, cfg: &Cfg, blocks: usize) {
        self.parents.clear();
        self.parents.resize(blocks, NONE);
        if blocks == 0 {
            return;
        }
        self.parents[0] = 0;
        let mut changed = true;
        while changed {
            changed = false;
            for position in 1..self.order.len() {
                let block = self.order[position];
                let mut parent = NONE;
                for predecessor in cfg.predecessors(Block::new(block as usize)) {
                    let predecessor = predecessor.as_u32();
                    if self.parents[predecessor as usize] != NONE {
                        parent = if parent == NONE {
                            predecessor
                        } else {
                            self.meet(parent, predecessor)
                        };
                    }
                }
                if self.parents[block as usize] != parent {
                    self.parents[block as usize] = parent;
                    changed = true;
                }
            }
        }
    }

    /// The lowest common dominator of two blocks, by what is known so far.
    fn meet(&self, mut left: u32, mut right: u32) -> u32 {
        while left != right {
            if self.positions[left as usize] > self.positions[right as usize] {
                left = self.parents[left as usize];
            } else {
                right = self.parents[right as usize];
            }
        }
        left
    }

    /// Numbers the tree in preorder: sizes bottom-up, then starts top-down, both along the reverse postorder.
    fn number(&mut self, blocks: usize) {
        self.spans.clear();
        self.spans.resize(blocks, (0, 0));
        let mut sizes = vec![1u32; blocks];
        for &block in self.order.iter().skip(1).rev() {
            sizes[self.parents[block as usize] as usize] += sizes[block as usize];
        }
        let mut next = vec![0u32; blocks];
        for &block in &self.order {
            let index = block as usize;
            let parent = self.parents[index] as usize;
            let start = if parent == index { 0 } else { next[parent] };
            self.spans[index] = (start, start + sizes[index]);
            next[parent] = start + sizes[index];
            next[index] = start + 1;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

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
    fn dominance_is_what_its_definition_says() {
        check(
            "func @f(i1) {\nb0: branch v0, b1, b2\nb1: jump b3\nb2: jump b3\nb3: branch v0, b1, b4\nb4: return\nb5: jump b4\n}",
        );
        check("func @f(i1) {\nb0: branch v0, b1, b2\nb1: branch v0, b2, b3\nb2: branch v0, b1, b3\nb3: return\n}");
        check("func @f(i1) {\nb0: jump b4\nb1: jump b2\nb2: branch v0, b4, b3\nb3: return\nb4: branch v0, b1, b3\n}");
    }
}
