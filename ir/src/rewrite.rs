//! Changes operands and targets of instructions where they stand, in the instruction's words and in the pool.
//!
//! What is here for all crates keeps use counts exact: other editing goes through [`crate::edit::Editor`], and the
//! first filling through [`crate::builder`]. What does not keep them is the crate's own.

use crate::entities::Inst;
use crate::function::{Function, InstData};
use crate::opcode::{Format, Opcode};
use crate::operand::Operand;
use frazil_support::EntityRef;

impl Function {
    /// Sets the flags of an instruction, see [`crate::flags`].
    #[inline]
    pub fn set_flags(&mut self, inst: Inst, flags: u16) {
        self.insts[inst.index()].flags = flags;
    }

    /// Gives the blocks that a terminator names new numbers. The graph is forgotten and must be computed anew.
    pub fn renumber_targets(&mut self, terminator: Inst, mut renumber: impl FnMut(u32) -> u32) {
        self.cfg.clear();
        let data = &mut self.insts[terminator.index()];
        for_each_target_word(&mut self.pool, data, |word| *word = renumber(*word));
    }

    /// The words of the pool that belong to an instruction: operands beyond two, and what else its format has there.
    pub fn pooled(&self, data: &InstData) -> &[Operand] {
        let count = self.pooled_count(data).unwrap_or(0);
        if count == 0 {
            return &[];
        }
        self.pool_slice(data.b.as_raw(), count as u32)
    }

    /// How many words of the pool belong to an instruction, if it names a place there.
    pub(crate) fn pooled_count(&self, data: &InstData) -> Option<usize> {
        let count = || self.pool[data.b.as_raw() as usize].as_raw() as usize;
        Some(match data.op.format() {
            Format::Nullary | Format::Unary | Format::Binary | Format::Jump | Format::Branch => return None,
            Format::Ternary => 2,
            Format::List | Format::Phi => data.a.as_raw() as usize,
            Format::Switch => 2 + 2 * count(),
            Format::Call => 2 + count(),
            Format::Invoke => 4 + count(),
            Format::IndirectJump | Format::LandingPad => 1 + count(),
        })
    }

    /// A copy of an instruction, to be pushed, whose operands are what `map` makes of the original's. `words` are those
    /// that [`Function::pooled`] has for the original, which may be another function's; the copy has its own.
    pub fn copy_mapped(
        &mut self,
        mut data: InstData,
        words: &[Operand],
        mut map: impl FnMut(Operand) -> Operand,
    ) -> InstData {
        let start = self.push_pool(words);
        if !words.is_empty() {
            data.b = Operand::raw(start);
        }
        for_each_operand_mut(&mut self.pool, &mut data, |operand| *operand = map(*operand));
        data
    }
}

/// Calls `visit` with every operand slot that [`Function::for_each_operand`] visits, in the same order, to be changed.
/// `pool` is the function's.
pub(crate) fn for_each_operand_mut(pool: &mut [Operand], data: &mut InstData, mut visit: impl FnMut(&mut Operand)) {
    let start = data.b.as_raw() as usize;
    match data.op.format() {
        Format::Nullary | Format::Jump | Format::LandingPad => {}
        Format::Unary | Format::Branch | Format::IndirectJump | Format::Switch => visit(&mut data.a),
        Format::Binary => {
            visit(&mut data.a);
            visit(&mut data.b);
        }
        Format::Ternary => {
            visit(&mut data.a);
            pool[start..start + 2].iter_mut().for_each(visit);
        }
        Format::List | Format::Phi => {
            let count = data.a.as_raw() as usize;
            pool[start..start + count].iter_mut().for_each(visit);
        }
        Format::Call | Format::Invoke => {
            visit(&mut data.a);
            let count = pool[start].as_raw() as usize;
            let first = start + if data.op == Opcode::Invoke { 4 } else { 2 };
            pool[first..first + count].iter_mut().for_each(visit);
        }
    }
}

/// Calls `visit` with every word of a terminator that names a block.
pub(crate) fn for_each_target_word(pool: &mut [Operand], data: &mut InstData, mut visit: impl FnMut(&mut u32)) {
    let mut word = |operand: &mut Operand| {
        let mut block = operand.as_raw();
        visit(&mut block);
        *operand = Operand::raw(block);
    };
    let start = data.b.as_raw() as usize;
    match data.op.format() {
        Format::Jump => visit(&mut data.result),
        Format::Branch => {
            word(&mut data.b);
            visit(&mut data.result);
        }
        Format::Switch => {
            let count = pool[start].as_raw() as usize;
            word(&mut pool[start + 1]);
            (0..count).for_each(|case| word(&mut pool[start + 3 + 2 * case]));
        }
        Format::Invoke => {
            word(&mut pool[start + 2]);
            word(&mut pool[start + 3]);
        }
        Format::IndirectJump => {
            let count = pool[start].as_raw() as usize;
            pool[start + 1..start + 1 + count].iter_mut().for_each(word);
        }
        _ => {}
    }
}
