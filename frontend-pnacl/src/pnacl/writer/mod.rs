//! Writes a module as one of PNaCl's executables, in the final form of version 2 of the ABI.
//!
//! ```text
//! let mut writer = PexeWriter::new(&module)?;      // checks what stands outside of functions
//! writer.add(id, &function)?;                      // each function with a body, in their order
//! let bytes = writer.finish()?;
//! ```
//!
//! Method: functions become records that name what they mean ([`records`]), by a [`builder`] that each file of `body`
//! uses for its instructions, in the order of a [`layout`] of blocks. Types and intrinsics are numbered when they are
//! first used ([`types`]); only when all functions are there is it known how many intrinsics come before the variables
//! ([`data`]), and with it every number. Records are written in the abbreviations of PNaCl's own tools
//! ([`abbreviations`]).
//!
//! The module must have addresses of 32 bits, because they are integers in the file, and nothing from other modules:
//! an executable has the intrinsics of the ABI and nothing else. What there is no form for is refused by name. What
//! promises something that the ABI does not rely on is left out: flags that rule out overflow, alignments of integers,
//! hints. So is what belongs to objects and debuggers, and what the translator to machine code decides: sections,
//! visibility, protections, frame pointers.
//!
//! `_start` keeps its name, which is `__pexe_start` in our modules, and so do all symbols that have one.

mod abbreviations;
mod body;
mod builder;
mod data;
mod error;
mod layout;
mod records;
mod types;

#[cfg(test)]
mod tests;

pub use error::WriteError;

use super::codes::{block, constants, function as code, globals, module as record, symbols};
use crate::bitstream::writer::Writer;
use abbreviations::Abbreviations;
use builder::Shared;
use frazil_ir::{EntityRef, FuncId, Function, Module, Refusal, SymbolId, SymbolKind};
use records::{Ref, Row, Rows, Word};
use types::Kind;

/// What stands before the bitstream: one field, the version of the ABI.
const HEADER: &[u8; 16] = b"PEXE\x01\0\x08\0\x11\0\x04\0\x02\0\0\0";

/// The function that the run-time library calls, and its name in our modules.
const START: (&[u8], &[u8]) = (b"_start", b"__pexe_start");

/// How many values there may be: numbers are compared as signed ones of 32 bits.
const MOST_VALUES: u64 = 1 << 31;

/// A linkage, by its number.
const EXTERNAL: u64 = 0;
const INTERNAL: u64 = 3;

/// Writes an executable.
#[derive(Debug)]
pub struct PexeWriter<'m> {
    module: &'m Module,
    shared: Shared,
    /// By function.
    bodies: Vec<Option<Rows>>,
}

