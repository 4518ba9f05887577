//! Conversions between integer widths, pointers, bit patterns and floating point.

mod wide;

use super::compare::compare;
use super::narrow::clears_above;
use super::{
    class_of, constant_mem, extend, extended_copy, float_bytes, folded, int_bits, is_32_bit, result, size_of_bits,
    top_bit, type_of, vector, word_bits, x87,
};
use crate::build::*;
use crate::cond::Cond;
use crate::features;
use crate::table::Op;
use frazil_codegen::{CodegenError, GroupKind, ImmKind, LowerCtx, Mem, Reg, RegClass, Src};
use frazil_ir::{InstData, Opcode, Operand, Refusal, RuntimeFunction, Type};

/// Lowers trunc, zext, sext, ptrtoint, inttoptr, bitcast.
pub fn integer_cast<C: LowerCtx>(cx: &mut C, data: &InstData) -> Result<(), CodegenError> {
    let from = type_of(cx, data.a);
    if data.op == Opcode::Bitcast {
        return bitcast(cx, data, from);
    }
    let (from_bits, to_bits) = (int_bits(cx, from), int_bits(cx, data.ty));
    if from_bits == 0 || to_bits == 0 {
        return Err(CodegenError::unsupported(Refusal::Vector, "a cast of vectors"));
    }
    if to_bits <= from_bits {
        truncate(cx, data, to_bits);
    } else if to_bits > word_bits::<C>() {
        wide::widen(cx, data, from_bits, data.op == Opcode::Sext);
    } else if let Some(comparison) = folded(cx, data.a).filter(|inner| inner.op.is_icmp()) {
        widen_truth(cx, data, &comparison)?;
    } else {
        widen(cx, data, from_bits, to_bits);
    }
    Ok(())
}

/// Extends what a folded comparison gives, by a register that is cleared before: after it, flags must stay.
fn widen_truth<C: LowerCtx>(cx: &mut C, data: &InstData, comparison: &InstData) -> Result<(), CodegenError> {
    let truth = cx.temp(RegClass::Int);
    cx.emit(r(Op::ZeroR, 4, truth));
    let test = compare(cx, comparison)?;
    cx.emit(set_low(test.first, truth));
    cx.def_reuse(result(data), 0, truth);
    Ok(())
}

fn truncate<C: LowerCtx>(cx: &mut C, data: &InstData, to_bits: u32) {
    for part in 0..if to_bits > word_bits::<C>() { 2 } else { 1 } {
        let src = cx.use_last(data.a, part);
        cx.def_reuse(result(data), part, src);
    }
}

/// Extends what a folded mask leaves: nothing is above that.
fn widen_mask<C: LowerCtx>(cx: &mut C, data: &InstData, and: &InstData, from_bits: u32) {
    let mask = and.b.as_imm().expect("checked when it was folded");
    let dst = if cx.is_folded(and.a) {
        let (row, memory_row) = match from_bits {
            8 => (Op::MovzxBRR, Op::MovzxBRM),
            16 => (Op::MovzxWRR, Op::MovzxWRM),
            _ => (Op::MovzxLRR, Op::MovzxLRM),
        };
        let src = cx.use_src(and.a, 0, ImmKind::None);
        let dst = cx.def(result(data), 0);
        cx.emit(match src {
            Src::Mem(mem) => rm(memory_row, 4, dst, mem),
            Src::Reg(home) => rr(row, 4, dst, home),
            Src::Imm(_) => unreachable!("not asked for"),
        });
        dst
    } else {
        let src = cx.use_last(and.a, 0);
        cx.def_reuse(result(data), 0, src)
    };
    cx.emit(ri(Op::AndRI, 4, dst, mask as i32));
}

