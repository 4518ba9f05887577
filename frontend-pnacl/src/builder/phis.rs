//! Phis: their operands are put into the order of the block's predecessors.
//!
//! While a body is read, the predecessors of a block are not known yet. So a phi is appended without operands and its
//! incoming pairs (value, block) are kept. When the body is complete and the control flow graph has been computed,
//! each pair goes to the column of its predecessor. If a terminator names a block twice, the IR has one edge for it:
//! the file has as many pairs for this predecessor, and they must agree.

use super::state::PendingPhi;
use super::values::Builder;
use super::word::Word;
use crate::error::ReadError;
use frazil_ir::builder::Filled;
use frazil_ir::{Block, EntityRef, Inst, InstData, Opcode, Operand, Type};
use frazil_support::sort::sort;

impl Builder<'_, '_> {
    /// Creates a phi of one scalar, to be appended. Its incoming pairs are the last `count` ones of `state.incoming`.
    pub fn push_phi(&mut self, ir_type: Type, flags: u16, count: usize) -> InstData {
        let data = self.function.open_phi(ir_type, flags, count);
        self.state.phis.push(PendingPhi {
            inst: self.function.insts().len() as u32,
            block: self.function.blocks().len() as u32 - 1,
            first: (self.state.incoming.len() - count) as u32,
            count: count as u32,
        });
        data
    }

    /// Whether all instructions of the current block so far are phis.
    pub fn at_phis(&self) -> bool {
        match self.function.blocks().last() {
            Some(block) => (self.function.insts().get(block.start as usize..))
                .and_then(|insts| insts.last())
                .is_none_or(|inst| inst.op == Opcode::Phi),
            None => true,
        }
    }

    /// Defines the next value as a phi; `pairs` are its incoming values and their blocks.
    ///
    /// # Errors
    /// If a value does not have the phi's type.
    pub fn define_phi(&mut self, ty: u32, flags: u16, pairs: &[(Word, u32)]) -> Result<(), ReadError> {
        for &(word, _) in pairs {
            self.expect_type(word, ty)?;
        }
        match self.class(ty)? {
            super::class::Class::Scalar(ir_type) => {
                self.state
                    .incoming
                    .extend(pairs.iter().map(|&(word, block)| (word.operand(), block)));
                let data = self.push_phi(ir_type, flags, pairs.len());
                self.define(data, ir_type, ty)
            }
            _ => self.define_aggregate_phi(ty, pairs),
        }
    }

    fn define_aggregate_phi(&mut self, ty: u32, pairs: &[(Word, u32)]) -> Result<(), ReadError> {
        let leaves = self.leaves(ty)?;
        self.check_room(leaves.len().saturating_mul(pairs.len() + 1))?;
        let known = self.raw_word(self.next);
        let declared = known.state() == super::word::State::ForwardAggregate && known.ty() == ty;
        let first = self.state.parts.len() as u32;
        for (index, place) in leaves.enumerate() {
            for &(word, block) in pairs {
                let part = self.part(word, index as u32);
                self.state.incoming.push((part, block));
            }
            let ir_type = self.leaf(place).ir_type;
            let data = self.push_phi(ir_type, 0, pairs.len());
            // All phis must precede other instructions, so a part that was declared is defined by the phi itself, not
            // by a copy.
            let value = match self.part(known, index as u32).as_value() {
                Some(value) if declared => {
                    self.function.push_inst_into(data, value, 1);
                    value
                }
                _ => self.function.push_inst_result(data, ir_type),
            };
            self.state.parts.push(Operand::value(value));
        }
        let word = Word::aggregate(first, ty);
        if declared {
            self.define_in_place(word);
            return Ok(());
        }
        self.define_as(word)
    }

    /// Puts the operands of all phis into the columns of their predecessors, once the control flow graph is known.
    ///
    /// # Errors
    /// If a phi does not have exactly one value for each incoming edge.
    pub fn finish_phis(&mut self) -> Result<(), ReadError> {
        let phis = std::mem::take(&mut self.state.phis);
        let mut current = None;
        for phi in &phis {
            if current != Some(phi.block) {
                current = Some(phi.block);
                self.state.columns.reset(self.function.blocks().len());
                let predecessors = self.function.predecessors(Block::new(phi.block as usize));
                for (column, block) in predecessors.iter().enumerate() {
                    self.state.columns.set(block.index(), column as u32);
                }
            }
            self.finish_phi(phi)?;
        }
        self.state.phis = phis;
        Ok(())
    }

    fn finish_phi(&mut self, phi: &PendingPhi) -> Result<(), ReadError> {
        let columns = self.function.predecessors(Block::new(phi.block as usize)).len();
        let place = phi.first as usize..(phi.first + phi.count) as usize;
        // If the block has more predecessors than the phi has values, some predecessor has none.
        let room = columns.min(phi.count as usize);
        let mut operands = self.function.phi_columns(Inst::new(phi.inst as usize), room);
        let mut filled = 0;
        for &(operand, block) in self.state.incoming.get(place).unwrap_or_default() {
            let column = self.state.columns.get(block as usize);
            match column.map_or(Filled::Not, |column| operands.fill(column as usize, operand)) {
                Filled::First => filled += 1,
                Filled::Again => {}
                Filled::Not => return Err(self.wrong_phi(phi, block)),
            }
        }
        if filled != columns {
            return Err(self.malformed(format!(
                "a phi in block {} has values for {filled} of {columns} predecessors",
                phi.block
            )));
        }
        self.expect_each_edge(phi, columns)
    }

    /// Refuses a phi that has fewer or more values for a predecessor than that has edges to the phi's block. It is
    /// already known to have at least one value for each predecessor.
    fn expect_each_edge(&self, phi: &PendingPhi, columns: usize) -> Result<(), ReadError> {
        let repeated = self.function.cfg().repeated_edges();
        if repeated.is_empty() && phi.count as usize == columns {
            return Ok(());
        }
        let place = phi.first as usize..(phi.first + phi.count) as usize;
        let incoming = self.state.incoming.get(place).unwrap_or_default();
        let mut values: Vec<u32> = incoming.iter().map(|&(_, block)| block).collect();
        let predecessors = self.function.predecessors(Block::new(phi.block as usize));
        let mut edges: Vec<u32> = predecessors.iter().map(|block| block.as_u32()).collect();
        edges.extend(
            repeated
                .iter()
                .filter(|edge| edge.1.as_u32() == phi.block)
                .map(|edge| edge.0.as_u32()),
        );
        sort(&mut values);
        sort(&mut edges);
        if values == edges {
            return Ok(());
        }
        Err(self.malformed(format!(
            "a phi in block {} with {} values for {} edges",
            phi.block,
            values.len(),
            edges.len()
        )))
    }

    #[cold]
    fn wrong_phi(&self, phi: &PendingPhi, block: u32) -> ReadError {
        let what = if self.state.columns.get(block as usize).is_some() {
            "which are not the same"
        } else {
            "which is no predecessor"
        };
        self.malformed(format!(
            "a phi in block {} has a value or two for block {block}, {what}",
            phi.block
        ))
    }
}
