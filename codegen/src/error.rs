//! Why a function could not be compiled.

use crate::check::CheckError;
use crate::check::translation::TranslationFault;
use crate::verify::MachFault;
use frazil_ir::{Function, Inst, Module, Refusal};
use thiserror::Error;

/// A refusal or failure of code generation.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum CodegenError {
    /// The function contains something that the target does not compile (contract 16).
    #[error("not supported: {what}{place}")]
    Unsupported {
        /// The feature that it is.
        refusal: Refusal,
        /// The construct by name.
        what: String,
        /// Where it stands, starting with a space, or empty.
        place: String,
    },
    /// A limit of the object format or the instruction set was passed.
    #[error("too large: {what}")]
    TooLarge { what: String },
    /// Registers or slots do not hold what instructions read there. This is a defect of Frazil.
    #[error("wrong register allocation: {0}; please report this with the input")]
    WrongAllocation(#[from] CheckError),
    /// A pass has left a machine function that is not valid. This is a defect of the pass.
    #[error("{pass} left an invalid machine function: {fault}; please report this with the input")]
    InvalidMachine {
        /// The pass, or the part of the optimizing path.
        pass: &'static str,
        fault: MachFault,
    },
    /// A pass has left a machine function that does something else than the one before. This is a defect of the pass.
    #[error("{pass} changed what the function does: {fault}; please report this with the input")]
    WrongTranslation {
        /// The pass, or the part of the optimizing path.
        pass: &'static str,
        fault: TranslationFault,
    },
    /// Whoever runs the passes wanted the function as it was then, and no code of it.
    #[error("stopped before there was code")]
    Stopped,
}

impl CodegenError {
    /// A refusal of a construct without a place; [`CodegenError::at`] adds it.
    pub fn unsupported(refusal: Refusal, what: impl Into<String>) -> CodegenError {
        CodegenError::Unsupported {
            refusal,
            what: what.into(),
            place: String::new(),
        }
    }

    /// The feature that is refused, if that is what happened.
    pub fn refusal(&self) -> Option<Refusal> {
        match self {
            CodegenError::Unsupported { refusal, .. } => Some(*refusal),
            CodegenError::TooLarge { .. } => Some(Refusal::TooLarge),
            _ => None,
        }
    }

    /// The same, naming the instruction in which it was found, if no place is known yet.
    #[must_use]
    pub fn at(self, function: &Function, module: &Module, inst: Inst) -> CodegenError {
        match self {
            CodegenError::Unsupported { refusal, what, place } if place.is_empty() => {
                let data = function.inst(inst);
                let mut place = format!(" ({inst}: {}", data.op.name());
                if let frazil_ir::Format::Call = data.op.format()
                    && let Some(symbol) = data.a.as_symbol()
                {
                    place.push_str(&format!(" @{}", module.display_name(symbol)));
                }
                place.push(')');
                CodegenError::Unsupported { refusal, what, place }
            }
            other => other,
        }
    }
}
