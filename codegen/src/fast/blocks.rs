//! The walk over blocks and instructions, and the terminators: branches, and which successor becomes the fall-through.

use super::FastCtx;
use super::edges::Exit;
use super::record::{By, Record, Thing};
use crate::abi::unsupported_type;
use crate::annotate;
use crate::branch::Branch;
use crate::context::Context;
use crate::context::frame_code::put_branch;
use crate::error::CodegenError;
use crate::frame_info::FrameSink;
use crate::halt::Halt;
use crate::included;
use crate::isa::Isa;
use crate::lower_ctx::LowerCtx;
use crate::minst::MInst;
use crate::reference::Label;
use crate::reg::Reg;
use crate::unwind::UnwindOp;
use frazil_ir::{Block, Edge, EntityRef, Inst, InstData, MemFlags, Opcode, Refusal, Type, Value};

impl<I: Isa, R: Record> FastCtx<'_, I, R> {
    /// Lowers every reachable block in layout order.
    pub(super) fn lower_blocks(&mut self) -> Result<(), Halt> {
        for position in 0..self.st.analysis.layout.order.len() {
            let block = self.st.analysis.layout.order[position];
            self.base.position = position as u32;
            self.base.buf.bind(self.block_label(block));
            if self.base.buf.block_addresses.is_some() {
                self.bind_address(block);
            }
            self.rec.block(block);
            let start = self.base.buf.offset();
            self.define_phis(block);
            let range = self.base.function.block_insts(block);
            let first = range.start + self.st.analysis.phi_counts[block.index()] as usize;
            for index in first..range.end {
                let inst = Inst::new(index);
                if self.base.buf.is_observed() {
                    self.observe(index, index == first);
                }
                self.lower_inst(block, inst)
                    .map_err(|halt| halt.at(self.base.function, self.base.view.module, inst))?;
            }
            if self.base.buf.offset() == start {
                self.keep_jump(block);
            }
            self.end_block(block);
        }
        Ok(())
    }

    /// Puts an instruction that does nothing into a block without any that goes on to the next one: the line of its
    /// jump is where a debugger stops, as at `break`, and `llc` has a jump there.
    #[cold]
    fn keep_jump(&mut self, block: Block) {
        let goes_on = self.base.function.block_insts(block).last();
        if goes_on.is_some_and(|last| self.base.function.insts()[last].op == Opcode::Jump)
            && let Some((filler, _)) = self.base.isa.filler(1)
        {
            self.emit(filler);
        }
    }

    /// Notes what is to be said of the next instruction, which may be the first of its block.
    #[cold]
    #[inline(never)]
    fn observe(&mut self, index: usize, begins: bool) {
        if self.base.buf.is_marking() {
            self.mark_location(index, begins);
        }
        if included::TEXT && self.base.buf.is_annotating() {
            let registers = (self.owned(), crate::reg::PRegSet::EMPTY);
            let base = &self.base;
            let note = annotate::note(base.isa.desc(), base.function, base.view, index as u32, registers);
            self.base.buf.annotate(note);
        }
    }

    /// Says that the phis of a block are in their slots when it begins, except for those with home registers.
    fn define_phis(&mut self, block: Block) {
        let start = self.base.function.block_insts(block).start;
        for index in start..start + self.st.analysis.phi_counts[block.index()] as usize {
            let phi = Value::new(self.base.function.insts()[index].result as usize);
            if self.base.function.use_count(phi) > 0 && self.st.home(phi).is_none() {
                self.slot_of(phi);
                self.st.assigns[phi.index()].stored = u8::MAX;
            }
        }
    }

    #[inline(always)]
    fn lower_inst(&mut self, block: Block, inst: Inst) -> Result<(), Halt> {
        let function = self.base.function;
        let data = function.inst(inst);
        if data.op.is_terminator() {
            return Ok(self.lower_terminator(block, data)?);
        }
        if let Some(first) = data.first_result() {
            if self.st.analysis.values[first.index()].mark.is_elsewhere() {
                return Ok(());
            }
            if data.op.is_removable() && self.is_dead(data, first) {
                self.release_operands(data);
                return Ok(());
            }
        }
        self.base.imm_bytes = self.immediate_bytes(data);
        if !self.st.parts[data.ty.index()].is_scalar() && data.ty != Type::VOID {
            return self.lower_vector(inst, data);
        }
        match data.op {
            Opcode::Nop => {}
            Opcode::Call => self.lower_call(inst, data)?,
            Opcode::Load if let Some(home) = self.slot_home(data.a) => self.load_from_home(data, home),
            Opcode::Store if let Some(home) = self.slot_home(data.b) => self.store_to_home(data, home),
            Opcode::LandingPad => self.lower_landing_pad(data)?,
            Opcode::EhTypeidFor => {
                self.lower_type_number(data)?;
                self.end_step();
                self.free_unused_results(data);
            }
            _ => {
                let isa = self.base.isa;
                isa.lower(self, inst)?;
                self.need_registers()?;
                self.end_step();
                self.release_operands(data);
                self.free_unused_results(data);
            }
        }
        Ok(())
    }

    /// Leaves the function to the selecting context if a rule had not registers enough.
    #[inline]
    fn need_registers(&self) -> Result<(), Halt> {
        match I::HAS_FEW_REGISTERS && self.lacks_registers {
            true => Err(Halt::Select),
            false => Ok(()),
        }
    }

    /// Lowers an instruction whose type is a vector, or refuses it if the type is not supported.
    #[cold]
    fn lower_vector(&mut self, inst: Inst, data: &InstData) -> Result<(), Halt> {
        if self.st.parts[data.ty.index()].count == 0 {
            return Err(unsupported_type(self.base.function.types(), data.ty).into());
        }
        match data.op {
            Opcode::Load if let Some(home) = self.slot_home(data.a) => self.load_from_home(data, home),
            Opcode::Store if let Some(home) = self.slot_home(data.b) => self.store_to_home(data, home),
            _ => {
                let isa = self.base.isa;
                isa.lower_vector(self, inst)?;
                self.need_registers()?;
                self.end_step();
                self.release_operands(data);
                self.free_unused_results(data);
            }
        }
        Ok(())
    }

    /// Lowers a load from a stack slot with a home register: a copy.
    fn load_from_home(&mut self, data: &InstData, home: Reg) {
        let value = Value::new(data.result as usize);
        let parts = self.st.assigns[value.index()].parts;
        let dst = self.def(value, 0);
        self.put(self.base.isa.mov(parts.class(), parts.bytes.max(4), dst, home));
        if R::IS_ON
            && let Some(slot) = data
                .a
                .as_value()
                .and_then(|pointer| self.base.function.slot_of(pointer))
        {
            self.rec.becomes(dst, Thing::SlotContents(slot), Thing::value(value, 0));
        }
        self.end_step();
    }

    /// Lowers a store to a stack slot with a home register: a copy, or a constant.
    fn store_to_home(&mut self, data: &InstData, home: Reg) {
        match self.own_value(data.a) {
            Some(value) => self.copy_part_to(value, 0, home),
            None => self.fresh_to(data.a, 0, home, self.base.imm_bytes),
        }
        if R::IS_ON
            && let Some(slot) = data
                .b
                .as_value()
                .and_then(|pointer| self.base.function.slot_of(pointer))
        {
            (self.rec).becomes(home, Thing::Part(data.a, 0), Thing::SlotContents(slot));
        }
        self.end_step();
        self.release_operands(data);
    }

    /// Whether no result of a removable instruction is used. Volatile loads count as used.
    #[inline]
    fn is_dead(&self, data: &InstData, first: Value) -> bool {
        if self.st.assigns[first.index()].uses > 0 {
            return false;
        }
        if data.op == Opcode::Load && MemFlags(data.flags).is_volatile() {
            return false;
        }
        self.base
            .function
            .results(data)
            .all(|value| self.st.assigns[value.index()].uses == 0)
    }

    /// Frees the registers of results that have no uses.
    #[inline]
    pub(super) fn free_unused_results(&mut self, data: &InstData) {
        let Some(first) = data.first_result() else { return };
        let count = self.base.function.result_count(data);
        for index in first.index()..first.index() + count {
            if self.st.assigns[index].uses == 0 {
                self.forget(Value::new(index));
            }
        }
    }

    /// Ends a block, after its terminator: frees the registers and slots of values whose live ranges end here.
    fn end_block(&mut self, block: Block) {
        self.end_step();
        let position = self.base.position as usize;
        if self.flows_into_next(block) {
            for reg in self.owned().iter() {
                if let Some((value, _)) = self.st.regs.owner[reg.index()].as_part()
                    && !self.is_live_out(value)
                {
                    self.forget(value);
                }
            }
        } else {
            self.forget_registers();
        }
        let mut next = self.st.expire_first[position];
        while next != u32::MAX {
            let value = Value::new(next as usize);
            next = self.st.expire_next[value.index()];
            self.forget(value);
        }
    }

    /// Whether the next block in layout has only this predecessor, by an edge that keeps the contents of registers.
    pub(super) fn flows_into_next(&self, block: Block) -> bool {
        match self.next_block() {
            Some(next) => {
                *self.base.function.predecessors(next) == [block]
                    && !(self.base.buf.exceptions.is_wanted() && self.unwinds_to(block, next))
            }
            None => false,
        }
    }

    /// The next block in layout.
    pub(super) fn next_block(&self) -> Option<Block> {
        self.st
            .analysis
            .layout
            .order
            .get(self.base.position as usize + 1)
            .copied()
    }

    fn lower_terminator(&mut self, block: Block, data: &InstData) -> Result<(), CodegenError> {
        self.base.imm_bytes = self.immediate_bytes(data);
        match data.op {
            Opcode::Jump => {
                if self.next_block() != Some(data.target()) || !self.flows_into_next(block) {
                    self.store_live_out();
                }
                let edge = self.base.function.cfg().successors(block)[0];
                self.take_edge(edge);
                self.release_edge_operands(edge);
            }
            Opcode::Branch => self.lower_branch(block, data)?,
            Opcode::Switch => self.lower_switch(block, data)?,
            Opcode::Return => self.lower_return(data)?,
            Opcode::Unreachable => self.lower_unreachable(),
            Opcode::Invoke => self.lower_invoke(block, data)?,
            Opcode::Resume => self.lower_resume(data)?,
            Opcode::IndirectJump => self.lower_indirect_jump(block, data)?,
            other => {
                return Err(CodegenError::unsupported(
                    Refusal::Instruction,
                    format!("terminator {}", other.name()),
                ));
            }
        }
        Ok(())
    }

    /// Emits a trap if this is the end of the function, so that a function is never empty and never ends with a call,
    /// whose return address unwinders would attribute to the next function. Elsewhere, unreachable code needs no
    /// instruction.
    pub(super) fn lower_unreachable(&mut self) {
        if self.next_block().is_none() {
            let isa = self.base.isa;
            self.emit(isa.trap());
        }
    }

    fn lower_branch(&mut self, block: Block, data: &InstData) -> Result<(), CodegenError> {
        self.store_live_out();
        let edges = self.base.function.cfg().successors(block);
        let isa = self.base.isa;
        if let [only] = *edges {
            self.release_operand(data.a);
            self.take_edge(only);
            self.release_edge_operands(only);
            return Ok(());
        }
        let (then_edge, else_edge) = (edges[0], edges[1]);
        if let Some(constant) = data.a.as_imm() {
            self.take_edge(if constant != 0 { then_edge } else { else_edge });
        } else {
            let branch = isa.lower_branch(self, data.a)?;
            self.end_step();
            self.branch_to_edges(branch, then_edge, else_edge);
        }
        self.release_operand(data.a);
        self.release_edge_operands(then_edge);
        self.release_edge_operands(else_edge);
        Ok(())
    }

    /// Emits a two-way branch and the moves on its edges.
    fn branch_to_edges(&mut self, branch: Branch, then_edge: Edge, else_edge: Edge) {
        let then_exit = self.exit(then_edge);
        let else_exit = self.exit(else_edge);
        let next = self.next_block();
        // The code of edges with moves stands right after the branch. The edge to the next block comes last, to fall
        // through.
        match (then_exit, else_exit) {
            (Exit::Direct(then_label), Exit::Direct(else_label)) => {
                if next == Some(then_edge.target) {
                    self.put_branch(branch, then_label, else_label, true);
                } else {
                    self.put_branch(branch, then_label, else_label, false);
                    self.jump_unless_next(else_edge.target);
                }
                self.rec.direct_edge(then_edge.target);
                self.rec.direct_edge(else_edge.target);
            }
            (Exit::Direct(then_label), Exit::Moves) => {
                let here = self.base.buf.new_label();
                self.put_branch(branch, then_label, here, false);
                self.rec.direct_edge(then_edge.target);
                self.base.buf.bind(here);
                self.take_edge(else_edge);
            }
            (Exit::Moves, Exit::Direct(else_label)) => {
                let here = self.base.buf.new_label();
                self.put_branch(branch, here, else_label, true);
                self.rec.direct_edge(else_edge.target);
                self.base.buf.bind(here);
                self.take_edge(then_edge);
            }
            (Exit::Moves, Exit::Moves) => {
                let far = self.base.buf.new_label();
                let near = self.base.buf.new_label();
                let then_last = next == Some(then_edge.target);
                let (first, last) = if then_last {
                    (else_edge, then_edge)
                } else {
                    (then_edge, else_edge)
                };
                let (then_label, else_label) = if then_last { (far, near) } else { (near, far) };
                self.put_branch(branch, then_label, else_label, !then_last);
                self.base.buf.bind(near);
                self.move_phis(first);
                self.put(self.base.isa.jump(self.block_label(first.target)));
                self.base.buf.bind(far);
                self.take_edge(last);
            }
        }
    }

    /// Emits a branch with [`put_branch`]; its instructions read registers that a rule was given.
    fn put_branch(&mut self, branch: Branch, then_label: Label, else_label: Label, then_follows: bool) {
        put_branch(
            self.base.isa,
            &mut RuleSink(self),
            branch,
            (then_label, else_label),
            then_follows,
        );
    }

    /// Jumps to a block unless it is the next one in layout.
    pub(super) fn jump_unless_next(&mut self, target: Block) {
        if self.next_block() != Some(target) {
            self.put(self.base.isa.jump(self.block_label(target)));
        }
    }
}

/// Receives the instructions of a branch on behalf of the rule that was given their registers.
struct RuleSink<'s, 'a, I: Isa, R: Record>(&'s mut FastCtx<'a, I, R>);

impl<I: Isa, R: Record> FrameSink for RuleSink<'_, '_, I, R> {
    fn emit(&mut self, inst: MInst) {
        self.0.put_by(inst, By::Rule);
    }

    fn unwind(&mut self, op: UnwindOp) {
        self.0.unwind.push((self.0.base.buf.offset(), op));
    }

    fn label(&mut self) -> Label {
        self.0.base.buf.new_label()
    }

    fn bind(&mut self, label: Label) {
        self.0.base.buf.bind(label);
    }
}
