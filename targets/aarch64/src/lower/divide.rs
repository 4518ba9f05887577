//! Integer division: operands extended to 32 or 64 bits; two registers' worth by library call.

use super::divide_constant::divide_by_constant;
use super::{checked_bits, extended, result, size_of_bits};
use crate::build::*;
use crate::table::Op;
use frazil_codegen::{CodegenError, LowerCtx, RegClass};
use frazil_ir::{InstData, Opcode, Refusal, RuntimeFunction, Type};

/// Lowers udiv, sdiv, urem, srem. The remainder is the dividend less the quotient times the divisor (Arm ARM, C6.2).
pub fn divide<C: LowerCtx>(cx: &mut C, data: &InstData) -> Result<(), CodegenError> {
    let bits = checked_bits(cx, data, data.ty)?;
    if bits > 64 {
        return divide_wide(cx, data, bits);
    }
    if let Some(divisor) = cx.func().int_constant(data.b)
        && divide_by_constant(cx, data, bits, divisor)
    {
        return Ok(());
    }
    let signed = matches!(data.op, Opcode::Sdiv | Opcode::Srem);
    let size = size_of_bits(bits);
    let dividend = extended(cx, data.a, bits, signed, size);
    let divisor = extended(cx, data.b, bits, signed, size);
    let op = if signed { Op::Sdiv } else { Op::Udiv };
    if matches!(data.op, Opcode::Udiv | Opcode::Sdiv) {
        let dst = cx.def(result(data), 0);
        cx.emit(rrr(op, size, dst, dividend, divisor));
        return Ok(());
    }
    let quotient = cx.temp(RegClass::Int);
    let dst = cx.def_reuse(result(data), 0, dividend);
    cx.emit(rrr(op, size, quotient, dst, divisor));
    cx.emit(rrr(Op::Msub, size, dst, quotient, divisor));
    Ok(())
}

/// A library function divides 128 bits; for other widths its operands would have to be extended before the call.
fn divide_wide<C: LowerCtx>(cx: &mut C, data: &InstData, bits: u32) -> Result<(), CodegenError> {
    if bits != 128 {
        return Err(CodegenError::unsupported(
            Refusal::WideInteger,
            format!("division of i{bits}"),
        ));
    }
    let function = match data.op {
        Opcode::Udiv => RuntimeFunction::Udivti3,
        Opcode::Sdiv => RuntimeFunction::Divti3,
        Opcode::Urem => RuntimeFunction::Umodti3,
        _ => RuntimeFunction::Modti3,
    };
    cx.call_runtime(
        function,
        &[(data.a, Type::I128), (data.b, Type::I128)],
        Some(result(data)),
    )
}
