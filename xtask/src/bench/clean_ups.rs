//! `cargo xtask bench --clean-ups`: what the passes gain that clean hooks before they are looked at and inlined.
//!
//! They are the option `clean` of the pass `expand-hooks`. A program is compiled with each shipped tool under recipes
//! with all of them, with none, without each of them and with others besides. Compared are the instructions of the
//! tool's hooks, how hooks are called, and the instructions that the program executes on its short workload, as
//! callgrind counts them. Hooks are taken as clang compiles them at -O2, as the documents of the tools say, and at -O0,
//! where more is left to do.

use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result};

use super::instructions;
use super::overheads::{folder, recipe};
use crate::compiler::Compiler;
use crate::corpus::{self, Level, Module};
use crate::crosstest::instrumented::{OPTIONS, Tools, names, run_with_tools};
use crate::process;

/// The program that is compiled, unless the command line names others.
const PROGRAM: &str = "mixed";

/// The level of its bitcode. With debug information, so that the tool that looks at lines has places.
const LEVEL: Level = Level::O2Debug;

/// How hooks are compiled, with the folder of what is made.
const HOOKS: [(&str, &[&str]); 2] = [
    ("instrument", OPTIONS),
    ("instrument/unoptimized", &["-O0", "-Xclang", "-disable-O0-optnone"]),
];

/// Some of the passes, by a recipe in a file.
struct Variant {
    title: String,
    compiler: Compiler,
}

/// What a variant makes of a tool in a program.
struct Made {
    object: PathBuf,
    /// Instructions of all hooks after the passes.
    hook_instructions: u64,
    /// A letter for each hook.
    ways: String,
    executed: u64,
}

/// Prints a table for hooks of each kind; `more` are passes to try besides.
pub fn measure(filter: &str, frazil: &Compiler, more: &[String]) -> Result<bool> {
    let variants = variants(frazil, more)?;
    let filter = if filter.is_empty() { PROGRAM } else { filter };
    for program in corpus::programs_at(LEVEL, filter) {
        let module = corpus::module(program, LEVEL)?;
        for (folder, options) in HOOKS {
            let mut tools = Tools::shipped(folder, options)?;
            println!(
                "\n{program}, hooks by clang {}: instructions of hooks, ways, executed instructions",
                options[0]
            );
            println!("ways: s summed up, i inlined, p inlined partially, c called\n");
            let titles: Vec<&str> = variants.iter().map(|variant| variant.title.as_str()).collect();
            println!(
                "| Tool | {} |\n|---|{}",
                titles.join(" | "),
                "---|".repeat(titles.len())
            );
            for tool in names() {
                print_tool(&tool, &module, &variants, &mut tools)?;
            }
        }
    }
    Ok(true)
}

/// All passes, none, all but each, and all with each of `more` before the last one.
fn variants(frazil: &Compiler, more: &[String]) -> Result<Vec<Variant>> {
    let all = default_passes(frazil)?;
    let mut lists = vec![("all".to_owned(), all.clone()), ("none".to_owned(), Vec::new())];
    for (number, pass) in all.iter().enumerate() {
        if !all[..number].contains(pass) {
            let rest = all.iter().filter(|other| *other != pass).cloned().collect();
            lists.push((format!("without {pass}"), rest));
        }
    }
    for pass in more {
        let mut list = all.clone();
        list.insert(list.len().saturating_sub(1), pass.clone());
        lists.push((format!("with {pass}"), list));
    }
    let file = folder()?.join("clean-ups.toml");
    let compiler = frazil.with_option(&format!("--recipe-file={}", file.display()));
    let mut text = String::new();
    let mut variants = Vec::new();
    for (number, (title, list)) in lists.into_iter().enumerate() {
        let name = format!("clean-{number}");
        text.push_str(&recipe(&name, &format!("clean = {list:?}")));
        let compiler = compiler.with_recipe(&name);
        variants.push(Variant { title, compiler });
    }
    fs::write(file, text)?;
    Ok(variants)
}

/// The passes that clean hooks unless a recipe says otherwise.
fn default_passes(frazil: &Compiler) -> Result<Vec<String>> {
    let Compiler::Frazil { path, .. } = frazil else {
        anyhow::bail!("hooks are cleaned by Frazil");
    };
    let listed = process::checked(std::process::Command::new(path).arg("--list-passes"))?;
    let text = String::from_utf8_lossy(&listed.stdout).into_owned();
    passes_in(&text).context("`--list-passes` says nothing of what cleans hooks")
}

