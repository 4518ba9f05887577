//! `cargo xtask test`: all tests of the workspace, with what they need.
//!
//! What is missing is installed, where that can be done; then nothing may be left out for want of a tool, which tests
//! know by the variable `CI`.

use std::time::Instant;

use anyhow::{Result, ensure};
use pico_args::Arguments;

use crate::{packages, workspace};

/// `cargo xtask test [-- ARGUMENTS OF cargo test]`.
pub fn command(arguments: Arguments) -> Result<bool> {
    let start = Instant::now();
    let mut test = workspace::cargo();
    test.args(["test", "--quiet", "--workspace", "--no-fail-fast"]);
    test.args(arguments.finish().iter().filter(|word| *word != "--"));
    if packages::install(false)? {
        test.env("CI", "1");
    } else {
        println!("tests that need it are left out");
    }
    let is_passed = test.status()?.success();
    println!("tests: {} s", start.elapsed().as_secs());
    Ok(is_passed)
}

/// `cargo xtask packages`: installs what is missing for all suites.
pub fn install(arguments: Arguments) -> Result<bool> {
    ensure!(arguments.finish().is_empty(), "too many arguments");
    packages::install(true)
}
