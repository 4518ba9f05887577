//! First-class aggregates: several IR values, one for each scalar that the type consists of, in the order of memory.
//!
//! The scalars ("leaves") of a type are found once and kept. A type with more than [`limits::AGGREGATE_LEAVES`] of
//! them, or nested deeper than [`limits::AGGREGATE_DEPTH`], is refused as the type of a value.

use super::class::Class;
use super::state::Leaf;
use super::values::Builder;
use super::wide;
use super::word::Word;
use crate::error::ReadError;
use crate::limits;
use crate::llvm::types::{Kind, TypeId};
use frazil_ir::{Operand, Refusal, Type, TypeData};
use std::ops::Range;

/// The limits that are left for a search for leaves.
struct Search {
    /// The length up to which the list of leaves may grow.
    limit: usize,
    steps: u32,
}

impl Builder<'_, '_> {
    /// The leaves of an aggregate, as positions in the list that [`Builder::leaf`] reads.
    ///
    /// # Errors
    /// If there are too many.
    pub fn leaves(&mut self, ty: TypeId) -> Result<Range<u32>, ReadError> {
        if let Some(&(start, end)) = self.state.leaf_ranges.get(&ty) {
            return Ok(start..end);
        }
        let start = self.state.leaf_pool.len();
        let mut search = Search {
            limit: start + limits::AGGREGATE_LEAVES,
            steps: limits::AGGREGATE_STEPS,
        };
        let found = self.add_leaves(ty, 0, limits::AGGREGATE_DEPTH, &mut search);
        if let Err(error) = found {
            self.state.leaf_pool.truncate(start);
            return Err(error);
        }
        if self.state.leaf_pool.len() > limits::KEPT_LEAVES + self.room {
            return Err(self.malformed("a function with too many large aggregate types"));
        }
        let range = (start as u32, self.state.leaf_pool.len() as u32);
        self.state.leaf_ranges.insert(ty, range);
        Ok(range.0..range.1)
    }

    fn add_leaves(&mut self, ty: TypeId, offset: u64, depth: u32, search: &mut Search) -> Result<(), ReadError> {
        let too_large = |this: &Self| {
            let most = limits::AGGREGATE_LEAVES;
            this.unsupported(
                Refusal::Bitcode,
                format!("a value of type {ty}, an aggregate of more than {most} scalars or very deep"),
            )
        };
        let (depth, steps) = (depth.checked_sub(1), search.steps.checked_sub(1));
        let (Some(depth), Some(steps)) = (depth, steps) else {
            return Err(too_large(self));
        };
        search.steps = steps;
        let types = &self.module.types;
        match types.kind(ty) {
            Some(Kind::Struct { members, .. }) => {
                for (&member, &distance) in types.members(members).iter().zip(types.offsets(members)) {
                    self.add_leaves(member, offset + distance, depth, search)?;
                }
                Ok(())
            }
            Some(&Kind::Array { element, count }) => {
                if count > limits::AGGREGATE_LEAVES as u64 {
                    return Err(too_large(self));
                }
                let stride = types.layout(element).stride();
                (0..count).try_for_each(|index| self.add_leaves(element, offset + index * stride, depth, search))
            }
            Some(&Kind::Integer(bits)) if bits > self.module.narrow_bits() => {
                if self.state.leaf_pool.len() + wide::word_count(bits) > search.limit {
                    return Err(too_large(self));
                }
                self.add_word_leaves(ty, offset, bits)
            }
            _ => {
                if self.state.leaf_pool.len() >= search.limit {
                    return Err(too_large(self));
                }
                let ir_type = self.scalar_class(ty)?;
                self.state.leaf_pool.push(Leaf { offset, ir_type, ty });
                Ok(())
            }
        }
    }

    /// Adds the leaves of a wide integer: words of 64 bits, and the remaining bits.
    fn add_word_leaves(&mut self, ty: TypeId, offset: u64, bits: u32) -> Result<(), ReadError> {
        if bits > limits::VALUE_BITS {
            return Err(self.too_wide(bits));
        }
        for (place, word) in (offset..).step_by(8).zip(0..wide::word_count(bits) as u32) {
            let rest = (bits - word * wide::WORD_BITS).min(wide::WORD_BITS);
            let ir_type = self.intern(TypeData::Int(rest))?;
            self.state.leaf_pool.push(Leaf {
                offset: place,
                ir_type,
                ty,
            });
        }
        Ok(())
    }

    /// The leaf at a position of the list.
    pub fn leaf(&self, place: u32) -> Leaf {
        let nothing = Leaf {
            offset: 0,
            ir_type: Type::VOID,
            ty: 0,
        };
        self.state.leaf_pool.get(place as usize).copied().unwrap_or(nothing)
    }

    /// The IR type of part number `index` of an aggregate of type `ty`.
    ///
    /// # Errors
    /// If the type has too many leaves.
    pub fn part_type(&mut self, ty: TypeId, index: u32) -> Result<Type, ReadError> {
        let leaves = self.leaves(ty)?;
        Ok(self.leaf(leaves.start + index).ir_type)
    }

