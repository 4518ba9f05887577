//! Calls that take the place of the function, in the selecting context: those that must, and of those that may the
//! ones that need no more than the registers and the argument area of the function.
//!
//! Arguments on the stack are written over the function's own: what is read of those is in virtual registers by then,
//! memory that is passed by value apart, which goes through the frame.

use super::SelectCtx;
use crate::abi::ArgLayout;
use crate::branch::CallTarget;
use crate::context::calls::PendingCall;
use crate::context::tail::{may_take_place, memory_arguments, must_take_place, refuse_guarded, refuse_must_tail};
use crate::context::{Addressing, Context, SpecialArguments};
use crate::error::CodegenError;
use crate::isa::Isa;
use crate::mfunc::{RegSets, pseudo};
use crate::minst::{MInst, Mem};
use crate::reg::{PRegSet, RegClass};
use frazil_ir::{Inst, InstData, Refusal};

impl<I: Isa> SelectCtx<'_, I> {
    /// Makes a call that takes the place of the function if it must or may; else says that it is none.
    pub(super) fn take_place(
        &mut self,
        place: (Inst, &InstData),
        call: &PendingCall<'_>,
    ) -> Result<bool, CodegenError> {
        let mut layout = std::mem::take(&mut self.st.layout);
        let parts = &self.st.parts;
        let align = self.base.stack_align;
        layout.compute(call.signature, call.conv, align, &self.base.function.types, |ty| {
            parts[ty.index()]
        })?;
        let must = must_take_place(self, place, call);
        let takes = if must {
            refuse_must_tail(self, place, call, &layout)?;
            refuse_guarded(self, call)?;
            true
        } else {
            !self.keeps_calls && self.frame().guard.is_none() && may_take_place(self, place, call, &layout)
        };
        let outcome = if takes {
            self.make_tail_call(call, &layout, must)
        } else {
            Ok(false)
        };
        self.st.layout = layout;
        outcome
    }

    fn make_tail_call(&mut self, call: &PendingCall<'_>, layout: &ArgLayout, must: bool) -> Result<bool, CodegenError> {
        let isa = self.base.isa;
        let scratch = isa.desc().classes[0].scratch;
        let target = match call.callee.as_symbol() {
            Some(symbol) => CallTarget::Symbol(symbol),
            None => CallTarget::Reg(scratch),
        };
        let Some(inst) = isa.tail_call(self.base.view, target) else {
            return if must {
                Err(CodegenError::unsupported(Refusal::TailCall, "musttail call"))
            } else {
                Ok(false)
            };
        };
        self.move_memory(call, layout);
        let error = self.swift_error_place(call, layout);
        let callee = match target {
            CallTarget::Symbol(_) => None,
            CallTarget::Reg(_) => Some(self.operand_reg(call.callee, 0)),
        };
        self.pass_on_stack(call, layout, Some(self.incoming_offset()));
        let mut uses = self.pass_in_registers(call, layout);
        let bytes = isa.desc().pointer_bytes;
        if let (true, Some(pointer)) = (layout.returns_in_memory, self.result_pointer) {
            let reg = call.conv.result_pointer();
            self.copy(reg, pointer, RegClass::Int, bytes);
            uses.insert(reg);
        }
        if call.signature.variadic {
            uses = uses.union(self.pass_variable(call, layout, must));
        }
        if let Some((reg, mem)) = error {
            self.load_swift_error(reg, mem);
        }
        if let Some(callee) = callee {
            self.copy(scratch, callee, RegClass::Int, bytes);
            uses.insert(scratch);
        }
        self.mfunc.tail_calls.push(inst);
        let mut leave = MInst::new(pseudo::RETURN, 0);
        leave.disp = self.mfunc.tail_calls.len() as i32;
        let defs = PRegSet::EMPTY;
        self.put_with_sets(leave, RegSets { uses, defs });
        self.is_left = true;
        Ok(true)
    }

    /// What a variadic callee is told besides: all that the function was told if it must be called like it.
    #[cold]
    fn pass_variable(&mut self, call: &PendingCall<'_>, layout: &ArgLayout, must: bool) -> PRegSet {
        if must {
            return self.forward_variadic();
        }
        let reg = call.conv.variadic_count;
        if reg.is_none() {
            return PRegSet::EMPTY;
        }
        let isa = self.base.isa;
        isa.int_constant(self, reg, 4, i64::from(layout.float_used_all));
        PRegSet::of(&[reg])
    }

    /// Copies memory that is passed by value to its place, by way of the frame, since its place may be its source's.
    fn move_memory(&mut self, call: &PendingCall<'_>, layout: &ArgLayout) {
        let incoming = self.incoming_offset();
        let mut copies = Vec::new();
        for (index, size, offset) in memory_arguments(call, layout) {
            let source = self.address_of(call.args[index], size);
            if source == Mem::base(self.frame_base(), incoming + offset as i32) {
                continue;
            }
            let copy = self.mfunc.frame.areas.allocate(u64::from(size), 16);
            let mem = self.frame_mem(copy);
            let isa = self.base.isa;
            isa.block_copy(self, mem, source, size);
            copies.push((copy, incoming + offset as i32, size));
        }
        for (from, to, size) in copies {
            let (from, to) = (self.frame_mem(from), self.frame_mem(to));
            let isa = self.base.isa;
            isa.block_copy(self, to, from, size);
        }
    }
}
