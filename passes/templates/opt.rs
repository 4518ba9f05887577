//! Replaces sums with zero by what zero is added to.
//!
//! ```text
//!   v1 = add i32 v0, 0
//!   return v1                ->    return v0
//! ```
//!
//! Method: one walk over the instructions; all uses are replaced in one commit. The sums themselves are left to `dce`.
//!
//! Costs: the walk, and a commit if anything is replaced. Gains: not measured yet.

use crate::registry::NoOptions;
use frazil_ir::pass::{FunctionPass, Level, Order, PassCx, PassError, PassInfo, Preserved};
use frazil_ir::{Editor, EntityRef, Function, Inst, InstData, Opcode, Operand};

/// What the pass says about itself.
pub const INFO: PassInfo = PassInfo {
    name: "new-pass",
    summary: "replaces sums with zero by what zero is added to",
    level: Level::Function,
    required: false,
    after: &[],
    before: &[Order {
        pass: "dce",
        reason: "it leaves instructions without uses",
    }],
};

/// See the head of the file.
#[derive(Debug)]
pub struct NewPass;

/// Makes the pass. One with options has a structure of its own in the place of [`NoOptions`].
pub fn make(_: NoOptions) -> NewPass {
    NewPass
}

impl FunctionPass for NewPass {
    fn run(&self, function: &mut Function, cx: &mut PassCx<'_>) -> Result<Preserved, PassError> {
        let mut editor: Box<Editor> = cx.take_scratch();
        editor.begin(function);
        let mut replaced = 0;
        for index in 0..function.insts().len() {
            let data = function.inst(Inst::new(index));
            if let Some((result, operand)) = data.first_result().zip(addend_of_zero(data)) {
                editor.replace_uses(function, result, operand);
                replaced += 1;
            }
        }
        if replaced > 0 {
            editor.commit(function);
        }
        cx.return_scratch(editor);
        cx.count("sums replaced", replaced);
        Ok(if replaced > 0 {
            Preserved::cfg()
        } else {
            Preserved::unchanged()
        })
    }
}

/// The operand that an instruction adds zero to.
fn addend_of_zero(data: &InstData) -> Option<Operand> {
    (data.op == Opcode::Add && data.b.as_imm() == Some(0)).then_some(data.a)
}
