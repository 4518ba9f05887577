//! The instructions, one file for each kind of them.

mod arithmetic;
mod atomics;
mod calls;
mod control;
mod division;
mod memory;

use super::codes::function as code;
use super::context::Body;
use crate::bitstream::record::Record;
use crate::error::ReadError;
use frazil_ir::Operand;

/// Reads an instruction.
pub(super) fn read(body: &mut Body<'_, '_>, record: &Record) -> Result<(), ReadError> {
    let operands = record.operands();
    match record.code() {
        code::BINARY => arithmetic::binary(body, operands),
        code::CAST => arithmetic::cast(body, operands),
        code::COMPARE => arithmetic::compare(body, operands),
        code::SELECT => arithmetic::select(body, operands),
        code::EXTRACT_ELEMENT => arithmetic::extract_element(body, operands),
        code::INSERT_ELEMENT => arithmetic::insert_element(body, operands),
        code::ALLOCA => memory::alloca(body, operands),
        code::LOAD => memory::load(body, operands),
        code::STORE => memory::store(body, operands),
        code::CALL => calls::direct(body, operands),
        code::CALL_INDIRECT => calls::indirect(body, operands),
        code::RETURN => control::ret(body, operands),
        code::BRANCH => control::branch(body, operands),
        code::SWITCH => control::switch(body, operands),
        code::UNREACHABLE => control::unreachable(body, operands),
        code::PHI => control::phi(body, operands),
        other => Err(body.wrong(format!("record {other} in a function, which the ABI does not have"))),
    }
}

/// A constant that an intrinsic takes.
fn constant(body: &Body<'_, '_>, operand: Operand, what: &str) -> Result<i64, ReadError> {
    let found = body.function.int_constant(operand);
    found.ok_or_else(|| body.wrong(format!("{what} that is no constant")))
}

/// The operands of a record that has so many.
fn exactly<const COUNT: usize>(body: &Body<'_, '_>, code: u64, operands: &[u64]) -> Result<[u64; COUNT], ReadError> {
    operands.try_into().map_err(|_| {
        let name = code::name(code);
        body.wrong(format!("{name} with {} operands; expected {COUNT}", operands.len()))
    })
}
