//! The AArch64 target.

pub mod abi;
mod build;
pub mod cond;
pub mod encode;
pub mod expand;
mod features;
mod frame;
pub mod immediates;
mod inline_asm;
pub mod isa;
pub mod islands;
mod lower;
mod meaning;
pub mod ops;
mod outlined;
mod pages;
mod pairs;
mod peephole;
mod platform;
pub mod print;
mod processors;
mod reach;
pub mod regs;
pub mod relocs;
pub mod table;
pub mod vector_forms;
mod vector_rows;
mod words;

#[cfg(test)]
mod tests;
