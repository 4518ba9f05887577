//! The mapping from blocks of the file to blocks of the IR once a block has been split ([`super::blocks`]).

use frazil_ir::Block;

/// The blocks of the IR that the blocks of the file have become, if one was split.
#[derive(Debug, Default)]
pub struct Splits {
    /// By block of the file so far: its first and last block in the IR. Empty as long as no block was split.
    pub(super) places: Vec<(u32, u32)>,
    /// The number of blocks that the IR has in addition to those of the file.
    pub(super) more: usize,
    /// Whether the final order of blocks gives the blocks of the file their own numbers again.
    pub(super) numbered_by_file: bool,
}

impl Splits {
    /// Starts a function.
    pub fn clear(&mut self) {
        self.places.clear();
        self.more = 0;
        self.numbered_by_file = false;
    }

    /// The number of blocks that the IR has in addition to those of the file.
    #[inline]
    pub fn more(&self) -> usize {
        self.more
    }

    /// Whether no block was split.
    pub fn is_empty(&self) -> bool {
        self.more == 0
    }

    /// Notes that a block of the file begins.
    #[inline]
    pub fn begin(&mut self, block: Block) {
        if self.more > 0 {
            self.places.push((block.as_u32(), block.as_u32()));
        }
    }

    /// Notes that the last block of the file goes on in a block of the IR that was just begun.
    pub fn go_on(&mut self, block: Block) {
        if self.more == 0 {
            self.places = (0..block.as_u32()).map(|block| (block, block)).collect();
        }
        self.more += 1;
        if let Some((_, last)) = self.places.last_mut() {
            *last = block.as_u32();
        }
    }

    /// An order of the IR's blocks: first those that begin blocks of the file, then the others.
    pub(super) fn order_by_file(&self, blocks: usize) -> Vec<u32> {
        let mut order: Vec<u32> = self.places.iter().map(|&(first, _)| first).collect();
        let mut firsts = order.clone().into_iter().peekable();
        order.extend((0..blocks as u32).filter(|block| firsts.next_if_eq(block).is_none()));
        order
    }

    /// The first block in the IR of a block of the file, once the body is complete.
    #[inline]
    pub fn begin_of(&self, block: u32) -> u32 {
        match self.places.get(block as usize) {
            Some(&(first, _)) if !self.numbered_by_file => first,
            _ => block,
        }
    }

    /// The block of the IR that a number stands for. For a block of the file, this is its first block, or its last one
    /// if `end` is set.
    pub(crate) fn resolve(&self, number: u32, file_blocks: u32, end: bool) -> u32 {
        match number.checked_sub(file_blocks) {
            Some(block) => block,
            None => match self.places.get(number as usize) {
                Some(&(_, last)) if end => last,
                Some(&(first, _)) => first,
                None => number,
            },
        }
    }
}
