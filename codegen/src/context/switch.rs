//! Lowering of switches: cases become clusters, and a balanced tree of comparisons selects the cluster.
//!
//! Consecutive values with one target form a range, tested with one comparison. Ranges near each other with few
//! targets become a bit test, with one mask for each target. Dense ranges become a jump table (Sayle, "A
//! Superoptimizer Analysis of Multiway Branch Code Generation", GCC Summit 2008, compares these).
//!
//! All registers are taken before the first comparison: the code after it branches, and a store or reload that the
//! context makes in one arm would be missing in the others.

use super::Context;
use crate::branch::{CaseTable, CaseTest, SwitchValue};
use crate::error::CodegenError;
use crate::isa::Isa;
use crate::minst::MInst;
use crate::reference::Label;
use crate::reg::Reg;
use frazil_ir::{Block, ConstView, EntityRef, Function, Opcode, Operand, Refusal, Type};
use frazil_support::sort::sort;

/// A table has at least this many ranges of cases.
const MIN_TABLE: usize = 4;
/// A table may have this many times as many entries as cases.
const MAX_SPARSITY: u64 = 4;
/// Bit tests pay off from this many comparisons on, by the number of targets.
const MIN_BIT_TESTS: [u32; 4] = [0, 3, 5, 6];
/// Leaves of the tree have at most this many clusters.
const MAX_LEAF: usize = 3;

