//! One batch of generated programs: its sources and bitcode, what each compiler makes of it, and what that does when it
//! runs.
//!
//! Objects of all programs are linked with the part that runs them. When that fails, or the linked program does not say
//! of each program how it ended, the objects are linked in two halves, and so on, until the one to blame is alone.

use std::collections::BTreeMap;
use std::fs;
use std::ops::Range;
use std::path::{Path, PathBuf};
use std::time::Duration;

use anyhow::{Context, Result, anyhow, bail, ensure};

use super::{Build, Finding, Suite, entry};
use crate::compiler::{Compiler, LlcLevel};
use crate::crosstest::{link_command, text_difference};
use crate::process::{self, Outcome};
use crate::{machine, workspace};

/// How long all programs of a batch may run; each has a limit of its own besides.
const RUN_LIMIT: Duration = Duration::from_secs(300);

/// The compiler whose programs are right.
const REFERENCE: Compiler = Compiler::Llc(LlcLevel::O0);

/// What a program that is right says at its end.
const GOOD_END: &str = "status 0\n";

/// What became of a build of a program under one compiler.
pub enum Verdict {
    Same,
    /// It does something else.
    Different(String),
    /// It is not compiled, or does not come to its end.
    Unfinished(String),
    /// By llc, too, this build does something else than the first one: clang has changed what the program does, so
    /// that it tells nothing of the compiler.
    Changed(String),
}

/// What programs printed and how they ended, or why there is nothing of them, by seed.
type Results = BTreeMap<u64, Result<String, String>>;

/// An object with the programs of these seeds.
#[derive(Clone)]
struct Object {
    seeds: Vec<u64>,
    path: PathBuf,
}

/// Programs whose bitcode is there.
pub struct Batch<'a> {
    suite: &'a Suite<'a>,
    seeds: Range<u64>,
    pub dir: PathBuf,
}

