//! What belongs to frames: dynamic allocation, frame and return addresses, traps. Anything else is refused here.

use super::result;
use crate::build::*;
use crate::ops::Op;
use crate::regs::{FP, SP};
use frazil_codegen::{CodegenError, LowerCtx, Mem, Reg, RegClass};
use frazil_ir::{InstData, MemFlags, Opcode, Refusal};

/// Alignment of the stack, as log2 of bytes.
const STACK_ALIGN_LOG2: i32 = 3;

/// Lowers dynamic allocations, frame and return addresses and traps; refuses anything else by name.
pub fn lower<C: LowerCtx>(cx: &mut C, data: &InstData) -> Result<(), CodegenError> {
    match data.op {
        Opcode::StackAlloc => stack_alloc(cx, data),
        Opcode::StackSave => {
            cx.need_frame();
            cx.move_stack();
            let dst = cx.def(result(data), 0);
            cx.emit(rr(Op::Mov, dst, SP));
        }
        Opcode::StackRestore => {
            let src = cx.use_reg(data.a, 0);
            cx.need_frame();
            cx.move_stack();
            cx.emit(rr(Op::Mov, SP, src));
        }
        Opcode::FrameAddress => {
            follow_frames(cx, data);
        }
        Opcode::ReturnAddress => {
            let dst = follow_frames(cx, data);
            cx.emit(rm(Op::Lw, 4, dst, Mem::base(dst, 4)));
        }
        Opcode::AddressOfReturnAddress => {
            cx.need_frame();
            let dst = cx.def(result(data), 0);
            cx.emit(rri(Op::Addi, dst, FP, 4));
        }
        Opcode::Prefetch | Opcode::Debugtrap => {}
        Opcode::Trap => cx.emit(none(Op::Break)),
        other => {
            return Err(CodegenError::unsupported(
                Refusal::Instruction,
                format!("instruction {}", other.name()),
            ));
        }
    }
    Ok(())
}

/// The stack pointer goes down by the size, then to the alignment.
fn stack_alloc<C: LowerCtx>(cx: &mut C, data: &InstData) {
    cx.need_frame();
    cx.move_stack();
    let size = cx.use_reg(data.a, 0);
    let lowered = cx.temp(RegClass::Int);
    let align_log2 = (MemFlags(data.flags).align_log2().cast_signed()).max(STACK_ALIGN_LOG2);
    cx.emit(rrr(Op::Sub, lowered, SP, size));
    cx.emit(rri(Op::Srli, lowered, lowered, align_log2));
    cx.emit(rri(Op::Slli, SP, lowered, align_log2));
    let dst = cx.def(result(data), 0);
    cx.emit(rr(Op::Mov, dst, SP));
}

/// The frame pointer of as many callers up as the operand says.
fn follow_frames<C: LowerCtx>(cx: &mut C, data: &InstData) -> Reg {
    cx.need_frame();
    let dst = cx.def(result(data), 0);
    cx.emit(rr(Op::Mov, dst, FP));
    for _ in 0..data.a.as_imm().unwrap_or(0).min(64) {
        cx.emit(rm(Op::Lw, 4, dst, Mem::base(dst, 0)));
    }
    dst
}
