//! Prologue and epilogue of x86-64, with their call frame description.
//!
//! With a frame: `rbp` holds the old `rbp`'s place, the return address above it, slots below it, then saved registers.
//! A function that calls nothing and whose slots fit the red zone leaves `rsp` where it is (System V ABI, 3.2.2).

use crate::build::{jcc, mi, mr, none, r, ri, rm, rr};
use crate::cond::Cond;
use crate::ops::Op;
use crate::regs::{R11, RBP, RSP};
use frazil_codegen::{FrameInfo, FrameSink, Mem, UnwindOp};

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
    out.emit(r(Op::PushR, 8, RBP));
    out.unwind(UnwindOp::DefineCfaOffset(CFA_FROM_RBP));
    out.unwind(UnwindOp::SavedAt(DWARF_RBP, -CFA_FROM_RBP));
    out.emit(rr(Op::MovRR, 8, RBP, RSP));
    out.unwind(UnwindOp::DefineCfaRegister(DWARF_RBP));
    if moves_stack(frame) {
        reserve(frame, out);
    }
    for (reg, offset) in frame.saved_places() {
        out.emit(mr(Op::MovMR, 8, Mem::base(RBP, offset), reg));
        let dwarf = crate::regs::REGS[reg.number() as usize].dwarf;
        out.unwind(UnwindOp::SavedAt(dwarf, offset - CFA_FROM_RBP));
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
    for (reg, offset) in frame.saved_places() {
        out.emit(rm(Op::MovRM, 8, reg, Mem::base(RBP, offset)));
    }
    if frame.needs_frame {
        out.emit(if moves_stack(frame) || frame.has_dynamic_stack {
            none(Op::Leave, 8)
        } else {
            r(Op::PopR, 8, RBP)
        });
        out.unwind(UnwindOp::DefineCfa(DWARF_RSP, 8));
    }
    out.emit(none(Op::Ret, 8));
}
