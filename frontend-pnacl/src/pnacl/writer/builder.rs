//! A function that is being written: its values, constants and records.
//!
//! Addresses are integers of 32 bits, so that what makes a pointer of an integer, or back, is no record: the value of
//! the IR then has the operand of another. What is used before its record comes gets its type declared, and must be a
//! record of its own. Small integers are widened where they are passed.

use super::error::WriteError;
use super::layout::Layout;
use super::records::{Constant, Ref, Rows, Word};
use super::types::{self, Kind, Types};
use crate::operations;
use crate::pnacl::codes::{constants as constant, function as code};
use crate::pnacl::intrinsics;
use frazil_ir::{
    ConstId, ConstView, EntityRef, Function, Module, Opcode, Operand, OperandKind, Refusal, SymbolId, SymbolKind, Type,
    Value,
};
use std::collections::HashMap;

/// The numbers of casts.
pub mod casts {
    pub const TRUNC: u64 = 0;
    pub const ZEXT: u64 = 1;
    pub const SEXT: u64 = 2;
    pub const BITCAST: u64 = 11;
}

/// What all functions of a module share.
#[derive(Debug, Default)]
pub struct Shared {
    pub types: Types,
    /// The intrinsics that are called, with the numbers of their types.
    pub intrinsics: Vec<(String, u32)>,
    intrinsic_numbers: HashMap<String, u32>,
}

/// What is known of a value of the IR.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Known {
    Nothing,
    /// Its type was declared, because it was used before.
    Declared,
    At(Ref),
}

/// A function that is being written.
pub struct Builder<'a> {
    pub module: &'a Module,
    pub function: &'a Function,
    pub shared: &'a mut Shared,
    pub layout: Layout,
    pub rows: Rows,
    values: Vec<Known>,
    constants: HashMap<Constant, u32>,
    /// Constants that take instructions, and that phis name: made at the beginning.
    hoisted: HashMap<ConstId, Ref>,
    /// How many results there were before the current instruction.
    fresh: u32,
}

