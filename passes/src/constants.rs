//! Integer constants as numbers.

use frazil_ir::{ConstView, Function, Operand};

/// The integer that an operand is, sign-extended from its type, if it is one of at most 128 bits.
pub fn int_value(f: &Function, operand: Operand) -> Option<i128> {
    if let Some(value) = operand.as_imm() {
        return Some(i128::from(value));
    }
    match f.constant(operand.as_const()?) {
        (_, ConstView::Int(words)) => int_of_words(words),
        (ty, ConstView::Zero) if f.types.int_bits(ty).is_some() => Some(0),
        _ => None,
    }
}

/// Little-endian words, sign-extended.
fn int_of_words(words: &[u64]) -> Option<i128> {
    let (&low, rest) = words.split_first()?;
    let high = match rest {
        [] => low.cast_signed() >> 63,
        [high] => high.cast_signed(),
        // Wider ones are numbers here if they fit all the same.
        [high, more @ ..] => {
            let sign = (high.cast_signed() >> 63).cast_unsigned();
            more.iter().all(|&word| word == sign).then_some(high.cast_signed())?
        }
    };
    Some((i128::from(high) << 64) | i128::from(low))
}
