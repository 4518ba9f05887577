//! What a value of a type of the file is in the IR; [`super::classes`] computes it.

use frazil_ir::Type;

/// What values of a type of the file are in the IR.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Class {
    /// No value.
    Void,
    Scalar(Type),
    /// Several values.
    Aggregate,
    /// Metadata, which is no value here.
    Metadata,
}

/// In a table of classes: not known yet.
pub(crate) const CLASS_UNKNOWN: u8 = 255;
/// Several values.
pub(crate) const CLASS_AGGREGATE: u8 = 254;
/// Metadata; what is less is the number of an IR type, or 0 for no value.
pub(crate) const CLASS_METADATA: u8 = 253;
