//! Abbreviations: tag, children and the forms of attributes of entries, each once for all units (DWARF 5, section
//! 7.5.3).

use super::bytes::Bytes;
use frazil_support::FxHashMap;

/// The table so far. The number of an abbreviation is one more than its place.
#[derive(Debug, Default)]
pub(super) struct Abbreviations {
    /// By what describes one: the tag and whether there are children, then each attribute and its form.
    numbers: FxHashMap<Box<[u32]>, u64>,
    list: Vec<Box<[u32]>>,
}

/// The first word of a description.
pub(super) fn head(tag: u16, has_children: bool) -> u32 {
    u32::from(tag) << 1 | u32::from(has_children)
}

/// The word of an attribute.
pub(super) fn attribute(name: u16, form: u16) -> u32 {
    u32::from(name) << 16 | u32::from(form)
}

impl Abbreviations {
    /// The number of the abbreviation that is described so.
    pub fn number(&mut self, description: &[u32]) -> u64 {
        if let Some(&known) = self.numbers.get(description) {
            return known;
        }
        self.list.push(description.into());
        let number = self.list.len() as u64;
        self.numbers.insert(description.into(), number);
        number
    }

    /// Writes the table, which is empty without abbreviations.
    pub fn write(&self, out: &mut Bytes) {
        for (number, description) in (1..).zip(&self.list) {
            let Some((&head, attributes)) = description.split_first() else {
                continue;
            };
            out.unsigned(number);
            out.unsigned(u64::from(head >> 1));
            out.u8((head & 1) as u8);
            for attribute in attributes {
                out.unsigned(u64::from(attribute >> 16));
                out.unsigned(u64::from(attribute & 0xffff));
            }
            out.u16(0);
        }
        if !self.list.is_empty() {
            out.u8(0);
        }
    }
}
