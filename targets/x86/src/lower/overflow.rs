//! Arithmetic that tells of overflow.
//!
//! Where the width is that of an instruction, its flags say whether the operation overflowed. Any other width is
//! computed on extended operands in a wider register: the operation overflowed when extending the result again changes
//! it. Sums and differences are taken in two halves, operands first and operation last, so that a rule can prepare what
//! it needs to saturate in between.

use super::alu::{IMM32, alu, apply};
use super::wide::{self, Pair, chain, extended_high, extended_high_src, extended_pair, negate_by, spread_sign};
use super::{extend, extended_copy, int_bits, result, second_result, size_of_bits, top_bit, word_bits};
use crate::build::*;
use crate::cond::Cond;
use crate::regs::{RAX, RDX};
use crate::table::Op;
use frazil_codegen::{CodegenError, ImmKind, LowerCtx, PRegSet, Reg, RegClass, Src};
use frazil_ir::{InstData, Opcode, Refusal};

/// An addition or subtraction: which, of what kind of numbers, and how wide.
#[derive(Clone, Copy)]
pub(crate) struct Sum {
    pub op: Opcode,
    pub signed: bool,
    pub bits: u32,
}

/// The operands of a sum of at most 64 bits. `left` belongs to the rule and becomes the result; with a width that no
/// instruction has, `check` is there to extend the result to.
#[derive(Clone, Copy)]
pub(crate) struct Narrow {
    pub size: u8,
    pub left: Reg,
    right: Src,
    check: Option<Reg>,
}

/// The same for more than 64 bits.
#[derive(Clone, Copy)]
pub(crate) struct Wide {
    pub left: Pair,
    right_low: Src,
    right_high: Src,
    check: Option<Reg>,
}

impl Sum {
    /// What one of the opcodes below computes, if it is a sum or difference.
    pub(crate) fn of(data: &InstData, bits: u32) -> Option<Sum> {
        let (op, signed) = match data.op {
            Opcode::UaddOverflow | Opcode::UaddSat => (Opcode::Add, false),
            Opcode::SaddOverflow | Opcode::SaddSat => (Opcode::Add, true),
            Opcode::UsubOverflow | Opcode::UsubSat => (Opcode::Sub, false),
            Opcode::SsubOverflow | Opcode::SsubSat => (Opcode::Sub, true),
            _ => return None,
        };
        Some(Sum { op, signed, bits })
    }

    /// What the flags say of an overflow of exactly the instruction's width.
    fn overflow(self) -> Cond {
        if self.signed { Cond::O } else { Cond::B }
    }

    pub(crate) fn operands<C: LowerCtx>(self, cx: &mut C, data: &InstData) -> Narrow {
        if matches!(self.bits, 8 | 16 | 32 | 64) {
            let (mut a, mut b) = (data.a, data.b);
            if self.op == Opcode::Add && (a.as_imm().is_some() || cx.is_folded(a)) {
                std::mem::swap(&mut a, &mut b);
            }
            let right = cx.use_src(b, 0, IMM32);
            let left = cx.use_copy(a, 0);
            return Narrow {
                size: (self.bits / 8) as u8,
                left,
                right,
                check: None,
            };
        }
        let size = size_of_bits(self.bits);
        let left = extended_copy(cx, data.a, self.bits, self.signed, size);
        let right = Src::Reg(extended_copy(cx, data.b, self.bits, self.signed, size));
        Narrow {
            size,
            left,
            right,
            check: Some(cx.temp(RegClass::Int)),
        }
    }

    /// Computes and says which condition holds on overflow.
    pub(crate) fn compute<C: LowerCtx>(self, cx: &mut C, operands: Narrow) -> Cond {
        let Narrow {
            size,
            left,
            right,
            check,
        } = operands;
        apply(cx, alu(self.op), size, left, right);
        let Some(check) = check else { return self.overflow() };
        extend(cx, check, left, self.bits, self.signed, size);
        cx.emit(rr(Op::CmpRR, size, check, left));
        Cond::Ne
    }

    pub(crate) fn wide_operands<C: LowerCtx>(self, cx: &mut C, data: &InstData) -> Wide {
        let right_low = cx.use_src(data.b, 0, IMM32);
        let right_high = extended_high_src(cx, data.b, self.bits, self.signed);
        let left = extended_pair(cx, data.a, self.bits, self.signed);
        let check = (self.bits < 2 * word_bits::<C>()).then(|| cx.temp(RegClass::Int));
        Wide {
            left,
            right_low,
            right_high,
            check,
        }
    }

