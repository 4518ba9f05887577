//! What a value number of the file stands for, packed into 64 bits, so that one load gives all that a record must know
//! of an operand.
//!
//! ```text
//!  63            43 42   40 39         32 31                              0
//!  | type in file  | state | type in IR  | operand, or as the state says |
//! ```

use crate::llvm::types::TypeId;
use frazil_ir::{Operand, Type};

/// The file's type of a value is not needed or has no number.
pub const NO_TYPE: TypeId = (1 << TYPE_BITS) - 1;

const TYPE_BITS: u32 = 21;
const IR_TYPE_SHIFT: u32 = 32;
const STATE_SHIFT: u32 = 40;
const TYPE_SHIFT: u32 = 43;

/// How many types a module may have, so that their numbers fit a word.
pub const MOST_TYPES: usize = NO_TYPE as usize;

/// What a value number stands for, packed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Word(u64);

/// How the lower half of a word is to be read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum State {
    Scalar,
    /// An operand: a value that is not defined yet.
    Forward,
    /// The first of its parts in the builder's list.
    Aggregate,
    /// The same, of values that are not defined yet.
    ForwardAggregate,
    /// The number of a constant that is not an operand yet.
    Constant,
    /// A thread-local symbol, whose address must be computed.
    ThreadLocal,
    /// Nothing yet.
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
    /// No value yet.
    pub const UNDEFINED: Word = Word((State::Undefined as u64) << STATE_SHIFT);

    #[inline]
    pub(crate) fn new(low: u32, state: State, ir_type: Type, ty: TypeId) -> Word {
        let types = (ir_type.index() as u64) << IR_TYPE_SHIFT | u64::from(ty) << TYPE_SHIFT;
        Word(u64::from(low) | (state as u64) << STATE_SHIFT | types)
    }

    /// The word of a value that is one IR operand and defined.
    #[inline]
    pub fn scalar(operand: Operand, ir_type: Type, ty: TypeId) -> Word {
        Word::new(operand.as_raw(), State::Scalar, ir_type, ty)
    }

    /// An aggregate whose parts stand in the builder's list from `first` on.
    pub fn aggregate(first: u32, ty: TypeId) -> Word {
        Word::new(first, State::Aggregate, Type::VOID, ty)
    }

    /// Whether the word is an operand, defined or not.
    #[inline]
    pub fn is_operand(self) -> bool {
        self.0 >> STATE_SHIFT & 7 <= State::Forward as u64
    }

    /// How the lower half is to be read.
    #[inline]
    pub fn state(self) -> State {
        STATES
            .get((self.0 >> STATE_SHIFT & 7) as usize)
            .copied()
            .unwrap_or(State::Undefined)
    }

    /// The operand, of a word that is one.
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

    /// The same value as another type of the file.
    #[inline]
    #[must_use]
    pub fn with_type(self, ty: TypeId) -> Word {
        Word(self.0 & ((1 << TYPE_SHIFT) - 1) | u64::from(ty) << TYPE_SHIFT)
    }

    /// Both types as one number, to tell signatures apart.
    pub fn type_key(self) -> u32 {
        (self.0 >> IR_TYPE_SHIFT) as u32
    }
}
