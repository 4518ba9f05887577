//! The instruction `va_arg` on x86-64: loads, choices and stores, as front ends write them for C.
//!
//! A `va_list` of System V (ABI section 3.5.7) has the distances of the next general and the next vector register from
//! the start of the save area, the address of the next argument on the stack, and that of the save area. Where the
//! argument is, and what the list is afterwards, is chosen without branches: both alternatives only read the list and
//! write what it has already. In a function of Win64's convention, a list is the address of the next argument.
//!
//! Types are read as LLVM passes them. Where llc reads them from another place than that (`x86_fp80`, integers of 128
//! bits that are not in registers), it is the place where they are that counts here. Refused by name is what is passed
//! in a way that a list cannot follow.

use super::context::{Body, Operands};
use crate::build::values::Builder;
use crate::error::ReadError;
use frazil_ir::{CallConv, InstData, MemFlags, Opcode, Operand, Refusal, Type, TypeData};

/// Size of the part of the save area that has general registers.
const INT_BYTES: i64 = 6 * 8;
/// Size of the save area.
const AREA_BYTES: i64 = INT_BYTES + 8 * 16;
/// Where a list has the distance of the next vector register.
const FLOAT_OFFSET: i64 = 4;
/// Where it has the address of the next argument on the stack.
const OVERFLOW: i64 = 8;
/// Where it has the address of the save area.
const SAVE_AREA: i64 = 16;

/// How an argument is passed.
#[derive(Clone, Copy)]
struct Passing {
    /// Where the list has the distance of the next register, what a register of that kind takes in the save area, and
    /// where those registers end there; nothing for what is passed on the stack only.
    registers: Option<(i64, i64, i64)>,
    /// What it takes, there or on the stack.
    bytes: i64,
    /// Its alignment on the stack.
    align: i64,
}

impl Passing {
    /// How a type is passed by System V's convention.
    fn of(data: TypeData, element: Option<TypeData>) -> Option<Passing> {
        let ints = Some((0, 8, INT_BYTES));
        let floats = Some((FLOAT_OFFSET, 16, AREA_BYTES));
        let passing = |registers, bytes| Passing {
            registers,
            bytes,
            align: bytes,
        };
        Some(match (data, element) {
            (TypeData::Int(..=64) | TypeData::Ptr(0), _) => passing(ints, 8),
            (TypeData::Int(128), _) => passing(ints, 16),
            (TypeData::F32 | TypeData::F64, _) => passing(floats, 8),
            (TypeData::Vector { lanes: 4, .. }, Some(TypeData::F32))
            | (TypeData::Vector { lanes: 2, .. }, Some(TypeData::F64)) => passing(floats, 16),
            (TypeData::X86F80, _) => passing(None, 16),
            _ => return None,
        })
    }
}

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
    refuse_other_targets(build)?;
    let data = build.function.types.data(ir_type);
    let element = match data {
        TypeData::Vector { element, .. } => Some(build.function.types.data(element)),
        _ => None,
    };
    let is_win64 = build.function.signature.call_conv == CallConv(WIN64);
    let place = match Passing::of(data, element) {
        // llc reads narrower ones one after the other, which nobody passes like that.
        Some(Passing { bytes: 8, .. }) if is_win64 && !is_narrow(data) => next_of_pointer(build, list.operand()),
        Some(passing) if !is_win64 => next_of_list(build, list.operand(), passing),
        _ => {
            let refusal = match Refusal::of_type(&build.function.types, ir_type) {
                Refusal::ExoticFloat => Refusal::ExoticFloat,
                _ if is_win64 => Refusal::CallingConvention,
                refusal => refusal,
            };
            let convention = if is_win64 { " in the convention Win64" } else { "" };
            return Err(build.unsupported(refusal, format!("va_arg of {}{convention}", described(data, element))));
        }
    };
    let align_log2 = match data {
        TypeData::Vector { .. } => 4,
        _ => 3,
    };
    let flags = MemFlags::aligned(align_log2).0;
    let load = InstData::new(Opcode::Load, ir_type, flags, place, Operand::NONE);
    build.define(load, ir_type, ty)
}

/// LLVM's number of Win64's convention.
const WIN64: u16 = 79;

