//! [`LowerCtx`], the requests of lowering rules, implemented by the fast context.

use super::record::{By, Record, Thing};
use super::state::{NO_REG, Owner};
use super::{FastCtx, reg_of};
use crate::analyze::{Analysis, Mark, NO_HINT};
use crate::context::calls::call_runtime;
use crate::context::{Addressing, Base, Constants, Context};
use crate::error::CodegenError;
use crate::frame::Frame;
use crate::frame_info::StackProbes;
use crate::isa::Isa;
use crate::lower_ctx::{AreaArgument, CallSequence, FrameArea, GroupKind, ImmKind, LowerCtx, Src, VariadicArea};
use crate::minst::{MInst, Mem};
use crate::module_view::ModuleView;
use crate::parts::Parts;
use crate::reference::{Label, Ref};
use crate::reg::{PRegSet, Reg, RegClass};
use frazil_ir::{EntityRef, Function, Operand, RuntimeFunction, SlotId, Type, Value};

impl<I: Isa, R: Record> FastCtx<'_, I, R> {
    /// A part of an operand in a pinned register: the value's own register, or a temporary for a constant, symbol or
    /// place.
    #[inline]
    pub(super) fn operand_reg(&mut self, operand: Operand, part: u8) -> Reg {
        if let Some(value) = operand.as_value()
            && !self.is_place_value(value)
        {
            debug_assert!(
                self.st.analysis.values[value.index()].mark != Mark::Folded,
                "{value} was folded, but not absorbed"
            );
            let reg = self.load(value, part);
            self.rec.hand_out(reg, Thing::Part(operand, part));
            return reg;
        }
        let class = self.fresh_class(operand);
        let reg = self.allocate(class, Owner::TEMP);
        self.fresh_to(operand, part, reg, self.base.imm_bytes);
        self.rec.hand_out(reg, Thing::Part(operand, part));
        reg
    }

    /// Makes a part of a constant, symbol or place in a register, without changing flags; see
    /// [`Constants::make_fresh`].
    pub(super) fn fresh_to(&mut self, operand: Operand, part: u8, dst: Reg, imm_bytes: u8) {
        self.rec.hand_over(dst);
        self.rec.keep_flags(true);
        self.make_fresh(operand, part, dst, imm_bytes);
        self.rec.keep_flags(false);
        self.rec.made(dst, Thing::Part(operand, part));
    }

    /// Releases each operand of an instruction that was lowered, left out, or folded.
    pub(super) fn release_operands(&mut self, data: &frazil_ir::InstData) {
        let function = self.base.function;
        function.for_each_operand(data, |operand| self.release_operand(operand));
    }

    /// Counts one use of an operand as done. If its instruction was folded into the user, counts uses of that one's
    /// operands instead.
    #[inline]
    pub(super) fn release_operand(&mut self, operand: Operand) {
        let Some(value) = operand.as_value() else { return };
        match self.st.analysis.values[value.index()].mark {
            Mark::None | Mark::Reads => self.release_use(value),
            Mark::Place | Mark::Flags => {}
            Mark::Folded => {
                let function = self.base.function;
                if let Some(inst) = function.def_inst(value) {
                    self.release_operands(function.inst(inst));
                }
            }
        }
    }
}

