//! Programs that nobody wrote: csmith makes C programs without undefined behavior that print a checksum of all their
//! variables.
//!
//! A program compiled by Frazil must do what it does when llc compiles the same bitcode and when gcc compiles the
//! source.
//!
//! A program whose behavior differs, or that is refused, is kept with its bitcode in the folder that the report names.
//! A program that llc and gcc do not agree about is reported but is no failure, and one that never ends or crashes even
//! when compiled by llc says nothing.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;

use anyhow::{Context, Result};

use super::{build_program, difference};
use crate::compiler::{Compiler, LlcLevel};
use crate::corpus::Level;
use crate::process::{self, Outcome};
use crate::share::Share;
use crate::{compiler, machine};

/// As written, and with all that clang does to loops.
const LEVELS: [Level; 2] = [Level::O0, Level::O3];
/// Many random programs never end; the others end at once.
const RUN_LIMIT: Duration = Duration::from_secs(5);

/// Makes and compares `count` programs, from the share's seed on, which is csmith's.
pub fn test_programs(count: u64, share: &Share, compilers: &[Compiler]) -> Result<bool> {
    let (mut made, mut passed, mut failed, mut skipped) = (0, 0, 0, 0);
    let first = share.seed();
    for seed in first..first.saturating_add(count) {
        if !share.has_time() {
            break;
        }
        made += 1;
        let dir = machine::folder().join(format!("random/{seed}"));
        fs::create_dir_all(&dir)?;
        let source = make_program(seed, &dir)?;
        let mut keep = false;
        for level in LEVELS {
            for (frazil, verdict) in compilers.iter().zip(test_program(&source, level, compilers, &dir)?) {
                match verdict {
                    Verdict::Same => passed += 1,
                    Verdict::Useless => skipped += 1,
                    Verdict::Doubtful(why) => {
                        println!("seed {seed} at {}, {frazil}: {why}", level.name());
                        skipped += 1;
                    }
                    Verdict::Different(why) => {
                        println!(
                            "seed {seed} at {}, {frazil}: {why}\n  see {}",
                            level.name(),
                            dir.display()
                        );
                        failed += 1;
                        keep = true;
                    }
                }
            }
        }
        if !keep {
            fs::remove_dir_all(&dir)?;
        }
    }
    println!("{}", share.report("programs", made, count as usize));
    println!("{passed} passed, {failed} failed, {skipped} skipped");
    compiler::print_validated(compilers);
    Ok(failed == 0)
}

enum Verdict {
    Same,
    Different(String),
    /// Says nothing, for a reason that is worth a line.
    Doubtful(String),
    Useless,
}

fn make_program(seed: u64, dir: &Path) -> Result<PathBuf> {
    let source = dir.join("program.c");
    let mut csmith = Command::new("csmith");
    csmith
        .current_dir(dir)
        .arg("--seed")
        .arg(seed.to_string())
        .arg("--output")
        .arg(&source);
    // Floating point makes csmith's programs shorter in other things, so only every second one has it.
    csmith.args((seed.is_multiple_of(2)).then_some("--float"));
    process::checked(&mut csmith).context("on Debian: apt-get install csmith libcsmith-dev")?;
    Ok(source)
}

/// The verdict on each compiler.
fn test_program(source: &Path, level: Level, compilers: &[Compiler], dir: &Path) -> Result<Vec<Verdict>> {
    let bitcode = dir.join(format!("{}.bc", level.name()));
    let mut clang = machine::clang()?;
    clang
        .args([
            "-c",
            "-emit-llvm",
            "-w",
            "-fPIE",
            "-Wno-incompatible-pointer-types",
            "-I/usr/include/csmith",
        ])
        .arg(machine::least_processor()?)
        .args(level.options());
    process::checked(clang.arg(source).arg("-o").arg(&bitcode))?;

    let reference = build_program(&bitcode, None, &Compiler::Llc(LlcLevel::O0), dir)?;
    let reference = reference.program.with_context(|| reference.problem.clone())?;
    let expected = process::run(&mut machine::run(&reference), machine::limit(RUN_LIMIT))?;
    if expected.status.is_none_or(|status| status.code().is_none()) {
        return Ok(compilers.iter().map(|_| Verdict::Useless).collect());
    }
    if let Some(text) = difference(&expected, &run_by_gcc(source, dir)?) {
        let why = format!("llc and gcc do not agree: {text}");
        return Ok(compilers.iter().map(|_| Verdict::Doubtful(why.clone())).collect());
    }
    compilers
        .iter()
        .map(|frazil| {
            let built = build_program(&bitcode, None, frazil, dir)?;
            let Some(program) = built.program else {
                return Ok(Verdict::Different(built.problem));
            };
            let actual = process::run(&mut machine::run(&program), machine::limit(RUN_LIMIT))?;
            Ok(difference(&expected, &actual).map_or(Verdict::Same, Verdict::Different))
        })
        .collect()
}

/// What the program does when gcc compiles it without optimization.
fn run_by_gcc(source: &Path, dir: &Path) -> Result<Outcome> {
    let program = dir.join("gcc");
    if !program.exists() {
        let mut gcc = machine::gcc();
        gcc.args(["-O0", "-w", "-I/usr/include/csmith"]).arg(source);
        process::checked(gcc.arg("-o").arg(&program))?;
    }
    process::run(&mut machine::run(&program), machine::limit(RUN_LIMIT))
}
