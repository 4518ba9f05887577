//! Integer arithmetic of one register: add, subtract, multiply, logic, absolute value, address arithmetic.

use super::alu::{IMM32, alu, apply};
use super::{flows_into, folded, int_bits, is_32_bit, is_wide, result, size_of_bits, wide};
use crate::build::*;
use crate::cond::Cond;
use crate::table::Op;
use frazil_codegen::{LowerCtx, Mem, Reg, RegClass, Src};
use frazil_ir::{InstData, Opcode, Operand};

/// Lowers add, sub, and, or, xor, mul.
pub fn binary<C: LowerCtx>(cx: &mut C, data: &InstData) {
    if is_wide(cx, data.ty) {
        wide::binary(cx, data);
        return;
    }
    let size = size_of_bits(int_bits(cx, data.ty));
    let (mut a, mut b) = (data.a, data.b);
    let is_swapped = || cx.is_folded(a) || !cx.is_folded(b) && (a.as_imm().is_some() || flows_into(cx, data, b));
    if data.op.is_commutative() && is_swapped() {
        std::mem::swap(&mut a, &mut b);
    }
    if data.op == Opcode::Mul {
        multiply(cx, data, size, a, b);
        return;
    }
    if data.op == Opcode::And && mask_by_move(cx, data, a, b)
        || data.op == Opcode::Add && add_multiple(cx, data, size, a, b)
    {
        return;
    }
    if data.op == Opcode::Sub && a.as_imm() == Some(0) && !cx.is_folded(b) {
        let src = cx.use_last(b, 0);
        let dst = cx.def_reuse(result(data), 0, src);
        cx.emit(r(Op::NegR, size, dst));
        return;
    }
    let src = cx.use_src(b, 0, IMM32);
    let left = cx.use_last(a, 0);
    let dst = cx.def_reuse(result(data), 0, left);
    // A mask without upper half needs no prefix: the shorter operation clears it.
    let is_low_mask = data.op == Opcode::And && matches!(src, Src::Imm(imm) if imm >= 0);
    let size = if is_low_mask { 4 } else { size };
    if data.op == Opcode::Xor && src == Src::Imm(-1) {
        cx.emit(r(Op::NotR, size, dst));
    } else {
        apply(cx, alu(data.op), size, dst, src);
    }
}

/// Keeps the low 8, 16 or 32 bits by a move that clears the others; says whether the mask is one of these.
fn mask_by_move<C: LowerCtx>(cx: &mut C, data: &InstData, value: Operand, mask: Operand) -> bool {
    let Some(mask) = cx.func().int_constant(mask) else {
        return false;
    };
    let row = match mask {
        0xff => Op::MovzxBRR,
        0xffff => Op::MovzxWRR,
        0xffff_ffff => Op::MovzxLRR,
        _ => return false,
    };
    if cx.is_folded(value) {
        return false;
    }
    let src = cx.use_reg(value, 0);
    let dst = cx.def(result(data), 0);
    cx.emit(rr(row, 4, dst, src));
    true
}

/// A multiple that an address can have as its index, as log2 of the scale and a factor before that: 2, 4 or 8 times 1,
/// 3, 5 or 9.
pub(super) fn scale_of(multiple: &InstData) -> Option<(u8, i32)> {
    match (multiple.op, multiple.b.as_imm()?) {
        (Opcode::Shl, distance @ 1..=3) => Some((distance as u8, 1)),
        (Opcode::Mul, number @ 6..=72) => {
            let twos = number.trailing_zeros();
            let factor = (number >> twos) as i32;
            (matches!(twos, 1..=3) && matches!(factor, 3 | 5 | 9)).then_some((twos as u8, factor))
        }
        _ => None,
    }
}

/// Computes the sum of a value and a folded multiple like an address; says whether there is one.
fn add_multiple<C: LowerCtx>(cx: &mut C, data: &InstData, size: u8, value: Operand, multiple: Operand) -> bool {
    let Some(multiple) = folded(cx, multiple) else {
        return false;
    };
    let Some((scale_log2, factor)) = scale_of(&multiple) else {
        return false;
    };
    let mut index = cx.use_reg(multiple.a, 0);
    let base = cx.use_last(value, 0);
    if factor > 1 {
        let scaled = cx.temp(RegClass::Int);
        cx.emit(rm(Op::LeaRM, size, scaled, times(index, factor)));
        index = scaled;
    }
    let dst = cx.def(result(data), 0);
    cx.emit(rm(Op::LeaRM, size, dst, Mem::indexed(base, index, scale_log2, 0)));
    true
}

fn multiply<C: LowerCtx>(cx: &mut C, data: &InstData, size: u8, a: Operand, b: Operand) {
    match cx.use_src(b, 0, IMM32) {
        Src::Imm(imm) => {
            let src = cx.use_last(a, 0);
            if imm > 0 && imm & (imm - 1) == 0 {
                let dst = cx.def_reuse(result(data), 0, src);
                cx.emit(ri(Op::ShlRI, size, dst, imm.trailing_zeros().cast_signed()));
                return;
            }
            if let 3 | 5 | 9 = imm {
                let dst = cx.def(result(data), 0);
                cx.emit(rm(Op::LeaRM, size, dst, times(src, imm)));
                return;
            }
            let dst = cx.def(result(data), 0);
            cx.emit(rri(Op::ImulRRI, size, dst, src, imm));
        }
        src => {
            let left = cx.use_last(a, 0);
            let dst = cx.def_reuse(result(data), 0, left);
            cx.emit(match src {
                Src::Mem(mem) => rm(Op::ImulRM, size, dst, mem),
                Src::Reg(src) => rr(Op::ImulRR, size, dst, src),
                Src::Imm(_) => unreachable!("handled above"),
            });
        }
    }
}