fn widen<C: LowerCtx>(cx: &mut C, data: &InstData, from_bits: u32, to_bits: u32) {
    if let Some(and) = folded(cx, data.a).filter(|inner| inner.op == Opcode::And) {
        return widen_mask(cx, data, &and, from_bits);
    }
    let (signed, size) = (data.op == Opcode::Sext, size_of_bits(to_bits));
    if cx.is_folded(data.a) || matches!(from_bits, 8 | 16 | 32) {
        let row = match (from_bits, signed) {
            (8, false) => (Op::MovzxBRR, Op::MovzxBRM, 4),
            (16, false) => (Op::MovzxWRR, Op::MovzxWRM, 4),
            (8, true) => (Op::MovsxBRR, Op::MovsxBRM, size),
            (16, true) => (Op::MovsxWRR, Op::MovsxWRM, size),
            (32, true) if size == 8 => (Op::MovsxdRR, Op::MovsxdRM, 8),
            _ if clears_upper_half(cx, data.a) => {
                let src = cx.use_last(data.a, 0);
                cx.def_reuse(result(data), 0, src);
                return;
            }
            _ => (Op::MovzxLRR, Op::MovzxLRM, 4),
        };
        match cx.use_src(data.a, 0, ImmKind::None) {
            Src::Mem(mem) => {
                let dst = cx.def(result(data), 0);
                cx.emit(rm(row.1, row.2, dst, mem));
            }
            Src::Reg(src) => {
                let dst = cx.def(result(data), 0);
                cx.emit(rr(row.0, row.2, dst, src));
            }
            Src::Imm(_) => unreachable!("not asked for"),
        }
        return;
    }
    let src = cx.use_last(data.a, 0);
    let dst = cx.def_reuse(result(data), 0, src);
    extend(cx, dst, dst, from_bits, signed, size);
}

/// Whether the upper half of the register with an `i32` is clear: after what leaves zeros there, and after loads, of
/// slots as well, which write the low half.
fn clears_upper_half<C: LowerCtx>(cx: &C, operand: Operand) -> bool {
    let function = cx.func();
    let load = |data: &&InstData| data.op == Opcode::Load && data.ty == Type::I32;
    let is_loaded = || {
        let inst = operand.as_value().and_then(|value| function.def_inst(value));
        inst.map(|inst| function.inst(inst)).filter(load).is_some()
    };
    !cx.is_folded(operand) && (is_loaded() || clears_above(function, operand, &|_| false))
}

fn bitcast<C: LowerCtx>(cx: &mut C, data: &InstData, from: Type) -> Result<(), CodegenError> {
    let supported = |cx: &C, ty: Type| class_of(ty) == RegClass::Float || int_bits(cx, ty) > 0;
    if !supported(cx, from) || !supported(cx, data.ty) {
        if from == Type::X86_F80 {
            return x87::convert(cx, data);
        }
        // What is folded compares vectors, whose mask may be wider than a register.
        let is_vector = vector::shape(cx.func().types(), from).is_some() || cx.is_folded(data.a);
        if from == Type::F128 || is_vector {
            vector::bitcast::bitcast(cx, data);
            return Ok(());
        }
        return Err(CodegenError::unsupported(
            Refusal::Instruction,
            "a bitcast of a type that is not compiled",
        ));
    }
    let to_float = class_of(data.ty) == RegClass::Float;
    if to_float == (class_of(from) == RegClass::Float) {
        super::copy(cx, data);
        return Ok(());
    }
    let bytes = float_bytes(if to_float { data.ty } else { from }).max(4);
    if bytes > C::WORD_BYTES {
        wide::move_bits(cx, data, to_float);
        return Ok(());
    }
    let src = cx.use_reg(data.a, 0);
    let dst = cx.def(result(data), 0);
    cx.emit(rr(if to_float { Op::MovdXR } else { Op::MovdRX }, bytes, dst, src));
    Ok(())
}

/// Lowers conversions from or to floating point.
pub fn float_cast<C: LowerCtx>(cx: &mut C, data: &InstData) -> Result<(), CodegenError> {
    let from = type_of(cx, data.a);
    if from == Type::X86_F80 {
        return x87::convert(cx, data);
    }
    match data.op {
        Opcode::Fpext | Opcode::Fptrunc => convert_float(cx, data, from),
        Opcode::Sitofp | Opcode::Uitofp => from_integer(cx, data, from),
        Opcode::FptosiSat | Opcode::FptouiSat => saturate(cx, data, from),
        Opcode::Lrint => to_nearest(cx, data, from),
        _ => to_integer(cx, data, from),
    }
}

