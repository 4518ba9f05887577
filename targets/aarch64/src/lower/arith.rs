//! Integer arithmetic of one register: add, subtract, multiply, logic, absolute value, address arithmetic.

use super::operand::{self, Absorbed, Field};
use super::{checked_bits, compare, extended, folded, int_bits, low_bits, result, size_of_bits, sum, use_int, wide};
use crate::build::*;
use crate::cond::Cond;
use crate::immediates;
use crate::regs::XZR;
use crate::table::Op;
use frazil_codegen::{CodegenError, LowerCtx, Mem, RegClass};
use frazil_ir::{InstData, Opcode, Operand};

/// Lowers add, sub, and, or, xor, mul.
pub fn binary<C: LowerCtx>(cx: &mut C, data: &InstData) -> Result<(), CodegenError> {
    let bits = checked_bits(cx, data, data.ty)?;
    if compare::joins_comparisons(cx, data) {
        return compare::compare_to_value(cx, data);
    }
    if bits > 64 {
        wide::binary(cx, data);
        return Ok(());
    }
    let size = size_of_bits(bits);
    if by_absorbed(cx, data, bits)? {
        return Ok(());
    }
    let (mut a, mut b) = (data.a, data.b);
    if data.op != Opcode::Sub && cx.func().int_constant(a).is_some() {
        std::mem::swap(&mut a, &mut b);
    }
    if let Some(value) = cx.func().int_constant(b)
        && by_constant(cx, data, size, (a, value))
    {
        return Ok(());
    }
    let left = use_int(cx, a, 0);
    let right = use_int(cx, b, 0);
    let dst = cx.def(result(data), 0);
    cx.emit(rrr(row(data.op), size, dst, left, right));
    Ok(())
}

/// An operation that absorbs what one of its operands computes, or both.
fn by_absorbed<C: LowerCtx>(cx: &mut C, data: &InstData, bits: u32) -> Result<bool, CodegenError> {
    for (operand, other) in [(data.b, data.a), (data.a, data.b)] {
        let Some(inner) = folded(cx, operand) else { continue };
        if data.op == Opcode::Mul {
            long_product(cx, data, &inner);
        } else if inner.op == Opcode::Trunc {
            let absorbed = operand::narrowed_shift(cx.func(), &inner, bits);
            let absorbed = absorbed.expect("the operand was folded for this");
            with_absorbed(cx, data, size_of_bits(bits), (other, absorbed));
        } else if let Some(compare) = folded(cx, inner.a) {
            count(cx, data, other, &compare)?;
        } else if let Some(field) = operand::field(data, &inner, bits) {
            bits_of(cx, data, bits, field);
        } else {
            let absorbed = match data.op {
                Opcode::Add | Opcode::Sub => operand::absorbed_by_sum(cx.func(), &inner, bits),
                _ => operand::absorbed_by_logic(cx.func(), &inner, bits),
            };
            let absorbed = absorbed.expect("the operand was folded for this");
            with_absorbed(cx, data, size_of_bits(bits), (other, absorbed));
        }
        return Ok(true);
    }
    Ok(false)
}

/// A product of two extended numbers.
fn long_product<C: LowerCtx>(cx: &mut C, data: &InstData, inner: &InstData) {
    let factor = |cx: &C, operand| folded(cx, operand).map_or(operand, |extension| extension.a);
    let (left, right) = (factor(cx, data.a), factor(cx, data.b));
    let row = if inner.op == Opcode::Sext { Op::Smull } else { Op::Umull };
    let left = cx.use_reg(left, 0);
    let right = cx.use_reg(right, 0);
    let dst = cx.def(result(data), 0);
    cx.emit(rrr(row, 8, dst, left, right));
}

/// One more where a comparison holds.
fn count<C: LowerCtx>(cx: &mut C, data: &InstData, sum: Operand, holds: &InstData) -> Result<(), CodegenError> {
    let size = size_of_bits(int_bits(cx, data.ty));
    let sum = cx.use_reg(sum, 0);
    let test = compare::compare(cx, holds)?;
    let dst = cx.def(result(data), 0);
    cx.emit(conditional(Op::Csinc, size, [dst, sum, sum], test.first.inverse()));
    Ok(())
}

/// A field of bits.
pub(super) fn bits_of<C: LowerCtx>(cx: &mut C, data: &InstData, bits: u32, field: Field) {
    let src = cx.use_reg(field.source, 0);
    let dst = cx.def(result(data), 0);
    let row = if field.signed { Op::Sbfm } else { Op::Ubfm };
    cx.emit(bitfield(row, size_of_bits(bits), dst, src, field.rotation, field.last));
}

