//! What the interpreter must know of a format of floats to compute in it.

use crate::opcode::Opcode;

/// A format that the interpreter computes in.
pub(super) trait Float: Copy + PartialOrd {
    const BITS: u32;
    const MANTISSA_BITS: u32;
    fn from_bits(bits: u128) -> Self;
    fn bits(self) -> u128;
    fn arith(op: Opcode, a: Self, b: Self, c: Self) -> Option<Self>;
    fn is_nan(self) -> bool;
    fn is_infinite(self) -> bool;
}
