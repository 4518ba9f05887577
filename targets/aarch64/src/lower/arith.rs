//! Integer arithmetic of one register: add, subtract, multiply, logic, absolute value, address arithmetic.

use super::{checked_bits, constant, extended, low_bits, result, size_of_bits, sum, use_int, wide};
use crate::build::*;
use crate::cond::Cond;
use crate::immediates;
use crate::regs::XZR;
use crate::table::Op;
use frazil_codegen::{CodegenError, LowerCtx, Mem, Reg, RegClass};
use frazil_ir::{InstData, Opcode, Operand};

/// Lowers add, sub, and, or, xor, mul.
pub fn binary<C: LowerCtx>(cx: &mut C, data: &InstData) -> Result<(), CodegenError> {
    let bits = checked_bits(cx, data, data.ty)?;
    if bits > 64 {
        wide::binary(cx, data);
        return Ok(());
    }
    let size = size_of_bits(bits);
    let (mut a, mut b) = (data.a, data.b);
    if data.op != Opcode::Sub && constant(cx, a).is_some() {
        std::mem::swap(&mut a, &mut b);
    }
    if let Some(value) = constant(cx, b)
        && by_constant(cx, data, size, (a, value))
    {
        return Ok(());
    }
    let op = match data.op {
        Opcode::Add => Op::Add,
        Opcode::Sub => Op::Sub,
        Opcode::And => Op::And,
        Opcode::Or => Op::Orr,
        Opcode::Xor => Op::Eor,
        _ => Op::Mul,
    };
    let left = use_int(cx, a, 0);
    let right = use_int(cx, b, 0);
    let dst = cx.def(result(data), 0);
    cx.emit(rrr(op, size, dst, left, right));
    Ok(())
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
    if data.op == Opcode::Xor && mask == low_bits(u64::MAX, u32::from(size) * 8) {
        let src = cx.use_reg(a, 0);
        let dst = cx.def(result(data), 0);
        cx.emit(rrr(Op::Orn, size, dst, XZR, src));
        return true;
    }
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

/// Products by a power of two, or by one more or less than that.
fn multiply_by_constant<C: LowerCtx>(cx: &mut C, data: &InstData, size: u8, (a, value): (Operand, i64)) -> bool {
    let factor = low_bits(value.cast_unsigned(), u32::from(size) * 8);
    let amount = |power: u64| power.is_power_of_two().then(|| power.trailing_zeros());
    let (above, below) = (amount(factor.wrapping_sub(1)), amount(factor.wrapping_add(1)));
    if let Some(amount) = amount(factor) {
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
    if data.op == Opcode::PtrAdd {
        if let Some(distance) = constant(cx, data.b)
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
    let base = cx.use_reg(data.a, 0);
    let index = use_int(cx, data.b, 0);
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
    cx.emit(mov_imm(8, factor, scale.into()));
    let dst = cx.def(result(data), 0);
    multiply_add(cx, dst, index, factor, base);
}

/// `dst` becomes a product plus a sum; `factor` is a register of the rule, which is overwritten.
fn multiply_add<C: LowerCtx>(cx: &mut C, dst: Reg, index: Reg, factor: Reg, base: Reg) {
    cx.emit(rrr(Op::Mul, 8, factor, index, factor));
    cx.emit(rrr(Op::Add, 8, dst, base, factor));
}
