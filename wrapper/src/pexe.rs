//! `frazil-pexe`: makes a program for Linux of an executable of PNaCl (`.pexe`).
//!
//! ```sh
//! frazil-pexe app.pexe -o app && ./app
//! ```
//!
//! Frazil compiles the executable, and a C compiler links it with a run-time library, whose source is in this program
//! ([the folder `runtime`](../runtime/start.c)): it starts the program in the first 4 GiB of the address space, and has
//! the interfaces that programs ask for by name, on the system's calls. One source serves all machines but for a file
//! of assembly for each.
//!
//! Not done here: the sandbox of Native Client, and interfaces to a browser; a program that asks for one hears that it
//! is not there.

use crate::compile::say;
use crate::exit_code;
use crate::interruption::Interruption;
use crate::scratch::Folder;
use frazil::embedded::{Embedded, Wanted};
use frazil::options::{CompressDebug, Emit};
use frazil::output::Output;
use std::ffi::{OsStr, OsString};
use std::fs;
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::process::{self, Command, ExitCode};

/// The run-time library: names of files and their contents.
const RUNTIME: [(&str, &str); 3] = [
    ("pexe.h", include_str!("../runtime/pexe.h")),
    ("start.c", include_str!("../runtime/start.c")),
    ("interfaces.c", include_str!("../runtime/interfaces.c")),
];

/// A machine that programs are made for.
struct Machine {
    /// Frazil's name of the target, and llc's.
    names: [&'static str; 2],
    /// The option of C compilers for it.
    option: &'static str,
    /// What of the run-time library is its own.
    assembly: (&'static str, &'static str),
    /// The C compilers that make programs for it, the first that there is.
    compilers: &'static [&'static str],
    /// What these are told.
    options: &'static [&'static str],
}

const MACHINES: [Machine; 2] = [
    Machine {
        names: ["x86_64", "x86-64"],
        option: "-m64",
        assembly: ("switch_x86_64.S", include_str!("../runtime/switch_x86_64.S")),
        compilers: &["cc"],
        // Below 4 GiB, where the addresses of everything fit 32 bits.
        options: &["-no-pie", "-fno-pie"],
    },
    Machine {
        names: ["x86_32", "x86"],
        option: "-m32",
        assembly: ("switch_x86_32.S", include_str!("../runtime/switch_x86_32.S")),
        compilers: &["i686-linux-gnu-gcc", "cc"],
        // Systems of 64 bits that execute such programs often have none of their libraries.
        options: &["-m32", "-static", "-no-pie", "-fno-pie"],
    },
];

const HELP: &str = "\
frazil-pexe: makes a program for Linux of an executable of PNaCl

  frazil-pexe app.pexe -o app

  -o FILE        the program; without it, the name of the executable without its ending
  --target NAME  the machine that the program is for: x86_64, or x86_32 for programs of 32 bits
  -m64, -m32     the same as --target x86_64 (which is what is made without an option) and --target x86_32
  --cc PROGRAM   the C compiler that compiles the run-time library and links, instead of cc, or for x86_32 of
                 i686-linux-gnu-gcc, or cc if there is none; it is told -m32 for x86_32
  --help         print this, and end

All other options are Frazil's, such as --recipe=NAME or --threads=4, with = before their values; without a recipe,
it is O2.
";

/// What the words ask for.
#[derive(Debug, Default)]
struct Job {
    input: Option<PathBuf>,
    output: Option<PathBuf>,
    compiler: Option<OsString>,
    /// The name of the machine.
    target: Option<String>,
    frazil: Vec<OsString>,
}

/// Runs the command with these arguments, the program's name first.
pub fn run(arguments: impl IntoIterator<Item = OsString>) -> ExitCode {
    let words: Vec<OsString> = arguments.into_iter().skip(1).collect();
    if words.iter().any(|word| word == "--help" || word == "-h") {
        // A closed standard output is no reason to fail.
        let _ = io::stdout().write_all(HELP.as_bytes());
        return ExitCode::SUCCESS;
    }
    let outcome = parse(words).and_then(|job| make(&job).map_err(|error| error.to_string()));
    outcome.unwrap_or_else(|message| {
        say(&format!("frazil-pexe: error: {message}\n"));
        ExitCode::FAILURE
    })
}

fn parse(words: Vec<OsString>) -> Result<Job, String> {
    let mut job = Job::default();
    let mut words = words.into_iter();
    while let Some(word) = words.next() {
        let mut value = |option: &str| words.next().ok_or_else(|| format!("{option} lacks its value"));
        match word.to_str() {
            Some("-o") => job.output = Some(value("-o")?.into()),
            Some("--cc") => job.compiler = Some(value("--cc")?),
            Some("--target") => job.target = Some(value("--target")?.to_string_lossy().into_owned()),
            Some("-m64" | "-m32") => {
                let machine = MACHINES.iter().find(|machine| word == machine.option);
                job.target = machine.map(|machine| machine.names[0].to_owned());
            }
            Some(option) if option.starts_with("--target=") => {
                job.target = option.strip_prefix("--target=").map(str::to_owned);
            }
            Some(option) if option.starts_with('-') && option != "-" => job.frazil.push(word),
            _ if job.input.is_none() => job.input = Some(word.into()),
            _ => {
                let word = word.to_string_lossy();
                return Err(format!(
                    "`{word}` is one executable too many; values of options for Frazil follow after ="
                ));
            }
        }
    }
    match job.input {
        None => Err("no executable is named; see frazil-pexe --help".to_owned()),
        Some(_) => Ok(job),
    }
}

