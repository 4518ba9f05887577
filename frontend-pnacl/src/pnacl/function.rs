//! One function body: from the records of its block to a function of the IR.
//!
//! A [`PexeReader`] keeps the memory that is used again for each function; threads have one each and share the module.
//! This file walks the block.
//!
//! Numbers: functions and variables of the module come first, then parameters, constants, and results of instructions.
//! Operands are relative to the next result's number. What is used before it is defined has been declared with its
//! type. The address of a function or variable is an integer in the file: it is cut from the pointer where it is used,
//! but for uses by phis, for which it must be there at the end of another block. If there are any, the body is read
//! once more, and these addresses are made at its beginning.

use super::body;
use super::codes::{block as id, function as code};
use super::context::{Body, State};
use super::module::PexeModule;
use crate::bitstream::block::{Block, Item, SubBlock};
use crate::bitstream::cursor::Cursor;
use crate::bitstream::record::Record;
use crate::builder::dominance::Elsewhere;
use crate::error::{ReadError, ReadErrorKind};
use crate::limits;
use frazil_ir::{EntityRef, FuncId, Function, Operand, SymbolId, TableIdentity};

/// Reads function bodies of one executable, one after another.
#[derive(Debug)]
pub struct PexeReader<'m> {
    module: &'m PexeModule<'m>,
    record: Record,
    state: State,
    /// The tables that the signatures are numbers of: which, and how many there are.
    tables: Option<(TableIdentity, usize)>,
}

impl<'m> PexeReader<'m> {
    /// A reader for the bodies of `module`.
    pub fn new(module: &'m PexeModule<'m>) -> PexeReader<'m> {
        PexeReader {
            module,
            record: Record::default(),
            state: State::default(),
            tables: None,
        }
    }

    /// Reads the body of `id` into `function`, whose former contents are dropped.
    ///
    /// # Errors
    /// If the body breaks a rule of the ABI. The function is then in no useful state, but may be read into again.
    pub fn read(&mut self, id: FuncId, function: &mut Function) -> Result<(), ReadError> {
        let module = self.module;
        let (Some(&header), Some(head)) = (module.bodies.get(id.index()), module.module().functions.get(id)) else {
            return Err(PexeModule::no_body(id));
        };
        self.state.hoisted.clear();
        let outcome = self.read_body(&header, head.symbol, function);
        let outcome = match (outcome, self.state.wanted.is_empty()) {
            (Ok(()), false) => {
                let wanted = std::mem::take(&mut self.state.wanted);
                self.state.hoisted = wanted.into_iter().map(|number| (number, Operand::NONE)).collect();
                self.read_body(&header, head.symbol, function)
            }
            (outcome, _) => outcome,
        };
        outcome.map_err(|error| module.in_function(id, error))
    }

    fn read_body(&mut self, header: &SubBlock, symbol: SymbolId, function: &mut Function) -> Result<(), ReadError> {
        self.empty(function);
        let PexeReader {
            module, record, state, ..
        } = self;
        state.entries.clear();
        state.uses.restart(header.start);
        state.phis.clear();
        state.splits.clear();
        state.has_trap = false;
        state.incoming.clear();
        state.wanted.clear();
        let mut cursor = module.stream.clone();
        let block = Block::enter(&mut cursor, header, module.block_info.abbreviations(id::FUNCTION));
        let mut body = Body {
            module,
            state,
            function,
            base: module.symbols,
            next: module.symbols,
            blocks: 0,
            open: false,
            is_begun: false,
            elsewhere: Elsewhere::default(),
            place: header.start,
            room: limits::function_room(header.end - header.start),
            result: 0,
        };
        body.begin(symbol)?;
        body.walk(&mut cursor, block, record)?;
        let outcome = body.finish();
        self.tables = Some((function.types().identity().note(), function.sigs().len()));
        outcome
    }

    /// Drops the function's contents, and what is remembered of its tables unless they are those of the last reading.
    fn empty(&mut self, function: &mut Function) {
        let own = (function.types().identity().note(), function.sigs().len());
        let is_known = self.tables.as_ref() == Some(&own);
        if function.clear() || !is_known {
            function.clear_tables();
            self.state.signatures.clear();
        }
    }
}

