//! `llvm.vp.*` without accesses to memory: operations under a mask and for the first lanes only.
//!
//! Lanes that are left out are poison, so most operations are done on all lanes. Divisions divide by one there, and
//! reductions join what changes nothing.

use super::moves::{active, extreme, first_of};
use super::{
    Call, V, collect, compare, define, extract, float_constant, float_format, lanes, number, numbers, one_of, splat,
    vector,
};
use crate::builder::values::Builder;
use crate::builder::word::{NO_TYPE, Word};
use crate::error::ReadError;
use crate::llvm::body::arithmetic::{Domain, cast_number, cast_of};
use crate::llvm::body::calls::computes_type;
use crate::llvm::body::calls::library::is_converted;
use crate::llvm::body::calls::strict::said_by_call;
use crate::llvm::body::context::Body;
use frazil_ir::{Format, InstData, IntFlags, Opcode, Operand, Type};

pub(super) fn lower(
    body: &mut Body<'_, '_>,
    call: &Call<'_>,
    operation: V,
    result: Option<Type>,
) -> Result<bool, ReadError> {
    let Some(result) = result else { return Ok(false) };
    match (operation, call.arguments.as_slice()) {
        (V::PredicatedCast(op), &[value, _, _]) => {
            let number = cast_number(op).unwrap_or_default();
            cast_of(body, value, call.result, number, 0)?;
            return Ok(true);
        }
        (V::PredicatedNearest(_), &[value, _, _]) if is_converted(&body.build, value, result) => {
            let source = body.build.typed(value);
            let data = InstData::new(Opcode::Lrint, result, 0, source, Operand::NONE);
            body.build.define(data, result, call.result)?;
            return Ok(true);
        }
        (V::PredicatedLibrary(functions) | V::PredicatedNearest(functions), [operands @ .., _, _]) => {
            return lanes::library(body, call, operands, functions, Some(result));
        }
        (V::PredicatedCompare, &[a, b, _, _]) => {
            let said = said_by_call(body)?;
            let build = &mut body.build;
            let predicate = said.first().and_then(|said| match build.domain(a.ir_type()) {
                Domain::Float => said.of_floats(),
                _ => said.of_integers(),
            });
            let Some(op) = predicate.filter(|_| a.ir_type() == b.ir_type()) else {
                return Ok(false);
            };
            if build.bool_like(a.ir_type())? != result {
                return Ok(false);
            }
            let data = InstData::new(op, a.ir_type(), 0, a.operand(), b.operand());
            build.define(data, result, call.result)?;
            return Ok(true);
        }
        (V::PredicatedClass, &[value, classes, _, _]) if classes.operand().as_imm().is_some() => {
            let build = &mut body.build;
            if build.domain(value.ir_type()) != Domain::Float || build.bool_like(value.ir_type())? != result {
                return Ok(false);
            }
            let data = InstData::new(
                Opcode::IsFpclass,
                value.ir_type(),
                0,
                value.operand(),
                classes.operand(),
            );
            build.define(data, result, call.result)?;
            return Ok(true);
        }
        _ => {}
    }
    match operate(&mut body.build, call, operation, result)? {
        Some(made) => define(&mut body.build, call, made, result),
        None => Ok(false),
    }
}

