//! `frazil-pexe`: makes a program for Linux of an executable of PNaCl (`.pexe`).
//!
//! ```sh
//! frazil-pexe app.pexe -o app && ./app
//! ```
//!
//! Frazil compiles the executable, and the host's C compiler links it with a run-time library, whose source is in this
//! program ([the folder `runtime`](../runtime/start.c)): it starts the program in the first 4 GiB of the address space,
//! and has the interfaces that programs ask for by name, on the system's calls.
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
use std::ffi::OsString;
use std::fs;
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode};

/// The run-time library: names of files and their contents.
const RUNTIME: [(&str, &str); 4] = [
    ("pexe.h", include_str!("../runtime/pexe.h")),
    ("start.c", include_str!("../runtime/start.c")),
    ("interfaces.c", include_str!("../runtime/interfaces.c")),
    ("switch_x86_64.S", include_str!("../runtime/switch_x86_64.S")),
];

const HELP: &str = "\
frazil-pexe: makes a program for Linux of an executable of PNaCl

  frazil-pexe app.pexe -o app

  -o FILE        the program; without it, the name of the executable without its ending
  --cc PROGRAM   the C compiler that compiles the run-time library and links, instead of cc
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

/// Compiles and links.
fn make(job: &Job) -> io::Result<ExitCode> {
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
        .and_then(|frazil| frazil.compile((&name, &bytes), &wanted, Output::new(&object)));
    if let Err(error) = compiled {
        say(&error.render(&name));
        return Ok(ExitCode::FAILURE);
    }
    let program = scratch.path().join("program");
    let compiler = job.compiler.clone().unwrap_or_else(|| "cc".into());
    let mut link = Command::new(&compiler);
    // Below 4 GiB, where the addresses of everything fit 32 bits.
    link.args(["-O2", "-w", "-no-pie", "-fno-pie", "-o"])
        .arg(&program)
        .arg(&object);
    for (name, contents) in RUNTIME {
        let path = scratch.path().join(name);
        fs::write(&path, contents)?;
        if !name.ends_with(".h") {
            link.arg(path);
        }
    }
    link.args(["-lm", "-lpthread"]);
    let linked = interruption.run(&mut link, None).map_err(|error| {
        let message = format!("cannot run {}: {error}", compiler.to_string_lossy());
        io::Error::new(error.kind(), message)
    })?;
    if !linked.status.success() {
        return Ok(exit_code(linked.status));
    }
    place(&program, &output)?;
    Ok(ExitCode::SUCCESS)
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
