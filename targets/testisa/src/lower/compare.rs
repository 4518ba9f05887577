//! Comparisons, what chooses by them, and branches.
//!
//! There are no flags: a branch compares two registers itself, a comparison as a value is 0 or 1 in a register.

use super::wide::{self, A, B, KEPT, Wide};
use super::{extended, float_bytes, int_bits, int_part, part_count, result, type_of};
use crate::build::*;
use crate::ops::Op;
use crate::regs::{SC, ZERO};
use frazil_codegen::{Branch, CodegenError, GroupKind, LowerCtx, MInst, Reg, RegClass};
use frazil_ir::{InstData, Opcode, Operand, Refusal};

/// How an integer comparison is made of `==` or `<`.
#[derive(Clone, Copy)]
struct ComparisonForm {
    is_equality: bool,
    /// Whether the operands are exchanged.
    swap: bool,
    /// Whether the outcome is inverted.
    invert: bool,
    signed: bool,
}

fn plan(op: Opcode) -> ComparisonForm {
    let of = |is_equality, swap, invert, signed| ComparisonForm {
        is_equality,
        swap,
        invert,
        signed,
    };
    match op {
        Opcode::IcmpEq => of(true, false, false, false),
        Opcode::IcmpNe => of(true, false, true, false),
        Opcode::IcmpUgt => of(false, true, false, false),
        Opcode::IcmpUge => of(false, false, true, false),
        Opcode::IcmpUlt => of(false, false, false, false),
        Opcode::IcmpUle => of(false, true, true, false),
        Opcode::IcmpSgt => of(false, true, false, true),
        Opcode::IcmpSge => of(false, false, true, true),
        Opcode::IcmpSlt => of(false, false, false, true),
        _ => of(false, true, true, true),
    }
}

/// The comparison that an operand folded.
fn folded<C: LowerCtx>(cx: &C, operand: Operand) -> Option<InstData> {
    if !cx.is_folded(operand) {
        return None;
    }
    let inst = cx.func().def_inst(operand.as_value()?)?;
    Some(*cx.func().inst(inst))
}

/// The branch that is taken when a comparison of one part holds.
fn narrow_branch<C: LowerCtx>(cx: &mut C, compare: &InstData) -> MInst {
    let plan = plan(compare.op);
    let bits = int_bits(cx, compare.ty);
    let a = extended(cx, compare.a, bits, plan.signed);
    let b = extended(cx, compare.b, bits, plan.signed);
    let op = match (plan.is_equality, plan.signed, plan.invert) {
        (true, _, false) => Op::Beq,
        (true, _, true) => Op::Bne,
        (_, true, false) => Op::Blt,
        (_, true, true) => Op::Bge,
        (_, false, false) => Op::Bltu,
        (_, false, true) => Op::Bgeu,
    };
    let (a, b) = if plan.swap { (b, a) } else { (a, b) };
    branch(op, a, b, frazil_codegen::Label(0))
}

/// The branch for a condition: of a folded comparison, or on the lowest bit.
pub fn branch_on<C: LowerCtx>(cx: &mut C, condition: Operand) -> Result<Branch, CodegenError> {
    let first = match folded(cx, condition) {
        Some(compare) => narrow_branch(cx, &compare),
        None => {
            let bit = cx.use_reg(condition, 0);
            cx.emit(rri(Op::Andi, KEPT, bit, 1));
            branch(Op::Bne, KEPT, ZERO, frazil_codegen::Label(0))
        }
    };
    Ok(Branch { first, second: None })
}

