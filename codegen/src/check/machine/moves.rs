//! The moves of an allocation: edits beside instructions, moves on edges.

use super::{Builder, Definitions, NO_OPERAND};
use crate::check::error::{CheckError, CheckFault};
use crate::check::flow::{Name, Op, Place};
use crate::check::rules;
use crate::desc::Role;
use crate::mfunc::{can_rematerialize, for_each_register, op_desc};
use crate::reg::Reg;
use crate::reg::RegClass;
use crate::regalloc::{self, AllocMove, MoveSource};

impl Builder<'_> {
    pub(super) fn find_definitions(&mut self) {
        let definitions = &mut self.scratch.definitions;
        definitions.clear();
        definitions.resize(self.func.vregs.len(), Definitions::default());
        let mut add = |reg: Reg, inst: u32| {
            if reg.is_virtual() {
                let entry = &mut definitions[reg.virtual_index()];
                entry.count = (entry.count + 1).min(2);
                entry.inst = inst;
            }
        };
        for (number, inst) in self.func.insts.iter().enumerate() {
            let desc = op_desc(self.input.ops, inst.op);
            for_each_register(inst, desc, |_, reg, role| {
                if matches!(role, Role::Def | Role::UseDef) {
                    add(reg, number as u32);
                }
            });
        }
        for phi in &self.func.phi_moves {
            // No instruction can be repeated for a phi.
            add(phi.dst, u32::MAX);
            add(phi.dst, u32::MAX);
        }
    }

    /// The edits at a point, beside `inst`.
    pub(super) fn edits(&mut self, point: u32, inst: u32) -> Result<(), CheckError> {
        let site = inst * 4 + NO_OPERAND;
        let first = self.edit;
        while let Some(edit) = self.allocation.edits.get(self.edit) {
            if edit.point > point {
                break;
            }
            self.rule(
                site,
                edit.point == point,
                "an edit stands inside a group, or edits are not in order",
            )?;
            self.edit += 1;
        }
        if self.edit == first {
            return Ok(());
        }
        self.rule(
            site,
            rules::may_edit(self.func, self.block, point),
            "an edit stands before the entry's arguments, or after the branches of its block",
        )?;
        let edits = &self.allocation.edits[first..self.edit];
        self.moves(edits.iter().map(|edit| &edit.action), site)
    }

    /// Moves that take place at the same time.
    pub(super) fn moves<'m>(
        &mut self,
        moves: impl Iterator<Item = &'m AllocMove> + Clone,
        site: u32,
    ) -> Result<(), CheckError> {
        self.scratch.destinations.clear();
        let mut last_copy = None;
        for action in moves.clone() {
            self.check_move(action, site)?;
            let to = self.place(action.dest);
            self.scratch.destinations.push(to);
            if let MoveSource::Kept(from) = action.source {
                let from = self.place(from);
                // A register moves and a slot keeps four bytes at least.
                let bytes = self.func.vreg(action.vreg).bytes.max(4);
                self.flow.push(Op::copy(from, to, bytes), site);
                if let Some(Op::Copy { with_next, .. }) = last_copy.map(|index: usize| &mut self.flow.ops[index]) {
                    *with_next = true;
                }
                last_copy = Some(self.flow.ops.len() - 1);
            }
        }
        for action in moves.clone() {
            if let MoveSource::Rematerialize(reg) = action.source {
                let (place, name) = (self.place(action.dest), Name(reg.0));
                self.flow.push(Op::Make { place, name }, site);
            }
        }
        for action in moves {
            self.clobber_scratch(action, site);
        }
        let destinations = &mut self.scratch.destinations;
        destinations.sort_unstable();
        let distinct = destinations.windows(2).all(|pair| pair[0] != pair[1]);
        self.rule(site, distinct, "two moves at one point write the same place")
    }

    /// The rules for one move.
    fn check_move(&mut self, action: &AllocMove, site: u32) -> Result<(), CheckError> {
        let vreg = self.func.vreg(action.vreg);
        let mut fits = rules::place_fits(self.input, vreg, action.dest, &self.allocation.slots);
        match action.source {
            MoveSource::Kept(source) => {
                let source = rules::place_fits(self.input, vreg, source, &self.allocation.slots);
                fits = fits.and(source);
            }
            MoveSource::Rematerialize(reg) => {
                let may = reg.is_virtual() && self.can_repeat(reg);
                self.rule(
                    site,
                    may,
                    "computes a virtual register anew that no single instruction makes anywhere",
                )?;
                let same = self.func.vreg(reg).class == vreg.class;
                self.rule(site, same, "computes a virtual register of another class")?;
            }
        }
        match action.dest {
            regalloc::RegOrSlot::Reg(reg) => self.written.insert(reg),
            regalloc::RegOrSlot::Slot(slot) => {
                let home = self.allocation.slots.get(slot.0 as usize).and_then(|data| data.home);
                self.rule(site, home.is_none(), "stores to the place of an argument")?;
            }
        }
        fits.map_err(|text| self.error(site, CheckFault::Rule(format!("a move of {:?} {text}", action.vreg))))
    }

    /// A move into memory from anything but a register goes through the class's scratch register, or another's.
    fn clobber_scratch(&mut self, action: &AllocMove, site: u32) {
        let is_from_register = matches!(action.source, MoveSource::Kept(regalloc::RegOrSlot::Reg(_)));
        if !is_from_register && matches!(action.dest, regalloc::RegOrSlot::Slot(_)) {
            let class = match self.func.vreg(action.vreg).class {
                RegClass::Int if self.input.lends_scratch => RegClass::Float,
                class => class,
            };
            let place = Place::reg(self.input.desc.class(class).scratch);
            self.flow.push(Op::Clobber { place }, site);
        }
    }

    /// Whether a virtual register may be computed anew anywhere.
    pub fn can_repeat(&self, reg: Reg) -> bool {
        let repeated = match self.func.vreg(reg).constant {
            Some(constant) => self.func.constants.get(constant as usize),
            None => match self.scratch.definitions[reg.virtual_index()] {
                Definitions { count: 1, inst } => self.func.insts.get(inst as usize),
                _ => None,
            },
        };
        repeated.is_some_and(|inst| can_rematerialize(inst, self.desc(inst)))
    }
}
