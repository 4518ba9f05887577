//! Everything of a bitcode file but the function bodies.
//!
//! Method: one walk over the outermost blocks finds module and string table; one walk over the module block reads
//! tables and records in the order of the file and notes where function bodies lie, by their length words. When
//! all constants are known, initialisers become bytes and relocations.
//!
//! Blocks that only optimisers need (use-list orders, summaries, symbol table, metadata but for the module flags) are
//! not entered. A file with more than one module is refused.

use super::attachments;
use super::attributes::AttributeTable;
use super::codes::{block as id, identification, module as code, strings};
use super::comdats;
use super::constant_operands;
use super::constants::ConstantTable;
use super::data_layout::DataLayout;
use super::debug;
use super::distances::{mark_far_aliases, mark_far_data};
use super::globals::Globals;
use super::metadata::{self, ModuleMetadata, RawFlagValue};
use super::names::{read_names_in_order, read_places, read_symbol_names};
use super::shapes::{self, Shape};
use super::types::TypeTable;
use crate::bitstream::block::{BLOCKINFO_ID, Block, BlockInfo, Item, SubBlock, next_top_level};
use crate::bitstream::cursor::Cursor;
use crate::bitstream::record::Record;
use crate::builder;
use crate::builder::intrinsics::Intrinsic;
use crate::builder::tables::{ModuleTables, ModuleValue};
use crate::error::{ReadError, ReadErrorKind};
use crate::wrapper;
use frazil_ir::included::{DEBUG_INFORMATION, RARE};
use frazil_ir::module::{Attachments, FunctionHead, GuardPlace, ModuleFlags};
use frazil_ir::{DataDef, EntityRef, FuncId, Module, Platform, Refusal, Str, SymbolId, SymbolKind};
use std::ops::Range;

/// Finds the platform of a triple, which is empty where a module says none.
pub type PlatformOf<'o> = &'o dyn Fn(&[u8]) -> Option<&'static Platform>;

/// How a module is read.
#[derive(Clone, Copy)]
pub struct ReadOptions<'o> {
    pub platform_of: PlatformOf<'o>,
    /// A triple in the place of the module's.
    pub triple: Option<&'o str>,
    /// A data layout in the place of the module's.
    pub data_layout: Option<&'o str>,
    /// Whether debug information is read, where the module has some.
    pub reads_debug: bool,
    /// Which module of the file is read, counted from 0; without it, there must be no other.
    pub number: Option<usize>,
}

impl<'o> ReadOptions<'o> {
    /// With these platforms, and otherwise as the module says.
    pub fn new(platform_of: PlatformOf<'o>) -> ReadOptions<'o> {
        ReadOptions {
            platform_of,
            triple: None,
            data_layout: None,
            reads_debug: false,
            number: None,
        }
    }

    /// The data layout before the module says one.
    fn layout(&self, platform: Option<&Platform>) -> Result<DataLayout, ReadError> {
        match self.data_layout {
            Some(text) => DataLayout::parse(text.as_bytes(), platform, 0),
            None => Ok(DataLayout::of_platform(platform)),
        }
    }
}

/// A module whose function bodies are read on request.
#[derive(Debug)]
pub struct BitcodeModule<'a> {
    pub(crate) stream: Cursor<'a>,
    pub(crate) tables: ModuleTables,
    /// What a call of each symbol means, if it is an intrinsic.
    pub(crate) intrinsics: Vec<Option<Intrinsic>>,
    /// Where the function bodies are, by function.
    pub(crate) bodies: Vec<SubBlock>,
    pub(crate) block_info: BlockInfo,
    /// Shapes of the abbreviations that function blocks begin with, where they are read fused.
    pub(crate) shapes: Vec<Option<Shape>>,
    /// Names of operand bundle tags.
    pub(crate) bundle_tags: Vec<Vec<u8>>,
    pub(super) version: u64,
    /// The module's metadata, to look for what functions name of it.
    pub(crate) metadata_block: Option<SubBlock>,
    /// What the module's metadata says.
    pub(crate) metadata: ModuleMetadata,
    /// The module flags `Dwarf Version` and `Debug Info Version`; 0 without.
    pub(super) dwarf_version: u8,
    debug_version: i64,
    /// From this size in bytes on, data goes to the large sections (module flag `Large Data Threshold`).
    large_data_threshold: u64,
    /// Where the blocks begin.
    first_block: u64,
    /// Which functions the file's own index has, by value, and where: in words from the one before the first block on.
    places: Vec<(u64, u64)>,
    /// Where the file says that its index is, counted like those of functions, or 0.
    said_index: u64,
    /// First bit of the index; 0 without one.
    index_start: u64,
    pub(super) refusals: Vec<ReadError>,
}

