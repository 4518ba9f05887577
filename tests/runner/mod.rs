//! The runner of the file tests.
//!
//! A case is a text in the IR's own form (`.fzl`) whose comments say what to check:
//!
//! ```text
//! ; test run                      a check to make; the words after it are its options
//! ; target x86_64                 which targets the case is for (all, if there is no such line)
//! ; skip interp: calls snprintf   an executor that cannot run the case, and why
//! ; also x86_64-static            an executor that only makes runs where it is asked for
//! ; input ../../modules           bitcode to read instead of this text: a file, or all files of a folder
//! ; c: int twice(int x) { return 2 * x; }      C code to link to the case, for executors that compile
//! ; run: f(1, -2) == 3            a run, see below
//! ; error: 3:8: expected a type   an expected error of `parse` or `verify`
//! ;| text                         an expected output line of the check that the line `; expect <check>` names
//! ```
//!
//! Checks: `parse` (the text is a module, and prints to a text that parses to the same), `print` (its printed form),
//! `verify`, `run`, `asm [<recipe>]` (the assembly text by a built-in recipe), `object` (sections, symbols and
//! relocations of the object file; both with one block for each target, `; expect asm x86_64`), `reads` (bitcode is
//! read, verified and round-trips through the text form), `random <seed> <functions>` (random functions give the same
//! results everywhere), `opt <pass>` (what a pass makes of the functions), `mach <pass>` (the assembly text with this
//! pass over machine code), `pexe` (the module is written as an executable of PNaCl, which is read and run, or is
//! refused). One file each in [`checks`].
//!
//! A run calls a function with literal arguments, or addresses of symbols (`@table`), and compares its results:
//! `== 3`, `== (1, true)`, `== nan` (any NaN), `is poison`, `is undefined`, `is undefined: division by zero` (part of
//! the message). Each run begins with fresh memory. What poison and undefined behavior lead to is open, so only the
//! interpreter makes such runs; all others are made by every executor in [`executors`], under every built-in recipe.

mod bless;
mod case;
mod checks;
mod coverage;
mod executors;
mod recipe;

use case::Case;
use libtest_mimic::{Failed, Trial};
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// The trials of all cases below a folder.
pub fn trials(root: &Path) -> Result<Vec<Trial>, String> {
    let mut paths = Vec::new();
    collect(root, &mut paths)?;
    paths.sort();
    let (mut trials, mut cases) = (Vec::new(), Vec::new());
    for path in paths {
        let name = path.strip_prefix(root).unwrap_or(&path).display().to_string();
        match Case::read(&path) {
            Ok(case) => {
                let case = Arc::new(case);
                add_trials(&name, &case, &mut trials);
                cases.push(case);
            }
            Err(message) => trials.push(Trial::test(name, move || Err(message.into()))),
        }
    }
    let cases: Arc<[Arc<Case>]> = cases.into();
    for pass in recipe::shipped_passes() {
        let cases = cases.clone();
        let is_missed = move || coverage::check_pass(&cases, pass).map_err(Failed::from);
        trials.push(Trial::test(format!("{pass} is missed when it is left out"), is_missed));
    }
    let covers = move || coverage::check(&cases).map_err(Failed::from);
    trials.push(Trial::test("every opcode is run", covers));
    Ok(trials)
}

/// Tells how many runs executors left out because they do not know a construct, and why.
pub fn tell_unsupported() {
    let counts = executors::testisa::unsupported();
    let total: usize = counts.values().sum();
    if total > 0 {
        eprintln!("{total} runs unsupported on testisa:");
        for (reason, count) in counts {
            eprintln!("{count:7} {reason}");
        }
    }
    for (feature, count) in executors::native::left_out() {
        eprintln!("{count:7} runs are compiled and not made: this processor has no {feature}");
    }
}

/// Tells how many runs were made of executables of PNaCl, which must be a third of them.
pub fn check_executables(has_run_all: bool) -> Result<(), String> {
    let (made, left_out) = checks::pexe::counts();
    if made > 0 {
        eprintln!("{made} runs of executables of PNaCl, {left_out} left out because they have no form in its ABI");
    }
    match has_run_all && 2 * made < left_out {
        true => Err("too few runs are made of executables of PNaCl".to_owned()),
        false => Ok(()),
    }
}

/// Tells in how many functions the variants of the test target had what they are there for, which must be enough of
/// them when all cases were run.
pub fn check_variants(has_run_all: bool) -> Result<(), String> {
    let [near, frameless] = executors::testisa::counts();
    for counts in [near, frameless].iter().filter(|counts| counts.functions > 0) {
        eprintln!("{counts:?}");
    }
    // Most functions are those that make the runs: they have a frame, but no branches.
    let is_enough = near.with_islands > near.functions / 8
        && frameless.with_islands > frameless.functions / 8
        && frameless.without_pointer > frameless.functions / 8;
    if has_run_all && !is_enough {
        return Err("too few functions have islands, or a frame without frame pointer".to_owned());
    }
    Ok(())
}

fn collect(folder: &Path, paths: &mut Vec<PathBuf>) -> Result<(), String> {
    let entries = std::fs::read_dir(folder).map_err(|error| format!("{}: {error}", folder.display()))?;
    for entry in entries {
        let path = entry.map_err(|error| format!("{}: {error}", folder.display()))?.path();
        if path.is_dir() {
            collect(&path, paths)?;
        } else if path.extension().is_some_and(|extension| extension == "fzl") {
            paths.push(path);
        }
    }
    Ok(())
}

fn add_trials(name: &str, case: &Arc<Case>, trials: &mut Vec<Trial>) {
    if case.tests.iter().any(|test| test.check == "run") {
        for part in checks::counted::parts(name)
            .into_iter()
            .filter(|part| checks::counted::is_for(case, part))
        {
            let ignored = checks::is_unavailable(&part);
            let case = case.clone();
            let title = format!("{name} counted {part}");
            let run = move || checks::counted::run(&case, &part).map_err(Failed::from);
            trials.push(Trial::test(title, run).with_ignored_flag(ignored));
        }
        let again = case.clone();
        let run = move || checks::pexe::as_far_as_possible(&again).map_err(Failed::from);
        trials.push(Trial::test(format!("{name} as pexe"), run));
    }
    for test in &case.tests {
        let Some(check) = checks::CHECKS.iter().find(|check| check.name == test.check) else {
            let message = format!("there is no check `{}`", test.check);
            trials.push(Trial::test(format!("{name} {}", test.check), move || {
                Err(Failed::from(message))
            }));
            continue;
        };
        for part in (check.parts)(case, test) {
            let (case, test) = (case.clone(), test.clone());
            let title = format!("{name} {}{}{part}", test.check, if part.is_empty() { "" } else { " " });
            let ignored = checks::is_unavailable(&part);
            let run = check.run;
            trials.push(
                Trial::test(title, move || run(&case, &test, &part).map_err(Failed::from)).with_ignored_flag(ignored),
            );
        }
    }
}
