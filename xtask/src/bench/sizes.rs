//! `cargo xtask bench --sizes`: how large the small command is, and what each cargo feature adds to it.
//!
//! The small command is the package `frazil` without default features, for one target, in the profile `minimal`. It
//! must not grow beyond a limit, and neither must the one that is handed out (`cargo xtask dist --small`), whose time
//! to start is reported. Programs of the corpus are compiled by it: its objects must have the bytes of those of the
//! whole command, and the programs that are linked must do the same. A module that it refuses must be refused for
//! something that the build leaves out. `--quick` builds nothing but the plain small command, and takes a few modules.

use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, ensure};
use object::{Object, ObjectSection, SectionKind};

use super::start_up;
use crate::compiler::Compiler;
use crate::corpus::{self, Level, Module};
use crate::{crosstest, dist, process, workspace};

/// How many bytes the small command may have, with all of Rust's library in it.
const MOST_BYTES: u64 = 1 << 20;

/// How many bytes the small command may have that is handed out.
const MOST_BYTES_HANDED_OUT: u64 = 1_000_000;

/// How often it is started to see how long that takes.
const STARTS: usize = 50;

/// What it compiles by.
const RECIPE: &str = "Om1";

/// The small command's features.
const MINIMAL: &str = "x86";

/// Features of the other commands, the small command's first.
const OTHERS: [&str; 9] = [
    "x86,debug-information",
    "x86,optimize",
    "x86,rare",
    "x86,speed",
    "x86,vectors",
    "x86,aarch64",
    "x86,debug-information,optimize,rare,speed,vectors",
    "aarch64",
    "command",
];

/// Programs that the small command compiles, those of `--quick` first.
const PROGRAMS: [&str; 9] = [
    "hello",
    "abi",
    "lz4",
    "mixed",
    "bzip2",
    "xz",
    "zlib",
    "lua",
    "containers",
];
const QUICK_PROGRAMS: usize = 3;

/// How many bytes a program has.
#[derive(Clone, Copy)]
struct Size {
    file: u64,
    text: u64,
    data: u64,
}

/// Builds and compares; `Ok(false)` if something is too large, or not as it should be.
pub fn check(full: &Compiler, quick: bool) -> Result<bool> {
    println!("the command `frazil` in the profile `minimal`, stripped, in bytes:");
    println!(
        "{:<52} {:>9} {:>9} {:>9} {:>10}",
        "features", "file", "text", "data", "added"
    );
    // The next build takes the place of this one.
    let mut small = build(MINIMAL)?;
    let smallest = size_of(&small)?;
    print(MINIMAL, smallest, smallest);
    let mut is_small = is_within("the smallest", smallest, MOST_BYTES);
    if !quick {
        small = dist::small::build()?;
        let size = size_of(&small)?;
        print("the same, as it is handed out", size, smallest);
        is_small &= is_within("what is handed out", size, MOST_BYTES_HANDED_OUT);
        for features in OTHERS {
            print(features, size_of(&build(features)?)?, smallest);
        }
        start_up::measure(
            &full.with_recipe(RECIPE).with_path(&small),
            STARTS,
            start_up::SMALL_GOAL,
        )?;
    }
    let programs = if quick {
        &PROGRAMS[..QUICK_PROGRAMS]
    } else {
        &PROGRAMS[..]
    };
    let mut wrong = 0;
    for program in programs {
        let module = corpus::module(program, Level::O0)?;
        if let Err(problem) = compare(&module, full, &small) {
            println!("{}: {problem:#}", module.name());
            wrong += 1;
        }
    }
    println!(
        "objects by both commands: {} passed, {wrong} failed",
        programs.len() - wrong
    );
    Ok(is_small && wrong == 0)
}

/// Builds the command with these features; the path of the program.
fn build(features: &str) -> Result<PathBuf> {
    let folder = workspace::target_dir().join("sizes");
    process::checked(&mut dist::small::command(features, &folder))?;
    Ok(folder.join("minimal/frazil"))
}

/// Says how much of what something may have it has, and whether that is not more.
fn is_within(name: &str, size: Size, most_bytes: u64) -> bool {
    let is_small = size.file <= most_bytes;
    let relation = if is_small { "of" } else { "more than the" };
    println!(
        "{name} has {} {relation} {most_bytes} bytes that it may have",
        size.file
    );
    is_small
}

fn size_of(program: &Path) -> Result<Size> {
    let bytes = fs::read(program).with_context(|| program.display().to_string())?;
    let file = object::File::parse(&*bytes)?;
    let (mut text, mut data) = (0, 0);
    for section in file.sections() {
        match section.kind() {
            SectionKind::Text => text += section.size(),
            SectionKind::Data
            | SectionKind::ReadOnlyData
            | SectionKind::ReadOnlyDataWithRel
            | SectionKind::ReadOnlyString
            | SectionKind::Tls => data += section.size(),
            _ => {}
        }
    }
    let file = bytes.len() as u64;
    Ok(Size { file, text, data })
}

fn print(features: &str, size: Size, smallest: Size) {
    let Size { file, text, data } = size;
    let added = file.cast_signed() - smallest.file.cast_signed();
    println!("{features:<52} {file:>9} {text:>9} {data:>9} {added:>+10}");
}

/// Compiles a module with both commands, compares the objects, and runs what the small one's becomes.
fn compare(module: &Module, full: &Compiler, minimal: &Path) -> Result<()> {
    let folder = workspace::target_dir().join("sizes").join(module.name());
    fs::create_dir_all(&folder)?;
    let (expected, object) = (folder.join("full.o"), folder.join("minimal.o"));
    // The small command leaves debug information out.
    let full = full.with_recipe(RECIPE).with_option("--strip-debug");
    process::checked(&mut full.command(module.bitcode()?, &expected)?)?;
    let minimal = full.with_path(minimal);
    let outcome = process::run(&mut minimal.command(module.bitcode()?, &object)?, process::TIME_LIMIT)?;
    if !outcome.success() {
        let message = outcome.first_error_line();
        ensure!(message.contains("this build leaves out"), "{message}");
        println!("{}: refused: {message}", module.name());
        return Ok(());
    }
    ensure!(fs::read(expected)? == fs::read(object)?, "the objects are not the same");
    let program = |compiler: &Compiler, name: &str| -> Result<PathBuf> {
        let built = crosstest::build_module(module, compiler, &folder.join(name))?;
        built.program.with_context(|| built.problem)
    };
    let programs = [program(&full, "full")?, program(&minimal, "minimal")?];
    for run in module.program.runs {
        let run = |program| {
            process::run(
                &mut crosstest::run_command(program, run, run.short),
                process::TIME_LIMIT,
            )
        };
        let [expected, found] = [run(&programs[0])?, run(&programs[1])?];
        ensure!(expected.status.is_some(), "the program does not end");
        ensure!(
            (expected.status, expected.stdout) == (found.status, found.stdout),
            "the programs do not do the same"
        );
    }
    println!("{}: the same object, which runs", module.name());
    Ok(())
}
