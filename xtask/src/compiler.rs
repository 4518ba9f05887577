//! The compilers that take bitcode, as the tests and the benchmarks call them: Frazil under a recipe, and `llc-22` at
//! an optimization level.

use std::fmt;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::str::FromStr;
use std::sync::Arc;
use std::time::Duration;

use anyhow::{Context, Result, bail};
use pico_args::Arguments;

use crate::machine;
use crate::process::{self, Outcome};
use crate::validator::{Counts, Tally};
use crate::workspace;

/// Frazil's recipes that tests run under when told `--recipe all`, the quickest first.
pub const RECIPES: [&str; 4] = ["Om1", "O1", "O2", "Os"];

/// Frazil's own default, which tests take when the command line names no recipe.
const DEFAULT_RECIPE: &str = "Om1";

/// How the user asks for the checks that Frazil can make of itself; tests pass them on.
const SELF_CHECKS: [&str; 2] = ["--verify-each", "--check-regalloc"];

/// How the user asks for the validator of machine code, and how tests that have it on are told to leave it out.
const VALIDATOR: [&str; 2] = ["--check-machine", "--no-check-machine"];

/// How long a compilation with the validator may take.
const VALIDATED_LIMIT: Duration = Duration::from_secs(900);

/// The optimization levels of `llc-22` that Frazil is compared with.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LlcLevel {
    O0,
    O1,
    O2,
}

impl LlcLevel {
    /// The option that asks for the level.
    fn option(self) -> &'static str {
        match self {
            LlcLevel::O0 => "-O0",
            LlcLevel::O1 => "-O1",
            LlcLevel::O2 => "-O2",
        }
    }
}

/// A compiler and how it is told to compile.
#[derive(Clone, Debug)]
pub enum Compiler {
    /// The compiler under test.
    Frazil {
        path: PathBuf,
        /// The recipe's name.
        recipe: String,
        /// Further options, as they stand on its command line.
        options: Vec<String>,
        /// The counts of the validator of machine code, if it is to be on.
        validator: Option<Arc<Tally>>,
    },
    /// The code generator that Frazil is compared with.
    Llc(LlcLevel),
}

impl Compiler {
    /// What the options of every command that runs Frazil say: `--frazil PATH`, `--recipe NAME`, `--verify-each`,
    /// `--check-regalloc`, `--check-machine`, and `--with OPTION` for any other option of Frazil, given as often as
    /// wanted.
    pub fn from_arguments(arguments: &mut Arguments) -> Result<Compiler> {
        Self::from_arguments_or(arguments, DEFAULT_RECIPE)
    }

    /// The same with another default recipe.
    pub fn from_arguments_or(arguments: &mut Arguments, default_recipe: &str) -> Result<Compiler> {
        let recipe: Option<String> = arguments.opt_value_from_str("--recipe")?;
        let mut options: Vec<String> = arguments.values_from_str("--with")?;
        for check in SELF_CHECKS {
            options.extend(arguments.contains(check).then(|| check.to_owned()));
        }
        let validator = arguments.contains(VALIDATOR[0]).then(Arc::default);
        Ok(Compiler::Frazil {
            path: workspace::frazil(arguments)?,
            recipe: recipe.unwrap_or_else(|| default_recipe.to_owned()),
            options,
            validator,
        })
    }

    /// The same as [`Compiler::list_from_arguments`], with the validator of machine code unless `--no-check-machine`
    /// leaves it out.
    pub fn validating_list(arguments: &mut Arguments, default_recipes: &[&str]) -> Result<Vec<Compiler>> {
        let is_left_out = arguments.contains(VALIDATOR[1]);
        let mut list = Self::list_from_arguments(arguments, default_recipes)?;
        for compiler in &mut list {
            if let Compiler::Frazil { validator, .. } = compiler {
                *validator = (!is_left_out).then(Arc::default);
            }
        }
        Ok(list)
    }

    /// One compiler for each recipe that the options name: all for `--recipe all`, `default_recipes` if they name none.
    pub fn list_from_arguments(arguments: &mut Arguments, default_recipes: &[&str]) -> Result<Vec<Compiler>> {
        let asked = Self::from_arguments_or(arguments, "")?;
        let names = match asked.recipe() {
            Some("all") => &RECIPES,
            Some("") => default_recipes,
            _ => return Ok(vec![asked]),
        };
        Ok(names.iter().map(|name| asked.with_recipe(name)).collect())
    }

    /// The same Frazil under another recipe, with counts of its own. Of llc, there is only itself.
    pub fn with_recipe(&self, name: &str) -> Compiler {
        let mut changed = self.clone();
        if let Compiler::Frazil { recipe, validator, .. } = &mut changed {
            name.clone_into(recipe);
            *validator = validator.is_some().then(Arc::default);
        }
        changed
    }

    /// The same Frazil without the validator.
    pub fn unvalidated(&self) -> Compiler {
        let mut changed = self.clone();
        if let Compiler::Frazil { validator, .. } = &mut changed {
            *validator = None;
        }
        changed
    }

    /// What the validator has said so far, if it is on.
    pub fn validated(&self) -> Option<Counts> {
        match self {
            Compiler::Frazil { validator, .. } => validator.as_ref().map(|tally| tally.counts()),
            Compiler::Llc(_) => None,
        }
    }

    /// The same Frazil with one more option.
    pub fn with_option(&self, option: &str) -> Compiler {
        let mut changed = self.clone();
        if let Compiler::Frazil { options, .. } = &mut changed {
            options.push(option.to_owned());
        }
        changed
    }

