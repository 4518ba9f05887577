//! Sums of additions to numbers in memory: many hooks become few updates.
//!
//! What is added up is what a hook was found to do, whatever it is called. Only places and amounts that are known at
//! the site are summed up: those of a counter for everything, and those of a counter for each block, but not those of a
//! histogram of addresses.
//!
//! Method, for the hooks of one function, each step an option of its own:
//!
//! 1. In each part of a block between two calls, one update is left for each number.
//! 2. [`flow`]: over the whole function, updates of a number that has several go to the chords of a spanning tree, if
//!    that makes them cheaper.
//! 3. [`mod@derive`]: numbers of places, whose tool asks for their values at its end only, need not all be counted:
//!    some follow from others.
//! 4. [`join`]: what all ways out of a block or into it add is added once, in the block.
//! 5. [`carry`]: what is left in a loop without calls is added up in a register.
//!
//! Invariant: whenever somebody can look at a number (at calls, at the end of the function), it has the value that it
//! would have without all this, but for derived ones.

pub(crate) mod carry;
mod course;
pub(crate) mod derive;
pub(crate) mod flow;
pub(crate) mod join;
mod rounds;

use crate::evaluate::KnownAddress;
use flow::{Flow, Part, Place};
use frazil_ir::{Block, Inst, Opcode, Operand, Type};
use frazil_support::FxHashMap;
use std::collections::hash_map::Entry;

/// A number in memory that is added to.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) struct Cell {
    pub address: KnownAddress,
    /// Type, flags and opcode of the access: a load, or an atomic update.
    pub access: (Type, u16, Opcode),
}

/// A hook that was found to be an addition.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Addend {
    pub cell: u32,
    pub part: u32,
    pub amount: i128,
}

/// An addition that is left.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Update {
    pub cell: u32,
    pub place: Place,
    pub amount: i128,
    pub frequency: f32,
}

/// The additions of a function.
#[derive(Debug, Default)]
pub(crate) struct Gathered {
    pub parts: Vec<Part>,
    pub cells: Vec<Cell>,
    pub addends: Vec<Addend>,
    cell_numbers: FxHashMap<Cell, u32>,
}

impl Gathered {
    /// Forgets everything but keeps the memory.
    pub fn clear(&mut self) {
        self.parts.clear();
        self.cells.clear();
        self.addends.clear();
        self.cell_numbers.clear();
    }

    /// The number of a cell, which may be a new one.
    pub fn cell(&mut self, cell: Cell) -> u32 {
        match self.cell_numbers.entry(cell) {
            Entry::Occupied(known) => *known.get(),
            Entry::Vacant(vacant) => {
                self.cells.push(cell);
                *vacant.insert(self.cells.len() as u32 - 1)
            }
        }
    }

    /// Begins a part; `end` is the instruction before which it ends.
    pub fn begin_part(&mut self, block: Block, end: Inst) {
        self.parts.push(Part { block, anchor: end });
    }

    /// Notes an addition in the last part.
    pub fn add(&mut self, cell: Cell, amount: i128) {
        let (cell, part) = (self.cell(cell), self.parts.len() as u32 - 1);
        match self
            .addends
            .iter_mut()
            .rev()
            .take_while(|last| last.part == part)
            .find(|last| last.cell == cell)
        {
            Some(same) => same.amount = same.amount.wrapping_add(amount),
            None => self.addends.push(Addend { cell, part, amount }),
        }
    }

    /// The updates where each part has its own.
    pub fn by_parts(&self, frequency: impl Fn(u32) -> f32) -> Vec<Update> {
        let updates = self.addends.iter().map(|addend| Update {
            cell: addend.cell,
            place: Place::Part(addend.part),
            amount: addend.amount,
            frequency: frequency(addend.part),
        });
        updates.filter(|update| update.amount != 0).collect()
    }

    /// The first part of each block, and after them the number of parts. Every block has one.
    pub fn first_parts(&self, blocks: usize) -> Vec<u32> {
        let mut first = vec![0; blocks + 1];
        for (number, part) in self.parts.iter().enumerate().rev() {
            first[frazil_ir::EntityRef::index(part.block)] = number as u32;
        }
        first[blocks] = self.parts.len() as u32;
        first
    }
}

/// How much work the sums over the whole function may be for each of its edges.
const STEPS_PER_EDGE: usize = 64;

/// Brings the updates of numbers that have several to the chords, where that is cheaper.
pub(crate) fn over_regions(flow: &Flow, updates: Vec<Update>) -> Vec<Update> {
    let mut by_cell = updates;
    by_cell.sort_by_key(|update| update.cell);
    let mut budget = STEPS_PER_EDGE * (flow.edges.len() + STEPS_PER_EDGE);
    let (mut amounts, mut owed, mut additions) = (vec![0; flow.edges.len()], Vec::new(), Vec::new());
    let mut result = Vec::with_capacity(by_cell.len());
    for updates in by_cell.chunk_by(|left, right| left.cell == right.cell) {
        if updates.len() == 1 || budget < flow.edges.len() {
            result.extend_from_slice(updates);
            continue;
        }
        budget -= flow.edges.len();
        let part_of = |update: &Update| match update.place {
            Place::Part(part) => part as usize,
            _ => unreachable!("additions are gathered in parts"),
        };
        updates
            .iter()
            .for_each(|update| amounts[part_of(update)] = update.amount);
        flow.on_chords(&amounts, &mut owed, &mut additions);
        let direct: f32 = updates.iter().map(|update| flow.cost(part_of(update))).sum();
        let moved: f32 = additions.iter().map(|&(edge, _)| flow.cost(edge as usize)).sum();
        if moved < direct {
            result.extend(additions.iter().map(|&(edge, amount)| Update {
                cell: updates[0].cell,
                place: flow.edges[edge as usize].place,
                amount,
                frequency: flow.edges[edge as usize].frequency,
            }));
        } else {
            result.extend_from_slice(updates);
        }
        updates.iter().for_each(|update| amounts[part_of(update)] = 0);
    }
    result
}

/// What is added to a cell at a place: a number, and values that were carried there.
#[derive(Clone, Debug)]
pub(crate) struct Payment {
    pub cell: u32,
    pub amount: i128,
    pub values: Vec<Operand>,
}

/// Adds to the payments at one place.
pub(crate) fn pay(payments: &mut Vec<Payment>, cell: u32, amount: i128, value: Option<Operand>) {
    match payments.iter_mut().find(|payment| payment.cell == cell) {
        Some(payment) => {
            payment.amount = payment.amount.wrapping_add(amount);
            payment.values.extend(value);
        }
        None => payments.push(Payment {
            cell,
            amount,
            values: value.into_iter().collect(),
        }),
    }
}
