//! Arithmetic that tells of overflow.
//!
//! Where the width is that of an instruction, its flags say whether a sum overflowed. Any other width is computed on
//! extended operands in a wider register: the operation overflowed when extending the result again changes it. A
//! product overflowed when its upper half is not what extending the lower one gives.

use super::wide::{Pair, chain, extended_pair, negate_by, result_pair, temporary_pair};
use super::{checked_bits, extend, extended, result, second_result, size_of_bits};
use crate::build::*;
use crate::cond::Cond;
use crate::regs::XZR;
use crate::table::Op;
use frazil_codegen::{CodegenError, LowerCtx, Reg, RegClass};
use frazil_ir::{InstData, Opcode};

/// An addition or subtraction: which, of what kind of numbers, and how wide.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Sum {
    pub op: Opcode,
    pub signed: bool,
    pub bits: u32,
}

impl Sum {
    /// What one of the opcodes below computes, if it is a sum or difference.
    pub(crate) fn of(data: &InstData, bits: u32) -> Option<Sum> {
        let (op, signed) = match data.op {
            Opcode::UaddOverflow | Opcode::UaddSat => (Opcode::Add, false),
            Opcode::SaddOverflow | Opcode::SaddSat => (Opcode::Add, true),
            Opcode::UsubOverflow | Opcode::UsubSat => (Opcode::Sub, false),
            Opcode::SsubOverflow | Opcode::SsubSat => (Opcode::Sub, true),
            _ => return None,
        };
        Some(Sum { op, signed, bits })
    }

    /// What the flags say of an overflow of exactly the instruction's width: the carry is set by a sum that is too
    /// large, and not by a difference that borrows.
    fn overflow(self) -> Cond {
        match (self.signed, self.op) {
            (true, _) => Cond::Vs,
            (false, Opcode::Add) => Cond::Hs,
            (false, _) => Cond::Lo,
        }
    }

    /// Computes the sum of two registers with extended operands, and says which condition holds on overflow.
    pub(crate) fn compute<C: LowerCtx>(self, cx: &mut C, dst: Reg, a: Reg, b: Reg, check: Reg) -> Cond {
        let size = size_of_bits(self.bits);
        let is_exact = self.bits == u32::from(size) * 8;
        let op = match (self.op, is_exact) {
            (Opcode::Add, true) => Op::Adds,
            (Opcode::Add, false) => Op::Add,
            (_, true) => Op::Subs,
            (_, false) => Op::Sub,
        };
        cx.emit(rrr(op, size, dst, a, b));
        if is_exact {
            return self.overflow();
        }
        extend(cx, check, dst, self.bits, self.signed, size);
        cx.emit(rr(Op::Cmp, size, check, dst));
        Cond::Ne
    }

    /// The same of pairs.
    pub(crate) fn compute_wide<C: LowerCtx>(self, cx: &mut C, dst: Pair, a: Pair, b: Pair, check: Reg) -> Cond {
        let (on_low, _, on_high) = chain(self.op);
        cx.emit(rrr(on_low, 8, dst.low, a.low, b.low));
        cx.emit(rrr(on_high, 8, dst.high, a.high, b.high));
        if self.bits == 128 {
            return self.overflow();
        }
        extend(cx, check, dst.high, self.bits - 64, self.signed, 8);
        cx.emit(rr(Op::Cmp, 8, check, dst.high));
        Cond::Ne
    }
}

/// The condition on the flags by which an operation of so many bits says that it overflowed, if its rule leaves it
/// there.
pub(crate) fn condition_of_overflow(data: &InstData, bits: u32) -> Option<Cond> {
    match (Sum::of(data, bits), bits) {
        (Some(sum), 32 | 64) => Some(sum.overflow()),
        (Some(_), 1..64) => Some(Cond::Ne),
        (None, 1..=32 | 64) => Some(Cond::Ne),
        _ => None,
    }
}

/// Sets the register for an overflow bit, if it has one.
fn set_overflow<C: LowerCtx>(cx: &mut C, cond: Cond, overflows: Option<Reg>) {
    if let Some(overflows) = overflows {
        cx.emit(cset(overflows, cond));
    }
}

