//! What belongs to frames and calls: dynamic allocation, variable arguments, frame and return addresses, traps.

use super::{is_32_bit, jump_buffer, result, variadic};
use crate::build::*;
use crate::cond::Cond;
use crate::regs::{RAX, RBP, RDX, RSP};
use crate::table::Op;
use frazil_codegen::{CodegenError, GroupKind, ImmKind, LowerCtx, Mem, PRegSet, Reg, RegClass, Src, StackProbes};
use frazil_ir::{InstData, MemFlags, Opcode, Refusal, Type};

/// Lowers what this file is about; refuses anything else by name.
pub fn lower<C: LowerCtx>(cx: &mut C, data: &InstData) -> Result<(), CodegenError> {
    match data.op {
        Opcode::StackAlloc => return stack_alloc(cx, data),
        Opcode::StackSave => {
            cx.need_frame();
            cx.move_stack();
            let dst = cx.def(result(data), 0);
            cx.emit(rr(Op::MovRR, C::WORD_BYTES, dst, RSP));
        }
        Opcode::StackRestore => {
            let src = cx.use_reg(data.a, 0);
            cx.need_frame();
            cx.move_stack();
            cx.emit(rr(Op::MovRR, C::WORD_BYTES, RSP, src));
        }
        Opcode::VaStart => return variadic::va_start(cx, data),
        Opcode::VaCopy => variadic::va_copy(cx, data),
        Opcode::FrameAddress => frame_address(cx, data),
        Opcode::ReturnAddress => return_address(cx, data),
        Opcode::AddressOfReturnAddress => {
            cx.need_frame();
            let dst = cx.def(result(data), 0);
            cx.emit(rm(Op::LeaRM, C::WORD_BYTES, dst, Mem::base(RBP, C::WORD_BYTES.into())));
        }
        Opcode::ThreadPointer => {
            let dst = cx.def(result(data), 0);
            let row = if is_32_bit::<C>() { Op::MovGsRM } else { Op::MovFsRM };
            cx.emit(rm(row, C::WORD_BYTES, dst, Mem::base(Reg::NONE, 0)));
        }
        Opcode::ReadCycleCounter if data.ty == Type::I64 => {
            cx.claim(PRegSet::of(&[RAX, RDX]));
            cx.emit(none(Op::Rdtsc, 8));
            if is_32_bit::<C>() {
                cx.def_fixed(result(data), 0, RAX);
                cx.def_fixed(result(data), 1, RDX);
                return Ok(());
            }
            cx.emit(ri(Op::ShlRI, 8, RDX, 32));
            cx.emit(rr(Op::OrRR, 8, RAX, RDX));
            cx.def_fixed(result(data), 0, RAX);
        }
        Opcode::SjljSetjmp => jump_buffer::set(cx, data),
        Opcode::SjljLongjmp => jump_buffer::jump(cx, data),
        Opcode::Trap => cx.emit(none(Op::Ud2, 8)),
        Opcode::Debugtrap => cx.emit(none(Op::Int3, 8)),
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
    let distance =
        distance.and_then(|distance| i32::try_from(distance).ok()?.checked_add(2 * i32::from(C::WORD_BYTES)));
    let distance = distance
        .ok_or_else(|| CodegenError::unsupported(Refusal::Instruction, "llvm.eh.dwarf.cfa with this distance"))?;
    cx.need_frame();
    let dst = cx.def(result(call), 0);
    cx.emit(rm(Op::LeaRM, C::WORD_BYTES, dst, Mem::base(RBP, distance)));
    Ok(true)
}

/// The stack pointer goes down by the size rounded up to the stack's alignment, and to a stricter one if asked for.
fn stack_alloc<C: LowerCtx>(cx: &mut C, data: &InstData) -> Result<(), CodegenError> {
    cx.need_frame();
    cx.move_stack();
    let probes = cx.stack_probes();
    if probes.bytes > 0 {
        return probed_stack_alloc(cx, data, probes);
    }
    let (align_log2, stack_align) = (MemFlags(data.flags).align_log2(), cx.frame_align().cast_signed());
    match cx.use_reg_or_imm(data.a, 0, ImmKind::Signed(30)) {
        Src::Imm(size) => {
            let size = (size.max(0) + stack_align - 1) & -stack_align;
            cx.emit(ri(Op::SubRI, C::WORD_BYTES, RSP, size));
        }
        Src::Reg(size) => {
            let rounded = cx.temp(RegClass::Int);
            cx.emit(rm(Op::LeaRM, C::WORD_BYTES, rounded, Mem::base(size, stack_align - 1)));
            cx.emit(ri(Op::AndRI, C::WORD_BYTES, rounded, -stack_align));
            cx.emit(rr(Op::SubRR, C::WORD_BYTES, RSP, rounded));
        }
        Src::Mem(_) => unreachable!("not asked for"),
    }
    if align_log2 > stack_align.ilog2() {
        cx.emit(ri(Op::AndRI, C::WORD_BYTES, RSP, -(1i32 << align_log2.min(30))));
    }
    let dst = cx.def(result(data), 0);
    cx.emit(rr(Op::MovRR, C::WORD_BYTES, dst, RSP));
    Ok(())
}

/// The same with every page touched in order, and the one that the stack pointer leaves as well: the frame may end with
/// almost a page that nobody has touched.
fn probed_stack_alloc<C: LowerCtx>(cx: &mut C, data: &InstData, probes: StackProbes) -> Result<(), CodegenError> {
    if probes.function.is_some() {
        return Err(CodegenError::unsupported(
            Refusal::Stack,
            "dynamic stack allocation with stack probes by a call",
        ));
    }
    let stack_align_log2 = cx.frame_align().ilog2();
    let align_log2 = MemFlags(data.flags).align_log2().clamp(stack_align_log2, 30);
    let size = cx.use_reg(data.a, 0);
    let target = cx.temp(RegClass::Int);
    let distance = cx.temp(RegClass::Int);
    let page = probes.bytes.cast_signed();
    cx.emit(rr(Op::MovRR, C::WORD_BYTES, target, RSP));
    cx.emit(rr(Op::SubRR, C::WORD_BYTES, target, size));
    cx.emit(ri(Op::AndRI, C::WORD_BYTES, target, -(1i32 << align_log2)));
    cx.begin_group(GroupKind::Plain);
    let (again, done) = (cx.local_label(), cx.local_label());
    cx.bind(again);
    cx.emit(mi(Op::OrMI, C::WORD_BYTES, Mem::base(RSP, 0), 0));
    cx.emit(rr(Op::MovRR, C::WORD_BYTES, distance, RSP));
    cx.emit(rr(Op::SubRR, C::WORD_BYTES, distance, target));
    cx.emit(ri(Op::CmpRI, C::WORD_BYTES, distance, page));
    cx.emit(jcc_short(Cond::Be, done));
    cx.emit(rm(Op::LeaRM, C::WORD_BYTES, RSP, Mem::base(RSP, -page)));
    cx.emit(jmp(again));
    cx.bind(done);
    cx.end_group();
    cx.emit(rr(Op::MovRR, C::WORD_BYTES, RSP, target));
    let dst = cx.def(result(data), 0);
    cx.emit(rr(Op::MovRR, C::WORD_BYTES, dst, target));
    Ok(())
}

/// Follows the chain of saved frame pointers.
fn frame_address<C: LowerCtx>(cx: &mut C, data: &InstData) {
    cx.need_frame();
    let dst = cx.def(result(data), 0);
    follow_frames(cx, data, dst);
}

fn return_address<C: LowerCtx>(cx: &mut C, data: &InstData) {
    cx.need_frame();
    let dst = cx.def(result(data), 0);
    follow_frames(cx, data, dst);
    cx.emit(rm(Op::MovRM, C::WORD_BYTES, dst, Mem::base(dst, C::WORD_BYTES.into())));
}

/// The frame pointer of as many callers up as the operand says.
fn follow_frames<C: LowerCtx>(cx: &mut C, data: &InstData, dst: Reg) {
    cx.emit(rr(Op::MovRR, C::WORD_BYTES, dst, RBP));
    for _ in 0..data.a.as_imm().unwrap_or(0).min(64) {
        cx.emit(rm(Op::MovRM, C::WORD_BYTES, dst, Mem::base(dst, 0)));
    }
}
