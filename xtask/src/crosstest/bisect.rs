//! `cargo xtask crosstest --bisect`: the function and the pass that make a program of the corpus misbehave.
//!
//! [`crate::bisect`] searches; here is only what a good object is: its program behaves like that of llc.

use std::path::Path;

use anyhow::{Context, Result, ensure};

use super::{Verdict, compare, compile_host_part, link_command};
use crate::bisect::Search;
use crate::compiler::{Compiler, LlcLevel};
use crate::corpus::Module;
use crate::{machine, process};

/// Finds and prints what makes `module` fail. `Ok(true)` if it does not fail.
pub fn bisect(module: &Module, frazil: &Compiler) -> Result<bool> {
    let dir = machine::folder().join("bisect").join(module.name());
    let reference = super::build_module(module, &Compiler::Llc(LlcLevel::O0), &dir)?;
    let reference = reference.program.with_context(|| reference.problem.clone())?;
    let host_part = compile_host_part(module, &dir)?;
    for run in module.program.runs {
        let is_good = |object: &Path| {
            let program = object.with_file_name("program");
            let objects = [object].into_iter().chain(host_part.as_deref());
            let mut link = link_command(machine::cc(), objects, &program);
            let linked = process::run(&mut link, process::TIME_LIMIT)?;
            ensure!(linked.success(), "{}", linked.first_error_line());
            Ok(matches!(compare(&reference, &program, run)?, Verdict::Passed))
        };
        let search = Search {
            bitcode: module.bitcode()?,
            frazil,
            dir: dir.clone(),
            is_good: &is_good,
        };
        match search.find()? {
            None => println!("{} {}: ok", module.name(), run.name),
            Some(culprit) => {
                println!("{} {}: wrong because of {culprit}", module.name(), run.name);
                return Ok(false);
            }
        }
    }
    Ok(true)
}
