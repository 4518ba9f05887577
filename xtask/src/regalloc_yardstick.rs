//! `cargo xtask regalloc-yardstick`: what our register allocator adds to the functions of the corpus, beside
//! `regalloc2`.
//!
//! It runs the test `yardstick` of the crate `frazil-allocators` in a release build on the modules, and prints its
//! tables.

use std::time::Duration;

use anyhow::Result;
use pico_args::Arguments;

use crate::long_test::{self, long_test};
use crate::{corpus, machine};

/// More than this is a hang.
const CLOCK_LIMIT: Duration = Duration::from_secs(3600);

/// `cargo xtask regalloc-yardstick [--target NAME] [FILTER]`.
pub fn command(mut arguments: Arguments) -> Result<bool> {
    machine::select(&mut arguments)?;
    let modules = corpus::modules(&corpus::filter(arguments)?)?;
    let paths = corpus::paths(&modules)?;
    let mut command = long_test("frazil-allocators", "yardstick", None);
    command.env("FRAZIL_YARDSTICK", paths.join("\n"));
    long_test::run(&mut command, CLOCK_LIMIT)
}
