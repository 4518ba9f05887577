//! Masks of vectors of 256 and 512 bits in mask registers: comparisons, and the selects and extensions that take them.
//!
//! A mask is the bits of an integer wherever it is kept, so a comparison is folded into the cast to that integer, or
//! into a select; and a select takes its mask from a comparison, or from a cast, that is folded into it
//! ([`frazil_codegen::Isa::masks_are_bits`]). So does an extension, whose lanes are all ones or all zeros. Where the
//! bits are cast to a mask of a shorter vector, whose lanes are spread over its register, both casts are one rule.

use super::super::result;
use super::mask_register::{is_available, put_bits, spread};
use super::wide;
use super::wide_compare;
use super::wide_compare::{is_extreme, predicate};
use crate::build::*;
use crate::evex::Evex;
use crate::ops::aux;
use crate::regs::{MASK, VECTOR_BYTES, WIDEST_VECTOR_BYTES};
use frazil_codegen::{Folder, Halt, LowerCtx, Reg, VectorShape};
use frazil_ir::{Function, InstData, Opcode, Operand, Type, TypeData, TypeTable};

/// The shape of a vector of 256 or 512 bits.
fn shape(types: &TypeTable, ty: Type) -> Option<VectorShape> {
    match wide::bytes(types, ty) {
        0 => None,
        _ => VectorShape::of(types, ty, WIDEST_VECTOR_BYTES),
    }
}

/// Whether it is a comparison, a select or an extension of a mask.
pub fn is_concerned(function: &Function, data: &InstData) -> bool {
    data.op == Opcode::Select || data.op.is_icmp() || data.op.is_fcmp() || is_extended(function, data)
}

/// Whether an instruction extends a mask.
fn is_extended(function: &Function, data: &InstData) -> bool {
    matches!(data.op, Opcode::Sext | Opcode::Zext) && has_mask(function, data)
}

/// Whether the first operand is a vector of truth values.
fn has_mask(function: &Function, data: &InstData) -> bool {
    let mask = function.operand_type(data.a).map(|ty| function.types().data(ty));
    matches!(mask, Some(TypeData::Vector { element: Type::I1, .. }))
}

/// Whether one of these has instructions, where [`is_available`].
pub fn is_done(function: &Function, data: &InstData) -> bool {
    match data.op {
        // One truth value for all lanes is no mask.
        Opcode::Select | Opcode::Sext | Opcode::Zext => {
            has_mask(function, data) && shape(function.types(), data.ty).is_some()
        }
        _ => wide_compared(function, data).is_some(),
    }
}

/// What [`compared`] says of a comparison of vectors of 256 or 512 bits.
fn wide_compared(function: &Function, compare: &InstData) -> Option<Compared> {
    compared(function, compare).filter(|_| wide::bytes(function.types(), compare.ty) > 0)
}

/// The row, length and immediate of a comparison.
type Compared = (Evex, u8, i32);

/// How vectors are compared into a mask register; of shorter ones, what is in the bits for lanes that they do not have
/// is undefined.
fn compared(function: &Function, compare: &InstData) -> Option<Compared> {
    let bytes = wide::bytes(function.types(), compare.ty).max(VECTOR_BYTES);
    let shape = VectorShape::of(function.types(), compare.ty, bytes)?;
    if shape.is_mask || shape.lane_bits > 64 {
        return None;
    }
    if compare.op.is_fcmp() {
        let row = match shape.element {
            Type::F32 => Evex::Vcmpps,
            Type::F64 => Evex::Vcmppd,
            _ => return None,
        };
        return Some((row, bytes, predicate(compare.op)?));
    }
    let (signed, unsigned) = match shape.lane_bits {
        8 => (Evex::Vpcmpb, Evex::Vpcmpub),
        16 => (Evex::Vpcmpw, Evex::Vpcmpuw),
        32 => (Evex::Vpcmpd, Evex::Vpcmpud),
        _ => (Evex::Vpcmpq, Evex::Vpcmpuq),
    };
    // Intel manual, `VPCMPD`: equal, less, not greater, not equal, not less, greater.
    let (row, predicate) = match compare.op {
        Opcode::IcmpEq => (signed, 0),
        Opcode::IcmpNe => (signed, 4),
        Opcode::IcmpSlt => (signed, 1),
        Opcode::IcmpSle => (signed, 2),
        Opcode::IcmpSge => (signed, 5),
        Opcode::IcmpSgt => (signed, 6),
        Opcode::IcmpUlt => (unsigned, 1),
        Opcode::IcmpUle => (unsigned, 2),
        Opcode::IcmpUge => (unsigned, 5),
        Opcode::IcmpUgt => (unsigned, 6),
        _ => return None,
    };
    Some((row, bytes, predicate))
}

