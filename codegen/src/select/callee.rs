//! Calls through pointers in memory: the load of the callee is folded into the call.
//!
//! ```text
//! mov  r1, [rbx + 8]             mov  rdi, rbx
//! mov  rdi, rbx           ->     call [rbx + 8]
//! call r1
//! ```
//!
//! Method: when the arguments are in place, the load of the callee is searched for among the last instructions. It is
//! folded if only the call uses its result, no instruction in between writes memory other than outgoing arguments, and
//! the registers of its address are unchanged. The memory forms of the op table say which instructions are loads and
//! which one is the call through memory.

use super::SelectCtx;
use crate::desc::{OpDesc, Role};
use crate::isa::Isa;
use crate::mfunc::{for_each_register, op_desc, pseudo};
use crate::minst::{MInst, Mem};
use crate::reg::{Reg, RegClass};
use frazil_ir::{MemFlags, Opcode, Operand};

/// How many instructions before the call are searched for the load of the callee.
const MOST_STEPS_BACK: usize = 24;

impl<I: Isa> SelectCtx<'_, I> {
    /// The call of `callee` through memory if its load can be folded, else `call`, which calls through a register.
    pub(super) fn with_callee_in_memory(&mut self, call: MInst, callee: Operand) -> MInst {
        let Some(op) = self.row(&call).memory_forms[0] else {
            return call;
        };
        if !self.is_only_load(callee) {
            return call;
        }
        let Some(index) = self.load_before(call.reg(0)) else {
            return call;
        };
        let mem = self.mfunc.insts[index].mem();
        self.mfunc.insts[index] = MInst::new(pseudo::NOP, 0);
        let mut folded = call.with_op(op);
        folded.set_reg(0, Reg::NONE);
        folded.with_mem(mem)
    }

    fn row(&self, inst: &MInst) -> &'static OpDesc {
        op_desc(self.base.isa.op_descs(), inst.op)
    }

    /// Whether an operand is the result of a load that is not volatile and has no other use.
    fn is_only_load(&self, callee: Operand) -> bool {
        let Some(value) = callee.as_value() else { return false };
        let Some(inst) = self.base.function.def_inst(value) else {
            return false;
        };
        let data = self.base.function.inst(inst);
        self.base.function.use_count(value) == 1 && data.op == Opcode::Load && !MemFlags(data.flags).is_volatile()
    }

    /// The instruction of this block that loads `reg`, if the load can be delayed to the end of the block.
    fn load_before(&self, reg: Reg) -> Option<usize> {
        let func = &*self.mfunc;
        let start = func.blocks.last().map_or(0, |block| block.end as usize);
        let places = (start..func.insts.len()).rev().take(MOST_STEPS_BACK);
        let index = places.into_iter().find(|&index| func.insts[index].reg(0) == reg)?;
        let load = &func.insts[index];
        let in_group = (func.groups.iter().rev()).any(|group| group.contains(&(index as u32)));
        let bytes = self.base.isa.desc().pointer_bytes;
        let copy = self.base.isa.mov(RegClass::Int, bytes, reg, reg);
        if in_group || self.row(&copy).memory_forms[1] != Some(load.op) || load.size != copy.size {
            return None;
        }
        let mem = load.mem();
        let stays = func.insts[index + 1..].iter().all(|inst| self.leaves_alone(inst, mem));
        stays.then_some(index)
    }

    /// Whether an instruction leaves the registers and the memory of an address unchanged.
    fn leaves_alone(&self, inst: &MInst, mem: Mem) -> bool {
        let row = self.row(inst);
        let is_argument = inst.reg(1) == self.base.isa.desc().stack_pointer;
        if row.has_sets || (row.writes_memory && !is_argument) {
            return false;
        }
        let mut is_same = true;
        for_each_register(inst, row, |_, reg, role| {
            let is_written = matches!(role, Role::Def | Role::UseDef);
            is_same &= !(is_written && (reg == mem.base_reg() || reg == mem.index_reg()));
        });
        is_same
    }
}
