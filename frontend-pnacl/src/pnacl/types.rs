//! The type table. Types have no other types in them but those before them.

use super::codes::types as code;
use crate::bitstream::block::{Block, Item, SubBlock};
use crate::bitstream::cursor::Cursor;
use crate::bitstream::record::Record;
use crate::error::ReadError;
use frazil_ir::{Function, Type, TypeData};
use std::ops::Range;

/// The types that the ABI has.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Kind {
    Void,
    Float,
    Double,
    /// An integer of 1, 8, 16, 32 or 64 bits.
    Integer(u32),
    /// Lanes of a type by its number.
    Vector {
        lanes: u32,
        element: u32,
    },
    /// A function: the number of its result's type, and where those of its parameters are.
    Function {
        result: u32,
        parameters: Range<u32>,
    },
}

/// The types of a module, by their numbers.
#[derive(Debug, Default)]
pub struct Types {
    kinds: Vec<Kind>,
    parameters: Vec<u32>,
}

/// Vectors that there may be: lanes, and bits of an element, or 0 for floats of 32.
pub(super) const VECTORS: [(u32, u32); 7] = [(4, 1), (8, 1), (16, 1), (16, 8), (8, 16), (4, 32), (4, 0)];

/// A vector in the function's table of types.
fn vector(element: Type, lanes: u32, function: &mut Function) -> Type {
    function.note_vectors();
    // Seven vectors fit any table, which is emptied when it is half full.
    function
        .intern_type(TypeData::Vector { element, lanes })
        .unwrap_or(Type::VOID)
}

impl Types {
    /// What the type of a number is.
    pub fn kind(&self, ty: u32) -> Option<&Kind> {
        self.kinds.get(ty as usize)
    }

    /// Result and parameters of a function's type.
    pub fn function(&self, ty: u32) -> Option<(u32, &[u32])> {
        match self.kind(ty)? {
            Kind::Function { result, parameters } => {
                let place = parameters.start as usize..parameters.end as usize;
                Some((*result, self.parameters.get(place).unwrap_or_default()))
            }
            _ => None,
        }
    }

    /// The number of the type of functions with this result and these parameters.
    pub fn function_of(&self, result: u32, parameters: &[u32]) -> Option<u32> {
        let is_it = |ty: u32| {
            self.function(ty).is_some_and(|(own, own_parameters)| {
                own_parameters.len() == parameters.len()
                    && self.is_same(own, result)
                    && own_parameters
                        .iter()
                        .zip(parameters)
                        .all(|(&own, &other)| self.is_same(own, other))
            })
        };
        (0..self.kinds.len() as u32).find(|&ty| is_it(ty))
    }

    /// The number of the first type that is an integer of so many bits.
    pub fn integer(&self, bits: u32) -> Option<u32> {
        let found = self.kinds.iter().position(|kind| *kind == Kind::Integer(bits));
        found.map(|place| place as u32)
    }

    /// The number of a vector of so many lanes of one bit.
    pub fn vector_of_bits(&self, lanes: u32) -> Option<u32> {
        let is_it = |kind: &Kind| match kind {
            Kind::Vector { lanes: own, element } => *own == lanes && self.kind(*element) == Some(&Kind::Integer(1)),
            _ => false,
        };
        self.kinds.iter().position(is_it).map(|place| place as u32)
    }

    /// Whether two numbers are of the same type: there may be more than one of one type.
    pub fn is_same(&self, one: u32, other: u32) -> bool {
        one == other
            || match (self.kind(one), self.kind(other)) {
                (
                    Some(Kind::Vector { lanes, element }),
                    Some(Kind::Vector {
                        lanes: other_lanes,
                        element: other_element,
                    }),
                ) => lanes == other_lanes && self.kind(*element) == self.kind(*other_element),
                (Some(Kind::Function { .. }), _) | (None, _) => false,
                (own, other) => own == other,
            }
    }

    /// Whether values may have a type.
    pub fn is_value(&self, ty: u32) -> bool {
        !matches!(self.kind(ty), None | Some(Kind::Void | Kind::Function { .. }))
    }

    /// Whether it is an integer of so many bits.
    pub fn is_integer(&self, ty: u32, bits: u32) -> bool {
        self.kind(ty) == Some(&Kind::Integer(bits))
    }

    /// Whether an ordinary function may take or return a value of a type: small integers are widened before.
    pub fn is_passed(&self, ty: u32) -> bool {
        match self.kind(ty) {
            Some(Kind::Integer(bits)) => matches!(bits, 32 | 64),
            Some(Kind::Float | Kind::Double | Kind::Vector { .. }) => true,
            _ => false,
        }
    }

    /// A scalar, or the element of a vector.
    pub fn scalar(&self, ty: u32) -> Option<&Kind> {
        match self.kind(ty)? {
            Kind::Vector { element, .. } => self.kind(*element),
            kind => Some(kind),
        }
    }

    /// The lanes of a vector; 0 for others.
    pub fn lanes(&self, ty: u32) -> u32 {
        match self.kind(ty) {
            Some(Kind::Vector { lanes, .. }) => *lanes,
            _ => 0,
        }
    }

