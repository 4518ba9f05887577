//! Shuffles of vectors of 256 bits, and what is done with a shuffle or a table: reversed bytes, counts of ones.
//!
//! ```text
//! [7, 6, 5, 4, 3, 2, 1, 0]                vpermd
//! [1, 0, 3, 2, 5, 4, 7, 6]                vpshufd, the same in both halves
//! [0, 9, 2, 11, 4, 13, 6, 15]             vpblendd
//! [7, 8, 9, 10, 11, 12, 13, 14]           vpermd of each input, and vpblendd
//! ```
//!
//! Method: a shuffle is looked at in lanes of 32 bits. If it does not take those apart, each input gets at most one
//! permutation, and both are blended. Bytes are shuffled within the halves of one input, since no instruction carries
//! them from one half to the other; other shuffles are done in halves by shared code.

use super::super::result;
use super::count::ONES_OF_NIBBLES;
use super::wide::{constant, pool, wide_shape};
use super::{splat, temp};
use crate::build::*;
use crate::regs::WIDE_VECTOR_BYTES;
use crate::table::Op;
use frazil_codegen::vectors::shuffle_index;
use frazil_codegen::{LowerCtx, Reg, VectorShape};
use frazil_ir::{Function, InstData, Operand};

/// The operation's size in bytes.
const SIZE: u8 = WIDE_VECTOR_BYTES;
/// Lanes of 32 bits.
const LANES: usize = 8;
const BYTES: usize = SIZE as usize;

/// How a shuffle is done.
enum Plan {
    /// By lanes of 32 bits: for each, which lane of both inputs it is, if that matters.
    Lanes([Option<u8>; LANES]),
    /// By bytes of one input, within its halves; whether it is the second one, and which byte each is.
    Bytes(bool, [u8; BYTES]),
}

/// Whether a shuffle has instructions.
pub fn is_done(function: &Function, data: &InstData) -> bool {
    plan(function, data).is_some()
}

fn plan(function: &Function, data: &InstData) -> Option<Plan> {
    let shape = wide_shape(function.types(), data.ty)?;
    wide_shape(function.types(), function.operand_type(data.a)?)?;
    let (_, mask) = function.ternary(data);
    let lane_bytes = shape.lane_bits as usize / 8;
    let byte = |index: usize| {
        let lane = shuffle_index(function, mask, (index / lane_bytes) as u32)?;
        Some(lane as usize * lane_bytes + index % lane_bytes)
    };
    lanes(byte).map(Plan::Lanes).or_else(|| bytes(byte))
}

/// The lanes of 32 bits, if their bytes stay together.
fn lanes(byte: impl Fn(usize) -> Option<usize>) -> Option<[Option<u8>; LANES]> {
    let mut lanes = [None; LANES];
    for (lane, from) in lanes.iter_mut().enumerate() {
        for index in 0..4 {
            let Some(source) = byte(lane * 4 + index) else { continue };
            let first = source.checked_sub(index).filter(|first| first % 4 == 0)?;
            let known = *from.get_or_insert((first / 4) as u8);
            if usize::from(known) != first / 4 {
                return None;
            }
        }
    }
    Some(lanes)
}

/// The bytes, if they are of one input and stay in their half.
fn bytes(byte: impl Fn(usize) -> Option<usize>) -> Option<Plan> {
    let mut input = None;
    let mut indices = [0; BYTES];
    for (index, from) in indices.iter_mut().enumerate() {
        let Some(source) = byte(index) else { continue };
        let is_second = source >= BYTES;
        let source = source % BYTES;
        if *input.get_or_insert(is_second) != is_second || source / 16 != index / 16 {
            return None;
        }
        *from = source as u8 % 16;
    }
    Some(Plan::Bytes(input.unwrap_or(false), indices))
}

