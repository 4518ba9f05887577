//! Brings a machine function and its allocation into the checker's form ([`super::flow`]).
//!
//! Names are virtual registers and, for each physical register, what the function itself puts there: a write to a
//! physical register that the function names defines that register's name, while a write that the allocation adds only
//! clobbers it. So a fixed register that is overwritten between its definition and its use is detected like any other
//! lost value.
//!
//! Rules that do not depend on contents are checked at the same time ([`super::rules`]).

mod insts;
mod moves;

use super::error::{CheckError, CheckFault};
use super::flow::{Flow, Name, Op, Place};
use super::group::Group;
use super::homes::WrittenPlaces;
use super::site::{EDGE_SITE, NO_OPERAND, Operand};
use crate::desc::OpDesc;
use crate::mfunc::{MFunc, op_desc};
use crate::minst::MInst;
use crate::reg::{PRegSet, Reg};
use crate::regalloc::{self, Allocation, AllocatorInput, Edit};

/// What is known of the definitions of a virtual register.
#[derive(Clone, Copy, Debug, Default)]
struct Definitions {
    /// How many there are; 2 stands for more.
    count: u8,
    /// The only one.
    inst: u32,
}

/// The memory for bringing functions into the checker's form.
#[derive(Debug, Default)]
pub(crate) struct Scratch {
    definitions: Vec<Definitions>,
    operands: Vec<Operand>,
    destinations: Vec<Place>,
    /// The phis of blocks: `(block, register)`, ascending.
    phis: Vec<(u32, u32)>,
    group: Group,
    /// The spill slots that are homes: the slot, its place, and its size.
    homes: Vec<(u32, i32, u8)>,
    written_places: WrittenPlaces,
    /// For each block of the checker's form, the function's block, or [`EDGE_SITE`] and an edge.
    pub sources: Vec<u32>,
    /// Where the steps of instructions are, in their order.
    pub spans: Vec<Span>,
}

/// The steps of an instruction, or of a group of them: moves before it, its own, and moves after it.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Span {
    /// The instruction, or the first of the group.
    pub inst: u32,
    /// Where the three parts begin, and where the last one ends.
    pub parts: [u32; 4],
}

/// Fills `flow` with a function.
///
/// # Errors
/// A rule that the allocation breaks.
pub(crate) fn bring(
    func: &MFunc,
    input: &AllocatorInput<'_>,
    allocation: &Allocation,
    scratch: &mut Scratch,
    flow: &mut Flow,
) -> Result<(), CheckError> {
    flow.clear();
    flow.places = Place::memory(allocation.slots.len() as u32).0;
    flow.name_bytes.resize(Reg::FIRST_VIRTUAL as usize, 0);
    flow.name_bytes.extend(func.vregs.iter().map(|vreg| vreg.bytes));
    // The name of the flags.
    flow.name_bytes.push(0);
    let mut builder = Builder {
        func,
        input,
        allocation,
        scratch,
        flow,
        block: 0,
        edit: 0,
        memory_operand: 0,
        deleted: 0,
        group: 0,
        edge_move: 0,
        written: PRegSet::EMPTY,
    };
    builder.rule(
        0,
        allocation.regs.len() == func.insts.len(),
        "not every instruction has its registers",
    )?;
    builder.find_homes()?;
    builder.find_definitions();
    builder.blocks()?;
    builder.edges()?;
    builder.ends()
}

struct Builder<'a> {
    func: &'a MFunc,
    input: &'a AllocatorInput<'a>,
    allocation: &'a Allocation,
    scratch: &'a mut Scratch,
    flow: &'a mut Flow,
    block: u32,
    /// The next edit, memory operand, deleted instruction, group, move on an edge.
    edit: usize,
    memory_operand: usize,
    deleted: usize,
    group: usize,
    edge_move: usize,
    /// Registers that the allocation writes.
    written: PRegSet,
}

