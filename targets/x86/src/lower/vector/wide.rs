//! Vectors of 256 and 512 bits as they are passed: moves, constants, put together of two halves, and halves of them.
//! What is computed in 256 bits is in [`super::wide_operations`], and what is in 512 bits in [`super::widest`].

use super::super::result;
use crate::build::*;
use crate::features;
use crate::regs::{VECTOR_BYTES, WIDE_VECTOR_BYTES, WIDEST_VECTOR_BYTES};
use crate::table::Op;
use frazil_codegen::vectors::{constant_bits, shuffle_index};
use frazil_codegen::{Folder, LowerCtx, MInst, Mem, Reg, VectorShape};
use frazil_ir::{ConstView, Format, Function, InstData, Opcode, Operand, Type, TypeData, TypeTable};

/// The bytes of a vector that is only passed; 0 for every other type.
pub fn bytes(types: &TypeTable, ty: Type) -> u8 {
    let Some(shape) = VectorShape::of(types, ty, WIDEST_VECTOR_BYTES) else {
        return 0;
    };
    let bytes = (shape.lanes * shape.lane_bits / 8) as u8;
    let is_passed = matches!(bytes, WIDE_VECTOR_BYTES | WIDEST_VECTOR_BYTES) && !shape.is_mask && shape.lane_bits <= 64;
    if is_passed { bytes } else { 0 }
}

/// A vector of 256 bits.
pub fn wide_shape(types: &TypeTable, ty: Type) -> Option<VectorShape> {
    match bytes(types, ty) {
        WIDE_VECTOR_BYTES => VectorShape::of(types, ty, WIDE_VECTOR_BYTES),
        _ => None,
    }
}

/// Of two rows, that of vectors of so many bytes.
fn row(bytes: u8, wide: Op, widest: Op) -> Op {
    if bytes > WIDE_VECTOR_BYTES { widest } else { wide }
}

/// A copy between registers.
#[cold]
pub fn mov(bytes: u8, dst: Reg, src: Reg) -> MInst {
    rr(row(bytes, Op::VmovupYRR, Op::VmovupZRR), bytes, dst, src)
}

/// A store to a place of any alignment.
#[cold]
pub fn spill(bytes: u8, src: Reg, mem: Mem) -> MInst {
    mr(row(bytes, Op::VmovupYMR, Op::VmovupZMR), bytes, mem, src)
}

/// A load from a place of any alignment.
#[cold]
pub fn reload(bytes: u8, dst: Reg, mem: Mem) -> MInst {
    rm(row(bytes, Op::VmovupYRM, Op::VmovupZRM), bytes, dst, mem)
}

/// A constant of 256 bits.
#[cold]
pub fn constant<C: LowerCtx>(cx: &mut C, dst: Reg, halves: [u128; 2]) {
    match halves {
        [0, 0] => cx.emit(r(Op::VxorpsYS, WIDE_VECTOR_BYTES, dst)),
        [u128::MAX, u128::MAX] if cx.view().features.has(features::AVX2) => {
            cx.emit(r(Op::VpcmpeqdYS, WIDE_VECTOR_BYTES, dst));
        }
        halves => {
            let mem = pool(cx, halves);
            cx.emit(reload(WIDE_VECTOR_BYTES, dst, mem));
        }
    }
}

/// A constant of 256 bits in memory.
pub fn pool<C: LowerCtx>(cx: &mut C, halves: [u128; 2]) -> Mem {
    let mut bytes = [0; WIDE_VECTOR_BYTES as usize];
    for (half, bits) in bytes.chunks_mut(usize::from(VECTOR_BYTES)).zip(halves) {
        half.copy_from_slice(&bits.to_le_bytes());
    }
    crate::lower::constant_mem(cx, &bytes)
}

/// The halves of a constant operand that is not made without memory.
pub fn constant_halves<C: LowerCtx>(cx: &C, operand: Operand) -> Option<[u128; 2]> {
    let function = cx.func();
    let (ty, view) = function.constant(operand.as_const()?);
    let (ConstView::Vector(lanes), Some(shape)) = (view, wide_shape(function.types(), ty)) else {
        return None;
    };
    let (low, high) = lanes.split_at(lanes.len() / 2);
    let halves = [
        constant_bits(function, shape, low)?,
        constant_bits(function, shape, high)?,
    ];
    (halves != [0, 0] && halves != [u128::MAX, u128::MAX]).then_some(halves)
}

/// Whether an operand is zero in all lanes.
pub fn is_zero(function: &Function, operand: Operand) -> bool {
    let Some(id) = operand.as_const() else { return false };
    match function.constant(id).1 {
        ConstView::Zero => true,
        ConstView::Vector(lanes) => lanes.iter().all(|lane| lane.as_imm() == Some(0)),
        _ => false,
    }
}

