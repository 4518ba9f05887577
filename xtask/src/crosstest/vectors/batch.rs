//! One module of cases: its text and bitcode, what each compiler makes of it, and what that prints.
//!
//! A compiler that refuses functions is given a module without them. The folder of a module in which something was
//! wrong is kept, and has the text of each case to blame by itself.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;
use std::fs;
use std::path::{Path, PathBuf};
use std::time::Duration;

use anyhow::{Context, Result, bail};

use super::{Case, Report, interpreter, levels, refusals};
use crate::compiler::{Compiler, LlcLevel};
use crate::crosstest::link_command;
use crate::process::{self, Outcome};
use crate::{machine, workspace};

/// How long all functions of a module may run; each has a limit of its own besides.
const RUN_LIMIT: Duration = Duration::from_secs(300);

/// How often a module is made again without what was refused in it.
const ROUNDS: usize = 100;

/// What all modules begin with after the machine's lines.
const HEAD: &str = "
!llvm.module.flags = !{!0, !1}
!0 = !{i32 8, !\"PIC Level\", i32 2}
!1 = !{i32 7, !\"PIE Level\", i32 2}

declare i32 @__gxx_personality_v0(...)
";

/// What functions print, by number.
type Results = BTreeMap<u64, String>;

/// What all modules share.
pub struct Suite<'a> {
    compilers: &'a [Compiler],
    /// The part that runs functions.
    host_object: PathBuf,
    dir: PathBuf,
}

/// What is right, as llc has it, and the cases of which the interpreter makes something else: llc is wrong about
/// vectors for some machines, and functions of their C libraries round in other ways.
struct Expected {
    results: Results,
    doubted: BTreeSet<u64>,
}

/// What became of a module under one compiler.
struct Compiled {
    results: Results,
    /// Functions without which it was compiled, with the reasons.
    refused: BTreeMap<u64, String>,
}

impl<'a> Suite<'a> {
    /// Makes ready what all modules need in a folder.
    pub fn new(compilers: &'a [Compiler], dir: PathBuf) -> Result<Suite<'a>> {
        let (source, host_object) = (dir.join("host.c"), dir.join("host.o"));
        fs::write(&source, include_str!("host.c"))?;
        let mut command = machine::gcc();
        command
            .args(["-c", "-O1", "-fPIE"])
            .arg(&source)
            .arg("-o")
            .arg(&host_object);
        process::checked(&mut command)?;
        Ok(Suite {
            compilers,
            host_object,
            dir,
        })
    }

    /// Compares what compilers make of some cases.
    pub fn test(&self, cases: &[Case]) -> Result<Report> {
        let first = cases.first().context("a module has cases")?.number;
        let dir = self.dir.join(format!("{first}"));
        if dir.exists() {
            fs::remove_dir_all(&dir)?;
        }
        fs::create_dir_all(&dir)?;
        let mut report = Report {
            cases: cases.len(),
            ..Report::default()
        };
        let Expected { results, doubted } = self.expected(cases, &dir, &mut report)?;
        let cases: Vec<&Case> = cases.iter().filter(|case| results.contains_key(&case.number)).collect();
        for frazil in self.compilers {
            let mut compiled = self.compiled(&cases, frazil, &dir)?;
            self.settle(&cases, frazil, &mut compiled, (&results, &doubted), &dir)?;
            self.compare(&cases, frazil, &compiled, (&results, &dir), &mut report)?;
        }
        if report.failures.is_empty() {
            fs::remove_dir_all(&dir)?;
        }
        Ok(report)
    }

    /// What is right, for the cases that llc compiles at some level.
    fn expected(&self, cases: &[Case], dir: &Path, report: &mut Report) -> Result<Expected> {
        let all: Vec<&Case> = cases.iter().collect();
        // Where llc selects instructions in another way at its lowest level, it takes minutes for vectors.
        let level = if machine::is_host() { LlcLevel::O0 } else { LlcLevel::O1 };
        let llc = Compiler::Llc(level);
        let Compiled { mut results, refused } = self.compiled(&all, &llc, dir)?;
        let mut doubted = self.interpret(&all, &llc, dir, report)?;
        // What llc's own code does not survive says nothing: it compresses vectors beyond its frame.
        for case in cases {
            if results.get(&case.number).is_some_and(|text| text.starts_with("signal")) {
                results.remove(&case.number);
                *report.without_reference.entry(case.operation.clone()).or_default() += 1;
            }
        }
        let rest: Vec<&Case> = cases.iter().filter(|case| refused.contains_key(&case.number)).collect();
        if rest.is_empty() {
            return Ok(Expected { results, doubted });
        }
        let llc = Compiler::Llc(LlcLevel::O2);
        let compiled = self.compiled(&rest, &llc, dir)?;
        doubted.extend(self.interpret(&rest, &llc, dir, report)?);
        results.extend(compiled.results);
        for case in rest.iter().filter(|case| compiled.refused.contains_key(&case.number)) {
            *report.without_reference.entry(case.operation.clone()).or_default() += 1;
        }
        Ok(Expected { results, doubted })
    }

    /// Compares what the interpreter makes of cases with what their functions did that llc has compiled. Those of which
    /// it makes something else are failures on this machine and doubted on others.
    fn interpret(&self, cases: &[&Case], llc: &Compiler, dir: &Path, report: &mut Report) -> Result<BTreeSet<u64>> {
        let mut doubted = BTreeSet::new();
        let Ok(kept) = fs::read(dir.join(kept_name(llc))) else {
            // All were refused.
            return Ok(doubted);
        };
        let bitcode = fs::read(bitcode_of(llc, dir))?;
        let found = interpreter::compare(&bitcode, &kept, cases)?;
        report.interpreted += found.executed;
        for case in cases {
            let reason = found.unsupported.get(&case.number);
            if let Some(reason) = reason {
                let what = (reason.clone(), case.operation.clone());
                *report.not_interpreted.entry(what).or_default() += 1;
            }
            let reason = reason.filter(|reason| !interpreter::is_known(reason));
            if !machine::is_host() && found.failures.contains_key(&case.number) {
                doubted.insert(case.number);
                *report.doubted.entry(case.operation.clone()).or_default() += 1;
                continue;
            }
            if let Some(problem) = found.failures.get(&case.number).or(reason) {
                self.blame(case, &format!("the interpreter: {problem}"), dir, report)?;
            }
        }
        Ok(doubted)
    }

    /// Has the interpreter decide of doubted cases: where a compiler's functions do what it does, that is right.
    fn settle(
        &self,
        cases: &[&Case],
        frazil: &Compiler,
        compiled: &mut Compiled,
        (expected, doubted): (&Results, &BTreeSet<u64>),
        dir: &Path,
    ) -> Result<()> {
        let is_other = |case: &&Case| compiled.results.get(&case.number) != expected.get(&case.number);
        let is_doubted = |case: &&Case| doubted.contains(&case.number) && is_other(case);
        let cases: Vec<&Case> = cases.iter().copied().filter(is_doubted).collect();
        if cases.is_empty() {
            return Ok(());
        }
        let bitcode = fs::read(bitcode_of(frazil, dir))?;
        let found = interpreter::compare(&bitcode, &fs::read(dir.join(kept_name(frazil)))?, &cases)?;
        let is_right =
            |case: &&Case| !found.failures.contains_key(&case.number) && !found.unsupported.contains_key(&case.number);
        for case in cases.into_iter().filter(is_right) {
            compiled.results.insert(case.number, expected[&case.number].clone());
        }
        Ok(())
    }

    /// Compares what a compiler's functions print with what is expected, and refusals with those that are known.
    fn compare(
        &self,
        cases: &[&Case],
        frazil: &Compiler,
        compiled: &Compiled,
        (expected, dir): (&Results, &Path),
        report: &mut Report,
    ) -> Result<()> {
        for case in cases {
            let problem = match (compiled.refused.get(&case.number), compiled.results.get(&case.number)) {
                (Some(message), _) => {
                    let reason = reason(message);
                    let what = (reason.clone(), case.operation.clone());
                    *report.refused.entry(what).or_default() += 1;
                    if message.contains("not supported: ") && refusals::is_known(&reason) {
                        continue;
                    }
                    message.clone()
                }
                (None, Some(text)) if *text == expected[&case.number] => {
                    report.passed += 1;
                    continue;
                }
                (None, text) => format!(
                    "{} instead of {}",
                    text.map_or("nothing", String::as_str),
                    expected[&case.number]
                ),
            };
            self.blame(case, &format!("{frazil}: {problem}"), dir, report)?;
        }
        Ok(())
    }

    /// Reports a failure, with the case by itself in a file.
    fn blame(&self, case: &Case, problem: &str, dir: &Path, report: &mut Report) -> Result<()> {
        let alone = dir.join(format!("{}.ll", case.name()));
        fs::write(&alone, module(&[case]))?;
        report
            .failures
            .push(format!("{case}, {problem}\n  see {}", alone.display()));
        Ok(())
    }

    /// What a compiler makes of all cases that it does not refuse.
    fn compiled(&self, cases: &[&Case], compiler: &Compiler, dir: &Path) -> Result<Compiled> {
        let mut refused = BTreeMap::new();
        for _ in 0..ROUNDS {
            let cases: Vec<&Case> = cases
                .iter()
                .copied()
                .filter(|case| !refused.contains_key(&case.number))
                .collect();
            if cases.is_empty() {
                let results = Results::new();
                return Ok(Compiled { results, refused });
            }
            let (bitcode, object) = (bitcode_of(compiler, dir), dir.join(format!("{compiler}.o")));
            assemble(&cases, &bitcode)?;
            let outcome = compiler.run(&mut compiler.command(&bitcode, &object)?)?;
            if outcome.success() {
                let is_kept = matches!(compiler, Compiler::Llc(_)) || !machine::is_host();
                let kept = is_kept.then(|| dir.join(kept_name(compiler)));
                let results = self.results(&object, &dir.join(compiler.name()), kept.as_deref())?;
                return Ok(Compiled { results, refused });
            }
            let blamed = blamed(&outcome, &cases);
            if blamed.is_empty() {
                bail!(
                    "{compiler} of {}: {}: {}",
                    bitcode.display(),
                    outcome.ending(),
                    outcome.first_error_line()
                );
            }
            refused.extend(blamed);
        }
        bail!("{compiler} refuses more and more in {}", dir.display())
    }

    /// What the functions of an object print, and in a file, what they have read and written.
    fn results(&self, object: &Path, program: &Path, kept: Option<&Path>) -> Result<Results> {
        let objects = [object, self.host_object.as_path()].into_iter();
        let mut link = link_command(machine::cc(), objects, program);
        process::checked(&mut link)?;
        let mut command = machine::run(program);
        command.envs(kept.map(|path| ("FRAZIL_KEEP", path)));
        let ran = process::run(&mut command, machine::limit(RUN_LIMIT))?;
        let lines = String::from_utf8_lossy(&ran.stdout).into_owned();
        let mut results = Results::new();
        for line in lines.lines() {
            if let Some((number, text)) = line.split_once(' ')
                && let Ok(number) = number.parse()
            {
                results.insert(number, text.to_owned());
            }
        }
        Ok(results)
    }
}

/// Where the bitcode is that a compiler has last been given.
fn bitcode_of(compiler: &Compiler, dir: &Path) -> PathBuf {
    dir.join(format!("{compiler}.bc"))
}

/// What the file is called that has the inputs and outputs of what llc has compiled.
fn kept_name(llc: &Compiler) -> String {
    format!("{llc}.kept")
}

/// The text of a module with some cases.
fn module(cases: &[&Case]) -> String {
    let mut text = machine::current().module_head() + HEAD;
    let declarations: BTreeSet<&String> = cases.iter().flat_map(|case| &case.declarations).collect();
    for declaration in declarations {
        let _ = writeln!(text, "{declaration}");
    }
    for (number, (_, attributes)) in levels().iter().enumerate() {
        let _ = writeln!(text, "attributes #{number} = {{ {attributes} }}");
    }
    for case in cases {
        let _ = writeln!(text, "; {case}\n{}", case.text);
    }
    let rows: Vec<&str> = cases.iter().map(|case| case.row.as_str()).collect();
    let _ = write!(
        text,
        "%row = type {{ ptr, i64, [4 x i64], [4 x i64] }}\n@table_rows = constant i64 {0}\n\
         @table = global [{0} x %row] [\n  {1}\n]\n",
        rows.len(),
        rows.join(",\n  ")
    );
    text
}

fn assemble(cases: &[&Case], bitcode: &Path) -> Result<()> {
    let source = bitcode.with_extension("ll");
    fs::write(&source, module(cases))?;
    let mut command = workspace::llvm_tool("llvm-as-22")?;
    process::checked(command.arg(&source).arg("-o").arg(bitcode))?;
    Ok(())
}

/// The cases to whose functions a compiler's messages belong, each with its first one.
fn blamed(outcome: &Outcome, cases: &[&Case]) -> BTreeMap<u64, String> {
    let messages = String::from_utf8_lossy(&outcome.stderr);
    let mut blamed = BTreeMap::new();
    for line in messages.lines() {
        for (start, _) in line.match_indices("@f") {
            let digits: String = line[start + 2..].chars().take_while(char::is_ascii_digit).collect();
            let number = digits.parse().ok();
            if let Some(case) = cases.iter().find(|case| Some(case.number) == number) {
                blamed.entry(case.number).or_insert_with(|| line.to_owned());
            }
        }
    }
    blamed
}

/// What a refusal speaks of, without function, place and types.
fn reason(message: &str) -> String {
    let what = message.split_once("not supported: ").map_or(message, |(_, what)| what);
    let mut what = what.split(" (").next().unwrap_or(what).to_owned();
    while let Some(start) = what.find('<')
        && let Some(length) = what[start..].find('>')
    {
        what.replace_range(start..=start + length, "[vector]");
    }
    let words: Vec<&str> = what
        .split(' ')
        .map(|word| match word.strip_prefix("llvm.") {
            // Suffixes say the types.
            Some(_) => word.split_once(".v").map_or(word, |(name, _)| name),
            None => word,
        })
        .collect();
    words.join(" ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reasons_name_no_types() {
        let message =
            "frazil: error: a.bc: function @f1: not supported: illegal vector type <8 x i32> (i1: call) [FZ0105]";
        assert_eq!(reason(message), "illegal vector type [vector]");
        assert_eq!(
            reason("not supported: intrinsic llvm.sin.v4f32 (i1: call)"),
            "intrinsic llvm.sin"
        );
    }
}
