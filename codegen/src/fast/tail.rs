//! Tail calls in the fast context: only those that are mandatory (`musttail`).
//!
//! Arguments go to registers and to the stack area of the function's own incoming arguments, in one parallel move,
//! since they may be computed from those. Memory that is passed by value is first copied into the frame, and to its
//! final location after the parallel move, with the help of scratch registers. The epilogue of a tail call stands
//! after the body, when the size of the frame is known, and the call jumps to it.

use super::FastCtx;
use super::calls::CallProgress;
use super::record::Record;
use crate::abi::{ArgLayout, PartPlace};
use crate::context::call_plan::{MemoryArgument, SavedMemory, moved_arguments};
use crate::context::calls::PendingCall;
use crate::context::clearing::handed_over;
use crate::context::frame_code::BodySink;
use crate::context::tail::{leaving_instruction, leaving_register, refuse_guarded, refuse_must_tail};
use crate::context::{Addressing, Context};
use crate::error::CodegenError;
use crate::frame_info::{FrameInfo, FrameSink};
use crate::halt::Halt;
use crate::isa::Isa;
use crate::minst::Mem;
use crate::parallel_move::{Location, Source};
use crate::reg::PRegSet;
use crate::unwind::UnwindOp;
use frazil_ir::{EntityRef, Inst, InstData, Refusal};

/// How many bytes are copied at a time, so that scratch registers suffice.
const PIECE_BYTES: u32 = 32;

