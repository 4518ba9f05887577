//! Prologue and epilogue of x86-64, with their call frame information.
//!
//! In functions of the fast path, `rbp` points to the caller's `rbp`, with the return address above it, slots below
//! it, and saved registers below those ([`frazil_codegen`]'s `frame.rs` has a picture). Optimized functions push the
//! registers that they save and may omit the frame pointer; shared code (`finish/emit.rs`) then decides where slots
//! are. A leaf function whose slots fit the red zone does not move `rsp` (System V ABI, 3.2.2).

use crate::build::{call, jcc, mi, mr, none, r, ri, rm, rr};
use crate::cond::Cond;
use crate::regs::{R11, RAX, RBP, RSP, X87_COUNT};
use crate::table::Op;
use frazil_codegen::{
    Clearing, FrameInfo, FrameSink, Guard, MInst, Mem, PRegSet, Ref, RefKind, Reg, RegClass, UnwindOp,
};
use frazil_ir::SymbolId;
use frazil_ir::module::GuardPlace;

/// What a function without calls may use below the stack pointer (System V ABI for x86-64, 3.2.2).
pub const RED_ZONE_BYTES: u32 = 128;
const DWARF_RBP: u16 = 6;
const DWARF_RSP: u16 = 7;
/// Distance of the canonical frame address from `rbp`.
const CFA_FROM_RBP: i32 = 16;
/// What one push moves the stack pointer by.
const PUSHED_BYTES: u32 = 8;

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
        store_guard(frame, out);
        return;
    }
    set_up_frame_pointer(out);
    if moves_stack(frame) {
        reserve(frame, None, out);
    }
    store_saved(frame, out);
    store_guard(frame, out);
}

/// Stores saved registers that are not pushed.
fn store_saved<S: FrameSink>(frame: &FrameInfo, out: &mut S) {
    for (reg, offset) in frame.saved_places() {
        let mem = Mem::base(frame.saved_base, offset);
        out.emit(match (RegClass::of(reg) == RegClass::Int, frame.realigned_to) {
            (true, _) => mr(Op::MovMR, 8, mem, reg),
            (false, 0) => mr(Op::MovapMR, 4, mem, reg),
            (false, _) => mr(Op::MovupMR, 4, mem, reg),
        });
        out.unwind(UnwindOp::SavedAt(dwarf(reg), offset - frame.saved_base_to_cfa));
    }
}

