//! Shifts whose lanes have amounts of their own, which no instruction before AVX2 does.
//!
//! * To the left is a multiplication by a power of two. Powers of variable amounts are made as floats, whose exponent
//!   field takes the amount ([Intel manual], volume 1, 4.2.2), or by `pshufb` from a table.
//! * To the right is the upper half of a product with `2^(width - amount)`, which an amount of zero has none of: such
//!   lanes are put in again. Lanes of 32 bits are shifted once for each amount instead if these vary.
//! * Arithmetically, negative lanes are inverted before and after a logical shift; by constants, the sign bit's new
//!   place is known ([`super::shift_one`]).
//! * Bytes are multiplied in pairs, even and odd ones apart. Without `pshufb`, they are shifted by 4, 2 and 1, each
//!   time those lanes that have this bit in their amounts.

use super::shift_one::{by_one, extend_signs, rows};
use super::{arith, by, copy_of, has_ssse3, lanes, loaded, signs, splat, temp, with, with_constant, zero};
use crate::build::*;
use crate::table::Op;
use frazil_codegen::{LowerCtx, Reg};
use frazil_ir::{InstData, Opcode};

/// One number for each lane of so many bits, zero where there is none.
fn pack(lane_bits: u32, numbers: impl IntoIterator<Item = u128>) -> u128 {
    let numbers = numbers.into_iter().take(128 / lane_bits as usize);
    (0..).zip(numbers).fold(0, |bits, (lane, number)| {
        bits | (number & u128::MAX >> (128 - lane_bits)) << (lane * lane_bits)
    })
}

/// Shifts lanes in a register of the rule by constants that differ.
pub(super) fn by_constants<C: LowerCtx>(cx: &mut C, data: &InstData, bits: u32, value: Reg, amounts: &[u32]) {
    let is_left = data.op == Opcode::Shl;
    let numbers = |number: fn(u32, u32) -> u128| pack(bits, amounts.iter().map(|&amount| number(amount, bits)));
    let powers = numbers(|amount, _| 1 << amount);
    // Of an amount of zero, nothing is left in the lane.
    let inverses = numbers(|amount, bits| 1 << (bits - amount));
    let kept = numbers(|amount, _| if amount == 0 { u128::MAX } else { 0 });
    match (bits, is_left) {
        (8, true) => bytes_left_by_constants(cx, value, powers),
        (8, false) => bytes_right_by_constants(cx, value, amounts),
        (16, true) => with_constant(cx, Op::PmullwRM, value, powers),
        (32, true) => {
            let powers = loaded(cx, powers);
            arith::multiply_lanes(cx, 32, value, powers);
        }
        (64, _) => {
            let both = [0, 1].map(|lane| amounts.get(lane).copied().unwrap_or(0).cast_signed());
            let upper = copy_of(cx, value);
            let op = if is_left { Opcode::Shl } else { Opcode::Lshr };
            by_one(cx, op, 64, value, both[0]);
            by_one(cx, op, 64, upper, both[1]);
            join_64(cx, value, upper);
        }
        _ => {
            let whole = (kept != 0).then(|| copy_of(cx, value));
            if bits == 16 {
                with_constant(cx, Op::PmulhuwRM, value, inverses);
            } else {
                high_products(cx, value, inverses);
            }
            if let Some(whole) = whole {
                with_constant(cx, Op::PandRM, whole, kept);
                with(cx, Op::PorRR, value, whole);
            }
        }
    }
    if data.op == Opcode::Ashr {
        let sign_bits = pack(bits, amounts.iter().map(|&amount| 1 << (bits - 1 - amount)));
        extend_signs(cx, bits, value, sign_bits);
    }
}

/// The low half of `value`, the high one of `upper`, in `value`, which must be a register of the rule as `upper` is.
fn join_64<C: LowerCtx>(cx: &mut C, value: Reg, upper: Reg) {
    cx.emit(rri(Op::ShufpRRI, 8, value, upper, 2));
}

/// The upper halves of 64-bit products of unsigned 32-bit lanes.
fn high_products<C: LowerCtx>(cx: &mut C, value: Reg, factors: u128) {
    let odd = copy_of(cx, value);
    by(cx, Op::PsrlqRI, odd, 32);
    with_constant(cx, Op::PmuludqRM, value, factors);
    with_constant(cx, Op::PmuludqRM, odd, factors >> 32);
    by(cx, Op::PsrlqRI, value, 32);
    with_constant(cx, Op::PandRM, odd, splat(0xffff_ffff << 32, 64));
    with(cx, Op::PorRR, value, odd);
}

const EVEN_BYTES: u128 = 0x00ff_00ff_00ff_00ff_00ff_00ff_00ff_00ff;

