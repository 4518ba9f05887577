//! Floating-point arithmetic on float and double, in SSE2; what SSE2 lacks is a call of the C library, unless the
//! function may use what later processors have.

use super::fused::{self, Fused};
use super::{constant_mem, contracted, float_bytes, flows_into, result, type_of};
use crate::build::*;
use crate::cond::Cond;
use crate::features;
use crate::regs::VECTOR_BYTES;
use crate::table::Op;
use frazil_codegen::{ClassRange, CodegenError, ImmKind, LowerCtx, Mem, NAN_CLASSES, Reg, RegClass, Src, class_ranges};
use frazil_ir::{InstData, Opcode, Operand, Refusal, RuntimeFunction, Type};

/// Bytes of a float constant in memory, at least: there are no moves of less.
const NARROWEST_FLOAT: u8 = 4;

/// Brings a constant to a vector register: so many bytes, and zeros above them.
pub fn constant<C: LowerCtx>(cx: &mut C, dst: Reg, bytes: u8, bits: u128) {
    if bytes > VECTOR_BYTES {
        debug_assert!(bits == 0, "halves are given apart");
        return super::vector::wide::constant(cx, dst, [0, 0]);
    }
    if bits == 0 {
        cx.emit(r(Op::ZeroX, 16, dst));
        return;
    }
    if bits == u128::MAX {
        cx.emit(r(Op::OnesX, 16, dst));
        return;
    }
    let constant = constant_place(cx, bytes, bits);
    let bytes = bytes.max(NARROWEST_FLOAT);
    let (row, size) = if bytes == 16 {
        (Op::MovapRM, 4)
    } else {
        (Op::MovsRM, bytes)
    };
    cx.emit(rm(row, size, dst, constant));
}

/// The address of a constant among the function's constants.
pub fn constant_place<C: LowerCtx>(cx: &mut C, bytes: u8, bits: u128) -> Mem {
    let bytes = bytes.max(NARROWEST_FLOAT);
    constant_mem(cx, &bits.to_le_bytes()[..usize::from(bytes)])
}

/// Lowers the floating-point opcodes that give a float.
pub fn float<C: LowerCtx>(cx: &mut C, data: &InstData) -> Result<(), CodegenError> {
    let bytes = float_bytes(data.ty);
    if bytes == 0 {
        return Err(CodegenError::unsupported(
            Refusal::Vector,
            "floating-point arithmetic on vectors",
        ));
    }
    match data.op {
        Opcode::Fadd | Opcode::Fsub if contracted::lower(cx, data, contracted::SCALAR, bytes) => {}
        Opcode::Fadd => binary(cx, data, bytes, Op::AddsRR, Op::AddsRM),
        Opcode::Fsub => binary(cx, data, bytes, Op::SubsRR, Op::SubsRM),
        Opcode::Fmul => binary(cx, data, bytes, Op::MulsRR, Op::MulsRM),
        Opcode::Fdiv => binary(cx, data, bytes, Op::DivsRR, Op::DivsRM),
        Opcode::Fneg => with_mask(cx, data, bytes, Op::XorpRM, sign_mask(bytes)),
        Opcode::Fabs => with_mask(cx, data, bytes, Op::AndpRM, !sign_mask(bytes)),
        Opcode::Fcopysign => copysign(cx, data, bytes),
        Opcode::Fsqrt => {
            // In place, so that the old contents of another register is not waited for.
            let src = cx.use_last(data.a, 0);
            let dst = cx.def_reuse(result(data), 0, src);
            cx.emit(rr(Op::SqrtsRR, bytes, dst, dst));
        }
        Opcode::Fma | Opcode::Fmuladd if cx.view().features.has(features::FMA) => fused(cx, data, bytes),
        Opcode::Fmuladd => multiply_add(cx, data, bytes),
        op if cx.view().features.has(features::SSE4_1) && rounding(op).is_some() => round(cx, data, bytes),
        _ => return by_call(cx, data, bytes),
    }
    Ok(())
}

fn binary<C: LowerCtx>(cx: &mut C, data: &InstData, bytes: u8, row: Op, memory_row: Op) {
    // The fold marks of commutative operations may say that the left one is in memory.
    let is_turned = || data.op.is_commutative() && !cx.is_folded(data.b) && flows_into(cx, data, data.b);
    let (left, right) = if cx.is_folded(data.a) || is_turned() {
        (data.b, data.a)
    } else {
        (data.a, data.b)
    };
    let right = cx.use_src(right, 0, ImmKind::None);
    let left = cx.use_last(left, 0);
    let dst = cx.def_reuse(result(data), 0, left);
    cx.emit(match right {
        Src::Mem(mem) => rm(memory_row, bytes, dst, mem),
        Src::Reg(right) => rr(row, bytes, dst, right),
        Src::Imm(_) => unreachable!("not asked for"),
    });
}

