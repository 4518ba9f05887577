//! What the fast context tells the checker while it emits code.
//!
//! The context declares which part of an operand or result each register that it hands to a rule stands for, and where
//! it intends to have arguments and results. What happens to registers and slots, including moves, spills and reloads,
//! the recorder must read from the emitted instructions; otherwise the context would vouch for itself.
//!
//! [`NoRecord`] does nothing and costs nothing, because the context is generic over the recorder.
//! [`crate::check::Trace`] brings the function into the checker's form.

use crate::buffer::{CodeBuffer, LogItem};
use crate::isa::Isa;
use crate::minst::MInst;
use crate::parts::Parts;
use crate::reg::{PRegSet, Reg};
use frazil_ir::{Block, Function, Operand, SlotId, Value};

/// What a register or slot can hold.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Thing {
    Part(Operand, u8),
    /// The contents of a stack slot that has a home register.
    SlotContents(SlotId),
    /// The address of a stack slot that needs more alignment than the frame has.
    SlotAddress(SlotId),
    /// The pointer to the memory for results.
    ResultPointer,
    /// The pointer to the memory at this frame offset that is passed to a callee, for its results, for example.
    CalleeResults(i32),
    /// What an unwinder passes to a landing pad: 0 is the exception, 1 the selector.
    Exception(u8),
}

impl Thing {
    /// A part of a value.
    pub fn value(value: Value, part: u8) -> Thing {
        Thing::Part(Operand::value(value), part)
    }
}

/// A place in which the context intends to have something.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Spot {
    Reg(Reg),
    /// Memory at a constant distance from a register.
    Memory(Reg, i32),
}

/// On whose behalf an instruction is emitted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum By {
    /// A lowering rule's; it reads and writes the registers that the rule was given.
    Rule,
    /// The context's own.
    Context,
}

/// Receives what the context reports; the default methods ignore it.
#[allow(unused_variables, reason = "the provided methods do nothing")]
pub(crate) trait Record {
    /// Whether anything is recorded.
    const IS_ON: bool;

    /// A function begins.
    fn begin<I: Isa>(&mut self, isa: &I, function: &Function, parts: &[Parts]) {}
    /// A block begins.
    fn block(&mut self, block: Block) {}
    /// The moves of an edge begin: what is emitted from here to [`Record::end_edge`] belongs to the edge.
    fn begin_edge(&mut self, to: Block) {}
    /// On the current edge, a part of a phi is written with a part of an operand.
    fn phi(&mut self, phi: Value, operand: Operand, part: u8) {}
    /// The moves of an edge end.
    fn end_edge(&mut self) {}
    /// The current block has an edge without moves to this block.
    fn direct_edge(&mut self, to: Block) {}

    /// The instruction `asked` was emitted; `emitted` is what the buffer's log got for it.
    fn emitted(&mut self, asked: &MInst, emitted: &[(u32, LogItem)], by: By) {}
    /// A group begins, or ends.
    fn group(&mut self, begins: bool) {}
    /// From now on, instructions of rules must not write flags, or may do so again.
    fn keep_flags(&mut self, keep: bool) {}

    /// A rule is given a register with this thing, which it must not write.
    fn hand_out(&mut self, reg: Reg, thing: Thing) {}
    /// A rule is given a register with undefined contents, which it may write.
    fn hand_over(&mut self, reg: Reg) {}
    /// A rule is given a register with a copy of this thing, which it may write.
    fn hand_copy(&mut self, reg: Reg, thing: Thing) {}
    /// A rule is given a memory operand with this thing.
    fn hand_memory(&mut self, base: Reg, disp: i32, thing: Thing) {}
    /// The area of so many bytes at this frame offset is a stack slot.
    fn slot(&mut self, offset: i32, bytes: u32) {}
    /// A rule is given a memory operand of so many bytes: what is at this distance from the slot at this frame offset.
    fn hand_slot(&mut self, operand: (Reg, i32), bytes: u32, offset: i32, distance: i64) {}
    /// A rule is given a register for this result.
    fn hand_result(&mut self, reg: Reg, thing: Thing) {}
    /// The register holds `old`, which from now on is called `new`, too.
    fn becomes(&mut self, reg: Reg, old: Thing, new: Thing) {}
    /// The contents of `from`, which a rule was given or has computed, will be copied by the next instruction and
    /// become `new`.
    fn will_keep(&mut self, from: Reg, new: Thing) {}
    /// The contents of `reg`, which were in `from` when a rule was given it or had computed it, are from now on called
    /// `new`.
    fn keeps(&mut self, reg: Reg, from: Reg, new: Thing) {}
    /// A constant, symbol or place has been made in a register.
    fn made(&mut self, reg: Reg, thing: Thing) {}
    /// The caller, a callee or the function's entry has put this thing there.
    fn defined(&mut self, spot: Spot, thing: Thing) {}

    /// An extension of `src` into `dst` begins. The instructions come from a rule, but are known to preserve the
    /// significant bits.
    fn begin_extension(&mut self, dst: Reg, src: Reg) {}
    /// The extension is complete.
    fn end_extension(&mut self, dst: Reg, src: Reg) {}

    /// The next call or return reads this thing there.
    fn needs(&mut self, spot: Spot, thing: Thing) {}
    /// A call or return comes next: everything that [`Record::needs`] has named must be in place.
    fn leaves(&mut self) {}
    /// A call has returned; the callee has preserved these registers.
    fn called(&mut self, preserved: PRegSet) {}
    /// The last call may unwind instead of returning: the state here is that of its unwind edge.
    fn unwinds(&mut self) {}
    /// Like [`Record::begin_edge`], for the unwind edge of that call.
    fn begin_unwind_edge(&mut self, to: Block) {}
}

/// Records nothing.
pub(crate) struct NoRecord;

impl Record for NoRecord {
    const IS_ON: bool = false;
}

/// What the buffer's log got after its first `len` items.
pub(super) fn log_from(buffer: &CodeBuffer, len: usize) -> &[(u32, LogItem)] {
    buffer.log().get(len..).unwrap_or_default()
}
