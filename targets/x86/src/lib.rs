//! The x86 target family.

pub mod build;
pub mod cond;
pub mod encode;
pub mod ops;
pub mod print;
pub mod regs;
pub mod relocs;
pub mod table;
mod template;

#[cfg(test)]
mod tests;
