//! Extensions of lanes: what they extend is taken from memory, or from the upper half of a register, without an
//! instruction of its own.
//!
//! ```text
//! zext <8 x i16> (load <8 x i8> p)                         ->     pmovzxbw xmm0, [p]
//! zext <8 x i16> (shuffle <8 x i8> v0, [8, 9 .. 15])       ->     punpckhbw xmm0, zero
//! ```

use super::wide::use_lower_half;
use super::{by, finish, shape, signs, temp, with, zero};
use crate::build::*;
use crate::features;
use crate::memory_forms::vector_memory_form;
use crate::regs::{VECTOR_BYTES, WIDE_VECTOR_BYTES};
use crate::table::Op;
use frazil_codegen::vectors::shuffle_index;
use frazil_codegen::{Folder, ImmKind, LowerCtx, Reg, Src, VectorShape};
use frazil_ir::{Function, InstData, Opcode, Operand};

/// The row that extends lanes at once.
pub fn extension(from_bits: u32, to_bits: u32, signed: bool) -> Option<Op> {
    Some(match (from_bits, to_bits, signed) {
        (8, 16, false) => Op::PmovzxbwRR,
        (8, 32, false) => Op::PmovzxbdRR,
        (8, 64, false) => Op::PmovzxbqRR,
        (16, 32, false) => Op::PmovzxwdRR,
        (16, 64, false) => Op::PmovzxwqRR,
        (32, 64, false) => Op::PmovzxdqRR,
        (8, 16, true) => Op::PmovsxbwRR,
        (8, 32, true) => Op::PmovsxbdRR,
        (8, 64, true) => Op::PmovsxbqRR,
        (16, 32, true) => Op::PmovsxwdRR,
        (16, 64, true) => Op::PmovsxwqRR,
        (32, 64, true) => Op::PmovsxdqRR,
        _ => return None,
    })
}

/// Folds a load into an extension to whole registers of so many bytes; says whether there is one.
pub fn fold_extended(folder: &mut Folder<'_>, data: &InstData, bytes: u8) -> bool {
    let types = folder.function.types();
    let (Some((value, load)), Some(to)) = (
        folder.producer(data.a),
        VectorShape::of(types, data.ty, WIDE_VECTOR_BYTES),
    ) else {
        return false;
    };
    let is_whole = to.lanes * to.lane_bits == u32::from(bytes) * 8;
    let from = shape(types, load.ty).filter(|from| load.op == Opcode::Load && !from.is_mask && is_whole);
    let signed = matches!(data.op, Opcode::Sext | Opcode::Sitofp);
    let has_row = from.is_some_and(|from| extension(from.lane_bits, to.lane_bits, signed).is_some());
    if has_row {
        folder.fold_load(value, load);
    }
    has_row
}

/// Folds what an extension to 128 bits extends: a load, or the upper half of a vector.
pub fn fold(folder: &mut Folder<'_>, data: &InstData) {
    let has_later = folder.features().has(features::SSE4_1);
    let is_done = has_later && (fold_extended(folder, data, VECTOR_BYTES) || data.op != Opcode::Zext);
    if !is_done
        && let Some((value, half)) = folder.producer(data.a)
        && is_upper_half_doubled(folder.function, data, half)
    {
        folder.fold(value);
    }
}

/// Whether an instruction makes lanes twice as wide, and another one takes these lanes, the upper half of a vector of
/// 128 bits.
fn is_upper_half_doubled(function: &Function, data: &InstData, half: &InstData) -> bool {
    let of = |ty| shape(function.types(), ty).filter(|shape| !shape.is_mask);
    let whole = (half.op == Opcode::Shuffle)
        .then(|| function.operand_type(half.a))
        .flatten();
    let (Some(to), Some(from), Some(whole)) = (of(data.ty), of(half.ty), whole.and_then(of)) else {
        return false;
    };
    let (_, mask) = function.ternary(half);
    let is_whole = |shape: VectorShape| shape.lanes * shape.lane_bits == u32::from(VECTOR_BYTES) * 8;
    to.lane_bits == 2 * from.lane_bits
        && whole.lanes == 2 * from.lanes
        && is_whole(to)
        && is_whole(whole)
        && (0..from.lanes).all(|lane| shuffle_index(function, mask, lane) == Some(from.lanes + lane))
}

