//! `cargo xtask crosstest --split N`: programs of the corpus whose modules `frazil split` has divided into N parts.
//!
//! LLVM's verifier accepts each part, each is compiled on its own, and the program that they are linked to does what
//! the one does that `llc-22 -O0` makes of the whole.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Result, bail};

use super::{Tally, Verdict, compare, compile_host_part, link_command, reference};
use crate::compiler::{self, Compiler};
use crate::corpus::Module;
use crate::share::Share;
use crate::{machine, process, workspace};

/// Tests modules in so many parts under recipes, as many as the share allows.
pub fn test(parts: u32, modules: &[Module], compilers: &[Compiler], share: &mut Share) -> Result<bool> {
    let mut made = 0;
    let mut tally = Tally::default();
    let mut references: BTreeMap<String, PathBuf> = BTreeMap::new();
    let total = modules.len() * compilers.len();
    share.begin();
    for number in share.order(total) {
        if !share.has_time() {
            break;
        }
        made += 1;
        let (module, frazil) = (&modules[number / compilers.len()], &compilers[number % compilers.len()]);
        let dir = machine::folder().join("split").join(module.name());
        fs::create_dir_all(&dir)?;
        let reference = reference(&mut references, module, &dir)?;
        let verdicts = match build(module, parts, frazil, &dir)? {
            Err(problem) => vec![("build", Verdict::Failed(problem))],
            Ok(_) if !module.level.is_executable() => vec![("build", Verdict::NotExecuted)],
            Ok(program) => {
                let runs = module.program.runs.iter();
                let compared = runs.map(|run| Ok((run.name, compare(reference, &program, run)?)));
                compared.collect::<Result<Vec<_>>>()?
            }
        };
        for (case, verdict) in verdicts {
            tally.add(&verdict);
            println!("{:<16} {frazil:<11} {case:<14} {verdict}", module.name());
        }
    }
    println!("\n{}", share.report("modules under recipes", made, total));
    println!("{tally}");
    compiler::print_validated(compilers);
    Ok(tally.failed == 0)
}

/// The program that is linked of parts, or why there is none.
fn build(module: &Module, parts: u32, frazil: &Compiler, dir: &Path) -> Result<Result<PathBuf, String>> {
    let Compiler::Frazil { path, .. } = frazil else {
        bail!("only Frazil divides modules");
    };
    let prefix = dir.join("part-");
    let mut split = Command::new(path);
    split
        .arg("split")
        .arg(module.bitcode()?)
        .arg(format!("--parts={parts}"));
    let outcome = process::run(split.arg("-o").arg(&prefix), process::TIME_LIMIT)?;
    if !outcome.success() {
        return Ok(Err(format!("split: {}", outcome.first_error_line())));
    }
    let mut objects = Vec::new();
    for part in 0..parts {
        let bitcode = dir.join(format!("part-{part}.bc"));
        let mut verify = workspace::llvm_tool("opt-22")?;
        verify.args(["-passes=verify", "-disable-output"]).arg(&bitcode);
        let outcome = process::run(&mut verify, process::TIME_LIMIT)?;
        if !outcome.success() {
            return Ok(Err(format!("part {part}: opt: {}", outcome.first_error_line())));
        }
        let object = bitcode.with_extension("o");
        let outcome = frazil.run(&mut frazil.command(&bitcode, &object)?)?;
        if !outcome.success() {
            return Ok(Err(format!("part {part}: {}", outcome.first_error_line())));
        }
        objects.push(object);
    }
    objects.extend(compile_host_part(module, dir)?);
    let program = dir.join(frazil.name());
    let linked = process::run(
        &mut link_command(machine::cc(), objects.iter(), &program),
        process::TIME_LIMIT,
    )?;
    Ok(match linked.success() {
        true => Ok(program),
        false => Err(format!("linking: {}", linked.first_error_line())),
    })
}
