//! LLVM's own bitcode, as versions 3.8 to 22 write it; module versions from LLVM 3.3 on are read where their records
//! are the same.
//!
//! [`module`] reads everything but function bodies, [`function`] reads one body. Numbers are in [`codes`].

pub(crate) mod attachments;
pub mod attributes;
mod body;
pub mod codes;
pub(crate) mod constant_operands;
pub mod constants;
pub mod data_layout;
mod debug;
pub mod function;
mod fused;
pub mod globals;
mod linkage;
pub mod metadata;
pub mod module;
pub mod protection;
mod shapes;
pub mod types;
mod undominated;
