//! Islands: what stands between instructions so that fields of short reach get to what they name.
//!
//! On targets whose instructions have a fixed width, a branch or a load relative to itself reaches a few kilobytes at
//! most. Such a field is noted by [`CodeBuffer::short_fixup`] or [`CodeBuffer::literal`] and waits until its label is
//! bound. Its deadline is the last offset that it reaches. Shared code asks before each instruction whether there is
//! still room for it ([`CodeBuffer::make_room`]); if not, an island comes first. There, each field whose deadline is
//! near gets something in its reach: a branch a veneer, which is a branch of longer reach to the same label, and a
//! load the constant that it loads. Veneers may be short of reach, too, and then wait like other branches. An island
//! that control would fall into begins with a jump over it.
//!
//! Invariants:
//! * The fields of each kind wait in a queue in the order of their offsets, which is the order of their deadlines. A
//!   field does not wait if its label is bound within its reach.
//! * `bytes` is at least what it takes to serve all that wait for a label that is not bound or out of reach. A field
//!   counts with all veneers that its label may need: its own, that veneer's, and so on up to one that reaches
//!   everything. So serving a field makes the buffer longer by at most what it takes from `bytes`.
//! * `deadline` is at most the earliest one of a field that must be served.
//! * After each instruction and each island, offset + bytes of a jump + `bytes` <= `deadline`: an island that serves
//!   everything would come in time for everything. An instruction of at most [`Islands::max_inst_bytes`] bytes with one
//!   short field keeps this up, since `make_room` counts both. That a field's own reach suffices for an instruction, a
//!   jump and the longest chain of veneers is a condition on the target's table ([`Islands::is_sound`]).
//!
//! Emission is linear in the number of instructions. A field enters a queue once and leaves it once; serving it makes
//! at most one field of the next kind of its chain, and chains are as long as the table at most. The slow half of
//! `make_room` runs only if the earliest deadline does not leave enough room, and then takes at least the field with
//! that deadline out of its queue: because it needs nothing any more, or because it is served. Besides, it looks at the
//! first field of each kind. So there are at most as many islands as fields, each with one jump. An island also serves
//! the fields that are older than half of their reach, so that the next one is far away and most code has none.
//!
//! What is left out: an island goes where it is needed, not where nothing falls into it; branches to the same label do
//! not share a veneer; constants are aligned as instructions are. A sequence that nothing may come into must be one
//! row of the op table.

use super::{CodeBuffer, Fixup, LogItem, PoolConstant, UNBOUND};
use crate::reference::{Label, Ref, RefKind};
use std::collections::VecDeque;

/// What a target says whose fields do not reach everything in a function.
#[derive(Clone, Copy, Debug)]
pub struct Islands {
    /// By fixup kind, how far fields reach; `None` for those that reach everything.
    pub reach: &'static [Option<Reach>],
    /// Encodes an unconditional jump to a label; it reaches over any island.
    pub jump: fn(&mut CodeBuffer, Label),
    /// How long that is.
    pub jump_bytes: u32,
    /// How long an instruction of the op table is at most, with all that its encoder makes of it. It has one short
    /// field at most.
    pub max_inst_bytes: u32,
}

/// How far the fields of a kind reach.
#[derive(Clone, Copy, Debug)]
pub struct Reach {
    /// The largest distance in bytes from the field's start forward.
    pub forward_bytes: u32,
    /// The same backward.
    pub backward_bytes: u32,
    /// What an island has for what is out of reach.
    pub beyond: Beyond,
}

/// What an island has for a field.
#[derive(Clone, Copy, Debug)]
pub enum Beyond {
    /// A branch to the field's label.
    Veneer {
        /// Encodes it. It may write no register but those that belong to the encoder.
        put: fn(&mut CodeBuffer, Label),
        /// How long it is.
        bytes: u32,
        /// Its fixup kind, which reaches farther.
        kind: u8,
    },
    /// The constant that the field names.
    Literal {
        /// How long it is at most.
        max_bytes: u32,
    },
}

