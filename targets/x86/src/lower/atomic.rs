//! Atomic read-modify-write and compare-and-exchange on integers and pointers of 1, 2, 4 and 8 bytes.
//!
//! Locked instructions are sequentially consistent, so the ordering asked for does not matter. What no locked
//! instruction does is a loop around `cmpxchg`.

use super::{int_bits, result, second_result};
use crate::build::*;
use crate::cond::Cond;
use crate::ops::Op;
use crate::regs::RAX;
use frazil_codegen::{CodegenError, GroupKind, LowerCtx, Mem, PRegSet, Reg, RegClass};
use frazil_ir::{InstData, MemFlags, RmwOp, Type};

/// The operand size of an atomic access.
fn access_bytes<C: LowerCtx>(cx: &C, ty: Type, flags: MemFlags) -> Result<u8, CodegenError> {
    let bits = int_bits(cx, ty);
    if !matches!(bits, 8 | 16 | 32 | 64) {
        return Err(CodegenError::unsupported(
            "an atomic operation on a type other than i8, i16, i32, i64 and ptr",
        ));
    }
    if 1 << flags.align_log2() < bits / 8 {
        return Err(CodegenError::unsupported(
            "an atomic operation that is not aligned to its size",
        ));
    }
    Ok((bits / 8) as u8)
}

/// Lowers `atomic_rmw`.
pub fn read_modify_write<C: LowerCtx>(cx: &mut C, data: &InstData) -> Result<(), CodegenError> {
    let flags = MemFlags(data.flags);
    let size = access_bytes(cx, data.ty, flags)?;
    match flags.rmw() {
        Some(RmwOp::Xchg) => {
            let mem = cx.use_addr(data.a, 8);
            let value = cx.use_copy(data.b, 0);
            cx.emit(mr(Op::XchgMR, size, mem, value));
            cx.def_reuse(result(data), 0, value);
        }
        Some(op @ (RmwOp::Add | RmwOp::Sub)) => {
            let mem = cx.use_addr(data.a, 8);
            let value = cx.use_copy(data.b, 0);
            if op == RmwOp::Sub {
                cx.emit(r(Op::NegR, size, value));
            }
            cx.emit(mr(Op::LockXaddMR, size, mem, value));
            cx.def_reuse(result(data), 0, value);
        }
        Some(op) => return by_loop(cx, data, size, op),
        None => return Err(CodegenError::unsupported("an unknown atomic operation")),
    }
    Ok(())
}

fn by_loop<C: LowerCtx>(cx: &mut C, data: &InstData, size: u8, op: RmwOp) -> Result<(), CodegenError> {
    cx.claim(PRegSet::of(&[RAX]));
    let mem = cx.use_addr(data.a, 8);
    let value = cx.use_reg(data.b, 0);
    let new = cx.temp(RegClass::Int);
    let zero = cx.temp(RegClass::Int);
    cx.begin_group(GroupKind::Plain);
    let again = cx.local_label();
    load(cx, size, RAX, mem);
    cx.bind(again);
    combine(cx, op, size, (new, zero), value)?;
    cx.emit(mr(Op::LockCmpxchgMR, size, mem, new));
    cx.emit(jcc(Cond::Ne, again));
    cx.end_group();
    cx.def_fixed(result(data), 0, RAX);
    Ok(())
}

fn load<C: LowerCtx>(cx: &mut C, size: u8, dst: Reg, mem: Mem) {
    cx.emit(match size {
        1 => rm(Op::MovzxBRM, 4, dst, mem),
        2 => rm(Op::MovzxWRM, 4, dst, mem),
        _ => rm(Op::MovRM, size, dst, mem),
    });
}

/// Computes the new contents from the old in `rax` and the operand.
fn combine<C: LowerCtx>(
    cx: &mut C,
    op: RmwOp,
    size: u8,
    (new, zero): (Reg, Reg),
    value: Reg,
) -> Result<(), CodegenError> {
    let wide = size.max(4);
    let keep_old = match op {
        RmwOp::Max => Some(Cond::G),
        RmwOp::Min => Some(Cond::L),
        RmwOp::Umax => Some(Cond::A),
        RmwOp::Umin => Some(Cond::B),
        _ => None,
    };
    if let Some(cond) = keep_old {
        cx.emit(rr(Op::CmpRR, size, RAX, value));
        cx.emit(rr(Op::MovRR, wide, new, value));
        cx.emit(cmov(cond, wide, new, RAX));
        return Ok(());
    }
    cx.emit(rr(Op::MovRR, wide, new, RAX));
    match op {
        RmwOp::UincWrap => {
            cx.emit(r(Op::IncR, wide, new));
            cx.emit(mov_imm(4, zero, 0));
            cx.emit(rr(Op::CmpRR, size, RAX, value));
            cx.emit(cmov(Cond::Ae, wide, new, zero));
            return Ok(());
        }
        RmwOp::UdecWrap => {
            cx.emit(r(Op::DecR, wide, new));
            cx.emit(rr(Op::CmpRR, size, RAX, value));
            cx.emit(cmov(Cond::A, wide, new, value));
            cx.emit(rr(Op::TestRR, size, RAX, RAX));
            cx.emit(cmov(Cond::E, wide, new, value));
            return Ok(());
        }
        RmwOp::UsubCond | RmwOp::UsubSat => {
            cx.emit(mov_imm(4, zero, 0));
            cx.emit(rr(Op::SubRR, size, new, value));
            let kept = if op == RmwOp::UsubCond { RAX } else { zero };
            cx.emit(cmov(Cond::B, wide, new, kept));
            return Ok(());
        }
        _ => {}
    }
    let row = match op {
        RmwOp::And | RmwOp::Nand => Op::AndRR,
        RmwOp::Or => Op::OrRR,
        RmwOp::Xor => Op::XorRR,
        _ => return Err(CodegenError::unsupported(format!("atomic operation {op:?}"))),
    };
    cx.emit(rr(row, wide, new, value));
    if op == RmwOp::Nand {
        cx.emit(r(Op::NotR, wide, new));
    }
    Ok(())
}

/// Lowers `cmpxchg`: the old contents, and whether it was the expected.
pub fn compare_exchange<C: LowerCtx>(cx: &mut C, data: &InstData) -> Result<(), CodegenError> {
    let size = access_bytes(cx, data.ty, MemFlags(data.flags))?;
    let (expected, new) = cx.func().ternary(data);
    cx.use_fixed(expected, 0, RAX);
    let mem = cx.use_addr(data.a, 8);
    let new = cx.use_reg(new, 0);
    let exchanged = cx.def(second_result(data), 0);
    cx.emit(mr(Op::LockCmpxchgMR, size, mem, new));
    cx.emit(setcc(Cond::E, exchanged));
    cx.def_fixed(result(data), 0, RAX);
    Ok(())
}
