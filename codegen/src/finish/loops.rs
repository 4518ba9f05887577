//! Which loops are kept within lines of memory: short ones. Processors read a line at once, also of instructions that
//! they have decoded before.
//!
//! A loop counts if its blocks stand together, from the one that a jump at the end of the last one leads back to, and
//! there is no call among its instructions, since calls take too long for the rest to matter. Before a loop that would
//! be in more lines than it has to stands filler that does nothing and is only run when the loop is entered from above.
//! A loop of seven instructions that crosses a border takes two to three times as long (AMD Zen), one of a dozen in
//! three blocks a fifth longer, and so does one of thirty on vectors in four lines instead of three.

use crate::desc::OpDesc;
use crate::mfunc::{MFunc, op_desc, pseudo};

/// Loops of one block with more instructions are left where they are.
const MOST_INSTRUCTIONS: usize = 64;
/// Loops of several blocks with more instructions are left where they are.
const MOST_INSTRUCTIONS_OF_BLOCKS: usize = 16;
/// Loops of several blocks are left earlier, so that they count only in other loops.
const LEAST_DEPTH_OF_BLOCKS: u8 = 2;

/// Finds short loops: by their first block, the block after them, and 0 for others. `threaded` says where jumps to a
/// block end.
pub(super) fn find_short_loops(func: &MFunc, ops: &'static [OpDesc], threaded: &[u32], ends: &mut Vec<u32>) {
    ends.clear();
    if func.blocks.iter().all(|block| block.loop_depth == 0) {
        return;
    }
    ends.resize(func.blocks.len(), 0);
    for (last, block) in (0..).zip(&func.blocks) {
        if block.loop_depth == 0 {
            continue;
        }
        for edge in func.edges_of(last) {
            let first = threaded[func.edges[edge].to as usize];
            if first <= last && is_short(func, ops, first, last) {
                ends[first as usize] = ends[first as usize].max(last + 1);
            }
        }
    }
}

/// Whether there are few instructions from one block to another, all in the same loop, and no call among them.
fn is_short(func: &MFunc, ops: &'static [OpDesc], first: u32, last: u32) -> bool {
    let blocks = &func.blocks[first as usize..=last as usize];
    let insts = blocks[0].start as usize..blocks[blocks.len() - 1].end as usize;
    let is_small = match first == last {
        true => insts.len() <= MOST_INSTRUCTIONS,
        false => insts.len() <= MOST_INSTRUCTIONS_OF_BLOCKS && blocks[0].loop_depth >= LEAST_DEPTH_OF_BLOCKS,
    };
    is_small
        && blocks.iter().all(|block| block.loop_depth == blocks[0].loop_depth)
        && func.insts[insts]
            .iter()
            .all(|inst| inst.op >= pseudo::FIRST || !op_desc(ops, inst.op).has_sets)
}
