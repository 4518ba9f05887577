//! Counts of ones in each lane.
//!
//! In bytes: with `pshufb`, of each nibble from a table; else in pairs of bits, then in nibbles, then in bytes (Warren,
//! "Hacker's Delight", chapter 5). Counts of the bytes of a lane are added by a shift and an addition for 16 bits, and
//! by `psadbw` with zero for others, which adds eight bytes.

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