    /// Another program under the same options. Of llc, there is only itself.
    pub fn with_path(&self, program: &Path) -> Compiler {
        let mut changed = self.clone();
        if let Compiler::Frazil { path, .. } = &mut changed {
            program.clone_into(path);
        }
        changed
    }

    /// The name in file names and tables, such as `frazil-Om1` or `llc-O2`.
    pub fn name(&self) -> String {
        match self {
            Compiler::Frazil { recipe, .. } => format!("frazil-{recipe}"),
            Compiler::Llc(level) => format!("llc{}", level.option()),
        }
    }

    /// The recipe that Frazil follows.
    pub fn recipe(&self) -> Option<&str> {
        match self {
            Compiler::Frazil { recipe, .. } => Some(recipe),
            Compiler::Llc(_) => None,
        }
    }

    /// The command that compiles `input` to the object file `output`.
    pub fn command(&self, input: &Path, output: &Path) -> Result<Command> {
        let mut command = match self {
            Compiler::Frazil {
                path,
                recipe,
                options,
                validator,
            } => {
                let mut frazil = Command::new(path);
                // Several compilers run at once, and what is measured is the work, however many do it.
                frazil.args(["--recipe", recipe, "--threads=0"]).args(options);
                // The counts are part of the statistics.
                let validate = validator.as_ref().map(|_| [VALIDATOR[0], "--stats"]);
                frazil.args(validate.into_iter().flatten());
                frazil
            }
            Compiler::Llc(level) => {
                let mut llc = workspace::llvm_tool(workspace::LLC)?;
                llc.arg(level.option()).args(workspace::LLC_OPTIONS);
                // For functions that name no processor: without one, floats of 32-bit x86 are in registers of 80 bits.
                let least = machine::processor(0).filter(|_| !machine::is_host());
                llc.args(least.map(|processor| format!("-mcpu={processor}")));
                llc
            }
        };
        command.arg(input).arg("-o").arg(output);
        Ok(command)
    }

    /// Runs a command that [`Compiler::command`] made, and counts what the validator says.
    pub fn run(&self, command: &mut Command) -> Result<Outcome> {
        let Compiler::Frazil {
            validator: Some(tally), ..
        } = self
        else {
            return process::run(command, process::TIME_LIMIT);
        };
        let outcome = process::run(command, VALIDATED_LIMIT)?;
        tally.add(&outcome.stderr);
        Ok(outcome)
    }
}

impl fmt::Display for Compiler {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.name())
    }
}

/// Reads the names of the compilers that Frazil is compared with.
impl FromStr for LlcLevel {
    type Err = anyhow::Error;

    fn from_str(name: &str) -> Result<LlcLevel> {
        let level = name
            .strip_prefix("llc")
            .context("a reference is llc-O0, llc-O1 or llc-O2")?;
        for known in [LlcLevel::O0, LlcLevel::O1, LlcLevel::O2] {
            if level == known.option() {
                return Ok(known);
            }
        }
        bail!("unknown reference `{name}`; valid names: llc-O0, llc-O1, llc-O2")
    }
}

/// Prints the counts of each compiler that has a validator and used it.
pub fn print_validated(compilers: &[Compiler]) {
    for compiler in compilers {
        let Some(counts) = compiler.validated().filter(|counts| *counts != Counts::default()) else {
            continue;
        };
        println!(
            "{compiler}: results of passes: {} proved, {} unproved, {} refuted",
            counts.proved, counts.unproved, counts.refuted
        );
        for (pass, (count, example)) in &counts.notes {
            println!("  {count:>5} x {pass}: {example}");
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn references_are_read_by_name() {
        assert_eq!("llc-O2".parse::<LlcLevel>().unwrap(), LlcLevel::O2);
        assert!("llc-O3".parse::<LlcLevel>().is_err());
        assert!("gcc".parse::<LlcLevel>().is_err());
        assert_eq!(Compiler::Llc("llc-O0".parse().unwrap()).name(), "llc-O0");
    }

    #[test]
    fn the_recipe_and_the_options_are_passed_on() {
        let compiler = Compiler::Frazil {
            path: "frazil".into(),
            recipe: "Om1".into(),
            options: vec!["--verify-each".into()],
            validator: None,
        };
        let command = compiler
            .with_recipe("O2")
            .command(Path::new("a.bc"), Path::new("a.o"))
            .unwrap();
        let words: Vec<_> = command.get_args().map(|word| word.to_string_lossy()).collect();
        let expected = ["--recipe", "O2", "--threads=0", "--verify-each", "a.bc", "-o", "a.o"];
        assert_eq!(words, expected);
    }

    #[test]
    fn the_validator_is_on_unless_it_is_left_out() {
        let list = |more: &[&str]| {
            let words = ["--frazil", "/bin/true", "--recipe", "all"].iter().chain(more);
            let mut arguments = Arguments::from_vec(words.map(Into::into).collect());
            let list = Compiler::validating_list(&mut arguments, &[]).unwrap();
            assert!(arguments.finish().is_empty());
            list
        };
        assert!(list(&[]).iter().all(|compiler| compiler.validated().is_some()));
        let compiler = &list(&["--no-check-machine"])[1];
        assert!(compiler.validated().is_none());
        let command = compiler.command(Path::new("a.bc"), Path::new("a.o")).unwrap();
        assert!(command.get_args().all(|word| word != "--check-machine"));
    }
}
