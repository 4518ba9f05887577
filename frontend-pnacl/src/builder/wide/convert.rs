//! Conversions from and to `float` and `double`, and the bits of floats that are wider than a word.
//!
//! To a float, the number is shifted up until its highest bit is at the top. Then the top word alone is rounded; if
//! any lower bit is set, the lowest bit of the top word is set, too, so that it is rounded like the whole number. A
//! multiplication by a power of two, which is exact, undoes the shift. From a float, the fraction is shifted by the
//! exponent. The bits of a float go through a stack slot.

use super::shift::WORD_ALIGN_LOG2;
use super::{WORD_BITS, Words};
use crate::builder::values::Builder;
use frazil_ir::{InstData, MemFlags, Opcode, Operand, Type};

/// The number of fraction bits that are stored in a double.
const FRACTION_BITS: u32 = 52;
/// The exponent field of the number one.
const EXPONENT_OF_ONE: i64 = 1023;
const EXPONENT_MASK: i64 = 0x7ff;

impl Builder<'_, '_> {
    /// The float that is nearest to a number.
    pub fn float_of_words(&mut self, words: &[Operand], signed: bool, ir_type: Type) -> Operand {
        let width = WORD_BITS * words.len() as u32;
        let top = words.last().copied().unwrap_or(Operand::ZERO);
        let sign = if signed { self.sign_of(top) } else { Operand::ZERO };
        let magnitude = if signed {
            self.negate_where(words, sign)
        } else {
            words.to_vec()
        };
        let zeros = self.leading_zeros(&magnitude, width);
        let moved = self.shift_up_by(&magnitude, zeros);
        let (rest, top) = moved.split_at(moved.len().saturating_sub(1));
        let lost = self.any_bit(rest);
        let lost = self.compare_words(Opcode::IcmpNe, lost, Operand::ZERO);
        let lost = self.flag_word(lost);
        let top = self.word_op(Opcode::Or, top.first().copied().unwrap_or(Operand::ZERO), lost);

        // This is the only rounding, to the type that is wanted; everything after it is exact or overflows to
        // infinity.
        let top = self.typed_word(top);
        let rounded = self.emit(Opcode::Uitofp, ir_type, 0, top, Operand::NONE);
        let wide = if ir_type == Type::F64 {
            rounded
        } else {
            self.emit(Opcode::Fpext, Type::F64, 0, rounded, Operand::NONE)
        };
        let highest = self.literal(i64::from(width - WORD_BITS) + EXPONENT_OF_ONE);
        let exponent = self.word_op(Opcode::Sub, highest, zeros);
        let place = self.literal(FRACTION_BITS.into());
        let field = self.word_op(Opcode::Shl, exponent, place);
        let field = self.typed_word(field);
        let power = self.emit(Opcode::Bitcast, Type::F64, 0, field, Operand::NONE);
        let scaled = self.emit(Opcode::Fmul, Type::F64, 0, wide, power);
        let bits = self.emit(Opcode::Bitcast, Type::I64, 0, scaled, Operand::NONE);
        let sign_place = self.literal(63);
        let sign_bit = self.word_op(Opcode::Shl, sign, sign_place);
        let bits = self.word_op(Opcode::Or, bits, sign_bit);
        let bits = self.typed_word(bits);
        let result = self.emit(Opcode::Bitcast, Type::F64, 0, bits, Operand::NONE);
        if ir_type == Type::F64 {
            return result;
        }
        self.emit(Opcode::Fptrunc, ir_type, 0, result, Operand::NONE)
    }

    /// A float converted to an integer of `count` words; its fraction is dropped.
    pub fn words_of_float(&mut self, float: Operand, ir_type: Type, count: usize, signed: bool) -> Words {
        let fields = self.float_fields(float, ir_type);
        let magnitude = self.magnitude(&fields, count);
        if signed {
            self.negate_where(&magnitude, fields.sign)
        } else {
            magnitude
        }
    }

