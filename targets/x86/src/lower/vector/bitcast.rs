//! Casts that keep bits, from or to a vector. Lanes lie in a register as in memory, so most of them are copies.

use super::super::{copy, float_bytes, int_bits, is_32_bit, is_narrow_float, result, type_of, word_bits};
use super::{by_bits, from_general, from_quadword, mask, shape, temp, to_general, to_quadword};
use crate::build::*;
use crate::table::Op;
use frazil_codegen::{LowerCtx, Reg, VectorShape};
use frazil_ir::{InstData, Type};

/// How a value is kept.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Kept {
    /// In a vector register.
    Vector,
    Mask(VectorShape),
    /// In one general register.
    General,
    /// In two.
    Pair,
}

fn kept<C: LowerCtx>(cx: &C, ty: Type) -> Kept {
    match shape(cx.func().types(), ty) {
        Some(shape) if shape.is_mask => Kept::Mask(shape),
        Some(_) => Kept::Vector,
        None if float_bytes(ty) > 0 || is_narrow_float(ty) || ty == Type::F128 => Kept::Vector,
        None if int_bits(cx, ty) > word_bits::<C>() => Kept::Pair,
        None => Kept::General,
    }
}

/// Lowers `bitcast` where one of the types is a vector.
pub fn bitcast<C: LowerCtx>(cx: &mut C, data: &InstData) {
    if by_bits::cast(cx, data) {
        return;
    }
    let (from, to) = (kept(cx, type_of(cx, data.a)), kept(cx, data.ty));
    if from == to && from != Kept::Pair {
        copy(cx, data);
        return;
    }
    match to {
        Kept::Pair if is_32_bit::<C>() => {
            let src = cx.use_reg(data.a, 0);
            to_quadword(cx, data, src, 0);
        }
        Kept::Pair => {
            let src = cx.use_reg(data.a, 0);
            let (low, high) = (cx.def(result(data), 0), cx.def(result(data), 1));
            to_general(cx, low, src, 0);
            to_general(cx, high, src, 1);
        }
        Kept::General => {
            let src = cx.use_reg(data.a, 0);
            let dst = cx.def(result(data), 0);
            match from {
                Kept::Mask(shape) => mask::to_bits(cx, dst, src, shape),
                _ => to_general(cx, dst, src, 0),
            }
        }
        Kept::Mask(shape) => {
            let bits = general_bits(cx, data, from);
            let dst = cx.def(result(data), 0);
            mask::from_bits(cx, dst, bits, shape);
        }
        Kept::Vector if from == Kept::Pair && is_32_bit::<C>() => {
            let whole = from_quadword(cx, data.a);
            cx.def_reuse(result(data), 0, whole);
        }
        Kept::Vector if from == Kept::Pair => {
            let (low, high) = (cx.use_reg(data.a, 0), cx.use_reg(data.a, 1));
            let upper = temp(cx);
            let dst = cx.def(result(data), 0);
            from_general(cx, dst, low);
            from_general(cx, upper, high);
            cx.emit(rr(Op::PunpcklqdqRR, 16, dst, upper));
        }
        Kept::Vector => {
            let bits = general_bits(cx, data, from);
            let dst = cx.def(result(data), 0);
            from_general(cx, dst, bits);
        }
    }
}

/// The operand in a general register.
fn general_bits<C: LowerCtx>(cx: &mut C, data: &InstData, from: Kept) -> Reg {
    let src = cx.use_reg(data.a, 0);
    match from {
        Kept::Mask(shape) => mask::bits_of(cx, src, shape),
        Kept::Vector => {
            let bits = cx.temp(frazil_codegen::RegClass::Int);
            to_general(cx, bits, src, 0);
            bits
        }
        Kept::General | Kept::Pair => src,
    }
}
