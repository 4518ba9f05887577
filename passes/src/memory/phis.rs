//! Phi placement: all merge points at which a variable is live and may have been stored to since the immediate
//! dominator of the merge point.
//!
//! Method: 64 variables at a time, one bit each. First liveness, backwards from the loads that no store of their block
//! precedes. Then, bottom-up in the dominator tree, the stores *between* a block and its immediate dominator: a block
//! is in the iterated dominance frontier of a store exactly if a path from the store to it avoids its
//! immediate dominator (Bilardi and Pingali, "Algorithms for computing the static single assignment form", 2003).
//! For a predecessor these are the stores in the blocks on the tree path from it up to the immediate dominator, and
//! those between each of them and its own dominator. Path compression makes a path cost next to nothing, so no
//! dominance frontier is ever listed.
//!
//! Among the children of one block, edges lead forward in reverse postorder unless the graph is irreducible there; then
//! all stores below the block count for all of them, which gives too many phis, never too few.
//!
//! Only the range of blocks (in preorder of the dominator tree) is visited in which the batch's variables live. The
//! work is counted, so that the caller can stop where many variables live in many blocks.

use super::dom_order::{DomOrder, UNREACHABLE};
use frazil_ir::Cfg;

/// No event, or no link.
pub const NONE: u32 = u32::MAX;

/// The first store of a variable in a block, or a load in it that no store of the block precedes.
#[derive(Clone, Copy, Debug)]
pub struct Event {
    /// The block, by its number in the [`DomOrder`].
    pub block: u32,
    pub is_store: bool,
    /// The variable's next event, or [`NONE`].
    pub next: u32,
}

/// How many variables are placed at a time.
pub const BATCH: usize = 64;

/// What is known of a block, one bit for each variable of the batch.
#[derive(Clone, Copy, Debug)]
struct BlockFacts {
    /// Stored to in the block.
    stores: u64,
    /// Living at its begin.
    live: u64,
    /// Stored to on a path from the immediate dominator to it.
    between: u64,
    /// Stored to in a block that it dominates.
    below: u64,
    /// Stored to on the tree path from it (included) to `up` (left out), and between the blocks of the path.
    path: u64,
    /// A block above it in the tree; `NONE` while its immediate dominator is not done.
    up: u32,
    is_queued: bool,
}

impl Default for BlockFacts {
    fn default() -> BlockFacts {
        BlockFacts {
            stores: 0,
            live: 0,
            between: 0,
            below: 0,
            path: 0,
            up: NONE,
            is_queued: false,
        }
    }
}

/// The tables of the placement.
#[derive(Debug, Default)]
pub struct PhiPlacement {
    rows: Vec<BlockFacts>,
    queue: Vec<u32>,
    path: Vec<u32>,
    low: u32,
    high: u32,
    work: u64,
}

impl PhiPlacement {
    /// Begins with a function.
    pub fn begin(&mut self, order: &DomOrder) {
        self.rows.clear();
        self.rows.resize(order.count() as usize, BlockFacts::default());
        self.work = 0;
    }

    /// Steps taken since the begin.
    pub fn work(&self) -> u64 {
        self.work
    }

    /// Calls `place` with each block that needs phis and the set of variables of the batch that do. `heads` are the
    /// first events of at most [`BATCH`] variables.
    pub fn place(
        &mut self,
        order: &DomOrder,
        cfg: &Cfg,
        heads: &[u32],
        events: &[Event],
        mut place: impl FnMut(u32, u64),
    ) {
        (self.low, self.high) = (NONE, 0);
        for (variable, &head) in heads.iter().enumerate() {
            let mut next = head;
            while let Some(event) = events.get(next as usize) {
                self.add(order, *event, 1 << variable);
                next = event.next;
            }
        }
        if self.low == NONE {
            return;
        }
        self.spread_liveness(order, cfg);
        self.work += u64::from(self.high - self.low);
        for above in (self.low..=self.high).rev() {
            self.children(order, cfg, above);
        }
        for block in self.low..=self.high {
            let row = &mut self.rows[block as usize];
            let phis = row.between & row.live;
            *row = BlockFacts::default();
            if phis != 0 {
                place(block, phis);
            }
        }
    }

