//! Programs that a generator of this workspace makes from a seed: how they are compiled, run and compared.
//!
//! A generator writes a program as one or more files of bitcode, each of which is the whole program (a source at
//! several levels of clang, say). What `llc-22 -O0` makes of each is what is expected of every compiler under test. The
//! files of one program must agree with each other, too: if they do not, the program is undefined and the generator is
//! wrong.
//!
//! A program whose behavior differs is kept in the folder that the report names. Refusals by name are counted with
//! their reasons if the suite allows them, else they are failures. All processors work; the seeds, and so the programs,
//! do not depend on how many there are.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::Mutex;
use std::sync::atomic::{AtomicU64, Ordering};
use std::thread;
use std::time::Duration;

use anyhow::{Context, Result};

use super::{build_program, difference};
use crate::compiler::{Compiler, LlcLevel};
use crate::process::{self, Outcome};
use crate::share::Share;
use crate::workspace;

/// Generated programs end at once, but the machine may have other things to do.
const RUN_LIMIT: Duration = Duration::from_secs(20);

/// A kind of generated programs.
pub struct Suite {
    /// The name of the folder below the target folder.
    pub folder: &'static str,
    /// Writes the program of a seed into a folder; the result is its files of bitcode.
    pub make: fn(u64, &Path) -> Result<Vec<PathBuf>>,
    /// A part in C that every program is linked with, compiled by the host's compiler.
    pub host_part: Option<&'static str>,
    /// How many functions a program tests, for the report.
    pub functions: usize,
    /// Whether what Frazil refuses by name is no failure.
    pub may_be_refused: bool,
}

/// What became of a file of a program under one compiler.
pub(super) enum Verdict {
    Same,
    Different(String),
    Refused(String),
}

/// What was found.
#[derive(Default)]
struct Report {
    programs: usize,
    passed: usize,
    failed: usize,
    refused: BTreeMap<String, usize>,
}

/// Makes and compares `count` programs, from the share's seed on.
pub fn test(suite: &Suite, count: u64, share: &Share, compilers: &[Compiler]) -> Result<bool> {
    let dir = workspace::target_dir().join(suite.folder);
    fs::create_dir_all(&dir)?;
    let host_part = host_part(suite, &dir)?;
    let report = Mutex::new(Report::default());
    let next = AtomicU64::new(share.seed());
    let end = share.seed().saturating_add(count);
    let worker = || -> Result<()> {
        while share.has_time() {
            let seed = next.fetch_add(1, Ordering::Relaxed);
            if seed >= end {
                break;
            }
            let dir = dir.join(seed.to_string());
            let verdicts = test_program(suite, seed, host_part.as_deref(), compilers, &dir)
                .with_context(|| format!("{} of seed {seed}", suite.folder))?;
            let mut report = report.lock().expect("no thread panics while it reports");
            if report.add(suite, seed, verdicts, &dir) {
                fs::remove_dir_all(&dir)?;
            }
        }
        Ok(())
    };
    thread::scope(|scope| {
        let threads = thread::available_parallelism().map_or(1, usize::from);
        let workers: Vec<_> = (0..threads).map(|_| scope.spawn(worker)).collect();
        workers
            .into_iter()
            .try_for_each(|worker| worker.join().expect("no worker panics"))
    })?;
    let report = report.into_inner().expect("no thread panics while it reports");
    Ok(report.print(suite, share, count))
}

impl Report {
    /// Adds the verdicts on a program; whether nothing is wrong with it.
    fn add(&mut self, suite: &Suite, seed: u64, verdicts: Vec<(String, Verdict)>, dir: &Path) -> bool {
        self.programs += 1;
        let failed = self.failed;
        for (who, verdict) in verdicts {
            match verdict {
                Verdict::Same => self.passed += 1,
                Verdict::Refused(why) if suite.may_be_refused => {
                    *self.refused.entry(reason(&why)).or_default() += 1;
                }
                Verdict::Refused(why) | Verdict::Different(why) => {
                    println!("seed {seed}, {who}: {why}\n  see {}", dir.display());
                    self.failed += 1;
                }
            }
        }
        self.failed == failed
    }

    /// Prints the sums; whether nothing is wrong.
    fn print(&self, suite: &Suite, share: &Share, count: u64) -> bool {
        for (why, count) in &self.refused {
            println!("{count:>5} x refused: {why}");
        }
        let refused: usize = self.refused.values().sum();
        println!(
            "{}, each of {} functions",
            share.report("programs", self.programs, count as usize),
            suite.functions
        );
        print!("{} passed, {} failed", self.passed, self.failed);
        println!(
            "{}",
            if suite.may_be_refused {
                format!(", {refused} refused")
            } else {
                String::new()
            }
        );
        self.failed == 0
    }
}

