//! Liveness of registers with one definition, by regions of the control flow graph instead of single blocks.
//!
//! Method: as in [`super::liveness`], the graph is followed backward from each use. But a loop that does not contain
//! the definition is added as a whole, because a register that is live in part of such a loop is live in all of it
//! (Boissinot and others, section 5), and so is a straight chain of blocks. So a long live range costs about as much
//! as a short one, unless control flow splits and merges often. If it does so too often, the whole range from the
//! definition to the last use is taken. That is conservative, and correct where loops have no side entries.

use super::positions::{NONE, Positions};
use crate::mfunc::MFunc;

/// In [`super::liveness::Liveness::exposed`], this bit is set if a register is read by a phi move after the block's
/// end; without it, the register is read in the block and live at its start.
pub(super) const AT_END: u32 = 1 << 31;

/// Consecutive blocks throughout which a register is live: `(first, one past the last, register)`.
pub(super) type Region = (u32, u32, u32);

/// Facts about the control flow, and scratch memory. Marks are register numbers, so that they need not be cleared.
#[derive(Debug, Default)]
pub(super) struct Regions {
    /// By block: the first block of its chain. A chain is a sequence of blocks in layout order of the same loop, each
    /// of which is the only predecessor of the next one.
    chain: Vec<u32>,
    /// The blocks whose only predecessor is not the block before them in layout order, ascending; most are merge
    /// points.
    pub joins: Vec<u32>,
    /// By loop: whether it is entered only at its header.
    clean: Vec<bool>,
    are_all_clean: bool,
    /// By first block of a chain: the register for which the chain was visited last, and the last block that was found
    /// live.
    chain_seen: Vec<(u32, u32)>,
    /// By block: the register for which its start was visited last.
    start_seen: Vec<u32>,
    /// By loop: the register for which it was added last.
    loop_seen: Vec<u32>,
    work: Vec<u32>,
    pub found: Vec<Region>,
    /// The ends of blocks at which a register is live that is defined in the block itself: `(block, register)`.
    pub defined: Vec<(u32, u32)>,
}

impl Regions {
    /// Computes the facts about a function's control flow.
    pub(super) fn prepare(&mut self, func: &MFunc, positions: &Positions) {
        self.found.clear();
        self.defined.clear();
        self.chain.clear();
        self.joins.clear();
        for block in 0..func.blocks.len() as u32 {
            let follows = matches!(func.pred_edges(block), [edge] if func.edges[*edge as usize].from + 1 == block);
            if follows && positions.are_in_same_loop(block - 1, block) {
                self.chain.push(self.chain[block as usize - 1]);
            } else {
                self.chain.push(block);
            }
            if !follows {
                self.joins.push(block);
            }
        }
        self.clean.clear();
        self.clean.resize(positions.loop_count(), true);
        for edge in &func.edges {
            let mut number = positions.innermost_loop(edge.to);
            while number != NONE && !positions.blocks_of(number).contains(&edge.from) {
                if positions.blocks_of(number).start != edge.to {
                    self.clean[number as usize] = false;
                }
                number = positions.parent_loop(number);
            }
        }
        self.are_all_clean = self.clean.iter().all(|clean| *clean);
        self.chain_seen.clear();
        self.chain_seen.resize(func.blocks.len(), (NONE, 0));
        self.start_seen.clear();
        self.start_seen.resize(func.blocks.len(), NONE);
        self.loop_seen.clear();
        self.loop_seen.resize(positions.loop_count(), NONE);
    }

    /// Finds the regions in which a register is live that is only defined in block `def`, from its exposed uses.
    pub(super) fn explore(&mut self, func: &MFunc, positions: &Positions, vreg: u32, def: u32, exposed: &[u32]) {
        let is_defined_end = self.defined.len();
        for &place in exposed {
            if place & AT_END != 0 {
                self.work.push(place & !AT_END);
            } else if place != def {
                self.reach_start(func, positions, vreg, def, place);
            }
            while let Some(block) = self.work.pop() {
                self.reach_end(func, positions, vreg, def, block);
            }
        }
        self.defined[is_defined_end..].sort_unstable();
        let mut kept = is_defined_end;
        for index in is_defined_end..self.defined.len() {
            if index == is_defined_end || self.defined[index] != self.defined[kept - 1] {
                self.defined[kept] = self.defined[index];
                kept += 1;
            }
        }
        self.defined.truncate(kept);
    }

