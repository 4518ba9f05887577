//! Reductions that are few instructions; shared code halves the others.
//!
//! * The sum of bytes is that of their distances from zero, which `psadbw` adds in each half of the register. Four
//!   bytes go to the upper part of a half, with zeros below.
//! * The least of eight unsigned words has an instruction since SSE4.1. Other extremes are the least of words some of
//!   whose bits are inverted before and after; of bytes, the lesser one of each pair is a word.

use super::super::{result, type_of};
use super::{by, copy_of, has_sse41, lanes, shape, splat, with, with_constant, zero};
use crate::build::*;
use crate::table::Op;
use frazil_codegen::{Halt, LowerCtx, ModuleView};
use frazil_ir::{Function, InstData, Opcode};

/// Whether a reduction is done here.
pub fn is_done(function: &Function, view: ModuleView<'_>, data: &InstData) -> bool {
    let vector = function.operand_type(data.a).and_then(|ty| shape(function.types(), ty));
    let Some(shape) = vector.filter(|shape| !shape.is_mask) else {
        return false;
    };
    let is_whole = shape.lanes * shape.lane_bits == 128;
    match data.op {
        Opcode::ReduceAdd => shape.lane_bits == 8 && matches!(shape.lanes, 4 | 8 | 16),
        op => inverted_bits(op, 16).is_some() && has_sse41(view) && is_whole && matches!(shape.lane_bits, 8 | 16),
    }
}

/// The bits of a lane that are inverted, so that what is looked for is the least unsigned number.
fn inverted_bits(op: Opcode, lane_bits: u32) -> Option<u32> {
    let sign = 1 << (lane_bits - 1);
    Some(match op {
        Opcode::ReduceUmin => 0,
        Opcode::ReduceUmax => sign | (sign - 1),
        Opcode::ReduceSmin => sign,
        Opcode::ReduceSmax => sign - 1,
        _ => return None,
    })
}

/// Lowers what [`is_done`] says yes to.
pub fn reduce<C: LowerCtx>(cx: &mut C, data: &InstData) -> Result<(), Halt> {
    if !is_done(cx.func(), cx.view(), data) {
        return Err(Halt::Expand);
    }
    let shape = shape(cx.func().types(), type_of(cx, data.a)).ok_or(Halt::Expand)?;
    let value = cx.use_copy(data.a, 0);
    if data.op == Opcode::ReduceAdd {
        let clear = zero(cx);
        let dst = cx.def(result(data), 0);
        if shape.lanes == 4 {
            // What is above the lanes is not zero.
            by(cx, Op::PsllqRI, value, 32);
        }
        with(cx, Op::PsadbwRR, value, clear);
        if shape.lanes == 16 {
            lanes(cx, clear, value, 0xee);
            with(cx, Op::PadddRR, value, clear);
        }
        cx.emit(rr(Op::MovdRX, 4, dst, value));
        return Ok(());
    }
    let inverted = inverted_bits(data.op, shape.lane_bits).ok_or(Halt::Expand)?;
    let dst = cx.def(result(data), 0);
    if inverted != 0 {
        with_constant(cx, Op::PxorRM, value, splat(inverted.into(), shape.lane_bits));
    }
    if shape.lane_bits == 8 {
        let upper = copy_of(cx, value);
        by(cx, Op::PsrlwRI, upper, 8);
        with(cx, Op::PminubRR, value, upper);
    }
    with(cx, Op::PhminposuwRR, value, value);
    cx.emit(rr(Op::MovdRX, 4, dst, value));
    if inverted != 0 {
        cx.emit(ri(Op::XorRI, 4, dst, inverted.cast_signed()));
    }
    Ok(())
}
