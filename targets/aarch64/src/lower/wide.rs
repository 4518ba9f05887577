//! Integers of 65 to 128 bits in two registers, low part first.
//!
//! Chains through the carry flag rely on contract 2: whatever the context inserts between their instructions leaves the
//! flags alone. Rules whose result depends on bits above the width bring the high part to a register of their own and
//! extend it there before the chain begins. Shift counts are taken from the low part: larger ones give poison.

use super::condition::{finish_three_way, is_signed, swapped};
use super::{extend, folded, low_bits, result, use_int};
use crate::build::*;
use crate::cond::Cond;
use crate::regs::XZR;
use crate::table::Op;
use frazil_codegen::extended::{HighPart, high_part};
use frazil_codegen::{LowerCtx, Reg, RegClass};
use frazil_ir::{InstData, Opcode, Operand, Type};

/// A value in two registers.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Pair {
    pub low: Reg,
    pub high: Reg,
}

/// Both parts of an operand, which are only read.
pub(crate) fn use_pair<C: LowerCtx>(cx: &mut C, operand: Operand) -> Pair {
    Pair {
        low: use_int(cx, operand, 0),
        high: use_int(cx, operand, 1),
    }
}

/// The high part of an operand, extended to the register's width, in a register that is only read.
pub(crate) fn extended_high<C: LowerCtx>(cx: &mut C, operand: Operand, bits: u32, signed: bool) -> Reg {
    if let Some(imm) = operand.as_imm() {
        let value = imm >> 63;
        let value = if signed {
            value
        } else {
            low_bits(value.cast_unsigned(), bits - 64).cast_signed()
        };
        if value == 0 {
            return XZR;
        }
        let temp = cx.temp(RegClass::Int);
        cx.emit(mov_imm(8, temp, value));
        return temp;
    }
    let high = cx.use_reg(operand, 1);
    if bits == 128 {
        return high;
    }
    let temp = cx.temp(RegClass::Int);
    extend(cx, temp, high, bits - 64, signed, 8);
    temp
}

/// Both parts, the high one extended.
pub(crate) fn extended_pair<C: LowerCtx>(cx: &mut C, operand: Operand, bits: u32, signed: bool) -> Pair {
    let low = use_int(cx, operand, 0);
    Pair {
        low,
        high: extended_high(cx, operand, bits, signed),
    }
}

/// Two registers of the rule.
pub(crate) fn temporary_pair<C: LowerCtx>(cx: &mut C) -> Pair {
    Pair {
        low: cx.temp(RegClass::Int),
        high: cx.temp(RegClass::Int),
    }
}

/// The registers of the result.
pub(crate) fn result_pair<C: LowerCtx>(cx: &mut C, data: &InstData) -> Pair {
    Pair {
        low: cx.def(result(data), 0),
        high: cx.def(result(data), 1),
    }
}

/// The operations on the low and the high parts that make up one on both; the last ones also say by the flags whether
/// it overflowed.
pub(crate) fn chain(op: Opcode) -> (Op, Op, Op) {
    match op {
        Opcode::Add => (Op::Adds, Op::Adc, Op::Adcs),
        Opcode::Sub => (Op::Subs, Op::Sbc, Op::Sbcs),
        Opcode::And => (Op::And, Op::And, Op::And),
        Opcode::Or => (Op::Orr, Op::Orr, Op::Orr),
        _ => (Op::Eor, Op::Eor, Op::Eor),
    }
}

/// Negates a pair where `sign` is all ones, leaves it where `sign` is zero.
pub(crate) fn negate_by<C: LowerCtx>(cx: &mut C, dst: Pair, src: Pair, sign: Reg) {
    cx.emit(rrr(Op::Eor, 8, dst.low, src.low, sign));
    cx.emit(rrr(Op::Eor, 8, dst.high, src.high, sign));
    cx.emit(rrr(Op::Subs, 8, dst.low, dst.low, sign));
    cx.emit(rrr(Op::Sbc, 8, dst.high, dst.high, sign));
}

