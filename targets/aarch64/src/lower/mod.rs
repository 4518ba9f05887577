//! The lowering rules of AArch64: one file per kind of instruction, dispatched here.
//!
//! Integers of up to 32 bits are computed in the lower halves of registers, which clears the upper ones; bits above a
//! value's width are undefined (contract 1), and rules whose result depends on them extend first. Constants that an
//! instruction has no room for are in registers; zero is the zero register wherever number 31 means that.

pub mod arith;
pub mod atomic;
pub mod bits;
pub mod compare;
mod condition;
pub mod convert;
pub mod divide;
mod divide_constant;
pub mod float;
pub mod fold;
pub mod frames;
pub mod intrinsics;
pub mod memory;
pub mod narrow;
pub mod operand;
pub mod overflow;
pub mod saturating;
pub mod shift;
pub mod switch;
pub mod tls;
pub mod variadic;
pub mod vector;
pub mod wide;

use crate::build::*;
use crate::regs::{SCRATCH, XZR};
use crate::table::Op;
use frazil_codegen::included::VECTORS;
use frazil_codegen::{CodegenError, Halt, LowerCtx, Reg, RegClass};
use frazil_ir::typing::is_reduction;
use frazil_ir::{EntityRef, Inst, InstData, Opcode, Operand, Refusal, Type, TypeData, Value};

/// Lowers one instruction.
#[inline]
pub fn lower<C: LowerCtx>(cx: &mut C, inst: Inst) -> Result<(), Halt> {
    let mut data = *cx.func().inst(inst);
    if data.op.is_strict() {
        data = plain(&data)?;
    }
    match data.op {
        Opcode::Copy | Opcode::Freeze => copy(cx, &data),
        Opcode::Select => compare::select(cx, &data)?,
        Opcode::Add | Opcode::Sub | Opcode::And | Opcode::Or | Opcode::Xor | Opcode::Mul => arith::binary(cx, &data)?,
        Opcode::Udiv | Opcode::Sdiv | Opcode::Urem | Opcode::Srem => divide::divide(cx, &data)?,
        Opcode::Shl | Opcode::Lshr | Opcode::Ashr => shift::shift(cx, &data)?,
        Opcode::Fshl | Opcode::Fshr => shift::funnel(cx, &data)?,
        Opcode::UaddOverflow
        | Opcode::SaddOverflow
        | Opcode::UsubOverflow
        | Opcode::SsubOverflow
        | Opcode::UmulOverflow
        | Opcode::SmulOverflow => overflow::with_overflow(cx, &data)?,
        Opcode::UaddCarry | Opcode::UsubBorrow => overflow::with_carry(cx, &data)?,
        Opcode::UmulHigh | Opcode::SmulHigh => overflow::multiply_high(cx, &data)?,
        Opcode::UaddSat | Opcode::SaddSat | Opcode::UsubSat | Opcode::SsubSat => saturating::saturating(cx, &data)?,
        Opcode::UshlSat | Opcode::SshlSat => saturating::shift(cx, &data)?,
        Opcode::Smin | Opcode::Smax | Opcode::Umin | Opcode::Umax => compare::min_max(cx, &data)?,
        Opcode::Scmp | Opcode::Ucmp => compare::three_way(cx, &data)?,
        Opcode::Abs => arith::abs(cx, &data)?,
        Opcode::Ctpop | Opcode::Ctlz | Opcode::Cttz | Opcode::Bswap | Opcode::Bitreverse => bits::bits(cx, &data)?,
        op if op.is_icmp() || op.is_fcmp() => compare::compare_to_value(cx, &data)?,
        Opcode::IsFpclass => float::is_fpclass(cx, &data)?,
        Opcode::Trunc | Opcode::Zext | Opcode::Sext | Opcode::Ptrtoint | Opcode::Inttoptr => {
            convert::integer_cast(cx, &data)?;
        }
        Opcode::Bitcast if vector::bitcast::is_concerned(cx, &data) => vector::bitcast::bitcast(cx, &data),
        Opcode::Bitcast => convert::bitcast(cx, &data)?,
        Opcode::ByteDifferences => vector::arith::differences_of_bytes(cx, &data),
        Opcode::WordProducts => arith::word_products(cx, &data),
        op if VECTORS && is_reduction(op) => return vector::reduce::reduce(cx, &data),
        Opcode::Fptoui
        | Opcode::Fptosi
        | Opcode::FptouiSat
        | Opcode::FptosiSat
        | Opcode::Lrint
        | Opcode::Uitofp
        | Opcode::Sitofp
        | Opcode::Fptrunc
        | Opcode::Fpext => convert::float_cast(cx, &data)?,
        op if (Opcode::Fadd as u8..=Opcode::Fmuladd as u8).contains(&(op as u8)) => float::float(cx, &data)?,
        Opcode::PtrAdd | Opcode::PtrIndex => arith::pointer(cx, &data),
        Opcode::Load => memory::load(cx, &data)?,
        Opcode::Store => memory::store(cx, &data)?,
        Opcode::AtomicLoad | Opcode::AtomicStore | Opcode::AtomicRmw | Opcode::Cmpxchg => atomic::atomic(cx, &data)?,
        Opcode::Fence => atomic::fence(cx, &data),
        Opcode::MemCopy | Opcode::MemMove | Opcode::MemSet => memory::block(cx, &data)?,
        Opcode::Prefetch => memory::prefetch(cx, &data),
        Opcode::TlsAddr => tls::address(cx, &data)?,
        _ => frames::lower(cx, &data)?,
    }
    Ok(())
}

