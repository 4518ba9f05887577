//! What belongs to one function: where its instructions come from, and which variables have which values where.
//!
//! Everything is dense and used again for the next function. [`FunctionDebug::column`] stands beside the instructions:
//! it may be shorter, and is empty in functions without debug information. Values of variables are ordered by the
//! instruction before which they hold. Their operands count as no uses. Where a value is lost, a variable gets a value
//! without operand, so that no older one is taken for it.

use super::metadata::Metadata;
use super::word::{NodeId, NodeRef};
use crate::operand::Operand;

/// A place in the source, and the calls that it was inlined by.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Location {
    /// Counted from 1; 0 for code that belongs to no line.
    pub line: u32,
    /// Counted from 1; 0 if it is not known.
    pub column: u32,
    /// The function or block that it is in.
    pub scope: NodeRef,
    /// Where that was inlined, if it was: a node of [`super::Kind::SourceLocation`].
    pub inlined_at: NodeRef,
}

/// The number of a location of a function, plus one; 0 for none.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub struct LocationId(pub u32);

impl LocationId {
    /// No location.
    pub const NONE: LocationId = LocationId(0);
}

/// What a variable is said to be.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum DebugKind {
    /// The variable is in memory at this address, in all of its scope.
    Declare,
    /// The variable is in memory at this address from here on.
    Address,
    /// The variable has this value from here on.
    Value,
}

/// A variable from an instruction on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct DebugValue {
    /// The position of the instruction before which this holds.
    pub before: u32,
    pub kind: DebugKind,
    pub variable: NodeId,
    /// What is to be done with the operand.
    pub expression: NodeRef,
    /// Scope, and where that was inlined.
    pub location: LocationId,
    /// [`Operand::NONE`] if it is lost.
    pub operand: Operand,
}

/// The debug information of a function.
#[derive(Clone, Debug, Default)]
pub struct FunctionDebug {
    /// Whether there is any.
    pub is_on: bool,
    pub subprogram: NodeRef,
    pub locations: Vec<Location>,
    /// The location of each instruction; those beyond the end have none.
    pub column: Vec<LocationId>,
    /// Ascending by position.
    pub values: Vec<DebugValue>,
    /// Nodes that only this function needs.
    pub nodes: Metadata,
}

impl FunctionDebug {
    /// Starts a function with debug information, in a module with so many nodes.
    pub fn begin(&mut self, shared_nodes: u32) {
        self.is_on = true;
        self.subprogram = NodeRef::NONE;
        self.locations.clear();
        self.column.clear();
        self.values.clear();
        self.nodes.restart(shared_nodes);
    }

    /// Starts a function without.
    #[inline]
    pub fn clear(&mut self) {
        if self.is_on {
            self.begin(0);
            self.is_on = false;
        }
    }

    /// The location of the instruction at a position.
    #[inline]
    pub fn location_of(&self, position: usize) -> LocationId {
        self.column.get(position).copied().unwrap_or(LocationId::NONE)
    }

    /// A location by number.
    pub fn location(&self, id: LocationId) -> Option<&Location> {
        self.locations.get((id.0 as usize).wrapping_sub(1))
    }

    /// Adds a location, unless it is the one that was added last.
    pub fn add_location(&mut self, location: Location) -> LocationId {
        if self.locations.last() != Some(&location) {
            self.locations.push(location);
        }
        LocationId(self.locations.len() as u32)
    }

    /// Follows instructions to new positions, by their old ones.
    pub(crate) fn reorder(&mut self, moved: &[u32]) {
        let old = std::mem::take(&mut self.column);
        self.column.resize(moved.len(), LocationId::NONE);
        for (&location, &position) in old.iter().zip(moved) {
            self.column[position as usize] = location;
        }
        for value in &mut self.values {
            // What stands before the end of a block stays before it.
            value.before = moved.get(value.before as usize).copied().unwrap_or(moved.len() as u32);
        }
        self.values.sort_by_key(|value| value.before);
    }

    /// Gives the instructions from `first` to `end` a location; those before it that have none so far get none.
    pub fn locate(&mut self, first: usize, end: usize, location: LocationId) {
        if first < end {
            self.column.resize(first, LocationId::NONE);
            self.column.resize(end, location);
        }
    }
}
