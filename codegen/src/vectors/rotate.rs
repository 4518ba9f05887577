//! Funnel shifts and rotations of vectors, as two shifts and an `or`; rotations by whole words, as shuffles.
//!
//! Amounts count modulo the width, and a shift by the whole width is poison. So the shift that goes the other way,
//! `width - amount`, is split into one by 1 and one by `width - 1 - amount`, unless the amounts are constants other
//! than zero, or both operands are the same: then its amount counts modulo the width, too, and where it is zero, both
//! shifts give the operand itself, and so does the `or`.

use super::expand::Expander;
use super::through::Rewritten;
use crate::error::CodegenError;
use frazil_ir::{InstData, Opcode, Operand, Type};

impl Expander<'_> {
    pub(super) fn funnel_shift(&mut self, data: &InstData) -> Rewritten {
        let ty = data.ty;
        let Some(bits) = self.integer_bits(ty) else {
            return Ok(None);
        };
        let any = self.splat(ty, 1);
        let shifts = [Opcode::Shl, Opcode::Lshr];
        let (low, amount) = self.function.ternary(data);
        let [high, low, amount] = [data.a, low, amount].map(|operand| self.editor.resolve(operand));
        let variable = if amount.as_value().is_some() { amount } else { any };
        if !shifts
            .iter()
            .all(|&shift| self.has(&InstData::new(shift, ty, 0, high, variable)))
        {
            return Ok(None);
        }
        let is_left = data.op == Opcode::Fshl;
        let amounts = self.constant_amounts(amount, bits);
        let [left, right] = match amounts {
            Some(amounts) if amounts.iter().all(|&amount| amount == 0) => {
                return Ok(Some(if is_left { high } else { low }));
            }
            Some(amounts) if high == low && amounts.iter().all(|&amount| amount % 16 == 0 && amount == amounts[0]) => {
                let places = if is_left { bits - amounts[0] } else { amounts[0] } / 16;
                return self.rotate_words(ty, bits / 16, high, places).map(Some);
            }
            Some(amounts) if high == low || amounts.iter().all(|&amount| amount != 0) => {
                let others: Vec<u32> = amounts.iter().map(|amount| (bits - amount) % bits).collect();
                let pair = [self.amounts(ty, &amounts), self.amounts(ty, &others)];
                let [left, right] = if is_left { pair } else { [pair[1], pair[0]] };
                [
                    self.compute(Opcode::Shl, ty, high, left)?,
                    self.compute(Opcode::Lshr, ty, low, right)?,
                ]
            }
            _ if high == low => self.rotation(ty, bits, high, amount, is_left)?,
            _ => self.halves(ty, bits, [high, low], amount, is_left)?,
        };
        self.compute(Opcode::Or, ty, left, right).map(Some)
    }

    /// Moves the 16-bit words of each lane down, the lowest ones to the top.
    fn rotate_words(&mut self, ty: Type, per_lane: u32, value: Operand, places: u32) -> Result<Operand, CodegenError> {
        let lanes = self.vector_type(value).map_or(1, |(_, _, lanes)| lanes);
        let words = self.vector(Type::I16, lanes * per_lane)?;
        let value = self.cast(words, value);
        let indices: Vec<Option<u32>> = (0..lanes * per_lane)
            .map(|word| Some(word / per_lane * per_lane + (word % per_lane + places) % per_lane))
            .collect();
        let moved = self.rearranged(words, value, &indices)?;
        Ok(self.cast(ty, moved))
    }

    /// The amounts modulo the width, if they are constants.
    fn constant_amounts(&mut self, amount: Operand, bits: u32) -> Option<Vec<u32>> {
        amount.as_const()?;
        let (_, _, lanes) = self.vector_type(amount)?;
        (0..lanes)
            .map(|lane| {
                let lane = self.lane(amount, lane);
                lane.as_imm().map(|imm| imm.rem_euclid(i64::from(bits)) as u32)
            })
            .collect()
    }

    fn amounts(&mut self, ty: Type, amounts: &[u32]) -> Operand {
        let lanes: Vec<Operand> = amounts.iter().map(|&amount| super::expand::number(amount)).collect();
        Operand::constant(self.function.push_vector_const(ty, &lanes))
    }

    /// Both shifts of a rotation.
    fn rotation(
        &mut self,
        ty: Type,
        bits: u32,
        value: Operand,
        amount: Operand,
        is_left: bool,
    ) -> Result<[Operand; 2], CodegenError> {
        let within = self.splat(ty, i64::from(bits) - 1);
        let zero = self.splat(ty, 0);
        let along = self.compute(Opcode::And, ty, amount, within)?;
        let back = self.compute(Opcode::Sub, ty, zero, amount)?;
        let back = self.compute(Opcode::And, ty, back, within)?;
        let [left, right] = if is_left { [along, back] } else { [back, along] };
        Ok([
            self.compute(Opcode::Shl, ty, value, left)?,
            self.compute(Opcode::Lshr, ty, value, right)?,
        ])
    }

    /// Both shifts, the one that goes back in two steps.
    fn halves(
        &mut self,
        ty: Type,
        bits: u32,
        [high, low]: [Operand; 2],
        amount: Operand,
        is_left: bool,
    ) -> Result<[Operand; 2], CodegenError> {
        let within = self.splat(ty, i64::from(bits) - 1);
        let one = self.splat(ty, 1);
        let along = self.compute(Opcode::And, ty, amount, within)?;
        let back = self.compute(Opcode::Xor, ty, along, within)?;
        if is_left {
            let halved = self.compute(Opcode::Lshr, ty, low, one)?;
            return Ok([
                self.compute(Opcode::Shl, ty, high, along)?,
                self.compute(Opcode::Lshr, ty, halved, back)?,
            ]);
        }
        let doubled = self.compute(Opcode::Shl, ty, high, one)?;
        Ok([
            self.compute(Opcode::Shl, ty, doubled, back)?,
            self.compute(Opcode::Lshr, ty, low, along)?,
        ])
    }
}
