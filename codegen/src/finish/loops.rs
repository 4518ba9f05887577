//! Which loops are kept within lines of memory: short ones. Processors read a line at once, also of instructions that
//! they have decoded before.
//!
//! A loop is a jump back to a block, with everything between them; calls take too long for the rest to matter. Before a
//! loop that would be in more lines than it
//! has to stands filler that does nothing and is only run when the loop is entered from above. A loop of seven
//! instructions that crosses a border takes two to three times as long (AMD Zen).

use crate::desc::OpDesc;
use crate::mfunc::{MFunc, op_desc, pseudo};
use std::ops::Range;

/// Loops with more instructions are left where they are.
const MOST_INSTRUCTIONS: u32 = 16;

/// Finds short loops: by their first block, the block after the last one, and 0 for others. `threaded` says where jumps
/// to a block end.
pub(super) fn find_short_loops(func: &MFunc, ops: &'static [OpDesc], threaded: &[u32], ends: &mut Vec<u32>) {
    ends.clear();
    ends.resize(func.blocks.len(), 0);
    for (number, block) in (0..).zip(&func.blocks) {
        if block.loop_depth == 0 || threaded[number as usize] != number {
            continue;
        }
        for edge in func.edges_of(number) {
            let to = threaded[func.edges[edge].to as usize];
            if to <= number && is_short(func, ops, to..number + 1) {
                ends[to as usize] = number + 1;
            }
        }
    }
}

/// Whether there are few instructions in a range of blocks, and no call among them.
fn is_short(func: &MFunc, ops: &'static [OpDesc], blocks: Range<u32>) -> bool {
    let mut count = 0;
    for block in &func.blocks[blocks.start as usize..blocks.end as usize] {
        count += block.end - block.start;
        if count > MOST_INSTRUCTIONS {
            return false;
        }
        let mut insts = func.insts[block.start as usize..block.end as usize].iter();
        if insts.any(|inst| inst.op < pseudo::FIRST && op_desc(ops, inst.op).has_sets) {
            return false;
        }
    }
    true
}
