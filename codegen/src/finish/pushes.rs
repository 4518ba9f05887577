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
//! the [`StackMove`]s, which say at which instructions it moves, and tells the unwind table.
//!
//! Not for functions that move the stack pointer anyway, and not for calls with a landing pad, where the arguments
//! would still be on the stack.
//!
//! [`RegSets::pushable_bytes`]: crate::mfunc::RegSets::pushable_bytes

use crate::desc::{OpDesc, Role};
use crate::isa::Isa;
use crate::mfunc::{MFunc, Term, for_each_register, op_desc, pseudo};
use crate::minst::MInst;
use crate::reg::Reg;
use std::ops::Range;

/// The push that an instruction has been replaced by.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Push {
    pub inst: MInst,
    /// The register that is pushed, if it is one.
    pub reg: Option<Reg>,
    /// By how much it is shorter than the store.
    pub saved_bytes: u8,
}

/// What an instruction that moves the stack pointer saves if it reads from memory itself.
const SAVED_BY_LOADING: i32 = 1;
/// What moving the stack pointer takes; flags survive for another byte, and a single word is just pushed.
const MOVE_BYTES: i32 = 3;
/// The largest distance for which that is so.
const SHORT_MOVE: i32 = 127;

/// How the stack pointer moves at an instruction of a call sequence.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct StackMove {
    /// The instruction.
    pub index: u32,
    /// Bytes by which it is moved down before the instruction, so that it will be aligned at the call.
    pub reserved: i32,
    /// Whether flags must survive that.
    pub keeps_flags: bool,
    /// Bytes by which the instruction itself moves it down; negative if a callee pops its arguments.
    pub pushed: i32,
    /// Bytes by which it is moved up after the instruction.
    pub released: i32,
    /// Whether nothing comes after the instruction, so that it need not be.
    pub is_last: bool,
}

/// What is kept from function to function.
#[derive(Debug, Default)]
pub(crate) struct PushState {
    /// The moves of the stack pointer in the function, ascending.
    pub moves: Vec<StackMove>,
    /// The stores for the next call so far.
    stores: Vec<(u32, Push)>,
}

/// Replaces stores of arguments by pushes, in a function that keeps the stack pointer a multiple of `stack_align` at
/// calls.
pub(crate) fn push_arguments<I: Isa>(isa: &I, func: &mut MFunc, stack_align: u32, state: &mut PushState) {
    state.moves.clear();
    if !isa.desc().pushes_arguments || func.frame.outgoing_bytes == 0 || func.frame.has_dynamic_stack {
        return;
    }
    let mut finder = Finder {
        isa,
        func,
        state,
        stack_align: stack_align.cast_signed(),
        block: 0..0,
        needs_area: false,
    };
    for block in 0..finder.func.blocks.len() {
        finder.walk(block);
    }
    if !finder.needs_area {
        func.frame.outgoing_bytes = 0;
    }
}

struct Finder<'a, I: Isa> {
    isa: &'a I,
    func: &'a mut MFunc,
    state: &'a mut PushState,
    stack_align: i32,
    /// The instructions of the block that is walked through.
    block: Range<u32>,
    /// Whether anything is still stored to the area for outgoing arguments.
    needs_area: bool,
}

