//! One function body: from the records of its block to a function of the IR.
//!
//! A [`FunctionReader`] keeps the memory that is used again for each function; threads have one each and share the
//! module. This file walks the block and resolves operands; the instructions are in `body`.
//!
//! Operands are numbers relative to the next value's number; one that is not defined yet is followed by its type
//! unless the type is known from the place. Blocks are not marked: a terminator ends one.

use super::attributes::Hooks;
use super::body;
use super::body::context::{Body, DebugState, Operands};
use super::body::hooks;
use super::codes::{block as id, function as code};
use super::constant_operands::{self, ValueType};
use super::metadata::Outer;
use super::module::BitcodeModule;
use super::old_forms::OldForms;
use super::shapes;
use super::types::Kind;
use super::undominated;
use crate::bitstream::block::{Block, FIRST_ABBREVIATION, Item, SubBlock, UNABBREVIATED_RECORD};
use crate::bitstream::cursor::{Cursor, decode_signed};
use crate::bitstream::record::Record;
use crate::builder::class::Class;
use crate::builder::dominance::{Elsewhere, Use};
use crate::builder::marks::{Marks, mark_accesses};
use crate::builder::signatures;
use crate::builder::state::BuildState;
use crate::builder::values::Builder;
use crate::builder::word::{State, Word};
use crate::error::ReadError;
use frazil_ir::included::{DEBUG_INFORMATION, RARE};
use frazil_ir::{EntityRef, FuncId, Function, Operand, TableIdentity};

/// The id of a record without abbreviation, counted like the numbers of abbreviations.
const UNABBREVIATED_NUMBER: u64 = UNABBREVIATED_RECORD.wrapping_sub(FIRST_ABBREVIATION);

/// Reads function bodies of one module, one after another.
///
/// Reading is fastest when [`FunctionReader::read`] is given the same function each time: the function's tables of
/// types and signatures serve as a cache. They are recognised by the identity of the types, and their number.
#[derive(Debug)]
pub struct FunctionReader<'m> {
    module: &'m BitcodeModule<'m>,
    record: Record,
    state: BuildState,
    /// The tables that `state` remembers numbers of.
    tables: Option<Tables>,
    /// Where the module's metadata is, once a function has asked for it.
    metadata: Option<Box<Outer<'m>>>,
    /// What a function has told of old forms of records.
    pub(super) old: OldForms,
}

/// By what the tables of a function are recognised.
#[derive(Debug, PartialEq, Eq)]
struct Tables {
    identity: TableIdentity,
    signatures: usize,
    types: usize,
}

impl Tables {
    fn of(function: &Function) -> Tables {
        Tables {
            identity: function.types().identity().note(),
            signatures: function.sigs().len(),
            types: function.types().extra_len(),
        }
    }
}

