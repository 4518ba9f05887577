//! A constant that a phi gets over an edge becomes the value which the edge's branch has found equal to it.
//!
//! ```text
//! b0:                                b0:
//!   v1 = load i32 ptr v0               v1 = load i32 ptr v0
//!   v2 = icmp_eq i32 v1, 0             v2 = icmp_eq i32 v1, 0
//!   branch v2, b2, b1                  branch v2, b2, b1
//! b1:                           =>   b1:
//!   v3 = call i32 @f(i32 v1)           v3 = call i32 @f(i32 v1)
//!   jump b2                            jump b2
//! b2:                                b2:
//!   v4 = phi i32 [b0: 0, b1: v3]       v4 = phi i32 [b0: v1, b1: v3]
//! ```
//!
//! Method: of each branch on a comparison of a value with a constant for equality, the phis of the block to which equal
//! values lead are examined. The value takes the constant's place if no other instruction than the comparison uses it:
//! then it ends with the edge, and the register allocator can give it and the phi one register, so that the edge has no
//! instruction left. A value that lives on would need a copy, which is no better than the constant.
//!
//! Costs: a look at the end of each block. Gains: a move on the edge, and often the jump around it.
//!
//! Source: LLVM's `AArch64RedundantCopyElimination` removes such moves after register allocation, where it must prove
//! what the upper half of a register has in it; here, the value brings that with it (contract 1).

use frazil_ir::edit::Editor;
use frazil_ir::pass::{FunctionPass, Level, Order, PassCx, PassError, PassInfo, Preserved};
use frazil_ir::{Block, Function, Opcode, Operand, Value};

/// What the pass says about itself.
pub const INFO: PassInfo = PassInfo {
    name: "phi-constants",
    summary: "gives phis the value that a branch compared with a constant in the constant's place",
    level: Level::Function,
    required: false,
    after: &[Order {
        pass: "fold",
        reason: "it makes constants of phis whose operands are all the same",
    }],
    before: &[],
};

/// Puts compared values into the place of constants in phis.
#[derive(Debug)]
pub struct PhiConstants;

impl FunctionPass for PhiConstants {
    fn run(&self, function: &mut Function, cx: &mut PassCx<'_>) -> Result<Preserved, PassError> {
        let mut editor: Box<Editor> = cx.take_scratch();
        editor.begin(function);
        let mut replaced = 0;
        for block in function.block_ids() {
            if let Some(equality) = Equality::of_branch(function, block) {
                replaced += equality.tell_phis(function, &mut editor, block);
            }
        }
        editor.commit(function);
        cx.return_scratch(editor);
        cx.count("constants replaced", replaced);
        Ok(match replaced {
            0 => Preserved::unchanged(),
            _ => Preserved::cfg(),
        })
    }
}

/// What is known where a branch leads.
struct Equality {
    value: Value,
    constant: Operand,
    /// The block in which they are equal.
    target: Block,
}

impl Equality {
    /// What the branch at the end of a block says, if the compared value is used for nothing else.
    fn of_branch(function: &Function, block: Block) -> Option<Equality> {
        let branch = function.inst(function.terminator(block));
        if branch.op != Opcode::Branch || branch.target() == branch.else_target() {
            return None;
        }
        let compare = function.inst(function.def_inst(branch.a.as_value()?)?);
        let target = match compare.op {
            Opcode::IcmpEq => branch.target(),
            Opcode::IcmpNe => branch.else_target(),
            _ => return None,
        };
        let value = compare.a.as_value().filter(|&value| function.use_count(value) == 1)?;
        compare.b.as_imm().map(|_| Equality {
            value,
            constant: compare.b,
            target,
        })
    }

    /// Replaces the constant in the phis of the target; returns how many there were.
    fn tell_phis(&self, function: &mut Function, editor: &mut Editor, block: Block) -> u64 {
        let column = function
            .predecessors(self.target)
            .iter()
            .position(|&from| from == block);
        let Some(column) = column else { return 0 };
        for position in function.block_insts(self.target) {
            let data = function.insts()[position];
            if data.op != Opcode::Phi {
                break;
            }
            let is_equal = function.list(&data)[column] == self.constant && data.ty == function.value(self.value).ty;
            if let Some(phi) = data.first_result().filter(|_| is_equal) {
                editor.set_phi_operand(function, phi, column, Operand::value(self.value));
                // With a second phi, the value would live on beside the first one.
                return 1;
            }
        }
        0
    }
}
