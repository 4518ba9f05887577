//! `cargo xtask bench --overheads`: what tools cost, by the ways of calling hooks.
//!
//! The programs of the corpus are compiled by recipe O2 without and with a tool, and run with the long workloads. Time
//! and code size are relative to the program without the tool; the ways are recipes that set the options of the pass
//! `expand-hooks`, each of which does one thing more than the one before:
//!
//! * `calls`: hooks are called by the C convention, so that callers save their registers;
//! * `clobbers`: hooks keep registers;
//! * `inlined`: hooks that fulfil the criteria are inlined as a whole;
//! * `partially`: those with a fast path, too;
//! * `merged`: additions are summed up.

use std::fs;
use std::time::Duration;

use anyhow::{Context, Result};

use super::compile_time::text_size;
use super::statistics::geometric_mean;
use crate::compiler::Compiler;
use crate::corpus::Module;
use crate::crosstest::build_module;
use crate::crosstest::instrumented::{Tools, run_with_tools};
use crate::{machine, process};

/// The ways with their options.
const WAYS: [(&str, &str); 5] = [
    ("calls", "inline = false, preserve = false"),
    ("clobbers", "inline = false"),
    ("inlined", "partial = false, merge = false"),
    ("partially", "merge = false"),
    ("merged", ""),
];

/// The tools that are measured.
const MEASURED: [&str; 6] = [
    "instruction_count",
    "opcode_mix",
    "block_profile",
    "memory_trace",
    "alignment",
    "coverage",
];

/// How long a run may take.
const LIMIT: Duration = Duration::from_secs(300);

/// Prints the table: for each tool and way the geometric means of time and size.
pub fn measure(modules: &[Module], frazil: &Compiler, repeat: usize) -> Result<bool> {
    let mut tools = Tools::prepare()?;
    let dir = machine::folder().join("bench/overheads");
    fs::create_dir_all(&dir)?;
    let recipes = dir.join("ways.toml");
    let text: Vec<String> = (WAYS.iter())
        .map(|(name, options)| {
            let comma = if options.is_empty() { "" } else { ", " };
            format!(
                "[recipe.{name}]\nextends = \"O2\"\ninsert = [{{ after = \"alloca-merge\", pass = \"instrument\" }}, {{ \
                 after = \"instrument\", pass = \"expand-hooks\"{comma}{options} }}]\n"
            )
        })
        .collect();
    fs::write(&recipes, text.concat())?;
    let plain = frazil.with_recipe("O2");
    let mut bases = Vec::new();
    for module in modules {
        let built = build_module(module, &plain, &dir)?;
        let program = built.program.with_context(|| built.problem.clone())?;
        let time = user_time(&program, module, repeat)?;
        let size = text_size(&dir.join(format!("{}.o", plain.name())))?;
        bases.push((time, size));
    }
    println!("{:<20} {:<10} {:>8} {:>8}", "tool", "way", "time", "size");
    for tool in MEASURED {
        for (way, _) in WAYS {
            let compiler = frazil
                .with_recipe(way)
                .with_option(&format!("--recipe-file={}", recipes.display()));
            let (mut times, mut sizes) = (Vec::new(), Vec::new());
            for (module, (time, size)) in modules.iter().zip(&bases) {
                let program = tools.build(module, &compiler, &[tool], &dir);
                let program = program.map_err(|problem| anyhow::anyhow!("{}: {problem}", module.name()))?;
                times.push(user_time(&program, module, repeat)? / time);
                let object = program.with_file_name(format!("{}-{tool}.o", compiler.name()));
                sizes.push(text_size(&object)? as f64 / *size as f64);
            }
            let mean = |values: &[f64]| geometric_mean(values).unwrap_or(0.0);
            println!("{tool:<20} {way:<10} {:>8.2} {:>8.2}", mean(&times), mean(&sizes));
        }
    }
    Ok(true)
}

/// The least user time of all long runs of a program, in seconds.
fn user_time(program: &std::path::Path, module: &Module, repeat: usize) -> Result<f64> {
    let mut sum = 0.0;
    for run in module.program.runs {
        let Some(sizes) = run.long else { continue };
        let mut least = f64::INFINITY;
        for _ in 0..repeat {
            let mut command = run_with_tools(program, run, sizes);
            let outcome = process::run(&mut command, LIMIT)?;
            anyhow::ensure!(outcome.success(), "{}: {}", module.name(), outcome.ending());
            least = least.min(outcome.user_time.as_secs_f64());
        }
        sum += least;
    }
    Ok(sum)
}
