//! Shifts. By a constant, each word of the result is made of two words of the number. By a variable distance, the
//! number is stored to a stack slot, next to words of what is shifted in, and loaded again from an address that
//! depends on the distance; then each word of the result is made of two words that were loaded. A distance that is too
//! large gives poison, but the address must stay inside of the slot.

use super::{WORD_BITS, Words};
use crate::builder::values::Builder;
use crate::builder::word::{NO_TYPE, Word};
use frazil_ir::{InstData, MemFlags, Opcode, Operand, Type, Value};

const WORD_BYTES: usize = 8;
/// The alignment of words in the slot.
pub(super) const WORD_ALIGN_LOG2: u8 = 3;

impl Builder<'_, '_> {
    /// A number shifted up by a constant that is less than its width.
    pub fn shift_up(&mut self, words: &[Operand], distance: u32) -> Words {
        let whole = (distance / WORD_BITS) as usize;
        let within = distance % WORD_BITS;
        let at = |index: usize| index.checked_sub(whole).and_then(|index| words.get(index).copied());
        let word = |index: usize| at(index).unwrap_or(Operand::ZERO);
        let mut result = Words::with_capacity(words.len());
        for index in 0..words.len() {
            let below = index.checked_sub(1).map_or(Operand::ZERO, word);
            result.push(self.joined(word(index), below, within));
        }
        result
    }

    /// A number shifted down by a constant that is less than its width; words of `filler` are shifted in.
    pub fn shift_down(&mut self, words: &[Operand], distance: u32, filler: Operand) -> Words {
        let whole = (distance / WORD_BITS) as usize;
        let within = distance % WORD_BITS;
        let word = |index: usize| words.get(index + whole).copied().unwrap_or(filler);
        let mut result = Words::with_capacity(words.len());
        for index in 0..words.len() {
            result.push(if within == 0 {
                word(index)
            } else {
                self.joined(word(index + 1), word(index), WORD_BITS - within)
            });
        }
        result
    }

    /// The upper one of two words, shifted up by less than a word's width.
    fn joined(&mut self, high: Operand, low: Operand, distance: u32) -> Operand {
        if distance == 0 {
            return high;
        }
        let count = self.literal(distance.into());
        self.funnel(high, low, count)
    }

    fn funnel(&mut self, high: Operand, low: Operand, count: Operand) -> Operand {
        if super::is_zero(low) {
            return self.word_op(Opcode::Shl, high, count);
        }
        let rest = self.function.push_pool(&[low, count]);
        self.emit(Opcode::Fshl, Type::I64, 0, high, Operand::raw(rest))
    }

    /// A number shifted up by a variable distance.
    pub fn shift_up_by(&mut self, words: &[Operand], distance: Operand) -> Words {
        if let Some(number) = constant_distance(words, distance) {
            return self.shift_up(words, number);
        }
        let reach = reach(words);
        let slot = self.slot_of_words(reach + words.len());
        self.store_words(slot, 0, &vec![Operand::ZERO; reach]);
        self.store_words(slot, reach, words);
        let (offset, within) = self.parts_of_distance(distance, reach);
        // Counted down from the end of the zeros. The minuend has all ones in the mask, so the difference is an
        // exclusive or.
        let last = self.literal(((reach - 1) * WORD_BYTES) as i64);
        let offset = self.word_op(Opcode::Xor, last, offset);
        let loaded = self.load_words(slot, offset, words.len() + 1);
        loaded
            .windows(2)
            .filter_map(|pair| <[Operand; 2]>::try_from(pair).ok())
            .map(|[low, high]| self.funnel(high, low, within))
            .collect()
    }

    /// A number shifted down by a variable distance; words of `filler` are shifted in.
    pub fn shift_down_by(&mut self, words: &[Operand], distance: Operand, filler: Operand) -> Words {
        if let Some(number) = constant_distance(words, distance) {
            return self.shift_down(words, number, filler);
        }
        let reach = reach(words);
        let slot = self.slot_of_words(words.len() + reach);
        self.store_words(slot, 0, words);
        self.store_words(slot, words.len(), &vec![filler; reach]);
        let (offset, within) = self.parts_of_distance(distance, reach);
        let loaded = self.load_words(slot, offset, words.len() + 1);
        loaded
            .windows(2)
            .filter_map(|pair| <[Operand; 2]>::try_from(pair).ok())
            .map(|[low, high]| {
                let rest = self.function.push_pool(&[low, within]);
                self.emit(Opcode::Fshr, Type::I64, 0, high, Operand::raw(rest))
            })
            .collect()
    }

    /// A distance as a number of bytes in whole words, limited to fewer than `reach` words, and the bits within a
    /// word.
    fn parts_of_distance(&mut self, distance: Operand, reach: usize) -> (Operand, Operand) {
        let bits_of_byte = self.literal(3);
        let bytes = self.word_op(Opcode::Lshr, distance, bits_of_byte);
        let mask = self.literal(((reach - 1) * WORD_BYTES) as i64);
        let offset = self.word_op(Opcode::And, bytes, mask);
        let mask = self.literal((WORD_BITS - 1).into());
        (offset, self.word_op(Opcode::And, distance, mask))
    }

    pub(super) fn slot_of_words(&mut self, count: usize) -> Value {
        self.function.push_slot((count * WORD_BYTES) as u64, WORD_ALIGN_LOG2)
    }

    fn address_of_word(&mut self, base: Operand, index: usize) -> Operand {
        self.address_after(base, Type::PTR, (index * WORD_BYTES) as i64)
    }

    pub(super) fn store_words(&mut self, slot: Value, first: usize, words: &[Operand]) {
        let flags = MemFlags::aligned(WORD_ALIGN_LOG2.into()).0;
        for (&word, index) in words.iter().zip(first..) {
            let address = self.address_of_word(Operand::value(slot), index);
            self.function
                .push_inst(InstData::new(Opcode::Store, Type::I64, flags, word, address));
        }
    }

    pub(super) fn load_words(&mut self, slot: Value, offset: Operand, count: usize) -> Words {
        let flags = MemFlags::aligned(WORD_ALIGN_LOG2.into()).0;
        let offset = self.word_as_distance(Word::scalar(offset, Type::I64, NO_TYPE), Opcode::Zext);
        let base = self.emit(Opcode::PtrAdd, Type::PTR, 0, Operand::value(slot), offset);
        (0..count)
            .map(|index| {
                let address = self.address_of_word(base, index);
                self.emit(Opcode::Load, Type::I64, flags, address, Operand::NONE)
            })
            .collect()
    }
}

/// How many words a distance may skip: a power of two, at least as large as the number of words.
fn reach(words: &[Operand]) -> usize {
    words.len().next_power_of_two()
}

/// A constant distance, reduced so that it is valid.
fn constant_distance(words: &[Operand], distance: Operand) -> Option<u32> {
    let number = distance.as_imm()?;
    u32::try_from(number)
        .ok()
        .or(Some(0))
        .map(|number| number % (WORD_BITS * words.len() as u32).max(1))
}
