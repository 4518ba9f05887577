//! Atomic accesses of 16 bytes by `cmpxchg16b`, which compares memory with `rdx:rax` and replaces it by `rcx:rbx`
//! (Intel manual, volume 2, CMPXCHG8B/CMPXCHG16B).
//!
//! A load exchanges zero for zero, which changes nothing; memory that cannot be written cannot be loaded from this
//! way, as with LLVM. All else but a compare-and-exchange is a loop. `rbx` may be taken because functions with such
//! accesses have no registers that belong to one value for life.

use super::memory::at;
use super::{atomic, result, second_result};
use crate::build::*;
use crate::cond::Cond;
use crate::ops::Op;
use crate::regs::{RAX, RBX, RCX, RDX};
use frazil_codegen::{CodegenError, GroupKind, LowerCtx, Mem, PRegSet, Reg};
use frazil_ir::{InstData, MemFlags, Opcode, Operand, RmwOp};

/// What the instruction names on its own account.
const FIXED: PRegSet = PRegSet::of(&[RAX, RBX, RCX, RDX]);

/// Lowers any atomic access of 16 bytes.
pub(super) fn atomic<C: LowerCtx>(cx: &mut C, data: &InstData) -> Result<(), CodegenError> {
    match data.op {
        Opcode::AtomicLoad => load(cx, data),
        Opcode::Cmpxchg => compare_exchange(cx, data),
        Opcode::AtomicStore => {
            exchange_loop(cx, data.b, data.a, RmwOp::Xchg)?;
        }
        _ => {
            let Some(op) = MemFlags(data.flags).rmw() else {
                return Err(CodegenError::unsupported("an unknown atomic operation"));
            };
            exchange_loop(cx, data.a, data.b, op)?;
            define_old(cx, data);
        }
    }
    Ok(())
}

fn define_old<C: LowerCtx>(cx: &mut C, data: &InstData) {
    cx.def_fixed(result(data), 0, RAX);
    cx.def_fixed(result(data), 1, RDX);
}

fn load<C: LowerCtx>(cx: &mut C, data: &InstData) {
    cx.claim(FIXED);
    let mem = cx.use_addr(data.a, 16);
    for reg in FIXED.iter() {
        cx.emit(mov_imm(4, reg, 0));
    }
    cx.emit(m(Op::LockCmpxchg16bM, 16, mem));
    define_old(cx, data);
}

fn compare_exchange<C: LowerCtx>(cx: &mut C, data: &InstData) {
    let (expected, new) = cx.func().ternary(data);
    cx.claim(FIXED);
    let mem = cx.use_addr(data.a, 16);
    let [expected_low, expected_high] = [0, 1].map(|part| cx.use_reg(expected, part));
    let [new_low, new_high] = [0, 1].map(|part| cx.use_reg(new, part));
    cx.emit(rr(Op::MovRR, 8, RAX, expected_low));
    cx.emit(rr(Op::MovRR, 8, RDX, expected_high));
    cx.emit(rr(Op::MovRR, 8, RBX, new_low));
    cx.emit(rr(Op::MovRR, 8, RCX, new_high));
    cx.emit(m(Op::LockCmpxchg16bM, 16, mem));
    let exchanged = cx.def(second_result(data), 0);
    cx.emit(setcc(Cond::E, exchanged));
    define_old(cx, data);
}

/// Replaces memory by what the operation makes of it, and leaves the old contents in `rdx:rax`. The first look at it
/// may see halves of different stores, which the exchange finds out.
fn exchange_loop<C: LowerCtx>(cx: &mut C, pointer: Operand, operand: Operand, op: RmwOp) -> Result<(), CodegenError> {
    cx.claim(FIXED);
    let mem = cx.use_addr(pointer, 16);
    let value = [0, 1].map(|part| cx.use_reg(operand, part));
    cx.begin_group(GroupKind::Plain);
    let again = cx.local_label();
    load_halves(cx, mem);
    cx.bind(again);
    combine(cx, op, value)?;
    cx.emit(m(Op::LockCmpxchg16bM, 16, mem));
    cx.emit(jcc(Cond::Ne, again));
    cx.end_group();
    Ok(())
}

fn load_halves<C: LowerCtx>(cx: &mut C, mem: Mem) {
    cx.emit(rm(Op::MovRM, 8, RAX, mem));
    cx.emit(rm(Op::MovRM, 8, RDX, at(mem, 8)));
}

fn copy<C: LowerCtx>(cx: &mut C, [low, high]: [Reg; 2]) {
    cx.emit(rr(Op::MovRR, 8, RBX, low));
    cx.emit(rr(Op::MovRR, 8, RCX, high));
}

