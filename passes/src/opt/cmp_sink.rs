//! Comparisons are copied to the branches and selects that use them, so that the flags are used at once.
//!
//! ```text
//! b0:                                b0:
//!   v2 = icmp_slt i32 v0, v1           v2 = icmp_slt i32 v0, v1
//!   branch v2, b1, b2                  branch v2, b1, b2
//! b1:                           =>   b1:
//!   branch v2, b3, b4                  v9 = icmp_slt i32 v0, v1
//!                                      branch v9, b3, b4
//! ```
//!
//! Method: code generation computes a comparison within its user only if that is the only one and stands in the same
//! block. So each branch and select whose condition is compared elsewhere, or for others as well, gets a comparison of
//! its own, and with it the `and` with a constant of a bit test; what then has no use is removed. A truncation to one
//! bit counts as a comparison where a branch uses it. Where the target joins comparisons, each `and` and `or` of
//! bits is such a user of those in its block; others it takes as they are, by an instruction that tests a bit.
//!
//! Costs: a comparison is repeated instead of kept: as many instructions in the user (`cmp` for `test`), and the
//! operands live longer, where the result had to live. Into a deeper loop a comparison of two values is therefore not
//! copied. Gains: three instructions for each comparison (`setcc`, its extension, and the register).
//!
//! Source: LLVM's CodeGenPrepare, `sinkCmpExpression`.

use frazil_ir::analysis::AnalysisCache;
use frazil_ir::edit::Editor;
use frazil_ir::loops::LoopTree;
use frazil_ir::pass::{FunctionPass, Level, PassCx, PassError, PassInfo, Preserved, TargetFacts};
use frazil_ir::{Block, EntityRef, Function, Inst, InstData, Opcode, Operand, Type, Value};
use std::ops::Range;

/// What the pass says about itself.
pub const INFO: PassInfo = PassInfo {
    name: "cmp-sink",
    summary: "copies comparisons to the branches and selects that use them",
    level: Level::Function,
    required: false,
    after: &[],
    before: &[],
};

/// Copies comparisons to the branches and selects that use them.
#[derive(Debug)]
pub struct CmpSink;

impl FunctionPass for CmpSink {
    fn run(&self, function: &mut Function, cx: &mut PassCx<'_>) -> Result<Preserved, PassError> {
        let analyses = cx.analyses;
        let mut editor: Box<Editor> = cx.take_scratch();
        editor.begin(function);
        let joins_comparisons = cx.target.joins_comparisons;
        // How many operands of an instruction are looked at.
        let conditions = |data: &InstData| match data.op {
            Opcode::Branch | Opcode::Select => 1,
            // A branch on a frozen comparison.
            Opcode::Freeze if data.ty == Type::I1 => 1,
            Opcode::And | Opcode::Or if joins_comparisons => 2,
            _ => 0,
        };
        let mut copies = 0;
        for block in function.block_ids() {
            let Range { mut start, end } = function.block_insts(block);
            while let Some(next) = function.insts()[start..end]
                .iter()
                .position(|data| conditions(data) > 0)
            {
                let position = start + next;
                for slot in 0..conditions(&function.insts()[position]) {
                    copies += sink(function, cx.target, analyses, &mut editor, (block, position, slot));
                }
                start = position + 1;
            }
        }
        editor.commit(function);
        cx.return_scratch(editor);
        cx.count("copied", copies);
        Ok(if copies > 0 {
            Preserved::cfg()
        } else {
            Preserved::unchanged()
        })
    }
}

/// Copies the comparison that makes an operand of an instruction, given by its block, position and slot; returns how
/// many copies were made.
fn sink(
    function: &mut Function,
    target: &TargetFacts,
    analyses: &AnalysisCache,
    editor: &mut Editor,
    (block, position, slot): (Block, usize, usize),
) -> u64 {
    let data = function.insts()[position];
    let joins = matches!(data.op, Opcode::And | Opcode::Or);
    if joins && data.ty != Type::I1 {
        return 0;
    }
    let operand = if slot == 0 { data.a } else { data.b };
    match Condition::find(function, target, analyses, block, operand) {
        Some(condition)
            if (data.op == Opcode::Branch || condition.compare.op != Opcode::Trunc)
                && (!joins || condition.is_near) =>
        {
            condition.copy(function, editor, Inst::new(position), slot);
            1
        }
        _ => 0,
    }
}

