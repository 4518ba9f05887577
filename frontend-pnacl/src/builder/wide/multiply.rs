//! Products: every word of one number with every word of the other (Knuth, The Art of Computer Programming, volume 2,
//! section 4.3.1, algorithm M). A product of two words and two words to add always fits into 128 bits, and into two
//! words where 128 bits are no single value.

use super::{WORD_BITS, Words, is_zero};
use crate::builder::values::Builder;
use frazil_ir::{Opcode, Operand, Type};

/// A word, and the same word extended to 128 bits.
#[derive(Clone, Copy)]
struct Factor {
    word: Operand,
    whole: Operand,
}

impl Builder<'_, '_> {
    /// The lowest `count` words of the product of two unsigned numbers.
    pub fn multiply_words(&mut self, a: &[Operand], b: &[Operand], count: usize) -> Words {
        let right: Vec<Factor> = b.iter().map(|&word| self.factor(word)).collect();
        let mut product = vec![Operand::ZERO; count];
        for (position, &word) in a.iter().enumerate().filter(|&(_, &word)| !is_zero(word)) {
            let left = self.factor(word);
            self.add_row(&mut product, position, left, &right);
        }
        product
    }

    /// Adds the product of a word and a number to `product`, starting at word `position`.
    fn add_row(&mut self, product: &mut [Operand], position: usize, left: Factor, right: &[Factor]) {
        let count = product.len();
        let mut carry = Operand::ZERO;
        for (index, &factor) in right.iter().enumerate() {
            let place = position + index;
            let Some(&before) = product.get(place) else { return };
            let (word, next) = if place + 1 == count {
                let low = self.word_op(Opcode::Mul, left.word, factor.word);
                let sum = self.word_op(Opcode::Add, low, before);
                (self.word_op(Opcode::Add, sum, carry), Operand::ZERO)
            } else {
                self.multiply_and_add(left, factor, [before, carry])
            };
            if let Some(slot) = product.get_mut(place) {
                *slot = word;
            }
            carry = next;
        }
        if let Some(slot) = product.get_mut(position + right.len()) {
            *slot = carry;
        }
    }

    /// The low and the high word of a product of two words plus two more words.
    fn multiply_and_add(&mut self, left: Factor, right: Factor, more: [Operand; 2]) -> (Operand, Operand) {
        if is_zero(right.word) {
            let (sum, carry) = self.with_carry(Opcode::UaddOverflow, more[0], more[1]);
            return (sum, self.flag_word(carry));
        }
        if self.module.narrow_bits() < 2 * WORD_BITS {
            return self.multiply_halves(left, right, more);
        }
        let mut whole = self.emit(Opcode::Mul, Type::I128, 0, left.whole, right.whole);
        for word in more.into_iter().filter(|&word| !is_zero(word)) {
            let extended = self.factor(word).whole;
            whole = self.emit(Opcode::Add, Type::I128, 0, whole, extended);
        }
        let low = self.emit(Opcode::Trunc, Type::I64, 0, whole, Operand::NONE);
        let distance = self.literal(WORD_BITS.into());
        let high = self.emit(Opcode::Lshr, Type::I128, 0, whole, distance);
        (low, self.emit(Opcode::Trunc, Type::I64, 0, high, Operand::NONE))
    }

    /// The same where a product of two words is two values.
    fn multiply_halves(&mut self, left: Factor, right: Factor, more: [Operand; 2]) -> (Operand, Operand) {
        let mut low = self.emit(Opcode::Mul, Type::I64, 0, left.word, right.word);
        let mut high = self.emit(Opcode::UmulHigh, Type::I64, 0, left.word, right.word);
        for word in more {
            let (sum, carry) = self.with_carry(Opcode::UaddOverflow, low, word);
            let carry = self.flag_word(carry);
            (low, high) = (sum, self.word_op(Opcode::Add, high, carry));
        }
        (low, high)
    }

    fn factor(&mut self, word: Operand) -> Factor {
        if self.module.narrow_bits() < 2 * WORD_BITS {
            return Factor { word, whole: word };
        }
        let whole = match word.as_imm() {
            Some(number) => self
                .function
                .int_operand(Type::I128, i128::from(number.cast_unsigned())),
            None => self.emit(Opcode::Zext, Type::I128, 0, word, Operand::NONE),
        };
        Factor { word, whole }
    }
}
