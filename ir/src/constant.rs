//! Constants of a function that do not fit an immediate operand.

use crate::entities::{Block, SymbolId};
use crate::types::Type;

/// What a constant is; the payload is in the function's word or operand pool.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u8)]
pub enum ConstKind {
    /// An integer, or a pointer's address: little-endian 64-bit words, enough for the type's bits, sign-extended from
    /// them.
    Int,
    /// A floating-point number: its bits in little-endian 64-bit words.
    Float,
    /// A symbol's address plus a byte offset, as a pointer or an integer of pointer width.
    Symbol,
    /// The address of a block of a function.
    BlockAddress,
    /// Any value, each use its own.
    Undef,
    Poison,
    /// All bits zero, of a type that an immediate zero does not describe (vectors) or where the type must be known.
    Zero,
    /// A vector: one operand for each lane.
    Vector,
    /// An inline assembly text (an index into the function's list).
    Asm,
}

/// A constant of a function.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ConstData {
    pub kind: ConstKind,
    pub ty: Type,
    /// First index in the function's `const_words` (`Vector`: in its operand pool; `Asm`: in its list of texts).
    pub start: u32,
    /// Number of words or operands.
    pub len: u32,
}

/// A constant with its payload, for matching.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum ConstView<'a> {
    /// An integer's words.
    Int(&'a [u64]),
    /// A floating-point number's words.
    Float(&'a [u64]),
    /// A symbol plus a byte offset.
    Symbol(SymbolId, i64),
    /// A block of the function that a symbol names.
    BlockAddress(SymbolId, Block),
    /// Undefined.
    Undef,
    Poison,
    /// All zero bits.
    Zero,
    /// A vector's lanes.
    Vector(&'a [crate::operand::Operand]),
    /// Inline assembly.
    Asm(&'a AsmData),
}

/// An inline assembly text.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct AsmData {
    /// The template, LLVM's syntax.
    pub template: Vec<u8>,
    /// The constraint string, LLVM's syntax.
    pub constraints: Vec<u8>,
    /// Bit 0: side effects; 1: aligned stack; 2: Intel dialect; 3: may unwind.
    pub flags: u8,
}
