//! Integers of more than 128 bits: several IR values each, 64-bit words from the lowest on. Where registers have 32
//! bits, those of more than 64 bits are so, too ([`frazil_ir::Platform::widest_integer_bits`]).
//!
//! A wide integer is held as an aggregate is: words of `i64`, the last one an integer of the bits that are left (as
//! for `i200`: three words of 64 bits and one of 8). So phis, loads, stores, selects, arguments and results need
//! nothing of their own, and nothing after the reader knows that there are such types. Here is what takes the number
//! as a whole: each operation becomes instructions on words, with the top word extended as the operation needs it.
//!
//! Carries come from the operations that report overflow, products from multiplications of 128 bits or, where these are
//! wide themselves, of both halves of 64. Division is a loop
//! that shifts and subtracts ([`divide`]), which is why a block of the file may become several ([`super::blocks`]).
//! Shifts by a variable distance go through a stack slot: the words are stored, and loaded from another place
//! ([`shift`]).
//!
//! The integers of more than 64 bits whose width is not 128 have a part here, too: operations that exist for 128 bits
//! only are done in 128 bits.
//!
//! Not here: wider types than [`limits::VALUE_BITS`], which are refused, and vectors of wide integers. Atomic accesses
//! are in [`crate::llvm`], with others that are library calls.

mod bits;
mod convert;
mod divide;
mod multiply;
mod overflow;
mod shift;

use super::values::Builder;
use super::word::{NO_TYPE, Word};
use crate::error::ReadError;
use crate::limits;
use crate::llvm::types::{Kind, TypeId};
use frazil_ir::included::RARE;
use frazil_ir::{InstData, Opcode, Operand, Refusal, Type, TypeData, Value};

pub const WORD_BITS: u32 = 64;
/// Integers of more bits are never single IR values.
pub const WIDEST_NARROW_BITS: u32 = frazil_ir::platform::WIDEST_INTEGER_BITS;

/// A wide integer as words of 64 bits, the lowest first; the top word is extended to 64 bits.
pub type Words = Vec<Operand>;

/// How the unused bits of the top word are filled.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Extend {
    /// With zeros.
    Zero,
    /// With the sign.
    Sign,
}

impl Extend {
    /// The extension that operations on signed or unsigned numbers need.
    pub fn of(signed: bool) -> Extend {
        if signed { Extend::Sign } else { Extend::Zero }
    }
}

/// The number of words for this many bits.
pub fn word_count(bits: u32) -> usize {
    bits.div_ceil(WORD_BITS) as usize
}

/// The number of bits in the top word: 1 to 64.
pub fn top_bits(bits: u32) -> u32 {
    (bits - 1) % WORD_BITS + 1
}

/// A constant of type `i1`.
pub fn truth(value: bool) -> Operand {
    Operand::imm(if value { -1 } else { 0 }).unwrap_or(Operand::ZERO)
}

fn is_zero(operand: Operand) -> bool {
    operand.as_imm() == Some(0)
}

impl Builder<'_, '_> {
    /// The width of a type of the file, if that is a wide integer.
    #[inline]
    pub fn wide_bits(&self, ty: TypeId) -> Option<u32> {
        match self.module.types.kind(ty) {
            Some(&Kind::Integer(bits)) if RARE && bits > self.module.narrow_bits() => Some(bits),
            _ => None,
        }
    }

    /// The width of a value, if that is a wide integer.
    pub fn wide_value_bits(&self, word: Word) -> Option<u32> {
        if word.is_operand() {
            return None;
        }
        self.wide_bits(word.ty())
    }

    /// Whether a type is an integer of 65 to 127 bits.
    #[inline]
    pub fn is_odd_wide(&self, ir_type: Type) -> bool {
        ir_type.index() >= usize::from(Type::FIRST_EXTRA)
            && matches!(self.function.types().data(ir_type), TypeData::Int(65..))
    }

    /// Whether a value is a single integer of more than 64 bits.
    pub fn is_wider_than_word(&self, word: Word) -> bool {
        word.is_operand() && (word.ir_type() == Type::I128 || self.is_odd_wide(word.ir_type()))
    }

    /// An integer of 65 to 127 bits, extended to 128 bits.
    #[cold]
    pub fn odd_source(&mut self, word: Word, signed: bool) -> Operand {
        let bits = self
            .function
            .types()
            .int_bits(word.ir_type())
            .unwrap_or(WIDEST_NARROW_BITS);
        self.extend_to_128(word, bits, Extend::of(signed))
    }

