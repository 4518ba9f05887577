//! `cargo xtask robustness`: damaged input must end in success or in a clear error.
//!
//! The in-process cases run many small modules under an allocation counter (the test of the crate
//! `frazil-robustness`); the whole-process cases start `frazil` on damaged corpus modules and watch it from outside:
//! how it ends, how long it takes, how much memory it needs, and which files it leaves.

use std::ffi::OsString;
use std::fs;
use std::path::Path;
use std::process::Command;
use std::time::Duration;

use anyhow::Result;
use pico_args::Arguments;

use crate::compiler::Compiler;
use crate::process::{self, Outcome};
use crate::{corpus, workspace};

/// No input, however damaged, may keep the compiler busy for longer. The limit on the clock is larger, because other
/// programs may be running; it only ends what hangs.
const CPU_LIMIT: Duration = Duration::from_secs(1);
const CLOCK_LIMIT: Duration = Duration::from_secs(20);

/// How much more memory than for the undamaged module is allowed.
const MEMORY_FACTOR: u64 = 2;
/// What two runs may differ by.
const MEMORY_SLACK: u64 = 2 << 20;

/// `cargo xtask robustness [--cases N] [--processes N] [--seed N] [--frazil PATH] [FILTER]`.
pub fn command(mut arguments: Arguments) -> Result<bool> {
    let cases: u64 = arguments.opt_value_from_str("--cases")?.unwrap_or(10_000);
    let processes: u64 = arguments.opt_value_from_str("--processes")?.unwrap_or(200);
    let seed: u64 = arguments.opt_value_from_str("--seed")?.unwrap_or(1);
    let frazil = Compiler::from_arguments(&mut arguments)?;
    let filter = corpus::filter(arguments)?;
    let in_process_passed = in_process(cases, seed)?;
    let failed = whole_processes(processes, seed, &frazil, &filter)?;
    println!("whole processes: {} passed, {failed} failed", processes - failed);
    Ok(in_process_passed && failed == 0)
}

/// Runs the test of the crate `frazil-robustness`, which reports by itself.
fn in_process(cases: u64, seed: u64) -> Result<bool> {
    let mut command = workspace::cargo();
    command.args([
        "test",
        "--quiet",
        "--release",
        "--package",
        "frazil-robustness",
        "--test",
        "in_process",
    ]);
    command
        .env("ROBUSTNESS_CASES", cases.to_string())
        .env("ROBUSTNESS_SEED", seed.to_string());
    let outcome = process::run(&mut command, Duration::from_secs(1800))?;
    print!("{}", String::from_utf8_lossy(&outcome.stdout));
    eprint!("{}", String::from_utf8_lossy(&outcome.stderr));
    Ok(outcome.success())
}

/// Runs the whole-process cases and returns how many failed.
fn whole_processes(count: u64, seed: u64, frazil: &Compiler, filter: &str) -> Result<u64> {
    if count == 0 {
        return Ok(0);
    }
    let modules = corpus::modules(filter)?;
    let dir = workspace::target_dir().join("robustness");
    fs::create_dir_all(&dir)?;
    let (input, output) = (dir.join("input.bc"), dir.join("output.o"));

    let mut contents = Vec::new();
    let mut peaks = Vec::new();
    for module in &modules {
        contents.push(frazil_robustness::Module::new(fs::read(&module.bitcode)?));
        peaks.push(process::run(&mut frazil.command(&module.bitcode, &output)?, CLOCK_LIMIT)?.peak_bytes);
    }
    let mut failed = 0;
    for number in 0..count {
        let case = frazil_robustness::case(seed, number, &contents);
        clear(&dir)?;
        fs::write(&input, &case.bytes)?;
        let outcome = process::run(&mut frazil.command(&input, &output)?, CLOCK_LIMIT)?;
        // The kernel starts a new program's peak with that of the one that started it, which keeps all modules.
        let floor = process::run(&mut Command::new("true"), CLOCK_LIMIT)?.peak_bytes;
        if let Some(problem) = problem(&outcome, floor.max(peaks[case.module] * MEMORY_FACTOR), &dir)? {
            failed += 1;
            let name = modules[case.module].name();
            println!("case {number} of seed {seed} ({name}: {}): {problem}", case.description);
            fs::copy(
                &input,
                workspace::target_dir().join(format!("robustness-{seed}-{number}.bc")),
            )?;
        }
    }
    Ok(failed)
}

fn clear(dir: &Path) -> Result<()> {
    for entry in fs::read_dir(dir)? {
        fs::remove_file(entry?.path())?;
    }
    Ok(())
}

/// What is wrong with how the compiler ended, if anything.
fn problem(outcome: &Outcome, allowed_peak: u64, dir: &Path) -> Result<Option<String>> {
    let error = outcome.first_error_line();
    let left: Vec<OsString> = fs::read_dir(dir)?
        .map(|entry| Ok(entry?.file_name()))
        .collect::<std::io::Result<_>>()?;
    let expected: &[&str] = if outcome.success() {
        &["input.bc", "output.o"]
    } else {
        &["input.bc"]
    };
    let surplus = left.iter().find(|name| !expected.iter().any(|other| name == other));
    let code = outcome.status.and_then(|status| status.code());
    Ok(if !matches!(code, Some(0 | 1)) {
        Some(format!("{}: {error}", outcome.ending()))
    } else if code == Some(1) && !error.contains("error") {
        Some(format!("failed without a clear error: {error}"))
    } else if outcome.cpu_time() > CPU_LIMIT {
        Some(format!("took {:.1} s", outcome.cpu_time().as_secs_f64()))
    } else if outcome.peak_bytes > allowed_peak + MEMORY_SLACK {
        Some(format!(
            "needed {} MB, more than {} MB",
            outcome.peak_bytes >> 20,
            allowed_peak >> 20
        ))
    } else {
        surplus.map(|name| format!("left the file {}", name.display()))
    })
}
