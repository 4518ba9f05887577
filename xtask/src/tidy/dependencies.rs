//! Which crate of the workspace may use which.
//!
//! The table is the architecture: a crate may use the crates named in its row and no others. Test dependencies are
//! free, since they do not shape the product.

use std::collections::BTreeSet;

use anyhow::{Context, Result};
use serde_json::Value;

use super::Problem;
use crate::{process, workspace};

/// A crate, and the workspace crates that it may depend on.
const ALLOWED: &[(&str, &[&str])] = &[
    ("frazil-support", &[]),
    ("frazil-ir", &["frazil-support"]),
    ("frazil-frontend-pnacl", &["frazil-support", "frazil-ir"]),
    ("frazil-frontend-llvm", &[]),
    ("frazil-codegen", &["frazil-support", "frazil-ir"]),
    ("frazil-target-x86", &["frazil-support", "frazil-ir", "frazil-codegen"]),
    (
        "frazil-target-aarch64",
        &["frazil-support", "frazil-ir", "frazil-codegen"],
    ),
    (
        "frazil-target-testisa",
        &["frazil-support", "frazil-ir", "frazil-codegen"],
    ),
    (
        "frazil-targets",
        &[
            "frazil-support",
            "frazil-ir",
            "frazil-codegen",
            "frazil-target-x86",
            "frazil-target-aarch64",
            "frazil-target-testisa",
        ],
    ),
    (
        "frazil-decode",
        &[
            "frazil-ir",
            "frazil-codegen",
            "frazil-target-x86",
            "frazil-target-aarch64",
        ],
    ),
    ("frazil-passes", &["frazil-support", "frazil-ir", "frazil-codegen"]),
    ("frazil-instrument", &["frazil-support", "frazil-ir", "frazil-passes"]),
    ("frazil-emit", &["frazil-support", "frazil-ir", "frazil-codegen"]),
    ("frazil-split", &["frazil-ir", "frazil-frontend-pnacl"]),
    ("frazil-compare", &[]),
    (
        "frazil",
        &[
            "frazil-support",
            "frazil-ir",
            "frazil-frontend-pnacl",
            "frazil-codegen",
            "frazil-targets",
            "frazil-passes",
            "frazil-instrument",
            "frazil-decode",
            "frazil-emit",
            "frazil-split",
            "frazil-compare",
        ],
    ),
    ("frazil-cc", &["frazil"]),
    (
        "frazil-benches",
        &[
            "frazil",
            "frazil-support",
            "frazil-ir",
            "frazil-frontend-pnacl",
            "frazil-codegen",
            "frazil-targets",
            "frazil-passes",
            "frazil-emit",
        ],
    ),
    ("frazil-test-support", &[]),
    (
        "frazil-allocators",
        &[
            "frazil-ir",
            "frazil-codegen",
            "frazil-targets",
            "frazil-target-testisa",
            "frazil-test-support",
        ],
    ),
    (
        "frazil-refinement",
        &[
            "frazil-support",
            "frazil-ir",
            "frazil-frontend-pnacl",
            "frazil-codegen",
            "frazil-target-x86",
            "frazil-passes",
            "frazil-test-support",
        ],
    ),
    ("frazil-robustness", &["frazil-frontend-pnacl", "frazil-test-support"]),
    (
        "xtask",
        &[
            "frazil-ir",
            "frazil-frontend-pnacl",
            "frazil-robustness",
            "frazil-test-support",
        ],
    ),
];

/// Packages that bring LLVM along, and the one crate that may use them.
const LLVM_PACKAGES: [&str; 2] = ["inkwell", "llvm-sys"];
const LLVM_USER: &str = "frazil-frontend-llvm";

/// Checks the workspace as cargo sees it.
pub fn check() -> Result<Vec<Problem>> {
    let mut command = workspace::cargo();
    command.args(["metadata", "--quiet", "--offline", "--no-deps", "--format-version", "1"]);
    let metadata: Value = serde_json::from_slice(&process::checked(&mut command)?.stdout)?;
    check_metadata(&metadata)
}

fn check_metadata(metadata: &Value) -> Result<Vec<Problem>> {
    let packages = metadata["packages"].as_array().context("no list of packages")?;
    let members: BTreeSet<&str> = packages.iter().filter_map(|package| package["name"].as_str()).collect();
    let mut problems = Vec::new();
    for package in packages {
        let name = package["name"].as_str().context("a package without a name")?;
        let mut report = |message: String| {
            problems.push(Problem {
                path: format!("{name} (Cargo.toml)"),
                line: 0,
                message,
            });
        };
        let Some((_, allowed)) = ALLOWED.iter().find(|(row, _)| *row == name) else {
            report("is not in the table of crates in xtask/src/tidy/dependencies.rs".to_owned());
            continue;
        };
        for dependency in package["dependencies"]
            .as_array()
            .context("a package without dependencies")?
        {
            let used = dependency["name"].as_str().context("a dependency without a name")?;
            let for_tests = dependency["kind"].as_str() == Some("dev");
            if members.contains(used) && !for_tests && !allowed.contains(&used) {
                report(format!("must not depend on {used}"));
            }
            if LLVM_PACKAGES.contains(&used) && name != LLVM_USER {
                report(format!("must not depend on {used}: only {LLVM_USER} uses LLVM"));
            }
        }
    }
    Ok(problems)
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn messages(dependencies: &Value) -> Vec<String> {
        let metadata = json!({ "packages": [
            { "name": "frazil-ir", "dependencies": dependencies },
            { "name": "frazil-support", "dependencies": [] },
            { "name": "frazil-codegen", "dependencies": [] },
        ]});
        check_metadata(&metadata)
            .unwrap()
            .into_iter()
            .map(|problem| problem.message)
            .collect()
    }

    #[test]
    fn allows_what_the_table_says() {
        let none = Vec::<String>::new();
        assert_eq!(
            messages(&json!([{ "name": "frazil-support", "kind": null }, { "name": "serde", "kind": null }])),
            none
        );
        assert_eq!(messages(&json!([{ "name": "frazil-codegen", "kind": "dev" }])), none);
    }

    #[test]
    fn refuses_the_rest() {
        let upward = messages(&json!([{ "name": "frazil-codegen", "kind": null }]));
        assert_eq!(upward, ["must not depend on frazil-codegen"]);
        let llvm = messages(&json!([{ "name": "inkwell", "kind": "dev" }]));
        assert_eq!(
            llvm,
            ["must not depend on inkwell: only frazil-frontend-llvm uses LLVM"]
        );
    }

    /// Rows in an order in which each crate comes after those that it uses prove that there is no cycle.
    #[test]
    fn the_table_has_no_cycle() {
        let mut seen = BTreeSet::new();
        for (name, allowed) in ALLOWED {
            assert!(
                allowed.iter().all(|used| seen.contains(used)),
                "{name} uses a later row"
            );
            seen.insert(name);
        }
    }
}
