//! From records to the IR: what does not depend on the dialect of bitcode.

pub mod data;
pub mod evaluate;
pub mod intrinsics;
