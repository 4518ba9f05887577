//! Arithmetic on vectors that is one instruction or a short sequence.

use super::{bitwise, from_general, has_floats, loaded, on, on_half, on_one, result, splat, temp, to_general};
use crate::table::Op;
use frazil_codegen::{Halt, LowerCtx, Reg, VectorShape};
use frazil_ir::{InstData, Opcode};

/// Whether an operation has instructions.
pub fn has_operation(op: Opcode, shape: VectorShape) -> bool {
    if binary_row(op, shape).is_some() || unary_row(op, shape).is_some() {
        return true;
    }
    if has_floats(shape) {
        return matches!(op, Opcode::Fma | Opcode::Fmuladd | Opcode::Fcopysign);
    }
    match op {
        _ if shape.is_mask || shape.lane_bits > 64 => false,
        Opcode::UmulHigh | Opcode::SmulHigh => shape.lane_bits < 64,
        Opcode::Smin | Opcode::Smax | Opcode::Umin | Opcode::Umax => true,
        Opcode::ByteDifferences => shape.lane_bits == 64,
        Opcode::Ctpop | Opcode::Bswap | Opcode::Bitreverse => true,
        Opcode::Cttz => shape.lane_bits < 64,
        _ => false,
    }
}

/// The row of an operation of two operands.
fn binary_row(op: Opcode, shape: VectorShape) -> Option<Op> {
    let bits = shape.lane_bits;
    Some(match op {
        Opcode::And => Op::AndV,
        Opcode::Or => Op::OrrV,
        Opcode::Xor => Op::EorV,
        // Of one bit.
        Opcode::Add | Opcode::Sub if shape.is_mask => Op::EorV,
        Opcode::Mul if shape.is_mask => Op::AndV,
        _ if shape.is_mask || bits > 64 => return None,
        _ if has_floats(shape) => return float_row(op),
        Opcode::Add => Op::AddV,
        Opcode::Sub => Op::SubV,
        Opcode::Mul if bits < 64 => Op::MulV,
        Opcode::UaddSat => Op::UqaddV,
        Opcode::SaddSat => Op::SqaddV,
        Opcode::UsubSat => Op::UqsubV,
        Opcode::SsubSat => Op::SqsubV,
        Opcode::Smin if bits < 64 => Op::SminV,
        Opcode::Smax if bits < 64 => Op::SmaxV,
        Opcode::Umin if bits < 64 => Op::UminV,
        Opcode::Umax if bits < 64 => Op::UmaxV,
        _ => return None,
    })
}

fn float_row(op: Opcode) -> Option<Op> {
    Some(match op {
        Opcode::Fadd => Op::FaddV,
        Opcode::Fsub => Op::FsubV,
        Opcode::Fmul => Op::FmulV,
        Opcode::Fdiv => Op::FdivV,
        Opcode::Fminnum => Op::FminnmV,
        Opcode::Fmaxnum => Op::FmaxnmV,
        Opcode::Fminimum => Op::FminV,
        Opcode::Fmaximum => Op::FmaxV,
        _ => return None,
    })
}

/// The row of an operation of one operand.
fn unary_row(op: Opcode, shape: VectorShape) -> Option<Op> {
    if shape.is_mask || shape.lane_bits > 64 {
        return None;
    }
    Some(match op {
        Opcode::Fneg => Op::FnegV,
        Opcode::Fabs => Op::FabsV,
        Opcode::Fsqrt => Op::FsqrtV,
        Opcode::Ffloor => Op::FrintmV,
        Opcode::Fceil => Op::FrintpV,
        Opcode::Ftrunc => Op::FrintzV,
        Opcode::Frint => Op::FrintxV,
        Opcode::Fnearbyint => Op::FrintiV,
        Opcode::Fround => Op::FrintaV,
        Opcode::Froundeven => Op::FrintnV,
        Opcode::Abs => Op::AbsV,
        Opcode::Ctlz if shape.lane_bits < 64 => Op::ClzV,
        _ => return None,
    })
}

/// The row that turns the bytes of each lane around.
fn byte_swap_row(lane_bits: u32) -> Option<Op> {
    match lane_bits {
        16 => Some(Op::Rev16V),
        32 => Some(Op::Rev32V),
        64 => Some(Op::Rev64V),
        _ => None,
    }
}

