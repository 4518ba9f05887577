//! Instructions with their operands where the allocation puts them.

use super::Builder;
use crate::check::error::{CheckError, CheckFault};
use crate::check::flow::{Name, Op, Place};
use crate::check::rules;
use crate::check::site::{NO_OPERAND, Operand};
use crate::desc::{OpDesc, Role};
use crate::mfunc::{for_each_register, incoming_reload, pseudo};
use crate::minst::MInst;
use crate::reg::{PRegSet, Reg, RegClass};
use crate::regalloc::NO_REG;

impl Builder<'_> {
    /// Collects the register operands of an instruction.
    fn collect_operands(&mut self, number: u32) -> Result<(), CheckError> {
        let inst = &self.func.insts[number as usize];
        let desc = self.desc(inst);
        let mut operands = std::mem::take(&mut self.scratch.operands);
        operands.clear();
        let mut failed = None;
        for_each_register(inst, desc, |index, reg, role| {
            let site = number * 4 + index as u32;
            let place = if reg.is_virtual() {
                self.operand_place(number, index, reg, role)
            } else {
                Ok(Place::reg(reg))
            };
            match place {
                Ok(place) => operands.push(Operand {
                    number: index as u8,
                    place,
                    name: Name(reg.0),
                    reads: role != Role::Def,
                    writes: matches!(role, Role::Def | Role::UseDef),
                }),
                Err(text) => {
                    let fault = CheckFault::Rule(text.to_owned());
                    failed.get_or_insert_with(|| self.error(site, fault));
                }
            }
        });
        for operand in &operands {
            if operand.writes && operand.place < Place::FLAGS {
                self.written.insert(Reg(operand.place.0));
            }
        }
        self.scratch.operands = operands;
        failed.map_or(Ok(()), Err)
    }

    /// Where an operand that is a virtual register is.
    fn operand_place(&self, number: u32, index: usize, reg: Reg, role: Role) -> Result<Place, &'static str> {
        let assigned = self.allocation.regs[number as usize][index];
        if assigned != NO_REG {
            let physical = Reg(u32::from(assigned));
            rules::register_fits(self.input, self.func.vreg(reg), physical)?;
            let inst = &self.func.insts[number as usize];
            if self.input.upper.contains(physical) && !self.desc(inst).names_upper {
                return Err("is in a register that the instruction cannot name");
            }
            return Ok(Place::reg(physical));
        }
        let inst = &self.func.insts[number as usize];
        let operands = &self.allocation.memory_operands[self.memory_operand..];
        let found = (operands.iter())
            .take_while(|operand| operand.inst == number)
            .find(|operand| usize::from(operand.operand) == index);
        let operand = found.ok_or("has no register")?;
        let slot = self.allocation.slots.get(operand.slot.0 as usize);
        let slot = slot.ok_or("is in a slot that does not exist")?;
        let vreg = self.func.vreg(reg);
        rules::memory_operand_fits(self.input, inst, index, role, vreg.bytes, slot.bytes)?;
        if slot.home.is_some() && role != Role::Use {
            return Err("is written in the place of an argument");
        }
        Ok(Place::memory(operand.slot.0))
    }

    /// An instruction that stands alone.
    pub(super) fn single(&mut self, number: u32) -> Result<(), CheckError> {
        let inst = self.func.insts[number as usize];
        let desc = self.desc(&inst);
        if self.allocation.deleted.get(self.deleted) == Some(&number) {
            self.deleted += 1;
            return self.deleted(number, &inst, desc);
        }
        self.collect_operands(number)?;
        self.pass_memory_operands(number)?;
        let operands = std::mem::take(&mut self.scratch.operands);
        let sets = self.func.implicit(&inst, desc);
        for operand in operands.iter().filter(|operand| operand.reads) {
            let (place, name) = (operand.place, operand.name);
            self.flow
                .push(Op::Use { place, name }, number * 4 + u32::from(operand.number));
        }
        let site = number * 4 + NO_OPERAND;
        self.fixed_uses(sets.uses, site);
        if desc.reads_flags {
            let (place, name) = (Place::FLAGS, self.flags());
            self.flow.push(Op::Use { place, name }, site);
        }
        if inst.op == pseudo::ARRIVE {
            // The call at the end of the block before has defined them.
            self.fixed_uses(sets.defs, site);
            return Ok(());
        }
        self.fixed_definitions(sets.defs, site);
        if desc.writes_flags {
            let (place, name) = (Place::FLAGS, self.flags());
            self.flow.push(Op::Define { place, name }, site);
        }
        let result = self.definitions(&operands, desc, sets.defs, number);
        self.scratch.operands = operands;
        result
    }

    /// What an instruction writes as operands.
    fn definitions(
        &mut self,
        operands: &[Operand],
        desc: &OpDesc,
        others: PRegSet,
        number: u32,
    ) -> Result<(), CheckError> {
        let mut written = others;
        for operand in operands.iter().filter(|operand| operand.writes) {
            let site = number * 4 + u32::from(operand.number);
            let (place, name) = (operand.place, operand.name);
            if place < Place::FLAGS {
                let reg = Reg(place.0);
                self.rule(
                    site,
                    !written.contains(reg),
                    "is in a register that the instruction also writes otherwise",
                )?;
                written.insert(reg);
            }
            match operands.iter().find(|other| desc.is_move && other.number == 1) {
                Some(source) => self.copied(*operand, *source, number),
                None => self.flow.push(Op::Define { place, name }, site),
            }
            self.fill_homes(number, name, site);
        }
        Ok(())
    }

    /// Puts what an instruction defines into the homes that it is reloaded from.
    fn fill_homes(&mut self, number: u32, name: Name, site: u32) {
        if self.scratch.homes.is_empty() {
            return;
        }
        let inst = &self.func.insts[number as usize];
        let Some((from, loaded)) = incoming_reload(inst, self.desc(inst)) else {
            return;
        };
        for &(slot, home, bytes) in &self.scratch.homes {
            if home == from && bytes <= loaded {
                let place = Place::memory(slot);
                self.flow.push(Op::Make { place, name }, site);
            }
        }
    }

    /// A copy: the destination holds what the source holds, and if it is no wider, is the same thing wherever that
    /// is.
    fn copied(&mut self, dst: Operand, src: Operand, number: u32) {
        let site = number * 4 + u32::from(dst.number);
        let bytes_of = |name: Name| self.flow.name_bytes[name.0 as usize];
        let (name, is_same) = (dst.name, bytes_of(dst.name) <= bytes_of(src.name));
        let size = self.func.insts[number as usize].size;
        let is_float = dst.name.0 >= Reg::FIRST_VIRTUAL && self.func.vreg(Reg(name.0)).class == RegClass::Float;
        let bytes = match is_same && is_float {
            true => u8::MAX,
            false => size,
        };
        let is_whole = is_same && bytes >= bytes_of(name);
        if src.place != dst.place {
            self.flow.push(Op::copy(src.place, dst.place, bytes), site);
        }
        self.flow.push(
            match is_whole {
                true => Op::Same {
                    new: name,
                    old: src.name,
                },
                false => Op::Alias { place: dst.place, name },
            },
            site,
        );
    }

    fn fixed_uses(&mut self, regs: PRegSet, site: u32) {
        for reg in regs.iter() {
            let (place, name) = (Place::reg(reg), Name(reg.0));
            self.flow.push(Op::Use { place, name }, site);
        }
    }

    fn fixed_definitions(&mut self, regs: PRegSet, site: u32) {
        for reg in regs.iter() {
            let (place, name) = (Place::reg(reg), Name(reg.0));
            self.flow.push(Op::Define { place, name }, site);
        }
    }

    /// Goes past the memory operands of an instruction: one at most.
    fn pass_memory_operands(&mut self, number: u32) -> Result<(), CheckError> {
        let rest = &self.allocation.memory_operands[self.memory_operand..];
        let count = rest.iter().take_while(|operand| operand.inst <= number).count();
        self.memory_operand += count;
        self.rule(
            number * 4 + NO_OPERAND,
            count <= 1 && rest[..count].iter().all(|operand| operand.inst == number),
            "has more than one operand in a spill slot, or operands are not in order",
        )
    }

    /// An instruction that is not emitted. A copy says that its destination is where its source is; of others, nobody
    /// may need the result, unless it is in its home.
    fn deleted(&mut self, number: u32, inst: &MInst, desc: &OpDesc) -> Result<(), CheckError> {
        if desc.is_move && inst.reg(0).is_virtual() && inst.reg(1).is_register() {
            let (new, old) = (Name(inst.reg(0).0), Name(inst.reg(1).0));
            let (site, bytes) = (number * 4 + NO_OPERAND, &self.flow.name_bytes);
            let is_same = bytes[new.0 as usize] <= bytes[old.0 as usize] || old.0 < Reg::FIRST_VIRTUAL;
            self.rule(site, is_same, "is deleted, but copies to a wider register")?;
            self.flow.push(Op::Same { new, old }, site);
            return Ok(());
        }
        let site = number * 4 + NO_OPERAND;
        let mut definitions = 0;
        for_each_register(inst, desc, |_, reg, role| {
            if role == Role::Def && reg.is_virtual() {
                self.flow.push(Op::Forget { name: Name(reg.0) }, site);
                self.fill_homes(number, Name(reg.0), site);
                definitions += 1;
            }
        });
        let may = definitions > 0 && !desc.has_sets && desc.implicit_defs.is_empty();
        self.rule(site, may, "is deleted, but does more than define virtual registers")
    }

    /// A group: one instruction whose uses are live throughout and whose definitions are live from its start.
    pub(super) fn grouped(&mut self, start: u32, end: u32) -> Result<(), CheckError> {
        let mut group = std::mem::take(&mut self.scratch.group);
        group.clear();
        for number in start..end {
            let inst = self.func.insts[number as usize];
            let desc = self.desc(&inst);
            self.rule(
                number * 4 + NO_OPERAND,
                self.allocation.deleted.get(self.deleted) != Some(&number),
                "stands in a group, but is deleted",
            )?;
            self.collect_operands(number)?;
            self.pass_memory_operands(number)?;
            let operands = std::mem::take(&mut self.scratch.operands);
            let sets = self.func.implicit(&inst, desc);
            let mut conflict = group.add(number, &operands, sets);
            conflict = conflict.or(group.add_flags(number, desc, self.flags()));
            self.scratch.operands = operands;
            if let Some(site) = conflict {
                let text = "shares a register with something else that its group uses or defines";
                return Err(self.error(site, CheckFault::Rule(text.to_owned())));
            }
        }
        group.push_steps(self.flow);
        self.scratch.group = group;
        Ok(())
    }
}
