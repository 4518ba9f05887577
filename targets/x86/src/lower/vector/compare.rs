//! Comparisons of vectors; the results are masks.

use super::{
    constant, constant_operand, copy_of, finish, has_sse41, invert, lane_bytes, loaded, mask, operation, splat,
};
use super::{temp, with_constant, zero};
use crate::build::*;
use crate::features;
use crate::table::Op;
use frazil_codegen::{Halt, LowerCtx, Reg, VectorShape};
use frazil_ir::{InstData, Opcode, Operand};

/// Lowers an integer comparison.
pub fn integers<C: LowerCtx>(cx: &mut C, data: &InstData, shape: VectorShape) -> Result<(), Halt> {
    let (mask, is_inverted) = mask_of_integers(cx, data, shape);
    if is_inverted {
        invert(cx, mask);
    }
    mask::resize(cx, mask, shape.lane_bits, mask::lane_bits(shape.lanes));
    finish(cx, data, mask);
    Ok(())
}

/// A mask, as wide as the lanes, of those where an integer comparison holds, or, if the second result says so, where it
/// does not.
pub(super) fn mask_of_integers<C: LowerCtx>(cx: &mut C, data: &InstData, shape: VectorShape) -> (Reg, bool) {
    let bits = shape.lane_bits;
    if let Some(mask) = within_constant(cx, data, shape) {
        return (mask, false);
    }
    match data.op {
        Opcode::IcmpEq | Opcode::IcmpNe => {
            let left = cx.use_copy(data.a, 0);
            let right = cx.use_reg(data.b, 0);
            equal(cx, bits, left, right);
            (left, data.op == Opcode::IcmpNe)
        }
        Opcode::IcmpUle => at_most(cx, shape, data.a, data.b),
        Opcode::IcmpUge => at_most(cx, shape, data.b, data.a),
        Opcode::IcmpUlt => (greater_operand(cx, bits, false, data.b, data.a), false),
        Opcode::IcmpUgt => (greater_operand(cx, bits, false, data.a, data.b), false),
        op => {
            let is_swapped = matches!(op, Opcode::IcmpSlt | Opcode::IcmpSge);
            let (left, right) = if is_swapped { (data.b, data.a) } else { (data.a, data.b) };
            let mask = greater_operand(cx, bits, true, left, right);
            (mask, matches!(op, Opcode::IcmpSge | Opcode::IcmpSle))
        }
    }
}

/// A mask of the lanes that are less or greater than a constant, unsigned: they are the lesser or greater one of
/// themselves and the next number.
fn within_constant<C: LowerCtx>(cx: &mut C, data: &InstData, shape: VectorShape) -> Option<Reg> {
    let (op, step) = match data.op {
        Opcode::IcmpUlt => (Opcode::Umin, -1),
        Opcode::IcmpUgt => (Opcode::Umax, 1),
        _ => return None,
    };
    let (row, _) = operation::row(cx.view(), op, shape)?;
    let limit = next_number(constant_operand(cx, data.b)?, step, (shape.lanes, shape.lane_bits))?;
    let limit = loaded(cx, limit);
    let value = cx.use_reg(data.a, 0);
    cx.emit(rr(row, 16, limit, value));
    equal(cx, shape.lane_bits, limit, value);
    Some(limit)
}

/// A constant with `step` added to each of so many lanes of so many bits; none if one of them has no such number.
pub(super) fn next_number(bits: u128, step: i64, (lanes, lane_bits): (u32, u32)) -> Option<u128> {
    let mask = u128::MAX >> (128 - lane_bits);
    (0..lanes).try_fold(0, |all, lane| {
        let place = lane * lane_bits;
        let next = (bits >> place & mask).checked_add_signed(step.into())?;
        (next <= mask).then_some(all | next << place)
    })
}

/// A mask of the lanes where `left` is not greater than `right`, unsigned: it is the lesser one then, or there is
/// nothing left of it after a saturating subtraction. The second result says that it is a mask of the others.
fn at_most<C: LowerCtx>(cx: &mut C, shape: VectorShape, left: Operand, right: Operand) -> (Reg, bool) {
    let bits = shape.lane_bits;
    if let Some((least, _)) = operation::row(cx.view(), Opcode::Umin, shape) {
        let lesser = cx.use_copy(right, 0);
        let left = cx.use_reg(left, 0);
        cx.emit(rr(least, 16, lesser, left));
        equal(cx, bits, lesser, left);
        return (lesser, false);
    }
    if bits != 16 {
        return (greater_operand(cx, bits, false, left, right), true);
    }
    let rest = cx.use_copy(left, 0);
    let right = cx.use_reg(right, 0);
    let clear = zero(cx);
    cx.emit(rr(Op::PsubuswRR, 16, rest, right));
    cx.emit(rr(Op::PcmpeqwRR, 16, rest, clear));
    (rest, false)
}

/// A mask of the lanes where `left` is greater than `right`.
fn greater_operand<C: LowerCtx>(cx: &mut C, bits: u32, signed: bool, left: Operand, right: Operand) -> Reg {
    let is_direct = bits < 64 || cx.view().features.has(features::SSE4_2);
    let constants = [left, right].map(|operand| constant_operand(cx, operand));
    if signed || !is_direct || constants == [None; 2] {
        let left = cx.use_copy(left, 0);
        let right = cx.use_reg(right, 0);
        greater(cx, bits, signed, left, right);
        return left;
    }
    // The top bits of a constant are inverted here.
    let bias = splat(1 << (bits - 1), bits);
    let [left, right] = [(left, constants[0]), (right, constants[1])].map(|(operand, known)| {
        if let Some(known) = known {
            return loaded(cx, known ^ bias);
        }
        let copy = cx.use_copy(operand, 0);
        with_constant(cx, Op::PxorRM, copy, bias);
        copy
    });
    greater(cx, bits, true, left, right);
    left
}

