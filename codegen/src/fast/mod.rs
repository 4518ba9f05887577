//! The fast context: lowering, register allocation and encoding in one forward walk (recipe `Om1`).
//!
//! Method (after Engelke and Schwarz's TPDE):
//!
//! * Within a block, values are in registers. A register becomes free after the last use of its value, which the
//!   remaining use count tells ([`state::Assign`]).
//! * Across blocks, values are in frame slots. Before a terminator, every live-out value that is not in its slot yet
//!   is stored. If the next block in layout has this block as its only predecessor, registers keep their contents into
//!   it; otherwise the block starts with an empty register file. So there is no register state for each block, and
//!   edges need no repair code.
//! * The exceptions are values with a [home register](crate::analyze::homes), which are never in a slot.
//! * Phis are in slots or home registers. The moves into them are the only code on edges (`edges.rs`).
//! * The target's scratch registers are never allocated; they serve moves from memory to memory.
//!
//! ```text
//! b1:  v1 = ...        rax         b1 ends with a branch: v1 is live-out, so it is stored to its slot
//!      branch b2, b3
//! b2:  use v1          rax         b2 comes next, and b1 is its only predecessor: v1 is still in rax, too
//! b3:  use v1          [slot]      not next in layout: reloaded when it is first used
//! ```
//!
//! Invariants:
//! * A live part of a value is in its register, or in its slot, or in both. A slot is written once: an SSA value does
//!   not change.
//! * A part that is not in its slot has been in a register since its definition, along a chain of blocks that jump to
//!   one another and have no other predecessors.
//! * Outside of call sequences and but for dynamic allocas, the stack pointer is where the prologue put it. Slots are
//!   addressed relative to the frame pointer ([`crate::frame`] has a picture).
//!
//! The prologue is encoded last and into a buffer of its own, because it depends on the size of the frame and on the
//! callee-saved registers that were written.

mod address;
mod blocks;
mod callee;
mod calls;
mod ctx;
mod debug;
mod edges;
mod exceptions;
mod layouts;
mod reaching;
pub(crate) mod record;
mod regs;
mod state;
mod switch;
mod tail;
mod variables;

pub use state::FastState;

use record::{NoRecord, Record};

use crate::context::Base;
use crate::context::clearing::{clearing, results};
use crate::context::frame_code::{BodySink, finish_body, finish_prologue};
use crate::context::refusals::realigns;
use crate::debug::Place;
use crate::error::CodegenError;
use crate::exceptions::Landing;
use crate::floats::with_legal_types;
use crate::frame::CycleSlots;
use crate::frame_info::Clearing;
use crate::frame_info::{FrameInfo, FrameSink, Guard, ReturnProtection};
use crate::halt::Halt;
use crate::included;
use crate::isa::Isa;
use crate::minst::Mem;
use crate::optimize::MachRecipe;
use crate::pass::NoMachPasses;
use crate::reference::Label;
use crate::reg::{PRegSet, Reg};
use crate::result::CompiledFunction;
use crate::unit::{Unit, with_library_calls, without_large_rules};
use crate::unwind::UnwindOp;
use crate::vectors::expanded;
use frazil_ir::debug::{DebugValue, LocationId};
use frazil_ir::module::{FramePointer, FunctionHead, ReturnSigning};
use frazil_ir::{AsmData, Block, Refusal};

