//! Calls: of functions, of addresses, and of what the ABI calls functions and the IR has instructions for.

use super::{atomics, constant, memory};
use crate::error::ReadError;
use crate::pnacl::context::Body;
use crate::pnacl::intrinsics::{Action, Intrinsic};
use crate::pnacl::types::Kind;
use frazil_ir::{CallFlags, EntityRef, InstData, IntFlags, MemFlags, Opcode, Operand, SigId, SymbolId, Type};

/// The flags of a call: none of these functions unwinds.
fn call_flags(word: u64) -> CallFlags {
    let mut flags = CallFlags::NO_UNWIND;
    flags.set(CallFlags::TAIL, word & 1 != 0);
    flags
}

/// Convention and whether nothing of the frame is used any more; the function, and arguments.
pub fn direct(body: &mut Body<'_, '_>, operands: &[u64]) -> Result<(), ReadError> {
    let Some((&[word, function], arguments)) = operands.split_first_chunk::<2>() else {
        return Err(body.wrong(format!("a call of {} operands; expected at least 2", operands.len())));
    };
    check_convention(body, word)?;
    let number = body.number(function);
    let module = body.module;
    let Some(info) = module.functions.get(number as usize) else {
        return Err(body.wrong(format!("a call of value {number}, which is no function")));
    };
    let (result, parameters) = module.types.function(info.ty).unwrap_or((0, &[]));
    if parameters.len() != arguments.len() {
        let message = format!(
            "a call of function {number} with {} arguments; expected {}",
            arguments.len(),
            parameters.len()
        );
        return Err(body.wrong(message));
    }
    if let Some(intrinsic) = &info.intrinsic {
        return self::intrinsic(body, intrinsic, arguments, (result, parameters));
    }
    body.read_arguments(arguments)?;
    let own = body.arguments().1;
    if let Some(place) = (0..own.len()).find(|&place| !is_same(body, own.get(place), parameters.get(place))) {
        return Err(body.wrong(format!(
            "argument {place} of another type than the parameter of function {number}"
        )));
    }
    let sig = body.signature(info.ty);
    let callee = Operand::symbol(SymbolId::new(number as usize));
    call(body, (callee, sig), (call_flags(word), result))
}

fn check_convention(body: &Body<'_, '_>, word: u64) -> Result<(), ReadError> {
    match word >> 1 {
        0 => Ok(()),
        other => Err(body.wrong(format!("calling convention {other}; the ABI has 0 only, that of C"))),
    }
}

/// Convention and whether nothing of the frame is used any more; an address, the result's type, and arguments, whose
/// types are those of the parameters.
pub fn indirect(body: &mut Body<'_, '_>, operands: &[u64]) -> Result<(), ReadError> {
    let Some((&[word, address, result], arguments)) = operands.split_first_chunk::<3>() else {
        return Err(body.wrong(format!(
            "an indirect call of {} operands; expected at least 3",
            operands.len()
        )));
    };
    check_convention(body, word)?;
    let result = result as u32;
    let types = &body.module.types;
    if types.kind(result) != Some(&Kind::Void) && !types.is_passed(result) {
        let name = types.name(result);
        return Err(body.wrong(format!("an indirect call that returns {name}")));
    }
    let callee = body.pointer(address)?;
    body.read_arguments(arguments)?;
    let (_, parameters) = body.arguments();
    if let Some(&ty) = parameters.iter().find(|&&ty| !types.is_passed(ty)) {
        let name = types.name(ty);
        return Err(body.wrong(format!("an argument of type {name}, which only intrinsics take")));
    }
    let sig = match types.function_of(result, parameters) {
        Some(ty) => body.signature(ty),
        None => body.new_signature(result),
    };
    call(body, (callee, sig), (call_flags(word), result))
}

fn is_same(body: &Body<'_, '_>, one: Option<&u32>, other: Option<&u32>) -> bool {
    one.zip(other)
        .is_some_and(|(&one, &other)| body.module.types.is_same(one, other))
}

/// Appends a call with the arguments that were read, whose result is the next value.
fn call(
    body: &mut Body<'_, '_>,
    (callee, sig): (Operand, SigId),
    (flags, result): (CallFlags, u32),
) -> Result<(), ReadError> {
    let start = body.push_call_operands(sig);
    let data = InstData::new(Opcode::Call, Type::VOID, flags.bits(), callee, Operand::raw(start));
    match body.module.types.is_value(result) {
        true => body.define(data, result),
        false => {
            body.function.push_inst(data);
            Ok(())
        }
    }
}

