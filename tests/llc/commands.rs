//! Command lines of llc, run by `llc-22` and by `frazil-llc`: which files there are, how they are named, the status,
//! what kind of output is written, and what the result does.
//!
//! [The table](commands.txt) has a row for each. At least 95 of 100 are the same; each of the others is refused by name
//! with advice, and the table has it. Nothing that is taken may be ignored, so results are linked and run, or their
//! symbols and sections compared.

use frazil_test_support::{Folder, names};
use object::{Object, ObjectSection, ObjectSymbol, SectionKind, SymbolKind};
use std::collections::{BTreeSet, HashMap};
use std::fs::{self, File};
use std::os::unix::fs::symlink;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};

const TABLE: &str = include_str!("commands.txt");
const PROGRAM: &str = include_str!("in.ll");
const PLAIN: &str = include_str!("plain.ll");

/// Of 100 rows, how many must be the same.
const MIN_SAME: usize = 95;
const MIN_ROWS: usize = 200;

/// What is compared.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Check {
    Run,
    Symbols,
    Files,
    Says,
    Refused,
}

/// A row of the table.
struct Row {
    check: Check,
    line: &'static str,
    words: Vec<&'static str>,
    /// The file for standard input.
    input: Option<&'static str>,
    advice: &'static str,
}

fn rows() -> Vec<Row> {
    let lines = TABLE.lines().filter(|line| !line.is_empty() && !line.starts_with('#'));
    let rows = lines.map(|line| {
        let mut columns = line.split('|').map(str::trim);
        let check = match columns.next() {
            Some("run") => Check::Run,
            Some("symbols") => Check::Symbols,
            Some("files") => Check::Files,
            Some("says") => Check::Says,
            Some("refused") => Check::Refused,
            _ => panic!("{line}: what is compared?"),
        };
        let line = columns.next().expect("the words");
        let mut words: Vec<&str> = line.split_whitespace().collect();
        let place = words.iter().position(|word| *word == "<");
        let input = place.map(|place| words.drain(place..).nth(1).expect("a file"));
        Row {
            check,
            line,
            words,
            input,
            advice: columns.next().unwrap_or_default(),
        }
    });
    rows.collect()
}

/// What all rows read.
struct Inputs {
    folder: Folder,
    /// Links to this program by the name of llc, and what stands for the helper that has LLVM read text.
    tools: Folder,
}

impl Inputs {
    fn new() -> Inputs {
        let (folder, tools) = (Folder::new("llc-inputs"), Folder::new("llc-tools"));
        for (name, text) in [("in", PROGRAM), ("plain", PLAIN)] {
            let source = folder.write(&format!("{name}.ll"), text);
            let bitcode = folder.path(&format!("{name}.bc"));
            frazil_test_support::run(Command::new("llvm-as-22").arg(source).arg("-o").arg(bitcode));
        }
        let bitcode = fs::read(folder.path("in.bc")).expect("just written");
        for name in ["in.opt", "in.bc.gz", "plain"] {
            folder.write(name, &bitcode);
        }
        folder.write("broken.bc", &bitcode[..bitcode.len() / 2]);
        folder.write("broken.ll", "define i32 @f() {\n  ret i64 0\n}\n");
        folder.write("options", "-O1 \"in.bc\"\n");
        symlink(env!("CARGO_BIN_EXE_frazil"), tools.path("frazil-llc")).expect("links work");
        // What the helper is asked for last is the input.
        tools.script(
            "helper",
            "#!/bin/sh\nfor last; do :; done\nexec llvm-as-22 -o - \"$last\"\n",
        );
        Inputs { folder, tools }
    }

    fn names(&self) -> BTreeSet<String> {
        self.folder.names().into_iter().collect()
    }
}

/// What a program did in a folder of its own.
struct Done {
    /// Where the outputs are.
    _folder: Folder,
    worked: bool,
    /// New files, with standard output by the name `-` if something was written there.
    outputs: Vec<(String, PathBuf)>,
    messages: String,
}

