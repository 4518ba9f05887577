//! What is asked of a float's bits, and what is done to its sign alone.

use super::classes::{ClassRange, NAN_CLASSES, class_ranges};
use super::legalize::{Legalizer, Operation};
use crate::error::CodegenError;
use frazil_ir::{Opcode, Operand, Refusal, Type, TypeData};

/// Bits of a scalar float, and of its fraction.
fn format(ty: Type) -> Option<(u32, u32)> {
    Some(match ty {
        Type::F16 => (16, 10),
        Type::BF16 => (16, 7),
        Type::F32 => (32, 23),
        Type::F64 => (64, 52),
        Type::F128 => (128, 112),
        _ => return None,
    })
}

impl Legalizer<'_> {
    fn format(&self, op: Opcode, ty: Type) -> Result<(u32, u32), CodegenError> {
        let format = format(self.types().scalar(ty));
        format.ok_or_else(|| CodegenError::unsupported(Refusal::ExoticFloat, format!("{} of these types", op.name())))
    }

    /// The integer type of as many bits as a float has, or the vector of it.
    fn bits_type(&mut self, bits: u32, ty: Type) -> Result<Type, CodegenError> {
        let element = self.intern(TypeData::Int(bits))?;
        match self.types().data(ty) {
            TypeData::Vector { lanes, .. } => self.intern(TypeData::Vector { element, lanes }),
            _ => Ok(element),
        }
    }

    /// An integer constant, in each lane if the type is a vector.
    pub(super) fn splat(&mut self, ty: Type, value: i128) -> Operand {
        let TypeData::Vector { element, lanes } = self.types().data(ty) else {
            return self.integer(ty, value);
        };
        let lane = self.function.int_operand(element, value);
        Operand::constant(self.function.push_vector_const(ty, &vec![lane; lanes as usize]))
    }

    /// Inverts a sign or clears it, of a scalar or of all lanes of a vector.
    pub fn sign(&mut self, op: Opcode, ty: Type, value: Operand) -> Result<Operand, CodegenError> {
        let (bits, _) = self.format(op, ty)?;
        let int = self.bits_type(bits, ty)?;
        let sign = i128::MIN >> (128 - bits);
        let (op, mask) = match op {
            Opcode::Fneg => (Opcode::Xor, sign),
            _ => (Opcode::And, !sign),
        };
        let mask = self.splat(int, mask);
        let value = self.cast(Opcode::Bitcast, value, int);
        let changed = self.binary(op, int, value, mask);
        Ok(self.cast(Opcode::Bitcast, changed, ty))
    }

    /// The first operand with the sign of the second one, which may have another type.
    pub fn copysign(&mut self, operation: &Operation) -> Result<Operand, CodegenError> {
        let Operation { op, ty, operands, .. } = *operation;
        let of_sign = self.type_of(operands[1]);
        let ((bits, _), (sign_bits, _)) = (self.format(op, ty)?, self.format(op, of_sign)?);
        let (int, sign_int) = (self.bits_type(bits, ty)?, self.bits_type(sign_bits, of_sign)?);
        let mut sign = self.cast(Opcode::Bitcast, operands[1], sign_int);
        if sign_bits > bits {
            let distance = self.integer(sign_int, i128::from(sign_bits - bits));
            sign = self.binary(Opcode::Lshr, sign_int, sign, distance);
            sign = self.cast(Opcode::Trunc, sign, int);
        } else if sign_bits < bits {
            sign = self.cast(Opcode::Zext, sign, int);
            let distance = self.integer(int, i128::from(bits - sign_bits));
            sign = self.binary(Opcode::Shl, int, sign, distance);
        }
        let mask = i128::MIN >> (128 - bits);
        let (sign_mask, rest_mask) = (self.integer(int, mask), self.integer(int, !mask));
        let sign = self.binary(Opcode::And, int, sign, sign_mask);
        let rest = self.cast(Opcode::Bitcast, operands[0], int);
        let rest = self.binary(Opcode::And, int, rest, rest_mask);
        let joined = self.binary(Opcode::Or, int, rest, sign);
        Ok(self.cast(Opcode::Bitcast, joined, ty))
    }

    /// Whether the bits lie in one of the ranges that are asked for. NaNs of both signs are one class each.
    pub fn is_class(&mut self, operation: &Operation) -> Result<Operand, CodegenError> {
        let Operation { op, ty, operands, .. } = *operation;
        let asked = operands[1].as_imm().unwrap_or(0);
        let (total, fraction) = self.format(op, ty)?;
        let sign = 1u128 << (total - 1);
        let wanted = class_ranges(total, fraction)
            .into_iter()
            .filter(|range| range.mask & asked != 0);
        let mut ranges: Vec<ClassRange> = wanted.collect();
        let negative: Vec<ClassRange> = (ranges.iter())
            .filter(|range| range.mask & NAN_CLASSES != 0)
            .map(|range| ClassRange {
                low: range.low | sign,
                high: range.high | sign,
                ..*range
            })
            .collect();
        ranges.extend(negative);
        // Ranges are in ascending order; those that touch are one.
        ranges.dedup_by(|next, last| {
            let touches = last.high + 1 == next.low;
            if touches {
                last.high = next.high;
            }
            touches
        });
        let int = self.bits_type(total, ty)?;
        let bits = self.cast(Opcode::Bitcast, operands[0], int);
        let mut found = self.integer(Type::I1, 0);
        for range in ranges {
            let low = self.integer(int, range.low.cast_signed());
            let distance = self.binary(Opcode::Sub, int, bits, low);
            let width = self.integer(int, (range.high - range.low).cast_signed());
            let is_in = self.emit(Opcode::IcmpUle, int, 0, distance, width, Type::I1);
            found = self.binary(Opcode::Or, Type::I1, found, is_in);
        }
        Ok(found)
    }
}
