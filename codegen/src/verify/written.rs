//! Whether everything that is read was written before on every path.
//!
//! Method: data flow forward over the blocks, in which what may be unwritten at the end of one predecessor may be so
//! at its start. Places are physical registers that may be allocated, four bytes each of the spill slots, and virtual
//! registers; a set of them is a row of bits. Members of groups count as if each took place once, in order.

use super::{MachFault, fault_at, fault_in};
use crate::desc::Role;
use crate::mfunc::{MFunc, for_each_register, op_desc};
use crate::minst::MInst;
use crate::pass::MachPassCx;
use crate::reg::Reg;
use crate::slot_access::SlotForms;

/// Bytes of a slot that make one place.
const SLOT_BYTES: i32 = 4;
/// Numbers of physical registers.
const PHYSICAL: usize = Reg::FIRST_VIRTUAL as usize;
/// Functions with more words of sets than this are not checked, so that memory stays small.
const MOST_WORDS: usize = 1 << 22;

/// A read of what may be unwritten.
#[derive(Debug)]
struct Unwritten {
    place: usize,
    block: u32,
    /// The instruction; none for the moves of an edge.
    inst: Option<u32>,
}

/// Work memory, and what the function reads unwritten in any case.
#[derive(Debug, Default)]
pub(super) struct Written {
    forms: SlotForms,
    /// Words of a set.
    width: usize,
    /// By block: what may be unwritten at its start.
    starts: Vec<u64>,
    /// By block: what it writes.
    kills: Vec<u64>,
    /// The set at the place that a walk has come to.
    now: Vec<u64>,
    /// Places that an instruction reads and writes.
    read: Vec<usize>,
    written: Vec<usize>,
    found: Vec<Unwritten>,
    accepted: Vec<usize>,
}

impl Written {
    /// Accepts what the function reads unwritten.
    pub fn start(&mut self, func: &MFunc, cx: &MachPassCx<'_>) -> Result<(), MachFault> {
        self.find(func, cx);
        self.accepted.clear();
        self.accepted.extend(self.found.iter().map(|found| found.place));
        self.accepted.sort_unstable();
        self.accepted.dedup();
        Ok(())
    }

    /// Checks that nothing is read unwritten besides what is accepted.
    pub fn check(&mut self, func: &MFunc, cx: &MachPassCx<'_>) -> Result<(), MachFault> {
        self.find(func, cx);
        let is_new = |found: &&Unwritten| self.accepted.binary_search(&found.place).is_err();
        let Some(found) = self.found.iter().find(is_new) else {
            return Ok(());
        };
        let message = format!(
            "reads {}, which is not written on every path",
            name(func, cx, found.place)
        );
        Err(match found.inst {
            Some(inst) => fault_at(found.block, func, inst, cx.hooks.ops(), message),
            None => fault_in(found.block, format!("an edge {message}")),
        })
    }

    /// Finds all reads of what may be unwritten.
    fn find(&mut self, func: &MFunc, cx: &MachPassCx<'_>) {
        self.found.clear();
        self.forms.prepare(cx.hooks);
        let places = PHYSICAL + slot_places(func, cx) + func.vregs.len();
        self.width = places.div_ceil(64);
        if self.width.saturating_mul(func.blocks.len() + 1) > MOST_WORDS {
            return;
        }
        self.starts.clear();
        self.starts.resize(self.width * func.blocks.len(), 0);
        self.kills.clear();
        self.kills.resize(self.width * func.blocks.len(), 0);
        self.fill_entry(func, cx, places);
        for block in 0..func.blocks.len() as u32 {
            self.sum_up(func, cx, block);
        }
        let mut changed = true;
        while changed {
            changed = false;
            for edge in 0..func.edges.len() {
                changed |= self.follow(func, cx, edge);
            }
        }
        for block in 0..func.blocks.len() as u32 {
            self.walk(func, cx, block);
        }
    }

    /// At the entry everything is unwritten, but constants, which need no definition.
    fn fill_entry(&mut self, func: &MFunc, cx: &MachPassCx<'_>, places: usize) {
        let classes = &cx.hooks.desc().classes;
        let allocatable = classes[0].allocatable.union(classes[1].allocatable);
        let first_vreg = PHYSICAL + slot_places(func, cx);
        for place in 0..places {
            let is_unwritten = match place {
                ..PHYSICAL => allocatable.contains(Reg(place as u32)),
                _ if place < first_vreg => true,
                _ => func.vregs[place - first_vreg].constant.is_none(),
            };
            if is_unwritten {
                self.starts[place / 64] |= 1 << (place % 64);
            }
        }
    }

    /// Collects what a block writes.
    fn sum_up(&mut self, func: &MFunc, cx: &MachPassCx<'_>, block: u32) {
        let start = block as usize * self.width;
        for index in func.blocks[block as usize].start..func.blocks[block as usize].end {
            self.find_accesses(func, cx, &func.insts[index as usize]);
            for &place in &self.written {
                self.kills[start + place / 64] |= 1 << (place % 64);
            }
        }
    }

