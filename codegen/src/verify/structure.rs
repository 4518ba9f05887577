//! Whether blocks, edges, groups and instructions of a machine function are whole.

use super::{MachFault, fault, fault_at, fault_in};
use crate::desc::{OpDesc, Role, TargetDesc};
use crate::mfunc::{MBlock, MFunc, Term, op_desc, pseudo};
use crate::minst::{MInst, Slot};
use crate::pass::MachPassCx;
use crate::reg::{Reg, RegClass};

/// Checks a function.
pub(super) fn check(func: &MFunc, cx: &MachPassCx<'_>) -> Result<(), MachFault> {
    let check = Check {
        func,
        target: cx.hooks.desc(),
        ops: cx.hooks.ops(),
        is_allocated: cx.is_allocated,
    };
    check.lists()?;
    check.edges()?;
    check.groups()?;
    for (number, block) in func.blocks.iter().enumerate() {
        check.block(number as u32, block)?;
    }
    Ok(())
}

struct Check<'a> {
    func: &'a MFunc,
    target: &'static TargetDesc,
    ops: &'static [OpDesc],
    is_allocated: bool,
}

impl Check<'_> {
    /// Blocks share out the instructions and the edges among them.
    fn lists(&self) -> Result<(), MachFault> {
        let func = self.func;
        if func.origins.len() != func.insts.len() {
            return Err(fault(format!(
                "{} instructions, but origins of {}",
                func.insts.len(),
                func.origins.len()
            )));
        }
        let mut next_inst = 0;
        let mut is_owned = vec![false; func.edges.len()];
        for (number, block) in func.blocks.iter().enumerate() {
            let number = number as u32;
            if block.start != next_inst || block.end < block.start {
                return Err(fault_in(
                    number,
                    format!("owns instructions {}..{}, not from {next_inst}", block.start, block.end),
                ));
            }
            next_inst = block.end;
            for edge in func.edges_of(number) {
                if (is_owned.get_mut(edge)).is_none_or(|owned| std::mem::replace(owned, true)) {
                    return Err(fault_in(
                        number,
                        format!("edge {edge} is another block's or does not exist"),
                    ));
                }
            }
        }
        if next_inst as usize != func.insts.len() {
            return Err(fault(format!("instructions from {next_inst} are in no block")));
        }
        match is_owned.iter().position(|&owned| !owned) {
            Some(edge) => Err(fault(format!("edge {edge} is no block's"))),
            None => Ok(()),
        }
    }

    /// Edges go from their block to blocks after the entry, and those blocks know them.
    fn edges(&self) -> Result<(), MachFault> {
        let func = self.func;
        for from in 0..func.blocks.len() as u32 {
            for number in func.edges_of(from) {
                let edge = &func.edges[number];
                if edge.from != from || edge.to == 0 || edge.to as usize >= func.blocks.len() {
                    let message = format!("edge {number} goes from block {} to block {}", edge.from, edge.to);
                    return Err(fault_in(from, message));
                }
                if !func.pred_edges(edge.to).contains(&(number as u32)) {
                    return Err(fault_in(
                        edge.to,
                        format!("does not list block {from} as a predecessor"),
                    ));
                }
                let moves_end = edge.first_move as usize + edge.move_count as usize;
                if moves_end > func.phi_moves.len() || (self.is_allocated && edge.move_count > 0) {
                    return Err(fault_in(from, format!("edge {number} has moves that do not exist")));
                }
            }
        }
        let known: usize = (0..func.blocks.len() as u32)
            .map(|block| func.pred_edges(block).len())
            .sum();
        if known != func.edges.len() {
            return Err(fault("blocks know edges that do not exist"));
        }
        Ok(())
    }

    /// Groups ascend, and each is in one block.
    fn groups(&self) -> Result<(), MachFault> {
        let (mut after, mut block) = (0, 0);
        for group in &self.func.groups {
            if group.start < after || group.end < group.start || group.end as usize > self.func.insts.len() {
                return Err(fault(format!("group {group:?} after one that ends at {after}")));
            }
            after = group.end;
            let blocks = &self.func.blocks;
            while group.start < group.end && blocks[block].end <= group.start {
                block += 1;
            }
            if group.start < group.end && blocks[block].end < group.end {
                return Err(fault_in(block as u32, format!("group {group:?} goes beyond the block")));
            }
        }
        Ok(())
    }

    fn block(&self, number: u32, block: &MBlock) -> Result<(), MachFault> {
        self.end(number, block)?;
        let mut flags_are_written = false;
        for index in block.start..block.end {
            let inst = &self.func.insts[index as usize];
            if !self.exists(inst) {
                return Err(fault_in(
                    number,
                    format!("no row of the op table has number {}", inst.op),
                ));
            }
            let desc = op_desc(self.ops, inst.op);
            let in_place = match inst.op {
                pseudo::ENTRY => index == 0,
                pseudo::RETURN => block.term == Term::Return && index + 1 == block.end,
                pseudo::LABEL | pseudo::USE => self.is_in_group(index),
                op if pseudo::is_asm(op) => self.is_in_group(index),
                pseudo::PROLOGUE => index == block.start,
                pseudo::ARRIVE => (self.is_allocated || index == block.start) && self.is_arrived_at(number),
                pseudo::RESTORE => block.term == Term::Jump && index + 1 == block.end,
                _ => true,
            };
            let message = if !in_place {
                Some("stands where it cannot stand".to_owned())
            } else if desc.has_sets && inst.imm.cast_unsigned() as usize >= self.func.sets.len() {
                Some(format!("names registers {}, which do not exist", inst.imm))
            } else if desc.reads_flags && !flags_are_written {
                Some("reads flags that no instruction before it in the block writes".to_owned())
            } else {
                self.operands(inst, desc).or_else(|| self.frame_access(inst, desc))
            };
            if let Some(message) = message {
                return Err(fault_at(number, self.func, index, self.ops, message));
            }
            // Functions that are called leave the flags anyhow.
            flags_are_written = (flags_are_written && !desc.has_sets) || desc.writes_flags;
        }
        Ok(())
    }

    /// Whether the end of a block fits its edges.
    fn end(&self, number: u32, block: &MBlock) -> Result<(), MachFault> {
        let labels = |wanted: bool| {
            let mut edges = self.func.edges_of(number);
            edges.all(|edge| self.func.edges[edge].label.is_some() == wanted)
        };
        let last = |count: u32| {
            let insts = &self.func.insts[block.start as usize..block.end as usize];
            insts.len().checked_sub(count as usize).map(|first| &insts[first..])
        };
        let is_branch = |inst: &MInst| inst.op < pseudo::FIRST && op_desc(self.ops, inst.op).is_branch();
        let (edges, fits) = match block.term {
            Term::Jump => (1, labels(false)),
            Term::Branch(join) => {
                let count = if join.is_some() { 2 } else { 1 };
                let ends = last(count).is_some_and(|insts| insts.iter().all(is_branch));
                (2, labels(false) && ends)
            }
            Term::Switch => (block.edge_count.max(1), labels(true)),
            Term::Invoke => {
                let is_call = |inst: &MInst| inst.op < pseudo::FIRST && op_desc(self.ops, inst.op).has_sets;
                (
                    2,
                    labels(false)
                        && (last(1).is_some_and(|insts| insts.iter().all(is_call)) || self.ends_with_text(block)),
                )
            }
            Term::Return => (
                0,
                last(1).is_some_and(|insts| insts.iter().all(|inst| inst.op == pseudo::RETURN)),
            ),
            Term::Stop => (0, true),
        };
        if fits && block.edge_count == edges {
            return Ok(());
        }
        let message = format!("does not end as {:?} with {} edges says", block.term, block.edge_count);
        Err(fault_in(number, message))
    }

    /// Whether every path to a block leads from a call that ends its block through moves only.
    fn is_arrived_at(&self, block: u32) -> bool {
        let preds = self.func.pred_edges(block);
        preds.iter().all(|&edge| {
            let from = self.func.edges[edge as usize].from;
            match self.func.blocks[from as usize].term {
                Term::Invoke => true,
                _ => self.is_allocated,
            }
        })
    }

    /// Whether the last group of a block is an inline assembly text, which may call.
    #[cold]
    fn ends_with_text(&self, block: &MBlock) -> bool {
        let groups = &self.func.groups;
        let group = groups
            .iter()
            .rfind(|group| group.end == block.end && group.start >= block.start);
        let insts = group.map(|group| &self.func.insts[group.start as usize..group.end as usize]);
        insts.is_some_and(|insts| insts.iter().any(|inst| inst.op == pseudo::ASM))
    }

    fn exists(&self, inst: &MInst) -> bool {
        inst.op >= pseudo::FIRST || usize::from(inst.op) < self.ops.len()
    }

    fn is_in_group(&self, index: u32) -> bool {
        let groups = &self.func.groups;
        let next = groups.partition_point(|group| group.end <= index);
        groups.get(next).is_some_and(|group| group.contains(&index))
    }

    /// What is wrong with the register operands.
    fn operands(&self, inst: &MInst, desc: &OpDesc) -> Option<String> {
        for (index, &role) in desc.roles.iter().enumerate() {
            let slot = inst.slot(index);
            let is_right = matches!(
                (role, slot),
                (Role::None | Role::Base, _)
                    | (_, Slot::Register(_))
                    | (Role::Index, Slot::Empty | Slot::Reference(_))
                    | (Role::Use, Slot::Frame)
            );
            if !is_right {
                return Some(format!("operand {index} is {slot:?}"));
            }
            if role != Role::None
                && let Slot::Register(reg) = slot
            {
                let message = self.register(index, reg, desc);
                if message.is_some() {
                    return message;
                }
            }
        }
        let [dst, src, _] = inst.regs();
        let crosses_classes = desc.is_move && src.is_register() && self.class(dst) != self.class(src);
        crosses_classes.then(|| format!("moves from {src:?} to {dst:?}"))
    }

    /// What is wrong with a register as an operand.
    fn register(&self, index: usize, reg: Reg, desc: &OpDesc) -> Option<String> {
        let exists = if reg.is_physical() {
            self.target.regs.iter().any(|row| row.reg == reg)
        } else {
            !self.is_allocated && reg.virtual_index() < self.func.vregs.len()
        };
        if !exists {
            return Some(format!("operand {index} is {reg:?}, which cannot be here"));
        }
        if reg.is_physical() && self.target.upper_registers.contains(reg) && !desc.names_upper {
            return Some(format!("operand {index} is {reg:?}, which the instruction cannot name"));
        }
        let is_of_class = desc.classes[index].is_none_or(|class| self.class(reg) == class);
        (!is_of_class).then(|| format!("operand {index} is {reg:?}, of the wrong class"))
    }

    fn class(&self, reg: Reg) -> RegClass {
        if reg.is_virtual() {
            self.func.vreg(reg).class
        } else {
            RegClass::of(reg)
        }
    }

    /// What is wrong with an access to a spill slot.
    fn frame_access(&self, inst: &MInst, desc: &OpDesc) -> Option<String> {
        let accesses_memory = desc.reads_memory || desc.writes_memory;
        if !self.is_allocated || !accesses_memory || !self.func.is_spill_slot(inst) {
            return None;
        }
        let lowest = -i64::from(self.func.frame.areas.used_bytes());
        (i64::from(inst.disp) < lowest).then(|| format!("accesses the frame at {}, below its end", inst.disp))
    }
}