impl<'a, I: Isa, R: Record> Context<'a> for FastCtx<'a, I, R> {
    type Isa = I;

    #[inline]
    fn base(&self) -> &Base<'a, I> {
        &self.base
    }

    #[inline]
    fn base_mut(&mut self) -> &mut Base<'a, I> {
        &mut self.base
    }

    #[inline]
    fn analysis(&self) -> &Analysis {
        &self.st.analysis
    }

    #[inline]
    fn parts(&self) -> &[Parts] {
        &self.st.parts
    }

    #[inline]
    fn frame(&mut self) -> &mut Frame {
        &mut self.st.frame
    }

    fn put_own(&mut self, inst: MInst) {
        self.put(inst);
    }

    fn pointer_place(&mut self) -> i32 {
        let bytes = self.base.isa.desc().pointer_bytes;
        self.st.frame.allocate_slot(u32::from(bytes))
    }

    fn will_move_stack(&mut self) {
        self.has_dynamic_stack = true;
    }

    #[inline]
    fn slot_place(&self, slot: SlotId) -> (i32, bool) {
        (self.st.slots[slot.index()], self.st.slot_is_indirect[slot.index()])
    }

    #[inline]
    fn by_value_place(&self, value: Value) -> i32 {
        self.st.assigns[value.index()].frame
    }

    #[inline]
    fn frame_base(&self) -> Reg {
        self.base.isa.desc().frame_pointer
    }

    #[inline]
    fn incoming_offset(&self) -> i32 {
        self.base.isa.desc().incoming_args_offset
    }
}

