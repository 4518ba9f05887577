//! `llvm.fptosi.sat` and `llvm.fptoui.sat` of `x86_fp80`: a conversion, and choices of what is given for numbers that
//! are too small, too large or none. What the conversion gives for those is chosen nowhere.

use super::context::Body;
use crate::error::ReadError;
use crate::llvm::types::TypeId;
use frazil_ir::{InstData, Opcode, Operand, Type};

/// The exponent of 1, and the sign above it.
const ONE: u64 = 16383;
const SIGN: u64 = 1 << 15;

/// Converts `float` to an integer of type `ir_type`, which has `bits` bits.
#[cold]
pub(super) fn extended(
    body: &mut Body<'_, '_>,
    float: Operand,
    signed: bool,
    (ir_type, bits, ty): (Type, u32, TypeId),
) -> Result<(), ReadError> {
    let build = &mut body.build;
    build.check_room(16)?;
    let of_type = Type::X86_F80;
    // The integer bit of the significand is written out; zero has none.
    let power = |sign: u64, exponent: u32| [1 << 63, sign | (ONE + u64::from(exponent))];
    let convert = if signed { Opcode::Fptosi } else { Opcode::Fptoui };
    let (low, high) = match signed {
        true => (power(SIGN, bits - 1), power(0, bits - 1)),
        false => ([0, 0], power(0, bits)),
    };
    let low = Operand::constant(build.function.push_float(of_type, &low));
    let high = Operand::constant(build.function.push_float(of_type, &high));
    let (least, most) = match signed {
        true => (i128::MIN >> (128 - bits), i128::MAX >> (128 - bits)),
        false => (0, -1),
    };
    let mut compare = |op, right| {
        let data = InstData::new(op, of_type, 0, float, right);
        Operand::value(build.function.push_inst_result(data, Type::I1))
    };
    let is_small = compare(Opcode::FcmpOlt, low);
    let is_large = compare(Opcode::FcmpOge, high);
    let is_none = compare(Opcode::FcmpUno, float);
    let converted = build.emit(convert, ir_type, 0, float, Operand::NONE);
    let most = build.function.int_operand(ir_type, most);
    let least = build.function.int_operand(ir_type, least);
    let below_most = build.choose(ir_type, is_large, most, converted);
    let limited = build.choose(ir_type, is_small, least, below_most);
    let rest = build.function.push_pool(&[Operand::ZERO, limited]);
    let choice = InstData::new(Opcode::Select, ir_type, 0, is_none, Operand::raw(rest));
    build.define(choice, ir_type, ty)
}
