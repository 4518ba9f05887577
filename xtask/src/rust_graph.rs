//! `cargo xtask rust`: a graph of Rust crates, each of which Frazil compiles, behaves as rustc's, and passes its tests.
//!
//! The program in `xtask/corpus/rust` uses crates that many programs use; its tests are about panics, threads and
//! backtraces. It is built as users are told to, with `frazil-link` as the linker of rustc, in the dev profile and in
//! the release profile, the latter also for newer processors. The libraries, generic code of the standard library,
//! build scripts and procedural macros all go this way. What the program prints must be what it prints when rustc makes
//! all of the code. No module may be refused.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, ensure};
use pico_args::Arguments;

use crate::crosstest::wide::refusals;
use crate::{process, workspace};

/// The program's manifest. Versions are exact, but for packages that these bring along.
const MANIFEST: &str = r#"
[package]
name = "work"
edition = "2024"

[workspace]

[dependencies]
hashbrown = "=0.17.1"
rayon = "=1.12.0"
regex = "=1.13.1"
serde = { version = "=1.0.229", features = ["derive"] }
serde_json = "=1.0.154"
tokio = { version = "=1.54.1", features = ["rt-multi-thread", "sync", "time"] }
"#;

/// Profiles: a name, cargo's option, and what rustc is told.
const PROFILES: [(&str, &[&str], &str); 3] = [
    ("dev", &[], ""),
    ("release", &["--release"], ""),
    ("release-v3", &["--release"], "-Ctarget-cpu=x86-64-v3"),
];

/// `cargo xtask rust [dev|release|release-v3]`.
pub fn command(mut arguments: Arguments) -> Result<bool> {
    let filter: Option<String> = arguments.opt_free_from_str()?;
    let rest = arguments.finish();
    ensure!(rest.is_empty(), "unexpected argument `{}`", rest[0].to_string_lossy());
    let linker = linker()?;
    let folder = workspace::target_dir().join("rust-graph");
    write_project(&folder)?;
    let mut is_good = true;
    for (name, options, flags) in PROFILES {
        if filter.as_deref().is_some_and(|filter| filter != name) {
            continue;
        }
        let graph = Graph {
            folder: &folder,
            options,
            flags,
        };
        match graph.test(&linker, name) {
            Ok(report) => {
                println!("{name:<8} {report}");
            }
            Err(error) => {
                println!("{name:<8} FAILED\n{error:#}");
                is_good = false;
            }
        }
    }
    Ok(is_good)
}

/// A release build of the linker.
pub fn linker() -> Result<PathBuf> {
    let mut build = workspace::cargo();
    build.args(["build", "--quiet", "--release", "--package", "frazil-cc"]);
    process::checked(&mut build)?;
    Ok(workspace::target_dir().join("release/frazil-link"))
}

/// Has rustc make bitcode of all crates with further flags, in a folder of its own, and says where it is.
pub fn bitcode(name: &str, flags: &[&str]) -> Result<Vec<PathBuf>> {
    let folder = workspace::target_dir().join("rust-graph");
    write_project(&folder)?;
    let target = folder.join(name);
    let mut build = workspace::cargo();
    build
        .args(["build", "--quiet", "--target-dir"])
        .arg(&target)
        .current_dir(&folder);
    build.env(
        "RUSTFLAGS",
        format!("--emit=llvm-bc,link -Ccodegen-units=1 {}", flags.join(" ")),
    );
    process::checked(&mut build)?;
    let deps = target.join("debug/deps");
    let entries = fs::read_dir(&deps).with_context(|| deps.display().to_string())?;
    let mut found: Vec<PathBuf> = entries
        .filter_map(|entry| entry.ok().map(|entry| entry.path()))
        .collect();
    found.retain(|path| path.extension().is_some_and(|end| end == "bc"));
    found.sort();
    Ok(found)
}

fn write_project(folder: &Path) -> Result<()> {
    fs::create_dir_all(folder.join("src"))?;
    write_if_new(&folder.join("Cargo.toml"), MANIFEST.as_bytes())?;
    for name in ["lib.rs", "main.rs"] {
        let text = fs::read(workspace::root().join("xtask/corpus/rust").join(name))?;
        write_if_new(&folder.join("src").join(name), &text)?;
    }
    Ok(())
}

