//! Native reader of LLVM bitcode: from bytes to the intermediate representation, without LLVM.
//!
//! ```text
//! let module = BitcodeModule::open(&bytes, &options)?; // everything but the function bodies
//! let mut reader = FunctionReader::new(&module);       // one for each thread
//! reader.read(id, &mut function)?;                     // one body
//! ```
//!
//! In layers, each of which knows only those before it: `error` says what went wrong and where, `limits` bounds what an
//! input may cost, [`bitstream`] is the container, [`wrapper`] finds the stream in a file. `llvm` knows what records
//! mean, and `builder` makes the IR of them; these two are one layer, divided by whether a thing depends on the dialect
//! of bitcode. The container and the [numbers](codes) in it are public for tools that look into bitcode.
//!
//! Method: function bodies are found by their length words and read one at a time. Fields are taken from 64-bit
//! windows of the input ([`bitstream::cursor`]), operands of instructions are one load each (`builder::word`), and the
//! commonest instructions are decoded and built in one step. First-class aggregates become several values, address
//! computations become arithmetic, and what the IR has no instruction for stays a call that code generation refuses
//! by its name.
//!
//! Executables of PNaCl, another dialect over the same container, are read and written by [`pnacl`].
//!
//! Untrusted input: a count is believed only if the rest of its block could hold that many things; types of operands
//! are checked, so that what is returned is well-formed up to dominance; nothing panics, so indexing and unwrapping
//! are denied here.
//!
//! Invariants of absence: this crate knows no target but for the [`frazil_ir::Platform`] that it is handed. It does not
//! depend on LLVM, opens no file, starts no thread and prints nothing.

#![cfg_attr(
    not(test),
    deny(clippy::indexing_slicing, clippy::unwrap_used, clippy::expect_used, clippy::panic)
)]

pub mod bitstream;
mod builder;
mod error;
mod limits;
mod llvm;
mod operations;
pub mod pnacl;
pub mod wrapper;

pub use error::{ReadError, ReadErrorKind};
pub use llvm::codes;
pub use llvm::function::FunctionReader;
pub use llvm::module::{BitcodeModule, PlatformOf, ReadOptions};
