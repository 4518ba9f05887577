//! Switches with ranges of values, as a version between LLVM 3.2 and 3.3 wrote them and LLVM still reads them.
//!
//! Their record begins with a mark; each case has several numbers or ranges, which stand in the record themselves.
//! A range becomes as many cases as it has numbers.

use super::cases::expect_distinct;
use super::context::{Body, Operands, terminate};
use crate::bitstream::cursor::decode_signed;
use crate::error::{ReadError, ReadErrorKind};
use crate::llvm::types::Kind;
use frazil_ir::{InstData, Opcode, Operand, Refusal};

/// The upper bits of the first operand (`SWITCH_INST_MAGIC`).
const MARK: u64 = 0x4b5;
const MARK_SHIFT: u32 = 16;

/// Whether the first operand of a switch says that it has this form.
#[inline]
pub(super) fn is_marked(operand: u64) -> bool {
    operand >> MARK_SHIFT == MARK
}

/// Type, value, default block, number of cases; for each of them the number of items, items, block. An item is whether
/// it is a single number, and that number, or the first and the last one.
///
/// # Errors
/// If it is malformed, of integers of more than 64 bits, or of more cases than the function has room for.
#[cold]
pub(super) fn switch(body: &mut Body<'_, '_>, operands: &mut Operands<'_>) -> Result<(), ReadError> {
    let ty = body.build.type_id(operands.next()?)?;
    let value = body.value_of_type(operands, ty)?;
    let bits = match body.build.module.types.kind(ty) {
        Some(&Kind::Integer(bits @ 1..=64)) => bits,
        Some(Kind::Integer(_)) => {
            let message = "a switch with ranges of more than 64 bits";
            return Err(body.build.unsupported(Refusal::OldFormat, message));
        }
        _ => return Err(body.build.malformed("a switch over something that is no integer")),
    };
    let mask = u64::MAX >> (u64::BITS - bits);
    let default = body.target(operands.next()?)?;
    let mut words = vec![Operand::raw(0), Operand::raw(default.as_u32())];
    for _ in 0..operands.next()? {
        let first = words.len();
        for _ in 0..operands.next()? {
            let is_single = operands.next()? != 0;
            let low = decode_signed(operands.next()?).cast_unsigned() & mask;
            let high = match is_single {
                true => low,
                false => decode_signed(operands.next()?).cast_unsigned() & mask,
            };
            let room = body.build.room as u64;
            if high.saturating_sub(low) > room || words.len() as u64 > room {
                let message = format!("a switch from {low} to {high} with more cases than the function has room for");
                return Err(ReadError::new(ReadErrorKind::TooLarge, body.build.place, message));
            }
            for number in low..high.saturating_add(1).max(low) {
                push(body, &mut words, number, bits, value.ir_type());
            }
            if high == u64::MAX && low <= high {
                push(body, &mut words, high, bits, value.ir_type());
            }
        }
        let block = body.target(operands.next()?)?;
        for target in words.iter_mut().skip(first + 1).step_by(2) {
            *target = Operand::raw(block.as_u32());
        }
    }
    if !operands.rest().is_empty() {
        return Err(body.build.malformed("a switch with more cases than it announces"));
    }
    let cases = (words.len() - 2) / 2;
    if let Some(count) = words.first_mut() {
        *count = Operand::raw(cases as u32);
    }
    expect_distinct(body, words.get(2..).unwrap_or_default())?;
    let start = body.build.function.push_pool(&words);
    let data = InstData::new(Opcode::Switch, value.ir_type(), 0, value.operand(), Operand::raw(start));
    terminate(body, data);
    Ok(())
}

/// Adds a case, whose block is not known yet.
fn push(body: &mut Body<'_, '_>, words: &mut Vec<Operand>, number: u64, bits: u32, ir_type: frazil_ir::Type) {
    let unused = u64::BITS - bits;
    let signed = (number << unused).cast_signed() >> unused;
    words.push(body.build.function.int_operand(ir_type, i128::from(signed)));
    words.push(Operand::raw(0));
}
