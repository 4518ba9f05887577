//! Blocks: entering, skipping by their length, and walking what is in them; the abbreviations that blocks of a kind
//! begin with (blockinfo).
//!
//! A [`Block`] is a plain value that the caller keeps while it walks the block with [`Block::next`]; blocks inside it
//! are offered as [`SubBlock`]s, which the caller enters or ignores. A block that is not entered costs its header.
//! The cursor is confined to the innermost block that has been entered, so that no count inside it can reach beyond.

use super::abbrev::Abbreviation;
use super::cursor::Cursor;
use super::record::Record;
use crate::error::{ReadError, ReadErrorKind};
use crate::limits;

/// Id of the block that holds abbreviations for other blocks.
pub const BLOCKINFO_ID: u64 = 0;

pub(super) const END_BLOCK: u64 = 0;
pub(super) const ENTER_SUBBLOCK: u64 = 1;
pub(super) const DEFINE_ABBREVIATION: u64 = 2;
/// The id of a record without abbreviation.
pub const UNABBREVIATED_RECORD: u64 = 3;
/// The first id that stands for an abbreviation.
pub const FIRST_ABBREVIATION: u64 = 4;

/// The only record of a blockinfo block that matters here: which block the abbreviations after it are for.
pub(super) const BLOCKINFO_SET_BLOCK: u64 = 1;

/// Abbreviations that every block of an id begins with.
#[derive(Debug, Default)]
pub struct BlockInfo {
    /// Few entries: LLVM writes three.
    blocks: Vec<(u64, Vec<Abbreviation>)>,
    /// Whether there is something else, such as names.
    has_more: bool,
}

impl BlockInfo {
    /// The abbreviations for blocks of this id.
    pub fn abbreviations(&self, block_id: u64) -> &[Abbreviation] {
        self.blocks
            .iter()
            .find(|(id, _)| *id == block_id)
            .map_or(&[], |(_, list)| list)
    }

    /// Reads a blockinfo block.
    ///
    /// # Errors
    /// If the block is malformed.
    pub fn read(&mut self, cursor: &mut Cursor<'_>, header: &SubBlock) -> Result<(), ReadError> {
        let mut record = Record::default();
        let block = Block::enter(cursor, header, &[]);
        let mut target = None;
        loop {
            let start = cursor.position();
            match block.next_id(cursor)? {
                END_BLOCK => break,
                DEFINE_ABBREVIATION => {
                    let abbreviation = Abbreviation::read(cursor)?;
                    let list = target.and_then(|index: usize| self.blocks.get_mut(index));
                    let Some((_, list)) = list else {
                        return Err(ReadError::malformed(
                            start,
                            "an abbreviation in blockinfo before a block is named",
                        ));
                    };
                    list.push(abbreviation);
                    cursor.end_record();
                }
                UNABBREVIATED_RECORD => {
                    cursor.seek(start);
                    record.read_unabbreviated(cursor, cursor.window(), block.header.abbreviation_width)?;
                    if record.code() == BLOCKINFO_SET_BLOCK {
                        target = Some(self.index_of(&record)?);
                    } else {
                        self.has_more = true;
                    }
                    cursor.end_record();
                }
                other => {
                    let message = format!("item {other} in blockinfo; expected a record or an abbreviation");
                    return Err(ReadError::malformed(start, message));
                }
            }
        }
        block.end(cursor)
    }

    /// Checks that there is nothing else than abbreviations, and of these none with blobs.
    ///
    /// # Errors
    /// If there is; `place` is the block's.
    pub fn check_restricted(&self, place: u64) -> Result<(), ReadError> {
        if self.has_more {
            let message = "a record in blockinfo that names no block, as all do whose abbreviations follow";
            return Err(ReadError::malformed(place, message));
        }
        let mut all = self.blocks.iter().flat_map(|(_, list)| list);
        all.try_for_each(|abbreviation| abbreviation.refuse_blob(place))
    }

    fn index_of(&mut self, record: &Record) -> Result<usize, ReadError> {
        let block_id = record.operand(0)?;
        if let Some(index) = self.blocks.iter().position(|(id, _)| *id == block_id) {
            return Ok(index);
        }
        if self.blocks.len() == limits::BLOCKINFO_KINDS {
            return Err(record.malformed("blockinfo for more kinds of blocks than there are"));
        }
        self.blocks.push((block_id, Vec::new()));
        Ok(self.blocks.len() - 1)
    }
}

