//! Prologues, epilogues, stack probes and two-way branches as both contexts make them.

use crate::branch::{Branch, BranchMarks, CallTarget, Join};
use crate::buffer::CodeBuffer;
use crate::error::CodegenError;
use crate::frame_info::{FrameInfo, FrameSink, StackProbes};
use crate::isa::Isa;
use crate::minst::MInst;
use crate::module_view::ModuleView;
use crate::reference::Label;
use crate::reg::Reg;
use crate::unit::Unit;
use crate::unwind::UnwindOp;
use frazil_ir::module::FunctionHead;
use frazil_ir::{DataDef, Module, Refusal, RuntimeFunction};

/// The page size of probes that do not say one.
const DEFAULT_PROBE_BYTES: u32 = 4096;

/// How the function wants its stack probed (LLVM's attributes "probe-stack" and "stack-probe-size").
///
/// # Errors
/// When a function is to be called that neither the module nor the run-time library names.
pub(crate) fn stack_probes(head: &FunctionHead, view: ModuleView<'_>) -> Result<StackProbes, CodegenError> {
    if head.stack_probe.is_empty() {
        return Ok(StackProbes::default());
    }
    asked_probes(head, view)
}

#[cold]
fn asked_probes(head: &FunctionHead, view: ModuleView<'_>) -> Result<StackProbes, CodegenError> {
    // The stack pointer moves by multiples of the stack's alignment.
    let bytes = match head.stack_probe_size {
        0 => DEFAULT_PROBE_BYTES,
        size => (size & !15).max(16),
    };
    let name = view.module.strings.bytes(head.stack_probe);
    if name == b"inline-asm" {
        return Ok(StackProbes { bytes, function: None });
    }
    let symbols = &view.module.symbols;
    let own = symbols
        .iter()
        .find(|&(id, _)| view.module.name(id) == name)
        .map(|(id, _)| id);
    let known = std::str::from_utf8(name).ok().and_then(RuntimeFunction::from_name);
    match own.or(known.map(|function| function.symbol(view.symbol_count()))) {
        Some(symbol) => Ok(StackProbes {
            bytes,
            function: Some(symbol),
        }),
        None => Err(CodegenError::unsupported(
            Refusal::Stack,
            format!(
                "stack probes by calling {}, which the module does not declare",
                String::from_utf8_lossy(name)
            ),
        )),
    }
}

/// What stands where indirect branches may lead to, if the function has such marks.
#[inline]
pub(crate) fn branch_marks(isa: &impl Isa, unit: &Unit<'_>) -> Option<BranchMarks> {
    match unit.view.module.flags.marks_branch_targets || unit.head.marks_branch_targets {
        true => isa.branch_marks(),
        false => None,
    }
}

/// Encodes what a function begins with before the prologue; returns where the mark ends, which comes after data.
fn put_entry<I: Isa>(isa: &I, unit: &Unit<'_>, out: &mut BodySink<'_, I>) -> u32 {
    let (head, view) = (unit.head, unit.view);
    if let Some(data) = &head.prologue_data {
        put_data(view.module, data, out.buf);
    }
    let mut marked = 0;
    if view.marks_entry
        && let Some(marks) = branch_marks(isa, unit)
    {
        out.emit(marks.entry);
        marked = out.buf.offset();
    }
    if head.entry_filler > 0 || head.calls_fentry || head.has_room_for_jump {
        put_instrumentation(isa, unit, marked, out);
    }
    marked
}

/// Puts data where code is expected. Its relocations are a matter of who writes the object, and so is its text.
#[cold]
fn put_data(module: &Module, data: &DataDef, buf: &mut CodeBuffer) {
    let given = &module.bytes[data.first_byte as usize..][..data.byte_count as usize];
    buf.bytes.extend_from_slice(given);
    buf.bytes.resize(buf.bytes.len() - given.len() + data.size as usize, 0);
}

/// Encodes filler to be written over, and the call of a function that counts calls.
#[cold]
fn put_instrumentation<I: Isa>(isa: &I, unit: &Unit<'_>, marked: u32, out: &mut BodySink<'_, I>) {
    // A mark has room enough.
    if unit.head.has_room_for_jump
        && marked == 0
        && let Some((inst, _)) = isa.filler(isa.desc().patched_jump_bytes)
    {
        out.emit(inst);
    }
    let mut left = isa.desc().elf.filler_bytes(unit.head.entry_filler) as u32;
    while left > 0
        && let Some((inst, bytes)) = isa.filler(left)
    {
        out.emit(inst);
        left -= bytes;
    }
    if unit.head.calls_fentry {
        let counter = RuntimeFunction::Fentry.symbol(unit.view.symbol_count());
        // Arguments are in registers, and the others are the caller's.
        out.emit(isa.call(unit.view, CallTarget::Symbol(counter), Reg::NONE));
    }
}

