//! Exception tables: what personality routines read, and the pointers by which tables reach symbols.
//!
//! Format: the language-specific data area of the Itanium C++ ABI's exception handling, as GCC and LLVM write it: call
//! sites as ranges of the function, chains of actions, types from the end to the front, and filters after them. In
//! position-independent code, types and personality routines are named through pointers in writable data, so that
//! code and tables need no relocation at load time; that for a personality routine is shared by all objects.

use frazil_codegen::exceptions::{ExceptionTable, Landing};
use frazil_codegen::{CompiledFunction, ElfDesc, Label, RelocationModel};
use frazil_ir::module::FunctionHead;
use frazil_ir::{FuncId, Module, SymbolId};

/// DWARF pointer encoding: none.
const OMITTED: u8 = 0xff;
/// The bit of those by which pointers are pointers to pointers.
const INDIRECT: u8 = 0x80;
/// Unsigned LEB128 numbers.
const LEB128: u8 = 0x01;
/// Log2 of the alignment of a table, and of the types in it.
pub const TABLE_ALIGN_LOG2: u8 = 2;

/// How tables hold pointers, as DWARF numbers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Encodings {
    /// Personality routines and types.
    pub symbol: u8,
    /// Tables of functions.
    pub table: u8,
    /// Whether symbols are named through pointers in data.
    pub is_indirect: bool,
    /// Bytes that a pointer takes.
    pub pointer_bytes: u8,
}

impl Encodings {
    /// What a target has in code that may be placed so.
    pub fn of(elf: &ElfDesc, model: RelocationModel) -> Encodings {
        // Relative to the field and signed, of 4 bytes or of 8, or unsigned of 4; symbols are indirect.
        let (symbol, table, pointer_bytes) = match model {
            _ if elf.has_far_exception_tables => (0x9c, 0x1c, 8),
            RelocationModel::Pic => (0x9b, 0x1b, 4),
            RelocationModel::Static => (0x03, 0x03, 4),
        };
        Encodings {
            symbol,
            table,
            is_indirect: symbol & INDIRECT != 0,
            pointer_bytes,
        }
    }

    /// The encoding of types in a table, or that there are none.
    pub fn types(self, parts: &TableParts) -> u8 {
        if parts.has_types { self.symbol } else { OMITTED }
    }
}

/// Something that only exception tables point at, jump tables, or code that an assembler made.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Late {
    /// A pointer to a personality routine.
    Personality(SymbolId),
    /// A pointer to a type.
    Type(SymbolId),
    Table(FuncId),
    /// All jump tables of a function, by the start of the first.
    JumpTables(FuncId),
    /// What an assembler defined or named, by its number.
    Foreign(u32),
    /// A section of debug information, by its number.
    DebugSection(u32),
}

/// Routines that do nothing for a function without landing pads, which then needs no mention of them
/// (LLVM's list in `llvm/IR/EHPersonalities.h`).
const IDLE_WITHOUT_PADS: &[&[u8]] = &[
    b"__gcc_personality_v0",
    b"__gcc_personality_sj0",
    b"__gxx_personality_v0",
    b"__gxx_personality_sj0",
    b"__gnat_eh_personality",
    b"__objc_personality_v0",
    b"rust_eh_personality",
];

/// The personality routine that unwinders must call for a function; none if they need not know of it.
pub fn handler(module: &Module, head: &FunctionHead, code: &CompiledFunction) -> Option<SymbolId> {
    let personality = head.personality?;
    let is_described = head.unwind_table || !head.no_unwind;
    let is_needed = code.body.exceptions.has_landings() || !IDLE_WITHOUT_PADS.contains(&module.name(personality));
    (is_described && is_needed).then_some(personality)
}

/// A table before its addresses are filled in.
#[derive(Debug, Default)]
pub struct TableBytes {
    pub bytes: Vec<u8>,
    /// Where they name types: offset and symbol.
    pub types: Vec<(u32, SymbolId)>,
}

/// Neighboring calls that unwind alike.
#[derive(Clone, Copy, Debug)]
pub struct SiteRange {
    /// The first call, as index into the call sites.
    pub first: usize,
    pub last: usize,
    /// The landing pad, and its first action as the table says it; `None` if there is none.
    pub landing: Option<(Label, u32)>,
}

/// The parts of a table whose bytes do not depend on where code is.
#[derive(Debug, Default)]
pub struct TableParts {
    /// The ranges of calls, in order.
    pub ranges: Vec<SiteRange>,
    /// The bytes of the actions.
    pub actions: Vec<u8>,
    /// The bytes of the filters.
    pub filters: Vec<u8>,
    /// Whether there are types or filters, and so their end is named.
    pub has_types: bool,
}

