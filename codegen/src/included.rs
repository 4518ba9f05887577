//! What a build includes of what cargo features leave out.
//!
//! It is done as in [`frazil_ir::included`].

use crate::error::CodegenError;
pub use frazil_ir::included::{OPTIMIZING_PATH, RARE, VECTORS};
use frazil_ir::{Function, Refusal};

/// Whether machine instructions can be written as text.
pub const TEXT: bool = cfg!(feature = "text");

/// The refusal of something that needs a cargo feature, which this build is made without.
#[cold]
pub fn left_out(refusal: Refusal, what: &str, feature: &str) -> CodegenError {
    CodegenError::unsupported(
        refusal,
        format!("{what}, which this build leaves out: builds of Frazil with the feature `{feature}` have it"),
    )
}

/// The refusal of assembly, of a module or a function, by a command that hands none on to an assembler.
#[cold]
pub fn without_assembler(is_of_module: bool) -> CodegenError {
    match is_of_module {
        true => left_out(Refusal::ModuleAssembly, "module-level assembly", "command"),
        false => left_out(
            Refusal::InlineAssembly,
            "inline assembly that only an assembler encodes",
            "command",
        ),
    }
}

/// Refuses what of a function has to be changed before it can be compiled, where that needs [`RARE`].
///
/// # Errors
/// By name.
pub fn check_jumps(function: &Function) -> Result<(), CodegenError> {
    match RARE || function.cfg().indirect_jumps() <= 1 {
        true => Ok(()),
        false => Err(left_out(
            Refusal::Instruction,
            "several indirect jumps in a function",
            "rare",
        )),
    }
}

/// The refusal of what needs [`VECTORS`].
#[cold]
pub fn without_vectors(refusal: Refusal) -> CodegenError {
    left_out(refusal, "vectors and floats of other widths", "vectors")
}

/// What is refused for want of [`VECTORS`], with a word on that.
#[cold]
pub(crate) fn for_want_of_vectors(error: CodegenError) -> CodegenError {
    match error {
        CodegenError::Unsupported {
            refusal: refusal @ (Refusal::Vector | Refusal::ExoticFloat),
            what,
            place,
        } if !what.contains("this build") => CodegenError::Unsupported {
            refusal,
            what: format!("{what} by this build, which leaves vectors and most floats of other widths out"),
            place,
        },
        other => other,
    }
}

/// The refusal of what needs [`OPTIMIZING_PATH`].
#[cold]
pub(crate) fn without_selection(refusal: Refusal, what: &str) -> CodegenError {
    left_out(refusal, what, "optimize")
}
