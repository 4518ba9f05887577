//! Shifts and funnel shifts.
//!
//! A shift by the width or more gives poison, so the hardware's masking of counts does not matter; bits above a
//! value's width do, for shifts to the right and for counts narrower than a byte.

use super::{extend, extended_copy, int_bits, is_wide, result, size_of_bits, wide, word_bits};
use crate::build::*;
use crate::regs::RCX;
use crate::table::Op;
use frazil_codegen::{CodegenError, LowerCtx, Reg, RegClass};
use frazil_ir::{InstData, Opcode, Operand};

/// Lowers shl, lshr, ashr.
pub fn shift<C: LowerCtx>(cx: &mut C, data: &InstData) {
    if is_wide(cx, data.ty) {
        wide::shift(cx, data);
        return;
    }
    let bits = int_bits(cx, data.ty);
    let size = size_of_bits(bits);
    let (by_imm, by_count) = match data.op {
        Opcode::Shl => (Op::ShlRI, Op::ShlRC),
        Opcode::Lshr => (Op::ShrRI, Op::ShrRC),
        _ => (Op::SarRI, Op::SarRC),
    };
    let count = data.b.as_imm();
    if count.is_none() {
        count_to_cl(cx, data.b, bits);
    }
    let src = cx.use_last(data.a, 0);
    let dst = cx.def_reuse(result(data), 0, src);
    if data.op != Opcode::Shl {
        extend(cx, dst, dst, bits, data.op == Opcode::Ashr, size);
    }
    match count {
        // A count that is too large may give anything.
        Some(imm) => cx.emit(ri(by_imm, size, dst, (imm & i64::from(size * 8 - 1)) as i32)),
        None => cx.emit(r(by_count, size, dst)),
    }
}

/// Brings a count to `cl`; in types narrower than a byte, without the bits above.
pub(crate) fn count_to_cl<C: LowerCtx>(cx: &mut C, count: Operand, bits: u32) {
    cx.use_fixed(count, 0, RCX);
    if bits < 8 {
        extend(cx, RCX, RCX, bits, false, 4);
    }
}

/// Lowers fshl and fshr: the upper (lower) half of the concatenation, shifted by the count modulo the width.
pub fn funnel<C: LowerCtx>(cx: &mut C, data: &InstData) -> Result<(), CodegenError> {
    let (low, count) = cx.func().ternary(data);
    let bits = int_bits(cx, data.ty);
    if bits > word_bits::<C>() {
        return wide::funnel(cx, data, bits);
    }
    let left = data.op == Opcode::Fshl;
    if let Some(count) = count.as_imm() {
        // An immediate is sign-extended; its value has `bits` bits.
        let count = count.cast_unsigned() & (u64::MAX >> (64 - bits));
        funnel_by_constant(cx, data, low, bits, (count % u64::from(bits)) as u32, left);
        return Ok(());
    }
    match bits {
        32 | 64 => {
            // The hardware takes the count modulo the width.
            cx.use_fixed(count, 0, RCX);
            let (into, from) = if left { (data.a, low) } else { (low, data.a) };
            let from = cx.use_reg(from, 0);
            let into = cx.use_last(into, 0);
            let dst = cx.def_reuse(result(data), 0, into);
            let op = if left { Op::ShldRRC } else { Op::ShrdRRC };
            cx.emit(rr(op, size_of_bits(bits), dst, from));
        }
        8 | 16 => funnel_in_wider(cx, data, low, count, bits, left),
        _ => return funnel_odd(cx, data, low, count, bits, left),
    }
    Ok(())
}

