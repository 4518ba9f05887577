//! Numbers of places that follow from others: a profile of blocks with the least number of updates.
//!
//! A tool says by `derive` that it looks at the numbers of its places only after `frazil_settle` of `frazil.h`. Then
//! only the chords of the [flow](super::flow) are counted, where that is cheaper, and the object has for each function
//! a list of sums for the rest. A chord that is no place of the tool counts in a *hidden* number.
//!
//! The data of a function stand in section `frazil_sums_TOOL`, aligned to 8 bytes: the address of the function's
//! numbers, that of its hidden ones, how many words follow (32 bits), 32 bits of zeros, and the words. A sum is the
//! number it gives, how many there are to add, and these; bit 31 of a word says that the number is a hidden one, bit
//! 30 that it is subtracted. Each sum needs only what was counted or stands before it.

use super::flow::{Flow, Place};
use super::{Cell, Update};
use crate::evaluate::KnownAddress;
use crate::records::{COUNTER_BYTES, DerivedData, OwnData, section};
use frazil_ir::module::{DataRelocation, PlacedData, RelocationTarget};

const HIDDEN: u32 = 1 << 31;
const SUBTRACTED: u32 = 1 << 30;

/// What was found for a function and a tool.
#[derive(Debug, Default)]
pub(crate) struct Derived {
    /// Where something is counted, and in which number.
    pub counted: Vec<(u32, u32)>,
    pub hidden_count: u32,
    pub words: Vec<u32>,
}

/// Finds out what must be counted so that all of the updates' numbers are known; nothing if counting them all is not
/// dearer. The updates are those of parts, each by one, of numbers that have no other; `number_of` gives the number of
/// a cell among those of the function.
pub(crate) fn derive(flow: &Flow, updates: &[Update], number_of: impl Fn(u32) -> u32) -> Option<Derived> {
    let mut wanted = vec![false; flow.edges.len()];
    let mut names: Vec<Option<u32>> = vec![None; flow.edges.len()];
    let mut copies: Vec<(u32, u32)> = Vec::new();
    let mut direct = 0.0;
    for update in updates {
        let Place::Part(part) = update.place else { return None };
        let part = part as usize;
        direct += flow.cost(part);
        wanted[part] = true;
        match names[part] {
            None => names[part] = Some(number_of(update.cell)),
            Some(same) => copies.push((number_of(update.cell), same)),
        }
    }
    let equations = flow.equations(&mut wanted);
    let is_counted = |edge: usize| wanted[edge] && !flow.edges[edge].is_in_tree;
    let cost: f32 = (0..flow.edges.len())
        .filter(|&edge| is_counted(edge))
        .map(|edge| flow.cost(edge))
        .sum();
    if cost >= direct {
        return None;
    }
    let mut derived = Derived::default();
    for (edge, name) in names.iter_mut().enumerate().filter(|(edge, _)| wanted[*edge]) {
        if name.is_none() {
            *name = Some(HIDDEN | derived.hidden_count);
            derived.hidden_count += 1;
        }
        if !flow.edges[edge].is_in_tree {
            derived.counted.push((edge as u32, name.expect("it is named now")));
        }
    }
    let name = |edge: u32| names[edge as usize].expect("what is wanted has a name");
    for equation in equations {
        derived.words.extend([name(equation.edge), equation.terms.len() as u32]);
        let terms = equation.terms.iter();
        derived
            .words
            .extend(terms.map(|&(edge, is_subtracted)| match is_subtracted {
                true => name(edge) | SUBTRACTED,
                false => name(edge),
            }));
    }
    copies
        .iter()
        .for_each(|&(copy, same)| derived.words.extend([copy, 1, same]));
    Some(derived)
}

/// The cell of a number that something is counted in.
pub(crate) fn cell_of(name: u32, (own, data): (OwnData, DerivedData), access: &Cell) -> Cell {
    let symbol = match name & HIDDEN {
        0 => own.counters,
        _ => data.hidden,
    };
    Cell {
        address: KnownAddress {
            symbol,
            addend: i64::from(name & !HIDDEN) * COUNTER_BYTES as i64,
            is_thread_local: false,
        },
        ..*access
    }
}

/// The data of a function: its hidden numbers and its sums.
pub(crate) fn data(
    tool: &str,
    (own, data): (OwnData, DerivedData),
    derived: &Derived,
    address_bytes: u8,
) -> [PlacedData; 2] {
    let hidden = PlacedData {
        symbol: data.hidden,
        section: section("frazil_hidden", tool),
        align_log2: 3,
        bytes: vec![0; derived.hidden_count.max(1) as usize * COUNTER_BYTES],
        relocations: Vec::new(),
    };
    let address_of = |symbol, offset| DataRelocation {
        offset,
        size: address_bytes,
        target: RelocationTarget::Symbol(symbol),
        addend: 0,
        minus: None,
    };
    let mut bytes = vec![0; 16];
    bytes.extend((derived.words.len() as u32).to_le_bytes());
    bytes.extend([0; 4]);
    derived.words.iter().for_each(|word| bytes.extend(word.to_le_bytes()));
    bytes.resize(bytes.len().next_multiple_of(8), 0);
    let sums = PlacedData {
        symbol: data.sums,
        section: section("frazil_sums", tool),
        align_log2: 3,
        bytes,
        relocations: vec![address_of(own.counters, 0), address_of(data.hidden, 8)],
    };
    [hidden, sums]
}
