//! The passes over the intermediate representation, one file each.
//!
//! A pass is a file here, its module and its row in [`register`], file tests in `tests/filetests/opt/<name>`, and a row
//! in `passes/PASSES.md`. The name of the file is the name of the pass with underscores for hyphens.

use crate::registry::Registry;

pub mod dce;
pub mod mem2reg;

/// Registers all passes of this folder. A pass without options is made by `|NoOptions {}| name::Pass`, one with
/// options by a function that takes them.
pub fn register(registry: &mut Registry) {
    registry.function(mem2reg::INFO, mem2reg::make);
    registry.function(dce::INFO, dce::make);
}