impl Islands {
    fn reach(&self, kind: u8) -> Option<&Reach> {
        self.reach[usize::from(kind)].as_ref()
    }

    /// Bytes that a field of this kind may need in islands.
    fn cost(&self, kind: u8) -> u32 {
        match self.reach(kind).map(|reach| reach.beyond) {
            None => 0,
            Some(Beyond::Veneer { bytes, kind, .. }) => bytes + self.cost(kind),
            Some(Beyond::Literal { max_bytes }) => max_bytes,
        }
    }

    /// The most that one more field may need.
    fn largest_cost(&self) -> u32 {
        let costs = (0..self.reach.len() as u8).map(|kind| self.cost(kind));
        costs.max().unwrap_or(0)
    }

    /// Whether each field that waits can be served in time after the instruction that has it, whatever that is, and
    /// chains of veneers end.
    pub fn is_sound(&self) -> bool {
        let room = self.max_inst_bytes + self.jump_bytes;
        let kinds = (0..self.reach.len() as u8).filter_map(|kind| Some((kind, self.reach(kind)?)));
        kinds.into_iter().all(|(kind, reach)| {
            let grows = match reach.beyond {
                Beyond::Veneer { kind, .. } => {
                    let next = self.reach(kind).map_or(u32::MAX, |next| next.forward_bytes);
                    next > reach.forward_bytes
                }
                Beyond::Literal { .. } => true,
            };
            grows && reach.forward_bytes >= room + self.cost(kind)
        })
    }
}

/// A field that waits: its fixup, and the constant that it names, if it does.
#[derive(Clone, Copy, Debug)]
struct Waiting {
    fixup: u32,
    constant: u32,
}

/// What waits for islands.
#[derive(Debug)]
pub(super) struct IslandState {
    rules: Option<&'static Islands>,
    /// By fixup kind.
    queues: Vec<VecDeque<Waiting>>,
    /// What it takes to serve all of them.
    bytes: u32,
    /// By label that is not bound: how much of that is for fields that wait for it.
    bytes_by_label: Vec<u32>,
    /// Bytes that must be left beyond an instruction's own and [`IslandState::bytes`].
    spare: u32,
    /// The earliest deadline, `u32::MAX` if nothing waits.
    deadline: u32,
    /// The label of the last copy of each constant that stands, or will stand, in an island.
    literals: Vec<Option<Label>>,
    count: u32,
}

impl Default for IslandState {
    fn default() -> IslandState {
        IslandState {
            rules: None,
            queues: Vec::new(),
            bytes: 0,
            bytes_by_label: Vec::new(),
            spare: 0,
            deadline: u32::MAX,
            literals: Vec::new(),
            count: 0,
        }
    }
}

impl IslandState {
    /// Forgets the function.
    pub(super) fn clear(&mut self) {
        self.queues.iter_mut().for_each(VecDeque::clear);
        self.bytes = 0;
        self.bytes_by_label.clear();
        self.deadline = u32::MAX;
        self.literals.clear();
        self.count = 0;
    }

    /// A label is bound, in reach of all that waits for it.
    #[inline]
    pub(super) fn bound(&mut self, label: Label) {
        if let Some(bytes) = self.bytes_by_label.get_mut(label.0 as usize) {
            self.bytes -= std::mem::take(bytes);
        }
    }

    /// The fixup with this number, the last one, is dropped with its branch.
    #[inline]
    pub(super) fn dropped(&mut self, fixup: u32, dropped: Option<Fixup>) {
        let Some(dropped) = dropped else { return };
        let Some(queue) = self.queues.get_mut(usize::from(dropped.kind)) else {
            return;
        };
        if queue.back().is_some_and(|last| last.fixup == fixup) {
            queue.pop_back();
            self.pay(dropped.label, dropped.kind, false);
        }
    }

    /// A field waits no more that has been waiting for a label, which may have been bound out of its reach before.
    fn pay(&mut self, label: Label, kind: u8, is_bound: bool) {
        let cost = self.rules.map_or(0, |rules| rules.cost(kind));
        self.bytes -= cost;
        if !is_bound {
            self.bytes_by_label[label.0 as usize] -= cost;
        }
    }
}

