//! Texts that attributes name, and the table of their offsets (DWARF 5, section 7.26).

use super::bytes::{Bytes, Place};
use frazil_support::FxBuildHasher;
use indexmap::IndexMap;

/// Length, version and padding, in front of the table of offsets.
pub(super) const HEADER_BYTES: u64 = 8;

/// A text, by its number.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) struct TextId(u32);

/// All texts, each once.
#[derive(Debug, Default)]
pub(in crate::dwarf) struct Strings {
    /// Each with its offset.
    texts: IndexMap<Vec<u8>, u32, FxBuildHasher>,
    bytes: u32,
}

impl Strings {
    /// The number of a text without zeros in it.
    pub fn add(&mut self, text: impl AsRef<[u8]>) -> TextId {
        let text = text.as_ref();
        if let Some(number) = self.texts.get_index_of(text) {
            return TextId(number as u32);
        }
        let (number, _) = self.texts.insert_full(text.to_vec(), self.bytes);
        self.bytes += text.len() as u32 + 1;
        TextId(number as u32)
    }

    /// The bytes of a text.
    pub(in crate::dwarf) fn text(&self, text: TextId) -> &[u8] {
        self.texts.get_index(text.0 as usize).map_or(&[], |(text, _)| text)
    }

    /// The place of a text.
    pub(super) fn offset(&self, text: TextId) -> u64 {
        self.texts
            .get_index(text.0 as usize)
            .map_or(0, |(_, &offset)| offset.into())
    }

    pub(super) fn write(&self, out: &mut Bytes) {
        for text in self.texts.keys() {
            out.bytes.extend_from_slice(text);
            out.u8(0);
        }
    }

    pub(super) fn write_offsets(&self, out: &mut Bytes) {
        let part = out.begin_part();
        out.u16(5);
        out.u16(0);
        self.write_gnu_offsets(out);
        out.end_part(part);
    }

    /// The table without a header, as GNU's form before version 5 has it.
    pub(super) fn write_gnu_offsets(&self, out: &mut Bytes) {
        for &offset in self.texts.values() {
            out.offset_in(Place::Texts, offset.into());
        }
    }
}

impl TextId {
    /// Its number in the table of offsets.
    pub(super) fn number(self) -> u64 {
        self.0.into()
    }
}
