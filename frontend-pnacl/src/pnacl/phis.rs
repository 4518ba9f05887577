//! Phis: their pairs of values and blocks wait until the control flow graph is known, and go to the columns of the
//! predecessors then.

use super::context::{Body, Entry, PendingPhi};
use crate::bitstream::cursor::decode_signed;
use crate::error::ReadError;
use frazil_ir::builder::Filled;
use frazil_ir::{EntityRef, Inst, Opcode, Operand};

impl Body<'_, '_> {
    /// Defines the next value as a phi of pairs of values and blocks.
    pub fn define_phi(&mut self, ty: u32, pairs: &[u64]) -> Result<(), ReadError> {
        let current = self.function.blocks().last();
        let before = current.and_then(|block| self.function.insts().get(block.start as usize..));
        let is_first = before.is_some_and(|insts| insts.last().is_none_or(|inst| inst.op == Opcode::Phi));
        if !is_first || self.current_block() == 0 {
            return Err(self.wrong("a phi in the entry block, or after other instructions"));
        }
        let first = self.state.incoming.len();
        for pair in pairs.chunks_exact(2) {
            let &[relative, block] = pair else { continue };
            let distance = decode_signed(relative);
            let number = i64::from(self.next).wrapping_sub(distance);
            let number = u32::try_from(number).map_err(|_| self.wrong("a phi of a value that there cannot be"))?;
            if block >= u64::from(self.blocks) {
                return Err(self.wrong(format!("block {block} of {}", self.blocks)));
            }
            let operand = self.phi_operand(number, ty, block as u32)?;
            self.state.incoming.push((operand, block as u32));
        }
        let ir_type = self.module.types.ir_type(ty, self.function);
        let count = pairs.len() / 2;
        let data = self.function.open_phi(ir_type, 0, count);
        self.state.phis.push(PendingPhi {
            inst: Inst::new(self.function.insts().len()),
            block: self.function.blocks().len() as u32 - 1,
            place: self.place,
            first,
            count,
        });
        self.define(data, ty)
    }

    fn phi_operand(&mut self, number: u32, ty: u32, from: u32) -> Result<Operand, ReadError> {
        let entry = match number.checked_sub(self.base) {
            None => {
                let own = self.address_type(number)?;
                let hoisted = self.state.hoisted.iter().find(|(hoisted, _)| *hoisted == number);
                let operand = hoisted.map_or(Operand::ZERO, |&(_, operand)| operand);
                if hoisted.is_none() && !self.state.wanted.contains(&number) {
                    self.state.wanted.push(number);
                }
                Entry {
                    ty: own,
                    operand,
                    ..Entry::NONE
                }
            }
            Some(place) => {
                let entry = self.state.entries.get(place as usize).copied().unwrap_or(Entry::NONE);
                if entry.operand.is_none() {
                    let message = format!("value {number}, which is not defined, and whose type is not declared");
                    return Err(self.wrong(message));
                }
                self.state.uses.note_phi(number, from, self.place);
                entry
            }
        };
        match self.module.types.is_same(entry.ty, ty) {
            true => Ok(entry.operand),
            false => {
                let (own, expected) = (self.module.types.name(entry.ty), self.module.types.name(ty));
                Err(self.wrong(format!("value {number} of type {own} for a phi of {expected}")))
            }
        }
    }

    /// Puts the operands of phis into the columns of their predecessors.
    pub(super) fn finish_phis(&mut self) -> Result<(), ReadError> {
        let mut current = None;
        for phi in &self.state.phis {
            let predecessors = self.function.predecessors(frazil_ir::Block::new(phi.block as usize));
            let count = predecessors.len();
            if current != Some(phi.block) {
                current = Some(phi.block);
                self.state.columns.clear();
                self.state.columns.resize(self.function.blocks().len(), u32::MAX);
                for (column, block) in (0..).zip(predecessors) {
                    if let Some(slot) = self.state.columns.get_mut(block.index()) {
                        *slot = column;
                    }
                }
            }
            let wrong = |what: &str| {
                let message = format!("a phi in block {} {what}", phi.block);
                Err(ReadError::malformed(phi.place, message))
            };
            let mut columns = self.function.phi_columns(phi.inst, count.min(phi.count));
            let mut filled = 0;
            let pairs = self
                .state
                .incoming
                .get(phi.first..phi.first + phi.count)
                .unwrap_or_default();
            for &(operand, block) in pairs {
                let column = self.state.columns.get(block as usize).copied().unwrap_or(u32::MAX);
                match columns.fill(column as usize, operand) {
                    Filled::First => filled += 1,
                    Filled::Again => {}
                    Filled::Not => return wrong("has a value for a block that is no predecessor, or two for one"),
                }
            }
            if filled != count {
                return wrong("lacks a value for a predecessor");
            }
        }
        Ok(())
    }
}