fn funnel_by_constant<C: LowerCtx>(cx: &mut C, data: &InstData, low: Operand, bits: u32, count: u32, left: bool) {
    if count == 0 {
        let src = cx.use_last(if left { data.a } else { low }, 0);
        cx.def_reuse(result(data), 0, src);
        return;
    }
    let size = size_of_bits(bits);
    let up = if left { count } else { bits - count };
    if bits == u32::from(size) * 8 {
        let same = data.a == low;
        let from = cx.use_reg(low, 0);
        let into = cx.use_last(data.a, 0);
        let dst = cx.def_reuse(result(data), 0, into);
        cx.emit(if same {
            ri(Op::RolRI, size, dst, up.cast_signed())
        } else {
            rri(Op::ShldRRI, size, dst, from, up.cast_signed())
        });
        return;
    }
    let lower = extended_copy(cx, low, bits, false, size);
    let upper = cx.use_last(data.a, 0);
    let dst = cx.def_reuse(result(data), 0, upper);
    cx.emit(ri(Op::ShlRI, size, dst, up.cast_signed()));
    cx.emit(ri(Op::ShrRI, size, lower, (bits - up).cast_signed()));
    cx.emit(rr(Op::OrRR, size, dst, lower));
}

/// Both operands side by side in one 32-bit register, shifted by the count modulo the (power of two) width.
fn funnel_in_wider<C: LowerCtx>(cx: &mut C, data: &InstData, low: Operand, count: Operand, bits: u32, left: bool) {
    cx.use_fixed(count, 0, RCX);
    let lower = extended_copy(cx, low, bits, false, 4);
    let both = cx.use_copy(data.a, 0);
    cx.emit(ri(Op::AndRI, 4, RCX, bits.cast_signed() - 1));
    cx.emit(ri(Op::ShlRI, 4, both, bits.cast_signed()));
    cx.emit(rr(Op::OrRR, 4, both, lower));
    cx.emit(r(if left { Op::ShlRC } else { Op::ShrRC }, 4, both));
    if left {
        cx.emit(ri(Op::ShrRI, 4, both, bits.cast_signed()));
    }
    cx.def_reuse(result(data), 0, both);
}

/// A width that is no power of two: the count modulo the width by division.
fn funnel_odd<C: LowerCtx>(
    cx: &mut C,
    data: &InstData,
    low: Operand,
    count: Operand,
    bits: u32,
    left: bool,
) -> Result<(), CodegenError> {
    use crate::regs::{RAX, RDX};
    use frazil_codegen::PRegSet;
    let size = size_of_bits(bits);
    cx.use_fixed(count, 0, RAX);
    cx.claim(PRegSet::of(&[RDX, RCX]));
    let lower = extended_copy(cx, low, bits, false, size);
    let upper = cx.use_copy(data.a, 0);
    let width = cx.temp(RegClass::Int);
    extend(cx, RAX, RAX, bits, false, C::WORD_BYTES);
    cx.emit(r(Op::ZeroR, 4, RDX));
    cx.emit(mov_imm(4, width, i64::from(bits)));
    cx.emit(r(Op::DivR, C::WORD_BYTES, width));
    // `up` is how far the upper operand goes left: the count, or the width minus it; 1 to the width or 0 to it less 1.
    cx.emit(rr(Op::MovRR, 4, RCX, RDX));
    if !left {
        cx.emit(r(Op::NegR, 4, RCX));
        cx.emit(ri(Op::AddRI, 4, RCX, bits.cast_signed()));
    }
    shift_up_to_width(cx, upper, size, bits, true);
    cx.emit(r(Op::NegR, 4, RCX));
    cx.emit(ri(Op::AddRI, 4, RCX, bits.cast_signed()));
    shift_up_to_width(cx, lower, size, bits, false);
    cx.emit(rr(Op::OrRR, size, upper, lower));
    cx.def_reuse(result(data), 0, upper);
    Ok(())
}

/// Shifts by `cl`, which is at most the value's width, in a register that is wider than the value: never too far.
fn shift_up_to_width<C: LowerCtx>(cx: &mut C, value: Reg, size: u8, bits: u32, left: bool) {
    debug_assert!(bits < u32::from(size) * 8);
    cx.emit(r(if left { Op::ShlRC } else { Op::ShrRC }, size, value));
}