/// Lowers add, sub, and, or, xor, mul.
pub fn binary<C: LowerCtx>(cx: &mut C, data: &InstData) {
    if data.op == Opcode::Mul {
        return product(cx, data);
    }
    let a = use_pair_or_low(cx, data.a);
    let b = use_pair_or_low(cx, data.b);
    let (on_low, on_high, _) = chain(data.op);
    let dst = result_pair(cx, data);
    cx.emit(rrr(on_low, 8, dst.low, a.low, b.low));
    cx.emit(rrr(on_high, 8, dst.high, a.high, b.high));
}

/// Both parts of an operand; those of a folded extension are what was extended, and zero.
fn use_pair_or_low<C: LowerCtx>(cx: &mut C, operand: Operand) -> Pair {
    match folded(cx, operand) {
        Some(extension) => Pair {
            low: use_int(cx, extension.a, 0),
            high: XZR,
        },
        None => use_pair(cx, operand),
    }
}

fn product<C: LowerCtx>(cx: &mut C, data: &InstData) {
    let parts = [data.a, data.b].map(|factor| high_part(cx.func(), factor, Type::I64));
    if parts != [HighPart::Zero; 2] && parts != [HighPart::Sign; 2] {
        let [a, b] = [data.a, data.b].map(|factor| extended_factor(cx, factor));
        let sum = cx.temp(RegClass::Int);
        let mixed = cx.temp(RegClass::Int);
        let dst = result_pair(cx, data);
        return multiply(cx, dst, a, b, (sum, mixed));
    }
    let [a, b] = [data.a, data.b].map(|factor| {
        let low = folded(cx, factor).map_or(factor, |extension| extension.a);
        use_int(cx, low, 0)
    });
    let on_high = if parts[0] == HighPart::Zero {
        Op::Umulh
    } else {
        Op::Smulh
    };
    let dst = result_pair(cx, data);
    cx.emit(rrr(Op::Mul, 8, dst.low, a, b));
    cx.emit(rrr(on_high, 8, dst.high, a, b));
}

/// Both parts of a factor whose extension may be folded.
fn extended_factor<C: LowerCtx>(cx: &mut C, factor: Operand) -> Pair {
    let mut pair = use_pair_or_low(cx, factor);
    if cx.is_folded(factor) && high_part(cx.func(), factor, Type::I64) == HighPart::Sign {
        let high = cx.temp(RegClass::Int);
        cx.emit(shr(true, 8, high, pair.low, 63));
        pair.high = high;
    }
    pair
}

/// The full product of the low parts, plus the two mixed products in the high part. The registers of `dst` may be
/// those of the operands only where the allocator knows it.
pub(crate) fn multiply<C: LowerCtx>(cx: &mut C, dst: Pair, a: Pair, b: Pair, (sum, mixed): (Reg, Reg)) {
    cx.emit(rrr(Op::Umulh, 8, sum, a.low, b.low));
    let [mut other, mut last] = [(a.low, b.high), (a.high, b.low)];
    if other.1 == XZR {
        std::mem::swap(&mut other, &mut last);
    }
    cx.emit(rrr(Op::Mul, 8, mixed, other.0, other.1));
    if last.0 != XZR && last.1 != XZR {
        cx.emit(rrr(Op::Add, 8, sum, sum, mixed));
        cx.emit(rrr(Op::Mul, 8, mixed, last.0, last.1));
    }
    cx.emit(rrr(Op::Mul, 8, dst.low, a.low, b.low));
    cx.emit(rrr(Op::Add, 8, dst.high, sum, mixed));
}

/// Lowers `abs`.
pub fn abs<C: LowerCtx>(cx: &mut C, data: &InstData, bits: u32) {
    let value = extended_pair(cx, data.a, bits, true);
    let sign = cx.temp(RegClass::Int);
    let dst = result_pair(cx, data);
    cx.emit(shr(true, 8, sign, value.high, 63));
    negate_by(cx, dst, value, sign);
}

/// Sets the flags by a comparison and says which condition holds when it does.
pub(crate) fn compare<C: LowerCtx>(cx: &mut C, data: &InstData, bits: u32, cond: Cond) -> Cond {
    let (a, b, cond) = match cond {
        Cond::Gt | Cond::Le | Cond::Hi | Cond::Ls => (data.b, data.a, swapped(cond)),
        _ => (data.a, data.b, cond),
    };
    let left = extended_pair(cx, a, bits, is_signed(cond));
    let right = extended_pair(cx, b, bits, is_signed(cond));
    compare_pairs(cx, left, right, cond);
    cond
}

