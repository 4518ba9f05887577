//! Faults in allocations of the linear scan.
//!
//! Method: an allocator takes the linear scan's place, has it do the work, and spoils the result. The checker's
//! verdict on it is kept; the allocation is applied whatever it was.

use super::Way;
use super::subject::{Compiled, FAULTY, Subject};
use frazil_codegen::check::{CheckError, check_allocation};
use frazil_codegen::optimize::{MachRecipe, OptimizeState};
use frazil_codegen::pass::NoMachPasses;
use frazil_codegen::regalloc::{
    AllocMove, Allocation, Allocator, AllocatorInput, Edit, MoveSource, NO_REG, RegAllocState, RegOrSlot, SpillSlot,
    allocate,
};
use frazil_codegen::{CodegenError, MFunc, Reg, RegClass, Target};
use frazil_target_testisa::TestIsa;
use frazil_test_support::Random;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::{Arc, Mutex, PoisonError};

pub const KINDS: &[&str] = &[
    "swapped register",
    "dropped reload",
    "dropped spill",
    "dropped move",
    "dropped edge move",
    "wrong slot",
    "wrong home",
    "wrong order",
    "wrong order on edge",
    "clobbered register",
];

/// The linear scan, with a fault or without.
#[derive(Debug, Default)]
pub struct LinearScan {
    state: OptimizeState,
}

/// What the allocator is to do, and what came of it.
#[derive(Debug, Default)]
pub struct Order {
    fault: Option<(usize, Random)>,
    pub is_absent: bool,
    pub verdict: Option<CheckError>,
}

impl Order {
    /// To put a fault in, or none.
    pub fn new(fault: Option<(usize, Random)>) -> Arc<Mutex<Order>> {
        Arc::new(Mutex::new(Order {
            fault,
            ..Order::default()
        }))
    }
}

impl Way for LinearScan {
    fn kinds(&self) -> &'static [&'static str] {
        KINDS
    }

    fn compile(&mut self, subject: &Subject, fault: Option<(usize, Random)>) -> Compiled {
        let order = Order::new(fault);
        let recipe = MachRecipe::default();
        let compiled = subject.run(&mut |number, unit, out| {
            let mut spoiled = OptimizeState::default();
            let state = if number == FAULTY {
                &mut spoiled
            } else {
                &mut self.state
            };
            if number == FAULTY {
                state.set_checked(false);
                state.set_allocator(Box::new(Spoiler(order.clone())));
            }
            // What a wrong allocation does to those who rely on it does not matter when it was rejected.
            let result = catch_unwind(AssertUnwindSafe(|| {
                Target::compile_optimized(&TestIsa, unit, &recipe, &mut NoMachPasses, state, out)
            }));
            let order = order.lock().unwrap_or_else(PoisonError::into_inner);
            match (&order.verdict, result) {
                (Some(error), _) if number == FAULTY => Err(CodegenError::WrongAllocation(error.clone())),
                (_, Ok(result)) => result,
                (_, Err(panic)) => std::panic::resume_unwind(panic),
            }
        });
        let order = order.lock().unwrap_or_else(PoisonError::into_inner);
        if order.is_absent { Compiled::Absent } else { compiled }
    }
}

/// The allocator that spoils what the linear scan did.
#[derive(Debug)]
pub struct Spoiler(pub Arc<Mutex<Order>>);

impl Allocator for Spoiler {
    fn allocate(
        &mut self,
        func: &MFunc,
        input: &AllocatorInput<'_>,
        allocation: &mut Allocation,
    ) -> Result<(), CodegenError> {
        allocate(func, input, &mut RegAllocState::default(), allocation)?;
        let mut order = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some((kind, mut random)) = order.fault.take() {
            order.is_absent = spoil(func, input, allocation, kind, &mut random).is_none();
        }
        order.verdict = check_allocation(func, input, allocation).err();
        Ok(())
    }
}

/// Puts a fault of a kind somewhere; `None` if there is no place for it.
fn spoil(
    func: &MFunc,
    input: &AllocatorInput<'_>,
    allocation: &mut Allocation,
    kind: usize,
    random: &mut Random,
) -> Option<()> {
    match KINDS[kind] {
        "swapped register" => swap_register(input, allocation, random),
        "dropped reload" => drop_edit(allocation, random, |source, dest| !is_reg(source) && is_reg(dest)),
        "dropped spill" => drop_edit(allocation, random, |_, dest| !is_reg(dest)),
        "dropped move" => drop_edit(allocation, random, |source, dest| is_reg(source) && is_reg(dest)),
        "dropped edge move" => {
            let index = random.pick_if_any(&(0..allocation.edge_moves.len()).collect::<Vec<_>>())?;
            allocation.edge_moves.remove(index);
            Some(())
        }
        "wrong slot" => wrong_slot(allocation, random),
        "wrong home" => {
            let homes = allocation.slots.iter_mut().filter_map(|slot| slot.home.as_mut());
            let mut homes: Vec<&mut i32> = homes.collect();
            let index = random.below(homes.len().max(1));
            **homes.get_mut(index)? += if random.below(2) == 0 { 4 } else { -4 };
            Some(())
        }
        "wrong order" => {
            let pairs: Vec<usize> = (1..allocation.edits.len())
                .filter(|&index| allocation.edits[index - 1].point == allocation.edits[index].point)
                .filter(|&index| follows(&allocation.edits[index - 1].action, &allocation.edits[index].action))
                .collect();
            let index = random.pick_if_any(&pairs)?;
            allocation.edits[index].action.source = allocation.edits[index - 1].action.source;
            Some(())
        }
        "wrong order on edge" => {
            let moves = &allocation.edge_moves;
            let pairs: Vec<(usize, usize)> = (0..moves.len())
                .flat_map(|first| (0..moves.len()).map(move |second| (first, second)))
                .filter(|&(first, second)| moves[first].edge == moves[second].edge)
                .filter(|&(first, second)| first != second && follows(&moves[first].action, &moves[second].action))
                .collect();
            let (first, second) = random.pick_if_any(&pairs)?;
            allocation.edge_moves[second].action.source = moves[first].action.source;
            Some(())
        }
        _ => clobber(func, input, allocation, random),
    }
}

