//! Prologue and epilogue of AArch64, with their call frame information.
//!
//! With a frame pointer, `x29` points to the frame record (AAPCS64, 6.4.6): the caller's `x29`, with the return address
//! above it. Slots and saved registers are below. Without one, the return address is saved like any register, if
//! something is called. The picture is that of [`frazil_codegen`]'s `finish/frame_layout.rs`, where what is "pushed"
//! is stored here by pairs: the stack pointer moves once for all of them, since it must always be a multiple of 16. In
//! a frame of nothing but registers, the store of the lowest ones moves it.
//!
//! Nothing here writes flags, and no register but those of the frame and the two scratch registers.

use crate::build::{address, branch_if, branch_ref, logical, mov_imm, none, r, reference, rm, rr, rri, rrr};
use crate::cond::Cond;
use crate::regs::{FP, LR, PLATFORM_REGISTER, REGS, SCRATCH, SP, TEMP, VECTOR_BYTES, XZR};
use crate::table::Op;
use frazil_codegen::{
    Clearing, FrameInfo, FrameSink, Guard, MInst, Mem, PRegSet, Ref, RefKind, Reg, RegClass, UnwindOp,
};
use frazil_ir::module::ReturnSigning;

/// Bytes of the frame record, which is also the distance from the frame pointer to the canonical frame address.
pub const RECORD_BYTES: i32 = 16;
/// Bytes of a saved register.
const SAVED_BYTES: i32 = 8;
/// The most bytes by which a store or load of one or two registers moves the stack pointer.
const MAX_MOVED_BYTES: i32 = 240;
/// The farthest place that a store of two registers reaches, in bytes.
const MAX_PAIR_OFFSET: i32 = 504;

fn dwarf(reg: Reg) -> u16 {
    REGS.iter().find(|row| row.reg == reg).map_or(0, |row| row.dwarf)
}

/// A multiple of the stack's alignment.
fn aligned(bytes: i32) -> i32 {
    (bytes + 15) & -16
}

/// Moves the stack pointer; flags survive.
pub fn adjust_stack(bytes: i32) -> MInst {
    address(SP, Mem::base(SP, bytes))
}

/// The code before the body.
pub fn prologue<S: FrameSink>(frame: &FrameInfo, out: &mut S) {
    if !frame.needs_frame {
        return;
    }
    protect_return(frame, out);
    if let Some(bytes) = register_frame(frame) {
        store_register_frame(frame, bytes, out);
        return;
    }
    if frame.frame_pointer {
        set_up_frame_pointer(out);
    }
    if frame.pushes_saved {
        store_pushed(frame, out);
    } else {
        reserve(frame, frame.frame_bytes.cast_signed(), None, out);
        store_saved(frame, out);
    }
    if let Some(guard) = &frame.guard {
        load_guard(guard, out);
        out.emit(rm(Op::Str, 8, SCRATCH, guard.mem));
    }
}

/// Whether the return address is stored, for which the frame pointer is set up, too, where there is one.
fn stores_return(frame: &FrameInfo) -> bool {
    frame.frame_pointer || frame.saved.contains(LR)
}

fn is_signed(frame: &FrameInfo) -> bool {
    match frame.protection.signing {
        ReturnSigning::None => false,
        ReturnSigning::NonLeaf => stores_return(frame),
        ReturnSigning::All => true,
    }
}

/// Keeps the return address on the stack that the platform register points to, and signs it.
fn protect_return<S: FrameSink>(frame: &FrameInfo, out: &mut S) {
    if frame.protection.keeps_shadow && stores_return(frame) {
        out.emit(rr(Op::StrPost, 8, LR, PLATFORM_REGISTER).with_imm(SAVED_BYTES));
        out.unwind(UnwindOp::ValuePlus(dwarf(PLATFORM_REGISTER), -(SAVED_BYTES as i8)));
    }
    if is_signed(frame) {
        let by_second_key = frame.protection.by_second_key;
        out.emit(none(if by_second_key { Op::Pacibsp } else { Op::Paciasp }));
        out.unwind(UnwindOp::ToggleSigned(by_second_key));
    }
}

