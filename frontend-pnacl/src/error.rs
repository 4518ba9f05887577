//! What can go wrong while reading a file that somebody else wrote.
//!
//! Every failure is a [`ReadError`]: what was found and what was expected, the bit where it was found, counted from
//! the beginning of the input, and the blocks around that bit, outermost first.
//! The error is boxed, so that a `Result` of the hot paths is one word.
//!
//! Nothing here prints; turning an error into a diagnostic for a terminal is the driver's work.

use frazil_ir::Refusal;
use std::fmt;

/// The class of a failure, for callers that act on it; the message has the particulars.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ReadErrorKind {
    /// The input is no bitcode at all, or a container that this reader does not take.
    NotBitcode,
    /// The input ends, or a block ends, before what it announced.
    Truncated,
    /// The input contradicts itself or the format.
    Malformed,
    /// A value is used where its definition does not dominate the use.
    Undominated,
    /// Valid bitcode with something in it that this reader does not support.
    Unsupported(Refusal),
    /// A bound of the [`limits`](crate::limits) module was passed.
    TooLarge,
}

impl ReadErrorKind {
    /// What the failure is in the table of refusals.
    pub fn refusal(self) -> Refusal {
        match self {
            ReadErrorKind::NotBitcode | ReadErrorKind::Truncated | ReadErrorKind::Malformed => Refusal::InvalidInput,
            ReadErrorKind::Undominated => Refusal::UndominatedUse,
            ReadErrorKind::Unsupported(refusal) => refusal,
            ReadErrorKind::TooLarge => Refusal::TooLarge,
        }
    }
}

/// A failure to read, with its place.
#[derive(Clone)]
pub struct ReadError(Box<Inner>);

#[derive(Clone)]
struct Inner {
    kind: ReadErrorKind,
    message: String,
    bit_offset: u64,
    /// Innermost first while the error travels outwards.
    path: Vec<String>,
}

impl ReadError {
    /// An error of `kind` found at `bit_offset`; `message` says what was found and what was expected.
    #[cold]
    pub fn new(kind: ReadErrorKind, bit_offset: u64, message: impl Into<String>) -> ReadError {
        ReadError(Box::new(Inner {
            kind,
            message: message.into(),
            bit_offset,
            path: Vec::new(),
        }))
    }

    /// A contradiction in the input.
    #[cold]
    pub fn malformed(bit_offset: u64, message: impl Into<String>) -> ReadError {
        ReadError::new(ReadErrorKind::Malformed, bit_offset, message)
    }

    /// A construct that this reader does not support.
    #[cold]
    pub fn unsupported(refusal: Refusal, bit_offset: u64, message: impl Into<String>) -> ReadError {
        ReadError::new(ReadErrorKind::Unsupported(refusal), bit_offset, message)
    }

    /// The same error, found inside the block or item that `name` describes.
    #[cold]
    #[must_use]
    pub fn within(mut self, name: impl Into<String>) -> ReadError {
        self.0.path.push(name.into());
        self
    }

    /// The class of the failure.
    pub fn kind(&self) -> ReadErrorKind {
        self.0.kind
    }

    /// What was found and what was expected, without the place.
    pub fn message(&self) -> &str {
        &self.0.message
    }

    /// The place in bits from the beginning of the input.
    pub fn bit_offset(&self) -> u64 {
        self.0.bit_offset
    }

    /// The blocks around the place, outermost first.
    pub fn block_path(&self) -> impl Iterator<Item = &str> {
        self.0.path.iter().rev().map(String::as_str)
    }
}

impl fmt::Display for ReadError {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(out, "{} (at bit {}", self.0.message, self.0.bit_offset)?;
        for (depth, name) in self.block_path().enumerate() {
            write!(out, "{}{name}", if depth == 0 { ", in " } else { ", " })?;
        }
        write!(out, ")")
    }
}

impl fmt::Debug for ReadError {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(out, "{:?}: {self}", self.0.kind)
    }
}

impl std::error::Error for ReadError {}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn display_names_the_blocks_from_the_outside_in() {
        let error = ReadError::malformed(77, "type 9 of 3")
            .within("function @f")
            .within("module");
        assert_eq!(error.to_string(), "type 9 of 3 (at bit 77, in module, function @f)");
        assert_eq!(error.kind(), ReadErrorKind::Malformed);
    }
}
