//! Which loops are kept within lines of memory: short ones. Processors read a line at once, also of instructions that
//! they have decoded before.
//!
//! A loop of one block counts; those of several are often left early, and calls take too long for the rest to matter.
//! Before a loop that would be in more lines than it has to stands filler that does nothing and is only run when the
//! loop is entered from above. A loop of seven instructions that crosses a border takes two to three times as long (AMD
//! Zen).

use crate::desc::OpDesc;
use crate::mfunc::{MBlock, MFunc, op_desc, pseudo};
use crate::minst::MInst;

/// Loops with more instructions are left where they are.
const MOST_INSTRUCTIONS: usize = 16;

/// Finds short loops: by their block, the block after it, and 0 for others. `threaded` says where jumps to a block end.
pub(super) fn find_short_loops(func: &MFunc, ops: &'static [OpDesc], threaded: &[u32], ends: &mut Vec<u32>) {
    ends.clear();
    if func.blocks.iter().all(|block| block.loop_depth == 0) {
        return;
    }
    ends.resize(func.blocks.len(), 0);
    for (number, block) in (0..).zip(&func.blocks) {
        let is_loop = || {
            func.edges_of(number)
                .any(|edge| threaded[func.edges[edge].to as usize] == number)
        };
        if block.loop_depth > 0 && is_short(func, ops, block) && is_loop() {
            ends[number as usize] = number + 1;
        }
    }
}

/// Whether there are few instructions in a block, and no call among them.
fn is_short(func: &MFunc, ops: &'static [OpDesc], block: &MBlock) -> bool {
    let insts = &func.insts[block.start as usize..block.end as usize];
    let is_call = |inst: &MInst| inst.op < pseudo::FIRST && op_desc(ops, inst.op).has_sets;
    insts.len() <= MOST_INSTRUCTIONS && !insts.iter().any(is_call)
}
