//! Averages that are rounded up, which programs write as sums in wider lanes.
//!
//! ```text
//! trunc((zext a + zext b + 1) >> 1)     ->     (a | b) - ((a ^ b) >> 1)
//! ```
//!
//! The right side needs no wider lanes (Warren, "Hacker's Delight", chapter 2), and is one instruction where a target
//! recognizes it ([`operands_of_narrow`]). The left side is what is left of it in LLVM's IR, also where a program names
//! that instruction.

use frazil_ir::{ConstView, EntityRef, Function, InstData, Opcode, Operand, Type, TypeData};

/// What a truncation is the average of, if it is one.
pub(super) fn operands(function: &Function, data: &InstData) -> Option<[Operand; 2]> {
    // The half of a bit would be a shift by its width.
    let TypeData::Vector { element, .. } = function.types().data(data.ty) else {
        return None;
    };
    if data.op != Opcode::Trunc || element == Type::I1 {
        return None;
    }
    let half = of(function, data.a, Opcode::Lshr)?;
    let sum = of(function, half.a, Opcode::Add).filter(|_| is_one(function, half.b))?;
    // Of three summands, two stand in a sum of their own.
    let (inner, outer) = match of(function, sum.a, Opcode::Add) {
        Some(inner) => (inner, sum.b),
        None => (of(function, sum.b, Opcode::Add)?, sum.a),
    };
    let mut widened = [inner.a, inner.b, outer]
        .into_iter()
        .filter(|&summand| !is_one(function, summand));
    let mut next = || {
        let extension = of(function, widened.next()?, Opcode::Zext)?;
        // The same value is taken twice, which an undefined constant need not be.
        let is_whole = function.operand_type(extension.a) == Some(data.ty) && extension.a.as_value().is_some();
        is_whole.then_some(extension.a)
    };
    let operands = [next()?, next()?];
    next().is_none().then_some(operands)
}

/// By instruction, whether it is a part of an average that will be computed as one, and of nothing else, so that
/// nothing needs it; empty if none is.
pub(super) fn unneeded(function: &Function, is_computed: impl Fn(&InstData) -> bool) -> Vec<bool> {
    let mut unneeded = Vec::new();
    for data in function.insts() {
        if is_computed(data) {
            unneeded.resize(function.insts().len(), false);
            mark(function, data.a, &mut unneeded);
        }
    }
    unneeded
}

/// Marks what defines an operand and is used once, and so on, up to the extensions.
fn mark(function: &Function, operand: Operand, unneeded: &mut [bool]) {
    let Some(value) = operand.as_value().filter(|&value| function.use_count(value) == 1) else {
        return;
    };
    let Some(inst) = function.def_inst(value) else { return };
    let data = function.inst(inst);
    if !matches!(data.op, Opcode::Lshr | Opcode::Add | Opcode::Zext) {
        return;
    }
    unneeded[inst.index()] = true;
    if data.op != Opcode::Zext {
        mark(function, data.a, unneeded);
        mark(function, data.b, unneeded);
    }
}

/// What a difference is the average of, if it is one as this module makes it, with each operation used nowhere else.
pub fn operands_of_narrow<'a>(
    difference: &InstData,
    producer: impl Fn(Operand) -> Option<&'a InstData>,
    function: &Function,
) -> Option<[Operand; 2]> {
    let of = |operand: Operand, op: Opcode| producer(operand).filter(|data| data.op == op);
    let (either, half) = (of(difference.a, Opcode::Or)?, of(difference.b, Opcode::Lshr)?);
    let other = of(half.a, Opcode::Xor).filter(|_| is_one(function, half.b))?;
    let operands = [either.a, either.b];
    (operands == [other.a, other.b] || operands == [other.b, other.a]).then_some(operands)
}

fn of(function: &Function, operand: Operand, op: Opcode) -> Option<&InstData> {
    let data = function.inst(function.def_inst(operand.as_value()?)?);
    (data.op == op).then_some(data)
}

/// Whether all lanes of an operand are 1.
fn is_one(function: &Function, operand: Operand) -> bool {
    // Constants of loops are copied before them.
    let copied = of(function, operand, Opcode::Copy).map_or(operand, |copy| copy.a);
    let Some(id) = copied.as_const() else { return false };
    match function.constant(id).1 {
        ConstView::Vector(lanes) => lanes.iter().all(|lane| lane.as_imm() == Some(1)),
        _ => false,
    }
}
