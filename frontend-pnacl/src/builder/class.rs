//! What a value of a type of the file is in the IR; [`super::classes`] computes it.

use frazil_ir::Type;

/// How values of a type of the file are represented in the IR.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Class {
    /// There are no values of this type.
    Void,
    Scalar(Type),
    /// By several values, one for each scalar.
    Aggregate,
    /// Not at all: it is metadata.
    Metadata,
}

/// In a table of classes: not computed yet.
pub(crate) const CLASS_UNKNOWN: u8 = 255;
/// In a table of classes: [`Class::Aggregate`].
pub(crate) const CLASS_AGGREGATE: u8 = 254;
/// In a table of classes: [`Class::Metadata`]. Smaller codes are numbers of IR types, or 0 for [`Class::Void`].
pub(crate) const CLASS_METADATA: u8 = 253;
