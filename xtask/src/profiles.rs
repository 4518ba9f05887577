//! `cargo xtask profiles`: what tools count is what clang and rustc count by themselves.
//!
//! The programs of the corpus are compiled to bitcode with the compiler's own counters (`-fprofile-instr-generate`,
//! `-Cinstrument-coverage`), and by Frazil with [a tool](../../tests/instrument/profile_check.c) that counts blocks and
//! remembers which of them increase which of these counters. When the program ends, the tool compares: a counter must
//! be the sum of its blocks.
//!
//! Where passes run between the compiler's counters and the tool's hooks, the counters are increased by atomic
//! operations: of plain loads and stores, passes move some out of loops and make one of two, so that a block may
//! increase a counter by any number or by one that stands elsewhere. Hooks that were put in early into unoptimized code
//! see plain ones as they were written. Each is done with all blocks counted, and with those left out that follow from
//! others (`derive`).

use std::fmt;
use std::fs;
use std::path::Path;

use anyhow::{Context, Result, ensure};
use pico_args::Arguments;

use crate::compiler::Compiler;
use crate::corpus::{self, Level};
use crate::crosstest::RUN_LIMIT;
use crate::crosstest::instrumented::{OPTIONS, SLOWNESS, Tools, run_with_tools};
use crate::process::{self, Outcome};
use crate::share::Share;
use crate::{machine, workspace};

/// The tool, relative to the workspace and without extension.
const TOOL: &str = "tests/instrument/profile_check";

/// What is compared: the level of the bitcode, and when hooks are put in.
const CASES: [(Level, &str); 4] = [
    (Level::O0Profile, "early"),
    (Level::O0AtomicProfile, "late"),
    (Level::O2AtomicProfile, "early"),
    (Level::O2AtomicProfile, "late"),
];

/// For each counter that is left out, at least so many must have counted.
const LEAST_USED_OF_LEFT_OUT: u64 = 8;

/// What the tool has found in one run or more.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct Found {
    equal: u64,
    differ: u64,
    /// Counters that are not increased by one each time, or that one store chooses among.
    left_out: u64,
    /// Of all of them, those that are not 0.
    used: u64,
}

/// A module that is made when it is its turn, with hooks that are put in at one time.
struct Case {
    program: &'static str,
    level: Level,
    when: &'static str,
    /// Whether counters are left out that follow from others.
    derive: bool,
}

/// `cargo xtask profiles [FILTER]`, with the options of [`Share`] and [`Compiler::list_from_arguments`].
pub fn command(mut arguments: Arguments) -> Result<bool> {
    machine::select(&mut arguments)?;
    let compilers = Compiler::list_from_arguments(&mut arguments, &["Om1", "O2"])?;
    let mut share = Share::from_arguments(&mut arguments)?;
    let filter = corpus::filter(arguments)?;
    let mut cases = Vec::new();
    for (level, when) in CASES {
        for program in corpus::programs_at(level, &filter) {
            cases.extend([false, true].map(|derive| Case {
                program,
                level,
                when,
                derive,
            }));
        }
    }
    ensure!(!cases.is_empty(), "no module's name contains `{filter}`");
    let total = cases.len() * compilers.len();
    let (mut made, mut passed, mut failed) = (0, 0, 0);
    share.begin();
    for number in share.order(total) {
        if !share.has_time() {
            break;
        }
        made += 1;
        let (case, frazil) = (&cases[number / compilers.len()], &compilers[number % compilers.len()]);
        let (is_good, text) = match check(case, frazil) {
            Ok(found) => (found.is_good(), found.to_string()),
            Err(problem) => (false, format!("{problem:#}")),
        };
        *(if is_good { &mut passed } else { &mut failed }) += 1;
        let mark = if is_good { "" } else { "FAILED: " };
        let module = format!("{}-{}", case.program, case.level.name());
        println!("{module:<28} {frazil:<11} {:<14} {mark}{text}", case.way());
    }
    println!(
        "\n{}",
        share.report("programs with counters under recipes", made, total)
    );
    println!("{passed} passed, {failed} failed");
    Ok(failed == 0)
}

impl Found {
    /// Whether all counters are equal, and enough were compared that have counted at all.
    fn is_good(&self) -> bool {
        self.differ == 0 && self.left_out * LEAST_USED_OF_LEFT_OUT <= self.used && self.used > 0
    }
}

impl fmt::Display for Found {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Found {
            equal,
            differ,
            left_out,
            used,
        } = self;
        write!(
            f,
            "{equal} counters equal, {differ} differ, {left_out} left out, {used} not 0"
        )
    }
}

impl Case {
    /// The name of how blocks are counted.
    fn way(&self) -> String {
        format!("{}{}", self.when, if self.derive { "-derived" } else { "" })
    }

    /// The tool that counts so.
    fn tool(&self) -> Result<Tools> {
        let tools = Tools::new(&format!("profiles/{}", self.way()), OPTIONS)?;
        let source = workspace::root().join(TOOL);
        let text = fs::read_to_string(source.with_extension("toml"))?;
        tools.add(
            &source,
            &format!("when = \"{}\"\nderive = {}\n{text}", self.when, self.derive),
        )?;
        Ok(tools)
    }
}

/// Builds a program with the tool in it, makes all short runs, and adds up what the tool says.
fn check(case: &Case, frazil: &Compiler) -> Result<Found> {
    let module = corpus::module(case.program, case.level)?;
    let dir = machine::folder().join("profiles").join(module.name()).join(case.way());
    let name = Path::new(TOOL).file_name().unwrap_or_default().to_string_lossy();
    let program = case.tool()?.build(&module, frazil, &[&name], &dir);
    let program = program.map_err(anyhow::Error::msg)?;
    let mut sum = Found::default();
    for run in module.program.runs {
        let limit = machine::limit(RUN_LIMIT) * SLOWNESS;
        let outcome: Outcome = process::run(&mut run_with_tools(&program, run, run.short), limit)?;
        let found = said(&String::from_utf8_lossy(&outcome.stderr));
        let found = found.with_context(|| format!("{}: {}: the tool says nothing", run.name, outcome.ending()))?;
        if !found.is_good() {
            eprint!("{}", String::from_utf8_lossy(&outcome.stderr));
        }
        sum.equal += found.equal;
        sum.differ += found.differ;
        sum.left_out += found.left_out;
        sum.used += found.used;
    }
    Ok(sum)
}

/// What the tool says at the end of a run.
fn said(report: &str) -> Option<Found> {
    let line = report
        .lines()
        .rev()
        .find_map(|line| line.strip_prefix("profile check: "))?;
    let mut numbers = line.split(", ").map(|part| part.split(' ').next()?.parse().ok());
    Some(Found {
        equal: numbers.next()??,
        differ: numbers.next()??,
        left_out: numbers.next()??,
        used: numbers.next()??,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reads_what_the_tool_says() {
        let report = "profile check: a counter of f is 1, its blocks 2\n\
                      profile check: 5 counters equal, 1 differ, 0 left out, 4 not 0\n";
        let found = said(report).expect("the report is complete");
        assert_eq!((found.equal, found.differ, found.left_out, found.used), (5, 1, 0, 4));
        assert!(!found.is_good() && Found { differ: 0, ..found }.is_good());
        assert_eq!(said("profile check: a counter of f is 1, its blocks 2\n"), None);
        let nothing = Found {
            equal: 5,
            ..Found::default()
        };
        assert!(!nothing.is_good());
    }
}
