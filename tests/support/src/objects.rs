//! Two relocatable ELF files, section by section and symbol by symbol.
//!
//! [`facts`] describes all that a linker or a user of an object sees, as lines by the name of a section or symbol;
//! [`differences`] compares two such descriptions. What two assemblers may write differently without meaning anything
//! else is described alike: the order of sections, symbols and relocations, names of local symbols in relocations
//! (section and offset stand for them), and empty sections.
//!
//! Assemblers differ in more: LLVM's leaves distances within a section to relocations where GNU `as` stores them, and
//! writes unwind tables in another order. [`Strictness::Meaning`] describes the one alike and leaves out the other.
//!
//! Not described: symbols that stay in the object (`.L`), string tables, and what an assembler adds on its own account.

use object::elf::{self, FileHeader64};
use object::read::elf::{FileHeader, SectionHeader, SectionTable, Sym, SymbolTable};
use object::{Endianness, SymbolIndex};
use std::collections::BTreeMap;

type Elf = FileHeader64<Endianness>;
type Result<T> = std::result::Result<T, String>;

/// What must be equal: by name of a section or symbol, a description.
pub type Facts = BTreeMap<String, Vec<String>>;

/// Bytes in a line of contents.
const LINE_BYTES: usize = 16;

/// The section of unwind tables.
const FRAMES: &str = ".eh_frame";

/// What LLVM aligns code to at least.
const LEAST_CODE_ALIGN: u64 = 4;

/// Flags that say what the rest of the description does, or what only some assemblers say of relocations.
const UNTOLD_FLAGS: u64 = elf::SHF_INFO_LINK.0 | elf::SHF_GROUP.0;

/// What counts as a difference.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Strictness {
    /// All that GNU `as` does not decide.
    Bytes,
    /// All that no assembler of this architecture decides.
    Meaning,
}

/// Describes a relocatable object of 64 bits.
///
/// # Errors
/// When it is none.
pub fn facts(bytes: &[u8], strictness: Strictness) -> Result<Facts> {
    let object = Object::open(bytes, strictness)?;
    let mut facts = Facts::new();
    object.describe_sections(&mut facts)?;
    object.describe_symbols(&mut facts)?;
    Ok(facts)
}

/// What two descriptions have different, at most `most` lines, each with what the first says and the second.
pub fn differences(one: &Facts, other: &Facts, most: usize) -> Vec<String> {
    let mut found = Vec::new();
    let nothing = Vec::new();
    let more = other.keys().filter(|name| !one.contains_key(*name));
    for name in one.keys().chain(more) {
        let (left, right) = (one.get(name).unwrap_or(&nothing), other.get(name).unwrap_or(&nothing));
        for row in 0..left.len().max(right.len()) {
            let (left, right) = (left.get(row), right.get(row));
            if left != right {
                let said = |line: Option<&String>| line.map_or("nothing", String::as_str).to_owned();
                found.push(format!("{name}, line {row}: {} | {}", said(left), said(right)));
                // What follows in the same section is mostly a consequence.
                break;
            }
        }
        if found.len() >= most {
            break;
        }
    }
    found
}

/// One object, opened.
struct Object<'a> {
    bytes: &'a [u8],
    endian: Endianness,
    sections: SectionTable<'a, Elf>,
    symbols: SymbolTable<'a, Elf>,
    /// By section, how it is called here.
    names: Vec<String>,
    strictness: Strictness,
}

