//! `cargo xtask bench --kernels`: how long kernels run that Frazil and llc -O2 compiled from the same vectorized
//! bitcode.
//!
//! The kernels are in `benches/kernels`: small loops of the kinds that codecs, hashes, parsers and linear algebra are
//! made of, and programs whose branches depend on data: sorting, searching, dynamic programming. clang compiles them
//! with its vectorizers for each processor, and [`harness.c`] runs each of them for some milliseconds, with checksums
//! of what it computed. The two programs run in turn; the least time of each kernel counts. Different results are a
//! failure, slow kernels are a row of the table.
//!
//! [`harness.c`]: ../../../../benches/kernels/harness.c

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, Result, bail, ensure};

use super::statistics::geometric_mean;
use crate::compiler::{Compiler, LlcLevel};
use crate::{process, workspace};

/// The files of kernels, without their extension.
const FILES: [&str; 5] = ["bytes", "integers", "floats", "blocks", "branches"];

/// The processors that clang compiles the kernels for, unless the command line names one: all of their architecture,
/// and those with AVX2 and FMA.
const PROCESSORS: [&str; 2] = ["x86-64", "x86-64-v3"];

/// How clang makes bitcode of the kernels.
const OPTIONS: [&str; 6] = ["-O2", "-fno-math-errno", "-fPIC", "-c", "-emit-llvm", "-Wall"];

/// The reference, and how much longer than with it kernels may run: in the mean, and each.
const REFERENCE: Compiler = Compiler::Llc(LlcLevel::O2);
const MEAN_GOAL: f64 = 1.1;
const SINGLE_GOAL: f64 = 1.5;

/// By how much of itself a sum of floats may differ: compilers fuse and reorder.
const FLOAT_TOLERANCE: f64 = 1e-6;

/// What the harness says of one kernel.
struct Figures {
    integers: String,
    floats: f64,
    picoseconds: f64,
}

/// Prints a row for each kernel whose name contains `filter`, and the means. `Ok(false)` if a result is wrong.
pub fn measure(frazil: &Compiler, filter: &str, processor: Option<&str>, repeat: usize) -> Result<bool> {
    let names = names(filter)?;
    let mut is_right = true;
    for processor in PROCESSORS.into_iter().filter(|_| processor.is_none()).chain(processor) {
        let folder = workspace::target_dir().join("bench/kernels").join(processor);
        fs::create_dir_all(&folder)?;
        let programs = [frazil, &REFERENCE].map(|compiler| build(compiler, processor, &folder));
        let [ours, reference] = programs;
        let (ours, reference) = (ours?, reference?);
        let (mut best, mut best_reference) = (run(&ours, &names)?, run(&reference, &names)?);
        for _ in 1..repeat {
            keep_best(&mut best, run(&ours, &names)?);
            keep_best(&mut best_reference, run(&reference, &names)?);
        }
        is_right &= print(frazil, processor, &best, &best_reference);
    }
    Ok(is_right)
}

/// The names of kernels that contain `filter`, as the header lists them.
fn names(filter: &str) -> Result<Vec<String>> {
    let header = fs::read_to_string(source("kernels.h"))?;
    let listed = header.split("X(").skip(1).filter_map(|rest| rest.split_once(')'));
    let names: Vec<String> = listed
        .map(|(name, _)| name.to_owned())
        .filter(|name| name.contains(filter) && name.starts_with(|first: char| first.is_ascii_lowercase()))
        .collect();
    ensure!(!names.is_empty(), "no kernel's name contains `{filter}`");
    Ok(names)
}

fn source(name: &str) -> PathBuf {
    workspace::root().join("benches/kernels").join(name)
}

