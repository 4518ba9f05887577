//! Which section each definition goes to.
//!
//! The rules are those of LLVM's ELF object lowering, so that linker scripts, `--gc-sections` and mixed links behave
//! alike: the kind of a definition (code, read-only, zero-filled ...) gives the default section; function and data
//! sections, comdat groups and `llvm.used` give it one of its own; a section asked for in the module wins.
//! Deviations: what has a section or comdat of its own is never mergeable, and a mergeable string is recognized by its
//! bytes, since the IR keeps no element types.

use crate::dwarf::DebugOptions;
use crate::error::EmitError;
use crate::exceptions::Late;
use crate::names::ObjectName;
use crate::section::{SectionDesc, SectionId, SectionTable};
use frazil_codegen::{ModuleView, RelocationModel, TargetDesc};
use frazil_ir::module::{
    Attachments, ComdatSelection, DataRelocation, InitEntry, PlacedData, RelocationTarget, TlsModel,
};
use frazil_ir::{
    Block, ComdatId, DataDef, EntityRef, FuncId, Linkage, Module, Refusal, SymbolData, SymbolId, SymbolKind, Visibility,
};
use frazil_support::FxBuildHasher;
use frazil_support::sort::sort_by_key;
use indexmap::IndexSet;
use object::elf::{self, SectionFlags, SectionType};

/// Sections that give a symbol a partition (LLVM's extensions, `llvm/BinaryFormat/ELF.h`).
const SHT_LLVM_SYMPART: SectionType = SectionType(0x6fff_4c05);
/// Sections with code for other processors, and with bitcode for links (LLVM's extensions).
const SHT_LLVM_OFFLOADING: SectionType = SectionType(0x6fff_4c0b);
const SHT_LLVM_LTO: SectionType = SectionType(0x6fff_4c0c);

/// A way to compress sections (ELF, `ch_type`).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Compressor {
    Zlib,
    Zstd,
}

/// Options of writing.
#[derive(Clone, Debug, Default)]
pub struct EmitOptions {
    /// Where the code may be placed.
    pub relocation_model: RelocationModel,
    /// Whether each function has a section of its own.
    pub function_sections: bool,
    /// Whether each data definition has a section of its own.
    pub data_sections: bool,
    /// What compresses debug sections where that makes them smaller.
    pub compress_debug: Option<Compressor>,
    /// What debug information is made of.
    pub debug: DebugOptions,
}

/// Where a data definition goes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum DataPlace {
    /// Into a section.
    Section(SectionId),
    /// Nowhere: linkers allocate it.
    Common,
    /// Nowhere: it is for the compiler only, or defined elsewhere.
    Dropped,
}

/// What a definition consists of, as far as its section depends on it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Kind {
    Code,
    ReadOnly,
    String,
    Constant,
    ReadOnlyAfterRelocation,
    Data,
    ZeroFilled,
    ThreadData,
    ThreadZeroFilled,
}

impl Kind {
    /// Name of the default section and flags.
    fn section(self) -> (&'static str, SectionFlags) {
        let write = elf::SHF_ALLOC | elf::SHF_WRITE;
        match self {
            Kind::Code => (".text", elf::SHF_ALLOC | elf::SHF_EXECINSTR),
            Kind::ReadOnly | Kind::String | Kind::Constant => (".rodata", elf::SHF_ALLOC),
            Kind::ReadOnlyAfterRelocation => (".data.rel.ro", write),
            Kind::Data => (".data", write),
            Kind::ZeroFilled => (".bss", write),
            Kind::ThreadData => (".tdata", write | elf::SHF_TLS),
            Kind::ThreadZeroFilled => (".tbss", write | elf::SHF_TLS),
        }
    }
}

/// A section for constructors or destructors and the order in which it comes.
#[derive(Clone, Copy, Debug)]
pub struct InitPlace {
    pub section: SectionId,
    /// What it holds.
    pub entry: InitEntry,
}

/// The decisions for one module.
#[derive(Debug)]
pub struct Placement<'a> {
    pub module: &'a Module,
    pub target: &'static TargetDesc,
    pub options: EmitOptions,
    /// All sections so far.
    pub sections: SectionTable,
    text: SectionId,
    retained: Vec<bool>,
    /// Groups besides those of the module, by the names of their signatures.
    more_groups: IndexSet<Vec<u8>, FxBuildHasher>,
}

