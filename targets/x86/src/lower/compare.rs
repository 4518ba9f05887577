//! Comparisons: to flags for branches and selects, to a register otherwise; minima, maxima, three-way comparison.

use super::alu::{IMM32, apply};
use super::condition::{COMPARE, Test, finish_three_way, icmp_cond};
use super::extreme::extreme;
use super::overflow::condition_of_overflow;
use super::{
    class_of, extended_copy, float_bytes, flows_into, folded, int_bits, is_32_bit, is_wide, result, size_of_bits,
    type_of, vector, wide, word_bits, x87,
};
use crate::build::*;
use crate::cond::Cond;
use crate::table::Op;
use frazil_codegen::{Branch, CodegenError, GroupKind, ImmKind, Join, Label, LowerCtx, Reg, RegClass, Src};
use frazil_ir::{InstData, Opcode, Operand, Refusal, StrictFlags, Type};

fn is_signed(cond: Cond) -> bool {
    matches!(cond, Cond::G | Cond::Ge | Cond::L | Cond::Le)
}

/// Sets the flags by a comparison and says which condition holds when it does.
pub(crate) fn compare<C: LowerCtx>(cx: &mut C, data: &InstData) -> Result<Test, CodegenError> {
    if data.op.is_fcmp() {
        return compare_floats(cx, data);
    }
    let bits = int_bits(cx, data.ty);
    let cond = icmp_cond(data.op);
    match bits {
        0 => Err(CodegenError::unsupported(Refusal::Vector, "a comparison of vectors")),
        _ if bits > word_bits::<C>() => Ok(wide::compare(cx, data, bits, cond)),
        8 | 16 | 32 | 64 => {
            let size = (bits / 8) as u8;
            if let Some(and) = folded(cx, data.a).filter(|and| and.op == Opcode::And) {
                test_bits(cx, &and, size);
                return Ok(Test::one(cond));
            }
            Ok(Test::one(compare_direct(cx, data, size, cond)))
        }
        _ => {
            let size = size_of_bits(bits);
            let a = extended_copy(cx, data.a, bits, is_signed(cond), size);
            let b = extended_copy(cx, data.b, bits, is_signed(cond), size);
            cx.emit(rr(Op::CmpRR, size, a, b));
            Ok(Test::one(cond))
        }
    }
}

fn compare_direct<C: LowerCtx>(cx: &mut C, data: &InstData, size: u8, cond: Cond) -> Cond {
    let (mut a, mut b, mut cond) = (data.a, data.b, cond);
    if a.as_imm().is_some() {
        std::mem::swap(&mut a, &mut b);
        cond = cond.swap();
    }
    if !cx.is_folded(a) {
        if let Some(with_zero) = beside_zero(b, cond) {
            let left = cx.use_reg(a, 0);
            cx.emit(rr(Op::TestRR, size, left, left));
            return with_zero;
        }
        let right = cx.use_src(b, 0, IMM32);
        let left = cx.use_reg(a, 0);
        match right {
            Src::Imm(0) => cx.emit(rr(Op::TestRR, size, left, left)),
            right => apply(cx, COMPARE, size, left, right),
        }
        return cond;
    }
    let left = cx.use_src(a, 0, ImmKind::None);
    match (left, cx.use_reg_or_imm(b, 0, IMM32)) {
        (Src::Mem(mem), Src::Imm(imm)) => cx.emit(mi(Op::CmpMI, size, mem, imm)),
        (Src::Mem(mem), Src::Reg(reg)) => cx.emit(mr(Op::CmpMR, size, mem, reg)),
        (Src::Reg(left), Src::Imm(0)) => cx.emit(rr(Op::TestRR, size, left, left)),
        (Src::Reg(left), right) => apply(cx, COMPARE, size, left, right),
        (Src::Imm(_), _) | (_, Src::Mem(_)) => unreachable!("not asked for"),
    }
    cond
}

