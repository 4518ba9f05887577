//! What bodies say of debug information: the location of each instruction, and which value a variable has from where
//! on.
//!
//! A location follows its instruction and holds for all that this has become, which may be several instructions of the
//! IR or none. Values of variables are named by numbers of the file; they are found when the body is complete, since
//! some are defined later. Nothing is made for them: constants that are no operands yet stand in a list of their own,
//! and a value that is several operands is said to be lost. The walk over the body calls this only in modules with
//! debug information. A list of arguments is as many values ([`Argument`]).
//!
//! Up to LLVM 18, calls of intrinsics say what records say now: their arguments are the nodes, and the location of the
//! call, which follows it, is that of the variable.

use super::context::Body;
use crate::bitstream::block::{Block, SubBlock};
use crate::bitstream::cursor::Cursor;
use crate::bitstream::record::Record;
use crate::builder::word::{State, Word};
use crate::error::ReadError;
use crate::llvm::codes::block as id;
use crate::llvm::codes::function as code;
use crate::llvm::debug::table::NodeReader;
use crate::llvm::debug::{ATTACHED, node_of, walk};
use frazil_ir::debug::kind::{Integer, Kind, Local, SourceLocation, Symbol};
use frazil_ir::debug::{Argument, DebugConstant, DebugKind, DebugValue, Entry, Location, LocationId, NodeId, NodeRef};
use frazil_ir::included::DEBUG_INFORMATION;
use frazil_ir::module::TlsModel;
use frazil_ir::{EntityRef, Operand, SymbolId};

impl Body<'_, '_> {
    /// Reads the function's own nodes.
    ///
    /// # Errors
    /// If the block is malformed.
    pub(in crate::llvm) fn debug_nodes(
        &mut self,
        cursor: &mut Cursor<'_>,
        header: &SubBlock,
        record: &mut Record,
    ) -> Result<(), ReadError> {
        let module = self.module;
        let shared = module.block_info.abbreviations(id::METADATA);
        let mut block = Block::enter(cursor, header, shared);
        let outer = module.tables.module.debug.as_deref().map(|debug| &debug.nodes);
        let mut reader = NodeReader::new(&module.tables, outer, &mut self.build.function.debug.nodes);
        walk(&mut reader, cursor, &mut block, record, |_| {})
    }

    /// Notes which node describes the function, of what is attached to it: kinds and nodes.
    pub(in crate::llvm) fn debug_attached(&mut self, pairs: &[u64]) {
        if !DEBUG_INFORMATION {
            return;
        }
        for pair in pairs.chunks_exact(2) {
            if let [ATTACHED, node] = *pair
                && let Some(node) = node_of(node)
            {
                self.build.function.debug.subprogram = NodeRef::to(node);
            }
        }
    }

    /// Reads a record of debug information.
    ///
    /// # Errors
    /// If it is too short.
    pub(in crate::llvm) fn debug_record(&mut self, record: &Record) -> Result<(), ReadError> {
        match record.code() {
            code::DEBUG_LOCATION => {
                let location = Location {
                    line: clamp(record.operand(0)?),
                    column: clamp(record.operand(1)?),
                    scope: NodeRef::from_number(record.operand(2)?),
                    inlined_at: NodeRef::from_number(record.operand(3)?),
                };
                self.debug.last = self.build.function.debug.add_location(location);
                self.locate();
            }
            code::DEBUG_LOCATION_AGAIN => self.locate(),
            code::DEBUG_VALUE => self.debug_value(record, DebugKind::Value)?,
            code::DEBUG_ASSIGN => {
                self.note_assignment(self.build.function.debug.values.len(), record.operand(6)?);
                self.debug_value(record, DebugKind::Value)?;
            }
            code::DEBUG_DECLARE => self.debug_value(record, DebugKind::Declare)?,
            code::DEBUG_VALUE_SIMPLE => {
                let number = self.number(record.operand(3)?);
                let value = self.value_of(record, DebugKind::Value)?;
                self.note_number(value, number.into());
            }
            code::DEBUG_LABEL => {
                let label = self.described(record, DebugKind::Label)?;
                self.build.function.debug.values.push(label);
            }
            // Declarations of values, which Swift has.
            _ => {}
        }
        Ok(())
    }