    /// The error for a value that is an operand of an instruction on scalars but is none.
    #[cold]
    pub fn not_single(&self, word: Word) -> ReadError {
        match self.wide_value_bits(word) {
            Some(bits) => self.unsupported(
                Refusal::WideInteger,
                format!("an integer of {bits} bits as an operand of this instruction"),
            ),
            None => self.malformed("an aggregate where a scalar is expected"),
        }
    }

    /// Reserves room for the instructions of an operation on words.
    ///
    /// # Errors
    /// If the function becomes too large.
    pub fn make_wide_room(&mut self, instructions: usize) -> Result<(), ReadError> {
        let wanted = 2 * instructions;
        if wanted <= self.state.wide_room {
            self.state.wide_room -= wanted;
            self.room += wanted;
            return Ok(());
        }
        self.check_room(wanted)
    }

    /// The words of a wide integer, the top one extended.
    ///
    /// # Errors
    /// If the function has too many types.
    pub fn words_of(&mut self, word: Word, bits: u32, extend: Extend) -> Result<Words, ReadError> {
        let count = word_count(bits);
        let mut words: Words = (0..count as u32).map(|index| self.part(word, index)).collect();
        let top_bits = top_bits(bits);
        if top_bits < WORD_BITS
            && let Some(top) = words.last_mut()
        {
            *top = self.extend_to_word(*top, top_bits, extend);
        }
        Ok(words)
    }

    /// An operand of at most 64 bits, extended to a word.
    fn extend_to_word(&mut self, operand: Operand, bits: u32, extend: Extend) -> Operand {
        if bits == WORD_BITS {
            return operand;
        }
        match (operand.as_imm(), extend) {
            // An immediate is sign-extended.
            (Some(_), Extend::Sign) => operand,
            (Some(number), Extend::Zero) => self.literal(number & (u64::MAX >> (WORD_BITS - bits)).cast_signed()),
            (None, Extend::Sign) => self.emit(Opcode::Sext, Type::I64, 0, operand, Operand::NONE),
            (None, Extend::Zero) => self.emit(Opcode::Zext, Type::I64, 0, operand, Operand::NONE),
        }
    }

    /// The scalars that represent a number of `bits` bits with these words; unused bits and words are dropped.
    ///
    /// # Errors
    /// If the function has too many types.
    pub fn parts_of(&mut self, mut words: Words, bits: u32) -> Result<Words, ReadError> {
        words.truncate(word_count(bits));
        let unused = WORD_BITS - top_bits(bits);
        if unused > 0
            && let Some(top) = words.last_mut()
        {
            *top = match top.as_imm() {
                Some(number) => Operand::imm(number << unused >> unused).unwrap_or(Operand::ZERO),
                None => {
                    let ir_type = self.intern(TypeData::Int(WORD_BITS - unused))?;
                    self.emit(Opcode::Trunc, ir_type, 0, *top, Operand::NONE)
                }
            };
        }
        Ok(words)
    }

    /// The words of an integer of at most 128 bits that is a single value, extended to `count` words.
    ///
    /// # Errors
    /// If the value is no integer.
    pub fn words_of_scalar(&mut self, word: Word, count: usize, extend: Extend) -> Result<Words, ReadError> {
        let Some(bits) = self.function.types().int_bits(word.ir_type()) else {
            return Err(self.malformed("something that is no integer where one is expected"));
        };
        let mut words = Words::new();
        if bits <= WORD_BITS {
            words.push(self.extend_to_word(word.operand(), bits, extend));
        } else {
            let whole = self.extend_to_128(word, bits, extend);
            words.push(self.emit(Opcode::Trunc, Type::I64, 0, whole, Operand::NONE));
            let distance = self.literal(WORD_BITS.into());
            let high = self.emit(Opcode::Lshr, Type::I128, 0, whole, distance);
            words.push(self.emit(Opcode::Trunc, Type::I64, 0, high, Operand::NONE));
        }
        self.fill_up(&mut words, count, extend);
        Ok(words)
    }

    /// An integer of 65 to 128 bits, extended to 128 bits; the operand carries its type.
    pub fn extend_to_128(&mut self, word: Word, bits: u32, extend: Extend) -> Operand {
        let typed = self.typed(word);
        if bits == WIDEST_NARROW_BITS {
            return typed;
        }
        let op = if extend == Extend::Sign {
            Opcode::Sext
        } else {
            Opcode::Zext
        };
        self.emit(op, Type::I128, 0, typed, Operand::NONE)
    }

