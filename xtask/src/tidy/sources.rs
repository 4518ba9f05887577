//! What a Rust source file looks like: its name, its head comment, its length, how wide comments are, and where
//! `unsafe` may occur.

use super::{Problem, SourceFile};

/// A longer file is two files.
const MAX_LINES: usize = 800;

/// The width of a line of code, to which rustfmt wraps code but not comments.
const MAX_COMMENT_COLUMNS: usize = 120;

/// Files that may be longer, with the reason: tables and dispatch that read better in one piece.
const LONG_FILES: &[(&str, &str)] = &[(
    "targets/x86/src/table.rs",
    "one line for each form of an instruction, of which one macro makes the numbers",
)];

/// Files that may contain `unsafe`, with the reason.
const UNSAFE_FILES: &[(&str, &str)] = &[
    (
        "src/heap.rs",
        "the C library's allocator and huge pages have no safe interface; 7 % of a run",
    ),
    (
        "src/mapping.rs",
        "a file in memory without a copy has no safe interface; half of the memory of a run on a large module",
    ),
    (
        "src/memory_limit.rs",
        "an allocator has no safe interface, and only it sees what memory is taken",
    ),
    (
        "wrapper/src/job_slots.rs",
        "open files whose numbers come by the environment have no safe interface",
    ),
    (
        "frontend-llvm/tests/native_reader/constants.rs",
        "LLVM's C interface to constants, which has no safe form",
    ),
    (
        "tests/asm_programs/rust.rs",
        "the input of a test: inline assembly is unsafe",
    ),
];

/// What switches the lint off. Split, so that this file does not contain them.
const LINT_SWITCHES: [&str; 2] = [concat!("allow(un", "safe_code)"), concat!("expect(un", "safe_code)")];

/// Checks all Rust files.
pub fn check(files: &[SourceFile], problems: &mut Vec<Problem>) {
    for file in files.iter().filter(|file| file.is_rust()) {
        check_name(file, files, problems);
        check_head_comment(file, problems);
        check_length(file, problems);
        check_comments(file, problems);
        check_unsafe(file, problems);
    }
    for (path, _) in LONG_FILES.iter().chain(UNSAFE_FILES) {
        if !files.iter().any(|file| file.path == *path) {
            let message = format!("lists {path}, which does not exist");
            problems.push(Problem {
                path: "xtask/src/tidy/sources.rs".to_owned(),
                line: 0,
                message,
            });
        }
    }
}

/// A module with files inside is `mod.rs` among them, so that a folder holds all of it.
fn check_name(file: &SourceFile, files: &[SourceFile], problems: &mut Vec<Problem>) {
    let folder = file.path.replace(".rs", "/");
    let is_module = file.path.contains("/src/") || file.path.starts_with("src/");
    if is_module
        && files
            .iter()
            .any(|other| other.is_rust() && other.path.starts_with(&folder))
    {
        problems.push(file.problem(
            0,
            format!("has a folder beside it: it belongs there, as {folder}mod.rs"),
        ));
    }
}

fn check_head_comment(file: &SourceFile, problems: &mut Vec<Problem>) {
    // A build script or a file of a test's input may start with a plain comment; modules start with documentation.
    let starts_well = file
        .text
        .lines()
        .next()
        .is_some_and(|line| line.starts_with("//! ") && line.len() > 10);
    if !starts_well {
        problems.push(file.problem(
            1,
            "does not begin with a `//!` comment that says what the module is for",
        ));
    }
}

fn check_length(file: &SourceFile, problems: &mut Vec<Problem>) {
    let lines = file.text.lines().count();
    let listed = LONG_FILES.iter().any(|(path, _)| *path == file.path);
    if lines > MAX_LINES && !listed {
        problems.push(file.problem(0, format!("has {lines} lines, more than {MAX_LINES}")));
    }
    if lines <= MAX_LINES && listed {
        problems.push(file.problem(
            0,
            "is not long any more: take it off the list in xtask/src/tidy/sources.rs",
        ));
    }
}