    /// Treats the end of a block at which the register is live.
    fn reach_end(&mut self, func: &MFunc, positions: &Positions, vreg: u32, def: u32, block: u32) {
        if block == def {
            self.defined.push((def, vreg));
            return;
        }
        if self.cover_loop(func, positions, vreg, def, block) {
            return;
        }
        let head = self.chain[block as usize];
        let (seen, last) = self.chain_seen[head as usize];
        if seen == vreg {
            if block > last {
                self.found.push((last + 1, block + 1, vreg));
                self.chain_seen[head as usize].1 = block;
            }
            return;
        }
        self.chain_seen[head as usize] = (vreg, block);
        if (head..block).contains(&def) {
            self.found.push((def + 1, block + 1, vreg));
            self.defined.push((def, vreg));
        } else {
            self.found.push((head, block + 1, vreg));
            self.reach_preds(func, head);
        }
    }

    /// Treats the start of a block at which the register is live.
    fn reach_start(&mut self, func: &MFunc, positions: &Positions, vreg: u32, def: u32, block: u32) {
        if self.start_seen[block as usize] == vreg || self.cover_loop(func, positions, vreg, def, block) {
            return;
        }
        self.start_seen[block as usize] = vreg;
        self.reach_preds(func, block);
    }

    fn reach_preds(&mut self, func: &MFunc, block: u32) {
        let preds = func.pred_edges(block).iter();
        self.work.extend(preds.map(|&edge| func.edges[edge as usize].from));
    }

    /// Adds the outermost loop around a block that does not contain the definition; returns whether there is one, so
    /// that nothing else need be done for the block.
    #[inline]
    fn cover_loop(&mut self, func: &MFunc, positions: &Positions, vreg: u32, def: u32, block: u32) -> bool {
        let innermost = positions.innermost_loop(block);
        if innermost == NONE || positions.blocks_of(innermost).contains(&def) {
            return false;
        }
        self.cover_loops_from(func, positions, vreg, def, innermost)
    }

    /// The same as [`Regions::cover_loop`], given the innermost loop, which does not contain the definition.
    fn cover_loops_from(&mut self, func: &MFunc, positions: &Positions, vreg: u32, def: u32, innermost: u32) -> bool {
        let (mut number, mut taken) = (innermost, NONE);
        while number != NONE && !positions.blocks_of(number).contains(&def) {
            if self.loop_seen[number as usize] == vreg {
                return true;
            }
            if self.clean[number as usize] {
                taken = number;
            }
            number = positions.parent_loop(number);
        }
        if taken == NONE {
            return false;
        }
        number = innermost;
        while number != taken {
            self.loop_seen[number as usize] = vreg;
            number = positions.parent_loop(number);
        }
        self.loop_seen[taken as usize] = vreg;
        let blocks = positions.blocks_of(number);
        self.found.push((blocks.start, blocks.end, vreg));
        for &edge in func.pred_edges(blocks.start) {
            let from = func.edges[edge as usize].from;
            if !blocks.contains(&from) {
                self.work.push(from);
            }
        }
        true
    }

    /// Makes the register live from its definition to its last use, extended to the ends of loops that contain a use
    /// but not the definition. Returns false and does nothing if some loop has side entries.
    pub(super) fn take_all(&mut self, positions: &Positions, vreg: u32, def: u32, exposed: &[u32]) -> bool {
        if !self.are_all_clean {
            return false;
        }
        let mut end = def + 1;
        for &place in exposed {
            let block = place & !AT_END;
            let own_end = if place & AT_END != 0 { block + 1 } else { block };
            let loop_end = positions
                .exited(block, def)
                .map_or(0, |number| positions.blocks_of(number).end);
            end = end.max(own_end).max(loop_end);
        }
        self.defined.push((def, vreg));
        if end > def + 1 {
            self.found.push((def + 1, end, vreg));
        }
        true
    }
}
