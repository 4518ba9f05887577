//! Makes two branches of one on `a && b` or `a || b`, and `and` or `or` of the selects that stand for such conditions.
//!
//! ```text
//! b0:                                          b0:
//!   v3 = icmp_ne i32 v0, 0                       v3 = icmp_ne i32 v0, 0
//!   v4 = add i32 v1, v2                          branch v3, b1, b3
//!   v5 = icmp_ult i32 v4, 100           ->     b1:
//!   v6 = select i1 v3, v5, false                 v4 = add i32 v1, v2
//!   branch v6, b1, b2                            v5 = icmp_ult i32 v4, 100
//!                                                branch v5, b2, b3
//! ```
//!
//! Conditions are `and`, `or`, and the selects that stand for them where the second part must not be evaluated
//! (`a ? b : false`, `a ? true : b`). The instructions that only the second part needs move after the first branch;
//! if there are none, nothing is split. Conditions in conditions are split, too.
//!
//! Where the target joins comparisons, two that are compared as they are stay together: they take fewer instructions
//! than two branches.
//!
//! The selects that are left become `and` and `or`, for which a target needs no select of bits. The second part is
//! frozen, because it may be poison where the first one decides.
//!
//! Costs: a look at each branch and each select of bits, and a commit. Gains: comparisons stand before their branches
//! and need no registers, and a part of the work is saved on one of the paths. A program whose second condition cannot
//! be predicted loses: LLVM, which has both forms, keeps two plain comparisons together on recent processors
//! (`getJumpConditionMergingParams`); option `most-joined` does that here.
//! Reference: short-circuit evaluation in Subzero's `IceCfgNode.cpp`.

use frazil_ir::pass::{FunctionPass, Level, PassCx, PassError, PassInfo, Preserved, TargetFacts};
use frazil_ir::{Block, Editor, Effects, EntityRef, Function, Inst, InstData, MemFlags, Opcode, Operand, Type};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// What the pass says about itself.
pub const INFO: PassInfo = PassInfo {
    name: "short-circuit",
    summary: "splits branches on `a && b` and `a || b`, makes `and` and `or` of selects of bits",
    level: Level::Function,
    required: false,
    after: &[],
    before: &[],
};

/// What can be set.
#[derive(Clone, Copy, Debug, Default, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields, rename_all = "kebab-case")]
pub struct Options {
    /// A second part of this many instructions or fewer stays together with the first.
    pub most_joined: usize,
}

/// Merges two conditional branches into a branch on both conditions.
#[derive(Debug)]
pub struct ShortCircuit {
    options: Options,
}

/// Makes the pass for one step of a recipe, as the registry asks for it.
pub fn make(options: Options) -> ShortCircuit {
    ShortCircuit { options }
}

/// Conditions in conditions are split this deep.
const MOST_DEPTH: u32 = 4;

/// At most so many instructions are moved.
const MOST_MOVED: usize = 16;

impl FunctionPass for ShortCircuit {
    fn run(&self, function: &mut Function, cx: &mut PassCx<'_>) -> Result<Preserved, PassError> {
        let mut editor: Box<Editor> = cx.take_scratch();
        let mut moved: Box<Vec<Inst>> = cx.take_scratch();
        editor.begin(function);
        let mut splitter = Splitter {
            options: &self.options,
            target: cx.target,
            editor: &mut editor,
            moved: &mut moved,
            split: 0,
        };
        for block in function.block_ids() {
            splitter.split_terminator(function, block);
        }
        let split = splitter.split;
        let joined = join_selects(function, &mut editor);
        editor.commit(function);
        cx.return_scratch(moved);
        cx.return_scratch(editor);
        cx.count("branches split", split);
        cx.count("selects made `and` or `or`", joined);
        Ok(match (split, joined) {
            (0, 0) => Preserved::unchanged(),
            (0, _) => Preserved::cfg(),
            _ => Preserved::none(),
        })
    }
}

/// A condition of two parts.
#[derive(Clone, Copy, Debug)]
struct Condition {
    /// The instruction that joins them.
    joined: Inst,
    first: Operand,
    second: Operand,
    /// Whether both must be true; else one must.
    both: bool,
}

