//! `cargo xtask dist`: the commands as they are handed out, which know from profiles of themselves what is executed
//! often.
//!
//! A release build counts what it executes while it compiles the programs of the corpus by the recipes that people
//! choose most, and notes which function is first entered when; a second build is made by this. rustc then inlines
//! where calls are made, and makes small code of what is hardly ever executed; the linker puts functions side by side
//! that are entered one after the other, so that a short run touches few pages. The programs come out in `dist` below
//! the target folder. They have all of the C library that they use in them: they run on any Linux, and start faster.
//! With `--small` it is the small command instead ([`small`]). With `--processor` they are for processors of that kind,
//! such as x86-64-v3, and those that have all of what it has, for instance shifts that leave the flags alone, of which
//! the reader of bitcode is full.
//!
//! The profile is of this machine's rustc and of these sources, and is made anew each time: one of other sources would
//! do no harm, but less and less good.

pub mod small;

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, Result, ensure};
use pico_args::Arguments;

use crate::corpus::{self, Level, Module};
use crate::{process, workspace};

/// What is handed out.
const PROGRAMS: [&str; 3] = ["frazil", "frazil-cc", "frazil-link"];

/// Where their sources are; the first one has the compiler that is counted.
const PACKAGES: [&str; 2] = ["frazil", "frazil-cc"];

/// The recipes that are counted, the fast one first. That it executes a fifth of what the best one does makes no
/// difference: with six times its weight, it executes as much.
const RECIPES: [&str; 3] = ["Om1", "O1", "O2"];

/// What merges counts; the version must be that of rustc's LLVM, or a later one.
const LLVM_PROFDATA: &str = "llvm-profdata-22";

/// Passed to rustc for all of these: what is linked is at a fixed address, and needs no other file.
const STATIC: &str = "-Ctarget-feature=+crt-static -Crelocation-model=static";

/// How much is compiled as one: everything, which takes minutes and is worth a fortieth of the run time.
const LINK_TIME_OPTIMIZATION: (&str, &str) = ("CARGO_PROFILE_RELEASE_LTO", "fat");

/// What the program that counts does besides: it notes when each function is first entered.
const NOTE_ORDER: &str = "-Cllvm-args=-pgo-temporal-instrumentation";

/// `cargo xtask dist [--small | [--processor NAME] FILTER]`, where the filter chooses the programs that are compiled
/// for the counts.
pub fn command(mut arguments: Arguments) -> Result<bool> {
    if arguments.contains("--small") {
        ensure!(arguments.finish().is_empty(), "dist --small takes nothing else");
        let kept = workspace::target_dir().join("dist/frazil-small");
        fs::copy(small::build()?, &kept)?;
        println!("{}", kept.display());
        return Ok(true);
    }
    let processor: Option<String> = arguments.opt_value_from_str("--processor")?;
    let base = match processor {
        Some(name) => format!("{STATIC} -Ctarget-cpu={name}"),
        None => STATIC.to_owned(),
    };
    let filter = corpus::filter(arguments)?;
    let modules = corpus::modules_to_compile(&[Level::O0, Level::O2], &filter)?;
    ensure!(!modules.is_empty(), "no module's name contains `{filter}`");
    let folder = workspace::target_dir().join("dist");
    let counts = folder.join("counts");
    if counts.exists() {
        fs::remove_dir_all(&counts)?;
    }
    let target = host()?;
    let counting = build(
        &folder.join("counting"),
        &target,
        &format!("{base} -Cprofile-generate={} {NOTE_ORDER}", counts.display()),
        &PACKAGES[..1],
    )?;
    count(&counting.join(PROGRAMS[0]), &modules, &counts)?;
    let profile = folder.join("profile");
    profdata("merge", &profile, &counted(&counts, &modules, &RECIPES))?;
    let order = order(&folder, &counted(&counts, &modules, &RECIPES[..1]), &target)?;
    let made = build(
        &folder.join("profiled"),
        &target,
        &format!("{base} -Cprofile-use={} {order}", profile.display()),
        &PACKAGES,
    )?;
    for program in PROGRAMS {
        fs::copy(made.join(program), folder.join(program)).with_context(|| program.to_owned())?;
        println!("{}", folder.join(program).display());
    }
    Ok(true)
}

