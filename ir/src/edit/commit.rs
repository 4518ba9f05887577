//! The commit: lays out the blocks, copies the instructions in program order and counts uses anew.
//!
//! One walk over the instructions. Resolving replaced operands, counting and setting the definitions of values happen
//! in it; blocks and phi columns follow only if the graph changed.

use super::graph::for_each_target_word;
use super::{Editor, NONE};
use crate::entities::Block;
use crate::function::{BlockData, Function, InstData, ValueKind};
use crate::opcode::{Format, Opcode, Results};
use crate::operand::Operand;
use crate::typing::is_cast;
use frazil_support::EntityRef;

/// What a copy counts on its way.
#[derive(Default)]
pub(super) struct Live {
    /// Results that instructions define.
    pub(super) results: usize,
    /// Words of the pool that instructions refer to.
    pub(super) pool_words: usize,
}

impl Editor {
    /// Makes the edits. The function passes the verifier afterwards if what was asked for makes sense.
    pub fn commit(&mut self, f: &mut Function) {
        if !self.changed {
            return;
        }
        let dropped = self.lay_out(f);
        let live = self.copy(f);
        if self.graph_changed {
            self.renumber_targets(f);
            std::mem::swap(&mut self.old_cfg, &mut f.cfg);
            f.compute_cfg();
            self.move_columns(f);
        }
        if dropped {
            Self::forget_dropped(f);
        }
        self.compact(f, &live);
        self.begin(f);
    }

    /// Decides the order of blocks and their new numbers. Returns whether any block is dropped.
    fn lay_out(&mut self, f: &Function) -> bool {
        self.order.clear();
        if !self.graph_changed {
            self.order.extend(0..self.old_blocks as u32);
            return false;
        }
        self.mark_reachable(f);
        if self.keeps_blocks {
            self.order.extend(0..self.old_blocks as u32);
            let new = self.old_blocks..self.blocks.len();
            self.order.extend(
                new.map(|block| block as u32)
                    .filter(|&block| self.new_numbers[block as usize] != NONE),
            );
        } else {
            let mut block = 0;
            while block != NONE {
                if self.new_numbers[block as usize] != NONE {
                    self.order.push(block);
                }
                block = self.blocks[block as usize].next;
            }
        }
        for (number, &block) in self.order.iter().enumerate() {
            self.new_numbers[block as usize] = number as u32;
        }
        self.order.len() < self.blocks.len()
    }

    /// Sets the number of each block that the entry reaches to something else than `NONE`.
    fn mark_reachable(&mut self, f: &Function) {
        let mut stack = std::mem::take(&mut self.stack);
        let mut seen = std::mem::take(&mut self.new_numbers);
        seen.clear();
        seen.resize(self.blocks.len(), NONE);
        stack.clear();
        stack.push(0);
        seen[0] = 0;
        if self.keeps_blocks {
            stack.extend(1..self.old_blocks as u32);
            seen[..self.old_blocks].fill(0);
        }
        while let Some(block) = stack.pop() {
            let terminator = self.terminator_of(f, Block::new(block as usize));
            let data = f.inst(terminator.expect("every block in reach has a terminator"));
            f.for_each_target(data, |target| {
                if std::mem::replace(&mut seen[target.index()], 0) == NONE {
                    stack.push(target.as_u32());
                }
            });
        }
        (self.stack, self.new_numbers) = (stack, seen);
    }

    /// Copies all instructions in the new order.
    fn copy(&mut self, f: &mut Function) -> Live {
        let mut live = Live::default();
        self.insts_out.clear();
        self.insts_out.reserve(f.insts.len());
        self.blocks_out.clear();
        if self.graph_changed {
            f.uses.fill(0);
        }
        for index in 0..self.order.len() {
            let start = self.insts_out.len() as u32;
            let mut segment = self.order[index];
            while segment != NONE {
                self.copy_segment(f, segment, &mut live);
                segment = self.blocks.get(segment as usize).map_or(NONE, |row| row.segment);
            }
            let end = self.insts_out.len() as u32;
            self.blocks_out.push(BlockData { start, end });
        }
        std::mem::swap(&mut f.insts, &mut self.insts_out);
        std::mem::swap(&mut f.blocks, &mut self.blocks_out);
        live
    }

    fn copy_segment(&mut self, f: &mut Function, segment: u32, live: &mut Live) {
        let phis = Self::chain(&self.phis, segment);
        let body = Self::chain(&self.bodies, segment);
        if segment as usize >= self.old_blocks {
            self.copy_chain(f, phis, live);
            self.copy_chain(f, body, live);
            let terminator = self.new_blocks[segment as usize - self.old_blocks].terminator;
            return self.copy_with_chain(f, terminator, live);
        }
        let range = f.block_insts(Block::new(segment as usize));
        let mut next = range.start;
        if phis != NONE || body != NONE {
            let (phi_end, head_end) = heads(f, range.clone());
            (next..phi_end).for_each(|position| self.copy_with_chain(f, position as u32, live));
            self.copy_chain(f, phis, live);
            (phi_end..head_end).for_each(|position| self.copy_with_chain(f, position as u32, live));
            self.copy_chain(f, body, live);
            next = head_end;
        }
        for position in next..range.end {
            self.copy_with_chain(f, position as u32, live);
        }
    }

    #[inline]
    fn copy_with_chain(&mut self, f: &mut Function, inst: u32, live: &mut Live) {
        if (inst as usize) < self.before.len() {
            self.copy_chain(f, self.before[inst as usize].first, live);
        }
        self.copy_inst(f, inst, live);
    }

    fn copy_chain(&mut self, f: &mut Function, mut inst: u32, live: &mut Live) {
        while inst != NONE {
            self.copy_inst(f, inst, live);
            inst = self.pending[inst as usize - self.old_insts].next;
        }
    }

