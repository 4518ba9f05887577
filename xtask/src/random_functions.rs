//! `cargo xtask random-functions`: the file tests with random functions, over series of functions that everyday runs do
//! not see.
//!
//! Each series makes all `test random` checks once, with other functions.

use std::time::Duration;

use anyhow::{Result, ensure};
use pico_args::Arguments;

use crate::long_test::file_tests;
use crate::process;
use crate::share::Share;

/// More than this is a hang.
const CLOCK_LIMIT: Duration = Duration::from_secs(3600);

/// The part of the names of the trials that every one of them has: the folder of their cases.
const TRIALS: &str = "random/";

/// `cargo xtask random-functions [--series N]` with the options of [`Share`]; the seed is the first series.
pub fn command(mut arguments: Arguments) -> Result<bool> {
    let series: u64 = arguments.opt_value_from_str("--series")?.unwrap_or(300);
    let mut share = Share::from_arguments(&mut arguments)?;
    ensure!(arguments.finish().is_empty(), "too many arguments");
    process::checked(file_tests().arg("--no-run"))?;
    share.begin();
    let (mut made, mut failed) = (0, 0);
    for number in share.seed()..share.seed() + series {
        if !share.has_time() {
            break;
        }
        made += 1;
        let mut command = file_tests();
        command
            .args(["--", TRIALS])
            .env("FRAZIL_RANDOM_SERIES", number.to_string());
        let outcome = process::run(&mut command, CLOCK_LIMIT)?;
        if !outcome.success() {
            failed += 1;
            println!("series {number}:\n{}", String::from_utf8_lossy(&outcome.stdout));
        }
    }
    println!(
        "{}: {failed} failed",
        share.report("series of random functions", made, series as usize)
    );
    Ok(failed == 0)
}
