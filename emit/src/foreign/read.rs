//! What an assembler wrote, taken apart.
//!
//! Whatever has no counterpart in our own objects, or another meaning there, makes [`TextFile::read`] give nothing:
//! groups that are no comdats, mergeable and thread-local sections, common and absolute symbols, other kinds of
//! relocations, symbols that the module defines or says something else of. So do objects of 32 bits, and relocations
//! with addends in their fields.

use super::{END, REFERENCE, RESERVED, SECTION, TextFile};
use crate::names::{ObjectName, PERSONALITY_PREFIX, symbol_name};
use crate::section::SectionDesc;
use frazil_codegen::inline_asm::{AsmCode, AsmPiece, AsmReloc, AsmTarget};
use frazil_codegen::{Label, Ref, RefKind, RelocDesc, TargetDesc};
use frazil_ir::module::TlsModel;
use frazil_ir::runtime::RuntimeFunction;
use frazil_ir::{EntityRef, FuncId, Linkage, Module, SymbolData, SymbolId};
use frazil_support::{FxHashMap, FxHashSet};
use object::elf::{self, FileHeader64, SectionFlags, SectionType, Sym64, SymbolInfo, SymbolOther};
use object::read::elf::{FileHeader, SectionHeader, SectionTable, Sym, SymbolTable};
use object::{Endianness, SymbolIndex};

/// Flags that sections beside code may have.
const KNOWN_FLAGS: u64 = elf::SHF_WRITE.0
    | elf::SHF_ALLOC.0
    | elf::SHF_EXECINSTR.0
    | elf::SHF_INFO_LINK.0
    | elf::SHF_GROUP.0
    | elf::SHF_GNU_RETAIN.0
    | elf::SHF_EXCLUDE.0;

/// Flags that say what our own writer finds out by itself.
const NOT_TAKEN_OVER: u64 = elf::SHF_INFO_LINK.0 | elf::SHF_GROUP.0;

/// Sections that assemblers always write.
const STANDARD: &[&[u8]] = &[b".text", b".data", b".bss"];

/// What some assemblers say of the whole file.
const PROPERTIES: &[u8] = b".note.gnu.property";

/// Assembled texts.
#[derive(Debug)]
pub struct Assembled {
    /// The code of each text, with its function, in order.
    pub codes: Vec<(FuncId, AsmCode)>,
    /// What texts put into other sections.
    pub(crate) sections: Vec<ForeignSection>,
    /// What relocations name, by the numbers of [`RefKind::Foreign`], and other definitions.
    pub(crate) symbols: Vec<ForeignSymbol>,
    /// Symbols of the module that are defined here.
    pub(crate) adopted: Vec<(SymbolId, ForeignSymbol)>,
}

/// A section with what texts put there.
#[derive(Debug)]
pub(crate) struct ForeignSection {
    pub desc: SectionDesc,
    /// The name of the comdat group that it belongs to, besides those of the module.
    pub group: Option<Vec<u8>>,
    pub align_log2: u8,
    pub bytes: Vec<u8>,
    pub size: u64,
    /// Offsets, kinds by the target's table, symbols of the module or foreign ones, addends.
    pub relocs: Vec<(u64, u8, Ref, i64)>,
}

/// Where something is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum SymbolLocation {
    /// In another object.
    Elsewhere,
    /// In a section, by its number, so many bytes from the start of what is put there.
    Section(usize, u64),
    /// In the code of a text.
    Text(u32, u64),
    /// A label of the function that has the text.
    Label(u32, Label),
}

/// A symbol that the module does not know, or a place without name.
#[derive(Clone, Debug)]
pub(crate) struct ForeignSymbol {
    pub name: Vec<u8>,
    pub info: SymbolInfo,
    pub other: SymbolOther,
    pub size: u64,
    pub place: SymbolLocation,
}

impl ForeignSymbol {
    fn nameless(place: SymbolLocation) -> ForeignSymbol {
        ForeignSymbol {
            name: Vec::new(),
            info: SymbolInfo::new(elf::STB_LOCAL, elf::STT_NOTYPE),
            other: SymbolOther(0),
            size: 0,
            place,
        }
    }

    /// Whether other objects do not see the symbol.
    pub fn is_local(&self) -> bool {
        self.info.st_bind() == elf::STB_LOCAL
    }
}

/// Whether a section of a type is contents of the program.
fn has_contents(ty: SectionType, target: &TargetDesc) -> bool {
    matches!(
        ty,
        elf::SHT_PROGBITS
            | elf::SHT_NOBITS
            | elf::SHT_NOTE
            | elf::SHT_INIT_ARRAY
            | elf::SHT_FINI_ARRAY
            | elf::SHT_PREINIT_ARRAY
    ) || target.elf.unwind_section_type == Some(ty.0)
}

