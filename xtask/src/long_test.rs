//! Long runs of the workspace's own tests: in a release build, with what they print; and its file tests.
//!
//! How much such a test does, and with which seed, it reads from the environment.

use std::process::Command;
use std::time::Duration;

use anyhow::Result;

use crate::{process, workspace};

/// The command that runs the tests of a file in `tests/` of a package, which the caller gives its environment.
pub fn long_test(package: &str, test: &str) -> Command {
    let mut command = workspace::cargo();
    command.args(["test", "--quiet", "--release", "--package", package, "--test", test]);
    command.args(["--", "--nocapture", "--test-threads", "1"]);
    command
}

/// The command that runs the file tests in an everyday build.
///
/// The whole workspace is named, because packages that are built alone have other features in their dependencies than
/// in `cargo test --workspace`: everything would be built again.
pub fn file_tests() -> Command {
    let mut command = workspace::cargo();
    command.args(["test", "--workspace", "--test", "filetests"]);
    command
}

/// Runs it, passes on what it prints, and says whether it passed. More than `clock_limit` is a hang.
pub fn run(command: &mut Command, clock_limit: Duration) -> Result<bool> {
    let outcome = process::run(command, clock_limit)?;
    print!("{}", String::from_utf8_lossy(&outcome.stdout));
    eprint!("{}", String::from_utf8_lossy(&outcome.stderr));
    Ok(outcome.success())
}
