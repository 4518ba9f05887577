//! Truncations done in narrow lanes: what [`Narrow`] has found, made for each part of their type.

use super::layout::Layout;
use super::narrow::{Narrow, Node, numbers};
use super::rebuild::{Rebuild, Source, Span};
use crate::error::CodegenError;
use frazil_ir::{InstData, Opcode, Operand};

impl Rebuild<'_> {
    /// Does a truncation in narrow lanes.
    pub fn narrow(&mut self, data: &InstData, narrow: &Narrow) -> Result<(), CodegenError> {
        let mut done = Vec::new();
        let span = self.narrowed(narrow, data.a, &mut done)?;
        self.define(data.first_result().expect("a truncation has a result"), span)
    }

    /// An operand in narrow lanes; `done` has what has been made before.
    fn narrowed(
        &mut self,
        narrow: &Narrow,
        operand: Operand,
        done: &mut Vec<(Operand, Span)>,
    ) -> Result<Span, CodegenError> {
        if let Some(known) = done.iter().find(|known| known.0 == operand) {
            return Ok(known.1);
        }
        let layout = self.layouts.get(narrow.ty);
        let node = operand.as_value().and_then(|value| self.old.def_inst(value));
        let node = node.and_then(|inst| narrow.nodes.iter().find(|node| node.0 == inst).copied());
        let Some((inst, _, node)) = node else {
            return self.narrow_constant(narrow, operand, layout);
        };
        let data = *self.old.inst(inst);
        let span = match node {
            Node::Extended(operand) => self.source(operand)?.span,
            Node::Form(op, pair) => {
                let pair = [self.narrow_leaf(narrow, pair[0])?, self.narrow_leaf(narrow, pair[1])?];
                self.each_part(layout, op, pair)?
            }
            Node::Same if data.op == Opcode::Select => {
                let (if_true, if_false) = self.old.ternary(&data);
                let if_true = self.narrowed(narrow, if_true, done)?;
                let if_false = self.narrowed(narrow, if_false, done)?;
                let arms = [if_true, if_false].map(|span| Source { span, layout });
                self.choose(&data, layout, arms)?
            }
            Node::Same => {
                let pair = [
                    self.narrowed(narrow, data.a, done)?,
                    self.narrowed(narrow, data.b, done)?,
                ];
                self.each_part(layout, data.op, pair)?
            }
        };
        done.push((operand, span));
        Ok(span)
    }

    /// An operand of a form.
    fn narrow_leaf(&mut self, narrow: &Narrow, operand: Operand) -> Result<Span, CodegenError> {
        match self.old.operand_type(operand) == Some(narrow.ty) {
            true => Ok(self.source(operand)?.span),
            false => self.narrow_constant(narrow, operand, self.layouts.get(narrow.ty)),
        }
    }

    /// A constant of wide lanes, truncated.
    fn narrow_constant(&mut self, narrow: &Narrow, operand: Operand, layout: Layout) -> Result<Span, CodegenError> {
        let numbers = numbers(self.old, operand).expect("it was asked before");
        let mut parts = Vec::new();
        for part in 0..layout.count() {
            let ty = self.part_type(layout, part)?;
            let first = (part * layout.chunk) as usize;
            let lanes = &numbers[first..first + layout.lanes_of(part) as usize];
            let lanes: Vec<Operand> = (lanes.iter())
                .map(|number| number << (64 - narrow.bits) >> (64 - narrow.bits))
                .map(|number| self.new.int_operand(layout.element, i128::from(number)))
                .collect();
            parts.push(Operand::constant(self.new.push_vector_const(ty, &lanes)));
        }
        Ok(self.span(&parts))
    }

    fn each_part(&mut self, layout: Layout, op: Opcode, [a, b]: [Span; 2]) -> Result<Span, CodegenError> {
        let mut made = Vec::new();
        for part in 0..layout.count() {
            let ty = self.part_type(layout, part)?;
            let (a, b) = (self.part(a, part), self.part(b, part));
            made.push(self.binary(op, ty, a, b));
        }
        Ok(self.span(&made))
    }
}
