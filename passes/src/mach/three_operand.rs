//! Replaces instructions that overwrite an operand by those that have a register for their result, and removes the
//! copies that this makes needless.
//!
//! ```text
//! movaps xmm2, xmm0
//! addps  xmm2, xmm1     ->     vaddps xmm2, xmm0, xmm1
//! mulps  xmm2, [rsi]           vmulps xmm2, xmm2, [rsi]
//! movups [rdi], xmm2           vmovups [rdi], xmm2
//! ```
//!
//! Method: in functions whose features have such instructions, one walk; which they are is known to the target
//! ([`frazil_codegen::pass::MachRules::with_three_operands`]). All instructions that have another form get it, since
//! processors are slow where both kinds meet, except for those in groups (contract 7). Of the few instructions before
//! one that overwrites its operand, the last one that touches that register is removed if it is a copy whose source is
//! still there.
//!
//! It does not choose other registers, and nothing before it knows that copies are free: what the allocator did to
//! avoid them stays.
//!
//! Costs: a walk over the functions with such features. Gains: a third of the copies of floats and vectors, and no
//! waits for the upper parts of registers.

use super::live::{compact, effects};
use frazil_codegen::desc::{OpDesc, Role};
use frazil_codegen::mfunc::{MFunc, for_each_register, op_desc, pseudo};
use frazil_codegen::minst::MInst;
use frazil_codegen::pass::{MachPass, MachPassCx};
use frazil_codegen::reg::PRegSet;
use frazil_codegen::{Reg, RegClass};
use frazil_ir::pass::{Level, Order, PassInfo};

pub const INFO: PassInfo = PassInfo {
    name: "three-operand",
    summary: "uses instructions that do not overwrite an operand, where processors have them",
    level: Level::Mach,
    required: false,
    after: &[
        Order {
            pass: "peephole",
            reason: "its rules are for those that do",
        },
        Order {
            pass: "mach-local-cse",
            reason: "it looks for spills and reloads as they are made",
        },
    ],
    before: &[],
};

/// How many instructions before one are searched for the copy that it can do without.
const MOST_STEPS_BACK: u32 = 8;

/// See the head of the file.
#[derive(Debug)]
pub struct ThreeOperand;

impl MachPass for ThreeOperand {
    fn run(&self, func: &mut MFunc, cx: &mut MachPassCx<'_>) -> u64 {
        if !cx.is_allocated || !cx.hooks.has_three_operands() {
            return 0;
        }
        func.groups.retain(|group| !group.is_empty());
        let (ops, rules) = (cx.hooks.ops(), cx.hooks.rules());
        let (mut changes, mut copies, mut next_group) = (0, 0, 0);
        for block in 0..func.blocks.len() {
            // The first instruction after the last group: nothing before it is changed.
            let mut free_from = func.blocks[block].start;
            for index in func.blocks[block].start..func.blocks[block].end {
                while let Some(group) = func.groups.get(next_group)
                    && group.start <= index
                {
                    free_from = free_from.max(group.end);
                    next_group += 1;
                }
                let inst = func.insts[index as usize];
                if inst.op >= pseudo::FIRST || index < free_from {
                    continue;
                }
                let has_own = is_in_place(&inst, op_desc(ops, inst.op));
                let Some(mut other) = rules.with_three_operands(&inst).or(has_own.then_some(inst)) else {
                    continue;
                };
                let gains_operand =
                    op_desc(ops, inst.op).roles[0] == Role::UseDef && op_desc(ops, other.op).roles[0] == Role::Def;
                if (gains_operand || has_own)
                    && let Some(slot) = own_slot(op_desc(ops, other.op))
                    && let Some(copy) = needless_copy(func, ops, free_from..index, &other, slot)
                    && can_name(cx, &other, func.insts[copy as usize].reg(1))
                {
                    other.set_reg(slot, func.insts[copy as usize].reg(1));
                    func.insts[copy as usize] = MInst::new(pseudo::NOP, 0);
                    copies += 1;
                }
                func.insts[index as usize] = other;
                changes += 1;
            }
        }
        if copies > 0 {
            compact(func);
        }
        changes
    }
}

/// Whether an instruction on vectors that could write another register than it reads does not: one of those that rules
/// made this way.
fn is_in_place(inst: &MInst, desc: &OpDesc) -> bool {
    let is_of_two = desc.roles[0] == Role::Def && !desc.is_move;
    let own = own_slot(desc).filter(|_| is_of_two).map(|slot| inst.reg(slot));
    own == Some(inst.reg(0)) && inst.reg(0).bank() == RegClass::Float.bank()
}

/// The slot of the operand that instructions without one of their own for the result overwrite: the one after the
/// result, or, beside memory, the last one.
fn own_slot(desc: &OpDesc) -> Option<usize> {
    [1, 3].into_iter().find(|&slot| desc.roles[slot] == Role::Use)
}

/// Whether a register may be an operand of an instruction.
fn can_name(cx: &MachPassCx<'_>, inst: &MInst, reg: Reg) -> bool {
    op_desc(cx.hooks.ops(), inst.op).names_upper || !cx.hooks.desc().upper_registers.contains(reg)
}

/// The copy in a range of instructions that an instruction after them, which overwrites its target, can do without. The
/// operand in `own` is what it would read instead.
fn needless_copy(
    func: &MFunc,
    ops: &'static [OpDesc],
    range: std::ops::Range<u32>,
    inst: &MInst,
    own: usize,
) -> Option<u32> {
    let target = inst.reg(0);
    // Another operand would have been overwritten.
    let mut is_read = false;
    for_each_register(inst, op_desc(ops, inst.op), |slot, reg, _| {
        is_read |= slot != 0 && slot != own && reg == target;
    });
    if is_read {
        return None;
    }
    let mut written = PRegSet::EMPTY;
    for index in range.rev().take(MOST_STEPS_BACK as usize) {
        let before = &func.insts[index as usize];
        let desc = op_desc(ops, before.op);
        if desc.is_move && before.reg(0) == target {
            let source: Reg = before.reg(1);
            let is_whole = desc.operand_bytes(1, before.size) >= op_desc(ops, inst.op).operand_bytes(own, inst.size);
            let is_kept = source.is_physical() && source.bank() == target.bank() && !written.contains(source);
            return (is_kept && is_whole).then_some(index);
        }
        let sets = effects(func, before, desc);
        if sets.defs.contains(target) || sets.uses.contains(target) {
            return None;
        }
        written = written.union(sets.defs);
    }
    None
}
