//! Arithmetic, comparisons, casts, and vectors' elements.

use super::{division, exactly};
use crate::error::ReadError;
use crate::operations;
use crate::pnacl::codes::function as code;
use crate::pnacl::context::Body;
use crate::pnacl::types::Kind;
use frazil_ir::{InstData, Opcode, Operand};

/// From this number on, operations are bitwise, which bits may be operands of.
const FIRST_BITWISE: u64 = 10;

/// Two operands of one type, and the operation.
pub fn binary(body: &mut Body<'_, '_>, operands: &[u64]) -> Result<(), ReadError> {
    // Older files have flags at the end, which mean nothing.
    let operands = operands.get(..3).filter(|_| operands.len() <= 4).unwrap_or(operands);
    let [left, right, operation] = exactly(body, code::BINARY, operands)?;
    let number = body.number(left);
    let entry = body.entry(number)?;
    let right = body.operand_of(right, entry.ty)?;
    let types = &body.module.types;
    let op = match types.scalar(entry.ty) {
        Some(Kind::Integer(1)) if operation < FIRST_BITWISE => None,
        Some(Kind::Integer(_)) => operations::of_integers(operation),
        Some(Kind::Float | Kind::Double) => operations::of_floats(operation),
        _ => None,
    };
    let Some(op) = op else {
        let name = types.name(entry.ty);
        return Err(body.wrong(format!("operation {operation} of operands of type {name}")));
    };
    let ir_type = types.ir_type(entry.ty, body.function);
    if matches!(op, Opcode::Udiv | Opcode::Sdiv | Opcode::Urem | Opcode::Srem) {
        division::trap_if_zero(body, right, entry.ty);
    }
    body.define(InstData::new(op, ir_type, 0, entry.operand, right), entry.ty)
}

/// An operand, the type that it becomes, and how.
pub fn cast(body: &mut Body<'_, '_>, operands: &[u64]) -> Result<(), ReadError> {
    let [operand, ty, operation] = exactly(body, code::CAST, operands)?;
    let number = body.number(operand);
    let entry = body.entry(number)?;
    let ty = ty as u32;
    let types = &body.module.types;
    let bits = |kind: Option<&Kind>| match kind {
        Some(Kind::Integer(bits)) => Some(*bits),
        _ => None,
    };
    let width = |kind: Option<&Kind>| match kind {
        Some(Kind::Float) => Some(32),
        Some(Kind::Double) => Some(64),
        _ => None,
    };
    let (from, to) = (types.scalar(entry.ty), types.scalar(ty));
    let (from_bits, to_bits, from_float, to_float) = (bits(from), bits(to), width(from), width(to));
    let is_narrower = |one: Option<u32>, other: Option<u32>| one.zip(other).is_some_and(|(one, other)| one < other);
    let (op, fits) = match operation {
        0 => (Opcode::Trunc, is_narrower(to_bits, from_bits)),
        1 => (Opcode::Zext, is_narrower(from_bits, to_bits)),
        2 => (Opcode::Sext, is_narrower(from_bits, to_bits)),
        3 => (Opcode::Fptoui, from_float.is_some() && to_bits.is_some()),
        4 => (Opcode::Fptosi, from_float.is_some() && to_bits.is_some()),
        5 => (Opcode::Uitofp, from_bits.is_some() && to_float.is_some()),
        6 => (Opcode::Sitofp, from_bits.is_some() && to_float.is_some()),
        7 => (Opcode::Fptrunc, is_narrower(to_float, from_float)),
        8 => (Opcode::Fpext, is_narrower(from_float, to_float)),
        11 => (Opcode::Bitcast, true),
        _ => (Opcode::Bitcast, false),
    };
    let size = |ty: u32, scalar: Option<u32>| scalar.map(|bits| bits * types.lanes(ty).max(1));
    let fits = match op {
        Opcode::Bitcast => {
            fits && types.is_value(ty) && size(entry.ty, from_bits.or(from_float)) == size(ty, to_bits.or(to_float))
        }
        _ => fits && types.lanes(entry.ty) == types.lanes(ty),
    };
    if !fits {
        let (own, other) = (types.name(entry.ty), types.name(ty));
        return Err(body.wrong(format!("cast {operation} from {own} to {other}")));
    }
    let own = types.ir_type(entry.ty, body.function);
    let ir_type = types.ir_type(ty, body.function);
    let operand = body.typed(entry.operand, own);
    body.define(InstData::new(op, ir_type, 0, operand, Operand::NONE), ty)
}

