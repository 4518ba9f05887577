//! `cargo xtask debugger`: sessions of gdb with the same program by Frazil and by `llc-22 -O0`.
//!
//! Each program is compiled by clang or rustc at -O0 with debug information: those of `tests/debug_information` and,
//! with `--random N`, as many of csmith's. A session has a breakpoint at each line that `llc`'s line table has; at each
//! stop it prints the variables that are initialised there ([`session.py`](session.py)). The two lists of stops are
//! aligned, and the variables of stops that both have compared. Counted are stops that Frazil's program lacks,
//! variables without a value, and those with another value. Of a line with code in several places of a block of the
//! source, gdb takes the first one; which one that is differs where blocks are laid out in another order.
//!
//! With `--target`, the programs are for another machine and run in its emulator, at the stub of which a debugger for
//! many machines stops them. Each session has a socket of its own in the file system.
//!
//! With `--lldb`, the sessions are of lldb ([`lldb`]), for unoptimised code.
//!
//! Optimised code comes to the parts of a line in another order: to where a loop counts before where it begins, say.
//! Under recipes other than `Om1`, a session therefore stops at points instead of lines ([`points`]).

mod lldb;
mod points;
mod stops;

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, Result, ensure};
use pico_args::Arguments;

use crate::compiler::{Compiler, LlcLevel};
use crate::debug_programs::Program;
use crate::process::Background;
use crate::{corpus, machine, parallel, process, workspace};
use stops::{Comparison, Stop};

/// What gdb is told to do.
const SESSION: &str = include_str!("session.py");

/// At how many stops a session ends, at lines and at points.
const MOST_STOPS: [&str; 2] = ["300", "600"];

/// The recipe whose code comes to lines in the order of the source.
const IN_ORDER: &str = "Om1";

/// Not every machine's unoptimised code is that of the quick selector. The other one has branches to what follows, at
/// which there would be stops.
const SELECTOR_OF_LLC: &str = "-global-isel=0";

/// How many differences of a program are shown.
const SHOWN: usize = 5;

/// `cargo xtask debugger [--lldb] [--random N] [--seed N] [FILTER]` with the options of [`Compiler::from_arguments`].
/// `Ok(false)` if variables have other values than in `llc`'s program, or unoptimised code lacks too many stops or
/// values.
pub fn command(mut arguments: Arguments) -> Result<bool> {
    machine::select(&mut arguments)?;
    let compiler = Compiler::from_arguments(&mut arguments)?;
    let random: u64 = arguments.opt_value_from_str("--random")?.unwrap_or(0);
    let seed: u64 = arguments.opt_value_from_str("--seed")?.unwrap_or(1);
    let by_lldb = arguments.contains("--lldb");
    ensure!(
        !by_lldb || (compiler.recipe() == Some(IN_ORDER) && machine::is_host()),
        "sessions of lldb are for the recipe {IN_ORDER} on this machine"
    );
    let debugger = if by_lldb {
        "lldb-22"
    } else {
        machine::current().debugger
    };
    for program in [debugger, "clang-22", "clang++-22"] {
        workspace::require(program)?;
    }
    let filter = corpus::filter(arguments)?;
    let dir = machine::folder().join("debugger");
    fs::create_dir_all(&dir).with_context(|| format!("making {}", dir.display()))?;
    let script = dir.join("session.py");
    fs::write(&script, SESSION)?;
    let committed = workspace::root().join("tests/debug_information");
    let mut programs = Program::list(&committed, &filter)?;
    if !by_lldb {
        programs.extend(Program::list(&committed.join("rust"), &filter)?);
    }
    for seed in seed..seed + random {
        programs.push(generated(seed, &dir)?);
    }
    let outcomes = parallel::map(&programs, |program| {
        compare(program, &compiler, &dir, (&script, by_lldb))
    });
    let mut all = Comparison::default();
    for (program, outcome) in programs.iter().zip(outcomes) {
        let found = outcome.with_context(|| program.name.clone())?;
        println!("{:<24} {found}", program.name);
        found.notes.iter().take(SHOWN).for_each(|note| println!("    {note}"));
        all.add(&found);
    }
    println!("{:<24} {all}", "all");
    Ok(all.wrong == 0 && (compiler.recipe() != Some(IN_ORDER) || all.is_complete()))
}