/// Sets the flags so that a condition of equality, of less, or of greater or equal can be asked for.
pub(crate) fn compare_pairs<C: LowerCtx>(cx: &mut C, a: Pair, b: Pair, cond: Cond) {
    cx.emit(rr(Op::Cmp, 8, a.low, b.low));
    if matches!(cond, Cond::Eq | Cond::Ne) {
        // Unequal unless the low parts are equal, too: no flags are set then.
        cx.emit(conditional(Op::Ccmp, 8, [a.high, b.high, Reg::NONE], Cond::Eq));
    } else {
        cx.emit(rrr(Op::Sbcs, 8, XZR, a.high, b.high));
    }
}

/// Lowers smin, smax, umin, umax: the first operand if it stands in the relation `cond` to the second.
pub fn min_max<C: LowerCtx>(cx: &mut C, data: &InstData, bits: u32, cond: Cond) {
    // Equal operands may give either, so that greater can be greater or equal.
    let cond = match cond {
        Cond::Gt => Cond::Ge,
        Cond::Hi => Cond::Hs,
        other => other,
    };
    let a = extended_pair(cx, data.a, bits, is_signed(cond));
    let b = extended_pair(cx, data.b, bits, is_signed(cond));
    compare_pairs(cx, a, b, cond);
    let dst = result_pair(cx, data);
    cx.emit(csel(8, dst.low, a.low, b.low, cond));
    cx.emit(csel(8, dst.high, a.high, b.high, cond));
}

/// Lowers `scmp` and `ucmp`: greater minus less.
pub fn three_way<C: LowerCtx>(cx: &mut C, data: &InstData, bits: u32, signed: bool) {
    let cond = if signed { Cond::Lt } else { Cond::Lo };
    let a = extended_pair(cx, data.a, bits, signed);
    let b = extended_pair(cx, data.b, bits, signed);
    let less = cx.temp(RegClass::Int);
    let greater = cx.temp(RegClass::Int);
    compare_pairs(cx, a, b, cond);
    cx.emit(cset(less, cond));
    compare_pairs(cx, b, a, cond);
    cx.emit(cset(greater, cond));
    let dst = cx.def(result(data), 0);
    cx.emit(rrr(Op::Sub, 8, dst, greater, less));
    finish_three_way(cx, data, dst);
}

/// Lowers shl, lshr, ashr.
pub fn shift<C: LowerCtx>(cx: &mut C, data: &InstData, bits: u32) {
    match data.b.as_imm() {
        // A count that is too large may give anything.
        Some(count) => shift_by_constant(cx, data, bits, (count & 127) as u32),
        None => shift_by_register(cx, data, bits),
    }
}

fn shift_by_constant<C: LowerCtx>(cx: &mut C, data: &InstData, bits: u32, count: u32) {
    let arithmetic = data.op == Opcode::Ashr;
    let within = count & 63;
    if data.op == Opcode::Shl {
        let low = use_int(cx, data.a, 0);
        if count >= 64 {
            let dst = result_pair(cx, data);
            cx.emit(shl(8, dst.high, low, within));
            cx.emit(mov_imm(8, dst.low, 0));
            return;
        }
        let high = use_int(cx, data.a, 1);
        let dst = result_pair(cx, data);
        move_up(cx, dst.high, high, low, within);
        cx.emit(shl(8, dst.low, low, within));
        return;
    }
    let high = extended_high(cx, data.a, bits, arithmetic);
    if count >= 64 {
        let dst = result_pair(cx, data);
        cx.emit(match within {
            0 => rr(Op::Mov, 8, dst.low, high),
            _ => shr(arithmetic, 8, dst.low, high, within),
        });
        if arithmetic {
            cx.emit(shr(true, 8, dst.high, high, 63));
        } else {
            cx.emit(mov_imm(8, dst.high, 0));
        }
        return;
    }
    let low = use_int(cx, data.a, 0);
    let dst = result_pair(cx, data);
    cx.emit(rrr(Op::Extr, 8, dst.low, high, low).with_imm(within.cast_signed()));
    cx.emit(shr(arithmetic, 8, dst.high, high, within));
}

