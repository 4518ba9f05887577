//! `cargo xtask bench --run-time`: how long the compiled programs run, beside those of llc: user time of the long
//! workloads, the least of several interleaved runs.
//!
//! Every program is compiled from unoptimized and from optimized bitcode. Unless the command line names references, the
//! first is compared with llc -O0, which is what one uses for it, and the second with llc -O2, with the goals for both.

use std::path::{Path, PathBuf};

use anyhow::{Context, Result, ensure};

use super::reference;
use super::statistics::geometric_mean;
use crate::compiler::{Compiler, LlcLevel};
use crate::corpus::{Level, Module, Run};
use crate::{crosstest, machine, process};

/// The reference for each level of the input, and how the run times relate to its if recipe O2 reaches its goal: in the
/// mean, and for every single program.
const GOALS: [(Level, LlcLevel, f64, Option<f64>); 4] = [
    (Level::O0, LlcLevel::O0, 1.0 / 1.5, None),
    (Level::O2, LlcLevel::O2, 1.25, Some(1.6)),
    (Level::O2Vectors, LlcLevel::O2, 1.05, Some(1.2)),
    (Level::O3V3, LlcLevel::O2, 1.05, Some(1.2)),
];

/// One row of the table: the user time of Frazil's program, and of those of the references.
struct RunTimes {
    level: Level,
    seconds: f64,
    references: Vec<(LlcLevel, f64)>,
}

/// Prints a row for each measured run, and the means. `Ok(false)` if a module could not be compiled.
pub fn measure(modules: &[Module], frazil: &Compiler, against: &[LlcLevel], repeat: usize) -> Result<bool> {
    println!("user time in seconds, the least of {repeat} interleaved runs; relative = {frazil} / reference");
    let mut rows = Vec::new();
    let mut failed = 0;
    for module in modules {
        match measure_module(module, frazil, against, repeat) {
            Ok(found) => rows.extend(found),
            Err(error) => {
                println!("{:<10} {error:#}", module.name());
                failed += 1;
            }
        }
    }
    println!();
    for (level, default_reference, mean_goal, single_goal) in GOALS {
        let references = references(level, against);
        for reference in references {
            let is_default = reference == default_reference;
            report_means(&rows, level, reference, is_default.then_some((mean_goal, single_goal)));
        }
    }
    if failed > 0 {
        println!("{failed} modules failed");
    }
    Ok(failed == 0)
}

/// What the programs of `level` are compared with.
fn references(level: Level, against: &[LlcLevel]) -> Vec<LlcLevel> {
    if !against.is_empty() {
        return against.to_vec();
    }
    let goals = GOALS.iter().filter(|(of, ..)| *of == level);
    goals.map(|&(_, reference, ..)| reference).collect()
}

fn report_means(rows: &[RunTimes], level: Level, reference: LlcLevel, goal: Option<(f64, Option<f64>)>) {
    let relatives: Vec<f64> = rows
        .iter()
        .filter(|row| row.level == level)
        .flat_map(|row| row.references.iter().map(|(of, seconds)| (*of, row.seconds / seconds)))
        .filter(|(of, _)| *of == reference)
        .map(|(_, relative)| relative)
        .collect();
    let Some(mean) = geometric_mean(&relatives) else { return };
    let largest = relatives.iter().copied().fold(0.0, f64::max);
    let (mean_goal, single_goal) = match goal {
        Some((mean, single)) => (
            format!(" (goal {mean:.3})"),
            single.map_or(String::new(), |single| format!(" (goal {single:.3})")),
        ),
        None => Default::default(),
    };
    println!(
        "from {} bitcode, against {}: geometric mean {mean:.3}{mean_goal}, largest {largest:.3}{single_goal}, {} runs",
        level.name(),
        Compiler::Llc(reference),
        relatives.len()
    );
}

/// Builds all programs of a module, runs them in turn, and prints and returns the rows.
fn measure_module(module: &Module, frazil: &Compiler, against: &[LlcLevel], repeat: usize) -> Result<Vec<RunTimes>> {
    let measured: Vec<_> = module
        .program
        .runs
        .iter()
        .filter_map(|run| run.long.map(|sizes| (run, sizes)))
        .collect();
    if measured.is_empty() {
        return Ok(Vec::new());
    }
    let dir = machine::folder().join("bench").join(module.name());
    let built = crosstest::build_module(module, frazil, &dir)?;
    let mut programs = vec![built.program.with_context(|| built.problem.clone())?];
    let levels = references(module.level, against);
    for &level in &levels {
        programs.push(reference::make(module, level)?.program);
    }
    let mut rows = Vec::new();
    for (run, sizes) in measured {
        let best = measure_run(&programs, run, sizes, repeat)?;
        let row = RunTimes {
            level: module.level,
            seconds: best[0],
            references: levels.iter().copied().zip(best[1..].iter().copied()).collect(),
        };
        print!("{:<10} {:<14} {frazil} {:>7.3}", module.name(), run.name, row.seconds);
        for (level, seconds) in &row.references {
            let relative = row.seconds / seconds;
            print!("   {} {seconds:>7.3}, relative {relative:>6.3}", Compiler::Llc(*level));
        }
        println!();
        rows.push(row);
    }
    Ok(rows)
}

/// The least user time of each program.
pub fn measure_run(programs: &[PathBuf], run: &Run, sizes: &[&str], repeat: usize) -> Result<Vec<f64>> {
    let mut best = vec![f64::INFINITY; programs.len()];
    for _ in 0..repeat {
        for (program, best) in programs.iter().zip(&mut best) {
            *best = best.min(user_seconds(program, run, sizes)?);
        }
    }
    Ok(best)
}

fn user_seconds(program: &Path, run: &Run, sizes: &[&str]) -> Result<f64> {
    let outcome = process::run(&mut crosstest::run_command(program, run, sizes), process::TIME_LIMIT)?;
    // The statements that must fail are counted in the exit status of one of the programs.
    let ended = outcome.status.is_some_and(|status| status.code().is_some());
    ensure!(ended, "{}: {}: {}", program.display(), run.name, outcome.ending());
    Ok(outcome.user_time.as_secs_f64())
}