/// The condition after a comparison with zero that means the same as one after a comparison with a neighbor of zero.
fn beside_zero(right: Operand, cond: Cond) -> Option<Cond> {
    match (right.as_imm()?, cond) {
        (-1, Cond::G) => Some(Cond::Ge),
        (-1, Cond::Le) => Some(Cond::L),
        (1, Cond::L) => Some(Cond::Le),
        (1, Cond::Ge) => Some(Cond::G),
        (1, Cond::B) => Some(Cond::E),
        (1, Cond::Ae) => Some(Cond::Ne),
        _ => None,
    }
}

/// Sets the flags by the bits that both operands of an `and` have; only equality with zero can then be asked for.
fn test_bits<C: LowerCtx>(cx: &mut C, and: &InstData, size: u8) {
    let (mut a, mut b) = (and.a, and.b);
    if a.as_imm().is_some() || cx.is_folded(b) {
        std::mem::swap(&mut a, &mut b);
    }
    let left = cx.use_src(a, 0, ImmKind::None);
    let right = cx.use_reg_or_imm(b, 0, IMM32);
    cx.emit(match (left, right) {
        (Src::Reg(left), Src::Imm(mask)) => ri(Op::TestRI, tested_bytes(size, mask), left, mask),
        (Src::Mem(mem), Src::Imm(mask)) => mi(Op::TestMI, tested_bytes(size, mask), mem, mask),
        (Src::Reg(left), Src::Reg(right)) => rr(Op::TestRR, size, left, right),
        (Src::Mem(mem), Src::Reg(right)) => mr(Op::TestMR, size, mem, right),
        (Src::Imm(_), _) | (_, Src::Mem(_)) => unreachable!("not asked for"),
    });
}

/// How many of the low bytes must be examined.
fn tested_bytes(size: u8, mask: i32) -> u8 {
    if (0..=0xff).contains(&mask) { 1 } else { size }
}

/// The comparisons that ask whether the right operand is above the left one.
fn is_swapped(op: Opcode) -> bool {
    matches!(
        op,
        Opcode::FcmpOlt | Opcode::FcmpOle | Opcode::FcmpUgt | Opcode::FcmpUge
    )
}

/// The operand of a floating-point comparison that may be in memory.
pub(crate) fn right_float_operand(data: &InstData) -> Operand {
    if is_swapped(data.op) { data.a } else { data.b }
}

/// The rows that compare floats; those of a strict comparison may signal every NaN.
fn comparing_rows(data: &InstData) -> (Op, Op) {
    if data.flags & StrictFlags::SIGNALING == 0 {
        (Op::UcomisRM, Op::UcomisRR)
    } else {
        (Op::ComisRM, Op::ComisRR)
    }
}

/// `ucomis` sets carry for less, zero for equal, all of carry, zero and parity for unordered.
fn compare_floats<C: LowerCtx>(cx: &mut C, data: &InstData) -> Result<Test, CodegenError> {
    let (first, second) = match data.op {
        Opcode::FcmpOeq => (Cond::E, Some((Join::And, Cond::Np))),
        Opcode::FcmpUne => (Cond::Ne, Some((Join::Or, Cond::P))),
        Opcode::FcmpOgt => (Cond::A, None),
        Opcode::FcmpOge => (Cond::Ae, None),
        Opcode::FcmpOlt => (Cond::A, None),
        Opcode::FcmpOle => (Cond::Ae, None),
        Opcode::FcmpOne => (Cond::Ne, None),
        Opcode::FcmpUeq => (Cond::E, None),
        Opcode::FcmpUgt => (Cond::B, None),
        Opcode::FcmpUge => (Cond::Be, None),
        Opcode::FcmpUlt => (Cond::B, None),
        Opcode::FcmpUle => (Cond::Be, None),
        Opcode::FcmpOrd => (Cond::Np, None),
        _ => (Cond::P, None),
    };
    let (a, b) = if is_swapped(data.op) {
        (data.b, data.a)
    } else {
        (data.a, data.b)
    };
    let bytes = match data.ty {
        Type::F32 => 4,
        Type::F64 => 8,
        Type::X86_F80 => {
            x87::compare(cx, a, b, data.flags & StrictFlags::SIGNALING != 0);
            return Ok(Test { first, second });
        }
        ty => {
            let refusal = Refusal::of_type(cx.func().types(), ty);
            return Err(CodegenError::unsupported(
                refusal,
                "a comparison of floats of another type",
            ));
        }
    };
    let (memory_row, row) = comparing_rows(data);
    let right = cx.use_src(b, 0, ImmKind::None);
    let left = cx.use_reg(a, 0);
    match right {
        Src::Mem(mem) => cx.emit(rm(memory_row, bytes, left, mem)),
        Src::Reg(right) => cx.emit(rr(row, bytes, left, right)),
        Src::Imm(_) => unreachable!("not asked for"),
    }
    Ok(Test { first, second })
}

