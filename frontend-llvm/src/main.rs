//! `frazil-llvm`: has LLVM read a module, and writes it as bitcode.
//!
//! A program of its own, so that only those who compile text pay for loading LLVM, and so that LLVM may end the
//! process. Nothing is written unless the module was read and verified.

use frazil_frontend_llvm::{Context, ReadError, Source, parse, run_passes, verify};
use pico_args::Arguments;
use std::convert::Infallible;
use std::fs::{self, Permissions};
use std::io::{self, Write};
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

const USAGE: &str = "\
Reads LLVM's text or bitcode with LLVM 22 and writes bitcode.

Usage: frazil-llvm [INPUT] [-o OUTPUT] [--llvm-passes PIPELINE] [--disable-verify] [--json-errors]

  INPUT                   text (.ll) or bitcode; - or nothing for standard input
  -o OUTPUT               where the bitcode goes; - or nothing for standard output
  --llvm-passes PIPELINE  run passes of LLVM's middle end, such as 'default<O2>', without its vectorizers
  --disable-verify        do not look whether the module keeps LLVM's rules
  --json-errors           print an error as JSON, for programs
  --version               print the version
  --help                  print this

Example:
  frazil-llvm hello.ll | frazil - -o hello.o
";

/// The exit status for a command line that is not understood.
const USAGE_ERROR: u8 = 2;

/// What is shown of a command line that is not understood.
type Message = String;

/// What the command line asks for.
struct Request {
    input: PathBuf,
    output: PathBuf,
    passes: Option<String>,
    verify: bool,
    json_errors: bool,
}

fn main() -> ExitCode {
    let request = match requested(Arguments::from_env()) {
        Ok(Some(request)) => request,
        Ok(None) => return ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("frazil-llvm: error: {error}; see --help");
            return ExitCode::from(USAGE_ERROR);
        }
    };
    match convert(&request) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            match serde_json::to_string(&error) {
                Ok(json) if request.json_errors => eprintln!("{json}"),
                _ => eprintln!("frazil-llvm: error: {error}"),
            }
            ExitCode::FAILURE
        }
    }
}

/// `None` if all that was asked for has been printed.
fn requested(mut arguments: Arguments) -> Result<Option<Request>, Message> {
    let standard = || PathBuf::from("-");
    let printed = |text: &str| write_standard(text.as_bytes()).map_err(|error| error.to_string());
    if arguments.contains("--help") {
        return printed(USAGE).map(|()| None);
    }
    if arguments.contains("--version") {
        return printed(concat!("frazil-llvm ", env!("CARGO_PKG_VERSION"), ", LLVM 22\n")).map(|()| None);
    }
    let verify = !arguments.contains("--disable-verify");
    let json_errors = arguments.contains("--json-errors");
    let passes = arguments.opt_value_from_str("--llvm-passes");
    let passes = passes.map_err(|error| error.to_string())?;
    let output = arguments.opt_value_from_os_str("-o", |path| Ok::<_, Infallible>(PathBuf::from(path)));
    let output = output.map_err(|error| error.to_string())?.unwrap_or_else(standard);
    let mut rest = arguments.finish().into_iter();
    let input = rest.next().map_or_else(standard, PathBuf::from);
    let is_option = input.to_string_lossy().starts_with('-') && input != standard();
    if let Some(extra) = rest.next().or_else(|| is_option.then(|| input.clone().into())) {
        return Err(format!("unexpected argument `{}`", extra.to_string_lossy()));
    }
    Ok(Some(Request {
        input,
        output,
        passes,
        verify,
        json_errors,
    }))
}

fn convert(request: &Request) -> Result<(), ReadError> {
    let about = |path: &Path, error: io::Error| ReadError::without_place(&path.to_string_lossy(), error.to_string());
    let source = Source::open(&request.input).map_err(|error| about(&request.input, error))?;
    let context = Context::create();
    let module = parse(&context, &source)?;
    if request.verify {
        verify(&module, &source)?;
    }
    if let Some(pipeline) = &request.passes {
        run_passes(&module, pipeline, &source)?;
    }
    let bitcode = module.write_bitcode_to_memory();
    write(&request.output, bitcode.as_slice()).map_err(|error| about(&request.output, error))
}

fn write_standard(bytes: &[u8]) -> io::Result<()> {
    let mut out = io::stdout().lock();
    out.write_all(bytes)?;
    out.flush()
}

/// Writes a regular file under another name first, so that it is there completely or not at all.
fn write(path: &Path, bytes: &[u8]) -> io::Result<()> {
    if path == Path::new("-") {
        return write_standard(bytes);
    }
    if fs::metadata(path).is_ok_and(|metadata| !metadata.is_file()) {
        return fs::write(path, bytes);
    }
    let folder = path.parent().unwrap_or(Path::new(""));
    // With the permissions of any new file: the system takes away what the user's mask says.
    let mut builder = tempfile::Builder::new();
    let mut temporary = builder.permissions(Permissions::from_mode(0o666)).tempfile_in(folder)?;
    temporary.write_all(bytes)?;
    temporary.persist(path)?;
    Ok(())
}
