//! Conversions between vectors with as many lanes: widths of integers, masks and integers, integers and floats.

use super::super::{result, type_of};
use super::extend::{extend_from, extend_signs, extend_upper_half, extension, use_extended};
use super::{by, clamp, compare, constant, copy_of, finish, has_floats, has_sse41, has_ssse3, lanes, loaded, mask};
use super::{operand_shape, shape, signs, splat, temp, with, with_constant, zero};
use crate::build::*;
use crate::features;
use crate::regs::VECTOR_BYTES;
use crate::table::Op;
use frazil_codegen::{Folder, Halt, ImmKind, LowerCtx, ModuleView, Reg, Src, VectorShape};
use frazil_ir::{Function, InstData, Opcode, Type};

/// Whether an operation converts halves from or to floats, as the processor can.
pub fn is_of_halves(function: &Function, view: ModuleView<'_>, data: &InstData, to: VectorShape) -> bool {
    let of_operand = |operand| {
        function
            .operand_type(operand)
            .and_then(|ty| shape(function.types(), ty))
    };
    let is_one = match data.op {
        Opcode::Fpext => to.element == Type::F32 && of_operand(data.a).is_some_and(|from| from.element == Type::F16),
        Opcode::Fptrunc => to.element == Type::F16 && of_operand(data.a).is_some_and(|from| from.element == Type::F32),
        _ => false,
    };
    is_one && view.features.has(features::F16C)
}

/// Whether a conversion has instructions.
pub fn has_conversion(function: &Function, data: &InstData, to: VectorShape) -> bool {
    let from = function.operand_type(data.a);
    let Some(from) = from.and_then(|ty| shape(function.types(), ty)) else {
        return false;
    };
    match data.op {
        Opcode::Trunc | Opcode::Zext | Opcode::Sext => from.lane_bits <= 64 && to.lane_bits <= 64,
        // A mask has the bits of an address, too, but all ones where that is 1.
        Opcode::Ptrtoint | Opcode::Inttoptr => from.lane_bits == to.lane_bits && !from.is_mask && !to.is_mask,
        Opcode::Uitofp => matches!(
            (from.element, to.element),
            (Type::I32, Type::F32 | Type::F64) | (Type::I64, Type::F64)
        ),
        Opcode::Fptoui => matches!((from.element, to.element), (Type::F32 | Type::F64, Type::I32)),
        _ => float_row(data.op, from.element, to.element).is_some(),
    }
}

/// The row of a conversion from or to floats.
fn float_row(op: Opcode, from: Type, to: Type) -> Option<Op> {
    Some(match (op, from, to) {
        (Opcode::Sitofp, Type::I32, Type::F32) => Op::Cvtdq2psRR,
        (Opcode::Sitofp, Type::I32, Type::F64) => Op::Cvtdq2pdRR,
        (Opcode::Fptosi, Type::F32, Type::I32) => Op::Cvttps2dqRR,
        (Opcode::Fptosi, Type::F64, Type::I32) => Op::Cvttpd2dqRR,
        (Opcode::Lrint, Type::F32, Type::I32) => Op::Cvtps2dqRR,
        (Opcode::Lrint, Type::F64, Type::I32) => Op::Cvtpd2dqRR,
        (Opcode::Fpext, Type::F32, Type::F64) => Op::Cvtps2pdRR,
        (Opcode::Fptrunc, Type::F64, Type::F32) => Op::Cvtpd2psRR,
        _ => return None,
    })
}

/// Folds a load into the conversion of its two lanes to `f64`: the only ones that read no more from memory than such a
/// load does, and so need no alignment.
pub fn fold(folder: &mut Folder<'_>, data: &InstData) {
    let types = folder.function.types();
    let Some((value, load)) = folder.producer(data.a) else {
        return;
    };
    let (Some(from), Some(to)) = (shape(types, load.ty), shape(types, data.ty)) else {
        return;
    };
    if load.op == Opcode::Load
        && (from.lanes, to.element) == (2, Type::F64)
        && float_row(data.op, from.element, to.element).is_some()
    {
        folder.fold_load(value, load);
    }
}

