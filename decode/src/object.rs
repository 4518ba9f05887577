//! The object that functions are in: its symbols, its code, and where relocated branches lead.
//!
//! Only what no linker can exchange for something else is taken to be what it is: a function that is local or hidden.
//! What other objects see, one of them, or a loader, may define otherwise.

use crate::machine::Machine;
use crate::machines;
use object::elf;
use object::read::elf::{ElfFile64, ElfSymbol64, FileHeader};
use object::read::{Object as _, ObjectSection, ObjectSymbol, Relocation, RelocationFlags, RelocationTarget};
use object::{SectionIndex, SymbolIndex};
use std::ops::Range;

/// Where an ELF header says what kind of file it is, and what it says of relocatable objects of all machines here,
/// which have the least significant byte first.
const KIND_PLACE: Range<usize> = 16..18;
const RELOCATABLE: [u8; 2] = elf::ET_REL.0.to_le_bytes();

/// A place in a section.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Place {
    pub section: usize,
    pub offset: u64,
}

/// Where a branch leads.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Target {
    Here(Place),
    /// To what is not certainly in this object.
    Elsewhere(String),
}

/// A section of code.
#[derive(Debug)]
struct Section<'a> {
    number: usize,
    code: &'a [u8],
    /// In the order of their offsets.
    relocations: Vec<(u64, Relocation)>,
}

/// A symbol as far as it matters here.
#[derive(Clone, Debug)]
pub(crate) struct Symbol {
    name: String,
    /// Nothing for those that are defined elsewhere, or are no places.
    pub place: Option<Place>,
    size: u64,
    pub is_function: bool,
    /// Whether it stands for a function that is chosen at run time.
    pub is_chosen: bool,
    pub is_local: bool,
    pub is_weak: bool,
    /// Whether no other image sees it.
    is_hidden: bool,
}

/// A relocatable object of a machine that is known.
#[derive(Debug)]
pub struct Object<'a> {
    pub(crate) machine: &'static Machine,
    sections: Vec<Section<'a>>,
    /// By number.
    symbols: Vec<Option<Symbol>>,
}

