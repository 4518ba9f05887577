//! From a machine function and its allocation to bytes.
//!
//! [`apply`] makes a machine function over physical registers, in which all moves and edge blocks are explicit, and on
//! which machine passes may run. [`emit`] lays out the frame and encodes.

pub(crate) mod apply;
mod asm;
pub(crate) mod calls;
pub(crate) mod emit;
pub(crate) mod frame_layout;
mod loops;
pub(crate) mod pushes;
mod threading;
pub(crate) mod variables;
mod wrapped;