/// Consecutive values with one target.
#[derive(Clone, Copy)]
struct Range {
    low: u64,
    high: u64,
    target: u32,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Kind {
    Range,
    Bits,
    Table,
}

/// Some ranges, as indices, that one piece of code tells apart.
#[derive(Clone, Copy)]
struct Cluster {
    begin: u32,
    end: u32,
    kind: Kind,
}

/// What dispatch code works with.
pub(crate) struct Dispatch {
    pub value: SwitchValue,
    /// A register of the rule.
    pub temp: Reg,
    /// Where values without case go; `None` if there are none.
    pub default: Option<Label>,
}

/// Whether a switch may have values that go to this block, its default.
pub(crate) fn is_reachable_default(function: &Function, default: Block, pairs: &[Operand]) -> bool {
    pairs.is_empty() || function.insts()[function.block_insts(default).start].op != Opcode::Unreachable
}

/// The cases with the labels of their targets, sorted by zero-extended value.
pub(crate) fn collect_cases(
    function: &Function,
    pairs: &[Operand],
    ty: Type,
    cases: &mut Vec<(u64, u32)>,
    label_of: impl Fn(Block) -> Label,
) -> Result<(), CodegenError> {
    let bits = function.types().int_bits(ty).unwrap_or(64);
    let mask = if bits >= 64 { u64::MAX } else { (1 << bits) - 1 };
    cases.clear();
    for pair in pairs.chunks_exact(2) {
        let case = match (pair[0].as_imm(), pair[0].as_const().map(|id| function.constant(id).1)) {
            (Some(imm), _) => imm.cast_unsigned(),
            (None, Some(ConstView::Int(words))) => words[0],
            _ => {
                return Err(CodegenError::unsupported(
                    Refusal::Instruction,
                    "a switch case that is no integer",
                ));
            }
        };
        cases.push((case & mask, label_of(Block::new(pair[1].as_raw() as usize)).0));
    }
    sort(cases);
    Ok(())
}

/// Emits the code that goes to the label of the value's case.
pub(crate) fn dispatch<'a, C: Context<'a>>(cx: &mut C, dispatch: &Dispatch, cases: &[(u64, u32)]) {
    let mut ranges: Vec<Range> = Vec::with_capacity(cases.len());
    // Values of two registers are only compared as a whole.
    let is_narrow = dispatch.value.high.is_none();
    for &(value, target) in cases {
        match ranges.last_mut() {
            Some(last) if is_narrow && last.target == target && last.high + 1 == value => last.high = value,
            _ => ranges.push(Range {
                low: value,
                high: value,
                target,
            }),
        }
    }
    let word_bits = u64::from(cx.isa().desc().classes[0].bytes) * 8;
    let may_have_tables = cx.base_mut().may_have_tables;
    let clusters = cluster(&ranges, if is_narrow { word_bits } else { 0 }, may_have_tables);
    put_tree(cx, dispatch, &ranges, &clusters);
}

fn put_tree<'a, C: Context<'a>>(cx: &mut C, dispatch: &Dispatch, ranges: &[Range], clusters: &[Cluster]) {
    let isa = cx.isa();
    let no_table = clusters.iter().all(|cluster| cluster.kind != Kind::Table);
    if no_table && clusters.len() <= MAX_LEAF {
        for (index, cluster) in clusters.iter().enumerate() {
            if dispatch.default.is_none() && index + 1 == clusters.len() && cluster.kind == Kind::Range {
                break;
            }
            let members = &ranges[cluster.begin as usize..cluster.end as usize];
            match cluster.kind {
                Kind::Bits if index + 1 == clusters.len() => put_bit_tests(cx, dispatch, members, dispatch.default),
                Kind::Bits => put_bit_tests(cx, dispatch, members, None),
                _ => put_range(cx, dispatch, members[0]),
            }
        }
        // Without default, what comes here is in the last cluster, and there in the last range.
        let last = clusters
            .last()
            .map(|cluster| Label(ranges[cluster.end as usize - 1].target));
        if let Some(label) = dispatch.default.or(last) {
            cx.emit(isa.jump(label));
        }
    } else if let [table] = clusters {
        put_table(cx, dispatch, &ranges[table.begin as usize..table.end as usize]);
    } else {
        let (low, high) = clusters.split_at(clusters.len() / 2);
        let below = cx.local_label();
        let pivot = ranges[high[0].begin as usize].low;
        let branch = isa.case_branch(cx, CaseTest::Below, dispatch.value, pivot);
        cx.emit(to(branch, below));
        put_tree(cx, dispatch, ranges, high);
        cx.bind(below);
        put_tree(cx, dispatch, ranges, low);
    }
}

fn put_range<'a, C: Context<'a>>(cx: &mut C, dispatch: &Dispatch, range: Range) {
    let isa = cx.isa();
    let branch = if range.low == range.high {
        isa.case_branch(cx, CaseTest::Equal, dispatch.value, range.low)
    } else {
        isa.range_branch(cx, dispatch.value, dispatch.temp, range.low, range.high - range.low)
    };
    cx.emit(to(branch, Label(range.target)));
}

/// Tests the value's bit in a mask for each target; falls through if it is in none, but goes to `otherwise`, if that is
/// known, if it is in no mask's range.
fn put_bit_tests<'a, C: Context<'a>>(cx: &mut C, dispatch: &Dispatch, members: &[Range], otherwise: Option<Label>) {
    let isa = cx.isa();
    let (low, high) = (members[0].low, members[members.len() - 1].high);
    let skip = otherwise.unwrap_or_else(|| cx.local_label());
    let inside = isa.range_branch(cx, dispatch.value, dispatch.temp, low, high - low);
    cx.emit(to(isa.invert(inside), skip));
    for (index, first) in members.iter().enumerate() {
        if members[..index].iter().any(|other| other.target == first.target) {
            continue;
        }
        let same = members.iter().filter(|other| other.target == first.target);
        let mask = same.fold(0u64, |mask, range| {
            let width = range.high - range.low;
            mask | (u64::MAX >> (63 - width)) << (range.low - low)
        });
        let branch = isa.bit_branch(cx, dispatch.temp, mask);
        cx.emit(to(branch, Label(first.target)));
    }
    if otherwise.is_none() {
        cx.bind(skip);
    }
}

fn put_table<'a, C: Context<'a>>(cx: &mut C, dispatch: &Dispatch, members: &[Range]) {
    let isa = cx.isa();
    let (low, high) = (members[0].low, members[members.len() - 1].high);
    let mut next = members.iter().peekable();
    let gap = dispatch.default.unwrap_or(Label(members[0].target));
    let targets: Vec<Label> = (low..=high)
        .map(|value| {
            next.next_if(|range| range.high < value);
            match next.peek() {
                Some(range) if range.low <= value => Label(range.target),
                _ => gap,
            }
        })
        .collect();
    let in_code = isa.table_entry_fixup().is_some();
    let table = CaseTable {
        low,
        span: high - low,
        place: cx.base_mut().buf.jump_table(targets.iter().copied(), in_code),
        default: dispatch.default,
    };
    isa.table_jump(cx, dispatch.value, dispatch.temp, &table);
}

fn to(branch: MInst, label: Label) -> MInst {
    branch.with_label(label)
}

/// Groups sorted ranges: runs that bit tests or a table tell apart together, the others alone. `word_bits` is the
/// width of a mask, 0 for no bit tests.
fn cluster(ranges: &[Range], word_bits: u64, may_have_tables: bool) -> Vec<Cluster> {
    let mut clusters = Vec::new();
    let mut begin = 0;
    while begin < ranges.len() {
        let bits_end = bit_tests_end(ranges, begin, word_bits);
        let table_end = match may_have_tables {
            true => table_end(ranges, begin),
            false => begin,
        };
        let (end, kind) = if bits_end > begin + 1 && bits_end >= table_end {
            (bits_end, Kind::Bits)
        } else if table_end >= begin + MIN_TABLE {
            (table_end, Kind::Table)
        } else {
            (begin + 1, Kind::Range)
        };
        clusters.push(Cluster {
            begin: begin as u32,
            end: end as u32,
            kind,
        });
        begin = end;
    }
    clusters
}

/// One past the last range of a run from `begin` that is dense enough for a table.
fn table_end(ranges: &[Range], begin: usize) -> usize {
    let mut values = 0;
    let mut end = begin;
    while let Some(range) = ranges.get(end) {
        values += range.high - range.low + 1;
        if (range.high - ranges[begin].low) / MAX_SPARSITY >= values {
            break;
        }
        end += 1;
    }
    end
}

/// One past the last range of a run from `begin` that bit tests are good for; `begin` when there is none.
fn bit_tests_end(ranges: &[Range], begin: usize, word_bits: u64) -> usize {
    let mut targets = [0; 3];
    let (mut target_count, mut comparisons) = (0, 0);
    let mut best = begin;
    for (index, range) in ranges.iter().enumerate().skip(begin) {
        if range.high - ranges[begin].low >= word_bits {
            break;
        }
        if !targets[..target_count].contains(&range.target) {
            if target_count == targets.len() {
                break;
            }
            targets[target_count] = range.target;
            target_count += 1;
        }
        comparisons += if range.low == range.high { 1 } else { 2 };
        if comparisons >= MIN_BIT_TESTS[target_count] {
            best = index + 1;
        }
    }
    best
}