impl<'a> Object<'a> {
    fn open(bytes: &'a [u8], strictness: Strictness) -> Result<Object<'a>> {
        let header = Elf::parse(bytes).map_err(text)?;
        let endian = header.endian().map_err(text)?;
        let sections = header.sections(endian, bytes).map_err(text)?;
        let symbols = sections.symbols(endian, bytes, elf::SHT_SYMTAB).map_err(text)?;
        let mut object = Object {
            bytes,
            endian,
            sections,
            symbols,
            names: Vec::new(),
            strictness,
        };
        object.names = object.name_sections()?;
        Ok(object)
    }

    /// The names of all sections. Sections of one name are told apart by their groups, flags and order.
    fn name_sections(&self) -> Result<Vec<String>> {
        let groups = self.groups()?;
        let mut seen = BTreeMap::new();
        let mut names = Vec::new();
        for (index, section) in self.sections.iter().enumerate() {
            let name = self.sections.section_name(self.endian, section).map_err(text)?;
            let mut name = self.name(name);
            if let Some(group) = groups.get(&index) {
                name = format!("{name} of group {group}");
            }
            if self.is_described(section) {
                let count: &mut u32 = seen.entry(name.clone()).or_default();
                *count += 1;
                if *count > 1 {
                    name = format!("{name}, number {count}");
                }
            }
            names.push(name);
        }
        Ok(names)
    }

    /// The signatures of groups, by the sections that are in them.
    fn groups(&self) -> Result<BTreeMap<usize, String>> {
        let mut groups = BTreeMap::new();
        for section in self.sections.iter() {
            if let Some((flag, members)) = section.group(self.endian, self.bytes).map_err(text)? {
                let index = SymbolIndex(section.sh_info.get(self.endian) as usize);
                let signature = self.symbols.symbol(index).map_err(text)?;
                let mut name = self.symbol_name(signature)?;
                if flag.0 & elf::GRP_COMDAT.0 != 0 {
                    name.push_str(" (comdat)");
                }
                for member in members {
                    groups.insert(member.get(self.endian) as usize, name.clone());
                }
            }
        }
        Ok(groups)
    }

    fn symbol_name(&self, symbol: &elf::Sym64<Endianness>) -> Result<String> {
        let name = self.symbols.symbol_name(self.endian, symbol).map_err(text)?;
        Ok(self.name(name))
    }

    fn name(&self, name: &[u8]) -> String {
        let name = String::from_utf8_lossy(name);
        match self.strictness {
            Strictness::Bytes => name.into_owned(),
            // LLVM keeps what quotes are marked with.
            Strictness::Meaning => name.replace("\\\"", "\""),
        }
    }

    /// Whether a section is contents that someone reads.
    fn is_described(&self, section: &elf::SectionHeader64<Endianness>) -> bool {
        let ty = section.sh_type(self.endian);
        let is_frame_of_file = matches!(
            ty,
            elf::SHT_NULL | elf::SHT_SYMTAB | elf::SHT_STRTAB | elf::SHT_RELA | elf::SHT_REL | elf::SHT_GROUP
        );
        !is_frame_of_file && section.sh_size(self.endian) > 0
    }

    /// Where a symbol is: section and offset for local ones, the name for others.
    fn place(&self, index: SymbolIndex, addend: i64) -> Result<String> {
        let symbol = self.symbols.symbol(index).map_err(text)?;
        let section = self.symbols.symbol_section(self.endian, symbol, index).map_err(text)?;
        match section {
            Some(section) if symbol.st_bind() == elf::STB_LOCAL && symbol.st_type() != elf::STT_TLS => {
                let offset = symbol.st_value(self.endian).wrapping_add_signed(addend);
                Ok(format!("{}+{offset:#x}", self.names[section.0]))
            }
            _ => Ok(format!("{}{addend:+}", self.symbol_name(symbol)?)),
        }
    }

    /// Flags, contents and relocations of all sections with contents.
    fn describe_sections(&self, facts: &mut Facts) -> Result<()> {
        let endian = self.endian;
        let mut contents = Vec::new();
        for section in self.sections.iter() {
            contents.push(section.data(endian, self.bytes).map_err(text)?.to_vec());
        }
        for section in self.sections.iter() {
            if let Some((relocations, _)) = section.rela(endian, self.bytes).map_err(text)? {
                let target = section.info_link(endian).0;
                let mut lines = Vec::new();
                for relocation in relocations {
                    lines.extend(self.describe_relocation(relocation, target, &mut contents[target])?);
                }
                lines.sort();
                if self.strictness == Strictness::Meaning && self.names[target] == FRAMES {
                    continue;
                }
                if !lines.is_empty() {
                    facts.insert(format!("relocations of {}", self.names[target]), lines);
                }
            }
        }
        for (index, section) in self.sections.iter().enumerate() {
            // LLVM orders the entries otherwise.
            let is_left_out = self.strictness == Strictness::Meaning && self.names[index] == FRAMES;
            if self.is_described(section) && !is_left_out {
                let lines = facts.entry(format!("section {}", self.names[index])).or_default();
                lines.push(self.attributes(section));
                let rows = contents[index].chunks(LINE_BYTES).enumerate();
                lines.extend(rows.map(|(row, bytes)| format!("{row:06x}0: {bytes:02x?}")));
            }
        }
        Ok(())
    }

    /// A line on a relocation of section `target`; none if it is carried out in its contents.
    fn describe_relocation(
        &self,
        relocation: &elf::Rela64<Endianness>,
        target: usize,
        contents: &mut [u8],
    ) -> Result<Option<String>> {
        let endian = self.endian;
        let index = SymbolIndex(relocation.r_sym(endian, false) as usize);
        let (offset, addend) = (relocation.r_offset.get(endian), relocation.r_addend.get(endian));
        let place = self.place(index, addend)?;
        let mut kind = relocation.r_type(endian, false);
        // For a local function both mean the distance; GNU `as` prefers the other.
        if kind == elf::R_X86_64_PLT32 && place.contains("+0x") {
            kind = elf::R_X86_64_PC32;
        }
        if self.strictness == Strictness::Meaning && kind == elf::R_X86_64_PC32 {
            let symbol = self.symbols.symbol(index).map_err(text)?;
            let section = self.symbols.symbol_section(endian, symbol, index).map_err(text)?;
            let is_within = section.is_some_and(|section| section.0 == target);
            if is_within && symbol.st_bind() == elf::STB_LOCAL {
                let value = symbol.st_value(endian).wrapping_add_signed(addend).wrapping_sub(offset);
                let field = contents
                    .get_mut(offset as usize..)
                    .and_then(|field| field.first_chunk_mut());
                *field.ok_or("a relocation outside of its section")? = (value as u32).to_le_bytes();
                return Ok(None);
            }
        }
        Ok(Some(format!("{offset:#08x}: {} {place}", kind.0)))
    }

    fn attributes(&self, section: &elf::SectionHeader64<Endianness>) -> String {
        let endian = self.endian;
        let flags = section.sh_flags(endian).0;
        let mut align = section.sh_addralign(endian);
        if self.strictness == Strictness::Meaning && flags & elf::SHF_EXECINSTR.0 != 0 {
            align = align.max(LEAST_CODE_ALIGN);
        }
        let entry_bytes = match flags & elf::SHF_MERGE.0 {
            // Only there it means something.
            0 => 0,
            _ => section.sh_entsize.get(endian),
        };
        let mut line = format!(
            "type {:#x} flags {:#x} size {:#x} align {align} entries of {entry_bytes}",
            section.sh_type(endian).0,
            flags & !UNTOLD_FLAGS,
            section.sh_size(endian),
        );
        if flags & elf::SHF_LINK_ORDER.0 != 0 {
            let link = section.sh_link.get(endian) as usize;
            line.push_str(&format!(" with {}", self.names.get(link).map_or("", String::as_str)));
        }
        line
    }

    /// Symbols that other objects or users see; `as` adds one of its own for code that uses the global offset table.
    fn describe_symbols(&self, facts: &mut Facts) -> Result<()> {
        for (index, symbol) in self.symbols.enumerate() {
            let name = self.symbol_name(symbol)?;
            let own = name.is_empty() || name.starts_with(".L") || name == "_GLOBAL_OFFSET_TABLE_";
            if own || symbol.st_type() == elf::STT_SECTION {
                continue;
            }
            let section = self.symbols.symbol_section(self.endian, symbol, index).map_err(text)?;
            let place = match section {
                Some(section) if self.is_described(self.sections.section(section).map_err(text)?) => {
                    self.names[section.0].clone()
                }
                Some(section) => {
                    let section = self.sections.section(section).map_err(text)?;
                    let name = self.sections.section_name(self.endian, section).map_err(text)?;
                    format!("empty {}", String::from_utf8_lossy(name))
                }
                None => format!("number {}", symbol.st_shndx(self.endian).0),
            };
            let lines = facts.entry(format!("symbol {name}")).or_default();
            lines.push(format!(
                "bind {} type {} visibility {} size {} at {place}+{:#x}",
                symbol.st_bind().0,
                symbol.st_type().0,
                symbol.st_visibility().0,
                symbol.st_size(self.endian),
                symbol.st_value(self.endian),
            ));
            // There may be several local ones.
            lines.sort();
        }
        Ok(())
    }
}

fn text(error: object::read::Error) -> String {
    error.to_string()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Folder, run};
    use std::process::Command;

