//! Writing a stream: bits, blocks and records, with no notion of what they mean.
//!
//! Bits that are there already, such as records that do not change or whole blocks, are copied as they are, to any
//! position: nothing in the container depends on where a record begins but the padding around blobs, which is why
//! [`Writer::copy_record`] refuses to move one. Records of its own are written without abbreviation, as any reader
//! takes them.

use super::block::{DEFINE_ABBREVIATION, END_BLOCK, ENTER_SUBBLOCK, SubBlock, UNABBREVIATED_RECORD};
use super::cursor::{Cursor, WINDOW_BITS};
use crate::error::ReadError;
use std::ops::Range;

const WORD_BITS: u64 = 32;

/// Bits of an abbreviation id outside of all blocks.
const OUTERMOST_WIDTH: u32 = 2;

/// A stream that is being written.
#[derive(Debug, Default)]
pub struct Writer {
    bytes: Vec<u8>,
    /// Bits that do not fill a byte yet.
    rest: u64,
    rest_bits: u32,
    /// The blocks that are open: where the length word is, and the bits of an abbreviation id.
    blocks: Vec<(usize, u32)>,
}

impl Writer {
    /// A stream that begins with these bytes, such as a magic number, and will have about so many.
    pub fn new(begin: &[u8], capacity: usize) -> Writer {
        let mut bytes = Vec::with_capacity(capacity.max(begin.len()));
        bytes.extend_from_slice(begin);
        Writer {
            bytes,
            ..Writer::default()
        }
    }

    /// How many bits there are.
    pub fn position(&self) -> u64 {
        self.bytes.len() as u64 * 8 + u64::from(self.rest_bits)
    }

    /// A field of up to [`WINDOW_BITS`] bits; bits of `value` above it are cut.
    pub fn fixed(&mut self, value: u64, width: u32) {
        let value = if width >= u64::BITS {
            value
        } else {
            value & ((1 << width) - 1)
        };
        self.rest |= value << self.rest_bits;
        self.rest_bits += width;
        while self.rest_bits >= 8 {
            self.bytes.push(self.rest as u8);
            self.rest >>= 8;
            self.rest_bits -= 8;
        }
    }

    /// A variable-width integer of chunks of `width` bits, 2 to 32.
    pub fn vbr(&mut self, mut value: u64, width: u32) {
        let payload = width - 1;
        while value >> payload != 0 {
            self.fixed(value | 1 << payload, width);
            // The continuation bit is the highest of the chunk.
            value >>= payload;
        }
        self.fixed(value, width);
    }

    /// Zeros up to the next multiple of 32 bits.
    pub fn align_to_word(&mut self) {
        let padding = self.position().next_multiple_of(WORD_BITS) - self.position();
        self.fixed(0, padding as u32);
    }

    /// Copies bits of the cursor's input, whatever they are.
    pub fn copy(&mut self, from: &Cursor<'_>, bits: Range<u64>) {
        let mut start = bits.start;
        if self.rest_bits == 0 && start.is_multiple_of(8) {
            let range = (start / 8) as usize..(bits.end / 8).max(start / 8) as usize;
            let whole = from.bytes().get(range).unwrap_or_default();
            self.bytes.extend_from_slice(whole);
            start += whole.len() as u64 * 8;
        }
        let mut source = from.slice(start, bits.end);
        while source.bits_left() > 0 {
            let width = source.bits_left().min(u64::from(WINDOW_BITS - 1)) as u32;
            let field = source.fixed(width);
            self.fixed(field, width);
        }
    }

    /// Copies a record, from its abbreviation id on; `has_blob` says whether part of it is aligned to words.
    ///
    /// # Errors
    /// If it cannot be moved.
    pub fn copy_record(&mut self, from: &Cursor<'_>, bits: Range<u64>, has_blob: bool) -> Result<(), ReadError> {
        if has_blob && self.position() % WORD_BITS != bits.start % WORD_BITS {
            let message = "a blob after a record that is to be changed; expected it before";
            return Err(ReadError::malformed(bits.start, message));
        }
        self.copy(from, bits);
        Ok(())
    }

    /// Copies a block with everything in it.
    pub fn copy_block(&mut self, from: &Cursor<'_>, block: &SubBlock) {
        self.begin_block(block.id, block.abbreviation_width);
        self.copy(from, block.start..block.end);
        self.complete_block();
    }

    pub(super) fn id_width(&self) -> u32 {
        self.blocks.last().map_or(OUTERMOST_WIDTH, |&(_, width)| width)
    }

    /// Begins a block whose abbreviation ids have `width` bits.
    pub fn begin_block(&mut self, id: u64, width: u32) {
        self.fixed(ENTER_SUBBLOCK, self.id_width());
        self.vbr(id, 8);
        self.vbr(u64::from(width), 4);
        self.align_to_word();
        self.blocks.push((self.bytes.len(), width));
        self.fixed(0, WORD_BITS as u32);
    }

    /// Ends the innermost block.
    pub fn end_block(&mut self) {
        self.fixed(END_BLOCK, self.id_width());
        self.align_to_word();
        self.complete_block();
    }

