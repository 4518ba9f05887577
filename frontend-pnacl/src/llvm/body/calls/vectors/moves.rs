//! Intrinsics that move lanes, by shuffles, and those that compare lanes with their numbers.

use super::{
    Call, V, compare, define, define_parts, extract, immediate, number, numbers, poison, shuffle, splat, vector,
    vector_type,
};
use crate::builder::values::Builder;
use crate::builder::word::{NO_TYPE, Word};
use crate::error::ReadError;
use crate::llvm::body::context::Body;
use frazil_ir::{ConstKind, Opcode, Operand, Type, TypeData};

pub(super) fn lower(
    body: &mut Body<'_, '_>,
    call: &Call<'_>,
    operation: V,
    result: Option<Type>,
) -> Result<bool, ReadError> {
    let build = &mut body.build;
    let of_first = call.arguments.first().and_then(|word| vector(build, word.ir_type()));
    let Some(result) = result else {
        return match (operation, call.arguments.as_slice(), of_first) {
            (V::Deinterleave(factor), &[value], Some((_, lanes))) if lanes.is_multiple_of(factor) => {
                let operands = [value.operand(), poison(build, value.ir_type())];
                let mut parts = Vec::new();
                for first in 0..factor {
                    let indices = (0..lanes / factor).map(|lane| Some(first + lane * factor));
                    parts.push(shuffle(build, value.ir_type(), operands, indices)?);
                }
                define_parts(build, call, &parts)
            }
            _ => Ok(false),
        };
    };
    let Some(made) = operate(build, call, operation, result)? else {
        return Ok(false);
    };
    define(build, call, made, result)
}

/// The result of an operation; `None` for operands that it does not have.
fn operate(
    build: &mut Builder<'_, '_>,
    call: &Call<'_>,
    operation: V,
    result: Type,
) -> Result<Option<Operand>, ReadError> {
    let arguments = call.arguments.as_slice();
    let of_result = vector(build, result);
    let of_first = arguments.first().and_then(|word| vector(build, word.ir_type()));
    Ok(Some(match (operation, arguments, of_first, of_result) {
        (V::Steps, [], _, Some((element, lanes))) => numbers(build, element, (0..lanes).map(i64::from))?.0,
        (V::Reverse, &[value], Some((_, lanes)), _) if value.ir_type() == result => {
            let operands = [value.operand(), poison(build, result)];
            shuffle(build, result, operands, (0..lanes).rev().map(Some))?
        }
        (V::Splice | V::SpliceLeft | V::SpliceRight, &[first, second, place], Some((_, lanes)), _)
            if first.ir_type() == result && second.ir_type() == result =>
        {
            let Some(place) = immediate(place) else { return Ok(None) };
            let start = match operation {
                V::SpliceRight => i64::from(lanes) - place,
                V::Splice if place < 0 => i64::from(lanes) + place,
                _ => place,
            };
            let Some(start) = u32::try_from(start).ok().filter(|&start| start <= lanes) else {
                return Ok(None);
            };
            let operands = [first.operand(), second.operand()];
            shuffle(build, result, operands, (start..start + lanes).map(Some))?
        }
        (V::Extract, &[value, place], Some((_, from_lanes)), Some((_, lanes))) => {
            let Some(start) = place_of(immediate(place), lanes, from_lanes) else {
                return Ok(None);
            };
            let operands = [value.operand(), poison(build, value.ir_type())];
            shuffle(build, value.ir_type(), operands, (start..start + lanes).map(Some))?
        }
        (V::Insert, &[value, part, place], Some((_, lanes)), _) if value.ir_type() == result => {
            let own = vector(build, part.ir_type()).map_or(0, |(_, own)| own);
            let Some(start) = place_of(immediate(place), own, lanes) else {
                return Ok(None);
            };
            let operands = [part.operand(), poison(build, part.ir_type())];
            let inside = |lane: u32| lane.checked_sub(start).filter(|&lane| lane < own);
            let wide = shuffle(build, part.ir_type(), operands, (0..lanes).map(inside))?;
            let pick = |lane: u32| Some(inside(lane).map_or(lane, |_| lanes + lane));
            shuffle(build, result, [value.operand(), wide], (0..lanes).map(pick))?
        }
        (V::Interleave(factor), values, Some((_, lanes)), Some((_, all)))
            if values.len() == factor as usize && lanes * factor == all =>
        {
            interleave(build, call, (factor, lanes), result)?
        }
        (V::Active, &[base, end], None, Some((_, lanes))) => {
            let index = base.ir_type();
            let distance = build.emit(Opcode::UsubSat, index, 0, end.operand(), base.operand());
            below(build, distance, index, lanes)?
        }
        (V::FirstActive, &[value, _], Some((element, lanes)), None) => {
            let value = (value.operand(), value.ir_type(), element);
            first_of(build, value, lanes, None, result)?
        }
        (V::PartialSum, &[start, value], Some((_, lanes)), _) if start.ir_type() == result => {
            let from = value.ir_type();
            let all = vector(build, from).map_or(0, |(_, all)| all);
            let mut sum = start.operand();
            for first in (0..all).step_by(lanes.max(1) as usize) {
                let operands = [value.operand(), poison(build, from)];
                let indices = (first..first + lanes).map(|index| (index < all).then_some(index));
                let part = shuffle(build, from, operands, indices)?;
                sum = build.emit(Opcode::Add, result, 0, sum, part);
            }
            sum
        }
        (V::Extreme(op), &[value], Some((element, lanes)), None) if element == result => {
            extreme(build, (op, call.fast_math), value.operand(), element, lanes)?
        }
        _ => return Ok(None),
    }))
}

