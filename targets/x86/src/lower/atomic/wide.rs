//! Atomic accesses of 16 bytes by `cmpxchg16b`, which compares memory with `rdx:rax` and replaces it by `rcx:rbx`
//! (Intel manual, volume 2, CMPXCHG8B/CMPXCHG16B).
//!
//! A load exchanges zero for zero, which changes nothing; memory that cannot be written cannot be loaded from this
//! way, as with LLVM. All else but a compare-and-exchange is a loop. The operations that the library has no function
//! for, either, come here as compare-and-exchanges, since readers make loops of them. `rbx` may be taken because
//! functions with such accesses have no registers that belong to one value for life.

use crate::build::*;
use crate::cond::Cond;
use crate::lower::memory::at;
use crate::lower::{result, second_result};
use crate::regs::{RAX, RBX, RCX, RDX};
use crate::table::Op;
use frazil_codegen::{CodegenError, GroupKind, LowerCtx, Mem, PRegSet, Reg};
use frazil_ir::{InstData, MemFlags, Opcode, Operand, Refusal, RmwOp};

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
                return Err(CodegenError::unsupported(
                    Refusal::Atomic,
                    "an unknown atomic operation",
                ));
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

const OLD: [Reg; 2] = [RAX, RDX];

/// Computes `rcx:rbx` from the old contents in `rdx:rax` and the operand.
fn combine<C: LowerCtx>(cx: &mut C, op: RmwOp, value: [Reg; 2]) -> Result<(), CodegenError> {
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
        _ => {
            return Err(CodegenError::unsupported(
                Refusal::Atomic,
                format!("atomic operation {op:?} of i128"),
            ));
        }
    };
    copy(cx, OLD);
    apply(cx, rows.0, rows.1, value);
    if op == RmwOp::Nand {
        cx.emit(r(Op::NotR, 8, RBX));
        cx.emit(r(Op::NotR, 8, RCX));
    }
    Ok(())
}