/// Undoes [`store_saved`].
fn load_saved<S: FrameSink>(frame: &FrameInfo, out: &mut S) {
    for (reg, offset) in frame.saved_places() {
        let mem = Mem::base(frame.saved_base, offset);
        out.emit(match (RegClass::of(reg) == RegClass::Int, frame.realigned_to) {
            (true, _) => rm(Op::MovRM, 8, reg, mem),
            (false, 0) => rm(Op::MovapRM, 4, reg, mem),
            (false, _) => rm(Op::MovupRM, 4, reg, mem),
        });
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
    for reg in frame.pushed().iter() {
        out.emit(r(Op::PushR, 8, reg));
        cfa_offset += 8;
        if !frame.frame_pointer {
            out.unwind(UnwindOp::DefineCfaOffset(cfa_offset));
        }
        out.unwind(UnwindOp::SavedAt(dwarf(reg), -cfa_offset));
    }
    if frame.realigned_to > 0 {
        align_frame(frame, out);
        return;
    }
    if frame.frame_bytes > 0 {
        if frame.frame_bytes == PUSHED_BYTES {
            // One byte long, whatever it writes.
            out.emit(r(Op::PushR, 8, RAX));
        } else {
            reserve(frame, (!frame.frame_pointer).then_some(cfa_offset), out);
        }
        if !frame.frame_pointer {
            out.unwind(UnwindOp::DefineCfaOffset(cfa_offset + frame.frame_bytes.cast_signed()));
        }
    }
    store_saved(frame, out);
}

/// Aligns the stack pointer below the registers that are saved relative to the frame pointer, and makes room.
#[cold]
fn align_frame<S: FrameSink>(frame: &FrameInfo, out: &mut S) {
    let stored_bytes = frame.saved_places().count() as i32 * frame.saved_step;
    if stored_bytes > 0 {
        out.emit(ri(Op::SubRI, 8, RSP, stored_bytes));
        store_saved(frame, out);
    }
    out.emit(ri(Op::AndRI, 8, RSP, -frame.realigned_to.cast_signed()));
    if frame.probes.bytes > 0 {
        // What was passed over is less than a page.
        out.emit(mi(Op::OrMI, 8, Mem::base(RSP, 0), 0));
    }
    if frame.frame_bytes > 0 {
        reserve(frame, None, out);
    }
    if !frame.area_register.is_none() {
        out.emit(rr(Op::MovRR, 8, frame.area_register, RSP));
    }
}

/// An access of memory of which no alignment is known.
#[cold]
pub fn unaligned(mut inst: MInst) -> MInst {
    if inst.op == Op::MovapMR as u16 {
        inst.op = Op::MovupMR as u16;
    } else if inst.op == Op::MovapRM as u16 {
        inst.op = Op::MovupRM as u16;
    }
    inst
}

/// Undoes [`push_prologue`].
fn pop_epilogue<S: FrameSink>(frame: &FrameInfo, out: &mut S) {
    load_saved(frame, out);
    let pushed = frame.pushed().iter().count() as i32 * 8;
    if frame.has_dynamic_stack || frame.realigned_to > 0 {
        out.emit(rm(Op::LeaRM, 8, RSP, Mem::base(RBP, -pushed)));
    } else if frame.frame_bytes > 0 {
        if frame.frame_bytes == PUSHED_BYTES && !frame.keeps_scratch {
            out.emit(r(Op::PopR, 8, R11));
        } else {
            out.emit(ri(Op::AddRI, 8, RSP, frame.frame_bytes.cast_signed()));
        }
        if !frame.frame_pointer {
            out.unwind(UnwindOp::DefineCfaOffset(8 + pushed));
        }
    }
    let mut saved = frame.pushed();
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

/// Moves the stack pointer down by the frame's bytes, touching each page if probes are asked for. Without frame
/// pointer, `cfa_offset` is the distance of the canonical frame address from the stack pointer at the beginning.
fn reserve<S: FrameSink>(frame: &FrameInfo, cfa_offset: Option<i32>, out: &mut S) {
    let bytes = frame.frame_bytes.cast_signed();
    let page = frame.probes.bytes;
    if page == 0 || frame.frame_bytes < page {
        out.emit(ri(Op::SubRI, 8, RSP, bytes));
    } else if let Some(function) = frame.probes.function {
        probe_by_call(bytes, cfa_offset, function, out);
    } else {
        probe_by_loop(bytes, page.cast_signed(), cfa_offset, out);
    }
}

fn probe_by_loop<S: FrameSink>(bytes: i32, page: i32, cfa_offset: Option<i32>, out: &mut S) {
    let whole_pages = bytes - bytes % page;
    let label = out.label();
    out.emit(rm(Op::LeaRM, 8, R11, Mem::base(RSP, -whole_pages)));
    // While the stack pointer moves, the frame is described from where it will be.
    if let Some(offset) = cfa_offset {
        out.unwind(UnwindOp::DefineCfa(dwarf(R11), offset + whole_pages));
    }
    out.bind(label);
    out.emit(ri(Op::SubRI, 8, RSP, page));
    out.emit(mi(Op::MovMI, 8, Mem::base(RSP, 0), 0));
    out.emit(rr(Op::CmpRR, 8, RSP, R11));
    out.emit(jcc(Cond::Ne, label));
    if let Some(offset) = cfa_offset {
        out.unwind(UnwindOp::DefineCfa(DWARF_RSP, offset + whole_pages));
    }
    if bytes > whole_pages {
        out.emit(ri(Op::SubRI, 8, RSP, bytes - whole_pages));
    }
}

/// The function gets the number of bytes in `rax` and moves nothing, as LLVM has it; everything else it keeps. `rax`
/// may be the caller's: it is saved at the top of the frame.
fn probe_by_call<S: FrameSink>(bytes: i32, cfa_offset: Option<i32>, function: SymbolId, out: &mut S) {
    let below = bytes - PUSHED_BYTES.cast_signed();
    out.emit(r(Op::PushR, 8, RAX));
    if let Some(offset) = cfa_offset {
        out.unwind(UnwindOp::DefineCfaOffset(offset + PUSHED_BYTES.cast_signed()));
    }
    out.emit(ri(Op::MovRI, 4, RAX, below));
    out.emit(call(Ref::symbol(RefKind::Plt, function)));
    out.emit(rr(Op::SubRR, 8, RSP, RAX));
    if let Some(offset) = cfa_offset {
        out.unwind(UnwindOp::DefineCfaOffset(offset + bytes));
    }
    out.emit(rm(Op::MovRM, 8, RAX, Mem::base(RSP, below)));
}

/// Distance of the guard of frames from the thread pointer in the C libraries of Linux.
const GUARD_OFFSET: i32 = 0x28;

/// Brings the guard's value into the scratch register.
fn load_guard<S: FrameSink>(guard: &Guard, out: &mut S) {
    let segment = match guard.place {
        GuardPlace::OtherSegment => Op::SegGs,
        _ => Op::SegFs,
    };
    let offset = guard.offset.unwrap_or(GUARD_OFFSET);
    out.emit(none(segment, 8));
    out.emit(rm(Op::MovRM, 8, R11, Mem::base(Reg::NONE, offset)));
}

fn store_guard<S: FrameSink>(frame: &FrameInfo, out: &mut S) {
    if let Some(guard) = &frame.guard {
        load_guard(guard, out);
        out.emit(mr(Op::MovMR, 8, guard.mem, R11));
    }
}

/// Neither results nor saved registers are touched.
#[cold]
fn compare_guard<S: FrameSink>(guard: &Guard, out: &mut S) {
    let is_unchanged = out.label();
    load_guard(guard, out);
    out.emit(rm(Op::CmpRM, 8, R11, guard.mem));
    out.emit(jcc(Cond::E, is_unchanged));
    out.emit(call(Ref::symbol(RefKind::Plt, guard.fail)));
    out.bind(is_unchanged);
}

/// Undoes [`prologue`].
pub fn epilogue<S: FrameSink>(frame: &FrameInfo, out: &mut S) {
    if let Some(guard) = &frame.guard {
        compare_guard(guard, out);
    }
    // Callers' instructions without a VEX prefix would have to keep the upper halves, and wait for them (Intel
    // optimization manual, 15.3). What a jump to a callee passes may be in them.
    if frame.leaves_wide && !frame.keeps_scratch {
        out.emit(none(Op::Vzeroupper, 16));
    }
    if frame.needs_frame && frame.pushes_saved {
        pop_epilogue(frame, out);
    } else if frame.needs_frame {
        load_saved(frame, out);
        out.emit(if moves_stack(frame) || frame.has_dynamic_stack {
            none(Op::Leave, 8)
        } else {
            r(Op::PopR, 8, RBP)
        });
        out.unwind(UnwindOp::DefineCfa(DWARF_RSP, 8));
    }
}

/// All registers but `rsp` and `rbp`.
pub const CLEARABLE: PRegSet = PRegSet::from_banks(0xffff & !(1 << 4 | 1 << 5), 0xffff);

/// The size by which the op table names registers of the x87.
const X87_BYTES: u8 = 16;

/// Sets registers to zero, those of the x87 by filling what its stack has left.
#[cold]
pub fn clear<S: FrameSink>(clearing: &Clearing, out: &mut S) {
    if clearing.has_stack {
        let places = u32::from(X87_COUNT).saturating_sub(clearing.stack_results);
        (0..places).for_each(|_| out.emit(none(Op::Fldz, X87_BYTES)));
        (0..places).for_each(|_| out.emit(none(Op::FstpTop, X87_BYTES)));
    }
    for reg in clearing.registers.iter() {
        out.emit(if RegClass::of(reg) == RegClass::Int {
            rr(Op::XorRR, 4, reg, reg)
        } else {
            rr(Op::PxorRR, 16, reg, reg)
        });
    }
}
