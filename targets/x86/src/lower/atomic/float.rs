//! Atomic operations on float and double: exchanges and comparisons are made of their bits in integer registers, the
//! rest is computed in a loop around `cmpxchg`.
//!
//! What `fmax`, `fmin`, `fmaximum` and `fminimum` do with zeros and with values that are no numbers is what the
//! intrinsics `maxnum`, `minnum`, `maximum` and `minimum` do (LLVM Language Reference, `atomicrmw`).

use super::load;
use crate::build::*;
use crate::cond::Cond;
use crate::lower::result;
use crate::regs::RAX;
use crate::table::Op;
use frazil_codegen::{CodegenError, GroupKind, LowerCtx, PRegSet, Reg, RegClass};
use frazil_ir::{InstData, Operand, Refusal, RmwOp};

/// The immediate of `cmpss` and `cmpsd` for "unordered" (Intel manual, volume 2, CMPSD).
const UNORDERED: i32 = 3;

/// The bits of a float in an integer register of the rule.
pub(super) fn bits_of<C: LowerCtx>(cx: &mut C, operand: Operand, bytes: u8) -> Reg {
    let value = cx.use_reg(operand, 0);
    let bits = cx.temp(RegClass::Int);
    cx.emit(rr(Op::MovdRX, bytes, bits, value));
    bits
}

/// Lowers `atomic_rmw` of a float.
pub(super) fn read_modify_write<C: LowerCtx>(
    cx: &mut C,
    data: &InstData,
    op: RmwOp,
    bytes: u8,
) -> Result<(), CodegenError> {
    if op == RmwOp::Xchg {
        let mem = cx.use_addr(data.a, 8);
        let bits = bits_of(cx, data.b, bytes);
        cx.emit(mr(Op::XchgMR, bytes, mem, bits));
        let dst = cx.def(result(data), 0);
        cx.emit(rr(Op::MovdXR, bytes, dst, bits));
        return Ok(());
    }
    cx.claim(PRegSet::of(&[RAX]));
    let mem = cx.use_addr(data.a, 8);
    let value = cx.use_reg(data.b, 0);
    let bits = cx.temp(RegClass::Int);
    let [old, new, mask] = [(); 3].map(|()| cx.temp(RegClass::Float));
    cx.begin_group(GroupKind::Plain);
    let again = cx.local_label();
    load(cx, bytes, RAX, mem);
    cx.bind(again);
    cx.emit(rr(Op::MovdXR, bytes, old, RAX));
    combine(cx, op, bytes, old, value, new, mask)?;
    cx.emit(rr(Op::MovdRX, bytes, bits, new));
    cx.emit(mr(Op::LockCmpxchgMR, bytes, mem, bits));
    cx.emit(jcc(Cond::Ne, again));
    cx.end_group();
    let dst = cx.def(result(data), 0);
    cx.emit(rr(Op::MovdXR, bytes, dst, RAX));
    Ok(())
}

/// Computes `new` from `old` and the operand.
pub(super) fn combine<C: LowerCtx>(
    cx: &mut C,
    op: RmwOp,
    bytes: u8,
    old: Reg,
    value: Reg,
    new: Reg,
    mask: Reg,
) -> Result<(), CodegenError> {
    match op {
        RmwOp::Fadd | RmwOp::Fsub => {
            let row = if op == RmwOp::Fadd { Op::AddsRR } else { Op::SubsRR };
            cx.emit(rr(Op::MovapRR, 4, new, old));
            cx.emit(rr(row, bytes, new, value));
        }
        RmwOp::Fmax => choose_number(cx, Op::MaxsRR, bytes, old, value, new, mask),
        RmwOp::Fmin => choose_number(cx, Op::MinsRR, bytes, old, value, new, mask),
        RmwOp::Fmaximum => extreme(cx, (Op::MaxsRR, Op::AndpRR), bytes, old, value, new),
        RmwOp::Fminimum => extreme(cx, (Op::MinsRR, Op::OrpRR), bytes, old, value, new),
        _ => {
            return Err(CodegenError::unsupported(
                Refusal::Atomic,
                format!("atomic operation {op:?} of a float"),
            ));
        }
    }
    Ok(())
}

/// `maxs` and `mins` give their second operand, here the old contents, if one is no number. If it is the old contents,
/// the operand is taken instead.
fn choose_number<C: LowerCtx>(cx: &mut C, row: Op, bytes: u8, old: Reg, value: Reg, new: Reg, mask: Reg) {
    cx.emit(rr(Op::MovapRR, 4, new, value));
    cx.emit(rr(row, bytes, new, old));
    cx.emit(rr(Op::MovapRR, 4, mask, old));
    cx.emit(rri(Op::CmpsRRI, bytes, mask, mask, UNORDERED));
    // The mask selects the operand's bits, and its complement the others.
    cx.emit(rr(Op::XorpRR, 4, new, value));
    cx.emit(rr(Op::AndnpRR, 4, mask, new));
    cx.emit(rr(Op::MovapRR, 4, new, mask));
    cx.emit(rr(Op::XorpRR, 4, new, value));
}

/// Something that is no number stays so, and of zeros the sign decides: the bits of equal numbers are joined by the
/// second row.
fn extreme<C: LowerCtx>(cx: &mut C, (row, join): (Op, Op), bytes: u8, old: Reg, value: Reg, new: Reg) {
    let [differ, unordered, done] = [(); 3].map(|()| cx.local_label());
    cx.emit(rr(Op::MovapRR, 4, new, old));
    cx.emit(rr(Op::UcomisRR, bytes, old, value));
    cx.emit(jcc_short(Cond::P, unordered));
    cx.emit(jcc_short(Cond::Ne, differ));
    cx.emit(rr(join, 4, new, value));
    cx.emit(jmp_short(done));
    cx.bind(unordered);
    cx.emit(rr(Op::AddsRR, bytes, new, value));
    cx.emit(jmp_short(done));
    cx.bind(differ);
    cx.emit(rr(row, bytes, new, value));
    cx.bind(done);
}
