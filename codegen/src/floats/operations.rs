//! What an operation on scalars becomes: in `float` and rounded, or a function of the run-time library.

use super::legalize::{Legalizer, Operation};
use super::library;
use crate::error::CodegenError;
use crate::isa::HalfConversions;
use frazil_ir::typing::is_cast;
use frazil_ir::{Format, Opcode, Operand, Refusal, RuntimeFunction, Type};

/// The refusal of an operation on a type.
pub(super) fn refuse(op: Opcode, ty: Type) -> CodegenError {
    let name = match ty {
        Type::F16 => "half",
        Type::BF16 => "bfloat",
        Type::F128 => "fp128",
        _ => "another float",
    };
    CodegenError::unsupported(Refusal::ExoticFloat, format!("{} of type {name}", op.name()))
}

impl Legalizer<'_> {
    /// The result of an operation, by operations that targets have.
    pub fn scalar(&mut self, operation: Operation) -> Result<Operand, CodegenError> {
        let Operation { op, ty, operands, .. } = operation;
        match op {
            Opcode::Fneg | Opcode::Fabs => self.sign(op, ty, operands[0]),
            Opcode::Fcopysign => self.copysign(&operation),
            Opcode::IsFpclass => self.is_class(&operation),
            Opcode::FcmpFalse | Opcode::FcmpTrue => Ok(self.integer(Type::I1, -i128::from(op == Opcode::FcmpTrue))),
            // Each rounds, as LLVM has it for types without instructions.
            Opcode::Fmuladd => self.multiply_add(operation),
            op if is_cast(op) => self.convert(operation),
            op if ty == Type::F128 && op.is_fcmp() => self.compare_quads(operation),
            _ if ty == Type::F128 => self.quad(operation),
            _ if ty == Type::X86_F80 => self.by_library(op, ty, operands, library::long_arithmetic(op)),
            op if op.is_fcmp() => {
                let [left, right, _] = operands;
                let (left, right) = (self.extended(left, ty)?, self.extended(right, ty)?);
                Ok(self.operation(Operation {
                    ty: Type::F32,
                    operands: [left, right, Operand::NONE],
                    ..operation
                }))
            }
            _ => self.in_float(operation),
        }
    }

    fn multiply_add(&mut self, operation: Operation) -> Result<Operand, CodegenError> {
        let [left, right, addend] = operation.operands;
        let product = self.scalar(Operation {
            op: Opcode::Fmul,
            operands: [left, right, Operand::NONE],
            ..operation
        })?;
        self.scalar(Operation {
            op: Opcode::Fadd,
            operands: [product, addend, Operand::NONE],
            ..operation
        })
    }

    /// An operation on `half` or `bfloat`, done in `float`. A fused one needs twice the bits and some more to be
    /// rounded once.
    fn in_float(&mut self, operation: Operation) -> Result<Operand, CodegenError> {
        let narrow = operation.ty;
        let (in_double, count) = (
            operation.op == Opcode::Fma && narrow == Type::F16,
            count_of_operands(operation.op),
        );
        let mut operands = operation.operands;
        for operand in &mut operands[..count] {
            *operand = self.extended(*operand, narrow)?;
            if in_double {
                *operand = self.cast(Opcode::Fpext, *operand, Type::F64);
            }
        }
        let ty = if in_double { Type::F64 } else { Type::F32 };
        let wide = self.operation(Operation {
            ty,
            operands,
            ..operation
        });
        self.rounded(operation.op, wide, ty, narrow)
    }

    /// A `half` as a `float`, by a function of the run-time library.
    pub(super) fn half_by_library(&mut self, value: Operand) -> Operand {
        self.call(RuntimeFunction::Extendhfsf2, &[(value, Type::F16)], Type::F32)
    }

    /// A float rounded to a narrower type, by a function of the run-time library where nothing shorter is right.
    pub fn rounded(&mut self, op: Opcode, value: Operand, from: Type, to: Type) -> Result<Operand, CodegenError> {
        let is_short = match (from, to) {
            (Type::F32, Type::F16) => self.converts_halves(),
            (Type::F64, Type::F16) => self.half_conversions == HalfConversions::Double,
            // The bits tell nothing of exceptions.
            (Type::F32, Type::BF16) => !self.is_strict,
            _ => false,
        };
        if is_short {
            return self.rounded_to(value, to);
        }
        let function = library::truncation(from, to).ok_or_else(|| refuse(op, to))?;
        Ok(self.call(function, &[(value, from)], to))
    }

    fn quad(&mut self, operation: Operation) -> Result<Operand, CodegenError> {
        let Operation { op, ty, operands, .. } = operation;
        if matches!(op, Opcode::Fminimum | Opcode::Fmaximum) && !operation.is_strict {
            return self.extreme_quad(op, operands);
        }
        self.by_library(op, ty, operands, library::arithmetic(op))
    }

    fn by_library(
        &mut self,
        op: Opcode,
        ty: Type,
        operands: [Operand; 3],
        function: Option<RuntimeFunction>,
    ) -> Result<Operand, CodegenError> {
        let function = function.ok_or_else(|| refuse(op, ty))?;
        let arguments = operands.map(|operand| (operand, ty));
        Ok(self.call(function, &arguments[..count_of_operands(op)], ty))
    }

    /// The smaller or larger number, a NaN if either is one, and -0 below 0: old C libraries have no function for it.
    fn extreme_quad(&mut self, op: Opcode, operands: [Operand; 3]) -> Result<Operand, CodegenError> {
        // Zeros that are equal differ in their sign alone.
        let (order, join) = match op {
            Opcode::Fminimum => (Opcode::FcmpOlt, Opcode::Or),
            _ => (Opcode::FcmpOgt, Opcode::And),
        };
        let [left, right, _] = operands;
        let is_left = self.ask(order, operands)?;
        let is_equal = self.ask(Opcode::FcmpOeq, operands)?;
        let is_none = self.ask(Opcode::FcmpUno, operands)?;
        let bits = [left, right].map(|value| self.cast(Opcode::Bitcast, value, Type::I128));
        let joined = self.binary(join, Type::I128, bits[0], bits[1]);
        let joined = self.cast(Opcode::Bitcast, joined, Type::F128);
        let arguments = [(left, Type::F128), (right, Type::F128)];
        let quiet = self.call(RuntimeFunction::Addtf3, &arguments, Type::F128);
        let number = self.choose(is_left, left, right);
        let number = self.choose(is_equal, joined, number);
        Ok(self.choose(is_none, quiet, number))
    }

    fn choose(&mut self, truth: Operand, yes: Operand, no: Operand) -> Operand {
        let rest = Operand::raw(self.function.push_pool(&[yes, no]));
        self.emit(Opcode::Select, Type::F128, 0, truth, rest, Type::F128)
    }

    fn compare_quads(&mut self, operation: Operation) -> Result<Operand, CodegenError> {
        let Operation { op, operands, .. } = operation;
        // Two questions, as no function answers it.
        let (first, second, join) = match op {
            Opcode::FcmpOne => (Opcode::FcmpUne, Opcode::FcmpOrd, Opcode::And),
            Opcode::FcmpUeq => (Opcode::FcmpOeq, Opcode::FcmpUno, Opcode::Or),
            _ => return self.ask(op, operands),
        };
        let (first, second) = (self.ask(first, operands)?, self.ask(second, operands)?);
        Ok(self.binary(join, Type::I1, first, second))
    }

    fn ask(&mut self, op: Opcode, [left, right, _]: [Operand; 3]) -> Result<Operand, CodegenError> {
        let (function, test) = library::comparison(op).ok_or_else(|| refuse(op, Type::F128))?;
        let answer = self.call(function, &[(left, Type::F128), (right, Type::F128)], Type::I32);
        Ok(self.emit(test, Type::I32, 0, answer, Operand::ZERO, Type::I1))
    }
}

