//! The driver of the allocator: runs its stages in order, with memory that is used again for the next function.

use super::bytes;
use super::coalesce::Coalescer;
use super::fold;
use super::frequency::Frequency;
use super::homes::Homes;
use super::intervals::Intervals;
use super::liveness::Liveness;
use super::localize::localize;
use super::positions::Positions;
use super::reloads::{ReloadMemory, Reloads};
use super::resolve::{Resolution, ResolveMemory};
use super::scan::{Scan, ScanMemory};
use super::slots::{self, SlotMemory};
use super::upper::confine;
use super::walk::{Walk, WalkInput};
use super::{Allocation, AllocatorInput};
use crate::error::CodegenError;
use crate::mfunc::MFunc;
use crate::reg::{PRegSet, RegClass};

/// Limits for the work per instruction, beyond which cheaper and less exact methods are used.
#[derive(Clone, Copy, Debug)]
pub(super) struct Limits {
    /// Regions that liveness finds.
    pub regions: usize,
    /// Edges that are examined for bundles of several parts.
    pub looks: usize,
    /// Blocks for which it is chosen anew whether a bundle is in its slot; 0 for none at all.
    pub reloads: usize,
    /// Added to these limits, so that small functions never reach them.
    pub small: usize,
}

impl Default for Limits {
    fn default() -> Self {
        Limits {
            regions: 8,
            looks: 8,
            reloads: 8,
            small: 1 << 16,
        }
    }
}

/// The allocator's memory, kept from function to function.
#[derive(Debug, Default)]
pub struct RegAllocState {
    pub(super) limits: Limits,
    positions: Positions,
    frequency: Frequency,
    liveness: Liveness,
    walk: Walk,
    coalescer: Coalescer,
    homes: Homes,
    intervals: Intervals,
    scan: ScanMemory,
    reloads: ReloadMemory,
    slots: SlotMemory,
    resolve: ResolveMemory,
}

/// Allocates registers: finds a place for every virtual register at every position of its live range. The function's
/// predecessors must have been computed.
///
/// # Errors
/// If an instruction needs more registers at a time than there are.
pub fn allocate(
    func: &MFunc,
    input: &AllocatorInput<'_>,
    state: &mut RegAllocState,
    out: &mut Allocation,
) -> Result<(), CodegenError> {
    out.clear();
    let RegAllocState {
        limits,
        positions,
        frequency,
        liveness,
        walk,
        coalescer,
        homes,
        intervals,
        scan,
        reloads,
        slots,
        resolve,
    } = state;
    positions.compute(func);
    positions.set_frequencies(|positions, freq| match input.for_size {
        // A block counts once, however often it is executed.
        true => freq.resize(func.blocks.len(), 1.0),
        false => frequency.compute(func, positions, freq),
    });
    let count = func.insts.len();
    liveness.compute(func, input.ops, positions, limits.regions * count + limits.small);
    walk.run(WalkInput {
        func,
        input,
        positions,
        liveness,
    });
    coalescer.run(func, input, positions, liveness, walk, intervals);
    homes.find(func, input, walk, intervals);
    if !input.upper.is_empty() {
        confine(func, input, &walk.copies, intervals);
    }
    if !input.desc.byte_registers.is_empty() {
        bytes::mark(func, input, intervals);
    }
    let chooses_reloads = input.options.split && limits.reloads > 0 && positions.loop_count() > 0;
    scan.occupancy
        .start(&mut walk.fixed, input.allocatable, chooses_reloads);
    let clobbered = walk
        .clobbers
        .iter()
        .fold(PRegSet::EMPTY, |all, clobber| all.union(clobber.1));
    let joins = &liveness.regions.joins;
    scan.settle.plan(func, positions, joins);
    Scan {
        input,
        positions,
        intervals,
        memory: scan,
        sets: [
            of_class(input.allocatable, RegClass::Int),
            of_class(input.allocatable, RegClass::Float),
            of_class(input.allocatable, RegClass::Mask),
            of_class(input.allocatable.minus(input.upper), RegClass::Float),
        ],
        clobbers: &walk.clobbers,
        clobbered,
        given: PRegSet::EMPTY,
    }
    .run(count)?;
    let looks = limits.looks * count + limits.small;
    if chooses_reloads {
        Reloads {
            func,
            positions,
            liveness,
            intervals,
            occupancy: &scan.occupancy,
            clobbers: &walk.clobbers,
            memory: reloads,
        }
        .run(limits.reloads * count + limits.small);
    }
    localize(
        intervals,
        positions,
        &liveness.regions.joins,
        looks,
        input.options.split,
    );
    fold::fold_single_uses(intervals, positions, &mut scan.in_memory);
    homes.leave_registers(intervals, positions, &mut scan.in_memory);
    slots::assign(slots, intervals, input.reuse_slots, &mut out.slots);
    out.written = walk.written;
    Resolution {
        func,
        input,
        positions,
        liveness,
        intervals,
        joined: &coalescer.joined,
        memory: resolve,
        out,
    }
    .run();
    Ok(())
}

/// Registers of a class as bits of their bank.
fn of_class(registers: PRegSet, class: RegClass) -> u64 {
    registers.bank(class.bank()) & class.numbers()
}
