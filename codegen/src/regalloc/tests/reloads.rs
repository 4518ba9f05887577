//! Values are reloaded on the paths that need them, and not where nothing took their registers.

use super::generate::inst;
use super::ops::{Op, P0, P1};
use super::settle::{end_block, push_sets};
use super::{AllocatorOptions, LARGE, allocation_of, dump, generate};
use crate::mfunc::{MFunc, RegSets, Term, pseudo};
use crate::reg::{PRegSet, Reg, RegClass};
use crate::regalloc::{AllocMove, Allocation, MoveSource, RegAllocState, RegOrSlot};
use frazil_test_support::Random;

/// The registers that there are: no more than [`fill`] needs.
const FEW: PRegSet = PRegSet::from_banks(0x1f, 0);

fn three(func: &mut MFunc, dst: Reg, first: Reg, second: Reg) {
    func.insts.push(inst(Op::Three, [dst, first, second]));
}

fn branch(func: &mut MFunc, first: Reg, second: Reg) {
    func.insts.push(inst(Op::Branch, [first, second, Reg::NONE]));
}

/// Starts a function with a block that makes four values and enters the loop at block 1.
fn start() -> (MFunc, [Reg; 4]) {
    let mut func = MFunc::default();
    let [a, b, c, d] = std::array::from_fn(|_| func.new_vreg(RegClass::Int, 8, u32::MAX));
    let (uses, defs) = (PRegSet::EMPTY, PRegSet::of(&[P0, P1]));
    push_sets(&mut func, pseudo::ENTRY, RegSets::new(uses, defs));
    func.insts.push(inst(Op::Move, [a, P0, Reg::NONE]));
    func.insts.push(inst(Op::Move, [b, P1, Reg::NONE]));
    three(&mut func, c, a, b);
    three(&mut func, d, a, c);
    end_block(&mut func, Term::Jump, 1, &[1]);
    (func, [a, b, c, d])
}

/// Computes something of two values for which all registers are needed.
fn fill(func: &mut MFunc, first: Reg, second: Reg) {
    let temps: [Reg; 6] = std::array::from_fn(|_| func.new_vreg(RegClass::Int, 8, u32::MAX));
    three(func, temps[0], first, second);
    three(func, temps[1], temps[0], first);
    three(func, temps[2], temps[0], temps[1]);
    three(func, temps[3], temps[1], temps[2]);
    three(func, temps[4], temps[0], temps[1]);
    three(func, temps[5], temps[2], temps[3]);
    three(func, temps[0], temps[4], temps[5]);
}

/// Ends the function with a block that returns a value, and allocates registers.
fn finish(func: &mut MFunc, value: Reg) -> Allocation {
    func.insts.push(inst(Op::Move, [P0, value, Reg::NONE]));
    let (uses, defs) = (PRegSet::of(&[P0]), PRegSet::EMPTY);
    push_sets(func, pseudo::RETURN, RegSets::new(uses, defs));
    let number = func.blocks.len() as u32;
    end_block(func, Term::Return, number + 1, &[]);
    func.origins = vec![0; func.insts.len()];
    func.compute_predecessors();
    let options = AllocatorOptions {
        memory_operands: false,
        ..AllocatorOptions::default()
    };
    allocation_of(func, FEW, false, &options, &mut RegAllocState::default(), "reloads")
}

/// A loop of two cases. One needs all registers; the rarer one, before it in layout order, needs `c` and `d`, which
/// should therefore not be in registers at the loop's header.
#[test]
fn a_case_reloads_nothing_for_others() {
    let (mut func, [a, b, c, d]) = start();
    branch(&mut func, a, b);
    end_block(&mut func, Term::Branch(None), 5, &[4, 2]);
    branch(&mut func, a, b);
    end_block(&mut func, Term::Branch(None), 3, &[4, 3]);
    let unused = func.new_vreg(RegClass::Int, 8, u32::MAX);
    three(&mut func, unused, c, d);
    branch(&mut func, a, b);
    end_block(&mut func, Term::Branch(None), 4, &[1, 5]);
    fill(&mut func, a, b);
    end_block(&mut func, Term::Jump, 5, &[1]);
    let allocation = finish(&mut func, a);
    assert_eq!(
        moves_around(&func, &allocation, 4, &[c, d]),
        0,
        "{}",
        dump(&func, &allocation)
    );
    assert!(
        !allocation.slots.is_empty(),
        "the case needs more registers than there are"
    );
}

