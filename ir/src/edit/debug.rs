//! What a commit does with debug information: the rules for passes, which no pass has to know.
//!
//! * An instruction that stays where it is, or that is replaced by another operation, keeps its location.
//! * One that is new, or moved, has the location of the instruction before which it is put. At the beginning of a block
//!   it has none, and neither has a terminator of a new block.
//! * A variable whose value was replaced has the replacement. One whose value nothing defines any more is lost from
//!   there on: it keeps its place among the others, without operand.
//! * A variable in a slot whose accesses a pass replaces by values has these, from where they would have been stored,
//!   and the phis that the pass makes for it: passes say both ([`Editor::note_store`], [`Editor::note_phi`]).
//! * A variable in a slot that was replaced otherwise, or that stands for another slot, too, is lost: the memory is not
//!   its own. So is one in a slot into which a store was removed.
//! * What stands in blocks that are dropped is dropped; paths that led through them lose the variables
//!   ([`super::bypassed`]).

use super::{Editor, NONE};
use crate::debug::{DebugKind, DebugValue, LocationId};
use crate::entities::{Block, Inst, Value};
use crate::function::{Function, InstData, ValueKind};
use crate::opcode::Opcode;
use crate::operand::Operand;
use frazil_support::EntityRef;

/// Distances that an address of a slot may be computed by, one from the other.
const MOST_STEPS: usize = 16;

/// A value that the variables in a slot have from an old instruction on.
#[derive(Clone, Copy, Debug)]
pub(super) struct Noted {
    slot: Value,
    before: u32,
    value: Operand,
}

impl Editor {
    /// Says that a slot, whose loads are all replaced by values, gets a value where this store stands.
    pub fn note_store(&mut self, f: &Function, slot: Value, store: Inst, value: Operand) {
        if f.debug.is_on() {
            let before = store.as_u32();
            self.noted.push(Noted { slot, before, value });
        }
    }

    /// Says that a slot, whose loads are all replaced by values, is a new phi of a block from there on.
    pub fn note_phi(&mut self, f: &Function, slot: Value, block: Block, phi: Value) {
        if f.debug.is_on() {
            let mut range = f.block_insts(block);
            let first = range.find(|&position| f.insts[position].op != Opcode::Phi);
            let (before, value) = (first.unwrap_or(range.end) as u32, Operand::value(phi));
            self.noted.push(Noted { slot, before, value });
        }
    }

    /// Starts a copy of the columns.
    pub(super) fn begin_columns(&mut self, f: &Function) {
        self.bypassed = self.find_bypassed(f);
        self.locations_out.clear();
        self.moved.clear();
        self.moved.resize(self.old_insts, NONE);
    }

    /// Notes that instructions were copied as they are; those that do nothing were left out.
    pub(super) fn follow_run(&mut self, f: &Function, start: usize, end: usize) {
        for position in start..end {
            self.moved[position] = self.locations_out.len() as u32;
            if f.insts[position].op != Opcode::Nop {
                self.locations_out.push(f.debug.location_of(position));
            }
        }
    }

    /// Notes that one instruction was copied, which is or stands before `anchor`.
    pub(super) fn follow(&mut self, f: &Function, inst: u32, anchor: u32) {
        if let Some(moved) = self.moved.get_mut(inst as usize) {
            *moved = self.locations_out.len() as u32;
        }
        if f.insts[inst as usize].op != Opcode::Nop {
            let location = match (anchor as usize) < self.old_insts {
                true => f.debug.location_of(anchor as usize),
                false => LocationId::NONE,
            };
            self.locations_out.push(location);
        }
    }