/// The context of one function: implements what lowering rules ask for.
pub(crate) struct FastCtx<'a, I: Isa, R: Record> {
    base: Base<'a, I>,
    head: &'a FunctionHead,
    st: &'a mut FastState,
    rec: &'a mut R,
    unwind: &'a mut Vec<(u32, UnwindOp)>,
    first_block_label: Label,
    epilogue: Label,
    /// The frame slot with the pointer to the memory for results, if the caller passes one.
    result_pointer: Option<i32>,
    has_calls: bool,
    has_dynamic_stack: bool,
    /// Whether a tail call has just been made, so that the return after it emits nothing.
    is_left: bool,
    /// The location of all returns so far; none if they have several.
    returned_from: Option<LocationId>,
    /// The places of variables that are known so far.
    places: &'a mut Vec<Place>,
    /// Labels of the source, found or not.
    labels: &'a mut Vec<(DebugValue, u32)>,
    /// The frame slot for the address of a callee, if one is needed ([`callee`]).
    callee_slot: Option<i32>,
    /// The frame slots that break cycles of moves.
    cycle_slots: CycleSlots,
    /// Whether a rule has asked for more registers than there are: then all of this is thrown away.
    lacks_registers: bool,
    /// Whether a group is open: then no register may be allocated, spilled or reloaded (contract 7).
    in_group: bool,
    /// The landing pad of the call that is being made, if it belongs to an invoke.
    landing: Option<Landing>,
    /// Of the call that is being made: by how many bytes it has moved the stack pointer for its arguments, and the
    /// frame slot in which the old stack pointer is saved, if it is.
    moved_stack: (u32, Option<i32>),
    /// Of the call that is being made: the registers that it keeps, and the frame offset at which the other home
    /// registers are saved.
    saved_homes: (PRegSet, i32),
}

/// Compiles a function; see [`crate::target::Target::compile_fast`].
pub(crate) fn compile<I: Isa>(
    isa: &I,
    unit: &Unit<'_>,
    state: &mut FastState,
    out: &mut CompiledFunction,
) -> Result<(), CodegenError> {
    with_library_calls(isa, unit, |unit| {
        with_legal_types(isa, unit, |unit| compile_legal(isa, unit, state, out))
    })
}

/// The same for a function without vectors that fit no register.
fn compile_legal<I: Isa>(
    isa: &I,
    unit: &Unit<'_>,
    state: &mut FastState,
    out: &mut CompiledFunction,
) -> Result<(), CodegenError> {
    if !included::VECTORS && unit.function.has_vectors() {
        return Err(included::without_vectors(Refusal::Vector));
    }
    let has_text = !unit.function.asms().is_empty() && unit.function.asms().iter().any(has_code);
    if has_text || unit.head.naked || realigns(unit.head) {
        return compile_by_selection(isa, unit, state, out);
    }
    let mut compile = |unit: &Unit<'_>| without_large_rules(isa, unit, |unit| compile_checked(isa, unit, state, out));
    let outcome = match compile(unit) {
        Err(Halt::Expand) if included::VECTORS => expanded(isa, unit, compile),
        outcome => outcome,
    };
    match outcome {
        Ok(()) => Ok(()),
        Err(Halt::Failed(error)) => Err(error),
        Err(Halt::Select) => compile_by_selection(isa, unit, state, out),
        Err(Halt::Expand) => Err(included::without_vectors(Refusal::Vector)),
    }
}

/// Compiles a function and, in debug builds or if asked to, checks the result.
fn compile_checked<I: Isa>(
    isa: &I,
    unit: &Unit<'_>,
    state: &mut FastState,
    out: &mut CompiledFunction,
) -> Result<(), Halt> {
    if !included::OPTIMIZING_PATH || !state.is_checked.unwrap_or(cfg!(debug_assertions)) {
        return compile_recorded(isa, unit, state, &mut NoRecord, out);
    }
    let mut trace = std::mem::take(&mut state.trace);
    let was_logging = out.body.keep_log(true);
    let compiled = compile_recorded(isa, unit, state, &mut *trace, out);
    out.body.keep_log(was_logging);
    let result = compiled.and_then(|()| Ok(trace.check()?));
    state.trace = trace;
    result
}

/// Whether an inline assembly emits code or has outputs, so that it is more than a barrier. One with labels has an
/// output of which its constraints do not tell: the label that it leaves by.
fn has_code(asm: &AsmData) -> bool {
    !asm.template.is_empty() || asm.constraints.iter().any(|byte| matches!(byte, b'=' | b'!'))
}

