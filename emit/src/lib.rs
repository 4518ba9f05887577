//! Object files and assembly text of compiled modules.
//!
//! [`placement`] decides which section every definition goes to, [`names`] what symbols are called, [`constants`]
//! shares code constants, [`cfi`] encodes call frame information. Two writers follow these decisions: [`elf`] makes a
//! relocatable object file, [`asm`] the assembly text of the same object. [`foreign`] is for assembly within a module
//! that only an assembler can encode. [`mod@format`] says which systems' objects are no ELF files.
//!
//! Invariants of absence: this crate never sees the IR of a function, only finished code; it opens no file and starts
//! no thread. Equal input gives equal bytes: nothing is written in the order of a hash table.

pub mod asm;
pub mod cfi;
pub mod constants;
pub mod dwarf;
pub mod elf;
pub mod error;
pub mod exceptions;
pub mod foreign;
pub mod format;
pub mod names;
pub mod placement;
pub mod relocation_targets;
pub mod section;
mod tools;

pub use asm::AsmBuilder;
pub use elf::ObjectBuilder;
pub use error::EmitError;
pub use foreign::{Assembled, TextFile};
pub use placement::{EmitOptions, Placement};