    fn add(&mut self, order: &DomOrder, event: Event, bit: u64) {
        self.touch(order, event.block);
        let row = &mut self.rows[event.block as usize];
        if event.is_store {
            row.stores |= bit;
        } else {
            row.live |= bit;
            if !std::mem::replace(&mut row.is_queued, true) {
                self.queue.push(event.block);
            }
        }
    }

    fn touch(&mut self, order: &DomOrder, block: u32) {
        self.low = self.low.min(order.parent(block));
        self.high = self.high.max(block);
    }

    fn spread_liveness(&mut self, order: &DomOrder, cfg: &Cfg) {
        while let Some(block) = self.queue.pop() {
            let row = &mut self.rows[block as usize];
            row.is_queued = false;
            let live = row.live;
            let predecessors = cfg.predecessors(order.block(block));
            self.work += predecessors.len() as u64;
            for &predecessor in predecessors {
                let number = order.number(predecessor);
                if number == UNREACHABLE {
                    continue;
                }
                let row = &mut self.rows[number as usize];
                let more = live & !row.stores & !row.live;
                if more == 0 {
                    continue;
                }
                row.live |= more;
                if !std::mem::replace(&mut row.is_queued, true) {
                    self.queue.push(number);
                }
                self.touch(order, number);
            }
        }
    }

    /// Finds the stores between a block and each of its children in the dominator tree, then links these to it.
    fn children(&mut self, order: &DomOrder, cfg: &Cfg, above: u32) {
        let end = order.end(above).min(self.high + 1);
        let mut below = self.rows[above as usize].stores;
        let (mut child, mut is_irreducible) = (above + 1, false);
        while child < end {
            is_irreducible |= self.between(order, cfg, above, child);
            below |= self.rows[child as usize].below;
            child = order.end(child);
        }
        child = above + 1;
        while child < end {
            let row = &mut self.rows[child as usize];
            if is_irreducible && cfg.predecessors(order.block(child)).len() > 1 {
                row.between |= below;
            }
            row.path = row.stores | row.between;
            row.up = above;
            child = order.end(child);
        }
        self.rows[above as usize].below = below;
    }

    /// Finds the stores between a child of `above` and `above`. Returns whether an edge from a later child leads to it.
    fn between(&mut self, order: &DomOrder, cfg: &Cfg, above: u32, child: u32) -> bool {
        let predecessors = cfg.predecessors(order.block(child));
        if predecessors.len() < 2 {
            return false;
        }
        self.work += predecessors.len() as u64;
        let (mut between, mut is_irreducible) = (0, false);
        for &predecessor in predecessors {
            let number = order.number(predecessor);
            if number == above || number < self.low || number > self.high {
                continue;
            }
            let (root, path) = self.path_to_root(number);
            let row = &self.rows[root as usize];
            between |= path | row.stores | if root == child { 0 } else { row.between };
            is_irreducible |= root > child;
        }
        self.rows[child as usize].between = between;
        is_irreducible
    }

