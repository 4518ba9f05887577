//! The walk over blocks and instructions, terminators, and the phi moves of edges.

use super::SelectCtx;
use crate::abi::unsupported_type;
use crate::analyze::{Mark, UNREACHED};
use crate::context::switch::{Dispatch, collect_cases, dispatch, is_reachable_default};
use crate::context::{Constants, Context};
use crate::error::CodegenError;
use crate::halt::Halt;
use crate::isa::Isa;
use crate::lower_ctx::{GroupKind, LowerCtx};
use crate::mfunc::{MBlock, MEdge, PhiMove, Term, can_rematerialize, op_desc};
use crate::reference::Label;
use crate::reg::RegClass;
use frazil_ir::{Block, ConstView, EntityRef, Inst, InstData, MemFlags, Opcode, Operand, Refusal, Type, Value};

impl<I: Isa> SelectCtx<'_, I> {
    /// Lowers every reachable block in layout order.
    pub(super) fn lower_blocks(&mut self) -> Result<(), Halt> {
        for position in 0..self.st.analysis.layout.order.len() {
            let block = self.st.analysis.layout.order[position];
            self.base.position = position as u32;
            let start = self.mfunc.insts.len() as u32;
            if position == 0 {
                self.enter()?;
                self.begin_image_base();
                self.note_origins();
            }
            let first_edge = self.mfunc.edges.len() as u32;
            let term = self.lower_block(block)?;
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
            if term == Term::Invoke {
                self.split_block();
            }
        }
        self.number_inserted_blocks();
        Ok(())
    }

    /// Lowers the instructions of a block and returns how it ends. Phis become moves on edges.
    fn lower_block(&mut self, block: Block) -> Result<Term, Halt> {
        let function = self.base.function;
        let mut range = function.block_insts(block);
        range.start += self.st.analysis.phi_counts[block.index()] as usize;
        let mut term = Term::Stop;
        self.forget_constants();
        self.define_undefined_phis(block);
        for (index, data) in (range.start..).zip(&function.insts()[range]) {
            self.origin = index as u32;
            self.rule_start = self.mfunc.insts.len() as u32;
            let outcome = if data.op.is_terminator() {
                self.lower_terminator(block, data)
                    .map(|found| term = found)
                    .map_err(Halt::from)
            } else {
                self.lower_inst(Inst::new(index), data)
            };
            if let Err(halt) = outcome {
                self.refuse(halt.at(function, self.base.view.module, Inst::new(index)))?;
            }
            self.note_origins();
            self.limit_bases();
        }
        self.forget_bases(0);
        Ok(term)
    }

    #[inline]
    fn lower_inst(&mut self, inst: Inst, data: &InstData) -> Result<(), Halt> {
        if let Some(first) = data.first_result()
            && (self.mark(first).is_elsewhere() || self.is_dead(data, first))
        {
            return Ok(());
        }
        self.base.imm_bytes = self.immediate_bytes(data);
        if !self.st.parts[data.ty.index()].is_scalar() && data.ty != Type::VOID {
            return self.lower_vector(inst, data);
        }
        match data.op {
            Opcode::Nop => Ok(()),
            Opcode::Call => Ok(self.lower_call(inst, data)?),
            Opcode::LandingPad => Ok(self.lower_landing_pad(data)?),
            Opcode::EhTypeidFor => Ok(self.lower_type_number(data)?),
            Opcode::Trunc | Opcode::Ptrtoint | Opcode::Inttoptr | Opcode::Bitcast if self.shares_registers(data) => {
                Ok(())
            }
            Opcode::Zext if self.shares_cleared(data) => Ok(()),
            _ => {
                let isa = self.base.isa;
                isa.lower(self, inst)
            }
        }
    }

    /// Lowers an instruction whose type is a vector, or refuses it if the type is not supported.
    #[cold]
    fn lower_vector(&mut self, inst: Inst, data: &InstData) -> Result<(), Halt> {
        if self.st.parts[data.ty.index()].count == 0 {
            return Err(unsupported_type(self.base.function.types(), data.ty).into());
        }
        let isa = self.base.isa;
        isa.lower_vector(self, inst)
    }

    /// Gives the result of a cast the registers of its operand, if these have all bits that the result needs; bits
    /// above a value's width are undefined (contract 1). Since both values are immutable, they can share a register
    /// even if their live ranges overlap. Returns whether they do.
    fn shares_registers(&mut self, data: &InstData) -> bool {
        let (Some(result), Some(source)) = (data.first_result(), self.own_value(data.a)) else {
            return false;
        };
        let ty = self.base.function.value(source).ty;
        let (from, to) = (self.parts_of(ty), self.parts_of(data.ty));
        // Of an address, all bits count.
        let bits = self.base.function.types().int_bits(ty);
        if data.op == Opcode::Inttoptr && bits.is_none_or(|bits| bits < u32::from(to.bytes) * 8) {
            return false;
        }
        let fits = from.float == to.float && to.count <= from.count && to.bytes <= from.bytes;
        if !fits || (to.count > 1 && to.bytes < from.bytes) || self.mark(source) == Mark::Folded {
            return false;
        }
        let shared = self.vreg(source, 0);
        self.st.vreg_of[result.index()] = shared.virtual_index() as u32;
        true
    }

    /// Gives the result of an extension with zeros the register of its operand, if there are zeros above that already.
    /// The register then has the width of the extension, so that copies, spills and reloads take the zeros along.
    fn shares_cleared(&mut self, data: &InstData) -> bool {
        let (Some(result), Some(source)) = (data.first_result(), self.own_value(data.a)) else {
            return false;
        };
        let to = self.parts_of(data.ty);
        let isa = self.base.isa;
        let is_folded = |operand: Operand| self.is_folded_operand(operand);
        if to.count != 1 || to.float || !isa.clears_above(self.base.function, data.a, is_folded) {
            return false;
        }
        let shared = self.vreg(source, 0);
        let bytes = &mut self.mfunc.vregs[shared.virtual_index()].bytes;
        *bytes = to.bytes.max(*bytes);
        self.st.vreg_of[result.index()] = shared.virtual_index() as u32;
        true
    }

    /// Whether an instruction can be left out because none of its results is used; `first` is the first result.
    #[inline]
    fn is_dead(&self, data: &InstData, first: Value) -> bool {
        self.base.function.use_count(first) == 0 && data.op.is_removable() && self.is_all_dead(data)
    }

    fn is_all_dead(&self, data: &InstData) -> bool {
        let is_volatile = data.op == Opcode::Load && MemFlags(data.flags).is_volatile();
        !is_volatile
            && self
                .base
                .function
                .results(data)
                .all(|value| self.base.function.use_count(value) == 0)
    }

    fn lower_terminator(&mut self, block: Block, data: &InstData) -> Result<Term, CodegenError> {
        self.base.imm_bytes = self.immediate_bytes(data);
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
            Opcode::Invoke => self.lower_invoke(block, data),
            Opcode::Resume => self.lower_resume(data),
            Opcode::IndirectJump => Ok(self.lower_indirect_jump(block, data)),
            other => Err(CodegenError::unsupported(
                Refusal::Instruction,
                format!("terminator {}", other.name()),
            )),
        }
    }

    /// Emits a trap if this is the end of the function, so that a function is never empty and never ends with a call,
    /// whose return address would be outside; as in [`crate::fast`].
    pub(super) fn lower_unreachable(&mut self) {
        if self.base.position as usize + 1 == self.st.analysis.layout.order.len() {
            let isa = self.base.isa;
            self.put(isa.trap());
        }
    }

    fn lower_branch(&mut self, block: Block, data: &InstData) -> Result<Term, CodegenError> {
        self.add_edges(block, |_, _| None);
        if self.base.function.cfg().successors(block).len() == 1 {
            return Ok(Term::Jump);
        }
        let isa = self.base.isa;
        let branch = isa.lower_branch(self, data.a)?;
        match branch.second {
            None => self.put(branch.first),
            Some((_, second)) => {
                // No instruction may be inserted between them.
                self.begin_group(GroupKind::Plain);
                self.put(branch.first);
                self.put(second);
                self.end_group();
            }
        }
        Ok(Term::Branch(branch.second.map(|(join, _)| join)))
    }

    fn lower_switch(&mut self, block: Block, data: &InstData) -> Result<Term, CodegenError> {
        let function = self.base.function;
        let mut labels = std::mem::take(&mut self.st.exit_labels);
        labels.resize(function.blocks().len().max(labels.len()), 0);
        self.add_edges(block, |cx, target| {
            let label = cx.base.buf.new_label();
            labels[target.index()] = label.0;
            Some(label)
        });
        let isa = self.base.isa;
        let (default, pairs) = function.switch(data);
        let value = isa.switch_value(self, data.a, data.ty)?;
        let temp = self.temp(RegClass::Int);
        let mut cases = std::mem::take(&mut self.st.cases);
        let label_of = |target: Block| Label(labels[target.index()]);
        collect_cases(function, pairs, data.ty, &mut cases, label_of)?;
        let default = is_reachable_default(function, default, pairs).then(|| label_of(default));
        self.begin_group(GroupKind::Plain);
        dispatch(self, &Dispatch { value, temp, default }, &cases);
        self.end_group();
        self.st.cases = cases;
        self.st.exit_labels = labels;
        Ok(Term::Switch)
    }

    /// Jumps to the address of a block, which is that of the label at which the moves of the edge to it start
    /// (contract 11).
    #[cold]
    fn lower_indirect_jump(&mut self, block: Block, data: &InstData) -> Term {
        self.add_edges(block, |cx, target| cx.base.address_label(target));
        let isa = self.base.isa;
        let address = self.use_reg(data.a, 0);
        self.put(isa.indirect_jump(address));
        match self.base.function.cfg().successors(block) {
            [] => Term::Stop,
            _ => Term::Switch,
        }
    }

    /// Adds the outgoing edges of a block, with the moves into phis. Constants that these moves need in registers are
    /// computed here, before the terminator's own code, so that nothing stands between a comparison and its branch.
    /// `label_of` gives the label of the edge to a block, if it has one.
    pub(super) fn add_edges(&mut self, block: Block, mut label_of: impl FnMut(&mut Self, Block) -> Option<Label>) {
        let function = self.base.function;
        for &edge in function.cfg().successors(block) {
            let first_move = self.mfunc.phi_moves.len() as u32;
            let start = function.block_insts(edge.target).start;
            let count = self.st.analysis.phi_counts[edge.target.index()] as usize;
            for index in start..start + count {
                let data = &function.insts()[index];
                let phi = Value::new(data.result as usize);
                if function.use_count(phi) > 0 {
                    let operand = function.list(data)[edge.column as usize];
                    self.add_phi_moves(phi, operand);
                }
            }
            let label = label_of(self, edge.target);
            self.mfunc.edges.push(MEdge {
                from: self.base.position,
                to: self.st.analysis.layout.position[edge.target.index()],
                label,
                first_move,
                move_count: self.mfunc.phi_moves.len() as u32 - first_move,
            });
        }
        self.rule_start = self.mfunc.insts.len() as u32;
    }

    /// Defines the phis of a block all of whose reachable operands are undefined, since no edge has a move into them.
    fn define_undefined_phis(&mut self, block: Block) {
        let function = self.base.function;
        let start = function.block_insts(block).start;
        let phis = start..start + self.st.analysis.phi_counts[block.index()] as usize;
        // At a landing pad, the registers that the unwinder sets must be read before anything else.
        if function
            .insts()
            .get(phis.end)
            .is_some_and(|data| data.op == Opcode::LandingPad)
        {
            return;
        }
        for data in &function.insts()[phis] {
            let phi = Value::new(data.result as usize);
            let mut operands = function.list(data).iter().zip(function.predecessors(block));
            let positions = &self.st.analysis.layout.position;
            let is_any =
                operands.all(|(&operand, from)| self.is_undefined(operand) || positions[from.index()] == UNREACHED);
            if !is_any || function.use_count(phi) == 0 {
                continue;
            }
            let parts = self.st.parts[function.value(phi).ty.index()];
            for part in 0..parts.count {
                let reg = self.vreg(phi, part);
                self.define_any(parts.class(), parts.bytes.max(4), reg);
            }
        }
    }

    fn add_phi_moves(&mut self, phi: Value, operand: Operand) {
        let parts = self.st.parts[self.base.function.value(phi).ty.index()];
        if parts.count == 0 {
            let error = unsupported_type(self.base.function.types(), self.base.function.value(phi).ty);
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
            .is_some_and(|id| matches!(self.base.function.constant(id).1, ConstView::Undef | ConstView::Poison))
    }

    /// A virtual register for a constant operand of a phi. If one instruction makes the constant, the edge's move
    /// rematerializes it; else it is made here, before the terminator.
    fn edge_constant(&mut self, operand: Operand, part: u8, class: RegClass, bytes: u8) -> crate::reg::Reg {
        let reg = self.fresh_vreg(class, bytes);
        let before = self.mfunc.insts.len();
        self.make_fresh(operand, part, reg, bytes.max(4));
        if let [only] = self.mfunc.insts[before..]
            && can_rematerialize(&only, op_desc(self.base.isa.op_descs(), only.op))
        {
            self.mfunc.insts.truncate(before);
            self.mfunc.vregs[reg.virtual_index()].constant = Some(self.mfunc.constants.len() as u32);
            self.mfunc.constants.push(only);
        }
        reg
    }
}
