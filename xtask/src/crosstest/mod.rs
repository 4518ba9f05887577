//! `cargo xtask crosstest`: do programs compiled by Frazil behave like those compiled by `llc-22 -O0`?
//!
//! Each corpus module is compiled by both, each object is linked by `cc` into a program, and both programs run with
//! the same arguments; standard output and exit status must be identical. Besides, the object must not depend on the
//! folder that the compiler is started from, and another linker must accept it too. With `--recipe all`, this is done
//! under every recipe. With `--minutes`, a share of the modules and recipes is tested.
//!
//! Workloads are the short ones; `bench --run-time` measures with the long ones. With `--random N` the programs are
//! made by csmith instead (`random`), with `--integers N` and the other options of the table `GENERATORS` by generators
//! of our own (`generated`), with `--vectors N` and `--shuffles N` they are functions of vectors (`vectors`), with
//! `--intrinsics` of the processor's intrinsics ([`intrinsics`]), with `--instrument` there are hooks of tools in them
//! ([`instrumented`]), with `--split N` their modules are divided (`split`), and with `--wide` they are whole code
//! bases ([`wide`]). In all of them the validator of machine code is on unless `--no-check-machine` leaves it out.

mod bisect;
mod exceptions;
mod expression;
mod frames;
mod generated;
pub mod instrumented;
mod integers;
mod intrinsics;
mod jumps;
pub mod linkers;
mod loops;
mod random;
mod split;
mod variables;
mod vectors;
pub mod wide;

use std::collections::BTreeMap;
use std::collections::btree_map::Entry;
use std::fmt;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;

use anyhow::{Result, bail, ensure};
use pico_args::Arguments;

use crate::compiler::{Compiler, LlcLevel};
use crate::corpus::{self, Level, Module, Run};
use crate::process::{self, Outcome};
use crate::share::Share;
use crate::{compiler, machine, workspace};
use generated::Generator;

/// Ample for a short workload; a program that loops is ended here.
pub const RUN_LIMIT: Duration = Duration::from_secs(20);

/// Generators of programs; the option that asks for one has its name.
const GENERATORS: [&Generator; 5] = [
    &exceptions::GENERATOR,
    &frames::GENERATOR,
    &integers::GENERATOR,
    &jumps::GENERATOR,
    &loops::GENERATOR,
];

/// What became of one case.
enum Verdict {
    Passed,
    Failed(String),
    /// Built only, because this processor lacks what the code is for.
    NotExecuted,
}

impl fmt::Display for Verdict {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Verdict::Passed => f.write_str("ok"),
            Verdict::NotExecuted => f.write_str("built, not executed: this processor has no AVX-512"),
            Verdict::Failed(why) => write!(f, "FAILED: {why}"),
        }
    }
}

/// How many cases came to each verdict.
#[derive(Default)]
struct Tally {
    passed: usize,
    failed: usize,
    not_executed: usize,
}

impl Tally {
    fn add(&mut self, verdict: &Verdict) {
        match verdict {
            Verdict::Passed => self.passed += 1,
            Verdict::Failed(_) => self.failed += 1,
            Verdict::NotExecuted => self.not_executed += 1,
        }
    }
}

impl fmt::Display for Tally {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.not_executed > 0 {
            writeln!(
                f,
                "{} were built and not executed: this processor has no AVX-512",
                self.not_executed
            )?;
        }
        write!(f, "{} passed, {} failed", self.passed, self.failed)
    }
}

