//! Conversions from or to floats that targets do not compute with.
//!
//! A `half` or `bfloat` goes through `float`, which holds all of them; to one of them, integers are rounded twice, and
//! floats once, as LLVM does it. Between `fp128` and everything else there are functions of the run-time library.

use super::legalize::{Legalizer, Operation, is_narrow};
use super::library;
use super::operations::refuse;
use crate::error::CodegenError;
use frazil_ir::{Opcode, Operand, Type};

impl Legalizer<'_> {
    /// The result of a conversion.
    pub fn convert(&mut self, operation: Operation) -> Result<Operand, CodegenError> {
        let Operation {
            op, ty: to, operands, ..
        } = operation;
        let (value, from) = (operands[0], self.type_of(operands[0]));
        if is_narrow(from) {
            return self.narrow_converted(operation, from);
        }
        match op {
            Opcode::Sitofp | Opcode::Uitofp if to == Type::F128 => self.quad_of_integer(operation, from),
            Opcode::Sitofp | Opcode::Uitofp => {
                let wide = self.operation(Operation {
                    ty: Type::F32,
                    ..operation
                });
                self.rounded(op, wide, Type::F32, to)
            }
            Opcode::Fpext => {
                let function = library::extension(from).ok_or_else(|| refuse(op, to))?;
                Ok(self.call(function, &[(value, from)], to))
            }
            Opcode::Fptrunc => self.rounded(op, value, from, to),
            Opcode::FptosiSat | Opcode::FptouiSat => self.saturated(operation),
            // A call of the C library's function, when it is read.
            Opcode::Lrint => Err(refuse(op, from)),
            _ => self.integer_of_quad(operation),
        }
    }

    fn narrow_converted(&mut self, operation: Operation, from: Type) -> Result<Operand, CodegenError> {
        let value = self.extended(operation.operands[0], from)?;
        if operation.op == Opcode::Fpext && operation.ty == Type::F32 {
            return Ok(value);
        }
        let operation = Operation {
            operands: [value, Operand::NONE, Operand::NONE],
            ..operation
        };
        match operation.ty {
            Type::F128 => self.convert(operation),
            _ => Ok(self.operation(operation)),
        }
    }

    fn quad_of_integer(&mut self, operation: Operation, from: Type) -> Result<Operand, CodegenError> {
        let Operation { op, ty, operands, .. } = operation;
        let signed = op == Opcode::Sitofp;
        let bits = self.types().int_bits(from).unwrap_or(0);
        let (function, own) = library::from_integer(bits, signed).ok_or_else(|| refuse(op, ty))?;
        let mut value = operands[0];
        if own != from {
            value = self.cast(if signed { Opcode::Sext } else { Opcode::Zext }, value, own);
        }
        Ok(self.call(function, &[(value, own)], ty))
    }

    fn integer_of_quad(&mut self, operation: Operation) -> Result<Operand, CodegenError> {
        let Operation { op, ty, operands, .. } = operation;
        let signed = matches!(op, Opcode::Fptosi | Opcode::FptosiSat);
        let bits = self.types().int_bits(ty).unwrap_or(0);
        let (function, own) = library::to_integer(bits, signed).ok_or_else(|| refuse(op, Type::F128))?;
        let value = self.call(function, &[(operands[0], Type::F128)], own);
        Ok(if own == ty {
            value
        } else {
            self.cast(Opcode::Trunc, value, ty)
        })
    }

    /// A conversion, and choices of what is given for numbers that are too small, too large or none. What the
    /// conversion gives for those is chosen nowhere.
    fn saturated(&mut self, operation: Operation) -> Result<Operand, CodegenError> {
        let Operation { op, ty, operands, .. } = operation;
        let bits = self.types().int_bits(ty).unwrap_or(0);
        let signed = op == Opcode::FptosiSat;
        let converted = self.integer_of_quad(operation)?;
        let (least, most) = match signed {
            true => (i128::MIN >> (128 - bits), i128::MAX >> (128 - bits)),
            false => (0, -1),
        };
        let (low, high) = match signed {
            true => (power(true, bits - 1), power(false, bits - 1)),
            false => (0, power(false, bits)),
        };
        let mut result = converted;
        let choices = [
            (Opcode::FcmpOge, Some(high), most),
            (Opcode::FcmpOlt, Some(low), least),
            (Opcode::FcmpUno, None, 0),
        ];
        for (op, bound, number) in choices {
            let bound = bound.map_or(operands[0], |bits| self.quad_constant(bits));
            let is_beyond = self.scalar(Operation {
                op,
                flags: 0,
                is_strict: false,
                ty: Type::F128,
                operands: [operands[0], bound, Operand::NONE],
            })?;
            let number = self.integer(ty, number);
            let rest = self.function.push_pool(&[number, result]);
            result = self.emit(Opcode::Select, ty, 0, is_beyond, Operand::raw(rest), ty);
        }
        Ok(result)
    }

    fn quad_constant(&mut self, bits: u128) -> Operand {
        let words = [bits as u64, (bits >> 64) as u64];
        Operand::constant(self.function.push_float(Type::F128, &words))
    }
}

/// The bits of a power of two, or of its opposite, as an `fp128`.
fn power(is_negative: bool, exponent: u32) -> u128 {
    u128::from(is_negative) << 127 | u128::from(16383 + exponent) << 112
}
