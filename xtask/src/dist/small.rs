//! `cargo xtask dist --small`: the small command as it is handed out, which needs no library of the system.
//!
//! Cargo compiles Rust's library with it, optimised for size and without what prints backtraces, which alone is a sixth
//! of the small command otherwise; tables for unwinders are made of nothing. The C library is musl, whose parts that
//! are used are linked in: a program that loads no library starts in a third of the time.
//!
//! That cargo compiles the library is unstable, and asked for by the environment variable with which Rust itself is
//! built. What it makes is the same compiler: `cargo xtask bench --sizes` compares its objects.

use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, Result, ensure};

use crate::{process, workspace};

/// Passed to rustc: a program at a fixed address, without tables for unwinders and without pages of padding.
const RUSTC_FLAGS: &str = "-Crelocation-model=static -Cforce-unwind-tables=no -Clink-arg=-Wl,-z,noseparate-code";

/// Passed to cargo: which parts of Rust's library are compiled, and how.
const LIBRARY: [&str; 2] = ["-Zbuild-std=std,panic_abort", "-Zbuild-std-features=optimize_for_size"];

/// Builds it for this machine's processor, with the target of that as its only one; the path of the program.
pub fn build() -> Result<PathBuf> {
    let (feature, processor) = match std::env::consts::ARCH {
        "x86_64" => ("x86", "x86_64"),
        "aarch64" => ("aarch64", "aarch64"),
        other => anyhow::bail!("Frazil has no target for this machine ({other})"),
    };
    let target = format!("{processor}-unknown-linux-musl");
    install(&target)?;
    let folder = workspace::target_dir().join("dist/small");
    let mut cargo = command(feature, &folder);
    cargo.args(["--target", &target]).args(LIBRARY);
    cargo.env("RUSTC_BOOTSTRAP", "1").env("RUSTFLAGS", RUSTC_FLAGS);
    process::checked(cargo.env_remove("CARGO_ENCODED_RUSTFLAGS"))?;
    Ok(folder.join(target).join("minimal/frazil"))
}

/// The command that builds the small command with these features into a folder.
pub fn command(features: &str, folder: &Path) -> Command {
    let mut cargo = workspace::cargo();
    cargo.args([
        "build",
        "--quiet",
        "--profile",
        "minimal",
        "--package",
        "frazil",
        "--bin",
        "frazil",
    ]);
    cargo
        .args(["--no-default-features", "--features", features, "--target-dir"])
        .arg(folder);
    cargo
}

/// Has rustup install the source of Rust's library and the C library of `target`, if they are not there.
fn install(target: &str) -> Result<()> {
    let said = process::checked(Command::new(workspace::RUSTC).args(["--print", "sysroot"]))?.stdout;
    let rustlib = Path::new(String::from_utf8(said)?.trim()).join("lib/rustlib");
    let wanted = [
        (rustlib.join("src/rust/library"), ["component", "add", "rust-src"]),
        (rustlib.join(target), ["target", "add", target]),
    ];
    for (path, arguments) in wanted {
        if !path.exists() {
            process::checked(Command::new("rustup").args(arguments)).with_context(|| {
                format!(
                    "`rustup {}` gives what the small command is built with",
                    arguments.join(" ")
                )
            })?;
            ensure!(path.exists(), "rustup has installed no {}", path.display());
        }
    }
    Ok(())
}