/// A comparison that is worth a copy beside its user.
struct Condition {
    value: Value,
    compare: InstData,
    /// Whether it stands in the block of its user.
    is_near: bool,
    /// The `and` with a constant that is only computed to be compared with zero.
    mask: Option<(Value, InstData)>,
}

impl Condition {
    /// The comparison that makes the condition of a user in `block`, unless it stays where it is.
    fn find(
        function: &Function,
        target: &TargetFacts,
        analyses: &AnalysisCache,
        block: Block,
        operand: Operand,
    ) -> Option<Condition> {
        let value = operand.as_value()?;
        let inst = function.def_inst(value)?;
        let compare = *function.inst(inst);
        let is_near = function.block_insts(block).contains(&inst.index());
        if (is_near && function.use_count(value) == 1) || !is_comparison(function, target, &compare) {
            return None;
        }
        let values = [compare.a, compare.b]
            .iter()
            .filter(|operand| operand.as_value().is_some())
            .count();
        if values > 1 && !is_near {
            // Few functions need to be asked for their loops.
            let loops = analyses.get::<LoopTree>(function);
            if loops.depth(block) > loops.depth(function.block_of(inst)) {
                return None;
            }
        }
        let mask = mask_of(function, &compare);
        Some(Condition {
            value,
            compare,
            is_near,
            mask,
        })
    }

    /// Copies the comparison before its user, whose operand in this slot it is, and removes it where it was if it has
    /// no other one.
    fn copy(mut self, function: &mut Function, editor: &mut Editor, user: Inst, slot: usize) {
        if let Some((_, and)) = self.mask {
            let copy = editor.insert_before(function, user, and, Some(and.ty));
            self.compare.a = copy.map_or(self.compare.a, Operand::value);
        }
        let copy = editor.insert_before(function, user, self.compare, Some(Type::I1));
        if let Some(copy) = copy {
            if slot == 0 {
                editor.set_first_operand(function, user, copy.into());
            } else {
                let mut data = *function.inst(user);
                data.b = copy.into();
                editor.replace(function, user, data);
            }
        }
        let unused = std::iter::once(self.value).chain(self.mask.map(|mask| mask.0));
        for value in unused {
            if function.use_count(value) == 0
                && let Some(inst) = function.def_inst(value)
            {
                editor.remove(function, inst);
            }
        }
    }
}

/// Whether branches and selects can take an instruction's place: the target compares such operands directly.
fn is_comparison(function: &Function, target: &TargetFacts, data: &InstData) -> bool {
    let is_native = |ty: Type| {
        let bits = function.types().int_bits(ty);
        ty == Type::PTR || bits.is_some_and(|bits| bits <= target.native_int_bits)
    };
    match data.op {
        Opcode::FcmpFalse | Opcode::FcmpTrue => false,
        Opcode::Trunc => data.ty == Type::I1 && function.operand_type(data.a).is_some_and(is_native),
        op if op.is_icmp() => is_native(data.ty),
        op if op.is_fcmp() => matches!(data.ty, Type::F32 | Type::F64),
        _ => false,
    }
}

fn mask_of(function: &Function, compare: &InstData) -> Option<(Value, InstData)> {
    let is_test = matches!(compare.op, Opcode::IcmpEq | Opcode::IcmpNe) && compare.b == Operand::ZERO;
    let value = compare.a.as_value().filter(|_| is_test)?;
    let and = *function.inst(function.def_inst(value)?);
    let is_mask = and.op == Opcode::And && and.b.as_imm().is_some() && function.use_count(value) == 1;
    is_mask.then_some((value, and))
}
