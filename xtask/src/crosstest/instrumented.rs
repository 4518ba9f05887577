//! `cargo xtask crosstest --instrument`: programs of the corpus do the same with hooks of tools in them.
//!
//! Each of the [tools that are shipped](../../../examples/instrument/README.md) alone, and all of them together, under
//! each recipe. What tools say goes to standard error and to files that are thrown away; standard output and exit
//! status must be those of the program of `llc-22 -O0`.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Result, bail};
use frazil_test_support::stems;

use super::{
    RUN_LIMIT, Tally, Verdict, compile_host_part, difference, link_command, reference, run_command, run_reference,
};
use crate::compiler::{self, Compiler};
use crate::corpus::{Module, Run};
use crate::process;
use crate::share::Share;
use crate::{machine, workspace};

/// What tools write to files goes nowhere.
pub const NOWHERE: [(&str, &str); 2] = [("COVERAGE", "/dev/null"), ("MEMORY_TRACE", "/dev/null")];

/// How much longer a program may take with hooks.
pub const SLOWNESS: u32 = 20;

/// How the hooks of shipped tools are compiled.
pub const OPTIONS: &[&str] = &["-O2"];

/// Where the tools are.
fn sources() -> PathBuf {
    workspace::root().join("examples/instrument")
}

/// The tools that are there, by the names of their files.
pub fn names() -> Vec<String> {
    stems(sources(), ".toml")
}

/// Tools with their hooks as bitcode, and as objects once they are wanted.
#[derive(Debug)]
pub struct Tools {
    folder: PathBuf,
    /// How clang compiles hooks.
    options: &'static [&'static str],
    objects: BTreeMap<(String, String), PathBuf>,
}

impl Tools {
    /// No tools yet, whose hooks clang compiles with these options; what is made of them goes to a folder of that name.
    pub fn new(folder: &str, options: &'static [&'static str]) -> Result<Tools> {
        let folder = machine::folder().join(folder);
        fs::create_dir_all(&folder)?;
        Ok(Tools {
            folder,
            options,
            objects: BTreeMap::new(),
        })
    }

    /// All tools that are shipped, as their documents say.
    pub fn prepare() -> Result<Tools> {
        Tools::shipped("instrument", OPTIONS)
    }

    /// All tools that are shipped, with other options.
    pub fn shipped(folder: &str, options: &'static [&'static str]) -> Result<Tools> {
        let tools = Tools::new(folder, options)?;
        for tool in names() {
            let source = sources().join(&tool);
            tools.add(&source, &fs::read_to_string(source.with_extension("toml"))?)?;
        }
        Ok(tools)
    }

    /// Adds a tool with the text of its file; the hooks in the C file `source` are compiled to bitcode.
    pub fn add(&self, source: &Path, text: &str) -> Result<()> {
        let name = source.file_name().unwrap_or_default();
        let place = self.folder.join(name);
        let mut clang = machine::clang()?;
        clang.args(self.options).args(["-fPIC", "-c", "-emit-llvm"]);
        clang.arg(source.with_extension("c"));
        process::checked(clang.arg("-o").arg(place.with_extension("bc")))?;
        Ok(fs::write(place.with_extension("toml"), text)?)
    }

    /// The tool file.
    pub fn file(&self, tool: &str) -> PathBuf {
        self.folder.join(format!("{tool}.toml"))
    }

    /// The object of a tool's hooks, made by a compiler.
    pub fn object(&mut self, tool: &str, frazil: &Compiler) -> Result<PathBuf> {
        let key = (tool.to_owned(), frazil.name());
        if let Some(known) = self.objects.get(&key) {
            return Ok(known.clone());
        }
        let Compiler::Frazil { path, recipe, .. } = frazil else {
            bail!("hooks are compiled by Frazil");
        };
        let object = self.folder.join(format!("{tool}-{}.o", frazil.name()));
        let mut command = Command::new(path);
        // Recipes of files have passes that only programs need.
        let recipe = if compiler::RECIPES.contains(&recipe.as_str()) {
            recipe
        } else {
            "O2"
        };
        command.args(["--recipe", recipe, "--emit", "hooks", "--instrument"]);
        process::checked(command.arg(self.file(tool)).arg("-o").arg(&object))?;
        self.objects.insert(key, object.clone());
        Ok(object)
    }

    /// Compiles a module with tools in it and links it; the program.
    pub fn build(&mut self, module: &Module, frazil: &Compiler, tools: &[&str], dir: &Path) -> Result<PathBuf, String> {
        let text = |error: anyhow::Error| format!("{error:#}");
        fs::create_dir_all(dir).map_err(|error| error.to_string())?;
        let mut instrumenting = frazil.clone();
        for tool in tools {
            let option = format!("--instrument={}", self.file(tool).display());
            instrumenting = instrumenting.with_option(&option);
        }
        let name = format!("{}-{}", frazil.name(), tools.join("-"));
        let (object, program) = (dir.join(format!("{name}.o")), dir.join(&name));
        let mut command = instrumenting
            .command(module.bitcode().map_err(text)?, &object)
            .map_err(text)?;
        let compiled = instrumenting.run(&mut command).map_err(text)?;
        if !compiled.success() {
            return Err(format!("{}: {}", compiled.ending(), compiled.first_error_line()));
        }
        let mut objects = vec![object];
        objects.extend(compile_host_part(module, dir).map_err(text)?);
        for tool in tools {
            objects.push(self.object(tool, frazil).map_err(text)?);
        }
        let linked = process::run(
            &mut link_command(machine::cc(), objects.iter(), &program),
            process::TIME_LIMIT,
        );
        let linked = linked.map_err(text)?;
        match linked.success() {
            true => Ok(program),
            false => Err(format!("linking: {}", linked.first_error_line())),
        }
    }
}