impl<'a> Placement<'a> {
    /// Prepares the decisions for a module.
    ///
    /// # Errors
    /// When the module has something at its top level that is not written, by name.
    pub fn new(
        module: &'a Module,
        target: &'static TargetDesc,
        options: EmitOptions,
    ) -> Result<Placement<'a>, EmitError> {
        if let Some(refusal) = Placement::refusals(module).into_iter().next() {
            return Err(refusal);
        }
        let mut retained = vec![false; module.symbols.len()];
        for symbol in &module.used {
            if let Some(flag) = retained.get_mut(symbol.index()) {
                *flag = true;
            }
        }
        let mut sections = SectionTable::default();
        let (name, flags) = Kind::Code.section();
        let text = sections.intern(SectionDesc::new(name.as_bytes(), elf::SHT_PROGBITS, flags));
        Ok(Placement {
            module,
            target,
            options,
            sections,
            text,
            retained,
            more_groups: IndexSet::default(),
        })
    }

    /// What a module has at its top level that is not written.
    pub fn refusals(module: &Module) -> Vec<EmitError> {
        let mut found = Vec::new();
        for comdat in module.comdats.values() {
            if !matches!(comdat.selection, ComdatSelection::Any | ComdatSelection::NoDeduplicate) {
                let what = format!("comdat selection {:?} in ELF", comdat.selection);
                found.push(EmitError::unsupported(
                    Refusal::Comdat,
                    what,
                    module.strings.display(comdat.name),
                ));
            }
        }
        found
    }

    /// Decides which section a function goes to; adds the section if it is new.
    pub fn function(&mut self, function: FuncId, attachments: Option<&Attachments>) -> SectionId {
        let symbol = self.module.functions[function].symbol;
        let data = &self.module.symbols[symbol];
        let plain = data.section.is_empty() && data.comdat.is_none() && !self.retained[symbol.index()];
        if plain && !self.options.function_sections && attachments.is_none() {
            return self.text;
        }
        let wish = Wish {
            symbol,
            attachments,
            unique: self.options.function_sections,
        };
        self.place(&wish, Kind::Code)
    }

    /// Which section the jump tables of a function go to. It is the function's own if linkers may leave the function
    /// out, so that tables do not hold on to code.
    pub fn jump_tables(&mut self, function: FuncId, attachments: Option<&Attachments>) -> SectionId {
        let symbol = self.module.functions[function].symbol;
        let data = &self.module.symbols[symbol];
        let (name, flags) = Kind::ReadOnly.section();
        let mut desc = SectionDesc::new(name.as_bytes(), elf::SHT_PROGBITS, flags);
        if self.options.function_sections || data.comdat.is_some() {
            if let Some(far) = self.target.elf.far_sections.filter(|_| data.far) {
                desc.name = far_name(&desc.name);
                desc.flags |= SectionFlags(far.flag);
            }
            let prefix = attachments.map_or(&[][..], |attachments| &attachments.section_prefix);
            append_prefix(&mut desc.name, prefix, true);
            desc.name.push(b'.');
            ObjectName::of_symbol(self.module, symbol).append_to(&mut desc.name);
            desc.group = data.comdat;
        }
        self.sections.intern(desc)
    }

    /// Where a data definition goes.
    pub fn data(&mut self, def: &DataDef) -> DataPlace {
        let symbol = &self.module.symbols[def.symbol];
        let for_compiler = self.module.strings.bytes(symbol.section) == b"llvm.metadata";
        match symbol.linkage {
            Linkage::AvailableExternally | Linkage::Appending => return DataPlace::Dropped,
            _ if for_compiler => return DataPlace::Dropped,
            Linkage::Common => return DataPlace::Common,
            _ => {}
        }
        let kind = self.data_kind(def);
        let attachments = self.module.attachments_of(def.symbol);
        let alone = attachments.is_some_and(|attachments| attachments.associated.is_some())
            || symbol.comdat.is_some()
            || self.retained[def.symbol.index()]
            || !self.section_asked_for(symbol, attachments, kind).is_empty();
        let desc = match kind {
            Kind::String if !alone => SectionDesc {
                name: format!(".rodata.str1.{}", 1u64 << def.align_log2.min(63)).into_bytes(),
                entry_bytes: 1,
                ..SectionDesc::new(
                    b"",
                    elf::SHT_PROGBITS,
                    elf::SHF_ALLOC | elf::SHF_MERGE | elf::SHF_STRINGS,
                )
            },
            Kind::Constant if !alone => SectionDesc::mergeable_constants(def.size),
            kind => {
                let wish = Wish {
                    symbol: def.symbol,
                    attachments,
                    unique: self.options.data_sections,
                };
                return DataPlace::Section(self.place(&wish, kind));
            }
        };
        let prefix = attachments.map_or(&[][..], |attachments| &attachments.section_prefix);
        let mut desc = desc.with_prefix(prefix);
        if let Some(far) = self.target.elf.far_sections.filter(|_| symbol.far) {
            desc.name = far_name(&desc.name);
            desc.flags |= SectionFlags(far.flag);
        }
        DataPlace::Section(self.sections.intern(desc))
    }

    /// The section of data that passes have made for a function. Whoever wants them finds them by the ends of the
    /// section, which is no reference for linkers that leave out what nothing refers to (lld's `-z start-stop-gc`).
    pub fn placed(&mut self, data: &PlacedData) -> SectionId {
        let flags = elf::SHF_ALLOC | elf::SHF_WRITE | elf::SHF_GNU_RETAIN;
        let desc = SectionDesc::new(&data.section, elf::SHT_PROGBITS, flags);
        self.sections.intern(desc)
    }

    /// Sections and entries of constructors or destructors, in the order in which they are written.
    pub fn init_entries(&mut self, constructors: bool) -> Vec<InitPlace> {
        let (name, ty, entries) = if constructors {
            (".init_array", elf::SHT_INIT_ARRAY, &self.module.constructors)
        } else {
            (".fini_array", elf::SHT_FINI_ARRAY, &self.module.destructors)
        };
        let mut entries = entries.clone();
        sort_by_key(&mut entries, |entry| entry.priority);
        let module = self.module;
        let mut places = Vec::with_capacity(entries.len());
        for entry in entries {
            let associated = entry.associated.map(|symbol| &module.symbols[symbol]);
            if associated.is_some_and(|data| !data.is_defined() || data.linkage == Linkage::AvailableExternally) {
                continue;
            }
            let name = match entry.priority {
                65535 => name.to_owned(),
                priority => format!("{name}.{priority}"),
            };
            let mut desc = SectionDesc::new(name.as_bytes(), ty, elf::SHF_ALLOC | elf::SHF_WRITE);
            desc.group = associated.and_then(|data| data.comdat);
            let section = self.sections.intern(desc);
            places.push(InitPlace { section, entry });
        }
        places
    }

    /// The symbols that ask for a partition, each with the section that says so, and what it says before the symbol's
    /// address.
    pub(crate) fn partitions(&mut self) -> Vec<(SymbolId, SectionId, Vec<u8>)> {
        let module = self.module;
        let asks = |data: &SymbolData| {
            let is_here = data.is_defined() && data.linkage != Linkage::AvailableExternally;
            is_here && !data.partition.is_empty() && data.visibility == Visibility::Default
        };
        let mut symbols: Vec<_> = module.symbols.iter().filter(|row| asks(row.1)).collect();
        // The order is LLVM's.
        sort_by_key(&mut symbols, |row| match row.1.kind {
            SymbolKind::FunctionDeclaration | SymbolKind::Function(_) => 0,
            SymbolKind::DataDeclaration | SymbolKind::Data(_) => 1,
            SymbolKind::Alias { .. } => 2,
            SymbolKind::Ifunc { .. } => 3,
        });
        let rows = symbols.into_iter().map(|(symbol, data)| {
            let mut desc = SectionDesc::new(b".llvm_sympart", SHT_LLVM_SYMPART, SectionFlags(0));
            desc.owner = Some(symbol);
            let mut bytes = module.strings.bytes(data.partition).to_vec();
            bytes.push(0);
            (symbol, self.sections.intern(desc), bytes)
        });
        rows.collect()
    }

    /// The section that lists where code may be written over, for one function.
    pub(crate) fn filler_list(&mut self, symbol: SymbolId) -> SectionId {
        let flags = elf::SHF_ALLOC | elf::SHF_WRITE | elf::SHF_LINK_ORDER;
        let mut desc = SectionDesc::new(b"__patchable_function_entries", elf::SHT_PROGBITS, flags);
        desc.associated = Some(symbol);
        desc.group = self.module.symbols[symbol].comdat;
        self.sections.intern(desc)
    }

    /// The section of the exception table of a function.
    pub fn exception_table(&mut self, function: FuncId) -> SectionId {
        let data = &self.module.symbols[self.module.functions[function].symbol];
        let mut name = b".gcc_except_table".to_vec();
        if data.comdat.is_some() || self.options.function_sections {
            name.push(b'.');
            name.extend_from_slice(self.module.strings.bytes(data.name));
        }
        let mut desc = SectionDesc::new(&name, elf::SHT_PROGBITS, elf::SHF_ALLOC);
        desc.group = data.comdat;
        self.sections.intern(desc)
    }

    /// The section of a pointer that exception tables name symbols by. Those to personality routines are in groups of
    /// their own.
    pub fn pointer(&mut self, late: Late) -> SectionId {
        let write = elf::SHF_ALLOC | elf::SHF_WRITE;
        let Late::Personality(_) = late else {
            return self
                .sections
                .intern(SectionDesc::new(b".data", elf::SHT_PROGBITS, write));
        };
        let mut name = b".data.".to_vec();
        let start = name.len();
        ObjectName::of_late(self.module, late).append_to(&mut name);
        let mut desc = SectionDesc::new(&name, elf::SHT_PROGBITS, write);
        desc.group = Some(self.more_group(&name[start..]));
        self.sections.intern(desc)
    }

    /// A group besides those of the module, which must have none of the name.
    pub fn more_group(&mut self, name: &[u8]) -> ComdatId {
        let group = self.more_groups.insert_full(name.to_vec()).0;
        ComdatId::new(self.module.comdats.len() + group)
    }

    /// How many groups there are.
    pub fn group_count(&self) -> usize {
        self.module.comdats.len() + self.more_groups.len()
    }

    /// The signature symbol's name of a comdat group.
    pub fn group_name(&self, group: ComdatId) -> &[u8] {
        match group.index().checked_sub(self.module.comdats.len()) {
            Some(more) => &self.more_groups[more],
            None => self.module.strings.bytes(self.module.comdats[group].name),
        }
    }

    /// Whether linkers keep only one of several groups of the name.
    pub fn group_is_comdat(&self, group: ComdatId) -> bool {
        (self.module.comdats.get(group)).is_none_or(|comdat| comdat.selection == ComdatSelection::Any)
    }

    fn data_kind(&self, def: &DataDef) -> Kind {
        let symbol = &self.module.symbols[def.symbol];
        let zero = def.byte_count == 0 && def.relocation_count == 0;
        if symbol.tls != TlsModel::NotThreadLocal {
            return if zero && symbol.section.is_empty() {
                Kind::ThreadZeroFilled
            } else {
                Kind::ThreadData
            };
        }
        match def.constant {
            true if def.relocation_count > 0 && self.view().is_filled_at_load(def) => Kind::ReadOnlyAfterRelocation,
            true if def.relocation_count > 0 || !symbol.unnamed_addr => Kind::ReadOnly,
            true => mergeable_kind(def, &self.module.bytes),
            false if zero && symbol.section.is_empty() => Kind::ZeroFilled,
            false => Kind::Data,
        }
    }

    /// The symbol that data refers to, and for the address of a block which block of it.
    ///
    /// # Errors
    /// When it is something that objects cannot name.
    pub fn data_target(
        &self,
        def: &DataDef,
        relocation: &DataRelocation,
        target: RelocationTarget,
    ) -> Result<(SymbolId, Option<(FuncId, Block)>), EmitError> {
        if self.is_by_table(target) && (relocation.minus.is_none_or(|minus| minus == target) || relocation.size != 4) {
            let what = "dso_local_equivalent of a symbol of another image that is no distance of 4 bytes in data";
            return Err(EmitError::unsupported(
                Refusal::Initializer,
                what,
                self.module.display_name(def.symbol),
            ));
        }
        match target {
            RelocationTarget::Symbol(symbol)
            | RelocationTarget::NoCfi(symbol)
            | RelocationTarget::LocalEquivalent(symbol) => Ok((symbol, None)),
            RelocationTarget::Block(function, block) => {
                Ok((self.module.functions[function].symbol, Some((function, block))))
            }
        }
    }

    /// Whether data refers to a function by its entry of the procedure linkage table.
    pub fn is_by_table(&self, target: RelocationTarget) -> bool {
        matches!(target, RelocationTarget::LocalEquivalent(symbol) if !self.view().is_near(symbol))
    }

    fn view(&self) -> ModuleView<'a> {
        ModuleView::new(self.module, self.options.relocation_model)
    }

    fn place(&mut self, wish: &Wish<'_>, kind: Kind) -> SectionId {
        let (module, symbol) = (self.module, wish.symbol);
        let data = &module.symbols[symbol];
        let far = self.target.elf.far_sections.filter(|_| data.far);
        let retained = self.retained[symbol.index()];
        let associated = wish.attachments.and_then(|attachments| attachments.associated);
        let explicit = self.section_asked_for(data, wish.attachments, kind);
        let (mut name, mut flags) = match explicit {
            [] => {
                let (name, flags) = kind.section();
                let name = name.as_bytes();
                (if far.is_some() { far_name(name) } else { name.to_vec() }, flags)
            }
            explicit => {
                let flags = kind_of_section(explicit).unwrap_or(kind).section().1;
                (explicit.to_vec(), with_known_flags(explicit, flags))
            }
        };
        if explicit.is_empty() {
            let prefix = wish
                .attachments
                .map_or(&[][..], |attachments| &attachments.section_prefix);
            let is_alone = wish.unique || data.comdat.is_some() || retained || associated.is_some();
            append_prefix(&mut name, prefix, is_alone);
            if is_alone {
                name.push(b'.');
                ObjectName::of_symbol(module, symbol).append_to(&mut name);
            }
        } else if wish.attachments.is_some_and(|attachments| attachments.is_excluded) {
            flags = elf::SHF_EXCLUDE;
        }
        if retained {
            flags |= elf::SHF_GNU_RETAIN;
        }
        if matches!(explicit, b".llvmbc" | b".llvmcmd") {
            // What is embedded for tools is not loaded.
            flags = SectionFlags(flags.0 & !elf::SHF_ALLOC.0);
        }
        if let Some(far) = far {
            flags |= SectionFlags(far.flag);
        }
        let ty = section_type(&name, kind_of_section(explicit).unwrap_or(kind));
        let mut desc = SectionDesc::new(&name, ty, flags);
        desc.group = data.comdat;
        if associated.is_some() {
            desc.flags |= elf::SHF_LINK_ORDER;
            desc.associated = associated;
            desc.owner = (!explicit.is_empty()).then_some(symbol);
        }
        self.sections.intern(desc)
    }
}

