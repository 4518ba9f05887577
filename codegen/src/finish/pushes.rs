//! Arguments on the stack are pushed instead of being stored, where that makes the code smaller.
//!
//! ```text
//! mov  eax, [esp + 40]                sub  esp, 8
//! mov  [esp + 4], eax                 push [esp + 48]
//! mov  [esp], esi              ->     push esi
//! call f                              call f
//!                                     add  esp, 16
//! ```
//!
//! Selection stores the arguments of a call at the stack pointer, the last one first, and says of calls whose arguments
//! all are words how many bytes these are ([`RegSets::pushable_bytes`]). If after all machine passes the stores of a
//! call still stand in its block in this order, each once, and nothing else in between names the stack pointer, they
//! become pushes. Then the area for outgoing arguments is not needed, unless another call of the function uses it.
//! While arguments are pushed, the frame is addressed from a stack pointer that has moved: the emitter follows it by
//! the [`StackMove`]s, which say at which instructions it moves, and tells the unwind table. At the end of a block it
//! takes the stack pointer to be back: no code comes after calls that do not return, an epilogue frees what is left,
//! and the normal successor of an invoke says how it is entered.
//!
//! An invoke is the last instruction of its block, and the stack pointer is moved back on the edge to its normal
//! successor, where selection has left a [`pseudo::RELEASE`]. Unwinders learn from the table how far they have to move
//! it back for the landing pad.
//!
//! After a call the stack pointer is not moved further up than the next call of the block has it anyway, and not at all
//! before an epilogue, which moves it.
//!
//! Not for functions that move the stack pointer anyway.
//!
//! [`RegSets::pushable_bytes`]: crate::mfunc::RegSets::pushable_bytes

use crate::desc::{OpDesc, Role};
use crate::isa::{Isa, Push};
use crate::mfunc::{MFunc, Term, for_each_register, op_desc, pseudo};
use crate::minst::MInst;
use crate::reg::{Reg, RegClass};
use std::ops::Range;

/// What moving the stack pointer takes; flags survive for another byte, and a single word is just pushed.
const MOVE_BYTES: i32 = 3;

/// A move of the stack pointer at an instruction of a call sequence.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct StackMove {
    /// The number of the instruction in the function.
    pub index: u32,
    pub motion: Motion,
}

/// How the stack pointer moves, in bytes, in the order in which that happens at one instruction.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Motion {
    /// The block begins with it so far down; negative if a callee has popped its arguments.
    Entered(i32),
    /// It is moved down before the instruction, so that it will be aligned at the call; flags may have to survive that.
    Reserved { bytes: i32, keeps_flags: bool },
    /// The instruction is an invoke, of which unwinders move it so far up for the landing pad.
    Arguments(i32),
    /// The instruction is that invoke; nothing is left for unwinders to move up.
    Called,
    /// The instruction itself moves it down; negative if a callee pops its arguments.
    Pushed(i32),
    /// It is moved up after the instruction.
    Released(i32),
}

impl Motion {
    /// Whether this happens before the instruction.
    pub(crate) fn is_before(self) -> bool {
        self < Self::Called
    }
}

/// What is kept from function to function.
#[derive(Debug, Default)]
pub(crate) struct PushState {
    /// The moves of the stack pointer in the function, ascending.
    pub moves: Vec<StackMove>,
    /// The stores for the next call so far.
    stores: Vec<(u32, Push)>,
    /// By block: from how many edges it is entered. Empty in functions without invokes.
    entries: Vec<u32>,
}

/// What comes after a call.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum After {
    Code,
    Nothing,
    /// Something that cannot move the stack pointer back.
    Unknown,
    /// The edge to the normal successor, on which this instruction moves the stack pointer back.
    Edge(Return),
}

/// Where a function goes on after an invoke.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Return {
    /// The first instruction of the block.
    start: u32,
    /// The one that moves the stack pointer back.
    adjusts: u32,
    popped: i32,
    /// Whether the block has no other predecessors.
    is_only: bool,
}

