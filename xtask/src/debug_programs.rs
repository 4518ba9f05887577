//! Programs in C, C++ and Rust whose debug information is looked at: as bitcode, and linked from an object of it.
//!
//! A Rust program is a library with a function `main` of C's, so that one module is all of it; the standard library is
//! linked dynamically. Nothing is position-independent, so that addresses in the file are those in the process. The
//! programs are for the chosen machine.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, Result};

use crate::workspace::RUSTC;
use crate::{machine, process};

/// How the names of sources end, and the compilers.
const LANGUAGES: [(&str, &str); 3] = [("c", "clang-22"), ("cpp", "clang++-22"), ("rs", RUSTC)];

/// A program in the language that its name ends with.
#[derive(Debug)]
pub struct Program {
    pub name: String,
    pub source: PathBuf,
}

impl Program {
    /// The programs in a folder whose names contain `filter`, by name. Modules of tests are none.
    pub fn list(folder: &Path, filter: &str) -> Result<Vec<Program>> {
        let mut programs = Vec::new();
        for entry in fs::read_dir(folder).with_context(|| format!("reading {}", folder.display()))? {
            let source = entry?.path();
            let name = source.file_name().unwrap_or_default().to_string_lossy().into_owned();
            let program = Program { name, source };
            if program.compiler().is_some() && program.name != "mod.rs" && program.name.contains(filter) {
                programs.push(program);
            }
        }
        programs.sort_by(|a, b| a.name.cmp(&b.name));
        Ok(programs)
    }

    /// The compiler of its language.
    fn compiler(&self) -> Option<&'static str> {
        let end = self.source.extension()?.to_str()?;
        LANGUAGES.iter().find(|row| row.0 == end).map(|row| row.1)
    }

    /// Compiles it to bitcode with debug information at a level (0 or 2), with further options for clang.
    pub fn make_bitcode(&self, level: u8, options: &[&str], bitcode: &Path) -> Result<()> {
        let name = self.compiler().context("a source in another language")?;
        let mut compiler = Command::new(name);
        if name == RUSTC {
            compiler.args(["--edition=2024", "--crate-type=lib", "-g", "-Ccodegen-units=1"]);
            compiler.arg(format!("-Copt-level={level}")).arg("--emit=llvm-bc");
            compiler.arg(format!("--target={}", machine::current().rust_target));
        } else {
            compiler.args(["-g", "-w", "-c", "-emit-llvm", "-I/usr/include/csmith"]);
            compiler.arg(format!("-O{level}")).args(options).arg(target_of_clang());
        }
        process::checked(compiler.arg(&self.source).arg("-o").arg(bitcode))?;
        Ok(())
    }

    /// Links an object of it, with further options for clang.
    pub fn link(&self, object: &Path, options: &[&str], executable: &Path) -> Result<()> {
        let mut linker = Command::new("clang++-22");
        linker.arg(target_of_clang()).arg("-no-pie").args(options).arg(object);
        if self.compiler() == Some(RUSTC) {
            let (folder, library) = rust_library()?;
            linker.arg(library).arg(format!("-Wl,-rpath,{}", folder.display()));
        }
        process::checked(linker.arg("-o").arg(executable))?;
        Ok(())
    }
}

/// The option that tells clang the machine.
fn target_of_clang() -> String {
    format!("--target={}", machine::current().triple)
}

/// Rust's standard library for dynamic linking, after its folder.
fn rust_library() -> Result<(PathBuf, PathBuf)> {
    let mut rustc = Command::new(RUSTC);
    rustc.args(["--print", "target-libdir", "--target", machine::current().rust_target]);
    let outcome = process::checked(&mut rustc)?;
    let folder = PathBuf::from(String::from_utf8_lossy(&outcome.stdout).trim());
    let entries = fs::read_dir(&folder).with_context(|| format!("reading {}", folder.display()))?;
    let mut files = entries.filter_map(|entry| entry.ok().map(|entry| entry.path()));
    let library = files.find(|path| {
        let name = path.file_name().unwrap_or_default().to_string_lossy();
        name.starts_with("libstd-") && name.ends_with(".so")
    });
    let library = library.with_context(|| format!("no library of the name libstd in {}", folder.display()))?;
    Ok((folder, library))
}
