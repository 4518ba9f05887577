//! The packed operand: a two-bit tag and a 30-bit payload.
//!
//! "Is this an immediate?" is a shift and a compare. An immediate is the operand's value *sign-extended from the
//! width of its type* (so a true `i1` is -1); that of a pointer is its address, zero the null pointer.
//! Words that are not operands at all (counts, blocks, pool indices) share the storage as *raw* words;
//! the instruction's [`crate::opcode::Format`] says which those are.

use crate::entities::{ConstId, SymbolId, Value};
use frazil_support::EntityRef;

/// A packed operand.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
#[repr(transparent)]
pub struct Operand(u32);

/// The unpacked form, for matching.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum OperandKind {
    /// A value of the function.
    Value(Value),
    /// A small integer (or null pointer), sign-extended from its type's width.
    Imm(i32),
    /// A constant of the function.
    Const(ConstId),
    /// The address of a symbol.
    Symbol(SymbolId),
}

const PAYLOAD_BITS: u32 = 30;
const PAYLOAD_MASK: u32 = (1 << PAYLOAD_BITS) - 1;
const TAG_VALUE: u32 = 0;
const TAG_IMM: u32 = 1;
const TAG_CONST: u32 = 2;
const TAG_SYMBOL: u32 = 3;

impl Operand {
    /// No operand.
    pub const NONE: Operand = Operand(u32::MAX);
    /// Integer zero, or the null pointer.
    pub const ZERO: Operand = Operand(TAG_IMM << PAYLOAD_BITS);

    /// An operand that is the result of an instruction, a parameter or a slot's address.
    #[inline]
    pub fn value(value: Value) -> Operand {
        debug_assert!(value.as_u32() <= PAYLOAD_MASK);
        Operand(value.as_u32())
    }

    /// An immediate, if it fits in 30 signed bits.
    #[inline]
    pub fn imm(value: i64) -> Option<Operand> {
        let small = (value << (64 - PAYLOAD_BITS)) >> (64 - PAYLOAD_BITS);
        (small == value).then_some(Operand((TAG_IMM << PAYLOAD_BITS) | (value as u32 & PAYLOAD_MASK)))
    }

    /// An operand that is in the function's list of constants.
    #[inline]
    pub fn constant(id: ConstId) -> Operand {
        debug_assert!(id.as_u32() <= PAYLOAD_MASK);
        Operand((TAG_CONST << PAYLOAD_BITS) | id.as_u32())
    }

    /// A symbol's address.
    #[inline]
    pub fn symbol(id: SymbolId) -> Operand {
        debug_assert!(id.as_u32() < PAYLOAD_MASK);
        Operand((TAG_SYMBOL << PAYLOAD_BITS) | id.as_u32())
    }

    /// A word that is not an operand (a count, a block, a pool index).
    #[inline]
    pub fn raw(word: u32) -> Operand {
        Operand(word)
    }

    /// The word of a raw operand.
    #[inline]
    pub fn as_raw(self) -> u32 {
        self.0
    }

    /// Whether this is [`Operand::NONE`].
    #[inline]
    pub fn is_none(self) -> bool {
        self.0 == u32::MAX
    }

    /// The value, if it is one.
    #[inline]
    pub fn as_value(self) -> Option<Value> {
        (self.0 >> PAYLOAD_BITS == TAG_VALUE).then(|| Value::new((self.0 & PAYLOAD_MASK) as usize))
    }

    /// The immediate, if it is one.
    #[inline]
    pub fn as_imm(self) -> Option<i64> {
        (self.0 >> PAYLOAD_BITS == TAG_IMM).then(|| i64::from(((self.0 << 2) as i32) >> 2))
    }

    /// The constant, if it is one.
    #[inline]
    pub fn as_const(self) -> Option<ConstId> {
        (self.0 >> PAYLOAD_BITS == TAG_CONST).then(|| ConstId::new((self.0 & PAYLOAD_MASK) as usize))
    }

    /// The symbol, if it is one.
    #[inline]
    pub fn as_symbol(self) -> Option<SymbolId> {
        (self.0 >> PAYLOAD_BITS == TAG_SYMBOL && !self.is_none())
            .then(|| SymbolId::new((self.0 & PAYLOAD_MASK) as usize))
    }

    /// The unpacked form. Not for raw words or [`Operand::NONE`].
    #[inline]
    pub fn kind(self) -> OperandKind {
        let payload = (self.0 & PAYLOAD_MASK) as usize;
        match self.0 >> PAYLOAD_BITS {
            TAG_VALUE => OperandKind::Value(Value::new(payload)),
            TAG_IMM => OperandKind::Imm(((self.0 << 2) as i32) >> 2),
            TAG_CONST => OperandKind::Const(ConstId::new(payload)),
            _ => OperandKind::Symbol(SymbolId::new(payload)),
        }
    }
}

impl From<Value> for Operand {
    fn from(value: Value) -> Operand {
        Operand::value(value)
    }
}

impl std::fmt::Debug for Operand {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        if self.is_none() {
            f.write_str("none")
        } else {
            write!(f, "{:?}", self.kind())
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn immediates_keep_their_sign_and_refuse_what_is_too_wide() {
        for value in [0, 1, -1, (1 << 29) - 1, -(1 << 29)] {
            assert_eq!(Operand::imm(value).and_then(Operand::as_imm), Some(value));
        }
        assert_eq!(Operand::imm(1 << 29), None);
        assert_eq!(Operand::imm(i64::MIN), None);
        assert_eq!(Operand::ZERO.as_imm(), Some(0));
        assert_eq!(Operand::NONE.as_symbol(), None);
    }
}
