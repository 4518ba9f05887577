//! `cargo xtask machine-passes`: the corpus, with and without vectors, is compiled under every recipe that has machine
//! passes, each of which the validator has to prove.
//!
//! A table shows how many results of passes were proved and how many were not; what was refuted or could not be proved
//! is named. It fails if anything is refuted, or if more than [`MOST_UNPROVED`] of all is not proved.

use std::time::Duration;

use anyhow::{Result, bail};
use pico_args::Arguments;

use crate::compiler::Compiler;
use crate::corpus::{self, Level, Module};
use crate::process;
use crate::share::Share;
use crate::validator::Counts;
use crate::workspace;

/// The recipes with machine passes.
const RECIPES: [&str; 3] = ["O1", "O2", "Os"];
/// The part of all results that may be unproved.
const MOST_UNPROVED: f64 = 0.005;
/// More than this is a hang.
const TIME_LIMIT: Duration = Duration::from_secs(3600);

/// `cargo xtask machine-passes [FILTER]` with the options of [`Share`] and [`Compiler::list_from_arguments`].
pub fn command(mut arguments: Arguments) -> Result<bool> {
    let compilers = Compiler::list_from_arguments(&mut arguments, &RECIPES)?;
    let mut share = Share::from_arguments(&mut arguments)?;
    let modules = corpus::modules_at(&Level::EACH, &corpus::filter(arguments)?)?;
    let has_passes = |compiler: &&Compiler| compiler.recipe().is_some_and(|recipe| RECIPES.contains(&recipe));
    let compilers: Vec<&Compiler> = compilers.iter().filter(has_passes).collect();
    if compilers.is_empty() {
        bail!("none of the recipes has machine passes");
    }
    let total = modules.len() * compilers.len();
    let (mut all, mut made, mut refused) = (Counts::default(), 0, 0);
    share.begin();
    for number in share.order(total) {
        if !share.has_time() {
            break;
        }
        let (module, compiler) = (&modules[number / compilers.len()], compilers[number % compilers.len()]);
        made += 1;
        match validate(module, compiler)? {
            Some(counts) => {
                let Counts { proved, unproved, .. } = counts;
                println!(
                    "{:<20} {:<4} {proved:>7} proved {unproved:>4} unproved",
                    module.name(),
                    recipe(compiler)
                );
                all.proved += proved;
                all.unproved += unproved;
            }
            None => refused += 1,
        }
    }
    let part = all.unproved as f64 / (all.proved + all.unproved).max(1) as f64;
    println!("{}", share.report("modules and recipes", made, total));
    println!(
        "{} proved, {} unproved ({:.3} %), {refused} modules with refuted passes",
        all.proved,
        all.unproved,
        part * 100.0
    );
    Ok(refused == 0 && part <= MOST_UNPROVED)
}

fn recipe(compiler: &Compiler) -> &str {
    compiler.recipe().unwrap_or("")
}

/// Compiles a module with the validator on; `None` if it refutes something, or the module does not compile.
fn validate(module: &Module, compiler: &Compiler) -> Result<Option<Counts>> {
    let output = workspace::target_dir().join("machine-passes.o");
    let compiler = compiler.with_option("--check-machine").with_option("--stats");
    let mut command = compiler.command(module.bitcode()?, &output)?;
    let outcome = process::run(&mut command, TIME_LIMIT)?;
    let text = String::from_utf8_lossy(&outcome.stderr);
    for line in text
        .lines()
        .filter(|line| line.contains("not proved") || line.contains("error:"))
    {
        println!("  {line}");
    }
    if !outcome.success() {
        println!("{:<20} {:<4} FAILED", module.name(), recipe(&compiler));
        return Ok(None);
    }
    let mut counts = Counts::default();
    counts.add(&outcome.stderr);
    Ok(Some(counts))
}
