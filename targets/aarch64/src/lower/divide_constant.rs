//! Division by constants without a division: shifts for powers of two, multiplications for other divisors.
//!
//! The factors are shared code's ([`frazil_codegen::division`]).

use super::{extend, extended, result, size_of_bits};
use crate::build::*;
use crate::cond::Cond;
use crate::regs::XZR;
use crate::table::Op;
use frazil_codegen::division::{ConstantDivision, Reciprocal, WideReciprocal, inverse_of_odd};
use frazil_codegen::{LowerCtx, MInst, Reg, RegClass};
use frazil_ir::InstData;

/// Lowers a division of at most 64 bits by `divisor`, a value sign-extended from its width, unless that is zero; says
/// whether it did.
pub fn divide_by_constant<C: LowerCtx>(cx: &mut C, data: &InstData, bits: u32, divisor: i64) -> bool {
    let division = ConstantDivision::new(data, bits, divisor);
    match division.magnitude {
        0 => return false,
        1 => by_one(cx, data, division),
        power if power.is_power_of_two() => {
            let log2 = power.trailing_zeros();
            match (division.signed, division.wants_remainder) {
                (false, _) => unsigned_by_power(cx, data, division, log2),
                (true, false) => signed_by_power(cx, data, division, log2),
                (true, true) => signed_remainder_by_power(cx, data, division, log2),
            }
        }
        _ if division.is_exact => by_inverse(cx, data, division),
        _ => by_multiplication(cx, data, division),
    }
    true
}

fn by_one<C: LowerCtx>(cx: &mut C, data: &InstData, division: ConstantDivision) {
    let size = size_of_bits(division.bits);
    if division.wants_remainder {
        let dst = cx.def(result(data), 0);
        cx.emit(mov_imm(size, dst, 0));
        return;
    }
    // What is above a quotient is cleared as above other quotients.
    let value = extended(cx, data.a, division.bits, division.signed, size);
    let dst = cx.def(result(data), 0);
    let op = if division.is_negative { Op::Sub } else { Op::Orr };
    cx.emit(rrr(op, size, dst, XZR, value));
}

fn unsigned_by_power<C: LowerCtx>(cx: &mut C, data: &InstData, division: ConstantDivision, log2: u32) {
    let size = size_of_bits(division.bits);
    let value = cx.use_reg(data.a, 0);
    let dst = cx.def(result(data), 0);
    if division.wants_remainder {
        extend(cx, dst, value, log2, false, size);
    } else {
        cx.emit(shifted_field(dst, value, division, log2));
    }
}

/// Shifts a value to the right that need not be extended.
fn shifted_field(dst: Reg, value: Reg, division: ConstantDivision, amount: u32) -> MInst {
    let size = size_of_bits(division.bits);
    if division.bits == u32::from(size) * 8 {
        return shr(division.signed, size, dst, value, amount);
    }
    let op = if division.signed { Op::Sbfm } else { Op::Ubfm };
    bitfield(op, size, dst, value, amount, division.bits - 1)
}

/// Shifting rounds down; a negative value is moved up first, so that this is rounding to zero.
fn signed_by_power<C: LowerCtx>(cx: &mut C, data: &InstData, division: ConstantDivision, log2: u32) {
    let size = size_of_bits(division.bits);
    let width = u32::from(size) * 8;
    let value = extended(cx, data.a, division.bits, true, size);
    let moved = cx.temp(RegClass::Int);
    let dst = cx.def(result(data), 0);
    let from = if division.is_exact { value } else { moved };
    if !division.is_exact {
        // All ones are moved to the bits that are shifted out.
        let signs = if log2 == 1 { value } else { moved };
        if log2 > 1 {
            cx.emit(shr(true, size, moved, value, width - 1));
        }
        cx.emit(shifted(Op::Add, size, (moved, value, signs), Shift::Lsr, width - log2));
    }
    if division.is_negative {
        cx.emit(shifted(Op::Sub, size, (dst, XZR, from), Shift::Asr, log2));
    } else {
        cx.emit(shr(true, size, dst, from, log2));
    }
}

/// The low bits of the absolute value, with the value's sign.
fn signed_remainder_by_power<C: LowerCtx>(cx: &mut C, data: &InstData, division: ConstantDivision, log2: u32) {
    let size = size_of_bits(division.bits);
    let mask = division.magnitude - 1;
    let value = extended(cx, data.a, division.bits, true, size);
    let low = cx.temp(RegClass::Int);
    let negated = cx.temp(RegClass::Int);
    let dst = cx.def(result(data), 0);
    // The lowest bit is the same in both.
    let other = if log2 == 1 { low } else { negated };
    cx.emit(rrr(Op::Subs, size, negated, XZR, value));
    cx.emit(logical(Op::AndI, size, low, value, mask));
    if log2 > 1 {
        cx.emit(logical(Op::AndI, size, negated, negated, mask));
    }
    cx.emit(conditional(Op::Csneg, size, [dst, low, other], Cond::Mi));
}

