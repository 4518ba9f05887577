//! Shifts of all lanes by one number: a constant, or a vector whose lanes are the same. Others are in
//! [`super::shift_each`].
//!
//! What an instruction lacks is made as for [constants](super::shift_one): masks and sign bits are shifted, too.

use super::shift_one::{by_one, extend_by, rows};
use super::{copy_of, finish, loaded, shift_each, splat, temp, with, with_constant};
use crate::build::*;
use crate::table::Op;
use frazil_codegen::vectors::shuffle_index;
use frazil_codegen::{LowerCtx, Reg, VectorShape};
use frazil_ir::{ConstView, Function, InstData, Opcode, Operand};

/// How many definitions are looked through for one that has the same in all lanes.
const MAX_DEPTH: u32 = 4;

/// Lowers a shift of integers of at most 64 bits.
pub fn shift<C: LowerCtx>(cx: &mut C, data: &InstData, shape: VectorShape) {
    let amounts = amounts(cx.func(), data.b, shape);
    let one = amounts.as_ref().and_then(|amounts| same(amounts));
    let value = cx.use_copy(data.a, 0);
    let bits = shape.lane_bits;
    if let Some(amount) = one {
        by_one(cx, data.op, bits, value, amount.cast_signed());
    } else if let Some(amounts) = amounts {
        shift_each::by_constants(cx, data, bits, value, &amounts);
    } else if is_splat(cx.func(), data.b, MAX_DEPTH) {
        let count = count(cx, data.b, bits);
        by_count(cx, data.op, bits, value, count);
    } else {
        shift_each::by_variables(cx, data, bits, value);
    }
    finish(cx, data, value);
}

/// The numbers that lanes are shifted by, if they are constants; where that is not less than the width, or poison, any
/// number will do.
fn amounts(function: &Function, operand: Operand, shape: VectorShape) -> Option<Vec<u32>> {
    match function.constant(operand.as_const()?).1 {
        ConstView::Zero | ConstView::Undef | ConstView::Poison => Some(vec![0; shape.lanes as usize]),
        ConstView::Vector(lanes) => Some(
            (lanes.iter())
                .map(|lane| {
                    let amount = lane.as_imm().and_then(|imm| u32::try_from(imm).ok());
                    amount.filter(|&amount| amount < shape.lane_bits).unwrap_or(0)
                })
                .collect(),
        ),
        _ => None,
    }
}

/// The number by which all lanes are shifted, if it is constant.
pub(super) fn constant_amount(function: &Function, operand: Operand, shape: VectorShape) -> Option<u32> {
    same(&amounts(function, operand, shape)?)
}

fn same(amounts: &[u32]) -> Option<u32> {
    let &first = amounts.first()?;
    amounts.iter().all(|&amount| amount == first).then_some(first)
}

/// Whether a vector has the same in all lanes, as far as its definition shows.
fn is_splat(function: &Function, operand: Operand, depth: u32) -> bool {
    if let Some(id) = operand.as_const() {
        return match function.constant(id).1 {
            ConstView::Zero => true,
            ConstView::Vector(lanes) => lanes.iter().all(|&lane| lane == lanes[0] && lane.as_imm().is_some()),
            _ => false,
        };
    }
    let Some(inst) = operand.as_value().and_then(|value| function.def_inst(value)) else {
        return false;
    };
    let data = function.inst(inst);
    match data.op {
        _ if depth == 0 => false,
        Opcode::Shuffle => {
            let (_, mask) = function.ternary(data);
            let Some(shape) = super::shape(function.types(), data.ty) else {
                return false;
            };
            let first = shuffle_index(function, mask, 0);
            first.is_some() && (1..shape.lanes).all(|lane| shuffle_index(function, mask, lane) == first)
        }
        Opcode::And | Opcode::Or | Opcode::Xor | Opcode::Add | Opcode::Sub => {
            is_splat(function, data.a, depth - 1) && is_splat(function, data.b, depth - 1)
        }
        Opcode::Zext | Opcode::Trunc | Opcode::Freeze => is_splat(function, data.a, depth - 1),
        _ => false,
    }
}

/// The first lane as a count of 64 bits.
fn count<C: LowerCtx>(cx: &mut C, operand: Operand, bits: u32) -> Reg {
    match bits {
        64 => cx.use_reg(operand, 0),
        32 => {
            let amount = cx.use_reg(operand, 0);
            let count = super::zero(cx);
            cx.emit(rr(Op::MovsRR, 4, count, amount));
            count
        }
        _ => {
            let count = cx.use_copy(operand, 0);
            with_constant(cx, Op::PandRM, count, u128::MAX >> (128 - bits));
            count
        }
    }
}

/// Shifts lanes in a register of the rule by a count in another one.
fn by_count<C: LowerCtx>(cx: &mut C, op: Opcode, lane_bits: u32, value: Reg, count: Reg) {
    match (op, lane_bits) {
        (_, 8) => bytes_by_count(cx, op, value, count),
        (Opcode::Ashr, 64) => {
            let sign_bits = loaded(cx, splat(1 << 63, 64));
            with(cx, Op::PsrlqRR, sign_bits, count);
            with(cx, Op::PsrlqRR, value, count);
            extend_by(cx, 64, value, sign_bits);
        }
        _ => with(cx, rows(op, lane_bits).1, value, count),
    }
}

/// Bits that stay are those below the shifted sign bit, and itself.
fn bytes_by_count<C: LowerCtx>(cx: &mut C, op: Opcode, value: Reg, count: Reg) {
    let sign_bits = loaded(cx, splat(0x80, 8));
    // A count is less than 8, so no bit gets from one byte to the next.
    with(cx, Op::PsrlwRR, sign_bits, count);
    let kept = copy_of(cx, sign_bits);
    with(cx, Op::PaddbRR, kept, kept);
    let ones = temp(cx);
    cx.emit(r(Op::OnesX, 16, ones));
    with(cx, Op::PaddbRR, kept, ones);
    if op == Opcode::Shl {
        with(cx, Op::PandRR, value, kept);
        return with(cx, Op::PsllwRR, value, count);
    }
    with(cx, Op::PsrlwRR, value, count);
    with(cx, Op::PandRR, value, kept);
    if op == Opcode::Ashr {
        extend_by(cx, 8, value, sign_bits);
    }
}
