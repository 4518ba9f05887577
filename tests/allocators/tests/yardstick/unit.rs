//! What allocators see as one instruction, and which registers it reads and writes.
//!
//! A unit is an instruction, a group (contract 7), or the two branches of a branch on two conditions.

use frazil_codegen::mfunc::{for_each_register, op_desc, pseudo};
use frazil_codegen::{MFunc, OpDesc, PRegSet, Reg, Role, Term};
use std::ops::Range;

/// What happens to a register in a unit.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Member {
    pub reg: Reg,
    /// Whether it is read before it is written.
    pub reads: bool,
    /// Whether it is written.
    pub writes: bool,
    /// The operand of a single instruction that may be in memory instead.
    pub may_be_in_memory: bool,
}

#[derive(Clone, Debug)]
pub struct Unit {
    pub insts: Range<u32>,
    /// Whether everything that it reads must live through it, and what it writes exists from its start.
    pub is_group: bool,
}

/// What is known of the target, as far as it matters here.
#[derive(Clone, Copy, Debug)]
pub struct Facts {
    /// The op table.
    pub ops: &'static [OpDesc],
    /// The registers that values may get; others are nobody's business.
    pub allocatable: PRegSet,
    /// Whether operands may be in memory.
    pub memory_operands: bool,
}

/// The units of a block in order.
pub fn units(func: &MFunc, block: u32) -> Vec<Unit> {
    let data = &func.blocks[block as usize];
    let mut groups = func.groups.partition_point(|group| group.end <= data.start);
    let mut units = Vec::new();
    let mut inst = data.start;
    while inst < data.end {
        let group = func.groups.get(groups).filter(|group| group.start == inst);
        let is_joined = matches!(data.term, Term::Branch(Some(_))) && inst + 2 == data.end;
        let end = match group {
            Some(group) => group.end,
            None => inst + 1 + u32::from(is_joined),
        };
        groups += usize::from(group.is_some());
        units.push(Unit {
            insts: inst..end,
            is_group: end - inst > 1,
        });
        inst = end;
    }
    units
}

/// The registers of a unit, each once if it is a group; with the physical ones that nobody may get left out.
pub fn members(func: &MFunc, unit: &Unit, facts: Facts) -> Vec<Member> {
    let mut members: Vec<Member> = Vec::new();
    for inst in unit.insts.clone() {
        let data = &func.insts[inst as usize];
        let desc = op_desc(facts.ops, data.op);
        if data.op == pseudo::NOP {
            continue;
        }
        let sets = func.implicit(data, desc);
        let mut note = |reg: Reg, reads: bool, writes: bool, may_be_in_memory: bool| {
            if reg.is_physical() && !facts.allocatable.contains(reg) {
                return;
            }
            let known = members.iter_mut().find(|member| member.reg == reg);
            match known {
                // Operands of one instruction are kept apart: each is a place of its own.
                Some(member) if unit.is_group || reg.is_physical() => member.writes |= writes,
                _ => members.push(Member {
                    reg,
                    reads,
                    writes,
                    may_be_in_memory,
                }),
            }
        };
        for_each_register(data, desc, |index, reg, role| {
            if role != Role::Def {
                let may_fold = !unit.is_group && can_fold(func, inst, desc, index, role, facts);
                note(reg, true, role == Role::UseDef, may_fold);
            }
        });
        sets.uses.iter().for_each(|reg| note(reg, true, false, false));
        sets.defs.iter().for_each(|reg| note(reg, false, true, false));
        for_each_register(data, desc, |index, reg, role| {
            if role == Role::Def {
                let may_fold = !unit.is_group && can_fold(func, inst, desc, index, role, facts);
                note(reg, false, true, may_fold);
            }
        });
    }
    if let Some(first) = members.iter().position(|member| member.may_be_in_memory) {
        // An instruction has one memory operand.
        members[first + 1..]
            .iter_mut()
            .for_each(|member| member.may_be_in_memory = false);
    }
    members
}

/// Whether an operand that is read, or written, can be in its spill slot.
fn can_fold(func: &MFunc, inst: u32, desc: &OpDesc, index: usize, role: Role, facts: Facts) -> bool {
    let data = &func.insts[inst as usize];
    let reg = data.reg(index);
    let has_form = desc.memory_forms.get(index).copied().flatten().is_some();
    if !has_form || !reg.is_virtual() || desc.roles[1] == Role::Base || !facts.memory_operands {
        return false;
    }
    let bytes = func.vreg(reg).bytes.max(4);
    let accessed = data.size.max(desc.memory_bytes);
    let is_wide_enough = match role {
        Role::Use => bytes >= accessed,
        Role::Def => bytes == accessed,
        _ => false,
    };
    is_wide_enough && data.regs().iter().filter(|&&other| other == reg).count() == 1
}

/// A copy that moves contents from one register to another and does nothing else.
pub fn copy(func: &MFunc, unit: &Unit, facts: Facts) -> Option<(Reg, Reg)> {
    let data = &func.insts[unit.insts.start as usize];
    let is_copy = !unit.is_group && op_desc(facts.ops, data.op).is_move;
    let [dst, src, _] = data.regs();
    let is_tracked = |reg: Reg| reg.is_virtual() || (reg.is_physical() && facts.allocatable.contains(reg));
    (is_copy && is_tracked(dst) && is_tracked(src)).then_some((dst, src))
}