/// The address that is 3, 5 or 9 times a register.
pub(super) fn times(reg: Reg, factor: i32) -> Mem {
    Mem::indexed(reg, reg, (factor - 1).trailing_zeros() as u8, 0)
}

/// Lowers `abs`: the negation where that is not negative.
pub fn abs<C: LowerCtx>(cx: &mut C, data: &InstData) {
    let bits = int_bits(cx, data.ty);
    if is_wide(cx, data.ty) {
        wide::abs(cx, data, bits);
        return;
    }
    let size = size_of_bits(bits);
    let value = super::extended_copy(cx, data.a, bits, true, size);
    let dst = cx.def(result(data), 0);
    cx.emit(rr(Op::MovRR, size, dst, value));
    cx.emit(r(Op::NegR, size, dst));
    cx.emit(cmov(Cond::S, size, dst, value));
}

/// Lowers sums of differences of bytes, which only vector registers have an instruction for.
pub fn byte_differences<C: LowerCtx>(cx: &mut C, data: &InstData) {
    let [left, right] = [data.a, data.b].map(|operand| {
        let parts = if is_32_bit::<C>() { 2 } else { 1 };
        let moved = cx.temp(RegClass::Float);
        for part in 0..parts {
            let src = cx.use_reg(operand, part);
            if part == 0 {
                cx.emit(rr(Op::MovdXR, C::WORD_BYTES, moved, src));
            } else {
                let upper = cx.temp(RegClass::Float);
                cx.emit(rr(Op::MovdXR, C::WORD_BYTES, upper, src));
                cx.emit(rr(Op::UnpcklpRR, 4, moved, upper));
            }
        }
        moved
    });
    cx.emit(rr(Op::PsadbwRR, 16, left, right));
    let dst = cx.def(result(data), 0);
    cx.emit(rr(Op::MovdRX, C::WORD_BYTES, dst, left));
    if is_32_bit::<C>() {
        // Eight differences of bytes.
        let high = cx.def(result(data), 1);
        cx.emit(mov_imm(4, high, 0));
    }
}

/// Lowers sums of products of words, which only vector registers have an instruction for, too.
pub fn word_products<C: LowerCtx>(cx: &mut C, data: &InstData) {
    let [left, right] = [data.a, data.b].map(|operand| {
        let src = cx.use_reg(operand, 0);
        let moved = cx.temp(RegClass::Float);
        cx.emit(rr(Op::MovdXR, 4, moved, src));
        moved
    });
    cx.emit(rr(Op::PmaddwdRR, 16, left, right));
    let dst = cx.def(result(data), 0);
    cx.emit(rr(Op::MovdRX, 4, dst, left));
}

/// Lowers address arithmetic that no memory operand absorbs.
pub fn pointer<C: LowerCtx>(cx: &mut C, data: &InstData) {
    if data.op == Opcode::PtrAdd {
        let src = cx.use_reg_or_imm(data.b, 0, IMM32);
        let base = cx.use_last(data.a, 0);
        match src {
            Src::Reg(index) => {
                let dst = cx.def(result(data), 0);
                cx.emit(rm(Op::LeaRM, C::WORD_BYTES, dst, Mem::indexed(base, index, 0, 0)));
            }
            Src::Imm(disp) => {
                let dst = cx.def(result(data), 0);
                cx.emit(rm(Op::LeaRM, C::WORD_BYTES, dst, Mem::base(base, disp)));
            }
            Src::Mem(_) => unreachable!("not asked for"),
        }
        return;
    }
    let scale = data.flags;
    if scale.is_power_of_two() && scale <= 8 {
        let index = cx.use_reg(data.b, 0);
        let base = cx.use_last(data.a, 0);
        let dst = cx.def(result(data), 0);
        let scale_log2 = scale.trailing_zeros() as u8;
        cx.emit(rm(
            Op::LeaRM,
            C::WORD_BYTES,
            dst,
            Mem::indexed(base, index, scale_log2, 0),
        ));
        return;
    }
    let base = cx.use_reg(data.a, 0);
    let twos = scale.trailing_zeros();
    // What the address form itself multiplies by.
    let scale_log2 = if twos <= 3 { twos as u8 } else { 0 };
    let index = match scale >> twos {
        1 => {
            let index = cx.use_copy(data.b, 0);
            cx.emit(ri(Op::ShlRI, C::WORD_BYTES, index, twos.cast_signed()));
            index
        }
        factor @ (3 | 5 | 9) => {
            let index = cx.use_reg(data.b, 0);
            let scaled = cx.temp(RegClass::Int);
            cx.emit(rm(Op::LeaRM, C::WORD_BYTES, scaled, times(index, i32::from(factor))));
            if twos > 3 {
                cx.emit(ri(Op::ShlRI, C::WORD_BYTES, scaled, twos.cast_signed()));
            }
            scaled
        }
        _ => {
            let index = cx.use_reg(data.b, 0);
            let scaled = cx.temp(RegClass::Int);
            cx.emit(rri(
                Op::ImulRRI,
                C::WORD_BYTES,
                scaled,
                index,
                i32::from(scale >> scale_log2),
            ));
            scaled
        }
    };
    let dst = cx.def(result(data), 0);
    let address = Mem::indexed(base, index, scale_log2, 0);
    cx.emit(rm(Op::LeaRM, C::WORD_BYTES, dst, address));
}