    /// Writes the length of the innermost block, whose end is there.
    fn complete_block(&mut self) {
        let Some((place, _)) = self.blocks.pop() else { return };
        let words = (self.bytes.len() - place) / 4 - 1;
        if let Some(length) = self.bytes.get_mut(place..place + 4) {
            length.copy_from_slice(&(words as u32).to_le_bytes());
        }
    }

    /// A record without abbreviation.
    pub fn record(&mut self, code: u64, operands: &[u64]) {
        self.fixed(UNABBREVIATED_RECORD, self.id_width());
        self.vbr(code, 6);
        self.vbr(operands.len() as u64, 6);
        for &operand in operands {
            self.vbr(operand, 6);
        }
    }

    /// Defines the abbreviation of a code and a blob, whose id is `id`, and writes such a record. The innermost block
    /// has `id` as the next free id.
    pub fn blob_record(&mut self, id: u64, code: u64, parts: &[&[u8]]) {
        const OPERANDS: u64 = 2;
        const BLOB: u64 = 5;
        self.fixed(DEFINE_ABBREVIATION, self.id_width());
        self.vbr(OPERANDS, 5);
        // A literal, and an encoding without a width.
        self.fixed(1, 1);
        self.vbr(code, 8);
        self.fixed(0, 1);
        self.fixed(BLOB, 3);
        self.fixed(id, self.id_width());
        self.vbr(parts.iter().map(|part| part.len() as u64).sum(), 6);
        self.align_to_word();
        for part in parts {
            self.bytes.extend_from_slice(part);
        }
        self.align_to_word();
    }

    /// The stream.
    pub fn finish(mut self) -> Vec<u8> {
        self.align_to_word();
        self.bytes
    }
}

#[cfg(test)]
mod tests {
    use super::super::block::{Block, FIRST_ABBREVIATION, Item, next_top_level};
    use super::super::record::Record;
    use super::*;

    #[test]
    fn what_is_written_is_read_again() {
        let mut writer = Writer::new(&[], 0);
        writer.begin_block(9, 3);
        writer.record(7, &[0, 31, 32, u64::from(u32::MAX), u64::MAX]);
        writer.begin_block(10, 5);
        writer.blob_record(FIRST_ABBREVIATION, 2, &[b"ab", b"cde"]);
        writer.end_block();
        writer.record(8, &[1]);
        writer.end_block();
        let bytes = writer.finish();
        let mut cursor = Cursor::new(&bytes);
        let mut record = Record::default();
        let outer = next_top_level(&mut cursor).unwrap().unwrap();
        assert_eq!((outer.id, outer.end), (9, bytes.len() as u64 * 8));
        let mut block = Block::enter(&mut cursor, &outer, &[]);
        assert_eq!(block.next(&mut cursor, &mut record).unwrap(), Item::Record);
        assert_eq!((record.code(), record.operands().len()), (7, 5));
        assert_eq!(record.operands()[3..], [u64::from(u32::MAX), u64::MAX]);
        let Item::Block(inner) = block.next(&mut cursor, &mut record).unwrap() else {
            panic!("a block was written")
        };
        let after = cursor.position();
        let mut inner = Block::enter(&mut cursor, &inner, &[]);
        assert_eq!(inner.next(&mut cursor, &mut record).unwrap(), Item::Record);
        assert_eq!((record.code(), &bytes[record.blob()]), (2, b"abcde".as_slice()));
        assert_eq!(inner.next(&mut cursor, &mut record).unwrap(), Item::End);
        assert_eq!(cursor.position(), after);
        assert_eq!(block.next(&mut cursor, &mut record).unwrap(), Item::Record);
        assert_eq!((record.code(), record.operands()), (8, [1].as_slice()));
        assert_eq!(block.next(&mut cursor, &mut record).unwrap(), Item::End);
    }

    #[test]
    fn bits_are_copied_between_all_positions() {
        let bytes: Vec<u8> = (0..40u32).map(|index| (index * 37 + 11) as u8).collect();
        let source = Cursor::new(&bytes);
        for start in 0..16 {
            for before in 0..9 {
                let end = 251;
                let mut writer = Writer::new(&[], 0);
                writer.fixed(0, before);
                writer.copy(&source, start..end);
                assert_eq!(writer.position(), u64::from(before) + end - start);
                let copy = writer.finish();
                let mut expected = source.slice(start, end);
                let mut found = Cursor::new(&copy);
                found.advance(before);
                while expected.bits_left() > 0 {
                    assert_eq!(found.fixed(1), expected.fixed(1), "from {start} to {before}");
                }
            }
        }
    }

    #[test]
    fn a_blob_is_not_moved() {
        let source = [0; 16];
        let cursor = Cursor::new(&source);
        let mut writer = Writer::new(&[], 0);
        assert!(writer.copy_record(&cursor, 0..64, true).is_ok());
        writer.fixed(1, 1);
        assert!(writer.copy_record(&cursor, 64..96, false).is_ok());
        assert!(writer.copy_record(&cursor, 64..96, true).is_err());
    }
}
