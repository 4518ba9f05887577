//! Makes modules as old versions of LLVM wrote them, record by record, with typed pointers and without abbreviations.
//!
//! The same case can be made with numbers of values (version 0) and with distances (version 1): [`Body::value`] knows
//! how an operand is written. Types are numbered as they are added, values in the order of LLVM: variables, functions,
//! aliases, constants of the module; then a function's parameters, constants and results.

use frazil_frontend_pnacl::bitstream::writer::Writer;
use frazil_frontend_pnacl::codes::{block, constants, function as code, module, symbols, types};

/// A record: its code and operands.
pub type Row = (u64, Vec<u64>);

/// A part of a block.
#[derive(Clone, Debug)]
pub enum Part {
    Record(u64, Vec<u64>),
    Block(u64, Vec<Part>),
}

/// A record, as a part.
pub fn row(code: u64, operands: &[u64]) -> Part {
    Part::Record(code, operands.to_vec())
}

/// A record of characters after some operands.
pub fn text(code: u64, operands: &[u64], text: &str) -> Part {
    let characters = text.bytes().map(u64::from);
    Part::Record(code, operands.iter().copied().chain(characters).collect())
}

/// A number as records have it that may be negative.
pub fn signed(value: i64) -> u64 {
    match value {
        0.. => value.cast_unsigned() << 1,
        _ => value.unsigned_abs() << 1 | 1,
    }
}

/// A module in the making.
#[derive(Clone, Debug)]
pub struct Maker {
    /// 0 or 1.
    pub version: u64,
    /// The attribute lists, if it has some.
    pub attributes: Vec<Part>,
    types: Vec<Row>,
    /// How many of the records of types are names.
    type_names: u64,
    /// Records before the symbols.
    pub first: Vec<Part>,
    symbols: Vec<Row>,
    names: Vec<String>,
    /// Blocks after the symbols.
    pub middle: Vec<Part>,
    bodies: Vec<Vec<Part>>,
    /// How many values the module has.
    pub values: u64,
}

impl Maker {
    pub fn new(version: u64) -> Maker {
        Maker {
            version,
            attributes: Vec::new(),
            types: Vec::new(),
            type_names: 0,
            first: Vec::new(),
            symbols: Vec::new(),
            names: Vec::new(),
            middle: Vec::new(),
            bodies: Vec::new(),
            values: 0,
        }
    }

    fn type_count(&self) -> u64 {
        self.types.len() as u64 - self.type_names
    }

    /// Adds a type; its number.
    pub fn add_type(&mut self, code: u64, operands: &[u64]) -> u64 {
        self.types.push((code, operands.to_vec()));
        self.type_count() - 1
    }

    /// The name of the next type, which is a structure.
    pub fn name_type(&mut self, characters: &[u64]) {
        self.types.push((types::STRUCT_NAME, characters.to_vec()));
        self.type_names += 1;
    }

    pub fn integer(&mut self, bits: u64) -> u64 {
        self.add_type(types::INTEGER, &[bits])
    }

    pub fn void(&mut self) -> u64 {
        self.add_type(types::VOID, &[])
    }

    pub fn pointer(&mut self, to: u64) -> u64 {
        self.add_type(types::POINTER, &[to, 0])
    }

    pub fn array(&mut self, count: u64, of: u64) -> u64 {
        self.add_type(types::ARRAY, &[count, of])
    }

    pub fn structure(&mut self, members: &[u64]) -> u64 {
        self.add_type(types::STRUCT_ANONYMOUS, &[&[0], members].concat())
    }

    /// A function type, and that of pointers to it.
    pub fn signature(&mut self, result: u64, parameters: &[u64]) -> (u64, u64) {
        let ty = self.add_type(types::FUNCTION, &[&[0, result], parameters].concat());
        (ty, self.pointer(ty))
    }

    /// Adds a symbol; its value number. LLVM numbers variables first, then functions, then aliases.
    pub fn symbol(&mut self, name: &str, code: u64, operands: &[u64]) -> u64 {
        self.symbols.push((code, operands.to_vec()));
        self.names.push(name.to_owned());
        self.values += 1;
        self.values - 1
    }

    /// A function with a body, given the type of pointers to it, and its list of attributes.
    pub fn function(&mut self, name: &str, pointer: u64, attributes: u64) -> u64 {
        self.symbol(name, module::FUNCTION, &[pointer, 0, 0, 0, attributes, 0, 0, 0, 0, 0])
    }

