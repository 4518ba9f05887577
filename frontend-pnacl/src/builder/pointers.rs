//! Integers as wide as pointers, and addresses a constant distance after others.
//!
//! The width is the data layout's: nothing else in the reader says how wide a distance is.

use super::values::Builder;
use super::word::Word;
use frazil_ir::typing::pointer_int;
use frazil_ir::{Opcode, Operand, Type};

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
}
