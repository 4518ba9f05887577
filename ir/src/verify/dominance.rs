//! Every use is dominated by its definition.

use super::Verifier;
use crate::domtree::DomTree;
use crate::entities::{Block, Inst, Value};
use crate::function::ValueKind;
use crate::opcode::{Format, Opcode};
use frazil_support::EntityRef;

impl Verifier<'_> {
    /// Checks all uses in reachable blocks.
    pub(super) fn dominance(&mut self) {
        let function = self.function;
        let mut tree = DomTree::default();
        tree.compute(&self.cfg, function.blocks.len());
        let mut block_of = vec![Block::new(0); function.insts.len()];
        for block in function.block_ids() {
            block_of[function.block_insts(block)].fill(block);
        }
        for block in function.block_ids().filter(|&block| tree.is_reachable(block)) {
            self.block = Some(block);
            for position in function.block_insts(block) {
                self.inst = Some(Inst::new(position));
                self.inst_uses(&tree, &block_of, block, position);
            }
        }
        (self.block, self.inst) = (None, None);
    }

    fn inst_uses(&mut self, tree: &DomTree, block_of: &[Block], block: Block, position: usize) {
        let function = self.function;
        let data = &function.insts[position];
        let is_phi = data.op.format() == Format::Phi;
        let (mut slot, mut bad) = (0, None);
        function.for_each_operand(data, |operand| {
            let column = slot;
            slot += 1;
            let Some(value) = operand.as_value() else { return };
            let available = if is_phi {
                let from = self.cfg.predecessors(block)[column];
                !tree.is_reachable(from) || self.reaches_end(tree, block_of, value, from, block)
            } else {
                self.reaches(tree, block_of, value, block, position)
            };
            if !available {
                bad = Some(value);
            }
        });
        if let Some(value) = bad {
            self.error(format!("the use of {value:?} is not dominated by its definition"));
        }
    }

    /// Whether a value is available at an instruction.
    fn reaches(&self, tree: &DomTree, block_of: &[Block], value: Value, block: Block, position: usize) -> bool {
        let data = self.function.value(value);
        if data.kind != ValueKind::Inst {
            return true;
        }
        let def = data.def as usize;
        match self.normal_edge(def) {
            Some(normal) => self.is_only_way(tree, block_of[def], normal) && tree.dominates(normal, block),
            None if block_of[def] == block => def < position,
            None => tree.dominates(block_of[def], block),
        }
    }

    /// Whether a value is available on the edge from the end of `from` to `to`.
    fn reaches_end(&self, tree: &DomTree, block_of: &[Block], value: Value, from: Block, to: Block) -> bool {
        let data = self.function.value(value);
        if data.kind != ValueKind::Inst {
            return true;
        }
        let def = data.def as usize;
        match self.normal_edge(def) {
            Some(normal) if block_of[def] == from => normal == to,
            Some(normal) => self.is_only_way(tree, block_of[def], normal) && tree.dominates(normal, from),
            None => tree.dominates(block_of[def], from),
        }
    }

    /// The normal target, if the instruction at a position is an invoke.
    fn normal_edge(&self, position: usize) -> Option<Block> {
        let data = &self.function.insts[position];
        (data.op == Opcode::Invoke).then(|| self.function.invoke_targets(data).0)
    }

    /// Whether the edge from `from` to `to` dominates `to`: all other predecessors are dominated by `to`, like the
    /// latches of a loop whose header it is.
    fn is_only_way(&self, tree: &DomTree, from: Block, to: Block) -> bool {
        let mut others = self.cfg.predecessors(to).iter().filter(|&&block| block != from);
        others.all(|&block| !tree.is_reachable(block) || tree.dominates(to, block))
    }
}
