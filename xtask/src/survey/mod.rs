//! `cargo xtask survey`: does the reader accept what compilers write for C, C++ and Rust?
//!
//! Packages of many kinds are compiled to bitcode, optimized and not, with debug information and without, by clang
//! and by this machine's rustc, and `frazil --emit ir` must accept every module. Whether code can be generated for it
//! is another question, which `crosstest` asks of whole programs.

mod collections;

use std::collections::BTreeMap;
use std::ffi::OsStr;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, Result, bail};
use pico_args::Arguments;

use crate::compiler::Compiler;
use crate::corpus::{self, fetch};
use crate::crosstest::wide::code_bases;
use crate::crosstest::wide::sources::Sources;
use crate::{process, workspace};
use collections::{CODE_BASES, RUST_PACKAGES};

/// The ways in which every C and C++ file is compiled: a name and the options.
const VARIANTS: [(&str, &[&str]); 3] = [
    ("O0", &["-O0", "-Xclang", "-disable-O0-optnone"]),
    ("O0-g", &["-O0", "-Xclang", "-disable-O0-optnone", "-g"]),
    // With the vectorizers, unlike the corpus.
    ("O2", &["-O2"]),
];

/// `cargo xtask survey [--frazil PATH] [FILTER]`.
pub fn command(mut arguments: Arguments) -> Result<bool> {
    let frazil = Compiler::from_arguments(&mut arguments)?;
    let filter = corpus::filter(arguments)?;
    let dir = workspace::target_dir().join("survey");
    let mut modules = c_modules(&dir)?;
    modules.extend(rust_modules(&dir)?);
    modules.retain(|module| name(&dir, module).contains(&filter));
    if modules.is_empty() {
        bail!("no module's name contains `{filter}`");
    }

    let mut failures = 0;
    let mut reasons: BTreeMap<String, usize> = BTreeMap::new();
    for module in &modules {
        let mut read = frazil.command(module, Path::new("/dev/null"))?;
        let outcome = process::run(read.args(["--emit", "ir"]), process::TIME_LIMIT)?;
        if !outcome.success() {
            failures += 1;
            let reason = format!("{}: {}", outcome.ending(), outcome.first_error_line());
            println!("{}: {reason}", name(&dir, module));
            *reasons.entry(without_place(&outcome.first_error_line())).or_default() += 1;
        }
    }
    println!();
    for (reason, count) in reasons {
        println!("{count:>5} x {reason}");
    }
    println!("{} passed, {failures} failed", modules.len() - failures);
    Ok(failures == 0)
}

/// A module's name in reports: its path below the survey's folder.
fn name(dir: &Path, module: &Path) -> String {
    module.strip_prefix(dir).unwrap_or(module).display().to_string()
}

/// An error message without what differs between two modules, so that equal reasons can be counted: the part before
/// the place, with the file's name left out.
fn without_place(message: &str) -> String {
    let message = message.split(" (at bit").next().unwrap_or_default();
    message.rsplit(".bc: ").next().unwrap_or_default().to_owned()
}

/// Compiles every file of every code base that is not there yet, and returns all modules.
fn c_modules(dir: &Path) -> Result<Vec<PathBuf>> {
    let mut modules = Vec::new();
    for name in CODE_BASES {
        let mut all = code_bases::CODE_BASES.iter();
        let code_base = all.find(|row| row.name == *name);
        let code_base = code_base.with_context(|| format!("no code base is called {name}"))?;
        let output_dir = dir.join(format!("{}-{}", code_base.name, code_base.package.version));
        let sources = Sources::prepare(code_base, &output_dir)?;
        for (number, source) in sources.files.iter().enumerate() {
            for (variant, options) in VARIANTS {
                let stem = source.file_stem().unwrap_or_default().display();
                let module = output_dir.join(format!("{number:03}-{stem}-{variant}.bc"));
                // A package of one version never changes.
                if !module.exists() {
                    let mut clang = sources.clang_with(source, options)?;
                    process::checked(clang.args(["-emit-llvm", "-o"]).arg(&module))?;
                }
                modules.push(module);
            }
        }
    }
    Ok(modules)
}

/// Builds the Rust packages twice and returns the modules of all crates.
fn rust_modules(dir: &Path) -> Result<Vec<PathBuf>> {
    let project = dir.join("rust-sources");
    fetch::write_project(&project, RUST_PACKAGES.iter(), "")?;
    let mut modules = Vec::new();
    for (variant, options) in [("debug", &[][..]), ("release", &["--release"][..])] {
        let output_dir = dir.join("rust");
        let mut build: Command = workspace::cargo();
        build.args(["build", "--quiet"]).args(options);
        build
            .arg("--manifest-path")
            .arg(project.join("Cargo.toml"))
            .arg("--target-dir")
            .arg(&output_dir);
        build.env("RUSTFLAGS", "--emit=llvm-bc -Ccodegen-units=1 -Cembed-bitcode=no");
        process::checked(&mut build)?;
        for entry in fs::read_dir(output_dir.join(variant).join("deps"))? {
            let path = entry?.path();
            if path.extension() == Some(OsStr::new("bc")) {
                modules.push(path);
            }
        }
    }
    modules.sort();
    Ok(modules)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn equal_reasons_look_alike() {
        let reason = "frazil: error: a/b-O0.bc: unknown record 99 (at bit 12345, in the module)";
        assert_eq!(without_place(reason), "unknown record 99");
        assert_eq!(without_place("something else"), "something else");
    }
}
