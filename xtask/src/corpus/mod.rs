//! `cargo xtask corpus`: one bitcode module of each program in the table, at each optimization level.
//!
//! Every C file and the program's driver are compiled by clang and joined by llvm-link. A module is made again only
//! when its recipe (the commands, the compiler's version, our own C files) has changed; the recipe is kept beside it.
//!
//! Not here: compiling the modules to objects (`crosstest`, `bench`).

pub mod fetch;
mod programs;

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::{Mutex, PoisonError};

use anyhow::{Context, Result, bail};
use pico_args::Arguments;

pub use programs::{Package, Program, Run};

use crate::share::Share;
use crate::{machine, parallel, process, workspace};

/// How clang is asked to optimize.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Level {
    /// As written, every variable in memory.
    O0,
    /// Optimized, without the vectorizers.
    O2,
    /// Optimized as users do.
    O2Vectors,
    O3,
    /// For processors with SSE4.2.
    O3V2,
    /// For processors with AVX2.
    O3V3,
    /// For processors with AVX-512.
    O3V4,
    /// As [`O0`](Self::O0), with debug information.
    O0Debug,
    /// As [`O2Vectors`](Self::O2Vectors), with debug information.
    O2Debug,
    /// As [`O0Debug`](Self::O0Debug), for shared libraries.
    O0Library,
    /// As [`O2Vectors`](Self::O2Vectors), for shared libraries.
    O2Library,
    /// As [`O0`](Self::O0), with counters of the compiler's own for the parts of the source.
    O0Profile,
    /// The same, where counters are counted up by one atomic operation, which no pass merges or moves.
    O0AtomicProfile,
    /// As [`O2Vectors`](Self::O2Vectors), with counters.
    O2Profile,
    /// The same, counted up by atomic operations.
    O2AtomicProfile,
    /// As [`O2Vectors`](Self::O2Vectors), with a byte for each edge that is counted up when control passes it.
    O2Coverage,
}

impl Level {
    /// Without vectors that clang makes.
    pub const SCALAR: [Level; 2] = [Level::O0, Level::O2];
    pub const WITH_DEBUG: [Level; 2] = [Level::O0Debug, Level::O2Debug];
    /// Of position-independent code, others than which assume to be in a program.
    pub const FOR_LIBRARIES: [Level; 2] = [Level::O0Library, Level::O2Library];
    /// With counters of clang's and rustc's own.
    pub const INSTRUMENTED: [Level; 5] = [
        Level::O0Profile,
        Level::O0AtomicProfile,
        Level::O2Profile,
        Level::O2AtomicProfile,
        Level::O2Coverage,
    ];
    /// Without debug information, for programs.
    pub const EACH: [Level; 7] = [
        Level::O0,
        Level::O2,
        Level::O2Vectors,
        Level::O3,
        Level::O3V2,
        Level::O3V3,
        Level::O3V4,
    ];

    /// The levels that `--level NAME` asks for, given as often as wanted; those without vectors if it does not.
    pub fn from_arguments(arguments: &mut Arguments) -> Result<Vec<Level>> {
        let names: Vec<String> = arguments.values_from_str("--level")?;
        let all = [
            &Level::EACH[..],
            &Level::WITH_DEBUG,
            &Level::FOR_LIBRARIES,
            &Level::INSTRUMENTED,
        ];
        let all = all.concat();
        let named = |name: String| {
            let found = all.iter().copied().find(|level| level.name() == name);
            found.with_context(|| {
                let known: Vec<&str> = all.iter().map(|level| level.name()).collect();
                format!("there is no level `{name}`; there are {}", known.join(", "))
            })
        };
        match names.is_empty() {
            true => Ok(Level::SCALAR.to_vec()),
            false => names.into_iter().map(named).collect(),
        }
    }

