//! Which blocks of a function an executable has, by number, and what of them is not written.
//!
//! A division traps by itself in the ABI, so that the branch to a trap that our reader puts before it is left out
//! again: `branch (d == 0), trap, next` at the end of a block, where the next block has no other predecessor and begins
//! with a division by `d`. The two blocks become one, and a block with nothing but a trap goes when nothing leads to it
//! any more. Whoever wrote such a branch, the division would have been undefined for zero, and traps now.

use frazil_ir::{Block, Cfg, ConstView, EntityRef, Function, InstData, Opcode, Operand};
use std::collections::HashMap;

/// The blocks of an executable's function.
#[derive(Debug, Default)]
pub struct Layout {
    pub cfg: Cfg,
    /// By block: its number, which it shares with the one before if it is joined to that.
    numbers: Vec<u32>,
    /// By block: whether it is not written.
    omitted: Vec<bool>,
    /// By instruction: whether it is not written.
    skipped: Vec<bool>,
    pub count: u32,
    /// Edges that a block names several times, with how often.
    repeated: HashMap<(Block, Block), usize>,
}

fn is_division(op: Opcode) -> bool {
    matches!(op, Opcode::Udiv | Opcode::Sdiv | Opcode::Urem | Opcode::Srem)
}

/// The instructions of a block with their positions, but for those that are none.
fn insts(function: &Function, block: Block) -> impl Iterator<Item = (usize, &InstData)> {
    let range = function.block_insts(block);
    let insts = function.insts().get(range.clone()).unwrap_or_default();
    range.zip(insts).filter(|(_, data)| data.op != Opcode::Nop)
}

/// Whether a block only ends the program.
fn is_trap(function: &Function, block: Block) -> bool {
    let mut ops = insts(function, block).map(|(_, data)| data.op);
    (ops.next(), ops.next(), ops.next()) == (Some(Opcode::Trap), Some(Opcode::Unreachable), None)
}

/// Whether an operand is zero, in all lanes.
fn is_zero(function: &Function, operand: Operand) -> bool {
    match operand.as_const() {
        Some(id) => matches!(function.constant(id).1, ConstView::Zero),
        None => operand.as_imm() == Some(0),
    }
}

impl Layout {
    /// Lays out a function.
    pub fn new(function: &Function) -> Layout {
        let mut layout = Layout {
            omitted: vec![false; function.blocks().len()],
            skipped: vec![false; function.insts().len()],
            ..Layout::default()
        };
        layout.cfg.compute(function);
        for &edge in layout.cfg.repeated_edges() {
            *layout.repeated.entry(edge).or_default() += 1;
        }
        let blocks = function.blocks().len();
        let mut joined = vec![false; blocks];
        // By block: how many branches to it are left out.
        let mut removed = vec![0; blocks];
        for block in function.block_ids() {
            if let Some(trap) = layout.find_check(function, block)
                && let (Some(joined), Some(removed)) =
                    (joined.get_mut(block.index() + 1), removed.get_mut(trap.index()))
            {
                *joined = true;
                *removed += 1;
            }
            layout.skip_traps(function, block);
        }
        for block in function.block_ids() {
            let left_out = removed.get(block.index()).copied().unwrap_or(0);
            let is_omitted = left_out > 0 && layout.cfg.predecessors(block).len() == left_out;
            if let Some(omitted) = layout.omitted.get_mut(block.index()) {
                *omitted = is_omitted;
            }
            let is_joined = joined.get(block.index()) == Some(&true);
            layout.count += u32::from(!is_omitted && !is_joined);
            layout.numbers.push(layout.count.saturating_sub(1));
        }
        layout
    }

    /// The trap of the check of a divisor that ends a block, whose instructions are then not written.
    fn find_check(&mut self, function: &Function, block: Block) -> Option<Block> {
        let (end, branch) = insts(function, block).last()?;
        let next = Block::new(block.index() + 1);
        if branch.op != Opcode::Branch || branch.else_target() != next || next.index() >= function.blocks().len() {
            return None;
        }
        let trap = branch.target();
        if trap == next || self.cfg.predecessors(next) != [block] || !is_trap(function, trap) {
            return None;
        }
        let range = function.block_insts(block);
        let only_used = |operand: Operand| {
            let value = operand.as_value().filter(|&value| function.use_count(value) == 1)?;
            let inst = function.def_inst(value)?;
            range.contains(&inst.index()).then(|| (inst, *function.inst(inst)))
        };
        let (mut inst, mut flag) = only_used(branch.a)?;
        let mut reduction = None;
        if flag.op == Opcode::ReduceOr {
            reduction = Some(inst);
            (inst, flag) = only_used(flag.a)?;
        }
        let (_, division) = insts(function, next).next()?;
        let is_check = flag.op == Opcode::IcmpEq
            && is_zero(function, flag.b)
            && is_division(division.op)
            && division.b == flag.a
            && division.ty == flag.ty;
        if !is_check {
            return None;
        }
        for place in [end, inst.index()].into_iter().chain(reduction.map(EntityRef::index)) {
            self.skip(place);
        }
        Some(trap)
    }

    /// Leaves out traps right before a division by the constant zero.
    fn skip_traps(&mut self, function: &Function, block: Block) {
        let mut trap = None;
        for (place, data) in insts(function, block) {
            if is_division(data.op)
                && function.int_constant(data.b) == Some(0)
                && let Some(trap) = trap
            {
                self.skip(trap);
            }
            trap = (data.op == Opcode::Trap).then_some(place);
        }
    }

    fn skip(&mut self, place: usize) {
        if let Some(skipped) = self.skipped.get_mut(place) {
            *skipped = true;
        }
    }

    /// Whether an instruction is written.
    pub fn has_inst(&self, place: usize) -> bool {
        self.skipped.get(place) != Some(&true)
    }

    /// Whether a block is written.
    pub fn has_block(&self, block: Block) -> bool {
        self.omitted.get(block.index()) != Some(&true)
    }

    /// The number of a block.
    pub fn number(&self, block: Block) -> u64 {
        self.numbers.get(block.index()).copied().unwrap_or(0).into()
    }

    /// How often a block names another as its successor.
    pub fn edges(&self, from: Block, to: Block) -> usize {
        1 + self.repeated.get(&(from, to)).copied().unwrap_or(0)
    }
}
