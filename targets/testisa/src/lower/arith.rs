//! Addition, subtraction, multiplication, bitwise operations, shifts, address arithmetic.

use super::wide::{self, A, AMOUNT, B, KEPT, R, Shift, Wide};
use super::{extended, int_bits, int_part, part_count, result};
use crate::build::*;
use crate::ops::Op;
use crate::regs::SC;
use frazil_codegen::{ImmKind, LowerCtx, Src};
use frazil_ir::{InstData, Opcode};

/// What an instruction takes as an immediate.
const SHORT: ImmKind = ImmKind::Signed(13);

/// Lowers one of them, of any width.
pub fn binary<C: LowerCtx>(cx: &mut C, data: &InstData) {
    let bits = int_bits(cx, data.ty);
    match (bits, data.op) {
        (33.., _) => wide_binary(cx, data, bits),
        (_, Opcode::Shl | Opcode::Lshr | Opcode::Ashr) => shift(cx, data, bits),
        _ => narrow_binary(cx, data),
    }
}

/// The rows for registers and for an immediate.
fn rows(op: Opcode) -> (Op, Option<Op>) {
    match op {
        Opcode::Add => (Op::Add, Some(Op::Addi)),
        Opcode::And => (Op::And, Some(Op::Andi)),
        Opcode::Or => (Op::Or, Some(Op::Ori)),
        Opcode::Xor => (Op::Xor, Some(Op::Xori)),
        Opcode::Shl => (Op::Sll, Some(Op::Slli)),
        Opcode::Lshr => (Op::Srl, Some(Op::Srli)),
        Opcode::Ashr => (Op::Sra, Some(Op::Srai)),
        Opcode::Mul => (Op::Mul, None),
        _ => (Op::Sub, None),
    }
}

fn narrow_binary<C: LowerCtx>(cx: &mut C, data: &InstData) {
    let (row, with_immediate) = rows(data.op);
    let a = int_part(cx, data.a, 0);
    let imm = if with_immediate.is_some() { SHORT } else { ImmKind::None };
    match (cx.use_reg_or_imm(data.b, 0, imm), with_immediate) {
        (Src::Imm(imm), Some(row)) => {
            let dst = cx.def(result(data), 0);
            cx.emit(rri(row, dst, a, imm));
        }
        (src, _) => {
            let b = in_register(src);
            let dst = cx.def(result(data), 0);
            cx.emit(rrr(row, dst, a, b));
        }
    }
}

/// An operand that is certainly in a register, as no immediate and no memory was asked for.
fn in_register(src: Src) -> frazil_codegen::Reg {
    match src {
        Src::Reg(reg) => reg,
        Src::Imm(_) | Src::Mem(_) => unreachable!("not asked for"),
    }
}

/// Amounts at and above the width give poison, so that the low five bits are the amount, if it has so many.
fn shift<C: LowerCtx>(cx: &mut C, data: &InstData, bits: u32) {
    let (row, with_immediate) = rows(data.op);
    let a = match data.op {
        Opcode::Shl => int_part(cx, data.a, 0),
        _ => extended(cx, data.a, bits, data.op == Opcode::Ashr),
    };
    match (data.b.as_imm(), with_immediate) {
        (Some(amount), Some(row)) => {
            let dst = cx.def(result(data), 0);
            cx.emit(rri(row, dst, a, (amount & 31) as i32));
        }
        _ => {
            let b = extended(cx, data.b, if bits < 5 { bits } else { 32 }, false);
            let dst = cx.def(result(data), 0);
            cx.emit(rrr(row, dst, a, b));
        }
    }
}

fn wide_binary<C: LowerCtx>(cx: &mut C, data: &InstData, bits: u32) {
    let words = part_count(bits);
    let (a, b, r) = (Wide::at(A, words), Wide::at(B, words), Wide::at(R, words));
    let direction = match data.op {
        Opcode::Shl => Some(Shift::Left),
        Opcode::Lshr => Some(Shift::Right),
        Opcode::Ashr => Some(Shift::RightSigned),
        _ => None,
    };
    wide::read(cx, a, data.a, bits, direction == Some(Shift::RightSigned));
    if let Some(direction) = direction {
        read_amount(cx, data, bits);
        wide::shift(cx, a, direction);
        wide::write(cx, result(data), bits, a);
        return;
    }
    wide::read(cx, b, data.b, bits, false);
    match data.op {
        Opcode::Add => wide::add(cx, r, a, b),
        Opcode::Sub => {
            wide::sub(cx, r, a, b);
        }
        Opcode::Mul => wide::mul(cx, r, a, b),
        op => wide::wordwise(cx, rows(op).0, r, a, b),
    }
    wide::write(cx, result(data), bits, r);
}

