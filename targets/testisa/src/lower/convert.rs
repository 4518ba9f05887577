//! Conversions between integers, between floats, and from one to the other.

use super::wide::{self, A, R, Wide};
use super::{extended, float_bytes, int_bits, overflow, part_count, result, type_of};
use crate::build::*;
use crate::ops::Op;
use frazil_codegen::{CodegenError, LowerCtx};
use frazil_ir::{InstData, Opcode, Refusal, RuntimeFunction, Type};

/// Lowers truncations, extensions, and conversions from and to pointers.
pub fn integer<C: LowerCtx>(cx: &mut C, data: &InstData) {
    let from = int_bits(cx, type_of(cx, data.a));
    let to = int_bits(cx, data.ty);
    let signed = data.op == Opcode::Sext;
    if to <= 32 {
        let src = cx.use_last(data.a, 0);
        if from >= to {
            cx.def_reuse(result(data), 0, src);
        } else {
            let dst = cx.def(result(data), 0);
            super::extend(cx, dst, src, from, signed);
        }
        return;
    }
    if from >= to {
        return super::copy(cx, data);
    }
    let number = Wide::at(A, part_count(to));
    wide::read(cx, number, data.a, from, signed);
    wide::write(cx, result(data), to, number);
}

/// Lowers bit casts.
pub fn bitcast<C: LowerCtx>(cx: &mut C, data: &InstData) -> Result<(), CodegenError> {
    let from = type_of(cx, data.a);
    match (float_bytes(from), float_bytes(data.ty)) {
        (4, 0) if int_bits(cx, data.ty) == 32 => {
            let src = cx.use_reg(data.a, 0);
            let dst = cx.def(result(data), 0);
            cx.emit(rr(Op::F32ToInt, dst, src));
        }
        (8, 0) if int_bits(cx, data.ty) == 64 => {
            let src = cx.use_reg(data.a, 0);
            let (low, high) = (cx.def(result(data), 0), cx.def(result(data), 1));
            cx.emit(rrr(Op::F64ToInt, low, high, src));
        }
        (0, 4) if int_bits(cx, from) == 32 => {
            let src = cx.use_reg(data.a, 0);
            let dst = cx.def(result(data), 0);
            cx.emit(rr(Op::IntToF32, dst, src));
        }
        (0, 8) if int_bits(cx, from) == 64 => {
            let (low, high) = (cx.use_reg(data.a, 0), cx.use_reg(data.a, 1));
            let dst = cx.def(result(data), 0);
            cx.emit(rrr(Op::IntToF64, dst, low, high));
        }
        (0, 0) if int_bits(cx, from) == int_bits(cx, data.ty) && int_bits(cx, from) > 0 => super::copy(cx, data),
        (x, y) if x == y && x > 0 => super::copy(cx, data),
        _ => return Err(CodegenError::unsupported(Refusal::Vector, "a bitcast of vectors")),
    }
    Ok(())
}

fn refuse<T>(refusal: Refusal, what: &str) -> Result<T, CodegenError> {
    Err(CodegenError::unsupported(refusal, format!("a conversion of {what}")))
}

/// Lowers `fpext` and `fptrunc`.
pub fn between_floats<C: LowerCtx>(cx: &mut C, data: &InstData) -> Result<(), CodegenError> {
    match (type_of(cx, data.a), data.ty) {
        (Type::F32, Type::F64) | (Type::F64, Type::F32) => {
            let src = cx.use_reg(data.a, 0);
            let dst = cx.def(result(data), 0);
            cx.emit(rr_sized(Op::Fcvt, float_bytes(data.ty), dst, src));
            Ok(())
        }
        _ => refuse(Refusal::ExoticFloat, "float types other than f32 and f64"),
    }
}

/// Lowers conversions from integers.
pub fn from_integer<C: LowerCtx>(cx: &mut C, data: &InstData) -> Result<(), CodegenError> {
    let from = type_of(cx, data.a);
    let (bits, bytes) = (int_bits(cx, from), float_bytes(data.ty));
    let signed = data.op == Opcode::Sitofp;
    match (bits, bytes) {
        (0, _) | (_, 0) => return refuse(Refusal::ExoticFloat, "vectors or float types other than f32 and f64"),
        (1..=32, _) => {
            let src = extended(cx, data.a, bits, signed);
            let dst = cx.def(result(data), 0);
            let op = if signed { Op::FromW } else { Op::FromWu };
            cx.emit(rr_sized(op, bytes, dst, src));
        }
        (33..=64, _) => {
            let number = Wide::at(A, 2);
            wide::read(cx, number, data.a, bits, signed);
            let dst = cx.def(result(data), 0);
            let op = if signed { Op::FromL } else { Op::FromLu };
            cx.emit(rrr_sized(op, bytes, dst, number.word(0), number.word(1)));
        }
        (128, _) => {
            let function = wide_function(data.op, bytes);
            return cx.call_runtime(function, &[(data.a, from)], Some(result(data)));
        }
        _ => return refuse(Refusal::WideInteger, "an odd number of more than 64 bits"),
    }
    Ok(())
}

/// Lowers conversions to integers. The machine's saturate, which is right also where the IR leaves the result open.
pub fn to_integer<C: LowerCtx>(cx: &mut C, data: &InstData) -> Result<(), CodegenError> {
    let from = type_of(cx, data.a);
    let (bits, bytes) = (int_bits(cx, data.ty), float_bytes(from));
    let signed = matches!(data.op, Opcode::Fptosi | Opcode::FptosiSat);
    let saturates = matches!(data.op, Opcode::FptosiSat | Opcode::FptouiSat);
    match (bits, bytes) {
        (0, _) | (_, 0) => return refuse(Refusal::ExoticFloat, "vectors or float types other than f32 and f64"),
        (1..=32, _) if !saturates || bits == 32 => {
            let src = cx.use_reg(data.a, 0);
            let dst = cx.def(result(data), 0);
            let op = if signed { Op::ToW } else { Op::ToWu };
            cx.emit(rr_sized(op, bytes, dst, src));
        }
        (1..=64, _) => {
            let number = Wide::at(R, 3);
            let src = cx.use_reg(data.a, 0);
            let op = if signed { Op::ToL } else { Op::ToLu };
            cx.emit(rrr_sized(op, bytes, number.word(0), number.word(1), src));
            cx.step();
            wide::extend(cx, number, 64, signed);
            if saturates {
                overflow::saturate(cx, number, bits, signed);
            }
            wide::write(cx, result(data), bits, number);
        }
        (128, _) if !saturates => {
            let function = wide_function(data.op, bytes);
            return cx.call_runtime(function, &[(data.a, from)], Some(result(data)));
        }
        _ => {
            return refuse(
                Refusal::WideInteger,
                "a float to an odd number of more than 64 bits, or saturating to so many",
            );
        }
    }
    Ok(())
}

/// The function that converts between a float of `bytes` bytes and 128 bits.
fn wide_function(op: Opcode, bytes: u8) -> RuntimeFunction {
    match (op, bytes) {
        (Opcode::Fptosi, 4) => RuntimeFunction::Fixsfti,
        (Opcode::Fptosi, _) => RuntimeFunction::Fixdfti,
        (Opcode::Fptoui, 4) => RuntimeFunction::Fixunssfti,
        (Opcode::Fptoui, _) => RuntimeFunction::Fixunsdfti,
        (Opcode::Sitofp, 4) => RuntimeFunction::Floattisf,
        (Opcode::Sitofp, _) => RuntimeFunction::Floattidf,
        (_, 4) => RuntimeFunction::Floatuntisf,
        _ => RuntimeFunction::Floatuntidf,
    }
}