/// The value of the option `clean` in the list of passes.
fn passes_in(list: &str) -> Option<Vec<String>> {
    let line = list.lines().find(|line| line.trim_start().starts_with("clean = "))?;
    let table: toml::Table = toml::from_str(line.trim()).ok()?;
    let words = table.get("clean")?.as_array()?.iter();
    words.map(|word| Some(word.as_str()?.to_owned())).collect()
}

fn print_tool(tool: &str, module: &Module, variants: &[Variant], tools: &mut Tools) -> Result<()> {
    let mut made: Vec<Made> = Vec::new();
    for variant in variants {
        let next = make(tool, module, &variant.compiler, tools, &made);
        made.push(next.with_context(|| format!("{tool}, {}", variant.title))?);
    }
    let first = made.first().context("there is a variant with all passes")?.executed;
    let cells: Vec<String> = made.iter().map(|made| cell(made, first)).collect();
    println!("| {tool} | {} |", cells.join(" | "));
    Ok(())
}

fn cell(made: &Made, first: u64) -> String {
    let executed = match made.executed == first {
        true => "=".to_owned(),
        false => format!("{:+.2} %", (made.executed as f64 / first as f64 - 1.0) * 100.0),
    };
    format!("{} {} {executed}", made.hook_instructions, made.ways)
}

/// Builds a program with a tool and counts. What has the same object as one before is not run again.
fn make(tool: &str, module: &Module, compiler: &Compiler, tools: &mut Tools, before: &[Made]) -> Result<Made> {
    let dir = folder()?.join("clean-ups");
    let program = tools.build(module, compiler, &[tool], &dir);
    let program = program.map_err(anyhow::Error::msg)?;
    let object = dir.join(format!("{compiler}-{tool}.o"));
    let (hook_instructions, ways) = explanation(&explain(tool, module, compiler, tools, &dir)?)?;
    let bytes = fs::read(&object)?;
    let mut known = None;
    for made in before {
        if fs::read(&made.object)? == bytes {
            known = Some(made.executed);
        }
    }
    let executed = match known {
        Some(count) => count,
        None => executed(module, &program)?,
    };
    Ok(Made {
        object,
        hook_instructions,
        ways,
        executed,
    })
}

/// What Frazil says of a tool's hooks.
fn explain(tool: &str, module: &Module, compiler: &Compiler, tools: &Tools, dir: &Path) -> Result<String> {
    let option = format!("--instrument={}", tools.file(tool).display());
    let explaining = compiler.with_option(&option).with_option("--explain-instrument");
    let outcome = process::checked(&mut explaining.command(module.bitcode()?, &dir.join("explained.o"))?)?;
    Ok(String::from_utf8_lossy(&outcome.stderr).into_owned())
}

/// The sum of the hooks' instructions, and a letter for how each is called.
fn explanation(text: &str) -> Result<(u64, String)> {
    let (mut instructions, mut ways) = (0, String::new());
    for line in text.lines() {
        if let Some(rest) = line.trim_start().strip_prefix("after cleaning: ") {
            let count = rest.split(' ').next().unwrap_or_default();
            instructions += count.parse::<u64>().with_context(|| line.to_owned())?;
        } else if let Some((_, way)) = line.strip_prefix("hook ").and_then(|rest| rest.split_once(": ")) {
            ways.push(match way {
                _ if way.contains("summed up") => 's',
                _ if way.starts_with("inlined partially") => 'p',
                _ if way.starts_with("inlined") => 'i',
                _ => 'c',
            });
        }
    }
    Ok((instructions, ways))
}

/// The instructions of the program's own code in all short runs.
fn executed(module: &Module, program: &Path) -> Result<u64> {
    let runs = module.program.runs.iter();
    runs.map(|run| instructions::count_in_program(&run_with_tools(program, run, run.short)))
        .sum()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reads_what_frazil_says_of_hooks() {
        let text = "tool t:\nhook a: inlined; it is an addition, and summed up\n  after cleaning: 3 instructions, 1 blocks\n\
                    hook b: inlined partially, up to its first branch\n  not inlined: it calls\n  after cleaning: 14 \
                    instructions, 4 blocks\nhook c: called\n  after cleaning: 30 instructions\n";
        assert_eq!(explanation(text).expect("it is complete"), (47, "spc".to_owned()));
        let list = "expand-hooks [required]: makes\n    calls = false\n    clean = [\"sroa\", \"dce\"]\n";
        assert_eq!(passes_in(list), Some(vec!["sroa".to_owned(), "dce".to_owned()]));
    }
}
