//! Invokes, landing pads and `resume` in the fast context.
//!
//! When an exception reaches a landing pad, the unwinder has restored callee-saved registers and the stack pointer to
//! their contents at the call. So every value that is live after an invoke is stored before the call, and a landing
//! pad finds it in its slot or home register, whatever the normal successor does with registers.
//!
//! An unwind edge needs code of its own if the landing pad has phis, if the call has arguments on the stack, or if it
//! overwrites home registers. That code stands after the code of the normal edge, and preserves the registers in which
//! the unwinder passes the exception.

use super::edges::Exit;
use super::record::{Record, Thing};
use super::{FastCtx, reg_of};
use crate::context::calls::pending_call;
use crate::context::{Context, SpecialArguments};
use crate::error::CodegenError;
use crate::exceptions::{CallSite, Landing, pad_of};
use crate::isa::Isa;
use crate::lower_ctx::LowerCtx;
use crate::reference::Label;
use crate::reg::PRegSet;
use frazil_ir::{Block, Edge, EntityRef, InstData, Opcode, Refusal, RuntimeFunction, Type};

impl<I: Isa, R: Record> FastCtx<'_, I, R> {
    /// Whether `block` ends with an invoke whose landing pad is `next`.
    #[cold]
    pub(super) fn unwinds_to(&self, block: Block, next: Block) -> bool {
        let function = self.base.function;
        let data = function.inst(function.terminator(block));
        data.op == Opcode::Invoke && function.invoke_targets(data).1 == next
    }

    /// Records a call site for the unwind tables: the call instruction that begins at offset `start` and has just been
    /// emitted. `stack` and `homes` become [`FastCtx::moved_stack`] and [`FastCtx::saved_homes`].
    #[cold]
    pub(super) fn note_call_site(&mut self, start: u32, stack: (u32, Option<i32>), homes: (PRegSet, i32)) {
        let end = self.base.buf.offset();
        let landing = self.landing;
        self.moved_stack = stack;
        self.saved_homes = homes;
        self.base
            .buf
            .exceptions
            .call_sites
            .push(CallSite { start, end, landing });
        if landing.is_some() {
            self.rec.unwinds();
        }
    }

    /// Lowers an invoke: the call, and the moves of both edges.
    #[cold]
    pub(super) fn lower_invoke(&mut self, block: Block, data: &InstData) -> Result<(), CodegenError> {
        let function = self.base.function;
        let (normal, unwind) = function.invoke_targets(data);
        let edge_to = |to: Block| {
            function
                .cfg()
                .successors(block)
                .iter()
                .copied()
                .find(|edge| edge.target == to)
        };
        let (Some(normal_edge), Some(unwind_edge)) = (edge_to(normal), edge_to(unwind)) else {
            return Err(CodegenError::unsupported(
                Refusal::Exception,
                "an invoke with edges that do not exist",
            ));
        };
        if normal == unwind || !self.base.buf.exceptions.is_wanted() {
            return Err(CodegenError::unsupported(
                Refusal::Exception,
                "an invoke in a function without personality routine, or to one block only",
            ));
        }
        self.store_live_out();
        self.store_edge_operands(unwind_edge);
        match pending_call(self, data)? {
            None => {
                self.release_operands(data);
                self.take_edge(normal_edge);
            }
            Some(call) => {
                let action = self
                    .base
                    .buf
                    .exceptions
                    .pad_action(function, pad_of(function, unwind))?;
                let label = self.base.buf.new_label();
                self.landing = Some(Landing { label, action });
                let made = self.make_call(&call, true);
                self.landing = None;
                made?;
                self.free_unused_results(data);
                if self.next_block() != Some(normal) || !self.flows_into_next(block) {
                    self.store_live_out();
                }
                self.leave_invoke(normal_edge, unwind_edge, label);
            }
        }
        self.release_edge_operands(normal_edge);
        self.release_edge_operands(unwind_edge);
        Ok(())
    }

    /// Stores the operands of the phis of a landing pad before the call. Otherwise, one of them might be in a register
    /// that the call keeps, and be evicted when results are loaded from memory after the call; that store is on the
    /// normal edge only.
    fn store_edge_operands(&mut self, edge: Edge) {
        let function = self.base.function;
        let start = function.block_insts(edge.target).start;
        let count = self.st.analysis.phi_counts[edge.target.index()] as usize;
        for data in &function.insts()[start..start + count] {
            let Some(value) = self.own_value(function.list(data)[edge.column as usize]) else {
                continue;
            };
            let assign = self.st.assigns[value.index()];
            for part in 0..assign.parts.count {
                if let Some(reg) = reg_of(assign.regs[usize::from(part)])
                    && !self.st.regs.fixed.contains(reg)
                {
                    self.store(value, part, reg);
                }
            }
        }
    }

    /// Emits the code of both edges after the call of an invoke; `label` is the landing label that was noted for the
    /// call.
    fn leave_invoke(&mut self, normal_edge: Edge, unwind_edge: Edge, label: Label) {
        let has_phis = matches!(self.exit(unwind_edge), Exit::Moves);
        let (kept, homes) = self.saved_homes;
        let keeps_homes = self.st.regs.fixed.minus(kept).is_empty();
        let (stack_bytes, old_stack) = self.moved_stack;
        if !has_phis && stack_bytes == 0 && old_stack.is_none() && keeps_homes {
            let pad = self.block_label(unwind_edge.target);
            let site = self.base.buf.exceptions.call_sites.last_mut();
            if let Some(landing) = site.and_then(|site| site.landing.as_mut()) {
                landing.label = pad;
            }
            self.rec.begin_unwind_edge(unwind_edge.target);
            self.rec.end_edge();
            self.take_edge(normal_edge);
            return;
        }
        self.move_phis(normal_edge);
        self.put(self.base.isa.jump(self.block_label(normal_edge.target)));
        self.base.buf.bind(label);
        self.put_mark();
        self.rec.begin_unwind_edge(unwind_edge.target);
        if let Some(offset) = old_stack {
            self.bring_stack_back(offset);
        } else if stack_bytes > 0 {
            self.put(self.base.isa.adjust_stack(stack_bytes.cast_signed()));
        }
        self.restore_homes(kept, homes);
        self.write_phis(unwind_edge);
        self.jump_unless_next(unwind_edge.target);
    }

    /// Lowers a landing pad: its results are in the registers that the unwinder sets.
    #[cold]
    pub(super) fn lower_landing_pad(&mut self, data: &InstData) -> Result<(), CodegenError> {
        let Some(registers) = self.base.isa.desc().exception_registers else {
            return Err(CodegenError::unsupported(Refusal::Exception, "exception handling"));
        };
        self.put_mark();
        for ((value, reg), number) in self.base.function.results(data).zip(registers).zip(0..) {
            if self.st.assigns[value.index()].uses > 0 {
                self.rec.hand_out(reg, Thing::Exception(number));
                self.def_fixed(value, 0, reg);
            }
        }
        self.end_step();
        Ok(())
    }

    #[cold]
    pub(super) fn lower_resume(&mut self, data: &InstData) -> Result<(), CodegenError> {
        self.call_runtime(RuntimeFunction::UnwindResume, &[(data.a, Type::PTR)], None)?;
        self.release_operand(data.a);
        self.release_operand(data.b);
        self.lower_unreachable();
        Ok(())
    }
}
