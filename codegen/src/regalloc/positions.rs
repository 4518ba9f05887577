//! The numbering of program points that all stages of the allocator use, and the extents of blocks and loops in it.
//!
//! ```text
//! position    2k, 2k+1 block start, where the moves of incoming edges are; so even an empty block has an extent
//!             2k + 2   instruction 1 reads its operands      <- moves may be inserted before this point
//!             2k + 3   instruction 1 writes its results
//!             2k + 4   instruction 2 reads
//!             2k + 5   instruction 2 writes
//! ```
//!
//! A *gap* is an even position at which moves may be inserted: one that is not inside a unit, where a unit is a group
//! (contract 7) or the two branches of a branch on two conditions.

use crate::mfunc::{MFunc, Term};
use std::ops::Range;

/// The number of no block, loop or the like.
pub(super) const NONE: u32 = u32::MAX;
/// Set in an entry of [`Positions::slots`] if the position is inside of a unit, so that no gap is there.
const INSIDE: u32 = 1 << 31;
/// The most nested loops that are examined.
const MAX_NESTING: usize = 64;

#[derive(Clone, Copy, Debug)]
struct Loop {
    header: u32,
    end: u32,
    parent: u32,
}

/// The numbering of one function's positions, and its loops.
#[derive(Debug, Default)]
pub(super) struct Positions {
    /// By half of the position: the block, with [`INSIDE`] if the position is no gap.
    slots: Vec<u32>,
    /// By block: its start; at the end, the end of the function.
    starts: Vec<u32>,
    loops: Vec<Loop>,
    block_loop: Vec<u32>,
    /// By block: its estimated frequency (see [`super::frequency`]), or 1 if size counts.
    freq: Vec<f32>,
}

impl Positions {
    /// Numbers the positions of a function. The frequencies come later, by [`Positions::set_frequencies`].
    pub(super) fn compute(&mut self, func: &MFunc) {
        self.slots.clear();
        self.slots.reserve(func.insts.len() + func.blocks.len());
        self.starts.clear();
        self.starts.reserve(func.blocks.len() + 1);
        for (number, block) in func.blocks.iter().enumerate() {
            self.starts.push(2 * self.slots.len() as u32);
            let count = (block.end - block.start) as usize + 1;
            self.slots.resize(self.slots.len() + count, number as u32);
            if matches!(block.term, Term::Branch(Some(_))) {
                *self.slots.last_mut().expect("the block has instructions") |= INSIDE;
            }
        }
        self.starts.push(2 * self.slots.len() as u32);
        let mut block = 0;
        for group in &func.groups {
            while func.blocks[block].end <= group.start {
                block += 1;
            }
            for inst in group.start + 1..group.end {
                self.slots[inst as usize + block + 1] |= INSIDE;
            }
        }
        self.find_loops(func);
    }

    /// Has `fill` append the frequencies of all blocks, in order.
    pub(super) fn set_frequencies(&mut self, fill: impl FnOnce(&Positions, &mut Vec<f32>)) {
        let mut freq = std::mem::take(&mut self.freq);
        freq.clear();
        fill(self, &mut freq);
        self.freq = freq;
    }

    pub(super) fn loop_count(&self) -> usize {
        self.loops.len()
    }

    /// The loop whose header is this block.
    pub(super) fn loop_of_header(&self, block: u32) -> Option<u32> {
        let number = self.block_loop[block as usize];
        let is_header = self.loops.get(number as usize).is_some_and(|l| l.header == block);
        is_header.then_some(number)
    }

    /// The innermost loop that contains a block, or [`NONE`].
    pub(super) fn innermost_loop(&self, block: u32) -> u32 {
        self.block_loop[block as usize]
    }

    /// The loop around a loop, or [`NONE`].
    pub(super) fn parent_loop(&self, number: u32) -> u32 {
        self.loops[number as usize].parent
    }

    /// The blocks of a loop.
    pub(super) fn blocks_of(&self, number: u32) -> Range<u32> {
        let data = &self.loops[number as usize];
        data.header..data.end
    }

    /// Whether two blocks are in the same innermost loop.
    pub(super) fn are_in_same_loop(&self, first: u32, second: u32) -> bool {
        self.block_loop[first as usize] == self.block_loop[second as usize]
    }