fn unsupported_float<T>() -> Result<T, CodegenError> {
    Err(CodegenError::unsupported(
        Refusal::ExoticFloat,
        "a conversion of vectors or of a float type other than float and double",
    ))
}

fn convert_float<C: LowerCtx>(cx: &mut C, data: &InstData, from: Type) -> Result<(), CodegenError> {
    let is_half = matches!((from, data.ty), (Type::F16, Type::F32) | (Type::F32, Type::F16));
    if is_half && cx.view().features.has(features::F16C) {
        let src = cx.use_reg(data.a, 0);
        let dst = cx.def(result(data), 0);
        cx.emit(match data.ty {
            Type::F32 => rr(Op::Vcvtph2psRR, 4, dst, src),
            _ => rri(Op::Vcvtps2phRRI, 4, dst, src, vector::CURRENT_ROUNDING),
        });
        return Ok(());
    }
    let (op, size) = match (from, data.ty) {
        (Type::F32, Type::F64) => (Op::Cvtss2sdRR, 4),
        (Type::F64, Type::F32) => (Op::Cvtsd2ssRR, 8),
        _ => return unsupported_float(),
    };
    if data.ty == Type::F32 {
        // Not in place: a register for the result need not keep a whole double when it is stored.
        let src = cx.use_reg(data.a, 0);
        let dst = cx.def(result(data), 0);
        cx.emit(rr(op, size, dst, src));
        return Ok(());
    }
    // In place, so that the old contents of another register is not waited for.
    let src = cx.use_last(data.a, 0);
    let dst = cx.def_reuse(result(data), 0, src);
    cx.emit(rr(op, size, dst, dst));
    Ok(())
}

/// The row that converts an integer to a float of `bytes` bytes. Zeroing first keeps the conversion from waiting for
/// the destination's old contents.
fn emit_from_integer<C: LowerCtx>(cx: &mut C, bytes: u8, int_size: u8, dst: Reg, src: Reg) {
    cx.emit(r(Op::ZeroX, 16, dst));
    cx.emit(rr(
        if bytes == 4 { Op::Cvtsi2ssRR } else { Op::Cvtsi2sdRR },
        int_size,
        dst,
        src,
    ));
}

fn from_integer<C: LowerCtx>(cx: &mut C, data: &InstData, from: Type) -> Result<(), CodegenError> {
    let (bits, bytes) = (int_bits(cx, from), float_bytes(data.ty));
    let signed = data.op == Opcode::Sitofp;
    match (bits, bytes) {
        (0, _) | (_, 0) => return unsupported_float(),
        _ if bits > word_bits::<C>() => return wide::to_float(cx, data, from, bytes, signed),
        (32, _) if !signed && is_32_bit::<C>() => from_unsigned32(cx, data, bytes),
        (64, _) if signed => {
            let src = cx.use_reg(data.a, 0);
            let dst = cx.def(result(data), 0);
            emit_from_integer(cx, bytes, 8, dst, src);
        }
        (64, _) => from_unsigned64(cx, data, bytes),
        _ => {
            let size = if signed && bits <= 32 { 4 } else { C::WORD_BYTES };
            let src = if bits == 32 && signed {
                cx.use_reg(data.a, 0)
            } else {
                extended_copy(cx, data.a, bits, signed, size)
            };
            let dst = cx.def(result(data), 0);
            emit_from_integer(cx, bytes, size, dst, src);
        }
    }
    Ok(())
}

/// The number less 2^31 is converted as a signed one, to a double, which has room for it and for the sum with 2^31.
#[cold]
fn from_unsigned32<C: LowerCtx>(cx: &mut C, data: &InstData, bytes: u8) {
    let src = cx.use_copy(data.a, 0);
    let dst = cx.def(result(data), 0);
    let offset = float_constant(cx, 2_147_483_648.0, 8);
    cx.emit(ri(Op::XorRI, 4, src, i32::MIN));
    emit_from_integer(cx, 8, 4, dst, src);
    cx.emit(rm(Op::AddsRM, 8, dst, offset));
    if bytes == 4 {
        cx.emit(rr(Op::Cvtsd2ssRR, 8, dst, dst));
    }
}

