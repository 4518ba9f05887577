//! `cargo xtask bench --instructions`: counts the machine instructions that `frazil` executes, and those that programs
//! execute which it compiled, and compares them with the committed counts.
//!
//! A count is the same on every run and whatever else the machine does, so that a small loss of speed shows at once,
//! where times would hide it. The modules are committed bitcode, so that only the compiler can change the counts (and
//! the Rust toolchain, whose version is fixed too); of programs, only their own code counts, not that of libraries.
//! `--bless` writes new counts.

use std::collections::HashMap;
use std::fs;
use std::path::Path;
use std::process::Command;

use anyhow::{Context, Result, ensure};

use crate::compiler::Compiler;
use crate::{process, workspace};

/// The measured modules, relative to the workspace, which are programs.
const MODULES: [&str; 2] = ["tests/modules/mixed-O0.bc", "tests/modules/mixed-O2.bc"];

/// A module so small that starting the compiler is most of the work.
const SMALLEST_MODULE: &str = "examples/hello.bc";

/// The size argument of the programs.
const PROGRAM_SIZE: &str = "2000";

/// The recipes under which modules are compiled.
const RECIPES: [&str; 2] = ["Om1", "O2"];

/// The recipe whose code is run.
const RUN_RECIPE: &str = "O2";

/// Where the committed counts are: a line with what is done and its count each.
pub const COUNTS: &str = "benches/instructions.txt";

/// How many more instructions than committed are too many: 2 %.
const MARGIN: f64 = 0.02;

/// Compares the counts with the committed ones, or writes them. `Ok(false)` if one is too large.
pub fn check(frazil: &Compiler, bless: bool) -> Result<bool> {
    let path = workspace::root().join(COUNTS);
    let counts = measure(frazil)?;
    if bless {
        let lines: Vec<String> = counts
            .iter()
            .map(|(what, count)| format!("{what}: {count}\n"))
            .collect();
        fs::write(path, lines.concat())?;
        return Ok(true);
    }
    let committed = fs::read_to_string(&path).context(COUNTS)?;
    let (mut passed, mut failed) = (0, 0);
    for (what, count) in counts {
        let before = committed_count(&committed, &what)?;
        let change = count as f64 / before as f64 - 1.0;
        let good = change <= MARGIN;
        println!(
            "{what}: {count} instructions, {:+.2} %{}",
            change * 100.0,
            if good { "" } else { ": too many" }
        );
        *(if good { &mut passed } else { &mut failed }) += 1;
    }
    println!("instruction counts: {passed} passed, {failed} failed");
    Ok(failed == 0)
}

/// What is done, with its count.
fn measure(frazil: &Compiler) -> Result<Vec<(String, u64)>> {
    let dir = workspace::target_dir().join("bench");
    fs::create_dir_all(&dir)?;
    let object = dir.join("counted.o");
    let start = frazil
        .with_recipe(RUN_RECIPE)
        .command(&workspace::root().join(SMALLEST_MODULE), &object)?;
    let mut counts = vec![(format!("{RUN_RECIPE} compiles {SMALLEST_MODULE}"), count_of(&start)?)];
    for recipe in RECIPES {
        for module in MODULES {
            let compile = frazil
                .with_recipe(recipe)
                .command(&workspace::root().join(module), &object)?;
            counts.push((format!("{recipe} compiles {module}"), count_of(&compile)?));
            if recipe == RUN_RECIPE {
                let program = dir.join("counted");
                process::checked(
                    Command::new(workspace::CC)
                        .arg(&object)
                        .arg("-o")
                        .arg(&program)
                        .arg("-lm"),
                )?;
                let mut run = Command::new(&program);
                run.arg(PROGRAM_SIZE);
                counts.push((format!("{recipe} code of {module} runs"), count_in_program(&run)?));
            }
        }
    }
    Ok(counts)
}

fn committed_count(text: &str, what: &str) -> Result<u64> {
    let line = text
        .lines()
        .find_map(|line| line.strip_prefix(what)?.strip_prefix(": "))
        .with_context(|| format!("{COUNTS}: no line for `{what}`"))?;
    line.trim().parse().with_context(|| format!("{COUNTS}: {what}"))
}

