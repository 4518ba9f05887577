//! Comparisons: to flags for branches and selects, to a register otherwise; minima, maxima, three-way comparison.
//!
//! A comparison of floats sets the flags so that every relation but two is one condition (Arm ARM, C1.2.4 and
//! `FPCompare`): "equal or unordered" and "less or greater" are two, one of which must hold.

use super::condition::{Test, finish_three_way, icmp_cond, is_signed, swapped};
use super::memory::is_float_zero;
use super::operand::{self, Absorbed};
use super::overflow::condition_of_overflow;
use super::{
    any_float_bytes, checked_bits, compare_constant, extended, float_bytes, folded, int_bits, low_bits, result,
    size_of_bits, sum, type_of, use_int, wide,
};
use crate::build::*;
use crate::cond::Cond;
use crate::immediates;
use crate::regs::{SCRATCH, SCRATCH_FLOAT, XZR};
use crate::table::Op;
use frazil_codegen::{Branch, CodegenError, Join, Label, LowerCtx, MInst, Reg};
use frazil_ir::{InstData, Opcode, Operand, Refusal, StrictFlags};

/// Whether two operands of a comparison must be exchanged, since only the right one may be a constant.
fn in_order<C: LowerCtx>(cx: &C, data: &InstData) -> (Operand, Operand, Cond) {
    let cond = icmp_cond(data.op);
    if cx.func().int_constant(data.a).is_some() && cx.func().int_constant(data.b).is_none() {
        (data.b, data.a, swapped(cond))
    } else {
        (data.a, data.b, cond)
    }
}

/// Sets the flags by a comparison and says which condition holds when it does.
pub(crate) fn compare<C: LowerCtx>(cx: &mut C, data: &InstData) -> Result<Test, CodegenError> {
    if data.op.is_fcmp() {
        return compare_floats(cx, data);
    }
    if !data.op.is_icmp() {
        return joined(cx, data);
    }
    let bits = checked_bits(cx, data, data.ty)?;
    if bits > 64 {
        return Ok(Test::one(wide::compare(cx, data, bits, icmp_cond(data.op))));
    }
    let (a, b, cond) = in_order(cx, data);
    let (size, signed) = (size_of_bits(bits), is_signed(cond));
    if let Some(and) = folded(cx, a).filter(|and| and.op == Opcode::And) {
        test_bits(cx, &and, bits);
        return Ok(Test::one(cond));
    }
    if let Some(test) = compare_absorbed(cx, (a, b), bits, cond) {
        return Ok(test);
    }
    let left = extended(cx, a, bits, signed, size);
    if let Some(value) = cx.func().int_constant(b) {
        let value = if signed || bits >= 64 {
            value
        } else {
            low_bits(value.cast_unsigned(), bits).cast_signed()
        };
        if let Some(test) = compare_with_power(cx, size, left, (value, cond)) {
            return Ok(test);
        }
        compare_constant(cx, size, left, value);
        return Ok(Test::one(cond));
    }
    let op = match (bits, signed) {
        (8, false) => Some(0b000),
        (16, false) => Some(0b001),
        (8, true) => Some(0b100),
        (16, true) => Some(0b101),
        _ => None,
    };
    match op {
        Some(option) if left != XZR => {
            let right = use_int(cx, b, 0);
            cx.emit(rr(Op::CmpExt, size, left, right).with_imm(option << 3));
        }
        _ => {
            let right = extended(cx, b, bits, signed, size);
            cx.emit(rr(Op::Cmp, size, left, right));
        }
    }
    Ok(Test::one(cond))
}

/// Asks of a number without a sign whether it is below a power of two that comparisons have no room for: whether it has
/// none of the bits from there on.
fn compare_with_power<C: LowerCtx>(cx: &mut C, size: u8, reg: Reg, (value, cond): (i64, Cond)) -> Option<Test> {
    let (power, cond) = match cond {
        Cond::Lo => (value, Cond::Eq),
        Cond::Hs => (value, Cond::Ne),
        Cond::Ls => (value.wrapping_add(1), Cond::Eq),
        Cond::Hi => (value.wrapping_add(1), Cond::Ne),
        _ => return None,
    };
    let power = power.cast_unsigned();
    if !power.is_power_of_two() || reg == XZR || sum(value, size).is_some() {
        return None;
    }
    let upper = low_bits(power.wrapping_neg(), u32::from(size) * 8);
    immediates::logical(upper, size)?;
    cx.emit(with_mask(Op::TstI, size, reg, upper));
    Some(Test::one(cond))
}

