//! Shuffles: the mask as 16 byte numbers, and the first of a list of plans that fits.
//!
//! What fits none (bytes and words in disorder, without `pshufb`) is done lane by lane.

use super::super::{result, type_of};
use super::{constant, copy_of, finish, shape, temp};
use crate::build::*;
use crate::features;
use crate::table::Op;
use frazil_codegen::vectors::shuffle_index;
use frazil_codegen::{Halt, LowerCtx, ModuleView, Reg};
use frazil_ir::{ConstView, Function, InstData, Operand};

/// In a mask: any byte will do.
const ANY: u8 = 0xff;

/// For each byte of the result its number in the first operand, or 16 more than that in the second one.
type Mask = [u8; 16];

/// The instructions of a shuffle. `false` stands for the first operand, `true` for the second one.
#[derive(Clone, Copy, Debug)]
pub enum Plan {
    Copy(bool),
    /// Lanes of the operands in turn.
    Interleave(Op, bool, bool),
    /// The lowest 4 or 8 bytes of the second one named, the others of the first one.
    MoveLow(u8, bool, bool),
    /// 32-bit lanes of one operand.
    Lanes(bool, i32),
    /// Two 32-bit lanes of one operand, then two of another.
    TwoLanes(bool, bool, i32),
    /// 32-bit lanes of both operands: lanes of the first one, lanes of the second one, bytes that are the first one's.
    Blend(i32, i32, u128),
    /// 16-bit lanes in both halves of one operand.
    Words(bool, i32, i32),
    /// One byte (1) or pair of bytes (2) of an operand everywhere.
    Splat(bool, u8, u8),
    /// An operand moved down by some bytes, and the other one from above it.
    Rotate(bool, u8),
    /// An operand moved up by some bytes; zeros come in.
    ShiftUp(bool, u8),
    /// An operand moved down by some bytes; zeros come in.
    ShiftDown(bool, u8),
    /// Bytes of both operands, by `pshufb`.
    Bytes(Mask),
}

/// How the shuffle of an instruction is done; `None` if lane by lane.
pub fn plan(function: &Function, view: ModuleView<'_>, data: &InstData) -> Option<Plan> {
    let (second, lanes) = function.ternary(data);
    let mut mask = byte_mask(function, data, lanes)?;
    let is_any = |operand: Operand| {
        let constant = operand.as_const().map(|id| function.constant(id).1);
        matches!(constant, Some(ConstView::Undef | ConstView::Poison))
    };
    for byte in mask.iter_mut().filter(|byte| **byte != ANY) {
        let is_second = *byte >= 16;
        if is_any(if is_second { second } else { data.a }) {
            *byte = ANY;
        } else if is_second && second == data.a {
            *byte -= 16;
        }
    }
    let zero = |operand: Operand| {
        let constant = operand.as_const().map(|id| function.constant(id).1);
        matches!(constant, Some(ConstView::Zero))
    };
    whole(&mask)
        .or_else(|| interleave(&mask))
        .or_else(|| lanes_32(&mask))
        .or_else(|| words(&mask))
        .or_else(|| splat(&mask))
        .or_else(|| shift(&mask, zero(data.a), zero(second)))
        .or_else(|| rotate(&mask))
        .or_else(|| view.features.has(features::SSSE3).then_some(Plan::Bytes(mask)))
}

/// The mask by bytes; what lies above the result's lanes is [`ANY`].
fn byte_mask(function: &Function, data: &InstData, lanes: Operand) -> Option<Mask> {
    let shape = shape(function.types(), data.ty)?;
    let from = super::shape(function.types(), function.operand_type(data.a)?)?;
    if from.lane_bits != shape.lane_bits {
        return None;
    }
    let bytes = shape.lane_bits as usize / 8;
    let mut mask = [ANY; 16];
    for lane in 0..shape.lanes {
        let Some(index) = shuffle_index(function, lanes, lane) else {
            continue;
        };
        let start = match index.checked_sub(from.lanes) {
            None => index as usize * bytes,
            Some(index) if index < from.lanes => 16 + index as usize * bytes,
            Some(_) => continue,
        };
        for byte in 0..bytes {
            mask[lane as usize * bytes + byte] = (start + byte) as u8;
        }
    }
    Some(mask)
}