/// `rcx:rbx` becomes itself and the pair, by these rows for the low and the high half.
fn apply<C: LowerCtx>(cx: &mut C, on_low: Op, on_high: Op, [low, high]: [Reg; 2]) {
    cx.emit(rr(on_low, 8, RBX, low));
    cx.emit(rr(on_high, 8, RCX, high));
}

/// `rcx:rbx` becomes `pair` if the condition holds.
fn replace<C: LowerCtx>(cx: &mut C, cond: Cond, [low, high]: [Reg; 2]) {
    cx.emit(cmov(cond, 8, RBX, low));
    cx.emit(cmov(cond, 8, RCX, high));
}

const OLD: [Reg; 2] = [RAX, RDX];

/// Computes `rcx:rbx` from the old contents in `rdx:rax` and the operand.
fn combine<C: LowerCtx>(cx: &mut C, op: RmwOp, value: [Reg; 2]) -> Result<(), CodegenError> {
    if let Some(cond) = atomic::keeps_old(op) {
        keep_or_take(cx, cond, value);
        return Ok(());
    }
    if op == RmwOp::Xchg {
        copy(cx, value);
        return Ok(());
    }
    let rows = match op {
        RmwOp::Add => (Op::AddRR, Op::AdcRR),
        RmwOp::Sub => (Op::SubRR, Op::SbbRR),
        RmwOp::And | RmwOp::Nand => (Op::AndRR, Op::AndRR),
        RmwOp::Or => (Op::OrRR, Op::OrRR),
        RmwOp::Xor => (Op::XorRR, Op::XorRR),
        RmwOp::UincWrap | RmwOp::UdecWrap | RmwOp::UsubCond | RmwOp::UsubSat => {
            wrap(cx, op, value);
            return Ok(());
        }
        _ => return Err(CodegenError::unsupported(format!("atomic operation {op:?} of i128"))),
    };
    copy(cx, OLD);
    apply(cx, rows.0, rows.1, value);
    if op == RmwOp::Nand {
        cx.emit(r(Op::NotR, 8, RBX));
        cx.emit(r(Op::NotR, 8, RCX));
    }
    Ok(())
}

/// Sets the flags by `left - right`, as far as less and not less go. `rcx` is lost.
fn compare<C: LowerCtx>(cx: &mut C, left: [Reg; 2], right: [Reg; 2]) {
    cx.emit(rr(Op::MovRR, 8, RCX, left[1]));
    cx.emit(rr(Op::CmpRR, 8, left[0], right[0]));
    cx.emit(rr(Op::SbbRR, 8, RCX, right[1]));
}

/// The minimum or maximum: the old contents if the condition holds between it and the operand.
fn keep_or_take<C: LowerCtx>(cx: &mut C, cond: Cond, value: [Reg; 2]) {
    // "Greater" is "less" the other way round: a borrow only tells less from not less.
    let (left, right, cond) = match cond {
        Cond::G | Cond::A => (value, OLD, cond.swap()),
        _ => (OLD, value, cond),
    };
    compare(cx, left, right);
    copy(cx, value);
    replace(cx, cond, OLD);
}

/// The operations that depend on an unsigned comparison of the old contents with the operand.
fn wrap<C: LowerCtx>(cx: &mut C, op: RmwOp, value: [Reg; 2]) {
    let done = cx.local_label();
    match op {
        RmwOp::UincWrap => {
            compare(cx, OLD, value);
            // Zero, unless the old contents is below the operand.
            cx.emit(mov_imm(4, RBX, 0));
            cx.emit(mov_imm(4, RCX, 0));
            cx.emit(jcc(Cond::Ae, done));
            copy(cx, OLD);
            cx.emit(ri(Op::AddRI, 8, RBX, 1));
            cx.emit(ri(Op::AdcRI, 8, RCX, 0));
        }
        RmwOp::UdecWrap => {
            compare(cx, value, OLD);
            // The operand, if the old contents is above it or zero.
            copy(cx, value);
            cx.emit(jcc(Cond::B, done));
            cx.emit(rr(Op::MovRR, 8, RCX, RAX));
            cx.emit(rr(Op::OrRR, 8, RCX, RDX));
            cx.emit(rr(Op::MovRR, 8, RCX, value[1]));
            cx.emit(jcc(Cond::E, done));
            copy(cx, OLD);
            cx.emit(ri(Op::SubRI, 8, RBX, 1));
            cx.emit(ri(Op::SbbRI, 8, RCX, 0));
        }
        _ => {
            copy(cx, OLD);
            apply(cx, Op::SubRR, Op::SbbRR, value);
            cx.emit(jcc(Cond::Ae, done));
            if op == RmwOp::UsubCond {
                copy(cx, OLD);
            } else {
                cx.emit(mov_imm(4, RBX, 0));
                cx.emit(mov_imm(4, RCX, 0));
            }
        }
    }
    cx.bind(done);
}
