//! New names, for local symbols that other parts name.
//!
//! They are the old ones with a number that is made of all of the module, so that symbols of the same name in other
//! modules of the program are others.

use crate::plan::Plan;
use crate::record::linkage;
use crate::source::Source;
use std::ops::Range;

/// Names that no symbol of the module has.
#[derive(Debug)]
pub struct Names {
    pub bytes: Vec<u8>,
    /// By symbol, ascending, where its new name is.
    rows: Vec<(usize, Range<usize>)>,
}

/// What LLVM knows by name begins with this. Symbols that are not in a part have other names there.
const RESERVED: &[u8] = b"llvm.";

impl Names {
    /// Names for a module that is divided like this.
    pub fn make(source: &Source<'_>, plan: &Plan) -> Names {
        let mut names = Names {
            bytes: Vec::new(),
            rows: Vec::new(),
        };
        let shared = source.symbols.iter().zip(&plan.is_shared).enumerate();
        let renamed = shared.filter(|(_, (symbol, is_shared))| {
            let is_reserved = source.name(symbol).starts_with(RESERVED);
            symbol.is_defined && (linkage::is_local(symbol.linkage) && **is_shared || is_reserved)
        });
        let mut suffix = String::new();
        for (number, (symbol, _)) in renamed {
            if suffix.is_empty() {
                suffix = format!(".split.{:016x}", digest(source.stream.bytes()));
            }
            let start = names.bytes.len();
            match source.name(symbol) {
                b"" => names.bytes.extend(format!("unnamed.{number}").into_bytes()),
                name => names.bytes.extend(name.strip_prefix(RESERVED).unwrap_or(name)),
            }
            names.bytes.extend(suffix.as_bytes());
            names.rows.push((number, start..names.bytes.len()));
        }
        names
    }

    /// Where the new name of a symbol is, if it has one.
    pub fn place(&self, symbol: usize) -> Option<Range<usize>> {
        let found = self.rows.binary_search_by_key(&symbol, |row| row.0).ok()?;
        self.rows.get(found).map(|row| row.1.clone())
    }
}

/// A number that is another one for other bytes, as far as chance allows.
fn digest(bytes: &[u8]) -> u64 {
    // Odd, with bits that look random (from the golden ratio).
    const FACTOR: u64 = 0x9e37_79b9_7f4a_7c15;
    let (words, rest) = bytes.as_chunks::<8>();
    let mut last = [0; 8];
    for (slot, &byte) in last.iter_mut().zip(rest) {
        *slot = byte;
    }
    let words = words.iter().chain([&last]).map(|word| u64::from_le_bytes(*word));
    let mut state = bytes.len() as u64;
    for word in words {
        state = (state ^ word).wrapping_mul(FACTOR);
        state ^= state >> 29;
    }
    state = (state ^ state >> 32).wrapping_mul(FACTOR);
    state ^ state >> 29
}
