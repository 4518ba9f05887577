//! Makes selects of branches whose arms meet at once: the arms are empty, or compute a value or two cheaply.
//!
//! ```text
//! b0:                                          b0:
//!   v2 = icmp_slt i32 v0, v1                     v2 = icmp_slt i32 v0, v1
//!   branch v2, b1, b2                   ->       v4 = select i32 v2, v0, v1
//! b1:                                            jump b2
//!   jump b2                                    b2:
//! b2:                                            v3 = ...
//!   v3 = phi i32 [b0: v1, b1: v0]
//! ```
//!
//! A select waits for both of its operands and for the condition, where a well predicted branch waits for nothing, so
//! only what costs about as little as a jump is converted: at most two selects of integers or pointers, and at most
//! one simple instruction that is executed in vain. Never across an edge that leads back.

use super::State;
use frazil_ir::{Block, Editor, EntityRef, Function, Inst, InstData, Opcode, Operand, Type, TypeData, Value};

/// A branch whose arms meet: columns of the meeting block's phis, and what is to be executed before them.
struct Diamond {
    condition: Operand,
    to: Block,
    yes_column: usize,
    no_column: usize,
}

/// An arm of a branch that does next to nothing: its target, and the phi column there.
#[derive(Clone, Copy)]
struct Arm {
    to: Block,
    column: usize,
    speculated: u32,
}

impl State {
    pub(super) fn convert_branches(&mut self, f: &mut Function, editor: &mut Editor) {
        for block in f.block_ids() {
            let data = *f.inst(f.terminator(block));
            let is_live = block.index() == 0 || self.live_edges[block.index()] > 0;
            if data.op != Opcode::Branch || !is_live || self.led_away[block.index()] {
                continue;
            }
            if !self.shapes[data.target().index()].is_short && !self.shapes[data.else_target().index()].is_short {
                continue;
            }
            if let Some(diamond) = self.find_diamond(f, block, &data)
                && self.pays(f, editor, &diamond)
            {
                self.convert(f, editor, block, &data, &diamond);
            }
        }
    }

    fn find_diamond(&self, f: &Function, block: Block, data: &InstData) -> Option<Diamond> {
        let (yes, no) = (data.target(), data.else_target());
        let direct = |to: Block| {
            let edge = f.cfg().successors(block).iter().find(|edge| edge.target == to)?;
            let column = edge.column as usize;
            Some(Arm {
                to,
                column,
                speculated: 0,
            })
        };
        let (yes_arm, no_arm) = (self.arm(f, block, yes), self.arm(f, block, no));
        let (yes_arm, no_arm) = match (yes_arm, no_arm) {
            (Some(yes_arm), Some(no_arm)) if yes_arm.to == no_arm.to => (yes_arm, no_arm),
            (Some(yes_arm), _) if yes_arm.to == no => (yes_arm, direct(no)?),
            (_, Some(no_arm)) if no_arm.to == yes => (direct(yes)?, no_arm),
            _ => return None,
        };
        let fits = yes_arm.speculated + no_arm.speculated <= self.options.most_speculated && yes_arm.to > block;
        fits.then_some(Diamond {
            condition: data.a,
            to: yes_arm.to,
            yes_column: yes_arm.column,
            no_column: no_arm.column,
        })
    }

    /// The arm through `block`, if `from` is its only predecessor and it can be executed speculatively.
    fn arm(&self, f: &Function, from: Block, block: Block) -> Option<Arm> {
        let index = block.index();
        if f.predecessors(block) != [from] || self.gained[index] || self.led_away[index] {
            return None;
        }
        let range = f.block_insts(block);
        let last = &f.insts()[range.end - 1];
        let &[edge] = f.cfg().successors(block) else {
            return None;
        };
        if last.op != Opcode::Jump {
            return None;
        }
        let mut speculated = 0;
        for data in &f.insts()[range.start..range.end - 1] {
            if data.op == Opcode::Nop {
                continue;
            }
            speculated += 1;
            if speculated > self.options.most_speculated || !is_cheap(f, data) {
                return None;
            }
        }
        Some(Arm {
            to: edge.target,
            column: edge.column as usize,
            speculated,
        })
    }

