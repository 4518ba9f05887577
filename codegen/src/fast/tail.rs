//! Calls that take the place of the function, in the fast context: only those that must.
//!
//! Arguments go to registers and to where the function's own arguments on the stack are, all by one parallel move,
//! since they may be made of those. Memory that is passed by value is copied to the frame before and to its place
//! after that, by way of scratch registers. The frame is given back after the body, where it is known: a jump goes
//! there.

use super::FastCtx;
use super::record::Record;
use super::state::FreshPart;
use crate::abi::ArgLayout;
use crate::branch::CallTarget;
use crate::context::calls::PendingCall;
use crate::context::clearing::handed_over;
use crate::context::frame_code::BodySink;
use crate::context::tail::{memory_arguments, refuse_guarded, refuse_must_tail};
use crate::context::{Addressing, Context, SpecialArguments};
use crate::error::CodegenError;
use crate::frame_info::{FrameInfo, FrameSink};
use crate::isa::Isa;
use crate::minst::Mem;
use crate::parallel_move::{Location, Move, Source};
use crate::reg::PRegSet;
use crate::unwind::UnwindOp;
use frazil_ir::{EntityRef, Inst, InstData, ParamKind, Refusal};

/// Bytes that are copied at a time with scratch registers alone.
const PIECE_BYTES: u32 = 32;

impl<I: Isa, R: Record> FastCtx<'_, I, R> {
    /// Makes a call that takes the place of the function.
    #[cold]
    pub(super) fn make_tail_call(
        &mut self,
        place: (Inst, &InstData),
        call: &PendingCall<'_>,
    ) -> Result<(), CodegenError> {
        let mut layout = std::mem::take(&mut self.st.layout);
        let parts = &self.st.parts;
        let align = self.base.stack_align;
        layout.compute(call.signature, call.conv, align, &self.base.function.types, |ty| {
            parts[ty.index()]
        })?;
        refuse_must_tail(self, place, call, &layout)?;
        refuse_guarded(self, call)?;
        if layout.stack_align > self.base.incoming_align {
            return Err(CodegenError::NeedsSelection);
        }
        let copies = self.copy_to_frame(call, &layout);
        let error = self.swift_error_place(call, &layout);
        self.end_step();
        self.clear_argument_area(call, &layout);
        self.collect_tail_moves(call, &layout);
        self.perform_moves();
        let incoming = self.incoming_offset();
        for (from, to, size) in copies {
            let (from, to) = (self.frame_mem(from), self.frame_mem(incoming + to));
            self.copy_pieces(to, from, size);
        }
        if call.signature.variadic {
            self.forward_variadic();
        }
        if let Some((reg, mem)) = error {
            self.load_swift_error(reg, mem);
        }
        let target = match call.callee.as_symbol() {
            Some(symbol) => CallTarget::Symbol(symbol),
            None => CallTarget::Reg(self.load_callee()),
        };
        let Some(inst) = self.base.isa.tail_call(self.base.view, target) else {
            return Err(CodegenError::unsupported(Refusal::TailCall, "musttail call"));
        };
        self.rec.leaves();
        let label = self.base.buf.new_label();
        let kept = match self.head.cleared_registers.is_empty() {
            true => PRegSet::EMPTY,
            false => {
                let scratch = self.base.isa.desc().classes[0].scratch;
                handed_over(&layout, call.conv, call.signature.variadic, scratch)
            }
        };
        self.st.tail_calls.push((label, inst, kept));
        self.put(self.base.isa.jump(label));
        self.st.layout = layout;
        self.is_left = true;
        Ok(())
    }

    /// Copies memory that is passed by value to the frame, unless it is where the callee wants it. Returns where each
    /// copy is, where it is wanted in the argument area, and its size.
    fn copy_to_frame(&mut self, call: &PendingCall<'_>, layout: &ArgLayout) -> Vec<(i32, i32, u32)> {
        let mut copies = Vec::new();
        let incoming = self.incoming_offset();
        for (index, size, offset) in memory_arguments(call, layout) {
            let source = self.address_of(call.args[index], size);
            if source == Mem::base(self.frame_base(), incoming + offset as i32) {
                continue;
            }
            let copy = self.st.frame.allocate(u64::from(size), 16);
            let mem = self.frame_mem(copy);
            self.copy_pieces(mem, source, size);
            self.end_step();
            copies.push((copy, offset as i32, size));
        }
        copies
    }

    fn copy_pieces(&mut self, to: Mem, from: Mem, size: u32) {
        let isa = self.base.isa;
        for start in (0..size).step_by(PIECE_BYTES as usize) {
            let at = |mem: Mem| mem.offset(start as i32).unwrap_or(mem);
            isa.block_copy(self, at(to), at(from), PIECE_BYTES.min(size - start));
        }
    }

    /// Takes what is still in the argument area out of it, if what comes there has other borders: pieces of 16 bytes
    /// would overlap with several of 8, and moves know only places that are the same.
    fn clear_argument_area(&mut self, call: &PendingCall<'_>, layout: &ArgLayout) {
        const WORD_BYTES: u8 = 8;
        if layout.args.iter().all(|arg| arg.parts.bytes <= WORD_BYTES) {
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

    /// The moves of arguments and of the callee's address.
    fn collect_tail_moves(&mut self, call: &PendingCall<'_>, layout: &ArgLayout) {
        self.st.moves.clear();
        let incoming = self.incoming_offset();
        for (index, param) in call.signature.params.iter().enumerate() {
            if matches!(param.kind, ParamKind::ByVal { .. } | ParamKind::SwiftError) {
                continue;
            }
            let arg = &layout.args[index];
            for part in 0..arg.parts.count {
                self.collect_part(call.args[index], arg, part, |offset| {
                    Location::Frame(incoming + offset as i32)
                });
            }
        }
        if let Some(offset) = self.result_pointer {
            let dest = Location::Reg(call.conv.result_pointer());
            self.move_pointer(Source::Location(Location::Frame(offset)), dest);
        }
        if call.callee.as_symbol().is_none() {
            let dest = Location::Frame(self.callee_slot());
            let source = self.source(call.callee, 0);
            self.move_pointer(source, dest);
        }
        self.note_written(layout.kept);
    }

    fn move_pointer(&mut self, source: Source<FreshPart>, dest: Location) {
        self.st.moves.push(Move {
            source,
            dest,
            float: false,
            bytes: self.base.isa.desc().pointer_bytes,
            extend: (0, false),
        });
    }

    /// Emits the ends of calls that take the place of the function.
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