impl<'a> Builder<'a> {
    /// A function without records.
    pub fn new(module: &'a Module, function: &'a Function, shared: &'a mut Shared) -> Builder<'a> {
        Builder {
            module,
            function,
            shared,
            layout: Layout::new(function),
            rows: Rows::default(),
            values: vec![Known::Nothing; function.values().len()],
            constants: HashMap::new(),
            hoisted: HashMap::new(),
            fresh: 0,
        }
    }

    /// Says that the records of another instruction begin.
    pub fn begin_instruction(&mut self) {
        self.fresh = self.rows.results;
    }

    /// The records, once all values are defined.
    ///
    /// # Errors
    /// If one is not.
    pub fn finish(mut self) -> Result<Rows, WriteError> {
        let values = self.values;
        let defined = |value: Value| match values.get(value.index()) {
            Some(Known::At(name)) => Some(*name),
            _ => None,
        };
        match self.rows.resolve(defined) {
            None => Ok(self.rows),
            Some(value) => Err(WriteError::new(
                Refusal::UndominatedUse,
                format!("{value}, which is used and never defined"),
            )),
        }
    }

    /// What a type of the IR is.
    ///
    /// # Errors
    /// If the ABI has no such type.
    pub fn kind(&self, ty: Type) -> Result<Kind, WriteError> {
        types::kind(self.function.types(), ty)
    }

    /// The type of an operand that carries one.
    ///
    /// # Errors
    /// If it carries none, or the ABI has no such type.
    pub fn carried_kind(&self, operand: Operand) -> Result<Kind, WriteError> {
        match self.function.operand_type(operand) {
            Some(ty) => self.kind(ty),
            None => Err(WriteError::new(Refusal::Instruction, "an operand without a type")),
        }
    }

    /// A type's number, as a word.
    pub fn type_word(&mut self, kind: Kind) -> Word {
        Word::Number(self.shared.types.number(kind).into())
    }

    /// Appends a record with a result.
    pub fn value(&mut self, code: u64, words: &[Word]) -> Ref {
        self.rows.push(code, words);
        self.counted()
    }

    /// Counts the result of the last record.
    pub fn counted(&mut self) -> Ref {
        self.rows.results += 1;
        Ref::Result(self.rows.results - 1)
    }

    /// Appends a record without a result.
    pub fn effect(&mut self, code: u64, words: &[Word]) {
        self.rows.push(code, words);
    }

    /// An integer constant.
    pub fn integer(&mut self, kind: Kind, value: i64) -> Ref {
        let ty = self.shared.types.number(kind);
        self.constant(Constant::integer(ty, kind, value))
    }

    /// A float's bits as a constant.
    pub fn float(&mut self, kind: Kind, bits: u64) -> Ref {
        let ty = self.shared.types.number(kind);
        self.constant(Constant {
            ty,
            code: constant::FLOAT,
            word: bits,
        })
    }

    /// Any value of a type.
    pub fn undefined(&mut self, kind: Kind) -> Ref {
        let ty = self.shared.types.number(kind);
        self.constant(Constant {
            ty,
            code: constant::UNDEFINED,
            word: 0,
        })
    }

    fn constant(&mut self, constant: Constant) -> Ref {
        let next = self.constants.len() as u32;
        let number = *self.constants.entry(constant).or_insert(next);
        if number == next {
            self.rows.constants.push(constant);
        }
        Ref::Constant(number)
    }

    /// A binary operation of the ABI.
    ///
    /// # Errors
    /// If the ABI has no such operation.
    pub fn binary(&mut self, op: Opcode, left: Ref, right: Ref) -> Result<Ref, WriteError> {
        let number = operations::number(op).ok_or_else(|| no_form(op))?;
        let words = [Word::Relative(left), Word::Relative(right), Word::Number(number)];
        Ok(self.value(code::BINARY, &words))
    }

    /// A comparison of values of a type.
    ///
    /// # Errors
    /// If the ABI has no such comparison.
    pub fn compare(&mut self, op: Opcode, kind: Kind, left: Ref, right: Ref) -> Result<Ref, WriteError> {
        let predicate = operations::predicate(op).ok_or_else(|| no_form(op))?;
        // The reader finds the type of the result by itself, so that there must be one.
        self.shared.types.number(kind.flags());
        let words = [Word::Relative(left), Word::Relative(right), Word::Number(predicate)];
        Ok(self.value(code::COMPARE, &words))
    }

    /// A cast by its number.
    pub fn cast(&mut self, number: u64, operand: Ref, to: Kind) -> Ref {
        let words = [Word::Relative(operand), self.type_word(to), Word::Number(number)];
        self.value(code::CAST, &words)
    }

    /// An integer cut or zero-extended to another width, if it has another.
    pub fn resize(&mut self, operand: Ref, from: Kind, to: Kind) -> Ref {
        match from.bits().cmp(&to.bits()) {
            std::cmp::Ordering::Equal => operand,
            std::cmp::Ordering::Less => self.cast(casts::ZEXT, operand, to),
            std::cmp::Ordering::Greater => self.cast(casts::TRUNC, operand, to),
        }
    }

    /// The first of two values if a flag is set, else the second.
    pub fn select(&mut self, flag: Ref, chosen: Ref, other: Ref) -> Ref {
        let words = [chosen, other, flag].map(Word::Relative);
        self.value(code::SELECT, &words)
    }

    /// A lane of a vector.
    pub fn extract(&mut self, vector: Ref, lane: u32) -> Ref {
        let lane = self.integer(Kind::I32, lane.into());
        self.value(code::EXTRACT_ELEMENT, &[Word::Relative(vector), Word::Relative(lane)])
    }

    /// A vector with another lane.
    pub fn insert(&mut self, vector: Ref, element: Ref, lane: u32) -> Ref {
        let lane = self.integer(Kind::I32, lane.into());
        let words = [vector, element, lane].map(Word::Relative);
        self.value(code::INSERT_ELEMENT, &words)
    }

    /// Calls an intrinsic by its name; its result, if it has one.
    ///
    /// # Errors
    /// If the ABI has no such intrinsic.
    pub fn intrinsic(&mut self, name: &str, arguments: &[Ref]) -> Result<Option<Ref>, WriteError> {
        let found = intrinsics::find(name.as_bytes());
        let found = found.ok_or_else(|| WriteError::new(Refusal::Intrinsic, format!("the intrinsic {name}")))?;
        let number = match self.shared.intrinsic_numbers.get(name) {
            Some(&known) => known,
            None => {
                let parameters: Vec<Kind> = found.parameters.iter().map(|&ty| ty.into()).collect();
                let ty = self.shared.types.function(found.result.into(), &parameters);
                let number = self.shared.intrinsics.len() as u32;
                self.shared.intrinsics.push((name.to_owned(), ty));
                self.shared.intrinsic_numbers.insert(name.to_owned(), number);
                number
            }
        };
        let mut words = vec![Word::Number(0), Word::Relative(Ref::Intrinsic(number))];
        words.extend(arguments.iter().map(|&argument| Word::Relative(argument)));
        self.effect(code::CALL, &words);
        Ok((Kind::from(found.result) != Kind::Void).then(|| self.counted()))
    }

    /// The same for one with a result.
    ///
    /// # Errors
    /// If the ABI has no such intrinsic with a result.
    pub fn intrinsic_value(&mut self, name: &str, arguments: &[Ref]) -> Result<Ref, WriteError> {
        let result = self.intrinsic(name, arguments)?;
        result.ok_or_else(|| WriteError::new(Refusal::Intrinsic, format!("a result of {name}")))
    }

    /// The address of a symbol.
    ///
    /// # Errors
    /// If the module does not define it.
    pub fn symbol(&mut self, symbol: SymbolId) -> Result<Ref, WriteError> {
        check_symbol(self.module, symbol)?;
        // Addresses are of this type, which the reader looks for.
        self.shared.types.number(Kind::I32);
        Ok(Ref::Symbol(symbol))
    }

    /// An operand; `ty` is the type of immediates.
    ///
    /// # Errors
    /// If it has no form.
    pub fn operand(&mut self, operand: Operand, ty: Type) -> Result<Ref, WriteError> {
        match operand.kind() {
            OperandKind::Value(value) => self.use_of(value),
            OperandKind::Imm(value) => {
                let kind = self.kind(ty)?;
                Ok(self.integer(kind, value.into()))
            }
            OperandKind::Const(id) => self.constant_operand(id),
            OperandKind::Symbol(symbol) => self.symbol(symbol),
        }
    }

    fn use_of(&mut self, value: Value) -> Result<Ref, WriteError> {
        match self.values.get(value.index()) {
            Some(Known::At(name)) => return Ok(*name),
            Some(Known::Declared) => return Ok(Ref::Later(value)),
            _ => {}
        }
        let kind = self.kind(self.function.value(value).ty)?;
        let words = [Word::Absolute(Ref::Later(value)), self.type_word(kind)];
        self.effect(code::FORWARD_TYPE, &words);
        if let Some(known) = self.values.get_mut(value.index()) {
            *known = Known::Declared;
        }
        Ok(Ref::Later(value))
    }

    /// Says what a value of the IR is.
    ///
    /// # Errors
    /// If the ABI has no such type.
    pub fn define(&mut self, value: Value, mut name: Ref) -> Result<(), WriteError> {
        let is_declared = self.values.get(value.index()) == Some(&Known::Declared);
        if is_declared && !matches!(name, Ref::Result(number) if number >= self.fresh) {
            let kind = self.kind(self.function.value(value).ty)?;
            name = self.cast(casts::BITCAST, name, kind);
        }
        if let Some(known) = self.values.get_mut(value.index()) {
            *known = Known::At(name);
        }
        Ok(())
    }

    fn constant_operand(&mut self, id: ConstId) -> Result<Ref, WriteError> {
        if let Some(&made) = self.hoisted.get(&id) {
            return Ok(made);
        }
        let (ty, view) = self.function.constant(id);
        let kind = match view {
            ConstView::Asm(_) => Kind::Void,
            _ => self.kind(ty)?,
        };
        match view {
            ConstView::Int(words) => Ok(self.integer(kind, words.first().copied().unwrap_or(0).cast_signed())),
            ConstView::Float(words) => Ok(self.float(kind, words.first().copied().unwrap_or(0))),
            ConstView::Undef | ConstView::Poison => Ok(self.undefined(kind)),
            ConstView::Zero => match kind {
                Kind::Vector { lanes, .. } => {
                    let zero = self.zero(kind.scalar());
                    let mut vector = self.undefined(kind);
                    for lane in 0..lanes {
                        vector = self.insert(vector, zero, lane);
                    }
                    Ok(vector)
                }
                _ => Ok(self.zero(kind)),
            },
            ConstView::Vector(lanes) => {
                let element = self.function.types().scalar(ty);
                let mut vector = self.undefined(kind);
                for (lane, &operand) in (0..).zip(lanes) {
                    if let Some(id) = operand.as_const()
                        && matches!(self.function.constant(id).1, ConstView::Undef | ConstView::Poison)
                    {
                        continue;
                    }
                    let operand = self.operand(operand, element)?;
                    vector = self.insert(vector, operand, lane);
                }
                Ok(vector)
            }
            ConstView::Symbol(symbol, addend) => {
                let address = self.symbol(symbol)?;
                if kind != Kind::I32 {
                    let message = "the address of a symbol as something else than an integer of 32 bits";
                    return Err(WriteError::new(Refusal::Instruction, message));
                }
                match addend as i32 {
                    0 => Ok(address),
                    addend => {
                        let addend = self.integer(Kind::I32, addend.into());
                        self.binary(Opcode::Add, address, addend)
                    }
                }
            }
            ConstView::BlockAddress(..) => Err(WriteError::new(Refusal::Instruction, "the address of a block")),
            ConstView::Asm(_) => Err(WriteError::new(Refusal::InlineAssembly, "inline assembly")),
        }
    }

    fn zero(&mut self, kind: Kind) -> Ref {
        match kind {
            Kind::Float | Kind::Double => self.float(kind, 0),
            _ => self.integer(kind, 0),
        }
    }

    /// Makes the constants that phis name, and that take records, here at the beginning of the function.
    ///
    /// # Errors
    /// If one has no form.
    pub fn hoist_constants(&mut self) -> Result<(), WriteError> {
        let phis = self.function.insts().iter().filter(|inst| inst.op == Opcode::Phi);
        for phi in phis {
            for id in self.function.list(phi).iter().filter_map(|operand| operand.as_const()) {
                let takes_records = match self.function.constant(id) {
                    (_, ConstView::Symbol(..) | ConstView::Vector(_)) => true,
                    (ty, ConstView::Zero) => self.kind(ty)?.lanes() > 0,
                    _ => false,
                };
                if takes_records {
                    let made = self.constant_operand(id)?;
                    self.hoisted.insert(id, made);
                }
            }
        }
        Ok(())
    }
}

/// Checks that a module defines a symbol whose address is taken.
///
/// # Errors
/// If it does not, or in a way that the ABI does not have.
pub fn check_symbol(module: &Module, symbol: SymbolId) -> Result<(), WriteError> {
    let name = module.display_name(symbol);
    let wrong = |refusal, message: &str| Err(WriteError::new(refusal, message).of_symbol(&name));
    match module.symbols.get(symbol).map(|data| data.kind) {
        Some(SymbolKind::Function(_) | SymbolKind::Data(_)) => Ok(()),
        Some(SymbolKind::Alias { .. } | SymbolKind::Ifunc { .. }) => wrong(Refusal::Alias, "an alias or ifunc"),
        _ => wrong(
            Refusal::ObjectFile,
            "a symbol that the module does not define; an executable depends on nothing but the ABI's intrinsics",
        ),
    }
}

/// The refusal of an operation.
#[cold]
pub fn no_form(op: Opcode) -> WriteError {
    let refusal = match op {
        Opcode::Invoke | Opcode::LandingPad | Opcode::Resume | Opcode::EhTypeidFor => Refusal::Exception,
        Opcode::TlsAddr => Refusal::ThreadLocal,
        Opcode::AtomicRmw | Opcode::Cmpxchg => Refusal::Atomic,
        _ => Refusal::Instruction,
    };
    WriteError::new(refusal, format!("the instruction {}", op.name()))
}
