//! Makes executables for tests, records and all: also such as break rules.

use crate::bitstream::writer::Writer;
use crate::pnacl::codes::{block, constants, function as code, globals, module, symbols, types};

/// A record: its code and operands.
pub type Row = (u64, Vec<u64>);

/// A part of a function's block.
#[derive(Clone, Debug)]
pub enum Part {
    Record(u64, Vec<u64>),
    /// Its own block, with these records.
    Block(u64, Vec<Row>),
}

/// The parts of an executable. What stands in them is written as it is.
#[derive(Clone, Debug)]
pub struct Pexe {
    pub header: Vec<u8>,
    pub version: Vec<Row>,
    pub types: Vec<Row>,
    pub functions: Vec<Row>,
    pub globals: Option<Vec<Row>>,
    pub names: Option<Vec<Row>>,
    pub bodies: Vec<Vec<Part>>,
    /// Records and blocks after the variables.
    pub late: Vec<Part>,
    /// Blocks at the end of the module.
    pub last: Vec<(u64, Vec<Row>)>,
    /// Blocks after the module.
    pub after: Vec<u64>,
    /// Whether records end at whole bytes.
    pub pads_records: bool,
}

/// The types of [`Pexe::new`], by what they are.
pub mod ty {
    pub const VOID: u64 = 0;
    pub const I32: u64 = 1;
    pub const I1: u64 = 2;
    /// `void (i32)`.
    pub const START: u64 = 3;
    pub const I64: u64 = 4;
    pub const FLOAT: u64 = 5;
    pub const DOUBLE: u64 = 6;
    pub const I8: u64 = 7;
    pub const I16: u64 = 8;
    pub const V4I32: u64 = 9;
    pub const V4I1: u64 = 10;
    pub const V4F32: u64 = 11;
    /// `i32 (i32, i32)`.
    pub const BINARY: u64 = 12;
    /// `i64 (i64, i64)`.
    pub const BINARY64: u64 = 13;
    /// `double (double, double)`.
    pub const BINARY_DOUBLE: u64 = 14;
    /// Types that there are before any is added.
    pub const COUNT: u64 = 15;
}

/// A number as records have it that may be negative.
pub fn signed(value: i64) -> u64 {
    match value {
        0.. => value.cast_unsigned() << 1,
        _ => value.unsigned_abs() << 1 | 1,
    }
}

/// The characters of a name after the number of its value.
pub fn entry(value: u64, name: &str) -> Row {
    let characters = name.bytes().map(u64::from);
    (symbols::ENTRY, std::iter::once(value).chain(characters).collect())
}

/// A record of a function.
pub fn row<const COUNT: usize>(code: u64, operands: [u64; COUNT]) -> Part {
    Part::Record(code, operands.to_vec())
}

/// A block of constants of a type, by their codes and words.
pub fn constants(of: u64, rows: &[(u64, u64)]) -> Part {
    let first = (constants::SET_TYPE, vec![of]);
    let rows = rows.iter().map(|&(code, word)| match code {
        constants::UNDEFINED => (code, Vec::new()),
        _ => (code, vec![word]),
    });
    Part::Block(block::CONSTANTS, std::iter::once(first).chain(rows).collect())
}

/// Integers of a type.
pub fn integers(of: u64, values: &[i64]) -> Part {
    let rows: Vec<(u64, u64)> = values
        .iter()
        .map(|&value| (constants::INTEGER, signed(value)))
        .collect();
    constants(of, &rows)
}

impl Pexe {
    /// `_start`, which returns at once, and the types of [`ty`].
    pub fn new() -> Pexe {
        Pexe {
            header: b"PEXE\x01\0\x08\0\x11\0\x04\0\x02\0\0\0".to_vec(),
            version: vec![(module::VERSION, vec![1])],
            types: vec![
                (types::COUNT, vec![ty::COUNT]),
                (types::VOID, vec![]),
                (types::INTEGER, vec![32]),
                (types::INTEGER, vec![1]),
                (types::FUNCTION, vec![0, ty::VOID, ty::I32]),
                (types::INTEGER, vec![64]),
                (types::FLOAT, vec![]),
                (types::DOUBLE, vec![]),
                (types::INTEGER, vec![8]),
                (types::INTEGER, vec![16]),
                (types::VECTOR, vec![4, ty::I32]),
                (types::VECTOR, vec![4, ty::I1]),
                (types::VECTOR, vec![4, ty::FLOAT]),
                (types::FUNCTION, vec![0, ty::I32, ty::I32, ty::I32]),
                (types::FUNCTION, vec![0, ty::I64, ty::I64, ty::I64]),
                (types::FUNCTION, vec![0, ty::DOUBLE, ty::DOUBLE, ty::DOUBLE]),
            ],
            functions: vec![(module::FUNCTION, vec![ty::START, 0, 0, 0])],
            globals: Some(vec![(globals::COUNT, vec![0])]),
            names: Some(vec![entry(0, "_start")]),
            bodies: vec![vec![row(code::DECLARE_BLOCKS, [1]), row(code::RETURN, [])]],
            late: Vec::new(),
            last: Vec::new(),
            after: Vec::new(),
            pads_records: false,
        }
    }

