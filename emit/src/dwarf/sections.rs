//! Bytes and relocations of the sections, from `gimli`'s writer.

use crate::error::EmitError;
use frazil_ir::{EntityRef, SymbolId};
use gimli::LittleEndian;
use gimli::write::{Dwarf, EndianVec, RelocateWriter, Relocation, RelocationTarget, Sections};

/// What a relocation of debug information names.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum DebugTarget {
    Symbol(SymbolId),
    /// Another debug section, by its place in the list.
    Section(usize),
}

/// A field that linkers fill in.
#[derive(Clone, Copy, Debug)]
pub struct DebugRelocation {
    pub offset: u64,
    pub bytes: u8,
    pub target: DebugTarget,
    pub addend: i64,
}

/// A section as the object is to have it.
#[derive(Debug)]
pub struct DebugSection {
    pub name: &'static str,
    pub bytes: Vec<u8>,
    pub relocations: Vec<DebugRelocation>,
    /// Whether it holds texts that linkers may merge.
    pub is_texts: bool,
}

/// The bytes of a section, and what is to be filled in.
#[derive(Clone, Debug)]
struct Contents {
    bytes: EndianVec<LittleEndian>,
    relocations: Vec<Relocation>,
}

impl RelocateWriter for Contents {
    type Writer = EndianVec<LittleEndian>;

    fn writer(&self) -> &Self::Writer {
        &self.bytes
    }

    fn writer_mut(&mut self) -> &mut Self::Writer {
        &mut self.bytes
    }

    fn relocate(&mut self, relocation: Relocation) {
        self.relocations.push(relocation);
    }
}

/// Writes everything; empty sections are left out.
pub(super) fn write(dwarf: &mut Dwarf) -> Result<Vec<DebugSection>, EmitError> {
    let mut sections = Sections::new(Contents {
        bytes: EndianVec::new(LittleEndian),
        relocations: Vec::new(),
    });
    dwarf
        .write(&mut sections)
        .map_err(|error| EmitError::malformed(format!("debug information: {error}"), ""))?;
    let mut ids = Vec::new();
    let mut written = Vec::new();
    let collected: Result<(), EmitError> = sections.for_each_mut(|id, contents| {
        if !contents.bytes.slice().is_empty() {
            ids.push(id);
            written.push((id, contents.bytes.take(), std::mem::take(&mut contents.relocations)));
        }
        Ok(())
    });
    collected?;
    let target = |relocation: &Relocation| match relocation.target {
        RelocationTarget::Symbol(symbol) => Some(DebugTarget::Symbol(SymbolId::new(symbol))),
        RelocationTarget::Section(section) => {
            let place = ids.iter().position(|&id| id == section);
            place.map(DebugTarget::Section)
        }
    };
    let finished = written.into_iter().map(|(id, bytes, relocations)| DebugSection {
        name: id.name(),
        bytes,
        relocations: relocations
            .iter()
            .filter_map(|relocation| {
                Some(DebugRelocation {
                    offset: relocation.offset as u64,
                    bytes: relocation.size,
                    target: target(relocation)?,
                    addend: relocation.addend,
                })
            })
            .collect(),
        is_texts: matches!(id, gimli::SectionId::DebugStr | gimli::SectionId::DebugLineStr),
    });
    Ok(finished.collect())
}
