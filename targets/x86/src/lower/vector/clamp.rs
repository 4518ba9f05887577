//! Truncations of lanes that were brought between two bounds before: the instructions that pack lanes do both.
//!
//! ```text
//! trunc (umin (smax v0, 0), 255)     ->     packssdw, packuswb
//! ```
//!
//! From 32 to 8 bits, lanes are packed twice: what the first one brings to the bounds of signed words stays on the same
//! side of those of bytes. The minimum and the maximum are folded if they have no other use. Two truncations of 128 or
//! 256 bits whose results a shuffle puts one after the other are folded into that, and packed at once; so are four of
//! 128 bits.

use super::super::result;
use super::wide::{bytes, reload, wide_shape};
use super::{finish, has_sse41, mask_register, shape, temp, with};
use crate::build::*;
use crate::evex::Evex;
use crate::features;
use crate::regs::{VECTOR_BYTES, WIDE_VECTOR_BYTES};
use crate::table::Op;
use frazil_codegen::vectors::shuffle_index;
use frazil_codegen::{Folder, ImmKind, LowerCtx, Reg, Src, VectorShape};
use frazil_ir::{ConstView, Function, InstData, Opcode, Operand, TypeData};

/// The numbers of quarters that bring the results of packing two wide vectors, half by half, into order.
const IN_ORDER: i32 = 0xd8;

/// Between which bounds lanes are brought, by what packs them; the second one of two.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Clamp {
    first: Op,
    second: Option<Op>,
    /// What truncates a wide vector with AVX-512: to the nearest signed number, or to the nearest number without sign
    /// of one that is not negative.
    at_once: Evex,
    is_signed: bool,
}

