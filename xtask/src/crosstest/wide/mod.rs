//! `cargo xtask crosstest --wide`: the same question as for the programs of the corpus, for whole code bases in C and
//! C++.
//!
//! Each source file of a code base is a module of its own, unless its row joins several. Under each recipe (Om1 and O2,
//! unless others are named) Frazil must compile all of them; llc compiles the modules that are refused, so that the
//! program can be linked all the same and shows what else is wrong. The program, which our own driver makes of the
//! library, must then behave as that of `llc-22 -O0`.
//!
//! Bitcode is made once and kept, and so are the objects of llc; [`code_bases`] is the table, [`sources`] says how a
//! row's files are compiled, [`modules`] makes both.

pub(crate) mod code_bases;
mod modules;
pub(crate) mod refusals;
pub(crate) mod sources;

use std::fs;
use std::path::{Path, PathBuf};
use std::time::Duration;

use anyhow::{Result, bail, ensure};

use super::{Verdict, difference};
use crate::compiler::{Compiler, LlcLevel};
use crate::corpus::Level;
use crate::process::{self, Outcome};
use crate::share::Share;
use crate::{compiler, machine, parallel, workspace};
use code_bases::{CODE_BASES, CodeBase};
use refusals::Refusal;

/// Ample for the drivers, even at -O0 on a busy machine.
const RUN_LIMIT: Duration = Duration::from_secs(120);

/// Makes the bitcode of all code bases whose names contain `filter`, such as `lua-O0`, and says where it is.
pub fn make(filter: &str) -> Result<bool> {
    for (code_base, level) in selected(filter)? {
        let made = modules::make(code_base, level)?;
        println!(
            "{:>4} modules  {}",
            made.modules.len(),
            modules::folder(code_base, level).display()
        );
    }
    Ok(true)
}

/// The modules of all code bases at these levels whose names contain `filter`: name, level and bitcode.
pub fn modules_at(levels: &[Level], filter: &str) -> Result<Vec<(String, Level, PathBuf)>> {
    let mut found = Vec::new();
    for code_base in CODE_BASES {
        for &level in levels {
            let name = format!("{}-{}", code_base.name, level.name());
            if name.contains(filter) {
                let made = modules::make(code_base, level)?;
                let modules = made.modules.into_iter();
                found.extend(modules.map(|module| (format!("{name}-{}", module.name), level, module.bitcode)));
            }
        }
    }
    Ok(found)
}

/// Tests the code bases whose names contain `filter` under recipes, as many as the share allows.
pub fn test(filter: &str, compilers: &[Compiler], share: &mut Share) -> Result<bool> {
    let selected = selected(filter)?;
    share.begin();
    let total = selected.len() * compilers.len();
    let (mut made, mut failed) = (0, 0);
    println!(
        "{:<14} {:<10} {:<11} {:>7} {:>9}  result",
        "code base", "", "compiler", "modules", "functions"
    );
    for number in share.order(total) {
        if !share.has_time() {
            break;
        }
        made += 1;
        let (code_base, level) = selected[number / compilers.len()];
        let row = test_code_base(code_base, level, &compilers[number % compilers.len()])?;
        row.print();
        failed += usize::from(!row.is_good());
    }
    println!("\n{}", share.report("code bases under recipes", made, total));
    println!("{} passed, {failed} failed", made - failed);
    compiler::print_validated(compilers);
    Ok(failed == 0)
}

fn selected(filter: &str) -> Result<Vec<(&'static CodeBase, Level)>> {
    let all = CODE_BASES
        .iter()
        .flat_map(|code_base| Level::EACH.map(|level| (code_base, level)));
    let selected: Vec<_> = all
        .filter(|(code_base, level)| format!("{}-{}", code_base.name, level.name()).contains(filter))
        .collect();
    if selected.is_empty() {
        bail!("no code base's name contains `{filter}`");
    }
    Ok(selected)
}

/// What became of one code base at one level under one recipe.
struct Summary {
    name: &'static str,
    level: Level,
    compiler: String,
    modules: usize,
    /// Functions that were compiled.
    functions: usize,
    /// What must not be, in words.
    failures: Vec<String>,
}

impl Summary {
    fn is_good(&self) -> bool {
        self.failures.is_empty()
    }

    fn print(&self) {
        println!(
            "{:<14} {:<10} {:<11} {:>7} {:>9}  {}",
            self.name,
            self.level.name(),
            self.compiler,
            self.modules,
            self.functions,
            if self.is_good() { "ok" } else { "FAILED" }
        );
        for failure in self.failures.iter().take(20) {
            println!("    {failure}");
        }
        if self.failures.len() > 20 {
            println!("    and {} more", self.failures.len() - 20);
        }
    }
}

