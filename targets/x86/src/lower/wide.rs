//! Integers in two registers, low part first: of 65 to 128 bits, in 32-bit code of 33 to 64.
//!
//! Chains through the carry flag rely on contract 2: whatever the context inserts between their instructions leaves the
//! flags alone. Rules whose result depends on bits above the width bring the high part to a register of their own and
//! extend it there before the chain begins. Shift counts are taken from the low part: larger ones give poison.

use super::alu::{Alu, IMM32, alu, apply};
use super::condition::{COMPARE, Test, finish_three_way};
use super::{extend, folded, is_32_bit, result, scratch, top_bit, word_bits, word_type};
use crate::build::*;
use crate::cond::Cond;
use crate::regs::{RAX, RCX, RDX};
use crate::table::Op;
use frazil_codegen::extended::{HighPart, high_part};
use frazil_codegen::{CodegenError, GroupKind, LowerCtx, PRegSet, Reg, RegClass, Src};
use frazil_ir::{InstData, Opcode, Operand};

const ADD_WITH_CARRY: Alu = Alu {
    rr: Op::AdcRR,
    rm: Op::AdcRM,
    ri: Op::AdcRI,
};
const SUBTRACT_WITH_BORROW: Alu = Alu {
    rr: Op::SbbRR,
    rm: Op::SbbRM,
    ri: Op::SbbRI,
};

/// A value in two registers.
#[derive(Clone, Copy)]
pub(crate) struct Pair {
    pub low: Reg,
    pub high: Reg,
}

/// The high part of an operand in a register of the rule, extended to the register's width.
pub(crate) fn extended_high<C: LowerCtx>(cx: &mut C, operand: Operand, bits: u32, signed: bool) -> Reg {
    let high = cx.use_copy(operand, 1);
    extend(cx, high, high, bits - word_bits::<C>(), signed, C::WORD_BYTES);
    high
}

/// Both parts in registers of the rule, extended.
pub(crate) fn extended_pair<C: LowerCtx>(cx: &mut C, operand: Operand, bits: u32, signed: bool) -> Pair {
    let low = cx.use_copy(operand, 0);
    Pair {
        low,
        high: extended_high(cx, operand, bits, signed),
    }
}

/// The high part, extended, where an instruction only reads it.
pub(crate) fn extended_high_src<C: LowerCtx>(cx: &mut C, operand: Operand, bits: u32, signed: bool) -> Src {
    if bits == 2 * word_bits::<C>() {
        cx.use_src(operand, 1, IMM32)
    } else {
        Src::Reg(extended_high(cx, operand, bits, signed))
    }
}

/// The result is in these two registers of the rule.
pub(crate) fn define<C: LowerCtx>(cx: &mut C, data: &InstData, value: Pair) {
    cx.def_reuse(result(data), 0, value.low);
    cx.def_reuse(result(data), 1, value.high);
}

/// The operations on the low and the high parts that make up one on both.
pub(crate) fn chain(op: Opcode) -> (Alu, Alu) {
    let low = alu(op);
    match op {
        Opcode::Add => (low, ADD_WITH_CARRY),
        Opcode::Sub => (low, SUBTRACT_WITH_BORROW),
        _ => (low, low),
    }
}

/// Negates a pair where `sign` is all ones, leaves it where `sign` is zero.
pub(crate) fn negate_by<C: LowerCtx>(cx: &mut C, value: Pair, sign: Reg) {
    cx.emit(rr(Op::XorRR, C::WORD_BYTES, value.low, sign));
    cx.emit(rr(Op::XorRR, C::WORD_BYTES, value.high, sign));
    cx.emit(rr(Op::SubRR, C::WORD_BYTES, value.low, sign));
    cx.emit(rr(Op::SbbRR, C::WORD_BYTES, value.high, sign));
}

/// `dst` becomes all ones if `src` is negative, else zero.
pub(crate) fn spread_sign<C: LowerCtx>(cx: &mut C, dst: Reg, src: Reg) {
    cx.emit(rr(Op::MovRR, C::WORD_BYTES, dst, src));
    cx.emit(ri(Op::SarRI, C::WORD_BYTES, dst, top_bit::<C>()));
}

