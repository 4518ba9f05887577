//! What ends blocks, and phis.

use super::{calls, define, own, relative};
use crate::limits;
use crate::pnacl::codes::function as code;
use crate::pnacl::writer::builder::Builder;
use crate::pnacl::writer::error::WriteError;
use crate::pnacl::writer::records::{Word, signed};
use crate::pnacl::writer::types::Kind;
use frazil_ir::{Block, EntityRef, Inst, InstData, Opcode, Refusal, Type};

/// Pairs of a value and the block that it comes from, once for each edge.
pub fn phi(builder: &mut Builder<'_>, data: &InstData) -> Result<(), WriteError> {
    let function = builder.function;
    let kind = builder.kind(data.ty)?;
    let place = data.first_result().and_then(|value| function.def_inst(value));
    let block = function.block_of(place.unwrap_or(Inst::new(0)));
    let mut words = vec![builder.type_word(kind)];
    let predecessors = builder.layout.cfg.predecessors(block).to_vec();
    let edges: usize = predecessors.iter().map(|&from| builder.layout.edges(from, block)).sum();
    if builder.rows.word_count() + 2 * edges > limits::written_words(function.insts().len() + function.pool_len()) {
        let message = format!("phis with values for {edges} edges each, of which most are from one block");
        return Err(WriteError::new(Refusal::TooLarge, message));
    }
    for (&from, &operand) in predecessors.iter().zip(function.list(data)) {
        let operand = own(builder, data, operand)?;
        for _ in 0..builder.layout.edges(from, block) {
            words.push(Word::Signed(operand));
            words.push(Word::Number(builder.layout.number(from)));
        }
    }
    let result = match predecessors.is_empty() {
        // Nothing leads to the block, and a phi has a pair at least.
        true => builder.undefined(kind),
        false => builder.value(code::PHI, &words),
    };
    define(builder, data, result)
}

fn target(builder: &Builder<'_>, block: Block) -> Word {
    Word::Number(builder.layout.number(block))
}

/// A jump, or a branch.
pub fn branch(builder: &mut Builder<'_>, data: &InstData) -> Result<(), WriteError> {
    let first = target(builder, data.target());
    if data.op == Opcode::Jump {
        builder.effect(code::BRANCH, &[first]);
        return Ok(());
    }
    let condition = builder.operand(data.a, Type::I1)?;
    let words = [first, target(builder, data.else_target()), relative(condition)];
    builder.effect(code::BRANCH, &words);
    Ok(())
}

/// A switch; one on a bit is a branch.
pub fn switch(builder: &mut Builder<'_>, data: &InstData) -> Result<(), WriteError> {
    let kind = builder.kind(data.ty)?;
    let (default, cases) = builder.function.switch(data);
    let default = target(builder, default);
    let value = own(builder, data, data.a)?;
    let mut found = Vec::new();
    for case in cases.chunks_exact(2) {
        let &[constant, block] = case else { continue };
        let constant = builder.function.int_constant(constant);
        let constant = constant.ok_or_else(|| WriteError::new(Refusal::Instruction, "a case that is no integer"))?;
        found.push((constant, target(builder, Block::new(block.as_raw() as usize))));
    }
    if kind == Kind::I1 {
        let of = |wanted: bool| {
            let case = found.iter().find(|(constant, _)| (*constant & 1 != 0) == wanted);
            case.map_or(default, |&(_, block)| block)
        };
        let words = [of(true), of(false), relative(value)];
        builder.effect(code::BRANCH, &words);
        return Ok(());
    }
    let count = Word::Number(found.len() as u64);
    let mut words = vec![builder.type_word(kind), relative(value), default, count];
    for (constant, block) in found {
        let constant = Word::Number(signed(constant));
        words.extend([Word::Number(1), Word::Number(1), constant, block]);
    }
    builder.effect(code::SWITCH, &words);
    Ok(())
}

/// A return of at most one value.
pub fn ret(builder: &mut Builder<'_>, data: &InstData) -> Result<(), WriteError> {
    let signature = builder.function.signature();
    let Some((&operand, returned)) = builder.function.list(data).first().zip(signature.returns.first()) else {
        builder.effect(code::RETURN, &[]);
        return Ok(());
    };
    let value = builder.operand(operand, returned.ty)?;
    let value = calls::widen(builder, value, returned)?;
    builder.effect(code::RETURN, &[relative(value)]);
    Ok(())
}
