//! Shuffles of vectors of 256 bits, and what is done with a shuffle or a table: reversed bytes, counts of ones.
//!
//! ```text
//! [7, 6, 5, 4, 3, 2, 1, 0]                vpermd
//! [1, 0, 3, 2, 5, 4, 7, 6]                vpshufd, the same in both halves
//! [0, 9, 2, 11, 4, 13, 6, 15]             vpblendd
//! [7, 8, 9, 10, 11, 12, 13, 14]           vperm2i128 and vpalignr
//! [0, 2, 4, 6, 8, 10, 12, 14]             vshufps and vpermq
//! [7, 9, 8, 10, 11, 12, 14, 13]           vpermd of each input, and vpblendd
//! [0, 8, 1, 9, 2, 10, 3, 11]              vpermq of each input, and vpunpckldq
//! [0, 1, 2, 3, 8, 9, 10, 11]              vperm2i128
//! ```
//!
//! Method: halves of both inputs as they are go together by one instruction. Lanes of both inputs in turn are
//! interleaved, which instructions do half by half, so that the quarters of the inputs may have to change places
//! before. What lies side by side in both inputs, one after the other, is cut out of the halves that meet. Two lanes of
//! each half of both inputs are put side by side, and the quarters may have to change places after that. Else a shuffle
//! is looked at in lanes of 32 bits. If it does not take those apart, each input gets at most one permutation, and both
//! are blended. Bytes are shuffled within the halves of each input, which change places before if all bytes of one do,
//! since no instruction carries single bytes from one half to the other; other shuffles are done in halves by shared
//! code.

use super::super::result;
use super::count::ONES_OF_NIBBLES;
use super::shuffle::{INTERLEAVES, interleaved};
use super::wide::{constant, pool, reload, wide_shape};
use super::{copy_of, finish, has_floats, shape, splat, temp};
use crate::build::*;
use crate::regs::{VECTOR_BYTES, WIDE_VECTOR_BYTES};
use crate::table::Op;
use frazil_codegen::vectors::shuffle_index;
use frazil_codegen::{LowerCtx, Mem, Reg, VectorShape};
use frazil_ir::{Function, InstData, Operand};

/// The operation's size in bytes.
const SIZE: u8 = WIDE_VECTOR_BYTES;
/// Lanes of 32 bits.
const LANES: usize = 8;
const BYTES: usize = SIZE as usize;

/// The immediate of `vpermq` for halves that change places.
const EXCHANGE_HALVES: i32 = 0x4e;
/// The immediate of `vperm2i128` for the upper half of the first input and the lower one of the second.
const MEETING_HALVES: i32 = 0x21;
/// That of `vpermq` for the first and the third quarter at the start.
const EVEN_QUARTERS: i32 = 0x08;
/// The immediate of `shufps` for the even lanes of one input, and then of the other.
const EVEN_LANES: i32 = 0x88;

/// That for the first and the third quarter in the first half, and the others in the second.
const QUARTERS_IN_TURN: i32 = 0xd8;
/// The same as a table.
const QUARTERS: [usize; 4] = [0, 2, 1, 3];

/// An index of `vpshufb` for a byte of zeros.
const CLEAR: u8 = 0x80;

/// How a shuffle is done.
enum Plan {
    /// By lanes of 32 bits: for each, which lane of both inputs it is, if that matters.
    Lanes([Option<u8>; LANES]),
    /// By bytes of one input, each half of which becomes a half: whether it is the second one, whether the halves
    /// change places, and which byte of its half each is.
    Bytes(bool, bool, [u8; BYTES]),
    /// Lanes of both inputs in turn, by a row that does so half by half: whether the quarters of both change places
    /// before.
    Interleave(Op, bool),
    /// Halves of both inputs, by this immediate.
    Halves(i32),
    /// All bytes from this one on of both inputs side by side; and which input comes first.
    Splice(usize, usize),
    /// Two lanes of 32 bits of each half of both inputs.
    Pairs(Pairs),
    /// By bytes of both inputs, within the halves.
    BytesOfBoth([[u8; BYTES]; 2]),
}

/// Two lanes of 32 bits of each half of one input, the same of both halves, and two of the other input.
#[derive(Clone, Copy)]
struct Pairs {
    /// The input whose lanes come first.
    first: usize,
    /// The immediate of `vshufps`.
    imm: i32,
    /// Whether both pairs of an input stand together; else those of a half.
    in_turn: bool,
}

/// Whether a shuffle has instructions.
pub fn is_done(function: &Function, data: &InstData) -> bool {
    plan(function, data).is_some()
}

