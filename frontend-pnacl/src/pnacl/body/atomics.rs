//! Atomic operations. Their orders and operations are constants; of orders, the ABI takes some only for some of them.

use super::constant;
use crate::error::ReadError;
use crate::pnacl::context::Body;
use frazil_ir::{EntityRef, InstData, MemFlags, Opcode, Operand, Ordering, RmwOp, Type, Value};

/// Operations by their numbers, from 1 on.
const UPDATES: [RmwOp; 6] = [RmwOp::Add, RmwOp::Sub, RmwOp::Or, RmwOp::And, RmwOp::Xor, RmwOp::Xchg];

/// The order that a constant says: 3 to 6, of which some are wrong for some operations.
fn order(body: &Body<'_, '_>, operand: Operand, wrong: &[Ordering]) -> Result<Ordering, ReadError> {
    let number = constant(body, operand, "a memory order")?;
    let order = match number {
        3 => Ordering::Acquire,
        4 => Ordering::Release,
        5 => Ordering::AcquireRelease,
        6 => Ordering::SequentiallyConsistent,
        _ => return Err(body.wrong(format!("memory order {number}; the ABI takes 3 to 6"))),
    };
    match wrong.contains(&order) {
        true => Err(body.wrong(format!("memory order {number}, which this operation does not have"))),
        false => Ok(order),
    }
}

/// The flags of an access to an integer, which is aligned to its size.
fn flags(body: &Body<'_, '_>, ty: Type, order: Ordering) -> MemFlags {
    let bits = body.function.types().int_bits(ty).unwrap_or(8);
    MemFlags::aligned((bits / 8).trailing_zeros()).with_ordering(order)
}

/// An address and an order.
pub fn load(body: &mut Body<'_, '_>, (address, order): (Operand, Operand), result: u32) -> Result<(), ReadError> {
    let order = self::order(body, order, &[Ordering::Release, Ordering::AcquireRelease])?;
    let ty = body.module.types.ir_type(result, body.function);
    let flags = flags(body, ty, order);
    body.define(
        InstData::new(Opcode::AtomicLoad, ty, flags.0, address, Operand::NONE),
        result,
    )
}

/// A value, an address and an order.
pub fn store(
    body: &mut Body<'_, '_>,
    parameters: &[u32],
    (value, address, order): (Operand, Operand, Operand),
) -> Result<(), ReadError> {
    let order = self::order(body, order, &[Ordering::Acquire, Ordering::AcquireRelease])?;
    let ty = parameters.first().copied().unwrap_or(0);
    let ty = body.module.types.ir_type(ty, body.function);
    let flags = flags(body, ty, order);
    body.function
        .push_inst(InstData::new(Opcode::AtomicStore, ty, flags.0, value, address));
    Ok(())
}

/// An operation, an address, a value and an order.
pub fn update(
    body: &mut Body<'_, '_>,
    (operation, address, value, order): (Operand, Operand, Operand, Operand),
    result: u32,
) -> Result<(), ReadError> {
    let order = self::order(body, order, &[])?;
    let number = constant(body, operation, "an atomic operation")?;
    let place = usize::try_from(number.wrapping_sub(1)).unwrap_or(usize::MAX);
    let Some(&operation) = UPDATES.get(place) else {
        return Err(body.wrong(format!("atomic operation {number}; expected 1 to {}", UPDATES.len())));
    };
    let ty = body.module.types.ir_type(result, body.function);
    let flags = flags(body, ty, order).with_rmw(operation);
    body.define(InstData::new(Opcode::AtomicRmw, ty, flags.0, address, value), result)
}

/// An address, what is expected there, what is written then, and orders for both cases.
pub fn compare_exchange(body: &mut Body<'_, '_>, values: &[Operand; 5], result: u32) -> Result<(), ReadError> {
    let [address, expected, new, success, failure] = *values;
    let success = order(body, success, &[])?;
    let failure = order(body, failure, &[Ordering::Release, Ordering::AcquireRelease])?;
    if failure == Ordering::SequentiallyConsistent && success != failure {
        return Err(body.wrong("a stronger memory order for the case that nothing is exchanged"));
    }
    let ty = body.module.types.ir_type(result, body.function);
    let flags = flags(body, ty, success);
    let rest = body.function.push_pool(&[expected, new]);
    let data = InstData::new(Opcode::Cmpxchg, ty, flags.0, address, Operand::raw(rest));
    let found = body.function.push_inst_results(data, &[ty, Type::I1]);
    let found = found.unwrap_or_else(|| Value::new(0));
    body.define_as(Operand::value(found), result)
}

/// An order.
pub fn fence(body: &mut Body<'_, '_>, order: Operand) -> Result<(), ReadError> {
    let order = self::order(body, order, &[])?;
    push_fence(body, order);
    Ok(())
}

/// Nothing: all memory is meant, also what is not atomic, which calls and fences order anyway.
pub fn fence_all(body: &mut Body<'_, '_>) {
    push_fence(body, Ordering::SequentiallyConsistent);
}

fn push_fence(body: &mut Body<'_, '_>, order: Ordering) {
    let flags = MemFlags::default().with_ordering(order);
    let data = InstData::new(Opcode::Fence, Type::VOID, flags.0, Operand::NONE, Operand::NONE);
    body.function.push_inst(data);
}
