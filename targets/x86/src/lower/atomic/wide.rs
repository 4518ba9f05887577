//! Atomic accesses of two registers, which an instruction compares with `rdx:rax` and replaces by `rcx:rbx`: of 16 bytes
//! by `cmpxchg16b`, in 32-bit code of 8 by `cmpxchg8b` (Intel manual, volume 2, CMPXCHG8B/CMPXCHG16B).
//!
//! 8 bytes are loaded and stored by a vector register (Intel manual, volume 3, section 10.1.1). A load of 16 exchanges zero for zero, which changes nothing; memory that cannot be written cannot be loaded from this
//! way, as with LLVM. All else but a compare-and-exchange is a loop. The operations that the library has no function
//! for, either, come here as compare-and-exchanges, since readers make loops of them. `rbx` may be taken because
//! functions with such accesses have no registers that belong to one value for life.

use crate::build::*;
use crate::cond::Cond;
use crate::lower::alu::{Alu, apply};
use crate::lower::memory::at;
use crate::lower::wide::chain;
use crate::lower::{is_32_bit, result, second_result};
use crate::regs::{RAX, RBX, RCX, RDX};
use crate::table::Op;
use frazil_codegen::{CodegenError, FrameArea, GroupKind, LowerCtx, Mem, PRegSet, RegClass, Src};
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

/// The instruction.
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
        RmwOp::Sub => Opcode::Sub,
        RmwOp::And | RmwOp::Nand => Opcode::And,
        RmwOp::Or => Opcode::Or,
        RmwOp::Xor => Opcode::Xor,
        _ => {
            return Err(CodegenError::unsupported(
                Refusal::Atomic,
                format!("atomic operation {op:?} of two registers"),
            ));
        }
    };
    apply_both(cx, (MOVE, MOVE), [Src::Reg(RAX), Src::Reg(RDX)]);
    apply_both(cx, chain(opcode), value);
    if op == RmwOp::Nand {
        cx.emit(r(Op::NotR, C::WORD_BYTES, RBX));
        cx.emit(r(Op::NotR, C::WORD_BYTES, RCX));
    }
    Ok(())
}
