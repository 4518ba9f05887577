//! Intrinsics on vectors that are no instructions of the IR: those that move lanes become shuffles, others single
//! operations on vectors, and library functions are called [lane by lane](lanes).

mod lanes;
mod moves;
mod predicated;

use super::Call;
use crate::builder::class::Class;
use crate::builder::intrinsics::Intrinsic;
use crate::builder::values::Builder;
use crate::builder::vector_intrinsics::VectorIntrinsic as V;
use crate::builder::word::Word;
use crate::error::ReadError;
use crate::llvm::body::context::Body;
use frazil_ir::{ConstKind, InstData, Opcode, Operand, Type, TypeData};

/// Makes instructions of a call of an intrinsic that has to do with vectors; `false` if it has to stay a call.
#[cold]
pub(super) fn lower(body: &mut Body<'_, '_>, call: &Call<'_>, intrinsic: Intrinsic) -> Result<bool, ReadError> {
    if call.arguments.iter().any(|argument| !argument.is_operand()) {
        return Ok(false);
    }
    let class = body.build.class(call.result)?;
    let result = match class {
        Class::Scalar(ty) => Some(ty),
        _ => None,
    };
    match intrinsic {
        Intrinsic::Library(functions) | Intrinsic::Nearest(functions) => {
            lanes::library(body, call, &call.arguments, functions, result)
        }
        Intrinsic::Split(functions) => lanes::split(body, call, functions),
        Intrinsic::Both(functions) => lanes::both(body, call, functions),
        Intrinsic::FixedPoint(operation) => lanes::fixed_point(body, call, operation, result),
        Intrinsic::Canonicalize => lanes::canonicalize(body, call, result),
        Intrinsic::Vector(operation) => {
            let lanes: usize = call
                .arguments
                .iter()
                .map(|word| lanes_of(&body.build, word.ir_type()))
                .sum();
            body.build.make_wide_room(8 * lanes + 64)?;
            match operation {
                V::Compress
                | V::Histogram
                | V::Load
                | V::Store
                | V::Gather
                | V::Scatter
                | V::StridedLoad
                | V::StridedStore => lanes::lower(body, call, operation, result),
                V::Predicated(_)
                | V::PredicatedDivision(_)
                | V::PredicatedSpecial(_)
                | V::PredicatedClass
                | V::PredicatedCast(_)
                | V::PredicatedCompare
                | V::PredicatedLibrary(_)
                | V::PredicatedNearest(_)
                | V::PredicatedReduction(..)
                | V::PredicatedExtreme(_)
                | V::PredicatedSelect
                | V::PredicatedFirstActive
                | V::PredicatedReverse
                | V::PredicatedSplice
                | V::PredicatedSplat
                | V::Merge => predicated::lower(body, call, operation, result),
                _ => moves::lower(body, call, operation, result),
            }
        }
        _ => Ok(false),
    }
}

fn lanes_of(build: &Builder<'_, '_>, ty: Type) -> usize {
    vector(build, ty).map_or(1, |(_, lanes)| lanes as usize)
}

/// Element type and number of lanes of a vector.
fn vector(build: &Builder<'_, '_>, ty: Type) -> Option<(Type, u32)> {
    match build.function.types().data(ty) {
        TypeData::Vector { element, lanes } => Some((element, lanes)),
        _ => None,
    }
}

fn vector_type(build: &mut Builder<'_, '_>, element: Type, lanes: u32) -> Result<Type, ReadError> {
    build.intern(TypeData::Vector { element, lanes })
}

/// How many bits the exponent and the fraction of a type of floats have, whose numbers below 2 have a leading one that
/// is not written; `None` for others.
fn float_format(ty: Type) -> Option<(u32, u32)> {
    match ty {
        Type::F16 => Some((5, 10)),
        Type::BF16 => Some((8, 7)),
        Type::F32 => Some((8, 23)),
        Type::F64 => Some((11, 52)),
        Type::F128 => Some((15, 112)),
        _ => None,
    }
}

/// The bits of the number one in such a format.
fn one_of((exponent_bits, fraction_bits): (u32, u32)) -> u128 {
    ((1 << (exponent_bits - 1)) - 1) << fraction_bits
}

/// A constant of a type of floats by its bits.
fn float_constant(build: &mut Builder<'_, '_>, ty: Type, bits: u128) -> Operand {
    let (low, high) = (bits as u64, (bits >> 64) as u64);
    Operand::constant(match ty {
        Type::F128 => build.function.push_float(ty, &[low, high]),
        _ => build.function.push_float(ty, &[low]),
    })
}

