//! An existing assembler, for modules with assembly of their own that Frazil does not encode (contract 13): all such
//! texts of a module go there in one call, or the whole module does.
//!
//! The program is the one that an option or the environment variable [`VARIABLE`] names, or the first of
//! [`CANDIDATES`] on `PATH`. It reads its standard input and writes a temporary file. What it complains of is traced
//! back to the function whose text stands in that line.

use crate::diagnostics::{Diagnostic, Error, Stage, reason};
use crate::llvm::with_input;
use frazil_codegen::TargetDesc;
use frazil_emit::asm::TextPlace;
use frazil_ir::Module;
use std::borrow::Cow;
use std::env;
use std::ffi::OsStr;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

/// Names the assembler.
pub const VARIABLE: &str = "FRAZIL_AS";

/// What is looked for. LLVM's own come first, since the texts are meant for them.
const CANDIDATES: [&str; 5] = ["llvm-mc-22", "llvm-mc", "clang-22", "clang", "as"];

/// How many complaints are passed on.
const MAX_COMPLAINTS: usize = 20;

/// Assembly text of a module, and where in it the texts are that users have written.
pub(crate) struct Source<'a> {
    pub module: &'a Module,
    pub target: &'static TargetDesc,
    pub text: &'a [u8],
    /// Its parts that users have written.
    pub places: &'a [TextPlace],
}

/// Assembles a module and gives the object file.
///
/// # Errors
/// When there is no assembler, or it finds something wrong.
pub(crate) fn assemble(source: &Source<'_>, named: Option<&Path>) -> Result<Vec<u8>, Error> {
    let program = match named {
        Some(path) => path.to_owned(),
        None => find().ok_or_else(|| missing(source))?,
    };
    let object = tempfile::Builder::new().prefix("frazil-").suffix(".o").tempfile();
    let object = object.map_err(|error| {
        let message = format!("cannot make a temporary file for the assembler: {}", reason(&error));
        Error::new(Stage::Write, message)
    })?;
    let object = object.into_temp_path();
    let mut command = Command::new(&program);
    let triple = source.module.strings.display(source.module.triple);
    let triple = match &*triple {
        "" => Cow::from(format!("{}-unknown-linux-gnu", source.target.name)),
        named => Cow::from(named),
    };
    let name = program.file_name().and_then(OsStr::to_str).unwrap_or_default();
    if name.contains("llvm-mc") {
        command.args(["-filetype=obj", "-triple", &triple]);
    } else if name.contains("clang") {
        command.args(["-c", "-x", "assembler", "-target", &triple, "-"]);
    } else if name.contains("gcc") {
        command.args(["-c", "-x", "assembler", "-"]);
    }
    for (assembler, options) in source.target.assembler_options {
        if name.contains(assembler) {
            command.args(*options);
        }
    }
    command.arg("-o").arg(&object);
    let output = with_input(&mut command, source.text).map_err(|error| {
        let (program, reason) = (program.display(), reason(&error));
        let message = format!("cannot run the assembler {program}: {reason}; --assembler or {VARIABLE} names another");
        Error::new(Stage::Write, message)
    })?;
    if !output.status.success() {
        return Err(complaints(source, &program, &String::from_utf8_lossy(&output.stderr)));
    }
    fs::read(&object).map_err(|error| {
        let message = format!(
            "cannot read what the assembler {} wrote: {}",
            program.display(),
            reason(&error)
        );
        Error::new(Stage::Write, message)
    })
}

fn find() -> Option<PathBuf> {
    if let Some(named) = env::var_os(VARIABLE).filter(|named| !named.is_empty()) {
        return Some(PathBuf::from(named));
    }
    let on_path = env::var_os("PATH").unwrap_or_default();
    CANDIDATES.iter().find_map(|name| {
        let mut places = env::split_paths(&on_path).map(|folder| folder.join(name));
        places.find(|place| place.is_file())
    })
}

/// The name of the function that a text stands in.
fn function_name(module: &Module, place: &TextPlace) -> Option<String> {
    let function = place.function?;
    Some(module.display_name(module.functions[function].symbol).into_owned())
}

fn missing(source: &Source<'_>) -> Error {
    let message = format!(
        "inline assembly that Frazil does not encode itself needs an assembler; none of {} is on PATH: install one, \
         or name one with --assembler or in {VARIABLE}",
        CANDIDATES.join(", ")
    );
    let place = source.places.first();
    let message = match place.map(|place| first_line_of(source, place.first_line)) {
        Some(line) if !line.is_empty() => format!("{message}; the first text is `{line}`"),
        _ => message,
    };
    Error::from(vec![Diagnostic {
        function: place.and_then(|place| function_name(source.module, place)),
        ..Diagnostic::new(Stage::Write, message)
    }])
}

/// A line of the text, counted from 1.
fn first_line_of(source: &Source<'_>, line: u32) -> String {
    let mut lines = source.text.split(|&byte| byte == b'\n');
    let found = lines.nth(line.saturating_sub(1) as usize).unwrap_or_default();
    String::from_utf8_lossy(found).trim().to_owned()
}

/// What the assembler said, with the functions that it is about.
fn complaints(source: &Source<'_>, program: &Path, said: &str) -> Error {
    let diagnostics: Vec<Diagnostic> = said.lines().filter_map(|line| complaint(source, line)).collect();
    if !diagnostics.is_empty() {
        return Error::from(diagnostics);
    }
    let said: Vec<&str> = said.lines().take(MAX_COMPLAINTS).collect();
    let message = format!("the assembler {} failed: {}", program.display(), said.join("\n"));
    Error::new(Stage::Write, message)
}

/// One line of what the assembler said, if it names a line of the text as wrong.
fn complaint(source: &Source<'_>, said: &str) -> Option<Diagnostic> {
    let (_, rest) = said.split_once(':')?;
    let (line, rest) = rest.split_once(':')?;
    let line: u32 = line.parse().ok()?;
    let (_, message) = rest.split_once("rror:")?;
    let place = source
        .places
        .iter()
        .find(|place| (place.first_line..=place.last_line).contains(&line));
    let text = first_line_of(source, line);
    let what = if place.is_some() {
        "inline assembly"
    } else {
        "the assembler"
    };
    Some(Diagnostic {
        function: place.and_then(|place| function_name(source.module, place)),
        ..Diagnostic::new(Stage::Write, format!("{what}: {}, in `{text}`", message.trim()))
    })
}
