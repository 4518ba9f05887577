//! Truncations of lanes that were brought between two bounds before: the instructions that pack lanes do both.
//!
//! ```text
//! trunc (umin (smax v0, 0), 255)     ->     packssdw, packuswb
//! ```
//!
//! From 32 to 8 bits, lanes are packed twice: what the first one brings to the bounds of signed words stays on the same
//! side of those of bytes. The minimum and the maximum are folded if they have no other use. Two truncations of 256
//! bits whose results a shuffle puts one after the other are folded into that, and packed at once.

use super::super::result;
use super::wide::{reload, wide_shape};
use super::{finish, has_sse41, shape, with};
use crate::build::*;
use crate::features;
use crate::regs::{VECTOR_BYTES, WIDE_VECTOR_BYTES};
use crate::table::Op;
use frazil_codegen::vectors::shuffle_index;
use frazil_codegen::{Folder, ImmKind, LowerCtx, Reg, Src, VectorShape};
use frazil_ir::{ConstView, Function, InstData, Opcode, Operand, Type, TypeData};

/// The numbers of quarters that bring the results of packing two wide vectors, half by half, into order.
const IN_ORDER: i32 = 0xd8;

/// Between which bounds lanes are brought, by what packs them; the second one of two.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Clamp {
    first: Op,
    second: Option<Op>,
}