impl Builder<'_> {
    /// Finds the spill slots that are homes, to which nothing may write.
    fn find_homes(&mut self) -> Result<(), CheckError> {
        let Scratch {
            homes, written_places, ..
        } = &mut *self.scratch;
        homes.clear();
        let slots = (0..).zip(&self.allocation.slots);
        homes.extend(slots.filter_map(|(number, slot)| Some((number, slot.home?, slot.bytes))));
        if homes.is_empty() {
            return Ok(());
        }
        written_places.find(self.func, self.input.ops);
        let (homes, places) = (&*homes, &self.func.argument_places);
        let are_arguments = homes.iter().all(|&(_, place, bytes)| places.contains(&(place, bytes)));
        let are_kept = homes
            .iter()
            .all(|&(_, place, bytes)| !written_places.has_part_of(place, bytes));
        self.rule(0, are_arguments, "a slot is at the place of no argument")?;
        self.rule(
            0,
            are_kept,
            "the place of an argument serves as a slot, but may be written",
        )
    }

    fn desc(&self, inst: &MInst) -> &'static OpDesc {
        op_desc(self.input.ops, inst.op)
    }

    fn flags(&self) -> Name {
        Name(self.flow.name_bytes.len() as u32 - 1)
    }

    fn error(&self, site: u32, fault: CheckFault) -> CheckError {
        super::describe::error(self.func, self.input, self.block, site, fault)
    }

    /// A rule about an instruction or edge.
    fn rule(&self, site: u32, holds: bool, text: &str) -> Result<(), CheckError> {
        if holds {
            return Ok(());
        }
        Err(self.error(site, CheckFault::Rule(text.to_owned())))
    }

    fn blocks(&mut self) -> Result<(), CheckError> {
        self.scratch.sources.clear();
        self.scratch.spans.clear();
        for number in 0..self.func.blocks.len() as u32 {
            self.block = number;
            self.flow.begin_block();
            self.scratch.sources.push(number);
            if number == 0 {
                self.define_reserved();
            }
            let block = self.func.blocks[number as usize];
            let mut inst = block.start;
            while inst < block.end {
                let mut span = Span {
                    inst,
                    parts: [self.flow.ops.len() as u32; 4],
                };
                self.edits(Edit::before(inst), inst)?;
                span.parts[1] = self.flow.ops.len() as u32;
                let end = self.group_end(inst);
                if end > inst {
                    self.grouped(inst, end)?;
                    inst = end;
                } else {
                    self.single(inst)?;
                    inst += 1;
                }
                span.parts[2] = self.flow.ops.len() as u32;
                self.edits(Edit::after(inst - 1), inst - 1)?;
                span.parts[3] = self.flow.ops.len() as u32;
                self.scratch.spans.push(span);
            }
            self.flow.end_block();
        }
        Ok(())
    }

    /// The edges: those without moves connect blocks, others are blocks of their own.
    fn edges(&mut self) -> Result<(), CheckError> {
        self.find_phis();
        for number in 0..self.func.edges.len() {
            let edge = self.func.edges[number];
            self.block = edge.from;
            let site = EDGE_SITE | number as u32;
            let first = self.edge_move;
            let moves = &self.allocation.edge_moves;
            while moves
                .get(self.edge_move)
                .is_some_and(|entry| entry.edge == number as u32)
            {
                self.edge_move += 1;
            }
            let (from, to) = (edge.from, edge.to);
            let moves = &moves[first..self.edge_move];
            let phis = self.func.moves_of(number);
            let first_phi = self.scratch.phis.partition_point(|phi| phi.0 < edge.to);
            let end_phi = self.scratch.phis.partition_point(|phi| phi.0 <= edge.to);
            if moves.is_empty() && first_phi == end_phi {
                self.flow.edges.push((from, to));
                continue;
            }
            let block = self.flow.begin_block();
            self.scratch.sources.push(site);
            self.moves(moves.iter().map(|entry| &entry.action), site)?;
            for phi in phis {
                self.flow.push_rename(Name(phi.dst.0), Name(phi.src.0));
            }
            if phis.len() < end_phi - first_phi {
                let first_rename = self.flow.renames.len() - phis.len();
                self.flow.renames[first_rename..].sort_unstable();
                for index in first_phi..end_phi {
                    let phi = Name(self.scratch.phis[index].1);
                    let moved = &self.flow.renames[first_rename..first_rename + phis.len()];
                    if moved.binary_search_by_key(&phi, |rename| rename.0).is_err() {
                        self.flow.push_rename(phi, Name::ANYTHING);
                    }
                }
            }
            self.flow.end_block();
            self.flow.edges.extend([(from, block), (block, to)]);
        }
        Ok(())
    }

    /// Finds which blocks have which phis: those that some edge into the block has a move for.
    fn find_phis(&mut self) {
        let phis = &mut self.scratch.phis;
        phis.clear();
        for (number, edge) in self.func.edges.iter().enumerate() {
            phis.extend(self.func.moves_of(number).iter().map(|phi| (edge.to, phi.dst.0)));
        }
        phis.sort_unstable();
        phis.dedup();
    }

    /// What must hold at the end.
    fn ends(&mut self) -> Result<(), CheckError> {
        let allocation = self.allocation;
        let are_used = self.edit == allocation.edits.len()
            && self.edge_move == allocation.edge_moves.len()
            && self.memory_operand == allocation.memory_operands.len()
            && self.deleted == allocation.deleted.len();
        let site = NO_OPERAND;
        self.rule(
            site,
            are_used,
            "the allocation names instructions or edges that do not exist, or not in order",
        )?;
        let unsaved = self
            .written
            .intersection(self.input.callee_saved)
            .minus(allocation.written);
        self.rule(
            site,
            unsaved.is_empty(),
            "a register that must be saved is written, but not said to be",
        )
    }

    /// Registers that are not allocated have contents of their own from the entry on.
    fn define_reserved(&mut self) {
        for row in self.input.desc.regs {
            if !self.input.allocatable.contains(row.reg) {
                let (place, name) = (Place::reg(row.reg), Name(row.reg.0));
                self.flow.push(Op::Define { place, name }, NO_OPERAND);
            }
        }
    }

    /// One past the last instruction of the group that begins here, or 0.
    fn group_end(&mut self, inst: u32) -> u32 {
        match self.func.groups.get(self.group) {
            Some(range) if range.start == inst => {
                self.group += 1;
                range.end
            }
            _ => 0,
        }
    }

    fn place(&self, place: regalloc::RegOrSlot) -> Place {
        match place {
            regalloc::RegOrSlot::Reg(reg) => Place::reg(reg),
            regalloc::RegOrSlot::Slot(slot) => Place::memory(slot.0),
        }
    }
}
