//! Selects between vectors of 16 bytes or less: by one condition, or lane by lane.
//!
//! Two things are folded into a select that is made of masks:
//!
//! * The comparison of integers, where its lanes are as wide as those of what is chosen: it is computed here, in lanes
//!   of that width, and its opposite only swaps the arms.
//! * The arm that changes the other one: `c ? x + k : x` is `x + (k & c)`, which needs no blend. So is what is
//!   subtracted, joined by `or` or `xor`; and the negative of the other arm is `(x ^ c) - c`.
//!
//! Where masks are in registers of their own ([`mask_register`]), selects are left to these. Those of 256 bits are
//! [`super::wide_compare`]'s, which takes changed arms, too.

use super::super::{compare as scalar_compare, result};
use super::wide::is_zero;
use super::{blend, compare, constant_operand, copy_of, finish, invert, mask, mask_register, operand_shape, operation};
use super::{shape, with, with_constant};
use crate::memory_forms::vector_memory_form;
use crate::table::Op;
use frazil_codegen::{Folder, Halt, LowerCtx, Reg, VectorShape};
use frazil_ir::{Function, InstData, Opcode, Operand};

/// An arm of a select that is made of the other one.
#[derive(Clone, Copy, Debug)]
pub struct Change {
    pub arm: Operand,
    /// Whether it is the one for lanes where the condition holds.
    pub is_on_true: bool,
    /// The other arm.
    pub kept: Operand,
    pub kind: Kind,
}

/// How the arm is made.
#[derive(Clone, Copy, Debug)]
pub enum Kind {
    /// By an operation that leaves the other arm as it is where its second operand is zero.
    By(Opcode, Operand),
    /// By its subtraction from zero.
    Negative,
}

impl Change {
    /// The changed arms of a select, of which there may be two.
    pub fn of(function: &Function, select: &InstData) -> impl Iterator<Item = Change> {
        let (if_true, if_false) = function.ternary(select);
        let arms = [(if_true, if_false, true), (if_false, if_true, false)];
        arms.into_iter().filter_map(|(arm, kept, is_on_true)| {
            let data = function.inst(function.def_inst(arm.as_value()?)?);
            let kind = match data.op {
                Opcode::Add | Opcode::Or | Opcode::Xor if data.b == kept => Kind::By(data.op, data.a),
                Opcode::Add | Opcode::Or | Opcode::Xor | Opcode::Sub if data.a == kept => Kind::By(data.op, data.b),
                Opcode::Sub if data.b == kept && is_zero(function, data.a) => Kind::Negative,
                _ => return None,
            };
            let change = Change {
                arm,
                is_on_true,
                kept,
                kind,
            };
            // Where one arm is zero, the mask alone decides.
            (!is_zero(function, kept)).then_some(change)
        })
    }

    /// What the arm is made of besides the other one.
    fn operand(&self) -> Operand {
        match self.kind {
            Kind::By(_, operand) => operand,
            Kind::Negative => Operand::NONE,
        }
    }
}

/// Folds what a select takes.
pub fn fold(folder: &mut Folder<'_>, select: &InstData) {
    let Some(shape) = shape(folder.function.types(), select.ty) else {
        return;
    };
    let condition = folder.function.operand_type(select.a);
    let is_by_lanes = condition.is_some_and(|ty| super::shape(folder.function.types(), ty).is_some());
    if !is_by_lanes || shape.is_mask || mask_register::is_available(folder.features()) {
        return;
    }
    if let Some((value, compare)) = folder.producer(select.a)
        && is_compared(folder.function, shape, compare)
    {
        folder.fold(value);
    }
    fold_changed_arm(folder, select);
}

/// Folds an arm of a select that changes the other one.
pub fn fold_changed_arm(folder: &mut Folder<'_>, select: &InstData) {
    for change in Change::of(folder.function, select) {
        let is_computed = |operand: Operand| operand.is_none() || !folder.is_folded(operand);
        if let Some((value, _)) = folder.producer(change.arm)
            && is_computed(change.kept)
            && is_computed(change.operand())
        {
            folder.fold(value);
            return;
        }
    }
}

