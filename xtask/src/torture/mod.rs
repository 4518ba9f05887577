//! `cargo xtask torture`: GCC's C torture execution tests.
//!
//! Every test is compiled by clang at -O0 to bitcode. What `llc-22 -O0` makes of it must run to its end, else the test
//! says nothing about Frazil and is listed with the reason. Every other test must pass under the recipes Om1 and O2 (or
//! those that `--recipe` names). Refused may be only tests that need what this code generator does not have on purpose
//! (`ALLOWED_REFUSALS`); they are listed by name.
//!
//! With `--instrument`, each test has hooks of tools in it: those of all [tools that are
//! shipped](../../../examples/instrument/README.md) at once, and those of one of them alone, in turn.
//!
//! Bitcode and llc's verdicts are kept in the target folder. With `--minutes`, a share of the tests is made.

mod cases;

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use anyhow::{Context, Result};
use pico_args::Arguments;

use crate::compiler::{Compiler, LlcLevel};
use crate::crosstest::instrumented::{self, Tools};
use crate::share::Share;
use crate::{compiler, corpus, machine, parallel, process};
use cases::Case;

/// The recipes under which each test is made when the command line names none.
const RECIPES: [&str; 2] = ["Om1", "O2"];

/// A test runs for a second at most, but the machine may have other things to do.
const RUN_LIMIT: Duration = Duration::from_secs(30);

/// The registers of the x87 unit in inline assembly, of which refusals that are no failures speak.
const REFUSED_REGISTERS: &str = "register `st`";

/// Tests that depend on what is undefined, and on what.
const UNDEFINED: [(&str, &str); 1] = [(
    "builtins/strncmp",
    "its own strncmp, of no characters, returns the difference of two variables that nothing has written",
)];

/// Tests that hooks cannot leave as they are, and why.
const DISTURBED: [(&str, &str); 1] = [(
    "stkalign",
    "it compares how much stack two of its functions need, and hooks need some, too",
)];

/// The options of every test; GCC's suite is of a time when these were no errors.
const CLANG_OPTIONS: [&str; 11] = [
    "-c",
    "-emit-llvm",
    "-O0",
    "-w",
    "-fPIE",
    "-Wno-implicit-function-declaration",
    "-Wno-implicit-int",
    "-Wno-int-conversion",
    "-Wno-incompatible-pointer-types",
    "-Wno-return-mismatch",
    "-Wno-parentheses",
];

/// The dialects of C that are tried, the newer one first.
const DIALECTS: [&str; 2] = ["-std=gnu17", "-std=gnu89"];

/// What became of a test under one recipe.
enum Verdict {
    Passed,
    Refused(String),
    Failed(String),
    /// It cannot tell anything.
    Useless(String),
}

/// Counts and names by kind of verdict.
#[derive(Default)]
struct Report {
    passed: usize,
    failed: usize,
    refused: BTreeMap<String, Vec<String>>,
    useless: BTreeMap<String, Vec<String>>,
}

impl Report {
    fn add(&mut self, test: &str, verdict: Verdict) {
        match verdict {
            Verdict::Passed => self.passed += 1,
            Verdict::Failed(why) => {
                println!("{test}: FAILED: {why}");
                self.failed += 1;
            }
            Verdict::Refused(why) => self.refused.entry(why).or_default().push(test.to_owned()),
            Verdict::Useless(why) => self.useless.entry(why).or_default().push(test.to_owned()),
        }
    }
}

/// `cargo xtask torture [--instrument] [FILTER]` with the options of [`Share`] and [`Compiler::validating_list`].
pub fn command(mut arguments: Arguments) -> Result<bool> {
    machine::select(&mut arguments)?;
    let compilers = Compiler::validating_list(&mut arguments, &RECIPES)?;
    let mut share = Share::from_arguments(&mut arguments)?;
    let tools = match arguments.contains("--instrument") {
        true => Some(Mutex::new(Tools::prepare()?)),
        false => None,
    };
    let filter = corpus::filter(arguments)?;
    let dir = machine::folder().join("torture");
    let suite = cases::unpack(&dir)?;
    let cases = cases::list(&suite, &filter)?;
    share.begin();

    let report = Mutex::new(Report::default());
    let made = parallel::share(&share, cases.len(), |number| {
        let case = &cases[number];
        let makers = makers(&compilers, tools.as_ref(), number)?;
        let verdicts = test_case(case, &suite, &makers, &dir).with_context(|| case.name.clone())?;
        let mut report = report.lock().expect("no thread panics while it reports");
        for (who, verdict) in verdicts {
            report.add(&format!("{}{who}", case.name), verdict);
        }
        Ok(())
    })?;

    let report = report.into_inner().expect("no thread panics while it reports");
    print_names(
        "Tests that say nothing, because clang refuses them, llc's program fails, or they are undefined:",
        &report.useless,
    );
    print_names("Refused:", &report.refused);
    println!("\n{}", share.report("tests", made, cases.len()));
    let count = |names: &BTreeMap<String, Vec<String>>| names.values().map(Vec::len).sum::<usize>();
    println!(
        "{} passed, {} failed, {} refused, {} said nothing",
        report.passed,
        report.failed,
        count(&report.refused),
        count(&report.useless)
    );
    compiler::print_validated(&compilers);
    Ok(report.failed == 0)
}