/// Two operands of one type, and the comparison.
pub fn compare(body: &mut Body<'_, '_>, operands: &[u64]) -> Result<(), ReadError> {
    let [left, right, predicate] = exactly(body, code::COMPARE, operands)?;
    let number = body.number(left);
    let entry = body.entry(number)?;
    let right = body.operand_of(right, entry.ty)?;
    let types = &body.module.types;
    let op = match types.scalar(entry.ty) {
        Some(Kind::Integer(_)) => operations::comparison_of_integers(predicate),
        Some(_) => operations::comparison_of_floats(predicate),
        None => None,
    };
    let lanes = types.lanes(entry.ty);
    let result = match lanes {
        0 => types.integer(1),
        lanes => types.vector_of_bits(lanes),
    };
    let Some((op, result)) = op.zip(result) else {
        let name = types.name(entry.ty);
        return Err(body.wrong(format!(
            "comparison {predicate} of operands of type {name}, or a module without the type of its result"
        )));
    };
    let ir_type = types.ir_type(entry.ty, body.function);
    body.define(InstData::new(op, ir_type, 0, entry.operand, right), result)
}

/// Two operands of one type, and the condition that chooses the first.
pub fn select(body: &mut Body<'_, '_>, operands: &[u64]) -> Result<(), ReadError> {
    let [chosen, other, condition] = exactly(body, code::SELECT, operands)?;
    let number = body.number(chosen);
    let entry = body.entry(number)?;
    let other = body.operand_of(other, entry.ty)?;
    let number = body.number(condition);
    let condition = body.entry(number)?;
    let types = &body.module.types;
    let lanes = types.lanes(condition.ty);
    let is_condition = types.scalar(condition.ty) == Some(&Kind::Integer(1));
    if !is_condition || (lanes > 0 && lanes != types.lanes(entry.ty)) {
        let name = types.name(condition.ty);
        return Err(body.wrong(format!("a select by something of type {name}; expected i1")));
    }
    let ir_type = types.ir_type(entry.ty, body.function);
    let rest = body.function.push_pool(&[entry.operand, other]);
    let data = InstData::new(Opcode::Select, ir_type, 0, condition.operand, Operand::raw(rest));
    body.define(data, entry.ty)
}

/// The number of a lane, which must be a constant.
fn lane(body: &mut Body<'_, '_>, relative: u64, lanes: u32) -> Result<Operand, ReadError> {
    let number = body.number(relative);
    let entry = body.entry(number)?;
    match entry.operand.as_imm() {
        Some(lane) if body.module.types.is_integer(entry.ty, 32) && (0..i64::from(lanes)).contains(&lane) => {
            Ok(entry.operand)
        }
        _ => Err(body.wrong(format!("an element that no constant below {lanes} names"))),
    }
}

/// A vector, and which of its elements.
pub fn extract_element(body: &mut Body<'_, '_>, operands: &[u64]) -> Result<(), ReadError> {
    let [vector, place] = exactly(body, code::EXTRACT_ELEMENT, operands)?;
    let number = body.number(vector);
    let vector = body.entry(number)?;
    let Some(&Kind::Vector { lanes, element }) = body.module.types.kind(vector.ty) else {
        return Err(body.wrong("an element of something that is no vector"));
    };
    let place = lane(body, place, lanes)?;
    let ir_type = body.module.types.ir_type(vector.ty, body.function);
    let data = InstData::new(Opcode::ExtractElement, ir_type, 0, vector.operand, place);
    body.define(data, element)
}

/// A vector, an element, and where it goes.
pub fn insert_element(body: &mut Body<'_, '_>, operands: &[u64]) -> Result<(), ReadError> {
    let [vector, element, place] = exactly(body, code::INSERT_ELEMENT, operands)?;
    let number = body.number(vector);
    let vector = body.entry(number)?;
    let Some(&Kind::Vector { lanes, element: ty }) = body.module.types.kind(vector.ty) else {
        return Err(body.wrong("an element for something that is no vector"));
    };
    let element = body.operand_of(element, ty)?;
    let place = lane(body, place, lanes)?;
    let ir_type = body.module.types.ir_type(vector.ty, body.function);
    let rest = body.function.push_pool(&[element, place]);
    let data = InstData::new(Opcode::InsertElement, ir_type, 0, vector.operand, Operand::raw(rest));
    body.define(data, vector.ty)
}