impl<'m> FunctionReader<'m> {
    /// A reader for the bodies of `module`.
    pub fn new(module: &'m BitcodeModule<'m>) -> FunctionReader<'m> {
        FunctionReader {
            module,
            record: Record::default(),
            state: BuildState::new(&module.tables),
            tables: None,
            metadata: None,
            old: OldForms::default(),
        }
    }

    /// Reads the body of `id` into `function`, whose former contents are dropped.
    ///
    /// # Errors
    /// If the body is malformed or contains what is not supported. The function is then in no useful state, but may
    /// be read into again.
    pub fn read(&mut self, id: FuncId, function: &mut Function) -> Result<(), ReadError> {
        let module = self.module;
        let (Some(body), Some(head)) = (module.bodies.get(id.index()), module.tables.module.functions.get(id)) else {
            return Err(ReadError::malformed(0, format!("function {} has no body", id.index())));
        };
        self.state.early.clear();
        self.state.marks = Marks::default();
        self.empty(function);
        function.set_pointer_bits(module.tables.module.data_layout.pointer_bits);
        let mut result = self.read_body(body, head.symbol, function);
        if RARE && self.old.begins_to_track() {
            self.state.track_types(&module.tables);
            self.state.early.clear();
            self.state.marks = Marks::default();
            self.tables = Some(Tables::of(function));
            self.empty(function);
            result = self.read_body(body, head.symbol, function);
        }
        if let Ok(Reading::Again) = result {
            self.tables = Some(Tables::of(function));
            self.empty(function);
            result = self.read_body(body, head.symbol, function);
        }
        self.tables = Some(Tables::of(function));
        if head.has_block_addresses {
            function.keep_block_numbers();
        }
        result.map(|_| ()).map_err(|error| {
            let name = module.tables.module.display_name(head.symbol);
            error
                .within(format!("function {} \"{name}\"", id.index()))
                .within("the module")
        })
    }

    /// Drops the function's contents, and what is remembered of its tables unless they are those of the last reading.
    fn empty(&mut self, function: &mut Function) {
        let known = self
            .tables
            .as_ref()
            .is_some_and(|tables| *tables == Tables::of(function));
        let dropped = function.clear();
        if dropped || !known {
            function.clear_tables();
            self.state.forget_tables();
        }
    }

    fn read_body(
        &mut self,
        header: &SubBlock,
        symbol: frazil_ir::SymbolId,
        function: &mut Function,
    ) -> Result<Reading, ReadError> {
        let Self {
            module,
            record,
            state,
            metadata,
            old,
            ..
        } = self;
        state.restart(header.start);
        let early = state.early.len();
        let marks = !state.marks.is_empty();
        state.marks.restart();
        let mut cursor = module.stream.clone();
        let block = Block::enter(&mut cursor, header, module.block_info.abbreviations(id::FUNCTION));
        let next = state.words.len() as u32;
        let room = Builder::room_for(header.end - header.start);
        let builder = Builder {
            module: &module.tables,
            state,
            function,
            next,
            elsewhere: Elsewhere::default(),
            place: header.start,
            block_count: 0,
            room,
        };
        let mut body = Body {
            build: builder,
            module,
            open: false,
            phis: 0,
            others: false,
            bundles: false,
            bundle_place: None,
            must_tail: None,
            early,
            marks,
            exception_type: None,
            has_numbers: RARE && module.version == 0,
            old: std::mem::take(old),
            result: 0,
            hooks: Hooks::default(),
            metadata: None,
            outer_metadata: metadata,
            debug: DebugState::default(),
        };
        let result = body.read(&mut cursor, block, symbol, record);
        *old = std::mem::take(&mut body.old);
        result
    }
}

/// How reading a body ended.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Reading {
    Done,
    /// Constants must be made at the beginning of the function: it is to be read once more, which happens once.
    Again,
}

impl Body<'_, '_> {
    /// Reads the body of a symbol's function.
    #[inline(always)]
    fn read(
        &mut self,
        cursor: &mut Cursor<'_>,
        block: Block<'_>,
        symbol: frazil_ir::SymbolId,
        record: &mut Record,
    ) -> Result<Reading, ReadError> {
        let module = self.module;
        let header = *block.header();
        self.begin(symbol)?;
        match module.tables.module.debug.as_ref().filter(|_| DEBUG_INFORMATION) {
            None => self.walk::<false>(cursor, block, record)?,
            Some(debug) => {
                self.build.function.debug.begin(debug.nodes.next());
                self.walk::<true>(cursor, block, record)?;
            }
        }
        if self.build.state.early.len() > self.early || self.build.state.marks.is_empty() == self.marks {
            return Ok(Reading::Again);
        }
        match self.finish()? {
            None => {
                self.finish_debug();
                Ok(Reading::Done)
            }
            Some(wrong) => {
                let block = Block::enter(cursor, &header, module.block_info.abbreviations(id::FUNCTION));
                Err(undominated::error(cursor, block, record, wrong))
            }
        }
    }

