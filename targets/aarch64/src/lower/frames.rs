//! What belongs to frames and calls: dynamic allocation, variable arguments, frame and return addresses, traps.

use super::{result, variadic};
use crate::build::*;
use crate::cond::Cond;
use crate::frame::touch;
use crate::regs::{FP, LR, SCRATCH, SP};
use crate::table::Op;
use frazil_codegen::{CodegenError, GroupKind, LowerCtx, Mem, Reg, RegClass, StackProbes};
use frazil_ir::{InstData, MemFlags, Opcode, Refusal};

/// The numbers that LLVM's traps have.
pub const TRAP_NUMBER: i32 = 1;
const DEBUG_TRAP_NUMBER: i32 = 0xf000;
/// The hint that takes the signature off the return address in the link register (Arm ARM, XPACLRI).
const STRIP_LINK_REGISTER: i32 = 7;
/// The system register `TPIDR_EL0`: what its 15 bits op0, op1, CRn, CRm and op2 are.
pub const THREAD_POINTER: i32 = 0x5e82;
/// The system register `CNTVCT_EL0`, which programs may read everywhere.
const CYCLE_COUNTER: i32 = 0x5f02;

/// Lowers what this file is about; refuses anything else by name.
pub fn lower<C: LowerCtx>(cx: &mut C, data: &InstData) -> Result<(), CodegenError> {
    match data.op {
        Opcode::StackAlloc => return stack_alloc(cx, data),
        Opcode::StackSave => {
            cx.need_frame();
            cx.move_stack();
            let dst = cx.def(result(data), 0);
            cx.emit(rri(Op::AddI, 8, dst, SP, 0));
        }
        Opcode::StackRestore => {
            let src = cx.use_reg(data.a, 0);
            cx.need_frame();
            cx.move_stack();
            cx.emit(rri(Op::AddI, 8, SP, src, 0));
        }
        Opcode::VaStart => return variadic::va_start(cx, data),
        Opcode::VaCopy => variadic::va_copy(cx, data),
        Opcode::FrameAddress => {
            cx.need_frame();
            let dst = cx.def(result(data), 0);
            follow_frames(cx, data, dst);
        }
        Opcode::ReturnAddress => {
            cx.need_frame();
            let dst = cx.def(result(data), 0);
            follow_frames(cx, data, dst);
            cx.emit(rm(Op::Ldr, 8, LR, Mem::base(dst, 8)));
            cx.emit(i(Op::Hint, STRIP_LINK_REGISTER));
            cx.emit(rr(Op::Mov, 8, dst, LR));
        }
        Opcode::AddressOfReturnAddress => {
            cx.need_frame();
            let dst = cx.def(result(data), 0);
            cx.emit(rri(Op::AddI, 8, dst, FP, 8));
        }
        Opcode::ThreadPointer => {
            let dst = cx.def(result(data), 0);
            cx.emit(ri(Op::Mrs, 8, dst, THREAD_POINTER));
        }
        Opcode::ReadCycleCounter => {
            let dst = cx.def(result(data), 0);
            cx.emit(ri(Op::Mrs, 8, dst, CYCLE_COUNTER));
        }
        Opcode::Trap => cx.emit(i(Op::Brk, TRAP_NUMBER)),
        Opcode::Debugtrap => cx.emit(i(Op::Brk, DEBUG_TRAP_NUMBER)),
        other => {
            return Err(CodegenError::unsupported(
                Refusal::Instruction,
                format!("instruction {}", other.name()),
            ));
        }
    }
    Ok(())
}

/// Lowers a call of an intrinsic that asks for a place in the frame; `false` if it is another.
pub fn lower_intrinsic<C: LowerCtx>(cx: &mut C, name: &str, call: &InstData) -> Result<bool, CodegenError> {
    if name != "llvm.eh.dwarf.cfa" {
        return Ok(false);
    }
    let distance = cx.func().call(call).args.first().and_then(|arg| arg.as_imm());
    let distance = distance
        .and_then(|distance| i32::try_from(distance).ok()?.checked_add(crate::frame::RECORD_BYTES))
        .ok_or_else(|| CodegenError::unsupported(Refusal::Instruction, "llvm.eh.dwarf.cfa with this distance"))?;
    cx.need_frame();
    let dst = cx.def(result(call), 0);
    cx.emit(address(dst, Mem::base(FP, distance)));
    Ok(true)
}

/// The stack pointer goes down by the size rounded up to the stack's alignment, and to a stricter one if asked for.
fn stack_alloc<C: LowerCtx>(cx: &mut C, data: &InstData) -> Result<(), CodegenError> {
    cx.need_frame();
    cx.move_stack();
    let probes = cx.stack_probes();
    let align_log2 = MemFlags(data.flags).align_log2().clamp(cx.frame_align().ilog2(), 30);
    let size = cx.use_reg(data.a, 0);
    let target = cx.temp(RegClass::Int);
    let distance = cx.temp(RegClass::Int);
    let dst = cx.def(result(data), 0);
    cx.emit(rri(Op::AddI, 8, target, SP, 0));
    cx.emit(rrr(Op::Sub, 8, target, target, size));
    cx.emit(logical(Op::AndI, 8, target, target, u64::MAX << align_log2));
    if probes.bytes > 0 {
        probe(cx, probes, target, distance)?;
    }
    cx.emit(rri(Op::AddI, 8, SP, target, 0));
    cx.emit(rr(Op::Mov, 8, dst, target));
    Ok(())
}

/// Touches every page down to `target` in order, and the one that the stack pointer leaves as well: the frame may end
/// with almost a page that nobody has touched.
fn probe<C: LowerCtx>(cx: &mut C, probes: StackProbes, target: Reg, distance: Reg) -> Result<(), CodegenError> {
    if probes.function.is_some() {
        return Err(CodegenError::unsupported(
            Refusal::Stack,
            "dynamic stack allocation with stack probes by a call",
        ));
    }
    let page = probes.bytes.cast_signed();
    cx.begin_group(GroupKind::Plain);
    let (again, done) = (cx.local_label(), cx.local_label());
    cx.bind(again);
    cx.emit(touch());
    cx.emit(rri(Op::AddI, 8, distance, SP, 0));
    cx.emit(rrr(Op::Sub, 8, distance, distance, target));
    super::compare_constant(cx, 8, distance, page.into());
    cx.emit(branch_if(Cond::Ls, done));
    cx.emit(address(SP, Mem::base(SP, -page)));
    cx.emit(jump(again));
    cx.bind(done);
    cx.end_group();
    Ok(())
}

/// The frame pointer of as many callers up as the operand says.
fn follow_frames<C: LowerCtx>(cx: &mut C, data: &InstData, dst: Reg) {
    cx.emit(rr(Op::Mov, 8, dst, FP));
    for _ in 0..data.a.as_imm().unwrap_or(0).min(64) {
        cx.emit(rm(Op::Ldr, 8, dst, Mem::base(dst, 0)));
    }
}

/// The thread pointer in the scratch register.
pub(super) fn thread_pointer() -> frazil_codegen::MInst {
    ri(Op::Mrs, 8, SCRATCH, THREAD_POINTER)
}
