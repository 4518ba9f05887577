//! The backward walk over a function: live ranges, occurrences, fixed ranges of physical registers, and copies.
//!
//! Method: starting from the registers that are live at the ends of blocks, one walk from the last instruction to the
//! first opens a live range at each use and closes it at each definition (Wimmer and Franz, "Linear Scan Register
//! Allocation on SSA Form", section 4). All lists come out in descending order. Ranges that touch at a block boundary
//! are merged. Ranges that touch at a definition are not, since the value does not flow from one into the other.

use super::AllocatorInput;
use super::intervals::{LiveRange, Occurrence, occ};
use super::liveness::Liveness;
use super::occupancy::{Entry, FIXED, make_first_room};
use super::positions::{NONE, Positions};
use super::sets::RangeSets;
use crate::desc::{OpDesc, Role, SLOTS};
use crate::mfunc::{
    MFunc, Term, can_rematerialize, for_each_register, incoming_place, incoming_reload, op_desc, pseudo,
};
use crate::minst::MInst;
use crate::reg::{PRegSet, Reg};
use std::ops::Range;

/// A copy instruction, or a phi move.
#[derive(Clone, Copy, Debug)]
pub(super) struct Copy {
    pub dst: Reg,
    pub src: Reg,
    /// The instruction; [`NONE`] for phi moves.
    pub inst: u32,
    pub freq: f32,
}

/// Instructions that clobber no more registers than this get a fixed range for each; others are listed in
/// [`Walk::clobbers`].
const FEW: u32 = 3;

/// Stands for the group before the first one.
const NO_GROUP: Range<u32> = 0..0;

/// The results of the walk, and its scratch memory.
#[derive(Debug, Default)]
pub(super) struct Walk {
    pub ranges: RangeSets,
    /// By virtual register: the set of its live ranges.
    pub sets: Vec<u32>,
    /// Occurrences with their virtual registers, in descending order.
    pub occs: Vec<(u32, Occurrence)>,
    /// By physical register: its fixed ranges, in descending order.
    pub fixed: Vec<Vec<Entry>>,
    /// Instructions that clobber many registers: their positions and the registers, ascending.
    pub clobbers: Vec<(u32, PRegSet)>,
    pub copies: Vec<Copy>,
    /// By virtual register: whether its only definition can be rematerialized.
    pub remat: Vec<bool>,
    /// Virtual registers that are reloaded from among the incoming arguments, and the instructions that do it.
    pub arguments: Vec<(u32, u32)>,
    /// Whether something other than loads names places of incoming arguments.
    pub names_incoming: bool,
    /// By virtual register: the number of instructions that write it; 2 stands for several.
    pub writes: Vec<u8>,
    /// Physical registers that instructions name as results or clobber.
    pub written: PRegSet,
    open: Vec<u32>,
    touched: Vec<u32>,
    fixed_open: Vec<u32>,
    /// The registers whose entry of `fixed_open` is not 0.
    fixed_alive: PRegSet,
    in_group: Vec<(Reg, bool, bool)>,
}

/// What the walk reads.
#[derive(Clone, Copy)]
pub(super) struct WalkInput<'a> {
    pub func: &'a MFunc,
    pub input: &'a AllocatorInput<'a>,
    pub positions: &'a Positions,
    pub liveness: &'a Liveness,
}

impl Walk {
    fn clear(&mut self, vregs: usize) {
        self.ranges.clear(vregs);
        self.sets.clear();
        self.sets.resize(vregs, NONE);
        self.occs.clear();
        self.occs.reserve(2 * vregs);
        self.fixed.resize(Reg::FIRST_VIRTUAL as usize, Vec::new());
        self.fixed.iter_mut().for_each(Vec::clear);
        self.clobbers.clear();
        self.copies.clear();
        self.remat.clear();
        self.remat.resize(vregs, false);
        self.arguments.clear();
        self.names_incoming = false;
        self.writes.clear();
        self.writes.resize(vregs, 0);
        self.written = PRegSet::EMPTY;
        self.open.clear();
        self.open.resize(vregs, 0);
        self.touched.clear();
        self.fixed_alive = PRegSet::EMPTY;
        self.fixed_open.clear();
        self.fixed_open.resize(Reg::FIRST_VIRTUAL as usize, 0);
    }