/// How a program is made: a compiler, and what is linked beside what it makes.
struct Maker {
    compiler: Compiler,
    name: String,
    objects: Vec<PathBuf>,
}

/// The ways in which the test with a number is made.
fn makers(compilers: &[Compiler], tools: Option<&Mutex<Tools>>, number: usize) -> Result<Vec<Maker>> {
    let mut makers = Vec::new();
    for compiler in compilers {
        let Some(tools) = tools else {
            makers.push(Maker {
                compiler: compiler.clone(),
                name: compiler.name(),
                objects: Vec::new(),
            });
            continue;
        };
        let mut tools = tools.lock().expect("no thread panics while it compiles hooks");
        let names = instrumented::names();
        for set in [names.clone(), vec![names[number % names.len()].clone()]] {
            let mut compiler = compiler.clone();
            let mut objects = Vec::new();
            for tool in &set {
                objects.push(tools.object(tool, &compiler)?);
            }
            for tool in &set {
                compiler = compiler.with_option(&format!("--instrument={}", tools.file(tool).display()));
            }
            let what = if set.len() == 1 { set[0].as_str() } else { "all-tools" };
            makers.push(Maker {
                name: format!("{}-{what}", compiler.name()),
                compiler,
                objects,
            });
        }
    }
    Ok(makers)
}

fn print_names(title: &str, groups: &BTreeMap<String, Vec<String>>) {
    if groups.is_empty() {
        return;
    }
    println!("\n{title}");
    for (reason, names) in groups {
        let mut names = names.clone();
        names.sort();
        println!("{:>5} x {reason}\n        {}", names.len(), names.join(" "));
    }
}

/// The verdict on each way of making it, with its name; one verdict if the test says nothing.
fn test_case(case: &Case, suite: &Path, makers: &[Maker], dir: &Path) -> Result<Vec<(String, Verdict)>> {
    if let Some((_, why)) = UNDEFINED.iter().find(|(name, _)| *name == case.name) {
        return Ok(vec![(String::new(), Verdict::Useless(format!("undefined: {why}")))]);
    }
    if let Some((_, why)) = DISTURBED.iter().find(|(name, _)| *name == case.name)
        && makers.iter().any(|maker| !maker.objects.is_empty())
    {
        return Ok(vec![(String::new(), Verdict::Useless(format!("with hooks: {why}")))]);
    }
    let bitcode_dir = dir.join("bitcode").join(&case.name);
    let kept = bitcode_dir.join("reference");
    let reference = match fs::read_to_string(&kept) {
        Ok(text) => text,
        Err(_) => {
            fs::create_dir_all(&bitcode_dir)?;
            let text = reference(case, suite, &bitcode_dir)?;
            fs::write(&kept, &text)?;
            text
        }
    };
    if !reference.is_empty() {
        return Ok(vec![(String::new(), Verdict::Useless(reference))]);
    }
    let bitcode = bitcode_files(case, &bitcode_dir);
    let judge = |maker: &Maker| Ok((format!(" {}", maker.name), judge(&bitcode, maker, &bitcode_dir)?));
    makers.iter().map(judge).collect()
}

/// The files of bitcode of a test, one for each source.
fn bitcode_files(case: &Case, dir: &Path) -> Vec<PathBuf> {
    (0..case.sources.len())
        .map(|number| dir.join(format!("{number}.bc")))
        .collect()
}

/// Makes the bitcode, and says why the test is of no use, or nothing if it is.
fn reference(case: &Case, suite: &Path, dir: &Path) -> Result<String> {
    let bitcode = bitcode_files(case, dir);
    for (source, output) in case.sources.iter().zip(&bitcode) {
        if let Some(problem) = compile(case, source, suite, &[], output)? {
            return Ok(format!("clang: {problem}"));
        }
    }
    let llc = Maker {
        compiler: Compiler::Llc(LlcLevel::O0),
        name: Compiler::Llc(LlcLevel::O0).name(),
        objects: Vec::new(),
    };
    Ok(match build(&bitcode, &llc, dir)? {
        Ok(program) => {
            let outcome = process::run(machine::run(&program).current_dir(dir), machine::limit(RUN_LIMIT))?;
            if outcome.success() {
                String::new()
            } else {
                format!("llc: {}", outcome.ending())
            }
        }
        Err(problem) => format!("llc: {problem}"),
    })
}

/// A source of a test, to be compiled in another way.
#[derive(Clone, Debug)]
pub struct Test {
    case: Arc<Case>,
    suite: Arc<Path>,
    number: usize,
}

