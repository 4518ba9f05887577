//! `cargo xtask bench --pexe`: how fast executables of PNaCl are compiled, beside the same modules as bitcode of LLVM.
//!
//! The modules are those of the corpus for 32-bit x86, whose pointers have the width of PNaCl's, and Frazil's own
//! writer makes executables of them; what that refuses (vectors, exceptions) is counted and left out. Both forms are
//! compiled for the same target in turn. Nanoseconds for each instruction are of what is read, compiled and written, by
//! Frazil's own clock and count: an executable has more instructions than the bitcode that it is made of.
//!
//! Megabytes of an executable are those of the file. Its records are as compact as they come, without the abbreviations
//! by which PNaCl's own tools made files shorter.

use std::fs;
use std::path::Path;
use std::process::Command;

use anyhow::{Context, Result, ensure};

use super::statistics::{geometric_mean, median};
use crate::compiler::Compiler;
use crate::corpus::Module;
use crate::{machine, process};

/// How much longer an instruction of an executable may take than one of bitcode.
const GOAL: f64 = 1.15;

/// What one form of a module takes.
struct Figures {
    cpu_seconds: f64,
    /// For each instruction that is read.
    nanoseconds: f64,
    instructions: u64,
}

/// Prints a row for each module that has the form of an executable, and the means.
pub fn measure(modules: &[Module], frazil: &Compiler, pairs: usize) -> Result<bool> {
    println!(
        "{frazil}: medians of {pairs} interleaved pairs; ns/instruction by --time-passes; ratio = executable / bitcode"
    );
    println!(
        "{:<12} {:>9} {:>20} {:>10} {:>10} {:>20} {:>7}",
        "module", "pexe kB", "instr. pexe/bitcode", "CPU ms", "MB/s", "ns/instr. pexe/bc", "ratio"
    );
    let folder = machine::folder().join("bench");
    fs::create_dir_all(&folder)?;
    let (mut ratios, mut speeds, mut refused) = (Vec::new(), Vec::new(), 0);
    for module in modules {
        let executable = folder.join(format!("{}.pexe", module.name()));
        if !write(module, frazil, &executable)? {
            refused += 1;
            continue;
        }
        let object = folder.join("pexe.o");
        let (mut of_executable, mut of_bitcode) = (Vec::new(), Vec::new());
        for _ in 0..pairs {
            of_executable.push(compile(frazil, &executable, &object)?);
            of_bitcode.push(compile(frazil, module.bitcode()?, &object)?);
        }
        let [ours, theirs] = [&of_executable, &of_bitcode]
            .map(|samples| median(&samples.iter().map(|figures| figures.nanoseconds).collect::<Vec<_>>()));
        let seconds = median(
            &of_executable
                .iter()
                .map(|figures| figures.cpu_seconds)
                .collect::<Vec<_>>(),
        );
        let megabytes = fs::metadata(&executable)?.len() as f64 / 1e6;
        println!(
            "{:<12} {:>9.1} {:>10} /{:>8} {:>10.2} {:>10.1} {:>10.1} /{:>8.1} {:>7.3}",
            module.name(),
            megabytes * 1e3,
            of_executable[0].instructions,
            of_bitcode[0].instructions,
            seconds * 1e3,
            megabytes / seconds,
            ours,
            theirs,
            ours / theirs,
        );
        // A program without a package is all start-up.
        if module.program.package.is_some() {
            ratios.push(ours / theirs);
            speeds.push(megabytes / seconds);
        }
    }
    let (Some(ratio), Some(speed)) = (geometric_mean(&ratios), geometric_mean(&speeds)) else {
        println!("no module has the form of an executable ({refused} left out)");
        return Ok(false);
    };
    println!(
        "geometric mean: {speed:.1} MB/s, {ratio:.3} times the ns/instruction of bitcode (goal {GOAL}); {} modules, {refused} left out",
        ratios.len()
    );
    Ok(true)
}

/// Makes an executable of a module; false if it has no such form.
fn write(module: &Module, frazil: &Compiler, executable: &Path) -> Result<bool> {
    let Compiler::Frazil { path, .. } = frazil else {
        unreachable!("the options name a recipe of Frazil");
    };
    let mut command = Command::new(path);
    command
        .args(["--emit", "pexe", "-o"])
        .arg(executable)
        .arg(module.bitcode()?);
    let outcome = process::run(&mut command, process::TIME_LIMIT)?;
    if !outcome.success() {
        println!("{:<12} {}", module.name(), outcome.first_error_line());
    }
    Ok(outcome.success())
}

/// Compiles once.
fn compile(frazil: &Compiler, input: &Path, object: &Path) -> Result<Figures> {
    let mut command = frazil.command(input, object)?;
    let target = format!("--target={}", machine::current().target);
    let outcome = process::run(command.args([&target, "--time-passes", "--stats"]), process::TIME_LIMIT)?;
    ensure!(outcome.success(), "{}: {}", input.display(), outcome.first_error_line());
    let report = String::from_utf8_lossy(&outcome.stderr);
    let (nanoseconds, instructions) = whole(&report).with_context(|| format!("no time for the whole in:\n{report}"))?;
    Ok(Figures {
        cpu_seconds: outcome.cpu_time().as_secs_f64(),
        nanoseconds,
        instructions,
    })
}

/// What the report says of the whole: nanoseconds for each instruction, and how many instructions.
fn whole(report: &str) -> Option<(f64, u64)> {
    let after = |name: &str, place: usize| {
        let mut lines = report.lines().map(str::split_whitespace);
        lines.find_map(|mut words| (words.next() == Some(name)).then(|| words.nth(place)).flatten())
    };
    Some((
        after("total", 1)?.parse().ok()?,
        after("instructions", 0)?.parse().ok()?,
    ))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reads_the_report() {
        let report =
            "stage   ms  ns/instruction\nread 1.2 12.5\ntotal    1.250   12.5\n\nfunctions 3\ninstructions  70\n";
        assert_eq!(whole(report), Some((12.5, 70)));
        assert_eq!(whole("total 1.2 3.4\n"), None);
    }
}
