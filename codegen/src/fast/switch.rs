//! Switches: clusters of cases, jump tables for dense ones, a balanced tree of comparisons over clusters.
//!
//! All registers are taken before the first comparison, since the code that follows is not run in a line: nothing may
//! be stored or loaded behind the context's back in one arm only.

use super::FastCtx;
use super::edges::Exit;
use super::state::Owner;
use crate::error::CodegenError;
use crate::isa::{CaseTest, Isa, SwitchValue};
use crate::minst::{Label, MInst};
use crate::reg::{Reg, RegClass};
use frazil_ir::{Block, ConstView, EntityRef, InstData, Operand, Type};

/// A run of cases: `first..=last` as indices into the sorted cases; a table if it has at least this many.
const MIN_TABLE: usize = 4;
/// A table may have this many times as many entries as cases.
const MAX_SPARSITY: u64 = 4;

#[derive(Clone, Copy)]
struct Cluster {
    begin: u32,
    end: u32,
    is_table: bool,
}

struct Dispatch {
    value: SwitchValue,
    temp: Reg,
    default: Label,
}

impl<I: Isa> FastCtx<'_, I> {
    pub(super) fn lower_switch(&mut self, block: Block, data: &InstData) -> Result<(), CodegenError> {
        self.store_live_out();
        let function = self.function;
        let isa = self.isa;
        let (default, pairs) = function.switch(data);
        let value = isa.switch_value(self, data.a, data.ty)?;
        let temp = self.allocate(RegClass::Int, Owner::TEMP);
        self.label_exits(block);
        self.collect_cases(pairs, data.ty)?;
        let cases = std::mem::take(&mut self.st.cases);
        let clusters = cluster(&cases);
        let dispatch = Dispatch {
            value,
            temp,
            default: self.exit_label(default),
        };
        self.put_tree(&dispatch, &cases, &clusters);
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

    /// The cases with their labels, sorted by zero-extended value.
    fn collect_cases(&mut self, pairs: &[Operand], ty: Type) -> Result<(), CodegenError> {
        let bits = self.function.types.int_bits(ty).unwrap_or(64);
        let mask = if bits >= 64 { u64::MAX } else { (1 << bits) - 1 };
        let mut cases = std::mem::take(&mut self.st.cases);
        cases.clear();
        for pair in pairs.chunks_exact(2) {
            let case = match (
                pair[0].as_imm(),
                pair[0].as_const().map(|id| self.function.constant(id).1),
            ) {
                (Some(imm), _) => imm.cast_unsigned(),
                (None, Some(ConstView::Int(words))) => words[0],
                _ => return Err(CodegenError::unsupported("a switch case that is no integer")),
            };
            cases.push((case & mask, self.exit_label(Block::new(pair[1].as_raw() as usize)).0));
        }
        cases.sort_unstable();
        self.st.cases = cases;
        Ok(())
    }

    fn put_tree(&mut self, dispatch: &Dispatch, cases: &[(u64, u32)], clusters: &[Cluster]) {
        let isa = self.isa;
        let singles = clusters.iter().all(|cluster| !cluster.is_table);
        if singles && clusters.len() <= 3 {
            for cluster in clusters {
                let (case, label) = cases[cluster.begin as usize];
                let branch = isa.case_branch(self, CaseTest::Equal, dispatch.value, case);
                self.put(to(branch, Label(label)));
            }
            self.put(isa.jump(dispatch.default));
        } else if let [table] = clusters {
            self.put_table(dispatch, &cases[table.begin as usize..table.end as usize]);
        } else {
            let (low, high) = clusters.split_at(clusters.len() / 2);
            let below = self.buf.new_label();
            let pivot = cases[high[0].begin as usize].0;
            let branch = isa.case_branch(self, CaseTest::Below, dispatch.value, pivot);
            self.put(to(branch, below));
            self.put_tree(dispatch, cases, high);
            self.buf.bind(below);
            self.put_tree(dispatch, cases, low);
        }
    }

    fn put_table(&mut self, dispatch: &Dispatch, cases: &[(u64, u32)]) {
        let isa = self.isa;
        let (low, high) = (cases[0].0, cases[cases.len() - 1].0);
        let mut next = cases.iter().peekable();
        let table = self
            .buf
            .jump_table((low..=high).map(|value| match next.next_if(|case| case.0 == value) {
                Some(case) => Label(case.1),
                None => dispatch.default,
            }));
        isa.table_jump(
            self,
            dispatch.value,
            dispatch.temp,
            low,
            high - low,
            table,
            dispatch.default,
        );
    }

    /// The moves of each edge that has some.
    fn put_exits(&mut self, block: Block) {
        let function = self.function;
        for &edge in function.cfg.successors(block) {
            if let Exit::Moves = self.exit(edge) {
                self.buf.bind(self.exit_label(edge.target));
                self.move_phis(edge);
                self.put(self.isa.jump(self.block_label(edge.target)));
            }
        }
    }
}

fn to(branch: MInst, label: Label) -> MInst {
    MInst {
        imm: label.0 as i32,
        ..branch
    }
}

/// Groups sorted cases: each run that is dense enough makes a table, the others stay alone.
fn cluster(cases: &[(u64, u32)]) -> Vec<Cluster> {
    let mut clusters = Vec::new();
    let mut begin = 0;
    while begin < cases.len() {
        let mut end = begin + 1;
        while end < cases.len() && is_dense(cases, begin, end + 1) {
            end += 1;
        }
        let is_table = end - begin >= MIN_TABLE;
        if is_table {
            clusters.push(Cluster {
                begin: begin as u32,
                end: end as u32,
                is_table,
            });
            begin = end;
        } else {
            clusters.push(Cluster {
                begin: begin as u32,
                end: begin as u32 + 1,
                is_table,
            });
            begin += 1;
        }
    }
    clusters
}

fn is_dense(cases: &[(u64, u32)], begin: usize, end: usize) -> bool {
    (cases[end - 1].0 - cases[begin].0) / MAX_SPARSITY < (end - begin) as u64
}