/// The sources of all tests whose names contain `filter`.
pub fn sources(filter: &str) -> Result<Vec<Test>> {
    let suite: Arc<Path> = cases::unpack(&machine::folder().join("torture"))?.into();
    let mut found = Vec::new();
    for case in cases::list(&suite, filter)? {
        let case = Arc::new(case);
        found.extend((0..case.sources.len()).map(|number| Test {
            case: Arc::clone(&case),
            suite: Arc::clone(&suite),
            number,
        }));
    }
    Ok(found)
}

impl Test {
    /// The test's name, with the number of the source if it is not the first one.
    pub fn name(&self) -> String {
        match self.number {
            0 => self.case.name.clone(),
            number => format!("{}-{number}", self.case.name),
        }
    }

    /// Compiles it to bitcode with further options; whether clang does.
    pub fn compile(&self, options: &[&str], output: &Path) -> Result<bool> {
        let source = &self.case.sources[self.number];
        Ok(compile(&self.case, source, &self.suite, options, output)?.is_none())
    }
}

/// Compiles a source to bitcode in the first dialect that clang accepts it in; else the error in the first one.
fn compile(case: &Case, source: &Path, suite: &Path, options: &[&str], output: &Path) -> Result<Option<String>> {
    let mut problem = None;
    for dialect in DIALECTS {
        let mut clang = machine::clang()?;
        clang
            .current_dir(suite)
            .args(CLANG_OPTIONS)
            .arg(machine::least_processor()?)
            .arg(dialect)
            .args(&case.options)
            .args(options);
        clang.arg(source).arg("-o").arg(output);
        let outcome = process::run(&mut clang, process::TIME_LIMIT)?;
        if outcome.success() {
            return Ok(None);
        }
        problem.get_or_insert_with(|| without_place(&outcome.first_error_line()));
    }
    Ok(problem)
}

/// A message of clang or of Frazil without the file, the function and the place.
fn without_place(message: &str) -> String {
    let message = message.split_once("error: ").map_or(message, |(_, text)| text);
    message.to_owned()
}

/// Compiles every file and links the program, or says what the first problem is.
fn build(bitcode: &[PathBuf], maker: &Maker, dir: &Path) -> Result<Result<PathBuf, String>> {
    let (compiler, program) = (&maker.compiler, dir.join(&maker.name));
    let mut link = machine::cc();
    for (file, number) in bitcode.iter().zip(0..) {
        let object = dir.join(format!("{}-{number}.o", maker.name));
        let outcome = compiler.run(&mut compiler.command(file, &object)?)?;
        if !outcome.success() {
            return Ok(Err(without_place(&outcome.first_error_line())));
        }
        link.arg(object);
    }
    link.args(&maker.objects)
        .arg("-o")
        .arg(&program)
        .args(["-lm", "-lpthread"]);
    let linked = process::run(&mut link, process::TIME_LIMIT)?;
    Ok(if linked.success() {
        Ok(program)
    } else {
        Err(format!("linking: {}", missing_symbol(&linked)))
    })
}

/// What a linker complains about: a function that is not there, mostly.
fn missing_symbol(linked: &process::Outcome) -> String {
    let text = String::from_utf8_lossy(&linked.stderr);
    match text.split_once("undefined reference to ") {
        Some((_, name)) => format!("no {}", name.lines().next().unwrap_or_default()),
        None => linked.first_error_line(),
    }
}

/// Whether the program that is made runs to its end.
fn judge(bitcode: &[PathBuf], maker: &Maker, dir: &Path) -> Result<Verdict> {
    let verdict = match build(bitcode, maker, dir)? {
        Ok(program) => {
            let mut run = machine::run(&program);
            run.current_dir(dir).envs(instrumented::NOWHERE);
            let outcome = process::run(&mut run, machine::limit(RUN_LIMIT))?;
            if outcome.success() {
                Verdict::Passed
            } else {
                Verdict::Failed(outcome.ending())
            }
        }
        Err(problem) => match allowed_reason(&problem) {
            Some(reason) => Verdict::Refused(reason),
            None => Verdict::Failed(problem),
        },
    };
    if let Verdict::Passed | Verdict::Refused(_) = verdict {
        let _ = fs::remove_file(dir.join(&maker.name));
    }
    Ok(verdict)
}

/// What a refusal speaks of that is no failure: registers that assembly cannot name.
fn allowed_reason(problem: &str) -> Option<String> {
    let (_, what) = problem.split_once("not supported: ")?;
    what.contains(REFUSED_REGISTERS).then(|| REFUSED_REGISTERS.to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_registers_may_be_refused() {
        let reason = |text: &str| allowed_reason(&format!("function @f: not supported: {text}"));
        assert_eq!(reason("type <8 x i32> (i1: load)"), None);
        let register = "an output in register `st`";
        assert_eq!(reason(register).as_deref(), Some("register `st`"));
        assert_eq!(reason("type fp128 (i1: load)"), None);
        assert_eq!(reason("type x86_fp80 (i1: load)"), None);
        assert_eq!(reason("inline assembly (i1: call)"), None);
    }
}