/// Sets the flags by an `i1` operand, folded comparisons and lanes of masks included.
pub(crate) fn test<C: LowerCtx>(cx: &mut C, condition: Operand) -> Result<Test, CodegenError> {
    let mut condition = condition;
    if cx.is_in_flags(condition) {
        return Ok(Test::one(overflow_before(cx, condition)));
    }
    if let Some(producer) = folded(cx, condition) {
        match producer.op {
            // Undefined bits are whatever they are in a register, which a branch looks at once.
            Opcode::Freeze => return test(cx, producer.a),
            Opcode::Trunc => condition = producer.a,
            Opcode::ExtractElement => return Ok(vector::elements::test_mask(cx, &producer)),
            _ => return compare(cx, &producer),
        }
    }
    match cx.use_src(condition, 0, ImmKind::None) {
        Src::Mem(mem) => cx.emit(mi(Op::TestMI, 1, mem, 1)),
        Src::Reg(reg) => cx.emit(ri(Op::TestRI, 1, reg, 1)),
        Src::Imm(_) => unreachable!("not asked for"),
    }
    Ok(Test::one(Cond::Ne))
}

/// The condition of an overflow that the instruction before has left in the flags.
fn overflow_before<C: LowerCtx>(cx: &C, bit: Operand) -> Cond {
    let inst = bit.as_value().and_then(|value| cx.func().def_inst(value));
    let data = cx.func().inst(inst.expect("an instruction makes it"));
    condition_of_overflow(data.op, int_bits(cx, data.ty), word_bits::<C>()).expect("it was chosen for that")
}

/// Lowers the condition of a branch.
pub fn branch<C: LowerCtx>(cx: &mut C, condition: Operand) -> Result<Branch, CodegenError> {
    let Test { first, second } = test(cx, condition)?;
    let none = Label(0);
    Ok(Branch {
        first: jcc(first, none),
        second: second.map(|(join, cond)| (join, jcc(cond, none))),
    })
}

/// Lowers a comparison whose result is wanted in a register.
pub fn compare_to_value<C: LowerCtx>(cx: &mut C, data: &InstData) -> Result<(), CodegenError> {
    if matches!(data.op, Opcode::FcmpFalse | Opcode::FcmpTrue) {
        let dst = cx.def(result(data), 0);
        cx.emit(mov_imm(4, dst, i64::from(data.op == Opcode::FcmpTrue)));
        return Ok(());
    }
    let test = compare(cx, data)?;
    let dst = cx.def(result(data), 0);
    let spare = test.second.map(|_| cx.temp(RegClass::Int));
    set_by(cx, test, dst, spare);
    Ok(())
}

/// Writes 0 or 1 to the low byte of `dst` by the flags.
pub(crate) fn set_by<C: LowerCtx>(cx: &mut C, test: Test, dst: Reg, spare: Option<Reg>) {
    cx.emit(setcc(test.first, dst));
    if let (Some((join, cond)), Some(spare)) = (test.second, spare) {
        cx.emit(setcc(cond, spare));
        let op = if join == Join::And { Op::AndRR } else { Op::OrRR };
        cx.emit(rr(op, 4, dst, spare));
    }
}

