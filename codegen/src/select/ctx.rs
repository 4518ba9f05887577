//! [`LowerCtx`], the requests of lowering rules, implemented by the selecting context.

use super::{KnownBase, MAX_BASES, MAX_CONSTANTS, SelectCtx};
use crate::analyze::{Analysis, Mark};
use crate::context::calls::call_runtime;
use crate::context::{Addressing, Base, Constants, Context, PlaceBase};
use crate::error::CodegenError;
use crate::frame::Frame;
use crate::frame_info::StackProbes;
use crate::isa::Isa;
use crate::lower_ctx::{AreaArgument, CallSequence, FrameArea, GroupKind, ImmKind, LowerCtx, Src, VariadicArea};
use crate::mfunc::{INCOMING, pseudo};
use crate::minst::{MInst, Mem};
use crate::module_view::ModuleView;
use crate::parts::Parts;
use crate::reference::{Label, Ref};
use crate::reg::{PRegSet, Reg, RegClass};
use frazil_ir::{EntityRef, Function, Operand, RuntimeFunction, SlotId, Type, Value};

impl<'a, I: Isa> Context<'a> for SelectCtx<'a, I> {
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
        &mut self.mfunc.frame.areas
    }

    fn put_own(&mut self, inst: MInst) {
        self.put(inst);
    }

    fn pointer_place(&mut self) -> i32 {
        let bytes = u64::from(self.base.isa.desc().pointer_bytes);
        self.mfunc.frame.areas.allocate(bytes, bytes)
    }

    fn will_move_stack(&mut self) {
        self.mfunc.frame.has_dynamic_stack = true;
    }

    #[inline]
    fn slot_place(&self, slot: SlotId) -> (i32, bool) {
        self.st.slots[slot.index()]
    }

    #[inline]
    fn by_value_place(&self, value: Value) -> i32 {
        self.st.by_value[value.index()]
    }

    #[inline]
    fn frame_base(&self) -> Reg {
        Reg::FRAME
    }

    fn keeps_bases(&self) -> bool {
        true
    }

    fn known_base(&self, place: PlaceBase, distance: i64) -> Option<Reg> {
        let mut bases = self.st.bases.iter();
        let found = bases.find(|base| base.is_known && (base.place, base.distance) == (place, distance));
        found.map(|base| base.reg)
    }

    fn remember_base(&mut self, place: PlaceBase, distance: i64, reg: Reg) {
        // Instructions in a group may be skipped by its branches.
        if self.group_start.is_none() {
            let made_at = self.mfunc.insts.len().saturating_sub(1) as u32;
            self.st.bases.push(KnownBase {
                place,
                distance,
                reg,
                made_at,
                is_known: true,
            });
        }
    }

    #[inline]
    fn incoming_offset(&self) -> i32 {
        INCOMING + self.base.isa.desc().incoming_args_offset
    }
}