/// Lowers a shuffle that [`is_done`] says yes to.
pub fn shuffle<C: LowerCtx>(cx: &mut C, data: &InstData) {
    let (second, _) = cx.func().ternary(data);
    match plan(cx.func(), data).expect("it was asked before") {
        Plan::Bytes(is_second, indices) => bytes_of(cx, data, if is_second { second } else { data.a }, indices),
        Plan::Lanes(lanes) => {
            let is_of = |first: u8| lanes.iter().flatten().any(|lane| (first..first + 8).contains(lane));
            match (is_of(0), is_of(8)) {
                (true, true) => blend(cx, data, [data.a, second], lanes),
                (_, is_second) => permute_into(cx, data, if is_second { second } else { data.a }, lanes),
            }
        }
    }
}

/// Bytes of one input, within its halves, into the result.
fn bytes_of<C: LowerCtx>(cx: &mut C, data: &InstData, input: Operand, indices: [u8; BYTES]) {
    let (low, high) = indices.split_at(16);
    let half = |bytes: &[u8]| u128::from_le_bytes(bytes.try_into().expect("it is a half"));
    let mem = pool(cx, [half(low), half(high)]);
    let src = cx.use_last(input, 0);
    let dst = cx.def_reuse(result(data), 0, src);
    cx.emit(rm(Op::VpshufbYRM, SIZE, dst, mem));
}

/// Lowers the reversal of the bytes of each lane.
pub fn swap_bytes<C: LowerCtx>(cx: &mut C, data: &InstData, shape: VectorShape) {
    let last = (shape.lane_bits / 8 - 1) as u8;
    bytes_of(cx, data, data.a, std::array::from_fn(|index| (index as u8 % 16) ^ last));
}

/// A permutation of one input.
enum Permutation {
    Identity,
    /// `vpshufd`, the same in both halves.
    Halves(i32),
    /// `vpermq`.
    Pairs(i32),
    /// `vpermd`, with the constant in halves.
    Any([u128; 2]),
}

/// What brings lanes, numbered from 0 here, to their places.
fn permutation(lanes: [Option<u8>; LANES]) -> Permutation {
    let is = |from: &dyn Fn(usize) -> usize| {
        (lanes.iter().enumerate()).all(|(index, lane)| lane.is_none_or(|lane| usize::from(lane) == from(index)))
    };
    if is(&|index| index) {
        return Permutation::Identity;
    }
    let of_half = |index: usize| lanes[index].or(lanes[index + 4]).unwrap_or(0) % 4;
    let quarter: [u8; 4] = std::array::from_fn(of_half);
    if is(&|index| index / 4 * 4 + usize::from(quarter[index % 4])) {
        return Permutation::Halves((0..4).map(|index| i32::from(quarter[index]) << (2 * index)).sum());
    }
    let of_pair = |index: usize| lanes[2 * index].or(lanes[2 * index + 1]).unwrap_or(0) / 2;
    let pairs: [u8; 4] = std::array::from_fn(of_pair);
    if is(&|index| usize::from(pairs[index / 2]) * 2 + index % 2) {
        return Permutation::Pairs((0..4).map(|index| i32::from(pairs[index]) << (2 * index)).sum());
    }
    let half = |first: usize| {
        let lane = |index: usize| u128::from(lanes[first + index].unwrap_or(0)) << (32 * index);
        (0..4).map(lane).sum()
    };
    Permutation::Any([half(0), half(4)])
}

/// Lanes of one input into the result.
fn permute_into<C: LowerCtx>(cx: &mut C, data: &InstData, input: Operand, lanes: [Option<u8>; LANES]) {
    let permutation = permutation(lanes.map(|lane| lane.map(|lane| lane % 8)));
    if let Permutation::Identity = permutation {
        let src = cx.use_last(input, 0);
        cx.def_reuse(result(data), 0, src);
        return;
    }
    let src = cx.use_reg(input, 0);
    let indices = indices(cx, &permutation);
    let dst = cx.def(result(data), 0);
    permute(cx, dst, src, &permutation, indices);
}

