//! The lowering rules of x86: one file per kind of instruction, dispatched here.
//!
//! The rules are those of 64-bit and of 32-bit code. What differs follows from the width of a general register, which
//! the context has as a constant ([`LowerCtx::WORD_BYTES`]): integers that are wider are in two ([`wide`]).
//!
//! Integers of 32 bits and less are computed in 32-bit registers; bits above a value's width are undefined (contract
//! 1), and rules whose result depends on them extend first.

mod alu;
pub mod arith;
pub mod atomic;
pub mod bits;
pub mod call_support;
pub mod compare;
mod condition;
pub mod contracted;
pub mod convert;
pub mod divide;
mod divide_constant;
mod extreme;
pub mod float;
pub mod fold;
mod forward;
mod fused;
mod jump_buffer;
pub mod memory;
pub mod narrow;
pub mod overflow;
pub mod saturating;
pub mod shift;
pub mod spaces;
mod strict;
pub mod switch;
mod tls;
pub mod variadic;
pub mod vector;
pub mod wide;
pub mod x87;

use crate::build::*;
use crate::ops::op_size;
use crate::regs::{scratch_float_of, scratch_of};
use crate::table::Op;
use frazil_codegen::included::{RARE, VECTORS};
use frazil_codegen::{CodegenError, Halt, LowerCtx, Mem, Reg, RegClass, RelocationModel, VectorShape};
use frazil_ir::typing::is_reduction;
use frazil_ir::{EntityRef, Inst, InstData, Opcode, Operand, Refusal, Type, TypeData, Value};

/// Lowers one instruction.
#[inline]
pub fn lower<C: LowerCtx>(cx: &mut C, inst: Inst) -> Result<(), Halt> {
    let data = *cx.func().inst(inst);
    match data.op {
        Opcode::Copy | Opcode::Freeze => copy(cx, &data),
        Opcode::Select => compare::select(cx, &data)?,
        Opcode::Add | Opcode::Sub | Opcode::And | Opcode::Or | Opcode::Xor | Opcode::Mul => arith::binary(cx, &data),
        Opcode::Udiv | Opcode::Sdiv | Opcode::Urem | Opcode::Srem => divide::divide(cx, &data)?,
        Opcode::Shl | Opcode::Lshr | Opcode::Ashr => shift::shift(cx, &data),
        Opcode::Fshl | Opcode::Fshr => shift::funnel(cx, &data)?,
        Opcode::UaddOverflow
        | Opcode::SaddOverflow
        | Opcode::UsubOverflow
        | Opcode::SsubOverflow
        | Opcode::UmulOverflow
        | Opcode::SmulOverflow => overflow::with_overflow(cx, &data)?,
        Opcode::ByteDifferences => arith::byte_differences(cx, &data),
        Opcode::WordProducts => arith::word_products(cx, &data),
        Opcode::UaddCarry | Opcode::UsubBorrow if RARE => overflow::with_carry(cx, &data)?,
        Opcode::UmulHigh | Opcode::SmulHigh => overflow::multiply_high(cx, &data)?,
        Opcode::UaddSat | Opcode::SaddSat | Opcode::UsubSat | Opcode::SsubSat | Opcode::UshlSat | Opcode::SshlSat => {
            saturating::saturating(cx, &data)?
        }
        Opcode::Smin | Opcode::Smax | Opcode::Umin | Opcode::Umax => compare::min_max(cx, &data)?,
        Opcode::Scmp | Opcode::Ucmp => compare::three_way(cx, &data)?,
        Opcode::Abs => arith::abs(cx, &data),
        Opcode::Ctpop | Opcode::Ctlz | Opcode::Cttz | Opcode::Bswap | Opcode::Bitreverse => bits::bits(cx, &data)?,
        op if op.is_icmp() || op.is_fcmp() => compare::compare_to_value(cx, &data)?,
        Opcode::IsFpclass => float::is_fpclass(cx, &data)?,
        Opcode::Trunc | Opcode::Zext | Opcode::Sext | Opcode::Ptrtoint | Opcode::Inttoptr | Opcode::Bitcast => {
            convert::integer_cast(cx, &data)?
        }
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
        Opcode::Fence => memory::fence(cx, &data),
        Opcode::MemCopy | Opcode::MemMove | Opcode::MemSet => memory::block(cx, &data)?,
        Opcode::Prefetch => memory::prefetch(cx, &data),
        Opcode::TlsAddr => tls::address(cx, &data)?,
        op if RARE && op.is_strict() => strict::lower(cx, &data)?,
        op if VECTORS && is_reduction(op) => return vector::reduce::reduce(cx, &data),
        Opcode::SpaceLoad
        | Opcode::SpaceStore
        | Opcode::SpaceRmw
        | Opcode::SpaceCmpxchg
        | Opcode::SpaceCopy
        | Opcode::SpaceSet
        | Opcode::Addrspacecast => spaces::lower(cx, &data)?,
        _ => call_support::lower(cx, &data)?,
    }
    Ok(())
}

