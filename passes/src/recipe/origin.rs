//! Where something in a recipe was said, and the error that names the place.

use frazil_support::suggest::nearest;
use std::fmt;
use std::sync::Arc;
use thiserror::Error;

/// Where something was said.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Origin {
    /// Lines are counted when the place is written: every step of a recipe has one, and hardly any is.
    File {
        /// The file's name.
        file: Arc<str>,
        /// What the whole file says.
        text: Arc<str>,
        /// The first byte of what was said.
        offset_bytes: usize,
    },
    /// On the command line, in the option of this name.
    Option(&'static str),
}

impl fmt::Display for Origin {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Origin::File {
                file,
                text,
                offset_bytes,
            } => {
                let (line, column) = line_and_column(text, *offset_bytes);
                write!(f, "{file}:{line}:{column}")
            }
            Origin::Option(option) => f.write_str(option),
        }
    }
}

/// The line that holds a byte of a text and the column in characters, both counted from 1.
fn line_and_column(text: &str, offset_bytes: usize) -> (usize, usize) {
    let before = text.get(..offset_bytes).unwrap_or(text);
    let line_start = before.rfind('\n').map_or(0, |newline| newline + 1);
    (
        before.matches('\n').count() + 1,
        before[line_start..].chars().count() + 1,
    )
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
pub fn hint<'a>(name: &str, valid: impl IntoIterator<Item = &'a str> + Clone) -> String {
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

/// A message of serde or of the parser of TOML in the words of recipes: what was found and expected, without types of
/// Rust, and for names that do not exist the valid one that was probably meant.
///
/// Serde writes "unknown field `x`, expected one of `a`, `b`" and "invalid type: integer `3`, expected u32" for every
/// format, and gives the parts in no other way.
pub fn plain(message: &str) -> String {
    if let Some((kind, rest)) = message.strip_prefix("unknown ").and_then(|rest| rest.split_once(" `")) {
        return unknown(kind, rest);
    }
    if let Some(rest) = message.strip_prefix("missing field ") {
        return format!("the key {rest} is missing");
    }
    let invalid = message
        .strip_prefix("invalid type: ")
        .or(message.strip_prefix("invalid value: "));
    match invalid.and_then(|rest| rest.rsplit_once(", expected ")) {
        Some((found, wanted)) => format!("expected {}, found {}", kind_of(wanted), found_as(found)),
        None => match message {
            "wanted string or table" => "expected text in quotes".to_owned(),
            "duplicate key" => "this key stands here twice".to_owned(),
            message => message.to_owned(),
        },
    }
}

/// What serde expects, as people who write TOML call it.
fn kind_of(wanted: &str) -> String {
    let highest = match wanted {
        "u8" => u64::from(u8::MAX),
        "u16" => u64::from(u16::MAX),
        "u32" => u64::from(u32::MAX),
        // TOML has no greater numbers.
        "u64" | "usize" => i64::MAX as u64,
        "i8" | "i16" | "i32" | "i64" | "isize" => return "a whole number".to_owned(),
        "f32" | "f64" => return "a number".to_owned(),
        "a string" => return "text in quotes".to_owned(),
        "a sequence" => return "a list in square brackets".to_owned(),
        "a boolean" => return "true or false".to_owned(),
        "a map" => return "a table of keys and values".to_owned(),
        wanted if wanted.starts_with("struct ") => return "a table of keys and values".to_owned(),
        wanted => return wanted.to_owned(),
    };
    format!("a whole number from 0 to {highest}")
}

/// What serde has found.
fn found_as(found: &str) -> String {
    match found.split_once([' ', '`']) {
        _ if found == "sequence" => "a list".to_owned(),
        _ if found == "map" => "a table".to_owned(),
        Some(("integer", value)) => format!("the number {}", value.trim_matches('`')),
        Some(("floating", _)) => format!(
            "the number {}",
            found.trim_start_matches("floating point ").trim_matches('`')
        ),
        Some(("string", value)) => format!("the text {value}"),
        Some(("boolean", value)) => value.to_owned(),
        _ => found.to_owned(),
    }
}

/// About a field or a variant that does not exist.
fn unknown(kind: &str, rest: &str) -> String {
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
        let place = Origin::File {
            file: Arc::from("x.toml"),
            text: Arc::from(text),
            offset_bytes: 4,
        };
        assert_eq!(place.to_string(), "x.toml:2:2");
        assert_eq!(RecipeError::at(&place, "wrong").to_string(), "x.toml:2:2: wrong");
        assert_eq!(RecipeError::new("wrong").to_string(), "wrong");
    }

    #[test]
    fn messages_of_serde_get_the_nearest_name() {
        let message = plain("unknown field `windw`, expected one of `window`, `most`");
        assert_eq!(message, "unknown key `windw`; did you mean `window`?");
        let message = plain("unknown variant `x`, expected `fast` or `select`");
        assert_eq!(message, "unknown value `x`; valid names: fast, select");
        let message = plain("unknown field `x`, there are no fields");
        assert_eq!(message, "unknown key `x`; there are none");
        assert_eq!(plain("expected a table"), "expected a table");
    }

    #[test]
    fn messages_of_serde_lose_the_types_of_rust() {
        for (message, expected) in [
            (
                "invalid type: integer `3`, expected a string",
                "expected text in quotes, found the number 3",
            ),
            (
                "invalid type: string \"x\", expected u32",
                "expected a whole number from 0 to 4294967295, found the text \"x\"",
            ),
            (
                "invalid value: integer `-1`, expected usize",
                "expected a whole number from 0 to 9223372036854775807, found the number -1",
            ),
            (
                "invalid type: floating point `1.5`, expected struct CodegenText",
                "expected a table of keys and values, found the number 1.5",
            ),
            (
                "invalid type: boolean `true`, expected a sequence",
                "expected a list in square brackets, found `true`",
            ),
            (
                "invalid type: map, expected a boolean",
                "expected true or false, found a table",
            ),
            ("missing field `recipe`", "the key `recipe` is missing"),
        ] {
            assert_eq!(plain(message), expected);
        }
    }
}
