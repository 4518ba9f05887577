//! `cargo xtask bench --passes`: what each pass of a recipe does, costs and gains on the corpus.
//!
//! How often a pass fires is the sum of what it counts (`--stats`), its cost the share of the compile time
//! (`--time-passes`). What it gains is measured by leaving it out (`--disable`): the instructions that the programs
//! execute, counted by callgrind on their short workloads, and the size of the machine code. Where an object is the
//! same without the pass, nothing is run.
//!
//! A pass counts when it fires and a test fails without it. The latter is what the file tests say, whose trials named
//! [`TRIAL`] leave each registered pass out; they are made here, too.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};
use std::time::Duration;

use anyhow::{Context, Result, ensure};
use serde_json::Value;

use super::statistics::geometric_mean;
use super::{compile_time, instructions};
use crate::compiler::Compiler;
use crate::corpus::Module;
use crate::long_test::file_tests;
use crate::{crosstest, process, workspace};

/// Parts of the optimizing path that are timed like passes but cannot be left out.
const FIXED_PARTS: [&str; 4] = ["select", "regalloc", "apply", "emit"];

/// What the file tests call the trial on a pass, after its name.
const TRIAL: &str = " is missed when it is left out";

/// What is known of one pass.
#[derive(Default)]
struct Pass {
    nanoseconds: f64,
    fired: u64,
    /// Executed instructions without the pass through those with it, for each run.
    executed: Vec<f64>,
    /// Text size without the pass through that with it, for each module.
    text: Vec<f64>,
    /// A refusal or a wrong result without it.
    problem: Option<String>,
    /// Whether a test fails without it.
    is_tested: bool,
}

/// What the full recipe makes of a module.
struct Baseline {
    object: PathBuf,
    text_bytes: u64,
    /// By the name of the run.
    executed: BTreeMap<&'static str, u64>,
}

/// Prints the table. `Ok(false)` if a pass does not count, or something went wrong without one.
pub fn measure(modules: &[Module], frazil: &Compiler) -> Result<bool> {
    let dir = workspace::target_dir().join("bench/passes");
    fs::create_dir_all(&dir)?;
    let mut order: Vec<String> = Vec::new();
    let mut passes: BTreeMap<String, Pass> = BTreeMap::new();
    let mut total = 0.0;
    for module in modules {
        total += add_costs(module, frazil, &dir, &mut order, &mut passes)?;
    }
    let tested = tested_passes()?;
    for (name, pass) in &mut passes {
        pass.is_tested = tested.contains(name);
    }
    for module in modules
        .iter()
        .filter(|module| module.program.runs.iter().any(|run| run.long.is_some()))
    {
        eprintln!("{}", module.name());
        let baseline = baseline(module, frazil, &dir)?;
        for name in order.iter().filter(|name| !FIXED_PARTS.contains(&name.as_str())) {
            let pass = passes.get_mut(name).context("every pass has a row")?;
            if let Err(error) = add_gains(module, frazil, name, &baseline, &dir, pass) {
                pass.problem = Some(format!("{}: {error:#}", module.name()));
            }
        }
    }
    Ok(report(frazil, &order, &passes, total))
}

fn report(frazil: &Compiler, order: &[String], passes: &BTreeMap<String, Pass>, total: f64) -> bool {
    println!("{frazil}: passes over the corpus; what leaving a pass out changes, in percent");
    println!(
        "{:<22} {:>10} {:>8} {:>14} {:>10} {:>8} {:>7}",
        "pass", "fires", "time %", "instructions", "largest", "text", "tested"
    );
    let mut problems = 0;
    for name in order {
        let pass = &passes[name];
        let is_fixed = FIXED_PARTS.contains(&name.as_str());
        let percent = |values: &[f64]| geometric_mean(values).map_or("-".to_owned(), signed_percent);
        let largest = pass.executed.iter().copied().max_by(f64::total_cmp);
        println!(
            "{name:<22} {:>10} {:>8.2} {:>14} {:>10} {:>8} {:>7}",
            pass.fired,
            100.0 * pass.nanoseconds / total,
            percent(&pass.executed),
            largest.map_or("-".to_owned(), signed_percent),
            percent(&pass.text),
            match (is_fixed, pass.is_tested) {
                (true, _) => "-",
                (false, true) => "yes",
                (false, false) => "no",
            },
        );
        if let Some(problem) = &pass.problem {
            println!("  without it: {problem}");
            problems += 1;
        }
        if pass.fired == 0 && !is_fixed {
            println!("  it never fires");
            problems += 1;
        }
        if !pass.is_tested && !is_fixed {
            println!("  no test fails without it");
            problems += 1;
        }
    }
    println!("{} passes, {problems} problems", order.len());
    problems == 0
}

