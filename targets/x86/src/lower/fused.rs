//! Products and sums with one rounding, `a * b + c`: which of the three gives its register to the result.
//!
//! Instructions with 213 in their name have the result in the place of a factor, those with 231 in that of the addend.
//! What a loop sums up stays in its register so, and a value that others need, too, is not copied.

use super::{flows_into, result};
use crate::build::rrr;
use crate::table::Op;
use frazil_codegen::LowerCtx;
use frazil_ir::{InstData, Operand};

/// The rows of an operation.
#[derive(Clone, Copy, Debug)]
pub struct Fused {
    /// With a factor in the place of the result.
    pub in_factor: Op,
    /// With the addend there, if there is a row for that.
    pub in_addend: Option<Op>,
}

impl Fused {
    /// An operation with both rows.
    pub const fn new(in_factor: Op, in_addend: Op) -> Fused {
        Fused {
            in_factor,
            in_addend: Some(in_addend),
        }
    }
}

/// The operand whose register is the result's.
enum Place {
    First,
    Second,
    Addend,
}

/// An operation on two factors and an addend, in scalars or vectors of any width.
pub fn multiply_add<C: LowerCtx>(cx: &mut C, data: &InstData, rows: Fused, size: u8, operands: [Operand; 3]) {
    let [first, second, addend] = operands;
    let (row, [in_place, other, last]) = match (place(cx, data, operands), rows.in_addend) {
        (Place::Addend, Some(row)) => (row, [addend, first, second]),
        (Place::Second, _) => (rows.in_factor, [second, first, addend]),
        _ => (rows.in_factor, [first, second, addend]),
    };
    let last = cx.use_reg(last, 0);
    let other = cx.use_reg(other, 0);
    let src = cx.use_last(in_place, 0);
    let dst = cx.def_reuse(result(data), 0, src);
    cx.emit(rrr(row, size, dst, other, last));
}

fn place<C: LowerCtx>(cx: &C, data: &InstData, [first, second, addend]: [Operand; 3]) -> Place {
    let is_only_here = |operand: Operand| {
        let value = operand.as_value();
        value.is_some_and(|value| cx.func().use_count(value) == 1)
    };
    match () {
        () if flows_into(cx, data, addend) => Place::Addend,
        () if flows_into(cx, data, first) => Place::First,
        () if flows_into(cx, data, second) => Place::Second,
        () if is_only_here(first) => Place::First,
        () if is_only_here(second) => Place::Second,
        () if is_only_here(addend) => Place::Addend,
        () => Place::First,
    }
}
