//! `cargo xtask crosstest --bisect MODULE`: which function does Frazil compile wrongly?
//!
//! The module is cut in two: some functions are compiled by Frazil and the others by llc, and the linked program is
//! compared as usual. Halving the set of Frazil's functions as long as the program misbehaves leaves one function, or
//! a few that misbehave only together. llvm-extract cuts; it makes local symbols visible to the other part.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, Result, ensure};

use super::{Built, Verdict, compare, compile_host_part, link_command};
use crate::compiler::{Compiler, LlcLevel};
use crate::corpus::{Module, Run};
use crate::{process, workspace};

/// Finds and prints the functions that make `module` fail. `Ok(true)` if it does not fail.
pub fn bisect(module: &Module, frazil: &Compiler) -> Result<bool> {
    let dir = workspace::target_dir().join("bisect").join(module.name());
    let reference = super::build_module(module, &Compiler::Llc(LlcLevel::O0), &dir)?;
    let reference = reference.program.with_context(|| reference.problem.clone())?;
    let functions = defined_functions(&module.bitcode)?;
    for run in module.program.runs {
        let search = Search {
            module,
            frazil,
            dir: &dir,
            reference: &reference,
            run,
        };
        if search.behaves(&functions)? {
            println!("{} {}: ok", module.name(), run.name);
            continue;
        }
        let guilty = search.reduce(functions)?;
        println!("{} {}: wrong because of {}", module.name(), run.name, guilty.join(", "));
        println!("  see {}", dir.join("ours.bc").display());
        // Leaves the cut modules of exactly these functions behind.
        search.behaves(&guilty)?;
        return Ok(false);
    }
    Ok(true)
}

/// The names of the functions with bodies, in the order of the module.
fn defined_functions(bitcode: &Path) -> Result<Vec<String>> {
    let text = process::checked(
        workspace::llvm_tool(workspace::LLVM_DIS)?
            .arg(bitcode)
            .args(["-o", "-"]),
    )?
    .stdout;
    let text = String::from_utf8_lossy(&text);
    let heads = text.lines().filter(|line| line.starts_with("define "));
    Ok(heads
        .filter_map(|head| Some(head.split_once('@')?.1.split_once('(')?.0.trim_matches('"').to_owned()))
        .collect())
}

/// What stays the same while the set of functions shrinks.
struct Search<'a> {
    module: &'a Module,
    frazil: &'a Compiler,
    dir: &'a Path,
    reference: &'a Path,
    run: &'a Run,
}

impl Search<'_> {
    /// The smallest part of `functions`, which misbehave together, that halving finds.
    fn reduce(&self, functions: Vec<String>) -> Result<Vec<String>> {
        if functions.len() == 1 {
            return Ok(functions);
        }
        let (first, second) = functions.split_at(functions.len() / 2);
        for half in [first, second] {
            eprintln!("{} functions left", half.len());
            if !self.behaves(half)? {
                return self.reduce(half.to_vec());
            }
        }
        Ok(functions)
    }

    /// Whether the program is right when Frazil compiles `ours` and llc the rest.
    fn behaves(&self, ours: &[String]) -> Result<bool> {
        let built = self.build(ours)?;
        let Some(program) = built.program else {
            eprintln!("{}", built.problem);
            return Ok(false);
        };
        Ok(matches!(compare(self.reference, &program, self.run)?, Verdict::Passed))
    }

    fn build(&self, ours: &[String]) -> Result<Built> {
        let list = self.dir.join("functions");
        let lines: Vec<String> = ours.iter().map(|name| format!("\"--func={name}\"\n")).collect();
        fs::write(&list, lines.concat())?;
        let mut link = Vec::new();
        for (name, compiler, options) in [
            ("ours", self.frazil, &[][..]),
            ("theirs", &Compiler::Llc(LlcLevel::O0), &["--delete"][..]),
        ] {
            let part = self.dir.join(format!("{name}.bc"));
            let mut extract = workspace::llvm_tool("llvm-extract-22")?;
            extract
                .args(options)
                .arg(format!("@{}", list.display()))
                .arg(&self.module.bitcode)
                .arg("-o")
                .arg(&part);
            process::checked(&mut extract)?;
            let object = self.dir.join(format!("{name}.o"));
            let compiled = process::run(&mut compiler.command(&part, &object)?, process::TIME_LIMIT)?;
            if !compiled.success() {
                return Ok(Built {
                    program: None,
                    problem: compiled.first_error_line(),
                });
            }
            link.push(object);
        }
        self.link(&link)
    }

    fn link(&self, objects: &[PathBuf]) -> Result<Built> {
        let program = self.dir.join("program");
        let host_part = compile_host_part(self.module, self.dir)?;
        let [ours, theirs] = objects else {
            anyhow::bail!("two objects")
        };
        let mut link = link_command(Command::new(workspace::CC), ours, host_part.as_deref(), &program);
        let linked = process::run(link.arg(theirs), process::TIME_LIMIT)?;
        ensure!(linked.success(), "{}", linked.first_error_line());
        Ok(Built {
            program: Some(program),
            problem: String::new(),
        })
    }
}