    /// Walks over the function, from its last instruction to its first.
    pub(super) fn run(&mut self, w: WalkInput<'_>) {
        self.clear(w.func.vregs.len());
        let mut groups = w.func.groups.iter().rev().filter(|group| !group.is_empty()).cloned();
        let mut group = groups.next().unwrap_or(NO_GROUP);
        for number in (0..w.func.blocks.len() as u32).rev() {
            let block = w.func.blocks[number as usize];
            let end = w.positions.start(number + 1);
            for &vreg in w.liveness.opens.of(number) {
                self.open[vreg as usize] = end;
            }
            for &vreg in w.liveness.live_out.of(number) {
                self.open[vreg as usize] = end;
                self.touched.push(vreg);
            }
            let mut inst = block.end;
            if matches!(block.term, Term::Branch(Some(_))) && inst > group.end {
                inst -= 2;
                self.group(w, inst, block.end, number);
            }
            while inst > block.start {
                let mut first = inst - 1;
                if inst <= group.end {
                    first = group.start;
                    self.group(w, first, inst, number);
                    group = groups.next().unwrap_or(NO_GROUP);
                } else {
                    self.single(w, first, number);
                }
                inst = first;
            }
            self.close_block(w.positions.start(number), end);
            for &vreg in w.liveness.closes.of(number) {
                let to = std::mem::take(&mut self.open[vreg as usize]);
                self.join_range(vreg, w.positions.start(number), to);
            }
        }
        self.clobbers.reverse();
        for edge in &w.func.edges {
            let freq = w.positions.freq(edge.from).min(w.positions.freq(edge.to));
            let moves = edge.first_move as usize..(edge.first_move + edge.move_count) as usize;
            self.copies.extend(w.func.phi_moves[moves].iter().map(|phi| Copy {
                dst: phi.dst,
                src: phi.src,
                inst: NONE,
                freq,
            }));
        }
    }

    /// Ends the walk of a block: registers that are still live are live at its start.
    fn close_block(&mut self, start: u32, end: u32) {
        while let Some(vreg) = self.touched.pop() {
            let to = std::mem::take(&mut self.open[vreg as usize]);
            if to == 0 {
                continue;
            }
            if to == end {
                self.join_range(vreg, start, to);
            } else {
                self.push_range(vreg, start, to);
            }
        }
    }

    /// Adds a live range that ends at a block boundary, merging it with one that starts there.
    fn join_range(&mut self, vreg: u32, from: u32, to: u32) {
        if !self.ranges.extend_front(self.sets[vreg as usize], from, to) {
            self.push_range(vreg, from, to);
        }
    }

    fn push_range(&mut self, vreg: u32, from: u32, to: u32) {
        let set = &mut self.sets[vreg as usize];
        *set = self.ranges.push_front(LiveRange { from, to, vreg }, *set);
    }

    /// A definition of any register at `from`. If no use has been seen, the register is live up to `dead_end`.
    #[inline(always)]
    fn define(&mut self, reg: Reg, from: u32, dead_end: u32) {
        if reg.is_virtual() {
            let open = std::mem::take(&mut self.open[reg.virtual_index()]);
            let to = if open == 0 { dead_end } else { open };
            self.push_range(reg.virtual_index() as u32, from, to);
        } else {
            self.written.insert(reg);
            let open = std::mem::take(&mut self.fixed_open[reg.index()]);
            self.fixed_alive.remove(reg);
            let to = if open == 0 { dead_end } else { open };
            let list = &mut self.fixed[reg.index()];
            make_first_room(list);
            list.push(Entry { from, to, part: FIXED });
        }
    }

    /// A use of any register, which is live up to `end` at least.
    #[inline]
    fn read(&mut self, reg: Reg, end: u32) {
        if reg.is_virtual() {
            let open = &mut self.open[reg.virtual_index()];
            if *open == 0 {
                *open = end;
                self.touched.push(reg.virtual_index() as u32);
            }
        } else {
            let open = &mut self.fixed_open[reg.index()];
            if *open == 0 {
                *open = end;
                self.fixed_alive.insert(reg);
            }
        }
    }

