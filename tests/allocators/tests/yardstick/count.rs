//! Counts what two allocators add to a function: our allocation, and the output of `regalloc2`.
//!
//! A count is of instructions that move something and of operands in memory, as they are once moves that happen at the
//! same time stand in order; once for each place, and once times how often the place is executed.

use super::graph::{Graph, edge_weight, weight};
use super::ssa::{SsaFunction, their_register};
use frazil_codegen::mfunc::op_desc;
use frazil_codegen::parallel_move::{Location, Move, ParallelMoves, Source, Step};
use frazil_codegen::regalloc::{AllocMove, Allocation, AllocatorInput, MoveSource, NO_REG, RegOrSlot};
use frazil_codegen::{MFunc, PRegSet, Reg};
use regalloc2::{Edit, Inst, Output};
use std::ops::AddAssign;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// From a register to a spill slot.
    Spill,
    /// From a spill slot to a register.
    Reload,
    /// From a register to another one.
    Move,
    /// A rematerialized constant, minus those that are not materialized at first.
    Rematerialization,
    /// An operand of an instruction in its spill slot.
    MemoryOperand,
}

/// Titles of the kinds.
pub const TITLES: [&str; 5] = ["spills", "reloads", "moves", "remade", "in memory"];

/// The counts of one allocator.
#[derive(Clone, Copy, Debug, Default)]
pub struct Counts {
    /// By kind, each place once.
    pub places: [i64; 5],
    /// By kind, each place as often as it is executed.
    pub weighted: [f64; 5],
    /// Callee-saved registers that are written.
    pub saved: i64,
}

impl Counts {
    fn add(&mut self, kind: Kind, weight: f64) {
        self.places[kind as usize] += 1;
        self.weighted[kind as usize] += weight;
    }

    fn subtract(&mut self, kind: Kind, weight: f64) {
        self.places[kind as usize] -= 1;
        self.weighted[kind as usize] -= weight;
    }

    /// All kinds together.
    pub fn total(&self) -> i64 {
        self.places.iter().sum()
    }

    /// All kinds together, as often as they are executed.
    pub fn weighted_total(&self) -> f64 {
        self.weighted.iter().sum()
    }
}

impl AddAssign for Counts {
    fn add_assign(&mut self, other: Counts) {
        for kind in 0..TITLES.len() {
            self.places[kind] += other.places[kind];
            self.weighted[kind] += other.weighted[kind];
        }
        self.saved += other.saved;
    }
}

/// The counts of our allocation.
pub fn ours(func: &MFunc, input: &AllocatorInput<'_>, allocation: &Allocation) -> Counts {
    let mut counts = Counts::default();
    let mut inst_weights = vec![0.0; func.insts.len()];
    for (number, block) in func.blocks.iter().enumerate() {
        inst_weights[block.start as usize..block.end as usize].fill(weight(func, number as u32));
    }
    let edits = allocation.edits.chunk_by(|a, b| a.point == b.point);
    for edits in edits {
        let weight = inst_weights[(edits[0].point / 2) as usize];
        add_moves(func, edits.iter().map(|edit| &edit.action), false, weight, &mut counts);
    }
    for moves in allocation.edge_moves.chunk_by(|a, b| a.edge == b.edge) {
        let weight = edge_weight(func, moves[0].edge as usize);
        add_moves(func, moves.iter().map(|entry| &entry.action), true, weight, &mut counts);
    }
    let is_move = |inst: u32| op_desc(input.ops, func.insts[inst as usize].op).is_move;
    for operand in &allocation.memory_operands {
        let kind = match (is_move(operand.inst), operand.operand) {
            (true, 0) => Kind::Spill,
            (true, _) => Kind::Reload,
            _ => Kind::MemoryOperand,
        };
        counts.add(kind, inst_weights[operand.inst as usize]);
    }
    for &inst in allocation.deleted.iter().filter(|&&inst| !is_move(inst)) {
        counts.subtract(Kind::Rematerialization, inst_weights[inst as usize]);
    }
    for inst in (0..func.insts.len() as u32).filter(|&inst| is_move(inst)) {
        if allocation.deleted.binary_search(&inst).is_err()
            && !allocation.memory_operands.iter().any(|operand| operand.inst == inst)
            && place(func, allocation, inst, 0) != place(func, allocation, inst, 1)
            && is_between_allocatable(func, allocation, input.allocatable, inst)
        {
            counts.add(Kind::Move, inst_weights[inst as usize]);
        }
    }
    counts.saved = allocation.written.intersection(input.callee_saved).iter().count() as i64;
    counts
}

