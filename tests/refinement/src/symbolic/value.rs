//! Symbolic values: lanes of bits with their poison.

use super::{Outcome, unsupported};
use crate::terms::{Term, Terms};
use frazil_ir::{Type, TypeData, TypeTable};

/// A scalar.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Lane {
    pub bits: Term,
    pub poison: Term,
}

impl Lane {
    /// A constant that is no poison.
    pub fn number(terms: &mut Terms, width: u32, value: u128) -> Lane {
        let bits = terms.constant(width, value);
        Lane::defined(terms, bits)
    }

    /// Bits that are no poison.
    pub fn defined(terms: &mut Terms, bits: Term) -> Lane {
        let poison = terms.bool(false);
        Lane { bits, poison }
    }

    /// A lane that is poison, its bits being zero.
    pub fn poison(terms: &mut Terms, width: u32) -> Lane {
        let (bits, poison) = (terms.constant(width, 0), terms.bool(true));
        Lane { bits, poison }
    }

    /// One of two.
    pub fn ite(terms: &mut Terms, condition: Term, yes: Lane, no: Lane) -> Lane {
        Lane {
            bits: terms.ite(condition, yes.bits, no.bits),
            poison: terms.ite(condition, yes.poison, no.poison),
        }
    }

    /// The same, poison also under this condition.
    #[must_use]
    pub fn poisoned_if(self, terms: &mut Terms, condition: Term) -> Lane {
        Lane {
            bits: self.bits,
            poison: terms.or(self.poison, condition),
        }
    }
}

/// A value: one lane for a scalar, else one for each of a vector's.
pub type Value = Vec<Lane>;

/// The widths and count of a type's lanes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Shape {
    /// The element's type, or the type itself.
    pub element: TypeData,
    /// Its width in bits.
    pub bits: u32,
    /// How many lanes.
    pub lanes: usize,
    pub is_vector: bool,
}

/// The shape of a type.
pub fn shape(types: &TypeTable, ty: Type, pointer_bits: u32) -> Outcome<Shape> {
    let (element, lanes, is_vector) = match types.data(ty) {
        TypeData::Vector { element, lanes } => (types.data(element), lanes as usize, true),
        scalar => (scalar, 1, false),
    };
    let bits = match element {
        TypeData::Int(bits) if bits <= 128 => bits,
        TypeData::F16 | TypeData::BF16 => 16,
        TypeData::F32 => 32,
        TypeData::F64 => 64,
        TypeData::X86F80 => 80,
        TypeData::F128 => 128,
        TypeData::Ptr(0) => pointer_bits,
        other => return unsupported(format!("values of {other:?}")),
    };
    if lanes > 64 {
        return unsupported("vectors of more than 64 lanes");
    }
    Ok(Shape {
        element,
        bits,
        lanes,
        is_vector,
    })
}

/// A type as a word that means the same in every function.
pub fn type_name(types: &TypeTable, ty: Type) -> String {
    match types.data(ty) {
        TypeData::Vector { element, lanes } => format!("{lanes} x {:?}", types.data(element)),
        scalar => format!("{scalar:?}"),
    }
}
