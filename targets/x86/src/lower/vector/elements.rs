//! Elements of vectors, with a constant index.

use super::super::condition::Test;
use super::super::{is_narrow_float, result};
use super::{
    four_lanes, from_general, from_quadword, has_floats, has_sse41, is_integer, lane_bytes, temp, to_general,
    to_quadword,
};
use crate::build::*;
use crate::cond::Cond;
use crate::features;
use crate::table::Op;
use frazil_codegen::{Folder, ImmKind, LowerCtx, Reg, RegClass, Src, VectorShape};
use frazil_ir::{ConstView, Function, InstData, Opcode, Operand, Type};

/// The lanes of a `pshufd` that leaves them where they are.
const IDENTITY: i32 = 0xe4;

/// Lowers `extract_element`.
pub fn extract<C: LowerCtx>(cx: &mut C, data: &InstData, shape: VectorShape) {
    let index = shape.lane(cx.func(), data.b).unwrap_or(0);
    if has_floats(shape) {
        extract_float(cx, data, shape, index);
        return;
    }
    if is_narrow_float(shape.element) {
        let src = cx.use_reg(data.a, 0);
        let general = cx.temp(RegClass::Int);
        let dst = cx.def(result(data), 0);
        cx.emit(rri(Op::PextrwRXI, 16, general, src, index.cast_signed()));
        cx.emit(rr(Op::MovdXR, 4, dst, general));
        return;
    }
    let src = cx.use_reg(data.a, 0);
    if shape.lane_bits == 64 && !shape.is_mask {
        return to_quadword(cx, data, src, index);
    }
    let dst = cx.def(result(data), 0);
    if shape.is_mask {
        cx.emit(rr(Op::PmovmskbRX, 16, dst, src));
        let bit = index * shape.lane_bits / 8;
        if bit > 0 {
            cx.emit(ri(Op::ShrRI, 4, dst, bit.cast_signed()));
        }
        return;
    }
    match shape.lane_bits {
        8 if has_sse41(cx.view()) && index % 2 == 1 => {
            cx.emit(rri(Op::PextrbRXI, 16, dst, src, index.cast_signed()));
        }
        32 if has_sse41(cx.view()) && index > 0 => {
            cx.emit(rri(Op::PextrdRXI, 16, dst, src, index.cast_signed()));
        }
        8 => {
            cx.emit(rri(Op::PextrwRXI, 16, dst, src, (index / 2).cast_signed()));
            if index % 2 == 1 {
                cx.emit(ri(Op::ShrRI, 4, dst, 8));
            }
        }
        16 => cx.emit(rri(Op::PextrwRXI, 16, dst, src, index.cast_signed())),
        32 => {
            let from = to_front(cx, src, index);
            cx.emit(rr(Op::MovdRX, 4, dst, from));
        }
        _ => {
            let high = cx.def(result(data), 1);
            to_general(cx, dst, src, 0);
            to_general(cx, high, src, 1);
        }
    }
}

/// Whether it extracts a lane of a mask in a vector register.
pub fn is_lane_of_mask(function: &Function, data: &InstData) -> bool {
    shape_of(function, data).is_some_and(|shape| shape.is_mask && shape.lane(function, data.b).is_some())
}

/// Sets the flags by a lane of a mask, whose extraction is folded.
pub(crate) fn test_mask<C: LowerCtx>(cx: &mut C, data: &InstData) -> Test {
    let shape = shape_of(cx.func(), data).expect("checked when it was folded");
    let index = shape.lane(cx.func(), data.b).unwrap_or(0);
    let mask = cx.use_reg(data.a, 0);
    let bits = cx.temp(RegClass::Int);
    cx.emit(rr(Op::PmovmskbRX, 16, bits, mask));
    let bit = index * shape.lane_bits / 8;
    let bytes = if bit < 8 { 1 } else { 4 };
    cx.emit(ri(Op::TestRI, bytes, bits, 1 << bit));
    Test::one(Cond::Ne)
}

/// Folds the extraction of an integer into the store that is its only use, unless that may be to a register.
pub fn fold_stored(folder: &mut Folder<'_>, store: &InstData) {
    let is_slot = |pointer| folder.function.slot_of(pointer).is_some();
    if let Some((value, data)) = folder.producer_before(store.a)
        && data.op == Opcode::ExtractElement
        && !store.b.as_value().is_some_and(is_slot)
        && let Some(shape) = shape_of(folder.function, data)
        && matches!(shape.lane_bits, 32 | 64)
        && !has_floats(shape)
        && !shape.is_mask
        && shape.lane(folder.function, data.b).is_some()
    {
        folder.fold(value);
    }
}