fn signed_percent(ratio: f64) -> String {
    format!("{:+.2}", (ratio - 1.0) * 100.0)
}

/// The passes without which some file test fails.
fn tested_passes() -> Result<BTreeSet<String>> {
    let mut command = file_tests();
    command.args(["--", TRIAL.trim()]);
    let outcome = process::run(&mut command, Duration::from_secs(1800))?;
    let report = String::from_utf8_lossy(&outcome.stdout);
    let tested: BTreeSet<String> = report.lines().filter_map(passed_trial).collect();
    ensure!(
        !tested.is_empty(),
        "the file tests say nothing:\n{report}{}",
        outcome.first_error_line()
    );
    Ok(tested)
}

/// The pass that a line of the report says is missed.
fn passed_trial(line: &str) -> Option<String> {
    let (name, verdict) = line.strip_prefix("test ")?.split_once(TRIAL)?;
    verdict.trim_end().ends_with("ok").then(|| name.to_owned())
}

/// Compiles with timers and counters. Returns the nanoseconds of all stages.
fn add_costs(
    module: &Module,
    frazil: &Compiler,
    dir: &Path,
    order: &mut Vec<String>,
    passes: &mut BTreeMap<String, Pass>,
) -> Result<f64> {
    let mut command = frazil.command(module.bitcode()?, &dir.join("measured.o"))?;
    let outcome = process::checked(command.args(["--stats", "--time-passes=json"]))?;
    // The counts follow once more, as text.
    let mut reports = serde_json::Deserializer::from_slice(&outcome.stderr).into_iter::<Value>();
    let report = reports.next().context("no report of --time-passes=json")??;
    for row in report["passes"].as_array().context("no list of passes")? {
        let name = row["name"].as_str().context("a pass without a name")?;
        if !passes.contains_key(name) {
            order.push(name.to_owned());
        }
        passes.entry(name.to_owned()).or_default().nanoseconds += row["time"].as_f64().unwrap_or_default();
    }
    for row in report["statistics"].as_array().context("no statistics")? {
        let name = row["pass"].as_str().context("a count without a pass")?;
        if let Some(pass) = passes.get_mut(name) {
            pass.fired += row["count"].as_u64().unwrap_or_default();
        }
    }
    let stages = report["times"].as_object().context("no times")?;
    Ok(stages.values().filter_map(Value::as_f64).sum())
}

fn baseline(module: &Module, frazil: &Compiler, dir: &Path) -> Result<Baseline> {
    let dir = dir.join("all");
    let built = crosstest::build_module(module, frazil, &dir)?;
    let program = built.program.with_context(|| built.problem.clone())?;
    let object = dir.join(format!("{frazil}.o"));
    Ok(Baseline {
        text_bytes: compile_time::text_size(&object)?,
        object,
        executed: executed(module, &program)?,
    })
}

/// The instructions that each measured run executes on its short workload.
fn executed(module: &Module, program: &Path) -> Result<BTreeMap<&'static str, u64>> {
    let runs = module.program.runs.iter().filter(|run| run.long.is_some());
    runs.map(|run| {
        let command = crosstest::run_command(program, run, run.short);
        Ok((run.name, instructions::count_in_program(&command)?))
    })
    .collect()
}

/// Compiles without a pass and compares with all passes.
fn add_gains(
    module: &Module,
    frazil: &Compiler,
    name: &str,
    baseline: &Baseline,
    dir: &Path,
    pass: &mut Pass,
) -> Result<()> {
    let dir = dir.join("without");
    let without = frazil.with_option(&format!("--disable={name}"));
    let built = crosstest::build_module(module, &without, &dir)?;
    let program = built.program.with_context(|| built.problem.clone())?;
    let object = dir.join(format!("{frazil}.o"));
    pass.text
        .push(compile_time::text_size(&object)? as f64 / baseline.text_bytes as f64);
    if fs::read(&object)? == fs::read(&baseline.object)? {
        pass.executed.extend(baseline.executed.iter().map(|_| 1.0));
        return Ok(());
    }
    for (run, count) in executed(module, &program)? {
        let before = baseline.executed.get(run).context("a run that was not made before")?;
        ensure!(*before > 0, "{run}: nothing was counted");
        pass.executed.push(count as f64 / *before as f64);
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reads_the_report_of_the_file_tests() {
        let passed = "test dce is missed when it is left out            ... ok";
        assert_eq!(passed_trial(passed).as_deref(), Some("dce"));
        assert_eq!(passed_trial("test dce is missed when it is left out ... FAILED"), None);
        assert_eq!(passed_trial("test every opcode is run ... ok"), None);
    }
}