/// A comment is as wide as code. One word that is wider, such as an address, may be.
fn check_comments(file: &SourceFile, problems: &mut Vec<Problem>) {
    for (index, line) in file.text.lines().enumerate() {
        let columns = line.chars().count();
        let words = line.split_whitespace().count();
        if columns > MAX_COMMENT_COLUMNS && line.trim_start().starts_with("//") && words > 2 {
            let message = format!("a comment of {columns} columns, more than {MAX_COMMENT_COLUMNS}");
            problems.push(file.problem(index + 1, message));
        }
    }
}

fn check_unsafe(file: &SourceFile, problems: &mut Vec<Problem>) {
    let listed = UNSAFE_FILES.iter().any(|(path, _)| *path == file.path);
    let first = file.text.lines().position(uses_unsafe);
    match first {
        Some(index) if !listed => problems.push(file.problem(index + 1, "contains `unsafe` but is not listed")),
        None if listed => {
            problems.push(file.problem(
                0,
                "contains no `unsafe` any more: take it off the list in xtask/src/tidy/sources.rs",
            ));
        }
        _ => {}
    }
}

/// Whether a line of code opens an unsafe block or item. The lint `unsafe_code` finds them all; this only says where
/// it may be switched off.
fn uses_unsafe(line: &str) -> bool {
    let code = line.split("//").next().unwrap_or_default();
    let mut words = code.split_whitespace().peekable();
    while let Some(word) = words.next() {
        let follows = words.peek().copied().unwrap_or_default();
        let opens = ["{", "fn", "impl", "trait", "extern"]
            .iter()
            .any(|start| follows.starts_with(start));
        if word.ends_with("unsafe") && !word.contains('"') && opens {
            return true;
        }
    }
    LINT_SWITCHES.iter().any(|switch| code.contains(switch))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn messages(text: &str) -> Vec<String> {
        let file = SourceFile::new("some/module.rs", text);
        let mut problems = Vec::new();
        check(&[file], &mut problems);
        // Entries of the lists are missing from this one-file repository.
        problems.retain(|problem| problem.path == "some/module.rs");
        problems.into_iter().map(|problem| problem.message).collect()
    }

    #[test]
    fn accepts_a_good_module() {
        assert!(messages("//! What this is for.\n\nfn f() {}\n").is_empty());
    }

    #[test]
    fn wants_modules_with_files_inside_to_be_among_them() {
        let file = |path: &str| SourceFile::new(path, "//! What this is for.\n");
        let mut problems = Vec::new();
        check(
            &[file("one/src/a.rs"), file("one/src/a/b.rs"), file("one/src/ab.rs")],
            &mut problems,
        );
        problems.retain(|problem| problem.path.starts_with("one/"));
        let paths: Vec<&str> = problems.iter().map(|problem| problem.path.as_str()).collect();
        assert_eq!(paths, ["one/src/a.rs"]);
    }

    #[test]
    fn wants_a_head_comment() {
        assert_eq!(messages("fn f() {}\n").len(), 1);
        assert_eq!(messages("").len(), 1);
        assert_eq!(messages("//! \n").len(), 1);
    }

    #[test]
    fn wants_short_files() {
        let text = format!("//! What this is for.\n{}", "\n".repeat(MAX_LINES));
        assert_eq!(messages(&text), ["has 801 lines, more than 800"]);
    }

    #[test]
    fn wants_narrow_comments() {
        let comment = |words: usize| format!("//! What this is for.\n\n    // {}\n", "word ".repeat(words).trim_end());
        assert!(messages(&comment(22)).is_empty());
        assert_eq!(messages(&comment(23)).len(), 1);
        assert!(messages(&format!("//! What this is for.\n\n// {}\n", "x".repeat(200))).is_empty());
    }

    #[test]
    fn finds_unsafe_code() {
        let keyword = "unsafe";
        for line in [
            "fn f() { KEY { g() } }",
            "pub KEY fn f();",
            "KEY impl Send for X {}",
            "let x = KEY { g() };",
        ] {
            assert!(uses_unsafe(&line.replace("KEY", keyword)), "{line}");
        }
        for line in ["// KEY { }", "//! KEY fn", "let KEYness = 1;", "\"KEY\""] {
            assert!(!uses_unsafe(&line.replace("KEY", keyword)), "{line}");
        }
    }
}
