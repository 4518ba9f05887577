//! Symbolic execution of one of the two functions up to the next point of comparison.
//!
//! A walk executes instructions and follows jumps. It ends where paths merge or split, at the end of the function, or
//! before an instruction that would exceed the wanted number of events. A group of instructions is one event (contract
//! 7), whose registers may be renamed in the other function.

use super::machine::{Event, Machine, Meaning, event};
use super::terms::{Origin, Term, Terms};
use super::values::{Side, Values, WORD_BITS, Word};
use crate::branch::Join;
use crate::desc::{OpDesc, Role};
use crate::mfunc::{MBlock, MFunc, PhiMove, Term as BlockEnd, for_each_register, op_desc, pseudo};
use crate::minst::MInst;
use crate::reg::{PRegSet, Reg};

/// A position in a function: before the instruction with the number `inst`, in this block; or the block's end.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(super) struct Position {
    pub block: u32,
    pub inst: u32,
}

/// Why a walk has ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Stop {
    /// At the start of a block with several predecessors.
    Join,
    /// At a conditional branch.
    Branch,
    /// At the end of a block whose last instruction, an event, decides between several edges: a switch or an invoke.
    Choice,
    /// At a return or tail call.
    End,
    /// At the end of a block that control never leaves.
    Unreachable,
    /// Before an instruction with more events than are wanted.
    Limit,
}

/// The function's graph, as far as walks ask for it.
#[derive(Debug, Default)]
pub(super) struct Graph {
    /// By block: number of edges into it.
    entries: Vec<u32>,
    /// By block: its phis, which are the virtual registers that moves of its incoming edges define.
    phis: Vec<Vec<Reg>>,
    /// By block: whether control stays in blocks without calls from there on, so that it is in an endless loop.
    is_silent_loop: Vec<bool>,
    /// By instruction: the end of the group that starts there (exclusive), or 0.
    group_ends: Vec<u32>,
}

impl Graph {
    pub(super) fn compute(&mut self, func: &MFunc, ops: &'static [OpDesc]) {
        let count = func.blocks.len();
        self.entries.clear();
        self.entries.resize(count, 0);
        self.phis.clear();
        self.phis.resize(count, Vec::new());
        for (number, edge) in func.edges.iter().enumerate() {
            self.entries[edge.to as usize] += 1;
            for phi in func.moves_of(number) {
                if !self.phis[edge.to as usize].contains(&phi.dst) {
                    self.phis[edge.to as usize].push(phi.dst);
                }
            }
        }
        self.group_ends.clear();
        self.group_ends.resize(func.insts.len() + 1, 0);
        for group in func.groups.iter().filter(|group| !group.is_empty()) {
            self.group_ends[group.start as usize] = group.end;
        }
        self.is_silent_loop.clear();
        for block in &func.blocks {
            let has_event = self.has_event(func, ops, block.start, block.end);
            self.is_silent_loop.push(!has_event && block.edge_count > 0);
        }
        self.drop_loops_that_end(func);
    }

    /// Whether there is a call or a group of instructions, either of which is an event, in a part of a block.
    fn has_event(&self, func: &MFunc, ops: &'static [OpDesc], start: u32, end: u32) -> bool {
        (start..end).any(|number| {
            self.group_ends[number as usize] > number || op_desc(ops, func.insts[number as usize].op).has_sets
        })
    }

    /// Takes what has a path to an event or to an end from the silent loops.
    fn drop_loops_that_end(&mut self, func: &MFunc) {
        let mut has_changed = true;
        while has_changed {
            has_changed = false;
            for (number, block) in func.blocks.iter().enumerate().rev() {
                if self.is_silent_loop[number] && !self.leads_to_silent_loop(func, block) {
                    self.is_silent_loop[number] = false;
                    has_changed = true;
                }
            }
        }
    }

    /// Whether all edges of a block lead to silent loops.
    fn leads_to_silent_loop(&self, func: &MFunc, block: &MBlock) -> bool {
        let edges = block.first_edge as usize..(block.first_edge + block.edge_count) as usize;
        !edges.is_empty()
            && func.edges[edges]
                .iter()
                .all(|edge| self.is_silent_loop[edge.to as usize])
    }

    /// Whether control stays in blocks without events from a position on.
    pub(super) fn is_silent_from(&self, func: &MFunc, ops: &'static [OpDesc], at: Position) -> bool {
        let block = &func.blocks[at.block as usize];
        self.leads_to_silent_loop(func, block) && !self.has_event(func, ops, at.inst, block.end)
    }

    pub(super) fn is_join(&self, block: u32) -> bool {
        self.entries[block as usize] > 1
    }
}

