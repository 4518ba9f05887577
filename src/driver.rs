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

use crate::diagnostics::{Error, Stage};
use crate::dump::{self, Printer};
use crate::options::{Arguments, Question, ReportForm};
use crate::timing::Clock;
use crate::{Options, Report, input, output, pipeline};
use clap::{CommandFactory, FromArgMatches};
use frazil_codegen::TargetEntry;
use frazil_passes::observe::Deaf;
use frazil_passes::recipe::{explain, list_passes, schema};
use frazil_passes::{Book, Listener, Recipe, Registry};
use std::ffi::OsString;
use std::io::Write;
use std::process::ExitCode;

/// Passes and targets, and the command over them.
#[derive(Debug)]
pub struct Driver {
    passes: Registry,
    targets: Vec<TargetEntry>,
}

impl Driver {
    /// The driver that is the command `frazil`.
    pub fn builtin() -> Driver {
        Driver {
            passes: Registry::builtin(),
            targets: crate::targets().to_vec(),
        }
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
        pipeline::compile_to(input, options, &self.targets, listener, out)
    }

    /// Runs the command with these arguments, the program's name first. Messages go to standard error.
    pub fn run(&self, arguments: impl IntoIterator<Item = OsString>) -> ExitCode {
        // Once per process; the parser wants text that lives as long as the program.
        let command = Arguments::command().version(&*self.version().leak());
        let parsed = command
            .try_get_matches_from(arguments)
            .and_then(|matches| Arguments::from_arg_matches(&matches));
        let arguments = match parsed {
            Ok(arguments) => arguments,
            Err(error) => {
                let failed = error.use_stderr();
                // A closed standard output is no reason to fail.
                let _ = error.print();
                return if failed { ExitCode::from(2) } else { ExitCode::SUCCESS };
            }
        };
        let answer = match arguments.question() {
            Some(question) => self.answer(question, &arguments),
            None => self.compile_file(&arguments).map(|text| {
                let _ = std::io::stderr().write_all(text.as_bytes());
            }),
        };
        match answer {
            Ok(()) => ExitCode::SUCCESS,
            Err(error) => {
                let _ = std::io::stderr().write_all(error.render(&arguments.input_name()).as_bytes());
                ExitCode::FAILURE
            }
        }
    }

    /// Prints what was asked for instead of a compilation.
    fn answer(&self, question: Question<'_>, arguments: &Arguments) -> Result<(), Error> {
        let text = match question {
            Question::Passes => list_passes(&self.passes),
            Question::Recipe(name) => explain(&self.recipe(arguments, Some(name))?, &self.passes),
            Question::RecipeSchema => schema::text(&self.passes),
        };
        // A closed standard output is no reason to fail.
        let _ = std::io::stdout().write_all(text.as_bytes());
        Ok(())
    }

    /// The recipe that the arguments describe, with the passes of this driver.
    fn recipe(&self, arguments: &Arguments, name: Option<&str>) -> Result<Recipe, Error> {
        let mut book = self.recipes();
        for path in &arguments.recipe.recipe_file {
            let text = input::read_text(path)?;
            book.add(&path.display().to_string(), &text).map_err(wrong_option)?;
        }
        let name = match name {
            Some(name) => name,
            None => arguments.recipe.name(&book)?,
        };
        book.recipe(name, &arguments.recipe.overrides()).map_err(wrong_option)
    }

    /// Compiles the file that the arguments name and returns what was asked for about the run.
    fn compile_file(&self, arguments: &Arguments) -> Result<String, Error> {
        let options = arguments.options(self.recipe(arguments, None)?)?;
        let start = Clock::start(options.measure);
        let bitcode = input::read(arguments.input_path())?;
        let opening = start.elapsed();
        let mut out = output::Output::new(&arguments.output_path());
        let folder = &arguments.observe.dump_dir;
        folder.as_deref().map_or(Ok(()), dump::prepare)?;
        let mut printer = Printer::new(folder.clone());
        let outcome = self.compile_observed(&bitcode, &options, &mut printer, &mut out);
        let printed = printer.finish();
        let mut report = outcome?;
        printed?;
        let start = Clock::start(options.measure);
        out.commit().map_err(|error| Error::output(&error))?;
        report.times.read += opening;
        report.times.write += start.elapsed();
        let mut text = String::new();
        match arguments.observe.time_passes {
            Some(ReportForm::Text) => text.push_str(&report.times_text(arguments.observe.time_functions)),
            Some(ReportForm::Json) => text.push_str(&report.json()),
            None => {}
        }
        if arguments.observe.stats {
            text.push_str(&report.counts_text());
        }
        Ok(text)
    }

    fn version(&self) -> String {
        let names: Vec<&str> = self.targets.iter().map(|target| target.name).collect();
        format!("{}\ntargets: {}", env!("CARGO_PKG_VERSION"), names.join(", "))
    }
}

fn wrong_option(error: frazil_passes::RecipeError) -> Error {
    Error::new(Stage::Options, error.to_string())
}
