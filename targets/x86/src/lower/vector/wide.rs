//! Vectors of 256 and 512 bits, which are only passed: put together of two halves, and halves of them.

use super::super::result;
use crate::build::*;
use crate::regs::{WIDE_VECTOR_BYTES, WIDEST_VECTOR_BYTES};
use crate::table::Op;
use frazil_codegen::vectors::shuffle_index;
use frazil_codegen::{LowerCtx, MInst, Mem, Reg, VectorShape};
use frazil_ir::{Function, InstData, Opcode, Type, TypeTable};

/// The bytes of a vector that is only passed; 0 for every other type.
pub fn bytes(types: &TypeTable, ty: Type) -> u8 {
    let Some(shape) = VectorShape::of(types, ty, WIDEST_VECTOR_BYTES) else {
        return 0;
    };
    let bytes = (shape.lanes * shape.lane_bits / 8) as u8;
    let is_passed = matches!(bytes, WIDE_VECTOR_BYTES | WIDEST_VECTOR_BYTES) && !shape.is_mask && shape.lane_bits <= 64;
    if is_passed { bytes } else { 0 }
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

/// The bytes of a shuffle's result and operands.
fn widths(function: &Function, data: &InstData) -> (u8, u8) {
    let of = |ty| bytes(function.types(), ty);
    (of(data.ty), function.operand_type(data.a).map_or(0, of))
}

/// Whether an instruction is a shuffle that joins two halves, or takes one.
pub fn is_done(function: &Function, data: &InstData) -> bool {
    data.op == Opcode::Shuffle && widths(function, data) != (0, 0)
}

/// Lowers what [`is_done`] says yes to. Legalisation makes no others: all lanes in order, from the start of a half on.
pub fn shuffle<C: LowerCtx>(cx: &mut C, data: &InstData) {
    let (second, mask) = cx.func().ternary(data);
    let (to, from) = widths(cx.func(), data);
    if to > from {
        let high = cx.use_reg(second, 0);
        let low = cx.use_reg(data.a, 0);
        let dst = cx.def(result(data), 0);
        let join = row(to, Op::Vinsertf128RRRI, Op::Vinsertf64x4RRRI);
        return cx.emit(rrri(join, to, dst, low, high, 1));
    }
    // The lower half is taken by an instruction of its own, too: a move stands for all of a value in every pass.
    let half = i32::from(shuffle_index(cx.func(), mask, 0).unwrap_or(0) != 0);
    let src = cx.use_reg(data.a, 0);
    let dst = cx.def(result(data), 0);
    let take = row(from, Op::Vextractf128RRI, Op::Vextractf64x4RRI);
    cx.emit(rri(take, from, dst, src, half));
}
