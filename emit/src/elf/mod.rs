//! Relocatable ELF object files.
//!
//! Method: functions are appended to their sections as they come, with their relocations as plain records that name
//! dense target numbers. When all are there, data, constants, constructor arrays and aliases are placed; then every
//! place is known, relocations that no linker can change are resolved (`resolve`), symbols are numbered (`symtab`)
//! and the file is written from front to back (`file`), section contents straight from their buffers.
//!
//! Nothing is hashed or allocated for a relocation. Numbers and layouts of ELF come from the `object` crate's
//! encoder; its higher-level writers keep names in hash tables and sort them, which costs more than all of this.
//!
//! Relocations have addends beside them (`SHT_RELA`), or leave them in their fields (`SHT_REL`): the target says which
//! ([`frazil_codegen::ElfDesc::addends_in_fields`]). Addends are kept apart until all is resolved, so nothing else
//! depends on it.

mod blocks;
mod compress;
mod contents;
mod debug;
mod entry;
mod file;
mod foreign;
mod handlers;
mod headers;
mod resolve;
mod strings;
mod symtab;
mod tables;

pub(crate) use debug::write_split;

use crate::cfi::FrameTable;
use crate::constants::ConstantPool;
use crate::dwarf::{DebugSection, DebugWriter};
use crate::error::EmitError;
use crate::exceptions::{self, Encodings, Late};
use crate::placement::{DataPlace, EmitOptions, Placement, alias_base};
use crate::relocation_targets::{TargetId, TargetKind, Targets};
use crate::section::{SectionDesc, SectionId};
use crate::tools;
use blocks::BlockTable;
use contents::Contents;
use foreign::Foreign;
use frazil_codegen::{CodeBuffer, CompiledFunction, RefKind, TargetDesc};
use frazil_ir::included::DEBUG_INFORMATION;
use frazil_ir::module::{DataRelocation, PlacedData, TlsModel};
use frazil_ir::{DataDef, EntityRef, FuncId, Linkage, Module, Refusal, SymbolId, SymbolKind};
use frazil_support::FxHashSet;
use object::elf;
use std::io::Write;

/// How a relocation names its target.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Naming {
    /// By the symbol, or by section and offset where that means the same.
    Any,
    /// By the symbol, because the linker makes a table entry for it.
    Symbol,
    /// By section and offset, whatever other objects define.
    Section,
    /// By the symbol, for its entry of the procedure linkage table.
    Table,
}

/// A relocation before symbols are numbered. There are so many that padding would be half a megabyte in a large module.
#[derive(Clone, Copy, Debug)]
#[repr(C, packed(4))]
struct PendingRelocation {
    offset: u64,
    addend: i64,
    target: TargetId,
    /// Index into the target's relocation table.
    kind: u8,
    naming: Naming,
}

/// A field in data that holds the difference of two addresses.
#[derive(Clone, Copy, Debug)]
struct PendingDifference {
    section: SectionId,
    offset: u64,
    bytes: u8,
    target: TargetId,
    addend: i64,
    minus: TargetId,
    /// How a relocation names the target, if one is left.
    naming: Naming,
    /// The data definition, for messages.
    within: SymbolId,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Location {
    /// In another object.
    Elsewhere,
    /// In a section, so many bytes from its start.
    At(SectionId, u64),
    /// Wherever the linker allocates it, with this alignment as log2 of bytes.
    Common(u8),
}

/// What is known of a target.
#[derive(Clone, Copy, Debug)]
struct TargetState {
    location: Location,
    /// Size in bytes.
    size: u64,
    /// Whether it is invisible to other objects.
    local: bool,
    /// Whether relocations must name it even if it is local.
    keep_name: bool,
    /// Whether a relocation names it.
    used: bool,
}

/// An object file while it is made.
#[derive(Debug)]
pub struct ObjectBuilder<'a> {
    module: &'a Module,
    target: &'static TargetDesc,
    placement: Placement<'a>,
    targets: Targets,
    states: Vec<TargetState>,
    contents: Contents,
    constants: ConstantPool,
    frames: Option<FrameTable>,
    debug: Option<Box<DebugWriter<'a>>>,
    frame_relocations: Vec<PendingRelocation>,
    /// Relocations whose targets have no numbers yet: in which section (none: that of frames), which one, and the
    /// target's place among what exception tables point at.
    late_relocations: Vec<(Option<SectionId>, usize, usize)>,
    /// Functions with data in front and words between it and their symbols.
    typed_prefixes: Box<FxHashSet<SymbolId>>,
    table_places: Vec<Location>,
    differences: Vec<PendingDifference>,
    blocks: BlockTable,
    foreign: Box<Foreign>,
    /// Numbers of the current function's constants.
    constant_numbers: Vec<u32>,
    /// The place of the current function's jump tables among the late targets.
    jump_tables: usize,
    /// What goes to a file of its own, once it is known.
    split: Vec<DebugSection>,
}

