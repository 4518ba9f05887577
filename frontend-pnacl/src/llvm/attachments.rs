//! What is attached to a function with a body and to its instructions: where it is placed, and which accesses are
//! non-temporal.
//!
//! Attachments stand behind the instructions, in a block of their own, those of the function first. Instructions are
//! named by their numbers, which nothing else needs: a body with marked accesses is read once more, and counted. That
//! block is only searched for marks if there may be a node that is one, in the module or in the function.

use super::codes::block as id;
use super::codes::metadata as code;
use super::function::Body;
use super::metadata::{Attached, NON_TEMPORAL, Places, is_wanted};
use super::module::{BitcodeModule, ModuleValue};
use crate::bitstream::block::{Block, Item, SubBlock};
use crate::bitstream::cursor::Cursor;
use crate::bitstream::record::Record;
use crate::build;
use crate::error::ReadError;
use frazil_ir::module::Attachments;
use frazil_ir::{Function, MemFlags, Opcode};

/// Which instructions are marked as non-temporal, in the order of the file.
#[derive(Debug, Default)]
pub(crate) struct Marks {
    /// Their numbers, ascending.
    numbers: Vec<u64>,
    /// The number of the next instruction, in a second reading.
    next: u64,
}

impl Marks {
    /// Whether there are any.
    pub(crate) fn is_empty(&self) -> bool {
        self.numbers.is_empty()
    }

    /// Prepares for counting from the first instruction on.
    pub(crate) fn restart(&mut self) {
        self.next = 0;
    }

    /// Counts an instruction; returns whether it is marked.
    pub(crate) fn count(&mut self) -> bool {
        let number = self.next;
        self.next += 1;
        self.numbers.binary_search(&number).is_ok()
    }
}

/// Marks the accesses among the instructions from `first` on.
pub(crate) fn mark_accesses(function: &mut Function, first: usize) {
    for data in function.insts.iter_mut().skip(first) {
        if matches!(data.op, Opcode::Load | Opcode::Store) {
            data.flags = MemFlags(data.flags).with_nontemporal(true).0;
        }
    }
}

/// Takes over one attachment.
pub(crate) fn attach(module: &BitcodeModule<'_>, what: Attached, attachments: &mut Attachments) {
    match what {
        Attached::SectionPrefix(text) => attachments.section_prefix = text,
        Attached::Absolute(low, high) => {
            let number = |value| build::data::integer_value(module, value).map(i64::cast_unsigned);
            attachments.absolute = number(low).zip(number(high));
        }
        Attached::Associated(value) => {
            let known = usize::try_from(value).ok().and_then(|value| module.values.get(value));
            if let Some(&ModuleValue::Symbol(symbol)) = known {
                attachments.associated = Some(symbol);
            }
        }
        Attached::Exclude => attachments.is_excluded = true,
        Attached::TypeWords(first, second) => {
            let word = |value| build::data::word_value(module, value);
            attachments.type_words = word(first).zip(word(second));
        }
        Attached::Unsupported(_) => {}
    }
}

/// Why something attached to a function cannot be compiled, if that is so.
fn refusal(module: &BitcodeModule<'_>, what: &Attached) -> Option<String> {
    match what {
        Attached::Unsupported(name) => Some(format!("metadata !{name} of a function")),
        Attached::TypeWords(first, second) => {
            let is_word = |value| build::data::word_value(module, value).is_some();
            let fits = is_word(*first) && is_word(*second);
            (!fits).then(|| "metadata !func_sanitize that is not two integers of 32 bits".to_owned())
        }
        _ => None,
    }
}

