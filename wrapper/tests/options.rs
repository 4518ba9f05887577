//! Command lines that build systems use, through clang and through frazil-cc, in fresh folders: both must write the
//! same files, end with the same status, say the same warnings and errors, print the same, and what they make must do
//! the same.
//!
//! What is made: programs are run; objects and assembly text, which clang links alone if that is possible, too.
//! Contents are compared of files that are no code: preprocessed text and lists of dependencies.

#[path = "options/sources.rs"]
mod sources;
#[path = "options/table.rs"]
mod table;

use frazil_test_support::Folder;
use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::num::NonZero;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;

/// What a command line has come to.
#[derive(Debug, PartialEq, Eq)]
struct Outcome {
    code: Option<i32>,
    stdout: String,
    /// Warnings and errors.
    messages: BTreeSet<String>,
    files: BTreeSet<String>,
    /// Contents of text, and what programs did, by the names of files.
    contents: BTreeMap<String, String>,
}

/// A compiler under both of its names.
struct Names {
    c: PathBuf,
    plus_plus: PathBuf,
}

fn theirs() -> Names {
    Names {
        c: "clang-22".into(),
        plus_plus: "clang++-22".into(),
    }
}

fn ours(folder: &Folder) -> Names {
    let c = PathBuf::from(env!("CARGO_BIN_EXE_frazil-cc"));
    let plus_plus = folder.path("frazil-c++");
    std::os::unix::fs::symlink(&c, &plus_plus).expect("writable");
    Names { c, plus_plus }
}

/// Runs a command line of the table in a fresh folder.
fn run(line: &str, names: &Names, folder: &Path) -> (Output, Outcome) {
    let _ = fs::remove_dir_all(folder);
    for (name, text) in sources::FILES {
        let path = folder.join(name);
        fs::create_dir_all(path.parent().expect("in the folder")).expect("writable");
        fs::write(path, text).expect("writable");
    }
    let script = match line.strip_prefix("$ ") {
        Some(script) => script.to_owned(),
        None => format!("$CC {line}"),
    };
    let mut shell = Command::new("sh");
    shell.args(["-c", &script]).current_dir(folder).stdin(Stdio::null());
    shell
        .env("CC", &names.c)
        .env("CXX", &names.plus_plus)
        .env("LC_ALL", "C");
    // Temporary files are in the folder, so that those that are left behind are seen.
    let temporary = folder.join("tmp");
    fs::create_dir(&temporary).expect("writable");
    shell.env("TMPDIR", "tmp").env_remove("FRAZIL_CC_FALLBACK");
    let output = shell.output().expect("it starts");
    let files = files(folder);
    let mut contents = BTreeMap::new();
    for name in &files {
        if let Some(content) = content(folder, name) {
            contents.insert(name.clone(), content);
        }
    }
    let outcome = Outcome {
        code: output.status.code(),
        stdout: String::from_utf8_lossy(&output.stdout)
            .lines()
            .map(|line| format!("{line}\n"))
            .collect(),
        messages: messages(&output.stderr),
        files,
        contents,
    };
    (output, outcome)
}

/// The files that are there now and were not before.
fn files(folder: &Path) -> BTreeSet<String> {
    let mut found = BTreeSet::new();
    let mut folders = vec![folder.to_owned()];
    while let Some(next) = folders.pop() {
        for entry in fs::read_dir(next).expect("readable") {
            let path = entry.expect("readable").path();
            let name = path.strip_prefix(folder).expect("inside").display().to_string();
            match path.is_dir() {
                true => {
                    if name.starts_with("tmp/") {
                        found.insert(name);
                    }
                    folders.push(path);
                }
                false => drop(found.insert(name)),
            }
        }
    }
    sources::FILES.iter().for_each(|(name, _)| {
        found.remove(*name);
    });
    found
}

/// Of each message, what it is.
fn kinds(messages: &BTreeSet<String>) -> BTreeSet<&'static str> {
    let kinds = ["warning: ", "error: ", "remark: ", "undefined reference"];
    let known = |message: &String| kinds.into_iter().find(|kind| message.contains(kind));
    messages.iter().filter_map(known).collect()
}

/// Warnings and errors without the compiler's name.
fn messages(stderr: &[u8]) -> BTreeSet<String> {
    let text = String::from_utf8_lossy(stderr);
    let lines = text.lines().filter(|line| {
        ["warning: ", "error: ", "remark: "]
            .iter()
            .any(|kind| line.contains(kind))
            || line.contains("undefined reference")
    });
    lines
        .map(|line| {
            let own = ["clang-22: ", "clang++-22: ", "clang: ", "frazil-cc: "];
            let name = own.iter().find(|name| line.starts_with(**name));
            let line = name.map_or(line, |name| &line[name.len()..]);
            // The linker names temporary objects.
            match line.split_once(".o:") {
                Some((_, rest)) if line.contains("undefined reference") => rest.to_owned(),
                _ => line.to_owned(),
            }
        })
        .collect()
}

/// What a file holds or does, if that can be compared.
fn content(folder: &Path, name: &str) -> Option<String> {
    let path = folder.join(name);
    let bytes = fs::read(&path).ok()?;
    let extension = path.extension().and_then(|extension| extension.to_str());
    let is_program = fs::metadata(&path).ok()?.permissions().mode() & 0o111 != 0;
    match extension {
        Some("d" | "dep" | "i") => Some(String::from_utf8_lossy(&bytes).into_owned()),
        Some("s" | "o" | "bc") => {
            let program = folder.with_extension("linked");
            // What only links starts in a third of clang's time.
            let linker = if extension == Some("o") { "cc" } else { "clang-22" };
            let linked = Command::new(linker)
                .arg(&path)
                .args(["-w", "-lm", "-lstdc++", "-o"])
                .arg(&program)
                .output()
                .expect("clang starts");
            Some(match linked.status.success() {
                true => done(&program, folder),
                false => "cannot be linked alone".to_owned(),
            })
        }
        Some("so") => None,
        _ => (is_program && bytes.starts_with(b"\x7fELF")).then(|| done(&path, folder)),
    }
}

