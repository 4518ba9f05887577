//! Comparisons of vectors of 256 bits, for which masks have no form: each is folded into the select or the extension
//! that takes it, and its result is in a register of the step.

use super::super::result;
use super::choice::{self, Change, Kind};
use super::wide::{self, is_zero, pool, reload, wide_shape};
use super::{compare, has_floats, operation, splat, temp};
use crate::build::*;
use crate::regs::WIDE_VECTOR_BYTES;
use crate::table::Op;
use frazil_codegen::{Folder, Halt, LowerCtx, Reg};
use frazil_ir::{Function, InstData, Opcode, Operand, Type};

/// The operation's size in bytes.
const SIZE: u8 = WIDE_VECTOR_BYTES;

/// The comparison of vectors of the same shape that chooses the lanes of a select, if it has instructions.
pub fn comparison<'a>(function: &'a Function, select: &InstData) -> Option<&'a InstData> {
    let compare = function.inst(function.def_inst(select.a.as_value()?)?);
    let of = |ty: Type| wide_shape(function.types(), ty);
    let (compared, chosen) = (of(compare.ty)?, of(select.ty)?);
    (is_compared(function, compare) && compared.lane_bits == chosen.lane_bits).then_some(compare)
}

/// Whether a comparison of vectors of 256 bits has instructions.
pub fn is_compared(function: &Function, compare: &InstData) -> bool {
    let Some(shape) = wide_shape(function.types(), compare.ty) else {
        return false;
    };
    let is_float = matches!(shape.element, Type::F32 | Type::F64);
    match compare.op {
        op if op.is_fcmp() => is_float && predicate(op).is_some(),
        op => op.is_icmp(),
    }
}

/// The comparison of signed numbers that has the order of one without signs, once all signs are inverted.
fn signed(op: Opcode) -> Opcode {
    match op {
        Opcode::IcmpUgt => Opcode::IcmpSgt,
        Opcode::IcmpUge => Opcode::IcmpSge,
        Opcode::IcmpUlt => Opcode::IcmpSlt,
        _ => Opcode::IcmpSle,
    }
}

/// New registers with lanes of 64 bits whose top bits are inverted.
fn with_inverted_signs<C: LowerCtx>(cx: &mut C, values: [Reg; 2]) -> [Reg; 2] {
    let signs = pool(cx, [splat(1 << 63, 64); 2]);
    let loaded = temp(cx);
    cx.emit(reload(SIZE, loaded, signs));
    values.map(|value| {
        let inverted = temp(cx);
        cx.emit(rrr(Op::VpxorYRRR, SIZE, inverted, value, loaded));
        inverted
    })
}

/// Whether a comparison of integers with an order is a signed one; `None` for one without.
fn is_ordered(op: Opcode) -> Option<bool> {
    match op {
        Opcode::IcmpEq | Opcode::IcmpNe => None,
        Opcode::IcmpSlt | Opcode::IcmpSle | Opcode::IcmpSgt | Opcode::IcmpSge => Some(true),
        _ => Some(false),
    }
}

/// The immediate of a comparison of floats that never traps on quiet numbers (Intel manual, `CMPPD`, table 3-1).
pub fn predicate(op: Opcode) -> Option<i32> {
    Some(match op {
        Opcode::FcmpOeq => 0x00,
        Opcode::FcmpUno => 0x03,
        Opcode::FcmpUne => 0x04,
        Opcode::FcmpOrd => 0x07,
        Opcode::FcmpUeq => 0x08,
        Opcode::FcmpOne => 0x0c,
        Opcode::FcmpOlt => 0x11,
        Opcode::FcmpOle => 0x12,
        Opcode::FcmpUge => 0x15,
        Opcode::FcmpUgt => 0x16,
        Opcode::FcmpUlt => 0x19,
        Opcode::FcmpUle => 0x1a,
        Opcode::FcmpOge => 0x1d,
        Opcode::FcmpOgt => 0x1e,
        _ => return None,
    })
}

/// Whether a select and its comparison are a minimum or a maximum.
pub fn is_extreme(function: &Function, select: &InstData) -> bool {
    comparison(function, select).is_some_and(|compare| extreme(function, select, compare).is_some())
}

/// Folds the comparison into a select or an extension, as their rules expect it; says whether there is one.
/// Legalisation has put it right before.
pub fn fold_taker(folder: &mut Folder<'_>, data: &InstData) -> bool {
    let is_taken = comparison(folder.function, data).is_some();
    if is_taken && let Some((value, _)) = folder.producer(data.a) {
        folder.fold(value);
    }
    if is_taken && data.op == Opcode::Select {
        choice::fold_changed_arm(folder, data);
    }
    is_taken
}