/// What the divisor has of factors of two is shifted out, what is left is odd and has an inverse.
fn by_inverse<C: LowerCtx>(cx: &mut C, data: &InstData, division: ConstantDivision) {
    let size = size_of_bits(division.bits);
    let log2 = division.magnitude.trailing_zeros();
    let odd = inverse_of_odd(division.magnitude >> log2).cast_signed();
    let value = extended(cx, data.a, division.bits, division.signed, size);
    let inverse = cx.temp(RegClass::Int);
    let dst = cx.def(result(data), 0);
    cx.emit(mov_imm(
        size,
        inverse,
        if division.is_negative { odd.wrapping_neg() } else { odd },
    ));
    if log2 > 0 {
        cx.emit(shr(division.signed, size, dst, value, log2));
    }
    cx.emit(rrr(Op::Mul, size, dst, if log2 > 0 { dst } else { value }, inverse));
}

/// The registers of a division by multiplication.
#[derive(Clone, Copy)]
struct Registers {
    value: Reg,
    /// The factor, and whatever is needed after it.
    factor: Reg,
    quotient: Reg,
}

fn by_multiplication<C: LowerCtx>(cx: &mut C, data: &InstData, division: ConstantDivision) {
    let ConstantDivision {
        bits,
        signed,
        magnitude,
        ..
    } = division;
    let size = size_of_bits(bits);
    let plan = Plan::new(division);
    let value = extended(cx, data.a, bits, signed, plan.value_size);
    let factor = cx.temp(RegClass::Int);
    let (quotient, dst) = match division.wants_remainder {
        true => (cx.temp(RegClass::Int), cx.def_reuse(result(data), 0, value)),
        false => {
            let dst = cx.def(result(data), 0);
            (dst, dst)
        }
    };
    // A copy of it if the remainder is to be there.
    let value = if division.wants_remainder { dst } else { value };
    let registers = Registers {
        value,
        factor,
        quotient,
    };
    cx.emit(mov_imm(8, factor, plan.factor));
    cx.emit(rrr(plan.product, 8, quotient, value, factor));
    match (plan.adds_value, signed) {
        (false, _) => {}
        (true, true) => cx.emit(rrr(Op::Add, 8, quotient, quotient, value)),
        (true, false) => add_value(cx, registers, bits),
    }
    if plan.shift > 0 {
        cx.emit(shr(signed, 8, quotient, quotient, plan.shift));
    }
    if signed {
        // The shift rounded down, but a quotient is rounded to zero.
        let sign = u32::from(size) * 8 - 1;
        cx.emit(shifted(Op::Sub, size, (quotient, quotient, quotient), Shift::Asr, sign));
    }
    if division.wants_remainder {
        cx.emit(mov_imm(size, factor, magnitude.cast_signed()));
        cx.emit(rrr(Op::Msub, size, dst, quotient, factor));
    } else if division.is_negative {
        cx.emit(rrr(Op::Sub, size, dst, XZR, quotient));
    }
}

/// The multiplication.
struct Plan {
    /// To how many bytes the value is extended.
    value_size: u8,
    factor: i64,
    product: Op,
    /// Whether the value is added to the product's upper half.
    adds_value: bool,
    /// How far what there is then goes to the right.
    shift: u32,
}

impl Plan {
    fn new(division: ConstantDivision) -> Plan {
        let ConstantDivision {
            bits,
            signed,
            magnitude,
            ..
        } = division;
        if bits > 32 {
            let (reciprocal, product) = match signed {
                true => (WideReciprocal::signed(magnitude, 64), Op::Smulh),
                false => (WideReciprocal::unsigned(magnitude, 64), Op::Umulh),
            };
            return Plan {
                value_size: 8,
                factor: reciprocal.factor.cast_signed(),
                product,
                adds_value: reciprocal.adds_value,
                shift: reciprocal.shift,
            };
        }
        let narrow = if signed {
            Reciprocal::narrow(magnitude, bits)
        } else {
            None
        };
        let reciprocal = narrow.unwrap_or_else(|| Reciprocal::new(magnitude, bits, signed));
        let (value_size, product) = match (signed, narrow) {
            (true, Some(_)) => (4, Op::Smull),
            (true, None) => (8, Op::Mul),
            (false, _) => (if reciprocal.adds_value { 8 } else { 4 }, Op::Umull),
        };
        Plan {
            value_size,
            factor: i64::from(reciprocal.factor),
            product,
            adds_value: reciprocal.adds_value,
            shift: reciprocal.shift,
        }
    }
}

/// Adds an unsigned value to the upper half of the product: whose lower half is there, too, if they are narrow; else
/// their average is taken instead of the sum, which may not fit.
fn add_value<C: LowerCtx>(cx: &mut C, registers: Registers, bits: u32) {
    let Registers {
        value,
        factor,
        quotient,
    } = registers;
    if bits <= 32 {
        cx.emit(shifted(Op::Add, 8, (quotient, value, quotient), Shift::Lsr, 32));
        return;
    }
    cx.emit(rrr(Op::Sub, 8, factor, value, quotient));
    cx.emit(shifted(Op::Add, 8, (quotient, quotient, factor), Shift::Lsr, 1));
}
