//! What is folded into what: comparisons into branches and selects, tests of bits into comparisons, address arithmetic
//! into addresses, extensions into loads.
//!
//! Each case here has its counterpart in a rule that absorbs exactly this.

use frazil_codegen::Folder;
use frazil_ir::{Inst, InstData, Opcode, Operand, Type};

/// Chooses for one instruction.
#[inline]
pub fn fold(folder: &mut Folder<'_>, user: Inst) {
    let data = folder.inst(user);
    match data.op {
        Opcode::Load | Opcode::Prefetch => folder.fold_address(data.a),
        Opcode::Store => folder.fold_address(data.b),
        Opcode::Zext | Opcode::Sext => fold_extension(folder, data),
        Opcode::Branch | Opcode::Select => fold_condition(folder, data.a),
        op if op.is_icmp() && matches!(data.ty, Type::I32 | Type::I64) => fold_bit_test(folder, data),
        _ => {}
    }
}

/// Folds the load of what is extended.
fn fold_extension(folder: &mut Folder<'_>, data: &InstData) {
    let to = folder.function.types().int_bits(data.ty);
    if to.is_some_and(|bits| bits <= 64)
        && let Some((value, load)) = folder.producer(data.a)
        && load.op == Opcode::Load
        && matches!(load.ty, Type::I8 | Type::I16 | Type::I32)
    {
        folder.fold_load(value, load);
    }
}

/// Folds an `and` that is only looked at for being zero.
fn fold_bit_test(folder: &mut Folder<'_>, data: &InstData) {
    if matches!(data.op, Opcode::IcmpEq | Opcode::IcmpNe)
        && data.b.as_imm() == Some(0)
        && let Some((value, and)) = folder.producer(data.a)
        && and.op == Opcode::And
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

/// Folds a comparison or a truncation to one bit into a branch or select.
fn fold_condition(folder: &mut Folder<'_>, condition: Operand) {
    let Some((value, data)) = folder.producer(condition) else {
        return;
    };
    let is_folded_trunc = data.op == Opcode::Trunc && is_one_part(folder, data.a);
    if is_folded_trunc || is_scalar_compare(folder, data) {
        folder.fold(value);
    }
}

fn is_one_part(folder: &Folder<'_>, operand: Operand) -> bool {
    let ty = folder.function.operand_type(operand);
    ty.and_then(|ty| folder.function.types().int_bits(ty))
        .is_some_and(|bits| bits <= 64)
}