/// Lowers add, sub, and, or, xor, mul.
pub fn binary<C: LowerCtx>(cx: &mut C, data: &InstData) {
    if data.op == Opcode::Mul {
        multiply(cx, data);
        return;
    }
    let (mut a, mut b) = (data.a, data.b);
    if data.op != Opcode::Sub && (cx.is_folded(a) || a.as_imm().is_some() && !cx.is_folded(b)) {
        std::mem::swap(&mut a, &mut b);
    }
    let (on_low, on_high) = chain(data.op);
    if is_32_bit::<C>() {
        return by_parts(cx, data, [a, b], [on_low, on_high]);
    }
    let (right_low, right_high) = match folded(cx, b) {
        Some(extension) => (cx.use_src(extension.a, 0, IMM32), Src::Imm(0)),
        None => (cx.use_src(b, 0, IMM32), cx.use_src(b, 1, IMM32)),
    };
    let left_low = cx.use_last(a, 0);
    let left_high = cx.use_last(a, 1);
    let low = cx.def_reuse(result(data), 0, left_low);
    let high = cx.def_reuse(result(data), 1, left_high);
    apply(cx, on_low, C::WORD_BYTES, low, right_low);
    apply(cx, on_high, C::WORD_BYTES, high, right_high);
}

/// The same where there are not registers for all parts at once. What a context inserts between two steps leaves the
/// carry as it is (contract 2).
fn by_parts<C: LowerCtx>(cx: &mut C, data: &InstData, [a, b]: [Operand; 2], rows: [Alu; 2]) {
    let extension = folded(cx, b);
    for (part, row) in (0..).zip(rows) {
        let right = match (extension, part) {
            (Some(extension), 0) => cx.use_src(extension.a, 0, IMM32),
            (Some(_), _) => Src::Imm(0),
            (None, _) => cx.use_src(b, part, IMM32),
        };
        let left = cx.use_last(a, part);
        let dst = cx.def_reuse(result(data), part, left);
        apply(cx, row, C::WORD_BYTES, dst, right);
        cx.step();
    }
}

/// The full product of the low parts, plus the two mixed products in the high part; those with a zero are left out, and
/// a signed product has all three.
fn multiply<C: LowerCtx>(cx: &mut C, data: &InstData) {
    let parts = [data.a, data.b].map(|factor| high_part(cx.func(), factor, word_type::<C>()));
    let [left, right] = [data.a, data.b].map(|factor| folded(cx, factor).map_or(factor, |extension| extension.a));
    cx.use_fixed(left, 0, RAX);
    cx.claim(PRegSet::of(&[RDX]));
    let right_low = cx.use_reg(right, 0);
    if parts == [HighPart::Sign; 2] {
        cx.emit(r(Op::ImulR, C::WORD_BYTES, right_low));
    } else {
        let right_high = (parts[1] != HighPart::Zero).then(|| high_copy(cx, data.b, right_low));
        let left_high = (parts[0] != HighPart::Zero).then(|| high_copy(cx, data.a, RAX));
        for (high, low) in [(right_high, RAX), (left_high, right_low)] {
            high.iter()
                .for_each(|&high| cx.emit(rr(Op::ImulRR, C::WORD_BYTES, high, low)));
        }
        cx.emit(r(Op::MulR, C::WORD_BYTES, right_low));
        for high in [right_high, left_high].into_iter().flatten() {
            cx.emit(rr(Op::AddRR, C::WORD_BYTES, RDX, high));
        }
    }
    cx.def_fixed(result(data), 0, RAX);
    cx.def_fixed(result(data), 1, RDX);
}

/// The high part of a factor whose low part is in a register, in a register of the rule.
fn high_copy<C: LowerCtx>(cx: &mut C, factor: Operand, low: Reg) -> Reg {
    if !cx.is_folded(factor) {
        return cx.use_copy(factor, 1);
    }
    let high = cx.temp(RegClass::Int);
    spread_sign(cx, high, low);
    high
}

/// Lowers `abs`.
pub fn abs<C: LowerCtx>(cx: &mut C, data: &InstData, bits: u32) {
    let value = extended_pair(cx, data.a, bits, true);
    let sign = cx.temp(RegClass::Int);
    spread_sign(cx, sign, value.high);
    negate_by(cx, value, sign);
    define(cx, data, value);
}

/// Sets the flags by a comparison and says which condition holds when it does.
pub(crate) fn compare<C: LowerCtx>(cx: &mut C, data: &InstData, bits: u32, cond: Cond) -> Test {
    match cond {
        Cond::E | Cond::Ne => {
            compare_equal(cx, data, bits);
            Test::one(cond)
        }
        Cond::G | Cond::Le | Cond::A | Cond::Be => {
            let cond = cond.swap();
            compare_order(cx, data.b, data.a, bits, is_signed(cond));
            Test::one(cond)
        }
        _ => {
            compare_order(cx, data.a, data.b, bits, is_signed(cond));
            Test::one(cond)
        }
    }
}

