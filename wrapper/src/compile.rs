//! The commands of a plan: those that make code of a source are Frazil's, all others are run as they are.
//!
//! clang's compiler proper writes bitcode to a pipe, and it is compiled in this process.

use crate::clang::Compiler;
use crate::code_options;
use crate::command_line::CommandLine;
use crate::interruption::Interruption;
use crate::job_slots::JobServer;
use crate::plan::{CodeKind, Job};
use crate::scratch::Folder;
use frazil::diagnostics::Error;
use frazil::embedded::{Embedded, Wanted};
use frazil::options::{CompressDebug, Emit, SplitDebug};
use frazil::output::Output;
use std::ffi::{OsStr, OsString};
use std::fs;
use std::io::{self, Read, Write};
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitStatus, Stdio};

/// What to do about what Frazil refuses, besides what the message says.
pub const ADVICE: &str = "leave it out, or have clang make the code with --fallback";

/// A module with fewer bytes for each thread is compiled before others could use what it would give back.
const BYTES_PER_THREAD: usize = 512 << 10;

/// Runs the commands of one command line.
#[derive(Debug)]
pub struct Runner<'a> {
    pub compiler: &'a Compiler,
    pub line: &'a CommandLine,
    /// Whether clang compiles what Frazil refuses.
    pub fallback: bool,
    pub interruption: &'a Interruption,
    /// What shares processors among the jobs of a build.
    pub jobs: &'a JobServer,
    /// For files of words.
    pub temporary: &'a Path,
}

/// How a command has ended, if not well.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Failure {
    Code(i32),
    Signal,
}

impl Failure {
    fn of(status: ExitStatus) -> Result<(), Failure> {
        match status.code() {
            Some(0) => Ok(()),
            Some(code) => Err(Failure::Code(code)),
            None => Err(Failure::Signal),
        }
    }
}

impl Runner<'_> {
    /// Runs a command of the plan.
    ///
    /// # Errors
    /// When it cannot be started.
    pub fn run(&self, job: &Job) -> io::Result<Result<(), Failure>> {
        match job.code_kind() {
            Some(kind) => self.compile(job, kind),
            None => self.run_as_it_is(job, None),
        }
    }

    /// Has clang do what it has planned.
    ///
    /// # Errors
    /// When it cannot be started.
    pub fn run_as_it_is(&self, job: &Job, input: Option<&[u8]>) -> io::Result<Result<(), Failure>> {
        let (program, words) = job.words.split_first().expect("commands have a program");
        let status = self.start(program, words, Stdio::inherit(), input)?.status;
        Ok(Failure::of(status))
    }

    /// Has the linker join the objects of the tools' hooks, too.
    ///
    /// # Errors
    /// When it cannot be started, or an object cannot be written.
    pub fn link_with_hooks(&self, job: &Job, scratch: &Folder) -> io::Result<Result<(), Failure>> {
        let hooks = Embedded::new(&self.line.frazil, '2').and_then(|frazil| frazil.hooks());
        let hooks = match hooks {
            Ok(hooks) => hooks,
            Err(error) => {
                say(&error.render(""));
                return Ok(Err(Failure::Code(1)));
            }
        };
        let mut words = job.words.clone();
        for (number, (_, object)) in hooks.iter().enumerate() {
            let path = scratch.path().join(format!("hooks{number}.o"));
            fs::write(&path, object)?;
            // In front of the libraries that they need.
            words.insert(1, path.into());
        }
        self.run_as_it_is(&Job { words }, None)
    }

    /// Has Frazil make what clang would.
    fn compile(&self, job: &Job, kind: CodeKind) -> io::Result<Result<(), Failure>> {
        // With the fallback, the source is read twice.
        let mut input = None;
        if self.fallback && job.source() == "-" {
            let mut bytes = Vec::new();
            io::stdin().read_to_end(&mut bytes)?;
            input = Some(bytes);
        }
        let words = job.words_for_bitcode();
        let program = job.words.first().expect("commands have a program");
        let output = self.start(program, &words, Stdio::piped(), input.as_deref())?;
        if let Err(failure) = Failure::of(output.status) {
            return Ok(Err(failure));
        }
        match self.generate(&output.stdout, job, kind) {
            Ok(largest_frame_bytes) => Ok(self.check_frame(job, largest_frame_bytes)),
            Err(error) if self.fallback => {
                self.say_fallback(job, &error.to_string());
                self.run_as_it_is(job, input.as_deref())
            }
            Err(error) => {
                say(&error.render(&job.source().display().to_string()));
                if error
                    .diagnostics()
                    .iter()
                    .any(|diagnostic| diagnostic.refusal.is_some())
                {
                    say("frazil-cc: note: --fallback has clang compile what Frazil refuses\n");
                }
                Ok(Err(Failure::Code(1)))
            }
        }
    }

    /// Says that clang compiles a source, and why.
    pub fn say_fallback(&self, job: &Job, reason: &str) {
        let reason = reason.lines().next().unwrap_or_default();
        say(&format!(
            "frazil-cc: warning: {}: compiled by clang, because Frazil says: {reason}\n",
            job.source().display()
        ));
    }

    /// Makes code of bitcode, and says how many bytes the largest stack frame has.
    fn generate(&self, bitcode: &[u8], job: &Job, kind: CodeKind) -> Result<u64, Error> {
        let most = bitcode.len() / BYTES_PER_THREAD;
        let slots = self.jobs.take(most);
        // One thread compiles with the leave that this process has.
        let threads = if slots.count() == 0 { 0 } else { slots.count() + 1 };
        let frazil = Embedded::new(&self.line.frazil, job.level())?.with_threads(threads as u32);
        let wanted = wanted(job, kind, self.line);
        let name = job.source().display().to_string();
        let out = Output::new(Path::new(job.output().unwrap_or(OsStr::new("-"))));
        let report = self
            .interruption
            .completing(|| frazil.compile((&name, bitcode), &wanted, out))?;
        Ok(report.counts.largest_frame_bytes)
    }

    /// Reports a frame that is larger than the user wants them to be, as clang's code generator would.
    fn check_frame(&self, job: &Job, largest_bytes: u64) -> Result<(), Failure> {
        let limit = job.suffix("-fwarn-stack-size=").and_then(|limit| limit.parse().ok());
        let Some(limit) = limit.filter(|limit| largest_bytes > *limit) else {
            return Ok(());
        };
        let is_error =
            job.has("-Werror=frame-larger-than") || (job.has("-Werror") && !job.has("-Wno-error=frame-larger-than"));
        let kind = match is_error {
            true => "error",
            false if job.has("-w") => return Ok(()),
            false => "warning",
        };
        say(&format!(
            "frazil-cc: {kind}: {}: the largest stack frame has {largest_bytes} bytes, more than {limit} \
             [-Wframe-larger-than]\n",
            job.source().display()
        ));
        if is_error {
            // What clang finds wrong leaves nothing, either.
            let _ = job.output().map(fs::remove_file);
            return Err(Failure::Code(1));
        }
        Ok(())
    }

    fn start(
        &self,
        program: &OsStr,
        words: &[OsString],
        to: Stdio,
        input: Option<&[u8]>,
    ) -> io::Result<std::process::Output> {
        let mut command = Command::new(program);
        command.args(self.compiler.words(words, &self.temporary.join("words"))?);
        command.stdout(to);
        let output = self.interruption.run(&mut command, input);
        output.map_err(|error| io::Error::new(error.kind(), format!("cannot run {}: {error}", program.display())))
    }
}