/// Stores a lane, whose extraction is folded, without moving it to a general register.
pub fn store_lane<C: LowerCtx>(cx: &mut C, store: &InstData, data: &InstData) {
    let shape = shape_of(cx.func(), data).expect("checked when it was folded");
    let index = shape.lane(cx.func(), data.b).unwrap_or(0);
    let src = cx.use_reg(data.a, 0);
    let front = match (shape.lane_bits, index) {
        (_, 0) => src,
        (32, _) => to_front(cx, src, index),
        _ => {
            let front = temp(cx);
            cx.emit(rri(Op::PshufdRRI, 16, front, src, 0xee));
            front
        }
    };
    let mem = cx.use_addr(store.b, 8);
    cx.emit(mr(Op::MovsMR, lane_bytes(shape), mem, front));
}

/// The shape of the vector of which a lane is extracted, if it is in one register.
fn shape_of(function: &Function, data: &InstData) -> Option<VectorShape> {
    super::shape(function.types(), function.operand_type(data.a)?)
}

/// A register whose first 32-bit lane is this one.
fn to_front<C: LowerCtx>(cx: &mut C, src: Reg, index: u32) -> Reg {
    if index == 0 {
        return src;
    }
    let front = temp(cx);
    cx.emit(rri(Op::PshufdRRI, 16, front, src, index.cast_signed()));
    front
}

fn extract_float<C: LowerCtx>(cx: &mut C, data: &InstData, shape: VectorShape, index: u32) {
    if index == 0 {
        let src = cx.use_last(data.a, 0);
        cx.def_reuse(result(data), 0, src);
        return;
    }
    let lanes = if shape.element == Type::F32 {
        index.cast_signed()
    } else {
        0xee
    };
    let src = cx.use_reg(data.a, 0);
    let dst = cx.def(result(data), 0);
    cx.emit(rri(Op::PshufdRRI, 16, dst, src, lanes));
}

/// Lowers `insert_element`.
pub fn insert<C: LowerCtx>(cx: &mut C, data: &InstData, shape: VectorShape) {
    let (value, index) = cx.func().ternary(data);
    let index = shape.lane(cx.func(), index).unwrap_or(0);
    if shape.lane_bits == 128 {
        insert_pair(cx, data, value);
        return;
    }
    if four_lanes::lower(cx, data, shape) {
        return;
    }
    let base = data.a.as_const().map(|id| cx.func().constant(id).1);
    match base {
        Some(ConstView::Undef | ConstView::Poison) if !shape.is_mask => {
            return insert_alone(cx, data, value, shape, index);
        }
        // What is moved clears the rest of the register.
        Some(ConstView::Zero) if index == 0 && shape.lane_bits >= 32 && !has_floats(shape) && !shape.is_mask => {
            return insert_alone(cx, data, value, shape, index);
        }
        _ => {}
    }
    if let Some((low, into)) = folded_lower_byte(cx, data) {
        return insert_two_bytes(cx, data, [low, value], into, index);
    }
    let has_rows = is_integer(shape) && matches!(shape.lane_bits, 8 | 32) && has_sse41(cx.view());
    if has_rows || cx.is_folded(value) {
        let element = cx.use_src(value, 0, ImmKind::None);
        let src = cx.use_last(data.a, 0);
        let dst = cx.def_reuse(result(data), 0, src);
        let [with_register, with_memory] = match shape.lane_bits {
            8 => [Op::PinsrbXRI, Op::PinsrbXMI],
            16 => [Op::PinsrwXRI, Op::PinsrwXMI],
            _ => [Op::PinsrdXRI, Op::PinsrdXMI],
        };
        return cx.emit(match element {
            Src::Mem(mem) => rmi(with_memory, 16, dst, mem, index.cast_signed()),
            Src::Reg(general) => rri(with_register, 16, dst, general, index.cast_signed()),
            Src::Imm(_) => unreachable!("not asked for"),
        });
    }
    let value = element(cx, value, shape);
    let src = cx.use_last(data.a, 0);
    let dst = cx.def_reuse(result(data), 0, src);
    match shape.lane_bits {
        8 => insert_byte(cx, dst, value, index),
        16 => cx.emit(rri(Op::PinsrwXRI, 16, dst, value, index.cast_signed())),
        32 => insert_32(cx, dst, value, index),
        _ if index == 0 => cx.emit(rr(Op::MovsRR, 8, dst, value)),
        _ => cx.emit(rr(Op::PunpcklqdqRR, 16, dst, value)),
    }
}