/// The machine that the words name; without a name, the first.
fn machine(job: &Job) -> io::Result<&'static Machine> {
    let Some(name) = &job.target else {
        return Ok(&MACHINES[0]);
    };
    let found = MACHINES.iter().find(|machine| machine.names.contains(&name.as_str()));
    found.ok_or_else(|| {
        let known = MACHINES.map(|machine| machine.names[0]).join(" and ");
        io::Error::other(format!(
            "--target {name}: programs are made for {known} only; frazil itself makes objects for others"
        ))
    })
}

/// Compiles and links.
fn make(job: &Job) -> io::Result<ExitCode> {
    let machine = machine(job)?;
    let input = job.input.as_deref().unwrap_or(Path::new("-"));
    let name = input.display().to_string();
    let bytes =
        fs::read(input).map_err(|error| io::Error::new(error.kind(), format!("cannot read {name}: {error}")))?;
    if !frazil::is_pexe(&bytes) {
        return Err(io::Error::other(format!(
            "{name} is no executable of PNaCl; they begin with PEXE"
        )));
    }
    let output = match &job.output {
        Some(output) => output.clone(),
        None => input.with_extension(""),
    };
    if output == input {
        return Err(io::Error::other(format!(
            "{name} would be its own output; name another with -o"
        )));
    }
    let scratch = Folder::new()?;
    let interruption = Interruption::begin(scratch.path().to_owned())?;
    let object = scratch.path().join("program.o");
    let wanted = Wanted {
        emit: Emit::Obj,
        function_sections: false,
        data_sections: false,
        asm_verbose: false,
        compress_debug: CompressDebug::None,
        debug_frames: false,
        address_ranges: false,
        type_units: false,
        split: None,
    };
    let compiled = Embedded::new(&job.frazil, '2')
        .map(|frazil| frazil.with_target(machine.names[0]))
        .and_then(|frazil| frazil.compile((&name, &bytes), &wanted, Output::new(&object)));
    if let Err(error) = compiled {
        say(&error.render(&name));
        return Ok(ExitCode::FAILURE);
    }
    for (name, contents) in RUNTIME.iter().chain([&machine.assembly]) {
        fs::write(scratch.path().join(name), contents)?;
    }
    let program = scratch.path().join("program");
    let linked = link(job, machine, &interruption, scratch.path())?;
    if !linked.status.success() {
        return Ok(exit_code(linked.status));
    }
    place(&program, &output)?;
    Ok(ExitCode::SUCCESS)
}

/// Compiles the run-time library and links what is in a folder to a program there.
fn link(job: &Job, machine: &Machine, interruption: &Interruption, folder: &Path) -> io::Result<process::Output> {
    let own = job.compiler.as_deref().map(|compiler| vec![compiler]);
    let compilers = own.unwrap_or_else(|| machine.compilers.iter().map(OsStr::new).collect());
    let sources = RUNTIME.iter().chain([&machine.assembly]).map(|(name, _)| *name);
    let sources: Vec<&str> = sources.filter(|name| !name.ends_with(".h")).collect();
    let mut failed = None;
    for compiler in compilers {
        let mut link = Command::new(compiler);
        link.args(["-O2", "-w"]).args(machine.options).arg("-o");
        link.args(
            ["program", "program.o"]
                .iter()
                .chain(&sources)
                .map(|name| folder.join(name)),
        );
        link.args(["-lm", "-lpthread"]);
        let error = match interruption.run(&mut link, None) {
            Ok(finished) => return Ok(finished),
            Err(error) => error,
        };
        let is_missing = error.kind() == io::ErrorKind::NotFound;
        let message = format!("cannot run {}: {error}", compiler.to_string_lossy());
        failed.get_or_insert(io::Error::new(error.kind(), message));
        if !is_missing {
            break;
        }
    }
    Err(failed.expect("each machine has a compiler"))
}

/// Puts the program where it is wanted, whole or not at all.
fn place(program: &Path, output: &Path) -> io::Result<()> {
    let failed = |error: io::Error| {
        let message = format!("cannot write {}: {error}", output.display());
        io::Error::new(error.kind(), message)
    };
    let folder = match output.parent() {
        Some(folder) if folder != Path::new("") => folder,
        _ => Path::new("."),
    };
    let temporary = tempfile::NamedTempFile::new_in(folder).map_err(failed)?;
    fs::copy(program, temporary.path()).map_err(failed)?;
    temporary.persist(output).map_err(|error| failed(error.error))?;
    Ok(())
}