/// The two parts of a condition, if a branch, at the end of `block` or of one that was split off it, is all that it is
/// for.
fn find(f: &Function, block: Block, condition: Operand) -> Option<Condition> {
    let joined = only_user(f, block, condition)?;
    let data = f.inst(joined);
    let (first, second, both) = match data.op {
        Opcode::And | Opcode::Or if data.ty == Type::I1 => (data.a, data.b, data.op == Opcode::And),
        _ => logical(f, data)?,
    };
    Some(Condition {
        joined,
        first,
        second,
        both,
    })
}

/// The parts of a select that stands for `and` (`true`) or `or`.
fn logical(f: &Function, data: &InstData) -> Option<(Operand, Operand, bool)> {
    if data.op != Opcode::Select || data.ty != Type::I1 {
        return None;
    }
    let (yes, no) = f.ternary(data);
    match (yes.as_imm(), no.as_imm()) {
        (None, Some(0)) => Some((data.a, yes, true)),
        (Some(-1), None) => Some((data.a, no, false)),
        _ => None,
    }
}

/// Makes `and` and `or` of the selects that are left of those that stand for them; how many.
fn join_selects(f: &mut Function, editor: &mut Editor) -> u64 {
    let mut joined = 0;
    for position in 0..f.insts().len() {
        let data = f.insts()[position];
        let Some((first, second, both)) = logical(f, &data) else {
            continue;
        };
        let inst = Inst::new(position);
        let freeze = InstData::new(Opcode::Freeze, Type::I1, 0, second, Operand::NONE);
        let second = editor.insert_before(f, inst, freeze, Some(Type::I1));
        let second = Operand::value(second.expect("a freeze has a result"));
        let op = if both { Opcode::And } else { Opcode::Or };
        editor.replace(f, inst, InstData::new(op, Type::I1, 0, first, second));
        joined += 1;
    }
    joined
}

/// The instruction of a block that defines an operand with one use.
fn only_user(f: &Function, block: Block, operand: Operand) -> Option<Inst> {
    let value = operand.as_value().filter(|value| f.use_count(*value) == 1)?;
    let inst = f.def_inst(value)?;
    f.block_insts(block).contains(&inst.index()).then_some(inst)
}

/// Splits branches of a function. All edits are one batch: conditions in a condition are examined before any of their
/// instructions move, and the innermost move first.
struct Splitter<'a> {
    options: &'a Options,
    target: &'a TargetFacts,
    editor: &'a mut Editor,
    /// What is moved, for all conditions around the one that is examined; those of the innermost are last.
    moved: &'a mut Vec<Inst>,
    split: u64,
}

/// A branch to be made: a block and where it goes.
#[derive(Clone, Copy, Debug)]
struct Branch {
    block: Block,
    condition: Operand,
    yes: Block,
    no: Block,
}

