//! Addresses: `getelementptr` as address arithmetic.
//!
//! ```text
//! getelementptr {i32, [8 x i64]}, ptr p, i64 i, i32 1, i64 j
//!     -> v1 = ptr_index scale 72 p, i
//!        v2 = ptr_index scale 8 v1, j
//!        v3 = ptr_add v2, 8
//! ```
//!
//! Constant distances are summed and added last, where a load or store can take them as its displacement. Nothing
//! is emitted for a distance of zero.
//! If the pointer or an index is a vector, everything scalar is spread over as many lanes.

use super::values::Builder;
use super::word::{NO_TYPE, Word};
use crate::error::ReadError;
use crate::llvm::types::{Kind, TypeId};
use frazil_ir::{ConstKind, Opcode, Operand, Type, TypeData};

impl Builder<'_, '_> {
    /// The address of what `indices` select, starting from `base`, which points to a value of type `source`.
    ///
    /// # Errors
    /// If an index does not fit the type that it selects from.
    pub fn address(&mut self, source: TypeId, base: Word, indices: &[Word]) -> Result<Word, ReadError> {
        let lanes = self.lanes_of(base, indices)?;
        let address = if lanes > 0 { self.spread(base, lanes)? } else { base };
        let element = self.function.types().scalar(address.ir_type());
        if !matches!(self.function.types().data(element), TypeData::Ptr(_)) {
            return Err(self.malformed("an address computed from something that is no pointer"));
        }
        self.walk_indices(source, address, indices, lanes)
    }

    /// The same as [`Builder::address`], for a pointer and indices that are no vectors.
    ///
    /// # Errors
    /// If an index does not fit the type that it selects from.
    #[inline]
    pub fn scalar_address(&mut self, source: TypeId, base: Word, indices: &[Word]) -> Result<Word, ReadError> {
        self.walk_indices(source, base, indices, 0)
    }

    fn walk_indices(
        &mut self,
        source: TypeId,
        mut address: Word,
        indices: &[Word],
        lanes: u32,
    ) -> Result<Word, ReadError> {
        let mut current = source;
        let mut distance = 0i64;
        for (number, &index) in indices.iter().enumerate() {
            let known = self.known_index(index);
            if known.is_some() && !self.is_integer_index(index) {
                return Err(self.malformed("an index that is no integer"));
            }
            let stride = if number == 0 {
                self.sized_stride(current)?
            } else {
                match self.module.types.kind(current) {
                    Some(Kind::Struct { members, .. }) => {
                        if !self.is_field_number(index) {
                            return Err(self.malformed("the number of a field that is no i32"));
                        }
                        let field = known.and_then(|known| usize::try_from(known).ok());
                        let members = members.clone();
                        let types = &self.module.types;
                        let found = field.and_then(|field| {
                            Some((
                                *types.members(&members).get(field)?,
                                *types.offsets(&members).get(field)?,
                            ))
                        });
                        let Some((member, offset)) = found else {
                            return Err(self.malformed("a field that a structure has not"));
                        };
                        current = member;
                        distance = distance.wrapping_add(offset as i64);
                        continue;
                    }
                    Some(&Kind::Array { element, .. }) => {
                        current = element;
                        self.sized_stride(current)?
                    }
                    Some(&Kind::Vector { element, .. }) => {
                        current = element;
                        self.module.types.layout(current).store_bytes()
                    }
                    _ => return Err(self.malformed(format!("an index into type {current}"))),
                }
            };
            match known {
                Some(known) => distance = distance.wrapping_add(known.wrapping_mul(stride as i64)),
                None => address = self.add_index(address, index, stride, lanes)?,
            }
        }
        if distance == 0 {
            return Ok(address.with_type(NO_TYPE));
        }
        let index_type = self.index_type(lanes)?;
        let distance = self.number(index_type, distance);
        Ok(self.add(Opcode::PtrAdd, 0, address, distance))
    }

    /// An address that is known to be what [`Builder::address`] gives, with its type in the file.
    #[cold]
    pub fn typed_address(&self, source: TypeId, base: Word, indices: &[Word], address: Word) -> Word {
        let types = &self.module.types;
        let mut selected = source;
        for index in indices.get(1..).unwrap_or_default() {
            let inner = match types.kind(selected) {
                Some(Kind::Struct { members, .. }) => {
                    let field = self.known_index(*index).and_then(|field| usize::try_from(field).ok());
                    field.and_then(|field| types.members(members).get(field).copied())
                }
                Some(&Kind::Array { element, .. } | &Kind::Vector { element, .. }) => Some(element),
                _ => None,
            };
            let Some(inner) = inner else { return address };
            selected = inner;
        }
        let mut of_base = types.kind(base.ty());
        if let Some(&Kind::Vector { element, .. }) = of_base {
            of_base = types.kind(element);
        }
        let space = match of_base {
            Some(&Kind::Pointer { space, .. }) => space,
            _ => 0,
        };
        let pointer = self.pointer_to(selected, space);
        address.with_type(match self.function.types().data(address.ir_type()) {
            TypeData::Vector { lanes, .. } => self.vector_type(pointer, lanes),
            _ => pointer,
        })
    }

    fn add(&mut self, op: Opcode, flags: u16, address: Word, index: Operand) -> Word {
        let ir_type = address.ir_type();
        Word::scalar(
            self.emit(op, ir_type, flags, address.operand(), index),
            ir_type,
            NO_TYPE,
        )
    }

    fn sized_stride(&self, ty: TypeId) -> Result<u64, ReadError> {
        let layout = self.module.types.layout(ty);
        if layout.sized {
            Ok(layout.stride())
        } else {
            Err(self.malformed(format!("an index into type {ty}")))
        }
    }

