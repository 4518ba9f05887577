//! Replaces the negation of a negation by what was negated.
//!
//! ```text
//! v1 = sub i32 0, v0
//! v2 = sub i32 0, v1      ->      v1 = sub i32 0, v0
//! return v2                       return v0
//! ```
//!
//! Method: one walk over the instructions; all uses are replaced in one commit. What is not needed any more is left to
//! the pass `dce`. If the inner negation gives poison (`nsw`), any value will do for the outer one.
//!
//! Costs: the walk. Gains: an instruction for each pair, and another one if the inner negation has no other use.

use frazil::ir::pass::{FunctionPass, Level, Order, PassCx, PassError, PassInfo, Preserved};
use frazil::ir::{Editor, EntityRef, Function, Inst, InstData, Opcode, Operand};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// What the pass says about itself.
pub const INFO: PassInfo = PassInfo {
    name: "acme.double-negation",
    summary: "replaces the negation of a negation by what was negated",
    level: Level::Function,
    required: false,
    after: &[],
    before: &[Order {
        pass: "dce",
        reason: "the negations are left behind without a use",
    }],
};

/// The options of the pass.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields, rename_all = "kebab-case")]
pub struct Options {
    /// Negations that are replaced in a function, at most.
    most_replaced: usize,
}

impl Default for Options {
    fn default() -> Self {
        Options { most_replaced: 1000 }
    }
}

/// Replaces double negations, as the head comment of this file shows.
#[derive(Debug)]
pub struct DoubleNegation {
    options: Options,
}

impl DoubleNegation {
    /// The pass as a recipe asks for it, with the options of that step.
    pub fn new(options: Options) -> DoubleNegation {
        DoubleNegation { options }
    }
}

impl FunctionPass for DoubleNegation {
    fn run(&self, function: &mut Function, cx: &mut PassCx<'_>) -> Result<Preserved, PassError> {
        // Memory that is used again for the next function.
        let mut editor: Box<Editor> = cx.take_scratch();
        editor.begin(function);
        let mut replaced = 0;
        for index in 0..function.insts().len() {
            let data = *function.inst(Inst::new(index));
            let Some((result, inner)) = data.first_result().zip(negated(function, &data)) else {
                continue;
            };
            if replaced < self.options.most_replaced {
                editor.replace_uses(function, result, inner);
                replaced += 1;
            }
        }
        if replaced > 0 {
            editor.commit(function);
        }
        cx.return_scratch(editor);
        cx.count("negations replaced", replaced as u64);
        Ok(match replaced {
            0 => Preserved::unchanged(),
            _ => Preserved::cfg(),
        })
    }
}

/// What an instruction that negates a negation leaves as it was.
fn negated(function: &Function, outer: &InstData) -> Option<Operand> {
    let inner = function.def_inst(operand_of_negation(outer)?.as_value()?)?;
    operand_of_negation(function.inst(inner))
}

/// The operand of `sub 0, x`.
fn operand_of_negation(data: &InstData) -> Option<Operand> {
    (data.op == Opcode::Sub && data.a.as_imm() == Some(0)).then_some(data.b)
}
