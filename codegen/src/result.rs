//! What compiling one function gives: bytes with relocations, constants, unwind rows.

use crate::buffer::CodeBuffer;
use crate::debug::CodeDebug;
use crate::unwind::UnwindOp;
use frazil_ir::module::Attachments;

/// The code of one function. The prologue stands apart because it is made last; in the object it comes first, and
/// offsets of the body's labels and relocations are moved by its length.
#[derive(Debug, Default)]
pub struct CompiledFunction {
    pub prologue: CodeBuffer,
    pub body: CodeBuffer,
    /// Call frame description: offsets from the function's first byte (prologue included), ascending.
    pub unwind: Vec<(u32, UnwindOp)>,
    /// Size of the frame in bytes, for statistics.
    pub frame_bytes: u32,
    /// Where the mark for indirect branches ends that the prologue begins with; 0 without one.
    pub mark_bytes: u32,
    /// Log2 of the alignment that the code wants.
    pub align_log2: u8,
    /// What the function says on where it is to be, if anything.
    pub attachments: Option<Box<Attachments>>,
    /// Where its variables are, and what else debuggers want to know.
    pub debug: CodeDebug,
}

impl CompiledFunction {
    /// Empty buffers; with `logging`, they keep what assembly text needs.
    pub fn new(logging: bool) -> CompiledFunction {
        CompiledFunction {
            prologue: CodeBuffer::new(logging),
            body: CodeBuffer::new(logging),
            ..CompiledFunction::default()
        }
    }

    /// Has the body's instructions annotated in its log: with the instruction of the intermediate representation that
    /// each comes from, and the registers that are live.
    #[must_use]
    pub fn with_notes(mut self) -> CompiledFunction {
        self.body.keep_notes();
        self
    }

    /// Forgets the function but keeps the memory.
    pub fn clear(&mut self) {
        self.align_log2 = 0;
        self.prologue.clear();
        self.body.clear();
        self.unwind.clear();
        self.frame_bytes = 0;
        self.attachments = None;
        self.debug.clear();
    }

    /// Length in bytes of the whole function.
    pub fn len(&self) -> usize {
        self.prologue.bytes.len() + self.body.bytes.len()
    }

    /// Whether there is no code.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }
}