fn perform(program: &Path, row: &Row, inputs: &Inputs) -> Done {
    let folder = Folder::new("llc-row");
    for name in inputs.names() {
        symlink(inputs.folder.path(&name), folder.path(&name)).expect("links work");
    }
    let streams = Folder::new("llc-streams");
    let out = streams.path("out");
    let mut command = Command::new(program);
    command
        .args(&row.words)
        .current_dir(&folder)
        .env("FRAZIL_LLVM", inputs.tools.path("helper"))
        .stdout(File::create(&out).expect("writable"))
        .stderr(Stdio::piped())
        .stdin(match row.input {
            Some(name) => File::open(inputs.folder.path(name)).expect("an input").into(),
            None => Stdio::null(),
        });
    let done = command.output().expect("it starts");
    let known = inputs.names();
    let new = names(folder.as_ref()).into_iter().filter(|name| !known.contains(name));
    let mut outputs: Vec<_> = new.map(|name| (name.clone(), folder.path(&name))).collect();
    let printed = fs::read(out).expect("just written");
    if !printed.is_empty() {
        outputs.push(("-".to_owned(), folder.write("standard output", printed)));
    }
    outputs.sort();
    Done {
        _folder: folder,
        worked: done.status.success(),
        outputs,
        messages: String::from_utf8_lossy(&done.stderr).into_owned(),
    }
}

/// Objects of texts and what programs do, by the bytes that they are made of: many rows give the same.
#[derive(Default)]
struct Seen {
    objects: Cache<Vec<u8>>,
    behaviors: Cache<String>,
}

/// What was made of bytes, or why nothing was.
type Cache<T> = Mutex<HashMap<Vec<u8>, Result<T, String>>>;

/// Looks something up, or makes it.
fn cached<T: Clone>(cache: &Cache<T>, bytes: &[u8], make: impl FnOnce() -> Result<T, String>) -> Result<T, String> {
    let found = cache.lock().expect("no panic").get(bytes).cloned();
    found.unwrap_or_else(|| {
        let made = make();
        cache.lock().expect("no panic").insert(bytes.to_vec(), made.clone());
        made
    })
}

impl Seen {
    /// What an output is, and as an object; assembly text must be accepted by an assembler.
    fn object(&self, path: &Path) -> Result<(&'static str, Vec<u8>), String> {
        let bytes = fs::read(path).expect("an output");
        if bytes.is_empty() {
            return Ok(("nothing", bytes));
        }
        if bytes.starts_with(b"\x7fELF") {
            return Ok(("an object", bytes));
        }
        let object = cached(&self.objects, &bytes, || {
            let folder = Folder::new("llc-assembled");
            let object = folder.path("out.o");
            made(Command::new("as").arg(path).arg("-o").arg(&object))?;
            Ok(fs::read(object).expect("just written"))
        });
        Ok(("assembly text", object?))
    }

    /// What a program does, and its status.
    fn behavior(&self, object: &[u8]) -> Result<String, String> {
        cached(&self.behaviors, object, || {
            let folder = Folder::new("llc-linked");
            let program = folder.path("program");
            let object = folder.write("in.o", object);
            made(
                Command::new("cc")
                    .arg("-no-pie")
                    .arg(object)
                    .arg("-lm")
                    .arg("-o")
                    .arg(&program),
            )?;
            let ran = Command::new(program).output().expect("it starts");
            Ok(format!(
                "{:?} {}",
                ran.status.code(),
                String::from_utf8_lossy(&ran.stdout)
            ))
        })
    }
}

/// Has a tool make something.
fn made(command: &mut Command) -> Result<(), String> {
    let output = command.output().expect("binutils and a compiler are there");
    match output.status.success() {
        true => Ok(()),
        false => Err(format!("{command:?}: {}", String::from_utf8_lossy(&output.stderr))),
    }
}

/// The symbols and the sections that are loaded, but for those whose names are up to the compiler.
fn symbols(object: &[u8]) -> Vec<String> {
    let file = object::File::parse(object).expect("an object");
    let mut found = Vec::new();
    for symbol in file.symbols() {
        let is_ours = !matches!(symbol.kind(), SymbolKind::File | SymbolKind::Section);
        let name = symbol.name().expect("a name");
        if is_ours && !name.is_empty() && !name.starts_with(".L") {
            let section = symbol
                .section_index()
                .and_then(|index| file.section_by_index(index).ok());
            let section = section.and_then(|section| section.name().ok().map(str::to_owned));
            let (kind, binding) = (symbol.kind(), (symbol.is_weak(), symbol.is_global()));
            found.push(format!("{name}: {kind:?} {binding:?} in {section:?}"));
        }
    }
    for section in file.sections() {
        let name = section.name().expect("a name");
        let is_loaded = !matches!(
            section.kind(),
            SectionKind::Metadata | SectionKind::Other | SectionKind::Note
        );
        let is_of_constants = name.starts_with(".rodata") || name.starts_with(".eh_frame");
        // An empty section says nothing.
        if is_loaded && !is_of_constants && section.size() > 0 {
            found.push(format!(
                "section {name}: {:?}, aligned {}",
                section.kind(),
                section.align() > 1
            ));
        }
    }
    found.sort();
    found
}

