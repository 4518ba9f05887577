//! Atomic accesses of two registers, which an instruction compares with `rdx:rax` and replaces by `rcx:rbx`: of 16
//! bytes by `cmpxchg16b`, in 32-bit code of 8 by `cmpxchg8b` (Intel manual, volume 2, CMPXCHG8B/CMPXCHG16B).
//!
//! 8 bytes are loaded and stored by a vector register (Intel manual, volume 3, section 10.1.1). A load of 16 exchanges
//! zero for zero, which changes nothing; memory that cannot be written cannot be loaded from this way, as with LLVM.
//! All else but a compare-and-exchange is a loop. The operations that the library has no function for, either, come
//! here as compare-and-exchanges, since readers make loops of them. `rbx` may be taken because functions with such
//! accesses have no registers that belong to one value for life.

use crate::build::*;
use crate::cond::Cond;
use crate::lower::alu::{Alu, apply};
use crate::lower::condition::COMPARE;
use crate::lower::memory::at;
use crate::lower::wide::chain;
use crate::lower::{is_32_bit, result, scratch, second_result};
use crate::regs::{RAX, RBX, RCX, RDX};
use crate::table::Op;
use frazil_codegen::{CodegenError, FrameArea, GroupKind, LowerCtx, Mem, PRegSet, Reg, RegClass, Src};
use frazil_ir::{InstData, MemFlags, Opcode, Operand, Ordering, Refusal, RmwOp};

/// What the instruction names on its own account.
const FIXED: PRegSet = PRegSet::of(&[RAX, RBX, RCX, RDX]);