impl Placement<'_> {
    /// The section that a definition asks for by what its contents are or, without that, by itself; empty for none.
    fn section_asked_for<'s>(&self, data: &SymbolData, attachments: Option<&'s Attachments>, kind: Kind) -> &'s [u8]
    where
        Self: 's,
    {
        let explicit = self.module.strings.bytes(data.section);
        let by_kind = attachments.and_then(|attachments| attachments.sections_by_kind.as_deref());
        let Some([zero, read_only, relocated, other]) = by_kind else {
            return explicit;
        };
        let asked = match kind {
            Kind::ZeroFilled => zero,
            Kind::ReadOnly | Kind::String | Kind::Constant => read_only,
            Kind::ReadOnlyAfterRelocation => relocated,
            Kind::Data => other,
            Kind::Code | Kind::ThreadData | Kind::ThreadZeroFilled => return explicit,
        };
        if asked.is_empty() { explicit } else { asked }
    }
}

/// What a section is asked for.
struct Wish<'w> {
    symbol: SymbolId,
    attachments: Option<&'w Attachments>,
    /// Whether every definition of its kind has a section of its own.
    unique: bool,
}

/// Adds what is attached to a definition to the name of its usual section; a dot at the end tells it from the name of a
/// definition that is alone.
fn append_prefix(name: &mut Vec<u8>, prefix: &[u8], is_alone: bool) {
    if !prefix.is_empty() {
        name.push(b'.');
        name.extend_from_slice(prefix);
        if !is_alone {
            name.push(b'.');
        }
    }
}

