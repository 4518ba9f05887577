//! Gives a function at most one `indirect_jump`, as code generation wants it.
//!
//! The address of a block can then be a label on the edge from that one jump to it, where the moves into its phis are
//! (contract 11), so that the edges of an indirect jump need no special treatment.
//!
//! ```text
//! b1:                                        b1:
//!   indirect_jump v1, [b3, b4]                 jump b5
//! b2:                                        b2:
//!   indirect_jump v2, [b3, b4]                 jump b5
//! b3:                                        b3:
//!   v3 = phi i32 [b1: v4, b2: v5]              v3 = phi i32 [b5: v7]
//!                                            b5:
//!                                              v6 = phi ptr [b1: v1, b2: v2]
//!                                              v7 = phi i32 [b1: v4, b2: v5]
//!                                              indirect_jump v6, [b3, b4]
//! ```
//!
//! Jumps with the same targets need no more: what dominates a target dominates all jumps, and so the new block. With
//! other ones, the one jump may lead to all of them, which it never does, and the values that do not dominate their
//! uses then go through memory (`repair`). Front ends make one jump for each function, and passes that repeat it repeat
//! its targets, so that this hardly occurs.

mod repair;

use crate::constant::ConstKind;
use crate::entities::{Block, Value};
use crate::function::{Function, InstData, ValueKind};
use crate::opcode::Opcode;
use crate::operand::Operand;
use crate::types::Type;
use frazil_support::EntityRef;
use frazil_support::sort::sort;

/// Replaces all indirect jumps of a function, whose graph is computed, by one in a new block.
pub fn merge_indirect_jumps(f: &mut Function) {
    if f.cfg.indirect_jumps() < 2 {
        return;
    }
    let jumps: Vec<Block> = f.block_ids().filter(|&block| ends_indirectly(f, block)).collect();
    let lists: Vec<Vec<Block>> = jumps.iter().map(|&jump| targets_of(f, jump)).collect();
    let mut targets = lists.concat();
    sort(&mut targets);
    targets.dedup();
    let are_equal = lists.iter().all(|list| *list == targets);
    let merged = Block::new(f.blocks.len());
    let mut phis = vec![addresses(f, &jumps)];
    for &target in &targets {
        move_phi_operands(f, target, merged, &jumps, &mut phis);
    }
    let list = match are_equal {
        true => f.insts[f.terminator(jumps[0]).index()].b,
        false => push_targets(f, &targets),
    };
    for &jump in &jumps {
        let at = f.terminator(jump).index();
        let old = f.insts[at];
        if let Some(value) = old.a.as_value() {
            f.values[value.index()].uses -= 1;
        }
        f.insts[at] = InstData::jump(merged);
    }
    f.begin_block();
    for phi in &phis {
        let start = f.push_pool(&phi.operands);
        let count = Operand::raw(phi.operands.len() as u32);
        let data = InstData::new(Opcode::Phi, phi.ty, 0, count, Operand::raw(start));
        f.values[phi.value.index()].def = f.insts.len() as u32;
        f.push_inst(InstData {
            result: phi.value.as_u32(),
            ..data
        });
    }
    let address = Operand::value(phis[0].value);
    f.push_inst(InstData::new(Opcode::IndirectJump, Type::VOID, 0, address, list));
    f.compute_cfg();
    if !are_equal {
        repair::repair(f);
    }
}

/// The list of the targets of a jump.
fn push_targets(f: &mut Function, targets: &[Block]) -> Operand {
    let count = Operand::raw(targets.len() as u32);
    let words: Vec<Operand> = [count]
        .into_iter()
        .chain(targets.iter().map(|target| Operand::raw(target.as_u32())))
        .collect();
    Operand::raw(f.push_pool(&words))
}

/// A phi of the new block.
struct NewPhi {
    ty: Type,
    value: Value,
    /// By jump.
    operands: Vec<Operand>,
}

fn ends_indirectly(f: &Function, block: Block) -> bool {
    f.inst(f.terminator(block)).op == Opcode::IndirectJump
}

/// The targets of a jump, each once, ascending.
fn targets_of(f: &Function, jump: Block) -> Vec<Block> {
    let mut targets: Vec<Block> = f.cfg.successors(jump).iter().map(|edge| edge.target).collect();
    sort(&mut targets);
    targets
}

