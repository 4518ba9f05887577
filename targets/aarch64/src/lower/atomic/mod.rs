//! Atomic accesses of 1, 2, 4, 8 and ([`wide`]) 16 bytes that are aligned to their size, and fences. All other accesses
//! are calls ([`frazil_codegen::atomic_calls`]).
//!
//! Loads and stores are single instructions with the order that they need (Arm ARM, B2.3.7). What else is done is one
//! instruction where the function may use those of ARMv8.1 (LSE), and a loop around an exclusive load and store
//! (Arm ARM, B2.9) elsewhere. Between these two stands nothing that accesses memory.

mod wide;

use super::condition::is_signed;
use super::{any_float_bytes, extend, float_bytes, int_bits, result, second_result, use_int};
use crate::build::*;
use crate::cond::Cond;
use crate::features::LSE;
use crate::ops::aux;
use crate::regs::XZR;
use crate::table::Op;
use frazil_codegen::atomic_calls::{self, FrameMoves};
use frazil_codegen::{CodegenError, GroupKind, LowerCtx, MInst, Mem, Reg, RegClass};
use frazil_ir::{InstData, MemFlags, Opcode, Ordering, Refusal, RmwOp, Type};

/// What brings values to the frame for library calls, and back.
const MOVES: FrameMoves = FrameMoves {
    store: |class, bytes, src, mem| match class {
        RegClass::Float => rm(Op::StrF, bytes, src, mem),
        _ => rm(Op::Str, bytes, src, mem),
    },
    load: |class, bytes, dst, mem| match class {
        RegClass::Float => rm(Op::LdrF, bytes, dst, mem),
        _ => rm(Op::Ldr, bytes, dst, mem),
    },
};

/// Lowers an atomic load, store, read-modify-write or compare-and-exchange.
pub fn atomic<C: LowerCtx>(cx: &mut C, data: &InstData) -> Result<(), CodegenError> {
    let bytes = size(cx, data)?;
    if 1u64 << MemFlags(data.flags).align_log2() < u64::from(bytes) {
        return atomic_calls::of_any_size(cx, MOVES, data, bytes.into());
    }
    if bytes == 16 {
        return wide::atomic(cx, data);
    }
    match data.op {
        Opcode::AtomicLoad => load(cx, data, bytes),
        Opcode::AtomicStore => store(cx, data, bytes),
        Opcode::AtomicRmw => return read_modify_write(cx, data, bytes),
        _ => compare_exchange(cx, data, bytes),
    }
    Ok(())
}

/// How many bytes are accessed.
fn size<C: LowerCtx>(cx: &C, data: &InstData) -> Result<u8, CodegenError> {
    let bytes = match (any_float_bytes(data.ty), int_bits(cx, data.ty)) {
        (0, bits @ (8 | 16 | 32 | 64 | 128)) => (bits / 8) as u8,
        (bytes @ (2 | 4 | 8), _) => bytes,
        _ => {
            return Err(CodegenError::unsupported(
                Refusal::Atomic,
                "an atomic access of a type other than integers of 8 to 128 bits, ptr, and floats of up to 64 bits",
            ));
        }
    };
    Ok(bytes)
}

/// Whether an access acquires, and whether it releases, as bits of [`MInst::aux`].
fn order(data: &InstData) -> u8 {
    match MemFlags(data.flags).ordering() {
        Ordering::Acquire => aux::ACQUIRE,
        Ordering::Release => aux::RELEASE,
        Ordering::AcquireRelease | Ordering::SequentiallyConsistent => aux::ACQUIRE | aux::RELEASE,
        _ => 0,
    }
}

/// An access of the memory that a register points to.
fn access(op: Op, size: u8, reg: Reg, base: Reg) -> MInst {
    let mut inst = rm(op, size, reg, Mem::base(base, 0));
    if matches!(op, Op::Ldr | Op::Str) {
        inst.aux |= aux::EXACT;
    }
    inst
}

/// An exclusive store: 0 in `status` if it was done.
fn store_exclusive(size: u8, status: Reg, value: Reg, base: Reg, order: u8) -> MInst {
    rrr(Op::Stxr, size, status, base, value).with_aux(order & aux::RELEASE)
}