/// Lowers any atomic access of 16 bytes.
pub(super) fn atomic<C: LowerCtx>(cx: &mut C, data: &InstData) -> Result<(), CodegenError> {
    match data.op {
        Opcode::AtomicLoad if is_32_bit::<C>() => load_by_vector(cx, data),
        Opcode::AtomicStore if is_32_bit::<C>() => store_by_vector(cx, data),
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

fn load_by_vector<C: LowerCtx>(cx: &mut C, data: &InstData) {
    let mem = cx.use_addr(data.a, 8);
    let whole = cx.temp(RegClass::Float);
    let [low, high] = [0, 1].map(|part| cx.def(result(data), part));
    cx.emit(rm(Op::MovqXM, 8, whole, mem));
    cx.emit(rr(Op::MovdRX, 4, low, whole));
    cx.emit(ri(Op::PsrlqRI, 16, whole, 32));
    cx.emit(rr(Op::MovdRX, 4, high, whole));
}

fn store_by_vector<C: LowerCtx>(cx: &mut C, data: &InstData) {
    let [low, high] = [0, 1].map(|part| cx.use_reg(data.a, part));
    let mem = cx.use_addr(data.b, 8);
    let [whole, upper] = [(); 2].map(|()| cx.temp(RegClass::Float));
    cx.emit(rr(Op::MovdXR, 4, whole, low));
    cx.emit(rr(Op::MovdXR, 4, upper, high));
    cx.emit(rr(Op::UnpcklpRR, 4, whole, upper));
    cx.emit(mr(Op::MovqMX, 8, mem, whole));
    let flags = MemFlags(data.flags);
    if flags.ordering() == Ordering::SequentiallyConsistent && !flags.is_single_thread() {
        cx.emit(none(Op::Mfence, 8));
    }
}

/// The memory of an access. In 32-bit code, there is one register left for its address.
fn memory<C: LowerCtx>(cx: &mut C, pointer: Operand) -> Mem {
    match is_32_bit::<C>() {
        true => Mem::base(cx.use_reg(pointer, 0), 0),
        false => cx.use_addr(pointer, 16),
    }
}

/// Replaces memory that equals `rdx:rax`; sets the flag for zero if it did.
fn exchange<C: LowerCtx>(cx: &mut C, mem: Mem) {
    cx.emit(match is_32_bit::<C>() {
        true => m(Op::LockCmpxchg8bM, 8, mem),
        false => m(Op::LockCmpxchg16bM, 16, mem),
    });
}

fn load<C: LowerCtx>(cx: &mut C, data: &InstData) {
    cx.claim(FIXED);
    let mem = cx.use_addr(data.a, 16);
    for reg in FIXED.iter() {
        cx.emit(mov_imm(4, reg, 0));
    }
    exchange(cx, mem);
    define_old(cx, data);
}

fn compare_exchange<C: LowerCtx>(cx: &mut C, data: &InstData) {
    let (expected, new) = cx.func().ternary(data);
    cx.use_fixed(expected, 0, RAX);
    cx.use_fixed(expected, 1, RDX);
    cx.use_fixed(new, 0, RBX);
    cx.use_fixed(new, 1, RCX);
    let mem = memory(cx, data.a);
    exchange(cx, mem);
    // There may be no other register left.
    cx.emit(setcc(Cond::E, RBX));
    cx.def_fixed(second_result(data), 0, RBX);
    define_old(cx, data);
}

/// Replaces memory by what the operation makes of it, and leaves the old contents in `rdx:rax`. The first look at it
/// may see halves of different stores, which the exchange finds out.
fn exchange_loop<C: LowerCtx>(cx: &mut C, pointer: Operand, operand: Operand, op: RmwOp) -> Result<(), CodegenError> {
    let in_frame = is_32_bit::<C>().then(|| store_in_frame(cx, operand));
    cx.claim(FIXED);
    let mem = memory(cx, pointer);
    let value = match in_frame {
        Some(area) => {
            let low = cx.area_mem(area);
            [Src::Mem(low), Src::Mem(at(low, C::WORD_BYTES.into()))]
        }
        None => [0, 1].map(|part| Src::Reg(cx.use_reg(operand, part))),
    };
    cx.begin_group(GroupKind::Plain);
    let again = cx.local_label();
    load_halves(cx, mem);
    cx.bind(again);
    combine(cx, op, value)?;
    exchange(cx, mem);
    cx.emit(jcc(Cond::Ne, again));
    cx.end_group();
    Ok(())
}

/// Where there are no registers left for an operand, it goes to the frame.
fn store_in_frame<C: LowerCtx>(cx: &mut C, operand: Operand) -> FrameArea {
    let area = cx.shared_area();
    let parts = [0, 1].map(|part| cx.use_reg(operand, part));
    let mem = cx.area_mem(area);
    for (part, offset) in parts.into_iter().zip([0, C::WORD_BYTES]) {
        cx.emit(mr(Op::MovMR, C::WORD_BYTES, at(mem, offset.into()), part));
    }
    cx.step();
    area
}

fn load_halves<C: LowerCtx>(cx: &mut C, mem: Mem) {
    cx.emit(rm(Op::MovRM, C::WORD_BYTES, RAX, mem));
    cx.emit(rm(Op::MovRM, C::WORD_BYTES, RDX, at(mem, C::WORD_BYTES.into())));
}

const MOVE: Alu = Alu {
    rr: Op::MovRR,
    rm: Op::MovRM,
    ri: Op::MovRI,
};

/// `rcx:rbx` becomes itself and the pair, by these rows for the low and the high half.
fn apply_both<C: LowerCtx>(cx: &mut C, (on_low, on_high): (Alu, Alu), [low, high]: [Src; 2]) {
    apply(cx, on_low, C::WORD_BYTES, RBX, low);
    apply(cx, on_high, C::WORD_BYTES, RCX, high);
}

/// Computes `rcx:rbx` from the old contents in `rdx:rax` and the operand.
fn combine<C: LowerCtx>(cx: &mut C, op: RmwOp, value: [Src; 2]) -> Result<(), CodegenError> {
    let opcode = match op {
        RmwOp::Xchg => {
            apply_both(cx, (MOVE, MOVE), value);
            return Ok(());
        }
        RmwOp::Add => Opcode::Add,
        RmwOp::Sub | RmwOp::UsubCond | RmwOp::UsubSat => Opcode::Sub,
        RmwOp::And | RmwOp::Nand => Opcode::And,
        RmwOp::Or => Opcode::Or,
        RmwOp::Xor => Opcode::Xor,
        RmwOp::UincWrap | RmwOp::UdecWrap => {
            step_and_wrap(cx, op, value);
            return Ok(());
        }
        _ => {
            let Some(cond) = keeps_old(op) else {
                return Err(CodegenError::unsupported(
                    Refusal::Atomic,
                    format!("atomic operation {op:?} of two registers"),
                ));
            };
            compare_old(cx, value, RCX);
            apply_both(cx, (MOVE, MOVE), value);
            replace_if(cx, cond, OLD);
            return Ok(());
        }
    };
    apply_both(cx, (MOVE, MOVE), OLD);
    apply_both(cx, chain(opcode), value);
    match op {
        RmwOp::Nand => {
            cx.emit(r(Op::NotR, C::WORD_BYTES, RBX));
            cx.emit(r(Op::NotR, C::WORD_BYTES, RCX));
        }
        RmwOp::UsubCond => replace_if(cx, Cond::B, OLD),
        RmwOp::UsubSat => replace_by_zero_if(cx, Cond::B),
        _ => {}
    }
    Ok(())
}

/// The condition, after a comparison of the old contents with the operand, under which a minimum or maximum keeps the
/// old contents; of equal ones it does not matter.
fn keeps_old(op: RmwOp) -> Option<Cond> {
    match op {
        RmwOp::Max => Some(Cond::Ge),
        RmwOp::Min => Some(Cond::L),
        RmwOp::Umax => Some(Cond::Ae),
        RmwOp::Umin => Some(Cond::B),
        _ => None,
    }
}

const OLD: [Src; 2] = [Src::Reg(RAX), Src::Reg(RDX)];

/// Sets the flags by the difference of the old contents and the operand, for less, and greater or equal; `spare` is
/// overwritten.
fn compare_old<C: LowerCtx>(cx: &mut C, [low, high]: [Src; 2], spare: Reg) {
    cx.emit(rr(Op::MovRR, C::WORD_BYTES, spare, RDX));
    apply(cx, COMPARE, C::WORD_BYTES, RAX, low);
    apply(cx, chain(Opcode::Sub).1, C::WORD_BYTES, spare, high);
}

/// Leaves the flags as they are.
fn replace_if<C: LowerCtx>(cx: &mut C, cond: Cond, by: [Src; 2]) {
    for (dst, src) in [RBX, RCX].into_iter().zip(by) {
        let inst = match src {
            Src::Mem(mem) => rm(Op::CmovRM, C::WORD_BYTES, dst, mem),
            Src::Reg(src) => rr(Op::CmovRR, C::WORD_BYTES, dst, src),
            Src::Imm(_) => unreachable!("an operand is in registers or in memory"),
        };
        cx.emit(inst.with_condition(cond as u8));
    }
}

fn replace_by_zero_if<C: LowerCtx>(cx: &mut C, cond: Cond) {
    let zero = scratch::<C>();
    cx.emit(mov_imm(4, zero, 0));
    replace_if(cx, cond, [Src::Reg(zero); 2]);
}

/// One more, or zero from the operand on; one less, or the operand if that is less or there is nothing less.
fn step_and_wrap<C: LowerCtx>(cx: &mut C, op: RmwOp, value: [Src; 2]) {
    let scratch = scratch::<C>();
    apply_both(cx, (MOVE, MOVE), OLD);
    if op == RmwOp::UincWrap {
        apply_both(cx, chain(Opcode::Add), [Src::Imm(1), Src::Imm(0)]);
        compare_old(cx, value, scratch);
        return replace_by_zero_if(cx, Cond::Ae);
    }
    apply_both(cx, chain(Opcode::Sub), [Src::Imm(1), Src::Imm(0)]);
    replace_if(cx, Cond::B, value);
    apply(cx, MOVE, C::WORD_BYTES, scratch, value[0]);
    cx.emit(rr(Op::CmpRR, C::WORD_BYTES, scratch, RAX));
    apply(cx, MOVE, C::WORD_BYTES, scratch, value[1]);
    cx.emit(rr(Op::SbbRR, C::WORD_BYTES, scratch, RDX));
    replace_if(cx, Cond::B, value);
}

/// Lowers `atomic_rmw` of a double in 32-bit code.
pub(super) fn update_double<C: LowerCtx>(cx: &mut C, data: &InstData, op: RmwOp) -> Result<(), CodegenError> {
    let area = cx.shared_area();
    cx.claim(FIXED);
    let mem = memory(cx, data.a);
    let value = cx.use_reg(data.b, 0);
    let [old, new, mask] = [(); 3].map(|()| cx.temp(RegClass::Float));
    let low = cx.area_mem(area);
    let bits = [low, at(low, 4)].map(Src::Mem);
    cx.begin_group(GroupKind::Plain);
    let again = cx.local_label();
    load_halves(cx, mem);
    cx.bind(again);
    join_old(cx, old, mask);
    if op == RmwOp::Xchg {
        cx.emit(mr(Op::MovsMR, 8, low, value));
    } else {
        super::float::combine(cx, op, 8, old, value, new, mask)?;
        cx.emit(mr(Op::MovsMR, 8, low, new));
    }
    apply_both(cx, (MOVE, MOVE), bits);
    exchange(cx, mem);
    cx.emit(jcc(Cond::Ne, again));
    cx.end_group();
    let dst = cx.def(result(data), 0);
    join_old(cx, dst, mask);
    Ok(())
}

/// The old contents as a double.
fn join_old<C: LowerCtx>(cx: &mut C, dst: Reg, spare: Reg) {
    cx.emit(rr(Op::MovdXR, 4, dst, RAX));
    cx.emit(rr(Op::MovdXR, 4, spare, RDX));
    cx.emit(rr(Op::UnpcklpRR, 4, dst, spare));
}
