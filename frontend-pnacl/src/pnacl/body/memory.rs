//! Memory: the stack, loads and stores.

use super::exactly;
use crate::error::ReadError;
use crate::pnacl::codes::function as code;
use crate::pnacl::context::{Body, EVERYWHERE};
use crate::pnacl::types::Kind;
use frazil_ir::{InstData, MemFlags, Opcode, Operand, Type, typing};

/// The largest alignment on the stack, as a power of two.
const MOST_ALIGNMENT_LOG2: u64 = 29;

/// A size in bytes, and the alignment's logarithm plus one.
pub fn alloca(body: &mut Body<'_, '_>, operands: &[u64]) -> Result<(), ReadError> {
    let [size, alignment] = exactly(body, code::ALLOCA, operands)?;
    let number = body.number(size);
    let size = body.entry(number)?;
    let ty = size.ty;
    if !body.module.types.is_integer(ty, 32) {
        return Err(body.wrong("an alloca whose size is no i32"));
    }
    if alignment > MOST_ALIGNMENT_LOG2 + 1 {
        return Err(body.wrong(format!("an alloca aligned to more than 2^{MOST_ALIGNMENT_LOG2}")));
    }
    let align_log2 = alignment.saturating_sub(1) as u32;
    let is_entry = body.current_block() == 0;
    if let Some(bytes) = body.function.int_constant(size.operand).filter(|_| is_entry) {
        let address = Operand::value(body.function.push_slot(u64::from(bytes as u32), align_log2 as u8));
        body.define(cut(address), ty)?;
        body.set_pointer(address, EVERYWHERE);
        return Ok(());
    }
    let (bytes, _) = byte_count(body, size.operand);
    let flags = MemFlags::aligned(align_log2).0;
    let data = InstData::new(Opcode::StackAlloc, Type::PTR, flags, bytes, Operand::NONE);
    let address = Operand::value(body.function.push_inst_result(data, Type::PTR));
    body.define(cut(address), ty)
}

/// A number of bytes as an integer as wide as the target's pointers, with its type.
pub fn byte_count(body: &mut Body<'_, '_>, bytes: Operand) -> (Operand, Type) {
    let width = typing::pointer_int(body.module.module().data_layout.pointer_bits);
    if width == Type::I32 {
        return (bytes, width);
    }
    if let Some(constant) = body.function.int_constant(bytes) {
        let constant = i128::from(constant as u32);
        return (body.function.int_operand(width, constant), width);
    }
    let operand = body.typed(bytes, Type::I32);
    let data = InstData::new(Opcode::Zext, width, 0, operand, Operand::NONE);
    (Operand::value(body.function.push_inst_result(data, width)), width)
}

/// An address as an integer.
pub fn cut(address: Operand) -> InstData {
    InstData::new(Opcode::Ptrtoint, Type::I32, 0, address, Operand::NONE)
}

/// The flags of an access to memory of a type, whose alignment must be one that the ABI has for it.
fn access(body: &Body<'_, '_>, ty: u32, alignment: u64) -> Result<MemFlags, ReadError> {
    let types = &body.module.types;
    // In bytes; the second is that of floats, or of an element.
    let allowed = match (types.kind(ty), types.scalar(ty)) {
        (Some(Kind::Integer(8 | 16 | 32 | 64)), _) => Some([1, 1]),
        (Some(Kind::Float), _) => Some([1, 4]),
        (Some(Kind::Double), _) => Some([1, 8]),
        (Some(Kind::Vector { .. }), Some(Kind::Float)) => Some([4, 4]),
        (Some(Kind::Vector { .. }), Some(Kind::Integer(bits @ (8 | 16 | 32)))) => Some([bits / 8, bits / 8]),
        _ => None,
    };
    let log2 = alignment.wrapping_sub(1);
    match allowed {
        Some(allowed) if log2 < 4 && allowed.contains(&(1 << log2)) => Ok(MemFlags::aligned(log2 as u32)),
        _ => {
            let name = types.name(ty);
            Err(body.wrong(format!(
                "an access to memory of type {name} with {alignment} for its alignment, which the ABI does not have"
            )))
        }
    }
}

/// An address, the alignment's logarithm plus one, and a type.
pub fn load(body: &mut Body<'_, '_>, operands: &[u64]) -> Result<(), ReadError> {
    let [address, alignment, ty] = exactly(body, code::LOAD, operands)?;
    let ty = ty as u32;
    let flags = access(body, ty, alignment)?;
    let address = body.pointer(address)?;
    let ir_type = body.module.types.ir_type(ty, body.function);
    body.define(
        InstData::new(Opcode::Load, ir_type, flags.0, address, Operand::NONE),
        ty,
    )
}

/// An address, a value, and the alignment's logarithm plus one.
pub fn store(body: &mut Body<'_, '_>, operands: &[u64]) -> Result<(), ReadError> {
    let [address, value, alignment] = exactly(body, code::STORE, operands)?;
    let number = body.number(value);
    let value = body.entry(number)?;
    let flags = access(body, value.ty, alignment)?;
    let address = body.pointer(address)?;
    let ir_type = body.module.types.ir_type(value.ty, body.function);
    body.function
        .push_inst(InstData::new(Opcode::Store, ir_type, flags.0, value.operand, address));
    Ok(())
}
