//! Brings the code that the fast path emits into the checker's form ([`super::flow`]) while it is emitted.
//!
//! The context declares what the registers that it hands to rules stand for ([`crate::fast::record::Record`]), and each
//! instruction of a rule uses and defines these names. Everything else is read from the emitted instructions: copies,
//! spills and reloads, which are recognized by comparison with what the target's hooks make, move contents; other
//! instructions of the context only clobber. So nothing that the context believes about registers and slots is taken on
//! trust.
//!
//! Names are parts of operands, the contents of stack slots in home registers, and one name for each register that is
//! handed out for writing, for what the rule puts there. As in machine functions, each physical register also has a
//! name for what instructions put there that write it by themselves.

mod record;

use crate::check::describe;
use crate::check::error::{CheckError, CheckFault, Missing};
use crate::check::flow::{Flow, Name, Op, Place};
use crate::check::moves::{MoveKind, MoveTable};
use crate::check::solve::{At, Failure, Solver};
use crate::desc::{ConvDesc, OpDesc, Role, SLOTS, TargetDesc};
use crate::fast::record::{Spot, Thing};
use crate::mfunc::{for_each_register, op_desc};
use crate::minst::MInst;
use crate::reg::{PRegSet, Reg};
use frazil_ir::{Block, EntityRef};
use frazil_support::FxHashMap;
use std::ops::Range;

/// Names of parts of a value.
const PARTS: u32 = 4;
/// A place that no instruction knows, for the source of an extension.
const ASIDE: Place = Place::memory(0);
/// Widest spill in bytes.
const WIDEST: i32 = 64;

/// What a register stands for in the eyes of the rule that it was handed to.
#[derive(Clone, Copy, Debug)]
struct Hand {
    name: Name,
    may_write: bool,
}

/// A function that is being recorded. Kept from function to function.
#[derive(Debug, Default)]
pub(crate) struct Trace {
    flow: Flow,
    solver: Solver,
    target: Option<(&'static TargetDesc, &'static [OpDesc])>,
    moves: MoveTable,
    /// The instructions; their numbers are the sites of steps.
    insts: Vec<MInst>,
    /// By physical register.
    hands: Vec<Option<Hand>>,
    /// What rules were told of memory: base, displacement.
    memory_hands: FxHashMap<(Reg, i32), Name>,
    /// Sizes of the stack slots, by frame offset.
    slot_bytes: FxHashMap<i32, u32>,
    /// What rules of this block were told of memory that leaves its slot: the base, and the displacements.
    strays: Vec<(Reg, Range<i32>)>,
    /// Names of things other than values.
    things: FxHashMap<Thing, Name>,
    values: u32,
    /// Pieces of memory that are places, by base and displacement.
    pieces: FxHashMap<(Reg, i32), Place>,
    /// The same, in the order in which they were met.
    piece_list: Vec<(Reg, Place)>,
    bases: PRegSet,
    needs: Vec<(Spot, Name)>,
    flags: Option<Name>,
    keeps_flags: bool,
    in_group: bool,
    /// What the group has written, and where.
    group: Vec<(Name, Place)>,
    /// Names that have been defined.
    is_defined: Vec<bool>,
    /// Instructions that rules asked for since a register was handed over.
    asked: u32,
    saved_hand: Option<Hand>,
    /// The name by which what a rule was handed is followed through a copy.
    kept: Option<Name>,
    in_block: bool,
    /// The flow block that edges leave.
    from: u32,
    /// For each flow block, the block of the function.
    sources: Vec<u32>,
    /// For each block of the function, its flow block.
    starts: Vec<u32>,
    /// Edges from flow blocks to blocks of the function.
    edges: Vec<(u32, Block)>,
    edge_to: Option<Block>,
    /// The flow block whose end is the last call that may unwind.
    unwinds_from: u32,
}