fn is_reg(place: RegOrSlot) -> bool {
    matches!(place, RegOrSlot::Reg(_))
}

/// Whether the second move reads what the first one writes: done one after the other, it would get the wrong thing.
fn follows(first: &AllocMove, second: &AllocMove) -> bool {
    second.source == MoveSource::Kept(first.dest) && first.source != second.source
}

fn swap_register(input: &AllocatorInput<'_>, allocation: &mut Allocation, random: &mut Random) -> Option<()> {
    let operands: Vec<(usize, usize)> = (0..allocation.regs.len())
        .flat_map(|inst| (0..3).map(move |operand| (inst, operand)))
        .filter(|&(inst, operand)| allocation.regs[inst][operand] != NO_REG)
        .collect();
    let (inst, operand) = random.pick_if_any(&operands)?;
    let old = Reg(u32::from(allocation.regs[inst][operand]));
    let is_other = |reg: &Reg| reg.bank() == old.bank() && *reg != old;
    let others: Vec<Reg> = input.allocatable.iter().filter(is_other).collect();
    let reg = random.pick_if_any(&others)?;
    allocation.regs[inst][operand] = reg.0 as u8;
    allocation.written.insert(reg);
    Some(())
}

fn drop_edit(
    allocation: &mut Allocation,
    random: &mut Random,
    is_one: impl Fn(RegOrSlot, RegOrSlot) -> bool,
) -> Option<()> {
    let is_one = |action: &AllocMove| match action.source {
        MoveSource::Kept(source) => is_one(source, action.dest),
        // It serves as a reload.
        MoveSource::Rematerialize(_) => is_one(RegOrSlot::Slot(SpillSlot(0)), action.dest),
    };
    let edits: Vec<usize> = (0..allocation.edits.len())
        .filter(|&index| is_one(&allocation.edits[index].action))
        .collect();
    allocation.edits.remove(random.pick_if_any(&edits)?);
    Some(())
}

/// Has one mention of a slot name another one that is at least as large.
fn wrong_slot(allocation: &mut Allocation, random: &mut Random) -> Option<()> {
    let slots = allocation.slots.clone();
    let actions = (allocation.edits.iter_mut().map(|edit| &mut edit.action))
        .chain(allocation.edge_moves.iter_mut().map(|entry| &mut entry.action));
    let mut mentions: Vec<&mut SpillSlot> = Vec::new();
    for AllocMove { source, dest, .. } in actions {
        if let MoveSource::Kept(RegOrSlot::Slot(slot)) = source {
            mentions.push(slot);
        }
        if let RegOrSlot::Slot(slot) = dest {
            mentions.push(slot);
        }
    }
    mentions.extend(allocation.memory_operands.iter_mut().map(|operand| &mut operand.slot));
    let index = random.below(mentions.len());
    let slot = mentions.into_iter().nth(index)?;
    let others: Vec<u32> = (0..slots.len() as u32)
        .filter(|&other| other != slot.0 && slots[other as usize].bytes >= slots[slot.0 as usize].bytes)
        .collect();
    slot.0 = random.pick_if_any(&others)?;
    Some(())
}

/// Adds a move of something to some register at some place where edits may stand.
fn clobber(func: &MFunc, input: &AllocatorInput<'_>, allocation: &mut Allocation, random: &mut Random) -> Option<()> {
    let in_group = |inst: u32| func.groups.iter().any(|group| group.contains(&inst));
    let insts: Vec<u32> = (func.blocks.iter())
        .flat_map(|block| block.start..block.end.saturating_sub(2))
        .filter(|&inst| !in_group(inst))
        .collect();
    let point = Edit::before(random.pick_if_any(&insts)?);
    let vregs: Vec<u32> = (0..func.vregs.len() as u32).collect();
    let vreg = Reg::virtual_number(random.pick_if_any(&vregs)?);
    let class = func.vreg(vreg).class;
    let regs: Vec<Reg> = input
        .allocatable
        .iter()
        .filter(|&reg| RegClass::of(reg) == class)
        .collect();
    let (source, dest) = (random.pick_if_any(&regs)?, random.pick_if_any(&regs)?);
    let action = AllocMove {
        vreg,
        source: MoveSource::Kept(RegOrSlot::Reg(source)),
        dest: RegOrSlot::Reg(dest),
    };
    let index = allocation.edits.partition_point(|edit| edit.point < point);
    if source == dest {
        return None;
    }
    allocation.edits.insert(index, Edit { point, action });
    allocation.written.insert(dest);
    Some(())
}
