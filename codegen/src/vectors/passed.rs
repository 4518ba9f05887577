//! Values as they are passed in calls and returns, by the [plan](super::signatures) of a signature: what of them is put
//! into registers, and what is made of that on the other side.
//!
//! Registers for parameters may be wider than those that are computed with. Then a value's vectors are joined by a
//! shuffle before the call or return, and its vectors are taken out of the wide one by shuffles after it; targets have
//! these two shuffles for every type that [`crate::Parts::is_only_passed`], and no other operation on it.

use super::layout::Layout;
use super::rebuild::{Rebuild, Source, Span};
use super::signatures::Passing;
use crate::error::CodegenError;
use frazil_ir::{ConstKind, Opcode, Operand, Type};

impl Rebuild<'_> {
    /// Lanes of a vector of integers of this many bits that a register is computed with, of so many.
    fn piece_lanes(&self, bits: u32, lanes: u32) -> u32 {
        (u32::from(self.layouts.register_bytes()) * 8 / bits).min(lanes)
    }

    /// A vector put together from pieces of equally many lanes.
    fn join_pieces(&mut self, element: Type, lanes: u32, pieces: &[Operand]) -> Result<Operand, CodegenError> {
        let &[first, second] = pieces else {
            return Ok(pieces[0]);
        };
        self.new.pass_wide_vectors();
        let indices: Vec<Option<u32>> = (0..2 * lanes).map(Some).collect();
        self.shuffle(element, first, second, &indices)
    }

    /// Lanes of a wide vector from a piece's first one on.
    fn piece(
        &mut self,
        vector: Operand,
        (element, all): (Type, u32),
        first: u32,
        lanes: u32,
    ) -> Result<Operand, CodegenError> {
        if lanes == all {
            return Ok(vector);
        }
        self.new.pass_wide_vectors();
        let ty = self.vector(element, all)?;
        let other = self.plain(ConstKind::Poison, ty);
        let indices: Vec<Option<u32>> = (first..first + lanes).map(Some).collect();
        self.shuffle(element, vector, other, &indices)
    }

    /// What is passed for a value.
    pub fn passed(&mut self, source: Source, passing: Passing, to: &mut Vec<Operand>) -> Result<(), CodegenError> {
        let Source { span, layout } = source;
        match passing {
            Passing::Parts => to.extend_from_slice(self.operands(span)),
            Passing::Wide(lanes) => {
                for first in (0..layout.count()).step_by((lanes / layout.chunk) as usize) {
                    let mut pieces = Vec::new();
                    for part in first..(first + lanes / layout.chunk).min(layout.count()) {
                        let piece = self.part(span, part);
                        pieces.push(self.widen(piece, layout.element, layout.lanes_of(part), layout.chunk)?);
                    }
                    to.push(self.join_pieces(layout.element, layout.chunk, &pieces)?);
                }
            }
            Passing::Widened(lanes) => {
                let vector = self.part(span, 0);
                to.push(self.widen(vector, layout.element, layout.lanes, lanes)?);
            }
            Passing::Promoted(bits) => {
                let ty = self.integer(bits)?;
                let chunk = self.piece_lanes(bits, layout.lanes);
                let pieces = match layout.is_scalarised() {
                    true => self.promoted_lanes(span, layout, ty, chunk)?,
                    false => self.promoted_masks(span, layout, bits, chunk)?,
                };
                to.push(self.join_pieces(ty, chunk, &pieces)?);
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
            Passing::Wide(lanes) => {
                let mut parts = Vec::new();
                for part in 0..layout.count() {
                    let first = part * layout.chunk;
                    let vector = self.part(passed, first / lanes);
                    let whole = (layout.element, lanes);
                    parts.push(self.piece(vector, whole, first % lanes, layout.lanes_of(part))?);
                }
                Ok(self.span(&parts))
            }
            Passing::Lanes => self.build(layout, passed, 0),
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
            Passing::Promoted(bits) => {
                let element = self.integer(bits)?;
                let chunk = self.piece_lanes(bits, layout.lanes);
                let vector = self.part(passed, 0);
                let mut pieces = Vec::new();
                for first in (0..layout.lanes).step_by(chunk as usize) {
                    pieces.push(self.piece(vector, (element, layout.lanes), first, chunk)?);
                }
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
