//! Values keep their registers on paths that have enough of them.

use super::generate::inst;
use super::ops::{Op, P0, P1};
use super::{AllocatorOptions, allocation_of};
use crate::branch::Join;
use crate::mfunc::{MBlock, MEdge, MFunc, RegSets, Term, pseudo};
use crate::minst::MInst;
use crate::reg::{PRegSet, Reg, RegClass};
use crate::regalloc::RegAllocState;

/// The block of the second arm.
const SECOND: u32 = 3;

/// Ends a block with edges to these targets.
pub(super) fn end_block(func: &mut MFunc, term: Term, loop_end: u32, targets: &[u32]) {
    let number = func.blocks.len() as u32;
    let start = func.blocks.last().map_or(0, |block| block.end);
    func.blocks.push(MBlock {
        start,
        end: func.insts.len() as u32,
        first_edge: func.edges.len() as u32,
        edge_count: targets.len() as u32,
        term,
        loop_depth: u8::from((1..5).contains(&number)),
        loop_end,
        source: number,
    });
    func.edges.extend(targets.iter().map(|&to| MEdge {
        from: number,
        to,
        label: None,
        first_move: 0,
        move_count: 0,
    }));
}

pub(super) fn push_sets(func: &mut MFunc, op: u16, sets: RegSets) {
    func.insts.push(MInst::new(op, 8).with_imm(func.sets.len() as i32));
    func.sets.push(sets);
}

/// A loop around a branch. The first arm needs all registers, the second one only those of the values that are live
/// through the loop.
fn two_arms() -> MFunc {
    let mut func = MFunc::default();
    let [a, b, c, d] = std::array::from_fn(|_| func.new_vreg(RegClass::Int, 8, u32::MAX));
    let three = |func: &mut MFunc, dst: Reg, x: Reg, y: Reg| func.insts.push(inst(Op::Three, [dst, x, y]));
    let branch = |func: &mut MFunc, x: Reg, y: Reg| func.insts.push(inst(Op::Branch, [x, y, Reg::NONE]));
    let (uses, defs) = (PRegSet::EMPTY, PRegSet::of(&[P0, P1]));
    push_sets(&mut func, pseudo::ENTRY, RegSets::new(uses, defs));
    func.insts.push(inst(Op::Move, [a, P0, Reg::NONE]));
    func.insts.push(inst(Op::Move, [b, P1, Reg::NONE]));
    three(&mut func, c, a, b);
    three(&mut func, d, a, c);
    end_block(&mut func, Term::Jump, 1, &[1]);
    branch(&mut func, a, b);
    branch(&mut func, c, d);
    end_block(&mut func, Term::Branch(Some(Join::And)), 5, &[SECOND, 2]);
    let temps: [Reg; 6] = std::array::from_fn(|_| func.new_vreg(RegClass::Int, 8, u32::MAX));
    three(&mut func, temps[0], a, b);
    three(&mut func, temps[1], temps[0], a);
    three(&mut func, temps[2], temps[0], temps[1]);
    three(&mut func, temps[3], temps[1], temps[2]);
    three(&mut func, temps[4], temps[0], temps[1]);
    three(&mut func, temps[5], temps[2], temps[3]);
    branch(&mut func, temps[4], temps[5]);
    end_block(&mut func, Term::Branch(None), 3, &[5, 4]);
    for (x, y) in [(d, c), (b, a)] {
        let unused = func.new_vreg(RegClass::Int, 8, u32::MAX);
        three(&mut func, unused, x, y);
    }
    end_block(&mut func, Term::Jump, SECOND + 1, &[4]);
    branch(&mut func, a, b);
    end_block(&mut func, Term::Branch(None), 5, &[1, 5]);
    func.insts.push(inst(Op::Move, [P0, a, Reg::NONE]));
    let (uses, defs) = (PRegSet::of(&[P0]), PRegSet::EMPTY);
    push_sets(&mut func, pseudo::RETURN, RegSets::new(uses, defs));
    end_block(&mut func, Term::Return, 6, &[]);
    func.origins = vec![0; func.insts.len()];
    func.compute_predecessors();
    func
}

#[test]
fn the_second_arm_moves_nothing() {
    let func = two_arms();
    let options = AllocatorOptions {
        memory_operands: false,
        ..AllocatorOptions::default()
    };
    let few = PRegSet::from_banks(0x1f, 0);
    let allocation = allocation_of(&func, few, false, &options, &mut RegAllocState::default(), "two arms");
    let block = &func.blocks[SECOND as usize];
    let in_second = allocation.edits.iter().filter(|edit| {
        let inst = edit.point / 2;
        (block.start..block.end).contains(&inst)
    });
    let beside = allocation.edge_moves.iter().filter(|edge_move| {
        let edge = &func.edges[edge_move.edge as usize];
        edge.from == SECOND || edge.to == SECOND
    });
    assert_eq!(
        (in_second.count(), beside.count()),
        (0, 0),
        "{}",
        super::dump(&func, &allocation)
    );
    assert!(
        !allocation.edits.is_empty(),
        "the first arm needs more registers than there are"
    );
}
