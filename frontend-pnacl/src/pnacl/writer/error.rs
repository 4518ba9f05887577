//! What of a module has no form in an executable, and where it stands.

use frazil_ir::{Function, Inst, Refusal};
use std::fmt;

/// A refusal: the ABI has no form for something, or a limit is passed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct WriteError {
    refusal: Refusal,
    message: String,
    place: Option<String>,
}

impl WriteError {
    /// A refusal of something whose place is not known here; `message` says what it is, and what the ABI has instead.
    #[cold]
    pub fn new(refusal: Refusal, message: impl Into<String>) -> WriteError {
        WriteError {
            refusal,
            message: message.into(),
            place: None,
        }
    }

    /// The same, about a symbol.
    #[must_use]
    pub(super) fn of_symbol(self, name: &str) -> WriteError {
        WriteError {
            place: self.place.or_else(|| Some(format!("@{name}"))),
            ..self
        }
    }

    /// The same, in an instruction.
    #[must_use]
    pub(super) fn at(self, function: &Function, inst: Inst) -> WriteError {
        WriteError {
            place: self
                .place
                .or_else(|| Some(format!("{inst}: {}", function.inst(inst).op.name()))),
            ..self
        }
    }

    /// The feature that is refused.
    pub fn refusal(&self) -> Refusal {
        self.refusal
    }

    /// The instruction or symbol, if it is one.
    pub fn place(&self) -> Option<&str> {
        self.place.as_deref()
    }
}

impl fmt::Display for WriteError {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(out, "not in PNaCl's ABI: {}", self.message)?;
        match &self.place {
            Some(place) => write!(out, " ({place})"),
            None => Ok(()),
        }
    }
}

impl std::error::Error for WriteError {}
