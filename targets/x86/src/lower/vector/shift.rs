//! Shifts of all lanes by one constant. Others are done lane by lane.

use super::{constant, copy_of, finish, splat, temp};
use crate::build::*;
use crate::table::Op;
use frazil_codegen::{Halt, LowerCtx, Reg, VectorShape};
use frazil_ir::{ConstView, Function, InstData, Opcode};

/// The number that all lanes are shifted by, if it is one constant in range.
pub fn amount(function: &Function, data: &InstData, shape: VectorShape) -> Option<i32> {
    if shape.is_mask || !(8..=64).contains(&shape.lane_bits) {
        return None;
    }
    let lanes = match function.constant(data.b.as_const()?).1 {
        ConstView::Zero => return Some(0),
        ConstView::Vector(lanes) => lanes,
        _ => return None,
    };
    let first = lanes.first()?.as_imm()?;
    let is_splat = lanes.iter().all(|lane| lane.as_imm() == Some(first));
    let amount = i32::try_from(first).ok()?;
    (is_splat && (0..shape.lane_bits.cast_signed()).contains(&amount)).then_some(amount)
}

/// Lowers a shift.
pub fn by_constant<C: LowerCtx>(cx: &mut C, data: &InstData, shape: VectorShape) -> Result<(), Halt> {
    let amount = amount(cx.func(), data, shape).ok_or(Halt::Expand)?;
    let value = cx.use_copy(data.a, 0);
    if amount > 0 {
        match shape.lane_bits {
            8 => bytes(cx, data.op, value, amount),
            64 if data.op == Opcode::Ashr => arithmetic_64(cx, value, amount),
            bits => cx.emit(ri(row(data.op, bits), 16, value, amount)),
        }
    }
    finish(cx, data, value);
    Ok(())
}

fn row(op: Opcode, lane_bits: u32) -> Op {
    match (op, lane_bits) {
        (Opcode::Shl, 16) => Op::PsllwRI,
        (Opcode::Shl, 32) => Op::PslldRI,
        (Opcode::Shl, _) => Op::PsllqRI,
        (Opcode::Lshr, 16) => Op::PsrlwRI,
        (Opcode::Lshr, 32) => Op::PsrldRI,
        (Opcode::Lshr, _) => Op::PsrlqRI,
        (_, 16) => Op::PsrawRI,
        _ => Op::PsradRI,
    }
}

/// Shifts pairs of bytes, and clears what came from the neighbor.
fn bytes<C: LowerCtx>(cx: &mut C, op: Opcode, value: Reg, amount: i32) {
    let is_left = op == Opcode::Shl;
    let kept = if is_left {
        0xff << amount & 0xff
    } else {
        0xffu128 >> amount
    };
    cx.emit(ri(if is_left { Op::PsllwRI } else { Op::PsrlwRI }, 16, value, amount));
    let kept = constant(cx, splat(kept, 8));
    cx.emit(rm(Op::PandRM, 16, value, kept));
    if op == Opcode::Ashr {
        // Inverting the sign and subtracting it extends it.
        let sign = constant(cx, splat(0x80 >> amount, 8));
        let signs = temp(cx);
        cx.emit(rm(Op::MovapRM, 4, signs, sign));
        cx.emit(rr(Op::PxorRR, 16, value, signs));
        cx.emit(rr(Op::PsubbRR, 16, value, signs));
    }
}

/// Puts copies of the sign above what was shifted.
fn arithmetic_64<C: LowerCtx>(cx: &mut C, value: Reg, amount: i32) {
    let sign = copy_of(cx, value);
    cx.emit(ri(Op::PsradRI, 16, sign, 31));
    cx.emit(rri(Op::PshufdRRI, 16, sign, sign, 0xf5));
    cx.emit(ri(Op::PsllqRI, 16, sign, 64 - amount));
    cx.emit(ri(Op::PsrlqRI, 16, value, amount));
    cx.emit(rr(Op::PorRR, 16, value, sign));
}