/// The clamp that a truncation ends, and the two operations that it is, the last one first. Their operands are as
/// `producer` finds them.
fn of<'a>(
    function: &'a Function,
    data: &InstData,
    has_later: bool,
    producer: impl Fn(Operand) -> Option<&'a InstData>,
) -> Option<(Clamp, [&'a InstData; 2])> {
    let to = VectorShape::of(function.types(), data.ty, WIDE_VECTOR_BYTES)?;
    let ty = function.operand_type(data.a)?;
    let from = VectorShape::of(function.types(), ty, bytes(function.types(), ty).max(VECTOR_BYTES))?;
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
    let (first, second, at_once) = match (from.lane_bits, to.lane_bits, is_signed) {
        (16, 8, true) => (Op::PacksswbRR, None, Evex::Vpmovswb),
        (16, 8, false) => (Op::PackuswbRR, None, Evex::Vpmovuswb),
        (32, 16, true) => (Op::PackssdwRR, None, Evex::Vpmovsdw),
        (32, 16, false) if has_later => (Op::PackusdwRR, None, Evex::Vpmovusdw),
        (32, 8, true) => (Op::PackssdwRR, Some(Op::PacksswbRR), Evex::Vpmovsdb),
        (32, 8, false) => (Op::PackssdwRR, Some(Op::PackuswbRR), Evex::Vpmovusdb),
        _ => return None,
    };
    let clamp = Clamp {
        first,
        second,
        at_once,
        is_signed,
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
        let bits = shape(function.types(), inner.ty).map(|shape| shape.lanes * shape.lane_bits);
        let is_whole = bits == Some(128) || wide_shape(function.types(), inner.ty).is_some();
        is_whole.then_some((clamp, inner))
    };
    let (first, second) = (clamped(data.a)?, clamped(second)?);
    (is_joined && first.0 == second.0).then_some((first.0, [first.1, second.1]))
}

/// Two pairs of vectors of 128 bits whose lanes are packed twice, of shuffles whose results a shuffle joins. These are
/// as `producer` finds them.
fn pairs<'a>(
    function: &'a Function,
    data: &InstData,
    producer: impl Fn(Operand) -> Option<&'a InstData>,
    is_folded: impl Fn(Operand) -> bool,
) -> Option<(Clamp, [[&'a InstData; 2]; 2])> {
    let (second, mask) = function.ternary(data);
    let lanes = shape(function.types(), data.ty)?.lanes;
    let is_joined = (0..lanes).all(|lane| shuffle_index(function, mask, lane) == Some(lane));
    let defined = |operand: Operand| Some(function.inst(function.def_inst(operand.as_value()?)?));
    let of_shuffle = |operand: Operand| {
        let inner = producer(operand).filter(|data| data.op == Opcode::Shuffle && is_folded(data.a))?;
        let is_short = shape(function.types(), inner.ty).is_some_and(|shape| 2 * shape.lanes == lanes);
        pair(function, inner, defined, &is_folded).filter(|(clamp, _)| is_short && clamp.second.is_some())
    };
    let (first, other) = (of_shuffle(data.a)?, of_shuffle(second)?);
    let is_short = |pair: &[&InstData; 2]| shape(function.types(), pair[0].ty).is_some();
    let is_alike = first.0 == other.0 && is_short(&first.1) && is_short(&other.1);
    (is_joined && is_alike).then_some((first.0, [first.1, other.1]))
}

/// Folds two truncations that were clamped, or two shuffles that join such, into the shuffle that joins them.
pub fn fold_pair(folder: &mut Folder<'_>, data: &InstData) -> bool {
    let second = folder.function.ternary(data).0;
    let producer = |operand| folder.producer(operand).map(|(_, data)| data);
    let is_folded = |operand| folder.is_folded(operand);
    let is_pair = data.a != second
        && (pair(folder.function, data, producer, is_folded).is_some()
            || pairs(folder.function, data, producer, is_folded).is_some());
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
    let is_folded = |operand| cx.is_folded(operand);
    let Some((clamp, inners)) = pair(function, data, producer, is_folded) else {
        let Some((clamp, inners)) = pairs(function, data, producer, is_folded) else {
            return false;
        };
        let values = inners.map(|pair| pair.map(|inner| inner.a));
        let [first, second] = values.map(|pair| pack_short(cx, clamp, pair));
        with(cx, clamp.second.expect("it was asked before"), first, second);
        finish(cx, data, first);
        return true;
    };
    let (values, ty) = (inners.map(|inner| inner.a), inners[0].ty);
    if shape(cx.func().types(), ty).is_some() {
        let packed = pack_short(cx, clamp, values);
        if let Some(narrower) = clamp.second {
            with(cx, narrower, packed, packed);
        }
        finish(cx, data, packed);
        return true;
    }
    let [first, second] = values.map(|value| use_clamped(cx, value, WIDE_VECTOR_BYTES));
    let packed = temp(cx);
    cx.emit(wide_of_two(clamp.first, packed, first, second));
    // Each half has four or eight lanes of both.
    let Some(narrower) = clamp.second else {
        let dst = cx.def(result(data), 0);
        cx.emit(rri(Op::VpermqYRRI, WIDE_VECTOR_BYTES, dst, packed, IN_ORDER));
        return true;
    };
    let (high, narrow) = (temp(cx), temp(cx));
    cx.emit(rri(Op::Vextractf128RRI, WIDE_VECTOR_BYTES, high, packed, 1));
    cx.emit(of_two(narrower, narrow, packed, high));
    let dst = cx.def(result(data), 0);
    cx.emit(rri(Op::PshufdRRI, VECTOR_BYTES, dst, narrow, IN_ORDER));
    true
}

/// Packs two vectors of 128 bits once, in a register of the rule.
fn pack_short<C: LowerCtx>(cx: &mut C, clamp: Clamp, [first, second]: [Operand; 2]) -> Reg {
    let packed = cx.use_copy(first, 0);
    let second = cx.use_reg(second, 0);
    with(cx, clamp.first, packed, second);
    packed
}

/// The register with what is clamped; the minimum or maximum may have taken it from memory.
fn use_clamped<C: LowerCtx>(cx: &mut C, value: Operand, size: u8) -> Reg {
    match cx.use_src(value, 0, ImmKind::None) {
        Src::Mem(mem) => {
            let loaded = temp(cx);
            cx.emit(reload(size, loaded, mem));
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
    let size = bytes(cx.func().types(), ty);
    if size > 0 {
        wide(cx, data, clamp, value, size);
        return true;
    }
    let value = cx.use_copy(value, 0);
    for row in [Some(clamp.first), clamp.second].into_iter().flatten() {
        with(cx, row, value, value);
    }
    finish(cx, data, value);
    true
}

/// Truncates a vector of 256 or 512 bits.
fn wide<C: LowerCtx>(cx: &mut C, data: &InstData, clamp: Clamp, value: Operand, size: u8) {
    let src = use_clamped(cx, value, size);
    if mask_register::is_available(cx.view().features) {
        return at_once(cx, data, clamp, src, size);
    }
    let (low, high) = (temp(cx), temp(cx));
    cx.emit(rri(Op::Vextractf128RRI, WIDE_VECTOR_BYTES, high, src, 1));
    cx.emit(of_two(clamp.first, low, src, high));
    if let Some(second) = clamp.second {
        with(cx, second, low, low);
    }
    finish(cx, data, low);
}

/// The same with AVX-512, which truncates without signs only what has none.
fn at_once<C: LowerCtx>(cx: &mut C, data: &InstData, clamp: Clamp, src: Reg, size: u8) {
    let is_of_words = matches!(clamp.first, Op::PacksswbRR | Op::PackuswbRR);
    let src = if clamp.is_signed {
        src
    } else {
        let (positive, zero) = (temp(cx), temp(cx));
        cx.emit(r(Op::VxorpsYS, WIDE_VECTOR_BYTES, zero));
        cx.emit(match (size > WIDE_VECTOR_BYTES, is_of_words) {
            (true, true) => evex(Evex::Vpmaxsw, size, false, [positive, src, zero], 0),
            (true, false) => evex(Evex::Vpmaxsd, size, false, [positive, src, zero], 0),
            (false, true) => rrr(Op::VpmaxswYRRR, size, positive, src, zero),
            (false, false) => rrr(Op::VpmaxsdYRRR, size, positive, src, zero),
        });
        positive
    };
    let dst = cx.def(result(data), 0);
    cx.emit(evex(clamp.at_once, size, false, [dst, src, Reg::NONE], 0));
}
