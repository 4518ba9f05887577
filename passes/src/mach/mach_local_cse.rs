//! Reuses what a register or a spill slot already holds: local common subexpression elimination on machine code.
//!
//! ```text
//! mov   [frame - 24], rbx              mov   [frame - 24], rbx
//! lea   rcx, [rdi + 12]                lea   rcx, [rdi + 12]
//! mov   eax, [rcx]              ->     mov   eax, [rcx]
//! mov   rdx, [frame - 24]              mov   rdx, rbx
//! lea   rsi, [rdi + 12]                mov   rsi, rcx
//! ```
//!
//! Method: value numbering in one forward walk. Every register holds a numbered value, and copies have the number of
//! their source. An instruction that computes only from registers and constants gets the number of an equal earlier
//! one. If the destination already holds the result, the instruction is removed; if another register does, it becomes a
//! copy. Operands that are copies are replaced by their originals, so that the copies may become unused. The same is
//! done for spill slots, and for extensions of values that are known to be narrow enough. What is known at the end of a
//! block still holds in the next block if that has no other predecessor. At the start of other blocks, it is known
//! which registers hold the contents of which spill slots ([`super::slots`]). Registers are physical, so there are no
//! phis.
//!
//! Costs: one walk, with a table lookup for each instruction that only computes. Gains: reloads, extensions, and
//! constants and addresses that the allocator has rematerialized.

use super::live::effects;
use super::slots::SlotFacts;
use frazil_codegen::desc::{OpDesc, Role, TargetDesc};
use frazil_codegen::mfunc::{MFunc, RegSets, can_rematerialize, for_each_register, op_desc, pseudo};
use frazil_codegen::minst::{MInst, RegisterOperand, rewrite_registers};
use frazil_codegen::pass::{MachHooks, MachPass, MachPassCx};
use frazil_codegen::reg::PRegSet;
use frazil_codegen::slot_access::{SlotAccess, SlotForms, WIDEST_BYTES};
use frazil_codegen::{Reg, RegClass};
use frazil_ir::pass::{Level, PassInfo};

pub const INFO: PassInfo = PassInfo {
    name: "mach-local-cse",
    summary: "uses again what registers and spill slots hold already",
    level: Level::Mach,
    required: false,
    after: &[],
    before: &[],
};

/// The number of computations that the table can hold.
const TABLE_PLACES: usize = 128;
/// The most spill slots whose contents are known at a time.
const MOST_SLOTS: usize = 48;
/// The number of physical registers.
const REGISTERS: usize = Reg::FIRST_VIRTUAL as usize;
/// The width of a value of which nothing is known.
const ALL_BITS: u8 = 64;

/// The pass. It relies on contract 1 (the upper bits of narrow values are undefined) only until it removes an
/// extension: from then on, code may rely on these bits, so it does not run on the function again.
#[derive(Debug)]
pub struct MachLocalCse;

impl MachPass for MachLocalCse {
    fn run(&self, func: &mut MFunc, cx: &mut MachPassCx<'_>) -> u64 {
        if func.relies_on_upper_bits {
            return 0;
        }
        // When a function is returned to a second time, its registers are as before, but its slots may not be.
        let numbers_needed = (func.insts.len() + func.blocks.len() + 1) as u64 * REGISTERS as u64;
        if !cx.is_allocated || func.frame.calls_returning_twice || numbers_needed > u64::from(u32::MAX) {
            return 0;
        }
        func.groups.retain(|group| !group.is_empty());
        let mut memory: Box<Scratch> = cx.scratch.take();
        memory.reserve(numbers_needed);
        let mut facts: Box<SlotFacts> = cx.scratch.take();
        let tracked = tracked_registers(cx.hooks.desc());
        facts.compute(func, cx.hooks, tracked);
        let mut walk = Walk {
            hooks: cx.hooks,
            forms: &facts.forms,
            memory: &mut memory,
            tracked,
            changes: 0,
        };
        let mut next_group = 0;
        for block in 0..func.blocks.len() as u32 {
            let follows = matches!(*func.pred_edges(block), [edge] if func.edges[edge as usize].from + 1 == block);
            if !follows {
                walk.memory.forget_everything();
                facts.for_each(func, block, |reg, access| {
                    let value = walk.memory.value(reg);
                    walk.memory.remember_slot(Slot { access, value });
                });
            }
            walk.block(func, block, &mut next_group);
        }
        let changes = walk.changes + memory.drop_unread_stores(func, &facts.forms);
        if changes > 0 {
            super::live::compact(func);
        }
        cx.scratch.give_back(memory);
        cx.scratch.give_back(facts);
        changes
    }
}

