//! Phi columns after a change of the graph: each operand goes where its edge went.
//!
//! A block's columns stand in the order of its predecessors, so they are permuted when blocks are renumbered, shrink
//! when edges vanish, and grow by copies of the columns that the edits named.

use super::graph::EdgeOperand;
use super::{Editor, NONE};
use crate::entities::Block;
use crate::function::{Function, InstData};
use crate::opcode::Opcode;
use crate::operand::Operand;
use frazil_support::EntityRef;
use frazil_support::sort::sort_by_key;

impl Editor {
    /// Rearranges the operands of all phis for the new graph, and keeps the counts of their uses.
    pub(super) fn move_columns(&mut self, f: &mut Function) {
        let mut copies = std::mem::take(&mut self.edge_copies);
        let mut operands = std::mem::take(&mut self.edge_operands);
        sort_by_key(&mut copies, |copy| copy.to);
        sort_by_key(&mut operands, |row| row.to);
        // They were counted when they were queued, and not all are put in their place.
        for row in &operands {
            self.uncount(f, row.operand);
        }
        let mut sources = std::mem::take(&mut self.stack);
        for number in 0..f.blocks.len() {
            let block = Block::new(number);
            if f.inst(crate::Inst::new(f.blocks[number].start as usize)).op != Opcode::Phi {
                continue;
            }
            let head = self.order[number];
            self.map_old_columns(head);
            let first = copies.partition_point(|copy| copy.to < head);
            for copy in copies[first..].iter().take_while(|copy| copy.to == head) {
                if let Some(column) = self.columns.get(copy.like as usize) {
                    self.columns.set(copy.from as usize, column);
                }
            }
            sources.clear();
            for &from in f.predecessors(block) {
                let tail = self.tail_of(self.order[from.index()]);
                sources.push(self.columns.get(tail as usize).unwrap_or(NONE));
            }
            let moved = self.move_block_columns(f, block, &sources);
            let first = operands.partition_point(|row| row.to < head);
            let count = operands[first..].partition_point(|row| row.to == head);
            self.set_columns(f, block, &operands[first..first + count]);
            if moved {
                check_phis(f, block);
            }
        }
        (self.stack, self.edge_copies, self.edge_operands) = (sources, copies, operands);
    }

    /// Maps the predecessors that a block had to its columns.
    fn map_old_columns(&mut self, head: u32) {
        self.columns.reset(self.blocks.len());
        let predecessors = match (head as usize).checked_sub(self.old_blocks) {
            Some(new) => {
                let (start, end) = self.new_blocks[new].predecessors;
                &self.new_predecessors[start as usize..end as usize]
            }
            None => self.old_cfg.predecessors(Block::new(head as usize)),
        };
        for (column, from) in predecessors.iter().enumerate() {
            self.columns.set(from.index(), column as u32);
        }
    }

    /// Makes operand `k` of each phi of a block the one that stood in column `sources[k]`. Returns whether any moved.
    fn move_block_columns(&mut self, f: &mut Function, block: Block, sources: &[u32]) -> bool {
        let in_order = sources
            .iter()
            .enumerate()
            .all(|(column, &source)| column as u32 == source);
        let mut moved = false;
        for position in f.block_insts(block) {
            let data = f.insts[position];
            if data.op != Opcode::Phi {
                break;
            }
            if in_order && data.a.as_raw() as usize == sources.len() {
                continue;
            }
            moved = true;
            self.operands.clear();
            let list = f.list(&data);
            let columns = sources
                .iter()
                .map(|&source| list.get(source as usize).copied().unwrap_or(Operand::NONE));
            self.operands.extend(columns);
            for column in data.b.as_raw()..data.b.as_raw() + data.a.as_raw() {
                self.uncount(f, f.pool[column as usize]);
            }
            for column in 0..self.operands.len() {
                f.count_use(self.operands[column]);
            }
            let data = &mut f.insts[position];
            if sources.len() <= data.a.as_raw() as usize {
                let start = data.b.as_raw() as usize;
                f.pool[start..start + sources.len()].copy_from_slice(&self.operands);
            } else {
                data.b = Operand::raw(f.pool.len() as u32);
                f.pool.extend_from_slice(&self.operands);
            }
            data.a = Operand::raw(sources.len() as u32);
        }
        moved
    }

    /// Sets the operands that were given for single edges.
    fn set_columns(&mut self, f: &mut Function, block: Block, rows: &[EdgeOperand]) {
        if rows.is_empty() {
            return;
        }
        self.columns.reset(self.blocks.len());
        for (column, from) in f.predecessors(block).iter().enumerate() {
            let tail = self.tail_of(self.order[from.index()]);
            self.columns.set(tail as usize, column as u32);
        }
        for row in rows {
            let phi: Option<InstData> = f.def_inst(row.phi).and_then(|inst| f.insts.get(inst.index()).copied());
            let phi = phi.filter(|data| data.op == Opcode::Phi && data.first_result() == Some(row.phi));
            if let (Some(data), Some(column)) = (phi, self.columns.get(row.from as usize)) {
                let operand = self.resolve(row.operand);
                let index = data.b.as_raw() as usize + column as usize;
                let old = std::mem::replace(&mut f.pool[index], operand);
                self.uncount(f, old);
                f.count_use(operand);
            }
        }
    }
}

/// Checks that the phis of a block have all their operands.
fn check_phis(f: &Function, block: Block) {
    let phis = f.insts[f.block_insts(block)].iter();
    for data in phis.take_while(|data| data.op == Opcode::Phi) {
        assert!(
            f.list(data).iter().all(|operand| !operand.is_none()),
            "each new edge into a block with phis says what they take"
        );
    }
}