impl CodeBuffer {
    /// Says how far fields of the target reach. Called when a function begins.
    #[inline]
    pub fn use_islands(&mut self, rules: Option<&'static Islands>) {
        if let Some(rules) = rules {
            debug_assert!(rules.is_sound(), "a field whose reach is too short for anything");
            self.islands.rules = Some(rules);
            self.islands.queues.resize(rules.reach.len(), VecDeque::new());
            self.islands.spare = rules.jump_bytes + rules.largest_cost();
        }
    }

    /// How many islands there are.
    pub fn island_count(&self) -> u32 {
        self.islands.count
    }

    /// Notes that the `kind` field at `offset`, whose reach may be short, holds the distance to a label.
    pub fn short_fixup(&mut self, offset: u32, label: Label, kind: u8) {
        self.fixup(offset, label, kind);
        let number = self.fixups.len() as u32 - 1;
        let Some(reach) = self.islands.rules.and_then(|rules| rules.reach(kind)) else {
            return;
        };
        if !self.is_resolved(number, reach) {
            self.wait(number, 0, reach);
        }
    }

    /// Notes that the `kind` field at `offset` holds the distance to a constant of the function, which stands in an
    /// island; returns its label, which the instruction is to name in the log.
    pub fn literal(&mut self, offset: u32, constant: Ref, kind: u8) -> Label {
        debug_assert_eq!(constant.kind(), RefKind::Constant);
        let number = constant.number() as usize;
        let rules = self.islands.rules.expect("targets with literals have islands");
        let reach = rules.reach(kind).expect("fields of literals are in the table");
        if self.islands.literals.len() <= number {
            self.islands.literals.resize(number + 1, None);
        }
        let known = self.islands.literals[number].filter(|&label| match self.label_offset(label) {
            Some(place) => offset - place <= reach.backward_bytes,
            None => true,
        });
        let label = known.unwrap_or_else(|| self.new_label());
        self.islands.literals[number] = Some(label);
        self.fixup(offset, label, kind);
        if self.label_offset(label).is_none() {
            self.wait(self.fixups.len() as u32 - 1, number as u32, reach);
        }
        label
    }

    fn wait(&mut self, number: u32, constant: u32, reach: &Reach) {
        let Fixup {
            offset, label, kind, ..
        } = self.fixups[number as usize];
        let state = &mut self.islands;
        let cost = state.rules.map_or(0, |rules| rules.cost(kind));
        state.queues[usize::from(kind)].push_back(Waiting {
            fixup: number,
            constant,
        });
        state.bytes += cost;
        if self.labels[label.0 as usize] == UNBOUND {
            let index = label.0 as usize;
            if state.bytes_by_label.len() <= index {
                state.bytes_by_label.resize(index + 1, 0);
            }
            state.bytes_by_label[index] += cost;
        }
        state.deadline = state.deadline.min(offset + reach.forward_bytes);
    }

    /// Whether a field gets to its label as it is.
    fn is_resolved(&self, number: u32, reach: &Reach) -> bool {
        let fixup = &self.fixups[number as usize];
        match self.labels[fixup.label.0 as usize] {
            UNBOUND => false,
            target if target >= fixup.offset => target - fixup.offset <= reach.forward_bytes,
            target => fixup.offset - target <= reach.backward_bytes,
        }
    }

    /// Called before `bytes` more come, with one more short field at most: puts an island here if it would come too
    /// late after them.
    #[inline]
    pub(crate) fn make_room(&mut self, bytes: u32) {
        if !self.has_room(bytes) {
            self.make_island(bytes);
        }
    }

    #[inline]
    fn has_room(&self, bytes: u32) -> bool {
        let state = &self.islands;
        self.offset() + bytes + state.spare + state.bytes <= state.deadline
    }

