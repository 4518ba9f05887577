//! Liveness of words of registers and spill slots, at block starts and at any other position.
//!
//! Only live words are compared where paths meet. Method: backward data flow with bit sets, one bit for each register
//! and one for each word of a spill slot. The result may be conservative, which costs time only. A live word that is
//! missing would be undefined to its readers, so nothing wrong is ever proved.

use super::machine::Meaning;
use super::values::{FLAGS, Side, WORDS, WordPlace};
use super::walk::Position;
use crate::desc::Role;
use crate::mfunc::{for_each_register, op_desc, pseudo};
use crate::minst::MInst;
use crate::reg::Reg;

/// Live words of one of the two functions.
#[derive(Debug, Default)]
pub(super) struct Live {
    /// The number of 64-bit words in a row.
    stride: usize,
    /// By block: a row of bits for what is live at its start.
    rows: Vec<u64>,
    row: Vec<u64>,
    /// The bit of the first word of a spill slot, and the number of bits.
    first_slot: u32,
    bits: u32,
    in_group: Vec<bool>,
}

impl Live {
    pub(super) fn compute(&mut self, side: &Side<'_>, meaning: &'static dyn Meaning) {
        let func = side.func;
        self.first_slot = FLAGS + 1 + func.vregs.len() as u32;
        let slots = side.place_count() as u32 - self.first_slot * WORDS;
        self.bits = self.first_slot + slots;
        self.stride = self.bits.div_ceil(64) as usize;
        self.rows.clear();
        self.rows.resize(self.stride * func.blocks.len(), 0);
        self.in_group.clear();
        self.in_group.resize(func.insts.len(), false);
        for group in &func.groups {
            self.in_group[group.start as usize..group.end as usize].fill(true);
        }
        let mut changed = true;
        while changed {
            changed = false;
            for block in (0..func.blocks.len() as u32).rev() {
                let start = func.blocks[block as usize].start;
                self.find(side, meaning, Position { block, inst: start });
                let old = &mut self.rows[block as usize * self.stride..][..self.stride];
                if old != self.row {
                    old.copy_from_slice(&self.row);
                    changed = true;
                }
            }
        }
    }

    /// Computes into `row` what is live at a position, from what is live at the starts of the block's successors.
    fn find(&mut self, side: &Side<'_>, meaning: &'static dyn Meaning, at: Position) {
        let func = side.func;
        let mut row = std::mem::take(&mut self.row);
        row.clear();
        row.resize(self.stride, 0);
        for edge in func.edges_of(at.block) {
            let to = func.edges[edge].to as usize;
            let mut live = self.rows[to * self.stride..][..self.stride].to_vec();
            for phi in func.moves_of(edge) {
                set(&mut live, unit(phi.dst), false);
            }
            for phi in func.moves_of(edge) {
                set(&mut live, unit(phi.src), true);
            }
            row.iter_mut().zip(&live).for_each(|(all, one)| *all |= one);
        }
        for index in (at.inst..func.blocks[at.block as usize].end).rev() {
            self.pass(side, meaning, index, &mut row);
        }
        self.row = row;
    }

    /// Applies the effect of an instruction to a row, going backward.
    fn pass(&self, side: &Side<'_>, meaning: &'static dyn Meaning, index: u32, row: &mut [u64]) {
        let inst = &side.func.insts[index as usize];
        let desc = op_desc(side.ops, inst.op);
        let sets = side.func.implicit(inst, desc);
        let is_slot = desc.roles[1] == Role::Base && side.is_slot(&inst.mem());
        let kills = !self.in_group[index as usize];
        if kills {
            sets.defs.iter().for_each(|reg| set(row, reg.0, false));
            for_each_register(inst, desc, |_, reg, role| {
                if role == Role::Def {
                    set(row, unit(reg), false);
                }
            });
        }
        if is_slot && desc.writes_memory && !desc.reads_memory && kills {
            self.slot_words(side, inst, meaning.memory_bytes(inst).unwrap_or(0), row, false);
        }
        sets.uses.iter().for_each(|reg| set(row, reg.0, true));
        for_each_register(inst, desc, |_, reg, role| {
            if role != Role::Def {
                set(row, unit(reg), true);
            }
        });
        if is_slot && desc.reads_memory {
            self.slot_words(side, inst, meaning.memory_bytes(inst).unwrap_or(16), row, true);
        }
        if inst.op == pseudo::RETURN
            && let Some(tail) = inst.disp.checked_sub(1)
            && let Some(tail) = side.func.tail_calls.get(tail as usize)
        {
            for_each_register(tail, op_desc(side.ops, tail.op), |_, reg, _| set(row, unit(reg), true));
        }
    }

    fn slot_words(&self, side: &Side<'_>, inst: &MInst, bytes: u8, row: &mut [u64], is_live: bool) {
        let bytes = i32::from(bytes);
        // A word that is only written in part stays live.
        let bytes = if is_live { bytes.max(4) } else { bytes & !3 };
        for word in 0..bytes / 4 {
            if let Some(place) = side.slot(inst.disp + word * 4) {
                let bit = self.first_slot + place.0 - self.first_slot * WORDS;
                if bit < self.bits {
                    set(row, bit, is_live);
                }
            }
        }
    }

    /// Calls `visit` with each place that is live at a position. The flags are always live inside of blocks and never
    /// at block starts.
    pub(super) fn for_each(
        &mut self,
        side: &Side<'_>,
        meaning: &'static dyn Meaning,
        at: Position,
        mut visit: impl FnMut(WordPlace),
    ) {
        let is_start = side.func.blocks[at.block as usize].start == at.inst;
        if is_start {
            let row = &self.rows[at.block as usize * self.stride..][..self.stride];
            self.row.clear();
            self.row.extend_from_slice(row);
        } else {
            self.find(side, meaning, at);
            set(&mut self.row, FLAGS, true);
        }
        for (index, &word) in self.row.iter().enumerate() {
            let mut word = word;
            while word != 0 {
                let bit = index as u32 * 64 + word.trailing_zeros();
                word &= word - 1;
                if bit < self.first_slot {
                    (0..WORDS).for_each(|part| visit(WordPlace(bit * WORDS + part)));
                } else {
                    visit(WordPlace(self.first_slot * WORDS + bit - self.first_slot));
                }
            }
        }
    }
}

fn unit(reg: Reg) -> u32 {
    if reg.is_physical() {
        reg.0
    } else {
        FLAGS + 1 + reg.virtual_index() as u32
    }
}

fn set(row: &mut [u64], bit: u32, value: bool) {
    let word = &mut row[bit as usize / 64];
    if value {
        *word |= 1 << (bit % 64);
    } else {
        *word &= !(1 << (bit % 64));
    }
}
