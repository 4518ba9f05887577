//! Records that are written by abbreviations: shapes, their definitions, and which records fit them.
//!
//! What the reader compiles for speed ([`super::abbrev`]) is a plain table here.

use super::abbrev::Encoding;
use super::block::{BLOCKINFO_SET_BLOCK, DEFINE_ABBREVIATION, FIRST_ABBREVIATION};
use super::writer::Writer;

/// The characters of the six-bit alphabet, by their numbers.
const SIX_BIT: &[u8; 64] = b"abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789._";

/// The shape of records of one code.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Shape {
    pub code: u64,
    /// The operands one by one.
    pub fields: Vec<Encoding>,
    /// How all others are encoded, if there may be others; not a literal.
    pub array: Option<Encoding>,
}

fn six_bit(character: u64) -> Option<u64> {
    let place = SIX_BIT.iter().position(|&own| u64::from(own) == character)?;
    Some(place as u64)
}

fn fits(encoding: Encoding, value: u64) -> bool {
    match encoding {
        Encoding::Literal(own) => own == value,
        Encoding::Fixed(width) => width >= 64 || value >> width == 0,
        Encoding::Vbr(_) => true,
        Encoding::Char6 => six_bit(value).is_some(),
    }
}

impl Shape {
    fn takes(&self, code: u64, operands: &[u64]) -> bool {
        let Some((single, others)) = operands.split_at_checked(self.fields.len()) else {
            return false;
        };
        code == self.code
            && self
                .fields
                .iter()
                .zip(single)
                .all(|(&field, &value)| fits(field, value))
            && match self.array {
                Some(element) => others.iter().all(|&value| fits(element, value)),
                None => others.is_empty(),
            }
    }
}

impl Writer {
    /// Says in blockinfo that the definitions after it are for blocks of an id.
    pub fn set_block(&mut self, id: u64) {
        self.record(BLOCKINFO_SET_BLOCK, &[id]);
    }

    /// Defines an abbreviation, whose id is the next free one of the blocks that it is for.
    pub fn define(&mut self, shape: &Shape) {
        const ARRAY: u64 = 3;
        self.fixed(DEFINE_ABBREVIATION, self.id_width());
        let more = if shape.array.is_some() { 2 } else { 0 };
        self.vbr(1 + shape.fields.len() as u64 + more, 5);
        self.define_field(Encoding::Literal(shape.code));
        for &field in &shape.fields {
            self.define_field(field);
        }
        if let Some(element) = shape.array {
            self.fixed(0, 1);
            self.fixed(ARRAY, 3);
            self.define_field(element);
        }
    }

    fn define_field(&mut self, encoding: Encoding) {
        self.fixed(u64::from(matches!(encoding, Encoding::Literal(_))), 1);
        match encoding {
            Encoding::Literal(value) => self.vbr(value, 8),
            Encoding::Fixed(width) => {
                self.fixed(1, 3);
                self.vbr(width.into(), 5);
            }
            Encoding::Vbr(width) => {
                self.fixed(2, 3);
                self.vbr(width.into(), 5);
            }
            Encoding::Char6 => self.fixed(4, 3),
        }
    }

    /// A record in the first of the shapes that it fits, which are the first abbreviations of its block; without
    /// abbreviation if it fits none.
    pub fn shaped_record(&mut self, shapes: &[Shape], code: u64, operands: &[u64]) {
        let Some((id, shape)) = (FIRST_ABBREVIATION..)
            .zip(shapes)
            .find(|(_, shape)| shape.takes(code, operands))
        else {
            self.record(code, operands);
            return;
        };
        self.fixed(id, self.id_width());
        let (single, others) = operands.split_at_checked(shape.fields.len()).unwrap_or_default();
        for (&field, &value) in shape.fields.iter().zip(single) {
            self.field(field, value);
        }
        if let Some(element) = shape.array {
            self.vbr(others.len() as u64, 6);
            for &value in others {
                self.field(element, value);
            }
        }
    }

    fn field(&mut self, encoding: Encoding, value: u64) {
        match encoding {
            Encoding::Literal(_) => {}
            Encoding::Fixed(width) => self.fixed(value, width.into()),
            Encoding::Vbr(width) => self.vbr(value, width.into()),
            Encoding::Char6 => self.fixed(six_bit(value).unwrap_or(0), 6),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::block::{Block, BlockInfo, Item, next_top_level};
    use super::super::cursor::Cursor;
    use super::super::record::Record;
    use super::*;

    #[test]
    fn records_of_all_shapes_are_read_again() {
        let shape = |code, fields: &[Encoding], array| Shape {
            code,
            fields: fields.to_vec(),
            array,
        };
        let shapes = [
            shape(1, &[Encoding::Fixed(3), Encoding::Vbr(6)], None),
            shape(1, &[Encoding::Literal(9)], Some(Encoding::Char6)),
            shape(1, &[Encoding::Vbr(4)], Some(Encoding::Fixed(8))),
            shape(2, &[], None),
        ];
        let records: [(u64, Vec<u64>); 8] = [
            (1, vec![7, 1 << 40]),
            (1, vec![8, 1 << 40]),
            (1, b"\t_Az9.".map(u64::from).to_vec()),
            (1, b"\tno space".map(u64::from).to_vec()),
            (1, vec![9]),
            (1, vec![]),
            (2, vec![]),
            (3, vec![u64::MAX]),
        ];
        let mut writer = Writer::new(&[], 0);
        writer.begin_block(0, 2);
        writer.set_block(30);
        shapes.iter().for_each(|shape| writer.define(shape));
        writer.end_block();
        writer.begin_block(30, 3);
        for (code, operands) in &records {
            writer.shaped_record(&shapes, *code, operands);
        }
        writer.end_block();
        let bytes = writer.finish();
        let (mut cursor, mut info) = (Cursor::new(&bytes), BlockInfo::default());
        let outer = next_top_level(&mut cursor).unwrap().unwrap();
        let after = outer.end;
        info.read(&mut cursor, &outer).unwrap();
        cursor.seek(after);
        let outer = next_top_level(&mut cursor).unwrap().unwrap();
        let mut block = Block::enter(&mut cursor, &outer, info.abbreviations(30));
        let mut record = Record::default();
        for (code, operands) in &records {
            assert_eq!(block.next(&mut cursor, &mut record).unwrap(), Item::Record);
            assert_eq!((record.code(), record.operands()), (*code, &operands[..]));
        }
        assert_eq!(block.next(&mut cursor, &mut record).unwrap(), Item::End);
    }
}
