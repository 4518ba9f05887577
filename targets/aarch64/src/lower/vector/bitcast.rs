//! Casts that keep bits, from or to a vector. Lanes lie in a register as in memory, so most of them are copies.

use super::super::{any_float_bytes, copy, int_bits, result, type_of};
use super::{from_general, mask, shape, to_general};
use crate::build::*;
use crate::table::Op;
use frazil_codegen::{LowerCtx, Reg, RegClass, VectorShape};
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
        None if any_float_bytes(ty) > 0 => Kept::Vector,
        None if int_bits(cx, ty) > 64 => Kept::Pair,
        None => Kept::General,
    }
}

/// Whether one of the types of a cast is a vector.
pub fn is_concerned<C: LowerCtx>(cx: &C, data: &InstData) -> bool {
    let types = cx.func().types();
    shape(types, data.ty).is_some() || shape(types, type_of(cx, data.a)).is_some()
}

/// Lowers `bitcast` where one of the types is a vector.
pub fn bitcast<C: LowerCtx>(cx: &mut C, data: &InstData) {
    let (from, to) = (kept(cx, type_of(cx, data.a)), kept(cx, data.ty));
    if from == to && from != Kept::Pair {
        copy(cx, data);
        return;
    }
    match to {
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
        Kept::Vector if from == Kept::Pair => {
            let (low, high) = (cx.use_reg(data.a, 0), cx.use_reg(data.a, 1));
            let dst = cx.def(result(data), 0);
            from_general(cx, dst, low);
            cx.emit(rr(Op::FmovHighFromInt, 8, dst, high));
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
    if let Kept::General | Kept::Pair = from {
        return src;
    }
    let bits = cx.temp(RegClass::Int);
    match from {
        Kept::Mask(shape) => mask::to_bits(cx, bits, src, shape),
        _ => to_general(cx, bits, src, 0),
    }
    bits
}