/// Folds what an insertion takes: the load of a lane for which there is an instruction, or, where only words are
/// inserted, the insertion of the byte before.
pub fn fold_inserted(folder: &mut Folder<'_>, data: &InstData) {
    let function = folder.function;
    let Some(shape) = super::shape(function.types(), data.ty).filter(|&shape| is_integer(shape)) else {
        return;
    };
    let has_row = match shape.lane_bits {
        16 => true,
        8 | 32 => folder.features().has(features::SSE4_1),
        _ => false,
    };
    if !has_row {
        return fold_lower_byte(folder, data);
    }
    // Into nothing or zeros, lanes come by other ways.
    let is_inserted = data.a.as_value().is_some();
    if is_inserted
        && let Some((value, load)) = folder.producer(function.ternary(data).0)
        && load.op == Opcode::Load
        && function.types().int_bits(load.ty) == Some(shape.lane_bits)
    {
        folder.fold_load(value, load);
    }
}

/// Folds the insertion of a byte into that of the byte after it in the same word, and the loads of both.
fn fold_lower_byte(folder: &mut Folder<'_>, data: &InstData) {
    let function = folder.function;
    let byte_of = |data: &InstData| {
        let shape = super::shape(function.types(), data.ty).filter(|shape| shape.lane_bits == 8 && !shape.is_mask)?;
        shape.lane(function, function.ternary(data).1)
    };
    if !folder.features().has(features::SSE4_1)
        && let Some(byte) = byte_of(data).filter(|byte| byte % 2 == 1)
        && let Some((value, lower)) = folder.producer(data.a)
        && lower.op == Opcode::InsertElement
        && byte_of(lower) == Some(byte - 1)
    {
        folder.fold(value);
        for operand in [data, lower].map(|insertion| function.ternary(insertion).0) {
            if let Some((value, load)) = folder.producer(operand).filter(|(_, load)| load.op == Opcode::Load)
                && load.ty == Type::I8
            {
                folder.fold_load(value, load);
            }
        }
    }
}

/// What the folded insertion of a byte inserts, and the vector that it inserts it into.
fn folded_lower_byte<C: LowerCtx>(cx: &C, data: &InstData) -> Option<(Operand, Operand)> {
    let lower = data.a.as_value().filter(|_| cx.is_folded(data.a))?;
    let lower = *cx.func().inst(cx.func().def_inst(lower)?);
    Some((cx.func().ternary(&lower).0, lower.a))
}

/// Two bytes as a word.
fn insert_two_bytes<C: LowerCtx>(cx: &mut C, data: &InstData, bytes: [Operand; 2], into: Operand, index: u32) {
    let [low, high] = bytes.map(|byte| cx.use_src(byte, 0, ImmKind::None));
    let (word, upper) = (cx.temp(RegClass::Int), cx.temp(RegClass::Int));
    let view = into.as_const().map(|id| cx.func().constant(id).1);
    let is_alone = matches!(view, Some(ConstView::Undef | ConstView::Poison)) && index == 1;
    let dst = match is_alone {
        true => cx.def(result(data), 0),
        false => {
            let src = cx.use_last(into, 0);
            cx.def_reuse(result(data), 0, src)
        }
    };
    cx.emit(match high {
        Src::Mem(mem) => rm(Op::MovzxBRM, 4, upper, mem),
        Src::Reg(high) => rr(Op::MovRR, 4, upper, high),
        Src::Imm(_) => unreachable!("not asked for"),
    });
    cx.emit(match low {
        Src::Mem(mem) => rm(Op::MovzxBRM, 4, word, mem),
        Src::Reg(low) => rr(Op::MovzxBRR, 4, word, low),
        Src::Imm(_) => unreachable!("not asked for"),
    });
    cx.emit(ri(Op::ShlRI, 4, upper, 8));
    cx.emit(rr(Op::OrRR, 4, word, upper));
    cx.emit(match is_alone {
        true => rr(Op::MovdXR, 4, dst, word),
        false => rri(Op::PinsrwXRI, 16, dst, word, (index / 2).cast_signed()),
    });
}