/// The contents of a register.
#[derive(Clone, Copy, Debug, Default)]
struct Contents {
    /// The number of the value.
    value: u32,
    /// The register that it is a copy of, and the value that this one held then. Users of either register see the same
    /// bits, as far as they look.
    origin: Option<(Reg, u32)>,
    /// The number of low bits that may be nonzero.
    bits: u8,
}

/// A computation: an instruction with the numbers of the values that it reads.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
struct Key {
    op: u16,
    size: u8,
    aux: u8,
    /// The number of a value; or, for an operand that is no register, its mark or reference.
    operands: [u32; 2],
    is_value: [bool; 2],
    disp: i32,
    imm: i32,
}

/// The contents of a spill slot.
#[derive(Clone, Copy, Debug)]
struct Slot {
    access: SlotAccess,
    value: u32,
}

#[derive(Debug)]
struct Scratch {
    /// The contents of the registers in `known`.
    registers: [Contents; REGISTERS],
    /// Of other registers nothing is known: they hold value `first_value` plus the register's number.
    known: PRegSet,
    first_value: u32,
    /// The registers with an origin.
    copies: PRegSet,
    slots: Vec<Slot>,
    /// Computations with the numbers of their results: a direct-mapped table. Since numbers are not used again, old
    /// entries need not be removed.
    table: Vec<(Key, u32)>,
    next_value: u32,
    /// The displacements of all reads of spill slots, for [`Scratch::drop_unread_stores`].
    reads: Vec<i32>,
}

impl Default for Scratch {
    fn default() -> Self {
        Scratch {
            registers: [Contents::default(); REGISTERS],
            known: PRegSet::EMPTY,
            first_value: 0,
            copies: PRegSet::EMPTY,
            slots: Vec::new(),
            table: Vec::new(),
            next_value: u32::MAX,
            reads: Vec::new(),
        }
    }
}

impl Scratch {
    /// Starts again with number 0 if numbers would run out in this function.
    fn reserve(&mut self, numbers: u64) {
        if u64::from(self.next_value) + numbers > u64::from(u32::MAX) {
            self.next_value = 0;
            self.table.clear();
            self.table.resize(TABLE_PLACES, (Key::default(), u32::MAX));
        }
    }

    fn fresh(&mut self) -> u32 {
        self.next_value += 1;
        self.next_value
    }

    fn forget_everything(&mut self) {
        self.slots.clear();
        (self.known, self.copies) = (PRegSet::EMPTY, PRegSet::EMPTY);
        self.first_value = self.next_value + 1;
        self.next_value += REGISTERS as u32;
    }

    fn set(&mut self, reg: Reg, contents: Contents) {
        self.registers[reg.index()] = contents;
        self.known.insert(reg);
        if contents.origin.is_some() {
            self.copies.insert(reg);
        } else {
            self.copies.remove(reg);
        }
    }

    fn forget(&mut self, reg: Reg) {
        let value = self.fresh();
        self.set(
            reg,
            Contents {
                value,
                origin: None,
                bits: ALL_BITS,
            },
        );
    }

    #[inline]
    fn value(&self, reg: Reg) -> u32 {
        if self.known.contains(reg) {
            self.registers[reg.index()].value
        } else {
            self.first_value + reg.0
        }
    }

    #[inline]
    fn bits(&self, reg: Reg) -> u8 {
        if self.known.contains(reg) {
            self.registers[reg.index()].bits
        } else {
            ALL_BITS
        }
    }

    /// Some register of a class that holds a value.
    fn holder(&self, class: RegClass, value: u32) -> Option<Reg> {
        let own = value.wrapping_sub(self.first_value);
        if own < REGISTERS as u32 && RegClass::of(Reg(own)) == class && !self.known.contains(Reg(own)) {
            return Some(Reg(own));
        }
        let mut known = self.known.bank(class.bank()) & class.numbers();
        while known != 0 {
            let reg = Reg::physical(class.bank() as u8, known.trailing_zeros() as u8);
            if self.registers[reg.index()].value == value {
                return Some(reg);
            }
            known &= known - 1;
        }
        None
    }

    /// The register that this one is a copy of, if that one still holds the same value.
    #[inline]
    fn original(&self, reg: Reg) -> Option<Reg> {
        if !self.copies.contains(reg) {
            return None;
        }
        let (origin, value) = self.registers[reg.index()].origin?;
        (self.value(origin) == value).then_some(origin)
    }