/// Whether the pattern gives what the mask asks for.
fn fits(mask: &Mask, pattern: impl Fn(usize) -> u8) -> bool {
    (0..)
        .zip(mask)
        .all(|(index, &byte)| byte == ANY || byte == pattern(index))
}

/// The number of an operand's first byte.
fn base(is_second: bool) -> u8 {
    u8::from(is_second) * 16
}

fn whole(mask: &Mask) -> Option<Plan> {
    let same = |is_second| fits(mask, |index| index as u8 + base(is_second));
    [false, true].into_iter().find(|&second| same(second)).map(Plan::Copy)
}

const PAIRS: [(bool, bool); 4] = [(false, false), (false, true), (true, false), (true, true)];

/// Rows that interleave, with the bytes of a lane and whether they take the upper halves.
const INTERLEAVES: [(Op, usize, bool); 8] = [
    (Op::PunpcklbwRR, 1, false),
    (Op::PunpcklwdRR, 2, false),
    (Op::PunpckldqRR, 4, false),
    (Op::PunpcklqdqRR, 8, false),
    (Op::PunpckhbwRR, 1, true),
    (Op::PunpckhwdRR, 2, true),
    (Op::PunpckhdqRR, 4, true),
    (Op::PunpckhqdqRR, 8, true),
];

fn interleave(mask: &Mask) -> Option<Plan> {
    for (row, bytes, is_upper) in INTERLEAVES {
        for (even, odd) in PAIRS {
            let pattern = |index: usize| {
                let lane = index / bytes;
                let from = lane / 2 * bytes + index % bytes + if is_upper { 8 } else { 0 };
                from as u8 + base(if lane.is_multiple_of(2) { even } else { odd })
            };
            if fits(mask, pattern) {
                return Some(Plan::Interleave(row, even, odd));
            }
        }
    }
    None
}

/// The mask by lanes of some bytes; `None` if it tears one apart.
fn by_lanes<const N: usize>(mask: &Mask) -> Option<[u8; N]> {
    let bytes = 16 / N;
    let mut lanes = [ANY; N];
    for (lane, chunk) in lanes.iter_mut().zip(mask.chunks_exact(bytes)) {
        for (offset, &byte) in (0..).zip(chunk) {
            if byte == ANY {
                continue;
            }
            let (number, rest) = (byte / bytes as u8, byte % bytes as u8);
            if rest != offset || (*lane != ANY && *lane != number) {
                return None;
            }
            *lane = number;
        }
    }
    Some(lanes)
}

/// The immediate of `pshufd` and its kin that takes these lanes, modulo four.
fn immediate(lanes: [u8; 4]) -> i32 {
    (0..).zip(lanes).fold(0, |bits, (index, lane)| {
        let lane = if lane == ANY { 0 } else { lane % 4 };
        bits | i32::from(lane) << (2 * index)
    })
}

fn lanes_32(mask: &Mask) -> Option<Plan> {
    let lanes: [u8; 4] = by_lanes(mask)?;
    let only_from = |lanes: &[u8], is_second: bool| lanes.iter().all(|&lane| lane == ANY || (lane >= 4) == is_second);
    for is_second in [false, true] {
        if only_from(&lanes, is_second) {
            return Some(Plan::Lanes(is_second, immediate(lanes)));
        }
    }
    for (kept, moved) in [(false, true), (true, false)] {
        for bytes in [4, 8] {
            let pattern = |index: usize| index as u8 + base(if index < bytes { moved } else { kept });
            if fits(mask, pattern) {
                return Some(Plan::MoveLow(bytes as u8, kept, moved));
            }
        }
    }
    for (low, high) in [(false, true), (true, false)] {
        if only_from(&lanes[..2], low) && only_from(&lanes[2..], high) {
            return Some(Plan::TwoLanes(low, high, immediate(lanes)));
        }
    }
    let of_first = (0..).zip(lanes).fold(0u128, |bits, (index, lane)| {
        bits | if lane < 4 { 0xffff_ffff << (32 * index) } else { 0 }
    });
    Some(Plan::Blend(immediate(lanes), immediate(lanes), of_first))
}

