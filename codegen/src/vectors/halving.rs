//! Reductions: the upper half of the lanes is joined with the lower half until one lane is left.
//!
//! ```text
//! v1 = reduce_add i32 v0
//! ```
//! becomes, for `<4 x i32> v0`,
//! ```text
//! v2 = shuffle <4 x i32> v0, poison, [2, 3, -, -]
//! v3 = add <4 x i32> v0, v2
//! v4 = shuffle <4 x i32> v3, poison, [1, -, -, -]
//! v5 = add <4 x i32> v3, v4
//! v1 = extract_element <4 x i32> v5, 0
//! ```
//! Lanes of a number that is no power of two go before the halving starts, one by one. Sums and products of floats that
//! must be in order, and what the target cannot join, are left to the last resort. Truth values are read as the bits of
//! an integer: any of them is set if it is not zero, all if it is the greatest number.

use super::expand::{Expander, number, reduced_by};
use super::saturate::joined_by;
use super::through::Rewritten;
use crate::error::CodegenError;
use frazil_ir::{ConstKind, FastFlags, Format, InstData, Opcode, Operand, Type, TypeData};

impl Expander<'_> {
    pub(super) fn halve(&mut self, data: &InstData) -> Rewritten {
        let (start, vector) = match data.op.format() {
            Format::Binary => (Some(data.a), data.b),
            _ => (None, data.a),
        };
        let vector = self.editor.resolve(vector);
        let Some((ty, element, lanes)) = self.vector_type(vector) else {
            return Ok(None);
        };
        if vector.as_value().is_none() || lanes < 2 {
            return Ok(None);
        }
        let op = reduced_by(data.op);
        if element == Type::I1 {
            return self.reduce_mask(joined_by(op), vector, lanes);
        }
        let join = InstData::new(op, ty, data.flags, vector, vector);
        let is_ordered = start.is_some() && !FastFlags::from_bits_retain(data.flags).contains(FastFlags::REASSOC);
        if is_ordered || !lanes.is_power_of_two() || !self.has(&join) {
            return Ok(None);
        }
        let mut sum = vector;
        let mut half = lanes / 2;
        while half > 0 {
            let upper = self.upper(ty, sum, lanes, half)?;
            sum = self.emit(op, ty, data.flags, sum, upper, ty);
            half /= 2;
        }
        let first = self.emit(Opcode::ExtractElement, ty, 0, sum, number(0), element);
        Ok(Some(match start {
            Some(start) => {
                let start = self.editor.resolve(start);
                self.emit(op, element, data.flags, start, first, element)
            }
            None => first,
        }))
    }

    /// The lanes from `half` on as the first ones; the others are of any contents.
    fn upper(&mut self, ty: Type, vector: Operand, lanes: u32, half: u32) -> Result<Operand, CodegenError> {
        let indices: Vec<Option<u32>> = (0..lanes).map(|lane| (lane < half).then_some(half + lane)).collect();
        self.rearranged(ty, vector, &indices)
    }

    /// The lanes of a vector in another order; some may be any.
    pub(super) fn rearranged(
        &mut self,
        ty: Type,
        vector: Operand,
        indices: &[Option<u32>],
    ) -> Result<Operand, CodegenError> {
        let mask = self.vector(Type::I32, indices.len() as u32)?;
        let any = self.plain(ConstKind::Poison, Type::I32);
        let indices: Vec<Operand> = (indices.iter()).map(|index| index.map_or(any, number)).collect();
        let mask = Operand::constant(self.function.push_vector_const(mask, &indices));
        let other = self.plain(ConstKind::Poison, ty);
        let rest = self.function.push_pool(&[other, mask]);
        Ok(self.emit(Opcode::Shuffle, ty, 0, vector, Operand::raw(rest), ty))
    }

    fn reduce_mask(&mut self, op: Opcode, vector: Operand, lanes: u32) -> Rewritten {
        let bits = self.intern(TypeData::Int(lanes))?;
        let ones = -1;
        let value = self.emit(Opcode::Bitcast, bits, 0, vector, Operand::NONE, bits);
        let compared = |compare, with| (compare, Operand::imm(with).unwrap_or(Operand::ZERO));
        let (compare, with) = match op {
            Opcode::And => compared(Opcode::IcmpEq, ones),
            Opcode::Or => compared(Opcode::IcmpNe, 0),
            _ => {
                let count = self.emit(Opcode::Ctpop, bits, 0, value, Operand::NONE, bits);
                return Ok(Some(self.emit(
                    Opcode::Trunc,
                    Type::I1,
                    0,
                    count,
                    Operand::NONE,
                    Type::I1,
                )));
            }
        };
        Ok(Some(self.emit(compare, bits, 0, value, with, Type::I1)))
    }
}