/// The length of the prologue, which is made last; nothing but the entry if there is no frame there.
#[cold]
pub(crate) fn prologue_bytes<I: Isa>(isa: &I, unit: &Unit<'_>, frame: Option<&FrameInfo>) -> u32 {
    let mut buf = CodeBuffer::new(false);
    let mut unwind = Vec::new();
    finish_prologue(isa, unit, frame, &mut buf, &mut unwind);
    buf.offset()
}

/// Encodes the entry and the prologue, if the frame is set up there, and moves the body's unwind rows after it.
/// Returns where the mark at the beginning ends.
pub(crate) fn finish_prologue<I: Isa>(
    isa: &I,
    unit: &Unit<'_>,
    frame: Option<&FrameInfo>,
    prologue: &mut CodeBuffer,
    unwind: &mut Vec<(u32, UnwindOp)>,
) -> u32 {
    let body_rows = unwind.len();
    let mut sink = BodySink {
        isa,
        buf: prologue,
        unwind,
    };
    let marked = put_entry(isa, unit, &mut sink);
    if let Some(frame) = frame {
        isa.prologue(frame, &mut sink);
    }
    let desc = isa.desc();
    let patched = prologue.finish(desc.fixups, desc.elf.filler, isa.table_entry_fixup());
    debug_assert!(patched.is_ok(), "a prologue is short");
    let len = prologue.offset();
    unwind[..body_rows].iter_mut().for_each(|row| row.0 += len);
    unwind.rotate_left(body_rows);
    marked
}

/// Where the frame code of a function goes.
pub(crate) struct BodySink<'a, I: Isa> {
    pub isa: &'a I,
    pub buf: &'a mut CodeBuffer,
    /// Its unwind rows.
    pub unwind: &'a mut Vec<(u32, UnwindOp)>,
}

impl<I: Isa> FrameSink for BodySink<'_, I> {
    fn emit(&mut self, inst: MInst) {
        put_inst(self.isa, &inst, self.buf);
    }

    fn unwind(&mut self, op: UnwindOp) {
        self.unwind.push((self.buf.offset(), op));
    }

    fn label(&mut self) -> Label {
        self.buf.new_label()
    }

    fn bind(&mut self, label: Label) {
        self.buf.bind(label);
    }
}

/// Encodes an instruction, after an island if one is due.
#[inline]
pub(crate) fn put_inst<I: Isa>(isa: &I, inst: &MInst, buf: &mut CodeBuffer) {
    make_room(isa, buf);
    isa.encode(inst, buf);
}

/// Puts an island here if one must come before the next instruction.
#[inline]
pub(crate) fn make_room<I: Isa>(isa: &I, buf: &mut CodeBuffer) {
    if let Some(islands) = isa.islands() {
        buf.make_room(islands.max_inst_bytes);
    }
}

/// Emits the branch instructions to two labels; the one of the side that `then_follows` says comes right after them.
pub(crate) fn put_branch<I: Isa, S: FrameSink>(
    isa: &I,
    out: &mut S,
    branch: Branch,
    (then_label, else_label): (Label, Label),
    then_follows: bool,
) {
    let to = |inst: MInst, label: Label| inst.with_label(label);
    let Branch { first, second } = branch;
    match (second, then_follows) {
        (None, false) => out.emit(to(first, then_label)),
        (None, true) => out.emit(to(isa.invert(first), else_label)),
        (Some((Join::Or, second)), false) => {
            out.emit(to(first, then_label));
            out.emit(to(second, then_label));
        }
        (Some((Join::Or, second)), true) => {
            let skip = out.label();
            out.emit(to(first, skip));
            out.emit(to(isa.invert(second), else_label));
            out.bind(skip);
        }
        (Some((Join::And, second)), false) => {
            let skip = out.label();
            out.emit(to(isa.invert(first), skip));
            out.emit(to(second, then_label));
            out.bind(skip);
        }
        (Some((Join::And, second)), true) => {
            out.emit(to(isa.invert(first), else_label));
            out.emit(to(isa.invert(second), else_label));
        }
    }
}

/// Finishes the code of a body: short branches, and all fields that wait for labels.
pub(crate) fn finish_body<I: Isa>(
    isa: &I,
    body: &mut CodeBuffer,
    unwind: &mut [(u32, UnwindOp)],
) -> Result<(), CodegenError> {
    let desc = isa.desc();
    if isa.islands().is_some() {
        body.finish_islands();
    }
    body.shorten_branches(isa.short_forms());
    for row in unwind {
        row.0 = body.moved_offset(row.0);
    }
    body.finish(desc.fixups, desc.elf.filler, isa.table_entry_fixup())
        .map_err(|(name, offset)| CodegenError::TooLarge {
            what: format!("the {name} distance at offset {offset}"),
        })
}
