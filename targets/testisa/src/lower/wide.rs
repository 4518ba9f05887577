//! Integers of several words in rule registers: copying in and out, and arithmetic on them.
//!
//! A number is `words` consecutive rule registers from `first` on, least significant first; three numbers of up to
//! five words have places of their own ([`A`], [`B`], [`R`]), and a few more registers serve inside operations. No
//! operation here asks the context for a register, so that none can be driven out meanwhile.

use crate::build::*;
use crate::ops::Op;
use crate::regs::{ZERO, k};
use frazil_codegen::{LowerCtx, Reg};
use frazil_ir::{Operand, Value};

/// An integer in consecutive rule registers.
#[derive(Clone, Copy, Debug)]
pub struct Wide {
    first: u8,
    /// Its length in words.
    pub words: u8,
}

/// The place of the first operand.
pub const A: u8 = 0;
/// The place of the second operand.
pub const B: u8 = 5;
/// The place of the result.
pub const R: u8 = 10;
/// The place of registers that operations use; the fourth is [`AMOUNT`].
const T: u8 = 16;
/// Holds the amount of a shift; lost in [`choose`].
pub const AMOUNT: Reg = k(19);
/// For what a rule keeps besides.
pub const KEPT: Reg = k(20);

impl Wide {
    /// The number of this length at a place.
    pub const fn at(first: u8, words: u8) -> Wide {
        Wide { first, words }
    }

    /// The register of a word, 0 for the least significant.
    pub fn word(self, index: u8) -> Reg {
        k(self.first + index)
    }

    /// The most significant word.
    pub fn top(self) -> Reg {
        self.word(self.words - 1)
    }
}

/// A register that rules may use between operations.
pub fn spare() -> Reg {
    t(0)
}

fn t(index: u8) -> Reg {
    k(T + index)
}

/// Copies an operand of `bits` bits in and extends it to the number's length.
pub fn read<C: LowerCtx>(cx: &mut C, to: Wide, operand: Operand, bits: u32, signed: bool) {
    let parts = super::part_count(bits).min(to.words);
    for part in 0..parts {
        match operand.as_imm() {
            Some(imm) => cx.emit(li(
                to.word(part),
                if part == 0 { imm as i32 } else { (imm >> 63) as i32 },
            )),
            None => {
                let src = cx.use_reg(operand, part);
                cx.emit(rr(Op::Mov, to.word(part), src));
                cx.step();
            }
        }
    }
    extend(cx, to, bits, signed);
}

/// Extends what has `bits` bits to the number's length.
pub fn extend<C: LowerCtx>(cx: &mut C, number: Wide, bits: u32, signed: bool) {
    let parts = super::part_count(bits);
    if parts > number.words {
        return;
    }
    let top = number.word(parts - 1);
    super::extend(cx, top, top, bits - 32 * u32::from(parts - 1), signed);
    for word in parts..number.words {
        if signed {
            cx.emit(rri(Op::Srai, number.word(word), top, 31));
        } else {
            cx.emit(li(number.word(word), 0));
        }
    }
}

/// Copies the low words out as the parts of a result of `bits` bits.
pub fn write<C: LowerCtx>(cx: &mut C, value: Value, bits: u32, from: Wide) {
    for part in 0..super::part_count(bits) {
        cx.step();
        let dst = cx.def(value, part);
        cx.emit(rr(Op::Mov, dst, from.word(part)));
    }
    cx.step();
}

/// Copies one register out as a result of one part.
pub fn write_one<C: LowerCtx>(cx: &mut C, value: Value, from: Reg) {
    cx.step();
    let dst = cx.def(value, 0);
    cx.emit(rr(Op::Mov, dst, from));
    cx.step();
}

/// Copies all words; `from` has at least as many as `to`.
pub fn copy<C: LowerCtx>(cx: &mut C, to: Wide, from: Wide) {
    for word in 0..to.words {
        cx.emit(rr(Op::Mov, to.word(word), from.word(word)));
    }
}

/// A constant, given by its low 128 bits and extended by its sign.
pub fn constant<C: LowerCtx>(cx: &mut C, to: Wide, value: i128) {
    for word in 0..to.words {
        let bits = value >> (32 * u32::from(word)).min(127);
        cx.emit(li(to.word(word), bits as i32));
    }
}