impl TableParts {
    /// The parts of a function's table.
    pub fn of(table: &ExceptionTable) -> TableParts {
        let mut parts = TableParts {
            has_types: !table.types.is_empty() || !table.filters.is_empty(),
            ..TableParts::default()
        };
        let offsets = put_actions(table, &mut parts.actions);
        for (index, site) in table.call_sites.iter().enumerate() {
            let landing = site.landing.map(|Landing { label, action }| {
                let action = (action as usize).checked_sub(1).and_then(|action| offsets.get(action));
                (label, action.map_or(0, |offset| offset + 1))
            });
            match parts.ranges.last_mut() {
                Some(range) if range.landing == landing => range.last = index,
                _ => parts.ranges.push(SiteRange {
                    first: index,
                    last: index,
                    landing,
                }),
            }
        }
        for &number in &table.filters {
            put_unsigned(&mut parts.filters, number);
        }
        parts
    }
}

/// The table of a function.
pub fn encode(code: &CompiledFunction, encodings: Encodings) -> TableBytes {
    let table = &code.body.exceptions;
    let parts = TableParts::of(table);
    let mut sites = Vec::new();
    put_call_sites(code, &parts.ranges, &mut sites);
    let mut out = TableBytes::default();
    // Landing pads are counted from the function's start.
    out.bytes.push(OMITTED);
    out.bytes.push(encodings.types(&parts));
    let mut body = vec![LEB128];
    put_unsigned(&mut body, sites.len() as u32);
    body.extend_from_slice(&sites);
    body.extend_from_slice(&parts.actions);
    if !parts.has_types {
        out.bytes.extend_from_slice(&body);
        return out;
    }
    put_types_behind(&mut out, &body, table, usize::from(encodings.pointer_bytes));
    out.bytes.extend_from_slice(&parts.filters);
    out
}

/// Appends the distance to the end of the types, what stands before them, and types.
fn put_types_behind(out: &mut TableBytes, body: &[u8], table: &ExceptionTable, pointer_bytes: usize) {
    let types_bytes = table.types.len() * pointer_bytes;
    let start = out.bytes.len();
    // The distance contains filler that depends on the length of the distance's own number.
    let mut length = 1;
    let (distance, filler) = loop {
        let before_types = start + length + body.len();
        let filler = before_types.next_multiple_of(1 << TABLE_ALIGN_LOG2) - before_types;
        let distance = (body.len() + filler + types_bytes) as u32;
        if unsigned_bytes(distance) <= length {
            break (distance, filler);
        }
        length += 1;
    };
    put_padded(&mut out.bytes, distance, length);
    out.bytes.extend_from_slice(body);
    out.bytes.resize(out.bytes.len() + filler, 0);
    for symbol in table.types.iter().rev() {
        out.types.extend(symbol.map(|symbol| (out.bytes.len() as u32, symbol)));
        out.bytes.resize(out.bytes.len() + pointer_bytes, 0);
    }
}

/// Appends the actions, each with the distance to the next one; returns their offsets.
fn put_actions(table: &ExceptionTable, out: &mut Vec<u8>) -> Vec<u32> {
    let mut offsets: Vec<u32> = Vec::with_capacity(table.actions.len());
    for action in &table.actions {
        offsets.push(out.len() as u32);
        put_signed(out, action.selector);
        let next = (action.next as usize).checked_sub(1).and_then(|next| offsets.get(next));
        let distance = next.map_or(0, |&next| next.cast_signed() - out.len() as i32);
        put_signed(out, distance);
    }
    offsets
}

/// Appends the ranges of code, each with what its calls unwind to.
fn put_call_sites(code: &CompiledFunction, ranges: &[SiteRange], out: &mut Vec<u8>) {
    let (sites, prologue_bytes) = (&code.body.exceptions.call_sites, code.prologue.offset());
    for range in ranges {
        let (start, end) = (sites[range.first].start, sites[range.last].end);
        put_unsigned(out, prologue_bytes + start);
        put_unsigned(out, end - start);
        let (pad, action) = range.landing.map_or((0, 0), |(label, action)| {
            let pad = code.body.label_offset(label).expect("landing pads have been emitted");
            (prologue_bytes + pad, action)
        });
        put_unsigned(out, pad);
        put_unsigned(out, action);
    }
}

/// Appends an unsigned LEB128 number.
pub(crate) fn put_unsigned(out: &mut Vec<u8>, mut value: u32) {
    while value >= 0x80 {
        out.push(value as u8 | 0x80);
        value >>= 7;
    }
    out.push(value as u8);
}

/// Appends a signed LEB128 number.
pub(crate) fn put_signed(out: &mut Vec<u8>, mut value: i32) {
    while !(-0x40..0x40).contains(&value) {
        out.push(value as u8 | 0x80);
        value >>= 7;
    }
    out.push(value as u8 & 0x7f);
}

/// The length of an unsigned LEB128 number.
fn unsigned_bytes(value: u32) -> usize {
    (1 + value.checked_ilog2().unwrap_or(0) / 7) as usize
}

/// Appends an unsigned LEB128 number in so many bytes.
fn put_padded(out: &mut Vec<u8>, mut value: u32, bytes: usize) {
    for _ in 1..bytes {
        out.push(value as u8 | 0x80);
        value >>= 7;
    }
    out.push(value as u8);
}
