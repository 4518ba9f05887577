//! `cargo xtask linkers`: objects are read by `llvm-readelf`, and linked by three linkers into whatever users link.
//!
//! Each program of the corpus, in C, C++ and Rust, is compiled from unoptimised bitcode with debug information and from
//! optimised bitcode. `llvm-readelf` must show the whole object without a warning. GNU ld, LLVM's linker and mold must
//! link it statically and as a position-independent executable; and from bitcode of position-independent code, as a
//! shared library in which an executable finds `main`. A warning of a linker is a failure unless it is given of llc's
//! object, too. Every program that was linked must do in its first short run what that of `llc-22 -O0` does.
//!
//! Not here: debug sections (`debug-sections`), and code that is too long for branches (`large`).

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::Mutex;

use anyhow::{Context, Result, bail, ensure};
use pico_args::Arguments;

use super::{RUN_LIMIT, compile_host_part, difference, run_command};
use crate::compiler::{Compiler, LlcLevel};
use crate::corpus::{self, Level, Module};
use crate::process::{self, Outcome};
use crate::share::Share;
use crate::{machine, parallel, workspace};

/// What reads objects.
const READER: &str = "llvm-readelf-22";

/// The levels of bitcode for executables.
const FOR_EXECUTABLES: [Level; 2] = [Level::O0Debug, Level::O2];

/// What is linked of an object.
struct Form {
    name: &'static str,
    option: &'static str,
    levels: [Level; 2],
    libraries: &'static [&'static str],
}

const FORMS: [Form; 3] = [
    Form {
        name: "static",
        option: "-static",
        levels: FOR_EXECUTABLES,
        libraries: &["-lstdc++", "-lm", "-lpthread", "-ldl", "-lgcc_eh"],
    },
    Form {
        name: "pie",
        option: "-pie",
        levels: FOR_EXECUTABLES,
        libraries: &["-lstdc++", "-lm", "-lpthread", "-ldl", "-lgcc_s"],
    },
    Form {
        name: "shared",
        option: "-shared",
        levels: Level::FOR_LIBRARIES,
        libraries: &["-lstdc++", "-lm", "-lpthread", "-ldl", "-lgcc_s"],
    },
];

/// Counts of what was tried.
#[derive(Default)]
struct Report {
    objects: usize,
    links: usize,
    failed: usize,
}

/// `cargo xtask linkers [FILTER]` with the options of [`Share`] and [`Compiler::list_from_arguments`].
pub fn command(mut arguments: Arguments) -> Result<bool> {
    machine::select(&mut arguments)?;
    let compilers = Compiler::list_from_arguments(&mut arguments, &["Om1", "O2"])?;
    let mut share = Share::from_arguments(&mut arguments)?;
    linkers().iter().try_for_each(|linker| workspace::require(linker))?;
    let levels = [FOR_EXECUTABLES, Level::FOR_LIBRARIES].concat();
    let modules = corpus::modules_at(&levels, &corpus::filter(arguments)?)?;
    share.begin();
    let report = Mutex::new(Report::default());
    let made = parallel::share(&share, modules.len(), |number| {
        let module = &modules[number];
        let subject = Subject::new(module).with_context(|| module.name())?;
        for compiler in &compilers {
            let (links, problems) = subject.check(compiler).with_context(|| module.name())?;
            let mut report = report.lock().expect("no thread panics while it reports");
            report.objects += 1;
            report.links += links;
            report.failed += problems.len();
            for problem in problems {
                println!("{:<22} {compiler:<11} FAILED: {problem}", module.name());
            }
        }
        Ok(())
    })?;
    let Report { objects, links, failed } = report.into_inner().expect("no thread panics while it reports");
    println!("{}", share.report("modules", made, modules.len()));
    println!(
        "{objects} objects read, linked {links} times by {}, {failed} failed",
        linkers().join(", ")
    );
    Ok(failed == 0)
}

/// The linkers that objects are tested with, as they are found on `PATH`.
pub fn linkers() -> [String; 3] {
    [
        machine::utility("ld.bfd"),
        workspace::LLD.to_owned(),
        workspace::MOLD.to_owned(),
    ]
}

/// A module with the other things that are linked.
struct Parts<'a> {
    module: &'a Module,
    host_part: Option<PathBuf>,
    /// Where everything goes.
    dir: PathBuf,
}

/// A module with what its programs are compared with.
struct Subject<'a> {
    parts: Parts<'a>,
    /// llc's object.
    reference: PathBuf,
    /// What the program of it does.
    expected: Outcome,
}