    /// Puts the copied columns in the place of the old ones.
    #[cold]
    pub(super) fn commit_columns(&mut self, f: &mut Function) {
        debug_assert_eq!(self.locations_out.len(), f.insts.len(), "each instruction was followed");
        std::mem::swap(&mut f.debug.column, &mut self.locations_out);
        let mut values = std::mem::take(&mut f.debug.values);
        if !values.is_empty() {
            self.take_from_slots(&mut values);
            self.lose_unsure_slots(&mut values);
            // They come before what is said at the same place.
            values.splice(0..0, self.bypassed.drain(..));
        }
        values.retain_mut(|value| {
            let moved = self.moved.get(value.before as usize).copied().unwrap_or(NONE);
            value.before = moved;
            value.operand = self.resolve(value.operand);
            if value.operand.as_value().is_some_and(|operand| is_gone(f, operand)) {
                value.operand = Operand::NONE;
            }
            moved != NONE
        });
        values.sort_by_key(|value| value.before);
        f.debug.values = values;
    }

    /// Gives variables in slots that have become values these instead of their places.
    fn take_from_slots(&mut self, values: &mut Vec<DebugValue>) {
        self.noted.sort_by_key(|noted| (noted.slot, noted.before));
        let noted = &self.noted;
        let in_slot = |slot: Value| {
            let first = noted.partition_point(|noted| noted.slot < slot);
            noted[first..].iter().take_while(move |noted| noted.slot == slot)
        };
        let mut taken = Vec::new();
        values.retain(|value| {
            let slot = value.operand.as_value().filter(|_| value.kind == DebugKind::Declare);
            let before = taken.len();
            taken.extend(slot.into_iter().flat_map(in_slot).map(|noted| DebugValue {
                before: noted.before,
                kind: DebugKind::Content,
                operand: noted.value,
                ..*value
            }));
            before == taken.len()
        });
        values.extend(taken);
        values.sort_by_key(|value| value.before);
    }

    /// Notes slots that share their memory from now on.
    #[cold]
    pub(super) fn lose_merged_slots(&mut self, f: &Function, old: Value, new: Operand) {
        let is_slot = |value: Value| f.value(value).kind == ValueKind::Slot;
        if let Some(new) = new.as_value()
            && is_slot(old)
            && is_slot(new)
        {
            self.unsure.extend([old, new]);
        }
    }

    /// Notes the slot whose memory an instruction that is removed would have written.
    #[cold]
    pub(super) fn lose_removed_store(&mut self, f: &Function, removed: &InstData) {
        let mut pointer = match removed.op {
            Opcode::Store => removed.b,
            Opcode::MemSet | Opcode::MemCopy | Opcode::MemMove => removed.a,
            _ => return,
        };
        for _ in 0..MOST_STEPS {
            let Some(value) = self.resolve(pointer).as_value() else {
                return;
            };
            let data = f.value(value);
            match data.kind {
                ValueKind::Slot => return self.unsure.push(value),
                ValueKind::Inst => pointer = base_of(f.inst(Inst::new(data.def as usize))),
                _ => return,
            }
        }
    }

    /// Loses the variables in slots whose memory is not certain to be theirs.
    fn lose_unsure_slots(&mut self, values: &mut [DebugValue]) {
        self.unsure.sort_unstable();
        let is_unsure = |slot: Value| self.unsure.binary_search(&slot).is_ok();
        for value in values {
            if value.operand.as_value().is_some_and(is_unsure) {
                value.operand = Operand::NONE;
            }
        }
    }

    /// Gives the values of variables the numbers that values have now.
    #[cold]
    pub(super) fn renumber_debug_values(f: &mut Function, numbers: &[u32]) {
        for value in &mut f.debug.values {
            if let Some(operand) = value.operand.as_value() {
                value.operand = match numbers.get(operand.index()) {
                    Some(&number) if number != NONE => Operand::value(Value::new(number as usize)),
                    _ => Operand::NONE,
                };
            }
        }
    }
}

/// The pointer that an address is a distance from; none for other instructions.
fn base_of(inst: &InstData) -> Operand {
    match inst.op {
        Opcode::PtrAdd | Opcode::PtrIndex => inst.a,
        _ => Operand::NONE,
    }
}

fn is_gone(f: &Function, value: Value) -> bool {
    f.values
        .get(value.index())
        .is_none_or(|data| data.kind == ValueKind::Forward)
}
