//! The table that nodes are read into, and what has no layout of its own: texts and values.
//!
//! Texts stand together in one record, with their lengths before them; up to LLVM 3.8, each is a record. How many words
//! a block may take is bounded by the size of the file.

use crate::bitstream::cursor::Cursor;
use crate::bitstream::record::Record;
use crate::builder::data::integer_value;
use crate::builder::tables::{ModuleTables, ModuleValue};
use crate::error::{ReadError, ReadErrorKind};
use crate::limits;
use frazil_ir::EntityRef;
use frazil_ir::debug::kind::{Integer, Local, Symbol};
use frazil_ir::debug::{Entry, Kind, Metadata, NodeId};

/// The bits that a length takes at least.
const LENGTH_BITS: u64 = 6;

/// Reads blocks into a table of nodes.
pub(in crate::llvm) struct NodeReader<'t> {
    pub(super) tables: &'t ModuleTables,
    /// The module's nodes, if these are a function's.
    pub(super) outer: Option<&'t Metadata>,
    pub(super) nodes: &'t mut Metadata,
    /// How many words nodes may still have.
    room: u64,
}

impl<'t> NodeReader<'t> {
    pub(in crate::llvm) fn new(tables: &'t ModuleTables, outer: Option<&'t Metadata>, nodes: &'t mut Metadata) -> Self {
        NodeReader {
            tables,
            outer,
            nodes,
            room: limits::debug_words(tables.input_bytes),
        }
    }

    pub(super) fn add<E: Entry>(&mut self, entry: &E) {
        self.nodes.push(entry);
    }

    pub(super) fn add_words(&mut self, kind: Kind, words: &[u64]) {
        self.nodes.push_words(kind, words);
    }

    pub(super) fn add_text(&mut self, text: &[u8]) {
        self.nodes.push_text(text);
    }

    /// Takes room for so many words.
    pub(super) fn spend(&mut self, record: &Record, words: u64) -> Result<(), ReadError> {
        match self.room.checked_sub(words) {
            Some(room) => {
                self.room = room;
                Ok(())
            }
            None => {
                let message = "debug information that takes more room than a file of this size needs";
                Err(ReadError::new(ReadErrorKind::TooLarge, record.start(), message))
            }
        }
    }

    /// Texts: their number and where they begin in the blob, which has their lengths first.
    pub(super) fn strings(&mut self, cursor: &Cursor<'_>, record: &Record) -> Result<(), ReadError> {
        let blob = record.blob();
        let (count, offset) = (record.operand(0)?, record.operand(1)?);
        if offset > blob.len() as u64 || count > offset * 8 / LENGTH_BITS {
            let message = format!("{count} metadata strings from byte {offset} of {} on", blob.len());
            return Err(record.malformed(message));
        }
        self.spend(record, count)?;
        let middle = blob.start + offset as usize;
        let mut lengths = cursor.slice(blob.start as u64 * 8, middle as u64 * 8);
        let mut start = middle as u64;
        for _ in 0..count {
            let end = start.saturating_add(lengths.vbr(LENGTH_BITS as u32));
            lengths.check()?;
            let text = match end <= blob.end as u64 {
                true => cursor.bytes().get(start as usize..end as usize),
                false => None,
            };
            let Some(text) = text else {
                return Err(record.malformed(format!("a metadata string up to byte {end} of {}", blob.end)));
            };
            self.nodes.push_text(text);
            start = end;
        }
        Ok(())
    }

    /// A value: its type and its number.
    pub(super) fn value(&mut self, record: &Record) -> Result<(), ReadError> {
        let number = record.operand(1)?;
        let known = usize::try_from(number)
            .ok()
            .and_then(|index| self.tables.values.get(index));
        match known {
            Some(ModuleValue::Symbol(symbol)) => {
                let symbol = symbol.index() as u64;
                self.nodes.push(&Symbol { symbol });
            }
            Some(ModuleValue::Constant(_)) => match integer_value(self.tables, number) {
                Some(value) => {
                    self.nodes.push(&Integer {
                        low: value.cast_unsigned(),
                        high: (value >> 63).cast_unsigned(),
                        bits: u64::from(u64::BITS),
                    });
                }
                // What it is is found when a function names it.
                None => self.add(&Local { value: number }),
            },
            None => self.add(&Local { value: number }),
        }
        Ok(())
    }

    /// A list of values, which has their numbers.
    pub(super) fn argument_list(&mut self, record: &Record) {
        let references = record.operands().iter().map(|number| number.saturating_add(1));
        let references: Vec<u64> = references.collect();
        self.nodes.push_words(Kind::List, &references);
    }

    /// The integer that a reference names, which is one more than the number of a node; 0 if it names none.
    pub(super) fn integer(&self, reference: u64) -> u64 {
        let node = reference.checked_sub(1).and_then(node_of);
        let read = |node: NodeId| {
            let own = self.nodes.get::<Integer>(node);
            own.or_else(|| self.outer?.get(node)).map(|integer| integer.low)
        };
        node.and_then(read).unwrap_or(0)
    }
}

/// The node with a number of the file.
pub(in crate::llvm) fn node_of(number: u64) -> Option<NodeId> {
    let number = u32::try_from(number).ok().filter(|&number| number < u32::MAX);
    number.map(|number| NodeId::new(number as usize))
}
