//! A text of assembly with operands put in.

use crate::reference::{Label, Ref};

/// A piece of a text with operands put in.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum AsmPiece {
    /// Text as it stands.
    Text(String),
    /// The name of what a reference names.
    Name(Ref),
    /// The name of a label of the function.
    Label(Label),
    /// A number that no other text has.
    UniqueNumber,
}

/// A text with operands put in, as an assembler reads it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct AsmText {
    pub pieces: Vec<AsmPiece>,
    /// Whether it is in Intel's dialect.
    pub is_intel: bool,
    pub may_unwind: bool,
}

impl AsmText {
    /// Appends text.
    pub fn push_str(&mut self, text: &str) {
        match self.pieces.last_mut() {
            Some(AsmPiece::Text(last)) => last.push_str(text),
            _ => self.pieces.push(AsmPiece::Text(text.to_owned())),
        }
    }

    /// Appends another text of the same dialect.
    pub fn append(&mut self, other: AsmText) {
        for piece in other.pieces {
            match piece {
                AsmPiece::Text(text) => self.push_str(&text),
                other => self.pieces.push(other),
            }
        }
    }

    /// The text if there is nothing in it whose name only the writer of the output knows.
    pub fn as_plain(&self) -> Option<&str> {
        match self.pieces.as_slice() {
            [] => Some(""),
            [AsmPiece::Text(text)] => Some(text),
            _ => None,
        }
    }
}
