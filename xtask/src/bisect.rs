//! `cargo xtask bisect MODULE.bc [options] -- COMMAND [ARGUMENT...]`: which function does Frazil compile wrongly, and
//! which execution of which pass is to blame?
//!
//! The module is cut in two: some functions are compiled by Frazil and the others by llc, and both objects are linked
//! to one (`ld -r`). The command is given its path in place of the argument `{}`, and succeeds if the object is good.
//! Halving the set of Frazil's functions as long as the command fails leaves one function, or a few that misbehave
//! only together. llvm-extract cuts; it makes local symbols visible to the other part.
//!
//! Then the executions of passes over these functions are halved with `--bisect-limit`: the last one that must run for
//! the command to fail is the one to blame, or the one that shows what an earlier one did.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, Result, bail, ensure};
use pico_args::Arguments;

use crate::compiler::{Compiler, LlcLevel};
use crate::{process, workspace};

/// How the place of the object is written in the test command.
const PLACE: &str = "{}";

/// `cargo xtask bisect`. `Ok(true)` if the module is good.
pub fn command(mut arguments: Arguments) -> Result<bool> {
    let frazil = Compiler::from_arguments(&mut arguments)?;
    let words = arguments.finish();
    let words: Vec<String> = words.iter().map(|word| word.to_string_lossy().into_owned()).collect();
    let usage = "usage: cargo xtask bisect MODULE.bc [options] -- COMMAND [ARGUMENT...], with {} for the object";
    let (bitcode, test) = match &words[..] {
        [bitcode, mark, test @ ..] if mark == "--" && !test.is_empty() => (bitcode, test),
        _ => bail!(usage),
    };
    ensure!(test.iter().any(|word| word.contains(PLACE)), usage);
    let is_good = |object: &Path| {
        let object = object.to_string_lossy();
        let mut command = Command::new(test[0].replace(PLACE, &object));
        command.args(test[1..].iter().map(|word| word.replace(PLACE, &object)));
        Ok(process::run(&mut command, process::TIME_LIMIT)?.success())
    };
    let search = Search {
        bitcode: Path::new(bitcode),
        frazil: &frazil,
        dir: workspace::target_dir().join("bisect"),
        is_good: &is_good,
    };
    let culprit = search.find()?;
    match &culprit {
        None => println!("{bitcode}: good"),
        Some(culprit) => println!("{bitcode}: wrong because of {culprit}"),
    }
    Ok(culprit.is_none())
}

/// A search for what makes an object bad.
pub struct Search<'a> {
    pub bitcode: &'a Path,
    /// The compiler under test.
    pub frazil: &'a Compiler,
    /// Where the cut modules and their objects go.
    pub dir: PathBuf,
    /// Whether an object of the whole module is good.
    pub is_good: &'a dyn Fn(&Path) -> Result<bool>,
}

/// What makes an object bad.
#[derive(Debug, PartialEq, Eq)]
pub struct Culprit {
    /// The functions that Frazil must compile for the object to be bad.
    pub functions: Vec<String>,
    /// The line of the pass execution to blame in Frazil's list; `None` if the object is bad without optional passes.
    pub execution: Option<String>,
    /// The bitcode of these functions alone.
    pub bitcode: PathBuf,
}

impl std::fmt::Display for Culprit {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{}", self.functions.join(", "))?;
        match &self.execution {
            Some(execution) => write!(f, "\n  pass execution {}", execution.trim())?,
            None => f.write_str("\n  without any optional pass: it is the code generation")?,
        }
        write!(f, "\n  see {}", self.bitcode.display())
    }
}

