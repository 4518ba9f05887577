//! Constant expressions about elements of vectors, as LLVM wrote them before version 15: they become instructions where
//! they are used.

use super::values::Builder;
use super::word::{NO_TYPE, Word};
use crate::error::ReadError;
use crate::llvm::constants::ConstantKind;
use frazil_ir::{ConstView, InstData, Opcode, Operand, Refusal, Type, TypeData};

impl Builder<'_, '_> {
    /// The instructions for a constant expression of one of these kinds; `ir_type` is its type. `None` if there are
    /// too few operands.
    ///
    /// # Errors
    /// If types do not fit.
    #[cold]
    pub fn element_expression(
        &mut self,
        kind: ConstantKind,
        operands: &[Word],
        ir_type: Type,
    ) -> Result<Option<Operand>, ReadError> {
        if operands.iter().any(|word| !word.is_operand()) {
            return Err(self.malformed("an aggregate where a constant expression needs none"));
        }
        let made = match (kind, operands) {
            (ConstantKind::ExtractElement, &[source, index]) => {
                let (element, _) = self.vector_of(source.ir_type())?;
                self.expect_types(element == ir_type)?;
                let index = self.element_index(index)?;
                let data = InstData::new(Opcode::ExtractElement, source.ir_type(), 0, source.operand(), index);
                Operand::value(self.function.push_inst_result(data, element))
            }
            (ConstantKind::InsertElement, &[target, value, index]) => {
                let (element, _) = self.vector_of(target.ir_type())?;
                self.expect_types(target.ir_type() == ir_type && value.ir_type() == element)?;
                let index = self.element_index(index)?;
                let rest = self.function.push_pool(&[value.operand(), index]);
                self.emit(Opcode::InsertElement, ir_type, 0, target.operand(), Operand::raw(rest))
            }
            (ConstantKind::Shuffle, &[first, second, mask]) => {
                let (element, source_lanes) = self.vector_of(first.ir_type())?;
                let (mask_element, lanes) = self.vector_of(mask.ir_type())?;
                let is_result = self.vector_of(ir_type)? == (element, lanes);
                let is_mask = mask_element == Type::I32 && mask.operand().as_const().is_some();
                self.expect_types(is_result && is_mask && first.ir_type() == second.ir_type())?;
                self.expect_shuffle_mask(mask.operand(), source_lanes)?;
                let rest = self.function.push_pool(&[second.operand(), mask.operand()]);
                self.emit(Opcode::Shuffle, ir_type, 0, first.operand(), Operand::raw(rest))
            }
            (ConstantKind::Negative, &[value]) => {
                self.expect_types(value.ir_type() == ir_type)?;
                self.emit(Opcode::Fneg, ir_type, 0, value.operand(), Operand::NONE)
            }
            _ => return Ok(None),
        };
        Ok(Some(made))
    }

    /// Refuses a constant shuffle mask that names a lane which two vectors of `source_lanes` lanes do not have.
    ///
    /// # Errors
    /// If it names one.
    pub fn expect_shuffle_mask(&self, mask: Operand, source_lanes: u32) -> Result<(), ReadError> {
        let numbers = match mask.as_const().map(|id| self.function.constant(id).1) {
            Some(ConstView::Vector(numbers)) => numbers,
            _ => return Ok(()),
        };
        let lanes = 2 * i64::from(source_lanes);
        let fits = |number: &Operand| match (number.as_imm(), number.as_const()) {
            (Some(number), _) => (0..lanes).contains(&number),
            (None, Some(id)) => !matches!(self.function.constant(id).1, ConstView::Int(_)),
            _ => true,
        };
        match numbers.iter().all(fits) {
            true => Ok(()),
            false => Err(self.malformed("a shuffle of a lane that neither vector has")),
        }
    }

    /// The element type and the number of elements of a vector.
    fn vector_of(&self, ir_type: Type) -> Result<(Type, u32), ReadError> {
        match self.function.types().data(ir_type) {
            TypeData::Vector { element, lanes } => Ok((element, lanes)),
            _ => Err(self.malformed("a constant expression about elements of something that is no vector")),
        }
    }

    /// The index of an element as an `i64` operand.
    fn element_index(&mut self, index: Word) -> Result<Operand, ReadError> {
        let index = Word::scalar(index.operand(), index.ir_type(), NO_TYPE);
        match self.integer_of(index) {
            Some(number) if number >= 0 => Ok(self.function.int_operand(Type::I64, i128::from(number))),
            _ => Err(self.unsupported(
                Refusal::Initializer,
                "a constant expression about an element whose index is no small number",
            )),
        }
    }

    fn expect_types(&self, fit: bool) -> Result<(), ReadError> {
        if fit {
            return Ok(());
        }
        Err(self.malformed("a constant expression of other types than its operands"))
    }
}
