//! The mapping from blocks of the file to blocks of the IR once a block has been split ([`super::blocks`]).

use frazil_ir::Block;

/// Where the blocks of the file are, if one was split.
#[derive(Debug, Default)]
pub struct Splits {
    /// First and last block in the IR of each block of the file so far; empty while they are the same.
    pub(super) places: Vec<(u32, u32)>,
    /// How many blocks there are more than in the file.
    pub(super) more: usize,
    /// Whether the blocks of the file have their numbers from there again.
    pub(super) numbered_by_file: bool,
}

impl Splits {
    /// Forgets the last function.
    pub fn clear(&mut self) {
        self.places.clear();
        self.more = 0;
        self.numbered_by_file = false;
    }

    /// How many blocks there are more than in the file.
    #[inline]
    pub fn more(&self) -> usize {
        self.more
    }

    /// Whether no block was split.
    pub fn is_empty(&self) -> bool {
        self.more == 0
    }

    /// A block of the file begins.
    #[inline]
    pub fn begin(&mut self, block: Block) {
        if self.more > 0 {
            self.places.push((block.as_u32(), block.as_u32()));
        }
    }

    /// The blocks of the IR with those first that begin blocks of the file, then the others.
    pub(super) fn order_by_file(&self, blocks: usize) -> Vec<u32> {
        let mut order: Vec<u32> = self.places.iter().map(|&(first, _)| first).collect();
        let mut firsts = order.clone().into_iter().peekable();
        order.extend((0..blocks as u32).filter(|block| firsts.next_if_eq(block).is_none()));
        order
    }

    /// The block of the IR where a block of the file begins, when the body is complete.
    #[inline]
    pub fn begin_of(&self, block: u32) -> u32 {
        match self.places.get(block as usize) {
            Some(&(first, _)) if !self.numbered_by_file => first,
            _ => block,
        }
    }

    /// The block of the IR that a number stands for: where a block of the file begins, or where it ends.
    pub(super) fn resolve(&self, number: u32, file_blocks: u32, end: bool) -> u32 {
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