impl Trace {
    /// Proves what was recorded.
    pub fn check(&mut self) -> Result<(), CheckError> {
        self.close_block();
        for &(from, to) in &self.edges {
            self.flow.edges.push((from, self.starts[to.index()]));
        }
        self.flow.places = Place::memory(self.piece_list.len() as u32 + 1).0;
        let result = self.solver.solve(&self.flow);
        result.map_err(|failure| self.describe(&failure))
    }

    fn describe(&self, failure: &Failure) -> CheckError {
        let (desc, ops) = self.target.expect("a function was begun");
        let name = |name: Name| self.name_text(desc, name);
        let memory = |number: u32| {
            let piece = self.pieces.iter().find(|piece| *piece.1 == Place::memory(number));
            piece.map_or_else(
                || "a copy".to_owned(),
                |(&(base, disp), _)| format!("[{}{disp:+}]", describe::register(desc, base)),
            )
        };
        let at = match failure.at {
            At::Use => None,
            At::Entry => Some("at the entry of the function".to_owned()),
            At::End(block) => Some(format!("at the end of block {}", self.sources[block as usize])),
        };
        let site = self.flow.sites[failure.op as usize];
        let inst = self.insts.get(site as usize).map(|inst| {
            let text = describe::instruction(desc, op_desc(ops, inst.op), inst);
            format!("{site}: {text}")
        });
        CheckError {
            block: self.sources[self.flow.block_of(failure.op) as usize],
            inst: inst.unwrap_or_default(),
            operand: None,
            fault: CheckFault::Missing(Box::new(Missing {
                expected: describe::expectation(&self.flow, failure, name),
                place: describe::place(desc, failure.place, memory),
                found: describe::list(&failure.found, name),
                at,
            })),
        }
    }

    fn name_text(&self, desc: &TargetDesc, name: Name) -> String {
        let Some(number) = name.0.checked_sub(Reg::FIRST_VIRTUAL) else {
            return format!("what instructions put into {}", describe::register(desc, Reg(name.0)));
        };
        if number < self.values * PARTS {
            return format!("v{}.{}", number / PARTS, number % PARTS);
        }
        match self.things.iter().find(|entry| *entry.1 == name) {
            Some((thing, _)) => format!("{thing:?}"),
            None => "what the rule put there".to_owned(),
        }
    }