    /// Sets signature and parameters.
    fn begin(&mut self, symbol: frazil_ir::SymbolId) -> Result<(), ReadError> {
        let build = &mut self.build;
        let module = build.module;
        let Some(info) = module.symbols.get(symbol.index()).copied() else {
            return Ok(());
        };
        let Some(Kind::Function { parameters, result, .. }) = module.types.kind(info.ty) else {
            return Ok(());
        };
        self.result = *result;
        let convention = match module.module.symbols.get(symbol).map(|data| data.kind) {
            Some(frazil_ir::SymbolKind::Function(id)) => module.module.functions.get(id).map(|head| head.call_conv),
            _ => None,
        };
        let mut signature = build.function.take_signature();
        let filled = signatures::fill(
            build,
            &mut signature,
            info.ty,
            info.attributes,
            convention.unwrap_or_default(),
            &[],
        );
        build.function.set_signature(signature);
        filled?;
        build.function.set_symbol(symbol);
        if module.attributes.has_hooks
            && let Some(attributes) = module.attributes.list(info.attributes)
            && let Some(attributes) = attributes.function()
        {
            self.hooks = Hooks::of(attributes);
        }
        for &ty in module.types.members(parameters) {
            let word = match build.class(ty)? {
                Class::Scalar(ir_type) => Word::scalar(Operand::value(build.function.push_param(ir_type)), ir_type, ty),
                Class::Aggregate => {
                    let leaves = build.leaves(ty)?;
                    let first = build.state.parts.len() as u32;
                    for place in leaves {
                        let value = build.function.push_param(build.leaf(place).ir_type);
                        build.state.parts.push(Operand::value(value));
                    }
                    Word::aggregate(first, ty)
                }
                Class::Void | Class::Metadata => Word::UNDEFINED,
            };
            build.push_word(word);
        }
        build.state.first_constant = build.next;
        Ok(())
    }

    /// Goes over the block; with `DEBUG`, through what it says of debug information, too.
    fn walk<const DEBUG: bool>(
        &mut self,
        cursor: &mut Cursor<'_>,
        mut block: Block<'_>,
        record: &mut Record,
    ) -> Result<(), ReadError> {
        let header = *block.header();
        // Instructions are counted one by one; operands are no distances; types of addresses are noted.
        let shapes = match self.marks || self.has_numbers || self.old.is_tracking() {
            true => &[],
            false => self.module.shapes.as_slice(),
        };
        let id_bits = header.abbreviation_width;
        loop {
            let window = cursor.window();
            let number = (window & ((1 << id_bits) - 1)).wrapping_sub(FIRST_ABBREVIATION);
            if let Some(Some(shape)) = shapes.get(number as usize)
                && !(DEBUG && shape.is_debug())
            {
                if DEBUG {
                    self.debug.begin(self.build.function.insts().len());
                }
                // What such a record becomes is bounded by its length: there is always room for it.
                if self.fused(shape, cursor, window, id_bits)? {
                    continue;
                }
            } else if number == UNABBREVIATED_NUMBER {
                match Record::code_in(window >> id_bits) {
                    code if !DEBUG && shapes::is_debug(code) && shapes::skip_debug(cursor, id_bits) => continue,
                    code::ALLOCA if !shapes.is_empty() => {
                        if DEBUG {
                            self.debug.begin(self.build.function.insts().len());
                        }
                        if self.fused_alloca(cursor, window, id_bits)? {
                            continue;
                        }
                    }
                    _ => {}
                }
                record.read_unabbreviated(cursor, window, id_bits)?;
                self.take::<DEBUG>(record)?;
                continue;
            }
            match block.next(cursor, record)? {
                Item::Record => self.take::<DEBUG>(record)?,
                Item::Block(inner) if inner.id == id::CONSTANTS => {
                    let after = cursor.position();
                    self.constants(cursor, &inner, record)
                        .map_err(|error| error.within(id::name(inner.id)))?;
                    cursor.seek(after);
                }
                Item::Block(inner) if inner.id == id::METADATA => {
                    self.metadata = Some(inner);
                    if DEBUG {
                        let after = cursor.position();
                        self.debug_nodes(cursor, &inner, record)
                            .map_err(|error| error.within(id::name(inner.id)))?;
                        cursor.seek(after);
                    }
                }
                Item::Block(inner) if inner.id == id::METADATA_ATTACHMENTS => {
                    let after = cursor.position();
                    self.attachments(cursor, &inner, record)
                        .map_err(|error| error.within(id::name(inner.id)))?;
                    cursor.seek(after);
                }
                Item::Block(_) => {}
                Item::End => return Ok(()),
            }
        }
    }

