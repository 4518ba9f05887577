//! Prologue and epilogue of x86-64, with their call frame description.
//!
//! With a frame: `rbp` holds the old `rbp`'s place, the return address above it, slots below it, then saved registers.
//! Optimized functions push the registers they save and may do without `rbp`; where slots are then is decided by
//! shared code.
//! A function that calls nothing and whose slots fit the red zone leaves `rsp` where it is (System V ABI, 3.2.2).

use crate::build::{jcc, mi, mr, none, r, ri, rm, rr};
use crate::cond::Cond;
use crate::ops::Op;
use crate::regs::{R11, RBP, RSP};
use frazil_codegen::{FrameInfo, FrameSink, Mem, Reg, UnwindOp};

const RED_ZONE_BYTES: u32 = 128;
const DWARF_RBP: u16 = 6;
const DWARF_RSP: u16 = 7;
/// Distance of the canonical frame address from `rbp`.
const CFA_FROM_RBP: i32 = 16;

fn moves_stack(frame: &FrameInfo) -> bool {
    let fits_red_zone = frame.red_zone && !frame.has_calls && !frame.has_dynamic_stack;
    frame.frame_bytes > if fits_red_zone { RED_ZONE_BYTES } else { 0 }
}

/// The code before the body.
pub fn prologue<S: FrameSink>(frame: &FrameInfo, out: &mut S) {
    if !frame.needs_frame {
        return;
    }
    if frame.pushes_saved {
        push_prologue(frame, out);
        return;
    }
    set_up_frame_pointer(out);
    if moves_stack(frame) {
        reserve(frame, out);
    }
    for (reg, offset) in frame.saved_places() {
        out.emit(mr(Op::MovMR, 8, Mem::base(RBP, offset), reg));
        out.unwind(UnwindOp::SavedAt(dwarf(reg), offset - CFA_FROM_RBP));
    }
}

fn dwarf(reg: Reg) -> u16 {
    crate::regs::REGS[reg.number() as usize].dwarf
}

fn set_up_frame_pointer<S: FrameSink>(out: &mut S) {
    out.emit(r(Op::PushR, 8, RBP));
    out.unwind(UnwindOp::DefineCfaOffset(CFA_FROM_RBP));
    out.unwind(UnwindOp::SavedAt(DWARF_RBP, -CFA_FROM_RBP));
    out.emit(rr(Op::MovRR, 8, RBP, RSP));
    out.unwind(UnwindOp::DefineCfaRegister(DWARF_RBP));
}

/// Pushes saved registers, then moves the stack pointer by exactly the frame's bytes.
fn push_prologue<S: FrameSink>(frame: &FrameInfo, out: &mut S) {
    if frame.frame_pointer {
        set_up_frame_pointer(out);
    }
    let mut cfa_offset = if frame.frame_pointer { CFA_FROM_RBP } else { 8 };
    for reg in frame.saved.iter() {
        out.emit(r(Op::PushR, 8, reg));
        cfa_offset += 8;
        if !frame.frame_pointer {
            out.unwind(UnwindOp::DefineCfaOffset(cfa_offset));
        }
        out.unwind(UnwindOp::SavedAt(dwarf(reg), -cfa_offset));
    }
    if frame.frame_bytes > 0 {
        reserve(frame, out);
        if !frame.frame_pointer {
            out.unwind(UnwindOp::DefineCfaOffset(cfa_offset + frame.frame_bytes.cast_signed()));
        }
    }
}

/// Undoes [`push_prologue`].
fn pop_epilogue<S: FrameSink>(frame: &FrameInfo, out: &mut S) {
    let pushed = frame.saved.iter().count() as i32 * 8;
    if frame.has_dynamic_stack {
        out.emit(rm(Op::LeaRM, 8, RSP, Mem::base(RBP, -pushed)));
    } else if frame.frame_bytes > 0 {
        out.emit(ri(Op::AddRI, 8, RSP, frame.frame_bytes.cast_signed()));
        if !frame.frame_pointer {
            out.unwind(UnwindOp::DefineCfaOffset(8 + pushed));
        }
    }
    let mut saved = frame.saved;
    let mut cfa_offset = 8 + pushed;
    while let Some(reg) = saved.iter().last() {
        saved.remove(reg);
        out.emit(r(Op::PopR, 8, reg));
        cfa_offset -= 8;
        if !frame.frame_pointer {
            out.unwind(UnwindOp::DefineCfaOffset(cfa_offset));
        }
    }
    if frame.frame_pointer {
        out.emit(r(Op::PopR, 8, RBP));
        out.unwind(UnwindOp::DefineCfa(DWARF_RSP, 8));
    }
}

/// Moves the stack pointer down, touching each page if probes are asked for.
fn reserve<S: FrameSink>(frame: &FrameInfo, out: &mut S) {
    let bytes = frame.frame_bytes.cast_signed();
    let page = frame.probe_bytes;
    if page == 0 || frame.frame_bytes < page {
        out.emit(ri(Op::SubRI, 8, RSP, bytes));
        return;
    }
    let whole_pages = frame.frame_bytes - frame.frame_bytes % page;
    let label = out.label();
    out.emit(rm(Op::LeaRM, 8, R11, Mem::base(RSP, -whole_pages.cast_signed())));
    out.bind(label);
    out.emit(ri(Op::SubRI, 8, RSP, page.cast_signed()));
    out.emit(mi(Op::MovMI, 8, Mem::base(RSP, 0), 0));
    out.emit(rr(Op::CmpRR, 8, RSP, R11));
    out.emit(jcc(Cond::Ne, label));
    if bytes > whole_pages.cast_signed() {
        out.emit(ri(Op::SubRI, 8, RSP, bytes - whole_pages.cast_signed()));
    }
}

/// The code that leaves the function.
pub fn epilogue<S: FrameSink>(frame: &FrameInfo, out: &mut S) {
    if frame.needs_frame && frame.pushes_saved {
        pop_epilogue(frame, out);
    } else if frame.needs_frame {
        for (reg, offset) in frame.saved_places() {
            out.emit(rm(Op::MovRM, 8, reg, Mem::base(RBP, offset)));
        }
        out.emit(if moves_stack(frame) || frame.has_dynamic_stack {
            none(Op::Leave, 8)
        } else {
            r(Op::PopR, 8, RBP)
        });
        out.unwind(UnwindOp::DefineCfa(DWARF_RSP, 8));
    }
    out.emit(none(Op::Ret, 8));
}
