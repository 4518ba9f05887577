//! The tests of GCC's suite: where they lie, which files make one, and how each is to be compiled.
//!
//! Debian's package `gcc-12-source` has GCC's sources as an archive, of which only the folder of these tests is
//! unpacked. A test is one C file that calls `abort` when something is wrong. Those in `builtins` have a second file
//! and share a third one with functions of the library.

use std::ffi::OsStr;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, Result, ensure};

use crate::process;

/// Where the package puts its archive.
const PACKAGE_DIR: &str = "/usr/src/gcc-12";

/// The folders of the suite that hold tests, below its own, with the options of all tests in them.
const FOLDERS: [(&str, &[&str]); 3] = [("", &[]), ("ieee", &["-fno-fast-math"]), ("builtins", &[])];

/// The options that tests ask for in their first lines and that mean something to clang.
const KNOWN_OPTIONS: [&str; 8] = [
    "-fgnu89-inline",
    "-fwrapv",
    "-std=",
    "-ffast-math",
    "-finstrument-functions",
    "-fno-builtin-abort",
    "-fno-common",
    "-fno-strict-aliasing",
];

/// One test.
#[derive(Debug, PartialEq, Eq)]
pub struct Case {
    /// Its path below the suite's folder, without the ending.
    pub name: String,
    /// The files that it is made of.
    pub sources: Vec<PathBuf>,
    /// The options with which they are compiled, besides those of all tests.
    pub options: Vec<String>,
}

/// Unpacks the suite below `dir`, if it is not there yet, and returns its folder.
pub fn unpack(dir: &Path) -> Result<PathBuf> {
    let suite = dir.join("execute");
    if suite.join(".complete").is_file() {
        return Ok(suite);
    }
    let entries = fs::read_dir(PACKAGE_DIR).context("on Debian: apt-get install gcc-12-source")?;
    let archive = entries
        .filter_map(|entry| Some(entry.ok()?.path()))
        .find(|path| is_archive(path))
        .with_context(|| format!("{PACKAGE_DIR} has no archive of GCC's sources"))?;
    fs::create_dir_all(dir)?;
    let mut tar = Command::new("tar");
    tar.arg("-xf").arg(archive).arg("-C").arg(dir);
    tar.args([
        "--strip-components=4",
        "--wildcards",
        "*/gcc/testsuite/gcc.c-torture/execute",
    ]);
    process::checked(&mut tar)?;
    fs::write(suite.join(".complete"), "")?;
    Ok(suite)
}

fn is_archive(path: &Path) -> bool {
    let name = path.file_name().map(OsStr::to_string_lossy).unwrap_or_default();
    name.starts_with("gcc-12") && name.contains(".tar.")
}

/// All tests of the suite whose name contains `filter`, in the order of their names.
pub fn list(suite: &Path, filter: &str) -> Result<Vec<Case>> {
    let mut cases = Vec::new();
    for (folder, options) in FOLDERS {
        let dir = suite.join(folder);
        for entry in fs::read_dir(&dir)? {
            let path = entry?.path();
            let stem = path.file_stem().map(OsStr::to_string_lossy).unwrap_or_default();
            let is_part = folder == "builtins" && stem.ends_with("-lib");
            if path.extension() != Some(OsStr::new("c")) || is_part {
                continue;
            }
            let name = if folder.is_empty() {
                stem.to_string()
            } else {
                format!("{folder}/{stem}")
            };
            if !name.contains(filter) {
                continue;
            }
            let mut sources = vec![path.clone()];
            if folder == "builtins" {
                sources.push(dir.join(format!("{stem}-lib.c")));
                sources.push(dir.join("lib/main.c"));
            }
            let text = String::from_utf8_lossy(&fs::read(&path)?).into_owned();
            let options = options.iter().map(|&option| option.to_owned());
            cases.push(Case {
                name,
                sources,
                options: options.chain(wanted_options(&text)).collect(),
            });
        }
    }
    cases.sort_by(|a, b| a.name.cmp(&b.name));
    ensure!(!cases.is_empty(), "no test's name contains `{filter}`");
    Ok(cases)
}

/// The options that a test asks for, of those that are known, on every machine.
fn wanted_options(text: &str) -> Vec<String> {
    let mut found = Vec::new();
    for directive in ["dg-options", "dg-additional-options"] {
        for (position, _) in text.match_indices(directive) {
            let rest = text.get(position + directive.len()..).unwrap_or_default();
            let Some((_, rest)) = rest.split_once('"') else {
                continue;
            };
            let Some((words, rest)) = rest.split_once('"') else {
                continue;
            };
            // After the options there may be a list of machines.
            if !rest.trim_start().starts_with('}') {
                continue;
            }
            let known = |word: &&str| KNOWN_OPTIONS.iter().any(|known| word.starts_with(known));
            found.extend(words.split_whitespace().filter(known).map(str::to_owned));
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn options_are_those_for_every_machine_that_clang_knows() {
        let text = "/* { dg-options \"-fwrapv -fno-tree-dce\" } */\n\
                    /* { dg-additional-options \"-fno-common\" { target hppa*-*-* } } */\n\
                    /* { dg-additional-options \"-std=gnu89\" } */";
        assert_eq!(wanted_options(text), ["-fwrapv", "-std=gnu89"]);
        assert!(wanted_options("int main(void) { return 0; }").is_empty());
    }
}