/// Undoes [`protect_return`], when the stack pointer is again what it was.
fn check_return<S: FrameSink>(frame: &FrameInfo, out: &mut S) {
    if is_signed(frame) {
        let by_second_key = frame.protection.by_second_key;
        out.emit(none(if by_second_key { Op::Autibsp } else { Op::Autiasp }));
        out.unwind(UnwindOp::ToggleSigned(by_second_key));
    }
    if frame.protection.keeps_shadow && stores_return(frame) {
        out.emit(rr(Op::LdrPre, 8, LR, PLATFORM_REGISTER).with_imm(-SAVED_BYTES));
        out.unwind(UnwindOp::AsAtFirst(dwarf(PLATFORM_REGISTER)));
    }
}

fn set_up_frame_pointer<S: FrameSink>(out: &mut S) {
    out.emit(rrr(Op::StpPre, 8, FP, SP, LR).with_imm(-RECORD_BYTES));
    out.unwind(UnwindOp::DefineCfaOffset(RECORD_BYTES));
    out.unwind(UnwindOp::SavedAt(dwarf(FP), -RECORD_BYTES));
    out.unwind(UnwindOp::SavedAt(dwarf(LR), SAVED_BYTES - RECORD_BYTES));
    out.emit(rri(Op::AddI, 8, FP, SP, 0));
    out.unwind(UnwindOp::DefineCfaRegister(dwarf(FP)));
}

/// An access of two registers.
fn pair(op: Op, first: Reg, second: Reg, mem: Mem) -> MInst {
    let mut inst = rrr(op, 8, first, mem.base_reg(), second);
    inst.disp = mem.disp;
    inst
}

/// Stores saved registers at the places that the frame has for them: all in functions of the fast path, and those that
/// are not pushed in others.
fn store_saved<S: FrameSink>(frame: &FrameInfo, out: &mut S) {
    for (first, second) in side_by_side(frame) {
        access_saved(frame, (Op::Str, Op::StrF), (Op::Stp, Op::StpF), (first, second), out);
        for (reg, offset) in [Some(first), second].into_iter().flatten() {
            out.unwind(UnwindOp::SavedAt(dwarf(reg), offset - frame.saved_base_to_cfa));
        }
    }
}

/// Undoes [`store_saved`].
fn load_saved<S: FrameSink>(frame: &FrameInfo, out: &mut S) {
    for places in side_by_side(frame) {
        access_saved(frame, (Op::Ldr, Op::LdrF), (Op::Ldp, Op::LdpF), places, out);
    }
}

/// Bytes of a saved register: of vectors all, since some conventions ask for more than the lower halves.
fn saved_bytes(reg: Reg) -> u8 {
    match RegClass::of(reg) {
        RegClass::Int => 8,
        _ => VECTOR_BYTES,
    }
}

/// A saved register, and its distance from the base of saved ones in bytes.
type Place = (Reg, i32);

/// The saved registers with their places, by twos where one instruction reaches both.
fn side_by_side(frame: &FrameInfo) -> impl Iterator<Item = (Place, Option<Place>)> {
    let mut places = frame.saved_places().peekable();
    std::iter::from_fn(move || {
        let (reg, offset) = places.next()?;
        let bytes = i32::from(saved_bytes(reg));
        let is_beside = |&(other, below): &Place| {
            RegClass::of(other) == RegClass::of(reg)
                && below + bytes == offset
                && below % bytes == 0
                && (-MAX_PAIR_OFFSET..=MAX_PAIR_OFFSET).contains(&below)
        };
        Some(((reg, offset), places.next_if(is_beside)))
    })
}

fn access_saved<S: FrameSink>(
    frame: &FrameInfo,
    single: (Op, Op),
    double: (Op, Op),
    ((reg, offset), second): (Place, Option<Place>),
    out: &mut S,
) {
    let is_int = RegClass::of(reg) == RegClass::Int;
    let of_class = |(int, float): (Op, Op)| if is_int { int } else { float };
    let bytes = saved_bytes(reg);
    out.emit(match second {
        Some((other, below)) => {
            let mut both = rrr(of_class(double), bytes, other, frame.saved_base, reg);
            both.disp = below;
            both
        }
        None => rm(of_class(single), bytes, reg, Mem::base(frame.saved_base, offset)),
    });
}

/// The saved registers by pairs, each with the distance of the lower place from the highest one, which is 0 or less.
/// The second register of a pair has the lower place.
fn pairs(frame: &FrameInfo) -> impl Iterator<Item = (Reg, Option<Reg>, i32)> + use<> {
    let mut regs = frame.pushed().iter();
    let mut next = 0;
    std::iter::from_fn(move || {
        let (first, second) = (regs.next()?, regs.next());
        let lower = if second.is_some() { next - SAVED_BYTES } else { next };
        next = lower - SAVED_BYTES;
        Some((first, second, lower))
    })
}

