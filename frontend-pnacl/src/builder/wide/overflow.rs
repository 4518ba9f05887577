//! Sums, differences and products with overflow checks, and saturating ones; three-way comparisons.

use super::{Extend, WORD_BITS, Words, top_bits, word_count};
use crate::builder::values::Builder;
use frazil_ir::{Opcode, Operand, Type};

impl Builder<'_, '_> {
    /// The result of an operation on two numbers of `bits` bits, and whether it overflows. The numbers must be
    /// extended as the operation needs it.
    pub fn checked_words(&mut self, op: Opcode, a: &[Operand], b: &[Operand], bits: u32) -> (Words, Operand) {
        match op {
            Opcode::UaddOverflow => {
                let (sum, carry) = self.add_words(a, b);
                let spare = self.spare_bits(&sum, bits);
                (sum, self.on_flags(Opcode::Or, carry, spare))
            }
            Opcode::UsubOverflow => self.subtract_words(a, b),
            Opcode::SaddOverflow => {
                let (sum, _) = self.add_words(a, b);
                let flag = self.sign_is_wrong(a, b, &sum, bits, false);
                (sum, flag)
            }
            Opcode::SsubOverflow => {
                let (difference, _) = self.subtract_words(a, b);
                let flag = self.sign_is_wrong(a, b, &difference, bits, true);
                (difference, flag)
            }
            Opcode::UmulOverflow => {
                let product = self.multiply_words(a, b, 2 * a.len());
                let (low, high) = product.split_at(a.len());
                let any = self.any_bit(high);
                let above = self.compare_words(Opcode::IcmpNe, any, Operand::ZERO);
                let spare = self.spare_bits(low, bits);
                (low.to_vec(), self.on_flags(Opcode::Or, above, spare))
            }
            _ => self.checked_signed_product(a, b, bits),
        }
    }

    /// Whether any bit of the top word is set above the `bits` bits of the number.
    fn spare_bits(&mut self, words: &[Operand], bits: u32) -> Operand {
        let top = words.last().copied().unwrap_or(Operand::ZERO);
        let used = top_bits(bits);
        if used == WORD_BITS {
            return Operand::ZERO;
        }
        let distance = self.literal(used.into());
        let above = self.word_op(Opcode::Lshr, top, distance);
        self.compare_words(Opcode::IcmpNe, above, Operand::ZERO)
    }

    /// Whether a sum or difference of signed numbers overflows. If the top word has unused bits, the words hold the
    /// exact result, which must be its own sign extension. Otherwise, the signs of the operands and the result tell.
    fn sign_is_wrong(
        &mut self,
        a: &[Operand],
        b: &[Operand],
        result: &[Operand],
        bits: u32,
        is_difference: bool,
    ) -> Operand {
        let [a, b, result] = [a, b, result].map(|words| words.last().copied().unwrap_or(Operand::ZERO));
        let unused = WORD_BITS - top_bits(bits);
        if unused > 0 {
            let extended = self.extended_within(result, unused);
            return self.compare_words(Opcode::IcmpNe, extended, result);
        }
        let other = if is_difference { b } else { result };
        let first = self.word_op(Opcode::Xor, a, other);
        let other = if is_difference { a } else { b };
        let second = self.word_op(Opcode::Xor, result, other);
        let both = self.word_op(Opcode::And, first, second);
        self.compare_words(Opcode::IcmpSlt, both, Operand::ZERO)
    }

    /// A word in which the upper `unused` bits are replaced by copies of the highest lower bit.
    fn extended_within(&mut self, word: Operand, unused: u32) -> Operand {
        let distance = self.literal(unused.into());
        let up = self.word_op(Opcode::Shl, word, distance);
        self.word_op(Opcode::Ashr, up, distance)
    }

