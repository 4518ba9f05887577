//! The two compilers: how they are found and started.

use crate::Error;
use crate::measure::{Outcome, run};
use serde::Serialize;
use std::env;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use tempfile::TempDir;

/// A pair of optimization levels.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Level {
    pub frazil: String,
    pub llc: String,
}

impl Level {
    /// Reads levels such as `2` or `0:2`.
    ///
    /// # Errors
    /// When one is none.
    pub fn parse_list(words: &[String]) -> Result<Vec<Level>, Error> {
        let valid = |level: &str| matches!(level, "0" | "1" | "2" | "3" | "s");
        let parse = |word: &String| {
            let (frazil, llc) = word.split_once(':').unwrap_or((word, word));
            // llc has no -Os: size is the business of functions' attributes there.
            let llc = if frazil == llc && llc == "s" { "2" } else { llc };
            if valid(frazil) && valid(llc) && llc != "s" {
                return Ok(Level {
                    frazil: frazil.to_owned(),
                    llc: llc.to_owned(),
                });
            }
            let message = format!("--levels {word}: expected 0, 1, 2, 3 or s, or two of them as in 0:2 (llc has no s)");
            Err(Error::new(message))
        };
        words.iter().map(parse).collect()
    }

    /// How the pair is called in tables.
    pub fn name(&self) -> String {
        match self.frazil == self.llc {
            true => format!("-O{}", self.frazil),
            false => format!("-O{} : -O{}", self.frazil, self.llc),
        }
    }
}

/// What a compiler is asked for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Output {
    /// An object file.
    Object,
    /// Assembly text.
    Assembly,
}

/// A compiler on this machine, or why there is none.
#[derive(Clone, Debug)]
pub struct Compiler {
    name: &'static str,
    program: Result<PathBuf, String>,
    /// Options besides level and kind of output.
    options: &'static [&'static str],
    /// More options for assembly text.
    assembly_options: &'static [&'static str],
}

impl Compiler {
    /// Frazil's command at this path.
    pub fn frazil(program: &Path) -> Compiler {
        Compiler {
            name: "frazil",
            program: Ok(program.to_owned()),
            options: &[],
            assembly_options: &["-asm-verbose"],
        }
    }

    /// llc: the one named, or the newest on `PATH`.
    pub fn llc(named: Option<&Path>) -> Compiler {
        Compiler {
            name: "llc",
            program: match named {
                Some(path) => Ok(path.to_owned()),
                None => find_llc().ok_or_else(|| "there is no llc on PATH; name one with --llc".to_owned()),
            },
            options: &["-relocation-model=pic"],
            assembly_options: &[],
        }
    }

    /// The version that it tells, in one line; empty if it tells none.
    pub fn version(&self) -> String {
        let Ok(program) = &self.program else {
            return String::new();
        };
        let outcome = run(Command::new(program).arg("--version"));
        let text = outcome.map_or_else(
            |_| String::new(),
            |outcome| String::from_utf8_lossy(&outcome.stdout).into_owned(),
        );
        let line = text
            .lines()
            .map(str::trim)
            .find(|line| line.contains(|letter: char| letter.is_ascii_digit()));
        line.unwrap_or_default().to_owned()
    }

    /// The command for an input.
    pub fn words(&self, level: &str, output: Output, input: &Path, to: &Path) -> Vec<String> {
        let kind = match output {
            Output::Object => "-filetype=obj",
            Output::Assembly => "-filetype=asm",
        };
        let mut words = vec![format!("-O{level}"), kind.to_owned()];
        words.extend(self.options.iter().map(|option| (*option).to_owned()));
        if output == Output::Assembly {
            words.extend(self.assembly_options.iter().map(|option| (*option).to_owned()));
        }
        words.extend([input.display().to_string(), "-o".to_owned(), to.display().to_string()]);
        words
    }

    /// Compiles; an error is what the compiler has to say.
    ///
    /// # Errors
    /// When the compiler is missing or fails.
    pub fn compile(&self, level: &str, output: Output, input: &Path, to: &Path) -> Result<Outcome, String> {
        let program = self.program.as_ref().map_err(Clone::clone)?;
        let words = self.words(level, output, input, to);
        let outcome = run(Command::new(program).args(&words));
        let outcome = outcome.map_err(|error| format!("cannot run {}: {error}", program.display()))?;
        if outcome.status.success() {
            return Ok(outcome);
        }
        const MOST_LINES: usize = 8;
        let said: Vec<&str> = outcome.stderr.lines().take(MOST_LINES).collect();
        Err(match said.is_empty() {
            true => format!("{} ended with {}", self.name, outcome.status),
            false => said.join("\n"),
        })
    }

    /// The name in the report.
    pub fn name(&self) -> &'static str {
        self.name
    }
}

/// The newest of `llc` and the `llc-NN` on `PATH`.
fn find_llc() -> Option<PathBuf> {
    let path = env::var_os("PATH")?;
    let folders: Vec<PathBuf> = env::split_paths(&path).collect();
    let plain = folders
        .iter()
        .map(|folder| folder.join("llc"))
        .find(|file| file.is_file());
    let entries = folders
        .iter()
        .flat_map(|folder| fs::read_dir(folder).into_iter().flatten().flatten());
    let numbered = entries.filter_map(|entry| {
        let name = entry.file_name().into_string().ok()?;
        let version: u32 = name.strip_prefix("llc-")?.parse().ok()?;
        Some((version, entry.path()))
    });
    match (plain, numbered.max_by_key(|(version, _)| *version)) {
        (Some(plain), Some((newest, _))) if llvm_version(&plain) >= newest => Some(plain),
        (_, Some((_, numbered))) => Some(numbered),
        (plain, None) => plain,
    }
}

/// The number that an LLVM tool gives as its version; 0 if it gives none.
fn llvm_version(program: &Path) -> u32 {
    let Ok(outcome) = run(Command::new(program).arg("--version")) else {
        return 0;
    };
    let text = String::from_utf8_lossy(&outcome.stdout).into_owned();
    let number = text
        .split_once("LLVM version ")
        .and_then(|(_, rest)| rest.split('.').next()?.parse().ok());
    number.unwrap_or(0)
}

/// A folder for what the compilers make; it goes away at the end.
#[derive(Debug)]
pub struct Scratch(TempDir);

impl Scratch {
    /// Makes the folder.
    ///
    /// # Errors
    /// The system's.
    pub fn new() -> Result<Scratch, Error> {
        let folder = tempfile::Builder::new().prefix("frazil-compare-").tempdir();
        let folder = folder.map_err(|error| Error::new(format!("a folder for temporary files: {error}")))?;
        Ok(Scratch(folder))
    }

    /// The path of a file with this name in the scratch folder.
    pub fn file(&self, name: &str) -> PathBuf {
        self.0.path().join(name)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn levels_are_single_or_in_pairs() {
        let parse = |word: &str| Level::parse_list(&[word.to_owned()]).map(|levels| levels[0].name());
        assert_eq!(parse("2").expect("right"), "-O2");
        assert_eq!(parse("0:2").expect("right"), "-O0 : -O2");
        assert_eq!(parse("s").expect("right"), "-Os : -O2");
        assert!(parse("4").is_err() && parse("0:s").is_err());
    }

    #[test]
    fn a_compiler_that_is_missing_says_so() {
        let llc = Compiler::llc(Some(Path::new("/nonexistent/llc")));
        let message = llc
            .compile("0", Output::Object, Path::new("a.bc"), Path::new("a.o"))
            .expect_err("missing");
        assert!(message.starts_with("cannot run /nonexistent/llc: "), "{message}");
        assert_eq!(llc.version(), "");
    }
}