fn bytes_left_by_constants<C: LowerCtx>(cx: &mut C, value: Reg, powers: u128) {
    let even = copy_of(cx, value);
    with_constant(cx, Op::PmullwRM, even, powers & EVEN_BYTES);
    with_constant(cx, Op::PandRM, even, EVEN_BYTES);
    // Odd bytes have their place above nothing, and what is shifted out leaves the pair.
    with_constant(cx, Op::PandRM, value, !EVEN_BYTES);
    with_constant(cx, Op::PmullwRM, value, powers >> 8 & EVEN_BYTES);
    with(cx, Op::PorRR, value, even);
}

fn bytes_right_by_constants<C: LowerCtx>(cx: &mut C, value: Reg, amounts: &[u32]) {
    let factors = |first: usize| {
        pack(
            16,
            amounts.iter().skip(first).step_by(2).map(|amount| 1 << (8 - amount)),
        )
    };
    let even = copy_of(cx, value);
    with_constant(cx, Op::PandRM, even, EVEN_BYTES);
    with_constant(cx, Op::PmullwRM, even, factors(0));
    by(cx, Op::PsrlwRI, even, 8);
    by(cx, Op::PsrlwRI, value, 8);
    with_constant(cx, Op::PmullwRM, value, factors(1));
    with_constant(cx, Op::PandRM, value, !EVEN_BYTES);
    with(cx, Op::PorRR, value, even);
}

/// Shifts lanes in a register of the rule by those of a vector.
pub(super) fn by_variables<C: LowerCtx>(cx: &mut C, data: &InstData, bits: u32, value: Reg) {
    if data.op == Opcode::Ashr && bits != 32 {
        let signs = signs(cx, value, bits);
        with(cx, Op::PxorRR, value, signs);
        logical(cx, data, Opcode::Lshr, bits, value);
        return with(cx, Op::PxorRR, value, signs);
    }
    logical(cx, data, data.op, bits, value);
}

/// The same, but that only lanes of 32 bits can be shifted arithmetically.
fn logical<C: LowerCtx>(cx: &mut C, data: &InstData, op: Opcode, bits: u32, value: Reg) {
    match (bits, op) {
        (8, _) if has_ssse3(cx.view()) => bytes_by_table(cx, data, op, value),
        (8, _) => bytes_by_steps(cx, data, op, value),
        (16, _) => words(cx, data, op, value),
        (32, Opcode::Shl) => {
            let amounts = cx.use_copy(data.b, 0);
            power(cx, amounts);
            arith::multiply_lanes(cx, 32, value, amounts);
        }
        (32, _) => one_by_one(cx, data, op, value),
        _ => {
            let amounts = cx.use_reg(data.b, 0);
            let (upper, second) = (copy_of(cx, value), temp(cx));
            let row = rows(op, 64).1;
            lanes(cx, second, amounts, 0xee);
            with(cx, row, value, amounts);
            with(cx, row, upper, second);
            join_64(cx, value, upper);
        }
    }
}

/// Two to the power of each 32-bit lane, as an integer: the conversion of 2^31 is out of range, and gives just that.
fn power<C: LowerCtx>(cx: &mut C, amounts: Reg) {
    by(cx, Op::PslldRI, amounts, 23);
    with_constant(cx, Op::PadddRM, amounts, splat(0x3f80_0000, 32));
    with(cx, Op::Cvttps2dqRR, amounts, amounts);
}

/// A shift of all lanes by the amount of each, of which one lane is taken.
fn one_by_one<C: LowerCtx>(cx: &mut C, data: &InstData, op: Opcode, value: Reg) {
    let row = rows(op, 32).1;
    let amounts = cx.use_reg(data.b, 0);
    let (count, upper_amounts) = (temp(cx), temp(cx));
    let shifted = [0; 3].map(|_| copy_of(cx, value));
    lanes(cx, upper_amounts, amounts, 0xee);
    // Amounts have at most 16 bits, so a repeated upper half is zero.
    let of_lane = [
        (shifted[0], amounts, 0x54),
        (shifted[1], amounts, 0xfe),
        (shifted[2], upper_amounts, 0x54),
        (value, upper_amounts, 0xfe),
    ];
    for (shifted, amounts, words) in of_lane {
        cx.emit(rri(Op::PshuflwRRI, 16, count, amounts, words));
        with(cx, row, shifted, count);
    }
    let [first, second, third] = shifted;
    with(cx, Op::PunpcklqdqRR, first, second);
    with(cx, Op::PunpckhqdqRR, third, value);
    // The first lane of the first, the last lane of the second one, and so on.
    cx.emit(rri(Op::ShufpRRI, 4, first, third, 0xcc));
    cx.emit(rr(Op::MovapRR, 4, value, first));
}

