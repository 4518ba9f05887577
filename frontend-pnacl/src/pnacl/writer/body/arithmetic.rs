//! Arithmetic, comparisons, casts and selects that the ABI has. It promises wrapped results, so that flags which say
//! what does not happen are left out, as are those that permit approximations.

use super::{define, own, scalar_bits};
use crate::pnacl::writer::builder::{Builder, casts, no_form};
use crate::pnacl::writer::error::WriteError;
use crate::pnacl::writer::types::Kind;
use frazil_ir::{InstData, Opcode, Refusal};

/// Casts that change values, by their numbers.
const CASTS: [(Opcode, u64); 9] = [
    (Opcode::Trunc, casts::TRUNC),
    (Opcode::Zext, casts::ZEXT),
    (Opcode::Sext, casts::SEXT),
    (Opcode::Fptoui, 3),
    (Opcode::Fptosi, 4),
    (Opcode::Uitofp, 5),
    (Opcode::Sitofp, 6),
    (Opcode::Fptrunc, 7),
    (Opcode::Fpext, 8),
];

/// Two operands, and the operation. Bits have only the bitwise ones.
pub fn binary(builder: &mut Builder<'_>, data: &InstData) -> Result<(), WriteError> {
    use Opcode as O;
    let kind = builder.kind(data.ty)?;
    let (left, right) = (own(builder, data, data.a)?, own(builder, data, data.b)?);
    let of_bits = kind.scalar() == Kind::I1;
    let result = match data.op {
        O::Add | O::Sub if of_bits => builder.binary(O::Xor, left, right)?,
        O::Mul if of_bits => builder.binary(O::And, left, right)?,
        // Any other divisor or amount is undefined.
        O::Udiv | O::Sdiv | O::Shl | O::Lshr | O::Ashr if of_bits => left,
        O::Urem | O::Srem if of_bits => builder.binary(O::Xor, left, left)?,
        op => builder.binary(op, left, right)?,
    };
    define(builder, data, result)
}

/// Two operands, and the comparison.
pub fn compare(builder: &mut Builder<'_>, data: &InstData) -> Result<(), WriteError> {
    let kind = builder.kind(data.ty)?;
    let (left, right) = (own(builder, data, data.a)?, own(builder, data, data.b)?);
    let result = builder.compare(data.op, kind, left, right)?;
    define(builder, data, result)
}

/// A condition and two values.
pub fn select(builder: &mut Builder<'_>, data: &InstData) -> Result<(), WriteError> {
    builder.kind(data.ty)?;
    let (chosen, other) = builder.function.ternary(data);
    let (chosen, other) = (own(builder, data, chosen)?, own(builder, data, other)?);
    let condition = builder.operand(data.a, frazil_ir::Type::I1)?;
    let result = builder.select(condition, chosen, other);
    define(builder, data, result)
}

/// An operand that becomes another type. Addresses are integers already.
pub fn cast(builder: &mut Builder<'_>, data: &InstData) -> Result<(), WriteError> {
    let (from, to) = (builder.carried_kind(data.a)?, builder.kind(data.ty)?);
    let operand = own(builder, data, data.a)?;
    let result = match data.op {
        Opcode::Bitcast | Opcode::Ptrtoint | Opcode::Inttoptr if from == to => operand,
        Opcode::Bitcast => builder.cast(casts::BITCAST, operand, to),
        Opcode::Ptrtoint | Opcode::Inttoptr => {
            scalar_bits(from, data.op)?;
            builder.resize(operand, from, to)
        }
        Opcode::Addrspacecast => {
            return Err(WriteError::new(
                Refusal::AddressSpace,
                "an address in another address space",
            ));
        }
        op => {
            let found = CASTS.iter().find(|(own, _)| *own == op);
            let &(_, number) = found.ok_or_else(|| no_form(op))?;
            builder.cast(number, operand, to)
        }
    };
    define(builder, data, result)
}
