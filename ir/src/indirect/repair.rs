//! Values that do not dominate all their uses any more wait in memory: stored where they are defined, loaded before
//! each of those uses. For graphs to which edges were added that control never takes.

use crate::domtree::DomTree;
use crate::edit::Editor;
use crate::entities::{Block, Inst, Value};
use crate::flags::MemFlags;
use crate::function::{Function, InstData, ValueKind};
use crate::opcode::Opcode;
use crate::operand::Operand;
use crate::rewrite::for_each_operand_mut;
use frazil_support::EntityRef;

/// Log2 of the alignment of the memory for a value.
const ALIGN_LOG2: u8 = 4;
/// The widest pointers.
const POINTER_BITS: u32 = 64;

/// A use that its value does not dominate.
#[derive(Clone, Copy, Debug)]
struct Use {
    value: Value,
    user: Inst,
    /// For a phi: the column, and the block that the value comes from.
    column: Option<(usize, Block)>,
}

/// Makes every value of a function, whose graph is computed, dominate its uses.
pub(super) fn repair(f: &mut Function) {
    let blocks = blocks_of(f);
    let uses = find_uses(f, &blocks);
    if uses.is_empty() {
        return;
    }
    let mut editor = Editor::default();
    editor.begin(f);
    let mut slots: Vec<Option<Value>> = vec![None; f.values.len()];
    for &Use { value, .. } in &uses {
        if slots[value.index()].is_none() {
            slots[value.index()] = Some(store(f, &mut editor, value, &blocks));
        }
    }
    for Use { value, user, column } in uses {
        let ty = f.value(value).ty;
        let flags = MemFlags::aligned(ALIGN_LOG2.into()).0;
        let slot = slots[value.index()].map_or(Operand::NONE, Operand::value);
        let data = InstData::new(Opcode::Load, ty, flags, slot, Operand::NONE);
        match column {
            Some((column, from)) => {
                let loaded = editor
                    .insert_at_end(f, from, data, Some(ty))
                    .expect("a load has a result");
                let phi = f.inst(user).first_result().expect("a phi has a result");
                editor.set_phi_operand(f, phi, column, Operand::value(loaded));
            }
            None => {
                let loaded = editor
                    .insert_before(f, user, data, Some(ty))
                    .expect("a load has a result");
                replace_operand(f, user, value, loaded);
            }
        }
    }
    editor.commit(f);
}

/// The block of each instruction.
fn blocks_of(f: &Function) -> Vec<Block> {
    let mut blocks = vec![Block::new(0); f.insts.len()];
    for block in f.block_ids() {
        blocks[f.block_insts(block)].fill(block);
    }
    blocks
}

/// The uses that can be reached and that their values do not dominate, each value once for each user.
fn find_uses(f: &Function, blocks: &[Block]) -> Vec<Use> {
    let mut tree = DomTree::default();
    tree.compute(&f.cfg, f.blocks.len());
    let is_broken = |value: Value, at: Block| {
        let is_inst = f.value(value).kind == ValueKind::Inst;
        let def = f.def_inst(value).filter(|_| is_inst);
        def.is_some_and(|def| tree.is_reachable(at) && !tree.dominates(blocks[def.index()], at))
    };
    let mut uses: Vec<Use> = Vec::new();
    for block in f.block_ids() {
        for at in f.block_insts(block) {
            let (user, data) = (Inst::new(at), f.insts[at]);
            if data.op == Opcode::Phi {
                for (column, (operand, &from)) in f.list(&data).iter().zip(f.predecessors(block)).enumerate() {
                    if let Some(value) = operand.as_value().filter(|&value| is_broken(value, from)) {
                        let column = Some((column, from));
                        uses.push(Use { value, user, column });
                    }
                }
                continue;
            }
            let first = uses.len();
            f.for_each_operand(&data, |operand| {
                if let Some(value) = operand.as_value().filter(|&value| is_broken(value, block))
                    && uses[first..].iter().all(|other| other.value != value)
                {
                    let column = None;
                    uses.push(Use { value, user, column });
                }
            });
        }
    }
    uses
}

/// Stores a value where it is defined, into memory of its own, whose address is returned.
fn store(f: &mut Function, editor: &mut Editor, value: Value, blocks: &[Block]) -> Value {
    let ty = f.value(value).ty;
    let bytes = f.types.store_bytes(ty, POINTER_BITS).max(1);
    let slot = f.push_slot(bytes, ALIGN_LOG2);
    let flags = MemFlags::aligned(ALIGN_LOG2.into()).0;
    let data = InstData::new(Opcode::Store, ty, flags, Operand::value(value), Operand::value(slot));
    let def = f.def_inst(value).expect("only such values were found");
    let block = blocks[def.index()];
    match f.inst(def).op {
        Opcode::Phi | Opcode::LandingPad => {
            editor.insert_after_phis(f, block, data, None);
        }
        // The value exists on the normal edge only, which is its block's only incoming edge: it dominated uses before.
        Opcode::Invoke => {
            let (normal, _) = f.invoke_targets(f.inst(def));
            editor.insert_after_phis(f, normal, data, None);
        }
        _ => {
            let next = Inst::new(def.index() + 1);
            editor.insert_before(f, next, data, None);
        }
    }
    slot
}

/// Uses another value in an instruction.
fn replace_operand(f: &mut Function, user: Inst, old: Value, new: Value) {
    let mut data = f.insts[user.index()];
    let mut count = 0;
    for_each_operand_mut(&mut f.pool, &mut data, |operand| {
        if operand.as_value() == Some(old) {
            *operand = Operand::value(new);
            count += 1;
        }
    });
    f.insts[user.index()] = data;
    f.values[old.index()].uses -= count;
    f.values[new.index()].uses += count;
}