/// The command that runs a program with tools in it.
pub fn run_with_tools(program: &Path, run: &Run, sizes: &[&str]) -> Command {
    let mut command = run_command(program, run, sizes);
    command.envs(NOWHERE);
    command
}

/// Tests modules under recipes with tools, as many as the share allows.
pub fn test(modules: &[Module], compilers: &[Compiler], share: &mut Share) -> Result<bool> {
    let mut tools = Tools::prepare()?;
    let names = names();
    let all: Vec<&str> = names.iter().map(String::as_str).collect();
    let sets: Vec<Vec<&str>> = (all.iter().map(|&tool| vec![tool])).chain([all.clone()]).collect();
    let mut references: BTreeMap<String, PathBuf> = BTreeMap::new();
    let total = modules.len() * compilers.len() * sets.len();
    let mut made = 0;
    let mut tally = Tally::default();
    share.begin();
    for number in share.order(total) {
        if !share.has_time() {
            break;
        }
        made += 1;
        let (rest, set) = (number / sets.len(), &sets[number % sets.len()]);
        let (module, frazil) = (&modules[rest / compilers.len()], &compilers[rest % compilers.len()]);
        let dir = machine::folder().join("crosstest").join(module.name());
        let name = match set.len() {
            1 => set[0],
            _ => "all tools",
        };
        let reference = reference(&mut references, module, &dir)?;
        let verdict = match tools.build(module, frazil, set, &dir) {
            Err(problem) => Verdict::Failed(problem),
            Ok(_) if !module.level.is_executable() => Verdict::NotExecuted,
            Ok(program) => compare(reference, &program, module)?,
        };
        tally.add(&verdict);
        println!("{:<12} {frazil:<11} {name:<26} {verdict}", module.name());
    }
    println!("\n{}", share.report("modules under recipes with tools", made, total));
    println!("{tally}");
    compiler::print_validated(compilers);
    Ok(tally.failed == 0)
}

/// Compares all short runs of a program with those of the reference.
fn compare(reference: &Path, program: &Path, module: &Module) -> Result<Verdict> {
    for run in module.program.runs {
        let limit = machine::limit(RUN_LIMIT) * SLOWNESS;
        let expected = run_reference(reference, run)?;
        let actual = process::run(&mut run_with_tools(program, run, run.short), limit)?;
        if let Some(text) = difference(&expected, &actual) {
            return Ok(Verdict::Failed(format!("{}: {text}", run.name)));
        }
    }
    Ok(Verdict::Passed)
}
