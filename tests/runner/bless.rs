//! Comparing with what a file expects, and writing it there anew when `BLESS` is set.

use super::case::Case;
use std::sync::Mutex;

/// Checks of one file may run at the same time; they change the file one after another.
static FILES: Mutex<()> = Mutex::new(());

fn is_blessing() -> bool {
    std::env::var_os("BLESS").is_some_and(|value| value == "1")
}

/// Compares an output with the block that the file expects for a check.
pub fn output(case: &Case, check: &str, found: &str) -> Result<(), String> {
    let expected = case.expected_output(check);
    if expected.as_deref() == Some(found) {
        return Ok(());
    }
    if is_blessing() {
        return rewrite(case, |source| with_block(source, check, found));
    }
    match expected {
        Some(expected) => Err(difference(&expected, found)),
        None => Err(format!(
            "no block `; expect {check}`; BLESS=1 writes it. Found:\n{found}"
        )),
    }
}

/// Compares the errors that `find` finds in the file's text with the `; error:` lines of the file.
pub fn errors(case: &Case, find: impl Fn(&str) -> Vec<String>) -> Result<(), String> {
    let found = find(&case.source);
    if case.errors == found {
        return Ok(());
    }
    if is_blessing() {
        // Lines that are added or removed move the places that the errors name: they are looked for again.
        return rewrite(case, |source| {
            let moved = with_errors(source, &found);
            let found = find(&moved);
            with_errors(&moved, &found)
        });
    }
    Err(difference(&case.errors.join("\n"), &found.join("\n")))
}

fn rewrite(case: &Case, change: impl Fn(&str) -> String) -> Result<(), String> {
    let _one_at_a_time = FILES.lock().map_err(|error| error.to_string())?;
    let source = std::fs::read_to_string(&case.path).map_err(|error| error.to_string())?;
    std::fs::write(&case.path, change(&source)).map_err(|error| error.to_string())
}

/// The file's text with the block of a check replaced, or added at the end.
fn with_block(source: &str, check: &str, found: &str) -> String {
    let marker = format!("; expect {check}");
    let block: Vec<String> = found
        .lines()
        .map(|line| format!(";| {line}").trim_end().to_owned())
        .collect();
    let lines: Vec<&str> = source.lines().collect();
    let position = lines.iter().position(|line| line.trim_end() == marker);
    let (before, after) = match position {
        Some(position) => {
            let length = lines[position + 1..]
                .iter()
                .take_while(|line| line.starts_with(";|"))
                .count();
            (&lines[..=position], &lines[position + 1 + length..])
        }
        None => (&lines[..], &[][..]),
    };
    let mut text: Vec<String> = before.iter().map(|&line| line.to_owned()).collect();
    if position.is_none() {
        text.extend([String::new(), marker]);
    }
    text.extend(block);
    text.extend(after.iter().map(|&line| line.to_owned()));
    text.join("\n") + "\n"
}

/// The file's text with its `; error:` lines replaced, after the last `; test` line.
fn with_errors(source: &str, found: &[String]) -> String {
    let kept: Vec<&str> = source.lines().filter(|line| !line.starts_with("; error:")).collect();
    let place = kept
        .iter()
        .rposition(|line| line.starts_with("; test "))
        .map_or(0, |last| last + 1);
    let errors = found.iter().map(|error| format!("; error: {error}"));
    let mut lines: Vec<String> = kept.iter().map(|&line| line.to_owned()).collect();
    lines.splice(place..place, errors);
    lines.join("\n") + "\n"
}

/// Lines that differ, with the number of the first.
fn difference(expected: &str, found: &str) -> String {
    let same = expected
        .lines()
        .zip(found.lines())
        .take_while(|(left, right)| left == right)
        .count();
    let rest = |text: &str| text.lines().skip(same).take(12).collect::<Vec<_>>().join("\n    ");
    format!(
        "differs from line {} on; expected:\n    {}\nfound:\n    {}\nBLESS=1 accepts what was found",
        same + 1,
        rest(expected),
        rest(found)
    )
}
