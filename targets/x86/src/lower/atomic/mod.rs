//! Atomic accesses: how each is lowered, and the rules for 1, 2, 4 and 8 bytes.
//!
//! The choice is that of LLVM 22 (`AtomicExpandPass`, `X86ISelLowering`), because objects of both must agree on what
//! protects a variable: an access that is aligned to its size and no wider than the processor's compare-and-exchange
//! is done by instructions, any other by a library call ([`frazil_codegen::atomic_calls`]). 16 bytes need `cmpxchg16b`
//! ([`wide`]).
//!
//! Locked instructions are sequentially consistent, and plain loads and stores acquire and release, so that of all
//! orderings only the store that is sequentially consistent differs. What no locked instruction does is a loop around
//! `cmpxchg`, on floats in [`float`].

mod float;
mod wide;

use super::alu::IMM32;
use super::{extended_copy, float_bytes, int_bits, is_32_bit, memory, result, second_result, size_of_bits};
use crate::build::*;
use crate::cond::Cond;
use crate::features;
use crate::regs::RAX;
use crate::table::Op;
use frazil_codegen::atomic_calls::{self, FrameMoves};
use frazil_codegen::included::{RARE, left_out};
use frazil_codegen::{CodegenError, GroupKind, LowerCtx, Mem, PRegSet, Reg, RegClass, Src};
use frazil_ir::{InstData, MemFlags, Opcode, Ordering, Refusal, RmwOp};

/// What brings values to the frame for library calls, and back.
const MOVES: FrameMoves = FrameMoves {
    store: |class, bytes, src, mem| match class {
        RegClass::Float => mr(Op::MovsMR, bytes, mem, src),
        _ => mr(Op::MovMR, bytes, mem, src),
    },
    load: |class, bytes, dst, mem| match (class, memory::load_row(bytes.into())) {
        (RegClass::Float, _) => rm(Op::MovsRM, bytes, dst, mem),
        (_, (row, size)) => rm(row, size, dst, mem),
    },
};

/// How an access is made.
enum Way {
    /// By instructions of this many bytes: 1, 2, 4 or 8.
    Direct(u8),
    /// By `cmpxchg16b`, or `cmpxchg8b` in 32-bit code.
    Wide,
    /// By the library's functions for 16 bytes.
    Call16,
    /// By the library's functions for any number of bytes.
    Call(u32),
}

/// Lowers an atomic load, store, read-modify-write or compare-and-exchange.
pub fn atomic<C: LowerCtx>(cx: &mut C, data: &InstData) -> Result<(), CodegenError> {
    match (way(cx, data)?, data.op) {
        (Way::Direct(_), Opcode::AtomicLoad) => memory::load(cx, data),
        (Way::Direct(bytes), Opcode::AtomicStore) => store(cx, data, bytes),
        (Way::Direct(bytes), Opcode::AtomicRmw) => read_modify_write(cx, data, bytes),
        (Way::Direct(bytes), _) => {
            compare_exchange(cx, data, bytes);
            Ok(())
        }
        (Way::Wide, _) => wide::atomic(cx, data),
        (Way::Call16, _) => atomic_calls::of_16_bytes(cx, MOVES, data),
        (Way::Call(bytes), _) => atomic_calls::of_any_size(cx, MOVES, data, bytes),
    }
}

fn way<C: LowerCtx>(cx: &C, data: &InstData) -> Result<Way, CodegenError> {
    let bytes = match (float_bytes(data.ty), int_bits(cx, data.ty)) {
        (0, bits @ (8 | 16 | 32 | 64 | 128)) => bits / 8,
        (bytes @ (4 | 8), _) => u32::from(bytes),
        _ => {
            return Err(CodegenError::unsupported(
                Refusal::Atomic,
                "an atomic access of a type other than i8, i16, i32, i64, i128, ptr, float and double",
            ));
        }
    };
    let is_aligned = 1u64 << MemFlags(data.flags).align_log2() >= u64::from(bytes);
    Ok(match bytes {
        _ if !is_aligned => Way::Call(bytes),
        8 if is_32_bit::<C>() => match (float_bytes(data.ty), data.op) {
            // One instruction loads or stores a double, and other updates are loops.
            (8, _) => Way::Direct(8),
            _ => Way::Wide,
        },
        16 if is_32_bit::<C>() => Way::Call(bytes),
        16 if cx.view().features.has(features::CX16) => Way::Wide,
        16 => Way::Call16,
        _ => Way::Direct(bytes as u8),
    })
}

/// An exchange also waits for earlier stores to be seen, which is what sequential consistency asks for.
fn store<C: LowerCtx>(cx: &mut C, data: &InstData, bytes: u8) -> Result<(), CodegenError> {
    let flags = MemFlags(data.flags);
    if flags.ordering() != Ordering::SequentiallyConsistent || flags.is_single_thread() {
        return memory::store(cx, data);
    }
    if bytes > C::WORD_BYTES {
        memory::store(cx, data)?;
        cx.emit(none(Op::Mfence, 8));
        return Ok(());
    }
    let mem = cx.use_addr(data.b, 8);
    let value = if float_bytes(data.ty) > 0 {
        float::bits_of(cx, data.a, bytes)
    } else {
        let bits = u32::from(bytes) * 8;
        extended_copy(cx, data.a, bits, false, size_of_bits(bits))
    };
    cx.emit(mr(Op::XchgMR, bytes, mem, value));
    Ok(())
}

