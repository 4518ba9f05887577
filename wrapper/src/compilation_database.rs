//! `-MJ` and `-gen-cdb-fragment-path`: entries of a compilation database, which clang does not write when it only
//! plans.
//!
//! An entry says what a source is compiled with: the words of the command line, but for those that name files, the
//! language or what is written beside the output. It is clang's, word for word, so that tools which read such files see
//! no difference.

use crate::command_line::CommandLine;
use crate::plan::Job;
use serde_json::{Value, json};
use std::ffi::OsStr;
use std::fs::File;
use std::io::{self, Write};
use std::path::Path;

/// Options that are left out: they are about files beside the output, or say what the entry says already.
const LEFT_OUT: &[&str] = &["-M", "-MM", "-MD", "-MMD", "-MG", "-MP", "-MV"];
/// The same, with the word after them.
const LEFT_OUT_WITH_VALUE: &[&str] = &["-MF", "-MT", "-MQ", "-MJ", "-o", "-x", "-gen-cdb-fragment-path"];
/// How such options begin when their value is joined.
const LEFT_OUT_JOINED: &[&str] = &["-MF", "-MT", "-MQ", "-MJ", "-o", "-x"];
/// Where entries go, each to a file of its own.
const FRAGMENTS: &str = "-gen-cdb-fragment-path";

/// Writes the entries of all sources that the jobs compile, if the command line asks for them.
///
/// # Errors
/// The operating system's, with the file.
pub fn write(line: &CommandLine, jobs: &[Job]) -> io::Result<()> {
    let folder = line.value(FRAGMENTS);
    let path = line.value("-MJ").or_else(|| line.joined("-MJ"));
    if folder.is_none() && path.is_none() {
        return Ok(());
    }
    let about = |path: &Path, error: io::Error| io::Error::new(error.kind(), format!("{}: {error}", path.display()));
    let compiled = jobs.iter().filter(|job| !job.options().is_empty());
    let entries = compiled.map(|job| Ok((job, entry(line, job)?)));
    let entries: Vec<(&Job, String)> = entries.collect::<io::Result<_>>()?;
    if let Some(path) = path.map(Path::new) {
        let text: String = entries.iter().map(|(_, entry)| format!("{entry},\n")).collect();
        let written = File::create(path).and_then(|mut file| file.write_all(text.as_bytes()));
        written.map_err(|error| about(path, error))?;
    }
    if let Some(folder) = folder.map(Path::new) {
        for (job, entry) in &entries {
            write_fragment(folder, job, entry).map_err(|error| about(folder, error))?;
        }
    }
    Ok(())
}

/// Writes an entry to a file with a name that is not there yet.
fn write_fragment(folder: &Path, job: &Job, entry: &str) -> io::Result<()> {
    std::fs::create_dir_all(folder)?;
    let source = Path::new(job.source()).file_name().unwrap_or_default();
    let prefix = format!("{}.", source.display());
    let mut file = tempfile::Builder::new()
        .prefix(&prefix)
        .suffix(".json")
        .rand_bytes(4)
        .tempfile_in(folder)?;
    writeln!(file, "{entry},")?;
    file.keep().map_err(|failure| failure.error)?;
    Ok(())
}

/// One source: an object of JSON in one line.
fn entry(line: &CommandLine, job: &Job) -> io::Result<String> {
    let text = |word: &OsStr| Value::from(word.to_string_lossy());
    let folder = std::env::current_dir()?;
    let mut arguments = vec![text(job.words[0].as_os_str())];
    if let Some(language) = job.value("-x") {
        arguments.push(Value::from(format!("-x{}", language.display())));
    }
    arguments.push(text(job.source()));
    if let Some(output) = job.output() {
        arguments.extend([Value::from("-o"), text(output)]);
    }
    arguments.extend(kept(line).into_iter().map(text));
    // Where clang links, too, it adds this to the command line.
    if let (Some(folder), None) = (job.value("-dumpdir"), line.value("-dumpdir")) {
        arguments.extend([Value::from("-dumpdir"), text(folder)]);
    }
    if let Some(triple) = job.value("-triple") {
        arguments.push(Value::from(format!("--target={}", triple.display())));
    }
    let arguments: Vec<String> = arguments.iter().map(Value::to_string).collect();
    let output = job
        .output()
        .map_or(String::new(), |output| format!(", \"output\": {}", text(output)));
    Ok(format!(
        "{{ \"directory\": {}, \"file\": {}{output}, \"arguments\": [{}]}}",
        json!(folder.to_string_lossy()),
        text(job.source()),
        arguments.join(", ")
    ))
}

/// The words of the command line that an entry repeats.
fn kept(line: &CommandLine) -> Vec<&OsStr> {
    let mut kept = Vec::new();
    for words in line.groups() {
        let option = words[0].to_string_lossy();
        let is_left_out = LEFT_OUT.contains(&option.as_ref())
            || LEFT_OUT_WITH_VALUE.contains(&option.as_ref())
            || LEFT_OUT_JOINED.iter().any(|start| option.starts_with(start));
        if !is_left_out && option.starts_with('-') && option != "-" {
            kept.extend(words.iter().map(|word| word.as_os_str()));
        }
    }
    kept
}