/// `dst` becomes `upper` shifted left by less than 64, filled from `lower`.
fn move_up<C: LowerCtx>(cx: &mut C, dst: Reg, upper: Reg, lower: Reg, count: u32) {
    if count == 0 {
        cx.emit(rr(Op::Mov, 8, dst, upper));
    } else {
        cx.emit(rrr(Op::Extr, 8, dst, upper, lower).with_imm((64 - count).cast_signed()));
    }
}

fn shift_by_register<C: LowerCtx>(cx: &mut C, data: &InstData, bits: u32) {
    let count = cx.use_reg(data.b, 0);
    let low = use_int(cx, data.a, 0);
    let high = match data.op {
        Opcode::Shl => use_int(cx, data.a, 1),
        op => extended_high(cx, data.a, bits, op == Opcode::Ashr),
    };
    let spare = temporary_pair(cx);
    let dst = result_pair(cx, data);
    shift_pair(cx, data.op, (dst, Pair { low, high }), count, spare);
}

/// Shifts a pair by a count below 128. `dst` has registers of its own.
pub(crate) fn shift_pair<C: LowerCtx>(cx: &mut C, op: Opcode, (dst, src): (Pair, Pair), count: Reg, spare: Pair) {
    let (near, far) = match op {
        Opcode::Shl => (src.low, src.high),
        _ => (src.high, src.low),
    };
    let (near_dst, far_dst) = match op {
        Opcode::Shl => (dst.low, dst.high),
        _ => (dst.high, dst.low),
    };
    let single = match op {
        Opcode::Shl => Op::Lslv,
        Opcode::Lshr => Op::Lsrv,
        _ => Op::Asrv,
    };
    double_shift(cx, op == Opcode::Shl, (spare.low, far, near), count, spare.high);
    cx.emit(rrr(single, 8, spare.high, near, count));
    cx.emit(logical_test(count, 64));
    cx.emit(csel(8, far_dst, spare.high, spare.low, Cond::Ne));
    if op == Opcode::Ashr {
        cx.emit(shr(true, 8, spare.low, near, 63));
        cx.emit(csel(8, near_dst, spare.low, spare.high, Cond::Ne));
    } else {
        cx.emit(csel(8, near_dst, XZR, spare.high, Cond::Ne));
    }
}

fn logical_test(reg: Reg, mask: u64) -> frazil_codegen::MInst {
    with_wide(r(Op::TstI, 8, reg), mask)
}

/// `dst` becomes `into` shifted by the count modulo 64, filled from `from`. `spare` is overwritten; neither it nor
/// `dst` is an operand.
fn double_shift<C: LowerCtx>(cx: &mut C, left: bool, (dst, into, from): (Reg, Reg, Reg), count: Reg, spare: Reg) {
    let (shift, back) = if left {
        (Op::Lslv, Op::Lsrv)
    } else {
        (Op::Lsrv, Op::Lslv)
    };
    // By one, and by 63 less the count.
    cx.emit(rrr(Op::Orn, 8, spare, XZR, count));
    if left {
        cx.emit(shr(false, 8, dst, from, 1));
    } else {
        cx.emit(shl(8, dst, from, 1));
    }
    cx.emit(rrr(back, 8, dst, dst, spare));
    cx.emit(rrr(shift, 8, spare, into, count));
    cx.emit(rrr(Op::Orr, 8, dst, dst, spare));
}

/// Lowers fshl and fshr.
///
/// With the lower operand moved to the top of its registers, shifting the concatenation left by `n` and right by the
/// width less `n` are the same for every width; bits that come out above the width do not matter.
pub fn funnel<C: LowerCtx>(cx: &mut C, data: &InstData, bits: u32) {
    let (lower, count) = cx.func().ternary(data);
    let left = data.op == Opcode::Fshl;
    if let Some(count) = count.as_imm() {
        // An immediate is sign-extended; its value has `bits` bits.
        let value = i128::from(count).cast_unsigned() & (u128::MAX >> (128 - bits));
        let count = (value % u128::from(bits)) as u32;
        funnel_by_constant(cx, data, lower, bits, if left { count } else { bits - count });
        return;
    }
    if bits == 128 && !left {
        let count = cx.use_reg(count, 0);
        let (upper, lower) = (use_pair(cx, data.a), use_pair(cx, lower));
        shift_words(cx, data, [lower.low, lower.high, upper.low, upper.high], count, false);
        return;
    }
    let count = if bits == 128 {
        cx.use_reg(count, 0)
    } else {
        count_of(cx, count, bits, left)
    };
    let upper = use_pair(cx, data.a);
    let lower = left_justified(cx, lower, bits);
    shift_words(cx, data, [upper.high, upper.low, lower.high, lower.low], count, true);
}

