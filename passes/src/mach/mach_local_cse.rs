//! Uses again what a register or a spill slot holds already: local common subexpressions of machine code.
//!
//! ```text
//! mov   [frame - 24], rbx              mov   [frame - 24], rbx
//! lea   rcx, [rdi + 12]                lea   rcx, [rdi + 12]
//! mov   eax, [rcx]              ->     mov   eax, [rcx]
//! mov   rdx, [frame - 24]              mov   rdx, rbx
//! lea   rsi, [rdi + 12]                mov   rsi, rcx
//! ```
//!
//! Method: one walk forward; every register holds a numbered value, copies share the number, an instruction that
//! computes from registers alone has the number of an equal one before. What a register holds already is not computed
//! again; what another one holds is copied; operands that are copies are replaced by the original, so that the copy may
//! go. The same for spill slots, and for extensions of values that are known to be narrow. What is known holds on in the
//! next block if nothing else leads there; which registers hold which spill slots is known at the start of other blocks,
//! too ([`super::slots`]). Registers are physical, so that phis are moves already.
//!
//! Costs: one walk, with a look at a table for each instruction that only computes. Gains: reloads, extensions, and
//! constants and addresses that the allocator has made again.

use super::live::effects;
use super::slots::{SlotAccess, SlotFacts, WIDEST_BYTES, is_spill_slot, reloaded, spilled};
use frazil_codegen::desc::{OpDesc, Role, TargetDesc};
use frazil_codegen::mfunc::{MFunc, RegSets, op_desc, pseudo};
use frazil_codegen::minst::MInst;
use frazil_codegen::pass::{MachHooks, MachPass, MachPassCx};
use frazil_codegen::{Reg, RegClass};
use frazil_ir::pass::{Level, PassInfo};

/// What the pass says about itself.
pub const INFO: PassInfo = PassInfo {
    name: "mach-local-cse",
    summary: "uses again what registers and spill slots hold already",
    level: Level::Mach,
    required: false,
    after: &[],
    before: &[],
};

/// Computations that are remembered: places of a table.
const TABLE_PLACES: usize = 128;
/// Spill slots that are remembered.
const MOST_SLOTS: usize = 48;
/// Numbers of registers.
const REGISTERS: usize = Reg::FIRST_VIRTUAL as usize;
/// Bits of a register of which nothing is known.
const ALL_BITS: u8 = 64;

/// The pass.
#[derive(Debug)]
pub struct MachLocalCse;

impl MachPass for MachLocalCse {
    fn run(&self, func: &mut MFunc, cx: &mut MachPassCx<'_>) -> u64 {
        // A function that is returned to twice finds its registers as they were, but not its slots.
        let numbers_needed = (func.insts.len() + func.blocks.len() + 1) as u64 * REGISTERS as u64;
        if !cx.is_allocated || func.frame.calls_returning_twice || numbers_needed > u64::from(u32::MAX) {
            return 0;
        }
        func.groups.retain(|group| !group.is_empty());
        let mut memory: Box<Memory> = cx.scratch.take();
        memory.reserve(numbers_needed);
        let mut facts: Box<SlotFacts> = cx.scratch.take();
        facts.compute(func, cx.hooks);
        let mut walk = Walk {
            hooks: cx.hooks,
            memory: &mut memory,
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
        let changes = walk.changes + memory.drop_unread_stores(func, cx.hooks);
        if changes > 0 {
            super::live::compact(func);
        }
        cx.scratch.give_back(memory);
        cx.scratch.give_back(facts);
        changes
    }
}

/// What a register holds.
#[derive(Clone, Copy, Debug, Default)]
struct Contents {
    /// The number of the value.
    value: u32,
    /// The register that this one was copied from, and the value that that one held. What users of this register look
    /// at is the same in both.
    origin: Option<(Reg, u32)>,
    /// How many low bits may be set.
    bits: u8,
}

/// A computation, with the numbers of the values it reads.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
struct Key {
    op: u16,
    size: u8,
    aux: u8,
    /// Numbers of values; for what is no register, the mark or reference itself.
    operands: [u32; 2],
    is_value: [bool; 2],
    disp: i32,
    imm: i32,
}

/// What is known of a spill slot.
#[derive(Clone, Copy, Debug)]
struct Slot {
    access: SlotAccess,
    value: u32,
}

/// Work memory.
#[derive(Debug)]
struct Memory {
    registers: [Contents; REGISTERS],
    slots: Vec<Slot>,
    /// Computations with the numbers of their results. Numbers are never used again, so that old entries are harmless.
    table: Vec<(Key, u32)>,
    next_value: u32,
    /// Where spill slots are read.
    reads: Vec<i32>,
}

impl Default for Memory {
    fn default() -> Self {
        Memory {
            registers: [Contents::default(); REGISTERS],
            slots: Vec::new(),
            table: Vec::new(),
            next_value: u32::MAX,
            reads: Vec::new(),
        }
    }
}

impl Memory {
    /// Makes sure that numbers do not run out.
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
        for reg in 0..REGISTERS {
            self.forget(Reg(reg as u32));
        }
    }