impl<'m> PexeWriter<'m> {
    /// A writer for a module, whose functions come with [`PexeWriter::add`].
    ///
    /// # Errors
    /// If something outside of functions has no form.
    pub fn new(module: &'m Module) -> Result<PexeWriter<'m>, WriteError> {
        let wrong = |refusal, message: &str| Err(WriteError::new(refusal, message));
        let layout = &module.data_layout;
        if layout.pointer_bits != 32 || layout.big_endian {
            let message = format!(
                "a module with pointers of {} bits{}; an executable has 32, the low byte first",
                layout.pointer_bits,
                if layout.big_endian { ", the high byte first" } else { "" }
            );
            return wrong(Refusal::DataLayout, &message);
        }
        if !module.strings.bytes(module.asm).is_empty() {
            return wrong(Refusal::ModuleAssembly, "assembly of the module");
        }
        if !module.constructors.is_empty() || !module.destructors.is_empty() {
            let message = "functions that are called before or after the program; `_start` has to call them";
            return wrong(Refusal::Initializer, message);
        }
        let mut has_start = false;
        for (symbol, data) in module.symbols.iter() {
            let name = module.name(symbol);
            let named = |error: WriteError| error.of_symbol(&module.display_name(symbol));
            match data.kind {
                SymbolKind::Function(_) if name == START.0 || name == START.1 => {
                    if has_start {
                        return Err(named(WriteError::new(Refusal::InvalidInput, "a second `_start`")));
                    }
                    has_start = true;
                }
                SymbolKind::Function(_) if name.starts_with(b"llvm.") => {
                    let message = "a function with a body that has the name of an intrinsic";
                    return Err(named(WriteError::new(Refusal::Intrinsic, message)));
                }
                _ => {}
            }
        }
        for def in module.data.values() {
            let named = |error: WriteError| error.of_symbol(&module.display_name(def.symbol));
            data::check(module, def).map_err(named)?;
        }
        let mut shared = Shared::default();
        // The commonest first.
        shared.types.number(Kind::I32);
        Ok(PexeWriter {
            module,
            shared,
            bodies: module.functions.values().map(|_| None).collect(),
        })
    }

    /// Adds the body of a function.
    ///
    /// # Errors
    /// If something of it has no form. The writer may go on to find what else has none, but not finish.
    pub fn add(&mut self, id: FuncId, function: &Function) -> Result<(), WriteError> {
        let Some(head) = self.module.functions.get(id) else {
            return Err(WriteError::new(
                Refusal::InvalidInput,
                "a function that the module does not have",
            ));
        };
        let attribute = match head {
            head if head.naked => Some("a function without prologue"),
            head if head.prefix_data.is_some() || head.prologue_data.is_some() => {
                Some("data before a function, or at its beginning")
            }
            _ => None,
        };
        if let Some(message) = attribute {
            return Err(WriteError::new(Refusal::FunctionAttribute, message));
        }
        let rows = body::write(self.module, function, &mut self.shared)?;
        let name = self.module.name(head.symbol);
        if (name == START.0 || name == START.1) && rows.ty != self.shared.types.function(Kind::Void, &[Kind::I32]) {
            let message = "`_start` that does not take one i32 and return nothing";
            return Err(WriteError::new(Refusal::CallingConvention, message));
        }
        if let Some(body) = self.bodies.get_mut(id.index()) {
            *body = Some(rows);
        }
        Ok(())
    }

    /// The executable.
    ///
    /// # Errors
    /// If a function was not added, or a limit is passed.
    pub fn finish(mut self) -> Result<Vec<u8>, WriteError> {
        let bodies = std::mem::take(&mut self.bodies);
        let bodies: Option<Vec<Rows>> = bodies.into_iter().collect();
        let Some(bodies) = bodies else {
            return Err(WriteError::new(Refusal::InvalidInput, "a function without its body"));
        };
        let abbreviations = Abbreviations::new(self.shared.types.rows().len());
        let words: usize = bodies.iter().map(|rows| rows.iter().count()).sum();
        let mut writer = Writer::new(HEADER, 4 * words + self.module.bytes.len());
        writer.begin_block(block::MODULE, 2);
        writer.record(record::VERSION, &[1]);
        abbreviations.define(&mut writer);
        abbreviations.write_types(&mut writer, self.shared.types.rows());
        self.declare(&mut writer, &bodies);
        self.write_data(&mut writer, &abbreviations);
        self.write_names(&mut writer, &abbreviations);
        for rows in &bodies {
            let numbers = Numbers {
                module: self.module,
                intrinsics: self.shared.intrinsics.len() as u64,
                base: self.symbol_count(),
                rows,
                bodies: &bodies,
                places: Vec::new(),
            };
            numbers.write(&mut writer, &abbreviations)?;
        }
        writer.end_block();
        Ok(writer.finish())
    }

    /// How many functions and variables there are.
    fn symbol_count(&self) -> u64 {
        (self.module.functions.len() + self.shared.intrinsics.len() + self.module.data.len()) as u64
    }

    /// Writes the records of functions: first those with bodies.
    fn declare(&self, writer: &mut Writer, bodies: &[Rows]) {
        for (head, rows) in self.module.functions.values().zip(bodies) {
            let linkage = match is_start(self.module, head.symbol) {
                true => EXTERNAL,
                false => INTERNAL,
            };
            writer.record(record::FUNCTION, &[rows.ty.into(), 0, 0, linkage]);
        }
        for &(_, ty) in &self.shared.intrinsics {
            writer.record(record::FUNCTION, &[ty.into(), 0, 1, EXTERNAL]);
        }
    }

    fn write_data(&self, writer: &mut Writer, abbreviations: &Abbreviations) {
        let (module, intrinsics) = (self.module, self.shared.intrinsics.len() as u64);
        let shapes = &abbreviations.globals;
        writer.begin_block(block::GLOBALS, abbreviations::GLOBALS_WIDTH);
        writer.shaped_record(shapes, globals::COUNT, &[module.data.len() as u64]);
        for def in module.data.values() {
            let number = |symbol| symbol_number(module, symbol, intrinsics);
            for (code, operands) in data::rows(module, def, number) {
                writer.shaped_record(shapes, code, &operands);
            }
        }
        writer.end_block();
    }

    /// Writes the names that symbols have, but for those that our reader gives by number.
    fn write_names(&self, writer: &mut Writer, abbreviations: &Abbreviations) {
        let (module, intrinsics) = (self.module, self.shared.intrinsics.len() as u64);
        let shapes = &abbreviations.symbols;
        writer.begin_block(block::SYMBOLS, abbreviations::SYMBOLS_WIDTH);
        let mut entry = |number: u64, name: &[u8]| {
            let mut operands = vec![number];
            operands.extend(name.iter().map(|&byte| u64::from(byte)));
            writer.shaped_record(shapes, symbols::ENTRY, &operands);
        };
        for (number, head) in (0..).zip(module.functions.values()) {
            let name = module.name(head.symbol);
            if is_start(module, head.symbol) {
                entry(number, START.0);
            } else if !name.is_empty() && name != format!("f{number}").as_bytes() {
                entry(number, name);
            }
        }
        for (number, (name, _)) in (module.functions.len() as u64..).zip(&self.shared.intrinsics) {
            entry(number, name.as_bytes());
        }
        for def in module.data.values() {
            let name = module.name(def.symbol);
            if !name.is_empty() {
                entry(symbol_number(module, def.symbol, intrinsics), name);
            }
        }
        writer.end_block();
    }
}

fn is_start(module: &Module, symbol: SymbolId) -> bool {
    let name = module.name(symbol);
    name == START.0 || name == START.1
}

/// The value that a function or variable is: functions with bodies come first, then intrinsics, then variables.
fn symbol_number(module: &Module, symbol: SymbolId, intrinsics: u64) -> u64 {
    match module.symbols.get(symbol).map(|data| data.kind) {
        Some(SymbolKind::Function(id)) => id.index() as u64,
        Some(SymbolKind::Data(id)) => module.functions.len() as u64 + intrinsics + id.index() as u64,
        // Nothing else is named.
        _ => 0,
    }
}

/// The numbers of values in a function.
struct Numbers<'a> {
    module: &'a Module,
    intrinsics: u64,
    /// The number of the first value that is the function's own.
    base: u64,
    rows: &'a Rows,
    bodies: &'a [Rows],
    /// By constant: its place among those of the function.
    places: Vec<u64>,
}