/// The same operation on each pair of words.
pub fn wordwise<C: LowerCtx>(cx: &mut C, op: Op, to: Wide, a: Wide, b: Wide) {
    for word in 0..to.words {
        cx.emit(rrr(op, to.word(word), a.word(word), b.word(word)));
    }
}

/// `to = a + b`; `to` is neither.
pub fn add<C: LowerCtx>(cx: &mut C, to: Wide, a: Wide, b: Wide) {
    let (carry, other) = (t(0), t(1));
    cx.emit(rr(Op::Mov, carry, ZERO));
    for word in 0..to.words {
        let (dst, x, y) = (to.word(word), a.word(word), b.word(word));
        cx.emit(rrr(Op::Add, dst, x, y));
        cx.emit(rrr(Op::Sltu, other, dst, x));
        cx.emit(rrr(Op::Add, dst, dst, carry));
        cx.emit(rrr(Op::Sltu, carry, dst, carry));
        cx.emit(rrr(Op::Or, carry, carry, other));
    }
}

/// `to = a - b`; `to` is not `b`. Gives the borrow.
pub fn sub<C: LowerCtx>(cx: &mut C, to: Wide, a: Wide, b: Wide) -> Reg {
    let (borrow, other, difference) = (t(0), t(1), t(2));
    cx.emit(rr(Op::Mov, borrow, ZERO));
    for word in 0..to.words {
        let (dst, x, y) = (to.word(word), a.word(word), b.word(word));
        cx.emit(rrr(Op::Sltu, other, x, y));
        cx.emit(rrr(Op::Sub, difference, x, y));
        cx.emit(rrr(Op::Sub, dst, difference, borrow));
        cx.emit(rrr(Op::Sltu, borrow, difference, borrow));
        cx.emit(rrr(Op::Or, borrow, borrow, other));
    }
    borrow
}

/// `to = -a`; `to` is not `a`.
pub fn negate<C: LowerCtx>(cx: &mut C, to: Wide, a: Wide) {
    constant(cx, to, 0);
    sub(cx, to, to, a);
}

/// `to = a * b` as unsigned numbers, its low words; `to` is neither.
pub fn mul<C: LowerCtx>(cx: &mut C, to: Wide, a: Wide, b: Wide) {
    constant(cx, to, 0);
    for low in 0..a.words {
        for high in 0..b.words {
            for (op, place) in [(Op::Mul, low + high), (Op::Mulhu, low + high + 1)] {
                if place < to.words {
                    cx.emit(rrr(op, t(0), a.word(low), b.word(high)));
                    add_at(cx, to, place, t(0));
                }
            }
        }
    }
}

/// Adds a register to a word and carries on.
fn add_at<C: LowerCtx>(cx: &mut C, to: Wide, place: u8, addend: Reg) {
    let mut addend = addend;
    for word in place..to.words {
        let dst = to.word(word);
        cx.emit(rrr(Op::Add, dst, dst, addend));
        cx.emit(rrr(Op::Sltu, t(1), dst, addend));
        addend = t(1);
    }
}

/// A register with 1 if `a < b`, else 0.
pub fn less<C: LowerCtx>(cx: &mut C, a: Wide, b: Wide, signed: bool) -> Reg {
    let (below, equal, rest) = (t(0), t(1), t(2));
    cx.emit(rr(Op::Mov, rest, ZERO));
    for word in 0..a.words {
        let (x, y) = (a.word(word), b.word(word));
        let op = if signed && word + 1 == a.words {
            Op::Slt
        } else {
            Op::Sltu
        };
        cx.emit(rrr(op, below, x, y));
        cx.emit(rrr(Op::Xor, equal, x, y));
        cx.emit(rri(Op::Sltiu, equal, equal, 1));
        cx.emit(rrr(Op::And, equal, equal, rest));
        cx.emit(rrr(Op::Or, rest, below, equal));
    }
    rest
}