/// The register of an operand.
fn place(func: &MFunc, allocation: &Allocation, inst: u32, operand: usize) -> Reg {
    let found = allocation.regs[inst as usize][operand];
    if found == NO_REG {
        func.insts[inst as usize].reg(operand)
    } else {
        Reg(u32::from(found))
    }
}

/// Copies from and to other registers are no allocator's business.
fn is_between_allocatable(func: &MFunc, allocation: &Allocation, allocatable: PRegSet, inst: u32) -> bool {
    (0..2).all(|operand| {
        let reg = place(func, allocation, inst, operand);
        reg.is_physical() && allocatable.contains(reg)
    })
}

/// Adds moves that happen at the same time.
fn add_moves<'a>(
    func: &MFunc,
    actions: impl Iterator<Item = &'a AllocMove>,
    is_edge: bool,
    weight: f64,
    counts: &mut Counts,
) {
    let location = |place: RegOrSlot| match place {
        RegOrSlot::Reg(reg) => Location::Reg(reg),
        RegOrSlot::Slot(slot) => Location::Frame(slot.0 as i32),
    };
    let mut moves = ParallelMoves::<Reg>::default();
    for action in actions {
        let vreg = func.vreg(action.vreg);
        moves.push(Move {
            source: match action.source {
                MoveSource::Kept(place) => Source::Location(location(place)),
                MoveSource::Rematerialize(reg) => Source::Fresh(reg),
            },
            dest: location(action.dest),
            class: vreg.class,
            bytes: vreg.bytes.max(4),
            extend: (0, false),
        });
    }
    moves.resolve();
    let is_register = |location: Location| matches!(location, Location::Reg(_));
    for step in &moves.steps {
        let (from_register, to_register) = match *step {
            // The contents of a cycle wait in a scratch register on an edge, else in the frame.
            Step::Save { location, .. } => (is_register(location), is_edge),
            Step::Move(step) => {
                let from_register = match step.source {
                    Source::Location(location) => is_register(location),
                    Source::Saved => is_edge,
                    Source::Fresh(_) => {
                        counts.add(Kind::Rematerialization, weight);
                        if !is_register(step.dest) {
                            counts.add(Kind::Spill, weight);
                        }
                        continue;
                    }
                };
                (from_register, is_register(step.dest))
            }
        };
        match (from_register, to_register) {
            (true, true) => counts.add(Kind::Move, weight),
            (true, false) => counts.add(Kind::Spill, weight),
            (false, true) => counts.add(Kind::Reload, weight),
            (false, false) => {
                counts.add(Kind::Reload, weight);
                counts.add(Kind::Spill, weight);
            }
        }
    }
}

/// The counts of the output of `regalloc2`.
pub fn theirs(function: &SsaFunction, graph: &Graph, input: &AllocatorInput<'_>, output: &Output) -> Counts {
    let mut counts = Counts::default();
    let mut written = Vec::new();
    for (point, Edit::Move { from, to }) in &output.edits {
        let kind = match (from.is_reg(), to.is_reg()) {
            _ if from == to => continue,
            (true, true) => Kind::Move,
            (true, false) => Kind::Spill,
            (false, _) => Kind::Reload,
        };
        counts.add(kind, graph.weights[function.block_of(point.inst())]);
        written.extend(to.as_reg());
    }
    for inst in 0..output.inst_alloc_offsets.len() {
        let weight = graph.weights[function.block_of(Inst::new(inst))];
        for allocation in output.inst_allocs(Inst::new(inst)) {
            if allocation.is_stack() {
                counts.add(Kind::MemoryOperand, weight);
            }
            // What is read was written, so the roles need not be examined.
            written.extend(allocation.as_reg());
        }
    }
    for (block, &made) in function.edge_constants.iter().enumerate() {
        for _ in 0..made {
            counts.add(Kind::Rematerialization, graph.weights[block]);
        }
    }
    let saved = input.callee_saved.intersection(input.allocatable);
    counts.saved = saved
        .iter()
        .filter(|&reg| written.contains(&their_register(reg)))
        .count() as i64;
    counts
}