/// What a refusal speaks of, without function and place.
fn reason(problem: &str) -> String {
    let what = problem.split_once("not supported: ").map_or(problem, |(_, what)| what);
    what.split(" (").next().unwrap_or(what).to_owned()
}

/// The object of the suite's part in C, if it has one.
fn host_part(suite: &Suite, dir: &Path) -> Result<Option<PathBuf>> {
    let Some(text) = suite.host_part else {
        return Ok(None);
    };
    let (source, object) = (dir.join("host.c"), dir.join("host.o"));
    fs::write(&source, text)?;
    let mut command = Command::new(workspace::GCC);
    command.args(["-c", "-O1", "-fPIE"]).arg(&source).arg("-o").arg(&object);
    process::checked(&mut command)?;
    Ok(Some(object))
}

/// The verdicts on all files of a program under all compilers.
fn test_program(
    suite: &Suite,
    seed: u64,
    host_part: Option<&Path>,
    compilers: &[Compiler],
    dir: &Path,
) -> Result<Vec<(String, Verdict)>> {
    fs::create_dir_all(dir)?;
    let mut first: Option<Outcome> = None;
    let mut verdicts = Vec::new();
    for bitcode in (suite.make)(seed, dir)? {
        let name = bitcode.file_stem().unwrap_or_default().to_string_lossy().into_owned();
        let reference = build_program(&bitcode, host_part, &Compiler::Llc(LlcLevel::O0), dir)?;
        let reference = reference.program.with_context(|| reference.problem.clone())?;
        let expected = process::run(&mut Command::new(reference), RUN_LIMIT)?;
        anyhow::ensure!(expected.success(), "{name}: llc's program: {}", expected.ending());
        for frazil in compilers {
            let verdict = judge(&bitcode, host_part, frazil, &expected, dir)?;
            verdicts.push((format!("{name}, {frazil}"), verdict));
        }
        if let Some(text) = first.as_ref().and_then(|first| difference(first, &expected)) {
            let why = format!("the program is undefined: by llc, {text}");
            verdicts.push((name, Verdict::Different(why)));
        }
        first.get_or_insert(expected);
    }
    Ok(verdicts)
}

/// Compares the program that `frazil` makes of `bitcode` with what is expected.
pub(super) fn judge(
    bitcode: &Path,
    host_part: Option<&Path>,
    frazil: &Compiler,
    expected: &Outcome,
    dir: &Path,
) -> Result<Verdict> {
    let built = build_program(bitcode, host_part, frazil, dir)?;
    let Some(program) = built.program else {
        let refused = built.problem.contains("not supported");
        return Ok(if refused {
            Verdict::Refused(built.problem)
        } else {
            Verdict::Different(built.problem)
        });
    };
    let actual = process::run(&mut Command::new(program), RUN_LIMIT)?;
    Ok(difference(expected, &actual).map_or(Verdict::Same, Verdict::Different))
}

/// Keeps clang from making vectors.
pub const WITHOUT_VECTORS: [&str; 2] = ["-fno-vectorize", "-fno-slp-vectorize"];

/// Compiles a program in C or C++ at a level of clang, such as `O2`, to the file of bitcode that `name` names.
pub fn compile_source(source: &Path, level: &str, options: &[&str], dir: &Path, name: &str) -> Result<PathBuf> {
    let bitcode = dir.join(format!("{name}.bc"));
    let mut clang = workspace::llvm_tool(workspace::CLANG)?;
    clang.args(["-c", "-emit-llvm", "-w", "-fPIE", "-march=x86-64"]);
    // Functions are not marked `optnone`, so that the input does not say how to be compiled.
    clang.args(
        (level == "O0")
            .then_some(["-Xclang", "-disable-O0-optnone"])
            .into_iter()
            .flatten(),
    );
    clang.arg(format!("-{level}")).args(options);
    process::checked(clang.arg(source).arg("-o").arg(&bitcode))?;
    Ok(bitcode)
}

/// Makes bitcode of LLVM's text form.
pub fn assemble(text: &str, dir: &Path) -> Result<PathBuf> {
    let source = dir.join("program.ll");
    fs::write(&source, text)?;
    let bitcode = dir.join("program.bc");
    let mut assembler = workspace::llvm_tool(workspace::LLVM_AS)?;
    process::checked(assembler.arg(&source).arg("-o").arg(&bitcode))?;
    Ok(bitcode)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn refusals_are_grouped_by_what_they_speak_of() {
        let problem = "frazil-O2: exit status: 1: error: p.bc: function @f: not supported: type <8 x i32> (i1: load)";
        assert_eq!(reason(problem), "type <8 x i32>");
    }
}
