//! Debug sections in the object.
//!
//! They are no part of the program's image, and come last. Their relocations for code name sections, so that no symbol
//! is needed for them; those for offsets in other debug sections name these.

use super::{Location, Naming, ObjectBuilder, PendingRelocation, compress, file};
use crate::dwarf::{CodePlace, DebugSection, DebugTarget};
use crate::error::EmitError;
use crate::exceptions::Late;
use crate::placement::{Compressor, EmitOptions};
use crate::relocation_targets::TargetId;
use crate::section::{SectionDesc, SectionId};
use frazil_codegen::{CompiledFunction, TargetDesc};
use frazil_ir::included::DEBUG_INFORMATION;
use frazil_ir::{EntityRef, FuncId, Module, Refusal};
use object::elf;

/// Writes an object of debug sections without relocations.
pub(crate) fn write_split(
    target: &'static TargetDesc,
    sections: Vec<DebugSection>,
    compress_debug: Option<Compressor>,
) -> Result<Vec<u8>, EmitError> {
    let module = Module::default();
    let options = EmitOptions {
        compress_debug,
        ..EmitOptions::default()
    };
    let mut builder = ObjectBuilder::new(&module, target, options)?;
    for mut section in sections {
        let (id, _) = builder.begin_debug_section(&mut section)?;
        let desc = builder.placement.sections.desc(id);
        let bytes = section.bytes.len() as u64;
        builder.contents.append(desc, id, &section.bytes, bytes)?;
    }
    let mut out = Vec::new();
    file::write(&builder, &vec![false; builder.placement.sections.len()], &mut out)?;
    Ok(out)
}

impl ObjectBuilder<'_> {
    /// Adds what debuggers want to know of a function that was placed.
    #[cold]
    pub(super) fn add_debug(&mut self, function: FuncId, section: SectionId, start: u64, code: &CompiledFunction) {
        if !DEBUG_INFORMATION {
            return;
        }
        let head = &self.module.functions[function];
        if let Some(debug) = &mut self.debug {
            let place = CodePlace {
                symbol: head.symbol,
                section: section.index() as u32,
                start,
                has_frame_table: head.unwind_table || !head.no_unwind,
            };
            debug.add_function(place, code);
        }
    }

    /// Appends the debug sections.
    pub(super) fn add_debug_sections(&mut self) -> Result<(), EmitError> {
        let Some(debug) = self.debug.take().filter(|_| DEBUG_INFORMATION) else {
            return Ok(());
        };
        let mut sections = debug.finish()?;
        if self.placement.options.debug.has_file() {
            (self.split, sections) = sections.into_iter().partition(|section| section.is_split);
        }
        let mut ids = Vec::with_capacity(sections.len());
        for (number, section) in sections.iter_mut().enumerate() {
            let (id, start) = self.begin_debug_section(section)?;
            let (place, _) = self.targets.add_late(Late::DebugSection(number as u32));
            self.table_places.push(Location::At(id, start));
            ids.push((id, place));
        }
        for (section, &(id, _)) in sections.into_iter().zip(&ids) {
            let desc = self.placement.sections.desc(id);
            self.contents
                .append(desc, id, &section.bytes, section.bytes.len() as u64)?;
            for relocation in &section.relocations {
                let kind = match relocation.target {
                    DebugTarget::ThreadOffset(_) => self.target.elf.thread_offset.map(|offset| offset.relocation),
                    _ => self.absolute_kind(relocation.bytes),
                };
                let kind = kind.ok_or_else(|| {
                    let what = format!("addresses of {} bytes in debug information", relocation.bytes);
                    EmitError::unsupported(Refusal::ObjectFile, what, section.name)
                })?;
                let is_code = |target: TargetId| {
                    matches!(
                        self.states.get(target.index()).map(|state| state.location),
                        Some(Location::At(..))
                    )
                };
                let (target, naming) = match relocation.target {
                    DebugTarget::Symbol(symbol) => {
                        let target = self.targets.symbol(self.module, symbol);
                        (target, if is_code(target) { Naming::Section } else { Naming::Any })
                    }
                    DebugTarget::ThreadOffset(symbol) => (self.targets.symbol(self.module, symbol), Naming::Symbol),
                    DebugTarget::Section(_) => (TargetId::new(0), Naming::Section),
                };
                let list = &mut self.contents.section(id).relocations;
                if let DebugTarget::Section(number) = relocation.target {
                    self.late_relocations.push((Some(id), list.len(), ids[number].1));
                }
                list.push(PendingRelocation {
                    offset: relocation.offset,
                    addend: relocation.addend,
                    target,
                    kind,
                    naming,
                });
            }
        }
        Ok(())
    }

    /// Brings the contents of a debug section into the form that it is to have, and adds a section for them.
    fn begin_debug_section(&mut self, section: &mut DebugSection) -> Result<(SectionId, u64), EmitError> {
        let mut flags = match section.is_texts {
            true => elf::SHF_MERGE | elf::SHF_STRINGS,
            false => elf::SectionFlags(0),
        };
        if section.is_split {
            flags |= elf::SHF_EXCLUDE;
        }
        let align_log2 = match self.compressed(&section.bytes)? {
            Some(bytes) => {
                section.bytes = bytes;
                flags |= elf::SHF_COMPRESSED;
                compress::align_log2(&self.target.elf)
            }
            None => 0,
        };
        let mut desc = SectionDesc::new(section.name.as_bytes(), elf::SHT_PROGBITS, flags);
        desc.entry_bytes = u64::from(section.is_texts);
        desc.group = (section.group).map(|name| self.placement.more_group(name.to_string().as_bytes()));
        let id = self.placement.sections.intern(desc);
        let start = self.contents.align(self.placement.sections.desc(id), id, align_log2)?;
        Ok((id, start))
    }

    /// The file with what linkers need not see: an object of nothing but debug sections.
    pub(super) fn split_file(&mut self) -> Result<Vec<u8>, EmitError> {
        let sections = std::mem::take(&mut self.split);
        write_split(self.target, sections, self.placement.options.compress_debug)
    }

    /// The compressed form of a debug section, if it is to have that.
    fn compressed(&self, bytes: &[u8]) -> Result<Option<Vec<u8>>, EmitError> {
        match self.placement.options.compress_debug {
            // Numbers in the contents that relocations add to would be out of reach.
            Some(compressor) if !self.target.elf.addends_in_fields => {
                compress::compress(bytes, compressor, &self.target.elf)
            }
            _ => Ok(None),
        }
    }
}
