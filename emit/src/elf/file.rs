//! The file: order of sections, headers, and writing from front to back.
//!
//! Order in the section table: groups (they must come before their members), then each section followed by its
//! relocations, then the symbol table, its extended section numbers if there are very many sections, and the names.
//! In the file the contents stand in the same order, the section table last.

use super::contents::SectionContents;
use super::headers::{Body, Headers};
use super::resolve::section_and_addend;
use super::strings::Strings;
use super::symtab::SymbolTable;
use super::{Location, ObjectBuilder, PendingRelocation};
use crate::error::EmitError;
use crate::format::os_abi;
use crate::section::{SectionDesc, SectionId};
use frazil_ir::{EntityRef, SymbolId};
use object::Endianness;
use object::elf::{self, FileFlags, Machine, RelocationType};
use object::write::WritableBuffer;
use object::write::elf::{Encoder, FileHeader, FileHeaderLayout, Rel, SectionHeader, Sym};
use std::io::Write;

/// No section begins at a multiple of more in the file: what is aligned further is so in memory.
const MOST_OFFSET_ALIGNMENT: u64 = 1 << 16;

/// Everything that is needed to write.
struct ElfFile<'b, 'a> {
    builder: &'b ObjectBuilder<'a>,
    encoder: Encoder<Endianness>,
    headers: Headers,
    symbols: SymbolTable,
    strings: Strings,
}

/// Writes a finished object.
pub(super) fn write(
    builder: &ObjectBuilder<'_>,
    named_sections: &[bool],
    out: &mut dyn Write,
) -> Result<(), EmitError> {
    let elf_desc = &builder.target.elf;
    let endian = if elf_desc.little_endian {
        Endianness::Little
    } else {
        Endianness::Big
    };
    let mut headers = Headers::new(builder);
    if headers.bodies.len() + 1 >= usize::from(elf::SHN_LORESERVE) {
        headers.bodies.push(Body::ExtendedIndexes);
    }
    headers.bodies.push(Body::Strings);
    let mut strings = Strings::new(builder, &headers)?;
    let symbols = SymbolTable::new(builder, &headers, named_sections, &mut strings)?;
    let plan = ElfFile {
        builder,
        encoder: Encoder::new(endian, elf_desc.is_64, Machine(elf_desc.machine)),
        headers,
        symbols,
        strings,
    };
    plan.write(out)
}

impl ElfFile<'_, '_> {
    fn write(&self, out: &mut dyn Write) -> Result<(), EmitError> {
        let (headers, table_offset) = self.lay_out()?;
        let mut scratch = Vec::new();
        self.encode_file_header(&mut scratch, table_offset)?;
        out.write_all(&scratch)?;
        let mut position = scratch.len() as u64;
        for (header, &body) in headers.iter().zip(&self.headers.bodies) {
            write_zeros(out, header.sh_offset - position)?;
            let size = if header.sh_type == elf::SHT_NOBITS {
                0
            } else {
                header.sh_size
            };
            position = header.sh_offset + size;
            scratch.clear();
            out.write_all(self.contents(body, &mut scratch))?;
        }
        write_zeros(out, table_offset - position)?;
        scratch.clear();
        self.encoder
            .null_section_header(&mut scratch, &self.layout(table_offset));
        for header in &headers {
            self.encoder.section_header(&mut scratch, header);
        }
        out.write_all(&scratch)?;
        Ok(())
    }

    /// Fills in every section header and says where the section table stands.
    fn lay_out(&self) -> Result<(Vec<SectionHeader>, u64), EmitError> {
        let mut offset = self.encoder.file_header_size();
        let mut headers = Vec::with_capacity(self.headers.bodies.len());
        for (&body, &name) in self.headers.bodies.iter().zip(&self.strings.of_headers) {
            let mut header = self.header(body);
            header.sh_name = name;
            header.sh_offset = offset.next_multiple_of(header.sh_addralign.clamp(1, MOST_OFFSET_ALIGNMENT));
            offset = header.sh_offset
                + if header.sh_type == elf::SHT_NOBITS {
                    0
                } else {
                    header.sh_size
                };
            headers.push(header);
        }
        if !self.encoder.is_64() && offset > u64::from(u32::MAX) {
            return Err(EmitError::too_large("an object of more than 4 GiB"));
        }
        Ok((headers, offset.next_multiple_of(self.encoder.address_size())))
    }

    fn layout(&self, table_offset: u64) -> FileHeaderLayout {
        FileHeaderLayout {
            e_shoff: table_offset,
            section_num: self.headers.bodies.len() as u32 + 1,
            shstrtab_index: self.headers.bodies.len() as u32,
            ..FileHeaderLayout::default()
        }
    }

    fn encode_file_header(&self, out: &mut Vec<u8>, table_offset: u64) -> Result<(), EmitError> {
        let retains = |desc: &SectionDesc| desc.has(elf::SHF_GNU_RETAIN);
        let gnu = self.symbols.needs_gnu_abi || self.builder.placement.sections.iter().any(|(_, desc)| retains(desc));
        let of_gnu = if gnu { elf::ELFOSABI_GNU } else { elf::ELFOSABI_NONE };
        let module = self.builder.module;
        let header = FileHeader {
            os_abi: os_abi(module.strings.bytes(module.triple)).unwrap_or(of_gnu),
            abi_version: 0,
            e_type: elf::ET_REL,
            e_machine: Machine(self.builder.target.elf.machine),
            e_entry: 0,
            e_flags: FileFlags(self.builder.target.elf.flags),
        };
        let result = self.encoder.file_header(out, &header, &self.layout(table_offset));
        result.map_err(|error| EmitError::too_large(error.to_string()))
    }

