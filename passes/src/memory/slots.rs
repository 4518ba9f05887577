//! Which stack slots are variables: only loaded and stored as a whole, with types of one width, at their address.
//!
//! Method: one walk over the blocks in preorder of the dominator tree, which looks at loads and stores alone. A slot
//! whose address is used as often as such accesses name it is used in no other way. The accesses are listed, so that
//! who rewrites them need not look for them again, and so are the [`Event`]s that decide where phis are needed.

use super::convert::are_convertible;
use super::dom_order::{DomOrder, UNREACHABLE};
use super::phis::{Event, NONE};
use frazil_ir::{Block, CallFlags, EntityRef, Function, Inst, InstData, MemFlags, Opcode, SlotId, Type, Value};
use std::ops::Range;

/// A load or store of a slot that may be a variable.
#[derive(Clone, Copy, Debug)]
pub struct Access {
    pub inst: Inst,
    pub slot: SlotId,
}

/// What is known of a slot.
#[derive(Clone, Copy, Debug)]
pub struct Variable {
    /// The type of its first access.
    pub ty: Type,
    pub is_promotable: bool,
    /// Whether a store that reaches a load is not the only one, or does not dominate it.
    pub needs_phis: bool,
    /// Its first event.
    pub events: u32,
    accesses: u32,
    /// The block of its first store.
    store_block: u32,
    last_block: u32,
    is_stored_in_last_block: bool,
    is_stored_in_many: bool,
    is_exposed: bool,
    is_undominated: bool,
    is_unfit: bool,
}

const NEW: Variable = Variable {
    ty: Type::VOID,
    is_promotable: false,
    needs_phis: false,
    events: NONE,
    accesses: 0,
    store_block: NONE,
    last_block: NONE,
    is_stored_in_last_block: false,
    is_stored_in_many: false,
    is_exposed: false,
    is_undominated: false,
    is_unfit: false,
};

/// The slots of a function and their accesses.
#[derive(Debug, Default)]
pub struct SlotTable {
    /// By slot.
    pub variables: Vec<Variable>,
    /// Accesses, grouped by block.
    pub accesses: Vec<Access>,
    /// What phi placement must know.
    pub events: Vec<Event>,
    /// Slots with accesses, in the order of their first one.
    pub slots: Vec<SlotId>,
    /// One past the last access of each reachable block, by its number.
    ends: Vec<u32>,
}

impl Variable {
    /// Takes note of an access in a reachable block. Returns whether it is a store, if it is the block's first store or
    /// a load that no store of the block precedes.
    fn note(&mut self, is_store: bool, block: u32, order: &DomOrder) -> Option<bool> {
        let is_first = std::mem::replace(&mut self.last_block, block) != block;
        self.is_stored_in_last_block &= !is_first;
        if !is_store {
            // A load after another one of the block tells nothing new.
            if !is_first {
                return None;
            }
            self.is_exposed = true;
            self.is_undominated |= self.store_block == NONE || !order.dominates(self.store_block, block);
            return Some(false);
        }
        if std::mem::replace(&mut self.is_stored_in_last_block, true) {
            return None;
        }
        match self.store_block {
            NONE => self.store_block = block,
            _ => self.is_stored_in_many = true,
        }
        Some(true)
    }
}

impl SlotTable {
    /// Looks at all accesses. Returns `false` if no slot is a variable, or none may be: something returns twice, and
    /// would see the values of the first return in registers.
    pub fn scan(&mut self, function: &Function, order: &DomOrder, pointer_bits: u32) -> bool {
        self.variables.clear();
        self.variables.resize(function.slots().len(), NEW);
        self.accesses.clear();
        self.events.clear();
        self.slots.clear();
        self.ends.clear();
        let mut scan = Scan {
            function,
            order,
            pointer_bits,
            table: self,
        };
        for number in 0..order.count() {
            if !scan.block(order.block(number), number) {
                return false;
            }
            scan.table.ends.push(scan.table.accesses.len() as u32);
        }
        for block in function.block_ids().filter(|&block| order.number(block) == UNREACHABLE) {
            if !scan.block(block, UNREACHABLE) {
                return false;
            }
        }
        self.judge(function)
    }

    /// Decides which slots are variables, once all accesses are known.
    fn judge(&mut self, function: &Function) -> bool {
        let mut any = false;
        for &slot in &self.slots {
            let variable = &mut self.variables[slot.index()];
            let uses = function.use_count(function.slots()[slot.index()].address);
            variable.is_promotable = !variable.is_unfit && variable.accesses == uses;
            variable.needs_phis = variable.is_exposed
                && variable.store_block != NONE
                && (variable.is_stored_in_many || variable.is_undominated);
            any |= variable.is_promotable;
        }
        any
    }

    /// The accesses of a reachable block, by its number.
    pub fn accesses_of(&self, number: u32) -> Range<usize> {
        let start = number.checked_sub(1).map_or(0, |before| self.ends[before as usize]);
        start as usize..self.ends[number as usize] as usize
    }

    /// The accesses in blocks that the entry does not reach.
    pub fn unreachable_accesses(&self) -> Range<usize> {
        self.ends.last().map_or(0, |&end| end as usize)..self.accesses.len()
    }
}

/// A walk over a function.
struct Scan<'a> {
    function: &'a Function,
    order: &'a DomOrder,
    pointer_bits: u32,
    table: &'a mut SlotTable,
}

impl Scan<'_> {
    /// Lists the accesses of a block; `false` if something in it returns twice.
    fn block(&mut self, block: Block, number: u32) -> bool {
        for position in self.function.block_insts(block) {
            let data = &self.function.insts()[position];
            let pointer = match data.op {
                Opcode::Load => data.a,
                Opcode::Store => data.b,
                Opcode::Call | Opcode::Invoke if data.flags & CallFlags::RETURNS_TWICE.bits() != 0 => return false,
                Opcode::SjljSetjmp => return false,
                _ => continue,
            };
            // Volatile accesses are not counted: the slot then has more uses than accesses.
            let slot = pointer.as_value().and_then(|value| self.function.slot_of(value));
            if let Some(slot) = slot
                && !MemFlags(data.flags).is_volatile()
            {
                self.access(
                    Access {
                        inst: Inst::new(position),
                        slot,
                    },
                    data,
                    number,
                );
            }
        }
        true
    }

    fn access(&mut self, access: Access, data: &InstData, block: u32) {
        let types = self.function.types();
        let variable = &mut self.table.variables[access.slot.index()];
        if variable.accesses == 0 {
            let bytes = types.store_bytes(data.ty, self.pointer_bits);
            variable.ty = data.ty;
            variable.is_unfit = bytes > self.function.slots()[access.slot.index()].size;
            self.table.slots.push(access.slot);
        }
        variable.accesses += 1;
        variable.is_unfit |= !are_convertible(types, variable.ty, data.ty, self.pointer_bits);
        self.table.accesses.push(access);
        let is_dead = data.op == Opcode::Load && self.function.use_count(Value::new(data.result as usize)) == 0;
        if block == UNREACHABLE || is_dead {
            return;
        }
        if let Some(is_store) = variable.note(data.op == Opcode::Store, block, self.order) {
            let event = self.table.events.len() as u32;
            self.table.events.push(Event {
                block,
                is_store,
                next: std::mem::replace(&mut variable.events, event),
            });
        }
    }
}
