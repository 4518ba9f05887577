//! Shifts of lanes. By a register, there are only shifts to the left, which go to the right for negative numbers.

use super::{on, on_one, result, temp};
use crate::table::Op;
use frazil_codegen::{LowerCtx, VectorShape};
use frazil_ir::{ConstView, Function, InstData, Opcode, Operand};

/// The number that all lanes of a constant are, if it is in range of a shift.
fn same_amount(function: &Function, amount: Operand, lane_bits: u32) -> Option<i32> {
    let first = match function.constant(amount.as_const()?).1 {
        ConstView::Zero => 0,
        ConstView::Vector(lanes) => {
            let first = lanes.first()?.as_imm()?;
            lanes.iter().all(|lane| lane.as_imm() == Some(first)).then_some(first)?
        }
        _ => return None,
    };
    i32::try_from(first)
        .ok()
        .filter(|&amount| (0..lane_bits.cast_signed()).contains(&amount))
}

/// Lowers a shift.
pub fn shift<C: LowerCtx>(cx: &mut C, data: &InstData, shape: VectorShape) {
    let bits = shape.lane_bits;
    if let Some(amount) = same_amount(cx.func(), data.b, bits) {
        let row = match data.op {
            _ if amount == 0 => {
                let src = cx.use_last(data.a, 0);
                cx.def_reuse(result(data), 0, src);
                return;
            }
            Opcode::Shl => Op::ShlV,
            Opcode::Lshr => Op::UshrV,
            _ => Op::SshrV,
        };
        let src = cx.use_reg(data.a, 0);
        let dst = cx.def(result(data), 0);
        return cx.emit(on_one(row, bits, dst, src).with_imm(amount));
    }
    let src = cx.use_reg(data.a, 0);
    let amounts = cx.use_reg(data.b, 0);
    let row = if data.op == Opcode::Ashr { Op::SshlV } else { Op::UshlV };
    if data.op == Opcode::Shl {
        let dst = cx.def(result(data), 0);
        return cx.emit(on(row, bits, [dst, src, amounts]));
    }
    let negated = temp(cx);
    let dst = cx.def(result(data), 0);
    cx.emit(on_one(Op::NegV, bits, negated, amounts));
    cx.emit(on(row, bits, [dst, src, negated]));
}