/// The bytes of a frame that is nothing but pushed registers, and perhaps the record, if one store and one load can
/// move the stack pointer by them.
fn register_frame(frame: &FrameInfo) -> Option<i32> {
    let record = if frame.frame_pointer { RECORD_BYTES } else { 0 };
    let pushed = pushed_bytes(frame);
    let bytes = aligned(pushed) + record;
    let is_plain = frame.pushes_saved
        && pushed > 0
        && frame.frame_bytes.cast_signed() == aligned(pushed) - pushed
        && frame.saved_places().next().is_none()
        && frame.realigned_to == 0
        && !frame.has_dynamic_stack
        && frame.guard.is_none()
        && (frame.probes.bytes == 0 || bytes.cast_unsigned() < frame.probes.bytes);
    (is_plain && bytes <= MAX_MOVED_BYTES).then_some(bytes)
}

/// What is stored in a [`register_frame`] of so many bytes, the highest first: one or two registers and their distance
/// from the stack pointer, which is 0 for the last ones.
fn register_places(frame: &FrameInfo, bytes: i32) -> impl Iterator<Item = (Reg, Option<Reg>, i32)> + use<> {
    let top = bytes + first_place(frame);
    pairs(frame).map(move |(first, second, below)| match second {
        Some(_) => (first, second, top + below),
        // What is left over is below.
        None => (first, second, 0),
    })
}

/// Stores the registers of such a frame, those first whose store moves the stack pointer.
fn store_register_frame<S: FrameSink>(frame: &FrameInfo, bytes: i32, out: &mut S) {
    let record = bytes - RECORD_BYTES;
    if let Some((first, second, _)) = register_places(frame, bytes).last() {
        out.emit(match second {
            Some(second) => rrr(Op::StpPre, 8, second, SP, first).with_imm(-bytes),
            None => rr(Op::StrPre, 8, first, SP).with_imm(-bytes),
        });
        out.unwind(UnwindOp::DefineCfaOffset(bytes));
    }
    for (first, second, place) in register_places(frame, bytes) {
        match second {
            Some(second) => {
                if place > 0 {
                    out.emit(pair(Op::Stp, second, first, Mem::base(SP, place)));
                }
                out.unwind(UnwindOp::SavedAt(dwarf(second), place - bytes));
                out.unwind(UnwindOp::SavedAt(dwarf(first), place + SAVED_BYTES - bytes));
            }
            None => out.unwind(UnwindOp::SavedAt(dwarf(first), -bytes)),
        }
    }
    if frame.frame_pointer {
        out.emit(pair(Op::Stp, FP, LR, Mem::base(SP, record)));
        out.unwind(UnwindOp::SavedAt(dwarf(FP), -RECORD_BYTES));
        out.unwind(UnwindOp::SavedAt(dwarf(LR), SAVED_BYTES - RECORD_BYTES));
        out.emit(rri(Op::AddI, 8, FP, SP, record));
        out.unwind(UnwindOp::DefineCfa(dwarf(FP), RECORD_BYTES));
    }
}

/// Undoes [`store_register_frame`].
fn load_register_frame<S: FrameSink>(frame: &FrameInfo, bytes: i32, out: &mut S) {
    if frame.frame_pointer {
        out.emit(pair(Op::Ldp, FP, LR, Mem::base(SP, bytes - RECORD_BYTES)));
        out.unwind(UnwindOp::DefineCfa(dwarf(SP), bytes));
    }
    let mut lowest = None;
    for (first, second, place) in register_places(frame, bytes) {
        match second {
            Some(second) if place > 0 => out.emit(pair(Op::Ldp, second, first, Mem::base(SP, place))),
            _ => lowest = Some((first, second)),
        }
    }
    if let Some((first, second)) = lowest {
        out.emit(match second {
            Some(second) => rrr(Op::LdpPost, 8, second, SP, first).with_imm(bytes),
            None => rr(Op::LdrPost, 8, first, SP).with_imm(bytes),
        });
    }
    out.unwind(UnwindOp::DefineCfaOffset(0));
}

/// The distance from the canonical frame address to the place of the first pushed register.
fn first_place(frame: &FrameInfo) -> i32 {
    -SAVED_BYTES - if frame.frame_pointer { RECORD_BYTES } else { 0 }
}

