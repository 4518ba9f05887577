//! `__builtin_setjmp` and `__builtin_longjmp`: jumps to a frame that is still active.
//!
//! A buffer has the frame pointer, the address to go on at, and the stack pointer, as with GCC and LLVM; the program
//! itself stores the first and the last. Who jumps restores these two and nothing else, so no other register may hold a
//! value across the place: all are overwritten after it, which also makes the prologue save those of the caller.

use super::{is_32_bit, result, scratch};
use crate::build::*;
use crate::regs::*;
use crate::table::Op;
use frazil_codegen::{GroupKind, LowerCtx, Mem, PRegSet, Ref, RefKind, Reg};
use frazil_ir::InstData;

/// Places of the buffer.
const FRAME: i32 = 0;

/// Places of the buffer after the first, and which registers may hold values.
struct Buffer {
    address: i32,
    stack: i32,
    /// General registers, but for the one of the result. The scratch register is one of them where callers want it
    /// back.
    integers: &'static [Reg],
    floats: &'static [Reg],
}

const fn buffer<C: LowerCtx>() -> Buffer {
    let word = C::WORD_BYTES as i32;
    let is_32_bit = is_32_bit::<C>();
    Buffer {
        address: word,
        stack: 2 * word,
        integers: if is_32_bit {
            &[RCX, RDX, RBX, RSI, RDI]
        } else {
            &[RCX, RDX, RBX, RSI, RDI, R8, R9, R10, R12, R13, R14, R15]
        },
        floats: if is_32_bit {
            &[XMM0, XMM1, XMM2, XMM3, XMM4, XMM5, XMM6]
        } else {
            &[
                XMM0, XMM1, XMM2, XMM3, XMM4, XMM5, XMM6, XMM7, XMM8, XMM9, XMM10, XMM11, XMM12, XMM13, XMM14,
            ]
        },
    }
}

/// Lowers `sjlj_setjmp`.
pub fn set<C: LowerCtx>(cx: &mut C, data: &InstData) {
    cx.use_fixed(data.a, 0, RDX);
    let buffer = buffer::<C>();
    let others = PRegSet::of(buffer.integers)
        .union(PRegSet::of(buffer.floats))
        .union(PRegSet::of(&[RAX]));
    cx.claim(others.minus(PRegSet::of(&[RDX, scratch::<C>()])));
    cx.need_frame();
    cx.begin_group(GroupKind::Plain);
    let (again, done) = (cx.local_label(), cx.local_label());
    let place = Mem::symbol(Ref::new(RefKind::Label, again.0), 0);
    cx.emit(rm(Op::LeaRM, C::WORD_BYTES, RAX, place));
    cx.emit(mr(Op::MovMR, C::WORD_BYTES, Mem::base(RDX, buffer.address), RAX));
    cx.emit(mov_imm(4, RAX, 0));
    cx.emit(jmp(done));
    cx.bind(again);
    if cx.view().module.flags.marks_branch_targets {
        cx.emit(branch_mark(C::WORD_BYTES));
    }
    for &reg in buffer.integers {
        cx.emit(r(Op::ZeroR, 4, reg));
    }
    for &reg in buffer.floats {
        cx.emit(r(Op::ZeroX, 16, reg));
    }
    cx.emit(mov_imm(4, RAX, 1));
    cx.bind(done);
    cx.end_group();
    cx.def_fixed(result(data), 0, RAX);
}

/// Lowers `sjlj_longjmp`. What follows is unreachable.
pub fn jump<C: LowerCtx>(cx: &mut C, data: &InstData) {
    cx.use_fixed(data.a, 0, RDX);
    cx.claim(PRegSet::of(&[RAX]));
    let buffer = buffer::<C>();
    cx.begin_group(GroupKind::Plain);
    cx.emit(rm(Op::MovRM, C::WORD_BYTES, RAX, Mem::base(RDX, buffer.address)));
    cx.emit(rm(Op::MovRM, C::WORD_BYTES, RBP, Mem::base(RDX, FRAME)));
    cx.emit(rm(Op::MovRM, C::WORD_BYTES, RSP, Mem::base(RDX, buffer.stack)));
    cx.emit(r(Op::JmpR, 8, RAX));
    cx.end_group();
}