/// A program of csmith.
fn generated(seed: u64, dir: &Path) -> Result<Program> {
    let name = format!("csmith-{seed}.c");
    let source = dir.join(&name);
    let mut csmith = Command::new("csmith");
    csmith.args([
        "--seed",
        &seed.to_string(),
        "--max-funcs",
        "4",
        "--no-checksum",
        "--output",
    ]);
    process::checked(csmith.arg(&source))?;
    Ok(Program { name, source })
}

/// Compares the sessions with a program.
fn compare(program: &Program, compiler: &Compiler, dir: &Path, (script, by_lldb): (&Path, bool)) -> Result<Comparison> {
    let path = |end: &str| dir.join(format!("{}.{end}", program.name));
    let bitcode = path("bc");
    // What a variable has before it is assigned would differ.
    program.make_bitcode(0, &["-ftrivial-auto-var-init=zero"], &bitcode)?;
    let link = |compiler: &Compiler, name: &str| -> Result<PathBuf> {
        let (object, executable) = (path(&format!("{name}.o")), path(name));
        let mut command = compiler.command(&bitcode, &object)?;
        if let Compiler::Llc(_) = compiler {
            command.arg(SELECTOR_OF_LLC);
        }
        process::checked(&mut command)?;
        program.link(&object, &[], &executable)?;
        Ok(executable)
    };
    let ours = link(compiler, "ours")?;
    let theirs = link(&Compiler::Llc(LlcLevel::O0), "theirs")?;
    let table = points::read(&theirs, &program.name)?;
    if compiler.recipe() == Some(IN_ORDER) {
        let lines = points::lines(&table);
        let stops = |executable| match by_lldb {
            true => lldb::session(executable, &program.name, &lines),
            false => session(executable, program, ("FRAZIL_LINES", &lines), script),
        };
        return Ok(stops::compare(&stops(&ours)?, &stops(&theirs)?));
    }
    let kept = points::unique(&table);
    let stops = |executable: &Path, table: &points::Table| {
        let file = executable.with_extension("points");
        fs::write(&file, points::text(table, &kept)).with_context(|| format!("writing {}", file.display()))?;
        session(executable, program, ("FRAZIL_POINTS", &file.to_string_lossy()), script)
    };
    let own_table = points::read(&ours, &program.name)?;
    Ok(stops::compare(&stops(&ours, &own_table)?, &stops(&theirs, &table)?))
}

/// Where gdb stops in a program with these breakpoints, in order.
fn session(executable: &Path, program: &Program, breakpoints: (&str, &str), script: &Path) -> Result<Vec<Stop>> {
    let mut gdb = Command::new(machine::current().debugger);
    gdb.args(["-q", "-nx", "-batch", "-x"]).arg(script).arg(executable);
    let most = MOST_STOPS[usize::from(breakpoints.0 == "FRAZIL_POINTS")];
    gdb.env(breakpoints.0, breakpoints.1).env("FRAZIL_STOPS", most);
    gdb.env("FRAZIL_SOURCE", &program.name);
    // In an emulator, the program waits for the debugger.
    let _emulator = match machine::is_host() {
        true => None,
        false => Some(wait_for_debugger(executable, &mut gdb)?),
    };
    let outcome = process::run(&mut gdb, machine::limit(process::TIME_LIMIT))?;
    let text = String::from_utf8_lossy(&outcome.stdout);
    let stops = stops::parse(&text);
    ensure!(
        !stops.is_empty(),
        "no stops: {text}{}",
        String::from_utf8_lossy(&outcome.stderr)
    );
    Ok(stops)
}

/// Starts a program in the emulator, and tells a debugger where it waits.
fn wait_for_debugger(executable: &Path, debugger: &mut Command) -> Result<Background> {
    let dir = executable.parent().context("an executable is in a folder")?;
    let name = executable.file_name().context("an executable has a name")?;
    // Names of sockets must be short, so that they are given from the folder.
    let socket = format!("{}.socket", name.to_string_lossy());
    let path = dir.join(&socket);
    if path.exists() {
        fs::remove_file(&path).with_context(|| format!("removing {}", path.display()))?;
    }
    debugger.current_dir(dir).env("FRAZIL_STUB", format!("./{socket}"));
    Background::start(machine::run_debugged(executable, &socket)?.current_dir(dir))
}