/// Whether both inputs of a shuffle are permuted before they are blended.
pub fn moves_both(function: &Function, data: &InstData) -> bool {
    let Some(Plan::Lanes(lanes)) = plan(function, data) else {
        return false;
    };
    let is_moved = |input| !matches!(permutation(of_input(lanes, input)), Permutation::Identity);
    is_moved(0) && is_moved(1)
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
    interleave(byte)
        .or_else(|| halves(byte))
        .or_else(|| splice(byte))
        .or_else(|| lanes(byte).map(pairs_or_lanes))
        .or_else(|| bytes(byte))
        .or_else(|| bytes_of_both(byte))
}

/// An interleaving.
fn interleave(byte: impl Fn(usize) -> Option<usize>) -> Option<Plan> {
    let fits = |(_, bytes, is_upper): (Op, usize, bool), in_turn: bool| {
        (0..BYTES).all(|index| {
            let source = index / 16 * 16 + interleaved(index % 16, bytes, is_upper);
            let quarter = if in_turn { QUARTERS[source / 8] } else { source / 8 };
            let input = index / bytes % 2;
            byte(index).is_none_or(|byte| byte == input * BYTES + quarter * 8 + source % 8)
        })
    };
    let is_of_both = [0, 1].map(|input| (0..BYTES).any(|index| byte(index).is_some_and(|byte| byte / BYTES == input)));
    [false, true]
        .into_iter()
        .filter(|_| is_of_both == [true; 2])
        .find_map(|in_turn| {
            let row = INTERLEAVES.into_iter().find(|&row| fits(row, in_turn))?;
            Some(Plan::Interleave(row.0, in_turn))
        })
}

/// Halves of both inputs, if not both are in their places, where blending them takes less time.
fn halves(byte: impl Fn(usize) -> Option<usize>) -> Option<Plan> {
    let source = |half: usize| {
        let is_from =
            |source: usize| (0..16).all(|index| byte(half * 16 + index).is_none_or(|byte| byte == source * 16 + index));
        (0..4).find(|&source| is_from(source))
    };
    let (low, high) = (source(0)?, source(1)?);
    let is_moved = low % 2 != 0 || high % 2 != 1;
    (low / 2 != high / 2 && is_moved).then_some(Plan::Halves((low | high << 4) as i32))
}

/// Bytes that lie side by side in both inputs one after the other.
fn splice(byte: impl Fn(usize) -> Option<usize>) -> Option<Plan> {
    let first = (0..BYTES).find_map(|index| Some((byte(index)? + 2 * BYTES - index) % (2 * BYTES)))?;
    let is_next = |index| byte(index).is_none_or(|byte| byte == (first + index) % (2 * BYTES));
    let (input, from) = (first / BYTES, first % BYTES);
    (from % 16 != 0 && (0..BYTES).all(is_next)).then_some(Plan::Splice(from, input))
}

/// Pairs of lanes of both inputs, where that takes less than permuting and blending them.
fn pairs_or_lanes(lanes: [Option<u8>; LANES]) -> Plan {
    let [is_moved, is_other_moved] = [0, 1].map(|input| {
        let own = of_input(lanes, input);
        own.iter().any(Option::is_some) && !matches!(permutation(own), Permutation::Identity)
    });
    let find = |in_turn| [0, 1].into_iter().find_map(|first| pairs(lanes, first, in_turn));
    let is_of_both = [0, 1]
        .iter()
        .all(|&input| of_input(lanes, input).iter().any(Option::is_some));
    let found = match (is_of_both, is_moved && is_other_moved) {
        (false, _) => None,
        (true, true) => find(false).or_else(|| find(true)),
        (true, false) => find(false),
    };
    found.map_or(Plan::Lanes(lanes), Plan::Pairs)
}

/// Pairs of lanes, first those of input `first`.
fn pairs(lanes: [Option<u8>; LANES], first: usize, in_turn: bool) -> Option<Pairs> {
    // By place in a half: which lane of a half it is.
    let mut sources: [Option<usize>; 4] = [None; 4];
    for (index, lane) in lanes.into_iter().enumerate() {
        let quarter = if in_turn { QUARTERS[index / 2] } else { index / 2 };
        let (half, place) = (quarter / 2, quarter % 2 * 2 + index % 2);
        let Some(lane) = lane.map(usize::from) else { continue };
        let input = if place < 2 { first } else { 1 - first };
        if lane / 4 != input * 2 + half || *sources[place].get_or_insert(lane % 4) != lane % 4 {
            return None;
        }
    }
    let imm = (sources.iter().enumerate()).map(|(place, source)| (source.unwrap_or(0) << (2 * place)) as i32);
    Some(Pairs {
        first,
        imm: imm.sum(),
        in_turn,
    })
}

