//! The abbreviations that PNaCl's own tools write, with which files are as small as theirs.

use crate::bitstream::abbrev::Encoding::{self, Char6, Fixed, Literal, Vbr};
use crate::bitstream::block::BLOCKINFO_ID;
use crate::bitstream::shapes::Shape;
use crate::bitstream::writer::Writer;
use crate::pnacl::codes::{block, constants, function, globals, symbols, types};

/// Bits of an abbreviation's number, by kind of block.
const BLOCKINFO_WIDTH: u32 = 2;
const TYPES_WIDTH: u32 = 3;
pub const SYMBOLS_WIDTH: u32 = 3;
pub const CONSTANTS_WIDTH: u32 = 3;
pub const FUNCTION_WIDTH: u32 = 4;
pub const GLOBALS_WIDTH: u32 = 4;

/// Numbers of types have a fixed width up to so many bits.
const MOST_FIXED_BITS: u32 = 6;

/// The abbreviations of each kind of block.
#[derive(Debug)]
pub struct Abbreviations {
    pub symbols: Vec<Shape>,
    pub constants: Vec<Shape>,
    pub functions: Vec<Shape>,
    pub globals: Vec<Shape>,
    types: Vec<Shape>,
}

fn shape(code: u64, fields: &[Encoding], array: Option<Encoding>) -> Shape {
    Shape {
        code,
        fields: fields.to_vec(),
        array,
    }
}

impl Abbreviations {
    /// Those for a module of so many types.
    pub fn new(type_count: usize) -> Abbreviations {
        let bits = (usize::BITS - type_count.leading_zeros()).max(1);
        let ty = match bits {
            ..=MOST_FIXED_BITS => Fixed(bits as u8),
            _ => Vbr(6),
        };
        Abbreviations {
            // The third one stands before the second here, because the first that fits is taken.
            symbols: vec![
                shape(symbols::ENTRY, &[Vbr(8)], Some(Char6)),
                shape(symbols::ENTRY, &[Vbr(8)], Some(Fixed(7))),
                shape(symbols::ENTRY, &[Vbr(8)], Some(Fixed(8))),
                shape(symbols::BLOCK_ENTRY, &[Vbr(8)], Some(Char6)),
            ],
            constants: vec![
                shape(constants::SET_TYPE, &[ty], None),
                shape(constants::INTEGER, &[Literal(0)], None),
                shape(constants::INTEGER, &[Vbr(8)], None),
                shape(constants::FLOAT, &[Vbr(8)], None),
            ],
            functions: vec![
                shape(function::LOAD, &[Vbr(6), Vbr(4), Vbr(4)], None),
                shape(function::BINARY, &[Vbr(6), Vbr(6), Fixed(4)], None),
                shape(function::CAST, &[Vbr(6), ty, Fixed(4)], None),
                shape(function::RETURN, &[], None),
                shape(function::RETURN, &[Vbr(6)], None),
                shape(function::UNREACHABLE, &[], None),
                shape(function::FORWARD_TYPE, &[Vbr(6), ty], None),
                shape(function::STORE, &[Vbr(6), Vbr(6), Vbr(4)], None),
            ],
            globals: vec![
                shape(globals::VARIABLE, &[Vbr(6), Fixed(1)], None),
                shape(globals::COMPOUND, &[Vbr(8)], None),
                shape(globals::ZERO_FILL, &[Vbr(8)], None),
                shape(globals::DATA, &[], Some(Fixed(8))),
                shape(globals::RELOCATION, &[Vbr(6)], None),
                shape(globals::RELOCATION, &[Vbr(6), Vbr(6)], None),
            ],
            types: vec![shape(types::FUNCTION, &[Fixed(1)], Some(ty))],
        }
    }

    /// Writes the block that defines all but those of types.
    pub fn define(&self, writer: &mut Writer) {
        writer.begin_block(BLOCKINFO_ID, BLOCKINFO_WIDTH);
        for (id, shapes) in [
            (block::SYMBOLS, &self.symbols),
            (block::CONSTANTS, &self.constants),
            (block::FUNCTION, &self.functions),
            (block::GLOBALS, &self.globals),
        ] {
            writer.set_block(id);
            shapes.iter().for_each(|shape| writer.define(shape));
        }
        writer.end_block();
    }

    /// Writes the type table, which has abbreviations of its own.
    pub fn write_types(&self, writer: &mut Writer, rows: &[(u64, Vec<u64>)]) {
        writer.begin_block(block::TYPES, TYPES_WIDTH);
        self.types.iter().for_each(|shape| writer.define(shape));
        writer.shaped_record(&self.types, types::COUNT, &[rows.len() as u64]);
        for (code, operands) in rows {
            writer.shaped_record(&self.types, *code, operands);
        }
        writer.end_block();
    }
}
