//! Invokes, landing pads and `resume` in the selecting context (contract 11).
//!
//! The call of an invoke is the last instruction of its block, so everything that is live after it is in its place
//! when the unwinder takes over. The results of the call are read in a block of their own on the normal edge, which
//! begins with [`pseudo::ARRIVE`], as landing pads do. In a function that moves the stack pointer, an invoke first
//! saves it in the frame for the landing pad, because outgoing arguments may still be on the stack there.

use super::SelectCtx;
use crate::abi::{ArgLayout, PartPlace};
use crate::context::Context;
use crate::context::calls::{pending_call, text_may_unwind};
use crate::error::CodegenError;
use crate::exceptions::{DOES_NOT_UNWIND, pad_of};
use crate::isa::Isa;
use crate::lower_ctx::LowerCtx;
use crate::mfunc::{MBlock, MEdge, RegSets, Term, pseudo};
use crate::minst::MInst;
use crate::reg::{PRegSet, RegClass};
use frazil_ir::{Block, EntityRef, InstData, Refusal, RuntimeFunction, Type};

/// Set in the number of a layout position, it stands for the block that is inserted after that position.
const INSERTED: u32 = 1 << 31;

/// What is known of the function's invokes while it is selected.
#[derive(Debug, Default)]
pub(super) struct Invokes {
    /// Whether the call that is being made is that of an invoke.
    is_invoke: bool,
    /// The first instruction of the block that takes the call's results, once it has begun.
    normal_start: Option<u32>,
    /// The layout positions after which a block was inserted, ascending.
    inserted: Vec<u32>,
    /// The offset of the frame slot that the stack pointer is saved in.
    stack_pointer: Option<i32>,
}

impl Invokes {
    /// Starts a function.
    pub(super) fn start(&mut self) {
        self.is_invoke = false;
        self.normal_start = None;
        self.inserted.clear();
        self.stack_pointer = None;
    }
}

