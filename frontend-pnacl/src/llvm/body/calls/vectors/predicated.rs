//! `llvm.vp.*` without accesses to memory: operations under a mask and for the first lanes only.
//!
//! Lanes that are left out are poison, so most operations are done on all lanes. Divisions divide by one there, and
//! reductions join what changes nothing.

use super::moves::below;
use super::{Call, V, define, extract, number, numbers, vector};
use crate::builder::values::Builder;
use crate::builder::word::Word;
use crate::error::ReadError;
use crate::llvm::body::context::Body;
use frazil_ir::{Format, InstData, Opcode, Operand, Type};

pub(super) fn lower(
    body: &mut Body<'_, '_>,
    call: &Call<'_>,
    operation: V,
    result: Option<Type>,
) -> Result<bool, ReadError> {
    let build = &mut body.build;
    let Some(result) = result else { return Ok(false) };
    let made = match (operation, call.arguments.as_slice()) {
        (V::Predicated(op), [operands @ .., _, _]) if operands.iter().all(|word| word.ir_type() == result) => {
            match plain(build, op, call.fast_math, operands, result) {
                Some(made) => made,
                None => return Ok(false),
            }
        }
        (V::PredicatedDivision(op), &[a, b, mask, length]) if a.ir_type() == result && b.ir_type() == result => {
            let Some((element, lanes)) = vector(build, result) else {
                return Ok(false);
            };
            let is_active = active(build, mask, length, lanes)?;
            let (one, _) = numbers(build, element, (0..lanes).map(|_| 1))?;
            let divisor = build.choose(result, is_active, b.operand(), one);
            build.emit(op, result, 0, a.operand(), divisor)
        }
        (V::PredicatedReduction(op, join), &[start, value, mask, length]) if start.ir_type() == result => {
            let Some((element, lanes)) = vector(build, value.ir_type()).filter(|of| of.0 == result) else {
                return Ok(false);
            };
            let is_active = active(build, mask, length, lanes)?;
            let bits = build.function.types().int_bits(element).unwrap_or(64);
            let nothing = build.function.int_operand(element, nothing(join, bits));
            let nothing = vec![nothing; lanes as usize];
            let nothing = Operand::constant(build.function.push_vector_const(value.ir_type(), &nothing));
            let chosen = build.choose(value.ir_type(), is_active, value.operand(), nothing);
            let reduced = match lanes {
                1 => extract(build, (value.ir_type(), element), chosen, 0),
                _ => build.emit(op, element, 0, chosen, Operand::NONE),
            };
            build.emit(join, element, 0, start.operand(), reduced)
        }
        (V::PredicatedSelect, &[mask, a, b, _]) if a.ir_type() == result && b.ir_type() == result => {
            build.choose(result, mask.operand(), a.operand(), b.operand())
        }
        (V::Merge, &[mask, a, b, length]) if a.ir_type() == result && b.ir_type() == result => {
            let Some((_, lanes)) = vector(build, result) else {
                return Ok(false);
            };
            let is_active = active(build, mask, length, lanes)?;
            build.choose(result, is_active, a.operand(), b.operand())
        }
        _ => return Ok(false),
    };
    define(build, call, made, result)
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

/// The lanes that a mask and a number of lanes choose.
pub(super) fn active(build: &mut Builder<'_, '_>, mask: Word, length: Word, lanes: u32) -> Result<Operand, ReadError> {
    if length.operand() == number(lanes) {
        return Ok(mask.operand());
    }
    let inside = below(build, length.operand(), length.ir_type(), lanes)?;
    Ok(build.emit(Opcode::And, mask.ir_type(), 0, inside, mask.operand()))
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
