//! Jump tables in the object.
//!
//! They are read-only data: all tables of a function one after the other, in the section that [`Placement`] says. An
//! entry is the distance from the table's start to a label of the function, and so a relocation against the section of
//! the code, as LLVM writes it: no linker needs a name for a label. Code reaches a table by a relocation that, like
//! those of exception tables, waits until late targets have numbers.
//!
//! [`Placement`]: crate::placement::Placement

use super::{Location, Naming, ObjectBuilder, PendingRelocation};
use crate::error::EmitError;
use crate::exceptions::Late;
use crate::relocation_targets::TargetId;
use crate::section::SectionId;
use frazil_codegen::{CodeBuffer, CompiledFunction, Reloc};
use frazil_ir::{EntityRef, FuncId};

impl ObjectBuilder<'_> {
    /// Places the jump tables of a function, whose code comes next.
    #[cold]
    pub(super) fn add_jump_tables(&mut self, function: FuncId, code: &CompiledFunction) -> Result<(), EmitError> {
        let kind = self
            .target
            .elf
            .pc32
            .expect("targets with jump tables in data have relocations for them");
        let target = TargetId::new(self.module.functions[function].symbol.index());
        let section = self.placement.jump_tables(function, code.attachments.as_deref());
        let desc = self.placement.sections.desc(section);
        let start = self.contents.align(desc, section, CodeBuffer::TABLE_ALIGN_LOG2)?;
        let lead = i64::from(code.prologue.offset());
        let mut offset = start;
        for table in code.body.data_tables() {
            let table_start = offset;
            for label in table {
                let place = code.body.label_offset(*label).expect("all labels are bound");
                self.contents.section(section).relocations.push(PendingRelocation {
                    offset,
                    // From the entry; the value counts from the table's start.
                    addend: lead + i64::from(place) + (offset - table_start) as i64,
                    target,
                    kind,
                    naming: Naming::Section,
                });
                offset += CodeBuffer::TABLE_ENTRY_BYTES;
            }
        }
        self.contents.append(desc, section, &[], offset - start)?;
        (self.jump_tables, _) = self.targets.add_late(Late::JumpTables(function));
        self.table_places.push(Location::At(section, start));
        Ok(())
    }

    /// Adds the relocation of code for one of the function's jump tables.
    #[cold]
    pub(super) fn refer_to_table(&mut self, section: SectionId, start: u64, reloc: &Reloc, code: &CodeBuffer) {
        let before = code.data_tables().take(reloc.target.number() as usize);
        let bytes = before.map(|table| table.len() as u64).sum::<u64>() * CodeBuffer::TABLE_ENTRY_BYTES;
        let list = &mut self.contents.section(section).relocations;
        self.late_relocations
            .push((Some(section), list.len(), self.jump_tables));
        list.push(PendingRelocation {
            offset: start + u64::from(reloc.offset),
            addend: reloc.addend + bytes as i64,
            target: TargetId::new(0),
            kind: reloc.kind,
            naming: Naming::Any,
        });
    }
}
