//! The list of built-in targets behind cargo features.

use frazil_codegen::TargetEntry;

/// The targets of this build, in the order in which they are listed to users.
pub fn builtin() -> &'static [TargetEntry] {
    &[]
}