/// The outermost blocks that matter.
struct Outline {
    module: SubBlock,
    string_table: Option<SubBlock>,
    /// Where the first block of the module is, which says who wrote it, or else its own.
    first_block: u64,
}

impl<'a> BitcodeModule<'a> {
    /// Reads everything but the function bodies, and who unwinds functions that do not say it.
    ///
    /// # Errors
    /// If the bytes are not one module of LLVM bitcode, or contain something else than symbols at module level that is
    /// malformed or not supported.
    pub(super) fn read(bytes: &'a [u8], options: &ReadOptions<'_>) -> Result<BitcodeModule<'a>, ReadError> {
        if bytes.len() as u64 > u64::from(u32::MAX) / 4 {
            return Err(ReadError::new(
                ReadErrorKind::TooLarge,
                0,
                "an input of more than one gigabyte",
            ));
        }
        let mut cursor = wrapper::open(bytes)?;
        let outline = outline(&mut cursor, options.number)?;
        let platform = (options.platform_of)(options.triple.unwrap_or_default().as_bytes());
        let layout = options.layout(platform)?;
        let mut this = BitcodeModule {
            stream: cursor.clone(),
            tables: ModuleTables {
                input_bytes: bytes.len(),
                module: Module::new(layout.for_module()),
                platform,
                types: TypeTable::default(),
                layout,
                attributes: AttributeTable::default(),
                constants: ConstantTable::default(),
                values: Vec::new(),
                symbols: Vec::new(),
                single_thread_scopes: Vec::new(),
            },
            intrinsics: Vec::new(),
            bodies: Vec::new(),
            block_info: BlockInfo::default(),
            shapes: Vec::new(),
            bundle_tags: Vec::new(),
            version: 0,
            metadata_block: None,
            metadata: ModuleMetadata::default(),
            dwarf_version: 0,
            debug_version: 0,
            large_data_threshold: 0,
            first_block: outline.first_block,
            places: Vec::new(),
            said_index: 0,
            index_start: 0,
            refusals: Vec::new(),
        };
        let names = match &outline.string_table {
            Some(header) => this
                .read_string_table(&mut cursor, header)
                .map_err(|e| e.within("the string table"))?,
            None => Str::EMPTY,
        };
        this.read_module(&mut cursor, &outline.module, names, options)
            .map_err(|e| e.within("the module"))?;
        if let Some(triple) = options.triple {
            this.tables.module.triple = this.tables.module.strings.add(triple.as_bytes());
        }
        Ok(this)
    }

    /// Why symbols of the module are not supported, in order.
    pub fn refusals(&self) -> &[ReadError] {
        &self.refusals
    }

    /// The module without its bodies.
    pub fn module(&self) -> &Module {
        &self.tables.module
    }

    /// The same, to add symbols to: those that there are keep their numbers.
    pub fn module_mut(&mut self) -> &mut Module {
        &mut self.tables.module
    }

    /// The module without its bodies, given away; bodies can no longer be read.
    pub fn into_module(self) -> Module {
        self.tables.module
    }

    /// Where a function's body lies in the file, in bits from its beginning; to divide work by size, too.
    pub fn body_place(&self, function: FuncId) -> Range<u64> {
        self.bodies
            .get(function.index())
            .map_or(0..0, |body| body.start..body.end)
    }

    fn read_string_table(&mut self, cursor: &mut Cursor<'a>, header: &SubBlock) -> Result<Str, ReadError> {
        let mut record = Record::default();
        let mut block = Block::enter(cursor, header, &[]);
        let mut names = Str::EMPTY;
        while let item @ (Item::Record | Item::Block(_)) = block.next(cursor, &mut record)? {
            if item == Item::Record && record.code() == strings::BLOB {
                names = self
                    .tables
                    .module
                    .strings
                    .add(cursor.bytes().get(record.blob()).unwrap_or_default());
            }
        }
        Ok(names)
    }

    fn read_module(
        &mut self,
        cursor: &mut Cursor<'a>,
        header: &SubBlock,
        names: Str,
        options: &ReadOptions<'_>,
    ) -> Result<(), ReadError> {
        let mut record = Record::default();
        let mut globals = Globals::default();
        let mut block = Block::enter(cursor, header, &[]);
        loop {
            match block.next(cursor, &mut record)? {
                Item::End => break,
                Item::Block(inner) => {
                    let after = cursor.position();
                    self.read_inner(cursor, &inner, &mut record)
                        .map_err(|e| e.within(id::name(inner.id)))?;
                    cursor.seek(after);
                }
                Item::Record
                    if globals.take(
                        &record,
                        &mut self.tables.module,
                        &self.tables.types,
                        &self.tables.attributes,
                    )? =>
                {
                    self.number_symbols();
                }
                Item::Record => self.read_record(&record, &mut globals, names, options)?,
            }
        }
        if self.version == 0 && !RARE {
            let message = "a module of an LLVM before 3.2, whose instructions name values by their numbers";
            return Err(ReadError::unsupported(Refusal::OldFormat, header.start, message));
        }
        if self.bodies.len() != self.tables.module.functions.len() {
            let message = format!(
                "{} function bodies for {} functions",
                self.bodies.len(),
                self.tables.module.functions.len()
            );
            return Err(ReadError::malformed(header.start, message));
        }
        if RARE {
            comdats::add_comdats(&mut self.tables.module, &globals.implicit_comdats);
        }
        self.tables.module.shrink_to_fit();
        self.intrinsics = self
            .tables
            .module
            .symbols
            .values()
            .map(|symbol| self.intrinsic_of(symbol))
            .collect();
        let abbreviations = self.block_info.abbreviations(id::FUNCTION);
        self.shapes = abbreviations.iter().map(shapes::recognise).collect();
        self.check_functions(header.start)?;
        let wrong = constant_operands::find_wrong(&self.tables.constants, 0, &self.tables.types, |value| {
            self.tables.value_type(value)
        });
        if let Some(message) = wrong {
            return Err(ReadError::malformed(header.start, message).within("the module"));
        }
        self.tables.symbols = std::mem::take(&mut globals.infos);
        self.refusals = std::mem::take(&mut globals.refusals);
        let refusals = builder::data::resolve_pending(&mut self.tables, &globals.pending)?;
        self.refusals.extend(refusals);
        for refusal in &mut self.refusals {
            *refusal = refusal.clone().within("the module");
        }
        self.apply_flags(header.start);
        self.apply_texts();
        self.apply_attachments(std::mem::take(&mut globals.sections_by_kind));
        let reads_debug = DEBUG_INFORMATION && options.reads_debug;
        if reads_debug && self.metadata.has_units && self.debug_version == DEBUG_METADATA_VERSION {
            self.read_debug()
                .map_err(|error| error.within(id::name(id::METADATA)))?;
        }
        Ok(())
    }

    fn read_debug(&mut self) -> Result<(), ReadError> {
        if let Some(header) = self.metadata_block {
            let cursor = self.stream.clone();
            let debug = debug::read_module(&self.tables, cursor, &header, &self.block_info, self.dwarf_version)?;
            self.tables.module.debug = Some(Box::new(debug));
        }
        Ok(())
    }

    /// Refuses functions that are elsewhere than the file's index says, by which LLVM finds them, and functions with
    /// bodies that have names of intrinsics.
    fn check_functions(&self, place: u64) -> Result<(), ReadError> {
        let names = self
            .tables
            .module
            .functions
            .values()
            .map(|head| self.tables.module.name(head.symbol));
        if let Some(name) = names.into_iter().find(|name| name.starts_with(b"llvm.")) {
            let message = format!("the intrinsic {} with a body", String::from_utf8_lossy(name));
            return Err(ReadError::malformed(place, message));
        }
        for &(value, words) in &self.places {
            let known = usize::try_from(value)
                .ok()
                .and_then(|value| self.tables.values.get(value));
            let kind = match known {
                Some(&ModuleValue::Symbol(symbol)) => self.tables.module.symbols.get(symbol).map(|data| data.kind),
                _ => None,
            };
            let body = match kind {
                Some(SymbolKind::Function(id)) => self.bodies.get(id.index()),
                _ => None,
            };
            if body.is_none_or(|body| !self.is_at(body.start, words)) {
                let message = format!("value {value} is no function at word {words}, as the index of functions says");
                return Err(ReadError::malformed(place, message));
            }
        }
        // LLVM looks for the index when it sees the first body.
        if self.said_index > 0 && !self.bodies.is_empty() && !self.is_at(self.index_start, self.said_index) {
            let message = format!("no symbol table at word {}, as the module says", self.said_index);
            return Err(ReadError::malformed(place, message));
        }
        Ok(())
    }

    /// Whether a block with its first bit at `start` is the one that the file says is at word `words`: counted to its
    /// header, from the word before the first block.
    fn is_at(&self, start: u64, words: u64) -> bool {
        const WORD_BITS: u64 = 32;
        const HEADER_BITS: u64 = 2 * WORD_BITS;
        let said = words
            .checked_mul(WORD_BITS)
            .and_then(|bits| bits.checked_add(self.first_block));
        said.is_some() && said == start.checked_sub(HEADER_BITS - WORD_BITS)
    }

    fn intrinsic_of(&self, symbol: &frazil_ir::SymbolData) -> Option<Intrinsic> {
        match symbol.kind {
            SymbolKind::FunctionDeclaration => {
                Intrinsic::from_name(self.tables.module.strings.bytes(symbol.name), self.tables.platform)
            }
            _ => None,
        }
    }

    /// Gives value numbers to symbols that have none yet.
    fn number_symbols(&mut self) {
        let numbered = self.tables.values.len() - self.tables.constants.rows.len();
        self.tables.values.extend(
            (numbered..self.tables.module.symbols.len()).map(|index| ModuleValue::Symbol(SymbolId::new(index))),
        );
    }

    fn read_record(
        &mut self,
        record: &Record,
        globals: &mut Globals,
        names: Str,
        options: &ReadOptions<'_>,
    ) -> Result<(), ReadError> {
        match record.code() {
            code::VERSION => {
                self.version = record.operand(0)?;
                if self.version > 2 {
                    let message = format!("module version {}; expected 0 to 2 (LLVM 3.0 to 22)", self.version);
                    return Err(ReadError::unsupported(Refusal::Bitcode, record.start(), message));
                }
                globals.set_string_table(names, self.version >= 2);
            }
            code::TRIPLE => {
                let triple = record.text(0);
                self.tables.module.triple = self.tables.module.strings.add(&triple);
                if options.triple.is_none() {
                    self.tables.platform = (options.platform_of)(&triple);
                }
                let layout = options.layout(self.tables.platform)?;
                if layout != self.tables.layout {
                    self.set_layout(layout, record.start())?;
                }
            }
            code::DATA_LAYOUT if options.data_layout.is_none() => {
                let layout = DataLayout::parse(&record.text(0), self.tables.platform, record.start())?;
                self.set_layout(layout, record.start())?;
            }
            code::ASM => self.tables.module.asm = self.tables.module.strings.add(&record.text(0)),
            code::SYMBOLS_OFFSET => self.said_index = record.operand(0)?,
            code::SOURCE_FILE_NAME => self.tables.module.source_name = self.tables.module.strings.add(&record.text(0)),
            // Offsets and hashes for other tools, and records of versions to come.
            _ => {}
        }
        Ok(())
    }

    fn set_layout(&mut self, layout: DataLayout, place: u64) -> Result<(), ReadError> {
        self.tables.module.data_layout = layout.for_module();
        self.tables.layout = layout;
        self.tables.types.lay_out(&self.tables.layout, place)
    }

    fn read_inner(&mut self, cursor: &mut Cursor<'a>, header: &SubBlock, record: &mut Record) -> Result<(), ReadError> {
        if header.id == BLOCKINFO_ID {
            return self.block_info.read(cursor, header);
        }
        if header.id == id::FUNCTION {
            self.bodies.push(*header);
            return Ok(());
        }
        if header.id == id::VALUE_SYMBOLS {
            self.index_start = header.start;
        }
        self.expect_first(header)?;
        let shared = self.block_info.abbreviations(header.id);
        let block = Block::enter(cursor, header, shared);
        match header.id {
            id::TYPES => {
                self.tables.types = TypeTable::read(cursor, block, record)?;
                if self.tables.types.len() > builder::word::MOST_TYPES {
                    let message = format!(
                        "{} types; at most {} are taken",
                        self.tables.types.len(),
                        builder::word::MOST_TYPES
                    );
                    return Err(ReadError::new(ReadErrorKind::TooLarge, header.start, message));
                }
                self.tables.types.lay_out(&self.tables.layout, header.start)?;
            }
            id::ATTRIBUTE_GROUPS => self.tables.attributes.read_groups(cursor, block, record)?,
            id::ATTRIBUTE_LISTS => self.tables.attributes.read_lists(cursor, block, record)?,
            id::CONSTANTS => {
                let first = self.tables.constants.rows.len();
                self.tables.constants.read(cursor, block, record, &self.tables.types)?;
                self.tables
                    .values
                    .extend((first..self.tables.constants.rows.len()).map(|row| ModuleValue::Constant(row as u32)));
            }
            id::METADATA => {
                let found = metadata::read_module(cursor, block, record, &self.tables.types)?;
                if found.has_nodes || self.metadata_block.is_none() {
                    self.metadata_block = Some(*header);
                }
                if !self.metadata.merge(found) {
                    let message = "a second block of metadata in the module";
                    return Err(ReadError::unsupported(Refusal::Bitcode, header.start, message));
                }
            }
            id::VALUE_SYMBOLS if self.version < 2 => {
                read_symbol_names(cursor, block, record, &self.tables.values, &mut self.tables.module)?;
            }
            id::VALUE_SYMBOLS => read_places(cursor, block, record, &mut self.places)?,
            id::BUNDLE_TAGS => self.bundle_tags = read_names_in_order(cursor, block, record)?,
            id::SCOPE_NAMES => {
                let names = read_names_in_order(cursor, block, record)?;
                if names.is_empty() {
                    return Err(ReadError::malformed(
                        header.start,
                        "a block without a synchronisation scope",
                    ));
                }
                self.tables.single_thread_scopes = names.iter().map(|name| name == b"singlethread").collect();
            }
            _ => block.leave(cursor)?,
        }
        Ok(())
    }

    /// Refuses a second block of what a module has once, unless the first had nothing.
    fn expect_first(&self, header: &SubBlock) -> Result<(), ReadError> {
        let is_first = match header.id {
            id::TYPES => self.tables.types.is_empty(),
            id::ATTRIBUTE_GROUPS => self.tables.attributes.has_no_groups(),
            id::ATTRIBUTE_LISTS => self.tables.attributes.has_no_lists(),
            id::SCOPE_NAMES => self.tables.single_thread_scopes.is_empty(),
            id::BUNDLE_TAGS => self.bundle_tags.is_empty(),
            _ => true,
        };
        if is_first {
            return Ok(());
        }
        let message = format!("a second {}", id::name(header.id));
        Err(ReadError::malformed(header.start, message))
    }

    /// Takes over what is attached to symbols.
    fn apply_attachments(&mut self, sections: Vec<(SymbolId, [Vec<u8>; 4])>) {
        let mut found: Vec<(SymbolId, Attachments)> = Vec::new();
        found.extend(sections.into_iter().map(|(symbol, sections)| {
            let attachments = Attachments {
                sections_by_kind: Some(Box::new(sections)),
                ..Attachments::default()
            };
            (symbol, attachments)
        }));
        for raw in std::mem::take(&mut self.metadata.attachments) {
            let known = usize::try_from(raw.value)
                .ok()
                .and_then(|value| self.tables.values.get(value));
            let Some(&ModuleValue::Symbol(symbol)) = known else {
                continue;
            };
            match found.iter_mut().find(|row| row.0 == symbol) {
                Some((_, attachments)) => attachments::attach(&self.tables, raw.what, attachments),
                None => {
                    let mut attachments = Attachments::default();
                    attachments::attach(&self.tables, raw.what, &mut attachments);
                    found.push((symbol, attachments));
                }
            }
        }
        found.retain(|(_, attachments)| *attachments != Attachments::default());
        self.tables.module.set_attachments(found);
    }

    /// Takes over what the module says to tools.
    fn apply_texts(&mut self) {
        let tools = &mut self.tables.module.tools;
        let lists = [
            &mut tools.identifications,
            &mut tools.command_lines,
            &mut tools.dependent_libraries,
            &mut tools.linker_options,
        ];
        for (list, texts) in lists.into_iter().zip(std::mem::take(&mut self.metadata.texts)) {
            list.extend(texts.iter().map(|text| self.tables.module.strings.add(text)));
        }
    }

    /// Takes the module flags that matter over into the module.
    fn apply_flags(&mut self, place: u64) {
        for flag in std::mem::take(&mut self.metadata.flags) {
            let value = match &flag.value {
                RawFlagValue::Constant(number) => builder::data::integer_value(&self.tables, *number),
                RawFlagValue::Text(text) => {
                    let (flags, platform) = (&mut self.tables.module.flags, self.tables.platform);
                    apply_text_flag(flags, platform, &flag.name, text);
                    self.refuse_flag(&flag.name, place);
                    None
                }
                RawFlagValue::List(_) => {
                    self.refuse_flag(&flag.name, place);
                    None
                }
            };
            let Some(value) = value else { continue };
            let small = u8::try_from(value).ok();
            let flags = &mut self.tables.module.flags;
            match flag.name.as_slice() {
                b"PIC Level" => flags.pic_level = small,
                b"PIE Level" => flags.pie_level = small,
                b"Code Model" => flags.code_model = small,
                b"Large Data Threshold" => self.large_data_threshold = u64::try_from(value).unwrap_or(0),
                b"uwtable" => flags.unwind_tables = small.unwrap_or(0),
                b"frame-pointer" => {
                    flags.frame_pointer = match value {
                        0 => frazil_ir::module::FramePointer::None,
                        2 => frazil_ir::module::FramePointer::All,
                        _ => frazil_ir::module::FramePointer::NonLeaf,
                    };
                }
                b"stack-protector-guard-offset" => flags.guard_offset = i32::try_from(value).ok(),
                b"RtLibUseGOT" => flags.runtime_uses_got = value != 0,
                // LLVM asks whether these are there, not what they are.
                b"cf-protection-branch" => flags.marks_branch_targets = true,
                b"cf-protection-return" => flags.allows_shadow_stack = true,
                b"override-stack-alignment" => flags.stack_align = u32::try_from(value).ok(),
                b"Dwarf Version" => self.dwarf_version = small.unwrap_or(0),
                b"Debug Info Version" => self.debug_version = value,
                b"ibt-seal" => flags.seals_functions = true,
                // What functions do their attributes say; this is what the object says. With 1, old modules say what
                // attributes say in others.
                b"branch-target-enforcement" if value != 1 => flags.declares_marked_targets = value != 0,
                b"sign-return-address" if value != 1 => flags.declares_signed_returns = value != 0,
                b"guarded-control-stack" => flags.allows_shadow_stack |= value != 0,
                b"direct-access-external-data" => flags.direct_access_external_data = Some(value != 0),
                b"NumRegisterParameters" if value == 0 => {}
                name => self.refuse_flag(name, place),
            }
        }
    }

    /// Module flags that ask for something that is not supported.
    fn refuse_flag(&mut self, name: &[u8], place: u64) {
        if let Some(name) = REFUSED_FLAGS.iter().find(|refused| refused.as_bytes() == name) {
            let refusal = ReadError::unsupported(Refusal::ModuleFlag, place, format!("module flag \"{name}\""));
            self.refusals.push(refusal.within("the module"));
        }
    }

    /// Chooses how far apart code and data may be, by LLVM's number of the code model, and from which size in bytes on
    /// data is far away in the medium one; without a word, the module's flags say it. Marks data that is far, but for
    /// definitions that `stays_near` names, and what is reached through it. To be called once, before functions are
    /// read.
    pub fn choose_code_model(
        &mut self,
        code_model: Option<u8>,
        threshold: Option<u64>,
        stays_near: impl Fn(&Module, &DataDef) -> bool,
    ) {
        let flags = &mut self.tables.module.flags;
        flags.code_model = code_model.or(flags.code_model);
        if flags.code_model == Some(CODE_MODEL_MEDIUM) {
            let threshold = threshold.unwrap_or(self.large_data_threshold);
            mark_far_data(
                &mut self.tables.module,
                &self.tables.symbols,
                &self.tables.types,
                threshold,
                stays_near,
            );
        }
        mark_far_aliases(&mut self.tables.module);
    }

    /// What the module says of its functions with bodies, to be changed before they are read.
    pub fn heads_mut(&mut self) -> impl Iterator<Item = &mut FunctionHead> {
        self.tables.module.functions.values_mut()
    }
}

