//! `cargo xtask large`: a module of 200 MB of code, of functions of 4 MB each, is linked and does what it should.
//!
//! Branches of many machines do not reach so far: inside a function the compiler, between sections linkers must put
//! something in between. The [`module`] is generated for each recipe, compiled with a section for each function,
//! without which no linker could do so, and linked by each linker to a position-independent executable. (In a static
//! one, GNU ld does not reach the C library's own functions from each other.) What it must print is known from the
//! generator.

mod module;

use std::fs;
use std::path::Path;

use anyhow::{Context, Result, ensure};
use object::{Object, ObjectSymbol};
use pico_args::Arguments;

use crate::compiler::Compiler;
use crate::crosstest::linkers::linkers;
use crate::{machine, process, workspace};
use module::Shape;

/// Bytes of code that each function must have at least.
const FUNCTION_BYTES: u64 = 4_000_000;

/// Millions of bytes of code if the command line does not say it.
const MEGABYTES: u64 = 200;

/// How many pairs of operations make a function large enough under a recipe, and under those that are not named here.
const OPERATIONS: [(&str, u64); 1] = [("Om1", 32)];
const MOST_OPERATIONS: u64 = 70;

/// `cargo xtask large [--megabytes N]` with the options of [`Compiler::list_from_arguments`].
pub fn command(mut arguments: Arguments) -> Result<bool> {
    machine::select(&mut arguments)?;
    let compilers = Compiler::list_from_arguments(&mut arguments, &["Om1", "O2"])?;
    let megabytes: u64 = arguments.opt_value_from_str("--megabytes")?.unwrap_or(MEGABYTES);
    ensure!(arguments.finish().is_empty(), "too many arguments");
    linkers().iter().try_for_each(|linker| workspace::require(linker))?;
    let mut is_good = true;
    for compiler in &compilers {
        let dir = machine::folder().join("large").join(compiler.name());
        fs::create_dir_all(&dir)?;
        match check(compiler, megabytes, &dir) {
            Ok(()) => fs::remove_dir_all(&dir)?,
            Err(error) => {
                println!("{compiler:<11} FAILED: {error:#}");
                is_good = false;
            }
        }
    }
    Ok(is_good)
}

/// Compiles, links and runs the module in a folder. The error says what is wrong.
fn check(compiler: &Compiler, megabytes: u64, dir: &Path) -> Result<()> {
    let recipe = compiler.recipe().unwrap_or_default();
    let shape = Shape {
        functions: (megabytes * 1_000_000).div_ceil(FUNCTION_BYTES),
        operations: OPERATIONS
            .iter()
            .find(|row| row.0 == recipe)
            .map_or(MOST_OPERATIONS, |row| row.1),
    };
    let [text, bitcode, object] = ["module.ll", "module.bc", "module.o"].map(|name| dir.join(name));
    fs::write(&text, machine::current().module_head() + &shape.text())?;
    process::checked(workspace::llvm_tool("llvm-as-22")?.arg(&text).arg("-o").arg(&bitcode))?;
    let compile = compiler.with_option("--function-sections").command(&bitcode, &object)?;
    let compiled = process::run_measured(&compile, process::TIME_LIMIT * 10)?;
    ensure!(
        compiled.success(),
        "{}: {}",
        compiled.ending(),
        compiled.first_error_line()
    );
    let sizes = function_sizes(&object)?;
    let [all, least] = [sizes.iter().sum(), sizes.iter().copied().min().unwrap_or(0)];
    println!(
        "{compiler:<11} {} functions, {:.1} MB of code, each at least {:.1} MB, in {:.1} s of CPU time and {} MB",
        sizes.len(),
        all as f64 / 1e6,
        least as f64 / 1e6,
        compiled.cpu_time().as_secs_f64(),
        compiled.peak_bytes / 1_000_000
    );
    ensure!(least >= FUNCTION_BYTES, "the generator makes too little code");
    for linker in linkers() {
        let program = dir.join("program");
        let mut link = machine::linking_by(&linker)?;
        link.args(["-pie", "-Wl,--fatal-warnings"]).arg(&object);
        process::checked(link.arg("-o").arg(&program)).context(linker.clone())?;
        let outcome = process::run(&mut machine::run(&program), machine::limit(process::TIME_LIMIT))?;
        ensure!(outcome.success(), "{linker}: {}", outcome.ending());
        ensure!(
            outcome.stdout == shape.output().as_bytes(),
            "{linker}: the program prints something else"
        );
        println!("{compiler:<11} linked by {linker}, and right");
    }
    Ok(())
}

/// Bytes of the functions but for `main`.
fn function_sizes(object: &Path) -> Result<Vec<u64>> {
    let bytes = fs::read(object)?;
    let file = object::File::parse(&*bytes).with_context(|| object.display().to_string())?;
    let functions = file.symbols().filter(|symbol| {
        symbol.is_definition() && symbol.kind() == object::SymbolKind::Text && symbol.name() != Ok("main")
    });
    Ok(functions.map(|symbol| symbol.size()).collect())
}