/// `cargo xtask crosstest [--bisect] [FILTER]`, and with `--random N` or another generator's option, all with the
/// options of [`Share`] and [`Compiler::validating_list`].
pub fn command(mut arguments: Arguments) -> Result<bool> {
    machine::select(&mut arguments)?;
    let is_wide = arguments.contains("--wide");
    let is_intrinsics = arguments.contains("--intrinsics");
    let is_instrumented = arguments.contains("--instrument");
    let random: Option<u64> = arguments.opt_value_from_str("--random")?;
    let parts: Option<u32> = arguments.opt_value_from_str("--split")?;
    let both = is_wide || random.is_some() || parts.is_some();
    let compilers = Compiler::validating_list(&mut arguments, if both { &["Om1", "O2"] } else { &["Om1"] })?;
    let mut share = Share::from_arguments(&mut arguments)?;
    if let Some(count) = random {
        ensure!(arguments.finish().is_empty(), "too many arguments");
        return random::test_programs(count, &share, &compilers);
    }
    for generator in GENERATORS {
        if let Some(count) = arguments.opt_value_from_str(generator.option)? {
            ensure!(arguments.finish().is_empty(), "too many arguments");
            return generated::test(generator, count, &share, &compilers);
        }
    }
    if is_intrinsics {
        ensure!(machine::is_host(), "the intrinsics are those of this machine");
        return intrinsics::test(&corpus::filter(arguments)?, &compilers);
    }
    for (option, kind) in vectors::Kind::ALL {
        if let Some(count) = arguments.opt_value_from_str(option)? {
            ensure!(arguments.finish().is_empty(), "too many arguments");
            return vectors::test(kind, count, &share, &compilers);
        }
    }
    if is_wide {
        return wide::test(&corpus::filter(arguments)?, &compilers, &mut share);
    }
    if let Some(parts) = parts {
        let levels = [&Level::EACH[..], &Level::WITH_DEBUG].concat();
        let modules = corpus::modules_at(&levels, &corpus::filter(arguments)?)?;
        return split::test(parts, &modules, &compilers, &mut share);
    }
    if is_instrumented {
        let modules = corpus::modules_at(&Level::EACH, &corpus::filter(arguments)?)?;
        return instrumented::test(&modules, &compilers, &mut share);
    }
    let find_function = arguments.contains("--bisect");
    let modules = corpus::modules_at(&Level::EACH, &corpus::filter(arguments)?)?;
    if find_function {
        for module in &modules {
            for frazil in &compilers {
                bisect::bisect(module, frazil)?;
            }
        }
        return Ok(true);
    }
    share.begin();
    test_modules(&modules, &compilers, &share)
}

/// The program of `llc-22 -O0` that a module's programs are compared with, built when it is first wanted.
fn reference<'a>(references: &'a mut BTreeMap<String, PathBuf>, module: &Module, dir: &Path) -> Result<&'a Path> {
    Ok(match references.entry(module.name()) {
        Entry::Occupied(known) => known.into_mut(),
        Entry::Vacant(unknown) => {
            let built = build_module(module, &Compiler::Llc(LlcLevel::O0), dir)?;
            let Some(program) = built.program else {
                bail!("{}: {}", module.name(), built.problem)
            };
            unknown.insert(program)
        }
    })
}

/// Tests modules under recipes, as many as the share allows.
fn test_modules(modules: &[Module], compilers: &[Compiler], share: &Share) -> Result<bool> {
    let mut made = 0;
    let mut tally = Tally::default();
    let mut references: BTreeMap<String, PathBuf> = BTreeMap::new();
    let total = modules.len() * compilers.len();
    for number in share.order(total) {
        if !share.has_time() {
            break;
        }
        made += 1;
        let (module, frazil) = (&modules[number / compilers.len()], &compilers[number % compilers.len()]);
        let dir = machine::folder().join("crosstest").join(module.name());
        let reference = reference(&mut references, module, &dir)?;
        for (case, verdict) in test_module(module, frazil, reference, &dir)? {
            tally.add(&verdict);
            println!("{:<12} {frazil:<11} {case:<14} {verdict}", module.name());
        }
    }
    println!("\n{}", share.report("modules under recipes", made, total));
    println!("{tally}");
    compiler::print_validated(compilers);
    Ok(tally.failed == 0)
}

/// All cases of one module. A case that cannot be reached because an earlier step failed counts as failed.
fn test_module(
    module: &Module,
    frazil: &Compiler,
    reference: &Path,
    dir: &Path,
) -> Result<Vec<(&'static str, Verdict)>> {
    let built = build_module(module, frazil, dir)?;

    let mut verdicts = Vec::new();
    for run in module.program.runs {
        let verdict = match &built.program {
            Some(_) if !module.level.is_executable() => Verdict::NotExecuted,
            Some(program) => compare(reference, program, run)?,
            None => Verdict::Failed(built.problem.clone()),
        };
        verdicts.push((run.name, verdict));
    }
    if built.program.is_some() {
        verdicts.push(("same bytes", check_repeatable(module, frazil, dir)?));
        verdicts.push(("ld.lld", check_other_linker(module, frazil, dir)?));
    }
    Ok(verdicts)
}

