//! `frazil compare`: Frazil and LLVM's `llc` on the same input, side by side.
//!
//! Both are run as programs, as a user would: [`compiler`] starts them, [`measure`] says what a run cost,
//! [`object_file`] and [`assembly`] take apart what they made, and [`align`] finds which blocks of the two belong
//! together. [`report`] is the result as data, the same for the terminal ([`text`]), for scripts (its JSON) and for the
//! page ([`html`], [`packed`]); nothing is shown that is not in it. [`program`] links and runs what was compiled,
//! [`condition`] turns figures into an exit status, and [`progress`] says how far it is.
//!
//! What one side cannot do is part of the report: that side is empty then, and says why. The exit status is 1 then, as
//! when the programs of the two disagree: a comparison of less than both is no success.

pub mod align;
mod arguments;
pub mod assembly;
pub mod compiler;
pub mod condition;
pub mod html;
pub mod measure;
pub mod object_file;
pub mod packed;
pub mod program;
mod progress;
pub mod report;
pub mod text;

use arguments::Arguments;
use clap::Parser;
use compiler::{Compiler, Level};
use progress::Progress;
use report::Report;
use std::ffi::OsString;
use std::fs;
use std::io::Write;
use std::path::Path;
use std::process::ExitCode;

/// A comparison that could not be made.
#[derive(Debug, thiserror::Error)]
#[error("{0}")]
pub struct Error(String);

impl Error {
    /// An error with this message.
    pub fn new(message: impl Into<String>) -> Error {
        Error(message.into())
    }
}

/// The exit status when a condition of `--fail-if` holds and nothing failed.
const CONDITION_HOLDS: u8 = 3;

/// Runs the command with these arguments, the program's name first. `frazil` is the compiler to look at.
pub fn run(arguments: impl IntoIterator<Item = OsString>, frazil: &Path) -> ExitCode {
    let arguments = match Arguments::try_parse_from(arguments) {
        Ok(arguments) => arguments,
        Err(error) => {
            let failed = error.use_stderr();
            // A closed standard output is no reason to fail.
            let _ = error.print();
            return if failed { ExitCode::FAILURE } else { ExitCode::SUCCESS };
        }
    };
    match compare(&arguments, frazil) {
        Ok(code) => code,
        Err(error) => {
            let _ = writeln!(std::io::stderr(), "frazil compare: error: {error}");
            ExitCode::FAILURE
        }
    }
}

fn compare(arguments: &Arguments, frazil: &Path) -> Result<ExitCode, Error> {
    let conditions = condition::parse_all(&arguments.fail_if)?;
    let levels = Level::parse_list(&arguments.levels)?;
    let scratch = compiler::Scratch::new()?;
    let frazil = Compiler::frazil(frazil);
    let llc = Compiler::llc(arguments.llc.as_deref());
    let settings = report::Settings {
        input: &arguments.input,
        repeat: arguments.repeat.max(1),
        program: arguments.run.as_deref().map(|command| program::ProgramCommands {
            command,
            link: &arguments.link,
        }),
        most_assembly: match arguments.html {
            Some(_) => arguments.most_functions,
            None => 0,
        },
    };
    let mut progress = Progress::new(arguments.progress);
    let report = Report::make(&settings, &levels, &frazil, &llc, &scratch, &mut progress)?;
    drop(progress);
    if let Some(path) = &arguments.html {
        write(path, &html::page(&report))?;
    }
    let text = match arguments.json {
        true => report.json(),
        false => text::tables(&report, arguments.top),
    };
    // A closed standard output is no reason to fail.
    let _ = std::io::stdout().write_all(text.as_bytes());
    let holding: Vec<String> = conditions
        .iter()
        .flat_map(|condition| condition.holds(&report))
        .collect();
    for message in &holding {
        let _ = writeln!(std::io::stderr(), "frazil compare: {message}");
    }
    let failures = report.failures();
    for message in &failures {
        let _ = writeln!(std::io::stderr(), "frazil compare: error: {message}");
    }
    Ok(match (failures.is_empty(), holding.is_empty()) {
        (false, _) => ExitCode::FAILURE,
        (true, false) => ExitCode::from(CONDITION_HOLDS),
        (true, true) => ExitCode::SUCCESS,
    })
}

fn write(path: &Path, text: &str) -> Result<(), Error> {
    fs::write(path, text).map_err(|error| Error::new(format!("{}: {error}", path.display())))
}