/// What [`compared`] says of a comparison whose mask is wanted as bits: of vectors of 256 or 512 bits, and of shorter
/// ones that would take more than a comparison and the bits of its lanes' signs.
fn compared_to_bits(function: &Function, compare: &InstData) -> Option<Compared> {
    if wide::bytes(function.types(), compare.ty) > 0 {
        return compared(function, compare);
    }
    if !compare.op.is_icmp() && !compare.op.is_fcmp() {
        return None;
    }
    let shape = VectorShape::of(function.types(), compare.ty, VECTOR_BYTES)?;
    let is_full = shape.lanes * shape.lane_bits == u32::from(VECTOR_BYTES) * 8 && shape.lane_bits != 16;
    let is_short = matches!(compare.op, Opcode::IcmpEq | Opcode::IcmpSgt | Opcode::IcmpSlt) || compare.op.is_fcmp();
    compared(function, compare).filter(|_| !is_full || !is_short)
}

/// Folds what the mask of a select comes from, as its rule expects it. Legalisation has put it right before.
fn fold_mask(folder: &mut Folder<'_>, mask: Operand) {
    if let Some((value, data)) = folder.producer(mask)
        && (data.op == Opcode::Bitcast || compared(folder.function, data).is_some())
    {
        folder.fold(value);
    }
}

/// Folds what a select takes.
pub fn fold_select(folder: &mut Folder<'_>, select: &InstData) {
    fold_mask(folder, select.a);
    fold_operation(folder, select);
}

/// Folds what the mask of an extension to a vector of 256 or 512 bits comes from; says whether it is one.
pub fn fold_extended(folder: &mut Folder<'_>, data: &InstData) -> bool {
    let is_here = is_available(folder.features()) && is_extended(folder.function, data);
    if is_here {
        fold_mask(folder, data.a);
    }
    is_here
}

/// Folds a comparison into a cast, which legalisation has put right after it, and such a cast into one to a mask of a
/// shorter vector.
pub fn fold_compared(folder: &mut Folder<'_>, bits: Operand) {
    if is_available(folder.features())
        && let Some((value, data)) = folder.producer(bits)
        && (compared_to_bits(folder.function, data).is_some() || is_cast_to_bits(folder, data))
    {
        folder.fold(value);
    }
}

/// Whether an instruction is a cast that a comparison is folded into.
fn is_cast_to_bits(folder: &Folder<'_>, cast: &InstData) -> bool {
    cast.op == Opcode::Bitcast
        && folder.is_folded(cast.a)
        && definition(folder.function, cast.a)
            .is_some_and(|compare| compared_to_bits(folder.function, compare).is_some())
}

fn definition(function: &Function, operand: Operand) -> Option<&InstData> {
    Some(function.inst(function.def_inst(operand.as_value()?)?))
}

/// What defines an operand, if it is folded.
fn folded<C: LowerCtx>(cx: &C, operand: Operand) -> Option<InstData> {
    definition(cx.func(), operand)
        .filter(|_| cx.is_folded(operand))
        .copied()
}

/// Lowers a cast that a comparison is folded into, or another such cast; `false` if it is neither.
pub fn cast<C: LowerCtx>(cx: &mut C, data: &InstData) -> bool {
    let Some(first) = folded(cx, data.a) else {
        return false;
    };
    if first.op == Opcode::Bitcast {
        let shape = super::shape(cx.func().types(), data.ty).filter(|shape| shape.is_mask);
        let (Some(shape), Some(compare)) = (shape, folded(cx, first.a)) else {
            return false;
        };
        let found = compared(cx.func(), &compare).expect("it was folded");
        let dst = put_compared_before(cx, data, &compare, found);
        spread(cx, dst, shape.lane_bits, VECTOR_BYTES);
        return true;
    }
    let Some(found) = compared_to_bits(cx.func(), &first) else {
        return false;
    };
    let dst = put_compared_before(cx, data, &first, found);
    let bits = cx.func().types().int_bits(data.ty).unwrap_or(64);
    let row = match bits {
        ..=16 => Evex::KmovwRK,
        17..=32 => Evex::KmovdRK,
        _ => Evex::KmovqRK,
    };
    cx.emit(evex(row, VECTOR_BYTES, false, [dst, MASK, Reg::NONE], 0));
    true
}

/// Compares into the mask register, once there is a register for the result.
fn put_compared_before<C: LowerCtx>(cx: &mut C, data: &InstData, compare: &InstData, found: Compared) -> Reg {
    let (left, right) = (cx.use_reg(compare.a, 0), cx.use_reg(compare.b, 0));
    let dst = cx.def(result(data), 0);
    put_compared(cx, found, left, right);
    dst
}

fn put_compared<C: LowerCtx>(cx: &mut C, (row, bytes, predicate): Compared, left: Reg, right: Reg) {
    cx.emit(evex(row, bytes, false, [MASK, left, right], predicate));
}

/// What a mask comes from: a comparison and its operands, or bits.
struct Source {
    compared: Option<Compared>,
    regs: [Reg; 2],
}

/// Takes the operands of what the mask that is an instruction's first operand comes from, which is folded.
fn take_source<C: LowerCtx>(cx: &mut C, data: &InstData) -> Result<Source, Halt> {
    let mask = folded(cx, data.a).ok_or(Halt::Expand)?;
    let compared = compared(cx.func(), &mask);
    let first = cx.use_reg(mask.a, 0);
    let second = match compared {
        Some(_) => cx.use_reg(mask.b, 0),
        None => Reg::NONE,
    };
    let regs = [first, second];
    Ok(Source { compared, regs })
}

