//! `frazil-cc` and `frazil-c++`: a drop-in `CC` and `CXX` for build systems. clang reads and optimizes the source,
//! Frazil makes the code, and everything else (preprocessing, assembling, linking, questions about the compiler) is
//! clang's as it stands.
//!
//! They are one program. Called by a name that ends in `++`, it has clang behave as `clang++`.
//!
//! [`command_line`] takes out what is the wrapper's own; [`plan`] has clang say which programs it would start;
//! [`code_options`] knows orders to clang's code generator that Frazil refuses; [`compile`] runs the programs, with
//! Frazil in the place of that code generator; [`interruption`] sees to signals. Files that are passed from one to the
//! next live in a folder for the time of the run.
//!
//! [`link`] is another program, for graphs of Rust crates.
//!
//! Not done here: no option of clang's driver is interpreted. The price is that clang is started once more for each
//! command line, which takes about 15 ms.

pub mod clang;
pub mod code_options;
pub mod command_line;
mod compilation_database;
pub mod compile;
pub mod interruption;
mod job_slots;
pub mod link;
pub mod pexe;
pub mod plan;

mod scratch;

use clang::Compiler;
use command_line::{CommandLine, Request};
use compile::{ADVICE, Failure, Runner, refusal, say, shown};
use frazil::Embedded;
use interruption::Interruption;
use job_slots::JobServer;
use plan::{Job, Plan};
use std::env;
use std::ffi::{OsStr, OsString};
use std::io::{self, Write};
use std::os::unix::process::CommandExt;
use std::path::Path;
use std::process::{ExitCode, ExitStatus};

/// Names clang, if it is not one of [`CLANGS`] on `PATH`.
pub const CLANG_VARIABLE: &str = "FRAZIL_CC_CLANG";
/// Set to anything but 0, stands for the option `--fallback`, for builds whose options are hard to change.
pub const FALLBACK_VARIABLE: &str = "FRAZIL_CC_FALLBACK";

/// Names of clang, in order of preference: bitcode of the version that Frazil is tested with comes first.
const CLANGS: [&str; 2] = ["clang-22", "clang"];

const HELP: &str = "\
frazil-cc, frazil-c++: clang's command line, with Frazil as its back end

  CC=frazil-cc CXX=frazil-c++ ./configure && make      build something with it

Options besides clang's:
  --fallback        have clang compile what Frazil refuses, and report it
  -Xfrazil OPTION   an option for Frazil: -Xfrazil --recipe=O1, -Xfrazil --disable=licm, -Xfrazil --check-regalloc,
                    -Xfrazil --stats and others that `frazil --help` lists; as often as wanted, one word at a time
  --instrument=FILE have the hooks of a tool called at places of the program, and link them; FILE is a tool file
  --frazil-help     print this

Options that are orders to LLVM's code generator (-mllvm, -fstack-usage, -flto and others) are refused by name.
FRAZIL_CC_CLANG=PATH names clang, FRAZIL_CC_FALLBACK=1 stands for --fallback.
";

/// Runs the wrapper with these arguments, the program's name first.
pub fn run(arguments: impl IntoIterator<Item = OsString>) -> ExitCode {
    let mut arguments = arguments.into_iter();
    let name = arguments.next().unwrap_or_default();
    match serve(is_plus_plus(&name), &arguments.collect::<Vec<_>>()) {
        Ok(code) => code,
        Err(error) => {
            say(&format!("frazil-cc: error: {error}\n"));
            ExitCode::FAILURE
        }
    }
}

/// Whether a program of this name compiles C++ by default.
fn is_plus_plus(name: &OsStr) -> bool {
    let stem = Path::new(name).file_stem().unwrap_or_default();
    stem.as_encoded_bytes().ends_with(b"++")
}

fn serve(plus_plus: bool, words: &[OsString]) -> io::Result<ExitCode> {
    let line = CommandLine::parse(words)?;
    if line.help {
        say(HELP);
        return Ok(ExitCode::SUCCESS);
    }
    // What is wrong with options for Frazil is wrong even where it has nothing to do.
    if let Err(error) = Embedded::new(&line.frazil, '0') {
        say(&error.render(""));
        return Ok(ExitCode::FAILURE);
    }
    let compiler = Compiler {
        clang: clang_program(),
        plus_plus,
    };
    match line.request() {
        // clang takes the place of this process, so that signals are its own.
        Request::NoCode => Err(compiler.not_started(&compiler.command().args(&line.words).exec())),
        Request::Version => {
            let status = compiler.command().args(&line.words).status();
            let status = status.map_err(|error| compiler.not_started(&error))?;
            // A closed standard output is no reason to fail.
            let _ = writeln!(io::stdout(), "{}", introduction());
            Ok(exit_code(status))
        }
        Request::Code => make_code(&compiler, &line),
    }
}

/// Who makes the code, besides clang.
fn introduction() -> String {
    format!("Frazil version {}: makes the code", env!("CARGO_PKG_VERSION"))
}

