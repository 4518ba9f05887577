//! What contexts that stand between a rule and its context pass on as it is.
//!
//! Such a context ([`super::spaces`], [`super::vector::doubled`]) says itself what it does with addresses,
//! instructions, groups, calls and constants in memory.

/// Implements all other requests of [`LowerCtx`](frazil_codegen::LowerCtx) by those of a field.
macro_rules! forward_requests {
    ($field:ident) => {
        fn func(&self) -> &frazil_ir::Function {
            self.$field.func()
        }

        fn view(&self) -> frazil_codegen::ModuleView<'_> {
            self.$field.view()
        }

        fn is_folded(&self, operand: frazil_ir::Operand) -> bool {
            self.$field.is_folded(operand)
        }
        fn is_in_flags(&self, bit: frazil_ir::Operand) -> bool {
            self.$field.is_in_flags(bit)
        }

        fn step(&mut self) {
            self.$field.step();
        }

        fn claim(&mut self, fixed: frazil_codegen::PRegSet) {
            self.$field.claim(fixed);
        }

        fn use_reg(&mut self, operand: frazil_ir::Operand, part: u8) -> frazil_codegen::Reg {
            self.$field.use_reg(operand, part)
        }

        fn use_last(&mut self, operand: frazil_ir::Operand, part: u8) -> frazil_codegen::Reg {
            self.$field.use_last(operand, part)
        }

        fn use_fixed(&mut self, operand: frazil_ir::Operand, part: u8, reg: frazil_codegen::Reg) {
            self.$field.use_fixed(operand, part, reg);
        }

        fn use_copy(&mut self, operand: frazil_ir::Operand, part: u8) -> frazil_codegen::Reg {
            self.$field.use_copy(operand, part)
        }

        fn use_src(
            &mut self,
            operand: frazil_ir::Operand,
            part: u8,
            imm: frazil_codegen::ImmKind,
        ) -> frazil_codegen::Src {
            self.$field.use_src(operand, part, imm)
        }

        fn def(&mut self, value: frazil_ir::Value, part: u8) -> frazil_codegen::Reg {
            self.$field.def(value, part)
        }

        fn def_reuse(&mut self, value: frazil_ir::Value, part: u8, src: frazil_codegen::Reg) -> frazil_codegen::Reg {
            self.$field.def_reuse(value, part, src)
        }

        fn def_fixed(&mut self, value: frazil_ir::Value, part: u8, reg: frazil_codegen::Reg) {
            self.$field.def_fixed(value, part, reg);
        }

        fn temp(&mut self, class: frazil_codegen::RegClass) -> frazil_codegen::Reg {
            self.$field.temp(class)
        }

        fn local_label(&mut self) -> frazil_codegen::Label {
            self.$field.local_label()
        }

        fn bind(&mut self, label: frazil_codegen::Label) {
            self.$field.bind(label);
        }

        fn frame_area(&mut self, bytes: u32, align: u32) -> frazil_codegen::FrameArea {
            self.$field.frame_area(bytes, align)
        }

        fn shared_area(&mut self) -> frazil_codegen::FrameArea {
            self.$field.shared_area()
        }

        fn area_mem(&mut self, area: frazil_codegen::FrameArea) -> frazil_codegen::Mem {
            self.$field.area_mem(area)
        }

        fn need_frame(&mut self) {
            self.$field.need_frame();
        }

        fn frame_align(&self) -> u32 {
            self.$field.frame_align()
        }

        fn stack_probes(&self) -> frazil_codegen::StackProbes {
            self.$field.stack_probes()
        }

        fn move_stack(&mut self) {
            self.$field.move_stack();
        }

        fn variadic_area(&mut self) -> Option<frazil_codegen::VariadicArea> {
            self.$field.variadic_area()
        }
    };
}
pub(crate) use forward_requests;
