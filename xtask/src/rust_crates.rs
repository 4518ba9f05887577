//! `cargo xtask rust-crates`: crates with build scripts and procedural macros pass their own tests by the README's
//! recipe for Rust, in both profiles.
//!
//! Method: the commands are taken from the README as they are written, and run by a shell that finds `frazil-link` on
//! its `PATH`. The sources come through cargo at the time of the test. The recipe has clang compile what Frazil
//! refuses; here, nothing may be refused. With `--target NAME`, the recipe names that machine's target instead, its C
//! compiler links, and its emulator runs the tests.

use std::env;
use std::fs;
use std::path::Path;
use std::process::Command;
use std::time::{Duration, Instant};

use anyhow::{Context, Result, ensure};
use frazil_test_support::machines;
use pico_args::Arguments;

use crate::projects::fetch_crate;
use crate::rust_graph::Modules;
use crate::share::Share;
use crate::{machine, process, rust_graph, workspace};

/// Crates: each has a build script, and a procedural macro of its own or among what its tests use.
const CRATES: &[(&str, &str)] = &[
    ("prettyplease", "0.2.37"),
    ("thiserror", "2.0.17"),
    ("anyhow", "1.0.100"),
];

/// What is in each command of the recipe, and how the line before them begins.
const RECIPE: &str = "-Clinker-plugin-lto -Clinker=frazil-link";
const EXPORT: &str = "export FRAZIL_CC_FALLBACK=";

/// More than this is a hang.
const STEP_LIMIT: Duration = Duration::from_secs(1800);

/// Runs `cargo xtask rust-crates [FILTER]`, with the options of [`Share`].
pub fn command(mut arguments: Arguments) -> Result<bool> {
    machine::select(&mut arguments)?;
    let mut share = Share::from_arguments(&mut arguments)?;
    let filter: Option<String> = arguments.opt_free_from_str()?;
    let rest = arguments.finish();
    ensure!(rest.is_empty(), "unexpected argument `{}`", rest[0].to_string_lossy());
    let readme = fs::read_to_string(workspace::root().join("README.md"))?;
    let recipe = recipe(&readme);
    ensure!(
        recipe.len() == 2,
        "the README has {} commands instead of one for each profile",
        recipe.len()
    );
    let folder = machine::folder().join("rust-crates");
    // The linker stays the same to the end of the run, whatever is built meanwhile.
    let programs = folder.join("bin");
    fs::create_dir_all(&programs)?;
    let copy = programs.join("frazil-link");
    let _ = fs::remove_file(&copy);
    fs::copy(rust_graph::linker()?, &copy)?;
    let chosen = |row: &&(&str, &str)| filter.as_deref().is_none_or(|filter| row.0.contains(filter));
    let crates: Vec<_> = CRATES.iter().filter(chosen).collect();
    ensure!(!crates.is_empty(), "no crate of that name");
    let total = crates.len() * recipe.len();
    let (mut made, mut failed) = (0, 0);
    share.begin();
    for number in share.order(total) {
        if !share.has_time() {
            break;
        }
        made += 1;
        let ((name, version), line) = (crates[number / recipe.len()], &recipe[number % recipe.len()]);
        let profile = if line.contains("--release") { "release" } else { "dev" };
        match test(name, version, line, profile, &folder) {
            Ok(report) => println!("{name:<12} {profile:<8} {report}"),
            Err(error) => {
                println!("{name:<12} {profile:<8} FAILED\n{error:#}");
                failed += 1;
            }
        }
    }
    println!("{}: {failed} failed", share.report("runs of tests", made, total));
    Ok(failed == 0)
}

/// The commands of the recipe, one for each profile, each with the line before them.
fn recipe(readme: &str) -> Vec<String> {
    let export = readme.lines().find(|line| line.starts_with(EXPORT)).unwrap_or_default();
    let commands = readme.lines().filter(|line| line.contains(RECIPE));
    let for_machine = |line: &str| line.replace(machines::HOST.rust_target, machine::current().rust_target);
    commands
        .map(|line| format!("{export}\n{}", for_machine(line)))
        .collect()
}

/// Builds a crate and runs its tests, and says what was found.
fn test(name: &'static str, version: &'static str, recipe: &str, profile: &str, folder: &Path) -> Result<String> {
    let source = folder.join(name);
    fetch_crate(name, version, folder, &source)?;
    // Only what is linked anew is in the log.
    let log = source.join(format!("{profile}.log"));
    let path = env::var_os("PATH").unwrap_or_default();
    let path = env::join_paths([folder.join("bin")].into_iter().chain(env::split_paths(&path)))?;
    let start = Instant::now();
    let mut shell = Command::new("sh");
    shell.args(["-c", recipe]).current_dir(&source);
    shell
        .env("PATH", path)
        .env("FRAZIL_LINK_LOG", &log)
        .env_remove("FRAZIL_CC_FALLBACK")
        .env_remove("FRAZIL_LINK_CC")
        .env_remove("CARGO_TARGET_DIR")
        .env_remove("RUST_BACKTRACE");
    if !machine::is_host() {
        cross(&mut shell);
    }
    let outcome = process::run(&mut shell, machine::limit(STEP_LIMIT))?;
    let out = String::from_utf8_lossy(&outcome.stdout);
    ensure!(
        outcome.success(),
        "`{recipe}` in {}: {}\n{out}\n{}",
        source.display(),
        outcome.ending(),
        String::from_utf8_lossy(&outcome.stderr)
    );
    let log = fs::read_to_string(&log).context("no module was compiled")?;
    let modules = Modules::read(&log);
    modules.check()?;
    let passed = passed(&out);
    ensure!(passed > 0, "no test has passed:\n{out}");
    let seconds = start.elapsed().as_secs_f64();
    Ok(format!(
        "ok, {passed} tests, {} modules, {seconds:.0} s",
        log.lines().count()
    ))
}

/// Says with what programs for another machine are linked and run. The documentation's examples, which rustdoc
/// compiles, are linked with bitcode of the crate, too.
fn cross(shell: &mut Command) {
    let machine = machine::current();
    let name = machine.rust_target.to_uppercase().replace('-', "_");
    shell
        .env("FRAZIL_LINK_CC", machine.compiler)
        .env("RUSTDOCFLAGS", "-Clinker=frazil-link")
        .env(format!("CARGO_TARGET_{name}_RUNNER"), machine.emulator().join(" "));
}

/// How many tests have passed.
fn passed(output: &str) -> u32 {
    let counts = output.lines().filter_map(|line| line.strip_prefix("test result: ok. "));
    counts
        .filter_map(|line| line.split(' ').next()?.parse::<u32>().ok())
        .sum()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_recipe_is_in_the_readme_for_both_profiles() {
        let readme = fs::read_to_string(workspace::root().join("README.md")).expect("readable");
        let recipe = recipe(&readme);
        let is_release: Vec<bool> = recipe.iter().map(|line| line.contains("--release")).collect();
        assert_eq!(is_release, [false, true]);
    }

    #[test]
    fn tests_that_have_passed_are_counted() {
        let output = "running 2 tests\ntest result: ok. 2 passed; 0 failed\ntest result: ok. 40 passed; 0 failed\n";
        assert_eq!(passed(output), 42);
    }
}