    /// Computes and says which condition holds on overflow.
    pub(crate) fn compute_wide<C: LowerCtx>(self, cx: &mut C, operands: Wide) -> Cond {
        let Wide {
            left,
            right_low,
            right_high,
            check,
        } = operands;
        let (on_low, on_high) = chain(self.op);
        apply(cx, on_low, C::WORD_BYTES, left.low, right_low);
        apply(cx, on_high, C::WORD_BYTES, left.high, right_high);
        let Some(check) = check else { return self.overflow() };
        let high_bits = self.bits - word_bits::<C>();
        extend(cx, check, left.high, high_bits, self.signed, C::WORD_BYTES);
        cx.emit(rr(Op::CmpRR, C::WORD_BYTES, check, left.high));
        Cond::Ne
    }
}

/// The width of a scalar type.
pub(crate) fn checked_bits<C: LowerCtx>(cx: &C, data: &InstData) -> Result<u32, CodegenError> {
    match int_bits(cx, data.ty) {
        0 => Err(CodegenError::unsupported(
            Refusal::Vector,
            format!("{} of vectors", data.op.name()),
        )),
        bits => Ok(bits),
    }
}

/// The condition on the flags by which an operation of so many bits says that it overflowed, if its rule leaves it
/// there, where registers have `word_bits` bits.
pub(crate) fn condition_of_overflow(op: Opcode, bits: u32, word_bits: u32) -> Option<Cond> {
    match (op, bits) {
        _ if bits > word_bits => None,
        (Opcode::SaddOverflow | Opcode::SsubOverflow, 8 | 16 | 32 | 64) => Some(Cond::O),
        (Opcode::UaddOverflow | Opcode::UsubOverflow, 8 | 16 | 32 | 64) => Some(Cond::B),
        (Opcode::SmulOverflow | Opcode::UmulOverflow, 32 | 64) => Some(Cond::O),
        _ => None,
    }
}

/// Sets the register for an overflow bit, if it has one.
fn set_overflow<C: LowerCtx>(cx: &mut C, cond: Cond, overflows: Option<Reg>) {
    if let Some(overflows) = overflows {
        cx.emit(setcc(cond, overflows));
    }
}

/// Lowers the operations with an overflow bit as second result.
pub fn with_overflow<C: LowerCtx>(cx: &mut C, data: &InstData) -> Result<(), CodegenError> {
    let bits = checked_bits(cx, data)?;
    let Some(sum) = Sum::of(data, bits) else {
        let signed = data.op == Opcode::SmulOverflow;
        match bits {
            _ if bits > word_bits::<C>() => multiply_wide(cx, data, bits, signed),
            32..=64 if !signed => multiply_unsigned(cx, data, bits),
            _ => multiply(cx, data, bits, signed),
        }
        return Ok(());
    };
    if bits > word_bits::<C>() {
        let operands = sum.wide_operands(cx, data);
        let overflows = cx.def(second_result(data), 0);
        let cond = sum.compute_wide(cx, operands);
        cx.emit(setcc(cond, overflows));
        wide::define(cx, data, operands.left);
    } else {
        let operands = sum.operands(cx, data);
        let overflows = cx.def_overflow(second_result(data));
        let cond = sum.compute(cx, operands);
        set_overflow(cx, cond, overflows);
        cx.def_reuse(result(data), 0, operands.left);
    }
    Ok(())
}

/// Lowers sums of three, of which one is a carry, and differences. The carry may be any bit of which those above are
/// not known: it is tested into the flag.
pub fn with_carry<C: LowerCtx>(cx: &mut C, data: &InstData) -> Result<(), CodegenError> {
    let bits = checked_bits(cx, data)?;
    let (mut right, carry) = cx.func().ternary(data);
    let mut left = data.a;
    let plain = match data.op {
        Opcode::UaddCarry => Opcode::Add,
        _ => Opcode::Sub,
    };
    let (_, on_flag) = chain(plain);
    if plain == Opcode::Add && (left.as_imm().is_some() || cx.is_folded(left)) {
        std::mem::swap(&mut left, &mut right);
    }
    let right = cx.use_src(right, 0, IMM32);
    let carry = cx.use_reg(carry, 0);
    let left = cx.use_copy(left, 0);
    let wraps = cx.def(second_result(data), 0);
    cx.emit(ri(Op::BtRI, 4, carry, 0));
    apply(cx, on_flag, size_of_bits(bits), left, right);
    cx.emit(setcc(Cond::B, wraps));
    cx.def_reuse(result(data), 0, left);
    Ok(())
}

/// Whether a product of two numbers that are as wide as this can be too wide for the register that it is computed in,
/// although the numbers are not.
fn is_twofold<C: LowerCtx>(bits: u32) -> bool {
    let width = word_bits::<C>();
    bits < width && 2 * bits > width
}

