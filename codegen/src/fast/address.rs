//! Frame offsets of the function's stack slots.

use super::record::{Record, Thing};
use super::state::NO_REG;
use super::{FastCtx, reg_of};
use crate::context::protector::guarded_slots;
use crate::context::{Addressing, Context, PlaceBase};
use crate::error::CodegenError;
use crate::isa::Isa;
use crate::minst::Mem;
use crate::reg::{Reg, RegClass};
use frazil_ir::module::StackProtector;
use frazil_ir::{EntityRef, Operand, SlotId};

impl<I: Isa, R: Record> FastCtx<'_, I, R> {
    /// Allocates an area of the frame for each stack slot that is used and has no home register. The address of a slot
    /// that needs more alignment than the frame has is computed at function entry and kept in the frame instead.
    pub(super) fn place_slots(&mut self) -> Result<(), CodegenError> {
        let count = self.base.function.slots().len();
        self.st.slots.clear();
        self.st.slots.resize(count, 0);
        self.st.slot_is_indirect.clear();
        self.st.slot_is_indirect.resize(count, false);
        if self.head.stack_protector != StackProtector::None
            && let Some(order) = guarded_slots(self.head, self.base.function, self.base.isa.desc(), self.base.view)?
        {
            // A changed guard leads to a call at the end of the function.
            self.has_calls = true;
            let bytes = self.base.isa.desc().pointer_bytes;
            self.st.frame.guard = Some(self.st.frame.allocate_slot(u32::from(bytes)));
            order.into_iter().for_each(|slot| self.place_slot(slot.index()));
            return Ok(());
        }
        (0..count).for_each(|index| self.place_slot(index));
        Ok(())
    }

    #[inline]
    fn place_slot(&mut self, index: usize) {
        let align_max = u64::from(self.base.stack_align.min(self.base.conv.stack_align));
        let slot = &self.base.function.slots()[index];
        if self.st.slot_homes[index] != NO_REG || self.base.function.use_count(slot.address) == 0 {
            return;
        }
        let align = 1u64 << slot.align_log2.min(32);
        let is_indirect = align > align_max;
        self.st.slots[index] = if is_indirect {
            self.st.frame.allocate(slot.size.saturating_add(align), align_max)
        } else {
            self.st.frame.allocate(slot.size.max(1), align)
        };
        self.st.slot_is_indirect[index] = is_indirect;
        if R::IS_ON && !is_indirect {
            let bytes = u32::try_from(slot.size).unwrap_or(u32::MAX);
            self.rec.slot(self.st.slots[index], bytes);
        }
    }

    /// Tells the recorder of which slot a memory operand of a rule is a part.
    pub(super) fn report_slot(&mut self, pointer: Operand, bytes: u32, mem: Mem) {
        let (base, distance, index) = self.strip_folded(pointer);
        if index.is_none()
            && let Some((PlaceBase::Frame(offset), further)) = self.place(base)
        {
            let distance = distance.wrapping_add(further);
            (self.rec).hand_slot((mem.base_reg(), mem.disp), bytes, offset, distance);
        }
    }

    /// The home register of a stack slot, given its address.
    #[inline]
    pub(super) fn slot_home(&self, pointer: Operand) -> Option<Reg> {
        let slot = self.base.function.slot_of(pointer.as_value()?)?;
        reg_of(self.st.slot_homes[slot.index()])
    }

    /// Computes the addresses of slots that need more alignment than the frame has; part of the entry code.
    pub(super) fn align_slots(&mut self) {
        for index in 0..self.st.slots.len() {
            if !self.st.slot_is_indirect[index] {
                continue;
            }
            let area = self.st.slots[index];
            let scratch = self.scratch(false);
            let align_log2 = self.base.function.slots()[index].align_log2;
            let isa = self.base.isa;
            // The area has `align` bytes to spare; rounding its upper part down stays inside.
            let start = self.frame_mem(area);
            let start = start.offset(1 << align_log2.min(29)).unwrap_or(start);
            self.rec.hand_over(scratch);
            isa.address(self, scratch, start);
            isa.align_down(self, scratch, align_log2);
            let slot = SlotId::new(index);
            (self.rec).keeps(scratch, scratch, Thing::SlotAddress(slot));
            let bytes = self.base.isa.desc().pointer_bytes;
            let holder = self.st.frame.allocate_slot(u32::from(bytes));
            let mem = self.frame_mem(holder);
            self.put(self.base.isa.spill(RegClass::Int, bytes, scratch, mem));
            self.rec.hand_memory(mem.base_reg(), mem.disp, Thing::SlotAddress(slot));
            // The register does not hold the address any longer: rules may overwrite it.
            self.rec.hand_over(scratch);
            self.st.slots[index] = holder;
        }
    }
}
