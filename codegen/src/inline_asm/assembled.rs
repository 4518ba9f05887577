//! What an assembler made of a text, and where it stands in a function.

use super::text::AsmText;
use crate::reference::{Label, Ref};

/// The code of a text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AsmCode {
    pub text: AsmText,
    /// Its number in the module.
    pub number: u32,
    /// The bytes. Nothing in them is to be moved or made shorter.
    pub bytes: Vec<u8>,
    /// What is to be filled in, ascending by offset.
    pub relocs: Vec<AsmReloc>,
}

/// A field of a text's code that has an address or distance in it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct AsmReloc {
    /// Where, in bytes from the start of the text's code.
    pub offset: u32,
    /// Index into the target's relocation table.
    pub kind: u8,
    /// What it points at.
    pub target: AsmTarget,
    /// Added to the target's address.
    pub addend: i64,
}

/// What the code of a text points at.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum AsmTarget {
    /// A symbol, a constant of the function, or what the assembler defined.
    Ref(Ref),
    /// A label of the function.
    Label(Label),
}

/// Where the code of a text stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Splice {
    /// The text's number in the module.
    pub number: u32,
    /// Bound to its first byte.
    pub start: Label,
}
