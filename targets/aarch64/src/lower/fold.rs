//! What is folded into what: comparisons into branches, selects and sums, tests of bits into comparisons, address
//! arithmetic into addresses, extensions into loads, and shifts, extensions, products and complements into the operands
//! that instructions have for them.
//!
//! Each case here has its counterpart in a rule that absorbs exactly this. What has absorbed something itself is not
//! absorbed by another, but for the chains that a rule knows.

use super::narrow;
use super::operand::{
    Absorbed, absorbed_by_logic, absorbed_by_sum, compared, field, is_conditional, is_tested, joins, narrowed_shift,
    needs_zeros_above,
};
use super::overflow::condition_of_overflow;
use crate::features::STRICT_ALIGN;
use frazil_codegen::Folder;
use frazil_codegen::extended::fold_extensions;
use frazil_ir::{Inst, InstData, Opcode, Operand, Type, Value};

/// Chooses for one instruction.
#[inline]
pub fn fold(folder: &mut Folder<'_>, user: Inst) {
    let data = folder.inst(user);
    match data.op {
        Opcode::Load => fold_access(folder, data.a, data.ty),
        Opcode::Prefetch => folder.fold_address(data.a),
        Opcode::Store => fold_access(folder, data.b, data.ty),
        Opcode::Zext | Opcode::Sext => fold_extension(folder, data),
        Opcode::Add | Opcode::Sub | Opcode::And | Opcode::Or | Opcode::Xor | Opcode::Mul if data.ty == Type::I128 => {
            fold_extensions(folder, data, Type::I64);
        }
        Opcode::Add | Opcode::Sub => fold_sum(folder, data),
        Opcode::And | Opcode::Or if data.ty == Type::I1 => fold_joined(folder, data),
        Opcode::And | Opcode::Or | Opcode::Xor => fold_logic(folder, data),
        Opcode::Mul => fold_long_product(folder, data),
        Opcode::Shl | Opcode::Ashr => fold_field(folder, data),
        Opcode::PtrAdd | Opcode::PtrIndex => fold_index(folder, data),
        Opcode::Branch => fold_branch(folder, user, data.a),
        Opcode::Select => fold_select(folder, data),
        Opcode::Fneg | Opcode::Fma | Opcode::Fmuladd => fold_signs(folder, data),
        op if op.is_icmp() => fold_compare(folder, data),
        _ => {}
    }
}

/// An operand's producer that has not absorbed anything itself.
fn plain_producer<'a>(folder: &Folder<'a>, operand: Operand) -> Option<(Value, &'a InstData)> {
    let found = folder.producer(operand)?;
    let mut is_plain = true;
    folder
        .function
        .for_each_operand(found.1, |operand| is_plain &= !folder.is_folded(operand));
    is_plain.then_some(found)
}

fn bits_of(folder: &Folder<'_>, ty: Type) -> u32 {
    folder.function.types().int_bits(ty).unwrap_or(0)
}

fn is_constant(operand: Operand) -> bool {
    operand.as_value().is_none()
}

/// Folds the address of an access, with an index that must be extended first.
fn fold_access(folder: &mut Folder<'_>, pointer: Operand, ty: Type) {
    folder.fold_address(pointer);
    let is_one_piece = matches!(
        ty,
        Type::I8 | Type::I16 | Type::I32 | Type::I64 | Type::PTR | Type::F32 | Type::F64
    );
    if is_one_piece && folder.is_folded(pointer) && !folder.features().has(STRICT_ALIGN) {
        fold_extended_index(folder, pointer);
    }
}

fn fold_extended_index(folder: &mut Folder<'_>, pointer: Operand) {
    let function = folder.function;
    let Some(address) = pointer.as_value().and_then(|value| function.def_inst(value)) else {
        return;
    };
    let address = folder.inst(address);
    if let Some((value, extension)) = plain_producer(folder, address.b)
        && needs_extension(folder, extension)
    {
        folder.fold(value);
    }
}

