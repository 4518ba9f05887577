//! The instruction `va_arg`: loads, choices and stores, as front ends write them for C.
//!
//! What a list has and where an argument of a type is, the platform says ([`frazil_ir::platform::ArgumentList`]). Where
//! the argument is, and what the list is afterwards, is chosen without branches: both alternatives only read the list
//! and write what it has already.
//!
//! Refused by name is what is passed in a way that a list cannot follow, and every `va_arg` where lists are not known.

use super::context::{Body, Operands};
use crate::builder::values::Builder;
use crate::error::ReadError;
use frazil_ir::platform::{ArgumentList, ListForm, Passing, VariadicFacts};
use frazil_ir::{InstData, MemFlags, Opcode, Operand, Refusal, Type, TypeData};

/// Type of the list, list, type of the argument.
#[cold]
pub(in crate::llvm) fn va_arg(body: &mut Body<'_, '_>, operands: &mut Operands<'_>) -> Result<(), ReadError> {
    let list_type = body.build.type_id(operands.next()?)?;
    let number = body.number(operands.next()?);
    let list = match number < body.build.next {
        true => body.build.word(number)?,
        false => body.build.forward(number, list_type)?,
    };
    let build = &mut body.build;
    if !list.is_operand() || list.ir_type() != Type::PTR {
        return Err(build.malformed("va_arg of something that is no pointer"));
    }
    let ty = build.type_id(operands.next()?)?;
    let ir_type = build
        .scalar_class(ty)
        .map_err(|_| build.unsupported(Refusal::Bitcode, "va_arg of a structure or a wide integer"))?;
    build.check_room(32)?;
    let facts = known_lists(build)?;
    let data = build.function.types().data(ir_type);
    let element = match data {
        TypeData::Vector { element, .. } => Some(build.function.types().data(element)),
        _ => None,
    };
    let convention = build.function.signature().call_conv;
    let own = facts.lists_of_conventions.iter().find(|row| row.0 == convention);
    let ArgumentList { form, passing, .. } = own.map_or(facts.list, |&(_, _, list)| list);
    let Some(passing) = passing(data, element) else {
        let convention = own.map_or(String::new(), |&(_, name, _)| format!(" in the convention {name}"));
        let refusal = match Refusal::of_type(build.function.types(), ir_type) {
            Refusal::ExoticFloat => Refusal::ExoticFloat,
            _ if own.is_some() => Refusal::CallingConvention,
            refusal => refusal,
        };
        return Err(build.unsupported(refusal, format!("va_arg of {}{convention}", described(data, element))));
    };
    let place = match form {
        ListForm::NextArgument => next_in_memory(build, list.operand(), passing),
        ListForm::SaveArea {
            next_in_memory, area, ..
        } => next_of_list(build, list.operand(), (next_in_memory, area), passing),
    };
    let align_log2 = match data {
        TypeData::Vector { .. } => 4,
        _ => 3,
    };
    let flags = MemFlags::aligned(align_log2).0;
    let load = InstData::new(Opcode::Load, ir_type, flags, place, Operand::NONE);
    build.define(load, ir_type, ty)
}

/// The type for a message.
fn described(data: TypeData, element: Option<TypeData>) -> String {
    match (data, element) {
        (TypeData::Int(bits), _) => format!("an integer of {bits} bits"),
        (TypeData::Vector { lanes, .. }, Some(element)) => {
            format!("a vector of {lanes} of {}", described(element, None))
        }
        (TypeData::Ptr(space), _) => format!("a pointer into address space {space}"),
        (TypeData::F32, _) => "float".to_owned(),
        (TypeData::F64, _) => "double".to_owned(),
        (TypeData::X86F80, _) => "x86_fp80".to_owned(),
        _ => "a float type".to_owned(),
    }
}

/// What lists look like, if that is known of the platform.
fn known_lists(build: &Builder<'_, '_>) -> Result<VariadicFacts, ReadError> {
    let facts = build.module.platform.and_then(|platform| platform.variadic);
    facts
        .filter(|facts| build.module.layout.pointer(0).bits == facts.pointer_bits)
        .ok_or_else(|| build.unsupported(Refusal::Bitcode, "va_arg for this target"))
}

