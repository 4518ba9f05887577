//! The x86 target family.

pub mod abi;
pub mod build;
pub mod cond;
mod contents;
mod descs;
pub mod encode;
mod evex;
pub mod features;
pub mod frame;
mod inline_asm;
pub mod isa;
pub mod lower;
mod masks;
mod meaning;
mod memory_forms;
pub mod ops;
pub mod peephole;
pub mod platform;
pub mod print;
pub mod processors;
pub mod regs;
pub mod relocs;
mod rows;
pub mod table;
mod template;
mod thirty_two;
pub mod unit;
mod upper;

#[cfg(test)]
mod tests;