    fn desc(&self, inst: &MInst) -> &'static OpDesc {
        let (_, ops) = self.target.expect("a function was begun");
        op_desc(ops, inst.op)
    }

    fn is_reserved(&self, reg: Reg) -> bool {
        let (desc, _) = self.target.expect("a function was begun");
        !desc.classes[reg.bank()].allocatable.contains(reg)
    }

    fn push(&mut self, op: Op) {
        debug_assert!(self.in_block, "steps stand in blocks");
        let site = (self.insts.len() as u32).wrapping_sub(1);
        self.flow.push(op, site);
    }

    fn new_name(&mut self, bytes: u8) -> Name {
        self.flow.name_bytes.push(bytes);
        Name(self.flow.name_bytes.len() as u32 - 1)
    }

    fn name(&mut self, thing: Thing) -> Name {
        if let Thing::Part(operand, part) = thing
            && let Some(value) = operand.as_value()
        {
            return Name(Reg::FIRST_VIRTUAL + value.as_u32() * PARTS + u32::from(part));
        }
        if let Some(&name) = self.things.get(&thing) {
            return name;
        }
        let name = self.new_name(0);
        self.things.insert(thing, name);
        name
    }

    /// What an instruction of a rule expects in a register.
    fn read_name(&self, reg: Reg) -> Name {
        self.hands[reg.index()].map_or(Name(reg.0), |hand| hand.name)
    }

    fn set_hand(&mut self, reg: Reg, name: Name, may_write: bool) {
        self.hands[reg.index()] = Some(Hand { name, may_write });
    }

    fn use_place(&mut self, place: Place, name: Name) {
        self.push(Op::Use { place, name });
    }

    /// The place of a piece of memory.
    fn piece(&mut self, base: Reg, disp: i32) -> Place {
        let next = Place::memory(self.piece_list.len() as u32 + 1);
        let place = *self.pieces.entry((base, disp)).or_insert(next);
        if place == next {
            self.piece_list.push((base, place));
            self.bases.insert(base);
        }
        place
    }

    /// Memory is written: of pieces that begin below, only what comes before is left, of others nothing.
    fn wrote_memory(&mut self, base: Reg, disp: i32, bytes: u8) {
        if !base.is_physical() || !self.bases.contains(base) {
            return;
        }
        let written: Range<i32> = disp..disp.saturating_add(i32::from(bytes));
        for start in disp.saturating_sub(WIDEST - 1)..written.end {
            let Some(&place) = self.pieces.get(&(base, start)) else {
                continue;
            };
            self.push(if start < disp {
                Op::copy(place, place, (disp - start) as u8)
            } else {
                Op::Clobber { place }
            });
        }
    }

    /// A rule's instruction may store. What leaves a slot by its address, which only code that never runs can do, is
    /// taken as a store to that slot, which is no piece.
    fn rule_stored(&mut self, asked: &MInst, inst: &MInst, desc: &OpDesc) {
        let is_stray = |(base, disps): &(Reg, Range<i32>)| *base == asked.reg(1) && disps.contains(&asked.disp);
        if !self.strays.iter().any(is_stray) {
            self.stored(inst, desc);
        }
    }

    /// An instruction that is no spill may store, too. With an index, it stores to somewhere else than what the base
    /// and the displacement say: into a stack slot, which is no piece.
    fn stored(&mut self, inst: &MInst, desc: &OpDesc) {
        if desc.writes_memory && inst.reg(2) == Reg::NONE {
            let bytes = self.moves.find(inst).map_or(inst.size, |(_, bytes)| bytes);
            self.wrote_memory(inst.reg(1), inst.disp, bytes);
        }
    }

    /// A register is written: memory at a distance from it is other memory now.
    fn wrote_register(&mut self, reg: Reg) {
        if !self.bases.contains(reg) {
            return;
        }
        for index in 0..self.piece_list.len() {
            let (base, place) = self.piece_list[index];
            if base == reg {
                self.push(Op::Clobber { place });
            }
        }
    }

    /// An instruction of a rule: it names what it was handed. `asked` says what the rule named, `inst` what came out.
    fn rule_inst(&mut self, asked: &MInst, inst: &MInst) {
        let desc = self.desc(inst);
        let (mut reads, mut writes) = ([None; SLOTS], [None; SLOTS]);
        for_each_register(inst, desc, |index, reg, role| {
            let pair = Some((asked.reg(index), reg));
            if role != Role::Def {
                reads[index] = pair;
            }
            if matches!(role, Role::Def | Role::UseDef) {
                writes[index] = pair;
            }
        });
        for (told, reg) in reads.into_iter().flatten() {
            let name = self.read_name(told);
            self.use_place(Place::reg(reg), name);
        }
        for reg in desc.implicit_uses.iter() {
            let name = self.read_name(reg);
            self.use_place(Place::reg(reg), name);
        }
        let memory = self.use_memory(asked, inst, desc);
        if desc.reads_flags {
            let name = self.flags_name();
            self.use_place(Place::FLAGS, name);
        }
        self.write_flags(desc, self.keeps_flags);
        for reg in desc.implicit_defs.iter() {
            self.rule_writes(reg, reg, false);
        }
        // In a group a copy need not happen, so that nothing is known of what is there but its name.
        let copied = self.copy_of(inst, memory).filter(|_| !self.in_group);
        for (told, reg) in writes.into_iter().flatten() {
            self.write_in_group(told, Place::reg(reg));
            if let Some((from, bytes)) = copied
                && from != Place::reg(reg)
            {
                self.push(Op::copy(from, Place::reg(reg), bytes));
            }
            self.rule_writes(told, reg, copied.is_some());
        }
        self.rule_stored(asked, inst, desc);
    }

    /// The piece that an instruction of a rule was told to read.
    fn use_memory(&mut self, asked: &MInst, inst: &MInst, desc: &OpDesc) -> Option<Place> {
        if !has_memory(desc) || inst.reg(2) != Reg::NONE || !inst.reg(1).is_physical() {
            return None;
        }
        let name = *self.memory_hands.get(&(asked.reg(1), asked.disp))?;
        let place = self.piece(inst.reg(1), inst.disp);
        self.use_place(place, name);
        Some(place)
    }

    /// What an instruction of a rule copies, if it is a copy, or a reload of a known piece.
    fn copy_of(&self, inst: &MInst, memory: Option<Place>) -> Option<(Place, u8)> {
        match (self.moves.find(inst)?, memory) {
            ((MoveKind::Copy, bytes), _) => Some((Place::reg(inst.reg(1)), bytes)),
            ((MoveKind::Reload, bytes), Some(place)) => Some((place, bytes)),
            _ => None,
        }
    }

    /// A rule's instruction writes a register; what it may not write, it is not believed about.
    fn rule_writes(&mut self, told: Reg, reg: Reg, keeps: bool) {
        let name = match self.hands[told.index()] {
            Some(hand) if hand.may_write => hand.name,
            _ => {
                self.hands[told.index()] = None;
                Name(told.0)
            }
        };
        let place = Place::reg(reg);
        self.mark_defined(name);
        self.push(if keeps {
            Op::Alias { place, name }
        } else {
            Op::Define { place, name }
        });
        self.wrote_register(reg);
    }

    /// In a group, a write need not happen: then what the name was before must be in the same place. A scratch register
    /// has nothing of before: a name that it still has is that of an address, whose rule is done.
    fn write_in_group(&mut self, told: Reg, place: Place) {
        if told.is_physical()
            && self
                .target
                .is_some_and(|(desc, _)| desc.classes[told.bank()].scratch == told)
        {
            return;
        }
        let name = match self.hands[told.index()] {
            Some(hand) if hand.may_write && self.in_group => hand.name,
            _ => return,
        };
        match self.group.iter().find(|written| written.0 == name) {
            Some(&(_, other)) if other != place => {
                let nowhere = self.new_name(0);
                self.use_place(place, nowhere);
            }
            Some(_) => self.use_place(place, name),
            None => {
                if self.is_defined.get(name.0 as usize) == Some(&true) {
                    self.use_place(place, name);
                }
                self.group.push((name, place));
            }
        }
    }

    fn mark_defined(&mut self, name: Name) {
        let index = name.0 as usize;
        if index >= self.is_defined.len() {
            self.is_defined.resize(self.flow.name_bytes.len(), false);
        }
        self.is_defined[index] = true;
    }

    fn flags_name(&self) -> Name {
        self.flags.expect("a function was begun")
    }

    fn write_flags(&mut self, desc: &OpDesc, destroys: bool) {
        let (place, name) = (Place::FLAGS, self.flags_name());
        match (desc.writes_flags, destroys) {
            (false, _) => {}
            (true, false) => self.push(Op::Define { place, name }),
            (true, true) => self.push(Op::Clobber { place }),
        }
    }

    /// An instruction that a rule asked for did not come: what it was to compute is nowhere.
    fn missing_inst(&mut self, asked: &MInst) {
        let desc = self.desc(asked);
        if desc.is_move && asked.reg(0) == asked.reg(1) {
            return self.rule_writes(asked.reg(0), asked.reg(0), true);
        }
        let mut names = [None; SLOTS];
        for_each_register(asked, desc, |index, reg, role| {
            if matches!(role, Role::Def | Role::UseDef) {
                names[index] = Some(self.read_name(reg));
            }
        });
        for name in names.into_iter().flatten() {
            self.push(Op::Forget { name });
        }
    }

    /// An instruction of the context: a move, or something that destroys.
    fn context_inst(&mut self, inst: &MInst) {
        let desc = self.desc(inst);
        let reg = inst.reg(0);
        match self.moves.find(inst) {
            Some((MoveKind::Copy | MoveKind::Reload, _)) if self.is_stack_pointer(reg) => self.destroy(reg),
            Some((MoveKind::Copy, bytes)) => {
                self.push(Op::copy(Place::reg(inst.reg(1)), Place::reg(reg), bytes));
                self.wrote_register(reg);
            }
            Some((MoveKind::Reload, bytes)) => {
                let piece = self.piece(inst.reg(1), inst.disp);
                self.push(Op::copy(piece, Place::reg(reg), bytes));
                self.wrote_register(reg);
            }
            Some((MoveKind::Spill, bytes)) => {
                self.wrote_memory(inst.reg(1), inst.disp, bytes);
                let piece = self.piece(inst.reg(1), inst.disp);
                self.push(Op::copy(Place::reg(reg), piece, bytes));
            }
            None => self.foreign_inst(inst, desc),
        }
    }

    fn foreign_inst(&mut self, inst: &MInst, desc: &OpDesc) {
        let mut written = desc.implicit_defs;
        for_each_register(inst, desc, |_, reg, role| {
            if matches!(role, Role::Def | Role::UseDef) {
                written.insert(reg);
            }
        });
        for reg in written.iter() {
            self.destroy(reg);
        }
        self.stored(inst, desc);
        self.write_flags(desc, true);
    }

    /// A register is overwritten by something else; those that are never allocated and serve no moves have contents
    /// of their own all the time.
    fn destroy(&mut self, reg: Reg) {
        let (place, name) = (Place::reg(reg), Name(reg.0));
        self.push(if self.has_own_contents(reg) {
            Op::Define { place, name }
        } else {
            Op::Clobber { place }
        });
        self.wrote_register(reg);
    }

    /// Moves into it bring back what it was.
    fn is_stack_pointer(&self, reg: Reg) -> bool {
        let (desc, _) = self.target.expect("a function was begun");
        reg == desc.stack_pointer && self.has_own_contents(reg)
    }

    fn has_own_contents(&self, reg: Reg) -> bool {
        let (desc, _) = self.target.expect("a function was begun");
        self.is_reserved(reg) && desc.classes[reg.bank()].scratch != reg
    }

    fn open_block(&mut self, source: u32) -> u32 {
        self.close_block();
        self.in_block = true;
        self.sources.push(source);
        self.strays.clear();
        self.flow.begin_block()
    }

    fn close_block(&mut self) {
        if self.in_block {
            self.flow.end_block();
        }
        self.in_block = false;
    }

    fn clear(&mut self) {
        self.flow.clear();
        self.insts.clear();
        self.hands.clear();
        self.hands.resize(Reg::FIRST_VIRTUAL as usize, None);
        self.memory_hands.clear();
        self.slot_bytes.clear();
        self.strays.clear();
        self.things.clear();
        self.pieces.clear();
        self.piece_list.clear();
        self.bases = PRegSet::EMPTY;
        self.needs.clear();
        self.keeps_flags = false;
        self.in_group = false;
        self.is_defined.clear();
        self.in_block = false;
        self.sources.clear();
        self.starts.clear();
        self.edges.clear();
        self.edge_to = None;
    }

    /// What registers contain when the function is entered.
    fn define_entry(&mut self, conv: Option<&ConvDesc>, is_variadic: bool) {
        let (desc, _) = self.target.expect("a function was begun");
        let mut defined: PRegSet = PRegSet::EMPTY;
        for row in desc.regs.iter().filter(|row| self.is_reserved(row.reg)) {
            defined.insert(row.reg);
        }
        if let Some(conv) = conv.filter(|_| is_variadic) {
            for &reg in conv
                .int_args
                .iter()
                .chain(conv.float_args)
                .chain([&conv.variadic_count])
            {
                if reg.is_physical() {
                    defined.insert(reg);
                }
            }
        }
        for reg in defined.iter() {
            let (place, name) = (Place::reg(reg), Name(reg.0));
            self.push(Op::Define { place, name });
        }
    }
}

/// Whether an instruction has a memory operand.
fn has_memory(desc: &OpDesc) -> bool {
    desc.roles[1] == Role::Base
}