/// Three of four words in the order of the shift, or those one further if bit 6 of the count is set, shifted by its
/// other bits.
fn shift_words<C: LowerCtx>(cx: &mut C, data: &InstData, words: [Reg; 4], count: Reg, left: bool) {
    let chosen = [0; 3].map(|_| cx.temp(RegClass::Int));
    let spare = cx.temp(RegClass::Int);
    let dst = result_pair(cx, data);
    cx.emit(logical_test(count, 64));
    for (index, &word) in chosen.iter().enumerate() {
        cx.emit(csel(8, word, words[index + 1], words[index], Cond::Ne));
    }
    let (first, second) = if left { (dst.high, dst.low) } else { (dst.low, dst.high) };
    double_shift(cx, left, (first, chosen[0], chosen[1]), count, spare);
    double_shift(cx, left, (second, chosen[1], chosen[2]), count, spare);
}

/// `up` is how far the upper operand goes left: 0 gives that operand, `bits` the lower one.
fn funnel_by_constant<C: LowerCtx>(cx: &mut C, data: &InstData, lower: Operand, bits: u32, up: u32) {
    if up == 0 || up == bits {
        let source = if up == 0 { data.a } else { lower };
        for part in 0..2 {
            let src = cx.use_last(source, part);
            cx.def_reuse(result(data), part, src);
        }
        return;
    }
    let upper = use_pair(cx, data.a);
    let justified = left_justified(cx, lower, bits);
    let [high, low, next] = if up >= 64 {
        [upper.low, justified.high, justified.low]
    } else {
        [upper.high, upper.low, justified.high]
    };
    let dst = result_pair(cx, data);
    move_up(cx, dst.high, high, low, up & 63);
    move_up(cx, dst.low, low, next, up & 63);
}

/// Both parts, moved up so that the value's top bit is the pair's.
pub(crate) fn left_justified<C: LowerCtx>(cx: &mut C, operand: Operand, bits: u32) -> Pair {
    let value = use_pair(cx, operand);
    if bits == 128 {
        return value;
    }
    let moved = temporary_pair(cx);
    move_up(cx, moved.high, value.high, value.low, 128 - bits);
    cx.emit(shl(8, moved.low, value.low, 128 - bits));
    moved
}

/// A count modulo a width that is no power of two, as the distance to the left: its upper part counts 2^64 modulo the
/// width.
fn count_of<C: LowerCtx>(cx: &mut C, count: Operand, bits: u32, left: bool) -> Reg {
    let value = extended_pair(cx, count, bits, false);
    let width = cx.temp(RegClass::Int);
    let [quotient, high, low] = [0; 3].map(|_| cx.temp(RegClass::Int));
    let remainder = |cx: &mut C, dst: Reg, src: Reg| {
        cx.emit(rrr(Op::Udiv, 8, quotient, src, width));
        cx.emit(rrr(Op::Mul, 8, quotient, quotient, width));
        cx.emit(rrr(Op::Sub, 8, dst, src, quotient));
    };
    cx.emit(mov_imm(8, width, bits.into()));
    remainder(cx, high, value.high);
    remainder(cx, low, value.low);
    let place = ((1u128 << 64) % u128::from(bits)) as i64;
    cx.emit(mov_imm(8, quotient, place));
    cx.emit(rrr(Op::Mul, 8, high, high, quotient));
    cx.emit(rrr(Op::Add, 8, low, low, high));
    remainder(cx, low, low);
    if !left {
        cx.emit(rrr(Op::Sub, 8, low, width, low));
    }
    low
}