    /// Goes over a block and notes reads of what may be unwritten.
    fn walk(&mut self, func: &MFunc, cx: &MachPassCx<'_>, block: u32) {
        let start = block as usize * self.width;
        self.now.clear();
        self.now.extend_from_slice(&self.starts[start..start + self.width]);
        for index in func.blocks[block as usize].start..func.blocks[block as usize].end {
            self.find_accesses(func, cx, &func.insts[index as usize]);
            self.note(block, Some(index));
            for &place in &self.written {
                self.now[place / 64] &= !(1 << (place % 64));
            }
        }
        for edge in func.edges_of(block) {
            self.read.clear();
            let sources = func.moves_of(edge).iter().map(|phi| place_of(func, cx, phi.src));
            self.read.extend(sources);
            self.note(block, None);
        }
    }

    /// Notes which of the places that are read may be unwritten.
    fn note(&mut self, block: u32, inst: Option<u32>) {
        for &place in &self.read {
            if self.now[place / 64] >> (place % 64) & 1 != 0 {
                self.found.push(Unwritten { place, block, inst });
            }
        }
    }

    /// Adds what is unwritten at the end of an edge to the block after it; whether that is more than before.
    fn follow(&mut self, func: &MFunc, cx: &MachPassCx<'_>, edge: usize) -> bool {
        let (from, to) = (func.edges[edge].from as usize, func.edges[edge].to as usize);
        self.now.clear();
        for index in from * self.width..(from + 1) * self.width {
            self.now.push(self.starts[index] & !self.kills[index]);
        }
        for phi in func.moves_of(edge) {
            let place = place_of(func, cx, phi.dst);
            self.now[place / 64] &= !(1 << (place % 64));
        }
        let start = to * self.width;
        let mut changed = false;
        for (word, &unwritten) in self.starts[start..start + self.width].iter_mut().zip(&self.now) {
            changed |= unwritten & !*word != 0;
            *word |= unwritten;
        }
        changed
    }

    /// Finds the places that an instruction reads and writes.
    fn find_accesses(&mut self, func: &MFunc, cx: &MachPassCx<'_>, inst: &MInst) {
        let desc = op_desc(cx.hooks.ops(), inst.op);
        let sets = func.implicit(inst, desc);
        let (read, written) = (&mut self.read, &mut self.written);
        read.clear();
        read.extend(sets.uses.iter().map(Reg::index));
        written.clear();
        written.extend(sets.defs.iter().map(Reg::index));
        for_each_register(inst, desc, |_, reg, role| {
            let place = place_of(func, cx, reg);
            if role != Role::Def {
                read.push(place);
            }
            if matches!(role, Role::Def | Role::UseDef) {
                written.push(place);
            }
        });
        // Addresses may be computed that are no slot's.
        let accesses_memory = desc.reads_memory || desc.writes_memory;
        if !cx.is_allocated || !accesses_memory || !func.is_spill_slot(inst) {
            return;
        }
        let first = PHYSICAL + ((inst.disp - lowest_slot(func)) / SLOT_BYTES) as usize;
        let slots = |bytes: i32| first..first + (bytes as usize).div_ceil(SLOT_BYTES as usize);
        if let Some(slot) = self.forms.spilled(inst) {
            written.extend(slots(i32::from(slot.bytes)));
        } else if desc.writes_memory && !desc.reads_memory && i32::from(inst.size) >= SLOT_BYTES {
            // A constant.
            written.extend(slots(inst.size.into()));
        } else {
            let bytes = self
                .forms
                .reloaded(inst)
                .map_or(SLOT_BYTES, |slot| i32::from(slot.bytes));
            read.extend(slots(bytes));
        }
    }
}

/// The lowest place of the spill slots.
fn lowest_slot(func: &MFunc) -> i32 {
    -func.frame.areas.used_bytes().cast_signed()
}

/// How many places the spill slots are.
fn slot_places(func: &MFunc, cx: &MachPassCx<'_>) -> usize {
    if !cx.is_allocated {
        return 0;
    }
    let bytes = func.frame.spills_below - lowest_slot(func);
    // An access may be wider than the slot at the end.
    (bytes.max(0) / SLOT_BYTES) as usize + 8
}

fn place_of(func: &MFunc, cx: &MachPassCx<'_>, reg: Reg) -> usize {
    if reg.is_physical() {
        reg.index()
    } else {
        debug_assert!(!cx.is_allocated, "the structure is checked before");
        PHYSICAL + reg.virtual_index() + slot_places(func, cx)
    }
}

/// What a place is called in messages.
fn name(func: &MFunc, cx: &MachPassCx<'_>, place: usize) -> String {
    let slots = slot_places(func, cx);
    if place < PHYSICAL {
        let reg = Reg(place as u32);
        let row = cx.hooks.desc().regs.iter().find(|row| row.reg == reg);
        row.map_or_else(|| format!("{reg:?}"), |row| row.name.to_owned())
    } else if place < PHYSICAL + slots {
        let disp = lowest_slot(func) + (place - PHYSICAL) as i32 * SLOT_BYTES;
        format!("the spill slot at {disp}")
    } else {
        format!("v{}", place - PHYSICAL - slots)
    }
}
