//! Saturating arithmetic, three-way comparisons, and minima of masks, by comparisons and selects.
//!
//! * `usub_sat(a, b)` is `umax(a, b) - b` and `uadd_sat(a, b)` is `umin(a, !b) + b`.
//! * Signed: the sum overflowed if it is less than `a` where `b` is not negative, and the other way round. Then it is
//!   the most that there is on the side where `a` is: `MAX` with all bits changed if the wrapped sum is not negative.
//! * `scmp(a, b)` is `(a < b) - (a > b)` with masks as numbers.
//! * Truth values as numbers: 1 is the greater one unsigned, the lesser one (-1) signed.

use super::expand::Expander;
use super::through::Rewritten;
use frazil_ir::{InstData, Opcode, Operand, Type, TypeData};

impl Expander<'_> {
    pub(super) fn saturating(&mut self, data: &InstData) -> Rewritten {
        let ty = data.ty;
        let Some(bits) = self.integer_bits(ty) else {
            return Ok(None);
        };
        let (a, b) = (self.editor.resolve(data.a), self.editor.resolve(data.b));
        let needed = [Opcode::Umin, Opcode::Umax, Opcode::IcmpSgt, Opcode::Add, Opcode::Sub];
        if !needed.iter().all(|&op| self.has(&InstData::new(op, ty, 0, a, b))) {
            return Ok(None);
        }
        match data.op {
            Opcode::UsubSat => {
                let limited = self.compute(Opcode::Umax, ty, a, b)?;
                self.compute(Opcode::Sub, ty, limited, b).map(Some)
            }
            Opcode::UaddSat => {
                let bound = self.inverted(ty, b)?;
                let limited = self.compute(Opcode::Umin, ty, a, bound)?;
                self.compute(Opcode::Add, ty, limited, b).map(Some)
            }
            op => self.signed_saturating(ty, bits, op, [a, b]),
        }
    }

    fn signed_saturating(&mut self, ty: Type, bits: u32, op: Opcode, [a, b]: [Operand; 2]) -> Rewritten {
        let zero = self.splat(ty, 0);
        let is_add = op == Opcode::SaddSat;
        let wrapped = self.compute(if is_add { Opcode::Add } else { Opcode::Sub }, ty, a, b)?;
        // Adding something negative, or subtracting something positive, makes less.
        let (left, right) = if is_add { (zero, b) } else { (b, zero) };
        let should_fall = self.compute(Opcode::IcmpSgt, ty, left, right)?;
        let fell = self.compute(Opcode::IcmpSgt, ty, a, wrapped)?;
        let mask = self.function.operand_type(fell).unwrap_or(Type::I1);
        let overflowed = self.compute(Opcode::Xor, mask, should_fall, fell)?;
        let all_signs = self.splat(ty, i64::from(bits) - 1);
        let sign = self.compute(Opcode::Ashr, ty, wrapped, all_signs)?;
        let least = self.splat(ty, i64::MIN >> (64 - bits));
        let limit = self.compute(Opcode::Xor, ty, sign, least)?;
        Ok(Some(self.choose(ty, overflowed, limit, wrapped)))
    }

    pub(super) fn three_way(&mut self, data: &InstData) -> Rewritten {
        let from = self.function.operand_type(data.a);
        let TypeData::Vector { .. } = self.function.types().data(data.ty) else {
            return Ok(None);
        };
        let (Some(from), Some(_)) = (from, self.integer_bits(data.ty)) else {
            return Ok(None);
        };
        let (a, b) = (self.editor.resolve(data.a), self.editor.resolve(data.b));
        let greater = if data.op == Opcode::Scmp {
            Opcode::IcmpSgt
        } else {
            Opcode::IcmpUgt
        };
        let compares = self.has(&InstData::new(greater, from, 0, a, b));
        if self.integer_bits(from).is_none() || !compares {
            return Ok(None);
        }
        let above = self.compute(greater, from, a, b)?;
        let below = self.compute(greater, from, b, a)?;
        let above = self.compute(Opcode::Sext, data.ty, above, Operand::NONE)?;
        let below = self.compute(Opcode::Sext, data.ty, below, Operand::NONE)?;
        self.compute(Opcode::Sub, data.ty, below, above).map(Some)
    }

    /// Minima and maxima of truth values.
    pub(super) fn mask_min_max(&mut self, data: &InstData) -> Rewritten {
        let TypeData::Vector { element: Type::I1, .. } = self.function.types().data(data.ty) else {
            return Ok(None);
        };
        let (a, b) = (self.editor.resolve(data.a), self.editor.resolve(data.b));
        self.compute(joined_by(data.op), data.ty, a, b).map(Some)
    }
}

/// What an operation on truth values is.
pub(super) fn joined_by(op: Opcode) -> Opcode {
    match op {
        Opcode::Add | Opcode::Sub => Opcode::Xor,
        Opcode::Mul | Opcode::Umin | Opcode::Smax => Opcode::And,
        Opcode::Umax | Opcode::Smin => Opcode::Or,
        op => op,
    }
}