impl TextFile<'_> {
    /// Takes the object apart that an assembler made of the file; nothing if it has anything that cannot be taken
    /// over.
    pub fn read(self, object: &[u8], target: &TargetDesc) -> Option<Assembled> {
        let header = FileHeader64::<Endianness>::parse(object).ok()?;
        let endian = header.endian().ok()?;
        let fits = header.e_machine.get(endian).0 == target.elf.machine
            && header.e_type.get(endian) == elf::ET_REL
            && header.is_little_endian() == target.elf.little_endian;
        if !fits || !target.elf.is_64 {
            return None;
        }
        let sections = header.sections(endian, object).ok()?;
        let symbols = sections.symbols(endian, object, elf::SHT_SYMTAB).ok()?;
        let mut reader = Reader {
            file: &self,
            target,
            endian,
            object,
            sections,
            symbols,
            groups: FxHashMap::default(),
            roles: Vec::new(),
            meanings: Vec::new(),
            places: FxHashMap::default(),
            out: Assembled {
                codes: Vec::new(),
                sections: Vec::new(),
                symbols: Vec::new(),
                adopted: Vec::new(),
            },
        };
        reader.read_groups()?;
        reader.read_sections()?;
        reader.read_symbols()?;
        reader.read_relocations()?;
        Some(reader.out)
    }
}

/// What a section of the assembler's object is.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Role {
    /// The code of a text.
    Text(u32),
    /// One with these contents.
    Contents(usize),
    /// Nothing that is taken over.
    Nothing,
}

/// What a symbol of the assembler's object is.
#[derive(Clone, Copy, Debug)]
enum Meaning {
    /// A symbol of the module.
    Symbol(SymbolId),
    /// What a piece of a text names.
    Piece(u32, usize),
    /// A foreign symbol.
    Foreign(u32),
    /// Nothing that may be named.
    Nothing,
}

struct Reader<'f, 'd> {
    file: &'f TextFile<'f>,
    target: &'f TargetDesc,
    endian: Endianness,
    object: &'d [u8],
    sections: SectionTable<'d, FileHeader64<Endianness>>,
    symbols: SymbolTable<'d, FileHeader64<Endianness>>,
    /// The names of the groups that sections belong to, by the numbers of these.
    groups: FxHashMap<usize, Vec<u8>>,
    roles: Vec<Role>,
    meanings: Vec<Meaning>,
    /// The numbers of nameless foreign symbols.
    places: FxHashMap<SymbolLocation, u32>,
    out: Assembled,
}

impl Reader<'_, '_> {
    fn read_groups(&mut self) -> Option<()> {
        let module = self.file.module;
        for section in self.sections.iter() {
            let Some((flags, members)) = section.group(self.endian, self.object).ok()? else {
                continue;
            };
            let signature = SymbolIndex(section.sh_info(self.endian) as usize);
            let symbol = self.symbols.symbol(signature).ok()?;
            let name = match symbol.st_type() {
                elf::STT_SECTION => {
                    let index = self.symbols.symbol_section(self.endian, symbol, signature).ok()??;
                    let section = self.sections.section(index).ok()?;
                    self.sections.section_name(self.endian, section).ok()?
                }
                _ => self.symbols.symbol_name(self.endian, symbol).ok()?,
            };
            let is_known = (module.comdats.values()).any(|comdat| module.strings.bytes(comdat.name) == name);
            if flags != elf::GRP_COMDAT || is_known || name.starts_with(PERSONALITY_PREFIX.as_bytes()) {
                return None;
            }
            for member in members {
                self.groups.insert(member.get(self.endian) as usize, name.to_vec());
            }
        }
        Some(())
    }

