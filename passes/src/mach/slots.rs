//! At the start of each block: which registers hold the contents of which spill slots.
//!
//! Method: forward data flow in which all predecessors of a block must agree, with one slot for each register. One walk
//! over each block summarizes what it does: the registers that it writes, the slots that it stores to, and what
//! registers hold at its end because of its own stores and reloads. Then the blocks are visited in order until nothing
//! changes. A function that needs many rounds for this, or has very many blocks or slots, is not examined.

use super::live::effects;
use frazil_codegen::Reg;
use frazil_codegen::mfunc::{MFunc, op_desc};
use frazil_codegen::minst::MInst;
use frazil_codegen::pass::MachHooks;
use frazil_codegen::reg::PRegSet;
use frazil_codegen::slot_access::{SlotAccess, SlotForms, WIDEST_BYTES};

/// How many registers are examined: half of them in each bank.
const REGISTERS: usize = 64;
/// The number of no slot.
const NONE: u16 = u16::MAX;
/// Functions with more blocks than this are not examined, so that memory stays small.
const MOST_BLOCKS: usize = 50_000;
/// Functions that need more rounds than this are not examined.
const MOST_ROUNDS: u32 = 12;

/// By register: the number of the slot whose contents it holds.
type Held = [u16; REGISTERS];

/// The result, and memory that is used again for the next function.
#[derive(Debug, Default)]
pub(super) struct SlotFacts {
    /// How the target spills and reloads.
    pub forms: SlotForms,
    slots: Vec<SlotAccess>,
    in_group: Vec<bool>,
    /// By block: what registers hold at its end because of its own stores and reloads.
    made: Vec<Held>,
    written: Vec<PRegSet>,
    /// By block: the slots that it stores to, as a range of `stored`.
    stored_ranges: Vec<(u32, u32)>,
    stored: Vec<u16>,
    ends: Vec<Held>,
    is_visited: Vec<bool>,
    tracked: PRegSet,
    is_known: bool,
}

/// The index of a register in [`Held`].
fn place(reg: Reg) -> Option<usize> {
    let number = reg.number() as usize;
    (number < REGISTERS / 2).then_some(reg.bank() * (REGISTERS / 2) + number)
}

/// The register with this index in [`Held`].
fn register(place: usize) -> Reg {
    Reg::physical((place / (REGISTERS / 2)) as u8, (place % (REGISTERS / 2)) as u8)
}

impl SlotFacts {
    /// Computes what registers hold at the ends of blocks. Only `tracked` registers are examined: those of which every
    /// write is visible.
    pub fn compute(&mut self, func: &MFunc, hooks: &dyn MachHooks, tracked: PRegSet) {
        self.is_known = false;
        self.tracked = tracked;
        self.forms.prepare(hooks);
        self.find_slots(func);
        if self.slots.is_empty() || self.slots.len() >= usize::from(NONE) || func.blocks.len() > MOST_BLOCKS {
            return;
        }
        self.in_group.clear();
        self.in_group.resize(func.insts.len(), false);
        for group in &func.groups {
            self.in_group[group.start as usize..group.end as usize].fill(true);
        }
        self.made.clear();
        self.written.clear();
        self.stored.clear();
        self.stored_ranges.clear();
        for block in 0..func.blocks.len() {
            self.sum_up(func, hooks, block);
        }
        self.ends.clear();
        self.ends.resize(func.blocks.len(), [NONE; REGISTERS]);
        self.is_visited.clear();
        self.is_visited.resize(func.blocks.len(), false);
        for _ in 0..MOST_ROUNDS {
            if !self.round(func) {
                self.is_known = true;
                return;
            }
        }
    }

    /// Calls `visit` with each register that holds the contents of a slot at the start of a block.
    pub fn for_each(&self, func: &MFunc, block: u32, mut visit: impl FnMut(Reg, SlotAccess)) {
        if !self.is_known {
            return;
        }
        let held = self.at_start(func, block);
        for (place, &slot) in held.iter().enumerate() {
            if slot != NONE {
                visit(register(place), self.slots[usize::from(slot)]);
            }
        }
    }

    fn find_slots(&mut self, func: &MFunc) {
        self.slots.clear();
        let accesses = func.insts.iter().filter(|inst| func.is_spill_slot(inst));
        self.slots
            .extend(accesses.filter_map(|inst| self.forms.spilled(inst).or_else(|| self.forms.reloaded(inst))));
        self.slots.sort_unstable();
        self.slots.dedup();
    }

    fn number(&self, slot: SlotAccess) -> u16 {
        self.slots.binary_search(&slot).map_or(NONE, |number| number as u16)
    }