/// The plain operation of a strict one. Every rule of a plain operation on floats is one instruction that rounds as
/// the environment says and raises what the operation raises, or a library function that does; a comparison is told
/// whether it signals by its flags. What is not so, its rule refuses for [`InstData`] that are marked as strict.
fn plain(data: &InstData) -> Result<InstData, CodegenError> {
    let unsupported = || CodegenError::unsupported(Refusal::Instruction, data.op.name());
    let mut plain = data.without_strictness().ok_or_else(unsupported)?;
    if plain.op.is_fcmp() {
        plain.flags = data.flags & frazil_ir::StrictFlags::SIGNALING;
    }
    Ok(plain)
}

/// Lowers an instruction whose type is `fp128`: what only passes on the sixteen bytes. Shared code does everything else
/// ([`frazil_codegen`]'s `floats`). Vectors have no registers.
pub fn lower_quad<C: LowerCtx>(cx: &mut C, inst: Inst) -> Result<(), CodegenError> {
    let data = *cx.func().inst(inst);
    match data.op {
        _ if data.ty != Type::F128 => {
            return Err(frazil_codegen::abi::unsupported_type(cx.func().types(), data.ty));
        }
        Opcode::Copy | Opcode::Freeze => copy(cx, &data),
        Opcode::Select => return compare::select(cx, &data),
        Opcode::Load => return memory::load(cx, &data),
        Opcode::Store => return memory::store(cx, &data),
        Opcode::Bitcast => return convert::bitcast(cx, &data),
        op => {
            let what = format!("{} of type fp128", op.name());
            return Err(CodegenError::unsupported(Refusal::ExoticFloat, what));
        }
    }
    Ok(())
}

/// The first result.
#[inline]
pub(crate) fn result(data: &InstData) -> Value {
    Value::new(data.result as usize)
}

/// The result after the first.
#[inline]
pub(crate) fn second_result(data: &InstData) -> Value {
    Value::new(data.result as usize + 1)
}

/// Width in bits of an integer or pointer type; 0 for others.
#[inline]
pub(crate) fn int_bits<C: LowerCtx>(cx: &C, ty: Type) -> u32 {
    match cx.func().types().data(ty) {
        TypeData::Int(bits) => bits,
        TypeData::Ptr(0) => 64,
        _ => 0,
    }
}

/// The width of a type that must be an integer's or a pointer's.
pub(crate) fn checked_bits<C: LowerCtx>(cx: &C, data: &InstData, ty: Type) -> Result<u32, CodegenError> {
    match int_bits(cx, ty) {
        0 => Err(CodegenError::unsupported(
            Refusal::of_type(cx.func().types(), ty),
            format!("{} of another type than integers", data.op.name()),
        )),
        bits => Ok(bits),
    }
}

/// Bytes of a float type that instructions compute with: 4 or 8; 0 for others.
#[inline]
pub(crate) fn float_bytes(ty: Type) -> u8 {
    match ty {
        Type::F32 => 4,
        Type::F64 => 8,
        _ => 0,
    }
}

/// Bytes of any float type; 0 for others.
#[inline]
pub(crate) fn any_float_bytes(ty: Type) -> u8 {
    match ty {
        Type::F16 | Type::BF16 => 2,
        Type::F32 => 4,
        Type::F64 => 8,
        Type::F128 => 16,
        _ => 0,
    }
}

/// The type of an operand that must have one.
#[inline]
pub(crate) fn type_of<C: LowerCtx>(cx: &C, operand: Operand) -> Type {
    cx.func().operand_type(operand).unwrap_or(Type::I64)
}

/// The instruction that defines a folded operand.
pub(crate) fn folded<C: LowerCtx>(cx: &C, operand: Operand) -> Option<InstData> {
    if !cx.is_folded(operand) {
        return None;
    }
    let inst = cx.func().def_inst(operand.as_value()?)?;
    Some(*cx.func().inst(inst))
}

