//! Instructions in forms of records that later versions have no more.
//!
//! What is accessed is what the pointer points to, except in the number and order of operands as in the later forms.

use super::arithmetic::choose;
use super::context::{Body, Operands};
use super::control::{landing_pad_of, personality};
use super::memory::{self, Exchange};
use crate::builder::word::NO_TYPE;
use crate::error::ReadError;
use crate::llvm::codes::function as code;
use frazil_ir::{Ordering, Refusal, Type};

/// Reads an instruction whose record code is an old one.
///
/// # Errors
/// If it is malformed, or not supported.
#[cold]
pub(in crate::llvm) fn read(
    body: &mut Body<'_, '_>,
    record_code: u64,
    operands: &mut Operands<'_>,
) -> Result<(), ReadError> {
    match record_code {
        code::SELECT_OLD => select(body, operands),
        code::STORE_OLD => store(body, operands),
        code::ATOMIC_STORE_OLD => atomic_store(body, operands),
        code::CMPXCHG_OLD => cmpxchg(body, operands),
        code::LANDING_PAD_OLD => landing_pad(body, operands),
        _ => gep(body, operands),
    }
}

/// Pointer, indices.
fn gep(body: &mut Body<'_, '_>, operands: &mut Operands<'_>) -> Result<(), ReadError> {
    let base = body.value(operands)?;
    let source = body.pointee(base)?;
    memory::address_in(body, operands, source, base)
}

/// The value if true, the value if false, the condition, which is no vector.
fn select(body: &mut Body<'_, '_>, operands: &mut Operands<'_>) -> Result<(), ReadError> {
    let if_true = body.value(operands)?;
    let if_false = body.value_like(operands, if_true)?;
    let number = body.number(operands.next()?);
    let condition = match number < body.build.next {
        true => body.build.word(number)?,
        false => body.build.forward_scalar(number, Type::I1, NO_TYPE)?,
    };
    if !condition.is_operand() || condition.ir_type() != Type::I1 {
        return Err(body.build.malformed("a select by something that is no i1"));
    }
    choose(body, condition, [if_true, if_false], 0)
}

/// Pointer, value, alignment, volatile.
fn store(body: &mut Body<'_, '_>, operands: &mut Operands<'_>) -> Result<(), ReadError> {
    let address = memory::pointer(body, operands)?;
    let ty = body.pointee(address)?;
    let value = body.value_of_type(operands, ty)?;
    memory::store_value(body, operands, address, value)
}

/// Pointer, value, alignment, volatile, ordering, scope.
fn atomic_store(body: &mut Body<'_, '_>, operands: &mut Operands<'_>) -> Result<(), ReadError> {
    let address = memory::pointer(body, operands)?;
    let ty = body.pointee(address)?;
    let value = body.value_of_type(operands, ty)?;
    if !value.is_operand() {
        body.build.expect_wide(value)?;
    }
    memory::atomic_store_value(body, operands, address, value)
}

/// Pointer, expected, new, volatile, ordering, scope; from 3.5 on the ordering if the values differ, and whether it may
/// fail for no reason. Without the last, the result is what was in memory alone. LLVM counts the fields of all.
fn cmpxchg(body: &mut Body<'_, '_>, operands: &mut Operands<'_>) -> Result<(), ReadError> {
    const WITH_FAILURE: usize = 7;
    const WITH_WEAK: usize = 8;
    let count = operands.record.operands().len();
    let address = memory::pointer(body, operands)?;
    let ty = body.pointee(address)?;
    let expected = body.value_of_type(operands, ty)?;
    let new = body.value_of_type(operands, ty)?;
    if !expected.is_operand() {
        body.build.expect_wide(expected)?;
    }
    let volatile = operands.next()? != 0;
    let success = memory::ordering(&body.build, operands.next()?)?;
    let single_thread = memory::single_thread(&body.build, operands.next()?)?;
    let failure = match count {
        ..WITH_FAILURE => strongest_failure(success),
        _ => memory::ordering(&body.build, operands.next()?)?,
    };
    let result = match count {
        ..WITH_WEAK => Some(ty),
        _ => {
            operands.next()?;
            None
        }
    };
    memory::compare_and_exchange(
        body,
        Exchange {
            address,
            expected,
            new,
            volatile,
            orderings: [success, failure],
            single_thread,
            align: 0,
            result,
        },
    )
}

/// The ordering that an exchange has by default if the values differ: LLVM's `getStrongestFailureOrdering`.
fn strongest_failure(success: Ordering) -> Ordering {
    match success {
        Ordering::Release | Ordering::Monotonic => Ordering::Monotonic,
        Ordering::AcquireRelease | Ordering::Acquire => Ordering::Acquire,
        other => other,
    }
}

/// Type, personality routine, cleanup, number of clauses; clauses of a kind and a value.
fn landing_pad(body: &mut Body<'_, '_>, operands: &mut Operands<'_>) -> Result<(), ReadError> {
    let ty = body.build.type_id(operands.next()?)?;
    let number = operands.rest().first().map_or(0, |&operand| body.number(operand));
    body.value(operands)?;
    let found = body.build.symbol_of(number);
    let Some(found) = found else {
        let message = "a landingpad whose personality routine is not a symbol";
        return Err(body.build.unsupported(Refusal::Exception, message));
    };
    if body.old.finds_personality {
        body.old.personality.get_or_insert(found);
    } else if personality(body) != Some(found) {
        let message = "a landingpad with another personality routine than the first of the function";
        return Err(body.build.malformed(message));
    }
    landing_pad_of(body, operands, ty)
}
