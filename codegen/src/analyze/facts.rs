//! The results of the analysis walk, for both contexts and for rules that decide what to fold.

use super::homes::Homes;
use super::layout::Layout;
use crate::features::FeatureSet;
use frazil_ir::{ConstKind, EntityRef, Function, Operand, OperandKind, ValueKind};

/// Stands in [`Fact::hint`] for no register.
pub const NO_HINT: u8 = u8::MAX;

/// How a value is computed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u8)]
pub enum Mark {
    /// By an instruction at its definition.
    None,
    /// By an instruction at its definition into which a load was folded: like a load, it must not be moved across side
    /// effects.
    Reads,
    /// By its only user, into which it is folded.
    Folded,
    /// By the instruction right before the branch that is its only user, in the flags: an overflow bit.
    Flags,
    /// By each user: it is a constant distance from a stack slot or symbol (contract 4).
    Place,
}

impl Mark {
    /// Whether nothing is emitted at the value's definition.
    #[inline]
    pub fn is_elsewhere(self) -> bool {
        matches!(self, Mark::Folded | Mark::Place)
    }
}

/// The live range of a value, as one interval of layout positions of blocks.
#[derive(Clone, Copy, Debug, Default)]
pub struct Live {
    /// The position of the defining block.
    pub def: u32,
    /// Twice the last position, plus one if the value is live to the end of that block.
    pub(super) last: u32,
}

impl Live {
    /// Whether the value is live after the block at `position`.
    #[inline]
    pub fn is_live_out(self, position: u32) -> bool {
        self.last > position * 2
    }

    /// The position of the last block in which the value is live.
    #[inline]
    pub fn last(self) -> u32 {
        self.last >> 1
    }
}

/// What is known of a value.
#[derive(Clone, Copy, Debug)]
pub struct Fact {
    /// Where it is live. For the selecting context, only the definition is set.
    pub live: Live,
    /// The color (see [`super::fold`]) at its definition.
    pub(super) color: u32,
    /// How it is computed.
    pub mark: Mark,
    /// The number of the register in which a call or return wants it, or [`NO_HINT`].
    pub hint: u8,
}

impl Fact {
    /// What is known of a value before its definition.
    pub(super) const NONE: Fact = Fact {
        live: Live { def: 0, last: 0 },
        color: 0,
        mark: Mark::None,
        hint: NO_HINT,
    };
}

/// What both contexts need to know of a function before they lower it.
#[derive(Debug, Default)]
pub struct Analysis {
    /// Block order and loops.
    pub layout: Layout,
    /// What is known of each value.
    pub values: Vec<Fact>,
    /// By block: the number of its phis.
    pub phi_counts: Vec<u32>,
    /// Whether the function calls something that returns twice, as `setjmp` does (contract 12).
    pub calls_returning_twice: bool,
    /// Whether it has strict floating-point operations (contract 22).
    pub is_strict: bool,
    /// What the function's processor has.
    pub features: FeatureSet,
    /// Whether a rule claims registers that may be home registers, as the rules of 16-byte atomic accesses do
    /// (contract 12).
    pub claims_homes: bool,
    /// Whether it has a mandatory tail call (`musttail`).
    pub has_must_tail: bool,
    /// Whether the IR has calls; lowering rules may add some.
    pub has_calls: bool,
    /// Whether it moves the stack pointer (dynamic allocas and the like).
    pub has_dynamic_stack: bool,
    /// The home registers that were chosen.
    pub homes: Homes,
}

impl Analysis {
    /// Whether an operand is the address of a stack slot or symbol, or a constant distance from one, so that it is
    /// never kept in a register (contract 4).
    #[inline]
    pub fn is_place(&self, function: &Function, operand: Operand) -> bool {
        if operand.is_none() {
            return false;
        }
        match operand.kind() {
            OperandKind::Value(value) => {
                function.value(value).kind == ValueKind::Slot || self.values[value.index()].mark == Mark::Place
            }
            OperandKind::Symbol(_) => true,
            OperandKind::Const(id) => function.consts()[id.index()].kind == ConstKind::Symbol,
            OperandKind::Imm(_) => false,
        }
    }
}
