//! Atomic operations: intrinsics for integers of 8 to 64 bits, whose orders are acquire or stronger. Weaker ones become
//! the weakest that there is.

use super::{define, own, second_result};
use crate::pnacl::writer::builder::{Builder, casts, no_form};
use crate::pnacl::writer::error::WriteError;
use crate::pnacl::writer::records::Ref;
use crate::pnacl::writer::types::Kind;
use frazil_ir::{InstData, MemFlags, Opcode, Ordering, Refusal, RmwOp, Type};

/// Orders by their numbers.
const ACQUIRE: i64 = 3;
const RELEASE: i64 = 4;
const ACQUIRE_RELEASE: i64 = 5;
const SEQUENTIAL: i64 = 6;

/// Operations by their numbers.
fn update_number(operation: RmwOp) -> Option<i64> {
    Some(match operation {
        RmwOp::Add => 1,
        RmwOp::Sub => 2,
        RmwOp::Or => 3,
        RmwOp::And => 4,
        RmwOp::Xor => 5,
        RmwOp::Xchg => 6,
        _ => return None,
    })
}

/// An order, at least as strong as `weakest`.
fn order(ordering: Ordering, weakest: i64) -> i64 {
    match ordering {
        Ordering::Acquire => ACQUIRE,
        Ordering::Release => RELEASE,
        Ordering::AcquireRelease => ACQUIRE_RELEASE,
        Ordering::SequentiallyConsistent => SEQUENTIAL,
        _ => weakest,
    }
}

/// The integer that an atomic access has in memory, which must be aligned.
fn in_memory(kind: Kind, flags: MemFlags) -> Result<(Kind, u32), WriteError> {
    let bits = match kind {
        Kind::Integer(bits @ 8..) => bits,
        Kind::Float => 32,
        Kind::Double => 64,
        _ => {
            let message = "an atomic or volatile access to flags or a vector";
            return Err(WriteError::new(Refusal::Atomic, message));
        }
    };
    match 8 << flags.align_log2().min(6) < bits {
        true => Err(WriteError::new(
            Refusal::Atomic,
            "an atomic or volatile access that is not aligned to its size",
        )),
        false => Ok((Kind::Integer(bits), bits)),
    }
}

fn cast_if(builder: &mut Builder<'_>, value: Ref, from: Kind, to: Kind) -> Ref {
    match from == to {
        true => value,
        false => builder.cast(casts::BITCAST, value, to),
    }
}

/// A load or store of an order.
pub fn access(builder: &mut Builder<'_>, data: &InstData, ordering: Ordering) -> Result<(), WriteError> {
    let kind = builder.kind(data.ty)?;
    let (integer, bits) = in_memory(kind, MemFlags(data.flags))?;
    if matches!(data.op, Opcode::Load | Opcode::AtomicLoad) {
        let pointer = builder.operand(data.a, Type::PTR)?;
        let order = builder.integer(Kind::I32, order(ordering, ACQUIRE));
        let value = builder.intrinsic_value(&format!("llvm.nacl.atomic.load.i{bits}"), &[pointer, order])?;
        let value = cast_if(builder, value, integer, kind);
        return define(builder, data, value);
    }
    let value = own(builder, data, data.a)?;
    let value = cast_if(builder, value, kind, integer);
    let pointer = builder.operand(data.b, Type::PTR)?;
    let order = builder.integer(Kind::I32, order(ordering, RELEASE));
    let name = format!("llvm.nacl.atomic.store.i{bits}");
    builder.intrinsic(&name, &[value, pointer, order]).map(|_| ())
}

/// An atomic operation.
pub fn write(builder: &mut Builder<'_>, data: &InstData) -> Result<(), WriteError> {
    let flags = MemFlags(data.flags);
    let ordering = flags.ordering();
    match data.op {
        Opcode::AtomicLoad | Opcode::AtomicStore => access(builder, data, ordering),
        Opcode::AtomicRmw => {
            let kind = builder.kind(data.ty)?;
            let (integer, bits) = in_memory(kind, flags)?;
            let Some(number) = flags.rmw().and_then(update_number) else {
                let message = "an atomic operation other than add, sub, or, and, xor and xchg";
                return Err(WriteError::new(Refusal::Atomic, message));
            };
            let pointer = builder.operand(data.a, Type::PTR)?;
            let value = own(builder, data, data.b)?;
            let value = cast_if(builder, value, kind, integer);
            let number = builder.integer(Kind::I32, number);
            let order = builder.integer(Kind::I32, order(ordering, ACQUIRE_RELEASE));
            let name = format!("llvm.nacl.atomic.rmw.i{bits}");
            let found = builder.intrinsic_value(&name, &[number, pointer, value, order])?;
            let found = cast_if(builder, found, integer, kind);
            define(builder, data, found)
        }
        Opcode::Cmpxchg => exchange(builder, data),
        Opcode::Fence => {
            let order = builder.integer(Kind::I32, order(ordering, ACQUIRE_RELEASE));
            builder.intrinsic("llvm.nacl.atomic.fence", &[order]).map(|_| ())
        }
        op => Err(no_form(op)),
    }
}

/// A compare-and-exchange; whether it took place, a comparison says.
fn exchange(builder: &mut Builder<'_>, data: &InstData) -> Result<(), WriteError> {
    let (kind, flags) = (builder.kind(data.ty)?, MemFlags(data.flags));
    let (integer, bits) = in_memory(kind, flags)?;
    if kind != integer {
        return Err(WriteError::new(Refusal::Atomic, "a compare-and-exchange of floats"));
    }
    let (success, failure) = match flags.ordering() {
        Ordering::SequentiallyConsistent => (SEQUENTIAL, SEQUENTIAL),
        Ordering::Acquire => (ACQUIRE, ACQUIRE),
        _ => (ACQUIRE_RELEASE, ACQUIRE),
    };
    let (expected, new) = builder.function.ternary(data);
    let pointer = builder.operand(data.a, Type::PTR)?;
    let (expected, new) = (own(builder, data, expected)?, own(builder, data, new)?);
    let [success, failure] = [success, failure].map(|order| builder.integer(Kind::I32, order));
    let name = format!("llvm.nacl.atomic.cmpxchg.i{bits}");
    let found = builder.intrinsic_value(&name, &[pointer, expected, new, success, failure])?;
    define(builder, data, found)?;
    if let Some(flag) = second_result(builder, data) {
        let is_same = builder.compare(Opcode::IcmpEq, kind, found, expected)?;
        builder.define(flag, is_same)?;
    }
    Ok(())
}