/// A block's header: what it is and where it lies.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SubBlock {
    /// What kind of block this is.
    pub id: u64,
    /// Bits of an abbreviation id inside it.
    pub abbreviation_width: u32,
    /// First bit after the header.
    pub start: u64,
    /// First bit after the block.
    pub end: u64,
}

impl SubBlock {
    /// Reads a header; the cursor is after the abbreviation id that announces it and is left after the block.
    ///
    /// # Errors
    /// If the block claims to go beyond what surrounds it.
    pub fn read(cursor: &mut Cursor<'_>) -> Result<SubBlock, ReadError> {
        let header = cursor.position();
        let id = cursor.vbr(8);
        let width = cursor.vbr(4);
        cursor.align_to_word();
        let words = cursor.fixed(32);
        cursor.check()?;
        if !(2..=32).contains(&width) {
            let message = format!("block {id} has abbreviation ids of {width} bits; expected 2 to 32");
            return Err(ReadError::malformed(header, message));
        }
        let start = cursor.position();
        if words * 32 > cursor.bits_left() {
            let message = format!(
                "block {id} claims {words} words, but only {} bits are left",
                cursor.bits_left()
            );
            return Err(ReadError::new(ReadErrorKind::Truncated, header, message));
        }
        let end = start + words * 32;
        cursor.seek(end);
        Ok(SubBlock {
            id,
            abbreviation_width: width as u32,
            start,
            end,
        })
    }
}

/// What [`Block::next`] finds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Item {
    /// The block is over and the cursor after it.
    End,
    /// A block inside this one; the cursor is after it.
    Block(SubBlock),
    /// A record, now in the buffer.
    Record,
}

/// A block that is being walked.
#[derive(Debug)]
pub struct Block<'m> {
    header: SubBlock,
    id_mask: u64,
    /// End of what surrounds the block.
    outer_end: u64,
    shared: &'m [Abbreviation],
    local: Vec<Abbreviation>,
}