    /// The highest block that is linked above one, and the stores on the path to it, itself left out.
    fn path_to_root(&mut self, block: u32) -> (u32, u64) {
        let mut root = block;
        while self.rows[root as usize].up != NONE {
            self.path.push(root);
            root = self.rows[root as usize].up;
        }
        self.work += self.path.len() as u64;
        let mut stores = 0;
        while let Some(block) = self.path.pop() {
            let row = &mut self.rows[block as usize];
            stores |= row.path;
            row.path = stores;
            row.up = root;
        }
        (root, stores)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use frazil_ir::domtree::DomTree;
    use frazil_ir::{Block, EntityRef, Function};

    /// A small generator of numbers; the same ones in each run.
    struct Numbers(u64);

    impl Numbers {
        fn below(&mut self, bound: usize) -> usize {
            self.0 = self
                .0
                .wrapping_mul(6_364_136_223_846_793_005)
                .wrapping_add(1_442_695_040_888_963_407);
            (self.0 >> 33) as usize % bound
        }
    }

    /// A function of `blocks` blocks; a third of the branches lead back.
    fn graph(numbers: &mut Numbers, blocks: usize) -> Function {
        let mut text = "func @f(i1 v0) {\nb0: jump b1\n".to_owned();
        for block in 1..blocks - 1 {
            let mut target = || match numbers.below(3) {
                0 => 1 + numbers.below(blocks - 1),
                _ => (block + 1 + numbers.below(4)).min(blocks - 1),
            };
            text += &format!("b{block}: branch v0, b{}, b{}\n", target(), target());
        }
        text += &format!("b{}: return\n}}", blocks - 1);
        frazil_ir::text::parse_module(&text).expect("parses").1.remove(0)
    }

    /// The merge points that need phis, by the definition of the iterated dominance frontier, and what is live there.
    fn expected(order: &DomOrder, cfg: &Cfg, stores: &[bool], loads: &[bool]) -> Vec<bool> {
        let count = order.count();
        let predecessors = |block: u32| {
            let all = cfg.predecessors(order.block(block)).iter();
            all.map(|&block| order.number(block))
                .filter(|&number| number != UNREACHABLE)
        };
        let (mut live, mut phis) = (loads.to_vec(), vec![false; count as usize]);
        for _ in 0..count {
            for block in (0..count).filter(|&block| live[block as usize]).collect::<Vec<_>>() {
                for number in predecessors(block).filter(|&number| !stores[number as usize]) {
                    live[number as usize] = true;
                }
            }
            for block in 0..count {
                let is_frontier = |from: u32| {
                    let dominates_predecessor = predecessors(block).any(|number| order.dominates(from, number));
                    dominates_predecessor && (from == block || !order.dominates(from, block))
                };
                let is_changed = |from: &u32| stores[*from as usize] || phis[*from as usize];
                phis[block as usize] |= (0..count).filter(is_changed).any(is_frontier);
            }
        }
        phis.iter().zip(live).map(|(&phi, live)| phi && live).collect()
    }

    fn is_reducible(order: &DomOrder, tree: &DomTree, cfg: &Cfg) -> bool {
        let mut position = vec![0; order.count() as usize];
        for (index, block) in tree.reverse_postorder().enumerate() {
            position[order.number(block) as usize] = index;
        }
        (0..order.count()).all(|from| {
            cfg.successors(order.block(from)).iter().all(|edge| {
                let to = order.number(edge.target);
                position[to as usize] > position[from as usize] || order.dominates(to, from)
            })
        })
    }

    #[test]
    fn phis_stand_where_the_definition_wants_them() {
        let mut numbers = Numbers(7);
        let (mut reducible, mut placement) = (0, PhiPlacement::default());
        for round in 0..600 {
            let function = graph(&mut numbers, 4 + round % 14);
            let (mut tree, mut order) = (DomTree::default(), DomOrder::default());
            tree.compute(function.cfg(), function.blocks().len());
            order.compute(&tree, function.blocks().len());
            let count = order.count() as usize;
            let (mut events, mut heads, mut wanted) = (Vec::new(), Vec::new(), Vec::new());
            for _ in 0..5 {
                let mut some = |share| (0..count).map(|_| numbers.below(share) == 0).collect::<Vec<_>>();
                let (stores, loads) = (some(5), some(4));
                let mut next = NONE;
                for block in 0..count as u32 {
                    for (is_store, set) in [(false, &loads), (true, &stores)] {
                        if set[block as usize] {
                            events.push(Event { block, is_store, next });
                            next = events.len() as u32 - 1;
                        }
                    }
                }
                heads.push(next);
                wanted.push(expected(&order, function.cfg(), &stores, &loads));
            }
            placement.begin(&order);
            let mut found = vec![0; count];
            placement.place(&order, function.cfg(), &heads, &events, |block, set| {
                found[block as usize] = set
            });
            let is_exact = is_reducible(&order, &tree, function.cfg());
            reducible += usize::from(is_exact);
            for (variable, wanted) in wanted.iter().enumerate() {
                for (block, &wanted) in wanted.iter().enumerate() {
                    let has_phi = found[block] >> variable & 1 == 1;
                    let fits = if is_exact {
                        has_phi == wanted
                    } else {
                        has_phi || !wanted
                    };
                    assert!(
                        fits,
                        "round {round}, variable {variable}, block {:?}",
                        Block::new(block)
                    );
                }
            }
        }
        assert!((100..500).contains(&reducible), "both kinds of graphs: {reducible}");
    }
}
