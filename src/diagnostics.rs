//! What went wrong, as data and as text.

use frazil_codegen::CodegenError;
use frazil_emit::EmitError;
use frazil_frontend_pnacl::pnacl::writer::WriteError;
use frazil_frontend_pnacl::{ReadError, ReadErrorKind};
use frazil_ir::Refusal;
use std::fmt;
use std::io::{IsTerminal, Write};

pub use crate::stage::Stage;

/// How many messages are printed; the number of others is said.
const MAX_PRINTED: usize = 20;

/// One thing that went wrong.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Diagnostic {
    pub stage: Stage,
    /// The function that was compiled, if one was.
    pub function: Option<String>,
    /// What was found, and what was expected.
    pub message: String,
    /// Where in the text of the input, if it is text.
    pub excerpt: Option<Excerpt>,
    /// What is not supported or not valid, if that is it.
    pub refusal: Option<Refusal>,
    /// The instruction, symbol or bit of the input in which it was found.
    pub location: Option<String>,
    /// The file that it is about, if that is not the input.
    pub file: Option<String>,
}

/// A place in the text of an input, and what stands there.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Excerpt {
    /// Counted from 1.
    pub line: u32,
    /// Counted from 1, in bytes.
    pub column: u32,
    /// The line of the text, and another with a caret that points into it.
    pub text: String,
}

impl Diagnostic {
    /// A message about no function and no place.
    pub fn new(stage: Stage, message: impl Into<String>) -> Diagnostic {
        Diagnostic {
            stage,
            function: None,
            message: message.into(),
            excerpt: None,
            refusal: None,
            location: None,
            file: None,
        }
    }

    /// A message about something that is not supported.
    pub(crate) fn refusal(stage: Stage, refusal: Refusal, message: String, location: Option<String>) -> Diagnostic {
        Diagnostic {
            refusal: Some(refusal),
            location,
            ..Diagnostic::new(stage, message)
        }
    }

    /// The stable code of what is not supported or not valid, if that is it.
    pub fn code(&self) -> Option<&'static str> {
        self.refusal.map(Refusal::code)
    }
}

impl fmt::Display for Diagnostic {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.stage == Stage::Internal {
            out.write_str("internal error: ")?;
        }
        match &self.function {
            Some(function) => write!(out, "function @{function}: {}", self.message)?,
            None => out.write_str(&self.message)?,
        }
        match self.code() {
            Some(code) => write!(out, " [{code}]"),
            None => Ok(()),
        }
    }
}

/// Why there is no output. Refusals of several functions are collected.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Error {
    diagnostics: Vec<Diagnostic>,
}

impl Error {
    /// An error that belongs to no function.
    pub fn new(stage: Stage, message: impl Into<String>) -> Error {
        Error::from(vec![Diagnostic::new(stage, message)])
    }

    /// A failure to write the output.
    pub fn output(error: &std::io::Error) -> Error {
        Error::new(Stage::Output, format!("cannot write the output: {}", reason(error)))
    }

    /// The same, with the output's name instead of the input's where it could not be written.
    #[must_use]
    pub fn about_output(mut self, name: &str) -> Error {
        let failed = |diagnostic: &&mut Diagnostic| diagnostic.stage == Stage::Output;
        let failures = self.diagnostics.iter_mut().filter(failed);
        failures.for_each(|diagnostic| diagnostic.file = Some(name.to_owned()));
        self
    }

    /// The same as an error of another stage.
    pub(crate) fn in_stage(mut self, stage: Stage) -> Error {
        self.diagnostics
            .iter_mut()
            .for_each(|diagnostic| diagnostic.stage = stage);
        self
    }

    /// The same with words before and after each message.
    pub(crate) fn between(mut self, before: &str, after: &str) -> Error {
        for diagnostic in &mut self.diagnostics {
            diagnostic.message = format!("{before}{}{after}", diagnostic.message);
        }
        self
    }

    /// Everything that went wrong, in the order of the functions; at least one.
    pub fn diagnostics(&self) -> &[Diagnostic] {
        &self.diagnostics
    }

    /// Prints the messages to standard error, with color if that is a terminal.
    pub(crate) fn print(&self, input: &str) {
        let mut text = self.render(input);
        if has_color() {
            text = text.replace(ERROR, COLORED_ERROR);
        }
        // There is no other place to complain.
        let _ = std::io::stderr().write_all(text.as_bytes());
    }

    /// The messages, one line each, besides lines of the input that they point into.
    pub fn render(&self, input: &str) -> String {
        let mut text = String::new();
        for diagnostic in self.diagnostics.iter().take(MAX_PRINTED) {
            let place = match (&diagnostic.excerpt, &diagnostic.file) {
                _ if diagnostic.stage == Stage::Options => String::new(),
                (Some(Excerpt { line, column, .. }), _) => format!("{input}:{line}:{column}: "),
                (None, Some(file)) => format!("{file}: "),
                (None, None) => format!("{input}: "),
            };
            text.push_str(&format!("{ERROR} {place}{diagnostic}\n"));
            if let Some(excerpt) = &diagnostic.excerpt {
                text.push_str(&format!("{}\n", excerpt.text));
            }
        }
        if let Some(more) = self.diagnostics.len().checked_sub(MAX_PRINTED).filter(|more| *more > 0) {
            text.push_str(&format!("{ERROR} {input}: {more} more functions failed\n"));
        }
        text
    }
}

