//! Atomic accesses of 16 bytes by `casp`, with LSE: it compares memory with `x0` and `x1`, replaces it by `x2` and `x3`
//! if they are equal, and leaves in `x0` and `x1` what was there (Arm ARM, C6.2, CASP). Its pairs of registers begin
//! with an even one, which allocators know nothing of, so the rules claim them; functions with such accesses have no
//! registers that belong to one value for life.
//!
//! A load exchanges zero for zero, which changes nothing; memory that cannot be written cannot be loaded from this way,
//! as with LLVM. All else but a compare-and-exchange is a loop. Its first look at memory may see halves of different
//! stores, which the exchange finds out.

use super::{combine, operation, order};
use crate::build::*;
use crate::cond::Cond;
use crate::lower::wide::{Pair, compare_pairs, temporary_pair, use_pair};
use crate::lower::{result, second_result};
use crate::regs::{XZR, x};
use crate::table::Op;
use frazil_codegen::{CodegenError, GroupKind, LowerCtx, MInst, PRegSet, Reg};
use frazil_ir::{InstData, Opcode, Operand, RmwOp};

/// What is compared, and what was in memory.
const FOUND: Pair = Pair { low: x(0), high: x(1) };
/// What is stored.
const NEW: Pair = Pair { low: x(2), high: x(3) };
const FIXED: PRegSet = PRegSet::of(&[FOUND.low, FOUND.high, NEW.low, NEW.high]);

/// Lowers any atomic access of 16 bytes.
pub(super) fn atomic<C: LowerCtx>(cx: &mut C, data: &InstData) -> Result<(), CodegenError> {
    match data.op {
        Opcode::AtomicLoad => load(cx, data),
        Opcode::Cmpxchg => compare_exchange(cx, data),
        Opcode::AtomicStore => exchange_loop(cx, data, (data.b, data.a), RmwOp::Xchg)?,
        _ => {
            exchange_loop(cx, data, (data.a, data.b), operation(data)?)?;
            define_old(cx, data);
        }
    }
    Ok(())
}

fn exchange(data: &InstData, base: Reg) -> MInst {
    rr(Op::Casp, 8, Reg::NONE, base).with_aux(order(data))
}

fn copy<C: LowerCtx>(cx: &mut C, dst: Pair, src: Pair) {
    cx.emit(rr(Op::Mov, 8, dst.low, src.low));
    cx.emit(rr(Op::Mov, 8, dst.high, src.high));
}

fn define_old<C: LowerCtx>(cx: &mut C, data: &InstData) {
    cx.def_fixed(result(data), 0, FOUND.low);
    cx.def_fixed(result(data), 1, FOUND.high);
}

fn load<C: LowerCtx>(cx: &mut C, data: &InstData) {
    const ZERO: Pair = Pair { low: XZR, high: XZR };
    cx.claim(FIXED);
    let base = cx.use_reg(data.a, 0);
    copy(cx, FOUND, ZERO);
    copy(cx, NEW, ZERO);
    cx.emit(exchange(data, base));
    define_old(cx, data);
}

fn compare_exchange<C: LowerCtx>(cx: &mut C, data: &InstData) {
    let (expected, new) = cx.func().ternary(data);
    cx.claim(FIXED);
    let base = cx.use_reg(data.a, 0);
    let expected = use_pair(cx, expected);
    let new = use_pair(cx, new);
    let exchanged = cx.def(second_result(data), 0);
    copy(cx, FOUND, expected);
    copy(cx, NEW, new);
    cx.emit(exchange(data, base));
    compare_pairs(cx, FOUND, expected, Cond::Eq);
    cx.emit(cset(exchanged, Cond::Eq));
    define_old(cx, data);
}

/// Replaces memory by what the operation makes of it and of an operand, and leaves the old contents in [`FOUND`].
fn exchange_loop<C: LowerCtx>(
    cx: &mut C,
    data: &InstData,
    (pointer, operand): (Operand, Operand),
    op: RmwOp,
) -> Result<(), CodegenError> {
    cx.claim(FIXED);
    let base = cx.use_reg(pointer, 0);
    let value = use_pair(cx, operand);
    let old = temporary_pair(cx);
    cx.begin_group(GroupKind::Plain);
    cx.emit(rrr(Op::Ldp, 8, FOUND.low, base, FOUND.high));
    if op == RmwOp::Xchg {
        copy(cx, NEW, value);
    }
    let again = cx.local_label();
    cx.bind(again);
    copy(cx, old, FOUND);
    if op != RmwOp::Xchg {
        combine(cx, op, NEW, old, value)?;
    }
    cx.emit(exchange(data, base));
    compare_pairs(cx, FOUND, old, Cond::Eq);
    cx.emit(branch_if(Cond::Ne, again));
    cx.end_group();
    Ok(())
}