    /// Its name in names of modules.
    pub fn name(self) -> &'static str {
        match self {
            Level::O0 => "O0",
            Level::O2 => "O2",
            Level::O2Vectors => "O2-vectors",
            Level::O3 => "O3",
            Level::O3V2 => "O3-v2",
            Level::O3V3 => "O3-v3",
            Level::O3V4 => "O3-v4",
            Level::O0Debug => "O0-g",
            Level::O2Debug => "O2-g",
            Level::O0Library => "O0-g-library",
            Level::O2Library => "O2-library",
            Level::O0Profile => "O0-profile",
            Level::O0AtomicProfile => "O0-profile-atomic",
            Level::O2Profile => "O2-profile",
            Level::O2AtomicProfile => "O2-profile-atomic",
            Level::O2Coverage => "O2-coverage",
        }
    }

    /// The options for clang, but for [`processor`](Self::processor).
    pub fn options(self) -> &'static [&'static str] {
        match self {
            // Functions are not marked `optnone`, so that the input does not say how to be compiled.
            Level::O0 => &["-O0", "-Xclang", "-disable-O0-optnone"],
            Level::O2 => &["-O2", "-fno-vectorize", "-fno-slp-vectorize"],
            Level::O2Vectors => &["-O2"],
            Level::O3 | Level::O3V2 | Level::O3V3 | Level::O3V4 => &["-O3"],
            Level::O0Debug => &["-O0", "-Xclang", "-disable-O0-optnone", "-g"],
            Level::O2Debug => &["-O2", "-g"],
            Level::O0Library => &["-O0", "-Xclang", "-disable-O0-optnone", "-g", "-fPIC"],
            Level::O2Library => &["-O2", "-fPIC"],
            Level::O0Profile => &[
                "-O0",
                "-Xclang",
                "-disable-O0-optnone",
                "-fprofile-instr-generate",
                // Templates of the library are counted, too.
                "-mllvm",
                "-system-headers-coverage",
            ],
            Level::O0AtomicProfile => &[
                "-O0",
                "-Xclang",
                "-disable-O0-optnone",
                "-fprofile-instr-generate",
                "-fprofile-update=atomic",
                "-mllvm",
                "-system-headers-coverage",
            ],
            Level::O2Profile => &["-O2", "-fprofile-instr-generate", "-mllvm", "-system-headers-coverage"],
            Level::O2AtomicProfile => &[
                "-O2",
                "-fprofile-instr-generate",
                "-fprofile-update=atomic",
                "-mllvm",
                "-system-headers-coverage",
            ],
            Level::O2Coverage => &["-O2", "-fsanitize-coverage=inline-8bit-counters"],
        }
    }

    /// The options for rustc, but for [`processor`](Self::processor).
    pub fn options_of_rustc(self) -> &'static [&'static str] {
        match self {
            Level::O0 => &["-Copt-level=0"],
            Level::O2 => &["-Copt-level=2", "-Cno-vectorize-loops", "-Cno-vectorize-slp"],
            // rustc's code is position-independent unless it is told something else.
            Level::O2Vectors | Level::O2Library => &["-Copt-level=2"],
            Level::O3 | Level::O3V2 | Level::O3V3 | Level::O3V4 => &["-Copt-level=3"],
            Level::O0Debug | Level::O0Library => &["-Copt-level=0", "-g"],
            Level::O2Debug => &["-Copt-level=2", "-g"],
            Level::O0Profile => &["-Copt-level=0", "-Cinstrument-coverage"],
            Level::O0AtomicProfile => &[
                "-Copt-level=0",
                "-Cinstrument-coverage",
                "-Cllvm-args=-instrprof-atomic-counter-update-all",
            ],
            Level::O2Profile => &["-Copt-level=2", "-Cinstrument-coverage"],
            Level::O2AtomicProfile => &[
                "-Copt-level=2",
                "-Cinstrument-coverage",
                "-Cllvm-args=-instrprof-atomic-counter-update-all",
            ],
            Level::O2Coverage => &[
                "-Copt-level=2",
                "-Cpasses=sancov-module",
                "-Cllvm-args=-sanitizer-coverage-level=3",
                "-Cllvm-args=-sanitizer-coverage-inline-8bit-counters",
            ],
        }
    }

    /// Our own file that every program of the level has besides, relative to the workspace.
    fn support(self) -> Option<&'static str> {
        (self == Level::O2Coverage).then_some("xtask/corpus/coverage.c")
    }

    /// The number among a machine's processors of the one that code is for.
    fn processor_number(self) -> usize {
        match self {
            Level::O3V2 => 1,
            Level::O3V3 => 2,
            Level::O3V4 => 3,
            _ => 0,
        }
    }

    /// The processor that code is for, as both compilers name it.
    pub fn processor(self) -> Result<&'static str> {
        let target = machine::current().target;
        machine::processor(self.processor_number())
            .with_context(|| format!("{target} has no processor for level {}", self.name()))
    }

    /// Whether code of the level runs here; what does not is compiled and linked all the same.
    pub fn is_executable(self) -> bool {
        self.processor_number() < machine::processors().len()
    }
}