fn words(mask: &Mask) -> Option<Plan> {
    let lanes: [u8; 8] = by_lanes(mask)?;
    for is_second in [false, true] {
        let first = u8::from(is_second) * 8;
        let within = |lanes: &[u8], from: u8| {
            lanes
                .iter()
                .all(|&lane| lane == ANY || (from..from + 4).contains(&lane))
        };
        if within(&lanes[..4], first) && within(&lanes[4..], first + 4) {
            let half = |start: usize| immediate([lanes[start], lanes[start + 1], lanes[start + 2], lanes[start + 3]]);
            return Some(Plan::Words(is_second, half(0), half(4)));
        }
    }
    None
}

fn splat(mask: &Mask) -> Option<Plan> {
    let first = mask[0];
    if first != ANY && fits(mask, |_| first) {
        return Some(Plan::Splat(first >= 16, first % 16, 1));
    }
    let is_pair = first != ANY && first.is_multiple_of(2) && fits(mask, |index| first + (index % 2) as u8);
    is_pair.then_some(Plan::Splat(first >= 16, first % 16, 2))
}

/// Moves by bytes where the other operand is zero.
fn shift(mask: &Mask, first_is_zero: bool, second_is_zero: bool) -> Option<Plan> {
    let is_second = match (first_is_zero, second_is_zero) {
        (false, true) => false,
        (true, false) => true,
        _ => return None,
    };
    let start = base(is_second);
    let is_zero = |byte: u8| (byte >= 16) != is_second;
    let moved = |from: &dyn Fn(usize) -> Option<usize>| {
        mask.iter().enumerate().all(|(index, &byte)| {
            let wanted = from(index).filter(|&from| from < 16);
            byte == ANY || wanted.map_or(is_zero(byte), |from| byte == start + from as u8)
        })
    };
    (1..16usize).find_map(|bytes| {
        if moved(&|index| index.checked_sub(bytes)) {
            Some(Plan::ShiftUp(is_second, bytes as u8))
        } else if moved(&|index| Some(index + bytes)) {
            Some(Plan::ShiftDown(is_second, bytes as u8))
        } else {
            None
        }
    })
}

fn rotate(mask: &Mask) -> Option<Plan> {
    (1..16u8).find_map(|bytes| {
        let fits_from = |is_second: bool| {
            fits(mask, |index| {
                let from = index as u8 + bytes;
                from % 16 + base(is_second != (from >= 16))
            })
        };
        [false, true]
            .into_iter()
            .find(|&is_second| fits_from(is_second))
            .map(|is_second| Plan::Rotate(is_second, bytes))
    })
}

/// Lowers a shuffle.
pub fn shuffle<C: LowerCtx>(cx: &mut C, data: &InstData) -> Result<(), Halt> {
    let plan = plan(cx.func(), cx.view(), data).ok_or(Halt::Expand)?;
    debug_assert!(shape(cx.func().types(), type_of(cx, data.a)).is_some());
    let second = cx.func().ternary(data).0;
    let operand = |is_second: bool| if is_second { second } else { data.a };
    match plan {
        Plan::Copy(which) => {
            let src = cx.use_last(operand(which), 0);
            cx.def_reuse(result(data), 0, src);
        }
        Plan::Interleave(row, even, odd) => {
            join(cx, data, operand(even), operand(odd), |dst, src| rr(row, 16, dst, src));
        }
        Plan::MoveLow(size, kept, moved) => {
            join(cx, data, operand(kept), operand(moved), |dst, src| {
                rr(Op::MovsRR, size, dst, src)
            });
        }
        Plan::TwoLanes(low, high, lanes) => {
            join(cx, data, operand(low), operand(high), |dst, src| {
                rri(Op::ShufpRRI, 4, dst, src, lanes)
            });
        }
        Plan::Lanes(which, lanes) => {
            let src = cx.use_reg(operand(which), 0);
            let dst = cx.def(result(data), 0);
            cx.emit(rri(Op::PshufdRRI, 16, dst, src, lanes));
        }
        Plan::Blend(first_lanes, second_lanes, of_first) => {
            let (a, b) = (cx.use_reg(data.a, 0), cx.use_reg(second, 0));
            let (first, other) = (temp(cx), temp(cx));
            cx.emit(rri(Op::PshufdRRI, 16, first, a, first_lanes));
            cx.emit(rri(Op::PshufdRRI, 16, other, b, second_lanes));
            let (kept, cleared) = (constant(cx, of_first), constant(cx, !of_first));
            cx.emit(rm(Op::PandRM, 16, first, kept));
            cx.emit(rm(Op::PandRM, 16, other, cleared));
            cx.emit(rr(Op::PorRR, 16, first, other));
            finish(cx, data, first);
        }
        Plan::Words(which, low, high) => {
            let src = cx.use_reg(operand(which), 0);
            let dst = cx.def(result(data), 0);
            cx.emit(rri(Op::PshuflwRRI, 16, dst, src, low));
            cx.emit(rri(Op::PshufhwRRI, 16, dst, dst, high));
        }
        Plan::Splat(which, from, bytes) => {
            let src = cx.use_reg(operand(which), 0);
            let dst = cx.def(result(data), 0);
            broadcast(cx, dst, src, from, bytes);
        }
        Plan::Rotate(which, bytes) => {
            let low = cx.use_copy(operand(which), 0);
            let high = cx.use_copy(operand(!which), 0);
            cx.emit(ri(Op::PsrldqRI, 16, low, i32::from(bytes)));
            cx.emit(ri(Op::PslldqRI, 16, high, i32::from(16 - bytes)));
            cx.emit(rr(Op::PorRR, 16, low, high));
            finish(cx, data, low);
        }
        Plan::ShiftUp(which, bytes) => {
            let value = cx.use_copy(operand(which), 0);
            cx.emit(ri(Op::PslldqRI, 16, value, i32::from(bytes)));
            finish(cx, data, value);
        }
        Plan::ShiftDown(which, bytes) => {
            let value = cx.use_copy(operand(which), 0);
            cx.emit(ri(Op::PsrldqRI, 16, value, i32::from(bytes)));
            finish(cx, data, value);
        }
        Plan::Bytes(mask) => by_bytes(cx, data, second, &mask),
    }
    Ok(())
}

