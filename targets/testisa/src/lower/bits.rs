//! Counting and reversing bits, funnel shifts: word by word in rule registers.

use super::wide::{self, A, AMOUNT, KEPT, R, Shift, Wide};
use super::{int_bits, part_count, result};
use crate::build::*;
use crate::ops::Op;
use crate::regs::{SC, ZERO};
use frazil_codegen::LowerCtx;
use frazil_ir::{InstData, Opcode};

/// Lowers `ctpop`, `ctlz`, `cttz`, `bswap` and `bitreverse`.
pub fn bits<C: LowerCtx>(cx: &mut C, data: &InstData) {
    let bits = int_bits(cx, data.ty);
    let words = part_count(bits);
    let (a, r) = (Wide::at(A, words), Wide::at(R, words));
    wide::read(cx, a, data.a, bits, false);
    match data.op {
        Opcode::Bswap => reverse(cx, Op::Bswap, r, a, bits),
        Opcode::Bitreverse => reverse(cx, Op::Brev, r, a, bits),
        Opcode::Ctpop => {
            wide::constant(cx, r, 0);
            for word in 0..words {
                cx.emit(rr(Op::Popc, SC, a.word(word)));
                cx.emit(rrr(Op::Add, r.word(0), r.word(0), SC));
            }
        }
        Opcode::Ctlz => {
            count(cx, Op::Clz, r, a, (0..words).rev());
            cx.emit(rri(Op::Addi, r.word(0), r.word(0), -spare_bits(bits)));
        }
        _ => {
            // A bit after the last makes the count of zero right.
            if spare_bits(bits) > 0 {
                cx.emit(li(SC, 1 << (bits % 32)));
                cx.emit(rrr(Op::Or, a.top(), a.top(), SC));
            }
            count(cx, Op::Ctz, r, a, 0..words);
        }
    }
    wide::write(cx, result(data), bits, r);
}

/// Bits of the top word above the width.
fn spare_bits(bits: u32) -> i32 {
    (32 * u32::from(part_count(bits)) - bits).cast_signed()
}

/// Adds up the counts of words in this order, until one is not zero.
fn count<C: LowerCtx>(cx: &mut C, op: Op, r: Wide, a: Wide, order: impl Iterator<Item = u8>) {
    wide::constant(cx, r, 0);
    let mask = KEPT;
    cx.emit(li(mask, -1));
    for word in order {
        cx.emit(rr(op, SC, a.word(word)));
        cx.emit(rrr(Op::And, SC, SC, mask));
        cx.emit(rrr(Op::Add, r.word(0), r.word(0), SC));
        cx.emit(rri(Op::Sltiu, SC, a.word(word), 1));
        cx.emit(rrr(Op::Sub, SC, ZERO, SC));
        cx.emit(rrr(Op::And, mask, mask, SC));
    }
}

/// Reverses each word and their order, then takes the bits that came to the lower end away.
fn reverse<C: LowerCtx>(cx: &mut C, op: Op, r: Wide, a: Wide, bits: u32) {
    for word in 0..a.words {
        cx.emit(rr(op, r.word(word), a.word(a.words - 1 - word)));
    }
    cx.emit(li(AMOUNT, spare_bits(bits)));
    wide::shift(cx, r, Shift::Right);
}

/// Lowers `fshl` and `fshr`: both operands side by side, shifted by the amount modulo the width.
pub fn funnel<C: LowerCtx>(cx: &mut C, data: &InstData) {
    let bits = int_bits(cx, data.ty);
    let (low_operand, amount) = cx.func().ternary(data);
    let words = part_count(bits);
    let amount_words = Wide::at(A, words);
    wide::read(cx, amount_words, amount, bits, false);
    remainder(cx, amount_words, bits);
    // Twice the width is up to eight words, which reach into the place of the second operand.
    let both = Wide::at(A, part_count(2 * bits));
    let low = Wide::at(A + 8, words);
    wide::read(cx, both, data.a, bits, false);
    wide::read(cx, low, low_operand, bits, false);
    cx.emit(li(AMOUNT, bits.cast_signed()));
    wide::shift(cx, both, Shift::Left);
    wide::wordwise(cx, Op::Or, Wide::at(A, words), Wide::at(A, words), low);
    cx.emit(rr(Op::Mov, AMOUNT, KEPT));
    if data.op == Opcode::Fshl {
        wide::shift(cx, both, Shift::Left);
        cx.emit(li(AMOUNT, bits.cast_signed()));
    }
    wide::shift(cx, both, Shift::Right);
    wide::write(cx, result(data), bits, both);
}

/// The remainder of a number by `divisor`, in [`KEPT`]: word by word, each multiplied by 2^32 modulo the divisor.
fn remainder<C: LowerCtx>(cx: &mut C, number: Wide, divisor: u32) {
    let (by, factor) = (AMOUNT, wide::spare());
    cx.emit(li(by, divisor.cast_signed()));
    cx.emit(li(factor, ((1u64 << 32) % u64::from(divisor)) as i32));
    cx.emit(rrr(Op::Remu, KEPT, number.top(), by));
    for word in (0..number.words - 1).rev() {
        cx.emit(rrr(Op::Mul, KEPT, KEPT, factor));
        cx.emit(rrr(Op::Remu, SC, number.word(word), by));
        cx.emit(rrr(Op::Add, KEPT, KEPT, SC));
        cx.emit(rrr(Op::Remu, KEPT, KEPT, by));
    }
}
