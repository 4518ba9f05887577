//! The values of a function by their numbers in the file, and the builder that everything else here extends.
//!
//! Each value number has one 64-bit [`Word`]: the IR operand, its IR type, the file's type and a state, so that one
//! load gives everything a record needs to know of an operand. The words of the module's symbols and constants stand
//! first and are made once; those of a function are appended and cut off again.
//!
//! A constant that is no small integer becomes an IR constant when it is first used in a function. A value that is
//! named before its definition is declared with the type that the record gives; its definition fills it in.
//!
//! Invariant: `words.len() >= next`, and longer only while forward references are open; every word below `next` is
//! defined.

use super::word::{NO_TYPE, State, Word};
use crate::error::{ReadError, ReadErrorKind};
use crate::limits;
use crate::llvm::constants::{Constant, ConstantKind, ConstantTable};
use crate::llvm::module::{BitcodeModule, ModuleValue};
use crate::llvm::types::{Float, Kind, TypeId, TypeTable};
use frazil_ir::module::TlsModel;
use frazil_ir::{
    ConstKind, EntityRef, Function, InstData, Opcode, Operand, SigId, SymbolId, Type, TypeData, Value, ValueKind,
};
use frazil_support::FxHashMap;

/// What values of a type of the file are in the IR.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Class {
    /// No value.
    Void,
    /// One value.
    Scalar(Type),
    /// Several values.
    Aggregate,
    /// Metadata, which is no value here.
    Metadata,
}

/// One scalar of an aggregate.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Leaf {
    /// Bytes from the beginning of the aggregate.
    pub offset: u64,
    /// Its IR type.
    pub ir_type: Type,
    /// Its type in the file.
    pub ty: TypeId,
}

/// A phi whose operands are put into columns at the end.
#[derive(Clone, Copy, Debug)]
pub struct PendingPhi {
    /// Position of the instruction.
    pub inst: u32,
    /// Block of the instruction.
    pub block: u32,
    /// First of its operands in the list of incoming ones.
    pub first: u32,
    /// How many there are.
    pub count: u32,
}

/// Memory that is used again for each function of a module.
#[derive(Debug, Default)]
pub struct BuildState {
    pub(crate) words: Vec<Word>,
    /// How many words belong to the module.
    module_words: usize,
    /// Words of the module that were replaced by an operand of this function.
    replaced: Vec<(u32, Word)>,
    /// Parts of aggregates.
    pub(crate) parts: Vec<Operand>,
    /// IR types of the file's types: the id, or one of the codes below.
    classes: Vec<u8>,
    pub(crate) leaf_ranges: FxHashMap<TypeId, (u32, u32)>,
    pub(crate) leaf_pool: Vec<Leaf>,
    pub(crate) constants: ConstantTable,
    /// Value number of the first constant of the function.
    pub(crate) first_constant: u32,
    /// Constants that become instructions and that phis use: they are made at the beginning of the function.
    pub(crate) early: Vec<u32>,
    /// Blocks with landing pads.
    pub(crate) pads: Vec<u32>,
    /// Blocks that invokes unwind to.
    pub(crate) unwind_targets: Vec<u32>,
    pub(crate) phis: Vec<PendingPhi>,
    pub(crate) incoming: Vec<(Operand, u32)>,
    pub(crate) columns: frazil_support::EpochMap<u32>,
    pub(crate) signatures: FxHashMap<Box<[u32]>, SigId>,
    pub(crate) signature_key: Vec<u32>,
    /// Parameters and results of all signatures in the function's list.
    pub(crate) signature_parameters: usize,
    pub(crate) pairs: FxHashMap<TypeId, TypeId>,
    pub(crate) operands: Vec<Operand>,
    /// The cases of a switch, to be sorted.
    pub(crate) cases: Vec<u32>,
    pub(crate) arguments: Vec<Word>,
    pub(crate) types: Vec<Type>,
}

const CLASS_UNKNOWN: u8 = 255;
const CLASS_AGGREGATE: u8 = 254;
const CLASS_METADATA: u8 = 253;

impl BuildState {
    /// Memory for functions of `module`.
    pub fn new(module: &BitcodeModule<'_>) -> BuildState {
        let mut state = BuildState {
            classes: vec![CLASS_UNKNOWN; module.types.len()],
            ..BuildState::default()
        };
        state.words.reserve(module.values.len() + 256);
        for value in &module.values {
            state.words.push(match *value {
                ModuleValue::Symbol(symbol) => symbol_word(module, symbol),
                ModuleValue::Constant(index) => match module.constants.rows.get(index as usize) {
                    Some(constant) => constant_word(&module.types, constant, index),
                    None => Word::UNDEFINED,
                },
            });
        }
        state.module_words = state.words.len();
        state
    }

