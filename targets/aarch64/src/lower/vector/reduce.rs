//! Reductions that are one instruction over all lanes, or one of pairs; shared code halves the others.

use super::super::{any_float_bytes, result, type_of};
use super::{on, on_half, on_one, shape, temp};
use crate::build::*;
use crate::table::Op;
use frazil_codegen::{Halt, LowerCtx, MInst, Reg, VectorShape};
use frazil_ir::{Function, InstData, Opcode, Type};

/// The instruction that reduces `src`: over all lanes, or of two lanes.
fn reducing(op: Opcode, shape: VectorShape, dst: Reg, src: Reg) -> Option<MInst> {
    let bits = shape.lane_bits;
    let all = shape.lanes * bits;
    if shape.is_mask || !matches!(all, 64 | 128) || !shape.lanes.is_power_of_two() || shape.lanes < 2 {
        return None;
    }
    if matches!(op, Opcode::ReduceFmin | Opcode::ReduceFmax) {
        let is_plain = matches!(shape.element, Type::F32 | Type::F64);
        let row = match (op, shape.lanes) {
            (Opcode::ReduceFmin, 2) => Op::FminnmpS,
            (Opcode::ReduceFmax, 2) => Op::FmaxnmpS,
            (Opcode::ReduceFmin, _) => Op::Fminnmv,
            _ => Op::Fmaxnmv,
        };
        let inst = if all == 128 {
            on_one(row, bits, dst, src)
        } else {
            on_half(row, bits, [dst, src, Reg::NONE])
        };
        return is_plain.then_some(inst);
    }
    if any_float_bytes(shape.element) > 0 {
        return None;
    }
    if bits == 64 {
        return (op == Opcode::ReduceAdd).then(|| on_one(Op::AddpD, 64, dst, src));
    }
    let (over_all, of_pairs) = match op {
        Opcode::ReduceAdd => (Op::Addv, Op::AddpV),
        Opcode::ReduceSmin => (Op::Sminv, Op::SminpV),
        Opcode::ReduceSmax => (Op::Smaxv, Op::SmaxpV),
        Opcode::ReduceUmin => (Op::Uminv, Op::UminpV),
        Opcode::ReduceUmax => (Op::Umaxv, Op::UmaxpV),
        _ => return None,
    };
    Some(match (shape.lanes, all) {
        (2, _) => on_half(of_pairs, bits, [dst, src, src]),
        (_, 64) => on_half(over_all, bits, [dst, src, Reg::NONE]),
        _ => on(over_all, bits, [dst, src, Reg::NONE]),
    })
}

/// Whether a reduction is done here.
pub fn is_done(function: &Function, data: &InstData) -> bool {
    let vector = function.operand_type(data.a).and_then(|ty| shape(function.types(), ty));
    vector.is_some_and(|shape| reducing(data.op, shape, Reg::NONE, Reg::NONE).is_some())
}

/// Lowers what [`is_done`] says yes to.
pub fn reduce<C: LowerCtx>(cx: &mut C, data: &InstData) -> Result<(), Halt> {
    let shape = shape(cx.func().types(), type_of(cx, data.a)).ok_or(Halt::Expand)?;
    if reducing(data.op, shape, Reg::NONE, Reg::NONE).is_none() {
        return Err(Halt::Expand);
    }
    let src = cx.use_reg(data.a, 0);
    if any_float_bytes(shape.element) > 0 {
        let dst = cx.def(result(data), 0);
        if let Some(inst) = reducing(data.op, shape, dst, src) {
            cx.emit(inst);
        }
        return Ok(());
    }
    let reduced = temp(cx);
    let dst = cx.def(result(data), 0);
    if let Some(inst) = reducing(data.op, shape, reduced, src) {
        cx.emit(inst);
    }
    cx.emit(rr(
        Op::FmovToInt,
        if shape.lane_bits == 64 { 8 } else { 4 },
        dst,
        reduced,
    ));
    Ok(())
}