fn pushed_bytes(frame: &FrameInfo) -> i32 {
    frame.pushed().iter().count() as i32 * SAVED_BYTES
}

/// Makes room for the pushed registers and the function's areas, and stores the registers.
fn store_pushed<S: FrameSink>(frame: &FrameInfo, out: &mut S) {
    let pushed = pushed_bytes(frame);
    let all = pushed + frame.frame_bytes.cast_signed();
    let is_aligned_later = frame.realigned_to > 0;
    let probes = frame.probes.bytes > 0 && all.cast_unsigned() >= frame.probes.bytes;
    // The stack pointer moves in one step if all places are in reach after it.
    let near = if is_aligned_later || probes || all > MAX_PAIR_OFFSET {
        aligned(pushed)
    } else {
        all
    };
    if near > 0 {
        out.emit(adjust_stack(-near));
        if !frame.frame_pointer {
            out.unwind(UnwindOp::DefineCfaOffset(near));
        }
    }
    // The distance from the stack pointer to the place of the first pushed register.
    let top = near - SAVED_BYTES;
    for (first, second, below) in pairs(frame) {
        let (place, cfa_place) = (top + below, first_place(frame) + below);
        match second {
            Some(second) => {
                out.emit(pair(Op::Stp, second, first, Mem::base(SP, place)));
                out.unwind(UnwindOp::SavedAt(dwarf(second), cfa_place));
                out.unwind(UnwindOp::SavedAt(dwarf(first), cfa_place + SAVED_BYTES));
            }
            None => {
                out.emit(rm(Op::Str, 8, first, Mem::base(SP, place)));
                out.unwind(UnwindOp::SavedAt(dwarf(first), cfa_place));
            }
        }
    }
    if is_aligned_later {
        align_frame(frame, pushed, out);
        return;
    }
    if all > near {
        reserve(frame, all - near, (!frame.frame_pointer).then_some(near), out);
        if !frame.frame_pointer {
            out.unwind(UnwindOp::DefineCfaOffset(all));
        }
    }
    store_saved(frame, out);
}

/// Aligns the stack pointer below the saved registers, and makes room.
#[cold]
fn align_frame<S: FrameSink>(frame: &FrameInfo, pushed: i32, out: &mut S) {
    // Vector registers are stored right below the pushed ones.
    let lowest = frame.saved_places().map(|(_, offset)| offset).min();
    if let Some(lowest) = lowest {
        out.emit(adjust_stack(aligned(pushed) + (lowest & -16)));
        store_saved(frame, out);
    }
    let mask = -i64::from(frame.realigned_to);
    out.emit(rri(Op::AddI, 8, SCRATCH, SP, 0));
    out.emit(logical(Op::AndI, 8, SP, SCRATCH, mask.cast_unsigned()));
    if frame.probes.bytes > 0 {
        // What was passed over is less than a page.
        out.emit(touch());
    }
    reserve(frame, frame.frame_bytes.cast_signed(), None, out);
    if !frame.area_register.is_none() {
        out.emit(rri(Op::AddI, 8, frame.area_register, SP, 0));
    }
}

/// Reads where the stack pointer points.
pub fn touch() -> MInst {
    rm(Op::Ldr, 8, XZR, Mem::base(SP, 0))
}

/// Moves the stack pointer down, touching each page if probes are asked for. Without frame pointer, `cfa_offset` is the
/// distance of the canonical frame address from the stack pointer at the beginning.
fn reserve<S: FrameSink>(frame: &FrameInfo, bytes: i32, cfa_offset: Option<i32>, out: &mut S) {
    let page = frame.probes.bytes.cast_signed();
    if bytes == 0 {
        return;
    }
    if page == 0 || bytes < page {
        out.emit(adjust_stack(-bytes));
        return;
    }
    let whole_pages = bytes - bytes % page;
    let label = out.label();
    out.emit(mov_imm(8, SCRATCH, i64::from(whole_pages)));
    out.emit(rri(Op::AddI, 8, TEMP, SP, 0));
    out.emit(rrr(Op::Sub, 8, SCRATCH, TEMP, SCRATCH));
    // While the stack pointer moves, the frame is described from where it will be.
    if let Some(offset) = cfa_offset {
        out.unwind(UnwindOp::DefineCfa(dwarf(SCRATCH), offset + whole_pages));
    }
    out.bind(label);
    out.emit(adjust_stack(-page));
    out.emit(touch());
    out.emit(rri(Op::AddI, 8, TEMP, SP, 0));
    out.emit(rr(Op::Cmp, 8, TEMP, SCRATCH));
    out.emit(branch_if(Cond::Ne, label));
    if let Some(offset) = cfa_offset {
        out.unwind(UnwindOp::DefineCfa(dwarf(SP), offset + whole_pages));
    }
    if bytes > whole_pages {
        out.emit(adjust_stack(whole_pages - bytes));
    }
}

