//! Programs that generators of this workspace make from seeds: how they are compiled, run and compared.
//!
//! A generator is [data](Generator): a name, the text of the program of a seed, and in which ways clang makes bitcode
//! of it (its [builds](Build)). What `llc-22 -O0` makes of the first build is what is expected of every compiler under
//! test for every build. Where a compiler differs in a later build, llc compiles that one, too: if its program differs
//! as well, clang has changed what the program does, because it is undefined or by a defect of its optimizer (of 22 one
//! is known: a loop that indexes `a[i & 31]` is vectorised past the end of `a`). Such a program is set aside and
//! counted, and if there are many, the generator is wrong.
//!
//! Programs are made and compared in [batches](batch), of which each compiler is started once, the linker once and
//! each of the linked programs once; a program has its own bitcode, object and process all the same. What is wrong with
//! one is reported with its seed, and it is said if the program is not wrong when it is alone.
//!
//! The folder of a batch in which something was wrong is kept, and the report names it. Refusals by name are counted
//! with their reasons if the generator allows them, else they are failures. All processors work; the seeds, and so the
//! programs, do not depend on how many there are.

mod batch;
mod sources;
#[cfg(test)]
mod tests;

use std::collections::btree_map::Entry;
use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::ops::Range;
use std::path::{Path, PathBuf};
use std::sync::Mutex;
use std::sync::atomic::{AtomicU64, Ordering};

use anyhow::{Context, Result};

use crate::compiler::Compiler;
use crate::share::Share;
use crate::{compiler, machine, parallel, process};
use batch::Batch;
pub use batch::Verdict;
use sources::Clang;
pub use sources::{Build, Language};

/// What texts in LLVM's form say of the programs for which their code is.
pub const POSITION_INDEPENDENT: &str = "
!llvm.module.flags = !{!0, !1}
!0 = !{i32 8, !\"PIC Level\", i32 2}
!1 = !{i32 7, !\"PIE Level\", i32 2}

";

/// How many programs are compiled and run together.
const BATCH: u64 = 20;

/// Of so many programs, clang may have changed one.
const MANY_FOR_ONE_CHANGED: usize = 1000;

/// A kind of generated programs.
pub struct Generator {
    /// What reports call it, and the folder below the target folder.
    pub name: &'static str,
    /// The option that asks for its programs.
    pub option: &'static str,
    /// What the programs are written in.
    pub language: Language,
    /// The text of the program of a seed. Its only global symbol is [`entry`], or begins with it.
    pub source: fn(u64) -> String,
    /// How bitcode is made of it; at least one.
    pub builds: &'static [Build],
    /// A part in C that runs programs, compiled by the host's compiler. Without one, a program is a function that
    /// prints and returns 0.
    pub host_part: Option<&'static str>,
    /// How many functions a program tests, for the report.
    pub functions: usize,
}

/// The symbol by which the program of a seed is found.
pub fn entry(seed: u64) -> String {
    format!("program_{seed}")
}

/// A verdict on a program, with its seed, and the build and the compiler in words.
struct Finding {
    seed: u64,
    who: String,
    verdict: Verdict,
}

/// What was found.
#[derive(Default)]
struct Report {
    programs: usize,
    passed: usize,
    failures: Vec<String>,
    /// The programs that clang has changed: one in [`MANY_FOR_ONE_CHANGED`] is no failure.
    changed: BTreeSet<u64>,
}

/// What all batches share.
struct Suite<'a> {
    generator: &'a Generator,
    compilers: &'a [Compiler],
    /// Those of the generator for which the machine has a processor.
    builds: Vec<&'static Build>,
    /// For each build, what makes bitcode of even and of odd seeds.
    clang: Vec<[Clang; 2]>,
    /// The part that runs programs.
    host_objects: Vec<PathBuf>,
    /// Where the batches go.
    dir: PathBuf,
}

/// Makes and compares `count` programs of a generator, from the share's seed on.
pub fn test(generator: &Generator, count: u64, share: &Share, compilers: &[Compiler]) -> Result<bool> {
    let dir = machine::folder().join(generator.name);
    let suite = Suite::new(generator, compilers, dir)?;
    let report = Mutex::new(Report::default());
    let next = AtomicU64::new(share.seed());
    let end = share.seed().saturating_add(count);
    parallel::repeat(|| {
        if !share.has_time() {
            return Ok(false);
        }
        let first = next.fetch_add(BATCH, Ordering::Relaxed);
        let seeds = first..first.saturating_add(BATCH).min(end);
        if seeds.is_empty() {
            return Ok(false);
        }
        let found = suite.test(seeds)?;
        let mut report = report.lock().expect("no thread panics while it reports");
        for failure in &found.failures {
            println!("{failure}");
        }
        report.add(found);
        Ok(true)
    })?;
    let report = report.into_inner().expect("no thread panics while it reports");
    report.print(generator, share, count);
    compiler::print_validated(compilers);
    Ok(report.is_good())
}

impl<'a> Suite<'a> {
    fn new(generator: &'a Generator, compilers: &'a [Compiler], dir: PathBuf) -> Result<Suite<'a>> {
        fs::create_dir_all(&dir)?;
        let parts = [
            Some(("host", include_str!("host.c"))),
            generator.host_part.map(|text| ("part", text)),
        ];
        let compile = |(name, text)| compile_host_part(name, text, &dir);
        let host_objects = parts.into_iter().flatten().map(compile).collect::<Result<_>>()?;
        let clang = |build: &Build| {
            let [even, odd] = build.levels;
            let find = |level| Clang::find(generator.language, level, build, &dir);
            Ok([find(even)?, find(odd)?])
        };
        let processors = machine::processors();
        let has_processor = |build: &&Build| build.processor < processors.len();
        let builds: Vec<&Build> = generator.builds.iter().filter(has_processor).collect();
        let clang = builds.iter().copied().map(clang).collect::<Result<_>>()?;
        Ok(Suite {
            generator,
            compilers,
            builds,
            clang,
            host_objects,
            dir,
        })
    }

    /// Tests the programs of some seeds. Those that are wrong are tested alone, too.
    fn test(&self, seeds: Range<u64>) -> Result<Report> {
        let mut report = Report {
            programs: seeds.clone().count(),
            ..Report::default()
        };
        let (findings, dir) = self.findings(seeds.clone())?;
        let mut alone: BTreeMap<u64, (Vec<Finding>, PathBuf)> = BTreeMap::new();
        let changed = changed_builds(&findings);
        for Finding { seed, who, verdict } in findings {
            let problem = match verdict {
                Verdict::Same => {
                    report.passed += 1;
                    continue;
                }
                Verdict::Changed(why) => {
                    println!("seed {seed}, {who}: clang has changed what it does: by llc, {why}");
                    report.changed.insert(seed);
                    continue;
                }
                Verdict::Different(why) if changed.contains(&(seed, build_of(&who).to_owned())) => {
                    println!("seed {seed}, {who}: says nothing, since clang has changed this build: {why}");
                    continue;
                }
                Verdict::Different(why) | Verdict::Unfinished(why) => why,
            };
            let mut failure = format!("seed {seed}, {who}: {problem}");
            let mut place = dir.clone();
            if seeds.clone().count() > 1 {
                let (findings, dir) = match alone.entry(seed) {
                    Entry::Occupied(known) => known.into_mut(),
                    Entry::Vacant(unknown) => unknown.insert(self.findings(seed..seed + 1)?),
                };
                if findings
                    .iter()
                    .any(|finding| finding.who == who && !matches!(finding.verdict, Verdict::Same))
                {
                    place.clone_from(dir);
                } else {
                    failure += &format!(" (only together with seeds {} to {})", seeds.start, seeds.end - 1);
                }
            }
            report.failures.push(format!("{failure}\n  see {}", place.display()));
        }
        if report.failures.is_empty() {
            fs::remove_dir_all(&dir)?;
        }
        Ok(report)
    }

    /// The verdicts on all builds of programs by all compilers, and the folder with all files.
    fn findings(&self, seeds: Range<u64>) -> Result<(Vec<Finding>, PathBuf)> {
        let place = || {
            format!(
                "{}: programs of seeds {} to {}",
                self.generator.name,
                seeds.start,
                seeds.end - 1
            )
        };
        let batch = Batch::make(self, seeds.clone()).with_context(place)?;
        let findings = batch.findings().with_context(place)?;
        Ok((findings, batch.dir))
    }
}

