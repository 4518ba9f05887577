//! Frazil: a fast compiler back end. LLVM bitcode in, native code out.
//!
//! This library is the whole `frazil` command but for its `main`. To compile in memory:
//!
//! ```no_run
//! # fn main() -> Result<(), Box<dyn std::error::Error>> {
//! let bitcode = std::fs::read("in.bc")?;
//! let object = frazil::compile(&bitcode, &frazil::Options::default())?;
//! std::fs::write("out.o", object)?;
//! # Ok(())
//! # }
//! ```
//!
//! [`compile_to`] writes to any [`std::io::Write`] and reports times and counts; [`run`] is the command with its
//! options, files and messages. Without the cargo feature `command`, there is a [`run`] with few options and nothing
//! else (`minimal`).
//!
//! Invariants of absence: nothing below this crate opens a file, reads an option or prints; of this crate, only
//! [`mod@input`], [`output`], `containers`, `destination`, `split` and `assembler` touch files, and only
//! [`diagnostics`] and `timing` make text for the terminal.

#[cfg(feature = "command")]
mod api;
#[cfg(feature = "command")]
pub mod assembler;
#[cfg(feature = "command")]
mod batch;
#[cfg(feature = "command")]
mod containers;
#[cfg(feature = "command")]
mod contents;
#[cfg(feature = "command")]
mod destination;
pub mod diagnostics;
#[cfg(feature = "command")]
pub mod driver;
#[cfg(feature = "command")]
mod dump;
#[cfg(feature = "command")]
pub mod embedded;
mod entries;
#[cfg(feature = "command")]
mod heap;
pub mod input;
#[cfg(feature = "command")]
pub mod llvm;
mod machine;
#[cfg(feature = "command")]
mod manual;
#[cfg(feature = "command")]
mod mapping;
pub mod memory_limit;
#[cfg(not(feature = "command"))]
mod minimal;
#[cfg(feature = "command")]
pub mod options;
pub mod output;
#[cfg(feature = "command")]
mod part;
#[cfg(feature = "command")]
mod pipeline;
mod recognize;
#[cfg(feature = "command")]
mod refusals;
#[cfg(feature = "command")]
mod split;
mod stage;
#[cfg(feature = "command")]
pub mod timing;
#[cfg(feature = "command")]
mod usage;

#[cfg(feature = "command")]
pub use api::*;
pub use diagnostics::{Diagnostic, Error, Excerpt, Stage};
#[cfg(not(feature = "command"))]
pub use minimal::run;