impl<I: Isa, R: Record> FastCtx<'_, I, R> {
    /// Makes a mandatory tail call.
    #[cold]
    pub(super) fn make_tail_call(&mut self, place: (Inst, &InstData), call: &PendingCall<'_>) -> Result<(), Halt> {
        let mut layout = self.st.layout.take();
        self.lay_out(&mut layout, call.signature, call.conv)?;
        refuse_must_tail(self, place, call, &layout)?;
        refuse_guarded(self, call)?;
        if layout.stack_align > self.base.incoming_align {
            return Err(Halt::Select);
        }
        if leaving_instruction(self, call, &layout).is_none() {
            return Err(CodegenError::unsupported(Refusal::TailCall, "musttail call").into());
        }
        let mut plan = self.st.plan.take();
        plan.plan_tail_call(call, &layout, true, true);
        self.carry_out(&mut plan, call, &layout, CallProgress::new(false));
        self.st.plan.put(plan);
        self.st.layout.put(layout);
        self.is_left = true;
        Ok(())
    }

    /// Emits the last step of a tail call: a jump to its epilogue, which is emitted later.
    #[cold]
    pub(super) fn leave_for(&mut self, call: &PendingCall<'_>, layout: &ArgLayout) {
        if call.callee.as_symbol().is_none() {
            self.load_callee(leaving_register(self.base.isa, call, layout));
        }
        let Some(inst) = leaving_instruction(self, call, layout) else {
            return;
        };
        self.rec.leaves();
        let label = self.base.buf.new_label();
        let kept = match self.head.cleared_registers.is_empty() {
            true => PRegSet::EMPTY,
            false => {
                let free = leaving_register(self.base.isa, call, layout);
                handed_over(layout, call.conv, call.signature.variadic, free)
            }
        };
        self.st.tail_calls.push((label, inst, kept));
        self.put(self.base.isa.jump(label));
    }

    /// Copies memory that is passed by value to the frame, unless it is already where the callee expects it.
    #[cold]
    pub(super) fn save_memory(&mut self, call: &PendingCall<'_>, memory: MemoryArgument, saved: &mut Vec<SavedMemory>) {
        let MemoryArgument { index, bytes, offset } = memory;
        let source = self.address_of(call.args[index as usize], bytes);
        if source == Mem::base(self.frame_base(), self.incoming_offset() + offset as i32) {
            return;
        }
        let from = self.st.frame.allocate(u64::from(bytes), 16);
        let mem = self.frame_mem(from);
        self.copy_pieces(mem, source, bytes);
        self.end_step();
        let to = offset as i32;
        saved.push(SavedMemory { from, to, bytes });
    }

    /// Copies the memory that was saved in the frame to the argument area.
    #[cold]
    pub(super) fn place_memory(&mut self, saved: &[SavedMemory]) {
        let incoming = self.incoming_offset();
        for memory in saved {
            let (from, to) = (self.frame_mem(memory.from), self.frame_mem(incoming + memory.to));
            self.copy_pieces(to, from, memory.bytes);
        }
    }

    fn copy_pieces(&mut self, to: Mem, from: Mem, size: u32) {
        let isa = self.base.isa;
        for start in (0..size).step_by(PIECE_BYTES as usize) {
            let at = |mem: Mem| mem.offset(start as i32).unwrap_or(mem);
            isa.block_copy(self, at(to), at(from), PIECE_BYTES.min(size - start));
        }
    }

    /// Moves values that are still in the incoming argument area to slots of their own, if some argument has more bytes
    /// than a word: a parallel move compares places for equality only, and would not see that a place of 16 bytes
    /// overlaps two of 8.
    fn clear_argument_area(&mut self, call: &PendingCall<'_>, layout: &ArgLayout) {
        let word_bytes = I::WORD_BYTES;
        if layout.args.iter().all(|arg| arg.parts.bytes <= word_bytes) {
            return;
        }
        for &operand in call.args.iter().chain([&call.callee]) {
            let Some(value) = self.own_value(operand) else { continue };
            let assign = self.st.assigns[value.index()];
            // Slots are below the frame pointer.
            if assign.frame <= 0 {
                continue;
            }
            self.st.assigns[value.index()].frame = 0;
            self.st.assigns[value.index()].stored = 0;
            let (class, bytes) = (assign.parts.class(), assign.parts.bytes.max(4));
            for part in (0..assign.parts.count).filter(|part| assign.stored & (1 << part) != 0) {
                let scratch = self.scratch(assign.parts.float);
                let from = self.frame_mem(assign.frame + assign.parts.offset(part));
                self.put(self.base.isa.reload(class, bytes, scratch, from));
                let slot = self.slot_of(value) + assign.parts.offset(part);
                let to = self.frame_mem(slot);
                self.put(self.base.isa.spill(class, bytes, scratch, to));
                self.st.assigns[value.index()].stored |= 1 << part;
            }
        }
    }

    /// Moves the arguments and the callee's address to their places; stack arguments overwrite the function's own.
    #[cold]
    pub(super) fn replace_arguments(&mut self, call: &PendingCall<'_>, layout: &ArgLayout) {
        self.end_step();
        self.clear_argument_area(call, layout);
        self.st.moves.clear();
        let incoming = self.incoming_offset();
        for (operand, place) in moved_arguments(call, layout) {
            for part in 0..place.parts.count {
                self.collect_part(operand, place, part, |offset| Location::Frame(incoming + offset as i32));
            }
        }
        // On the stack, it has the same place.
        if let (Some(offset), PartPlace::Reg(reg)) = (self.result_pointer, layout.result_pointer) {
            let dest = Location::Reg(reg);
            self.move_pointer(Source::Location(Location::Frame(offset)), dest);
        }
        if call.callee.as_symbol().is_none() {
            let dest = Location::Frame(self.callee_slot());
            let source = self.source(call.callee, 0);
            self.move_pointer(source, dest);
        }
        self.note_written(layout.kept);
        self.perform_moves();
    }

    /// Emits the epilogues of all tail calls, each followed by the jump to the callee.
    pub(super) fn put_tail_calls(&mut self, frame: &FrameInfo) {
        for index in 0..self.st.tail_calls.len() {
            let (label, inst, kept) = self.st.tail_calls[index];
            self.base.buf.bind(label);
            let isa = self.base.isa;
            let mut sink = BodySink {
                isa,
                buf: self.base.buf,
                unwind: self.unwind,
            };
            sink.unwind(UnwindOp::RememberState);
            let frame = FrameInfo {
                keeps_scratch: true,
                ..*frame
            };
            isa.epilogue(&frame, &mut sink);
            if !frame.clearing.is_empty() {
                isa.clear(&frame.clearing.without(kept, 0), &mut sink);
            }
            sink.emit(inst);
            sink.unwind(UnwindOp::RestoreState);
        }
    }
}