fn read_modify_write<C: LowerCtx>(cx: &mut C, data: &InstData, size: u8) -> Result<(), CodegenError> {
    let Some(op) = MemFlags(data.flags).rmw() else {
        return Err(CodegenError::unsupported(
            Refusal::Atomic,
            "an unknown atomic operation",
        ));
    };
    if float_bytes(data.ty) > 0 {
        if !RARE {
            return Err(left_out(Refusal::Atomic, "atomic operations on floats", "rare"));
        }
        return match size > C::WORD_BYTES {
            true => wide::update_double(cx, data, op),
            false => float::read_modify_write(cx, data, op, size),
        };
    }
    if cx.func().use_count(result(data)) == 0 && update(cx, data, op, size) {
        return Ok(());
    }
    match op {
        RmwOp::Xchg => {
            let mem = cx.use_addr(data.a, 8);
            let value = cx.use_copy(data.b, 0);
            cx.emit(mr(Op::XchgMR, size, mem, value));
            cx.def_reuse(result(data), 0, value);
        }
        RmwOp::Add | RmwOp::Sub => {
            let mem = cx.use_addr(data.a, 8);
            let value = cx.use_copy(data.b, 0);
            if op == RmwOp::Sub {
                cx.emit(r(Op::NegR, size, value));
            }
            cx.emit(mr(Op::LockXaddMR, size, mem, value));
            cx.def_reuse(result(data), 0, value);
        }
        _ => return by_loop(cx, data, size, op),
    }
    Ok(())
}

/// An update whose old contents nobody wants, if there is an instruction for it.
fn update<C: LowerCtx>(cx: &mut C, data: &InstData, op: RmwOp, size: u8) -> bool {
    let (with_reg, with_imm) = match op {
        RmwOp::Add => (Op::LockAddMR, Op::LockAddMI),
        RmwOp::Sub => (Op::LockSubMR, Op::LockSubMI),
        RmwOp::And => (Op::LockAndMR, Op::LockAndMI),
        RmwOp::Or => (Op::LockOrMR, Op::LockOrMI),
        RmwOp::Xor => (Op::LockXorMR, Op::LockXorMI),
        _ => return false,
    };
    let value = cx.use_reg_or_imm(data.b, 0, IMM32);
    let mem = cx.use_addr(data.a, 8);
    match (value, op) {
        (Src::Imm(1), RmwOp::Add) | (Src::Imm(-1), RmwOp::Sub) => cx.emit(m(Op::LockIncM, size, mem)),
        (Src::Imm(-1), RmwOp::Add) | (Src::Imm(1), RmwOp::Sub) => cx.emit(m(Op::LockDecM, size, mem)),
        (Src::Imm(imm), _) => cx.emit(mi(with_imm, size, mem, imm)),
        (Src::Reg(reg), _) => cx.emit(mr(with_reg, size, mem, reg)),
        (Src::Mem(_), _) => unreachable!("not asked for"),
    }
    true
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

/// Loads 1 to 8 bytes, zero-extended.
pub(super) fn load<C: LowerCtx>(cx: &mut C, size: u8, dst: Reg, mem: Mem) {
    cx.emit(match size {
        1 => rm(Op::MovzxBRM, 4, dst, mem),
        2 => rm(Op::MovzxWRM, 4, dst, mem),
        _ => rm(Op::MovRM, size, dst, mem),
    });
}

/// The condition, after a comparison of the old contents with the operand, under which a minimum or maximum keeps the
/// old contents.
fn keeps_old(op: RmwOp) -> Option<Cond> {
    match op {
        RmwOp::Max => Some(Cond::G),
        RmwOp::Min => Some(Cond::L),
        RmwOp::Umax => Some(Cond::A),
        RmwOp::Umin => Some(Cond::B),
        _ => None,
    }
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
    if let Some(cond) = keeps_old(op) {
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
        _ => {
            return Err(CodegenError::unsupported(
                Refusal::Atomic,
                format!("atomic operation {op:?} of an integer"),
            ));
        }
    };
    cx.emit(rr(row, wide, new, value));
    if op == RmwOp::Nand {
        cx.emit(r(Op::NotR, wide, new));
    }
    Ok(())
}

/// The old contents, and whether it was the expected.
fn compare_exchange<C: LowerCtx>(cx: &mut C, data: &InstData, size: u8) {
    let (expected, new) = cx.func().ternary(data);
    cx.use_fixed(expected, 0, RAX);
    let mem = cx.use_addr(data.a, 8);
    let new = cx.use_reg(new, 0);
    let exchanged = cx.def(second_result(data), 0);
    cx.emit(mr(Op::LockCmpxchgMR, size, mem, new));
    cx.emit(setcc(Cond::E, exchanged));
    cx.def_fixed(result(data), 0, RAX);
}