fn is_signed(cond: Cond) -> bool {
    matches!(cond, Cond::L | Cond::Ge)
}

fn compare_equal<C: LowerCtx>(cx: &mut C, data: &InstData, bits: u32) {
    let (a, b) = if data.a.as_imm().is_some() {
        (data.b, data.a)
    } else {
        (data.a, data.b)
    };
    let right_low = cx.use_src(b, 0, IMM32);
    let right_high = cx.use_src(b, 1, IMM32);
    let low = cx.use_copy(a, 0);
    let high = cx.use_copy(a, 1);
    for (left, right) in [(low, right_low), (high, right_high)] {
        if right != Src::Imm(0) {
            apply(cx, alu(Opcode::Xor), C::WORD_BYTES, left, right);
        }
    }
    if bits < 2 * word_bits::<C>() {
        cx.emit(ri(
            Op::ShlRI,
            C::WORD_BYTES,
            high,
            (2 * word_bits::<C>() - bits).cast_signed(),
        ));
    }
    cx.emit(rr(Op::OrRR, C::WORD_BYTES, low, high));
}

/// Subtracts for the flags; afterwards only less, and greater or equal, can be asked for.
fn compare_order<C: LowerCtx>(cx: &mut C, a: Operand, b: Operand, bits: u32, signed: bool) {
    let right_low = cx.use_src(b, 0, IMM32);
    let right_high = extended_high_src(cx, b, bits, signed);
    let left_low = cx.use_reg(a, 0);
    let left_high = extended_high(cx, a, bits, signed);
    apply(cx, COMPARE, C::WORD_BYTES, left_low, right_low);
    apply(cx, SUBTRACT_WITH_BORROW, C::WORD_BYTES, left_high, right_high);
}

/// The same on pairs; `scratch` is overwritten.
fn compare_pairs<C: LowerCtx>(cx: &mut C, a: Pair, b: Pair, scratch: Reg) {
    cx.emit(rr(Op::MovRR, C::WORD_BYTES, scratch, a.high));
    cx.emit(rr(Op::CmpRR, C::WORD_BYTES, a.low, b.low));
    cx.emit(rr(Op::SbbRR, C::WORD_BYTES, scratch, b.high));
}

/// Lowers smin, smax, umin, umax: the first operand if it stands in the relation `cond` to the second.
pub fn min_max<C: LowerCtx>(cx: &mut C, data: &InstData, bits: u32, cond: Cond) {
    // Equal operands may give either, so that greater can be greater or equal.
    let cond = match cond {
        Cond::G => Cond::Ge,
        Cond::A => Cond::Ae,
        other => other,
    };
    let a = extended_pair(cx, data.a, bits, is_signed(cond));
    let b = extended_pair(cx, data.b, bits, is_signed(cond));
    let scratch = cx.temp(RegClass::Int);
    compare_pairs(cx, a, b, scratch);
    cx.emit(cmov(cond, C::WORD_BYTES, b.low, a.low));
    cx.emit(cmov(cond, C::WORD_BYTES, b.high, a.high));
    define(cx, data, b);
}

/// Lowers `scmp` and `ucmp`: greater minus less.
pub fn three_way<C: LowerCtx>(cx: &mut C, data: &InstData, bits: u32, signed: bool) -> Result<(), CodegenError> {
    let cond = if signed { Cond::L } else { Cond::B };
    let a = extended_pair(cx, data.a, bits, signed);
    let b = extended_pair(cx, data.b, bits, signed);
    // 32-bit code has no register left: nothing is inserted into a group, so that the scratch register can serve.
    let less = if is_32_bit::<C>() {
        scratch::<C>()
    } else {
        cx.temp(RegClass::Int)
    };
    let greater = cx.temp(RegClass::Int);
    cx.begin_group(GroupKind::Plain);
    compare_pairs(cx, a, b, less);
    cx.emit(setcc(cond, less));
    compare_pairs(cx, b, a, greater);
    cx.emit(setcc(cond, greater));
    cx.emit(rr(Op::SubRR, 1, greater, less));
    cx.end_group();
    finish_three_way(cx, data, greater);
    Ok(())
}

/// Lowers shl, lshr, ashr.
pub fn shift<C: LowerCtx>(cx: &mut C, data: &InstData) {
    let bits = super::int_bits(cx, data.ty);
    match data.b.as_imm() {
        // A count that is too large may give anything.
        Some(count) => shift_by_constant(cx, data, bits, (count & i64::from(2 * word_bits::<C>() - 1)) as u32),
        None => shift_by_register(cx, data, bits),
    }
}

