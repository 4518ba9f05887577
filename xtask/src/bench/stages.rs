//! Where the time of a compilation goes, as `frazil --time-passes` reports it.

use std::path::Path;

use anyhow::{Context, Result, ensure};

use super::statistics::median;
use crate::compiler::Compiler;
use crate::corpus::Module;
use crate::process;

/// The stages, as the report names them.
pub const STAGES: [&str; 3] = ["read", "compile", "write"];

/// Median times of the stages over `repeat` runs, in nanoseconds for each instruction of the module. The number of
/// instructions is LLVM's, so that figures of two versions of Frazil can be compared even if its own count changes.
pub fn measure(module: &Module, frazil: &Compiler, output: &Path, repeat: usize) -> Result<[f64; 3]> {
    let mut samples: [Vec<f64>; 3] = Default::default();
    for _ in 0..repeat {
        let mut command = frazil.command(module.bitcode()?, output)?;
        let outcome = process::run(command.arg("--time-passes"), process::TIME_LIMIT)?;
        ensure!(outcome.success(), "{}", outcome.first_error_line());
        let report = String::from_utf8_lossy(&outcome.stderr);
        for (stage, samples) in STAGES.iter().zip(&mut samples) {
            samples.push(milliseconds(&report, stage).with_context(|| format!("no time for `{stage}` in:\n{report}"))?);
        }
    }
    let instructions = module.instructions()? as f64;
    Ok(samples.map(|samples| median(&samples) * 1e6 / instructions))
}

/// The first number in the report's line of `stage`.
fn milliseconds(report: &str, stage: &str) -> Option<f64> {
    report.lines().find_map(|line| {
        let mut words = line.split_whitespace();
        (words.next() == Some(stage))
            .then(|| words.next()?.parse().ok())
            .flatten()
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reads_the_report() {
        let report = "stage   ms  ns/instruction\nread    1.250   12.5\ncompile 3.5 4\n";
        assert_eq!(milliseconds(report, "read"), Some(1.25));
        assert_eq!(milliseconds(report, "compile"), Some(3.5));
        assert_eq!(milliseconds(report, "write"), None);
    }
}
