//! The order of blocks: estimates how often each block is executed, builds chains of blocks that fall through into each
//! other, and puts the chains in order.
//!
//! Method: frequencies are estimated from the graph alone. A loop has eight iterations, so an edge that leaves it is
//! taken once in eight times; an edge to code that never reaches a return is hardly ever taken. Edges are examined from
//! the most to the least valuable. An edge joins two chains if it goes from the tail of one to the head of the other
//! (K. Pettis, R. C. Hansen, "Profile guided code positioning", 1990). The only edge of a block is worth more than one
//! of two: without it, the block needs a jump, while a conditional branch needs none as long as either target comes
//! next. This rotates loops so that their exit test is at the end. Among edges of equal value, those between blocks
//! that already follow each other are preferred, then those of earlier blocks. Chains are ordered by their first blocks
//! in the old order; those that are hardly ever executed come last.

use frazil_codegen::mfunc::{MFunc, Term};

/// The assumed number of iterations of a loop.
const TRIPS: f32 = 8.0;
/// The assumed probability of an edge to code that hardly ever runs.
const RARE: f32 = 1.0 / 1024.0;
/// The value of laying out a target right after a two-way branch, relative to that of a block with only one target.
const BRANCH_VALUE: f32 = 0.6;
/// The highest frequency.
const MOST_FREQUENT: f32 = 1e20;

/// The number of no block.
const NONE: u32 = u32::MAX;

#[derive(Debug, Default)]
pub(super) struct Chains {
    /// The reachable blocks in reverse postorder.
    reverse_postorder: Vec<u32>,
    stack: Vec<(u32, u32)>,
    state: Vec<State>,
    /// By edge: whether it is a back edge.
    goes_back: Vec<bool>,
    is_header: Vec<bool>,
    is_rare: Vec<bool>,
    frequency: Vec<f32>,
    edge_frequency: Vec<f32>,
    /// Edges that may join chains, as [`candidate`] has them, and their ends.
    candidates: Vec<u64>,
    ends: Vec<(u32, u32)>,
    /// By block: the next block in its chain, and the one before it.
    next: Vec<u32>,
    previous: Vec<u32>,
    /// Union-find over the blocks of a chain.
    parent: Vec<u32>,
    heads: Vec<(bool, u32, u32)>,
    pub order: Vec<u32>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum State {
    New,
    Open,
    Done,
}

/// An edge that may join chains, as a number by which the best edges come first: the most valuable ones, of equal ones
/// those between blocks that follow each other, then by their numbers among the candidates. So it takes one comparison
/// to sort two of them.
fn candidate(value: f32, (from, to): (u32, u32), number: usize) -> u64 {
    debug_assert!(value >= 0.0 && number < 1 << 31);
    let is_apart = u64::from(from + 1 != to);
    u64::from(!value.to_bits()) << 32 | is_apart << 31 | number as u64
}

impl Chains {
    /// Computes the order of the reachable blocks. `to` gives the target of each edge.
    pub fn compute(&mut self, func: &MFunc, to: impl Fn(usize) -> u32) {
        self.walk(func, &to);
        self.find_rare_blocks(func, &to);
        self.guess_frequencies(func, &to);
        self.join(func, &to);
        self.put_in_order(func.blocks.len());
    }

    /// Whether a block is reachable.
    pub fn is_reached(&self, block: u32) -> bool {
        self.state[block as usize] == State::Done
    }

    /// Finds the reachable blocks and the back edges.
    fn walk(&mut self, func: &MFunc, to: &impl Fn(usize) -> u32) {
        self.state.clear();
        self.state.resize(func.blocks.len(), State::New);
        self.goes_back.clear();
        self.goes_back.resize(func.edges.len(), false);
        self.is_header.clear();
        self.is_header.resize(func.blocks.len(), false);
        self.reverse_postorder.clear();
        self.stack.clear();
        self.stack.push((0, 0));
        self.state[0] = State::Open;
        while let Some((block, done)) = self.stack.last_mut() {
            let edges = func.edges_of(*block);
            let Some(edge) = edges.clone().nth(*done as usize) else {
                self.state[*block as usize] = State::Done;
                self.reverse_postorder.push(*block);
                self.stack.pop();
                continue;
            };
            *done += 1;
            let target = to(edge);
            match self.state[target as usize] {
                State::New => {
                    self.state[target as usize] = State::Open;
                    self.stack.push((target, 0));
                }
                State::Open => {
                    self.goes_back[edge] = true;
                    self.is_header[target as usize] = true;
                }
                State::Done => {}
            }
        }
        self.reverse_postorder.reverse();
    }

    /// Finds the blocks from which no return is reachable.
    fn find_rare_blocks(&mut self, func: &MFunc, to: &impl Fn(usize) -> u32) {
        self.is_rare.clear();
        self.is_rare.resize(func.blocks.len(), false);
        for &block in self.reverse_postorder.iter().rev() {
            let edges = func.edges_of(block);
            // Blocks with back edges do not count: an endless loop is not rare.
            let is_rare = match func.blocks[block as usize].term {
                Term::Stop => true,
                Term::Return => false,
                _ => edges
                    .clone()
                    .all(|edge| !self.goes_back[edge] && self.is_rare[to(edge) as usize]),
            };
            self.is_rare[block as usize] = is_rare && block != 0;
        }
    }

