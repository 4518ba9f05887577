//! Brings two loads or two stores of neighbouring memory side by side, and an access and the sum that moves its base,
//! so that one instruction does both.
//!
//! ```text
//! ldr x1, [x0]               ldr x1, [x0]
//! add x3, x1, x2      ->     ldr x4, [x0, #8]     (one `ldp` when code is emitted)
//! ldr x4, [x0, #8]           add x3, x1, x2
//! ```
//!
//! Method: of each access, the few instructions after it are searched for one that makes a pair with it
//! ([`frazil_codegen::pass::MachRules::paired`]). The second moves up to the first, or the first down to the second, if
//! that passes no instruction that reads or writes a register which it writes, or writes one that it reads. What is
//! passed computes from registers alone, so that the order of accesses stays, as the validator demands; groups
//! (contract 7) are left alone. Instructions that follow each other are made one when code is emitted
//! ([`frazil_codegen::isa::Isa::paired`]); this pass only moves.
//!
//! Costs: a look at up to eight instructions for each access, on targets that have pairs. Gains: on AArch64, one
//! instruction in two hundred.
//!
//! Source: LLVM's `AArch64LoadStoreOptimizer`, which passes other accesses as well and renames registers.

use super::live::effects;
use frazil_codegen::desc::OpDesc;
use frazil_codegen::mfunc::{MFunc, RegSets, op_desc, pseudo};
use frazil_codegen::pass::{MachPass, MachPassCx};
use frazil_ir::pass::{Level, Order, PassInfo};

pub const INFO: PassInfo = PassInfo {
    name: "pair-accesses",
    summary: "brings loads and stores of neighbouring memory side by side, where targets have instructions for two",
    level: Level::Mach,
    required: false,
    after: &[
        Order {
            pass: "peephole",
            reason: "it looks for instructions in the order in which they are made",
        },
        Order {
            pass: "tail-merge",
            reason: "equal ends of blocks are found while they stand in the order of the program",
        },
    ],
    before: &[],
};

/// How many instructions after an access are searched.
const MOST_STEPS: usize = 8;

/// See the head of the file.
#[derive(Debug)]
pub struct PairAccesses;

/// A move that brings a pair together.
#[derive(Clone, Copy, Debug)]
enum Found {
    /// The two stand side by side already.
    Beside,
    /// The second one, with this number, can move up to the first.
    Up(usize),
    /// The first one can move down to the second.
    Down(usize),
}

impl MachPass for PairAccesses {
    fn run(&self, func: &mut MFunc, cx: &mut MachPassCx<'_>) -> u64 {
        if !cx.is_allocated || !cx.hooks.rules().has_pairs() {
            return 0;
        }
        func.groups.retain(|group| !group.is_empty());
        let (mut moved, mut next_group) = (0, 0);
        for block in 0..func.blocks.len() {
            let end = func.blocks[block].end as usize;
            let mut index = func.blocks[block].start as usize;
            while index < end {
                // Nothing of a group is looked at.
                let (limit, after) = match func.groups.get(next_group) {
                    Some(group) if (group.start as usize) < end => (group.start as usize, group.end as usize),
                    _ => (end, end),
                };
                if index >= limit {
                    next_group += 1;
                    index = after;
                    continue;
                }
                match find(func, cx, index, limit) {
                    None => index += 1,
                    Some(Found::Beside) => index += 2,
                    Some(Found::Up(second)) => {
                        func.insts[index + 1..=second].rotate_right(1);
                        func.origins[index + 1..=second].rotate_right(1);
                        moved += 1;
                        index += 2;
                    }
                    // What was between is looked at next.
                    Some(Found::Down(second)) => {
                        func.insts[index..second].rotate_left(1);
                        func.origins[index..second].rotate_left(1);
                        moved += 1;
                    }
                }
            }
        }
        moved
    }
}

/// Looks for the other half of a pair before `limit`.
fn find(func: &MFunc, cx: &MachPassCx<'_>, index: usize, limit: usize) -> Option<Found> {
    let (ops, rules) = (cx.hooks.ops(), cx.hooks.rules());
    let first = &func.insts[index];
    let is_access = first.op < pseudo::FIRST && accesses_memory(op_desc(ops, first.op));
    if !is_access {
        return None;
    }
    let own = effects(func, first, op_desc(ops, first.op));
    let mut passed = RegSets::default();
    for second in index + 1..limit.min(index + 1 + MOST_STEPS) {
        let inst = &func.insts[second];
        if inst.op >= pseudo::FIRST {
            return None;
        }
        let desc = op_desc(ops, inst.op);
        let sets = effects(func, inst, desc);
        if rules.paired(first, inst).is_some() {
            if second == index + 1 {
                return Some(Found::Beside);
            }
            if is_apart(sets, passed) {
                return Some(Found::Up(second));
            }
            if is_apart(own, passed) {
                return Some(Found::Down(second));
            }
        }
        if !func.is_pure(desc) || accesses_memory(desc) {
            return None;
        }
        passed.uses = passed.uses.union(sets.uses);
        passed.defs = passed.defs.union(sets.defs);
    }
    None
}

fn accesses_memory(desc: &OpDesc) -> bool {
    desc.reads_memory || desc.writes_memory
}

/// Whether an instruction with these registers can pass others with those.
fn is_apart(moved: RegSets, passed: RegSets) -> bool {
    let read = moved.uses.intersection(passed.defs);
    let written = moved.defs.intersection(passed.uses.union(passed.defs));
    read.is_empty() && written.is_empty()
}
