//! Elements of aggregates and vectors.

use super::arithmetic::{Domain, single};
use super::context::{Body, Operands};
use crate::builder::word::{NO_TYPE, Word};
use crate::error::ReadError;
use crate::llvm::types::{Kind, TypeId};
use frazil_ir::{InstData, Opcode, Operand, Type, TypeData};

/// Aggregate, indices.
pub(in crate::llvm) fn extract_value(body: &mut Body<'_, '_>, operands: &mut Operands<'_>) -> Result<(), ReadError> {
    let aggregate = body.value(operands)?;
    expect_indices(body, operands)?;
    body.build.extract_value(aggregate, operands.rest())
}

/// Aggregate, value, indices.
pub(in crate::llvm) fn insert_value(body: &mut Body<'_, '_>, operands: &mut Operands<'_>) -> Result<(), ReadError> {
    let aggregate = body.value(operands)?;
    let value = body.value(operands)?;
    expect_indices(body, operands)?;
    body.build.insert_value(aggregate, value, operands.rest())
}

fn expect_indices(body: &Body<'_, '_>, operands: &Operands<'_>) -> Result<(), ReadError> {
    if operands.rest().is_empty() {
        return Err(body.build.malformed("a part of an aggregate without an index"));
    }
    Ok(())
}

/// Element type and number of lanes of a vector operand.
fn vector(body: &Body<'_, '_>, word: Word) -> Result<(Type, u32), ReadError> {
    match body.build.function.types().data(word.ir_type()) {
        TypeData::Vector { element, lanes } => Ok((element, lanes)),
        _ => Err(body
            .build
            .malformed("something that is no vector where one is expected")),
    }
}

/// An index into a vector: any integer. The IR reads an immediate as one of 64 bits, and indices are unsigned.
fn index(body: &mut Body<'_, '_>, operands: &mut Operands<'_>) -> Result<Operand, ReadError> {
    let word = single(body, operands)?;
    let is_vector = matches!(
        body.build.function.types().data(word.ir_type()),
        TypeData::Vector { .. }
    );
    if is_vector || body.build.domain(word.ir_type()) != Domain::Integer {
        return Err(body.build.malformed("an index that is no integer"));
    }
    match word.operand().as_imm() {
        Some(number) if number < 0 => Ok(body.build.typed(word)),
        _ => Ok(word.operand()),
    }
}

/// The type of a vector's elements, if types of addresses are tracked and it is known.
#[inline]
fn tracked_element(body: &Body<'_, '_>, vector: Word) -> Option<TypeId> {
    if !body.old.is_tracking() {
        return None;
    }
    match body.build.module.types.kind(vector.ty()) {
        Some(&Kind::Vector { element, .. }) => Some(element),
        _ => None,
    }
}

/// Vector, index.
pub(in crate::llvm) fn extract_element(body: &mut Body<'_, '_>, operands: &mut Operands<'_>) -> Result<(), ReadError> {
    let source = single(body, operands)?;
    let (element, _) = vector(body, source)?;
    let index = index(body, operands)?;
    let data = InstData::new(Opcode::ExtractElement, source.ir_type(), 0, source.operand(), index);
    let ty = match tracked_element(body, source) {
        Some(element) => element,
        None => NO_TYPE,
    };
    body.build.define(data, element, ty)
}

/// Vector, element, index.
pub(in crate::llvm) fn insert_element(body: &mut Body<'_, '_>, operands: &mut Operands<'_>) -> Result<(), ReadError> {
    let target = single(body, operands)?;
    let (element, _) = vector(body, target)?;
    let value = body.value_like(operands, Word::scalar(Operand::ZERO, element, NO_TYPE))?;
    let index = index(body, operands)?;
    let rest = body.build.function.push_pool(&[value.operand(), index]);
    let data = InstData::new(
        Opcode::InsertElement,
        target.ir_type(),
        0,
        target.operand(),
        Operand::raw(rest),
    );
    body.build.define(data, target.ir_type(), target.ty())
}

/// Two vectors and a mask, a constant.
pub(in crate::llvm) fn shuffle(body: &mut Body<'_, '_>, operands: &mut Operands<'_>) -> Result<(), ReadError> {
    let first = single(body, operands)?;
    let (element, source_lanes) = vector(body, first)?;
    let second = body.value_like(operands, first)?;
    let mask = single(body, operands)?;
    let (mask_element, lanes) = vector(body, mask)?;
    if mask_element != Type::I32 || mask.operand().as_const().is_none() {
        return Err(body
            .build
            .malformed("a shuffle whose mask is no constant vector of i32"));
    }
    body.build.expect_shuffle_mask(mask.operand(), source_lanes)?;
    let result = body.build.intern(TypeData::Vector { element, lanes })?;
    let rest = body.build.function.push_pool(&[second.operand(), mask.operand()]);
    let data = InstData::new(Opcode::Shuffle, result, 0, first.operand(), Operand::raw(rest));
    let ty = match tracked_element(body, first) {
        Some(element) => body.build.vector_type(element, lanes),
        None => NO_TYPE,
    };
    body.build.define(data, result, ty)
}