    fn guess_frequencies(&mut self, func: &MFunc, to: &impl Fn(usize) -> u32) {
        self.frequency.clear();
        self.frequency.resize(func.blocks.len(), 0.0);
        self.edge_frequency.clear();
        self.edge_frequency.resize(func.edges.len(), 0.0);
        self.frequency[0] = 1.0;
        for index in 0..self.reverse_postorder.len() {
            let block = self.reverse_postorder[index];
            if self.is_header[block as usize] {
                let frequency = &mut self.frequency[block as usize];
                *frequency = (*frequency * TRIPS).min(MOST_FREQUENT);
            }
            let depth = func.blocks[block as usize].loop_depth;
            let edges = func.edges_of(block);
            let (first, is_invoke) = (edges.start, func.blocks[block as usize].term == Term::Invoke);
            let weight = |edge: usize| {
                let target = to(edge);
                if self.is_rare[target as usize] || (is_invoke && edge > first) {
                    RARE
                } else if func.blocks[target as usize].loop_depth < depth {
                    1.0 / TRIPS
                } else {
                    1.0
                }
            };
            let total: f32 = edges.clone().map(weight).sum();
            let has_choice = edges.len() == 2;
            for edge in edges {
                let share = match has_choice && total < 2.0 && total > 1.0 {
                    // One edge is unlikely, with a probability of its own; the other edge gets the rest.
                    true if weight(edge) < 1.0 => weight(edge),
                    true => 2.0 - total,
                    false => weight(edge) / total,
                };
                let frequency = self.frequency[block as usize] * share;
                self.edge_frequency[edge] = frequency;
                if !self.goes_back[edge] {
                    self.frequency[to(edge) as usize] += frequency;
                }
            }
        }
    }

    /// Joins chains along edges, the most valuable edges first.
    fn join(&mut self, func: &MFunc, to: &impl Fn(usize) -> u32) {
        let blocks = func.blocks.len();
        self.candidates.clear();
        self.ends.clear();
        for block in 0..blocks as u32 {
            if !self.is_reached(block) {
                continue;
            }
            let edges = func.edges_of(block);
            let (value, last) = match func.blocks[block as usize].term {
                // Only the normal edge of an invoke needs a jump.
                Term::Jump | Term::Invoke => (1.0, edges.start),
                Term::Branch(_) => (BRANCH_VALUE, edges.end - 1),
                Term::Switch | Term::Return | Term::Stop => continue,
            };
            let first = edges.start;
            // Of two edges of equal value to blocks elsewhere, that to the earlier block comes first.
            let pair = if to(last) < to(first) {
                [last, first]
            } else {
                [first, last]
            };
            for &edge in &pair[..1 + usize::from(first != last)] {
                let ends = (block, to(edge));
                let value = self.edge_frequency[edge] * value;
                self.candidates.push(candidate(value, ends, self.ends.len()));
                self.ends.push(ends);
            }
        }
        self.candidates.sort_unstable();
        self.next.clear();
        self.next.resize(blocks, NONE);
        self.previous.clear();
        self.previous.resize(blocks, NONE);
        self.parent.clear();
        self.parent.extend(0..blocks as u32);
        for index in 0..self.candidates.len() {
            let number = self.candidates[index] & ((1 << 31) - 1);
            let (from, to) = self.ends[number as usize];
            if to == 0 || self.next[from as usize] != NONE || self.previous[to as usize] != NONE {
                continue;
            }
            let (tail, head) = (self.find(from), self.find(to));
            if tail != head {
                self.parent[head as usize] = tail;
                self.next[from as usize] = to;
                self.previous[to as usize] = from;
            }
        }
    }

    fn find(&mut self, block: u32) -> u32 {
        let mut root = block;
        while self.parent[root as usize] != root {
            let up = self.parent[self.parent[root as usize] as usize];
            self.parent[root as usize] = up;
            root = up;
        }
        root
    }

    /// Concatenates the chains.
    fn put_in_order(&mut self, blocks: usize) {
        self.heads.clear();
        for head in 0..blocks as u32 {
            if !self.is_reached(head) || self.previous[head as usize] != NONE {
                continue;
            }
            let (mut first, mut is_rare) = (head, true);
            let mut block = head;
            while block != NONE {
                first = first.min(block);
                is_rare &= self.is_rare[block as usize];
                block = self.next[block as usize];
            }
            self.heads.push((is_rare, first, head));
        }
        self.heads.sort_unstable();
        self.order.clear();
        for &(_, _, head) in &self.heads {
            let mut block = head;
            while block != NONE {
                self.order.push(block);
                block = self.next[block as usize];
            }
        }
    }
}
