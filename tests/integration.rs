//! Tests of the library and of the command as a whole.
//!
//! They are one program, because each program of tests links the whole compiler.
//! `cargo test --test integration -- exceptions` makes those of one module.

mod asm;
mod asm_programs;
mod bounds;
mod command;
mod compare;
mod compressed_debug;
mod containers;
mod conventions;
mod debug_information;
mod debug_texts;
mod debug_units;
mod dominance;
mod driver;
mod exceptions;
mod executables;
mod features;
mod instrument;
mod jump_tables;
mod llc;
mod machine_faults;
mod memory_programs;
mod mistakes;
mod module_features;
mod observe;
mod old_modules;
mod pointer_width;
mod refusal_codes;
mod refusals;
mod split;
mod start;
mod systems;
mod thread_local;
mod threads;
mod unsupported;
mod wide_integers;

use std::path::{Path, PathBuf};
use std::process::Command;

/// All built-in recipes.
const RECIPES: &[&str] = &["Om1", "O1", "O2", "Os"];

/// A small program of C, as bitcode.
const SAMPLE: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/examples/hello.bc");

fn frazil() -> Command {
    Command::new(env!("CARGO_BIN_EXE_frazil"))
}

/// The command, with a recipe and all that checks what the recipe does.
fn checking_frazil(recipe: &str) -> Command {
    let mut command = frazil();
    command.args(["--check-regalloc", "--verify-each", "--recipe", recipe]);
    command
}

/// A file of the repository.
fn in_repository(path: impl AsRef<Path>) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join(path)
}