impl Report {
    /// Whether nothing is wrong: of programs that clang has changed, there may be few.
    fn is_good(&self) -> bool {
        self.failures.is_empty() && self.changed.len() <= self.programs.div_ceil(MANY_FOR_ONE_CHANGED)
    }

    fn add(&mut self, other: Report) {
        self.changed.extend(other.changed);
        self.programs += other.programs;
        self.passed += other.passed;
        self.failures.extend(other.failures);
    }

    fn print(&self, generator: &Generator, share: &Share, count: u64) {
        println!(
            "{}, each of {} functions",
            share.report("programs", self.programs, count as usize),
            generator.functions
        );
        if !self.changed.is_empty() {
            println!(
                "{} programs that clang has changed, which say nothing",
                self.changed.len()
            );
        }
        println!("{} passed, {} failed", self.passed, self.failures.len());
    }
}

/// The builds of programs that clang has changed. What is undefined in one may do by chance what is expected, by llc,
/// too, so that it says nothing of any compiler.
fn changed_builds(findings: &[Finding]) -> BTreeSet<(u64, String)> {
    let changed = findings
        .iter()
        .filter(|finding| matches!(finding.verdict, Verdict::Changed(_)));
    changed
        .map(|finding| (finding.seed, build_of(&finding.who).to_owned()))
        .collect()
}

/// The build in a build and a compiler in words.
fn build_of(who: &str) -> &str {
    who.split_once(", ").map_or(who, |(build, _)| build)
}

/// The object of a part in C.
fn compile_host_part(name: &str, text: &str, dir: &Path) -> Result<PathBuf> {
    let (source, object) = (dir.join(format!("{name}.c")), dir.join(format!("{name}.o")));
    fs::write(&source, text)?;
    let mut command = machine::gcc();
    command.args(["-c", "-O1", "-fPIE"]).arg(machine::least_processor()?);
    command.arg(&source).arg("-o").arg(&object);
    process::checked(&mut command)?;
    Ok(object)
}