/// The clamp that a truncation ends, and the two operations that it is, the last one first. Their operands are as
/// `producer` finds them.
fn of<'a>(
    function: &'a Function,
    data: &InstData,
    has_later: bool,
    producer: impl Fn(Operand) -> Option<&'a InstData>,
) -> Option<(Clamp, [&'a InstData; 2])> {
    let to = shape(function.types(), data.ty)?;
    let ty = function.operand_type(data.a)?;
    let from = wide_shape(function.types(), ty).or_else(|| shape(function.types(), ty))?;
    if data.op != Opcode::Trunc || to.is_mask || from.is_mask {
        return None;
    }
    let outer = producer(data.a)?;
    let inner = producer(outer.a)?;
    let bounds = [(outer, inner), (inner, outer)].into_iter().find_map(|(least, most)| {
        let is_least = matches!(least.op, Opcode::Smin | Opcode::Umin);
        (is_least && most.op == Opcode::Smax).then_some((least, most))
    });
    let (least, most) = bounds?;
    let (high, low) = (number(function, least.b)?, number(function, most.b)?);
    // Without a sign, a minimum must come after what makes numbers positive.
    if least.op == Opcode::Umin && (low != 0 || !std::ptr::eq(least, outer)) {
        return None;
    }
    let of_bits = |bits: u32| match (low, high) {
        (0, high) if high == (1 << bits) - 1 => Some(false),
        (low, high) if low == -(1 << (bits - 1)) && high == (1 << (bits - 1)) - 1 => Some(true),
        _ => None,
    };
    let is_signed = of_bits(to.lane_bits.min(32))?;
    let clamp = match (from.lane_bits, to.lane_bits, is_signed) {
        (16, 8, true) => (Op::PacksswbRR, None),
        (16, 8, false) => (Op::PackuswbRR, None),
        (32, 16, true) => (Op::PackssdwRR, None),
        (32, 16, false) if has_later => (Op::PackusdwRR, None),
        (32, 8, true) => (Op::PackssdwRR, Some(Op::PacksswbRR)),
        (32, 8, false) => (Op::PackssdwRR, Some(Op::PackuswbRR)),
        _ => return None,
    };
    let clamp = Clamp {
        first: clamp.0,
        second: clamp.1,
    };
    Some((clamp, [outer, inner]))
}

/// The number that all lanes of a constant have, or of a copied one.
fn number(function: &Function, operand: Operand) -> Option<i64> {
    let inst = operand.as_value().and_then(|value| function.def_inst(value));
    let data = inst
        .map(|inst| function.inst(inst))
        .filter(|data| data.op == Opcode::Copy);
    match function.constant(data.map_or(operand, |copy| copy.a).as_const()?).1 {
        ConstView::Zero => Some(0),
        ConstView::Vector(lanes) => {
            let first = lanes.first()?.as_imm()?;
            lanes.iter().all(|lane| lane.as_imm() == Some(first)).then_some(first)
        }
        _ => None,
    }
}

/// Folds the clamp of a truncation.
pub fn fold(folder: &mut Folder<'_>, data: &InstData) {
    let has_later = folder.features().has(features::SSE4_1);
    let producer = |operand| folder.producer(operand).map(|(_, data)| data);
    let Some((_, [outer, _])) = of(folder.function, data, has_later, producer) else {
        return;
    };
    for operand in [outer.a, data.a] {
        if let Some((value, _)) = folder.producer(operand) {
            folder.fold(value);
        }
    }
}

/// The same clamp that ends in both operands of a shuffle, which puts them one after the other, and what is clamped.
/// The truncations are as `producer` finds them, and `is_folded` knows whether the clamps are part of them.
fn pair<'a>(
    function: &'a Function,
    data: &InstData,
    producer: impl Fn(Operand) -> Option<&'a InstData>,
    is_folded: impl Fn(Operand) -> bool,
) -> Option<(Clamp, [&'a InstData; 2])> {
    let (second, mask) = function.ternary(data);
    let lanes = |ty| match function.types().data(ty) {
        TypeData::Vector { lanes, .. } => lanes,
        _ => 0,
    };
    let count = lanes(data.ty);
    let is_joined = count == 2 * lanes(function.operand_type(data.a)?)
        && (0..count).all(|lane| shuffle_index(function, mask, lane) == Some(lane));
    let defined = |operand: Operand| Some(function.inst(function.def_inst(operand.as_value()?)?));
    let clamped = |operand: Operand| {
        let truncation = producer(operand).filter(|data| data.op == Opcode::Trunc && is_folded(data.a))?;
        // What is folded was found with the rows that there are.
        let (clamp, [_, inner]) = of(function, truncation, true, defined)?;
        is_wide(function, inner.ty).then_some((clamp, inner))
    };
    let (first, second) = (clamped(data.a)?, clamped(second)?);
    (is_joined && first.0 == second.0).then_some((first.0, [first.1, second.1]))
}

/// Folds two truncations that were clamped into the shuffle that joins them.
pub fn fold_pair(folder: &mut Folder<'_>, data: &InstData) -> bool {
    let second = folder.function.ternary(data).0;
    let producer = |operand| folder.producer(operand).map(|(_, data)| data);
    let is_pair =
        data.a != second && pair(folder.function, data, producer, |operand| folder.is_folded(operand)).is_some();
    for operand in [data.a, second] {
        if is_pair && let Some((value, _)) = folder.producer(operand) {
            folder.fold(value);
        }
    }
    is_pair
}

/// Lowers a shuffle into which two truncations are folded; says whether it is one.
pub fn join<C: LowerCtx>(cx: &mut C, data: &InstData) -> bool {
    if !cx.is_folded(data.a) {
        return false;
    }
    let function = cx.func();
    let producer = |operand: Operand| Some(function.inst(function.def_inst(operand.as_value()?)?));
    let Some((clamp, inners)) = pair(function, data, producer, |operand| cx.is_folded(operand)) else {
        return false;
    };
    let values = inners.map(|inner| inner.a);
    let [first, second] = values.map(|value| use_clamped(cx, value));
    let packed = super::temp(cx);
    cx.emit(wide_of_two(clamp.first, packed, first, second));
    // Each half has four or eight lanes of both.
    let Some(narrower) = clamp.second else {
        let dst = cx.def(result(data), 0);
        cx.emit(rri(Op::VpermqYRRI, WIDE_VECTOR_BYTES, dst, packed, IN_ORDER));
        return true;
    };
    let (high, narrow) = (super::temp(cx), super::temp(cx));
    cx.emit(rri(Op::Vextractf128RRI, WIDE_VECTOR_BYTES, high, packed, 1));
    cx.emit(of_two(narrower, narrow, packed, high));
    let dst = cx.def(result(data), 0);
    cx.emit(rri(Op::PshufdRRI, VECTOR_BYTES, dst, narrow, IN_ORDER));
    true
}

/// The register with what is clamped; the minimum or maximum may have taken it from memory.
fn use_clamped<C: LowerCtx>(cx: &mut C, value: Operand) -> Reg {
    match cx.use_src(value, 0, ImmKind::None) {
        Src::Mem(mem) => {
            let loaded = super::temp(cx);
            cx.emit(reload(WIDE_VECTOR_BYTES, loaded, mem));
            loaded
        }
        Src::Reg(reg) => reg,
        Src::Imm(_) => unreachable!("not asked for"),
    }
}

/// Lowers a truncation whose clamp is folded; says whether it is one.
pub fn truncate<C: LowerCtx>(cx: &mut C, data: &InstData) -> bool {
    if data.op != Opcode::Trunc || !cx.is_folded(data.a) {
        return false;
    }
    let function = cx.func();
    let producer = |operand: Operand| Some(function.inst(function.def_inst(operand.as_value()?)?));
    let found = of(function, data, has_sse41(cx.view()), producer);
    let (clamp, [_, inner]) = found.expect("it was folded");
    let (value, ty) = (inner.a, inner.ty);
    if is_wide(cx.func(), ty) {
        let src = use_clamped(cx, value);
        let (low, high) = (super::temp(cx), super::temp(cx));
        cx.emit(rri(Op::Vextractf128RRI, WIDE_VECTOR_BYTES, high, src, 1));
        cx.emit(of_two(clamp.first, low, src, high));
        if let Some(second) = clamp.second {
            with(cx, second, low, low);
        }
        finish(cx, data, low);
        return true;
    }
    let value = cx.use_copy(value, 0);
    for row in [Some(clamp.first), clamp.second].into_iter().flatten() {
        with(cx, row, value, value);
    }
    finish(cx, data, value);
    true
}

fn is_wide(function: &Function, ty: Type) -> bool {
    wide_shape(function.types(), ty).is_some_and(|shape: VectorShape| shape.lane_bits <= 32)
}