/// Lowers a select by a comparison that is folded into it.
pub fn select<C: LowerCtx>(cx: &mut C, data: &InstData) -> Result<(), Halt> {
    let compare = *comparison(cx.func(), data).ok_or(Halt::Expand)?;
    debug_assert!(cx.is_folded(data.a), "its comparison stands before it");
    let (if_true, if_false) = cx.func().ternary(data);
    if let Some((row, is_straight)) = extreme(cx.func(), data, &compare) {
        let (first, second) = if is_straight {
            (if_true, if_false)
        } else {
            (if_false, if_true)
        };
        let first = cx.use_reg(first, 0);
        let second = cx.use_reg(second, 0);
        let dst = cx.def(result(data), 0);
        cx.emit(rrr(row, SIZE, dst, first, second));
        return Ok(());
    }
    let (mask, is_inverted) = mask(cx, &compare);
    let folded = Change::of(cx.func(), data).find(|change| cx.is_folded(change.arm));
    if let Some(change) = folded {
        return changed(cx, data, change, mask, change.is_on_true != is_inverted);
    }
    let (taken, other) = match is_inverted {
        true => (if_false, if_true),
        false => (if_true, if_false),
    };
    if is_zero(cx.func(), other) {
        let taken = cx.use_reg(taken, 0);
        let dst = cx.def(result(data), 0);
        cx.emit(rrr(Op::VpandYRRR, SIZE, dst, mask, taken));
        return Ok(());
    }
    if is_zero(cx.func(), taken) {
        let other = cx.use_reg(other, 0);
        let dst = cx.def(result(data), 0);
        cx.emit(rrr(Op::VpandnYRRR, SIZE, dst, mask, other));
        return Ok(());
    }
    let row = match wide_shape(cx.func().types(), data.ty).is_some_and(has_floats) {
        true => Op::VblendvpsYRRR,
        false => Op::VpblendvbYRRR,
    };
    let taken = cx.use_reg(taken, 0);
    let other = cx.use_last(other, 0);
    let dst = cx.def_reuse(result(data), 0, other);
    cx.emit(rrr(row, SIZE, dst, taken, mask));
    Ok(())
}

/// Lowers a select to its other arm, changed where the mask is set, or, if it is not `direct`, where it is not.
fn changed<C: LowerCtx>(cx: &mut C, data: &InstData, change: Change, mut mask: Reg, direct: bool) -> Result<(), Halt> {
    let shape = wide_shape(cx.func().types(), data.ty).ok_or(Halt::Expand)?;
    let op = match change.kind {
        Kind::By(op, _) => op,
        Kind::Negative => Opcode::Sub,
    };
    let row = operation::wide_integers(op, shape.lane_bits).ok_or(Halt::Expand)?;
    let kept = cx.use_reg(change.kept, 0);
    if let Kind::By(_, operand) = change.kind {
        let by = cx.use_reg(operand, 0);
        let part = temp(cx);
        let dst = cx.def(result(data), 0);
        let keep = if direct { Op::VpandYRRR } else { Op::VpandnYRRR };
        cx.emit(rrr(keep, SIZE, part, mask, by));
        cx.emit(rrr(row, SIZE, dst, kept, part));
        return Ok(());
    }
    if !direct {
        mask = inverted(cx, mask);
    }
    let flipped = temp(cx);
    let dst = cx.def(result(data), 0);
    cx.emit(rrr(Op::VpxorYRRR, SIZE, flipped, kept, mask));
    cx.emit(rrr(row, SIZE, dst, flipped, mask));
    Ok(())
}

/// The opposite of a mask, in a register of the step.
fn inverted<C: LowerCtx>(cx: &mut C, mask: Reg) -> Reg {
    // The ones are written once, so that passes can keep them for all rounds of a loop.
    let ones = temp(cx);
    let opposite = temp(cx);
    cx.emit(r(Op::VpcmpeqdYS, SIZE, ones));
    cx.emit(rrr(Op::VpxorYRRR, SIZE, opposite, mask, ones));
    opposite
}

/// All ones where a comparison holds.
pub fn extend<C: LowerCtx>(cx: &mut C, data: &InstData) -> Result<(), Halt> {
    let compare = *comparison(cx.func(), data).ok_or(Halt::Expand)?;
    debug_assert!(cx.is_folded(data.a), "its comparison stands before it");
    let (mask, is_inverted) = computed(cx, &compare);
    if !is_inverted {
        cx.def_reuse(result(data), 0, mask);
        return Ok(());
    }
    let opposite = inverted(cx, mask);
    cx.def_reuse(result(data), 0, opposite);
    Ok(())
}

/// The row of a select that is a minimum or a maximum, and whether it takes its operands in this order.
fn extreme(function: &Function, select: &InstData, compare: &InstData) -> Option<(Op, bool)> {
    let shape = wide_shape(function.types(), select.ty)?;
    if !compare.op.is_fcmp() || compare.ty != select.ty {
        return None;
    }
    let (row, is_straight) = super::super::extreme::extreme(function, select, compare)?;
    let row = match (row, shape.element) {
        (Op::MinpRR, Type::F32) => Op::VminpsYRRR,
        (Op::MinpRR, Type::F64) => Op::VminpdYRRR,
        (Op::MaxpRR, Type::F32) => Op::VmaxpsYRRR,
        (Op::MaxpRR, Type::F64) => Op::VmaxpdYRRR,
        _ => return None,
    };
    Some((row, is_straight))
}

