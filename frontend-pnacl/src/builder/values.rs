//! The values of a function by their numbers in the file, and the [`Builder`] that the other modules here extend.
//!
//! LLVM's bitcode numbers values consecutively: the module's symbols and constants first, then a function's
//! parameters, constants and instruction results. For each number there is one 64-bit [`Word`], which has the IR
//! operand and its types. The words of the module are made once; those of a function are appended and truncated
//! afterwards.
//!
//! ```text
//!  words   | symbols, module constants | parameters, constants, results ... | forward references
//!          0                 module_words                                 next
//! ```
//!
//! * A constant that is no small immediate becomes an IR constant when a function first uses it, and its word is
//!   replaced by that operand. For words of the module, the old word is restored after the function.
//! * A forward reference (a use before the definition) declares a value with the type in the record; the definition
//!   fills it in.
//!
//! Invariant: `words.len() >= next`, with equality unless forward references are open; every word below `next` is
//! defined.

use super::class::Class;
use super::dominance::Elsewhere;
use super::state::{BuildState, constant_word};
use super::tables::ModuleTables;
use super::word::{State, Word};
use crate::error::{ReadError, ReadErrorKind};
use crate::limits;
use crate::llvm::types::TypeId;
use frazil_ir::{
    ConstKind, EntityRef, Function, InstData, Opcode, Operand, Refusal, SymbolId, Type, TypeData, Value, ValueKind,
};

/// Builds one function.
pub struct Builder<'r, 'm> {
    pub(crate) module: &'m ModuleTables,
    pub(crate) state: &'r mut BuildState,
    pub(crate) function: &'r mut Function,
    /// The number of the next value.
    pub(crate) next: u32,
    /// The values whose uses in the current block must be checked for dominance.
    pub(crate) elsewhere: Elsewhere,
    /// The bit position of the current record, for messages.
    pub(crate) place: u64,
    /// The number of blocks that the file says the function has.
    pub(crate) block_count: u32,
    /// How many instructions and values the function may have.
    pub(crate) room: usize,
}