/// The register of the result's bits, of which [`define_float`] makes a float.
fn bits_register<C: LowerCtx>(cx: &mut C, data: &InstData) -> Reg {
    match any_float_bytes(data.ty) {
        0 => cx.def(result(data), 0),
        _ => cx.temp(RegClass::Int),
    }
}

fn define_float<C: LowerCtx>(cx: &mut C, data: &InstData, bits: Reg) {
    let bytes = any_float_bytes(data.ty);
    if bytes > 0 {
        let dst = cx.def(result(data), 0);
        cx.emit(rr(Op::FmovFromInt, bytes.max(4), dst, bits));
    }
}

/// The bits of an operand in a register that is only read.
fn use_bits<C: LowerCtx>(cx: &mut C, operand: frazil_ir::Operand, ty: Type) -> Reg {
    match any_float_bytes(ty) {
        0 => use_int(cx, operand, 0),
        bytes => {
            let value = cx.use_reg(operand, 0);
            let bits = cx.temp(RegClass::Int);
            cx.emit(rr(Op::FmovToInt, bytes.max(4), bits, value));
            bits
        }
    }
}

fn load<C: LowerCtx>(cx: &mut C, data: &InstData, bytes: u8) {
    let base = cx.use_reg(data.a, 0);
    let bits = bits_register(cx, data);
    let op = if order(data) & aux::ACQUIRE == 0 {
        Op::Ldr
    } else {
        Op::Ldar
    };
    cx.emit(access(op, bytes, bits, base));
    define_float(cx, data, bits);
}

fn store<C: LowerCtx>(cx: &mut C, data: &InstData, bytes: u8) {
    let value = use_bits(cx, data.a, data.ty);
    let base = cx.use_reg(data.b, 0);
    let op = if order(data) & aux::RELEASE == 0 {
        Op::Str
    } else {
        Op::Stlr
    };
    cx.emit(access(op, bytes, value, base));
}

fn operation(data: &InstData) -> Result<RmwOp, CodegenError> {
    MemFlags(data.flags)
        .rmw()
        .ok_or_else(|| CodegenError::unsupported(Refusal::Atomic, "an unknown atomic operation"))
}

fn read_modify_write<C: LowerCtx>(cx: &mut C, data: &InstData, size: u8) -> Result<(), CodegenError> {
    let op = operation(data)?;
    let is_float = any_float_bytes(data.ty) > 0 && op != RmwOp::Xchg;
    if is_float {
        return float_loop(cx, data, op);
    }
    if cx.view().features.has(LSE) && by_instruction(cx, data, size, op) {
        return Ok(());
    }
    let value = use_bits(cx, data.b, data.ty);
    let base = cx.use_reg(data.a, 0);
    let (new, status) = (cx.temp(RegClass::Int), cx.temp(RegClass::Int));
    let old = bits_register(cx, data);
    let order = order(data);
    cx.begin_group(GroupKind::Plain);
    let again = cx.local_label();
    cx.bind(again);
    cx.emit(access(Op::Ldxr, size, old, base).with_aux(order & aux::ACQUIRE));
    let stored = match op {
        RmwOp::Xchg => value,
        _ => {
            combine(cx, op, size, (new, old, value), status)?;
            new
        }
    };
    cx.emit(store_exclusive(size, status, stored, base, order));
    cx.emit(branch_if_zero(false, 4, status, again));
    cx.end_group();
    define_float(cx, data, old);
    Ok(())
}