/// Lowers an integer comparison that is not folded.
pub fn integer<C: LowerCtx>(cx: &mut C, data: &InstData) {
    let plan = plan(data.op);
    let bits = int_bits(cx, data.ty);
    if bits > 32 {
        let words = part_count(bits);
        let (a, b) = (Wide::at(A, words), Wide::at(B, words));
        wide::read(cx, a, data.a, bits, plan.signed);
        wide::read(cx, b, data.b, bits, plan.signed);
        let (a, b) = if plan.swap { (b, a) } else { (a, b) };
        let outcome = if plan.is_equality {
            let difference = wide::difference(cx, a, b);
            cx.emit(rri(Op::Sltiu, difference, difference, 1));
            difference
        } else {
            wide::less(cx, a, b, plan.signed)
        };
        if plan.invert {
            cx.emit(rri(Op::Xori, outcome, outcome, 1));
        }
        wide::write_one(cx, result(data), outcome);
        return;
    }
    let a = extended(cx, data.a, bits, plan.signed);
    let b = extended(cx, data.b, bits, plan.signed);
    let (a, b) = if plan.swap { (b, a) } else { (a, b) };
    let dst = cx.def(result(data), 0);
    if plan.is_equality {
        cx.emit(rrr(Op::Xor, dst, a, b));
        cx.emit(rri(Op::Sltiu, dst, dst, 1));
    } else {
        cx.emit(rrr(if plan.signed { Op::Slt } else { Op::Sltu }, dst, a, b));
    }
    if plan.invert {
        cx.emit(rri(Op::Xori, dst, dst, 1));
    }
}

/// Lowers a comparison of floats: a combination of two tests, perhaps inverted.
pub fn float<C: LowerCtx>(cx: &mut C, data: &InstData) {
    use Opcode as O;
    let bytes = float_bytes(data.ty);
    if matches!(data.op, O::FcmpFalse | O::FcmpTrue) {
        let dst = cx.def(result(data), 0);
        cx.emit(li(dst, i32::from(data.op == O::FcmpTrue)));
        return;
    }
    let a = cx.use_reg(data.a, 0);
    let b = cx.use_reg(data.b, 0);
    let dst = cx.def(result(data), 0);
    let mut test = |op: Op, x: Reg, y: Reg| cx.emit(rrr_sized(op, bytes, dst, x, y));
    match data.op {
        O::FcmpOeq | O::FcmpUne => test(Op::Feq, a, b),
        O::FcmpOgt | O::FcmpUle => test(Op::Flt, b, a),
        O::FcmpOge | O::FcmpUlt => test(Op::Fle, b, a),
        O::FcmpOlt | O::FcmpUge => test(Op::Flt, a, b),
        O::FcmpOle | O::FcmpUgt => test(Op::Fle, a, b),
        O::FcmpOne | O::FcmpUeq => {
            test(Op::Flt, a, b);
            cx.emit(rrr_sized(Op::Flt, bytes, SC, b, a));
            cx.emit(rrr(Op::Or, dst, dst, SC));
        }
        _ => {
            test(Op::Feq, a, a);
            cx.emit(rrr_sized(Op::Feq, bytes, SC, b, b));
            cx.emit(rrr(Op::And, dst, dst, SC));
        }
    }
    let unordered = [
        O::FcmpUno,
        O::FcmpUeq,
        O::FcmpUgt,
        O::FcmpUge,
        O::FcmpUlt,
        O::FcmpUle,
        O::FcmpUne,
    ];
    if unordered.contains(&data.op) {
        cx.emit(rri(Op::Xori, dst, dst, 1));
    }
}

/// Lowers a select: the condition to a bit, then part by part a move over which a branch leads.
pub fn select<C: LowerCtx>(cx: &mut C, data: &InstData) -> Result<(), CodegenError> {
    let (then, otherwise) = cx.func().ternary(data);
    keep_condition(cx, data.a);
    cx.step();
    let bytes = float_bytes(data.ty);
    let bits = int_bits(cx, data.ty);
    if bits == 0 && bytes == 0 {
        return Err(CodegenError::unsupported(Refusal::Vector, "a select of vectors"));
    }
    for part in 0..part_count(bits).max(1) {
        let (x, y) = if bytes > 0 {
            (cx.use_reg(then, 0), cx.use_reg(otherwise, 0))
        } else {
            (int_part(cx, then, part), int_part(cx, otherwise, part))
        };
        let dst = cx.def(result(data), part);
        let mov = |src| match bytes {
            0 => rr(Op::Mov, dst, src),
            _ => rr_sized(Op::Fmov, bytes, dst, src),
        };
        cx.begin_group(GroupKind::Plain);
        let done = cx.local_label();
        cx.emit(mov(x));
        cx.emit(branch(Op::Bne, KEPT, ZERO, done));
        cx.emit(mov(y));
        cx.bind(done);
        cx.end_group();
        cx.step();
    }
    Ok(())
}