/// Puts the low word of a shift's amount in its place; a valid amount has no more.
pub(super) fn read_amount<C: LowerCtx>(cx: &mut C, data: &InstData, bits: u32) {
    let amount = extended(cx, data.b, bits.min(32), false);
    cx.emit(rr(Op::Mov, AMOUNT, amount));
    cx.step();
}

/// Lowers `ptr_add` and `ptr_index` that were not folded.
pub fn pointer<C: LowerCtx>(cx: &mut C, data: &InstData) {
    let scale = if data.op == Opcode::PtrIndex {
        i32::from(data.flags)
    } else {
        1
    };
    let a = cx.use_reg(data.a, 0);
    if let Some(imm) = data.b.as_imm() {
        let dst = cx.def(result(data), 0);
        cx.emit(rri(Op::Addi, dst, a, (imm as i32).wrapping_mul(scale)));
        return;
    }
    let mut b = cx.use_reg(data.b, 0);
    let dst = cx.def(result(data), 0);
    if scale != 1 {
        let scaled = wide::KEPT;
        cx.emit(li(SC, scale));
        cx.emit(rrr(Op::Mul, scaled, b, SC));
        b = scaled;
    }
    cx.emit(rrr(Op::Add, dst, a, b));
}

/// Lowers sums of differences of bytes: byte by byte.
pub fn byte_differences<C: LowerCtx>(cx: &mut C, data: &InstData) {
    let bits = int_bits(cx, data.ty);
    let (a, b, sum) = (Wide::at(A, 2), Wide::at(B, 2), Wide::at(R, 2));
    wide::read(cx, a, data.a, bits, false);
    wide::read(cx, b, data.b, bits, false);
    wide::constant(cx, sum, 0);
    for word in 0..2 {
        for byte in 0..4 {
            for (number, last) in [(a, AMOUNT), (b, KEPT)] {
                cx.emit(rri(Op::Srli, last, number.word(word), 8 * byte));
                cx.emit(rri(Op::Andi, last, last, 0xff));
            }
            // The sign of the difference, to negate it by.
            cx.emit(rrr(Op::Sub, AMOUNT, AMOUNT, KEPT));
            cx.emit(rri(Op::Srai, KEPT, AMOUNT, 31));
            cx.emit(rrr(Op::Xor, AMOUNT, AMOUNT, KEPT));
            cx.emit(rrr(Op::Sub, AMOUNT, AMOUNT, KEPT));
            cx.emit(rrr(Op::Add, sum.word(0), sum.word(0), AMOUNT));
        }
    }
    wide::write(cx, result(data), bits, sum);
}

/// Lowers the sum of the products of the signed words of two operands of 32 bits.
pub fn word_products<C: LowerCtx>(cx: &mut C, data: &InstData) {
    let (a, b, product) = (Wide::at(A, 1), Wide::at(B, 1), Wide::at(R, 1));
    wide::read(cx, a, data.a, 32, true);
    wide::read(cx, b, data.b, 32, true);
    cx.emit(rri(Op::Srai, AMOUNT, a.top(), 16));
    cx.emit(rri(Op::Srai, KEPT, b.top(), 16));
    cx.emit(rrr(Op::Mul, product.top(), AMOUNT, KEPT));
    for (word, number) in [(AMOUNT, a), (KEPT, b)] {
        cx.emit(rri(Op::Slli, word, number.top(), 16));
        cx.emit(rri(Op::Srai, word, word, 16));
    }
    cx.emit(rrr(Op::Mul, AMOUNT, AMOUNT, KEPT));
    cx.emit(rrr(Op::Add, product.top(), product.top(), AMOUNT));
    wide::write(cx, result(data), 32, product);
}
