//! `frazil-cc` and `frazil-c++`: a drop-in `CC` and `CXX` for build systems. clang reads and optimizes the source,
//! Frazil makes the code, and everything else (preprocessing, assembling, linking, questions about the compiler) is
//! clang's as it stands.
//!
//! They are one program. Called by a name that ends in `++`, it has clang behave as `clang++`.
//!
//! [`command_line`] finds out what a command line asks for; [`compile`] runs clang and Frazil over one source file;
//! [`run`] puts both together. Objects of sources that are linked at once live in a folder for the time of the run.
//!
//! [`link`] is another program, for graphs of Rust crates.
//!
//! Not done here: no option of clang is interpreted beyond those that say what is compiled to where.

pub mod command_line;
pub mod compile;
pub mod link;
mod scratch;

use command_line::{Action, CommandLine};
use compile::Compiler;
use std::env;
use std::ffi::{OsStr, OsString};
use std::io;
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
  --fallback        have clang compile a file that Frazil refuses, and report it
  --frazil-help     print this

FRAZIL_CC_CLANG=PATH names clang, FRAZIL_CC_FALLBACK=1 stands for --fallback. The vectorizers are off unless the
command line turns them on: Frazil compiles scalars.
";

/// Runs the wrapper with these arguments, the program's name first.
pub fn run(arguments: impl IntoIterator<Item = OsString>) -> ExitCode {
    let mut arguments = arguments.into_iter();
    let name = arguments.next().unwrap_or_default();
    match serve(is_plus_plus(&name), arguments.collect()) {
        Ok(code) => code,
        Err(error) => {
            eprintln!("frazil-cc: error: {error}");
            ExitCode::FAILURE
        }
    }
}

/// Whether a program of this name compiles C++ by default.
fn is_plus_plus(name: &OsStr) -> bool {
    let stem = Path::new(name).file_stem().unwrap_or_default();
    stem.as_encoded_bytes().ends_with(b"++")
}

fn serve(plus_plus: bool, words: Vec<OsString>) -> io::Result<ExitCode> {
    let (own, words): (Vec<_>, Vec<_>) = words
        .into_iter()
        .partition(|word| word == "--fallback" || word == "--frazil-help");
    if own.iter().any(|word| word == "--frazil-help") {
        eprint!("{HELP}");
        return Ok(ExitCode::SUCCESS);
    }
    let compiler = Compiler {
        clang: clang(),
        plus_plus,
        fallback: is_set(FALLBACK_VARIABLE) || !own.is_empty(),
    };
    let line = CommandLine::parse(&words)?;
    match line.action {
        Action::PassThrough => pass_through(&compiler, &line.words),
        Action::Compile { .. } => {
            // All files are tried, as clang does.
            let mut worst = ExitCode::SUCCESS;
            for source in &line.sources {
                if let Err(code) = compiler.compile(&line, source, &line.output_for(source))? {
                    worst = code;
                }
            }
            Ok(worst)
        }
        Action::Link => {
            let scratch = scratch::Folder::new()?;
            let mut words = line.words.clone();
            for (number, source) in line.sources.iter().enumerate() {
                let object = scratch.object(number, &source.path);
                if let Err(code) = compiler.compile(&line, source, &object)? {
                    return Ok(code);
                }
                words[source.position] = object.into();
            }
            pass_through(&compiler, &command_line::without_languages(words))
        }
    }
}

/// Whether a variable of the environment says yes.
fn is_set(variable: &str) -> bool {
    env::var_os(variable).is_some_and(|value| !value.is_empty() && value != "0")
}

fn clang() -> OsString {
    let named = env::var_os(CLANG_VARIABLE).filter(|named| !named.is_empty());
    named.unwrap_or_else(|| {
        let path = env::var_os("PATH").unwrap_or_default();
        let found = CLANGS
            .iter()
            .find(|name| env::split_paths(&path).any(|folder| folder.join(name).is_file()));
        found.unwrap_or(&CLANGS[1]).into()
    })
}

/// Has clang do all of it.
fn pass_through(compiler: &Compiler, words: &[OsString]) -> io::Result<ExitCode> {
    let status = compiler.command().args(words).status();
    let status = status.map_err(|error| compiler.not_started(&error))?;
    Ok(exit_code(status))
}

/// The code to end with after clang has ended so.
fn exit_code(status: ExitStatus) -> ExitCode {
    let code = status.code().and_then(|code| u8::try_from(code).ok());
    code.map_or(ExitCode::FAILURE, ExitCode::from)
}
