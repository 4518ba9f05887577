//! Reads the exception tables of an object file, knowing nothing of how they were made.
//!
//! Format: the Linux Standard Base, "Exception Frames", and the Itanium C++ ABI's exception handling tables as GCC
//! documents them in `libsupc++/eh_personality.cc`.

use object::read::elf::ElfFile64;
use object::{Endianness, Object, ObjectSection, ObjectSymbol, RelocationTarget, SectionIndex};
use std::collections::{BTreeMap, BTreeSet};

/// The bytes of a section and its relocations by offset: what they name, and the addend.
struct Contents {
    bytes: Vec<u8>,
    relocations: BTreeMap<u64, (Named, i64)>,
}

/// What a relocation names.
#[derive(Clone, Debug, PartialEq, Eq)]
enum Named {
    Symbol(String),
    Section(SectionIndex, u64),
}

/// A call as unwinders see it: the function, what it calls, and what is tried when it throws.
pub type Call = (String, String, String);

/// What unwinders know of an object.
#[derive(Debug, Default)]
pub struct Tables {
    /// Calls that unwind to a landing pad.
    pub caught: BTreeSet<Call>,
    /// Calls that a table lets through.
    pub passed: BTreeSet<(String, String)>,
    /// Calls in functions with a table that have no entry in it.
    pub missing: BTreeSet<(String, String)>,
    /// Functions with a table, and their personality routines.
    pub functions: BTreeMap<String, String>,
}

struct Reader<'a> {
    file: ElfFile64<'a, Endianness>,
    sections: BTreeMap<usize, Contents>,
}

/// Reads an object.
pub fn read(object: &[u8]) -> Tables {
    let file = ElfFile64::<Endianness>::parse(object).expect("an object");
    let mut reader = Reader {
        file,
        sections: BTreeMap::new(),
    };
    reader.collect();
    reader.tables()
}

impl Reader<'_> {
    fn collect(&mut self) {
        for section in self.file.sections() {
            let mut relocations = BTreeMap::new();
            for (offset, relocation) in section.relocations() {
                let RelocationTarget::Symbol(index) = relocation.target() else {
                    continue;
                };
                let symbol = self.file.symbol_by_index(index).expect("a symbol");
                let name = symbol.name().unwrap_or("");
                let named = match symbol.section_index() {
                    Some(section) if symbol.is_local() => Named::Section(section, symbol.address()),
                    _ => Named::Symbol(name.to_owned()),
                };
                relocations.insert(offset, (named, relocation.addend()));
            }
            let bytes = section.data().unwrap_or_default().to_vec();
            self.sections.insert(section.index().0, Contents { bytes, relocations });
        }
    }

    fn contents(&self, section: SectionIndex) -> &Contents {
        &self.sections[&section.0]
    }

    /// The function that stands at a place, with its size.
    fn function_at(&self, section: SectionIndex, offset: u64) -> Option<(String, u64)> {
        let mut symbols = self.file.symbols();
        let found = symbols.find(|symbol| {
            symbol.section_index() == Some(section)
                && symbol.address() == offset
                && symbol.kind() == object::SymbolKind::Text
        })?;
        Some((found.name().ok()?.to_owned(), found.size()))
    }

    /// The section and offset of a symbol or place.
    fn place(&self, named: &Named, addend: i64) -> Option<(SectionIndex, u64)> {
        match named {
            Named::Section(section, offset) => Some((*section, offset.wrapping_add_signed(addend))),
            Named::Symbol(name) => {
                let symbol = self.file.symbol_by_name(name)?;
                Some((symbol.section_index()?, symbol.address().wrapping_add_signed(addend)))
            }
        }
    }

    fn tables(&self) -> Tables {
        let frames = self.file.section_by_name(".eh_frame").expect("frames are described");
        let frames = self.contents(frames.index());
        let mut tables = Tables::default();
        let mut at = 0;
        while at + 4 <= frames.bytes.len() {
            let length = u32_at(&frames.bytes, at) as usize;
            if length == 0 {
                break;
            }
            let common = u32_at(&frames.bytes, at + 4) as usize;
            if common != 0 {
                self.function(frames, at, at + 4 - common, &mut tables);
            }
            at += 4 + length;
        }
        tables
    }

    /// Reads the entry of a function at `at`, with its common entry.
    fn function(&self, frames: &Contents, at: usize, common: usize, tables: &mut Tables) {
        if !frames.bytes[common + 9..].starts_with(b"zPLR\0") {
            return;
        }
        // After the augmentation: alignments of one byte each, register, length, encoding.
        let personality_field = common + 9 + 5 + 3 + 2;
        let pointer = &frames.relocations[&(personality_field as u64)];
        let personality = match &pointer.0 {
            Named::Symbol(name) => name.trim_start_matches("DW.ref.").to_owned(),
            other => format!("{other:?}"),
        };
        let (named, addend) = &frames.relocations[&(at as u64 + 8)];
        let (section, start) = self.place(named, *addend).expect("functions are in the object");
        let (name, size) = self.function_at(section, start).expect("functions have symbols");
        assert_eq!(u64::from(u32_at(&frames.bytes, at + 12)), size, "{name}");
        assert_eq!(frames.bytes[at + 16], 4, "{name}");
        let (table, addend) = &frames.relocations[&(at as u64 + 17)];
        let (table_section, table_start) = self.place(table, *addend).expect("tables are in the object");
        assert_eq!(table_start % 4, 0, "{name}");
        let table = Table::read(self, self.contents(table_section), table_start as usize);
        tables.functions.insert(name.clone(), personality);
        let code = self.contents(section);
        for (&field, (callee, addend)) in code.relocations.range(start..start + size) {
            if code.bytes[field as usize - 1] != 0xe8 {
                continue;
            }
            let callee = match callee {
                Named::Symbol(name) => name.clone(),
                Named::Section(..) => {
                    let place = self.place(callee, *addend + 4).expect("a local function");
                    self.function_at(place.0, place.1)
                        .map_or("?".to_owned(), |found| found.0)
                }
            };
            match table.find(field + 3 - start) {
                None => drop(tables.missing.insert((name.clone(), callee))),
                Some(None) => drop(tables.passed.insert((name.clone(), callee))),
                Some(Some(tried)) => drop(tables.caught.insert((name.clone(), callee, tried))),
            }
        }
    }
}

