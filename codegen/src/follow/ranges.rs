//! From what is known at each instruction to ranges of code in which variables are at a place.

use super::flow::Steps;
use super::state::{State, holders};
use super::values::Source;
use crate::check::flow::{Name, Place as Holder};
use crate::debug::{Place, Shape, Spot};
use crate::finish::apply::identity;
use crate::mfunc::{MFunc, pseudo};
use frazil_ir::debug::DebugValue;

/// How much of the frame there is at an instruction.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum FrameState {
    /// Registers that the caller wants back are the function's.
    There,
    /// They are the caller's.
    Missing,
    /// They become the caller's.
    Leaving,
    /// Nothing is known.
    Unknown,
}

/// An instruction as it was emitted.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Emitted {
    /// Offset in bytes.
    pub offset: u32,
    pub identity: u32,
    pub frame: FrameState,
}

impl Emitted {
    /// The next instruction.
    pub fn of(func: &MFunc, index: u32, offset: u32, has_frame: bool) -> Emitted {
        let frame = match func.insts[index as usize].op {
            pseudo::PROLOGUE | pseudo::RESTORE => FrameState::Unknown,
            pseudo::RETURN => FrameState::Leaving,
            _ if has_frame => FrameState::There,
            _ => FrameState::Missing,
        };
        Emitted {
            offset,
            identity: func.origins[index as usize],
            frame,
        }
    }

    /// Code of which nothing is known.
    pub fn nothing(offset: u32) -> Emitted {
        Emitted {
            offset,
            identity: 0,
            frame: FrameState::Unknown,
        }
    }
}

/// A variable that is at a place since an offset.
#[derive(Clone, Copy, Debug)]
struct Open {
    start: u32,
    value: u32,
    holder: Option<Holder>,
    spot: Spot,
}

/// Walks along the instructions as they were emitted.
pub(super) struct Walk<'a> {
    pub steps: &'a Steps<'a>,
    pub inputs: &'a [Option<State>],
    pub values: &'a [DebugValue],
    /// By instruction: the span that it is in.
    pub span_of: Vec<u32>,
    /// Parameters that come in registers.
    pub on_entry: Vec<(Name, Spot)>,
    /// The state before a part of a span, and which.
    at: Option<(usize, u32, State)>,
    open: Vec<Option<Open>>,
    places: Vec<Place>,
}

