//! The layout of a function's frame.
//!
//! Areas of the frame have been allocated at negative offsets from a frame pointer ([`crate::frame`]), before it was
//! known whether there is one and which registers are saved. Here these offsets become addresses ([`FrameMap`]), in
//! one of three layouts. A target that stores its saved registers ([`crate::desc::TargetDesc::pushes_saved_registers`]
//! is false) keeps the offsets as they are. For a target that pushes them, pictured for x86-64:
//!
//! ```text
//!    with frame pointer               without frame pointer            with realigned stack
//!  |  incoming arguments |          |  incoming arguments |          |  incoming arguments |
//!  +---------------------+ CFA      +---------------------+ CFA      +---------------------+ CFA
//!  |  return address     |          |  return address     |          |  return address     |
//!  +---------------------+          +---------------------+          +---------------------+
//!  |  caller's rbp       |          |  pushed registers   | <- F     |  caller's rbp       |
//!  +---------------------+ <- rbp   |                     |          +---------------------+ <- rbp
//!  |  pushed registers   |    = F   |                     |          |  pushed registers   |
//!  +---------------------+          +---------------------+          |  stored float regs  |
//!  |  padding to align   |          |  padding to align   |          |  gap: and rsp, -N   |
//!  +---------------------+ <- A     +---------------------+ <- A     +---------------------+ <- A
//!  |  areas of the       |          |  areas of the       |          |  areas of the       |
//!  |  function, stored   |          |  function, stored   |          |  function           |
//!  |  float registers    |          |  float registers    |          |                     |
//!  |  outgoing arguments |          |  outgoing arguments |          |  outgoing arguments |
//!  +---------------------+ <- rsp   +---------------------+ <- rsp   +---------------------+ <- rsp
//! ```
//!
//! An area at offset `-n` is `n` bytes below A: at `rbp - (F - A) - n` with a frame pointer, and at a positive
//! distance from `rsp` without one or if the stack is realigned. In the latter case, `rsp` is replaced by
//! [`FrameInfo::area_register`] if the function moves the stack pointer. F is where a frame pointer points or would
//! point. Without one, the first pushed register takes the place of the caller's `rbp`. Where calls leave the return
//! address in a register ([`crate::desc::TargetDesc::link_register`]), its place is above the caller's frame pointer,
//! and without frame pointer it is pushed, after the others. Incoming arguments are addressed relative to `rbp`, or to
//! `rsp` if there is no frame pointer. A leaf function whose frame fits the red zone does not move `rsp` at all.

use crate::context::frame_code::stack_probes;
use crate::desc::{ConvDesc, TargetDesc};
use crate::error::CodegenError;
use crate::frame_info::{Clearing, FrameInfo, Guard, ReturnProtection};
use crate::isa::Isa;
use crate::mfunc::MFunc;
use crate::minst::{MInst, Mem};
use crate::reg::{PRegSet, Reg, RegClass};
use crate::unit::Unit;
use frazil_ir::module::ReturnSigning;

/// What the emitter needs to know besides the function.
#[derive(Clone, Copy, Debug)]
pub(crate) struct EmitOptions {
    /// The function's calling convention.
    pub conv: &'static ConvDesc,
    /// The alignment of the stack pointer at calls, in bytes.
    pub stack_align: u32,
    /// The registers that the function writes and must preserve.
    pub saved: PRegSet,
    /// What is set to zero before a return.
    pub clearing: Clearing,
    /// What is set to zero before a tail call, except for what the callee reads.
    pub clearing_for_tails: Clearing,
    /// Whether the function has a frame pointer.
    pub frame_pointer: bool,
    /// Whether the size of the code counts, so that returns may share one epilogue.
    pub for_size: bool,
}

/// How offsets from the frame pointer become addresses.
#[derive(Clone, Copy, Debug)]
pub(super) struct FrameMap {
    /// The register from which the function's own areas are addressed.
    pub base: Reg,
    /// The register from which incoming arguments are addressed.
    pub incoming_base: Reg,
    /// Added to offsets of the function's own areas.
    pub areas: i32,
    /// Added to offsets of incoming arguments.
    pub incoming: i32,
}

