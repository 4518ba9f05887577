//! Changes nothing yet: walks over the instructions of machine functions.
//!
//! ```text
//! mov   eax, edi      ->      mov   eax, edi
//! ```
//!
//! Method: one walk over the instructions of each block.
//!
//! Costs: the walk. Gains: none.

use frazil_codegen::mfunc::{MFunc, op_desc};
use frazil_codegen::minst::MInst;
use frazil_codegen::pass::{MachPass, MachPassCx};
use frazil_ir::pass::{Level, PassInfo};

/// What the pass says about itself.
pub const INFO: PassInfo = PassInfo {
    name: "new-pass",
    summary: "changes nothing yet",
    level: Level::Mach,
    required: false,
    after: &[],
    before: &[],
};

/// See the head of the file.
#[derive(Debug)]
pub struct NewPass;

impl MachPass for NewPass {
    fn run(&self, func: &mut MFunc, cx: &mut MachPassCx<'_>) -> u64 {
        // Before allocation, operands are virtual registers, and edges carry moves.
        if !cx.is_allocated {
            return 0;
        }
        let mut changes = 0;
        for block in &func.blocks {
            for inst in &mut func.insts[block.start as usize..block.end as usize] {
                changes += u64::from(changed(inst, cx));
            }
        }
        changes
    }
}

/// Changes an instruction; whether it did. What it reads and writes, the description says.
fn changed(inst: &mut MInst, cx: &MachPassCx<'_>) -> bool {
    let _description = op_desc(cx.hooks.ops(), inst.op);
    false
}