/// Compares with an operand that is shifted or extended, if one is folded.
fn compare_absorbed<C: LowerCtx>(cx: &mut C, (a, b): (Operand, Operand), bits: u32, cond: Cond) -> Option<Test> {
    let (other, inner, cond) = match (folded(cx, b), folded(cx, a)) {
        (Some(inner), _) => (a, inner, cond),
        (None, Some(inner)) => (b, inner, swapped(cond)),
        (None, None) => return None,
    };
    let (row, value, imm) = match operand::compared(cx.func(), &inner, bits)? {
        Absorbed::Shifted(value, imm) => (Op::Cmp, value, imm),
        Absorbed::Extended(value, imm) => (Op::CmpExt, value, imm),
        _ => return None,
    };
    let left = cx.use_reg(other, 0);
    let right = cx.use_reg(value, 0);
    cx.emit(rr(row, size_of_bits(bits), left, right).with_imm(imm.cast_signed()));
    Some(Test::one(cond))
}

/// Sets the flags by the bits that both operands of an `and` have; only equality with zero can then be asked for.
fn test_bits<C: LowerCtx>(cx: &mut C, and: &InstData, bits: u32) {
    let size = size_of_bits(bits);
    let (mut a, mut b) = (and.a, and.b);
    if cx.func().int_constant(a).is_some() {
        std::mem::swap(&mut a, &mut b);
    }
    let left = use_int(cx, a, 0);
    let mask = cx
        .func()
        .int_constant(b)
        .map(|value| low_bits(value.cast_unsigned(), bits));
    if let Some(mask) = mask.filter(|&mask| immediates::logical(mask, size).is_some()) {
        cx.emit(with_mask(Op::TstI, size, left, mask));
    } else {
        let right = use_int(cx, b, 0);
        cx.emit(rr(Op::Tst, size, left, right));
    }
}

/// Whether an `and` or `or` has absorbed comparisons.
pub(crate) fn joins_comparisons<C: LowerCtx>(cx: &C, data: &InstData) -> bool {
    operand::joins(data, &|operand| cx.is_folded(operand))
}

/// Sets the flags by both comparisons of an `and` or `or`: where the first one decides, the second one does not compare
/// but leaves flags that say the same (Arm ARM, C6.2, `CCMP`).
fn joined<C: LowerCtx>(cx: &mut C, data: &InstData) -> Result<Test, CodegenError> {
    let conditional_part = |cx: &C, operand| {
        let part = folded_bit(cx, operand)?;
        operand::is_conditional(cx.func(), &part, &|operand| cx.is_folded(operand)).then_some(part)
    };
    let (first, second) = match conditional_part(cx, data.b) {
        Some(second) => (data.a, second),
        None => {
            let second = conditional_part(cx, data.a);
            (data.b, second.expect("a part was folded for this"))
        }
    };
    let found = match folded_bit(cx, first) {
        Some(part) => compare(cx, &part)?,
        None => test(cx, first)?,
    };
    debug_assert!(found.second.is_none(), "the part was folded for having one condition");
    Ok(Test::one(compare_if(cx, &second, found.first, data.op == Opcode::And)))
}

/// What computes a folded bit, without a `freeze` of it.
fn folded_bit<C: LowerCtx>(cx: &C, operand: Operand) -> Option<InstData> {
    let part = folded(cx, operand)?;
    if part.op == Opcode::Freeze {
        return folded(cx, part.a);
    }
    Some(part)
}

/// Compares where a condition holds, or with `both` false where it does not, and returns the condition under which that
/// and (or) the comparison held.
fn compare_if<C: LowerCtx>(cx: &mut C, data: &InstData, found: Cond, both: bool) -> Cond {
    let (mut inst, cond) = conditional_comparison(cx, data);
    let (runs, otherwise) = match both {
        true => (found, cond.inverse()),
        false => (found.inverse(), cond),
    };
    inst.disp = otherwise.flags_that_hold().into();
    cx.emit(inst.with_condition(runs as u8));
    cond
}