/// What one instruction of LSE does.
fn by_instruction<C: LowerCtx>(cx: &mut C, data: &InstData, size: u8, op: RmwOp) -> bool {
    let row = match op {
        RmwOp::Xchg => Op::Swp,
        RmwOp::Add | RmwOp::Sub => Op::Ldadd,
        RmwOp::And => Op::Ldclr,
        RmwOp::Or => Op::Ldset,
        RmwOp::Xor => Op::Ldeor,
        RmwOp::Max => Op::Ldsmax,
        RmwOp::Min => Op::Ldsmin,
        RmwOp::Umax => Op::Ldumax,
        RmwOp::Umin => Op::Ldumin,
        _ => return false,
    };
    let mut value = use_bits(cx, data.b, data.ty);
    let base = cx.use_reg(data.a, 0);
    // The negative value, or the bits that are to be cleared.
    let prepare = match op {
        RmwOp::Sub => Some(Op::Sub),
        RmwOp::And => Some(Op::Orn),
        _ => None,
    };
    if let Some(prepare) = prepare {
        let prepared = cx.temp(RegClass::Int);
        cx.emit(rrr(prepare, size.max(4), prepared, XZR, value));
        value = prepared;
    }
    let old = bits_register(cx, data);
    cx.emit(rrr(row, size, old, base, value).with_aux(order(data)));
    define_float(cx, data, old);
    true
}

/// The condition, after a comparison of the old contents with the operand, under which the old contents stays.
fn keeps_old(op: RmwOp) -> Option<Cond> {
    match op {
        RmwOp::Max => Some(Cond::Gt),
        RmwOp::Min => Some(Cond::Lt),
        RmwOp::Umax => Some(Cond::Hi),
        RmwOp::Umin => Some(Cond::Lo),
        _ => None,
    }
}

/// Compares what was loaded, which is zero-extended, with an operand that may have anything above its width.
fn compare_old<C: LowerCtx>(cx: &mut C, size: u8, old: Reg, value: Reg, signed: bool, spare: Reg) {
    let option = match (size, signed) {
        (1, false) => 0b000,
        (2, false) => 0b001,
        (1, true) => 0b100,
        (2, true) => 0b101,
        _ => {
            cx.emit(rr(Op::Cmp, size, old, value));
            return;
        }
    };
    let mut left = old;
    if signed {
        extend(cx, spare, old, u32::from(size) * 8, true, 4);
        left = spare;
    }
    cx.emit(rr(Op::CmpExt, 4, left, value).with_imm(option << 3));
}

/// Computes the new contents from the old and the operand. `spare` is overwritten.
fn combine<C: LowerCtx>(
    cx: &mut C,
    op: RmwOp,
    size: u8,
    (new, old, value): (Reg, Reg, Reg),
    spare: Reg,
) -> Result<(), CodegenError> {
    let wide = size.max(4);
    if let Some(cond) = keeps_old(op) {
        compare_old(cx, size, old, value, is_signed(cond), spare);
        cx.emit(csel(wide, new, old, value, cond));
        return Ok(());
    }
    let row = match op {
        RmwOp::Add => Op::Add,
        RmwOp::Sub => Op::Sub,
        RmwOp::And | RmwOp::Nand => Op::And,
        RmwOp::Or => Op::Orr,
        RmwOp::Xor => Op::Eor,
        RmwOp::UincWrap => {
            compare_old(cx, size, old, value, false, spare);
            cx.emit(conditional(Op::Csinc, wide, [new, XZR, old], Cond::Hs));
            return Ok(());
        }
        RmwOp::UdecWrap => {
            cx.emit(rri(Op::SubI, wide, new, old, 1));
            compare_old(cx, size, old, value, false, spare);
            cx.emit(csel(wide, new, value, new, Cond::Hi));
            cx.emit(rr(Op::Cmp, wide, old, XZR));
            cx.emit(csel(wide, new, value, new, Cond::Eq));
            return Ok(());
        }
        RmwOp::UsubCond | RmwOp::UsubSat => {
            cx.emit(rrr(Op::Sub, wide, new, old, value));
            compare_old(cx, size, old, value, false, spare);
            let kept = if op == RmwOp::UsubCond { old } else { XZR };
            cx.emit(csel(wide, new, new, kept, Cond::Hs));
            return Ok(());
        }
        _ => return Err(refuse(op)),
    };
    cx.emit(rrr(row, wide, new, old, value));
    if op == RmwOp::Nand {
        cx.emit(rrr(Op::Orn, wide, new, XZR, new));
    }
    Ok(())
}

