//! Prologue and epilogue of x86, with their call frame information; `W` is the width of a general register in bytes.
//!
//! In functions of the fast path, `rbp` points to the caller's `rbp`, with the return address above it, slots below
//! it, and saved registers below those ([`frazil_codegen`]'s `frame.rs` has a picture). Optimized functions push the
//! registers that they save and may omit the frame pointer; shared code (`finish/emit.rs`) then decides where slots
//! are. A leaf function whose slots fit the red zone does not move `rsp` (System V ABI, 3.2.2).

use crate::build::{call, callee, i, jcc, m, mi, mr, near, none, r, ri, rm, rr};
use crate::cond::Cond;
use crate::regs::{RAX, RBP, REGS, REGS_32, RSP, X87_COUNT, scratch_float_of, scratch_of};
use crate::table::Op;
use frazil_codegen::{
    Clearing, FrameInfo, FrameSink, Guard, MInst, Mem, PRegSet, Push, Ref, RefKind, Reg, RegClass, RegDesc, UnwindOp,
};
use frazil_ir::SymbolId;
use frazil_ir::module::GuardPlace;

/// What a function without calls may use below the stack pointer (System V ABI for x86-64, 3.2.2).
pub const RED_ZONE_BYTES: u32 = 128;
/// Distance of the canonical frame address from `rbp`.
const fn cfa_from_rbp<const W: u8>() -> i32 {
    2 * pushed_bytes::<W>()
}

/// What one push moves the stack pointer by.
const fn pushed_bytes<const W: u8>() -> i32 {
    W as i32
}

fn moves_stack<const W: u8>(frame: &FrameInfo) -> bool {
    let fits_red_zone = frame.red_zone && !frame.has_calls && !frame.has_dynamic_stack;
    // 32-bit code has no such zone.
    frame.frame_bytes > if fits_red_zone && W == 8 { RED_ZONE_BYTES } else { 0 }
}

/// The code before the body.
pub fn prologue<const W: u8, S: FrameSink>(frame: &FrameInfo, out: &mut S) {
    if !frame.needs_frame {
        return;
    }
    if frame.pushes_saved {
        push_prologue::<W, S>(frame, out);
        store_guard::<W, S>(frame, out);
        return;
    }
    set_up_frame_pointer::<W, S>(out);
    if moves_stack::<W>(frame) {
        reserve::<W, S>(frame, None, out);
    }
    store_saved::<W, S>(frame, out);
    store_guard::<W, S>(frame, out);
}

/// Stores saved registers that are not pushed.
fn store_saved<const W: u8, S: FrameSink>(frame: &FrameInfo, out: &mut S) {
    for (reg, offset) in frame.saved_places() {
        let mem = Mem::base(frame.saved_base, offset);
        out.emit(match (RegClass::of(reg) == RegClass::Int, frame.realigned_to) {
            (true, _) => mr(Op::MovMR, W, mem, reg),
            (false, 0) => mr(Op::MovapMR, 4, mem, reg),
            (false, _) => mr(Op::MovupMR, 4, mem, reg),
        });
        out.unwind(UnwindOp::SavedAt(dwarf::<W>(reg), offset - frame.saved_base_to_cfa));
    }
}

/// Undoes [`store_saved`].
fn load_saved<const W: u8, S: FrameSink>(frame: &FrameInfo, out: &mut S) {
    for (reg, offset) in frame.saved_places() {
        let mem = Mem::base(frame.saved_base, offset);
        out.emit(match (RegClass::of(reg) == RegClass::Int, frame.realigned_to) {
            (true, _) => rm(Op::MovRM, W, reg, mem),
            (false, 0) => rm(Op::MovapRM, 4, reg, mem),
            (false, _) => rm(Op::MovupRM, 4, reg, mem),
        });
    }
}

fn dwarf<const W: u8>(reg: Reg) -> u16 {
    let regs: &[RegDesc] = if W == 8 { &REGS } else { &REGS_32 };
    regs[reg.number() as usize].dwarf
}

fn set_up_frame_pointer<const W: u8, S: FrameSink>(out: &mut S) {
    out.emit(r(Op::PushR, 8, RBP));
    out.unwind(UnwindOp::DefineCfaOffset(cfa_from_rbp::<W>()));
    out.unwind(UnwindOp::SavedAt(dwarf::<W>(RBP), -cfa_from_rbp::<W>()));
    out.emit(rr(Op::MovRR, W, RBP, RSP));
    out.unwind(UnwindOp::DefineCfaRegister(dwarf::<W>(RBP)));
}

