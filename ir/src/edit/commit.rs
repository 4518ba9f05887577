//! The commit: lays out the blocks and copies the instructions in program order.
//!
//! One walk over the instructions. Most are copied as they are, in a loop that looks up nothing but their operands and
//! sets where their result is defined; replaced operands and operand lists are the exception. Blocks and phi columns
//! follow only if the graph changed. Use counts were kept with each edit, so that nothing but the uses by dropped
//! blocks and moved columns changes here.

use super::{Editor, NONE};
use crate::entities::Block;
use crate::function::{BlockData, Function, InstData, ValueKind};
use crate::opcode::{ALL, Format, Opcode, Results};
use crate::operand::Operand;
use crate::rewrite::for_each_target_word;
use crate::types::Type;
use crate::typing::is_cast;
use frazil_support::EntityRef;

/// How an instruction is copied.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Shape {
    /// Operands in its two words, and at most one result.
    Words,
    /// Operands in the pool, and at most one result.
    List,
    /// A jump: nothing to look up.
    Jump,
    /// A branch: one operand, and a block in the place of the result.
    Branch,
    /// Not at all.
    Nop,
    /// There may be several results.
    Other,
}

/// The shape of each opcode.
const SHAPES: [Shape; ALL.len()] = {
    let mut shapes = [Shape::Other; ALL.len()];
    let mut index = 0;
    while index < ALL.len() {
        let op = ALL[index];
        shapes[index] = match (op.format(), op.results()) {
            _ if op as u8 == Opcode::Nop as u8 => Shape::Nop,
            (Format::Jump, _) => Shape::Jump,
            (Format::Branch, _) => Shape::Branch,
            (_, Results::TyAndBool | Results::PtrAndI32 | Results::Signature) => Shape::Other,
            (Format::Unary | Format::Binary, _) => Shape::Words,
            _ => Shape::List,
        };
        index += 1;
    }
    shapes
};

/// What fills the output until it is written.
const NOP: InstData = InstData::new(Opcode::Nop, Type::VOID, 0, Operand::NONE, Operand::NONE);

impl Editor {
    /// Makes the edits. The function passes the verifier afterwards if what was asked for makes sense.
    pub fn commit(&mut self, f: &mut Function) {
        if !self.changed {
            return;
        }
        self.lay_out(f);
        match f.debug.is_on() {
            false => self.copy::<false>(f),
            true => {
                self.begin_columns(f);
                self.copy::<true>(f);
                self.commit_columns(f);
            }
        }
        if self.graph_changed {
            self.renumber_targets(f);
            std::mem::swap(&mut self.old_cfg, &mut f.cfg);
            f.compute_cfg();
            self.move_columns(f);
        }
        self.compact(f);
        self.begin(f);
    }

