//! Conversions between integer widths, pointers, bit patterns and floating point.
//!
//! Conversions to integers saturate and give 0 for NaN (Arm ARM, `FPToFixed`), which is what the saturating opcodes
//! want at the widths of registers, and one of the results that the others may have.

use super::wide::{Pair, extended_pair, negate_by, result_pair, shift_pair, temporary_pair};
use super::{
    any_float_bytes, checked_bits, clears_above, compare, extend, extended, float_bytes, folded, int_bits, low_bits,
    memory, result, size_of_bits, type_of, use_int,
};
use crate::build::*;
use crate::cond::Cond;
use crate::regs::{SCRATCH, XZR};
use crate::table::Op;
use frazil_codegen::{CodegenError, GroupKind, Label, LowerCtx, Reg, RegClass};
use frazil_ir::{InstData, Opcode, Refusal, RuntimeFunction, Type};

/// Lowers trunc, zext, sext, ptrtoint, inttoptr.
pub fn integer_cast<C: LowerCtx>(cx: &mut C, data: &InstData) -> Result<(), CodegenError> {
    if let Some(inner) = folded(cx, data.a) {
        if inner.op == Opcode::Load {
            return memory::load_extended(cx, data, &inner, data.op == Opcode::Sext);
        }
        // All ones where a comparison holds.
        let size = size_of_bits(int_bits(cx, data.ty));
        let test = compare::compare(cx, &inner)?;
        let dst = cx.def(result(data), 0);
        cx.emit(conditional(Op::Csetm, size, [dst, Reg::NONE, Reg::NONE], test.first));
        return Ok(());
    }
    let from_bits = checked_bits(cx, data, type_of(cx, data.a))?;
    let to_bits = checked_bits(cx, data, data.ty)?;
    let signed = data.op == Opcode::Sext;
    if to_bits <= from_bits {
        for part in 0..if to_bits > 64 { 2 } else { 1 } {
            let src = cx.use_last(data.a, part);
            cx.def_reuse(result(data), part, src);
        }
    } else if to_bits > 64 {
        widen_to_pair(cx, data, from_bits, signed);
    } else if !signed && clears_above(cx, data.a) {
        let src = cx.use_last(data.a, 0);
        cx.def_reuse(result(data), 0, src);
    } else {
        let src = use_int(cx, data.a, 0);
        let dst = cx.def(result(data), 0);
        extend(cx, dst, src, from_bits, signed, size_of_bits(to_bits));
    }
    Ok(())
}

fn widen_to_pair<C: LowerCtx>(cx: &mut C, data: &InstData, from_bits: u32, signed: bool) {
    if from_bits > 64 {
        let value = extended_pair(cx, data.a, from_bits, signed);
        let dst = result_pair(cx, data);
        cx.emit(rr(Op::Mov, 8, dst.low, value.low));
        cx.emit(rr(Op::Mov, 8, dst.high, value.high));
        return;
    }
    let src = use_int(cx, data.a, 0);
    let dst = result_pair(cx, data);
    extend(cx, dst.low, src, from_bits, signed, 8);
    if signed {
        cx.emit(shr(true, 8, dst.high, dst.low, 63));
    } else {
        cx.emit(mov_imm(8, dst.high, 0));
    }
}

