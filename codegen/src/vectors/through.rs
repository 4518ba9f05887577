//! Operations that a target lacks, done by other operations on the same vectors that it has, before the last resort of
//! going lane by lane.
//!
//! * Unsigned saturating: `usub_sat(a, b)` is `umax(a, b) - b`, and `uadd_sat(a, b)` is `umin(a, ~b) + b`.
//! * Between floats and integers of less than 32 bits: by integers of 32 bits, which hold all of them. What does not
//!   fit the narrow ones is poison anyway.

use super::expand::Expander;
use crate::error::CodegenError;
use frazil_ir::{Function, InstData, Opcode, Operand, Type, TypeData};

/// Says whether there are instructions for an operation.
pub(super) type Has<'a> = &'a dyn Fn(&Function, &InstData) -> bool;

impl Expander<'_> {
    /// Replaces an operation by others that the target has. Returns whether there are such.
    pub fn through(&mut self, data: &InstData, has: Has<'_>) -> Result<bool, CodegenError> {
        match data.op {
            Opcode::UsubSat => Ok(self.saturating(data, (Opcode::Umax, Opcode::Sub), has)),
            Opcode::UaddSat => Ok(self.saturating(data, (Opcode::Umin, Opcode::Add), has)),
            Opcode::Sitofp | Opcode::Uitofp => self.widened_first(data, has),
            Opcode::Fptosi | Opcode::Fptoui => self.narrowed_after(data, has),
            _ => Ok(false),
        }
    }

    fn saturating(&mut self, data: &InstData, (limit, join): (Opcode, Opcode), has: Has<'_>) -> bool {
        let ty = data.ty;
        let TypeData::Vector { lanes, .. } = self.function.types().data(ty) else {
            return false;
        };
        let all = [limit, join, Opcode::Xor].map(|op| InstData::new(op, ty, 0, data.a, data.b));
        if !all.iter().all(|data| has(self.function, data)) {
            return false;
        }
        let (a, b) = (self.editor.resolve(data.a), self.editor.resolve(data.b));
        let bound = match join {
            Opcode::Sub => b,
            _ => {
                let ones = vec![Operand::imm(-1).unwrap_or(Operand::ZERO); lanes as usize];
                let ones = Operand::constant(self.function.push_vector_const(ty, &ones));
                self.emit(Opcode::Xor, ty, 0, b, ones, ty)
            }
        };
        let limited = self.emit(limit, ty, 0, a, bound, ty);
        let result = self.emit(join, ty, 0, limited, b, ty);
        self.finish(data, result);
        true
    }

    /// The vector of 32-bit integers with as many lanes as one of narrower integers.
    fn wider(&mut self, narrow: Type) -> Result<Option<Type>, CodegenError> {
        let TypeData::Vector { element, lanes } = self.function.types().data(narrow) else {
            return Ok(None);
        };
        match self.function.types().int_bits(element) {
            Some(2..32) => self.vector(Type::I32, lanes).map(Some),
            _ => Ok(None),
        }
    }

    fn widened_first(&mut self, data: &InstData, has: Has<'_>) -> Result<bool, CodegenError> {
        let Some(wide) = self
            .function
            .operand_type(data.a)
            .map(|ty| self.wider(ty))
            .transpose()?
            .flatten()
        else {
            return Ok(false);
        };
        let extend = if data.op == Opcode::Sitofp {
            Opcode::Sext
        } else {
            Opcode::Zext
        };
        let value = self.editor.resolve(data.a);
        let widening = InstData::new(extend, wide, 0, value, Operand::NONE);
        // The operand only has to have the type.
        let any = Operand::constant(self.function.push_plain_const(frazil_ir::ConstKind::Zero, wide));
        let conversion = InstData::new(Opcode::Sitofp, data.ty, 0, any, Operand::NONE);
        if !has(self.function, &widening) || !has(self.function, &conversion) {
            return Ok(false);
        }
        let widened = self.emit(extend, wide, 0, value, Operand::NONE, wide);
        let result = self.emit(Opcode::Sitofp, data.ty, 0, widened, Operand::NONE, data.ty);
        self.finish(data, result);
        Ok(true)
    }

    fn narrowed_after(&mut self, data: &InstData, has: Has<'_>) -> Result<bool, CodegenError> {
        let Some(wide) = self.wider(data.ty)? else {
            return Ok(false);
        };
        let value = self.editor.resolve(data.a);
        let any = Operand::constant(self.function.push_plain_const(frazil_ir::ConstKind::Zero, wide));
        let conversion = InstData::new(Opcode::Fptosi, wide, 0, value, Operand::NONE);
        let narrowing = InstData::new(Opcode::Trunc, data.ty, 0, any, Operand::NONE);
        if !has(self.function, &conversion) || !has(self.function, &narrowing) {
            return Ok(false);
        }
        let converted = self.emit(Opcode::Fptosi, wide, 0, value, Operand::NONE, wide);
        let result = self.emit(Opcode::Trunc, data.ty, 0, converted, Operand::NONE, data.ty);
        self.finish(data, result);
        Ok(true)
    }
}
