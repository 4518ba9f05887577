//! Lanes of spread vectors: taking some of them, putting vectors together, and masks as integers.
//!
//! Pieces have a power of two of lanes, or are the last of their vector, and never cross the border between two values,
//! because the numbers of lanes in registers are powers of two. Joining doubles the lanes each time, which targets do
//! by interleaving. A mask is taken apart and put together as a vector of integers as wide as its lanes are in the
//! register, which costs nothing to make of it.

use super::layout::Layout;
use super::rebuild::{Rebuild, Source, Span, number};
use crate::error::CodegenError;
use frazil_ir::{ConstKind, Opcode, Operand, Type};

impl Rebuild<'_> {
    /// A lane as a scalar.
    pub fn lane(&mut self, source: Source, index: u32) -> Result<Operand, CodegenError> {
        let Source { span, layout } = source;
        if layout.is_scalar {
            return Ok(self.part(span, 0));
        }
        if layout.is_scalarised() {
            return Ok(self.part(span, index));
        }
        let (part, lane) = (self.part(span, index / layout.chunk), index % layout.chunk);
        if part.as_value().is_none() {
            return Ok(self.constant_lane(part, layout.element, lane));
        }
        let ty = self.part_type(layout, index / layout.chunk)?;
        Ok(self.emit(Opcode::ExtractElement, ty, 0, [part, number(lane)], layout.element))
    }

    /// Some lanes as one vector. They must be in one part.
    pub fn take(&mut self, source: Source, first: u32, lanes: u32) -> Result<Operand, CodegenError> {
        let Source { span, layout } = source;
        debug_assert!(!layout.is_scalar && !layout.is_scalarised());
        let index = first / layout.chunk;
        let offset = first % layout.chunk;
        debug_assert!(offset + lanes <= layout.lanes_of(index));
        let part = self.part(span, index);
        if offset == 0 && lanes == layout.lanes_of(index) {
            return Ok(part);
        }
        if part.as_value().is_none() {
            return self.constant_lanes(part, layout.element, offset, lanes);
        }
        let part_lanes = layout.lanes_of(index);
        if layout.element == Type::I1 {
            let bits = self.mask_bits(part_lanes);
            let ints = self.mask_to_ints(part, part_lanes, bits)?;
            let element = self.integer(bits)?;
            let taken = self.slice(ints, element, part_lanes, offset, lanes)?;
            return self.ints_to_mask(taken, lanes, bits);
        }
        self.slice(part, layout.element, part_lanes, offset, lanes)
    }

    /// Lanes of a vector from some lane on.
    fn slice(
        &mut self,
        vector: Operand,
        element: Type,
        from_lanes: u32,
        first: u32,
        lanes: u32,
    ) -> Result<Operand, CodegenError> {
        let from = self.vector(element, from_lanes)?;
        // Zeros above let a target move the whole register down.
        let other = self.plain(ConstKind::Zero, from);
        let indices: Vec<Option<u32>> = (first..first + lanes).map(Some).collect();
        self.shuffle(element, vector, other, &indices)
    }

    /// A shuffle of two vectors of the same type.
    pub fn shuffle(
        &mut self,
        element: Type,
        first: Operand,
        second: Operand,
        indices: &[Option<u32>],
    ) -> Result<Operand, CodegenError> {
        let ty = self.vector(element, indices.len() as u32)?;
        let mask_type = self.vector(Type::I32, indices.len() as u32)?;
        let any = self.plain(ConstKind::Poison, Type::I32);
        let lanes: Vec<Operand> = (indices.iter()).map(|index| index.map_or(any, number)).collect();
        let mask = Operand::constant(self.new.push_vector_const(mask_type, &lanes));
        Ok(self.ternary(Opcode::Shuffle, ty, 0, [first, second, mask]))
    }

    /// A vector with more lanes, the new ones of any contents.
    pub fn widen(
        &mut self,
        vector: Operand,
        element: Type,
        from_lanes: u32,
        lanes: u32,
    ) -> Result<Operand, CodegenError> {
        if from_lanes == lanes {
            return Ok(vector);
        }
        if element == Type::I1 {
            let bits = self.mask_bits(lanes);
            let ints = self.mask_to_ints(vector, from_lanes, bits)?;
            let element = self.integer(bits)?;
            let widened = self.widen(ints, element, from_lanes, lanes)?;
            return self.ints_to_mask(widened, lanes, bits);
        }
        let from = self.vector(element, from_lanes)?;
        let other = self.plain(ConstKind::Poison, from);
        let indices: Vec<Option<u32>> = (0..lanes).map(|lane| (lane < from_lanes).then_some(lane)).collect();
        self.shuffle(element, vector, other, &indices)
    }

    /// Puts a value of this layout together from pieces of `piece` lanes, of which the last may have fewer; 0 if each
    /// is a scalar.
    pub fn build(&mut self, layout: Layout, pieces: Span, piece: u32) -> Result<Span, CodegenError> {
        if layout.is_scalar || piece == layout.chunk {
            return Ok(pieces);
        }
        if layout.is_scalarised() {
            return self.scalarise(layout, pieces, piece);
        }
        let mut parts = Vec::new();
        if piece == 0 {
            for part in 0..layout.count() {
                let (first, lanes) = (part * layout.chunk, layout.lanes_of(part));
                let scalars = self.operands(pieces)[first as usize..(first + lanes) as usize].to_vec();
                parts.push(self.collect(layout.element, &scalars)?);
            }
            return Ok(self.span(&parts));
        }
        if piece > layout.chunk || piece >= layout.lanes {
            let source = Source {
                span: pieces,
                layout: Layout { chunk: piece, ..layout },
            };
            for part in 0..layout.count() {
                let taken = self.take(source, part * layout.chunk, layout.lanes_of(part))?;
                parts.push(taken);
            }
            return Ok(self.span(&parts));
        }
        let all = self.operands(pieces).to_vec();
        let mut first = 0;
        for part in 0..layout.count() {
            let lanes = layout.lanes_of(part);
            let count = lanes.div_ceil(piece);
            let joined = self.join(layout.element, &all[first..first + count as usize], piece, lanes)?;
            parts.push(joined);
            first += count as usize;
        }
        Ok(self.span(&parts))
    }

    /// Each lane of pieces as a scalar.
    fn scalarise(&mut self, layout: Layout, pieces: Span, piece: u32) -> Result<Span, CodegenError> {
        let source = Source {
            span: pieces,
            layout: Layout { chunk: piece, ..layout },
        };
        let mut lanes = Vec::new();
        for index in 0..layout.lanes {
            lanes.push(self.lane(source, index)?);
        }
        Ok(self.span(&lanes))
    }

    /// A vector of scalars.
    pub fn collect(&mut self, element: Type, scalars: &[Operand]) -> Result<Operand, CodegenError> {
        let ty = self.vector(element, scalars.len() as u32)?;
        if scalars
            .iter()
            .all(|scalar| scalar.as_imm().is_some() && element != Type::PTR)
        {
            return Ok(Operand::constant(self.new.push_vector_const(ty, scalars)));
        }
        let mut vector = self.plain(ConstKind::Poison, ty);
        for (index, &scalar) in (0..).zip(scalars) {
            vector = self.insert_at(ty, vector, scalar, index);
        }
        Ok(vector)
    }

    /// One vector of `lanes` lanes from pieces of `piece` lanes, of which the last may have fewer.
    fn join(&mut self, element: Type, pieces: &[Operand], piece: u32, lanes: u32) -> Result<Operand, CodegenError> {
        if let [only] = pieces {
            return Ok(*only);
        }
        if pieces.iter().all(|piece| piece.as_value().is_none()) {
            return self.join_constants(element, pieces, piece, lanes);
        }
        if element == Type::I1 {
            let bits = self.mask_bits(lanes);
            let int = self.integer(bits)?;
            let mut ints = Vec::new();
            for (index, &mask) in (0..).zip(pieces) {
                let own = (lanes - index * piece).min(piece);
                ints.push(self.mask_to_ints(mask, own, bits)?);
            }
            let joined = self.join(int, &ints, piece, lanes)?;
            return self.ints_to_mask(joined, lanes, bits);
        }
        let mut level: Vec<(Operand, u32)> = (0..)
            .zip(pieces)
            .map(|(index, &vector)| (vector, (lanes - index * piece).min(piece)))
            .collect();
        while level.len() > 1 {
            let mut next = Vec::with_capacity(level.len().div_ceil(2));
            for pair in level.chunks(2) {
                let &[(low, low_lanes), (high, high_lanes)] = pair else {
                    next.push(pair[0]);
                    continue;
                };
                let high = self.widen(high, element, high_lanes, low_lanes)?;
                let indices: Vec<Option<u32>> = (0..low_lanes + high_lanes).map(Some).collect();
                next.push((self.shuffle(element, low, high, &indices)?, low_lanes + high_lanes));
            }
            level = next;
        }
        Ok(level[0].0)
    }

    fn join_constants(
        &mut self,
        element: Type,
        pieces: &[Operand],
        piece: u32,
        lanes: u32,
    ) -> Result<Operand, CodegenError> {
        let scalars: Vec<Operand> = (0..lanes)
            .map(|lane| self.constant_lane(pieces[(lane / piece) as usize], element, lane % piece))
            .collect();
        let ty = self.vector(element, lanes)?;
        Ok(Operand::constant(self.new.push_vector_const(ty, &scalars)))
    }

    /// Bits of a lane of a mask of so many lanes, as it lies in a register.
    pub fn mask_bits(&self, lanes: u32) -> u32 {
        (u32::from(self.layouts.register_bytes()) * 8 / lanes.next_power_of_two()).min(64)
    }

    /// A mask as integers of some width, all ones or zero.
    pub fn mask_to_ints(&mut self, mask: Operand, lanes: u32, bits: u32) -> Result<Operand, CodegenError> {
        let own = self.mask_bits(lanes);
        let element = self.integer(own)?;
        let ty = self.vector(element, lanes)?;
        let ints = self.unary(Opcode::Sext, ty, mask);
        self.resize_ints(ints, lanes, own, bits)
    }

    /// The mask of the lanes whose lowest bit is set.
    pub fn ints_to_mask(&mut self, ints: Operand, lanes: u32, bits: u32) -> Result<Operand, CodegenError> {
        let own = self.mask_bits(lanes);
        let ints = self.resize_ints(ints, lanes, bits, own)?;
        let ty = self.vector(Type::I1, lanes)?;
        Ok(self.unary(Opcode::Trunc, ty, ints))
    }

    /// Integers of another width, sign-extended or truncated.
    pub fn resize_ints(&mut self, ints: Operand, lanes: u32, from: u32, to: u32) -> Result<Operand, CodegenError> {
        if from == to {
            return Ok(ints);
        }
        let element = self.integer(to)?;
        let ty = self.vector(element, lanes)?;
        let op = if from < to { Opcode::Sext } else { Opcode::Trunc };
        Ok(self.unary(op, ty, ints))
    }
}
