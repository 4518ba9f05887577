//! Shifts and funnel shifts.
//!
//! A shift by the width or more gives poison, so the hardware's masking of counts does not matter; bits above a
//! value's width do, for shifts to the right and for counts narrower than a register's number of bits.

use super::{arith, checked_bits, extended, folded, low_bits, operand, result, size_of_bits, use_int, wide};
use crate::build::*;
use crate::regs::XZR;
use crate::table::Op;
use frazil_codegen::{CodegenError, LowerCtx, Reg, RegClass};
use frazil_ir::{InstData, Opcode, Operand};

/// Counts of fewer bits may have anything in the bits that the hardware looks at.
const COUNT_BITS: u32 = 6;

/// Lowers shl, lshr, ashr.
pub fn shift<C: LowerCtx>(cx: &mut C, data: &InstData) -> Result<(), CodegenError> {
    let bits = checked_bits(cx, data, data.ty)?;
    if bits > 64 {
        wide::shift(cx, data, bits);
        return Ok(());
    }
    let size = size_of_bits(bits);
    if let Some(count) = data.b.as_imm() {
        // A count that is too large may give anything.
        shift_by_constant(cx, data, bits, count.clamp(0, i64::from(bits) - 1) as u32);
        return Ok(());
    }
    let src = match data.op {
        Opcode::Shl => use_int(cx, data.a, 0),
        op => extended(cx, data.a, bits, op == Opcode::Ashr, size),
    };
    let count = match bits {
        ..COUNT_BITS => extended(cx, data.b, bits, false, 4),
        _ => cx.use_reg(data.b, 0),
    };
    let dst = cx.def(result(data), 0);
    let op = match data.op {
        Opcode::Shl => Op::Lslv,
        Opcode::Lshr => Op::Lsrv,
        _ => Op::Asrv,
    };
    cx.emit(rrr(op, size, dst, src, count));
    Ok(())
}

/// One instruction moves the field that the shift leaves.
fn shift_by_constant<C: LowerCtx>(cx: &mut C, data: &InstData, bits: u32, count: u32) {
    let size = size_of_bits(bits);
    if let Some(inner) = folded(cx, data.a) {
        let field = operand::field(data, &inner, bits).expect("the operand was folded for this");
        arith::bits_of(cx, data, bits, field);
        return;
    }
    let src = use_int(cx, data.a, 0);
    let dst = cx.def(result(data), 0);
    cx.emit(match data.op {
        Opcode::Shl => shl(size, dst, src, count),
        Opcode::Lshr => bitfield(Op::Ubfm, size, dst, src, count, bits - 1),
        _ => bitfield(Op::Sbfm, size, dst, src, count, bits - 1),
    });
}

/// Lowers fshl and fshr: the upper (lower) half of the concatenation, shifted by the count modulo the width.
pub fn funnel<C: LowerCtx>(cx: &mut C, data: &InstData) -> Result<(), CodegenError> {
    let (low, count) = cx.func().ternary(data);
    let bits = checked_bits(cx, data, data.ty)?;
    if bits > 64 {
        wide::funnel(cx, data, bits);
        return Ok(());
    }
    let left = data.op == Opcode::Fshl;
    if let Some(count) = count.as_imm() {
        // An immediate is sign-extended; its value has `bits` bits.
        let count = (low_bits(count.cast_unsigned(), bits) % u64::from(bits)) as u32;
        funnel_by_constant(cx, data, low, bits, if left { count } else { bits - count });
    } else if matches!(bits, 32 | 64) {
        funnel_by_register(cx, data, (low, count), bits, left);
    } else {
        funnel_odd(cx, data, (low, count), bits, left);
    }
    Ok(())
}