/// Has clang plan, and runs what it says with Frazil's part.
fn make_code(compiler: &Compiler, line: &CommandLine) -> io::Result<ExitCode> {
    let jobs = JobServer::from_environment();
    let scratch = scratch::Folder::new()?;
    let interruption = Interruption::begin(scratch.path().to_owned())?;
    let plan = Plan::make(compiler, &line.words, scratch.path())?;
    let runner = Runner {
        compiler,
        line,
        fallback: line.fallback || is_set(FALLBACK_VARIABLE),
        interruption: &interruption,
        jobs: &jobs,
        temporary: scratch.path(),
    };
    let (shows, runs) = (line.has("-v") || line.has("-###"), !line.has("-###"));
    if shows {
        let _ = io::stderr().write_all(&plan.banner);
        say(&format!("{}\n", introduction()));
    }
    let _ = io::stderr().write_all(&plan.messages);
    if let Some(code) = plan.failure {
        // clang does not say this where it only plans.
        let missing = String::from_utf8_lossy(&plan.messages)
            .matches("error: no such file or directory: ")
            .count();
        if runs && plan.jobs.is_empty() && missing > 0 && missing == line.files() {
            say("frazil-cc: error: no input files\n");
        }
        return Ok(code_of(code));
    }
    let refusal = lto_refusal(line).or_else(|| plan.jobs.iter().find_map(refusal));
    if let Some(reason) = &refusal
        && !runner.fallback
    {
        say(&format!("frazil-cc: error: {reason}; {ADVICE}\n"));
        return Ok(ExitCode::FAILURE);
    }
    if runs {
        compilation_database::write(line, &plan.jobs)?;
    }
    let mut failed: Vec<(&Job, Failure)> = Vec::new();
    for job in &plan.jobs {
        let needs = |other: &Job| {
            other
                .output()
                .is_some_and(|output| job.words[1..].iter().any(|word| word == output))
        };
        if failed.iter().any(|(other, _)| needs(other)) {
            continue;
        }
        if shows {
            show(job, line, refusal.is_some());
        }
        let outcome = match &refusal {
            _ if !runs => Ok(()),
            None if line.has_tools() && job.is_link() => runner.link_with_hooks(job, &scratch)?,
            None => runner.run(job)?,
            Some(reason) => {
                if job
                    .options()
                    .iter()
                    .any(|word| word == "-emit-obj" || word == "-S" || word == "-emit-llvm-bc")
                {
                    runner.say_fallback(job, reason);
                }
                runner.run_as_it_is(job, None)?
            }
        };
        if let Err(failure) = outcome {
            failed.push((job, failure));
        }
    }
    failed.iter().for_each(|(job, failure)| report_failure(job, *failure));
    Ok(match failed.first() {
        None => ExitCode::SUCCESS,
        Some((_, Failure::Code(code))) => code_of(*code),
        Some((_, Failure::Signal)) => ExitCode::FAILURE,
    })
}

/// Prints a command of the plan, and what Frazil does of it.
fn show(job: &Job, line: &CommandLine, is_clangs: bool) {
    let mut text = match job.code_kind() {
        Some(kind) if !is_clangs => {
            let program = job.words.first().cloned().into_iter();
            let mut text = Job::shown(&program.chain(job.words_for_bitcode()).collect::<Vec<_>>());
            text.extend(b" (in-process)\n");
            text.extend(Job::shown(&shown(job, kind, line)));
            text
        }
        _ => Job::shown(&job.words),
    };
    let _ = io::stderr().write_all(&std::mem::take(&mut text));
}

/// Why linking all at once is refused, if it is wanted: clang makes bitcode of sources, and the linker has LLVM compile
/// it.
fn lto_refusal(line: &CommandLine) -> Option<String> {
    let about = |word: &&OsString| word.as_encoded_bytes().starts_with(b"-flto") || *word == "-fno-lto";
    let last = line.words.iter().rfind(about)?.to_string_lossy();
    // These say how, and not whether.
    let is_on = last == "-flto" || (last.starts_with("-flto=") && last != "-flto=none");
    is_on.then(|| format!("not supported: the option {last}: LLVM would make the code when linking"))
}

/// Says more about the failure of a program that may not have said enough itself, as clang does.
fn report_failure(job: &Job, failure: Failure) {
    let kind = job.words.get(1).map_or("", |word| word.to_str().unwrap_or_default());
    let program = Path::new(job.words.first().map_or(OsStr::new(""), OsString::as_os_str));
    let is_assembler = program
        .file_stem()
        .is_some_and(|stem| stem.as_encoded_bytes().ends_with(b"as"));
    let name = match kind {
        "-cc1" => "clang frontend",
        "-cc1as" => "clang integrated assembler",
        _ if is_assembler => "assembler",
        _ => "linker",
    };
    let text = match failure {
        Failure::Code(1) if kind.starts_with("-cc1") => return,
        Failure::Code(code) => format!("failed with exit code {code}"),
        Failure::Signal => "failed due to signal".to_owned(),
    };
    say(&format!(
        "frazil-cc: error: {name} command {text} (use -v to see invocation)\n"
    ));
}

/// A code to end with.
fn code_of(code: i32) -> ExitCode {
    u8::try_from(code).map_or(ExitCode::FAILURE, ExitCode::from)
}

/// Whether a variable of the environment says yes.
fn is_set(variable: &str) -> bool {
    env::var_os(variable).is_some_and(|value| !value.is_empty() && value != "0")
}

fn clang_program() -> OsString {
    let named = env::var_os(CLANG_VARIABLE).filter(|named| !named.is_empty());
    named.unwrap_or_else(|| {
        let path = env::var_os("PATH").unwrap_or_default();
        let found = CLANGS
            .iter()
            .find(|name| env::split_paths(&path).any(|folder| folder.join(name).is_file()));
        found.unwrap_or(&CLANGS[1]).into()
    })
}

/// The code to end with after clang has ended so.
fn exit_code(status: ExitStatus) -> ExitCode {
    status.code().map_or(ExitCode::FAILURE, code_of)
}
