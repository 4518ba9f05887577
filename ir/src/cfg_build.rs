//! Fills the control-flow graph of a function from its terminators, in two walks over the edges.

use crate::cfg::{Cfg, Edge};
use crate::entities::Block;
use crate::function::{Function, InstData};
use crate::opcode::Opcode;
use frazil_support::EntityRef;

impl Cfg {
    /// Fills the graph from the terminators of `function`. Blocks without instructions have no successors.
    pub fn compute(&mut self, function: &Function) {
        self.clear();
        let count = function.blocks.len();
        self.predecessor_start.resize(count + 2, 0);
        self.successor_start.reserve(count + 1);
        self.successors.reserve(2 * count);
        for block in function.block_ids() {
            self.successor_start.push(self.successors.len() as u32);
            if function.block_insts(block).is_empty() {
                continue;
            }
            self.add_successors(function, block);
        }
        self.successor_start.push(self.successors.len() as u32);
        for index in 1..self.predecessor_start.len() {
            self.predecessor_start[index] += self.predecessor_start[index - 1];
        }
        self.fill_predecessors(count);
    }

    fn add_successors(&mut self, function: &Function, block: Block) {
        let data = function.inst(function.terminator(block));
        match data.op {
            Opcode::Jump => self.add(data.target()),
            Opcode::Branch => {
                self.add(data.target());
                if data.else_target() != data.target() {
                    self.add(data.else_target());
                } else {
                    self.repeated.push((block, data.target()));
                }
            }
            _ => self.add_each_once(function, block, data),
        }
    }

    fn add(&mut self, target: Block) {
        self.successors.push(Edge { target, column: 0 });
        self.predecessor_start[target.index() + 2] += 1;
    }

    fn add_each_once(&mut self, function: &Function, block: Block, data: &InstData) {
        self.indirect_jumps += u32::from(data.op == Opcode::IndirectJump);
        self.seen.reset(function.blocks.len());
        function.for_each_target(data, |target| {
            if self.seen.get(target.index()).is_none() {
                self.seen.set(target.index(), ());
                self.add(target);
            } else {
                self.repeated.push((block, target));
            }
        });
    }

    /// Distributes the edges; `predecessor_start[b + 1]` serves as the fill position of block `b` meanwhile.
    fn fill_predecessors(&mut self, count: usize) {
        self.predecessors.resize(self.successors.len(), Block::new(0));
        for block in 0..count {
            let range = self.successor_start[block] as usize..self.successor_start[block + 1] as usize;
            for edge in &mut self.successors[range] {
                let position = &mut self.predecessor_start[edge.target.index() + 1];
                self.predecessors[*position as usize] = Block::new(block);
                edge.column = *position;
                *position += 1;
            }
        }
        self.predecessor_start.truncate(count + 1);
        for edge in &mut self.successors {
            edge.column -= self.predecessor_start[edge.target.index()];
        }
    }
}
