//! Assembly text and object of a module are the same: GNU `as` makes the same sections, relocations and symbols of
//! the text.

use crate::{SAMPLE, in_repository};
use frazil::{Emit, Options, RelocationModel};
use frazil_test_support::Folder;
use object::elf::{self, FileHeader64};
use object::read::elf::{FileHeader, SectionHeader, SectionTable, Sym, SymbolTable};
use object::{Endianness, SymbolIndex};
use std::collections::BTreeMap;
use std::path::Path;
use std::process::Command;

type Elf = FileHeader64<Endianness>;

/// What must be equal: by name of a section or symbol, a description.
type Facts = BTreeMap<String, Vec<String>>;

/// One object, opened.
struct Object<'a> {
    bytes: &'a [u8],
    endian: Endianness,
    sections: SectionTable<'a, Elf>,
    symbols: SymbolTable<'a, Elf>,
}

impl<'a> Object<'a> {
    fn open(bytes: &'a [u8]) -> Object<'a> {
        let header = Elf::parse(bytes).expect("an ELF header");
        let endian = header.endian().expect("an endianness");
        let sections = header.sections(endian, bytes).expect("sections");
        let symbols = sections.symbols(endian, bytes, elf::SHT_SYMTAB).expect("symbols");
        Object {
            bytes,
            endian,
            sections,
            symbols,
        }
    }

    fn section_name(&self, section: &elf::SectionHeader64<Endianness>) -> String {
        String::from_utf8_lossy(self.sections.section_name(self.endian, section).expect("a name")).into_owned()
    }

    /// Where a symbol is: section and offset for local ones, the name for others.
    fn place(&self, index: SymbolIndex, addend: i64) -> String {
        let symbol = self.symbols.symbol(index).expect("in the table");
        let name = String::from_utf8_lossy(self.symbols.symbol_name(self.endian, symbol).expect("a name"));
        let section = self.symbols.symbol_section(self.endian, symbol, index).expect("valid");
        match section {
            Some(section) if symbol.st_bind() == elf::STB_LOCAL => {
                let section = self.sections.section(section).expect("in the table");
                let offset = symbol.st_value(self.endian).wrapping_add_signed(addend);
                format!("{}+{:#x}", self.section_name(section), offset)
            }
            _ => format!("{name}{addend:+}"),
        }
    }

    /// Contents and relocations of the sections that are loaded.
    fn sections(&self) -> Facts {
        let mut facts = Facts::new();
        for section in self.sections.iter() {
            let flags = section.sh_flags(self.endian);
            if let Some((relocations, _)) = section.rela(self.endian, self.bytes).expect("valid") {
                let target = self
                    .sections
                    .section(section.info_link(self.endian))
                    .expect("in the table");
                let lines = facts
                    .entry(format!("relocations of {}", self.section_name(target)))
                    .or_default();
                for relocation in relocations {
                    let symbol = SymbolIndex(relocation.r_sym(self.endian, false) as usize);
                    let place = self.place(symbol, relocation.r_addend.get(self.endian));
                    let kind = match relocation.r_type(self.endian, false) {
                        // For a local function both mean the distance; `as` prefers the other.
                        elf::R_X86_64_PLT32 if place.contains("+0x") => elf::R_X86_64_PC32.0,
                        kind => kind.0,
                    };
                    lines.push(format!("{:#08x}: {kind} {place}", relocation.r_offset.get(self.endian)));
                }
                lines.sort();
            } else if flags.0 & elf::SHF_ALLOC.0 != 0 && section.sh_size(self.endian) > 0 {
                let name = self.section_name(section);
                let lines = facts.entry(format!("section {name}")).or_default();
                let (size, align) = (section.sh_size(self.endian), section.sh_addralign(self.endian));
                lines.push(format!("flags {:#x} size {size:#x} align {align}", flags.0));
                let data = section.data(self.endian, self.bytes).expect("inside the file");
                lines.extend(
                    data.chunks(16)
                        .enumerate()
                        .map(|(row, bytes)| format!("{row:06x}0: {bytes:02x?}")),
                );
            }
        }
        facts
    }

    /// Symbols that other objects or users see; `as` adds one of its own for code that uses the global offset table.
    fn symbols(&self) -> Facts {
        let mut facts = Facts::new();
        for (index, symbol) in self.symbols.enumerate() {
            let name = String::from_utf8_lossy(self.symbols.symbol_name(self.endian, symbol).expect("a name"));
            let own = name.is_empty() || name.starts_with(".L") || name == "_GLOBAL_OFFSET_TABLE_";
            if own || symbol.st_type() == elf::STT_SECTION {
                continue;
            }
            let section = self.symbols.symbol_section(self.endian, symbol, index).expect("valid");
            let section = section.map(|section| self.section_name(self.sections.section(section).expect("there")));
            facts.entry(format!("symbol {name}")).or_default().push(format!(
                "bind {} type {} visibility {} size {} at {}+{:#x}",
                symbol.st_bind().0,
                symbol.st_type().0,
                symbol.st_visibility().0,
                symbol.st_size(self.endian),
                section.unwrap_or_default(),
                symbol.st_value(self.endian),
            ));
        }
        facts
    }
}

#[track_caller]
fn compare(input: &Path, ours: &Facts, theirs: &Facts) {
    for (name, lines) in ours {
        let empty = Vec::new();
        let other = theirs.get(name).unwrap_or(&empty);
        for row in 0..lines.len().max(other.len()) {
            let (one, two) = (lines.get(row), other.get(row));
            assert_eq!(
                one,
                two,
                "{}: {name}, line {row}: the object (left) differs from the text",
                input.display()
            );
        }
    }
    let extra: Vec<_> = theirs.keys().filter(|name| !ours.contains_key(*name)).collect();
    assert!(
        extra.is_empty(),
        "{}: only in the assembled text: {extra:?}",
        input.display()
    );
}

fn check(input: &Path, options: &Options) {
    let bitcode = std::fs::read(input).expect("the sample can be read");
    let with = |emit| {
        frazil::compile(
            &bitcode,
            &Options {
                emit,
                ..options.clone()
            },
        )
        .expect("it compiles")
    };
    let folder = Folder::new("asm");
    let (text, assembled) = (folder.write("in.s", with(Emit::Asm)), folder.path("out.o"));
    let status = Command::new("as")
        .arg(&text)
        .arg("-o")
        .arg(&assembled)
        .status()
        .expect("GNU as runs");
    assert!(status.success(), "as refuses the text of {}", input.display());
    let (ours, theirs) = (with(Emit::Obj), std::fs::read(&assembled).expect("readable"));
    let (ours, theirs) = (Object::open(&ours), Object::open(&theirs));
    compare(input, &ours.sections(), &theirs.sections());
    compare(input, &ours.symbols(), &theirs.symbols());
}

#[test]
fn the_text_of_the_sample_assembles_to_its_object() {
    check(Path::new(SAMPLE), &Options::default());
}

#[test]
fn all_kinds_of_symbols_assemble_to_the_same() {
    let options = Options {
        relocation_model: Some(RelocationModel::Pic),
        ..Options::default()
    };
    check(&in_repository("tests/modules/objects.bc"), &options);
}

#[test]
fn exception_tables_assemble_to_the_same() {
    check(&in_repository("tests/exceptions/shapes-O0.bc"), &Options::default());
}

#[test]
fn sections_and_static_code_assemble_to_the_same_too() {
    let options = Options {
        relocation_model: Some(RelocationModel::Static),
        function_sections: true,
        data_sections: true,
        ..Options::default()
    };
    check(&in_repository("tests/modules/objects.bc"), &options);
}
