//! `cargo xtask refinement`: proofs that passes over the intermediate representation keep what functions do, for the
//! file tests and for windows of the corpus.
//!
//! It runs the test `suite` of the crate `frazil-refinement` in a release build, over many more functions than everyday
//! runs do, and prints its tables.

use std::time::Duration;

use anyhow::{Result, ensure};
use pico_args::Arguments;

use crate::corpus;
use crate::long_test::{self, long_test};
use crate::share::Share;

/// More than this is a hang.
const CLOCK_LIMIT: Duration = Duration::from_secs(8 * 3600);

/// Tests among which the time is divided.
const TIMED_TESTS: u64 = 3;

/// `cargo xtask refinement [--windows N] [--faults N] [FILTER]` with the options of [`Share`]; the seed chooses the
/// windows.
pub fn command(mut arguments: Arguments) -> Result<bool> {
    let windows: u64 = arguments.opt_value_from_str("--windows")?.unwrap_or(20_000);
    let faults: u64 = arguments.opt_value_from_str("--faults")?.unwrap_or(10_000);
    let share = Share::from_arguments(&mut arguments)?;
    let show_open = arguments.contains("--unproved");
    let modules = corpus::modules(&corpus::filter(arguments)?)?;
    ensure!(!modules.is_empty(), "no module of the corpus has such a name");
    let paths = corpus::paths(&modules)?;
    let limit = share.limit().unwrap_or(CLOCK_LIMIT).as_secs() / TIMED_TESTS;
    let mut command = long_test("frazil-refinement", "suite", share.limit());
    command
        .env("FRAZIL_REFINEMENT_MODULES", paths.join("\n"))
        .env("FRAZIL_REFINEMENT_WINDOWS", windows.to_string())
        .env("FRAZIL_REFINEMENT_FAULTS", faults.to_string())
        .env("FRAZIL_REFINEMENT_SEED", share.seed().to_string())
        .env("FRAZIL_REFINEMENT_SECONDS", limit.to_string())
        .envs(show_open.then_some(("FRAZIL_REFINEMENT_OPEN", "1")));
    long_test::run(&mut command, CLOCK_LIMIT)
}
