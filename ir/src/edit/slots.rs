//! Edits of stack slots. They show at once, and may be made between the begin and the commit of other edits.

use crate::entities::{SlotId, Value};
use crate::function::{Function, ValueKind};
use crate::operand::Operand;
use frazil_support::EntityRef;

impl Function {
    /// Gives a slot at least this alignment, as log2 of bytes.
    pub fn raise_slot_alignment(&mut self, slot: SlotId, align_log2: u8) {
        let data = &mut self.slots[slot.index()];
        data.align_log2 = data.align_log2.max(align_log2);
    }

    /// Takes the slots out whose addresses nothing uses. Returns how many these are. The numbers of slots change; those
    /// of their addresses remain. Variables in them keep their addresses until the next commit, which may know their
    /// values; without one, [`Function::lose_variables_of_removed_slots`] must follow.
    pub fn remove_unused_slots(&mut self) -> usize {
        let before = self.slots.len();
        let mut kept = 0;
        self.slots.retain(|slot| {
            let is_used = self.values[slot.address.index()].uses > 0;
            let address = &mut self.values[slot.address.index()];
            if is_used {
                address.def = SlotId::new(kept).as_u32();
                kept += 1;
            } else {
                (address.kind, address.def) = (ValueKind::Forward, u32::MAX);
            }
            is_used
        });
        before - kept
    }

    /// Loses the variables that were in slots that are taken out.
    pub fn lose_variables_of_removed_slots(&mut self) {
        for value in &mut self.debug.values {
            let is_removed = |operand: Value| self.values[operand.index()].kind == ValueKind::Forward;
            if value.operand.as_value().is_some_and(is_removed) {
                value.operand = Operand::NONE;
            }
        }
    }
}
