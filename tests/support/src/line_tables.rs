//! The rows of line tables, from what `llvm-dwarfdump --debug-line` prints of an object, and how those of an object and
//! of what an assembler makes of its text differ.
//!
//! GNU's assembler makes no rows of line 0, and LLVM's only the last of those at one address. Ends of sequences are no
//! rows here: an assembler has one for each section.

/// Which rows an assembler makes of the directives.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Rows {
    /// Each.
    All,
    /// All but those of line 0, as GNU's.
    Named,
    /// Of those at one address the last, as LLVM's.
    Last,
}

/// The rows of a dump, sorted, since sections have an order of their own.
pub fn rows(dump: &str, kept: Rows) -> Vec<String> {
    let mut rows: Vec<&str> = Vec::new();
    for row in dump.lines().filter(|line| line.starts_with("0x")) {
        let is_replaced = rows.last().is_some_and(|last| address(last) == address(row));
        if kept == Rows::Last && !is_end(row) && is_replaced {
            rows.pop();
        }
        rows.push(row);
    }
    rows.retain(|row| !is_end(row) && (kept != Rows::Named || line(row) != Some("0")));
    let mut rows: Vec<String> = rows.into_iter().map(|row| row.trim_end().to_owned()).collect();
    rows.sort();
    rows
}

/// Whether a row ends a sequence.
fn is_end(row: &str) -> bool {
    row.contains("end_sequence")
}

/// The line of a row.
pub fn line(row: &str) -> Option<&str> {
    row.split_whitespace().nth(1)
}

/// The address of a row, as it is written: all have as many digits.
fn address(row: &str) -> &str {
    row.split(' ').next().unwrap_or(row)
}

/// The first addresses of sequences and their ends.
fn sequences(dump: &str) -> Vec<(&str, &str)> {
    let mut sequences = Vec::new();
    let mut first = None;
    for row in dump.lines().filter(|line| line.starts_with("0x")) {
        let begin = *first.get_or_insert(address(row));
        if is_end(row) {
            sequences.push((begin, address(row)));
            first = None;
        }
    }
    sequences
}

/// How the dumps of an object and of its assembled text differ, with at most `most` rows that only one has, or nothing.
///
/// A function without lines is in no sequence of the object; text says line 0 there, since a section is one sequence.
pub fn difference(object: &str, text: &str, kept: Rows, most: usize) -> Option<String> {
    let sequences = sequences(object);
    let (ours, mut theirs) = (rows(object, kept), rows(text, kept));
    let is_between = |row: &str| {
        !sequences
            .iter()
            .any(|(first, end)| (first..end).contains(&&address(row)))
    };
    theirs.retain(|row| line(row) != Some("0") || !is_between(row));
    let only = |some: &[String], others: &[String]| -> Vec<String> {
        let lines = some.iter().filter(|line| !contains(others, line));
        lines.take(most).cloned().collect()
    };
    (ours != theirs).then(|| {
        format!(
            "{} and {} rows, only in the object {:?}, only in the text {:?}",
            ours.len(),
            theirs.len(),
            only(&ours, &theirs),
            only(&theirs, &ours)
        )
    })
}

/// Whether a sorted list has a row.
fn contains(rows: &[String], row: &str) -> bool {
    rows.binary_search_by(|other| other.as_str().cmp(row)).is_ok()
}