/// The flag that has the linker order functions as a profile says, for targets whose linker is LLVM's: first those that
/// runs by the fast recipe entered, which are the shortest, and by which a short run touches few pages.
fn order(folder: &Path, fast: &[PathBuf], target: &str) -> Result<String> {
    if target != "x86_64-unknown-linux-gnu" {
        return Ok(String::new());
    }
    let (profile, part) = (folder.join("profile-fast"), folder.join("order-part"));
    profdata("merge", &profile, fast)?;
    let mut order = Vec::new();
    for profile in [profile, folder.join("profile")] {
        profdata("order", &part, &[profile])?;
        order.extend(fs::read(&part)?);
    }
    let file = folder.join("order");
    fs::write(&file, order)?;
    // What was inlined everywhere is named there, too.
    let file = file.display();
    Ok(format!(
        "-Clink-arg=-Wl,--symbol-ordering-file={file},--no-warn-symbol-ordering"
    ))
}

/// Runs a command of `llvm-profdata` that makes a file of others.
fn profdata(command: &str, to: &Path, from: &[PathBuf]) -> Result<()> {
    let mut profdata = workspace::llvm_tool(LLVM_PROFDATA)?;
    process::checked(profdata.arg(command).arg("-o").arg(to).args(from))?;
    Ok(())
}

/// The machine's name as rustc has it. Named, it keeps the flags from build scripts, whose counts nobody wants.
fn host() -> Result<String> {
    let said = process::checked(Command::new(workspace::RUSTC).arg("-vV"))?.stdout;
    let said = String::from_utf8(said)?;
    let line = said.lines().find_map(|line| line.strip_prefix("host: "));
    Ok(line.context("rustc -vV says no host")?.to_owned())
}

/// Builds packages for release with flags for rustc; the folder of the programs.
fn build(folder: &Path, target: &str, flags: &str, packages: &[&str]) -> Result<PathBuf> {
    let mut cargo = workspace::cargo();
    cargo
        .args(["build", "--release", "--target", target, "--target-dir"])
        .arg(folder);
    cargo.args(packages.iter().flat_map(|package| ["--package", package]));
    cargo.env("RUSTFLAGS", flags).env_remove("CARGO_ENCODED_RUSTFLAGS");
    let (name, value) = LINK_TIME_OPTIMIZATION;
    cargo.env(name, value);
    let status = cargo.status().context("cargo cannot be started")?;
    ensure!(status.success(), "{cargo:?} failed");
    Ok(folder.join(target).join("release"))
}

/// Compiles modules by a program that counts, each run into a file of its own: runs that note an order do not add to
/// what an earlier run has left.
fn count(frazil: &Path, modules: &[Module], counts: &Path) -> Result<()> {
    let object = counts.with_file_name("counted.o");
    for module in modules {
        for recipe in RECIPES {
            let mut command = Command::new(frazil);
            command.env("LLVM_PROFILE_FILE", counted_file(counts, module, recipe));
            command.args(["--recipe", recipe, "--threads", "0", "-o"]).arg(&object);
            process::checked(command.arg(module.bitcode()?))?;
        }
    }
    Ok(())
}

/// Where the counts of runs by some recipes are.
fn counted(counts: &Path, modules: &[Module], recipes: &[&str]) -> Vec<PathBuf> {
    let of_module = |module| recipes.iter().map(move |recipe| counted_file(counts, module, recipe));
    modules.iter().flat_map(of_module).collect()
}

fn counted_file(counts: &Path, module: &Module, recipe: &str) -> PathBuf {
    counts.join(format!("{}-{recipe}.profraw", module.name()))
}
