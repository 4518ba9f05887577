//! The command of a build without the cargo feature `command`: bitcode in, an object out, by recipe Om1.
//!
//! It is for where the size of a program counts. Options ([`options`]) are those that build systems need, the object is
//! the same as by everything else of Frazil, and what the build leaves out is refused by name. [`compile`] is a
//! pipeline without passes, tools, threads and texts.
//!
//! A panic, which is a defect of Frazil, ends the process: nothing is unwound, so that such a build needs no tables for
//! it. A hook says before, as the other driver does, which function it was, and takes back what of the output was
//! written.

mod compile;
mod options;

use crate::diagnostics::{Diagnostic, Error, Stage, panic_in};
use crate::output::Output;
use crate::{input, memory_limit, recognize};
use frazil_frontend_pnacl::ReadErrorKind;
use options::{Arguments, Request};
use std::ffi::OsString;
use std::io::Write;
use std::process::ExitCode;
use std::sync::Mutex;

/// What is being done, for the message about a panic.
#[derive(Debug)]
struct Doing {
    input: String,
    stage: Stage,
    /// Empty outside of functions.
    function: String,
}

static DOING: Mutex<Doing> = Mutex::new(Doing {
    input: String::new(),
    stage: Stage::Options,
    function: String::new(),
});

/// Notes what is done from now on.
fn begin(stage: Stage, function: &str) {
    if let Ok(mut doing) = DOING.lock() {
        doing.stage = stage;
        if doing.function != function {
            doing.function.clear();
            doing.function.push_str(function);
        }
    }
}

/// Runs the command `frazil` with these arguments, the program's name first. Messages go to standard error.
pub fn run(arguments: impl IntoIterator<Item = OsString>) -> ExitCode {
    let outcome = match options::parse(arguments.into_iter().skip(1)) {
        Ok(Request::Compile(arguments)) => {
            let name = arguments.input_name();
            explain_panics(&name);
            compile_file(&arguments).map_err(|error| (error, name))
        }
        Ok(Request::Print(text)) => {
            // A closed standard output is no reason to fail.
            let _ = std::io::stdout().write_all(text.as_bytes());
            Ok(())
        }
        Err(error) => Err((error, String::new())),
    };
    match outcome {
        Ok(()) => ExitCode::SUCCESS,
        Err((error, name)) => {
            error.print(&name);
            ExitCode::FAILURE
        }
    }
}

/// Has a panic say what was compiled, and leave nothing behind.
fn explain_panics(input_name: &str) {
    if let Ok(mut doing) = DOING.lock() {
        doing.input = input_name.to_owned();
    }
    let default = std::panic::take_hook();
    std::panic::set_hook(Box::new(move |panic| {
        default(panic);
        memory_limit::remove_unfinished();
        if let Ok(doing) = DOING.try_lock() {
            let diagnostic = match doing.function.is_empty() {
                true => Diagnostic::new(Stage::Internal, "this panicked; please report it with the input"),
                false => panic_in(doing.stage, "", &doing.function),
            };
            Error::from(diagnostic).print(&doing.input);
        }
        std::process::exit(1)
    }));
}

fn compile_file(arguments: &Arguments) -> Result<(), Error> {
    let bytes = input::read(&arguments.input)?;
    if let Some(complaint) = complaint(arguments, &bytes) {
        let refusal = ReadErrorKind::NotBitcode.refusal();
        return Err(Error::from(Diagnostic::refusal(Stage::Read, refusal, complaint, None)));
    }
    let mut out = Output::new(&arguments.output);
    let name = out.name();
    let written = compile::compile(&bytes, arguments, &mut out);
    let written = written.and_then(|()| out.commit().map_err(|error| Error::output(&error)));
    written.map_err(|error| error.about_output(&name))
}

/// Why an input is not compiled. Texts are not read.
fn complaint(arguments: &Arguments, bytes: &[u8]) -> Option<String> {
    recognize::complaint(&arguments.input, bytes).or_else(|| {
        let text = "the input is text, which this build does not read: builds of Frazil with the feature `command` do, \
                    or make bitcode of it with `clang -c -emit-llvm` or `llvm-as`";
        recognize::is_text(bytes).then(|| text.to_owned())
    })
}
