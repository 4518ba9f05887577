//! What a build includes of what cargo features leave out.
//!
//! Features change no interface: everything is compiled, and where a way leads to something that is not included, a
//! constant of this module is in front of it. What nothing leads to, the linker leaves out, and what would have gone
//! that way is refused by name. So a function that compiles gives the same code with any features.

use crate::error::CodegenError;
use frazil_ir::Refusal;

/// Whether there is the optimizing path, what proves its results and those of the fast path, and inline assembly.
pub const OPTIMIZING_PATH: bool = cfg!(feature = "optimize");

/// Whether there is code for vectors, and for floats that targets do not compute with.
pub const VECTORS: bool = cfg!(feature = "vectors");

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

/// The refusal of what needs [`VECTORS`].
#[cold]
pub fn without_vectors(refusal: Refusal) -> CodegenError {
    left_out(refusal, "vectors and floats other than float and double", "vectors")
}

/// The refusal of what needs [`OPTIMIZING_PATH`].
#[cold]
pub(crate) fn without_selection(refusal: Refusal, what: &str) -> CodegenError {
    left_out(refusal, what, "optimize")
}