fn shift_by_constant<C: LowerCtx>(cx: &mut C, data: &InstData, bits: u32, count: u32) {
    let left = data.op == Opcode::Shl;
    let within = (count & (word_bits::<C>() - 1)).cast_signed();
    if left && count >= word_bits::<C>() {
        let high = cx.use_copy(data.a, 0);
        shift_part(cx, Op::ShlRI, high, within);
        cx.def_reuse(result(data), 1, high);
        let low = cx.def(result(data), 0);
        cx.emit(mov_imm(C::WORD_BYTES, low, 0));
        return;
    }
    let arithmetic = data.op == Opcode::Ashr;
    let by_imm = if arithmetic { Op::SarRI } else { Op::ShrRI };
    if count >= word_bits::<C>() {
        let low = extended_high(cx, data.a, bits, arithmetic);
        let high = cx.def(result(data), 1);
        if arithmetic {
            spread_sign(cx, high, low);
        } else {
            cx.emit(mov_imm(C::WORD_BYTES, high, 0));
        }
        shift_part(cx, by_imm, low, within);
        cx.def_reuse(result(data), 0, low);
        return;
    }
    let low = cx.use_copy(data.a, 0);
    let high = if left {
        cx.use_copy(data.a, 1)
    } else {
        extended_high(cx, data.a, bits, arithmetic)
    };
    if count > 0 {
        if left {
            cx.emit(rri(Op::ShldRRI, C::WORD_BYTES, high, low, within));
            cx.emit(ri(Op::ShlRI, C::WORD_BYTES, low, within));
        } else {
            cx.emit(rri(Op::ShrdRRI, C::WORD_BYTES, low, high, within));
            cx.emit(ri(by_imm, C::WORD_BYTES, high, within));
        }
    }
    define(cx, data, Pair { low, high });
}

fn shift_part<C: LowerCtx>(cx: &mut C, op: Op, part: Reg, count: i32) {
    if count > 0 {
        cx.emit(ri(op, C::WORD_BYTES, part, count));
    }
}

fn shift_by_register<C: LowerCtx>(cx: &mut C, data: &InstData, bits: u32) {
    cx.use_fixed(data.b, 0, RCX);
    let low = cx.use_copy(data.a, 0);
    let filler = cx.temp(RegClass::Int);
    let high = if data.op == Opcode::Shl {
        cx.use_copy(data.a, 1)
    } else {
        extended_high(cx, data.a, bits, data.op == Opcode::Ashr)
    };
    let value = Pair { low, high };
    shift_pair(cx, data.op, value, filler);
    define(cx, data, value);
}

/// Shifts by the count in `cl` modulo 64, then moves by a part if bit 6 of the count is set. `filler` is overwritten.
pub(crate) fn shift_pair<C: LowerCtx>(cx: &mut C, op: Opcode, value: Pair, filler: Reg) {
    let Pair { low, high } = value;
    if op == Opcode::Ashr {
        spread_sign(cx, filler, high);
    } else {
        cx.emit(mov_imm(C::WORD_BYTES, filler, 0));
    }
    let (near, far, double, single) = match op {
        Opcode::Shl => (low, high, Op::ShldRRC, Op::ShlRC),
        Opcode::Lshr => (high, low, Op::ShrdRRC, Op::ShrRC),
        _ => (high, low, Op::ShrdRRC, Op::SarRC),
    };
    cx.emit(rr(double, C::WORD_BYTES, far, near));
    cx.emit(r(single, C::WORD_BYTES, near));
    cx.emit(ri(Op::TestRI, 1, RCX, word_bits::<C>().cast_signed()));
    cx.emit(cmov(Cond::Ne, C::WORD_BYTES, far, near));
    cx.emit(cmov(Cond::Ne, C::WORD_BYTES, near, filler));
}

/// Lowers fshl and fshr.
///
/// With the lower operand moved to the top of its registers, shifting the concatenation left by `n` and right by the
/// width less `n` are the same for every width; bits that come out above the width do not matter.
pub fn funnel<C: LowerCtx>(cx: &mut C, data: &InstData, bits: u32) -> Result<(), CodegenError> {
    let (low, count) = cx.func().ternary(data);
    let left = data.op == Opcode::Fshl;
    if let Some(count) = count.as_imm() {
        // An immediate is sign-extended; its value has `bits` bits.
        let value = count as u128 & (u128::MAX >> (128 - bits));
        let count = (value % u128::from(bits)) as u32;
        funnel_by_constant(cx, data, low, bits, if left { count } else { bits - count });
    } else if bits == 2 * word_bits::<C>() {
        cx.use_fixed(count, 0, RCX);
        if left {
            let [words @ .., last] = [(data.a, 1), (data.a, 0), (low, 1), (low, 0)];
            funnel_words(cx, data, words, last, true);
        } else {
            let [words @ .., last] = [(low, 0), (low, 1), (data.a, 0), (data.a, 1)];
            funnel_words(cx, data, words, last, false);
        }
    } else {
        funnel_odd(cx, data, low, count, bits, left);
    }
    Ok(())
}

