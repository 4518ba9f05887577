//! Random functions run the same over virtual registers and under their allocation.

mod generate;
mod ops;
mod reduced;
mod reloads;
mod run;
mod settle;

use super::allocate::Limits;
use super::{Allocation, AllocatorInput, AllocatorOptions, RegAllocState, allocate};
use crate::check::check_allocation;
use crate::mfunc::MFunc;
use crate::reg::PRegSet;
use frazil_test_support::Random;
use generate::Shape;
use ops::{DESC, OPS, SAVED};

/// Allocates registers, checks the allocation and compares runs with and without it.
fn allocation_of(
    func: &MFunc,
    allocatable: PRegSet,
    for_size: bool,
    options: &AllocatorOptions,
    state: &mut RegAllocState,
    what: &str,
) -> Allocation {
    let input = AllocatorInput {
        desc: &DESC,
        ops: OPS,
        allocatable,
        // One that not all instructions can name, where enough are left for the others.
        lends_scratch: false,
        upper: match allocatable.bank(1).count_ones() {
            4.. => PRegSet::from_banks(0, 1),
            _ => PRegSet::EMPTY,
        },
        callee_saved: SAVED.intersection(allocatable),
        reuse_slots: true,
        for_size,
        options,
    };
    let mut allocation = Allocation::default();
    allocate(func, &input, state, &mut allocation).unwrap_or_else(|error| panic!("{what}: {error}"));
    if let Err(error) = check_allocation(func, &input, &allocation) {
        panic!("{what}: {error}\n{}", dump(func, &allocation));
    }
    let expected = run::run(func, None, 300);
    let found = run::run(func, Some(&allocation), 300);
    if expected != found {
        let at = expected.iter().zip(&found).position(|(a, b)| a != b);
        panic!(
            "{what}: different after {at:?} of {} events\n{}",
            expected.len(),
            dump(func, &allocation)
        );
    }
    allocation
}

fn dump(func: &MFunc, allocation: &Allocation) -> String {
    use std::fmt::Write;
    let mut text = String::new();
    for (number, block) in func.blocks.iter().enumerate() {
        let targets: Vec<_> = func.edges_of(number as u32).map(|e| (e, func.edges[e].to)).collect();
        _ = writeln!(text, "block {number} -> {targets:?} {:?}", block.term);
        for inst in block.start..block.end {
            for edit in allocation.edits.iter().filter(|e| e.point == inst * 2) {
                _ = writeln!(text, "      {:?}", edit.action);
            }
            let data = &func.insts[inst as usize];
            let name = crate::mfunc::op_desc(OPS, data.op).name;
            let group = func.groups.iter().any(|g| g.contains(&inst));
            _ = writeln!(
                text,
                "  {inst}{} {name} {:?} {:?} {}",
                if group { "g" } else { "" },
                data.regs(),
                allocation.regs[inst as usize],
                if allocation.deleted.contains(&inst) {
                    "deleted"
                } else {
                    ""
                }
            );
            for m in allocation.memory_operands.iter().filter(|m| m.inst == inst) {
                _ = writeln!(text, "      {m:?}");
            }
            for edit in allocation.edits.iter().filter(|e| e.point == inst * 2 + 1) {
                _ = writeln!(text, "      after {:?}", edit.action);
            }
        }
        for edge in func.edges_of(number as u32) {
            _ = writeln!(text, "    edge {edge} {:?}", func.moves_of(edge));
            for m in allocation.edge_moves.iter().filter(|m| m.edge == edge as u32) {
                _ = writeln!(text, "      {:?}", m.action);
            }
        }
    }
    text
}

fn check_many(count: u64, shapes: &[Shape], allocatable: PRegSet) {
    check_with(&mut RegAllocState::default(), count, shapes, allocatable);
}

fn check_with(state: &mut RegAllocState, count: u64, shapes: &[Shape], allocatable: PRegSet) {
    for seed in 1..=count {
        let mut random = Random::new(seed);
        let shape = shapes[random.below(shapes.len())];
        let func = generate::function(&mut random, shape);
        let options = AllocatorOptions {
            split: random.below(4) != 0,
            memory_operands: random.below(3) != 0,
            rematerialize: random.below(3) != 0,
        };
        let for_size = random.below(4) == 0;
        allocation_of(&func, allocatable, for_size, &options, state, &format!("seed {seed}"));
    }
}

const SMALL: Shape = Shape {
    blocks: 3,
    insts_per_block: 4,
    variables: 2,
};
const LARGE: Shape = Shape {
    blocks: 12,
    insts_per_block: 12,
    variables: 12,
};

#[test]
fn one_block() {
    let shape = Shape {
        blocks: 1,
        insts_per_block: 12,
        variables: 6,
    };
    check_many(500, &[shape], PRegSet::from_banks(0xff, 0xf));
    check_many(500, &[shape], PRegSet::from_banks(0x0f, 0x3));
}

#[test]
fn many_registers() {
    check_many(2000, &[SMALL, LARGE], PRegSet::from_banks(0xff, 0xf));
}

#[test]
fn few_registers() {
    check_many(2000, &[SMALL, LARGE], PRegSet::from_banks(0x1f, 0x3));
}

/// With limits of zero, so that the less exact methods are used.
#[test]
fn without_a_budget() {
    let mut state = RegAllocState::default();
    state.limits = Limits {
        regions: 0,
        looks: 0,
        reloads: 0,
        small: 0,
    };
    check_with(&mut state, 1000, &[SMALL, LARGE], PRegSet::from_banks(0x3f, 0x7));
}