/// A conditional comparison without its condition, and the condition that asks for what is compared.
fn conditional_comparison<C: LowerCtx>(cx: &mut C, data: &InstData) -> (MInst, Cond) {
    if data.op.is_fcmp() {
        // Comparisons that signal are operations of their own, which nothing absorbs.
        let left = cx.use_reg(data.a, 0);
        let right = cx.use_reg(data.b, 0);
        let inst = rr(Op::Fccmp, float_bytes(data.ty), left, right);
        return (inst, float_conditions(data.op).0);
    }
    let bits = int_bits(cx, data.ty);
    let (a, b, cond) = in_order(cx, data);
    let (size, signed) = (size_of_bits(bits), is_signed(cond));
    let left = extended(cx, a, bits, signed, size);
    let value = cx.func().int_constant(b).map(|value| match signed || bits >= 64 {
        true => value,
        false => low_bits(value.cast_unsigned(), bits).cast_signed(),
    });
    let inst = match value {
        Some(value @ 0..=31) => ri(Op::CcmpI, size, left, value as i32),
        Some(value @ -31..=-1) => ri(Op::CcmnI, size, left, -value as i32),
        _ => {
            let right = extended(cx, b, bits, signed, size);
            rr(Op::Ccmp, size, left, right)
        }
    };
    (inst, cond)
}

/// A row of one register and a logical immediate.
fn with_mask(op: Op, size: u8, reg: Reg, mask: u64) -> MInst {
    with_wide(r(op, size, reg), mask)
}

/// The condition under which a comparison of floats holds, or the two of which one must.
fn float_conditions(op: Opcode) -> (Cond, Option<Cond>) {
    match op {
        Opcode::FcmpOeq => (Cond::Eq, None),
        Opcode::FcmpUne => (Cond::Ne, None),
        Opcode::FcmpOgt => (Cond::Gt, None),
        Opcode::FcmpOge => (Cond::Ge, None),
        Opcode::FcmpOlt => (Cond::Mi, None),
        Opcode::FcmpOle => (Cond::Ls, None),
        Opcode::FcmpOne => (Cond::Mi, Some(Cond::Gt)),
        Opcode::FcmpUeq => (Cond::Eq, Some(Cond::Vs)),
        Opcode::FcmpUgt => (Cond::Hi, None),
        Opcode::FcmpUge => (Cond::Pl, None),
        Opcode::FcmpUlt => (Cond::Lt, None),
        Opcode::FcmpUle => (Cond::Le, None),
        Opcode::FcmpOrd => (Cond::Vc, None),
        _ => (Cond::Vs, None),
    }
}

fn compare_floats<C: LowerCtx>(cx: &mut C, data: &InstData) -> Result<Test, CodegenError> {
    let (first, second) = float_conditions(data.op);
    let bytes = float_bytes(data.ty);
    if bytes == 0 {
        let refusal = Refusal::of_type(cx.func().types(), data.ty);
        return Err(CodegenError::unsupported(
            refusal,
            "a comparison of floats of another type",
        ));
    }
    let op = match data.flags & StrictFlags::SIGNALING {
        0 => Op::Fcmp,
        _ => Op::Fcmpe,
    };
    let left = cx.use_reg(data.a, 0);
    if is_float_zero(cx, data.b) {
        let op = if op == Op::Fcmp { Op::FcmpZ } else { Op::FcmpeZ };
        cx.emit(r(op, bytes, left));
        return Ok(Test { first, second });
    }
    let right = cx.use_reg(data.b, 0);
    cx.emit(rr(op, bytes, left, right));
    Ok(Test { first, second })
}

/// Sets the flags by an `i1` operand, folded comparisons included.
pub(crate) fn test<C: LowerCtx>(cx: &mut C, condition: Operand) -> Result<Test, CodegenError> {
    let mut condition = condition;
    if let Some(producer) = folded(cx, condition) {
        if producer.op != Opcode::Trunc {
            return compare(cx, &producer);
        }
        condition = producer.a;
    }
    let reg = use_int(cx, condition, 0);
    cx.emit(with_mask(Op::TstI, 4, reg, 1));
    Ok(Test::one(Cond::Ne))
}

/// The condition of an overflow that the instruction before has left in the flags.
fn overflow_before<C: LowerCtx>(cx: &C, bit: Operand) -> Cond {
    let inst = bit.as_value().and_then(|value| cx.func().def_inst(value));
    let data = cx.func().inst(inst.expect("an instruction makes it"));
    condition_of_overflow(data, int_bits(cx, data.ty)).expect("it was chosen for that")
}

