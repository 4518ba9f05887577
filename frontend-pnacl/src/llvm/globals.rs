//! Symbols of a module: the records of global variables, functions, aliases, ifuncs and comdats.
//!
//! A symbol's number in the IR is its value number in the file, because the records come before all constants.
//! What refers to constants (initialisers, aliasees, personalities) is kept as value numbers in [`Pending`] and
//! resolved when the module has been read.

use super::attributes::{AttributeTable, FunctionAttributes, LACKS_TYPE};
use super::codes::module as code;
use super::distances::{CODE_MODEL_LARGE, CODE_MODEL_SMALL, is_far_section};
use super::linkage::{expect_declared, has_implicit_comdat, linkage, linkage_of_alias, linkage_of_code};
use super::symbol_info::SymbolInfo;
use super::types::{Kind, TypeId, TypeTable};
use crate::bitstream::record::Record;
use crate::error::ReadError;
use crate::limits;
use frazil_ir::module::{ComdatData, ComdatSelection, SECTION_ATTRIBUTES, TlsModel};
use frazil_ir::signature::CallConv;
use frazil_ir::{
    ComdatId, DataDef, EntityRef, FunctionHead, Linkage, Module, Refusal, Str, SymbolData, SymbolId, SymbolKind,
    Visibility,
};

/// Variables in this section are for tools and not emitted.
const METADATA_SECTION: &[u8] = b"llvm.metadata";

/// Value numbers to be resolved when all constants are known; the record's place is for messages.
#[derive(Clone, Copy, Debug)]
pub struct Pending {
    /// The symbol that is to be completed.
    pub symbol: SymbolId,
    pub role: PendingRole,
    /// The value number.
    pub value: u64,
    /// Where the record stands.
    pub place: u64,
}

/// What a value is needed for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PendingRole {
    /// Contents of a variable.
    Initializer,
    /// Contents of a variable of appending linkage: a list for compilers and linkers, no data.
    List,
    /// What an alias names.
    Aliasee,
    /// Which function chooses.
    Resolver,
    /// A function's personality routine.
    Personality,
    /// What stands before a function.
    PrefixData,
    /// What a function begins with.
    PrologueData,
}

/// Collects symbols while the module block is read.
#[derive(Debug, Default)]
pub struct Globals {
    /// One row for each symbol.
    pub infos: Vec<SymbolInfo>,
    /// Values to resolve.
    pub pending: Vec<Pending>,
    /// Why variables are not supported.
    pub refusals: Vec<ReadError>,
    /// Definitions that are in a comdat of their own name without saying so.
    pub implicit_comdats: Vec<SymbolId>,
    /// Sections that variables go to by what they contain, ascending by symbol.
    pub sections_by_kind: Vec<(SymbolId, [Vec<u8>; 4])>,
    /// Names of sections, by number in the file.
    sections: Vec<Str>,
    /// Names of garbage collectors.
    collectors: Vec<Str>,
    /// Names in the string table.
    string_table: Str,
    /// Whether names are in the string table (version 2 of the module record).
    uses_string_table: bool,
    /// By list of attributes, what it says of functions with bodies, once one has had it.
    heads: Vec<Option<FunctionHead>>,
}

/// A record's fields after the name.
struct Fields<'r> {
    record: &'r Record,
    fields: &'r [u64],
}

impl Fields<'_> {
    /// A field that must be there.
    fn need(&self, index: usize) -> Result<u64, ReadError> {
        match self.fields.get(index) {
            Some(&value) => Ok(value),
            None => Err(self.record.malformed(format!(
                "a symbol's record has {} fields; expected at least {}",
                self.fields.len(),
                index + 1
            ))),
        }
    }

    /// A field that older versions do not write; they mean 0.
    fn optional(&self, index: usize) -> u64 {
        self.fields.get(index).copied().unwrap_or(0)
    }

    fn lacks(&self, index: usize) -> bool {
        self.fields.len() <= index
    }
}

impl Globals {
    /// Tells whether names are in the string table `table`.
    pub fn set_string_table(&mut self, table: Str, used: bool) {
        self.string_table = table;
        self.uses_string_table = used;
    }

