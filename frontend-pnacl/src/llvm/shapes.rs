//! The shapes of abbreviations that LLVM writes most, recognised once per module; [`super::fused`] reads their records.

use super::codes::function as code;
use crate::bitstream::abbrev::{Abbreviation, Encoding, FieldSteps, Tail};
use crate::bitstream::cursor::Cursor;

/// The width of the number of an operation with two operands.
pub(super) const BINARY_BITS: u8 = 4;
/// The width of the number of a cast.
pub(super) const CAST_BITS: u8 = 4;

/// A shape that is read fused.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Shape {
    /// A debug location or record, which is skipped.
    Skip(Box<FieldSteps>),
    Load {
        type_bits: u32,
    },
    Store,
    Gep {
        flag_bits: u32,
        type_bits: u32,
    },
    Binary {
        has_flags: bool,
    },
    Cast {
        type_bits: u32,
        has_flags: bool,
    },
    Compare {
        predicate_bits: u32,
        has_flags: bool,
    },
    Jump,
    Branch,
}

impl Shape {
    /// Whether records of this shape tell about debug information only.
    #[inline]
    pub(super) fn is_debug(&self) -> bool {
        matches!(self, Shape::Skip(_))
    }
}

/// Whether a record tells about debug information only.
pub(super) fn is_debug(record_code: u64) -> bool {
    matches!(
        record_code,
        code::DEBUG_LOCATION | code::DEBUG_LOCATION_AGAIN | code::DEBUG_VALUE..=code::LAST_DEBUG_RECORD
    )
}

/// Skips a record without abbreviation at the cursor if it tells about debug information only; returns whether it
/// did. The record's id has `id_bits` bits.
#[inline]
pub(super) fn skip_debug(cursor: &mut Cursor<'_>, id_bits: u32) -> bool {
    let mut ahead = cursor.clone();
    ahead.advance(id_bits);
    if !is_debug(ahead.vbr6()) {
        return false;
    }
    let count = ahead.vbr6();
    if count > ahead.bits_left() {
        return false;
    }
    ahead.skip_vbr6_run(count);
    if ahead.check().is_err() {
        return false;
    }
    *cursor = ahead;
    true
}

/// The shape of an abbreviation, if it is one of those.
pub(crate) fn recognise(abbreviation: &Abbreviation) -> Option<Shape> {
    use Encoding::{Fixed, Literal, Vbr};
    let (&Literal(record_code), fields) = abbreviation.fields.split_first()? else {
        return None;
    };
    if is_debug(record_code) && abbreviation.tail == Tail::None {
        return abbreviation.plan.clone().map(Shape::Skip);
    }
    match (record_code, fields, abbreviation.tail) {
        (code::LOAD, &[Vbr(6), Fixed(bits), Vbr(4), Fixed(1)], Tail::None) => {
            Some(Shape::Load { type_bits: bits.into() })
        }
        (code::STORE, [Vbr(6), Vbr(6), Vbr(4), Fixed(1)], Tail::None) => Some(Shape::Store),
        (code::GEP, &[Fixed(flags), Fixed(bits)], Tail::Array(Vbr(6))) => Some(Shape::Gep {
            flag_bits: flags.into(),
            type_bits: bits.into(),
        }),
        (code::BINARY, [Vbr(6), Vbr(6), Fixed(BINARY_BITS)], Tail::None) => Some(Shape::Binary { has_flags: false }),
        (code::BINARY, [Vbr(6), Vbr(6), Fixed(BINARY_BITS), Fixed(8)], Tail::None) => {
            Some(Shape::Binary { has_flags: true })
        }
        (code::CAST, &[Vbr(6), Fixed(bits), Fixed(CAST_BITS)], Tail::None) => Some(Shape::Cast {
            type_bits: bits.into(),
            has_flags: false,
        }),
        (code::CAST, &[Vbr(6), Fixed(bits), Fixed(CAST_BITS), Fixed(8)], Tail::None) => Some(Shape::Cast {
            type_bits: bits.into(),
            has_flags: true,
        }),
        (code::COMPARE2, &[Vbr(6), Vbr(6), Fixed(bits)], Tail::None) => Some(Shape::Compare {
            predicate_bits: bits.into(),
            has_flags: false,
        }),
        (code::COMPARE2, &[Vbr(6), Vbr(6), Fixed(bits), Fixed(8)], Tail::None) => Some(Shape::Compare {
            predicate_bits: bits.into(),
            has_flags: true,
        }),
        (code::BRANCH, [Vbr(6)], Tail::None) => Some(Shape::Jump),
        (code::BRANCH, [Vbr(6), Vbr(6), Vbr(6)], Tail::None) => Some(Shape::Branch),
        _ => None,
    }
}