impl<'m> Body<'_, 'm> {
    /// Reads what is attached to the function, and notes the instructions that are marked.
    ///
    /// # Errors
    /// If the block is malformed.
    #[cold]
    pub(super) fn attachments(
        &mut self,
        cursor: &mut Cursor<'_>,
        header: &SubBlock,
        record: &mut Record,
    ) -> Result<(), ReadError> {
        let module = self.build.module;
        let may_mark = module.metadata.has_single_values || self.may_have_mark(header, record)?;
        let shared = module.block_info.abbreviations(id::METADATA_ATTACHMENTS);
        let mut block = Block::enter(cursor, header, shared);
        let marks = &mut self.build.state.marks.numbers;
        let is_second = !marks.is_empty();
        let mut wanted: Vec<(u64, u64)> = Vec::new();
        loop {
            match block.next(cursor, record)? {
                Item::End => break,
                Item::Block(_) => continue,
                Item::Record => {}
            }
            match record.operands() {
                [instruction, pairs @ ..] if pairs.len() % 2 == 0 => {
                    let mut kinds = pairs.iter().step_by(2);
                    if !is_second && kinds.any(|&kind| kind == NON_TEMPORAL) {
                        marks.push(*instruction);
                    }
                }
                pairs => {
                    let pairs = pairs.chunks_exact(2).filter(|pair| is_wanted(pair));
                    wanted.extend(pairs.filter_map(|pair| Some((*pair.first()?, *pair.get(1)?))));
                }
            }
            if !may_mark {
                block.leave(cursor)?;
                break;
            }
        }
        marks.sort_unstable();
        match wanted.is_empty() {
            true => Ok(()),
            false => self.attach(&wanted),
        }
    }

    /// Whether the function's own metadata may have a node that marks accesses, or is longer than the attachments,
    /// which are then searched instead.
    fn may_have_mark(&self, attachments: &SubBlock, record: &mut Record) -> Result<bool, ReadError> {
        let Some(own) = self.metadata else { return Ok(false) };
        if own.end - own.start > attachments.end - attachments.start {
            return Ok(true);
        }
        let module = self.build.module;
        let mut cursor = module.stream.clone();
        let shared = module.block_info.abbreviations(id::METADATA);
        let mut block = Block::enter(&mut cursor, &own, shared);
        loop {
            match block.next(&mut cursor, record)? {
                Item::End => return Ok(false),
                Item::Block(_) => {}
                Item::Record if record.code() == code::NODE && record.operands().len() == 1 => return Ok(true),
                Item::Record => {}
            }
        }
    }

    /// Where the function's metadata is and, in it, the module's, which is to be given back to `outer_metadata`; and
    /// the function's block.
    pub(super) fn places(
        &mut self,
        cursor: &mut Cursor<'m>,
        record: &mut Record,
    ) -> Result<(Places<'m>, Block<'m>), ReadError> {
        let module = self.build.module;
        let shared = module.block_info.abbreviations(id::METADATA);
        let outer = match (self.outer_metadata.take(), module.metadata_block) {
            (Some(outer), _) => Some(outer),
            (None, Some(header)) => {
                let mut block = Block::enter(cursor, &header, shared);
                let mut places = Places::default();
                places.walk(cursor, &mut block, record, |_| {})?;
                Some(Box::new((places, block)))
            }
            (None, None) => None,
        };
        let mut places = outer.map_or_else(Places::default, Places::within);
        // Without metadata of its own, the function has a block of none.
        let own = self.metadata.unwrap_or(SubBlock {
            id: id::METADATA,
            abbreviation_width: 2,
            start: 0,
            end: 0,
        });
        let mut block = Block::enter(cursor, &own, shared);
        if self.metadata.is_some() {
            places.walk(cursor, &mut block, record, |_| {})?;
        }
        Ok((places, block))
    }

    /// Calls `look` with the metadata of module and function.
    #[cold]
    pub(super) fn with_metadata<R>(
        &mut self,
        look: impl FnOnce(&mut Places<'_>, &mut Cursor<'_>, &mut Block<'_>, &mut Record) -> Result<R, ReadError>,
    ) -> Result<R, ReadError> {
        let mut cursor = self.build.module.stream.clone();
        let mut record = Record::default();
        let (mut places, mut block) = self.places(&mut cursor, &mut record)?;
        let found = look(&mut places, &mut cursor, &mut block, &mut record);
        *self.outer_metadata = places.into_outer();
        found
    }

    /// Takes over what is attached to the function: kinds and nodes.
    fn attach(&mut self, wanted: &[(u64, u64)]) -> Result<(), ReadError> {
        let module = self.build.module;
        let attached = self.with_metadata(|places, cursor, block, record| {
            let mut found = Vec::new();
            for &(kind, node) in wanted {
                found.extend(places.attached(kind, node, cursor, block, record)?);
            }
            Ok(found)
        })?;
        let mut found = Attachments::default();
        for what in attached {
            if let Some(message) = refusal(module, &what) {
                return Err(self.build.unsupported(message));
            }
            attach(module, what, &mut found);
        }
        // Code is loaded, and in its place.
        found.is_excluded = false;
        found.absolute = None;
        if found != Attachments::default() {
            self.build.function.attachments = Some(Box::new(found));
        }
        Ok(())
    }
}