    #[inline]
    fn copy_inst(&mut self, f: &mut Function, inst: u32, live: &mut Live) {
        let data = f.insts[inst as usize];
        match data.op.format() {
            Format::Unary | Format::Binary => self.copy_simple(f, data, live),
            _ if data.op == Opcode::Nop => {}
            _ => self.copy_other(f, data, live),
        }
    }

    /// Copies an instruction of format `Unary` or `Binary`: most are. An operand that is not there is no value.
    #[inline]
    fn copy_simple(&mut self, f: &mut Function, mut data: InstData, live: &mut Live) {
        let (a, b) = (data.a, data.b);
        (data.a, data.b) = (self.resolve(a), self.resolve(b));
        if (data.a, data.b) != (a, b) {
            match typed_slot(data.op) {
                Some(0) => data.a = carry_type(f, a, data.a),
                Some(1) => data.b = carry_type(f, b, data.b),
                _ => {}
            }
        }
        if self.graph_changed {
            f.count_use(data.a);
            f.count_use(data.b);
        }
        if data.result != InstData::NO_RESULT {
            let count = if data.op.results() == Results::TyAndBool { 2 } else { 1 };
            self.define_results(f, data.result as usize, count, live);
        }
        self.insts_out.push(data);
    }

    fn copy_other(&mut self, f: &mut Function, mut data: InstData, live: &mut Live) {
        if !self.forward.is_empty() {
            self.resolve_operands(f, &mut data);
        }
        // Uses are known if the graph is as it was. Columns of phis may yet vanish: they are counted when they were moved.
        if self.graph_changed && data.op != Opcode::Phi {
            f.count_uses(&data);
        }
        live.pool_words += pool_words(f, &data);
        if let Some(first) = data.first_result() {
            self.define_results(f, first.index(), f.result_count(&data), live);
        }
        self.insts_out.push(data);
    }

    /// Sets where the results of the next instruction are defined.
    #[inline]
    fn define_results(&self, f: &mut Function, first: usize, count: usize, live: &mut Live) {
        let position = self.insts_out.len() as u32;
        for row in &mut f.values[first..first + count] {
            (row.kind, row.def) = (ValueKind::Inst, position);
        }
        live.results += count;
    }

    /// Puts replacements in the place of replaced values.
    fn resolve_operands(&mut self, f: &mut Function, data: &mut InstData) {
        if data.op.format() == Format::Branch {
            data.a = self.resolve(data.a);
            return;
        }
        let mut pool = std::mem::take(&mut f.pool);
        let typed_slot = typed_slot(data.op);
        let mut slot = 0;
        crate::function::for_each_operand_mut(&mut pool, data, |operand| {
            let old = *operand;
            *operand = self.resolve(old);
            if typed_slot == Some(slot) && *operand != old {
                *operand = carry_type(f, old, *operand);
            }
            slot += 1;
        });
        f.pool = pool;
    }

    /// Gives the targets of all terminators their new numbers.
    fn renumber_targets(&mut self, f: &mut Function) {
        for index in 0..f.blocks.len() {
            let at = f.blocks[index].end as usize - 1;
            let mut data = f.insts[at];
            for_each_target_word(&mut f.pool, &mut data, |word| *word = self.new_numbers[*word as usize]);
            f.insts[at] = data;
        }
    }

    /// Marks values whose instruction was in a dropped block as undefined.
    fn forget_dropped(f: &mut Function) {
        for (index, value) in f.values.iter_mut().enumerate() {
            if value.kind == ValueKind::Inst {
                let first = f.insts.get(value.def as usize).and_then(InstData::first_result);
                if first.map(|first| first.index() + usize::from(value.result_index)) != Some(index) {
                    (value.kind, value.def) = (ValueKind::Forward, NONE);
                }
            }
        }
    }
}

/// The ends of a block's phis, and of its landing pad behind them.
fn heads(f: &Function, range: std::ops::Range<usize>) -> (usize, usize) {
    let mut phi_end = range.start;
    for position in range {
        match f.insts[position].op {
            Opcode::Phi => phi_end = position + 1,
            Opcode::Nop => {}
            Opcode::LandingPad => return (phi_end, position + 1),
            _ => break,
        }
    }
    (phi_end, phi_end)
}

/// The operand slot that must know its own type, so that no immediate may stand there.
fn typed_slot(op: Opcode) -> Option<usize> {
    match op {
        Opcode::Scmp | Opcode::Ucmp => Some(0),
        // An immediate index would be read as one of 64 bits.
        Opcode::ExtractElement => Some(1),
        Opcode::InsertElement => Some(2),
        _ => is_cast(op).then_some(0),
    }
}

/// `new`, as a constant of the type of `old` if it is an immediate.
fn carry_type(f: &mut Function, old: Operand, new: Operand) -> Operand {
    match (new.as_imm(), f.operand_type(old)) {
        (Some(value), Some(ty)) => {
            let sign = (value >> 63).cast_unsigned();
            Operand::constant(f.push_int(ty, &[value.cast_unsigned(), sign]))
        }
        _ => new,
    }
}

/// How many words of the pool belong to an instruction.
pub(super) fn pool_words(f: &Function, data: &InstData) -> usize {
    let count = || f.pool[data.b.as_raw() as usize].as_raw() as usize;
    match data.op.format() {
        Format::Nullary | Format::Unary | Format::Binary | Format::Jump | Format::Branch => 0,
        Format::Ternary => 2,
        Format::List | Format::Phi => data.a.as_raw() as usize,
        Format::Switch => 2 + 2 * count(),
        Format::Call => 2 + count(),
        Format::Invoke => 4 + count(),
        Format::IndirectJump | Format::LandingPad => 1 + count(),
    }
}
