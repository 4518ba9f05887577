//! The frame of the function being compiled, as far as it is known while code is emitted: a bump allocator for areas
//! below the frame pointer, with free lists for value slots.
//!
//! The picture is the frame of a function of the fast path on x86-64, where the frame pointer is `rbp`; on other
//! targets, [`TargetDesc::incoming_args_offset`] is the distance from the frame pointer to the incoming arguments.
//!
//! ```text
//!  higher addresses
//!             |  incoming stack arguments       |  the caller's frame
//!  rbp + 16   +---------------------------------+  canonical frame address (CFA)
//!             |  return address                 |
//!  rbp +  8   +---------------------------------+
//!             |  the caller's rbp               |
//!  rbp        +---------------------------------+  frame pointer = offset 0
//!             |  stack guard, if there is one   |  right below rbp: an overflowing array meets it first
//!             |  stack slots of the function    |  Frame::allocate
//!             |  value and spill slots          |  Frame::allocate_slot, reused after Frame::free_slot
//!             |  saved callee-saved registers   |  Frame::allocate_saved, last, when they are known
//!             |  padding to the stack alignment |
//!  rsp        +---------------------------------+  rbp - FrameInfo::frame_bytes, after the prologue
//!             |  dynamic allocas                |
//!             |  outgoing stack arguments       |  only during a call sequence
//!             |  red zone, in leaf functions    |  up to 128 bytes that a signal handler does not touch
//!  lower addresses
//! ```
//!
//! A leaf function whose areas fit the red zone (128 bytes below `rsp` that signal handlers leave alone) does not move
//! `rsp`, which then equals `rbp`.
//!
//! Offsets are negative and never change once they are given out, whatever is allocated later. The selecting context
//! uses the same allocator; [`crate::finish`] decides where its areas are in the final frame.
//!
//! Value slots have 4, 8, 16, 32 or 64 bytes, and a free list for each size. A function that calls something that
//! returns twice never reuses a slot (contract 12).

use crate::desc::TargetDesc;
use crate::reg::PRegSet;

/// Slots below the frame pointer.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Frame {
    /// Bytes in use below the frame pointer, and what is above it up to an address that is aligned.
    used_bytes: u64,
    /// How much of that is above it.
    above_bytes: u64,
    free: [Vec<i32>; 5],
    /// Whether freed slots are used again.
    reuse: bool,
    /// The strictest alignment of an area, in bytes.
    pub align: u64,
    /// Whether anything is addressed from the frame pointer.
    pub needed: bool,
    /// The offset of the guard from the frame pointer, if there is one (see [`crate::context::protector`]).
    pub guard: Option<i32>,
    /// The area that rules share, once one has asked for it.
    shared: Option<i32>,
}

/// The areas through which cycles of moves are broken: for parts of up to 16 bytes, of 32 and of 64.
#[derive(Clone, Copy, Debug, Default)]
pub struct CycleSlots([Option<i32>; 3]);

impl CycleSlots {
    /// The area for a part of so many bytes, made by `allocate` if it is not there.
    pub fn of(&mut self, part_bytes: u8, allocate: impl FnOnce(u64) -> i32) -> i32 {
        let bytes = part_bytes.max(16);
        let class = bytes.trailing_zeros() as usize - 4;
        *self.0[class].get_or_insert_with(|| allocate(bytes.into()))
    }
}

/// Bytes of the area that rules share.
pub const SHARED_AREA_BYTES: u64 = 32;

/// Frames beyond this are refused; displacements have 32 bits.
const MAX_FRAME_BYTES: u64 = 1 << 30;

impl Frame {
    /// Starts a new function whose frame pointer is so many bytes below an address that is aligned as the stack is.
    pub fn reset(&mut self, reuse: bool, above_bytes: u32) {
        self.above_bytes = above_bytes.into();
        self.used_bytes = self.above_bytes;
        self.align = 1;
        self.needed = false;
        self.guard = None;
        self.shared = None;
        self.reuse = reuse;
        self.free.iter_mut().for_each(Vec::clear);
    }

    /// A new area, `align` at most the stack alignment; returns its offset from the frame pointer. An area that does
    /// not fit gives some offset, and [`Frame::is_too_large`] tells at the end.
    pub fn allocate(&mut self, bytes: u64, align: u64) -> i32 {
        self.needed = true;
        self.align = self.align.max(align);
        self.used_bytes = self
            .used_bytes
            .saturating_add(bytes)
            .next_multiple_of(align.max(1))
            .min(2 * MAX_FRAME_BYTES);
        -((self.used_bytes.min(MAX_FRAME_BYTES) - self.above_bytes) as i32)
    }

    /// The area of [`SHARED_AREA_BYTES`] that rules share.
    #[cold]
    pub fn shared_area(&mut self) -> i32 {
        if let Some(offset) = self.shared {
            return offset;
        }
        let offset = self.allocate(SHARED_AREA_BYTES, 16);
        self.shared = Some(offset);
        offset
    }

    /// A slot for a value of 4, 8, 16, 32 or 64 bytes.
    #[inline]
    pub fn allocate_slot(&mut self, bytes: u32) -> i32 {
        let class = Self::class(bytes);
        match self.free[class].pop() {
            Some(offset) => offset,
            None => self.allocate(4 << class, (4 << class).min(16)),
        }
    }

    /// Gives a slot back.
    #[inline]
    pub fn free_slot(&mut self, offset: i32, bytes: u32) {
        if self.reuse {
            self.free[Self::class(bytes)].push(offset);
        }
    }

    #[inline]
    fn class(bytes: u32) -> usize {
        (bytes.max(4).next_power_of_two().trailing_zeros() - 2).min(4) as usize
    }

    /// Gives saved registers places: the offset of the first, and the step to the next below.
    pub fn allocate_saved(&mut self, saved: PRegSet, desc: &TargetDesc) -> (i32, i32) {
        let widths = saved.iter().map(|reg| desc.classes[reg.bank()].bytes);
        let Some(width) = widths.max() else { return (0, 0) };
        let (count, step) = (saved.iter().count() as i32, i32::from(width));
        let lowest = self.allocate(u64::from(width) * count as u64, u64::from(width));
        (lowest + (count - 1) * step, step)
    }

    /// Bytes in use.
    pub fn used_bytes(&self) -> u32 {
        (self.used_bytes.min(MAX_FRAME_BYTES) - self.above_bytes) as u32
    }

    /// Whether more was asked for than displacements reach.
    pub fn is_too_large(&self) -> bool {
        self.used_bytes >= MAX_FRAME_BYTES
    }
}