/// Lowers what [`has_conversion`] says yes to.
pub fn convert<C: LowerCtx>(cx: &mut C, data: &InstData, to: VectorShape) -> Result<(), Halt> {
    let from = operand_shape(cx, data.a)?;
    match data.op {
        Opcode::Ptrtoint | Opcode::Inttoptr => {
            super::super::copy(cx, data);
            return Ok(());
        }
        Opcode::Trunc | Opcode::Zext | Opcode::Sext => {}
        Opcode::Fpext | Opcode::Fptrunc if from.element == Type::F16 || to.element == Type::F16 => {
            let src = cx.use_reg(data.a, 0);
            let dst = cx.def(result(data), 0);
            cx.emit(match data.op {
                Opcode::Fpext => rr(Op::Vcvtph2psRR, VECTOR_BYTES, dst, src),
                _ => rri(Op::Vcvtps2phRRI, VECTOR_BYTES, dst, src, super::CURRENT_ROUNDING),
            });
            return Ok(());
        }
        Opcode::Uitofp => {
            from_unsigned_operand(cx, data, from, to);
            return Ok(());
        }
        Opcode::Fptoui => {
            let value = cx.use_copy(data.a, 0);
            to_unsigned(cx, value, from);
            finish(cx, data, value);
            return Ok(());
        }
        op => {
            debug_assert!(has_floats(from) || has_floats(to));
            let row = float_row(op, from.element, to.element).ok_or(Halt::Expand)?;
            debug_assert!(shape(cx.func().types(), type_of(cx, data.a)).is_some());
            let src = match cx.is_folded(data.a) {
                true => cx.use_src(data.a, 0, ImmKind::None),
                false => Src::Reg(cx.use_reg(data.a, 0)),
            };
            let dst = cx.def(result(data), 0);
            extend_from(cx, row, VECTOR_BYTES, dst, src);
            return Ok(());
        }
    }
    if clamp::truncate(cx, data) || extend_upper_half(cx, data, from.lane_bits) {
        return Ok(());
    }
    if !from.is_mask
        && has_sse41(cx.view())
        && let Some(row) = extension(from.lane_bits, to.lane_bits, data.op == Opcode::Sext)
        && data.op != Opcode::Trunc
    {
        let src = use_extended(cx, data.a);
        let dst = cx.def(result(data), 0);
        extend_from(cx, row, VECTOR_BYTES, dst, src);
        return Ok(());
    }
    if extend_signs(cx, data, from, to) {
        return Ok(());
    }
    let value = cx.use_copy(data.a, 0);
    match data.op {
        Opcode::Trunc if to.is_mask => low_bits_to_mask(cx, value, from, to),
        // Of two lanes, no table is needed.
        Opcode::Trunc if from.lanes == 2 && (from.lane_bits, to.lane_bits) == (32, 16) => {
            cx.emit(rri(Op::PshuflwRRI, 16, value, value, 0x08));
        }
        Opcode::Trunc => narrow(cx, value, from.lane_bits, to.lane_bits),
        _ if from.is_mask => {
            mask::resize(cx, value, from.lane_bits, to.lane_bits);
            if data.op == Opcode::Zext {
                let ones = constant(cx, splat(1, to.lane_bits));
                cx.emit(rm(Op::PandRM, 16, value, ones));
            }
        }
        op => widen(cx, value, from.lane_bits, to.lane_bits, op == Opcode::Sext),
    }
    finish(cx, data, value);
    Ok(())
}

/// A mask of the lanes whose lowest bit is set.
fn low_bits_to_mask<C: LowerCtx>(cx: &mut C, value: Reg, from: VectorShape, to: VectorShape) {
    let ones = constant(cx, splat(1, from.lane_bits));
    let expected = temp(cx);
    cx.emit(rm(Op::MovapRM, 4, expected, ones));
    cx.emit(rr(Op::PandRR, 16, value, expected));
    compare::equal(cx, from.lane_bits, value, expected);
    mask::resize(cx, value, from.lane_bits, to.lane_bits);
}

/// Takes the low bits of each lane.
fn narrow<C: LowerCtx>(cx: &mut C, value: Reg, from_bits: u32, to_bits: u32) {
    match (from_bits, to_bits) {
        (64, 32) => lanes(cx, value, value, 0xe8),
        _ if from_bits == to_bits => {}
        _ if has_ssse3(cx.view()) => {
            let (from_bytes, to_bytes) = (from_bits / 8, to_bits / 8);
            let order = (0..16 / from_bytes * to_bytes).rev().fold(0u128, |order, byte| {
                let from = byte / to_bytes * from_bytes + byte % to_bytes;
                order << 8 | u128::from(from)
            });
            with_constant(cx, Op::PshufbRM, value, order);
        }
        (64, 16) => {
            lanes(cx, value, value, 0xe8);
            cx.emit(rri(Op::PshuflwRRI, 16, value, value, 0xe8));
        }
        (32, 16) => {
            // Sign-extended first, so that packing changes nothing.
            by(cx, Op::PslldRI, value, 16);
            by(cx, Op::PsradRI, value, 16);
            with(cx, Op::PackssdwRR, value, value);
        }
        _ => {
            // What is left fits into a byte, so saturating to 16 bits on the way, signed or not, changes nothing.
            with_constant(cx, Op::PandRM, value, splat(0xff, from_bits));
            for _ in 0..(from_bits / 8).trailing_zeros() {
                with(cx, Op::PackuswbRR, value, value);
            }
        }
    }
}

/// The row that interleaves the low lanes of two registers.
fn interleave(lane_bits: u32) -> Op {
    match lane_bits {
        8 => Op::PunpcklbwRR,
        16 => Op::PunpcklwdRR,
        _ => Op::PunpckldqRR,
    }
}

