//! Why a module could not be written.

use frazil_ir::Refusal;
use thiserror::Error;

/// A refusal or failure of writing.
#[derive(Debug, Error)]
pub enum EmitError {
    /// The module asks for something that objects of this kind cannot hold, or that is not written yet.
    #[error("not supported: {what} (@{symbol})")]
    Unsupported {
        /// The feature that it is.
        refusal: Refusal,
        /// The construct by name.
        what: String,
        /// The symbol in which it was found.
        symbol: String,
    },
    /// The system has other object files.
    #[error("not supported: {what} (triple `{triple}`); Frazil writes 64-bit ELF")]
    OtherFormat {
        refusal: Refusal,
        /// What it has instead.
        what: String,
        triple: String,
    },
    /// The module contradicts itself.
    #[error("malformed module: {what} (@{symbol})")]
    Malformed {
        what: String,
        /// The symbol in which it was found.
        symbol: String,
    },
    /// A limit was passed.
    #[error("too large: {what}")]
    TooLarge {
        /// What is too large, and the limit.
        what: String,
    },
    /// The output could not be written.
    #[error("{0}")]
    Output(#[from] std::io::Error),
}

impl EmitError {
    /// The feature that is refused, if that is what happened.
    pub fn refusal(&self) -> Option<Refusal> {
        match self {
            EmitError::Unsupported { refusal, .. } | EmitError::OtherFormat { refusal, .. } => Some(*refusal),
            EmitError::TooLarge { .. } => Some(Refusal::TooLarge),
            EmitError::Malformed { .. } | EmitError::Output(_) => None,
        }
    }

    pub(crate) fn unsupported(refusal: Refusal, what: impl Into<String>, symbol: impl Into<String>) -> EmitError {
        EmitError::Unsupported {
            refusal,
            what: what.into(),
            symbol: symbol.into(),
        }
    }

    pub(crate) fn malformed(what: impl Into<String>, symbol: impl Into<String>) -> EmitError {
        EmitError::Malformed {
            what: what.into(),
            symbol: symbol.into(),
        }
    }

    pub(crate) fn too_large(what: impl Into<String>) -> EmitError {
        EmitError::TooLarge { what: what.into() }
    }
}
