//! Values of the interpreter: bit patterns with undefined bits marked, or poison.

use crate::types::TypeData;

/// A scalar of at most 128 bits.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Scalar {
    Poison,
    /// Bits, zero above the width of the type; `undef` marks those that are undefined (they are zero in `value`).
    Bits {
        /// The defined bits.
        value: u128,
        /// Which bits are undefined.
        undef: u128,
    },
}

impl Scalar {
    /// A fully defined scalar.
    pub fn defined(value: u128) -> Scalar {
        Scalar::Bits { value, undef: 0 }
    }

    /// A truth value.
    pub fn bool(value: bool) -> Scalar {
        Scalar::defined(u128::from(value))
    }

    /// A scalar of `bits` bits of which none is defined.
    pub fn undef(bits: u32) -> Scalar {
        Scalar::Bits {
            value: 0,
            undef: mask(bits),
        }
    }

    /// The bits, if all are defined.
    pub fn known(self) -> Option<u128> {
        match self {
            Scalar::Bits { value, undef: 0 } => Some(value),
            _ => None,
        }
    }
}

/// A value: a scalar, or the lanes of a vector.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Value {
    /// Of a scalar type.
    Scalar(Scalar),
    /// Of a vector type.
    Vector(Vec<Scalar>),
}

impl Value {
    /// A defined integer, pointer or floating-point number by its bits.
    pub fn bits(value: u128) -> Value {
        Value::Scalar(Scalar::defined(value))
    }

    /// An `f32`.
    pub fn f32(value: f32) -> Value {
        Value::bits(u128::from(value.to_bits()))
    }

    /// An `f64`.
    pub fn f64(value: f64) -> Value {
        Value::bits(u128::from(value.to_bits()))
    }

    /// The bits of a scalar, if all are defined.
    pub fn known(&self) -> Option<u128> {
        match self {
            Value::Scalar(scalar) => scalar.known(),
            Value::Vector(_) => None,
        }
    }

    /// A lane; a scalar counts as a vector with this lane everywhere.
    pub(super) fn lane(&self, index: usize) -> Scalar {
        match self {
            Value::Scalar(scalar) => *scalar,
            Value::Vector(lanes) => lanes.get(index).copied().unwrap_or(Scalar::Poison),
        }
    }

    /// The lanes; a scalar has one.
    pub fn lanes(&self) -> &[Scalar] {
        match self {
            Value::Scalar(scalar) => std::slice::from_ref(scalar),
            Value::Vector(lanes) => lanes,
        }
    }
}

/// A mask of the low `bits` bits.
pub(super) fn mask(bits: u32) -> u128 {
    match bits {
        0 => 0,
        1..128 => (1 << bits) - 1,
        _ => u128::MAX,
    }
}

/// The low `bits` bits as a signed number.
pub(super) fn signed(value: u128, bits: u32) -> i128 {
    let spare = 128 - bits.clamp(1, 128);
    (value << spare).cast_signed() >> spare
}

/// The width of a scalar type that the interpreter knows.
pub(super) fn scalar_bits(ty: TypeData, pointer_bits: u32) -> Option<u32> {
    match ty {
        TypeData::Int(bits) => (bits <= 128).then_some(bits),
        TypeData::F16 | TypeData::BF16 => Some(16),
        TypeData::F32 => Some(32),
        TypeData::F64 => Some(64),
        TypeData::Ptr(_) => Some(pointer_bits),
        _ => None,
    }
}