/// An instruction that changes its first operand.
fn join<C: LowerCtx>(
    cx: &mut C,
    data: &InstData,
    first: Operand,
    second: Operand,
    make: impl FnOnce(Reg, Reg) -> frazil_codegen::MInst,
) {
    let second = cx.use_reg(second, 0);
    let first = cx.use_last(first, 0);
    let dst = cx.def_reuse(result(data), 0, first);
    cx.emit(make(dst, second));
}

/// One byte, or two from an even one on, everywhere.
fn broadcast<C: LowerCtx>(cx: &mut C, dst: Reg, src: Reg, from: u8, bytes: u8) {
    let mut source = src;
    let mut word = from / 2;
    if bytes == 1 {
        // Doubled, the byte is a word.
        source = copy_of(cx, src);
        let row = if from < 8 { Op::PunpcklbwRR } else { Op::PunpckhbwRR };
        cx.emit(rr(row, 16, source, source));
        word = from % 8;
    }
    let everywhere = i32::from(word % 4) * 0x55;
    let (row, lanes) = if word < 4 {
        (Op::PshuflwRRI, 0x00)
    } else {
        (Op::PshufhwRRI, 0xaa)
    };
    cx.emit(rri(row, 16, dst, source, everywhere));
    cx.emit(rri(Op::PshufdRRI, 16, dst, dst, lanes));
}

fn by_bytes<C: LowerCtx>(cx: &mut C, data: &InstData, second: Operand, mask: &Mask) {
    let control = |is_second: bool| {
        let bytes = mask.map(|byte| {
            let is_there = byte != ANY && (byte >= 16) == is_second;
            if is_there { byte % 16 } else { 0x80 }
        });
        u128::from_le_bytes(bytes)
    };
    let part = |cx: &mut C, operand: Operand, is_second: bool| {
        let value = cx.use_copy(operand, 0);
        let control = constant(cx, control(is_second));
        let order = temp(cx);
        cx.emit(rm(Op::MovapRM, 4, order, control));
        cx.emit(rr(Op::PshufbRR, 16, value, order));
        value
    };
    let is_from = |is_second: bool| mask.iter().any(|&byte| byte != ANY && (byte >= 16) == is_second);
    let value = match (is_from(false), is_from(true)) {
        (false, true) => part(cx, second, true),
        (_, false) => part(cx, data.a, false),
        (true, true) => {
            let first = part(cx, data.a, false);
            let other = part(cx, second, true);
            cx.emit(rr(Op::PorRR, 16, first, other));
            first
        }
    };
    finish(cx, data, value);
}