/// Whether an instruction extends 32 bits to 64 which are not extended already.
fn needs_extension(folder: &Folder<'_>, extension: &InstData) -> bool {
    let function = folder.function;
    if extension.ty != Type::I64 || function.operand_type(extension.a) != Some(Type::I32) {
        return false;
    }
    match extension.op {
        Opcode::Sext => true,
        Opcode::Zext => !narrow::clears_above(function, extension.a, &|operand| folder.is_folded(operand)),
        _ => false,
    }
}

/// Folds the extension of an index that is added to an address which no access absorbs.
fn fold_index(folder: &mut Folder<'_>, data: &InstData) {
    let scale = if data.op == Opcode::PtrIndex { data.flags } else { 1 };
    if scale.is_power_of_two()
        && scale <= 16
        && data.ty == Type::PTR
        && let Some((value, extension)) = plain_producer(folder, data.b)
        && needs_extension(folder, extension)
    {
        folder.fold(value);
    }
}

/// Folds the load of what is extended, or a comparison.
fn fold_extension(folder: &mut Folder<'_>, data: &InstData) {
    if !(1..=64).contains(&bits_of(folder, data.ty)) {
        return;
    }
    let Some((value, inner)) = folder.producer(data.a) else {
        return;
    };
    if inner.op == Opcode::Load && matches!(inner.ty, Type::I8 | Type::I16 | Type::I32) {
        folder.fold(value);
        folder.mark_reader();
        fold_access(folder, inner.a, inner.ty);
    } else if data.op == Opcode::Sext && has_one_condition(folder, inner) {
        folder.fold(value);
    }
}

/// Folds an `and` that is only looked at for being zero, or the shift or extension of an operand.
fn fold_compare(folder: &mut Folder<'_>, data: &InstData) {
    let bits = bits_of(folder, data.ty);
    if matches!(data.op, Opcode::IcmpEq | Opcode::IcmpNe)
        && data.b.as_imm() == Some(0)
        && let Some((value, and)) = plain_producer(folder, data.a)
        && is_tested(and, bits)
    {
        folder.fold(value);
        return;
    }
    if !matches!(bits, 32 | 64) {
        return;
    }
    for (operand, other) in [(data.b, data.a), (data.a, data.b)] {
        if is_constant(other) {
            continue;
        }
        if let Some((value, inner)) = plain_producer(folder, operand)
            && compared(folder.function, inner, bits).is_some()
        {
            folder.fold(value);
            return;
        }
    }
}

/// Folds the comparisons that an `and` or `or` of bits joins: the second one compares, or leaves flags as if it had
/// found the opposite, by what the first one has found.
fn fold_joined(folder: &mut Folder<'_>, data: &InstData) {
    for (second, first) in [(data.b, data.a), (data.a, data.b)] {
        let Some((frozen, value, compare)) = producer_of_bit(folder, second) else {
            continue;
        };
        if !is_conditional(folder.function, compare, &|operand| folder.is_folded(operand)) {
            continue;
        }
        fold_bit(folder, (frozen, value));
        if let Some((frozen, value, inner)) = producer_of_bit(folder, first)
            && has_one_condition(folder, inner)
        {
            fold_bit(folder, (frozen, value));
        }
        return;
    }
}

/// What computes a bit, and the `freeze` between, if there is one.
fn producer_of_bit<'a>(folder: &Folder<'a>, operand: Operand) -> Option<(Option<Value>, Value, &'a InstData)> {
    let (value, data) = folder.producer(operand)?;
    if data.op != Opcode::Freeze {
        return Some((None, value, data));
    }
    let (frozen, data) = folder.producer(data.a)?;
    Some((Some(value), frozen, data))
}

fn fold_bit(folder: &mut Folder<'_>, (freeze, value): (Option<Value>, Value)) {
    folder.fold(value);
    if let Some(freeze) = freeze {
        folder.fold(freeze);
    }
}

