//! `frazil-link`: a linker for rustc whose input may be bitcode, which is how a graph of Rust crates is built by
//! Frazil:
//!
//! ```sh
//! RUSTFLAGS="-Clinker-plugin-lto -Clinker=frazil-link" cargo test
//! ```
//!
//! With `-Clinker-plugin-lto`, rustc leaves the making of code to the linker: what it calls objects, those in its
//! libraries included, are bitcode of one codegen unit each, generic code of the standard library among it. Here, each
//! of them is compiled, and the host's linker joins the objects, as it would those of rustc. No optimization goes
//! across modules. The standard library's own rlibs hold machine code and pass as they are.
//!
//! Method: of the words of rustc, those that name files which are bitcode, or archives with such members, are replaced
//! by what was compiled of them; options that are meant for LLVM's plugin are left out, and of them, the level chooses
//! the recipe. Modules are compiled on all processors. [`input`] looks into files.
//!
//! Not done here: linking, which is the C compiler's.

mod input;

use crate::clang::Compiler;
use crate::command_line::{expanded, file_of_words};
use crate::compile::say;
use crate::interruption::Interruption;
use crate::job_slots::JobServer;
use crate::{FALLBACK_VARIABLE, clang_program, exit_code, is_set, scratch};
use frazil::diagnostics::Error;
use frazil::embedded::hooks_objects;
use frazil::options::InstrumentArguments;
use frazil::{Driver, Options, Recipe};
use input::Input;
use std::env;
use std::ffi::OsString;
use std::fs::{self, File};
use std::io::{self, Write};
use std::num::NonZero;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::thread;

/// Names the C compiler that links; without it, it is `cc`.
pub const LINKER_VARIABLE: &str = "FRAZIL_LINK_CC";
/// Names a file to which a line is added for each module: who compiled it, its name, and the reason if that was clang.
pub const LOG_VARIABLE: &str = "FRAZIL_LINK_LOG";

const HELP: &str = "\
frazil-link: a linker for rustc that has Frazil compile the bitcode among its input

  RUSTFLAGS=\"-Clinker-plugin-lto -Clinker=frazil-link\" cargo build

-Clink-arg=--instrument=FILE has the hooks of a tool called at places of the program, and links them.
FRAZIL_LINK_CC=PATH names the C compiler that links, instead of cc. FRAZIL_CC_FALLBACK=1 has clang, which
FRAZIL_CC_CLANG=PATH names, compile modules that Frazil refuses. FRAZIL_LINK_LOG=FILE adds a line to the file for each
module: who compiled it, its name, and the reason if that was clang.
";

/// Runs the linker with these arguments, the program's name first.
pub fn run(arguments: impl IntoIterator<Item = OsString>) -> ExitCode {
    let words: Vec<OsString> = arguments.into_iter().skip(1).collect();
    if words.iter().any(|word| word == "--frazil-help") {
        say(HELP);
        return ExitCode::SUCCESS;
    }
    match link(&words) {
        Ok(code) => code,
        Err(error) => {
            say(&format!("frazil-link: error: {error}\n"));
            ExitCode::FAILURE
        }
    }
}

fn link(words: &[OsString]) -> io::Result<ExitCode> {
    let jobs = JobServer::from_environment();
    let scratch = scratch::Folder::new()?;
    let interruption = Interruption::begin(scratch.path().to_owned())?;
    let mut plan = LinkJob::default();
    for word in expanded(words)? {
        match word.to_str().and_then(|word| word.strip_prefix("--instrument=")) {
            Some(file) => plan.tools.push(file.into()),
            None => plan.add(word, &scratch)?,
        }
    }
    let job = match Job::new(plan.level, &plan.tools) {
        Ok(job) => job,
        Err(Wrong::Tools(error)) => {
            say(&error.render(""));
            return Ok(ExitCode::FAILURE);
        }
        Err(Wrong::Io(error)) => return Err(error),
    };
    if !plan.compile(&job, &jobs) {
        return Ok(ExitCode::FAILURE);
    }
    match job.hooks() {
        Ok(hooks) => {
            for (number, (_, object)) in hooks.iter().enumerate() {
                let path = scratch.path().join(format!("hooks{number}.o"));
                fs::write(&path, object)?;
                plan.words.insert(0, path.into());
            }
        }
        Err(error) => {
            say(&error.render(""));
            return Ok(ExitCode::FAILURE);
        }
    }
    for archive in &plan.archives {
        archive.write()?;
    }
    let linker = env::var_os(LINKER_VARIABLE).filter(|named| !named.is_empty());
    let linker = linker.unwrap_or_else(|| "cc".into());
    let mut command = Command::new(&linker);
    // A command line that came in a file may be too long for any other place.
    match words.iter().any(|word| word.as_encoded_bytes().starts_with(b"@")) {
        true => command.arg(file_of_words(&plan.words, &scratch.path().join("words"))?),
        false => command.args(&plan.words),
    };
    let output = interruption.run(&mut command, None);
    let output =
        output.map_err(|error| io::Error::new(error.kind(), format!("cannot run {}: {error}", linker.display())))?;
    Ok(exit_code(output.status))
}