    /// The same, saturating to `bits` bits; a NaN becomes zero.
    pub fn saturated_words_of_float(&mut self, float: Operand, ir_type: Type, bits: u32, signed: bool) -> Words {
        let fields = self.float_fields(float, ir_type);
        let count = super::word_count(bits);
        let magnitude = self.magnitude(&fields, count);
        let least = i64::from(bits) - i64::from(signed) + EXPONENT_OF_ONE;
        let least = self.literal(least);
        let too_large = self.compare_words(Opcode::IcmpUge, fields.exponent, least);
        let negative = self.compare_words(Opcode::IcmpSlt, fields.sign, Operand::ZERO);
        let zeros = vec![Operand::ZERO; count];
        let result = if signed {
            let number = self.negate_where(&magnitude, fields.sign);
            let limit = self.limit_by_sign(negative, bits);
            self.choose_words(too_large, &limit, &number)
        } else {
            let limit = self.limit_words(bits, super::Extend::Zero, true);
            let number = self.choose_words(too_large, &limit, &magnitude);
            self.choose_words(negative, &zeros, &number)
        };
        self.choose_words(fields.is_nan, &zeros, &result)
    }

    /// The float of a type of more than 64 bits that has these bits.
    pub fn float_of_bits(&mut self, words: &[Operand], ir_type: Type) -> Operand {
        let slot = self.slot_of_words(words.len());
        self.store_words(slot, 0, words);
        let flags = MemFlags::aligned(WORD_ALIGN_LOG2.into()).0;
        self.emit(Opcode::Load, ir_type, flags, Operand::value(slot), Operand::NONE)
    }

    /// The bits of a float of more than 64 bits; zeros follow in the last word.
    pub fn bits_of_float(&mut self, float: Operand, ir_type: Type, count: usize) -> Words {
        let slot = self.slot_of_words(count);
        self.store_words(slot, 0, &vec![Operand::ZERO; count]);
        let flags = MemFlags::aligned(WORD_ALIGN_LOG2.into()).0;
        let store = InstData::new(Opcode::Store, ir_type, flags, float, Operand::value(slot));
        self.function.push_inst(store);
        self.load_words(slot, Operand::ZERO, count)
    }

    fn float_fields(&mut self, float: Operand, ir_type: Type) -> Fields {
        let double = if ir_type == Type::F64 {
            float
        } else {
            self.emit(Opcode::Fpext, Type::F64, 0, float, Operand::NONE)
        };
        let data = frazil_ir::InstData::new(Opcode::FcmpUno, Type::F64, 0, double, double);
        let is_nan = Operand::value(self.function.push_inst_result(data, Type::I1));
        let bits = self.emit(Opcode::Bitcast, Type::I64, 0, double, Operand::NONE);
        let sign = self.sign_of(bits);
        let place = self.literal(FRACTION_BITS.into());
        let upper = self.word_op(Opcode::Lshr, bits, place);
        let mask = self.literal(EXPONENT_MASK);
        let exponent = self.word_op(Opcode::And, upper, mask);
        let mask = self.literal((1 << FRACTION_BITS) - 1);
        let stored = self.word_op(Opcode::And, bits, mask);
        let leading = self.literal(1 << FRACTION_BITS);
        let fraction = self.word_op(Opcode::Or, stored, leading);
        Fields {
            fraction,
            exponent,
            sign,
            is_nan,
        }
    }

    /// The fraction shifted by the exponent. Numbers below one give zero.
    fn magnitude(&mut self, fields: &Fields, count: usize) -> Words {
        let unmoved = self.literal(EXPONENT_OF_ONE + i64::from(FRACTION_BITS));
        let up = self.word_op(Opcode::Sub, fields.exponent, unmoved);
        let down = self.word_op(Opcode::Sub, unmoved, fields.exponent);
        let is_down = self.compare_words(Opcode::IcmpSlt, up, Operand::ZERO);
        let most = self.literal(63);
        let down = self.emit(Opcode::Umin, Type::I64, 0, down, most);
        let moved = self.word_op(Opcode::Lshr, fields.fraction, down);
        let low = self.choose(Type::I64, is_down, moved, fields.fraction);
        let distance = self.choose(Type::I64, is_down, Operand::ZERO, up);
        let mut words = vec![low];
        words.resize(count, Operand::ZERO);
        self.shift_up_by(&words, distance)
    }
}

/// The fields of a double.
struct Fields {
    /// With the leading one.
    fraction: Operand,
    /// As stored, with its bias.
    exponent: Operand,
    /// All ones if the number is negative, else zero.
    sign: Operand,
    is_nan: Operand,
}
