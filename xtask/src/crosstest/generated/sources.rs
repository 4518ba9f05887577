//! How bitcode is made of the sources of a batch of programs: by one process of clang for all that are compiled with
//! the same options.
//!
//! The driver of clang starts a compiler for each source, which costs more than to compile a small one. So it is only
//! asked how it would start the compiler for one source, and the compiler is started with all sources. It then writes
//! bitcode beside each.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, Result, ensure};

use crate::{machine, process};

/// What programs are written in.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Language {
    C,
    CPlusPlus,
    /// LLVM's text form.
    Llvm,
}

impl Language {
    /// How the names of sources end.
    pub fn extension(self) -> &'static str {
        match self {
            Language::C => "c",
            Language::CPlusPlus => "cpp",
            Language::Llvm => "ll",
        }
    }
}

/// A way to make bitcode of a program.
#[derive(Clone, Copy, Debug)]
pub struct Build {
    /// What reports and folders call it.
    pub name: &'static str,
    /// The levels of clang, such as `O2`: the first for even seeds, the second for odd ones.
    pub levels: [&'static str; 2],
    /// Further options of clang.
    pub options: &'static [&'static str],
    /// The number of the processor among the machine's.
    pub processor: usize,
    /// It is made of programs whose seeds are multiples of this.
    pub every: u64,
}

/// Keeps clang from making vectors.
pub const WITHOUT_VECTORS: &[&str] = &["-fno-vectorize", "-fno-slp-vectorize"];

impl Build {
    /// A build of all programs without vectors.
    pub const fn scalar(name: &'static str, levels: [&'static str; 2]) -> Build {
        Build {
            name,
            levels,
            options: WITHOUT_VECTORS,
            processor: 0,
            every: 1,
        }
    }

    /// Bitcode of programs that are bitcode already, but for the form.
    pub const ASSEMBLED: Build = Build {
        name: "program",
        levels: ["O0"; 2],
        options: &["-Xclang", "-disable-llvm-passes"],
        processor: 0,
        every: 1,
    };
}

/// The compiler behind clang's driver, with all that it is told but the names of sources.
pub struct Clang {
    program: String,
    arguments: Vec<String>,
}

impl Clang {
    /// What clang's driver starts for a level of a build. A source without text is written to `dir` to ask it.
    pub fn find(language: Language, level: &str, build: &Build, dir: &Path) -> Result<Clang> {
        let source = dir.join(format!("empty.{}", language.extension()));
        fs::write(&source, "")?;
        let mut driver = machine::clang()?;
        driver.args(["-###", "-c", "-emit-llvm", "-w", "-fPIE"]);
        let machine = machine::current();
        driver.arg(machine::processor_option(machine.processors[build.processor]));
        // What is fused is rounded once, and every build must compute the same.
        let is_exact = build.processor > 0 || machine.is_fusing;
        driver.args(is_exact.then_some("-ffp-contract=off"));
        // Functions are not marked `optnone`, so that the input does not say how to be compiled.
        let unmarked = (level == "O0").then_some(["-Xclang", "-disable-O0-optnone"]);
        driver.args(unmarked.into_iter().flatten());
        driver.arg(format!("-{level}")).args(build.options);
        let printed = process::checked(driver.arg(&source))?.stderr;
        let printed = String::from_utf8(printed).context("clang's command has names that are no UTF-8")?;
        let line = printed.lines().find(|line| line.contains("\"-cc1\""));
        let mut words = words(line.context("clang does not say how it would start its compiler")?).into_iter();
        let program = words.next().context("a command of no words")?;
        let mut arguments = Vec::new();
        while let Some(word) = words.next() {
            match word.as_str() {
                "-main-file-name" | "-o" => drop(words.next()),
                // The memory of each source is given back before the next.
                "-disable-free" => {}
                _ if Path::new(&word) == source => {}
                _ => arguments.push(word),
            }
        }
        Ok(Clang { program, arguments })
    }

    /// Makes bitcode of sources: of `1.c`, say, `1.bc` beside it.
    pub fn compile(&self, sources: &[PathBuf]) -> Result<()> {
        if sources.is_empty() {
            return Ok(());
        }
        process::checked(Command::new(&self.program).args(&self.arguments).args(sources))?;
        for source in sources {
            let bitcode = source.with_extension("bc");
            ensure!(bitcode.is_file(), "clang has not written {}", bitcode.display());
        }
        Ok(())
    }
}

/// The words of a command as clang prints it, each in quotes.
fn words(line: &str) -> Vec<String> {
    let mut words = Vec::new();
    let mut letters = line.chars();
    while letters.any(|letter| letter == '"') {
        let mut word = String::new();
        while let Some(letter) = letters.next()
            && letter != '"'
        {
            word.push(if letter == '\\' {
                letters.next().unwrap_or(letter)
            } else {
                letter
            });
        }
        words.push(word);
    }
    words
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_are_taken_out_of_their_quotes() {
        assert_eq!(
            words(r#" "clang" "-D" "A=\"1 2\" \\" "x.c""#),
            ["clang", "-D", r#"A="1 2" \"#, "x.c"]
        );
    }
}