/// Replaces stores of arguments by pushes, in a function that keeps the stack pointer a multiple of `stack_align` at
/// calls. `shares_epilogue` says whether returns may share an epilogue, for which the stack pointer is in one place.
pub(crate) fn push_arguments<I: Isa>(
    isa: &I,
    func: &mut MFunc,
    stack_align: u32,
    shares_epilogue: bool,
    state: &mut PushState,
) {
    state.moves.clear();
    state.entries.clear();
    if !isa.desc().pushes_arguments || func.frame.outgoing_bytes == 0 || func.frame.has_dynamic_stack {
        return;
    }
    // What epilogues read from the frame, they read from where the stack pointer is elsewhere.
    let reads_frame = func.frame.areas.guard.is_some() || func.frame.callee_saved.bank(RegClass::Float.bank()) != 0;
    let mut finder = Finder {
        isa,
        func,
        state,
        stack_align: stack_align.cast_signed(),
        block: 0..0,
        pushed: None,
        leaves_down: !shares_epilogue && !reads_frame,
        needs_area: false,
    };
    for block in 0..finder.func.blocks.len() {
        finder.walk(block);
    }
    if !finder.needs_area {
        func.frame.outgoing_bytes = 0;
    }
    if !state.entries.is_empty() {
        state
            .moves
            .sort_unstable_by_key(|stack_move| (stack_move.index, stack_move.motion));
    }
}

struct Finder<'a, I: Isa> {
    isa: &'a I,
    func: &'a mut MFunc,
    state: &'a mut PushState,
    stack_align: i32,
    /// The instructions of the block that is walked through.
    block: Range<u32>,
    /// Of the last call of the block, by its number among the moves, what is released after it, if the stack pointer
    /// may stay down instead.
    pushed: Option<usize>,
    /// Whether the stack pointer may be down where an epilogue begins.
    leaves_down: bool,
    /// Whether anything is still stored to the area for outgoing arguments.
    needs_area: bool,
}