    /// The same with a second function of a type and body, which has one block.
    pub fn with(of: u64, body: Vec<Part>) -> Pexe {
        Pexe::with_blocks(of, 1, body)
    }

    /// The same for a body of so many blocks.
    pub fn with_blocks(of: u64, blocks: u64, mut body: Vec<Part>) -> Pexe {
        let mut pexe = Pexe::new();
        pexe.functions.push((module::FUNCTION, vec![of, 0, 0, 3]));
        body.insert(0, row(code::DECLARE_BLOCKS, [blocks]));
        pexe.bodies.push(body);
        pexe
    }

    /// Adds a type; its number.
    pub fn add_type(&mut self, row: Row) -> u64 {
        self.types.push(row);
        let count = self.types.len() as u64 - 1;
        self.types[0].1 = vec![count];
        count - 1
    }

    /// Declares an intrinsic before the other functions but `_start`, whose numbers change; its number is 1.
    pub fn add_intrinsic(&mut self, name: &str, result: u64, parameters: &[u64]) {
        let mut operands = vec![0, result];
        operands.extend(parameters);
        let of = self.add_type((types::FUNCTION, operands));
        self.functions.insert(1, (module::FUNCTION, vec![of, 0, 1, 0]));
        self.names.get_or_insert_default().push(entry(1, name));
    }

    /// The same with records that end at whole bytes, and a header that says so.
    pub fn padded(&self) -> Pexe {
        Pexe {
            header: b"PEXE\x02\0\x0c\0\x11\0\x04\0\x02\0\0\0\x22\0\0\0".to_vec(),
            pads_records: true,
            ..self.clone()
        }
    }

    /// Writes everything without abbreviations.
    pub fn write(&self) -> Vec<u8> {
        let mut writer = Writer::new(&self.header, 0);
        let pads = self.pads_records;
        let write_rows = |writer: &mut Writer, rows: &[Row]| write_rows(writer, rows, pads);
        let write_block = |writer: &mut Writer, id, rows: &[Row]| write_block(writer, id, rows, pads);
        writer.begin_block(block::MODULE, 3);
        write_rows(&mut writer, &self.version);
        write_block(&mut writer, 0, &[]);
        write_block(&mut writer, block::TYPES, &self.types);
        write_rows(&mut writer, &self.functions);
        let write_parts = |writer: &mut Writer, parts: &[Part]| {
            for part in parts {
                match part {
                    Part::Record(code, operands) => write_rows(writer, &[(*code, operands.clone())]),
                    Part::Block(id, rows) => write_block(writer, *id, rows),
                }
            }
        };
        if let Some(rows) = &self.globals {
            write_block(&mut writer, block::GLOBALS, rows);
        }
        write_parts(&mut writer, &self.late);
        if let Some(rows) = &self.names {
            write_block(&mut writer, block::SYMBOLS, rows);
        }
        for body in &self.bodies {
            writer.begin_block(block::FUNCTION, 4);
            write_parts(&mut writer, body);
            writer.end_block();
        }
        for (id, rows) in &self.last {
            write_block(&mut writer, *id, rows);
        }
        writer.end_block();
        for &id in &self.after {
            write_block(&mut writer, id, &[]);
        }
        writer.finish()
    }
}

fn write_rows(writer: &mut Writer, rows: &[Row], pads: bool) {
    for (code, operands) in rows {
        writer.record(*code, operands);
        if pads {
            pad(writer);
        }
    }
}

/// Zeros up to the end of the byte.
pub fn pad(writer: &mut Writer) {
    let padding = writer.position().next_multiple_of(8) - writer.position();
    writer.fixed(0, padding as u32);
}

fn write_block(writer: &mut Writer, id: u64, rows: &[Row], pads: bool) {
    writer.begin_block(id, 4);
    write_rows(writer, rows, pads);
    writer.end_block();
}