    fn read_sections(&mut self) -> Option<()> {
        let mentions_properties = contains(self.file.text.as_bytes(), PROPERTIES);
        let mut codes: Vec<Option<AsmCode>> = vec![None; self.file.texts.len()];
        for (index, section) in self.sections.enumerate() {
            let endian = self.endian;
            let group = self.groups.get(&index.0).cloned();
            let name = self.sections.section_name(endian, section).ok()?;
            let (ty, flags) = (section.sh_type(endian), section.sh_flags(endian).0);
            let size = section.sh_size(endian);
            let align = section.sh_addralign(endian).max(1);
            let role = match ty {
                elf::SHT_NULL | elf::SHT_STRTAB | elf::SHT_SYMTAB | elf::SHT_RELA | elf::SHT_GROUP => Role::Nothing,
                _ if name == PROPERTIES && !mentions_properties => Role::Nothing,
                _ if STANDARD.contains(&name) && size == 0 => Role::Nothing,
                _ if has_contents(ty, self.target) => {
                    let is_known = flags & !KNOWN_FLAGS == 0
                        && section.sh_entsize(endian) == 0
                        && group.is_some() == (flags & elf::SHF_GROUP.0 != 0);
                    if !is_known || !align.is_power_of_two() || section.sh_addr(endian) != 0 {
                        return None;
                    }
                    let bytes = match ty {
                        elf::SHT_NOBITS => Vec::new(),
                        _ => section.data(endian, self.object).ok()?.to_vec(),
                    };
                    match number_behind(name, SECTION) {
                        Some(number) => {
                            let (_, text) = self.file.texts.get(number as usize)?;
                            // Filler depends on where the text stands.
                            if align != 1 {
                                return None;
                            }
                            let code = AsmCode {
                                text: text.clone(),
                                number,
                                bytes,
                                relocs: Vec::new(),
                            };
                            if ty != elf::SHT_PROGBITS
                                || group.is_some()
                                || codes[number as usize].replace(code).is_some()
                            {
                                return None;
                            }
                            Role::Text(number)
                        }
                        None => {
                            self.out.sections.push(ForeignSection {
                                desc: SectionDesc::new(name, ty, SectionFlags(flags & !NOT_TAKEN_OVER)),
                                group,
                                align_log2: align.trailing_zeros() as u8,
                                bytes,
                                size,
                                relocs: Vec::new(),
                            });
                            Role::Contents(self.out.sections.len() - 1)
                        }
                    }
                }
                _ => return None,
            };
            self.roles.push(role);
        }
        let codes: Option<Vec<AsmCode>> = codes.into_iter().collect();
        let functions = self.file.texts.iter().map(|(function, _)| *function);
        self.out.codes = functions.zip(codes?).collect();
        Some(())
    }

    /// Says what every symbol means, and makes sure that texts end where they should.
    fn read_symbols(&mut self) -> Option<()> {
        let known = names(self.file.module);
        if (self.file.mentions.asked.iter()).any(|name| known.contains_key(name.as_bytes())) {
            return None;
        }
        let mut defined = FxHashSet::default();
        let mut ends = 0;
        let symbols = self.symbols.symbols();
        for (index, symbol) in symbols.iter().enumerate() {
            let name = self.symbols.symbol_name(self.endian, symbol).ok()?;
            let place = self.place(SymbolIndex(index), symbol)?;
            if let Some(SymbolLocation::Text(number, offset)) = place
                && number_behind(name, END) == Some(number)
            {
                let (_, code) = &self.out.codes[number as usize];
                if code.bytes.len() as u64 != offset {
                    return None;
                }
                ends += 1;
                self.meanings.push(Meaning::Nothing);
                continue;
            }
            if place.is_some_and(|place| place != SymbolLocation::Elsewhere) && !name.is_empty() {
                defined.insert(name);
            }
            let meaning = match (index, symbol.st_type(), place) {
                (0, ..) | (_, elf::STT_FILE, _) | (_, _, None) => Meaning::Nothing,
                (_, elf::STT_SECTION, Some(place)) => Meaning::Foreign(self.nameless(place)),
                (_, _, Some(place)) => self.named(symbol, name, place, &known)?,
            };
            self.meanings.push(meaning);
        }
        let declared = (self.file.mentions.declared.iter()).all(|name| defined.contains(name.as_bytes()));
        (declared && ends == self.out.codes.len()).then_some(())
    }

    /// Where a symbol is: nothing for absolute numbers that other objects do not see.
    fn place(&self, index: SymbolIndex, symbol: &Sym64<Endianness>) -> Option<Option<SymbolLocation>> {
        match symbol.st_shndx(self.endian) {
            elf::SHN_UNDEF => return Some(Some(SymbolLocation::Elsewhere)),
            elf::SHN_ABS if symbol.st_bind() == elf::STB_LOCAL => return Some(None),
            elf::SHN_ABS | elf::SHN_COMMON => return None,
            _ => {}
        }
        let section = self.symbols.symbol_section(self.endian, symbol, index).ok()??;
        let offset = symbol.st_value(self.endian);
        match self.roles.get(section.0)? {
            Role::Text(number) => Some(Some(SymbolLocation::Text(*number, offset))),
            Role::Contents(number) => Some(Some(SymbolLocation::Section(*number, offset))),
            Role::Nothing if symbol.st_type() == elf::STT_SECTION => Some(None),
            Role::Nothing => None,
        }
    }

