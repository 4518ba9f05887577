//! What places and variables hold before and after the steps of a function: two problems of data flow at once.
//!
//! The steps are those of the allocation checker ([`crate::check::flow`]): names (virtual registers) and the places
//! where they are. Where paths meet, a place holds what it holds on all of them, and a variable has a value only if it
//! has the same one on all of them. A name that gets a new value takes it from the variables that were said to have the
//! old one: that is not known to be anywhere any more.

use super::changes::Changes;
use super::state::{State, holders};
use super::values::{Source, Tracked};
use crate::check::flow::{Flow, Name, Op, Place};
use crate::check::machine::Span;
use crate::finish::apply::identity;
use crate::reg::Reg;
use std::collections::BTreeSet;
use std::ops::Range;

/// How often each step may be looked at, on average, until nothing changes; functions that need more are given up.
const MOST_ROUNDS: usize = 64;

/// What a function's steps do to states.
#[derive(Debug)]
pub(super) struct Steps<'a> {
    pub flow: &'a Flow,
    /// The steps of instructions, in their order.
    pub spans: &'a [Span],
    /// The spans of each block of the function, and the last instruction of each.
    pub block_spans: Vec<Range<usize>>,
    pub last_insts: Vec<u32>,
    pub changes: &'a Changes,
    pub tracked: &'a Tracked,
    /// By name: whether some variable may have its value.
    pub is_wanted: Vec<bool>,
    /// Arguments that the entry copies from the registers in which they come.
    pub arguments: Vec<(Place, Name)>,
    /// How many instructions were allocated.
    pub inst_count: u32,
}

