//! `cargo xtask test`: all tests of the workspace, with what they need.
//!
//! What is missing is installed, where that can be done; then nothing may be left out for want of a tool, which tests
//! know by the variable `CI`. The tests of the command, which have work for every processor, run beside those of the
//! other crates, among which are a few long ones with work for one.

use std::ffi::OsString;
use std::io::{self, Seek};
use std::iter;
use std::process::Command;
use std::time::Instant;

use anyhow::{Context, Result, ensure};
use pico_args::Arguments;

use crate::{packages, workspace};

/// The package of the command.
const COMMAND: &str = "frazil";

/// `cargo xtask test [-- ARGUMENTS OF cargo test]`.
pub fn command(arguments: Arguments) -> Result<bool> {
    let start = Instant::now();
    let is_complete = packages::install(false)?;
    if !is_complete {
        println!("tests that need it are left out");
    }
    let mut arguments = arguments.finish();
    arguments.retain(|word| word != "--");
    let tests = Tests { is_complete };
    let is_passed = match arguments.is_empty() {
        true => tests.run_side_by_side()?,
        false => tests
            .cargo(iter::once("--workspace".into()).chain(arguments))
            .status()?
            .success(),
    };
    println!("tests: {} s", start.elapsed().as_secs());
    Ok(is_passed)
}

/// How tests are run.
struct Tests {
    /// Whether all packages that they need are there.
    is_complete: bool,
}

impl Tests {
    /// `cargo test` with these further arguments.
    fn cargo<Word: Into<OsString>>(&self, arguments: impl IntoIterator<Item = Word>) -> Command {
        let mut test = workspace::cargo();
        test.args(["test", "--quiet", "--no-fail-fast"]);
        test.args(arguments.into_iter().map(Into::into));
        if self.is_complete {
            test.env("CI", "1");
        }
        test
    }

    /// The tests of the command, whose output is seen at once, and at the same time all others.
    fn run_side_by_side(&self) -> Result<bool> {
        if !self.cargo(["--workspace", "--no-run"]).status()?.success() {
            return Ok(false);
        }
        let mut output = tempfile::tempfile().context("cannot make a temporary file")?;
        let mut others = self
            .cargo(["--workspace", "--exclude", COMMAND])
            .stdout(output.try_clone()?)
            .stderr(output.try_clone()?)
            .spawn()?;
        let ours = self.cargo(["--package", COMMAND]).status();
        let others = others.wait()?;
        output.rewind()?;
        io::copy(&mut output, &mut io::stdout().lock())?;
        Ok(ours?.success() && others.success())
    }
}

/// `cargo xtask packages`: installs what is missing for all suites.
pub fn install(arguments: Arguments) -> Result<bool> {
    ensure!(arguments.finish().is_empty(), "too many arguments");
    packages::install(true)
}