impl<I: Isa> SelectCtx<'_, I> {
    /// Says that something is called: neither addresses nor constants are kept in registers beyond that, since
    /// computing one again is cheaper.
    pub(super) fn leave_bases(&mut self) {
        self.forget_constants();
        for base in &mut self.st.bases {
            base.is_known = false;
        }
    }

    /// Forgets the constants that are in registers.
    #[inline]
    pub(super) fn forget_constants(&mut self) {
        self.st.constants.clear();
        self.st.next_constant = 0;
    }

    /// Between instructions: forgets what is too much to be kept.
    #[inline]
    pub(super) fn limit_bases(&mut self) {
        if self.st.bases.len() > MAX_BASES {
            self.forget_bases(MAX_BASES);
        }
    }

    /// Forgets all but so many of the addresses that are in registers. No rule is at work that uses one of them.
    pub(super) fn forget_bases(&mut self, kept: usize) {
        let count = self.st.bases.len() - kept;
        for base in self.st.bases.drain(..count) {
            if let PlaceBase::Symbol(symbol) = base.place
                && base.distance == 0
            {
                let insts = &mut self.mfunc.insts[base.made_at as usize..];
                (self.base.isa).fold_symbol_addr(self.base.view, symbol, base.reg, insts);
            }
        }
    }

    /// A part of an operand in a register: the value's own register, or a new one for a constant, symbol or place.
    #[inline]
    pub(super) fn operand_reg(&mut self, operand: Operand, part: u8) -> Reg {
        match self.own_value(operand) {
            Some(value) => {
                debug_assert!(self.mark(value) != Mark::Folded, "{value} was folded, but not absorbed");
                self.vreg(value, part)
            }
            None => self.shared_constant(operand, part),
        }
    }

    /// A part of a constant, symbol or place in a register that is only read: one that the block has already, where
    /// constants cost instructions of their own.
    fn shared_constant(&mut self, operand: Operand, part: u8) -> Reg {
        let is_constant = operand.as_imm().is_some() || operand.as_const().is_some();
        if !is_constant || self.base.isa.desc().free_immediates.is_none() {
            return self.constant_reg(operand, part, 0);
        }
        let key = (operand, part, self.base.imm_bytes);
        if let Some(&(_, reg)) = self.st.constants.iter().find(|(known, _)| *known == key) {
            return reg;
        }
        let reg = self.constant_reg(operand, part, 0);
        // Instructions in a group may be skipped by its branches.
        if self.group_start.is_none() {
            let oldest = self.st.next_constant;
            self.st.next_constant = (oldest + 1) % MAX_CONSTANTS;
            match self.st.constants.get_mut(oldest) {
                Some(entry) => *entry = (key, reg),
                None => self.st.constants.push((key, reg)),
            }
        }
        reg
    }

    /// A part of a constant, symbol or place in a new register of at least `least_bytes` bytes.
    fn constant_reg(&mut self, operand: Operand, part: u8, least_bytes: u8) -> Reg {
        let class = self.fresh_class(operand);
        let bytes = match operand.as_imm() {
            Some(_) => self.base.imm_bytes,
            None => self.operand_parts(operand).bytes,
        };
        let bytes = bytes.max(least_bytes);
        let reg = self.fresh_vreg(class, bytes);
        self.make_defined(operand, part, reg, bytes);
        reg
    }

    /// Puts a part of a constant, symbol or place into a register. An undefined constant emits nothing, so it gets an
    /// arbitrary value: every register must have a definition.
    fn make_defined(&mut self, operand: Operand, part: u8, reg: Reg, bytes: u8) {
        let before = self.mfunc.insts.len();
        self.make_fresh(operand, part, reg, self.base.imm_bytes);
        if self.mfunc.insts.len() == before {
            self.define_any(self.fresh_class(operand), bytes, reg);
        }
    }

    /// Defines a register whose contents do not matter: with zero.
    pub(super) fn define_any(&mut self, class: RegClass, bytes: u8, reg: Reg) {
        let isa = self.base.isa;
        match class {
            RegClass::Int => isa.int_constant(self, reg, bytes, 0),
            RegClass::Float => isa.float_constant(self, reg, bytes, 0),
            RegClass::Mask => unreachable!("no value is in a mask register"),
        }
    }

    #[inline]
    pub(super) fn copy(&mut self, dst: Reg, src: Reg, class: RegClass, bytes: u8) {
        self.put(self.base.isa.mov(class, bytes.max(4), dst, src));
    }
}

