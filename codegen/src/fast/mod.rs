//! The fast path: one walk that lowers, allocates registers and encodes (recipe `Om1`).
//!
//! Method, after Engelke and Schwarz's TPDE: values live in registers within a block and in frame slots across
//! blocks. A register is freed when the last use of its value is done; use counts say when. Before a terminator,
//! values that live on are stored; if the next block has no other predecessor, registers keep their contents into it,
//! else they are forgotten. There are no register maps for blocks and no moves on edges but those of phis, which live
//! in slots, unless they have a home register (see [`crate::analyze::homes`]). The scratch registers of the target are never allocated; they serve moves between memory.
//!
//! Invariants:
//! * a live part of a value is in its register, or stored, or both;
//! * a part that is not stored has been in a register on every path from its definition (which then is a chain of
//!   blocks without other exits);
//! * the stack pointer is where the prologue left it outside call sequences, dynamic allocas apart; frame slots
//!   are addressed from the frame pointer only.
//!
//! The prologue is made last, when frame size and written registers are known, in a buffer of its own.

mod address;
mod blocks;
mod calls;
mod ctx;
mod edges;
pub(crate) mod record;
mod regs;
mod state;
mod switch;

pub use state::FastState;

use record::{NoRecord, Record};

use crate::buffer::CodeBuffer;
use crate::context::frame_code::{BodySink, finish_prologue, probe_bytes};
use crate::desc::ConvDesc;
use crate::error::CodegenError;
use crate::isa::{FrameInfo, Isa};
use crate::minst::Label;
use crate::module_view::ModuleView;
use crate::reg::Reg;
use crate::result::{CompiledFunction, UnwindOp};
use frazil_ir::module::{FramePointer, FunctionHead};
use frazil_ir::{Block, Function, Value};

/// The context of one function: implements the requests of lowering rules.
pub(crate) struct FastCtx<'a, I: Isa, R: Record> {
    isa: &'a I,
    function: &'a Function,
    head: &'a FunctionHead,
    view: ModuleView<'a>,
    st: &'a mut FastState,
    buf: &'a mut CodeBuffer,
    rec: &'a mut R,
    unwind: &'a mut Vec<(u32, UnwindOp)>,
    /// The convention of the function itself.
    conv: &'static ConvDesc,
    /// Layout position of the current block.
    position: u32,
    /// Width of immediates of the current instruction, in bytes.
    imm_bytes: u8,
    first_block_label: Label,
    epilogue: Label,
    /// Frame slot that holds the hidden pointer to memory for results.
    result_pointer: Option<i32>,
    /// The parameter that is to be returned.
    struct_return: Option<Value>,
    variadic_save: Option<i32>,
    incoming_bytes: u32,
    int_args_used: u8,
    float_args_used: u8,
    has_calls: bool,
    has_dynamic_stack: bool,
    /// Frame slot for the saved value of a cycle of moves.
    cycle_slot: Option<i32>,
    /// Whether a group is open: then nothing may be taken, stored or loaded (contract 7).
    in_group: bool,
    /// The first refusal met where none could be returned.
    error: Option<CodegenError>,
}

/// Compiles a function; see [`crate::isa::Target::compile_fast`].
pub(crate) fn compile<I: Isa>(
    isa: &I,
    function: &Function,
    head: &FunctionHead,
    view: ModuleView<'_>,
    state: &mut FastState,
    out: &mut CompiledFunction,
) -> Result<(), CodegenError> {
    if !state.is_checked.unwrap_or(cfg!(debug_assertions)) {
        return compile_recorded(isa, function, head, view, state, &mut NoRecord, out);
    }
    let mut trace = std::mem::take(&mut state.trace);
    let was_logging = out.body.keep_log(true);
    let compiled = compile_recorded(isa, function, head, view, state, &mut *trace, out);
    out.body.keep_log(was_logging);
    let result = compiled.and_then(|()| Ok(trace.check()?));
    state.trace = trace;
    result
}