/// Operation size of an integer type of at most 64 bits, or of a part.
#[inline]
pub(crate) fn size_of_bits(bits: u32) -> u8 {
    if bits > 32 { 8 } else { 4 }
}

/// The low `bits` bits, at most 64.
#[inline]
pub(crate) fn low_bits(value: u64, bits: u32) -> u64 {
    if bits >= 64 { value } else { value & !(u64::MAX << bits) }
}

/// A part of an integer operand in a register that is only read, where number 31 means the zero register.
#[inline]
pub(crate) fn use_int<C: LowerCtx>(cx: &mut C, operand: Operand, part: u8) -> Reg {
    match operand.as_imm() {
        Some(0) => XZR,
        Some(1..) if part > 0 => XZR,
        _ => cx.use_reg(operand, part),
    }
}

/// Copies a value.
fn copy<C: LowerCtx>(cx: &mut C, data: &InstData) {
    let parts = if int_bits(cx, data.ty) > 64 { 2 } else { 1 };
    for part in 0..parts {
        let src = cx.use_last(data.a, part);
        cx.def_reuse(result(data), part, src);
    }
}

/// Puts the low `bits` bits of `src` into `dst`, zero- or sign-extended to `size` (4 or 8) bytes.
pub(crate) fn extend<C: LowerCtx>(cx: &mut C, dst: Reg, src: Reg, bits: u32, signed: bool, size: u8) {
    let op = match (bits, signed) {
        _ if bits >= u32::from(size) * 8 => {
            if dst != src {
                cx.emit(rr(Op::Mov, 8, dst, src));
            }
            return;
        }
        (8, true) => Op::Sxtb,
        (16, true) => Op::Sxth,
        (32, true) => Op::Sxtw,
        (8, false) => Op::Uxtb,
        (16, false) => Op::Uxth,
        (32, false) => Op::Uxtw,
        _ => {
            let op = if signed { Op::Sbfm } else { Op::Ubfm };
            cx.emit(bitfield(op, size, dst, src, 0, bits - 1));
            return;
        }
    };
    cx.emit(rr(op, size, dst, src));
}

/// An operand of at most 64 bits extended to `size` bytes, in a register that is only read.
pub(crate) fn extended<C: LowerCtx>(cx: &mut C, operand: Operand, bits: u32, signed: bool, size: u8) -> Reg {
    if let Some(imm) = operand.as_imm() {
        let value = if signed {
            imm
        } else {
            low_bits(imm.cast_unsigned(), bits).cast_signed()
        };
        if value == 0 {
            return XZR;
        }
        let temp = cx.temp(RegClass::Int);
        cx.emit(mov_imm(size, temp, value));
        return temp;
    }
    let is_extended = !signed && clears_above(cx, operand);
    let src = cx.use_reg(operand, 0);
    if bits >= u32::from(size) * 8 || is_extended {
        return src;
    }
    let temp = cx.temp(RegClass::Int);
    extend(cx, temp, src, bits, signed, size);
    temp
}

/// Whether there are zeros above an operand of at most 32 bits in its register.
pub(crate) fn clears_above<C: LowerCtx>(cx: &C, operand: Operand) -> bool {
    narrow::clears_above(cx.func(), operand, &|operand| cx.is_folded(operand))
}

/// The instruction that adds a constant, and its immediate, if one does.
pub(crate) fn sum(value: i64, size: u8) -> Option<(Op, i32)> {
    let value = if size == 8 { value } else { i64::from(value as i32) };
    let magnitude = value.unsigned_abs();
    let op = if value < 0 { Op::SubI } else { Op::AddI };
    crate::immediates::is_sum(magnitude).then_some((op, magnitude as i32))
}

/// Compares a register with a constant of its width, in one instruction or by the scratch register.
pub(crate) fn compare_constant<C: LowerCtx>(cx: &mut C, size: u8, reg: Reg, value: i64) {
    match sum(value, size) {
        // Where instructions with an immediate have a register, its number would be the stack pointer's.
        _ if reg == XZR => {
            cx.emit(mov_imm(size, SCRATCH, value));
            cx.emit(rr(Op::Cmp, size, XZR, SCRATCH));
        }
        Some((Op::AddI, imm)) => cx.emit(ri(Op::CmpI, size, reg, imm)),
        Some((_, imm)) => cx.emit(ri(Op::CmnI, size, reg, imm)),
        None => {
            cx.emit(mov_imm(size, SCRATCH, value));
            cx.emit(rr(Op::Cmp, size, reg, SCRATCH));
        }
    }
}
