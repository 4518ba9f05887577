//! Comparisons of vectors; the results are masks.

use super::{constant, copy_of, finish, has_sse41, invert, lane_bytes, mask, splat, temp};
use crate::build::*;
use crate::features;
use crate::table::Op;
use frazil_codegen::{Halt, LowerCtx, Reg, VectorShape};
use frazil_ir::{InstData, Opcode};

/// Lowers an integer comparison.
pub fn integers<C: LowerCtx>(cx: &mut C, data: &InstData, shape: VectorShape) -> Result<(), Halt> {
    let bits = shape.lane_bits;
    let (left, right) = match data.op {
        Opcode::IcmpUlt | Opcode::IcmpSlt | Opcode::IcmpUge | Opcode::IcmpSge => (data.b, data.a),
        _ => (data.a, data.b),
    };
    let left = cx.use_copy(left, 0);
    let right = cx.use_reg(right, 0);
    match data.op {
        Opcode::IcmpEq | Opcode::IcmpNe => equal(cx, bits, left, right),
        Opcode::IcmpUgt | Opcode::IcmpUge | Opcode::IcmpUlt | Opcode::IcmpUle => {
            greater(cx, bits, false, left, right);
        }
        _ => greater(cx, bits, true, left, right),
    }
    if matches!(
        data.op,
        Opcode::IcmpNe | Opcode::IcmpUge | Opcode::IcmpSge | Opcode::IcmpUle | Opcode::IcmpSle
    ) {
        invert(cx, left);
    }
    mask::resize(cx, left, bits, mask::lane_bits(shape.lanes));
    finish(cx, data, left);
    Ok(())
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
mod predicate {
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