    /// Gives what the last instruction has become its location.
    fn locate(&mut self) {
        let function = &mut *self.build.function;
        let end = function.insts().len();
        function.debug.locate(self.debug.first, end, self.debug.last);
        if let Some(unplaced) = self.debug.unplaced.take()
            && let Some(values) = function.debug.values.get_mut(unplaced..)
        {
            values.iter_mut().for_each(|value| value.location = self.debug.last);
        }
    }

    /// What a call says of a variable by its metadata; `others` are the arguments that are none. Calls of LLVM up to 5
    /// have the offset of a value in the variable among those.
    #[cold]
    pub(in crate::llvm) fn debug_call(&mut self, kind: DebugKind, others: &[Word]) {
        let mut numbers = std::mem::take(&mut self.build.state.environment.numbers);
        if self.build.function.debug.is_on()
            && let (DebugKind::Label, &[label, ..]) = (kind, numbers.as_slice())
            && let Some(variable) = node_of(label.into())
        {
            self.debug.unplaced = Some(self.build.function.debug.values.len());
            self.build.function.debug.values.push(DebugValue {
                before: self.build.function.insts().len() as u32,
                kind,
                variable,
                expression: NodeRef::NONE,
                location: LocationId::NONE,
                operand: Operand::NONE,
                constant: 0,
                argument: Argument::default(),
            });
        } else if self.build.function.debug.is_on()
            && let [value, variable, expression, ..] = numbers[..]
            && let (Some(value), Some(variable)) = (node_of(value.into()), node_of(variable.into()))
        {
            let is_whole = others.iter().all(|offset| offset.operand() == Operand::ZERO);
            let described = DebugValue {
                before: self.build.function.insts().len() as u32,
                kind,
                variable,
                expression: node_of(expression.into()).map_or(NodeRef::NONE, NodeRef::to),
                location: LocationId::NONE,
                operand: Operand::NONE,
                constant: 0,
                argument: Argument::default(),
            };
            self.debug.unplaced = Some(self.build.function.debug.values.len());
            match is_whole {
                true => self.debug_node_value(described, value),
                false => self.build.function.debug.values.push(described),
            }
        }
        numbers.clear();
        self.build.state.environment.numbers = numbers;
    }

    /// The value of a variable, of which nothing is known yet.
    fn value_of(&mut self, record: &Record, kind: DebugKind) -> Result<DebugValue, ReadError> {
        Ok(DebugValue {
            expression: NodeRef::to(described_node(record, 2)?),
            ..self.described(record, kind)?
        })
    }

    /// What a record says of a variable or a label, which come after its location.
    fn described(&mut self, record: &Record, kind: DebugKind) -> Result<DebugValue, ReadError> {
        let node = |index: usize| described_node(record, index);
        let place = self.node::<SourceLocation>(node(0)?).unwrap_or_default();
        let debug = &mut self.build.function.debug;
        let location = debug.add_location(Location {
            line: clamp(place.line),
            column: clamp(place.column),
            scope: place.scope,
            inlined_at: place.inlined_at,
        });
        Ok(DebugValue {
            // Records stand after the instruction before which they hold.
            before: self.debug.first as u32,
            kind,
            variable: node(1)?,
            expression: NodeRef::NONE,
            location,
            operand: Operand::NONE,
            constant: 0,
            argument: Argument::default(),
        })
    }

    /// A value that is a node.
    fn debug_value(&mut self, record: &Record, kind: DebugKind) -> Result<(), ReadError> {
        let value = self.value_of(record, kind)?;
        let Some(node) = node_of(record.operand(3)?) else {
            return Err(record.malformed("a debug record without a value"));
        };
        self.debug_node_value(value, node);
        Ok(())
    }

    /// Adds the value of a variable, which a node says.
    fn debug_node_value(&mut self, value: DebugValue, node: NodeId) {
        if let Some(arguments) = self.arguments(node) {
            let count = arguments.len() as u8;
            for (index, argument) in (0..).zip(arguments) {
                let argument_value = DebugValue {
                    argument: Argument { index, count },
                    ..value
                };
                self.debug_single_value(argument_value, argument);
            }
            return;
        }
        self.debug_single_value(value, node);
    }

