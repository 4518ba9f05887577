//! The columns of the tables of intrinsics: what is made of one.

use crate::cond::Cond;
use crate::table::Op;

/// How an intrinsic becomes an instruction. Rows come with their size.
#[derive(Clone, Copy)]
pub(super) enum Kind {
    /// No operands, no result.
    Bare(Op),
    /// The same, and nothing may be in the vector registers that it clears, for vectors of so many bytes.
    Clearing(Op, u8),
    /// The result is written over the first operand.
    Binary(Op, u8),
    /// The same with a constant third operand.
    BinaryImm(Op, u8),
    /// The result is new.
    Unary(Op, u8),
    /// The same with a constant second operand.
    UnaryImm(Op, u8),
    /// The result is new, of two operands, and the row has a VEX prefix.
    Three(Op),
    /// The same of general registers of this size.
    ThreeSized(Op, u8),
    /// As `Three`, of this size, with a constant third operand.
    ThreeImm(Op, u8),
    /// The product of the first two operands is written over the first one, with the third added or subtracted.
    Fused(Op, u8),
    /// One operand, whose upper lanes the result keeps.
    LowUnary(Op, u8),
    /// Computed from the last operand, and put into the lowest lane (of this size) of the first one.
    IntoLow(Op, u8, u8),
    /// The same with a constant third operand.
    IntoLowImm(Op, u8, u8),
    /// A shift by an `i32`: rows for a constant and for a count in a register.
    Shift(Op, Op),
    /// A comparison of the lowest lanes to 0 or 1: the row's size, whether operands are swapped, the condition, and
    /// what the parity flag must be besides or instead.
    Compare(Op, u8, bool, Cond, Parity),
    /// `ptest` or its like, and the condition that is the result.
    Test(Op, Cond),
    /// The third operand chooses, in the first register.
    Blend(Op),
    Load(Op),
    /// A store of the second operand to the address in the first one.
    Store(Op, u8),
    /// A shift of the whole vector by a constant, which counts so many to a byte.
    ShiftBytes(Op, u32),
    /// An instruction with a memory operand alone.
    Memory(Op),
    /// A string comparison: the row, whether lengths are explicit, and what of it is the result.
    Strings(Op, bool, StringResult),
}

/// What a comparison says of unordered operands.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Parity {
    /// The condition alone decides.
    Ignored,
    /// Then the result is 0.
    Clears,
    /// Then the result is 1.
    Sets,
}

#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum StringResult {
    Index,
    Mask,
    Flag(Cond),
}

/// A feature that the function must have, as a number in [`features`](mod@crate::features); `None` for what all
/// processors have.
pub(super) type Needed = Option<u8>;