impl<'m> Builder<'_, 'm> {
    /// An error in the current record: the file contradicts itself.
    #[cold]
    pub fn malformed(&self, message: impl Into<String>) -> ReadError {
        ReadError::malformed(self.place, message)
    }

    /// A refusal of something in the current record.
    #[cold]
    pub fn unsupported(&self, refusal: Refusal, message: impl Into<String>) -> ReadError {
        ReadError::unsupported(refusal, self.place, message)
    }

    /// The word of a value that the current record uses, with a number below `next`. A constant becomes an operand.
    #[inline]
    pub fn word(&mut self, number: u32) -> Result<Word, ReadError> {
        self.note_use(number);
        self.made_word(number)
    }

    /// Records a use of a value that is already defined, if it must be checked for dominance.
    #[inline]
    pub fn note_use(&mut self, number: u32) {
        if self.elsewhere.contains(number) {
            self.state.uses.note(number, self.place);
        }
    }

    /// The same as [`Builder::word`], without recording a use: for uses that are not at the current record.
    #[inline]
    pub fn made_word(&mut self, number: u32) -> Result<Word, ReadError> {
        match self.state.words.get(number as usize) {
            Some(&word) if word.is_operand() => Ok(word),
            _ => self.slow_word(number),
        }
    }

    fn slow_word(&mut self, number: u32) -> Result<Word, ReadError> {
        let word = self
            .state
            .words
            .get(number as usize)
            .copied()
            .unwrap_or(Word::UNDEFINED);
        match word.state() {
            State::Scalar | State::Forward | State::Aggregate | State::ForwardAggregate => Ok(word),
            State::Undefined => Err(self.malformed(format!("value {number}, which is not defined"))),
            State::ThreadLocal => {
                let symbol = Operand::symbol(SymbolId::new(word.index() as usize));
                let data = InstData::new(Opcode::TlsAddr, Type::PTR, 0, symbol, Operand::NONE);
                let address = self.function.push_inst_result(data, Type::PTR);
                Ok(Word::scalar(Operand::value(address), Type::PTR, word.ty()))
            }
            State::Constant => {
                let (made, reusable) = self.constant(number, word)?;
                if reusable && let Some(slot) = self.state.words.get_mut(number as usize) {
                    *slot = made;
                    if (number as usize) < self.state.module_words {
                        self.state.replaced.push((number, word));
                    }
                }
                Ok(made)
            }
        }
    }

    /// Makes a constant an operand while the entry block begins, so that instructions for it dominate all uses.
    ///
    /// # Errors
    /// As for [`Builder::word`].
    pub fn make_early(&mut self, number: u32) -> Result<(), ReadError> {
        let before = self.raw_word(number);
        let made = self.made_word(number)?;
        if made != before && self.raw_word(number) == before {
            self.set_word(number, made);
            if (number as usize) < self.state.module_words {
                self.state.replaced.push((number, before));
            }
        }
        Ok(())
    }

    /// The word of a value number as it is: a constant does not become an operand. For operands that are only
    /// inspected.
    pub fn raw_word(&self, number: u32) -> Word {
        self.state
            .words
            .get(number as usize)
            .copied()
            .unwrap_or(Word::UNDEFINED)
    }

    /// Records a use of a value that is not yet defined, and declares the value.
    ///
    /// # Errors
    /// If it was declared with another type, or there cannot be that many values.
    #[cold]
    pub fn forward(&mut self, number: u32, ty: TypeId) -> Result<Word, ReadError> {
        self.state.uses.note(number, self.place);
        self.declared(number, ty)
    }

    /// The same as [`Builder::forward`], for a scalar.
    ///
    /// # Errors
    /// As for [`Builder::forward`].
    #[cold]
    pub fn forward_scalar(&mut self, number: u32, ir_type: Type, ty: TypeId) -> Result<Word, ReadError> {
        self.state.uses.note(number, self.place);
        self.declared_scalar(number, ir_type, ty)
    }

    /// Declares a value that is not yet defined.
    ///
    /// # Errors
    /// As for [`Builder::forward`].
    pub fn declared(&mut self, number: u32, ty: TypeId) -> Result<Word, ReadError> {
        match self.class(ty)? {
            Class::Scalar(ir_type) => self.declared_scalar(number, ir_type, ty),
            Class::Aggregate => self.declared_aggregate(number, ty),
            Class::Void | Class::Metadata => Err(self.malformed("a value of type void is used")),
        }
    }

    fn declared_scalar(&mut self, number: u32, ir_type: Type, ty: TypeId) -> Result<Word, ReadError> {
        let known = self.make_room(number)?;
        match known.state() {
            State::Forward if known.ir_type() == ir_type => return Ok(known),
            State::Undefined => {}
            _ => return Err(self.malformed(format!("value {number} is named with two types before its definition"))),
        }
        let value = self.function.declare_value(ir_type);
        let word = Word::new(Operand::value(value).as_raw(), State::Forward, ir_type, ty);
        self.set_word(number, word);
        Ok(word)
    }

    fn declared_aggregate(&mut self, number: u32, ty: TypeId) -> Result<Word, ReadError> {
        let known = self.make_room(number)?;
        match known.state() {
            State::ForwardAggregate if known.ty() == ty => return Ok(known),
            State::Undefined => {}
            _ => return Err(self.malformed(format!("value {number} is named with two types before its definition"))),
        }
        let leaves = self.leaves(ty)?;
        self.check_room(leaves.len())?;
        let first = self.state.parts.len() as u32;
        for index in leaves {
            let ir_type = self.leaf(index).ir_type;
            let value = self.function.declare_value(ir_type);
            self.state.parts.push(Operand::value(value));
        }
        let word = Word::new(first, State::ForwardAggregate, Type::VOID, ty);
        self.set_word(number, word);
        Ok(word)
    }

    /// Makes sure that there is a word for `number`, and returns it.
    fn make_room(&mut self, number: u32) -> Result<Word, ReadError> {
        let index = number as usize;
        if index >= self.state.words.len() {
            if index - self.state.module_words > self.room {
                return Err(self.malformed(format!("value {number}, which the function has no room for")));
            }
            self.state.words.resize(index + 1, Word::UNDEFINED);
        }
        Ok(self.raw_word(number))
    }

    fn set_word(&mut self, number: u32, word: Word) {
        if let Some(slot) = self.state.words.get_mut(number as usize) {
            *slot = word;
        }
    }

    /// Refuses a function that becomes larger than its size in the file justifies.
    ///
    /// # Errors
    /// If there is no room for `more` instructions and values.
    #[inline]
    pub fn check_room(&self, more: usize) -> Result<(), ReadError> {
        let function = &*self.function;
        let lists = (function.pool_len() + self.state.parts.len() + self.state.incoming.len()) / 4;
        if function.insts().len() + function.values().len() + lists + more <= self.room {
            return Ok(());
        }
        Err(self.too_large())
    }

    #[cold]
    fn too_large(&self) -> ReadError {
        let message = format!(
            "a function that grows to more than {} instructions and values",
            self.room
        );
        ReadError::new(ReadErrorKind::TooLarge, self.place, message)
    }

    /// Appends the word of the next value, which is a parameter or constant.
    pub fn push_word(&mut self, word: Word) {
        self.state.words.push(word);
        self.next += 1;
    }

    /// Appends the words of the function's constants from row `first` on.
    pub fn push_constants(&mut self, first: usize) {
        let rows = self.state.constants.rows.get(first..).unwrap_or_default();
        let words = rows
            .iter()
            .zip(first as u32..)
            .map(|(row, index)| constant_word(self.module, row, index));
        self.state.words.extend(words);
        self.next = self.state.words.len() as u32;
    }

    /// Appends an instruction and defines the next value as its result.
    ///
    /// # Errors
    /// If the value was declared with another type.
    #[inline]
    pub fn define(&mut self, data: InstData, ir_type: Type, ty: TypeId) -> Result<(), ReadError> {
        if self.state.words.len() == self.next as usize {
            let value = self.function.push_inst_result(data, ir_type);
            self.state.words.push(Word::scalar(Operand::value(value), ir_type, ty));
            self.next += 1;
            return Ok(());
        }
        self.define_forward(data, ir_type, ty)
    }

    /// The same for an instruction of format `Unary` or `Binary`, which is faster.
    ///
    /// # Errors
    /// If the value was declared with another type.
    #[inline(always)]
    pub fn define_simple(&mut self, data: InstData, ir_type: Type, ty: TypeId) -> Result<(), ReadError> {
        if self.state.words.len() != self.next as usize {
            return self.define_forward(data, ir_type, ty);
        }
        let value = self.function.push_simple_result(data, ir_type);
        self.state.words.push(Word::scalar(Operand::value(value), ir_type, ty));
        self.next += 1;
        Ok(())
    }

    #[cold]
    fn define_forward(&mut self, data: InstData, ir_type: Type, ty: TypeId) -> Result<(), ReadError> {
        let known = self.raw_word(self.next);
        let value = match known.state() {
            State::Undefined => self.function.push_inst_result(data, ir_type),
            State::Forward if known.ir_type() == ir_type => {
                let value = known.operand().as_value().unwrap_or(Value::new(0));
                self.function.push_inst_into(data, value, 1);
                value
            }
            _ => return Err(self.wrong_forward_type()),
        };
        self.set_word(self.next, Word::scalar(Operand::value(value), ir_type, ty));
        self.next += 1;
        Ok(())
    }

    #[cold]
    fn wrong_forward_type(&self) -> ReadError {
        self.malformed(format!(
            "value {} is defined with another type than it was named with",
            self.next
        ))
    }

    /// Defines the next value as an existing value or a constant.
    ///
    /// # Errors
    /// If the value was declared with another type.
    #[inline]
    pub fn define_as(&mut self, word: Word) -> Result<(), ReadError> {
        if self.state.words.len() == self.next as usize {
            self.state.words.push(word);
            self.next += 1;
            return Ok(());
        }
        let known = self.raw_word(self.next);
        match known.state() {
            State::Undefined => self.set_word(self.next, word),
            State::Forward if word.is_operand() && known.ir_type() == word.ir_type() => {
                self.copy_into(known.operand(), word.operand(), word.ir_type());
                self.set_word(self.next, Word::scalar(known.operand(), known.ir_type(), word.ty()));
            }
            State::ForwardAggregate if !word.is_operand() && known.ty() == word.ty() => {
                for index in 0..self.leaves(word.ty())?.len() as u32 {
                    let ir_type = self.part_type(word.ty(), index)?;
                    self.copy_into(self.part(known, index), self.part(word, index), ir_type);
                }
                self.set_word(self.next, Word::aggregate(known.index(), known.ty()));
            }
            _ => return Err(self.wrong_forward_type()),
        }
        self.next += 1;
        Ok(())
    }

    /// Sets the word of the next value, whose declared parts have just been defined.
    pub fn define_in_place(&mut self, word: Word) {
        self.set_word(self.next, word);
        self.next += 1;
    }

    fn copy_into(&mut self, target: Operand, source: Operand, ir_type: Type) {
        if let Some(value) = target.as_value() {
            let data = InstData::new(Opcode::Copy, ir_type, 0, source, Operand::NONE);
            self.function.push_inst_into(data, value, 1);
        }
    }

    /// Appends an instruction and defines the next value, an aggregate of type `ty`, as its results, whose types are
    /// in `state.types`.
    ///
    /// # Errors
    /// If the value was declared with another type.
    pub fn define_aggregate(&mut self, data: InstData, ty: TypeId) -> Result<(), ReadError> {
        if self.state.words.len() != self.next as usize {
            let known = self.raw_word(self.next);
            if known.state() == State::ForwardAggregate
                && known.ty() == ty
                && let Some(first) = self
                    .state
                    .parts
                    .get(known.index() as usize)
                    .and_then(|part| part.as_value())
            {
                // The parts were declared as consecutive values. Copies are not possible, since they would come after
                // an invoke.
                let count = self.state.types.len();
                self.function.push_inst_into(data, first, count);
                self.define_in_place(Word::aggregate(known.index(), ty));
                return Ok(());
            }
        }
        let types = std::mem::take(&mut self.state.types);
        let first = self.function.push_inst_results(data, &types);
        let base = self.state.parts.len() as u32;
        let first = first.map_or(0, |value| value.index());
        self.state
            .parts
            .extend((first..first + types.len()).map(|index| Operand::value(Value::new(index))));
        self.state.types = types;
        self.define_as(Word::aggregate(base, ty))
    }

    /// Appends an instruction with results of the types in `state.types`, and defines the next value as the first one.
    ///
    /// # Errors
    /// If the value was declared with another type.
    #[cold]
    pub fn define_first(&mut self, data: InstData, ir_type: Type, ty: TypeId) -> Result<(), ReadError> {
        let types = std::mem::take(&mut self.state.types);
        let first = self.function.push_inst_results(data, &types);
        self.state.types = types;
        let first = Operand::value(first.unwrap_or(Value::new(0)));
        self.define_as(Word::scalar(first, ir_type, ty))
    }

    /// Appends an instruction whose result has no value number in the file.
    #[inline]
    pub fn emit(&mut self, op: Opcode, ir_type: Type, flags: u16, a: Operand, b: Operand) -> Operand {
        Operand::value(
            self.function
                .push_inst_result(InstData::new(op, ir_type, flags, a, b), ir_type),
        )
    }

    /// An operand that carries its type: immediates do not, so they become constants.
    #[inline]
    pub fn typed(&mut self, word: Word) -> Operand {
        match word.operand().as_imm() {
            Some(number) => self.typed_number(number, word.ir_type()),
            None => word.operand(),
        }
    }

    fn typed_number(&mut self, number: i64, ir_type: Type) -> Operand {
        if let TypeData::Int(bits) = self.function.types().data(ir_type) {
            let mut words = vec![(number >> 63) as u64; bits.div_ceil(64) as usize];
            if let Some(first) = words.first_mut() {
                *first = number as u64;
            }
            return Operand::constant(self.function.push_int(ir_type, &words));
        }
        if number == 0 {
            return Operand::constant(self.function.push_plain_const(ConstKind::Zero, ir_type));
        }
        let number = Operand::constant(self.function.push_int(Type::I64, &[number as u64]));
        self.emit(Opcode::Inttoptr, ir_type, 0, number, Operand::NONE)
    }

    /// Checks that all declared values have been defined.
    ///
    /// # Errors
    /// If one has not.
    pub fn check_all_defined(&self) -> Result<(), ReadError> {
        let open = self.state.words.len() > self.next as usize;
        let undefined = open
            && self
                .function
                .values()
                .iter()
                .any(|value| value.kind == ValueKind::Forward);
        if undefined {
            Err(self.malformed("a value is used but never defined"))
        } else {
            Ok(())
        }
    }

    /// How many instructions and values a body of this many bits may become.
    pub fn room_for(bits: u64) -> usize {
        limits::function_room(bits)
    }
}