impl<'a> Batch<'a> {
    /// Makes sources and bitcode.
    pub fn make(suite: &'a Suite<'a>, seeds: Range<u64>) -> Result<Batch<'a>> {
        let name = match seeds.end - seeds.start {
            1 => seeds.start.to_string(),
            _ => format!("{}-{}", seeds.start, seeds.end - 1),
        };
        let dir = suite.dir.join(name);
        if dir.exists() {
            fs::remove_dir_all(&dir)?;
        }
        let batch = Batch { suite, seeds, dir };
        for (build, compilers) in suite.builds.iter().zip(&suite.clang) {
            fs::create_dir_all(batch.dir.join(build.name))?;
            for (parity, clang) in (0..).zip(compilers) {
                let seeds: Vec<u64> = batch.seeds_of(build).filter(|seed| seed % 2 == parity).collect();
                let made: Vec<PathBuf> = seeds.iter().map(|&seed| batch.source(build, seed)).collect();
                for (&seed, path) in seeds.iter().zip(&made) {
                    fs::write(path, (suite.generator.source)(seed))?;
                }
                clang.compile(&made)?;
            }
        }
        Ok(batch)
    }

    /// The verdicts on all builds of all programs by all compilers.
    pub fn findings(&self) -> Result<Vec<Finding>> {
        let expected = self.expected()?;
        let mut findings = Vec::new();
        for build in &self.suite.builds {
            for frazil in self.suite.compilers {
                for (seed, result) in self.results_of(build, frazil)? {
                    let verdict = match result {
                        Ok(text) => self.verdict(build, seed, &expected[&seed], &text)?,
                        Err(problem) => Verdict::Unfinished(problem),
                    };
                    let who = format!("{}, {frazil}", build.name);
                    findings.push(Finding { seed, who, verdict });
                }
            }
        }
        Ok(findings)
    }

    fn seeds_of(&self, build: &Build) -> impl Iterator<Item = u64> + use<> {
        let every = build.every;
        self.seeds.clone().filter(move |seed| seed.is_multiple_of(every))
    }

    fn source(&self, build: &Build, seed: u64) -> PathBuf {
        let extension = self.suite.generator.language.extension();
        self.dir.join(build.name).join(format!("{seed}.{extension}"))
    }

    fn bitcode(&self, build: &Build, seed: u64) -> PathBuf {
        self.source(build, seed).with_extension("bc")
    }

    /// What all programs do when llc compiles their first build: in one piece, because to start llc takes longer than
    /// to compile a program.
    fn expected(&self) -> Result<BTreeMap<u64, String>> {
        let build = self.suite.builds.first().context("a generator has a build")?;
        let seeds: Vec<u64> = self.seeds_of(build).collect();
        let joined = self.dir.join("joined.bc");
        let mut link = workspace::llvm_tool(workspace::LLVM_LINK)?;
        link.args(seeds.iter().map(|&seed| self.bitcode(build, seed)));
        process::checked(link.arg("-o").arg(&joined))?;
        let path = joined.with_extension("o");
        compile_by_llc(&joined, &path)?;
        let results = self.results(&[Object { seeds, path }], &REFERENCE.name())?;
        let good = |(seed, result): (u64, Result<String, String>)| {
            let text = result.map_err(|problem| anyhow!("llc's program of seed {seed}: {problem}"))?;
            ensure!(
                text.ends_with(GOOD_END),
                "llc's program of seed {seed} ends with {text}"
            );
            Ok((seed, text))
        };
        results.into_iter().map(good).collect()
    }

    /// The verdict on what a program printed.
    fn verdict(&self, build: &Build, seed: u64, expected: &str, actual: &str) -> Result<Verdict> {
        let Some(text) = text_difference(expected, actual) else {
            return Ok(Verdict::Same);
        };
        // Is it the build that is different?
        let path = self.dir.join(build.name).join(format!("{seed}-{REFERENCE}.o"));
        compile_by_llc(&self.bitcode(build, seed), &path)?;
        let object = Object {
            seeds: vec![seed],
            path,
        };
        let result = self
            .results(&[object], &format!("{}-{seed}-{REFERENCE}", build.name))?
            .remove(&seed);
        let by_llc = match result.context("it was asked for")? {
            Ok(text) => text_difference(expected, &text),
            Err(problem) => Some(problem),
        };
        Ok(by_llc.map_or(Verdict::Different(text), Verdict::Changed))
    }

    /// What the programs of a build do when `frazil` compiles them.
    fn results_of(&self, build: &Build, frazil: &Compiler) -> Result<Results> {
        let (mut objects, mut results) = (Vec::new(), Results::new());
        for (seed, object) in self.compile(build, frazil)? {
            match object {
                Ok(path) => objects.push(Object {
                    seeds: vec![seed],
                    path,
                }),
                Err(problem) => {
                    results.insert(seed, Err(problem));
                }
            }
        }
        results.extend(self.results(&objects, &format!("{}-{frazil}", build.name))?);
        Ok(results)
    }

    /// The objects that `frazil` makes of a build of all programs in one process, or its messages, by seed.
    fn compile(&self, build: &Build, frazil: &Compiler) -> Result<Vec<(u64, Result<PathBuf, String>)>> {
        let inputs: Vec<(u64, PathBuf)> = self
            .seeds_of(build)
            .map(|seed| (seed, self.bitcode(build, seed)))
            .collect();
        let Some(((_, first), others)) = inputs.split_first() else {
            return Ok(Vec::new());
        };
        let folder = self.dir.join(build.name).join(frazil.name());
        fs::create_dir_all(&folder)?;
        let mut command = frazil.command(first, &folder)?;
        let outcome = frazil.run(command.args(others.iter().map(|(_, path)| path)))?;
        let object = |seed: u64| folder.join(format!("{seed}.o"));
        let is_complete = inputs.iter().all(|(seed, _)| object(*seed).is_file());
        let mut objects = Vec::new();
        for (seed, bitcode) in &inputs {
            let path = object(*seed);
            let made = if is_complete && !outcome.success() {
                Err(format!(
                    "all objects are there, but: {}: {}",
                    outcome.ending(),
                    outcome.first_error_line()
                ))
            } else if path.is_file() {
                Ok(path)
            } else if let Some(message) = message_about(bitcode, &outcome) {
                Err(message)
            } else {
                compile_alone(frazil, bitcode, path, &outcome)?
            };
            objects.push((*seed, made));
        }
        Ok(objects)
    }

    /// Links objects to a program of this name, and runs it.
    fn results(&self, objects: &[Object], name: &str) -> Result<Results> {
        let seeds: Vec<u64> = objects.iter().flat_map(|object| object.seeds.iter().copied()).collect();
        if seeds.is_empty() {
            return Ok(Results::new());
        }
        let problem = match self.link_and_run(objects, &seeds, name)? {
            Ok(results) => return Ok(results),
            Err(problem) => problem,
        };
        if objects.len() == 1 {
            return Ok(seeds.into_iter().map(|seed| (seed, Err(problem.clone()))).collect());
        }
        let (first, second) = objects.split_at(objects.len() / 2);
        let mut results = self.results(first, name)?;
        results.extend(self.results(second, name)?);
        if results.values().all(Result::is_ok) {
            results.insert(seeds[0], Err(format!("only when linked with the others: {problem}")));
        }
        Ok(results)
    }

    /// The same, if it works for all of them together; else why not.
    fn link_and_run(&self, objects: &[Object], seeds: &[u64], name: &str) -> Result<Result<Results, String>> {
        let program = self.dir.join(name);
        let paths = objects
            .iter()
            .map(|object| &object.path)
            .chain(&self.suite.host_objects);
        let mut link = link_command(machine::cc(), paths, &program);
        link.arg(format!("-Wl,--export-dynamic-symbol={}", entry_pattern()));
        let linked = process::run(&mut link, process::TIME_LIMIT)?;
        if !linked.success() {
            return Ok(Err(format!("linking: {}", linked.first_error_line())));
        }
        let ran = process::run(
            machine::run(&program).args(seeds.iter().copied().map(entry)),
            machine::limit(RUN_LIMIT),
        )?;
        let results = results_by_seed(&String::from_utf8_lossy(&ran.stdout), seeds);
        Ok(results
            .with_context(|| format!("running: {}", ran.ending()))
            .map_err(|error| format!("{error:#}")))
    }
}

