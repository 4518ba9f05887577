//! Tail calls in the selecting context: mandatory ones (`musttail`), and optional ones whose arguments fit into
//! registers and the function's own area of incoming arguments.
//!
//! Arguments on the stack overwrite the function's incoming arguments. Whatever is read from those is in virtual
//! registers by then, except for memory that is passed by value, which is copied through the frame.

use super::SelectCtx;
use super::calls::CallProgress;
use crate::abi::ArgLayout;
use crate::context::call_plan::{MemoryArgument, SavedMemory};
use crate::context::calls::PendingCall;
use crate::context::tail::{
    leaving_instruction, leaving_register, may_take_place, must_take_place, refuse_guarded, refuse_must_tail,
};
use crate::context::{Addressing, Context};
use crate::error::CodegenError;
use crate::isa::Isa;
use crate::mfunc::{RegSets, pseudo};
use crate::minst::{MInst, Mem};
use crate::reg::{PRegSet, RegClass};
use frazil_ir::{Inst, InstData, Refusal};

impl<I: Isa> SelectCtx<'_, I> {
    /// Makes a call a tail call if it must be one or may be one. Returns false if it is to be an ordinary call.
    pub(super) fn take_place(
        &mut self,
        place: (Inst, &InstData),
        call: &PendingCall<'_>,
    ) -> Result<bool, CodegenError> {
        let mut layout = self.st.layout.take();
        self.lay_out(&mut layout, call.signature, call.conv)?;
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
        self.st.layout.put(layout);
        outcome
    }

    fn make_tail_call(&mut self, call: &PendingCall<'_>, layout: &ArgLayout, must: bool) -> Result<bool, CodegenError> {
        if leaving_instruction(self, call, layout).is_none() {
            return if must {
                Err(CodegenError::unsupported(Refusal::TailCall, "musttail call"))
            } else {
                Ok(false)
            };
        }
        let mut plan = self.st.plan.take();
        plan.plan_tail_call(call, layout, must, false);
        self.carry_out(&mut plan, call, layout);
        self.st.plan.put(plan);
        self.is_left = true;
        Ok(true)
    }

    /// Emits the last step of a tail call: the function's return, with a jump to the callee in place of the return
    /// instruction. An address of the callee is passed in a register that the epilogue leaves alone.
    #[cold]
    pub(super) fn leave_for(&mut self, call: &PendingCall<'_>, layout: &ArgLayout, progress: &mut CallProgress) {
        let Some(inst) = leaving_instruction(self, call, layout) else {
            return;
        };
        if let Some(callee) = progress.callee {
            let free = leaving_register(self.base.isa, call, layout);
            self.copy(free, callee, RegClass::Int, self.base.isa.desc().pointer_bytes);
            progress.uses.insert(free);
        }
        self.mfunc.tail_calls.push(inst);
        let mut leave = MInst::new(pseudo::RETURN, 0);
        leave.disp = self.mfunc.tail_calls.len() as i32;
        let (uses, defs) = (progress.uses, PRegSet::EMPTY);
        self.put_with_sets(leave, RegSets::new(uses, defs));
    }

    /// Copies memory that is passed by value to the frame, unless it is already where the callee expects it. The copy
    /// is needed because the destination of one such argument may be the source of another.
    #[cold]
    pub(super) fn save_memory(&mut self, call: &PendingCall<'_>, memory: MemoryArgument, saved: &mut Vec<SavedMemory>) {
        let MemoryArgument { index, bytes, offset } = memory;
        let source = self.address_of(call.args[index as usize], bytes);
        if source == Mem::base(self.frame_base(), self.incoming_offset() + offset as i32) {
            return;
        }
        let from = self.mfunc.frame.areas.allocate(u64::from(bytes), 16);
        let mem = self.frame_mem(from);
        let isa = self.base.isa;
        isa.block_copy(self, mem, source, bytes);
        let to = offset as i32;
        saved.push(SavedMemory { from, to, bytes });
    }

    /// Copies the memory that was saved in the frame to the argument area.
    #[cold]
    pub(super) fn place_memory(&mut self, saved: &[SavedMemory]) {
        let incoming = self.incoming_offset();
        for memory in saved {
            let (from, to) = (self.frame_mem(memory.from), self.frame_mem(incoming + memory.to));
            let isa = self.base.isa;
            isa.block_copy(self, to, from, memory.bytes);
        }
    }
}