/// The result of an operation; `None` for operands that it does not have.
fn operate(
    build: &mut Builder<'_, '_>,
    call: &Call<'_>,
    operation: V,
    result: Type,
) -> Result<Option<Operand>, ReadError> {
    let of_result = vector(build, result);
    Ok(Some(match (operation, call.arguments.as_slice(), of_result) {
        (V::Predicated(op), [operands @ .., _, _], _) if operands.iter().all(|word| word.ir_type() == result) => {
            let scalar = build.function.types().data(build.function.types().scalar(result));
            if !computes_type(op, scalar) {
                return Ok(None);
            }
            return Ok(plain(build, op, call.fast_math, operands, result));
        }
        (V::PredicatedSpecial(op), &[value, flag, _, _], _)
            if value.ir_type() == result && build.domain(result) == Domain::Integer =>
        {
            let flags = match flag.operand().as_imm() {
                Some(0) => 0,
                _ => IntFlags::POISON_SPECIAL.bits(),
            };
            build.emit(op, result, flags, value.operand(), Operand::NONE)
        }
        (V::PredicatedDivision(op), &[a, b, mask, length], Some((element, lanes)))
            if a.ir_type() == result && b.ir_type() == result =>
        {
            let is_active = active(build, mask, length, lanes)?;
            let (one, _) = numbers(build, element, (0..lanes).map(|_| 1))?;
            let divisor = build.choose(result, is_active, b.operand(), one);
            build.emit(op, result, 0, a.operand(), divisor)
        }
        (V::PredicatedReduction(..) | V::PredicatedExtreme(_), arguments, None) => {
            return reduce(build, call, operation, arguments, result);
        }
        (V::PredicatedSelect, &[mask, a, b, _], _) if a.ir_type() == result && b.ir_type() == result => {
            build.choose(result, mask.operand(), a.operand(), b.operand())
        }
        (V::Merge, &[mask, a, b, length], Some((_, lanes))) if a.ir_type() == result && b.ir_type() == result => {
            let is_active = active(build, mask, length, lanes)?;
            build.choose(result, is_active, a.operand(), b.operand())
        }
        (V::PredicatedSplat, &[scalar, _, _], Some((element, lanes))) if scalar.ir_type() == element => {
            let scalar = build.typed(scalar);
            splat(build, scalar, element, lanes)?
        }
        (V::PredicatedFirstActive, &[value, _, mask, length], None) => {
            let Some((element, lanes)) = vector(build, value.ir_type()) else {
                return Ok(None);
            };
            let is_active = active(build, mask, length, lanes)?;
            let value = (value.operand(), value.ir_type(), element);
            first_of(build, value, lanes, Some((is_active, length)), result)?
        }
        (V::PredicatedReverse, &[value, _, length], Some((element, lanes))) if value.ir_type() == result => {
            let (length, index) = (build.typed(length), length.ir_type());
            let mut made = Vec::new();
            for lane in 0..lanes {
                let place = build.emit(Opcode::Sub, index, 0, length, number(lane + 1));
                made.push(lane_at(build, (value, element), (place, index), lanes));
            }
            collect(build, result, &made)
        }
        (V::PredicatedSplice, &[a, b, place, _, of_a, _], Some((element, lanes)))
            if a.ir_type() == result && b.ir_type() == result =>
        {
            let Some(place) = place.operand().as_imm() else {
                return Ok(None);
            };
            let (length, index) = (build.typed(of_a), of_a.ir_type());
            let mut made = Vec::new();
            for lane in 0..i64::from(lanes) {
                let start = match place < 0 {
                    true => length,
                    false => build.typed(Word::scalar(Operand::ZERO, index, NO_TYPE)),
                };
                let step = build.function.int_operand(index, i128::from(place + lane));
                let at = build.emit(Opcode::Add, index, 0, start, step);
                let after = build.emit(Opcode::Sub, index, 0, at, length);
                let is_first = compare(build, Opcode::IcmpUlt, index, at, length)?;
                let first = lane_at(build, (a, element), (at, index), lanes);
                let second = lane_at(build, (b, element), (after, index), lanes);
                made.push(build.choose(element, is_first, first, second));
            }
            collect(build, result, &made)
        }
        _ => return Ok(None),
    }))
}

/// The lane with a computed number, and any lane if there is none with it.
fn lane_at(
    build: &mut Builder<'_, '_>,
    (of, element): (Word, Type),
    (place, index): (Operand, Type),
    lanes: u32,
) -> Operand {
    let last = build.function.int_operand(index, i128::from(lanes - 1));
    let place = build.emit(Opcode::Umin, index, 0, place, last);
    let data = InstData::new(Opcode::ExtractElement, of.ir_type(), 0, of.operand(), place);
    Operand::value(build.function.push_inst_result(data, element))
}