impl Numbers<'_> {
    /// Writes the function.
    fn write(mut self, writer: &mut Writer, abbreviations: &Abbreviations) -> Result<(), WriteError> {
        let rows = self.rows;
        let values = self.first_result() + u64::from(rows.results);
        if values >= MOST_VALUES {
            return Err(WriteError::new(
                Refusal::TooLarge,
                format!("{values} values in a function"),
            ));
        }
        writer.begin_block(block::FUNCTION, abbreviations::FUNCTION_WIDTH);
        let shapes = &abbreviations.functions;
        writer.shaped_record(shapes, code::DECLARE_BLOCKS, &[rows.blocks.into()]);
        self.write_constants(writer, abbreviations);
        let mut operands = Vec::new();
        for (row, words) in rows.iter() {
            operands.clear();
            operands.extend(words.iter().map(|&word| self.word(word, row)));
            let mut code = row.code;
            if self.is_by_name(row, words) {
                // The type of the result is that of the function.
                operands.remove(2);
                code = code::CALL;
            }
            writer.shaped_record(shapes, code, &operands);
        }
        writer.end_block();
        Ok(())
    }

    /// Whether a call is one of a function of the type that it has.
    fn is_by_name(&self, row: &Row, words: &[Word]) -> bool {
        let (Some(ty), Some(Word::Relative(Ref::Symbol(symbol)))) = (row.called_type, words.get(1)) else {
            return false;
        };
        match self.module.symbols.get(*symbol).map(|data| data.kind) {
            Some(SymbolKind::Function(id)) => self.bodies.get(id.index()).is_some_and(|rows| rows.ty == ty),
            _ => false,
        }
    }

    /// Writes the constants by their types, of which each stands once.
    fn write_constants(&mut self, writer: &mut Writer, abbreviations: &Abbreviations) {
        let all = &self.rows.constants;
        if all.is_empty() {
            return;
        }
        let mut order: Vec<usize> = (0..all.len()).collect();
        order.sort_by_key(|&number| all.get(number).map(|constant| constant.ty));
        self.places = vec![0; all.len()];
        let shapes = &abbreviations.constants;
        writer.begin_block(block::CONSTANTS, abbreviations::CONSTANTS_WIDTH);
        let mut ty = None;
        for (place, number) in (0..).zip(order) {
            let (Some(constant), Some(slot)) = (all.get(number), self.places.get_mut(number)) else {
                continue;
            };
            *slot = place;
            if ty != Some(constant.ty) {
                ty = Some(constant.ty);
                writer.shaped_record(shapes, constants::SET_TYPE, &[constant.ty.into()]);
            }
            writer.shaped_record(shapes, constant.code, constant.operands());
        }
        writer.end_block();
    }

    fn first_result(&self) -> u64 {
        self.base + u64::from(self.rows.parameters) + self.rows.constants.len() as u64
    }

    fn number(&self, name: Ref) -> u64 {
        match name {
            Ref::Symbol(symbol) => symbol_number(self.module, symbol, self.intrinsics),
            Ref::Intrinsic(number) => self.module.functions.len() as u64 + u64::from(number),
            Ref::Parameter(number) => self.base + u64::from(number),
            Ref::Constant(number) => {
                let place = self.places.get(number as usize).copied().unwrap_or(0);
                self.base + u64::from(self.rows.parameters) + place
            }
            Ref::Result(number) => self.first_result() + u64::from(number),
            // All of them have been replaced.
            Ref::Later(_) => 0,
        }
    }

    fn word(&self, word: Word, row: &Row) -> u64 {
        let next = self.first_result() + u64::from(row.results);
        match word {
            Word::Number(number) => number,
            Word::Relative(name) => u64::from(next.wrapping_sub(self.number(name)) as u32),
            Word::Signed(name) => records::signed(next.wrapping_sub(self.number(name)).cast_signed()),
            Word::Absolute(name) => self.number(name),
        }
    }
}
