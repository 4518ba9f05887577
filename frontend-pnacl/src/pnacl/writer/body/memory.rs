//! Memory: the stack, addresses, loads and stores, and ranges of bytes.
//!
//! The ABI accesses integers as if they were not aligned, floats so or aligned, and vectors aligned to their lanes.
//! Volatile accesses are atomic ones, as the ABI has no others that stay as they are.

use super::{atomics, define, own, relative};
use crate::pnacl::codes::function as code;
use crate::pnacl::writer::builder::{Builder, casts, no_form};
use crate::pnacl::writer::error::WriteError;
use crate::pnacl::writer::records::{Ref, Word};
use crate::pnacl::writer::types::Kind;
use frazil_ir::{EntityRef, InstData, MemFlags, Opcode, Operand, Ordering, Refusal, Type, Value};

/// The largest alignment on the stack, as a power of two.
const MOST_ALIGNMENT_LOG2: u32 = 29;

/// Memory on the stack.
fn allocate(builder: &mut Builder<'_>, size: Ref, align_log2: u32) -> Result<Ref, WriteError> {
    if align_log2 > MOST_ALIGNMENT_LOG2 {
        let message = format!("memory on the stack aligned to more than 2^{MOST_ALIGNMENT_LOG2}");
        return Err(WriteError::new(Refusal::Stack, message));
    }
    let words = [relative(size), Word::Number(u64::from(align_log2) + 1)];
    Ok(builder.value(code::ALLOCA, &words))
}

/// The slots that are used.
pub fn slots(builder: &mut Builder<'_>) -> Result<(), WriteError> {
    let first = builder.function.param_count();
    for number in first..builder.function.values().len() {
        let value = Value::new(number);
        let Some(slot) = builder.function.slot_of(value) else {
            continue;
        };
        let Some(slot) = builder.function.slots().get(slot.index()).copied() else {
            continue;
        };
        if builder.function.use_count(value) == 0 {
            continue;
        }
        let Ok(size) = u32::try_from(slot.size) else {
            let message = format!(
                "{} bytes on the stack, which is more than there are addresses",
                slot.size
            );
            return Err(WriteError::new(Refusal::TooLarge, message));
        };
        let size = builder.integer(Kind::I32, size.into());
        let memory = allocate(builder, size, slot.align_log2.into())?;
        builder.define(value, memory)?;
    }
    Ok(())
}

/// A pointer and bytes, or a number of steps.
pub fn address(builder: &mut Builder<'_>, data: &InstData) -> Result<(), WriteError> {
    if builder.kind(data.ty)? != Kind::I32 {
        return Err(WriteError::new(Refusal::Vector, "addresses in a vector"));
    }
    let pointer = own(builder, data, data.a)?;
    let scale = match data.op {
        Opcode::PtrIndex => i64::from(data.flags),
        _ => 1,
    };
    let offset = match builder.function.int_constant(data.b) {
        Some(steps) => match steps.wrapping_mul(scale) as i32 {
            0 => None,
            offset => Some(builder.integer(Kind::I32, offset.into())),
        },
        None => {
            let steps = builder.operand(data.b, Type::I32)?;
            match scale {
                1 => Some(steps),
                scale => {
                    let scale = builder.integer(Kind::I32, scale);
                    Some(builder.binary(Opcode::Mul, steps, scale)?)
                }
            }
        }
    };
    let result = match offset {
        Some(offset) => builder.binary(Opcode::Add, pointer, offset)?,
        None => pointer,
    };
    define(builder, data, result)
}

/// The alignment of an access as its record has it: the logarithm plus one.
fn alignment(kind: Kind, flags: MemFlags) -> Result<Word, WriteError> {
    let known = flags.align_log2();
    let log2 = match kind {
        Kind::Integer(8..) => 0,
        Kind::Float if known >= 2 => 2,
        Kind::Double if known >= 3 => 3,
        Kind::Float | Kind::Double => 0,
        Kind::Vector { bits, .. } if bits != 1 => {
            let lane = match bits {
                0 => 2,
                bits => (bits / 8).trailing_zeros(),
            };
            if known < lane {
                let message = "an access to a vector in memory that is not aligned to its lanes";
                return Err(WriteError::new(Refusal::Vector, message));
            }
            lane
        }
        _ => {
            let message = "an access to flags in memory";
            return Err(WriteError::new(Refusal::Vector, message));
        }
    };
    Ok(Word::Number(u64::from(log2) + 1))
}

