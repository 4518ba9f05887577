//! Shrink-wrapped functions, whose frame is set up on some paths only: which blocks have the frame, and the call frame
//! information where code with and without a frame meets.
//!
//! [`pseudo::PROLOGUE`] at the start of a block sets the frame up, and [`pseudo::RESTORE`] at the end of a block tears
//! it down. Each block is reached either always with the frame or always without it. Of others, whether returns share
//! what tears it down.

use crate::frame_info::{FrameInfo, FrameSink};
use crate::isa::Isa;
use crate::mfunc::{MFunc, Term, pseudo};
use crate::minst::MInst;
use crate::reference::Label;
use crate::unwind::UnwindOp;

/// Finds the blocks that are entered with the frame.
pub(super) fn find_blocks_with_frame(func: &MFunc, has_frame: &mut Vec<bool>, stack: &mut Vec<u32>) {
    has_frame.clear();
    has_frame.resize(func.blocks.len(), false);
    let mut is_found = vec![false; func.blocks.len()];
    is_found[0] = true;
    stack.clear();
    stack.push(0);
    while let Some(block) = stack.pop() {
        let leaves_with_frame = state_after(func, block, has_frame[block as usize]);
        for edge in func.edges_of(block) {
            let to = func.edges[edge].to as usize;
            if std::mem::replace(&mut is_found[to], true) {
                debug_assert_eq!(
                    has_frame[to], leaves_with_frame,
                    "a block is reached with and without the frame"
                );
                continue;
            }
            has_frame[to] = leaves_with_frame;
            stack.push(to as u32);
        }
    }
}

fn state_after(func: &MFunc, block: u32, at_start: bool) -> bool {
    let data = &func.blocks[block as usize];
    let insts = &func.insts[data.start as usize..data.end as usize];
    let sets_up = insts.first().is_some_and(|inst| inst.op == pseudo::PROLOGUE);
    let gives_back = insts.last().is_some_and(|inst| inst.op == pseudo::RESTORE);
    (at_start || sets_up) && !gives_back
}

/// Adds unwind rows that describe, at an offset, the frame as it is after the prologue.
pub(super) fn describe_frame<I: Isa>(isa: &I, frame: &FrameInfo, offset: u32, unwind: &mut Vec<(u32, UnwindOp)>) {
    isa.prologue(frame, &mut Rows { offset, unwind });
}

/// Receives frame code, of which it keeps the unwind rows and drops the instructions.
struct Rows<'a> {
    offset: u32,
    unwind: &'a mut Vec<(u32, UnwindOp)>,
}

impl FrameSink for Rows<'_> {
    fn emit(&mut self, _: MInst) {}

    fn unwind(&mut self, op: UnwindOp) {
        self.unwind.push((self.offset, op));
    }

    fn label(&mut self) -> Label {
        Label(0)
    }

    fn bind(&mut self, _: Label) {}
}

/// Whether a shared epilogue with jumps to it is shorter than an epilogue at each return. A jump is about as long as
/// restoring the stack pointer and returning, so it depends on the saved registers.
pub(super) fn is_worth_sharing(func: &MFunc, frame: &FrameInfo) -> bool {
    let returns = func.blocks.iter().filter(|block| block.term == Term::Return).count();
    returns > 1 && frame.saved.iter().count() > 1
}
