//! `cargo xtask robustness`: damaged input must end in success or in a clear error.
//!
//! The in-process cases run many small modules under an allocation counter (the test of the crate
//! `frazil-robustness`); the whole-process cases start `frazil` on damaged corpus modules and watch it from outside:
//! how it ends, how long it takes, how much memory it needs, and which files it leaves. Modules in which one record is
//! damaged, and as many with damaged bytes, are compiled in one process, too, and LLVM is asked about those that are
//! accepted; and modules whose debug information is damaged, of which LLVM is shown what has become of it. Damaged
//! executables of PNaCl have a test of their own.

use std::ffi::OsString;
use std::fs;
use std::path::Path;
use std::time::Duration;

use anyhow::Result;
use pico_args::Arguments;

use crate::compiler::Compiler;
use crate::long_test::{self, long_test};
use crate::process::{self, Outcome};
use crate::share::Share;
use crate::{corpus, workspace};

/// No input, however damaged, may keep the compiler busy for longer. The limit on the clock is larger, because other
/// programs may be running; it only ends what hangs.
const CPU_LIMIT: Duration = Duration::from_secs(1);
const CLOCK_LIMIT: Duration = Duration::from_secs(20);
/// More than this for all cases in one process is a hang.
const IN_PROCESS_LIMIT: Duration = Duration::from_secs(1800);

/// How much more memory than for the undamaged module is allowed.
const MEMORY_FACTOR: u64 = 2;
/// What two runs may differ by.
const MEMORY_SLACK: u64 = 2 << 20;

/// `cargo xtask robustness [--cases N] [--records N] [--debug N] [--pexes N] [--processes N] [FILTER]` with the options
/// of [`Share`] and [`Compiler::list_from_arguments`].
pub fn command(mut arguments: Arguments) -> Result<bool> {
    let cases: u64 = arguments.opt_value_from_str("--cases")?.unwrap_or(10_000);
    let records: u64 = arguments.opt_value_from_str("--records")?.unwrap_or(2_000);
    let debug: u64 = arguments.opt_value_from_str("--debug")?.unwrap_or(2_000);
    let pexes: u64 = arguments.opt_value_from_str("--pexes")?.unwrap_or(2_000);
    let processes: u64 = arguments.opt_value_from_str("--processes")?.unwrap_or(200);
    let mut share = Share::from_arguments(&mut arguments)?;
    let compilers = Compiler::list_from_arguments(&mut arguments, &["Om1"])?;
    let filter = corpus::filter(arguments)?;
    let mut passed = true;
    if records > 0 {
        passed &= damaged_records(records, &share)?;
    }
    if debug > 0 {
        passed &= damaged_debug_information(debug, &share)?;
    }
    if pexes > 0 {
        passed &= damaged_executables(pexes, &share)?;
    }
    for frazil in &compilers {
        passed &= in_process(cases, &share, frazil)?;
        let (made, failed) = whole_processes(processes, &mut share, frazil, &filter)?;
        println!(
            "{frazil}, whole processes: {}: {} passed, {failed} failed",
            share.report("cases", made as usize, processes as usize),
            made - failed
        );
        passed &= failed == 0;
    }
    Ok(passed)
}

/// Runs the test of the crate `frazil-robustness`, which reports by itself.
fn in_process(cases: u64, share: &Share, frazil: &Compiler) -> Result<bool> {
    if cases == 0 {
        return Ok(true);
    }
    let mut command = long_test("frazil-robustness", "in_process", share.limit());
    command
        .env("ROBUSTNESS_CASES", cases.to_string())
        .env("ROBUSTNESS_SEED", share.seed().to_string())
        .envs(frazil.recipe().map(|recipe| ("ROBUSTNESS_RECIPE", recipe)))
        .envs((share.limit()).map(|limit| ("ROBUSTNESS_SECONDS", limit.as_secs().to_string())));
    long_test::run(&mut command, IN_PROCESS_LIMIT)
}

/// Runs the test that compares verdicts with LLVM's.
fn damaged_records(records: u64, share: &Share) -> Result<bool> {
    let mut command = long_test("frazil-robustness", "records", share.limit());
    command
        .env("ROBUSTNESS_RECORDS", records.to_string())
        .env("ROBUSTNESS_BYTES", records.to_string())
        .env("ROBUSTNESS_SEED", share.seed().to_string())
        .envs((share.limit()).map(|limit| ("ROBUSTNESS_SECONDS", limit.as_secs().to_string())));
    long_test::run(&mut command, IN_PROCESS_LIMIT)
}

/// Runs the test that has LLVM verify what became of debug information.
fn damaged_debug_information(count: u64, share: &Share) -> Result<bool> {
    let mut command = long_test("frazil-robustness", "debug", share.limit());
    command
        .env("ROBUSTNESS_DEBUG", count.to_string())
        .env("ROBUSTNESS_SEED", share.seed().to_string())
        .envs((share.limit()).map(|limit| ("ROBUSTNESS_SECONDS", limit.as_secs().to_string())));
    long_test::run(&mut command, IN_PROCESS_LIMIT)
}

/// Runs the test with executables of PNaCl.
fn damaged_executables(count: u64, share: &Share) -> Result<bool> {
    let mut command = long_test("frazil-robustness", "damaged_pexe", share.limit());
    command
        .env("ROBUSTNESS_PEXES", count.to_string())
        .env("ROBUSTNESS_SEED", share.seed().to_string())
        .envs((share.limit()).map(|limit| ("ROBUSTNESS_SECONDS", limit.as_secs().to_string())));
    long_test::run(&mut command, IN_PROCESS_LIMIT)
}

/// Runs the whole-process cases and returns how many were made and how many failed.
fn whole_processes(count: u64, share: &mut Share, frazil: &Compiler, filter: &str) -> Result<(u64, u64)> {
    if count == 0 {
        return Ok((0, 0));
    }
    let modules = corpus::modules(filter)?;
    let dir = workspace::target_dir().join("robustness");
    fs::create_dir_all(&dir)?;
    let (input, output) = (dir.join("input.bc"), dir.join("output.o"));

    let mut contents = Vec::new();
    let mut peaks = Vec::new();
    for module in &modules {
        contents.push(frazil_robustness::Module::new(fs::read(module.bitcode()?)?));
        peaks.push(process::run_measured(&frazil.command(module.bitcode()?, &output)?, CLOCK_LIMIT)?.peak_bytes);
    }
    share.begin();
    let seed = share.seed();
    let (mut made, mut failed) = (0, 0);
    for number in 0..count {
        if !share.has_time() {
            break;
        }
        made += 1;
        let case = frazil_robustness::case(seed, number, &contents);
        clear(&dir)?;
        fs::write(&input, &case.bytes)?;
        let outcome = process::run_measured(&frazil.command(&input, &output)?, CLOCK_LIMIT)?;
        if let Some(problem) = problem(&outcome, peaks[case.module] * MEMORY_FACTOR, &dir)? {
            failed += 1;
            let name = modules[case.module].name();
            println!("case {number} of seed {seed} ({name}: {}): {problem}", case.description);
            fs::copy(
                &input,
                workspace::target_dir().join(format!("robustness-{seed}-{number}.bc")),
            )?;
        }
    }
    Ok((made, failed))
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
