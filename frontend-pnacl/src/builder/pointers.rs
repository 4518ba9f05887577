//! Integers as wide as pointers, and addresses a constant distance after others; and what typed pointers point to.
//!
//! The width is the data layout's: nothing else in the reader says how wide a distance is.
//!
//! Up to LLVM 3.6, records do not say what they access: it is what the pointer points to. Only for functions with such
//! records are the types of addresses tracked. Every type of a value is in the table of a file, so the types of
//! computed addresses are found there.

use super::state::BuildState;
use super::tables::ModuleTables;
use super::values::Builder;
use super::word::{NO_TYPE, State, Word};
use crate::llvm::types::{Kind, TypeId};
use frazil_ir::typing::pointer_int;
use frazil_ir::{EntityRef, Opcode, Operand, Type};

impl Builder<'_, '_> {
    /// The integer type of distances and sizes of objects.
    #[inline]
    pub fn pointer_int(&self) -> Type {
        pointer_int(self.module.module.data_layout.pointer_bits)
    }

    /// An integer of type `from` as a distance: truncated, or extended by the opcode `extend`. The operand must carry
    /// its type.
    pub fn distance(&mut self, operand: Operand, from: Type, extend: Opcode) -> Operand {
        let to = self.pointer_int();
        let bits = |ty| self.function.types().int_bits(ty).unwrap_or(0);
        let op = match bits(from).cmp(&bits(to)) {
            std::cmp::Ordering::Equal => return operand,
            std::cmp::Ordering::Less => extend,
            std::cmp::Ordering::Greater => Opcode::Trunc,
        };
        self.emit(op, to, 0, operand, Operand::NONE)
    }

    /// An integer as a distance: truncated, or extended by the opcode `extend`.
    pub fn word_as_distance(&mut self, word: Word, extend: Opcode) -> Operand {
        match word.ir_type() == self.pointer_int() {
            true => word.operand(),
            false => {
                let source = self.typed(word);
                self.distance(source, word.ir_type(), extend)
            }
        }
    }

    /// The address `bytes` bytes after another one, which has type `ir_type`.
    pub fn address_after(&mut self, address: Operand, ir_type: Type, bytes: i64) -> Operand {
        if bytes == 0 {
            return address;
        }
        let distance = self.function.int_operand(self.pointer_int(), i128::from(bytes));
        self.emit(Opcode::PtrAdd, ir_type, 0, address, distance)
    }

    /// The type of pointers to a type, if types are tracked and the file has it.
    pub fn pointer_to(&self, pointee: TypeId, space: u32) -> TypeId {
        let found = self.state.pointer_types.get(&(pointee, space));
        found.copied().unwrap_or(NO_TYPE)
    }

    /// The same for vectors of so many elements.
    pub fn vector_type(&self, element: TypeId, lanes: u32) -> TypeId {
        let found = self.state.vector_types.get(&(element, lanes));
        found.copied().unwrap_or(NO_TYPE)
    }
}

impl BuildState {
    /// From now on, addresses of symbols have types.
    #[cold]
    pub fn track_types(&mut self, module: &ModuleTables) {
        for ty in 0..module.types.len() as TypeId {
            match module.types.kind(ty) {
                Some(&Kind::Pointer {
                    space,
                    pointee: Some(pointee),
                }) => {
                    self.pointer_types.entry((pointee, space)).or_insert(ty);
                }
                Some(&Kind::Vector { element, count }) => {
                    self.vector_types.entry((element, count)).or_insert(ty);
                }
                _ => {}
            }
        }
        let words = self.words.get_mut(..self.module_words).unwrap_or_default();
        for word in words {
            let symbol = match word.state() {
                State::ThreadLocal => Some(word.index() as usize),
                State::Scalar if word.ty() == NO_TYPE => word.operand().as_symbol().map(|symbol| symbol.index()),
                _ => None,
            };
            let ty = symbol.and_then(|symbol| module.symbols.get(symbol)).map(|info| info.ty);
            if let Some(&pointer) = ty.and_then(|ty| self.pointer_types.get(&(ty, 0))) {
                *word = word.with_type(pointer);
            }
        }
    }
}
