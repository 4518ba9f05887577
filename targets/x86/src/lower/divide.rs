//! Integer division: fixed registers, operands extended to 32 or 64 bits; two registers' worth by library call.

use super::divide_constant::divide_by_constant;
use super::{extend, extended_copy, int_bits, is_32_bit, result, size_of_bits, word_bits};
use crate::build::*;
use crate::regs::{RAX, RDX};
use crate::table::Op;
use frazil_codegen::{CodegenError, ImmKind, LowerCtx, PRegSet, Src};
use frazil_ir::{InstData, Opcode, Refusal, RuntimeFunction};

/// Lowers udiv, sdiv, urem, srem.
pub fn divide<C: LowerCtx>(cx: &mut C, data: &InstData) -> Result<(), CodegenError> {
    let bits = int_bits(cx, data.ty);
    if bits > word_bits::<C>() {
        return divide_wide(cx, data, bits);
    }
    if let Some(divisor) = cx.func().int_constant(data.b)
        && divide_by_constant(cx, data, bits, divisor)
    {
        return Ok(());
    }
    let signed = matches!(data.op, Opcode::Sdiv | Opcode::Srem);
    let size = size_of_bits(bits);
    let exact = bits == u32::from(size) * 8;
    cx.use_fixed(data.a, 0, RAX);
    cx.claim(PRegSet::of(&[RDX]));
    let divisor = if exact {
        cx.use_src(data.b, 0, ImmKind::None)
    } else {
        Src::Reg(extended_copy(cx, data.b, bits, signed, size))
    };
    if !exact {
        extend(cx, RAX, RAX, bits, signed, size);
    }
    match (signed, size) {
        (true, 8) => cx.emit(none(Op::Cqo, 8)),
        (true, _) => cx.emit(none(Op::Cdq, 4)),
        (false, _) => cx.emit(r(Op::ZeroR, 4, RDX)),
    }
    cx.emit(match (signed, divisor) {
        (true, Src::Mem(mem)) => m(Op::IdivM, size, mem),
        (false, Src::Mem(mem)) => m(Op::DivM, size, mem),
        (true, Src::Reg(reg)) => r(Op::IdivR, size, reg),
        (false, Src::Reg(reg)) => r(Op::DivR, size, reg),
        (_, Src::Imm(_)) => unreachable!("not asked for"),
    });
    let place = if matches!(data.op, Opcode::Udiv | Opcode::Sdiv) {
        RAX
    } else {
        RDX
    };
    cx.def_fixed(result(data), 0, place);
    Ok(())
}

fn divide_wide<C: LowerCtx>(cx: &mut C, data: &InstData, bits: u32) -> Result<(), CodegenError> {
    if bits != 2 * word_bits::<C>() {
        return Err(CodegenError::unsupported(
            Refusal::WideInteger,
            format!("division of i{bits}"),
        ));
    }
    use RuntimeFunction as F;
    let (narrow, wide) = match data.op {
        Opcode::Udiv => (F::Udivdi3, F::Udivti3),
        Opcode::Sdiv => (F::Divdi3, F::Divti3),
        Opcode::Urem => (F::Umoddi3, F::Umodti3),
        _ => (F::Moddi3, F::Modti3),
    };
    let function = if is_32_bit::<C>() { narrow } else { wide };
    cx.call_runtime(function, &[(data.a, data.ty), (data.b, data.ty)], Some(result(data)))
}