/// The element in its place, with any contents of other lanes, or zeros if it is the first one.
fn insert_alone<C: LowerCtx>(cx: &mut C, data: &InstData, value: Operand, shape: VectorShape, index: u32) {
    if (has_floats(shape) || is_narrow_float(shape.element)) && index == 0 {
        let src = cx.use_last(value, 0);
        cx.def_reuse(result(data), 0, src);
        return;
    }
    if is_narrow_float(shape.element) {
        let src = cx.use_last(value, 0);
        let dst = cx.def_reuse(result(data), 0, src);
        return cx.emit(ri(Op::PslldqRI, 16, dst, 2 * index.cast_signed()));
    }
    if has_floats(shape) {
        let src = cx.use_reg(value, 0);
        let dst = cx.def(result(data), 0);
        // The first lane everywhere.
        let lanes = if shape.lane_bits == 32 { 0 } else { 0x44 };
        return cx.emit(rri(Op::PshufdRRI, 16, dst, src, lanes));
    }
    let dst = if lane_bytes(shape) > C::WORD_BYTES {
        let whole = from_quadword(cx, value);
        cx.def_reuse(result(data), 0, whole)
    } else {
        let general = cx.use_reg(value, 0);
        let dst = cx.def(result(data), 0);
        cx.emit(rr(Op::MovdXR, lane_bytes(shape).max(4), dst, general));
        dst
    };
    if index > 0 {
        let bytes = index * shape.lane_bits / 8;
        cx.emit(ri(Op::PslldqRI, 16, dst, bytes.cast_signed()));
    }
}

/// The element: in a vector register if it has 32 or 64 bits, else in a general one, which the rule may write.
fn element<C: LowerCtx>(cx: &mut C, value: Operand, shape: VectorShape) -> Reg {
    if has_floats(shape) {
        return cx.use_reg(value, 0);
    }
    if is_narrow_float(shape.element) {
        let float = cx.use_reg(value, 0);
        let general = cx.temp(RegClass::Int);
        cx.emit(rr(Op::MovdRX, 4, general, float));
        return general;
    }
    if lane_bytes(shape) > C::WORD_BYTES && !shape.is_mask {
        return from_quadword(cx, value);
    }
    let general = if shape.is_mask {
        let bit = cx.use_copy(value, 0);
        cx.emit(ri(Op::AndRI, 4, bit, 1));
        cx.emit(r(Op::NegR, C::WORD_BYTES, bit));
        bit
    } else if shape.lane_bits == 8 {
        cx.use_copy(value, 0)
    } else {
        cx.use_reg(value, 0)
    };
    if shape.lane_bits < 32 {
        return general;
    }
    let moved = temp(cx);
    let bytes = lane_bytes(shape).min(C::WORD_BYTES);
    cx.emit(rr(Op::MovdXR, bytes, moved, general));
    if bytes < lane_bytes(shape) {
        // All ones or zeros.
        cx.emit(rr(Op::PunpckldqRR, 16, moved, moved));
    }
    moved
}

/// Joins the byte with its neighbor.
fn insert_byte<C: LowerCtx>(cx: &mut C, dst: Reg, value: Reg, index: u32) {
    let pair = cx.temp(RegClass::Int);
    let word = (index / 2).cast_signed();
    cx.emit(rri(Op::PextrwRXI, 16, pair, dst, word));
    if index.is_multiple_of(2) {
        cx.emit(ri(Op::AndRI, 4, pair, 0xff00));
        cx.emit(rr(Op::MovzxBRR, 4, value, value));
    } else {
        cx.emit(rr(Op::MovzxBRR, 4, pair, pair));
        cx.emit(ri(Op::ShlRI, 4, value, 8));
    }
    cx.emit(rr(Op::OrRR, 4, pair, value));
    cx.emit(rri(Op::PinsrwXRI, 16, dst, pair, word));
}

/// Brings the lane to the front, replaces it, and brings it back.
fn insert_32<C: LowerCtx>(cx: &mut C, dst: Reg, value: Reg, index: u32) {
    let swap = IDENTITY & !3 & !(3 << (2 * index)) | index.cast_signed();
    if index > 0 {
        cx.emit(rri(Op::PshufdRRI, 16, dst, dst, swap));
    }
    cx.emit(rr(Op::MovsRR, 4, dst, value));
    if index > 0 {
        cx.emit(rri(Op::PshufdRRI, 16, dst, dst, swap));
    }
}

/// The only lane of a vector of one `i128`.
fn insert_pair<C: LowerCtx>(cx: &mut C, data: &InstData, value: Operand) {
    let (low, high) = (cx.use_reg(value, 0), cx.use_reg(value, 1));
    let upper = temp(cx);
    let dst = cx.def(result(data), 0);
    from_general(cx, dst, low);
    from_general(cx, upper, high);
    cx.emit(rr(Op::PunpcklqdqRR, 16, dst, upper));
}
