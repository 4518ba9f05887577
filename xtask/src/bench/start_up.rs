//! `cargo xtask bench --start-up`: CPU time of the shortest runs, where starting the program is most of the work.
//!
//! What counts is the least of many runs: whatever else the machine does only adds to it. The times are reported beside
//! the goal, and decide nothing: they are those of one machine. What starting costs is checked in executed instructions
//! (`cargo xtask bench --instructions`), and that such runs map no part of LLVM is a test of the driver.

use std::ffi::OsStr;
use std::fs;
use std::path::Path;
use std::process::Command;
use std::time::Duration;

use anyhow::{Context, Result, ensure};

use crate::compiler::Compiler;
use crate::{process, workspace};

/// What each of them is meant to take at most.
pub const GOAL: Duration = Duration::from_millis(4);

/// The same of the small command that is handed out.
pub const SMALL_GOAL: Duration = Duration::from_micros(1200);

/// A program that only prints, compiled by clang without optimization.
const HELLO: &str = "#include <stdio.h>\nint main(void) { puts(\"hello, world\"); return 0; }\n";

/// Prints the least times over `repeat` runs beside a goal.
pub fn measure(frazil: &Compiler, repeat: usize, goal: Duration) -> Result<()> {
    let Compiler::Frazil { path, .. } = frazil else {
        unreachable!("the options name a recipe of Frazil");
    };
    let folder = workspace::target_dir().join("bench").join("start-up");
    fs::create_dir_all(&folder).with_context(|| format!("{}", folder.display()))?;
    let mut version = Command::new(path);
    version.arg("--version");
    println!("{frazil}: CPU time (user + system), least of {repeat} runs; the goal is {goal:?}");
    let runs = [
        ("--version", version),
        ("empty module", compilation(frazil, &folder, "empty", "")?),
        ("hello, world", compilation(frazil, &folder, "hello", HELLO)?),
    ];
    for (name, mut command) in runs {
        let least = least_time(&mut command, repeat)?;
        println!("{name:<14} {:>6.2} ms", least.as_secs_f64() * 1e3);
    }
    Ok(())
}

/// How Frazil is called to compile a C file's bitcode.
fn compilation(frazil: &Compiler, folder: &Path, name: &str, source: &str) -> Result<Command> {
    let file = |extension: &str| folder.join(name).with_extension(extension);
    fs::write(file("c"), source)?;
    let options = ["-c", "-emit-llvm", "-o"].map(OsStr::new);
    process::checked(Command::new("clang-22").args(options).args([file("bc"), file("c")]))?;
    frazil.command(&file("bc"), &file("o"))
}

fn least_time(command: &mut Command, repeat: usize) -> Result<Duration> {
    let mut least = Duration::MAX;
    for _ in 0..repeat {
        let outcome = process::run(command, process::TIME_LIMIT)?;
        ensure!(outcome.success(), "{}", outcome.first_error_line());
        least = least.min(outcome.cpu_time());
    }
    Ok(least)
}