/// Runs a command under callgrind and returns the number of instructions in user mode.
pub fn count_of(command: &Command) -> Result<u64> {
    let report = run_counted(command, Path::new("/dev/null"))?;
    let collected = report
        .lines()
        .find_map(|line| line.split_once("Collected : "))
        .map(|(_, number)| number.trim());
    ensure!(collected.is_some(), "valgrind reported no count:\n{report}");
    Ok(collected.unwrap_or_default().parse()?)
}

/// The same without instructions of libraries.
pub fn count_in_program(command: &Command) -> Result<u64> {
    let profile = workspace::target_dir().join("bench/callgrind.out");
    run_counted(command, &profile)?;
    let count = own_cost(&fs::read_to_string(&profile)?, &command.get_program().to_string_lossy());
    ensure!(count > 0, "callgrind counted nothing in {:?}", command.get_program());
    Ok(count)
}

/// Runs a command under callgrind and returns valgrind's report.
fn run_counted(command: &Command, profile: &Path) -> Result<String> {
    let mut valgrind = Command::new("valgrind");
    valgrind
        .arg("--tool=callgrind")
        .arg(format!("--callgrind-out-file={}", profile.display()))
        .arg("--")
        .arg(command.get_program())
        .args(command.get_args())
        // The environment lies on the stack of the new program and moves its data, so it is the same everywhere.
        .env_clear()
        .envs(std::env::vars_os().filter(|(k, _)| k == "PATH"))
        .envs(command.get_envs().filter_map(|(key, value)| Some((key, value?))));
    let outcome = process::run(&mut valgrind, process::TIME_LIMIT).context("on Debian: apt-get install valgrind")?;
    let report = String::from_utf8_lossy(&outcome.stderr).into_owned();
    // Programs say something with their exit status, so it is no failure that it is not 0.
    let ended = outcome.status.is_some_and(|status| status.code().is_some());
    ensure!(ended, "{command:?}: {}\n{report}", outcome.ending());
    Ok(report)
}

/// The cost of a program's own code in callgrind's profile ("Callgrind Format Specification" of Valgrind's manual):
/// lines `ob=` say whose code follows, lines of numbers the cost of a place in it, and the line after `calls=` the
/// cost of what was called. A name is written once, with a number that stands for it later.
fn own_cost(profile: &str, program: &str) -> u64 {
    let mut own_number = None;
    let (mut is_own, mut is_call) = (false, false);
    let mut names: HashMap<&str, bool> = HashMap::new();
    let mut cost = 0;
    for line in profile.lines() {
        if let Some(name) = line.strip_prefix("ob=").or_else(|| line.strip_prefix("cob=")) {
            let (number, text) = name.split_once(' ').unwrap_or((name, ""));
            let found = *names.entry(number).or_insert(text == program);
            if found {
                own_number = Some(number);
            }
            if line.starts_with('o') {
                is_own = own_number == Some(number);
            }
        } else if line.starts_with("calls=") {
            is_call = true;
        } else if line.starts_with(|first: char| first.is_ascii_digit() || "+-*".contains(first)) {
            if is_own && !is_call {
                let number = line
                    .split_whitespace()
                    .nth(1)
                    .and_then(|number| number.parse::<u64>().ok());
                cost += number.unwrap_or_default();
            }
            is_call = false;
        }
    }
    cost
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reads_committed_counts() {
        let text = "O2 compiles a/b.bc: 12\nO2 compiles a/c.bc: 345\n";
        assert_eq!(committed_count(text, "O2 compiles a/c.bc").unwrap(), 345);
        assert!(committed_count(text, "O2 compiles a/d.bc").is_err());
    }

    #[test]
    fn only_the_cost_of_the_programs_own_code_counts() {
        let profile = "events: Ir\n\nob=(1) libc.so.6\nfn=(1) printf\n7 100\n\nob=(2) ./program\nfn=(2) main\n\
                       16 5\n+3 2\ncob=(1)\ncfn=(1)\ncalls=1 7\n* 100\n+1 1\n\nob=(1)\nfn=(3) exit\n9 50\nob=(2)\n1 4\n";
        assert_eq!(own_cost(profile, "./program"), 12);
    }
}