    /// Takes a record that was not read in one step with what it becomes.
    #[inline(always)]
    fn take<const DEBUG: bool>(&mut self, record: &Record) -> Result<(), ReadError> {
        if DEBUG && shapes::is_debug(record.code()) {
            return self.debug_record(record);
        }
        self.build.place = record.start();
        if DEBUG {
            self.debug.begin(self.build.function.insts().len());
        }
        self.record(record)?;
        self.build.check_room(0)
    }

    #[inline]
    fn constants(&mut self, cursor: &mut Cursor<'_>, inner: &SubBlock, record: &mut Record) -> Result<(), ReadError> {
        let build = &mut self.build;
        if !build.function.blocks().is_empty() || build.state.words.len() > build.next as usize {
            return Err(ReadError::malformed(inner.start, "constants after instructions"));
        }
        let module = build.module;
        let shared = self.module.block_info.abbreviations(id::CONSTANTS);
        let first = build.state.constants.rows.len();
        let block = Block::enter(cursor, inner, shared);
        build.state.constants.read(cursor, block, record, &module.types)?;
        build.push_constants(first);
        let (own, rows) = (u64::from(build.state.first_constant), &build.state.constants.rows);
        let wrong = constant_operands::find_wrong(&build.state.constants, first, &module.types, |value| {
            match value.checked_sub(own) {
                None => module.value_type(value),
                Some(row) => Some(ValueType::Type(rows.get(usize::try_from(row).ok()?)?.ty)),
            }
        });
        wrong.map_or(Ok(()), |message| Err(ReadError::malformed(inner.start, message)))
    }

    /// Completes the function. Returns a use that its definition does not dominate, with the block that defines it.
    fn finish(&mut self) -> Result<Option<(Use, u32)>, ReadError> {
        let build = &mut self.build;
        let blocks = build.function.blocks().len() - build.state.splits.more();
        if self.open || blocks != build.block_count as usize || blocks == 0 {
            let message = format!(
                "{blocks} blocks, the last without terminator: {}; {} announced",
                self.open, build.block_count
            );
            return Err(build.malformed(message));
        }
        build.check_all_defined()?;
        if self.bundle_place.is_some() {
            return Err(self.lost_bundles());
        }
        if self.must_tail.is_some() {
            return Err(self.not_returned());
        }
        let build = &mut self.build;
        build.finish_splits();
        build.function.compute_cfg();
        body::control::check_pads(build)?;
        build.finish_phis()?;
        Ok(build
            .state
            .uses
            .find_wrong(build.next, build.function, &build.state.splits))
    }

    /// Handles one record.
    #[inline(never)]
    fn record(&mut self, record: &Record) -> Result<(), ReadError> {
        let mut operands = Operands { record, at: 0 };
        let record_code = record.code();
        match record_code {
            code::DECLARE_BLOCKS => {
                let count = operands.next()?;
                // Each block has a terminator, which takes some bits.
                if count == 0 || count > self.build.room as u64 {
                    return Err(record.malformed(format!("a function of {count} blocks")));
                }
                if self.build.block_count != 0 {
                    return Err(record.malformed("the number of blocks a second time"));
                }
                self.build.block_count = count as u32;
                return Ok(());
            }
            code::BLOCK_ADDRESS_USERS => {
                self.build.function.keep_block_numbers();
                return Ok(());
            }
            other if shapes::is_debug(other) => return Ok(()),
            code::OPERAND_BUNDLE => {
                if !self.open {
                    self.open_block()?;
                }
                return self.bundle(&mut operands);
            }
            _ => {}
        }
        if !self.open {
            self.open_block()?;
        }
        if self.marks {
            return self.counted_instruction(record_code, &mut operands);
        }
        if record_code != code::PHI {
            self.instruction(record_code, &mut operands)
        } else {
            self.phi(&mut operands)
        }
    }