    fn forget(&mut self, reg: Reg) {
        self.registers[reg.index()] = Contents {
            value: self.fresh(),
            origin: None,
            bits: ALL_BITS,
        };
    }

    fn value(&self, reg: Reg) -> u32 {
        self.registers[reg.index()].value
    }

    /// A register of a class that holds a value.
    fn holder(&self, class: RegClass, value: u32) -> Option<Reg> {
        let first = class as usize * REGISTERS / 2;
        let bank = &self.registers[first..first + REGISTERS / 2];
        let found = bank.iter().position(|contents| contents.value == value)?;
        Some(Reg((first + found) as u32))
    }

    /// The register that this one is a copy of, if that still holds what it did.
    fn original(&self, reg: Reg) -> Option<Reg> {
        let (origin, value) = self.registers[reg.index()].origin?;
        (self.value(origin) == value).then_some(origin)
    }

    /// Forgets slots that a write of unknown width at `disp` reaches.
    fn write_slot(&mut self, disp: i32, bytes: i32) {
        self.slots.retain(|slot| !slot.access.overlaps(disp, bytes));
    }

    /// Takes out stores to spill slots that nothing reads; how many there are.
    fn drop_unread_stores(&mut self, func: &mut MFunc, hooks: &dyn MachHooks) -> u64 {
        self.reads.clear();
        let is_store = |inst: &MInst| spilled(inst, hooks).is_some();
        let accesses = func.insts.iter().filter(|inst| is_spill_slot(func, inst));
        self.reads
            .extend(accesses.filter(|inst| !is_store(inst)).map(|inst| inst.disp));
        self.reads.sort_unstable();
        let mut changes = 0;
        for index in 0..func.insts.len() {
            let inst = func.insts[index];
            if !is_spill_slot(func, &inst) || !is_store(&inst) {
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
    memory: &'a mut Memory,
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

    /// In a group, instructions may be skipped or repeated: what any of them writes is unknown from its start.
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
        if is_spill_slot(func, inst) && op_desc(self.hooks.ops(), inst.op).writes_memory {
            self.memory.write_slot(inst.disp, WIDEST_BYTES);
        }
    }

    fn inst(&mut self, func: &mut MFunc, index: u32) {
        self.visit(func, index);
        self.forget_scratch(func, index);
    }

    /// Registers that are not allocatable serve rules and encoders for a moment; an encoder may write one without
    /// saying so.
    fn forget_scratch(&mut self, func: &MFunc, index: u32) {
        let inst = &func.insts[index as usize];
        let RegSets { defs, .. } = effects(func, inst, op_desc(self.hooks.ops(), inst.op));
        let target = self.hooks.desc();
        for reg in defs.iter() {
            if !target.classes[reg.bank()].allocatable.contains(reg) && reg != target.frame_pointer {
                self.memory.forget(reg);
            }
        }
    }

    fn visit(&mut self, func: &mut MFunc, index: u32) {
        let mut inst = func.insts[index as usize];
        let desc = op_desc(self.hooks.ops(), inst.op);
        if self.use_originals(&mut inst, desc) {
            func.insts[index as usize] = inst;
            self.changes += 1;
        }
        if is_spill_slot(func, &inst) {
            if self.store(&inst) {
                func.insts[index as usize] = NOP;
                self.changes += 1;
                return;
            }
            if let Some(access) = reloaded(&inst, self.hooks) {
                self.reload(func, index, access);
                return;
            }
        }
        if let Some(simpler) = self.drop_extension(&inst) {
            inst = simpler;
            func.insts[index as usize] = inst;
            self.changes += 1;
        }
        let desc = op_desc(self.hooks.ops(), inst.op);
        if desc.is_move {
            self.copy(func, index);
        } else if is_computation(&inst, desc) {
            self.compute(func, index, desc);
        } else {
            self.write(func, &inst, desc);
            self.forget_stored(func, &inst);
        }
    }

    /// Replaces operands that are copies by what they are copies of.
    fn use_originals(&self, inst: &mut MInst, desc: &OpDesc) -> bool {
        let mut changed = false;
        for index in 0..3 {
            let reg = inst.regs[index];
            let is_read = match desc.roles[index] {
                Role::Use | Role::Base => true,
                Role::Index => inst.regs[1] != Reg::SYMBOL,
                Role::None | Role::Def | Role::UseDef => false,
            };
            if is_read
                && reg.is_physical()
                && let Some(original) = self.memory.original(reg)
            {
                inst.regs[index] = original;
                changed = true;
            }
        }
        changed
    }

    /// A move instead of an extension that changes nothing.
    fn drop_extension(&self, inst: &MInst) -> Option<MInst> {
        let limit = self.hooks.rules().extends_beyond(inst)?;
        let [dst, src, _] = inst.regs;
        let bits = self.memory.registers[src.index()].bits;
        let bytes = if bits <= 32 {
            4
        } else {
            self.target().class(RegClass::Int).bytes
        };
        (bits <= limit).then(|| self.hooks.mov(RegClass::Int, bytes, dst, src))
    }

    /// Notes a store to a spill slot; whether the slot holds the value already.
    fn store(&mut self, inst: &MInst) -> bool {
        let Some(access) = spilled(inst, self.hooks) else {
            return false;
        };
        let value = self.memory.value(inst.regs[0]);
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
        let dst = inst.regs[0];
        let held = self.memory.value(dst);
        let mut values = (self.memory.slots.iter().filter(|slot| slot.access == access)).map(|slot| slot.value);
        if values.clone().any(|value| value == held) {
            func.insts[index as usize] = NOP;
            self.changes += 1;
            return;
        }
        if let Some(holder) = values.find_map(|value| self.memory.holder(access.class(), value)) {
            func.insts[index as usize] = self.hooks.mov(access.class(), access.bytes, dst, holder);
            self.changes += 1;
            self.copy(func, index);
            return;
        }
        self.memory.forget(dst);
        self.memory.registers[dst.index()].bits = self.significant_bits(&inst);
        let value = self.memory.value(dst);
        self.memory.slots.retain(|slot| slot.access != access);
        self.memory.remember_slot(Slot { access, value });
    }

    /// Notes a copy; it goes if the register holds the value already.
    fn copy(&mut self, func: &mut MFunc, index: u32) {
        let inst = func.insts[index as usize];
        let [dst, src, _] = inst.regs;
        let class = class_of(dst);
        let source = self.memory.registers[src.index()];
        let is_whole = inst == self.hooks.mov(class, self.target().class(class).bytes, dst, src);
        let is_known = is_whole || source.bits <= inst.size.saturating_mul(8);
        if is_known && self.memory.value(dst) == source.value {
            func.insts[index as usize] = NOP;
            self.changes += 1;
            return;
        }
        let bits = self.significant_bits(&inst);
        let value = if is_known { source.value } else { self.memory.fresh() };
        // The stack pointer is not allowed in every place of an address.
        let origin = (src != self.target().stack_pointer).then_some((src, source.value));
        self.memory.registers[dst.index()] = Contents { value, origin, bits };
    }

    /// Finds whether a register holds the result already.
    fn compute(&mut self, func: &mut MFunc, index: u32, desc: &OpDesc) {
        let inst = func.insts[index as usize];
        let dst = inst.regs[0];
        let key = self.key(&inst, desc);
        let place = place_of(&key);
        let (found, value) = self.memory.table[place];
        let class = class_of(dst);
        // Zero is made more easily than copied.
        let is_cheap = |holder: Reg| holder != dst && inst.regs[1].is_none() && (inst.imm, inst.disp) == (0, 0);
        if found == key
            && let Some(holder) = self.memory.holder(class, value)
            && !is_cheap(holder)
        {
            self.changes += 1;
            if holder == dst {
                func.insts[index as usize] = NOP;
            } else {
                let bytes = self.target().class(class).bytes;
                func.insts[index as usize] = self.hooks.mov(class, bytes, dst, holder);
                self.copy(func, index);
            }
            return;
        }
        let bits = self.significant_bits(&inst);
        self.memory.forget(dst);
        self.memory.registers[dst.index()].bits = bits;
        self.memory.table[place] = (key, self.memory.value(dst));
    }

    fn key(&self, inst: &MInst, desc: &OpDesc) -> Key {
        let is_value = [1, 2].map(|index: usize| {
            let is_reference = index == 2 && inst.regs[1] == Reg::SYMBOL;
            desc.roles[index] != Role::None && inst.regs[index].is_physical() && !is_reference
        });
        let operand = |index: usize| {
            let reg = inst.regs[index];
            if is_value[index - 1] {
                self.memory.value(reg)
            } else {
                reg.0
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

    /// Notes what any other instruction writes.
    fn write(&mut self, func: &MFunc, inst: &MInst, desc: &OpDesc) {
        let bits = self.significant_bits(inst);
        self.forget_written(func, inst);
        if matches!(desc.roles[0], Role::Def | Role::UseDef) && inst.regs[0].is_physical() {
            self.memory.registers[inst.regs[0].index()].bits = bits;
        }
    }

    fn significant_bits(&self, inst: &MInst) -> u8 {
        let registers = &self.memory.registers;
        self.hooks
            .rules()
            .significant_bits(inst, &|reg| registers[reg.index()].bits)
    }
}

fn class_of(reg: Reg) -> RegClass {
    if reg.bank() == 0 {
        RegClass::Int
    } else {
        RegClass::Float
    }
}

/// Whether an instruction computes its first register from other registers and immediates alone.
fn is_computation(inst: &MInst, desc: &OpDesc) -> bool {
    desc.is_pure
        && desc.roles[0] == Role::Def
        && !matches!(desc.roles[1], Role::Def | Role::UseDef)
        && !desc.reads_memory
        && !desc.reads_flags
        && !desc.writes_flags
        && !desc.has_sets
        && desc.implicit_uses.is_empty()
        && desc.implicit_defs.is_empty()
        && inst.regs[0].is_physical()
}

/// The place of a computation in the table.
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