    /// Takes in a record of the module block if it concerns symbols; returns whether it does.
    ///
    /// # Errors
    /// If the record is malformed or asks for what is not supported.
    pub fn take(
        &mut self,
        record: &Record,
        module: &mut Module,
        types: &TypeTable,
        attributes: &AttributeTable,
    ) -> Result<bool, ReadError> {
        match record.code() {
            code::SECTION_NAME => {
                let name = module.strings.add(&record.text(0));
                self.sections.push(name);
            }
            code::COLLECTOR_NAME => {
                let name = module.strings.add(&record.text(0));
                self.collectors.push(name);
            }
            code::COMDAT => self.comdat(record, module)?,
            code::GLOBAL_VARIABLE => self.variable(record, module, types, attributes)?,
            code::FUNCTION => self.function(record, module, types, attributes)?,
            code::ALIAS | code::ALIAS_OLD => self.alias(record, module, types)?,
            code::IFUNC => self.ifunc(record, module, types)?,
            _ => return Ok(false),
        }
        Ok(true)
    }

    /// Splits the name off a record.
    fn named<'r>(&self, record: &'r Record, module: &Module) -> Result<(Str, Fields<'r>), ReadError> {
        if !self.uses_string_table {
            return Ok((
                Str::EMPTY,
                Fields {
                    record,
                    fields: record.operands(),
                },
            ));
        }
        let (offset, length) = (record.operand(0)?, record.operand(1)?);
        let name = self.string(record, module, offset, length)?;
        Ok((
            name,
            Fields {
                record,
                fields: record.operands().get(2..).unwrap_or_default(),
            },
        ))
    }

    fn string(&self, record: &Record, module: &Module, offset: u64, length: u64) -> Result<Str, ReadError> {
        if length == 0 {
            return Ok(Str::EMPTY);
        }
        module.strings.slice(self.string_table, offset, length).ok_or_else(|| {
            let size = module.strings.bytes(self.string_table).len();
            record.malformed(format!(
                "a name of {length} bytes at byte {offset} of a string table of {size} bytes"
            ))
        })
    }

    fn section(&self, record: &Record, number: u64) -> Result<Str, ReadError> {
        match number.checked_sub(1) {
            None => Ok(Str::EMPTY),
            Some(index) => {
                let name = usize::try_from(index).ok().and_then(|index| self.sections.get(index));
                name.copied()
                    .ok_or_else(|| record.malformed(format!("section {number} of {}", self.sections.len())))
            }
        }
    }

    fn collector(&self, record: &Record, number: u64) -> Result<Option<Str>, ReadError> {
        let Some(index) = number.checked_sub(1) else {
            return Ok(None);
        };
        let name = usize::try_from(index).ok().and_then(|index| self.collectors.get(index));
        match name {
            Some(&name) => Ok(Some(name)),
            None => Err(record.malformed(format!("garbage collector {number} of {}", self.collectors.len()))),
        }
    }

    fn comdat(&mut self, record: &Record, module: &mut Module) -> Result<(), ReadError> {
        let (name, selection) = if self.uses_string_table {
            let (name, fields) = self.named(record, module)?;
            (name, fields.need(0)?)
        } else {
            (module.strings.add(&record.text(2)), record.operand(0)?)
        };
        let selection = match selection {
            1 => ComdatSelection::Any,
            2 => ComdatSelection::ExactMatch,
            3 => ComdatSelection::Largest,
            4 => ComdatSelection::NoDeduplicate,
            5 => ComdatSelection::SameSize,
            other => return Err(record.malformed(format!("comdat selection {other}; expected 1 to 5"))),
        };
        module.comdats.push(ComdatData { name, selection });
        Ok(())
    }

    /// Completes a symbol from the fields that all kinds share and adds it.
    #[allow(
        clippy::too_many_arguments,
        reason = "one for each field that the kinds keep in different places"
    )]
    fn add(
        &mut self,
        record: &Record,
        module: &mut Module,
        mut data: SymbolData,
        info: SymbolInfo,
        visibility: u64,
        comdat: u64,
        partition: (u64, u64),
    ) -> Result<SymbolId, ReadError> {
        // Some variables with contents are no data here, but definitions to others.
        let is_declared = match data.kind {
            SymbolKind::FunctionDeclaration => true,
            SymbolKind::DataDeclaration => !info.has_contents,
            _ => false,
        };
        data.visibility = match visibility {
            1 => Visibility::Hidden,
            2 => Visibility::Protected,
            _ => Visibility::Default,
        };
        if data.linkage.is_local() {
            data.visibility = Visibility::Default;
        }
        // LLVM implies this where it does not write it.
        data.dso_local |= data.linkage.is_local()
            || (data.visibility != Visibility::Default && data.linkage != Linkage::ExternalWeak);
        if let Some(index) = comdat.checked_sub(1) {
            if index >= module.comdats.len() as u64 {
                return Err(record.malformed(format!("comdat {comdat} of {}", module.comdats.len())));
            }
            if is_declared {
                return Err(record.malformed("a declaration in a comdat; expected a definition"));
            }
            data.comdat = Some(ComdatId::new(index as usize));
        }
        if self.uses_string_table {
            data.partition = self.string(record, module, partition.0, partition.1)?;
        }
        self.infos.push(info);
        Ok(module.symbols.push(data))
    }

    fn variable(
        &mut self,
        record: &Record,
        module: &mut Module,
        types: &TypeTable,
        attributes: &AttributeTable,
    ) -> Result<(), ReadError> {
        let (name, fields) = self.named(record, module)?;
        let written = fields.need(0)?;
        let flags = fields.need(1)?;
        let (ty, space) = if flags & 2 != 0 {
            (written, flags >> 2)
        } else {
            match types.kind(checked_type(record, written, types)?) {
                Some(&Kind::Pointer {
                    space,
                    pointee: Some(pointee),
                }) => (u64::from(pointee), u64::from(space)),
                _ => return Err(record.malformed(format!("a variable of type {written}, which is no typed pointer"))),
            }
        };
        let ty = checked_type(record, ty, types)?;
        if space != 0 {
            let message = format!("variable \"{}\" in address space {space}", module.strings.display(name));
            self.refusals
                .push(ReadError::unsupported(Refusal::AddressSpace, record.start(), message));
        }
        let linkage = linkage(record, fields.need(3)?)?;
        let initializer = fields.need(2)?;
        if initializer == 0 {
            expect_declared(record, linkage)?;
        }
        let section = self.section(record, fields.need(5)?)?;
        let is_list = linkage == Linkage::Appending;
        if is_list && !matches!(types.kind(ty), Some(Kind::Array { .. })) {
            return Err(record.malformed("a variable of appending linkage that is no array"));
        }
        let is_defined = initializer != 0 && !is_list && module.strings.bytes(section) != METADATA_SECTION;
        let kind = if is_defined {
            SymbolKind::Data(module.data.next_key())
        } else {
            SymbolKind::DataDeclaration
        };
        let tls = tls_model(fields.optional(7));
        let code_model = fields.optional(17);
        if code_model > CODE_MODEL_LARGE {
            return Err(record.malformed(format!("a code model of the number {code_model}")));
        }
        let is_far = match code_model {
            _ if tls != TlsModel::NotThreadLocal => false,
            CODE_MODEL_SMALL => false,
            CODE_MODEL_LARGE => true,
            _ => is_far_section(module.strings.bytes(section)),
        };
        let data = SymbolData {
            name,
            kind,
            linkage,
            dso_local: fields.optional(13) != 0,
            far: is_far,
            unnamed_addr: fields.optional(8) == 1,
            tls,
            section,
            ..SymbolData::default()
        };
        let align_log2 = alignment(record, fields.need(4)?)?;
        let info = SymbolInfo {
            says_distance: matches!(code_model, CODE_MODEL_SMALL | CODE_MODEL_LARGE),
            has_contents: initializer != 0,
            ..SymbolInfo::new(ty, 0)
        };
        let partition = (fields.optional(14), fields.optional(15));
        let symbol = self.add(
            record,
            module,
            data,
            info,
            fields.optional(6),
            fields.optional(11),
            partition,
        )?;
        if fields.lacks(11) && is_defined && has_implicit_comdat(fields.need(3)?) {
            self.implicit_comdats.push(symbol);
        }
        let list = fields.optional(12);
        if list != 0 && is_defined {
            self.sections_by_kind(record, symbol, list, attributes)?;
        }
        let Some(value) = initializer.checked_sub(1) else {
            return Ok(());
        };
        let role = if is_list {
            PendingRole::List
        } else {
            PendingRole::Initializer
        };
        self.pending.push(Pending {
            symbol,
            role,
            value,
            place: record.start(),
        });
        if !is_defined {
            return Ok(());
        }
        let layout = types.layout(ty);
        if let Some(&Kind::Other(other)) = types.kind(ty) {
            let message = format!("variable \"{}\" of type {}", module.strings.display(name), other.name());
            self.refusals
                .push(ReadError::unsupported(other.refusal(), record.start(), message));
        } else if !layout.sized {
            return Err(record.malformed(format!("a variable of type {ty}, which has no size")));
        }
        module.data.push(DataDef {
            symbol,
            size: layout.stride(),
            align_log2: align_log2.unwrap_or(layout.align_log2),
            constant: flags & 1 != 0,
            first_byte: 0,
            byte_count: 0,
            first_relocation: 0,
            relocation_count: 0,
        });
        Ok(())
    }

    /// Notes the sections that attributes of a variable name.
    #[cold]
    fn sections_by_kind(
        &mut self,
        record: &Record,
        symbol: SymbolId,
        list: u64,
        attributes: &AttributeTable,
    ) -> Result<(), ReadError> {
        let Some(list) = attributes.list(list) else {
            return Err(record.malformed(format!("attribute list {list} is not there")));
        };
        let text = |name| list.function()?.string(name);
        let sections = SECTION_ATTRIBUTES.map(|name| text(name).unwrap_or_default().to_vec());
        if sections.iter().any(|section| !section.is_empty()) {
            self.sections_by_kind.push((symbol, sections));
        }
        Ok(())
    }

    fn function(
        &mut self,
        record: &Record,
        module: &mut Module,
        types: &TypeTable,
        attributes: &AttributeTable,
    ) -> Result<(), ReadError> {
        let (name, fields) = self.named(record, module)?;
        let ty = function_type(record, fields.need(0)?, types)?;
        let list = fields.need(4)?;
        let Some(list_attributes) = attributes.list(list) else {
            return Err(record.malformed(format!("attribute list {list} is not there")));
        };
        if attributes.has_untyped_roles && list_attributes.lack_type(ty, types) {
            return Err(record.malformed(LACKS_TYPE));
        }
        let convention = fields.need(1)?;
        if convention > MOST_CONVENTION {
            return Err(record.malformed(format!("calling convention {convention}")));
        }
        let is_declaration = fields.need(2)? != 0;
        let linkage = linkage_of_code(record, fields.need(3)?)?;
        let kind = if is_declaration {
            expect_declared(record, linkage)?;
            SymbolKind::FunctionDeclaration
        } else {
            SymbolKind::Function(module.functions.next_key())
        };
        let mut section = self.section(record, fields.need(6)?)?;
        let implicit = list_attributes.function();
        // It wins over a section that the function asks for.
        if let Some(name) = implicit.and_then(|said| said.string("implicit-section-name")) {
            section = module.strings.add(name);
        }
        let data = SymbolData {
            name,
            kind,
            linkage,
            far: is_far_section(module.strings.bytes(section)),
            dso_local: fields.optional(15) != 0,
            non_lazy_bind: list_attributes.function().is_some_and(|said| said.non_lazy_bind),
            unnamed_addr: fields.optional(9) == 1,
            section,
            ..SymbolData::default()
        };
        module.flags.binds_early |= data.non_lazy_bind;
        let info = SymbolInfo::new(ty, list);
        let space = fields.optional(16);
        if space != 0 {
            let message = format!("function \"{}\" in address space {space}", module.strings.display(name));
            self.refusals
                .push(ReadError::unsupported(Refusal::AddressSpace, record.start(), message));
        }
        let partition = (fields.optional(17), fields.optional(18));
        let symbol = self.add(
            record,
            module,
            data,
            info,
            fields.optional(7),
            fields.optional(12),
            partition,
        )?;
        if fields.lacks(12) && !is_declaration && has_implicit_comdat(fields.need(3)?) {
            self.implicit_comdats.push(symbol);
        }
        let align_log2 = alignment(record, fields.need(5)?)?.unwrap_or(0);
        let collector = self.collector(record, fields.optional(8))?;
        let personality = fields.optional(14).checked_sub(1);
        let constants = [
            (personality, PendingRole::Personality),
            (fields.optional(13).checked_sub(1), PendingRole::PrefixData),
            (fields.optional(10).checked_sub(1), PendingRole::PrologueData),
        ];
        for (value, role) in constants {
            let Some(value) = value else { continue };
            self.pending.push(Pending {
                symbol,
                role,
                value,
                place: record.start(),
            });
        }
        if is_declaration && personality.is_some() {
            return Err(record.malformed("a declaration with a personality routine"));
        }
        if is_declaration {
            return Ok(());
        }
        let mut head = FunctionHead::new(symbol);
        if let Some(attributes) = list_attributes.function() {
            self.apply_list(&mut head, list as usize, attributes, module);
        }
        head.call_conv = CallConv(convention as u16);
        head.align_log2 = head.align_log2.max(align_log2);
        let mut unsupported = Vec::new();
        let refusal = match collector {
            Some(_) => Refusal::GarbageCollection,
            None => Refusal::FunctionAttribute,
        };
        if let Some(name) = collector {
            unsupported.push(format!("gc \"{}\"", module.strings.display(name)));
        }
        if let Some(attributes) = list_attributes.function() {
            unsupported.extend(attributes.unsupported.iter().cloned());
        }
        if head.entry_filler.max(head.prefix_filler) > limits::FILLER_BYTES {
            unsupported.push(format!(
                "patchable-function-entry of more than {} bytes",
                limits::FILLER_BYTES
            ));
        }
        head.unwind_table |= !head.no_unwind || personality.is_some();
        if !unsupported.is_empty() {
            head.unsupported = Some((refusal, module.strings.add(unsupported.join(", ").as_bytes())));
        }
        module.functions.push(head);
        Ok(())
    }

    /// Takes over what a list of attributes says of a function with a body. Most functions share a few lists.
    fn apply_list(
        &mut self,
        head: &mut FunctionHead,
        list: usize,
        attributes: &FunctionAttributes,
        module: &mut Module,
    ) {
        if let Some(Some(known)) = self.heads.get(list) {
            let symbol = head.symbol;
            *head = known.clone();
            head.symbol = symbol;
            return;
        }
        apply_attributes(head, attributes, module);
        if self.heads.len() <= list {
            self.heads.resize(list + 1, None);
        }
        if let Some(known) = self.heads.get_mut(list) {
            *known = Some(head.clone());
        }
    }

    fn alias(&mut self, record: &Record, module: &mut Module, types: &TypeTable) -> Result<(), ReadError> {
        let (name, fields) = self.named(record, module)?;
        let mut ty = checked_type(record, fields.need(0)?, types)?;
        let is_old = record.code() == code::ALIAS_OLD;
        if is_old {
            // The address space is in the type then, and has no field of its own.
            ty = match types.kind(ty) {
                Some(&Kind::Pointer {
                    pointee: Some(pointee), ..
                }) => pointee,
                _ => return Err(record.malformed(format!("an alias of type {ty}, which is no typed pointer"))),
            };
        }
        let at = |index: usize| index - usize::from(is_old);
        let is_function = matches!(types.kind(ty), Some(Kind::Function { .. }));
        let data = SymbolData {
            name,
            // The target is set when it is known.
            kind: SymbolKind::Alias {
                target: module.symbols.next_key(),
                offset: 0,
                is_function,
            },
            linkage: linkage_of_alias(record, fields.need(at(3))?, true)?,
            tls: tls_model(fields.optional(at(6))),
            unnamed_addr: fields.optional(at(7)) == 1,
            dso_local: fields.optional(at(8)) != 0,
            ..SymbolData::default()
        };
        let info = SymbolInfo::new(ty, 0);
        let partition = (fields.optional(at(9)), fields.optional(at(10)));
        let symbol = self.add(record, module, data, info, fields.optional(at(4)), 0, partition)?;
        let value = fields.need(at(2))?;
        self.pending.push(Pending {
            symbol,
            role: PendingRole::Aliasee,
            value,
            place: record.start(),
        });
        Ok(())
    }

    fn ifunc(&mut self, record: &Record, module: &mut Module, types: &TypeTable) -> Result<(), ReadError> {
        let (name, fields) = self.named(record, module)?;
        let ty = checked_type(record, fields.need(0)?, types)?;
        let data = SymbolData {
            name,
            // The resolver is set when it is known.
            kind: SymbolKind::Ifunc {
                resolver: module.symbols.next_key(),
            },
            linkage: linkage_of_alias(record, fields.need(3)?, false)?,
            dso_local: fields.optional(5) != 0,
            ..SymbolData::default()
        };
        let info = SymbolInfo::new(ty, 0);
        let partition = (fields.optional(6), fields.optional(7));
        let symbol = self.add(record, module, data, info, fields.optional(4), 0, partition)?;
        let value = fields.need(2)?;
        self.pending.push(Pending {
            symbol,
            role: PendingRole::Resolver,
            value,
            place: record.start(),
        });
        Ok(())
    }
}

