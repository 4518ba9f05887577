//! What stands at the entry of a function besides its code.
//!
//! Before the function come data of the program's (`prefix`), then filler that other code may be written over, then
//! two words that tell its type to callers that check it (`func_sanitize`); the function's symbol is after them. Data
//! that the function begins with (`prologue`) is in its code already. The order is LLVM's
//! (`AsmPrinter::emitFunctionHeader`). Relocations of both wait until all functions are there, since they may name
//! blocks.

use super::{Location, Naming, ObjectBuilder};
use crate::error::EmitError;
use crate::section::SectionId;
use frazil_ir::{EntityRef, FuncId, FunctionHead};

/// The size of the words that tell a function's type.
const TYPE_WORD_BYTES: u64 = 8;

impl ObjectBuilder<'_> {
    /// Puts data and filler before a function and returns where the function begins.
    #[cold]
    pub(super) fn put_prefix(
        &mut self,
        section: SectionId,
        function: FuncId,
        type_words: Option<(u32, u32)>,
    ) -> Result<u64, EmitError> {
        let head = &self.module.functions[function];
        let desc = self.placement.sections.desc(section);
        if let Some(data) = &head.prefix_data {
            let given = &self.module.bytes[data.first_byte as usize..][..data.byte_count as usize];
            self.contents.append(desc, section, given, data.size)?;
        }
        let elf = &self.target.elf;
        let filler = elf.filler_unit().repeat(head.prefix_filler as usize);
        self.contents.append(desc, section, &filler, filler.len() as u64)?;
        if let Some((first, second)) = type_words {
            let little = [first, second].map(u32::to_le_bytes).concat();
            let bytes = match elf.little_endian {
                true => little,
                false => [first, second].map(u32::to_be_bytes).concat(),
            };
            self.contents.append(desc, section, &bytes, bytes.len() as u64)?;
            if head.prefix_data.is_some() {
                self.typed_prefixes.insert(head.symbol);
            }
        }
        Ok(self.contents.section(section).bytes.len() as u64)
    }

    /// Notes the relocations of data at entries, when all blocks that may be named have their places.
    pub(super) fn add_entry_relocations(&mut self) -> Result<(), EmitError> {
        let module = self.module;
        for head in module.functions.values() {
            let Location::At(section, start) = self.states[head.symbol.index()].location else {
                continue;
            };
            if let Some(data) = &head.prefix_data {
                let words = match self.typed_prefixes.contains(&head.symbol) {
                    true => TYPE_WORD_BYTES,
                    false => 0,
                };
                let before = data.size + self.target.elf.filler_bytes(head.prefix_filler) + words;
                self.add_data_relocations(data, section, start - before)?;
            }
            if let Some(data) = &head.prologue_data {
                self.add_data_relocations(data, section, start)?;
            }
        }
        Ok(())
    }

    /// Lists where the filler of a function is.
    #[cold]
    pub(super) fn list_filler(&mut self, head: &FunctionHead, mark_bytes: u32) -> Result<(), EmitError> {
        let distance = match head.prefix_filler {
            0 => i64::from(mark_bytes),
            count => -(self.target.elf.filler_bytes(count) as i64),
        };
        let section = self.placement.filler_list(head.symbol);
        self.put_address(section, head.symbol, distance, Naming::Section)
    }
}