/// Folds what one operand of a sum or difference may be.
fn fold_sum(folder: &mut Folder<'_>, data: &InstData) {
    let bits = bits_of(folder, data.ty);
    if !(1..=64).contains(&bits) {
        return;
    }
    let is_sum = data.op == Opcode::Add;
    for (operand, other) in [(data.b, data.a), (data.a, data.b)] {
        // The other one would be an immediate.
        if is_sum && is_constant(other) || !is_sum && operand == data.a {
            continue;
        }
        let Some((value, inner)) = plain_producer(folder, operand) else {
            continue;
        };
        if is_sum && inner.op == Opcode::Zext && fold_counted(folder, value, inner) {
            return;
        }
        if fold_narrowed_shift(folder, (value, inner), bits) {
            return;
        }
        if absorbed_by_sum(folder.function, inner, bits).is_some() && !lacks_zeros(folder, inner, bits) {
            folder.fold(value);
            return;
        }
    }
}

/// Folds a comparison whose truth is counted.
fn fold_counted(folder: &mut Folder<'_>, value: Value, extension: &InstData) -> bool {
    let Some((condition, compare)) = folder.producer(extension.a) else {
        return false;
    };
    if !has_one_condition(folder, compare) {
        return false;
    }
    folder.fold(condition);
    folder.fold(value);
    true
}

/// Folds what one operand of a bitwise operation may be, or the shift of a field.
fn fold_logic(folder: &mut Folder<'_>, data: &InstData) {
    let bits = bits_of(folder, data.ty);
    if !(1..=64).contains(&bits) {
        return;
    }
    if let Some((value, inner)) = plain_producer(folder, data.a)
        && field(data, inner, bits).is_some()
    {
        folder.fold(value);
        return;
    }
    for (operand, other) in [(data.b, data.a), (data.a, data.b)] {
        if !is_constant(other)
            && let Some((value, inner)) = plain_producer(folder, operand)
        {
            if fold_narrowed_shift(folder, (value, inner), bits) {
                return;
            }
            if absorbed_by_logic(folder.function, inner, bits).is_some() && !lacks_zeros(folder, inner, bits) {
                folder.fold(value);
                return;
            }
        }
    }
}

/// Whether what an instruction shifts must have zeros above it, and may have something else there.
fn lacks_zeros(folder: &Folder<'_>, inner: &InstData, bits: u32) -> bool {
    needs_zeros_above(inner, bits)
        && !narrow::clears_above(folder.function, inner.a, &|operand| folder.is_folded(operand))
}

/// Folds a shift of 32 bits and the truncation of its result.
fn fold_narrowed_shift(folder: &mut Folder<'_>, (value, narrowed): (Value, &InstData), bits: u32) -> bool {
    if narrowed_shift(folder.function, narrowed, bits).is_none() {
        return false;
    }
    let Some((shift, _)) = plain_producer(folder, narrowed.a) else {
        return false;
    };
    folder.fold(shift);
    folder.fold(value);
    true
}

/// Folds the extensions of both factors.
fn fold_long_product(folder: &mut Folder<'_>, data: &InstData) {
    if data.ty != Type::I64 {
        return;
    }
    let factors = [data.a, data.b].map(|operand| plain_producer(folder, operand));
    if let [Some((first, left)), Some((second, right))] = factors
        && left.op == right.op
        && [left, right].iter().all(|factor| {
            matches!(factor.op, Opcode::Sext | Opcode::Zext)
                && folder.function.operand_type(factor.a) == Some(Type::I32)
                && factor.a.as_value().is_some()
        })
    {
        folder.fold(first);
        folder.fold(second);
    }
}

/// Folds what makes one field of a shift.
fn fold_field(folder: &mut Folder<'_>, data: &InstData) {
    let bits = bits_of(folder, data.ty);
    if (1..=64).contains(&bits)
        && let Some((value, inner)) = plain_producer(folder, data.a)
        && field(data, inner, bits).is_some()
    {
        folder.fold(value);
    }
}