impl Subject<'_> {
    fn new(module: &Module) -> Result<Subject<'_>> {
        let dir = machine::folder().join("linkers").join(module.name());
        fs::create_dir_all(&dir)?;
        let llc = Compiler::Llc(LlcLevel::O0);
        let reference = dir.join(format!("{llc}.o"));
        process::checked(&mut llc.command(module.bitcode()?, &reference)?)?;
        let host_part = compile_host_part(module, &dir)?;
        let parts = Parts { module, host_part, dir };
        let form = parts.forms().next().context("every level has a form")?;
        let [linker, ..] = linkers();
        let program = parts.dir.join(llc.name());
        let linked = parts.link(form, &linker, &reference, &program)?;
        ensure!(linked.success(), "{}: {}", module.name(), linked.first_error_line());
        let expected = parts.run(&program)?;
        if expected.status.is_none() || expected.stdout.is_empty() {
            bail!("the program of {llc} did not do its work: {}", expected.ending());
        }
        Ok(Subject {
            parts,
            reference,
            expected,
        })
    }

    /// Compiles, and looks at the object and all that is linked of it. The result is how many links there were, and
    /// what is wrong.
    fn check(&self, compiler: &Compiler) -> Result<(usize, Vec<String>)> {
        let object = self.parts.dir.join(format!("{compiler}.o"));
        let compiled = compiler.run(&mut compiler.command(self.parts.module.bitcode()?, &object)?)?;
        if !compiled.success() {
            return Ok((0, vec![compiled.first_error_line()]));
        }
        let mut problems: Vec<String> = complaint_of_reader(&object)?.into_iter().collect();
        let mut links = 0;
        for form in self.parts.forms() {
            for linker in linkers() {
                links += 1;
                let problem = self.check_link(form, &linker, &object)?;
                problems.extend(problem.map(|problem| format!("{} by {linker}: {problem}", form.name)));
            }
        }
        Ok((links, problems))
    }

    /// What is wrong with a program that is linked of an object.
    fn check_link(&self, form: &Form, linker: &str, object: &Path) -> Result<Option<String>> {
        let program = object.with_extension(format!("{}-{linker}", form.name));
        let linked = self.parts.link(form, linker, object, &program)?;
        if !linked.success() {
            return Ok(Some(linked.first_error_line()));
        }
        let said = warnings(&linked);
        if !said.is_empty() {
            let usual = self
                .parts
                .link(form, linker, &self.reference, &program.with_extension("llc"))?;
            let usual = warnings(&usual);
            if let Some(line) = said.into_iter().find(|line| !usual.contains(line)) {
                return Ok(Some(line));
            }
        }
        Ok(difference(&self.expected, &self.parts.run(&program)?))
    }
}

impl Parts<'_> {
    /// What is linked of the module.
    fn forms(&self) -> impl Iterator<Item = &'static Form> {
        FORMS.iter().filter(|form| form.levels.contains(&self.module.level))
    }

    /// Links an object with the module's host part to a program, which for a shared library is one beside it.
    fn link(&self, form: &Form, linker: &str, object: &Path, program: &Path) -> Result<Outcome> {
        let is_library = form.option == "-shared";
        let library = program.with_extension(format!("{linker}.so"));
        let mut link = machine::linking_by(linker)?;
        link.arg(form.option).arg(object).args(&self.host_part);
        link.arg("-o").arg(if is_library { &library } else { program });
        link.arg("-Wl,--as-needed").args(form.libraries);
        let linked = process::run(&mut link, process::TIME_LIMIT)?;
        if !is_library || !linked.success() {
            return Ok(linked);
        }
        let mut executable = machine::linking_by(linker)?;
        // What starts programs asks for `main`, which is in the library.
        executable
            .arg(&library)
            .arg(format!("-Wl,-rpath,{}", self.dir.display()));
        process::run(executable.arg("-o").arg(program), process::TIME_LIMIT)
    }

    /// The first short run of a program.
    fn run(&self, program: &Path) -> Result<Outcome> {
        let run = self.module.program.runs.first().context("every program has a run")?;
        process::run(&mut run_command(program, run, run.short), machine::limit(RUN_LIMIT))
    }
}

/// The warnings of a linker, without the places in objects.
fn warnings(linked: &Outcome) -> Vec<String> {
    let text = String::from_utf8_lossy(&linked.stderr);
    let warnings = text.lines().filter_map(|line| line.split_once("warning: "));
    warnings.map(|(_, warning)| warning.to_owned()).collect()
}

/// What `llvm-readelf` says against an object.
fn complaint_of_reader(object: &Path) -> Result<Option<String>> {
    workspace::require(READER)?;
    // Nobody reads what it shows, which is too much to keep.
    let mut reader = Command::new("sh");
    reader
        .args(["-c", "exec \"$0\" --all \"$1\" >/dev/null", READER])
        .arg(object);
    let outcome = process::run(&mut reader, process::TIME_LIMIT)?;
    let is_silent = outcome.success() && outcome.stderr.is_empty();
    Ok((!is_silent).then(|| format!("{READER}: {}", outcome.first_error_line())))
}
