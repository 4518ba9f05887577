//! What tests and automation of several crates share: [numbers that look random](random), [functions made of
//! them](functions), [folders](folder), [commands](command), [objects] and [line tables](line_tables) compared, and
//! [machines] that run programs.
//!
//! It uses no other crate of ours, so that every crate's tests can use it, those of the lowest, too.

mod command;
mod folder;
pub mod functions;
pub mod line_tables;
pub mod machines;
pub mod objects;
mod random;

pub use command::run;
pub use folder::{Folder, names, stems};
pub use random::Random;
