//! Jump threading: where jumps to blocks end that contain nothing but a jump, and the labels of blocks whose addresses
//! are taken.

use crate::mfunc::{MFunc, Term};
use crate::reference::Label;

/// Finds the block at which a jump to each block ends when blocks with nothing but a jump are passed over.
pub(super) fn thread_empty_blocks(func: &MFunc, threaded: &mut Vec<u32>) {
    threaded.clear();
    threaded.extend(0..func.blocks.len() as u32);
    for start in 1..func.blocks.len() as u32 {
        let mut block = start;
        // A cycle of empty blocks is an endless loop, and stays one.
        for _ in 0..16 {
            if !is_empty_jump(func, block) {
                break;
            }
            let next = func.edges[func.edges_of(block).start].to;
            if next == block {
                break;
            }
            block = next;
        }
        threaded[start as usize] = block;
    }
}

/// Whether a block contains nothing but a jump.
fn is_empty_jump(func: &MFunc, block: u32) -> bool {
    let data = &func.blocks[block as usize];
    data.term == Term::Jump && data.start == data.end
}

/// Adds the labels of block addresses that no edge of an indirect jump has.
#[cold]
pub(super) fn add_address_labels(
    func: &MFunc,
    first: Label,
    count: u32,
    threaded: &[u32],
    labels: &mut Vec<(u32, Label)>,
) {
    let mut is_placed = vec![false; count as usize];
    for &(_, label) in labels.iter() {
        if let Some(placed) = label
            .0
            .checked_sub(first.0)
            .and_then(|number| is_placed.get_mut(number as usize))
        {
            *placed = true;
        }
    }
    for (block, &to) in func.blocks.iter().zip(threaded) {
        if let Some(placed @ false) = is_placed.get_mut(block.source as usize) {
            *placed = true;
            labels.push((to, Label(first.0 + block.source)));
        }
    }
}