impl<I: Isa, R: Record> LowerCtx for FastCtx<'_, I, R> {
    const WORD_BYTES: u8 = I::WORD_BYTES;

    #[inline]
    fn func(&self) -> &Function {
        self.base.function
    }

    #[inline]
    fn view(&self) -> ModuleView<'_> {
        self.base.view
    }

    fn is_folded(&self, operand: Operand) -> bool {
        self.is_folded_operand(operand)
    }

    #[inline]
    fn is_in_flags(&self, operand: Operand) -> bool {
        operand.as_value().is_some_and(|value| self.mark(value) == Mark::Flags)
    }

    #[inline]
    fn step(&mut self) {
        self.end_step();
    }

    fn claim(&mut self, fixed: PRegSet) {
        for reg in fixed.iter() {
            self.claim_one(reg, fixed);
        }
    }

    #[inline]
    fn use_reg(&mut self, operand: Operand, part: u8) -> Reg {
        self.operand_reg(operand, part)
    }

    #[inline]
    fn use_last(&mut self, operand: Operand, part: u8) -> Reg {
        self.operand_reg(operand, part)
    }

    fn use_fixed(&mut self, operand: Operand, part: u8, reg: Reg) {
        let own = self.own_value(operand);
        if let Some(value) = own
            && self.st.regs.owner[reg.index()] == Owner::part(value, part)
        {
            if self.is_last_use(value) {
                self.take_over(value, part, reg);
            } else {
                self.vacate(reg, self.st.regs.pinned);
                self.st.regs.take(reg, Owner::TEMP);
            }
            self.st.regs.pinned.insert(reg);
            self.rec.hand_copy(reg, Thing::Part(operand, part));
            return;
        }
        self.claim_one(reg, PRegSet::EMPTY);
        match own {
            None => self.fresh_to(operand, part, reg, self.base.imm_bytes),
            Some(value) => self.copy_part_to(value, part, reg),
        }
        self.rec.hand_copy(reg, Thing::Part(operand, part));
    }

    fn use_copy(&mut self, operand: Operand, part: u8) -> Reg {
        let Some(value) = self.own_value(operand) else {
            let reg = self.operand_reg(operand, part);
            self.rec.hand_copy(reg, Thing::Part(operand, part));
            return reg;
        };
        let assign = self.st.assigns[value.index()];
        if let Some(reg) = reg_of(assign.regs[usize::from(part)])
            && self.is_last_use(value)
            && !self.st.regs.fixed.contains(reg)
            // The rule may have it for reading already.
            && !self.st.regs.pinned.contains(reg)
        {
            self.take_over(value, part, reg);
            self.st.regs.pinned.insert(reg);
            self.rec.hand_copy(reg, Thing::Part(operand, part));
            return reg;
        }
        let reg = self.allocate(assign.parts.class(), Owner::TEMP);
        self.copy_part_to(value, part, reg);
        self.rec.hand_copy(reg, Thing::Part(operand, part));
        reg
    }

    fn use_src(&mut self, operand: Operand, part: u8, imm: ImmKind) -> Src {
        let Some(value) = self.own_value(operand) else {
            return match self.constant_in_memory(operand) {
                Some(mem) => Src::Mem(mem),
                None => self.use_reg_or_imm(operand, part, imm),
            };
        };
        if let Some(pointer) = self.folded_load(value) {
            if let Some(home) = self.slot_home(pointer) {
                if R::IS_ON
                    && let Some(slot) = pointer
                        .as_value()
                        .and_then(|pointer| self.base.function.slot_of(pointer))
                {
                    self.rec.hand_out(home, Thing::SlotContents(slot));
                }
                return Src::Reg(home);
            }
            return Src::Mem(self.address_of(pointer, 16));
        }
        let assign = self.st.assigns[value.index()];
        if assign.regs[usize::from(part)] == NO_REG && self.is_last_use(value) {
            let mem = self.frame_mem(assign.frame + assign.parts.offset(part));
            (self.rec).hand_memory(mem.base_reg(), mem.disp, Thing::Part(operand, part));
            return Src::Mem(mem);
        }
        let reg = self.load(value, part);
        self.rec.hand_out(reg, Thing::Part(operand, part));
        Src::Reg(reg)
    }

    #[inline]
    fn use_addr(&mut self, pointer: Operand, span_bytes: u32) -> Mem {
        let mem = self.address_of(pointer, span_bytes);
        if R::IS_ON {
            self.report_slot(pointer, span_bytes, mem);
        }
        mem
    }

    #[inline]
    fn def(&mut self, value: Value, part: u8) -> Reg {
        debug_assert!(
            !self.is_in_flags(value.into()),
            "{value} is in the flags, where its rule leaves nothing"
        );
        if let Some(home) = self.st.home(value) {
            self.rec.hand_result(home, Thing::value(value, part));
            return home;
        }
        let owner = Owner::part(value, part);
        let hint = self.st.analysis.values[value.index()].hint;
        let reg = if hint != NO_HINT && part == 0 && self.st.regs.free.contains(Reg(u32::from(hint))) {
            let reg = Reg(u32::from(hint));
            self.st.regs.take(reg, owner);
            self.st.regs.pinned.insert(reg);
            reg
        } else {
            let class = self.st.assigns[value.index()].parts.class();
            self.allocate(class, owner)
        };
        self.st.assigns[value.index()].regs[usize::from(part)] = reg.index() as u8;
        self.rec.hand_result(reg, Thing::value(value, part));
        reg
    }

    #[inline]
    fn def_reuse(&mut self, value: Value, part: u8, src: Reg) -> Reg {
        let parts = self.st.assigns[value.index()].parts;
        let owner = self.st.regs.owner[src.index()];
        let free_after = match owner.as_part() {
            Some((old, _)) => self.is_last_use(old) && !self.st.regs.fixed.contains(src),
            None => owner == Owner::TEMP,
        };
        if free_after && self.st.home(value).is_none() && src.bank() == parts.class() as usize {
            if let Some((old, old_part)) = owner.as_part() {
                self.st.assigns[old.index()].regs[usize::from(old_part)] = NO_REG;
            }
            self.set_owner(value, part, src);
            self.rec.keeps(src, src, Thing::value(value, part));
            return src;
        }
        let dst = self.def(value, part);
        self.rec.will_keep(src, Thing::value(value, part));
        self.put(self.base.isa.mov(parts.class(), parts.bytes.max(4), dst, src));
        self.rec.keeps(dst, src, Thing::value(value, part));
        dst
    }

    fn def_fixed(&mut self, value: Value, part: u8, reg: Reg) {
        if let Some(home) = self.st.home(value) {
            let parts = self.st.assigns[value.index()].parts;
            self.rec.will_keep(reg, Thing::value(value, part));
            self.put(self.base.isa.mov(parts.class(), parts.bytes.max(4), home, reg));
            self.rec.keeps(home, reg, Thing::value(value, part));
            return;
        }
        self.st.regs.take(reg, Owner::part(value, part));
        self.st.assigns[value.index()].regs[usize::from(part)] = reg.index() as u8;
        self.rec.keeps(reg, reg, Thing::value(value, part));
    }

    #[inline]
    fn temp(&mut self, class: RegClass) -> Reg {
        self.allocate(class, Owner::TEMP)
    }

    #[inline]
    fn emit(&mut self, inst: MInst) {
        self.put_by(inst, By::Rule);
    }

    fn begin_group(&mut self, _kind: GroupKind) {
        debug_assert!(!self.in_group, "groups do not nest");
        self.in_group = true;
        self.rec.group(true);
    }

    fn end_group(&mut self) {
        debug_assert!(self.in_group, "no group is open");
        self.in_group = false;
        self.rec.group(false);
    }

    fn local_label(&mut self) -> Label {
        self.base.buf.new_label()
    }

    fn bind(&mut self, label: Label) {
        self.base.buf.bind(label);
    }

    fn call_runtime_with(
        &mut self,
        function: RuntimeFunction,
        args: &[(Operand, Type)],
        areas: &[AreaArgument],
        result: Option<Value>,
    ) -> Result<(), CodegenError> {
        self.end_step();
        call_runtime(self, function, args, areas, result, |cx, call| {
            cx.make_call(call, false)
        })
    }

    fn frame_area(&mut self, bytes: u32, align: u32) -> FrameArea {
        FrameArea(self.frame().allocate(u64::from(bytes), u64::from(align)))
    }

    fn shared_area(&mut self) -> FrameArea {
        FrameArea(self.frame().shared_area())
    }

    fn area_mem(&mut self, area: FrameArea) -> Mem {
        self.frame_mem(area.0)
    }

    fn call_sequence(&mut self, sequence: &CallSequence<'_>, result: Value) -> Result<(), CodegenError> {
        self.end_step();
        self.make_call_sequence(sequence, result)
    }

    fn need_frame(&mut self) {
        self.st.frame.needed = true;
    }

    fn stack_probes(&self) -> StackProbes {
        self.base.probes
    }

    fn frame_align(&self) -> u32 {
        self.base.frame_align
    }

    fn move_stack(&mut self) {
        self.has_dynamic_stack = true;
    }

    fn variadic_area(&mut self) -> Option<VariadicArea> {
        self.find_variadic_area()
    }

    fn pool_constant(&mut self, bytes: &[u8]) -> Ref {
        self.base.buf.constant(bytes)
    }
}