/// The sign bit of every element of 16 bytes.
fn sign_mask(bytes: u8) -> u128 {
    if bytes == 4 {
        0x8000_0000_8000_0000_8000_0000_8000_0000
    } else {
        0x8000_0000_0000_0000_8000_0000_0000_0000
    }
}

fn mask<C: LowerCtx>(cx: &mut C, bits: u128) -> Mem {
    constant_mem(cx, &bits.to_le_bytes())
}

fn with_mask<C: LowerCtx>(cx: &mut C, data: &InstData, bytes: u8, row: Op, bits: u128) {
    let mask = mask(cx, bits);
    let src = cx.use_last(data.a, 0);
    let dst = cx.def_reuse(result(data), 0, src);
    cx.emit(rm(row, bytes, dst, mask));
}

fn copysign<C: LowerCtx>(cx: &mut C, data: &InstData, bytes: u8) {
    let sign_of = sign_bearer(cx, data.b, bytes);
    let (sign, magnitude) = (mask(cx, sign_mask(bytes)), mask(cx, !sign_mask(bytes)));
    let src = cx.use_last(data.a, 0);
    let dst = cx.def_reuse(result(data), 0, src);
    cx.emit(rm(Op::AndpRM, bytes, sign_of, sign));
    cx.emit(rm(Op::AndpRM, bytes, dst, magnitude));
    cx.emit(rr(Op::OrpRR, bytes, dst, sign_of));
}

/// The operand that gives the sign, converted to the result's width, in a register of the rule.
fn sign_bearer<C: LowerCtx>(cx: &mut C, operand: Operand, bytes: u8) -> Reg {
    let from = float_bytes(type_of(cx, operand));
    if from == bytes {
        return cx.use_copy(operand, 0);
    }
    let src = cx.use_reg(operand, 0);
    let temp = cx.temp(RegClass::Float);
    cx.emit(rr(
        if from == 4 { Op::Cvtss2sdRR } else { Op::Cvtsd2ssRR },
        from,
        temp,
        src,
    ));
    temp
}

/// The immediate of `roundss` and `roundsd`: bits 0 and 1 give the direction, bit 2 leaves it to the current mode, and
/// bit 3 keeps silent about results that are not exact (Intel manual, volume 2, ROUNDSD).
pub(super) fn rounding(op: Opcode) -> Option<i32> {
    Some(match op {
        Opcode::Froundeven => 8,
        Opcode::Ffloor => 9,
        Opcode::Fceil => 10,
        Opcode::Ftrunc => 11,
        Opcode::Frint => 4,
        Opcode::Fnearbyint => 12,
        _ => return None,
    })
}

fn round<C: LowerCtx>(cx: &mut C, data: &InstData, bytes: u8) {
    let op = if bytes == 4 { Op::RoundssRRI } else { Op::RoundsdRRI };
    // In place, as for the square root.
    let src = cx.use_last(data.a, 0);
    let dst = cx.def_reuse(result(data), 0, src);
    cx.emit(rri(op, bytes, dst, dst, rounding(data.op).unwrap_or_default()));
}

/// With one rounding.
fn fused<C: LowerCtx>(cx: &mut C, data: &InstData, bytes: u8) {
    multiply_add_in_place(cx, data, contracted::SCALAR[0], bytes);
}

pub(super) fn multiply_add_in_place<C: LowerCtx>(cx: &mut C, data: &InstData, rows: Fused, bytes: u8) {
    let (factor, addend) = cx.func().ternary(data);
    fused::multiply_add(cx, data, rows, bytes, [data.a, factor, addend]);
}

/// Not fused: two roundings are allowed, and baseline x86-64 has no fused instruction.
fn multiply_add<C: LowerCtx>(cx: &mut C, data: &InstData, bytes: u8) {
    let (factor, addend) = cx.func().ternary(data);
    let addend = cx.use_reg(addend, 0);
    let factor = cx.use_reg(factor, 0);
    let src = cx.use_last(data.a, 0);
    let dst = cx.def_reuse(result(data), 0, src);
    cx.emit(rr(Op::MulsRR, bytes, dst, factor));
    cx.emit(rr(Op::AddsRR, bytes, dst, addend));
}

