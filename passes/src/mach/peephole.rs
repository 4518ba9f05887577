//! Removes machine instructions whose results are not used, and replaces single instructions and pairs of neighbors by
//! cheaper ones.
//!
//! ```text
//! mov   rax, rdi                       lea  rax, [rdi + 8]
//! add   rax, 8
//! mov   ecx, 0                  ->     xor  ecx, ecx
//! and   edx, 3                         and  edx, 3
//! test  edx, edx
//! je    b2                             je   b2
//! ```
//!
//! Method: one backward walk over each block, which keeps the live registers and the conditions of the flags that are
//! read later. The rules are the target's ([`frazil_codegen::pass::MachRules`]). A comparison with zero is removed if
//! an instruction shortly before it leaves the same flags; so is one whose difference is computed shortly before or
//! after it, if that leaves flags. Groups are not changed.
//!
//! Costs: two walks over the instructions, and one over the blocks for each level of loops. Gains: copies and
//! comparisons, and shorter constants.

use super::live::{Live, compact};
use frazil_codegen::desc::{OpDesc, Role};
use frazil_codegen::mfunc::{MFunc, RegSets, op_desc, pseudo};
use frazil_codegen::minst::MInst;
use frazil_codegen::pass::{MachHooks, MachPass, MachPassCx};
use frazil_codegen::reg::PRegSet;
use frazil_ir::pass::{Level, Order, PassInfo};

pub const INFO: PassInfo = PassInfo {
    name: "peephole",
    summary: "removes machine instructions without users and replaces others by cheaper ones",
    level: Level::Mach,
    required: false,
    after: &[Order {
        pass: "mach-local-cse",
        reason: "it leaves copies without users",
    }],
    before: &[Order {
        pass: "branch-opt",
        reason: "it empties blocks",
    }],
};

/// How many instructions before a comparison with zero are searched for one that leaves the same flags.
const MOST_STEPS_BACK: u32 = 6;
/// The most instructions reading the flags of a comparison that can be adapted when it is removed.
const MOST_READERS: usize = 4;

/// Removes unused results, and rewrites instructions by the target's rules.
#[derive(Debug)]
pub struct Peephole;

impl MachPass for Peephole {
    fn run(&self, func: &mut MFunc, cx: &mut MachPassCx<'_>) -> u64 {
        // The rules expect physical registers.
        if !cx.is_allocated {
            return 0;
        }
        let mut live: Box<Live> = cx.scratch.take();
        live.compute(func, cx.hooks.ops());
        let mut walk = Walk {
            hooks: cx.hooks,
            live: &mut live,
            registers: PRegSet::EMPTY,
            conditions: 0,
            end: 0,
            readers: [0; MOST_READERS],
            reader_count: 0,
            changes: 0,
        };
        for block in (0..func.blocks.len() as u32).rev() {
            walk.block(func, block);
        }
        let changes = walk.changes;
        if changes > 0 {
            compact(func);
        }
        cx.scratch.give_back(live);
        changes
    }
}

struct Walk<'a> {
    hooks: &'a dyn MachHooks,
    live: &'a mut Live,
    /// The registers, and the conditions of the flags, that are read later.
    registers: PRegSet,
    conditions: u16,
    /// Where the block ends.
    end: u32,
    /// The instructions that read the current flags, as far as they fit.
    readers: [u32; MOST_READERS],
    reader_count: usize,
    changes: u64,
}