/// Whether the lanes of an operand are all ones or all zeros.
fn is_mask(function: &Function, operand: Operand) -> bool {
    let Some(inst) = operand.as_value().and_then(|value| function.def_inst(value)) else {
        return false;
    };
    let data = function.inst(inst);
    data.op == Opcode::Sext && comparison(function, data).is_some()
}

/// All ones in a register where a comparison holds, or, if the second result says so, where it does not.
fn mask<C: LowerCtx>(cx: &mut C, compare: &InstData) -> (Reg, bool) {
    let is_sign = compare.op == Opcode::IcmpSlt && is_zero(cx.func(), compare.b);
    if is_sign && is_mask(cx.func(), compare.a) {
        return (cx.use_reg(compare.a, 0), false);
    }
    computed(cx, compare)
}

/// A comparison with a constant without signs that its limit passes, as one with the next number: the greater or lesser
/// one of both says that without an inversion.
fn inclusive<C: LowerCtx>(cx: &C, compare: &InstData, lane_bits: u32) -> Option<(Opcode, [u128; 2])> {
    let (op, step) = match compare.op {
        Opcode::IcmpUlt => (Opcode::IcmpUle, -1),
        Opcode::IcmpUgt => (Opcode::IcmpUge, 1),
        _ => return None,
    };
    // Others are compared by their order with signs.
    if lane_bits == 64 {
        return None;
    }
    let [low, high] = wide::constant_halves(cx, compare.b)?;
    let next = |half| compare::next_number(half, step, (128 / lane_bits, lane_bits));
    Some((op, [next(low)?, next(high)?]))
}

/// The same in a register of the step.
fn computed<C: LowerCtx>(cx: &mut C, compare: &InstData) -> (Reg, bool) {
    let lane_bits = wide_shape(cx.func().types(), compare.ty).map_or(64, |shape| shape.lane_bits);
    let left = cx.use_reg(compare.a, 0);
    let inclusive = inclusive(cx, compare, lane_bits);
    let right = match inclusive {
        Some((_, limit)) => {
            let loaded = temp(cx);
            wide::constant(cx, loaded, limit);
            loaded
        }
        None => cx.use_reg(compare.b, 0),
    };
    let op = inclusive.map_or(compare.op, |(op, _)| op);
    let (left, right, op) = match op {
        op if op.is_icmp() && lane_bits == 64 && is_ordered(op) == Some(false) => {
            let [left, right] = with_inverted_signs(cx, [left, right]);
            (left, right, signed(op))
        }
        op => (left, right, op),
    };
    let mask = temp(cx);
    if let Some(predicate) = predicate(compare.op) {
        let row = match lane_bits {
            32 => Op::VcmppsYRRRI,
            _ => Op::VcmppdYRRRI,
        };
        cx.emit(rrri(row, SIZE, mask, left, right, predicate));
        return (mask, false);
    }
    let (equal, greater, most, least) = match lane_bits {
        8 => (Op::VpcmpeqbYRRR, Op::VpcmpgtbYRRR, Op::VpmaxubYRRR, Op::VpminubYRRR),
        16 => (Op::VpcmpeqwYRRR, Op::VpcmpgtwYRRR, Op::VpmaxuwYRRR, Op::VpminuwYRRR),
        32 => (Op::VpcmpeqdYRRR, Op::VpcmpgtdYRRR, Op::VpmaxudYRRR, Op::VpminudYRRR),
        // There is no order without signs of these: see above.
        _ => (Op::VpcmpeqqYRRR, Op::VpcmpgtqYRRR, Op::VpcmpgtqYRRR, Op::VpcmpgtqYRRR),
    };
    let is_inverted = match op {
        Opcode::IcmpEq | Opcode::IcmpNe => {
            cx.emit(rrr(equal, SIZE, mask, left, right));
            op == Opcode::IcmpNe
        }
        Opcode::IcmpSgt | Opcode::IcmpSle => {
            cx.emit(rrr(greater, SIZE, mask, left, right));
            op == Opcode::IcmpSle
        }
        Opcode::IcmpSlt | Opcode::IcmpSge => {
            cx.emit(rrr(greater, SIZE, mask, right, left));
            op == Opcode::IcmpSge
        }
        // The greater one of both is the left one where that is not less.
        Opcode::IcmpUge | Opcode::IcmpUlt => {
            cx.emit(rrr(most, SIZE, mask, left, right));
            cx.emit(rrr(equal, SIZE, mask, mask, left));
            op == Opcode::IcmpUlt
        }
        _ => {
            cx.emit(rrr(least, SIZE, mask, left, right));
            cx.emit(rrr(equal, SIZE, mask, mask, left));
            op == Opcode::IcmpUgt
        }
    };
    (mask, is_inverted)
}