/// One compiled module.
struct Compiled {
    /// Frazil's object, or llc's if Frazil has refused the module.
    object: PathBuf,
    functions: usize,
    refusals: Vec<Refusal>,
    /// Why there is no object of Frazil's, if it is not for refusals.
    failure: Option<String>,
}

fn test_code_base(code_base: &'static CodeBase, level: Level, frazil: &Compiler) -> Result<Summary> {
    let made = modules::make(code_base, level)?;
    let folder = machine::folder()
        .join("crosstest/wide")
        .join(format!("{}-{}", code_base.name, level.name()));
    let objects = folder.join(frazil.name());
    fs::create_dir_all(&objects)?;
    let compiled = parallel::map(&made.modules, |module| compile(module, frazil, &objects));
    let compiled: Vec<Compiled> = compiled.into_iter().collect::<Result<_>>()?;

    let mut row = Summary {
        name: code_base.name,
        level,
        compiler: frazil.name(),
        modules: made.modules.len(),
        functions: compiled.iter().map(|module| module.functions).sum(),
        failures: compiled.iter().filter_map(|module| module.failure.clone()).collect(),
    };
    for refusal in compiled.iter().flat_map(|module| &module.refusals) {
        row.failures.push(refusal.to_string());
    }
    let references: Vec<_> = made
        .modules
        .iter()
        .map(|module| module.reference_object.clone())
        .collect();
    let reference = folder.join("llc-O0");
    link(code_base, &references, &made.extra_objects, &reference)?;
    let program = folder.join(frazil.name()).join("program");
    let objects: Vec<_> = compiled.into_iter().map(|module| module.object).collect();
    if let Err(error) = link(code_base, &objects, &made.extra_objects, &program) {
        row.failures.push(format!("linking: {error:#}"));
        return Ok(row);
    }
    for arguments in code_base.runs {
        let expected = run(&reference, arguments)?;
        // SQLite's exit status is a count of statements.
        let ended = expected.status.is_some_and(|status| status.code().is_some());
        ensure!(
            ended && !expected.stdout.is_empty() && expected.stderr.is_empty(),
            "the reference program {} did not do its work: {}: {}",
            reference.display(),
            expected.ending(),
            expected.first_error_line()
        );
        if let Some(text) = difference(&expected, &run(&program, arguments)?) {
            let verdict = Verdict::Failed(text);
            row.failures.push(format!("running {}: {verdict}", arguments.join(" ")));
        }
    }
    Ok(row)
}

fn compile(module: &modules::Module, frazil: &Compiler, folder: &Path) -> Result<Compiled> {
    let object = folder.join(&module.name).with_extension("o");
    let mut command = frazil.command(&module.bitcode, &object)?;
    command.args(["--stats", "--function-sections", "--data-sections"]);
    let outcome = frazil.run(&mut command)?;
    if outcome.success() {
        return Ok(Compiled {
            object,
            functions: functions(&outcome.stderr),
            refusals: Vec::new(),
            failure: None,
        });
    }
    let refusals = refusals::find(&outcome.stderr);
    let failure = format!("{}: {}: {}", module.name, outcome.ending(), outcome.first_error_line());
    Ok(Compiled {
        object: module.reference_object.clone(),
        functions: 0,
        failure: refusals.is_empty().then_some(failure),
        refusals,
    })
}

/// The number of functions that Frazil's counts name.
fn functions(counts: &[u8]) -> usize {
    let text = String::from_utf8_lossy(counts);
    let line = text.lines().find_map(|line| line.strip_prefix("functions "));
    line.and_then(|count| count.trim().parse().ok()).unwrap_or(0)
}

fn link(code_base: &CodeBase, objects: &[PathBuf], extra: &[PathBuf], program: &Path) -> Result<()> {
    let mut linker = machine::cc();
    linker.args(objects).args(extra).arg("-o").arg(program);
    linker.args(["-Wl,--gc-sections", "-lm", "-lpthread", "-ldl"]);
    linker.args(code_base.plus_plus.then_some("-lstdc++"));
    process::checked(&mut linker).map(drop)
}

fn run(program: &Path, arguments: &[&str]) -> Result<Outcome> {
    let mut command = machine::run(program);
    command.args(arguments).current_dir(workspace::root());
    command.env("TZ", "UTC").env("LC_ALL", "C");
    process::run(&mut command, machine::limit(RUN_LIMIT))
}

/// The compiler whose programs are right.
fn reference() -> Compiler {
    Compiler::Llc(LlcLevel::O0)
}
