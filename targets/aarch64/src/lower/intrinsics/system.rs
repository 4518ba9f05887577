//! Intrinsics about the processor's state: barriers, system registers, hints; and those that LLVM has for all targets
//! but that have no operation of their own.

use super::super::{any_float_bytes, frames, result, second_result, use_int};
use super::Call;
use super::table::FPCR;
use crate::build::*;
use crate::cond::Cond;
use crate::regs::SCRATCH;
use crate::table::Op;
use frazil_codegen::{CodegenError, LowerCtx, Mem, RegClass};
use frazil_ir::InstData;

/// Where the rounding mode is in the floating-point control register.
const MODE_BIT: u32 = 22;
const MODE_BITS: u32 = 2;

/// Lowers a call of an intrinsic of all targets; `false` if it is not known.
pub(super) fn lower<C: LowerCtx>(cx: &mut C, name: &str, call: &InstData) -> Result<bool, CodegenError> {
    match name {
        // Its name up to LLVM 16, and the one since.
        "llvm.flt.rounds" | "llvm.get.rounding" => get_rounding(cx, call),
        "llvm.set.rounding" => set_rounding(cx, call),
        "llvm.canonicalize.f32" | "llvm.canonicalize.f64" => {
            let bytes = any_float_bytes(cx.func().value(result(call)).ty);
            let operand = cx.func().call(call).args[0];
            let src = cx.use_reg(operand, 0);
            let dst = cx.def(result(call), 0);
            // The lesser of a number and itself is the number, quiet and as the modes want denormal ones.
            cx.emit(rrr(Op::Fminnm, bytes, dst, src, src));
        }
        _ => return frames::lower_intrinsic(cx, name, call),
    }
    Ok(true)
}

/// C counts modes from the one that comes last in the register.
fn get_rounding<C: LowerCtx>(cx: &mut C, call: &InstData) {
    let dst = cx.def(result(call), 0);
    cx.emit(ri(Op::Mrs, 8, dst, FPCR));
    cx.emit(bitfield(Op::Ubfm, 4, dst, dst, MODE_BIT, MODE_BIT + MODE_BITS - 1));
    cx.emit(rri(Op::AddI, 4, dst, dst, 1));
    cx.emit(logical(Op::AndI, 4, dst, dst, 3));
}

fn set_rounding<C: LowerCtx>(cx: &mut C, call: &InstData) {
    let operand = cx.func().call(call).args[0];
    let src = cx.use_reg(operand, 0);
    let mode = cx.temp(RegClass::Int);
    cx.emit(rri(Op::SubI, 4, mode, src, 1));
    cx.emit(ri(Op::Mrs, 8, SCRATCH, FPCR));
    cx.emit(bitfield(Op::Bfm, 8, SCRATCH, mode, 64 - MODE_BIT, MODE_BITS - 1));
    cx.emit(ri(Op::Msr, 8, SCRATCH, FPCR));
}

impl Call {
    pub(super) fn bare<C: LowerCtx>(&self, cx: &mut C, op: Op) -> Result<(), CodegenError> {
        // There is one kind of this barrier.
        if op == Op::Isb || self.args.is_empty() {
            cx.emit(none(op));
            return Ok(());
        }
        let (imm, _) = self.last_constant()?;
        cx.emit(i(op, imm));
        Ok(())
    }

    /// The number, and whether there was none.
    pub(super) fn read_random<C: LowerCtx>(&self, cx: &mut C, register: i32) {
        let number = cx.def(result(&self.data), 0);
        let failed = cx.def(second_result(&self.data), 0);
        cx.emit(ri(Op::MrsFlags, 8, number, register));
        cx.emit(cset(failed, Cond::Eq));
    }

    /// Operands: address, whether it is written, the level of the cache, whether it is streamed, whether it is data.
    pub(super) fn prefetch<C: LowerCtx>(&self, cx: &mut C) -> Result<(), CodegenError> {
        let [pointer, is_written, level, is_streamed, is_data] = self.args[..] else {
            return Err(self.refuse("with other operands"));
        };
        let constant = |arg: frazil_ir::Operand| {
            arg.as_imm()
                .and_then(|value| i32::try_from(value).ok())
                .ok_or_else(|| self.refuse("with an operand that is no constant"))
        };
        let is_code = 1 - constant(is_data)?.clamp(0, 1);
        let hint = constant(is_written)? << 4 | is_code << 3 | constant(level)? << 1 | constant(is_streamed)?;
        let base = use_int(cx, pointer, 0);
        let mut inst = rm(Op::Prfm, 8, frazil_codegen::Reg::NONE, Mem::base(base, 0));
        inst.imm = hint & 31;
        cx.emit(inst);
        Ok(())
    }
}