/// A sum, difference or bitwise operation of `other` and what was absorbed.
fn with_absorbed<C: LowerCtx>(cx: &mut C, data: &InstData, size: u8, (other, absorbed): (Operand, Absorbed)) {
    let is_sum = data.op == Opcode::Add;
    match absorbed {
        Absorbed::Shifted(value, imm) => {
            let left = use_int(cx, other, 0);
            let right = cx.use_reg(value, 0);
            let dst = cx.def(result(data), 0);
            cx.emit(rrr(row(data.op), size, dst, left, right).with_imm(imm.cast_signed()));
        }
        Absorbed::Extended(value, imm) => {
            // Where an operand is extended, number 31 is the stack pointer.
            let left = cx.use_reg(other, 0);
            let right = cx.use_reg(value, 0);
            let dst = cx.def(result(data), 0);
            let row = if is_sum { Op::AddExt } else { Op::SubExt };
            cx.emit(rrr(row, size, dst, left, right).with_imm(imm.cast_signed()));
        }
        Absorbed::Product(a, b) => {
            let left = use_int(cx, a, 0);
            let right = use_int(cx, b, 0);
            if other.as_imm() == Some(0) && !is_sum {
                let dst = cx.def(result(data), 0);
                cx.emit(rrr(Op::Mneg, size, dst, left, right));
                return;
            }
            let sum = cx.use_last(other, 0);
            let dst = cx.def_reuse(result(data), 0, sum);
            let row = if is_sum { Op::Madd } else { Op::Msub };
            cx.emit(rrr(row, size, dst, left, right));
        }
        Absorbed::Not(value) => {
            let left = use_int(cx, other, 0);
            let right = cx.use_reg(value, 0);
            let dst = cx.def(result(data), 0);
            let row = match data.op {
                Opcode::And => Op::Bic,
                Opcode::Or => Op::Orn,
                _ => Op::Eon,
            };
            cx.emit(rrr(row, size, dst, left, right));
        }
        Absorbed::Next(_) | Absorbed::Negated(_) => unreachable!("only a select absorbs it"),
    }
}

/// The instruction on registers.
fn row(op: Opcode) -> Op {
    match op {
        Opcode::Add => Op::Add,
        Opcode::Sub => Op::Sub,
        Opcode::And => Op::And,
        Opcode::Or => Op::Orr,
        Opcode::Xor => Op::Eor,
        _ => Op::Mul,
    }
}

/// An operation with a constant that one instruction has room for.
fn by_constant<C: LowerCtx>(cx: &mut C, data: &InstData, size: u8, (a, value): (Operand, i64)) -> bool {
    let inst = match data.op {
        Opcode::Add => sum(value, size),
        Opcode::Sub => sum(value.wrapping_neg(), size),
        Opcode::Mul => return multiply_by_constant(cx, data, size, (a, value)),
        _ => return logic_by_constant(cx, data, size, (a, value)),
    };
    let Some((op, imm)) = inst else { return false };
    let src = cx.use_reg(a, 0);
    let dst = cx.def(result(data), 0);
    cx.emit(rri(op, size, dst, src, imm));
    true
}

fn logic_by_constant<C: LowerCtx>(cx: &mut C, data: &InstData, size: u8, (a, value): (Operand, i64)) -> bool {
    let mask = low_bits(value.cast_unsigned(), u32::from(size) * 8);
    let is_one_bit = data.op == Opcode::Xor && int_bits(cx, data.ty) == 1;
    if data.op == Opcode::Xor && !is_one_bit && mask == low_bits(u64::MAX, u32::from(size) * 8) {
        let src = cx.use_reg(a, 0);
        let dst = cx.def(result(data), 0);
        cx.emit(rrr(Op::Orn, size, dst, XZR, src));
        return true;
    }
    // Of one bit, nothing else is turned.
    let mask = if is_one_bit { mask & 1 } else { mask };
    if immediates::logical(mask, size).is_none() {
        return false;
    }
    let op = match data.op {
        Opcode::And => Op::AndI,
        Opcode::Or => Op::OrrI,
        _ => Op::EorI,
    };
    let src = cx.use_reg(a, 0);
    let dst = cx.def(result(data), 0);
    cx.emit(logical(op, size, dst, src, mask));
    true
}

