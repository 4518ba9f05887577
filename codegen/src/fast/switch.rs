//! Switches in the fast context; see [`crate::context::switch`] for how cases are told apart.

use super::FastCtx;
use super::edges::Exit;
use super::record::Record;
use super::state::Owner;
use crate::context::switch::{Dispatch, collect_cases, dispatch};
use crate::error::CodegenError;
use crate::isa::Isa;
use crate::minst::Label;
use crate::reg::RegClass;
use frazil_ir::{Block, EntityRef, InstData};

impl<I: Isa, R: Record> FastCtx<'_, I, R> {
    pub(super) fn lower_switch(&mut self, block: Block, data: &InstData) -> Result<(), CodegenError> {
        self.store_live_out();
        let function = self.function;
        let isa = self.isa;
        let (default, pairs) = function.switch(data);
        let value = isa.switch_value(self, data.a, data.ty)?;
        let temp = self.allocate(RegClass::Int, Owner::TEMP);
        self.label_exits(block);
        let mut cases = std::mem::take(&mut self.st.cases);
        collect_cases(function, pairs, data.ty, &mut cases, |target| self.exit_label(target))?;
        let default = self.exit_label(default);
        dispatch(self, &Dispatch { value, temp, default }, &cases);
        self.st.cases = cases;
        self.end_step();
        self.put_exits(block);
        self.release_operand(data.a);
        for index in 0..function.cfg.successors(block).len() {
            self.release_edge_operands(function.cfg.successors(block)[index]);
        }
        Ok(())
    }

    /// Finds a label for each way out: the target's, or one in front of the edge's moves.
    fn label_exits(&mut self, block: Block) {
        let function = self.function;
        self.st.exit_labels.reset(function.blocks.len());
        for &edge in function.cfg.successors(block) {
            let label = match self.exit(edge) {
                Exit::Direct(label) => label,
                Exit::Moves => self.buf.new_label(),
            };
            self.st.exit_labels.set(edge.target.index(), label.0);
        }
    }

    fn exit_label(&self, target: Block) -> Label {
        let label = self.st.exit_labels.get(target.index());
        Label(label.expect("every target of a switch is a successor of its block"))
    }

    /// The moves of each edge that has some.
    fn put_exits(&mut self, block: Block) {
        let function = self.function;
        for &edge in function.cfg.successors(block) {
            if let Exit::Direct(_) = self.exit(edge) {
                self.rec.direct_edge(edge.target);
            } else {
                self.buf.bind(self.exit_label(edge.target));
                self.move_phis(edge);
                self.put(self.isa.jump(self.block_label(edge.target)));
            }
        }
    }
}
