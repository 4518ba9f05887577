//! Floating-point arithmetic: by instructions where the machine has them, by calls where not.

use super::{float_bytes, result};
use crate::build::*;
use crate::ops::Op;
use crate::regs::{FT, ZERO};
use frazil_codegen::{CodegenError, LowerCtx};
use frazil_ir::{InstData, Opcode as O, Refusal, RuntimeFunction as F};

/// Lowers one operation.
pub fn float<C: LowerCtx>(cx: &mut C, data: &InstData) -> Result<(), CodegenError> {
    let bytes = float_bytes(data.ty);
    if bytes == 0 {
        return Err(CodegenError::unsupported(
            Refusal::Instruction,
            format!("{} of this type", data.op.name()),
        ));
    }
    let binary = match data.op {
        O::Fadd => Some(Op::Fadd),
        O::Fsub => Some(Op::Fsub),
        O::Fmul => Some(Op::Fmul),
        O::Fdiv => Some(Op::Fdiv),
        O::Fcopysign => Some(Op::Fsgnj),
        _ => None,
    };
    if let Some(op) = binary {
        let (a, b) = (cx.use_reg(data.a, 0), cx.use_reg(data.b, 0));
        let dst = cx.def(result(data), 0);
        cx.emit(rrr_sized(op, bytes, dst, a, b));
        return Ok(());
    }
    let unary = match data.op {
        O::Fneg => Some(Op::Fneg),
        O::Fabs => Some(Op::Fabs),
        O::Fsqrt => Some(Op::Fsqrt),
        _ => None,
    };
    if let Some(op) = unary {
        let a = cx.use_reg(data.a, 0);
        let dst = cx.def(result(data), 0);
        cx.emit(rr_sized(op, bytes, dst, a));
        return Ok(());
    }
    if data.op == O::Fmuladd {
        let (b, c) = cx.func().ternary(data);
        let (a, b, c) = (cx.use_reg(data.a, 0), cx.use_reg(b, 0), cx.use_reg(c, 0));
        let dst = cx.def(result(data), 0);
        cx.emit(rrr_sized(Op::Fmul, bytes, FT, a, b));
        cx.emit(rrr_sized(Op::Fadd, bytes, dst, FT, c));
        return Ok(());
    }
    call(cx, data, bytes)
}

/// By a function of the C library.
fn call<C: LowerCtx>(cx: &mut C, data: &InstData, bytes: u8) -> Result<(), CodegenError> {
    let (single, double) = match data.op {
        O::Frem => (F::Fmodf, F::Fmod),
        O::Ffloor => (F::Floorf, F::Floor),
        O::Fceil => (F::Ceilf, F::Ceil),
        O::Ftrunc => (F::Truncf, F::Trunc),
        O::Frint => (F::Rintf, F::Rint),
        O::Fnearbyint => (F::Nearbyintf, F::Nearbyint),
        O::Fround => (F::Roundf, F::Round),
        O::Froundeven => (F::Roundevenf, F::Roundeven),
        O::Fminnum => (F::Fminf, F::Fmin),
        O::Fmaxnum => (F::Fmaxf, F::Fmax),
        O::Fminimum => (F::Fminimumf, F::Fminimum),
        O::Fmaximum => (F::Fmaximumf, F::Fmaximum),
        O::Fma => (F::Fmaf, F::Fma),
        other => {
            return Err(CodegenError::unsupported(
                Refusal::Instruction,
                format!("instruction {}", other.name()),
            ));
        }
    };
    let function = if bytes == 4 { single } else { double };
    let mut args = Vec::new();
    cx.func()
        .for_each_operand(data, |operand| args.push((operand, data.ty)));
    cx.call_runtime(function, &args, Some(result(data)))
}

/// Lowers `is_fpclass`: the machine numbers classes like the IR.
pub fn is_fpclass<C: LowerCtx>(cx: &mut C, data: &InstData) {
    let mask = data.b.as_imm().unwrap_or(0) as i32 & 0x3ff;
    let a = cx.use_reg(data.a, 0);
    let dst = cx.def(result(data), 0);
    cx.emit(rr_sized(Op::Fclass, float_bytes(data.ty), dst, a));
    cx.emit(rri(Op::Andi, dst, dst, mask));
    cx.emit(rrr(Op::Sltu, dst, ZERO, dst));
}
