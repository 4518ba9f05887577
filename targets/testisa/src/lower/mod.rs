//! The lowering rules: one file per kind of instruction, dispatched here.
//!
//! Integers of up to 32 bits are computed in allocated registers. Operations on wider ones, and those that need more
//! bits than their operands have, copy the parts to rule registers and compute there (see [`wide`]), since the
//! operands of a 128-bit addition alone are more registers than can be allocated. Bits above a value's width are
//! undefined (contract 1); rules whose result depends on them extend first.

pub mod arith;
pub mod bits;
pub mod compare;
pub mod convert;
pub mod divide;
pub mod float;
pub mod fold;
pub mod frames;
pub mod memory;
pub mod overflow;
pub mod switch;
pub mod wide;

use crate::build::*;
use crate::ops::Op;
use crate::regs::ZERO;
use frazil_codegen::{Halt, LowerCtx, Reg, RegClass};
use frazil_ir::{EntityRef, Inst, InstData, Opcode as O, Operand, Type, TypeData, Value};

/// Lowers one instruction.
pub fn lower<C: LowerCtx>(cx: &mut C, inst: Inst) -> Result<(), Halt> {
    let mut data = *cx.func().inst(inst);
    // The machine has one floating-point environment, and nobody sees its exceptions.
    if let Some(plain) = data.op.is_strict().then(|| data.without_strictness()).flatten() {
        data = plain;
    }
    match data.op {
        O::Copy | O::Freeze => copy(cx, &data),
        O::Select => compare::select(cx, &data)?,
        O::Add | O::Sub | O::And | O::Or | O::Xor | O::Mul | O::Shl | O::Lshr | O::Ashr => arith::binary(cx, &data),
        O::Udiv | O::Sdiv | O::Urem | O::Srem => divide::divide(cx, &data)?,
        O::UaddOverflow | O::SaddOverflow | O::UsubOverflow | O::SsubOverflow | O::UmulOverflow | O::SmulOverflow => {
            overflow::with_overflow(cx, &data);
        }
        O::UaddCarry | O::UsubBorrow => overflow::with_overflow(cx, &data),
        O::UaddSat | O::SaddSat | O::UsubSat | O::SsubSat => overflow::saturating(cx, &data),
        O::ByteDifferences => arith::byte_differences(cx, &data),
        O::WordProducts => arith::word_products(cx, &data),
        O::UmulHigh | O::SmulHigh => overflow::multiply_high(cx, &data),
        O::UshlSat | O::SshlSat => overflow::saturating_shift(cx, &data),
        O::Smin | O::Smax | O::Umin | O::Umax => compare::min_max(cx, &data),
        O::Scmp | O::Ucmp => compare::three_way(cx, &data),
        O::Abs => compare::abs(cx, &data),
        O::Ctpop | O::Ctlz | O::Cttz | O::Bswap | O::Bitreverse => bits::bits(cx, &data),
        O::Fshl | O::Fshr => bits::funnel(cx, &data),
        O::IsFpclass => float::is_fpclass(cx, &data),
        O::Trunc | O::Zext | O::Sext | O::Ptrtoint | O::Inttoptr => convert::integer(cx, &data),
        O::Bitcast => convert::bitcast(cx, &data)?,
        O::Fptoui | O::Fptosi | O::FptouiSat | O::FptosiSat => convert::to_integer(cx, &data)?,
        O::Uitofp | O::Sitofp => convert::from_integer(cx, &data)?,
        O::Fptrunc | O::Fpext => convert::between_floats(cx, &data)?,
        O::PtrAdd | O::PtrIndex => arith::pointer(cx, &data),
        O::Load | O::AtomicLoad => memory::load(cx, &data)?,
        O::Store | O::AtomicStore => memory::store(cx, &data)?,
        O::Fence => cx.emit(none(Op::Fence)),
        O::MemCopy | O::MemMove | O::MemSet => memory::block(cx, &data)?,
        op if op.is_icmp() => compare::integer(cx, &data),
        op if op.is_fcmp() => compare::float(cx, &data),
        op if (O::Fadd as u8..=O::Fmuladd as u8).contains(&(op as u8)) => float::float(cx, &data)?,
        _ => frames::lower(cx, &data)?,
    }
    Ok(())
}

/// The first result.
pub(crate) fn result(data: &InstData) -> Value {
    Value::new(data.result as usize)
}

/// Width in bits of an integer or pointer type; 0 for others.
pub(crate) fn int_bits<C: LowerCtx>(cx: &C, ty: Type) -> u32 {
    match cx.func().types().data(ty) {
        TypeData::Int(bits) => bits,
        TypeData::Ptr(_) => 32,
        _ => 0,
    }
}

/// Registers that an integer of so many bits takes.
pub(crate) fn part_count(bits: u32) -> u8 {
    bits.div_ceil(32) as u8
}

/// Bytes of a float type: 4 or 8; 0 for others.
pub(crate) fn float_bytes(ty: Type) -> u8 {
    match ty {
        Type::F32 => 4,
        Type::F64 => 8,
        _ => 0,
    }
}

/// The type of an operand that must have one.
pub(crate) fn type_of<C: LowerCtx>(cx: &C, operand: Operand) -> Type {
    cx.func().operand_type(operand).unwrap_or(Type::I32)
}

/// A part of an integer operand in a register that must not be written; zero costs none.
pub(crate) fn int_part<C: LowerCtx>(cx: &mut C, operand: Operand, part: u8) -> Reg {
    match operand.as_imm() {
        Some(imm) if (if part == 0 { imm } else { imm >> 63 }) == 0 => ZERO,
        _ => cx.use_reg(operand, part),
    }
}

/// Copies a value part by part.
fn copy<C: LowerCtx>(cx: &mut C, data: &InstData) {
    if float_bytes(data.ty) > 0 {
        let src = cx.use_last(data.a, 0);
        cx.def_reuse(result(data), 0, src);
        return;
    }
    for part in 0..part_count(int_bits(cx, data.ty)) {
        let src = cx.use_last(data.a, part);
        cx.def_reuse(result(data), part, src);
        cx.step();
    }
}

/// Puts the low `bits` (up to 32) bits of `src` into `dst`, the rest cleared or sign-filled.
pub(crate) fn extend<C: LowerCtx>(cx: &mut C, dst: Reg, src: Reg, bits: u32, signed: bool) {
    let spare = 32_i32 - bits.cast_signed();
    if spare <= 0 {
        if dst != src {
            cx.emit(rr(Op::Mov, dst, src));
        }
    } else if bits <= 12 && !signed {
        cx.emit(rri(Op::Andi, dst, src, (1 << bits) - 1));
    } else {
        cx.emit(rri(Op::Slli, dst, src, spare));
        cx.emit(rri(if signed { Op::Srai } else { Op::Srli }, dst, dst, spare));
    }
}

/// An integer operand of up to 32 bits, extended to a register, which must not be written.
pub(crate) fn extended<C: LowerCtx>(cx: &mut C, operand: Operand, bits: u32, signed: bool) -> Reg {
    if let Some(imm) = operand.as_imm() {
        let value = if signed || bits >= 32 {
            imm
        } else {
            imm & ((1 << bits) - 1)
        };
        if value == 0 {
            return ZERO;
        }
        let temp = cx.temp(RegClass::Int);
        cx.emit(li(temp, value as i32));
        return temp;
    }
    if bits >= 32 {
        return cx.use_reg(operand, 0);
    }
    let temp = cx.use_copy(operand, 0);
    extend(cx, temp, temp, bits, signed);
    temp
}
