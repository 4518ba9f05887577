//! `cargo xtask tidy`: the rules about the source that no compiler checks.
//!
//! Which crate may use which (`dependencies`), that all commands build packages alike (`features`), that no modules use
//! each other in a circle (`modules`), what a source file looks like (`sources`), which items have documentation and
//! that it says something (`documentation`), what any text may contain (`text`), what a pass must have (`passes`), that
//! refusals say what they are for (`refusals`), that shared crates name no target (`target_names`), and whether the
//! documents' links lead anywhere (`links`). Every exception is in a list beside its rule, with a reason, and an
//! exception that is not needed any more is itself a problem. Runs as a test of this crate too.

mod dependencies;
mod documentation;
mod features;
mod links;
mod modules;
mod passes;
mod refusals;
mod sources;
mod target_names;
mod text;

use std::cell::OnceCell;
use std::fmt;
use std::fs;
use std::path::Path;

use anyhow::{Result, bail};
use pico_args::Arguments;

use crate::{process, workspace};

/// A broken rule.
#[derive(Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Problem {
    /// Relative to the workspace.
    path: String,
    /// Counted from 1; 0 if the problem is about the file as a whole.
    line: usize,
    message: String,
}

impl fmt::Display for Problem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.line {
            0 => write!(f, "{}: {}", self.path, self.message),
            line => write!(f, "{}:{line}: {}", self.path, self.message),
        }
    }
}

/// A text file of the repository.
struct SourceFile {
    /// Relative to the workspace, with `/`.
    path: String,
    text: String,
    /// What [`Self::syntax`] found, once it was asked.
    syntax: OnceCell<Result<syn::File, syn::Error>>,
}

impl SourceFile {
    fn new(path: impl Into<String>, text: impl Into<String>) -> SourceFile {
        SourceFile {
            path: path.into(),
            text: text.into(),
            syntax: OnceCell::new(),
        }
    }

    /// The syntax of a Rust source, which several rules read.
    fn syntax(&self) -> Result<&syn::File, &syn::Error> {
        self.syntax.get_or_init(|| syn::parse_file(&self.text)).as_ref()
    }

    fn problem(&self, line: usize, message: impl Into<String>) -> Problem {
        Problem {
            path: self.path.clone(),
            line,
            message: message.into(),
        }
    }

    fn is_rust(&self) -> bool {
        self.path.ends_with(".rs")
    }
}

/// `cargo xtask tidy`.
pub fn command(arguments: Arguments) -> Result<bool> {
    if let Some(extra) = arguments.finish().first() {
        bail!("unexpected argument `{}`", extra.to_string_lossy());
    }
    let problems = all_problems()?;
    for problem in &problems {
        println!("{problem}");
    }
    println!("tidy: {} problems", problems.len());
    Ok(problems.is_empty())
}

/// `cargo xtask modules`: writes the list of modules.
pub fn write_modules(arguments: Arguments) -> Result<bool> {
    if let Some(extra) = arguments.finish().first() {
        bail!("unexpected argument `{}`", extra.to_string_lossy());
    }
    fs::write(
        workspace::root().join(modules::LIST),
        modules::list(&repository_files()?),
    )?;
    Ok(true)
}

fn all_problems() -> Result<Vec<Problem>> {
    let files = repository_files()?;
    let mut problems = dependencies::check()?;
    problems.extend(features::check()?);
    modules::check(&files, &mut problems);
    sources::check(&files, &mut problems);
    documentation::check(&files, &mut problems);
    text::check(&files, &mut problems);
    passes::check(&files, &mut problems);
    refusals::check(&files, &mut problems);
    target_names::check(&files, &mut problems);
    links::check(&files, &workspace::root(), &mut problems);
    problems.sort();
    Ok(problems)
}

/// The problems of sources, texts and passes that there would be with these files, each of which has its path.
#[cfg(test)]
pub fn problems_with(new: Vec<(String, String)>) -> Result<Vec<String>> {
    let mut files = repository_files()?;
    files.retain(|file| new.iter().all(|(path, _)| *path != file.path));
    files.extend(new.into_iter().map(|(path, text)| SourceFile::new(path, text)));
    let mut problems = Vec::new();
    sources::check(&files, &mut problems);
    text::check(&files, &mut problems);
    passes::check(&files, &mut problems);
    Ok(problems.iter().map(Problem::to_string).collect())
}

/// All text files that are in the repository or would be added to it.
fn repository_files() -> Result<Vec<SourceFile>> {
    let root = workspace::root();
    let mut git = std::process::Command::new("git");
    git.current_dir(&root)
        .args(["ls-files", "-z", "--cached", "--others", "--exclude-standard"]);
    let listed = process::checked(&mut git)?.stdout;
    let mut files = Vec::new();
    for path in String::from_utf8(listed)?.split('\0').filter(|path| !path.is_empty()) {
        files.extend(read_text(&root, path)?);
    }
    Ok(files)
}

/// `None` for a file that is no text, or that was deleted and not yet committed.
fn read_text(root: &Path, path: &str) -> Result<Option<SourceFile>> {
    let full = root.join(path);
    if !full.is_file() {
        return Ok(None);
    }
    let text = String::from_utf8(fs::read(full)?)
        .ok()
        .filter(|text| !text.contains('\0'));
    Ok(text.map(|text| SourceFile::new(path, text)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_workspace_is_tidy() {
        let problems: Vec<String> = all_problems().unwrap().iter().map(Problem::to_string).collect();
        assert!(problems.is_empty(), "\n{}", problems.join("\n"));
    }
}