/// Lowers `select`.
pub fn select<C: LowerCtx>(cx: &mut C, data: &InstData) -> Result<(), CodegenError> {
    let (if_true, if_false) = cx.func().ternary(data);
    if let Some(condition) = data.a.as_imm() {
        let parts = if is_wide(cx, data.ty) { 2 } else { 1 };
        for part in 0..parts {
            let src = cx.use_last(if condition != 0 { if_true } else { if_false }, part);
            cx.def_reuse(result(data), part, src);
        }
        return Ok(());
    }
    if class_of(data.ty) == RegClass::Float || matches!(data.ty, Type::X86_F80 | Type::F128) {
        return select_float(cx, data, if_true, if_false);
    }
    let wide = is_wide(cx, data.ty);
    if wide && is_32_bit::<C>() {
        return select_by_parts(cx, data, if_true, if_false);
    }
    let size = if wide {
        C::WORD_BYTES
    } else {
        size_of_bits(int_bits(cx, data.ty))
    };
    let parts = if wide { 2 } else { 1 };
    // Registers first: what loads them must not come between the comparison and its readers.
    let mut trues = [Reg::NONE; 2];
    let mut falses = [Reg::NONE; 2];
    let is_turned = flows_into(cx, data, if_true) && folded(cx, data.a).is_none_or(|data| data.op.is_icmp());
    let (if_true, if_false) = match is_turned {
        true => (if_false, if_true),
        false => (if_true, if_false),
    };
    for part in 0..parts {
        trues[usize::from(part)] = cx.use_reg(if_true, part);
        falses[usize::from(part)] = cx.use_last(if_false, part);
    }
    let mut test = test(cx, data.a)?;
    if is_turned {
        test.first = test.first.invert();
    }
    for part in 0..usize::from(parts) {
        let (on_true, on_false) = (trues[part], falses[part]);
        move_by(cx, test, size, (data, part as u8), on_true, on_false);
    }
    Ok(())
}

/// Where there are not registers for all parts at once. What a context inserts between two steps leaves the flags as
/// they are (contract 2).
fn select_by_parts<C: LowerCtx>(
    cx: &mut C,
    data: &InstData,
    if_true: Operand,
    if_false: Operand,
) -> Result<(), CodegenError> {
    let test = test(cx, data.a)?;
    for part in 0..2 {
        cx.step();
        let on_true = cx.use_reg(if_true, part);
        let on_false = cx.use_last(if_false, part);
        move_by(cx, test, C::WORD_BYTES, (data, part), on_true, on_false);
    }
    Ok(())
}

fn move_by<C: LowerCtx>(cx: &mut C, test: Test, size: u8, (data, part): (&InstData, u8), on_true: Reg, on_false: Reg) {
    match test.second {
        None => {
            let dst = cx.def_reuse(result(data), part, on_false);
            cx.emit(cmov(test.first, size, dst, on_true));
        }
        Some((Join::Or, second)) => {
            let dst = cx.def_reuse(result(data), part, on_false);
            cx.emit(cmov(test.first, size, dst, on_true));
            cx.emit(cmov(second, size, dst, on_true));
        }
        Some((Join::And, second)) => {
            let dst = cx.def(result(data), part);
            cx.emit(rr(Op::MovRR, size, dst, on_true));
            cx.emit(cmov(test.first.invert(), size, dst, on_false));
            cx.emit(cmov(second.invert(), size, dst, on_false));
        }
    }
}

