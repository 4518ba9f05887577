//! Operations on vectors of `half` or `bfloat` that are done on whole vectors of `float`, and the conversions between
//! these types, of scalars too.
//!
//! A `bfloat` is the upper half of a `float`: extending is a shift, and rounding is done on the bits. Halves have
//! instructions on some processors; on others each lane is a call, so that their vectors are computed with
//! [lane by lane](super::legalize). So are what raises exceptions that a program asks for, and what is done in another
//! type than `float`.

use super::legalize::{Legalizer, Operation, is_narrow};
use super::operations::{count_of_operands, single_of_half};
use crate::error::CodegenError;
use crate::isa::HalfConversions;
use frazil_ir::typing::is_cast;
use frazil_ir::{ConstView, Opcode, Operand, Type, TypeData};

impl Legalizer<'_> {
    /// Whether halves become floats, and floats halves, by instructions.
    pub(super) fn converts_halves(&self) -> bool {
        self.half_conversions > HalfConversions::None
    }

    /// Whether an operation is one on whole vectors.
    pub(super) fn is_whole(&self, operation: &Operation) -> bool {
        let types = self.types();
        let Operation { op, ty, operands, .. } = *operation;
        let is_vector = matches!(types.data(ty), TypeData::Vector { .. });
        let is_free = |ty: Type| ty == Type::BF16 || ty == Type::F16 && self.converts_halves();
        let to = types.scalar(ty);
        let from = match is_cast(op) {
            true => types.scalar(self.type_of(operands[0])),
            false => to,
        };
        if !is_vector || operation.is_strict || [from, to].into_iter().any(|ty| is_narrow(ty) && !is_free(ty)) {
            return false;
        }
        match op {
            Opcode::Fneg | Opcode::Fabs | Opcode::Fcopysign | Opcode::IsFpclass => false,
            Opcode::FcmpFalse | Opcode::FcmpTrue => false,
            // In double.
            Opcode::Fma => to == Type::BF16,
            Opcode::Fptrunc => from == Type::F32,
            Opcode::Fpext => matches!(to, Type::F32 | Type::F64),
            op if is_cast(op) => is_narrow(from) || is_narrow(to),
            _ => is_narrow(to),
        }
    }

    /// The result of such an operation, of which the type is given.
    ///
    /// # Errors
    /// When the function then has too many types.
    pub(super) fn whole(&mut self, operation: Operation, result: Type) -> Result<Operand, CodegenError> {
        let Operation { op, ty, operands, .. } = operation;
        if op == Opcode::Fmuladd {
            let [left, right, addend] = operands;
            let part = |op, operands| Operation {
                op,
                operands,
                ..operation
            };
            let product = self.whole(part(Opcode::Fmul, [left, right, Operand::NONE]), result)?;
            return self.whole(part(Opcode::Fadd, [product, addend, Operand::NONE]), result);
        }
        if is_cast(op) {
            return self.whole_cast(operation);
        }
        let float = self.of_floats(ty)?;
        let mut wide = operands;
        for operand in &mut wide[..count_of_operands(op)] {
            *operand = self.extended(*operand, ty)?;
        }
        let operation = Operation {
            ty: float,
            operands: wide,
            ..operation
        };
        if op.is_fcmp() {
            return Ok(self.emit(op, float, operation.flags, wide[0], wide[1], result));
        }
        let value = self.operation(operation);
        self.rounded_to(value, ty)
    }

    fn whole_cast(&mut self, operation: Operation) -> Result<Operand, CodegenError> {
        let Operation { op, ty, operands, .. } = operation;
        let from = self.type_of(operands[0]);
        let mut value = operands[0];
        if is_narrow(self.types().scalar(from)) {
            value = self.extended(value, from)?;
            if op == Opcode::Fpext && self.types().scalar(ty) == Type::F32 {
                return Ok(value);
            }
        }
        if !is_narrow(self.types().scalar(ty)) {
            let operands = [value, Operand::NONE, Operand::NONE];
            return Ok(self.operation(Operation { operands, ..operation }));
        }
        if op != Opcode::Fptrunc {
            let float = self.of_floats(ty)?;
            let operands = [value, Operand::NONE, Operand::NONE];
            value = self.operation(Operation {
                ty: float,
                operands,
                ..operation
            });
        }
        self.rounded_to(value, ty)
    }

    /// The type with another element, or that element.
    fn with_element(&mut self, ty: Type, element: Type) -> Result<Type, CodegenError> {
        match self.types().data(ty) {
            TypeData::Vector { lanes, .. } => self.intern(TypeData::Vector { element, lanes }),
            _ => Ok(element),
        }
    }

    fn of_floats(&mut self, ty: Type) -> Result<Type, CodegenError> {
        self.with_element(ty, Type::F32)
    }

    /// A `half` or a `bfloat` as a `float`, or a vector of them, which is [whole](Self::is_whole).
    ///
    /// # Errors
    /// When the function then has too many types.
    pub(super) fn extended(&mut self, value: Operand, from: Type) -> Result<Operand, CodegenError> {
        let element = self.types().scalar(from);
        debug_assert!(is_narrow(element));
        let value = self.resolve(value);
        let float = self.of_floats(from)?;
        if let Some(constant) = self.extended_constant(value, element, float) {
            return Ok(constant);
        }
        if element == Type::F16 {
            return Ok(match self.converts_halves() {
                true => self.cast(Opcode::Fpext, value, float),
                false => self.half_by_library(value),
            });
        }
        let (short, long) = (self.with_element(from, Type::I16)?, self.with_element(from, Type::I32)?);
        let bits = self.cast(Opcode::Bitcast, value, short);
        let wide = self.cast(Opcode::Zext, bits, long);
        let distance = self.splat(long, 16);
        let moved = self.binary(Opcode::Shl, long, wide, distance);
        Ok(self.cast(Opcode::Bitcast, moved, float))
    }

    fn extended_constant(&mut self, value: Operand, element: Type, float: Type) -> Option<Operand> {
        let single = |word: u64| match element {
            Type::F16 => single_of_half(word as u16),
            _ => Some((word as u32) << 16),
        };
        let constant = value.as_const()?;
        match self.function.constant(constant).1 {
            ConstView::Float(&[word]) => Some(self.float(single(word)?)),
            ConstView::Zero if float == Type::F32 => Some(self.float(0)),
            ConstView::Vector(lanes) => {
                let words: Option<Vec<u32>> = (lanes.iter())
                    .map(|lane| match self.function.constant(lane.as_const()?).1 {
                        ConstView::Float(&[word]) => single(word),
                        ConstView::Zero => Some(0),
                        _ => None,
                    })
                    .collect();
                let lanes: Vec<Operand> = words?.into_iter().map(|bits| self.float(bits)).collect();
                Some(Operand::constant(self.function.push_vector_const(float, &lanes)))
            }
            _ => None,
        }
    }

    fn float(&mut self, bits: u32) -> Operand {
        Operand::constant(self.function.push_float(Type::F32, &[bits.into()]))
    }

    /// A `float`, or a vector of them, rounded to `bfloat`, or to `half` by an instruction.
    ///
    /// # Errors
    /// When the function then has too many types.
    pub(super) fn rounded_to(&mut self, value: Operand, to: Type) -> Result<Operand, CodegenError> {
        match self.types().scalar(to) {
            Type::F16 => Ok(self.cast(Opcode::Fptrunc, value, to)),
            _ => self.rounded_to_bfloat(value, to),
        }
    }

    /// To the nearest, of two that are as near to the even one; NaNs become quiet ones.
    fn rounded_to_bfloat(&mut self, value: Operand, to: Type) -> Result<Operand, CodegenError> {
        let value = self.resolve(value);
        let (short, long) = (self.with_element(to, Type::I16)?, self.with_element(to, Type::I32)?);
        let (float, truth) = (self.of_floats(to)?, self.with_element(to, Type::I1)?);
        let bits = self.cast(Opcode::Bitcast, value, long);
        let half = self.splat(long, 16);
        let upper = self.binary(Opcode::Lshr, long, bits, half);
        let one = self.splat(long, 1);
        let is_odd = self.binary(Opcode::And, long, upper, one);
        let below_middle = self.splat(long, 0x7fff);
        let sum = self.binary(Opcode::Add, long, bits, below_middle);
        let sum = self.binary(Opcode::Add, long, sum, is_odd);
        let number = self.binary(Opcode::Lshr, long, sum, half);
        let quiet_bit = self.splat(long, 0x40);
        let quiet = self.binary(Opcode::Or, long, upper, quiet_bit);
        let is_none = self.emit(Opcode::FcmpUno, float, 0, value, value, truth);
        let rest = Operand::raw(self.function.push_pool(&[quiet, number]));
        let chosen = self.emit(Opcode::Select, long, 0, is_none, rest, long);
        let narrow = self.cast(Opcode::Trunc, chosen, short);
        Ok(self.cast(Opcode::Bitcast, narrow, to))
    }
}
