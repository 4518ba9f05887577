//! What is said of words on the command line that do not fit the options.

use crate::diagnostics::has_color;

/// What is wrong with the words, without what is for programmers of Rust, and without the advice to make an input of an
/// option that does not exist.
pub(crate) fn usage_error(error: &clap::Error) -> String {
    let styled = error.render();
    let mut text = match has_color() {
        true => format!("frazil: {}", styled.ansi()),
        false => format!("frazil: {styled}"),
    };
    for (theirs, ours) in [
        (": invalid digit found in string", ": expected a whole number"),
        (": number too large to fit in target type", ": the number is too large"),
        (": number too small to fit in target type", ": the number is too small"),
        (": cannot parse integer from empty string", ": expected a whole number"),
        (" is not in ", " is not from "),
        ("..=", " to "),
    ] {
        text = text.replace(theirs, ours);
    }
    match text.split_once("\n\n") {
        Some((message, rest)) if rest.contains("as a value, use '") => {
            let rest = rest.split_once("\n\n").map_or("", |(_, rest)| rest);
            format!("{message}\n\n{rest}")
        }
        _ => text,
    }
}
