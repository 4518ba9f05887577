//! Prologue and epilogue, with their call frame description.
//!
//! `fp` points at the caller's `fp`, the return address lies above it, slots below it. Without frame pointer, the place
//! of the caller's `fp` is not used; slots are counted from the stack pointer.

use crate::build::{reg, rm, rr, rri};
use crate::ops::Op;
use crate::regs::{FP, RA, SP};
use frazil_codegen::{FrameInfo, FrameSink, MInst, Mem, Reg, RegClass, UnwindOp};

/// Distance of the arguments on the stack from `fp`.
pub const INCOMING_ARGS_OFFSET: i32 = 8;

fn dwarf(reg: Reg) -> u16 {
    reg.bank() as u16 * 32 + reg.number() as u16
}

/// The code before the body.
pub fn prologue<S: FrameSink>(frame: &FrameInfo, out: &mut S) {
    if !frame.needs_frame {
        return;
    }
    if !frame.frame_pointer {
        return prologue_without_pointer(frame, out);
    }
    out.emit(rri(Op::Addi, SP, SP, -INCOMING_ARGS_OFFSET));
    out.unwind(UnwindOp::DefineCfaOffset(INCOMING_ARGS_OFFSET));
    out.emit(rm(Op::Sw, 4, FP, Mem::base(SP, 0)));
    out.emit(rm(Op::Sw, 4, RA, Mem::base(SP, 4)));
    out.unwind(UnwindOp::SavedAt(dwarf(FP), -8));
    out.unwind(UnwindOp::SavedAt(dwarf(RA), -4));
    out.emit(rr(Op::Mov, FP, SP));
    out.unwind(UnwindOp::DefineCfaRegister(dwarf(FP)));
    if frame.frame_bytes > 0 {
        out.emit(rri(Op::Addi, SP, SP, -frame.frame_bytes.cast_signed()));
    }
    store_saved(frame, out);
}

fn prologue_without_pointer<S: FrameSink>(frame: &FrameInfo, out: &mut S) {
    let bytes = frame.frame_bytes.cast_signed();
    let all_bytes = bytes + INCOMING_ARGS_OFFSET;
    out.emit(rri(Op::Addi, SP, SP, -all_bytes));
    out.unwind(UnwindOp::DefineCfaOffset(all_bytes));
    out.emit(rm(Op::Sw, 4, RA, Mem::base(SP, bytes + 4)));
    out.unwind(UnwindOp::SavedAt(dwarf(RA), -4));
    store_saved(frame, out);
}

fn store_saved<S: FrameSink>(frame: &FrameInfo, out: &mut S) {
    for (saved, offset) in frame.saved_places() {
        out.emit(save(saved, Mem::base(frame.saved_base, offset)));
        out.unwind(UnwindOp::SavedAt(dwarf(saved), offset - frame.saved_base_to_cfa));
    }
}

fn save(saved: Reg, mem: Mem) -> MInst {
    if RegClass::of(saved) == RegClass::Int {
        rm(Op::Sw, 4, saved, mem)
    } else {
        rm(Op::Fs, 8, saved, mem)
    }
}

fn restore(saved: Reg, mem: Mem) -> MInst {
    if RegClass::of(saved) == RegClass::Int {
        rm(Op::Lw, 4, saved, mem)
    } else {
        rm(Op::Fl, 8, saved, mem)
    }
}

/// Undoes [`prologue`].
pub fn epilogue<S: FrameSink>(frame: &FrameInfo, out: &mut S) {
    if frame.needs_frame {
        for (saved, offset) in frame.saved_places() {
            out.emit(restore(saved, Mem::base(frame.saved_base, offset)));
        }
        if !frame.frame_pointer {
            let bytes = frame.frame_bytes.cast_signed();
            out.emit(rm(Op::Lw, 4, RA, Mem::base(SP, bytes + 4)));
            out.emit(rri(Op::Addi, SP, SP, bytes + INCOMING_ARGS_OFFSET));
            out.unwind(UnwindOp::DefineCfaOffset(0));
            return;
        }
        out.emit(rr(Op::Mov, SP, FP));
        out.emit(rm(Op::Lw, 4, FP, Mem::base(SP, 0)));
        out.emit(rm(Op::Lw, 4, RA, Mem::base(SP, 4)));
        out.emit(rri(Op::Addi, SP, SP, INCOMING_ARGS_OFFSET));
        out.unwind(UnwindOp::DefineCfa(dwarf(SP), 0));
    }
}

/// The instruction that leaves the function.
pub fn leave() -> MInst {
    reg(Op::Jr, RA)
}