    /// The number of a place without name.
    fn nameless(&mut self, place: SymbolLocation) -> u32 {
        let symbols = &mut self.out.symbols;
        *self.places.entry(place).or_insert_with(|| {
            symbols.push(ForeignSymbol::nameless(place));
            symbols.len() as u32 - 1
        })
    }

    fn named(
        &mut self,
        symbol: &Sym64<Endianness>,
        name: &[u8],
        place: SymbolLocation,
        known: &FxHashMap<Vec<u8>, SymbolId>,
    ) -> Option<Meaning> {
        if name.starts_with(RESERVED.as_bytes()) {
            let text = std::str::from_utf8(name).ok()?;
            let (text, piece) = text[RESERVED.len()..].strip_prefix(REFERENCE)?.split_once('_')?;
            let is_plain = place == SymbolLocation::Elsewhere && symbol.st_bind() == elf::STB_GLOBAL;
            return is_plain.then_some(Meaning::Piece(text.parse().ok()?, piece.parse().ok()?));
        }
        let is_usual = matches!(symbol.st_bind(), elf::STB_LOCAL | elf::STB_GLOBAL | elf::STB_WEAK)
            && matches!(
                symbol.st_type(),
                elf::STT_NOTYPE | elf::STT_OBJECT | elf::STT_FUNC | elf::STT_TLS
            );
        if !is_usual || name.is_empty() {
            return None;
        }
        let foreign = ForeignSymbol {
            name: name.to_vec(),
            info: symbol.st_info(),
            other: symbol.st_other(),
            size: symbol.st_size(self.endian),
            place,
        };
        let Some(&known) = known.get(name) else {
            self.out.symbols.push(foreign);
            return Some(Meaning::Foreign(self.out.symbols.len() as u32 - 1));
        };
        let may_mean = match place {
            SymbolLocation::Elsewhere => foreign.info.st_bind() == elf::STB_GLOBAL && foreign.other.0 == 0,
            _ => is_adoptable(self.file.module, known),
        };
        if !may_mean {
            return None;
        }
        if place != SymbolLocation::Elsewhere {
            self.out.adopted.push((known, foreign));
        }
        Some(Meaning::Symbol(known))
    }

    fn read_relocations(&mut self) -> Option<()> {
        let (endian, object) = (self.endian, self.object);
        for section in self.sections.iter() {
            let Some((relocations, _)) = section.rela(endian, object).ok()? else {
                continue;
            };
            let role = *self.roles.get(section.sh_info(endian) as usize)?;
            for relocation in relocations {
                let offset = relocation.r_offset.get(endian);
                let elf_type = relocation.r_type(endian, false).0;
                let kind = (self.target.relocs.iter()).position(|desc| desc.elf_type == elf_type)?;
                let meaning = *self.meanings.get(relocation.r_sym(endian, false) as usize)?;
                let addend = relocation.r_addend.get(endian);
                self.add_relocation(role, (offset, kind), meaning, addend)?;
            }
        }
        for (_, code) in &mut self.out.codes {
            code.relocs.sort_by_key(|reloc| reloc.offset);
        }
        Some(())
    }

    fn add_relocation(
        &mut self,
        role: Role,
        (offset, kind): (u64, usize),
        meaning: Meaning,
        addend: i64,
    ) -> Option<()> {
        let desc = &self.target.relocs[kind];
        let target = self.meaning_of(role, meaning, desc, addend)?;
        let end = offset.checked_add(u64::from(desc.size_bytes))?;
        match (role, target) {
            (Role::Text(number), target) => {
                let (_, code) = &mut self.out.codes[number as usize];
                (end <= code.bytes.len() as u64).then_some(())?;
                code.relocs.push(AsmReloc {
                    offset: offset as u32,
                    kind: kind as u8,
                    target,
                    addend,
                });
            }
            (Role::Contents(number), AsmTarget::Ref(target)) => {
                let section = &mut self.out.sections[number];
                (end <= section.bytes.len() as u64).then_some(())?;
                section.relocs.push((offset, kind as u8, target, addend));
            }
            _ => return None,
        }
        Some(())
    }

