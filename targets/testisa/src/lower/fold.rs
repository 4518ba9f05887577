//! What is folded into what: address arithmetic into loads and stores, narrow comparisons into branches and selects.

use frazil_codegen::Folder;
use frazil_ir::{Inst, Opcode, Operand, Type};

/// Chooses for one instruction.
pub fn fold(folder: &mut Folder<'_>, user: Inst) {
    let data = folder.inst(user);
    match data.op {
        Opcode::Load | Opcode::AtomicLoad => folder.fold_address(data.a),
        Opcode::Store | Opcode::AtomicStore => folder.fold_address(data.b),
        Opcode::Branch | Opcode::Select => fold_comparison(folder, data.a),
        _ => {}
    }
}

/// Folds a comparison of integers of one part.
fn fold_comparison(folder: &mut Folder<'_>, condition: Operand) {
    let Some((value, compare)) = folder.producer(condition) else {
        return;
    };
    let bits = folder.function.types().int_bits(compare.ty);
    if compare.op.is_icmp() && (compare.ty == Type::PTR || bits.is_some_and(|bits| bits <= 32)) {
        folder.fold(value);
    }
}
