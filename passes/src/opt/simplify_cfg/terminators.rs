//! Terminators that are decided: by a constant, because all targets are the same, or because others are undefined.

use super::State;
use crate::constants::{int_value, is_undef_or_poison};
use frazil_ir::{Block, Editor, EntityRef, Function, InstData, Opcode, Operand, Type};

impl State {
    /// Makes the terminator of a block simpler if it can be.
    pub(super) fn fold_terminator(&mut self, f: &mut Function, editor: &mut Editor, block: Block) {
        let data = *f.inst(f.terminator(block));
        let simpler = match data.op {
            Opcode::Branch => branch(f, editor, &data),
            Opcode::Switch => switch(f, editor, block, &data),
            _ => None,
        };
        if let Some(simpler) = simpler {
            editor.set_terminator(f, block, simpler);
            self.counts.terminators += 1;
            self.must_count = true;
        }
    }
}

fn branch(f: &Function, editor: &mut Editor, data: &InstData) -> Option<InstData> {
    let (yes, no) = (data.target(), data.else_target());
    let condition = editor.resolve(data.a);
    if yes == no || is_undefined(f, yes) {
        return Some(InstData::jump(no));
    }
    if is_undefined(f, no) {
        return Some(InstData::jump(yes));
    }
    match int_value(f, condition) {
        Some(value) => Some(InstData::jump(if value == 0 { no } else { yes })),
        // Undefined behavior: any successor will do.
        None => is_undef_or_poison(f, condition).then(|| InstData::jump(yes)),
    }
}

fn switch(f: &mut Function, editor: &mut Editor, block: Block, data: &InstData) -> Option<InstData> {
    let operand = editor.resolve(data.a);
    let (default, cases) = f.switch(data);
    if is_undef_or_poison(f, operand) {
        return Some(InstData::jump(default));
    }
    if let Some(value) = int_value(f, operand) {
        let mut pairs = cases.chunks_exact(2);
        let taken = pairs.find(|pair| int_value(f, pair[0]) == Some(value));
        return Some(InstData::jump(taken.map_or(default, |pair| target(pair[1]))));
    }
    let is_needless = |case: &[Operand]| target(case[1]) == default || is_undefined(f, target(case[1]));
    let needed = cases.chunks_exact(2).filter(|case| !is_needless(case)).count();
    match needed {
        0 => Some(InstData::jump(default)),
        1 => {
            let case = cases.chunks_exact(2).find(|case| !is_needless(case))?;
            let (value, to) = (case[0], target(case[1]));
            if is_undefined(f, default) {
                return Some(InstData::jump(to));
            }
            let compare = InstData::new(Opcode::IcmpEq, data.ty, 0, operand, value);
            let condition = editor.insert_at_end(f, block, compare, Some(Type::I1))?;
            Some(InstData::branch(Operand::value(condition), to, default))
        }
        _ if 2 * needed == cases.len() => None,
        _ => {
            let mut words = vec![Operand::raw(needed as u32), Operand::raw(default.as_u32())];
            let kept = cases.chunks_exact(2).filter(|case| !is_needless(case));
            words.extend(kept.flatten());
            let start = f.push_pool(&words);
            Some(InstData {
                b: Operand::raw(start),
                ..*data
            })
        }
    }
}

fn target(word: Operand) -> Block {
    Block::new(word.as_raw() as usize)
}

/// Whether a block does nothing but to be undefined behavior.
fn is_undefined(f: &Function, block: Block) -> bool {
    f.inst(frazil_ir::Inst::new(f.block_insts(block).start)).op == Opcode::Unreachable
}