/// Whether nothing is known of any lane, so that zero serves.
fn is_undefined(function: &Function, operand: Operand) -> bool {
    let view = operand.as_const().map(|id| function.constant(id).1);
    matches!(view, Some(ConstView::Undef | ConstView::Poison))
}

/// The bytes of an instruction's type and of its first operand, 0 where that is no wide vector.
pub fn widths(function: &Function, data: &InstData) -> [u8; 2] {
    let of = |ty| bytes(function.types(), ty);
    let first = match data.op.format() {
        Format::Unary | Format::Binary | Format::Ternary => function.operand_type(data.a).map_or(0, of),
        // Of others, the field may be a number.
        _ => 0,
    };
    [of(data.ty), first]
}

/// Whether the type of an instruction or of its first operand is a vector of 256 or 512 bits.
pub fn is_wide(function: &Function, data: &InstData) -> bool {
    widths(function, data) != [0, 0]
}

/// Whether an instruction is a shuffle that joins two halves, or takes one: all lanes in order, from the start of a
/// half on.
pub fn is_done(function: &Function, data: &InstData) -> bool {
    if data.op != Opcode::Shuffle || !is_wide(function, data) {
        return false;
    }
    let lanes = |ty| match function.types().data(ty) {
        TypeData::Vector { lanes, .. } => lanes,
        _ => 0,
    };
    let (to, from) = (lanes(data.ty), function.operand_type(data.a).map_or(0, lanes));
    let (_, mask) = function.ternary(data);
    let Some(first) = shuffle_index(function, mask, 0) else {
        return false;
    };
    let is_joined = to == 2 * from && first == 0;
    let is_half = from == 2 * to && (first == 0 || first == to);
    (is_joined || is_half) && (0..to).all(|lane| shuffle_index(function, mask, lane) == Some(first + lane))
}

/// Folds the shuffle that takes the lower half of a vector of 256 bits into an instruction that reads only this half.
pub fn fold_lower_half(folder: &mut Folder<'_>, operand: Operand) {
    if let Some((value, data)) = folder.producer(operand)
        && is_lower_half(folder.function, data)
    {
        folder.fold(value);
    }
}

fn is_lower_half(function: &Function, data: &InstData) -> bool {
    let [to, from] = widths(function, data);
    let is_half = is_done(function, data) && to == 0 && from == WIDE_VECTOR_BYTES;
    is_half && shuffle_index(function, function.ternary(data).1, 0) == Some(0)
}

/// The register with an operand of 128 bits: the lower half of one of 256 bits, if that is folded.
pub fn use_lower_half<C: LowerCtx>(cx: &mut C, operand: Operand) -> Reg {
    let folded = operand.as_value().filter(|_| cx.is_folded(operand));
    let shuffle = folded.and_then(|value| cx.func().def_inst(value));
    let whole = shuffle.map_or(operand, |inst| cx.func().inst(inst).a);
    cx.use_reg(whole, 0)
}

/// Lowers what [`is_done`] says yes to.
pub fn shuffle<C: LowerCtx>(cx: &mut C, data: &InstData) {
    let (second, mask) = cx.func().ternary(data);
    let [to, from] = widths(cx.func(), data);
    if to == WIDE_VECTOR_BYTES && from < to && (is_zero(cx.func(), second) || is_undefined(cx.func(), second)) {
        let low = cx.use_reg(data.a, 0);
        let dst = cx.def(result(data), 0);
        return cx.emit(rr(Op::VmovapYRR, VECTOR_BYTES, dst, low));
    }
    if to > from {
        let high = cx.use_reg(second, 0);
        let low = cx.use_reg(data.a, 0);
        let dst = cx.def(result(data), 0);
        let join = row(to, Op::Vinsertf128RRRI, Op::Vinsertf64x4RRRI);
        return cx.emit(rrri(join, to, dst, low, high, 1));
    }
    let half = i32::from(shuffle_index(cx.func(), mask, 0).unwrap_or(0) != 0);
    let src = cx.use_reg(data.a, 0);
    let dst = cx.def(result(data), 0);
    if half == 0 && from == WIDE_VECTOR_BYTES {
        // An instruction of its own: a move stands for all of a value in every pass.
        return cx.emit(rr(Op::VmovapLowRR, VECTOR_BYTES, dst, src));
    }
    let take = row(from, Op::Vextractf128RRI, Op::Vextractf64x4RRI);
    cx.emit(rri(take, from, dst, src, half));
}
