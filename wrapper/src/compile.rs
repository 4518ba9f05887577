//! One source: clang makes bitcode of it, Frazil code of that.
//!
//! The bitcode goes through a pipe and is compiled in this process. What clang would decide itself while making code
//! (sections, the names in a file of dependencies) is told to Frazil, or put right.

use crate::command_line::{Action, CommandLine, Source};
use crate::exit_code;
use frazil::options::{Emit, Options};
use frazil::{Recipe, output};
use std::ffi::OsString;
use std::io::{self, Write};
use std::path::Path;
use std::process::{Command, ExitCode, Stdio};
use std::sync::Arc;

/// How sources are compiled.
#[derive(Clone, Debug)]
pub struct Compiler {
    pub clang: OsString,
    /// Whether clang is to behave as `clang++`: sources are C++ by default, and its library is linked.
    pub plus_plus: bool,
    /// Whether clang compiles what Frazil refuses.
    pub fallback: bool,
}

impl Compiler {
    /// Compiles a source; the inner error is the code to end with, after messages have been printed.
    ///
    /// # Errors
    /// When clang cannot be started.
    pub fn compile(&self, line: &CommandLine, source: &Source, to: &Path) -> io::Result<Result<(), ExitCode>> {
        let words = self.words_for_bitcode(line, source, to);
        let mut command = self.command();
        let output = command
            .args(words)
            .stdout(Stdio::piped())
            .stderr(Stdio::inherit())
            .output();
        let output = output.map_err(|error| self.not_started(&error))?;
        if !output.status.success() {
            return Ok(Err(exit_code(output.status)));
        }
        match generate(&output.stdout, line, to) {
            Ok(()) => Ok(Ok(())),
            Err(error) if self.fallback => {
                let reason = error.to_string();
                let reason = reason.lines().next().unwrap_or_default();
                let _ = writeln!(
                    io::stderr(),
                    "frazil-cc: warning: {}: compiled by clang, because Frazil says: {reason}",
                    source.path.display()
                );
                self.fall_back(line, source, to)
            }
            Err(error) => {
                let _ = io::stderr().write_all(error.render(&source.path.display().to_string()).as_bytes());
                Ok(Err(ExitCode::FAILURE))
            }
        }
    }

    /// clang, as this wrapper was called.
    pub(crate) fn command(&self) -> Command {
        let mut command = Command::new(&self.clang);
        command.args(self.plus_plus.then_some("--driver-mode=g++"));
        command
    }

    /// A failure to start clang, with its name.
    pub(crate) fn not_started(&self, error: &io::Error) -> io::Error {
        io::Error::new(error.kind(), format!("cannot run {}: {error}", self.clang.display()))
    }

    fn words_for_bitcode(&self, line: &CommandLine, source: &Source, to: &Path) -> Vec<OsString> {
        // Frazil compiles scalars. Options of the command line come later and count.
        let mut words: Vec<OsString> = ["-fno-vectorize", "-fno-slp-vectorize"].map(OsString::from).to_vec();
        words.extend(line.words_for(source));
        // Options for the assembler and the like have no use here, which is no reason for a warning.
        words.extend(["-Qunused-arguments", "-emit-llvm", "-c", "-o", "-"].map(OsString::from));
        if line.has("-MD") || line.has("-MMD") {
            if !line.has_beginning("-MF") {
                words.extend(["-MF".into(), dependencies(line, source, to)]);
            }
            if !line.has_beginning("-MT") && !line.has_beginning("-MQ") {
                words.extend(["-MQ".into(), to.into()]);
            }
        }
        words
    }

    /// Has clang make the code, too.
    fn fall_back(&self, line: &CommandLine, source: &Source, to: &Path) -> io::Result<Result<(), ExitCode>> {
        let kind = match line.action {
            Action::Compile { to_text: true } => "-S",
            _ => "-c",
        };
        let mut command = self.command();
        command.args(line.words_for(source)).args([kind, "-o"]).arg(to);
        let status = command.status().map_err(|error| self.not_started(&error))?;
        Ok(match status.success() {
            true => Ok(()),
            false => Err(exit_code(status)),
        })
    }
}

/// The file of dependencies that clang would write: named after the output, or after the source when linking.
fn dependencies(line: &CommandLine, source: &Source, to: &Path) -> OsString {
    let name = match line.action {
        Action::Link => Path::new(source.path.file_name().unwrap_or_default()),
        _ => to,
    };
    name.with_extension("d").into()
}

/// Options that tell clang's code generator what bitcode does not say, each with the one that takes it back: with them,
/// objects are to hold other things than those that Frazil makes.
const FOR_CODE: [(&str, &str); 4] = [
    ("-femulated-tls", "-fno-emulated-tls"),
    ("-fno-use-init-array", "-fuse-init-array"),
    ("-fno-zero-initialized-in-bss", "-fzero-initialized-in-bss"),
    ("-fstack-size-section", "-fno-stack-size-section"),
];

/// Makes code of bitcode.
fn generate(bitcode: &[u8], line: &CommandLine, to: &Path) -> Result<(), frazil::Error> {
    if let Some((option, _)) = FOR_CODE.iter().find(|(on, off)| line.is_on(on, off)) {
        let message = format!("not supported: the option {option}");
        return Err(frazil::Error::new(frazil::diagnostics::Stage::Options, message));
    }
    let recipe = frazil::options::recipe_of_level(line.level);
    let options = Options {
        emit: match line.action {
            Action::Compile { to_text: true } => Emit::Asm,
            _ => Emit::Obj,
        },
        recipe: Arc::new(Recipe::find(recipe).expect("levels have built-in recipes")),
        function_sections: line.has("-ffunction-sections") && !line.has("-fno-function-sections"),
        data_sections: line.has("-fdata-sections") && !line.has("-fno-data-sections"),
        ..Options::default()
    };
    let mut out = output::Output::new(to);
    frazil::compile_to(bitcode, &options, &mut out)?;
    out.commit().map_err(|error| frazil::Error::output(&error))
}