/// How many operands an operation has.
pub(super) fn count_of_operands(op: Opcode) -> usize {
    match op.format() {
        Format::Unary => 1,
        Format::Binary => 2,
        _ => 3,
    }
}

/// The bits of the `float` that has the value of a `half`; `None` for NaNs, which the library's function makes quiet.
pub(super) fn single_of_half(bits: u16) -> Option<u32> {
    let (exponent, fraction) = (u32::from(bits >> 10 & 31), u32::from(bits & 0x3ff));
    let sign = u32::from(bits >> 15) << 31;
    match (exponent, fraction) {
        (31, 0) => Some(sign | 0x7f80_0000),
        (31, _) => None,
        (0, _) => Some(sign | (fraction as f32 / 16_777_216.0).to_bits()),
        _ => Some(sign | (exponent + 112) << 23 | fraction << 13),
    }
}

#[cfg(test)]
mod tests {
    use super::single_of_half;

    #[test]
    fn halves_keep_their_values() {
        let of = |bits| single_of_half(bits).map(f32::from_bits);
        assert_eq!(of(0x3c00), Some(1.0));
        assert_eq!(of(0xc100), Some(-2.5));
        assert_eq!(of(0x7bff), Some(65504.0));
        assert_eq!(of(0x0001), Some(2f32.powi(-24)));
        assert_eq!(of(0x83ff), Some(-1023.0 * 2f32.powi(-24)));
        assert_eq!(of(0x7c00), Some(f32::INFINITY));
        assert_eq!(single_of_half(0x8000), Some(0x8000_0000));
        assert_eq!(of(0x7c01), None);
    }
}
