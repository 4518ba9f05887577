//! `cargo xtask bench --instructions`: counts the machine instructions that `frazil` executes, and compares them with
//! the committed counts.
//!
//! A count is the same on every run and whatever else the machine does, so that a small loss of speed shows at once,
//! where times would hide it. The modules are committed bitcode, so that only the compiler can change the count (and
//! the Rust toolchain, whose version is fixed too). `--bless` writes new counts.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, Result, ensure};

use crate::compiler::Compiler;
use crate::{process, workspace};

/// The measured modules, relative to the workspace.
const MODULES: [&str; 2] = ["tests/modules/mixed-O0.bc", "tests/modules/mixed-O2.bc"];

/// Where the committed counts are: a line with a module and its count each.
const COUNTS: &str = "benches/instructions.txt";

/// How many more instructions than committed are too many: 2 %.
const MARGIN: f64 = 0.02;

/// Compares the counts with the committed ones, or writes them. `Ok(false)` if one is too large.
pub fn check(frazil: &Compiler, bless: bool) -> Result<bool> {
    let path = workspace::root().join(COUNTS);
    let committed = if bless {
        String::new()
    } else {
        fs::read_to_string(&path).context(COUNTS)?
    };
    let mut text = String::new();
    let (mut passed, mut failed) = (0, 0);
    for module in MODULES {
        let count = count(frazil, &workspace::root().join(module))?;
        text.push_str(&format!("{module} {count}\n"));
        if bless {
            continue;
        }
        let before = committed_count(&committed, module)?;
        let change = count as f64 / before as f64 - 1.0;
        let good = change <= MARGIN;
        println!(
            "{module}: {count} instructions, {:+.2} %{}",
            change * 100.0,
            if good { "" } else { ": too many" }
        );
        *(if good { &mut passed } else { &mut failed }) += 1;
    }
    if bless {
        fs::write(path, text)?;
    } else {
        println!("instruction counts: {passed} passed, {failed} failed");
    }
    Ok(failed == 0)
}

fn committed_count(text: &str, module: &str) -> Result<u64> {
    let line = text
        .lines()
        .find_map(|line| line.strip_prefix(module))
        .with_context(|| format!("{COUNTS}: no {module}"))?;
    line.trim().parse().with_context(|| format!("{COUNTS}: {module}"))
}

/// Runs one compilation under callgrind and returns the number of instructions in user mode.
fn count(frazil: &Compiler, module: &Path) -> Result<u64> {
    let dir = workspace::target_dir().join("bench");
    fs::create_dir_all(&dir)?;
    let output: PathBuf = dir.join("counted.o");
    let compile = frazil.command(module, &output)?;
    let mut valgrind = Command::new("valgrind");
    valgrind.args(["--tool=callgrind", "--callgrind-out-file=/dev/null", "--"]);
    // The environment lies on the stack of the new program and moves its data, so it is the same everywhere.
    valgrind
        .arg(compile.get_program())
        .args(compile.get_args())
        .env_clear()
        .envs(std::env::vars_os().filter(|(k, _)| k == "PATH"));
    let outcome = process::checked(&mut valgrind).context("on Debian: apt-get install valgrind")?;
    let report = String::from_utf8_lossy(&outcome.stderr);
    let collected = report
        .lines()
        .find_map(|line| line.split_once("Collected : "))
        .map(|(_, number)| number.trim());
    ensure!(collected.is_some(), "valgrind reported no count:\n{report}");
    Ok(collected.unwrap_or_default().parse()?)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reads_committed_counts() {
        let text = "a/b.bc 12\na/c.bc 345\n";
        assert_eq!(committed_count(text, "a/c.bc").unwrap(), 345);
        assert!(committed_count(text, "a/d.bc").is_err());
    }
}