/// Words as products with powers of two, which are made of the lower and upper halves apart.
fn words<C: LowerCtx>(cx: &mut C, data: &InstData, op: Opcode, value: Reg) {
    let low = cx.use_copy(data.b, 0);
    let clear = zero(cx);
    let is_left = op == Opcode::Shl;
    let whole = if is_left {
        None
    } else {
        // Lanes with an amount of zero, which the product loses.
        let whole = copy_of(cx, low);
        with(cx, Op::PcmpeqwRR, whole, clear);
        with(cx, Op::PandRR, whole, value);
        Some(whole)
    };
    let high = copy_of(cx, low);
    // Above zeros, words are 16 bits further up already.
    let low_half = temp(cx);
    cx.emit(r(Op::ZeroX, 16, low_half));
    with(cx, Op::PunpcklwdRR, low_half, low);
    with(cx, Op::PunpckhwdRR, clear, high);
    let halves = [low_half, clear].map(|half| {
        by(cx, Op::PslldRI, half, 7);
        if is_left {
            with_constant(cx, Op::PadddRM, half, splat(0x3f80_0000, 32));
            with(cx, Op::Cvttps2dqRR, half, half);
            return half;
        }
        // The exponent of 2^16, less the amount.
        let inverse = loaded(cx, splat((127 + 16) << 23, 32));
        with(cx, Op::PsubdRR, inverse, half);
        with(cx, Op::Cvttps2dqRR, inverse, inverse);
        inverse
    });
    narrow_words(cx, halves);
    match whole {
        None => with(cx, Op::PmullwRR, value, halves[0]),
        Some(whole) => {
            with(cx, Op::PmulhuwRR, value, halves[0]);
            with(cx, Op::PorRR, value, whole);
        }
    }
}

/// The low words of the 32-bit lanes of two registers, in the first one.
fn narrow_words<C: LowerCtx>(cx: &mut C, [low, high]: [Reg; 2]) {
    for half in [low, high] {
        by(cx, Op::PslldRI, half, 16);
        by(cx, Op::PsradRI, half, 16);
    }
    with(cx, Op::PackssdwRR, low, high);
}

/// Bytes by products of pairs; `pshufb` finds the powers of two.
fn bytes_by_table<C: LowerCtx>(cx: &mut C, data: &InstData, op: Opcode, value: Reg) {
    let amounts = cx.use_reg(data.b, 0);
    let is_left = op == Opcode::Shl;
    let table = pack(
        8,
        (0..8).map(|amount| if is_left { 1 << amount } else { 1 << (7 - amount) }),
    );
    let odd = loaded(cx, table);
    with(cx, Op::PshufbRR, odd, amounts);
    let even = copy_of(cx, odd);
    let even_value = copy_of(cx, value);
    by(cx, Op::PsrlwRI, odd, 8);
    with_constant(cx, Op::PandRM, even, EVEN_BYTES);
    if is_left {
        with(cx, Op::PmullwRR, even, even_value);
        with_constant(cx, Op::PandRM, even, EVEN_BYTES);
        with_constant(cx, Op::PandRM, value, !EVEN_BYTES);
        with(cx, Op::PmullwRR, value, odd);
    } else {
        // Shifted by one too few, so that factors are bytes.
        with_constant(cx, Op::PandRM, even_value, EVEN_BYTES);
        with(cx, Op::PmullwRR, even, even_value);
        by(cx, Op::PsrlwRI, even, 7);
        by(cx, Op::PsrlwRI, value, 8);
        with(cx, Op::PmullwRR, value, odd);
        with(cx, Op::PaddwRR, value, value);
        with_constant(cx, Op::PandRM, value, !EVEN_BYTES);
    }
    with(cx, Op::PorRR, value, even);
}

fn bytes_by_steps<C: LowerCtx>(cx: &mut C, data: &InstData, op: Opcode, value: Reg) {
    let amounts = cx.use_copy(data.b, 0);
    // The highest bit of the amounts becomes the sign.
    by(cx, Op::PsllwRI, amounts, 5);
    let (mask, shifted) = (temp(cx), temp(cx));
    for amount in [4, 2, 1] {
        cx.emit(r(Op::ZeroX, 16, mask));
        with(cx, Op::PcmpgtbRR, mask, amounts);
        // value ^= (value ^ shifted) & mask
        cx.emit(rr(Op::MovapRR, 4, shifted, value));
        by_one(cx, op, 8, shifted, amount);
        with(cx, Op::PxorRR, shifted, value);
        with(cx, Op::PandRR, shifted, mask);
        with(cx, Op::PxorRR, value, shifted);
        if amount > 1 {
            with(cx, Op::PaddbRR, amounts, amounts);
        }
    }
}
