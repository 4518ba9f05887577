//! The register file of the fast context: allocation, eviction (round robin, values that are already in their slots
//! first), spilling and reloading.

use super::record::{By, Record, log_from};
use super::state::{NO_REG, Owner};
use super::{FastCtx, reg_of};
use crate::annotate;
use crate::context::Context;
use crate::context::frame_code::make_room;
use crate::isa::Isa;
use crate::minst::MInst;
use crate::reg::{PRegSet, Reg, RegClass};
use frazil_ir::{EntityRef, Value};

impl<I: Isa, R: Record> FastCtx<'_, I, R> {
    /// Emits an instruction on the context's own account.
    #[inline]
    pub(super) fn put(&mut self, inst: MInst) {
        self.put_by(inst, By::Context);
    }

    #[inline]
    pub(super) fn put_by(&mut self, inst: MInst, by: By) {
        make_room(self.base.isa, self.base.buf);
        if I::SAVES_SCRATCH {
            self.note_scratch(&inst);
        }
        if R::IS_ON {
            let len = self.base.buf.log().len();
            self.base.isa.encode(&inst, self.base.buf);
            self.rec.emitted(&inst, log_from(self.base.buf, len), by);
        } else {
            self.base.isa.encode(&inst, self.base.buf);
        }
    }

    /// Notes that the scratch register is written, where it is to be saved.
    fn note_scratch(&mut self, inst: &MInst) {
        if self.base.isa.writes_scratch(inst) {
            let scratch = self.base.isa.desc().class(RegClass::Int).scratch;
            self.st.regs.written.insert(scratch);
        }
    }

    /// Whether the value is needed after the current block.
    #[inline]
    pub(super) fn is_live_out(&self, value: Value) -> bool {
        self.st.analysis.values[value.index()]
            .live
            .is_live_out(self.base.position)
    }

    /// Whether the value is used later, in this block or another one.
    #[inline]
    pub(super) fn is_needed(&self, value: Value) -> bool {
        self.st.assigns[value.index()].uses > 0 || self.is_live_out(value)
    }

    /// Whether the operand that is being lowered is the last use of the value.
    #[inline]
    pub(super) fn is_last_use(&self, value: Value) -> bool {
        self.st.assigns[value.index()].uses <= 1 && !self.is_live_out(value)
    }

    /// Allocates a register of a class and pins it; evicts a value if none is free.
    #[inline]
    pub(super) fn allocate(&mut self, class: RegClass, owner: Owner) -> Reg {
        debug_assert!(!self.in_group, "a register is taken inside a group");
        let reg = match self.pick_free(class, PRegSet::EMPTY) {
            Some(reg) => reg,
            None => self.make_room(class),
        };
        self.st.regs.take(reg, owner);
        self.st.regs.pinned.insert(reg);
        if owner == Owner::TEMP {
            self.rec.hand_over(reg);
        }
        reg
    }

    /// A free register outside `avoid`: preferably one that need not be saved, then a callee-saved one that is written
    /// already.
    #[inline]
    fn pick_free(&self, class: RegClass, avoid: PRegSet) -> Option<Reg> {
        let bank = class as u8;
        let free = self.st.regs.free.minus(avoid).bank(usize::from(bank));
        if free == 0 {
            return None;
        }
        let saved = self.base.preserved.bank(usize::from(bank));
        let written = self.st.regs.written.bank(usize::from(bank));
        let cheap = free & !(saved & !written);
        let best = if free & !saved != 0 {
            free & !saved
        } else if cheap != 0 {
            cheap
        } else {
            free
        };
        Some(Reg::physical(bank, best.trailing_zeros() as u8))
    }

    /// Evicts a value that is not pinned, preferably one that is in its slot already; returns its register. If a rule
    /// holds all of them, the function is left to the selecting context, which spills between any two instructions;
    /// until then, some register will do.
    #[cold]
    fn make_room(&mut self, class: RegClass) -> Reg {
        let bank = class.bank();
        let regs = &self.st.regs;
        let allocatable = self.base.isa.desc().class(class).allocatable;
        let candidates = allocatable
            .minus(regs.pinned)
            .minus(regs.fixed)
            .minus(regs.free)
            .bank(bank);
        assert!(
            candidates != 0 || I::HAS_FEW_REGISTERS,
            "a rule holds every register of a class"
        );
        if candidates == 0 {
            self.lacks_registers = true;
            return self.base.isa.desc().class(class).scratch;
        }
        let clock = regs.clock[bank];
        let rotated = candidates.rotate_right(clock);
        let mut chosen = (rotated.trailing_zeros() + clock) & 63;
        let mut rest = rotated;
        while rest != 0 {
            let number = (rest.trailing_zeros() + clock) & 63;
            if self.is_clean(Reg::physical(bank as u8, number as u8)) {
                chosen = number;
                break;
            }
            rest &= rest - 1;
        }
        self.st.regs.clock[bank] = (chosen + 1) & 63;
        let reg = Reg::physical(bank as u8, chosen as u8);
        self.evict(reg);
        reg
    }

    /// Whether a register can be evicted without a spill.
    fn is_clean(&self, reg: Reg) -> bool {
        match self.st.regs.owner[reg.index()].as_part() {
            Some((value, part)) => self.st.assigns[value.index()].stored & (1 << part) != 0 || !self.is_needed(value),
            None => false,
        }
    }

    /// Evicts the value in a register. It is spilled first if it is still needed and not in its slot.
    pub(super) fn evict(&mut self, reg: Reg) {
        if let Some((value, part)) = self.st.regs.owner[reg.index()].as_part() {
            if self.is_needed(value) {
                self.store(value, part, reg);
            }
            self.st.assigns[value.index()].regs[usize::from(part)] = NO_REG;
        }
        self.st.regs.release(reg);
    }

    /// Frees a register that a rule claims: a value in it is copied to a free register outside `avoid`, or spilled.
    /// Does not write `reg`.
    pub(super) fn vacate(&mut self, reg: Reg, avoid: PRegSet) {
        let Some((value, part)) = self.st.regs.owner[reg.index()].as_part() else {
            self.st.regs.release(reg);
            return;
        };
        if self.is_needed(value) {
            let assign = self.st.assigns[value.index()];
            let mut avoid = avoid;
            avoid.insert(reg);
            let other = match assign.stored & (1 << part) {
                0 => self.pick_free(assign.parts.class(), avoid),
                _ => None,
            };
            if let Some(other) = other {
                self.put(
                    self.base
                        .isa
                        .mov(assign.parts.class(), assign.parts.bytes.max(4), other, reg),
                );
                self.st.regs.take(other, Owner::part(value, part));
                self.st.assigns[value.index()].regs[usize::from(part)] = other.index() as u8;
                self.st.regs.release(reg);
                return;
            }
        }
        self.evict(reg);
    }

    /// The offset of the value's frame slot, which is allocated if there is none.
    pub(super) fn slot_of(&mut self, value: Value) -> i32 {
        let assign = self.st.assigns[value.index()];
        if assign.frame != 0 {
            return assign.frame;
        }
        let offset = self.st.frame.allocate_slot(assign.parts.slot_bytes());
        self.st.assigns[value.index()].frame = offset;
        let last = self.st.analysis.values[value.index()]
            .live
            .last()
            .max(self.base.position) as usize;
        self.st.expire_next[value.index()] = self.st.expire_first[last];
        self.st.expire_first[last] = value.as_u32();
        offset
    }

    /// Spills a part from its register, unless it is in its slot already.
    pub(super) fn store(&mut self, value: Value, part: u8, reg: Reg) {
        let assign = self.st.assigns[value.index()];
        if assign.stored & (1 << part) != 0 {
            return;
        }
        let offset = self.slot_of(value) + assign.parts.offset(part);
        let mem = self.frame_mem(offset);
        self.put(
            self.base
                .isa
                .spill(assign.parts.class(), assign.parts.bytes.max(4), reg, mem),
        );
        self.base.buf.remark(annotate::SPILL);
        self.st.assigns[value.index()].stored |= 1 << part;
    }

    /// The register of a part, which is pinned. The part is reloaded if it is in its slot only.
    #[inline]
    pub(super) fn load(&mut self, value: Value, part: u8) -> Reg {
        let assign = self.st.assigns[value.index()];
        if let Some(reg) = reg_of(assign.regs[usize::from(part)]) {
            self.st.regs.pinned.insert(reg);
            return reg;
        }
        debug_assert!(assign.stored & (1 << part) != 0, "{value} part {part} is nowhere");
        let reg = self.allocate(assign.parts.class(), Owner::part(value, part));
        let mem = self.frame_mem(assign.frame + assign.parts.offset(part));
        self.put(
            self.base
                .isa
                .reload(assign.parts.class(), assign.parts.bytes.max(4), reg, mem),
        );
        self.base.buf.remark(annotate::RELOAD);
        self.st.assigns[value.index()].regs[usize::from(part)] = reg.index() as u8;
        reg
    }

    /// Makes the register of a part a temporary of the rule; the value is no longer in it.
    pub(super) fn take_over(&mut self, value: Value, part: u8, reg: Reg) {
        self.st.assigns[value.index()].regs[usize::from(part)] = NO_REG;
        self.st.regs.owner[reg.index()] = Owner::TEMP;
    }

    /// Frees the registers and the slot of a dead value.
    #[inline]
    pub(super) fn forget(&mut self, value: Value) {
        let st = &mut *self.st;
        let assign = &mut st.assigns[value.index()];
        for number in &mut assign.regs[..usize::from(assign.parts.count)] {
            if let Some(reg) = reg_of(*number)
                && !st.regs.fixed.contains(reg)
            {
                st.regs.release(reg);
                *number = NO_REG;
            }
        }
        if assign.frame < 0 {
            let offset = std::mem::take(&mut assign.frame);
            st.frame.free_slot(offset, assign.parts.slot_bytes());
        }
    }

    /// Decrements the remaining uses, and frees the value after its last one.
    #[inline]
    pub(super) fn release_use(&mut self, value: Value) {
        let assign = &mut self.st.assigns[value.index()];
        assign.uses = assign.uses.saturating_sub(1);
        if assign.uses == 0 && !self.is_live_out(value) {
            self.forget(value);
        }
    }

    /// Ends a step: frees temporaries and unpins all registers.
    #[inline]
    pub(super) fn end_step(&mut self) {
        let pinned = self.st.regs.pinned;
        self.st.regs.pinned = PRegSet::EMPTY;
        for reg in pinned.iter() {
            if self.st.regs.owner[reg.index()] == Owner::TEMP {
                self.st.regs.release(reg);
            }
        }
    }

    /// The allocatable registers that values own.
    #[inline]
    pub(super) fn owned(&self) -> PRegSet {
        let desc = self.base.isa.desc();
        let all = desc.classes[0].allocatable.union(desc.classes[1].allocatable);
        all.minus(self.st.regs.free).minus(self.st.regs.fixed)
    }

    /// Stores the values that are live after the current block and are not in their slots.
    pub(super) fn store_live_out(&mut self) {
        for reg in self.owned().iter() {
            if let Some((value, part)) = self.st.regs.owner[reg.index()].as_part()
                && self.is_live_out(value)
            {
                self.store(value, part, reg);
            }
        }
    }

    /// Frees all registers without storing their values.
    pub(super) fn forget_registers(&mut self) {
        for reg in self.owned().iter() {
            if let Some((value, part)) = self.st.regs.owner[reg.index()].as_part() {
                self.st.assigns[value.index()].regs[usize::from(part)] = NO_REG;
            }
            self.st.regs.release(reg);
        }
    }

    /// The scratch register of a class.
    #[inline]
    pub(super) fn scratch(&self, float: bool) -> Reg {
        self.base.isa.desc().classes[usize::from(float)].scratch
    }
}