impl Splitter<'_> {
    /// Splits the branch at the end of a block of the function if it pays.
    fn split_terminator(&mut self, f: &mut Function, block: Block) {
        let data = f.inst(f.terminator(block));
        if data.op != Opcode::Branch || data.target() == data.else_target() {
            return;
        }
        let branch = Branch {
            block,
            condition: data.a,
            yes: data.target(),
            no: data.else_target(),
        };
        self.split(f, block, branch, MOST_DEPTH);
    }

    /// Splits a branch if it pays, and then both of the branches that it has become. Its instructions are in
    /// `origin`, whose branch it was a part of.
    fn split(&mut self, f: &mut Function, origin: Block, branch: Branch, depth: u32) {
        let Some(condition) = find(f, origin, branch.condition).filter(|_| depth > 0) else {
            return;
        };
        let start = self.moved.len();
        collect(f, origin, condition.second, self.moved);
        if self.pays(f, origin, condition, start) {
            let between = self.editor.new_block(branch.block, &[branch.block]);
            let (yes, no) = match condition.both {
                true => (between, branch.no),
                false => (branch.yes, between),
            };
            let first = Branch {
                condition: condition.first,
                yes,
                no,
                ..branch
            };
            let second = Branch {
                block: between,
                condition: condition.second,
                ..branch
            };
            for part in [second, first] {
                let data = InstData::branch(part.condition, part.yes, part.no);
                self.editor.set_terminator(f, part.block, data);
            }
            for target in [branch.yes, branch.no] {
                self.editor.copy_edge(target, between, origin);
            }
            self.editor.remove(f, condition.joined);
            self.split += 1;
            self.split(f, origin, first, depth - 1);
            self.split(f, origin, second, depth - 1);
            for index in start..self.moved.len() {
                let inst = self.moved[index];
                // What a condition in this one needs has moved further.
                if f.inst(inst).op != Opcode::Nop {
                    self.editor.move_to_end(f, inst, between);
                }
            }
        }
        self.moved.truncate(start);
    }

    /// Whether a branch is split, of which the instructions of `moved` from `start` on would move.
    fn pays(&self, f: &Function, origin: Block, condition: Condition, start: usize) -> bool {
        let moved = &self.moved[start..];
        let is_joined = self.target.joins_comparisons
            && is_comparison_alone(f, self.target, moved)
            && only_user(f, origin, condition.first).is_some_and(|inst| is_condition(f, self.target, f.inst(inst)));
        !is_joined && moved.len() > self.options.most_joined
    }
}

/// Whether the second part is nothing but a comparison.
fn is_comparison_alone(f: &Function, target: &TargetFacts, moved: &[Inst]) -> bool {
    matches!(*moved, [inst] if is_comparison(f, target, f.inst(inst)))
}

/// Whether an instruction compares numbers that registers hold, by one relation.
fn is_comparison(f: &Function, target: &TargetFacts, data: &InstData) -> bool {
    let bits = f.types().int_bits(data.ty).unwrap_or(target.pointer_bits);
    let is_simple = matches!(data.ty, Type::F32 | Type::F64)
        && !matches!(
            data.op,
            Opcode::FcmpOne | Opcode::FcmpUeq | Opcode::FcmpFalse | Opcode::FcmpTrue
        );
    let is_number = data.ty == Type::PTR || f.types().int_bits(data.ty).is_some();
    data.op.is_icmp() && is_number && bits <= target.native_int_bits || data.op.is_fcmp() && is_simple
}

/// Whether an instruction is a comparison or joins some.
fn is_condition(f: &Function, target: &TargetFacts, data: &InstData) -> bool {
    is_comparison(f, target, data) || matches!(data.op, Opcode::And | Opcode::Or) || logical(f, data).is_some()
}

/// Appends the instructions of a block that only an operand needs, in their order. Loads are among them if nothing
/// after them writes memory: a comparison with memory must not lose its load.
fn collect(f: &Function, block: Block, operand: Operand, moved: &mut Vec<Inst>) {
    let range = f.block_insts(block);
    let writes = |position: &usize| {
        let effects = f.insts()[*position].op.effects();
        matches!(effects, Effects::Write | Effects::Any)
    };
    let mut first_load = None;
    let start = moved.len();
    moved.extend(movable(f, block, operand));
    let mut next = start;
    while next < moved.len() {
        let inst = moved[next];
        let data = f.inst(inst);
        if data.op.effects() == Effects::Read {
            let unchanged = *first_load.get_or_insert_with(|| range.clone().rev().find(writes).unwrap_or(range.start));
            if inst.index() < unchanged {
                moved.swap_remove(next);
                continue;
            }
        }
        if moved.len() - start < MOST_MOVED {
            f.for_each_operand(data, |operand| moved.extend(movable(f, block, operand)));
        }
        next += 1;
    }
    // What has one use is met once.
    moved[start..].sort_unstable();
}

fn movable(f: &Function, block: Block, operand: Operand) -> Option<Inst> {
    let inst = only_user(f, block, operand)?;
    let data = f.inst(inst);
    let is_free = match data.op.effects() {
        Effects::Pure => data.op != Opcode::Phi,
        Effects::Read => !MemFlags(data.flags).is_volatile(),
        _ => false,
    };
    (is_free && f.result_count(data) == 1).then_some(inst)
}