/// A module to compile.
struct Module {
    /// What messages call it.
    name: String,
    bitcode: Vec<u8>,
    object: PathBuf,
}

/// An archive in the place of one that has bitcode in it.
struct Archive {
    path: PathBuf,
    /// The folder of the members.
    folder: PathBuf,
    members: Vec<OsString>,
}

impl Archive {
    fn write(&self) -> io::Result<()> {
        let mut archiver = Command::new("ar");
        archiver.arg("qcsD").arg(&self.path).args(&self.members);
        let output = archiver.current_dir(&self.folder).output();
        let output = output.map_err(|error| io::Error::new(error.kind(), format!("cannot run ar: {error}")))?;
        if output.status.success() {
            return Ok(());
        }
        let message = String::from_utf8_lossy(&output.stderr);
        Err(io::Error::other(format!("ar: {}", message.trim_end())))
    }
}

/// What there is to do before the linker can run, and the words for it.
struct LinkJob {
    words: Vec<OsString>,
    modules: Vec<Module>,
    archives: Vec<Archive>,
    /// Tool files whose hooks are called.
    tools: Vec<PathBuf>,
    /// The letter of the level at which LLVM would have compiled.
    level: char,
}

impl Default for LinkJob {
    fn default() -> LinkJob {
        LinkJob {
            words: Vec::new(),
            modules: Vec::new(),
            archives: Vec::new(),
            tools: Vec::new(),
            level: '0',
        }
    }
}

impl LinkJob {
    fn add(&mut self, word: OsString, scratch: &scratch::Folder) -> io::Result<()> {
        if word.as_encoded_bytes().starts_with(b"-") {
            let kept = self.without_plugin(word);
            self.words.extend(kept);
            return Ok(());
        }
        let path = PathBuf::from(&word);
        let word = match input::read(&path)? {
            Input::Other => word,
            Input::Bitcode(bitcode) => {
                let object = scratch.object(self.words.len(), &path);
                self.modules.push(Module {
                    name: path.display().to_string(),
                    bitcode,
                    object: object.clone(),
                });
                object.into()
            }
            Input::Archive(members) => self.add_archive(&path, members, scratch)?.into(),
        };
        self.words.push(word);
        Ok(())
    }

    /// Takes options to LLVM's plugin out of a word; `None` if nothing else is in it.
    fn without_plugin(&mut self, word: OsString) -> Option<OsString> {
        let Some(options) = word.to_str().and_then(|text| text.strip_prefix("-Wl,")) else {
            return Some(word);
        };
        let mut kept = String::from("-Wl");
        for option in options.split(',') {
            match option.trim_start_matches('-').strip_prefix("plugin-opt=") {
                Some(value) => self.level = level(value).unwrap_or(self.level),
                None => {
                    kept.push(',');
                    kept.push_str(option);
                }
            }
        }
        (kept != "-Wl").then(|| kept.into())
    }

    /// Plans an archive of the compiled members; others are copied into it.
    fn add_archive(
        &mut self,
        path: &Path,
        members: Vec<input::Member>,
        scratch: &scratch::Folder,
    ) -> io::Result<PathBuf> {
        let folder = scratch.folder(self.words.len())?;
        let mut archive = Archive {
            path: folder.join("archive.a"),
            folder,
            members: Vec::new(),
        };
        for (number, member) in members.into_iter().enumerate() {
            // Members may have the same name, and the longest names are too long for files.
            let name = format!("{number}.o");
            let object = archive.folder.join(&name);
            archive.members.push(name.into());
            if member.is_bitcode() {
                self.modules.push(Module {
                    name: format!("{}({})", path.display(), member.name),
                    bitcode: member.bytes,
                    object,
                });
            } else {
                fs::write(object, member.bytes)?;
            }
        }
        let path = archive.path.clone();
        self.archives.push(archive);
        Ok(path)
    }

    /// Compiles all modules; `false` after messages about some.
    fn compile(&self, job: &Job, jobs: &JobServer) -> bool {
        let next = AtomicUsize::new(0);
        let failures = Mutex::new(Vec::new());
        let work = || {
            while let Some((number, module)) =
                Some(next.fetch_add(1, Ordering::Relaxed)).and_then(|number| Some((number, self.modules.get(number)?)))
            {
                if let Err(message) = job.compile(module) {
                    let mut failures = failures.lock().expect("no thread panics while it has the lock");
                    failures.push((number, message));
                }
            }
        };
        let most = self.modules.len().saturating_sub(1);
        let slots = jobs.take(most);
        let others = match jobs.is_there() {
            true => slots.count(),
            false => most.min(thread::available_parallelism().map_or(1, NonZero::get) - 1),
        };
        thread::scope(|scope| {
            for _ in 0..others {
                scope.spawn(work);
            }
            work();
        });
        let mut failures = failures.into_inner().expect("all threads have ended");
        failures.sort();
        for (_, message) in &failures {
            let _ = io::stderr().write_all(message.as_bytes());
        }
        failures.is_empty()
    }
}