    /// Serves all that still waits when the code is complete; nothing falls out of it.
    pub(crate) fn finish_islands(&mut self) {
        if self.islands.deadline == u32::MAX || self.next_waiting().is_none() {
            return;
        }
        self.last_jump = None;
        self.islands.count += 1;
        while let Some((kind, _)) = self.next_waiting() {
            self.serve(kind);
        }
        self.last_jump = None;
    }

    #[cold]
    #[inline(never)]
    fn make_island(&mut self, bytes: u32) {
        let Some(rules) = self.islands.rules else { return };
        if self.next_waiting().is_none() || self.has_room(bytes) {
            return;
        }
        let falls_in = self.last_jump.take().is_none_or(|(_, end, _)| end != self.offset());
        let after = falls_in.then(|| self.new_label());
        if let Some(after) = after {
            // It does not wait: it reaches over the island.
            let rules = self.islands.rules.take();
            (rules.expect("there are rules").jump)(self, after);
            self.islands.rules = rules;
        }
        self.islands.count += 1;
        while let Some((kind, waiting)) = self.next_waiting() {
            let reach = rules.reach(kind).map_or(0, |reach| reach.forward_bytes);
            let age = self.offset() - self.fixups[waiting.fixup as usize].offset;
            if age < reach / 2 && self.has_room(bytes) {
                break;
            }
            self.serve(kind);
        }
        // The last veneer stays, whatever label comes next.
        self.last_jump = None;
        if let Some(after) = after {
            self.bind(after);
        }
    }

    /// The field with the earliest deadline that must be served; it is the first one of its kind. Those that need
    /// nothing any more go.
    fn next_waiting(&mut self) -> Option<(u8, Waiting)> {
        let rules = self.islands.rules?;
        let mut next: Option<(u32, u8, Waiting)> = None;
        for kind in 0..rules.reach.len() as u8 {
            let Some(reach) = rules.reach(kind) else { continue };
            while let Some(&first) = self.islands.queues[usize::from(kind)].front() {
                if self.is_resolved(first.fixup, reach) {
                    self.islands.queues[usize::from(kind)].pop_front();
                    continue;
                }
                let deadline = self.fixups[first.fixup as usize].offset + reach.forward_bytes;
                if next.is_none_or(|(earliest, ..)| deadline < earliest) {
                    next = Some((deadline, kind, first));
                }
                break;
            }
        }
        self.islands.deadline = next.map_or(u32::MAX, |(deadline, ..)| deadline);
        next.map(|(_, kind, waiting)| (kind, waiting))
    }

    /// Puts here what the first field of a kind needs.
    fn serve(&mut self, kind: u8) {
        let rules = self.islands.rules.expect("something waits");
        let queue = &mut self.islands.queues[usize::from(kind)];
        let (Some(waiting), Some(reach)) = (queue.pop_front(), rules.reach(kind)) else {
            return;
        };
        let number = waiting.fixup as usize;
        let label = self.fixups[number].label;
        match reach.beyond {
            Beyond::Literal { .. } => {
                let PoolConstant { bytes, len } = self.constants[waiting.constant as usize];
                self.bind(label);
                self.log_item(LogItem::Literal(waiting.constant));
                self.put(&bytes[..usize::from(len)]);
            }
            Beyond::Veneer { put, .. } => {
                let is_bound = self.label_offset(label).is_some();
                self.islands.pay(label, kind, is_bound);
                let veneer = self.new_label();
                self.bind(veneer);
                self.fixups[number].label = veneer;
                self.retarget_log(self.fixups[number].offset, label, veneer);
                put(self, label);
            }
        }
    }

    /// Has the instruction with the field at `offset` name another label in the log.
    fn retarget_log(&mut self, offset: u32, old: Label, new: Label) {
        let end = self.log.partition_point(|(start, _)| *start <= offset);
        for (_, item) in self.log[..end].iter_mut().rev() {
            if let LogItem::Inst(inst, _) = item {
                if inst.label() == old {
                    *inst = inst.with_label(new);
                }
                return;
            }
        }
    }
}

#[cfg(test)]
mod tests;
