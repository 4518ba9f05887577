//! `cargo xtask llvm-tests`: the tests of LLVM's own code generator as input.
//!
//! Of Debian's source package of LLVM, every text in `test/CodeGen/X86` and `test/CodeGen/Generic` is compiled with the
//! features and processors of its run lines ([`run_lines`]). What `llc-22` makes an x86-64 ELF object of, Frazil must
//! compile, too, or refuse by name; it may not crash or hang. The tests are small and strange, and nobody runs what
//! they compile to: they show what is missing, not what is wrong.
//!
//! A file counts as compiled if it is under every recipe with the features of each of its run lines. The verdicts of
//! llc and the bitcode are kept in the target folder.

mod run_lines;

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use anyhow::{Context, Result, bail};
use pico_args::Arguments;

use crate::compiler::Compiler;
use crate::projects::fetch;
use crate::share::Share;
use crate::{corpus, parallel, process, workspace};
use run_lines::RunLine;

/// The source package, and what is wanted of it.
const PACKAGE: &str = "llvm-toolchain-22";
const FOLDERS: [&str; 2] = ["llvm/test/CodeGen/X86", "llvm/test/CodeGen/Generic"];

const RECIPES: [&str; 2] = ["Om1", "O2"];
const TRIPLE: &str = "x86_64-unknown-linux-gnu";
/// The part of all files that llc compiles which must compile.
const LEAST_COMPILED: f64 = 0.85;
/// How many reasons are shown.
const SHOWN: usize = 60;
/// No test keeps a compiler busy for longer.
const TIME_LIMIT: Duration = Duration::from_secs(60);

/// A file with the features and processor of a run line.
struct Case {
    file: usize,
    /// Its number among those of the file.
    number: usize,
    run: RunLine,
}

/// What became of a case.
enum Verdict {
    Compiled,
    /// llc does not compile it, or a module cannot be made of it.
    Useless,
    /// The refusal's code and what it speaks of.
    Refused(String),
    Crashed(String),
}

/// What was found of all cases.
#[derive(Default)]
struct Report {
    /// Files that llc compiles in some way.
    files: BTreeSet<usize>,
    /// Files that Frazil refuses in some way, by reason.
    refused: BTreeMap<String, BTreeSet<usize>>,
    crashed: BTreeSet<usize>,
}

/// `cargo xtask llvm-tests [FILTER]` with the options of [`Share`] and [`Compiler::list_from_arguments`].
pub fn command(mut arguments: Arguments) -> Result<bool> {
    let compilers = Compiler::list_from_arguments(&mut arguments, &RECIPES)?;
    let mut share = Share::from_arguments(&mut arguments)?;
    let filter = corpus::filter(arguments)?;
    let dir = workspace::target_dir().join("llvm-tests");
    let source = fetch::fetch_files(PACKAGE, &FOLDERS, &dir)?;
    let files = files(&source, &filter)?;
    let cases = cases(&files)?;
    let order = share.order(cases.len());
    let (next, report) = (AtomicUsize::new(0), Mutex::new(Report::default()));
    share.begin();
    parallel::repeat(|| {
        let place = next.fetch_add(1, Ordering::Relaxed);
        let Some(&number) = order.get(place).filter(|_| share.has_time()) else {
            return Ok(false);
        };
        let case = &cases[number];
        let path = &files[case.file];
        let name = path.strip_prefix(&source).unwrap_or(path).display().to_string();
        let stem = format!("{}-{}.bc", name.replace('/', "-"), case.number);
        let verdicts =
            test(path, &case.run, &dir.join("modules").join(stem), &compilers).with_context(|| name.clone())?;
        let mut report = report.lock().expect("no thread panics while it reports");
        for verdict in verdicts {
            match &verdict {
                Verdict::Crashed(why) => println!("{name} {}: {why}", case.run),
                Verdict::Refused(why) if !filter.is_empty() => println!("{name} {}: {why}", case.run),
                _ => {}
            }
            report.add(case.file, verdict);
        }
        Ok(true)
    })?;
    let made = next.into_inner().min(cases.len());
    let report = report.into_inner().expect("no thread panics while it reports");
    let is_share = share.limit().is_some() || !filter.is_empty();
    Ok(report.print(&share.report("files with features", made, cases.len()), is_share))
}

/// The texts whose path contains the filter.
fn files(source: &Path, filter: &str) -> Result<Vec<PathBuf>> {
    let mut found = Vec::new();
    let mut folders: Vec<PathBuf> = FOLDERS.iter().map(|folder| source.join(folder)).collect();
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(&folder).with_context(|| folder.display().to_string())? {
            let path = entry?.path();
            if path.is_dir() {
                folders.push(path);
            } else if path.extension().is_some_and(|extension| extension == "ll")
                && path.to_string_lossy().contains(filter)
            {
                found.push(path);
            }
        }
    }
    found.sort();
    if found.is_empty() {
        bail!("no file's name contains `{filter}`");
    }
    Ok(found)
}

fn cases(files: &[PathBuf]) -> Result<Vec<Case>> {
    let mut cases = Vec::new();
    for (file, path) in files.iter().enumerate() {
        let text = fs::read(path).with_context(|| path.display().to_string())?;
        let runs = run_lines::of(&String::from_utf8_lossy(&text));
        let of_file = runs.into_iter().enumerate();
        cases.extend(of_file.map(|(number, run)| Case { file, number, run }));
    }
    Ok(cases)
}