    /// Whether few selects of suitable types do it.
    fn pays(&self, f: &Function, editor: &mut Editor, diamond: &Diamond) -> bool {
        let mut selects = 0;
        for data in &f.insts()[f.block_insts(diamond.to)] {
            match data.op {
                Opcode::Phi => {}
                Opcode::Nop => continue,
                _ => break,
            }
            let list = f.list(data);
            if editor.resolve(list[diamond.yes_column]) != editor.resolve(list[diamond.no_column]) {
                selects += 1;
                if selects > self.options.most_selects || !is_word(f, data.ty) {
                    return false;
                }
            }
        }
        true
    }

    fn convert(&mut self, f: &mut Function, editor: &mut Editor, block: Block, branch: &InstData, diamond: &Diamond) {
        let to = diamond.to;
        // If nothing else leads there, its phis go, so that it can be merged at once.
        let meets_alone = self.live_edges[to.index()] == 2 && !self.gained[to.index()];
        for arm in [branch.target(), branch.else_target()] {
            if arm == to {
                continue;
            }
            let range = f.block_insts(arm);
            for position in range.start..range.end - 1 {
                if f.insts()[position].op != Opcode::Nop {
                    editor.move_to_end(f, Inst::new(position), block);
                }
            }
            self.live_edges[arm.index()] = 0;
            self.led_away[arm.index()] = true;
        }
        for position in f.block_insts(to) {
            let data = f.insts()[position];
            match data.op {
                Opcode::Phi => {}
                Opcode::Nop => continue,
                _ => break,
            }
            let list = f.list(&data);
            let yes = editor.resolve(list[diamond.yes_column]);
            let no = editor.resolve(list[diamond.no_column]);
            let operand = if yes == no {
                yes
            } else {
                Operand::value(select(f, editor, block, data.ty, [diamond.condition, yes, no]))
            };
            let phi = data.first_result().expect("a phi has a result");
            if meets_alone {
                editor.replace_uses(f, phi, operand);
                editor.remove(f, Inst::new(position));
            } else {
                editor.set_edge_operand(f, to, block, phi, operand);
            }
        }
        editor.set_terminator(f, block, InstData::jump(to));
        if meets_alone {
            self.live_edges[to.index()] = 1;
        } else {
            self.gained[to.index()] = true;
        }
        self.led_away[block.index()] = true;
        self.counts.selects += 1;
    }
}

fn select(f: &mut Function, editor: &mut Editor, block: Block, ty: Type, [condition, yes, no]: [Operand; 3]) -> Value {
    let start = f.push_pool(&[yes, no]);
    let data = InstData::new(Opcode::Select, ty, 0, condition, Operand::raw(start));
    editor
        .insert_at_end(f, block, data, Some(ty))
        .expect("a select has a result")
}

/// Whether a type is an integer of a common width, or a pointer.
fn is_word(f: &Function, ty: Type) -> bool {
    match f.types().data(ty) {
        TypeData::Int(bits) => bits <= 64,
        TypeData::Ptr(_) => true,
        _ => false,
    }
}

/// Whether an instruction takes about one step and may be executed needlessly.
fn is_cheap(f: &Function, data: &InstData) -> bool {
    use Opcode as O;
    let is_simple = data.op.is_icmp()
        || matches!(
            data.op,
            O::Add | O::Sub | O::And | O::Or | O::Xor | O::Shl | O::Lshr | O::Ashr | O::Zext | O::Sext | O::Trunc
        )
        || matches!(data.op, O::PtrAdd | O::PtrIndex | O::Copy);
    is_simple && is_word(f, data.ty)
}
