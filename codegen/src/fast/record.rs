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

/// Something that registers and slots hold.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Thing {
    Part(Operand, u8),
    /// The contents of a stack slot that has a home register.
    SlotContents(SlotId),
    /// The address of an over-aligned stack slot.
    SlotAddress(SlotId),
    /// The pointer to the memory for results.
    ResultPointer,
    /// The pointer to memory for a callee, its results say, at this offset in the frame.
    CalleeResults(i32),
    /// What an unwinder brings to a landing pad: 0 the exception, 1 the selector.
    Exception(u8),
}

impl Thing {
    /// A part of a value.
    pub fn value(value: Value, part: u8) -> Thing {
        Thing::Part(Operand::value(value), part)
    }
}

/// Where the context intends to have something.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Spot {
    Reg(Reg),
    /// In memory, at a distance from a register.
    Memory(Reg, i32),
}

/// Who emits an instruction.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum By {
    /// A rule, which reads and writes registers that it was given.
    Rule,
    /// The context, on its own account.
    Context,
}

/// A recorder.
#[allow(unused_variables, reason = "the provided methods do nothing")]
pub(crate) trait Record {
    /// Whether anything is recorded.
    const IS_ON: bool;

    /// A function begins.
    fn begin<I: Isa>(&mut self, isa: &I, function: &Function, parts: &[Parts]) {}
    /// A block begins.
    fn block(&mut self, block: Block) {}
    /// The moves of an edge begin; what is emitted until [`Record::end_edge`] is on the edge.
    fn begin_edge(&mut self, to: Block) {}
    /// A phi's part becomes a part of an operand on this edge.
    fn phi(&mut self, phi: Value, operand: Operand, part: u8) {}
    /// The moves of an edge end.
    fn end_edge(&mut self) {}
    /// The current block has an edge without moves to this block.
    fn direct_edge(&mut self, to: Block) {}

    /// `asked` was to be emitted; `emitted` is what has come to the buffer's log.
    fn emitted(&mut self, asked: &MInst, emitted: &[(u32, LogItem)], by: By) {}
    /// A group begins, or ends.
    fn group(&mut self, begins: bool) {}
    /// From now on, instructions of rules may write no flags, or may again.
    fn keep_flags(&mut self, keep: bool) {}

    /// A rule is given a register that holds this and must not be written.
    fn hand_out(&mut self, reg: Reg, thing: Thing) {}
    /// A rule is given a register of its own with unknown contents.
    fn hand_over(&mut self, reg: Reg) {}
    /// A rule is given a register of its own that holds this.
    fn hand_copy(&mut self, reg: Reg, thing: Thing) {}
    /// A rule is given this as a memory operand.
    fn hand_memory(&mut self, base: Reg, disp: i32, thing: Thing) {}
    /// A rule is given a register for this.
    fn hand_result(&mut self, reg: Reg, thing: Thing) {}
    /// From now on this is what the register, which holds `old`, holds.
    fn becomes(&mut self, reg: Reg, old: Thing, new: Thing) {}
    /// What a rule was handed in `from`, or has put there, is about to be copied to become `new`.
    fn will_keep(&mut self, from: Reg, new: Thing) {}
    /// From now on `new` is what the register holds, which is what a rule was handed in `from`, or has put there.
    fn keeps(&mut self, reg: Reg, from: Reg, new: Thing) {}
    /// A constant, symbol or place was put into a register.
    fn made(&mut self, reg: Reg, thing: Thing) {}
    /// The caller, a callee or the entry has put this there.
    fn defined(&mut self, spot: Spot, thing: Thing) {}

    /// A register is about to be extended into another one by a rule's instructions, which preserve the significant
    /// bits.
    fn begin_extension(&mut self, dst: Reg, src: Reg) {}
    /// The extension is complete.
    fn end_extension(&mut self, dst: Reg, src: Reg) {}

    /// The next call or return will read this there.
    fn needs(&mut self, spot: Spot, thing: Thing) {}
    /// A call or return is next: what it reads must be in place now.
    fn leaves(&mut self) {}
    /// A call came back; the callee has preserved these registers.
    fn called(&mut self, preserved: PRegSet) {}
    /// The call that came back last may unwind instead: an edge can begin here.
    fn unwinds(&mut self) {}
    /// As [`Record::begin_edge`], for the edge on which that call unwinds.
    fn begin_unwind_edge(&mut self, to: Block) {}
}

/// Records nothing.
pub(crate) struct NoRecord;

impl Record for NoRecord {
    const IS_ON: bool = false;
}

/// What has come to a buffer's log since it had `len` items.
pub(super) fn log_from(buffer: &CodeBuffer, len: usize) -> &[(u32, LogItem)] {
    buffer.log().get(len..).unwrap_or_default()
}
