//! A conservative dominator tree that is built in one pass, for graphs whose blocks are in a good order, as compilers
//! write them.
//!
//! Method: blocks are visited in file order. The parent of a block is the nearest common ancestor of those
//! predecessors that precede it (the first iteration of Cooper, Harvey and Kennedy, "A Simple, Fast Dominance
//! Algorithm", 2001). Then each retreating edge is checked: the parent of its target must be an ancestor of its
//! source. The tree then has the parent property of Georgiadis and Tarjan, "Dominator Tree Certification and Divergent
//! Spanning Trees" (2015), so that every path to a block passes through all of its ancestors.
//!
//! So the answer "dominates" is always right. "Does not dominate" means nothing: the order may be bad, the graph
//! irreducible, or the work above its limit, since it is quadratic for deep nests. The caller then asks the
//! [`DomTree`].

use frazil_ir::cfg::Cfg;
use frazil_ir::domtree::DomTree;
use frazil_ir::{Block, EntityRef};

const NONE: u32 = u32::MAX;

/// How many steps up the tree a query may take, and the construction may take for each block on average.
const STEPS: usize = 32;

/// Dominators, perhaps incomplete: only a positive answer is reliable.
pub trait Dominators {
    /// Whether `below` is reachable and every path from the entry to it contains `above`.
    fn dominates(&self, above: Block, below: Block) -> bool;
    /// Whether a block is unreachable.
    fn is_unreachable(&self, block: Block) -> bool;
}

impl Dominators for DomTree {
    #[inline]
    fn dominates(&self, above: Block, below: Block) -> bool {
        DomTree::dominates(self, above, below)
    }

    fn is_unreachable(&self, block: Block) -> bool {
        !self.is_reachable(block)
    }
}

/// A tree in which the ancestors of a block precede it in file order and dominate it.
#[derive(Debug, Default)]
pub struct QuickTree {
    /// By block: its parent; the entry's is itself, and unreachable blocks have `NONE`. Empty if no tree was found.
    parents: Vec<u32>,
    /// Retreating edges: those from a block to itself or to an earlier block.
    back_edges: Vec<(u32, u32)>,
}

impl QuickTree {
    /// Computes the tree for a graph of `blocks` blocks, of which block 0 is the entry.
    pub fn compute(&mut self, cfg: &Cfg, blocks: usize) {
        self.parents.clear();
        self.back_edges.clear();
        let mut steps = STEPS * blocks;
        for block in 0..blocks as u32 {
            let parent = match block {
                0 => Some(0),
                _ => self.common_ancestor(cfg, block, &mut steps),
            };
            let Some(parent) = parent else {
                self.parents.clear();
                return;
            };
            self.parents.push(parent);
        }
        let good = self.back_edges.iter().all(|&(from, to)| {
            let parent = self.parent(to);
            self.parent(from) == NONE || parent != NONE && self.climb(from, parent, &mut steps) == Some(parent)
        });
        if !good {
            self.parents.clear();
        }
    }

    #[inline]
    fn parent(&self, block: u32) -> u32 {
        self.parents.get(block as usize).copied().unwrap_or(NONE)
    }

    /// The nearest ancestor of `block`, or `block` itself, that is not after `limit` in file order. `None` if the
    /// steps are used up.
    #[inline]
    fn climb(&self, mut block: u32, limit: u32, steps: &mut usize) -> Option<u32> {
        while block > limit {
            *steps = steps.checked_sub(1)?;
            // Only reached blocks have children, so this is never `NONE`.
            block = self.parents.get(block as usize).copied()?;
        }
        Some(block)
    }