/// A load or store. Bits are bytes in memory.
pub fn access(builder: &mut Builder<'_>, data: &InstData) -> Result<(), WriteError> {
    let (kind, flags) = (builder.kind(data.ty)?, MemFlags(data.flags));
    let in_memory = if kind == Kind::I1 { Kind::I8 } else { kind };
    if flags.is_volatile() {
        return atomics::access(builder, data, Ordering::SequentiallyConsistent);
    }
    let alignment = alignment(in_memory, flags)?;
    if data.op == Opcode::Load {
        let pointer = builder.operand(data.a, Type::PTR)?;
        let words = [relative(pointer), alignment, builder.type_word(in_memory)];
        let mut value = builder.value(code::LOAD, &words);
        if kind != in_memory {
            value = builder.cast(casts::TRUNC, value, kind);
        }
        return define(builder, data, value);
    }
    let mut value = own(builder, data, data.a)?;
    if kind != in_memory {
        value = builder.cast(casts::ZEXT, value, in_memory);
    }
    let pointer = builder.operand(data.b, Type::PTR)?;
    builder.effect(code::STORE, &[relative(pointer), relative(value), alignment]);
    Ok(())
}

/// Memory that is copied or set.
pub fn range(builder: &mut Builder<'_>, data: &InstData) -> Result<(), WriteError> {
    let flags = MemFlags(data.flags);
    let (second, length) = builder.function.ternary(data);
    let name = match data.op {
        Opcode::MemCopy => "llvm.memcpy.p0i8.p0i8.i32",
        Opcode::MemMove => "llvm.memmove.p0i8.p0i8.i32",
        _ => "llvm.memset.p0i8.i32",
    };
    let pointer = builder.operand(data.a, Type::PTR)?;
    let second = match data.op {
        Opcode::MemSet => builder.operand(second, Type::I8)?,
        _ => builder.operand(second, Type::PTR)?,
    };
    let length = as_word(builder, length, data)?;
    let alignment = 1i64 << flags.align_log2().min(MOST_ALIGNMENT_LOG2);
    let alignment = builder.integer(Kind::I32, alignment);
    let is_volatile = builder.integer(Kind::I1, -i64::from(flags.is_volatile()));
    let arguments = [pointer, second, length, alignment, is_volatile];
    builder.intrinsic(name, &arguments).map(|_| ())
}

/// A number of bytes as an integer of 32 bits, which holds all that there can be.
fn as_word(builder: &mut Builder<'_>, operand: Operand, data: &InstData) -> Result<Ref, WriteError> {
    if let Some(bytes) = builder.function.int_constant(operand) {
        return Ok(builder.integer(Kind::I32, bytes));
    }
    let kind = builder.kind(data.ty)?;
    let operand = own(builder, data, operand)?;
    Ok(builder.resize(operand, kind, Kind::I32))
}

/// The stack pointer, which is moved, saved or restored.
pub fn stack(builder: &mut Builder<'_>, data: &InstData) -> Result<(), WriteError> {
    let result = match data.op {
        Opcode::StackAlloc => {
            let size = builder.operand(data.a, Type::I32)?;
            allocate(builder, size, MemFlags(data.flags).align_log2())?
        }
        Opcode::StackSave => builder.intrinsic_value("llvm.stacksave", &[])?,
        Opcode::StackRestore => {
            let pointer = builder.operand(data.a, Type::PTR)?;
            return builder.intrinsic("llvm.stackrestore", &[pointer]).map(|_| ());
        }
        op => return Err(no_form(op)),
    };
    define(builder, data, result)
}