/// Where some lanes begin in a vector of so many, if they are in it.
fn place_of(place: Option<i64>, lanes: u32, all: u32) -> Option<u32> {
    let start = u32::try_from(place?).ok()?;
    (lanes > 0 && start.checked_add(lanes)? <= all).then_some(start)
}

fn interleave(
    build: &mut Builder<'_, '_>,
    call: &Call<'_>,
    (factor, lanes): (u32, u32),
    result: Type,
) -> Result<Operand, ReadError> {
    let all = lanes * factor;
    let from = call.arguments.first().map_or(result, |word| word.ir_type());
    if let [first, second] = call.arguments.as_slice() {
        let operands = [first.operand(), second.operand()];
        let indices = (0..all).map(|lane| Some(lane / 2 + lane % 2 * lanes));
        return shuffle(build, from, operands, indices);
    }
    let mut joined = poison(build, result);
    for (number, word) in (0..).zip(&call.arguments) {
        let operands = [word.operand(), poison(build, from)];
        let spread = (0..all).map(|lane| (lane % factor == number).then_some(lane / factor));
        let wide = shuffle(build, from, operands, spread)?;
        let pick = |lane: u32| match (lane % factor).cmp(&number) {
            std::cmp::Ordering::Less => Some(lane),
            std::cmp::Ordering::Equal => Some(all + lane),
            std::cmp::Ordering::Greater => None,
        };
        joined = shuffle(build, result, [joined, wide], (0..all).map(pick))?;
    }
    Ok(joined)
}

/// The lanes whose numbers are below an integer.
pub(super) fn below(build: &mut Builder<'_, '_>, limit: Operand, ty: Type, lanes: u32) -> Result<Operand, ReadError> {
    // Narrow integers could not hold the numbers.
    let (limit, ty) = match build.function.types().data(ty) {
        TypeData::Int(..32) => {
            let source = build.typed(Word::scalar(limit, ty, NO_TYPE));
            (build.emit(Opcode::Zext, Type::I32, 0, source, Operand::NONE), Type::I32)
        }
        _ => (limit, ty),
    };
    let (steps, of_steps) = numbers(build, ty, (0..lanes).map(i64::from))?;
    let limits = splat(build, limit, ty, lanes)?;
    compare(build, Opcode::IcmpUlt, of_steps, steps, limits)
}

/// The lanes that a mask and a number of lanes choose.
pub(super) fn active(build: &mut Builder<'_, '_>, mask: Word, length: Word, lanes: u32) -> Result<Operand, ReadError> {
    if length.operand() == number(lanes) {
        return Ok(mask.operand());
    }
    let inside = below(build, length.operand(), length.ir_type(), lanes)?;
    Ok(build.emit(Opcode::And, mask.ir_type(), 0, inside, mask.operand()))
}

/// The number of the first lane that is not zero; of lanes that a mask chooses, and a length if there is none, or the
/// number of all lanes.
pub(super) fn first_of(
    build: &mut Builder<'_, '_>,
    (value, ty, element): (Operand, Type, Type),
    lanes: u32,
    chosen: Option<(Operand, Word)>,
    result: Type,
) -> Result<Operand, ReadError> {
    let is_set = if element == Type::I1 {
        value
    } else {
        let zero = Operand::constant(build.function.push_plain_const(ConstKind::Zero, ty));
        compare(build, Opcode::IcmpNe, ty, value, zero)?
    };
    let (steps, of_steps) = numbers(build, Type::I32, (0..lanes).map(i64::from))?;
    let (is_wanted, none) = match chosen {
        None => (
            is_set,
            numbers(build, Type::I32, (0..lanes).map(|_| i64::from(lanes)))?.0,
        ),
        Some((mask, length)) if length.ir_type() == Type::I32 => {
            let masks = build.bool_like(ty)?;
            let length = build.typed(length);
            let is_wanted = build.emit(Opcode::And, masks, 0, mask, is_set);
            (is_wanted, splat(build, length, Type::I32, lanes)?)
        }
        Some(_) => return Err(build.malformed("a length of a vector that is no i32")),
    };
    let chosen = build.choose(of_steps, is_wanted, steps, none);
    let first = if lanes == 1 {
        extract(build, (of_steps, Type::I32), chosen, 0)
    } else {
        build.emit(Opcode::ReduceUmin, Type::I32, 0, chosen, Operand::NONE)
    };
    Ok(match build.function.types().int_bits(result) {
        Some(0..=31) => build.emit(Opcode::Trunc, result, 0, first, Operand::NONE),
        Some(33..) => build.emit(Opcode::Zext, result, 0, first, Operand::NONE),
        _ => first,
    })
}

/// The extreme of all lanes, one after the other: targets call a function for each pair.
pub(super) fn extreme(
    build: &mut Builder<'_, '_>,
    (op, flags): (Opcode, u16),
    value: Operand,
    element: Type,
    lanes: u32,
) -> Result<Operand, ReadError> {
    let ty = vector_type(build, element, lanes)?;
    let mut all = extract(build, (ty, element), value, 0);
    for lane in 1..lanes {
        let other = extract(build, (ty, element), value, lane);
        all = build.emit(op, element, flags, all, other);
    }
    Ok(all)
}