    /// The nearest common ancestor of the predecessors that precede a block; `NONE` if it has no such predecessor that
    /// is reached. `None` if the steps are used up.
    #[inline]
    fn common_ancestor(&mut self, cfg: &Cfg, block: u32, steps: &mut usize) -> Option<u32> {
        let predecessors = cfg.predecessors(Block::new(block as usize));
        if let [from] = predecessors
            && from.as_u32() < block
        {
            return Some(match self.parent(from.as_u32()) {
                NONE => NONE,
                _ => from.as_u32(),
            });
        }
        let mut common = NONE;
        for from in predecessors {
            let mut from = from.as_u32();
            if from >= block {
                self.back_edges.push((from, block));
                continue;
            }
            if common == NONE || self.parent(from) == NONE {
                if self.parent(from) != NONE {
                    common = from;
                }
                continue;
            }
            while from != common {
                from = self.climb(from, common, steps)?;
                common = self.climb(common, from, steps)?;
            }
        }
        Some(common)
    }
}

impl Dominators for QuickTree {
    #[inline]
    fn dominates(&self, above: Block, below: Block) -> bool {
        let above = above.as_u32();
        self.parent(below.as_u32()) != NONE && self.climb(below.as_u32(), above, &mut { STEPS }) == Some(above)
    }

    fn is_unreachable(&self, block: Block) -> bool {
        self.parents.get(block.index()) == Some(&NONE)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use frazil_ir::Function;
    use frazil_test_support::Random;

    fn trees(function: &Function) -> (QuickTree, DomTree) {
        let blocks = function.blocks().len();
        let (mut quick, mut tree) = (QuickTree::default(), DomTree::default());
        quick.compute(function.cfg(), blocks);
        tree.compute(function.cfg(), blocks);
        (quick, tree)
    }

    fn function(text: &str) -> Function {
        frazil_ir::text::parse_module(text).expect("it parses").1.remove(0)
    }

    #[test]
    fn a_yes_is_right() {
        let mut random = Random::new(5);
        let mut yes = 0;
        for _ in 0..1000 {
            let blocks = 2 + random.below(12);
            let mut text = String::from("func @f(i1) {\n");
            for block in 0..blocks {
                // Mostly forward, so that a tree is often found.
                let mut target = || match random.below(4) {
                    0 => 1 + random.below(blocks - 1),
                    _ => (block + 1 + random.below(3)).min(blocks - 1),
                };
                let (first, second) = (target(), target());
                text += &match random.below(6) {
                    0 => format!("b{block}: return\n"),
                    1 | 2 => format!("b{block}: jump b{first}\n"),
                    _ => format!("b{block}: branch v0, b{first}, b{second}\n"),
                };
            }
            let (quick, tree) = trees(&function(&(text + "}")));
            for below in (0..blocks).map(Block::new) {
                assert!(!quick.is_unreachable(below) || !tree.is_reachable(below));
                for above in (0..blocks).map(Block::new) {
                    let said = quick.dominates(above, below);
                    assert!(!said || tree.dominates(above, below), "{above:?} {below:?}");
                    yes += usize::from(said);
                }
            }
        }
        assert!(yes > 5000, "{yes}");
    }

    #[test]
    fn blocks_in_the_order_of_compilers_have_the_whole_tree() {
        let text = "func @f(i1) {\nb0: jump b1\nb1: branch v0, b2, b6\nb2: branch v0, b3, b4\nb3: jump b5\n\
            b4: jump b5\nb5: jump b1\nb6: return\nb7: jump b6\n}";
        let (quick, tree) = trees(&function(text));
        for below in (0..8).map(Block::new) {
            assert_eq!(quick.is_unreachable(below), !tree.is_reachable(below));
            for above in (0..8).map(Block::new) {
                assert_eq!(quick.dominates(above, below), tree.dominates(above, below));
            }
        }
    }

    #[test]
    fn deep_nests_are_given_up() {
        let blocks = 3000;
        let mut text = String::from("func @f(i1) {\n");
        // Each block may branch far back, and ancestors are searched for from ever deeper blocks.
        for block in 0..blocks - 1 {
            let back = 1 + block / 2;
            text += &format!("b{block}: branch v0, b{}, b{back}\n", block + 1);
        }
        text += &format!("b{}: return\n}}", blocks - 1);
        let (quick, _) = trees(&function(&text));
        assert!(quick.parents.is_empty());
    }
}