/// The register with the constant of a permutation, if it needs one.
fn indices<C: LowerCtx>(cx: &mut C, permutation: &Permutation) -> Reg {
    let Permutation::Any(halves) = permutation else {
        return Reg::NONE;
    };
    let indices = temp(cx);
    constant(cx, indices, *halves);
    indices
}

fn permute<C: LowerCtx>(cx: &mut C, dst: Reg, src: Reg, permutation: &Permutation, indices: Reg) {
    cx.emit(match *permutation {
        Permutation::Identity => rr(Op::VmovupYRR, SIZE, dst, src),
        Permutation::Halves(imm) => rri(Op::VpshufdYRRI, SIZE, dst, src, imm),
        Permutation::Pairs(imm) => rri(Op::VpermqYRRI, SIZE, dst, src, imm),
        Permutation::Any(_) => rrr(Op::VpermdYRRR, SIZE, dst, indices, src),
    });
}

/// Lanes of both inputs into the result.
fn blend<C: LowerCtx>(cx: &mut C, data: &InstData, inputs: [Operand; 2], lanes: [Option<u8>; LANES]) {
    let of = |input: u8| lanes.map(|lane| lane.filter(|lane| lane / 8 == input).map(|lane| lane % 8));
    let mut permuted = [Reg::NONE; 2];
    for (input, reg) in permuted.iter_mut().enumerate() {
        let permutation = permutation(of(input as u8));
        let src = cx.use_reg(inputs[input], 0);
        *reg = src;
        if !matches!(permutation, Permutation::Identity) {
            let indices = indices(cx, &permutation);
            *reg = temp(cx);
            permute(cx, *reg, src, &permutation, indices);
        }
    }
    let is_second = |index: usize| lanes[index].is_some_and(|lane| lane >= 8);
    let imm = (0..LANES).map(|index| i32::from(is_second(index)) << index).sum();
    let dst = cx.def(result(data), 0);
    cx.emit(rrri(Op::VpblenddYRRRI, SIZE, dst, permuted[0], permuted[1], imm));
}

/// Lowers counts of ones: those of nibbles from a table, whose sums are made by multiplications by one, and by sums of
/// differences with zero for lanes of 64 bits.
pub fn count_ones<C: LowerCtx>(cx: &mut C, data: &InstData, shape: VectorShape) {
    let src = cx.use_reg(data.a, 0);
    let [table, mask, low, high] = [temp(cx), temp(cx), temp(cx), temp(cx)];
    constant(cx, table, [ONES_OF_NIBBLES; 2]);
    constant(cx, mask, [splat(0x0f, 8); 2]);
    cx.emit(rrr(Op::VpandYRRR, SIZE, low, src, mask));
    cx.emit(rri(Op::VpsrlwYRRI, SIZE, high, src, 4));
    cx.emit(rrr(Op::VpandYRRR, SIZE, high, high, mask));
    cx.emit(rrr(Op::VpshufbYRRR, SIZE, low, table, low));
    cx.emit(rrr(Op::VpshufbYRRR, SIZE, high, table, high));
    if shape.lane_bits == 8 {
        let dst = cx.def(result(data), 0);
        return cx.emit(rrr(Op::VpaddbYRRR, SIZE, dst, low, high));
    }
    cx.emit(rrr(Op::VpaddbYRRR, SIZE, low, low, high));
    if shape.lane_bits == 64 {
        constant(cx, high, [0, 0]);
        let dst = cx.def(result(data), 0);
        return cx.emit(rrr(Op::VpsadbwYRRR, SIZE, dst, low, high));
    }
    let ones = pool(cx, [splat(1, 8); 2]);
    if shape.lane_bits == 32 {
        cx.emit(rm(Op::VpmaddubswYRM, SIZE, low, ones));
    }
    let last = match shape.lane_bits {
        16 => (Op::VpmaddubswYRM, ones),
        _ => (Op::VpmaddwdYRM, pool(cx, [splat(1, 16); 2])),
    };
    let dst = cx.def_reuse(result(data), 0, low);
    cx.emit(rm(last.0, SIZE, dst, last.1));
}