/// Lowers bitcast.
pub fn bitcast<C: LowerCtx>(cx: &mut C, data: &InstData) -> Result<(), CodegenError> {
    let from = type_of(cx, data.a);
    let shape = |cx: &C, ty: Type| (any_float_bytes(ty), int_bits(cx, ty));
    match (shape(cx, from), shape(cx, data.ty)) {
        ((0, 0), _) | (_, (0, 0)) => {
            let ty = if shape(cx, from) == (0, 0) { from } else { data.ty };
            return Err(CodegenError::unsupported(
                Refusal::of_type(cx.func().types(), ty),
                "a bitcast of a type that is not compiled",
            ));
        }
        ((0, _), (0, _)) | ((1.., _), (1.., _)) => super::copy(cx, data),
        ((0, _), (16, _)) => {
            let (low, high) = (use_int(cx, data.a, 0), use_int(cx, data.a, 1));
            let dst = cx.def(result(data), 0);
            cx.emit(rr(Op::FmovFromInt, 8, dst, low));
            cx.emit(rr(Op::FmovHighFromInt, 8, dst, high));
        }
        ((16, _), _) => {
            let src = cx.use_reg(data.a, 0);
            let dst = result_pair(cx, data);
            cx.emit(rr(Op::FmovToInt, 8, dst.low, src));
            cx.emit(rr(Op::FmovHighToInt, 8, dst.high, src));
        }
        ((0, _), (bytes, _)) => {
            let src = use_int(cx, data.a, 0);
            let dst = cx.def(result(data), 0);
            cx.emit(rr(Op::FmovFromInt, bytes.max(4), dst, src));
        }
        ((bytes, _), _) => {
            let src = cx.use_reg(data.a, 0);
            let dst = cx.def(result(data), 0);
            cx.emit(rr(Op::FmovToInt, bytes.max(4), dst, src));
        }
    }
    Ok(())
}

fn unsupported_float<C: LowerCtx>(cx: &C, data: &InstData, from: Type) -> CodegenError {
    let ty = if float_bytes(data.ty) == 0 && int_bits(cx, data.ty) == 0 {
        data.ty
    } else {
        from
    };
    CodegenError::unsupported(
        Refusal::of_type(cx.func().types(), ty),
        "a conversion of vectors or of a float type other than float and double",
    )
}

/// Lowers conversions from or to floating point.
pub fn float_cast<C: LowerCtx>(cx: &mut C, data: &InstData) -> Result<(), CodegenError> {
    let from = type_of(cx, data.a);
    match data.op {
        Opcode::Fpext | Opcode::Fptrunc => convert_float(cx, data, from),
        Opcode::Sitofp | Opcode::Uitofp => from_integer(cx, data, from),
        Opcode::FptosiSat | Opcode::FptouiSat => saturate(cx, data, from),
        Opcode::Lrint => to_nearest(cx, data, from),
        _ => to_integer(cx, data, from),
    }
}

fn convert_float<C: LowerCtx>(cx: &mut C, data: &InstData, from: Type) -> Result<(), CodegenError> {
    let op = match (from, data.ty) {
        (Type::F32, Type::F64) => Op::FcvtDS,
        (Type::F64, Type::F32) => Op::FcvtSD,
        (Type::F16, Type::F32) => Op::FcvtSH,
        (Type::F16, Type::F64) => Op::FcvtDH,
        (Type::F32, Type::F16) => Op::FcvtHS,
        (Type::F64, Type::F16) => Op::FcvtHD,
        _ => return Err(unsupported_float(cx, data, from)),
    };
    let src = cx.use_reg(data.a, 0);
    let dst = cx.def(result(data), 0);
    cx.emit(rr(op, any_float_bytes(data.ty), dst, src));
    Ok(())
}

fn from_integer<C: LowerCtx>(cx: &mut C, data: &InstData, from: Type) -> Result<(), CodegenError> {
    let (bits, bytes) = (int_bits(cx, from), float_bytes(data.ty));
    let signed = data.op == Opcode::Sitofp;
    if bits == 0 || bytes == 0 {
        return Err(unsupported_float(cx, data, from));
    }
    if bits > 64 {
        return from_pair(cx, data, from, bytes, signed);
    }
    let size = size_of_bits(bits);
    let src = extended(cx, data.a, bits, signed, size);
    let dst = cx.def(result(data), 0);
    let op = match (signed, size) {
        (true, 4) => Op::ScvtfW,
        (true, _) => Op::ScvtfX,
        (false, 4) => Op::UcvtfW,
        (false, _) => Op::UcvtfX,
    };
    cx.emit(rr(op, bytes, dst, src));
    Ok(())
}

/// The row that converts to an integer of `size` bytes, towards zero.
fn truncating(signed: bool, size: u8) -> Op {
    match (signed, size) {
        (true, 4) => Op::FcvtzsW,
        (true, _) => Op::FcvtzsX,
        (false, 4) => Op::FcvtzuW,
        (false, _) => Op::FcvtzuX,
    }
}