/// Brings the mask for so many lanes to the mask register.
fn put_source<C: LowerCtx>(cx: &mut C, source: &Source, lanes: u32) {
    let [first, second] = source.regs;
    match source.compared {
        Some(found) => put_compared(cx, found, first, second),
        None => put_bits(cx, first, lanes),
    }
}

/// Lowers a select or an extension of a mask.
///
/// # Errors
/// A mask that is not folded, and a comparison for its own sake.
pub fn lower<C: LowerCtx>(cx: &mut C, data: &InstData) -> Result<(), Halt> {
    match data.op {
        Opcode::Select => select(cx, data),
        Opcode::Sext | Opcode::Zext => extend(cx, data),
        _ => Err(Halt::Expand),
    }
}

fn extend<C: LowerCtx>(cx: &mut C, data: &InstData) -> Result<(), Halt> {
    let shape = shape(cx.func().types(), data.ty).ok_or(Halt::Expand)?;
    let bytes = wide::bytes(cx.func().types(), data.ty);
    let source = take_source(cx, data)?;
    let dst = cx.def(result(data), 0);
    put_source(cx, &source, shape.lanes);
    spread(cx, dst, shape.lane_bits, bytes);
    if data.op == Opcode::Zext {
        cx.emit(super::widest::magnitude(shape.lane_bits, bytes, dst, dst));
    }
    Ok(())
}

/// The row that does an operation on vectors of 256 or 512 bits only in lanes of a mask.
fn masked_row(function: &Function, operation: &InstData) -> Option<Evex> {
    let shape = shape(function.types(), operation.ty)?;
    let row = super::widest::row_of_two(operation, shape)?;
    row.may_have_mask().then_some(row)
}

/// Folds an operation into a select that takes its result where the mask, which is folded, says so.
fn fold_operation(folder: &mut Folder<'_>, select: &InstData) {
    let (if_true, if_false) = folder.function.ternary(select);
    let mask = definition(folder.function, select.a).filter(|_| folder.is_folded(select.a));
    let Some(mask) = mask.filter(|_| !is_extreme(folder.function, select)) else {
        return;
    };
    let is_compared = compared(folder.function, mask).is_some();
    for operand in [Some(if_true), Some(if_false).filter(|_| is_compared)]
        .into_iter()
        .flatten()
    {
        if let Some((value, operation)) = folder.producer(operand)
            && masked_row(folder.function, operation).is_some()
            && ![operation.a, operation.b]
                .iter()
                .any(|&operand| folder.is_folded(operand))
        {
            return folder.fold(value);
        }
    }
}

/// Whether an operand is an operation that was folded into a select.
fn is_folded_operation<C: LowerCtx>(cx: &C, operand: Operand) -> bool {
    operand.as_value().is_some() && cx.is_folded(operand)
}

/// Lowers a select.
///
/// # Errors
/// A mask that is not folded.
fn select<C: LowerCtx>(cx: &mut C, data: &InstData) -> Result<(), Halt> {
    if cx.is_folded(data.a) && is_extreme(cx.func(), data) {
        return wide_compare::select(cx, data);
    }
    let is_zero = wide::is_zero;
    let (if_true, if_false) = cx.func().ternary(data);
    let shape = shape(cx.func().types(), data.ty).ok_or(Halt::Expand)?;
    let bytes = wide::bytes(cx.func().types(), data.ty);
    let row = match shape.lane_bits {
        8 => Evex::Vpblendmb,
        16 => Evex::Vpblendmw,
        32 => Evex::Vpblendmd,
        _ => Evex::Vpblendmq,
    };
    let mut source = take_source(cx, data)?;
    let (chosen, other) = match is_folded_operation(cx, if_false) || is_zero(cx.func(), if_true) {
        // The predicate that differs in this bit says the opposite.
        true if let Some((_, _, predicate)) = &mut source.compared => {
            *predicate ^= 4;
            (if_false, if_true)
        }
        _ => (if_true, if_false),
    };
    if let Some(operation) = folded(cx, chosen) {
        let row = masked_row(cx.func(), &operation).expect("it was folded");
        let (left, right) = (cx.use_reg(operation.a, 0), cx.use_reg(operation.b, 0));
        let kept = cx.use_last(other, 0);
        let dst = cx.def_reuse(result(data), 0, kept);
        put_source(cx, &source, shape.lanes);
        cx.emit(evex(row, bytes, true, [dst, left, right], 0));
        return Ok(());
    }
    if is_zero(cx.func(), other) {
        let chosen = cx.use_reg(chosen, 0);
        let dst = cx.def(result(data), 0);
        put_source(cx, &source, shape.lanes);
        cx.emit(evex(row, bytes, true, [dst, chosen, chosen], 0).with_aux(aux::ZEROING));
        return Ok(());
    }
    let (chosen, other) = (cx.use_reg(chosen, 0), cx.use_reg(other, 0));
    let dst = cx.def(result(data), 0);
    put_source(cx, &source, shape.lanes);
    cx.emit(evex(row, bytes, true, [dst, other, chosen], 0));
    Ok(())
}
