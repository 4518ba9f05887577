//! Blocks that the file does not have: an operation that needs a loop, such as a division of wide integers, splits its
//! block.
//!
//! While a function is read, terminators and phis name blocks by their numbers in the file. Once a block is split,
//! these differ from the numbers in the IR. From then on, the first and last IR block of each block of the file are
//! recorded, and all numbers are rewritten when the body is complete. In between, a number that is not below the
//! number of the file's blocks stands for a block of the IR.
//!
//! If addresses of blocks are taken, initializers and other functions refer to blocks by their numbers in the file.
//! Then the file's blocks keep their numbers, and additional blocks follow them.

use super::splits::Splits;
use super::values::Builder;
use crate::error::ReadError;
use frazil_ir::{Block, EntityRef, InstData, Operand, SymbolKind, Type, Value};

/// The inverse of a permutation.
fn inverse(order: &[u32]) -> Vec<u32> {
    let mut places = vec![0; order.len()];
    for (place, &number) in (0..).zip(order) {
        if let Some(slot) = places.get_mut(number as usize) {
            *slot = place;
        }
    }
    places
}

impl Builder<'_, '_> {
    /// The number of the current block in the IR.
    pub fn current_block(&self) -> u32 {
        self.function.blocks().len() as u32 - 1
    }

    /// The number that stands for a block of the IR until the body is complete: beyond those of the file's blocks.
    fn as_number(&self, block: u32) -> Block {
        Block::new((self.block_count + block) as usize)
    }

    /// Ends the current block, in the middle of a block of the file, with a jump to a new block, and returns that
    /// block's number.
    ///
    /// # Errors
    /// If the function is too large.
    pub fn continue_in_new_block(&mut self) -> Result<u32, ReadError> {
        self.check_room(8)?;
        let next = self.current_block() + 1;
        self.function.push_inst(InstData::jump(self.as_number(next)));
        self.open_more();
        Ok(next)
    }

    fn open_more(&mut self) {
        let block = self.function.begin_block();
        self.state.splits.go_on(block);
    }

    /// Ends the current block with a branch to one of the next two blocks: to the next one, which is begun, if the
    /// flag is not set, else to the one after it.
    pub fn branch_to_new_blocks(&mut self, flag: Operand) {
        let next = self.current_block() + 1;
        let data = InstData::branch(flag, self.as_number(next + 1), self.as_number(next));
        self.function.push_inst(data);
        self.open_more();
    }

    /// Ends the current block with a jump to an earlier one, and begins a new block.
    pub fn jump_back_and_open(&mut self, block: u32) {
        self.function.push_inst(InstData::jump(self.as_number(block)));
        self.open_more();
    }

    /// Ends the current block with a branch that leaves a loop if the flag is set: to a new block, which is begun,
    /// else to an earlier block.
    pub fn branch_back_or_open(&mut self, flag: Operand, block: u32) {
        let next = self.current_block() + 1;
        let data = InstData::branch(flag, self.as_number(next), self.as_number(block));
        self.function.push_inst(data);
        self.open_more();
    }

    /// A phi of a loop, and the value that it gets from the latch, which the caller must define.
    pub fn loop_value(&mut self, first: Operand, before: u32, again: u32) -> (Operand, Value) {
        let next = self.function.declare_value(Type::I64);
        (self.loop_phi(Type::I64, (first, before), (next, again)), next)
    }

    /// A phi of a loop: `first` is its operand from the preheader, `next` the one from the latch, each with its block.
    pub fn loop_phi(&mut self, ir_type: Type, first: (Operand, u32), next: (Value, u32)) -> Operand {
        let [before, again] = [first.1, next.1].map(|block| self.as_number(block).as_u32());
        self.state.incoming.push((first.0, before));
        self.state.incoming.push((Operand::value(next.0), again));
        let data = self.push_phi(ir_type, 0, 2);
        Operand::value(self.function.push_inst_result(data, ir_type))
    }

    /// Whether initializers contain addresses of the function's blocks.
    fn is_named_by_data(&self) -> bool {
        let module = &self.module.module;
        let data = self.function.symbol().and_then(|symbol| module.symbols.get(symbol));
        match data.map(|data| data.kind) {
            Some(SymbolKind::Function(id)) => module.functions.get(id).is_some_and(|head| head.has_block_addresses),
            _ => false,
        }
    }

    /// Replaces the numbers of blocks in terminators and phis by those of the IR, once the body is complete.
    pub fn finish_splits(&mut self) {
        if self.state.splits.more == 0 {
            return;
        }
        let splits = std::mem::take(&mut self.state.splits);
        let order = if self.function.has_block_addresses() || self.is_named_by_data() {
            splits.order_by_file(self.function.blocks().len())
        } else {
            (0..self.function.blocks().len() as u32).collect()
        };
        let renumbered = inverse(&order);
        let renumber = |block: u32| renumbered.get(block as usize).copied().unwrap_or(block);
        let count = self.block_count;
        for index in 0..self.function.blocks().len() {
            let terminator = self.function.terminator(Block::new(index));
            let new = |number| renumber(splits.resolve(number, count, false));
            self.function.renumber_targets(terminator, new);
        }
        for (_, block) in &mut self.state.incoming {
            *block = renumber(splits.resolve(*block, count, true));
        }
        for block in &mut self.state.unwind_targets {
            *block = renumber(splits.resolve(*block, count, false));
        }
        if !order.is_sorted() {
            for block in &mut self.state.pads {
                *block = renumber(*block);
            }
            let moved = self.function.reorder_blocks(&order);
            for phi in &mut self.state.phis {
                phi.block = renumber(phi.block);
                phi.inst = moved.get(phi.inst as usize).copied().unwrap_or(phi.inst);
            }
        }
        self.state.splits = Splits {
            numbered_by_file: !order.is_sorted(),
            ..splits
        };
    }
}