/// Lowers an instruction whose type is `x86_fp80`.
pub(crate) fn lower_extended<C: LowerCtx>(cx: &mut C, data: &InstData) -> Result<(), CodegenError> {
    match data.op {
        Opcode::Copy | Opcode::Freeze => copy(cx, data),
        Opcode::Select => return compare::select(cx, data),
        Opcode::Load => x87::load(cx, data),
        Opcode::Store => x87::store(cx, data),
        Opcode::Fadd => x87::binary(cx, data, Op::Faddp),
        Opcode::Fsub => x87::binary(cx, data, Op::Fsubp),
        Opcode::Fmul => x87::binary(cx, data, Op::Fmulp),
        Opcode::Fdiv => x87::binary(cx, data, Op::Fdivp),
        Opcode::Fmuladd => x87::multiply_add(cx, data),
        Opcode::Fsqrt => x87::square_root(cx, data),
        Opcode::Fneg => x87::with_mask(cx, data, Op::XorpRM, x87::SIGN),
        Opcode::Fabs => x87::with_mask(cx, data, Op::AndpRM, !x87::SIGN),
        Opcode::Fcopysign => return x87::copysign(cx, data),
        Opcode::Fpext => return x87::extend(cx, data),
        Opcode::Sitofp | Opcode::Uitofp => return x87::from_integer(cx, data),
        Opcode::Bitcast => return x87::from_bits(cx, data),
        Opcode::IsFpclass => x87::is_fpclass(cx, data),
        op if op.is_fcmp() => return compare::compare_to_value(cx, data),
        op if RARE && op.is_strict() => return strict::lower(cx, data),
        _ => return x87::by_call(cx, data),
    }
    Ok(())
}