/// An immediate.
fn number(value: u32) -> Operand {
    Operand::imm(i64::from(value)).unwrap_or(Operand::ZERO)
}

/// A constant argument.
fn immediate(word: Word) -> Option<i64> {
    word.operand().as_imm()
}

/// Defines the next value of the file as an operand.
fn define(build: &mut Builder<'_, '_>, call: &Call<'_>, operand: Operand, ty: Type) -> Result<bool, ReadError> {
    build.define_as(Word::scalar(operand, ty, call.result))?;
    Ok(true)
}

/// Defines the next value of the file, a structure, as these operands.
fn define_parts(build: &mut Builder<'_, '_>, call: &Call<'_>, parts: &[Operand]) -> Result<bool, ReadError> {
    let first = build.state.parts.len() as u32;
    build.state.parts.extend_from_slice(parts);
    build.define_as(Word::aggregate(first, call.result))?;
    Ok(true)
}

fn poison(build: &mut Builder<'_, '_>, ty: Type) -> Operand {
    Operand::constant(build.function.push_plain_const(ConstKind::Poison, ty))
}

/// A vector of integers.
fn numbers(
    build: &mut Builder<'_, '_>,
    element: Type,
    lanes: impl Iterator<Item = i64>,
) -> Result<(Operand, Type), ReadError> {
    let lanes: Vec<Operand> = lanes
        .map(|lane| build.function.int_operand(element, i128::from(lane)))
        .collect();
    let ty = vector_type(build, element, lanes.len() as u32)?;
    Ok((Operand::constant(build.function.push_vector_const(ty, &lanes)), ty))
}

/// A vector with the same scalar in each lane.
fn splat(build: &mut Builder<'_, '_>, scalar: Operand, ty: Type, lanes: u32) -> Result<Operand, ReadError> {
    let vector = vector_type(build, ty, lanes)?;
    let any = poison(build, vector);
    let first = insert(build, vector, any, scalar, number(0));
    shuffle(build, vector, [first, any], (0..lanes).map(|_| Some(0)))
}

/// A lane.
fn extract(build: &mut Builder<'_, '_>, (ty, element): (Type, Type), vector: Operand, lane: u32) -> Operand {
    let data = InstData::new(Opcode::ExtractElement, ty, 0, vector, number(lane));
    Operand::value(build.function.push_inst_result(data, element))
}

/// A vector with another lane.
fn insert(build: &mut Builder<'_, '_>, ty: Type, vector: Operand, lane: Operand, index: Operand) -> Operand {
    let rest = Operand::raw(build.function.push_pool(&[lane, index]));
    build.emit(Opcode::InsertElement, ty, 0, vector, rest)
}

/// A vector of these lanes.
fn collect(build: &mut Builder<'_, '_>, ty: Type, lanes: &[Operand]) -> Operand {
    let any = poison(build, ty);
    (0..).zip(lanes).fold(any, |vector, (index, &lane)| {
        insert(build, ty, vector, lane, number(index))
    })
}

/// A shuffle of two vectors of this type.
fn shuffle(
    build: &mut Builder<'_, '_>,
    from: Type,
    [first, second]: [Operand; 2],
    indices: impl Iterator<Item = Option<u32>>,
) -> Result<Operand, ReadError> {
    let any = poison(build, Type::I32);
    let indices: Vec<Operand> = indices.map(|index| index.map_or(any, number)).collect();
    let lanes = indices.len() as u32;
    let element = build.function.types().scalar(from);
    let (ty, mask_type) = (
        vector_type(build, element, lanes)?,
        vector_type(build, Type::I32, lanes)?,
    );
    let mask = Operand::constant(build.function.push_vector_const(mask_type, &indices));
    let rest = Operand::raw(build.function.push_pool(&[second, mask]));
    Ok(build.emit(Opcode::Shuffle, ty, 0, first, rest))
}

/// A comparison.
fn compare(build: &mut Builder<'_, '_>, op: Opcode, ty: Type, a: Operand, b: Operand) -> Result<Operand, ReadError> {
    let truth = build.bool_like(ty)?;
    let data = InstData::new(op, ty, 0, a, b);
    Ok(Operand::value(build.function.push_inst_result(data, truth)))
}