/// Compiles a function by the selecting context instead: one with inline assembly, for whose operands only the
/// allocator finds registers (contract 13), a naked one, or one that realigns its frame, which only the emitter of
/// machine functions can do.
#[cold]
#[inline(never)]
fn compile_by_selection<I: Isa>(
    isa: &I,
    unit: &Unit<'_>,
    state: &mut FastState,
    out: &mut CompiledFunction,
) -> Result<(), CodegenError> {
    if !included::OPTIMIZING_PATH {
        return Err(needs_selection(unit));
    }
    let optimize = state.optimize.get_or_insert_default();
    if let Some(is_checked) = state.is_checked {
        optimize.set_checked(is_checked);
    }
    crate::optimize::compile(isa, unit, &MachRecipe::default(), &mut NoMachPasses, optimize, out)
}

/// The refusal of a function that only the selecting context compiles, in a build without it.
fn needs_selection(unit: &Unit<'_>) -> CodegenError {
    match () {
        () if unit.function.asms().iter().any(has_code) => {
            included::without_selection(Refusal::InlineAssembly, "inline assembly")
        }
        () if unit.head.naked => included::without_selection(Refusal::FunctionAttribute, "naked functions"),
        () => included::without_selection(
            Refusal::Stack,
            "a frame that is aligned more strictly than the stack, or an intrinsic that stands for assembly",
        ),
    }
}

/// Compiles a function and reports each step to the recorder.
fn compile_recorded<I: Isa, R: Record>(
    isa: &I,
    unit: &Unit<'_>,
    state: &mut FastState,
    rec: &mut R,
    out: &mut CompiledFunction,
) -> Result<(), Halt> {
    out.clear();
    out.align_log2 = isa.desc().function_align_log2;
    let CompiledFunction {
        prologue,
        body,
        unwind,
        frame_bytes,
        mark_bytes,
        debug,
        ..
    } = out;
    let function = unit.function;
    if function.debug.is_on() {
        body.keep_marks();
    }
    body.use_islands(isa.islands());
    let base = Base::new(isa, unit, body)?;
    state.begin(isa, function, unit.view.features);
    let first_block_label = base.buf.new_labels(function.blocks().len());
    let epilogue = base.buf.new_label();
    let mut cx = FastCtx {
        base,
        head: unit.head,
        st: state,
        rec,
        unwind,
        first_block_label,
        epilogue,
        result_pointer: None,
        has_calls: false,
        has_dynamic_stack: false,
        is_left: false,
        returned_from: None,
        places: &mut debug.places,
        labels: &mut debug.labels,
        callee_slot: None,
        cycle_slots: CycleSlots::default(),
        lacks_registers: false,
        in_group: false,
        landing: None,
        moved_stack: (0, None),
        saved_homes: (PRegSet::EMPTY, 0),
    };
    cx.rec.begin(isa, function, &cx.st.parts);
    cx.place_slots()?;
    cx.enter()?;
    if function.debug.is_on() {
        cx.follow_variables();
    }
    cx.lower_blocks()?;
    if let Some(error) = cx.base.error.take() {
        return Err(error.into());
    }
    if function.debug.is_on() {
        cx.close_values();
    }
    let frame = cx.finish()?;
    if function.debug.is_on() {
        cx.place_variables();
    }
    body.bind_missing_addresses();
    finish_body(isa, body, unwind)?;
    debug.follow_moves(body);
    *frame_bytes = frame.frame_bytes;
    *mark_bytes = finish_prologue(isa, unit, Some(&frame), prologue, unwind);
    Ok(())
}

