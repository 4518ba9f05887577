//! Every command builds every package with the same features, so that none builds again what another has built.
//!
//! Method: what cargo resolves for each crate alone, with its tests and without, must be among what it resolves for the
//! whole workspace. Where it is not, the package is named in the workspace's `Cargo.toml` with all of its features, or,
//! if only packages of others use it, beside them in that crate's dependencies.

use std::collections::BTreeSet;

use anyhow::{Context, Result};
use serde_json::Value;

use super::Problem;
use crate::{process, workspace};

/// Checks all crates of the workspace.
pub fn check() -> Result<Vec<Problem>> {
    let mut command = workspace::cargo();
    command.args(["metadata", "--quiet", "--offline", "--no-deps", "--format-version", "1"]);
    let metadata: Value = serde_json::from_slice(&process::checked(&mut command)?.stdout)?;
    let packages = metadata["packages"].as_array().context("no list of packages")?;
    let common = resolved(&["--workspace"])?;
    let mut problems = Vec::new();
    for package in packages {
        let name = package["name"].as_str().context("a package without a name")?;
        for kinds in ["normal,build,dev", "normal,build"] {
            let own = resolved(&["--package", name, "--edges", kinds])?;
            problems.extend(others(&own, &common).map(|(package, features)| Problem {
                path: format!("{name} (Cargo.toml)"),
                line: 0,
                message: format!("has {package} built with the features `{features}`, unlike the workspace"),
            }));
        }
    }
    problems.dedup();
    Ok(problems)
}

/// Packages with their features, as lines `package|features` of `cargo tree`.
fn resolved(what: &[&str]) -> Result<BTreeSet<String>> {
    let mut command = workspace::cargo();
    command.args([
        "tree",
        "--quiet",
        "--offline",
        "--prefix",
        "none",
        "--format",
        "{p}|{f}",
    ]);
    let listed = process::checked(command.args(what))?.stdout;
    let lines = String::from_utf8(listed)?;
    // A package that has been listed before is marked so.
    Ok(lines
        .lines()
        .map(|line| line.trim_end_matches(" (*)").to_owned())
        .collect())
}

/// What is in one list and not in the common one.
fn others<'a>(own: &'a BTreeSet<String>, common: &'a BTreeSet<String>) -> impl Iterator<Item = (&'a str, &'a str)> {
    own.difference(common).filter_map(|line| line.split_once('|'))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn other_features_are_found() {
        let set = |lines: &[&str]| lines.iter().map(|line| (*line).to_owned()).collect::<BTreeSet<_>>();
        let common = set(&["a v1|std", "b v1|", "b v1|macros"]);
        assert_eq!(others(&set(&["a v1|std", "b v1|"]), &common).count(), 0);
        let own = set(&["a v1|alloc,std"]);
        assert_eq!(others(&own, &common).collect::<Vec<_>>(), [("a v1", "alloc,std")]);
    }
}