/// Lowers the operations with an overflow bit as second result.
pub fn with_overflow<C: LowerCtx>(cx: &mut C, data: &InstData) -> Result<(), CodegenError> {
    let bits = checked_bits(cx, data, data.ty)?;
    let Some(sum) = Sum::of(data, bits) else {
        let signed = data.op == Opcode::SmulOverflow;
        match bits {
            65.. => multiply_wide(cx, data, bits, signed),
            _ => multiply(cx, data, bits, signed),
        }
        return Ok(());
    };
    if bits > 64 {
        let a = extended_pair(cx, data.a, bits, sum.signed);
        let b = extended_pair(cx, data.b, bits, sum.signed);
        let check = cx.temp(RegClass::Int);
        let dst = result_pair(cx, data);
        let overflows = cx.def(second_result(data), 0);
        let cond = sum.compute_wide(cx, dst, a, b, check);
        cx.emit(cset(overflows, cond));
        return Ok(());
    }
    let size = size_of_bits(bits);
    let a = extended(cx, data.a, bits, sum.signed, size);
    let b = extended(cx, data.b, bits, sum.signed, size);
    let check = cx.temp(RegClass::Int);
    let dst = cx.def(result(data), 0);
    let overflows = cx.def_overflow(second_result(data));
    let cond = sum.compute(cx, dst, a, b, check);
    set_overflow(cx, cond, overflows);
    Ok(())
}

/// Lowers sums of three, of which one is a carry, and differences: the flag of a borrow is the opposite of a carry's.
pub fn with_carry<C: LowerCtx>(cx: &mut C, data: &InstData) -> Result<(), CodegenError> {
    let size = size_of_bits(checked_bits(cx, data, data.ty)?);
    let (right, carry) = cx.func().ternary(data);
    let a = cx.use_reg(data.a, 0);
    let b = cx.use_reg(right, 0);
    let carry = extended(cx, carry, 1, false, 4);
    let dst = cx.def(result(data), 0);
    let wraps = cx.def(second_result(data), 0);
    let (row, cond) = match data.op {
        Opcode::UaddCarry => {
            let one = cx.temp(RegClass::Int);
            cx.emit(mov_imm(4, one, 1));
            cx.emit(rr(Op::Cmp, 4, carry, one));
            (Op::Adcs, Cond::Hs)
        }
        _ => {
            cx.emit(rr(Op::Cmp, 4, XZR, carry));
            (Op::Sbcs, Cond::Lo)
        }
    };
    cx.emit(rrr(row, size, dst, a, b));
    cx.emit(cset(wraps, cond));
    Ok(())
}

/// Products of at most 64 bits: of more than 32 bits with their upper half, of fewer in one register.
fn multiply<C: LowerCtx>(cx: &mut C, data: &InstData, bits: u32, signed: bool) {
    let left = extended(cx, data.a, bits, signed, 8);
    let right = extended(cx, data.b, bits, signed, 8);
    let check = cx.temp(RegClass::Int);
    let dst = cx.def(result(data), 0);
    let overflows = cx.def_overflow(second_result(data));
    let upper = if signed { Op::Smulh } else { Op::Umulh };
    match bits {
        ..=32 => {
            cx.emit(rrr(Op::Mul, 8, dst, left, right));
            extend(cx, check, dst, bits, signed, 8);
            cx.emit(rr(Op::Cmp, 8, check, dst));
            set_overflow(cx, Cond::Ne, overflows);
        }
        64 => {
            cx.emit(rrr(upper, 8, check, left, right));
            cx.emit(rrr(Op::Mul, 8, dst, left, right));
            compare_upper(cx, check, dst, signed);
            set_overflow(cx, Cond::Ne, overflows);
        }
        _ => {
            let overflows = overflows.expect("the flags do not say it");
            // The upper half is what it must be, and the value fits what is less than the lower half.
            cx.emit(rrr(upper, 8, check, left, right));
            cx.emit(rrr(Op::Mul, 8, dst, left, right));
            compare_upper(cx, check, dst, signed);
            cx.emit(cset(overflows, Cond::Ne));
            extend(cx, check, dst, bits, signed, 8);
            cx.emit(rr(Op::Cmp, 8, check, dst));
            cx.emit(conditional(Op::Csinc, 4, [overflows, overflows, XZR], Cond::Eq));
        }
    }
}

/// Compares the upper half of a product with what the lower half says that it is if the product fits.
fn compare_upper<C: LowerCtx>(cx: &mut C, upper: Reg, lower: Reg, signed: bool) {
    if signed {
        cx.emit(rr(Op::Cmp, 8, upper, lower).with_imm(63 | (Shift::Asr as i32) << 6));
    } else {
        cx.emit(rr(Op::Cmp, 8, upper, XZR));
    }
}

