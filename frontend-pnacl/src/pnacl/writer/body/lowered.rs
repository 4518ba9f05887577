//! Operations that the ABI does not have, by others; and bits of integers and signs of floats, for which it has
//! intrinsics of some widths.

use super::{define, own, scalar_bits, second_result, type_of};
use crate::pnacl::writer::builder::{Builder, casts, no_form};
use crate::pnacl::writer::error::WriteError;
use crate::pnacl::writer::records::Ref;
use crate::pnacl::writer::types::Kind;
use frazil_ir::{InstData, Opcode, Refusal, Type};

/// Writes an operation by others.
pub fn write(builder: &mut Builder<'_>, data: &InstData) -> Result<(), WriteError> {
    use Opcode as O;
    let result = match data.op {
        O::Smin => chosen(builder, data, O::IcmpSlt)?,
        O::Smax => chosen(builder, data, O::IcmpSgt)?,
        O::Umin => chosen(builder, data, O::IcmpUlt)?,
        O::Umax => chosen(builder, data, O::IcmpUgt)?,
        O::Abs => absolute(builder, data)?,
        O::Scmp => three_way(builder, data, [O::IcmpSgt, O::IcmpSlt])?,
        O::Ucmp => three_way(builder, data, [O::IcmpUgt, O::IcmpUlt])?,
        O::Ctpop | O::Ctlz | O::Cttz | O::Bswap => bits(builder, data)?,
        O::Fshl | O::Fshr => funnel(builder, data)?,
        O::UmulHigh | O::SmulHigh => upper_half(builder, data)?,
        O::UaddOverflow | O::SaddOverflow | O::UsubOverflow | O::SsubOverflow => return sum(builder, data),
        O::UmulOverflow | O::SmulOverflow => return product(builder, data),
        O::UaddCarry | O::UsubBorrow => return sum_with_carry(builder, data),
        O::UaddSat | O::UsubSat => saturated(builder, data)?,
        O::Fneg | O::Fabs | O::Fsqrt | O::Fcopysign => float(builder, data)?,
        op => return Err(no_form(op)),
    };
    define(builder, data, result)
}

/// The operand that a comparison chooses.
fn chosen(builder: &mut Builder<'_>, data: &InstData, op: Opcode) -> Result<Ref, WriteError> {
    let kind = builder.kind(data.ty)?;
    let (left, right) = (own(builder, data, data.a)?, own(builder, data, data.b)?);
    let flag = builder.compare(op, kind, left, right)?;
    Ok(builder.select(flag, left, right))
}

fn absolute(builder: &mut Builder<'_>, data: &InstData) -> Result<Ref, WriteError> {
    let kind = builder.kind(data.ty)?;
    scalar_bits(kind, data.op)?;
    let operand = own(builder, data, data.a)?;
    let zero = builder.integer(kind, 0);
    let flag = builder.compare(Opcode::IcmpSlt, kind, operand, zero)?;
    let negated = match kind {
        Kind::I1 => operand,
        _ => builder.binary(Opcode::Sub, zero, operand)?,
    };
    Ok(builder.select(flag, negated, operand))
}

/// -1, 0 or 1, by two comparisons.
fn three_way(builder: &mut Builder<'_>, data: &InstData, ops: [Opcode; 2]) -> Result<Ref, WriteError> {
    let kind = builder.kind(data.ty)?;
    scalar_bits(kind, data.op)?;
    let operands = type_of(builder, data.a, data);
    let compared = builder.kind(operands)?;
    let (left, right) = (builder.operand(data.a, operands)?, builder.operand(data.b, operands)?);
    let [above, below] = ops;
    let above = builder.compare(above, compared, left, right)?;
    let below = builder.compare(below, compared, left, right)?;
    let [one, minus_one, zero] = [1, -1, 0].map(|value| builder.integer(kind, value));
    let rest = builder.select(below, minus_one, zero);
    Ok(builder.select(above, one, rest))
}

/// Bits that are counted, or bytes that are swapped.
fn bits(builder: &mut Builder<'_>, data: &InstData) -> Result<Ref, WriteError> {
    let kind = builder.kind(data.ty)?;
    let width = scalar_bits(kind, data.op)?;
    let mut operand = own(builder, data, data.a)?;
    if data.op == Opcode::Bswap {
        return builder.intrinsic_value(&format!("llvm.bswap.i{width}"), &[operand]);
    }
    // Narrow ones are counted in 32 bits.
    let wide = kind.passed();
    operand = builder.resize(operand, kind, wide);
    let counted = wide.bits().unwrap_or(width);
    let suffix = format!("i{counted}");
    let mut result = match data.op {
        Opcode::Ctpop => builder.intrinsic_value(&format!("llvm.ctpop.{suffix}"), &[operand])?,
        op => {
            if op == Opcode::Cttz && counted != width {
                // Zero has as many as there are bits.
                let end = builder.integer(wide, 1 << width);
                operand = builder.binary(Opcode::Or, operand, end)?;
            }
            let is_defined = builder.integer(Kind::I1, 0);
            let stem = if op == Opcode::Ctlz { "ctlz" } else { "cttz" };
            builder.intrinsic_value(&format!("llvm.{stem}.{suffix}"), &[operand, is_defined])?
        }
    };
    if data.op == Opcode::Ctlz && counted != width {
        let more = builder.integer(wide, i64::from(counted - width));
        result = builder.binary(Opcode::Sub, result, more)?;
    }
    Ok(builder.resize(result, wide, kind))
}

