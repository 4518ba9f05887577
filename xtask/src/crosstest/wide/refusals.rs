//! What Frazil says when it refuses functions by name.

use std::fmt;

/// What separates the place from the reason.
const REFUSAL: &str = ": not supported: ";

/// A function that was refused.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Refusal {
    /// The file and the function.
    pub place: String,
    /// What is not supported, without the instruction in which it was found.
    pub reason: String,
}

impl fmt::Display for Refusal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: refused: {}", self.place, self.reason)
    }
}

/// The refusals among messages.
pub fn find(messages: &[u8]) -> Vec<Refusal> {
    let text = String::from_utf8_lossy(messages);
    let lines = text.lines().filter_map(|line| line.split_once(REFUSAL));
    lines
        .map(|(place, reason)| Refusal {
            place: place.trim_start_matches("frazil: error: ").to_owned(),
            reason: without_instruction(reason).to_owned(),
        })
        .collect()
}

/// The reason without what follows it: the instruction in parentheses, and the code in brackets.
pub fn without_instruction(reason: &str) -> &str {
    let reason = match reason.rsplit_once(" [") {
        Some((reason, code)) if code.ends_with(']') => reason,
        _ => reason,
    };
    match reason.rsplit_once(" (") {
        Some((reason, place)) if place.ends_with(')') => reason,
        _ => reason,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn refusals_are_found_by_function() {
        let text =
            b"frazil: error: a.bc: function @f: not supported: illegal vector type <8 x i32> (i4: load) [FZ0105]\nand more\n";
        let found = find(text);
        assert_eq!(found.len(), 1);
        assert_eq!(
            found[0].to_string(),
            "a.bc: function @f: refused: illegal vector type <8 x i32>"
        );
    }
}