    /// Decides the order of blocks and their new numbers, and forgets what is in those that are dropped.
    fn lay_out(&mut self, f: &mut Function) {
        self.order.clear();
        if !self.graph_changed {
            self.order.extend(0..self.old_blocks as u32);
            return;
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
        if self.order.len() < self.blocks.len() {
            self.forget_dropped(f);
        }
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

    /// Takes the uses by blocks that nothing reaches from the counts, and marks what they define as undefined.
    fn forget_dropped(&mut self, f: &mut Function) {
        for block in 0..self.blocks.len() as u32 {
            let head = self.head_of(block);
            if self.new_numbers[head as usize] != NONE {
                continue;
            }
            for chain in [Self::chain(&self.phis, block), Self::chain(&self.bodies, block)] {
                self.forget_chain(f, chain);
            }
            if let Some(new) = (block as usize).checked_sub(self.old_blocks) {
                let terminator = self.new_blocks[new].terminator;
                self.forget_with_chain(f, terminator);
            } else {
                let range = f.block_insts(Block::new(block as usize));
                range.for_each(|position| self.forget_with_chain(f, position as u32));
            }
        }
    }

    fn forget_with_chain(&mut self, f: &mut Function, inst: u32) {
        if inst == NONE {
            return;
        }
        let chain = Self::chain(&self.before, inst);
        self.forget_chain(f, chain);
        self.forget(f, inst);
    }

    fn forget_chain(&mut self, f: &mut Function, mut inst: u32) {
        while inst != NONE {
            self.forget(f, inst);
            inst = self.pending[inst as usize - self.old_insts].next;
        }
    }

    fn forget(&mut self, f: &mut Function, inst: u32) {
        let data = f.insts[inst as usize];
        self.uncount_all(f, &data);
        Self::forget_results(f, &data);
    }

    /// Copies all instructions in the new order; with `DEBUG`, also what stands beside them.
    fn copy<const DEBUG: bool>(&mut self, f: &mut Function) {
        if self.insts_out.len() < f.insts.len() {
            self.insts_out.resize(f.insts.len(), NOP);
        }
        self.copied = 0;
        self.blocks_out.clear();
        let has_pending = !self.pending.is_empty();
        for index in 0..self.order.len() {
            let start = self.copied as u32;
            let mut segment = self.order[index];
            while segment != NONE {
                if has_pending {
                    self.copy_segment::<DEBUG>(f, segment);
                } else {
                    let range = f.block_insts(Block::new(segment as usize));
                    self.copy_plain::<DEBUG>(f, range.start, range.end);
                }
                segment = self.blocks.get(segment as usize).map_or(NONE, |row| row.segment);
            }
            let end = self.copied as u32;
            self.blocks_out.push(BlockData { start, end });
        }
        self.insts_out.truncate(self.copied);
        std::mem::swap(&mut f.insts, &mut self.insts_out);
        std::mem::swap(&mut f.blocks, &mut self.blocks_out);
    }

    fn copy_segment<const DEBUG: bool>(&mut self, f: &mut Function, segment: u32) {
        let phis = Self::chain(&self.phis, segment);
        let body = Self::chain(&self.bodies, segment);
        if segment as usize >= self.old_blocks {
            self.copy_chain::<DEBUG>(f, phis, NONE);
            self.copy_chain::<DEBUG>(f, body, NONE);
            let terminator = self.new_blocks[segment as usize - self.old_blocks].terminator;
            let before = Self::chain(&self.before, terminator);
            self.copy_chain::<DEBUG>(f, before, terminator);
            return self.copy_inst::<DEBUG>(f, terminator, terminator);
        }
        let range = f.block_insts(Block::new(segment as usize));
        let mut next = range.start;
        if phis != NONE || body != NONE {
            let (phi_end, head_end) = heads(f, range.clone());
            self.copy_range::<DEBUG>(f, next, phi_end);
            self.copy_chain::<DEBUG>(f, phis, NONE);
            self.copy_range::<DEBUG>(f, phi_end, head_end);
            self.copy_chain::<DEBUG>(f, body, NONE);
            next = head_end;
        }
        self.copy_range::<DEBUG>(f, next, range.end);
    }

    /// Copies instructions that stood beside one another, with what is queued before them.
    fn copy_range<const DEBUG: bool>(&mut self, f: &mut Function, start: usize, end: usize) {
        let mut next = start;
        while next < end {
            let chains = self.before.get(next..end.min(self.before.len())).unwrap_or_default();
            let Some(run) = chains.iter().position(|chain| chain.first != NONE) else {
                return self.copy_plain::<DEBUG>(f, next, end);
            };
            self.copy_plain::<DEBUG>(f, next, next + run);
            next += run;
            self.copy_chain::<DEBUG>(f, self.before[next].first, next as u32);
            self.copy_inst::<DEBUG>(f, next as u32, next as u32);
            next += 1;
        }
    }

    /// Copies instructions before which nothing is queued.
    #[inline]
    fn copy_plain<const DEBUG: bool>(&mut self, f: &mut Function, start: usize, end: usize) {
        let mut next = start;
        loop {
            let first = next;
            next = self.copy_run(f, next, end);
            if DEBUG {
                self.follow_run(f, first, next);
            }
            if next == end {
                return;
            }
            self.copy_inst::<DEBUG>(f, next as u32, next as u32);
            next += 1;
        }
    }

    /// Copies instructions as they are, up to the first that needs more than that, whose position is returned.
    #[inline]
    fn copy_run(&mut self, f: &mut Function, start: usize, end: usize) -> usize {
        let (forward, out, values) = (&self.forward[..], &mut self.insts_out[..], &mut f.values[..]);
        let is_replaced = |operand: Operand| {
            let next = forward.get(operand.as_raw() as usize);
            next.is_some_and(|next| !next.is_none())
        };
        let mut copied = self.copied;
        let mut next = start;
        for data in &f.insts[start..end] {
            match SHAPES[data.op as usize] {
                Shape::Words if is_replaced(data.a) || is_replaced(data.b) => break,
                Shape::List if !forward.is_empty() => break,
                Shape::Words | Shape::List => {
                    if data.result != InstData::NO_RESULT {
                        let row = &mut values[data.result as usize];
                        (row.kind, row.def) = (ValueKind::Inst, copied as u32);
                    }
                }
                Shape::Branch if is_replaced(data.a) => break,
                Shape::Branch | Shape::Jump => {}
                Shape::Nop => {
                    next += 1;
                    continue;
                }
                Shape::Other => {
                    if !forward.is_empty() || data.result != InstData::NO_RESULT {
                        break;
                    }
                }
            }
            out[copied] = *data;
            copied += 1;
            next += 1;
        }
        self.copied = copied;
        next
    }

    /// Copies instructions that are queued before `anchor`, if they are before any.
    fn copy_chain<const DEBUG: bool>(&mut self, f: &mut Function, mut inst: u32, anchor: u32) {
        while inst != NONE {
            self.copy_inst::<DEBUG>(f, inst, anchor);
            inst = self.pending[inst as usize - self.old_insts].next;
        }
    }

    /// Copies an instruction of any shape, which is or stands before `anchor`.
    fn copy_inst<const DEBUG: bool>(&mut self, f: &mut Function, inst: u32, anchor: u32) {
        let mut data = f.insts[inst as usize];
        if DEBUG {
            self.follow(f, inst, anchor);
        }
        match SHAPES[data.op as usize] {
            Shape::Nop => return,
            Shape::Jump => {}
            Shape::Branch => data.a = self.resolve(data.a),
            Shape::Words => {
                self.resolve_words(f, &mut data);
                if data.result != InstData::NO_RESULT {
                    self.define_results(f, data.result as usize, 1);
                }
            }
            Shape::List | Shape::Other => {
                if !self.forward.is_empty() {
                    self.resolve_list(f, &mut data);
                }
                if data.result != InstData::NO_RESULT {
                    self.define_results(f, data.result as usize, f.result_count(&data));
                }
            }
        }
        self.insts_out[self.copied] = data;
        self.copied += 1;
    }

    /// Sets where the results of the next instruction are defined.
    #[inline]
    fn define_results(&self, f: &mut Function, first: usize, count: usize) {
        for row in &mut f.values[first..first + count] {
            (row.kind, row.def) = (ValueKind::Inst, self.copied as u32);
        }
    }

    /// Puts replacements in the place of replaced values. A word without operand is no value.
    fn resolve_words(&mut self, f: &mut Function, data: &mut InstData) {
        let (a, b) = (data.a, data.b);
        (data.a, data.b) = (self.resolve(a), self.resolve(b));
        if (data.a, data.b) != (a, b) {
            match typed_slot(data.op) {
                Some(0) => data.a = carry_type(f, a, data.a),
                Some(1) => data.b = carry_type(f, b, data.b),
                _ => {}
            }
        }
    }

    /// The same for operands in the pool, of which only the last of an `insert_element` must know its type.
    fn resolve_list(&mut self, f: &mut Function, data: &mut InstData) {
        let (start, count) = (data.b.as_raw() as usize, data.a.as_raw() as usize);
        let range = match data.op.format() {
            Format::List | Format::Phi => start..start + count,
            format => {
                if !matches!(format, Format::Nullary | Format::LandingPad) {
                    data.a = self.resolve(data.a);
                }
                match format {
                    Format::Binary => {
                        data.b = self.resolve(data.b);
                        return;
                    }
                    Format::Ternary => start..start + 2,
                    Format::Call => start + 2..start + 2 + f.pool[start].as_raw() as usize,
                    Format::Invoke => start + 4..start + 4 + f.pool[start].as_raw() as usize,
                    _ => return,
                }
            }
        };
        let last = (data.op == Opcode::InsertElement).then(|| f.pool[range.end - 1]);
        for operand in &mut f.pool[range.clone()] {
            *operand = self.resolve(*operand);
        }
        if let Some(last) = last.filter(|&last| last != f.pool[range.end - 1]) {
            f.pool[range.end - 1] = carry_type(f, last, f.pool[range.end - 1]);
        }
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
}

/// The ends of a block's phis, and of its landing pad after them.
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

/// The word of an instruction with operands in its two words that must know its own type, so that no immediate may
/// stand there.
fn typed_slot(op: Opcode) -> Option<usize> {
    match op {
        Opcode::Scmp | Opcode::Ucmp => Some(0),
        // An immediate index would be read as one of 64 bits.
        Opcode::ExtractElement => Some(1),
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