/// The upper half of two operands shifted left, or the lower half of them shifted right.
fn funnel(builder: &mut Builder<'_>, data: &InstData) -> Result<Ref, WriteError> {
    let kind = builder.kind(data.ty)?;
    let width = i64::from(scalar_bits(kind, data.op)?);
    if width == 1 {
        return Err(no_form(data.op));
    }
    let (lower, amount) = builder.function.ternary(data);
    let (upper, lower) = (own(builder, data, data.a)?, own(builder, data, lower)?);
    let amount = own(builder, data, amount)?;
    let mask = builder.integer(kind, width - 1);
    let amount = builder.binary(Opcode::And, amount, mask)?;
    // In the other direction by one less, and by one before, so that no amount is the width.
    let rest = builder.binary(Opcode::Xor, amount, mask)?;
    let one = builder.integer(kind, 1);
    let (first, second) = match data.op {
        Opcode::Fshl => {
            let half = builder.binary(Opcode::Lshr, lower, one)?;
            (
                builder.binary(Opcode::Shl, upper, amount)?,
                builder.binary(Opcode::Lshr, half, rest)?,
            )
        }
        _ => {
            let half = builder.binary(Opcode::Shl, upper, one)?;
            (
                builder.binary(Opcode::Lshr, lower, amount)?,
                builder.binary(Opcode::Shl, half, rest)?,
            )
        }
    };
    builder.binary(Opcode::Or, first, second)
}

/// The product of two integers of at most 32 bits in 64, and how they were extended.
fn wide_product(builder: &mut Builder<'_>, data: &InstData, is_signed: bool) -> Result<(Ref, Kind, u64), WriteError> {
    let kind = builder.kind(data.ty)?;
    if scalar_bits(kind, data.op)? > 32 {
        let message = format!("the instruction {} of integers of 64 bits", data.op.name());
        return Err(WriteError::new(Refusal::WideInteger, message));
    }
    let extension = if is_signed { casts::SEXT } else { casts::ZEXT };
    let (left, right) = (own(builder, data, data.a)?, own(builder, data, data.b)?);
    let [left, right] = [left, right].map(|operand| builder.cast(extension, operand, Kind::I64));
    Ok((builder.binary(Opcode::Mul, left, right)?, kind, extension))
}

fn upper_half(builder: &mut Builder<'_>, data: &InstData) -> Result<Ref, WriteError> {
    let (product, kind, _) = wide_product(builder, data, data.op == Opcode::SmulHigh)?;
    let bits = builder.integer(Kind::I64, scalar_bits(kind, data.op)?.into());
    let upper = builder.binary(Opcode::Lshr, product, bits)?;
    Ok(builder.cast(casts::TRUNC, upper, kind))
}

/// A product, and whether it is another one in 64 bits.
fn product(builder: &mut Builder<'_>, data: &InstData) -> Result<(), WriteError> {
    let (product, kind, extension) = wide_product(builder, data, data.op == Opcode::SmulOverflow)?;
    let result = builder.cast(casts::TRUNC, product, kind);
    define(builder, data, result)?;
    if let Some(flag) = second_result(builder, data) {
        let again = builder.cast(extension, result, Kind::I64);
        let differs = builder.compare(Opcode::IcmpNe, Kind::I64, product, again)?;
        builder.define(flag, differs)?;
    }
    Ok(())
}

/// A sum or difference of three, and whether one of its two steps wrapped.
fn sum_with_carry(builder: &mut Builder<'_>, data: &InstData) -> Result<(), WriteError> {
    let kind = builder.kind(data.ty)?;
    let (right, carry) = builder.function.ternary(data);
    let (left, right) = (own(builder, data, data.a)?, own(builder, data, right)?);
    let carry = builder.operand(carry, Type::I1)?;
    let carry = builder.cast(casts::ZEXT, carry, kind);
    let is_sum = data.op == Opcode::UaddCarry;
    let step = |builder: &mut Builder<'_>, before: Ref, operand: Ref| -> Result<(Ref, Ref), WriteError> {
        let after = builder.binary(if is_sum { Opcode::Add } else { Opcode::Sub }, before, operand)?;
        let less = if is_sum { after } else { before };
        Ok((after, builder.compare(Opcode::IcmpUlt, kind, less, operand)?))
    };
    let (partial, first) = step(builder, left, right)?;
    let (result, second) = step(builder, partial, carry)?;
    define(builder, data, result)?;
    match second_result(builder, data) {
        None => Ok(()),
        Some(flag) => {
            let wrapped = builder.binary(Opcode::Or, first, second)?;
            builder.define(flag, wrapped)
        }
    }
}