/// Signed products, and unsigned ones that fit a register.
fn multiply<C: LowerCtx>(cx: &mut C, data: &InstData, bits: u32, signed: bool) {
    let exact = bits == 32 || bits == 64;
    let size = if bits <= 16 || bits == 32 { 4 } else { C::WORD_BYTES };
    let left = extended_copy(cx, data.a, bits, signed, size);
    let right = if exact {
        cx.use_reg(data.b, 0)
    } else {
        extended_copy(cx, data.b, bits, signed, size)
    };
    if exact {
        let overflows = cx.def_overflow(second_result(data));
        cx.emit(rr(Op::ImulRR, size, left, right));
        set_overflow(cx, Cond::O, overflows);
    } else {
        let check = cx.temp(RegClass::Int);
        let overflows = cx.def(second_result(data), 0);
        cx.emit(rr(Op::ImulRR, size, left, right));
        check_product(
            cx,
            Product {
                low: left,
                check,
                overflows,
                right,
            },
            bits,
            signed,
            size,
        );
    }
    cx.def_reuse(result(data), 0, left);
}

/// The registers of a product whose overflow is not, or not only, in the flags. `right` is free by then.
#[derive(Clone, Copy)]
struct Product {
    low: Reg,
    check: Reg,
    overflows: Reg,
    right: Reg,
}

fn check_product<C: LowerCtx>(cx: &mut C, product: Product, bits: u32, signed: bool, size: u8) {
    let Product {
        low,
        check,
        overflows,
        right,
    } = product;
    if is_twofold::<C>(bits) {
        cx.emit(setcc(Cond::O, right));
    }
    extend(cx, check, low, bits, signed, size);
    cx.emit(rr(Op::CmpRR, size, check, low));
    cx.emit(setcc(Cond::Ne, overflows));
    if is_twofold::<C>(bits) {
        cx.emit(rr(Op::OrRR, 1, overflows, right));
    }
}

/// Lowers the upper half of a product: where that fits a register, as a product of one register.
pub fn multiply_high<C: LowerCtx>(cx: &mut C, data: &InstData) -> Result<(), CodegenError> {
    let bits = checked_bits(cx, data)?;
    let signed = data.op == Opcode::SmulHigh;
    if 2 * bits <= word_bits::<C>() {
        let size = C::WORD_BYTES;
        let left = extended_copy(cx, data.a, bits, signed, size);
        let right = extended_copy(cx, data.b, bits, signed, size);
        cx.emit(rr(Op::ImulRR, size, left, right));
        cx.emit(ri(Op::ShrRI, size, left, bits.cast_signed()));
        cx.def_reuse(result(data), 0, left);
        return Ok(());
    }
    if bits != word_bits::<C>() {
        return Err(CodegenError::unsupported(
            Refusal::WideInteger,
            format!("{} of i{bits}", data.op.name()),
        ));
    }
    cx.use_fixed(data.a, 0, RAX);
    cx.claim(PRegSet::of(&[RDX]));
    let right = cx.use_reg(data.b, 0);
    let dst = cx.def(result(data), 0);
    cx.emit(r(if signed { Op::ImulR } else { Op::MulR }, C::WORD_BYTES, right));
    cx.emit(rr(Op::MovRR, C::WORD_BYTES, dst, RDX));
    Ok(())
}

/// Unsigned products of 32 to 64 bits.
fn multiply_unsigned<C: LowerCtx>(cx: &mut C, data: &InstData, bits: u32) {
    let size = size_of_bits(bits);
    cx.use_fixed(data.a, 0, RAX);
    cx.claim(PRegSet::of(&[RDX]));
    if !is_twofold::<C>(bits) {
        let right = cx.use_src(data.b, 0, ImmKind::None);
        let overflows = cx.def_overflow(second_result(data));
        cx.emit(match right {
            Src::Mem(mem) => m(Op::MulM, size, mem),
            Src::Reg(right) => r(Op::MulR, size, right),
            Src::Imm(_) => unreachable!("not asked for"),
        });
        set_overflow(cx, Cond::O, overflows);
    } else {
        let right = extended_copy(cx, data.b, bits, false, size);
        let overflows = cx.def(second_result(data), 0);
        extend(cx, RAX, RAX, bits, false, size);
        cx.emit(r(Op::MulR, size, right));
        check_product(
            cx,
            Product {
                low: RAX,
                check: RDX,
                overflows,
                right,
            },
            bits,
            false,
            size,
        );
    }
    cx.def_fixed(result(data), 0, RAX);
}

/// The registers of a multiplication of pairs. The left operand's high part is in `rax`, `rdx` is free.
#[derive(Clone, Copy)]
struct WideProduct {
    left_low: Reg,
    right: Pair,
    overflows: Reg,
    spare: Reg,
}

