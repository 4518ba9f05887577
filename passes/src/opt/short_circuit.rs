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
//! if there are none, nothing is split. Conditions in conditions are split one after the other.
//!
//! Where the target joins comparisons, two that are compared as they are stay together: they take fewer instructions
//! than two branches.
//!
//! The selects that are left become `and` and `or`, for which a target needs no select of bits. The second part is
//! frozen, because it may be poison where the first one decides.
//!
//! Costs: a look at each branch and each select of bits; one commit for each level of conditions in conditions. Gains:
//! comparisons stand before their branches and need no registers, and a part of the work is saved on one of the paths.
//! A program whose second condition cannot be predicted loses: LLVM, which has both forms, keeps two plain comparisons
//! together on recent processors (`getJumpConditionMergingParams`); option `most-joined` does that here.
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
const MOST_ROUNDS: u32 = 4;

/// At most so many instructions are moved.
const MOST_MOVED: usize = 16;

impl FunctionPass for ShortCircuit {
    fn run(&self, function: &mut Function, cx: &mut PassCx<'_>) -> Result<Preserved, PassError> {
        let mut editor: Box<Editor> = cx.take_scratch();
        let mut moved: Box<Vec<Inst>> = cx.take_scratch();
        let mut split = 0;
        for _ in 0..MOST_ROUNDS {
            editor.begin(function);
            for block in function.block_ids() {
                if let Some(condition) = find(function, block)
                    && self.split(function, cx.target, &mut editor, &mut moved, block, condition)
                {
                    split += 1;
                }
            }
            if !editor.has_edits() {
                break;
            }
            editor.commit(function);
        }
        let joined = join_selects(function, &mut editor);
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

/// The two parts of what a block branches on, if the branch is all that they are for.
fn find(f: &Function, block: Block) -> Option<Condition> {
    let data = f.inst(f.terminator(block));
    if data.op != Opcode::Branch || data.target() == data.else_target() {
        return None;
    }
    let joined = only_user(f, block, data.a)?;
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

/// Makes `and` and `or` of the selects that stand for them; how many.
fn join_selects(f: &mut Function, editor: &mut Editor) -> u64 {
    editor.begin(f);
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
    editor.commit(f);
    joined
}

/// The instruction of a block that defines an operand with one use.
fn only_user(f: &Function, block: Block, operand: Operand) -> Option<Inst> {
    let value = operand.as_value().filter(|value| f.use_count(*value) == 1)?;
    let inst = f.def_inst(value)?;
    f.block_insts(block).contains(&inst.index()).then_some(inst)
}

impl ShortCircuit {
    /// Splits a branch if it pays; whether it did.
    fn split(
        &self,
        f: &mut Function,
        target: &TargetFacts,
        editor: &mut Editor,
        moved: &mut Vec<Inst>,
        block: Block,
        condition: Condition,
    ) -> bool {
        collect(f, block, condition.second, moved);
        let is_joined = target.joins_comparisons
            && is_comparison_alone(f, target, moved)
            && only_user(f, block, condition.first).is_some_and(|inst| is_condition(f, target, f.inst(inst)));
        if is_joined || moved.len() <= self.options.most_joined {
            return false;
        }
        let branch = *f.inst(f.terminator(block));
        let (yes, no) = (branch.target(), branch.else_target());
        let between = editor.new_block(block, &[block]);
        editor.set_terminator(f, between, InstData::branch(condition.second, yes, no));
        let ways = if condition.both { (between, no) } else { (yes, between) };
        editor.set_terminator(f, block, InstData::branch(condition.first, ways.0, ways.1));
        editor.copy_edge(yes, between, block);
        editor.copy_edge(no, between, block);
        editor.remove(f, condition.joined);
        for &inst in moved.iter() {
            editor.move_to_end(f, inst, between);
        }
        true
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

/// The instructions of a block that only an operand needs, in their order. Loads are among them if nothing after them
/// writes memory: a comparison with memory must not lose its load.
fn collect(f: &Function, block: Block, operand: Operand, moved: &mut Vec<Inst>) {
    let range = f.block_insts(block);
    let writes = |position: &usize| {
        let effects = f.insts()[*position].op.effects();
        matches!(effects, Effects::Write | Effects::Any)
    };
    let mut first_load = None;
    moved.clear();
    moved.extend(movable(f, block, operand));
    let mut next = 0;
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
        if moved.len() < MOST_MOVED {
            f.for_each_operand(data, |operand| moved.extend(movable(f, block, operand)));
        }
        next += 1;
    }
    // What has one use is met once.
    moved.sort_unstable();
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
