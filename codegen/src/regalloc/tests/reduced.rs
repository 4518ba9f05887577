//! Single situations that random functions have found.

use super::generate::inst;
use super::ops::{Op, P0, P1};
use crate::mfunc::{MBlock, MFunc, RegSets, Term, pseudo};
use crate::minst::MInst;
use crate::reg::{PRegSet, Reg, RegClass};
use crate::regalloc::{Allocation, AllocatorOptions, RegAllocState};

/// Makes a function of one block.
#[derive(Default)]
struct Maker(MFunc);

impl Maker {
    fn int(&mut self, bytes: u8) -> Reg {
        self.0.new_vreg(RegClass::Int, bytes, u32::MAX)
    }

    /// Appends an instruction and returns its number.
    fn push(&mut self, op: Op, regs: &[Reg]) -> u32 {
        let mut all = [Reg::NONE; 3];
        all[..regs.len()].copy_from_slice(regs);
        self.0.insts.push(inst(op, all));
        self.0.insts.len() as u32 - 1
    }

    /// Appends an instruction that clobbers these registers.
    fn push_sets(&mut self, op: u16, defs: PRegSet) {
        let uses = PRegSet::EMPTY;
        self.0.insts.push(MInst::new(op, 8).with_imm(self.0.sets.len() as i32));
        self.0.sets.push(RegSets::new(uses, defs));
    }

    fn finish(mut self) -> MFunc {
        self.push_sets(pseudo::RETURN, PRegSet::EMPTY);
        self.0.blocks.push(MBlock {
            start: 0,
            end: self.0.insts.len() as u32,
            first_edge: 0,
            edge_count: 0,
            term: Term::Return,
            loop_depth: 0,
            loop_end: 1,
            source: 0,
        });
        self.0.origins = vec![0; self.0.insts.len()];
        self.0.compute_predecessors();
        self.0
    }
}

/// A copy to a wider register clears the upper part. Copies to narrower ones may coalesce the two registers all the
/// same, and these may share a slot across calls; but the copy must be made.
#[test]
fn copies_to_wider_registers_are_made_whatever_joined_them() {
    let allocatable = PRegSet::of(&[P0, P1]);
    let mut maker = Maker::default();
    let [narrow, wide, low] = [4, 8, 4].map(|bytes| maker.int(bytes));
    maker.push_sets(pseudo::ENTRY, allocatable);
    maker.push(Op::Move, &[narrow, P0]);
    maker.push_sets(Op::Call as u16, allocatable);
    let widening = maker.push(Op::Move, &[wide, narrow]);
    maker.push_sets(Op::Call as u16, allocatable);
    let narrowing = maker.push(Op::Move, &[low, wide]);
    maker.push_sets(Op::Call as u16, allocatable);
    let again = maker.push(Op::Move, &[narrow, low]);
    maker.push_sets(Op::Call as u16, allocatable);
    maker.push(Op::Two, &[narrow, narrow]);
    let func = maker.finish();
    let allocation = allocated(&func, allocatable);
    assert_eq!(
        allocation.deleted,
        [narrowing, again],
        "of the copies {widening}, {narrowing} and {again} within one slot"
    );
}

/// A copy and its source have the same value if neither is written otherwise, so they are coalesced.
#[test]
fn a_copy_that_nothing_changes_shares_the_register_of_its_source() {
    let mut maker = Maker::default();
    let [source, copy, sum] = [8; 3].map(|bytes| maker.int(bytes));
    let allocatable = PRegSet::of(&[P0, P1]);
    maker.push_sets(pseudo::ENTRY, PRegSet::of(&[P0]));
    maker.push(Op::Move, &[source, P0]);
    maker.push(Op::Move, &[copy, source]);
    let first = maker.push(Op::Three, &[sum, copy, source]);
    let second = maker.push(Op::Three, &[sum, source, sum]);
    let third = maker.push(Op::Three, &[sum, copy, sum]);
    maker.push(Op::Move, &[P0, sum]);
    let allocation = allocated(&maker.finish(), allocatable);
    let [of_both, of_source, of_copy] = [first, second, third].map(|inst| allocation.regs[inst as usize]);
    assert_eq!(of_both[1], of_both[2]);
    assert_eq!([of_source[1], of_copy[1]], [of_both[2]; 2]);
}

/// If the copy is written again, both values are needed at a time.
#[test]
fn a_copy_that_is_changed_has_a_register_of_its_own() {
    let mut maker = Maker::default();
    let [source, copy, sum] = [8; 3].map(|bytes| maker.int(bytes));
    maker.push_sets(pseudo::ENTRY, PRegSet::of(&[P0]));
    maker.push(Op::Move, &[source, P0]);
    maker.push(Op::Move, &[copy, source]);
    maker.push(Op::One, &[copy]);
    let both = maker.push(Op::Three, &[sum, copy, source]);
    maker.push(Op::Move, &[P0, sum]);
    let allocation = allocated(&maker.finish(), PRegSet::of(&[P0, P1]));
    let [_, of_copy, of_source, _] = allocation.regs[both as usize];
    assert_ne!(of_copy, of_source);
}

fn allocated(func: &MFunc, allocatable: PRegSet) -> Allocation {
    let options = AllocatorOptions::default();
    let mut state = RegAllocState::default();
    super::allocation_of(func, allocatable, false, &options, &mut state, "a reduced function")
}
