//! Module flags, the only metadata that is read without being asked for.
//!
//! LLVM writes an index of its metadata when there is much of it; it is followed to the named nodes at the end
//! of the block, so that debug information costs nothing but the index. Without index the few nodes are walked and
//! only their positions kept.

use super::codes::metadata as code;
use crate::bitstream::block::{Block, Item};
use crate::bitstream::cursor::Cursor;
use crate::bitstream::record::Record;
use crate::error::{ReadError, ReadErrorKind};
use crate::limits;
use std::ops::Range;

const FLAGS_NODE: &[u8] = b"llvm.module.flags";

/// A module flag whose value is a constant or a text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RawFlag {
    /// Its name.
    pub name: Vec<u8>,
    /// Its value.
    pub value: RawFlagValue,
}

/// The value of a module flag.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum RawFlagValue {
    /// The constant with this value number.
    Constant(u64),
    /// A text.
    Text(Vec<u8>),
}

/// Where metadata stands, by number; strings come first.
#[derive(Default)]
struct Places {
    strings: u64,
    /// The lengths of the strings, bytes of the input.
    lengths: Range<usize>,
    /// Their characters, bytes of the input.
    characters: Range<usize>,
    /// Bit positions of the records of the other metadata.
    records: Vec<u64>,
    /// Where the index begins to count.
    index_base: u64,
}

/// Reads the module flags from the module's metadata block, which has just been entered.
///
/// # Errors
/// If the block is malformed. Flags that are not as LLVM defines them are left out.
pub fn read_flags(
    cursor: &mut Cursor<'_>,
    mut block: Block<'_>,
    record: &mut Record,
) -> Result<Vec<RawFlag>, ReadError> {
    let mut places = Places::default();
    let mut name = Vec::new();
    let mut nodes = Vec::new();
    loop {
        match block.next(cursor, record)? {
            Item::End => break,
            Item::Block(_) => continue,
            Item::Record => {}
        }
        match record.code() {
            code::STRINGS => places.set_strings(cursor, record)?,
            code::INDEX_OFFSET => places.follow_index(cursor, record)?,
            code::INDEX => places.set_index(record),
            code::NAME => name = record.text(0),
            code::NAMED_NODE if name == FLAGS_NODE => nodes = record.operands().to_vec(),
            code::NAMED_NODE | code::KIND | code::GLOBAL_ATTACHMENT | code::ARGUMENT_LIST => {}
            _ => places.records.push(record.start()),
        }
    }
    let mut flags = Vec::new();
    for node in nodes.into_iter().take(limits::MODULE_FLAGS) {
        if let Some(flag) = places.flag(node, cursor, &mut block, record)? {
            flags.push(flag);
        }
    }
    Ok(flags)
}

impl Places {
    fn set_strings(&mut self, cursor: &Cursor<'_>, record: &Record) -> Result<(), ReadError> {
        let blob = record.blob();
        let offset = record.operand(1)?;
        if offset > blob.len() as u64 {
            return Err(record.malformed(format!("metadata strings begin at byte {offset} of {}", blob.len())));
        }
        let middle = blob.start + offset as usize;
        self.strings = record.operand(0)?;
        self.lengths = blob.start..middle;
        self.characters = middle..blob.end.min(cursor.bytes().len());
        Ok(())
    }

    /// Goes to the index record; the offset is from the end of the record that holds it.
    fn follow_index(&mut self, cursor: &mut Cursor<'_>, record: &Record) -> Result<(), ReadError> {
        let offset = (record.operand(0)? & 0xffff_ffff) | record.operand(1)? << 32;
        self.index_base = cursor.position();
        match cursor.position().checked_add(offset) {
            Some(position) if position <= cursor.end() => {
                cursor.seek(position);
                Ok(())
            }
            _ => {
                let message = format!("the metadata index is said to be {offset} bits further on, beyond its block");
                Err(ReadError::new(ReadErrorKind::Truncated, record.start(), message))
            }
        }
    }

    /// The index has the distance of each record from the one before.
    fn set_index(&mut self, record: &Record) {
        let distances = record.operands().iter();
        self.records.clear();
        self.records
            .extend(distances.scan(self.index_base, |position, &distance| {
                *position = position.wrapping_add(distance);
                Some(*position)
            }));
    }

    /// The record of a node or constant, if `id` is not a string.
    fn load(
        &self,
        id: u64,
        cursor: &mut Cursor<'_>,
        block: &mut Block<'_>,
        record: &mut Record,
    ) -> Result<bool, ReadError> {
        let index = id
            .checked_sub(self.strings)
            .and_then(|index| usize::try_from(index).ok());
        match index.and_then(|index| self.records.get(index)) {
            Some(&position) => block.record_at(cursor, record, position),
            None => Ok(false),
        }
    }

    /// A flag: a node of its behavior, its name and its value; operands of nodes are numbers plus one.
    fn flag(
        &self,
        node: u64,
        cursor: &mut Cursor<'_>,
        block: &mut Block<'_>,
        record: &mut Record,
    ) -> Result<Option<RawFlag>, ReadError> {
        if !self.load(node, cursor, block, record)? || record.code() != code::NODE {
            return Ok(None);
        }
        let &[_, name, value] = record.operands() else {
            return Ok(None);
        };
        let (Some(name), Some(value)) = (name.checked_sub(1), value.checked_sub(1)) else {
            return Ok(None);
        };
        let Some(name) = self.string(name, cursor) else {
            return Ok(None);
        };
        let value = if let Some(text) = self.string(value, cursor) {
            RawFlagValue::Text(text)
        } else if self.load(value, cursor, block, record)? && record.code() == code::VALUE {
            RawFlagValue::Constant(record.operand(1)?)
        } else {
            return Ok(None);
        };
        Ok(Some(RawFlag { name, value }))
    }

    fn string(&self, id: u64, cursor: &Cursor<'_>) -> Option<Vec<u8>> {
        if id >= self.strings {
            return None;
        }
        let mut lengths = cursor.slice(self.lengths.start as u64 * 8, self.lengths.end as u64 * 8);
        let mut start = self.characters.start as u64;
        for _ in 0..id {
            start = start.checked_add(lengths.vbr(6))?;
            lengths.check().ok()?;
        }
        let end = start.checked_add(lengths.vbr(6))?;
        if end > self.characters.end as u64 {
            return None;
        }
        cursor.bytes().get(start as usize..end as usize).map(<[u8]>::to_vec)
    }
}