/// A reduction of the active lanes to a start value.
fn reduce(
    build: &mut Builder<'_, '_>,
    call: &Call<'_>,
    operation: V,
    arguments: &[Word],
    result: Type,
) -> Result<Option<Operand>, ReadError> {
    let &[start, value, mask, length] = arguments else {
        return Ok(None);
    };
    let join = match operation {
        V::PredicatedReduction(_, join) | V::PredicatedExtreme(join) => join,
        _ => return Ok(None),
    };
    let Some((element, lanes)) = vector(build, value.ir_type()).filter(|of| of.0 == result) else {
        return Ok(None);
    };
    let nothing = match build.function.types().int_bits(element) {
        Some(bits) => build.function.int_operand(element, nothing(join, bits)),
        None => match nothing_of_floats(join, element) {
            Some(bits) => float_constant(build, element, bits),
            None => return Ok(None),
        },
    };
    if start.ir_type() != result {
        return Ok(None);
    }
    let is_active = active(build, mask, length, lanes)?;
    let nothing = vec![nothing; lanes as usize];
    let nothing = Operand::constant(build.function.push_vector_const(value.ir_type(), &nothing));
    let chosen = build.choose(value.ir_type(), is_active, value.operand(), nothing);
    let start = start.operand();
    let reduced = match operation {
        V::PredicatedExtreme(op) => extreme(build, (op, call.fast_math), chosen, element, lanes)?,
        _ if lanes == 1 => extract(build, (value.ir_type(), element), chosen, 0),
        // Lanes are added to the start one after the other.
        V::PredicatedReduction(op @ (Opcode::ReduceFadd | Opcode::ReduceFmul), _) => {
            return Ok(Some(build.emit(op, element, call.fast_math, start, chosen)));
        }
        V::PredicatedReduction(op, _) => build.emit(op, element, call.fast_math, chosen, Operand::NONE),
        _ => return Ok(None),
    };
    Ok(Some(build.emit(join, element, call.fast_math, start, reduced)))
}

/// An operation on all lanes.
fn plain(build: &mut Builder<'_, '_>, op: Opcode, flags: u16, operands: &[Word], ty: Type) -> Option<Operand> {
    Some(match (op.format(), operands) {
        (Format::Unary, [a]) => build.emit(op, ty, flags, a.operand(), Operand::NONE),
        (Format::Binary, [a, b]) => build.emit(op, ty, flags, a.operand(), b.operand()),
        (Format::Ternary, [a, b, c]) => {
            let rest = Operand::raw(build.function.push_pool(&[b.operand(), c.operand()]));
            Operand::value(
                build
                    .function
                    .push_inst_result(InstData::new(op, ty, flags, a.operand(), rest), ty),
            )
        }
        _ => return None,
    })
}

/// What an operation joins to any number without changing it.
fn nothing(op: Opcode, bits: u32) -> i128 {
    let bits = bits.clamp(1, 128);
    match op {
        Opcode::Mul => 1,
        Opcode::And | Opcode::Umin => -1,
        Opcode::Smin => i128::MAX >> (128 - bits),
        Opcode::Smax => i128::MIN >> (128 - bits),
        _ => 0,
    }
}

/// The same for floats, in bits; `None` for types without.
fn nothing_of_floats(op: Opcode, ty: Type) -> Option<u128> {
    let (exponent_bits, fraction_bits) = float_format(ty)?;
    let sign = 1 << (exponent_bits + fraction_bits);
    let infinity = ((1_u128 << exponent_bits) - 1) << fraction_bits;
    Some(match op {
        Opcode::Fadd => sign,
        Opcode::Fmul => one_of((exponent_bits, fraction_bits)),
        // Either gives way to what is a number.
        Opcode::Fminnum | Opcode::Fmaxnum => infinity | 1 << (fraction_bits - 1),
        Opcode::Fminimum => infinity,
        Opcode::Fmaximum => infinity | sign,
        _ => return None,
    })
}
