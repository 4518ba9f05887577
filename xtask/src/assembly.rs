//! `cargo xtask assembly`: assembly text is the object, on real code.
//!
//! Every module of the corpus, in C, C++ and Rust, with and without vectors, and every committed one is compiled twice
//! under every recipe: to an object and to assembly text. What GNU `as` and `llvm-mc-22` make of the text must be the
//! object, section for section and symbol for symbol in both directions ([`objects`]), and `objdump -d` must find
//! instructions only in its code. Line tables, which the assembler makes of directives and encodes in its own way, must
//! have the same rows ([`line_tables`]). Each is done as the module asks for, and with sections for all functions and
//! data in code for fixed addresses.
//!
//! What the compiler refuses as an object it must refuse as text. Inline assembly that Frazil does not encode itself is
//! left to the assembler that takes the text, too, since assemblers choose among encodings differently.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};

use anyhow::{Context, Result, anyhow, bail, ensure};
use frazil_test_support::line_tables::{self, Rows};
use frazil_test_support::objects::{self, Facts, Strictness};
use pico_args::Arguments;

use crate::compiler::{Compiler, RECIPES};
use crate::corpus::{self, Level};
use crate::share::Share;
use crate::{parallel, process, workspace};

/// Folders with committed modules.
const COMMITTED: [&str; 3] = ["tests/modules", "tests/modules/old", "tests/exceptions"];

/// What else is varied: names and options.
const LAYOUTS: [(&str, &[&str]); 2] = [
    ("as it is", &[]),
    (
        "sections",
        &["--function-sections", "--data-sections", "--relocation-model", "static"],
    ),
];

/// The assemblers, with their options for an object, how much of that must be ours, and which rows of line tables.
const ASSEMBLERS: [(&str, &[&str], Strictness, Rows); 2] = [
    ("as", &[], Strictness::Bytes, Rows::Named),
    (
        LLVM_MC,
        &["-filetype=obj", "-triple", "x86_64-unknown-linux-gnu"],
        Strictness::Meaning,
        Rows::Last,
    ),
];

const LLVM_MC: &str = "llvm-mc-22";
const DWARFDUMP: &str = "llvm-dwarfdump-22";

/// Sections that are compared by their rows.
const LINE_TABLES: [&str; 2] = [".debug_line", ".debug_line_str"];

/// How many differences of an object are shown.
const SHOWN: usize = 5;

/// A module that is assembled.
enum Input {
    Committed(PathBuf),
    Program(corpus::Module),
}

impl Input {
    fn name(&self) -> String {
        match self {
            Input::Committed(path) => path.file_stem().unwrap_or_default().to_string_lossy().into_owned(),
            Input::Program(module) => module.name(),
        }
    }

    fn bitcode(&self) -> Result<&Path> {
        match self {
            Input::Committed(path) => Ok(path),
            Input::Program(module) => module.bitcode(),
        }
    }
}

/// How a case ended.
enum Verdict {
    Same,
    /// The compiler refuses the module.
    Refused,
    Wrong(Vec<String>),
}

/// `cargo xtask assembly [FILTER]` with the options of [`Share`] and [`Compiler::list_from_arguments`].
pub fn command(mut arguments: Arguments) -> Result<bool> {
    let compilers = Compiler::list_from_arguments(&mut arguments, &RECIPES)?;
    let mut share = Share::from_arguments(&mut arguments)?;
    for program in ["as", "objdump", LLVM_MC, DWARFDUMP] {
        ensure!(
            workspace::is_on_path(program),
            "`{program}` was not found; on Debian, `cargo xtask packages` installs it"
        );
    }
    let modules = modules(&corpus::filter(arguments)?)?;
    let dir = workspace::target_dir().join("assembly");
    fs::create_dir_all(&dir).with_context(|| format!("making {}", dir.display()))?;

    let total = modules.len() * compilers.len() * LAYOUTS.len();
    let (refused, wrong) = (AtomicUsize::new(0), Mutex::new(0));
    share.begin();
    let made = parallel::share(&share, total, |place| {
        let (number, layout) = (place / LAYOUTS.len(), &LAYOUTS[place % LAYOUTS.len()]);
        let (module, compiler) = (&modules[number / compilers.len()], &compilers[number % compilers.len()]);
        let name = format!(
            "{} {} {}",
            module.name(),
            compiler.recipe().unwrap_or_default(),
            layout.0
        );
        let stem = dir.join(place.to_string());
        match test(module.bitcode()?, compiler, layout.1, &stem).with_context(|| name.clone())? {
            Verdict::Same => {}
            Verdict::Refused => {
                refused.fetch_add(1, Ordering::Relaxed);
            }
            Verdict::Wrong(lines) => {
                *wrong.lock().expect("no thread panics while it reports") += 1;
                println!("{name}:\n  {}", lines.join("\n  "));
            }
        }
        Ok(())
    })?;
    let (refused, wrong) = (
        refused.into_inner(),
        wrong.into_inner().expect("no thread panics while it reports"),
    );
    println!("{}", share.report("modules, recipes and layouts", made, total));
    println!(
        "{} texts assemble to their objects, {wrong} do not, {refused} modules are refused",
        made - refused - wrong
    );
    Ok(wrong == 0)
}