/// Products by a power of two with either sign, or by one more or less than that.
fn multiply_by_constant<C: LowerCtx>(cx: &mut C, data: &InstData, size: u8, (a, value): (Operand, i64)) -> bool {
    let factor = low_bits(value.cast_unsigned(), u32::from(size) * 8);
    let amount = |power: u64| power.is_power_of_two().then(|| power.trailing_zeros());
    let (above, below) = (amount(factor.wrapping_sub(1)), amount(factor.wrapping_add(1)));
    let negative = amount(low_bits(factor.wrapping_neg(), u32::from(size) * 8));
    if let Some(amount) = negative {
        let src = cx.use_reg(a, 0);
        let dst = cx.def(result(data), 0);
        cx.emit(shifted(Op::Sub, size, (dst, XZR, src), Shift::Lsl, amount));
    } else if let Some(amount) = amount(factor) {
        let src = cx.use_reg(a, 0);
        let dst = cx.def(result(data), 0);
        cx.emit(shl(size, dst, src, amount));
    } else if let Some(amount) = above {
        let src = cx.use_reg(a, 0);
        let dst = cx.def(result(data), 0);
        cx.emit(shifted(Op::Add, size, (dst, src, src), Shift::Lsl, amount));
    } else if let Some(amount) = below.filter(|&amount| amount < u32::from(size) * 8) {
        let src = cx.use_reg(a, 0);
        let scaled = cx.temp(RegClass::Int);
        let dst = cx.def(result(data), 0);
        cx.emit(shl(size, scaled, src, amount));
        cx.emit(rrr(Op::Sub, size, dst, scaled, src));
    } else {
        return false;
    }
    true
}

/// Lowers `abs`: the negation where the value is negative.
pub fn abs<C: LowerCtx>(cx: &mut C, data: &InstData) -> Result<(), CodegenError> {
    let bits = checked_bits(cx, data, data.ty)?;
    if bits > 64 {
        wide::abs(cx, data, bits);
        return Ok(());
    }
    let size = size_of_bits(bits);
    let value = extended(cx, data.a, bits, true, size);
    let dst = cx.def(result(data), 0);
    cx.emit(rr(Op::Cmp, size, value, XZR));
    cx.emit(conditional(Op::Csneg, size, [dst, value, value], Cond::Pl));
    Ok(())
}

/// Lowers address arithmetic that no memory operand absorbs.
pub fn pointer<C: LowerCtx>(cx: &mut C, data: &InstData) {
    if let Some(extension) = folded(cx, data.b) {
        let base = cx.use_reg(data.a, 0);
        let index = cx.use_reg(extension.a, 0);
        let dst = cx.def(result(data), 0);
        let scale = if data.op == Opcode::PtrIndex { data.flags } else { 1 };
        cx.emit(extended_sum(dst, base, (index, extension.op == Opcode::Sext), scale));
        return;
    }
    if data.op == Opcode::PtrAdd {
        if let Some(distance) = cx.func().int_constant(data.b)
            && let Ok(distance) = i32::try_from(distance)
        {
            let base = cx.use_reg(data.a, 0);
            let dst = cx.def(result(data), 0);
            match sum(distance.into(), 8) {
                Some((op, imm)) => cx.emit(rri(op, 8, dst, base, imm)),
                None => cx.emit(address(dst, Mem::base(base, distance))),
            }
            return;
        }
        let base = cx.use_reg(data.a, 0);
        let index = cx.use_reg(data.b, 0);
        let dst = cx.def(result(data), 0);
        cx.emit(rrr(Op::Add, 8, dst, base, index));
        return;
    }
    let scale = data.flags;
    let index = use_int(cx, data.b, 0);
    let base = cx.use_last(data.a, 0);
    if scale.is_power_of_two() {
        let dst = cx.def(result(data), 0);
        cx.emit(shifted(
            Op::Add,
            8,
            (dst, base, index),
            Shift::Lsl,
            scale.trailing_zeros(),
        ));
        return;
    }
    let factor = cx.temp(RegClass::Int);
    let dst = cx.def_reuse(result(data), 0, base);
    cx.emit(mov_imm(8, factor, scale.into()));
    cx.emit(rrr(Op::Madd, 8, dst, index, factor));
}

/// Lowers the sum of the products of the signed words of two operands of 32 bits.
pub fn word_products<C: LowerCtx>(cx: &mut C, data: &InstData) {
    let left = use_int(cx, data.a, 0);
    let right = use_int(cx, data.b, 0);
    let (upper, low, other) = (cx.temp(RegClass::Int), cx.temp(RegClass::Int), cx.temp(RegClass::Int));
    let dst = cx.def(result(data), 0);
    cx.emit(rr(Op::Sxth, 4, low, left));
    cx.emit(rr(Op::Sxth, 4, other, right));
    cx.emit(rri(Op::AsrI, 4, upper, left, 16));
    cx.emit(rri(Op::AsrI, 4, dst, right, 16));
    cx.emit(rrr(Op::Mul, 4, dst, dst, upper));
    cx.emit(rrr(Op::Madd, 4, dst, low, other));
}
