//! Operations on bits: counting, reversing, and funnel shifts; also minima, maxima and limits.

use super::{Extend, WORD_BITS, Words, word_count};
use crate::builder::values::Builder;
use frazil_ir::{Opcode, Operand, Type};

impl Builder<'_, '_> {
    /// The number of leading zeros of a number of `bits` bits, whose unused bits are zero.
    pub fn leading_zeros(&mut self, words: &[Operand], bits: u32) -> Operand {
        let mut count = self.literal(bits.into());
        for (index, &word) in words.iter().enumerate() {
            let above = i64::from(bits) - i64::from(WORD_BITS) * (index as i64 + 1);
            count = self.count_from(Opcode::Ctlz, word, above, count);
        }
        count
    }

    /// The number of trailing zeros of a number of `bits` bits, whose unused bits are zero.
    pub fn trailing_zeros(&mut self, words: &[Operand], bits: u32) -> Operand {
        let mut count = self.literal(bits.into());
        for (index, &word) in words.iter().enumerate().rev() {
            count = self.count_from(Opcode::Cttz, word, i64::from(WORD_BITS) * index as i64, count);
        }
        count
    }

    /// The number of zeros in a word plus `more`, or `otherwise` if the word is zero.
    fn count_from(&mut self, op: Opcode, word: Operand, more: i64, otherwise: Operand) -> Operand {
        if super::is_zero(word) {
            return otherwise;
        }
        let within = self.emit(op, Type::I64, 0, word, Operand::NONE);
        let more = self.literal(more);
        let count = self.word_op(Opcode::Add, within, more);
        let is_zero = self.compare_words(Opcode::IcmpEq, word, Operand::ZERO);
        self.choose(Type::I64, is_zero, otherwise, count)
    }

    /// The number of bits that are set.
    pub fn count_ones(&mut self, words: &[Operand]) -> Operand {
        let mut sum = Operand::ZERO;
        for &word in words {
            let ones = self.emit(Opcode::Ctpop, Type::I64, 0, word, Operand::NONE);
            sum = self.word_op(Opcode::Add, sum, ones);
        }
        sum
    }

    /// A number of `bits` bits with its bytes or bits in reverse order; `op` does that for a word.
    pub fn reverse_words(&mut self, op: Opcode, words: &[Operand], bits: u32) -> Words {
        let turned: Words = words
            .iter()
            .rev()
            .map(|&word| self.emit(op, Type::I64, 0, word, Operand::NONE))
            .collect();
        let spare = WORD_BITS * word_count(bits) as u32 - bits;
        self.shift_down(&turned, spare, Operand::ZERO)
    }

    /// The absolute value of a signed number.
    pub fn absolute(&mut self, words: &[Operand]) -> Words {
        let top = words.last().copied().unwrap_or(Operand::ZERO);
        let sign = self.sign_of(top);
        self.negate_where(words, sign)
    }

    /// The minimum of two numbers, or the maximum if `larger` is set.
    pub fn extreme(&mut self, a: &[Operand], b: &[Operand], signed: bool, larger: bool) -> Words {
        let less = self.less_words(a, b, signed);
        if larger {
            self.choose_words(less, b, a)
        } else {
            self.choose_words(less, a, b)
        }
    }

    /// A funnel shift by a distance modulo the width: the upper half of the result if it shifts up, else the lower
    /// half.
    pub fn funnel_words(&mut self, [high, low, distance]: [&[Operand]; 3], bits: u32, up: bool) -> Words {
        let distance = self.modulo_width(distance, bits);
        let last = self.literal(i64::from(bits) - 1);
        // The other number is shifted by the rest of the width, which may be the whole width; so it is shifted in two
        // steps.
        let rest = self.word_op(Opcode::Sub, last, distance);
        let (near, far) = if up {
            let one_down = self.shift_down(low, 1, Operand::ZERO);
            let far = self.shift_down_by(&one_down, rest, Operand::ZERO);
            (self.shift_up_by(high, distance), far)
        } else {
            let one_up = self.shift_up(high, 1);
            (
                self.shift_down_by(low, distance, Operand::ZERO),
                self.shift_up_by(&one_up, rest),
            )
        };
        self.on_each_word(Opcode::Or, &near, &far)
    }

    /// A number modulo the width of its type, computed word by word from the top.
    fn modulo_width(&mut self, words: &[Operand], bits: u32) -> Operand {
        let low = words.first().copied().unwrap_or(Operand::ZERO);
        let width = i64::from(bits);
        let upper_is_zero = words.iter().skip(1).all(|&word| super::is_zero(word));
        if let (Some(number @ 0..), true) = (low.as_imm(), upper_is_zero) {
            return self.literal(number % width);
        }
        let divisor = self.literal(width);
        if bits.is_power_of_two() {
            let mask = self.literal(width - 1);
            return self.word_op(Opcode::And, low, mask);
        }
        let base = self.literal((u128::from(u64::MAX) + 1).rem_euclid(u128::from(bits)) as i64);
        let mut rest = Operand::ZERO;
        for &word in words.iter().rev() {
            let above = self.word_op(Opcode::Mul, rest, base);
            let here = self.emit(Opcode::Urem, Type::I64, 0, word, divisor);
            let sum = self.word_op(Opcode::Add, above, here);
            rest = self.emit(Opcode::Urem, Type::I64, 0, sum, divisor);
        }
        rest
    }

    /// The limit of a saturating operation: the smallest signed number where `flag` is set, else the largest.
    pub fn limit_by_sign(&mut self, flag: Operand, bits: u32) -> Words {
        let smallest = self.limit_words(bits, Extend::Sign, false);
        let largest = self.limit_words(bits, Extend::Sign, true);
        self.choose_words(flag, &smallest, &largest)
    }
}