/// Whether a comparison of integers makes a mask with lanes as wide as those that it chooses.
fn is_compared(function: &Function, chosen: VectorShape, compare: &InstData) -> bool {
    let compared = shape(function.types(), compare.ty);
    compare.op.is_icmp() && compared.is_some_and(|compared| !compared.is_mask && compared.lane_bits == chosen.lane_bits)
}

/// Lowers `select` of vectors, by one condition or by a mask.
pub fn select<C: LowerCtx>(cx: &mut C, data: &InstData, shape: VectorShape) -> Result<(), Halt> {
    let (if_true, if_false) = cx.func().ternary(data);
    if let Some(condition) = data.a.as_imm() {
        let src = cx.use_last(if condition != 0 { if_true } else { if_false }, 0);
        cx.def_reuse(result(data), 0, src);
        return Ok(());
    }
    let compare = folded_compare(cx, data);
    if let Some(compare) = compare.filter(|compare| compare.op.is_fcmp()) {
        return mask::min_max(cx, data, &compare, shape);
    }
    let (mask, is_inverted) = match (compare, operand_shape(cx, data.a)) {
        (Some(compare), _) => compare::mask_of_integers(cx, &compare, shape),
        (None, Ok(condition)) => {
            let mask = cx.use_copy(data.a, 0);
            mask::resize(cx, mask, condition.lane_bits, shape.lane_bits);
            (mask, false)
        }
        (None, Err(_)) => return Ok(scalar_compare::select_float(cx, data, if_true, if_false)?),
    };
    let folded = Change::of(cx.func(), data).find(|change| cx.is_folded(change.arm));
    if let Some(change) = folded {
        let value = changed(cx, change, mask, change.is_on_true != is_inverted, shape)?;
        finish(cx, data, value);
        return Ok(());
    }
    let (taken, other) = match is_inverted {
        true => (if_false, if_true),
        false => (if_true, if_false),
    };
    let value = if is_zero(cx.func(), taken) {
        keep(cx, mask, false, other);
        mask
    } else if is_zero(cx.func(), other) {
        keep(cx, mask, true, taken);
        mask
    } else {
        let other = cx.use_reg(other, 0);
        let taken = cx.use_copy(taken, 0);
        blend(cx, taken, mask, other);
        taken
    };
    finish(cx, data, value);
    Ok(())
}

/// The comparison that was folded into a select of vectors.
fn folded_compare<C: LowerCtx>(cx: &C, select: &InstData) -> Option<InstData> {
    let value = select.a.as_value().filter(|_| cx.is_folded(select.a))?;
    let data = *cx.func().inst(cx.func().def_inst(value)?);
    shape(cx.func().types(), data.ty).map(|_| data)
}

/// Keeps of an operand in `mask` what the mask has, or, if it is not `direct`, what it has not.
fn keep<C: LowerCtx>(cx: &mut C, mask: Reg, direct: bool, operand: Operand) {
    let row = if direct { Op::PandRR } else { Op::PandnRR };
    if let Some(bits) = constant_operand(cx, operand)
        && let Some(row) = vector_memory_form(row)
    {
        return with_constant(cx, row, mask, bits);
    }
    let value = cx.use_reg(operand, 0);
    with(cx, row, mask, value);
}

/// The other arm in a register of the rule, changed where the mask is set, or, if it is not `direct`, where it is not.
fn changed<C: LowerCtx>(cx: &mut C, change: Change, mask: Reg, direct: bool, shape: VectorShape) -> Result<Reg, Halt> {
    let (op, is_symmetric) = match change.kind {
        Kind::Negative => (Opcode::Sub, false),
        Kind::By(op, _) => (op, op.is_commutative()),
    };
    let (row, _) = operation::row(cx.view(), op, shape).ok_or(Halt::Expand)?;
    match change.kind {
        Kind::By(_, operand) => keep(cx, mask, direct, operand),
        Kind::Negative if !direct => invert(cx, mask),
        Kind::Negative => {}
    }
    if is_symmetric {
        let kept = cx.use_reg(change.kept, 0);
        with(cx, row, mask, kept);
        return Ok(mask);
    }
    let kept = cx.use_reg(change.kept, 0);
    let value = copy_of(cx, kept);
    if matches!(change.kind, Kind::Negative) {
        with(cx, Op::PxorRR, value, mask);
    }
    with(cx, row, value, mask);
    Ok(value)
}