fn intrinsic(
    body: &mut Body<'_, '_>,
    intrinsic: &Intrinsic,
    arguments: &[u64],
    (result, parameters): (u32, &[u32]),
) -> Result<(), ReadError> {
    // Addresses are wanted as pointers, all else as operands.
    let mut values = [Operand::NONE; 5];
    let is_address = |place: usize| match intrinsic.action {
        Action::Memory(Opcode::MemSet) | Action::StackRestore | Action::AtomicLoad => place == 0,
        Action::Memory(_) => place < 2,
        Action::AtomicStore | Action::AtomicRmw => place == 1,
        Action::CompareExchange => place == 0,
        _ => false,
    };
    for (place, ((slot, &argument), &ty)) in values.iter_mut().zip(arguments).zip(parameters).enumerate() {
        *slot = match is_address(place) {
            true => body.pointer(argument)?,
            false => body.operand_of(argument, ty)?,
        };
    }
    let [first, second, third, fourth, fifth] = values;
    let ty = body.module.types.ir_type(result, body.function);
    match intrinsic.action {
        Action::Unary(op) => body.define(InstData::new(op, ty, 0, first, Operand::NONE), result),
        Action::Count(op) => {
            let flags = match constant(body, second, "a flag for zero")? {
                0 => IntFlags::empty(),
                _ => IntFlags::POISON_SPECIAL,
            };
            body.define(InstData::new(op, ty, flags.bits(), first, Operand::NONE), result)
        }
        Action::Memory(op) => {
            let alignment = constant(body, fourth, "an alignment")?;
            let is_volatile = constant(body, fifth, "a flag for volatile accesses")? != 0;
            let log2 = match alignment {
                0 | 1 => 0,
                _ if alignment.cast_unsigned().is_power_of_two() => alignment.trailing_zeros(),
                _ => return Err(body.wrong(format!("an alignment of {alignment}; expected a power of two"))),
            };
            let flags = MemFlags::aligned(log2).with_volatile(is_volatile);
            let (length, ty) = memory::byte_count(body, third);
            let rest = body.function.push_pool(&[second, length]);
            body.function
                .push_inst(InstData::new(op, ty, flags.0, first, Operand::raw(rest)));
            Ok(())
        }
        Action::StackSave => {
            let data = InstData::new(Opcode::StackSave, Type::PTR, 0, Operand::NONE, Operand::NONE);
            let saved = Operand::value(body.function.push_inst_result(data, Type::PTR));
            body.define(memory::cut(saved), result)
        }
        Action::StackRestore => {
            let data = InstData::new(Opcode::StackRestore, Type::VOID, 0, first, Operand::NONE);
            body.function.push_inst(data);
            Ok(())
        }
        Action::Trap => {
            let data = InstData::new(Opcode::Trap, Type::VOID, 0, Operand::NONE, Operand::NONE);
            body.function.push_inst(data);
            Ok(())
        }
        Action::Library(_) => library(body, intrinsic, arguments, (CallFlags::NO_UNWIND, result)),
        Action::Setjmp => {
            let flags = CallFlags::NO_UNWIND | CallFlags::RETURNS_TWICE;
            library(body, intrinsic, arguments, (flags, result))
        }
        Action::Longjmp => {
            let flags = CallFlags::NO_UNWIND | CallFlags::NO_RETURN;
            library(body, intrinsic, arguments, (flags, result))
        }
        Action::AtomicLoad => atomics::load(body, (first, second), result),
        Action::AtomicStore => atomics::store(body, parameters, (first, second, third)),
        Action::AtomicRmw => atomics::update(body, (first, second, third, fourth), result),
        Action::CompareExchange => atomics::compare_exchange(body, &values, result),
        Action::Fence => atomics::fence(body, first),
        Action::FenceAll => {
            atomics::fence_all(body);
            Ok(())
        }
        Action::IsLockFree => {
            let bytes = constant(body, first, "a size")?;
            let is_free = matches!(bytes, 1 | 2 | 4 | 8);
            // The sign-extended bit.
            let bit = Operand::imm(-i64::from(is_free)).unwrap_or(Operand::ZERO);
            body.define_as(bit, result)
        }
    }
}

/// A call of the run-time library, with the types of the intrinsic.
fn library(
    body: &mut Body<'_, '_>,
    intrinsic: &Intrinsic,
    arguments: &[u64],
    (flags, result): (CallFlags, u32),
) -> Result<(), ReadError> {
    let Some(symbol) = body.module.library_symbol(intrinsic.action) else {
        return Err(body.wrong("an intrinsic that the run-time library has no function for"));
    };
    body.read_arguments(arguments)?;
    let sig = match body.module.types.function_of(result, body.arguments().1) {
        Some(ty) => body.signature(ty),
        None => body.new_signature(result),
    };
    call(body, (Operand::symbol(symbol), sig), (flags, result))
}
