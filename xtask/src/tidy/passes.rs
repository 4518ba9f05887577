//! Every pass has one name, and everything that a pass must have: its name is that of its file, it is registered, it
//! has a row in the documentation, and file tests. A place in a recipe is for those that have shown what they gain.

use super::{Problem, SourceFile};

/// Where passes of a kind are.
struct Kind {
    /// The folder of their files.
    folder: &'static str,
    /// The folder of their file tests.
    tests: &'static str,
}

const KINDS: [Kind; 2] = [
    Kind {
        folder: "passes/src/opt/",
        tests: "tests/filetests/opt/",
    },
    Kind {
        folder: "passes/src/mach/",
        tests: "tests/filetests/mach/",
    },
];

/// The documentation, with one row for each pass.
const TABLE: &str = "passes/PASSES.md";

/// Checks all passes.
pub fn check(files: &[SourceFile], problems: &mut Vec<Problem>) {
    let mut names = Vec::new();
    for kind in &KINDS {
        for file in files {
            let Some(stem) = file
                .path
                .strip_prefix(kind.folder)
                .and_then(|name| name.strip_suffix("/mod.rs").or_else(|| name.strip_suffix(".rs")))
            else {
                continue;
            };
            // Other files are parts of passes.
            if stem.contains('/') || !file.text.contains("pub const INFO: PassInfo") {
                continue;
            }
            let name = stem.replace('_', "-");
            check_pass(files, kind, file, stem, &name, problems);
            names.push(name);
        }
    }
    let table = files.iter().find(|file| file.path == TABLE);
    for (line, row) in table.into_iter().flat_map(rows) {
        if !names.iter().any(|name| name == row) {
            let message = format!("describes the pass `{row}`, which does not exist");
            problems.extend(table.map(|file| file.problem(line, message)));
        }
    }
}

fn check_pass(
    files: &[SourceFile],
    kind: &Kind,
    file: &SourceFile,
    stem: &str,
    name: &str,
    problems: &mut Vec<Problem>,
) {
    let text_of = |path: &str| {
        files
            .iter()
            .find(|file| file.path == path)
            .map_or("", |file| &file.text)
    };
    if !file.text.contains(&format!("name: \"{name}\"")) {
        problems.push(file.problem(0, format!("a pass in this file must be called `{name}`")));
    }
    let registry = format!("{}mod.rs", kind.folder);
    if !text_of(&registry).contains(&format!("{stem}::INFO")) {
        problems.push(file.problem(0, format!("the pass is not registered in {registry}")));
    }
    let table = files.iter().find(|file| file.path == TABLE);
    if !table.into_iter().flat_map(rows).any(|(_, row)| row == name) {
        problems.push(file.problem(0, format!("the pass has no row in {TABLE}")));
    }
    let tests = format!("{}{name}/", kind.tests);
    let mut cases = files.iter().filter(|file| file.path.starts_with(&tests));
    if !cases.any(|case| case.text.contains(&format!(" {name}"))) {
        problems.push(file.problem(0, format!("the pass has no file tests in {tests}")));
    }
}

/// The names in the first column of the table, with their line numbers.
fn rows(table: &SourceFile) -> impl Iterator<Item = (usize, &str)> {
    let lines = table.text.lines().enumerate();
    lines.filter_map(|(index, line)| Some((index + 1, line.strip_prefix("| `")?.split_once('`')?.0)))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn messages(files: &[SourceFile]) -> Vec<String> {
        let mut problems = Vec::new();
        check(files, &mut problems);
        problems.into_iter().map(|problem| problem.message).collect()
    }

    #[test]
    fn a_pass_has_everything() {
        let mut files = vec![
            SourceFile::new(
                "passes/src/opt/mod.rs",
                "registry.function(a_pass::INFO, a_pass::make);",
            ),
            SourceFile::new(
                "passes/src/opt/a_pass.rs",
                "pub const INFO: PassInfo = { name: \"a-pass\",",
            ),
            SourceFile::new("passes/src/opt/a_pass/part.rs", ""),
            SourceFile::new("passes/PASSES.md", "| Pass |\n|---|\n| `a-pass` | does it |\n"),
            SourceFile::new("tests/filetests/opt/a-pass/one.fzl", "; test opt a-pass\n"),
        ];
        assert_eq!(messages(&files), Vec::<String>::new());
        files[1].text = "pub const INFO: PassInfo = { name: \"other\",".to_owned();
        assert_eq!(messages(&files), ["a pass in this file must be called `a-pass`"]);
        files[1].text = "pub const INFO: PassInfo = { name: \"a-pass\",".to_owned();
        files.truncate(2);
        assert_eq!(messages(&files).len(), 2);
    }

    #[test]
    fn a_row_without_a_pass_is_found() {
        let files = [SourceFile::new("passes/PASSES.md", "| `gone` | did it |\n")];
        assert_eq!(messages(&files), ["describes the pass `gone`, which does not exist"]);
    }
}