/// Pushes saved registers, then moves the stack pointer by exactly the frame's bytes.
fn push_prologue<const W: u8, S: FrameSink>(frame: &FrameInfo, out: &mut S) {
    if frame.frame_pointer {
        set_up_frame_pointer::<W, S>(out);
    }
    let mut cfa_offset = if frame.frame_pointer {
        cfa_from_rbp::<W>()
    } else {
        pushed_bytes::<W>()
    };
    for reg in frame.pushed().iter() {
        out.emit(r(Op::PushR, 8, reg));
        cfa_offset += pushed_bytes::<W>();
        if !frame.frame_pointer {
            out.unwind(UnwindOp::DefineCfaOffset(cfa_offset));
        }
        out.unwind(UnwindOp::SavedAt(dwarf::<W>(reg), -cfa_offset));
    }
    if frame.realigned_to > 0 {
        align_frame::<W, S>(frame, out);
        return;
    }
    if frame.frame_bytes > 0 {
        if frame.frame_bytes == u32::from(W) {
            // One byte long, whatever it writes.
            out.emit(r(Op::PushR, 8, RAX));
        } else {
            reserve::<W, S>(frame, (!frame.frame_pointer).then_some(cfa_offset), out);
        }
        if !frame.frame_pointer {
            out.unwind(UnwindOp::DefineCfaOffset(cfa_offset + frame.frame_bytes.cast_signed()));
        }
    }
    store_saved::<W, S>(frame, out);
}