/// One bitcode file of the corpus, made when it is first asked for.
#[derive(Debug)]
pub struct Module {
    pub program: &'static Program,
    pub level: Level,
    /// Where the program's sources are.
    package_dir: PathBuf,
    bitcode: PathBuf,
    /// What [`instructions`](Self::instructions) says, once the file is made.
    made: Mutex<Option<u64>>,
}

impl Module {
    /// Such as `lua-O0`.
    pub fn name(&self) -> String {
        module_name(self.program, self.level)
    }

    /// The bitcode file, which is made unless it is there.
    pub fn bitcode(&self) -> Result<&Path> {
        self.instructions()?;
        Ok(&self.bitcode)
    }

    /// Instructions in all function bodies, counted by LLVM's printer.
    pub fn instructions(&self) -> Result<u64> {
        let mut made = self.made.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(instructions) = *made {
            return Ok(instructions);
        }
        let instructions = self.make().with_context(|| format!("making {}", self.name()))?;
        *made = Some(instructions);
        Ok(instructions)
    }

    /// The text of all that the bitcode depends on; it is there once the bitcode is.
    pub fn recipe_file(&self) -> PathBuf {
        self.bitcode.with_extension("recipe")
    }

    /// Makes the file, if what it depends on has changed; the number of instructions.
    fn make(&self) -> Result<u64> {
        let file = |ending: &str| self.bitcode.with_extension(ending);
        let (count_file, recipe_file, parts_dir) = (file("instructions"), self.recipe_file(), file("parts"));
        let (compile, link) = commands(self.program, self.level, &self.package_dir, &parts_dir, &self.bitcode)?;
        let recipe = recipe(self.program, self.level, &compile, &link)?;
        if fs::read_to_string(&recipe_file).ok().as_ref() != Some(&recipe) {
            fs::create_dir_all(&parts_dir)?;
            for mut command in compile {
                process::checked(&mut command)?;
            }
            process::checked(&mut { link })?;
            fs::remove_dir_all(&parts_dir)?;
            fs::write(&count_file, count_instructions(&self.bitcode)?.to_string())?;
            // Last, so that a run which was interrupted is repeated.
            fs::write(&recipe_file, recipe)?;
        }
        Ok(fs::read_to_string(&count_file)?.trim().parse()?)
    }
}

fn module_name(program: &Program, level: Level) -> String {
    format!("{}-{}", program.name, level.name())
}

/// `cargo xtask corpus [FILTER]` with the options of [`Share`]; with `--wide`, it is [`crate::crosstest::wide`]'s.
pub fn command(mut arguments: Arguments) -> Result<bool> {
    machine::select(&mut arguments)?;
    let mut share = Share::from_arguments(&mut arguments)?;
    let modules = modules_at(&Level::EACH, &filter(arguments)?)?;
    share.begin();
    let made = parallel::share(&share, modules.len(), |number| {
        let module = &modules[number];
        println!(
            "{:>8} instructions  {}",
            module.instructions()?,
            module.bitcode()?.display()
        );
        Ok(())
    })?;
    println!("{}", share.report("modules", made, modules.len()));
    Ok(true)
}

/// The last argument of every command that works on modules.
pub fn filter(mut arguments: Arguments) -> Result<String> {
    let filter = arguments.opt_free_from_str::<String>()?.unwrap_or_default();
    let rest = arguments.finish();
    if let Some(extra) = rest.first() {
        bail!("unexpected argument `{}`", extra.to_string_lossy());
    }
    Ok(filter)
}