/// How functions are aligned at whose beginning a jump may be written, as log2 of bytes (LLVM's `PatchableFunction`).
const REDIRECT_ALIGN_LOG2: u8 = 4;

/// Takes over what the attributes say of a function with a body.
fn apply_attributes(head: &mut FunctionHead, attributes: &FunctionAttributes, module: &mut Module) {
    head.no_unwind = attributes.no_unwind;
    head.unwind_table = attributes.unwind_table;
    head.no_return = attributes.no_return;
    head.naked = attributes.naked;
    head.no_entry_mark = attributes.no_cf_check;
    attributes.protection.apply(head);
    head.no_tail_calls = attributes.string("disable-tail-calls") == Some(b"true");
    head.no_jump_tables = attributes.string("no-jump-tables") == Some(b"true");
    head.no_red_zone = attributes.no_red_zone;
    head.cold = attributes.cold;
    head.frame_pointer = attributes.frame_pointer();
    let mut text = |name| {
        attributes
            .string(name)
            .map_or(Str::EMPTY, |value| module.strings.add(value))
    };
    head.stack_protector = attributes.stack_protector;
    head.stack_probe = text("probe-stack");
    head.cleared_registers = match attributes.string("zero-call-used-regs") {
        Some(b"skip") => Str::EMPTY,
        _ => text("zero-call-used-regs"),
    };
    head.target_cpu = text("target-cpu");
    head.target_features = text("target-features");
    let number = |name| {
        let value = attributes
            .string(name)
            .and_then(|value| std::str::from_utf8(value).ok());
        value.and_then(|value| value.parse().ok()).unwrap_or(0)
    };
    head.stack_probe_size = number("stack-probe-size");
    head.entry_filler = number("patchable-function-entry");
    head.prefix_filler = number("patchable-function-prefix");
    if attributes.string("patchable-function") == Some(b"prologue-short-redirect") {
        head.has_room_for_jump = true;
        head.align_log2 = head.align_log2.max(REDIRECT_ALIGN_LOG2);
    }
    head.calls_fentry = attributes.string("fentry-call") == Some(b"true");
    head.stack_protector_bytes = number("stack-protector-buffer-size");
    head.stack_align = attributes.stack_align;
    head.realigns_stack = attributes.string("stackrealign").is_some();
    let widest = attributes
        .string("min-legal-vector-width")
        .and_then(|bits| std::str::from_utf8(bits).ok());
    head.spares_wide_vectors = widest
        .and_then(|bits| bits.parse().ok())
        .is_some_and(|bits: u32| bits <= 256)
        && number("prefer-vector-width") < 512;
}