fn to_integer<C: LowerCtx>(cx: &mut C, data: &InstData, from: Type) -> Result<(), CodegenError> {
    let (bits, bytes) = (int_bits(cx, data.ty), float_bytes(from));
    let signed = data.op == Opcode::Fptosi;
    if bits == 0 || bytes == 0 {
        return Err(unsupported_float(cx, data, from));
    }
    if bits > 64 {
        let into = Some(result(data));
        return cx.call_runtime(pair_conversion(data.op, bytes), &[(data.a, from)], into);
    }
    let src = cx.use_reg(data.a, 0);
    let dst = cx.def(result(data), 0);
    cx.emit(rr(truncating(signed, size_of_bits(bits)), bytes, dst, src));
    Ok(())
}

/// To the nearest integer of the current rounding mode, in two steps.
fn to_nearest<C: LowerCtx>(cx: &mut C, data: &InstData, from: Type) -> Result<(), CodegenError> {
    let (bits, bytes) = (int_bits(cx, data.ty), float_bytes(from));
    if !(1..=64).contains(&bits) || bytes == 0 {
        return Err(unsupported_float(cx, data, from));
    }
    let src = cx.use_reg(data.a, 0);
    let rounded = cx.temp(RegClass::Float);
    let dst = cx.def(result(data), 0);
    cx.emit(rr(Op::Frintx, bytes, rounded, src));
    cx.emit(rr(truncating(true, size_of_bits(bits)), bytes, dst, rounded));
    Ok(())
}

/// Lowers the saturating conversions: NaN gives 0, values out of range the nearest one. A narrower type than a
/// register's has its limits within those of the register.
fn saturate<C: LowerCtx>(cx: &mut C, data: &InstData, from: Type) -> Result<(), CodegenError> {
    let (bits, bytes) = (int_bits(cx, data.ty), float_bytes(from));
    let signed = data.op == Opcode::FptosiSat;
    if bits == 0 || bytes == 0 {
        return Err(unsupported_float(cx, data, from));
    }
    if bits > 64 {
        saturate_pair(cx, data, bits, bytes, signed);
        return Ok(());
    }
    let size = size_of_bits(bits);
    let src = cx.use_reg(data.a, 0);
    let dst = cx.def(result(data), 0);
    cx.emit(rr(truncating(signed, size), bytes, dst, src));
    if bits == u32::from(size) * 8 {
        return Ok(());
    }
    let (low, high) = if signed {
        (-1i64 << (bits - 1), low_bits(u64::MAX, bits - 1).cast_signed())
    } else {
        (0, low_bits(u64::MAX, bits).cast_signed())
    };
    cx.emit(mov_imm(size, SCRATCH, high));
    cx.emit(rr(Op::Cmp, size, dst, SCRATCH));
    let cond = if signed { Cond::Lt } else { Cond::Lo };
    cx.emit(csel(size, dst, dst, SCRATCH, cond));
    if signed {
        cx.emit(mov_imm(size, SCRATCH, low));
        cx.emit(rr(Op::Cmp, size, dst, SCRATCH));
        cx.emit(csel(size, dst, dst, SCRATCH, Cond::Gt));
    }
    Ok(())
}

/// Lowers conversions from more than 64 bits: library functions on 128 bits.
fn from_pair<C: LowerCtx>(
    cx: &mut C,
    data: &InstData,
    from: Type,
    bytes: u8,
    signed: bool,
) -> Result<(), CodegenError> {
    if from != Type::I128 {
        let bits = int_bits(cx, from);
        return Err(CodegenError::unsupported(
            Refusal::WideInteger,
            format!("a conversion of i{bits} to floating point"),
        ));
    }
    let op = if signed { Opcode::Sitofp } else { Opcode::Uitofp };
    cx.call_runtime(pair_conversion(op, bytes), &[(data.a, from)], Some(result(data)))
}

