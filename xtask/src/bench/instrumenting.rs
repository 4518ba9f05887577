//! `cargo xtask bench --instrumenting`: what it costs to compile with tools.
//!
//! A program with hooks has more instructions, which may cost as much as others do. Compared is by how much more
//! machine instructions Frazil executes, as callgrind counts them, and by how much more instructions of the
//! intermediate representation it has to do with: the calls of hooks that are put in, and what is left once code was
//! made of them (nothing of many, several instructions of others). The quotient says what is spent on finding places,
//! putting hooks in, looking at them and inlining them. Each shipped tool is measured with each recipe on several
//! modules; what counts is the geometric mean of these.

use std::collections::BTreeMap;
use std::collections::btree_map::Entry;
use std::fs;
use std::path::Path;

use anyhow::{Context, Result, ensure};

use super::instructions::count_of;
use super::overheads::{folder, levels_of};
use super::statistics::geometric_mean;
use crate::compiler::Compiler;
use crate::corpus::{self, Module};
use crate::crosstest::instrumented::{Tools, names};
use crate::process;

/// The programs that are compiled, unless the command line names others.
const PROGRAMS: [&str; 2] = ["mixed", "bzip2"];

const RECIPES: [&str; 2] = ["Om1", "O2"];

/// How many times as much as its instructions' share compiling may cost.
const MOST: f64 = 1.5;

/// What compiling takes, and what it makes.
#[derive(Clone, Copy, Debug)]
struct Costs {
    /// Executed machine instructions.
    executed: f64,
    /// Instructions of the intermediate representation that are left.
    instructions: f64,
    /// Calls of hooks that were put in.
    hooks: f64,
}

/// Prints a row for each tool, recipe and module, and their means. `Ok(false)` if a tool costs too much with a recipe.
pub fn measure(filter: &str, frazil: &Compiler) -> Result<bool> {
    let tools = Tools::prepare()?;
    println!(
        "{:<26} {:<12} {:<6} {:>9} {:>13} {:>9}",
        "tool", "module", "recipe", "executed", "instructions", "quotient"
    );
    let (mut passed, mut failed) = (0, 0);
    let mut quotients = Vec::new();
    let mut known: BTreeMap<(String, &str), Costs> = BTreeMap::new();
    for tool in names() {
        for recipe in RECIPES {
            let mut of_modules = Vec::new();
            for module in modules(&tool, filter)? {
                let frazil = frazil.with_recipe(recipe);
                let plain = match known.entry((module.name(), recipe)) {
                    Entry::Occupied(costs) => *costs.get(),
                    Entry::Vacant(entry) => *entry.insert(costs(&module, &frazil)?),
                };
                let option = format!("--instrument={}", tools.file(&tool).display());
                let with = costs(&module, &frazil.with_option(&option))?;
                let executed = with.executed / plain.executed;
                let instructions = (with.instructions + with.hooks) / plain.instructions;
                let quotient = executed / instructions;
                println!(
                    "{tool:<26} {:<12} {recipe:<6} {executed:>9.3} {instructions:>13.3} {quotient:>9.3}",
                    module.name(),
                );
                of_modules.push(quotient);
            }
            let mean = geometric_mean(&of_modules).context("there is no such module")?;
            let (count, verdict) = match mean <= MOST {
                true => (&mut passed, ""),
                false => (&mut failed, " too much"),
            };
            *count += 1;
            println!("{tool:<26} {:<12} {recipe:<6} {mean:>33.3}{verdict}", "mean");
            quotients.extend(of_modules);
        }
    }
    let mean = geometric_mean(&quotients).context("nothing was measured")?;
    println!("\ngeometric mean {mean:.3}; at most {MOST}: {passed} passed, {failed} failed");
    Ok(failed == 0)
}

/// The modules that a tool is measured with.
fn modules(tool: &str, filter: &str) -> Result<Vec<Module>> {
    let filters = if filter.is_empty() { &PROGRAMS[..] } else { &[filter] };
    let mut modules = Vec::new();
    for filter in filters {
        modules.extend(corpus::modules_at(&levels_of(tool), filter)?);
    }
    Ok(modules)
}

fn costs(module: &Module, frazil: &Compiler) -> Result<Costs> {
    let folder = folder()?;
    let executed = count_of(&frazil.command(module.bitcode()?, &folder.join("counted.o"))?)? as f64;
    let text = folder.join("counted.fzl");
    process::checked(&mut frazil.with_option("--emit=ir").command(module.bitcode()?, &text)?)?;
    let instructions = instructions_in(&text)? as f64;
    ensure!(instructions > 0.0, "{}: no instructions", module.name());
    let mut told = frazil
        .with_option("--stats")
        .command(module.bitcode()?, &folder.join("counted.o"))?;
    let hooks = hooks_in(&String::from_utf8_lossy(&process::checked(&mut told)?.stderr));
    Ok(Costs {
        executed,
        instructions,
        hooks: hooks as f64,
    })
}

/// How many calls of hooks were put in, by what `--stats` says; none without tools.
fn hooks_in(told: &str) -> u64 {
    let row = told
        .lines()
        .find_map(|line| line.strip_prefix("instrument: hooks put in"));
    row.and_then(|number| number.trim().parse().ok()).unwrap_or(0)
}

/// Counts the instructions in a module's text: the indented lines after a block's name.
fn instructions_in(text: &Path) -> Result<u64> {
    let mut is_in_block = false;
    let mut count = 0;
    for line in fs::read_to_string(text)?.lines() {
        if line.starts_with('b') && line.ends_with(':') {
            is_in_block = true;
        } else if !line.starts_with("  ") {
            is_in_block = false;
        } else if is_in_block {
            count += 1;
        }
    }
    Ok(count)
}