    fn single(&mut self, w: WalkInput<'_>, inst: u32, block: u32) {
        let data = &w.func.insts[inst as usize];
        let desc = op_desc(w.input.ops, data.op);
        let pos = Positions::of_inst(inst, block);
        if data.names_frame() {
            self.note_place(data, desc, inst);
        }
        let sets = w.func.implicit(data, desc);
        if !sets.defs.is_empty() {
            let is_arrival = data.op == pseudo::ARRIVE;
            self.overwrite(sets.defs, if is_arrival { w.positions.start(block) } else { pos + 1 });
        }
        let mut reads = [(0, Reg::NONE); SLOTS];
        let mut read_count = 0;
        for_each_register(data, desc, |index, reg, role| match role {
            Role::Def => {
                self.define(reg, pos + 1, pos + 2);
                if reg.is_virtual() {
                    let fold = fold_flag(w, data, desc, index, role);
                    self.push_occurrence(reg, index, inst, (pos + 1, pos + 2), occ::DEF | fold);
                    let is_first = self.count_write(reg) == 1;
                    self.remat[reg.virtual_index()] = is_first && can_rematerialize(data, desc);
                }
            }
            Role::UseDef => {
                self.read(reg, pos + 2);
                if reg.is_virtual() {
                    let fold = fold_flag(w, data, desc, index, role);
                    self.push_occurrence(reg, index, inst, (pos, pos + 2), occ::USE | occ::DEF | fold);
                    self.count_write(reg);
                    self.remat[reg.virtual_index()] = false;
                } else {
                    self.written.insert(reg);
                }
            }
            _ => {
                reads[read_count] = (index, reg);
                read_count += 1;
            }
        });
        for reg in sets.uses.iter() {
            self.read(reg, pos + 1);
        }
        for &(index, reg) in &reads[..read_count] {
            self.read(reg, pos + 1);
            if reg.is_virtual() {
                let fold = fold_flag(w, data, desc, index, desc.roles[index]);
                self.push_occurrence(reg, index, inst, (pos, pos + 1), occ::USE | fold);
            }
        }
        if desc.is_move {
            self.copies.push(Copy {
                dst: data.reg(0),
                src: data.reg(1),
                inst,
                freq: w.positions.freq(block),
            });
        }
    }

    /// Notes an instruction that names a place of incoming arguments.
    fn note_place(&mut self, data: &MInst, desc: &OpDesc, inst: u32) {
        if incoming_place(data, desc).is_none() {
            return;
        }
        self.names_incoming |= !desc.reads_memory || desc.writes_memory;
        if incoming_reload(data, desc).is_some() && data.reg(0).is_virtual() {
            self.arguments.push((data.reg(0).virtual_index() as u32, inst));
        }
    }

    /// Counts a write of a virtual register and returns the count; 2 stands for several.
    #[inline]
    fn count_write(&mut self, reg: Reg) -> u8 {
        let writes = &mut self.writes[reg.virtual_index()];
        *writes = (*writes + 1).min(2);
        *writes
    }

    /// Adds an occurrence. For one instruction, those that end last must be added first, since the list is reversed
    /// later.
    #[inline]
    fn push_occurrence(&mut self, reg: Reg, operand: usize, inst: u32, (pos, end): (u32, u32), flags: u8) {
        let occurrence = Occurrence {
            pos,
            end,
            inst,
            flags,
            operand: operand as u8,
        };
        self.occs.push((reg.virtual_index() as u32, occurrence));
    }

    /// Treats the registers that an instruction writes implicitly.
    #[inline]
    fn overwrite(&mut self, regs: PRegSet, pos: u32) {
        self.written = self.written.union(regs);
        let are_many = regs.bank(0).count_ones() + regs.bank(1).count_ones() > FEW;
        let mut defined = regs;
        if are_many {
            self.clobbers.push((pos, regs));
            defined = regs.intersection(self.fixed_alive);
        }
        for reg in defined.iter() {
            self.define(reg, pos, pos + 1);
        }
    }