fn checked_type(record: &Record, id: u64, types: &TypeTable) -> Result<TypeId, ReadError> {
    if id < types.len() as u64 {
        return Ok(id as TypeId);
    }
    Err(record.malformed(format!("type {id} of {}", types.len())))
}

/// The function type, given it or a pointer to it.
fn function_type(record: &Record, id: u64, types: &TypeTable) -> Result<TypeId, ReadError> {
    let id = checked_type(record, id, types)?;
    let id = match types.kind(id) {
        Some(&Kind::Pointer {
            pointee: Some(pointee), ..
        }) => pointee,
        _ => id,
    };
    match types.kind(id) {
        Some(Kind::Function { .. }) => Ok(id),
        _ => Err(record.malformed(format!("a function of type {id}, which is no function type"))),
    }
}

/// An alignment as the file has it: 0 if not said, else log2 plus one.
fn alignment(record: &Record, field: u64) -> Result<Option<u8>, ReadError> {
    match field {
        0 => Ok(None),
        field if field - 1 <= limits::MOST_ALIGNMENT_LOG2 => Ok(Some(field as u8 - 1)),
        field => Err(record.malformed(format!("an alignment of two to the power of {}", field - 1))),
    }
}

fn tls_model(field: u64) -> TlsModel {
    match field {
        0 => TlsModel::NotThreadLocal,
        2 => TlsModel::LocalDynamic,
        3 => TlsModel::InitialExec,
        4 => TlsModel::LocalExec,
        _ => TlsModel::GeneralDynamic,
    }
}

/// The last number that a calling convention may have.
const MOST_CONVENTION: u64 = 1023;