    /// Forgets the slots that a write of `bytes` bytes at `disp` overlaps.
    fn write_slot(&mut self, disp: i32, bytes: i32) {
        self.slots.retain(|slot| !slot.access.overlaps(disp, bytes));
    }

    /// Removes stores to spill slots that are never read; returns how many.
    fn drop_unread_stores(&mut self, func: &mut MFunc, forms: &SlotForms) -> u64 {
        self.reads.clear();
        let is_store = |inst: &MInst| forms.spilled(inst).is_some();
        let accesses = func.insts.iter().filter(|inst| func.is_spill_slot(inst));
        self.reads
            .extend(accesses.filter(|inst| !is_store(inst)).map(|inst| inst.disp));
        self.reads.sort_unstable();
        let mut changes = 0;
        for index in 0..func.insts.len() {
            let inst = func.insts[index];
            if !func.is_spill_slot(&inst) || !is_store(&inst) {
                continue;
            }
            let first = self.reads.partition_point(|&disp| disp <= inst.disp - WIDEST_BYTES);
            if self
                .reads
                .get(first)
                .is_none_or(|&disp| disp >= inst.disp + WIDEST_BYTES)
            {
                func.insts[index] = NOP;
                changes += 1;
            }
        }
        changes
    }

    fn remember_slot(&mut self, slot: Slot) {
        if self.slots.len() == MOST_SLOTS {
            self.slots.remove(0);
        }
        self.slots.push(slot);
    }
}

const NOP: MInst = MInst::new(pseudo::NOP, 0);

struct Walk<'a> {
    hooks: &'a dyn MachHooks,
    forms: &'a SlotForms,
    memory: &'a mut Scratch,
    tracked: PRegSet,
    changes: u64,
}