    /// A header with everything but name and offset.
    fn header(&self, body: Body) -> SectionHeader {
        match body {
            Body::Group(group) => SectionHeader {
                sh_size: 4 + 4 * self.headers.members(group).len() as u64,
                sh_link: self.headers.symbols,
                sh_info: self.symbols.signature(group),
                ..self.encoder.comdat_section_header()
            },
            Body::Section(section) => self.content_header(section),
            Body::Relocations(section) => {
                let header = self.encoder.relocation_section_header(self.has_addends());
                SectionHeader {
                    sh_flags: header.sh_flags | self.group_flag(section),
                    sh_size: self.section(section).1.relocations.len() as u64 * header.sh_entsize,
                    sh_link: self.headers.symbols,
                    sh_info: self.headers.indexes[section.index()],
                    ..header
                }
            }
            Body::Symbols => {
                let strings = self.headers.bodies.len() as u32;
                SectionHeader {
                    sh_size: self.symbols.symbols.len() as u64 * self.encoder.sym_size(),
                    ..self.encoder.symtab_section_header(strings, self.symbols.local_count)
                }
            }
            Body::ExtendedIndexes => SectionHeader {
                sh_size: self.symbols.symbols.len() as u64 * 4,
                ..self.encoder.symtab_shndx_section_header(self.headers.symbols)
            },
            Body::Strings => SectionHeader {
                sh_size: self.strings.bytes.len() as u64,
                ..self.encoder.strtab_section_header()
            },
        }
    }

    fn content_header(&self, section: SectionId) -> SectionHeader {
        let (desc, contents) = self.section(section);
        SectionHeader {
            sh_type: desc.ty,
            sh_flags: desc.flags | self.group_flag(section),
            sh_size: contents.size(desc),
            sh_addralign: 1u64 << contents.align_log2.min(63),
            sh_entsize: desc.entry_bytes,
            sh_link: desc.associated.map_or(0, |symbol| self.section_of(symbol)),
            ..SectionHeader::default()
        }
    }

    /// The header number of the section that a symbol is in; 0 if it is not in the object.
    #[cold]
    fn section_of(&self, symbol: SymbolId) -> u32 {
        match self.builder.states[symbol.index()].location {
            Location::At(section, _) => self.headers.section_index(section).unwrap_or(0),
            _ => 0,
        }
    }

    /// Whether relocations have addends beside them.
    fn has_addends(&self) -> bool {
        !self.builder.target.elf.addends_in_fields
    }

    fn group_flag(&self, section: SectionId) -> elf::SectionFlags {
        match self.section(section).0.group {
            Some(_) => elf::SHF_GROUP,
            None => elf::SectionFlags(0),
        }
    }

    fn section(&self, section: SectionId) -> (&SectionDesc, &SectionContents) {
        let contents = self
            .builder
            .contents
            .view(section)
            .expect("only sections in use have headers");
        (self.builder.placement.sections.desc(section), contents)
    }

    /// The bytes that a header describes, made in `scratch` unless they exist already.
    fn contents<'s>(&'s self, body: Body, scratch: &'s mut Vec<u8>) -> &'s [u8] {
        match body {
            Body::Section(section) => return &self.section(section).1.bytes,
            Body::Strings => return &self.strings.bytes,
            Body::Group(group) => {
                let comdat = self.builder.placement.group_is_comdat(group);
                self.put_u32(scratch, if comdat { elf::GRP_COMDAT.0 } else { 0 });
                self.headers
                    .members(group)
                    .for_each(|index| self.put_u32(scratch, index));
            }
            Body::Relocations(section) => {
                let relocations = &self.section(section).1.relocations;
                scratch.reserve(relocations.len() * self.encoder.rel_size(self.has_addends()) as usize);
                relocations
                    .iter()
                    .for_each(|relocation| self.encode_relocation(scratch, relocation));
            }
            Body::Symbols => {
                for (number, symbol) in self.symbols.symbols.iter().enumerate() {
                    match number {
                        0 => self.encoder.null_symbol(scratch),
                        _ => drop(self.encoder.symbol(scratch, symbol)),
                    }
                }
            }
            Body::ExtendedIndexes => {
                for symbol in &self.symbols.symbols {
                    self.put_u32(scratch, extended_index(symbol));
                }
            }
        }
        scratch
    }

    fn encode_relocation(&self, out: &mut Vec<u8>, relocation: &PendingRelocation) {
        let state = &self.builder.states[relocation.target.index()];
        let (section, r_addend) = section_and_addend(relocation, state);
        let r_sym = match section {
            Some(section) => self.symbols.section_number(section),
            None => self.symbols.number(relocation.target),
        };
        let rel = Rel {
            r_offset: relocation.offset,
            r_sym,
            r_type: RelocationType(self.builder.target.relocs[usize::from(relocation.kind)].elf_type),
            r_addend,
        };
        self.encoder.relocation(out, self.has_addends(), &rel);
    }

    fn put_u32(&self, out: &mut Vec<u8>, value: u32) {
        let little = matches!(self.encoder.endian(), Endianness::Little);
        out.write_bytes(&if little {
            value.to_le_bytes()
        } else {
            value.to_be_bytes()
        });
    }
}

/// The section number that does not fit a symbol, or 0.
fn extended_index(symbol: &Sym) -> u32 {
    symbol
        .section
        .filter(|&index| index >= u32::from(elf::SHN_LORESERVE))
        .unwrap_or(0)
}

fn write_zeros(out: &mut dyn Write, mut count: u64) -> std::io::Result<()> {
    const ZEROS: [u8; 64] = [0; 64];
    while count > 0 {
        let now = count.min(ZEROS.len() as u64);
        out.write_all(&ZEROS[..now as usize])?;
        count -= now;
    }
    Ok(())
}
