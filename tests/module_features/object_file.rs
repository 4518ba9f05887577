//! An object file as far as the tests compare it.

use object::elf::{FileHeader64, SHF_GROUP};
use object::read::elf::{FileHeader, SectionHeader, Sym};
use object::{Endianness, elf};
use std::fs;
use std::path::Path;

#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Section {
    pub name: String,
    pub ty: u32,
    pub flags: u64,
    /// That of code is the recipe's matter, and 0 here.
    pub align: u64,
    pub entry_bytes: u64,
    /// The name of the section that it is linked to.
    pub linked_to: Option<String>,
    pub bytes: Vec<u8>,
}

/// All sections of a file.
#[derive(Debug)]
pub struct ObjectFile {
    sections: Vec<Section>,
    /// Names of symbols, with number of section and offset.
    places: Vec<(String, usize, usize)>,
}

impl ObjectFile {
    pub fn read(path: &Path) -> ObjectFile {
        let data = fs::read(path).expect("readable");
        let header = FileHeader64::<Endianness>::parse(&*data).expect("an ELF file");
        let endian = header.endian().expect("a byte order");
        let table = header.sections(endian, &*data).expect("sections");
        let name_of = |section: &elf::SectionHeader64<Endianness>| {
            let name = table.section_name(endian, section).expect("a name");
            String::from_utf8_lossy(name).into_owned()
        };
        let sections = table.iter().map(|section| {
            let flags = section.sh_flags(endian).0;
            let is_ordered = flags & elf::SHF_LINK_ORDER.0 != 0;
            let linked = table.iter().nth(section.sh_link(endian) as usize);
            let is_code = flags & elf::SHF_EXECINSTR.0 != 0;
            Section {
                name: name_of(section),
                ty: section.sh_type(endian).0,
                flags: flags & !SHF_GROUP.0,
                align: if is_code {
                    0
                } else {
                    section.sh_addralign(endian).max(1)
                },
                entry_bytes: section.sh_entsize(endian),
                linked_to: is_ordered.then(|| linked.map_or(String::new(), name_of)),
                bytes: section.data(endian, &*data).expect("contents").to_vec(),
            }
        });
        let symbols = table.symbols(endian, &*data, elf::SHT_SYMTAB).expect("symbols");
        let place_of = |symbol: &elf::Sym64<Endianness>| {
            let name = symbol.name(endian, symbols.strings()).expect("a name");
            let section = usize::from(symbol.st_shndx(endian).0);
            let name = String::from_utf8_lossy(name).into_owned();
            (name, section, symbol.st_value(endian) as usize)
        };
        ObjectFile {
            sections: sections.collect(),
            places: symbols.iter().map(place_of).collect(),
        }
    }

    /// The sections of a name, in order.
    pub fn sections_of(&self, name: &str) -> Vec<&Section> {
        self.sections.iter().filter(|section| section.name == name).collect()
    }
}

impl ObjectFile {
    /// The names of sections, sorted, each once.
    pub fn names(&self, mut wanted: impl FnMut(&str) -> bool) -> Vec<String> {
        let names = self.sections.iter().map(|section| section.name.clone());
        let mut names: Vec<String> = names.filter(|name| !name.is_empty() && wanted(name)).collect();
        names.sort();
        names.dedup();
        names
    }
}

impl ObjectFile {
    /// Bytes around the place of a symbol: so many before it, and so many from it on.
    pub fn bytes_at(&self, symbol: &str, before: usize, after: usize) -> Vec<u8> {
        let place = self.places.iter().find(|place| place.0 == symbol);
        let &(_, section, offset) = place.expect("the symbol is there");
        self.sections[section].bytes[offset - before..offset + after].to_vec()
    }
}