impl SectionDesc {
    /// The section for definitions to which this is attached.
    fn with_prefix(mut self, prefix: &[u8]) -> SectionDesc {
        append_prefix(&mut self.name, prefix, false);
        self
    }
}

/// What an alias or indirect function stands for in the end, and the bytes past it; `None` for other symbols.
pub(crate) fn alias_base(module: &Module, symbol: SymbolId) -> Result<Option<(SymbolId, i64)>, EmitError> {
    let (mut at, mut offset) = (symbol, 0i64);
    for _ in 0..=module.symbols.len() {
        at = match module.symbols[at].kind {
            SymbolKind::Alias {
                target, offset: more, ..
            } => {
                offset = offset.wrapping_add(more);
                target
            }
            SymbolKind::Ifunc { resolver } => resolver,
            _ => return Ok((at != symbol).then_some((at, offset))),
        };
    }
    Err(EmitError::malformed("an alias of itself", module.display_name(symbol)))
}

/// Strings and constants of the usual sizes whose address does not matter can be shared by linkers.
fn mergeable_kind(def: &DataDef, bytes: &[u8]) -> Kind {
    let given = &bytes[def.first_byte as usize..][..def.byte_count as usize];
    let text = match def.size - def.byte_count {
        0 => given.split_last().filter(|(last, _)| **last == 0).map(|(_, text)| text),
        1 => Some(given),
        _ => None,
    };
    if text.is_some_and(|text| !text.contains(&0)) {
        return Kind::String;
    }
    let aligned = def.align_log2 < 6 && 1u64 << def.align_log2 <= def.size;
    if matches!(def.size, 4 | 8 | 16 | 32) && aligned {
        return Kind::Constant;
    }
    Kind::ReadOnly
}

