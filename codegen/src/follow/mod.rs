//! Where the values of variables are in code of the optimizing path.
//!
//! Values are followed by the names that the allocation checker gives them ([`crate::check`]): its form of a function
//! says which instruction defines, copies and overwrites what, in registers and spill slots. [`values`] has which
//! variable has which value from which instruction on, and [`flow`] finds, forward and with the meet of all paths, what
//! each place holds and each variable is at each instruction. Passes over physical registers know nothing of all this:
//! instructions have identities, and [`changes`] tells what has become of them. [`ranges`] goes along the code as it
//! was emitted, and notes where each variable is.
//!
//! What is not certain is lost: a value that is nowhere, what an instruction that passes have changed may have
//! overwritten, a variable that is in different places on paths that meet. A parameter that is nowhere any more is said
//! to be what was in its register when the function was called, which debuggers may know of callers whose calls are
//! described. A value that is a sum of a constant and another one, which is somewhere, is described by that. The
//! registers of an integer that has several are followed each by itself, as if they were parts of the variable.
//!
//! Nothing of this is entered for functions without values of variables, and nothing of it changes code.

mod changes;
mod flow;
mod ranges;
mod state;
mod values;

pub(crate) use ranges::{Emitted, FrameState};

use crate::buffer::CodeBuffer;
use crate::check::flow::{Flow, Name, Place as Holder};
use crate::check::machine::{Scratch, bring};
use crate::debug::{CodeDebug, FrameDistances, Spot};
use crate::desc::TargetDesc;
use crate::finish::calls::describes_calls;
use crate::mfunc::{INCOMING, MFunc};
use crate::minst::MInst;
use crate::parts::Parts;
use crate::reg::{PRegSet, Reg};
use crate::regalloc::{Allocation, AllocatorInput};
use crate::unit::Unit;
use changes::Changes;
use flow::{Steps, find_arguments, find_wanted};
use frazil_ir::debug::{DebugKind, Metadata};
use frazil_ir::{Function, Value};
use ranges::Walk;
use values::Tracked;

/// What is known of where values come from.
pub(super) struct Sources<'a> {
    /// By value: its first virtual register, or `u32::MAX`.
    pub first_vreg: &'a [u32],
    pub parts: &'a [Parts],
    /// By stack slot: where it is.
    pub slots: Vec<Option<Spot>>,
    /// Parameters that nothing uses, with their names.
    pub unused: Vec<(Value, Name)>,
    pub module_nodes: Option<&'a Metadata>,
}

/// What the selecting context knows of values.
#[derive(Clone, Copy)]
pub(crate) struct Selected<'a> {
    /// By value: its first virtual register, or `u32::MAX`.
    pub first_vreg: &'a [u32],
    pub parts: &'a [Parts],
    /// By stack slot: its offset, and whether only its address is there.
    pub slots: &'a [(i32, bool)],
    /// Parameters that nothing uses, with the registers in which they come.
    pub unused: &'a [(Value, Reg)],
    /// The function that was allocated.
    pub func: &'a MFunc,
}

/// The frame of a function, and which registers are the caller's.
#[derive(Clone, Copy)]
pub(crate) struct Frame<'a> {
    pub distances: FrameDistances,
    /// By spill slot: its offset.
    pub slots: &'a [i32],
    pub saved: PRegSet,
    /// Whether what leaves the function overwrites other registers, too.
    pub is_cleared: bool,
}

/// Follows the values of one function after the other.
#[derive(Debug, Default)]
pub(crate) struct Follower {
    is_on: bool,
    scratch: Scratch,
    flow: Flow,
    /// The instructions after allocation with their identities, and below which number identities are.
    applied: Vec<(u32, MInst)>,
    known: u32,
    /// The instructions as they were emitted.
    pub emitted: Vec<Emitted>,
}

impl Follower {
    /// Looks at a function and its allocation; returns whether there is anything to follow.
    pub fn begin(
        &mut self,
        function: &Function,
        func: &MFunc,
        input: &AllocatorInput<'_>,
        allocation: &Allocation,
    ) -> bool {
        self.is_on = function.debug.is_on() && has_values(function);
        if self.is_on {
            self.emitted.clear();
            self.applied.clear();
            self.is_on = bring(func, input, allocation, &mut self.scratch, &mut self.flow).is_ok();
        }
        self.is_on
    }

    /// Keeps the function as it is when the allocation has been applied.
    pub fn keep(&mut self, func: &MFunc) {
        if self.is_on {
            let named = func.origins.iter().copied().zip(func.insts.iter().copied());
            self.applied.extend(named);
            self.known = func.identities.len() as u32;
        }
    }

