//! `cargo xtask bench`: CPU time, peak memory and code size of compiling each corpus module.
//!
//! Frazil and llc -O0 run in turn, so that a pair of neighboring runs gives one ratio. llc -O2 takes so long that one
//! run of it says enough. Code sizes are compared with llc -O2's, the best there is.

use std::fs;
use std::path::Path;

use anyhow::{Context, Result, ensure};
use object::{Object, ObjectSection, SectionKind};

use super::statistics::{geometric_mean, median};
use super::{reference, stages};
use crate::compiler::{Compiler, LlcLevel};
use crate::corpus::{Level, Module};
use crate::{machine, process};

/// What is measured of one compilation.
pub struct Sample {
    pub cpu_seconds: f64,
    pub peak_bytes: f64,
}

/// What a row says about a module, as ratios.
struct Ratios {
    /// CPU time of llc -O0 and -O2 through that of Frazil.
    faster: [f64; 2],
    /// Size of the machine code through that of llc -O2's.
    text: f64,
}

/// What a recipe is meant to reach in the means.
struct Goals {
    recipe: &'static str,
    faster: Option<[f64; 2]>,
    text: f64,
}

const GOALS: [Goals; 2] = [
    Goals {
        recipe: "O2",
        faster: Some([4.0, 20.0]),
        text: 1.15,
    },
    Goals {
        recipe: "Os",
        faster: None,
        text: 1.05,
    },
];

/// Prints a table with a row for each module, and the means. `Ok(false)` if a module could not be compiled.
pub fn measure(modules: &[Module], frazil: &Compiler, pairs: usize) -> Result<bool> {
    println!(
        "{frazil}: CPU time (user + system, whole process), medians of {pairs} interleaved pairs; ratio = llc / frazil"
    );
    println!(
        "{:<10} {:>12} {:>10} {:>18} {:>18} {:>9} {:>24} {:>19} {:>26}",
        "module",
        "instructions",
        "frazil ms",
        "llc -O0 ms, ratio",
        "llc -O2 ms, ratio",
        "ns/instr.",
        "read/compile/write ns",
        "peak MB frazil/-O0",
        "text kB frazil/-O2, relative"
    );
    let mut rows = Vec::new();
    for module in modules {
        match measure_module(module, frazil, pairs) {
            Ok(ratios) => rows.push((module, ratios)),
            Err(error) => println!("{:<10} {error:#}", module.name()),
        }
    }
    println!();
    for level in [Some(Level::O0), Some(Level::O2), None] {
        // A program without a package is all start-up: it has its row, but no part in the mean.
        let selected = rows
            .iter()
            .filter(|(module, _)| module.program.package.is_some() && level.is_none_or(|level| module.level == level));
        report_means(level, &selected.map(|(_, ratios)| ratios).collect::<Vec<_>>());
    }
    if let Some(goals) = GOALS
        .iter()
        .find(|goals| frazil.name() == format!("frazil-{}", goals.recipe))
    {
        let faster = goals.faster.map_or(String::new(), |[o0, o2]| {
            format!("{o0} times faster than llc -O0, {o2} times faster than llc -O2, ")
        });
        println!("goals of {}: {faster}text {}", goals.recipe, goals.text);
    }
    Ok(rows.len() == modules.len())
}

fn report_means(level: Option<Level>, rows: &[&Ratios]) {
    let mean = |of: fn(&Ratios) -> f64| geometric_mean(&rows.iter().map(|row| of(row)).collect::<Vec<_>>());
    let (Some(o0), Some(o2), Some(text)) = (
        mean(|row| row.faster[0]),
        mean(|row| row.faster[1]),
        mean(|row| row.text),
    ) else {
        return;
    };
    println!(
        "geometric mean, {:<3} {o0:>6.2} times faster than llc -O0, {o2:>6.2} times faster than llc -O2, text {text:.3}  ({} modules)",
        level.map_or("all", Level::name),
        rows.len()
    );
}

/// Prints the row of one module and returns its ratios.
fn measure_module(module: &Module, frazil: &Compiler, pairs: usize) -> Result<Ratios> {
    let dir = machine::folder().join("bench");
    fs::create_dir_all(&dir)?;
    let object = dir.join(format!("{}-{frazil}.o", module.name()));
    let other_object = dir.join("llc.o");
    let (mut ours, mut theirs, mut ratios) = (Vec::new(), Vec::new(), Vec::new());
    for _ in 0..pairs {
        let frazil = compile(module, frazil, &object)?;
        let llc = compile(module, &Compiler::Llc(LlcLevel::O0), &other_object)?;
        ratios.push(llc.cpu_seconds / frazil.cpu_seconds);
        ours.push(frazil);
        theirs.push(llc);
    }
    let optimized = compile(module, &Compiler::Llc(LlcLevel::O2), &other_object)?;
    let text_bytes = text_size(&object)? as f64;
    let optimized_text_bytes = text_size(&reference::make(module, LlcLevel::O2)?.object)? as f64;
    let seconds = median_of(&ours, |sample| sample.cpu_seconds);
    let ratios = Ratios {
        faster: [median(&ratios), optimized.cpu_seconds / seconds],
        text: text_bytes / optimized_text_bytes,
    };
    let [read, compile, write] = stages::measure(module, frazil, &object, pairs)?;
    println!(
        "{:<10} {:>12} {:>10.2} {:>9.2} {:>8.2} {:>9.1} {:>8.2} {:>9.1} {read:>8.1} /{compile:>6.1} /{write:>6.1} {:>9.1} / {:>7.1} {:>9.1} / {:>7.1} {:>6.3}",
        module.name(),
        module.instructions()?,
        seconds * 1e3,
        median_of(&theirs, |sample| sample.cpu_seconds) * 1e3,
        ratios.faster[0],
        optimized.cpu_seconds * 1e3,
        ratios.faster[1],
        seconds * 1e9 / module.instructions()? as f64,
        median_of(&ours, |sample| sample.peak_bytes) / 1e6,
        median_of(&theirs, |sample| sample.peak_bytes) / 1e6,
        text_bytes / 1e3,
        optimized_text_bytes / 1e3,
        ratios.text,
    );
    Ok(ratios)
}

fn median_of(samples: &[Sample], of: fn(&Sample) -> f64) -> f64 {
    median(&samples.iter().map(of).collect::<Vec<_>>())
}

/// Compiles once.
pub fn compile(module: &Module, compiler: &Compiler, output: &Path) -> Result<Sample> {
    let outcome = process::run_measured(&compiler.command(module.bitcode()?, output)?, process::TIME_LIMIT)?;
    ensure!(
        outcome.success(),
        "{compiler}: {}: {}",
        outcome.ending(),
        outcome.first_error_line()
    );
    Ok(Sample {
        cpu_seconds: outcome.cpu_time().as_secs_f64(),
        peak_bytes: outcome.peak_bytes as f64,
    })
}

/// The size of an object's machine code: all sections of code, however the functions are spread over them.
pub fn text_size(path: &Path) -> Result<u64> {
    let bytes = fs::read(path)?;
    let file = object::File::parse(&*bytes).with_context(|| path.display().to_string())?;
    Ok(file
        .sections()
        .filter(|section| section.kind() == SectionKind::Text)
        .map(|section| section.size())
        .sum())
}
