//! Switches in the fast context ([`crate::context::switch`] decides how cases are told apart), and indirect jumps.
//!
//! If an edge of an indirect jump has moves, the address of its target block is the label of these moves and not that
//! of the block (contract 11; see [`crate::context::Base`]).

use super::FastCtx;
use super::edges::Exit;
use super::record::Record;
use super::state::Owner;
use crate::context::switch::{Dispatch, collect_cases, dispatch, is_reachable_default};
use crate::error::CodegenError;
use crate::isa::Isa;
use crate::lower_ctx::LowerCtx;
use crate::reference::Label;
use crate::reg::RegClass;
use frazil_ir::{Block, Edge, EntityRef, InstData, Opcode};

impl<I: Isa, R: Record> FastCtx<'_, I, R> {
    pub(super) fn lower_switch(&mut self, block: Block, data: &InstData) -> Result<(), CodegenError> {
        self.store_live_out();
        let function = self.base.function;
        let isa = self.base.isa;
        let (default, pairs) = function.switch(data);
        let value = isa.switch_value(self, data.a, data.ty)?;
        let temp = self.allocate(RegClass::Int, Owner::TEMP);
        self.label_exits(block);
        let mut cases = std::mem::take(&mut self.st.cases);
        collect_cases(function, pairs, data.ty, &mut cases, |target| self.exit_label(target))?;
        let default = is_reachable_default(function, default, pairs).then(|| self.exit_label(default));
        dispatch(self, &Dispatch { value, temp, default }, &cases);
        self.st.cases = cases;
        self.end_step();
        self.put_exits(block, false);
        self.release_operand(data.a);
        for index in 0..function.cfg().successors(block).len() {
            self.release_edge_operands(function.cfg().successors(block)[index]);
        }
        Ok(())
    }

    #[cold]
    pub(super) fn lower_indirect_jump(&mut self, block: Block, data: &InstData) -> Result<(), CodegenError> {
        self.store_live_out();
        let function = self.base.function;
        let isa = self.base.isa;
        let address = self.use_reg(data.a, 0);
        self.emit(isa.indirect_jump(address));
        self.end_step();
        self.st.exit_labels.reset(function.blocks().len());
        for &edge in function.cfg().successors(block) {
            let label = self.base.address_label(edge.target);
            let label = label.expect("blocks of a function with an indirect jump have addresses");
            self.st.exit_labels.set(edge.target.index(), label.0);
        }
        self.put_exits(block, true);
        self.release_operand(data.a);
        for index in 0..function.cfg().successors(block).len() {
            self.release_edge_operands(function.cfg().successors(block)[index]);
        }
        Ok(())
    }

    /// Emits the mark that targets of indirect branches need, if the module has such marks.
    #[cold]
    pub(super) fn put_mark(&mut self) {
        if let Some(mark) = self.base.branch_mark {
            self.put(mark);
        }
    }

    /// Binds the label of a block's address to the block's start, unless it belongs to the moves of an edge from an
    /// indirect jump.
    #[cold]
    pub(super) fn bind_address(&mut self, block: Block) {
        let function = self.base.function;
        let jumps = |&from: &Block| function.inst(function.terminator(from)).op == Opcode::IndirectJump;
        let is_target = function.predecessors(block).iter().any(jumps);
        let edge = Edge {
            target: block,
            column: 0,
        };
        if !is_target || matches!(self.exit(edge), Exit::Direct(_)) {
            let label = self.base.address_label(block);
            self.base
                .buf
                .bind(label.expect("blocks of the function have addresses"));
            if is_target {
                self.put_mark();
            }
        }
    }

    /// Chooses a label for each outgoing edge: that of the target block, or a new one for the edge's moves.
    fn label_exits(&mut self, block: Block) {
        let function = self.base.function;
        self.st.exit_labels.reset(function.blocks().len());
        for &edge in function.cfg().successors(block) {
            let label = match self.exit(edge) {
                Exit::Direct(label) => label,
                Exit::Moves => self.base.buf.new_label(),
            };
            self.st.exit_labels.set(edge.target.index(), label.0);
        }
    }

    fn exit_label(&self, target: Block) -> Label {
        let label = self.st.exit_labels.get(target.index());
        Label(label.expect("every target of a switch is a successor of its block"))
    }

    /// Emits the moves of all outgoing edges that have some. With `marks`, indirect branches lead to them.
    fn put_exits(&mut self, block: Block, marks: bool) {
        let function = self.base.function;
        for &edge in function.cfg().successors(block) {
            if let Exit::Direct(_) = self.exit(edge) {
                self.rec.direct_edge(edge.target);
            } else {
                self.base.buf.bind(self.exit_label(edge.target));
                if marks {
                    self.put_mark();
                }
                self.move_phis(edge);
                self.put(self.base.isa.jump(self.block_label(edge.target)));
            }
        }
    }
}
