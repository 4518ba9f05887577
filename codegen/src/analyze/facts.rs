//! The results of the analysis walk, for both contexts and for rules that decide what to fold.

use super::homes::Homes;
use super::layout::Layout;
use frazil_ir::{ConstKind, EntityRef, Function, Operand, OperandKind, ValueKind};

/// No register, in [`Analysis::hints`].
pub const NO_HINT: u8 = u8::MAX;

/// What becomes of a value in lowering.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u8)]
pub enum Mark {
    /// It is computed where it stands.
    None,
    /// It is computed where it stands and has absorbed a load: like a load, it may not be moved over side effects.
    Reads,
    /// Its only user computes it.
    Folded,
    /// It is a constant distance from a slot or symbol, and computed anew at each use (contract 4).
    Place,
}

impl Mark {
    /// Whether nothing is emitted where the value is defined.
    #[inline]
    pub fn is_elsewhere(self) -> bool {
        matches!(self, Mark::Folded | Mark::Place)
    }
}

/// The live range of a value, as one interval of layout positions.
#[derive(Clone, Copy, Debug, Default)]
pub struct Live {
    /// The position of its definition.
    pub def: u32,
    /// The last position, times two, plus one if the value is live to the end of that block.
    pub(super) last: u32,
}

impl Live {
    /// Whether it is still live after the block at `position`.
    #[inline]
    pub fn is_live_out(self, position: u32) -> bool {
        self.last > position * 2
    }

    /// The last position.
    #[inline]
    pub fn last(self) -> u32 {
        self.last >> 1
    }
}

/// What a context needs to know before it starts.
#[derive(Debug, Default)]
pub struct Analysis {
    /// Block order and loops.
    pub layout: Layout,
    /// Live ranges by value; for the selecting context only where values are defined.
    pub live: Vec<Live>,
    /// What becomes of each value.
    pub marks: Vec<Mark>,
    /// The index of the register that each value is wanted in, or [`NO_HINT`].
    pub hints: Vec<u8>,
    /// How many phis each block begins with, by block.
    pub phi_counts: Vec<u32>,
    /// Whether the function calls something that returns twice.
    pub calls_returning_twice: bool,
    /// Whether it looks at its floating-point environment: it has strict operations.
    pub is_strict: bool,
    /// Whether a rule may claim home registers, as those of 16-byte atomic accesses do (contract 12).
    pub claims_homes: bool,
    /// Whether it has a mandatory tail call (`musttail`).
    pub has_must_tail: bool,
    /// Whether the function calls others, as far as the IR shows.
    pub has_calls: bool,
    /// Whether it moves the stack pointer.
    pub has_dynamic_stack: bool,
    /// Values and stack slots that have home registers.
    pub homes: Homes,
    /// The effect counter at the definition of each load, by value.
    pub(super) colors: Vec<u32>,
}

impl Analysis {
    /// Whether the value that an operand names is an address that has no register of its own (contract 4).
    #[inline]
    pub fn is_place(&self, function: &Function, operand: Operand) -> bool {
        if operand.is_none() {
            return false;
        }
        match operand.kind() {
            OperandKind::Value(value) => {
                function.value(value).kind == ValueKind::Slot || self.marks[value.index()] == Mark::Place
            }
            OperandKind::Symbol(_) => true,
            OperandKind::Const(id) => function.consts()[id.index()].kind == ConstKind::Symbol,
            OperandKind::Imm(_) => false,
        }
    }
}
