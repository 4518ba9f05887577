//! Links in Markdown files: every relative link leads to a file of the repository, and every `#part` to a heading.
//!
//! Only inline links are understood; links to the outside are left alone, since a test must not need the network.

use std::path::{Component, Path, PathBuf};

use super::{Problem, SourceFile};

/// Checks all Markdown files; `root` is the folder that paths are relative to.
pub fn check(files: &[SourceFile], root: &Path, problems: &mut Vec<Problem>) {
    for file in files.iter().filter(|file| file.path.ends_with(".md")) {
        for (line, target) in links(&file.text) {
            if let Err(message) = resolve(files, root, file, target) {
                problems.push(file.problem(line, message));
            }
        }
    }
}

/// The targets of all inline links with their line numbers, code left out.
fn links(text: &str) -> Vec<(usize, &str)> {
    let mut found = Vec::new();
    let mut in_code = false;
    for (index, line) in text.lines().enumerate() {
        if line.trim_start().starts_with("```") {
            in_code = !in_code;
        }
        if in_code {
            continue;
        }
        // Pieces between backticks are code; every second one.
        for piece in line.split('`').step_by(2) {
            let mut rest = piece;
            while let Some((_, after)) = rest.split_once("](") {
                let Some((target, remaining)) = after.split_once(')') else {
                    break;
                };
                found.push((index + 1, target.split(' ').next().unwrap_or_default()));
                rest = remaining;
            }
        }
    }
    found
}

fn resolve(files: &[SourceFile], root: &Path, from: &SourceFile, target: &str) -> Result<(), String> {
    if target.contains("://") || target.starts_with("mailto:") {
        return Ok(());
    }
    let (path, part) = target.split_once('#').unwrap_or((target, ""));
    let full = if path.is_empty() {
        PathBuf::from(&from.path)
    } else {
        normalized(&Path::new(&from.path).with_file_name(path))
    };
    let known = files.iter().find(|file| Path::new(&file.path) == full);
    if known.is_none() && !root.join(&full).exists() {
        return Err(format!("the link `{target}` leads to no file"));
    }
    let heading_exists = known.is_some_and(|file| headings(&file.text).any(|heading| heading == part));
    if part.is_empty() || heading_exists {
        Ok(())
    } else {
        Err(format!("the link `{target}` leads to no heading"))
    }
}

/// The path without `.` and `..`.
fn normalized(path: &Path) -> PathBuf {
    let mut result = PathBuf::new();
    for component in path.components() {
        match component {
            Component::ParentDir => {
                result.pop();
            }
            Component::CurDir => {}
            other => result.push(other),
        }
    }
    result
}

/// The names by which links refer to the headings: small letters, hyphens for spaces, no punctuation.
fn headings(text: &str) -> impl Iterator<Item = String> + '_ {
    text.lines().filter(|line| line.starts_with('#')).map(|line| {
        let title = line.trim_start_matches('#').trim().to_lowercase();
        let kept = title
            .chars()
            .filter(|c| c.is_alphanumeric() || matches!(c, ' ' | '-' | '_'));
        kept.map(|c| if c == ' ' { '-' } else { c }).collect()
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn messages(text: &str) -> Vec<String> {
        let files = [
            SourceFile::new("xtask/page.md", text),
            SourceFile::new("README.md", "# The First Part, of two\n"),
        ];
        let mut problems = Vec::new();
        check(&files, &crate::workspace::root(), &mut problems);
        problems.into_iter().map(|problem| problem.message).collect()
    }

    #[test]
    fn accepts_links_that_lead_somewhere() {
        assert!(messages("[a](Cargo.toml), [b](../Cargo.toml), [c](https://example.org/x#y), [d](src)\n").is_empty());
        assert!(messages("# Here\n[a](#here)\n").is_empty());
        assert!(messages("`[code](nowhere)`\n```\n[code](nowhere)\n```\n").is_empty());
    }

    #[test]
    fn finds_links_that_lead_nowhere() {
        assert_eq!(
            messages("[a](nowhere.md)\n"),
            ["the link `nowhere.md` leads to no file"]
        );
        assert_eq!(
            messages("# Here\n[a](#there)\n"),
            ["the link `#there` leads to no heading"]
        );
    }

    #[test]
    fn names_headings() {
        assert_eq!(
            headings("text\n## The First Part, of two\n").collect::<Vec<_>>(),
            ["the-first-part-of-two"]
        );
    }
}
