//! Frazil: a fast compiler back end. LLVM bitcode in, native code out.
//!
//! This library is the whole `frazil` command but for its `main`. To compile in memory:
//!
//! ```no_run
//! # fn main() -> Result<(), Box<dyn std::error::Error>> {
//! let bitcode = std::fs::read("in.bc")?;
//! let object = frazil::compile(&bitcode, &frazil::Options::default())?;
//! std::fs::write("out.o", object)?;
//! # Ok(())
//! # }
//! ```
//!
//! [`compile_to`] writes to any [`std::io::Write`] and reports times and counts; [`run`] is the command with its
//! options, files and messages.
//!
//! Invariants of absence: nothing below this crate opens a file, reads an option or prints; of this crate, only
//! [`mod@input`] and [`output`] touch files, and only [`diagnostics`] and [`timing`] make text for the terminal.

pub mod diagnostics;
pub mod input;
pub mod options;
pub mod output;
pub mod pipeline;
pub mod timing;

pub use diagnostics::{Diagnostic, Error, Stage};
pub use frazil_codegen::{RelocationModel, TargetEntry};
pub use frazil_passes::{Recipe, recipe};
pub use options::{Emit, Options};
pub use pipeline::{compile, compile_to};
pub use timing::Report;

use clap::{CommandFactory, FromArgMatches};
use options::Arguments;
use std::ffi::OsString;
use std::io::Write;
use std::process::ExitCode;

/// The targets that this build can compile for.
pub fn targets() -> &'static [TargetEntry] {
    frazil_targets::builtin()
}

/// Runs the command with these arguments, the program's name first. Messages go to standard error.
pub fn run(arguments: impl IntoIterator<Item = OsString>) -> ExitCode {
    // Once per process; the parser wants text that lives as long as the program.
    let command = Arguments::command().version(&*version().leak());
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
    match compile_file(&arguments) {
        Ok(text) => {
            let _ = std::io::stderr().write_all(text.as_bytes());
            ExitCode::SUCCESS
        }
        Err(error) => {
            let _ = std::io::stderr().write_all(error.render(&arguments.input_name()).as_bytes());
            ExitCode::FAILURE
        }
    }
}

/// Compiles the file that the arguments name and returns what was asked for about the run.
fn compile_file(arguments: &Arguments) -> Result<String, Error> {
    let options = arguments.options()?;
    let start = timing::Clock::start(arguments.time_passes);
    let bitcode = input::read(&arguments.input)?;
    let opening = start.elapsed();
    let mut out = output::Output::new(&arguments.output_path());
    let mut report = compile_to(&bitcode, &options, &mut out)?;
    let start = timing::Clock::start(arguments.time_passes);
    out.commit().map_err(|error| Error::output(&error))?;
    report.times.read += opening;
    report.times.write += start.elapsed();
    let mut text = String::new();
    if arguments.time_passes {
        text.push_str(&report.times_text());
    }
    if arguments.stats {
        text.push_str(&report.counts_text());
    }
    Ok(text)
}

fn version() -> String {
    let names: Vec<&str> = targets().iter().map(|target| target.name).collect();
    format!("{}\ntargets: {}", env!("CARGO_PKG_VERSION"), names.join(", "))
}
