//! Operands of operations on two registers that were extended from one: of 128 bits where registers have 64, of 64
//! where they have 32.
//!
//! The product of two such numbers is a single multiplication where the machine has one whose product is twice as wide;
//! sums and masks have nothing to do with a high part of zeros but for a carry. Programs have these operations in
//! hashes, random numbers and numbers of many words.

use crate::analyze::Folder;
use frazil_ir::{Function, InstData, Opcode, Operand, Type};

/// What is known of the upper register of an operand.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum HighPart {
    Zero,
    /// The sign of the low part, in all bits.
    Sign,
    Any,
}

/// What the high part of an operand is, whether it is folded or not. `word` is the integer that fills a register.
pub fn high_part(function: &Function, operand: Operand, word: Type) -> HighPart {
    if let Some(imm) = operand.as_imm() {
        return if imm < 0 { HighPart::Sign } else { HighPart::Zero };
    }
    let inst = operand.as_value().and_then(|value| function.def_inst(value));
    inst.map_or(HighPart::Any, |inst| of_extension(function, function.inst(inst), word))
}

fn of_extension(function: &Function, data: &InstData, word: Type) -> HighPart {
    if function.operand_type(data.a) != Some(word) {
        return HighPart::Any;
    }
    match data.op {
        Opcode::Zext => HighPart::Zero,
        Opcode::Sext => HighPart::Sign,
        _ => HighPart::Any,
    }
}

/// Folds the extensions of an operation on two registers into it: both and of either kind into a product, one with
/// zeros into another operation, on the right into a difference. The rule then has a low part only.
pub fn fold_extensions(folder: &mut Folder<'_>, data: &InstData, word: Type) {
    let is_product = data.op == Opcode::Mul;
    let both = [data.b, data.a];
    let operands = if data.op == Opcode::Sub { &both[..1] } else { &both[..] };
    for &operand in operands {
        let Some((value, extension)) = folder.producer(operand) else {
            continue;
        };
        match of_extension(folder.function, extension, word) {
            HighPart::Zero => folder.fold(value),
            HighPart::Sign if is_product => folder.fold(value),
            _ => continue,
        }
        if !is_product {
            return;
        }
    }
}