/// Three of the four words in the order of the shift, or those one further if bit 6 of the count in `cl` is set.
fn funnel_words<C: LowerCtx>(cx: &mut C, data: &InstData, words: [(Operand, u8); 3], last: (Operand, u8), left: bool) {
    let [first, second, third] = words.map(|(operand, part)| cx.use_copy(operand, part));
    let last = cx.use_reg(last.0, last.1);
    shift_words(cx, [first, second, third], last, left);
    let (low, high) = if left { (second, first) } else { (first, second) };
    define(cx, data, Pair { low, high });
}

fn shift_words<C: LowerCtx>(cx: &mut C, [first, second, third]: [Reg; 3], last: Reg, left: bool) {
    cx.emit(ri(Op::TestRI, 1, RCX, word_bits::<C>().cast_signed()));
    cx.emit(cmov(Cond::Ne, C::WORD_BYTES, first, second));
    cx.emit(cmov(Cond::Ne, C::WORD_BYTES, second, third));
    cx.emit(cmov(Cond::Ne, C::WORD_BYTES, third, last));
    let op = if left { Op::ShldRRC } else { Op::ShrdRRC };
    cx.emit(rr(op, C::WORD_BYTES, first, second));
    cx.emit(rr(op, C::WORD_BYTES, second, third));
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
    let justified = left_justified(cx, lower, bits);
    let within = (up & (word_bits::<C>() - 1)).cast_signed();
    let (high, low, next) = if up >= word_bits::<C>() {
        (cx.use_copy(data.a, 0), justified.high, justified.low)
    } else {
        let high = cx.use_copy(data.a, 1);
        (high, cx.use_copy(data.a, 0), justified.high)
    };
    if within > 0 {
        cx.emit(rri(Op::ShldRRI, C::WORD_BYTES, high, low, within));
        cx.emit(rri(Op::ShldRRI, C::WORD_BYTES, low, next, within));
    }
    define(cx, data, Pair { low, high });
}

/// Both parts, moved up so that the value's top bit is the pair's.
pub(crate) fn left_justified<C: LowerCtx>(cx: &mut C, operand: Operand, bits: u32) -> Pair {
    let low = cx.use_copy(operand, 0);
    let high = cx.use_copy(operand, 1);
    if bits < 2 * word_bits::<C>() {
        let distance = (2 * word_bits::<C>() - bits).cast_signed();
        cx.emit(rri(Op::ShldRRI, C::WORD_BYTES, high, low, distance));
        cx.emit(ri(Op::ShlRI, C::WORD_BYTES, low, distance));
    }
    Pair { low, high }
}

/// A count in a register, modulo a width that is no power of two: by dividing it part by part.
fn funnel_odd<C: LowerCtx>(cx: &mut C, data: &InstData, lower: Operand, count: Operand, bits: u32, left: bool) {
    cx.use_fixed(count, 1, RAX);
    cx.claim(PRegSet::of(&[RDX, RCX]));
    let count_low = cx.use_reg(count, 0);
    let justified = left_justified(cx, lower, bits);
    let high = cx.use_copy(data.a, 1);
    let low = cx.use_copy(data.a, 0);
    extend(cx, RAX, RAX, bits - word_bits::<C>(), false, C::WORD_BYTES);
    cx.emit(r(Op::ZeroR, 4, RDX));
    cx.emit(mov_imm(4, RCX, i64::from(bits)));
    cx.emit(r(Op::DivR, C::WORD_BYTES, RCX));
    cx.emit(rr(Op::MovRR, C::WORD_BYTES, RAX, count_low));
    cx.emit(r(Op::DivR, C::WORD_BYTES, RCX));
    if left {
        cx.emit(rr(Op::MovRR, 4, RCX, RDX));
    } else {
        cx.emit(rr(Op::SubRR, 4, RCX, RDX));
    }
    shift_words(cx, [high, low, justified.high], justified.low, true);
    define(cx, data, Pair { low, high });
}