impl Steps<'_> {
    /// A name has a new value.
    fn renew(&self, state: &mut State, name: Name) {
        state.held.retain(|pair| pair.1 != name);
        state.bound.retain(|pair| !self.tracked.is_lost_with(pair.1, name));
    }

    fn hold(&self, state: &mut State, place: Place, name: Name) {
        let is_wanted = self.is_wanted.get(name.0 as usize).is_none_or(|&is_wanted| is_wanted);
        if is_wanted && place != Place::FLAGS {
            state.add(place, name);
        }
    }

    /// Carries out steps that one identity stands for.
    pub fn run(&self, state: &mut State, ops: Range<u32>, identity: u32) {
        for &moved in self.changes.arrived(identity) {
            let span = self.spans.partition_point(|span| span.inst < moved / identity::COUNT);
            let part = (moved % identity::COUNT) as usize;
            if let Some(span) = self.spans.get(span) {
                self.run_ops(state, span.parts[part]..span.parts[part + 1], |_| true);
            }
        }
        self.changes.lose(state, identity);
        self.run_ops(state, ops, |place| self.changes.is_written(identity, place));
        self.changes.lose(state, identity);
    }

    /// Carries out steps, of which some places may not be written.
    fn run_ops(&self, state: &mut State, ops: Range<u32>, is_written: impl Fn(Place) -> bool) {
        let ops = &self.flow.ops[ops.start as usize..ops.end as usize];
        let mut index = 0;
        while let Some(&op) = ops.get(index) {
            index += 1;
            match op {
                Op::Use { .. } => {}
                Op::Define { place, name } => {
                    state.lose_place(place);
                    self.renew(state, name);
                    if is_written(place) {
                        self.hold(state, place, name);
                    }
                }
                Op::Alias { place, name } => {
                    self.renew(state, name);
                    // The copy that put it there may have been removed. An argument is where it came, then.
                    if is_written(place) {
                        self.hold(state, place, name);
                    } else {
                        for &(place, _) in self.arguments.iter().filter(|argument| argument.1 == name) {
                            self.hold(state, place, name);
                        }
                    }
                }
                Op::Same { new, old } if new != old => {
                    let places: Vec<Place> = holders(state, old).collect();
                    self.renew(state, new);
                    for place in places {
                        self.hold(state, place, new);
                    }
                }
                Op::Same { .. } => {}
                Op::Forget { name } => self.renew(state, name),
                Op::Make { place, name } => {
                    state.lose_place(place);
                    if is_written(place) {
                        self.hold(state, place, name);
                    }
                }
                Op::Clobber { place } => state.lose_place(place),
                Op::Copy { .. } => {
                    let more = ops[index - 1..].iter();
                    let together = more
                        .take_while(|op| matches!(op, Op::Copy { with_next: true, .. }))
                        .count();
                    self.copy(state, &ops[index - 1..index + together], &is_written);
                    index += together;
                }
            }
        }
    }

    /// Copies that take place at the same time.
    fn copy(&self, state: &mut State, copies: &[Op], is_written: impl Fn(Place) -> bool) {
        let before = state.held.clone();
        for copy in copies {
            if let Op::Copy { to, .. } = *copy {
                state.lose_place(to);
            }
        }
        for copy in copies {
            let Op::Copy { from, to, bytes, .. } = *copy else {
                continue;
            };
            if !is_written(to) {
                continue;
            }
            for &(_, name) in before.iter().filter(|pair| pair.0 == from) {
                if self.tracked.bytes(self.flow, name) <= bytes {
                    self.hold(state, to, name);
                }
            }
        }
    }

    /// Gives variables the values that they have from an instruction on.
    pub fn begin(&self, state: &mut State, span: usize) {
        for value in self.tracked.at(self.spans[span].inst) {
            self.bind(state, value);
        }
    }

    /// Gives a variable a value. What holds the value holds the variable from then on, whatever else it is called: on
    /// paths that meet, the variable may have different values in the same place.
    fn bind(&self, state: &mut State, value: u32) {
        self.tracked.bind(&mut state.bound, value);
        let row = &self.tracked.rows[value as usize];
        let is_old = |name: Name| self.tracked.is_class_beside(name, row.variable);
        state.held.retain(|pair| !is_old(pair.1));
        if let Source::Name(name, _) = row.source {
            let places: Vec<Place> = holders(state, name).collect();
            for place in places {
                state.add(place, self.tracked.class_name(value));
            }
        }
    }

    /// Carries out one part of what belongs to an instruction.
    pub fn run_part(&self, state: &mut State, span: usize, part: u32) {
        let Span { inst, parts } = self.spans[span];
        let ops = parts[part as usize]..parts[part as usize + 1];
        if part != identity::ITSELF {
            let last = self.last_of(span);
            let inst = if part == identity::AFTER { last } else { inst };
            self.run(state, ops, inst * identity::COUNT + part);
            return;
        }
        self.run(state, ops.clone(), inst * identity::COUNT + part);
        for member in inst + 1..=self.last_of(span) {
            let identity = member * identity::COUNT + part;
            self.changes.lose(state, identity);
            if self.changes.is_changed(identity) {
                self.lose_written(state, ops.clone());
            }
        }
        if span == 0 {
            for &(place, name) in &self.arguments {
                self.hold(state, place, name);
            }
        }
    }

    /// Loses the places that steps write.
    pub fn lose_written(&self, state: &mut State, ops: Range<u32>) {
        for op in &self.flow.ops[ops.start as usize..ops.end as usize] {
            if let Op::Define { place, .. }
            | Op::Make { place, .. }
            | Op::Clobber { place }
            | Op::Copy { to: place, .. } = *op
            {
                state.lose_place(place);
            }
        }
    }

    /// The last instruction of a group; an instruction itself.
    pub fn last_of(&self, span: usize) -> u32 {
        self.last_insts[span]
    }

    /// Carries out a block: one of the function, or one of an edge.
    fn run_block(&self, state: &mut State, block: u32) {
        match self.block_spans.get(block as usize) {
            Some(spans) => {
                for span in spans.clone() {
                    self.begin(state, span);
                    for part in 0..identity::COUNT {
                        self.run_part(state, span, part);
                    }
                }
                for value in self.tracked.at_end(block) {
                    self.bind(state, value);
                }
            }
            None => {
                let own = &self.flow.blocks[block as usize];
                self.run(state, own.start..own.end, self.edge_identity(block));
            }
        }
        self.rename(state, block);
    }

    /// The identity of the moves of an edge that has a block.
    fn edge_identity(&self, block: u32) -> u32 {
        let edge = self.tracked.edge_of(block);
        self.inst_count * identity::COUNT + edge
    }

    /// Gives phis their values at the end of a block.
    pub fn rename(&self, state: &mut State, block: u32) {
        let own = &self.flow.blocks[block as usize];
        let renames = &self.flow.renames[own.first_rename as usize..own.end_rename as usize];
        if renames.is_empty() {
            return;
        }
        let before = state.held.clone();
        for &(new, old) in renames.iter().filter(|(new, old)| new != old) {
            self.renew(state, new);
            if old == Name::ANYTHING {
                continue;
            }
            for &(place, _) in before.iter().filter(|pair| pair.1 == old) {
                self.hold(state, place, new);
            }
        }
    }

    /// Finds what is known at the start of each block; `None` if that takes too long.
    pub fn solve(&self) -> Option<Vec<Option<State>>> {
        let count = self.flow.blocks.len();
        let mut successors: Vec<Vec<u32>> = vec![Vec::new(); count];
        for &(from, to) in &self.flow.edges {
            successors[from as usize].push(to);
        }
        let mut inputs: Vec<Option<State>> = vec![None; count];
        *inputs.first_mut()? = Some(State::default());
        let mut waiting = BTreeSet::from([0]);
        let mut room = self.flow.ops.len() * MOST_ROUNDS + count * MOST_ROUNDS;
        while let Some(block) = waiting.pop_first() {
            let own = &self.flow.blocks[block as usize];
            room = room.checked_sub((own.end - own.start) as usize + 1)?;
            let mut state = inputs[block as usize].clone()?;
            self.run_block(&mut state, block);
            for &next in &successors[block as usize] {
                let changed = match &mut inputs[next as usize] {
                    Some(known) => known.meet(&state),
                    unknown => {
                        *unknown = Some(state.clone());
                        true
                    }
                };
                if changed {
                    waiting.insert(next);
                }
            }
        }
        Some(inputs)
    }
}