/// The program with the kernels as `compiler` compiles them.
fn build(compiler: &Compiler, processor: &str, folder: &Path) -> Result<PathBuf> {
    let program = folder.join(compiler.name());
    let mut link = Command::new(workspace::CC);
    for file in FILES {
        let bitcode = folder.join(file).with_extension("bc");
        let mut clang = Command::new(workspace::CLANG);
        clang.args(OPTIONS).arg(format!("-march={processor}"));
        process::checked(clang.arg(source(file).with_extension("c")).arg("-o").arg(&bitcode))?;
        let object = folder.join(format!("{}-{file}.o", compiler.name()));
        process::checked(&mut compiler.command(&bitcode, &object)?)?;
        link.arg(object);
    }
    let harness = folder.join("harness.o");
    let mut clang = Command::new(workspace::CLANG);
    process::checked(
        clang
            .args(["-O2", "-c"])
            .arg(source("harness.c"))
            .arg("-o")
            .arg(&harness),
    )?;
    process::checked(link.arg(harness).args(["-lm", "-o"]).arg(&program))?;
    Ok(program)
}

fn run(program: &Path, names: &[String]) -> Result<BTreeMap<String, Figures>> {
    let outcome = process::checked(Command::new(program).args(names))?;
    let text = String::from_utf8(outcome.stdout).context("the harness writes text")?;
    let mut figures = BTreeMap::new();
    for line in text.lines() {
        let words: Vec<&str> = line.split(' ').collect();
        let [name, integers, floats, picoseconds] = words[..] else {
            bail!("{}: unexpected line `{line}`", program.display());
        };
        let row = Figures {
            integers: integers.to_owned(),
            floats: floats.parse()?,
            picoseconds: picoseconds.parse()?,
        };
        figures.insert(name.to_owned(), row);
    }
    Ok(figures)
}

fn keep_best(best: &mut BTreeMap<String, Figures>, figures: BTreeMap<String, Figures>) {
    for (name, figure) in figures {
        if let Some(row) = best.get_mut(&name) {
            row.picoseconds = row.picoseconds.min(figure.picoseconds);
        }
    }
}

/// Whether two programs computed the same.
fn agree(one: &Figures, other: &Figures) -> bool {
    let distance = (one.floats - other.floats).abs();
    one.integers == other.integers && distance <= FLOAT_TOLERANCE * one.floats.abs().max(1.0)
}

fn print(
    frazil: &Compiler,
    processor: &str,
    best: &BTreeMap<String, Figures>,
    reference: &BTreeMap<String, Figures>,
) -> bool {
    println!("{processor}: nanoseconds for one run of a kernel, the least of all\n");
    println!(
        "{:<22} {:>12} {:>12} {:>9}",
        "kernel",
        frazil.name(),
        REFERENCE.name(),
        "relative"
    );
    let mut rows: Vec<(f64, &str)> = Vec::new();
    let mut wrong = 0;
    for (name, ours) in best {
        let theirs = &reference[name];
        rows.push((ours.picoseconds / theirs.picoseconds, name));
        if !agree(ours, theirs) {
            println!(
                "{name}: WRONG: {} {} instead of {} {}",
                ours.integers, ours.floats, theirs.integers, theirs.floats
            );
            wrong += 1;
        }
    }
    rows.sort_by(|one, other| other.0.total_cmp(&one.0));
    for &(relative, name) in &rows {
        let nanoseconds = [best, reference].map(|of| of[name].picoseconds / 1000.0);
        println!(
            "{name:<22} {:>12.1} {:>12.1} {relative:>9.3}",
            nanoseconds[0], nanoseconds[1]
        );
    }
    let relatives: Vec<f64> = rows.iter().map(|row| row.0).collect();
    let mean = geometric_mean(&relatives).unwrap_or(f64::NAN);
    let slow = relatives.iter().filter(|relative| **relative > SINGLE_GOAL).count();
    println!(
        "\n{processor}: {} kernels, {wrong} wrong, geometric mean {mean:.3} (goal {MEAN_GOAL}), largest {:.3} (goal \
         {SINGLE_GOAL}, exceeded by {slow})\n",
        rows.len(),
        relatives[0]
    );
    wrong == 0
}
