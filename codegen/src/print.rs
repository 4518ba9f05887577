//! Names that assembly text needs, supplied by whoever writes the text.

use crate::reference::{Label, Ref};
use std::fmt;

/// Gives labels and references their names.
pub trait AsmNames {
    /// Writes the name of a label of the function.
    ///
    /// # Errors
    /// As the writer's.
    fn write_label(&self, label: Label, out: &mut dyn fmt::Write) -> fmt::Result;

    /// Writes the name of what a reference names (a symbol, quoted if need be, or a constant's label), without any
    /// suffix that says how it is reached.
    ///
    /// # Errors
    /// As the writer's.
    fn write_ref(&self, reference: Ref, out: &mut dyn fmt::Write) -> fmt::Result;

    /// Whether assemblers may fill in the distance of a jump to what a reference names, where the object has a
    /// relocation.
    fn is_filled_in(&self, _reference: Ref) -> bool {
        false
    }
}
