//! Division: a loop that computes one bit of the quotient in each iteration, starting from the highest bit of the
//! dividend. The quotient is shifted into the words that the dividend is shifted out of. Division by zero is
//! undefined, but the loop terminates all the same.

use super::{WORD_BITS, Words, is_zero};
use crate::builder::values::Builder;
use crate::error::ReadError;
use frazil_ir::{InstData, Opcode, Operand, Type, Value};

impl Builder<'_, '_> {
    /// The quotient and the remainder of two unsigned numbers.
    ///
    /// # Errors
    /// If the function cannot have more blocks.
    pub fn divide_words(&mut self, dividend: &[Operand], divisor: &[Operand]) -> Result<(Words, Words), ReadError> {
        let count = dividend.len();
        // Leading zeros of the dividend are zeros of the quotient and need no iteration.
        let zeros = self.leading_zeros(dividend, WORD_BITS * count as u32);
        let all = self.literal(i64::from(WORD_BITS) * count as i64);
        let rounds = self.word_op(Opcode::Sub, all, zeros);
        let moved = self.shift_up_by(dividend, zeros);

        let before = self.current_block();
        let head = self.continue_in_new_block()?;
        let body = head + 1;
        let left = self.loop_value(rounds, before, body);
        let quotient: Vec<_> = moved.iter().map(|&word| self.loop_value(word, before, body)).collect();
        let remainder: Vec<_> = (0..count)
            .map(|_| self.loop_value(Operand::ZERO, before, body))
            .collect();
        let done = self.compare_words(Opcode::IcmpEq, left.0, Operand::ZERO);
        self.branch_to_new_blocks(done);

        self.round([&quotient, &remainder], divisor);
        let one = self.literal(1);
        let next = InstData::new(Opcode::Sub, Type::I64, 0, left.0, one);
        self.function.push_inst_into(next, left.1, 1);
        self.jump_back_and_open(head);
        let now = |values: &[(Operand, Value)]| values.iter().map(|value| value.0).collect();
        Ok((now(&quotient), now(&remainder)))
    }

    /// One iteration: shifts the highest bit of the quotient's words into the remainder, and subtracts the divisor if
    /// it fits.
    fn round(&mut self, [quotient, remainder]: [&[(Operand, Value)]; 2], divisor: &[Operand]) {
        let old: Words = quotient.iter().chain(remainder).map(|value| value.0).collect();
        let top = old.last().copied().unwrap_or(Operand::ZERO);
        let moved_out = self.compare_words(Opcode::IcmpSlt, top, Operand::ZERO);
        let mut moved = Words::with_capacity(old.len());
        let mut below = Operand::ZERO;
        for &word in &old {
            let one = self.literal(1);
            moved.push(if is_zero(below) {
                self.word_op(Opcode::Shl, word, one)
            } else {
                let rest = self.function.push_pool(&[below, one]);
                self.emit(Opcode::Fshl, Type::I64, 0, word, Operand::raw(rest))
            });
            below = word;
        }
        let (new_quotient, new_remainder) = moved.split_at(quotient.len());
        let (difference, borrow) = self.subtract_words(new_remainder, divisor);
        let fits = self.on_flags(Opcode::Xor, borrow, super::truth(true));
        let fits = self.on_flags(Opcode::Or, moved_out, fits);
        for ((&(_, value), &taken), &kept) in remainder.iter().zip(&difference).zip(new_remainder) {
            let data = self.select_data(Type::I64, fits, taken, kept);
            self.function.push_inst_into(data, value, 1);
        }
        let mut bit = self.flag_word(fits);
        for (&(_, value), &word) in quotient.iter().zip(new_quotient) {
            let data = InstData::new(Opcode::Or, Type::I64, 0, word, bit);
            self.function.push_inst_into(data, value, 1);
            bit = Operand::ZERO;
        }
    }

    /// The quotient or the remainder of two signed numbers: that of their absolute values, with the sign that it must
    /// have.
    ///
    /// # Errors
    /// As for [`Builder::divide_words`].
    pub fn divide_signed(&mut self, a: &[Operand], b: &[Operand], quotient: bool) -> Result<Words, ReadError> {
        let [sign_a, sign_b] = [a, b].map(|words| words.last().copied().unwrap_or(Operand::ZERO));
        let [sign_a, sign_b] = [sign_a, sign_b].map(|word| self.sign_of(word));
        let a = self.negate_where(a, sign_a);
        let b = self.negate_where(b, sign_b);
        let (magnitude, rest) = self.divide_words(&a, &b)?;
        if quotient {
            let sign = self.word_op(Opcode::Xor, sign_a, sign_b);
            return Ok(self.negate_where(&magnitude, sign));
        }
        Ok(self.negate_where(&rest, sign_a))
    }
}
