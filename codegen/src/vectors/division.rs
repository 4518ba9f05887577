//! What targets say of their intrinsics on vectors that fit no register: how they are done with narrower ones.
//!
//! Data only; [`super::divided`] does it.

/// How a call of an intrinsic of a target is done with narrower ones, or without any.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Division {
    /// Part by part; operands of one part are the same for all.
    Parts,
    /// The same, but of the last operand, a constant, each part has so many bits.
    PartsOfConstant(u32),
    /// Two parts, of whose results the lower halves are the result.
    LowerHalves,
    /// Integers, whose bits stand one after another, as many for each part as it has lanes.
    Bits,
    /// At once: the target has an instruction for vectors as wide as they are, whose masks are integers to the
    /// intrinsic.
    Whole,
    /// From an address, part by part.
    Load,
    /// What a [`Test`] says of two vectors.
    Test(Test),
    /// The lanes of one operand in the order that another one says: which of them is which.
    Permute {
        /// The number of the operand with the lanes.
        lanes: usize,
        /// The number of the operand with their numbers.
        order: usize,
    },
    /// A load from an address, with zeros where a lane of the mask is not negative.
    MaskedLoad,
    /// A store to an address where lanes of the mask are negative.
    MaskedStore,
    /// The same with the operands in the order values, mask, address.
    MaskedStoreOfValues,
    /// Loads by lane: operands are the values of lanes whose mask is not negative, a base address, indices, the mask,
    /// and a constant that scales the indices.
    Gather,
}

/// What is asked of two vectors.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Test {
    pub question: Question,
    /// Whether only the signs of lanes count.
    pub signs: bool,
}

/// A question that is answered by 0 or 1.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Question {
    /// Whether no bit is in both.
    NoneInBoth,
    /// Whether no bit is in the second alone.
    NoneInSecond,
    /// Whether there are bits of both kinds.
    Some,
}

impl Division {
    /// Whether targets have no instruction for it at any width.
    pub fn is_always(self) -> bool {
        matches!(
            self,
            Division::Permute { .. }
                | Division::MaskedLoad
                | Division::MaskedStore
                | Division::MaskedStoreOfValues
                | Division::Gather
        )
    }
}