/// Whether a rule compares operands of the type in one or several registers.
fn is_scalar_compare(folder: &Folder<'_>, compare: &InstData) -> bool {
    let bits = folder.function.types().int_bits(compare.ty);
    let is_integer = compare.ty == Type::PTR || bits.is_some_and(|bits| bits <= 128);
    (compare.op.is_icmp() && is_integer)
        || (compare.op.is_fcmp()
            && matches!(compare.ty, Type::F32 | Type::F64)
            && !matches!(compare.op, Opcode::FcmpFalse | Opcode::FcmpTrue))
}

/// Whether an instruction is such a comparison, or joins two, and true under one condition on the flags.
fn has_one_condition(folder: &Folder<'_>, compare: &InstData) -> bool {
    let is_compare = is_scalar_compare(folder, compare) && !matches!(compare.op, Opcode::FcmpOne | Opcode::FcmpUeq);
    is_compare || joins(compare, &|operand| folder.is_folded(operand))
}

/// Folds a comparison or a truncation to one bit into a branch or select.
/// Folds the condition of a branch into it, or has an overflow right before it left in the flags.
fn fold_branch(folder: &mut Folder<'_>, branch: Inst, condition: Operand) {
    if let Some((bit, data)) = folder.overflow_before(condition, branch) {
        if condition_of_overflow(data, bits_of(folder, data.ty)).is_some() {
            folder.leave_in_flags(bit);
        }
        return;
    }
    fold_condition(folder, condition);
}

fn fold_condition(folder: &mut Folder<'_>, condition: Operand) {
    let Some((value, data)) = folder.producer(condition) else {
        return;
    };
    let is_folded_trunc = data.op == Opcode::Trunc && is_one_part(folder, data.a);
    if is_folded_trunc || is_scalar_compare(folder, data) || has_one_condition(folder, data) {
        folder.fold(value);
    }
}

fn is_one_part(folder: &Folder<'_>, operand: Operand) -> bool {
    let ty = folder.function.operand_type(operand);
    ty.and_then(|ty| folder.function.types().int_bits(ty))
        .is_some_and(|bits| bits <= 64)
}

/// Folds the condition, and what one choice is more than the other instruction's operand.
fn fold_select(folder: &mut Folder<'_>, data: &InstData) {
    fold_condition(folder, data.a);
    let condition = data.a.as_value().and_then(|value| folder.function.def_inst(value));
    let has_two = condition.is_some_and(|inst| matches!(folder.inst(inst).op, Opcode::FcmpOne | Opcode::FcmpUeq));
    if data.a.as_value().is_none() || has_two || !(1..=64).contains(&bits_of(folder, data.ty)) {
        return;
    }
    let (then, otherwise) = folder.function.ternary(data);
    for operand in [otherwise, then] {
        if let Some((value, inner)) = plain_producer(folder, operand)
            && Absorbed::of_choice(inner).is_some()
        {
            folder.fold(value);
            return;
        }
    }
}

/// Folds changes of signs into products and what is added to them.
fn fold_signs(folder: &mut Folder<'_>, data: &InstData) {
    if !matches!(data.ty, Type::F32 | Type::F64) {
        return;
    }
    if data.op == Opcode::Fneg {
        if let Some((value, product)) = plain_producer(folder, data.a)
            && product.op == Opcode::Fmul
        {
            folder.fold(value);
        }
        return;
    }
    let (factor, addend) = folder.function.ternary(data);
    let mut has_negated_factor = false;
    for operand in [data.a, factor, addend] {
        let is_addend = operand == addend;
        if let Some((value, negation)) = plain_producer(folder, operand)
            && negation.op == Opcode::Fneg
            && (is_addend || !has_negated_factor)
        {
            has_negated_factor |= !is_addend;
            folder.fold(value);
        }
    }
}