/// Compiles a file by all compilers; other files begin with `stem`.
fn test(path: &Path, run: &RunLine, stem: &Path, compilers: &[Compiler]) -> Result<Vec<Verdict>> {
    let file = |extension: &str| stem.with_extension(extension);
    let (bitcode, object, verdict) = (file("bc"), file("o"), file("llc"));
    if !verdict.is_file() {
        fs::create_dir_all(stem.parent().context("a folder")?)?;
        let mut assemble = workspace::llvm_tool("llvm-as-22")?;
        let is_module = process::run(assemble.arg(path).arg("-o").arg(&bitcode), TIME_LIMIT)?.success();
        let mut llc = workspace::llvm_tool("llc-22")?;
        llc.args(["-O0", "-filetype=obj", "-relocation-model=pic"]);
        llc.arg(format!("-mtriple={TRIPLE}")).args(run.options());
        let compiles = is_module && process::run(llc.arg(&bitcode).arg("-o").arg(&object), TIME_LIMIT)?.success();
        fs::write(&verdict, compiles.to_string())?;
    }
    if fs::read_to_string(&verdict)? != "true" {
        return Ok(vec![Verdict::Useless]);
    }
    compilers
        .iter()
        .map(|compiler| {
            let mut command = compiler.command(&bitcode, &object)?;
            command.arg(format!("--mtriple={TRIPLE}")).args(run.options());
            let outcome = process::run(&mut command, TIME_LIMIT)?;
            let message = outcome.first_error_line();
            let is_crash = outcome.status.is_none_or(|status| status.code() != Some(1))
                || message.contains("internal error")
                || !message.starts_with("frazil: error: ");
            Ok(match outcome.success() {
                true => Verdict::Compiled,
                false if is_crash => Verdict::Crashed(format!("{}: {}: {message}", compiler.name(), outcome.ending())),
                false => Verdict::Refused(reason(&message)),
            })
        })
        .collect()
}

/// What a refusal speaks of, after its code, without names and places.
fn reason(message: &str) -> String {
    let code = message
        .rsplit_once('[')
        .map_or("", |(_, code)| code.trim_end_matches(']'));
    let code = if code.starts_with("FZ") { code } else { "      " };
    let start = ["not supported: ", ".bc: "]
        .iter()
        .find_map(|word| message.find(word).map(|at| at + word.len()));
    let what = message.get(start.unwrap_or(0)..).unwrap_or_default();
    let what = match what.strip_prefix("function @").and_then(|rest| rest.split_once(": ")) {
        Some((_, what)) => what,
        None => what,
    };
    let ends = [" [FZ", " (i", " (at bit"].iter().filter_map(|word| what.find(word));
    format!("{code} {}", &what[..ends.min().unwrap_or(what.len())])
}

impl Report {
    fn add(&mut self, file: usize, verdict: Verdict) {
        match verdict {
            Verdict::Useless => return,
            Verdict::Compiled => {}
            Verdict::Refused(why) => {
                self.refused.entry(why).or_default().insert(file);
            }
            Verdict::Crashed(_) => {
                self.crashed.insert(file);
            }
        }
        self.files.insert(file);
    }

    /// Prints the reasons, those of the most files first, and the counts; whether all is well. A share says too little
    /// of how many files compile.
    fn print(&self, share: &str, is_share: bool) -> bool {
        let mut reasons: Vec<_> = self.refused.iter().collect();
        reasons.sort_by_key(|(why, files)| (usize::MAX - files.len(), why.as_str()));
        for (why, files) in reasons.iter().take(SHOWN) {
            println!("{:>5} x {why}", files.len());
        }
        if let Some(rest) = reasons.len().checked_sub(SHOWN).filter(|&rest| rest > 0) {
            println!("and {rest} more reasons");
        }
        let refused: BTreeSet<usize> = self.refused.values().flatten().copied().collect();
        let compiled = self
            .files
            .iter()
            .filter(|file| !refused.contains(file) && !self.crashed.contains(file));
        let compiled = compiled.count();
        let part = compiled as f64 / self.files.len().max(1) as f64;
        println!("{share}");
        println!(
            "of {} files that llc compiles, {compiled} compile ({:.1} %), {} are refused, {} crash",
            self.files.len(),
            part * 100.0,
            refused.len(),
            self.crashed.len()
        );
        self.crashed.is_empty() && (is_share || part >= LEAST_COMPILED)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reasons_are_told_apart_without_names() {
        let message = "frazil: error: a.bc: function @f: not supported: type <2 x i3> (i1: load) [FZ0105]";
        assert_eq!(reason(message), "FZ0105 type <2 x i3>");
        let message = "frazil: error: a/b.bc: function @f: a value of type x86_amx (at bit 7, in the module) [FZ0102]";
        assert_eq!(reason(message), "FZ0102 a value of type x86_amx");
    }

    #[test]
    fn files_count_once_and_crashes_are_failures() {
        let mut report = Report::default();
        for file in 0..20 {
            report.add(file, Verdict::Compiled);
        }
        report.add(0, Verdict::Refused("x".to_owned()));
        report.add(0, Verdict::Refused("y".to_owned()));
        report.add(20, Verdict::Useless);
        assert!(report.print("", false) && report.files.len() == 20);
        report.add(1, Verdict::Crashed(String::new()));
        assert!(!report.print("", true));
    }
}