/// The vector whose upper half an operand is, if that is folded.
pub fn whole_of_upper_half<C: LowerCtx>(cx: &C, operand: Operand) -> Option<Operand> {
    let value = operand.as_value().filter(|_| cx.is_folded(operand))?;
    let half = cx.func().inst(cx.func().def_inst(value)?);
    (half.op == Opcode::Shuffle).then_some(half.a)
}

/// Lowers an extension of the upper half of a vector, if that is folded; says whether it is.
pub fn extend_upper_half<C: LowerCtx>(cx: &mut C, data: &InstData, from_bits: u32) -> bool {
    let Some(whole) = whole_of_upper_half(cx, data.a) else {
        return false;
    };
    let is_signed = data.op == Opcode::Sext;
    if is_signed && from_bits < 32 && !has_three_operands(cx) {
        let whole = cx.use_reg(whole, 0);
        let value = temp(cx);
        let row = if from_bits == 8 {
            Op::PunpckhbwAnyRR
        } else {
            Op::PunpckhwdAnyRR
        };
        with(cx, row, value, whole);
        shift_down(cx, value, from_bits);
        finish(cx, data, value);
        return true;
    }
    let value = cx.use_copy(whole, 0);
    let row = match from_bits {
        8 => Op::PunpckhbwRR,
        16 => Op::PunpckhwdRR,
        _ => Op::PunpckhdqRR,
    };
    let above = match is_signed && from_bits == 32 {
        true => signs(cx, value, 32),
        false if is_signed => value,
        false => zero(cx),
    };
    with(cx, row, value, above);
    if is_signed && from_bits < 32 {
        shift_down(cx, value, from_bits);
    }
    finish(cx, data, value);
    true
}

/// Brings lanes of so many bits that are the upper halves of others to where they belong, with their signs above them.
fn shift_down<C: LowerCtx>(cx: &mut C, value: Reg, bits: u32) {
    let row = if bits == 8 { Op::PsrawRI } else { Op::PsradRI };
    by(cx, row, value, bits.cast_signed());
}

/// Whether instructions have a register for their result, so that no copy stays before those that overwrite an operand.
fn has_three_operands<C: LowerCtx>(cx: &C) -> bool {
    cx.view().features.has(features::AVX)
}

/// Lowers an extension of lanes of 8 or 16 bits with their signs to twice as many: they go to the upper halves of
/// others, below which anything may be. Says whether it is one.
pub fn extend_signs<C: LowerCtx>(cx: &mut C, data: &InstData, from: VectorShape, to: VectorShape) -> bool {
    let row = match from.lane_bits {
        8 => Op::PunpcklbwAnyRR,
        16 => Op::PunpcklwdAnyRR,
        _ => return false,
    };
    let is_twice = to.lane_bits == 2 * from.lane_bits && !from.is_mask;
    if data.op != Opcode::Sext || !is_twice || has_three_operands(cx) {
        return false;
    }
    let src = cx.use_reg(data.a, 0);
    let value = temp(cx);
    with(cx, row, value, src);
    shift_down(cx, value, from.lane_bits);
    finish(cx, data, value);
    true
}

/// What an extension reads: a load, or a register.
pub fn use_extended<C: LowerCtx>(cx: &mut C, operand: Operand) -> Src {
    let producer = operand.as_value().filter(|_| cx.is_folded(operand));
    let inst = producer.and_then(|value| cx.func().def_inst(value));
    match inst.map(|inst| cx.func().inst(inst).op) {
        Some(Opcode::Load) => cx.use_src(operand, 0, ImmKind::None),
        _ => Src::Reg(use_lower_half(cx, operand)),
    }
}

/// `dst = row(src)`, where the row has a form with memory if that is needed.
pub fn extend_from<C: LowerCtx>(cx: &mut C, row: Op, size: u8, dst: Reg, src: Src) {
    match src {
        Src::Mem(mem) => {
            let row = vector_memory_form(row).expect("extensions have a form with memory");
            cx.emit(rm(row, size, dst, mem));
        }
        Src::Reg(src) => cx.emit(rr(row, size, dst, src)),
        Src::Imm(_) => unreachable!("not asked for"),
    }
}