impl<I: Isa> Finder<'_, I> {
    /// Finds the calls of a block and the stores before them.
    fn walk(&mut self, block: usize) {
        let (start, end) = (self.func.blocks[block].start, self.func.blocks[block].end);
        self.state.stores.clear();
        self.block = start..end;
        for index in start..end {
            let inst = self.func.insts[index as usize];
            if inst.op >= pseudo::FIRST {
                if inst.op == pseudo::LABEL || pseudo::is_asm(inst.op) {
                    self.give_up();
                }
                continue;
            }
            let desc = op_desc(self.isa.op_descs(), inst.op);
            if let Some(push) = self.isa.push(&inst) {
                self.state.stores.push((index, push));
            } else if desc.has_sets {
                let is_last = index + 1 == end && self.func.blocks[block].term == Term::Stop;
                self.meet_call(index, &inst, is_last);
            } else if self.names_stack(&inst, desc) {
                self.needs_area = true;
                self.give_up();
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

    /// Pushes the arguments of a call, if that is possible and pays.
    fn meet_call(&mut self, call: u32, inst: &MInst, is_last: bool) {
        let bytes = self.func.sets[inst.imm as usize].pushable_bytes.cast_signed();
        if bytes == 0 || !self.are_complete(bytes) {
            return self.give_up();
        }
        let stores = std::mem::take(&mut self.state.stores);
        let first = stores[0].0;
        let keeps_flags = self.reads_flags(first, call);
        let reserved = (bytes + self.stack_align - 1) / self.stack_align * self.stack_align - bytes;
        let (popped, adjusts) = self.popped(call);
        let released = bytes + reserved - popped;
        let mut saved = 0;
        for &(index, push) in &stores {
            saved += i32::from(push.saved_bytes);
            if self.loaded(index, &push, call).is_some() {
                saved += SAVED_BY_LOADING;
            }
        }
        if saved <= self.cost(reserved, if is_last { 0 } else { released }, keeps_flags) {
            self.needs_area = true;
        } else {
            self.replace(&stores, call, popped, adjusts);
            let moves = &mut self.state.moves;
            let begin = moves.len() - stores.len() - 1;
            (moves[begin].reserved, moves[begin].keeps_flags) = (reserved, keeps_flags);
            moves[begin + stores.len()].released = released;
            moves[begin + stores.len()].is_last = is_last;
        }
        self.state.stores = stores;
        self.state.stores.clear();
    }

    /// Bytes of code that move the stack pointer.
    fn cost(&self, reserved: i32, released: i32, keeps_flags: bool) -> i32 {
        let before = match reserved {
            0 => 0,
            _ if reserved == i32::from(self.isa.desc().pointer_bytes) => 1,
            _ => MOVE_BYTES + i32::from(keeps_flags),
        };
        let after = match released {
            0 => 0,
            1..=SHORT_MOVE => MOVE_BYTES,
            _ => 2 * MOVE_BYTES,
        };
        before + after
    }

    /// Whether the stores are those of all words of the arguments, from the last one to the first.
    fn are_complete(&self, bytes: i32) -> bool {
        let word = i32::from(self.isa.desc().pointer_bytes);
        let offsets = (self.state.stores.iter()).map(|&(index, _)| self.func.insts[index as usize].disp);
        offsets.eq((0..bytes / word).rev().map(|number| number * word))
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

    /// The bytes that the callee takes off the stack, and the instruction that would move the stack pointer back.
    fn popped(&self, call: u32) -> (i32, Option<u32>) {
        let stack_pointer = self.isa.desc().stack_pointer;
        for index in call + 1..(call + 3).min(self.block.end) {
            let inst = &self.func.insts[index as usize];
            let is_move = inst.op < pseudo::FIRST && inst.reg(0) == stack_pointer && inst.disp < 0;
            if is_move && *inst == self.isa.adjust_stack(inst.disp) {
                return (-inst.disp, Some(index));
            }
        }
        (0, None)
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

    fn replace(&mut self, stores: &[(u32, Push)], call: u32, popped: i32, adjusts: Option<u32>) {
        let word = i32::from(self.isa.desc().pointer_bytes);
        let at = |index, pushed| StackMove {
            index,
            reserved: 0,
            keeps_flags: false,
            pushed,
            released: 0,
            is_last: false,
        };
        // From the last one on, since a load that is gone has been read before by nothing.
        for &(index, push) in stores {
            let inst = match self.loaded(index, &push, call) {
                Some(inst) => {
                    self.func.insts[index as usize - 1] = MInst::new(pseudo::NOP, 0);
                    inst
                }
                None => push.inst,
            };
            self.func.insts[index as usize] = inst;
            self.state.moves.push(at(index, word));
        }
        if let Some(index) = adjusts {
            self.func.insts[index as usize] = MInst::new(pseudo::NOP, 0);
        }
        self.state.moves.push(at(call, -popped));
    }
}
