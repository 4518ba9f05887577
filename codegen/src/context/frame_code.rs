//! Prologues, epilogues, stack probes and two-way branches as both contexts make them.

use crate::buffer::CodeBuffer;
use crate::error::CodegenError;
use crate::isa::{Branch, FrameInfo, FrameSink, Isa, Join};
use crate::minst::{Label, MInst};
use crate::module_view::ModuleView;
use crate::result::UnwindOp;
use frazil_ir::module::FunctionHead;

/// The page size of stack probes, 0 for none.
pub(crate) fn probe_bytes(head: &FunctionHead, view: ModuleView<'_>) -> Result<u32, CodegenError> {
    match view.module.strings.bytes(head.stack_probe) {
        b"" => Ok(0),
        b"inline-asm" => Ok(if head.stack_probe_size == 0 {
            4096
        } else {
            head.stack_probe_size
        }),
        other => Err(CodegenError::unsupported(format!(
            "stack probes by calling {}",
            String::from_utf8_lossy(other)
        ))),
    }
}

impl FrameInfo {
    /// Refuses what has no code yet.
    pub(crate) fn refuse_probed_dynamic_stack(&self) -> Result<(), CodegenError> {
        if self.probe_bytes > 0 && self.has_dynamic_stack {
            return Err(CodegenError::unsupported("dynamic stack allocation with stack probes"));
        }
        Ok(())
    }
}

/// Encodes the prologue and moves the body's unwind rows behind it.
pub(crate) fn finish_prologue<I: Isa>(
    isa: &I,
    frame: &FrameInfo,
    prologue: &mut CodeBuffer,
    unwind: &mut Vec<(u32, UnwindOp)>,
) {
    let body_rows = unwind.len();
    isa.prologue(
        frame,
        &mut BodySink {
            isa,
            buf: prologue,
            unwind,
        },
    );
    let desc = isa.desc();
    let patched = prologue.finish(desc.fixups, desc.elf.filler, isa.table_entry_fixup());
    debug_assert!(patched.is_ok(), "a prologue is short");
    let len = prologue.offset();
    unwind[..body_rows].iter_mut().for_each(|row| row.0 += len);
    unwind.rotate_left(body_rows);
}

/// Where the frame code of a function goes.
pub(crate) struct BodySink<'a, I: Isa> {
    /// The target.
    pub isa: &'a I,
    /// The code.
    pub buf: &'a mut CodeBuffer,
    /// Its unwind rows.
    pub unwind: &'a mut Vec<(u32, UnwindOp)>,
}

impl<I: Isa> FrameSink for BodySink<'_, I> {
    fn emit(&mut self, inst: MInst) {
        self.isa.encode(&inst, self.buf);
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

/// Emits the branch instructions to two labels; the one of the side that `then_follows` says comes right behind them.
pub(crate) fn put_branch<I: Isa, S: FrameSink>(
    isa: &I,
    out: &mut S,
    branch: Branch,
    (then_label, else_label): (Label, Label),
    then_follows: bool,
) {
    let to = |inst: MInst, label: Label| MInst {
        imm: label.0 as i32,
        ..inst
    };
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