    /// Summarizes what a block does.
    fn sum_up(&mut self, func: &MFunc, hooks: &dyn MachHooks, block: usize) {
        let mut held = [NONE; REGISTERS];
        let mut written = PRegSet::EMPTY;
        let first_stored = self.stored.len() as u32;
        for index in func.blocks[block].start..func.blocks[block].end {
            let inst = &func.insts[index as usize];
            let desc = op_desc(hooks.ops(), inst.op);
            let defs = effects(func, inst, desc).defs;
            written = written.union(defs);
            let mut now_held = NONE;
            let is_alone = !self.in_group[index as usize];
            if desc.is_move && is_alone {
                now_held = place(inst.reg(1)).map_or(NONE, |place| held[place]);
                if now_held != NONE && !self.keeps(inst, now_held, hooks) {
                    now_held = NONE;
                }
            }
            let accesses_slot = func.is_spill_slot(inst);
            if accesses_slot && desc.writes_memory {
                let spill = if is_alone { self.forms.spilled(inst) } else { None };
                self.store(
                    &mut held,
                    inst.disp,
                    spill.map_or(WIDEST_BYTES, |slot| i32::from(slot.bytes)),
                );
                now_held = spill.map_or(NONE, |slot| self.number(slot));
            } else if accesses_slot && is_alone {
                now_held = self.forms.reloaded(inst).map_or(NONE, |slot| self.number(slot));
            }
            for reg in defs.iter() {
                if let Some(place) = place(reg) {
                    held[place] = NONE;
                }
            }
            if now_held != NONE
                && self.tracked.contains(inst.reg(0))
                && let Some(place) = place(inst.reg(0))
            {
                held[place] = now_held;
            }
        }
        self.made.push(held);
        self.written.push(written);
        self.stored_ranges.push((first_stored, self.stored.len() as u32));
    }

    /// Whether a move copies all bytes of a slot's contents.
    fn keeps(&self, inst: &MInst, slot: u16, hooks: &dyn MachHooks) -> bool {
        let slot = self.slots[usize::from(slot)];
        let [dst, src, _] = inst.regs();
        let class_bytes = hooks.desc().class(slot.class).bytes;
        let is_plain = slot.bytes <= class_bytes && *inst == hooks.mov(slot.class, class_bytes, dst, src);
        slot.bytes <= inst.size || is_plain
    }

    /// Notes a store of `bytes` bytes at displacement `disp`: slots that it overlaps change.
    fn store(&mut self, held: &mut Held, disp: i32, bytes: i32) {
        let first = self.slots.partition_point(|slot| slot.disp <= disp - WIDEST_BYTES);
        for number in first..self.slots.len() {
            let slot = self.slots[number];
            if slot.disp >= disp + bytes {
                break;
            }
            if slot.overlaps(disp, bytes) {
                let number = number as u16;
                self.stored.push(number);
                held.iter_mut()
                    .filter(|held| **held == number)
                    .for_each(|held| *held = NONE);
            }
        }
    }

    /// Visits all blocks once; returns whether anything changed.
    fn round(&mut self, func: &MFunc) -> bool {
        let mut changed = false;
        for block in 0..func.blocks.len() as u32 {
            let index = block as usize;
            let mut held = self.at_start(func, block);
            let (first, last) = self.stored_ranges[index];
            for &stored in &self.stored[first as usize..last as usize] {
                held.iter_mut()
                    .filter(|held| **held == stored)
                    .for_each(|held| *held = NONE);
            }
            for reg in self.written[index].iter() {
                if let Some(place) = place(reg) {
                    held[place] = NONE;
                }
            }
            // Without branches, so that the compiler vectorizes it.
            for (held, &made) in held.iter_mut().zip(&self.made[index]) {
                *held = if made == NONE { *held } else { made };
            }
            changed |= !self.is_visited[index] || self.ends[index] != held;
            self.is_visited[index] = true;
            self.ends[index] = held;
        }
        changed
    }

    /// What all predecessors of a block that have been visited agree on.
    fn at_start(&self, func: &MFunc, block: u32) -> Held {
        let mut held = None;
        let sources = func
            .pred_edges(block)
            .iter()
            .map(|&edge| func.edges[edge as usize].from);
        for source in sources.filter(|&source| self.is_visited[source as usize]) {
            let end = &self.ends[source as usize];
            match &mut held {
                None => held = Some(*end),
                Some(held) => {
                    for (held, &end) in held.iter_mut().zip(end) {
                        *held = if *held == end { end } else { NONE };
                    }
                }
            }
        }
        held.unwrap_or([NONE; REGISTERS])
    }
}