impl<'a> ObjectBuilder<'a> {
    /// Starts the object of a module.
    ///
    /// # Errors
    /// When the module has something at its top level that is not written, by name.
    pub fn new(
        module: &'a Module,
        target: &'static TargetDesc,
        options: EmitOptions,
    ) -> Result<ObjectBuilder<'a>, EmitError> {
        let targets = Targets::new(module);
        let outside = TargetState {
            location: Location::Elsewhere,
            size: 0,
            local: false,
            keep_name: false,
            used: false,
        };
        let mut states = vec![outside; targets.fixed_count()];
        for (symbol, data) in module.symbols.iter() {
            let state = &mut states[symbol.index()];
            state.local = data.linkage.is_local();
            state.keep_name = data.tls != TlsModel::NotThreadLocal || matches!(data.kind, SymbolKind::Ifunc { .. });
        }
        Ok(ObjectBuilder {
            module,
            target,
            debug: match DEBUG_INFORMATION {
                true => DebugWriter::new(module, target, &options.debug).map(Box::new),
                false => None,
            },
            placement: Placement::new(module, target, options)?,
            targets,
            states,
            contents: Contents::new(target.elf.filler),
            constants: ConstantPool::default(),
            frames: None,
            frame_relocations: Vec::new(),
            late_relocations: Vec::new(),
            typed_prefixes: Box::default(),
            table_places: Vec::new(),
            differences: Vec::new(),
            blocks: BlockTable::default(),
            foreign: Box::default(),
            constant_numbers: Vec::new(),
            jump_tables: 0,
            split: Vec::new(),
        })
    }

    /// Says how much code there will be, if most of it is in one section. This is a guess, and what is too much of it
    /// costs address space only; where the section has room from the start, it leaves no holes as it grows.
    pub fn expect_code(&mut self, bytes: usize) {
        self.contents.expected_code_bytes = bytes;
    }

    /// Appends a function.
    ///
    /// # Errors
    /// When a limit of the file format is passed, or the code has texts that are no bytes yet.
    pub fn add_function(&mut self, function: FuncId, code: &CompiledFunction) -> Result<(), EmitError> {
        let head = &self.module.functions[function];
        if !code.body.texts().is_empty() {
            let name = self.module.display_name(head.symbol);
            return Err(EmitError::unsupported(
                Refusal::InlineAssembly,
                "inline assembly that an assembler must encode",
                name,
            ));
        }
        let section = self.placement.function(function, code.attachments.as_deref());
        let align_log2 = head.align_log2.max(code.align_log2);
        let start = self
            .contents
            .align(self.placement.sections.desc(section), section, align_log2)?;
        let type_words = code.attachments.as_ref().and_then(|attachments| attachments.type_words);
        let start = match (head.prefix_filler, &head.prefix_data, type_words) {
            (0, None, None) => start,
            _ => self.put_prefix(section, function, type_words)?,
        };
        self.constants.add_all(&code.body.constants, &mut self.constant_numbers);
        if code.body.data_tables().len() > 0 {
            self.add_jump_tables(function, code)?;
        }
        let state = &mut self.states[head.symbol.index()];
        state.location = Location::At(section, start);
        state.size = code.len() as u64;
        self.append_code(section, start, &code.prologue);
        self.append_code(section, start + code.prologue.bytes.len() as u64, &code.body);
        if !code.body.splices().is_empty() {
            self.place_texts(section, start + code.prologue.bytes.len() as u64, &code.body);
        }
        if code.body.block_addresses.is_some() {
            self.blocks.add(function, code);
        }
        if self.debug.is_some() {
            self.add_debug(function, section, start, code);
        }
        if head.entry_filler.max(head.prefix_filler) > 0 {
            self.list_filler(head, code.mark_bytes)?;
        }
        if head.unwind_table || !head.no_unwind {
            let personality = exceptions::handler(self.module, head, code);
            let table = match personality {
                Some(_) => Some(self.add_exception_table(function, code)?),
                None => None,
            };
            self.add_frame(head.symbol, code, personality.zip(table));
        }
        if let Some(attachments) = &code.attachments {
            for data in &attachments.data {
                self.add_placed(data)?;
            }
        }
        Ok(())
    }

    /// Adds data that passes have made for a function.
    #[cold]
    fn add_placed(&mut self, data: &PlacedData) -> Result<(), EmitError> {
        let section = self.placement.placed(data);
        let desc = self.placement.sections.desc(section);
        let start = self.contents.align(desc, section, data.align_log2)?;
        let size = data.bytes.len() as u64;
        let state = &mut self.states[data.symbol.index()];
        (state.size, state.location) = (size, Location::At(section, start));
        self.contents.append(desc, section, &data.bytes, size)?;
        let def = data.def();
        for relocation in &data.relocations {
            self.add_data_relocation(&def, section, start, relocation)?;
        }
        Ok(())
    }

    /// Appends the address of a symbol, some bytes further.
    fn put_address(
        &mut self,
        section: SectionId,
        symbol: SymbolId,
        addend: i64,
        naming: Naming,
    ) -> Result<(), EmitError> {
        let bytes = self.target.pointer_bytes;
        let kind = self.absolute_kind(bytes).ok_or_else(|| {
            let what = format!("addresses of {bytes} bytes for this target");
            EmitError::unsupported(Refusal::ObjectFile, what, self.module.display_name(symbol))
        })?;
        let desc = self.placement.sections.desc(section);
        let align_log2 = if desc.has(elf::SHF_ALLOC) {
            bytes.trailing_zeros()
        } else {
            0
        };
        let offset = self.contents.align(desc, section, align_log2 as u8)?;
        self.contents.append(desc, section, &[], bytes.into())?;
        let target = self.targets.symbol(self.module, symbol);
        self.contents.section(section).relocations.push(PendingRelocation {
            offset,
            addend,
            target,
            kind,
            naming,
        });
        Ok(())
    }

    /// Says which symbols ask for a partition.
    fn add_partitions(&mut self) -> Result<(), EmitError> {
        for (symbol, section, bytes) in self.placement.partitions() {
            let desc = self.placement.sections.desc(section);
            self.contents.align(desc, section, 0)?;
            self.contents.append(desc, section, &bytes, bytes.len() as u64)?;
            self.put_address(section, symbol, 0, Naming::Symbol)?;
        }
        Ok(())
    }

    /// Places data and says what of it cannot be written; the object is of no use then.
    pub fn data_refusals(&mut self) -> Vec<EmitError> {
        let module = self.module;
        let mut found: Vec<EmitError> = module
            .data
            .values()
            .filter_map(|def| self.add_data(def).err())
            .collect();
        found.extend(self.add_entry_relocations().err());
        found.extend(self.place_aliases().err());
        for difference in std::mem::take(&mut self.differences) {
            found.extend(self.resolve_difference(&difference).err());
        }
        found
    }

    /// Places everything that is left and writes the file. Returns the bytes of the other file, if there is to be one
    /// with what linkers need not see of debug information.
    ///
    /// # Errors
    /// When the module asks for something that cannot be written, when a limit is passed, or the writer's errors.
    pub fn finish(mut self, out: &mut dyn Write) -> Result<Option<Vec<u8>>, EmitError> {
        if !self.module.asm.is_empty() && !self.foreign.is_there {
            let what = "module-level assembly without an assembler";
            return Err(EmitError::unsupported(Refusal::ModuleAssembly, what, "llvm.module.asm"));
        }
        self.resolve_foreign_blocks()?;
        for def in self.module.data.values() {
            self.add_data(def)?;
        }
        self.add_entry_relocations()?;
        self.add_constants()?;
        self.add_init_entries(true)?;
        self.add_init_entries(false)?;
        self.add_debug_sections()?;
        self.add_late()?;
        self.place_aliases()?;
        self.add_partitions()?;
        self.add_frame_section()?;
        for section in tools::sections(self.module, self.target) {
            let id = self.placement.sections.intern(section.desc);
            let desc = self.placement.sections.desc(id);
            self.contents.align(desc, id, section.align_log2)?;
            self.contents
                .append(desc, id, &section.bytes, section.bytes.len() as u64)?;
        }
        let stack_note = SectionDesc::new(b".note.GNU-stack", elf::SHT_PROGBITS, elf::SectionFlags(0));
        let stack_note = self.placement.sections.intern(stack_note);
        self.contents.touch(stack_note);
        self.resolve_differences()?;
        let named_sections = self.resolve_relocations()?;
        if self.target.elf.addends_in_fields {
            self.store_addends()?;
        }
        file::write(&self, &named_sections, out)?;
        let is_wanted = DEBUG_INFORMATION && self.placement.options.debug.has_file();
        is_wanted.then(|| self.split_file()).transpose()
    }

    fn append_code(&mut self, section: SectionId, start: u64, code: &CodeBuffer) {
        let expected = std::mem::take(&mut self.contents.expected_code_bytes);
        let mut contents = self.contents.section(section);
        contents.reserve(code.bytes.len().max(expected), code.relocs.len());
        contents.bytes.extend_from_slice(&code.bytes);
        for reloc in &code.relocs {
            let naming = match reloc.target.kind() {
                RefKind::Block => {
                    self.blocks.refer(section, start, reloc, code);
                    continue;
                }
                RefKind::Table => {
                    self.refer_to_table(section, start, reloc, code);
                    contents = self.contents.section(section);
                    continue;
                }
                RefKind::Foreign => {
                    let place = (start + u64::from(reloc.offset), reloc.kind);
                    self.push_foreign_relocation(section, place, reloc.target, reloc.addend);
                    contents = self.contents.section(section);
                    continue;
                }
                RefKind::Symbol | RefKind::Plt | RefKind::Constant | RefKind::Label => Naming::Any,
                _ => Naming::Symbol,
            };
            let relocation = PendingRelocation {
                offset: start + u64::from(reloc.offset),
                addend: reloc.addend,
                target: self
                    .targets
                    .reference(self.module, reloc.target, &self.constant_numbers),
                kind: reloc.kind,
                naming,
            };
            // Most callees that a module keeps to itself come before their callers: nothing is to wait for.
            let state = self.states.get(relocation.target.index());
            let is_done = state.is_some_and(|state| {
                resolve::store_distance(self.target, &relocation, state, section, &mut contents.bytes) == Some(true)
            });
            if !is_done {
                contents.relocations.push(relocation);
            }
        }
    }

    /// Adds the call frame description of a function, with a personality routine and the place of its exception table.
    fn add_frame(&mut self, symbol: SymbolId, code: &CompiledFunction, handler: Option<(SymbolId, usize)>) {
        let is_large = self.module.flags.is_large();
        let elf = &self.target.elf;
        let Some(kind) = (if is_large { elf.pc64 } else { elf.pc32 }) else {
            return;
        };
        let frames = self
            .frames
            .get_or_insert_with(|| FrameTable::new(self.target, is_large));
        let encodings = Encodings::of(elf, self.placement.options.relocation_model);
        let personality = handler.map(|(personality, _)| (personality, encodings));
        let fields = frames.add(code.len() as u32, &code.unwind, personality);
        if let (Some(field), Some((personality, _))) = (fields.personality, handler) {
            self.name_symbol(None, field, Late::Personality(personality), personality);
        }
        self.frame_relocations.push(PendingRelocation {
            offset: fields.code,
            addend: 0,
            target: TargetId::new(symbol.index()),
            kind,
            naming: Naming::Section,
        });
        if let (Some(field), Some((_, table))) = (fields.table, handler) {
            self.name_late(None, field, table);
        }
    }

    fn add_frame_section(&mut self) -> Result<(), EmitError> {
        let Some(frames) = self.frames.take() else {
            return Ok(());
        };
        let desc = SectionDesc::new(b".eh_frame", elf::SHT_PROGBITS, elf::SHF_ALLOC);
        let section = self.placement.sections.intern(desc);
        let align_log2 = self.target.pointer_bytes.trailing_zeros() as u8;
        let start = self
            .contents
            .align(self.placement.sections.desc(section), section, align_log2)?;
        let contents = self.contents.section(section);
        contents
            .bytes
            .extend_from_slice(&frames.finish(usize::from(self.target.pointer_bytes)));
        contents
            .relocations
            .extend(self.frame_relocations.drain(..).map(|relocation| PendingRelocation {
                offset: relocation.offset + start,
                ..relocation
            }));
        Ok(())
    }

    fn add_data(&mut self, def: &DataDef) -> Result<(), EmitError> {
        let place = self.placement.data(def);
        let state = &mut self.states[def.symbol.index()];
        let section = match place {
            DataPlace::Dropped => return Ok(()),
            DataPlace::Common => {
                state.size = def.size;
                state.location = Location::Common(def.align_log2);
                return Ok(());
            }
            DataPlace::Section(section) => section,
        };
        let desc = self.placement.sections.desc(section);
        let start = self.contents.align(desc, section, def.align_log2)?;
        let given = &self.module.bytes[def.first_byte as usize..][..def.byte_count as usize];
        if desc.is_zero_filled() && (given.iter().any(|&byte| byte != 0) || def.relocation_count > 0) {
            let what = format!("contents in section {}", String::from_utf8_lossy(&desc.name));
            return Err(EmitError::malformed(what, self.module.display_name(def.symbol)));
        }
        state.size = def.size;
        state.location = Location::At(section, start);
        state.keep_name |= desc.is_mergeable();
        self.contents.append(desc, section, given, def.size)?;
        self.add_data_relocations(def, section, start)
    }

    /// Notes the relocations of data that begins at `start`.
    fn add_data_relocations(&mut self, def: &DataDef, section: SectionId, start: u64) -> Result<(), EmitError> {
        for relocation in self.module.data_relocations(def) {
            self.add_data_relocation(def, section, start, relocation)?;
        }
        Ok(())
    }

    fn add_data_relocation(
        &mut self,
        def: &DataDef,
        section: SectionId,
        start: u64,
        relocation: &DataRelocation,
    ) -> Result<(), EmitError> {
        let (target, distance, naming) = self.data_target(def, relocation, relocation.target)?;
        let addend = relocation.addend.wrapping_add(distance);
        let offset = start + relocation.offset;
        if let Some(minus) = relocation.minus {
            let (minus, distance, _) = self.data_target(def, relocation, minus)?;
            self.differences.push(PendingDifference {
                section,
                offset,
                bytes: relocation.size,
                target,
                addend: addend.wrapping_sub(distance),
                minus,
                naming,
                within: def.symbol,
            });
            return Ok(());
        }
        let kind = self.absolute_kind(relocation.size).ok_or_else(|| {
            let what = format!("an address in {} bytes of data", relocation.size);
            EmitError::unsupported(Refusal::Initializer, what, self.module.display_name(def.symbol))
        })?;
        self.contents.section(section).relocations.push(PendingRelocation {
            offset,
            addend,
            target,
            kind,
            naming,
        });
        Ok(())
    }

    fn absolute_kind(&self, bytes: u8) -> Option<u8> {
        match bytes {
            8 => self.target.elf.abs64,
            4 => self.target.elf.abs32,
            2 => self.target.elf.abs16,
            1 => self.target.elf.abs8,
            _ => None,
        }
    }

    fn add_constants(&mut self) -> Result<(), EmitError> {
        for constant in self.constants.entries() {
            let section = ConstantPool::section(constant, &mut self.placement.sections);
            let desc = self.placement.sections.desc(section);
            let start = self.contents.align(desc, section, constant.align_log2(self.target))?;
            self.contents.append(
                desc,
                section,
                &constant.bytes[..usize::from(constant.len)],
                constant.len.into(),
            )?;
            self.states.push(TargetState {
                location: Location::At(section, start),
                size: u64::from(constant.len),
                local: true,
                keep_name: true,
                used: false,
            });
        }
        Ok(())
    }

    fn add_init_entries(&mut self, constructors: bool) -> Result<(), EmitError> {
        let bytes = self.target.pointer_bytes;
        for place in self.placement.init_entries(constructors) {
            let symbol = place.entry.function;
            let kind = self.absolute_kind(bytes).ok_or_else(|| {
                EmitError::unsupported(
                    Refusal::ObjectFile,
                    "constructors for this target",
                    self.module.display_name(symbol),
                )
            })?;
            let desc = self.placement.sections.desc(place.section);
            let offset = self.contents.align(desc, place.section, bytes.trailing_zeros() as u8)?;
            self.contents.append(desc, place.section, &[], bytes.into())?;
            self.contents
                .section(place.section)
                .relocations
                .push(PendingRelocation {
                    offset,
                    addend: 0,
                    target: self.targets.symbol(self.module, symbol),
                    kind,
                    naming: Naming::Any,
                });
        }
        Ok(())
    }

    /// Gives aliases and indirect functions the places of what they name.
    fn place_aliases(&mut self) -> Result<(), EmitError> {
        for (symbol, data) in self.module.symbols.iter() {
            if data.linkage == Linkage::AvailableExternally {
                continue;
            }
            let Some((base, offset)) = alias_base(self.module, symbol)? else {
                continue;
            };
            let base = self.states[base.index()];
            let Location::At(section, start) = base.location else {
                let message = "an alias of something that is not defined in the object";
                return Err(EmitError::malformed(message, self.module.display_name(symbol)));
            };
            let state = &mut self.states[symbol.index()];
            state.location = Location::At(section, start.wrapping_add_signed(offset));
            state.size = base.size;
            state.keep_name |= base.keep_name;
        }
        Ok(())
    }

    /// A target's name for messages.
    fn target_name(&self, target: TargetId) -> String {
        match self.targets.kind(target) {
            TargetKind::Symbol(symbol) => self.module.display_name(symbol).into_owned(),
            TargetKind::Runtime(function) => function.name().to_owned(),
            TargetKind::Constant(number) => format!("constant {number}"),
            TargetKind::Late(late) => format!("{late:?}"),
        }
    }
}