fn number(build: &mut Builder<'_, '_>, ir_type: Type, value: i64) -> Operand {
    build.function.int_operand(ir_type, i128::from(value))
}

fn load(build: &mut Builder<'_, '_>, ir_type: Type, address: Operand) -> Operand {
    let flags = MemFlags::aligned(2).0;
    build.emit(Opcode::Load, ir_type, flags, address, Operand::NONE)
}

fn store(build: &mut Builder<'_, '_>, ir_type: Type, value: Operand, address: Operand) {
    let flags = MemFlags::aligned(2).0;
    (build.function).push_inst(InstData::new(Opcode::Store, ir_type, flags, value, address));
}

/// Where an argument in memory is, and where the next one is, if that address was `next`.
fn in_memory(build: &mut Builder<'_, '_>, next: Operand, passing: Passing) -> (Operand, Operand) {
    let place = match passing.align {
        ..=8 => next,
        align => align_up(build, next, align),
    };
    (place, build.address_after(place, Type::PTR, passing.bytes))
}

/// The address of the next argument of a list that is this address; the list is moved on.
fn next_in_memory(build: &mut Builder<'_, '_>, list: Operand, passing: Passing) -> Operand {
    let next = load(build, Type::PTR, list);
    let (place, next) = in_memory(build, next, passing);
    store(build, Type::PTR, next, list);
    place
}

/// The address of the next argument of a list with a save area; the list is moved on. `next_at` and `area_at` are the
/// distances of its two addresses.
fn next_of_list(
    build: &mut Builder<'_, '_>,
    list: Operand,
    (next_at, area_at): (i64, i64),
    passing: Passing,
) -> Operand {
    let next_at = build.address_after(list, Type::PTR, next_at);
    let next = load(build, Type::PTR, next_at);
    let (place, next_after) = in_memory(build, next, passing);
    let Some(registers) = passing.registers else {
        store(build, Type::PTR, next_after, next_at);
        return place;
    };
    // More than one register of those that are not larger than half of it.
    let used = passing.bytes.max(registers.bytes);
    let offset_at = build.address_after(list, Type::PTR, registers.next_offset);
    let offset = load(build, Type::I32, offset_at);
    let last = number(build, Type::I32, registers.end - used);
    let is_in_register = {
        let compare = InstData::new(Opcode::IcmpUle, Type::I32, 0, offset, last);
        Operand::value(build.function.push_inst_result(compare, Type::I1))
    };
    let area_at = build.address_after(list, Type::PTR, area_at);
    let area = load(build, Type::PTR, area_at);
    let distance = build.distance(offset, Type::I32, Opcode::Zext);
    let in_area = build.emit(Opcode::PtrAdd, Type::PTR, 0, area, distance);
    let used = number(build, Type::I32, used);
    let next_offset = build.emit(Opcode::Add, Type::I32, 0, offset, used);
    let new_offset = build.choose(Type::I32, is_in_register, next_offset, offset);
    store(build, Type::I32, new_offset, offset_at);
    let new_next = build.choose(Type::PTR, is_in_register, next, next_after);
    store(build, Type::PTR, new_next, next_at);
    build.choose(Type::PTR, is_in_register, in_area, place)
}

/// An address rounded up to a power of two.
fn align_up(build: &mut Builder<'_, '_>, address: Operand, align: i64) -> Operand {
    let above = build.address_after(address, Type::PTR, align - 1);
    let pointer_int = build.pointer_int();
    let bits = build.emit(Opcode::Ptrtoint, pointer_int, 0, above, Operand::NONE);
    let mask = number(build, pointer_int, -align);
    let rounded = build.emit(Opcode::And, pointer_int, 0, bits, mask);
    build.emit(Opcode::Inttoptr, Type::PTR, 0, rounded, Operand::NONE)
}