/// Leaves a file as it is if it has that text already, so that cargo does not build it again.
fn write_if_new(path: &Path, text: &[u8]) -> Result<()> {
    if fs::read(path).ok().as_deref() != Some(text) {
        fs::write(path, text).with_context(|| path.display().to_string())?;
    }
    Ok(())
}

/// The crates in one profile.
struct Graph<'a> {
    folder: &'a Path,
    options: &'a [&'a str],
    flags: &'a str,
}

impl Graph<'_> {
    /// Builds and runs everything, and says how that went.
    fn test(&self, linker: &Path, name: &str) -> Result<String> {
        let log = self.folder.join(format!("{name}.log"));
        let _ = fs::remove_file(&log);
        let flags = format!("-Clinker-plugin-lto -Clinker={} {}", linker.display(), self.flags);
        // Only what is linked anew is in the log.
        let ours = self.folder.join("frazil");
        let _ = fs::remove_dir_all(&ours);
        let cargo = |command: &str, target: &Path, flags: &str| {
            let mut cargo = workspace::cargo();
            cargo
                .args([command, "--quiet"])
                .args(self.options)
                .current_dir(self.folder);
            cargo.arg("--target-dir").arg(target).env("RUSTFLAGS", flags);
            cargo.env("FRAZIL_LINK_LOG", &log).env("FRAZIL_CC_FALLBACK", "1");
            cargo.env_remove("RUST_BACKTRACE");
            process::checked(&mut cargo)
        };
        let expected = cargo("run", &self.folder.join("rustc"), self.flags)?;
        ensure!(!expected.stdout.is_empty(), "the program prints nothing");
        let tests = cargo("test", &ours, &flags)?;
        let actual = cargo("run", &ours, &flags)?;
        ensure!(
            actual.stdout == expected.stdout,
            "the program prints something else than rustc's:\n{}",
            String::from_utf8_lossy(&actual.stdout)
        );
        let modules = Modules::read(&fs::read_to_string(&log).context("no module was compiled")?);
        modules.check()?;
        Ok(format!("ok, {}; {modules}", passed_tests(&tests.stdout)?))
    }
}

/// What the log of the linker says, each module counted once.
#[derive(Debug, Default)]
pub struct Modules {
    compiled: usize,
    /// How many modules were refused for which reason.
    refused: BTreeMap<String, usize>,
}

impl Modules {
    /// Fails if a module was refused.
    pub fn check(&self) -> Result<()> {
        ensure!(self.refused.is_empty(), "refused: {:#?}", self.refused.keys());
        Ok(())
    }

    /// Takes the log apart.
    pub fn read(log: &str) -> Modules {
        let mut lines: Vec<_> = log.lines().collect();
        // A library is linked into several programs.
        lines.sort_unstable();
        lines.dedup();
        let mut modules = Modules::default();
        for line in lines {
            match line.strip_prefix("clang ") {
                None => modules.compiled += 1,
                Some(line) => {
                    let reason = line.split_once(": ").map_or("", |(_, reason)| reason);
                    let reason = reason
                        .split_once("not supported: ")
                        .map_or(reason, |(_, reason)| reason);
                    let reason = refusals::without_instruction(reason);
                    *modules.refused.entry(reason.to_owned()).or_default() += 1;
                }
            }
        }
        modules
    }
}

impl std::fmt::Display for Modules {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{} modules by Frazil", self.compiled)?;
        let refused: usize = self.refused.values().sum();
        if refused > 0 {
            write!(f, ", {refused} by clang")?;
        }
        for (reason, count) in &self.refused {
            write!(f, "\n{count:>9} refused: {reason}")?;
        }
        Ok(())
    }
}

/// How many tests have passed.
fn passed_tests(output: &[u8]) -> Result<String> {
    let text = String::from_utf8_lossy(output);
    let line = text.lines().find(|line| line.starts_with("test result: ok. "));
    let line = line.with_context(|| format!("no tests were run:\n{text}"))?;
    let count = line.trim_start_matches("test result: ok. ").split(';').next();
    Ok(format!("tests: {}", count.unwrap_or_default()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn modules_are_counted_once() {
        let log =
            "frazil a.o\nfrazil x.rlib(b.o)\nclang c.o: function @f: not supported: a vector (i4: load)\nfrazil a.o\n";
        let modules = Modules::read(log);
        assert_eq!(
            modules.to_string(),
            "2 modules by Frazil, 1 by clang\n        1 refused: a vector"
        );
    }
}