/// Lowers the upper half of a product: of integers of fewer than 64 bits, from a product of 64 bits.
pub fn multiply_high<C: LowerCtx>(cx: &mut C, data: &InstData) -> Result<(), CodegenError> {
    let bits = checked_bits(cx, data, data.ty)?;
    let signed = data.op == Opcode::SmulHigh;
    let left = extended(cx, data.a, bits, signed, 8);
    let right = extended(cx, data.b, bits, signed, 8);
    let dst = cx.def(result(data), 0);
    if bits == 64 {
        let op = if signed { Op::Smulh } else { Op::Umulh };
        cx.emit(rrr(op, 8, dst, left, right));
        return Ok(());
    }
    cx.emit(rrr(Op::Mul, 8, dst, left, right));
    cx.emit(shr(false, 8, dst, dst, bits));
    Ok(())
}

/// Products of pairs: those of the absolute values, with the sign given back.
fn multiply_wide<C: LowerCtx>(cx: &mut C, data: &InstData, bits: u32, signed: bool) {
    let (mut a, mut b) = (
        extended_pair(cx, data.a, bits, signed),
        extended_pair(cx, data.b, bits, signed),
    );
    let sign = cx.temp(RegClass::Int);
    if signed {
        let (left, right) = (temporary_pair(cx), temporary_pair(cx));
        for (dst, src) in [(left, a), (right, b)] {
            cx.emit(shr(true, 8, sign, src.high, 63));
            negate_by(cx, dst, src, sign);
        }
        cx.emit(rrr(Op::Eor, 8, sign, a.high, b.high));
        cx.emit(shr(true, 8, sign, sign, 63));
        (a, b) = (left, right);
    }
    let spare = temporary_pair(cx);
    let product = temporary_pair(cx);
    let dst = result_pair(cx, data);
    let overflows = cx.def(second_result(data), 0);
    unsigned_product(cx, product, (a, b), overflows, spare);
    if signed {
        negate_by(cx, dst, product, sign);
        // Unless it is zero, it must have the sign that it should have.
        cx.emit(rrr(Op::Orr, 8, spare.low, dst.low, dst.high));
        cx.emit(rrr(Op::Eor, 8, spare.high, sign, dst.high));
        cx.emit(shr(false, 8, spare.high, spare.high, 63));
        cx.emit(rr(Op::Cmp, 8, spare.low, XZR));
        cx.emit(csel(8, spare.high, XZR, spare.high, Cond::Eq));
        cx.emit(rrr(Op::Orr, 4, overflows, overflows, spare.high));
    } else {
        cx.emit(rr(Op::Mov, 8, dst.low, product.low));
        cx.emit(rr(Op::Mov, 8, dst.high, product.high));
    }
    if bits < 128 {
        extend(cx, spare.low, dst.high, bits - 64, signed, 8);
        cx.emit(rr(Op::Cmp, 8, spare.low, dst.high));
        cx.emit(conditional(Op::Csinc, 4, [overflows, overflows, XZR], Cond::Eq));
    }
}

/// The unsigned product of two pairs. It overflows if both high parts count, or a mixed product is too large, or the
/// sum of all in the high part.
fn unsigned_product<C: LowerCtx>(cx: &mut C, dst: Pair, (a, b): (Pair, Pair), overflows: Reg, spare: Pair) {
    // No flags of its own: 1 more wherever a condition holds, of at most five.
    let note = |cx: &mut C, cond: Cond| {
        cx.emit(conditional(
            Op::Csinc,
            4,
            [overflows, overflows, overflows],
            cond.inverse(),
        ))
    };
    cx.emit(rr(Op::Cmp, 8, a.high, XZR));
    cx.emit(cset(overflows, Cond::Ne));
    cx.emit(rr(Op::Cmp, 8, b.high, XZR));
    cx.emit(csel(4, overflows, overflows, XZR, Cond::Ne));
    cx.emit(rrr(Op::Umulh, 8, spare.low, a.low, b.high));
    cx.emit(rr(Op::Cmp, 8, spare.low, XZR));
    note(cx, Cond::Ne);
    cx.emit(rrr(Op::Umulh, 8, spare.low, a.high, b.low));
    cx.emit(rr(Op::Cmp, 8, spare.low, XZR));
    note(cx, Cond::Ne);
    cx.emit(rrr(Op::Mul, 8, spare.low, a.low, b.high));
    cx.emit(rrr(Op::Mul, 8, spare.high, a.high, b.low));
    cx.emit(rrr(Op::Adds, 8, spare.high, spare.high, spare.low));
    note(cx, Cond::Hs);
    cx.emit(rrr(Op::Umulh, 8, spare.low, a.low, b.low));
    cx.emit(rrr(Op::Mul, 8, dst.low, a.low, b.low));
    cx.emit(rrr(Op::Adds, 8, dst.high, spare.high, spare.low));
    note(cx, Cond::Hs);
    cx.emit(rr(Op::Cmp, 4, overflows, XZR));
    cx.emit(cset(overflows, Cond::Ne));
}
