//! CPU time, peak memory and code size of compiling each corpus module.

use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, ensure};
use object::{Object, ObjectSection, SectionKind};

use super::stages;
use super::statistics::{geometric_mean, median};
use crate::compiler::{Compiler, LlcLevel};
use crate::corpus::{Level, Module};
use crate::{process, workspace};

/// The figures of one compiler on one module.
#[derive(Default)]
struct Samples {
    cpu_seconds: Vec<f64>,
    peak_bytes: Vec<f64>,
    text_bytes: u64,
}

/// Prints a table with a row for each module, and the means.
pub fn measure(modules: &[Module], frazil: &Compiler, pairs: usize) -> Result<()> {
    println!("CPU time (user + system, whole process), medians of {pairs} interleaved pairs; ratio = llc / frazil");
    println!(
        "{:<10} {:>12} {:>10} {:>9} {:>7} {:>9} {:>24} {:>19} {:>21}",
        "module",
        "instructions",
        "frazil ms",
        "llc ms",
        "ratio",
        "ns/instr.",
        "read/compile/write ns",
        "peak MB frazil/llc",
        "text kB frazil/llc"
    );
    let mut ratios = Vec::new();
    for module in modules {
        match measure_module(module, frazil, pairs) {
            Ok(ratio) => ratios.push((module, ratio)),
            Err(error) => println!("{:<10} {error:#}", module.name()),
        }
    }
    println!();
    for level in [Some(Level::O0), Some(Level::O2), None] {
        let selected: Vec<f64> = ratios
            .iter()
            // A program without a package is all start-up: it has its row, but no part in the mean.
            .filter(|(module, _)| module.program.package.is_some() && level.is_none_or(|level| module.level == level))
            .map(|&(_, ratio)| ratio)
            .collect();
        if let Some(mean) = geometric_mean(&selected) {
            println!(
                "geometric mean, {:<3} {mean:>6.2}  ({} modules)",
                level.map_or("all", Level::name),
                selected.len()
            );
        }
    }
    Ok(())
}

/// Prints the row of one module and returns its ratio.
fn measure_module(module: &Module, frazil: &Compiler, pairs: usize) -> Result<f64> {
    let dir = workspace::target_dir().join("bench");
    fs::create_dir_all(&dir)?;
    let (mut ours, mut theirs) = (Samples::default(), Samples::default());
    let mut ratios = Vec::new();
    for _ in 0..pairs {
        compile(module, frazil, &dir, &mut ours)?;
        compile(module, &Compiler::Llc(LlcLevel::O0), &dir, &mut theirs)?;
        ratios.push(theirs.cpu_seconds.last().unwrap_or(&0.0) / ours.cpu_seconds.last().unwrap_or(&0.0));
    }
    ours.text_bytes = text_size(&object_path(module, frazil, &dir))?;
    theirs.text_bytes = text_size(&object_path(module, &Compiler::Llc(LlcLevel::O0), &dir))?;
    let (ratio, seconds) = (median(&ratios), median(&ours.cpu_seconds));
    let [read, compile, write] = stages::measure(module, frazil, &object_path(module, frazil, &dir), pairs)?;
    println!(
        "{:<10} {:>12} {:>10.2} {:>9.2} {ratio:>7.2} {:>9.1} {read:>8.1} /{compile:>6.1} /{write:>6.1} {:>9.1} / {:>7.1} {:>10.1} / {:>8.1}",
        module.name(),
        module.instructions,
        seconds * 1e3,
        median(&theirs.cpu_seconds) * 1e3,
        seconds * 1e9 / module.instructions as f64,
        median(&ours.peak_bytes) / 1e6,
        median(&theirs.peak_bytes) / 1e6,
        ours.text_bytes as f64 / 1e3,
        theirs.text_bytes as f64 / 1e3,
    );
    Ok(ratio)
}

fn object_path(module: &Module, compiler: &Compiler, dir: &Path) -> PathBuf {
    dir.join(format!("{}-{}.o", module.name(), compiler.name()))
}

fn compile(module: &Module, compiler: &Compiler, dir: &Path, samples: &mut Samples) -> Result<()> {
    let mut command = compiler.command(&module.bitcode, &object_path(module, compiler, dir))?;
    let outcome = process::run(&mut command, process::TIME_LIMIT)?;
    ensure!(
        outcome.success(),
        "{}: {}: {}",
        compiler.name(),
        outcome.ending(),
        outcome.first_error_line()
    );
    samples.cpu_seconds.push(outcome.cpu_time().as_secs_f64());
    samples.peak_bytes.push(outcome.peak_bytes as f64);
    Ok(())
}

/// The size of an object's machine code: all sections of code, however the functions are spread over them.
fn text_size(path: &Path) -> Result<u64> {
    let bytes = fs::read(path)?;
    let file = object::File::parse(&*bytes).with_context(|| path.display().to_string())?;
    Ok(file
        .sections()
        .filter(|section| section.kind() == SectionKind::Text)
        .map(|section| section.size())
        .sum())
}