/// The name of a section for far data, by that of the usual one.
fn far_name(name: &[u8]) -> Vec<u8> {
    [b".l", name.strip_prefix(b".").unwrap_or(name)].concat()
}

/// The flags of a section asked for: those of its contents, and those that its name has.
///
/// The generic ABI gives flags to these names, and GNU `as` adds them to what a directive says, unless that has others
/// besides. Linkers join sections of a name anyway.
fn with_known_flags(name: &[u8], flags: SectionFlags) -> SectionFlags {
    let known = KNOWN_FLAGS.iter().find(|(stem, is_exact, _)| match is_exact {
        true => name == stem.as_bytes(),
        false => has_stem(name, stem),
    });
    match known {
        Some((_, _, known)) if flags.0 & !known.0 == 0 => *known,
        _ => flags,
    }
}

const WRITABLE: SectionFlags = SectionFlags(elf::SHF_ALLOC.0 | elf::SHF_WRITE.0);
const EXECUTABLE: SectionFlags = SectionFlags(elf::SHF_ALLOC.0 | elf::SHF_EXECINSTR.0);

/// Names with flags, whether only the name itself has them and not those with more after a dot, and the flags
/// (generic ABI, "Special Sections"; binutils, `bfd/elf.c`).
const KNOWN_FLAGS: &[(&str, bool, SectionFlags)] = &[
    (".bss", false, WRITABLE),
    (".data", false, WRITABLE),
    (".data1", true, WRITABLE),
    (".fini", true, EXECUTABLE),
    (".fini_array", false, WRITABLE),
    (".got", true, WRITABLE),
    (".init", true, EXECUTABLE),
    (".init_array", false, WRITABLE),
    (".persistent", false, WRITABLE),
    (".plt", true, EXECUTABLE),
    (".preinit_array", false, WRITABLE),
    (".text", false, EXECUTABLE),
];

