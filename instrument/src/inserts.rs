//! What a tool file says, checked: which places are meant, and what is given to which hook.

use crate::places::{Datum, Kind};
use crate::text::Side;
use frazil_ir::Opcode;
use regex_lite::Regex;

/// What a hook is given.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Arg {
    /// A number, cut to the parameter's width.
    Int(i128),
    /// A text, by its number among those of the tool.
    Text(usize),
    Datum(Datum),
}

/// Which places are meant, besides their kind.
#[derive(Clone, Debug, Default)]
pub struct Filters {
    pub functions: Option<Regex>,
    pub not_functions: Option<Regex>,
    pub callees: Option<Regex>,
    pub files: Option<Regex>,
    /// First and last line.
    pub lines: Option<(u32, u32)>,
    pub opcodes: Vec<Opcode>,
    /// Flags of integer arithmetic that an instruction must have.
    pub flags: u16,
    /// Widths of integers that an instruction computes with.
    pub bits: Vec<u32>,
    /// Bytes.
    pub sizes: Vec<u64>,
    pub address_spaces: Vec<u32>,
}

/// A table `[[insert]]` that was checked.
#[derive(Clone, Debug)]
pub struct Insert {
    pub kind: Kind,
    pub side: Side,
    /// The hook's number in its tool.
    pub hook: usize,
    pub args: Vec<Arg>,
    /// Whether it goes where a pass deletes the load or store.
    pub follows: bool,
    pub filters: Filters,
}
