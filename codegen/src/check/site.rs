//! References from steps of the checker's form back to the machine function, for error messages.
//!
//! A site is a number: four times the number of an instruction plus that of an operand, or [`EDGE_SITE`] and an edge.

use super::flow::{Name, Place};

/// Marks the site of an edge.
pub(crate) const EDGE_SITE: u32 = 1 << 31;
/// The operand number of a site that is about no operand.
pub(super) const NO_OPERAND: u32 = 3;

/// A register operand: where it is and what it stands for.
#[derive(Clone, Copy, Debug)]
pub(super) struct Operand {
    pub number: u8,
    pub place: Place,
    pub name: Name,
    pub reads: bool,
    pub writes: bool,
}
