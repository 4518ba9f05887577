//! The driver: which passes and targets there are, and the command that compiles with them.
//!
//! A program that adds its own passes or targets is a driver with more of them, and nothing else:
//!
//! ```no_run
//! # fn register(_: &mut frazil::passes::Registry) {}
//! fn main() -> std::process::ExitCode {
//!     let driver = frazil::Driver::builtin().with_passes(register);
//!     driver.run(std::env::args_os())
//! }
//! ```

use crate::contents::Input;
use crate::diagnostics::{self, Error, Stage};
use crate::options::{Arguments, Personality, Question, TargetArguments, llc, words};
use crate::usage::usage_error;
use crate::{Diagnostic, Options, Report, heap, input, machine, manual, memory_limit, pipeline, refusals, split};
use clap::error::{ContextKind, ContextValue, ErrorKind};
use clap::{CommandFactory, FromArgMatches};
use frazil_codegen::TargetEntry;
use frazil_instrument::Tool;
use frazil_passes::observe::Deaf;
use frazil_passes::recipe::{explain, list_passes, schema};
use frazil_passes::{Book, Listener, Recipe, Registry};
use std::ffi::OsString;
use std::io::Write;
use std::process::ExitCode;
use std::sync::Arc;

/// Passes and targets, and the command over them.
#[derive(Debug)]
pub struct Driver {
    passes: Registry,
    targets: Vec<TargetEntry>,
    tools: Vec<Arc<Tool>>,
}

impl Driver {
    /// The driver that is the command `frazil`.
    pub fn builtin() -> Driver {
        Driver {
            passes: Registry::builtin().with(frazil_instrument::register),
            targets: crate::targets().to_vec(),
            tools: Vec::new(),
        }
    }

    /// Has the hooks of a tool called in all programs, besides those of the tool files that the command line names.
    #[must_use]
    pub fn with_tool(mut self, tool: Tool) -> Driver {
        self.tools.push(Arc::new(tool));
        self
    }

    /// Adds the passes that `register` registers.
    #[must_use]
    pub fn with_passes(mut self, register: impl FnOnce(&mut Registry)) -> Driver {
        self.passes = self.passes.with(register);
        self
    }

    /// Adds a target.
    #[must_use]
    pub fn with_target(mut self, target: TargetEntry) -> Driver {
        self.targets.push(target);
        self
    }

    /// The passes that recipes may name.
    pub fn passes(&self) -> &Registry {
        &self.passes
    }