/// Puts a condition into [`KEPT`] as 0 or 1.
fn keep_condition<C: LowerCtx>(cx: &mut C, condition: Operand) {
    let Some(compare) = folded(cx, condition) else {
        let bit = cx.use_reg(condition, 0);
        cx.emit(rri(Op::Andi, KEPT, bit, 1));
        return;
    };
    let holds = narrow_branch(cx, &compare);
    cx.begin_group(GroupKind::Plain);
    let done = cx.local_label();
    cx.emit(li(KEPT, 1));
    cx.emit(holds.with_label(done));
    cx.emit(li(KEPT, 0));
    cx.bind(done);
    cx.end_group();
}

/// Lowers `smin`, `smax`, `umin` and `umax`.
pub fn min_max<C: LowerCtx>(cx: &mut C, data: &InstData) {
    let bits = int_bits(cx, data.ty);
    let signed = matches!(data.op, Opcode::Smin | Opcode::Smax);
    let words = part_count(bits);
    let (a, b) = (Wide::at(A, words), Wide::at(B, words));
    wide::read(cx, a, data.a, bits, signed);
    wide::read(cx, b, data.b, bits, signed);
    let less = match data.op {
        Opcode::Smin | Opcode::Umin => wide::less(cx, b, a, signed),
        _ => wide::less(cx, a, b, signed),
    };
    wide::choose(cx, a, less, b);
    wide::write(cx, result(data), bits, a);
}

/// Lowers `scmp` and `ucmp`.
pub fn three_way<C: LowerCtx>(cx: &mut C, data: &InstData) {
    let bits = int_bits(cx, type_of(cx, data.a));
    let signed = data.op == Opcode::Scmp;
    let words = part_count(bits);
    let (a, b) = (Wide::at(A, words), Wide::at(B, words));
    wide::read(cx, a, data.a, bits, signed);
    wide::read(cx, b, data.b, bits, signed);
    let less = wide::less(cx, a, b, signed);
    cx.emit(rr(Op::Mov, KEPT, less));
    let greater = wide::less(cx, b, a, signed);
    let to = int_bits(cx, data.ty);
    let r = Wide::at(wide::R, part_count(to));
    cx.emit(rrr(Op::Sub, r.word(0), greater, KEPT));
    wide::extend(cx, r, 32, true);
    wide::write(cx, result(data), to, r);
}

/// Lowers `abs`.
pub fn abs<C: LowerCtx>(cx: &mut C, data: &InstData) {
    let bits = int_bits(cx, data.ty);
    if bits <= 32 {
        let a = extended(cx, data.a, bits, true);
        let sign = cx.temp(RegClass::Int);
        let dst = cx.def(result(data), 0);
        cx.emit(rri(Op::Srai, sign, a, 31));
        cx.emit(rrr(Op::Xor, dst, a, sign));
        cx.emit(rrr(Op::Sub, dst, dst, sign));
        return;
    }
    let words = part_count(bits);
    let (a, r) = (Wide::at(A, words), Wide::at(wide::R, words));
    wide::read(cx, a, data.a, bits, true);
    wide::negate(cx, r, a);
    cx.emit(rri(Op::Srli, KEPT, a.top(), 31));
    wide::choose(cx, a, KEPT, r);
    wide::write(cx, result(data), bits, a);
}
