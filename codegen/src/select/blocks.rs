//! The walk over blocks and instructions, terminators, and the moves of edges.

use super::SelectCtx;
use crate::abi::unsupported_type;
use crate::context::switch::{Dispatch, collect_cases, dispatch};
use crate::context::{Constants, Context};
use crate::error::CodegenError;
use crate::isa::Isa;
use crate::lower_ctx::{GroupKind, LowerCtx};
use crate::mfunc::{MBlock, MEdge, PhiMove, Term, can_rematerialize, op_desc};
use crate::minst::Label;
use crate::reg::RegClass;
use frazil_ir::{Block, ConstView, EntityRef, Inst, InstData, MemFlags, Opcode, Operand, Type, Value};

impl<I: Isa> SelectCtx<'_, I> {
    /// Lowers every reachable block in layout order.
    pub(super) fn lower_blocks(&mut self) -> Result<(), CodegenError> {
        for position in 0..self.st.analysis.layout.order.len() {
            let block = self.st.analysis.layout.order[position];
            self.position = position as u32;
            let start = self.mfunc.insts.len() as u32;
            if position == 0 {
                self.enter()?;
            }
            let first_edge = self.mfunc.edges.len() as u32;
            let range = self.function.block_insts(block);
            let first = range.start + self.st.analysis.phi_counts[block.index()] as usize;
            let mut term = Term::Stop;
            for index in first..range.end {
                let inst = Inst::new(index);
                self.origin = index as u32;
                let data = self.function.inst(inst);
                let outcome = if data.op.is_terminator() {
                    self.lower_terminator(block, data).map(|found| term = found)
                } else {
                    self.lower_inst(inst, data)
                };
                outcome.map_err(|error| error.at(self.function, self.view.module, inst))?;
            }
            let layout = &self.st.analysis.layout;
            let innermost = layout.loops[layout.loop_at[position] as usize];
            self.mfunc.blocks.push(MBlock {
                start,
                end: self.mfunc.insts.len() as u32,
                first_edge,
                edge_count: self.mfunc.edges.len() as u32 - first_edge,
                term,
                loop_depth: innermost.depth.min(255) as u8,
                loop_end: if innermost.depth > 0 && innermost.begin == position as u32 {
                    innermost.end
                } else {
                    position as u32 + 1
                },
                source: block.as_u32(),
            });
        }
        Ok(())
    }

    #[inline]
    fn lower_inst(&mut self, inst: Inst, data: &InstData) -> Result<(), CodegenError> {
        if let Some(first) = data.first_result()
            && (self.mark(first).is_elsewhere() || (data.op.is_removable() && self.is_dead(data)))
        {
            return Ok(());
        }
        self.imm_bytes = self.immediate_bytes(data);
        if self.st.parts[data.ty.index()].count == 0 && data.ty != Type::VOID && data.op != Opcode::Call {
            return Err(unsupported_type(&self.function.types, data.ty));
        }
        match data.op {
            Opcode::Nop => Ok(()),
            Opcode::Call => self.lower_call(data),
            _ => {
                let isa = self.isa;
                isa.lower(self, inst)
            }
        }
    }

    /// Whether no result of a removable instruction is used.
    fn is_dead(&self, data: &InstData) -> bool {
        let is_volatile = data.op == Opcode::Load && MemFlags(data.flags).is_volatile();
        !is_volatile
            && self
                .function
                .results(data)
                .all(|value| self.function.uses[value.index()] == 0)
    }

    fn lower_terminator(&mut self, block: Block, data: &InstData) -> Result<Term, CodegenError> {
        self.imm_bytes = self.immediate_bytes(data);
        match data.op {
            Opcode::Jump => {
                self.add_edges(block, |_, _| None);
                Ok(Term::Jump)
            }
            Opcode::Branch => self.lower_branch(block, data),
            Opcode::Switch => self.lower_switch(block, data),
            Opcode::Return => {
                self.lower_return(data)?;
                Ok(Term::Return)
            }
            Opcode::Unreachable => {
                self.lower_unreachable();
                Ok(Term::Stop)
            }
            Opcode::Invoke => Err(CodegenError::unsupported("exception handling (invoke)")),
            Opcode::Resume => Err(CodegenError::unsupported("exception handling (resume)")),
            Opcode::IndirectJump => Err(CodegenError::unsupported("computed goto (indirectbr)")),
            other => Err(CodegenError::unsupported(format!("terminator {}", other.name()))),
        }
    }

    /// See [`crate::fast`]: a trap at the function's end, so that it is never empty nor ends with a call.
    fn lower_unreachable(&mut self) {
        if self.position as usize + 1 == self.st.analysis.layout.order.len() {
            let isa = self.isa;
            self.put(isa.trap());
        }
    }

    fn lower_branch(&mut self, block: Block, data: &InstData) -> Result<Term, CodegenError> {
        self.add_edges(block, |_, _| None);
        if self.function.cfg.successors(block).len() == 1 {
            return Ok(Term::Jump);
        }
        let isa = self.isa;
        let branch = isa.lower_branch(self, data.a)?;
        match branch.second {
            None => self.put(branch.first),
            Some((_, second)) => {
                // Nothing may come between them.
                self.begin_group(GroupKind::Plain);
                self.put(branch.first);
                self.put(second);
                self.end_group();
            }
        }
        Ok(Term::Branch(branch.second.map(|(join, _)| join)))
    }

    fn lower_switch(&mut self, block: Block, data: &InstData) -> Result<Term, CodegenError> {
        let function = self.function;
        let mut labels = std::mem::take(&mut self.st.exit_labels);
        labels.resize(function.blocks.len().max(labels.len()), 0);
        self.add_edges(block, |cx, target| {
            let label = cx.buf.new_label();
            labels[target.index()] = label.0;
            Some(label)
        });
        let isa = self.isa;
        let (default, pairs) = function.switch(data);
        let value = isa.switch_value(self, data.a, data.ty)?;
        let temp = self.temp(RegClass::Int);
        let mut cases = std::mem::take(&mut self.st.cases);
        let label_of = |target: Block| Label(labels[target.index()]);
        collect_cases(function, pairs, data.ty, &mut cases, label_of)?;
        let default = label_of(default);
        self.begin_group(GroupKind::Plain);
        dispatch(self, &Dispatch { value, temp, default }, &cases);
        self.end_group();
        self.st.cases = cases;
        self.st.exit_labels = labels;
        Ok(Term::Switch)
    }

    /// Adds the edges of a block with their moves. What must be computed for them is computed here, before the
    /// terminator's own code, so that nothing stands between a comparison and its branch.
    fn add_edges(&mut self, block: Block, mut label_of: impl FnMut(&mut Self, Block) -> Option<Label>) {
        let function = self.function;
        for &edge in function.cfg.successors(block) {
            let first_move = self.mfunc.phi_moves.len() as u32;
            let start = function.block_insts(edge.target).start;
            let count = self.st.analysis.phi_counts[edge.target.index()] as usize;
            for index in start..start + count {
                let data = &function.insts[index];
                let phi = Value::new(data.result as usize);
                if function.uses[phi.index()] > 0 {
                    let operand = function.list(data)[edge.column as usize];
                    self.add_phi_moves(phi, operand);
                }
            }
            let label = label_of(self, edge.target);
            self.mfunc.edges.push(MEdge {
                from: self.position,
                to: self.st.analysis.layout.position[edge.target.index()],
                label,
                first_move,
                move_count: self.mfunc.phi_moves.len() as u32 - first_move,
            });
        }
    }

    fn add_phi_moves(&mut self, phi: Value, operand: Operand) {
        let parts = self.st.parts[self.function.value(phi).ty.index()];
        if parts.count == 0 {
            let error = unsupported_type(&self.function.types, self.function.value(phi).ty);
            self.keep_error(error);
        }
        for part in 0..parts.count {
            let dst = self.vreg(phi, part);
            let src = match self.own_value(operand) {
                Some(value) => self.vreg(value, part),
                None if self.is_undefined(operand) => continue,
                None => self.edge_constant(operand, part, parts.class(), parts.bytes),
            };
            self.mfunc.phi_moves.push(PhiMove { dst, src });
        }
    }

    fn is_undefined(&self, operand: Operand) -> bool {
        operand
            .as_const()
            .is_some_and(|id| matches!(self.function.constant(id).1, ConstView::Undef | ConstView::Poison))
    }

    /// A register with a constant for a move of an edge: made by the move itself if one instruction does it, else here.
    fn edge_constant(&mut self, operand: Operand, part: u8, class: RegClass, bytes: u8) -> crate::reg::Reg {
        let reg = self.fresh_vreg(class, bytes);
        let before = self.mfunc.insts.len();
        self.make_fresh(operand, part, reg, bytes.max(4));
        if let [only] = self.mfunc.insts[before..]
            && can_rematerialize(&only, op_desc(self.isa.op_descs(), only.op))
        {
            self.mfunc.insts.truncate(before);
            self.mfunc.origins.truncate(before);
            self.mfunc.vregs[reg.virtual_index()].constant = Some(self.mfunc.constants.len() as u32);
            self.mfunc.constants.push(only);
        }
        reg
    }
}