fn is_narrow(data: TypeData) -> bool {
    matches!(data, TypeData::Int(..=63) | TypeData::F32)
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

/// What lists look like is known for one target.
fn refuse_other_targets(build: &Builder<'_, '_>) -> Result<(), ReadError> {
    let module = &build.module.module;
    let triple = module.strings.bytes(module.triple);
    let is_known = triple.is_empty() || triple.starts_with(b"x86_64") || triple.starts_with(b"amd64");
    if is_known && build.module.layout.pointer(0).bits == 64 {
        return Ok(());
    }
    Err(build.unsupported(Refusal::Bitcode, "va_arg for another target than x86-64"))
}

fn number(build: &mut Builder<'_, '_>, ir_type: Type, value: i64) -> Operand {
    build.function.int_operand(ir_type, i128::from(value))
}

fn behind(build: &mut Builder<'_, '_>, address: Operand, distance: i64) -> Operand {
    if distance == 0 {
        return address;
    }
    let distance = number(build, Type::I64, distance);
    build.emit(Opcode::PtrAdd, Type::PTR, 0, address, distance)
}

fn load(build: &mut Builder<'_, '_>, ir_type: Type, address: Operand) -> Operand {
    let flags = MemFlags::aligned(2).0;
    build.emit(Opcode::Load, ir_type, flags, address, Operand::NONE)
}

fn store(build: &mut Builder<'_, '_>, ir_type: Type, value: Operand, address: Operand) {
    let flags = MemFlags::aligned(2).0;
    (build.function).push_inst(InstData::new(Opcode::Store, ir_type, flags, value, address));
}

/// The next argument of a list that is its address.
fn next_of_pointer(build: &mut Builder<'_, '_>, list: Operand) -> Operand {
    let place = load(build, Type::PTR, list);
    let next = behind(build, place, 8);
    store(build, Type::PTR, next, list);
    place
}

/// The address of the next argument of a list of System V; the list is moved on.
fn next_of_list(build: &mut Builder<'_, '_>, list: Operand, passing: Passing) -> Operand {
    let overflow_at = behind(build, list, OVERFLOW);
    let overflow = load(build, Type::PTR, overflow_at);
    let on_stack = match passing.align {
        ..=8 => overflow,
        align => align_up(build, overflow, align),
    };
    let behind_it = behind(build, on_stack, passing.bytes);
    let Some((offset_at, register_bytes, end)) = passing.registers else {
        store(build, Type::PTR, behind_it, overflow_at);
        return on_stack;
    };
    let used = match register_bytes {
        8 => passing.bytes,
        _ => register_bytes,
    };
    let offset_at = behind(build, list, offset_at);
    let offset = load(build, Type::I32, offset_at);
    let last = number(build, Type::I32, end - used);
    let is_in_register = {
        let compare = InstData::new(Opcode::IcmpUle, Type::I32, 0, offset, last);
        Operand::value(build.function.push_inst_result(compare, Type::I1))
    };
    let area_at = behind(build, list, SAVE_AREA);
    let area = load(build, Type::PTR, area_at);
    let distance = build.emit(Opcode::Zext, Type::I64, 0, offset, Operand::NONE);
    let in_area = build.emit(Opcode::PtrAdd, Type::PTR, 0, area, distance);
    let used = number(build, Type::I32, used);
    let next_offset = build.emit(Opcode::Add, Type::I32, 0, offset, used);
    let new_offset = build.choose(Type::I32, is_in_register, next_offset, offset);
    store(build, Type::I32, new_offset, offset_at);
    let new_overflow = build.choose(Type::PTR, is_in_register, overflow, behind_it);
    store(build, Type::PTR, new_overflow, overflow_at);
    build.choose(Type::PTR, is_in_register, in_area, on_stack)
}

/// An address rounded up to a power of two.
fn align_up(build: &mut Builder<'_, '_>, address: Operand, align: i64) -> Operand {
    let above = behind(build, address, align - 1);
    let bits = build.emit(Opcode::Ptrtoint, Type::I64, 0, above, Operand::NONE);
    let mask = number(build, Type::I64, -align);
    let rounded = build.emit(Opcode::And, Type::I64, 0, bits, mask);
    build.emit(Opcode::Inttoptr, Type::PTR, 0, rounded, Operand::NONE)
}
