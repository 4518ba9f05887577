//! Floating-point arithmetic on float and double; remainders are calls of the C library.

use super::{float_bytes, folded, result, type_of};
use crate::build::*;
use crate::cond::Cond;
use crate::table::Op;
use frazil_codegen::{ClassRange, CodegenError, LowerCtx, NAN_CLASSES, Reg, RegClass, class_ranges};
use frazil_ir::{InstData, Opcode, Operand, Refusal, RuntimeFunction, Type};

/// Lowers the floating-point opcodes that give a float.
pub fn float<C: LowerCtx>(cx: &mut C, data: &InstData) -> Result<(), CodegenError> {
    let bytes = float_bytes(data.ty);
    if bytes == 0 {
        return Err(CodegenError::unsupported(
            Refusal::of_type(cx.func().types(), data.ty),
            "floating-point arithmetic on another type than float and double",
        ));
    }
    match data.op {
        Opcode::Fcopysign => copysign(cx, data, bytes),
        Opcode::Fma | Opcode::Fmuladd => fused(cx, data, bytes),
        Opcode::Frem => return remainder(cx, data),
        Opcode::Fneg if folded(cx, data.a).is_some() => {
            let product = folded(cx, data.a).expect("it was asked for");
            let left = cx.use_reg(product.a, 0);
            let right = cx.use_reg(product.b, 0);
            let dst = cx.def(result(data), 0);
            cx.emit(rrr(Op::Fnmul, bytes, dst, left, right));
        }
        op => {
            let Some((row, operands)) = row(op) else {
                return Err(CodegenError::unsupported(Refusal::Instruction, op.name()));
            };
            let a = cx.use_reg(data.a, 0);
            let b = if operands == 2 {
                cx.use_reg(data.b, 0)
            } else {
                Reg::NONE
            };
            let dst = cx.def(result(data), 0);
            cx.emit(rrr(row, bytes, dst, a, b));
        }
    }
    Ok(())
}

/// The instruction that an opcode is, and how many operands it has.
fn row(op: Opcode) -> Option<(Op, u8)> {
    Some(match op {
        Opcode::Fadd => (Op::Fadd, 2),
        Opcode::Fsub => (Op::Fsub, 2),
        Opcode::Fmul => (Op::Fmul, 2),
        Opcode::Fdiv => (Op::Fdiv, 2),
        // With a NaN that is quiet and a number, the number.
        Opcode::Fminnum => (Op::Fminnm, 2),
        Opcode::Fmaxnum => (Op::Fmaxnm, 2),
        Opcode::Fminimum => (Op::Fmin, 2),
        Opcode::Fmaximum => (Op::Fmax, 2),
        Opcode::Fneg => (Op::Fneg, 1),
        Opcode::Fabs => (Op::Fabs, 1),
        Opcode::Fsqrt => (Op::Fsqrt, 1),
        Opcode::Ffloor => (Op::Frintm, 1),
        Opcode::Fceil => (Op::Frintp, 1),
        Opcode::Ftrunc => (Op::Frintz, 1),
        Opcode::Frint => (Op::Frintx, 1),
        Opcode::Fnearbyint => (Op::Frinti, 1),
        Opcode::Fround => (Op::Frinta, 1),
        Opcode::Froundeven => (Op::Frintn, 1),
        _ => return None,
    })
}

/// All bits of the sign's bearer but for its sign are replaced by those of the magnitude.
fn copysign<C: LowerCtx>(cx: &mut C, data: &InstData, bytes: u8) {
    let magnitude = cx.use_reg(data.a, 0);
    let bearer = cx.use_reg(data.b, 0);
    let from = float_bytes(type_of(cx, data.b));
    let converted = if from == bytes {
        bearer
    } else {
        cx.temp(RegClass::Float)
    };
    let (bits, sign) = (cx.temp(RegClass::Int), cx.temp(RegClass::Int));
    let dst = cx.def(result(data), 0);
    if from != bytes {
        let op = if from == 4 { Op::FcvtDS } else { Op::FcvtSD };
        cx.emit(rr(op, bytes, converted, bearer));
    }
    cx.emit(rr(Op::FmovToInt, bytes, sign, converted));
    cx.emit(rr(Op::FmovToInt, bytes, bits, magnitude));
    cx.emit(bitfield(Op::Bfm, bytes, sign, bits, 0, u32::from(bytes) * 8 - 2));
    cx.emit(rr(Op::FmovFromInt, bytes, dst, sign));
}