/// Lowers the condition of a branch.
pub fn branch<C: LowerCtx>(cx: &mut C, condition: Operand) -> Result<Branch, CodegenError> {
    let single = |first| Branch { first, second: None };
    let none = Label(0);
    if cx.is_in_flags(condition) {
        return Ok(single(branch_if(overflow_before(cx, condition), none)));
    }
    let Some(producer) = folded(cx, condition) else {
        let reg = use_int(cx, condition, 0);
        return Ok(single(branch_on_bit(true, reg, 0, none)));
    };
    if producer.op == Opcode::Trunc {
        let reg = use_int(cx, producer.a, 0);
        return Ok(single(branch_on_bit(true, reg, 0, none)));
    }
    if let Some(first) = branch_on_register(cx, &producer) {
        return Ok(single(first));
    }
    let test = compare(cx, &producer)?;
    Ok(Branch {
        first: branch_if(test.first, none),
        second: test.second.map(|cond| (Join::Or, branch_if(cond, none))),
    })
}

/// The branch on a register or a bit of it that a comparison of at most 64 bits with zero is, if it is one.
fn branch_on_register<C: LowerCtx>(cx: &mut C, data: &InstData) -> Option<MInst> {
    if !data.op.is_icmp() {
        return None;
    }
    let bits = int_bits(cx, data.ty);
    let (a, b, cond) = in_order(cx, data);
    let value = cx.func().int_constant(b)?;
    let none = Label(0);
    if !(1..=64).contains(&bits) {
        return None;
    }
    let top = bits - 1;
    match (cond, value) {
        (Cond::Lt, 0) | (Cond::Le, -1) => Some(branch_on_bit(true, use_int(cx, a, 0), top, none)),
        (Cond::Ge, 0) | (Cond::Gt, -1) => Some(branch_on_bit(false, use_int(cx, a, 0), top, none)),
        (Cond::Eq | Cond::Ne, 0) => {
            let size = size_of_bits(bits);
            if let Some(and) = folded(cx, a).filter(|and| and.op == Opcode::And) {
                let (operand, mask) = match (cx.func().int_constant(and.a), cx.func().int_constant(and.b)) {
                    (None, Some(mask)) => (and.a, mask),
                    (Some(mask), None) => (and.b, mask),
                    _ => return None,
                };
                let mask = low_bits(mask.cast_unsigned(), bits);
                if !mask.is_power_of_two() {
                    return None;
                }
                let reg = use_int(cx, operand, 0);
                return Some(branch_on_bit(cond == Cond::Ne, reg, mask.trailing_zeros(), none));
            }
            let reg = extended(cx, a, bits, false, size);
            Some(branch_if_zero(cond == Cond::Eq, size, reg, none))
        }
        _ => None,
    }
}

/// Lowers a comparison whose result is wanted in a register.
pub fn compare_to_value<C: LowerCtx>(cx: &mut C, data: &InstData) -> Result<(), CodegenError> {
    if matches!(data.op, Opcode::FcmpFalse | Opcode::FcmpTrue) {
        let dst = cx.def(result(data), 0);
        cx.emit(mov_imm(4, dst, i64::from(data.op == Opcode::FcmpTrue)));
        return Ok(());
    }
    if let Some((number, bits)) = negative(cx, data) {
        // The sign is the answer.
        let src = cx.use_reg(number, 0);
        let dst = cx.def(result(data), 0);
        cx.emit(bitfield(Op::Ubfm, size_of_bits(bits), dst, src, bits - 1, bits - 1));
        return Ok(());
    }
    let test = compare(cx, data)?;
    let dst = cx.def(result(data), 0);
    set_by(cx, test, dst);
    Ok(())
}

/// The number of which a comparison asks whether it is negative, and its bits, at most 64.
fn negative<C: LowerCtx>(cx: &C, data: &InstData) -> Option<(Operand, u32)> {
    let bits = int_bits(cx, data.ty);
    let is_asked = data.op == Opcode::IcmpSlt && data.b.as_imm() == Some(0) && (1..=64).contains(&bits);
    let is_value = data.a.as_value().is_some() && !cx.is_folded(data.a);
    (is_asked && is_value).then_some((data.a, bits))
}