/// A sum or difference, and whether it wrapped.
fn sum(builder: &mut Builder<'_>, data: &InstData) -> Result<(), WriteError> {
    use Opcode as O;
    let kind = builder.kind(data.ty)?;
    if scalar_bits(kind, data.op)? == 1 {
        return Err(no_form(data.op));
    }
    let (left, right) = (own(builder, data, data.a)?, own(builder, data, data.b)?);
    let is_sum = matches!(data.op, O::UaddOverflow | O::SaddOverflow);
    let result = builder.binary(if is_sum { O::Add } else { O::Sub }, left, right)?;
    define(builder, data, result)?;
    let Some(flag) = second_result(builder, data) else {
        return Ok(());
    };
    let wrapped = match data.op {
        O::UaddOverflow => builder.compare(O::IcmpUlt, kind, result, left)?,
        O::UsubOverflow => builder.compare(O::IcmpUlt, kind, left, right)?,
        _ => {
            // The sign of the result is not that of the left operand, where it should have been.
            let other = if is_sum { result } else { right };
            let first = builder.binary(O::Xor, left, result)?;
            let second = match is_sum {
                true => builder.binary(O::Xor, right, other)?,
                false => builder.binary(O::Xor, left, other)?,
            };
            let both = builder.binary(O::And, first, second)?;
            let zero = builder.integer(kind, 0);
            builder.compare(O::IcmpSlt, kind, both, zero)?
        }
    };
    builder.define(flag, wrapped)
}

/// A sum or difference of integers without signs that stops at the end of the range.
fn saturated(builder: &mut Builder<'_>, data: &InstData) -> Result<Ref, WriteError> {
    use Opcode as O;
    let kind = builder.kind(data.ty)?;
    if scalar_bits(kind, data.op)? == 1 {
        return Err(no_form(data.op));
    }
    let (left, right) = (own(builder, data, data.a)?, own(builder, data, data.b)?);
    if data.op == O::UaddSat {
        let result = builder.binary(O::Add, left, right)?;
        let wrapped = builder.compare(O::IcmpUlt, kind, result, left)?;
        let most = builder.integer(kind, -1);
        return Ok(builder.select(wrapped, most, result));
    }
    let result = builder.binary(O::Sub, left, right)?;
    let wrapped = builder.compare(O::IcmpUlt, kind, left, right)?;
    let least = builder.integer(kind, 0);
    Ok(builder.select(wrapped, least, result))
}

/// Signs of floats, which are bits, and square roots.
fn float(builder: &mut Builder<'_>, data: &InstData) -> Result<Ref, WriteError> {
    let kind = builder.kind(data.ty)?;
    let operand = own(builder, data, data.a)?;
    let (suffix, integer, sign) = match kind {
        Kind::Float => ("f32", Kind::I32, i64::from(i32::MIN)),
        Kind::Double => ("f64", Kind::I64, i64::MIN),
        Kind::Vector { bits: 0, .. } if data.op == Opcode::Fabs => {
            return builder.intrinsic_value("llvm.fabs.v4f32", &[operand]);
        }
        _ => {
            let message = format!("the instruction {} of vectors", data.op.name());
            return Err(WriteError::new(Refusal::Vector, message));
        }
    };
    match data.op {
        Opcode::Fabs => return builder.intrinsic_value(&format!("llvm.fabs.{suffix}"), &[operand]),
        Opcode::Fsqrt => return builder.intrinsic_value(&format!("llvm.sqrt.{suffix}"), &[operand]),
        _ => {}
    }
    let bits = builder.cast(casts::BITCAST, operand, integer);
    let mask = builder.integer(integer, sign);
    let result = match data.op {
        Opcode::Fneg => builder.binary(Opcode::Xor, bits, mask)?,
        _ => {
            let other = own(builder, data, data.b)?;
            let other = builder.cast(casts::BITCAST, other, integer);
            let other = builder.binary(Opcode::And, other, mask)?;
            let rest = builder.integer(integer, !sign);
            let rest = builder.binary(Opcode::And, bits, rest)?;
            builder.binary(Opcode::Or, rest, other)?
        }
    };
    Ok(builder.cast(casts::BITCAST, result, kind))
}