/// Module flags by which functions get data or code that is not made here: identifiers of types before functions that
/// are checked before calls, and a section for a runtime of Objective-C.
const REFUSED_FLAGS: &[&str] = &[
    "branch-target-enforcement",
    "kcfi",
    // More than none: library functions take as many arguments in registers as functions do (clang -mregparm).
    "NumRegisterParameters",
    "Objective-C Image Info Section",
    "sign-return-address",
];

/// The module flag `Debug Info Version` of LLVM 3.5 and later. Debug information of others is ignored, as LLVM does.
const DEBUG_METADATA_VERSION: i64 = 3;

/// LLVM's number of the medium code model.
const CODE_MODEL_MEDIUM: u8 = 3;

/// Takes over a module flag whose value is a text. Where the guard of frames is, is the only thing that they say here.
fn apply_text_flag(flags: &mut ModuleFlags, platform: Option<&Platform>, name: &[u8], text: &[u8]) {
    let registers = platform.map_or(&[] as &[_], |platform| platform.guard_registers);
    let register = registers.iter().find(|row| row.0.as_bytes() == text);
    match (name, text) {
        (b"stack-protector-guard", b"tls") => {}
        (b"stack-protector-guard-reg", _) if flags.guard_place == GuardPlace::Thread => {
            flags.guard_place = register.map_or(GuardPlace::Variable, |row| row.1);
        }
        (b"stack-protector-guard" | b"stack-protector-guard-reg" | b"stack-protector-guard-symbol", _) => {
            flags.guard_place = GuardPlace::Variable;
        }
        _ => {}
    }
}