/// Bytes of both inputs, if each stays in its half.
fn bytes_of_both(byte: impl Fn(usize) -> Option<usize>) -> Option<Plan> {
    let mut indices = [[CLEAR; BYTES]; 2];
    for (index, source) in (0..BYTES).filter_map(|index| Some((index, byte(index)?))) {
        if source % BYTES / 16 != index / 16 {
            return None;
        }
        indices[source / BYTES][index] = source as u8 % 16;
    }
    Some(Plan::BytesOfBoth(indices))
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

/// The bytes, if they are of one input, and those of a half of one half.
fn bytes(byte: impl Fn(usize) -> Option<usize>) -> Option<Plan> {
    let mut input = None;
    let mut is_exchanged = None;
    let mut indices = [0; BYTES];
    for (index, from) in indices.iter_mut().enumerate() {
        let Some(source) = byte(index) else { continue };
        let is_second = source >= BYTES;
        let source = source % BYTES;
        let is_of_other = source / 16 != index / 16;
        if *input.get_or_insert(is_second) != is_second || *is_exchanged.get_or_insert(is_of_other) != is_of_other {
            return None;
        }
        *from = source as u8 % 16;
    }
    Some(Plan::Bytes(
        input.unwrap_or(false),
        is_exchanged.unwrap_or(false),
        indices,
    ))
}

/// Lowers a shuffle that [`is_done`] says yes to.
pub fn shuffle<C: LowerCtx>(cx: &mut C, data: &InstData) {
    let (second, _) = cx.func().ternary(data);
    match plan(cx.func(), data).expect("it was asked before") {
        Plan::Bytes(is_second, is_exchanged, indices) => {
            let input = if is_second { second } else { data.a };
            match is_exchanged {
                true => exchanged_bytes_of(cx, data, input, indices),
                false => bytes_of(cx, data, input, indices),
            }
        }
        Plan::Interleave(row, in_turn) => {
            let inputs = [data.a, second].map(|input| {
                let src = cx.use_reg(input, 0);
                if !in_turn {
                    return src;
                }
                let permuted = temp(cx);
                cx.emit(rri(Op::VpermqYRRI, SIZE, permuted, src, QUARTERS_IN_TURN));
                permuted
            });
            let dst = cx.def(result(data), 0);
            cx.emit(wide_of_two(row, dst, inputs[0], inputs[1]));
        }
        Plan::Halves(halves) => {
            let inputs = [data.a, second].map(|input| cx.use_reg(input, 0));
            let dst = cx.def(result(data), 0);
            cx.emit(rrri(Op::Vperm2i128RRRI, SIZE, dst, inputs[0], inputs[1], halves));
        }
        Plan::Splice(from, first) => {
            let inputs = [data.a, second];
            let [low, high] = [inputs[first], inputs[1 - first]].map(|input| cx.use_reg(input, 0));
            let middle = temp(cx);
            cx.emit(rrri(Op::Vperm2i128RRRI, SIZE, middle, low, high, MEETING_HALVES));
            let (above, below) = if from < 16 { (middle, low) } else { (high, middle) };
            let dst = cx.def(result(data), 0);
            cx.emit(rrri(Op::VpalignrYRRRI, SIZE, dst, above, below, (from % 16) as i32));
        }
        Plan::Pairs(Pairs { first, imm, in_turn }) => {
            let inputs = [data.a, second];
            let [low, high] = [inputs[first], inputs[1 - first]].map(|input| cx.use_reg(input, 0));
            if !in_turn {
                let dst = cx.def(result(data), 0);
                return cx.emit(rrri(Op::VshufpsYRRRI, SIZE, dst, low, high, imm));
            }
            let joined = temp(cx);
            cx.emit(rrri(Op::VshufpsYRRRI, SIZE, joined, low, high, imm));
            let dst = cx.def(result(data), 0);
            cx.emit(rri(Op::VpermqYRRI, SIZE, dst, joined, QUARTERS_IN_TURN));
        }
        Plan::BytesOfBoth(indices) => {
            let [first, other] = [0, 1].map(|input| {
                let mem = bytes_in_memory(cx, indices[input]);
                let src = cx.use_reg([data.a, second][input], 0);
                let chosen = temp(cx);
                cx.emit(rrm(Op::VpshufbYRM, SIZE, chosen, src, mem));
                chosen
            });
            let dst = cx.def(result(data), 0);
            cx.emit(rrr(Op::VporYRRR, SIZE, dst, first, other));
        }
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
    let mem = bytes_in_memory(cx, indices);
    let src = cx.use_reg(input, 0);
    let dst = cx.def(result(data), 0);
    cx.emit(rrm(Op::VpshufbYRM, SIZE, dst, src, mem));
}

/// The same of the other half.
fn exchanged_bytes_of<C: LowerCtx>(cx: &mut C, data: &InstData, input: Operand, indices: [u8; BYTES]) {
    let mem = bytes_in_memory(cx, indices);
    let src = cx.use_reg(input, 0);
    let exchanged = temp(cx);
    cx.emit(rri(Op::VpermqYRRI, SIZE, exchanged, src, EXCHANGE_HALVES));
    let dst = cx.def(result(data), 0);
    cx.emit(rrm(Op::VpshufbYRM, SIZE, dst, exchanged, mem));
}

/// The indices of `vpshufb`.
fn bytes_in_memory<C: LowerCtx>(cx: &mut C, indices: [u8; BYTES]) -> Mem {
    let (low, high) = indices.split_at(16);
    let half = |bytes: &[u8]| u128::from_le_bytes(bytes.try_into().expect("it is a half"));
    pool(cx, [half(low), half(high)])
}

/// Whether a truncation is done here: of lanes of 16 to 64 bits that fill 256 bits.
pub fn is_truncated(function: &Function, data: &InstData) -> bool {
    let types = function.types();
    let from = function.operand_type(data.a).and_then(|ty| wide_shape(types, ty));
    let to = shape(types, data.ty);
    let (Some(from), Some(to)) = (from, to) else {
        return false;
    };
    !to.is_mask && from.lane_bits <= 64 && matches!(to.lane_bits, 8 | 16 | 32) && !has_floats(from)
}

/// Lowers a truncation: what is kept of each half goes to its start, and that of the higher one after that of the lower
/// one.
pub fn truncate<C: LowerCtx>(cx: &mut C, data: &InstData) {
    let types = cx.func().types();
    let from = cx.func().operand_type(data.a).and_then(|ty| wide_shape(types, ty));
    let (from, to) = from.zip(shape(types, data.ty)).expect("it was asked before");
    let (from_bytes, to_bytes) = (from.lane_bits as usize / 8, to.lane_bits as usize / 8);
    // Bytes of the result that come from one half: 8, 4 or 2.
    let kept = 16 / from_bytes * to_bytes;
    if from_bytes == 8 && to_bytes == 4 {
        let src = cx.use_reg(data.a, 0);
        let (high, evens) = (temp(cx), copy_of(cx, src));
        cx.emit(rri(Op::Vextractf128RRI, SIZE, high, src, 1));
        cx.emit(rri(Op::ShufpRRI, 4, evens, high, EVEN_LANES));
        return finish(cx, data, evens);
    }
    // Two bytes of each half are joined by oring, so those of the higher one are where they go.
    let indices = std::array::from_fn(|index| {
        let (half, byte) = (index / 16, index % 16);
        let first = if kept < 4 { half * kept } else { 0 };
        match byte.checked_sub(first).filter(|&byte| byte < kept) {
            Some(byte) => (byte / to_bytes * from_bytes + byte % to_bytes) as u8,
            None => CLEAR,
        }
    });
    let mem = bytes_in_memory(cx, indices);
    let src = cx.use_reg(data.a, 0);
    let table = temp(cx);
    cx.emit(reload(SIZE, table, mem));
    let gathered = temp(cx);
    cx.emit(rrr(Op::VpshufbYRRR, SIZE, gathered, src, table));
    if kept == 8 {
        let dst = cx.def(result(data), 0);
        return cx.emit(rri(Op::VpermqYRRI, SIZE, dst, gathered, EVEN_QUARTERS));
    }
    let high = temp(cx);
    cx.emit(rri(Op::Vextractf128RRI, SIZE, high, gathered, 1));
    let row = if kept == 4 { Op::PunpckldqRR } else { Op::PorRR };
    cx.emit(rr(row, VECTOR_BYTES, gathered, high));
    finish(cx, data, gathered);
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

/// The lanes of one of both inputs.
fn of_input(lanes: [Option<u8>; LANES], input: u8) -> [Option<u8>; LANES] {
    lanes.map(|lane| lane.filter(|lane| lane / 8 == input).map(|lane| lane % 8))
}

/// Lanes of both inputs into the result.
fn blend<C: LowerCtx>(cx: &mut C, data: &InstData, inputs: [Operand; 2], lanes: [Option<u8>; LANES]) {
    let mut permuted = [Reg::NONE; 2];
    for (input, reg) in permuted.iter_mut().enumerate() {
        let permutation = permutation(of_input(lanes, input as u8));
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
        cx.emit(rrm(Op::VpmaddubswYRM, SIZE, low, low, ones));
    }
    let last = match shape.lane_bits {
        16 => (Op::VpmaddubswYRM, ones),
        _ => (Op::VpmaddwdYRM, pool(cx, [splat(1, 16); 2])),
    };
    let dst = cx.def(result(data), 0);
    cx.emit(rrm(last.0, SIZE, dst, low, last.1));
}