impl Walk<'_> {
    fn target(&self) -> &'static TargetDesc {
        self.hooks.desc()
    }

    fn block(&mut self, func: &mut MFunc, number: u32, next_group: &mut usize) {
        let (mut index, end) = (func.blocks[number as usize].start, func.blocks[number as usize].end);
        while index < end {
            if let Some(group) = func.groups.get(*next_group)
                && group.start == index
            {
                let group_end = group.end;
                *next_group += 1;
                self.group(func, index..group_end);
                index = group_end;
                continue;
            }
            let inst = func.insts[index as usize];
            if inst.op < pseudo::FIRST {
                self.inst(func, index);
            } else {
                self.forget_written(func, &inst);
            }
            index += 1;
        }
    }

    /// Instructions in a group may be skipped or repeated, so the contents of everything that they write are unknown
    /// afterwards.
    fn group(&mut self, func: &MFunc, range: std::ops::Range<u32>) {
        for index in range {
            let inst = func.insts[index as usize];
            self.forget_written(func, &inst);
            self.forget_stored(func, &inst);
        }
    }

    fn forget_written(&mut self, func: &MFunc, inst: &MInst) {
        let RegSets { defs, .. } = effects(func, inst, op_desc(self.hooks.ops(), inst.op));
        defs.iter().for_each(|reg| self.memory.forget(reg));
    }

    fn forget_stored(&mut self, func: &MFunc, inst: &MInst) {
        if func.is_spill_slot(inst) && op_desc(self.hooks.ops(), inst.op).writes_memory {
            self.memory.write_slot(inst.disp, WIDEST_BYTES);
        }
    }

    fn inst(&mut self, func: &mut MFunc, index: u32) {
        let first = func.insts[index as usize].reg(0);
        self.visit(func, index);
        // The contents of an untracked register may change unseen.
        if first.is_physical() && !self.tracked.contains(first) {
            self.memory.forget(first);
        }
    }

    /// The number of the value that a read of a register gives: a new one if the register is not tracked.
    fn value_read(&mut self, reg: Reg) -> u32 {
        if self.tracked.contains(reg) {
            self.memory.value(reg)
        } else {
            self.memory.fresh()
        }
    }

    fn visit(&mut self, func: &mut MFunc, index: u32) {
        let mut inst = func.insts[index as usize];
        let desc = op_desc(self.hooks.ops(), inst.op);
        if !self.memory.copies.is_empty() && self.use_originals(&mut inst, desc) {
            func.insts[index as usize] = inst;
            self.changes += 1;
        }
        if func.is_spill_slot(&inst) {
            if let Some(access) = self.forms.spilled(&inst) {
                if self.holds(&inst, access) {
                    func.insts[index as usize] = NOP;
                    self.changes += 1;
                }
                return;
            }
            if let Some(access) = self.forms.reloaded(&inst) {
                self.reload(func, index, access);
                return;
            }
        }
        let may_extend = desc.roles[..2] == [Role::Def, Role::Use] && !desc.is_move && !desc.writes_flags;
        if may_extend && let Some(simpler) = self.drop_extension(&inst) {
            inst = simpler;
            func.insts[index as usize] = inst;
            func.relies_on_upper_bits = true;
            self.changes += 1;
        }
        let desc = op_desc(self.hooks.ops(), inst.op);
        if desc.is_move {
            self.copy(func, index);
        } else if is_computation(func, &inst, desc) && self.reads_tracked(&inst, desc) {
            self.compute(func, index, desc);
        } else {
            self.write(func, &inst, desc);
            self.forget_stored(func, &inst);
        }
    }

    /// Replaces operands that are copies by their originals.
    fn use_originals(&self, inst: &mut MInst, desc: &OpDesc) -> bool {
        let mut changed = false;
        rewrite_registers(inst, desc, |RegisterOperand { reg, role, .. }| {
            let is_read = matches!(role, Role::Use | Role::Base | Role::Index);
            match self.memory.original(reg).filter(|_| is_read) {
                Some(original) => {
                    changed = true;
                    original
                }
                None => reg,
            }
        });
        changed
    }

    /// A move in place of an extension of a value that is extended already.
    fn drop_extension(&self, inst: &MInst) -> Option<MInst> {
        let limit = self.hooks.rules().extends_beyond(inst)?;
        let [dst, src, _] = inst.regs();
        let bits = self.memory.bits(src);
        let bytes = if bits <= 32 {
            4
        } else {
            self.target().class(RegClass::Int).bytes
        };
        (bits <= limit).then(|| self.hooks.mov(RegClass::Int, bytes, dst, src))
    }

    /// Whether a spill slot already holds what an instruction stores to it; if not, notes that it does now.
    fn holds(&mut self, inst: &MInst, access: SlotAccess) -> bool {
        let value = self.value_read(inst.reg(0));
        let mut slots = self.memory.slots.iter();
        if slots.any(|slot| slot.access == access && slot.value == value) {
            return true;
        }
        self.memory.write_slot(inst.disp, i32::from(access.bytes));
        self.memory.remember_slot(Slot { access, value });
        false
    }

    fn reload(&mut self, func: &mut MFunc, index: u32, access: SlotAccess) {
        let inst = func.insts[index as usize];
        let dst = inst.reg(0);
        let held = self.memory.value(dst);
        let mut values = (self.memory.slots.iter().filter(|slot| slot.access == access)).map(|slot| slot.value);
        if values.clone().any(|value| value == held) {
            func.insts[index as usize] = NOP;
            self.changes += 1;
            return;
        }
        if let Some(holder) = values.find_map(|value| self.memory.holder(access.class, value)) {
            func.insts[index as usize] = self.hooks.mov(access.class, access.bytes, dst, holder);
            self.changes += 1;
            self.copy(func, index);
            return;
        }
        let value = self.define(&inst);
        self.memory.slots.retain(|slot| slot.access != access);
        self.memory.remember_slot(Slot { access, value });
    }

    /// Notes a copy, or removes it if the register already holds the value.
    fn copy(&mut self, func: &mut MFunc, index: u32) {
        let inst = func.insts[index as usize];
        let [dst, src, _] = inst.regs();
        let class = RegClass::of(dst);
        let read = self.value_read(src);
        let is_known = self.memory.bits(src) <= inst.size.saturating_mul(8)
            || inst == self.hooks.mov(class, self.target().class(class).bytes, dst, src);
        if is_known && self.memory.value(dst) == read {
            func.insts[index as usize] = NOP;
            self.changes += 1;
            return;
        }
        let bits = self.significant_bits(&inst);
        let value = if is_known { read } else { self.memory.fresh() };
        // The stack pointer cannot be used in every position of an address.
        let may_replace = src != self.target().stack_pointer && self.tracked.contains(src);
        let origin = may_replace.then_some((src, read));
        self.memory.set(dst, Contents { value, origin, bits });
    }

    /// Whether all registers that a computation reads are tracked.
    fn reads_tracked(&self, inst: &MInst, desc: &OpDesc) -> bool {
        let mut is_known = true;
        for_each_register(inst, desc, |_, reg, role| {
            is_known &= role == Role::Def || self.tracked.contains(reg)
        });
        is_known
    }

    /// Removes a computation, or makes it a copy, if some register already holds its result.
    fn compute(&mut self, func: &mut MFunc, index: u32, desc: &OpDesc) {
        let inst = func.insts[index as usize];
        let dst = inst.reg(0);
        let key = self.key(&inst, desc);
        let place = place_of(&key);
        let (found, value) = self.memory.table[place];
        let class = RegClass::of(dst);
        // Zero is cheaper to make than to copy.
        let is_cheap = |holder: Reg| holder != dst && inst.reg(1).is_none() && (inst.imm, inst.disp) == (0, 0);
        if found == key
            && let Some(holder) = self.memory.holder(class, value)
            && !is_cheap(holder)
        {
            self.changes += 1;
            if holder == dst {
                func.insts[index as usize] = NOP;
            } else {
                // As wide as what is computed: vectors that are only passed are wider than the class says.
                let written = desc.operand_bytes(0, inst.size);
                let bytes = self.target().class(class).bytes.max(written);
                func.insts[index as usize] = self.hooks.mov(class, bytes, dst, holder);
                self.copy(func, index);
            }
            return;
        }
        let value = self.define(&inst);
        self.memory.table[place] = (key, value);
    }

    fn key(&self, inst: &MInst, desc: &OpDesc) -> Key {
        let words = inst.slot_words();
        let is_value = [1, 2].map(|slot: usize| desc.roles[slot] != Role::None && inst.reg(slot).is_physical());
        let operand = |slot: usize| {
            if is_value[slot - 1] {
                self.memory.value(inst.reg(slot))
            } else {
                words[slot]
            }
        };
        Key {
            op: inst.op,
            size: inst.size,
            aux: inst.aux,
            operands: [operand(1), operand(2)],
            is_value,
            disp: inst.disp,
            imm: inst.imm,
        }
    }

    /// Notes what an instruction of no other kind writes.
    fn write(&mut self, func: &MFunc, inst: &MInst, desc: &OpDesc) {
        let dst = inst.reg(0);
        let defines = matches!(desc.roles[0], Role::Def | Role::UseDef) && dst.is_physical();
        // The result's width may depend on the old contents, so it is computed first.
        let bits = if defines { self.significant_bits(inst) } else { ALL_BITS };
        self.forget_written(func, inst);
        if bits < ALL_BITS {
            self.memory.registers[dst.index()].bits = bits;
        }
    }

    /// Gives the first register of an instruction a new value, and returns its number.
    fn define(&mut self, inst: &MInst) -> u32 {
        let (value, bits) = (self.memory.fresh(), self.significant_bits(inst));
        let contents = Contents {
            value,
            origin: None,
            bits,
        };
        self.memory.set(inst.reg(0), contents);
        value
    }

    /// How many low bits of the first register may be nonzero after an instruction; all for float registers.
    fn significant_bits(&self, inst: &MInst) -> u8 {
        if RegClass::of(inst.reg(0)) != RegClass::Int {
            return ALL_BITS;
        }
        let memory = &self.memory;
        self.hooks.rules().significant_bits(inst, &|reg| memory.bits(reg))
    }
}