    /// Finds the places of variables in a function that was emitted.
    #[cold]
    pub fn finish(
        &mut self,
        unit: &Unit<'_>,
        (selected, allocated): (Selected<'_>, &MFunc),
        input: &AllocatorInput<'_>,
        frame: Frame<'_>,
        (body, debug): (&CodeBuffer, &mut CodeDebug),
    ) {
        if !self.is_on {
            return;
        }
        for row in &mut self.emitted {
            row.offset = body.moved_offset(row.offset);
        }
        let places = self.find(unit, (selected, allocated), input, frame, body.offset());
        debug.places.extend(places.unwrap_or_default());
    }

    fn find(
        &self,
        unit: &Unit<'_>,
        (selected, allocated): (Selected<'_>, &MFunc),
        input: &AllocatorInput<'_>,
        frame: Frame<'_>,
        end: u32,
    ) -> Option<Vec<crate::debug::Place>> {
        let function = unit.function;
        let func = selected.func;
        // Their names come after those of the machine function.
        let names = self.flow.name_bytes.len() as u32..;
        let unused = selected.unused.iter().zip(names);
        let unused: Vec<(Value, Reg, Name)> = unused.map(|(&(value, reg), name)| (value, reg, Name(name))).collect();
        let sources = Sources {
            first_vreg: selected.first_vreg,
            parts: selected.parts,
            slots: selected.slots.iter().map(|&slot| slot_spot(slot, frame)).collect(),
            unused: unused.iter().map(|row| (row.0, row.2)).collect(),
            module_nodes: unit.view.module.debug.as_deref().map(|debug| &debug.nodes),
        };
        let tracked = Tracked::find(function, &sources, func, (&self.flow, &self.scratch.sources))?;
        let changes = Changes::find(&self.applied, allocated, self.known, input.ops)?;
        let spans = self.scratch.spans.as_slice();
        let block_spans = func.blocks.iter().map(|block| {
            let place = |inst: u32| spans.partition_point(|span| span.inst < inst);
            place(block.start)..place(block.end)
        });
        let ends = spans.iter().skip(1).map(|span| span.inst - 1);
        let mut steps = Steps {
            flow: &self.flow,
            spans,
            block_spans: block_spans.collect(),
            last_insts: ends.chain([func.insts.len() as u32 - 1]).collect(),
            changes: &changes,
            tracked: &tracked,
            is_wanted: find_wanted(&self.flow, tracked.names()),
            arguments: Vec::new(),
            inst_count: func.insts.len() as u32,
        };
        let entry = steps.block_spans.first()?.clone();
        steps.arguments = find_arguments(&self.flow, entry, spans);
        (steps.arguments).extend(unused.iter().map(|row| (Holder::reg(row.1), row.2)));
        let inputs = steps.solve()?;
        let mut walk = Walk::new(&steps, &inputs, &function.debug.values);
        // Where calls are not described, no debugger knows what was passed.
        let is_known = describes_calls(unit);
        let arguments = steps.arguments.iter().filter(|_| is_known);
        let parameters = arguments.filter(|row| tracked.is_parameter(row.1));
        let on_entry = parameters.filter_map(|row| Some((row.1, Spot::Entry(input.desc.dwarf_number(Reg(row.0.0))?))));
        walk.on_entry = on_entry.collect();
        let spot_of = |holder: Holder, state: FrameState| spot(holder, state, frame, input.desc);
        Some(walk.run(&self.emitted, end, spot_of))
    }
}

/// Whether a function has values of variables that are not lost.
fn has_values(function: &Function) -> bool {
    let mut values = function.debug.values.iter();
    values.any(|value| value.kind != DebugKind::Declare && !value.is_lost())
}

/// Where a stack slot is.
fn slot_spot((offset, is_indirect): (i32, bool), frame: Frame<'_>) -> Option<Spot> {
    let offset = offset + frame.distances.areas?;
    Some(match is_indirect {
        true => Spot::Frame(offset),
        false => Spot::FrameAddress(offset),
    })
}

/// How debuggers find what is at a place; `None` if they do not.
fn spot(holder: Holder, state: FrameState, frame: Frame<'_>, desc: &TargetDesc) -> Option<Spot> {
    if holder == Holder::FLAGS {
        return None;
    }
    if holder > Holder::FLAGS {
        let &slot = frame.slots.get((holder.0 - Holder::memory(0).0) as usize)?;
        return Some(Spot::Frame(match slot < INCOMING / 2 {
            true => slot + frame.distances.areas?,
            false => slot - INCOMING + frame.distances.incoming,
        }));
    }
    let reg = Reg(holder.0);
    let is_ours = match state {
        FrameState::There => true,
        FrameState::Missing | FrameState::Unknown => !frame.saved.contains(reg),
        FrameState::Leaving => !frame.saved.contains(reg) && !frame.is_cleared,
    };
    desc.dwarf_number(reg).filter(|_| is_ours).map(Spot::Register)
}
