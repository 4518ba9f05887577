//! A group of instructions as a single instruction: see contract 7 and [`crate::mfunc::MFunc::groups`].
//!
//! Every use is live throughout the group and every definition begins with it, so nothing moves inside: a name that is
//! defined in the group has one place, and a place that is defined has one name. In the checker's form, a group is all
//! uses of what was defined before it, followed by all definitions.

use super::flow::{Flow, Name, Op, Place};
use super::site::{NO_OPERAND, Operand};
use crate::desc::OpDesc;
use crate::mfunc::RegSets;

/// A name in a place, within the group.
#[derive(Clone, Copy, Debug)]
struct Member {
    place: Place,
    name: Name,
    /// Whether it is read before the group writes it.
    comes_in: bool,
    is_defined: bool,
    site: u32,
}

/// What a group uses and defines.
#[derive(Debug, Default)]
pub(super) struct Group {
    /// Few: a group cannot have more of them than there are registers, and a handful of spill slots.
    members: Vec<Member>,
}

impl Group {
    /// Forgets the last group but keeps the memory.
    pub fn clear(&mut self) {
        self.members.clear();
    }

    /// Adds an instruction; the site of an operand that conflicts, if there is one.
    pub fn add(&mut self, number: u32, operands: &[Operand], sets: RegSets) -> Option<u32> {
        let mut conflict = None;
        let mut note = |found: Option<u32>| conflict = conflict.or(found);
        for operand in operands.iter().filter(|operand| operand.reads) {
            let site = number * 4 + u32::from(operand.number);
            note(self.mention(operand.place, operand.name, false, site));
        }
        let site = number * 4 + NO_OPERAND;
        for reg in sets.uses.iter() {
            note(self.mention(Place::reg(reg), Name(reg.0), false, site));
        }
        for reg in sets.defs.iter() {
            note(self.mention(Place::reg(reg), Name(reg.0), true, site));
        }
        for operand in operands.iter().filter(|operand| operand.writes) {
            let site = number * 4 + u32::from(operand.number);
            note(self.mention(operand.place, operand.name, true, site));
        }
        conflict
    }

    /// Adds what an instruction does with the flags.
    pub fn add_flags(&mut self, number: u32, desc: &OpDesc, flags: Name) -> Option<u32> {
        let site = number * 4 + NO_OPERAND;
        let read = desc.reads_flags.then(|| self.mention(Place::FLAGS, flags, false, site));
        let written = desc.writes_flags.then(|| self.mention(Place::FLAGS, flags, true, site));
        read.or(written).flatten()
    }

    fn mention(&mut self, place: Place, name: Name, defines: bool, site: u32) -> Option<u32> {
        let mut known = None;
        let mut conflict = None;
        for (index, member) in self.members.iter().enumerate() {
            if member.place == place && member.name == name {
                known = Some(index);
            } else if (member.place == place || member.name == name) && (defines || member.is_defined) {
                conflict = Some(site);
            }
        }
        match known {
            Some(index) => self.members[index].is_defined |= defines,
            None => self.members.push(Member {
                place,
                name,
                comes_in: !defines,
                is_defined: defines,
                site,
            }),
        }
        conflict
    }

    /// Appends the steps.
    pub fn push_steps(&self, flow: &mut Flow) {
        for member in self.members.iter().filter(|member| member.comes_in) {
            let (place, name) = (member.place, member.name);
            flow.push(Op::Use { place, name }, member.site);
        }
        for member in self.members.iter().filter(|member| member.is_defined) {
            let (place, name) = (member.place, member.name);
            flow.push(Op::Define { place, name }, member.site);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn operand(number: u8, place: u32, name: u32, writes: bool) -> Operand {
        Operand {
            number,
            place: Place(place),
            name: Name(name),
            reads: !writes,
            writes,
        }
    }

    #[test]
    fn uses_live_through_and_definitions_begin_early() {
        let none = RegSets::default();
        let mut group = Group::default();
        assert_eq!(
            group.add(0, &[operand(0, 1, 200, false), operand(1, 2, 201, true)], none),
            None
        );
        // Another name in the register of a use, written later.
        assert_eq!(group.add(1, &[operand(0, 1, 202, true)], none), Some(4));
        group.clear();
        // Two names in one place are fine as long as nobody writes there.
        assert_eq!(
            group.add(0, &[operand(0, 1, 200, false), operand(1, 1, 201, false)], none),
            None
        );
        // The same name in two places, one of them written.
        assert_eq!(group.add(1, &[operand(0, 3, 200, true)], none), Some(4));
    }
}
