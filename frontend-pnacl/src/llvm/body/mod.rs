//! The instructions of a function body, by kind.
//!
//! Each function takes the operands of one record and appends instructions. Types are checked here, because nothing
//! after the reader checks them: binary operands are alike, pointers are pointers, results are what was announced.

pub(super) mod aggregates;
pub(super) mod arithmetic;
pub(super) mod asm_branches;
mod assigned;
mod atomics;
mod attachments;
pub(super) mod calls;
mod cases;
pub(super) mod context;
pub(super) mod control;
mod debug;
mod float_parts;
pub(super) mod hooks;
pub(super) mod memory;
pub(super) mod old_instructions;
mod ranges;
mod saturating;
pub(super) mod variadic;
mod wide;

/// The bits that are fast-math flags.
pub(super) const FAST_MATH_MASK: u64 = 0xff;

/// Fast-math flags: the file has reassociation in bit 7 and, from old versions, everything in bit 0.
pub(super) fn fast_math(flags: u64) -> u16 {
    if flags & 1 != 0 {
        return 0x7f;
    }
    (flags & 0x7e | flags >> 7 & 1) as u16
}