/// How a row differs, if it does.
fn difference(row: &Row, inputs: &Inputs, seen: &Seen) -> Option<String> {
    let theirs = perform(Path::new("llc-22"), row, inputs);
    let ours = perform(&inputs.tools.path("frazil-llc"), row, inputs);
    if row.check == Check::Refused {
        return refusal(row, &theirs, &ours);
    }
    let names = |done: &Done| done.outputs.iter().map(|(name, _)| name.clone()).collect::<Vec<_>>();
    if ours.worked != theirs.worked {
        return Some(format!(
            "works: {}, llc: {}; {}",
            ours.worked, theirs.worked, ours.messages
        ));
    }
    if row.check == Check::Says {
        let is_silent = ours.messages.is_empty() && ours.outputs.is_empty();
        return is_silent.then(|| "says nothing".to_owned());
    }
    if names(&ours) != names(&theirs) {
        return Some(format!("writes {:?}, llc {:?}", names(&ours), names(&theirs)));
    }
    if !ours.worked && !ours.messages.starts_with("frazil: error: ") {
        return Some(format!("fails without an error: {}", ours.messages));
    }
    for ((name, path), (_, their_path)) in ours.outputs.iter().zip(&theirs.outputs) {
        let different = compare(row, path, their_path, seen).unwrap_or_else(Some);
        if let Some(different) = different {
            return Some(format!("{name}: {different}"));
        }
    }
    None
}

/// How two outputs differ, or what keeps them from being looked at.
fn compare(row: &Row, ours: &Path, theirs: &Path, seen: &Seen) -> Result<Option<String>, String> {
    let ((our_kind, ours), (their_kind, theirs)) = (seen.object(ours)?, seen.object(theirs)?);
    if our_kind != their_kind {
        return Ok(Some(format!("{our_kind}, llc: {their_kind}")));
    }
    let different = match row.check {
        Check::Run => {
            let (ours, theirs) = (seen.behavior(&ours)?, seen.behavior(&theirs)?);
            (ours != theirs).then(|| format!("does {ours}, llc's {theirs}"))
        }
        Check::Symbols => {
            let (ours, theirs) = (symbols(&ours), symbols(&theirs));
            let only = |these: &[String], those: &[String]| {
                let only = these.iter().filter(|one| !those.contains(one));
                only.cloned().collect::<Vec<_>>()
            };
            let (more, less) = (only(&ours, &theirs), only(&theirs, &ours));
            (ours != theirs).then(|| format!("has {more:?}, llc {less:?}"))
        }
        Check::Files | Check::Says | Check::Refused => None,
    };
    Ok(different)
}

/// What is wrong with a refusal.
fn refusal(row: &Row, theirs: &Done, ours: &Done) -> Option<String> {
    let option = row.words[0].trim_start_matches('-');
    let (name, value) = option.split_once('=').unwrap_or((option, option));
    let is_named = ours.messages.contains(name) || ours.messages.contains(value);
    let is_named = is_named && ours.messages.contains(row.advice);
    if !theirs.worked {
        return Some("llc refuses it, too".to_owned());
    }
    if ours.worked || !ours.outputs.is_empty() || !is_named {
        return Some(format!("no refusal by name with advice: {}", ours.messages));
    }
    None
}

#[test]
fn command_lines_of_llc_do_what_they_do_in_llc() {
    let (rows, inputs, seen) = (rows(), Inputs::new(), Seen::default());
    let (next, wrong) = (AtomicUsize::new(0), Mutex::new(Vec::new()));
    let work = || {
        while let Some(row) = rows.get(next.fetch_add(1, Ordering::Relaxed)) {
            if let Some(difference) = difference(row, &inputs, &seen) {
                wrong
                    .lock()
                    .expect("no panic")
                    .push(format!("{}: {difference}", row.line));
            }
        }
    };
    let threads = std::thread::available_parallelism().map_or(2, |count| count.get().max(2));
    std::thread::scope(|scope| (0..threads).for_each(|_| drop(scope.spawn(work))));
    let wrong = wrong.into_inner().expect("no panic");
    let refused = rows.iter().filter(|row| row.check == Check::Refused).count();
    let same = rows.len() - refused - wrong.len().min(rows.len() - refused);
    eprintln!(
        "llc: {same}/{} command lines are the same, {refused} are refused by name",
        rows.len()
    );
    assert!(wrong.is_empty(), "{}:\n{}", wrong.len(), wrong.join("\n"));
    assert!(
        rows.len() >= MIN_ROWS && same * 100 >= rows.len() * MIN_SAME,
        "{same}/{}",
        rows.len()
    );
}