    const TEXT: &str = "
        .text
        .p2align 4
        .globl f
        .type f,@function
    f:  call g@PLT
        leaq .Ltable(%rip), %rax
        leaq variable(%rip), %rcx
        ret
        .size f, .-f
        .type local,@function
    local: nop
        ret
        .section .rodata.f,\"aG\",@progbits,f,comdat
        .p2align 2
    .Ltable: .long local-.Ltable, 7
        .data
        .hidden variable
        .globl variable
    variable: .quad f+3
    ";

    fn facts_of(text: &str) -> Facts {
        let folder = Folder::new("objects");
        let (source, object) = (folder.write("in.s", text), folder.path("out.o"));
        run(Command::new("as").arg(source).arg("-o").arg(&object));
        facts(&std::fs::read(object).unwrap(), Strictness::Bytes).unwrap()
    }

    fn found(change: (&str, &str)) -> Vec<String> {
        assert!(TEXT.contains(change.0), "{change:?} changes nothing");
        differences(&facts_of(TEXT), &facts_of(&TEXT.replace(change.0, change.1)), 10)
    }

    #[test]
    fn the_same_text_has_no_differences() {
        assert_eq!(found(("ret", "ret")), [""; 0]);
        assert_eq!(found((".Ltable", ".Lother")), [""; 0], "symbols that stay inside");
    }

