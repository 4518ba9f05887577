//! Values as they are passed in calls and returns, by the [plan](super::signatures) of a signature: what of them is put
//! into registers, and what is made of that on the other side.
//!
//! Registers for parameters may be wider than those that are computed with. Then a value's vectors are joined by a
//! shuffle before the call or return, and its vectors are taken out of the wide one by shuffles after it; targets have
//! these two shuffles for every type that [`crate::Parts::is_wide_vector`]. What is [computed wide](super::wide) is
//! passed as it is.

use super::layout::Layout;
use super::rebuild::{Rebuild, Source, Span};
use super::signatures::{BY_VALUE_ALIGN_LOG2, Passing};
use crate::error::CodegenError;
use frazil_ir::{ConstKind, ConstView, MemFlags, Opcode, Operand, Type};

impl Rebuild<'_> {
    /// Lanes of a vector of integers of this many bits that a register is computed with, of so many.
    fn piece_lanes(&self, bits: u32, lanes: u32) -> u32 {
        (u32::from(self.layouts.register_bytes()) * 8 / bits).min(lanes)
    }

    /// A vector put together from pieces of equally many lanes; `count` of them, of which some may be missing.
    pub fn join_pieces(
        &mut self,
        element: Type,
        lanes: u32,
        pieces: &[Operand],
        count: u32,
    ) -> Result<Operand, CodegenError> {
        if let (1, &[piece]) = (count, pieces) {
            return Ok(piece);
        }
        let half = count / 2;
        let ty = self.vector(element, lanes * half)?;
        let (low, high) = pieces.split_at(pieces.len().min(half as usize));
        let low = self.join_pieces(element, lanes, low, half)?;
        let high = match high {
            [] => self.plain(ConstKind::Poison, ty),
            high => self.join_pieces(element, lanes, high, half)?,
        };
        self.new.use_wide_vectors();
        let indices: Vec<Option<u32>> = (0..lanes * count).map(Some).collect();
        self.shuffle(element, low, high, &indices)
    }

    /// The first `count` pieces of `lanes` lanes of a vector of `all`.
    pub fn split_pieces(
        &mut self,
        vector: Operand,
        (element, all): (Type, u32),
        (lanes, count): (u32, u32),
        to: &mut Vec<Operand>,
    ) -> Result<(), CodegenError> {
        if all == lanes {
            to.push(vector);
            return Ok(());
        }
        self.new.use_wide_vectors();
        let ty = self.vector(element, all)?;
        let other = self.plain(ConstKind::Poison, ty);
        let half = all / 2;
        let is_low_alone = self.is_poison_from(vector, half);
        for number in 0..2 {
            let taken = number * (half / lanes);
            if taken < count && number == 1 && is_low_alone {
                let piece = self.vector(element, lanes)?;
                let piece = self.plain(ConstKind::Poison, piece);
                to.extend((taken..count.min(all / lanes)).map(|_| piece));
            } else if taken < count {
                let indices: Vec<Option<u32>> = (number * half..(number + 1) * half).map(Some).collect();
                let part = self.shuffle(element, vector, other, &indices)?;
                self.split_pieces(part, (element, half), (lanes, count - taken), to)?;
            }
        }
        Ok(())
    }

    /// Whether all lanes from one on are poison, as those beside a scalar are that a vector is made of.
    fn is_poison_from(&self, vector: Operand, lane: u32) -> bool {
        let Some(inst) = vector.as_value().and_then(|value| self.new.def_inst(value)) else {
            return false;
        };
        let data = self.new.inst(inst);
        if data.op != Opcode::InsertElement {
            return false;
        }
        let (_, index) = self.new.ternary(data);
        let is_poison = |id| matches!(self.new.constant(id).1, ConstView::Poison);
        data.a.as_const().is_some_and(is_poison)
            && index
                .as_imm()
                .is_some_and(|index| (0..i64::from(lane)).contains(&index))
    }

    /// What is passed for a value.
    pub fn passed(&mut self, source: Source, passing: Passing, to: &mut Vec<Operand>) -> Result<(), CodegenError> {
        let Source { span, layout } = source;
        match passing {
            Passing::Parts => to.extend_from_slice(self.operands(span)),
            Passing::ByValue(bytes) => {
                let address = Operand::value(self.own_slot(bytes.into(), BY_VALUE_ALIGN_LOG2));
                self.store_to(source, address, MemFlags::aligned(BY_VALUE_ALIGN_LOG2.into()).0)?;
                to.push(address);
            }
            Passing::Wide(lanes) => {
                for first in (0..layout.count()).step_by((lanes / layout.chunk) as usize) {
                    let mut pieces = Vec::new();
                    for part in first..(first + lanes / layout.chunk).min(layout.count()) {
                        let piece = self.part(span, part);
                        pieces.push(self.widen(piece, layout.element, layout.lanes_of(part), layout.chunk)?);
                    }
                    to.push(self.join_pieces(layout.element, layout.chunk, &pieces, lanes / layout.chunk)?);
                }
            }
            Passing::Widened(lanes) => {
                let vector = self.part(span, 0);
                to.push(self.widen(vector, layout.element, layout.lanes, lanes)?);
            }
            Passing::Extended(bits) => {
                let element = self.integer(bits)?;
                let ty = self.vector(element, layout.lanes)?;
                let vector = self.part(span, 0);
                to.push(self.unary(Opcode::Zext, ty, vector));
            }
            Passing::Promoted(bits) => {
                let ty = self.integer(bits)?;
                let chunk = self.piece_lanes(bits, layout.lanes);
                let pieces = match layout.is_scalarised() {
                    true => self.promoted_lanes(span, layout, ty, chunk)?,
                    false => self.promoted_masks(span, layout, bits, chunk)?,
                };
                to.push(self.join_pieces(ty, chunk, &pieces, layout.lanes / chunk)?);
            }
            Passing::Halves => {
                for index in 0..layout.lanes {
                    let lane = self.lane(source, index)?;
                    let lane = self.typed(lane, layout.element);
                    to.push(self.unary(Opcode::Trunc, Type::I64, lane));
                    let distance = self.new.int_operand(layout.element, 64);
                    let upper = self.binary(Opcode::Lshr, layout.element, lane, distance);
                    to.push(self.unary(Opcode::Trunc, Type::I64, upper));
                }
            }
            Passing::Singles => {
                for index in 0..layout.lanes {
                    to.push(self.take(source, index, 1)?);
                }
            }
            Passing::Lanes => {
                for index in 0..layout.lanes {
                    to.push(self.lane(source, index)?);
                }
            }
        }
        Ok(())
    }

    /// Integers as vectors of `chunk` wider ones.
    fn promoted_lanes(
        &mut self,
        span: Span,
        layout: Layout,
        ty: Type,
        chunk: u32,
    ) -> Result<Vec<Operand>, CodegenError> {
        let mut lanes = Vec::new();
        for part in 0..layout.count() {
            let lane = self.part(span, part);
            let lane = self.typed(lane, layout.element);
            lanes.push(self.unary(Opcode::Zext, ty, lane));
        }
        lanes
            .chunks(chunk as usize)
            .map(|lanes| self.collect(ty, lanes))
            .collect()
    }

    /// A mask as vectors of `chunk` integers.
    fn promoted_masks(
        &mut self,
        span: Span,
        layout: Layout,
        bits: u32,
        chunk: u32,
    ) -> Result<Vec<Operand>, CodegenError> {
        let whole = Layout { chunk, ..layout };
        let masks = self.build(whole, span, layout.chunk)?;
        (0..whole.count())
            .map(|part| {
                let mask = self.part(masks, part);
                self.mask_to_ints(mask, chunk, bits)
            })
            .collect()
    }

    /// The value for which something was passed.
    pub fn received(&mut self, layout: Layout, passing: Passing, passed: Span) -> Result<Span, CodegenError> {
        match passing {
            Passing::Parts => Ok(passed),
            Passing::ByValue(_) => {
                let address = self.part(passed, 0);
                self.load_from(layout, address, MemFlags::aligned(BY_VALUE_ALIGN_LOG2.into()).0)
            }
            Passing::Wide(lanes) => {
                let mut parts = Vec::new();
                for register in 0..passed.len {
                    let vector = self.part(passed, register);
                    let left = (layout.lanes - register * lanes).min(lanes).div_ceil(layout.chunk);
                    self.split_pieces(vector, (layout.element, lanes), (layout.chunk, left), &mut parts)?;
                }
                // The last one may have fewer lanes.
                let own = layout.lanes_of(layout.count() - 1);
                if let Some(last) = parts.pop_if(|_| own < layout.chunk) {
                    let ty = self.vector(layout.element, layout.chunk)?;
                    let other = self.plain(ConstKind::Poison, ty);
                    let indices: Vec<Option<u32>> = (0..own).map(Some).collect();
                    parts.push(self.shuffle(layout.element, last, other, &indices)?);
                }
                Ok(self.span(&parts))
            }
            Passing::Lanes => self.build(layout, passed, 0),
            Passing::Singles => self.build(layout, passed, 1),
            Passing::Halves => {
                let mut lanes = Vec::new();
                for index in 0..layout.lanes {
                    let halves = [0, 1].map(|half| self.part(passed, 2 * index + half));
                    let [lower, upper] = halves.map(|half| self.unary(Opcode::Zext, layout.element, half));
                    let distance = self.new.int_operand(layout.element, 64);
                    let upper = self.binary(Opcode::Shl, layout.element, upper, distance);
                    lanes.push(self.binary(Opcode::Or, layout.element, lower, upper));
                }
                let lanes = self.span(&lanes);
                self.build(layout, lanes, 0)
            }
            Passing::Widened(lanes) => {
                let wide = Layout {
                    lanes,
                    chunk: lanes,
                    ..layout
                };
                let source = Source {
                    span: passed,
                    layout: wide,
                };
                let taken = self.take(source, 0, layout.lanes)?;
                Ok(self.span(&[taken]))
            }
            Passing::Extended(_) => {
                let ty = self.vector(layout.element, layout.lanes)?;
                let vector = self.part(passed, 0);
                let narrow = self.unary(Opcode::Trunc, ty, vector);
                Ok(self.span(&[narrow]))
            }
            Passing::Promoted(bits) => {
                let element = self.integer(bits)?;
                let chunk = self.piece_lanes(bits, layout.lanes);
                let vector = self.part(passed, 0);
                let mut pieces = Vec::new();
                let whole = (element, layout.lanes);
                self.split_pieces(vector, whole, (chunk, layout.lanes / chunk), &mut pieces)?;
                match layout.is_scalarised() {
                    true => self.received_lanes(layout, &pieces, element, chunk),
                    false => self.received_masks(layout, &pieces, bits, chunk),
                }
            }
        }
    }

    /// The integers for which vectors of `chunk` wider ones were passed.
    fn received_lanes(
        &mut self,
        layout: Layout,
        pieces: &[Operand],
        element: Type,
        chunk: u32,
    ) -> Result<Span, CodegenError> {
        let wide = Layout {
            element,
            chunk,
            ..layout
        };
        let source = Source {
            span: self.span(pieces),
            layout: wide,
        };
        let mut lanes = Vec::new();
        for index in 0..layout.lanes {
            let lane = self.lane(source, index)?;
            lanes.push(self.unary(Opcode::Trunc, layout.element, lane));
        }
        Ok(self.span(&lanes))
    }

    /// The mask for which vectors of `chunk` integers were passed.
    fn received_masks(
        &mut self,
        layout: Layout,
        pieces: &[Operand],
        bits: u32,
        chunk: u32,
    ) -> Result<Span, CodegenError> {
        let masks = pieces.iter().map(|&ints| self.ints_to_mask(ints, chunk, bits));
        let masks: Vec<Operand> = masks.collect::<Result<_, _>>()?;
        let whole = self.span(&masks);
        self.build(layout, whole, chunk)
    }
}