/// Aligns the stack pointer below the registers that are saved relative to the frame pointer, and makes room.
#[cold]
fn align_frame<const W: u8, S: FrameSink>(frame: &FrameInfo, out: &mut S) {
    let stored_bytes = frame.saved_places().count() as i32 * frame.saved_step;
    if stored_bytes > 0 {
        out.emit(ri(Op::SubRI, W, RSP, stored_bytes));
        store_saved::<W, S>(frame, out);
    }
    out.emit(ri(Op::AndRI, W, RSP, -frame.realigned_to.cast_signed()));
    if frame.probes.bytes > 0 {
        // What was passed over is less than a page.
        out.emit(mi(Op::OrMI, W, Mem::base(RSP, 0), 0));
    }
    if frame.frame_bytes > 0 {
        reserve::<W, S>(frame, None, out);
    }
    if !frame.area_register.is_none() {
        out.emit(rr(Op::MovRR, W, frame.area_register, RSP));
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
fn pop_epilogue<const W: u8, S: FrameSink>(frame: &FrameInfo, out: &mut S) {
    load_saved::<W, S>(frame, out);
    let pushed = frame.pushed().iter().count() as i32 * pushed_bytes::<W>();
    if frame.has_dynamic_stack || frame.realigned_to > 0 {
        out.emit(rm(Op::LeaRM, W, RSP, Mem::base(RBP, -pushed)));
    } else if frame.frame_bytes > 0 {
        if frame.frame_bytes == u32::from(W) && !frame.keeps_scratch && W == 8 {
            out.emit(r(Op::PopR, 8, scratch_of(W)));
        } else {
            out.emit(ri(Op::AddRI, W, RSP, frame.frame_bytes.cast_signed()));
        }
        if !frame.frame_pointer {
            out.unwind(UnwindOp::DefineCfaOffset(pushed_bytes::<W>() + pushed));
        }
    }
    let mut saved = frame.pushed();
    let mut cfa_offset = pushed_bytes::<W>() + pushed;
    while let Some(reg) = saved.iter().last() {
        saved.remove(reg);
        out.emit(r(Op::PopR, 8, reg));
        cfa_offset -= pushed_bytes::<W>();
        if !frame.frame_pointer {
            out.unwind(UnwindOp::DefineCfaOffset(cfa_offset));
        }
    }
    if frame.frame_pointer {
        out.emit(r(Op::PopR, 8, RBP));
        out.unwind(UnwindOp::DefineCfa(dwarf::<W>(RSP), pushed_bytes::<W>()));
    }
}

/// Moves the stack pointer down by the frame's bytes, touching each page if probes are asked for. Without frame
/// pointer, `cfa_offset` is the distance of the canonical frame address from the stack pointer at the beginning.
fn reserve<const W: u8, S: FrameSink>(frame: &FrameInfo, cfa_offset: Option<i32>, out: &mut S) {
    let bytes = frame.frame_bytes.cast_signed();
    let page = frame.probes.bytes;
    if page == 0 || frame.frame_bytes < page {
        out.emit(ri(Op::SubRI, W, RSP, bytes));
    } else if let Some(function) = frame.probes.function {
        probe_by_call::<W, S>(bytes, cfa_offset, function, out);
    } else if W == 4 && !frame.pushes_saved {
        // The scratch register is not saved yet.
        out.emit(r(Op::PushR, 8, scratch_of(W)));
        let below = bytes - pushed_bytes::<W>();
        probe_by_loop::<W, S>(below, page.cast_signed(), cfa_offset, out);
        out.emit(rm(Op::MovRM, W, scratch_of(W), Mem::base(RSP, below)));
    } else {
        probe_by_loop::<W, S>(bytes, page.cast_signed(), cfa_offset, out);
    }
}

fn probe_by_loop<const W: u8, S: FrameSink>(bytes: i32, page: i32, cfa_offset: Option<i32>, out: &mut S) {
    let whole_pages = bytes - bytes % page;
    if whole_pages == 0 {
        return out.emit(ri(Op::SubRI, W, RSP, bytes));
    }
    let label = out.label();
    out.emit(rm(Op::LeaRM, W, scratch_of(W), Mem::base(RSP, -whole_pages)));
    // While the stack pointer moves, the frame is described from where it will be.
    if let Some(offset) = cfa_offset {
        out.unwind(UnwindOp::DefineCfa(dwarf::<W>(scratch_of(W)), offset + whole_pages));
    }
    out.bind(label);
    out.emit(ri(Op::SubRI, W, RSP, page));
    out.emit(mi(Op::MovMI, W, Mem::base(RSP, 0), 0));
    out.emit(rr(Op::CmpRR, W, RSP, scratch_of(W)));
    out.emit(jcc(Cond::Ne, label));
    if let Some(offset) = cfa_offset {
        out.unwind(UnwindOp::DefineCfa(dwarf::<W>(RSP), offset + whole_pages));
    }
    if bytes > whole_pages {
        out.emit(ri(Op::SubRI, W, RSP, bytes - whole_pages));
    }
}

/// The function gets the number of bytes in `rax` and moves nothing, as LLVM has it; everything else it keeps. `rax`
/// may be the caller's: it is saved at the top of the frame.
fn probe_by_call<const W: u8, S: FrameSink>(bytes: i32, cfa_offset: Option<i32>, function: SymbolId, out: &mut S) {
    let below = bytes - pushed_bytes::<W>();
    out.emit(r(Op::PushR, 8, RAX));
    if let Some(offset) = cfa_offset {
        out.unwind(UnwindOp::DefineCfaOffset(offset + pushed_bytes::<W>()));
    }
    out.emit(ri(Op::MovRI, 4, RAX, below));
    out.emit(call(callee::<W>(function)));
    out.emit(rr(Op::SubRR, W, RSP, RAX));
    if let Some(offset) = cfa_offset {
        out.unwind(UnwindOp::DefineCfaOffset(offset + bytes));
    }
    out.emit(rm(Op::MovRM, W, RAX, Mem::base(RSP, below)));
}

/// Distance of the guard of frames from the thread pointer in the C libraries of Linux.
const fn guard_offset<const W: u8>() -> i32 {
    if W == 8 { 0x28 } else { 0x14 }
}

/// Brings the guard's value into the scratch register.
fn load_guard<const W: u8, S: FrameSink>(guard: &Guard, out: &mut S) {
    // Threads of 32-bit code are in the other one.
    let segment = match (guard.place == GuardPlace::OtherSegment, W) {
        (true, 8) | (false, 4) => Op::SegGs,
        _ => Op::SegFs,
    };
    let offset = guard.offset.unwrap_or(guard_offset::<W>());
    out.emit(none(segment, 8));
    out.emit(rm(Op::MovRM, W, scratch_of(W), Mem::base(Reg::NONE, offset)));
}

fn store_guard<const W: u8, S: FrameSink>(frame: &FrameInfo, out: &mut S) {
    if let Some(guard) = &frame.guard {
        load_guard::<W, S>(guard, out);
        out.emit(mr(Op::MovMR, W, guard.mem, scratch_of(W)));
    }
}

/// Neither results nor saved registers are touched.
#[cold]
fn compare_guard<const W: u8, S: FrameSink>(guard: &Guard, out: &mut S) {
    let is_unchanged = out.label();
    load_guard::<W, S>(guard, out);
    out.emit(rm(Op::CmpRM, W, scratch_of(W), guard.mem));
    out.emit(jcc(Cond::E, is_unchanged));
    out.emit(fail::<W>(guard));
    out.bind(is_unchanged);
}

/// The call of what does not return when the guard has changed. It may use the scratch register.
fn fail<const W: u8>(guard: &Guard) -> MInst {
    match guard.table {
        Some(table) if W == 4 => {
            let slot = near(
                Ref::symbol(RefKind::Got, guard.fail),
                table.as_u32().cast_signed(),
                true,
            );
            let mut through_table = m(Op::CallM, 8, slot);
            through_table.set_reg(0, scratch_of(W));
            through_table
        }
        _ => call(callee::<W>(guard.fail)),
    }
}

/// Undoes [`prologue`].
pub fn epilogue<const W: u8, S: FrameSink>(frame: &FrameInfo, out: &mut S) {
    if let Some(guard) = &frame.guard {
        compare_guard::<W, S>(guard, out);
    }
    // Callers' instructions without a VEX prefix would have to keep the upper halves, and wait for them (Intel
    // optimization manual, 15.3). What a jump to a callee passes may be in them.
    if frame.leaves_wide && !frame.keeps_scratch {
        out.emit(none(Op::Vzeroupper, 16));
    }
    if frame.needs_frame && frame.pushes_saved {
        pop_epilogue::<W, S>(frame, out);
    } else if frame.needs_frame {
        load_saved::<W, S>(frame, out);
        out.emit(if moves_stack::<W>(frame) || frame.has_dynamic_stack {
            none(Op::Leave, 8)
        } else {
            r(Op::PopR, 8, RBP)
        });
        out.unwind(UnwindOp::DefineCfa(dwarf::<W>(RSP), pushed_bytes::<W>()));
    }
}

/// All registers but `rsp` and `rbp`.
pub const fn clearable<const W: u8>() -> PRegSet {
    let all = if W == 8 { 0xffff } else { 0xff };
    PRegSet::from_banks(all & !(1 << 4 | 1 << 5), all)
}

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

/// The push that takes the place of the store of a word at the stack pointer (see [`frazil_codegen::Isa::push`]).
pub fn push(store: &MInst) -> Option<Push> {
    let mem = store.mem();
    if mem.base_reg() != RSP || mem.index_reg() != Reg::NONE || store.size != 4 {
        return None;
    }
    // The store to the lowest word has no displacement.
    let distance_bytes = u8::from(mem.disp != 0);
    match store.op {
        op if op == Op::MovMR as u16 => Some(Push {
            inst: r(Op::PushR, 8, store.reg(0)),
            reg: Some(store.reg(0)),
            saved_bytes: 2 + distance_bytes,
        }),
        op if op == Op::MovMI as u16 => {
            let is_short = i32::from(store.imm as i8) == store.imm;
            Some(Push {
                inst: i(Op::PushI, store.imm),
                reg: None,
                saved_bytes: 2 + distance_bytes + if is_short { 3 } else { 0 },
            })
        }
        _ => None,
    }
}

/// The push of the word that an instruction loads. What linkers may rewrite is left to the load, whose bytes they know.
pub fn push_loaded(load: &MInst) -> Option<MInst> {
    let is_word = load.op == Op::MovRM as u16 && load.size == 4 && !load.is_symbol() && !load.is_based();
    is_word.then(|| m(Op::PushM, 8, load.mem()))
}

/// Moves the stack pointer by the shortest instruction; flags do not survive.
pub fn move_stack<const W: u8>(bytes: i32) -> MInst {
    match bytes {
        _ if bytes == -pushed_bytes::<W>() => r(Op::PushR, 8, RAX),
        ..0 => ri(Op::SubRI, W, RSP, -bytes),
        _ => ri(Op::AddRI, W, RSP, bytes),
    }
}

/// Stores what a definition computes, a word: a constant at once, what it loads by the scratch register of floats, and
/// anything else by a register whose contents are there for as long as that takes.
pub fn store_definition<const W: u8>(definition: &MInst, mem: Mem, mut emit: impl FnMut(MInst)) {
    let kept = scratch_float_of(W);
    // What linkers may rewrite must be an instruction that they know.
    let is_in_table = definition
        .reference()
        .is_some_and(|reference| reference.kind() == RefKind::Got);
    if definition.op == Op::MovRI as u16 {
        emit(mi(Op::MovMI, W, mem, definition.imm));
    } else if definition.op == Op::MovRM as u16 && !is_in_table {
        emit(rm(Op::MovsRM, W, kept, definition.mem()));
        emit(mr(Op::MovsMR, W, mem, kept));
    } else {
        let mut computes = *definition;
        computes.set_reg(0, RAX);
        emit(rr(Op::MovdXR, W, kept, RAX));
        emit(computes);
        emit(mr(Op::MovMR, W, mem, RAX));
        emit(rr(Op::MovdRX, W, RAX, kept));
    }
}
