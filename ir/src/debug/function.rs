//! What belongs to one function: where its instructions come from, and which variables have which values where.
//!
//! Everything is dense and used again for the next function. [`FunctionDebug::column`] stands beside the instructions:
//! it may be shorter, and is empty in functions without debug information. Values of variables are ordered by the
//! instruction before which they hold. Their operands count as no uses. Where a value is lost, a variable gets a value
//! without operand, so that no older one is taken for it.

use super::metadata::Metadata;
use super::word::{NodeId, NodeRef};
use crate::entities::SymbolId;
use crate::included::DEBUG_INFORMATION;
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
    /// The slot of a declaration would hold this value from here on: what the declaration's expression loads first, or
    /// the variable itself if it begins otherwise.
    Content,
    /// It is no variable but a label, which is here.
    Label,
}

impl DebugKind {
    /// Whether it holds from an instruction on until something else is said.
    pub fn begins_somewhere(self) -> bool {
        matches!(self, DebugKind::Address | DebugKind::Value | DebugKind::Content)
    }
}

/// Which argument of its expression a value is, if that has several: then each is a value of its own, one behind the
/// other in their order, and only all of them together say what the variable is.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Argument {
    pub index: u8,
    /// How many there are; 0 for the only operand of an expression that does not name it.
    pub count: u8,
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
    /// [`Operand::NONE`] if it is lost, or a constant.
    pub operand: Operand,
    /// The number of a constant of the function's, plus one; 0 for none.
    pub constant: u32,
    pub argument: Argument,
}

impl DebugValue {
    /// Whether the variable is lost from here on.
    pub fn is_lost(&self) -> bool {
        self.operand.is_none() && self.constant == 0
    }
}

/// A constant that is no operand of instructions, for which nothing is made.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum DebugConstant {
    /// An integer of at most 64 bits, extended by its sign.
    Integer(i64),
    /// So many bytes, at most 16, as they are in memory of the lowest byte first.
    Bytes(u128, u8),
    /// The address of a symbol plus a number of bytes.
    Symbol(SymbolId, i64),
}

/// The debug information of a function.
#[derive(Clone, Debug, Default)]
pub struct FunctionDebug {
    /// Whether there is any; [`FunctionDebug::is_on`] says it.
    pub is_on: bool,
    pub subprogram: NodeRef,
    pub locations: Vec<Location>,
    /// The location of each instruction; those beyond the end have none.
    pub column: Vec<LocationId>,
    /// Ascending by position.
    pub values: Vec<DebugValue>,
    /// Constants that values are.
    pub constants: Vec<DebugConstant>,
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
        self.constants.clear();
        self.nodes.restart(shared_nodes);
    }

    /// Whether there is any. In builds without, there never is.
    #[inline]
    pub fn is_on(&self) -> bool {
        DEBUG_INFORMATION && self.is_on
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

    /// The constant that a value is, if it is one of those that are no operands.
    pub fn constant_of(&self, value: &DebugValue) -> Option<DebugConstant> {
        self.constants.get((value.constant as usize).wrapping_sub(1)).copied()
    }

    /// Adds a location, unless it is the one that was added last.
    pub fn add_location(&mut self, location: Location) -> LocationId {
        if self.locations.last() != Some(&location) {
            self.locations.push(location);
        }
        LocationId(self.locations.len() as u32)
    }

    /// Takes over all but what belongs to instructions from the function that this one is a copy of.
    pub fn take_nodes(&mut self, other: &FunctionDebug) {
        self.is_on = other.is_on;
        self.subprogram = other.subprogram;
        self.locations.clone_from(&other.locations);
        self.constants.clone_from(&other.constants);
        self.nodes.clone_from(&other.nodes);
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
