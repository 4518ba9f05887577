//! Where the stack slots of the function are.

use super::record::{Record, Thing};
use super::state::NO_REG;
use super::{FastCtx, reg_of};
use crate::context::Context;
use crate::isa::Isa;
use crate::reg::{Reg, RegClass};
use frazil_ir::{EntityRef, Operand, SlotId};

impl<I: Isa, R: Record> FastCtx<'_, I, R> {
    /// Gives every stack slot its place in the frame. The address of an over-aligned slot is computed at the entry
    /// and kept in a frame slot.
    pub(super) fn place_slots(&mut self) {
        let align_max = u64::from(self.conv.stack_align);
        self.st.slots.clear();
        self.st.slot_is_indirect.clear();
        for slot in &self.function.slots {
            let has_home = self.st.slot_homes[self.st.slots.len()] != NO_REG;
            if has_home || self.function.uses[slot.address.index()] == 0 {
                self.st.slots.push(0);
                self.st.slot_is_indirect.push(false);
                continue;
            }
            let align = 1u64 << slot.align_log2.min(32);
            let is_indirect = align > align_max;
            let offset = if is_indirect {
                self.st.frame.allocate(slot.size.saturating_add(align), align_max)
            } else {
                self.st.frame.allocate(slot.size.max(1), align)
            };
            self.st.slots.push(offset);
            self.st.slot_is_indirect.push(is_indirect);
        }
    }

    /// The home register of the slot whose address an operand is.
    #[inline]
    pub(super) fn slot_home(&self, pointer: Operand) -> Option<Reg> {
        let slot = self.function.slot_of(pointer.as_value()?)?;
        reg_of(self.st.slot_homes[slot.index()])
    }

    /// Computes the addresses of over-aligned slots; part of the entry code.
    pub(super) fn align_slots(&mut self) {
        for index in 0..self.st.slots.len() {
            if !self.st.slot_is_indirect[index] {
                continue;
            }
            let area = self.st.slots[index];
            let scratch = self.scratch(false);
            let align_log2 = self.function.slots[index].align_log2;
            let isa = self.isa;
            // The area has `align` bytes to spare; rounding its upper part down stays inside.
            let start = self.frame_mem(area);
            let start = start.offset(1 << align_log2.min(29)).unwrap_or(start);
            self.rec.hand_over(scratch);
            isa.address(self, scratch, start);
            isa.align_down(self, scratch, align_log2);
            let slot = SlotId::new(index);
            (self.rec).keeps(scratch, scratch, Thing::SlotAddress(slot));
            let bytes = self.isa.desc().pointer_bytes;
            let holder = self.st.frame.allocate_slot(u32::from(bytes));
            let mem = self.frame_mem(holder);
            self.put(self.isa.spill(RegClass::Int, bytes, scratch, mem));
            self.rec.hand_memory(mem.base, mem.disp, Thing::SlotAddress(slot));
            // Rules use that register for other things.
            self.rec.hand_over(scratch);
            self.st.slots[index] = holder;
        }
    }
}