/// Decides on the size of the frame and the places of its areas.
pub(super) fn lay_out_frame<I: Isa>(
    isa: &I,
    func: &mut MFunc,
    unit: &Unit<'_>,
    options: EmitOptions,
) -> Result<(FrameInfo, FrameMap), CodegenError> {
    let Unit { head, view, .. } = *unit;
    let desc = isa.desc();
    let needs = &mut func.frame;
    let mut saved = if head.naked { PRegSet::EMPTY } else { options.saved };
    if options.frame_pointer {
        saved.remove(desc.frame_pointer);
    }
    let pushes = desc.pushes_saved_registers;
    if let Some(reg) = needs.area_register {
        saved.insert(reg);
    }
    if pushes && let Some(link) = desc.link_register.filter(|_| !head.naked) {
        match options.frame_pointer {
            true => saved.remove(link),
            false if needs.has_calls => saved.insert(link),
            false => {}
        }
    }
    let stored = PRegSet::from_banks(if pushes { 0 } else { u64::MAX }, u64::MAX);
    let (saved_offset, saved_step) = match needs.realigned_to {
        0 => needs.areas.allocate_saved(saved.intersection(stored), desc),
        _ => (0, i32::from(desc.classes[1].bytes)),
    };
    if needs.outgoing_bytes > 0 {
        needs.areas.allocate(u64::from(needs.outgoing_bytes), 1);
    }
    if needs.areas.is_too_large() {
        return Err(CodegenError::TooLarge {
            what: "the stack frame (at most 1 GiB)".to_owned(),
        });
    }
    let areas = needs.areas.used_bytes();
    let mut frame = FrameInfo {
        needs_frame: needs.has_calls || needs.has_dynamic_stack || needs.areas.needed || !saved.is_empty(),
        frame_pointer: options.frame_pointer,
        pushes_saved: pushes,
        frame_bytes: areas.next_multiple_of(options.stack_align),
        saved,
        saved_base: desc.frame_pointer,
        saved_base_to_cfa: desc.incoming_args_offset,
        saved_offset,
        saved_step,
        realigned_to: needs.realigned_to,
        area_register: needs.area_register.unwrap_or(Reg::NONE),
        keeps_scratch: false,
        leaves_wide: crate::vectors::leaves_wide(isa, unit.function),
        has_calls: needs.has_calls,
        has_dynamic_stack: needs.has_dynamic_stack,
        // An inline assembly text may push something, which would overwrite the red zone.
        red_zone: !head.no_red_zone && func.asm_sites.is_empty(),
        clearing: options.clearing,
        probes: stack_probes(head, view)?,
        guard: None,
        protection: ReturnProtection::of(head),
    };
    frame.needs_frame |= options.frame_pointer && pushes || frame.protection.signing == ReturnSigning::All;
    // Without pushes, the frame pointer is only set up with the frame, and incoming arguments are addressed from it.
    frame.needs_frame |= options.frame_pointer && !pushes && func.insts.iter().any(MInst::names_frame);
    if head.naked {
        (frame.needs_frame, frame.frame_pointer, frame.guard) = (false, false, None);
    }
    let mut map = FrameMap {
        base: desc.frame_pointer,
        incoming_base: desc.frame_pointer,
        areas: 0,
        incoming: 0,
    };
    if needs.realigned_to > 0 {
        place_aligned(
            &mut frame,
            &mut map,
            areas,
            needs.area_register.unwrap_or(desc.stack_pointer),
            desc,
        );
    } else if pushes {
        place_below_pushes(&mut frame, &mut map, areas, options, desc);
    } else if !options.frame_pointer {
        count_from_stack_pointer(&frame, &mut map, desc);
    }
    if needs.realigned_to == 0 {
        frame.saved_base = map.base;
        frame.saved_offset += map.areas;
        frame.saved_base_to_cfa += map.incoming;
    }
    let guard = needs.areas.guard.map(|offset| Mem::base(map.base, map.areas + offset));
    frame.guard = guard.map(|mem| Guard::new(mem, view));
    Ok((frame, map))
}