/// The modules without vectors whose names contain `filter`.
pub fn modules(filter: &str) -> Result<Vec<Module>> {
    modules_to_compile(&Level::SCALAR, filter)
}

/// The same at some levels.
pub fn modules_to_compile(levels: &[Level], filter: &str) -> Result<Vec<Module>> {
    modules_of(programs::PROGRAMS.iter(), levels, filter)
}

/// The same with the programs in C++ and Rust, for commands that run them.
pub fn modules_to_run(filter: &str) -> Result<Vec<Module>> {
    modules_at(&Level::SCALAR, filter)
}

/// The paths of modules, all of which are made.
pub fn paths(modules: &[Module]) -> Result<Vec<String>> {
    let paths = modules.iter().map(|module| Ok(module.bitcode()?.display().to_string()));
    paths.collect()
}

/// All programs at some levels.
pub fn modules_at(levels: &[Level], filter: &str) -> Result<Vec<Module>> {
    modules_of(programs::PROGRAMS.iter().chain(programs::RUN_PROGRAMS), levels, filter)
}

/// The names of all programs whose modules' names at a level contain `filter`; none is made.
pub fn programs_at(level: Level, filter: &str) -> Vec<&'static str> {
    let programs = programs::PROGRAMS.iter().chain(programs::RUN_PROGRAMS);
    let chosen = programs.filter(|program| module_name(program, level).contains(filter));
    chosen.map(|program| program.name).collect()
}

/// The module of a program at a level.
pub fn module(program: &str, level: Level) -> Result<Module> {
    let mut modules = modules_at(&[level], program)?.into_iter();
    let found = modules.find(|module| module.program.name == program);
    found.with_context(|| format!("there is no program `{program}`"))
}

fn modules_of(programs: impl Iterator<Item = &'static Program>, levels: &[Level], filter: &str) -> Result<Vec<Module>> {
    let corpus_dir = machine::folder().join("corpus");
    let sources = workspace::target_dir().join("corpus/sources");
    let used = programs::PROGRAMS.iter().filter_map(|program| program.package.as_ref());
    let packages = fetch::fetch_packages(&sources, used)?;
    let root = workspace::root();
    let mut modules = Vec::new();
    let has_wide = machine::current().widest_converted_bits >= 128;
    for program in programs.filter(|program| has_wide || !programs::WITH_WIDE_INTEGERS.contains(&program.name)) {
        let package_dir = match &program.package {
            Some(package) => packages
                .get(package.name)
                .context("cargo did not fetch a package it was told to")?,
            None => &root,
        };
        // Not every machine has so many levels.
        for &level in levels.iter().filter(|&&level| level.processor().is_ok()) {
            if module_name(program, level).contains(filter) {
                modules.push(Module {
                    program,
                    level,
                    package_dir: package_dir.clone(),
                    bitcode: corpus_dir.join(format!("{}.bc", module_name(program, level))),
                    made: Mutex::default(),
                });
            }
        }
    }
    if modules.is_empty() {
        bail!("no module's name contains `{filter}`");
    }
    Ok(modules)
}

/// The commands that compile every file, and the one that joins the results.
fn commands(
    program: &Program,
    level: Level,
    package_dir: &Path,
    parts_dir: &Path,
    bitcode: &Path,
) -> Result<(Vec<Command>, Command)> {
    let mut sources = source_files(package_dir, program.sources, program.exclude)?;
    sources.push(workspace::root().join(program.driver));
    sources.extend(level.support().map(|file| workspace::root().join(file)));
    let mut compile = Vec::new();
    let mut link = workspace::llvm_tool(workspace::LLVM_LINK)?;
    link.arg("-o").arg(bitcode);
    for (index, source) in sources.iter().enumerate() {
        let part = parts_dir.join(format!("{index}.bc"));
        if is_rust(source) {
            compile.push(rustc(level, source, &part)?);
            link.arg(part);
            continue;
        }
        let mut command = machine::clang()?;
        // What a distribution's clang assumes by itself is said, so that the bitcode is the same everywhere.
        command.args(["-c", "-emit-llvm", "-w", "-fPIE"]);
        command.arg(machine::processor_option(level.processor()?));
        command.args(level.options()).args(program.options);
        command.args(
            program
                .includes
                .iter()
                .map(|dir| format!("-I{}", package_dir.join(dir).display())),
        );
        command.arg("-o").arg(&part).arg(source);
        compile.push(command);
        link.arg(part);
    }
    Ok((compile, link))
}

