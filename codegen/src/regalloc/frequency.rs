//! How often blocks are executed, guessed from the control flow alone.
//!
//! Method: the weight of a block is the share of the paths through the function, or through one round of its innermost
//! loop, that pass it: a branch sends equal shares along its edges, almost nothing to blocks that do not come to their
//! end (traps, calls that do not return), and what enters a loop leaves it again, spread over its exits. One walk in
//! layout order does it, since edges into a block come from before it, apart from those that close loops. A loop
//! multiplies the weight by a constant (after Wu and Larus, "Static Branch Frequency and Program Profile Analysis").

use super::positions::{NONE, Positions};
use crate::mfunc::{MFunc, Term};

/// The assumed number of iterations of a loop.
const ROUNDS: f32 = 10.0;
/// By loop depth: the product of the iterations. Deeper loops count like the last entry.
const ROUNDS_BY_DEPTH: [f32; 7] = rounds_by_depth();
/// The share of an edge to a block that never comes to its end, or of an unwind edge, relative to 1 for others.
const COLD: f32 = 0.01;
/// The smallest weight of a block.
const LEAST: f32 = 1e-4;

const fn rounds_by_depth() -> [f32; 7] {
    let mut rounds = [1.0; 7];
    let mut depth = 1;
    while depth < rounds.len() {
        rounds[depth] = rounds[depth - 1] * ROUNDS;
        depth += 1;
    }
    rounds
}

/// Memory of the estimate.
#[derive(Debug, Default)]
pub(super) struct Frequency {
    weights: Vec<f32>,
    /// By edge: its share of the weight of its source, and the outermost loop that it leaves (or [`NONE`]).
    shares: Vec<(f32, u32)>,
    /// By loop: the weight that enters it, and the sum of the shares that leave it.
    loops: Vec<(f32, f32)>,
}

impl Frequency {
    /// Estimates the frequencies of all blocks and appends them to `freq`.
    pub(super) fn compute(&mut self, func: &MFunc, positions: &Positions, freq: &mut Vec<f32>) {
        self.weights.clear();
        self.shares.clear();
        self.loops.clear();
        self.loops.resize(positions.loop_count(), (0.0, 0.0));
        for block in 0..func.blocks.len() as u32 {
            let mut weight = if block == 0 { 1.0 } else { 0.0 };
            for &edge in func.pred_edges(block) {
                let from = func.edges[edge as usize].from;
                if from < block {
                    let (share, left) = self.shares[edge as usize];
                    let share = self.weights[from as usize] * share;
                    weight += match self.loops.get(left as usize) {
                        Some(&(entering, leaving)) if leaving > 0.0 => entering * share / leaving,
                        _ => share,
                    };
                }
            }
            let weight = weight.max(LEAST);
            self.weights.push(weight);
            if let Some(number) = positions.loop_of_header(block) {
                self.loops[number as usize].0 = weight;
            }
            self.share_out(func, positions, block, weight);
            let depth = usize::from(func.blocks[block as usize].loop_depth);
            freq.push(weight * ROUNDS_BY_DEPTH[depth.min(ROUNDS_BY_DEPTH.len() - 1)]);
        }
    }

    /// Sets the shares of the edges that leave a block.
    fn share_out(&mut self, func: &MFunc, positions: &Positions, block: u32, weight: f32) {
        let edges = func.edges_of(block);
        let first = self.shares.len();
        debug_assert_eq!(first, edges.start, "edges stand in the order of their blocks");
        let mut staying = 0.0;
        let is_invoke = func.blocks[block as usize].term == Term::Invoke;
        for edge in edges {
            let to = func.edges[edge].to;
            let unwinds = is_invoke && edge > first;
            let share = if unwinds || func.blocks[to as usize].term == Term::Stop {
                COLD
            } else {
                1.0
            };
            let left = positions.exited(block, to).unwrap_or(NONE);
            self.shares.push((share, left));
            if left == NONE {
                staying += share;
            }
        }
        // The shares of edges that leave a loop are scaled later, when the sum of them is known.
        for (share, left) in &mut self.shares[first..] {
            match self.loops.get_mut(*left as usize) {
                Some(sums) => sums.1 += weight * *share,
                None => *share /= staying,
            }
        }
    }
}