    /// Handles an instruction in a body with marked accesses.
    #[cold]
    fn counted_instruction(&mut self, record_code: u64, operands: &mut Operands<'_>) -> Result<(), ReadError> {
        let is_marked = self.build.state.marks.count();
        let first = self.build.function.insts().len();
        if record_code == code::PHI {
            return self.phi(operands);
        }
        self.instruction(record_code, operands)?;
        if is_marked {
            mark_accesses(self.build.function, first);
        }
        Ok(())
    }

    pub(super) fn open_block(&mut self) -> Result<(), ReadError> {
        let known = self.build.function.blocks().len() - self.build.state.splits.more();
        if known >= self.build.block_count as usize {
            let message = format!("an instruction after the last of {} blocks", self.build.block_count);
            return Err(self.build.malformed(message));
        }
        let block = self.build.function.begin_block();
        self.build.state.splits.begin(block);
        self.build.elsewhere = self.build.state.uses.begin_block(self.build.next);
        self.open = true;
        self.phis = 0;
        self.others = false;
        if block.index() == 0 {
            for index in 0..self.build.state.early.len() {
                if let Some(&number) = self.build.state.early.get(index) {
                    self.build.make_early(number)?;
                }
            }
            hooks::enter(self)?;
        }
        Ok(())
    }

    #[inline]
    fn instruction(&mut self, record_code: u64, operands: &mut Operands<'_>) -> Result<(), ReadError> {
        self.instruction_of(record_code, operands)?;
        if code::has_no_list(record_code) && !operands.rest().is_empty() {
            let (name, more) = (code::name(record_code), operands.rest().len());
            return Err(self.build.malformed(format!("a {name} with {more} operands too many")));
        }
        Ok(())
    }

    #[inline]
    fn instruction_of(&mut self, record_code: u64, operands: &mut Operands<'_>) -> Result<(), ReadError> {
        match record_code {
            code::LOAD => body::memory::load(self, operands),
            code::STORE => body::memory::store(self, operands),
            code::GEP => body::memory::gep(self, operands),
            code::CALL => body::calls::call(self, operands),
            code::BRANCH => body::control::branch(self, operands),
            code::BINARY => body::arithmetic::binary(self, operands),
            code::CAST => body::arithmetic::cast(self, operands),
            code::COMPARE | code::COMPARE2 => body::arithmetic::compare(self, operands),
            code::ALLOCA => body::memory::alloca(self, operands),
            code::RETURN => body::control::ret(self, operands),
            code::SELECT => body::arithmetic::select(self, operands),
            code::SWITCH => body::control::switch(self, operands),
            code::UNREACHABLE => body::control::unreachable(self),
            code::INVOKE => body::calls::invoke(self, operands),
            code::CALL_BRANCH => body::asm_branches::call_branch(self, operands),
            code::UNARY => body::arithmetic::unary(self, operands),
            code::FREEZE => body::arithmetic::freeze(self, operands),
            code::EXTRACT_VALUE => body::aggregates::extract_value(self, operands),
            code::INSERT_VALUE => body::aggregates::insert_value(self, operands),
            code::LANDING_PAD => body::control::landing_pad(self, operands),
            code::RESUME => body::control::resume(self, operands),
            code::INDIRECT_BRANCH => body::control::indirect_branch(self, operands),
            code::EXTRACT_ELEMENT => body::aggregates::extract_element(self, operands),
            code::INSERT_ELEMENT => body::aggregates::insert_element(self, operands),
            code::SHUFFLE => body::aggregates::shuffle(self, operands),
            code::ATOMIC_LOAD => body::memory::atomic_load(self, operands),
            code::ATOMIC_STORE => body::memory::atomic_store(self, operands),
            code::CMPXCHG => body::memory::cmpxchg(self, operands),
            code::ATOMIC_RMW => body::memory::atomic_rmw(self, operands),
            code::ATOMIC_RMW_OLD => body::memory::atomic_rmw_old(self, operands),
            code::FENCE => body::memory::fence(self, operands),
            code::VA_ARG => body::variadic::va_arg(self, operands),
            other if RARE && code::is_old(other) => body::old_instructions::read(self, other, operands),
            other => {
                let name = code::name(other);
                Err(self
                    .build
                    .unsupported(code::refusal(other), format!("{name} (instruction record {other})")))
            }
        }
    }