/// The registers of which every write is visible. Those that are not allocatable are scratch registers of rules,
/// encoders and callees, and the writes of the latter are nowhere listed.
fn tracked_registers(target: &TargetDesc) -> PRegSet {
    let mut tracked = target.classes[0].allocatable.union(target.classes[1].allocatable);
    tracked = tracked.union(target.mask_registers());
    tracked.insert(target.frame_pointer);
    tracked
}

/// Whether an instruction computes its first register only from other registers, immediates and constants.
fn is_computation(func: &MFunc, inst: &MInst, desc: &OpDesc) -> bool {
    func.is_pure(desc)
        && desc.roles[0] == Role::Def
        && !matches!(desc.roles[1], Role::Def | Role::UseDef)
        && (!desc.reads_memory || can_rematerialize(inst, desc))
        && !desc.reads_flags
        && !desc.writes_flags
        && !desc.has_sets
        && desc.implicit_uses.is_empty()
        && desc.implicit_defs.is_empty()
        && inst.reg(0).is_physical()
}

/// The position of a computation in the table.
fn place_of(key: &Key) -> usize {
    let words = [
        u32::from(key.op) << 16 | u32::from(key.size) << 8 | u32::from(key.aux),
        key.operands[0],
        key.operands[1],
        key.disp.cast_unsigned(),
        key.imm.cast_unsigned(),
    ];
    let hash = words.iter().fold(0u32, |hash, &word| {
        (hash.rotate_left(5) ^ word).wrapping_mul(0x9e37_79b9)
    });
    (hash >> 25) as usize % TABLE_PLACES
}