/// The distance in bytes from the place that a frame pointer points to, or would point to, to the stack pointer at
/// function entry.
fn frame_pointer_bytes(desc: &TargetDesc) -> i32 {
    desc.incoming_args_offset - i32::from(desc.return_address_bytes)
}

/// The size in bytes of the pushed registers.
fn pushed_bytes(frame: &FrameInfo, desc: &TargetDesc) -> i32 {
    frame.pushed().iter().count() as i32 * i32::from(desc.class(RegClass::Int).bytes)
}

/// The layout without frame pointer for a target that stores its saved registers: the same as with one, but addressed
/// from the stack pointer, which does not move if there is no frame.
fn count_from_stack_pointer(frame: &FrameInfo, map: &mut FrameMap, desc: &TargetDesc) {
    map.base = desc.stack_pointer;
    map.incoming_base = desc.stack_pointer;
    map.areas = match frame.needs_frame {
        true => frame.frame_bytes.cast_signed(),
        false => -frame_pointer_bytes(desc),
    };
    map.incoming = map.areas;
}

/// The layout with realigned stack: saved registers are below the frame pointer, which is aligned no better than the
/// stack pointer at function entry; the areas begin at the aligned place below.
#[cold]
fn place_aligned(frame: &mut FrameInfo, map: &mut FrameMap, areas: u32, base: Reg, desc: &TargetDesc) {
    let pushed = pushed_bytes(frame, desc);
    frame.needs_frame = true;
    frame.frame_bytes = areas.next_multiple_of(frame.realigned_to);
    frame.saved_offset = -pushed - frame.saved_step;
    map.base = base;
    map.areas = frame.frame_bytes.cast_signed();
}

/// The layouts with and without frame pointer for a target that pushes its saved registers, as pictured in the head
/// comment.
fn place_below_pushes(frame: &mut FrameInfo, map: &mut FrameMap, areas: u32, options: EmitOptions, desc: &TargetDesc) {
    let pushed = pushed_bytes(frame, desc);
    let pointer_bytes = frame_pointer_bytes(desc);
    let (outer, align) = (options.stack_align, options.stack_align.min(options.conv.stack_align));
    let (outer, align) = (outer.cast_signed(), align.cast_signed());
    // The distance from F to A in the picture, first without padding.
    let above = if frame.frame_pointer {
        pushed
    } else {
        pushed - pointer_bytes
    };
    // The return address and the frame pointer's place count for the alignment, too.
    let entry = desc.incoming_args_offset;
    let above_all = (above.max(0) + entry + align - 1) / align * align;
    let above = above_all - entry;
    let below = (above_all + areas.cast_signed() + outer - 1) / outer * outer - above_all;
    let total = above + below + if frame.frame_pointer { 0 } else { pointer_bytes } - pushed;
    let is_leaf = !frame.has_calls && !frame.has_dynamic_stack;
    let fits_red_zone = is_leaf && frame.red_zone && total.cast_unsigned() <= desc.red_zone_bytes;
    let moved = if fits_red_zone || (is_leaf && areas == 0) {
        match desc.keeps_stack_aligned {
            true => (pushed + align - 1) / align * align - pushed,
            false => 0,
        }
    } else {
        total
    };
    frame.frame_bytes = moved.cast_unsigned();
    // Where accesses reach farther up than down, the stack pointer is the better base as long as it does not move.
    let reaches_up = desc.addressing.free_disps.is_some_and(|free| free.max_multiple > 0);
    if frame.frame_pointer && (frame.has_dynamic_stack || !reaches_up) {
        map.areas = -above;
    } else {
        map.base = desc.stack_pointer;
        map.incoming_base = desc.stack_pointer;
        map.incoming = moved + pushed - if frame.frame_pointer { 0 } else { pointer_bytes };
        map.areas = map.incoming - above;
    }
}
