//! Variables that are lost where a commit leads paths past blocks in which they got values.
//!
//! A block without code of its own is passed over, another one is copied for some of its predecessors: what was said of
//! variables there is not said on the new path, on which an older value would be taken for theirs. So where a block has
//! lost a target and keeps or gains one that the lost target leads to, variables that have got values in between are
//! lost at the beginning of that one. Values that are said there, of phis for instance, come after that.
//!
//! A target that was lost because its condition is never true looks the same. What lies in between is looked at up to
//! a number of blocks, far beyond what passes lead paths past in one commit.

use super::Editor;
use crate::debug::{Argument, DebugKind, DebugValue, NodeId, NodeRef};
use crate::entities::{Block, Inst};
use crate::function::Function;
use crate::opcode::Opcode;
use crate::operand::Operand;
use frazil_support::EntityRef;
use frazil_support::sort::sort_by_key;

/// How many blocks between a lost target and the ones that are left are looked at.
const MOST_BETWEEN: usize = 64;
/// How many new blocks that lead to each other are followed.
const MOST_NEW: usize = 16;

impl Editor {
    /// Finds the variables that are lost, and where: old positions of instructions.
    #[cold]
    pub(super) fn find_bypassed(&mut self, f: &Function) -> Vec<DebugValue> {
        let mut found = Vec::new();
        if !self.graph_changed || f.debug.values.is_empty() {
            return found;
        }
        for block in 0..self.old_blocks as u32 {
            let head = self.head_of(block);
            // Within merged blocks there are no edges any more.
            if self.new_numbers[head as usize] == super::NONE || self.tail_of(head) != block {
                continue;
            }
            let block = Block::new(block as usize);
            let targets = self.targets_now(f, block);
            for edge in f.cfg().successors(block) {
                if !targets.contains(&edge.target) {
                    bypass(f, edge.target, &targets, &mut found);
                }
            }
        }
        sort_by_key(&mut found, |value| key(f, value));
        found.dedup_by_key(|value| key(f, value));
        found
    }

    /// The old blocks that a block leads to, perhaps through new ones.
    fn targets_now(&self, f: &Function, block: Block) -> Vec<Block> {
        let mut targets: Vec<Block> = Vec::new();
        let mut waiting = vec![f.terminator(block)];
        let mut steps = 0;
        while let Some(terminator) = waiting.pop().filter(|_| steps < MOST_NEW) {
            steps += 1;
            f.for_each_target(f.inst(terminator), |target| {
                if target.index() < self.old_blocks {
                    targets.push(target);
                } else {
                    waiting.extend(self.terminator_of(f, target));
                }
            });
        }
        targets
    }
}

/// Loses what is said between a lost target and those that are left.
fn bypass(f: &Function, lost: Block, targets: &[Block], found: &mut Vec<DebugValue>) {
    let mut seen = vec![lost];
    let mut reached: Vec<Block> = Vec::new();
    let mut next = 0;
    while let Some(&block) = seen.get(next).filter(|_| next < MOST_BETWEEN) {
        next += 1;
        for edge in f.cfg().successors(block) {
            let known = if targets.contains(&edge.target) {
                &mut reached
            } else {
                &mut seen
            };
            if !known.contains(&edge.target) {
                known.push(edge.target);
            }
        }
    }
    if reached.is_empty() {
        return;
    }
    let said: Vec<&DebugValue> = seen.iter().take(next).flat_map(|&block| values_in(f, block)).collect();
    for block in reached {
        let before = first_after_phis(f, block);
        for &value in &said {
            let lost = DebugValue {
                before,
                kind: DebugKind::Value,
                operand: Operand::NONE,
                constant: 0,
                argument: Argument::default(),
                ..*value
            };
            found.push(lost);
        }
    }
}

/// What two values have in common that lose the same part of a variable at the same place.
fn key(f: &Function, value: &DebugValue) -> (u32, NodeId, NodeRef, NodeRef) {
    let location = f.debug.location(value.location);
    let inlined_at = location.map_or(NodeRef::NONE, |location| location.inlined_at);
    (value.before, value.variable, value.expression, inlined_at)
}

/// What is said of variables in a block from some instruction on.
fn values_in(f: &Function, block: Block) -> impl Iterator<Item = &DebugValue> {
    let range = f.block_insts(block);
    let values = &f.debug.values;
    let place = |position: usize| values.partition_point(|value| (value.before as usize) < position);
    let own = &values[place(range.start)..place(range.end)];
    // Declarations hold everywhere.
    own.iter().filter(|value| value.kind.begins_somewhere())
}

/// The position of the first instruction of a block that is no phi.
fn first_after_phis(f: &Function, block: Block) -> u32 {
    let mut range = f.block_insts(block);
    let end = range.end;
    let first = range.find(|&position| f.inst(Inst::new(position)).op != Opcode::Phi);
    first.unwrap_or(end) as u32
}
