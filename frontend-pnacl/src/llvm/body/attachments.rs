//! What is attached to a function with a body and to its instructions: where it is placed, and which accesses are
//! non-temporal.
//!
//! Attachments stand after the instructions, in a block of their own, those of the function first. Instructions are
//! named by their numbers, which nothing else needs: a body with marked accesses is read once more, and counted. That
//! block is only searched for marks if there may be a node that is one, in the module or in the function.

use super::context::Body;
use crate::bitstream::block::{Block, Item, SubBlock};
use crate::bitstream::cursor::Cursor;
use crate::bitstream::record::Record;
use crate::error::ReadError;
use crate::llvm::attachments::{attach, refusal};
use crate::llvm::codes::block as id;
use crate::llvm::metadata::{Places, is_single, is_wanted};
use frazil_ir::Refusal;
use frazil_ir::module::Attachments;
use frazil_support::sort::sort;

impl<'m> Body<'_, 'm> {
    /// Reads what is attached to the function, and notes the instructions that are marked.
    ///
    /// # Errors
    /// If the block is malformed.
    #[cold]
    pub(in crate::llvm) fn attachments(
        &mut self,
        cursor: &mut Cursor<'_>,
        header: &SubBlock,
        record: &mut Record,
    ) -> Result<(), ReadError> {
        let module = self.module;
        let may_mark = module.metadata.has_single_values || self.may_have_mark(header, record)?;
        let shared = module.block_info.abbreviations(id::METADATA_ATTACHMENTS);
        let mut block = Block::enter(cursor, header, shared);
        let marks = &mut self.build.state.marks.numbers;
        let is_second = !marks.is_empty();
        let non_temporal = module.metadata.non_temporal();
        let mut wanted: Vec<(u64, u64)> = Vec::new();
        let mut of_function: Vec<u64> = Vec::new();
        loop {
            match block.next(cursor, record)? {
                Item::End => break,
                Item::Block(_) => continue,
                Item::Record => {}
            }
            match record.operands() {
                [instruction, pairs @ ..] if pairs.len() % 2 == 0 => {
                    let mut kinds = pairs.iter().step_by(2);
                    if !is_second && kinds.any(|&kind| kind == non_temporal) {
                        marks.push(*instruction);
                    }
                }
                pairs => {
                    if module.tables.module.debug.is_some() {
                        of_function.extend_from_slice(pairs);
                    }
                    let pairs = pairs.chunks_exact(2).filter(|pair| is_wanted(pair));
                    wanted.extend(pairs.filter_map(|pair| Some((*pair.first()?, *pair.get(1)?))));
                }
            }
            if !may_mark {
                block.leave(cursor)?;
                break;
            }
        }
        sort(marks);
        self.debug_attached(&of_function);
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
        let module = self.module;
        let mut cursor = module.stream.clone();
        let shared = module.block_info.abbreviations(id::METADATA);
        let mut block = Block::enter(&mut cursor, &own, shared);
        loop {
            match block.next(&mut cursor, record)? {
                Item::End => return Ok(false),
                Item::Block(_) => {}
                Item::Record if is_single(record) => return Ok(true),
                Item::Record => {}
            }
        }
    }

    /// Where the function's metadata is and, in it, the module's, which is to be given back to `outer_metadata`; and
    /// the function's block.
    pub(in crate::llvm) fn places(
        &mut self,
        cursor: &mut Cursor<'m>,
        record: &mut Record,
    ) -> Result<(Places<'m>, Block<'m>), ReadError> {
        let module = self.module;
        let shared = module.block_info.abbreviations(id::METADATA);
        let outer = match (self.outer_metadata.take(), module.metadata_block) {
            (Some(outer), _) => Some(outer),
            (None, Some(header)) => {
                let mut block = Block::enter(cursor, &header, shared);
                let mut places = Places::new(&module.tables.types);
                places.walk(cursor, &mut block, record, |_| {})?;
                Some(Box::new((places, block)))
            }
            (None, None) => None,
        };
        let mut places = outer.map_or_else(|| Places::new(&module.tables.types), Places::within);
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
    pub(in crate::llvm) fn with_metadata<R>(
        &mut self,
        look: impl FnOnce(&mut Places<'_>, &mut Cursor<'_>, &mut Block<'_>, &mut Record) -> Result<R, ReadError>,
    ) -> Result<R, ReadError> {
        let mut cursor = self.module.stream.clone();
        let mut record = Record::default();
        let (mut places, mut block) = self.places(&mut cursor, &mut record)?;
        let found = look(&mut places, &mut cursor, &mut block, &mut record);
        *self.outer_metadata = places.into_outer();
        found
    }

    /// Takes over what is attached to the function: kinds and nodes.
    fn attach(&mut self, wanted: &[(u64, u64)]) -> Result<(), ReadError> {
        let module = self.module;
        let attached = self.with_metadata(|places, cursor, block, record| {
            let mut found = Vec::new();
            for &(kind, node) in wanted {
                found.extend(places.attached(kind, node, cursor, block, record)?);
            }
            Ok(found)
        })?;
        let mut found = Attachments::default();
        for what in attached {
            if let Some(message) = refusal(&module.tables, &what) {
                return Err(self.build.unsupported(Refusal::FunctionAttribute, message));
            }
            attach(&module.tables, what, &mut found);
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
