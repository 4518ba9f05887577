//! What ends blocks, and phis.

use super::exactly;
use crate::bitstream::cursor::decode_signed;
use crate::error::ReadError;
use crate::pnacl::codes::function as code;
use crate::pnacl::context::Body;
use crate::pnacl::types::Kind;
use frazil_ir::{InstData, Opcode, Operand, Type};

/// Nothing, or the value that is returned.
pub fn ret(body: &mut Body<'_, '_>, operands: &[u64]) -> Result<(), ReadError> {
    let result = body.result;
    let is_value = body.module.types.is_value(result);
    let word = match operands {
        [] if !is_value => None,
        &[value] if is_value => Some(body.operand_of(value, result)?),
        _ => {
            let name = body.module.types.name(result);
            return Err(body.wrong(format!(
                "a return of {} values from a function of {name}",
                operands.len()
            )));
        }
    };
    let words = word.as_slice();
    let start = body.function.push_pool(words);
    let count = Operand::raw(words.len() as u32);
    body.terminate(InstData::new(Opcode::Return, Type::VOID, 0, count, Operand::raw(start)));
    Ok(())
}

/// A block; or one if a condition is true, one if not, and the condition.
pub fn branch(body: &mut Body<'_, '_>, operands: &[u64]) -> Result<(), ReadError> {
    if let &[target] = operands {
        let target = body.target(target)?;
        body.terminate(InstData::jump(target));
        return Ok(());
    }
    let [if_true, if_false, condition] = exactly(body, code::BRANCH, operands)?;
    let (if_true, if_false) = (body.target(if_true)?, body.target(if_false)?);
    let number = body.number(condition);
    let condition = body.entry(number)?;
    if !body.module.types.is_integer(condition.ty, 1) {
        return Err(body.wrong("a branch by something that is no i1"));
    }
    body.terminate(InstData::branch(condition.operand, if_true, if_false));
    Ok(())
}

/// A type, a value, the default block, the number of cases; for each two ones, its constant, and its block.
pub fn switch(body: &mut Body<'_, '_>, operands: &[u64]) -> Result<(), ReadError> {
    let Some((&[ty, value, default, count], cases)) = operands.split_first_chunk::<4>() else {
        return Err(body.wrong(format!("a switch of {} operands; expected at least 4", operands.len())));
    };
    let ty = ty as u32;
    let value = body.operand_of(value, ty)?;
    let Some(&Kind::Integer(bits @ 8..)) = body.module.types.kind(ty) else {
        let name = body.module.types.name(ty);
        return Err(body.wrong(format!("a switch on a value of type {name}")));
    };
    let default = body.target(default)?;
    if Some(cases.len() as u64) != count.checked_mul(4) {
        return Err(body.wrong(format!(
            "a switch of {count} cases with {} numbers; expected 4 each",
            cases.len()
        )));
    }
    let ir_type = body.module.types.ir_type(ty, body.function);
    let mut words = vec![Operand::raw(count as u32), Operand::raw(default.as_u32())];
    let mut seen = Vec::new();
    for case in cases.chunks_exact(4) {
        let &[1, 1, constant, block] = case else {
            return Err(
                body.wrong("a case of a switch that does not begin with 1 and 1: ranges are no part of the ABI")
            );
        };
        let unused = 64 - bits;
        let constant = (decode_signed(constant) << unused) >> unused;
        let block = body.target(block)?;
        words.push(body.function.int_operand(ir_type, i128::from(constant)));
        words.push(Operand::raw(block.as_u32()));
        seen.push(constant);
    }
    seen.sort_unstable();
    if let Some(twice) = seen.windows(2).find(|pair| pair.first() == pair.last()) {
        return Err(body.wrong(format!(
            "a switch with two cases for {}",
            twice.first().copied().unwrap_or(0)
        )));
    }
    let start = body.function.push_pool(&words);
    body.terminate(InstData::new(Opcode::Switch, ir_type, 0, value, Operand::raw(start)));
    Ok(())
}

/// Ends a block that control does not come to the end of; there are no operands.
pub fn unreachable(body: &mut Body<'_, '_>, operands: &[u64]) -> Result<(), ReadError> {
    let [] = exactly(body, code::UNREACHABLE, operands)?;
    let data = InstData::new(Opcode::Unreachable, Type::VOID, 0, Operand::NONE, Operand::NONE);
    body.terminate(data);
    Ok(())
}

/// A type; pairs of a value and the block that it comes from.
pub fn phi(body: &mut Body<'_, '_>, operands: &[u64]) -> Result<(), ReadError> {
    match operands.split_first() {
        Some((&ty, pairs)) if !pairs.is_empty() && pairs.len() % 2 == 0 && body.module.types.is_value(ty as u32) => {
            body.define_phi(ty as u32, pairs)
        }
        _ => Err(body.wrong("a phi without a type of values, or with a value without a block")),
    }
}