fn addresses(f: &mut Function, jumps: &[Block]) -> NewPhi {
    let operands = jumps.iter().map(|&jump| f.inst(f.terminator(jump)).a).collect();
    NewPhi {
        ty: Type::PTR,
        value: f.push_value(Type::PTR, ValueKind::Inst, 0, 0),
        operands,
    }
}

/// Gives each phi of `target` one operand, after all others, in place of those of the jumps.
fn move_phi_operands(f: &mut Function, target: Block, merged: Block, jumps: &[Block], phis: &mut Vec<NewPhi>) {
    debug_assert!(f.predecessors(target).iter().all(|&block| block < merged));
    let columns: Vec<Option<usize>> = (f.predecessors(target).iter())
        .map(|block| jumps.iter().position(|jump| jump == block))
        .collect();
    for at in f.block_insts(target) {
        let data = f.insts[at];
        if data.op != Opcode::Phi {
            continue;
        }
        // What comes from a jump that does not lead here does not matter.
        let any = match columns.iter().flatten().count() < jumps.len() {
            true => Operand::constant(f.push_plain_const(ConstKind::Undef, data.ty)),
            false => Operand::NONE,
        };
        let (mut kept, mut moved) = (Vec::new(), vec![any; jumps.len()]);
        for (&operand, column) in f.list(&data).iter().zip(&columns) {
            match column {
                Some(jump) => moved[*jump] = operand,
                None => kept.push(operand),
            }
        }
        for value in moved.iter().filter_map(|operand| operand.as_value()) {
            f.values[value.index()].uses -= 1;
        }
        let value = f.push_value(data.ty, ValueKind::Inst, 0, 0);
        f.values[value.index()].uses += 1;
        kept.push(Operand::value(value));
        let start = f.push_pool(&kept);
        f.insts[at].a = Operand::raw(kept.len() as u32);
        f.insts[at].b = Operand::raw(start);
        phis.push(NewPhi {
            ty: data.ty,
            value,
            operands: moved,
        });
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::text::{parse_module, print_function};
    use crate::verify::verify_function;

    fn merged(text: &str) -> String {
        let (module, mut functions) = parse_module(text).expect("parses");
        let function = &mut functions[0];
        assert_eq!(verify_function(&module, function), Ok(()));
        merge_indirect_jumps(function);
        assert_eq!(verify_function(&module, function), Ok(()));
        let mut out = String::new();
        print_function(&module, function, &mut out).expect("strings can be written");
        out
    }

    const TWO: &str = "func @f(i1 v0, ptr v1, ptr v2, i32 v3) -> i32 {
b0:
  branch v0, b1, b2
b1:
  indirect_jump v1, [b3, b4]
b2:
  v4 = add i32 v3, 1
  indirect_jump v2, [b4, b3]
b3:
  v5 = phi i32 [b1: v3, b2: v4]
  return v5
b4:
  v6 = phi i32 [b1: 7, b2: v4]
  return v6
}
";

    #[test]
    fn jumps_with_the_same_targets_become_one() {
        let text = merged(TWO);
        assert_eq!(text.matches("indirect_jump").count(), 1, "{text}");
        assert!(text.contains("phi ptr [b1: v1, b2: v2]"), "{text}");
    }

    #[test]
    fn jumps_with_other_targets_become_one_to_all_of_them() {
        let text = TWO.replace("[b4, b3]", "[b4]").replace("[b1: v3, b2: v4]", "[b1: v3]");
        let text = merged(&text);
        assert_eq!(text.matches("indirect_jump").count(), 1, "{text}");
        assert!(text.contains("[b1: v3, b2: i32 undef]"), "{text}");
    }

    #[test]
    fn values_that_dominate_their_uses_no_more_wait_in_memory() {
        let text = merged(
            "func @f(i1 v0, ptr v1, ptr v2, i32 v3) -> i32 {
b0:
  branch v0, b1, b2
b1:
  v4 = add i32 v3, 1
  indirect_jump v1, [b3]
b2:
  indirect_jump v2, [b4, b5]
b3:
  v5 = mul i32 v4, v4
  jump b5
b4:
  return v3
b5:
  v6 = phi i32 [b2: v3, b3: v4]
  return v6
}
",
        );
        assert_eq!(text.matches("indirect_jump").count(), 1, "{text}");
        assert_eq!(text.matches("store align 16 i32 v4").count(), 1, "{text}");
        assert_eq!(text.matches("load align 16 i32").count(), 2, "{text}");
    }
}
