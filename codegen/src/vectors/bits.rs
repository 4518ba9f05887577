//! Counting leading and trailing zeros, and reversing bits, with shifts, masks and a count of ones.
//!
//! * `cttz(x)` is the number of ones below the lowest one: `ctpop(!x & (x - 1))`, or where leading zeros are counted by
//!   an instruction, what these leave.
//! * `ctlz(x)`: every bit below the highest one is set by oring with shifted copies, and what is left clear is counted.
//! * `bitreverse(x)`: bytes are reversed, then the nibbles in each, the pairs in these, and the bits in those (Warren,
//!   "Hacker's Delight", chapter 7). Only bits within a byte are exchanged by masks, so lanes of 16 bits serve all
//!   widths: what a shift brings in from the next byte is cleared.

use super::expand::Expander;
use super::through::Rewritten;
use crate::error::CodegenError;
use frazil_ir::{InstData, Opcode, Operand, Type};

/// Distances of bits that change places, and which of them move up.
const EXCHANGES: [(i64, i64); 3] = [(4, 0x0f0f), (2, 0x3333), (1, 0x5555)];

impl Expander<'_> {
    pub(super) fn bits(&mut self, data: &InstData) -> Rewritten {
        let ty = data.ty;
        let Some(bits) = self.integer_bits(ty) else {
            return Ok(None);
        };
        let value = self.editor.resolve(data.a);
        if data.op == Opcode::Bitreverse {
            return self.reverse_bits(ty, bits, value);
        }
        let one = self.splat(ty, 1);
        let count = |op| InstData::new(op, ty, 0, value, Operand::NONE);
        if data.op == Opcode::Cttz && self.has(&count(Opcode::Ctlz)) && self.has(&count(Opcode::Sub)) {
            let clear = self.below_lowest(ty, value, one)?;
            let leading = self.compute(Opcode::Ctlz, ty, clear, Operand::NONE)?;
            let all = self.splat(ty, bits.into());
            return self.compute(Opcode::Sub, ty, all, leading).map(Some);
        }
        let needed = [Opcode::Ctpop, Opcode::Lshr, Opcode::Sub, Opcode::Xor, Opcode::And];
        if !needed.iter().all(|&op| self.has(&InstData::new(op, ty, 0, value, one))) {
            return Ok(None);
        }
        let clear = if data.op == Opcode::Cttz {
            self.below_lowest(ty, value, one)?
        } else {
            let mut filled = value;
            for distance in (0..bits.trailing_zeros()).map(|log2| 1i64 << log2) {
                let distance = self.splat(ty, distance);
                let shifted = self.compute(Opcode::Lshr, ty, filled, distance)?;
                filled = self.compute(Opcode::Or, ty, filled, shifted)?;
            }
            self.inverted(ty, filled)?
        };
        self.compute(Opcode::Ctpop, ty, clear, Operand::NONE).map(Some)
    }

    /// Ones below the lowest one.
    fn below_lowest(&mut self, ty: Type, value: Operand, one: Operand) -> Result<Operand, CodegenError> {
        let below = self.compute(Opcode::Sub, ty, value, one)?;
        let inverted = self.inverted(ty, value)?;
        self.compute(Opcode::And, ty, inverted, below)
    }

    /// `!value`.
    pub(super) fn inverted(&mut self, ty: Type, value: Operand) -> Result<Operand, CodegenError> {
        let ones = self.splat(ty, -1);
        self.compute(Opcode::Xor, ty, value, ones)
    }

    fn reverse_bits(&mut self, ty: Type, bits: u32, value: Operand) -> Rewritten {
        let Some(shape) = self.shape(ty) else {
            return Ok(None);
        };
        // A whole register of 16-bit lanes, or as much of it as the vector fills.
        let bytes = shape.lanes * shape.lane_bits / 8;
        let swap = InstData::new(Opcode::Bswap, ty, 0, value, Operand::NONE);
        if !bytes.is_multiple_of(2) || bits > 8 && !self.has(&swap) {
            return Ok(None);
        }
        let words = self.vector(Type::I16, bytes / 2)?;
        let one = self.splat(words, 1);
        if ![Opcode::Shl, Opcode::Lshr]
            .iter()
            .all(|&op| self.has(&InstData::new(op, words, 0, one, one)))
        {
            return Ok(None);
        }
        let swapped = match bits {
            8 => value,
            _ => self.compute(Opcode::Bswap, ty, value, Operand::NONE)?,
        };
        let mut reversed = self.cast(words, swapped);
        for (distance, mask) in EXCHANGES {
            let (distance, mask) = (self.splat(words, distance), self.splat(words, mask));
            let down = self.compute(Opcode::Lshr, words, reversed, distance)?;
            let down = self.compute(Opcode::And, words, down, mask)?;
            let up = self.compute(Opcode::And, words, reversed, mask)?;
            let up = self.compute(Opcode::Shl, words, up, distance)?;
            reversed = self.compute(Opcode::Or, words, down, up)?;
        }
        Ok(Some(self.cast(ty, reversed)))
    }

    /// The same bits as another type of the same size.
    pub(super) fn cast(&mut self, ty: Type, value: Operand) -> Operand {
        if self.function.operand_type(value) == Some(ty) {
            return value;
        }
        self.emit(Opcode::Bitcast, ty, 0, value, Operand::NONE, ty)
    }
}
