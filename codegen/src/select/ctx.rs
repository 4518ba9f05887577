//! The requests of lowering rules, as the selecting context grants them.

use super::SelectCtx;
use crate::analyze::Mark;
use crate::context::{Addressing, Constants, Context};
use crate::error::CodegenError;
use crate::isa::{Isa, Parts};
use crate::lower_ctx::{GroupKind, ImmKind, LowerCtx, Src, VariadicArea};
use crate::mfunc::{INCOMING, pseudo};
use crate::minst::{Label, MInst, Mem, Ref};
use crate::module_view::ModuleView;
use crate::reg::{PRegSet, Reg, RegClass};
use frazil_ir::{EntityRef, Function, Operand, RuntimeFunction, SlotId, Type, Value};

impl<'a, I: Isa> Context<'a> for SelectCtx<'a, I> {
    type Isa = I;

    #[inline]
    fn isa(&self) -> &'a I {
        self.isa
    }

    #[inline]
    fn function(&self) -> &'a Function {
        self.function
    }

    #[inline]
    fn module_view(&self) -> ModuleView<'a> {
        self.view
    }

    #[inline]
    fn mark(&self, value: Value) -> Mark {
        self.st.analysis.marks[value.index()]
    }

    #[inline]
    fn parts_of(&self, ty: Type) -> Parts {
        self.st.parts[ty.index()]
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

    #[inline]
    fn use_frame(&mut self) {
        self.mfunc.frame.areas.needed = true;
    }

    #[cold]
    fn keep_error(&mut self, error: CodegenError) {
        self.error.get_or_insert(error);
    }

    fn jump_table(&mut self, targets: &[Label]) -> Label {
        self.buf.jump_table(targets.iter().copied())
    }
}

impl<I: Isa> SelectCtx<'_, I> {
    /// A part of an operand in a register: the value's own, or one with a constant.
    #[inline]
    pub(super) fn operand_reg(&mut self, operand: Operand, part: u8) -> Reg {
        match self.own_value(operand) {
            Some(value) => {
                debug_assert!(self.mark(value) != Mark::Folded, "{value} was folded, but not absorbed");
                self.vreg(value, part)
            }
            None => self.constant_reg(operand, part),
        }
    }

    /// A part of a constant, symbol or place in a new register.
    fn constant_reg(&mut self, operand: Operand, part: u8) -> Reg {
        let class = self.fresh_class(operand);
        let bytes = match operand.as_imm() {
            Some(_) => self.imm_bytes,
            None => self.operand_parts(operand).bytes,
        };
        let reg = self.fresh_vreg(class, bytes);
        let before = self.mfunc.insts.len();
        self.make_fresh(operand, part, reg, self.imm_bytes);
        if self.mfunc.insts.len() == before {
            // An undefined value: any contents will do, but something must define the register.
            self.define_any(class, bytes, reg);
        }
        reg
    }

    /// Something in a register whose contents does not matter.
    pub(super) fn define_any(&mut self, class: RegClass, bytes: u8, reg: Reg) {
        let isa = self.isa;
        match class {
            RegClass::Int => isa.int_constant(self, reg, bytes, 0),
            RegClass::Float => isa.float_constant(self, reg, bytes, 0),
        }
    }

    /// Copies a register.
    #[inline]
    pub(super) fn copy(&mut self, dst: Reg, src: Reg, class: RegClass, bytes: u8) {
        self.put(self.isa.mov(class, bytes.max(4), dst, src));
    }
}

impl<I: Isa> LowerCtx for SelectCtx<'_, I> {
    #[inline]
    fn func(&self) -> &Function {
        self.function
    }

    #[inline]
    fn view(&self) -> ModuleView<'_> {
        self.view
    }

    fn is_folded(&self, operand: Operand) -> bool {
        operand.as_value().is_some_and(|value| self.mark(value) == Mark::Folded)
    }

    /// Nothing is pinned.
    fn step(&mut self) {}

    /// The instructions say what they write.
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
            None => self.make_fresh(operand, part, reg, self.imm_bytes),
        }
    }

    fn use_copy(&mut self, operand: Operand, part: u8) -> Reg {
        let Some(value) = self.own_value(operand) else {
            return self.operand_reg(operand, part);
        };
        let parts = self.operand_parts(operand);
        let src = self.vreg(value, part);
        // The rule may extend it to the whole register.
        let bytes = parts.bytes.max(self.isa.desc().class(parts.class()).bytes.min(8));
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

    fn use_reg_or_imm(&mut self, operand: Operand, part: u8, imm: ImmKind) -> Src {
        if let Some(value) = operand.as_imm() {
            let value = if part == 0 { value } else { value >> 63 };
            if imm.accepts(value) {
                return Src::Imm(value as i32);
            }
        }
        Src::Reg(self.operand_reg(operand, part))
    }

    #[inline]
    fn use_addr(&mut self, pointer: Operand, span_bytes: u32) -> Mem {
        self.address_of(pointer, span_bytes)
    }

    #[inline]
    fn def(&mut self, value: Value, part: u8) -> Reg {
        self.vreg(value, part)
    }

    #[inline]
    fn def_reuse(&mut self, value: Value, part: u8, src: Reg) -> Reg {
        let parts = self.st.parts[self.function.value(value).ty.index()];
        let dst = self.vreg(value, part);
        // A copy to a wider register copies what there is: a rule asks for that when the rest is known to be zero.
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
        let bytes = self.isa.desc().class(class).bytes;
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
        self.buf.new_label()
    }

    fn bind(&mut self, label: Label) {
        let mut inst = MInst::new(pseudo::LABEL, 0);
        inst.imm = label.0.cast_signed();
        self.put(inst);
    }

    fn call_runtime(
        &mut self,
        function: RuntimeFunction,
        args: &[(Operand, Type)],
        result: Option<Value>,
    ) -> Result<(), CodegenError> {
        self.lower_runtime_call(function, args, result)
    }

    fn need_frame(&mut self) {
        self.mfunc.frame.areas.needed = true;
        self.mfunc.frame.names_frame_pointer = true;
    }

    fn move_stack(&mut self) {
        debug_assert!(self.mfunc.frame.has_dynamic_stack, "the analysis has seen it");
    }

    fn variadic_area(&mut self) -> Option<VariadicArea> {
        let save = self.variadic_save?;
        let overflow = INCOMING + self.isa.desc().incoming_args_offset + self.incoming_bytes as i32;
        Some(VariadicArea {
            register_save: self.frame_mem(save),
            int_args_used: self.int_args_used,
            float_args_used: self.float_args_used,
            overflow: self.frame_mem(overflow),
        })
    }

    fn pool_constant(&mut self, bytes: &[u8]) -> Ref {
        self.buf.constant(bytes)
    }
}