    /// Part number `index` of an aggregate.
    pub fn part(&self, word: Word, index: u32) -> Operand {
        self.state
            .parts
            .get((word.index() + index) as usize)
            .copied()
            .unwrap_or(Operand::ZERO)
    }

    /// Appends the one or several operands of a value to `state.operands`.
    ///
    /// # Errors
    /// If the value has too many leaves.
    #[inline]
    pub fn push_parts(&mut self, word: Word) -> Result<(), ReadError> {
        if word.is_operand() {
            self.state.operands.push(word.operand());
            return Ok(());
        }
        self.push_leaves(word)
    }

    #[inline(never)]
    fn push_leaves(&mut self, word: Word) -> Result<(), ReadError> {
        for index in 0..self.leaves(word.ty())?.len() as u32 {
            let part = self.part(word, index);
            self.state.operands.push(part);
        }
        Ok(())
    }

    /// The range of leaves of `ty` that the indices select, and the type of what they select.
    fn select(&mut self, ty: TypeId, indices: &[u64]) -> Result<(Range<u32>, TypeId), ReadError> {
        let mut first = 0;
        let mut current = ty;
        for &index in indices {
            match self.module.types.kind(current).cloned() {
                Some(Kind::Struct { members, .. }) => {
                    let members = self.module.types.members(&members);
                    let wanted = usize::try_from(index)
                        .ok()
                        .and_then(|index| members.get(index).copied());
                    let Some(wanted) = wanted else {
                        return Err(self.malformed(format!("field {index} of a structure of {} fields", members.len())));
                    };
                    for &member in members.iter().take(index as usize) {
                        first += self.leaf_count(member)?;
                    }
                    current = wanted;
                }
                Some(Kind::Array { element, count }) => {
                    if index >= count {
                        return Err(self.malformed(format!("element {index} of an array of {count}")));
                    }
                    // The whole aggregate has few leaves, so this cannot overflow.
                    first += self.leaf_count(element)? * index as u32;
                    current = element;
                }
                _ => return Err(self.malformed(format!("an index into type {current}, which is no aggregate"))),
            }
        }
        Ok((first..first + self.leaf_count(current)?, current))
    }

    fn leaf_count(&mut self, ty: TypeId) -> Result<u32, ReadError> {
        match self.class(ty)? {
            Class::Aggregate => Ok(self.leaves(ty)?.len() as u32),
            _ => Ok(1),
        }
    }

    /// Defines the next value as the part of an aggregate that the indices select.
    ///
    /// # Errors
    /// If the indices do not fit the type.
    pub fn extract_value(&mut self, aggregate: Word, indices: &[u64]) -> Result<(), ReadError> {
        self.expect_aggregate(aggregate)?;
        let (range, ty) = self.select(aggregate.ty(), indices)?;
        let word = match self.class(ty)? {
            Class::Aggregate => Word::aggregate(aggregate.index() + range.start, ty),
            _ => {
                let ir_type = self.scalar_class(ty)?;
                Word::scalar(self.part(aggregate, range.start), ir_type, ty)
            }
        };
        self.define_as(word)
    }

    /// Defines the next value as an aggregate in which the part that the indices select is replaced by `value`.
    ///
    /// # Errors
    /// If the indices or the value do not fit the type.
    pub fn insert_value(&mut self, aggregate: Word, value: Word, indices: &[u64]) -> Result<(), ReadError> {
        self.expect_aggregate(aggregate)?;
        let (range, ty) = self.select(aggregate.ty(), indices)?;
        self.expect_type(value, ty)?;
        let count = self.leaves(aggregate.ty())?.len() as u32;
        self.check_room(count as usize)?;
        let first = self.state.parts.len() as u32;
        for index in 0..count {
            let part = if !range.contains(&index) {
                self.part(aggregate, index)
            } else if value.is_operand() {
                value.operand()
            } else {
                self.part(value, index - range.start)
            };
            self.state.parts.push(part);
        }
        self.define_as(Word::aggregate(first, aggregate.ty()))
    }

    fn expect_aggregate(&self, word: Word) -> Result<(), ReadError> {
        if word.is_operand() {
            Err(self.malformed("a scalar where an aggregate is expected"))
        } else {
            Ok(())
        }
    }

    /// Checks the type of a value, as far as the IR distinguishes types.
    ///
    /// # Errors
    /// If the value has another type.
    #[inline]
    pub fn expect_type(&mut self, word: Word, ty: TypeId) -> Result<(), ReadError> {
        if word.is_operand() && self.known_primitive(ty) == Some(word.ir_type()) {
            return Ok(());
        }
        self.expect_any_type(word, ty)
    }

    #[inline(never)]
    fn expect_any_type(&mut self, word: Word, ty: TypeId) -> Result<(), ReadError> {
        let fits = match self.class(ty)? {
            Class::Scalar(ir_type) => word.is_operand() && word.ir_type() == ir_type,
            Class::Aggregate => !word.is_operand() && word.ty() == ty,
            Class::Void | Class::Metadata => false,
        };
        if fits {
            Ok(())
        } else {
            Err(self.malformed(format!("a value of another type than {ty}")))
        }
    }
}