    /// Forgets the last function.
    pub fn reset(&mut self) {
        self.words.truncate(self.module_words);
        while let Some((index, word)) = self.replaced.pop() {
            if let Some(slot) = self.words.get_mut(index as usize) {
                *slot = word;
            }
        }
        self.parts.clear();
        self.constants.clear();
        self.pads.clear();
        self.unwind_targets.clear();
        self.phis.clear();
        self.incoming.clear();
        if self.leaf_pool.len() > limits::KEPT_LEAVES {
            self.leaf_ranges.clear();
            self.leaf_pool.clear();
        }
    }

    /// Forgets what depends on the function's tables of types and signatures.
    pub fn forget_tables(&mut self) {
        self.classes.fill(CLASS_UNKNOWN);
        self.leaf_ranges.clear();
        self.leaf_pool.clear();
        self.signatures.clear();
        self.signature_parameters = 0;
        self.pairs.clear();
    }
}

fn symbol_word(module: &BitcodeModule<'_>, symbol: SymbolId) -> Word {
    let thread_local = module
        .module
        .symbols
        .get(symbol)
        .is_some_and(|data| data.tls != TlsModel::NotThreadLocal);
    if thread_local {
        return Word::new(symbol.as_u32(), State::ThreadLocal, Type::PTR, NO_TYPE);
    }
    Word::scalar(Operand::symbol(symbol), Type::PTR, NO_TYPE)
}

/// Small constants are operands at once; others wait until they are used.
fn constant_word(types: &TypeTable, constant: &Constant, index: u32) -> Word {
    let (primitive, immediate) = match (types.kind(constant.ty), constant.kind) {
        (Some(&Kind::Integer(bits @ 1..=64)), ConstantKind::Integer) => {
            let unused = 64 - bits;
            (
                Type::primitive_int(bits),
                Operand::imm((constant.payload() << unused) as i64 >> unused),
            )
        }
        (Some(&Kind::Integer(128)), ConstantKind::Integer) => {
            (Some(Type::I128), Operand::imm(constant.payload() as i64))
        }
        (Some(&Kind::Integer(bits)), ConstantKind::Null) => (Type::primitive_int(bits), Some(Operand::ZERO)),
        (Some(&Kind::Pointer { space: 0, .. }), ConstantKind::Null) => (Some(Type::PTR), Some(Operand::ZERO)),
        _ => (None, None),
    };
    match (primitive, immediate) {
        (Some(ty), Some(operand)) => Word::scalar(operand, ty, constant.ty),
        _ => Word::new(index, State::Constant, Type::VOID, constant.ty),
    }
}

/// Builds one function.
pub struct Builder<'r, 'm> {
    pub(crate) module: &'m BitcodeModule<'m>,
    pub(crate) state: &'r mut BuildState,
    pub(crate) function: &'r mut Function,
    /// The number of the next value.
    pub(crate) next: u32,
    /// Where the current record stands, for messages.
    pub(crate) place: u64,
    /// Blocks that the function will have.
    pub(crate) block_count: u32,
    /// How many instructions and values the function may have.
    pub(crate) room: usize,
}

