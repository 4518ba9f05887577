//! The source files of a code base, and how clang compiles one of them.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, Result, ensure};

use super::code_bases::{CodeBase, SourceList};
use crate::corpus::{self, Level, fetch};
use crate::{machine, workspace};

/// A code base whose package is there.
#[derive(Debug)]
pub struct Sources {
    pub code_base: &'static CodeBase,
    /// The package, in which no file ever changes.
    pub package_dir: PathBuf,
    /// Where the headers are that the package's own build would make.
    configuration: PathBuf,
    /// All source files but the driver.
    pub files: Vec<PathBuf>,
}

impl Sources {
    /// Fetches the package and writes into `folder` what it lacks.
    pub fn prepare(code_base: &'static CodeBase, folder: &Path) -> Result<Sources> {
        let project = workspace::target_dir().join("corpus/wide/sources").join(code_base.name);
        let mut packages = fetch::fetch_packages(&project, [&code_base.package].into_iter())?;
        let package_dir = packages
            .remove(code_base.package.name)
            .context("cargo did not fetch a package it was told to")?;
        let configuration = folder.join("configuration");
        fs::create_dir_all(&configuration)?;
        for (name, text) in code_base.configuration {
            write_if_changed(&configuration.join(name), text)?;
        }
        let mut files = corpus::source_files(&package_dir, code_base.sources, code_base.exclude)?;
        if let Some(list) = &code_base.source_list {
            files.extend(listed(&package_dir, list, code_base.exclude)?);
        }
        if code_base.joined > 1 {
            files = join(&folder.join("joined"), &files, code_base.joined)?;
        }
        Ok(Sources {
            code_base,
            package_dir,
            configuration,
            files,
        })
    }

    /// The command that compiles a file at a level, without what is made of it.
    pub fn clang(&self, source: &Path, level: Level) -> Result<Command> {
        let mut clang = self.clang_with(source, level.options())?;
        clang.arg(machine::processor_option(level.processor()?));
        Ok(clang)
    }

    /// The command that compiles a file with `options` for the optimizer, without what is made of it.
    pub fn clang_with(&self, source: &Path, options: &[&str]) -> Result<Command> {
        let mut clang = machine::clang()?;
        clang.args(["-c", "-w", "-fPIE", "-ffunction-sections"]);
        clang.arg(machine::least_processor()?);
        clang.args(options).args(self.code_base.options);
        clang.arg(format!("-I{}", self.configuration.display()));
        let includes = self.code_base.includes.iter();
        clang.args(includes.map(|dir| format!("-I{}", self.package_dir.join(dir).display())));
        clang.arg(source);
        Ok(clang)
    }
}

/// The source files that a list of the package names, but for `exclude`.
fn listed(package_dir: &Path, list: &SourceList, exclude: &[&str]) -> Result<Vec<PathBuf>> {
    let path = package_dir.join(list.file);
    let text = fs::read_to_string(&path).with_context(|| path.display().to_string())?;
    let names = text.lines().map(|line| line.trim().trim_matches(['"', ',']));
    let files: Vec<_> = names
        .map(Path::new)
        .filter(|name| corpus::is_source(name))
        .filter(|name| !exclude.iter().any(|other| name.ends_with(other)))
        .map(|name| package_dir.join(list.folder).join(name))
        .collect();
    ensure!(!files.is_empty(), "{} names no source file", path.display());
    Ok(files)
}

/// Writes source files that include `count` of the others each.
fn join(folder: &Path, sources: &[PathBuf], count: usize) -> Result<Vec<PathBuf>> {
    let write = |(number, chunk): (usize, &[PathBuf])| {
        let lines = chunk
            .iter()
            .map(|source| format!("#include \"{}\"\n", source.display()));
        let ending = chunk[0].extension().unwrap_or_default().display();
        let path = folder.join(format!("part-{number}.{ending}"));
        write_if_changed(&path, &lines.collect::<String>())?;
        Ok(path)
    };
    sources.chunks(count).enumerate().map(write).collect()
}

/// Writes a file and the folder that it is in, but leaves it alone if that is what it says.
fn write_if_changed(path: &Path, text: &str) -> Result<()> {
    fs::create_dir_all(path.parent().context("a file without a folder")?)?;
    if fs::read_to_string(path).ok().as_deref() != Some(text) {
        fs::write(path, text)?;
    }
    Ok(())
}