impl<'a> Object<'a> {
    /// Reads an object.
    ///
    /// # Errors
    /// When it is none that functions can be looked at in: what was found, and what was expected.
    pub fn read(bytes: &'a [u8]) -> Result<Object<'a>, String> {
        if bytes.get(KIND_PLACE).is_some_and(|kind| *kind != RELOCATABLE) {
            return Err("it is no relocatable object, as `cc -c` writes it, but linked already".to_owned());
        }
        let file: ElfFile64<'a> = ElfFile64::parse(bytes).map_err(|error| {
            format!("the object cannot be read ({error}); expected a relocatable ELF object of 64 bits")
        })?;
        let number = file.elf_header().e_machine(file.endian()).0;
        let machine = machines::of_elf(number);
        let machine = machine.filter(|machine| machine.desc.elf.little_endian == file.is_little_endian());
        let Some(machine) = machine else {
            return Err(format!(
                "the object is for another machine (number {number} of ELF) than any that Frazil compiles for"
            ));
        };
        let unreadable = |error: object::Error| format!("the object cannot be read: {error}");
        let mut sections = Vec::new();
        for section in file.sections() {
            if section.kind() == object::SectionKind::Text {
                let mut relocations: Vec<_> = section.relocations().collect();
                relocations.sort_by_key(|relocation| relocation.0);
                sections.push(Section {
                    number: section.index().0,
                    code: section.data().map_err(unreadable)?,
                    relocations,
                });
            }
        }
        let mut symbols = vec![None];
        for symbol in file.symbols() {
            symbols.resize(symbols.len().max(symbol.index().0 + 1), None);
            let is_code = |place: Place| sections.iter().any(|section| section.number == place.section);
            symbols[symbol.index().0] = Some(Symbol::new(&symbol, is_code));
        }
        Ok(Object {
            machine,
            sections,
            symbols,
        })
    }

    /// The target that it is for, as in `--target`.
    pub fn target(&self) -> &'static str {
        self.machine.name
    }

    /// What it defines that no other object of a program may define, too.
    pub fn defined(&self) -> impl Iterator<Item = &str> {
        let symbols = self.symbols.iter().flatten();
        let defined = symbols.filter(|symbol| symbol.place.is_some() && !symbol.is_local && !symbol.is_weak);
        defined.map(|symbol| symbol.name.as_str())
    }

    /// The functions that other objects can call.
    pub fn functions(&self) -> impl Iterator<Item = &str> {
        let symbols = self.symbols.iter().flatten();
        let called = symbols.filter(|symbol| symbol.is_function && !symbol.is_local);
        called.map(|symbol| symbol.name.as_str())
    }

    /// The symbol of this name that others see, or else one that only the object does.
    pub(crate) fn symbol(&self, name: &str) -> Option<&Symbol> {
        let named = || self.symbols.iter().flatten().filter(|symbol| symbol.name == name);
        named().find(|symbol| !symbol.is_local).or_else(|| named().next())
    }

    /// The bytes of a section of code.
    pub(crate) fn code(&self, section: usize) -> Option<&'a [u8]> {
        self.section(section).map(|section| section.code)
    }

    fn section(&self, number: usize) -> Option<&Section<'a>> {
        self.sections.iter().find(|section| section.number == number)
    }

    /// How large a function is that begins at a place; 0 if no symbol says it.
    pub(crate) fn size_at(&self, place: Place) -> u64 {
        let symbols = self.symbols.iter().flatten();
        let mut sizes = symbols
            .filter(|symbol| symbol.place == Some(place))
            .map(|symbol| symbol.size);
        sizes.find(|size| *size > 0).unwrap_or(0)
    }

    /// Where a relocation says that the branch leads that has these bytes in a section.
    pub(crate) fn relocated_target(
        &self,
        section: usize,
        inst: Range<u64>,
        machine: &Machine,
    ) -> Result<Option<Target>, String> {
        let Some(section) = self.section(section) else {
            return Ok(None);
        };
        let first = section
            .relocations
            .partition_point(|relocation| relocation.0 < inst.start);
        let Some((offset, relocation)) = section.relocations.get(first).filter(|next| next.0 < inst.end) else {
            return Ok(None);
        };
        let RelocationFlags::Elf { r_type } = relocation.flags() else {
            return Err("it has a branch with a relocation of another format".to_owned());
        };
        if !machine.branches.contains(&r_type) {
            return Err(format!(
                "it has a branch with relocation number {}, which is not known",
                r_type.0
            ));
        }
        let RelocationTarget::Symbol(symbol) = relocation.target() else {
            return Err("it has a branch with a relocation to no symbol".to_owned());
        };
        if relocation.has_implicit_addend() {
            return Err("it has relocations without addends of their own".to_owned());
        }
        let from_field = match machine.counts_from_end {
            true => inst.end - offset,
            false => 0,
        };
        let distance = relocation.addend().wrapping_add_unsigned(from_field);
        Ok(Some(self.target_of(symbol, distance)))
    }

    fn target_of(&self, symbol: SymbolIndex, distance: i64) -> Target {
        let Some(symbol) = self.symbols.get(symbol.0).and_then(Option::as_ref) else {
            return Target::Elsewhere("?".to_owned());
        };
        match symbol.place {
            Some(Place { section, offset }) if symbol.is_fixed() => Target::Here(Place {
                section,
                offset: offset.wrapping_add_signed(distance),
            }),
            _ => Target::Elsewhere(symbol.name.clone()),
        }
    }
}

impl Symbol {
    fn new(symbol: &ElfSymbol64<'_, '_>, is_code: impl Fn(Place) -> bool) -> Symbol {
        let raw = symbol.elf_symbol();
        let place = symbol.section_index().map(|SectionIndex(section)| Place {
            section,
            offset: symbol.address(),
        });
        let visibility = raw.st_visibility();
        let kind = raw.st_type();
        Symbol {
            name: String::from_utf8_lossy(symbol.name_bytes().unwrap_or_default()).into_owned(),
            place,
            size: symbol.size(),
            is_function: matches!(kind, elf::STT_FUNC | elf::STT_NOTYPE | elf::STT_GNU_IFUNC)
                && place.is_some_and(is_code),
            is_chosen: kind == elf::STT_GNU_IFUNC,
            is_local: symbol.is_local(),
            is_weak: symbol.is_weak(),
            is_hidden: visibility == elf::STV_HIDDEN || visibility == elf::STV_INTERNAL,
        }
    }

    /// Whether nothing else can stand for what it names.
    fn is_fixed(&self) -> bool {
        !self.is_chosen && (self.is_local || self.is_hidden && !self.is_weak)
    }
}