/// Which names variables may have the values of: those that are asked for, and those that become them.
pub(super) fn find_wanted(flow: &Flow, asked: impl Iterator<Item = Name>) -> Vec<bool> {
    let mut is_wanted = vec![false; flow.name_bytes.len()];
    for name in asked {
        // Parameters that nothing uses have names of their own.
        if let Some(is_wanted) = is_wanted.get_mut(name.0 as usize) {
            *is_wanted = true;
        }
    }
    let copies = flow.ops.iter().filter_map(|op| match *op {
        Op::Same { new, old } => Some((new, old)),
        _ => None,
    });
    let copies: Vec<(Name, Name)> = copies.chain(flow.renames.iter().copied()).collect();
    loop {
        let mut changed = false;
        for &(new, old) in copies.iter().rev().filter(|pair| pair.1 != Name::ANYTHING) {
            changed |= is_wanted[new.0 as usize] && !is_wanted[old.0 as usize];
            is_wanted[old.0 as usize] |= is_wanted[new.0 as usize];
        }
        if !changed {
            return is_wanted;
        }
    }
}

/// What the entry copies from the registers in which arguments come, as long as these hold them.
pub(super) fn find_arguments(flow: &Flow, entry: Range<usize>, spans: &[Span]) -> Vec<(Place, Name)> {
    let mut found: Vec<(Place, Name)> = Vec::new();
    let Some((first, last)) = spans.get(entry.start).zip(spans.get(entry.end.wrapping_sub(1))) else {
        return found;
    };
    let mut written: BTreeSet<Place> = BTreeSet::new();
    let mut copied: Option<(Place, Place)> = None;
    for op in &flow.ops[first.parts[2] as usize..last.parts[3] as usize] {
        match *op {
            // Copies stand right before what they are said to be.
            Op::Same { new, old } if old.0 < Reg::FIRST_VIRTUAL && !written.contains(&Place(old.0)) => {
                found.push((Place(old.0), new));
            }
            Op::Alias { place, name } => {
                let from = copied.filter(|copy| copy.1 == place).map_or(place, |copy| copy.0);
                if from < Place::FLAGS && !written.contains(&from) {
                    found.push((from, name));
                }
            }
            Op::Define { place, .. } | Op::Make { place, .. } | Op::Clobber { place } => {
                written.insert(place);
            }
            _ => {}
        }
        copied = None;
        if let Op::Copy { from, to, .. } = *op {
            copied = Some((from, to));
            written.insert(to);
        }
    }
    found
}
