//! `cargo xtask allocation-faults`: faults in register allocations of random functions, by both ways to compile.
//!
//! It runs the workspace's test of that name in a release build, over many more functions than everyday runs do, and
//! prints its tables.

use anyhow::{Result, ensure};
use pico_args::Arguments;
use std::time::Duration;

use crate::{process, workspace};

/// More than this is a hang.
const CLOCK_LIMIT: Duration = Duration::from_secs(4 * 3600);

/// `cargo xtask allocation-faults [--functions N] [--seed N]`.
pub fn command(mut arguments: Arguments) -> Result<bool> {
    let functions: u64 = arguments.opt_value_from_str("--functions")?.unwrap_or(10_000);
    let seed: u64 = arguments.opt_value_from_str("--seed")?.unwrap_or(1);
    ensure!(arguments.finish().is_empty(), "too many arguments");
    let mut command = workspace::cargo();
    command.args([
        "test",
        "--quiet",
        "--release",
        "--package",
        "frazil",
        "--test",
        "allocation_faults",
    ]);
    command.args(["--", "--nocapture", "--test-threads", "1"]);
    command
        .env("FRAZIL_FAULT_FUNCTIONS", functions.to_string())
        .env("FRAZIL_FAULT_SEED", seed.to_string());
    let outcome = process::run(&mut command, CLOCK_LIMIT)?;
    print!("{}", String::from_utf8_lossy(&outcome.stdout));
    eprint!("{}", String::from_utf8_lossy(&outcome.stderr));
    Ok(outcome.success())
}
