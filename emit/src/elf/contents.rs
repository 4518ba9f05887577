//! The contents of sections while the object is made.

use super::PendingRelocation;
use crate::error::EmitError;
use crate::section::{SectionDesc, SectionId};
use frazil_ir::EntityRef;

/// Bytes with contents that one section may have; zero-filled sections take no memory and have no such limit.
const MAX_SECTION_BYTES: u64 = 1 << 30;

/// How many times what a section holds there is room for when it grows, for its bytes and for its relocations, of which
/// most become bytes. What is not used is address space only.
const GROWTH: usize = 3;
const GROWTH_OF_RELOCATIONS: usize = 1;

#[derive(Debug, Default)]
pub(super) struct SectionContents {
    /// Its bytes; empty for zero-filled sections.
    pub bytes: Vec<u8>,
    /// Size in bytes of a zero-filled section.
    pub zero_bytes: u64,
    /// Alignment as log2 of bytes.
    pub align_log2: u8,
    /// Whether it stands in the file even if it is empty.
    pub present: bool,
    /// Relocations in the order in which they were noted.
    pub relocations: Vec<PendingRelocation>,
}

/// The contents of all sections, by [`SectionId`].
#[derive(Debug)]
pub(super) struct Contents {
    sections: Vec<SectionContents>,
    /// Bytes of code for which the first section with code is to have room from the start.
    pub expected_code_bytes: usize,
    /// Fills the gaps between functions.
    filler: u8,
}

impl Contents {
    /// No sections yet; `filler` fills the gaps between functions.
    pub fn new(filler: u8) -> Contents {
        Contents {
            sections: Vec::new(),
            expected_code_bytes: 0,
            filler,
        }
    }

    /// The contents of a section, which is added when it is first asked for.
    pub fn section(&mut self, id: SectionId) -> &mut SectionContents {
        if id.index() >= self.sections.len() {
            self.sections.resize_with(id.index() + 1, SectionContents::default);
        }
        &mut self.sections[id.index()]
    }

    /// The contents of a section, if it was ever used.
    pub fn view(&self, id: SectionId) -> Option<&SectionContents> {
        self.sections.get(id.index()).filter(|contents| contents.present)
    }

    /// Makes sure that a section stands in the file.
    pub fn touch(&mut self, id: SectionId) {
        self.section(id).present = true;
    }

    /// Pads a section to an alignment and returns the position.
    pub fn align(&mut self, desc: &SectionDesc, id: SectionId, align_log2: u8) -> Result<u64, EmitError> {
        let filler = if desc.is_code() { self.filler } else { 0 };
        let contents = self.section(id);
        contents.present = true;
        contents.align_log2 = contents.align_log2.max(align_log2);
        let position = contents.size(desc);
        let aligned = 1u64
            .checked_shl(align_log2.into())
            .and_then(|align| position.checked_next_multiple_of(align));
        let aligned = aligned.ok_or_else(|| too_large(desc))?;
        contents.grow(desc, aligned, filler)?;
        Ok(aligned)
    }

    /// Appends `size` bytes: those given, then zeros.
    pub fn append(&mut self, desc: &SectionDesc, id: SectionId, given: &[u8], size: u64) -> Result<(), EmitError> {
        let contents = self.section(id);
        let end = contents.size(desc).checked_add(size).ok_or_else(|| too_large(desc))?;
        if !desc.is_zero_filled() {
            contents.bytes.extend_from_slice(given);
        }
        contents.grow(desc, end, 0)
    }
}

impl SectionContents {
    /// Size in bytes.
    pub fn size(&self, desc: &SectionDesc) -> u64 {
        if desc.is_zero_filled() {
            self.zero_bytes
        } else {
            self.bytes.len() as u64
        }
    }

    /// Makes room for the code of a function. Most code is in one section, which is copied each time that it grows.
    pub fn reserve(&mut self, bytes: usize, relocations: usize) {
        if self.bytes.capacity() - self.bytes.len() < bytes {
            self.bytes.reserve(bytes.max(GROWTH * self.bytes.len()));
        }
        if self.relocations.capacity() - self.relocations.len() < relocations {
            self.relocations
                .reserve(relocations.max(GROWTH_OF_RELOCATIONS * self.relocations.len()));
        }
    }

    fn grow(&mut self, desc: &SectionDesc, size: u64, filler: u8) -> Result<(), EmitError> {
        if desc.is_zero_filled() {
            self.zero_bytes = size;
        } else if size > MAX_SECTION_BYTES {
            return Err(too_large(desc));
        } else if size != self.bytes.len() as u64 {
            self.bytes.resize(size as usize, filler);
        }
        Ok(())
    }
}

fn too_large(desc: &SectionDesc) -> EmitError {
    let name = String::from_utf8_lossy(&desc.name);
    EmitError::too_large(format!("section {name}, more than 1 GiB of contents"))
}
