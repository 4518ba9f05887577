//! Bitcode of a code base, a module for each source file, and llc's objects of it.
//!
//! A module is made again when its recipe (the command, the compiler's version, our own driver and configuration) has
//! changed; the recipe is kept beside it.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, Result};

use super::code_bases::CodeBase;
use crate::corpus::{self, Level, fetch};
use crate::{parallel, process, workspace};

/// One module.
#[derive(Debug)]
pub struct Module {
    /// The number and the name of the source file, without ending.
    pub name: String,
    pub bitcode: PathBuf,
    /// llc's object.
    pub reference_object: PathBuf,
}

/// All that is made of a code base.
#[derive(Debug)]
pub struct Made {
    pub modules: Vec<Module>,
    /// Objects of the code base's assembly.
    pub extra_objects: Vec<PathBuf>,
}

/// The folder of the modules.
pub fn folder(code_base: &CodeBase, level: Level) -> PathBuf {
    let name = format!("{}-{}", code_base.name, level.name());
    workspace::target_dir().join("corpus/wide").join(name)
}

/// Makes what is not there yet.
pub fn make(code_base: &'static CodeBase, level: Level) -> Result<Made> {
    let sources = workspace::target_dir().join("corpus/wide/sources").join(code_base.name);
    let packages = fetch::fetch_packages(&sources, [&code_base.package].into_iter())?;
    let package_dir = packages
        .get(code_base.package.name)
        .context("cargo did not fetch a package it was told to")?;
    let folder = folder(code_base, level);
    fs::create_dir_all(&folder)?;
    let configuration = folder.join("configuration");
    fs::create_dir_all(&configuration)?;
    for (name, text) in code_base.configuration {
        let path = configuration.join(name);
        fs::create_dir_all(path.parent().context("a folder")?)?;
        if fs::read_to_string(&path).ok().as_deref() != Some(text) {
            fs::write(path, text)?;
        }
    }
    let version = process::checked(workspace::llvm_tool(workspace::CLANG)?.arg("--version"))?;
    let version = String::from_utf8_lossy(&version.stdout);
    let context = format!("{version}{:?}", code_base.configuration);
    let maker = Maker {
        code_base,
        level,
        package_dir,
        folder: &folder,
        context,
    };
    let mut sources = corpus::source_files(package_dir, code_base.sources, code_base.exclude)?;
    sources.push(workspace::root().join(code_base.driver));
    let sources: Vec<_> = sources.into_iter().enumerate().collect();
    let modules = parallel::map(&sources, |(number, source)| maker.module(*number, source));
    let extra_objects = code_base.assembly.iter().map(|source| maker.assemble(source));
    Ok(Made {
        modules: modules.into_iter().collect::<Result<_>>()?,
        extra_objects: extra_objects.collect::<Result<_>>()?,
    })
}

struct Maker<'a> {
    code_base: &'static CodeBase,
    level: Level,
    package_dir: &'a Path,
    folder: &'a Path,
    /// What all recipes have in them.
    context: String,
}

impl Maker<'_> {
    fn module(&self, number: usize, source: &Path) -> Result<Module> {
        let stem = source.file_stem().unwrap_or_default().display();
        let name = format!("{number:03}-{stem}");
        let path = |ending: &str| self.folder.join(format!("{name}.{ending}"));
        let (bitcode, recipe_file, reference_object) = (path("bc"), path("recipe"), path("llc.o"));
        let mut clang = self.clang(source)?;
        clang.args(["-emit-llvm", "-o"]).arg(&bitcode);
        let mut recipe = format!("{clang:?}\n{}", self.context);
        if source.starts_with(workspace::root()) {
            // A package of one version never changes, our own files do.
            recipe.push_str(&fs::read_to_string(source)?);
        }
        if fs::read_to_string(&recipe_file).ok().as_ref() != Some(&recipe) {
            process::checked(&mut clang)?;
            let mut llc = super::reference().command(&bitcode, &reference_object)?;
            process::checked(llc.args(["--function-sections", "--data-sections"]))?;
            // Last, so that a run which was interrupted is repeated.
            fs::write(&recipe_file, recipe)?;
        }
        Ok(Module {
            name,
            bitcode,
            reference_object,
        })
    }

    /// The command that compiles a file, without what is made of it.
    fn clang(&self, source: &Path) -> Result<Command> {
        let mut clang = workspace::llvm_tool(workspace::CLANG)?;
        clang.args(["-c", "-w", "-fPIE", "-march=x86-64", "-ffunction-sections"]);
        clang.args(self.level.options()).args(self.code_base.options);
        clang.arg(format!("-I{}", self.folder.join("configuration").display()));
        let includes = self.code_base.includes.iter();
        clang.args(includes.map(|dir| format!("-I{}", self.package_dir.join(dir).display())));
        clang.arg(source);
        Ok(clang)
    }

    fn assemble(&self, source: &str) -> Result<PathBuf> {
        let source = self.package_dir.join(source);
        let stem = source.file_stem().unwrap_or_default().display();
        let object = self.folder.join(format!("assembly-{stem}.o"));
        process::checked(self.clang(&source)?.arg("-o").arg(&object))?;
        Ok(object)
    }
}