/// Lowers what [`has_operation`] says yes to.
pub fn arith<C: LowerCtx>(cx: &mut C, data: &InstData, shape: VectorShape) -> Result<(), Halt> {
    let bits = shape.lane_bits;
    if let Some(row) = binary_row(data.op, shape) {
        let left = cx.use_reg(data.a, 0);
        let right = cx.use_reg(data.b, 0);
        let dst = cx.def(result(data), 0);
        let lanes = if matches!(row, Op::AndV | Op::OrrV | Op::EorV) {
            8
        } else {
            bits
        };
        cx.emit(on(row, lanes, [dst, left, right]));
        return Ok(());
    }
    if let Some(row) = unary_row(data.op, shape) {
        let src = cx.use_reg(data.a, 0);
        let dst = cx.def(result(data), 0);
        cx.emit(on_one(row, bits, dst, src));
        return Ok(());
    }
    match data.op {
        Opcode::UmulHigh | Opcode::SmulHigh => multiply_high(cx, data, bits),
        Opcode::Smin | Opcode::Smax | Opcode::Umin | Opcode::Umax => min_max(cx, data, bits),
        Opcode::Ctpop => count_ones(cx, data, bits),
        Opcode::ByteDifferences => {
            let left = cx.use_reg(data.a, 0);
            let right = cx.use_reg(data.b, 0);
            let dst = cx.def(result(data), 0);
            cx.emit(on(Op::UabdV, 8, [dst, left, right]));
            for width in [8, 16, 32] {
                cx.emit(on_one(Op::UaddlpV, width, dst, dst));
            }
        }
        Opcode::Bswap => {
            let src = cx.use_last(data.a, 0);
            match byte_swap_row(bits) {
                Some(row) => {
                    let dst = cx.def(result(data), 0);
                    cx.emit(on_one(row, 8, dst, src));
                }
                None => {
                    cx.def_reuse(result(data), 0, src);
                }
            }
        }
        Opcode::Bitreverse | Opcode::Cttz => reverse(cx, data, bits),
        Opcode::Fma | Opcode::Fmuladd => {
            let (factor, addend) = cx.func().ternary(data);
            let left = cx.use_reg(data.a, 0);
            let right = cx.use_reg(factor, 0);
            let addend = cx.use_last(addend, 0);
            let dst = cx.def_reuse(result(data), 0, addend);
            cx.emit(on(Op::FmlaV, bits, [dst, left, right]));
        }
        Opcode::Fcopysign => {
            // The sign where the mask has ones.
            let magnitude = cx.use_reg(data.a, 0);
            let sign = cx.use_reg(data.b, 0);
            let mask = loaded(cx, splat(1 << (bits - 1), bits));
            let dst = cx.def_reuse(result(data), 0, mask);
            cx.emit(bitwise(Op::BslV, dst, sign, magnitude));
        }
        _ => return Err(Halt::Expand),
    }
    Ok(())
}

/// Copies a whole register.
pub(super) fn copy_of(dst: Reg, src: Reg) -> frazil_codegen::MInst {
    crate::build::rr(Op::Fmov, 16, dst, src)
}

/// The upper halves of products of twice the width, which are the odd ones of narrow lanes.
fn multiply_high<C: LowerCtx>(cx: &mut C, data: &InstData, bits: u32) {
    let row = if data.op == Opcode::UmulHigh {
        Op::UmullV
    } else {
        Op::SmullV
    };
    let left = cx.use_reg(data.a, 0);
    let right = cx.use_reg(data.b, 0);
    let (low, high) = (temp(cx), temp(cx));
    let dst = cx.def(result(data), 0);
    cx.emit(on_half(row, bits, [low, left, right]));
    cx.emit(on(row, bits, [high, left, right]));
    cx.emit(on(Op::Uzp2, bits, [dst, low, high]));
}

/// Of lanes of 64 bits: the first operand where it is greater, or less.
fn min_max<C: LowerCtx>(cx: &mut C, data: &InstData, bits: u32) {
    let left = cx.use_reg(data.a, 0);
    let right = cx.use_reg(data.b, 0);
    let mask = temp(cx);
    let row = match data.op {
        Opcode::Smin | Opcode::Smax => Op::CmgtV,
        _ => Op::CmhiV,
    };
    cx.emit(on(row, bits, [mask, left, right]));
    let is_max = matches!(data.op, Opcode::Smax | Opcode::Umax);
    let (chosen, other) = if is_max { (left, right) } else { (right, left) };
    let dst = cx.def_reuse(result(data), 0, mask);
    cx.emit(bitwise(Op::BslV, dst, chosen, other));
}

/// The ones of each byte, and sums of pairs of neighbors.
fn count_ones<C: LowerCtx>(cx: &mut C, data: &InstData, bits: u32) {
    let src = cx.use_reg(data.a, 0);
    let dst = cx.def(result(data), 0);
    cx.emit(on_one(Op::CntV, 8, dst, src));
    let mut width = 8;
    while width < bits {
        cx.emit(on_one(Op::UaddlpV, width, dst, dst));
        width *= 2;
    }
}

/// The sum of the differences of the bytes of two general registers.
pub fn differences_of_bytes<C: LowerCtx>(cx: &mut C, data: &InstData) {
    let left = cx.use_reg(data.a, 0);
    let right = cx.use_reg(data.b, 0);
    let (sum, other) = (temp(cx), temp(cx));
    let dst = cx.def(result(data), 0);
    from_general(cx, sum, left);
    from_general(cx, other, right);
    cx.emit(on_half(Op::UabdV, 8, [sum, sum, other]));
    cx.emit(on_half(Op::Uaddlv, 8, [sum, sum, Reg::NONE]));
    // What is above the sum is zero.
    to_general(cx, dst, sum, 0);
}

/// Bits from the last to the first, and for trailing zeros the leading ones of that.
fn reverse<C: LowerCtx>(cx: &mut C, data: &InstData, bits: u32) {
    let mut src = cx.use_reg(data.a, 0);
    let dst = cx.def(result(data), 0);
    if let Some(row) = byte_swap_row(bits) {
        cx.emit(on_one(row, 8, dst, src));
        src = dst;
    }
    cx.emit(on_one(Op::RbitV, 8, dst, src));
    if data.op == Opcode::Cttz {
        cx.emit(on_one(Op::ClzV, bits, dst, dst));
    }
}
