//! Native reader of LLVM bitcode: from bytes to the intermediate representation, without LLVM.
//!
//! [`bitstream`] is the container, [`wrapper`] finds the stream in a file, [`limits`] bounds what an input may cost,
//! [`error`] says what went wrong and where.
//!
//! Invariants of absence: this crate does not depend on LLVM, opens no file, starts no thread and prints nothing.
//! It never panics on any input; so indexing and unwrapping are denied in it.

#![cfg_attr(
    not(test),
    deny(clippy::indexing_slicing, clippy::unwrap_used, clippy::expect_used, clippy::panic)
)]

pub mod bitstream;
pub mod build;
pub mod error;
pub mod limits;
pub mod llvm;
pub mod wrapper;

pub use error::{ReadError, ReadErrorKind};
pub use llvm::function::FunctionReader;
pub use llvm::module::BitcodeModule;