impl Walk<'_> {
    fn desc(&self, inst: &MInst) -> &'static OpDesc {
        op_desc(self.hooks.ops(), inst.op)
    }

    /// Puts another instruction in the place of one.
    fn put(&mut self, func: &mut MFunc, index: u32, inst: MInst) {
        self.live.replace(func, self.hooks.ops(), index, inst);
    }

    fn block(&mut self, func: &mut MFunc, number: u32) {
        self.registers = self.live.live_out(func, number);
        self.conditions = 0;
        self.reader_count = 0;
        let (start, end) = (func.blocks[number as usize].start, func.blocks[number as usize].end);
        self.end = end;
        let mut index = end;
        while index > start {
            index -= 1;
            let inst = func.insts[index as usize];
            if inst.op == pseudo::NOP {
                continue;
            }
            let desc = self.desc(&inst);
            let sets = self.live.effects(index);
            if self.live.is_in_group(index) {
                self.pass_group_member(index, &inst, desc, sets);
            } else if self.change(func, (start, index), desc, sets) {
                self.changes += 1;
                // The instruction that is at this position now is examined, too.
                index += 1;
            } else {
                self.pass(index, &inst, desc, sets);
            }
        }
    }

    /// Improves the instruction at `index` if possible; `start` is the start of its block. Returns whether it did.
    fn change(&mut self, func: &mut MFunc, (start, index): (u32, u32), desc: &OpDesc, sets: RegSets) -> bool {
        let inst = func.insts[index as usize];
        if inst.op >= pseudo::FIRST {
            return false;
        }
        if self.is_useless(func, &inst, desc, sets.defs) && !self.lets_next_begin(func, index) {
            self.live.remove(func, index);
            return true;
        }
        let flags_are_free = self.conditions == 0;
        if let Some(simpler) = self.hooks.rules().simplify(&inst, flags_are_free) {
            self.put(func, index, simpler);
            return true;
        }
        if desc.writes_flags && !flags_are_free {
            let only_compares = sets.defs.is_empty() && !desc.has_sets && !desc.reads_flags && !desc.reads_memory;
            let can_join = only_compares && self.hooks.rules().joins_results();
            if self.is_test_without_need(func, start, index)
                || only_compares && self.is_done_before(func, (start, index), sets)
            {
                self.live.remove(func, index);
                return true;
            }
            if can_join && self.take_result(func, index, sets) {
                return true;
            }
        }
        self.combine(func, (start, index), sets)
    }

    /// Whether no result of an instruction is used, and it has no other effect.
    fn is_useless(&self, func: &MFunc, inst: &MInst, desc: &OpDesc, defs: PRegSet) -> bool {
        if desc.is_move && inst.reg(0) == inst.reg(1) {
            return true;
        }
        // A load could be volatile, except for a reload from a spill slot.
        let loads = desc.reads_memory && !func.is_spill_slot(inst);
        if !func.is_pure(desc) || desc.has_sets || loads || (desc.writes_flags && self.conditions != 0) {
            return false;
        }
        defs.intersection(self.registers).is_empty() && !defs.contains(self.hooks.desc().stack_pointer)
    }

    /// Whether an instruction breaks a dependency of the next one on an old register value, so that it must stay.
    fn lets_next_begin(&self, func: &MFunc, index: u32) -> bool {
        let (inst, later) = (&func.insts[index as usize], &func.insts[index as usize + 1..]);
        let next = later.iter().find(|inst| inst.op != pseudo::NOP);
        next.is_some_and(|next| self.hooks.rules().lets_begin(inst, next))
    }

    /// Whether a comparison with zero can be removed because the flags are the same without it. Replaces the
    /// conditions of its readers by simpler ones that mean the same after a comparison with zero.
    fn is_test_without_need(&mut self, func: &mut MFunc, start: u32, index: u32) -> bool {
        let (rules, test) = (self.hooks.rules(), func.insts[index as usize]);
        let Some(tested) = rules.tested(&test) else {
            return false;
        };
        if self.conditions == 0 || self.reader_count > MOST_READERS {
            return false;
        }
        let mut conditions = 0;
        let readers = self.readers;
        for &reader in &readers[..self.reader_count] {
            let simpler = rules.after_test(&func.insts[reader as usize]);
            self.put(func, reader, simpler);
            conditions |= rules.conditions(&simpler);
        }
        self.conditions = conditions;
        let mut are_flags_read = false;
        for place in (start..index).rev().take(MOST_STEPS_BACK as usize) {
            let inst = func.insts[place as usize];
            let desc = self.desc(&inst);
            if self.live.is_in_group(place) {
                return false;
            }
            if desc.has_sets {
                // A call leaves unknown flags.
                return false;
            }
            let writes_tested = self.live.effects(place).defs.contains(tested);
            let is_result = matches!(desc.roles[0], Role::Def | Role::UseDef) && inst.reg(0) == tested;
            if desc.writes_flags {
                return is_result && rules.sets_flags_like(&inst, &test, conditions);
            }
            if writes_tested {
                // What reads flags in between wants those from before.
                let can_write = is_result && !are_flags_read && !desc.reads_flags;
                let with_flags = rules.with_flags(&inst, &test, conditions).filter(|_| can_write);
                if let Some(with_flags) = with_flags {
                    self.put(func, place, with_flags);
                }
                return with_flags.is_some();
            }
            are_flags_read |= desc.reads_flags;
        }
        false
    }

    /// Whether a comparison can be removed because one of the instructions before it leaves the same flags: the same
    /// comparison, or an instruction over the same operands, which is made to leave flags as well as its result; or
    /// what it tests is a copy of the flags that are still there.
    fn is_done_before(&mut self, func: &mut MFunc, (start, index): (u32, u32), sets: RegSets) -> bool {
        let compare = func.insts[index as usize];
        let mut are_flags_read = false;
        for place in (start..index).rev().take(MOST_STEPS_BACK as usize) {
            let inst = func.insts[place as usize];
            let desc = self.desc(&inst);
            if self.live.is_in_group(place) || desc.has_sets {
                return false;
            }
            let rules = self.hooks.rules();
            if inst == compare || rules.keeps_flags(&inst, &compare, self.conditions) {
                return true;
            }
            if !self.live.effects(place).defs.intersection(sets.uses).is_empty() {
                return false;
            }
            if desc.writes_flags {
                return self.compares_copy(func, (start, place), &compare);
            }
            if !are_flags_read && let Some(joined) = rules.with_result(&compare, &inst) {
                self.put(func, place, joined);
                return true;
            }
            are_flags_read |= desc.reads_flags;
        }
        false
    }

    /// Whether the instruction at `place` leaves the flags of a comparison, whose first operand it works on a copy of.
    ///
    /// ```text
    /// mov r8, rdx; sub r8, rsi; cmp rdx, rsi
    /// ```
    fn compares_copy(&self, func: &MFunc, (start, place): (u32, u32), compare: &MInst) -> bool {
        let Some(mut same) = self.hooks.rules().same_flags(&func.insts[place as usize]) else {
            return false;
        };
        let before = (start..place).rev().map(|before| &func.insts[before as usize]);
        let Some(copy) = before.into_iter().find(|inst| inst.op != pseudo::NOP) else {
            return false;
        };
        let is_copy = self.desc(copy).is_move && copy.reg(0) == same.reg(0) && copy.size >= same.size;
        same.set_reg(0, copy.reg(1));
        is_copy && same == *compare
    }

    /// Whether the flags are written or of no use after an instruction.
    fn flags_end_at(&self, func: &MFunc, place: u32) -> bool {
        let mut later = func.insts[place as usize + 1..self.end as usize].iter();
        let next = later.find_map(|inst| {
            let desc = self.desc(inst);
            (desc.reads_flags || desc.writes_flags || desc.has_sets).then_some(!desc.reads_flags)
        });
        next.unwrap_or(true)
    }

    /// Has a comparison do what an instruction shortly after it does, if one instruction does both.
    fn take_result(&mut self, func: &mut MFunc, index: u32, sets: RegSets) -> bool {
        let compare = func.insts[index as usize];
        let mut between = RegSets::default();
        for place in (index + 1..self.end).take(MOST_STEPS_BACK as usize) {
            let inst = func.insts[place as usize];
            let desc = self.desc(&inst);
            if self.live.is_in_group(place) || desc.has_sets {
                return false;
            }
            let result = inst.reg(0);
            if let Some(joined) = self.hooks.rules().with_result(&compare, &inst)
                && !between.uses.union(between.defs).contains(result)
                && (!desc.writes_flags || self.flags_end_at(func, place))
            {
                self.put(func, index, joined);
                self.live.remove(func, place);
                self.registers.insert(result);
                return true;
            }
            let here = self.live.effects(place);
            between.uses = between.uses.union(here.uses);
            between.defs = between.defs.union(here.defs);
            if !here.defs.intersection(sets.uses).is_empty() {
                return false;
            }
        }
        false
    }

    /// Combines this instruction with the previous one, if the target has a rule for that.
    fn combine(&mut self, func: &mut MFunc, (start, index): (u32, u32), sets: RegSets) -> bool {
        let earlier = |place: &u32| func.insts[*place as usize].op != pseudo::NOP;
        let mut near = (start..index).rev().take(MOST_STEPS_BACK as usize);
        let Some(before) = near.find(earlier) else {
            return false;
        };
        let (first, second) = (func.insts[before as usize], func.insts[index as usize]);
        if first.op >= pseudo::FIRST || self.live.is_in_group(before) {
            return false;
        }
        let first_desc = self.desc(&first);
        let link = first.reg(0);
        if first_desc.roles[0] != Role::Def || !link.is_physical() || first_desc.writes_flags {
            return false;
        }
        let is_over = sets.defs.contains(link) || !self.registers.contains(link);
        if !sets.uses.contains(link) || !is_over {
            return false;
        }
        let flags_are_free = self.conditions == 0;
        let Some(combined) = self.hooks.rules().combine(&first, &second, flags_are_free) else {
            return false;
        };
        self.live.remove(func, before);
        self.put(func, index, combined);
        true
    }

    /// Updates what is live when the walk passes an instruction.
    fn pass(&mut self, index: u32, inst: &MInst, desc: &OpDesc, RegSets { uses, defs, .. }: RegSets) {
        self.registers = self.registers.minus(defs).union(uses);
        if desc.writes_flags {
            self.conditions = 0;
            self.reader_count = 0;
        }
        self.read_flags(index, inst, desc);
    }

    /// The same for an instruction in a group, which may be skipped or repeated, so its writes end no live range.
    fn pass_group_member(&mut self, index: u32, inst: &MInst, desc: &OpDesc, sets: RegSets) {
        self.registers = self.registers.union(sets.uses);
        if desc.writes_flags {
            // The readers of the flags are not known any more.
            self.reader_count = MOST_READERS + 1;
        }
        self.read_flags(index, inst, desc);
    }

    fn read_flags(&mut self, index: u32, inst: &MInst, desc: &OpDesc) {
        if !desc.reads_flags {
            return;
        }
        self.conditions |= self.hooks.rules().conditions(inst);
        if let Some(place) = self.readers.get_mut(self.reader_count) {
            *place = index;
        }
        self.reader_count += 1;
    }
}