impl<I: Isa, R: Record> FastCtx<'_, I, R> {
    /// Pins a register for the rule, which may overwrite it. A value in it moves to a register that is neither in
    /// `others` nor pinned, or to its slot.
    fn claim_one(&mut self, reg: Reg, others: PRegSet) {
        debug_assert!(!self.in_group, "a register is claimed inside a group");
        let owner = self.st.regs.owner[reg.index()];
        if owner.as_part().is_some() {
            self.vacate(reg, others.union(self.st.regs.pinned));
        }
        self.st.regs.take(reg, Owner::TEMP);
        self.st.regs.pinned.insert(reg);
        self.rec.hand_over(reg);
    }

    /// Makes a part of a value the owner of a register.
    #[inline]
    fn set_owner(&mut self, value: Value, part: u8, reg: Reg) {
        self.st.regs.owner[reg.index()] = Owner::part(value, part);
        self.st.assigns[value.index()].regs[usize::from(part)] = reg.index() as u8;
    }

    /// Copies a part from its register or slot to a register of the rule.
    pub(super) fn copy_part_to(&mut self, value: Value, part: u8, dst: Reg) {
        let assign = self.st.assigns[value.index()];
        let (class, bytes) = (assign.parts.class(), assign.parts.bytes);
        let inst = match reg_of(assign.regs[usize::from(part)]) {
            Some(src) => self.base.isa.mov(class, bytes.max(4), dst, src),
            None => {
                debug_assert!(assign.stored & (1 << part) != 0, "{value} part {part} is nowhere");
                let mem = self.frame_mem(assign.frame + assign.parts.offset(part));
                self.base.isa.reload(class, bytes.max(4), dst, mem)
            }
        };
        self.put(inst);
    }
}