    /// The outermost loop that contains block `from` but not block `to`: the one that an edge between them leaves.
    pub(super) fn exited(&self, from: u32, to: u32) -> Option<u32> {
        let mut number = self.block_loop[from as usize];
        let mut found = None;
        for _ in 0..MAX_NESTING {
            let Some(current) = self.loops.get(number as usize) else {
                break;
            };
            if (current.header..current.end).contains(&to) {
                break;
            }
            found = Some(number);
            number = current.parent;
        }
        found
    }

    fn find_loops(&mut self, func: &MFunc) {
        self.loops.clear();
        self.block_loop.clear();
        let mut current = NONE;
        for (number, block) in func.blocks.iter().enumerate() {
            let number = number as u32;
            while current != NONE && self.loops[current as usize].end <= number {
                current = self.loops[current as usize].parent;
            }
            let is_header = block.loop_end > number + 1 || func.edges_of(number).any(|e| func.edges[e].to == number);
            if is_header {
                let limit = self.loops.get(current as usize).map_or(NONE, |around| around.end);
                self.loops.push(Loop {
                    header: number,
                    end: block.loop_end.max(number + 1).min(limit),
                    parent: current,
                });
                current = self.loops.len() as u32 - 1;
            }
            self.block_loop.push(current);
        }
    }

    /// The start of a block; for the number after the last block, the end of the function.
    #[inline]
    pub(super) fn start(&self, block: u32) -> u32 {
        self.starts[block as usize]
    }

    /// The block that contains a position.
    #[inline]
    pub(super) fn block(&self, pos: u32) -> u32 {
        self.slots[(pos / 2) as usize] & !INSIDE
    }

    /// The position at which an instruction of a block reads.
    #[inline]
    pub(super) fn of_inst(inst: u32, block: u32) -> u32 {
        2 * (inst + block + 1)
    }

    /// The instruction at a position that is not the start of a block.
    #[inline]
    pub(super) fn inst(&self, pos: u32) -> u32 {
        pos / 2 - self.block(pos) - 1
    }

    /// The last gap at or before a position.
    #[inline]
    pub(super) fn gap(&self, pos: u32) -> u32 {
        let mut slot = pos / 2;
        while self.slots[slot as usize] & INSIDE != 0 {
            slot -= 1;
        }
        slot * 2
    }

    /// The first gap at or after a position.
    #[inline]
    pub(super) fn gap_from(&self, pos: u32) -> u32 {
        let mut slot = pos.div_ceil(2);
        while self.slots.get(slot as usize).is_some_and(|entry| entry & INSIDE != 0) {
            slot += 1;
        }
        slot * 2
    }

    /// Whether a position is the start of a block, where only edges can have moves, or the end of the function.
    #[inline]
    pub(super) fn is_block_start(&self, pos: u32) -> bool {
        pos as usize >= 2 * self.slots.len() || self.starts[self.block(pos) as usize] == pos
    }

    /// The frequency of a block.
    #[inline]
    pub(super) fn freq(&self, block: u32) -> f32 {
        self.freq[block as usize]
    }

    /// The frequency of a position.
    #[inline]
    pub(super) fn freq_at(&self, pos: u32) -> f32 {
        self.freq[self.block(pos) as usize]
    }

    /// The blocks of the outermost loop that contains the position `inside` but not `outside`.
    pub(super) fn loop_between(&self, inside: u32, outside: u32) -> Option<Range<u32>> {
        let number = self.exited(self.block(inside), self.block(outside))?;
        let found = &self.loops[number as usize];
        Some(found.header..found.end)
    }

    /// The blocks of the innermost loop that contains both positions.
    pub(super) fn common_loop(&self, first: u32, second: u32) -> Option<Range<u32>> {
        let other = self.block(second);
        let mut number = self.block_loop[self.block(first) as usize];
        for _ in 0..MAX_NESTING {
            let current = self.loops.get(number as usize)?;
            if (current.header..current.end).contains(&other) {
                return Some(current.header..current.end);
            }
            number = current.parent;
        }
        None
    }
}
