//! What a value number of the file stands for, packed into 64 bits, so that one load gives all that a record must know
//! of an operand.
//!
//! ```text
//!  63            43 42   40 39         32 31                              0
//!  | type in file  | state | type in IR  | operand, or as the state says |
//! ```

use crate::llvm::types::TypeId;
use frazil_ir::{Operand, Type};

/// Stands for a type of the file that is not needed or has no number.
pub const NO_TYPE: TypeId = (1 << TYPE_BITS) - 1;

const TYPE_BITS: u32 = 21;
const IR_TYPE_SHIFT: u32 = 32;
const STATE_SHIFT: u32 = 40;
const TYPE_SHIFT: u32 = 43;

/// The most types that a module may have, so that their numbers fit into a word.
pub const MOST_TYPES: usize = NO_TYPE as usize;

/// What a value number stands for, packed into 64 bits.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Word(u64);

/// What the lower half of a word is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum State {
    Scalar,
    /// The operand of a value that is declared but not yet defined.
    Forward,
    /// The index of the first part of a defined aggregate in the builder's list.
    Aggregate,
    /// The same, of an aggregate that is declared but not yet defined.
    ForwardAggregate,
    /// The row of a constant that is not an operand yet.
    Constant,
    /// The symbol of a thread-local variable, whose address must be computed by an instruction.
    ThreadLocal,
    /// Nothing: the value is neither defined nor declared.
    Undefined,
}

const STATES: [State; 8] = [
    State::Scalar,
    State::Forward,
    State::Aggregate,
    State::ForwardAggregate,
    State::Constant,
    State::ThreadLocal,
    State::Undefined,
    State::Undefined,
];

impl Word {
    /// The word of a value that is neither defined nor declared.
    pub const UNDEFINED: Word = Word((State::Undefined as u64) << STATE_SHIFT);

    #[inline]
    pub(crate) fn new(low: u32, state: State, ir_type: Type, ty: TypeId) -> Word {
        let types = (ir_type.index() as u64) << IR_TYPE_SHIFT | u64::from(ty) << TYPE_SHIFT;
        Word(u64::from(low) | (state as u64) << STATE_SHIFT | types)
    }

    /// The word of a defined value that is one IR operand.
    #[inline]
    pub fn scalar(operand: Operand, ir_type: Type, ty: TypeId) -> Word {
        Word::new(operand.as_raw(), State::Scalar, ir_type, ty)
    }

    /// The word of an aggregate whose parts begin at `first` in the builder's list.
    pub fn aggregate(first: u32, ty: TypeId) -> Word {
        Word::new(first, State::Aggregate, Type::VOID, ty)
    }

    /// Whether the value is one operand, defined or only declared.
    #[inline]
    pub fn is_operand(self) -> bool {
        self.0 >> STATE_SHIFT & 7 <= State::Forward as u64
    }

    /// What the lower half is.
    #[inline]
    pub fn state(self) -> State {
        STATES
            .get((self.0 >> STATE_SHIFT & 7) as usize)
            .copied()
            .unwrap_or(State::Undefined)
    }

    /// The operand of a word for which [`Word::is_operand`] is true.
    #[inline]
    pub fn operand(self) -> Operand {
        Operand::raw(self.0 as u32)
    }

    /// The lower half as a number.
    #[inline]
    pub fn index(self) -> u32 {
        self.0 as u32
    }

    /// The IR type; void for an aggregate.
    #[inline]
    pub fn ir_type(self) -> Type {
        Type::from_index((self.0 >> IR_TYPE_SHIFT) as u8)
    }

    /// The file's type, or [`NO_TYPE`].
    #[inline]
    pub fn ty(self) -> TypeId {
        (self.0 >> TYPE_SHIFT) as TypeId
    }

    /// The same value with another type of the file.
    #[inline]
    #[must_use]
    pub fn with_type(self, ty: TypeId) -> Word {
        Word(self.0 & ((1 << TYPE_SHIFT) - 1) | u64::from(ty) << TYPE_SHIFT)
    }

    /// Both types as one number, to distinguish signatures.
    pub fn type_key(self) -> u32 {
        (self.0 >> IR_TYPE_SHIFT) as u32
    }
}