/// The C library's functions for float and for double.
fn library(op: Opcode) -> Option<(RuntimeFunction, RuntimeFunction)> {
    use RuntimeFunction as F;
    Some(match op {
        Opcode::Frem => (F::Fmodf, F::Fmod),
        Opcode::Ffloor => (F::Floorf, F::Floor),
        Opcode::Fceil => (F::Ceilf, F::Ceil),
        Opcode::Ftrunc => (F::Truncf, F::Trunc),
        Opcode::Frint => (F::Rintf, F::Rint),
        Opcode::Fnearbyint => (F::Nearbyintf, F::Nearbyint),
        Opcode::Fround => (F::Roundf, F::Round),
        Opcode::Froundeven => (F::Roundevenf, F::Roundeven),
        Opcode::Fminnum => (F::Fminf, F::Fmin),
        Opcode::Fmaxnum => (F::Fmaxf, F::Fmax),
        Opcode::Fminimum => (F::Fminimumf, F::Fminimum),
        Opcode::Fmaximum => (F::Fmaximumf, F::Fmaximum),
        Opcode::Fma => (F::Fmaf, F::Fma),
        _ => return None,
    })
}

fn by_call<C: LowerCtx>(cx: &mut C, data: &InstData, bytes: u8) -> Result<(), CodegenError> {
    let Some((single, double)) = library(data.op) else {
        return Err(CodegenError::unsupported(Refusal::Instruction, data.op.name()));
    };
    let function = if bytes == 4 { single } else { double };
    let ty = data.ty;
    let into = Some(result(data));
    match data.op.format() {
        frazil_ir::Format::Unary => cx.call_runtime(function, &[(data.a, ty)], into),
        frazil_ir::Format::Binary => cx.call_runtime(function, &[(data.a, ty), (data.b, ty)], into),
        _ => {
            let (b, c) = cx.func().ternary(data);
            cx.call_runtime(function, &[(data.a, ty), (b, ty), (c, ty)], into)
        }
    }
}

/// Lowers `is.fpclass`: the bits lie in one of some ranges. NaNs of both signs are one class each.
pub fn is_fpclass<C: LowerCtx>(cx: &mut C, data: &InstData) -> Result<(), CodegenError> {
    let bytes = float_bytes(data.ty);
    let (size, total, fraction) = match data.ty {
        Type::F32 => (4, 32, 23),
        Type::F64 if C::WORD_BYTES == 8 => (8, 64, 52),
        _ => {
            return Err(CodegenError::unsupported(
                Refusal::ExoticFloat,
                "is_fpclass of a type other than float and double",
            ));
        }
    };
    let mask = data.b.as_imm().unwrap_or(0);
    let src = cx.use_reg(data.a, 0);
    let bits = cx.temp(RegClass::Int);
    let moved = cx.temp(RegClass::Int);
    let bound = cx.temp(RegClass::Int);
    let flag = cx.temp(RegClass::Int);
    let dst = cx.def(result(data), 0);
    cx.emit(rr(Op::MovdRX, bytes, bits, src));
    cx.emit(mov_imm(4, dst, 0));
    let ranges = class_ranges(total, fraction);
    let sign = 1u128 << (total - 1);
    for range in ranges.iter().filter(|range| range.mask & mask != 0) {
        in_range(cx, size, (bits, moved, bound, flag, dst), range);
        if range.mask & NAN_CLASSES != 0 {
            let mirrored = ClassRange {
                low: range.low | sign,
                high: range.high | sign,
                ..*range
            };
            in_range(cx, size, (bits, moved, bound, flag, dst), &mirrored);
        }
    }
    Ok(())
}

/// Sets the low bit of `dst` if `bits` minus the lower bound is at most the width of the range.
fn in_range<C: LowerCtx>(
    cx: &mut C,
    size: u8,
    (bits, moved, bound, flag, dst): (Reg, Reg, Reg, Reg, Reg),
    range: &ClassRange,
) {
    cx.emit(rr(Op::MovRR, size, moved, bits));
    cx.emit(mov_imm(size, bound, range.low as i64));
    cx.emit(rr(Op::SubRR, size, moved, bound));
    cx.emit(mov_imm(size, bound, (range.high - range.low) as i64));
    cx.emit(rr(Op::CmpRR, size, moved, bound));
    cx.emit(setcc(Cond::Be, flag));
    cx.emit(rr(Op::OrRR, 4, dst, flag));
}