    /// Extends a number to `count` words, or truncates it.
    pub fn fill_up(&mut self, words: &mut Words, count: usize, extend: Extend) {
        let filler = match (words.last(), extend) {
            (Some(&top), Extend::Sign) if words.len() < count => self.sign_of(top),
            _ => Operand::ZERO,
        };
        words.resize(count, filler);
    }

    /// All ones if a word is negative, else zero.
    fn sign_of(&mut self, word: Operand) -> Operand {
        match word.as_imm() {
            Some(number) => Operand::imm(number >> 63).unwrap_or(Operand::ZERO),
            None => {
                let distance = self.literal(63);
                self.emit(Opcode::Ashr, Type::I64, 0, word, distance)
            }
        }
    }

    /// A constant word.
    pub fn literal(&mut self, value: i64) -> Operand {
        self.function.int_operand(Type::I64, i128::from(value))
    }

    /// A word as an operand that carries its type, as casts need it.
    pub fn typed_word(&mut self, word: Operand) -> Operand {
        self.typed(Word::scalar(word, Type::I64, NO_TYPE))
    }

    /// An operation on two words. Operations that an operand of zero makes trivial emit nothing.
    fn word_op(&mut self, op: Opcode, a: Operand, b: Operand) -> Operand {
        match (op, is_zero(a), is_zero(b)) {
            (Opcode::Add | Opcode::Or | Opcode::Xor | Opcode::Sub, _, true) => a,
            (Opcode::Shl | Opcode::Lshr | Opcode::Ashr, _, true) => a,
            (Opcode::Add | Opcode::Or | Opcode::Xor, true, _) => b,
            (Opcode::And | Opcode::Mul, true, _) | (Opcode::And | Opcode::Mul, _, true) => Operand::ZERO,
            (Opcode::Shl | Opcode::Lshr | Opcode::Ashr, true, _) => Operand::ZERO,
            _ => self.emit(op, Type::I64, 0, a, b),
        }
    }

    /// The same operation on each pair of words of two numbers.
    pub fn on_each_word(&mut self, op: Opcode, a: &[Operand], b: &[Operand]) -> Words {
        a.iter().zip(b).map(|(&a, &b)| self.word_op(op, a, b)).collect()
    }

    /// A comparison of two words.
    fn compare_words(&mut self, op: Opcode, a: Operand, b: Operand) -> Operand {
        let data = InstData::new(op, Type::I64, 0, a, b);
        Operand::value(self.function.push_inst_result(data, Type::I1))
    }

    /// A logical operation on two `i1` values.
    fn on_flags(&mut self, op: Opcode, a: Operand, b: Operand) -> Operand {
        match (op, is_zero(a), is_zero(b)) {
            (Opcode::Or | Opcode::Xor, true, _) => b,
            (Opcode::Or | Opcode::Xor, _, true) => a,
            _ => self.emit(op, Type::I1, 0, a, b),
        }
    }

    /// An `i1` value as a word, 0 or 1.
    fn flag_word(&mut self, flag: Operand) -> Operand {
        match flag.as_imm() {
            Some(number) => Operand::imm(number & 1).unwrap_or(Operand::ZERO),
            None => self.emit(Opcode::Zext, Type::I64, 0, flag, Operand::NONE),
        }
    }

    /// One of two operands of the same type, selected by an `i1` value.
    pub fn choose(&mut self, ir_type: Type, flag: Operand, if_true: Operand, if_false: Operand) -> Operand {
        if if_true == if_false {
            return if_true;
        }
        let data = self.select_data(ir_type, flag, if_true, if_false);
        Operand::value(self.function.push_inst_result(data, ir_type))
    }

    fn select_data(&mut self, ir_type: Type, flag: Operand, if_true: Operand, if_false: Operand) -> InstData {
        let rest = self.function.push_pool(&[if_true, if_false]);
        InstData::new(Opcode::Select, ir_type, 0, flag, Operand::raw(rest))
    }

    /// One of two numbers, selected by an `i1` value.
    pub fn choose_words(&mut self, flag: Operand, if_true: &[Operand], if_false: &[Operand]) -> Words {
        let pairs = if_true.iter().zip(if_false);
        pairs.map(|(&a, &b)| self.choose(Type::I64, flag, a, b)).collect()
    }

    /// The sum or difference of two words, and the unsigned carry or borrow.
    fn with_carry(&mut self, op: Opcode, a: Operand, b: Operand) -> (Operand, Operand) {
        if is_zero(b) {
            return (a, Operand::ZERO);
        }
        self.word_and_flag(InstData::new(op, Type::I64, 0, a, b))
    }