    /// The nodes of a list of arguments, if a node is one of those that are few enough.
    fn arguments(&self, node: NodeId) -> Option<Vec<NodeId>> {
        // Lists are their function's own.
        let nodes = &self.build.function.debug.nodes;
        let words = (nodes.kind(node) == Some(Kind::List)).then(|| nodes.words(node))?;
        let is_few = u8::try_from(words.len()).is_ok_and(|count| count > 0);
        let known = words.iter().map(|&word| NodeRef::from_number(word).node());
        known.collect::<Option<Vec<NodeId>>>().filter(|_| is_few)
    }

    /// Adds the value of a variable, or an argument of it, which a node says.
    fn debug_single_value(&mut self, value: DebugValue, node: NodeId) {
        let mut value = value;
        if let Some(local) = self.node::<Local>(node) {
            self.note_number(value, local.value);
            return;
        }
        if let Some(integer) = self.node::<Integer>(node) {
            self.set_constant(&mut value, DebugConstant::Integer(integer.low.cast_signed()));
        } else if let Some(symbol) = self.node::<Symbol>(node) {
            let symbol = SymbolId::new(symbol.symbol as usize);
            if self.has_address(symbol) {
                value.operand = Operand::symbol(symbol);
            }
        }
        self.build.function.debug.values.push(value);
    }

    fn note_number(&mut self, value: DebugValue, number: u64) {
        let values = &mut self.build.function.debug.values;
        self.debug.numbers.push((values.len(), number));
        values.push(value);
    }

    /// The fields of a node, the function's or the module's.
    pub(super) fn node<E: Entry>(&self, node: NodeId) -> Option<E> {
        let own = self.build.function.debug.nodes.get(node);
        own.or_else(|| self.build.module.module.debug.as_deref()?.nodes.get(node))
    }

    /// Finds the values of variables, when all values of the function are known.
    pub(in crate::llvm) fn finish_debug(&mut self) {
        if !DEBUG_INFORMATION {
            return;
        }
        for (index, number) in std::mem::take(&mut self.debug.numbers) {
            let Some(&known) = self.build.function.debug.values.get(index) else {
                continue;
            };
            let mut value = known;
            self.set_numbered(&mut value, number);
            if let Some(known) = self.build.function.debug.values.get_mut(index) {
                *known = value;
            }
        }
        self.declare_assigned();
    }

    /// Makes a value what a value number is, if that is an operand or a constant.
    fn set_numbered(&mut self, value: &mut DebugValue, number: u64) {
        let Ok(short) = u32::try_from(number) else { return };
        let word = self.build.raw_word(short);
        match word.state() {
            State::Scalar => value.operand = word.operand(),
            State::Constant => {
                if let Some(constant) = self.build.debug_constant(number).filter(|&found| self.is_known(found)) {
                    self.set_constant(value, constant);
                }
            }
            _ => {}
        }
    }

    fn set_constant(&mut self, value: &mut DebugValue, constant: DebugConstant) {
        if let DebugConstant::Integer(number) = constant
            && let Some(operand) = Operand::imm(number)
        {
            value.operand = operand;
            return;
        }
        let constants = &mut self.build.function.debug.constants;
        constants.push(constant);
        value.constant = constants.len() as u32;
    }

    /// Whether a constant is the same everywhere.
    fn is_known(&self, constant: DebugConstant) -> bool {
        !matches!(constant, DebugConstant::Symbol(symbol, _) if !self.has_address(symbol))
    }

    /// Whether a symbol has one address: a thread-local variable has one for each thread.
    fn has_address(&self, symbol: SymbolId) -> bool {
        let data = self.build.module.module.symbols.get(symbol);
        data.is_some_and(|data| data.tls == TlsModel::NotThreadLocal)
    }
}

/// The node that an operand of a record names.
fn described_node(record: &Record, index: usize) -> Result<NodeId, ReadError> {
    let number = record.operand(index)?;
    node_of(number).ok_or_else(|| record.malformed(format!("node {number} of debug metadata")))
}

/// A line or column; what does not fit is not known.
fn clamp(number: u64) -> u32 {
    u32::try_from(number).unwrap_or(0)
}