    /// A signed product with its overflow flag. It is the unsigned product of the words, from whose upper half each
    /// operand is subtracted if the other one is negative.
    fn checked_signed_product(&mut self, a: &[Operand], b: &[Operand], bits: u32) -> (Words, Operand) {
        let product = self.multiply_words(a, b, 2 * a.len());
        let (low, high) = product.split_at(a.len());
        let [sign_a, sign_b] = [a, b].map(|words| words.last().copied().unwrap_or(Operand::ZERO));
        let [sign_a, sign_b] = [sign_a, sign_b].map(|word| self.sign_of(word));
        let taken = self.on_each_word(Opcode::And, b, &vec![sign_a; b.len()]);
        let (high, _) = self.subtract_words(high, &taken);
        let taken = self.on_each_word(Opcode::And, a, &vec![sign_b; a.len()]);
        let (high, _) = self.subtract_words(&high, &taken);

        let top = low.last().copied().unwrap_or(Operand::ZERO);
        let unused = WORD_BITS - top_bits(bits);
        let extended = self.extended_within(top, unused);
        let sign = self.sign_of(extended);
        let mut differences = self.on_each_word(Opcode::Xor, &high, &vec![sign; high.len()]);
        differences.push(self.word_op(Opcode::Xor, top, extended));
        let any = self.any_bit(&differences);
        (low.to_vec(), self.compare_words(Opcode::IcmpNe, any, Operand::ZERO))
    }

    /// The result of a saturating operation on two numbers.
    pub fn saturated_words(&mut self, op: Opcode, a: &[Operand], b: &[Operand], bits: u32) -> Words {
        let (op, signed) = match op {
            Opcode::UaddSat => (Opcode::UaddOverflow, false),
            Opcode::UsubSat => (Opcode::UsubOverflow, false),
            Opcode::SaddSat => (Opcode::SaddOverflow, true),
            _ => (Opcode::SsubOverflow, true),
        };
        let (result, flag) = self.checked_words(op, a, b, bits);
        let limit = if signed {
            let top = a.last().copied().unwrap_or(Operand::ZERO);
            let negative = self.compare_words(Opcode::IcmpSlt, top, Operand::ZERO);
            self.limit_by_sign(negative, bits)
        } else {
            self.limit_words(bits, Extend::Zero, op == Opcode::UaddOverflow)
        };
        self.choose_words(flag, &limit, &result)
    }

    /// A saturating left shift: it overflows if shifting back gives another number.
    pub fn saturated_shift(&mut self, words: &[Operand], distance: Operand, bits: u32, signed: bool) -> Words {
        let moved = self.shift_up_by(words, distance);
        let unused = WORD_BITS * word_count(bits) as u32 - bits;
        let mut cut = moved.clone();
        if let Some(top) = cut.last_mut().filter(|_| unused > 0) {
            let shift = self.literal(unused.into());
            let up = self.word_op(Opcode::Shl, *top, shift);
            *top = self.word_op(if signed { Opcode::Ashr } else { Opcode::Lshr }, up, shift);
        }
        let top = cut.last().copied().unwrap_or(Operand::ZERO);
        let filler = if signed { self.sign_of(top) } else { Operand::ZERO };
        let back = self.shift_down_by(&cut, distance, filler);
        let same = self.equal_words(&back, words);
        let limit = if signed {
            let top = words.last().copied().unwrap_or(Operand::ZERO);
            let negative = self.compare_words(Opcode::IcmpSlt, top, Operand::ZERO);
            self.limit_by_sign(negative, bits)
        } else {
            self.limit_words(bits, Extend::Zero, true)
        };
        self.choose_words(same, &cut, &limit)
    }

    /// The result of a three-way comparison as a value of type `ir_type`: -1, 0 or 1.
    pub fn three_way(&mut self, a: &[Operand], b: &[Operand], signed: bool, ir_type: Type) -> Operand {
        let less = self.less_words(a, b, signed);
        let greater = self.less_words(b, a, signed);
        let minus = Operand::imm(-1).unwrap_or(Operand::ZERO);
        let one = Operand::imm(1).unwrap_or(Operand::ZERO);
        let up = self.choose(ir_type, greater, one, Operand::ZERO);
        self.choose(ir_type, less, minus, up)
    }
}
