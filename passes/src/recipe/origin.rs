//! Where something in a recipe was said, and the error that names the place.

use frazil_support::suggest::nearest;
use std::fmt;
use std::ops::Range;
use std::sync::Arc;
use thiserror::Error;

/// Where something was said.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Origin {
    File {
        /// The file's name.
        file: Arc<str>,
        /// Counted from 1.
        line: usize,
        /// In characters, counted from 1.
        column: usize,
    },
    /// On the command line, in the option of this name.
    Option(&'static str),
}

impl Origin {
    /// The place of a byte range of a file's text.
    pub fn in_text(file: &Arc<str>, text: &str, span: Range<usize>) -> Origin {
        let before = text.get(..span.start).unwrap_or(text);
        let line_start = before.rfind('\n').map_or(0, |newline| newline + 1);
        Origin::File {
            file: file.clone(),
            line: before.matches('\n').count() + 1,
            column: before[line_start..].chars().count() + 1,
        }
    }
}

impl fmt::Display for Origin {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Origin::File { file, line, column } => write!(f, "{file}:{line}:{column}"),
            Origin::Option(option) => f.write_str(option),
        }
    }
}

/// Why a recipe cannot be used.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[error("{}{message}", place.as_ref().map_or(String::new(), |place| format!("{place}: ")))]
pub struct RecipeError {
    /// Where the mistake is.
    pub place: Option<Origin>,
    /// What is wrong, and what would be right.
    pub message: String,
}

impl RecipeError {
    /// An error at a place.
    pub fn at(place: &Origin, message: impl Into<String>) -> RecipeError {
        RecipeError {
            place: Some(place.clone()),
            message: message.into(),
        }
    }

    /// An error about no place in particular.
    pub fn new(message: impl Into<String>) -> RecipeError {
        RecipeError {
            place: None,
            message: message.into(),
        }
    }
}

/// The valid name that was probably meant, or all of them.
pub(super) fn hint<'a>(name: &str, valid: impl IntoIterator<Item = &'a str> + Clone) -> String {
    match nearest(name, valid.clone()) {
        Some(nearest) => format!("did you mean `{nearest}`?"),
        None => {
            let names: Vec<&str> = valid.into_iter().collect();
            match names.is_empty() {
                true => "there are none".to_owned(),
                false => format!("valid names: {}", names.join(", ")),
            }
        }
    }
}

/// A message of serde about a field or a variant that does not exist, with the valid name that was probably meant.
///
/// Serde writes these as "unknown field `x`, expected one of `a`, `b`" for every format, and gives the names in no
/// other way.
pub(super) fn with_hint(message: &str) -> String {
    let Some((kind, rest)) = message.strip_prefix("unknown ").and_then(|rest| rest.split_once(" `")) else {
        return message.to_owned();
    };
    let name = rest.split('`').next().unwrap_or_default();
    let valid: Vec<&str> = quoted_names(rest).collect();
    let kind = if kind == "field" { "key" } else { "value" };
    format!("unknown {kind} `{name}`; {}", hint(name, valid))
}

/// The names in backquotes after the first one.
fn quoted_names(rest: &str) -> impl Iterator<Item = &str> {
    // "x`, expected one of `a`, `b`": every second piece is a name.
    rest.split('`').skip(2).step_by(2)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn places_count_lines_and_characters() {
        let text = "a\nüb = 1\n";
        let place = Origin::in_text(&Arc::from("x.toml"), text, 4..5);
        assert_eq!(place.to_string(), "x.toml:2:2");
        assert_eq!(RecipeError::at(&place, "wrong").to_string(), "x.toml:2:2: wrong");
        assert_eq!(RecipeError::new("wrong").to_string(), "wrong");
    }

    #[test]
    fn messages_of_serde_get_the_nearest_name() {
        let message = with_hint("unknown field `windw`, expected one of `window`, `most`");
        assert_eq!(message, "unknown key `windw`; did you mean `window`?");
        let message = with_hint("unknown variant `x`, expected `fast` or `select`");
        assert_eq!(message, "unknown value `x`; valid names: fast, select");
        let message = with_hint("unknown field `x`, there are no fields");
        assert_eq!(message, "unknown key `x`; there are none");
        assert_eq!(with_hint("expected a table"), "expected a table");
    }
}