impl<I: Isa> Finder<'_, I> {
    /// Finds the calls of a block and the stores before them.
    fn walk(&mut self, block: usize) {
        let (start, end) = (self.func.blocks[block].start, self.func.blocks[block].end);
        self.state.stores.clear();
        self.block = start..end;
        self.pushed = None;
        for index in start..end {
            let inst = self.func.insts[index as usize];
            if inst.op >= pseudo::FIRST {
                if matches!(inst.op, pseudo::LABEL | pseudo::RELEASE) || pseudo::is_asm(inst.op) {
                    self.give_up();
                }
                if inst.op == pseudo::RETURN && inst.disp == 0 {
                    self.meet_return();
                } else if !matches!(inst.op, pseudo::NOP | pseudo::USE) {
                    self.pushed = None;
                }
                continue;
            }
            let desc = op_desc(self.isa.op_descs(), inst.op);
            if let Some(push) = self.isa.push(&inst) {
                self.state.stores.push((index, push));
            } else if desc.has_sets {
                let after = self.after(index, block);
                self.meet_call(index, &inst, after);
            } else if self.names_stack(&inst, desc) {
                self.needs_area |= self.adjustment(index).is_none();
                self.give_up();
                self.pushed = None;
            }
        }
        self.give_up();
    }

    /// Keeps the stores so far as they are.
    fn give_up(&mut self) {
        self.needs_area |= !self.state.stores.is_empty();
        self.state.stores.clear();
    }

    fn names_stack(&self, inst: &MInst, desc: &OpDesc) -> bool {
        let stack_pointer = self.isa.desc().stack_pointer;
        let mut found = desc.implicit_defs.contains(stack_pointer);
        for_each_register(inst, desc, |_, reg, _| found |= reg == stack_pointer);
        found
    }

    /// What comes after a call of a block.
    fn after(&mut self, call: u32, block: usize) -> After {
        if call + 1 != self.block.end {
            return After::Code;
        }
        match self.func.blocks[block].term {
            Term::Stop => After::Nothing,
            Term::Invoke => {
                let edges = self.func.edges_of(block as u32);
                self.find_return(self.func.edges[edges.start].to)
                    .map_or(After::Unknown, After::Edge)
            }
            _ => After::Code,
        }
    }

    /// What the normal successor of an invoke begins with.
    fn find_return(&mut self, block: u32) -> Option<Return> {
        if self.state.entries.is_empty() {
            self.state.entries.resize(self.func.blocks.len(), 0);
            for edge in &self.func.edges {
                self.state.entries[edge.to as usize] += 1;
            }
        }
        let Range { start, end } = {
            let block = &self.func.blocks[block as usize];
            block.start..block.end
        };
        let mut insts = start..end;
        let adjusts = insts.find(|&index| self.func.insts[index as usize].op == pseudo::RELEASE)?;
        Some(Return {
            start,
            adjusts,
            popped: self.func.insts[adjusts as usize].disp,
            is_only: self.state.entries[block as usize] == 1,
        })
    }

    /// By how much an instruction moves the stack pointer down, if it moves it and does nothing else.
    fn adjustment(&self, index: u32) -> Option<i32> {
        let inst = &self.func.insts[index as usize];
        let is_move = inst.op < pseudo::FIRST && inst.reg(0) == self.isa.desc().stack_pointer;
        (is_move && *inst == self.isa.adjust_stack(inst.disp)).then_some(-inst.disp)
    }

    /// Pushes the arguments of a call, if that is possible and pays.
    fn meet_call(&mut self, call: u32, inst: &MInst, after: After) {
        let bytes = self.func.sets[inst.imm as usize].pushable_bytes.cast_signed();
        let may_push = match after {
            After::Code | After::Nothing => true,
            After::Unknown => false,
            After::Edge(to) => to.is_only,
        };
        let reserved = (bytes + self.stack_align - 1) / self.stack_align * self.stack_align - bytes;
        let before = self.pushed.take();
        if !may_push || !self.are_complete(bytes) || !self.pays(call, reserved, after) {
            self.give_up();
            if let After::Edge(to) = after {
                self.take_edge(call, to, 0);
            }
            return;
        }
        let first = self.state.stores[0].0;
        let reserve = Motion::Reserved {
            bytes: reserved - before.map_or(0, |released| self.keep_down(released, reserved)),
            keeps_flags: self.reads_flags(first, call),
        };
        self.note(first, reserve);
        self.replace_stores(call);
        match after {
            After::Code => {
                let popped = self.take_adjustment(call);
                self.note(call, Motion::Pushed(-popped));
                self.note(call, Motion::Released(bytes + reserved - popped));
                self.pushed = Some(self.state.moves.len() - 1);
            }
            After::Edge(to) => self.take_edge(call, to, bytes + reserved),
            After::Nothing | After::Unknown => {}
        }
    }

    fn note(&mut self, index: u32, motion: Motion) {
        self.state.moves.push(StackMove { index, motion });
    }

    /// Leaves the stack pointer down after a call as far as the next one needs it, or an epilogue; returns how far.
    fn keep_down(&mut self, call: usize, needed: i32) -> i32 {
        let Motion::Released(released) = &mut self.state.moves[call].motion else {
            return 0;
        };
        let kept = needed.min(*released);
        *released -= kept;
        kept
    }

    /// Leaves the stack pointer down before an epilogue.
    fn meet_return(&mut self) {
        if let Some(call) = self.pushed.take().filter(|_| self.leaves_down) {
            self.keep_down(call, i32::MAX);
        }
    }

    /// Notes how the stack pointer moves at an invoke that finds it so many bytes down, and after it.
    fn take_edge(&mut self, invoke: u32, to: Return, arguments: i32) {
        if arguments > 0 {
            self.note(invoke, Motion::Arguments(arguments));
            self.note(invoke, Motion::Called);
        }
        if to.popped > 0 {
            self.note(invoke, Motion::Pushed(-to.popped));
        }
        let entered = arguments - to.popped;
        if arguments > 0 || to.popped == 0 {
            self.func.insts[to.adjusts as usize] = MInst::new(pseudo::NOP, 0);
        }
        if entered != 0 {
            self.note(to.start, Motion::Entered(entered));
            let back = match arguments {
                0 => Motion::Pushed(to.popped),
                _ => Motion::Released(entered),
            };
            self.note(to.adjusts, back);
        }
    }

    /// Whether the stores are those of all words of the arguments, from the last one to the first.
    fn are_complete(&self, bytes: i32) -> bool {
        let word = i32::from(self.isa.desc().pointer_bytes);
        let offsets = (self.state.stores.iter()).map(|&(index, _)| self.func.insts[index as usize].disp);
        bytes > 0 && offsets.eq((0..bytes / word).rev().map(|number| number * word))
    }

    /// Whether pushes make the code smaller.
    fn pays(&self, call: u32, reserved: i32, after: After) -> bool {
        let mut saved = 0;
        for &(index, push) in &self.state.stores {
            saved += i32::from(push.saved_bytes);
            saved += i32::from(self.loaded(index, &push, call).is_some());
        }
        let keeps_flags = self.reads_flags(self.state.stores[0].0, call);
        let before = match reserved {
            0 => 0,
            _ if reserved == i32::from(self.isa.desc().pointer_bytes) => 1,
            _ => MOVE_BYTES + i32::from(keeps_flags),
        };
        saved > before + if after == After::Nothing { 0 } else { MOVE_BYTES }
    }

    /// Whether an instruction of the sequence reads flags from before it.
    fn reads_flags(&self, first: u32, call: u32) -> bool {
        for inst in &self.func.insts[first as usize..call as usize] {
            let desc = op_desc(self.isa.op_descs(), inst.op);
            if desc.reads_flags {
                return true;
            }
            if desc.writes_flags {
                return false;
            }
        }
        false
    }

    /// Removes what moves the stack pointer down after a call; returns by how much.
    fn take_adjustment(&mut self, call: u32) -> i32 {
        // A mark for the callee to return to may come first.
        for index in call + 1..(call + 3).min(self.block.end) {
            if let Some(popped) = self.adjustment(index).filter(|&popped| popped > 0) {
                self.func.insts[index as usize] = MInst::new(pseudo::NOP, 0);
                return popped;
            }
        }
        0
    }

    /// The push of what the instruction before a store loads for it alone.
    fn loaded(&self, store: u32, push: &Push, call: u32) -> Option<MInst> {
        let reg = push.reg?;
        let before = store.checked_sub(1).filter(|before| self.block.contains(before))?;
        let load = &self.func.insts[before as usize];
        if load.op >= pseudo::FIRST || load.reg(0) != reg || !self.is_dead_after(reg, store, call) {
            return None;
        }
        self.isa.push_loaded(load)
    }

    /// Whether a register is not read any more after the store, as far as the call shows it.
    fn is_dead_after(&self, reg: Reg, store: u32, call: u32) -> bool {
        for inst in &self.func.insts[store as usize + 1..=call as usize] {
            let desc = op_desc(self.isa.op_descs(), inst.op);
            let sets = self.func.implicit(inst, desc);
            let (mut is_read, mut is_written) = (sets.uses.contains(reg), sets.defs.contains(reg));
            for_each_register(inst, desc, |_, named, role| {
                if named == reg {
                    is_read |= role != Role::Def;
                    is_written |= matches!(role, Role::Def | Role::UseDef);
                }
            });
            if is_read || is_written {
                return !is_read;
            }
        }
        false
    }

    /// Makes pushes of the stores.
    fn replace_stores(&mut self, call: u32) {
        let stores = std::mem::take(&mut self.state.stores);
        for &(index, push) in &stores {
            let inst = match self.loaded(index, &push, call) {
                Some(inst) => {
                    self.func.insts[index as usize - 1] = MInst::new(pseudo::NOP, 0);
                    inst
                }
                None => push.inst,
            };
            self.func.insts[index as usize] = inst;
            self.note(index, Motion::Pushed(i32::from(self.isa.desc().pointer_bytes)));
        }
        self.state.stores = stores;
        self.state.stores.clear();
    }
}