/// One of the two functions during its walk.
pub(super) struct Walk<'a, 'b> {
    pub machine: Machine<'a>,
    pub graph: &'b Graph,
    /// The positions that the walk has passed, each with the number of events before it.
    pub trail: &'b mut Vec<(Position, usize)>,
}

impl Walk<'_, '_> {
    fn func(&self) -> &'_ MFunc {
        self.machine.side.func
    }

    /// Continues the walk from a position. Stops before the instruction with which there would be more than `limit`
    /// events, and at the position `last` if there are `limit` events by then.
    pub(super) fn run(&mut self, mut at: Position, limit: usize, last: Option<Position>) -> (Position, Stop) {
        loop {
            if last == Some(at) && self.machine.events.len() == limit {
                return (at, Stop::Limit);
            }
            self.trail.push((at, self.machine.events.len()));
            let block = self.func().blocks[at.block as usize];
            let branches = match block.term {
                BlockEnd::Branch(None) => 1,
                BlockEnd::Branch(Some(_)) => 2,
                _ => 0,
            };
            if at.inst < block.end - branches {
                let next = self.step(at.inst);
                if self.machine.events.len() > limit {
                    self.machine.values.undo();
                    self.machine.events.truncate(limit);
                    return (at, Stop::Limit);
                }
                self.machine.values.commit();
                at.inst = next;
                continue;
            }
            match block.term {
                BlockEnd::Jump => {
                    at = self.cross(block.first_edge as usize);
                    self.machine.values.commit();
                    if self.graph.is_join(at.block) {
                        return (at, Stop::Join);
                    }
                }
                BlockEnd::Branch(_) => return (at, Stop::Branch),
                BlockEnd::Switch | BlockEnd::Invoke => return (at, Stop::Choice),
                BlockEnd::Return => return (at, Stop::End),
                BlockEnd::Stop => return (at, Stop::Unreachable),
            }
        }
    }

    /// Follows an edge and carries out its moves. Phis without a move become undefined. The moves can be undone, since
    /// they are not committed.
    pub(super) fn cross(&mut self, edge: usize) -> Position {
        let func = self.machine.side.func;
        let to = func.edges[edge].to;
        let moves: &[PhiMove] = func.moves_of(edge);
        let sources: Vec<Vec<Word>> = moves.iter().map(|phi| self.machine.words_of(phi.src)).collect();
        for phi in &self.graph.phis[to as usize] {
            if !moves.iter().any(|other| other.dst == *phi) {
                self.forget(*phi, edge as u32);
            }
        }
        for (phi, words) in moves.iter().zip(&sources) {
            self.machine.set_words(phi.dst, words);
        }
        Position {
            block: to,
            inst: func.blocks[to as usize].start,
        }
    }

    fn forget(&mut self, reg: Reg, number: u32) {
        for word in 0..self.machine.side.words(reg) {
            let place = self.machine.side.register(reg, word);
            let side = self.machine.side.number;
            let term = self
                .machine
                .terms
                .symbol(Origin::Undefined, [side, place.0, number + 1], WORD_BITS);
            self.machine.set_place(place, Word::whole(term));
        }
    }

    /// Executes an instruction, or the group that starts there, and returns the number of the next instruction.
    fn step(&mut self, index: u32) -> u32 {
        self.machine.inst = index;
        let end = self.graph.group_ends[index as usize];
        if end > index {
            self.group(index, end);
            return end;
        }
        let inst = self.func().insts[index as usize];
        match inst.op {
            pseudo::NOP | pseudo::USE | pseudo::LABEL | pseudo::PROLOGUE => {}
            pseudo::RESTORE => self.restore(),
            pseudo::ENTRY | pseudo::ARRIVE => self.define_sets(&inst),
            pseudo::RETURN => self.leave(&inst),
            _ => self.machine.execute(&inst),
        }
        index + 1
    }

    /// Gives the registers that are defined at function entry, or by a call or an unwinder at the start of a block,
    /// unknown contents.
    fn define_sets(&mut self, inst: &MInst) {
        let sets = self.func().sets[inst.imm as usize];
        let key = [u32::from(inst.op), 0, 0, 0];
        let event = self.machine.event(key, Vec::new(), Some((PRegSet::EMPTY, sets.defs)));
        for reg in sets.defs.iter() {
            self.machine.leave_register(event, reg);
        }
    }

    /// A return or a tail call.
    fn leave(&mut self, inst: &MInst) {
        let func = self.machine.side.func;
        let sets = func.sets[inst.imm as usize];
        let mut operands = Vec::new();
        for reg in sets.uses.iter() {
            operands.extend(self.machine.words_of(reg));
        }
        let mut key = [u32::from(pseudo::RETURN), 0, 0, 0];
        if let Some(tail) = inst
            .disp
            .checked_sub(1)
            .and_then(|tail| func.tail_calls.get(tail as usize))
        {
            key = [
                u32::from(pseudo::RETURN),
                u32::from(tail.op) | u32::from(tail.size) << 16,
                1,
                0,
            ];
            let desc = op_desc(self.machine.side.ops, tail.op);
            if desc.roles[1] == Role::Base {
                let address = self.machine.address(tail.mem());
                operands.push(Word::whole(address));
            }
            for (index, &role) in desc.roles.iter().enumerate() {
                if role == Role::Use && tail.reg(index).is_register() {
                    operands.extend(self.machine.words_of(tail.reg(index)));
                }
            }
            if !desc.has_sets {
                key[3] = tail.imm.cast_unsigned();
            }
        }
        self.machine.event(key, operands, Some((sets.uses, PRegSet::EMPTY)));
    }

    /// Tears the frame down: callee-saved registers get the caller's values back.
    fn restore(&mut self) {
        for reg in self.func().frame.callee_saved.iter() {
            for word in 0..self.machine.side.words(reg) {
                let place = self.machine.side.register(reg, word);
                let numbers = [self.machine.side.number, place.0, 0];
                let term = self.machine.terms.symbol(Origin::Restored, numbers, WORD_BITS);
                self.machine.set_place(place, Word::whole(term));
            }
        }
    }

    /// Executes a group as one event. Its key is the shape of the group: its instructions, in which registers are
    /// numbered in the order of their first mention, so that renaming them changes nothing. Its operands are what the
    /// registers that it reads hold before it.
    fn group(&mut self, start: u32, end: u32) {
        let func = self.machine.side.func;
        let mut operands = Vec::new();
        let mut names: Vec<Reg> = Vec::new();
        let mut shape: Vec<u32> = Vec::new();
        let (mut uses, mut defs, mut filled) = (PRegSet::EMPTY, PRegSet::EMPTY, PRegSet::EMPTY);
        let mut written: Vec<Reg> = Vec::new();
        let mut read: Vec<Reg> = Vec::new();
        let mut writes_flags = false;
        for index in start..end {
            let mut inst = func.insts[index as usize];
            if matches!(inst.op, pseudo::NOP | pseudo::USE) {
                continue;
            }
            let desc = op_desc(self.machine.side.ops, inst.op);
            if desc.reads_flags && !writes_flags {
                operands.extend(self.flags_read(&mut inst));
            }
            writes_flags |= desc.writes_flags;
            let is_memory = desc.roles[1] == Role::Base;
            let has_set = desc.has_sets;
            shape.extend([
                u32::from(inst.op) | u32::from(inst.size) << 16 | u32::from(inst.aux) << 24,
                if has_set {
                    0
                } else {
                    inst.immediate(desc).cast_unsigned()
                },
                inst.disp.cast_unsigned(),
            ]);
            if is_memory {
                let mem = inst.mem();
                let marks = |reg: Reg| if reg.is_register() { 0 } else { reg.0 };
                let index = mem.reference().map_or(marks(mem.index_reg()), |reference| reference.0);
                shape.extend([marks(mem.base_reg()), index]);
            }
            for_each_register(&inst, desc, |operand, reg, role| {
                let name = names.iter().position(|&other| other == reg).unwrap_or_else(|| {
                    names.push(reg);
                    names.len() - 1
                });
                shape.push((operand as u32) << 16 | name as u32);
                if matches!(role, Role::Def | Role::UseDef) && !written.contains(&reg) {
                    written.push(reg);
                }
                if role != Role::Def && !read.contains(&reg) {
                    read.push(reg);
                }
            });
            let sets = func.implicit(&inst, desc);
            // What an instruction of the group has written before is no operand, as the argument of a call.
            uses = uses.union(sets.uses.minus(defs).minus(filled));
            defs = defs.union(sets.defs);
            for_each_register(&inst, desc, |_, reg, role| {
                if role == Role::Def && !reg.is_virtual() && reg.is_register() {
                    filled.insert(reg);
                }
            });
        }
        for &reg in &read {
            // Registers that the group itself defines first are described by its shape.
            let is_inner = is_defined_first(func, self.machine.side.ops, start..end, reg);
            if !is_inner {
                operands.extend(self.machine.words_of(reg));
            }
        }
        for reg in uses.iter().filter(|reg| !read.contains(reg)) {
            operands.extend(self.machine.words_of(reg));
        }
        let shape = fold_shape(self.machine.terms, &shape);
        let event = self
            .machine
            .event([event::GROUP, shape.0, 0, 0], operands, Some((uses, defs)));
        for reg in defs.iter() {
            self.machine.leave_register(event, reg);
        }
        for (name, &reg) in names.iter().enumerate() {
            if !written.contains(&reg) {
                continue;
            }
            for word in 0..self.machine.side.words(reg) {
                let number = 1024 + name as u32 * 4 + word;
                let value = self.machine.result(event, number, WORD_BITS);
                self.machine.set_word(reg, word, Word::whole(value));
            }
        }
        for part in 0..3 {
            let value = self.machine.result(event, 32 + part, 8);
            self.machine.set_place(Side::flags(part), Word::whole(value));
        }
    }

    /// What an instruction depends on if it reads flags: its condition, if the target knows it; the condition code is
    /// then no longer part of what the instruction is, since there may be several codes for one condition. Else all
    /// three parts of the flags.
    fn flags_read(&mut self, inst: &mut MInst) -> Vec<Word> {
        let meaning: &'static dyn Meaning = self.machine.meaning;
        if let Some(condition) = meaning.condition(inst, &mut self.machine) {
            inst.aux = 0;
            return vec![Word::whole(condition)];
        }
        (0..3).map(|part| Word::whole(self.machine.flag(part))).collect()
    }

    /// The condition of the branch at a block's end, as a term of one bit; both conditions, combined, if it has two.
    pub(super) fn condition(&mut self, block: u32) -> Term {
        let data = self.func().blocks[block as usize];
        let last = self.func().insts[data.end as usize - 1];
        self.machine.inst = data.end - 1;
        let BlockEnd::Branch(Some(join)) = data.term else {
            return self.single_condition(&last);
        };
        let first = self.func().insts[data.end as usize - 2];
        let conditions = [self.single_condition(&first), self.single_condition(&last)];
        let operation = match join {
            Join::And => super::terms::Bitwise::And,
            Join::Or => super::terms::Bitwise::Or,
        };
        self.machine.terms.bitwise(operation, conditions[0], conditions[1])
    }

    fn single_condition(&mut self, branch: &MInst) -> Term {
        let meaning: &'static dyn Meaning = self.machine.meaning;
        if let Some(condition) = meaning.condition(branch, &mut self.machine) {
            return condition;
        }
        let desc = op_desc(self.machine.side.ops, branch.op);
        let mut args = Vec::new();
        for (index, &role) in desc.roles.iter().enumerate() {
            if role == Role::Use && branch.reg(index).is_register() {
                args.extend(self.machine.words_of(branch.reg(index)).iter().map(|word| word.term));
            }
        }
        if desc.reads_flags {
            for part in 0..3 {
                args.push(self.machine.flag(part));
            }
        }
        let key = [
            u32::from(branch.op) | u32::from(branch.size) << 16,
            u32::from(branch.aux),
            0,
            77,
        ];
        self.machine.terms.apply(key, 1, &args)
    }
}