/// The bitcode of the corpus and all committed modules whose name contains `filter`.
fn modules(filter: &str) -> Result<Vec<Input>> {
    let mut committed = Vec::new();
    for folder in COMMITTED {
        let folder = workspace::root().join(folder);
        for entry in fs::read_dir(&folder).with_context(|| format!("reading {}", folder.display()))? {
            let path = entry?.path();
            if path.extension().is_some_and(|extension| extension == "bc") {
                committed.push(path);
            }
        }
    }
    committed.sort();
    let mut modules: Vec<Input> = committed.into_iter().map(Input::Committed).collect();
    modules.retain(|module| module.name().contains(filter));
    match corpus::modules_at(&Level::EACH, filter) {
        Ok(programs) => modules.extend(programs.into_iter().map(Input::Program)),
        Err(error) if modules.is_empty() => return Err(error),
        Err(_) => {}
    }
    Ok(modules)
}

/// Compares object and text; files begin with `stem`.
fn test(module: &Path, compiler: &Compiler, layout: &[&str], stem: &Path) -> Result<Verdict> {
    let file = |extension: &str| stem.with_extension(extension);
    let (object, text, assembled) = (file("o"), file("s"), file("as.o"));
    let mut wrong = Vec::new();
    for (assembler, options, strictness, rows) in ASSEMBLERS {
        let compile = |emit: &str, output: &Path| {
            let mut command = compiler.command(module, output)?;
            command.args(layout).args(["--emit", emit, "--assembler", assembler]);
            process::run(&mut command, process::TIME_LIMIT)
        };
        let (made, written) = (compile("obj", &object)?, compile("asm", &text)?);
        match (made.success(), written.success()) {
            (true, true) => {}
            (false, false) => return Ok(Verdict::Refused),
            _ => bail!(
                "object: {}, text: {}",
                made.first_error_line(),
                written.first_error_line()
            ),
        }
        let mut assemble = Command::new(assembler);
        assemble.args(options).arg(&text).arg("-o").arg(&assembled);
        let outcome = process::run(&mut assemble, process::TIME_LIMIT)?;
        if outcome.success() {
            let (ours, theirs) = (facts(&object, strictness)?, facts(&assembled, strictness)?);
            let mut found = objects::differences(&ours, &theirs, SHOWN);
            found.extend(line_difference(&object, &assembled, rows)?);
            wrong.extend(found.into_iter().map(|line| format!("object | {assembler}: {line}")));
        } else {
            wrong.push(format!("{assembler}: {}", outcome.first_error_line()));
        }
    }
    wrong.extend(what_is_no_code(&object)?);
    for file in [&object, &text, &assembled] {
        let removed = fs::remove_file(file);
        removed.with_context(|| format!("removing {}", file.display()))?;
    }
    Ok(if wrong.is_empty() {
        Verdict::Same
    } else {
        Verdict::Wrong(wrong)
    })
}

/// What is to be equal in an object, but line tables.
fn facts(object: &Path, strictness: Strictness) -> Result<Facts> {
    let bytes = fs::read(object).with_context(|| format!("reading {}", object.display()))?;
    let facts = objects::facts(&bytes, strictness).map_err(|error| anyhow!("{}: {error}", object.display()));
    let mut facts = facts?;
    facts.retain(|name, _| !LINE_TABLES.iter().any(|table| name.ends_with(&format!(" {table}"))));
    Ok(facts)
}

/// How the rows of two objects differ.
fn line_difference(object: &Path, assembled: &Path, kept: Rows) -> Result<Option<String>> {
    let dump = |object: &Path| -> Result<String> {
        let mut dump = Command::new(DWARFDUMP);
        let outcome = process::run(dump.arg("--debug-line").arg(object), process::TIME_LIMIT)?;
        ensure!(outcome.success(), "{DWARFDUMP}: {}", outcome.first_error_line());
        Ok(String::from_utf8_lossy(&outcome.stdout).into_owned())
    };
    let found = line_tables::difference(&dump(object)?, &dump(assembled)?, kept, SHOWN);
    Ok(found.map(|found| format!("rows: {found}")))
}

/// What a disassembler finds in the code of an object that is no instruction.
fn what_is_no_code(object: &Path) -> Result<Vec<String>> {
    let outcome = process::run(Command::new("objdump").arg("-d").arg(object), process::TIME_LIMIT)?;
    ensure!(outcome.success(), "objdump: {}", outcome.first_error_line());
    let text = String::from_utf8_lossy(&outcome.stdout);
    let bad = text.lines().filter(|line| line.contains("(bad)"));
    Ok(bad
        .take(SHOWN)
        .map(|line| format!("objdump: {}", line.trim()))
        .collect())
}