/// Lowers an instruction whose type is `fp128`: what only passes on the sixteen bytes. Shared code does everything else
/// ([`frazil_codegen`]'s `floats`).
pub(crate) fn lower_quad<C: LowerCtx>(cx: &mut C, data: &InstData) -> Result<(), CodegenError> {
    let shape = VectorShape {
        element: Type::F128,
        lanes: 1,
        lane_bits: 128,
        is_mask: false,
    };
    match data.op {
        Opcode::Copy | Opcode::Freeze => copy(cx, data),
        Opcode::Select => return compare::select(cx, data),
        Opcode::Load => vector::memory::load(cx, data, shape),
        Opcode::Store => vector::memory::store(cx, data, shape),
        Opcode::Bitcast => vector::bitcast::bitcast(cx, data),
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

/// Width in bits of a general register.
#[inline]
pub(crate) const fn word_bits<C: LowerCtx>() -> u32 {
    C::WORD_BYTES as u32 * 8
}

/// The number of its highest bit.
#[inline]
pub(crate) const fn top_bit<C: LowerCtx>() -> i32 {
    C::WORD_BYTES as i32 * 8 - 1
}

/// The integer that fills it.
#[inline]
pub(crate) const fn word_type<C: LowerCtx>() -> Type {
    if is_32_bit::<C>() { Type::I32 } else { Type::I64 }
}

/// Whether the rules make 32-bit code.
#[inline]
pub(crate) const fn is_32_bit<C: LowerCtx>() -> bool {
    C::WORD_BYTES == 4
}

/// Whether addresses of the image are relative to the place of code by instructions of their own.
#[inline]
pub(crate) fn has_relative_addresses<C: LowerCtx>(cx: &C) -> bool {
    is_32_bit::<C>() && cx.view().relocation_model == RelocationModel::Pic
}

/// The address of bytes in the pool of constants, relative to the instruction where code may be placed anywhere.
pub(crate) fn constant_mem<C: LowerCtx>(cx: &mut C, bytes: &[u8]) -> Mem {
    let constant = cx.pool_constant(bytes);
    near(constant, 0, has_relative_addresses(cx))
}

/// The general register that is never allocated.
#[inline]
pub(crate) const fn scratch<C: LowerCtx>() -> Reg {
    scratch_of(C::WORD_BYTES)
}

/// The vector register that is never allocated.
#[inline]
pub(crate) const fn scratch_float<C: LowerCtx>() -> Reg {
    scratch_float_of(C::WORD_BYTES)
}

/// Width in bits of an integer or pointer type; 0 for others.
#[inline]
pub(crate) fn int_bits<C: LowerCtx>(cx: &C, ty: Type) -> u32 {
    if ty == Type::PTR {
        word_bits::<C>()
    } else {
        match cx.func().types().data(ty) {
            TypeData::Int(bits) => bits,
            TypeData::Ptr(space) => u32::from(spaces::pointer_bytes(space, C::WORD_BYTES)) * 8,
            _ => 0,
        }
    }
}

/// Whether the type is kept in two registers.
#[inline]
pub(crate) fn is_wide<C: LowerCtx>(cx: &C, ty: Type) -> bool {
    int_bits(cx, ty) > word_bits::<C>()
}

/// Bytes of a float type: 4 or 8; 0 for others.
#[inline]
pub(crate) fn float_bytes(ty: Type) -> u8 {
    match ty {
        Type::F32 => 4,
        Type::F64 => 8,
        _ => 0,
    }
}

/// Whether the type is a float of 16 bits, which rules only move.
#[inline]
pub(crate) fn is_narrow_float(ty: Type) -> bool {
    matches!(ty, Type::F16 | Type::BF16)
}

/// The class of a scalar type's registers.
#[inline]
pub(crate) fn class_of(ty: Type) -> RegClass {
    if float_bytes(ty) > 0 || is_narrow_float(ty) {
        RegClass::Float
    } else {
        RegClass::Int
    }
}

/// The type of an operand that must have one.
#[inline]
pub(crate) fn type_of<C: LowerCtx>(cx: &C, operand: Operand) -> Type {
    cx.func().operand_type(operand).unwrap_or(word_type::<C>())
}

/// The instruction that defines a folded operand.
pub(crate) fn folded<C: LowerCtx>(cx: &C, operand: Operand) -> Option<InstData> {
    if !cx.is_folded(operand) {
        return None;
    }
    let inst = cx.func().def_inst(operand.as_value()?)?;
    Some(*cx.func().inst(inst))
}

/// Operation size of an integer type's part.
#[inline]
pub(crate) fn size_of_bits(bits: u32) -> u8 {
    op_size(bits.div_ceil(8).min(8) as u8)
}

/// Copies a value.
fn copy<C: LowerCtx>(cx: &mut C, data: &InstData) {
    let parts = if is_wide(cx, data.ty) { 2 } else { 1 };
    for part in 0..parts {
        let src = cx.use_last(data.a, part);
        cx.def_reuse(result(data), part, src);
    }
}

/// Puts the low `bits` bits of `src` into `dst`, zero- or sign-extended to `size` bytes, 4 or 8 and at most a
/// register's. Writes flags when the width is no register's.
pub(crate) fn extend<C: LowerCtx>(cx: &mut C, dst: Reg, src: Reg, bits: u32, signed: bool, size: u8) {
    match (bits, signed) {
        (8, false) => cx.emit(rr(Op::MovzxBRR, 4, dst, src)),
        (16, false) => cx.emit(rr(Op::MovzxWRR, 4, dst, src)),
        (32, false) if size == 8 => cx.emit(rr(Op::MovzxLRR, 4, dst, src)),
        (8, true) => cx.emit(rr(Op::MovsxBRR, size, dst, src)),
        (16, true) => cx.emit(rr(Op::MovsxWRR, size, dst, src)),
        (32, true) if size == 8 => cx.emit(rr(Op::MovsxdRR, 8, dst, src)),
        (32 | 64.., _) => {
            if dst != src {
                cx.emit(rr(Op::MovRR, size, dst, src));
            }
        }
        (..=31, false) => {
            if dst != src {
                cx.emit(rr(Op::MovRR, 4, dst, src));
            }
            cx.emit(ri(Op::AndRI, 4, dst, i32::MAX >> (31 - bits)));
        }
        _ => extend_odd(cx, dst, src, bits, signed, size),
    }
}

/// Whether what an instruction computes flows into a phi that is this operand, perhaps through another one, where paths
/// meet: an instruction that overwrites the operand saves a move.
pub(crate) fn flows_into<C: LowerCtx>(cx: &C, data: &InstData, operand: Operand) -> bool {
    /// As many sources of a phi are looked at.
    const MOST_SOURCES: usize = 8;
    let function = cx.func();
    let sources = |operand: Operand| {
        let phi = function.inst(function.def_inst(operand.as_value()?)?);
        let list = (phi.op == Opcode::Phi).then(|| function.list(phi))?;
        Some(&list[..list.len().min(MOST_SOURCES)])
    };
    let made = Operand::value(result(data));
    let comes_by = |&source: &Operand| source == made || sources(source).is_some_and(|list| list.contains(&made));
    sources(operand).is_some_and(|list| list.iter().any(comes_by))
}

/// By shifting up and down.
fn extend_odd<C: LowerCtx>(cx: &mut C, dst: Reg, src: Reg, bits: u32, signed: bool, size: u8) {
    let distance = u32::from(size) * 8 - bits;
    if dst != src {
        cx.emit(rr(Op::MovRR, size, dst, src));
    }
    cx.emit(ri(Op::ShlRI, size, dst, distance.cast_signed()));
    cx.emit(ri(
        if signed { Op::SarRI } else { Op::ShrRI },
        size,
        dst,
        distance.cast_signed(),
    ));
}

/// An operand's only part in a register of the rule, extended to `size` bytes.
pub(crate) fn extended_copy<C: LowerCtx>(cx: &mut C, operand: Operand, bits: u32, signed: bool, size: u8) -> Reg {
    if let Some(imm) = operand.as_imm() {
        let temp = cx.temp(RegClass::Int);
        let value = if signed || bits >= 64 {
            imm
        } else {
            imm & (i64::MAX >> (63 - bits))
        };
        cx.emit(mov_imm(size, temp, value));
        return temp;
    }
    let temp = cx.use_copy(operand, 0);
    extend(cx, temp, temp, bits, signed, size);
    temp
}
