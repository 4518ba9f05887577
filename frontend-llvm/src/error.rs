//! What LLVM says is wrong with a module, taken apart: file, line, column, message, source line.
//!
//! LLVM's parser gives one string, `name:line:column: error: message`, then the source line and a line with a caret.
//! Messages about bitcode have no line, and those of the verifier no place at all.

use serde::Serialize;
use std::fmt;

/// A place in a text.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub struct TextPosition {
    /// Counted from 1.
    pub line: u32,
    /// Counted from 1, in bytes.
    pub column: u32,
}

/// Why LLVM did not take a module.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, thiserror::Error)]
pub struct ReadError {
    /// The input's name.
    pub file: String,
    /// Where; only text has places.
    pub place: Option<TextPosition>,
    /// What LLVM says, without place and excerpt.
    pub message: String,
    /// The source line and a line whose caret points into it; empty if there is no place.
    pub excerpt: String,
}

impl ReadError {
    /// From a message of LLVM's parser about the input `file`.
    pub(crate) fn from_parser(file: &str, text: &str) -> ReadError {
        let (first, excerpt) = text.split_once('\n').unwrap_or((text, ""));
        let rest = first.strip_prefix(file).and_then(|rest| rest.strip_prefix(':'));
        let (place, rest) = match rest {
            Some(rest) => split_place(rest),
            None => (None, first),
        };
        let rest = rest.trim_start();
        ReadError {
            file: file.to_owned(),
            place,
            message: rest.strip_prefix("error: ").unwrap_or(rest).to_owned(),
            excerpt: match place {
                Some(_) => excerpt.trim_end().to_owned(),
                None => String::new(),
            },
        }
    }

    /// From a message of LLVM's verifier, which may have several lines.
    pub(crate) fn from_verifier(file: &str, text: &str) -> ReadError {
        ReadError::without_place(file, format!("the module breaks LLVM's rules: {}", text.trim_end()))
    }

    /// A message about an input as a whole.
    pub fn without_place(file: &str, message: String) -> ReadError {
        ReadError {
            file: file.to_owned(),
            place: None,
            message,
            excerpt: String::new(),
        }
    }
}

/// Takes `line:column:` off the front.
fn split_place(text: &str) -> (Option<TextPosition>, &str) {
    let mut fields = text.splitn(3, ':');
    let (line, column) = (fields.next(), fields.next());
    let number = |field: Option<&str>| field.and_then(|digits| digits.parse().ok());
    match (number(line), number(column), fields.next()) {
        (Some(line), Some(column), Some(rest)) => (Some(TextPosition { line, column }), rest),
        _ => (None, text),
    }
}

impl fmt::Display for ReadError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:", self.file)?;
        if let Some(TextPosition { line, column }) = self.place {
            write!(f, "{line}:{column}:")?;
        }
        write!(f, " {}", self.message)?;
        if !self.excerpt.is_empty() {
            write!(f, "\n{}", self.excerpt)?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_message_with_a_place_is_taken_apart_and_put_together() {
        let text = "a:b.ll:3:12: error: expected type\n  %x = add foo 1\n           ^\n";
        let error = ReadError::from_parser("a:b.ll", text);
        assert_eq!(error.place, Some(TextPosition { line: 3, column: 12 }));
        assert_eq!(error.message, "expected type");
        assert_eq!(
            error.to_string(),
            "a:b.ll:3:12: expected type\n  %x = add foo 1\n           ^"
        );
    }

    #[test]
    fn a_message_without_a_place_keeps_its_text() {
        let error = ReadError::from_parser("x.bc", "x.bc: error: Invalid record");
        assert_eq!(error.to_string(), "x.bc: Invalid record");
        let error = ReadError::from_parser("x.bc", "Malformed block");
        assert_eq!(error.to_string(), "x.bc: Malformed block");
    }
}
