//! The types of an executable that is written: numbered in the order of their first use.

use super::error::WriteError;
use crate::pnacl::codes::types as code;
use crate::pnacl::intrinsics::Ty;
use crate::pnacl::types::VECTORS;
use frazil_ir::{Refusal, Type, TypeData, TypeTable, text};
use std::collections::HashMap;

/// A type that values have, or none.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Kind {
    Void,
    /// An integer of 1, 8, 16, 32 or 64 bits; those of 32 are addresses, too.
    Integer(u32),
    Float,
    Double,
    /// Lanes that are integers of so many bits, or floats if there are none.
    Vector {
        lanes: u32,
        bits: u32,
    },
}

impl Kind {
    pub const I1: Kind = Kind::Integer(1);
    pub const I8: Kind = Kind::Integer(8);
    pub const I32: Kind = Kind::Integer(32);
    pub const I64: Kind = Kind::Integer(64);

    /// A scalar, or the lane of a vector.
    pub fn scalar(self) -> Kind {
        match self {
            Kind::Vector { bits: 0, .. } => Kind::Float,
            Kind::Vector { bits, .. } => Kind::Integer(bits),
            other => other,
        }
    }

    /// The lanes of a vector; 0 for others.
    pub fn lanes(self) -> u32 {
        match self {
            Kind::Vector { lanes, .. } => lanes,
            _ => 0,
        }
    }

    /// One bit for it, or for each lane.
    pub fn flags(self) -> Kind {
        match self {
            Kind::Vector { lanes, .. } => Kind::Vector { lanes, bits: 1 },
            _ => Kind::I1,
        }
    }

    /// As what it is passed to functions, or returned.
    pub fn passed(self) -> Kind {
        match self {
            Kind::Integer(1 | 8 | 16) => Kind::I32,
            other => other,
        }
    }

    /// The bits of an integer.
    pub fn bits(self) -> Option<u32> {
        match self {
            Kind::Integer(bits) => Some(bits),
            _ => None,
        }
    }
}

impl From<Ty> for Kind {
    fn from(ty: Ty) -> Kind {
        match ty {
            Ty::Void => Kind::Void,
            Ty::I(bits) => Kind::Integer(bits),
            Ty::F32 => Kind::Float,
            Ty::F64 => Kind::Double,
            Ty::V4F32 => Kind::Vector { lanes: 4, bits: 0 },
        }
    }
}

/// What a type of the IR is in an executable.
///
/// # Errors
/// If the ABI has no such type.
pub fn kind(types: &TypeTable, ty: Type) -> Result<Kind, WriteError> {
    let found = match types.data(ty) {
        TypeData::Void => Some(Kind::Void),
        TypeData::Int(bits @ (1 | 8 | 16 | 32 | 64)) => Some(Kind::Integer(bits)),
        TypeData::F32 => Some(Kind::Float),
        TypeData::F64 => Some(Kind::Double),
        TypeData::Ptr(0) => Some(Kind::I32),
        TypeData::Vector { element, lanes } => match kind(types, element)? {
            Kind::Integer(bits) => Some(bits),
            Kind::Float => Some(0),
            _ => None,
        }
        .filter(|&bits| VECTORS.contains(&(lanes, bits)))
        .map(|bits| Kind::Vector { lanes, bits }),
        _ => None,
    };
    found.ok_or_else(|| {
        let mut name = String::new();
        // A string takes everything.
        let _ = text::print_type(types, ty, &mut name);
        let message = format!(
            "a value of type {name}; there are integers of 1, 8, 16, 32 and 64 bits, float, double, and vectors of 128 \
             bits or of 4, 8 or 16 flags"
        );
        WriteError::new(Refusal::of_type(types, ty), message)
    })
}

/// The type table.
#[derive(Debug, Default)]
pub struct Types {
    rows: Vec<(u64, Vec<u64>)>,
    /// There are hardly more than a dozen.
    values: Vec<(Kind, u32)>,
    functions: HashMap<(Kind, Vec<Kind>), u32>,
}

impl Types {
    /// The number of a type of values, or of none.
    pub fn number(&mut self, kind: Kind) -> u32 {
        if let Some(&(_, known)) = self.values.iter().find(|(own, _)| *own == kind) {
            return known;
        }
        let row = match kind {
            Kind::Void => (code::VOID, Vec::new()),
            Kind::Integer(bits) => (code::INTEGER, vec![bits.into()]),
            Kind::Float => (code::FLOAT, Vec::new()),
            Kind::Double => (code::DOUBLE, Vec::new()),
            Kind::Vector { lanes, .. } => {
                let element = self.number(kind.scalar());
                (code::VECTOR, vec![lanes.into(), element.into()])
            }
        };
        let number = self.push(row);
        self.values.push((kind, number));
        number
    }

    /// The number of the type of functions.
    pub fn function(&mut self, result: Kind, parameters: &[Kind]) -> u32 {
        if let Some(&known) = self.functions.get(&(result, parameters.to_vec())) {
            return known;
        }
        let mut operands = vec![0, self.number(result).into()];
        operands.extend(parameters.iter().map(|&kind| u64::from(self.number(kind))));
        let number = self.push((code::FUNCTION, operands));
        self.functions.insert((result, parameters.to_vec()), number);
        number
    }

    fn push(&mut self, row: (u64, Vec<u64>)) -> u32 {
        self.rows.push(row);
        self.rows.len() as u32 - 1
    }

    /// The records of the table, without their number.
    pub fn rows(&self) -> &[(u64, Vec<u64>)] {
        &self.rows
    }
}
