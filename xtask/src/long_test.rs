//! Long runs of the workspace's own tests, with what they print; and its file tests.
//!
//! How much such a test does, and with which seed, it reads from the environment. The whole of a suite is run in a
//! release build. A share may be run in the everyday build that `cargo xtask test` makes: a release build for each
//! package that has such a test takes minutes, and a share has seconds.

use std::process::Command;
use std::time::Duration;

use anyhow::Result;

use crate::{process, workspace};

/// The command that runs the tests of a file in `tests/` of a package, which the caller gives its environment. With a
/// limit of time, only a share is wanted. No other package may have a test of this name.
pub fn long_test(package: &str, test: &str, limit: Option<Duration>) -> Command {
    let mut command = match limit {
        Some(_) => everyday_test(test),
        None => {
            let mut command = workspace::cargo();
            command.args(["test", "--release", "--package", package, "--test", test]);
            command
        }
    };
    command.args(["--quiet", "--", "--nocapture", "--test-threads", "1"]);
    command
}

/// The command that runs the file tests in an everyday build.
pub fn file_tests() -> Command {
    everyday_test("filetests")
}

/// The command that runs the tests of a file in an everyday build.
///
/// The whole workspace is named, because packages that are built alone have other features in their dependencies than
/// in `cargo test --workspace`: everything would be built again.
fn everyday_test(test: &str) -> Command {
    let mut command = workspace::cargo();
    command.args(["test", "--workspace", "--test", test]);
    command
}

/// Runs it, passes on what it prints, and says whether it passed. More than `clock_limit` is a hang.
pub fn run(command: &mut Command, clock_limit: Duration) -> Result<bool> {
    let outcome = process::run(command, clock_limit)?;
    print!("{}", String::from_utf8_lossy(&outcome.stdout));
    eprint!("{}", String::from_utf8_lossy(&outcome.stderr));
    Ok(outcome.success())
}