/// Whether rustc compiles a file.
pub fn is_rust(source: &Path) -> bool {
    source.extension().is_some_and(|extension| extension == "rs")
}

/// The command that makes bitcode of a crate.
fn rustc(level: Level, source: &Path, bitcode: &Path) -> Result<Command> {
    let mut command = Command::new(workspace::RUSTC);
    command.args(["--edition=2024", "--emit=llvm-bc", "-Awarnings", "-Ccodegen-units=1"]);
    command.args(level.options_of_rustc());
    command.arg(format!("--target={}", machine::current().rust_target));
    command.arg(format!("-Ctarget-cpu={}", level.processor()?));
    command.arg(source).arg("-o").arg(bitcode);
    Ok(command)
}

/// The source files that `sources` stands for, in an order that does not depend on the file system. A path that ends in
/// `/` stands for the folder's C and C++ files but for `exclude`.
pub fn source_files(package_dir: &Path, sources: &[&str], exclude: &[&str]) -> Result<Vec<PathBuf>> {
    let mut files = Vec::new();
    for source in sources {
        let path = package_dir.join(source);
        if !source.ends_with('/') {
            files.push(path);
            continue;
        }
        let mut found = Vec::new();
        for entry in fs::read_dir(&path).with_context(|| path.display().to_string())? {
            let file = entry?.path();
            let excluded = file
                .file_name()
                .is_some_and(|name| exclude.iter().any(|other| name == *other));
            if is_source(&file) && !excluded {
                found.push(file);
            }
        }
        found.sort();
        files.append(&mut found);
    }
    Ok(files)
}

/// Whether a file's name is that of a source file in C or C++.
pub fn is_source(file: &Path) -> bool {
    file.extension()
        .is_some_and(|extension| ["c", "cc", "cpp"].iter().any(|e| extension == *e))
}

/// All that the module depends on, as text. The packages are left out: a package of one version never changes.
fn recipe(program: &Program, level: Level, compile: &[Command], link: &Command) -> Result<String> {
    let version = process::checked(workspace::llvm_tool(workspace::CLANG)?.arg("--version"))?;
    let mut text = String::from_utf8_lossy(&version.stdout).into_owned();
    if is_rust(Path::new(program.driver)) {
        let version = process::checked(Command::new(workspace::RUSTC).arg("--version"))?;
        text.push_str(&String::from_utf8_lossy(&version.stdout));
    }
    for command in compile.iter().chain([link]) {
        text.push_str(&format!("{command:?}\n"));
    }
    let files = [program.driver, "xtask/corpus/generate.h", "xtask/corpus/abi.h"];
    for file in files.into_iter().chain(level.support()) {
        text.push_str(&fs::read_to_string(workspace::root().join(file)).with_context(|| file.to_owned())?);
    }
    Ok(text)
}

/// Counts instructions in LLVM's text: inside a function, they are the lines indented by exactly two spaces.
fn count_instructions(bitcode: &Path) -> Result<u64> {
    // A file, since with debug information it is more than is taken of what a program prints.
    let file = bitcode.with_extension("ll");
    process::checked(
        workspace::llvm_tool(workspace::LLVM_DIS)?
            .arg(bitcode)
            .arg("-o")
            .arg(&file),
    )?;
    let text = fs::read(&file)?;
    fs::remove_file(&file)?;
    let mut inside = false;
    let mut count = 0;
    for line in text.split(|&byte| byte == b'\n') {
        if line.starts_with(b"define ") {
            inside = true;
        } else if line == b"}" {
            inside = false;
        } else if inside && line.starts_with(b"  ") && !matches!(line.get(2), None | Some(b' ' | b']')) {
            count += 1;
        }
    }
    Ok(count)
}