/// What a program does.
fn done(program: &Path, folder: &Path) -> String {
    let temporary = folder.join("tmp");
    // A new process of this one may still hold the file open for writing, for a moment.
    for _ in 0..50 {
        let output = Command::new(program)
            .env("TMPDIR", &temporary)
            .current_dir(&temporary)
            .output();
        match output {
            Ok(output) => {
                let text = String::from_utf8_lossy(&output.stderr);
                let reports = text
                    .lines()
                    .filter(|line| line.contains("runtime error") || line.contains("ERROR"));
                let reports: Vec<&str> = reports.collect();
                return format!(
                    "{} {} {reports:?}",
                    output.status,
                    String::from_utf8_lossy(&output.stdout)
                );
            }
            Err(error) if error.kind() == std::io::ErrorKind::ExecutableFileBusy => {
                thread::sleep(std::time::Duration::from_millis(20));
            }
            Err(error) => return error.to_string(),
        }
    }
    "is busy".to_owned()
}

/// What differs, in words.
fn difference(theirs: &Outcome, ours: &Outcome, same_words: bool) -> Option<String> {
    match () {
        () if theirs.code != ours.code => Some(format!(
            "status {:?} instead of {:?}; {:?}",
            ours.code, theirs.code, ours.messages
        )),
        () if theirs.files != ours.files => Some(format!("files {:?} instead of {:?}", ours.files, theirs.files)),
        () if kinds(&theirs.messages) != kinds(&ours.messages) || (same_words && theirs.messages != ours.messages) => {
            Some(format!(
                "messages {:#?} instead of {:#?}",
                ours.messages, theirs.messages
            ))
        }
        () if theirs.stdout != ours.stdout => Some(format!("prints\n{}\ninstead of\n{}", ours.stdout, theirs.stdout)),
        () => {
            let differ = |name: &&String| theirs.contents.get(*name) != ours.contents.get(*name);
            let name = theirs.contents.keys().chain(ours.contents.keys()).find(differ)?;
            let (ours, theirs) = (ours.contents.get(name), theirs.contents.get(name));
            Some(format!("{name}: {ours:?} instead of {theirs:?}"))
        }
    }
}

/// Runs the lines on all processors; the results are in the order of the lines.
fn on_all_processors<T: Send>(lines: usize, work: impl Fn(usize) -> T + Sync) -> Vec<T> {
    let (next, results) = (AtomicUsize::new(0), Mutex::new(BTreeMap::new()));
    thread::scope(|scope| {
        for _ in 0..thread::available_parallelism().map_or(1, NonZero::get) {
            scope.spawn(|| {
                loop {
                    let number = next.fetch_add(1, Ordering::Relaxed);
                    if number >= lines {
                        break;
                    }
                    let result = work(number);
                    results.lock().expect("no thread panics").insert(number, result);
                }
            });
        }
    });
    results.into_inner().expect("no thread panics").into_values().collect()
}

#[test]
fn command_lines_do_what_they_do_with_clang() {
    let folder = Folder::new("options");
    let (theirs, ours) = (theirs(), ours(&folder));
    let filter = std::env::var("OPTIONS_FILTER").unwrap_or_default();
    let other_words = table::IN_OTHER_WORDS.iter().map(|line| (*line, false));
    let same = table::SAME.iter().map(|line| (*line, true)).chain(other_words);
    let same: Vec<(&str, bool)> = same.filter(|(line, _)| line.contains(&filter)).collect();
    let differences = on_all_processors(same.len(), |number| {
        let (line, same_words) = same[number];
        // Messages and preprocessed text name the folder: both have the same one.
        let place = folder.path(&number.to_string());
        let (_, expected) = run(line, &theirs, &place);
        let (_, actual) = run(line, &ours, &place);
        let _ = fs::remove_dir_all(&place);
        difference(&expected, &actual, same_words).map(|difference| format!("{line}: {difference}"))
    });
    let differences: Vec<String> = differences.into_iter().flatten().collect();
    let total = same.len() + table::OTHER.len();
    // Shown when the test fails, or with --nocapture.
    eprintln!(
        "{}/{total} command lines do the same as with clang",
        same.len() - differences.len()
    );
    assert!(
        differences.is_empty(),
        "{}\n{} differ",
        differences.join("\n"),
        differences.len()
    );
    if filter.is_empty() {
        assert!(total >= 150 && same.len() * 100 >= total * 95, "{}/{total}", same.len());
    }
}

#[test]
fn what_differs_is_said() {
    let folder = Folder::new("other-options");
    let ours = ours(&folder);
    let failures = on_all_processors(table::OTHER.len(), |number| {
        let (line, says) = table::OTHER[number];
        let (output, outcome) = run(line, &ours, &folder.path(&number.to_string()));
        let text = String::from_utf8_lossy(&output.stderr).into_owned() + &outcome.stdout;
        let is_refused = says.contains("error: ");
        let is_right =
            text.contains(says) && output.status.success() != is_refused && (!is_refused || outcome.files.is_empty());
        (!is_right).then(|| format!("{line}: {:?} {:?}\n{text}", output.status, outcome.files))
    });
    let failures: Vec<String> = failures.into_iter().flatten().collect();
    assert!(failures.is_empty(), "{}", failures.join("\n"));
}