impl Search<'_> {
    /// What makes the object bad; `None` if it is good.
    pub fn find(&self) -> Result<Option<Culprit>> {
        fs::create_dir_all(&self.dir)?;
        let functions = defined_functions(self.bitcode)?;
        if self.is_good_with(&functions, None)? {
            return Ok(None);
        }
        let functions = self.reduce(functions)?;
        let execution = self.execution(&functions)?;
        // Leaves the cut modules of exactly these functions behind.
        self.cut(&functions)?;
        Ok(Some(Culprit {
            functions,
            execution,
            bitcode: self.part("ours"),
        }))
    }

    /// The smallest part of `functions`, which misbehave together, that halving finds.
    fn reduce(&self, functions: Vec<String>) -> Result<Vec<String>> {
        if functions.len() == 1 {
            return Ok(functions);
        }
        let (first, second) = functions.split_at(functions.len() / 2);
        for half in [first, second] {
            eprintln!("{} functions left", half.len());
            if !self.is_good_with(half, None)? {
                return self.reduce(half.to_vec());
            }
        }
        Ok(functions)
    }

    /// The pass execution to blame, as Frazil lists it.
    fn execution(&self, functions: &[String]) -> Result<Option<String>> {
        self.cut(functions)?;
        let lines = self.executions()?;
        if !self.is_good_with(functions, Some(0))? {
            return Ok(None);
        }
        let is_bad = |limit: usize| {
            eprintln!("{limit} of {} executions", lines.len());
            let number = lines[limit - 1].0;
            Ok(!self.is_good_with(functions, Some(number))?)
        };
        let first_bad = first(1, lines.len(), is_bad)?;
        Ok(first_bad.map(|limit| lines[limit - 1].1.clone()))
    }

    /// Numbers and lines of all pass executions over the functions of our part.
    fn executions(&self) -> Result<Vec<(u64, String)>> {
        let compiler = self.frazil.with_option("--bisect-limit=-1");
        let mut list = compiler.command(&self.part("ours"), &self.dir.join("ours.o"))?;
        // It lists the executions even if the compilation fails in the end.
        let listed = process::run(&mut list, process::TIME_LIMIT)?;
        let text = String::from_utf8_lossy(&listed.stderr).into_owned();
        let numbered = text.lines().filter_map(|line| {
            let number = line.split_whitespace().next()?.parse().ok()?;
            Some((number, line.to_owned()))
        });
        Ok(numbered.collect())
    }

    /// Whether the object is good when Frazil compiles `ours`, with executions of passes up to `limit`, and llc the
    /// rest. An object that does not come about is bad.
    fn is_good_with(&self, ours: &[String], limit: Option<u64>) -> Result<bool> {
        self.cut(ours)?;
        let frazil = match limit {
            Some(limit) => &self.frazil.with_option(&format!("--bisect-limit={limit}")),
            None => self.frazil,
        };
        let mut link = Command::new("ld");
        let object = self.dir.join("mixed.o");
        link.args(["-r", "-o"]).arg(&object);
        for (name, compiler) in [("ours", frazil), ("theirs", &Compiler::Llc(LlcLevel::O0))] {
            let part = self.dir.join(format!("{name}.o"));
            let compiled = process::run(&mut compiler.command(&self.part(name), &part)?, process::TIME_LIMIT)?;
            if !compiled.success() {
                eprintln!("{}", compiled.first_error_line());
                return Ok(false);
            }
            link.arg(part);
        }
        process::checked(&mut link)?;
        (self.is_good)(&object)
    }

    /// Cuts the module in two.
    fn cut(&self, ours: &[String]) -> Result<()> {
        let list = self.dir.join("functions");
        let lines: Vec<String> = ours.iter().map(|name| format!("\"--func={name}\"\n")).collect();
        fs::write(&list, lines.concat())?;
        for (name, options) in [("ours", &[][..]), ("theirs", &["--delete"][..])] {
            let mut extract = workspace::llvm_tool("llvm-extract-22")?;
            extract
                .args(options)
                .arg(format!("@{}", list.display()))
                .arg(self.bitcode)
                .arg("-o")
                .arg(self.part(name));
            process::checked(&mut extract)?;
        }
        Ok(())
    }

    fn part(&self, name: &str) -> PathBuf {
        self.dir.join(format!("{name}.bc"))
    }
}

/// The smallest number from `low` to `high` for which `is_bad` holds, if it holds for all above as well.
fn first(mut low: usize, mut high: usize, is_bad: impl Fn(usize) -> Result<bool>) -> Result<Option<usize>> {
    if low > high || !is_bad(high)? {
        return Ok(None);
    }
    while low < high {
        let middle = low + (high - low) / 2;
        if is_bad(middle)? {
            high = middle;
        } else {
            low = middle + 1;
        }
    }
    Ok(Some(low))
}

/// The names of the functions with bodies, in the order of the module.
fn defined_functions(bitcode: &Path) -> Result<Vec<String>> {
    let mut disassembler = workspace::llvm_tool(workspace::LLVM_DIS)?;
    let text = process::checked(disassembler.arg(bitcode).args(["-o", "-"]))?.stdout;
    let text = String::from_utf8(text).context("names that are no UTF-8")?;
    let heads = text.lines().filter(|line| line.starts_with("define "));
    Ok(heads
        .filter_map(|head| Some(head.split_once('@')?.1.split_once('(')?.0.trim_matches('"').to_owned()))
        .collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn halving_finds_the_first_bad_number() {
        for bad in 1..=9 {
            assert_eq!(first(1, 9, |number| Ok(number >= bad)).unwrap(), Some(bad));
        }
        assert_eq!(first(1, 9, |_| Ok(false)).unwrap(), None);
        assert_eq!(first(1, 0, |_| Ok(true)).unwrap(), None);
    }
}
