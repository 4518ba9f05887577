//! Which operations of the IR the numbers of binary operations and comparisons are, in all dialects
//! (`llvm/Bitcode/LLVMBitCodes.h`, `llvm/IR/InstrTypes.h`).

use frazil_ir::Opcode;

/// Binary operations by their numbers: of integers, and of floats where there is one.
const BINARY: [(Opcode, Option<Opcode>); 13] = [
    (Opcode::Add, Some(Opcode::Fadd)),
    (Opcode::Sub, Some(Opcode::Fsub)),
    (Opcode::Mul, Some(Opcode::Fmul)),
    (Opcode::Udiv, None),
    (Opcode::Sdiv, Some(Opcode::Fdiv)),
    (Opcode::Urem, None),
    (Opcode::Srem, Some(Opcode::Frem)),
    (Opcode::Shl, None),
    (Opcode::Lshr, None),
    (Opcode::Ashr, None),
    (Opcode::And, None),
    (Opcode::Or, None),
    (Opcode::Xor, None),
];

/// Comparisons of floats by their numbers.
const FLOAT_COMPARISONS: [Opcode; 16] = [
    Opcode::FcmpFalse,
    Opcode::FcmpOeq,
    Opcode::FcmpOgt,
    Opcode::FcmpOge,
    Opcode::FcmpOlt,
    Opcode::FcmpOle,
    Opcode::FcmpOne,
    Opcode::FcmpOrd,
    Opcode::FcmpUno,
    Opcode::FcmpUeq,
    Opcode::FcmpUgt,
    Opcode::FcmpUge,
    Opcode::FcmpUlt,
    Opcode::FcmpUle,
    Opcode::FcmpUne,
    Opcode::FcmpTrue,
];

/// The number of the first comparison of integers.
const FIRST_INTEGER_COMPARISON: u64 = 32;

/// Comparisons of integers by their numbers from [`FIRST_INTEGER_COMPARISON`] on.
const INTEGER_COMPARISONS: [Opcode; 10] = [
    Opcode::IcmpEq,
    Opcode::IcmpNe,
    Opcode::IcmpUgt,
    Opcode::IcmpUge,
    Opcode::IcmpUlt,
    Opcode::IcmpUle,
    Opcode::IcmpSgt,
    Opcode::IcmpSge,
    Opcode::IcmpSlt,
    Opcode::IcmpSle,
];

/// The operation on integers that a number is.
#[inline]
pub(crate) fn of_integers(number: u64) -> Option<Opcode> {
    Some(BINARY.get(usize::try_from(number).ok()?)?.0)
}

/// The operation on floats that a number is.
#[inline]
pub(crate) fn of_floats(number: u64) -> Option<Opcode> {
    BINARY.get(usize::try_from(number).ok()?)?.1
}

/// The comparison of integers that a predicate is.
#[inline]
pub(crate) fn comparison_of_integers(number: u64) -> Option<Opcode> {
    let place = usize::try_from(number.checked_sub(FIRST_INTEGER_COMPARISON)?).ok()?;
    INTEGER_COMPARISONS.get(place).copied()
}

/// The comparison of floats that a predicate is.
#[inline]
pub(crate) fn comparison_of_floats(number: u64) -> Option<Opcode> {
    FLOAT_COMPARISONS.get(usize::try_from(number).ok()?).copied()
}

/// The number of a binary operation.
pub(crate) fn number(op: Opcode) -> Option<u64> {
    let place = BINARY
        .iter()
        .position(|&(integers, floats)| integers == op || floats == Some(op))?;
    Some(place as u64)
}

/// The predicate of a comparison.
pub(crate) fn predicate(op: Opcode) -> Option<u64> {
    let integers = INTEGER_COMPARISONS.iter().position(|&own| own == op);
    let place = match integers {
        Some(place) => place as u64 + FIRST_INTEGER_COMPARISON,
        None => FLOAT_COMPARISONS.iter().position(|&own| own == op)? as u64,
    };
    Some(place)
}
