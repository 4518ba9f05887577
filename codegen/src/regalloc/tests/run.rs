//! Runs machine functions, over virtual registers or under an allocation, and notes what can be observed.

use super::ops::{OPS, Op};
use crate::desc::Role;
use crate::mfunc::{MFunc, Term, op_desc, pseudo};
use crate::minst::MInst;
use crate::reg::{Reg, RegClass};
use crate::regalloc::{AllocMove, Allocation, MoveSource, RegOrSlot};
use std::collections::HashMap;

fn mix(values: &[u64]) -> u64 {
    values.iter().fold(0x9e37_79b9_7f4a_7c15, |state: u64, &value| {
        (state ^ value).wrapping_mul(0xff51_afd7_ed55_8ccd).rotate_left(29)
    })
}

/// The contents of registers and slots while a function runs.
struct Machine<'a> {
    func: &'a MFunc,
    allocation: Option<&'a Allocation>,
    physical: Vec<u64>,
    virtual_regs: Vec<u64>,
    slots: Vec<u64>,
    memory_operands: HashMap<(u32, u8), u32>,
    trace: Vec<u64>,
}

/// Runs at most this many blocks and returns the trace.
pub(crate) fn run(func: &MFunc, allocation: Option<&Allocation>, blocks: usize) -> Vec<u64> {
    let junk = if allocation.is_some() { 7 } else { 3 };
    let mut machine = Machine {
        func,
        allocation,
        physical: (0..128).map(|n| mix(&[junk, n])).collect(),
        virtual_regs: vec![mix(&[junk]); func.vregs.len()],
        slots: vec![junk; allocation.map_or(0, |a| a.slots.len())],
        memory_operands: HashMap::new(),
        trace: Vec::new(),
    };
    for operand in allocation.iter().flat_map(|a| &a.memory_operands) {
        machine
            .memory_operands
            .insert((operand.inst, operand.operand), operand.slot.0);
    }
    let mut block = 0;
    for _ in 0..blocks {
        match machine.block(block) {
            Some(next) => block = next,
            None => break,
        }
    }
    machine.trace
}

