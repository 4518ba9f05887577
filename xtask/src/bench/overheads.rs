//! `cargo xtask bench --overheads`: what tools cost, by the ways of calling hooks.
//!
//! The programs of the corpus are compiled by recipe O2 without and with a tool, and run with the long workloads, in
//! turn. Time and code size are relative to the program without the tool; the ways are recipes that set the options of
//! the pass `expand-hooks`, each of which does one thing more than the one before:
//!
//! * `calls`: hooks are called by the C convention, so that callers save their registers;
//! * `clobbers`: hooks keep registers;
//! * `inlined`: hooks that fulfil the criteria are inlined as a whole;
//! * `partially`: those with a fast path, too;
//! * `merged`: additions are summed up between calls;
//! * `regions`: and over the whole function, loops included.
//!
//! What clang puts in for the same is compared by [`super::rivals`].

use std::fs;
use std::path::{Path, PathBuf};
use std::time::Duration;

use anyhow::{Context, Result, ensure};
use pico_args::Arguments;

use super::RECIPE;
use super::compile_time::text_size;
use super::statistics::geometric_mean;
use crate::compiler::Compiler;
use crate::corpus::{self, Level, Module};
use crate::crosstest::build_module;
use crate::crosstest::instrumented::{Tools, run_with_tools};
use crate::{machine, process};

/// The ways with their options.
const WAYS: [(&str, &str); 6] = [
    ("calls", "inline = false, preserve = false"),
    ("clobbers", "inline = false"),
    ("inlined", "partial = false, merge = false"),
    ("partially", "merge = false"),
    ("merged", "regions = false, carry = false"),
    ("regions", ""),
];

/// The tools that are measured.
const MEASURED: [&str; 6] = [
    "instruction_count",
    "opcode_mix",
    "block_profile",
    "memory_trace",
    "alignment",
    COVERAGE,
];

/// The tool that needs debug information.
pub const COVERAGE: &str = "coverage";

/// How long a run may take.
const LIMIT: Duration = Duration::from_secs(300);

/// What of all this is wanted; everything of a list that is empty.
pub struct Wanted {
    tools: Vec<String>,
    ways: Vec<String>,
    /// Whether only the comparison with other compilers is.
    pub only_rivals: bool,
}

impl Wanted {
    /// What `--tool NAME` and `--way NAME`, given as often as wanted, and `--rivals` ask for.
    pub fn from_arguments(arguments: &mut Arguments) -> Result<Wanted> {
        let wanted = Wanted {
            tools: arguments.values_from_str("--tool")?,
            ways: arguments.values_from_str("--way")?,
            only_rivals: arguments.contains("--rivals"),
        };
        let is_tool = |name: &String| MEASURED.contains(&name.as_str());
        ensure!(
            wanted.tools.iter().all(is_tool),
            "--tool is one of {}",
            MEASURED.join(", ")
        );
        let is_way = |name: &String| WAYS.iter().any(|way| way.0 == name);
        ensure!(
            wanted.ways.iter().all(is_way),
            "--way is one of {}",
            WAYS.map(|way| way.0).join(", ")
        );
        Ok(wanted)
    }

    /// Whether a tool is wanted.
    pub fn has_tool(&self, name: &str) -> bool {
        self.tools.is_empty() || self.tools.iter().any(|tool| tool == name)
    }

    fn has_way(&self, name: &str) -> bool {
        self.ways.is_empty() || self.ways.iter().any(|way| way == name)
    }
}

/// A way with the compiler that takes it.
struct Way {
    name: &'static str,
    compiler: Compiler,
}

/// Prints a row for each tool, program and way with time and size, and the geometric means of all programs.
pub fn measure(filter: &str, frazil: &Compiler, wanted: &Wanted, repeat: usize) -> Result<()> {
    let mut tools = Tools::prepare()?;
    let ways = ways(frazil, wanted)?;
    println!(
        "{:<18} {:<16} {:<10} {:>8} {:>8}",
        "tool", "program", "way", "time", "size"
    );
    for tool in MEASURED.into_iter().filter(|tool| wanted.has_tool(tool)) {
        measure_tool(tool, filter, &ways, frazil, &mut tools, repeat)?;
    }
    Ok(())
}

/// The folder of all that is made.
pub fn folder() -> Result<PathBuf> {
    let folder = machine::folder().join("bench/overheads");
    fs::create_dir_all(&folder)?;
    Ok(folder)
}

/// The ways that are wanted, by recipes in a file.
fn ways(frazil: &Compiler, wanted: &Wanted) -> Result<Vec<Way>> {
    let recipes = folder()?.join("ways.toml");
    let text: Vec<String> = WAYS.iter().map(|(name, options)| recipe(name, options)).collect();
    fs::write(&recipes, text.concat())?;
    let compiler = frazil.with_option(&format!("--recipe-file={}", recipes.display()));
    let wanted = WAYS.into_iter().filter(|(name, _)| wanted.has_way(name));
    let ways = wanted.map(|(name, _)| Way {
        name,
        compiler: compiler.with_recipe(name),
    });
    Ok(ways.collect())
}

