//! Switches: clusters of cases, jump tables for dense ones, bit tests for few targets, a balanced tree of comparisons
//! over clusters.
//!
//! All registers are taken before the first comparison, since the code that follows is not run in a line: nothing may
//! be stored or loaded behind the context's back in one arm only.

use super::Context;
use crate::error::CodegenError;
use crate::isa::{CaseTest, Isa, SwitchValue};
use crate::minst::{Label, MInst};
use crate::reg::Reg;
use frazil_ir::{Block, ConstView, EntityRef, Function, Operand, Type};

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

/// What dispatch code works with.
pub(crate) struct Dispatch {
    /// The value, in registers of the rule.
    pub value: SwitchValue,
    /// Another register of the rule.
    pub temp: Reg,
    /// Where values without case go.
    pub default: Label,
}

/// The cases with the labels of their targets, sorted by zero-extended value.
pub(crate) fn collect_cases(
    function: &Function,
    pairs: &[Operand],
    ty: Type,
    cases: &mut Vec<(u64, u32)>,
    label_of: impl Fn(Block) -> Label,
) -> Result<(), CodegenError> {
    let bits = function.types.int_bits(ty).unwrap_or(64);
    let mask = if bits >= 64 { u64::MAX } else { (1 << bits) - 1 };
    cases.clear();
    for pair in pairs.chunks_exact(2) {
        let case = match (pair[0].as_imm(), pair[0].as_const().map(|id| function.constant(id).1)) {
            (Some(imm), _) => imm.cast_unsigned(),
            (None, Some(ConstView::Int(words))) => words[0],
            _ => return Err(CodegenError::unsupported("a switch case that is no integer")),
        };
        cases.push((case & mask, label_of(Block::new(pair[1].as_raw() as usize)).0));
    }
    cases.sort_unstable();
    Ok(())
}

/// Emits the code that goes to the label of the value's case.
pub(crate) fn dispatch<'a, C: Context<'a>>(cx: &mut C, dispatch: &Dispatch, cases: &[(u64, u32)]) {
    put_tree(cx, dispatch, cases, &cluster(cases));
}

fn put_tree<'a, C: Context<'a>>(cx: &mut C, dispatch: &Dispatch, cases: &[(u64, u32)], clusters: &[Cluster]) {
    let isa = cx.isa();
    let singles = clusters.iter().all(|cluster| !cluster.is_table);
    if singles && clusters.len() <= 3 {
        for cluster in clusters {
            let (case, label) = cases[cluster.begin as usize];
            let branch = isa.case_branch(cx, CaseTest::Equal, dispatch.value, case);
            cx.emit(to(branch, Label(label)));
        }
        cx.emit(isa.jump(dispatch.default));
    } else if let [table] = clusters {
        put_table(cx, dispatch, &cases[table.begin as usize..table.end as usize]);
    } else {
        let (low, high) = clusters.split_at(clusters.len() / 2);
        let below = cx.local_label();
        let pivot = cases[high[0].begin as usize].0;
        let branch = isa.case_branch(cx, CaseTest::Below, dispatch.value, pivot);
        cx.emit(to(branch, below));
        put_tree(cx, dispatch, cases, high);
        cx.bind(below);
        put_tree(cx, dispatch, cases, low);
    }
}

fn put_table<'a, C: Context<'a>>(cx: &mut C, dispatch: &Dispatch, cases: &[(u64, u32)]) {
    let isa = cx.isa();
    let (low, high) = (cases[0].0, cases[cases.len() - 1].0);
    let mut next = cases.iter().peekable();
    let targets: Vec<Label> = (low..=high)
        .map(|value| match next.next_if(|case| case.0 == value) {
            Some(case) => Label(case.1),
            None => dispatch.default,
        })
        .collect();
    let table = cx.jump_table(&targets);
    isa.table_jump(
        cx,
        dispatch.value,
        dispatch.temp,
        low,
        high - low,
        table,
        dispatch.default,
    );
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