    /// The type in the IR. Those of vectors belong to the function's table.
    pub fn ir_type(&self, ty: u32, function: &mut Function) -> Type {
        match self.kind(ty) {
            Some(Kind::Float) => Type::F32,
            Some(Kind::Double) => Type::F64,
            Some(Kind::Integer(bits)) => Type::primitive_int(*bits).unwrap_or(Type::VOID),
            Some(Kind::Vector { lanes, element }) => {
                let (lanes, element) = (*lanes, *element);
                let element = self.ir_type(element, function);
                vector(element, lanes, function)
            }
            _ => Type::VOID,
        }
    }

    /// The type in the IR of so many lanes of one bit, which the module need not have.
    pub fn flags(lanes: u32, function: &mut Function) -> Type {
        vector(Type::I1, lanes, function)
    }

    /// A type's name, for messages.
    pub fn name(&self, ty: u32) -> String {
        match self.kind(ty) {
            None => format!("type {ty}, which there is not"),
            Some(Kind::Void) => "void".to_owned(),
            Some(Kind::Float) => "float".to_owned(),
            Some(Kind::Double) => "double".to_owned(),
            Some(Kind::Integer(bits)) => format!("i{bits}"),
            Some(Kind::Vector { lanes, element }) => format!("<{lanes} x {}>", self.name(*element)),
            Some(Kind::Function { .. }) => format!("function type {ty}"),
        }
    }

    /// Reads the table.
    ///
    /// # Errors
    /// If it breaks a rule.
    pub fn read(&mut self, cursor: &mut Cursor<'_>, mut block: Block<'_>) -> Result<(), ReadError> {
        let mut record = Record::default();
        let mut count = None;
        loop {
            match block.next_restricted(cursor, &mut record)? {
                Item::End => break,
                Item::Block(SubBlock { id, .. }) => {
                    return Err(record.malformed(format!("block {id} among the types; expected records only")));
                }
                Item::Record if record.code() == code::COUNT => {
                    let own = record.operand(0)?;
                    if count.is_some() || own > cursor.bits_left() {
                        let message = format!(
                            "{own} types, but only {} bits are left, or a second count",
                            cursor.bits_left()
                        );
                        return Err(record.malformed(message));
                    }
                    count = Some(own);
                }
                Item::Record if count.is_none() => {
                    return Err(record.malformed("a type before the number of types, which comes first"));
                }
                Item::Record => {
                    let kind = self.kind_of(&record)?;
                    self.kinds.push(kind);
                }
            }
        }
        let (found, said) = (self.kinds.len() as u64, count.unwrap_or(0));
        match found == said {
            true => Ok(()),
            false => Err(record.malformed(format!("{found} types; expected {said}, as the first record says"))),
        }
    }

    fn kind_of(&mut self, record: &Record) -> Result<Kind, ReadError> {
        let expect = |count: usize| match record.operands().len() == count {
            true => Ok(()),
            false => Err(record.malformed(format!(
                "a type of kind {} with {} operands; expected {count}",
                record.code(),
                record.operands().len()
            ))),
        };
        Ok(match record.code() {
            code::VOID => expect(0).map(|()| Kind::Void)?,
            code::FLOAT => expect(0).map(|()| Kind::Float)?,
            code::DOUBLE => expect(0).map(|()| Kind::Double)?,
            code::INTEGER => {
                expect(1)?;
                match record.operand(0)? {
                    bits @ (1 | 8 | 16 | 32 | 64) => Kind::Integer(bits as u32),
                    bits => {
                        let message = format!("an integer of {bits} bits; expected 1, 8, 16, 32 or 64");
                        return Err(record.malformed(message));
                    }
                }
            }
            code::VECTOR => {
                expect(2)?;
                let (lanes, element) = (record.operand(0)?, record.operand(1)?);
                let bits = match self.kinds.get(element as usize) {
                    Some(Kind::Integer(bits)) => *bits,
                    Some(Kind::Float) => 0,
                    _ => u32::MAX,
                };
                if !VECTORS
                    .iter()
                    .any(|&(own, width)| u64::from(own) == lanes && width == bits)
                {
                    let message = format!("a vector of {lanes} of type {element}, which the ABI does not have");
                    return Err(record.malformed(message));
                }
                Kind::Vector {
                    lanes: lanes as u32,
                    element: element as u32,
                }
            }
            code::FUNCTION => self.function_type(record)?,
            other => {
                let message = format!("a type of kind {other}, which the ABI does not have");
                return Err(record.malformed(message));
            }
        })
    }

    fn function_type(&mut self, record: &Record) -> Result<Kind, ReadError> {
        if record.operand(0)? != 0 {
            return Err(record.malformed("a function with variable arguments, which the ABI does not have"));
        }
        let start = self.parameters.len() as u32;
        let result = record.operand(1)?;
        let is_result = self.kinds.get(result as usize) == Some(&Kind::Void) || self.is_value(result as u32);
        if result >= self.kinds.len() as u64 || !is_result {
            return Err(record.malformed(format!("a function that returns type {result}")));
        }
        for &ty in record.operands().get(2..).unwrap_or_default() {
            if ty >= self.kinds.len() as u64 || !self.is_value(ty as u32) {
                return Err(record.malformed(format!("a parameter of type {ty}, which no value has")));
            }
            self.parameters.push(ty as u32);
        }
        Ok(Kind::Function {
            result: result as u32,
            parameters: start..self.parameters.len() as u32,
        })
    }
}
