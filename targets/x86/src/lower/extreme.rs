//! Selects of floats, or of vectors of them, by their own comparison: which are the minimum or maximum that the
//! processor has.
//!
//! `mins` and `maxs`, and their forms for vectors, give their second operand if one is no number or both are zeros
//! (Intel SDM, volume 2, "MINSD"), so that the order of operands is that of the select where it is decided by what is
//! chosen if the comparison fails, and the opposite one where it is decided by what is chosen if it holds.

use crate::table::Op;
use frazil_ir::{ConstView, FastFlags, Function, InstData, Opcode, Operand, Type};

/// The row that a comparison and a select of its operands are, and whether it takes them in the select's order. Both
/// instructions give their second operand if one is no number or both are zeros.
pub fn extreme(function: &Function, select: &InstData, compare: &InstData) -> Option<(Op, bool)> {
    // Other floats have no such rows.
    if !matches!(function.types().scalar(select.ty), Type::F32 | Type::F64) {
        return None;
    }
    let (if_true, if_false) = function.ternary(select);
    // Constants of loops are copied before them, where they are.
    let original = |operand: Operand| {
        let inst = operand.as_value().and_then(|value| function.def_inst(value));
        let data = inst.map(|inst| function.inst(inst));
        data.filter(|data| data.op == Opcode::Copy && data.a.as_const().is_some())
            .map_or(operand, |copy| copy.a)
    };
    let [if_true, if_false, left, right] = [if_true, if_false, compare.a, compare.b].map(original);
    let is_straight = match (left == if_true, right == if_false) {
        (true, true) => true,
        _ if left == if_false && right == if_true => false,
        _ => return None,
    };
    let allows = |flags: FastFlags| FastFlags::from_bits_retain(select.flags).contains(flags);
    // Zeros differ in their signs, but not from other numbers that are equal to them.
    let any_zero = allows(FastFlags::NSZ) || [left, right].iter().any(|&operand| is_never_zero(function, operand));
    Some(match (compare.op, is_straight) {
        // What is chosen if the comparison fails comes second.
        (Opcode::FcmpOlt, true) | (Opcode::FcmpOgt, false) => (Op::MinpRR, true),
        (Opcode::FcmpOgt, true) | (Opcode::FcmpOlt, false) => (Op::MaxpRR, true),
        (Opcode::FcmpOle, true) | (Opcode::FcmpOge, false) if any_zero => (Op::MinpRR, true),
        (Opcode::FcmpOge, true) | (Opcode::FcmpOle, false) if any_zero => (Op::MaxpRR, true),
        // What is chosen if it holds comes second: also for what is no number.
        (Opcode::FcmpUle, true) | (Opcode::FcmpUge, false) => (Op::MinpRR, false),
        (Opcode::FcmpUge, true) | (Opcode::FcmpUle, false) => (Op::MaxpRR, false),
        (Opcode::FcmpUlt, true) | (Opcode::FcmpUgt, false) if any_zero => (Op::MinpRR, false),
        (Opcode::FcmpUgt, true) | (Opcode::FcmpUlt, false) if any_zero => (Op::MaxpRR, false),
        _ => return None,
    })
}

/// Whether no lane of a vector of floats, or a float, is a zero, since it is a constant without any.
fn is_never_zero(function: &Function, operand: Operand) -> bool {
    let view = |operand: Operand| operand.as_const().map(|id| function.constant(id).1);
    let is_zero = |lane: Operand| match view(lane) {
        // Zeros of `float` and `double`, with either sign.
        Some(ConstView::Float(&[word])) => matches!(word, 0 | 0x8000_0000 | 0x8000_0000_0000_0000),
        _ => true,
    };
    match view(operand) {
        Some(ConstView::Vector(lanes)) => !lanes.iter().any(|&lane| is_zero(lane)),
        Some(ConstView::Float(_)) => !is_zero(operand),
        _ => false,
    }
}