/// A value with its top bit set is halved, the lost bit kept sticky for rounding, and doubled again.
fn from_unsigned64<C: LowerCtx>(cx: &mut C, data: &InstData, bytes: u8) {
    let src = cx.use_copy(data.a, 0);
    let odd = cx.temp(RegClass::Int);
    let dst = cx.def(result(data), 0);
    cx.begin_group(GroupKind::Plain);
    let (large, done) = (cx.local_label(), cx.local_label());
    cx.emit(rr(Op::TestRR, 8, src, src));
    cx.emit(jcc(Cond::S, large));
    emit_from_integer(cx, bytes, 8, dst, src);
    cx.emit(jmp(done));
    cx.bind(large);
    cx.emit(rr(Op::MovRR, 4, odd, src));
    cx.emit(ri(Op::AndRI, 4, odd, 1));
    cx.emit(ri(Op::ShrRI, 8, src, 1));
    cx.emit(rr(Op::OrRR, 8, src, odd));
    emit_from_integer(cx, bytes, 8, dst, src);
    cx.emit(rr(Op::AddsRR, bytes, dst, dst));
    cx.bind(done);
    cx.end_group();
}

pub(super) fn truncating_row(bytes: u8) -> Op {
    if bytes == 4 { Op::Cvttss2siRR } else { Op::Cvttsd2siRR }
}

fn to_integer<C: LowerCtx>(cx: &mut C, data: &InstData, from: Type) -> Result<(), CodegenError> {
    let (bits, bytes) = (int_bits(cx, data.ty), float_bytes(from));
    let signed = data.op == Opcode::Fptosi;
    match (bits, bytes) {
        (0, _) | (_, 0) => return unsupported_float(),
        _ if bits > word_bits::<C>() => return wide::from_float(cx, data, from, bytes, signed),
        _ if bits == word_bits::<C>() && !signed => to_unsigned(cx, data, bytes),
        _ => {
            let size = if bits < 32 || (bits == 32 && signed) {
                4
            } else {
                C::WORD_BYTES
            };
            let src = cx.use_reg(data.a, 0);
            let dst = cx.def(result(data), 0);
            cx.emit(rr(truncating_row(bytes), size, dst, src));
        }
    }
    Ok(())
}

/// To the nearest integer of the current rounding mode.
fn to_nearest<C: LowerCtx>(cx: &mut C, data: &InstData, from: Type) -> Result<(), CodegenError> {
    let row = match float_bytes(from) {
        4 => Op::Cvtss2siRR,
        8 => Op::Cvtsd2siRR,
        _ => return unsupported_float(),
    };
    let size = match int_bits(cx, data.ty) {
        1..=32 => 4,
        33..=64 if is_32_bit::<C>() => {
            x87::to_nearest(cx, data);
            return Ok(());
        }
        33..=64 => 8,
        _ => return unsupported_float(),
    };
    let src = cx.use_reg(data.a, 0);
    let dst = cx.def(result(data), 0);
    cx.emit(rr(row, size, dst, src));
    Ok(())
}

/// 2^63, in 32-bit code 2^31, as a float of `bytes` bytes, in memory.
pub(super) fn half_of_range<C: LowerCtx>(cx: &mut C, bytes: u8) -> Mem {
    let half = 1u64 << top_bit::<C>();
    float_constant(cx, half as f64, bytes)
}

/// Values of half the range and more are converted less that, and get their top bit back.
fn to_unsigned<C: LowerCtx>(cx: &mut C, data: &InstData, bytes: u8) {
    let src = cx.use_reg(data.a, 0);
    let reduced = cx.temp(RegClass::Float);
    let small = cx.temp(RegClass::Int);
    let is_large = cx.temp(RegClass::Int);
    let dst = cx.def(result(data), 0);
    let limit = half_of_range(cx, bytes);
    let word = C::WORD_BYTES;
    cx.emit(rr(Op::MovapRR, 4, reduced, src));
    cx.emit(rm(Op::SubsRM, bytes, reduced, limit));
    // The first conversion gives half the range when the value is too large, and only then is negative.
    cx.emit(rr(truncating_row(bytes), word, small, src));
    cx.emit(rr(truncating_row(bytes), word, dst, reduced));
    cx.emit(rr(Op::MovRR, word, is_large, small));
    cx.emit(ri(Op::SarRI, word, is_large, top_bit::<C>()));
    cx.emit(rr(Op::AndRR, word, dst, is_large));
    cx.emit(rr(Op::OrRR, word, dst, small));
}