impl<'a> Walk<'a> {
    /// Begins before the first instruction; `inputs` is what is known at the start of each block.
    pub fn new(steps: &'a Steps<'a>, inputs: &'a [Option<State>], values: &'a [DebugValue]) -> Walk<'a> {
        let mut span_of = Vec::new();
        for (number, &last) in (0..).zip(&steps.last_insts) {
            span_of.resize(last as usize + 1, number);
        }
        Walk {
            steps,
            inputs,
            values,
            span_of,
            on_entry: Vec::new(),
            at: None,
            open: vec![None; steps.tracked.variables()],
            places: Vec::new(),
        }
    }

    /// Finds the places. `spot_of` says how debuggers find what is at one, if they do at this instruction; `end` is
    /// where the code ends.
    pub fn run(
        mut self,
        rows: &[Emitted],
        end: u32,
        spot_of: impl Fn(Holder, FrameState) -> Option<Spot>,
    ) -> Vec<Place> {
        for (index, row) in rows.iter().enumerate() {
            let next = rows.get(index + 1).map_or(end, |next| next.offset);
            if next <= row.offset {
                continue;
            }
            let state = match row.frame {
                FrameState::Unknown => State::default(),
                _ => self.state_at(row.identity).unwrap_or_default(),
            };
            self.show(row, &state, &spot_of);
        }
        for variable in 0..self.open.len() {
            self.close(variable, end);
        }
        self.places
    }

    /// Notes what is known at an instruction.
    fn show(&mut self, row: &Emitted, state: &State, spot_of: &impl Fn(Holder, FrameState) -> Option<Spot>) {
        let mut bound = state.bound.iter().peekable();
        let mut held: Vec<(u32, Holder, u32)> = Vec::new();
        for &(holder, name) in &state.held {
            if let Some(value) = self.steps.tracked.of_class(name) {
                held.push((self.steps.tracked.rows[value as usize].variable, holder, value));
            }
        }
        held.sort_unstable();
        let mut held = held.as_slice();
        for variable in 0..self.open.len() {
            let value = bound.next_if(|pair| pair.0 as usize == variable).map(|pair| pair.1);
            let own;
            (own, held) = held.split_at(held.partition_point(|row| row.0 as usize == variable));
            let open = self.open[variable];
            let now = value.and_then(|value| self.place(value, open, (row, state), spot_of));
            let now = now.or_else(|| self.held(own, open, row, spot_of));
            let is_same = match (open, now) {
                (Some(open), Some(now)) => {
                    let class = |value: u32| self.steps.tracked.class_name(value);
                    (class(open.value), open.spot) == (class(now.value), now.spot)
                }
                (None, None) => true,
                _ => false,
            };
            if !is_same {
                self.close(variable, row.offset);
                self.open[variable] = now;
            }
        }
    }

    /// Where a variable is of which only that is known.
    fn held(
        &self,
        own: &[(u32, Holder, u32)],
        before: Option<Open>,
        row: &Emitted,
        spot_of: &impl Fn(Holder, FrameState) -> Option<Spot>,
    ) -> Option<Open> {
        let found = own
            .iter()
            .filter_map(|&(_, holder, value)| Some((holder, value, spot_of(holder, row.frame)?)));
        let known = before.and_then(|before| before.holder);
        let (holder, value, spot) = found.min_by_key(|&(holder, ..)| (Some(holder) != known, holder))?;
        Some(Open {
            start: row.offset,
            value,
            holder: Some(holder),
            spot,
        })
    }

    /// Where a value is; where it was, if it is still there.
    fn place(
        &self,
        value: u32,
        before: Option<Open>,
        (row, state): (&Emitted, &State),
        spot_of: &impl Fn(Holder, FrameState) -> Option<Spot>,
    ) -> Option<Open> {
        let open = |holder, spot| Open {
            start: row.offset,
            value,
            holder,
            spot,
        };
        match self.steps.tracked.rows[value as usize].source {
            Source::Nowhere => None,
            Source::Spot(spot) => Some(open(None, spot)),
            Source::Name(name, _) => {
                let on_entry = self.on_entry.iter().find(|known| known.0 == name);
                let found = holders(state, name);
                let found = found.filter_map(|holder| Some((holder, spot_of(holder, row.frame)?)));
                let known = before.and_then(|before| before.holder);
                // A parameter that is nowhere any more is what the caller passed.
                match found.min_by_key(|&(holder, _)| (Some(holder) != known, holder)) {
                    Some((holder, spot)) => Some(open(Some(holder), spot)),
                    None => on_entry.map(|&(_, spot)| open(None, spot)),
                }
            }
        }
    }

    fn close(&mut self, variable: usize, end: u32) {
        let Some(open) = self.open[variable].take().filter(|open| open.start < end) else {
            return;
        };
        let row = &self.steps.tracked.rows[open.value as usize];
        self.places.push(Place {
            value: self.values[row.of as usize],
            part: row.part,
            range: Some((open.start, end)),
            spot: open.spot,
            shape: Shape {
                added: row.added,
                bits: row.bits,
            },
        });
    }

    /// What is known while an instruction has not done what it does.
    fn state_at(&mut self, name: u32) -> Option<State> {
        let steps = self.steps;
        let name = steps.changes.settled(name);
        if name >= steps.inst_count * identity::COUNT {
            return self.state_on_edge(name - steps.inst_count * identity::COUNT);
        }
        let (inst, part) = (name / identity::COUNT, name % identity::COUNT);
        let span = *self.span_of.get(inst as usize)? as usize;
        self.seek(span, part)?;
        let (_, _, state) = self.at.as_ref()?;
        let mut state = state.clone();
        let is_single = steps.last_of(span) == steps.spans[span].inst;
        if part != identity::ITSELF || !is_single {
            let parts = steps.spans[span].parts;
            steps.lose_written(&mut state, parts[part as usize]..parts[part as usize + 1]);
        }
        Some(state)
    }

    /// What is known while the moves of an edge are made.
    fn state_on_edge(&self, edge: u32) -> Option<State> {
        let block = self.steps.tracked.block_of_edge(edge)?;
        let mut state = self.inputs.get(block as usize)?.clone()?;
        let own = &self.steps.flow.blocks[block as usize];
        self.steps.lose_written(&mut state, own.start..own.end);
        let renames = &self.steps.flow.renames[own.first_rename as usize..own.end_rename as usize];
        for &(new, _) in renames {
            state.bound.retain(|pair| !self.steps.tracked.is_lost_with(pair.1, new));
        }
        Some(state)
    }

    /// Comes to the state before a part of a span.
    fn seek(&mut self, span: usize, part: u32) -> Option<()> {
        let steps = self.steps;
        let block = steps.block_spans.partition_point(|spans| spans.end <= span);
        let first = steps.block_spans.get(block)?.start;
        let known = self
            .at
            .take()
            .filter(|at| at.0 >= first && (at.0, at.1) <= (span, part));
        let (mut at, mut at_part, mut state) = match known {
            Some(known) => known,
            None => {
                let mut state = self.inputs.get(block)?.clone()?;
                steps.begin(&mut state, first);
                (first, 0, state)
            }
        };
        while (at, at_part) < (span, part) {
            steps.run_part(&mut state, at, at_part);
            at_part += 1;
            if at_part == identity::COUNT {
                (at, at_part) = (at + 1, 0);
                steps.begin(&mut state, at);
            }
        }
        self.at = Some((at, at_part, state));
        Some(())
    }
}