    /// Treats a group as one instruction: all uses are live to its end, all definitions from its start.
    fn group(&mut self, w: WalkInput<'_>, first: u32, end: u32, block: u32) {
        let pos = Positions::of_inst(first, block);
        let end_pos = Positions::of_inst(end, block);
        let mut regs = std::mem::take(&mut self.in_group);
        regs.clear();
        for inst in (first..end).rev() {
            let data = &w.func.insts[inst as usize];
            let desc = op_desc(w.input.ops, data.op);
            let is_place = incoming_place(data, desc).is_some();
            self.names_incoming |= is_place && (!desc.reads_memory || desc.writes_memory);
            let sets = w.func.implicit(data, desc);
            for reg in sets.defs.iter() {
                note(&mut regs, reg, false, true);
            }
            for_each_register(data, desc, |_, reg, role| {
                if matches!(role, Role::Def | Role::UseDef) {
                    note(&mut regs, reg, false, true);
                }
            });
            for reg in sets.uses.iter() {
                note(&mut regs, reg, true, false);
            }
            for_each_register(data, desc, |index, reg, role| {
                if role != Role::Def {
                    note(&mut regs, reg, true, false);
                }
                if reg.is_virtual() {
                    let flags = match role {
                        Role::Def => occ::DEF,
                        Role::UseDef => occ::USE | occ::DEF,
                        _ => occ::USE,
                    };
                    self.push_occurrence(reg, index, inst, (pos, end_pos), flags);
                }
            });
            for_each_register(data, desc, |_, reg, role| {
                if reg.is_virtual() && role != Role::Use {
                    self.count_write(reg);
                    self.remat[reg.virtual_index()] = false;
                }
            });
        }
        for &(reg, reads_first, writes) in &regs {
            if reg.is_physical() && writes {
                self.written.insert(reg);
            }
            self.read(reg, end_pos);
            if !reads_first {
                self.define(reg, pos, end_pos);
            }
        }
        self.in_group = regs;
    }
}

/// Notes a use or definition of a register in a group. Called from the last instruction to the first, so the last call
/// says whether the register is read before it is written.
fn note(regs: &mut Vec<(Reg, bool, bool)>, reg: Reg, reads: bool, writes: bool) {
    match regs.iter_mut().find(|entry| entry.0 == reg) {
        Some(entry) => {
            entry.1 = reads;
            entry.2 |= writes;
        }
        None => regs.push((reg, reads, writes)),
    }
}

/// [`occ::FOLD`] if an instruction can have this register operand in its spill slot, else 0.
#[inline]
fn fold_flag(w: WalkInput<'_>, data: &MInst, desc: &OpDesc, index: usize, role: Role) -> u8 {
    let form = desc.memory_forms.get(index).copied().flatten();
    if form.is_some() && can_fold(w, data, desc, index, role) {
        occ::FOLD
    } else {
        0
    }
}

/// Whether an instruction that has a form for it can have a register operand in its spill slot.
///
/// The width of the virtual register decides, although its bundle, and so the slot, may be wider:
///
/// * Reading the slot is safe, because all bytes of this register are valid there: copies to a wider register are never
///   left out ([`super::coalesce`]), so the slot was stored from this register or from one of the bundle that is at
///   least as wide.
/// * Modifying the slot is safe, because no wider register of the bundle is live at that time: it could only be the
///   source of an unmodified copy, and this register is modified.
fn can_fold(w: WalkInput<'_>, data: &MInst, desc: &OpDesc, index: usize, role: Role) -> bool {
    if desc.roles[1] == Role::Base || !w.input.options.memory_operands {
        return false;
    }
    let reg = data.reg(index);
    if data.regs().iter().filter(|&&other| other == reg).count() > 1 {
        return false;
    }
    // Spilled values are stored and loaded with at least four bytes.
    let bytes = w.func.vreg(reg).bytes.max(4);
    let accessed = data.size.max(desc.memory_bytes);
    if role == Role::Use {
        bytes >= accessed
    } else {
        bytes == accessed
    }
}