/// What the name of a section asked for says about its contents.
fn kind_of_section(name: &[u8]) -> Option<Kind> {
    match () {
        () if has_stem(name, ".bss") || has_stem(name, ".gnu.linkonce.b") => Some(Kind::ZeroFilled),
        () if has_stem(name, ".tdata") || has_stem(name, ".gnu.linkonce.td") => Some(Kind::ThreadData),
        () if has_stem(name, ".tbss") || has_stem(name, ".gnu.linkonce.tb") => Some(Kind::ThreadZeroFilled),
        () => None,
    }
}

fn section_type(name: &[u8], kind: Kind) -> SectionType {
    match kind {
        _ if name.starts_with(b".note") => elf::SHT_NOTE,
        _ if has_stem(name, ".init_array") => elf::SHT_INIT_ARRAY,
        _ if has_stem(name, ".fini_array") => elf::SHT_FINI_ARRAY,
        _ if has_stem(name, ".preinit_array") => elf::SHT_PREINIT_ARRAY,
        _ if has_stem(name, ".llvm.offloading") => SHT_LLVM_OFFLOADING,
        _ if name == b".llvm.lto" => SHT_LLVM_LTO,
        Kind::ZeroFilled | Kind::ThreadZeroFilled => elf::SHT_NOBITS,
        _ => elf::SHT_PROGBITS,
    }
}

/// Whether a section's name is `stem` or `stem` with something after a dot.
fn has_stem(name: &[u8], stem: &str) -> bool {
    let rest = name.strip_prefix(stem.as_bytes());
    rest.is_some_and(|rest| rest.is_empty() || rest.starts_with(b"."))
}
