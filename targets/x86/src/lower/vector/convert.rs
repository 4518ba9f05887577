//! Conversions between vectors with as many lanes: widths of integers, masks and integers, integers and floats.

use super::super::{result, type_of};
use super::{compare, constant, finish, has_floats, mask, operand_shape, shape, splat, temp};
use crate::build::*;
use crate::table::Op;
use frazil_codegen::{Halt, LowerCtx, Reg, VectorShape};
use frazil_ir::{Function, InstData, Opcode, Type};

/// Whether a conversion has instructions.
pub fn has_conversion(function: &Function, data: &InstData, to: VectorShape) -> bool {
    let from = function.operand_type(data.a);
    let Some(from) = from.and_then(|ty| shape(function.types(), ty)) else {
        return false;
    };
    match data.op {
        Opcode::Trunc | Opcode::Zext | Opcode::Sext => from.lane_bits <= 64 && to.lane_bits <= 64,
        Opcode::Ptrtoint | Opcode::Inttoptr => from.lane_bits == to.lane_bits,
        _ => float_row(data.op, from.element, to.element).is_some(),
    }
}

/// The row of a conversion from or to floats.
fn float_row(op: Opcode, from: Type, to: Type) -> Option<Op> {
    Some(match (op, from, to) {
        (Opcode::Sitofp, Type::I32, Type::F32) => Op::Cvtdq2psRR,
        (Opcode::Sitofp, Type::I32, Type::F64) => Op::Cvtdq2pdRR,
        (Opcode::Fptosi, Type::F32, Type::I32) => Op::Cvttps2dqRR,
        (Opcode::Fptosi, Type::F64, Type::I32) => Op::Cvttpd2dqRR,
        (Opcode::Fpext, Type::F32, Type::F64) => Op::Cvtps2pdRR,
        (Opcode::Fptrunc, Type::F64, Type::F32) => Op::Cvtpd2psRR,
        _ => return None,
    })
}

/// Lowers what [`has_conversion`] says yes to.
pub fn convert<C: LowerCtx>(cx: &mut C, data: &InstData, to: VectorShape) -> Result<(), Halt> {
    let from = operand_shape(cx, data.a)?;
    match data.op {
        Opcode::Ptrtoint | Opcode::Inttoptr => {
            super::super::copy(cx, data);
            return Ok(());
        }
        Opcode::Trunc | Opcode::Zext | Opcode::Sext => {}
        op => {
            debug_assert!(has_floats(from) || has_floats(to));
            let row = float_row(op, from.element, to.element).ok_or(Halt::Expand)?;
            debug_assert!(shape(cx.func().types(), type_of(cx, data.a)).is_some());
            let src = cx.use_reg(data.a, 0);
            let dst = cx.def(result(data), 0);
            cx.emit(rr(row, 16, dst, src));
            return Ok(());
        }
    }
    let value = cx.use_copy(data.a, 0);
    match data.op {
        Opcode::Trunc if to.is_mask => low_bits_to_mask(cx, value, from, to),
        Opcode::Trunc => narrow(cx, value, from.lane_bits, to.lane_bits),
        _ if from.is_mask => {
            mask::resize(cx, value, from.lane_bits, to.lane_bits);
            if data.op == Opcode::Zext {
                let ones = constant(cx, splat(1, to.lane_bits));
                cx.emit(rm(Op::PandRM, 16, value, ones));
            }
        }
        op => widen(cx, value, from.lane_bits, to.lane_bits, op == Opcode::Sext),
    }
    finish(cx, data, value);
    Ok(())
}

/// A mask of the lanes whose lowest bit is set.
fn low_bits_to_mask<C: LowerCtx>(cx: &mut C, value: Reg, from: VectorShape, to: VectorShape) {
    let ones = constant(cx, splat(1, from.lane_bits));
    let expected = temp(cx);
    cx.emit(rm(Op::MovapRM, 4, expected, ones));
    cx.emit(rr(Op::PandRR, 16, value, expected));
    compare::equal(cx, from.lane_bits, value, expected);
    mask::resize(cx, value, from.lane_bits, to.lane_bits);
}

/// Cuts lanes to a half, as often as needed.
fn narrow<C: LowerCtx>(cx: &mut C, value: Reg, from_bits: u32, to_bits: u32) {
    let mut bits = from_bits;
    while bits > to_bits {
        match bits {
            64 => cx.emit(rri(Op::PshufdRRI, 16, value, value, 0x08)),
            32 => {
                // Sign-extended first, so that packing changes nothing.
                cx.emit(ri(Op::PslldRI, 16, value, 16));
                cx.emit(ri(Op::PsradRI, 16, value, 16));
                cx.emit(rr(Op::PackssdwRR, 16, value, value));
            }
            _ => {
                let low_bytes = constant(cx, splat(0xff, 16));
                cx.emit(rm(Op::PandRM, 16, value, low_bytes));
                cx.emit(rr(Op::PackuswbRR, 16, value, value));
            }
        }
        bits /= 2;
    }
}

/// Extends lanes to twice their width, as often as needed.
fn widen<C: LowerCtx>(cx: &mut C, value: Reg, from_bits: u32, to_bits: u32, signed: bool) {
    let fill = temp(cx);
    let mut bits = from_bits;
    while bits < to_bits {
        cx.emit(r(Op::ZeroX, 16, fill));
        if signed {
            let greater = match bits {
                8 => Op::PcmpgtbRR,
                16 => Op::PcmpgtwRR,
                _ => Op::PcmpgtdRR,
            };
            cx.emit(rr(greater, 16, fill, value));
        }
        let interleave = match bits {
            8 => Op::PunpcklbwRR,
            16 => Op::PunpcklwdRR,
            _ => Op::PunpckldqRR,
        };
        cx.emit(rr(interleave, 16, value, fill));
        bits *= 2;
    }
}
