//! Addresses of blocks: places in a function that data, or other functions, name.
//!
//! Each is the function's symbol with an offset, named by section: another definition of the function that a linker
//! prefers has other blocks. Other functions may come before the one with the block, so their references wait until
//! all functions are there.

use super::{Naming, ObjectBuilder, PendingRelocation};
use crate::error::EmitError;
use crate::relocation_targets::TargetId;
use crate::section::SectionId;
use frazil_codegen::buffer::Reloc;
use frazil_codegen::{CodeBuffer, CompiledFunction, Label};
use frazil_ir::module::{DataRelocation, RelocationTarget};
use frazil_ir::{Block, DataDef, EntityRef, FuncId, SymbolId, SymbolKind};
use frazil_support::FxHashMap;

/// Where blocks are whose address somebody may ask for.
#[derive(Debug, Default)]
pub(super) struct BlockTable {
    /// By function: the offset of each block from the function's first byte.
    offsets: FxHashMap<FuncId, Vec<Option<u32>>>,
    references: Vec<Reference>,
}

/// A reference of code to a block of another function.
#[derive(Debug)]
struct Reference {
    section: SectionId,
    offset: u64,
    kind: u8,
    addend: i64,
    function: SymbolId,
    block: Block,
}

impl BlockTable {
    /// Notes the blocks of a function.
    pub fn add(&mut self, function: FuncId, code: &CompiledFunction) {
        let Some((first, count)) = code.body.block_addresses else {
            return;
        };
        let prologue = code.prologue.offset();
        let offsets = (first.0..first.0 + count)
            .map(|label| Some(prologue + code.body.label_offset(Label(label))?))
            .collect();
        self.offsets.insert(function, offsets);
    }

    /// Notes a relocation of code at `start` in a section.
    pub fn refer(&mut self, section: SectionId, start: u64, reloc: &Reloc, code: &CodeBuffer) {
        let (function, block) = code.foreign_blocks[reloc.target.number() as usize];
        self.references.push(Reference {
            section,
            offset: start + u64::from(reloc.offset),
            kind: reloc.kind,
            addend: reloc.addend,
            function,
            block,
        });
    }

    fn offset(&self, function: FuncId, block: Block) -> Option<i64> {
        let offset = self.offsets.get(&function)?.get(block.index())?;
        offset.map(i64::from)
    }
}

impl ObjectBuilder<'_> {
    /// What data refers to, the distance from there, and how a relocation names it.
    pub(super) fn data_target(
        &mut self,
        def: &DataDef,
        relocation: &DataRelocation,
        target: RelocationTarget,
    ) -> Result<(TargetId, i64, Naming), EmitError> {
        let (symbol, block) = self.placement.data_target(def, relocation, target)?;
        let id = self.targets.symbol(self.module, symbol);
        match block {
            None if self.placement.is_by_table(target) => Ok((id, 0, Naming::Table)),
            None => Ok((id, 0, Naming::Any)),
            Some((function, block)) => {
                let offset = self.blocks.offset(function, block);
                let offset = offset.ok_or_else(|| no_block(self.module.display_name(def.symbol)))?;
                Ok((id, offset, Naming::Section))
            }
        }
    }

    /// Turns references of code to blocks of other functions into relocations.
    pub(super) fn resolve_foreign_blocks(&mut self) -> Result<(), EmitError> {
        for reference in std::mem::take(&mut self.blocks.references) {
            let offset = match self.module.symbols[reference.function].kind {
                SymbolKind::Function(function) => self.blocks.offset(function, reference.block),
                _ => None,
            };
            let offset = offset.ok_or_else(|| no_block(self.module.display_name(reference.function)))?;
            let relocations = &mut self.contents.section(reference.section).relocations;
            relocations.push(PendingRelocation {
                offset: reference.offset,
                addend: reference.addend.wrapping_add(offset),
                target: TargetId::new(reference.function.index()),
                kind: reference.kind,
                naming: Naming::Section,
            });
        }
        Ok(())
    }
}

fn no_block(symbol: impl Into<String>) -> EmitError {
    EmitError::malformed("the address of a block that is not in the object", symbol)
}