impl Machine<'_> {
    fn block(&mut self, number: u32) -> Option<u32> {
        let block = self.func.blocks[number as usize];
        let mut conditions = Vec::new();
        for inst in block.start..block.end {
            self.edits(inst * 2);
            self.spoil_group(inst);
            let deleted = self.allocation.is_some_and(|a| a.deleted.binary_search(&inst).is_ok());
            if deleted {
                self.check_deleted(inst);
            } else {
                self.execute(inst, &mut conditions);
            }
            self.edits(inst * 2 + 1);
        }
        let edges: Vec<usize> = self.func.edges_of(number).collect();
        let taken = match block.term {
            Term::Jump => 0,
            Term::Branch(Some(crate::branch::Join::And)) => usize::from(!(conditions[0] && conditions[1])),
            Term::Branch(Some(crate::branch::Join::Or)) => usize::from(!(conditions[0] || conditions[1])),
            Term::Branch(None) => usize::from(!conditions[0]),
            _ => return None,
        };
        let edge = edges[taken];
        self.edge(edge);
        Some(self.func.edges[edge].to)
    }

    /// Overwrites what a group defines when the group starts, since all of its definitions are live from there
    /// (contract 7).
    fn spoil_group(&mut self, inst: u32) {
        let (Some(group), Some(_)) = (self.func.groups.iter().find(|g| g.start == inst), self.allocation) else {
            return;
        };
        let mut read = Vec::new();
        for number in group.clone() {
            let regs = self.func.insts[number as usize].regs();
            if !read.contains(&regs[0]) {
                let junk = mix(&[u64::from(number)]);
                self.write(number, 0, junk);
            }
            read.extend([regs[1], regs[2]]);
        }
    }

    /// Checks that a deleted instruction is a copy within a slot, or a constant that is rematerialized.
    fn check_deleted(&self, inst: u32) {
        let op = self.func.insts[inst as usize].op;
        assert!(op == Op::Move as u16 || op == Op::FloatMove as u16 || op == Op::Const as u16);
    }

    fn edits(&mut self, point: u32) {
        let Some(allocation) = self.allocation else {
            return;
        };
        let first = allocation.edits.partition_point(|edit| edit.point < point);
        let moves: Vec<AllocMove> = allocation.edits[first..]
            .iter()
            .take_while(|e| e.point == point)
            .map(|e| e.action)
            .collect();
        self.parallel(&moves);
    }

    fn edge(&mut self, edge: usize) {
        match self.allocation {
            Some(allocation) => {
                let number = edge as u32;
                let moves: Vec<AllocMove> = allocation
                    .edge_moves
                    .iter()
                    .filter(|m| m.edge == number)
                    .map(|m| m.action)
                    .collect();
                self.parallel(&moves);
            }
            None => {
                let moves = self.func.moves_of(edge);
                let values: Vec<u64> = moves.iter().map(|phi| self.virtual_source(phi.src)).collect();
                for (phi, value) in moves.iter().zip(values) {
                    self.virtual_regs[phi.dst.virtual_index()] = value;
                }
            }
        }
    }

    fn virtual_source(&self, reg: Reg) -> u64 {
        match self.func.vreg(reg).constant {
            Some(constant) => mix(&[self.func.constants[constant as usize].imm as u64]),
            None => self.virtual_regs[reg.virtual_index()],
        }
    }

    fn parallel(&mut self, moves: &[AllocMove]) {
        let values: Vec<u64> = moves.iter().map(|m| self.move_source(m.source)).collect();
        for (index, m) in moves.iter().enumerate() {
            assert!(
                moves[..index].iter().all(|other| other.dest != m.dest),
                "two moves to one place"
            );
            match m.dest {
                RegOrSlot::Reg(reg) => self.physical[reg.index()] = values[index],
                RegOrSlot::Slot(slot) => self.slots[slot.0 as usize] = values[index],
            }
        }
    }

    fn move_source(&self, source: MoveSource) -> u64 {
        match source {
            MoveSource::Kept(RegOrSlot::Reg(reg)) => self.physical[reg.index()],
            MoveSource::Kept(RegOrSlot::Slot(slot)) => self.slots[slot.0 as usize],
            MoveSource::Rematerialize(reg) => {
                let inst = match self.func.vreg(reg).constant {
                    Some(constant) => self.func.constants[constant as usize],
                    None => {
                        let is_it = |inst: &&MInst| inst.op == Op::Const as u16 && inst.reg(0) == reg;
                        *self.func.insts.iter().find(is_it).expect("a constant is made again")
                    }
                };
                mix(&[inst.imm as u64])
            }
        }
    }

    fn read(&self, inst: u32, operand: usize) -> u64 {
        let reg = self.func.insts[inst as usize].reg(operand);
        if reg.is_physical() {
            return self.physical[reg.index()];
        }
        let Some(allocation) = self.allocation else {
            return self.virtual_regs[reg.virtual_index()];
        };
        match self.memory_operands.get(&(inst, operand as u8)) {
            Some(&slot) => self.slots[slot as usize],
            None => self.physical[usize::from(allocation.regs[inst as usize][operand])],
        }
    }

    fn write(&mut self, inst: u32, operand: usize, value: u64) {
        let reg = self.func.insts[inst as usize].reg(operand);
        if reg.is_physical() {
            self.physical[reg.index()] = value;
            return;
        }
        let Some(allocation) = self.allocation else {
            self.virtual_regs[reg.virtual_index()] = value;
            return;
        };
        match self.memory_operands.get(&(inst, operand as u8)) {
            Some(&slot) => self.slots[slot as usize] = value,
            None => {
                let number = usize::from(allocation.regs[inst as usize][operand]);
                assert_eq!(
                    RegClass::of(Reg(number as u32)),
                    self.func.vreg(reg).class,
                    "the class fits"
                );
                self.physical[number] = value;
            }
        }
    }

    fn execute(&mut self, number: u32, conditions: &mut Vec<bool>) {
        let inst = self.func.insts[number as usize];
        let desc = op_desc(OPS, inst.op);
        let mut inputs = vec![u64::from(inst.op), u64::from(inst.disp as u32)];
        for (index, role) in desc.roles.iter().enumerate() {
            if !matches!(role, Role::None | Role::Def) && inst.reg(index).is_register() {
                inputs.push(self.read(number, index));
            }
        }
        let sets = self.func.implicit(&inst, desc);
        for reg in sets.uses.iter() {
            inputs.push(self.physical[reg.index()]);
        }
        let value = mix(&inputs);
        if inst.op == Op::Branch as u16 {
            conditions.push(value & 1 == 0);
        }
        let is_store = inst.op == Op::Store as u16;
        if desc.has_sets && inst.op != pseudo::ENTRY || is_store || inst.op == Op::Branch as u16 {
            self.trace.push(value);
        }
        for reg in sets.defs.iter() {
            self.physical[reg.index()] = mix(&[value, u64::from(reg.0), self.trace.len() as u64]);
        }
        for (index, role) in desc.roles.iter().enumerate() {
            if matches!(role, Role::Def | Role::UseDef) {
                let result = if desc.is_move {
                    self.read(number, 1)
                } else if inst.op == Op::Const as u16 {
                    mix(&[inst.imm as u64])
                } else {
                    mix(&[value, index as u64])
                };
                self.write(number, index, result);
            }
        }
    }
}