/// `left = left == right`, lane by lane.
pub(super) fn equal<C: LowerCtx>(cx: &mut C, bits: u32, left: Reg, right: Reg) {
    let row = match bits {
        8 => Op::PcmpeqbRR,
        16 => Op::PcmpeqwRR,
        64 if has_sse41(cx.view()) => Op::PcmpeqqRR,
        _ => Op::PcmpeqdRR,
    };
    cx.emit(rr(row, 16, left, right));
    if row == Op::PcmpeqdRR && bits == 64 {
        let swapped = temp(cx);
        cx.emit(rri(Op::PshufdRRI, 16, swapped, left, 0xb1));
        cx.emit(rr(Op::PandRR, 16, left, swapped));
    }
}

/// `left = left > right`, lane by lane. Unsigned numbers are compared with their top bits inverted.
pub(super) fn greater<C: LowerCtx>(cx: &mut C, bits: u32, signed: bool, left: Reg, right: Reg) {
    let is_direct = bits < 64 || cx.view().features.has(features::SSE4_2);
    // Without an instruction for 64 bits, low halves are compared unsigned by one that compares signed.
    let bias = match (signed, is_direct) {
        (true, true) => 0,
        (false, true) => splat(1 << (bits - 1), bits),
        (true, false) => splat(0x8000_0000, 64),
        (false, false) => splat(0x8000_0000, 32),
    };
    let mut right = right;
    if bias != 0 {
        let bias = constant(cx, bias);
        right = copy_of(cx, right);
        cx.emit(rm(Op::PxorRM, 16, left, bias));
        cx.emit(rm(Op::PxorRM, 16, right, bias));
    }
    let row = match bits {
        8 => Op::PcmpgtbRR,
        16 => Op::PcmpgtwRR,
        64 if is_direct => Op::PcmpgtqRR,
        _ => Op::PcmpgtdRR,
    };
    if is_direct {
        cx.emit(rr(row, 16, left, right));
        return;
    }
    // High halves greater, or equal and low halves greater.
    let halves_equal = copy_of(cx, left);
    let low = temp(cx);
    cx.emit(rr(Op::PcmpeqdRR, 16, halves_equal, right));
    cx.emit(rr(row, 16, left, right));
    cx.emit(rri(Op::PshufdRRI, 16, low, left, 0xa0));
    cx.emit(rri(Op::PshufdRRI, 16, halves_equal, halves_equal, 0xf5));
    cx.emit(rri(Op::PshufdRRI, 16, left, left, 0xf5));
    cx.emit(rr(Op::PandRR, 16, low, halves_equal));
    cx.emit(rr(Op::PorRR, 16, left, low));
}

/// The immediates of `cmpps` (Intel manual, volume 2, CMPPS).
pub(super) mod predicate {
    pub const EQUAL: i32 = 0;
    pub const LESS: i32 = 1;
    pub const LESS_OR_EQUAL: i32 = 2;
    pub const UNORDERED: i32 = 3;
    pub const NOT_EQUAL: i32 = 4;
    pub const NOT_LESS: i32 = 5;
    pub const NOT_LESS_OR_EQUAL: i32 = 6;
    pub const ORDERED: i32 = 7;
}

/// Lowers a floating-point comparison.
pub fn floats<C: LowerCtx>(cx: &mut C, data: &InstData, shape: VectorShape) -> Result<(), Halt> {
    use predicate::*;
    let is_swapped = matches!(
        data.op,
        Opcode::FcmpOgt | Opcode::FcmpOge | Opcode::FcmpUlt | Opcode::FcmpUle
    );
    let (first, second) = match data.op {
        Opcode::FcmpFalse | Opcode::FcmpTrue => {
            let constant = temp(cx);
            let row = if data.op == Opcode::FcmpTrue {
                Op::OnesX
            } else {
                Op::ZeroX
            };
            cx.emit(r(row, 16, constant));
            finish(cx, data, constant);
            return Ok(());
        }
        Opcode::FcmpOeq => (EQUAL, None),
        Opcode::FcmpOgt | Opcode::FcmpOlt => (LESS, None),
        Opcode::FcmpOge | Opcode::FcmpOle => (LESS_OR_EQUAL, None),
        Opcode::FcmpOne => (NOT_EQUAL, Some((ORDERED, Op::PandRR))),
        Opcode::FcmpOrd => (ORDERED, None),
        Opcode::FcmpUno => (UNORDERED, None),
        Opcode::FcmpUeq => (EQUAL, Some((UNORDERED, Op::PorRR))),
        Opcode::FcmpUgt | Opcode::FcmpUlt => (NOT_LESS_OR_EQUAL, None),
        Opcode::FcmpUge | Opcode::FcmpUle => (NOT_LESS, None),
        _ => (NOT_EQUAL, None),
    };
    let (left, right) = if is_swapped { (data.b, data.a) } else { (data.a, data.b) };
    let left = cx.use_copy(left, 0);
    let right = cx.use_reg(right, 0);
    let size = lane_bytes(shape);
    let other = second.map(|(predicate, join)| (copy_of(cx, left), predicate, join));
    cx.emit(rri(Op::CmppRRI, size, left, right, first));
    if let Some((other, predicate, join)) = other {
        cx.emit(rri(Op::CmppRRI, size, other, right, predicate));
        cx.emit(rr(join, 16, left, other));
    }
    mask::resize(cx, left, shape.lane_bits, mask::lane_bits(shape.lanes));
    finish(cx, data, left);
    Ok(())
}
