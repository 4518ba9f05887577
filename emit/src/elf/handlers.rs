//! Exception tables, and what they point at, in the object.
//!
//! What tables point at is numbered after the constants, whose number is known at the end only; until then, its
//! relocations are kept aside.

use super::{Location, Naming, ObjectBuilder, PendingRelocation, TargetState};
use crate::error::EmitError;
use crate::exceptions::{self, Encodings, Late, TABLE_ALIGN_LOG2};
use crate::relocation_targets::TargetId;
use crate::section::SectionId;
use frazil_codegen::CompiledFunction;
use frazil_ir::{EntityRef, FuncId, SymbolId};

impl ObjectBuilder<'_> {
    /// Appends the exception table of a function; returns its place among what tables point at.
    #[cold]
    pub(super) fn add_exception_table(
        &mut self,
        function: FuncId,
        code: &CompiledFunction,
    ) -> Result<usize, EmitError> {
        let table = exceptions::encode(
            code,
            Encodings::of(&self.target.elf, self.placement.options.relocation_model),
        );
        let section = self.placement.exception_table(function);
        let desc = self.placement.sections.desc(section);
        let start = self.contents.align(desc, section, TABLE_ALIGN_LOG2)?;
        self.contents
            .append(desc, section, &table.bytes, table.bytes.len() as u64)?;
        for (offset, symbol) in table.types {
            self.name_symbol(Some(section), start + u64::from(offset), Late::Type(symbol), symbol);
        }
        let (place, _) = self.targets.add_late(Late::Table(function));
        self.table_places.push(Location::At(section, start));
        Ok(place)
    }

    /// Adds a relocation for a personality routine or type, in a section or, without one, in that of frames.
    pub(super) fn name_symbol(&mut self, section: Option<SectionId>, offset: u64, late: Late, symbol: SymbolId) {
        let encodings = Encodings::of(&self.target.elf, self.placement.options.relocation_model);
        if encodings.is_indirect {
            let (place, _) = self.targets.add_late(late);
            return self.name_late(section, offset, place);
        }
        let target = self.targets.symbol(self.module, symbol);
        self.push_table_relocation(section, offset, target, encodings);
    }

    /// Adds a relocation for what was added at `place` to what tables point at.
    pub(super) fn name_late(&mut self, section: Option<SectionId>, offset: u64, place: usize) {
        let encodings = Encodings::of(&self.target.elf, self.placement.options.relocation_model);
        let index = self.push_table_relocation(section, offset, TargetId::new(0), encodings);
        self.late_relocations.push((section, index, place));
    }

    /// Adds a relocation for a pointer; returns its index among those of the section.
    fn push_table_relocation(
        &mut self,
        section: Option<SectionId>,
        offset: u64,
        target: TargetId,
        encodings: Encodings,
    ) -> usize {
        let elf = &self.target.elf;
        let kind = match (encodings.is_indirect, encodings.pointer_bytes) {
            (true, 8) => elf.pc64,
            (true, _) => elf.pc32,
            (false, 8) => elf.abs64,
            (false, _) => elf.abs32,
        };
        let list = match section {
            Some(section) => &mut self.contents.section(section).relocations,
            None => &mut self.frame_relocations,
        };
        list.push(PendingRelocation {
            offset,
            addend: 0,
            target,
            kind: kind.expect("targets with exceptions have relocations for them"),
            naming: Naming::Any,
        });
        list.len() - 1
    }

    /// Places the pointers that tables name symbols by, and says where everything is that tables point at.
    pub(super) fn add_late(&mut self) -> Result<(), EmitError> {
        let mut tables = std::mem::take(&mut self.table_places).into_iter();
        let numbered = self.targets.number_late(self.constants.entries().len());
        let numbered: Vec<(TargetId, Late)> = numbered.collect();
        for (target, late) in numbered {
            debug_assert_eq!(target.index(), self.states.len(), "targets are numbered in order");
            let (location, mut size) = match late {
                Late::Table(_) | Late::JumpTables(_) | Late::DebugSection(_) => {
                    (tables.next().expect("tables have been placed"), 0)
                }
                Late::Foreign(number) => (self.foreign.locations[number as usize], 0),
                Late::Personality(symbol) | Late::Type(symbol) => {
                    let (section, offset) = self.add_pointer(late, symbol)?;
                    (Location::At(section, offset), self.target.pointer_bytes.into())
                }
            };
            let mut is_shared = matches!(late, Late::Personality(_));
            let keep_name = is_shared;
            if let Late::Foreign(number) = late
                && let Some(symbol) = self.foreign.symbols.get(number as usize)
            {
                size = symbol.size;
                is_shared = !symbol.is_local();
            }
            self.states.push(TargetState {
                location,
                size,
                local: !is_shared,
                keep_name,
                used: false,
            });
        }
        for (section, index, place) in std::mem::take(&mut self.late_relocations) {
            let list = match section {
                Some(section) => &mut self.contents.section(section).relocations,
                None => &mut self.frame_relocations,
            };
            list[index].target = self.targets.late(place);
        }
        Ok(())
    }

    /// Appends a pointer to a symbol.
    fn add_pointer(&mut self, late: Late, symbol: SymbolId) -> Result<(SectionId, u64), EmitError> {
        let bytes = self.target.pointer_bytes;
        let section = self.placement.pointer(late);
        let desc = self.placement.sections.desc(section);
        let offset = self.contents.align(desc, section, bytes.trailing_zeros() as u8)?;
        self.contents.append(desc, section, &[], bytes.into())?;
        let target = self.targets.symbol(self.module, symbol);
        self.contents.section(section).relocations.push(PendingRelocation {
            offset,
            addend: 0,
            target,
            kind: match bytes {
                8 => self.target.elf.abs64,
                _ => self.target.elf.abs32,
            }
            .expect("targets with exceptions have relocations for pointers"),
            naming: Naming::Any,
        });
        Ok((section, offset))
    }
}
