//! Variables that are assigned in memory (`#dbg_assign`; `llvm/docs/AssignmentTracking.md`).
//!
//! LLVM says at each assignment which value a variable gets, and at which address a store was that assigned it; passes
//! may have moved or removed that store. A variable whose assignments all stand right behind a write to its own place
//! in one stack slot is in that slot all the time, and is said to be declared there. Others have the values of their
//! assignments one after the other.

use super::context::Body;
use crate::llvm::debug::node_of;
use frazil_ir::debug::kind::Local;
use frazil_ir::debug::{DebugKind, DebugValue, Kind, NodeId, NodeRef};
use frazil_ir::{Inst, Opcode, Operand, Value};
use frazil_support::{EntityRef, FxHashMap};

/// Additions of constants that an address of a slot may be computed by, one from the other.
const MOST_STEPS: usize = 16;

/// The operation of an expression that says which bits of a variable are meant: the first, and how many
/// (`llvm/BinaryFormat/Dwarf.def`).
const FRAGMENT: u64 = 0x1000;

/// A variable, and where it was inlined.
type Key = (NodeId, NodeRef);

/// What is known of a variable so far.
#[derive(Clone, Copy, Debug)]
struct Known {
    slot: Value,
    /// The first value of it, and the last one.
    first: usize,
    last: usize,
    /// A value of the whole variable.
    whole: Option<usize>,
    is_home: bool,
}

impl Body<'_, '_> {
    /// Notes the address of an assignment, by its node; values are numbered in their order.
    pub(super) fn note_assignment(&mut self, value: usize, address: u64) {
        let local = node_of(address).and_then(|node| self.node::<Local>(node));
        self.debug.assignments.push((value, local.map(|local| local.value)));
    }

    /// Declares the variables that are in their slots all the time.
    #[cold]
    pub(super) fn declare_assigned(&mut self) {
        let assignments = std::mem::take(&mut self.debug.assignments);
        if assignments.is_empty() {
            return;
        }
        let mut known: FxHashMap<Key, Option<Known>> = FxHashMap::default();
        let mut waiting = assignments.iter().peekable();
        for index in 0..self.build.function.debug.values.len() {
            let address = waiting.next_if(|row| row.0 == index);
            let Some(&value) = self.build.function.debug.values.get(index) else {
                break;
            };
            let before = known.get(&self.key(&value)).copied();
            let after = match (before, address) {
                // One that is not assigned in memory, or has been in doubt before.
                (Some(None), _) | (_, None | Some((_, None))) => None,
                (before, Some(&(_, Some(number)))) => self.assigned(index, before.flatten(), number),
            };
            known.insert(self.key(&value), after);
        }
        let homes = known
            .into_iter()
            .filter_map(|(key, known)| Some((key, known.filter(|known| known.is_home)?)));
        let homes: FxHashMap<Key, Known> = homes.filter(|row| row.1.whole.is_some()).collect();
        if homes.is_empty() {
            return;
        }
        let mut values = std::mem::take(&mut self.build.function.debug.values);
        let mut declared = Vec::new();
        for (index, value) in values.iter().enumerate() {
            match homes.get(&self.key(value)) {
                None => declared.push(*value),
                Some(home) if home.first == index => {
                    let whole = home.whole.and_then(|whole| values.get(whole)).unwrap_or(value);
                    declared.push(DebugValue {
                        before: value.before,
                        kind: DebugKind::Declare,
                        operand: Operand::value(home.slot),
                        constant: 0,
                        ..*whole
                    });
                }
                Some(_) => {}
            }
        }
        std::mem::swap(&mut values, &mut declared);
        self.build.function.debug.values = values;
    }

    fn key(&self, value: &DebugValue) -> Key {
        let location = self.build.function.debug.location(value.location);
        (
            value.variable,
            location.map_or(NodeRef::NONE, |location| location.inlined_at),
        )
    }

    /// What is known of a variable after an assignment; `None` if it may not be in its slot.
    fn assigned(&self, index: usize, before: Option<Known>, address: u64) -> Option<Known> {
        let function = &*self.build.function;
        let value = function.debug.values.get(index)?;
        let word = self.build.raw_word(u32::try_from(address).ok()?);
        let (slot, offset) = self.place_in_slot(word.is_operand().then(|| word.operand())?)?;
        let bits = match *self.expression_words(value.expression)? {
            [] => None,
            [FRAGMENT, start, size] => Some((start, size)),
            _ => return None,
        };
        if bits.map_or(0, |(start, _)| start) != offset.cast_unsigned().checked_mul(8)? {
            return None;
        }
        let whole = Some(index).filter(|_| bits.is_none());
        let Some(before) = before else {
            // What it has before the first assignment is whatever the slot has.
            return Some(Known {
                slot,
                first: index,
                last: index,
                whole,
                is_home: value.is_lost() || self.is_written(value, (slot, offset)),
            });
        };
        // One write stands for one assignment.
        let is_next = function.debug.values.get(before.last)?.before < value.before;
        Some(Known {
            last: index,
            whole: before.whole.or(whole),
            is_home: before.is_home && before.slot == slot && is_next && self.is_written(value, (slot, offset)),
            ..before
        })
    }

    /// Whether the instruction before an assignment writes it.
    fn is_written(&self, value: &DebugValue, place: (Value, i64)) -> bool {
        let function = &*self.build.function;
        let Some(write) = (value.before as usize)
            .checked_sub(1)
            .and_then(|before| function.insts().get(before))
        else {
            return false;
        };
        let pointer = match write.op {
            Opcode::Store if value.operand.is_none() || value.operand == write.a => write.b,
            Opcode::MemCopy | Opcode::MemMove | Opcode::MemSet => write.a,
            _ => return false,
        };
        self.place_in_slot(pointer) == Some(place)
    }

    /// The slot that an address is in, and the distance from its beginning in bytes.
    fn place_in_slot(&self, address: Operand) -> Option<(Value, i64)> {
        let function = &*self.build.function;
        let (mut address, mut offset) = (address, 0_i64);
        for _ in 0..MOST_STEPS {
            let value = address.as_value()?;
            if function.slot_of(value).is_some() {
                return Some((value, offset));
            }
            let inst: Inst = function.def_inst(value)?;
            let data = function
                .insts()
                .get(inst.index())
                .filter(|data| data.op == Opcode::PtrAdd)?;
            offset = offset.checked_add(data.b.as_imm()?)?;
            address = data.a;
        }
        None
    }

    /// What an expression consists of, in the function's nodes or the module's; `None` if it is not known.
    fn expression_words(&self, expression: NodeRef) -> Option<&[u64]> {
        let node = expression.node()?;
        let own = &self.build.function.debug.nodes;
        let table = match own.kind(node) {
            Some(_) => own,
            None => &self.build.module.module.debug.as_deref()?.nodes,
        };
        (table.kind(node) == Some(Kind::Expression)).then(|| table.words(node))
    }
}