/// Finds the outermost blocks of the module with a number, or of the only one.
fn outline(cursor: &mut Cursor<'_>, number: Option<usize>) -> Result<Outline, ReadError> {
    let mut found: Option<Outline> = None;
    let mut count = 0;
    let mut identification = None;
    loop {
        let start = cursor.position();
        let Some(header) = next_top_level(cursor)? else { break };
        match header.id {
            id::MODULE if number.is_none() && found.is_some() => {
                let message = "a second module in the file; expected one (extract one with llvm-modextract)";
                return Err(ReadError::unsupported(Refusal::Bitcode, header.start, message));
            }
            id::MODULE => {
                let first_block = identification.take().unwrap_or(start);
                if count == number.unwrap_or(0) {
                    found = Some(Outline {
                        module: header,
                        string_table: None,
                        first_block,
                    });
                }
                count += 1;
            }
            // It belongs to all modules before it that have none.
            id::STRING_TABLE => {
                if let Some(outline) = &mut found {
                    outline.string_table.get_or_insert(header);
                }
            }
            id::IDENTIFICATION => {
                identification = Some(start);
                let after = cursor.position();
                check_epoch(cursor, &header).map_err(|e| e.within(id::name(header.id)))?;
                cursor.seek(after);
            }
            _ => {}
        }
    }
    found.ok_or_else(|| {
        let message = match number {
            Some(number) if count > 0 => format!("module {number} of {count} in the file"),
            _ => "no module in the file".to_owned(),
        };
        ReadError::new(ReadErrorKind::NotBitcode, cursor.position(), message)
    })
}

fn check_epoch(cursor: &mut Cursor<'_>, header: &SubBlock) -> Result<(), ReadError> {
    let mut record = Record::default();
    let mut block = Block::enter(cursor, header, &[]);
    while let item @ (Item::Record | Item::Block(_)) = block.next(cursor, &mut record)? {
        if item != Item::Record || record.code() == identification::PRODUCER {
            continue;
        }
        if record.code() != identification::EPOCH {
            return Err(record.malformed(format!("record {}, which is not known", record.code())));
        }
        if record.operand(0)? != 0 {
            let message = format!("bitcode epoch {}; expected 0", record.operand(0)?);
            return Err(ReadError::unsupported(Refusal::Bitcode, record.start(), message));
        }
    }
    Ok(())
}