/// Undoes [`prologue`].
pub fn epilogue<S: FrameSink>(frame: &FrameInfo, out: &mut S) {
    if let Some(guard) = &frame.guard {
        compare_guard(guard, out);
    }
    if !frame.needs_frame {
        return;
    }
    if let Some(bytes) = register_frame(frame) {
        load_register_frame(frame, bytes, out);
        check_return(frame, out);
        return;
    }
    if frame.pushes_saved {
        load_pushed(frame, out);
    } else {
        load_saved(frame, out);
    }
    if frame.frame_pointer {
        take_down_frame_pointer(frame, out);
    }
    check_return(frame, out);
}

fn take_down_frame_pointer<S: FrameSink>(frame: &FrameInfo, out: &mut S) {
    if !frame.pushes_saved && (frame.frame_bytes > 0 || frame.has_dynamic_stack) {
        out.emit(rri(Op::AddI, 8, SP, FP, 0));
    }
    out.emit(rrr(Op::LdpPost, 8, FP, SP, LR).with_imm(RECORD_BYTES));
    out.unwind(UnwindOp::DefineCfa(dwarf(SP), 0));
}

/// Undoes [`store_pushed`].
fn load_pushed<S: FrameSink>(frame: &FrameInfo, out: &mut S) {
    let pushed = pushed_bytes(frame);
    let all = pushed + frame.frame_bytes.cast_signed();
    let moves = frame.has_dynamic_stack || frame.realigned_to > 0;
    load_saved(frame, out);
    let near = if all > MAX_PAIR_OFFSET || moves {
        aligned(pushed)
    } else {
        all
    };
    if moves {
        out.emit(address(SP, Mem::base(FP, -near)));
    } else if all > near {
        out.emit(adjust_stack(all - near));
        if !frame.frame_pointer {
            out.unwind(UnwindOp::DefineCfaOffset(near));
        }
    }
    let top = near - SAVED_BYTES;
    for (first, second, below) in pairs(frame) {
        let place = Mem::base(SP, top + below);
        out.emit(match second {
            Some(second) => pair(Op::Ldp, second, first, place),
            None => rm(Op::Ldr, 8, first, place),
        });
    }
    if near > 0 {
        out.emit(adjust_stack(near));
        if !frame.frame_pointer {
            out.unwind(UnwindOp::DefineCfaOffset(0));
        }
    }
}

/// Brings the value that guards frames into the scratch register: C libraries of Linux have it in a variable.
fn load_guard<S: FrameSink>(guard: &Guard, out: &mut S) {
    out.emit(reference(
        Op::LoadGot,
        SCRATCH,
        Ref::symbol(RefKind::Got, guard.variable),
        0,
    ));
    out.emit(rm(Op::Ldr, 8, SCRATCH, Mem::base(SCRATCH, 0)));
}

/// Neither results nor saved registers are touched.
#[cold]
fn compare_guard<S: FrameSink>(guard: &Guard, out: &mut S) {
    let is_unchanged = out.label();
    load_guard(guard, out);
    out.emit(rm(Op::Ldr, 8, TEMP, guard.mem));
    out.emit(rr(Op::Cmp, 8, TEMP, SCRATCH));
    out.emit(branch_if(Cond::Eq, is_unchanged));
    out.emit(branch_ref(Op::Bl, Ref::symbol(RefKind::Plt, guard.fail)));
    out.bind(is_unchanged);
}

/// All registers but the stack pointer, the frame pointer, the link register and the platform's.
pub const CLEARABLE: PRegSet = PRegSet::from_banks(0x1ffb_ffff, 0xffff_ffff);

/// Sets registers to zero.
#[cold]
pub fn clear<S: FrameSink>(clearing: &Clearing, out: &mut S) {
    for reg in clearing.registers.iter() {
        out.emit(if RegClass::of(reg) == RegClass::Int {
            mov_imm(8, reg, 0)
        } else {
            r(Op::MoviZero, 16, reg)
        });
    }
}
