//! Which loops are kept within lines of memory: short ones. Processors read a line at once, also of instructions that
//! they have decoded before.
//!
//! A loop is a jump back to a block, with everything between them. Before a loop that would be in more lines than it
//! has to stands filler that does nothing and is only run when the loop is entered from above. A loop of seven
//! instructions that crosses a border takes two to three times as long (AMD Zen).

use crate::mfunc::MFunc;

/// Loops with more instructions are left where they are.
const MOST_INSTRUCTIONS: u32 = 24;

/// Finds short loops: by their first block, the block after the last one, and 0 for others. `threaded` says where jumps
/// to a block end.
pub(super) fn find_short_loops(func: &MFunc, threaded: &[u32], ends: &mut Vec<u32>) {
    ends.clear();
    ends.resize(func.blocks.len(), 0);
    for (number, block) in (0..).zip(&func.blocks) {
        if block.loop_depth == 0 || threaded[number as usize] != number {
            continue;
        }
        for edge in func.edges_of(number) {
            let to = threaded[func.edges[edge].to as usize];
            if to <= number && is_short(func, to, number) {
                ends[to as usize] = number + 1;
            }
        }
    }
}

/// Whether there are few instructions from one block to another one.
fn is_short(func: &MFunc, first: u32, last: u32) -> bool {
    let mut count = 0;
    for block in &func.blocks[first as usize..=last as usize] {
        count += block.end - block.start;
        if count > MOST_INSTRUCTIONS {
            return false;
        }
    }
    true
}