impl<'m> Block<'m> {
    /// Begins to walk the block; `shared` are the abbreviations that blocks of this id begin with.
    pub fn enter(cursor: &mut Cursor<'_>, header: &SubBlock, shared: &'m [Abbreviation]) -> Block<'m> {
        cursor.seek(header.start);
        let outer_end = cursor.confine(header.end);
        Block {
            header: *header,
            id_mask: (1 << header.abbreviation_width) - 1,
            outer_end,
            shared,
            local: Vec::new(),
        }
    }

    /// Kind and extent of the block.
    pub fn header(&self) -> &SubBlock {
        &self.header
    }

    #[inline]
    fn next_id(&self, cursor: &mut Cursor<'_>) -> Result<u64, ReadError> {
        let id = cursor.fixed(self.header.abbreviation_width);
        cursor.check()?;
        Ok(id)
    }

    /// The next record, inner block, or the end; abbreviation definitions are taken in on the way.
    ///
    /// # Errors
    /// If the block is malformed or cut off.
    #[inline]
    pub fn next(&mut self, cursor: &mut Cursor<'_>, record: &mut Record) -> Result<Item, ReadError> {
        loop {
            let start = cursor.position();
            let window = cursor.window();
            let id = window & self.id_mask;
            if id >= FIRST_ABBREVIATION {
                let shape = self.abbreviation(id - FIRST_ABBREVIATION, start)?;
                record.read_planned(cursor, shape, window, self.header.abbreviation_width)?;
                return Ok(Item::Record);
            }
            if id == UNABBREVIATED_RECORD {
                record.read_unabbreviated(cursor, window, self.header.abbreviation_width)?;
                return Ok(Item::Record);
            }
            self.next_id(cursor)?;
            match id {
                ENTER_SUBBLOCK => return SubBlock::read(cursor).map(Item::Block),
                END_BLOCK => return self.end(cursor).map(|()| Item::End),
                _ => self.local.push(Abbreviation::read(cursor)?),
            }
        }
    }

    /// The same in a stream without blobs, whose records may end at whole bytes ([`Cursor::pad_records`]).
    ///
    /// # Errors
    /// If the block is malformed or cut off.
    pub fn next_restricted(&mut self, cursor: &mut Cursor<'_>, record: &mut Record) -> Result<Item, ReadError> {
        while cursor.window() & self.id_mask == DEFINE_ABBREVIATION {
            let start = cursor.position();
            self.next_id(cursor)?;
            let abbreviation = Abbreviation::read(cursor)?;
            abbreviation.refuse_blob(start)?;
            self.local.push(abbreviation);
            cursor.end_record();
        }
        let item = self.next(cursor, record)?;
        if item == Item::Record {
            cursor.end_record();
        }
        Ok(item)
    }

    /// Takes in the abbreviations that are defined next, and returns where the item after them begins.
    ///
    /// # Errors
    /// If a definition is malformed or cut off.
    pub fn take_definitions(&mut self, cursor: &mut Cursor<'_>) -> Result<u64, ReadError> {
        loop {
            let start = cursor.position();
            if cursor.window() & self.id_mask != DEFINE_ABBREVIATION {
                return Ok(start);
            }
            self.next_id(cursor)?;
            self.local.push(Abbreviation::read(cursor)?);
        }
    }

    /// Reads the record at `position` inside the block, after the block has been walked so far that the record's
    /// abbreviation is known. Leaves the cursor after the block. Returns whether a record was there.
    ///
    /// # Errors
    /// If what is there is malformed.
    pub fn record_at(
        &mut self,
        cursor: &mut Cursor<'_>,
        record: &mut Record,
        position: u64,
    ) -> Result<bool, ReadError> {
        if !(self.header.start..self.header.end).contains(&position) {
            return Ok(false);
        }
        cursor.seek(position);
        cursor.confine(self.header.end);
        let item = self.next(cursor, record)?;
        self.leave(cursor)?;
        Ok(item == Item::Record)
    }

    #[inline]
    fn abbreviation(&self, index: u64, start: u64) -> Result<&Abbreviation, ReadError> {
        let index = index as usize;
        let found = self
            .shared
            .get(index)
            .or_else(|| self.local.get(index.wrapping_sub(self.shared.len())));
        match found {
            Some(abbreviation) => Ok(abbreviation),
            None => Err(self.unknown_abbreviation(index, start)),
        }
    }

    #[cold]
    fn unknown_abbreviation(&self, index: usize, start: u64) -> ReadError {
        let known = self.shared.len() + self.local.len();
        let message = format!("abbreviation {index} of {known} in block {}", self.header.id);
        ReadError::malformed(start, message)
    }

    /// Goes after the block from its end mark, which is where the block's length says.
    fn end(&self, cursor: &mut Cursor<'_>) -> Result<(), ReadError> {
        let end = cursor.position().next_multiple_of(u64::from(u32::BITS));
        self.leave(cursor)?;
        if end == self.header.end {
            return Ok(());
        }
        let (id, expected) = (self.header.id, self.header.end);
        let message = format!("block {id} ends at bit {end}; expected {expected}, which its length says");
        Err(ReadError::malformed(end, message))
    }

    /// Goes after the block, wherever in it the cursor is.
    ///
    /// # Errors
    /// If reading went beyond the block before.
    pub fn leave(&self, cursor: &mut Cursor<'_>) -> Result<(), ReadError> {
        cursor.check()?;
        cursor.seek(self.header.end);
        cursor.confine(self.outer_end);
        Ok(())
    }
}

/// A block has a header of two words, and at least one word with its end.
const SMALLEST_BLOCK_BITS: u64 = 64;

/// The blocks and nothing else at the outermost level of a stream, whose abbreviation ids have two bits.
///
/// Returns `None` at the end; zero words after the last block are padding, and so is what no block fits into, as LLVM
/// takes it.
///
/// # Errors
/// If there is something else than a block.
pub fn next_top_level(cursor: &mut Cursor<'_>) -> Result<Option<SubBlock>, ReadError> {
    let start = cursor.position();
    if cursor.bits_left() <= SMALLEST_BLOCK_BITS {
        return Ok(None);
    }
    match cursor.fixed(2) {
        ENTER_SUBBLOCK => SubBlock::read(cursor).map(Some),
        END_BLOCK if only_zeros(cursor, start) => Ok(None),
        other => {
            let message = format!("item {other} at the outermost level of the stream; expected a block");
            Err(ReadError::malformed(start, message))
        }
    }
}

fn only_zeros(cursor: &Cursor<'_>, from: u64) -> bool {
    let range = (from / 8) as usize..(cursor.end() / 8) as usize;
    cursor
        .bytes()
        .get(range)
        .unwrap_or_default()
        .iter()
        .all(|&byte| byte == 0)
}
