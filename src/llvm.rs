//! Text of LLVM's IR, and passes of its middle end: both are LLVM's work, done by the helper program `frazil-llvm`.
//!
//! The helper is a process of its own that reads the input and writes bitcode to a pipe; `frazil` itself never loads
//! LLVM, which alone takes longer than many compilations. It is looked for where the environment variable
//! [`HELPER_VARIABLE`] says, beside this program, and on `PATH`. Errors come back as JSON, so that file, line, column
//! and the source line are shown like Frazil's own.

use crate::diagnostics::{Diagnostic, Error, Excerpt, Stage, reason};
use crate::input::is_standard_stream;
use crate::options::LlvmOptions;
pub use crate::recognize::is_text;
use serde::Deserialize;
use std::env;
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

/// Names the helper program, if it is neither beside `frazil` nor on `PATH`.
pub const HELPER_VARIABLE: &str = "FRAZIL_LLVM";

const HELPER: &str = "frazil-llvm";

/// Has LLVM read an input, of which `bytes` are the contents, and gives the bitcode.
///
/// # Errors
/// When the helper is missing or fails, or LLVM finds the module wrong.
pub fn read(path: &Path, bytes: &[u8], options: &LlvmOptions) -> Result<Vec<u8>, Error> {
    let helper = options.helper.clone().map_or_else(find, Ok)?;
    let mut command = Command::new(&helper);
    command.arg("--json-errors");
    if options.disable_verify {
        command.arg("--disable-verify");
    }
    if let Some(passes) = &options.passes {
        command.args(["--llvm-passes", passes]);
    }
    // A name that begins with a dash would be taken for an option.
    let by_name = !is_standard_stream(path) && !path.as_os_str().as_encoded_bytes().starts_with(b"-");
    let output = match by_name {
        true => command.arg(path).stdin(Stdio::null()).output(),
        false => with_input(command.arg("-"), bytes),
    };
    let output = output.map_err(|error| {
        let message = format!(
            "cannot run {}: {}; {HELPER_VARIABLE} may name the helper program",
            helper.display(),
            reason(&error)
        );
        Error::new(Stage::Read, message)
    })?;
    match output.status.success() {
        true => Ok(output.stdout),
        false => Err(failure(&helper, &output)),
    }
}

/// Runs a program that reads `bytes` from its standard input while its output is collected.
pub(crate) fn with_input(command: &mut Command, bytes: &[u8]) -> io::Result<Output> {
    command
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped());
    let mut child = command.spawn()?;
    let stdin = child.stdin.take();
    std::thread::scope(|scope| {
        // A program that ends before it has read everything says why by itself.
        scope.spawn(move || stdin.map(|mut stdin| stdin.write_all(bytes)));
        child.wait_with_output()
    })
}

/// The helper program.
fn find() -> Result<PathBuf, Error> {
    if let Some(named) = env::var_os(HELPER_VARIABLE).filter(|named| !named.is_empty()) {
        return Ok(PathBuf::from(named));
    }
    let beside = env::current_exe()
        .ok()
        .and_then(|program| program.parent().map(|folder| folder.join(HELPER)));
    let on_path = env::var_os("PATH").unwrap_or_default();
    let mut places = beside
        .into_iter()
        .chain(env::split_paths(&on_path).map(|folder| folder.join(HELPER)));
    places.find(|place| place.is_file()).ok_or_else(|| {
        let message = format!(
            "text of LLVM's IR and LLVM's passes need the helper program `{HELPER}`, which is neither beside frazil \
             nor on PATH: build it with `cargo build --release -p frazil-frontend-llvm` (it needs LLVM 22: Debian's \
             llvm-22-dev) and put it there, or give its path in {HELPER_VARIABLE}; or make bitcode of the input with \
             `llvm-as` or `opt`"
        );
        Error::new(Stage::Read, message)
    })
}

/// An error as the helper prints it.
#[derive(Deserialize)]
struct Complaint {
    place: Option<TextPosition>,
    message: String,
    excerpt: String,
}

#[derive(Deserialize)]
struct TextPosition {
    line: u32,
    column: u32,
}

/// Why the helper failed: what it says, or how it ended.
fn failure(helper: &Path, output: &Output) -> Error {
    let said = String::from_utf8_lossy(&output.stderr);
    let complaint = said.lines().rev().find_map(|line| serde_json::from_str(line).ok());
    let Some(complaint) = complaint else {
        let message = format!("{} failed ({}): {}", helper.display(), output.status, said.trim());
        return Error::new(Stage::Read, message);
    };
    let Complaint {
        place,
        message,
        excerpt,
    } = complaint;
    Error::from(vec![Diagnostic {
        excerpt: place.map(|TextPosition { line, column }| Excerpt {
            line,
            column,
            text: excerpt,
        }),
        ..Diagnostic::new(Stage::Read, message)
    }])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn text_and_bitcode_are_told_apart_by_their_bytes() {
        assert!(is_text(b"; ModuleID = 'x'\n"));
        assert!(is_text(b"define void @f() {\r\n\tret void\n}\n"));
        assert!(is_text("@ä = global i32 0".as_bytes()));
        for binary in [
            &b"BC\xc0\xde\x35\x14"[..],
            b"\xde\xc0\x17\x0b",
            b"PEXE",
            b"\x7fELF",
            b"",
        ] {
            assert!(!is_text(binary), "{binary:?}");
        }
    }

    #[test]
    fn what_the_helper_says_becomes_a_diagnostic_with_its_place() {
        use std::os::unix::process::ExitStatusExt;
        let ended = |stderr: &str| Output {
            status: std::process::ExitStatus::from_raw(0x100),
            stdout: Vec::new(),
            stderr: stderr.as_bytes().to_vec(),
        };
        let said = r#"{"file":"a.ll","place":{"line":3,"column":12},"message":"expected type","excerpt":"  %x\n  ^"}"#;
        let error = failure(Path::new(HELPER), &ended(said));
        assert_eq!(
            error.render("a.ll"),
            "frazil: error: a.ll:3:12: expected type\n  %x\n  ^\n"
        );
        let error = failure(Path::new(HELPER), &ended("cannot load LLVM\n"));
        assert_eq!(
            error.to_string(),
            "frazil-llvm failed (exit status: 1): cannot load LLVM"
        );
    }
}