impl<'m> Body<'_, 'm> {
    /// Sets signature and parameters.
    fn begin(&mut self, symbol: SymbolId) -> Result<(), ReadError> {
        let module = self.module;
        let Some(info) = module.functions.get(symbol.index()) else {
            return Err(self.wrong("a body of no function"));
        };
        let (result, parameters) = module.types.function(info.ty).unwrap_or((0, &[]));
        self.result = result;
        let mut signature = self.function.take_signature();
        self.fill_signature(&mut signature, result, parameters);
        self.function.set_signature(signature);
        self.function.set_symbol(symbol);
        for &ty in parameters {
            let ir_type = module.types.ir_type(ty, self.function);
            let value = self.function.push_param(ir_type);
            self.push(ty, Operand::value(value));
        }
        Ok(())
    }

    fn walk(&mut self, cursor: &mut Cursor<'_>, mut block: Block<'_>, record: &mut Record) -> Result<(), ReadError> {
        loop {
            match block.next_restricted(cursor, record)? {
                Item::Record => {
                    self.place = record.start();
                    self.record(record)?;
                    if self.function.insts().len() + self.function.values().len() > self.room {
                        let message = "a function that becomes too large for the size of its body";
                        return Err(ReadError::new(ReadErrorKind::TooLarge, self.place, message));
                    }
                }
                Item::Block(inner) if inner.id == id::CONSTANTS && !self.is_begun => {
                    let after = cursor.position();
                    self.constants(cursor, &inner, record)
                        .map_err(|error| error.within("the constants"))?;
                    cursor.seek(after);
                }
                // Names of values and blocks, which mean nothing here.
                Item::Block(inner) if inner.id == id::SYMBOLS && self.is_begun && !self.open => {}
                Item::Block(inner) => {
                    let message = format!("block {} at this place of a function", inner.id);
                    return Err(ReadError::malformed(inner.start, message));
                }
                Item::End => return Ok(()),
            }
        }
    }

    fn record(&mut self, record: &Record) -> Result<(), ReadError> {
        let code = record.code();
        if code == code::DECLARE_BLOCKS {
            return self.declare_blocks(record);
        }
        if self.blocks == 0 {
            return Err(self.wrong("a record before the number of blocks, which comes first"));
        }
        if code == code::FORWARD_TYPE {
            return self.declare_forward(record);
        }
        if !self.open {
            self.open_block()?;
        }
        self.is_begun = true;
        body::read(self, record)
    }

    fn declare_blocks(&mut self, record: &Record) -> Result<(), ReadError> {
        let blocks = record.operand(0)?;
        // A block has an instruction at least, which takes a few bits.
        if self.blocks != 0 || blocks == 0 || blocks > self.room as u64 {
            return Err(self.wrong(format!(
                "{blocks} blocks in a function of this size, or a second number"
            )));
        }
        self.blocks = blocks as u32;
        Ok(())
    }

    fn open_block(&mut self) -> Result<(), ReadError> {
        if (self.function.blocks().len() - self.state.splits.more()) as u32 == self.blocks {
            return Err(self.wrong(format!("an instruction after the last of {} blocks", self.blocks)));
        }
        let block = self.function.begin_block();
        self.state.splits.begin(block);
        self.elsewhere = self.state.uses.begin_block(self.next);
        self.open = true;
        if self.function.blocks().len() == 1 {
            for place in 0..self.state.hoisted.len() {
                let Some(&(number, _)) = self.state.hoisted.get(place) else {
                    break;
                };
                let operand = self.cut_address(SymbolId::new(number as usize));
                if let Some(slot) = self.state.hoisted.get_mut(place) {
                    slot.1 = operand;
                }
            }
        }
        Ok(())
    }

    /// Completes the function after its last record.
    fn finish(mut self) -> Result<(), ReadError> {
        let blocks = (self.function.blocks().len() - self.state.splits.more()) as u32;
        if self.open || blocks != self.blocks || blocks == 0 {
            return Err(self.wrong(format!(
                "{blocks} blocks, the last of which may not be ended; expected {}",
                self.blocks.max(1)
            )));
        }
        let forward = self
            .state
            .entries
            .iter()
            .position(|entry| !entry.is_defined && !entry.operand.is_none());
        if let Some(place) = forward {
            let number = place + self.base as usize;
            return Err(self.wrong(format!("value {number} is used and never defined")));
        }
        self.finish_splits();
        self.function.compute_cfg();
        if self.state.wanted.is_empty() {
            self.finish_phis()?;
        }
        let wrong = self.state.uses.find_wrong(self.next, self.function, &self.state.splits);
        if let Some((wrong, block)) = wrong {
            let message = format!(
                "block {} uses value {}, and its definition in block {block} does not dominate that use",
                wrong.phi().unwrap_or(wrong.block),
                wrong.value
            );
            let start = self.state.uses.start();
            return Err(ReadError::new(ReadErrorKind::Undominated, wrong.place(start), message));
        }
        Ok(())
    }
}
