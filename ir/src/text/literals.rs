//! Numbers of the text form as the words that constants hold.

use super::lexer::Token;
use super::parser::{Parsed, Parser};
use crate::types::{Type, TypeData, TypeTable};

/// Cuts or extends little-endian words to `bits` bits, sign-extended into the last word.
fn normalized(mut words: Vec<u64>, bits: u32, fill: u64) -> Vec<u64> {
    let needed = bits.div_ceil(64) as usize;
    words.resize(needed, fill);
    let spare = needed as u32 * 64 - bits;
    if let Some(last) = words.last_mut() {
        *last = ((*last << spare).cast_signed() >> spare).cast_unsigned();
    }
    words
}

/// The magnitude of a number as little-endian words without leading zeros: decimal up to 128 bits, or hexadecimal.
fn magnitude(digits: &str) -> Option<Vec<u64>> {
    let mut words = match digits.strip_prefix("0x") {
        Some(hex) if hex.is_ascii() && !hex.is_empty() => hex
            .as_bytes()
            .rchunks(16)
            .map(|chunk| {
                let text = std::str::from_utf8(chunk).ok().filter(|text| !text.starts_with('+'))?;
                u64::from_str_radix(text, 16).ok()
            })
            .collect::<Option<Vec<u64>>>()?,
        Some(_) => return None,
        None => {
            let number: u128 = digits.parse().ok()?;
            vec![number as u64, (number >> 64) as u64]
        }
    };
    while words.last() == Some(&0) {
        words.pop();
    }
    Some(words)
}

fn bit_length(words: &[u64]) -> u64 {
    words
        .last()
        .map_or(0, |last| words.len() as u64 * 64 - u64::from(last.leading_zeros()))
}

/// The words of an integer literal of `bits` bits, written signed or unsigned; `None` if it is none or does not fit.
pub(super) fn int_words(text: &str, bits: u32) -> Option<Vec<u64>> {
    let (negative, digits) = match text.strip_prefix('-') {
        Some(digits) => (true, digits),
        None => (false, text),
    };
    let mut words = magnitude(digits)?;
    let length = bit_length(&words);
    if !negative {
        return (length <= u64::from(bits)).then(|| normalized(words, bits, 0));
    }
    let is_power = words.iter().map(|word| word.count_ones()).sum::<u32>() == 1;
    if length > u64::from(bits) || (length == u64::from(bits) && !is_power) {
        return None;
    }
    words.resize(words.len().max(bits.div_ceil(64) as usize), 0);
    let mut carry = true;
    for word in &mut words {
        let (sum, overflow) = (!*word).overflowing_add(u64::from(carry));
        *word = sum;
        carry = overflow;
    }
    Some(normalized(words, bits, u64::MAX))
}

/// The words of a floating-point literal: decimal for `f32` and `f64`, the bits in hexadecimal for every format.
pub(super) fn float_words(text: &str, ty: TypeData) -> Option<Vec<u64>> {
    let bits: u32 = match ty {
        TypeData::F16 | TypeData::BF16 => 16,
        TypeData::F32 => 32,
        TypeData::F64 => 64,
        TypeData::X86F80 => 80,
        TypeData::F128 => 128,
        _ => return None,
    };
    if text.starts_with("0x") {
        let mut words = magnitude(text)?;
        if bit_length(&words) > u64::from(bits) {
            return None;
        }
        words.resize(bits.div_ceil(64) as usize, 0);
        return Some(words);
    }
    match ty {
        TypeData::F32 => text.parse::<f32>().ok().map(|value| vec![u64::from(value.to_bits())]),
        TypeData::F64 => text.parse::<f64>().ok().map(|value| vec![value.to_bits()]),
        _ => None,
    }
}

impl Parser<'_> {
    /// A number of a type, as words; `None` (and nothing taken) where the token in hand is no such number.
    pub(super) fn literal_words(&mut self, types: &TypeTable, ty: Type) -> Parsed<Option<Vec<u64>>> {
        let text = match self.token {
            Token::Number(text) | Token::Word(text @ ("inf" | "nan")) => text,
            _ => return Ok(None),
        };
        let words = match types.data(ty) {
            TypeData::Int(bits @ 129..) => {
                let needed = bits.div_ceil(64) as usize;
                let Some(left) = self.wide_words_left.checked_sub(needed) else {
                    return Err(self.error("wide integers take far more room than this text"));
                };
                self.wide_words_left = left;
                int_words(text, bits)
            }
            TypeData::Int(bits) => int_words(text, bits),
            TypeData::Ptr(_) => int_words(text, self.module.data_layout.pointer_bits),
            data => float_words(text, data),
        };
        if words.is_some() {
            self.advance()?;
        }
        Ok(words)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn integers_are_cut_to_their_width_and_sign_extended() {
        assert_eq!(int_words("255", 8), Some(vec![u64::MAX]));
        assert_eq!(int_words("-128", 8), Some(vec![-128i64 as u64]));
        assert_eq!(int_words("-129", 8), None);
        assert_eq!(int_words("256", 8), None);
        assert_eq!(int_words("1", 1), Some(vec![u64::MAX]));
        assert_eq!(int_words("0x8000000000000000", 65), Some(vec![1 << 63, 0]));
        assert_eq!(int_words("-1", 128), Some(vec![u64::MAX, u64::MAX]));
        assert_eq!(int_words("-0", 32), Some(vec![0]));
    }

    #[test]
    fn floats_are_decimal_or_bits() {
        assert_eq!(float_words("-0.0", TypeData::F64), Some(vec![1 << 63]));
        assert_eq!(float_words("0x7fc00001", TypeData::F32), Some(vec![0x7fc0_0001]));
        assert_eq!(float_words("1.5", TypeData::F128), None);
        assert_eq!(float_words("0x3c00", TypeData::F16), Some(vec![0x3c00]));
    }
}