impl<I: Isa, R: Record> FastCtx<'_, I, R> {
    fn block_label(&self, block: Block) -> Label {
        Label(self.first_block_label.0 + block.as_u32())
    }

    fn finish(&mut self) -> Result<FrameInfo, Halt> {
        if I::SAVES_SCRATCH && (self.st.frame.guard.is_some() || self.base.probes.bytes > 0) {
            let scratch = self.base.isa.desc().classes[0].scratch;
            self.st.regs.written.insert(scratch);
        }
        let saved = self.st.regs.written.intersection(self.base.preserved);
        let (saved_offset, saved_step) = self.st.frame.allocate_saved(saved, self.base.isa.desc());
        if self.st.frame.is_too_large() {
            return Err(CodegenError::TooLarge {
                what: "the stack frame (at most 1 GiB)".to_owned(),
            }
            .into());
        }
        let frame = &self.st.frame;
        if self.base.stack_align < self.base.conv.stack_align && frame.align > u64::from(self.base.stack_align) {
            return Err(Halt::Select);
        }
        let args_offset = self.base.isa.desc().incoming_args_offset.cast_unsigned();
        let keep = match self.base.view.frame_pointer(self.head) {
            FramePointer::All => true,
            FramePointer::NonLeaf => self.has_calls,
            FramePointer::None => false,
        };
        let protection = ReturnProtection::of(self.head);
        let frame = FrameInfo {
            needs_frame: keep
                || self.has_calls
                || self.has_dynamic_stack
                || self.st.frame.needed
                || protection.signing == ReturnSigning::All,
            frame_pointer: true,
            pushes_saved: false,
            // What is above the frame pointer, and the slot it points to, counts for the alignment, too.
            frame_bytes: (self.st.frame.used_bytes() + args_offset).next_multiple_of(self.base.stack_align)
                - args_offset,
            saved,
            saved_base: self.base.isa.desc().frame_pointer,
            saved_base_to_cfa: self.base.isa.desc().incoming_args_offset,
            saved_offset,
            saved_step,
            realigned_to: 0,
            area_register: Reg::NONE,
            keeps_scratch: false,
            leaves_wide: crate::vectors::leaves_wide(self.base.isa, self.base.function),
            has_calls: self.has_calls,
            has_dynamic_stack: self.has_dynamic_stack,
            red_zone: !self.head.no_red_zone,
            clearing: self.clearing()?,
            probes: self.base.probes,
            protection,
            guard: self.st.frame.guard.map(|offset| {
                let mem = Mem::base(self.base.isa.desc().frame_pointer, offset);
                Guard::new(mem, self.base.view)
            }),
        };
        self.put_tail_calls(&frame);
        self.base.buf.bind(self.epilogue);
        (self.base.buf).mark_epilogue(self.returned_from.unwrap_or_default());
        let isa = self.base.isa;
        let mut sink = BodySink {
            isa,
            buf: self.base.buf,
            unwind: self.unwind,
        };
        isa.epilogue(&frame, &mut sink);
        if included::RARE && !frame.clearing.is_empty() {
            let (function, layout) = (self.base.function, &self.st.own_layout);
            let kept = results(function, layout, self.base.conv);
            let clearing = frame
                .clearing
                .without(kept, layout.stack_results.as_slice().len() as u32);
            isa.clear(&clearing, &mut sink);
        }
        sink.emit(isa.leave(self.base.incoming.popped_bytes));
        Ok(frame)
    }

    /// What must be set to zero before the function returns.
    fn clearing(&self) -> Result<Clearing, CodegenError> {
        if self.head.cleared_registers.is_empty() {
            return Ok(Clearing::default());
        }
        if !included::RARE {
            let what = "registers that are cleared at returns";
            return Err(included::left_out(Refusal::FunctionAttribute, what, "rare"));
        }
        let (base, st) = (&self.base, &*self.st);
        let unit = Unit {
            function: base.function,
            head: self.head,
            view: base.view,
        };
        clearing(base.isa, &unit, &st.own_layout, base.preserved, st.regs.written)
    }
}

/// The physical register with this number in an [`state::Assign`], unless that is [`state::NO_REG`].
#[inline]
fn reg_of(number: u8) -> Option<Reg> {
    (number != state::NO_REG).then_some(Reg(u32::from(number)))
}
