//! Classification of the file's types: no value, one IR value, several, or metadata.
//!
//! The class of a type is computed once and then found with one load.

use super::class::{CLASS_AGGREGATE, CLASS_METADATA, Class};
use super::values::Builder;
use crate::error::ReadError;
use crate::limits;
use crate::llvm::types::{Float, Kind, TypeId};
use frazil_ir::included::RARE;
use frazil_ir::{Refusal, Type, TypeData};

impl Builder<'_, '_> {
    /// How values of a type are represented in the IR.
    ///
    /// # Errors
    /// If there is no such type, or the IR cannot represent its values.
    #[inline]
    pub fn class(&mut self, ty: TypeId) -> Result<Class, ReadError> {
        match self.state.classes.get(ty as usize) {
            Some(&code) if code < Type::FIRST_EXTRA => Ok(match code {
                0 => Class::Void,
                code => Class::Scalar(Type::from_index(code)),
            }),
            Some(&CLASS_AGGREGATE) => Ok(Class::Aggregate),
            Some(&code) if code < CLASS_METADATA => Ok(self.extra_class(Type::from_index(code))),
            _ => self.find_class(ty),
        }
    }

    /// The primitive type of the IR that values of a type have, if it has been found to have one.
    #[inline]
    pub fn known_primitive(&self, ty: TypeId) -> Option<Type> {
        let code = *self.state.classes.get(ty as usize)?;
        (1..Type::FIRST_EXTRA).contains(&code).then(|| Type::from_index(code))
    }

    /// The class of a type beside the primitives. Notes which functions have vectors.
    #[inline(never)]
    fn extra_class(&mut self, ir_type: Type) -> Class {
        if let TypeData::Vector { .. } = self.function.types().data(ir_type) {
            self.function.note_vectors();
        }
        Class::Scalar(ir_type)
    }

    #[cold]
    fn find_class(&mut self, ty: TypeId) -> Result<Class, ReadError> {
        let Some(kind) = self.module.types.kind(ty) else {
            return Err(self.malformed(format!("type {ty} of {}", self.module.types.len())));
        };
        let (class, code) = match kind {
            Kind::Void => (Class::Void, 0),
            Kind::Metadata => (Class::Metadata, CLASS_METADATA),
            Kind::Struct { .. } | Kind::Array { .. } => (Class::Aggregate, CLASS_AGGREGATE),
            Kind::Label | Kind::Function { .. } => {
                return Err(self.malformed(format!("type {ty}, a function or block, as the type of a value")));
            }
            Kind::Other(other) => {
                return Err(self.unsupported(other.refusal(), format!("a value of type {}", other.name())));
            }
            Kind::Integer(bits @ ..=limits::VALUE_BITS) if RARE && *bits > self.module.narrow_bits() => {
                (Class::Aggregate, CLASS_AGGREGATE)
            }
            Kind::Integer(_) | Kind::Float(_) | Kind::Pointer { .. } | Kind::Vector { .. } => {
                let data = self.type_data(kind)?;
                let interned = self.function.intern_type(data);
                let ir_type = interned.map_err(|error| self.unsupported(Refusal::Bitcode, error.to_string()))?;
                self.extra_class(ir_type);
                (Class::Scalar(ir_type), ir_type.index() as u8)
            }
        };
        if code >= CLASS_METADATA
            && let Class::Scalar(_) = class
        {
            return Ok(class);
        }
        if let Some(slot) = self.state.classes.get_mut(ty as usize) {
            *slot = code;
        }
        Ok(class)
    }

    fn type_data(&mut self, kind: &Kind) -> Result<TypeData, ReadError> {
        Ok(match *kind {
            Kind::Integer(bits) if bits <= self.module.narrow_bits() => TypeData::Int(bits),
            Kind::Integer(bits) => return Err(self.too_wide(bits)),
            Kind::Float(Float::Half) => TypeData::F16,
            Kind::Float(Float::BFloat) => TypeData::BF16,
            Kind::Float(Float::Float) => TypeData::F32,
            Kind::Float(Float::Double) => TypeData::F64,
            Kind::Float(Float::X86Fp80) => TypeData::X86F80,
            Kind::Float(Float::Fp128) => TypeData::F128,
            Kind::Float(Float::PpcFp128) => {
                return Err(self.unsupported(Refusal::ExoticFloat, "a value of type ppc_fp128"));
            }
            Kind::Pointer { space, .. } => TypeData::Ptr(space),
            Kind::Vector { element, count } => {
                let element = match self.module.types.kind(element) {
                    Some(Kind::Integer(_) | Kind::Float(_) | Kind::Pointer { .. }) => self.class(element)?,
                    _ => return Err(self.malformed(format!("a vector of type {element}"))),
                };
                match element {
                    Class::Scalar(element) => TypeData::Vector { element, lanes: count },
                    Class::Aggregate => {
                        return Err(self.unsupported(Refusal::Vector, "a vector of integers of more than 128 bits"));
                    }
                    _ => return Err(self.malformed("a vector of no scalars")),
                }
            }
            _ => return Err(self.malformed("a type that values cannot have")),
        })
    }

    /// The IR type of a type whose values are single IR values.
    ///
    /// # Errors
    /// If its values are not single.
    #[inline]
    pub fn scalar_class(&mut self, ty: TypeId) -> Result<Type, ReadError> {
        match self.class(ty)? {
            Class::Scalar(ir_type) => Ok(ir_type),
            _ => Err(self.malformed(format!("type {ty} where a scalar or vector is expected"))),
        }
    }

    /// The IR type that is described by `data`.
    ///
    /// # Errors
    /// If the function has too many types.
    pub fn intern(&mut self, data: TypeData) -> Result<Type, ReadError> {
        self.function
            .intern_type(data)
            .map_err(|error| self.unsupported(Refusal::Bitcode, error.to_string()))
    }

    /// Checks a type number from a record.
    ///
    /// # Errors
    /// If there is no such type.
    #[inline]
    pub fn type_id(&self, number: u64) -> Result<TypeId, ReadError> {
        if number < self.module.types.len() as u64 {
            return Ok(number as TypeId);
        }
        Err(self.malformed(format!("type {number} of {}", self.module.types.len())))
    }
}