/// A register that is zero if `a == b`.
pub fn difference<C: LowerCtx>(cx: &mut C, a: Wide, b: Wide) -> Reg {
    cx.emit(rr(Op::Mov, t(1), ZERO));
    for word in 0..a.words {
        cx.emit(rrr(Op::Xor, t(0), a.word(word), b.word(word)));
        cx.emit(rrr(Op::Or, t(1), t(1), t(0)));
    }
    t(1)
}

/// `to = condition ? a : to`; the register holds 1 or 0, and is neither of the numbers'.
pub fn choose<C: LowerCtx>(cx: &mut C, to: Wide, condition: Reg, a: Wide) {
    let (mask, word_difference) = (AMOUNT, t(1));
    cx.emit(rrr(Op::Sub, mask, ZERO, condition));
    for word in 0..to.words {
        let dst = to.word(word);
        cx.emit(rrr(Op::Xor, word_difference, dst, a.word(word)));
        cx.emit(rrr(Op::And, word_difference, word_difference, mask));
        cx.emit(rrr(Op::Xor, dst, dst, word_difference));
    }
}

/// A direction to shift in.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Shift {
    /// Towards the most significant bit.
    Left,
    /// In the other direction, with zeros shifted in.
    Right,
    /// In the other direction, with copies of the sign shifted in.
    RightSigned,
}

/// Shifts in place by the number in [`AMOUNT`], less than the number's bits.
pub fn shift<C: LowerCtx>(cx: &mut C, number: Wide, direction: Shift) {
    shift_bits(cx, number, direction);
    let mut distance = 1;
    while distance < number.words {
        shift_words(cx, number, direction, distance);
        distance *= 2;
    }
}

/// The words from the one that moves furthest on.
fn order(number: Wide, direction: Shift) -> impl Iterator<Item = u8> {
    let words = number.words;
    (0..words).map(move |index| {
        if direction == Shift::Left {
            words - 1 - index
        } else {
            index
        }
    })
}

/// By the amount's low five bits: each word is joined with what its neighbor loses.
fn shift_bits<C: LowerCtx>(cx: &mut C, number: Wide, direction: Shift) {
    let (rest, lost) = (t(0), t(1));
    // The neighbor's bits are shifted by 32 - amount in the other direction, in two steps, since 32 is no distance.
    cx.emit(rri(Op::Xori, rest, AMOUNT, 31));
    let (own, other, by_one) = match direction {
        Shift::Left => (Op::Sll, Op::Srl, Op::Srli),
        _ => (Op::Srl, Op::Sll, Op::Slli),
    };
    for word in order(number, direction) {
        let dst = number.word(word);
        let neighbor = match direction {
            Shift::Left => word.checked_sub(1),
            _ => Some(word + 1).filter(|&next| next < number.words),
        };
        let Some(neighbor) = neighbor else {
            let last = if direction == Shift::RightSigned { Op::Sra } else { own };
            cx.emit(rrr(last, dst, dst, AMOUNT));
            continue;
        };
        cx.emit(rri(by_one, lost, number.word(neighbor), 1));
        cx.emit(rrr(other, lost, lost, rest));
        cx.emit(rrr(own, dst, dst, AMOUNT));
        cx.emit(rrr(Op::Or, dst, dst, lost));
    }
}

/// By whole words, if the amount has the bit for this distance.
fn shift_words<C: LowerCtx>(cx: &mut C, number: Wide, direction: Shift, distance: u8) {
    let (mask, fill, change) = (t(0), t(2), t(1));
    let bit = 5 + distance.ilog2();
    cx.emit(rri(Op::Slli, mask, AMOUNT, 31 - bit.cast_signed()));
    cx.emit(rri(Op::Srai, mask, mask, 31));
    if direction == Shift::RightSigned {
        cx.emit(rri(Op::Srai, fill, number.top(), 31));
    } else {
        cx.emit(rr(Op::Mov, fill, ZERO));
    }
    for word in order(number, direction) {
        let source = match direction {
            Shift::Left => word.checked_sub(distance),
            _ => Some(word + distance).filter(|&source| source < number.words),
        };
        let source = source.map_or(fill, |source| number.word(source));
        let dst = number.word(word);
        cx.emit(rrr(Op::Xor, change, dst, source));
        cx.emit(rrr(Op::And, change, change, mask));
        cx.emit(rrr(Op::Xor, dst, dst, change));
    }
}