/// Lowers the saturating conversions: NaN gives 0, values out of range the nearest one.
fn saturate<C: LowerCtx>(cx: &mut C, data: &InstData, from: Type) -> Result<(), CodegenError> {
    let (bits, bytes) = (int_bits(cx, data.ty), float_bytes(from));
    let signed = data.op == Opcode::FptosiSat;
    if bits == 0 || bytes == 0 {
        return unsupported_float();
    }
    if bits > word_bits::<C>() {
        wide::saturate(cx, data, bits, bytes, signed);
        return Ok(());
    }
    let (low, high) = integer_range(bits, signed);
    let src = cx.use_reg(data.a, 0);
    let dst = cx.def(result(data), 0);
    let bound = cx.temp(RegClass::Int);
    let reduced = cx.temp(RegClass::Float);
    // The largest float below `high + 1`, and `low`, both exact.
    let (low_float, above_float) = (
        float_constant(cx, low as f64, bytes),
        float_constant(cx, (high + 1) as f64, bytes),
    );
    let limit = half_of_range(cx, bytes);
    let word = C::WORD_BYTES;
    cx.begin_group(GroupKind::Plain);
    let (done, not_low, not_high) = (cx.local_label(), cx.local_label(), cx.local_label());
    cx.emit(mov_imm(word, dst, 0));
    cx.emit(rr(Op::UcomisRR, bytes, src, src));
    cx.emit(jcc(Cond::P, done));
    cx.emit(mov_imm(word, dst, low as i64));
    cx.emit(rm(Op::UcomisRM, bytes, src, low_float));
    cx.emit(jcc(Cond::A, not_low));
    cx.emit(jmp(done));
    cx.bind(not_low);
    cx.emit(mov_imm(word, dst, high as i64));
    cx.emit(rm(Op::UcomisRM, bytes, src, above_float));
    cx.emit(jcc(Cond::B, not_high));
    cx.emit(jmp(done));
    cx.bind(not_high);
    if bits == word_bits::<C>() && !signed {
        cx.emit(rr(truncating_row(bytes), word, dst, src));
        cx.emit(rm(Op::UcomisRM, bytes, src, limit));
        cx.emit(jcc(Cond::B, done));
        cx.emit(rr(Op::MovapRR, 4, reduced, src));
        cx.emit(rm(Op::SubsRM, bytes, reduced, limit));
        cx.emit(rr(truncating_row(bytes), word, dst, reduced));
        cx.emit(mov_imm(word, bound, i64::MIN >> (64 - word_bits::<C>())));
        cx.emit(rr(Op::XorRR, word, dst, bound));
    } else {
        cx.emit(rr(truncating_row(bytes), word, dst, src));
    }
    cx.bind(done);
    cx.end_group();
    Ok(())
}

/// Smallest and largest value of an integer type.
fn integer_range(bits: u32, signed: bool) -> (i128, i128) {
    if signed {
        (-(1 << (bits - 1)), (1 << (bits - 1)) - 1)
    } else {
        (0, (1 << bits) - 1)
    }
}

fn float_constant<C: LowerCtx>(cx: &mut C, value: f64, bytes: u8) -> Mem {
    match bytes {
        4 => constant_mem(cx, &(value as f32).to_le_bytes()),
        _ => constant_mem(cx, &value.to_le_bytes()),
    }
}

/// The runtime function that converts between a float of `bytes` bytes and an integer of 128 bits.
pub(crate) fn wide_conversion(op: Opcode, bytes: u8) -> RuntimeFunction {
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