    /// A phi: its type, then pairs of a signed relative value number and a block, then perhaps flags.
    fn phi(&mut self, operands: &mut Operands<'_>) -> Result<(), ReadError> {
        self.phis += 1;
        if self.is_behind_others(self.phis - 1) {
            return Err(self.build.malformed("a phi after other instructions of its block"));
        }
        let ty = self.build.type_id(operands.next()?)?;
        let rest = operands.rest();
        let flags = if rest.len() % 2 == 1 {
            rest.last().map_or(0, |&flags| body::fast_math(flags))
        } else {
            0
        };
        if rest.len() % 2 == 1 && !self.may_be_float(ty) {
            return Err(self.build.malformed("a phi with half a pair"));
        }
        let mut pairs = std::mem::take(&mut self.build.state.phi_operands);
        pairs.clear();
        for pair in rest.chunks_exact(2) {
            let &[value, block] = pair else { continue };
            let number = match self.has_numbers {
                false => (i64::from(self.build.next)).wrapping_sub(decode_signed(value)),
                true => value.cast_signed(),
            };
            let Ok(number) = u32::try_from(number) else {
                return Err(self.build.malformed(format!("value {number} in a phi")));
            };
            if block >= u64::from(self.build.block_count) {
                return Err(self
                    .build
                    .malformed(format!("block {block} of {} in a phi", self.build.block_count)));
            }
            let word = if number < self.build.next {
                self.phi_operand(number)?
            } else {
                self.build.declared(number, ty)?
            };
            self.build.state.uses.note_phi(number, block as u32, self.build.place);
            pairs.push((word, block as u32));
        }
        let defined = self.build.define_phi(ty, flags, &pairs);
        self.build.state.phi_operands = pairs;
        defined
    }

    /// An operand of a phi. A constant that becomes instructions is noted, to be made early in a second reading.
    fn phi_operand(&mut self, number: u32) -> Result<Word, ReadError> {
        let before = self.build.function.insts().len();
        let word = self.build.made_word(number)?;
        if self.build.function.insts().len() != before {
            self.build.state.early.push(number);
        }
        Ok(word)
    }

    /// Operand bundles stand before their call. Only those that say something about control convergence can be
    /// left out. What they name must be there, but is not made.
    fn bundle(&mut self, operands: &mut Operands<'_>) -> Result<(), ReadError> {
        let tag = operands.next()?;
        let tags = &self.module.bundle_tags;
        let Some(name) = usize::try_from(tag).ok().and_then(|tag| tags.get(tag)) else {
            let message = format!("operand bundle tag {tag} of {}", tags.len());
            return Err(self.build.malformed(message));
        };
        self.bundles |= name != b"convergencectrl";
        while !operands.rest().is_empty() {
            let number = self.number(operands.next()?);
            if number >= self.build.next {
                let ty = self.build.type_id(operands.next()?)?;
                self.build.forward(number, ty)?;
                continue;
            }
            self.build.note_use(number);
            if self.build.raw_word(number).state() == State::Undefined {
                let message = format!("value {number} in an operand bundle, which is not defined");
                return Err(self.build.malformed(message));
            }
        }
        self.take_bundles()?;
        self.bundle_place = Some(self.here());
        Ok(())
    }
}