impl WideProduct {
    /// Adds a condition to the overflow bit.
    fn note<C: LowerCtx>(self, cx: &mut C, cond: Cond) {
        cx.emit(setcc(cond, self.spare));
        cx.emit(rr(Op::OrRR, 1, self.overflows, self.spare));
    }

    /// The unsigned product in `rdx:rax`. It overflows if both high parts count, or a mixed product is too large, or
    /// the sum of all in the high part.
    fn multiply<C: LowerCtx>(self, cx: &mut C) {
        let WideProduct {
            left_low,
            right,
            overflows,
            spare,
        } = self;
        cx.emit(rr(Op::TestRR, C::WORD_BYTES, RAX, RAX));
        cx.emit(setcc(Cond::Ne, overflows));
        cx.emit(rr(Op::TestRR, C::WORD_BYTES, right.high, right.high));
        cx.emit(setcc(Cond::Ne, spare));
        cx.emit(rr(Op::AndRR, 1, overflows, spare));
        cx.emit(r(Op::MulR, C::WORD_BYTES, right.low));
        self.note(cx, Cond::O);
        cx.emit(rr(Op::XchgRR, C::WORD_BYTES, RAX, right.high));
        cx.emit(r(Op::MulR, C::WORD_BYTES, left_low));
        self.note(cx, Cond::O);
        let mixed = right.high;
        cx.emit(rr(Op::AddRR, C::WORD_BYTES, mixed, RAX));
        cx.emit(rr(Op::MovRR, C::WORD_BYTES, RAX, left_low));
        cx.emit(r(Op::MulR, C::WORD_BYTES, right.low));
        cx.emit(rr(Op::AddRR, C::WORD_BYTES, RDX, mixed));
        self.note(cx, Cond::B);
    }

    /// Replaces both operands by their absolute values; `sign` becomes all ones if the product is to be negated.
    fn make_absolute<C: LowerCtx>(self, cx: &mut C, sign: Reg) {
        let left = Pair {
            low: self.left_low,
            high: RAX,
        };
        cx.emit(rr(Op::MovRR, C::WORD_BYTES, sign, left.high));
        cx.emit(rr(Op::XorRR, C::WORD_BYTES, sign, self.right.high));
        cx.emit(ri(Op::SarRI, C::WORD_BYTES, sign, top_bit::<C>()));
        for value in [left, self.right] {
            spread_sign(cx, self.spare, value.high);
            negate_by(cx, value, self.spare);
        }
    }

    /// Gives the product its sign. Unless it is zero, it must then have that sign.
    fn restore_sign<C: LowerCtx>(self, cx: &mut C, sign: Reg) {
        negate_by(cx, Pair { low: RAX, high: RDX }, sign);
        cx.emit(rr(Op::XorRR, C::WORD_BYTES, sign, RDX));
        cx.emit(ri(Op::ShrRI, C::WORD_BYTES, sign, top_bit::<C>()));
        cx.emit(rr(Op::MovRR, C::WORD_BYTES, self.spare, RAX));
        cx.emit(rr(Op::OrRR, C::WORD_BYTES, self.spare, RDX));
        cx.emit(setcc(Cond::Ne, self.spare));
        cx.emit(rr(Op::AndRR, 1, sign, self.spare));
        cx.emit(rr(Op::OrRR, 1, self.overflows, sign));
    }
}

fn multiply_wide<C: LowerCtx>(cx: &mut C, data: &InstData, bits: u32, signed: bool) {
    cx.use_fixed(data.a, 1, RAX);
    cx.claim(PRegSet::of(&[RDX]));
    let left_low = cx.use_copy(data.a, 0);
    let right_low = cx.use_copy(data.b, 0);
    let right_high = extended_high(cx, data.b, bits, signed);
    let spare = cx.temp(RegClass::Int);
    let sign = signed.then(|| cx.temp(RegClass::Int));
    let overflows = cx.def(second_result(data), 0);
    let product = WideProduct {
        left_low,
        right: Pair {
            low: right_low,
            high: right_high,
        },
        overflows,
        spare,
    };
    extend(cx, RAX, RAX, bits - word_bits::<C>(), signed, C::WORD_BYTES);
    if let Some(sign) = sign {
        product.make_absolute(cx, sign);
        product.multiply(cx);
        product.restore_sign(cx, sign);
    } else {
        product.multiply(cx);
    }
    if bits < 2 * word_bits::<C>() {
        extend(cx, spare, RDX, bits - word_bits::<C>(), signed, C::WORD_BYTES);
        cx.emit(rr(Op::CmpRR, C::WORD_BYTES, spare, RDX));
        product.note(cx, Cond::Ne);
    }
    cx.def_fixed(result(data), 0, RAX);
    cx.def_fixed(result(data), 1, RDX);
}
