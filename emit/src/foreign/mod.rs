//! Code that users have written as assembly and that an assembler must encode, beside code of our own.
//!
//! Life of it: [`TextFile`] collects the inline assembly texts of all functions, and the module's own assembly, in one
//! file for the assembler: each text in a section of its own that ends with a label, operands put in.
//! [`TextFile::read`] takes what the assembler wrote apart: the code of each text, for the code buffers of functions
//! ([`frazil_codegen::inline_asm::AsmCode`]), and everything that texts put elsewhere, for the object ([`Assembled`]).
//!
//! Invariant: what comes out means the same as if the texts had been assembled within the whole module. Texts for
//! which that is not known (`statements`), and objects with anything that has no counterpart here (`read`), are given
//! back; the whole module goes to the assembler then. The reasons why the rest is sound:
//! * A text's code is moved as a whole, and fields that point at anything outside of it have relocations. What cannot
//!   be a relocation, like the difference of two labels in different texts, the assembler refuses.
//! * Texts stand in the file in the order of the module, so that numbered labels, macros of conditions and unique
//!   numbers are the same.
//! * A text that goes on in another section than it began in does not have its end label where its section ends.
//! * A text whose bytes may depend on places is given back: one that aligns something, or branches to what the module
//!   defines.

mod file;
mod read;
mod statements;

pub use file::TextFile;
pub use read::Assembled;
pub(crate) use read::{ForeignSymbol, SymbolLocation};

/// What our own names in the file begin with.
const RESERVED: &str = "__frazil_asm_";
/// After that, the section of a text: its number follows.
const SECTION: &str = "text_";
/// The label at the end of a text: its number follows.
const END: &str = "end_";
/// A name that stands for a reference: the numbers of text and piece follow.
const REFERENCE: &str = "ref_";