/// The same, with a recorder.
#[allow(clippy::too_many_arguments, reason = "what a compilation consists of")]
fn compile_recorded<I: Isa, R: Record>(
    isa: &I,
    function: &Function,
    head: &FunctionHead,
    view: ModuleView<'_>,
    state: &mut FastState,
    rec: &mut R,
    out: &mut CompiledFunction,
) -> Result<(), CodegenError> {
    out.clear();
    crate::context::refusals::refuse_attributes(head, view)?;
    crate::context::refusals::refuse_layout(isa.desc(), function, view)?;
    let conv = isa
        .convention(function.signature.call_conv)
        .ok_or_else(|| CodegenError::unsupported(format!("calling convention {}", function.signature.call_conv.0)))?;
    state.analysis.compute(isa, function);
    state.learn_parts(&function.types, |ty| isa.parts(&function.types, ty));
    state.reset_assigns(function);
    let desc = isa.desc();
    state
        .regs
        .reset(desc.classes[0].allocatable.union(desc.classes[1].allocatable));
    state.take_homes(function);
    state.frame.reset(!state.analysis.calls_returning_twice);
    let CompiledFunction {
        prologue,
        body,
        unwind,
        frame_bytes,
    } = out;
    let first_block_label = body.new_labels(function.blocks.len());
    let epilogue = body.new_label();
    let mut cx = FastCtx {
        isa,
        function,
        head,
        view,
        st: state,
        buf: body,
        rec,
        unwind,
        conv,
        position: 0,
        imm_bytes: 8,
        first_block_label,
        epilogue,
        result_pointer: None,
        struct_return: None,
        variadic_save: None,
        incoming_bytes: 0,
        int_args_used: 0,
        float_args_used: 0,
        has_calls: false,
        has_dynamic_stack: false,
        cycle_slot: None,
        in_group: false,
        error: None,
    };
    cx.rec.begin(isa, function, &cx.st.parts);
    cx.place_slots();
    cx.enter()?;
    cx.lower_blocks()?;
    if let Some(error) = cx.error.take() {
        return Err(error);
    }
    let frame = cx.finish()?;
    cx.buf.shorten_branches(isa.short_forms());
    for row in cx.unwind.iter_mut() {
        row.0 = cx.buf.moved_offset(row.0);
    }
    cx.buf
        .finish(desc.fixups, desc.elf.filler, isa.table_entry_fixup())
        .map_err(|(name, offset)| CodegenError::TooLarge {
            what: format!("the {name} distance at offset {offset}"),
        })?;
    *frame_bytes = frame.frame_bytes;
    finish_prologue(isa, &frame, prologue, unwind);
    Ok(())
}

impl<I: Isa, R: Record> FastCtx<'_, I, R> {
    fn block_label(&self, block: Block) -> Label {
        Label(self.first_block_label.0 + block.as_u32())
    }

    fn finish(&mut self) -> Result<FrameInfo, CodegenError> {
        let saved = self.st.regs.written.intersection(self.conv.callee_saved);
        let (saved_offset, saved_step) = self.st.frame.allocate_saved(saved, self.isa.desc());
        if self.st.frame.is_too_large() {
            return Err(CodegenError::TooLarge {
                what: "the stack frame (at most 1 GiB)".to_owned(),
            });
        }
        let keep = match self.head.frame_pointer {
            FramePointer::All => true,
            FramePointer::NonLeaf => self.has_calls,
            FramePointer::None => false,
        };
        let frame = FrameInfo {
            needs_frame: keep || self.has_calls || self.has_dynamic_stack || self.st.frame.needed,
            frame_pointer: true,
            pushes_saved: false,
            frame_bytes: self.st.frame.used_bytes().next_multiple_of(self.conv.stack_align),
            saved,
            saved_offset,
            saved_step,
            has_calls: self.has_calls,
            has_dynamic_stack: self.has_dynamic_stack,
            red_zone: !self.head.no_red_zone,
            probe_bytes: probe_bytes(self.head, self.view)?,
        };
        frame.refuse_probed_dynamic_stack()?;
        self.buf.bind(self.epilogue);
        self.isa.epilogue(
            &frame,
            &mut BodySink {
                isa: self.isa,
                buf: self.buf,
                unwind: self.unwind,
            },
        );
        Ok(frame)
    }
}

/// The physical register with this number in an [`state::Assign`].
#[inline]
fn reg_of(number: u8) -> Option<Reg> {
    (number != state::NO_REG).then_some(Reg(u32::from(number)))
}
