//! What is printed of refusals: all that there are (`--list-codes`), and those of an input (`--list-unsupported`).
//!
//! The table is [`Refusal`]'s; which row a refusal is was said where it was made.

use crate::diagnostics::Diagnostic;
use frazil_ir::Refusal;
use serde::Serialize;

/// One thing that is not supported.
#[derive(Serialize)]
struct Entry<'a> {
    code: Option<&'static str>,
    feature: Option<&'static str>,
    function: Option<&'a str>,
    location: Option<&'a str>,
    message: &'a str,
}

/// What of one input is not supported.
#[derive(Serialize)]
struct Listing<'a> {
    input: &'a str,
    unsupported: Vec<Entry<'a>>,
}

/// The table as text.
pub(crate) fn list() -> String {
    let rows = Refusal::ALL.iter();
    let lines = rows.map(|row| format!("{} {:<20} {}\n", row.code(), row.name(), row.summary()));
    lines.collect()
}

/// One line for each refusal, with its code, feature, function and location, and one with their number.
pub(crate) fn text(input: &str, found: &[Diagnostic]) -> String {
    let mut text = String::new();
    for refusal in found {
        let feature = refusal.refusal.map_or("", Refusal::name);
        let code = refusal.code().unwrap_or("-");
        let function = refusal.function.as_ref();
        let place = function.map_or(String::new(), |function| format!("function @{function}: "));
        text.push_str(&format!("{input}: {code} {feature}: {place}{}\n", refusal.message));
    }
    text.push_str(&match found.len() {
        0 => format!("{input}: everything is supported\n"),
        1 => format!("{input}: 1 refusal\n"),
        count => format!("{input}: {count} refusals\n"),
    });
    text
}

/// The same as an object on one line.
pub(crate) fn json(input: &str, found: &[Diagnostic]) -> String {
    let entries = found.iter().map(|refusal| Entry {
        code: refusal.code(),
        feature: refusal.refusal.map(Refusal::name),
        function: refusal.function.as_deref(),
        location: refusal.location.as_deref(),
        message: &refusal.message,
    });
    let listing = Listing {
        input,
        unsupported: entries.collect(),
    };
    let mut text = serde_json::to_string(&listing).expect("a listing is JSON");
    text.push('\n');
    text
}
