//! What went wrong, as data and as text.

use frazil_codegen::CodegenError;
use frazil_emit::EmitError;
use frazil_frontend_pnacl::ReadError;
use std::fmt;

/// How many messages are printed; the number of others is said.
const MAX_PRINTED: usize = 20;

/// Where a compilation failed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Stage {
    /// Understanding the options.
    Options,
    /// Reading bitcode.
    Read,
    /// Changing the intermediate representation.
    Optimize,
    /// Making machine code.
    Compile,
    /// Making or writing the output.
    Write,
    /// A defect of Frazil itself.
    Internal,
}

/// One thing that went wrong.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Diagnostic {
    /// Where.
    pub stage: Stage,
    /// The function that was compiled, if one was.
    pub function: Option<String>,
    /// What was found, and what was expected.
    pub message: String,
}

impl fmt::Display for Diagnostic {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.stage == Stage::Internal {
            out.write_str("internal error: ")?;
        }
        match &self.function {
            Some(function) => write!(out, "function @{function}: {}", self.message),
            None => out.write_str(&self.message),
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
        Error::from(vec![Diagnostic {
            stage,
            function: None,
            message: message.into(),
        }])
    }

    /// A failure to write the output.
    pub fn output(error: &std::io::Error) -> Error {
        Error::new(Stage::Write, format!("cannot write the output: {error}"))
    }

    /// Everything that went wrong, in the order of the functions; at least one.
    pub fn diagnostics(&self) -> &[Diagnostic] {
        &self.diagnostics
    }

    /// The messages for a terminal, one line each.
    pub fn render(&self, input: &str) -> String {
        let mut text = String::new();
        for diagnostic in self.diagnostics.iter().take(MAX_PRINTED) {
            let place = if diagnostic.stage == Stage::Options {
                String::new()
            } else {
                format!("{input}: ")
            };
            text.push_str(&format!("frazil: error: {place}{diagnostic}\n"));
        }
        if let Some(more) = self.diagnostics.len().checked_sub(MAX_PRINTED).filter(|more| *more > 0) {
            text.push_str(&format!("frazil: error: {input}: {more} more functions failed\n"));
        }
        text
    }
}

impl From<Vec<Diagnostic>> for Error {
    fn from(diagnostics: Vec<Diagnostic>) -> Error {
        Error { diagnostics }
    }
}

impl From<ReadError> for Error {
    fn from(error: ReadError) -> Error {
        Error::new(Stage::Read, error.to_string())
    }
}

impl From<CodegenError> for Error {
    fn from(error: CodegenError) -> Error {
        Error::new(Stage::Compile, error.to_string())
    }
}

impl From<EmitError> for Error {
    fn from(error: EmitError) -> Error {
        match error {
            EmitError::Output(error) => Error::output(&error),
            error => Error::new(Stage::Write, error.to_string()),
        }
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
            stage: Stage::Compile,
            function: Some(format!("f{number}")),
            message: "not supported: resume".to_owned(),
        };
        let error = Error::from((0..25).map(one).collect::<Vec<_>>());
        let text = error.render("in.bc");
        assert!(text.starts_with("frazil: error: in.bc: function @f0: not supported: resume\n"));
        assert!(text.ends_with("frazil: error: in.bc: 5 more functions failed\n"));
        assert_eq!(Error::new(Stage::Options, "no").render("in.bc"), "frazil: error: no\n");
    }
}