impl<I: Isa> LowerCtx for SelectCtx<'_, I> {
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

    /// No register is reserved between steps, so there is nothing to release.
    fn step(&mut self) {}

    /// The allocator sees in the instructions which fixed registers they overwrite.
    fn claim(&mut self, _fixed: PRegSet) {}

    #[inline]
    fn use_reg(&mut self, operand: Operand, part: u8) -> Reg {
        self.operand_reg(operand, part)
    }

    #[inline]
    fn use_last(&mut self, operand: Operand, part: u8) -> Reg {
        self.operand_reg(operand, part)
    }

    fn use_fixed(&mut self, operand: Operand, part: u8, reg: Reg) {
        match self.own_value(operand) {
            Some(value) => {
                let parts = self.operand_parts(operand);
                let src = self.vreg(value, part);
                self.copy(reg, src, parts.class(), parts.bytes);
            }
            None => self.make_defined(operand, part, reg, self.base.imm_bytes.max(4)),
        }
    }

    fn use_copy(&mut self, operand: Operand, part: u8) -> Reg {
        let parts = self.operand_parts(operand);
        // The rule may extend the copy to the width of a register, so the new register has at least that.
        let bytes = parts.bytes.max(self.base.isa.desc().class(parts.class()).bytes.min(8));
        let Some(value) = self.own_value(operand) else {
            return self.constant_reg(operand, part, bytes);
        };
        let src = self.vreg(value, part);
        let reg = self.fresh_vreg(parts.class(), bytes);
        self.copy(reg, src, parts.class(), parts.bytes);
        reg
    }

    fn use_src(&mut self, operand: Operand, part: u8, imm: ImmKind) -> Src {
        match self.own_value(operand) {
            None => match self.constant_in_memory(operand) {
                Some(mem) => Src::Mem(mem),
                None => self.use_reg_or_imm(operand, part, imm),
            },
            Some(value) => match self.folded_load(value) {
                Some(pointer) => Src::Mem(self.memory_of(pointer)),
                None => Src::Reg(self.vreg(value, part)),
            },
        }
    }

    #[inline]
    fn use_addr(&mut self, pointer: Operand, span_bytes: u32) -> Mem {
        self.address_of(pointer, span_bytes)
    }

    #[inline]
    fn def(&mut self, value: Value, part: u8) -> Reg {
        debug_assert!(
            !self.is_in_flags(value.into()),
            "{value} is in the flags, where its rule leaves nothing"
        );
        self.vreg(value, part)
    }

    #[inline]
    fn def_reuse(&mut self, value: Value, part: u8, src: Reg) -> Reg {
        let parts = self.st.parts[self.base.function.value(value).ty.index()];
        let dst = self.vreg(value, part);
        // If the source is narrower, only its own bytes are copied: a rule asks for this only if it knows that the
        // rest is zero.
        let bytes = match src.is_virtual() {
            true => parts.bytes.min(self.mfunc.vreg(src).bytes),
            false => parts.bytes,
        };
        self.copy(dst, src, parts.class(), bytes);
        dst
    }

    fn def_fixed(&mut self, value: Value, part: u8, reg: Reg) {
        self.def_reuse(value, part, reg);
    }

    #[inline]
    fn temp(&mut self, class: RegClass) -> Reg {
        let bytes = self.base.isa.desc().class(class).bytes;
        self.fresh_vreg(class, bytes)
    }

    #[inline]
    fn emit(&mut self, inst: MInst) {
        self.put(inst);
    }

    fn begin_group(&mut self, _kind: GroupKind) {
        debug_assert!(self.group_start.is_none(), "groups do not nest");
        self.group_start = Some(self.mfunc.insts.len() as u32);
    }

    fn end_group(&mut self) {
        let start = self.group_start.take().expect("a group is open");
        let end = self.mfunc.insts.len() as u32;
        if end > start {
            self.mfunc.groups.push(start..end);
        }
    }

    fn local_label(&mut self) -> Label {
        self.base.buf.new_label()
    }

    fn bind(&mut self, label: Label) {
        let mut inst = MInst::new(pseudo::LABEL, 0);
        inst.imm = label.0.cast_signed();
        self.put(inst);
    }

    fn call_runtime_with(
        &mut self,
        function: RuntimeFunction,
        args: &[(Operand, Type)],
        areas: &[AreaArgument],
        result: Option<Value>,
    ) -> Result<(), CodegenError> {
        call_runtime(self, function, args, areas, result, |cx, call| cx.make_call(call))
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
        self.make_call_sequence(sequence, result)
    }

    fn need_frame(&mut self) {
        self.mfunc.frame.areas.needed = true;
        self.mfunc.frame.names_frame_pointer = true;
    }

    fn stack_probes(&self) -> StackProbes {
        self.base.probes
    }

    fn frame_align(&self) -> u32 {
        self.base.frame_align
    }

    fn move_stack(&mut self) {
        debug_assert!(self.mfunc.frame.has_dynamic_stack, "the analysis has seen it");
    }

    fn variadic_area(&mut self) -> Option<VariadicArea> {
        self.find_variadic_area()
    }

    fn pool_constant(&mut self, bytes: &[u8]) -> Ref {
        self.base.buf.constant(bytes)
    }
}