/// A linked program, or why there is none.
pub struct Built {
    pub program: Option<PathBuf>,
    pub problem: String,
}

/// Compiles a module with `compiler` and links it in `dir`, which is made if necessary.
pub fn build_module(module: &Module, compiler: &Compiler, dir: &Path) -> Result<Built> {
    fs::create_dir_all(dir)?;
    build_program(
        module.bitcode()?,
        compile_host_part(module, dir)?.as_deref(),
        compiler,
        dir,
    )
}

/// Compiles `bitcode` with `compiler` and links it, together with the object `host_part`, in `dir`.
fn build_program(bitcode: &Path, host_part: Option<&Path>, compiler: &Compiler, dir: &Path) -> Result<Built> {
    let object = dir.join(format!("{}.o", compiler.name()));
    let program = dir.join(compiler.name());
    let compiled = compiler.run(&mut compiler.command(bitcode, &object)?)?;
    if !compiled.success() {
        let problem = format!(
            "{}: {}: {}",
            compiler.name(),
            compiled.ending(),
            compiled.first_error_line()
        );
        return Ok(Built { program: None, problem });
    }
    let objects = [object.as_path()].into_iter().chain(host_part);
    let mut link = link_command(machine::cc(), objects, &program);
    let linked = process::run(&mut link, process::TIME_LIMIT)?;
    let problem = if linked.success() {
        String::new()
    } else {
        format!("linking: {}", linked.first_error_line())
    };
    Ok(Built {
        program: linked.success().then_some(program),
        problem,
    })
}

/// Translates the program's host part, if it has one, to an object in `dir`.
pub(crate) fn compile_host_part(module: &Module, dir: &Path) -> Result<Option<PathBuf>> {
    let Some(source) = module.program.host_part else {
        return Ok(None);
    };
    let object = dir.join("host.o");
    let source = &workspace::root().join(source);
    if corpus::is_rust(source) {
        // A library, in truth; linkers look into the file.
        let mut command = Command::new(workspace::RUSTC);
        command
            .args(["--edition=2024", "-Copt-level=2"])
            .arg(format!("--target={}", machine::current().rust_target))
            .arg(format!("-Clinker={}", machine::cc().get_program().to_string_lossy()))
            .arg(source)
            .arg("-o")
            .arg(&object);
        process::checked(&mut command)?;
        return Ok(Some(object));
    }
    let mut command = machine::cc();
    command.args(["-c", "-O1", "-w"]).arg(source).arg("-o").arg(&object);
    process::checked(&mut command)?;
    Ok(Some(object))
}

/// The command that links objects to a program.
fn link_command(mut linker: Command, objects: impl Iterator<Item = impl AsRef<Path>>, program: &Path) -> Command {
    // Warnings of the linker about an object (an executable stack, say) are failures too.
    linker.arg("-Wl,--fatal-warnings");
    linker.args(objects.map(|object| object.as_ref().to_owned()));
    linker.arg("-o").arg(program);
    linker.args(["-Wl,--as-needed", "-lstdc++", "-lm", "-lpthread", "-ldl", "-lgcc_s"]);
    linker
}

/// The command that runs `program` once.
pub fn run_command(program: &Path, run: &Run, sizes: &[&str]) -> Command {
    let mut command = machine::run(program);
    command
        .args(run.script.map(|script| workspace::root().join(script)))
        .args(sizes);
    // Nothing about the machine may show in the output.
    command.env("TZ", "UTC").env("LC_ALL", "C");
    command
}

fn compare(reference: &Path, program: &Path, run: &Run) -> Result<Verdict> {
    let expected = run_reference(reference, run)?;
    let actual = process::run(&mut run_command(program, run, run.short), machine::limit(RUN_LIMIT))?;
    Ok(match difference(&expected, &actual) {
        Some(text) => Verdict::Failed(text),
        None => Verdict::Passed,
    })
}

