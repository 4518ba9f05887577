//! The dialect of bitcode of PNaCl's executables (`.pexe`, version 2 of PNaCl's ABI): a frozen form of LLVM's with
//! types, records and rules of its own, over the same container.
//!
//! In layers, each of which knows only those before it: [`codes`] has the numbers, `header` what stands before the
//! bitstream, [`types`] the type table, [`intrinsics`] the functions that are no functions, [`globals`] the data,
//! [`module`] everything but the bodies, [`function`] one body, whose `values` and `phis` have files of their own, and
//! whose instructions are in `body`.
//!
//! Pointers are integers of 32 bits in the file. In the IR, addresses are pointers again where memory is accessed and
//! where functions are called; on a target with wider pointers, everything must lie in the first 4 GiB of the address
//! space, the stack too, so that cutting and zero-extending an address changes nothing.
//!
//! [`writer`] makes executables of modules.
//!
//! Every rule of the ABI is checked when it is met, and the message names the rule. What a conforming reader may be
//! lenient about, this one is where real files need it: names of symbols that are no intrinsics, a fourth operand of
//! binary operations.

mod body;
pub mod codes;
mod context;
pub mod function;
pub mod globals;
mod header;
pub mod intrinsics;
pub mod module;
mod phis;
pub mod types;
mod values;
pub mod writer;

#[cfg(test)]
mod tests;

pub use header::is_pexe;
