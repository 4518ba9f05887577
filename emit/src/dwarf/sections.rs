//! Bytes and relocations of the sections, as objects and assembly text have them.

use super::output::{Dwarf, Target};
use crate::error::EmitError;
use frazil_ir::SymbolId;

/// What a relocation of debug information names.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum DebugTarget {
    Symbol(SymbolId),
    /// The offset of a variable in the thread-local storage of its module.
    ThreadOffset(SymbolId),
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
    /// The number that names its group, of which linkers keep one.
    pub group: Option<u64>,
    /// Whether it is in a file that no linker sees, or is to be taken from the object before.
    pub is_split: bool,
}

/// Writes everything; empty sections are left out.
pub(super) fn write(dwarf: Dwarf) -> Result<Vec<DebugSection>, EmitError> {
    let written = dwarf.write()?;
    let places: Vec<_> = written.iter().map(|section| section.place).collect();
    let target = |target: Target| match target {
        Target::Address(address) => address.symbol.map(match address.is_thread_offset {
            true => DebugTarget::ThreadOffset,
            false => DebugTarget::Symbol,
        }),
        Target::Section(section) => {
            let place = places.iter().position(|&place| place == Some(section));
            place.map(DebugTarget::Section)
        }
    };
    let finished = written.into_iter().map(|section| DebugSection {
        name: section.name,
        bytes: section.contents.bytes,
        relocations: (section.contents.fields.iter())
            .filter_map(|field| {
                Some(DebugRelocation {
                    offset: field.offset,
                    bytes: field.bytes,
                    target: target(field.target)?,
                    addend: field.addend,
                })
            })
            .collect(),
        is_texts: section.is_texts,
        group: section.group,
        is_split: section.is_split,
    });
    Ok(finished.collect())
}