/// Writes 0 or 1 by the flags.
pub(crate) fn set_by<C: LowerCtx>(cx: &mut C, test: Test, dst: Reg) {
    cx.emit(cset(dst, test.first));
    if let Some(second) = test.second {
        // One more than zero where the second condition holds, else what is there.
        cx.emit(conditional(Op::Csinc, 4, [dst, dst, XZR], second.inverse()));
    }
}

/// Lowers `select`.
pub fn select<C: LowerCtx>(cx: &mut C, data: &InstData) -> Result<(), CodegenError> {
    let (if_true, if_false) = cx.func().ternary(data);
    let bits = int_bits(cx, data.ty);
    let bytes = any_float_bytes(data.ty);
    if bits == 0 && bytes == 0 {
        return Err(CodegenError::unsupported(Refusal::Vector, "a select of vectors"));
    }
    let parts: u8 = if bits > 64 { 2 } else { 1 };
    if let Some(condition) = data.a.as_imm() {
        for part in 0..parts {
            let src = cx.use_last(if condition != 0 { if_true } else { if_false }, part);
            cx.def_reuse(result(data), part, src);
        }
        return Ok(());
    }
    if bytes == 16 {
        return select_quad(cx, data, (if_true, if_false));
    }
    if bytes == 0 && bits <= 64 && choose(cx, data, bits, (if_true, if_false))? {
        return Ok(());
    }
    let use_part = |cx: &mut C, operand: Operand, part: u8| match bytes {
        0 => use_int(cx, operand, part),
        _ => cx.use_reg(operand, part),
    };
    let mut sources = [[XZR; 2]; 2];
    for part in 0..parts {
        sources[usize::from(part)] = [use_part(cx, if_true, part), use_part(cx, if_false, part)];
    }
    let test = test(cx, data.a)?;
    let (op, size) = match bytes {
        0 => (Op::Csel, if bits > 32 { 8 } else { 4 }),
        // A half is the low part of a float.
        bytes => (Op::Fcsel, bytes.max(4)),
    };
    for part in 0..parts {
        let [then, otherwise] = sources[usize::from(part)];
        let dst = cx.def(result(data), part);
        // The first choice may overwrite what the second one takes.
        match test.second {
            None => cx.emit(conditional(op, size, [dst, then, otherwise], test.first)),
            Some(second) => {
                let chosen = if bytes == 0 { SCRATCH } else { SCRATCH_FLOAT };
                cx.emit(conditional(op, size, [chosen, then, otherwise], test.first));
                cx.emit(conditional(op, size, [dst, then, chosen], second));
            }
        }
    }
    Ok(())
}

/// A choice between a value and one that follows from a value in the same instruction: one more, all bits turned, or
/// the other sign. Returns whether it is one.
fn choose<C: LowerCtx>(
    cx: &mut C,
    data: &InstData,
    bits: u32,
    (then, otherwise): (Operand, Operand),
) -> Result<bool, CodegenError> {
    let has_two = |compare: InstData| matches!(compare.op, Opcode::FcmpOne | Opcode::FcmpUeq);
    if folded(cx, data.a).is_some_and(has_two) {
        return Ok(false);
    }
    let folded_choice = |cx: &C, operand| folded(cx, operand).and_then(|inner| Absorbed::of_choice(&inner));
    let zero = Operand::imm(0).expect("it is small");
    // The value as it is, what follows from another, and whether the condition asks for the first.
    let (plain, (row, source), is_plain_true) = if let Some(absorbed) = folded_choice(cx, otherwise) {
        (then, row_of(absorbed), true)
    } else if let Some(absorbed) = folded_choice(cx, then) {
        (otherwise, row_of(absorbed), false)
    } else {
        let imms = [then, otherwise].map(|operand| operand.as_imm().map(|imm| low_bits(imm.cast_unsigned(), bits)));
        let (one, all) = (1, low_bits(u64::MAX, bits));
        let follows = |imm: u64, from: u64| {
            [
                (Op::Csinc, from.wrapping_add(1)),
                (Op::Csinv, !from),
                (Op::Csneg, from.wrapping_neg()),
            ]
            .into_iter()
            .find(|(_, value)| low_bits(*value, bits) == imm)
            .map(|(row, _)| row)
        };
        match imms {
            [Some(first), Some(second)] => match (follows(second, first), follows(first, second)) {
                // The zero register costs nothing.
                (_, Some(row)) if second == 0 => (otherwise, (row, otherwise), false),
                (Some(row), _) => (then, (row, then), true),
                (None, Some(row)) => (otherwise, (row, otherwise), false),
                (None, None) => return Ok(false),
            },
            [None, Some(imm)] if imm == one => (then, (Op::Csinc, zero), true),
            [None, Some(imm)] if imm == all => (then, (Op::Csinv, zero), true),
            [Some(imm), None] if imm == one => (otherwise, (Op::Csinc, zero), false),
            [Some(imm), None] if imm == all => (otherwise, (Op::Csinv, zero), false),
            _ => return Ok(false),
        }
    };
    let plain = use_int(cx, plain, 0);
    let source = use_int(cx, source, 0);
    let test = test(cx, data.a)?;
    let dst = cx.def(result(data), 0);
    let cond = if is_plain_true {
        test.first
    } else {
        test.first.inverse()
    };
    cx.emit(conditional(row, size_of_bits(bits), [dst, plain, source], cond));
    Ok(true)
}

