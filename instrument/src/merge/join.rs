//! Updates that all ways out of a block share, or all ways into it, become one in the block.
//!
//! The spanning tree knows frequencies, not amounts: it leaves two equal additions in the arms of a diamond as gladly
//! as one before it, which takes the same time and half of the code.

use super::flow::Place;
use super::{Gathered, Update};
use frazil_ir::domtree::DomTree;
use frazil_ir::{Block, EntityRef, Function, Opcode};
use frazil_support::FxHashMap;

/// How many cells may look at each block.
const STEPS_PER_BLOCK: usize = 64;

/// Joins the updates of each cell.
pub(crate) fn join(
    f: &Function,
    dominators: &DomTree,
    gathered: &Gathered,
    frequencies: &[f32],
    updates: &mut Vec<Update>,
) {
    let first = gathered.first_parts(f.blocks().len());
    let first_of = |block: Block| first[block.index()];
    let last_of = |block: Block| first[block.index() + 1] - 1;
    for update in &mut *updates {
        update.place = match update.place {
            Place::Start(block) => Place::Part(first_of(block)),
            Place::End(block) => Place::Part(last_of(block)),
            other => other,
        };
    }
    let (mut in_parts, others): (Vec<Update>, Vec<Update>) = std::mem::take(updates)
        .into_iter()
        .partition(|update| matches!(update.place, Place::Part(_)));
    *updates = others;
    in_parts.sort_by_key(|update| update.cell);
    let order: Vec<Block> = dominators.reverse_postorder().collect();
    let mut amounts: FxHashMap<u32, i128> = FxHashMap::default();
    let mut steps_left = STEPS_PER_BLOCK * (order.len() + STEPS_PER_BLOCK);
    for of_cell in in_parts.chunk_by(|left, right| left.cell == right.cell) {
        amounts.clear();
        for update in of_cell {
            let Place::Part(part) = update.place else { continue };
            let amount = amounts.entry(part).or_default();
            *amount = amount.wrapping_add(update.amount);
        }
        // What one part adds is alone; blocks are looked at only where several do.
        if amounts.len() > 1 && steps_left >= order.len() {
            steps_left -= order.len();
            for &block in order.iter().rev() {
                let ways = f.cfg().successors(block).iter().map(|edge| edge.target);
                let is_own = |way: Block| f.predecessors(way).len() == 1;
                if f.inst(f.terminator(block)).op != Opcode::Invoke {
                    move_common(&mut amounts, ways, is_own, first_of, last_of(block));
                }
            }
            for &block in &order {
                let ways = f.predecessors(block).iter().copied();
                let is_own =
                    |way: Block| f.cfg().successors(way).len() == 1 && f.inst(f.terminator(way)).op != Opcode::Invoke;
                move_common(&mut amounts, ways, is_own, last_of, first_of(block));
            }
        }
        let mut left: Vec<(u32, i128)> = amounts.iter().map(|(&part, &amount)| (part, amount)).collect();
        left.sort_unstable();
        updates.extend(left.into_iter().filter(|row| row.1 != 0).map(|(part, amount)| Update {
            cell: of_cell[0].cell,
            place: Place::Part(part),
            amount,
            frequency: frequencies[gathered.parts[part as usize].block.index()],
        }));
    }
}

/// Moves what the parts of all ways add to the part that they share.
fn move_common(
    amounts: &mut FxHashMap<u32, i128>,
    ways: impl Iterator<Item = Block> + Clone,
    is_own: impl Fn(Block) -> bool,
    part_of: impl Fn(Block) -> u32,
    shared: u32,
) {
    let Some(first) = ways.clone().next() else { return };
    let Some(&amount) = amounts.get(&part_of(first)).filter(|amount| **amount != 0) else {
        return;
    };
    let is_common = |way: Block| is_own(way) && amounts.get(&part_of(way)) == Some(&amount);
    if ways.clone().nth(1).is_none() || !ways.clone().all(is_common) {
        return;
    }
    ways.for_each(|way| {
        amounts.remove(&part_of(way));
    });
    let sum = amounts.entry(shared).or_default();
    *sum = sum.wrapping_add(amount);
}
