//! The checks that cases ask for, one file each.

mod asm;
pub mod counted;
pub mod mach;
mod object;
pub mod opt;
mod parse;
pub mod pexe;
mod print;
mod random;
mod reads;
mod run;
mod verify;

pub use run::{function_of, returns_of, signature_text};

use super::case::{Case, Test};
use super::executors;
use frazil_ir::{Function, Module};

pub struct Check {
    /// Its name in `; test` lines.
    pub name: &'static str,
    /// The trials that it makes of a case: a name for each, empty where there is only one.
    pub parts: fn(&Case, &Test) -> Vec<String>,
    /// Makes one trial.
    pub run: fn(&Case, &Test, &str) -> Result<(), String>,
}

/// All checks.
pub const CHECKS: &[Check] = &[
    parse::CHECK,
    print::CHECK,
    pexe::CHECK,
    verify::CHECK,
    run::CHECK,
    reads::CHECK,
    random::CHECK,
    asm::CHECK,
    mach::CHECK,
    object::CHECK,
    opt::CHECK,
];

/// For checks that make one trial.
fn one_part(_: &Case, _: &Test) -> Vec<String> {
    vec![String::new()]
}

/// For checks of compiled code: the targets of the case, by default x86-64.
fn target_parts(case: &Case, _: &Test) -> Vec<String> {
    match case.targets.is_empty() {
        true => vec!["x86_64".to_owned()],
        false => case.targets.clone(),
    }
}

/// The target of this name.
pub fn target(name: &str) -> Result<&'static frazil::TargetEntry, String> {
    let found = frazil::targets().iter().find(|target| target.name == name);
    found.ok_or_else(|| format!("this build has no target {name}"))
}

/// Whether a trial cannot be made here because its executor lacks a tool. With `CI` set, it then fails instead.
pub fn is_unavailable(part: &str) -> bool {
    let executor = executors::of_part(part);
    executor.is_some_and(|(executor, _)| !(executor.is_available)()) && std::env::var_os("CI").is_none()
}

/// The text as a module.
fn parsed(source: &str) -> Result<(Module, Vec<Function>), String> {
    frazil_ir::text::parse_module(source).map_err(|error| error.to_string())
}

/// A module as text.
fn printed(module: &Module, functions: &[Function]) -> String {
    let mut text = String::new();
    frazil_ir::text::print_module(module, functions, &mut text).expect("a string takes everything");
    text
}

/// Messages of the verifier for a module and its functions.
fn verifier_messages(module: &Module, functions: &[Function]) -> Vec<String> {
    let mut errors = Vec::new();
    errors.extend(frazil_ir::verify::verify_module(module).err().into_iter().flatten());
    for function in functions {
        errors.extend(
            frazil_ir::verify::verify_function(module, function)
                .err()
                .into_iter()
                .flatten(),
        );
    }
    errors.iter().map(ToString::to_string).collect()
}
