//! What any text file may contain: no white space at the ends of lines, no foreign line ends, no tabs in Rust code,
//! and nothing that belongs to one machine or one package registry.

use super::{Problem, SourceFile};

/// Starts of absolute paths of one machine. Split, so that this file does not contain them.
const MACHINE_PATHS: [&str; 4] = [
    concat!("/wo", "rk/"),
    concat!("/ro", "ot/"),
    concat!("/ho", "me/"),
    concat!("/t", "mp/"),
];

/// Hosts of package registries and mirrors, which differ from place to place.
const REGISTRY_HOSTS: [&str; 5] = [
    concat!("crates", ".io"),
    concat!("pypi", ".org"),
    concat!("registry", ".npmjs"),
    concat!("deb", ".debian.org"),
    concat!("static", ".rust-lang.org"),
];

/// Files that a tool writes, which name its registry.
const GENERATED: [&str; 1] = ["Cargo.lock"];

/// Checks all text files.
pub fn check(files: &[SourceFile], problems: &mut Vec<Problem>) {
    for file in files {
        for (index, line) in file.text.split('\n').enumerate() {
            check_line(file, index + 1, line, problems);
        }
        if !file.text.is_empty() && !file.text.ends_with('\n') {
            problems.push(file.problem(0, "does not end with a line end"));
        }
        if file.text.ends_with("\n\n") {
            problems.push(file.problem(0, "ends with an empty line"));
        }
    }
}

fn check_line(file: &SourceFile, number: usize, line: &str, problems: &mut Vec<Problem>) {
    if line.ends_with([' ', '\t', '\r']) {
        problems.push(file.problem(number, "white space at the end of the line"));
    }
    if file.is_rust() && line.contains('\t') {
        problems.push(file.problem(number, "a tab"));
    }
    if MACHINE_PATHS.iter().any(|path| has_absolute_path(line, path)) {
        problems.push(file.problem(number, "an absolute path of one machine"));
    }
    let generated = GENERATED.contains(&file.path.as_str());
    if !generated && REGISTRY_HOSTS.iter().any(|host| line.contains(host)) {
        problems.push(file.problem(number, "the host of a package registry"));
    }
}

/// Whether `start` begins a path in `line`, and is not the middle of a longer one such as `a/b` in `frame/a/b`.
fn has_absolute_path(line: &str, start: &str) -> bool {
    line.match_indices(start).any(|(at, _)| {
        let before = line[..at].chars().next_back();
        !before.is_some_and(|c| c.is_alphanumeric() || matches!(c, '.' | '_' | '-' | '/' | '>' | '}' | ')'))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn messages(path: &str, text: &str) -> Vec<String> {
        let mut problems = Vec::new();
        check(&[SourceFile::new(path, text)], &mut problems);
        problems.into_iter().map(|problem| problem.message).collect()
    }

    #[test]
    fn accepts_plain_text() {
        assert!(messages("a.md", "One line.\n\nAnother one.\n").is_empty());
        assert!(messages("empty", "").is_empty());
    }

    #[test]
    fn finds_stray_characters() {
        assert_eq!(messages("a.md", "One \n"), ["white space at the end of the line"]);
        assert_eq!(messages("a.md", "One\r\n"), ["white space at the end of the line"]);
        assert_eq!(messages("a.md", "One"), ["does not end with a line end"]);
        assert_eq!(messages("a.md", "One\n\n"), ["ends with an empty line"]);
        assert_eq!(messages("a.rs", "\tx\n"), ["a tab"]);
        assert!(messages("Makefile", "\tx\n").is_empty());
    }

    #[test]
    fn finds_paths_and_hosts() {
        for path in MACHINE_PATHS {
            assert_eq!(
                messages("a.md", &format!("see {path}x\n")),
                ["an absolute path of one machine"]
            );
            assert!(messages("a.md", &format!("see a{path}x\n")).is_empty());
        }
        for host in REGISTRY_HOSTS {
            assert_eq!(
                messages("a.md", &format!("from {host}/x\n")),
                ["the host of a package registry"]
            );
            assert!(messages("Cargo.lock", &format!("from {host}/x\n")).is_empty());
        }
    }
}
