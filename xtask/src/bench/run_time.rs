//! How long the compiled programs run: user time of the long workloads, the least of several interleaved runs.

use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, ensure};

use super::statistics::geometric_mean;
use crate::compiler::{Compiler, LlcLevel};
use crate::corpus::{Level, Module};
use crate::crosstest;
use crate::{process, workspace};

/// Prints a row for each measured run, and the means.
pub fn measure(modules: &[Module], frazil: &Compiler, repeat: usize) -> Result<()> {
    println!("user time, the least of {repeat} interleaved runs; relative = frazil / llc");
    println!(
        "{:<10} {:<14} {:>9} {:>9} {:>9}",
        "module", "run", "frazil s", "llc s", "relative"
    );
    let mut relatives = Vec::new();
    for module in modules {
        match measure_module(module, frazil, repeat) {
            Ok(found) => relatives.extend(found.into_iter().map(|relative| (module.level, relative))),
            Err(error) => println!("{:<10} {error:#}", module.name()),
        }
    }
    println!();
    for level in [Some(Level::O0), Some(Level::O2), None] {
        let selected: Vec<f64> = relatives
            .iter()
            .filter(|(of, _)| level.is_none_or(|level| *of == level))
            .map(|&(_, relative)| relative)
            .collect();
        if let Some(mean) = geometric_mean(&selected) {
            println!(
                "geometric mean, {:<3} {mean:>6.3}  ({} runs)",
                level.map_or("all", Level::name),
                selected.len()
            );
        }
    }
    Ok(())
}

/// Builds both programs of a module, runs them in turn, and returns the relative time of each run.
fn measure_module(module: &Module, frazil: &Compiler, repeat: usize) -> Result<Vec<f64>> {
    let measured: Vec<_> = module
        .program
        .runs
        .iter()
        .filter_map(|run| run.long.map(|sizes| (run, sizes)))
        .collect();
    if measured.is_empty() {
        return Ok(Vec::new());
    }
    let dir = workspace::target_dir().join("bench").join(module.name());
    fs::create_dir_all(&dir)?;
    let programs = [
        build(module, frazil, &dir)?,
        build(module, &Compiler::Llc(LlcLevel::O0), &dir)?,
    ];
    let mut relatives = Vec::new();
    for (run, sizes) in measured {
        let mut best = [f64::INFINITY; 2];
        for _ in 0..repeat {
            for (program, best) in programs.iter().zip(&mut best) {
                let outcome = process::run(&mut crosstest::run_command(program, run, sizes), process::TIME_LIMIT)?;
                ensure!(outcome.status.is_some(), "{}: {}", run.name, outcome.ending());
                *best = best.min(outcome.user_time.as_secs_f64());
            }
        }
        let relative = best[0] / best[1];
        println!(
            "{:<10} {:<14} {:>9.3} {:>9.3} {relative:>9.3}",
            module.name(),
            run.name,
            best[0],
            best[1]
        );
        relatives.push(relative);
    }
    Ok(relatives)
}

fn build(module: &Module, compiler: &Compiler, dir: &Path) -> Result<PathBuf> {
    let built = crosstest::build_module(module, compiler, dir)?;
    built.program.with_context(|| built.problem.clone())
}