    #[test]
    fn each_injected_difference_is_found() {
        let changes = [
            ("nop", "cld", "section .text,"),
            (".p2align 4", ".p2align 5", "section .text,"),
            ("@progbits,f,comdat", "@progbits,f", "group f (comdat)"),
            ("\"aG\"", "\"awG\"", "section .rodata.f"),
            (".rodata.f", ".rodata.h", ".rodata.h"),
            ("local-.Ltable, 7", "local-.Ltable, 8", "section .rodata.f"),
            ("local-.Ltable, 7", "local-.Ltable+1, 7", "relocations of .rodata.f"),
            ("f+3", "f+4", "relocations of .data"),
            ("call g@PLT", "call h@PLT", "relocations of .text"),
            ("leaq variable", "leaq f", "relocations of .text"),
            (".globl f", ".weak f", "symbol f"),
            (".type f,@function", ".type f,@object", "symbol f"),
            (".size f, .-f", ".size f, .-f-1", "symbol f"),
            (".hidden variable", ".protected variable", "symbol variable"),
            ("variable: .quad", ".quad 0\nvariable: .quad", "symbol variable"),
        ];
        for (from, to, named) in changes {
            let found = found((from, to));
            assert!(
                found.iter().any(|line| line.contains(named)),
                "{from} -> {to}: {found:?}"
            );
        }
    }
}
