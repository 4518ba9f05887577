//! The machine for which programs are made and on which they run: the one we are on, or another in an emulator.
//!
//! `--target NAME` chooses it for the whole run of a command that can do with another one. What is made for another
//! machine lies in a folder of its own below the target folder, so that nothing of two machines is mixed.

use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::OnceLock;
use std::time::Duration;

use anyhow::{Context, Result, bail, ensure};
use frazil_test_support::machines::{self, Machine};
use pico_args::Arguments;

use crate::workspace;

/// How much longer programs may run in an emulator.
const SLOWNESS_OF_EMULATORS: u32 = 8;

static CURRENT: OnceLock<&Machine> = OnceLock::new();

/// The machine that `--target` has chosen; the one we are on if nothing has.
pub fn current() -> &'static Machine {
    CURRENT.get().copied().unwrap_or(&machines::HOST)
}

/// Takes `--target NAME` from a command line.
pub fn select(arguments: &mut Arguments) -> Result<()> {
    let Some(name) = arguments.opt_value_from_str::<_, String>("--target")? else {
        return Ok(());
    };
    let Some(machine) = machines::ALL.iter().find(|machine| machine.target == name) else {
        let known: Vec<&str> = machines::ALL.iter().map(|machine| machine.target).collect();
        bail!("there is no target `{name}`; there are {}", known.join(", "));
    };
    for tool in [machine.compiler].iter().chain(machine.emulator().first()) {
        workspace::require(tool)?;
    }
    ensure!(CURRENT.set(machine).is_ok(), "the target is chosen once");
    Ok(())
}

/// Whether it is the machine that we are on, in the form in which its system is.
pub fn is_host() -> bool {
    current().target == machines::HOST.target
}

/// Whether its programs run on the processor that we are on, without an emulator.
pub fn runs_programs() -> bool {
    let emulators = current().emulator();
    emulators.first().is_none_or(|first| !first.starts_with("qemu"))
}

/// The folder for all that is made for the machine.
pub fn folder() -> PathBuf {
    match is_host() {
        true => workspace::target_dir(),
        false => workspace::target_dir().join(current().target),
    }
}

/// The C compiler of the machine's system, which also links, as a user would.
pub fn cc() -> Command {
    Command::new(match is_host() {
        true => workspace::CC,
        false => current().compiler,
    })
}

/// The machine's GCC.
pub fn gcc() -> Command {
    Command::new(match is_host() {
        true => workspace::GCC,
        false => current().compiler,
    })
}

/// The name of one of the machine's binary utilities, such as `readelf`.
pub fn utility(name: &str) -> String {
    format!("{}{name}", current().utilities)
}

/// The clang that makes bitcode, told the machine.
pub fn clang() -> Result<Command> {
    let mut clang = workspace::llvm_tool(workspace::CLANG)?;
    if !is_host() {
        clang.arg(format!("--target={}", current().triple));
    }
    Ok(clang)
}

/// The command that links for the machine by a linker of that name.
pub fn linking_by(linker: &str) -> Result<Command> {
    workspace::require(linker)?;
    let mut clang = clang()?;
    clang.arg(format!("--ld-path={linker}"));
    Ok(clang)
}

/// The option by which clang compiles for the least processor of the machine.
pub fn least_processor() -> Result<String> {
    let option = processor(0).map(processor_option);
    option.context("every machine has a least processor")
}

/// The option by which clang compiles for a processor.
pub fn processor_option(processor: &str) -> String {
    match current().target.starts_with("x86") {
        true => format!("-march={processor}"),
        false => format!("-mcpu={processor}"),
    }
}

/// A processor as clang and rustc name it, by its number among the machine's; nothing if there are not so many.
pub fn processor(number: usize) -> Option<&'static str> {
    current().processors.get(number).copied()
}

/// The processors for which programs are made that run here: the last one of x86-64 has AVX-512, which this processor
/// may lack and no emulator has.
pub fn processors() -> &'static [&'static str] {
    let all = current().processors;
    match is_host() && !has_wide_vectors() {
        true => &all[..all.len() - 1],
        false => all,
    }
}

/// Whether this processor has all of AVX-512 that is tried: newer ones do.
pub fn has_wide_vectors() -> bool {
    ["gfni", "avx512f", "avx512vbmi2", "avx512bf16"]
        .into_iter()
        .all(machines::host_has)
}

/// The command that runs a program.
pub fn run(program: &Path) -> Command {
    current().run(program)
}

/// The command that starts a program in the emulator, in which it waits for a debugger at a socket of that name.
pub fn run_debugged(program: &Path, socket: &str) -> Result<Command> {
    let [emulator, options @ ..] = current().true_emulator() else {
        bail!("debuggers start programs of this machine themselves");
    };
    let mut command = Command::new(emulator);
    command.args(["-g", socket]).args(options).arg(program);
    Ok(command)
}

/// How long a program may run that has the given time on the machine that we are on.
pub fn limit(limit: Duration) -> Duration {
    if is_host() {
        limit
    } else {
        limit * SLOWNESS_OF_EMULATORS
    }
}
