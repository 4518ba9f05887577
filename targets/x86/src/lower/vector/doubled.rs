//! Rules for vectors of 128 bits applied to vectors of 256 bits.
//!
//! Most instructions on 256 bits do to each half what those on 128 bits do to all, also where they shuffle. So what a
//! rule for 128 bits makes of them is right for 256 bits if each instruction is replaced by its wide form, and each
//! constant stands in both halves. [`Doubled`] does that between a rule and the context.
//!
//! It is for rules that treat all lanes alike, take no operand from memory, and make nothing of what is no vector of
//! the same width. Instructions without a wide form are none of theirs: [`rows::doubled`] says which have one.

use crate::regs::VECTOR_BYTES;
use crate::rows;
use frazil_codegen::frame_info::StackProbes;
use frazil_codegen::lower_ctx::{AreaArgument, CallSequence, GroupKind, VariadicArea};
use frazil_codegen::{CodegenError, FrameArea, ImmKind, Label, LowerCtx, MInst, Mem, ModuleView, PRegSet, Ref};
use frazil_codegen::{Reg, RegClass, Src};
use frazil_ir::{Function, Operand, RuntimeFunction, Type, Value};

/// A context in which rules for 128 bits are carried out in 256 bits.
pub struct Doubled<'c, C>(pub &'c mut C);

impl<C: LowerCtx> LowerCtx for Doubled<'_, C> {
    fn emit(&mut self, inst: MInst) {
        let doubled = rows::doubled(&inst).expect("the rule has rows for both widths");
        self.0.emit(doubled);
    }

    fn pool_constant(&mut self, bytes: &[u8]) -> Ref {
        debug_assert!(bytes.len() == usize::from(VECTOR_BYTES));
        self.0.pool_constant(&bytes.repeat(2))
    }

    fn func(&self) -> &Function {
        self.0.func()
    }

    fn view(&self) -> ModuleView<'_> {
        self.0.view()
    }

    fn is_folded(&self, operand: Operand) -> bool {
        self.0.is_folded(operand)
    }

    fn step(&mut self) {
        self.0.step();
    }

    fn claim(&mut self, fixed: PRegSet) {
        self.0.claim(fixed);
    }

    fn use_reg(&mut self, operand: Operand, part: u8) -> Reg {
        self.0.use_reg(operand, part)
    }

    fn use_last(&mut self, operand: Operand, part: u8) -> Reg {
        self.0.use_last(operand, part)
    }

    fn use_fixed(&mut self, operand: Operand, part: u8, reg: Reg) {
        self.0.use_fixed(operand, part, reg);
    }

    fn use_copy(&mut self, operand: Operand, part: u8) -> Reg {
        self.0.use_copy(operand, part)
    }

    fn use_src(&mut self, operand: Operand, part: u8, imm: ImmKind) -> Src {
        self.0.use_src(operand, part, imm)
    }

    fn use_addr(&mut self, pointer: Operand, span_bytes: u32) -> Mem {
        self.0.use_addr(pointer, span_bytes)
    }

    fn def(&mut self, value: Value, part: u8) -> Reg {
        self.0.def(value, part)
    }

    fn def_reuse(&mut self, value: Value, part: u8, src: Reg) -> Reg {
        self.0.def_reuse(value, part, src)
    }

    fn def_fixed(&mut self, value: Value, part: u8, reg: Reg) {
        self.0.def_fixed(value, part, reg);
    }

    fn temp(&mut self, class: RegClass) -> Reg {
        self.0.temp(class)
    }

    fn begin_group(&mut self, kind: GroupKind) {
        self.0.begin_group(kind);
    }

    fn end_group(&mut self) {
        self.0.end_group();
    }

    fn local_label(&mut self) -> Label {
        self.0.local_label()
    }

    fn bind(&mut self, label: Label) {
        self.0.bind(label);
    }

    fn call_runtime_with(
        &mut self,
        function: RuntimeFunction,
        args: &[(Operand, Type)],
        areas: &[AreaArgument],
        result: Option<Value>,
    ) -> Result<(), CodegenError> {
        self.0.call_runtime_with(function, args, areas, result)
    }

    fn frame_area(&mut self, bytes: u32, align: u32) -> FrameArea {
        self.0.frame_area(bytes, align)
    }

    fn shared_area(&mut self) -> FrameArea {
        self.0.shared_area()
    }

    fn area_mem(&mut self, area: FrameArea) -> Mem {
        self.0.area_mem(area)
    }

    fn call_sequence(&mut self, sequence: &CallSequence<'_>, result: Value) -> Result<(), CodegenError> {
        self.0.call_sequence(sequence, result)
    }

    fn need_frame(&mut self) {
        self.0.need_frame();
    }

    fn stack_probes(&self) -> StackProbes {
        self.0.stack_probes()
    }

    fn frame_align(&self) -> u32 {
        self.0.frame_align()
    }

    fn move_stack(&mut self) {
        self.0.move_stack();
    }

    fn variadic_area(&mut self) -> Option<VariadicArea> {
        self.0.variadic_area()
    }
}
