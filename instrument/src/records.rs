//! What objects have for the places of a tool: a number to count in for each, and a record of where it is.
//!
//! The numbers of all objects that are linked stand in one section, `frazil_counters_TOOL`, and the records in another
//! one, `frazil_records_TOOL`, in the same order; linkers give the names `__start_` and `__stop_` to their ends. So a
//! tool finds all places of the image, and the record of a number by its distance from the start.

use crate::places::Kind;
use frazil_ir::SymbolId;
use frazil_ir::module::{DataRelocation, PlacedData, RelocationTarget};

/// The symbols of a tool's data in a function.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct OwnData {
    pub counters: SymbolId,
    pub records: SymbolId,
    /// Where some numbers may follow from others.
    pub derived: Option<DerivedData>,
}

/// The symbols of what numbers are derived from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct DerivedData {
    pub hidden: SymbolId,
    pub sums: SymbolId,
}

/// What a record says.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Row {
    pub kind: Kind,
    pub line: u32,
    pub file: Option<SymbolId>,
    pub block: u32,
}

pub const COUNTER_BYTES: usize = 8;

/// Two addresses of texts, function and file, and four numbers of 32 bits: line, block, kind and the number in the
/// function. Addresses have 64 bits whatever the target, so that all records are alike.
pub const RECORD_BYTES: usize = 32;

/// The name of a section of a tool: letters, digits and underscores, of which linkers make symbols.
pub(crate) fn section(beginning: &str, tool: &str) -> Vec<u8> {
    let plain = |letter: char| if letter.is_ascii_alphanumeric() { letter } else { '_' };
    let name: String = tool.chars().map(plain).collect();
    format!("{beginning}_{name}").into_bytes()
}

/// The name of the tool whose places somebody looks for with a symbol of this name, as letters of sections.
pub(crate) fn tool_of_start(symbol: &[u8]) -> Option<&[u8]> {
    ["counters", "records", "sums"].iter().find_map(|what| {
        let start = format!("__start_frazil_{what}_");
        symbol.strip_prefix(start.as_bytes())
    })
}

/// The data of a tool for a function whose name is the text `function`.
pub fn data(tool: &str, own: OwnData, rows: &[Row], function: Option<SymbolId>, address_bytes: u8) -> [PlacedData; 2] {
    let counters = PlacedData {
        symbol: own.counters,
        section: section("frazil_counters", tool),
        align_log2: 3,
        bytes: vec![0; rows.len() * COUNTER_BYTES],
        relocations: Vec::new(),
    };
    let mut records = PlacedData {
        symbol: own.records,
        section: section("frazil_records", tool),
        align_log2: 3,
        bytes: Vec::with_capacity(rows.len() * RECORD_BYTES),
        relocations: Vec::with_capacity(2 * rows.len()),
    };
    for (number, row) in rows.iter().enumerate() {
        let start = records.bytes.len() as u64;
        for (offset, text) in [(0, function), (8, row.file)] {
            let address = text.map(|text| DataRelocation {
                offset: start + offset,
                size: address_bytes,
                target: RelocationTarget::Symbol(text),
                addend: 0,
                minus: None,
            });
            records.relocations.extend(address);
        }
        let mut bytes = [0; RECORD_BYTES];
        let words = [row.line, row.block, row.kind as u32, number as u32];
        for (place, word) in bytes[16..].chunks_exact_mut(4).zip(words) {
            place.copy_from_slice(&word.to_le_bytes());
        }
        records.bytes.extend_from_slice(&bytes);
    }
    [counters, records]
}

#[cfg(test)]
mod tests {
    use super::*;
    use frazil_ir::EntityRef;

    #[test]
    fn records_name_their_texts() {
        let own = OwnData {
            counters: SymbolId::new(1),
            records: SymbolId::new(2),
            derived: None,
        };
        let row = Row {
            kind: Kind::Block,
            line: 7,
            file: None,
            block: 3,
        };
        let [counters, records] = data("my-tool", own, &[row, row], Some(SymbolId::new(5)), 8);
        assert_eq!(counters.section, b"frazil_counters_my_tool");
        assert_eq!((counters.bytes.len(), records.bytes.len()), (16, 64));
        assert_eq!(records.bytes[16..32], [7, 0, 0, 0, 3, 0, 0, 0, 2, 0, 0, 0, 0, 0, 0, 0]);
        assert_eq!(records.relocations.len(), 2);
        assert_eq!(records.relocations[1].offset, 32);
    }
}