/// The text of a recipe O2 that makes code of hooks with some options of `expand-hooks`.
pub fn recipe(name: &str, options: &str) -> String {
    let comma = if options.is_empty() { "" } else { ", " };
    format!(
        r#"[recipe.{name}]
extends = "O2"
insert = [
    {{ before = "sroa", pass = "instrument", when = "early" }},
    {{ after = "alloca-merge", pass = "expand-hooks"{comma}{options} }},
    {{ before = "expand-hooks", pass = "instrument" }},
]
"#
    )
}

/// The levels of the bitcode that a tool is measured with.
pub fn levels_of(tool: &str) -> [Level; 2] {
    match tool {
        COVERAGE => Level::WITH_DEBUG,
        _ => Level::SCALAR,
    }
}

fn measure_tool(
    tool: &str,
    filter: &str,
    ways: &[Way],
    frazil: &Compiler,
    tools: &mut Tools,
    repeat: usize,
) -> Result<()> {
    let levels = levels_of(tool);
    let mut ratios = vec![(Vec::new(), Vec::new()); ways.len()];
    for module in corpus::modules_at(&levels, filter)?
        .iter()
        .filter(|module| has_long_run(module))
    {
        let mut built = vec![build_plain(module, &frazil.with_recipe(RECIPE))?];
        for way in ways {
            built.push(build_with_tool(module, &way.compiler, tool, tools)?);
        }
        let times = user_times(&built, module, repeat)?;
        for (number, way) in ways.iter().enumerate() {
            let time = times[number + 1] / times[0];
            let size = built[number + 1].text_bytes / built[0].text_bytes;
            println!(
                "{tool:<18} {:<16} {:<10} {time:>8.2} {size:>8.2}",
                module.name(),
                way.name
            );
            ratios[number].0.push(time);
            ratios[number].1.push(size);
        }
    }
    for (way, (times, sizes)) in ways.iter().zip(&ratios) {
        let mean = |values: &[f64]| geometric_mean(values).unwrap_or(0.0);
        println!(
            "{tool:<18} {:<16} {:<10} {:>8.2} {:>8.2}",
            "(mean)",
            way.name,
            mean(times),
            mean(sizes)
        );
    }
    Ok(())
}

/// Whether a module has a run that can be measured.
pub fn has_long_run(module: &Module) -> bool {
    module.program.runs.iter().any(|run| run.long.is_some())
}

/// A program that is measured.
pub struct Measured {
    pub program: PathBuf,
    /// The size of the code of its module.
    pub text_bytes: f64,
}

impl Measured {
    fn new(program: PathBuf, object: &Path) -> Result<Measured> {
        let text_bytes = text_size(object)? as f64;
        Ok(Measured { program, text_bytes })
    }
}

/// A module's program without tools.
pub fn build_plain(module: &Module, compiler: &Compiler) -> Result<Measured> {
    let dir = folder()?.join(module.name());
    let built = build_module(module, compiler, &dir)?;
    let program = built.program.with_context(|| built.problem.clone())?;
    Measured::new(program, &dir.join(format!("{compiler}.o")))
}

/// The same with a tool.
pub fn build_with_tool(module: &Module, compiler: &Compiler, tool: &str, tools: &mut Tools) -> Result<Measured> {
    let dir = folder()?.join(module.name());
    let program = tools.build(module, compiler, &[tool], &dir);
    let program = program.map_err(|problem| anyhow::anyhow!("{}: {problem}", module.name()))?;
    let object = dir.join(format!("{compiler}-{tool}.o"));
    Measured::new(program, &object)
}

/// The user time in seconds that each program takes for all long runs: the sums of the least of `repeat` interleaved
/// runs.
pub fn user_times(programs: &[Measured], module: &Module, repeat: usize) -> Result<Vec<f64>> {
    let mut sums = vec![0.0; programs.len()];
    for run in module.program.runs {
        let Some(sizes) = run.long else { continue };
        let mut least = vec![f64::INFINITY; programs.len()];
        for _ in 0..repeat {
            for (measured, least) in programs.iter().zip(&mut least) {
                let mut command = run_with_tools(&measured.program, run, sizes);
                let outcome = process::run(&mut command, LIMIT)?;
                // Some count what must fail in their exit status.
                let ended = outcome.status.is_some_and(|status| status.code().is_some());
                ensure!(ended, "{}: {}", measured.program.display(), outcome.ending());
                *least = least.min(outcome.user_time.as_secs_f64());
            }
        }
        for (sum, least) in sums.iter_mut().zip(least) {
            *sum += least;
        }
    }
    Ok(sums)
}