/// Whether a group defines a register before it reads it.
fn is_defined_first(func: &MFunc, ops: &'static [OpDesc], range: std::ops::Range<u32>, wanted: Reg) -> bool {
    for index in range {
        let inst = func.insts[index as usize];
        if inst.op == pseudo::USE {
            continue;
        }
        let desc = op_desc(ops, inst.op);
        let sets = func.implicit(&inst, desc);
        let is_in = |set: PRegSet| wanted.is_physical() && set.contains(wanted);
        let (mut reads, mut writes) = (is_in(sets.uses), is_in(sets.defs));
        for_each_register(&inst, desc, |_, reg, role| {
            if reg == wanted {
                reads |= role != Role::Def;
                writes |= matches!(role, Role::Def | Role::UseDef);
            }
        });
        if reads || writes {
            return !reads;
        }
    }
    false
}

/// The shape of a group as one term, so that equal shapes have equal numbers.
fn fold_shape(terms: &mut Terms, shape: &[u32]) -> Term {
    let words: Vec<Term> = shape.iter().map(|&word| terms.constant(32, u64::from(word))).collect();
    terms.apply([u32::MAX, u32::MAX, 0, 0], 32, &words)
}

/// What a walk of one of the functions works on, kept from walk to walk.
#[derive(Debug, Default)]
pub(super) struct WalkState {
    pub values: Values,
    pub events: Vec<Event>,
    pub trail: Vec<(Position, usize)>,
    pub graph: Graph,
}