fn refuse(op: RmwOp) -> CodegenError {
    CodegenError::unsupported(
        Refusal::Atomic,
        format!("atomic operation {op:?} of a value of this type"),
    )
}

/// Operations on floats, of which memory has the bits. What they do with values that are no numbers is what the
/// intrinsics `maxnum`, `minnum`, `maximum` and `minimum` do (LLVM Language Reference, `atomicrmw`).
fn float_loop<C: LowerCtx>(cx: &mut C, data: &InstData, op: RmwOp) -> Result<(), CodegenError> {
    let bytes = float_bytes(data.ty);
    let row = match op {
        RmwOp::Fadd => Op::Fadd,
        RmwOp::Fsub => Op::Fsub,
        RmwOp::Fmax => Op::Fmaxnm,
        RmwOp::Fmin => Op::Fminnm,
        RmwOp::Fmaximum => Op::Fmax,
        RmwOp::Fminimum => Op::Fmin,
        _ => return Err(refuse(op)),
    };
    if bytes == 0 {
        return Err(refuse(op));
    }
    let value = cx.use_reg(data.b, 0);
    let base = cx.use_reg(data.a, 0);
    let (bits, status, new) = (cx.temp(RegClass::Int), cx.temp(RegClass::Int), cx.temp(RegClass::Float));
    let old = cx.def(result(data), 0);
    let order = order(data);
    cx.begin_group(GroupKind::Plain);
    let again = cx.local_label();
    cx.bind(again);
    cx.emit(access(Op::Ldxr, bytes, bits, base).with_aux(order & aux::ACQUIRE));
    cx.emit(rr(Op::FmovFromInt, bytes, old, bits));
    cx.emit(rrr(row, bytes, new, old, value));
    cx.emit(rr(Op::FmovToInt, bytes, bits, new));
    cx.emit(store_exclusive(bytes, status, bits, base, order));
    cx.emit(branch_if_zero(false, 4, status, again));
    cx.end_group();
    Ok(())
}

/// The old contents, and whether it was the expected.
fn compare_exchange<C: LowerCtx>(cx: &mut C, data: &InstData, size: u8) {
    let (expected, new) = cx.func().ternary(data);
    let expected = use_int(cx, expected, 0);
    let new = use_int(cx, new, 0);
    let base = cx.use_reg(data.a, 0);
    let order = order(data);
    if cx.view().features.has(LSE) {
        let old = cx.def(result(data), 0);
        let exchanged = cx.def(second_result(data), 0);
        cx.emit(rr(Op::Mov, 8, old, expected));
        cx.emit(rrr(Op::Cas, size, old, base, new).with_aux(order));
        compare_old(cx, size, old, expected, false, exchanged);
        cx.emit(cset(exchanged, Cond::Eq));
        return;
    }
    let status = cx.temp(RegClass::Int);
    let old = cx.def(result(data), 0);
    let exchanged = cx.def(second_result(data), 0);
    cx.begin_group(GroupKind::Plain);
    let (again, done) = (cx.local_label(), cx.local_label());
    cx.bind(again);
    cx.emit(access(Op::Ldxr, size, old, base).with_aux(order & aux::ACQUIRE));
    compare_old(cx, size, old, expected, false, status);
    cx.emit(branch_if(Cond::Ne, done));
    cx.emit(store_exclusive(size, status, new, base, order));
    cx.emit(branch_if_zero(false, 4, status, again));
    cx.bind(done);
    cx.end_group();
    cx.emit(cset(exchanged, Cond::Eq));
}

/// The domain and kind of a barrier (Arm ARM, DMB): the inner shareable one, of all accesses or of loads before others.
const ALL: i32 = 11;
const LOADS: i32 = 9;

/// Lowers a fence; between signal handlers and their thread there is none.
pub fn fence<C: LowerCtx>(cx: &mut C, data: &InstData) {
    let flags = MemFlags(data.flags);
    if flags.is_single_thread() {
        return;
    }
    let kind = if flags.ordering() == Ordering::Acquire {
        LOADS
    } else {
        ALL
    };
    cx.emit(i(Op::Dmb, kind));
}
