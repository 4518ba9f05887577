//! LLVM's own bitcode, as versions 3.0 to 22 write it. [`old_forms`] says what only those up to 3.7
//! wrote.
//!
//! [`module`] reads everything but function bodies, [`function`] reads one body. Numbers are in [`codes`].

pub(crate) mod attachments;
pub mod attributes;
mod body;
pub mod codes;
mod comdats;
pub(crate) mod constant_operands;
pub mod constants;
pub mod data_layout;
mod debug;
mod distances;
pub mod function;
mod fused;
pub mod globals;
mod linkage;
pub mod metadata;
pub mod module;
mod names;
mod old_forms;
mod open;
pub mod protection;
mod shapes;
pub mod symbol_info;
pub mod types;
mod undominated;
