//! Outcomes of lowering other than code: what makes the drivers compile a function once more, in another form or by
//! the other context, and errors.
//!
//! Rules and contexts return a [`Halt`] where they may find that out, and everything below them a [`CodegenError`],
//! which `?` turns into one. The drivers ([`crate::fast`], [`crate::optimize`]) answer the outcomes, so that errors
//! alone leave this crate.

use crate::check::CheckError;
use crate::error::CodegenError;
use frazil_ir::{Function, Inst, Module};

/// Why lowering has ended before the function's end.
#[derive(Debug)]
pub enum Halt {
    /// The function is refused, or its compilation has failed.
    Failed(CodegenError),
    /// The target has no instructions for an operation on vectors: the function is compiled again with such operations
    /// done lane by lane ([`crate::vectors`]).
    Expand,
    /// Something that only a machine function can do: a frame aligned more strictly than callers align the stack, an
    /// intrinsic that is a text of assembly. The function is compiled by the selecting context ([`crate::select`]).
    Select,
}

impl Halt {
    /// The same, an error naming the instruction in which it was found; see [`CodegenError::at`].
    #[must_use]
    pub fn at(self, function: &Function, module: &Module, inst: Inst) -> Halt {
        match self {
            Halt::Failed(error) => Halt::Failed(error.at(function, module, inst)),
            other => other,
        }
    }
}

impl From<CodegenError> for Halt {
    fn from(error: CodegenError) -> Halt {
        Halt::Failed(error)
    }
}

impl From<CheckError> for Halt {
    fn from(error: CheckError) -> Halt {
        Halt::Failed(error.into())
    }
}