/// A loop around a block that needs all registers. Where it is left out, values that are used before and after it stay
/// in their registers.
#[test]
fn the_way_around_a_block_reloads_nothing() {
    let (mut func, [a, b, c, d]) = start();
    three(&mut func, a, c, d);
    branch(&mut func, a, b);
    end_block(&mut func, Term::Branch(None), 4, &[3, 2]);
    fill(&mut func, a, b);
    end_block(&mut func, Term::Jump, 3, &[3]);
    three(&mut func, b, c, d);
    branch(&mut func, a, b);
    end_block(&mut func, Term::Branch(None), 4, &[1, 4]);
    let allocation = finish(&mut func, a);
    let around = func.edges_of(1).start as u32;
    let on_edge = allocation.edge_moves.iter().filter(|moved| moved.edge == around);
    let inside = allocation.edits.iter().filter(|edit| is_inside(&func, 3, edit.point));
    assert_eq!(
        (on_edge.count(), inside.count()),
        (0, 0),
        "{}",
        dump(&func, &allocation)
    );
    assert!(
        !allocation.slots.is_empty(),
        "the block needs more registers than there are"
    );
}

/// A loop around one that needs all registers. Values that are used before and after both stay in their slots.
#[test]
fn a_loop_whose_inner_loop_needs_all_registers_moves_nothing() {
    let (mut func, [a, b, c, d]) = start();
    end_block(&mut func, Term::Jump, 4, &[2]);
    fill(&mut func, a, b);
    branch(&mut func, a, b);
    end_block(&mut func, Term::Branch(None), 3, &[2, 3]);
    branch(&mut func, a, b);
    end_block(&mut func, Term::Branch(None), 4, &[1, 4]);
    three(&mut func, a, c, d);
    let allocation = finish(&mut func, a);
    let moves: usize = [1, 2]
        .map(|block| moves_around(&func, &allocation, block, &[c, d]))
        .iter()
        .sum();
    assert_eq!(moves, 0, "{}", dump(&func, &allocation));
    assert!(
        !allocation.slots.is_empty(),
        "the inner loop needs more registers than there are"
    );
}

fn is_inside(func: &MFunc, block: u32, point: u32) -> bool {
    let block = &func.blocks[block as usize];
    (block.start..block.end).contains(&(point / 2))
}

/// How many moves of some registers are in a block and on the edges that leave it.
fn moves_around(func: &MFunc, allocation: &Allocation, block: u32, vregs: &[Reg]) -> usize {
    let inside = allocation
        .edits
        .iter()
        .filter(|edit| is_inside(func, block, edit.point));
    let leaving = allocation.edge_moves.iter();
    let leaving = leaving.filter(|moved| func.edges[moved.edge as usize].from == block);
    let actions = inside
        .map(|edit| &edit.action)
        .chain(leaving.map(|moved| &moved.action));
    actions.filter(|action| vregs.contains(&action.vreg)).count()
}

/// The reloads of an allocation, ten times for each loop around them.
fn weighted_reloads(func: &MFunc, allocation: &Allocation) -> u64 {
    let is_reload = |action: &AllocMove| matches!(action.source, MoveSource::Kept(RegOrSlot::Slot(_)));
    let weight = |block: u32| 10_u64.pow(u32::from(func.blocks[block as usize].loop_depth));
    let blocks = 0..func.blocks.len() as u32;
    let block_of = |point| blocks.clone().find(|&block| is_inside(func, block, point));
    let inside = allocation.edits.iter().filter(|edit| is_reload(&edit.action));
    let inside = inside.map(|edit| block_of(edit.point).map_or(1, weight));
    let on_edges = allocation.edge_moves.iter().filter(|moved| is_reload(&moved.action));
    let on_edges = on_edges.map(|moved| {
        let edge = &func.edges[moved.edge as usize];
        weight(edge.from).min(weight(edge.to))
    });
    inside.chain(on_edges).sum()
}

#[test]
fn random_functions_reload_less() {
    let mut none = RegAllocState::default();
    none.limits.reloads = 0;
    let options = AllocatorOptions {
        memory_operands: false,
        ..AllocatorOptions::default()
    };
    let allocatable = PRegSet::from_banks(0x3f, 0x7);
    let mut totals = [0, 0];
    for seed in 1..=300 {
        let func = generate::function(&mut Random::new(seed), LARGE);
        for (total, state) in totals.iter_mut().zip([&mut RegAllocState::default(), &mut none]) {
            let allocation = allocation_of(&func, allocatable, false, &options, state, "reloads");
            *total += weighted_reloads(&func, &allocation);
        }
    }
    let [with, without] = totals;
    assert!(with * 100 < without * 97, "{with} instead of {without}");
}