impl<I: Isa> SelectCtx<'_, I> {
    /// The call, marked if it cannot unwind, so that it gets no entry in the unwinder's tables.
    #[cold]
    pub(super) fn note_call(&self, call: MInst, may_unwind: bool) -> MInst {
        if may_unwind {
            call
        } else {
            call.with_condition(DOES_NOT_UNWIND)
        }
    }

    /// Called after the call of an invoke: if results are to be taken or the stack pointer is to be restored, starts
    /// the block on the normal edge for that.
    #[cold]
    pub(super) fn split_invoke(&mut self, layout: &ArgLayout, has_results: bool, moves_stack: bool) {
        if !std::mem::take(&mut self.st.invokes.is_invoke) || !(has_results || moves_stack) {
            return;
        }
        let mut defs = PRegSet::EMPTY;
        for result in &layout.returns {
            for place in &result.places[..usize::from(result.parts.count)] {
                if let PartPlace::Reg(reg) = *place {
                    defs.insert(reg);
                }
            }
        }
        self.begin_normal_edge(defs);
    }

    /// Starts the block on the normal edge; `defs` are the registers with the call's results.
    fn begin_normal_edge(&mut self, defs: PRegSet) {
        self.st.invokes.is_invoke = false;
        self.st.invokes.normal_start = Some(self.mfunc.insts.len() as u32);
        self.rule_start = self.mfunc.insts.len() as u32;
        self.put_arrival(defs);
    }

    /// Whether the call or inline assembly that is being lowered belongs to an invoke, so that it ends its block.
    pub(super) fn is_invoked(&self) -> bool {
        self.st.invokes.is_invoke
    }

    /// Called after the text of an invoke: starts the block on the normal edge, which takes the outputs in these
    /// registers and in memory.
    #[cold]
    pub(super) fn split_invoked_text(&mut self, outputs: PRegSet) {
        self.begin_normal_edge(outputs);
    }

    fn put_arrival(&mut self, defs: PRegSet) {
        let sets = RegSets::new(PRegSet::EMPTY, defs);
        self.put_with_sets(MInst::new(pseudo::ARRIVE, 0), sets);
    }

    /// Lowers an invoke. The edge to the normal successor is made the first one.
    #[cold]
    pub(super) fn lower_invoke(&mut self, block: Block, data: &InstData) -> Result<Term, CodegenError> {
        let function = self.base.function;
        let (normal, unwind) = function.invoke_targets(data);
        let position = self.base.position;
        if normal == unwind || !self.base.buf.exceptions.is_wanted() {
            return Err(CodegenError::unsupported(
                Refusal::Exception,
                "an invoke in a function without personality routine, or to one block only",
            ));
        }
        let first_edge = self.mfunc.edges.len();
        let call = pending_call(self, data)?;
        if call.is_none() && !text_may_unwind(function, data) {
            self.lower_asm_call(data)?;
            self.add_edges(block, |_, _| None);
            let to = self.st.analysis.layout.position[normal.index()];
            let keeps = self.mfunc.edges[first_edge..].iter().position(|edge| edge.to == to);
            self.mfunc.edges.swap(first_edge, first_edge + keeps.unwrap_or(0));
            self.mfunc.edges.truncate(first_edge + 1);
            return Ok(Term::Jump);
        }
        self.base
            .buf
            .exceptions
            .pad_action(function, pad_of(function, unwind))?;
        self.add_edges(block, |_, _| None);
        let to = self.st.analysis.layout.position[normal.index()];
        if self.mfunc.edges[first_edge].to != to {
            self.mfunc.edges.swap(first_edge, first_edge + 1);
        }
        self.keep_stack_pointer();
        self.st.invokes.is_invoke = true;
        match &call {
            Some(call) => self.make_call(call)?,
            None => self.lower_asm_call(data)?,
        }
        self.st.invokes.is_invoke = false;
        if self.st.invokes.normal_start.is_some() {
            let edge = self.mfunc.edges[first_edge];
            self.mfunc.edges[first_edge] = MEdge {
                to: position | INSERTED,
                first_move: 0,
                move_count: 0,
                ..edge
            };
            self.mfunc.edges.push(MEdge {
                from: position | INSERTED,
                ..edge
            });
        }
        Ok(Term::Invoke)
    }

    fn keep_stack_pointer(&mut self) {
        if !self.mfunc.frame.has_dynamic_stack {
            return;
        }
        let desc = self.base.isa.desc();
        let areas = &mut self.mfunc.frame.areas;
        let slot = &mut self.st.invokes.stack_pointer;
        let slot = *slot.get_or_insert_with(|| areas.allocate_slot(u32::from(desc.pointer_bytes)));
        let mem = self.frame_mem(slot);
        let spill = self
            .base
            .isa
            .spill(RegClass::Int, desc.pointer_bytes, desc.stack_pointer, mem);
        self.put(spill);
    }

    /// Lowers a landing pad: copies what the unwinder passes in registers, and restores the stack pointer if the
    /// function moves it.
    #[cold]
    pub(super) fn lower_landing_pad(&mut self, data: &InstData) -> Result<(), CodegenError> {
        let desc = self.base.isa.desc();
        let Some(registers) = desc.exception_registers else {
            return Err(CodegenError::unsupported(Refusal::Exception, "exception handling"));
        };
        let function = self.base.function;
        let is_used = |value: &frazil_ir::Value| function.use_count(*value) > 0;
        let results = || {
            function
                .results(data)
                .zip(registers)
                .filter(|(value, _)| is_used(value))
        };
        let mut defs = PRegSet::EMPTY;
        results().for_each(|(_, reg)| defs.insert(reg));
        self.put_arrival(defs);
        if self.mfunc.frame.has_dynamic_stack {
            let slot = self.st.invokes.stack_pointer;
            let areas = &mut self.mfunc.frame.areas;
            let slot = slot.unwrap_or_else(|| areas.allocate_slot(u32::from(desc.pointer_bytes)));
            self.st.invokes.stack_pointer = Some(slot);
            let mem = self.frame_mem(slot);
            let reload = self
                .base
                .isa
                .reload(RegClass::Int, desc.pointer_bytes, desc.stack_pointer, mem);
            self.put(reload);
        }
        for (value, reg) in results() {
            let parts = self.parts_of(function.value(value).ty);
            let dst = self.vreg(value, 0);
            self.copy(dst, reg, parts.class(), parts.bytes);
        }
        Ok(())
    }

    #[cold]
    pub(super) fn lower_resume(&mut self, data: &InstData) -> Result<Term, CodegenError> {
        self.call_runtime(RuntimeFunction::UnwindResume, &[(data.a, Type::PTR)], None)?;
        self.lower_unreachable();
        Ok(Term::Stop)
    }

    /// Splits the block that has just been appended, if it ends with an invoke whose results are taken, into the block
    /// with the call and the block on its normal edge.
    #[cold]
    pub(super) fn split_block(&mut self) {
        let Some(start) = self.st.invokes.normal_start.take() else {
            return;
        };
        let Some(block) = self.mfunc.blocks.last_mut() else {
            return;
        };
        let whole = *block;
        block.end = start;
        block.edge_count = whole.edge_count - 1;
        self.mfunc.blocks.push(MBlock {
            start,
            first_edge: whole.first_edge + whole.edge_count - 1,
            edge_count: 1,
            term: Term::Jump,
            loop_end: 0,
            ..whole
        });
        self.st.invokes.inserted.push(self.base.position);
    }

    /// Renumbers blocks if some were inserted: until now, edges and loops name them by layout positions.
    #[cold]
    pub(super) fn number_inserted_blocks(&mut self) {
        let inserted = &self.st.invokes.inserted;
        if inserted.is_empty() {
            return;
        }
        let number = |position: u32| {
            let place = position & !INSERTED;
            let before = inserted.partition_point(|&other| other < place) as u32;
            place + before + u32::from(position & INSERTED != 0)
        };
        for edge in &mut self.mfunc.edges {
            edge.from = number(edge.from);
            edge.to = number(edge.to);
        }
        for (own, block) in (0..).zip(&mut self.mfunc.blocks) {
            // The `loop_end` of inserted blocks is not set yet.
            block.loop_end = number(block.loop_end).max(own + 1);
        }
    }
}