pub(super) fn select_float<C: LowerCtx>(
    cx: &mut C,
    data: &InstData,
    if_true: Operand,
    if_false: Operand,
) -> Result<(), CodegenError> {
    if let Some((row, is_straight)) = float_extreme(cx, data) {
        let (first, second) = match is_straight {
            true => (if_true, if_false),
            false => (if_false, if_true),
        };
        let second = cx.use_reg(second, 0);
        let first = cx.use_last(first, 0);
        let dst = cx.def_reuse(result(data), 0, first);
        cx.emit(rr(row, float_bytes(data.ty), dst, second));
        return Ok(());
    }
    let on_false = cx.use_reg(if_false, 0);
    let on_true = cx.use_last(if_true, 0);
    let test = test(cx, data.a)?;
    let dst = cx.def_reuse(result(data), 0, on_true);
    cx.begin_group(GroupKind::Plain);
    let done = cx.local_label();
    match test.second {
        None => cx.emit(jcc(test.first, done)),
        Some((Join::Or, second)) => {
            cx.emit(jcc(test.first, done));
            cx.emit(jcc(second, done));
        }
        Some((Join::And, second)) => {
            let fails = cx.local_label();
            cx.emit(jcc(test.first.invert(), fails));
            cx.emit(jcc(second, done));
            cx.bind(fails);
        }
    }
    cx.emit(rr(Op::MovapRR, 4, dst, on_false));
    cx.bind(done);
    cx.end_group();
    Ok(())
}

/// The row that a select of floats and the comparison that is folded into it are, and whether it takes them in the
/// select's order.
fn float_extreme<C: LowerCtx>(cx: &C, data: &InstData) -> Option<(Op, bool)> {
    let condition = data.a.as_value().filter(|_| cx.is_folded(data.a))?;
    let compare = cx.func().inst(cx.func().def_inst(condition)?);
    if !compare.op.is_fcmp() || compare.ty != data.ty {
        return None;
    }
    let (row, is_straight) = extreme(cx.func(), data, compare)?;
    let row = if row == Op::MinpRR { Op::MinsRR } else { Op::MaxsRR };
    Some((row, is_straight))
}

/// Lowers integer minimum and maximum.
pub fn min_max<C: LowerCtx>(cx: &mut C, data: &InstData) -> Result<(), CodegenError> {
    let bits = int_bits(cx, data.ty);
    let (signed, cond) = match data.op {
        Opcode::Smin => (true, Cond::L),
        Opcode::Smax => (true, Cond::G),
        Opcode::Umin => (false, Cond::B),
        _ => (false, Cond::A),
    };
    if bits > word_bits::<C>() {
        wide::min_max(cx, data, bits, cond);
        return Ok(());
    }
    if matches!(bits, 8 | 16 | 32 | 64) {
        let (kept, other) = match flows_into(cx, data, data.a) {
            true => (data.a, data.b),
            false => (data.b, data.a),
        };
        let other = cx.use_reg(other, 0);
        let kept = cx.use_last(kept, 0);
        let dst = cx.def_reuse(result(data), 0, kept);
        let size = (bits / 8) as u8;
        cx.emit(rr(Op::CmpRR, size, other, dst));
        cx.emit(cmov(cond, size.max(4), dst, other));
        return Ok(());
    }
    let size = size_of_bits(bits);
    let a = extended_copy(cx, data.a, bits, signed, size);
    let b = extended_copy(cx, data.b, bits, signed, size);
    cx.emit(rr(Op::CmpRR, size, a, b));
    let dst = cx.def_reuse(result(data), 0, b);
    cx.emit(cmov(cond, size, dst, a));
    Ok(())
}

/// Lowers `scmp` and `ucmp`: greater minus less.
pub fn three_way<C: LowerCtx>(cx: &mut C, data: &InstData) -> Result<(), CodegenError> {
    let ty = type_of(cx, data.a);
    let bits = int_bits(cx, ty);
    if bits == 0 {
        return Err(CodegenError::unsupported(Refusal::Vector, "a comparison of vectors"));
    }
    let signed = data.op == Opcode::Scmp;
    let (greater, less) = if signed { (Cond::G, Cond::L) } else { (Cond::A, Cond::B) };
    if bits > word_bits::<C>() {
        return wide::three_way(cx, data, bits, signed);
    }
    let size = size_of_bits(bits);
    let a = extended_copy(cx, data.a, bits, signed, size);
    let b = extended_copy(cx, data.b, bits, signed, size);
    cx.emit(rr(Op::CmpRR, size, a, b));
    cx.emit(setcc(greater, a));
    cx.emit(setcc(less, b));
    cx.emit(rr(Op::SubRR, 1, a, b));
    finish_three_way(cx, data, a);
    Ok(())
}
