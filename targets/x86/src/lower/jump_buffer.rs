//! `__builtin_setjmp` and `__builtin_longjmp`: jumps to a frame that is still active.
//!
//! A buffer has the frame pointer, the address to go on at, and the stack pointer, as with GCC and LLVM; the program
//! itself stores the first and the last. Who jumps restores these two and nothing else, so no other register may hold a
//! value across the place: all are overwritten after it, which also makes the prologue save those of the caller.

use super::result;
use crate::build::*;
use crate::regs::*;
use crate::table::Op;
use frazil_codegen::{GroupKind, LowerCtx, Mem, PRegSet, Ref, RefKind, Reg};
use frazil_ir::InstData;

/// Places of the buffer.
const FRAME: i32 = 0;
const ADDRESS: i32 = 8;
const STACK: i32 = 16;

/// The registers that may hold values, but for the one of the result.
const INTEGERS: [Reg; 12] = [RCX, RDX, RBX, RSI, RDI, R8, R9, R10, R12, R13, R14, R15];
const FLOATS: [Reg; 15] = [
    XMM0, XMM1, XMM2, XMM3, XMM4, XMM5, XMM6, XMM7, XMM8, XMM9, XMM10, XMM11, XMM12, XMM13, XMM14,
];

/// Lowers `sjlj_setjmp`.
pub fn set<C: LowerCtx>(cx: &mut C, data: &InstData) {
    cx.use_fixed(data.a, 0, RDX);
    let others = PRegSet::of(&INTEGERS)
        .union(PRegSet::of(&FLOATS))
        .union(PRegSet::of(&[RAX]));
    cx.claim(others.minus(PRegSet::of(&[RDX])));
    cx.need_frame();
    cx.begin_group(GroupKind::Plain);
    let (again, done) = (cx.local_label(), cx.local_label());
    let place = Mem::symbol(Ref::new(RefKind::Label, again.0), 0);
    cx.emit(rm(Op::LeaRM, 8, RAX, place));
    cx.emit(mr(Op::MovMR, 8, Mem::base(RDX, ADDRESS), RAX));
    cx.emit(mov_imm(4, RAX, 0));
    cx.emit(jmp(done));
    cx.bind(again);
    if cx.view().module.flags.marks_branch_targets {
        cx.emit(none(Op::Endbr64, 8));
    }
    for reg in INTEGERS {
        cx.emit(r(Op::ZeroR, 4, reg));
    }
    for reg in FLOATS {
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
    cx.begin_group(GroupKind::Plain);
    cx.emit(rm(Op::MovRM, 8, RAX, Mem::base(RDX, ADDRESS)));
    cx.emit(rm(Op::MovRM, 8, RBP, Mem::base(RDX, FRAME)));
    cx.emit(rm(Op::MovRM, 8, RSP, Mem::base(RDX, STACK)));
    cx.emit(r(Op::JmpR, 8, RAX));
    cx.end_group();
}
