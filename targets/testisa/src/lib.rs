//! A tiny target with habits opposite to x86's, and its simulator, for tests.
//!
//! It proves that the interface to targets is no x86 in disguise: there are no condition flags (branches compare),
//! instructions have three addresses, registers have 32 bits (an `i64` lies in two, an `i128` in four), four integer
//! and four float registers are allocatable, memory must be aligned, displacements have 8 bits, conditional branches
//! reach 127 instructions, float constants stand in the code, arguments may be split between registers and stack, and
//! float registers are preserved by calls. [`program::Program`] compiles a module by the fast path and runs it in the
//! simulator.
//!
//! The machine, as far as it is not said by the op table: instructions are one little-endian word, some followed by a
//! word with a 32-bit immediate; pointers have 32 bits. A rule may keep intermediate results in registers of its own
//! (`k0` to `k20`), which nobody else looks at.

mod abi;
mod build;
mod encode;
mod frame;
mod isa;
mod islands;
mod lower;
mod meaning;
mod ops;
mod print;
pub mod program;
mod regs;
mod relocs;
pub mod sim;
#[cfg(test)]
mod tests;

pub use isa::Variant;
pub use isa::Variant::TestIsa;