/// The row that computes what was absorbed if its condition does not hold, and of what.
fn row_of(absorbed: Absorbed) -> (Op, Operand) {
    match absorbed {
        Absorbed::Next(value) => (Op::Csinc, value),
        Absorbed::Not(value) => (Op::Csinv, value),
        Absorbed::Negated(value) => (Op::Csneg, value),
        _ => unreachable!("no select absorbs it"),
    }
}

/// There is no conditional move of sixteen bytes.
fn select_quad<C: LowerCtx>(
    cx: &mut C,
    data: &InstData,
    (if_true, if_false): (Operand, Operand),
) -> Result<(), CodegenError> {
    let then = cx.use_reg(if_true, 0);
    let otherwise = cx.use_last(if_false, 0);
    let test = test(cx, data.a)?;
    let dst = cx.def_reuse(result(data), 0, otherwise);
    cx.begin_group(frazil_codegen::GroupKind::Plain);
    let (holds, done) = (cx.local_label(), cx.local_label());
    if let Some(second) = test.second {
        cx.emit(branch_if(second, holds));
    }
    cx.emit(branch_if(test.first.inverse(), done));
    cx.bind(holds);
    cx.emit(rr(Op::Fmov, 16, dst, then));
    cx.bind(done);
    cx.end_group();
    Ok(())
}

/// Lowers integer minimum and maximum.
pub fn min_max<C: LowerCtx>(cx: &mut C, data: &InstData) -> Result<(), CodegenError> {
    let bits = checked_bits(cx, data, data.ty)?;
    let cond = match data.op {
        Opcode::Smin => Cond::Lt,
        Opcode::Smax => Cond::Gt,
        Opcode::Umin => Cond::Lo,
        _ => Cond::Hi,
    };
    if bits > 64 {
        wide::min_max(cx, data, bits, cond);
        return Ok(());
    }
    let size = size_of_bits(bits);
    let a = extended(cx, data.a, bits, is_signed(cond), size);
    let b = extended(cx, data.b, bits, is_signed(cond), size);
    let dst = cx.def(result(data), 0);
    cx.emit(rr(Op::Cmp, size, a, b));
    cx.emit(csel(size, dst, a, b, cond));
    Ok(())
}

/// Lowers `scmp` and `ucmp`: 1 if greater, -1 if less, else 0.
pub fn three_way<C: LowerCtx>(cx: &mut C, data: &InstData) -> Result<(), CodegenError> {
    let bits = checked_bits(cx, data, type_of(cx, data.a))?;
    let signed = data.op == Opcode::Scmp;
    if bits > 64 {
        wide::three_way(cx, data, bits, signed);
        return Ok(());
    }
    let (greater, less) = if signed {
        (Cond::Gt, Cond::Lt)
    } else {
        (Cond::Hi, Cond::Lo)
    };
    let size = size_of_bits(bits);
    let a = extended(cx, data.a, bits, signed, size);
    let b = extended(cx, data.b, bits, signed, size);
    cx.emit(rr(Op::Cmp, size, a, b));
    let dst = cx.def(result(data), 0);
    cx.emit(cset(dst, greater));
    cx.emit(conditional(Op::Csinv, 8, [dst, dst, XZR], less.inverse()));
    finish_three_way(cx, data, dst);
    Ok(())
}