impl<'m> Builder<'_, 'm> {
    /// A contradiction in the current record.
    #[cold]
    pub fn malformed(&self, message: impl Into<String>) -> ReadError {
        ReadError::malformed(self.place, message)
    }

    /// Something in the current record that is not supported.
    #[cold]
    pub fn unsupported(&self, message: impl Into<String>) -> ReadError {
        ReadError::unsupported(self.place, message)
    }

    /// What values of a type are in the IR.
    ///
    /// # Errors
    /// If there is no such type, or the IR has none for it.
    #[inline]
    pub fn class(&mut self, ty: TypeId) -> Result<Class, ReadError> {
        match self.state.classes.get(ty as usize) {
            Some(&code) if code < CLASS_METADATA => Ok(match code {
                0 => Class::Void,
                code => Class::Scalar(Type::from_index(code)),
            }),
            Some(&CLASS_AGGREGATE) => Ok(Class::Aggregate),
            _ => self.find_class(ty),
        }
    }

    #[cold]
    fn find_class(&mut self, ty: TypeId) -> Result<Class, ReadError> {
        let Some(kind) = self.module.types.kind(ty) else {
            return Err(self.malformed(format!("type {ty} of {}", self.module.types.len())));
        };
        let (class, code) = match kind {
            Kind::Void => (Class::Void, 0),
            Kind::Metadata => (Class::Metadata, CLASS_METADATA),
            Kind::Struct { .. } | Kind::Array { .. } => (Class::Aggregate, CLASS_AGGREGATE),
            Kind::Label | Kind::Function { .. } => {
                return Err(self.malformed(format!("type {ty}, a function or block, as the type of a value")));
            }
            Kind::Other(name) => return Err(self.unsupported(format!("a value of type {name}"))),
            Kind::Integer(_) | Kind::Float(_) | Kind::Pointer { .. } | Kind::Vector { .. } => {
                let data = self.type_data(kind)?;
                let interned = self.function.types.intern(data);
                let ir_type = interned.map_err(|error| self.unsupported(error.to_string()))?;
                (Class::Scalar(ir_type), ir_type.index() as u8)
            }
        };
        if code >= CLASS_METADATA
            && let Class::Scalar(_) = class
        {
            return Ok(class);
        }
        if let Some(slot) = self.state.classes.get_mut(ty as usize) {
            *slot = code;
        }
        Ok(class)
    }

    fn type_data(&mut self, kind: &Kind) -> Result<TypeData, ReadError> {
        Ok(match *kind {
            Kind::Integer(bits @ ..=limits::VALUE_BITS) => TypeData::Int(bits),
            Kind::Integer(bits) => return Err(self.unsupported(format!("a value of type i{bits}"))),
            Kind::Float(Float::Half) => TypeData::F16,
            Kind::Float(Float::BFloat) => TypeData::BF16,
            Kind::Float(Float::Float) => TypeData::F32,
            Kind::Float(Float::Double) => TypeData::F64,
            Kind::Float(Float::X86Fp80) => TypeData::X86F80,
            Kind::Float(Float::Fp128) => TypeData::F128,
            Kind::Float(Float::PpcFp128) => return Err(self.unsupported("a value of type ppc_fp128")),
            Kind::Pointer { space, .. } => TypeData::Ptr(space),
            Kind::Vector { element, count } => {
                let element = match self.module.types.kind(element) {
                    Some(Kind::Integer(_) | Kind::Float(_) | Kind::Pointer { .. }) => self.class(element)?,
                    _ => return Err(self.malformed(format!("a vector of type {element}"))),
                };
                match element {
                    Class::Scalar(element) => TypeData::Vector { element, lanes: count },
                    _ => return Err(self.malformed("a vector of no scalars")),
                }
            }
            _ => return Err(self.malformed("a type that values cannot have")),
        })
    }

    /// The IR type of a type whose values are single.
    ///
    /// # Errors
    /// If its values are not.
    #[inline]
    pub fn scalar_class(&mut self, ty: TypeId) -> Result<Type, ReadError> {
        match self.class(ty)? {
            Class::Scalar(ir_type) => Ok(ir_type),
            _ => Err(self.malformed(format!("type {ty} where a scalar or vector is expected"))),
        }
    }

    /// The IR type for what the IR describes as `data`.
    ///
    /// # Errors
    /// If the function has too many types.
    pub fn intern(&mut self, data: TypeData) -> Result<Type, ReadError> {
        self.function
            .types
            .intern(data)
            .map_err(|error| self.unsupported(error.to_string()))
    }

    /// A checked type number.
    ///
    /// # Errors
    /// If there is no such type.
    #[inline]
    pub fn type_id(&self, number: u64) -> Result<TypeId, ReadError> {
        if number < self.module.types.len() as u64 {
            return Ok(number as TypeId);
        }
        Err(self.malformed(format!("type {number} of {}", self.module.types.len())))
    }

    /// The word of a value number below `next`, its constants made operands.
    #[inline]
    pub fn word(&mut self, number: u32) -> Result<Word, ReadError> {
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
                Ok(Word::scalar(Operand::value(address), Type::PTR, NO_TYPE))
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

    /// Makes a constant an operand at the beginning of the entry block, from where it reaches everything.
    ///
    /// # Errors
    /// As for [`Builder::word`].
    pub fn make_early(&mut self, number: u32) -> Result<(), ReadError> {
        let before = self.raw_word(number);
        let made = self.word(number)?;
        if made != before && self.raw_word(number) == before {
            self.set_word(number, made);
            if (number as usize) < self.state.module_words {
                self.state.replaced.push((number, before));
            }
        }
        Ok(())
    }

    /// The word as it is kept, without making anything; for operands that are looked at and not computed.
    pub fn raw_word(&self, number: u32) -> Word {
        self.state
            .words
            .get(number as usize)
            .copied()
            .unwrap_or(Word::UNDEFINED)
    }

    /// A value that is named before it is defined.
    ///
    /// # Errors
    /// If it was named before with another type, or there cannot be that many values.
    #[cold]
    pub fn forward(&mut self, number: u32, ty: TypeId) -> Result<Word, ReadError> {
        match self.class(ty)? {
            Class::Scalar(ir_type) => self.forward_scalar(number, ir_type, ty),
            Class::Aggregate => self.forward_aggregate(number, ty),
            Class::Void | Class::Metadata => Err(self.malformed("a value of type void is used")),
        }
    }

    /// A scalar that is named before it is defined.
    ///
    /// # Errors
    /// As for [`Builder::forward`].
    #[cold]
    pub fn forward_scalar(&mut self, number: u32, ir_type: Type, ty: TypeId) -> Result<Word, ReadError> {
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

    fn forward_aggregate(&mut self, number: u32, ty: TypeId) -> Result<Word, ReadError> {
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

    /// Makes sure that a word for `number` exists and returns it.
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

    /// Refuses a function that expands to more than its size in the file justifies.
    ///
    /// # Errors
    /// If `more` instructions and values do not fit.
    #[inline]
    pub fn check_room(&self, more: usize) -> Result<(), ReadError> {
        let function = &*self.function;
        let lists = (function.pool.len() + self.state.parts.len() + self.state.incoming.len()) / 4;
        if function.insts.len() + function.values.len() + lists + more <= self.room {
            return Ok(());
        }
        Err(self.too_large())
    }

    /// The same without looking at lists, for instructions that add none.
    ///
    /// # Errors
    /// If there are too many instructions and values.
    #[inline]
    pub fn check_plain_room(&self) -> Result<(), ReadError> {
        if self.function.insts.len() + self.function.values.len() <= self.room {
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

    /// Appends the word of a value that is defined by now (a parameter or constant).
    pub fn push_word(&mut self, word: Word) {
        self.state.words.push(word);
        self.next += 1;
    }

    /// Appends the function's constants from row `first` on.
    pub fn push_constants(&mut self, first: usize) {
        let rows = self.state.constants.rows.get(first..).unwrap_or_default();
        let words = rows
            .iter()
            .zip(first as u32..)
            .map(|(row, index)| constant_word(&self.module.types, row, index));
        self.state.words.extend(words);
        self.next = self.state.words.len() as u32;
    }

    /// Appends an instruction whose result is the next value.
    ///
    /// # Errors
    /// If the value was named before with another type.
    #[inline]
    pub fn define(&mut self, data: InstData, ir_type: Type, ty: TypeId) -> Result<(), ReadError> {
        if self.state.words.len() == self.next as usize {
            let value = self
                .function
                .push_value(ir_type, ValueKind::Inst, 0, self.function.insts.len() as u32);
            let data = InstData {
                result: value.as_u32(),
                ..data
            };
            self.function.push_inst(data);
            self.state.words.push(Word::scalar(Operand::value(value), ir_type, ty));
            self.next += 1;
            return Ok(());
        }
        self.define_forward(data, ir_type, ty)
    }

    /// The same for an instruction of format `Unary` or `Binary`.
    ///
    /// # Errors
    /// If the value was named before with another type.
    #[inline]
    pub fn define_simple(&mut self, data: InstData, ir_type: Type, ty: TypeId) -> Result<(), ReadError> {
        if self.state.words.len() != self.next as usize {
            return self.define_forward(data, ir_type, ty);
        }
        let inst = self.function.insts.len() as u32;
        let value = self.function.push_value(ir_type, ValueKind::Inst, 0, inst);
        self.function.push_simple(InstData {
            result: value.as_u32(),
            ..data
        });
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

    /// The next value is one that exists already, or a constant.
    ///
    /// # Errors
    /// If the value was named before with another type.
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

    /// The next value was declared and its parts have been defined.
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

    /// The types in `state.types` are those of the results of an instruction that defines the next value, an
    /// aggregate of type `ty`.
    ///
    /// # Errors
    /// If the value was named before with another type.
    pub fn define_aggregate(&mut self, data: InstData, ty: TypeId) -> Result<(), ReadError> {
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

    /// Appends an instruction that computes an intermediate result.
    #[inline]
    pub fn emit(&mut self, op: Opcode, ir_type: Type, flags: u16, a: Operand, b: Operand) -> Operand {
        Operand::value(
            self.function
                .push_inst_result(InstData::new(op, ir_type, flags, a, b), ir_type),
        )
    }

    /// An operand that carries its type: a small immediate becomes a constant.
    #[inline]
    pub fn typed(&mut self, word: Word) -> Operand {
        match word.operand().as_imm() {
            Some(number) => self.typed_number(number, word.ir_type()),
            None => word.operand(),
        }
    }

    fn typed_number(&mut self, number: i64, ir_type: Type) -> Operand {
        if let TypeData::Int(bits) = self.function.types.data(ir_type) {
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

    /// Whether all values that were named have been defined.
    ///
    /// # Errors
    /// If one has not.
    pub fn check_all_defined(&self) -> Result<(), ReadError> {
        let open = self.state.words.len() > self.next as usize;
        let undefined = open
            && self
                .function
                .values
                .iter()
                .any(|value| value.kind == ValueKind::Forward);
        if undefined {
            Err(self.malformed("a value is used but never defined"))
        } else {
            Ok(())
        }
    }

    /// How many instructions and values a body of so many bits may become.
    pub fn room_for(bits: u64) -> usize {
        limits::function_room(bits)
    }
}