/// `up` is how far the upper operand goes left: 0 gives that operand, `bits` the lower one.
fn funnel_by_constant<C: LowerCtx>(cx: &mut C, data: &InstData, low: Operand, bits: u32, up: u32) {
    if up == 0 || up == bits {
        let src = cx.use_last(if up == 0 { data.a } else { low }, 0);
        cx.def_reuse(result(data), 0, src);
        return;
    }
    let size = size_of_bits(bits);
    let upper = use_int(cx, data.a, 0);
    let lower = use_int(cx, low, 0);
    if bits == u32::from(size) * 8 {
        let dst = cx.def(result(data), 0);
        cx.emit(rrr(Op::Extr, size, dst, upper, lower).with_imm((bits - up).cast_signed()));
        return;
    }
    let field = cx.temp(RegClass::Int);
    let dst = cx.def(result(data), 0);
    cx.emit(bitfield(Op::Ubfm, size, field, lower, bits - up, bits - 1));
    cx.emit(shifted(Op::Orr, size, (dst, field, upper), Shift::Lsl, up));
}

/// The hardware takes counts modulo the width.
fn funnel_by_register<C: LowerCtx>(
    cx: &mut C,
    data: &InstData,
    (low, count): (Operand, Operand),
    bits: u32,
    left: bool,
) {
    let size = size_of_bits(bits);
    let upper = use_int(cx, data.a, 0);
    let lower = use_int(cx, low, 0);
    let count = cx.use_reg(count, 0);
    if data.a == low {
        let dst = cx.def(result(data), 0);
        if left {
            let back = cx.temp(RegClass::Int);
            cx.emit(rrr(Op::Sub, size, back, XZR, count));
            cx.emit(rrr(Op::Rorv, size, dst, upper, back));
        } else {
            cx.emit(rrr(Op::Rorv, size, dst, upper, count));
        }
        return;
    }
    let (filled, spare) = (cx.temp(RegClass::Int), cx.temp(RegClass::Int));
    let dst = cx.def(result(data), 0);
    // The other operand goes by one, and by the width less one less the count.
    cx.emit(rrr(Op::Orn, size, spare, XZR, count));
    if left {
        cx.emit(shr(false, size, filled, lower, 1));
        cx.emit(rrr(Op::Lsrv, size, filled, filled, spare));
        cx.emit(rrr(Op::Lslv, size, spare, upper, count));
    } else {
        cx.emit(shl(size, filled, upper, 1));
        cx.emit(rrr(Op::Lslv, size, filled, filled, spare));
        cx.emit(rrr(Op::Lsrv, size, spare, lower, count));
    }
    cx.emit(rrr(Op::Orr, size, dst, filled, spare));
}

/// A width that no register has: the count is reduced, and both operands are shifted by at most the width.
fn funnel_odd<C: LowerCtx>(cx: &mut C, data: &InstData, (low, count): (Operand, Operand), bits: u32, left: bool) {
    let upper = use_int(cx, data.a, 0);
    let lower = extended(cx, low, bits, false, 8);
    let count = extended(cx, count, bits, false, 8);
    let [up, down, width] = [0; 3].map(|_| cx.temp(RegClass::Int));
    let dst = cx.def(result(data), 0);
    let near = if left { up } else { down };
    reduce(cx, near, count, (width, dst), bits);
    let far = if left { down } else { up };
    cx.emit(rrr(Op::Sub, 8, far, width, near));
    cx.emit(rrr(Op::Lslv, 8, up, upper, up));
    cx.emit(rrr(Op::Lsrv, 8, down, lower, down));
    cx.emit(rrr(Op::Orr, 8, dst, up, down));
}

/// `dst` becomes the count modulo the width, which is then in a register.
fn reduce<C: LowerCtx>(cx: &mut C, dst: Reg, count: Reg, (width, spare): (Reg, Reg), bits: u32) {
    cx.emit(mov_imm(8, width, bits.into()));
    if bits.is_power_of_two() && bits > 1 {
        cx.emit(logical(Op::AndI, 8, dst, count, u64::from(bits - 1)));
        return;
    }
    cx.emit(rrr(Op::Udiv, 8, spare, count, width));
    cx.emit(rrr(Op::Mul, 8, spare, spare, width));
    cx.emit(rrr(Op::Sub, 8, dst, count, spare));
}
