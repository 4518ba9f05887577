//! Shifts of all lanes by one constant.
//!
//! There are instructions for lanes of 16, 32 and 64 bits, arithmetic ones for the first two. Bytes are shifted in
//! pairs, and what came in from the neighbor is cleared. An arithmetic shift of bytes is a logical one of both the
//! value and the sign bit `m`, then `(value ^ m) - m`; of 64 bits, both halves are shifted and put together.

use super::{by, constant, copy_of, lanes, splat, temp, with, with_constant};
use crate::build::*;
use crate::table::Op;
use frazil_codegen::{LowerCtx, Reg};
use frazil_ir::Opcode;

/// The rows of a shift by a number, and by the low half of a register.
pub(super) fn rows(op: Opcode, lane_bits: u32) -> (Op, Op) {
    match (op, lane_bits) {
        (Opcode::Shl, 16) => (Op::PsllwRI, Op::PsllwRR),
        (Opcode::Shl, 32) => (Op::PslldRI, Op::PslldRR),
        (Opcode::Shl, _) => (Op::PsllqRI, Op::PsllqRR),
        (Opcode::Lshr, 16) => (Op::PsrlwRI, Op::PsrlwRR),
        (Opcode::Lshr, 32) => (Op::PsrldRI, Op::PsrldRR),
        (Opcode::Lshr, _) => (Op::PsrlqRI, Op::PsrlqRR),
        (_, 16) => (Op::PsrawRI, Op::PsrawRR),
        _ => (Op::PsradRI, Op::PsradRR),
    }
}

/// Shifts lanes in a register of the rule by a number less than their width.
pub(super) fn by_one<C: LowerCtx>(cx: &mut C, op: Opcode, lane_bits: u32, value: Reg, amount: i32) {
    match lane_bits {
        _ if amount == 0 => {}
        8 => bytes(cx, op, value, amount),
        64 if op == Opcode::Ashr => arithmetic_64(cx, value, amount),
        bits => by(cx, rows(op, bits).0, value, amount),
    }
}

/// Shifts pairs of bytes, and clears what came from the neighbor.
fn bytes<C: LowerCtx>(cx: &mut C, op: Opcode, value: Reg, amount: i32) {
    match (op, amount) {
        (Opcode::Shl, 1) => return with(cx, Op::PaddbRR, value, value),
        (Opcode::Ashr, 7) => {
            let signs = super::signs(cx, value, 8);
            cx.emit(rr(Op::MovapRR, 4, value, signs));
            return;
        }
        _ => {}
    }
    let (row, kept) = match op {
        Opcode::Shl => (Op::PsllwRI, 0xff << amount & 0xff),
        _ => (Op::PsrlwRI, 0xffu128 >> amount),
    };
    by(cx, row, value, amount);
    with_constant(cx, Op::PandRM, value, splat(kept, 8));
    if op == Opcode::Ashr {
        extend_signs(cx, 8, value, splat(0x80 >> amount, 8));
    }
}

/// Extends lanes whose sign bits are where the constant has them.
pub(super) fn extend_signs<C: LowerCtx>(cx: &mut C, lane_bits: u32, value: Reg, sign_bits: u128) {
    let sign_bits = constant(cx, sign_bits);
    if lane_bits == 64 {
        let signs = temp(cx);
        cx.emit(rm(Op::MovapRM, 4, signs, sign_bits));
        return extend_by(cx, lane_bits, value, signs);
    }
    let subtract = match lane_bits {
        8 => Op::PsubbRM,
        16 => Op::PsubwRM,
        _ => Op::PsubdRM,
    };
    cx.emit(rm(Op::PxorRM, 16, value, sign_bits));
    cx.emit(rm(subtract, 16, value, sign_bits));
}

/// The same with the sign bits in a register.
pub(super) fn extend_by<C: LowerCtx>(cx: &mut C, lane_bits: u32, value: Reg, sign_bits: Reg) {
    let subtract = if lane_bits == 8 { Op::PsubbRR } else { Op::PsubqRR };
    with(cx, Op::PxorRR, value, sign_bits);
    with(cx, subtract, value, sign_bits);
}

/// Puts copies of the sign above what was shifted.
fn arithmetic_64<C: LowerCtx>(cx: &mut C, value: Reg, amount: i32) {
    if amount >= 32 {
        // The high halves are all that is left, and signs.
        let high = temp(cx);
        lanes(cx, high, value, 0xf5);
        by(cx, Op::PsradRI, high, 31);
        if amount == 63 {
            cx.emit(rr(Op::MovapRR, 4, value, high));
            return;
        }
        by(cx, Op::PsradRI, value, amount - 32);
        lanes(cx, value, value, 0xed);
        lanes(cx, high, high, 0xe8);
        return with(cx, Op::PunpckldqRR, value, high);
    }
    let high = copy_of(cx, value);
    by(cx, Op::PsrlqRI, value, amount);
    by(cx, Op::PsradRI, high, amount);
    lanes(cx, value, value, 0xe8);
    lanes(cx, high, high, 0xed);
    with(cx, Op::PunpckldqRR, value, high);
}