    /// A function without a body.
    pub fn declaration(&mut self, name: &str, pointer: u64, attributes: u64) -> u64 {
        self.symbol(name, module::FUNCTION, &[pointer, 0, 1, 0, attributes, 0, 0, 0, 0, 0])
    }

    /// A variable of external linkage, given the type of pointers to it, and the value number of its contents.
    pub fn variable(&mut self, name: &str, pointer: u64, contents: Option<u64>) -> u64 {
        let contents = contents.map_or(0, |value| value + 1);
        self.symbol(name, module::GLOBAL_VARIABLE, &[pointer, 0, contents, 0, 3, 0])
    }

    /// Constants of the module, each with its type.
    pub fn constants(&mut self, rows: &[(u64, u64, &[u64])]) {
        self.values += rows.len() as u64;
        self.middle.push(Part::Block(block::CONSTANTS, constant_rows(rows)));
    }

    /// A body of so many blocks, of a function with so many parameters.
    pub fn body(&self, parameters: u64, blocks: u64) -> Body {
        Body {
            version: self.version,
            next: self.values + parameters,
            parts: vec![row(code::DECLARE_BLOCKS, &[blocks])],
        }
    }

    pub fn add(&mut self, body: Body) {
        self.bodies.push(body.parts);
    }

    /// The stream.
    pub fn write(&self) -> Vec<u8> {
        let mut parts = Vec::new();
        if self.version > 0 {
            parts.push(row(module::VERSION, &[self.version]));
        }
        if !self.attributes.is_empty() {
            parts.push(Part::Block(block::ATTRIBUTE_LISTS, self.attributes.clone()));
        }
        let count = (types::COUNT, vec![self.type_count()]);
        let rows = std::iter::once(&count).chain(&self.types);
        let rows = rows.map(|(code, operands)| row(*code, operands));
        parts.push(Part::Block(block::TYPES, rows.collect()));
        parts.extend(self.first.iter().cloned());
        parts.extend(self.symbols.iter().map(|(code, operands)| row(*code, operands)));
        parts.extend(self.middle.iter().cloned());
        let bodies = self.bodies.iter();
        parts.extend(bodies.map(|body| Part::Block(block::FUNCTION, body.clone())));
        let names = (0..).zip(&self.names);
        let names = names.map(|(value, name)| text(symbols::ENTRY, &[value], name));
        parts.push(Part::Block(block::VALUE_SYMBOLS, names.collect()));
        let mut writer = Writer::new(b"BC\xc0\xde", 0);
        write_block(&mut writer, block::MODULE, 3, &parts);
        writer.finish()
    }
}

fn constant_rows(rows: &[(u64, u64, &[u64])]) -> Vec<Part> {
    let rows = rows.iter();
    let rows = rows.flat_map(|(ty, code, operands)| [row(constants::SET_TYPE, &[*ty]), row(*code, operands)]);
    rows.collect()
}

fn write_block(writer: &mut Writer, id: u64, width: u32, parts: &[Part]) {
    writer.begin_block(id, width);
    for part in parts {
        match part {
            Part::Record(code, operands) => writer.record(*code, operands),
            Part::Block(id, parts) => write_block(writer, *id, 4, parts),
        }
    }
    writer.end_block();
}

/// A body in the making.
#[derive(Clone, Debug)]
pub struct Body {
    version: u64,
    /// The number of the next value.
    pub next: u64,
    pub parts: Vec<Part>,
}

impl Body {
    /// How an operand is written that is this value: one that stands before, or else its type must follow.
    pub fn value(&self, number: u64) -> u64 {
        match self.version {
            0 => number,
            _ => u64::from((self.next as u32).wrapping_sub(number as u32)),
        }
    }

    /// The same for a phi.
    pub fn incoming(&self, number: u64) -> u64 {
        match self.version {
            0 => number,
            _ => signed(self.next.cast_signed() - number.cast_signed()),
        }
    }

    /// Constants of the function, each with its type.
    pub fn constants(&mut self, rows: &[(u64, u64, &[u64])]) {
        self.next += rows.len() as u64;
        self.parts.push(Part::Block(block::CONSTANTS, constant_rows(rows)));
    }

    /// Adds an instruction without a result.
    pub fn add(&mut self, code: u64, operands: &[u64]) {
        self.parts.push(row(code, operands));
    }

    /// Adds an instruction with a result; its number.
    pub fn define(&mut self, code: u64, operands: &[u64]) -> u64 {
        self.add(code, operands);
        self.next += 1;
        self.next - 1
    }
}