    /// Whether an index has a type that field numbers may have: `i32`, or a vector of it.
    fn is_field_number(&self, index: Word) -> bool {
        if index.ir_type() == Type::I32 {
            return true;
        }
        let types = self.function.types();
        match types.data(index.ir_type()) {
            TypeData::Int(bits) => bits == 32,
            TypeData::Vector { element, .. } => types.int_bits(element) == Some(32),
            _ => false,
        }
    }

    /// Whether an index is an integer or a vector of integers.
    fn is_integer_index(&self, index: Word) -> bool {
        let types = self.function.types();
        index.ir_type() <= Type::I128 || types.int_bits(types.scalar(index.ir_type())).is_some()
    }

    /// The value of a constant index that is the same in all lanes.
    fn known_index(&self, index: Word) -> Option<i64> {
        if !index.is_operand() {
            return None;
        }
        let operand = index.operand();
        if let Some(number) = operand.as_imm() {
            return Some(number);
        }
        match self.function.constant(operand.as_const()?).1 {
            frazil_ir::ConstView::Int(&[word]) => Some(word as i64),
            frazil_ir::ConstView::Zero => Some(0),
            frazil_ir::ConstView::Vector(lanes) => {
                let first = lanes.first()?;
                lanes.iter().all(|lane| lane == first).then(|| first.as_imm())?
            }
            _ => None,
        }
    }

    fn add_index(&mut self, address: Word, index: Word, stride: u64, lanes: u32) -> Result<Word, ReadError> {
        if stride == 0 {
            return Ok(address);
        }
        let index = if lanes > 0 { self.spread(index, lanes)? } else { index };
        let index_type = self.index_type(lanes)?;
        let index = self.widen_index(index, index_type)?;
        match u16::try_from(stride) {
            Ok(1) => Ok(self.add(Opcode::PtrAdd, 0, address, index)),
            Ok(scale) => Ok(self.add(Opcode::PtrIndex, scale, address, index)),
            Err(_) => {
                let stride = self.number(index_type, stride as i64);
                let product = self.emit(Opcode::Mul, index_type, 0, index, stride);
                Ok(self.add(Opcode::PtrAdd, 0, address, product))
            }
        }
    }

    /// The type of distances in addresses with this many lanes; 0 lanes stand for a scalar.
    fn index_type(&mut self, lanes: u32) -> Result<Type, ReadError> {
        let element = self.pointer_int();
        if lanes == 0 {
            Ok(element)
        } else {
            self.intern(TypeData::Vector { element, lanes })
        }
    }

    fn number(&mut self, ir_type: Type, number: i64) -> Operand {
        let TypeData::Vector { element, lanes } = self.function.types().data(ir_type) else {
            return self.function.int_operand(ir_type, i128::from(number));
        };
        let lane = self.function.int_operand(element, i128::from(number));
        let lanes = vec![lane; lanes as usize];
        Operand::constant(self.function.push_vector_const(ir_type, &lanes))
    }

    /// An index as a distance: sign-extended or truncated.
    fn widen_index(&mut self, index: Word, to: Type) -> Result<Operand, ReadError> {
        let types = self.function.types();
        let bits = |ty| types.int_bits(types.scalar(ty));
        let (Some(from_bits), Some(to_bits)) = (bits(index.ir_type()), bits(to)) else {
            return Err(self.malformed("an index that is no integer"));
        };
        if from_bits == to_bits {
            return Ok(index.operand());
        }
        let op = if from_bits < to_bits {
            Opcode::Sext
        } else {
            Opcode::Trunc
        };
        let source = self.typed(index);
        Ok(self.emit(op, to, 0, source, Operand::NONE))
    }

    /// The number of lanes of the resulting address; 0 for a scalar.
    fn lanes_of(&self, base: Word, indices: &[Word]) -> Result<u32, ReadError> {
        let mut lanes = 0;
        for word in std::iter::once(&base).chain(indices) {
            if !word.is_operand() {
                return Err(self.malformed("an address computed from an aggregate"));
            }
            if let TypeData::Vector { lanes: own, .. } = self.function.types().data(word.ir_type()) {
                if lanes != 0 && own != lanes {
                    return Err(self.malformed("an address computed from vectors of different lengths"));
                }
                lanes = own;
            }
        }
        Ok(lanes)
    }

    /// A vector with a scalar in every lane; a vector is returned as it is.
    fn spread(&mut self, word: Word, lanes: u32) -> Result<Word, ReadError> {
        if let TypeData::Vector { .. } = self.function.types().data(word.ir_type()) {
            return Ok(word);
        }
        self.check_room(lanes as usize)?;
        let vector = self.intern(TypeData::Vector {
            element: word.ir_type(),
            lanes,
        })?;
        let operand = word.operand();
        if operand.as_value().is_none() {
            let lanes = vec![operand; lanes as usize];
            let constant = self.function.push_vector_const(vector, &lanes);
            return Ok(Word::scalar(Operand::constant(constant), vector, NO_TYPE));
        }
        let poison = Operand::constant(self.function.push_plain_const(ConstKind::Poison, vector));
        let rest = self.function.push_pool(&[operand, Operand::ZERO]);
        let first = self.emit(Opcode::InsertElement, vector, 0, poison, Operand::raw(rest));
        let mask_type = self.intern(TypeData::Vector {
            element: Type::I32,
            lanes,
        })?;
        let mask = Operand::constant(self.function.push_plain_const(ConstKind::Zero, mask_type));
        let rest = self.function.push_pool(&[poison, mask]);
        Ok(Word::scalar(
            self.emit(Opcode::Shuffle, vector, 0, first, Operand::raw(rest)),
            vector,
            NO_TYPE,
        ))
    }
}