/// Makes the object of a program that is right. At its lowest level, llc ends with an error for some targets (of 22,
/// AArch64 with conversions of wide integers); then it is that of the next.
fn compile_by_llc(bitcode: &Path, object: &Path) -> Result<()> {
    if process::run(&mut REFERENCE.command(bitcode, object)?, process::TIME_LIMIT)?.success() {
        return Ok(());
    }
    process::checked(&mut Compiler::Llc(LlcLevel::O1).command(bitcode, object)?).map(drop)
}

/// What the linker takes for the symbols of programs.
fn entry_pattern() -> String {
    entry(0).replace('0', "*")
}

/// What Frazil says about one of its inputs.
fn message_about(bitcode: &Path, outcome: &Outcome) -> Option<String> {
    let messages = String::from_utf8_lossy(&outcome.stderr);
    let place = format!("error: {}: ", bitcode.display());
    let message = messages.lines().find_map(|line| Some(line.split_once(&place)?.1));
    message.map(str::to_owned)
}

/// Compiles the program for whose missing object the compilation of the batch gave no reason.
fn compile_alone(
    frazil: &Compiler,
    bitcode: &Path,
    object: PathBuf,
    together: &Outcome,
) -> Result<Result<PathBuf, String>> {
    let folder = object.parent().unwrap_or(&object);
    let outcome = frazil.run(&mut frazil.command(bitcode, folder)?)?;
    if outcome.success() {
        // Another one has ended the compiler, and is found where it is compiled alone.
        return Ok(match together.success() {
            true => Err("it has no object, and there is no message".to_owned()),
            false => Ok(object),
        });
    }
    Ok(Err(format!("{}: {}", outcome.ending(), outcome.first_error_line())))
}

/// Cuts what a batch printed into what each of its programs printed, with the line on its end.
fn results_by_seed(printed: &str, seeds: &[u64]) -> Result<Results> {
    let mut results = Results::new();
    let mut lines = printed.lines();
    for &seed in seeds {
        let end = format!("={} ", entry(seed));
        let mut text = String::new();
        loop {
            let Some(line) = lines.next() else {
                bail!("nothing says how seed {seed} ended");
            };
            let how = line.strip_prefix(&end);
            text += how.unwrap_or(line);
            text.push('\n');
            if how.is_some() {
                break;
            }
        }
        results.insert(seed, Ok(text));
    }
    Ok(results)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_programs_printed_is_told_apart() {
        let printed = "0 12\n1 34\n=program_7 status 0\n=program_8 signal 11\n";
        let results = results_by_seed(printed, &[7, 8]).unwrap();
        assert_eq!(results[&7].as_deref(), Ok("0 12\n1 34\nstatus 0\n"));
        assert_eq!(results[&8].as_deref(), Ok("signal 11\n"));
        assert!(results_by_seed(printed, &[7, 8, 9]).is_err());
    }
}