/// Why modules cannot be compiled at all.
enum Wrong {
    /// A tool file, or what it names.
    Tools(Error),
    Io(io::Error),
}

/// How modules are compiled.
struct Job {
    options: Options,
    /// The recipe without what tools put in.
    plain: Arc<Recipe>,
    level: char,
    /// clang, for modules that Frazil refuses.
    fallback: Option<Compiler>,
    log: Option<Mutex<File>>,
}

impl Job {
    fn new(level: char, tools: &[PathBuf]) -> Result<Job, Wrong> {
        let recipe = || {
            let name = frazil::options::recipe_of_level(level);
            Recipe::find(name).expect("levels have built-in recipes")
        };
        let arguments = InstrumentArguments {
            instrument: tools.to_vec(),
            ..InstrumentArguments::default()
        };
        let tools = arguments.tools(&[]).map_err(Wrong::Tools)?;
        let mut instrumenting = recipe();
        if let Some(tools) = &tools {
            frazil::instrument::add_steps(&mut instrumenting, tools);
        }
        let log = env::var_os(LOG_VARIABLE).filter(|path| !path.is_empty());
        let log = log.map(|path| File::options().create(true).append(true).open(path));
        Ok(Job {
            options: Options {
                recipe: Arc::new(instrumenting),
                instrument: tools,
                // As rustc makes them, so that the linker can leave out what is not used.
                function_sections: true,
                data_sections: true,
                ..Options::default()
            },
            plain: Arc::new(recipe()),
            level,
            fallback: is_set(FALLBACK_VARIABLE).then(|| Compiler {
                clang: clang_program(),
                plus_plus: false,
            }),
            log: log.transpose().map_err(Wrong::Io)?.map(Mutex::new),
        })
    }

    /// The objects of the hooks of tools.
    fn hooks(&self) -> Result<Vec<(String, Vec<u8>)>, Error> {
        hooks_objects(&Driver::builtin(), &self.options, &self.plain)
    }

    /// Compiles one module; the error is a message for the terminal.
    fn compile(&self, module: &Module) -> Result<(), String> {
        let message = |error: io::Error| format!("frazil-link: error: {}: {error}\n", module.name);
        match frazil::compile(&module.bitcode, &self.options) {
            Ok(object) => {
                fs::write(&module.object, object).map_err(message)?;
                self.report(&format!("frazil {}", module.name)).map_err(message)
            }
            Err(error) => {
                let Some(compiler) = &self.fallback else {
                    return Err(error.render(&module.name));
                };
                self.fall_back(compiler, module).map_err(message)?;
                let reason = error.to_string();
                let reason = reason.lines().next().unwrap_or_default();
                self.report(&format!("clang {}: {reason}", module.name))
                    .map_err(message)
            }
        }
    }

    fn fall_back(&self, compiler: &Compiler, module: &Module) -> io::Result<()> {
        let bitcode = module.object.with_extension("bc");
        fs::write(&bitcode, &module.bitcode)?;
        let mut command = compiler.command();
        command.args(["-c", "-fPIC", "-w", "-ffunction-sections", "-fdata-sections"]);
        command.arg(format!("-O{}", self.level)).args(["-x", "ir"]);
        let output = command.arg(&bitcode).arg("-o").arg(&module.object).output();
        let output = output.map_err(|error| compiler.not_started(&error))?;
        match output.status.success() {
            true => Ok(()),
            false => Err(io::Error::other(
                String::from_utf8_lossy(&output.stderr).trim_end().to_owned(),
            )),
        }
    }

    fn report(&self, line: &str) -> io::Result<()> {
        let Some(log) = &self.log else { return Ok(()) };
        let line = format!("{line}\n");
        // One write, because other linkers may write to the same file.
        let mut log = log.lock().expect("no thread panics while it has the lock");
        log.write_all(line.as_bytes())
    }
}

/// The level among the options to LLVM's plugin.
fn level(option: &str) -> Option<char> {
    let letter = option.strip_prefix('O')?;
    let mut letters = letter.chars();
    letters.next().filter(|_| letters.next().is_none())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn options_of_the_plugin_choose_the_level_and_go() {
        let mut plan = LinkJob::default();
        let mut left = |word: &str| plan.without_plugin(word.into());
        assert_eq!(left("-Wl,-plugin-opt=O2,-plugin-opt=mcpu=x86-64"), None);
        assert_eq!(
            left("-Wl,-z,noexecstack,-plugin-opt=O3"),
            Some("-Wl,-z,noexecstack".into())
        );
        assert_eq!(left("-pie"), Some("-pie".into()));
        assert_eq!(plan.level, '3');
    }
}
