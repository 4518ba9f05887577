//! The AArch64 target.

pub mod cond;
pub mod encode;
pub mod expand;
pub mod immediates;
pub mod ops;
pub mod print;
pub mod regs;
pub mod relocs;
pub mod table;
mod vector_rows;

#[cfg(test)]
mod tests;