    fn word_and_flag(&mut self, data: InstData) -> (Operand, Operand) {
        let first = self.function.push_inst_results(data, &[Type::I64, Type::I1]);
        let first = first.map_or(0, Value::as_u32) as usize;
        let [result, flag] = [first, first + 1].map(|value| Operand::value(frazil_ir::EntityRef::new(value)));
        (result, flag)
    }

    /// The sum of two numbers, and the carry out of the top word.
    pub fn add_words(&mut self, a: &[Operand], b: &[Operand]) -> (Words, Operand) {
        self.chain((Opcode::UaddOverflow, Opcode::UaddCarry), a, b)
    }

    /// The difference of two numbers, and the borrow out of the top word.
    pub fn subtract_words(&mut self, a: &[Operand], b: &[Operand]) -> (Words, Operand) {
        self.chain((Opcode::UsubOverflow, Opcode::UsubBorrow), a, b)
    }

    /// Digit by digit: with the first operation as long as nothing is carried, then with the second one.
    fn chain(&mut self, (first, next): (Opcode, Opcode), a: &[Operand], b: &[Operand]) -> (Words, Operand) {
        let mut carry = Operand::ZERO;
        let mut words = Words::with_capacity(a.len());
        for (&a, &b) in a.iter().zip(b) {
            let word;
            (word, carry) = match is_zero(carry) {
                true => self.with_carry(first, a, b),
                false => {
                    let rest = self.function.push_pool(&[b, carry]);
                    self.word_and_flag(InstData::new(next, Type::I64, 0, a, Operand::raw(rest)))
                }
            };
            words.push(word);
        }
        (words, carry)
    }

    /// All ones if a number is negative, else zero.
    pub fn sign_of_words(&mut self, words: &[Operand]) -> Operand {
        let top = words.last().copied().unwrap_or(Operand::ZERO);
        self.sign_of(top)
    }

    /// The negated number where `sign` is all ones; the number itself where it is zero.
    fn negate_where(&mut self, words: &[Operand], sign: Operand) -> Words {
        let signs = vec![sign; words.len()];
        let flipped = self.on_each_word(Opcode::Xor, words, &signs);
        self.subtract_words(&flipped, &signs).0
    }

    /// Whether two numbers are equal.
    pub fn equal_words(&mut self, a: &[Operand], b: &[Operand]) -> Operand {
        let differences = self.on_each_word(Opcode::Xor, a, b);
        let difference = self.any_bit(&differences);
        self.compare_words(Opcode::IcmpEq, difference, Operand::ZERO)
    }

    /// A word that is zero if and only if all these words are.
    fn any_bit(&mut self, words: &[Operand]) -> Operand {
        let mut all = Operand::ZERO;
        for &word in words {
            all = self.word_op(Opcode::Or, all, word);
        }
        all
    }

    /// Whether the first number is less than the second one. The top words must be extended accordingly.
    pub fn less_words(&mut self, a: &[Operand], b: &[Operand], signed: bool) -> Operand {
        let mut less = None;
        for (index, (&left, &right)) in a.iter().zip(b).enumerate() {
            let op = if signed && index + 1 == a.len() {
                Opcode::IcmpSlt
            } else {
                Opcode::IcmpUlt
            };
            let here = self.compare_words(op, left, right);
            less = Some(match less {
                None => here,
                Some(below) => {
                    let equal = self.compare_words(Opcode::IcmpEq, left, right);
                    self.choose(Type::I1, equal, below, here)
                }
            });
        }
        less.unwrap_or(Operand::ZERO)
    }

    /// The smallest or the largest number of `bits` bits, with its top word extended.
    fn limit_words(&mut self, bits: u32, extend: Extend, largest: bool) -> Words {
        let top = top_bits(bits);
        let (below, top) = match (extend, largest) {
            (Extend::Zero, false) => (0, 0),
            (Extend::Zero, true) => (-1, (u64::MAX >> (WORD_BITS - top)).cast_signed()),
            (Extend::Sign, false) => (0, -1 << (top - 1)),
            (Extend::Sign, true) => (-1, (1_i128 << (top - 1)).wrapping_sub(1) as i64),
        };
        let mut words = vec![self.literal(below); word_count(bits)];
        let top = self.literal(top);
        if let Some(last) = words.last_mut() {
            *last = top;
        }
        words
    }

    /// The refusal of integers of this many bits.
    #[cold]
    pub fn too_wide(&self, bits: u32) -> ReadError {
        self.unsupported(
            Refusal::WideInteger,
            format!(
                "a value of type i{bits}, an integer of more than {} bits",
                limits::VALUE_BITS
            ),
        )
    }
}