/// What Frazil is to make.
fn wanted(job: &Job, kind: CodeKind, line: &CommandLine) -> Wanted {
    Wanted {
        emit: match kind {
            CodeKind::Object => Emit::Obj,
            CodeKind::Assembly => Emit::Asm,
        },
        function_sections: job.has("-ffunction-sections"),
        data_sections: job.has("-fdata-sections"),
        asm_verbose: line.has("-fverbose-asm") && !job.has("-fno-verbose-asm"),
        compress_debug: match job.suffix("--compress-debug-sections=") {
            Some("zlib") => CompressDebug::Zlib,
            Some("zstd") => CompressDebug::Zstd,
            _ => CompressDebug::None,
        },
        debug_frames: job.has("-fforce-dwarf-frame"),
        address_ranges: job.has("-generate-arange-section"),
        type_units: job.has("-generate-type-units"),
        split: job.value("-split-dwarf-file").map(|name| {
            let path = job.value("-split-dwarf-output").map(PathBuf::from);
            let split = SplitDebug {
                name: name.as_bytes().into(),
                is_file: path.is_some(),
            };
            (split, path)
        }),
    }
}

/// The first order of a command that Frazil cannot obey.
pub fn refusal(job: &Job) -> Option<String> {
    job.code_kind()?;
    let refusal = code_options::refusal(job)?;
    Some(format!("not supported: {refusal}"))
}

/// The command by which Frazil does its part of a job, if it were one.
pub fn shown(job: &Job, kind: CodeKind, line: &CommandLine) -> Vec<OsString> {
    let wanted = wanted(job, kind, line);
    let mut words: Vec<OsString> = vec!["frazil".into()];
    if !line.frazil.iter().any(|word| word.to_string_lossy().contains("recipe")) {
        words.push(format!("--recipe={}", frazil::options::recipe_of_level(job.level())).into());
    }
    words.extend(line.frazil.iter().cloned());
    words.extend((wanted.emit == Emit::Asm).then(|| "--emit=asm".into()));
    words.extend(wanted.asm_verbose.then(|| "--asm-verbose".into()));
    words.extend(wanted.function_sections.then(|| "--function-sections".into()));
    words.extend(wanted.data_sections.then(|| "--data-sections".into()));
    words.extend(match wanted.compress_debug {
        CompressDebug::None => None,
        CompressDebug::Zlib => Some("--compress-debug-sections".into()),
        CompressDebug::Zstd => Some("--compress-debug-sections=zstd".into()),
    });
    words.extend(wanted.address_ranges.then(|| "--debug-sections=aranges".into()));
    words.extend(wanted.type_units.then(|| "--debug-sections=type-units".into()));
    if let Some((split, path)) = &wanted.split {
        let mut word = OsString::from("--split-dwarf-file=");
        word.push(OsStr::from_bytes(&split.name));
        words.push(word);
        words.extend(path.iter().map(|path| {
            let mut word = OsString::from("--split-dwarf-output=");
            word.push(path);
            word
        }));
    }
    words.extend(wanted.debug_frames.then(|| "--debug-sections=frames".into()));
    words.extend(["-".into(), "-o".into(), job.output().unwrap_or_default().to_owned()]);
    words
}

/// Writes to standard error; there is no other place to complain.
pub fn say(text: &str) {
    let _ = io::stderr().write_all(text.as_bytes());
}