    /// The recipes that may be named; files can be added to them.
    pub fn recipes(&self) -> Book<'_> {
        Book::new(&self.passes)
    }

    /// Compiles a module in memory.
    ///
    /// # Errors
    /// When the bitcode cannot be read, or something in it cannot be compiled or written.
    pub fn compile(&self, bitcode: &[u8], options: &Options) -> Result<Vec<u8>, Error> {
        let mut out = Vec::new();
        self.compile_to(bitcode, options, &mut out)?;
        Ok(out)
    }

    /// Compiles a module and says how that went. Nothing is written unless every function could be compiled.
    ///
    /// # Errors
    /// As for [`Driver::compile`], and the writer's.
    pub fn compile_to(&self, bitcode: &[u8], options: &Options, out: &mut dyn Write) -> Result<Report, Error> {
        self.compile_observed(bitcode, options, &mut Deaf, out)
    }

    /// The same, and tells the listener what [`Options::observe`] asks for.
    ///
    /// # Errors
    /// As for [`Driver::compile_to`].
    pub fn compile_observed(
        &self,
        input: &[u8],
        options: &Options,
        listener: &mut dyn Listener,
        out: &mut dyn Write,
    ) -> Result<Report, Error> {
        self.compile_input(Input::from(input), options, listener, out)
    }

    /// The same for an input that may be a mapped file.
    pub(crate) fn compile_input(
        &self,
        input: Input<'_>,
        options: &Options,
        listener: &mut dyn Listener,
        out: &mut dyn Write,
    ) -> Result<Report, Error> {
        pipeline::compile_to(input, options, &self.targets, listener, out)
    }

    /// Finds everything in a module that is not supported, and compiles nothing.
    ///
    /// # Errors
    /// When the bitcode cannot be read, or the options do not fit.
    pub fn list_unsupported(&self, input: &[u8], options: &Options) -> Result<Vec<Diagnostic>, Error> {
        pipeline::list_refusals(input, options, &self.targets)
    }

    /// Runs the command with these arguments, the program's name first. Messages go to standard error.
    pub fn run(&self, arguments: impl IntoIterator<Item = OsString>) -> ExitCode {
        heap::begin();
        let arguments: Vec<OsString> = arguments.into_iter().collect();
        if let Some((run, words)) = subcommand(&arguments) {
            return run(words);
        }
        let mut command = Arguments::command();
        let outcome = words::prepare(arguments, &command).map_err(Failure::Error);
        let outcome = outcome.and_then(|prepared| {
            let matches = command.try_get_matches_from_mut(prepared.words);
            let mut matches = matches.map_err(|error| wrong_words(error, prepared.personality))?;
            let mut arguments = Arguments::from_arg_matches_mut(&mut matches).map_err(Failure::Usage)?;
            arguments.personality = prepared.personality;
            if let Some(note) = prepared.note
                && arguments.question().is_none()
            {
                diagnostics::print_note(&note);
            }
            Ok(arguments)
        });
        // The process is about to compile and to end; what describes the options would be taken apart piece by piece.
        std::mem::forget(command);
        let outcome = outcome.and_then(|arguments| {
            let done = match arguments.question() {
                Some(question) => self.answer(question, &arguments).map(|()| true),
                None => self.compile_all(&arguments),
            };
            done.map_err(Failure::Error)
        });
        match outcome {
            Ok(true) => ExitCode::SUCCESS,
            Ok(false) => ExitCode::FAILURE,
            Err(Failure::Error(error)) => {
                error.print("");
                ExitCode::FAILURE
            }
            Err(Failure::Usage(error)) => {
                if error.use_stderr() {
                    let _ = std::io::stderr().write_all(usage_error(&error).as_bytes());
                    return ExitCode::FAILURE;
                }
                // A closed standard output is no reason to fail.
                let _ = error.print();
                ExitCode::SUCCESS
            }
        }
    }

    /// Prints what was asked for instead of a compilation.
    fn answer(&self, question: Question<'_>, arguments: &Arguments) -> Result<(), Error> {
        let text = match question {
            Question::Passes => list_passes(&self.passes),
            Question::Recipe(name) => explain(&self.recipe(arguments, Some(name))?, &self.passes),
            Question::RecipeSchema => schema::text(&self.passes),
            Question::Version => manual::version(&self.targets),
            Question::Processors => manual::processors(self.default_target(&arguments.target)?),
            Question::Completions(shell) => manual::completions(shell),
            Question::ManPage => manual::page(),
            Question::Codes => refusals::list(),
        };
        // A closed standard output is no reason to fail.
        let _ = std::io::stdout().write_all(text.as_bytes());
        Ok(())
    }

    /// The target that the command line names, or else the first one.
    fn default_target(&self, arguments: &TargetArguments) -> Result<&TargetEntry, Error> {
        let (name, triple) = (arguments.target.as_deref(), arguments.mtriple.as_deref());
        match (name, triple, self.targets.first()) {
            (None, None, Some(first)) => Ok(first),
            _ => machine::target_entry(name, triple.unwrap_or_default(), &self.targets),
        }
    }

    /// The options that the arguments describe, with the tools of this driver and those of the arguments. A limit on
    /// memory holds from now on.
    pub(crate) fn options(&self, arguments: &Arguments, mut recipe: Recipe) -> Result<Options, Error> {
        if let Some(bytes) = arguments.max_memory
            && !memory_limit::set(bytes)
        {
            let message = "--max-memory: this program has another allocator than the commands of Frazil";
            return Err(Error::new(Stage::Options, message));
        }
        let tools = arguments.instrument.tools(&self.tools)?;
        if let Some(tools) = &tools {
            frazil_instrument::add_steps(&mut recipe, tools);
        }
        Ok(Options {
            instrument: tools,
            ..arguments.options(recipe)?
        })
    }

    /// The recipe that the arguments describe, with the passes of this driver.
    pub(crate) fn recipe(&self, arguments: &Arguments, name: Option<&str>) -> Result<Recipe, Error> {
        let mut book = self.recipes();
        for path in &arguments.recipe.recipe_file {
            let text = input::read_text(path)?;
            book.add(&path.display().to_string(), &text).map_err(wrong_option)?;
        }
        let name = match name {
            Some(name) => name,
            None => arguments.recipe.name(&book, arguments.personality)?,
        };
        book.recipe(name, &arguments.recipe.overrides()).map_err(wrong_option)
    }
}

/// What runs a subcommand with its words, the subcommand first.
type Subcommand = fn(Vec<OsString>) -> ExitCode;

/// The subcommand that is called, if one is, and its words.
fn subcommand(arguments: &[OsString]) -> Option<(Subcommand, Vec<OsString>)> {
    let (program, rest) = arguments.split_first()?;
    let (word, _) = rest.split_first()?;
    let run: Subcommand = match word.as_encoded_bytes() {
        b"compare" => compare,
        b"split" => split::run,
        _ => return None,
    };
    (Personality::of(program) == Personality::Frazil).then(|| (run, rest.to_vec()))
}

fn compare(words: Vec<OsString>) -> ExitCode {
    match std::env::current_exe() {
        Ok(program) => frazil_compare::run(words, &program),
        Err(error) => {
            Error::new(Stage::Options, format!("this program cannot be found: {error}")).print("");
            ExitCode::FAILURE
        }
    }
}

/// Words that do not fit the options, which may be llc's options.
#[cold]
fn wrong_words(error: clap::Error, personality: Personality) -> Failure {
    let is_unknown = error.kind() == ErrorKind::UnknownArgument && personality == Personality::Frazil;
    let hint = match error.get(ContextKind::InvalidArg) {
        Some(ContextValue::String(word)) if is_unknown => llc::hint(word),
        _ => None,
    };
    hint.map_or(Failure::Usage(error), Failure::Error)
}

/// Why the command did nothing.
enum Failure {
    /// The words do not fit the options.
    Usage(clap::Error),
    Error(Error),
}

fn wrong_option(error: frazil_passes::RecipeError) -> Error {
    Error::new(Stage::Options, error.to_string())
}
