//! `frazil split`: one module as several files, which compilers on many processors or machines take at the same time.
//!
//! All parts are written into a folder of their own beside the place where they are to go, and renamed when all are
//! complete; if anything fails before or meanwhile, none of them is left. `--parts` is `-j` as in `llvm-split`, whose
//! outputs have no ending, however; tools that compile files want one.

use crate::diagnostics::{Error, Stage};
use crate::input::is_standard_stream;
use crate::options::{Emit, Job};
use crate::usage::usage_error;
use crate::{destination, input};
use clap::Parser;
use frazil_split::{MOST_PARTS, Split};
use std::ffi::OsString;
use std::fs;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

const EXAMPLES: &str = "\
Examples:
  frazil split big.bc --parts 8            big.0.bc to big.7.bc
  frazil split big.bc --parts 8 -o parts/  parts/0.bc to parts/7.bc
  for part in big.[0-7].bc; do sem -j 8 frazil -O2 $part; done; sem --wait; cc big.[0-7].o -o big";

/// Divides a module into several that are compiled on their own and linked to the same program.
#[derive(Debug, Parser)]
#[command(name = "frazil split", bin_name = "frazil split", after_help = EXAMPLES)]
struct Arguments {
    /// LLVM bitcode; - is standard input
    input: PathBuf,
    /// How many modules to make
    #[arg(short = 'j', long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=i64::from(MOST_PARTS)))]
    parts: u32,
    /// What the names of the modules begin with: PREFIX0.bc, PREFIX1.bc and so on [default: the input's name up to .bc,
    /// with a dot]
    #[arg(short, long, value_name = "PREFIX")]
    output: Option<PathBuf>,
    /// How the names of the modules end; files that end with .i are sent by distcc, and frazil-cc sees that they are
    /// bitcode
    #[arg(long, value_name = "ENDING", default_value = ".bc")]
    ending: String,
}

/// Runs the command with these arguments, its name first.
pub(crate) fn run(words: Vec<OsString>) -> ExitCode {
    let arguments = match Arguments::try_parse_from(words) {
        Ok(arguments) => arguments,
        Err(error) if error.use_stderr() => {
            let _ = std::io::stderr().write_all(usage_error(&error).as_bytes());
            return ExitCode::FAILURE;
        }
        Err(error) => {
            // A closed standard output is no reason to fail.
            let _ = error.print();
            return ExitCode::SUCCESS;
        }
    };
    let jobs = match jobs(&arguments) {
        Ok(jobs) => jobs,
        Err(error) => {
            error.print("");
            return ExitCode::FAILURE;
        }
    };
    let name = jobs.first().map(Job::name).unwrap_or_default();
    match split(&arguments, &jobs) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            error.print(&name);
            ExitCode::FAILURE
        }
    }
}

/// Where the parts go.
fn jobs(arguments: &Arguments) -> Result<Vec<Job>, Error> {
    let wrong = |message: &str| Error::new(Stage::Options, message);
    let prefix = match &arguments.output {
        Some(prefix) if is_standard_stream(prefix) => {
            return Err(wrong(
                "several modules cannot go to standard output; name a prefix with -o",
            ));
        }
        Some(prefix) => prefix.clone().into_os_string(),
        None if is_standard_stream(&arguments.input) => {
            return Err(wrong(
                "what is read from standard input has no name; say how those of the parts begin with -o",
            ));
        }
        None => {
            let mut prefix = arguments.input.with_extension("").into_os_string();
            prefix.push(".");
            prefix
        }
    };
    let output = |part: u32| {
        let mut name = prefix.clone();
        name.push(format!("{part}{}", arguments.ending));
        PathBuf::from(name)
    };
    let job = |part| Job::new(arguments.input.clone(), output(part));
    let jobs: Vec<Job> = (0..arguments.parts).map(job).collect();
    // Objects, as far as terminals are concerned.
    destination::check(&jobs, Emit::Obj, None)?;
    Ok(jobs)
}

fn split(arguments: &Arguments, jobs: &[Job]) -> Result<(), Error> {
    let bytes = input::read(&arguments.input)?;
    let split = Split::new(&bytes, arguments.parts)?;
    let failed =
        |output: &Path, error: &std::io::Error| Error::output(error).about_output(&output.display().to_string());
    let Some(first) = jobs.first() else { return Ok(()) };
    let parent = first.output.parent().filter(|parent| !parent.as_os_str().is_empty());
    let mut builder = tempfile::Builder::new();
    let folder = builder
        .prefix(".frazil-split-")
        .tempdir_in(parent.unwrap_or(Path::new(".")));
    let folder = folder.map_err(|error| failed(&first.output, &error))?;
    let temporary = |part: u32| folder.path().join(part.to_string());
    for (part, job) in (0u32..).zip(jobs) {
        fs::write(temporary(part), split.part(part)?).map_err(|error| failed(&job.output, &error))?;
    }
    for (part, job) in (0u32..).zip(jobs) {
        if let Err(error) = fs::rename(temporary(part), &job.output) {
            for done in jobs.iter().take(part as usize) {
                // What cannot be removed either stays.
                let _ = fs::remove_file(&done.output);
            }
            return Err(failed(&job.output, &error));
        }
    }
    Ok(())
}