/// With one rounding; the addend has the place of the result.
fn fused<C: LowerCtx>(cx: &mut C, data: &InstData, bytes: u8) {
    let (factor, addend) = cx.func().ternary(data);
    let (left, is_left_negated) = without_sign(cx, data.a);
    let (right, is_right_negated) = without_sign(cx, factor);
    let (addend, is_addend_negated) = without_sign(cx, addend);
    let left = cx.use_reg(left, 0);
    let right = cx.use_reg(right, 0);
    let addend = cx.use_last(addend, 0);
    let dst = cx.def_reuse(result(data), 0, addend);
    // Rows are named after the sign of the sum, and of the product beside it (Arm ARM, FNMADD and FNMSUB).
    let row = match (is_left_negated != is_right_negated, is_addend_negated) {
        (false, false) => Op::Fmadd,
        (true, false) => Op::Fmsub,
        (true, true) => Op::Fnmadd,
        (false, true) => Op::Fnmsub,
    };
    cx.emit(rrr(row, bytes, dst, left, right));
}

/// What a change of the sign that was folded is done to, and whether there was one.
fn without_sign<C: LowerCtx>(cx: &C, operand: Operand) -> (Operand, bool) {
    match folded(cx, operand) {
        Some(negation) => (negation.a, true),
        None => (operand, false),
    }
}

fn remainder<C: LowerCtx>(cx: &mut C, data: &InstData) -> Result<(), CodegenError> {
    let function = match data.ty {
        Type::F32 => RuntimeFunction::Fmodf,
        _ => RuntimeFunction::Fmod,
    };
    let args = [(data.a, data.ty), (data.b, data.ty)];
    cx.call_runtime(function, &args, Some(result(data)))
}

/// Lowers `is.fpclass`: the bits lie in one of some ranges. NaNs of both signs are one class each.
pub fn is_fpclass<C: LowerCtx>(cx: &mut C, data: &InstData) -> Result<(), CodegenError> {
    let bytes = float_bytes(data.ty);
    let (total, fraction) = match data.ty {
        Type::F32 => (32, 23),
        Type::F64 => (64, 52),
        _ => {
            return Err(CodegenError::unsupported(
                Refusal::of_type(cx.func().types(), data.ty),
                "is_fpclass of a type other than float and double",
            ));
        }
    };
    let mask = class_mask(data.b);
    let src = cx.use_reg(data.a, 0);
    let [bits, moved, bound, flag] = [0; 4].map(|_| cx.temp(RegClass::Int));
    let dst = cx.def(result(data), 0);
    let registers = Registers {
        bits,
        moved,
        bound,
        flag,
        dst,
    };
    cx.emit(rr(Op::FmovToInt, bytes, bits, src));
    cx.emit(mov_imm(4, dst, 0));
    let ranges = class_ranges(total, fraction);
    let sign = 1u128 << (total - 1);
    for range in ranges.iter().filter(|range| range.mask & mask != 0) {
        in_range(cx, bytes, registers, range);
        if range.mask & NAN_CLASSES != 0 {
            let mirrored = ClassRange {
                low: range.low | sign,
                high: range.high | sign,
                ..*range
            };
            in_range(cx, bytes, registers, &mirrored);
        }
    }
    Ok(())
}

fn class_mask(operand: Operand) -> i64 {
    operand.as_imm().unwrap_or(0)
}

/// What [`is_fpclass`] works with.
#[derive(Clone, Copy)]
struct Registers {
    bits: Reg,
    moved: Reg,
    bound: Reg,
    flag: Reg,
    dst: Reg,
}

/// Sets the low bit of the result if the bits minus the lower bound are at most the width of the range.
fn in_range<C: LowerCtx>(cx: &mut C, size: u8, registers: Registers, range: &ClassRange) {
    let Registers {
        bits,
        moved,
        bound,
        flag,
        dst,
    } = registers;
    cx.emit(mov_imm(size, bound, range.low as i64));
    cx.emit(rrr(Op::Sub, size, moved, bits, bound));
    cx.emit(mov_imm(size, bound, (range.high - range.low) as i64));
    cx.emit(rr(Op::Cmp, size, moved, bound));
    cx.emit(cset(flag, Cond::Ls));
    cx.emit(rrr(Op::Orr, 4, dst, dst, flag));
}
