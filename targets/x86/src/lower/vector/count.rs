//! Counts of ones, and of zeros above the first one, in each lane.
//!
//! In bytes: with `pshufb`, of each nibble from a table; else in pairs of bits, then in nibbles, then in bytes (Warren,
//! "Hacker's Delight", chapter 5). Counts of the bytes of a lane are added by a shift and an addition for 16 bits, and
//! by `psadbw` with zero for others, which adds eight bytes.
//!
//! Zeros above the first one of 32 bits are what the exponent of the number as a float is short of 31. Before that,
//! each bit is cleared that is eight places below a one, so that rounding does not carry up to the exponent. The sign
//! of a negative number is above the exponent then, and makes zero of the difference, which saturates. As with LLVM's
//! shifts by conversions, this may raise the exception of inexact results.

use super::{by, copy_of, finish, has_ssse3, loaded, splat, temp, with, with_constant, zero};
use crate::build::*;
use crate::table::Op;
use frazil_codegen::{LowerCtx, Reg, VectorShape};
use frazil_ir::InstData;

/// The number of ones in each nibble.
pub(super) const ONES_OF_NIBBLES: u128 = 0x0403_0302_0302_0201_0302_0201_0201_0100;

/// Lowers `ctpop` of integers of at most 64 bits.
pub fn count_ones<C: LowerCtx>(cx: &mut C, data: &InstData, shape: VectorShape) {
    let mut value = cx.use_copy(data.a, 0);
    if has_ssse3(cx.view()) {
        value = by_table(cx, value);
    } else {
        in_pairs(cx, value);
    }
    match shape.lane_bits {
        8 => {}
        16 => {
            let low = copy_of(cx, value);
            by(cx, Op::PsllwRI, low, 8);
            with(cx, Op::PaddbRR, value, low);
            by(cx, Op::PsrlwRI, value, 8);
        }
        32 => {
            let clear = zero(cx);
            let high = copy_of(cx, value);
            with(cx, Op::PunpckhdqRR, high, clear);
            with(cx, Op::PsadbwRR, high, clear);
            with(cx, Op::PunpckldqRR, value, clear);
            with(cx, Op::PsadbwRR, value, clear);
            with(cx, Op::PackuswbRR, value, high);
        }
        _ => {
            let clear = zero(cx);
            with(cx, Op::PsadbwRR, value, clear);
        }
    }
    finish(cx, data, value);
}

/// Lowers `ctlz` of integers of 32 bits.
pub fn leading_zeros<C: LowerCtx>(cx: &mut C, data: &InstData) {
    const EXPONENT_OF_TOP_BIT: u128 = 127 + 31;
    let value = cx.use_copy(data.a, 0);
    let number = copy_of(cx, value);
    by(cx, Op::PsrldRI, number, 8);
    with(cx, Op::PandnRR, number, value);
    cx.emit(rr(Op::Cvtdq2psRR, 16, number, number));
    by(cx, Op::PsrldRI, number, 23);
    let zeros = loaded(cx, splat(EXPONENT_OF_TOP_BIT, 32));
    with(cx, Op::PsubuswRR, zeros, number);
    // The exponent of zero is that of no number.
    let all = loaded(cx, splat(32, 32));
    with(cx, Op::PminswRR, zeros, all);
    finish(cx, data, zeros);
}

/// The counts, in another register.
fn by_table<C: LowerCtx>(cx: &mut C, value: Reg) -> Reg {
    let high = copy_of(cx, value);
    let table = loaded(cx, ONES_OF_NIBBLES);
    let low_table = copy_of(cx, table);
    with_constant(cx, Op::PandRM, value, splat(0x0f, 8));
    by(cx, Op::PsrlwRI, high, 4);
    with_constant(cx, Op::PandRM, high, splat(0x0f, 8));
    with(cx, Op::PshufbRR, low_table, value);
    with(cx, Op::PshufbRR, table, high);
    with(cx, Op::PaddbRR, table, low_table);
    table
}

fn in_pairs<C: LowerCtx>(cx: &mut C, value: Reg) {
    let other = temp(cx);
    let shifted = |cx: &mut C, distance: i32| {
        cx.emit(rr(Op::MovapRR, 4, other, value));
        by(cx, Op::PsrlwRI, other, distance);
        other
    };
    // A pair less its upper bit is its number of ones.
    let upper = shifted(cx, 1);
    with_constant(cx, Op::PandRM, upper, splat(0x55, 8));
    with(cx, Op::PsubbRR, value, upper);
    let upper = shifted(cx, 2);
    with_constant(cx, Op::PandRM, upper, splat(0x33, 8));
    with_constant(cx, Op::PandRM, value, splat(0x33, 8));
    with(cx, Op::PaddbRR, value, upper);
    let upper = shifted(cx, 4);
    with(cx, Op::PaddbRR, value, upper);
    with_constant(cx, Op::PandRM, value, splat(0x0f, 8));
}