/// The table of a function: ranges of code, with what is tried, or `None` if there is no landing pad.
struct Table {
    ranges: Vec<(u64, u64, Option<String>)>,
}

impl Table {
    fn read(reader: &Reader<'_>, contents: &Contents, start: usize) -> Table {
        let bytes = &contents.bytes;
        assert_eq!(bytes[start], 0xff, "landing pads are counted from the function");
        let mut at = start + 2;
        let has_types = bytes[start + 1] != 0xff;
        let mut types_end = 0;
        if has_types {
            let distance = unsigned(bytes, &mut at);
            types_end = at + distance as usize;
        }
        assert_eq!(bytes[at], 1, "call sites are in LEB128");
        at += 1;
        let length = unsigned(bytes, &mut at) as usize;
        let actions = at + length;
        let mut ranges: Vec<(u64, u64, Option<String>)> = Vec::new();
        while at < actions {
            let from = unsigned(bytes, &mut at);
            let length = unsigned(bytes, &mut at);
            let pad = unsigned(bytes, &mut at);
            let action = unsigned(bytes, &mut at);
            assert!(ranges.last().is_none_or(|last| last.1 <= from), "ranges ascend");
            let tried = (pad != 0).then(|| match action {
                0 => "cleanup".to_owned(),
                _ => chain(reader, contents, actions + action as usize - 1, types_end),
            });
            ranges.push((from, from + length, tried));
        }
        Table { ranges }
    }

    /// What is tried for an address; nothing if there is no entry.
    fn find(&self, offset: u64) -> Option<Option<String>> {
        let found = self.ranges.iter().find(|range| (range.0..range.1).contains(&offset))?;
        Some(found.2.clone())
    }
}

/// A chain of actions as text.
fn chain(reader: &Reader<'_>, contents: &Contents, mut at: usize, types_end: usize) -> String {
    let mut text = Vec::new();
    loop {
        let selector = signed(&contents.bytes, &mut at);
        text.push(match selector {
            0 => "cleanup".to_owned(),
            1.. => format!(
                "catch {}",
                type_name(reader, contents, types_end - 4 * selector as usize)
            ),
            _ => {
                let mut list = types_end + (-1 - selector) as usize;
                let mut names = Vec::new();
                loop {
                    match unsigned(&contents.bytes, &mut list) {
                        0 => break,
                        number => names.push(type_name(reader, contents, types_end - 4 * number as usize)),
                    }
                }
                format!("filter {names:?}")
            }
        });
        let field = at;
        match signed(&contents.bytes, &mut at) {
            0 => return text.join(", "),
            distance => at = field.wrapping_add_signed(distance as isize),
        }
    }
}

/// The type that an entry names, through a pointer in data or at once.
fn type_name(reader: &Reader<'_>, contents: &Contents, field: usize) -> String {
    let Some((named, addend)) = contents.relocations.get(&(field as u64)) else {
        assert_eq!(u32_at(&contents.bytes, field), 0);
        return "anything".to_owned();
    };
    let pointer = match named {
        Named::Section(section, offset) => (*section, offset.wrapping_add_signed(*addend)),
        Named::Symbol(name) => return name.clone(),
    };
    match reader.contents(pointer.0).relocations.get(&pointer.1) {
        Some((Named::Symbol(name), 0)) => name.clone(),
        other => format!("{other:?}"),
    }
}

fn u32_at(bytes: &[u8], at: usize) -> u32 {
    u32::from_le_bytes(bytes[at..at + 4].try_into().expect("four bytes"))
}

fn unsigned(bytes: &[u8], at: &mut usize) -> u64 {
    let (mut value, mut shift) = (0, 0);
    loop {
        let byte = bytes[*at];
        *at += 1;
        value |= u64::from(byte & 0x7f) << shift;
        shift += 7;
        if byte & 0x80 == 0 {
            return value;
        }
    }
}

fn signed(bytes: &[u8], at: &mut usize) -> i64 {
    let start = *at;
    let value = unsigned(bytes, at);
    let bits = 7 * (*at - start);
    (value << (64 - bits)).cast_signed() >> (64 - bits)
}