/// Runs the program that others are compared with, which must do its work.
fn run_reference(reference: &Path, run: &Run) -> Result<Outcome> {
    let expected = process::run(&mut run_command(reference, run, run.short), machine::limit(RUN_LIMIT))?;
    if expected.status.is_none() || expected.stdout.is_empty() || !expected.stderr.is_empty() {
        bail!(
            "the reference program {} did not do its work: {}",
            reference.display(),
            expected.ending()
        );
    }
    Ok(expected)
}

/// How two runs differ, in words.
fn difference(expected: &Outcome, actual: &Outcome) -> Option<String> {
    if expected.status != actual.status {
        return Some(format!("{} instead of {}", actual.ending(), expected.ending()));
    }
    text_difference(
        &String::from_utf8_lossy(&expected.stdout),
        &String::from_utf8_lossy(&actual.stdout),
    )
}

/// How two outputs differ, in words.
fn text_difference(expected: &str, actual: &str) -> Option<String> {
    if expected == actual {
        return None;
    }
    let (mut left, mut right) = (expected.lines(), actual.lines());
    let mut number = 1;
    loop {
        match (left.next(), right.next()) {
            (Some(l), Some(r)) if l == r => number += 1,
            (None, None) => return Some("the ends of lines differ".to_owned()),
            (l, r) => return Some(format!("line {number} is {r:?} instead of {l:?}")),
        }
    }
}

/// Compiles once more, from another folder, under a relative name and without the validator; the bytes must be the
/// same.
fn check_repeatable(module: &Module, frazil: &Compiler, dir: &Path) -> Result<Verdict> {
    let second = dir.join("again");
    fs::create_dir_all(&second)?;
    fs::copy(module.bitcode()?, second.join("input.bc"))?;
    let mut command = frazil
        .unvalidated()
        .command(Path::new("input.bc"), Path::new("output.o"))?;
    let outcome = process::run(command.current_dir(&second), process::TIME_LIMIT)?;
    if !outcome.success() {
        return Ok(Verdict::Failed(format!(
            "{}: {}",
            outcome.ending(),
            outcome.first_error_line()
        )));
    }
    let first_bytes = fs::read(dir.join(format!("{}.o", frazil.name())))?;
    let second_bytes = fs::read(second.join("output.o"))?;
    fs::remove_dir_all(&second)?;
    Ok(if first_bytes == second_bytes {
        Verdict::Passed
    } else {
        Verdict::Failed("compiling in another folder gives other bytes".to_owned())
    })
}

fn check_other_linker(module: &Module, frazil: &Compiler, dir: &Path) -> Result<Verdict> {
    let linker = machine::linking_by(workspace::LLD)?;
    let host_part = compile_host_part(module, dir)?;
    let objects = [dir.join(format!("{frazil}.o"))].into_iter().chain(host_part);
    let mut link = link_command(linker, objects, &dir.join("with-lld"));
    let linked = process::run(&mut link, process::TIME_LIMIT)?;
    Ok(if linked.success() {
        Verdict::Passed
    } else {
        Verdict::Failed(linked.first_error_line())
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn outcome(script: &str) -> Outcome {
        process::run(Command::new("sh").args(["-c", script]), RUN_LIMIT).unwrap()
    }

    #[test]
    fn finds_the_first_different_line() {
        let expected = outcome("echo one; echo two");
        assert_eq!(difference(&expected, &outcome("echo one; echo two")), None);
        assert_eq!(
            difference(&expected, &outcome("echo one; echo too")).unwrap(),
            "line 2 is Some(\"too\") instead of Some(\"two\")"
        );
        assert_eq!(
            difference(&expected, &outcome("echo one")).unwrap(),
            "line 2 is None instead of Some(\"two\")"
        );
        assert_eq!(
            difference(&expected, &outcome("echo one; echo two; exit 4")).unwrap(),
            "exit status: 4 instead of exit status: 0"
        );
    }
}
