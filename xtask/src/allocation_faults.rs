//! `cargo xtask allocation-faults`: faults in register allocations of random functions, by both paths through the
//! compiler.
//!
//! It runs the test `faults` of the crate `frazil-allocators` in a release build, over many more functions than
//! everyday runs do, and prints its tables.

use anyhow::{Result, ensure};
use pico_args::Arguments;
use std::time::Duration;

use crate::long_test::{self, long_test};
use crate::share::Share;

/// More than this is a hang.
const CLOCK_LIMIT: Duration = Duration::from_secs(4 * 3600);

/// `cargo xtask allocation-faults [--functions N]` with the options of [`Share`]; the seed is that of the first
/// function.
pub fn command(mut arguments: Arguments) -> Result<bool> {
    let functions: u64 = arguments.opt_value_from_str("--functions")?.unwrap_or(10_000);
    let share = Share::from_arguments(&mut arguments)?;
    ensure!(arguments.finish().is_empty(), "too many arguments");
    // The everyday build, in which every allocation is checked by itself, would make a handful in the time of a share.
    let mut command = long_test("frazil-allocators", "faults", None);
    command
        .env("FRAZIL_FAULT_FUNCTIONS", functions.to_string())
        .env("FRAZIL_FAULT_SEED", share.seed().to_string())
        .envs((share.limit()).map(|limit| ("FRAZIL_FAULT_SECONDS", limit.as_secs().to_string())));
    long_test::run(&mut command, CLOCK_LIMIT)
}