/// Extends lanes with zeros, or to 32 bits at most by shifting down what was put on top, and from there with signs.
fn widen<C: LowerCtx>(cx: &mut C, value: Reg, from_bits: u32, to_bits: u32, signed: bool) {
    let mut bits = from_bits;
    if !signed {
        let clear = zero(cx);
        while bits < to_bits {
            with(cx, interleave(bits), value, clear);
            bits *= 2;
        }
        return;
    }
    while bits < to_bits.min(32) {
        with(cx, interleave(bits), value, value);
        bits *= 2;
    }
    if from_bits < bits {
        let row = if bits == 16 { Op::PsrawRI } else { Op::PsradRI };
        by(cx, row, value, (bits - from_bits).cast_signed());
    }
    if bits < to_bits {
        let fill = signs(cx, value, 32);
        with(cx, Op::PunpckldqRR, value, fill);
    }
}

/// The exponent fields of doubles whose lowest bit is 1, and 2^32; and of floats whose lowest bit is 1, and 2^16.
const DOUBLE_ONE: u128 = 0x4330_0000_0000_0000;
const DOUBLE_HIGH: u128 = 0x4530_0000_0000_0000;
const FLOAT_ONE: u128 = 0x4b00_0000;
const FLOAT_HIGH: u128 = 0x5300_0000;

/// Lowers a conversion of unsigned integers, where both shapes are what one rule sees of them.
pub fn from_unsigned_operand<C: LowerCtx>(cx: &mut C, data: &InstData, from: VectorShape, to: VectorShape) {
    let value = cx.use_copy(data.a, 0);
    from_unsigned(cx, value, from, to);
    finish(cx, data, value);
}

/// Unsigned integers become floats of their halves, put into numbers of which all lower bits are significant: `high`
/// less what both numbers have too much is exact, and adding `low` rounds once.
fn from_unsigned<C: LowerCtx>(cx: &mut C, value: Reg, from: VectorShape, to: VectorShape) {
    let bits = from.lane_bits;
    if bits < to.lane_bits {
        widen(cx, value, 32, 64, false);
        with_constant(cx, Op::PorRM, value, splat(DOUBLE_ONE, 64));
        let too_much = constant(cx, splat(DOUBLE_ONE, 64));
        return cx.emit(rm(Op::SubpRM, 8, value, too_much));
    }
    let (one, high_one, low_one, shift) = if bits == 64 {
        (DOUBLE_ONE, DOUBLE_HIGH, 1 << 20, Op::PsrlqRI)
    } else {
        (FLOAT_ONE, FLOAT_HIGH, 1 << 7, Op::PsrldRI)
    };
    let (size, too_much) = ((bits / 8) as u8, splat(high_one + low_one, bits));
    if has_sse41(cx.view()) {
        // The words of the upper half of each lane.
        let upper = if bits == 64 { 0xcc } else { 0xaa };
        let [one, high_one] = [one, high_one].map(|bits_of_one| loaded(cx, splat(bits_of_one, bits)));
        let low = copy_of(cx, value);
        cx.emit(rri(Op::PblendwRRI, 16, low, one, upper));
        by(cx, shift, value, bits.cast_signed() / 2);
        cx.emit(rri(Op::PblendwRRI, 16, value, high_one, upper));
        return join_halves(cx, value, low, too_much, size);
    }
    let low = copy_of(cx, value);
    with_constant(cx, Op::PandRM, low, splat(u128::MAX >> (128 - bits / 2), bits));
    with_constant(cx, Op::PorRM, low, splat(one, bits));
    by(cx, shift, value, bits.cast_signed() / 2);
    with_constant(cx, Op::PorRM, value, splat(high_one, bits));
    join_halves(cx, value, low, too_much, size);
}

/// Adds both halves, of which the upper one has `too_much`.
fn join_halves<C: LowerCtx>(cx: &mut C, value: Reg, low: Reg, too_much: u128, size: u8) {
    let too_much = constant(cx, too_much);
    cx.emit(rm(Op::SubpRM, size, value, too_much));
    cx.emit(rr(Op::AddpRR, size, value, low));
}

/// What does not fit a signed integer becomes its sign bit alone, to which the rest is added.
fn to_unsigned<C: LowerCtx>(cx: &mut C, value: Reg, from: VectorShape) {
    let (row, limit, size) = if from.element == Type::F32 {
        (Op::Cvttps2dqRR, splat(0x4f00_0000, 32), 4)
    } else {
        (Op::Cvttpd2dqRR, splat(0x41e0_0000_0000_0000, 64), 8)
    };
    let rest = copy_of(cx, value);
    let limit = constant(cx, limit);
    with(cx, row, value, value);
    cx.emit(rm(Op::SubpRM, size, rest, limit));
    with(cx, row, rest, rest);
    let exceeds = signs(cx, value, 32);
    with(cx, Op::PandRR, rest, exceeds);
    with(cx, Op::PorRR, value, rest);
}