/// An error, each of whose parts names the function.
pub(crate) fn in_function(error: Error, name: &str) -> Vec<Diagnostic> {
    let mut diagnostics = error.diagnostics().to_vec();
    diagnostics
        .iter_mut()
        .for_each(|diagnostic| diagnostic.function = Some(name.to_owned()));
    diagnostics
}

/// The message about a panic in a function; `pass` is the pass that was running, if one was.
pub(crate) fn panic_in(stage: Stage, pass: &str, function: &str) -> Diagnostic {
    let doing = match stage {
        Stage::Read => "reading",
        Stage::Optimize | Stage::Compile if !pass.is_empty() => &format!("pass {pass}"),
        Stage::Optimize | Stage::Compile => "code generation",
        _ => "writing",
    };
    let message = format!("{doing} panicked; please report this with the input");
    Diagnostic {
        function: Some(function.to_owned()),
        ..Diagnostic::new(Stage::Internal, message)
    }
}

/// Prints a note that belongs to no input.
#[cfg(feature = "command")]
pub(crate) fn print_note(text: &str) {
    // There is no other place for it.
    let _ = writeln!(std::io::stderr(), "frazil: note: {text}");
}

/// What the operating system says went wrong, without the number that Rust's library adds for programmers.
pub fn reason(error: &std::io::Error) -> String {
    if error.kind() == std::io::ErrorKind::InvalidData {
        return "it is no text in UTF-8".to_owned();
    }
    let text = error.to_string();
    match text.rsplit_once(" (os error ") {
        Some((text, _)) => text.to_owned(),
        None => text,
    }
}

/// How messages begin.
const ERROR: &str = "frazil: error:";
/// The same, bold, and red where LLVM's tools have red.
const COLORED_ERROR: &str = "\x1b[1mfrazil: \x1b[31merror:\x1b[0m";

/// Whether standard error is a terminal that shows colors, and the user has nothing against them (`NO_COLOR`).
pub(crate) fn has_color() -> bool {
    let is_set = |name| std::env::var_os(name).is_some_and(|value| !value.is_empty());
    let is_dumb = std::env::var_os("TERM").is_none_or(|terminal| terminal == "dumb");
    std::io::stderr().is_terminal() && !is_dumb && !is_set("NO_COLOR")
}

impl From<Diagnostic> for Error {
    fn from(diagnostic: Diagnostic) -> Error {
        Error::from(vec![diagnostic])
    }
}

impl From<Vec<Diagnostic>> for Error {
    fn from(diagnostics: Vec<Diagnostic>) -> Error {
        Error { diagnostics }
    }
}

impl From<ReadError> for Error {
    fn from(error: ReadError) -> Error {
        let location = Some(format!("bit {}", error.bit_offset()));
        let refusal = error.kind().refusal();
        let message = match error.kind() {
            ReadErrorKind::Truncated => format!("the input is cut off or damaged: {error}"),
            _ => error.to_string(),
        };
        Error::from(Diagnostic::refusal(Stage::Read, refusal, message, location))
    }
}

impl From<CodegenError> for Error {
    fn from(error: CodegenError) -> Error {
        let message = error.to_string();
        let Some(refusal) = error.refusal() else {
            return Error::new(Stage::Compile, message);
        };
        let location = match &error {
            CodegenError::Unsupported { place, .. } => {
                let place = place.trim_start_matches(" (").trim_end_matches(')');
                (!place.is_empty()).then(|| place.to_owned())
            }
            _ => None,
        };
        Error::from(Diagnostic::refusal(Stage::Compile, refusal, message, location))
    }
}

impl From<EmitError> for Error {
    fn from(error: EmitError) -> Error {
        let message = error.to_string();
        let location = match &error {
            EmitError::Output(error) => return Error::output(error),
            EmitError::Unsupported { symbol, .. } => Some(format!("@{symbol}")),
            _ => None,
        };
        match error.refusal() {
            Some(refusal) => Error::from(Diagnostic::refusal(Stage::Write, refusal, message, location)),
            None => Error::new(Stage::Write, message),
        }
    }
}

impl From<WriteError> for Error {
    fn from(error: WriteError) -> Error {
        let location = error.place().map(str::to_owned);
        let refusal = error.refusal();
        Error::from(Diagnostic::refusal(Stage::Write, refusal, error.to_string(), location))
    }
}

impl fmt::Display for Error {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (number, diagnostic) in self.diagnostics.iter().enumerate() {
            write!(out, "{}{diagnostic}", if number == 0 { "" } else { "\n" })?;
        }
        Ok(())
    }
}

impl std::error::Error for Error {}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn messages_name_input_and_function_and_are_not_too_many() {
        let one = |number| Diagnostic {
            function: Some(format!("f{number}")),
            ..Diagnostic::new(Stage::Compile, "not supported: resume")
        };
        let error = Error::from((0..25).map(one).collect::<Vec<_>>());
        let text = error.render("in.bc");
        assert!(text.starts_with("frazil: error: in.bc: function @f0: not supported: resume\n"));
        assert!(text.ends_with("frazil: error: in.bc: 5 more functions failed\n"));
        assert_eq!(Error::new(Stage::Options, "no").render("in.bc"), "frazil: error: no\n");
    }
}