/// The runtime function that converts between a float of `bytes` bytes and a 128-bit integer.
fn pair_conversion(op: Opcode, bytes: u8) -> RuntimeFunction {
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

/// Explicit bits of the fraction of a double.
const FRACTION_BITS: u32 = 52;
/// The exponent field of one.
const EXPONENT_OF_ONE: i32 = 1023;
const EXPONENT_BITS: u32 = 11;

/// Lowers `fptosi.sat` and `fptoui.sat` to more than 64 bits, from the parts of a double.
fn saturate_pair<C: LowerCtx>(cx: &mut C, data: &InstData, bits: u32, bytes: u8, signed: bool) {
    let src = cx.use_reg(data.a, 0);
    let double = if bytes == 4 { cx.temp(RegClass::Float) } else { src };
    let (magnitude, value, spare) = (temporary_pair(cx), temporary_pair(cx), temporary_pair(cx));
    let (sign, exponent) = (cx.temp(RegClass::Int), cx.temp(RegClass::Int));
    let dst = result_pair(cx, data);
    if bytes == 4 {
        cx.emit(rr(Op::FcvtDS, 8, double, src));
    }
    cx.begin_group(GroupKind::Plain);
    let (zero, limit, done) = (cx.local_label(), cx.local_label(), cx.local_label());
    let parts = Parts { double, sign, exponent };
    take_apart(cx, parts, magnitude, (bits, signed), (zero, limit));
    // The magnitude, with its leading bit at the top of both parts, is moved down to its place.
    cx.emit(mov_imm(8, magnitude.low, 0));
    cx.emit(mov_imm(4, spare.low, 127));
    cx.emit(rrr(Op::Sub, 4, exponent, spare.low, exponent));
    shift_pair(cx, Opcode::Lshr, (value, magnitude), exponent, spare);
    negate_by(cx, dst, value, sign);
    cx.emit(jump(done));
    cx.bind(limit);
    give_limit(cx, dst, sign, bits, signed);
    cx.emit(jump(done));
    cx.bind(zero);
    cx.emit(mov_imm(8, dst.low, 0));
    cx.emit(mov_imm(8, dst.high, 0));
    cx.bind(done);
    cx.end_group();
}

/// A double, the mask of its sign, and the number of the leading bit of its magnitude.
#[derive(Clone, Copy)]
struct Parts {
    double: Reg,
    sign: Reg,
    exponent: Reg,
}

/// Puts the magnitude to the top of the high part. What gives zero, NaN included, and what is out of range goes
/// elsewhere.
fn take_apart<C: LowerCtx>(
    cx: &mut C,
    parts: Parts,
    magnitude: Pair,
    (bits, signed): (u32, bool),
    (zero, limit): (Label, Label),
) {
    let Parts { double, sign, exponent } = parts;
    let high = magnitude.high;
    cx.emit(rr(Op::Fcmp, 8, double, double));
    cx.emit(branch_if(Cond::Vs, zero));
    cx.emit(rr(Op::FmovToInt, 8, high, double));
    cx.emit(shr(true, 8, sign, high, 63));
    cx.emit(bitfield(
        Op::Ubfm,
        8,
        exponent,
        high,
        FRACTION_BITS,
        FRACTION_BITS + EXPONENT_BITS - 1,
    ));
    cx.emit(rri(Op::SubsI, 4, exponent, exponent, EXPONENT_OF_ONE));
    cx.emit(branch_if(Cond::Lt, zero));
    cx.emit(ri(Op::CmpI, 4, exponent, (bits - u32::from(signed)).cast_signed()));
    cx.emit(branch_if(Cond::Ge, limit));
    if !signed {
        cx.emit(branch_if_zero(false, 8, sign, zero));
    }
    cx.emit(shl(8, high, high, 63 - FRACTION_BITS));
    cx.emit(logical(Op::OrrI, 8, high, high, 1 << 63));
}

/// The number of the range that is nearest to one beyond it.
fn give_limit<C: LowerCtx>(cx: &mut C, dst: Pair, sign: Reg, bits: u32, signed: bool) {
    cx.emit(rrr(Op::Orn, 8, dst.low, XZR, sign));
    if signed {
        cx.emit(mov_imm(8, dst.high, i64::MAX >> (128 - bits)));
        cx.emit(rrr(Op::Eor, 8, dst.high, dst.high, sign));
    } else {
        cx.emit(rr(Op::Mov, 8, dst.high, dst.low));
    }
}