    /// What a relocation in a section of a role points at.
    fn meaning_of(&mut self, role: Role, meaning: Meaning, desc: &RelocDesc, addend: i64) -> Option<AsmTarget> {
        let symbol = |symbol| AsmTarget::Ref(Ref::symbol(desc.reference, symbol));
        if let Role::Text(text) = role
            && desc.reference == RefKind::Plt
            && self.may_be_near(text, meaning)
        {
            return None;
        }
        match meaning {
            Meaning::Nothing => None,
            Meaning::Symbol(id) => Some(symbol(id)),
            Meaning::Foreign(number) => {
                // Tables are made for names only.
                let is_plain = matches!(desc.reference, RefKind::Symbol | RefKind::Plt);
                let has_name = !self.out.symbols[number as usize].name.is_empty();
                (is_plain || has_name).then_some(AsmTarget::Ref(Ref::new(RefKind::Foreign, number)))
            }
            Meaning::Piece(text, piece) => {
                let (_, pieces) = self.file.texts.get(text as usize)?;
                match pieces.pieces.get(piece)? {
                    AsmPiece::Name(reference) => match (reference.as_symbol(), role) {
                        (Some(id), _) => Some(symbol(id)),
                        // Constants have numbers in their function.
                        (None, Role::Text(number)) if number == text => Some(AsmTarget::Ref(*reference)),
                        _ => None,
                    },
                    AsmPiece::Label(label) if role == Role::Text(text) => {
                        let fits = i32::try_from(addend).is_ok() && desc.label_fixup.is_some();
                        fits.then_some(AsmTarget::Label(*label))
                    }
                    AsmPiece::Label(label) if matches!(role, Role::Contents(_)) => {
                        let number = self.nameless(SymbolLocation::Label(text, *label));
                        Some(AsmTarget::Ref(Ref::new(RefKind::Foreign, number)))
                    }
                    _ => None,
                }
            }
        }
    }
}

impl Reader<'_, '_> {
    /// Whether a place may be in the section of the function with a text: a branch there may be shorter than it is
    /// when the text stands alone.
    fn may_be_near(&self, text: u32, meaning: Meaning) -> bool {
        let is_defined = |symbol| self.file.module.symbols.get(symbol).is_some_and(SymbolData::is_defined);
        match meaning {
            Meaning::Nothing => false,
            Meaning::Symbol(symbol) => is_defined(symbol),
            Meaning::Foreign(number) => match self.out.symbols[number as usize].place {
                SymbolLocation::Elsewhere => false,
                SymbolLocation::Section(section, _) => self.is_section_of(text, &self.out.sections[section].desc.name),
                SymbolLocation::Text(..) | SymbolLocation::Label(..) => true,
            },
            Meaning::Piece(text, piece) => match self.file.texts[text as usize].1.pieces.get(piece) {
                Some(AsmPiece::Name(reference)) => reference.as_symbol().is_none_or(is_defined),
                _ => true,
            },
        }
    }

    /// Whether a section may be the one of the function with a text.
    fn is_section_of(&self, text: u32, name: &[u8]) -> bool {
        let module = self.file.module;
        let data = &module.symbols[module.functions[self.file.texts[text as usize].0].symbol];
        match module.strings.bytes(data.section) {
            [] => {
                let rest = name.strip_prefix(b".text");
                let own = module.strings.bytes(data.name);
                rest.is_some_and(|rest| rest.is_empty() || rest.ends_with(own) || rest.ends_with(b"."))
            }
            own => own == name,
        }
    }
}

/// The symbols by the names that other objects know them by.
fn names(module: &Module) -> FxHashMap<Vec<u8>, SymbolId> {
    let mut names = FxHashMap::default();
    let mut add = |symbol, name: ObjectName<'_>| {
        let mut bytes = Vec::new();
        name.append_to(&mut bytes);
        names.entry(bytes).or_insert(symbol);
    };
    for (symbol, data) in module.symbols.iter() {
        if data.linkage != Linkage::Private {
            add(symbol, symbol_name(module, symbol));
        }
    }
    for number in 0..RuntimeFunction::count() {
        let symbol = SymbolId::new(module.symbols.len() + number);
        add(symbol, symbol_name(module, symbol));
    }
    names
}

/// Whether a symbol may be defined by assembly: the module only mentions it.
fn is_adoptable(module: &Module, symbol: SymbolId) -> bool {
    module.symbols.get(symbol).is_none_or(|data| {
        !data.is_defined() && data.linkage == Linkage::External && data.tls == TlsModel::NotThreadLocal
    })
}

/// The number at the end of one of our own names.
fn number_behind(name: &[u8], kind: &str) -> Option<u32> {
    let name = std::str::from_utf8(name).ok()?;
    name.strip_prefix(RESERVED)?.strip_prefix(kind)?.parse().ok()
}

fn contains(text: &[u8], part: &[u8]) -> bool {
    text.windows(part.len()).any(|window| window == part)
}
